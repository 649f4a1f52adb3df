# SPDX-License-Identifier: Apache-2.0
"""Every program that runs on devices is compiled for NVIDIA's GPUs by NVRTC, which needs no GPU: in
the form for GPUs for every architecture below, in the form for CPUs and without 64-bit atomics for
the first. What comes out is a cubin that has each kernel of the program. It is compiled here and
never run.

libnvrtc comes from a CUDA toolkit, or from the package nvidia-cuda-nvrtc. Without it the test is
skipped, unless HOPLITE_REQUIRE_NVRTC is 1."""

import ctypes
import glob
import os
import re
import subprocess
import sysconfig

import pytest

ARCHITECTURES = (75, 80, 90, 100, 120)
OPTIONS = ("--std=c++17", "-default-device", "--diag-suppress=177")
GPU = ("-DHOP_CPU=0", "-DHOP_ATOMIC64=1", "-DHOP_FLOAT64=1", "-DHOP_WARPS=1")
FLOOR = ("-DHOP_CPU=1", "-DHOP_ATOMIC64=0", "-DHOP_FLOAT64=0")


def library():
    """libnvrtc, newest first; None if there is none."""
    names = ["libnvrtc.so"] + [f"libnvrtc.so.{version}" for version in (13, 12)]
    folders = [os.path.join(sysconfig.get_paths()["purelib"], "nvidia", "*", "lib"),
               "/usr/local/cuda*/lib64"]
    paths = [path for folder in folders for name in names
             for path in sorted(glob.glob(os.path.join(folder, name)), reverse=True)]
    for path in paths + names:
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    return None


@pytest.fixture(scope="module")
def nvrtc():
    found = library()
    if found is None:
        if os.environ.get("HOPLITE_REQUIRE_NVRTC") == "1":
            pytest.fail("libnvrtc not found: pip install nvidia-cuda-nvrtc")
        pytest.skip("libnvrtc not found: pip install nvidia-cuda-nvrtc")
    return found


def programs():
    """{name: text} of the table of programs in the library that was built."""
    shown = subprocess.check_output([os.environ["HOPLITE_SHOW_PROGRAMS"]])
    parts = re.split(rb"=== program (\w+)\n", shown)
    return {name.decode(): text for name, text in zip(parts[1::2], parts[2::2])}


def text_of(nvrtc, program, size_call, get_call):
    size = ctypes.c_size_t()
    assert getattr(nvrtc, size_call)(program, ctypes.byref(size)) == 0
    buffer = ctypes.create_string_buffer(size.value)
    assert getattr(nvrtc, get_call)(program, buffer) == 0
    return buffer.raw


def compiled(nvrtc, name, text, architecture, form):
    """(log, cubin); the cubin is None when the compiler complained."""
    program = ctypes.c_void_p()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, name.encode(), 0, None, None) == 0
    options = [option.encode() for option in (f"-arch=sm_{architecture}",) + OPTIONS + form]
    result = nvrtc.nvrtcCompileProgram(program, len(options),
                                       (ctypes.c_char_p * len(options))(*options))
    log = text_of(nvrtc, program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")
    log = log.rstrip(b"\0").decode()
    cubin = None
    if result == 0:
        cubin = text_of(nvrtc, program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN")
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return log, cubin


def kernels(text, form):
    """The names of the kernels, which stand after KERNEL_WG once macros are replaced."""
    flags = [option for option in form] + ["-D__CUDACC_RTC__"]
    expanded = subprocess.run([os.environ["HOPLITE_CC"], "-E", "-P", "-x", "c", *flags, "-"],
                              input=text, stdout=subprocess.PIPE, check=True).stdout.decode()
    return re.findall(r"__launch_bounds__\([^)]*\)+\s+void (\w+)\(", expanded)


@pytest.mark.parametrize("form, architectures", [(GPU, ARCHITECTURES), (FLOOR, ARCHITECTURES[:1])],
                         ids=("gpu", "floor"))
@pytest.mark.parametrize("name", sorted(programs()))
def test_compiles(nvrtc, name, form, architectures):
    text = programs()[name]
    wanted = kernels(text, form)
    assert wanted
    for architecture in architectures:
        log, cubin = compiled(nvrtc, name, text, architecture, form)
        assert cubin is not None, f"sm_{architecture}:\n{log}"
        assert log == "", f"sm_{architecture}:\n{log}"
        assert cubin[:4] == b"\x7fELF"
        missing = [kernel for kernel in wanted if b".text." + kernel.encode() not in cubin]
        assert not missing, f"sm_{architecture}: {missing}"


def test_a_word_that_cuda_lacks_is_reported(nvrtc):
    text = b"""extern "C" __global__ void f(unsigned *p) { barrier(1); }"""
    log, cubin = compiled(nvrtc, "planted", text, 75, GPU)
    assert cubin is None and "barrier" in log
