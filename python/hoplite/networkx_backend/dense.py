# SPDX-License-Identifier: Apache-2.0
"""Shortest paths between all pairs, and what is measured by them."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any, Callable, Dict, List, Optional, Tuple

import networkx as nx  # type: ignore[import-untyped]
import numpy as np

from .. import NegativeCycleError, apsp, apsp_rows, sssp
from .._speed import walk
from .measured import all_reach_all, measured
from .nodes import EXACT, NO_VERTEX, SINCE_3_7, NodeGraph
from .shapes import degrees_of
from .unweighted import is_one_component
from .views import collecting_paused
from .weighted import every_source, not_negative, same_bits, tree_paths

CYCLE = "with a negative cycle NetworkX's numbers depend on the order of its steps"
ROUNDED = 1e-9  # of the largest distance: what sums of floats may be off by


def matrix_of(graph: NodeGraph, attribute: Any) -> Any:
    """All distances; what is not reached is NO_DISTANCE or infinite."""
    if not graph.nodes:
        return np.empty((0, 0))
    try:
        found = apsp(graph.library(attribute), **graph.how(len(graph.nodes))).distances
    except NegativeCycleError:
        raise negative_cycle(graph, attribute) from None
    if may_hide_cycle(graph, attribute, found):
        raise NotImplementedError("a cycle whose sum is 0, or negative, by how it is rounded")
    return found


def negative_cycle(graph: NodeGraph, attribute: Any) -> Exception:
    """What becomes of a negative cycle: NetworkX 3.7 raises, unless rounding hides it."""
    weights = graph.weights(attribute)
    if SINCE_3_7 and weights is not None and not weights.real:
        made: Exception = nx.NetworkXUnbounded("Negative cycle detected.")
        return made
    return NotImplementedError(CYCLE)


def may_hide_cycle(graph: NodeGraph, attribute: Any, matrix: Any) -> bool:
    """Whether a cycle has a sum so near 0 that NetworkX 3.7, which adds in another order, may take
    it for a negative one."""
    weights = graph.weights(attribute)
    if not SINCE_3_7 or weights is None or not weights.real or weights.least >= 0:
        return False
    largest = np.abs(matrix[np.isfinite(matrix)]).max()
    around = matrix + matrix.T
    np.fill_diagonal(around, math.inf)
    return bool(around.min() <= ROUNDED * largest)


def as_floats(matrix: Any) -> Any:
    if matrix.dtype.kind == "f":
        return matrix
    found = matrix.astype(np.float64)
    found[matrix == np.iinfo(matrix.dtype).max] = math.inf
    return found


def floyd_warshall_numpy(G: NodeGraph, nodelist: Any = None, weight: Any = "weight") -> Any:
    if nodelist is not None and not len(nodelist) == len(G) == len(set(nodelist)):
        raise nx.NetworkXError("nodelist must contain every node in G with no repeats."
                               "If you wanted a subgraph of G use G.subgraph(nodelist)")
    numbers = None if nodelist is None else [G.find(node) for node in nodelist]
    if numbers is not None and min(numbers, default=0) < 0:
        raise NotImplementedError("nodelist has nodes that the graph has not")
    found = as_floats(matrix_of(G, weight))
    return found if numbers is None else found[np.ix_(numbers, numbers)]


def infinity() -> float:
    return math.inf


def edge_order(graph: NodeGraph, u: int) -> Any:
    """The neighbours of u in the order in which NetworkX comes to them. Before 3.7 it went through
    G.edges: there an undirected edge comes with its earlier end."""
    ends = graph.out.targets[graph.out.offsets[u]:graph.out.offsets[u + 1]]
    if graph.directed or SINCE_3_7:
        return ends
    return np.concatenate((np.sort(ends[ends < u]), ends[ends >= u]))


class Table:
    """Distances as NetworkX's Floyd-Warshall algorithm returns them: integers where all weights
    are, and 0 from a node to itself; floats else. A missing weight is 1.0 there before 3.7."""

    def __init__(self, graph: NodeGraph, attribute: Any) -> None:
        weights = graph.weights(attribute)
        self.graph = graph
        self.whole = SINCE_3_7 if weights is None else not (
            weights.real or weights.missing and not SINCE_3_7)
        if self.whole and weights is not None and \
                len(graph.nodes) * max(abs(weights.least), abs(weights.most)) > EXACT:
            raise NotImplementedError("distances above 2**53")
        self.rest = np.empty(len(graph.nodes), bool)

    def order(self, u: int) -> Any:
        """u, its neighbours, all others in the graph's order; since 3.7 the neighbours come first,
        and u too if it is one."""
        ends = edge_order(self.graph, u)
        self.rest[:] = True
        self.rest[u] = False
        self.rest[ends] = False
        others = np.flatnonzero(self.rest)
        if not SINCE_3_7:
            return np.concatenate(([u], ends[ends != u], others)).astype(np.uint32)
        own = [] if u in ends else [u]
        return np.concatenate((ends, own, others)).astype(np.uint32)

    def row(self, u: int, distances: Any) -> Any:
        whole = (np.isfinite(distances).astype(np.uint8) if self.whole
                 else np.zeros(len(distances), np.uint8))
        whole[u] = 1
        found: Any = defaultdict(infinity)
        found.update(walk.table(self.graph.nodes, self.order(u), distances, whole, "d"))
        return found


def floyd_warshall(G: NodeGraph, weight: Any = "weight") -> Dict[Any, Any]:
    table = Table(G, weight)
    matrix = as_floats(matrix_of(G, weight))
    with collecting_paused():
        return {node: table.row(u, matrix[u]) for u, node in enumerate(G.nodes)}


def floyd_warshall_predecessor_and_distance(G: NodeGraph, weight: Any = "weight") -> Any:
    table = Table(G, weight)
    dist, pred = {}, {}
    weights = G.weights(weight)
    if SINCE_3_7 and weights is not None and weights.real and weights.least < 0:
        matrix_of(G, weight)  # which looks for cycles
    with collecting_paused():
        for u, node in enumerate(G.nodes):
            distances, parents = tree_from(G, u, weight)
            dist[node] = table.row(u, as_floats(distances))
            pred[node] = predecessors(G, u, parents)
    return {G.nodes[u]: pred[G.nodes[u]] for u in with_edges(G)}, dist


def tree_from(graph: NodeGraph, u: int, attribute: Any) -> Tuple[Any, Any]:
    try:
        found = sssp(graph.library(attribute), u, **graph.how())
    except NegativeCycleError:
        raise negative_cycle(graph, attribute) from None
    return found.distances, found.parents


def with_edges(graph: NodeGraph) -> List[int]:
    """Vertices that have edges: in their order, but for undirected graphs before 3.7 in the order
    in which G.edges comes to them."""
    n = len(graph.nodes)
    tails = np.repeat(np.arange(n, dtype=np.uint32), np.diff(graph.out.offsets))
    if not graph.directed and not SINCE_3_7:
        once = graph.out.targets >= tails
        tails = np.stack((tails[once], graph.out.targets[once]), axis=1).ravel()
    first = np.sort(np.unique(tails, return_index=True)[1])
    found: List[int] = tails[first].tolist()
    return found


def predecessors(graph: NodeGraph, u: int, parents: Any) -> Dict[Any, Any]:
    """The node before each node that u reaches, neighbours first; a self-loop counts."""
    ends = edge_order(graph, u)
    others = parents != NO_VERTEX
    others[u] = False
    others[ends] = False
    order = np.concatenate((ends, np.flatnonzero(others))).astype(np.uint32)
    return dict(zip(walk.take(graph.nodes, order), walk.take(graph.nodes, parents[order])))


def johnson(G: NodeGraph, weight: Any = "weight") -> Dict[Any, Any]:
    weights = G.weights(weight)
    if weights is None or weights.least >= 0:
        with collecting_paused():
            return {node: found.paths() for node, found in every_source(G, None, weight)}
    numbers = np.arange(len(G.nodes), dtype=np.uint32)
    try:
        sssp(G.library(weight), numbers, parents=False, **G.how())
    except NegativeCycleError:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from None
    with collecting_paused():
        return {node: paths_by_distance(G, u, weight) for u, node in enumerate(G.nodes)}


def paths_by_distance(graph: NodeGraph, u: int, weight: Any) -> Any:
    """The paths from u, whatever the sign of the weights; u comes first."""
    distances, parents = tree_from(graph, u, weight)
    order = np.argsort(distances, kind="stable").astype(np.uint32)
    order = order[parents[order] != NO_VERTEX]
    parents[u] = NO_VERTEX
    first = np.concatenate((np.array([u], np.uint32), order[order != u]))
    return tree_paths(graph, first, parents)


# Sums of all distances.


def by_rows(graph: NodeGraph, attribute: Any, use: Callable[[Any], None]) -> None:
    """Hands blocks of rows of distances to a function."""
    def block(_first: int, rows: Any) -> None:
        use(rows)

    apsp_rows(graph.library(attribute), block, variant=same_bits(graph, attribute),
              **graph.how(len(graph.nodes)))


METHODS = ("unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy")


def average_shortest_path_length(G: NodeGraph, weight: Any = None, method: Any = None) -> Any:
    if method is None:
        method = "unweighted" if weight is None else "dijkstra"
    if method not in METHODS:
        raise ValueError(f"method not supported: {method}")
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length")
    if n == 1:
        return 0
    if not all_reach_all(G):
        raise nx.NetworkXError("Graph is not strongly connected." if G.directed
                               else "Graph is not connected.")
    attribute = None if method == "unweighted" else weight
    if method == "dijkstra":
        not_negative(G, attribute)
    weights = G.weights(attribute)
    if weights is None:  # then no sum is beyond 64 bits
        return (1 if G.directed else 2) * measured(G, "wiener", None) / (n * (n - 1))
    total: List[Any] = []

    def use(rows: Any) -> None:
        if rows.dtype.kind == "f":
            total.append(rows.sum().item())
        else:  # in two halves: the sum of all may need more than 64 bits
            total.append((int((rows >> 32).sum()) << 32) + int((rows & 0xffffffff).sum()))

    try:
        by_rows(G, attribute, use)
    except NegativeCycleError:
        if method == "bellman-ford":
            raise nx.NetworkXUnbounded("Negative cycle detected.") from None
        raise NotImplementedError(CYCLE) from None
    return sum(total) / (n * (n - 1))


def sum_of(graph: NodeGraph, attribute: Any, most: int, part: Callable[[int, Any], Any]) -> Any:
    """The sum of what `part(first, rows)` makes of blocks of distances; it may make at most
    `most` of the largest distance per pair."""
    not_negative(graph, attribute)
    weights = graph.weights(attribute)
    real = weights is not None and weights.real
    n = len(graph.nodes)
    if not real and most * (1 if weights is None else weights.most) * n * n >= 2**62:
        raise NotImplementedError("sums that may not fit 64 bits")
    total: List[Any] = []

    def block(first: int, rows: Any) -> None:
        total.append(part(first, rows).item())

    apsp_rows(graph.library(attribute), block, variant=same_bits(graph, attribute),
              **graph.how(n))
    return sum(total)


def degrees_for(graph: NodeGraph) -> Any:
    if "weight" in graph:
        raise NotImplementedError("NetworkX takes a node of this name for something else")
    return degrees_of(graph)


def schultz_index(G: NodeGraph, weight: Any = None) -> Any:
    if not is_one_component(G):
        return math.inf
    degrees = degrees_for(G)
    most = 2 * int(degrees.max()) * len(G)
    return 2 * sum_of(G, weight, most, lambda first, rows: degrees[first:first + len(rows)] @
                      rows.sum(axis=1)) / 2


def gutman_index(G: NodeGraph, weight: Any = None) -> Any:
    if not is_one_component(G):
        return math.inf
    degrees = degrees_for(G)
    most = int(degrees.max())**2 * len(G)
    return sum_of(G, weight, most, lambda first, rows: degrees[first:first + len(rows)] @
                  (rows @ degrees)) / 2


def hyper_wiener_index(G: NodeGraph, weight: Any = None) -> Any:
    if not is_one_component(G):
        return math.inf
    weights = G.weights(weight)
    most = 2 * len(G)**2 * (1 if weights is None else max(int(weights.most), 1))
    return sum_of(G, weight, most, lambda first, rows: (rows + rows**2).sum()) / 2
