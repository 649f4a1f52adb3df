# SPDX-License-Identifier: Apache-2.0
"""The backend as NetworkX sees it: how it is found, what it declines and with which words, what the
cache keeps, and mappings that are made late."""

import copy
import decimal
import fractions
import gc
import inspect
import itertools
import json
import logging
import os
import pathlib
import pickle
import random
import re
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest

import hoplite_networkx_info
import random_graphs
from hoplite import networkx_backend as backend
from hoplite.networkx_backend import results
from hoplite._speed import compiled, walk

ROOT = pathlib.Path(os.environ.get("HOPLITE_SOURCE_DIR", pathlib.Path(__file__).parents[2]))


def grid(side=40):
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(side, side))
    for i, (_, _, data) in enumerate(graph.edges(data=True)):
        data["weight"] = i % 7 + 1
    return graph


def test_importing_networkx_loads_no_library():
    done = subprocess.run(
        [sys.executable, "-c", "import networkx, sys; print('hoplite' in sys.modules, "
         "'numpy' in sys.modules, 'hoplite' in networkx.config.backends)"],
        capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]


SINCE_3_7 = {"closeness_centrality": ["sp"]}  # parameters that the version here may not have


def test_there_are_116_functions_of_networkx():
    assert len(backend.FUNCTIONS) == 116 == len(hoplite_networkx_info.FUNCTIONS)
    for name, function in backend.FUNCTIONS.items():
        theirs = inspect.signature(getattr(nx, name)).parameters
        mine = inspect.signature(function).parameters
        given = [p for p in theirs if p not in ("backend", "backend_kwargs")]
        assert list(mine) in (given, given + SINCE_3_7.get(name, [])), name
        assert [mine[p].default for p in given] == [theirs[p].default for p in given], name


def test_docs_name_every_function():
    text = (ROOT / "docs/networkx.md").read_text()
    assert not [name for name in backend.FUNCTIONS if not re.search(rf"\b{name}\b", text)]


def test_wheel_and_build_tree_have_the_same_entry_points():
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    text = (ROOT / "python/CMakeLists.txt").read_text()
    for group in ("networkx.backends", "networkx.backend_info"):
        assert f"[{group}]\\nhoplite = {project[group]['hoplite']}\\n" in text


def reasons(caplog, function, *arguments, **keywords):
    nx.config.backend_priority = ["hoplite"]
    with caplog.at_level(logging.DEBUG, logger="networkx"):
        result = function(*arguments, **keywords)
    return result, " ".join(record.getMessage() for record in caplog.records)


@pytest.mark.parametrize("weight, words", [
    (2**70, "does not fit 64 bits"), (2**61, "may not fit 64 bits"),
    (fractions.Fraction(1, 3), "of type Fraction"), (decimal.Decimal(1), "of type Decimal"),
    (None, "of type NoneType"), (float("inf"), "infinite or not a number"),
    (np.float32(1), "of type float32"), (-1, "negative weight"),
])
def test_weights_that_are_declined(caplog, weight, words):
    graph = grid()
    graph.add_edge(0, 1, weight=weight)
    graph.add_edge(1600, 1601)
    function = nx.single_source_dijkstra_path_length
    expected = None
    if weight != -1:
        expected = function(graph, 1600, backend="networkx")
    graph.add_edge(0, 1, weight=weight)
    result, said = reasons(caplog, function, graph, 1600)
    assert re.search(f"can't run `{function.__name__}`.*{words}", said), said
    assert expected is None or result == expected


def test_numbers_of_numpy_are_weights(caplog):
    graph = grid()
    graph.add_edge(0, 1, weight=np.int64(3))
    graph.add_edge(0, 40, weight=np.float64(0.5))
    result, said = reasons(caplog, nx.single_source_dijkstra_path_length, graph, 0)
    assert "Using backend 'hoplite'" in said
    assert result == nx.single_source_dijkstra_path_length(graph, 0, backend="networkx")
    assert {type(value) for value in result.values()} == {int, float}


