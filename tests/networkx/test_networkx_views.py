# SPDX-License-Identifier: Apache-2.0
"""Views of graphs: an answer is that of the graph behind the view as it is now, whatever was asked
before, and their conversion keeps NetworkX's order."""

import logging
import random

import networkx as nx
import pytest

from hoplite import networkx_backend as backend
from hoplite.networkx_backend import deciding, views

N = 60

VIEWS = {
    "subgraph": lambda g: g.subgraph(range(1, N - 1)),
    "small subgraph": lambda g: g.subgraph(range(18, 24)),
    "edge_subgraph": lambda g: g.edge_subgraph(edges_of(g, lambda e: 2 <= e[0] < N - 3)),
    "filtered nodes": lambda g: nx.subgraph_view(g, filter_node=lambda v: v != 3),
    "filtered edges": lambda g: nx.subgraph_view(g, filter_edge=lambda *e: e[0] != 3 != e[1]),
    "restricted": lambda g: nx.restricted_view(g, [3], edges_of(g, lambda e: 5 in e[:2])),
    "reverse": lambda g: g.reverse(copy=False) if g.is_directed() else None,
    "undirected": lambda g: g.to_undirected(as_view=True) if g.is_directed() else None,
    "directed": lambda g: None if g.is_directed() else g.to_directed(as_view=True),
    "generic": nx.graphviews.generic_graph_view,
}
NESTED = {
    "subgraph of a subgraph": ("subgraph", "subgraph"),
    "subgraph of filtered nodes": ("filtered nodes", "subgraph"),
    "filtered edges of a subgraph": ("subgraph", "filtered edges"),
    "reverse of a subgraph": ("subgraph", "reverse"),
    "subgraph of a reverse": ("reverse", "subgraph"),
    "subgraph of an undirected one": ("undirected", "subgraph"),
    "undirected one of filtered edges": ("filtered edges", "undirected"),
}
CHANGES = {
    "remove_edge": lambda g: g.remove_edge(20, 21),
    "add_edge": lambda g: g.add_edge(12, 25, weight=1),
    "remove_node": lambda g: g.remove_node(22),
    "add_node": lambda g: g.add_node("new"),
    "add_edge with another weight": lambda g: g.add_edge(20, 21, weight=0),
    "weight in place": lambda g: data_of(g, 20, 21).update(weight=7),
    "clear_edges": lambda g: g.clear_edges(),
}
CLASSES = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)


@pytest.fixture(autouse=True)
def small_graphs_count(monkeypatch):
    monkeypatch.setattr(deciding, "PASS_FROM", 20)


def edges_of(graph, chosen):
    return [e for e in (graph.edges(keys=True) if graph.is_multigraph() else graph.edges)
            if chosen(e)]


def data_of(graph, u, v):
    return graph[u][v][0] if graph.is_multigraph() else graph[u][v]


def path_of(kind):
    graph = kind()
    for v in range(N - 1):
        graph.add_edge(v, v + 1, weight=1 + v % 3)
        if graph.is_directed():
            graph.add_edge(v + 1, v, weight=1 + v % 3)
    return graph


def view_of(graph, name):
    for step in NESTED.get(name, (name,)):
        graph = None if graph is None else VIEWS[step](graph)
    return graph


def calls(view):
    """One of each sort: a pass, a search, weights, and one that is lazy."""
    start = 15 if 15 in view else next(iter(view), 15)
    if view.is_directed():
        yield nx.number_weakly_connected_components, ()
        yield nx.ancestors, (start,)
    else:
        yield nx.number_connected_components, ()
    yield nx.bfs_layers, (start,)
    yield nx.single_source_shortest_path_length, (start,)
    yield nx.single_source_dijkstra_path_length, (start,)
    yield nx.dijkstra_path_length, (start, 25)


def answers(view, **how):
    def said(function, arguments):
        try:
            found = function(view, *arguments, **how)
            return list(found.items()) if isinstance(found, dict) else \
                found if isinstance(found, (int, set)) else list(found)
        except nx.NetworkXException as error:
            return type(error), str(error)
        except NotImplementedError:
            assert how.get("backend") == "hoplite"  # else NetworkX has code of its own
            return "declined"
    return [said(*call) for call in calls(view)]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", [*VIEWS, *NESTED])
