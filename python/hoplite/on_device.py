# SPDX-License-Identifier: Apache-2.0
"""Arrays that are on a GPU already, of CuPy, PyTorch, JAX, Numba and others: anything with
``__cuda_array_interface__`` or DLPack. They are read and written where they are, by CUDA or HIP;
what a call finds goes into an array that the caller gives, and is complete when it returns.

    graph = hoplite.on_device.graph(offsets, targets)
    levels = cupy.empty(graph.vertices, "uint32")
    hoplite.on_device.bfs(graph, 0, levels)

The device is the keyword ``device``, else that of the array if it says so, else "cuda:0". Work
that the array's owner has put into its stream comes first. What the host would have to read is
refused: see docs/devices.md."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

from . import _binding as c
from ._arrays import TYPES, address
from ._calling import Context, How, context, how_with_defaults, whole
from ._graph import Graph, Owned
from ._loading import lib, make
from ._names import is_named, numbers_of
from ._problems import distance_type, graph_argument
from ._running import Params, Report, run_of
from ._signatures import Unpack

__all__ = ["bfs", "components", "graph", "rank", "sssp"]

KINDS = {2: "cuda", 10: "hip"}  # of DLPack's devices
LEGACY_STREAM = 1  # the stream that others wait for, by its number
CODES = {0: "i", 1: "u", 2: "f"}  # of DLPack's types


class Tensor(ctypes.Structure):
    """DLPack's DLManagedTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("device_kind", ctypes.c_int32), ("device", ctypes.c_int32),
        ("dimensions", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64),
        ("manager", ctypes.c_void_p), ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    ]


class There:
    """An array on a device: where it is, and what keeps it there."""

    def __init__(self, name: str, value: Any, written: bool = False) -> None:
        self.name, self.held = name, value
        self.device: Optional[str] = None
        self.stream: Optional[int] = None
        if hasattr(value, "__cuda_array_interface__"):
            self.read_interface(value.__cuda_array_interface__, written)
        elif hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
            self.read_tensor(value)
        else:
            raise TypeError(f"{name} must be an array on a device, with __cuda_array_interface__ "
                            f"or __dlpack__, not {type(value).__name__}")
        self.bytes = self.size * self.dtype.itemsize

    def read_interface(self, told: Dict[str, Any], written: bool) -> None:
        self.pointer, fixed = told["data"]
        self.dtype = np.dtype(told["typestr"])
        self.size = self.one_dimension(told["shape"])
        strides = told.get("strides")
        if strides is not None and self.size > 1 and strides[0] != self.dtype.itemsize:
            raise ValueError(f"{self.name} has gaps: its entries are {strides[0]} bytes apart")
        if told.get("mask") is not None:
            raise ValueError(f"{self.name} has a mask")
        if written and fixed:
            raise ValueError(f"{self.name} is to be written, and may only be read")
        self.stream = told.get("stream")

    def read_tensor(self, value: Any) -> None:
        kind, number = value.__dlpack_device__()
        if int(kind) not in KINDS:
            raise TypeError(f"{self.name} is on no device of CUDA or HIP (DLPack's kind "
                            f"{int(kind)})")
        self.device = f"{KINDS[int(kind)]}:{number}"
        self.stream = LEGACY_STREAM
        self.held = capsule = value.__dlpack__(stream=LEGACY_STREAM)
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        told = Tensor.from_address(get(capsule, b"dltensor"))
        self.dtype = np.dtype(f"{CODES.get(told.code, 'V')}{told.bits // 8}")
        self.size = self.one_dimension(told.shape[:told.dimensions])
        if told.strides and self.size > 1 and told.strides[0] != 1:
            raise ValueError(f"{self.name} has gaps: every {told.strides[0]}th entry is one")
        self.pointer = (told.data or 0) + told.offset

    def one_dimension(self, shape: Any) -> int:
        if len(shape) != 1:
            raise ValueError(f"{self.name} must have one dimension, not {len(shape)}")
        return int(shape[0])

    def must_be(self, size: int, *names: str) -> None:
        if self.dtype.name not in names:
            raise TypeError(f"{self.name} must be of {' or '.join(names)}, not {self.dtype.name}")
        if self.size != size:
            raise ValueError(f"{self.name} must have {size} entries, not {self.size}")

    def integers(self) -> None:
        if self.dtype.kind not in "iu" or self.dtype.itemsize not in (4, 8):
            raise TypeError(f"{self.name} must be integers of 32 or 64 bits, not "
                            f"{self.dtype.name}")


@contextmanager
def lending(how: How, arrays: List[There]) -> Iterator[Context]:
    """A context to which the arrays are lent for a call, behind the streams of their owners."""
    named = {array.device for array in arrays if array.device is not None}
    merged = how_with_defaults(how)
    device = merged.get("device") or min(named, default="cuda:0")
    if named - {device}:
        raise ValueError(f"arrays are on {', '.join(sorted(named))}, and the device is {device}")
    with context({**how, "device": device}) as lent:
        given: List[There] = []
        try:
            for array in arrays:
                if array.bytes == 0:
                    continue
                lent.call(lib.hop_device_lend, array.pointer, array.bytes)
                given.append(array)
            for stream in {array.stream for array in arrays if array.stream is not None}:
                lent.call(lib.hop_device_follow, stream)
            yield lent
        finally:
            for array in given:
                lib.hop_device_take_back(lent.pointer, array.pointer)


