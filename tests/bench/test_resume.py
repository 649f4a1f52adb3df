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


def size(folder):
    """Bytes of rows so far: progress that does not depend on how busy the machine is."""
    path = os.path.join(folder, "rows")
    names = os.listdir(path) if os.path.exists(path) else []
    return sum(os.path.getsize(os.path.join(path, name)) for name in names)


def kill_at(folder, threshold, delay):
    """Starts a run and kills it a little after its rows have reached a size; False if it ended."""
    child = subprocess.Popen(command(folder, "run", "--no-report", *NAMES), start_new_session=True,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while child.poll() is None and size(folder) < threshold:
        time.sleep(0.002)
    time.sleep(delay)
    alive = child.poll() is None
    if alive:
        os.kill(child.pid, signal.SIGKILL)
    child.wait()
    return alive


def test_killed_ten_times(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run(whole, "run", "--no-report", *NAMES)
    wanted = results(whole)
    rng = random.Random(5)
    kills = [kill_at(killed, size(whole) * (number + rng.random()) / (KILLS + 1),
                     rng.choice((0, 0, rng.uniform(0, 0.05)))) for number in range(KILLS)]
    assert sum(kills) >= KILLS - 2, "most of them came before the end"
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
