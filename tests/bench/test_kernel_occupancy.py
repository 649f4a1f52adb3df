# SPDX-License-Identifier: Apache-2.0
"""bench/kernel_occupancy: what limits the warps of a multiprocessor and the waves of a SIMD; what
NVRTC's assembler and the code objects of hiprtc say of the kernels of a program."""

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
    assert kernels["tell"]["shared"] == 32 * 8 * 4 + 4  # 32 vertices of 8 words, and one
    assert all(f"`{name}`" in done.stdout for name in kernels)


def hiprtc():
    """Whether one can be opened."""
    for name in loaded().HIP_NAMES:
        try:
            return bool(loaded().ctypes.CDLL(name))
        except OSError:
            continue
    return False


@pytest.mark.parametrize("sm, groups", [(75, 8), (89, 12), (100, 16), (120, 12)])
def test_groups_of_other_gpus(sm, groups):
    assert loaded().groups_at_once(dict(registers=32, shared=0, group=128), sm) == (groups, "warps")


@pytest.mark.parametrize("architecture, registers, scalar, shared, group, waves, limit", [
    ("gfx90a", 64, 16, 0, 256, 8, "waves"),        # 512 registers are 8 waves with 64
    ("gfx90a", 65, 16, 0, 256, 7, "registers"),    # given by 8: 72 for each lane
    ("gfx90a", 256, 16, 0, 256, 2, "registers"),
    ("gfx90a", 16, 102, 0, 64, 7, "scalar registers"),
    ("gfx90a", 16, 16, 16 << 10, 256, 4, "shared memory"),  # four groups of four waves, four SIMDs
    ("gfx1030", 64, 106, 0, 256, 16, "waves"),     # waves of 32; scalar registers are no limit
    ("gfx1030", 65, 16, 0, 256, 12, "registers"),  # given by 16: 80 for each lane
    ("gfx1030", 16, 16, 0, 64, 16, "waves"),       # two waves each: 32 groups for four SIMDs
    ("gfx1030", 16, 16, 32 << 10, 64, 2, "shared memory"),
])
def test_limits_of_amd(architecture, registers, scalar, shared, group, waves, limit):
    kernel = dict(registers=registers, scalar=scalar, shared=shared, group=group,
                  wave=64 if architecture == "gfx90a" else 32)
    assert loaded().hip_waves_at_once(kernel, architecture) == (waves, limit)


def test_unpacked():
    """All kinds that a note has: maps, arrays, texts, numbers of each width, truth."""
    packed = (b"\x83\xa1a\x93\x01\xff\xcd\x01\x00\xd9\x02bc\xc3\xa1d"
              b"\xdc\x00\x02\xce\x00\x01\x00\x00\xd1\xff\xfe")
    assert loaded().unpacked(packed, 0) == \
        ({"a": [1, -1, 256], "bc": True, "d": [65536, -2]}, len(packed))


@pytest.mark.skipif(not hiprtc(), reason="no hiprtc")
@pytest.mark.parametrize("architecture, wave", [("gfx90a", 64), ("gfx1030", 32)])
def test_a_program_for_amd(architecture, wave, tmp_path):
    rows = tmp_path / "rows.json"
    done = subprocess.run([sys.executable, TOOL, "--hip", architecture, "--program", "breadth_bits",
                           "--all", "--json", str(rows)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    kernels = {row["kernel"]: row for row in json.loads(rows.read_text(encoding="ascii"))}
    assert set(kernels) == {"cut", "plant", "advance", "settle", "tell"}
    assert all(row["group"] == 128 and row["wave"] == wave and 0 < row["registers"] <= 256
               and 0 < row["scalar"] <= 108 and 0 < row["occupancy"] <= 1
               for row in kernels.values())
    assert kernels["tell"]["shared"] == 32 * 8 * 4 + 4  # 32 vertices of 8 words, and one
    assert all(f"`{name}`" in done.stdout for name in kernels)
