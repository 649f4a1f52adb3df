# SPDX-License-Identifier: Apache-2.0
"""
The experiments: every data file, every experiment at the small size with the command itself, and,
with a stand-in for the command, what must happen when variants appear or results are wrong.
"""

import json
import os
import re
import subprocess

import pytest
from experiments_testing import SANITIZED, STAND_IN, all_rows, command, run
from hoplite_bench import (document_values, experiment_files, experiment_plan, figure_points,
                           raw_rows)
from hoplite_bench.hoplite_command import Hoplite

# Each figure family that the documents have, and its experiment.
FAMILIES = {
    "time/n against n, 1M to 64M (Yogaratnam 2010, 5.2.1, 5.2.2)": "rank-growth",
    "speed-up against threads (Yogaratnam 2010, 5.2.3)": "rank-threads",
    "share of each kernel (Yogaratnam 2010, 5.2.4, 5.2.5)": "rank-phases",
    "the inflection: per transaction, per GB (Yogaratnam 2010, 5.2.6)": "rank-inflection",
    "bytes per second, coalesced RS5 (Yogaratnam 2010, 5.2.7, fig. 5.9)": "rank-bandwidth",
    "rounds of pointer jumping (Yogaratnam 2010, 7.2)": "rank-rounds",
    "iterations for k = 1..20, per kernel (Yogaratnam 2010, figs. 6.3, 6.5)":
        "components-iterations",
    "graph type and number of sub-graphs (Yogaratnam 2010, 6.2)": "components-types",
    "speed-up by graph type (Yogaratnam 2010, fig. 6.4)": "components-threads",
    "random and scale-free graphs (Cong 2014)": "components-variants",
    "stages (Cong 2014)": "components-stages",
    "APSP for n = 1024 to 21504 (Kemp 2012, ch. 5)": "apsp-growth",
    "APSP by density (Kemp 2012, 6.1)": "apsp-density",
    "queue method, chunk size, data set (Troendle 2019, 7.1)": "bfs-queue",
    "CAS-retry and queue-empty ratios (Troendle 2019, 3.2, 3.3)": "bfs-retries",
    "scaling with persistent threads (Troendle 2019, 7.2, 7.3)": "bfs-scaling",
    "comparison of tables 7.1, 7.2 (Troendle 2019, 7.4)": "bfs-compare",
    "options of the frontier variants (CSE 599 I)": "bfs-frontier",
    "speculation and correction counts (Troendle 2019, 8.5)": "sssp-speculation",
    "comparison of table 8.2 (Troendle 2019, 8.6)": "sssp-compare",
    **{f"peers, {p}": f"{p}-peers" for p in ("bfs", "components", "sssp", "apsp")},
    **{f"auto, {p}": f"auto-{p}" for p in experiment_files.PROBLEMS},
}


def test_every_family_has_its_experiment():
    assert sorted(FAMILIES.values()) == experiment_files.names()


@pytest.mark.parametrize("name", experiment_files.names())
def test_data_file(name):
    small, full = (experiment_files.load(name, size) for size in experiment_files.SIZES)
    assert small.graphs and full.graphs
    assert all(run.expected for run in small.runs), "an experiment says what it waits for"
    for figure in small.figures:
        assert figure["x"] and (figure.get("y") or figure.get("kind") == "phases")
    full_sizes = [request.value("n") or 0 for request in full.graphs]
    if name == "rank-growth":
        assert min(full_sizes) == 1_000_000 and max(full_sizes) == 64_000_000
    if name == "apsp-growth":
        assert full_sizes == list(range(1024, 21505, 1024))
        for request in full.graphs:  # by one of the runs, never by two
            assert sum("blocked" in run.expected and run.takes(request) for run in full.runs) == 1


def test_document_values_belong_to_experiments():
    values = document_values.load()
    assert {value.document for value in values} == {"Yogaratnam 2010", "Cong 2014",
                                                    "Kemp 2012", "Troendle 2019"}
    for value in values:
        assert value.experiment in experiment_files.names(), value
        assert value.point is not None and value.where and value.device and value.unit
        labels = {request.label for size in experiment_files.SIZES
                  for request in experiment_files.load(value.experiment, size).graphs}
        assert value.graph is None or value.graph in labels, value


@pytest.mark.parametrize("change,says", [
    ("colour = 1\n", "colour"), ("problem = \"sort\"\n", "sort"),
    ("[[runs]]\nrepetitions = 0\n", "0 repetitions")])
