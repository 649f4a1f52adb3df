# SPDX-License-Identifier: Apache-2.0
"""Views of NetworkX's graphs: subgraphs, reversed and undirected ones, filtered ones, and views of
views.

A view has a cache of its own, which a change of the graph behind it does not clear, and a filter
may answer otherwise each time. So nothing is kept for a view: every call converts it anew.

NetworkX's mappings ask Python functions about every node and edge that is looked at. A conversion
looks at each once, so they are asked once here, and the answers are plain dicts, which the
extension walks. Their order is the order of the view."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import Any, Dict, Iterator, NamedTuple, Optional, Tuple

import networkx as nx  # type: ignore[import-untyped]
from networkx.classes.coreviews import (  # type: ignore[import-untyped]
    FilterAdjacency, FilterMultiAdjacency, UnionAdjacency)
from networkx.classes.filters import no_filter  # type: ignore[import-untyped]

SMALL_PART = 8  # a view that shows less than an eighth of the nodes gets rows of its own
NO_ARCS: Dict[Any, Any] = {}


@contextmanager
def collecting_paused() -> Iterator[None]:
    """No garbage is collected while a large result is made: all of it lives, and to look at it
    again and again takes longer than to make it."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def is_view(graph: Any) -> bool:
    """Whether a graph of NetworkX shows the contents of another."""
    return isinstance(graph, nx.Graph) and getattr(graph, "_graph", None) is not None


def edge_filter(adjacency: Any, graph: Any) -> Tuple[Any, Any]:
    """The function that is asked about edges, or None, and the graph behind this filter. Arcs
    against their direction have one that turns them round and asks the graph's own."""
    while graph is not None and not hasattr(graph, "_EDGE_OK"):
        graph = getattr(graph, "_graph", None)  # which hands on what it shows
    asked = adjacency.EDGE_OK if graph is None else graph._EDGE_OK
    return None if asked is no_filter else adjacency.EDGE_OK, getattr(graph, "_graph", None)


def is_quick(graph: Any) -> bool:
    """Whether to convert a graph or view takes less than to search it: no function is asked about
    each of its edges, and they stand in dicts."""
    adjacency = graph._adj
    while type(adjacency) in (FilterAdjacency, FilterMultiAdjacency):
        asked, graph = edge_filter(adjacency, graph)
        if asked is not None:
            return False
        adjacency = adjacency._atlas
    return type(adjacency) is dict


class Flat(NamedTuple):
    """The adjacency of a graph as dicts of dicts."""

    rows: Any
    #: Both directions of an undirected edge are sure to be the same, as in a graph itself.
    symmetric: bool
    #: The first so many rows are shown, and in them the arcs between these; None: all.
    shown: Optional[int]


def flattened(adjacency: Any, graph: Any, whole_rows: bool = True) -> Flat:
    """The adjacency of a graph, or of a view, as dicts of dicts; as it is where it is of another
    kind. `whole_rows`: rows may have arcs to nodes that are not shown, which saves making dicts."""
    kind = type(adjacency)
    with collecting_paused():
        if kind in (FilterAdjacency, FilterMultiAdjacency):
            return filtered(adjacency, graph, whole_rows and kind is FilterAdjacency)
        if kind is UnionAdjacency:
            return Flat(united(adjacency, graph), False, None)
    return Flat(adjacency, kind is dict, None)


def filtered(adjacency: Any, graph: Any, whole_rows: bool) -> Flat:
    edge_ok, behind = edge_filter(adjacency, graph)
    base, symmetric, _ = flattened(adjacency._atlas, behind, whole_rows and edge_ok is None)
    order = list(adjacency)
    shown = set(order)
    if type(adjacency) is FilterMultiAdjacency:
        return Flat({u: parallel(u, base[u], adjacency.NODE_OK, shown, edge_ok) for u in order},
                    symmetric and edge_ok is None, None)
    if edge_ok is not None:
        return Flat({u: {v: data for v, data in base[u].items() if v in shown and edge_ok(u, v)}
                     for u in order}, False, None)
    if not whole_rows or type(base) is not dict or SMALL_PART * len(order) < len(base):
        return Flat({u: {v: data for v, data in base[u].items() if v in shown}
                     for u in order}, symmetric, None)
    rows = {u: base[u] for u in order}
    for u in base:
        rows.setdefault(u, NO_ARCS)
    return Flat(rows, symmetric, len(order))


def parallel(u: Any, row: Any, node_ok: Any, shown: Any, edge_ok: Any) -> Any:
    """A row of a multigraph: where few nodes are shown NetworkX takes them in the order of their
    set."""
    chosen = getattr(node_ok, "nodes", None)
    ends = row
    if chosen is not None and 2 * len(chosen) < len(row):
        ends = [v for v in chosen if v in row]
    if edge_ok is None:
        return {v: row[v] for v in ends if v in shown}
    found = {v: {key: data for key, data in row[v].items() if edge_ok(u, v, key)}
             for v in ends if v in shown}
    return {v: keys for v, keys in found.items() if keys}


def united(adjacency: Any, graph: Any) -> Any:
    """A directed graph seen as undirected."""
    behind = getattr(graph, "_graph", None)
    out, into = (flattened(side, behind, False).rows
                 for side in (adjacency._succ, adjacency._pred))
    made = {}
    for u, row in out.items():
        back = into[u]
        made[u] = {v: row[v] if v in row else back[v] for v in set(row.keys()) | set(back.keys())}
    return made
