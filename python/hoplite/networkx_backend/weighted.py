# SPDX-License-Identifier: Apache-2.0
"""Shortest paths by weight, from given sources.

Dijkstra's family: the library finds the distances, and one pass over the graph finds the order in
which NetworkX settles the nodes, and with it its paths and predecessors (see `settle` in
python/extension/walk_settle.c). Bellman and Ford's: NetworkX's dicts are in the order of discovery,
which follows from no distances, so its algorithm is run as it is, in C."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterator, List, Optional, Tuple

import networkx as nx  # type: ignore[import-untyped]
import numpy as np

from .. import NO_DISTANCE, NegativeCycleError, apsp, sssp
from .._speed import walk
from .nodes import NO_VERTEX, NodeGraph
from .results import distances_of, number_of, paths_of
from .unweighted import end_of


class Settled:
    """What Dijkstra's algorithm finds, in NetworkX's order. `order` has what was settled. Without
    `parents` there are no paths, and where only a distance is wanted there needs to be no order:
    both take time. `given`: the distances are known."""

    def __init__(self, graph: NodeGraph, sources: List[int], attribute: Any, cutoff: Any = None,
                 target: Optional[int] = None, back: bool = False, given: Any = None,
                 order: bool = True, parents: bool = True) -> None:
        self.graph = graph
        self.rows = graph.into if back and graph.directed else graph.out
        self.weights = graph.arc_weights(attribute, back)
        not_negative(graph, attribute)
        first = np.array(list(dict.fromkeys(sources)), np.uint32)
        if given is not None:
            self.distances = given
        else:
            self.distances = self.ask(attribute, first, cutoff, target, back)
        kinds = graph.arc_kinds(attribute, back)
        real = self.distances.dtype.kind == "f"
        self.parents: Any = None
        self.whole: Any = None
        if order or kinds is not None:
            self.settle(first, kinds, real, parents)

    def settle(self, first: Any, kinds: Any, real: bool, parents: bool) -> None:
        n = len(self.graph.nodes)
        order = np.empty(n, np.uint32)
        self.parents = np.empty(n, np.uint32) if parents else None
        self.whole = np.empty(n, np.uint8) if real else None
        count = walk.settle(self.rows.offsets, self.rows.targets, self.weights, self.distances,
                            first, order, self.parents, kinds, self.whole)
        self.order = order[:count]

    def ask(self, attribute: Any, first: Any, cutoff: Any, target: Optional[int],
            back: bool) -> Any:
        """The distances, from the library."""
        limit = None
        if cutoff is not None and cutoff < math.inf:
            try:
                limit = math.nextafter(float(cutoff), math.inf)  # what is on it is decided below
            except OverflowError:  # an integer beyond all floats
                limit = None if cutoff > 0 else 0.0
        if limit is not None and limit < 0:
            limit = 0.0
        found = sssp(self.graph.library(attribute, back), first, cutoff=limit, parents=False,
                     targets=None if target is None else [target],
                     **self.graph.how()).distances
        if limit is not None:
            far = math.inf if found.dtype.kind == "f" else NO_DISTANCE
            beyond = found > cutoff
            beyond[first] = False
            found[beyond] = far
        return found

    def reached(self, v: int) -> bool:
        distance = self.distances[v].item()
        return bool(distance != (math.inf if self.distances.dtype.kind == "f" else NO_DISTANCE))

    def dict(self) -> Dict[Any, Any]:
        return distances_of(self.graph, self.order, self.distances, self.whole)

    def paths(self, forward: bool = False) -> Any:
        return paths_of(self.graph, self.order, self.parents, forward)

    def path(self, v: int) -> List[Any]:
        found: List[Any] = walk.path(self.graph.nodes, self.parents, v, False)
        return found

    def distance(self, v: int) -> Any:
        return number_of(self.graph, self.distances, self.whole, v)


def not_negative(graph: NodeGraph, attribute: Any) -> None:
    weights = graph.weights(attribute)
    if weights is not None and weights.least < 0:
        raise NotImplementedError("Dijkstra's algorithm with a negative weight: what NetworkX "
                                  "returns or raises depends on the order of its steps")


def is_real(graph: NodeGraph, attribute: Any) -> bool:
    """Whether sums of the weights depend on the order in which they are added."""
    weights = graph.weights(attribute)
    return weights is not None and weights.real


def source_numbers(graph: NodeGraph, sources: Any) -> List[int]:
    if not sources:
        raise ValueError("sources must not be empty")
    return [end_of(graph, s, f"Node {s} not found in graph") for s in sources]


def dijkstra_path(G: NodeGraph, source: Any, target: Any, weight: Any = "weight") -> List[Any]:
    found: List[Any] = single_source_dijkstra(G, source, target=target, weight=weight)[1]
    return found


def dijkstra_path_length(G: NodeGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    first = end_of(G, source, f"Node {source} not found in graph")
    if source == target:
        return 0
    not_negative(G, weight)
    hash(target)
    last = G.find(target)
    if last >= 0 and not is_real(G, weight):  # integers are the same from both sides
        way = between(G, first, last, weight)
        if way is not None:
            return way[0]
    elif last >= 0:
        found = Settled(G, [first], weight, target=last, order=False, parents=False)
        if found.reached(last):
            return found.distance(last)
    raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")


def single_source_dijkstra_path(G: NodeGraph, source: Any, cutoff: Any = None,
                                weight: Any = "weight") -> Any:
    return multi_source_dijkstra_path(G, {source}, cutoff=cutoff, weight=weight)


def single_source_dijkstra_path_length(G: NodeGraph, source: Any, cutoff: Any = None,
                                       weight: Any = "weight") -> Dict[Any, Any]:
    return multi_source_dijkstra_path_length(G, {source}, cutoff=cutoff, weight=weight)


def single_source_dijkstra(G: NodeGraph, source: Any, target: Any = None, cutoff: Any = None,
                           weight: Any = "weight") -> Any:
    return multi_source_dijkstra(G, {source}, cutoff=cutoff, target=target, weight=weight)


def multi_source_dijkstra_path(G: NodeGraph, sources: Any, cutoff: Any = None,
                               weight: Any = "weight") -> Any:
    return Settled(G, source_numbers(G, sources), weight, cutoff).paths()


def multi_source_dijkstra_path_length(G: NodeGraph, sources: Any, cutoff: Any = None,
                                      weight: Any = "weight") -> Dict[Any, Any]:
    return Settled(G, source_numbers(G, sources), weight, cutoff, parents=False).dict()


def multi_source_dijkstra(G: NodeGraph, sources: Any, target: Any = None, cutoff: Any = None,
                          weight: Any = "weight") -> Any:
    numbers = source_numbers(G, sources)
    if target in sources:
        return 0, [target]
    if target is None:
        found = Settled(G, numbers, weight, cutoff)
        return found.dict(), found.paths()
    not_negative(G, weight)
    last = G.find(target)
    if last >= 0:
        found = Settled(G, numbers, weight, cutoff, last)
        if found.reached(last):
            return found.distance(last), found.path(last)
    raise nx.NetworkXNoPath(f"No path to {target}.")


def dijkstra_predecessor_and_distance(G: NodeGraph, source: Any, cutoff: Any = None,
                                      weight: Any = "weight") -> Any:
    first = end_of(G, source, f"Node {source} is not found in the graph")
    found = Settled(G, [first], weight, cutoff)
    tails, heads, sums = scanned_arcs(found)
    if cutoff is not None:
        near = sums <= cutoff
        tails, heads, sums = tails[near], heads[near], sums[near]
    place = np.empty(len(G.nodes), np.int64)
    place[found.order] = np.arange(len(found.order))
    tight = sums == found.distances[heads]
    there, before = place[heads[tight]], tails[tight]
    starts = np.zeros(len(found.order) + 1, np.uint32)
    np.cumsum(np.bincount(there, minlength=len(found.order)), out=starts[1:])
    lists = walk.lists(G.nodes, before[np.argsort(there, kind="stable")], starts)
    # A node is in NetworkX's dict from the first time that it is seen, at whatever distance.
    every = np.concatenate((found.order[:1], heads))
    seen = every[np.sort(np.unique(every, return_index=True)[1])]
    pred = {node: lists[i] for node, i in zip(walk.take(G.nodes, seen), place[seen].tolist())}
    return pred, found.dict()


def scanned_arcs(found: Settled) -> Tuple[Any, Any, Any]:
    """All arcs in the order in which they are looked at: tail, head, distance over this arc."""
    rows, order = found.rows, found.order
    sizes = (rows.offsets[1:] - rows.offsets[:-1])[order]
    begins = np.cumsum(sizes) - sizes
    arcs = np.arange(sizes.sum()) + np.repeat(rows.offsets[order] - begins, sizes)
    tails = np.repeat(order, sizes)
    costs = 1 if found.weights is None else found.weights[arcs]
    return tails, rows.targets[arcs], found.distances[tails] + costs


def bidirectional_dijkstra(G: NodeGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    first = end_of(G, source, f"Source {source} is not in G")
    last = end_of(G, target, f"Target {target} is not in G")
    if source == target:
        return 0, [source]
    found = between(G, first, last, weight)
    if found is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return found[0], [G.nodes[v] for v in found[1]]


def between(graph: NodeGraph, first: int, last: int, attribute: Any) -> Any:
    """What NetworkX's two-sided search finds: the distance and the path, in numbers; or None."""
    not_negative(graph, attribute)
    out = *graph.out, graph.arc_weights(attribute), graph.arc_kinds(attribute)
    into = *graph.into, graph.arc_weights(attribute, True), graph.arc_kinds(attribute, True)
    space = graph.take_space()
    found = walk.between(out, into, first, last, space)
    graph.give_space(space)
    return found


