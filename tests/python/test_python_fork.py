# SPDX-License-Identifier: Apache-2.0
"""Fork and threads: import starts no threads; in a child the library works or raises, and never
hangs; several Python threads may use it. A few trials of tools/soak_fork, which does thousands."""

import os
import subprocess
import sys
import threading

import pytest

import hoplite

SOAK = os.path.join(os.environ["HOPLITE_SOURCE_DIR"], "tools", "soak_fork")
TRIALS = os.environ.get("HOPLITE_TEST_FORKS", "3")


@pytest.mark.parametrize("way", ["first-use", "fork", "busy-fork", "mp-fork", "mp-spawn",
                                 "mp-forkserver", "threads"])
def test_no_trial_hangs(way):
    done = subprocess.run([sys.executable, SOAK, "--trials", TRIALS, way], capture_output=True,
                          text=True)
    assert done.returncode == 0 and "0 failed" in done.stdout, done.stdout + done.stderr


def in_child(body):
    """What the body returns in a forked child, at most some characters; None if it hangs."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, str(body()).encode()[:4000])
        finally:
            os._exit(0)
    os.close(write)
    killer = threading.Timer(60, os.kill, (child, 9))
    killer.start()
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().decode()
    killer.cancel()
    _, status = os.waitpid(child, 0)
    return said if status == 0 else None


def test_devices_in_a_child_are_refused_and_not_waited_for():
    usable = [device.name for device in hoplite.devices() if device.usable]
    if not usable:
        if os.environ.get("HOPLITE_REQUIRE_OPENCL") == "1":
            pytest.fail("no OpenCL device")
        pytest.skip("no OpenCL device")
    graph = hoplite.generate.rmat(8)
    name = usable[0]
    here = hoplite.components(graph, device=name, variant="graft", certify=True)
    assert here.report.device == name

    def with_device():
        try:
            hoplite.components(graph, device=name, variant="graft")
        except hoplite.DeviceError as error:
            return error
        return "worked"

    assert "forked" in in_child(with_device)
    assert "forked" in in_child(lambda: hoplite.devices().advice)
    # The host goes on there, and the device here.
    assert in_child(lambda: hoplite.components(graph).count) == str(here.count)
    assert hoplite.components(graph, device=name, variant="graft").count == here.count


def test_a_graph_may_be_freed_in_a_child():
    graphs = [hoplite.generate.rmat(8)]

    def free():
        graphs.clear()
        return "freed"

    assert in_child(free) == "freed"
    assert graphs[0].info().checked
