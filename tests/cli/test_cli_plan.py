# SPDX-License-Identifier: Apache-2.0
"""hoplite plan: figures that are known, what does not fit, and the table of the page."""

import importlib.machinery
import importlib.util
import math
import os
import pathlib

import pytest
from cli_testing import HOPLITE, USAGE, run, run_json

SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])
WEB = ["plan", "--edges", "128e9", "--vertices", "3.5e9", "--nodes", "64"]


def problems(said):
    return {row["name"]: row for row in said["problems"]}


def test_figures_by_hand():
    """Of the web graph on 64 nodes, with the formulas of docs/cluster.md worked out here."""
    said = run_json(*WEB, "--bandwidth", "12.5GB")
    rows = problems(said)
    arcs = 4e9
    ends = 3.5e9 * (1 - math.exp(-arcs / 3.5e9)) * 63 / 64
    assert said["arcs_per_rank"] == arcs and math.isclose(said["ends_per_rank"], ends)
    assert math.isclose(rows["open"]["bytes"], 4 * ends)
    assert math.isclose(rows["sssp"]["bytes"], (24 + 8 + 12) * ends)
    assert math.isclose(rows["sssp"]["bandwidth_seconds"], 44 * ends / 12.5e9)
    assert math.isclose(rows["bfs"]["bytes"], 3 * (ends / 8 + 4 * 63) + 0.12 * ends)
    assert 4 * ends <= rows["components"]["bytes"] < 4.1 * ends
    assert rows["open"]["memory_bytes"] > 20 * arcs and rows["sssp"]["dominant"] == "targets"


def test_directed_and_weights():
    plain, weighted = run_json(*WEB), run_json(*WEB, "--weights", "int64")
    assert math.isclose(weighted["memory_bytes"] - plain["memory_bytes"], 8 * 4e9, rel_tol=0.01)
    directed = run_json(*WEB, "--directed")
    assert directed["arcs_per_rank"] == 2e9
    assert math.isclose(problems(directed)["bfs"]["bytes"], 12 * directed["ends_per_rank"])


def test_what_does_not_fit():
    said = run_json(*WEB, "--memory", "64G")
    assert not said["fits"] and said["nodes_enough"] > 64
    words = [*WEB[:-1], str(said["nodes_enough"]), "--memory", "64G"]
    assert run_json(*words)["fits"]
    assert not run_json(*WEB[:-1], str(said["nodes_enough"] - 1), "--memory", "64G")["fits"]
    out, _ = run(*WEB, "--memory", "64G")
    assert "does not fit" in out and f"Use {said['nodes_enough']} nodes" in out
    assert "It fits" in run(*WEB, "--memory", "512G")[0]
    many = run_json("plan", "--edges", "1e12", "--vertices", "3e10", "--nodes", "64")
    assert not many["fits"] and many["budget_bytes"] is None  # more vertices than ids of a rank
    none = run_json(*WEB, "--memory", "1M")
    assert not none["fits"] and none["nodes_enough"] is None


def test_ranks_of_a_node_share_its_network():
    one, many = run_json(*WEB), run_json(*WEB, "--ranks-per-node", "32")
    assert many["ranks"] == 2048
    assert problems(many)["sssp"]["bytes"] > 1.5 * problems(one)["sssp"]["bytes"]
    alone = run_json(*WEB[:-1], "1", "--ranks-per-node", "32")
    assert problems(alone)["sssp"]["bytes"] == 0


def test_one_machine():
    small = ["plan", "--edges", "999999999", "--vertices", "1e7", "--nodes", "4"]
    assert run_json(*small)["one_machine_is_faster"]
    assert "One machine is faster" in run(*small)[0]
    assert not run_json(*WEB)["one_machine_is_faster"]


@pytest.mark.parametrize("words", [
    ["--edges", "1e9", "--vertices", "1e8"], ["--edges", "1e9", "--nodes", "4"],
    ["--edges", "0", "--vertices", "1", "--nodes", "4"],
    ["--edges", "1e9", "--vertices", "1e99", "--nodes", "4"],
    ["--edges", "1e9", "--vertices", "-1", "--nodes", "4"],
    ["--edges", "1", "--vertices", "1", "--nodes", "65536", "--ranks-per-node", "2"],
    ["--edges", "1e9", "--vertices", "1e8", "--nodes", "0"],
])
def test_refused(words):
    run("plan", *words, code=USAGE)


def test_the_page_has_the_table():
    path = str(SOURCE / "tools" / "cluster_table")
    loader = importlib.machinery.SourceFileLoader("cluster_table", path)
    spec = importlib.util.spec_from_loader("cluster_table", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    page = module.PAGE.read_text(encoding="utf-8")
    assert page == module.page_with(page, module.table(HOPLITE)), "tools/cluster_table --update"