@pytest.mark.parametrize("call, words", [
    (lambda g: nx.dijkstra_path(g, 0, 9, weight=lambda u, v, d: 1), "function of edges"),
    (lambda g: list(nx.bfs_edges(g, 0, sort_neighbors=sorted)), "function of nodes"),
    (lambda g: nx.has_path(g, 0, 9), "not worth converting"),
    (lambda g: nx.diameter(g.subgraph(range(9)), usebounds=True), "a few searches"),
    (lambda g: nx.single_source_shortest_path_length(g, 0, cutoff=2), "not worth converting"),
    (lambda g: list(nx.connected_components(g.subgraph(range(20)).copy())), "too small"),
    (lambda g: nx.center(nx.path_graph(500)), "pruning leaves"),
])
def test_calls_that_are_declined(caplog, call, words):
    assert re.search(f"(can't|shouldn't) run .*{words}", reasons(caplog, call, grid())[1])


def test_a_converted_graph_is_kept_until_the_graph_changes(caplog):
    graph = grid()
    _, said = reasons(caplog, nx.single_source_dijkstra_path_length, graph, 0)
    assert "Using cached converted graph" in said  # can_run has looked at the weights
    [kept] = graph.__networkx_cache__["backends"]["hoplite"].values()
    caplog.clear()
    _, said = reasons(caplog, nx.has_path, graph, 0, 9)
    assert "Using backend 'hoplite' for call to 'has_path'" in said
    [again] = graph.__networkx_cache__["backends"]["hoplite"].values()
    assert kept is again
    graph.add_edge(0, 1599, weight=1)
    assert nx.shortest_path_length(graph, 0, 1599) == 1
    assert nx.single_source_dijkstra_path_length(graph, 0)[1599] == 1


def test_a_graph_that_was_converted_by_hand_and_back():
    graph = grid(5)
    held = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
    assert nx.dijkstra_path_length(held, 0, 24) == nx.dijkstra_path_length(graph, 0, 24)
    again = backend.convert_to_nx(held)
    assert list(again.edges(data=True)) == list(graph.edges(data=True))
    with pytest.raises(NotImplementedError, match="cannot be told apart"):
        backend.convert_to_nx(backend.convert_from_nx(nx.MultiGraph(graph)))


def test_paths_that_are_made_late(monkeypatch):
    graph = grid(12)
    held = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
    for call in (lambda: backend.single_source_shortest_path(held, 3),
                 lambda: backend.single_target_shortest_path(held, 3),
                 lambda: backend.single_source_dijkstra_path(held, 3),
                 lambda: backend.single_source_bellman_ford_path(held, 3)):
        plain = call()
        assert type(plain) is dict
        with monkeypatch.context() as patch:
            patch.setattr(results, "MANY", 10)
            late = call()
            untouched, some, changed = call(), call(), call()
        kept = some[7]
        changed[9] = "mine"
        del changed[7]
        assert list(untouched.values()) == list(plain.values())
        assert list(untouched.items()) == list(plain.items())
        assert dict(some.items())[7] is kept is some[7]
        assert changed.copy() == {v: "mine" if v == 9 else plain[v] for v in plain if v != 7}
        assert isinstance(late, results.Paths) and list(late) == list(plain)
        assert late == plain and plain == late and not late != plain and late != {}
        assert late[7] is late[7] and late.get("nowhere") is None and len(late) == len(plain)
        assert pickle.loads(pickle.dumps(late)) == plain
        assert type(pickle.loads(pickle.dumps(late))) is dict
        for copied in (copy.copy(late), copy.deepcopy(late), late.copy(), dict(late), late | {}):
            assert type(copied) is dict and copied == plain and list(copied) == list(plain)
        assert json.dumps(dict(late)) == json.dumps(plain) and repr(late) == repr(plain)
        late["new"] = [1]
        del late[0]
        assert "new" in late and 0 not in late and len(late) == len(plain)
        assert dict(late.items()) == {**{v: plain[v] for v in plain if v != 0}, "new": [1]}
        with pytest.raises(KeyError):
            late[0]  # also after all were made


