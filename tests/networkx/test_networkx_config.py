# SPDX-License-Identifier: Apache-2.0
"""nx.config.backends.hoplite: what is set there reaches the library and the decisions, and what the
backend tells about itself."""

import importlib.metadata
import logging

import networkx as nx
import pytest

import hoplite
from hoplite.networkx_backend import settings
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
