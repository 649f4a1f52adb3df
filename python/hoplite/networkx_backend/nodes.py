# SPDX-License-Identifier: Apache-2.0
"""Graphs of NetworkX as arrays, and back.

A :class:`NodeGraph` numbers the nodes in NetworkX's order and keeps two things: the rows in the
order in which NetworkX has the neighbours of each node, from which every order of its results
follows; and the library's graph, whose rows are sorted, made when it is first needed. Parallel
edges are one edge of the least weight, which is what every function here makes of them."""

from __future__ import annotations

import math
import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import networkx as nx  # type: ignore[import-untyped]
import numpy as np

from .. import Graph, _slow
from .._speed import walk
from .settings import configured
from .views import Flat, flattened

NAME = "hoplite"
NO_VERTEX = 2**32 - 1
ALONE = 2**15  # nodes and arcs to look at, up to which one thread is quickest
NEEDS_INDEX, NOT_DICTS = 1, 2  # what walk.rows may return
EXACT = 2**53  # integers up to here are doubles too
VERSION = tuple(map(int, re.findall(r"\d+", nx.__version__)[:2]))
SINCE_3_7 = VERSION >= (3, 7)  # where results, their order or exceptions are others than before


class Rows(NamedTuple):
    """Neighbours in NetworkX's order: those of v are targets[offsets[v]:offsets[v + 1]]."""

    offsets: Any
    targets: Any


class Weights:
    """One attribute of the edges, in the order of the rows. `reason`: why it cannot be used."""

    def __init__(self, raw: Any, kinds: Any, reason: Optional[str], n: int) -> None:
        self.reason = reason
        self.values = raw
        self.kinds: Any = None  # which are integers, where some are and some are not
        self.missing = False
        self.least: Any = 0
        self.most: Any = 0
        if reason is None and len(raw):
            self._settle_type(raw, kinds, n)

    def _settle_type(self, raw: Any, kinds: Any, n: int) -> None:
        some_real = bool((kinds == _slow.REAL).any())
        self.missing = bool((kinds == _slow.MISSING).any())
        if some_real and kinds.any():
            whole = kinds != _slow.REAL
            if max(-int(raw[whole].min()), int(raw[whole].max())) * (n + 1) > EXACT:
                self.reason = "integers are mixed with floats, and sums of them may pass 2**53"
                return
            self.values = np.where(whole, raw, raw.view(np.float64))
            self.kinds = whole.view(np.uint8)
        elif some_real:
            self.values = raw.view(np.float64)
        self.least, self.most = self.values.min().item(), self.values.max().item()
        largest = max(abs(self.least), abs(self.most))
        if not some_real and largest * (n + 1) >= 2**62:
            self.reason = f"sums of weights up to {largest} may not fit 64 bits"
        elif some_real and not math.isfinite(largest * (n + 1)):
            self.reason = f"sums of weights up to {largest} may be infinite"

    @property
    def real(self) -> bool:
        return bool(self.values.dtype.kind == "f")


class Space(NamedTuple):
    """Arrays of a search between two nodes, at rest: see python/extension/walk_between.c."""

    ends: Any
    sums: Any
    flags: Any


