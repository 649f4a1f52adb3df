# SPDX-License-Identifier: Apache-2.0
"""
Peers in the same run as the command: turn by turn, on the same graph, from the same sources, with
answers that agree and rows that resume; and a peer whose answer is wrong.
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
SLOW = pytest.mark.skipif(SANITIZED, reason="nothing but Python processes and two commands")


@pytest.fixture(autouse=True)
def time_enough(monkeypatch):
    """A busy machine may take a minute to start a peer."""
    monkeypatch.setitem(peer_runs.TIME_LIMIT, "small", 2000)


def make(tmp_path, problem):
    (tmp_path / "peers.toml").write_text(EXPERIMENT.format(problem=problem))
    experiment = experiment_files.load("peers", "small", tmp_path)
    steps, _ = experiment_plan.plan(experiment, Hoplite(HOPLITE), 1, PEERS)
    return experiment, steps


def rows_of(tmp_path, experiment):
    return raw_rows.measured(raw_rows.read(experiment_plan.rows_path(tmp_path, experiment)))


def measure(tmp_path, steps, code=OK):
    said = []
    runner = Runner(Hoplite(HOPLITE), tmp_path, said.append, peer_runs.Peers(PEERS))
    assert runner.run(steps) == code, said
    return runner, said


@SLOW
@pytest.mark.parametrize("problem", ["components", "bfs", "sssp", "apsp"])
def test_peers_have_rows_like_ours(tmp_path, problem):
    experiment, steps = make(tmp_path, problem)
    runner, _ = measure(tmp_path, steps)
    rows = rows_of(tmp_path, experiment)
    ours = {(row["source"], row["repetition"]) for row in rows if row["place"] == "host"}
    for peer in PEERS:
        theirs = [row for row in rows if row["variant"] == peer]
        assert {(row["source"], row["repetition"]) for row in theirs} == ours
        assert all(row["outcome"] == "ok" and row["seconds"] > 0 for row in theirs)
        assert all(set(PEERS) < set(row["beside"]) for row in theirs)
    check_turns(rows)
    os.remove(runner.steps_path)
    measure(tmp_path, steps)
    assert rows_of(tmp_path, experiment) == rows, "nothing is measured twice"


def check_turns(rows):
    """Rows stand in the file as they happened: every round has a run of each contender on each
    source, and begins with another one than the round before."""
    rows = [row for row in rows if row["outcome"] != "refused"]  # these are not asked again
    names = list(dict.fromkeys(row["variant"] for row in rows))
    per_round = len(rows) // 2
    rounds = [rows[:per_round], rows[per_round:]]
    for number, part in enumerate(rounds):
        assert {row["repetition"] for row in part} == {number}
        assert {row["variant"] for row in part} == set(names)
    assert [part[0]["variant"] for part in rounds] == names[:2]


@SLOW
def test_peers_that_do_not_fit_together_are_asked_in_groups(tmp_path, monkeypatch):
    experiment, steps = make(tmp_path, "components")
    monkeypatch.setattr(peer_runs, "free_memory", lambda: 1)
    measure(tmp_path, steps)
    rows = rows_of(tmp_path, experiment)
    for peer in PEERS:
        theirs = [row for row in rows if row["variant"] == peer]
        assert len(theirs) == 2 and all(set(PEERS) & set(row["beside"]) == {peer}
                                        for row in theirs)
    assert raw_rows.duplicates(rows) == []


@SLOW
def test_a_peer_over_its_time_has_a_row_that_says_so(tmp_path, monkeypatch):
    experiment, steps = make(tmp_path, "bfs")
    monkeypatch.setitem(peer_runs.TIME_LIMIT, "small", 0.05)  # less than Python takes to start
    measure(tmp_path, steps)
    rows = rows_of(tmp_path, experiment)
    for peer in PEERS:
        theirs = [row for row in rows if row["variant"] == peer]
        assert [row["outcome"] for row in theirs] == ["stopped"]
        assert "time limit" in theirs[0]["message"] and theirs[0]["seconds"] is None
    assert len([row for row in rows if row["place"] == "host"]) >= 8, "the others went on"
    assert peer_runs.Peers(PEERS).groups(steps[0], rows) == [], "and it stays so"


@SLOW
def test_a_wrong_peer_fails_loudly(tmp_path, monkeypatch):
    """The adapter is given our answer for another source."""
    _, steps = make(tmp_path, "bfs")
    right = peer_runs.our_answers
    monkeypatch.setattr(peer_runs, "our_answers",
                        lambda *words: list(reversed(right(*words))))
    _, said = measure(tmp_path, steps, WRONG)
    assert "WRONG RESULT" in said[-1] and "peer scipy" in said[-1] and steps[0].graph in said[-1]


GAP = """#!/bin/sh
echo "$@" >> {calls}
for t in 1 2; do echo "Trial Time:          0.0$t"; done
"""


@SLOW
def test_gap_takes_turns_by_a_process_per_run(tmp_path, monkeypatch):
    """A program that only says times: which calls are made, and which of the times counts."""
    monkeypatch.setitem(PEERS, "gap", "here")
    experiment, steps = make(tmp_path, "sssp")
    calls = tmp_path / "calls"
    program = tmp_path / "sssp"
    program.write_text(GAP.format(calls=calls))
    program.chmod(0o755)
    runner = Runner(Hoplite(HOPLITE), tmp_path, print, peer_runs.Peers(PEERS, tmp_path))
    assert runner.run(steps) == OK
    theirs = [row for row in rows_of(tmp_path, experiment) if row["variant"] == "gap"]
    assert len(theirs) == 4 and all(row["seconds"] == 0.02 for row in theirs)
    assert all(row["settings"] == {"delta": 1} for row in theirs)
    words = [line.split() for line in calls.read_text().splitlines()]
    assert len(words) == len(peer_runs.GAP_DELTAS) + 2 + 4
    assert all(line[line.index("-n") + 1] == "2" and "-d" in line for line in words[-4:])
    check_turns(rows_of(tmp_path, experiment))


@SLOW
def test_times_that_a_clock_cannot_show_are_no_rows(tmp_path, monkeypatch):
    monkeypatch.setitem(PEERS, "gap", "here")
    experiment, steps = make(tmp_path, "components")
    program = tmp_path / "cc"
    program.write_text("#!/bin/sh\necho 'Trial Time:          0.00000'\n")
    program.chmod(0o755)
    runner = Runner(Hoplite(HOPLITE), tmp_path, print, peer_runs.Peers(PEERS, tmp_path))
    assert runner.run(steps) == OK
    theirs = [row for row in rows_of(tmp_path, experiment) if row["variant"] == "gap"]
    assert theirs and all(row["outcome"] == "refused" for row in theirs)


@SLOW
def test_a_peer_that_is_killed_while_it_waits(tmp_path, monkeypatch):
    """It has a row that says so, and the others go on."""
    alive = peer_runs.AdapterProcess.run

    def dies(self, index, limit):
        if self.peer == "scipy":
            self.child.kill()
            self.child.wait()
        return alive(self, index, limit)

    monkeypatch.setattr(peer_runs.AdapterProcess, "run", dies)
    experiment, steps = make(tmp_path, "components")
    measure(tmp_path, steps)
    rows = rows_of(tmp_path, experiment)
    assert {row["outcome"] for row in rows if row["variant"] == "scipy"} == {"failed"}
    assert {row["outcome"] for row in rows if row["variant"] != "scipy"} == {"ok"}


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
