# SPDX-License-Identifier: Apache-2.0
"""Depth-first search, and orders of graphs without directed cycles.

The passes are in python/extension/walk_depth.c: they look at neighbours in NetworkX's order, from
which every order here follows."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List

import networkx as nx  # type: ignore[import-untyped]
import numpy as np

from .._speed import walk
from .nodes import NO_VERTEX, NodeGraph, Rows
from .results import Search, limit_of
from .unweighted import known

# Depth-first search.


class Deep:
    """A depth-first search. `order` has what was found, `post` what was left again."""

    def __init__(self, rows: Rows, roots: Any, limit: int, post: bool = False) -> None:
        n = len(rows.offsets) - 1
        order, self.parents = np.empty(n, np.uint32), np.empty(n, np.uint32)
        left = np.empty(n, np.uint32) if post else None
        found, gone = walk.deep(rows.offsets, rows.targets, roots, limit, order, self.parents, left)
        self.order = order[:found]
        self.post = None if left is None else left[:gone]

    def children(self) -> Any:
        """All but the roots."""
        return self.order[self.parents[self.order] != NO_VERTEX]


def every_root(graph: NodeGraph) -> Any:
    return np.arange(len(graph.nodes), dtype=np.uint32)


def deep_in(graph: NodeGraph, source: Any, depth_limit: Any, sort_neighbors: Any,
            post: bool = False) -> Deep:
    if sort_neighbors is not None:
        raise NotImplementedError("sort_neighbors is a function of nodes")
    roots = every_root(graph) if source is None else np.array([known(graph, source)], np.uint32)
    return Deep(graph.out, roots, limit_of(depth_limit), post)


def deep_edges(graph: NodeGraph, found: Deep) -> Iterator[Any]:
    children = found.children()
    return zip(walk.take(graph.nodes, found.parents[children]), walk.take(graph.nodes, children))


def dfs_edges(G: NodeGraph, source: Any = None, depth_limit: Any = None, *,
              sort_neighbors: Any = None) -> Iterator[Any]:
    yield from deep_edges(G, deep_in(G, source, depth_limit, sort_neighbors))


def dfs_tree(G: NodeGraph, source: Any = None, depth_limit: Any = None, *,
             sort_neighbors: Any = None) -> Any:
    found = deep_in(G, source, depth_limit, sort_neighbors)
    made = nx.DiGraph()
    made.add_nodes_from(G.nodes if source is None else [source])
    made.add_edges_from(deep_edges(G, found))
    return made


def dfs_predecessors(G: NodeGraph, source: Any = None, depth_limit: Any = None, *,
                     sort_neighbors: Any = None) -> Dict[Any, Any]:
    found = deep_in(G, source, depth_limit, sort_neighbors)
    children = found.children()
    return dict(zip(walk.take(G.nodes, children), walk.take(G.nodes, found.parents[children])))


def dfs_successors(G: NodeGraph, source: Any = None, depth_limit: Any = None, *,
                   sort_neighbors: Any = None) -> Dict[Any, List[Any]]:
    found = deep_in(G, source, depth_limit, sort_neighbors)
    children = found.children()
    parents = found.parents[children]
    keys = parents[np.sort(np.unique(parents, return_index=True)[1])]
    place = np.empty(len(G.nodes), np.int64)
    place[keys] = np.arange(len(keys))
    starts = np.zeros(len(keys) + 1, np.uint32)
    np.cumsum(np.bincount(place[parents], minlength=len(keys)), out=starts[1:])
    by_key = children[np.argsort(place[parents], kind="stable")]
    return dict(zip(walk.take(G.nodes, keys), walk.lists(G.nodes, by_key, starts)))


def there(graph: NodeGraph, source: Any) -> None:
    if source is not None and graph.find(source) < 0:
        raise NotImplementedError("NetworkX yields a source that is missing before it says so")


def dfs_preorder_nodes(G: NodeGraph, source: Any = None, depth_limit: Any = None, *,
                       sort_neighbors: Any = None) -> Iterator[Any]:
    there(G, source)
    found = deep_in(G, source, depth_limit, sort_neighbors)
    return (node for node in walk.take(G.nodes, found.order))


def dfs_postorder_nodes(G: NodeGraph, source: Any = None, depth_limit: Any = None, *,
                        sort_neighbors: Any = None) -> Iterator[Any]:
    there(G, source)
    found = deep_in(G, source, depth_limit, sort_neighbors, post=True)
    return (node for node in walk.take(G.nodes, found.post))


# Graphs without cycles.


class Peeled:
    """The generations of a directed graph: generation i is order[starts[i]:starts[i + 1]]. What is
    on a cycle, or behind one, has none."""

    def __init__(self, rows: Rows) -> None:
        n = len(rows.offsets) - 1
        order, starts = np.empty(n, np.uint32), np.empty(n + 1, np.uint32)
        levels = walk.peel(rows.offsets, rows.targets, order, starts)
        self.starts = starts[:levels + 1]
        self.order = order[:int(self.starts[-1])]
        self.acyclic = len(self.order) == n


def cyclic() -> Exception:
    made: Exception = nx.NetworkXUnfeasible(
        "Graph contains a cycle or graph changed during iteration")
    return made


def peeled(graph: NodeGraph) -> Peeled:
    if not graph.directed:
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    return Peeled(graph.out)


def topological_generations(G: NodeGraph) -> Iterator[List[Any]]:
    found = peeled(G)
    yield from walk.lists(G.nodes, found.order, found.starts)
    if not found.acyclic:
        raise cyclic()


def topological_sort(G: NodeGraph) -> Iterator[Any]:
    found = peeled(G)
    yield from walk.take(G.nodes, found.order)
    if not found.acyclic:
        raise cyclic()


def is_directed_acyclic_graph(G: NodeGraph) -> bool:
    return G.directed and Peeled(G.out).acyclic


def dag_path(graph: NodeGraph, attribute: Any) -> List[int]:
    """The longest path in numbers; of several the first that NetworkX meets."""
    if graph.multigraph:
        raise NotImplementedError("of parallel edges the heaviest counts here")
    weights = graph.arc_weights(attribute, True)
    found = Peeled(graph.out)
    if not found.acyclic:
        raise cyclic()
    n = len(graph.nodes)
    sums = np.empty(n, np.int64 if weights is None else weights.dtype)
    parents = np.empty(n, np.uint32)
    walk.longest(*graph.into, weights, found.order, sums, parents)
    path = [int(found.order[np.argmax(sums[found.order])])]
    while parents[path[-1]] != path[-1]:
        path.append(int(parents[path[-1]]))
    return path[::-1]


def usual(default_weight: Any, topo_order: Any = None) -> None:
    if topo_order is not None:
        raise NotImplementedError("topo_order has an order already")
    if type(default_weight) is not int or default_weight != 1:
        raise NotImplementedError("a default weight other than 1")


def dag_longest_path(G: NodeGraph, weight: Any = "weight", default_weight: Any = 1,
                     topo_order: Any = None) -> List[Any]:
    usual(default_weight, topo_order)
    return [G.nodes[v] for v in dag_path(G, weight)] if G.nodes else []


def dag_longest_path_length(G: NodeGraph, weight: Any = "weight", default_weight: Any = 1) -> Any:
    usual(default_weight)
    path = dag_path(G, weight) if G.nodes else []
    values, kinds = G.arc_weights(weight), G.arc_kinds(weight)
    if values is None:
        return max(len(path) - 1, 0)
    length: Any = 0
    for u, v in zip(path, path[1:]):
        begin, end = G.out.offsets[u], G.out.offsets[u + 1]
        arc = int(begin + np.flatnonzero(G.out.targets[begin:end] == v)[0])
        cost = values[arc].item()
        length += int(cost) if kinds is not None and kinds[arc] else cost
    return length


# Closure and reduction.


def heads_of(graph: NodeGraph, v: int) -> List[Any]:
    """What edges lead to that a breadth-first search from v looks at, in the order in which they
    are met: what it finds, and v itself where a cycle leads back."""
    found = Search(graph.out, [v], limit_of(None))
    met = found.order[1:]
    back = way_back(graph, v, found)
    if back is not None:
        u, arc = back
        place = np.empty(len(graph.nodes), np.int64)
        place[found.order] = np.arange(len(found.order))
        assert found.parents is not None
        tails = place[found.parents[met]]
        row = graph.out.targets[graph.out.offsets[u]:arc]
        before = int((tails < place[u]).sum()) + int(np.isin(met[tails == place[u]], row).sum())
        met = np.insert(met, before, v)
    nodes: List[Any] = walk.take(graph.nodes, met)
    return nodes


def way_back(graph: NodeGraph, v: int, found: Search) -> Any:
    """The first arc to v that is looked at: its tail and its place. An undirected edge is looked at
    once, so there only a loop is one."""
    into = graph.into.targets[graph.into.offsets[v]:graph.into.offsets[v + 1]]
    tails = into if graph.directed else into[into == v]
    known_ones = found.order[np.isin(found.order, tails)]
    if not len(known_ones):
        return None
    u = int(known_ones[0])
    begin, end = graph.out.offsets[u], graph.out.offsets[u + 1]
    return u, int(begin + np.flatnonzero(graph.out.targets[begin:end] == v)[0])


def transitive_closure(G: NodeGraph, reflexive: Any = False) -> Any:
    made = G.original().copy()
    if reflexive not in {None, True, False}:
        raise nx.NetworkXError("Incorrect value for the parameter `reflexive`")
    for v, node in enumerate(G.nodes):
        if reflexive is False:
            ends: Any = heads_of(G, v)
        else:
            found = Search(G.out, [v], limit_of(None), parents=False)
            ends = set(walk.take(G.nodes, found.order[1:]))
            ends = ends | {node} if reflexive else ends
        before = made._adj[node]
        made.add_edges_from([(node, end) for end in ends if end not in before])
    return made


def transitive_reduction(G: NodeGraph) -> Any:
    if not is_directed_acyclic_graph(G):
        raise nx.NetworkXError("Directed Acyclic Graph required for transitive_reduction")
    made = nx.DiGraph()
    made.add_nodes_from(G.nodes)
    offsets, targets = G.out
    for u, node in enumerate(G.nodes):
        row = targets[offsets[u]:offsets[u + 1]]
        kept = set(walk.take(G.nodes, row))
        if len(row) > 1:
            behind = np.concatenate([targets[offsets[v]:offsets[v + 1]] for v in row])
            found = Search(G.out, behind.tolist(), limit_of(None), parents=False)
            kept -= set(walk.take(G.nodes, row[np.isin(row, found.order)]))
        made.add_edges_from((node, end) for end in kept)
    return made
