# SPDX-License-Identifier: Apache-2.0
"""nx.config.backends.hoplite: what is set there reaches the library and the decisions, and what the
backend tells about itself."""

import importlib.metadata
import inspect
import logging

import networkx as nx
import pytest

import hoplite
from hoplite import networkx_backend
from hoplite.networkx_backend import deciding, settings
import hoplite_networkx_info as info

CONFIG = nx.config.backends.hoplite


@pytest.fixture
def graph():
    return nx.fast_gnp_random_graph(3000, 0.002, seed=5)


def test_defaults_are_none_and_all_are_known():
    assert dict(CONFIG) == info.DEFAULT_CONFIG
    assert set(info.DEFAULT_CONFIG.values()) == {None}
    assert settings.configured() == {}
    assert {"pass_from", "pairs_from", "between_from", *settings.HOW} == set(info.DEFAULT_CONFIG)


def test_how_is_given_to_the_library(graph, monkeypatch):
    seen = []

    def watched(library, **how):
        seen.append(how)
        return hoplite.components(library, **how)

    monkeypatch.setattr("hoplite.networkx_backend.unweighted.components", watched)
    usual = nx.number_connected_components(graph, backend="hoplite")
    with CONFIG(threads=2, memory="1 GiB", device="cpu"):
        assert nx.number_connected_components(graph, backend="hoplite") == usual
    assert {"threads": 2, "memory": "1 GiB", "device": "cpu"} == seen[1]
    assert "memory" not in seen[0] and "device" not in seen[0]


def test_a_budget_that_is_too_small_is_the_librarys_error(graph):
    with CONFIG(memory=1000), pytest.raises(hoplite.BudgetError):
        nx.floyd_warshall_numpy(graph, backend="hoplite")


@pytest.mark.parametrize("name, call", [
    ("pass_from", lambda g: nx.number_connected_components(g)),
    ("pairs_from", lambda g: nx.diameter(g)),
    ("between_from", lambda g: nx.shortest_path(g, 0, 14))])
def test_thresholds(name, call, caplog):
    graph = nx.path_graph(15)
    nx.config.backend_priority = ["hoplite"]
    caplog.set_level(logging.DEBUG, logger="networkx")
    call(graph)
    assert "too small" in caplog.text or "this small" in caplog.text
    caplog.clear()
    with CONFIG(**{name: 1}):
        call(graph)
    assert "too small" not in caplog.text and "this small" not in caplog.text


def test_did_it_run(graph, caplog):
    """The recipe of docs/networkx.md."""
    nx.config.backend_priority = ["hoplite"]
    with caplog.at_level(logging.DEBUG, logger="networkx"):
        nx.number_connected_components(graph)
        nx.number_connected_components(nx.path_graph(3))
    said = [record.getMessage() for record in caplog.records]
    assert any("backend 'hoplite'" in line and "number_connected_components" in line
               for line in said), said
    assert any("too small" in line for line in said), said


def test_what_networkx_is_told():
    told = info.get_info()
    assert {"backend_name", "project", "package", "short_summary", "description", "functions",
            "default_config"} <= set(told)
    assert set(told["functions"]) == set(info.FUNCTIONS)
    assert told["default_config"] is not info.DEFAULT_CONFIG
    names = {entry.name for entry in importlib.metadata.entry_points(group="networkx.backend_info")}
    assert "hoplite" in names


def parameters(function):
    return set(inspect.signature(function).parameters)


def original(name):
    return nx.utils.backends._registered_algorithms[name].orig_func


def test_no_function_has_more_parameters_than_networkx():
    later = {("closeness_centrality", "sp")}  # since NetworkX 3.7
    for name, function in networkx_backend.FUNCTIONS.items():
        added = {(name, key) for key in parameters(function) - parameters(original(name))}
        assert added <= later, added
        assert "additional_parameters" not in info.get_info()["functions"][name]


def test_files_of_functions_are_those_that_networkx_is_told(monkeypatch):
    monkeypatch.setattr(info, "SOURCES", "https://example.org/hoplite")
    told = info.get_info()
    assert told["url"] == "https://example.org/hoplite/docs/networkx.md"
    for name, function in networkx_backend.FUNCTIONS.items():
        path = "/".join(function.__module__.split("."))
        assert told["functions"][name]["url"] == f"https://example.org/hoplite/python/{path}.py"
    monkeypatch.setattr(info, "SOURCES", "")
    assert "url" not in info.get_info() and "url" not in info.get_info()["functions"]["johnson"]


