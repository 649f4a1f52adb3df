# SPDX-License-Identifier: Apache-2.0
"""
Breadth-first search against scipy, igraph and networkx: 2,000 random graphs of all families, by
every variant, one to three sources, with and without limits. The peers give distances; the limits
and the canonical parents follow from them by their definition.
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

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "problem"))
from peer_graphs import (BFS, CHUNKS, arcs_of, check_families, check_structs,  # noqa: E402
                         chunk_numbers, library, random_graph, run_of, variants)  # noqa: F401

NONE = 2**32 - 1


class BfsOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("run", ctypes.c_void_p), ("targets", ctypes.c_void_p),
                ("target_count", ctypes.c_uint32), ("max_level", ctypes.c_uint32),
                ("nearest", ctypes.c_uint32)]


def test_structs_are_those_of_the_headers():
    check_structs(("bfs.h", "hop_bfs_options", BfsOptions))


def test_all_families_are_there(library):  # noqa: F811
    check_families(library)


def search(library, graph, variant, sources, targets, max_level):  # noqa: F811
    levels, parents = (np.full(graph.vertices, 7, np.uint32) for _ in range(2))
    run = run_of(variant)
    options = BfsOptions(ctypes.sizeof(BfsOptions), ctypes.addressof(run),
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


def check(library, number):  # noqa: F811
    rng = np.random.default_rng([4, number])
    graph, family = random_graph(library, rng, number)
    n = graph.vertices
    if n == 0:
        return
    tails, heads = arcs_of(graph)
    sources = rng.integers(0, n, int(rng.integers(1, 4))).astype(np.uint32)
    targets = rng.integers(0, n, int(rng.choice([0, 0, 1, 3]))).astype(np.uint32)
    max_level = int(rng.choice([NONE, NONE, 0, 1, 3]))
    found = {name: search(library, graph, name, sources, targets, max_level)
             for name in variants(library, BFS)}
    for peer in PEERS:
        distances = peer(n, heads, tails, sources)
        expected = canonical(distances, heads, tails, sources, targets, max_level)
        for variant, results in found.items():
            for name, mine, theirs in zip(("levels", "parents"), results, expected):
                assert np.array_equal(mine, theirs), (family, number, peer.__name__, variant, name)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_as_the_peers_say(library, chunk):  # noqa: F811
    for number in chunk_numbers(chunk):
        check(library, number)
