# SPDX-License-Identifier: Apache-2.0
"""hoplite bench: what runs, what the rows say, what is refused; docs/bench.md is the contract."""

import json
import signal
import subprocess
import time

import numpy as np
import pytest
from bench_testing import bench, rows_of
from cli_testing import (FAILURE, HOPLITE, INTERRUPTED, SANITIZED, USAGE, clean_environment,
                         host_variants, refuse, run, run_json)
from test_cli_interrupt import interrupt

SMALL = {"rank": "list:n=5000", "components": "rmat:scale=9,edge-factor=4",
         "bfs": "rmat:scale=9,edge-factor=4", "sssp": "rmat:scale=9,edge-factor=4,max-weight=99",
         "apsp": "erdos-renyi:n=60,m=200,max-weight=9"}


def variants_of(problem):
    return [row["name"] for row in host_variants(problem)]


# ---- what runs ---------------------------------------------------------------------------------

@pytest.mark.parametrize("problem", SMALL)
def test_all_variants_of_a_problem(problem, tmp_path):
    rows = bench(tmp_path, problem, SMALL[problem], "--repeat", 3, "--threads", "1,2", kind=None)
    runs = [row for row in rows if row["kind"] == "run"]
    names = variants_of(problem)
    wanted = {(name, threads, repetition) for name in names for threads in (1, 2)
              for repetition in range(3)}
    assert {(row["variant"], row["threads"], row["repetition"]) for row in runs} >= {
        key for key in wanted if key[0] in {row["variant"] for row in runs
                                            if row["outcome"] == "ok"}}
    assert {row["variant"] for row in runs} == set(names)
    good = [row for row in runs if row["outcome"] == "ok"]
    assert all(row["certified"] and row["certify_seconds"] >= 0 for row in good)
    assert len({row["result_hash"] for row in good}) == 1
    assert len({row["key"] for row in runs}) == len(runs)
    assert all(row["outcome"] in ("ok", "refused") for row in runs)
    for row in good:
        compute = sum(phase["seconds"] for phase in row["phases"])
        assert 0 < row["seconds"] <= row["call_seconds"]
        assert row["phases"] and compute <= row["seconds"] * (1 + 1e-9)
        assert row["copy_seconds"] == sum(phase["seconds"] for phase in row["phases"]
                                          if phase["kind"] == "copy")
        assert row["peak_bytes"] <= row["memory_bytes"]
        assert row["steps"] is None and row["ran"] == row["variant"]
    session, graph = rows[0], rows[1]
    assert session["kind"] == "session" and graph["kind"] == "graph"
    assert {row["session"] for row in rows} == {session["session"]}
    assert session["machine"]["usable_threads"] >= 1 and session["compiler"]
    assert session["command"][:3] == ["hoplite", "bench", problem]
    assert graph["graph_hash"] == runs[0]["graph_hash"]
    summaries = [row for row in rows if row["kind"] == "summary"]
    assert [(row["variant"], row["threads"]) for row in summaries] == [
        (name, threads) for name in names for threads in (1, 2)]


def test_rounds_alternate(tmp_path):
    rows = bench(tmp_path, "components", SMALL["components"], "--repeat", 6, "--variant",
                 "dfs", "--variant", "union-find", "--variant", "rem", "--threads", 1)
    order = [row["variant"] for row in rows]
    names = ["dfs", "union-find", "rem"]
    assert order == [names[(r + i) % 3] for r in range(6) for i in range(3)]
    assert [row["order"] for row in rows] == [0, 1, 2] * 6


def splitmix(seed):
    state, mask = seed, 2**64 - 1
    while True:
        state = (state + 0x9e3779b97f4a7c15) & mask
        z = state
        z = ((z ^ z >> 30) * 0xbf58476d1ce4e5b9) & mask
        z = ((z ^ z >> 27) * 0x94d049bb133111eb) & mask
        yield z ^ z >> 31


