# SPDX-License-Identifier: Apache-2.0
"""What kind of graph it is: trees, forests, bipartite, Eulerian, aperiodic. By components, searches
and degrees."""

from __future__ import annotations

from typing import Any

import networkx as nx  # type: ignore[import-untyped]
import numpy as np

from .. import bfs, components
from .measured import all_reach_all
from .nodes import NodeGraph
from .results import Search, limit_of
from .unweighted import count_components, is_one_component


def simple(graph: NodeGraph) -> None:
    if graph.multigraph:
        raise NotImplementedError("parallel edges are one edge here, and they would count")


def loops_of(graph: NodeGraph) -> Any:
    """Which arcs are loops."""
    tails = np.repeat(np.arange(len(graph.nodes), dtype=np.uint32), np.diff(graph.out.offsets))
    return tails == graph.out.targets


def edge_count(graph: NodeGraph) -> int:
    arcs = len(graph.out.targets)
    return arcs if graph.directed else (arcs + int(loops_of(graph).sum())) // 2


def degrees_of(graph: NodeGraph) -> Any:
    """Of an undirected graph; a loop counts twice."""
    loops = np.bincount(graph.out.targets[loops_of(graph)], minlength=len(graph.nodes))
    return np.diff(graph.out.offsets) + loops


# Trees.


def some_nodes(graph: NodeGraph) -> None:
    simple(graph)
    if not graph.nodes:
        raise nx.NetworkXPointlessConcept("G has no nodes.")


def is_tree(G: NodeGraph) -> bool:
    some_nodes(G)
    return len(G) - 1 == edge_count(G) and count_components(G) == 1


def is_forest(G: NodeGraph) -> bool:
    some_nodes(G)
    return edge_count(G) == len(G) - count_components(G)


def one_arc_in(graph: NodeGraph) -> bool:
    return bool(np.diff(graph.into.offsets).max() <= 1)


def is_arborescence(G: NodeGraph) -> bool:
    return is_tree(G) and one_arc_in(G)


def is_branching(G: NodeGraph) -> bool:
    return is_forest(G) and one_arc_in(G)


# Two colours.


def is_bipartite(G: NodeGraph) -> bool:
    if not len(G.out.targets):
        return True
    graph = G.library()
    labels = components(graph, **G.how()).labels
    roots = np.flatnonzero(labels == np.arange(len(labels), dtype=np.uint32))
    levels = bfs(graph.symmetrize(**G.how()) if G.directed else graph, roots, parents=False,
                 **G.how()).levels
    tails = np.repeat(levels, np.diff(G.out.offsets))
    return bool(((tails ^ levels[G.out.targets]) & 1).all())


# Walks along every edge.


def is_eulerian(G: NodeGraph) -> bool:
    simple(G)
    if not G.directed:
        return bool((degrees_of(G) % 2 == 0).all()) and is_one_component(G)
    if not np.array_equal(np.diff(G.out.offsets), np.diff(G.into.offsets)):
        return False
    return is_strongly_connected(G)


def is_strongly_connected(G: NodeGraph) -> bool:
    if not G.nodes:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return all_reach_all(G)


def has_eulerian_path(G: NodeGraph, source: Any = None) -> bool:
    if is_eulerian(G):
        return True
    number = None if source is None else G.find(source)
    if number is not None and number < 0:
        raise NotImplementedError("the source is not a node")
    if not G.directed:
        odd = degrees_of(G) % 2
        return (number is None or odd[number] == 1) and int(odd.sum()) == 2 and is_one_component(G)
    more_out = np.diff(G.out.offsets) - np.diff(G.into.offsets)
    if number is not None and more_out[number] != 1:
        return False
    ends = int((more_out == -1).sum()), int((more_out == 1).sum())
    if sum(ends) != int((more_out != 0).sum()):
        return False
    return max(ends) <= 1 and is_one_component(G)


def is_semieulerian(G: NodeGraph) -> bool:
    return has_eulerian_path(G) and not is_eulerian(G)


# Lengths of cycles.


def is_aperiodic(G: NodeGraph) -> bool:
    if not G.directed:
        raise nx.NetworkXError("is_aperiodic not defined for undirected graphs")
    if not G.nodes:
        raise nx.NetworkXPointlessConcept("Graph has no nodes.")
    if not all_reach_all(G):
        raise nx.NetworkXError("Graph is not strongly connected.")
    levels = Search(G.out, [0], limit_of(None), parents=False).levels(len(G.nodes))
    spans = np.repeat(levels, np.diff(G.out.offsets)) - levels[G.out.targets] + 1
    return bool(np.gcd.reduce(spans, initial=0) == 1)