class NodeGraph:
    """A graph of NetworkX as arrays: what `convert_from_nx` gives."""

    __networkx_backend__ = NAME

    def __init__(self, nodes: List[Any], plain: bool, directed: bool, multigraph: bool, out: Rows,
                 into: Rows, attributes: Dict[str, Weights]) -> None:
        self.nodes, self.plain = nodes, plain
        self.directed, self.multigraph = directed, multigraph
        self.out, self.into = out, into  # the same rows if undirected
        self.attributes = attributes
        self.graph: Dict[str, Any] = {}
        self._index: Optional[Dict[Any, int]] = None
        self._library: Dict[Tuple[Optional[str], bool], Graph] = {}
        self._backwards: Dict[str, Any] = {}
        self._backward_kinds: Dict[str, Any] = {}
        self._pinned: Optional[Tuple[Tuple[Any, ...], Any]] = None
        self._spaces: List[Space] = []
        self._original: Any = None

    def original(self) -> Any:
        """The graph that was converted, for its attributes."""
        if self._original is None:
            raise NotImplementedError("the graph was converted without its attributes")
        return self._original

    def is_directed(self) -> bool:
        return self.directed

    def is_multigraph(self) -> bool:
        return self.multigraph

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Any:
        return iter(self.nodes)

    def __contains__(self, node: Any) -> bool:
        return self.find(node) >= 0

    def order(self) -> int:
        return len(self.nodes)

    number_of_nodes = order

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"<NodeGraph: {kind}, {len(self.nodes)} nodes, {len(self.out.targets)} arcs>"

    @property
    def index(self) -> Dict[Any, int]:
        """The number of each node."""
        if self._index is None:
            self._index = dict(zip(self.nodes, range(len(self.nodes))))
        return self._index

    @property
    def pinned(self) -> Tuple[Tuple[Any, ...], Any]:
        """The nodes as a tuple, and where its items are in memory: so they can be fetched ahead."""
        if self._pinned is None:
            nodes, addresses = tuple(self.nodes), np.empty(len(self.nodes), np.uint64)
            walk.addresses(nodes, addresses)
            self._pinned = nodes, addresses
        return self._pinned

    def find(self, node: Any) -> int:
        """The number of a node; -1 if there is none."""
        if self.plain and type(node) is int:
            return node if 0 <= node < len(self.nodes) else -1
        try:
            return self.index.get(node, -1)
        except TypeError:  # not hashable, so not a node
            return -1

    def held(self, attribute: Any) -> Optional[Weights]:
        """What is known of an attribute of edges. Where NetworkX wanted all attributes kept, it did
        not say which one has the weights: it is read now."""
        found = self.attributes.get(attribute)
        if found is None and self._original is not None:
            again = convert_from_nx(self._original, edge_attrs={attribute: 1})
            if not np.array_equal(again.out.targets, self.out.targets):
                raise NotImplementedError("the graph was changed after it was converted")
            found = self.attributes[attribute] = again.attributes[attribute]
        return found

    def weights(self, attribute: Any) -> Optional[Weights]:
        """The weights by attribute; None: each edge counts 1."""
        if attribute is None:
            return None
        found = self.held(attribute)
        if found is None:
            raise NotImplementedError(f"the graph was converted without {attribute!r}")
        if found.reason is not None:
            raise NotImplementedError(found.reason)
        return found

    def arc_weights(self, attribute: Any, back: bool = False) -> Any:
        """The weights of all arcs, or None, of the rows in or out."""
        found = self.weights(attribute)
        if found is None:
            return None
        if not back or not self.directed:
            return found.values
        if attribute not in self._backwards:
            self._backwards[attribute] = found.values[self.backward_arcs()]
        return self._backwards[attribute]

    def backward_arcs(self) -> Any:
        """For each arc in `into` the one in `out` that it is."""
        n = len(self.nodes)
        tails = np.repeat(np.arange(n), np.diff(self.out.offsets))
        heads = np.repeat(np.arange(n), np.diff(self.into.offsets))
        found = np.empty(len(tails), np.int64)
        found[np.lexsort((self.into.targets, heads))] = np.lexsort((tails, self.out.targets))
        return found

    def arc_kinds(self, attribute: Any, back: bool = False) -> Any:
        """Which arcs have integers, where some have floats; else None."""
        found = self.weights(attribute)
        if found is None or found.kinds is None:
            return None
        if not back or not self.directed:
            return found.kinds
        if attribute not in self._backward_kinds:
            self._backward_kinds[attribute] = found.kinds[self.backward_arcs()]
        return self._backward_kinds[attribute]

    def take_space(self) -> Space:
        """For one search between two nodes. Whoever takes it gives it back, as it was; others, in
        threads or in signal handlers, get one of their own meanwhile."""
        try:
            return self._spaces.pop()
        except IndexError:
            n = len(self.nodes)
            ends = np.empty(4 * n, np.uint32)
            ends[:2 * n] = NO_VERTEX
            return Space(ends, np.empty(2 * n, np.int64), np.zeros(2 * n, np.uint8))

    def give_space(self, space: Space) -> None:
        self._spaces.append(space)

    def how(self, searches: int = 1) -> Any:
        """Keywords for the library: what is configured; small work is not worth waking threads."""
        small = searches * (len(self.nodes) + len(self.out.targets)) < ALONE
        return {"threads": 1, **configured()} if small else configured()

    def library(self, attribute: Any = None, back: bool = False) -> Graph:
        """The library's graph."""
        back = back and self.directed
        key = attribute, back
        if key not in self._library:
            rows = self.into if back else self.out
            values = self.arc_weights(attribute, back)
            targets = rows.targets
            if not is_sorted(rows):
                targets = np.empty_like(rows.targets)
                ordered = None if values is None else np.empty_like(values)
                walk.sort(rows.offsets, rows.targets, values, targets, ordered)
                values = ordered
            self._library[key] = Graph.from_csr(  # these arrays were made here: no check
                rows.offsets, targets, values, directed=self.directed, trusted=True, **self.how())
        return self._library[key]


