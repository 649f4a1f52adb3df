# SPDX-License-Identifier: Apache-2.0
"""
Killed at random moments and started again: the same keys as an undisturbed run, each exactly once,
with the same results. Small here, by the tool that does it at full size (shown in
docs/measurements/index.md).
"""

import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys

from experiments_testing import HOPLITE, ROOT, SANITIZED, all_rows, run
from hoplite_bench import raw_rows

TOOL = os.path.join(ROOT, "tools", "soak_resume")
KILLS = 10 if not SANITIZED else 3


def kill_and_resume(folder, seed):
    """How many of the kills came before the end; whatever they were, the rows are right."""
    names = [] if not SANITIZED else ["rank-soak"]
    shutil.rmtree(folder / "killed", ignore_errors=True)
    done = subprocess.run([sys.executable, TOOL, "--small", "--hoplite", HOPLITE, "--out", folder,
                           "--kills", str(KILLS), "--seed", str(seed), *names],
                          capture_output=True, text=True, timeout=2800)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert "the same keys, each once, with the same results" in done.stdout
    return int(re.search(r"killed (\d+) times", done.stdout).group(1))


def test_killed_ten_times(tmp_path):
    """On a busy machine a kill may come when the run has ended: then all are tried again."""
    assert any(kill_and_resume(tmp_path, seed) >= KILLS - 2 for seed in range(1, 9))
    whole, resumed = (raw_rows.measured(all_rows(tmp_path / name))
                      for name in ("undisturbed", "killed"))
    assert sorted(row["key"] for row in whole) == sorted(row["key"] for row in resumed)
    sessions = [row for row in all_rows(tmp_path / "killed") if row["kind"] == "session"]
    assert len({row["session"] for row in resumed}) > 1 and len(sessions) > 1, "it was resumed"


def test_the_tool_sees_what_is_wrong():
    loader = importlib.machinery.SourceFileLoader("soak_resume", TOOL)
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("soak_resume", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(tool)
    whole = {"a": ("ok", "1"), "b": ("ok", "2")}
    assert tool.compare(whole, dict(whole), []) == []
    for resumed, twice, says in ((dict(whole), ["a"], "there twice: a"),
                                 ({"a": ("ok", "1")}, [], "missing: b"),
                                 ({**whole, "c": ("ok", "3")}, [], "not in the undisturbed run: c"),
                                 ({**whole, "b": ("ok", "9")}, [], "differs: b"),
                                 ({**whole, "b": ("stopped", None)}, [], "differs: b")):
        assert any(line.startswith(says) for line in tool.compare(whole, resumed, twice)), says


def results(folder):
    """{key: result hash} of the measured runs, and that none is there twice."""
    rows = all_rows(folder)
    assert raw_rows.duplicates(rows) == []
    return {raw_rows.identity(row): (row["outcome"], row["result_hash"])
            for row in raw_rows.measured(rows)}


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
