# SPDX-License-Identifier: Apache-2.0
"""Calls on files that fail, power that is lost, and kills, by a shim below the C library: a drawn
part of what tools/soak_faults, soak_power and soak_kills try, and that they find what is wrong."""

import importlib.machinery
import importlib.util
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


def run_tool(name, *words):
    return subprocess.run([sys.executable, SOURCE / "tools" / name, "--hoplite", HOPLITE, "--shim",
                           SHIM, *map(str, words)], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)


@pytest.fixture(name="tool")
def tool_as_a_module(monkeypatch):
    """tool(NAME): the module that tools/NAME is."""
    def load(name):
        loader = importlib.machinery.SourceFileLoader(name, str(SOURCE / "tools" / name))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
        loader.exec_module(module)
        return module
    monkeypatch.syspath_prepend(str(SOURCE / "tools"))
    return load


@pytest.fixture(name="folder")
def folder_with_text(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("a\n" * 1000)
    return tmp_path


def test_calls_that_fail():
    done = run_tool("soak_faults", "--most", FAULTS, "--seed", 7)
    assert done.returncode == 0, done.stdout
    assert f"soak_faults: {FAULTS} faults of " in done.stdout


def test_a_command_that_leaves_half_a_file_is_found(folder, tool):
    faults = tool("soak_faults")
    stand = faults.Stand("/bin/cp", SHIM, folder / "in", folder)
    copy = tool("file_jobs.py").Job("copy", "IN/a.txt OUT/a.txt", ("a.txt",), says=True)
    calls, expected, said = faults.calls_of(stand, copy)
    moves = [number for number, name, path in calls
             if name in faults.WRITES and path.endswith("a.txt")]
    with pytest.raises(faults.Wrong, match="half written"):
        faults.check(stand, copy, f"{moves[0]} ENOSPC+", expected, said)


@pytest.fixture(name="cluster")
def cluster_stand(tmp_path, tool):
    """tools/soak_faults, where a job of one rank is run, and the job that begins with files."""
    jobs, command = tool("file_jobs.py"), pathlib.Path(HOPLITE)
    if not jobs.cluster_command(command).exists():
        pytest.skip("no hoplite-mpi in this build")
    (tmp_path / "in").mkdir()
    jobs.prepare(command, tmp_path / "in")
    stand = jobs.Stand(command, SHIM, tmp_path / "in", tmp_path)
    return tool("soak_faults"), stand, jobs.jobs(command)["cluster bfs resumed"]


def test_checkpoints_in_a_folder_that_fails(cluster):
    """A folder that was read in part may not have shown the newest file: no reason to begin anew.
    A signal while it is opened is no failure."""
    faults, stand, job = cluster
    calls, expected, said = faults.calls_of(stand, job)
    folder = [(number, name) for number, name, path in calls if path == str(stand.target)]
    opened = next(number for number, name in folder if name == "openat")
    read = next(number for number, name in folder if name == "getdents64")
    assert faults.check(stand, job, f"{opened} EINTR", expected, said)
    stand.clear(job)
    done = stand.run(job, {"HOPLITE_IO_FAULT": f"{read} EIO"})
    assert done.returncode == FAILURE
    assert "cannot read the folder of checkpoints: Input/output error" in done.stderr.decode()


def test_checkpoints_that_a_signal_interrupts(cluster):
    faults, stand, job = cluster
    calls, expected, said = faults.calls_of(stand, job)
    opens = [number for number, name, path in calls
             if name == "openat" and path.endswith((".part", ".checkpoint"))]
    assert len(opens) >= 2
    for number in opens:
        assert faults.check(stand, job, f"{number} EINTR", expected, said)


def test_power_that_is_lost():
    done = run_tool("soak_power", "--losses", 60, "--again", 3, "generate", "build over on disk",
                    "write text over", "write .v", "write .g500", "bfs", "info", "apsp on disk",
                    "bench", "bench resumed", "index")
    assert done.returncode == 0, done.stdout
    assert f"soak_power: {8 * 60 + 3 * 3} losses of 11 kinds, 0 found" in done.stdout


def test_a_command_that_does_not_sync_is_found(folder, tool):
    power = tool("soak_power")
    stand = power.Stand("/bin/dd", SHIM, folder / "in", folder)
    copy = power.Job("copy", f"if=IN/a.txt of={folder}/out/a.txt status=none", ("a.txt",),
                     says=True)
    options = type("Options", (), {"losses": 50, "again": 0, "seed": 1})
    with pytest.raises(power.Wrong, match="neither the old file nor the new"):
        power.lose(stand, copy, options)


def test_killed_writers():
    done = run_tool("soak_kills", "--kills", 4, "write text over", "write .v", "closure, old",
                    "table as text", "apsp on disk", "bench resumed")
    assert done.returncode == 0, done.stdout
    assert " kills of 6 kinds, " in done.stdout and ", 0 found" in done.stdout


def killed(tool, folder, command, words):
    """What tools/soak_kills says of a command that writes a.txt over an old one, at each call."""
    kills = tool("soak_kills")
    stand = kills.Stand(command, SHIM, folder / "in", folder)
    job = tool("file_jobs.py").Job("copy", words, ("a.txt",), says=True, old=True)
    return kills.kills_of(stand, job, type("Options", (), {"kills": 40, "seed": 1}))


def test_a_command_that_writes_in_place_is_found(folder, tool):
    with pytest.raises(Exception, match="killed .* neither the old file nor the new"):
        killed(tool, folder, "/bin/dd", f"if=IN/a.txt of={folder}/out/a.txt status=none")


def test_a_command_that_takes_a_draft_for_a_result_is_found(folder, tool):
    """It adds to what a kill has left."""
    script = folder / "copy.py"
    script.write_text("import os, sys\nsource, target = sys.argv[1:]\n"
                      "with open(target + '.part', 'ab') as draft:\n"
                      "    draft.write(open(source, 'rb').read())\n"
                      "os.replace(target + '.part', target)\n")
    with pytest.raises(Exception, match="a.txt is wrong after the next run"):
        killed(tool, folder, sys.executable, f"{script} IN/a.txt OUT/a.txt")


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
