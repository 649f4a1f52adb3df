# SPDX-License-Identifier: Apache-2.0
"""Components, breadth-first search, and shortest paths by number of edges.

Signatures, orders, exceptions and their texts are NetworkX's."""

from __future__ import annotations

import warnings
from typing import Any, Dict, Iterator, List

import networkx as nx  # type: ignore[import-untyped]
import numpy as np

from .. import components
from .._speed import walk
from . import results
from .nodes import SINCE_3_7, NodeGraph, Rows
from .results import Paths, Search, limit_of

# Components.


def component_sets(graph: NodeGraph) -> List[Any]:
    """Sets of nodes, in the order of their first nodes."""
    if not graph.nodes:
        return []
    result = components(graph.library(), **graph.how())
    if result.count == 1:
        return [set(graph.index)]  # which is quicker than adding one by one
    order = np.argsort(result.labels, kind="stable").astype(np.uint32)
    sizes = np.bincount(result.labels)
    starts = np.concatenate(([0], np.cumsum(sizes[sizes > 0]))).astype(np.uint32)
    found: List[Any] = walk.sets(graph.nodes, order, starts)
    return found


def count_components(graph: NodeGraph) -> int:
    return components(graph.library(), **graph.how()).count if graph.nodes else 0


def is_one_component(graph: NodeGraph) -> bool:
    if not graph.nodes:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return count_components(graph) == 1


def connected_components(G: NodeGraph) -> Iterator[Any]:
    yield from component_sets(G)


def number_connected_components(G: NodeGraph) -> int:
    return count_components(G)


def is_connected(G: NodeGraph) -> bool:
    return is_one_component(G)


def node_connected_component(G: NodeGraph, n: Any) -> Any:
    hash(n)
    source = G.find(n)
    if source < 0:
        raise KeyError(n)
    found = Search(G.out, [source], limit_of(None), parents=False)
    if len(found.order) == len(G.nodes):
        return set(G.index)
    return walk.sets(G.nodes, found.order, np.array([0, len(found.order)], np.uint32))[0]


def weakly_connected_components(G: NodeGraph) -> Iterator[Any]:
    yield from component_sets(G)


def number_weakly_connected_components(G: NodeGraph) -> int:
    return count_components(G)


def is_weakly_connected(G: NodeGraph) -> bool:
    return is_one_component(G)


# Breadth-first search.


def known(graph: NodeGraph, source: Any) -> int:
    """The number of a source of bfs_edges."""
    found = graph.find(source)
    if found < 0:
        hash(source)
        where = "digraph" if graph.directed else "graph"
        raise nx.NetworkXError(f"The node {source} is not in the {where}.")
    return found


def tree_of(graph: NodeGraph, source: Any, reverse: bool, depth_limit: Any,
            sort_neighbors: Any) -> Search:
    if sort_neighbors is not None:
        raise NotImplementedError("sort_neighbors is a function of nodes")
    root = known(graph, source)
    return Search(graph.into if reverse else graph.out, [root], limit_of(depth_limit))


def edges_of(graph: NodeGraph, found: Search) -> Iterator[Any]:
    """Pairs of parent and child in the order of the search."""
    children = found.order[1:]
    assert found.parents is not None
    return zip(walk.take(graph.nodes, found.parents[children]), walk.take(graph.nodes, children))


def bfs_edges(G: NodeGraph, source: Any, reverse: bool = False, depth_limit: Any = None,
              sort_neighbors: Any = None) -> Iterator[Any]:
    yield from edges_of(G, tree_of(G, source, reverse, depth_limit, sort_neighbors))


def bfs_tree(G: NodeGraph, source: Any, reverse: bool = False, depth_limit: Any = None,
             sort_neighbors: Any = None) -> Any:
    made = nx.DiGraph()
    made.add_node(source)
    made.add_edges_from(edges_of(G, tree_of(G, source, reverse, depth_limit, sort_neighbors)))
    return made


