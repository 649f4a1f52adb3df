# SPDX-License-Identifier: Apache-2.0
"""
hoplite bench on devices: host and devices side by side, what the rows say about them, and what is
refused. Where this machine has no device, or the tables no variant for one, only the rest is run.
"""

import pytest
from bench_testing import bench
from cli_testing import FAILURE, USAGE, refuse, run, run_json

NO_DEVICE = 4
SMALL = {"rank": "list:n=5000", "components": "rmat:scale=9,edge-factor=4",
         "bfs": "rmat:scale=9,edge-factor=4", "sssp": "rmat:scale=9,edge-factor=4,max-weight=99",
         "apsp": "erdos-renyi:n=60,m=200,max-weight=9"}


def devices(tmp_path):
    """The rows that describe the devices of this machine."""
    return bench(tmp_path, "rank", "list:n=10", "--repeat", 1, "--device", "all", "--variant",
                 "sequential", kind="device", name="devices.jsonl")


def variants_of(problem, place):
    return [row["name"] for row in run_json("variants", problem)["variants"]
            if row["place"] == place]


def test_devices_are_described(tmp_path):
    for row in devices(tmp_path):
        assert row["device"] != "cpu" and row["title"] and row["driver"] and row["platform"]
        assert row["memory_bytes"] > 0 and row["compute_units"] > 0
        assert row["type"] in ("cpu", "gpu", "other")


@pytest.mark.parametrize("problem", SMALL)
def test_host_and_devices_side_by_side(problem, tmp_path):
    """The reference on the host, and variants of devices on a device: the same result, copies
    apart, keys that tell them apart. Two of them, since compiling takes a while; tests of the
    problem run all of them on all drivers."""
    names, found = variants_of(problem, "device")[:2], devices(tmp_path)[-1:]
    if not names or not found:
        pytest.skip(f"{len(names)} variants for devices, {len(found)} devices")
    first = variants_of(problem, "host")[0]
    words = [word for name in names for word in ("--variant", f"{name}@device")]
    rows = bench(tmp_path, problem, SMALL[problem], "--repeat", 2, "--device",
                 f"cpu,{found[0]['device']}", "--variant", f"{first}@host", *words, "--time-limit",
                 300, timeout=600)
    wanted = {(name, row["device"]) for name in names for row in found} | {(first, "cpu")}
    assert {(row["variant"], row["device"]) for row in rows} == wanted
    assert len({row["key"] for row in rows}) == len(rows)
    assert {row["outcome"] for row in rows} <= {"ok", "refused"}
    good = [row for row in rows if row["outcome"] == "ok"]
    assert len({row["result_hash"] for row in good}) == 1
    assert {row["place"] for row in good} == {"host", "device"}
    for row in good:
        assert ("device_peak_bytes" in row) == (row["place"] == "device")
        assert 0 <= row["copy_seconds"] and row["certified"]


def test_the_table_has_a_column_for_devices(tmp_path):
    names, found = variants_of("rank", "device"), devices(tmp_path)
    if not names or not found:
        pytest.skip("no device, or no variant for one")
    out, _ = run("bench", "rank", SMALL["rank"], "--repeat", 1, "--device",
                 f"cpu,{found[-1]['device']}", "--variant", "sequential", "--variant",
                 f"{names[0]}@device", timeout=600)
    head = next(line for line in out.splitlines() if line.startswith("variant"))
    assert "device" in head and "copies" in head
    assert any(found[-1]["device"] in line and "%" in line for line in out.splitlines())


def test_what_is_refused(tmp_path):
    refuse("bench", "rank", "list:n=5", "--device", "cpu,abacus:0", code=NO_DEVICE,
           says=["abacus:0", "hoplite devices"])
    refuse("bench", "rank", "list:n=5", "--device", "cpu,", code=USAGE, says=["--device"])
    refuse("bench", "rank", "list:n=5", "--variant", "sequential@device", code=USAGE,
           says=["none of the devices"])
    refuse("bench", "rank", "list:n=5", "--variant", "sequential@moon", code=USAGE,
           says=["none of the devices"])
    refuse("bench", "rank", "list:n=5", "--variant", "nothing@host", code=USAGE, says=["none of"])


def test_a_problem_without_variants_for_devices(tmp_path):
    found = devices(tmp_path)
    problem = next((p for p in SMALL if not variants_of(p, "device")), None)
    if not found or problem is None:
        pytest.skip("no device, or every problem has variants for one")
    refuse("bench", problem, SMALL[problem], "--device", found[0]["device"], code=FAILURE,
           says=["no variant for devices"])
