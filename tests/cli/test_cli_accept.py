# SPDX-License-Identifier: Apache-2.0
"""hoplite devices --accept: its report on devices that are right, on one that computes wrongly, on
one that fails, and after ^C. Graphs stop growing at small budgets of memory, so little is run."""

import json
import os
import signal
import subprocess

import pytest
from cli_testing import (HOPLITE, INTERRUPTED, NO_DEVICE, USAGE, clean_environment, refuse, run,
                         run_json)
from test_cli_json import KINDS, TABLES

REJECTED = 3
SMALL = ["--device-memory", "100K", "--memory", "500K"]


def stand_in(**more):
    if not os.environ.get("HOPLITE_TEST_CUDA_LIB"):
        pytest.skip("no driver that interprets PTX")
    return {"HOPLITE_OPENCL_LIB": "no-opencl", "HOPLITE_CUDA_PTX": "1",
            "HOPLITE_CUDA_LIB": os.environ["HOPLITE_TEST_CUDA_LIB"],
            "HOPLITE_NVRTC_LIB": os.environ["HOPLITE_TEST_NVRTC_LIB"], **more}


@pytest.fixture(scope="module")
def opencl():
    found = [row["name"] for row in run_json("devices")["devices"]
             if row["kind"] == "device" and row["usable"]]
    if not found:
        pytest.skip("no OpenCL runtime")
    return found[0]


