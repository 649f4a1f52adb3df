# SPDX-License-Identifier: Apache-2.0
"""
All shortest paths of random graphs against NetworkX, igraph and NetworKit: directed and not, with
weights and without; their number, and the paths in lexicographic order. HOPLITE_TEST_GRAPHS: how
many; default 120.
"""

import os

import hoplite
import igraph
import networkit
import networkx as nx
import numpy as np
import pytest

GRAPHS = int(os.environ.get("HOPLITE_TEST_GRAPHS", "120"))
networkit.setNumberOfThreads(1)  # graphs are small


def random_graph(number):
    """(n, ends, weights or None, directed); weights are small, so that many paths are as long."""
    rng = np.random.default_rng([33, number])
    n, directed = int(rng.integers(1, 40)), bool(number % 2)
    made = nx.gnp_random_graph(n, min(1, rng.choice([.5, 1.2, 2, 4]) / n), seed=number,
                               directed=directed)
    ends = np.array(made.edges, np.uint32).reshape(-1, 2)
    return n, ends, rng.integers(1, 4, len(ends)) if number % 3 else None, directed


def in_networkx(n, ends, weights, directed, source):
    graph = nx.empty_graph(n, create_using=nx.DiGraph if directed else nx.Graph)
    graph.add_edges_from(ends.tolist())
    if weights is not None:
        graph.add_weighted_edges_from(
            (u, v, w) for (u, v), w in zip(ends.tolist(), weights.tolist()))
    weight = None if weights is None else "weight"
    return dict(nx.single_source_all_shortest_paths(graph, source, weight=weight))


def in_igraph(n, ends, weights, directed, source):
    graph = igraph.Graph(n, ends.tolist(), directed=directed)
    given = None if weights is None or len(weights) == 0 else weights.tolist()
    found = {}
    for path in graph.get_all_shortest_paths(source, weights=given, mode="out"):
        found.setdefault(path[-1], []).append(path)
    return found


def in_networkit(n, ends, weights, directed, source):
    """Without the source itself, to which it has no path."""
    graph = networkit.Graph(n, weighted=weights is not None, directed=directed)
    for i, (u, v) in enumerate(ends.tolist()):
        graph.addEdge(u, v, 1 if weights is None else int(weights[i]))
    kind = networkit.distance.BFS if weights is None else networkit.distance.Dijkstra
    search = kind(graph, source).run()
    found = {v: search.getPaths(v) for v in range(n) if v != source}
    for v, paths in found.items():
        assert len(paths) == (search.numberOfPaths(v) if paths else 0)
    return {source: [[source]], **{v: paths for v, paths in found.items() if paths}}


@pytest.mark.filterwarnings("ignore:Couldn't reach some:RuntimeWarning")
def test_paths():
    many = 0
    for number in range(GRAPHS):
        n, ends, weights, directed = random_graph(number)
        ours = hoplite.Graph.from_edges(ends, weights=weights, vertices=n, directed=directed)
        source = number % n
        found = hoplite.all_paths(ours, source, certify=number % 3 == 0)
        paths = {v: [path.tolist() for path in found.paths(v)] for v in range(n)}
        assert [found.count(v) for v in range(n)] == [len(paths[v]) for v in range(n)]
        reached = {v: some for v, some in paths.items() if some}
        many += sum(len(some) > 1 for some in reached.values())
        for ask in (in_networkx, in_igraph, in_networkit):
            right = ask(n, ends, weights, directed, source)
            assert reached == {v: sorted(some) for v, some in right.items()}, (number, ask)
    assert many > GRAPHS
