# SPDX-License-Identifier: Apache-2.0
"""hoplite devices, and --device: what is there, what is missing, and what happens without it."""

import json
import os
import subprocess

import pytest
from cli_testing import (FAILURE, HOPLITE, NO_DEVICE, USAGE, clean_environment, preloaded, refuse,
                         run, run_json)
from test_cli_json import KINDS, TABLES

ABSENT = {"HOPLITE_OPENCL_LIB": "/nonexistent/libOpenCL.so.1"}


def others():
    return [row for row in run_json("devices")["devices"] if row["kind"] == "device"]


@pytest.fixture(scope="module")
def devices():
    found = [row for row in others() if row["usable"]]
    if not found:
        pytest.skip("no OpenCL runtime")
    return found


def test_list(devices):
    out, _ = run("devices")
    for row in devices:
        assert row["name"].startswith("opencl:")
        assert row["type"] in ("cpu", "gpu", "other")
        assert 0 < row["largest_buffer_bytes"] <= row["memory_bytes"]
        assert row["group_size"] >= 64 and row["compute_units"] >= 1
        assert set(row["capabilities"]) == {"atomic64", "float64", "subnormal_float32",
                                            "subnormal_float64", "fence", "shared", "chunked",
                                            "few", "warps"}
        for text in (row["name"], row["model"], row["vendor"], row["driver"]):
            assert text in out
        assert row["reason"] is None and not row["chosen"]
    assert "missing" not in out


def test_chosen(devices):
    name = devices[-1]["name"]
    for how in ({"words": ["--device", name]}, {"env": {"HOPLITE_DEVICE": name}}):
        rows = run_json("devices", *how.get("words", []), env=how.get("env"))["devices"]
        assert [row["name"] for row in rows if row["chosen"]] == [name]
        out, _ = run("devices", *how.get("words", []), env=how.get("env"))
        assert f"{name} *\n" in out


def test_check(devices):
    rows = run_json("devices", "--check")["devices"]
    checks = {row["name"]: row["check"] for row in rows if row["kind"] == "device"}
    assert set(checks) == {row["name"] for row in devices}
    assert all(check["passed"] and check["message"] is None for check in checks.values())
    out, _ = run("devices", "--check")
    assert out.count("passed in") == len(checks)
    for check in checks.values():
        check_litmus(check["litmus"])
        for row in check["litmus"]:
            assert out.count(f"litmus     {row['pattern']}: ") == len(checks)


PATTERNS = ["message passing", "store buffering", "load buffering", "coherence",
            "message passing by atomics", "store buffering by atomics"]


def check_litmus(rows):
    assert [row["pattern"] for row in rows] == PATTERNS
    for row in rows:
        assert set(row) == set(TABLES["A litmus test of a device"])
        for name, (kinds, _) in TABLES["A litmus test of a device"].items():
            assert any(KINDS[kind](row[name]) for kind in kinds), (name, row[name])
        assert row["trials"] > 0 and row["skipped"] is None
        assert (row["weak"] is None) == (row["pattern"] == "coherence")


@pytest.mark.parametrize("weak", (False, True))
def test_litmus_without_fences(weak):
    """The stand-in for CUDA, with the fences taken out of what was compiled, however that calls
    them: only where memory is weak, something forbidden is seen, and the message says what."""
    if not os.environ.get("HOPLITE_TEST_CUDA_LIB"):
        pytest.skip("no driver that interprets PTX")
    env = {"HOPLITE_OPENCL_LIB": "no-opencl", "HOPLITE_CUDA_PTX": "1",
           "HOPLITE_CUDA_LIB": os.environ["HOPLITE_TEST_CUDA_LIB"],
           "HOPLITE_NVRTC_LIB": os.environ["HOPLITE_TEST_NVRTC_LIB"],
           "HOPLITE_PTX_WEAK": str(int(weak))}
    seen, told = set(), ""
    for fence in ("membar.gl", "fence.sc.gpu", "fence.acq_rel.gpu"):
        out, err = run("devices", "--check", "--json", code=None,
                       env={**env, "HOPLITE_PTX_PLANT": f"{fence}=>// fence"})
        [check] = [row["check"] for row in json.loads(out)["devices"] if row["kind"] == "device"]
        check_litmus(check["litmus"])
        wrong = {row["pattern"] for row in check["litmus"] if row["forbidden"] > 0}
        assert check["passed"] == (not wrong)
        seen, told = seen | wrong, told + err
    assert seen <= set(PATTERNS) - {"load buffering", "coherence"}
    assert (seen >= {"message passing", "store buffering"}) == weak and (len(seen) > 0) == weak
    assert ("device cuda:0 has a memory without order: message passing: " in told) == weak


def test_no_such_device():
    out, err = run("devices", "--device", "cuda:7", code=NO_DEVICE)
    assert "cuda:7: no such device" in err and "cpu" in out
    out, err = run("devices", env={"HOPLITE_DEVICE": "opencl:99.0"}, code=NO_DEVICE)
    assert "opencl:99.0" in err
    run("devices", "--device", "cpu", env={"HOPLITE_DEVICE": "opencl:99.0"})


@pytest.mark.parametrize("name", ["opencl:99.0", "opencl:0.99", "opencl:", "opencl:x", "cuda:0",
                                  "gpu", "opencl:0.0 ", "opencl:0.0+", "opencl:0.0+x",
                                  "+opencl:0.0", "opencl:0.0+opencl:0.99", "opencl:0.0++"])
def test_problems_need_one_that_exists(tmp_path, name):
    refuse("rank", tmp_path / "none.npy", "--device", name, code=NO_DEVICE,
           says=["no such device", "cpu"])


