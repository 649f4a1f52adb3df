# SPDX-License-Identifier: Apache-2.0
"""Arrays on a device, by __cuda_array_interface__ and DLPack: their memory is that of the driver
that interprets PTX (tests/ptx), asked for by ctypes as another package would. Bits are compared
with the host's, and bytes over the bus are counted by the driver."""

import ctypes
import os

import numpy as np
import pytest

DRIVER = os.environ.get("HOPLITE_TEST_CUDA_LIB")
if not DRIVER:
    pytest.skip("no driver that interprets PTX", allow_module_level=True)
os.environ["HOPLITE_CUDA_LIB"] = DRIVER
os.environ["HOPLITE_NVRTC_LIB"] = os.environ["HOPLITE_TEST_NVRTC_LIB"]
os.environ["HOPLITE_CUDA_PTX"] = "1"
os.environ["HOPLITE_OPENCL_LIB"] = "no-opencl"

import hoplite  # noqa: E402  pylint: disable=wrong-import-position
from hoplite import on_device  # noqa: E402  pylint: disable=wrong-import-position

cuda = ctypes.CDLL(DRIVER)
cuda.cuInit(0)


class Counts(ctypes.Structure):
    """As in tests/ptx/driver.h."""

    _fields_ = [(name, ctypes.c_uint64) for name in (
        "bytes_in", "bytes_out", "copies_in", "copies_out", "pinned_in", "pinned_out", "launches",
        "records", "waits", "events", "timed", "syncs", "pinned")]


cuda.ptx_driver_counted.restype = Counts


class Owner:
    """The primary context, and a stream in it."""

    def __init__(self):
        self.context, self.stream = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(self.context), 0))
        self.check(cuda.cuCtxPushCurrent_v2(self.context))
        self.check(cuda.cuStreamCreate(ctypes.byref(self.stream), 1))

    @staticmethod
    def check(code):
        assert code == 0, code


owner = Owner()


class Array:
    """An array on the device, with the interface that CuPy and Numba have. What it holds comes with
    its stream: nobody has waited for it yet."""

    def __init__(self, values, fixed=False, strides=None):
        self.values = np.ascontiguousarray(values)
        self.pointer = ctypes.c_uint64()
        owner.check(cuda.cuMemAlloc_v2(ctypes.byref(self.pointer),
                                       ctypes.c_size_t(max(self.values.nbytes, 4))))
        owner.check(cuda.cuMemcpyHtoDAsync_v2(
            self.pointer, ctypes.c_void_p(self.values.ctypes.data),
            ctypes.c_size_t(self.values.nbytes), owner.stream))
        self.told = {"shape": self.values.shape, "typestr": self.values.dtype.str, "version": 3,
                     "data": (self.pointer.value, fixed), "strides": strides,
                     "stream": owner.stream.value}

    @property
    def __cuda_array_interface__(self):
        return self.told

    def get(self):
        found = np.empty_like(self.values)
        owner.check(cuda.cuMemcpyDtoHAsync_v2(ctypes.c_void_p(found.ctypes.data), self.pointer,
                                              ctypes.c_size_t(found.nbytes), owner.stream))
        owner.check(cuda.cuStreamSynchronize(owner.stream))
        return found

    def __del__(self):
        cuda.cuMemFree_v2(self.pointer)


class Packed:
    """The same behind DLPack alone."""

    def __init__(self, array, kind=2, number=0):
        self.array, self.kind, self.number = array, kind, number
        owner.check(cuda.cuStreamSynchronize(owner.stream))

    def __dlpack_device__(self):
        return self.kind, self.number

    def __dlpack__(self, stream=None):
        assert stream == 1
        values = self.array.values
        self.shape = (ctypes.c_int64 * 1)(len(values))
        code = {"i": 0, "u": 1, "f": 2}[values.dtype.kind]
        self.tensor = on_device.Tensor(
            self.array.pointer.value - 16, self.kind, self.number, 1, code,
            8 * values.dtype.itemsize, 1, self.shape, None, 16)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p,
                                                         ctypes.c_void_p]
        return make(ctypes.addressof(self.tensor), b"dltensor", None)


def counted(call, *arguments, **keywords):
    """Bytes to the device and from it."""
    cuda.ptx_driver_fault(None, 0, 0)
    result = call(*arguments, device="cuda:0", **keywords)
    counts = cuda.ptx_driver_counted()
    return result, counts.bytes_in, counts.bytes_out


@pytest.fixture(scope="module")
def town():
    return hoplite.generate.road(20, 20, weights="int32", max_weight=1000)


def empty(n, dtype="uint32"):
    return Array(np.full(n, 7, dtype))


