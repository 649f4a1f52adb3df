# SPDX-License-Identifier: Apache-2.0
"""Random graphs, and every function of the backend on them against NetworkX: results with the
order of their keys, types of numbers, exceptions with their texts.

    random_graphs.py FIRST COUNT     compares the graphs of these seeds, up to a difference
"""

import collections
import itertools
import random
import sys
import types

import networkx as nx
import numpy as np

from hoplite import networkx_backend as backend


def random_nodes(rng, n):
    kind = rng.randrange(5)
    if kind == 0:
        return list(range(n))
    if kind == 1:
        return rng.sample(range(10 * n + 1), n)
    if kind == 2:
        return [f"v{i}" for i in rng.sample(range(n), n)]
    if kind == 3:
        return [(i % 3, i // 3) for i in range(n)]
    return [i if i % 2 else float(i) for i in range(n)]


def random_weight(rng, kind):
    if kind == "ints":
        return rng.randint(1, 6)
    if kind == "zeros":
        return rng.randint(0, 2)
    if kind == "floats":
        return rng.choice([0.1, 0.25, 0.7, 1.3, rng.random()])
    if kind == "mixed":
        return rng.choice([1, 2, 0.5, 1.5, 0, True])
    if kind == "negative":
        return rng.randint(-1, 9)
    return rng.choice([-0.5, 0.3, 1.25, 2.0, 3])


VIEWS, ALIASES = 1, 2  # seeds by their remainder: see random_graph
KINDS = ("ints", "zeros", "floats", "mixed", "negative", "negative floats")


def random_graph(seed):
    """(graph, kind of its weights): any of NetworkX's four classes, with self-loops, isolated
    nodes, parallel edges and missing weights, or a view of a part of one, whose adjacency is no
    dict, or a copy with neighbours that equal nodes without being the same objects."""
    rng = random.Random(seed)
    graph = rng.choice([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])()
    n = rng.choice([0, 1, 2, 3, 5, 8, 8, 13, 13, 21])
    kind = rng.choice(KINDS)
    missing = rng.choice([0, 0, 0.2])
    nodes = random_nodes(rng, n)
    graph.add_nodes_from(nodes)
    if n:
        for _ in range(rng.randrange(3 * n + 1)):
            u, v = rng.choice(nodes), rng.choice(nodes)
            if rng.random() < missing:
                graph.add_edge(u, v)
            else:
                graph.add_edge(u, v, w=random_weight(rng, kind))
    if seed % 7 == VIEWS:
        graph = graph.subgraph(rng.sample(nodes, n - n // 4))
    elif seed % 7 == ALIASES and n > 1 and not isinstance(nodes[0], (str, tuple)):
        graph.add_edge(float(nodes[0]), float(nodes[1]), w=random_weight(rng, kind))
    return graph, kind


def consumed(value):
    """Generators as lists of what they yield, the exception that ended them included."""
    if isinstance(value, (types.GeneratorType, zip)):
        return "yields", [consumed(item) for item in value]
    if isinstance(value, nx.Graph):
        return ("graph", list(value.nodes(data=True)), list(value.edges(data=True)),
                value.is_directed(), value.graph)
    if isinstance(value, np.ndarray):
        return "array", value
    if isinstance(value, collections.abc.Mapping):
        return "dict", [(key, consumed(item)) for key, item in value.items()]
    if isinstance(value, tuple):
        return tuple(consumed(item) for item in value)
    return value


def outcome(call):
    try:
        return consumed(call())
    except NotImplementedError as error:
        return "declined", str(error)
    except KeyError as error:  # a view of a subgraph has a text of its own
        return "raises", type(error), ""
    except Exception as error:  # whatever NetworkX raises
        return "raises", type(error), str(error)


def same(a, b, close, types_too):
    """Equal, in order; `close`: floats within rounding."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.shape == b.shape and a.dtype == b.dtype and \
            np.allclose(a, b, rtol=1e-12, atol=1e-12)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and \
            all(same(x, y, close, types_too) for x, y in zip(a, b))
    if isinstance(a, float) or isinstance(b, float):
        if types_too and type(a) is not type(b) and isinstance(a, (int, float)):
            return False
        if close and isinstance(a, (int, float)) and isinstance(b, (int, float)):
            return a == b or a != a and b != b or abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))
    return a == b


def calls_for(graph, rng):
    """(name, arguments, keywords, how it is compared) for every function."""
    nodes = list(graph)
    some = (lambda: rng.choice(nodes + ["missing"])) if nodes else (lambda: "missing")
    s, t, v = some(), some(), some()
    cutoff = rng.choice([None, None, 0, 1, 2, 1.5, 3])
    depth = rng.choice([None, None, 0, 1, 2])
    weight = rng.choice(["w", "w", "w", "w", None, "absent"])
    w = {"weight": weight}
    several = [some() for _ in range(rng.randrange(4))]
    if graph.is_directed():
        for name in ("weakly_connected_components", "number_weakly_connected_components",
                     "is_weakly_connected"):
            yield name, (), {}, "exact"
    else:
        for name in ("connected_components", "number_connected_components", "is_connected"):
            yield name, (), {}, "exact"
        yield "node_connected_component", (s,), {}, "exact"
    yield "bfs_edges", (s,), {"reverse": rng.random() < 0.5, "depth_limit": depth}, "exact"
    yield "bfs_tree", (s,), {"reverse": rng.random() < 0.5, "depth_limit": depth}, "exact"
    yield "bfs_predecessors", (s,), {"depth_limit": depth}, "exact"
    yield "bfs_successors", (s,), {"depth_limit": depth}, "exact"
    yield "bfs_layers", (rng.choice([s, several]),), {}, "exact"
    yield "descendants_at_distance", (s, rng.choice([0, 1, 2, 3.0, -1])), {}, "exact"
    yield "descendants", (s,), {}, "exact"
    yield "ancestors", (s,), {}, "exact"
    for name in ("single_source_shortest_path", "single_source_shortest_path_length",
                 "single_target_shortest_path", "single_target_shortest_path_length"):
        yield name, (s,), {"cutoff": cutoff}, "exact"
    yield "all_pairs_shortest_path", (), {"cutoff": cutoff}, "exact"
    yield "all_pairs_shortest_path_length", (), {"cutoff": cutoff}, "exact"
    yield "bidirectional_shortest_path", (s, t), {}, "exact"
    yield "has_path", (s, t), {}, "exact"
    yield "predecessor", (s,), {"cutoff": cutoff, "return_seen": rng.random() < 0.5}, "exact"
    yield "predecessor", (s, t), {"return_seen": rng.random() < 0.5}, "exact"
    for name in ("single_source_dijkstra", "single_source_dijkstra_path",
                 "single_source_dijkstra_path_length", "dijkstra_predecessor_and_distance"):
        yield name, (s,), {"cutoff": cutoff, **w}, "exact"
    yield "single_source_dijkstra", (s, t), {"cutoff": cutoff, **w}, "exact"
    yield "dijkstra_path", (s, t), w, "exact"
    yield "dijkstra_path_length", (s, t), w, "exact"
    yield "multi_source_dijkstra", (several, v), w, "exact"
    for name in ("multi_source_dijkstra", "multi_source_dijkstra_path",
                 "multi_source_dijkstra_path_length"):
        yield name, (several,), {"cutoff": cutoff, **w}, "exact"
    yield "bidirectional_dijkstra", (s, t), w, "exact"
    for name in ("single_source_bellman_ford", "single_source_bellman_ford_path",
                 "single_source_bellman_ford_path_length", "find_negative_cycle"):
        yield name, (s,), w, "exact"
    yield "single_source_bellman_ford", (s, t), w, "exact"
    yield "bellman_ford_path", (s, t), w, "exact"
    yield "bellman_ford_path_length", (s, t), w, "exact"
    yield "bellman_ford_predecessor_and_distance", (s,), {
        "heuristic": rng.random() < 0.5, **w}, "exact"
    yield "goldberg_radzik", (s,), w, "tree"
    if not nx.is_frozen(graph):  # NetworkX's adds a node for a while
        yield "negative_edge_cycle", (), w, "exact"
    yield "floyd_warshall", (), w, "close"
    yield "floyd_warshall_numpy", (), w, "close"
    yield "floyd_warshall_predecessor_and_distance", (), w, "floyd"
    yield "johnson", (), w, "johnson"
    for name in ("all_pairs_dijkstra", "all_pairs_dijkstra_path",
                 "all_pairs_dijkstra_path_length"):
        yield name, (), {"cutoff": cutoff, **w}, "exact"
    yield "all_pairs_bellman_ford_path", (), w, "exact"
    yield "all_pairs_bellman_ford_path_length", (), w, "exact"
    yield "eccentricity", (rng.choice([None, s, several]),), {"weight": weight}, "close"
    for name in ("diameter", "radius", "center", "periphery", "barycenter", "wiener_index"):
        yield name, (), {"weight": weight}, "close"
    if not graph.is_directed():
        yield "global_efficiency", (), {}, "close"
    yield "closeness_centrality", (), {"u": rng.choice([None, s]), "distance": weight,
                                       "wf_improved": rng.random() < 0.5}, "close"
    yield "harmonic_centrality", (), {"distance": weight}, "close"
    yield "average_shortest_path_length", (), {"weight": weight, "method": rng.choice(
        [None, "unweighted", "dijkstra", "bellman-ford", "floyd-warshall"])}, "close"
    method = rng.choice(["dijkstra", "bellman-ford", "other"])
    for source, target in ((s, t), (s, None), (None, t), (None, None)):
        keywords = {"source": source, "target": target, "weight": weight, "method": method}
        yield "shortest_path", (), keywords, "exact"
        yield "shortest_path_length", (), keywords, "exact"


def more_calls(graph, rng):
    """The same, of searches in depth, orders, all paths, shapes and sums."""
    nodes = list(graph)
    some = (lambda: rng.choice(nodes + ["missing"])) if nodes else (lambda: "missing")
    s, t = some(), some()
    weight = rng.choice(["w", "w", None, "absent"])
    several = [some() for _ in range(rng.randrange(4))]
    directed = graph.is_directed()
    for name in ("dfs_edges", "dfs_tree", "dfs_predecessors", "dfs_successors",
                 "dfs_preorder_nodes", "dfs_postorder_nodes"):
        yield name, (rng.choice([s, None]),), {
            "depth_limit": rng.choice([None, None, 0, 1, 2, 3, 2.5])}, "exact"
    yield "bfs_labeled_edges", (rng.choice([s, several]),), {}, "exact"
    for name in ("topological_sort", "topological_generations", "is_directed_acyclic_graph",
                 "is_tree", "is_forest", "is_bipartite", "is_eulerian",
                 "is_semieulerian"):
        yield name, (), {}, "exact"
    yield "has_eulerian_path", (rng.choice([s, None]),), {}, "exact"
    yield "transitive_closure", (rng.choice([False, False, True, None, 3]),), {}, "exact"
    if directed:
        for name in ("is_arborescence", "is_branching", "is_strongly_connected", "is_aperiodic",
                     "transitive_reduction", "strongly_connected_components",
                     "number_strongly_connected_components", "condensation",
                     "kosaraju_strongly_connected_components", "attracting_components",
                     "number_attracting_components", "is_attracting_component",
                     "is_semiconnected"):
            yield name, (), {}, "exact"
        yield "dag_longest_path", (), {"weight": weight}, "exact"
        yield "dag_longest_path_length", (), {"weight": weight}, "exact"
    else:
        yield "efficiency", (s, t), {}, "exact"
        for name in ("minimum_spanning_edges", "maximum_spanning_edges", "minimum_spanning_tree",
                     "maximum_spanning_tree"):
            yield name, (), {"weight": weight, "algorithm": "kruskal"}, "exact"
        if nodes:
            yield "local_efficiency", (), {}, "close"
        if not graph.is_multigraph():
            for name in ("schultz_index", "gutman_index", "hyper_wiener_index"):
                yield name, (), {"weight": weight}, "close"
    method = rng.choice(["dijkstra", "bellman-ford", "other"])
    how = {"weight": weight, "method": method}
    yield "all_shortest_paths", (s, t), how, "exact"
    yield "single_source_all_shortest_paths", (s,), how, "exact"
    if len(nodes) < 9:
        yield "all_pairs_all_shortest_paths", (), how, "exact"
    yield "betweenness_centrality", (), {"weight": weight, "normalized": rng.random() < 0.5,
                                         "k": rng.choice([None, None, len(nodes)])}, "close"
    yield "edge_betweenness_centrality", (), {"weight": weight, "normalized": rng.random() < 0.5,
                                              "k": rng.choice([None, len(nodes)])}, "close"
    yield "voronoi_cells", (several,), {"weight": weight}, "exact"
    yield "group_closeness_centrality", (several,), {"weight": weight}, "close"
    yield "harmonic_diameter", (), {"weight": weight}, "close"
    yield "global_reaching_centrality", (), {"weight": rng.choice([None, None, "w"])}, "close"
    yield "local_reaching_centrality", (s,), {"weight": rng.choice([None, None, "w"])}, "close"


def path_weight(graph, path, weight):
    cost = nx.algorithms.shortest_paths.weighted._weight_function(graph, weight)
    return sum(cost(u, v, graph[u][v]) for u, v in itertools.pairwise(path))


def valid_path(graph, mine, theirs, weight):
    """Of equal length, and from the same node to the same node."""
    if not isinstance(mine, list) or not isinstance(theirs, list) or "raises" in (mine[0],
                                                                                  theirs[0]):
        return mine == theirs
    return (mine[0], mine[-1]) == (theirs[0], theirs[-1]) and \
        same(path_weight(graph, mine, weight), path_weight(graph, theirs, weight), True, False)


def valid_tree(graph, mine, theirs, weight):
    """Predecessors and distances: the same distances, each explained by its predecessor."""
    if mine[0] == "raises" or theirs[0] == "raises":
        return mine == theirs
    (_, pred), (_, dist) = mine
    _, (_, expected) = theirs
    pred, dist, expected = dict(pred), dict(dist), dict(expected)
    return set(dist) == set(expected) == set(pred) and \
        all(same(dist[v], expected[v], True, False) for v in dist) and \
        all(u is None or same(dist[u] + path_weight(graph, [u, v], weight), dist[v], True, False)
            for v, u in pred.items())


def valid_floyd(graph, mine, theirs, weight):
    if mine[0] == "raises" or theirs[0] == "raises":
        return mine == theirs
    (_, pred), dist = mine
    (_, expected), expected_dist = theirs
    if not same(dist, expected_dist, True, False) or \
            [u for u, _ in pred] != [u for u, _ in expected]:
        return False
    away = {u: dict(row) for u, (_, row) in dist[1]}
    for (u, (_, row)), (_, (_, other)) in zip(pred, expected):
        if set(dict(row)) != set(dict(other)):
            return False
        for v, before in row:
            step = path_weight(graph, [before, v], weight) if v != u else 0
            if v != u and not same(away[u][before] + step, away[u][v], True, False):
                return False
    return True


def valid_johnson(graph, mine, theirs, weight):
    if mine[0] == "raises" or theirs[0] == "raises":
        return mine == theirs
    mine, theirs = dict(mine[1]), dict(theirs[1])
    return list(mine) == list(theirs) and all(
        set(dict(mine[u][1])) == set(dict(theirs[u][1])) and
        all(valid_path(graph, way, dict(theirs[u][1])[v], weight) for v, way in mine[u][1])
        for u in mine)


def agree(graph, mine, theirs, how, weight):
    if how in ("tree", "floyd", "johnson"):
        return {"tree": valid_tree, "floyd": valid_floyd, "johnson": valid_johnson}[how](
            graph, mine, theirs, weight)
    return same(mine, theirs, how == "close", how == "exact")


def compare(seed, tally):
    """All functions on the graph of one seed; a text about the first difference, or None."""
    graph, kind = random_graph(seed)
    rng = random.Random(seed + 1)
    held = {}
    listed = itertools.chain(calls_for(graph, rng), more_calls(graph, rng))
    for name, args, keywords, how in listed:
        weight = keywords.get("weight")
        if weight not in held:
            held[weight] = backend.convert_from_nx(
                graph, edge_attrs=None if weight is None else {weight: 1},
                preserve_edge_attrs=True, preserve_graph_attrs=True)
        answer = backend.can_run(name, (graph, *args), keywords)
        mine = ("declined", answer) if answer is not True else outcome(
            lambda: getattr(backend, name)(held[weight], *args, **keywords))
        if isinstance(mine, tuple) and mine and mine[0] == "declined":
            tally["declined", name] += 1
            continue
        theirs = outcome(lambda: getattr(nx, name)(graph, *args, backend="networkx", **keywords))
        tally["compared", name] += 1
        if seed % 7 == ALIASES and how == "exact":
            how = "equal"  # NetworkX may return the 1.0 of an edge, we the node 1
        if not agree(graph, mine, theirs, how, weight):
            return (f"seed {seed}, {type(graph).__name__}, weights {kind}:\n"
                    f"  {name}{args} {keywords}\n"
                    f"  backend:  {mine}\n  networkx: {theirs}\n  nodes {list(graph)}\n"
                    f"  edges {list(graph.edges(data='w'))}")
    return None


def main():
    first, count = int(sys.argv[1]), int(sys.argv[2])
    tally = collections.Counter()
    for seed in range(first, first + count):
        difference = compare(seed, tally)
        if difference:
            sys.exit(difference)
    for name in backend.FUNCTIONS:
        print(f"{name}: compared {tally['compared', name]}, declined {tally['declined', name]}")
    calls = sum(n for (what, _), n in tally.items() if what == "compared")
    print(f"{count} graphs, {calls} calls: no difference")


if __name__ == "__main__":
    main()
