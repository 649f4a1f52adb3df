# SPDX-License-Identifier: Apache-2.0
"""NetworkX's two functions that are many: by what is given and by method."""

from __future__ import annotations

from typing import Any

from . import unweighted, weighted
from .nodes import NodeGraph
from .unweighted import end_of, lengths_from, paths_from
from .weighted import Relaxed, Settled, tree_paths


def method_of(weight: Any, method: Any) -> Any:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    return "unweighted" if weight is None else method


def to_target(graph: NodeGraph, target: Any, weight: Any, method: str, paths: bool) -> Any:
    """Paths or distances from all nodes to one: a search against the edges."""
    text = f"Node {target} not found in graph" if method == "dijkstra" else None
    last = end_of(graph, target, text or (f"Source {target} is not in G"
                                          if method == "unweighted" and not paths
                                          else f"Source {target} not in G"))
    if method == "unweighted":
        if paths:
            return paths_from(graph, graph.into, last, None, True)
        return lengths_from(graph, graph.into, last, None)
    if method == "dijkstra":
        settled = Settled(graph, [last], weight, back=True, parents=paths)
        return settled.paths(forward=True) if paths else settled.dict()
    relaxed = Relaxed(graph, [last], weight, back=True).checked()
    if paths:
        return tree_paths(graph, relaxed.order, relaxed.tree(last), forward=True)
    return relaxed.dict()


def shortest_path(G: NodeGraph, source: Any = None, target: Any = None, weight: Any = None,
                  method: str = "dijkstra") -> Any:
    method = method_of(weight, method)
    if source is None and target is None:
        if method == "unweighted":
            return unweighted.all_pairs_shortest_path(G)
        if method == "dijkstra":
            return weighted.all_pairs_dijkstra_path(G, weight=weight)
        return weighted.all_pairs_bellman_ford_path(G, weight=weight)
    if source is None:
        return to_target(G, target, weight, method, True)
    if target is None:
        if method == "unweighted":
            return unweighted.single_source_shortest_path(G, source)
        if method == "dijkstra":
            return weighted.single_source_dijkstra_path(G, source, weight=weight)
        return weighted.single_source_bellman_ford_path(G, source, weight=weight)
    if method == "unweighted":
        return unweighted.bidirectional_shortest_path(G, source, target)
    if method == "dijkstra":
        return weighted.bidirectional_dijkstra(G, source, target, weight)[1]
    return weighted.bellman_ford_path(G, source, target, weight)


def shortest_path_length(G: NodeGraph, source: Any = None, target: Any = None, weight: Any = None,
                         method: str = "dijkstra") -> Any:
    method = method_of(weight, method)
    if source is None and target is None:
        if method == "unweighted":
            return unweighted.all_pairs_shortest_path_length(G)
        if method == "dijkstra":
            return weighted.all_pairs_dijkstra_path_length(G, weight=weight)
        return weighted.all_pairs_bellman_ford_path_length(G, weight=weight)
    if source is None:
        return to_target(G, target, weight, method, False)
    if target is None:
        if method == "unweighted":
            return unweighted.single_source_shortest_path_length(G, source)
        if method == "dijkstra":
            return weighted.single_source_dijkstra_path_length(G, source, weight=weight)
        return weighted.single_source_bellman_ford_path_length(G, source, weight=weight)
    if method == "unweighted":
        return len(unweighted.bidirectional_shortest_path(G, source, target)) - 1
    if method == "dijkstra":
        return weighted.dijkstra_path_length(G, source, target, weight)
    return weighted.bellman_ford_path_length(G, source, target, weight)