@pytest.mark.parametrize("weight", [
    lambda rng: rng.random(), lambda rng: rng.randint(1, 9), lambda rng: rng.randint(1, 2**50),
    lambda rng: 10.0 ** rng.randint(-200, 200), lambda rng: 2 ** rng.randint(0, 45),
    lambda rng: rng.choice([0.5, 1e-9, 1e6]), lambda rng: rng.choice([0, 0.0, 1]),
    lambda rng: 1.0, lambda rng: 5e-324])
@pytest.mark.parametrize("directed", [False, True])
def test_distances_of_every_spread(weight, directed):
    """Distances are sorted in one of several ways, by how they are spread."""
    rng = random.Random(5)
    graph = nx.gnm_random_graph(60, 130, seed=3, directed=directed)
    for u, v in graph.edges:
        graph[u][v]["weight"] = weight(rng)
    graph.add_edge(4, 4, weight=0)
    held = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
    for name, arguments in (("all_pairs_dijkstra", ()), ("all_pairs_dijkstra_path_length", ()),
                            ("single_source_dijkstra", (4,)), ("multi_source_dijkstra", ([4, 9],)),
                            ("single_source_dijkstra_path_length", (4,))):
        mine = random_graphs.consumed(getattr(backend, name)(held, *arguments))
        theirs = random_graphs.consumed(getattr(nx, name)(graph, *arguments, backend="networkx"))
        assert random_graphs.same(mine, theirs, False, True), name


def test_rows_of_all_pairs_come_in_blocks(monkeypatch):
    graph = grid(6)
    held = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
    theirs = random_graphs.consumed(nx.all_pairs_dijkstra(graph, backend="networkx"))
    asked = []
    apsp = backend.weighted.apsp
    monkeypatch.setattr(backend.weighted, "apsp",
                        lambda *args, **how: asked.append(how.get("sources")) or apsp(*args, **how))
    for size in (2**26, 8 * 36 * 7, 1):
        monkeypatch.setattr(backend.weighted, "BLOCK_BYTES", size)
        assert random_graphs.consumed(backend.all_pairs_dijkstra(held)) == theirs
    assert asked[0] is None and [list(rows) for rows in asked[1:5]] == [
        list(range(first, min(first + 7, 36))) for first in (8, 15, 22, 29)]
    assert len(asked) == 1 + 4 + 28
    asked.clear()
    next(backend.all_pairs_dijkstra(held))
    assert not asked


def shapes_of_rows():
    """Graphs whose rows are short, long and of all lengths, with levels of up to 2,000 nodes."""
    yield grid(9)
    yield nx.path_graph(70)
    yield nx.star_graph(2000)
    yield nx.complete_graph(80)
    yield nx.empty_graph(3)
    yield nx.barabasi_albert_graph(1500, 5, seed=1)
    for degree in range(9):
        yield nx.gnm_random_graph(200, 100 * degree, seed=degree, directed=degree % 2 == 1)


@pytest.mark.parametrize("graph", list(shapes_of_rows()), ids=str)
def test_searches_of_all_shapes(graph):
    held = backend.convert_from_nx(graph)
    nodes = list(graph)
    for sources in (nodes[0], nodes[-1:], nodes[::-37]):
        theirs = list(nx.bfs_layers(graph, sources, backend="networkx"))
        assert list(backend.bfs_layers(held, sources)) == theirs
    for source in nodes[:5] + nodes[-2:]:
        for name in ("single_source_shortest_path_length", "single_source_shortest_path"):
            mine = getattr(backend, name)(held, source)
            theirs = getattr(nx, name)(graph, source, backend="networkx")
            assert list(mine.items()) == list(theirs.items()), name


def test_layers_are_made_when_they_are_asked_for():
    graph = grid(30)
    held = backend.convert_from_nx(graph)
    theirs = list(nx.bfs_layers(graph, 0, backend="networkx"))
    first, second = backend.bfs_layers(held, 0), backend.bfs_layers(held, 0)
    assert [next(first), next(second), next(first)] == [theirs[0], theirs[0], theirs[1]]
    del first  # in the middle of its search
    held.nodes.clear()  # which are not what a search that runs needs
    assert list(second) == theirs[1:]
    assert next(second, None) is None


