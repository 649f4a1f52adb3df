# SPDX-License-Identifier: Apache-2.0
"""
The shared library through ctypes, as far as the tests of formats need it. The library is the one
that HOPLITE_SHARED names.
"""

import ctypes
import os
import re

import numpy as np
import pytest

WEIGHT_TYPES = [None, np.int32, np.int64, np.float32, np.float64]
FILE, DIRECTED, UNDIRECTED = 0, 1, 2
MIN, MAX, SUM, FIRST, LAST, KEEP = range(6)


class ReadOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("format", ctypes.c_char_p),
                ("direction", ctypes.c_int), ("duplicates", ctypes.c_int), ("loops", ctypes.c_int),
                ("drop_weights", ctypes.c_bool), ("trusted", ctypes.c_bool),
                ("in_memory", ctypes.c_bool), ("max_vertices", ctypes.c_uint64),
                ("max_edges", ctypes.c_uint64), ("max_bytes", ctypes.c_uint64),
                ("verify", ctypes.c_bool),
                ("max_line", ctypes.c_uint64), ("columns", ctypes.c_char_p),
                ("delimiter", ctypes.c_char), ("header", ctypes.c_int), ("names", ctypes.c_bool)]


class Csr(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("vertices", ctypes.c_uint64),
                ("offsets", ctypes.c_void_p), ("offset_bytes", ctypes.c_size_t),
                ("targets", ctypes.c_void_p), ("target_bytes", ctypes.c_size_t),
                ("weights", ctypes.c_void_p), ("weight_type", ctypes.c_int),
                ("labels", ctypes.c_void_p), ("release", ctypes.c_void_p),
                ("owner", ctypes.c_void_p), ("first_id", ctypes.c_uint64),
                ("name_offsets", ctypes.c_void_p), ("name_bytes", ctypes.c_void_p)]


class Span(ctypes.Structure):
    """hop_span, and hop_view, which has the same fields."""

    _fields_ = [("items", ctypes.c_void_p), ("count", ctypes.c_uint64), ("type", ctypes.c_int)]


def span_of(array):
    """An array for the library, as a pointer that keeps it."""
    types = {"int32": 1, "int64": 2, "float32": 3, "float64": 4}
    return ctypes.byref(Span(array.ctypes.data, array.size, types[array.dtype.name]))


class CsrOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("directed", ctypes.c_bool),
                ("trusted", ctypes.c_bool), ("copy", ctypes.c_bool)]


class Error(Exception):
    pass


def header_fields(header, struct):
    """The names of a struct's fields as the header has them: so that a change there is noticed."""
    root = os.environ.get("HOPLITE_SOURCE_DIR",
                          os.path.join(os.path.dirname(__file__), "..", ".."))
    with open(os.path.join(root, "include", "hoplite", header)) as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    body = re.search(r"typedef struct %s \{(.*?)\n\} %s;" % (struct, struct), text, re.S).group(1)
    names = []
    for declaration in body.split(";")[:-1]:
        pointer = re.search(r"\(\*(\w+)\)", declaration)
        names += [pointer.group(1)] if pointer else [
            re.search(r"(\w+)$", part.strip()).group(1) for part in declaration.split(",")]
    return names


def check_structs():
    for header, struct, mine in [("io.h", "hop_read_options", ReadOptions),
                                 ("graph.h", "hop_csr", Csr), ("type.h", "hop_span", Span),
                                 ("type.h", "hop_view", Span),
                                 ("graph.h", "hop_csr_options", CsrOptions)]:
        assert header_fields(header, struct) == [name for name, _ in mine._fields_], struct


def array_at(address, dtype, count):
    if count == 0:
        return np.zeros(0, dtype)
    size = count * np.dtype(dtype).itemsize
    return np.frombuffer(ctypes.string_at(address, size), dtype)