# Bellman and Ford.


class Relaxed:
    """What NetworkX's Bellman-Ford algorithm finds; `found` is a vertex of a negative cycle."""

    def __init__(self, graph: NodeGraph, sources: List[int], attribute: Any, heuristic: bool = True,
                 back: bool = False) -> None:
        self.graph = graph
        rows = graph.into if back and graph.directed else graph.out
        weights = graph.arc_weights(attribute, back)
        n = len(graph.nodes)
        real = weights is not None and weights.dtype.kind == "f"
        self.distances = np.empty(n, np.float64 if real else np.int64)
        self.whole = np.empty(n, np.uint8) if real else None
        order = np.empty(n, np.uint32)
        count, self.found, starts, items = walk.relax(
            rows.offsets, rows.targets, weights, np.array(sources, np.uint32), heuristic,
            self.distances, order, graph.arc_kinds(attribute, back), self.whole)
        self.order = order[:count]
        self.starts, self.items = np.frombuffer(starts, np.uint32), np.frombuffer(items, np.uint32)

    def checked(self) -> Relaxed:
        if self.found is not None:
            raise nx.NetworkXUnbounded("Negative cycle detected.")
        return self

    def dict(self) -> Dict[Any, Any]:
        return distances_of(self.graph, self.order, self.distances, self.whole)

    def parents(self) -> Any:
        """The first predecessor of each; they form trees."""
        n = len(self.graph.nodes)
        some = self.starts[1:] > self.starts[:-1]
        found = np.full(n, NO_VERTEX, np.uint32)
        found[some] = self.items[self.starts[:-1][some]]
        return found

    def lists(self) -> Dict[Any, List[Any]]:
        """All predecessors, in the order of discovery."""
        every = walk.lists(self.graph.nodes, self.items, self.starts)
        return dict(zip(walk.take(self.graph.nodes, self.order),
                        [every[v] for v in self.order.tolist()]))

    def place(self, target: Any) -> int:
        """The number of a node that was reached, or -1."""
        hash(target)
        number = self.graph.find(target)
        return number if number >= 0 and bool((self.order == number).any()) else -1

    def tree(self, source: int) -> Any:
        found = self.parents()
        found[source] = NO_VERTEX  # on a cycle of weight 0 it has predecessors
        return found


