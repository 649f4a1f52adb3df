# SPDX-License-Identifier: Apache-2.0
"""
Random graphs of all families, small enough for the slowest peer, and the runs of variants, for the
tests that compare the problems with other libraries.
"""

import ctypes
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "io"))
from shared_library import Graph, header_fields, library, span_of  # noqa: E402, F401

GRAPHS = 2000
CHUNKS = 10  # of a test, so that a failure names a part and progress is seen
COMPONENTS, BFS, APSP = 1, 2, 4  # hop_problem
UNSUPPORTED, NEGATIVE_CYCLE = -6, -8


class Setting(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_double), ("word", ctypes.c_char_p)]


class GenerateOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("settings", ctypes.POINTER(Setting)),
                ("setting_count", ctypes.c_size_t), ("seed", ctypes.c_uint64),
                ("weight_type", ctypes.c_int), ("min_weight", ctypes.c_double),
                ("max_weight", ctypes.c_double), ("setting_size", ctypes.c_size_t)]


class Run(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("variant", ctypes.c_char_p),
                ("settings", ctypes.POINTER(Setting)), ("setting_count", ctypes.c_size_t),
                ("certify", ctypes.c_int), ("report", ctypes.c_void_p),
                ("plan", ctypes.c_bool), ("setting_size", ctypes.c_size_t)]


class NamedFirst(ctypes.Structure):
    """A row of any table: its name, then what is of no concern here."""
    _fields_ = [("name", ctypes.c_char_p), ("summary", ctypes.c_char_p),
                ("source", ctypes.c_char_p), ("is_list", ctypes.c_bool)]


class VariantRow(ctypes.Structure):
    """The beginning of a hop_variant."""
    _fields_ = [("name", ctypes.c_char_p), ("summary", ctypes.c_char_p),
                ("source", ctypes.c_char_p), ("place", ctypes.c_int)]


def check_structs(*more):
    """Structs of the headers, as (header, struct, mine), have the fields that are used here."""
    own = (("parameter.h", "hop_setting", Setting),
           ("generate.h", "hop_generate_options", GenerateOptions),
           ("variant.h", "hop_run", Run))
    for header, struct, mine in own + more:
        assert header_fields(header, struct) == [name for name, _ in mine._fields_], struct


def recipes(rng, most=150):
    """One set of parameters per family; about `most` vertices at most."""
    n = int(rng.integers(1, most))
    flag = int(rng.integers(0, 2))
    side = int(np.sqrt(most)) + 1
    rows, cols = (int(x) for x in rng.integers(1, side, 2))
    return {
        "rmat": {"scale": int(rng.integers(1, int(np.log2(most)) + 1)),
                 "edge-factor": int(rng.integers(1, 5)), "directed": flag},
        "erdos-renyi": {"n": n, "m": int(rng.integers(0, n * (n - 1) // 4 + 1)) % 400,
                        "directed": flag},
        "degree": {"n": n + 8, "min-degree": 1, "max-degree": int(rng.integers(1, 7))},
        "density": {"m": 2 * n, "delta": float(rng.uniform(.01, .3)), "count": 1},
        "fanout": {"n": n, "k": int(rng.integers(1, 5)), "directed": flag},
        "grid": {"rows": rows, "cols": cols, "removed": float(rng.uniform(0, .5)),
                 "diagonals": flag, "shuffle": 1 - flag},
        "road": {"rows": rows, "cols": cols, "shuffle": flag},
        "list-graph": {"n": n, "count": int(rng.integers(1, 4)) if n > 4 else 1},
        "tree-graph": {"n": n, "count": int(rng.integers(1, 4)) if n > 4 else 1,
                       "k": int(rng.integers(1, 5))},
    }


FAMILIES = sorted(recipes(np.random.default_rng(0)))


def random_graph(library, rng, number, most=150):  # noqa: F811
    """Graph `number`, of the families in turn, without weights; and the name of its family."""
    family = FAMILIES[number % len(FAMILIES)]
    parameters = recipes(rng, most)[family]
    settings = (Setting * len(parameters))(*[(name.encode(), value, None)
                                             for name, value in parameters.items()])
    options = GenerateOptions(ctypes.sizeof(GenerateOptions), settings, len(parameters), number, 7,
                              -np.inf, np.inf)
    handle = ctypes.c_void_p()
    library.call("hop_graph_generate", family.encode(), ctypes.byref(options),
                 ctypes.byref(handle))
    return Graph(library, handle.value), family


def arcs_of(graph):
    """The tails and heads of all arcs."""
    heads = graph.targets().astype(np.int64)
    tails = np.repeat(np.arange(graph.vertices), np.diff(graph.offsets().astype(np.int64)))
    return tails, heads


def run_of(variant):
    return Run(ctypes.sizeof(Run), variant.encode(), None, 0, 0, None, False)


def variants(library, problem):  # noqa: F811
    """Names of those that run on the host."""
    library.lib.hop_variant_at.restype = ctypes.POINTER(VariantRow)
    library.lib.hop_variant_count.restype = ctypes.c_size_t
    rows = [library.lib.hop_variant_at(problem, ctypes.c_size_t(i)).contents
            for i in range(library.lib.hop_variant_count(problem))]
    return [row.name.decode() for row in rows if row.place == 0]


def chunk_numbers(chunk):
    return range(chunk * GRAPHS // CHUNKS, (chunk + 1) * GRAPHS // CHUNKS)


def check_families(library):  # noqa: F811
    """A family that is added must get a recipe here."""
    library.lib.hop_family_at.restype = ctypes.POINTER(NamedFirst)
    rows = [library.lib.hop_family_at(i).contents for i in range(library.lib.hop_family_count())]
    assert sorted(row.name.decode() for row in rows if not row.is_list) == FAMILIES
