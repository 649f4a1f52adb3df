# SPDX-License-Identifier: Apache-2.0
"""What the tests of the experiments share: the package, the program, and folders of rows."""

import os
import subprocess
import sys

ROOT = os.environ.get("HOPLITE_SOURCE_DIR",
                      os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
HOPLITE = os.environ.get("HOPLITE", "hoplite")
SANITIZED = bool(os.environ.get("HOPLITE_SANITIZE"))
PROGRAM = os.path.join(ROOT, "bench", "run_experiments")
STAND_IN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stand_in.py")

sys.path.insert(0, os.path.join(ROOT, "bench"))


def command(folder, *words, hoplite=HOPLITE, peers="none"):
    devices = "all" if hoplite == STAND_IN else "cpu"
    return [sys.executable, PROGRAM, "--hoplite", hoplite, "--out", str(folder), "--peers", peers,
            "--device", devices, *map(str, words)]


def run(folder, *words, code=0, hoplite=HOPLITE, peers="none", env=None):
    """Runs the program to its end and returns (stdout, stderr)."""
    done = subprocess.run(command(folder, *words, hoplite=hoplite, peers=peers), text=True,
                          capture_output=True, timeout=2800, env={**os.environ, **(env or {})})
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def all_rows(folder):
    from hoplite_bench import raw_rows
    rows = []
    for name in sorted(os.listdir(os.path.join(folder, "rows"))):
        if not name.endswith(".jsonl"):
            continue
        rows += raw_rows.read(os.path.join(folder, "rows", name))
    return rows