@pytest.mark.parametrize("seed", [1, 77])
def test_sources_by_the_documented_rule(seed, tmp_path):
    run("generate", "rmat", "--scale", 10, "--edge-factor", 2, "-o", tmp_path / "g.npz")
    arrays = np.load(tmp_path / "g.npz")
    degrees, n = np.diff(arrays["indptr"]), 1024
    wanted = []
    for x in splitmix(seed):
        v = ((x >> 32) * n) >> 32
        if degrees[v] > 0 and v not in wanted:
            wanted.append(v)
        if len(wanted) == 12:
            break
    rows = bench(tmp_path, "bfs", tmp_path / "g.npz", "--random-sources", 12, "--seed", seed,
                 "--repeat", 2, kind=None)
    graph = next(row for row in rows if row["kind"] == "graph")
    assert graph["sources"] == wanted
    first = [row for row in rows if row["kind"] == "run" and row["variant"] == "sequential"]
    assert [row["source"] for row in first] == wanted * 2
    assert [row["source_index"] for row in first] == list(range(12)) * 2


def test_few_sources_are_all_taken(tmp_path):
    (tmp_path / "g.txt").write_text("0 1\n")
    rows = bench(tmp_path, "bfs", tmp_path / "g.txt", "--random-sources", 5, "--repeat", 1,
                 kind="graph")
    assert sorted(rows[0]["sources"]) == [0, 1]


def test_named_sources(tmp_path):
    """By the ids of the file, in the order given, each once and each a search of its own."""
    (tmp_path / "g.txt").write_text("10 20\n20 30\n30 70\n70 99\n")
    rows = bench(tmp_path, "bfs", tmp_path / "g.txt", "--source", 70, "--source", 10, "--source",
                 70, "--repeat", 2, "--variant", "sequential", kind=None)
    graph = next(row for row in rows if row["kind"] == "graph")
    assert graph["sources"] == [70, 10]
    runs = [row for row in rows if row["kind"] == "run"]
    assert [(row["repetition"], row["source"]) for row in runs] == [(0, 70), (0, 10), (1, 70),
                                                                    (1, 10)]
    assert len({row["result_hash"] for row in runs}) == 2
    refuse("bench", "bfs", tmp_path / "g.txt", "--source", 11, code=USAGE,
           says=["no vertex 11", "nearest are 10 and 20"])


def test_distance_type(tmp_path):
    """Half the matrix, results that are not those of int64, and no comparison between the two."""
    words = ["apsp", SMALL["apsp"], "--repeat", 5, "--variant", "dijkstra"]
    wide = bench(tmp_path, *words, name="wide.jsonl")
    narrow = bench(tmp_path, *words, "--distance-type", "int32", name="narrow.jsonl")
    assert {row["distance_type"] for row in wide} == {"int64"}
    assert {row["distance_type"] for row in narrow} == {"int32"}
    assert {row["result_hash"] for row in wide}.isdisjoint(row["result_hash"] for row in narrow)
    assert {row["key"] for row in wide}.isdisjoint(row["key"] for row in narrow)
    refuse("bench", "--compare", tmp_path / "wide.jsonl", tmp_path / "narrow.jsonl", code=FAILURE,
           says=["has no run of the same problem"])
    run("bench", *words, "--distance-type", "int32", "--compare", tmp_path / "narrow.jsonl",
        code=None)


# ---- turns of others ---------------------------------------------------------------------------

def answer_turns(tmp_path, *words, answers):
    path = tmp_path / "turns.jsonl"
    done = subprocess.run([HOPLITE, "bench", *map(str, words), "--jsonl", path], text=True,
                          input="done\n" * answers, capture_output=True, env=clean_environment(),
                          timeout=300)
    turns = [tuple(map(int, line.split()[1:])) for line in done.stdout.splitlines()]
    assert all(line.startswith("turn ") for line in done.stdout.splitlines())
    return done, turns, rows_of(path, "run")