def test_a_bad_data_file_is_refused(tmp_path, change, says):
    good = ('title = "t"\nsource = "s"\nquestion = "q"\nfigures = []\n'
            '{0}\n[[graphs]]\nlabel = "l"\nfamily = "list"\nsmall = {{n = [1]}}\n{1}')
    head, tail = ("", change) if change.startswith("[[") else (change, "[[runs]]\n")
    if "problem" not in change:
        head += 'problem = "rank"'
    (tmp_path / "x.toml").write_text(good.format(head, tail))
    with pytest.raises(experiment_files.BadExperiment, match=says):
        experiment_files.load("x", "small", tmp_path)


NAMES = ["rank-growth", "components-iterations", "bfs-compare", "auto-sssp"] if SANITIZED else []


def test_every_experiment_at_the_small_size(tmp_path):
    """With the command itself. What cannot run yet is said, and nothing stands in for it."""
    _, said = run(tmp_path, "run", "--no-report", *NAMES)
    rows = all_rows(tmp_path)
    assert not raw_rows.duplicates(rows)
    hoplite = Hoplite(os.environ.get("HOPLITE"))
    for name in NAMES or experiment_files.names():
        experiment = experiment_files.load(name, "small")
        steps, _ = experiment_plan.plan(experiment, hoplite, len(os.sched_getaffinity(0)))
        tag = experiment_plan.tag(experiment)
        here = [row for row in raw_rows.measured(rows) if row["tag"] == tag]
        if not steps:
            assert not here and f"{name}: cannot run yet" in said
            continue
        assert {row["graph"] for row in here} == {step.graph for step in steps}
        for step in steps:
            ok = {row["variant"] for row in here if row["graph"] == step.graph
                  and row["outcome"] == "ok"}
            refused = {row["variant"] for row in here if row["outcome"] == "refused"}
            assert {choice.name for choice in step.chosen} <= ok | refused, (name, step.graph)
            if experiment.problem == "bfs":
                its = [row for row in here if row["graph"] == step.graph]
                seen = max(row.get("relaxations") or 0 for row in its)
                edges = next(row["edges"] for row in its)
                assert seen >= edges / 4, f"{name}: searches of {step.graph} see {seen} of {edges}"
        if experiment.regret:
            found = [row for row in rows if row["kind"] == "regret" and row["tag"] == tag]
            assert {row["graph"] for row in found} == {step.graph for step in steps}
            assert all(row["regret"] >= 1 for row in found)
    run(tmp_path, "report", "rank-growth", "components-iterations", "auto-sssp")
    page = (tmp_path / "report-small.html").read_text()
    assert "Regret of auto" in page and "complete" in page
    assert not re.search(r"(src|href)=['\"]?https?:", page), "the page stands alone"


def test_a_second_run_measures_nothing(tmp_path):
    run(tmp_path, "run", "--no-report", "rank-growth")
    before = all_rows(tmp_path)
    _, said = run(tmp_path, "run", "--no-report", "rank-growth")
    assert "3 of 3 steps are done already" in said
    assert all_rows(tmp_path) == before


def test_a_dry_run_says_it_and_does_nothing(tmp_path):
    out, _ = run(tmp_path / "none", "run", "--dry-run", "rank-growth", hoplite=STAND_IN)
    assert out.count("hoplite bench rank list:n=") == 3
    assert not os.path.exists(tmp_path / "none")


def test_list_names_what_is_missing():
    out, _ = run("unused", "list", hoplite=STAND_IN,
                 env={"STAND_IN_TABLE": "rank/sequential rank/splitter"})
    text = out.partition("rank-growth\n")[2]
    assert "waits for: variant interleaved (host or device); variant splitter48" in text
    assert "bfs-queue\n" in out and "cannot run yet" in out


def test_a_new_variant_joins(tmp_path):
    """First the variant is not in the table; then it is: only its rows are added."""
    words = ["run", "--no-report", "rank-growth"]
    run(tmp_path, *words, hoplite=STAND_IN, env={"STAND_IN_TABLE": "rank/sequential"})
    before = raw_rows.measured(all_rows(tmp_path))
    assert {row["variant"] for row in before} == {"sequential"}
    run(tmp_path, *words, hoplite=STAND_IN,
        env={"STAND_IN_TABLE": "rank/sequential rank/interleaved"})
    after = raw_rows.measured(all_rows(tmp_path))
    assert [row for row in after if row["variant"] == "sequential"] == before
    assert sum(row["variant"] == "interleaved" for row in after) == len(before)


