# SPDX-License-Identifier: Apache-2.0
"""Strong components. The library finds them; the order in which NetworkX yields them is that in
which a depth-first search leaves the last node of each, so one such search, in NetworkX's order,
gives it."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List

import networkx as nx  # type: ignore[import-untyped]
import numpy as np

from .. import strong_components
from .._orders import left_in_turn
from .._speed import walk
from .nodes import NodeGraph, Rows


class Strong:
    """`numbers[v]` is the place of v's component in NetworkX's order. An arc between two components
    leads to one that comes before."""

    def __init__(self, graph: NodeGraph, rows: Rows, last_first: bool = False) -> None:
        labels = strong_components(graph.library(), **graph.how()).labels
        self.count, numbers = left_in_turn(*rows, labels)
        self.numbers = np.uint32(self.count - 1) - numbers if last_first else numbers

    def sets(self, graph: NodeGraph) -> List[Any]:
        members = np.argsort(self.numbers, kind="stable").astype(np.uint32)
        starts = np.zeros(self.count + 1, np.uint32)
        np.cumsum(np.bincount(self.numbers, minlength=self.count), out=starts[1:])
        found: List[Any] = walk.sets(graph.nodes, members, starts)
        return found

    def between(self, graph: NodeGraph) -> Any:
        """Arcs between components, in the order of the graph's edges."""
        tails = np.repeat(self.numbers, np.diff(graph.out.offsets))
        heads = self.numbers[graph.out.targets]
        crosses = tails != heads
        return tails[crosses], heads[crosses]


def strongly_connected_components(G: NodeGraph) -> Iterator[Any]:
    if G.nodes:
        yield from Strong(G, G.out).sets(G)


def number_strongly_connected_components(G: NodeGraph) -> int:
    return strong_components(G.library(), **G.how()).count if G.nodes else 0


def kosaraju_strongly_connected_components(G: NodeGraph, source: Any = None) -> Iterator[Any]:
    if source is not None:
        raise NotImplementedError("source asks for the components of a part of the graph")
    members = Strong(G, G.into, last_first=True).sets(G) if G.nodes else []
    return (component for component in members)


def condensation(G: NodeGraph, scc: Any = None) -> Any:
    if scc is not None:
        raise NotImplementedError("scc has the components already")
    made = nx.DiGraph()
    mapping: Dict[Any, int] = {}
    made.graph["mapping"] = mapping
    if not G.nodes:
        return made
    found = Strong(G, G.out)
    members = found.sets(G)
    for i, component in enumerate(members):
        mapping.update((node, i) for node in component)
    made.add_nodes_from((i, {"members": component}) for i, component in enumerate(members))
    tails, heads = found.between(G)
    once = np.sort(np.unique(tails * np.int64(found.count) + heads, return_index=True)[1])
    made.add_edges_from(zip(tails[once].tolist(), heads[once].tolist()))
    return made


# Components that no edge leaves.


def attracting(graph: NodeGraph, found: Strong) -> Any:
    """Which components."""
    closed = np.ones(found.count, bool)
    closed[found.between(graph)[0]] = False
    return np.flatnonzero(closed)


def attracting_components(G: NodeGraph) -> Iterator[Any]:
    if G.nodes:
        found = Strong(G, G.out)
        members = found.sets(G)
        yield from (members[i] for i in attracting(G, found))


def number_attracting_components(G: NodeGraph) -> int:
    return len(attracting(G, Strong(G, G.out))) if G.nodes else 0


def is_attracting_component(G: NodeGraph) -> bool:
    return number_strongly_connected_components(G) == 1


def is_semiconnected(G: NodeGraph) -> bool:
    if not G.nodes:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    found = Strong(G, G.out)
    tails, heads = found.between(G)
    follows = np.zeros(found.count, bool)
    follows[tails[tails == heads + 1]] = True
    return bool(follows[1:].all())