def is_sorted(rows: Rows) -> bool:
    """Whether every row is ascending, as the library's are."""
    if len(rows.targets) < 2:
        return True
    falls = rows.targets[1:] <= rows.targets[:-1]
    starts = rows.offsets[1:-1]
    starts = starts[(starts > 0) & (starts < len(rows.targets))]
    falls[starts - 1] = False
    return not falls.any()


def read_rows(flat: Flat, nodes: List[Any], plain: bool, multigraph: bool, undirected: bool,
              attribute: Any = None, weighted: bool = False) -> Tuple[Rows, Optional[Weights]]:
    """Walks dicts of dicts, by the extension where they are plain dicts. Whether both directions
    of an undirected edge are the same is looked at where that is not sure."""
    adjacency = flat.rows
    arcs = walk.count(adjacency)
    way: Any = walk if arcs >= 0 else _slow
    if arcs < 0:
        arcs = _slow.count(adjacency)
    offsets, targets = np.zeros(len(nodes) + 1, np.int64), np.empty(arcs, np.uint32)
    raw = np.empty(arcs, np.int64) if weighted else None
    kinds = np.empty(arcs, np.uint8) if weighted else None
    index = None if plain and way is walk else dict(zip(nodes, range(len(nodes))))
    how = attribute, multigraph, undirected and flat.symmetric, offsets, targets, raw, kinds
    code = way.rows(adjacency, index, *how)
    if code == NEEDS_INDEX:  # a neighbour that equals a node, but is not an int
        index = dict(zip(nodes, range(len(nodes))))
        code = way.rows(adjacency, index, *how)
    if code == NOT_DICTS:  # further inside
        way, index = _slow, index or dict(zip(nodes, range(len(nodes))))
        code = _slow.rows(adjacency, index, *how)
    reason = code if isinstance(code, str) else None
    if reason is None:
        offsets, targets, raw, kinds = cut(flat.shown, offsets, targets, raw, kinds)
    rows = Rows(offsets, targets)
    sure = flat.symmetric and way is not _slow
    if undirected and not sure and reason is None and differs_back(rows, raw, kinds):
        reason = "the two directions of an edge have different weights, in a view"
    return rows, Weights(raw, kinds, reason, len(offsets) - 1) if weighted else None


