# SPDX-License-Identifier: Apache-2.0
"""
Killed at random moments and started again: the same keys as an undisturbed run, each exactly once,
with the same results. Small here; docs/performance.md tells of one at full size.
"""

import os
import random
import signal
import subprocess
import time

from experiments_testing import SANITIZED, all_rows, command, run
from hoplite_bench import raw_rows

NAMES = ["rank-growth", "components-types"] if not SANITIZED else ["rank-growth"]
KILLS = 10 if not SANITIZED else 3


def results(folder):
    """{key: result hash} of the measured runs, and that none is there twice."""
    rows = all_rows(folder)
    assert raw_rows.duplicates(rows) == []
    return {raw_rows.identity(row): (row["outcome"], row["result_hash"])
            for row in raw_rows.measured(rows)}


def test_killed_ten_times(tmp_path):
    whole = tmp_path / "whole"
    begin = time.monotonic()
    run(whole, "run", "--no-report", *NAMES)
    length = time.monotonic() - begin
    wanted = results(whole)
    killed = tmp_path / "killed"
    rng = random.Random(5)
    kills = 0
    while kills < KILLS:
        child = subprocess.Popen(command(killed, "run", "--no-report", *NAMES),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 start_new_session=True)
        try:
            child.wait(rng.uniform(0.3, 0.3 + length / KILLS))
            break  # it came to its end before all kills
        except subprocess.TimeoutExpired:
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            kills += 1
    assert kills >= KILLS // 2
    run(killed, "run", "--no-report", *NAMES)
    assert results(killed) == wanted


def test_half_a_row_is_measured_again(tmp_path):
    run(tmp_path, "run", "--no-report", "rank-growth")
    wanted = results(tmp_path)
    path = tmp_path / "rows" / "rank-growth-small.jsonl"
    data = path.read_bytes()
    path.write_bytes(data[:len(data) // 2])
    os.remove(tmp_path / "steps.jsonl")
    _, said = run(tmp_path, "run", "--no-report", "rank-growth")
    assert "unfinished last row cut off" in said
    assert results(tmp_path) == wanted