@pytest.fixture(scope="module", autouse=True)
def hanging(tmp_path_factory):
    """Runs beside the other tests on a driver whose 60th launch does not come back, since it sleeps
    most of its time: its process is ended a minute after the time is over, in which a busy machine
    comes to that launch."""
    if not os.environ.get("HOPLITE_TEST_CUDA_LIB"):
        yield None
        return
    path = tmp_path_factory.mktemp("hanging") / "report.json"
    child = subprocess.Popen(
        [HOPLITE, "devices", "--accept", "cuda:0", "-o", path, *SMALL, "--seconds", "20"],
        env=clean_environment(**stand_in(HOPLITE_PTX_FAULT="cuLaunchKernel:60:9998")),
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    try:
        yield child, path
    finally:
        child.kill()
        child.communicate()


def accept(device, folder, *more, code=0, env=None):
    """Without "--seconds" there is time for everything, on the slowest machine too."""
    limit = [] if "--seconds" in more else ["--seconds", "100000"]
    out, err = run("devices", "--accept", device, "-o", folder / "report.json", *limit, *more,
                   code=code, env=env)
    return json.loads((folder / "report.json").read_text()), out, err


def described(title, thing):
    assert set(thing) == set(TABLES[title]) | set(
        TABLES["Members of every object"] if "schema" in thing else [])
    for name, (kinds, _) in TABLES[title].items():
        assert any(KINDS[kind](thing[name]) for kind in kinds), (title, name, thing[name])


def check_report(report, device):
    described("devices --accept", report)
    for row in report["litmus"]:
        described("A litmus test of a device", row)
        assert row["forbidden"] == 0 and row["skipped"] is None
    assert report["order"]["passed"] and len(report["litmus"]) == 6
    for run_row in report["runs"]:
        described("A run of devices --accept", run_row)
    assert report["device"]["name"] == device and not report["interrupted"]
    assert report["rates"]["copy_bytes_per_second"] > 0
    assert report["rates"]["gather_words_per_second"] > 0
    assert all(row["ended"] in ("device memory", "host memory") for row in report["graphs"])


def check_all_right(report, device):
    """Every variant for devices was right at least once, and nothing was wrong."""
    check_report(report, device)
    assert report["accepted"] and report["check"]["passed"]
    assert {row["outcome"] for row in report["runs"]} <= {"ok", "full"}
    right = [row for row in report["runs"] if row["outcome"] == "ok"]
    assert all(row["certified"] and row["seconds"] > 0 for row in right)
    assert all((row["of_gather"] is None) == (row["problem"] == "apsp") for row in right)
    assert {(row["problem"], row["variant"]) for row in right} == {
        (row["problem"], row["name"]) for row in run_json("variants")["variants"]
        if row["place"] == "device"}


def test_opencl(opencl, tmp_path):
    report, out, _ = accept(opencl, tmp_path, "--device-memory", "300K", "--memory", "500K")
    check_all_right(report, opencl)
    assert "accepted   yes" in out


def test_cuda(tmp_path):
    report, _, _ = accept("cuda:0", tmp_path, "--device-memory", "300K", "--memory", "500K",
                          env=stand_in())
    check_all_right(report, "cuda:0")


def test_a_device_that_computes_wrongly(tmp_path):
    """Minima of int32 are maxima: only all pairs of integers, or without weights, use them."""
    report, out, err = accept("cuda:0", tmp_path, *SMALL, code=REJECTED,
                              env=stand_in(HOPLITE_PTX_PLANT="min.s32=>max.s32"))
    check_report(report, "cuda:0")
    wrong = [row for row in report["runs"] if row["outcome"] == "wrong"]
    assert {row["variant"] for row in wrong} >= {"katz-kider", "tran"}
    assert all(row["problem"] == "apsp" and "float32" not in row["graph"] for row in wrong)
    assert all("distances[" in row["message"] and not row["certified"] for row in wrong)
    assert not report["accepted"] and "WRONG on rmat:scale=5" in out
    assert "katz-kider of apsp is wrong on rmat:scale=5" in err
    assert {row["graph"] for row in wrong} >= {"rmat:scale=5,weights=int32"}
    assert len({row["graph"] for row in wrong}) <= 2  # on larger ones they are not tried again
    right = [row for row in report["runs"] if row["outcome"] == "ok"]
    assert {row["problem"] for row in right} == {"rank", "components", "bfs", "sssp", "apsp"}


def test_a_device_that_fails(tmp_path):
    """Its 30th launch of each process fails for good; what comes after has a new process."""
    report, _, err = accept("cuda:0", tmp_path, *SMALL, code=NO_DEVICE,
                            env=stand_in(HOPLITE_PTX_FAULT="cuLaunchKernel:30:719"))
    failed = [row for row in report["runs"] if row["outcome"] == "failed"]
    assert failed and all("CUDA_ERROR_LAUNCH_FAILED" in row["message"] for row in failed)
    assert [row for row in report["runs"] if row["outcome"] == "ok"]
    assert not report["accepted"] and "is failed on" in err


def test_a_driver_that_crashes(tmp_path):
    """The 30th launch of each process ends it: the row under way is lost, not those after it."""
    report, _, err = accept("cuda:0", tmp_path, *SMALL, code=NO_DEVICE,
                            env=stand_in(HOPLITE_PTX_FAULT="cuLaunchKernel:30:9999"))
    crashed = [row for row in report["runs"] if row["outcome"] == "crashed"]
    assert crashed and all(row["message"] == "Aborted" for row in crashed)
    assert {row["outcome"] for row in report["runs"]} <= {"ok", "full", "crashed"}
    ranks = [row for row in report["runs"] if row["graph"] == "list:n=2^10"]
    assert [row["variant"] for row in ranks] == ["wyllie", "splitter", "splitter48"]
    assert not report["accepted"] and "is crashed on" in err


def test_a_driver_that_crashes_at_once(tmp_path):
    """The first launch ends each process: the parts before all graphs say so too."""
    report, out, _ = accept("cuda:0", tmp_path, *SMALL, code=NO_DEVICE,
                            env=stand_in(HOPLITE_PTX_FAULT="cuLaunchKernel:1:9999"))
    assert report["check"] == {"passed": False, "seconds": 0, "message": "Aborted"}
    for part in "order", "measured":
        assert report[part]["message"].startswith("not tried, since the part before it")
    assert "check      FAILED: Aborted" in out


def test_interrupted(opencl, tmp_path):
    """What there is by then is written."""
    path = tmp_path / "report.json"
    child = subprocess.Popen([HOPLITE, "devices", "--accept", opencl, "-o", path],
                             env=clean_environment(), stderr=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)
    first = child.stderr.readline()
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=400)
    assert first.startswith("rank ") and "3 ok" in first
    assert child.returncode == INTERRUPTED and "interrupted" in err
    report = json.loads(path.read_text())
    described("devices --accept", report)
    assert report["interrupted"] and not report["accepted"]
    assert [row["outcome"] for row in report["runs"]][:3] == ["ok"] * 3
    assert all(row["ended"] == "interrupted" for row in report["graphs"])


def test_a_driver_that_hangs(hanging):
    if hanging is None:
        pytest.skip("no driver that interprets PTX")
    child, path = hanging
    _, err = child.communicate(timeout=400)
    report = json.loads(path.read_text())
    hung = [row for row in report["runs"] if row["outcome"] == "hung"]
    assert len(hung) == 1 and "did not come back" in hung[0]["message"]
    assert child.returncode == NO_DEVICE and not report["accepted"] and "is hung on" in err


def test_command_line(tmp_path):
    refuse("devices", "--seconds", "5", code=USAGE, says=["goes with --accept"])
    refuse("devices", "-o", tmp_path / "x.json", code=USAGE, says=["goes with --accept"])
    refuse("devices", "--accept", "cpu", code=USAGE, says=["is the host"])
    refuse("devices", "--accept", "opencl:0.0", "--seconds", "0", code=USAGE)
    refuse("devices", "--accept", "opencl:99.0", "-o", tmp_path / "x.json", code=NO_DEVICE,
           says=["no such device"])
    assert not list(tmp_path.iterdir())