def has_negative_loop(graph: NodeGraph, attribute: Any) -> bool:
    """Whether a self-loop is negative."""
    weights = graph.arc_weights(attribute)
    if weights is None:
        return False
    tails = np.repeat(np.arange(len(graph.nodes), dtype=np.uint32), np.diff(graph.out.offsets))
    return bool((weights[tails == graph.out.targets] < 0).any())


def bellman_ford_predecessor_and_distance(
    G: NodeGraph, source: Any, target: Any = None, weight: Any = "weight", heuristic: bool = False,
) -> Any:
    first = end_of(G, source, f"Node {source} is not found in the graph")
    if has_negative_loop(G, weight):
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    if len(G) == 1:
        return {source: []}, {source: 0}
    found = Relaxed(G, [first], weight, heuristic).checked()
    return found.lists(), found.dict()


def from_source(graph: NodeGraph, source: Any, weight: Any) -> Relaxed:
    hash(source)
    first = end_of(graph, source, f"Source {source} not in G")
    return Relaxed(graph, [first], weight).checked()


def bellman_ford_path(G: NodeGraph, source: Any, target: Any, weight: Any = "weight") -> List[Any]:
    found: List[Any] = single_source_bellman_ford(G, source, target=target, weight=weight)[1]
    return found


def bellman_ford_path_length(G: NodeGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    if source == target:
        end_of(G, source, f"Node {source} not found in graph")
        return 0
    found = from_source(G, source, weight)
    last = found.place(target)
    if last < 0:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}")
    return number_of(G, found.distances, found.whole, last)