def cut(shown: Optional[int], offsets: Any, targets: Any, raw: Any, kinds: Any) -> Any:
    """The rows of the first `shown` nodes, and the arcs between them; None: all rows."""
    arcs = int(offsets[-1])  # a view may count neighbours whose edges it hides
    if shown is None:
        if arcs == len(targets):
            return offsets, targets, raw, kinds
        keep: Any = slice(0, arcs)
    else:
        keep = np.zeros(len(targets), bool)
        keep[:int(offsets[shown])] = targets[:int(offsets[shown])] < shown
        offsets = np.concatenate(([0], np.cumsum(keep)))[offsets[:shown + 1]]
    return (offsets, targets[keep].copy(), None if raw is None else raw[keep].copy(),
            None if kinds is None else kinds[keep].copy())


def differs_back(rows: Rows, raw: Any, kinds: Any) -> bool:
    """Whether weights differ from those of the same edges backwards. In an undirected graph the two
    are one; in an undirected view of a directed graph they need not be."""
    tails = np.repeat(np.arange(len(rows.offsets) - 1, dtype=np.uint32), np.diff(rows.offsets))
    there, back = np.lexsort((rows.targets, tails)), np.lexsort((tails, rows.targets))
    if not (np.array_equal(tails[there], rows.targets[back]) and
            np.array_equal(rows.targets[there], tails[back])):
        raise NotImplementedError("an edge of this undirected view leads one way only")
    return raw is not None and not (np.array_equal(raw[there], raw[back]) and
                                    np.array_equal(kinds[there], kinds[back]))


def convert_from_nx(
    graph: Any, *, edge_attrs: Optional[Dict[str, Any]] = None,
    node_attrs: Optional[Dict[str, Any]] = None, preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False, preserve_graph_attrs: bool = False,
    name: Optional[str] = None, graph_name: Optional[str] = None,
) -> NodeGraph:
    """A graph of NetworkX as arrays, with the weights that `edge_attrs` names (their defaults must
    be 1). Other attributes stay behind; `preserve_edge_attrs` keeps hold of the graph that has
    them."""
    flat = flattened(graph._adj, graph)
    multigraph, directed = graph.is_multigraph(), graph.is_directed()
    nodes, plain = (walk if type(flat.rows) is dict else _slow).nodes(flat.rows)
    wanted = list(edge_attrs or ())
    attributes: Dict[str, Weights] = {}
    out: Optional[Rows] = None
    for attribute in wanted:
        rows, weights = read_rows(flat, nodes, plain, multigraph, not directed, attribute, True)
        assert weights is not None
        attributes[attribute] = weights
        out = rows if weights.reason is None else out
    if out is None:
        out, _ = read_rows(flat, nodes, plain, multigraph, not directed)
    into = out
    if directed:
        into, _ = read_rows(flattened(graph._pred, graph), nodes, plain, multigraph, False)
    nodes = nodes[:flat.shown]
    made = NodeGraph(nodes, plain, directed, multigraph, out, into, attributes)
    if preserve_graph_attrs:
        made.graph = graph.graph
    if preserve_edge_attrs:
        made._original = graph
    return made


def convert_to_nx(found: Any, *, name: Optional[str] = None) -> Any:
    """A graph of NetworkX with the nodes, edges and weights that were kept. Results that are not
    graphs are returned as they are."""
    if not isinstance(found, NodeGraph):
        return found
    if found.multigraph:
        raise NotImplementedError("parallel edges were made one and cannot be told apart again")
    made = nx.DiGraph() if found.directed else nx.Graph()
    made.graph.update(found.graph)
    made.add_nodes_from(found.nodes)
    tails = np.repeat(np.arange(len(found.nodes), dtype=np.uint32), np.diff(found.out.offsets))
    ends = zip(walk.take(found.nodes, tails), walk.take(found.nodes, found.out.targets))
    made.add_edges_from(ends)
    for attribute, weights in found.attributes.items():
        if weights.reason is None:
            ends = zip(walk.take(found.nodes, tails), walk.take(found.nodes, found.out.targets))
            for (u, v), value in zip(ends, weights.values.tolist()):
                made._adj[u][v][attribute] = value
    return made
