# SPDX-License-Identifier: Apache-2.0
"""Every program that runs on devices is compiled for AMD's GPUs by hiprtc, which needs no GPU, in
the form for GPUs, for each architecture below. With HOPLITE_HIPRTC=all, for the first in the form
for CPUs and without 64-bit atomics too. What comes out is a code object that has each kernel of the
program. It is compiled here and never run. And without a GPU, `hoplite devices` says so.

hiprtc is a part of HIP's runtime (Debian: libamdhip64-5 and libhiprtc-builtins5), or libhiprtc of
ROCm. Without it the test is skipped, unless HOPLITE_REQUIRE_HIPRTC is 1."""

import ctypes
import os
import re
import subprocess

import pytest

ARCHITECTURES = ("gfx90a", "gfx906", "gfx1030")
OPTIONS = ("-std=c++17", "-ffp-contract=off")
GPU = ("-DHOP_CPU=0", "-DHOP_ATOMIC64=1", "-DHOP_FLOAT64=1", "-DHOP_WARPS=1")
FLOOR = ("-DHOP_CPU=1", "-DHOP_ATOMIC64=0", "-DHOP_FLOAT64=0")
NAMES = ("libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libamdhip64.so.5")


@pytest.fixture(scope="module")
def hiprtc():
    for name in NAMES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    if os.environ.get("HOPLITE_REQUIRE_HIPRTC") == "1":
        pytest.fail("hiprtc not found: apt install libamdhip64-5 libhiprtc-builtins5")
    pytest.skip("hiprtc not found: apt install libamdhip64-5 libhiprtc-builtins5")


def programs():
    """{name: text} of the table of programs in the library that was built."""
    shown = subprocess.check_output([os.environ["HOPLITE_SHOW_PROGRAMS"]])
    parts = re.split(rb"=== program (\w+)\n", shown)
    return {name.decode(): text for name, text in zip(parts[1::2], parts[2::2])}


def text_of(hiprtc, program, size_call, get_call):
    size = ctypes.c_size_t()
    assert getattr(hiprtc, size_call)(program, ctypes.byref(size)) == 0
    buffer = ctypes.create_string_buffer(size.value + 1)
    assert getattr(hiprtc, get_call)(program, buffer) == 0
    return buffer.raw[:size.value]


def compiled(hiprtc, name, text, architecture, form):
    """(log, code); the code is None when the compiler complained."""
    program = ctypes.c_void_p()
    assert hiprtc.hiprtcCreateProgram(ctypes.byref(program), text, name.encode(), 0, None,
                                      None) == 0
    options = [option.encode() for option in (f"--offload-arch={architecture}",) + OPTIONS + form]
    result = hiprtc.hiprtcCompileProgram(program, len(options),
                                         (ctypes.c_char_p * len(options))(*options))
    log = text_of(hiprtc, program, "hiprtcGetProgramLogSize", "hiprtcGetProgramLog")
    code = None
    if result == 0:
        code = text_of(hiprtc, program, "hiprtcGetCodeSize", "hiprtcGetCode")
    hiprtc.hiprtcDestroyProgram(ctypes.byref(program))
    return log.rstrip(b"\0").decode(), code


def kernels(text, form):
    """The names of the kernels, which stand after KERNEL_WG once macros are replaced."""
    expanded = subprocess.run([os.environ["HOPLITE_CC"], "-E", "-P", "-x", "c", *form,
                               "-D__HIPCC_RTC__", "-"], input=text, stdout=subprocess.PIPE,
                              check=True).stdout.decode()
    return re.findall(r"__launch_bounds__\([^)]*\)+\s+void (\w+)\(", expanded)


def some():
    """(name, architecture, form) of what is compiled."""
    names = sorted(programs())
    found = [(name, architecture, GPU) for name in names for architecture in ARCHITECTURES]
    if os.environ.get("HOPLITE_HIPRTC") == "all":
        found += [(name, ARCHITECTURES[0], FLOOR) for name in names]
    return found


@pytest.mark.parametrize("name, architecture, form", some())
def test_compiles(hiprtc, name, architecture, form):
    text = programs()[name]
    wanted = kernels(text, form)
    assert wanted
    log, code = compiled(hiprtc, name, text, architecture, form)
    assert code is not None, log
    # Each kernel has a descriptor beside it.
    assert not [kernel for kernel in wanted if kernel.encode() + b".kd" not in code]


def test_a_word_that_hip_lacks_is_reported(hiprtc):
    text = b"""extern "C" __global__ void f(unsigned *p) { barrier(1); }"""
    log, code = compiled(hiprtc, "planted", text, ARCHITECTURES[0], GPU)
    assert code is None and "barrier" in log


def listed(**variables):
    """What `hoplite devices` says where there is no OpenCL."""
    return subprocess.run([os.environ["HOPLITE"], "devices"], text=True, capture_output=True,
                          env={**os.environ, "HOPLITE_OPENCL_LIB": "no-opencl", **variables})


@pytest.mark.skipif(os.path.exists("/dev/kfd"), reason="there is a GPU")
def test_the_runtime_without_a_gpu(hiprtc):
    said = listed(HOPLITE_HIP_LIB=os.path.basename(hiprtc._name))
    if "libhiprtc" in hiprtc._name:
        pytest.skip("the runtime is another library here")
    assert "HIP: AMD's runtime is there but finds no GPU" in said.stdout + said.stderr
    said = listed()
    assert "HIP: there is no GPU for it (/dev/kfd)" in said.stdout + said.stderr
    said = listed(HOPLITE_HIP_LIB="libnothing.so.5")
    assert "HIP: HOPLITE_HIP_LIB: libnothing.so.5" in said.stdout + said.stderr
