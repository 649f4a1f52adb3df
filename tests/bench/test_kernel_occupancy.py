# SPDX-License-Identifier: Apache-2.0
"""bench/kernel_occupancy: what limits the warps of a multiprocessor, and what NVRTC's assembler
says of the kernels of a program."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"]) / "bench" / "kernel_occupancy"


def loaded():
    """The tool as a module."""
    loader = importlib.machinery.SourceFileLoader("kernel_occupancy", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def nvrtc():
    """The name of one that can be opened, or None."""
    for name in ("/usr/local/cuda/lib64/libnvrtc.so.13", "libnvrtc.so.13", "libnvrtc.so.12"):
        try:
            loaded().ctypes.CDLL(name)
            return name
        except OSError:
            continue
    return None


@pytest.mark.parametrize("registers, shared, group, groups, limit", [
    (32, 0, 128, 16, "warps"),              # 65,536 registers are 64 warps of 32 items with 32
    (33, 0, 128, 12, "registers"),          # given by 256: 40 for each item
    (255, 0, 1024, 0, "registers"),
    (16, 0, 32, 32, "groups"),
    (16, 48 << 10, 128, 4, "shared memory"),  # and 1 KiB of each group's own
])
def test_limits_of_sm_90(registers, shared, group, groups, limit):
    kernel = dict(registers=registers, shared=shared, group=group)
    assert loaded().groups_at_once(kernel, 90) == (groups, limit)


@pytest.mark.skipif(nvrtc() is None, reason="no NVRTC")
def test_a_program(tmp_path):
    rows = tmp_path / "rows.json"
    done = subprocess.run([sys.executable, TOOL, "--nvrtc", nvrtc(), "--program", "breadth_bits",
                           "--all", "--json", str(rows)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    kernels = {row["kernel"]: row for row in json.loads(rows.read_text(encoding="ascii"))}
    assert set(kernels) == {"cut", "plant", "advance", "settle", "tell"}
    assert all(row["group"] == 128 and 0 < row["registers"] < 128 and 0 < row["occupancy"] <= 1
               for row in kernels.values())
    assert kernels["tell"]["shared"] == 32 * 8 * 4  # 32 vertices of 8 words
    assert all(f"`{name}`" in done.stdout for name in kernels)
