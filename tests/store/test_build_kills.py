# SPDX-License-Identifier: Apache-2.0
"""Builds and searches on disk that are killed leave nothing behind, and are right when they are run
again: some kills here, more by tools/soak_build and tools/soak_search."""

import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])


def test_killed_builds():
    told = subprocess.run([sys.executable, SOURCE / "tools" / "soak_build", "--hoplite",
                           os.environ["HOPLITE"], "--kills", "6", "--scale", "16", "--memory",
                           "12M"], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert "6 kills" in told.stdout


def test_killed_searches():
    told = subprocess.run([sys.executable, SOURCE / "tools" / "soak_search", "--hoplite",
                           os.environ["HOPLITE"], "--kills", "3", "--scale", "15", "--memory",
                           "6M"], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert "3 kills" in told.stdout