@pytest.mark.skipif(not compiled, reason="without the extension module nothing is checked")
def test_layers_of_what_is_no_graph():
    offsets, targets = np.array([0, 1, 1]), np.array([1], np.uint32)
    addresses, source = np.zeros(2, np.uint64), np.zeros(1, np.uint32)
    for wrong in ((("a",), addresses, offsets, targets, source),
                  (("a", "b"), addresses[:1], offsets, targets, source),
                  (("a", "b"), addresses, offsets, targets[:0], source),
                  (("a", "b"), addresses, offsets, targets, source + 2),
                  (("a", "b"), addresses, offsets, targets, source.astype(np.uint64))):
        with pytest.raises(ValueError):
            walk.layers(*wrong)
    with pytest.raises(TypeError):
        walk.layers(["a", "b"], addresses, offsets, targets, source)


@pytest.mark.parametrize("wrong", [None, 7, "abc", {0: [1], 1: [0]}, [[1], [0]], len, np.eye(3)],
                         ids=repr)
def test_what_is_no_graph_is_left_to_networkx(wrong):
    """Its words are the same as without the backend, whatever the function."""
    def said(name, *arguments):
        try:
            return random_graphs.consumed(getattr(nx, name)(wrong, *arguments))
        except Exception as error:
            return type(error), str(error)

    for name, *arguments in (("connected_components",), ("bfs_layers", 0), ("diameter",),
                             ("single_source_dijkstra_path_length", 0), ("has_path", 0, 1),
                             ("floyd_warshall",), ("all_pairs_shortest_path_length",)):
        nx.config.backend_priority = []
        theirs = said(name, *arguments)
        nx.config.backend_priority = ["hoplite"]
        assert said(name, *arguments) == theirs, name


def test_collecting_goes_on_after_results(monkeypatch):
    """Garbage is not collected while large results are made, and is after that as before."""
    held = backend.convert_from_nx(grid(8), edge_attrs={"weight": 1})
    calls = (lambda: backend.johnson(held), lambda: backend.floyd_warshall(held),
             lambda: dict(backend.all_pairs_shortest_path(held)),
             lambda: list(backend.bfs_layers(held, 0)))
    for call in calls:
        call()
        assert gc.isenabled()
    gc.disable()
    try:
        for call in calls:
            call()
            assert not gc.isenabled()
    finally:
        gc.enable()
    monkeypatch.setattr(backend.dense, "every_source", None)
    with pytest.raises(TypeError):
        backend.johnson(held)
    assert gc.isenabled()


def test_a_graph_whose_nodes_change_it_while_it_is_walked():
    """Looking up a node may run code of others."""
    class Node:
        def __init__(self, number):
            self.number = number

        def __hash__(self):
            return 1

        def __eq__(self, other):
            if arm:
                arm.pop()(self)
            return isinstance(other, Node) and self.number == other.number

    arm = []
    graph = nx.Graph()
    graph.add_edges_from((Node(i), Node(i + 1)) for i in range(30))
    for _ in range(20):
        arm.append(lambda node: [graph._adj[other].clear() for other in list(graph._adj)][:0])
        try:
            backend.convert_from_nx(graph, edge_attrs={"weight": 1})
        except (RuntimeError, KeyError):
            pass
        arm.clear()


def test_types():
    pytest.importorskip("mypy")
    folder = pathlib.Path(backend.__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null", str(folder)],
        capture_output=True, text=True, check=False, cwd=folder.parents[1])
    assert done.returncode == 0, done.stdout


def test_a_closure_has_the_attributes_of_its_graph():
    graph = nx.gn_graph(60, seed=1)
    graph.graph["name"] = "town"
    nx.set_node_attributes(graph, 3, "floor")
    nx.set_edge_attributes(graph, 0.5, "weight")
    for reflexive in (False, True, None):
        mine = nx.transitive_closure(graph, reflexive, backend="hoplite")
        theirs = nx.transitive_closure(graph, reflexive, backend="networkx")
        assert random_graphs.consumed(mine) == random_graphs.consumed(theirs)
        assert mine is not graph and mine.nodes[1] is not graph.nodes[1]
    held = backend.convert_from_nx(graph)
    with pytest.raises(NotImplementedError, match="without its attributes"):
        backend.transitive_closure(held)


