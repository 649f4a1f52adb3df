# SPDX-License-Identifier: Apache-2.0
"""The notebooks run from the first cell to the last, and show what they are kept with."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])
NOTEBOOKS = sorted((SOURCE / "examples" / "notebooks").glob("*.ipynb"))
pytest.importorskip("matplotlib")
pytest.importorskip("networkx")


def run(path):
    return subprocess.run([sys.executable, "-B", SOURCE / "tools/run_notebook", path],
                          capture_output=True, text=True, check=False)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path):
    done = run(path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_are_three():
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("kept, tags, word", [
    ("5\n", [], ""), ("6\n", [], "cell 1"), ("6\n", ["varies"], ""), (None, ["varies"], "cell 1")])
def test_what_differs_is_found(tmp_path, kept, tags, word):
    outputs = [{"name": "stdout", "output_type": "stream", "text": [kept]}] if kept else []
    cell = {"cell_type": "code", "id": "a", "metadata": {"tags": tags}, "execution_count": 1,
            "source": ["print(2 + 3)"], "outputs": outputs}
    path = tmp_path / "one.ipynb"
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4,
                                "nbformat_minor": 5}))
    done = run(path)
    assert (done.returncode == 1) == bool(word) and word in done.stdout, done.stdout