BOTH = {"STAND_IN_TABLE": "rank/sequential rank/wyllie rank/wyllie=device rank/splitter48=device"}


def test_a_device_joins(tmp_path):
    """Without one its variants are named as waiting for it; with one only their rows are added. A
    name that stands for two variants is asked for by place."""
    def measure(device):
        words = command(tmp_path, "run", "--no-report", "rank-growth", hoplite=STAND_IN)
        words[words.index("--device") + 1] = device
        done = subprocess.run(words, env={**os.environ, **BOTH}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stderr, raw_rows.measured(all_rows(tmp_path))

    said, before = measure("cpu")
    assert "a device (--device) for splitter48, wyllie" in said
    assert {(row["variant"], row["place"]) for row in before} == {("sequential", "host"),
                                                                  ("wyllie", "host")}
    said, after = measure("cpu,opencl:0.0")
    assert "(--device)" not in said
    added = [row for row in after if row["place"] == "device"]
    assert {row["variant"] for row in added} == {"wyllie", "splitter48"}
    assert [row for row in after if row["place"] == "host"] == before
    run(tmp_path, "report", "rank-growth", hoplite=STAND_IN, env=BOTH)
    page = (tmp_path / "report-small.html").read_text()
    assert "Stand-in" in page and "wyllie (opencl:0.0)" in page


def test_time_without_copies_is_a_curve_of_its_own(tmp_path):
    run(tmp_path, "run", "--no-report", "rank-growth", hoplite=STAND_IN, env=BOTH)
    experiment = experiment_files.load("rank-growth", "small")
    points = figure_points.points_of(experiment, all_rows(tmp_path))
    lines = figure_points.collect(experiment.figures[0], points, experiment)[""]
    for x, values in lines["splitter48"].values.items():
        assert lines["splitter48, no copies"].values[x] == pytest.approx(
            [0.7 * value for value in values])
    assert "sequential, no copies" not in lines


def test_a_parameter_that_is_missing_is_waited_for(tmp_path):
    _, said = run(tmp_path, "run", "--no-report", "bfs-queue", hoplite=STAND_IN, env={
        "STAND_IN_TABLE": "bfs/sequential bfs/persistent=device:dequeue+enqueue"})
    assert "parameter chunk of persistent" in said
    assert {row["variant"] for row in raw_rows.measured(all_rows(tmp_path))} == {"sequential"}


def test_a_wrong_result_fails_loudly(tmp_path):
    """One repetition of one variant has another hash, and the command did not notice."""
    _, said = run(tmp_path, "run", "--no-report", "rank-growth", hoplite=STAND_IN, code=3,
                  env={"STAND_IN_WRONG": "wyllie"})
    assert "WRONG RESULT in experiment rank-growth small" in said
    for word in ("list:n=16384,seed=1", "seed 1", "wyllie", "repetition 1", "again "):
        assert word in said
    page = run(tmp_path, "report", "rank-growth", hoplite=STAND_IN)
    assert "WRONG" in (tmp_path / "report-small.html").read_text(), page
    steps = [json.loads(line) for line in (tmp_path / "steps.jsonl").read_text().splitlines()]
    assert [step["outcome"] for step in steps] == ["wrong"], "it stops at the first one"


def test_after_the_bug_is_mended(tmp_path):
    """The rows of the graph with the wrong result are set aside and measured again."""
    words = ["run", "--no-report", "rank-growth"]
    run(tmp_path, *words, hoplite=STAND_IN, code=3, env={"STAND_IN_WRONG": "wyllie"})
    _, said = run(tmp_path, *words, hoplite=STAND_IN)
    assert "set aside, measured again" in said
    rows = raw_rows.measured(all_rows(tmp_path))
    assert len({row["result_hash"] for row in rows}) == 3, "one per list"
    rejected = raw_rows.read(tmp_path / "rows" / "rank-growth-small.jsonl.rejected")
    assert {row["graph"] for row in rejected} == {"list:n=16384,seed=1"}
    _, said = run(tmp_path, *words, hoplite=STAND_IN)
    assert "3 of 3 steps are done already" in said