def test_results_are_written_where_they_are(town):
    n = town.vertices
    levels, parents, labels, distances = empty(n), empty(n), empty(n), empty(n, "int64")
    right = hoplite.bfs(town, 3)
    _, _, host = counted(hoplite.bfs, town, 3, variant="frontier")
    report, _, out = counted(on_device.bfs, town, 3, levels, parents, variant="frontier")
    assert (levels.get() == right.levels).all() and (parents.get() == right.parents).all()
    assert report.place == "device" and host - out == 8 * n
    found = hoplite.components(town)
    (count, report), _, _ = counted(on_device.components, town, labels)
    assert count == found.count and (labels.get() == found.labels).all()
    _, _, host = counted(hoplite.sssp, town, 3, parents=False, variant="delta-stepping")
    _, _, out = counted(on_device.sssp, town, 3, distances, variant="delta-stepping")
    assert (distances.get() == hoplite.sssp(town, 3).distances).all() and host - out == 8 * n


@pytest.mark.parametrize("wrap", [lambda array: array, Packed])
def test_sources_may_be_there(town, wrap):
    sources = np.array([3, 77, 200], np.uint32)
    levels, distances = empty(town.vertices), empty(town.vertices, "int64")
    on_device.bfs(town, wrap(Array(sources)), levels, device="cuda:0")
    assert (levels.get() == hoplite.bfs(town, sources).levels).all()
    on_device.sssp(town, wrap(Array(sources.view(np.int32))), distances, device="cuda:0")
    assert (distances.get() == hoplite.sssp(town, sources).distances).all()
    with pytest.raises(TypeError, match="sources must be of uint32 or int32"):
        on_device.bfs(town, Array(sources.astype(np.uint64)), levels)
    with pytest.raises(ValueError, match="source number 0 is vertex 936"):
        on_device.bfs(town, Array(np.array([936], np.uint32)), levels)


def test_lists_behind_a_stream():
    n = 500
    successors = np.minimum(np.arange(1, n + 1), n - 1).astype(np.uint32)
    right = hoplite.rank(successors).ranks
    for there, ranks in ((Array(successors, fixed=True), empty(n, "int32")),
                         (Packed(Array(successors)), empty(n))):
        _, to, out = counted(on_device.rank, there, ranks)
        assert (ranks.get() == right).all() and to < n and out < n


@pytest.mark.parametrize("wrap", [lambda array: array, Packed])
def test_graphs_are_searched_where_they_are(town, wrap):
    arrays = [np.array(town.offsets), np.array(town.targets), np.array(town.weights)]
    there = [wrap(Array(each)) for each in arrays]
    counted(on_device.graph, *there, directed=False)  # known answers of the device come first
    graph, to, out = counted(on_device.graph, *there, directed=False)
    assert to == 0 and out < 100  # checked there: what was found comes back
    assert graph.info().arcs == town.arcs and graph.info().max_weight == town.info().max_weight
    distances = empty(graph.vertices, "int64")
    hoplite.device_trim()
    _, to, out = counted(on_device.sssp, graph, 3, distances)
    assert (distances.get() == hoplite.sssp(town, 3).distances).all()
    assert to < 100  # the source and counters: nothing of the graph
    same, _, out = counted(lambda device: graph == town)  # the host reads it now
    assert same and out == sum(each.nbytes for each in arrays)
    assert (graph.targets == town.targets).all() and (graph.weights == town.weights).all()
    hoplite.device_trim()
    assert counted(hoplite.sssp, town, 3)[1] > sum(each.nbytes for each in arrays)


def test_what_cannot_be_is_refused(town):
    n = town.vertices
    levels = empty(n)
    for error, words, call in (
        (TypeError, "array on a device", lambda: on_device.bfs(town, 3, [0] * n)),
        (TypeError, "no device of CUDA", lambda: on_device.bfs(town, 3, np.empty(n, np.uint32))),
        (TypeError, "uint32 or int32, not float32",
         lambda: on_device.bfs(town, 3, empty(n, "float32"))),
        (ValueError, f"must have {n} entries, not {n + 1}",
         lambda: on_device.bfs(town, 3, empty(n + 1))),
        (ValueError, "may only be read",
         lambda: on_device.bfs(town, 3, Array(np.zeros(n, np.uint32), fixed=True))),
        (ValueError, "has gaps",
         lambda: on_device.bfs(town, 3, Array(np.zeros(n, np.uint32), strides=(8,)))),
        (ValueError, "one dimension", lambda: on_device.bfs(town, 3, empty((2, n)))),
        (ValueError, "the device is cuda:0",
         lambda: on_device.bfs(town, 3, Packed(levels, number=1), device="cuda:0")),
        (TypeError, "no device of CUDA or HIP",
         lambda: on_device.bfs(town, 3, Packed(levels, kind=1))),
        (hoplite.UnsupportedError, "small=host",
         lambda: on_device.bfs(town, 3, levels, variant="frontier", params={"small": "host"})),
        (hoplite.UnsupportedError, "one of the host",
         lambda: on_device.bfs(town, 3, levels, variant="sequential")),
    ):
        with pytest.raises(error, match=words):
            call()
    on_device.bfs(town, 3, levels)
    assert (levels.get() == hoplite.bfs(town, 3).levels).all()
