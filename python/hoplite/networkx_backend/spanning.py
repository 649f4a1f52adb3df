# SPDX-License-Identifier: Apache-2.0
"""Minimum and maximum spanning forests. NetworkX sorts its edges by weight, equal ones in the order
in which it has them; so the library gets them in that order, as a list, and takes the same ones."""

from __future__ import annotations

from typing import Any, Iterator, Tuple

import numpy as np

from .._spanning import forest_of_edges
from .nodes import NodeGraph


def forest(graph: NodeGraph, weight: Any, algorithm: Any, maximum: bool) -> Tuple[Any, Any]:
    """Both ends of the forest's edges, in the order of their weights."""
    if algorithm != "kruskal":
        raise NotImplementedError("other algorithms take equal edges in another order")
    if graph.directed or graph.multigraph:
        raise NotImplementedError("the graph is directed, or has parallel edges")
    values = graph.arc_weights(weight)
    tails = np.repeat(np.arange(len(graph), dtype=np.uint32), np.diff(graph.out.offsets))
    once = tails < graph.out.targets
    tails, heads = tails[once], graph.out.targets[once]
    values = None if values is None else values[once]
    places = forest_of_edges(tails, heads, values, len(graph), maximum, **graph.how())
    if values is not None:
        held = values[places]
        places = places[np.argsort(-held if maximum else held, kind="stable")]
    return tails[places].tolist(), heads[places].tolist()


def spanning_edges(graph: NodeGraph, weight: Any, algorithm: Any, data: Any,
                   maximum: bool) -> Iterator[Any]:
    rows = graph.original()._adj if data else None
    nodes = graph.nodes
    ends = zip(*forest(graph, weight, algorithm, maximum))
    if rows is None:
        return ((nodes[u], nodes[v]) for u, v in ends)
    return ((nodes[u], nodes[v], rows[nodes[u]][nodes[v]]) for u, v in ends)


def minimum_spanning_edges(G: NodeGraph, algorithm: Any = "kruskal", weight: Any = "weight",
                           keys: bool = True, data: Any = True,
                           ignore_nan: bool = False) -> Iterator[Any]:
    return spanning_edges(G, weight, algorithm, data, False)


def maximum_spanning_edges(G: NodeGraph, algorithm: Any = "kruskal", weight: Any = "weight",
                           keys: bool = True, data: Any = True,
                           ignore_nan: bool = False) -> Iterator[Any]:
    return spanning_edges(G, weight, algorithm, data, True)


def spanning_tree(graph: NodeGraph, weight: Any, algorithm: Any, maximum: bool) -> Any:
    """With all attributes of the graph, its nodes and the edges."""
    given = graph.original()
    edges = spanning_edges(graph, weight, algorithm, True, maximum)
    made = given.__class__()
    made.graph.update(given.graph)
    made.add_nodes_from(given.nodes.items())
    made.add_edges_from(edges)
    return made


def minimum_spanning_tree(G: NodeGraph, weight: Any = "weight", algorithm: Any = "kruskal",
                          ignore_nan: bool = False) -> Any:
    return spanning_tree(G, weight, algorithm, False)


def maximum_spanning_tree(G: NodeGraph, weight: Any = "weight", algorithm: Any = "kruskal",
                          ignore_nan: bool = False) -> Any:
    return spanning_tree(G, weight, algorithm, True)
