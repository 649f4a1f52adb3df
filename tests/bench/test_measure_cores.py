# SPDX-License-Identifier: Apache-2.0
"""bench/measure_cores: the fit and the medians on rows that are made up, nodes of a made-up /sys,
and whole runs on small graphs, stopped and gone on with."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"]) / "bench" / "measure_cores"


def load():
    loader = importlib.machinery.SourceFileLoader("measure_cores", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module


CORES = load()


def row(threads, seconds, **more):
    return {"kind": "run", "outcome": "ok", "warmup": False, "problem": "bfs", "variant": "v",
            "graph": "g", "ran": "v", "threads": threads, "seconds": seconds, "edges": 2000,
            "vertices": 10, "counters": {}, **more}


@pytest.mark.parametrize("share", [0, 0.01, 0.25, 1])
def test_share_is_found_again(share):
    times = {count: 3 * (share + (1 - share) / count) for count in (1, 2, 4, 64)}
    assert CORES.serial_share(times) == pytest.approx(share, abs=1e-12)
    assert CORES.gain(share, 64) == pytest.approx(times[1] / times[64])


def test_share_of_uneven_times_is_between():
    low, high = 0.1, 0.3
    times = {1: 1, 2: low + (1 - low) / 2, 8: high + (1 - high) / 8}
    assert low < CORES.serial_share(times) < high
    assert CORES.serial_share({1: 1, 2: 0.4}) < 0  # more than twice as fast
    assert CORES.serial_share({1: 1}) is None and CORES.serial_share({2: 1}) is None


def test_threads():
    assert CORES.thread_counts(1) == [1]
    assert CORES.thread_counts(2) == [1, 2]
    assert CORES.thread_counts(64) == [1, 2, 4, 8, 16, 32, 64]
    assert CORES.thread_counts(96) == [1, 2, 4, 8, 16, 32, 64, 96]


def test_rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    kept = [row(1, 9), row(1, 1), row(1, 2), row(2, 4), row(2, 1, outcome="stopped"),
            row(2, 1, warmup=True), {"kind": "session"}, row(2, 7, graph="other")]
    path.write_text("".join(json.dumps(one) + "\n" for one in kept) + '{"kind": "run", "outc')
    rows = CORES.of_cell(CORES.runs(path), ("bfs", "v", "g"))
    assert CORES.medians(rows) == {1: 2, 2: 4}
    assert CORES.time_cells(("bfs", "v", "g"), rows, [1, 2, 4])[3:7] == ["2e+03", "4e+03", "-",
                                                                        "0.50"]
    assert CORES.runs(tmp_path / "none") == []


def test_counts():
    counters = dict.fromkeys(CORES.COUNTERS, 0)
    rows = [row(8, 1, counters={**counters, "atomic writes": 400, "swaps": 100, "barriers": 3,
                                "failed swaps": 5, "lines taken over": taken})
            for taken in (20, 10, 60)]
    line = CORES.count_cells(("bfs", "v", "g"), rows)
    assert line[3:9] == ["0.2000", "0.0500", "5", "5 %", "10 (5 .. 30)", "3"]
    with pytest.raises(CORES.Failure, match="HOPLITE_COUNT_ATOMICS"):
        CORES.count_cells(("bfs", "v", "g"), [row(8, 1)])


def test_nodes(tmp_path):
    for number, processors in ((10, "8-15"), (9, "0-7")):
        folder = tmp_path / f"node{number}"
        folder.mkdir()
        (folder / "cpulist").write_text(processors + "\n")
        (folder / "meminfo").write_text(f"Node {number} MemTotal:  2097152 kB\n"
                                        f"Node {number} MemFree: 1 kB\n")
    (tmp_path / "power").mkdir()
    assert CORES.nodes(tmp_path) == [(9, "0-7", 2), (10, "8-15", 2)]
    assert CORES.nodes(tmp_path / "none") == []


def measured(*words):
    return subprocess.run([sys.executable, "-B", SCRIPT, "--quick", "--repeat", "1", *words],
                          capture_output=True, text=True, check=False)


def test_goes_on(tmp_path):
    path = tmp_path / "rows.jsonl"
    first = measured("--problem", "rank", "--threads", "1", "--jsonl", path)
    assert first.returncode == 0, first.stderr
    before = CORES.runs(path)
    done = measured("--problem", "rank", "--threads", "2", "--jsonl", path)
    assert done.returncode == 0, done.stderr
    after = CORES.runs(path)
    assert [one["threads"] for one in before] == [1]
    assert after[0] == before[0] and [one["threads"] for one in after] == [1, 2]
    words = [word.strip() for word in done.stdout.splitlines()[-1].strip("| ").split("|")]
    assert words[0] == "rank" and float(words[3]) == pytest.approx(before[0]["seconds"] * 1e3,
                                                                   rel=0.01)


def test_failures():
    done = measured("--problem", "rank", "--threads", "1", "--counts")
    assert done.returncode == 1 and "HOPLITE_COUNT_ATOMICS" in done.stderr
    done = measured("--hoplite", "/nowhere/hoplite")
    assert done.returncode == 1 and done.stderr.count("measure_cores: ") == 1