def single_source_bellman_ford_path(G: NodeGraph, source: Any, weight: Any = "weight") -> Any:
    return single_source_bellman_ford(G, source, weight=weight)[1]


def single_source_bellman_ford_path_length(G: NodeGraph, source: Any,
                                           weight: Any = "weight") -> Dict[Any, Any]:
    return from_source(G, source, weight).dict()


def single_source_bellman_ford(G: NodeGraph, source: Any, target: Any = None,
                               weight: Any = "weight") -> Any:
    if source == target:
        end_of(G, source, f"Node {source} is not found in the graph")
        return 0, [source]
    found = from_source(G, source, weight)
    tree = found.tree(G.find(source))
    if target is None:
        return found.dict(), tree_paths(G, found.order, tree)
    last = found.place(target)
    if last < 0:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return (number_of(G, found.distances, found.whole, last),
            walk.path(G.nodes, tree, last, False))


def tree_paths(graph: NodeGraph, order: Any, tree: Any, forward: bool = False) -> Any:
    """Paths in this order, in which a parent may come after its child: the making of paths wants
    it before."""
    place = np.empty(len(graph.nodes), np.int64)
    place[order] = np.arange(len(order))
    below = order[tree[order] != NO_VERTEX]
    if bool((place[tree[below]] < place[below]).all()):
        return paths_of(graph, order, tree, forward)
    made = paths_of(graph, topological(order, tree), tree, forward)
    nodes = walk.take(graph.nodes, order)
    if isinstance(made, dict):
        return {node: made[node] for node in nodes}
    made.arrange(nodes)
    return made


def topological(order: Any, tree: Any) -> Any:
    """The vertices of `order`, parents first: by their depth."""
    depth = np.zeros(len(tree), np.int64)
    ends, hop = order, tree[order]
    while True:
        going = hop != NO_VERTEX
        ends, hop = ends[going], hop[going]
        if not len(ends):
            return order[np.argsort(depth[order], kind="stable")]
        depth[ends] += 1
        hop = tree[hop]


def goldberg_radzik(G: NodeGraph, source: Any, weight: Any = "weight") -> Any:
    first = end_of(G, source, f"Node {source} is not found in the graph")
    if has_negative_loop(G, weight):
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    if len(G) == 1:
        return {source: None}, {source: 0}
    found = Relaxed(G, [first], weight).checked()
    tree = found.tree(first)[found.order].tolist()
    nodes = walk.take(G.nodes, found.order)
    pred = {node: None if parent == NO_VERTEX else G.nodes[parent]
            for node, parent in zip(nodes, tree)}
    return pred, found.dict()


def negative_edge_cycle(G: NodeGraph, weight: Any = "weight", heuristic: bool = True) -> bool:
    weights = G.weights(weight)
    if not len(G.out.targets) or weights is None or weights.least >= 0:
        return False
    if not G.directed:
        return True  # there and back
    try:
        sssp(G.library(weight), np.arange(len(G.nodes), dtype=np.uint32), parents=False,
             **G.how())
    except NegativeCycleError:
        return True
    return False