def graph(
    offsets: Any, targets: Any, weights: Any = None, *, directed: bool = True,
    trusted: bool = False, **how: Unpack[How],
) -> Graph:
    """A graph of rows that are on the device: see :meth:`Graph.from_csr`. Where they are sorted and
    targets have 32 bits, they are checked and searched where they are, and must stay unchanged
    while the graph lives; the host copies them, once, if it has to read them. Else it copies them
    now."""
    arrays = [There("offsets", offsets), There("targets", targets)]
    arrays += [] if weights is None else [There("weights", weights)]
    for array in arrays[:2]:
        array.integers()
    if arrays[0].size == 0:
        raise ValueError("offsets must have one entry more than there are vertices, at least 1")
    csr = make(c.hop_csr, vertices=arrays[0].size - 1, offsets=arrays[0].pointer,
               offset_bytes=arrays[0].dtype.itemsize, targets=arrays[1].pointer,
               target_bytes=arrays[1].dtype.itemsize)
    if weights is not None:
        arrays[2].must_be(arrays[1].size, "int32", "int64", "float32", "float64")
        csr.weights, csr.weight_type = arrays[2].pointer, TYPES[arrays[2].dtype.name]
    given = make(c.hop_csr_options, directed=bool(directed), trusted=bool(trusted))
    made = Owned()
    with lending(how, arrays) as lent:
        lent.call(lib.hop_graph_from_device, ctypes.byref(csr), ctypes.byref(given),
                  ctypes.byref(made))
    found = Graph(made, tuple(array.held for array in arrays))
    found._away = True  # as far as is known here
    return found


class Sources:
    """Sources of a search: vertices as everywhere, or positions that are on the device."""

    def __init__(self, graph: Graph, value: Any, index: bool) -> None:
        self.arrays: List[There] = []
        kind = getattr(value, "__dlpack_device__", lambda: (0, 0))()[0]
        if hasattr(value, "__cuda_array_interface__") or int(kind) in KINDS:
            if is_named(graph) and not index:
                raise ValueError("sources on a device are positions from 0 on, not ids: say "
                                 "index=True")
            self.arrays = [There("sources", value)]
            self.arrays[0].must_be(self.arrays[0].size, "uint32", "int32")
            self.pointer, self.size = self.arrays[0].pointer, self.arrays[0].size
        else:
            self.held = numbers_of(graph, "sources", value, index)
            self.pointer, self.size = address(self.held), len(self.held)


def bfs(
    graph: Graph, sources: Any, levels: Any, parents: Any = None, *,
    max_level: Optional[int] = None, variant: Optional[str] = None, params: Params = None,
    index: bool = False, **how: Unpack[How],
) -> Report:
    """Breadth-first search: writes :attr:`BfsResult.levels`, and parents if their array is given,
    both of 32-bit integers with an entry per vertex. Sources may be an array of 32-bit integers on
    the device too, which are positions from 0 on."""
    n = graph_argument(graph).vertices
    first = Sources(graph, sources, index)
    arrays = [There("levels", levels, True)]
    arrays += [] if parents is None else [There("parents", parents, True)]
    for array in arrays:
        array.must_be(n, "uint32", "int32")
    run, report = run_of(variant, params, False)
    given = make(c.hop_bfs_options, run=ctypes.pointer(run))
    if max_level is not None:
        given.max_level = whole("max_level", max_level, 0, c.HOP_NO_LEVEL)
    with lending(how, first.arrays + arrays) as lent:
        lent.call(lib.hop_bfs, graph._pointer, first.pointer, first.size, ctypes.byref(given),
                  arrays[0].pointer, arrays[1].pointer if parents is not None else None)
    return report


def components(
    graph: Graph, labels: Any, *, variant: Optional[str] = None, params: Params = None,
    **how: Unpack[How],
) -> Tuple[int, Report]:
    """Connected components: writes :attr:`ComponentsResult.labels`, 32-bit integers. Returns how
    many there are, and the report."""
    there = There("labels", labels, True)
    there.must_be(graph_argument(graph).vertices, "uint32", "int32")
    run, report = run_of(variant, params, False)
    given = make(c.hop_components_options, run=ctypes.pointer(run))
    count = ctypes.c_uint32()
    with lending(how, [there]) as lent:
        lent.call(lib.hop_components, graph._pointer, ctypes.byref(given), there.pointer,
                  ctypes.byref(count))
    return count.value, report


def sssp(
    graph: Graph, sources: Any, distances: Any, *, variant: Optional[str] = None,
    params: Params = None, index: bool = False, **how: Unpack[How],
) -> Report:
    """Shortest paths without negative weights: writes :attr:`SsspResult.distances`, of its type.
    Parents are found by the host, so there are none. Sources as in :func:`bfs`."""
    n = graph_argument(graph).vertices
    first = Sources(graph, sources, index)
    there = There("distances", distances, True)
    there.must_be(n, distance_type(graph))
    run, report = run_of(variant, params, False)
    given = make(c.hop_sssp_options, run=ctypes.pointer(run))
    span = c.hop_span(there.pointer, there.size, TYPES[there.dtype.name])
    with lending(how, [*first.arrays, there]) as lent:
        lent.call(lib.hop_sssp, graph._pointer, first.pointer, first.size, ctypes.byref(given),
                  ctypes.byref(span), None)
    return report


def rank(
    successors: Any, ranks: Any, *, variant: Optional[str] = None, params: Params = None,
    **how: Unpack[How],
) -> Report:
    """List ranking of one list that begins with element 0: reads successors, writes ranks
    (:func:`hoplite.rank`), both of 32-bit integers."""
    following, there = There("successors", successors), There("ranks", ranks, True)
    following.must_be(following.size, "uint32", "int32")
    there.must_be(following.size, "uint32", "int32")
    run, report = run_of(variant, params, False)
    given = make(c.hop_rank_options, run=ctypes.pointer(run))
    with lending(how, [following, there]) as lent:
        lent.call(lib.hop_rank, following.pointer, following.size, ctypes.byref(given),
                  there.pointer)
    return report
