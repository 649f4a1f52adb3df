# SPDX-License-Identifier: Apache-2.0
"""
Breadth-first search against scipy, igraph and networkx: 2,000 random graphs of all families, one to
three sources, with and without limits. The peers give distances; the limits and the canonical
parents follow from them by their definition.
"""

import ctypes
import os
import sys

import igraph
import networkx
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "io"))
from shared_library import Graph, header_fields, library  # noqa: E402, F401

NONE = 2**32 - 1
GRAPHS = 2000
CHUNKS = 10


class Setting(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_double), ("word", ctypes.c_char_p)]


class GenerateOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("settings", ctypes.POINTER(Setting)),
                ("setting_count", ctypes.c_size_t), ("seed", ctypes.c_uint64),
                ("weight_type", ctypes.c_int), ("min_weight", ctypes.c_double),
                ("max_weight", ctypes.c_double)]


class BfsOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("run", ctypes.c_void_p), ("targets", ctypes.c_void_p),
                ("target_count", ctypes.c_uint32), ("max_level", ctypes.c_uint32)]


def test_structs_are_those_of_the_headers():
    for header, struct, mine in [("parameter.h", "hop_setting", Setting),
                                 ("generate.h", "hop_generate_options", GenerateOptions),
                                 ("bfs.h", "hop_bfs_options", BfsOptions)]:
        assert header_fields(header, struct) == [name for name, _ in mine._fields_], struct


def recipes(rng):
    """One set of parameters per family, small enough for the slowest peer."""
    n = int(rng.integers(1, 150))
    flag = int(rng.integers(0, 2))
    rows, cols = (int(x) for x in rng.integers(1, 13, 2))
    return {
        "rmat": {"scale": int(rng.integers(1, 8)), "edge-factor": int(rng.integers(1, 5)),
                 "directed": flag},
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


def generate(library, family, parameters, seed):
    settings = (Setting * len(parameters))(*[(name.encode(), value, None)
                                             for name, value in parameters.items()])
    options = GenerateOptions(ctypes.sizeof(GenerateOptions), settings, len(parameters), seed, 7,
                              -np.inf, np.inf)
    handle = ctypes.c_void_p()
    library.call("hop_generate_graph", family.encode(), ctypes.byref(options),
                 ctypes.byref(handle))
    return Graph(library, handle.value)


def search(library, graph, sources, targets, max_level):
    levels, parents = (np.full(graph.vertices, 7, np.uint32) for _ in range(2))
    options = BfsOptions(ctypes.sizeof(BfsOptions), None,
                         targets.ctypes.data if len(targets) else None, len(targets), max_level)
    arguments = (graph.handle, sources.ctypes.data, ctypes.c_uint32(len(sources)),
                 ctypes.byref(options), levels.ctypes.data, parents.ctypes.data)
    library.call("hop_bfs", *arguments)
    library.call("hop_bfs_certify", *arguments)
    return levels, parents


def by_scipy(n, heads, tails, sources):
    matrix = scipy.sparse.csr_array((np.ones(len(heads)), (tails, heads)), shape=(n, n))
    return scipy.sparse.csgraph.dijkstra(matrix, directed=True, unweighted=True, indices=sources,
                                         min_only=True)


def by_igraph(n, heads, tails, sources):
    graph = igraph.Graph(n=n, edges=np.column_stack((tails, heads)).tolist(), directed=True)
    return np.array(graph.distances(source=sorted(set(sources.tolist())), mode="out")).min(axis=0)


def by_networkx(n, heads, tails, sources):
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(zip(tails.tolist(), heads.tolist()))
    distances = np.full(n, np.inf)
    for source in sources.tolist():
        for v, d in networkx.single_source_shortest_path_length(graph, source).items():
            distances[v] = min(distances[v], d)
    return distances


PEERS = [by_scipy, by_igraph, by_networkx]


def canonical(distances, heads, tails, sources, targets, max_level):
    """Levels and parents from true distances, by the definition in the header."""
    levels = np.where(np.isinf(distances), NONE, distances).astype(np.int64)
    limit = max_level
    if len(targets) and (levels[targets] <= max_level).all() and (levels[targets] < NONE).all():
        limit = levels[targets].max()
    levels[levels > limit] = NONE
    parents = np.full(len(levels), NONE, np.int64)
    tight = (levels[tails] != NONE) & (levels[tails] + 1 == levels[heads])
    np.minimum.at(parents, heads[tight], tails[tight])
    parents[sources] = sources
    return levels, parents


def check(library, number, families):
    rng = np.random.default_rng([4, number])
    family = families[number % len(families)]
    graph = generate(library, family, recipes(rng)[family], number)
    n = graph.vertices
    if n == 0:
        return
    heads = graph.targets().astype(np.int64)
    tails = np.repeat(np.arange(n), np.diff(graph.offsets().astype(np.int64)))
    sources = rng.integers(0, n, int(rng.integers(1, 4))).astype(np.uint32)
    targets = rng.integers(0, n, int(rng.choice([0, 0, 1, 3]))).astype(np.uint32)
    max_level = int(rng.choice([NONE, NONE, 0, 1, 3]))
    found = search(library, graph, sources, targets, max_level)
    for peer in PEERS:
        distances = peer(n, heads, tails, sources)
        expected = canonical(distances, heads, tails, sources, targets, max_level)
        for name, mine, theirs in zip(("levels", "parents"), found, expected):
            assert np.array_equal(mine, theirs), (family, number, peer.__name__, name)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_as_the_peers_say(library, chunk):  # noqa: F811
    families = sorted(recipes(np.random.default_rng(0)))
    for number in range(chunk * GRAPHS // CHUNKS, (chunk + 1) * GRAPHS // CHUNKS):
        check(library, number, families)


def test_all_families_are_there(library):  # noqa: F811
    """A family that is added must get a recipe here."""
    class Family(ctypes.Structure):
        _fields_ = [("name", ctypes.c_char_p), ("summary", ctypes.c_char_p),
                    ("source", ctypes.c_char_p), ("is_list", ctypes.c_bool)]
    library.lib.hop_family_at.restype = ctypes.POINTER(Family)
    rows = [library.lib.hop_family_at(i).contents for i in range(library.lib.hop_family_count())]
    assert sorted(row.name.decode() for row in rows if not row.is_list) == \
        sorted(recipes(np.random.default_rng(0)))