def find_negative_cycle(G: NodeGraph, source: Any, weight: Any = "weight") -> List[Any]:
    first = end_of(G, source, f"Source {source} not in G")
    found = Relaxed(G, [first], weight)
    if found.found is None:
        raise nx.NetworkXError("No negative cycles detected.")
    cycle = cycle_through(found, found.found)
    if cycle is not None:
        return [G.nodes[v] for v in cycle]
    raise NotImplementedError("a negative cycle that NetworkX's search does not close")


def cycle_through(found: Relaxed, v: int) -> Optional[List[int]]:
    """NetworkX's search backwards along predecessors, from v to v."""
    def before(u: int) -> List[int]:
        chosen: List[int] = found.items[found.starts[u]:found.starts[u + 1]].tolist()
        return chosen

    cycle: List[int] = []
    stack: List[Tuple[int, List[int]]] = [(v, before(v))]
    seen = {v}
    while stack:
        node, preds = stack[-1]
        if v in preds:
            cycle.extend([node, v])
            return cycle[::-1]
        if preds:
            neighbor = preds.pop()
            if neighbor not in seen:
                stack.append((neighbor, before(neighbor)))
                cycle.append(node)
                seen.add(neighbor)
        else:
            stack.pop()
            if not cycle:
                return None
            cycle.pop()
    return None


# From every source.


# Weights that cannot be used are found before the first `next`: there NetworkX can still turn to
# its own code.


def all_pairs_dijkstra(G: NodeGraph, cutoff: Any = None, weight: Any = "weight") -> Iterator[Any]:
    not_negative(G, weight)
    return ((node, (found.dict(), found.paths()))
            for node, found in every_source(G, cutoff, weight))


def all_pairs_dijkstra_path_length(G: NodeGraph, cutoff: Any = None,
                                   weight: Any = "weight") -> Iterator[Any]:
    not_negative(G, weight)
    return ((node, found.dict()) for node, found in every_source(G, cutoff, weight, parents=False))


def all_pairs_dijkstra_path(G: NodeGraph, cutoff: Any = None,
                            weight: Any = "weight") -> Iterator[Any]:
    not_negative(G, weight)
    return ((node, found.paths()) for node, found in every_source(G, cutoff, weight))


FIRST_ROWS = 8  # that are computed one by one, for those who want no more
BLOCK_BYTES = 2**26  # of distances that are there at once


def every_source(graph: NodeGraph, cutoff: Any, weight: Any,
                 parents: bool = True) -> Iterator[Tuple[Any, Settled]]:
    """From each node in turn. Who goes on after the first few gets the distances of many, found
    in parallel."""
    block: Any = None
    first = 0
    for number, node in enumerate(graph.nodes):
        if cutoff is None and number == FIRST_ROWS or block is not None and \
                number - first == len(block):
            block, first = distances_from(graph, weight, number), number
        yield node, Settled(graph, [number], weight, cutoff, parents=parents,
                            given=None if block is None else block[number - first])


def distances_from(graph: NodeGraph, weight: Any, number: int) -> Any:
    """Rows of distances from this vertex on: all, or as many as fit a block."""
    not_negative(graph, weight)
    n = len(graph.nodes)
    rows = max(BLOCK_BYTES // (8 * n), 1)
    if rows >= n:
        return apsp(graph.library(weight), variant=same_bits(graph, weight),
                    **graph.how(n)).distances[number:]
    return apsp(graph.library(weight), variant="dijkstra", **graph.how(rows),
                sources=np.arange(number, min(number + rows, n), dtype=np.uint32)).distances


def same_bits(graph: NodeGraph, attribute: Any) -> Optional[str]:
    """The variant of all pairs that adds up distances as NetworkX's searches do."""
    weights = graph.weights(attribute)
    if weights is None or not weights.real:
        return None
    return "johnson" if weights.least < 0 else "dijkstra"


def all_pairs_bellman_ford_path_length(G: NodeGraph, weight: Any = "weight") -> Iterator[Any]:
    G.weights(weight)
    return ((node, single_source_bellman_ford_path_length(G, node, weight=weight))
            for node in G.nodes)


def all_pairs_bellman_ford_path(G: NodeGraph, weight: Any = "weight") -> Iterator[Any]:
    G.weights(weight)
    return ((node, single_source_bellman_ford_path(G, node, weight=weight)) for node in G.nodes)