def test_long_name(tmp_path):
    refuse("rank", tmp_path / "none.npy", "--device", "opencl:" + "0" * 99, code=USAGE)


def test_without_a_loader(tmp_path):
    """The machine that has no OpenCL at all."""
    listing = run_json("devices", env=ABSENT)
    assert [row["name"] for row in listing["devices"]] == ["cpu"]
    assert "/nonexistent" in listing["missing"]
    out, _ = run("devices", "--check", env=ABSENT)
    assert "missing" in out and "/nonexistent" in out
    refuse("rank", tmp_path / "x.npy", "--device", "opencl:0.0", env=ABSENT, code=NO_DEVICE,
           says=["no such device", "/nonexistent"])
    path = tmp_path / "list.npy"
    run("generate", "list", "--set", "n=100", "-o", path, env=ABSENT)
    run("rank", path, "--certify", env=ABSENT)


def test_without_a_driver(tmp_path):
    listing = run_json("devices", env={"OCL_ICD_VENDORS": str(tmp_path)})
    assert [row["name"] for row in listing["devices"]] == ["cpu"]
    for word in ("driver", "apt install", "pocl-opencl-icd", "/etc/OpenCL/vendors"):
        assert word in listing["missing"]


def test_library_from_the_working_directory(tmp_path):
    """A relative path is refused, whatever lies there."""
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "libOpenCL.so.1").write_bytes(b"not a library")
    out, _ = run("devices", env={"HOPLITE_OPENCL_LIB": "evil/libOpenCL.so.1"}, cwd=tmp_path)
    assert "neither an absolute path nor a plain name" in out


@pytest.mark.parametrize("how, says", [("abort()", "Aborted"), ("_Exit(3)", "has ended")])
def test_a_driver_that_crashes(tmp_path, how, says):
    """As some do when memory is out: the command goes on without it, and says so."""
    library = preloaded(tmp_path, "#include <stdlib.h>\n"
                        "__attribute__((constructor)) static void fall(void) { %s; }\n" % how)
    out, err = run("devices", "--json", env={"HOPLITE_OPENCL_LIB": str(library)}, code=FAILURE)
    listing = json.loads(out)
    assert [row["name"] for row in listing["devices"]] == ["cpu"]
    assert "crashed" in listing["missing"] and says in listing["missing"]
    assert "crashed" in err


def test_something_else_as_loader():
    out, _ = run("devices", env={"HOPLITE_OPENCL_LIB": "libz.so.1"})
    assert "libz.so.1 has no clGetPlatformIDs" in out


def test_nvidias_driver_without_a_gpu(tmp_path):
    """The real one: it has every function that is asked for, by its name, and finds no GPU."""
    if os.path.exists("/dev/nvidia0"):
        pytest.skip("there is a GPU")
    source, build = os.environ["HOPLITE_SOURCE_DIR"], os.environ["HOPLITE_BUILD_DIR"]
    made = subprocess.run([f"{source}/tools/cuda_driver", f"{build}/cuda_driver"], timeout=400,
                          capture_output=True, text=True)
    if made.returncode != 0:
        pytest.skip(f"NVIDIA's driver is not to be had: {made.stderr.strip()[-200:]}")
    driver = dict([made.stdout.strip().split("=", 1)])
    listing = run_json("devices", env=driver)
    assert not [row for row in listing["devices"] if row["name"].startswith("cuda")]
    assert "CUDA: NVIDIA's driver is there but finds no GPU" in listing["missing"]
    refuse("devices", "--accept", "cuda:0", code=NO_DEVICE, env=driver, says=["no such device"])
    out, _ = run("devices", env={"HOPLITE_CUDA_LIB": "libz.so.1"})
    assert "libz.so.1 has no cu" in out


def test_host_variants_run_beside_a_device(devices, tmp_path):
    """A variant that has no form for devices runs on the host; the report says which it was."""
    path = tmp_path / "list.npy"
    run("generate", "list", "--set", "n=5000", "-o", path)
    for row in devices:
        done = run_json("rank", path, "--device", row["name"], "--variant", "interleaved",
                        "--certify")
        assert done["device"] == "cpu" and done["variant"] == "interleaved"
        assert "no form for devices" in done["reason"]


def test_cache_that_others_can_write_to(devices, tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    path = tmp_path / "list.npy"
    run("generate", "list", "--set", "n=100", "-o", path)
    _, err = run("rank", path, "--device", devices[0]["name"], "--certify",
                 env={"HOPLITE_CACHE_DIR": str(folder)})
    assert "kernel cache" in err and "0777" in err
    assert not list(folder.iterdir())


def test_privileged_programs_ignore_the_environment(tmp_path):
    """A set-group-id copy of the command: the override and the cache must not be looked at."""
    if os.geteuid() != 0:
        pytest.skip("only root can make one")
    copy = tmp_path / "hoplite"
    copy.write_bytes(open(HOPLITE, "rb").read())
    os.chown(copy, 0, 65534)
    copy.chmod(0o2755)
    done = subprocess.run([copy, "devices", "--json"], capture_output=True, text=True,
                          env=clean_environment(**ABSENT), timeout=400)
    if done.returncode == 127:
        pytest.skip("the copy does not find its libraries")
    assert done.returncode == 0
    missing = json.loads(done.stdout)["missing"]
    assert missing is None or "/nonexistent" not in missing


def test_device_memory(devices, tmp_path):
    refuse("rank", tmp_path / "x.npy", "--device-memory", "0", code=USAGE)
    refuse("rank", tmp_path / "x.npy", "--device-memory", "many", code=USAGE)
    refuse("rank", tmp_path / "x.npy", "--device", devices[0]["name"], "--device-memory", "1M",
           code=FAILURE, says=["x.npy"])
