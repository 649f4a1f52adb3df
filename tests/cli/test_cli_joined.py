# SPDX-License-Identifier: Apache-2.0
"""Files of edges that do not fit the memory budget: components joins them while they are read, from
files and pipes; and what --dry-run says about graphs on disk."""

import pytest

from cli_testing import FAILURE, refuse, run, run_json

SMALL = ["--memory", "3M", "--threads", 2]


@pytest.fixture(scope="module")
def edges(tmp_path_factory):
    path = tmp_path_factory.mktemp("joined") / "edges.el"
    run("generate", "erdos-renyi", "--n", 40000, "--m", 300000, "-o", path)
    return path


def test_pipes_and_files(edges, tmp_path):
    whole, joined = tmp_path / "whole.txt", tmp_path / "joined.txt"
    run("components", edges, "-o", whole)
    for words, stdin in (([edges], None), (["-"], edges.read_text())):
        joined.unlink(missing_ok=True)
        _, said = run("components", *words, *SMALL, "-o", joined, stdin=stdin)
        assert "while they were read" in said and "does not fit" in said
        assert joined.read_bytes() == whole.read_bytes()
    found = run_json("components", edges, *SMALL)
    assert found["variant"] == "stream" and "joined" in found["reason"]
    assert found["components"] == run_json("components", edges)["components"]
    assert found["peak_bytes"] <= 3 << 20


def test_what_needs_the_edges(edges, tmp_path):
    for more in (["--certify"], ["--largest", tmp_path / "core.npz"]):
        refuse("components", edges, *SMALL, *more, code=FAILURE, says=["needed"])


def test_a_plan_says_what_is_read(tmp_path):
    path = tmp_path / "g.npz"
    run("generate", "rmat", "--scale", 12, "--weights", "int32", "-o", path)
    for verb, weight in (("components", 0), ("bfs", 0), ("sssp", 4)):
        out, _ = run(verb, path, "--external", "--dry-run")
        plan = run_json(verb, path, "--external", "--dry-run")
        arcs = run_json("info", path)["graph"]["arcs"]
        assert "nothing is written" in out and "just now" in out
        assert arcs * (4 + weight) <= plan["read_bytes"] <= 12 * arcs * (4 + weight)
        assert plan["expected_seconds"] > 0
        assert run_json(verb, path, "--dry-run")["read_bytes"] == 0
