# SPDX-License-Identifier: Apache-2.0
"""bench/alternate: turns, patterns, rows, and what it refuses. Times are printed by the commands
themselves here, so nothing depends on the clock."""

import json
import os
import pathlib
import subprocess
import sys

ALTERNATE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"]) / "bench" / "alternate"
SECONDS = "T: ([0-9.]+)"


def alternate(*words):
    return subprocess.run([sys.executable, ALTERNATE, *words], capture_output=True, text=True)


def say(*lines):
    return ["printf", "".join(f"{line}\\n" for line in lines)]


def test_ratios_of_medians(tmp_path):
    rows = tmp_path / "rows.jsonl"
    done = alternate("-n", "3", "-p", SECONDS, "--rows", str(rows), "--label", "g=x=1", "--",
                     *say("T: 1", "T: 2", "T: 9"), "::", *say("T: 6"), "::", *say("T: 1"))
    assert done.returncode == 0, done.stderr
    assert "1 is 3.000 times as fast as 2 (95 %: 3.000 .. 3.000)" in done.stdout
    assert "1 is 0.500 times as fast as 3" in done.stdout
    kept = [json.loads(line) for line in rows.read_text().splitlines()]
    # Each round begins with the next one.
    assert [row["seconds"] for row in kept] == [2, 6, 1, 6, 1, 2, 1, 2, 6]
    assert {row["g"] for row in kept} == {"x=1"}
    assert [row["round"] for row in kept] == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_a_pattern_for_each():
    done = alternate("-n", "2", "-p", SECONDS, "-p", "took ([0-9]+) ", "--", *say("T: 4"), "::",
                     *say("took 8 seconds"))
    assert "1 is 2.000 times as fast as 2" in done.stdout, done.stderr


def test_whole_processes_without_a_pattern():
    done = alternate("-n", "1", "--", "true", "::", "true")
    assert done.returncode == 0 and "other work" in done.stdout, done.stderr


TRIAL = """
import sys
for number, line in enumerate(sys.stdin):
    print(f"T: {number // 2 * float(sys.argv[1]) + 1000 * (number % 2 == 0)}", flush=True)
sys.exit(number != 15)
"""


def test_turns_by_trials(tmp_path):
    rows = tmp_path / "rows.jsonl"
    done = alternate("-n", "2", "-p", SECONDS, "--trials", "8", "--rows", str(rows), "--",
                     sys.executable, "-c", TRIAL, "1", "::", sys.executable, "-c", TRIAL, "3")
    assert done.returncode == 0, done.stderr
    assert "1 is 3.000 times as fast as 2 (95 %: 3.000 .. 3.000)" in done.stdout
    kept = [json.loads(line)["seconds"] for line in rows.read_text().splitlines()]
    assert kept == [3.5, 10.5, 3.5, 10.5]  # the first trial of each turn is not counted


def test_refusals():
    for words, said in (
            (["--trials", "3", "--", "cat", "::", "cat"], "-p that finds"),
            (["--trials", "3", "-p", SECONDS, "--", "cat", "::", "cat"], "matches nothing"),
            (["--trials", "3", "-p", SECONDS, "--", *say("T: 1"), "::", "cat"], "matches nothing"),
            (["--trials", "7", "-p", SECONDS, "--", sys.executable, "-c", TRIAL, "1", "::",
              sys.executable, "-c", TRIAL, "3"], "exit code 1"),
            (["--", "true"], "two or more commands"),
            (["--", "true", "::"], "two or more commands"),
            (["--label", "x", "--", "true", "::", "true"], "--label NAME=VALUE"),
            (["-n", "0", "--", "true", "::", "true"], "one round at least"),
            (["-p", "a", "-p", "b", "--", "true", "::", "true", "::", "true"], "2 patterns for 3"),
            (["-p", SECONDS, "--", *say("T: 1"), "::", *say("nothing")], "matches nothing"),
            (["--", "true", "::", "false"], "exit code 1: false"),
            (["--", "true", "::", "./no-such-program"], "No such file")):
        done = alternate(*words)
        assert done.returncode != 0 and said in done.stderr, (words, done.stderr)
