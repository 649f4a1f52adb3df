# SPDX-License-Identifier: Apache-2.0
"""Where numbers leave 64 bits or 53, graphs change under the walk, and views are not what they say:
NetworkX's answer, or a reason, or an exception, never another answer and never a crash."""

import sys

import networkx as nx
import numpy as np
import pytest

from hoplite import networkx_backend as backend
from hoplite.networkx_backend import results
from hoplite._speed import compiled, walk
from hoplite.networkx_backend.unweighted import paths_from


def weighted(edges, directed=True):
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_weighted_edges_from(edges)
    return graph


def same(function, *arguments, **keywords):
    """By the backend as by NetworkX, types too; or declined."""
    expected = function(*arguments, **keywords)
    try:
        found = function(*arguments, backend="hoplite", **keywords)
    except NotImplementedError:
        return "declined"
    assert repr(plain(found)) == repr(plain(expected))
    return "equal"


def plain(value):
    """Dicts with defaults as dicts."""
    return {key: plain(each) for key, each in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("n", [3, 5, 9, 50])
@pytest.mark.parametrize("heuristic", [False, True])
def test_negative_cycles_whose_walks_leave_64_bits(n, heuristic):
    graph = nx.cycle_graph(n, create_using=nx.DiGraph)
    nx.set_edge_attributes(graph, -(2**61 // (n + 1)), "weight")
    with pytest.raises(nx.NetworkXUnbounded):
        nx.bellman_ford_predecessor_and_distance(graph, 0, heuristic=heuristic, backend="hoplite")


def test_sums_of_all_distances_may_need_more_than_64_bits():
    graph = nx.path_graph(10)
    nx.set_edge_attributes(graph, 2**57, "weight")
    assert same(nx.average_shortest_path_length, graph, weight="weight") == "equal"


@pytest.mark.parametrize("function", [
    nx.single_source_dijkstra_path_length, nx.single_source_bellman_ford_path_length])
def test_integers_among_floats_are_exact(function):
    large = weighted([(0, 1, 2**53), (1, 2, 1), (2, 3, 1), (5, 4, 0.5)])
    assert same(function, large, 0) == "declined"
    small = weighted([(0, 1, 2**50), (1, 2, 1), (2, 3, 1), (5, 4, 0.5)])
    assert same(function, small, 0) == "equal"


def test_the_least_integer_among_floats():
    graph = weighted([(0, 1, -2**63), (1, 2, 1), (5, 4, 0.5)])
    assert same(nx.single_source_bellman_ford_path_length, graph, 0) == "declined"


def test_floyd_warshall_of_large_negative_integers():
    graph = weighted([(0, 1, -2**53 - 1), (1, 2, 1)])
    assert same(nx.floyd_warshall, graph) == "declined"


@pytest.mark.parametrize("lightest,others", [
    (2.0**53, [2**53 + 1]), (2**53 - 1, [2.0**53]), (0.5, [1]), (0, [0.5]), (-1, [-0.5]),
    (-1.5, [-1]), (7, [1e300]), (-1e300, [7]), (5, [5.0])])
def test_the_lightest_of_parallel_edges_is_exact(lightest, others):
    for weights in ([lightest, *others], [*others, lightest] if others != [5.0] else [5, 5.0]):
        graph = nx.MultiDiGraph()
        graph.add_weighted_edges_from((0, 1, weight) for weight in weights)
        assert same(nx.single_source_bellman_ford_path_length, graph, 0) == "equal"


def test_weights_that_only_look_like_integers_are_declined():
    graph = nx.path_graph(3000)
    nx.set_edge_attributes(graph, np.array(1.5), "weight")
    assert same(nx.single_source_dijkstra_path_length, graph, 0) == "declined"
    nx.config.backend_priority = ["hoplite"]
    assert nx.single_source_dijkstra_path_length(graph, 0)[2999] == 2999 * 1.5


def test_a_cutoff_beyond_all_floats():
    graph = weighted([(0, 1, 5), (1, 2, 6)])
    for cutoff in (10**400, -10**400):
        assert same(nx.single_source_dijkstra_path_length, graph, 0, cutoff=cutoff) == "equal"


def test_what_cannot_be_hashed_is_no_node():
    graph = weighted([(0, 1, 5), (1, 2, 6)])
    for function in (nx.dijkstra_path_length, nx.bellman_ford_path_length, nx.bellman_ford_path):
        for how in ({}, {"backend": "hoplite"}):
            with pytest.raises(TypeError):
                function(graph, 0, [1], **how)
    for how in ({}, {"backend": "hoplite"}):
        with pytest.raises(nx.NetworkXError, match="not a valid node"):
            nx.eccentricity(nx.path_graph(4), v=[[1], 0], **how)


def test_undirected_views_with_two_weights_for_an_edge():
    both = weighted([(0, 1, 1), (1, 0, 5), (1, 2, 1)])
    view = both.to_undirected(as_view=True)
    assert same(nx.floyd_warshall, view) == "declined"
    equal = weighted([(0, 1, 3), (1, 0, 3), (1, 2, 1)]).to_undirected(as_view=True)
    assert same(nx.floyd_warshall, equal) == "equal"
    oneway = nx.subgraph_view(nx.path_graph(9), filter_edge=lambda u, v: u < v)
    assert same(nx.number_connected_components, oneway) == "declined"


def test_ties_that_two_halves_hide():
    """Large weights after small ones absorb what tells two paths apart."""
    graph = weighted([(0, 1, 1.0), (0, 2, 1.0000001), (1, 3, 1.0), (2, 3, 1.0), (3, 4, 1e17)])
    assert same(nx.bidirectional_dijkstra, graph, 0, 4) == "equal"


needs_extension = pytest.mark.skipif(not compiled, reason="without the extension")


@needs_extension
@pytest.mark.parametrize("counted", [2, 5])
def test_rows_of_a_graph_that_changed_are_not_given_up(counted):
    rows = [{}, {}, {}]
    before = [sys.getrefcount(row) for row in rows]
    with pytest.raises(RuntimeError, match="changed"):
        walk.rows(dict(enumerate(rows)), None, None, False, False, np.zeros(counted + 1, np.int64),
                  np.empty(0, np.uint32), None, None)
    assert [sys.getrefcount(row) for row in rows] == before


def test_a_weight_that_drops_itself():
    class Weight:
        def __index__(self):
            data.clear()
            return 2**70

    for graph in (nx.Graph(), nx.MultiGraph()):
        graph.add_edge(0, 1)
        data = graph[0][1] if not graph.is_multigraph() else graph[0][1][0]
        data["weight"] = Weight()
        found = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
        assert "64 bits" in found.attributes["weight"].reason


def test_nodes_that_become_equal():
    class Node:
        merged = False

        def __hash__(self):
            return 1

        def __eq__(self, other):
            return Node.merged or self is other

    nodes = [Node() for _ in range(6)]
    graph = nx.Graph()
    graph.add_edges_from((nodes[0], node) for node in nodes[1:])
    found = backend.convert_from_nx(graph)
    assert len(found.index) == 6
    Node.merged = True
    paths = paths_from(found, found.out, 0, None, False)
    assert list(paths.values()) == [[nodes[0], nodes[5]]]


def test_late_paths_go_backwards_as_dicts_do(monkeypatch):
    monkeypatch.setattr(results, "MANY", 0)
    graph = nx.path_graph(5)
    late = nx.single_source_shortest_path(graph, 0, backend="hoplite")
    plain = nx.single_source_shortest_path(graph, 0)
    assert isinstance(late, results.Paths) and list(reversed(late)) == list(reversed(plain))
    while plain:
        assert late.popitem() == plain.popitem()
    with pytest.raises(KeyError):
        late.popitem()


LAZY = ("all_pairs_dijkstra", "all_pairs_dijkstra_path", "all_pairs_dijkstra_path_length",
        "all_pairs_bellman_ford_path", "all_pairs_bellman_ford_path_length", "shortest_path",
        "shortest_path_length")


@pytest.mark.parametrize("weight", [-1, 2**70, None, 0.5 + 0j])
@pytest.mark.parametrize("kept", [False, True])
def test_what_is_lazy_declines_before_its_first_item(kept, weight):
    """Later NetworkX could not turn to its own code any more."""
    graph = nx.path_graph(26)
    nx.set_edge_attributes(graph, 1, "weight")
    graph[3][4]["weight"] = weight
    hidden = nx.subgraph_view(graph, filter_node=lambda v: v != 20)

    def said(function, view, keywords):
        try:
            return [(node, consumed(row)) for node, row in function(view, **keywords)]
        except Exception as error:  # NetworkX's own
            assert not isinstance(error, NotImplementedError)
            return type(error), str(error)

    def consumed(row):
        return [dict(part) if isinstance(part, dict) else part for part in row] \
            if isinstance(row, tuple) else dict(row)

    for name in LAZY:
        for view in (graph, hidden):
            ways = ({"method": "dijkstra"}, {"method": "bellman-ford"}) \
                if name.startswith("shortest") else ({},)
            for how in ways:
                keywords = {"weight": "weight", **how}
                nx.config.backend_priority = []
                theirs = said(getattr(nx, name), view, keywords)
                nx.config.backend_priority = ["hoplite"]
                with nx.config(cache_converted_graphs=kept):
                    assert said(getattr(nx, name), view, keywords) == theirs, name
