# SPDX-License-Identifier: Apache-2.0
"""bench/device_counters: what the interpreter of PTX counts, as a table; the same in every run."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"]) / "bench" / "device_counters"
BUILD = pathlib.Path(os.environ["HOPLITE_BUILD_DIR"])

pytestmark = pytest.mark.skipif(not (BUILD / "tests/ptx/libptx_driver.so").exists()
                                or os.environ.get("HOPLITE_SANITIZE", "") not in ("", "OFF"),
                                reason="no stand-in for NVIDIA's driver")


def counted(tmp_path, *words):
    """The rows, and what was printed."""
    rows = tmp_path / "rows.json"
    done = subprocess.run([sys.executable, TOOL, "--build", str(BUILD), "--scale", "8", "--json",
                           str(rows), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(rows.read_text()), done.stdout


def test_a_search(tmp_path):
    rows, text = counted(tmp_path, "--problem", "bfs", "--input", "R-MAT", "--kernels", "--model")
    (row,) = rows
    total = row["total"]
    assert row["variant"] == "direction-optimizing"
    assert row["units"] > 0 and total["launches"] == sum(k["launches"]
                                                         for k in row["kernels"].values())
    # the graph is there: what comes back is a level and a parent for each vertex, and some words
    assert row["host"]["bytes_in"] < 1024
    assert 0 <= row["host"]["bytes_out"] - 2 * 4 * 256 < 2048
    assert 0 < row["host"]["waits"] < 20
    # kinds and lanes are of the same instructions
    assert sum(total["works"].values()) == total["steps"] == sum(total["lanes"])
    assert sum((i + 1) * n for i, n in enumerate(total["lanes"])) == total["lane_steps"]
    for kind in ("load", "store", "update"):
        assert total[kind]["least"] <= total[kind]["sectors"] <= total[kind]["items"]
    assert "| bfs | R-MAT 8 | `direction-optimizing` |" in text
    assert "| `clear` | 1 |" in text and "RTX 4090, model's ms" in text
    assert counted(tmp_path, "--problem", "bfs", "--input", "R-MAT")[0] == rows


def test_a_list_goes_there_in_every_call(tmp_path):
    (row,), _ = counted(tmp_path, "--problem", "rank", "--variant", "wyllie")
    assert row["variant"] == "wyllie" and row["units"] == 256
    assert row["host"]["bytes_in"] >= 4 * 256