def bfs_predecessors(G: NodeGraph, source: Any, depth_limit: Any = None,
                     sort_neighbors: Any = None) -> Iterator[Any]:
    if SINCE_3_7:
        warnings.warn("\n\nbfs_predecessors is deprecated and will be removed in NetworkX 3.9\n"
                      "Use ``(t, s) for (s, t) in bfs_edges`` instead", DeprecationWarning,
                      stacklevel=2)
    for parent, child in edges_of(G, tree_of(G, source, False, depth_limit, sort_neighbors)):
        yield child, parent


def bfs_successors(G: NodeGraph, source: Any, depth_limit: Any = None,
                   sort_neighbors: Any = None) -> Iterator[Any]:
    found = tree_of(G, source, False, depth_limit, sort_neighbors)
    children = found.order[1:]
    if not len(children):
        yield source, []
        return
    assert found.parents is not None
    parents = found.parents[children]
    first = np.flatnonzero(np.concatenate(([True], parents[1:] != parents[:-1])))
    starts = np.append(first, len(children)).astype(np.uint32)
    yield from zip(walk.take(G.nodes, parents[first]), walk.lists(G.nodes, children, starts))


def bfs_layers(G: NodeGraph, sources: Any) -> Iterator[List[Any]]:
    if sources in G:
        sources = [sources]
    first = list(set(sources))
    numbers = [G.find(source) for source in first]
    for source, number in zip(first, numbers):
        if number < 0:
            raise nx.NetworkXError(f"The node {source} is not in the graph.")
    yield from walk.layers(*G.pinned, G.out.offsets, G.out.targets, np.array(numbers, np.uint32))


def descendants_at_distance(G: NodeGraph, source: Any, distance: Any) -> Any:
    number = G.find(source)
    if number < 0:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    found = Search(G.out, [number], limit_of(distance), parents=False)
    if distance not in range(len(found.starts) - 1):
        return set()
    level = int(distance)
    return set(walk.take(G.nodes, found.order[found.starts[level]:found.starts[level + 1]]))


def all_reached(graph: NodeGraph, rows: Rows, source: Any) -> Any:
    found = Search(rows, [known(graph, source)], limit_of(None), parents=False)
    return set(walk.take(graph.nodes, found.order[1:]))


def descendants(G: NodeGraph, source: Any) -> Any:
    return all_reached(G, G.out, source)


def ancestors(G: NodeGraph, source: Any) -> Any:
    return all_reached(G, G.into, source)


# Shortest paths by number of edges.


def lengths_from(graph: NodeGraph, rows: Rows, number: int, cutoff: Any) -> Dict[Any, int]:
    lengths: Dict[Any, int] = walk.near(graph.nodes, None, rows.offsets, rows.targets, number,
                                        limit_of(cutoff))
    return lengths


def paths_from(graph: NodeGraph, rows: Rows, number: int, cutoff: Any, forward: bool) -> Any:
    limit = limit_of(cutoff)
    made = walk.ways(graph.nodes, rows.offsets, rows.targets, number, limit, forward, results.MANY)
    if made is not None:
        return made
    found = Search(rows, [number], limit)
    return Paths(graph.nodes, found.order, found.parents, forward)


def end_of(graph: NodeGraph, node: Any, text: str) -> int:
    number = graph.find(node)
    if number < 0:
        raise nx.NodeNotFound(text)
    return number


def single_source_shortest_path_length(G: NodeGraph, source: Any,
                                       cutoff: Any = None) -> Dict[Any, int]:
    number = end_of(G, source, f"Source {source} is not in G")
    return lengths_from(G, G.out, number, cutoff)


def single_target_shortest_path_length(G: NodeGraph, target: Any,
                                       cutoff: Any = None) -> Dict[Any, int]:
    number = end_of(G, target, f"Target {target} is not in G")
    return lengths_from(G, G.into, number, cutoff)


def all_pairs_shortest_path_length(G: NodeGraph, cutoff: Any = None) -> Iterator[Any]:
    nodes, addresses = G.pinned
    for number, node in enumerate(nodes):
        yield node, walk.near(nodes, addresses, G.out.offsets, G.out.targets, number,
                              limit_of(cutoff))