class Graph:
    """A graph of the library; its arrays come as copies."""

    def __init__(self, library, handle):
        self.library, self.handle = library, handle

    def __del__(self):
        self.library.lib.hop_graph_release(self.handle)

    def check(self):
        self.library.call("hop_graph_check", self.handle)

    @property
    def directed(self):
        return bool(self.library.lib.hop_graph_directed(self.handle))

    @property
    def vertices(self):
        return self.library.lib.hop_graph_vertices(self.handle)

    @property
    def arcs(self):
        return self.library.lib.hop_graph_arcs(self.handle)

    def offsets(self):
        width = ctypes.c_size_t()
        address = self.library.lib.hop_graph_offsets(self.handle, ctypes.byref(width))
        return array_at(address, np.uint32 if width.value == 4 else np.uint64, self.vertices + 1)

    def targets(self):
        return array_at(self.library.lib.hop_graph_targets(self.handle), np.uint32, self.arcs)

    def weights(self):
        kind = ctypes.c_int()
        address = self.library.lib.hop_graph_weights(self.handle, ctypes.byref(kind))
        return None if kind.value == 0 else array_at(address, WEIGHT_TYPES[kind.value], self.arcs)

    def labels(self):
        address = self.library.lib.hop_graph_labels(self.handle)
        return array_at(address, np.uint64, self.vertices) if address else None

    @property
    def first_id(self):
        return self.library.lib.hop_graph_first_id(self.handle)

    def hash(self):
        value = ctypes.c_uint64()
        self.library.call("hop_graph_hash", self.handle, ctypes.byref(value))
        return value.value

    def write(self, path):
        self.library.call("hop_graph_write", self.handle, os.fsencode(path), None)


class Library:
    def __init__(self):
        check_structs()
        self.lib = ctypes.CDLL(os.environ["HOPLITE_SHARED"])
        pointer = ctypes.c_void_p
        for name, result in [("hop_context_message", ctypes.c_char_p),
                             ("hop_graph_vertices", ctypes.c_uint32),
                             ("hop_graph_arcs", ctypes.c_uint64),
                             ("hop_graph_directed", ctypes.c_bool),
                             ("hop_graph_first_id", ctypes.c_uint64),
                             ("hop_graph_offsets", pointer), ("hop_graph_targets", pointer),
                             ("hop_graph_weights", pointer), ("hop_graph_labels", pointer)]:
            getattr(self.lib, name).restype = result
            getattr(self.lib, name).argtypes = [pointer, pointer][:1 + name.endswith(("offsets",
                                                                                      "weights"))]
        self.lib.hop_graph_release.argtypes = [pointer]
        self.context = pointer()
        assert self.lib.hop_context_create(None, ctypes.byref(self.context)) == 0

    def call(self, name, *arguments):
        wrapped = [ctypes.c_void_p(a) if isinstance(a, int) else a for a in arguments]
        if getattr(self.lib, name)(self.context, *wrapped) != 0:
            raise Error(self.lib.hop_context_message(self.context).decode())

    def read(self, path, **options):
        handle = ctypes.c_void_p()
        given = ReadOptions(size=ctypes.sizeof(ReadOptions), **options)
        self.call("hop_graph_read", os.fsencode(path), ctypes.byref(given), ctypes.byref(handle))
        return Graph(self, handle.value)

    def graph(self, offsets, targets, weights=None, labels=None, directed=True):
        """A graph of copies of the arrays."""
        def address(array):
            return None if array is None else array.ctypes.data
        handle = ctypes.c_void_p()
        csr = Csr(ctypes.sizeof(Csr), len(offsets) - 1, address(offsets), offsets.itemsize,
                  address(targets), targets.itemsize, address(weights),
                  0 if weights is None else WEIGHT_TYPES.index(weights.dtype.type),
                  address(labels), None, None)
        options = CsrOptions(ctypes.sizeof(CsrOptions), directed, False, True)
        self.call("hop_graph_from_csr", ctypes.byref(csr), ctypes.byref(options),
                  ctypes.byref(handle))
        return Graph(self, handle.value)


@pytest.fixture(scope="session")
def library():
    if "address" in os.environ.get("HOPLITE_SANITIZE", ""):
        pytest.skip("a sanitized library cannot be loaded into Python")
    return Library()
