# SPDX-License-Identifier: Apache-2.0
"""All shortest paths, the kinds of edges that a search meets, and who is nearest."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Set

import networkx as nx  # type: ignore[import-untyped]
import numpy as np

from .._speed import walk
from . import unweighted, weighted
from .nodes import NO_VERTEX, SINCE_3_7, NodeGraph
from .results import Search, limit_of
from .unweighted import scanned
from .weighted import Settled, source_numbers


def predecessors_of(graph: NodeGraph, source: Any, weight: Any, method: Any) -> Dict[Any, Any]:
    found: Dict[Any, Any]
    if weight is None:
        found = unweighted.predecessor(graph, source)
    elif method == "dijkstra":
        found = weighted.dijkstra_predecessor_and_distance(graph, source, weight=weight)[0]
    elif method == "bellman-ford":
        found = weighted.bellman_ford_predecessor_and_distance(graph, source, weight=weight)[0]
    else:
        raise ValueError(f"method not supported: {method}")
    return found


def paths_back(source: Any, target: Any, before: Dict[Any, List[Any]]) -> Iterator[List[Any]]:
    """All simple paths to the target along predecessors, in NetworkX's order: the first
    predecessor of the target first, and so on from there. Where a cycle of weight 0 leads through
    the source, NetworkX yields a path again each time it comes back to it."""
    if target not in before:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    way, left = [target], [iter(before[target])]
    on_way: Set[Any] = {target}
    while way:
        if way[-1] == source:
            yield way[::-1]
        for following in left[-1]:
            if following not in on_way:
                way.append(following)
                left.append(iter(before[following]))
                on_way.add(following)
                break
            if not SINCE_3_7:  # which yields once more
                break
        else:
            left.pop()
            on_way.discard(way.pop())


def all_shortest_paths(G: NodeGraph, source: Any, target: Any, weight: Any = None,
                       method: Any = "dijkstra") -> Iterator[List[Any]]:
    return paths_back(source, target, predecessors_of(G, source, weight, method))


def single_source_all_shortest_paths(G: NodeGraph, source: Any, weight: Any = None,
                                     method: Any = "dijkstra") -> Iterator[Any]:
    usable(G, weight, method)
    return every_path(G, source, weight, method)


def usable(graph: NodeGraph, weight: Any, method: Any) -> None:
    """Found before the first item: there NetworkX can still turn to its own code."""
    if graph.weights(weight) is not None and method == "dijkstra":
        weighted.not_negative(graph, weight)


def every_path(graph: NodeGraph, source: Any, weight: Any, method: Any) -> Iterator[Any]:
    before = predecessors_of(graph, source, weight, method)
    for node in before:
        yield node, list(paths_back(source, node, before))


def all_pairs_all_shortest_paths(G: NodeGraph, weight: Any = None,
                                 method: Any = "dijkstra") -> Iterator[Any]:
    usable(G, weight, method)
    return ((node, dict(every_path(G, node, weight, method))) for node in G.nodes)


# Cells.


def roots_of(order: Any, parents: Any) -> Any:
    """For each of `order`, where its path begins."""
    roots = np.arange(len(parents))
    below = order[parents[order] != NO_VERTEX]
    roots[below] = parents[below]
    while True:
        following = roots[roots[below]]
        if np.array_equal(following, roots[below]):
            return roots[order]
        roots[below] = following


def voronoi_cells(G: NodeGraph, center_nodes: Any, weight: Any = "weight") -> Dict[Any, Any]:
    found = Settled(G, source_numbers(G, center_nodes), weight)
    centers = roots_of(found.order, found.parents)
    keys = centers[np.sort(np.unique(centers, return_index=True)[1])]
    place = np.empty(len(G.nodes), np.int64)
    place[keys] = np.arange(len(keys))
    starts = np.zeros(len(keys) + 1, np.uint32)
    np.cumsum(np.bincount(place[centers], minlength=len(keys)), out=starts[1:])
    members = found.order[np.argsort(place[centers], kind="stable")]
    cells = dict(zip(walk.take(G.nodes, keys.astype(np.uint32)),
                     walk.sets(G.nodes, members, starts)))
    if len(found.order) < len(G.nodes):
        beyond = np.ones(len(G.nodes), bool)
        beyond[found.order] = False
        cells["unreachable"] = set(walk.take(G.nodes, np.flatnonzero(beyond).astype(np.uint32)))
    return cells


# Kinds of edges.

KINDS = np.array(["tree", "level", "forward", "reverse"], object)
TREE, LEVEL, FORWARD, REVERSE, NEVER = range(5)


def bfs_labeled_edges(G: NodeGraph, sources: Any) -> Iterator[Any]:
    first = [sources] if sources in G else list(sources)
    numbers = [G.find(node) for node in first]
    if min(numbers, default=0) < 0:
        raise NotImplementedError("a source is not a node, which NetworkX finds on its way")
    found = Search(G.out, numbers, limit_of(None))
    levels = found.levels(len(G.nodes))
    place = np.empty(len(G.nodes), np.int64)
    place[found.order] = np.arange(len(found.order))
    tails, heads = scanned(G.out, found.order)
    assert found.parents is not None
    across = LEVEL if G.directed else np.where(place[heads] >= place[tails], LEVEL, NEVER)
    kinds = np.where(levels[tails] < levels[heads], FORWARD, REVERSE if G.directed else NEVER)
    kinds = np.where(levels[tails] == levels[heads], across, kinds)
    kinds[found.parents[heads] == tails] = TREE
    shown = kinds != NEVER
    return zip(walk.take(G.nodes, tails[shown]), walk.take(G.nodes, heads[shown]),
               KINDS[kinds[shown]].tolist())