def test_no_answer_is_older_than_the_graph_behind_a_view(name, change):
    kind = CLASSES[(list(VIEWS) + list(NESTED)).index(name) % 2 * 2 + 1]
    for cls in (nx.Graph, kind):
        graph = path_of(cls)
        view = view_of(graph, name)
        if view is None:
            continue
        nx.config.backend_priority = []
        before = answers(view)
        nx.config.backend_priority = ["hoplite"]
        assert answers(view) == answers(view) == before
        forced = answers(view, backend="hoplite")
        assert all(mine in (theirs, "declined") for mine, theirs in zip(forced, before))
        CHANGES[change](graph)
        after, forced = answers(view), answers(view, backend="hoplite")
        nx.config.backend_priority = []
        theirs = answers(view)
        assert after == theirs
        assert all(mine in (other, "declined") for mine, other in zip(forced, theirs))


def test_a_filter_that_changes_its_mind():
    graph, hidden = path_of(nx.Graph), set()
    view = nx.subgraph_view(graph, filter_node=lambda v: v not in hidden)
    nx.config.backend_priority = ["hoplite"]
    for cut, parts in ((None, 1), (30, 2), (40, 3)):
        hidden.add(cut)
        assert nx.number_connected_components(view) == parts


def test_a_graph_itself_keeps_its_conversion(caplog):
    """NetworkX's rule for graphs: its methods clear what was kept, writing into dicts does not."""
    graph = path_of(nx.Graph)
    nx.config.backend_priority = ["hoplite"]
    assert nx.number_connected_components(graph.subgraph(range(N))) == 1
    assert not graph.__networkx_cache__
    assert nx.number_connected_components(graph) == 1
    [kept] = graph.__networkx_cache__["backends"]["hoplite"].values()
    assert nx.number_connected_components(graph.subgraph(range(N))) == 1
    assert kept in graph.__networkx_cache__["backends"]["hoplite"].values()


@pytest.mark.parametrize("name, runs", [
    ("subgraph", True), ("filtered nodes", True), ("reverse", True), ("filtered edges", False),
    ("undirected", False), ("reverse of a subgraph", True)])
def test_which_views_are_worth_converting(caplog, name, runs):
    """Where a Python function is asked about every edge a conversion gains nothing for a pass."""
    view = view_of(path_of(nx.DiGraph), name)
    nx.config.backend_priority = ["hoplite"]
    with caplog.at_level(logging.DEBUG, logger="networkx"):
        list(nx.bfs_layers(view, 15))
    said = " ".join(record.getMessage() for record in caplog.records)
    assert ("Using backend 'hoplite'" in said) == runs
    assert runs or "takes about as long to convert" in said


def some_views(graph, rng):
    nodes, edges = list(graph), edges_of(graph, lambda e: True)
    hidden, chosen = set(rng.sample(nodes, 3)), rng.sample(edges, len(edges) // 2)
    yield graph.subgraph(rng.sample(nodes, max(1, len(nodes) // 10)))
    yield graph.subgraph(rng.sample(nodes, len(nodes) * 4 // 5))
    yield graph.edge_subgraph(chosen)
    yield nx.subgraph_view(graph, filter_node=lambda v: v not in hidden)
    yield nx.restricted_view(graph, list(hidden), chosen[:3])
    if graph.is_directed():
        yield graph.reverse(copy=False)
        yield graph.to_undirected(as_view=True)
    else:
        yield graph.to_directed(as_view=True)


def check_rows(view):
    """Whether the conversion has the nodes, arcs and weights of a view, in their order; False: it
    was declined."""
    try:
        held = backend.convert_from_nx(view, edge_attrs={"weight": 1})
    except NotImplementedError:
        return False
    assert held.nodes == list(view)
    sides = [(held.out, view._adj)] + ([(held.into, view._pred)] if view.is_directed() else [])
    for rows, adjacency in sides:
        for i, u in enumerate(view):
            row = rows.targets[rows.offsets[i]:rows.offsets[i + 1]]
            assert [held.nodes[v] for v in row] == list(adjacency[u])
    weights = held.attributes["weight"]
    if weights.reason is None:
        theirs = [min(edge["weight"] for edge in data.values()) if view.is_multigraph()
                  else data["weight"] for row in view._adj.values() for data in row.values()]
        assert weights.values.tolist() == theirs
    return True


@pytest.mark.parametrize("part", [views.SMALL_PART, 1, 10**9])
def test_conversions_of_views_of_views(monkeypatch, part):
    monkeypatch.setattr(views, "SMALL_PART", part)
    checked = 0
    for seed in range(24):
        rng = random.Random(seed)
        graph, n = CLASSES[seed % 4](), rng.choice([8, 30])
        graph.add_nodes_from(rng.sample(range(n), n) if seed % 3 else range(n))
        for _ in range(rng.randrange(4 * n)):
            graph.add_edge(rng.randrange(n), rng.randrange(n), weight=rng.randint(1, 5))
        for view in some_views(graph, rng):
            checked += check_rows(view)
            if len(view) > 4:
                checked += sum(map(check_rows, some_views(view, rng)))
    assert checked > 400
