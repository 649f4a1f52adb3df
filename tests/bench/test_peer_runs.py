# SPDX-License-Identifier: Apache-2.0
"""
Peers in the same run as the command: the same graph, the same sources, answers that agree, rows
that resume; and a peer whose answer is wrong.
"""

import os
import stat

import pytest
from experiments_testing import HOPLITE, SANITIZED
from hoplite_bench import experiment_files, experiment_plan, peer_adapters, peer_runs, raw_rows
from hoplite_bench.experiment_runner import OK, WRONG, Runner
from hoplite_bench.hoplite_command import Hoplite

EXPERIMENT = """
title = "t"
source = "s"
question = "q"
problem = "{problem}"
figures = []
[[graphs]]
label = "kron"
family = "rmat"
small = {{scale = [7]}}
fixed = {{weights = "int32", max-weight = 9}}
[[runs]]
expected = ["sequential"]
peers = ["scipy", "igraph", "gap"]
repetitions = 2
sources = 2
"""
PEERS = {"scipy": "1", "igraph": "1"}


def make(tmp_path, problem):
    (tmp_path / "peers.toml").write_text(EXPERIMENT.format(problem=problem))
    experiment = experiment_files.load("peers", "small", tmp_path)
    steps, _ = experiment_plan.plan(experiment, Hoplite(HOPLITE), 1, PEERS)
    return experiment, steps


@pytest.mark.skipif(SANITIZED, reason="nothing but Python processes and two commands")
@pytest.mark.parametrize("problem", ["components", "bfs", "sssp", "apsp"])
def test_peers_have_rows_like_ours(tmp_path, problem):
    experiment, steps = make(tmp_path, problem)
    said = []
    runner = Runner(Hoplite(HOPLITE), tmp_path, said.append, peer_runs.Peers(PEERS))
    assert runner.run(steps) == OK, said
    path = experiment_plan.rows_path(tmp_path, experiment)
    rows = raw_rows.measured(raw_rows.read(path))
    ours = {(row["source"], row["repetition"]) for row in rows if row["place"] == "host"}
    for peer in PEERS:
        theirs = [row for row in rows if row["variant"] == peer]
        assert {(row["source"], row["repetition"]) for row in theirs} == ours
        assert all(row["outcome"] == "ok" and row["seconds"] > 0 for row in theirs)
    os.remove(runner.steps_path)
    before = raw_rows.measured(raw_rows.read(path))
    assert runner.run(steps) == OK
    assert raw_rows.measured(raw_rows.read(path)) == before, "nothing is measured twice"


@pytest.mark.skipif(SANITIZED, reason="nothing but Python processes and two commands")
def test_a_wrong_peer_fails_loudly(tmp_path, monkeypatch):
    """The adapter is given our answer for another source."""
    _, steps = make(tmp_path, "bfs")
    said = []
    right = peer_runs.our_answers
    monkeypatch.setattr(peer_runs, "our_answers",
                        lambda *words: list(reversed(right(*words))))
    runner = Runner(Hoplite(HOPLITE), tmp_path, said.append, peer_runs.Peers(PEERS))
    assert runner.run(steps) == WRONG
    assert "WRONG RESULT" in said[-1] and "peer scipy" in said[-1] and steps[0].graph in said[-1]


def test_gap_is_used_when_its_programs_are_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="no program"):
        peer_runs.available(tmp_path)
    for name in peer_runs.GAP_PROGRAMS.values():
        program = tmp_path / name
        program.write_text("#!/bin/sh\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    assert "gap" in peer_runs.available(tmp_path)
    assert "gap" not in peer_runs.available()


def test_adapters_cover_the_problems():
    for peer in peer_adapters.PEERS.values():
        for problem in ("components", "bfs", "sssp", "apsp"):
            assert callable(getattr(peer, problem)), (peer, problem)
    assert set(peer_adapters.PEERS) == set(peer_runs.DISTRIBUTIONS)
