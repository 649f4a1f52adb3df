# SPDX-License-Identifier: Apache-2.0
"""Searches between two nodes: NetworkX's own answers, ties included; whether a graph is converted
for them follows from how many were asked for; declining and repeating cost next to nothing."""

import random
import sys
import threading

import networkx as nx
import numpy as np
import pytest

from hoplite import networkx_backend as backend
from hoplite.networkx_backend import deciding
from hoplite.networkx_backend.nodes import NO_VERTEX

NODES = 1600


@pytest.fixture(autouse=True)
def settings():
    with nx.config(backend_priority=["hoplite"], warnings_to_ignore={"cache"}):
        yield


def ring(nodes=NODES, classes=nx.Graph):
    graph = nx.cycle_graph(nodes, classes)
    nx.set_edge_attributes(graph, {edge: 1 + edge[0] % 7 for edge in graph.edges}, "weight")
    return graph


def converted_after(graph, ask, most=40):
    """How many calls NetworkX answered before the graph was converted; None: all of them."""
    for calls in range(most):
        ask(graph)
        if "hoplite" in graph.__networkx_cache__.get("backends", {}):
            return calls
    return None


@pytest.mark.parametrize("classes", [nx.Graph, nx.DiGraph])
@pytest.mark.parametrize("ask, share", [
    (lambda g: nx.shortest_path(g, 3, 30), deciding.COUNTED_SHARE),
    (lambda g: nx.shortest_path_length(g, 3, 30), deciding.COUNTED_SHARE),
    (lambda g: nx.has_path(g, 3, 30), deciding.COUNTED_SHARE),
    (lambda g: nx.single_source_dijkstra_path_length(g, 3, cutoff=4), deciding.COUNTED_SHARE),
    (lambda g: nx.shortest_path(g, 3, 30, weight="weight"), deciding.TWO_SIDED_SHARE),
    (lambda g: nx.bidirectional_dijkstra(g, 3, 30), deciding.TWO_SIDED_SHARE),
    (lambda g: nx.shortest_path_length(g, 3, 30, weight="weight"), deciding.ONE_SIDED_SHARE),
    (lambda g: nx.dijkstra_path(g, 3, 30), deciding.ONE_SIDED_SHARE),
    (lambda g: nx.bellman_ford_path(g, 3, 30), 1e9),
])
def test_repeated_searches_convert_the_graph(ask, share, classes):
    expected = int(1 / share)  # which is how many of them cost as much as a conversion
    assert converted_after(ring(classes=classes), ask) == expected


def test_a_change_of_the_graph_begins_the_count_anew():
    graph = ring()
    nx.shortest_path_length(graph, 3, 30, weight="weight")
    graph.add_edge(0, 600, weight=9)
    assert converted_after(graph, lambda g: nx.dijkstra_path_length(g, 3, 30)) == 1


def test_what_is_not_converted_for_a_search_between_two_nodes():
    asks = [lambda g: nx.shortest_path(g, 3, 30), lambda g: nx.dijkstra_path_length(g, 3, 30)]
    for ask in asks:
        assert converted_after(ring(100), ask) is None
        assert converted_after(ring().subgraph(range(1100)), ask) is None
        assert converted_after(ring(classes=nx.DiGraph).reverse(copy=False), ask) is None
    with nx.config(cache_converted_graphs=False):
        for ask in asks:
            assert converted_after(ring(), ask) is None


def test_declining_looks_at_next_to_nothing():
    """Counted: calls of functions, of Python's and of others, in both questions. With inspect and a
    look at fifty rows they were 186 to 283."""
    counted = 0

    def count(frame, event, argument):
        nonlocal counted
        counted += event in ("call", "c_call")

    for graph in (ring(30), ring()):
        for name, keywords in (("shortest_path", {}), ("bidirectional_shortest_path", {}),
                               ("shortest_path_length", {"weight": "weight"})):
            deciding.can_run(name, (graph, 3, 9), keywords)
            counted = 0
            sys.setprofile(count)
            able = deciding.can_run(name, (graph, 3, 9), keywords)
            wise = deciding.should_run(name, (graph, 3, 9), keywords)
            sys.setprofile(None)
            assert able is True and isinstance(wise, str)
            assert counted < 90, (name, counted)


def random_graph(seed, kind):
    rng = random.Random(seed)
    graph = rng.choice([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])()
    nodes = rng.randrange(2, 30)
    graph.add_nodes_from(range(nodes))
    for _ in range(rng.randrange(4 * nodes)):
        weight = {"integers": rng.randrange(5), "floats": rng.choice([0.1, 0.2, 0.3, 0.7]),
                  "mixed": rng.choice([0, 1, 2, 0.5, 0.25])}[kind]
        graph.add_edge(rng.randrange(nodes), rng.randrange(nodes), weight=weight)
    return graph, rng


@pytest.mark.parametrize("kind", ["integers", "floats", "mixed"])
def test_ties_and_sums_are_those_of_networkx(kind):
    """Few different weights: most pairs have several shortest paths, and floats that add up to
    another number from the other side."""
    for seed in range(60):
        graph, rng = random_graph(seed, kind)
        held = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
        for _ in range(10):
            pair = rng.randrange(len(graph)), rng.randrange(len(graph))
            for name in ("bidirectional_dijkstra", "shortest_path", "shortest_path_length",
                         "dijkstra_path_length"):
                function = getattr(nx, name)

                def answer(where):
                    try:
                        return repr(function(where, *pair, weight="weight"))
                    except nx.NetworkXNoPath as error:
                        return str(error)

                with nx.config(backend_priority=[]):
                    assert answer(held) == answer(graph), (seed, name, pair)


def test_the_space_is_made_once_and_comes_back_at_rest():
    graph = ring()
    graph.add_node("alone")
    held = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
    for target in list(range(0, NODES, 50)) + ["alone"]:
        for ask in (backend.has_path, backend.bidirectional_dijkstra):
            try:
                ask(held, 7, target)
            except nx.NetworkXNoPath:
                assert target == "alone"
    [space] = held._spaces  # one search at a time: one space
    n = len(held.nodes)
    assert (space.ends[:2 * n] == NO_VERTEX).all() and not space.flags.any()


def test_threads_have_spaces_of_their_own():
    graph = ring(4 * NODES)
    held = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
    pairs = [(i, (i * 37 + 11) % len(graph)) for i in range(0, len(graph), 24)]
    expected = [backend.bidirectional_dijkstra(held, *pair) for pair in pairs]
    wrong = []

    def ask():
        for pair, right in zip(pairs, expected):
            if backend.bidirectional_dijkstra(held, *pair) != right:
                wrong.append(pair)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(held._spaces) <= 4


def test_arguments_are_bound_as_python_does():
    graph = ring(5)
    known = [((graph,), {}), ((graph, 1), {"target": 2}), ((), {"G": graph, "weight": None})]
    for args, keywords in known:
        given = deciding.arguments_of("shortest_path", args, keywords)
        assert given["G"] is graph and given["method"] == "dijkstra"
    for args, keywords in [((), {}), ((graph, 1), {"source": 2}), ((graph,), {"other": 1}),
                           ((graph, 1, 2, 3, 4, 5), {})]:
        assert deciding.arguments_of("shortest_path", args, keywords) is None
    several = np.array([1, 2])
    assert deciding.arguments_of("multi_source_dijkstra", (graph, several), {})["target"] is None