def test_a_graph_that_changes_while_its_order_is_read():
    """docs/networkx.md says that this differs."""
    graph = nx.gn_graph(3000, seed=1)
    order = list(nx.topological_sort(graph, backend="networkx"))
    mine = nx.topological_sort(graph, backend="hoplite")
    first = next(mine)
    graph.remove_node(order[-1])
    assert [first, *mine] == order


def is_declined(outcome):
    return isinstance(outcome, tuple) and outcome[:1] == ("declined",)


@pytest.mark.parametrize("seed", range(8))
def test_what_runs_here_runs_when_networkx_converts(seed):
    """NetworkX chooses what of a graph is kept, by the function and its arguments."""
    graph, _ = random_graphs.random_graph(seed)
    draw = random.Random(seed + 1)
    ran = set()
    for name, args, keywords, _ in itertools.chain(random_graphs.calls_for(graph, draw),
                                                   random_graphs.more_calls(graph, draw)):
        weight = keywords.get("weight")
        held = backend.convert_from_nx(graph, edge_attrs={weight: 1} if weight else None,
                                       preserve_edge_attrs=True, preserve_graph_attrs=True)
        if backend.can_run(name, (graph, *args), keywords) is not True:
            continue
        mine = random_graphs.outcome(lambda: backend.FUNCTIONS[name](held, *args, **keywords))
        through = random_graphs.outcome(
            lambda: getattr(nx, name)(graph, *args, backend="hoplite", **keywords))
        if not is_declined(mine):
            assert not is_declined(through), (name, args, keywords)
            ran.add(name)
    assert len(ran) > 40


def test_weights_of_a_graph_that_was_kept_whole():
    """What one function has converted with all attributes serves one that asks for weights."""
    graph = grid()
    tree = nx.minimum_spanning_tree(graph, backend="hoplite")
    assert random_graphs.consumed(tree) == random_graphs.consumed(nx.minimum_spanning_tree(graph))
    lengths = nx.single_source_dijkstra_path_length
    assert lengths(graph, 0, backend="hoplite") == lengths(graph, 0)
    held = backend.convert_from_nx(graph, preserve_edge_attrs=True)
    graph.add_edge(0, 999, weight=1)
    with pytest.raises(NotImplementedError, match="changed"):
        backend.minimum_spanning_edges(held)


def test_a_spanning_forest_is_converted_once(caplog):
    graph = grid()
    edges, said = reasons(caplog, lambda: list(nx.minimum_spanning_edges(graph)))
    assert edges == list(nx.minimum_spanning_edges(graph, backend="networkx"))
    assert "Using cached converted graph" in said
    assert len(graph.__networkx_cache__["backends"]["hoplite"]) == 1
    assert "in another order" in reasons(
        caplog, lambda: list(nx.minimum_spanning_edges(graph, algorithm="prim")))[1]


@pytest.mark.skipif(not compiled, reason="one pass declines")
def test_who_answers_no_sooner():
    def asked(name, graph):
        return backend.should_run(name, (graph,), {}) is True

    tree = nx.Graph((v, v * v % 7919 % v) for v in range(1, 4000))
    circle = nx.cycle_graph(4000)
    ends = nx.path_graph(4000, create_using=nx.DiGraph)
    assert asked("is_tree", tree) and not asked("is_tree", circle)
    assert asked("is_forest", circle) and asked("is_branching", ends)
    assert not asked("is_strongly_connected", ends) and asked("is_attracting_component", ends)
    nx.number_strongly_connected_components(ends, backend="hoplite")
    assert asked("is_strongly_connected", ends)
    star = nx.star_graph(4001)
    nx.number_connected_components(star, backend="hoplite")
    assert not asked("is_eulerian", star)
