# SPDX-License-Identifier: Apache-2.0
"""The figures of docs/performance.md are those of the published tables."""

import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])


def check(root):
    return subprocess.run([sys.executable, root / "bench" / "draw_performance", "check"],
                          capture_output=True, text=True)


def test_figures_are_those_of_the_tables():
    done = check(SOURCE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_changed_table_is_noticed(tmp_path):
    for folder in ("docs/measurements", "docs/figures"):
        shutil.copytree(SOURCE / folder, tmp_path / folder)
    (tmp_path / "bench").mkdir()
    shutil.copy(SOURCE / "bench" / "draw_performance", tmp_path / "bench")
    if (SOURCE / "bench" / "rows").exists():
        shutil.copytree(SOURCE / "bench" / "rows", tmp_path / "bench" / "rows")
    assert check(tmp_path).returncode == 0
    page = tmp_path / "docs" / "measurements" / "measured-components.md"
    text = page.read_text()
    assert "| 8.6 (6.6 .. 9.7) |" in text
    page.write_text(text.replace("| 8.6 (6.6 .. 9.7) |", "| 8.7 (6.6 .. 9.7) |"))
    done = check(tmp_path)
    assert done.returncode == 1 and "speed.svg" in done.stdout and "hard.svg" not in done.stdout


def test_performance_is_short():
    assert len((SOURCE / "docs" / "performance.md").read_text().split()) <= 1500
