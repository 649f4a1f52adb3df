# SPDX-License-Identifier: Apache-2.0
"""The two race detectors that the kernels are run on, on kernels with planted faults (planted.cl):
what is wrong must be reported, what is right must not. Without this, "no reports" means little.

Fibers (tests/fibers) find every race of the executed order, volatile accesses being atomic.
Oclgrind takes volatile accesses for plain ones, so relaxed accesses are atomics there (RACE_CHECK);
and it lets writes of equal values pass, byte by byte, unless told otherwise, which is why a plain
store in the place of a relaxed one may go unseen without OCLGRIND_UNIFORM_WRITES."""

import csv
import os
import subprocess

import pytest

RIGHT = ("reverse", "exchange", "least_relaxed", "last_relaxed", "side_by_side", "far_apart")
RACES = ("reverse_without_barrier", "exchange_with_local_barrier", "least_plain_load",
         "last_plain_store", "same_plain_store")
SANITIZED = os.environ.get("HOPLITE_SANITIZE", "") != ""


def run(kernel, environment, device="opencl:0.0"):
    """(exit code, the words that were written, standard error)"""
    done = subprocess.run([os.environ["HOPLITE_RUN_PLANTED"], kernel, device],
                          env={**os.environ, **environment}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    return done.returncode, [int(line) for line in done.stdout.split()], done.stderr


def fibers(what=""):
    library = os.environ.get("HOPLITE_FIBERS_LIB", "")
    if not library:
        pytest.skip("built without the headers of OpenCL")
    return {"HOPLITE_OPENCL_LIB": library, "HOPLITE_FIBERS": what}


def oclgrind():
    library = os.environ.get("HOPLITE_OCLGRIND_LIB", "")
    if not os.path.exists(library):
        if os.environ.get("HOPLITE_REQUIRE_OCLGRIND") == "1":
            pytest.fail("Oclgrind not found")
        pytest.skip("Oclgrind not found")
    if SANITIZED:
        pytest.skip("not under sanitizers")
    return {"HOPLITE_OPENCL_LIB": library, "OCLGRIND_DATA_RACES": "1",
            "OCLGRIND_UNIFORM_WRITES": "1", "OCLGRIND_BUILD_OPTIONS": "-DRACE_CHECK=1",
            "HOPLITE_CACHE_DIR": os.environ["HOPLITE_CACHE_DIR"] + "-oclgrind"}


@pytest.mark.parametrize("device", ("opencl:0.0", "opencl:0.1"))
@pytest.mark.parametrize("kernel", RIGHT)
def test_fibers_are_silent_when_all_is_right(kernel, device):
    code, words, errors = run(kernel, fibers("races,segments"), device)
    assert code == 0 and errors == ""
    if kernel == "reverse":
        assert words == [100000 + 1024] * 1024
    if kernel == "exchange":
        assert words == [1024 + 127 - i % 128 for i in range(1024)]


@pytest.mark.parametrize("kernel", RACES)
def test_fibers_report_races(kernel):
    code, _, errors = run(kernel, fibers("races"))
    assert code == 1
    assert f"fibers: data race in kernel {kernel}: " in errors


@pytest.mark.parametrize("kernel, complaint", (
    ("divergent", "some items wait at a barrier that others never reach"),
    ("two_barriers", "items wait at different barriers")))
def test_fibers_report_divergence(kernel, complaint):
    code, _, errors = run(kernel, fibers())
    assert code == 1 and complaint in errors


def test_fibers_report_what_is_outside():
    code, _, errors = run("writes_outside", fibers())
    assert code != 0
    assert ("AddressSanitizer: heap-buffer-overflow" if SANITIZED else
            "wrote outside of parameter 1") in errors


@pytest.mark.skipif(SANITIZED, reason="local variables stand elsewhere then")
def test_local_memory_is_rubbish_on_fibers():
    _, words, _ = run("stale_local", fibers())
    assert words == [0xa5a5a5a5] * 1024


def segments(kernel, folder):
    """{(parameter, width): (accesses, distinct words, windows, segments)}"""
    report = folder / "segments.csv"
    code, _, errors = run(kernel, {**fibers("segments"), "HOPLITE_FIBERS_REPORT": str(report)})
    assert code == 0 and errors == ""
    with open(report, encoding="utf-8") as file:
        return {(int(row["parameter"]), int(row["width"])):
                tuple(int(row[name]) for name in ("accesses", "distinct", "windows", "segments"))
                for row in csv.DictReader(file)}


def test_segments_of_neighbours_side_by_side(tmp_path):
    counted = segments("side_by_side", tmp_path)
    for width in (1, 2, 4, 8, 16, 32, 64, 128):
        for parameter in (0, 1):
            assert counted[parameter, width] == (1024, 1024, 1024 // width, 1024 // width)


def test_segments_of_neighbours_far_apart(tmp_path):
    """Eight words apart: from w = 16 on, two items share a segment, then four, and so on."""
    counted = segments("far_apart", tmp_path)
    for width in (1, 2, 4, 8, 16, 32, 64, 128):
        accesses, distinct, windows, touched = counted[1, width]
        assert (accesses, distinct, windows) == (1024, 1024, 1024 // width)
        assert touched == 1024 // max(width // 8, 1)


@pytest.mark.parametrize("kernel", RIGHT)
def test_oclgrind_is_silent_when_all_is_right(kernel):
    code, _, errors = run(kernel, oclgrind())
    assert code == 0 and errors == ""


@pytest.mark.parametrize("kernel", RACES)
def test_oclgrind_reports_races(kernel):
    _, _, errors = run(kernel, oclgrind())
    assert "data race" in errors and kernel in errors


def test_oclgrind_needs_atomics_for_relaxed_accesses():
    """Why RACE_CHECK exists: volatile accesses look like plain ones to it."""
    environment = oclgrind()
    environment["OCLGRIND_BUILD_OPTIONS"] = ""
    environment["HOPLITE_CACHE_DIR"] += "-volatile"
    assert "data race" in run("last_relaxed", environment)[2]


def test_oclgrind_lets_equal_values_pass_unless_told():
    environment = oclgrind()
    del environment["OCLGRIND_UNIFORM_WRITES"]
    assert run("same_plain_store", environment)[2] == ""