def test_others_take_turns(tmp_path):
    """Each of them in every round on every source; the place in the round moves as ours does."""
    words = ["bfs", SMALL["bfs"], "--variant", "sequential", "--random-sources", 2, "--repeat", 3,
             "--outside", 2]
    done, turns, runs = answer_turns(tmp_path, *words, answers=12)
    assert done.returncode == 0 and "bfs on" in done.stderr
    assert turns == [(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1),   # round 0: ours, 0, 1
                     (0, 1, 0), (0, 1, 1), (1, 1, 0), (1, 1, 1),   # round 1: 0, 1, ours
                     (1, 2, 0), (1, 2, 1), (0, 2, 0), (0, 2, 1)]   # round 2: 1, ours, 0
    assert [row["order"] for row in runs] == [0, 0, 2, 2, 1, 1]
    # Those whose rows are there already are asked all the same; ours are not run again.
    done, again, _ = answer_turns(tmp_path, *words, "--resume", answers=12)
    assert again == turns and len(rows_of(tmp_path / "turns.jsonl", "run")) == len(runs)


def test_turns_without_answers_fail(tmp_path):
    done, turns, _ = answer_turns(tmp_path, "bfs", SMALL["bfs"], "--outside", 1, "--repeat", 3,
                                  answers=2)
    assert done.returncode == FAILURE and len(turns) == 3
    assert "standard input ended" in done.stderr