def single_source_shortest_path(G: NodeGraph, source: Any, cutoff: Any = None) -> Any:
    number = end_of(G, source, f"Source {source} not in G")
    return paths_from(G, G.out, number, cutoff, False)


def single_target_shortest_path(G: NodeGraph, target: Any, cutoff: Any = None) -> Any:
    number = end_of(G, target, f"Target {target} not in G")
    return paths_from(G, G.into, number, cutoff, True)


def all_pairs_shortest_path(G: NodeGraph, cutoff: Any = None) -> Iterator[Any]:
    for number, node in enumerate(G.nodes):
        yield node, paths_from(G, G.out, number, cutoff, False)


def bidirectional_shortest_path(G: NodeGraph, source: Any, target: Any) -> List[Any]:
    first = end_of(G, source, f"Source {source} is not in G")
    last = end_of(G, target, f"Target {target} is not in G")
    space = G.take_space()
    way = walk.meet(G.out.offsets, G.out.targets, G.into.offsets, G.into.targets, first, last,
                    space.ends)
    G.give_space(space)
    if way is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return [G.nodes[v] for v in way]


def has_path(G: NodeGraph, source: Any, target: Any) -> bool:
    try:
        bidirectional_shortest_path(G, source, target)
    except nx.NetworkXNoPath:
        return False
    return True


def predecessor(G: NodeGraph, source: Any, target: Any = None, cutoff: Any = None,
                return_seen: Any = None) -> Any:
    number = end_of(G, source, f"Source {source} not in G")
    found = Search(G.out, [number], max(limit_of(cutoff), 1) if cutoff else limit_of(None), False)
    n, order = len(G.nodes), found.order
    levels = found.levels(n)
    if target is not None:
        last = G.find(target)
        seen = last >= 0 and bool(np.isin(last, order))
        before = tight_tails(G.out, order, levels, last) if seen else np.empty(0, np.uint32)
        chosen = walk.take(G.nodes, before)
        return (chosen, int(levels[last]) if seen else -1) if return_seen else chosen
    tails, starts = tight_lists(G.out, order, levels)
    pred = dict(zip(walk.take(G.nodes, order), walk.lists(G.nodes, tails, starts)))
    return (pred, walk.table(G.nodes, order, levels, None, "l")) if return_seen else pred


def scanned(rows: Rows, order: Any) -> Any:
    """Tails and heads of the arcs of these vertices, row after row."""
    sizes = (rows.offsets[1:] - rows.offsets[:-1])[order]
    begins = np.cumsum(sizes) - sizes
    arcs = np.arange(sizes.sum()) + np.repeat(rows.offsets[order] - begins, sizes)
    return np.repeat(order, sizes), rows.targets[arcs]


def tight_arcs(rows: Rows, order: Any, levels: Any) -> Any:
    """Arcs from one level to the next in the order in which the search looks at them: the place of
    the head in `order`, and the tail."""
    place = np.full(len(rows.offsets) - 1, -1, np.int64)
    place[order] = np.arange(len(order))
    tails, heads = scanned(rows, order)
    there = place[heads]
    good = there >= 0
    tails, heads, there = tails[good], heads[good], there[good]
    good = levels[heads] == levels[tails] + 1
    return there[good], tails[good]


def tight_lists(rows: Rows, order: Any, levels: Any) -> Any:
    """The tails of tight arcs, for each vertex in `order`, and where each list begins."""
    there, tails = tight_arcs(rows, order, levels)
    by_head = np.argsort(there, kind="stable")
    starts = np.zeros(len(order) + 1, np.uint32)
    np.cumsum(np.bincount(there, minlength=len(order)), out=starts[1:])
    return tails[by_head], starts


def tight_tails(rows: Rows, order: Any, levels: Any, head: int) -> Any:
    there, tails = tight_arcs(rows, order, levels)
    return tails[order[there] == head]

