# SPDX-License-Identifier: Apache-2.0
"""Calls on files that fail, one at a time, by a shim below the C library: a drawn part of what
tools/soak_faults tries, and that it finds what is wrong."""

import os
import pathlib
import subprocess
import sys

import pytest

from cli_testing import FAILURE, HOPLITE, SANITIZED, clean_environment

SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])
SHIM = pathlib.Path(os.environ["HOPLITE_BUILD_DIR"]) / "tests/libio_shim.so"
FAULTS = int(os.environ.get("HOPLITE_TEST_FAULTS", "120"))

pytestmark = pytest.mark.skipif(SANITIZED or not SHIM.exists(), reason="no shim in this build")


def tool(*words, hoplite=HOPLITE):
    return subprocess.run([sys.executable, SOURCE / "tools/soak_faults", "--hoplite", hoplite,
                           "--shim", SHIM, *map(str, words)], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)


def test_calls_that_fail():
    done = tool("--most", FAULTS, "--seed", 7)
    assert done.returncode == 0, done.stdout
    assert f"soak_faults: {FAULTS} faults of " in done.stdout


def test_a_command_that_leaves_half_a_file_is_found(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(SOURCE / "tools"))
    import file_jobs

    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("a\n" * 1000)
    stand = file_jobs.Stand("/bin/cp", SHIM, tmp_path / "in", tmp_path)
    copy = file_jobs.Job("copy", "IN/a.txt OUT/a.txt", ("a.txt",), says=True)
    from importlib.machinery import SourceFileLoader
    from importlib.util import module_from_spec, spec_from_loader

    loader = SourceFileLoader("soak_faults", str(SOURCE / "tools/soak_faults"))
    faults = module_from_spec(spec_from_loader("soak_faults", loader))
    loader.exec_module(faults)
    calls, expected, said = faults.calls_of(stand, copy)
    moves = [number for number, name, path in calls
             if name in faults.WRITES and path.endswith("a.txt")]
    with pytest.raises(faults.Wrong, match="half written"):
        faults.check(stand, copy, f"{moves[0]} ENOSPC+", expected, said)


def test_too_few_files_says_how_many_would_do(tmp_path):
    line = (f"ulimit -n 32; exec '{HOPLITE}' generate rmat --scale 14 --weights int32 "
            f"--memory 7500K --threads 1 -q -o '{tmp_path}/g.npz'")
    done = subprocess.run(["bash", "-c", line], env=clean_environment(), text=True,
                          capture_output=True, check=False)
    assert done.returncode == FAILURE
    assert f"cannot create a file in {tmp_path}: Too many open files: this process may have 32" \
        in done.stderr
    assert "ulimit -n 72" in done.stderr
    assert not list(tmp_path.iterdir())