def wait_for_others(path):
    """Lets the command wait twice for 0.4 s; the seconds that it counts for everything it did, and
    for its calls."""
    process = subprocess.Popen([HOPLITE, "bench", "bfs", SMALL["bfs"], "--outside", "1", "--repeat",
                                "2", "--jsonl", path, "-q"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True, env=clean_environment())
    for _ in range(2):
        assert process.stdout.readline().startswith("turn")
        time.sleep(0.4)
        process.stdin.write("done\n")
        process.stdin.flush()
    assert process.wait(300) == 0
    process.stdin.close()
    process.stdout.close()
    runs = rows_of(path, "run")
    calls = sum(row["call_seconds"] for row in runs)
    checks = sum(row["check_seconds"] or 0 for row in runs)
    return (calls + checks) / (1 - rows_of(path, "summary")[-1]["overhead"]), calls


def test_waiting_for_others_is_no_overhead(tmp_path):
    """Of 0.8 s that it waited, none is counted, but for what a machine that stalls adds to the
    milliseconds of its own work: in one of a few tries that is less."""
    for attempt in range(20):
        whole, calls = wait_for_others(tmp_path / f"r{attempt}.jsonl")
        if whole < 0.8 and calls < 0.4:
            return
    pytest.fail(f"{whole} s in all, calls of {calls} s")


def test_settings_of_variants(tmp_path):
    """A variant with a parameter, wherever one is by now."""
    rows = host_variants()
    for row in rows:
        number = next((p for p in row["parameters"] if p["type"] == "integer"
                       and p["minimum"] + 1 <= p["maximum"]), None)
        if row["place"] == "host" and number is not None:
            break
    else:
        pytest.skip("no variant has a whole number as a parameter")
    value = int(number["minimum"]) + 1
    words = [f"{row['name']}:{number['name']}={value}", row["name"]]
    runs = bench(tmp_path, row["problem"], SMALL[row["problem"]], "--variant", words[0],
                 "--variant", words[1], "--repeat", 2, "--threads", 1)
    assert {run["settings"][number["name"]] for run in runs} == {value, number["default"]}
    assert {run["key"].split()[2] for run in runs} == set(words)


def test_auto_says_what_ran(tmp_path):
    rows = bench(tmp_path, "sssp", SMALL["sssp"], "--variant", "auto", "--repeat", 2)
    assert all(row["variant"] == "auto" and row["ran"] in variants_of("sssp") for row in rows)
    assert all(row["reason"] for row in rows)


def test_steps(tmp_path):
    rows = bench(tmp_path, "components", SMALL["components"], "--steps", "--repeat", 1)
    for row in rows:
        calls = sum(phase["calls"] for phase in row["phases"])
        assert len(row["steps"]) == min(calls, 4096)
        for i, phase in enumerate(row["phases"]):
            mine = [step[1] for step in row["steps"] if step[0] == i]
            assert sum(mine) == pytest.approx(phase["seconds"], rel=1e-9, abs=1e-12)


def test_refusal_is_a_row_and_a_line(tmp_path):
    (tmp_path / "g.txt").write_text("0 1 -5\n1 2 3\n")
    out, _ = run("bench", "sssp", tmp_path / "g.txt", "--directed", "--repeat", 2, "--jsonl",
                 tmp_path / "r.jsonl")
    rows = rows_of(tmp_path / "r.jsonl", "run")
    refused = [row for row in rows if row["outcome"] == "refused"]
    assert [row["variant"] for row in refused].count("dijkstra") == 1
    assert all(row["seconds"] is None and "weight" in row["message"] for row in refused)
    assert "dijkstra" in out and "refused" in out
    assert [row["outcome"] for row in rows if row["variant"] == "bellman-ford"] == ["ok", "ok"]


def test_only_refusals_fail(tmp_path):
    (tmp_path / "g.txt").write_text("0 1 -5\n")
    run("bench", "sssp", tmp_path / "g.txt", "--directed", "--variant", "dijkstra", code=FAILURE)


@pytest.mark.parametrize("place", ["prepared", "unprepared"])
def test_directed_graphs(place, tmp_path):
    (tmp_path / "g.txt").write_text("".join(f"{i} {(7 * i + 3) % 50}\n" for i in range(50)))
    more = ["--unprepared"] if place == "unprepared" else []
    rows = bench(tmp_path, "components", tmp_path / "g.txt", "--directed", "--repeat", 2,
                 "--variant", "dfs", *more)
    copies = [phase for phase in rows[0]["phases"] if phase["kind"] == "copy"]
    assert bool(copies) == (place == "unprepared")
    assert rows[0]["copy_seconds"] == sum(phase["seconds"] for phase in copies)


def test_floating_point_matrices(tmp_path):
    """Variants on the matrix round differently: they are certified, not compared bit by bit."""
    rows = bench(tmp_path, "apsp", "erdos-renyi:n=70,m=300,weights=float32,min-weight=0,"
                 "max-weight=1", "--repeat", 2)
    refused = {row["variant"] for row in rows if row["outcome"] != "ok"}
    assert refused == {"bfs", "bfs-bits"}  # they count arcs
    assert all(row["certified"] for row in rows if row["variant"] not in refused)


# ---- time limit, memory, interruption ----------------------------------------------------------

def test_time_limit(tmp_path):
    """What is stopped has no time, and nothing of its variant is run any more: a machine that
    manages a hundred runs of this in 0.3 s is not made yet."""
    path = tmp_path / "r.jsonl"
    out, _ = run("bench", "apsp", "erdos-renyi:n=1500,m=6000", "--variant", "floyd-warshall",
                 "--variant", "dijkstra", "--time-limit", 0.3, "--repeat", 100, "--jsonl", path,
                 code=None)
    rows = rows_of(path, "run")
    for name in ("floyd-warshall", "dijkstra"):
        mine = [row for row in rows if row["variant"] == name]
        assert [row["outcome"] for row in mine] == ["ok"] * (len(mine) - 1) + ["stopped"]
        assert mine[-1]["seconds"] is None and len(mine) < 100
        # A run that begins in time is in it but for its own end, and there is one such run.
        assert sum(row["seconds"] for row in mine[:-1]) < 0.3 + max(
            (row["seconds"] for row in mine[:-1]), default=0)
    assert "time limit" in out


def test_time_limit_always_leaves_a_row(tmp_path):
    """Also when it is reached between two runs: these are shorter than any callback."""
    rows = bench(tmp_path, "components", "rmat:scale=6", "--time-limit", 0.001, "--repeat", 100000)
    assert len({row["key"] for row in rows}) == len(rows)
    for name in variants_of("components"):
        mine = [row for row in rows if row["variant"] == name]
        assert [row["outcome"] for row in mine].count("stopped") == 1, name
        assert mine[-1]["outcome"] == "stopped" and mine[-1]["seconds"] is None
        assert mine[-1]["message"].startswith("time limit")
        assert [row["repetition"] for row in mine] == list(range(len(mine)))


def test_budget_is_kept(tmp_path):
    """Results and graph count: with too little for them it is refused, and never exceeded."""
    refuse("bench", "apsp", "erdos-renyi:n=2000,m=4000", "--memory", "20M", code=FAILURE,
           says=["MiB"])
    rows = bench(tmp_path, "components", SMALL["components"], "--memory", "64M", "--repeat", 1)
    assert all(row["outcome"] == "ok" for row in rows)


def test_interrupt_keeps_the_rows(tmp_path):
    path = tmp_path / "r.jsonl"
    process = subprocess.Popen([HOPLITE, "bench", "components", "rmat:scale=14", "--repeat",
                                "100000", "--time-limit", "1000", "--jsonl", path],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=clean_environment())
    while not path.exists() or path.read_text().count("\n") < 20:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == INTERRUPTED and b"interrupted" in err
    rows = rows_of(path, "run")
    assert len(rows) >= 15 and all(row["outcome"] == "ok" for row in rows)


def test_interrupt_in_a_long_run():
    """One run of half a minute or more: it is cancelled, not waited for."""
    process = subprocess.Popen([HOPLITE, "bench", "apsp", "erdos-renyi:n=6000,m=12000", "--variant",
                                "floyd-warshall", "--threads", "1"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=clean_environment())
    code, seconds, err = interrupt(process, signal.SIGINT, 2)
    assert code == INTERRUPTED and "interrupted" in err
    assert seconds < (20 if SANITIZED else 2)


@pytest.mark.parametrize("moment", range(4))
def test_killed_and_resumed(moment, tmp_path):
    """SIGKILL at any moment: after --resume the keys and hashes are those of a whole run."""
    words = ["bench", "components", "rmat:scale=11", "rmat:scale=10,seed=5", "--threads", "1,2",
             "--repeat", "20"]
    run(*words, "--jsonl", tmp_path / "whole.jsonl")
    path = tmp_path / "r.jsonl"
    process = subprocess.Popen([HOPLITE, *words, "--jsonl", path], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=clean_environment())
    while process.poll() is None and (not path.exists() or
                                      path.read_text().count("\n") < 7 + 31 * moment):
        time.sleep(0.002)
    process.kill()
    process.wait()
    with open(path, "a") as file:  # a line that was cut off
        file.write('{"schema": 1, "kind": "run", "key": "comp')
    run(*words, "--jsonl", path, "--resume")
    whole = {row["key"]: row["result_hash"] for row in rows_of(tmp_path / "whole.jsonl", "run")}
    resumed = []
    for line in path.read_text().splitlines():
        try:
            resumed.append(json.loads(line))
        except json.JSONDecodeError:
            pass
    keys = [row["key"] for row in resumed if row["kind"] == "run"]
    assert sorted(keys) == sorted(whole)
    assert {row["key"]: row["result_hash"] for row in resumed if row["kind"] == "run"} == whole
    last = [row for row in resumed if row["kind"] == "summary"][-1]
    assert last["runs"] == 20
    assert sum(row["kind"] == "session" for row in resumed) == 2


def test_resume_when_all_is_there(tmp_path):
    words = ["bench", "bfs", SMALL["bfs"], "--repeat", 3, "--random-sources", 2, "--jsonl",
             tmp_path / "r.jsonl"]
    first, _ = run(*words)
    again, _ = run(*words, "--resume")
    assert first == again
    runs = rows_of(tmp_path / "r.jsonl", "run")
    assert len(runs) == len({row["key"] for row in runs})
    refuse(*words, "--resume", "--seed", 2, says=["seed 1", "--resume"])
    other, _ = run(*words, "--resume", "--tag", "other")
    assert len(rows_of(tmp_path / "r.jsonl", "run")) == 2 * len(runs)


def test_resume_knows_only_what_was_measured_on_the_same(tmp_path):
    """Another graph under the same name, another source under the same number, what was wrong."""
    graph, rows = tmp_path / "g.npz", tmp_path / "r.jsonl"
    words = ["bench", "bfs", graph, "--variant", "sequential", "--repeat", 2, "--jsonl", rows,
             "--resume"]
    run("generate", "grid", "--rows", 9, "--cols", 9, "-o", graph, "-q")
    run(*words, "--source", 5)
    run(*words, "--source", 5)
    assert len(rows_of(rows, "run")) == 2
    run(*words, "--source", 7)
    assert [row["source"] for row in rows_of(rows, "run")] == [5, 5, 7, 7]
    run("generate", "grid", "--rows", 9, "--cols", 10, "-o", graph, "-q")
    run(*words, "--source", 7)
    assert len({row["graph_hash"] for row in rows_of(rows, "run")}) == 2
    assert len(rows_of(rows, "run")) == 6
    rows.write_text(rows.read_text().replace('"outcome": "ok"', '"outcome": "wrong"'))
    run(*words, "--source", 7)
    assert [row["outcome"] for row in rows_of(rows, "run")] == 6 * ["wrong"] + 2 * ["ok"]


def test_resume_with_a_long_path(tmp_path):
    folder = tmp_path
    for _ in range(6):
        folder = folder / ("f" * 200)
    folder.mkdir(parents=True)
    run("generate", "grid", "--rows", 9, "--cols", 9, "-o", folder / "g.npz", "-q")
    words = ["bench", "bfs", folder / "g.npz", "--variant", "sequential", "--repeat", 3, "--jsonl",
             tmp_path / "r.jsonl"]
    run(*words)
    keys = [row["key"] for row in rows_of(tmp_path / "r.jsonl", "run")]
    assert len(set(keys)) == 3
    run(*words, "--resume")
    assert len(rows_of(tmp_path / "r.jsonl", "run")) == 3


def test_many_sources_of_a_graph_with_few(tmp_path):
    (tmp_path / "g.txt").write_text("".join(f"0 {v}\n" for v in range(1, 40000)))
    rows = bench(tmp_path, "bfs", tmp_path / "g.txt", "--random-sources", 65536, "--repeat", 1,
                 "--warmup", 0, "--variant", "sequential", "--time-limit", 1, kind="graph",
                 code=None)
    assert rows, "drawing them took seconds, not minutes"


def test_constants_of_the_machine_are_used(tmp_path):
    (tmp_path / "tuning").write_text("bfs.small = 1e9\n")
    words = ["bfs", "rmat:scale=15", "--variant", "auto", "--repeat", 1]
    plain = bench(tmp_path, *words, name="a.jsonl")
    tuned = bench(tmp_path, *words, name="b.jsonl", env={"HOPLITE_TUNING": tmp_path / "tuning"})
    assert (plain[0]["ran"], tuned[0]["ran"]) == ("direction-optimizing", "sequential")


# ---- output ------------------------------------------------------------------------------------

def test_table_is_sorted_and_plain():
    out, err = run("bench", "components", SMALL["components"], "--repeat", 3, "--threads", "1,2")
    assert "\033" not in out
    # What others do on this machine meanwhile is told too: test_cli_bench_busy.py.
    assert all("warning: other work kept" in line for line in err.splitlines()), err
    lines = [line.partition("  busy: ")[0] for line in out.splitlines()]
    assert lines[1] == "components on " + SMALL["components"]
    ratios = [float(line[:1000].split()[-1]) for line in lines[4:]]
    assert ratios == sorted(ratios) and ratios[0] == 1.0
    assert len(ratios) == 2 * len(variants_of("components"))


def test_rows_on_standard_output():
    out, err = run("bench", "rank", SMALL["rank"], "--repeat", 2, "--jsonl", "-")
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows[0]["kind"] == "session" and rows[-1]["kind"] == "summary"
    assert "rank on list:n=5000" in err


def test_json(tmp_path):
    document = run_json("bench", "rank", SMALL["rank"], SMALL["rank"] + ",seed=2", "--repeat", 4,
                        "--variant", "sequential")
    assert [row["graph"] for row in document["summaries"]] == [SMALL["rank"],
                                                               SMALL["rank"] + ",seed=2"]
    assert all(row["runs"] == 4 and row["rate_unit"] == "ns/element"
               for row in document["summaries"])


def test_commit_and_tag(tmp_path):
    rows = bench(tmp_path, "rank", SMALL["rank"], "--repeat", 1, "--tag", "a b", kind=None,
                 env={"HOPLITE_COMMIT": "abc"})
    assert rows[0]["commit"] == "abc" and {row["tag"] for row in rows} == {"a b"}


def test_machine(tmp_path):
    if SANITIZED:
        pytest.skip("slow when instrumented")
    rows = bench(tmp_path, "--machine", "--repeat", 2, "--threads", "1", "--memory", "128M",
                 kind="rate")
    assert {row["operation"] for row in rows} == {"read", "copy", "triad", "gather", "chase"}
    for row in rows:
        assert row["bytes_per_second"] == pytest.approx(row["bytes"] / row["seconds"])
        assert row["threads"] == 1 and row["working_set_bytes"] <= 128 << 20
    assert sum(row["operation"] == "gather" for row in rows) == 2 * len(
        {row["elements"] for row in rows if row["operation"] == "gather"})


@pytest.mark.parametrize("words, says", [
    ([], ["a problem and a graph", "usage: hoplite bench"]),
    (["bfs"], ["a problem and a graph"]),
    (["bsf", "x"], ["none of rank, components", "did you mean bfs"]),
    (["bfs", "rmat:scale=5", "--variant", "sequentail"], ["none of", "did you mean sequential"]),
    (["bfs", "rmat:scale=5", "--variant", "auto:x=1"], ["auto has no settings"]),
    (["bfs", "rmat:scale=5", "--variant", "sequential:x=1"], ["no parameter"]),
    (["bfs", "rmat:scael=5"], ["rmat has no parameter", "scale"]),
    (["bfs", "rmat:scale=5,weights=int3"], ["weights: TYPE expected"]),
    (["bfs", "list:n=5"], ["a list; a graph expected"]),
    (["rank", "rmat:scale=5"], ["a list expected"]),
    (["bfs", "rmat:scale=5", "--threads", "1,x"], ["--threads", "1,2,4"]),
    (["bfs", "rmat:scale=5", "--threads", "0"], ["--threads"]),
    (["bfs", "rmat:scale=5", "--time-limit", "0"], ["--time-limit"]),
    (["bfs", "rmat:scale=5", "--resume"], ["--resume needs --jsonl"]),
    (["rank", "list:n=5", "--source", "1"], ["rank has no source"]),
    (["components", "rmat:scale=5", "--random-sources", "2"], ["components has no source"]),
    (["bfs", "rmat:scale=5", "--source", "1", "--random-sources", "2"], ["exclude each other"]),
    (["bfs", "rmat:scale=5", "--distance-type", "int32"], ["only apsp"]),
    (["bfs", "rmat:scale=5", "--outside", "1", "--json"], ["--outside", "--json"]),
    (["bfs", "-", "--outside", "1"], ["standard input"]),
    (["--machine", "bfs"], ["--machine takes no operands"]),
])
def test_wrong_command_lines(words, says):
    refuse("bench", *words, code=USAGE, says=says)


def test_file_that_cannot_be_written(tmp_path):
    refuse("bench", "bfs", "rmat:scale=5", "--jsonl", tmp_path / "no" / "r.jsonl", code=FAILURE,
           says=["No such file"])