def test_sizes_that_are_told_are_those_that_decide():
    assert set(info.PAIRS) == deciding.PAIRS and set(info.BETWEEN) == deciding.LOCAL
    assert (deciding.PAIRS_FROM, deciding.BETWEEN_FROM) == (60, 1000)
    assert deciding.PASS_FROM == 3000
    for name, function in networkx_backend.FUNCTIONS.items():
        told = info.what_is_said(name)
        given = {key: 1 for key in parameters(function) & {"source", "sources", "target"}}
        limit = next(iter(parameters(function) & {"cutoff", "depth_limit"}), None)
        given.update({limit: 1} if limit else {})
        local = name in deciding.LOCAL or deciding.is_local(name, given)
        assert local == ("1,000 nodes" in told), (name, told)
        assert (name in deciding.PAIRS or "_path" in name) or "60 nodes" not in told


# What DECLINED says of keywords, with a value that is not the usual.
KEYWORDS = {"sort_neighbors": sorted, "usebounds": True, "sp": {}, "paths": {}, "topo_order": [0],
            "scc": [{0}], "k": 2, "endpoints": True, "algorithm other than \"kruskal\"": "prim",
            "default_weight other than 1": 2}


def declines(name, graph, **given):
    """What the backend says of a call, or raises for it."""
    signature = inspect.signature(networkx_backend.FUNCTIONS[name])
    needed = [key for key, p in signature.parameters.items()
              if p.default is p.empty and key != "G" and key not in given]
    values = {"source": 0, "target": 1, "sources": [0], "center_nodes": [0], "S": [0], "v": 0,
              "distance": 1}
    given.update({key: values[key] for key in needed})
    if networkx_backend.can_run(name, (graph,), dict(given)) is not True:
        return True
    try:
        getattr(nx, name)(graph, backend="hoplite", **given)
    except NotImplementedError:
        return True
    return False


@pytest.mark.parametrize("what", KEYWORDS)
def test_keywords_that_are_said_to_be_declined_are(what):
    key = what.split()[0]
    named = info.DECLINED[what].split()
    assert {name for name in networkx_backend.FUNCTIONS
            if key in parameters(networkx_backend.FUNCTIONS[name])} == set(named)
    for name in named:
        directed = name in ("topological_sort", "dag_longest_path", "dag_longest_path_length",
                            "condensation")
        graph = nx.path_graph(5, create_using=nx.DiGraph) if directed else nx.cycle_graph(5)
        assert declines(name, graph, **{key: KEYWORDS[what]}), name
        assert key == "default_weight" or not declines(name, graph), name


def test_weights_that_are_said_to_be_declined_are():
    functions = info.DECLINED["weights that are no integers of 64 bits and no floats, "
                              "and functions of edges"].split()
    takes = {name for name, function in networkx_backend.FUNCTIONS.items()
             if parameters(function) & {"weight", "distance"}}
    assert takes - set(functions) == {"descendants_at_distance", "global_reaching_centrality",
                                      "local_reaching_centrality"}
    for name in functions:
        key = "weight" if "weight" in parameters(networkx_backend.FUNCTIONS[name]) else "distance"
        directed = "dag" in name
        graph = nx.cycle_graph(5, create_using=nx.DiGraph if directed else nx.Graph)
        if directed:
            graph.remove_edge(4, 0)
        nx.set_edge_attributes(graph, "text", "w")
        assert declines(name, graph, **{key: "w"}), name


def test_negative_weights_that_are_said_to_be_declined_are():
    assert set(info.DECLINED["negative weights"].split()) == deciding.SETTLING
    for name in deciding.SETTLING:
        key = "weight" if "weight" in parameters(networkx_backend.FUNCTIONS[name]) else "distance"
        graph = nx.cycle_graph(5)
        nx.set_edge_attributes(graph, -1, "w")
        assert declines(name, graph, **{key: "w"}), name


def test_multigraphs_that_are_said_to_be_declined_are():
    for name in info.DECLINED["multigraphs"].split():
        directed = "dag" in name or name in ("is_arborescence", "is_branching")
        graph = nx.path_graph(5, create_using=nx.MultiDiGraph if directed else nx.MultiGraph)
        assert declines(name, graph), name


@pytest.mark.parametrize("sources", ["", "https://example.org/hoplite"])
def test_networkx_puts_it_into_its_documentation(sources, monkeypatch):
    """The section "Backends" of each function, as NetworkX's own code makes it."""
    monkeypatch.setattr(info, "SOURCES", sources)
    told = info.get_info()
    monkeypatch.setitem(nx.utils.backends.backend_info, "hoplite", told)
    for name in info.FUNCTIONS:
        made = nx.utils.backends._registered_algorithms[name].__wrapped__._make_doc()
        section = inspect.cleandoc(made).split("\nBackends\n--------\n")[1]
        own = section.partition(f"hoplite : {told['short_summary']}\n")[2]
        for line in info.what_is_said(name).split("\n"):
            assert f"  {line}\n" in own + "\n", (name, section)
        assert own.count("`Source <https://example.org/") == bool(sources), section
