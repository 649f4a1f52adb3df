# SPDX-License-Identifier: Apache-2.0
"""
All pairs of 2,000 random graphs of all families, by every variant, against scipy, igraph and
networkx. Weights of every type, none, zeros and negative ones, some of which make a negative cycle
(an undirected one always does): then every peer must say so too. Integers must be equal; floating
point within the tolerance that apsp.h states.
"""

import ctypes
import os
import sys
import warnings

import igraph
import networkx
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "problem"))
from peer_graphs import (APSP, CHUNKS, NEGATIVE_CYCLE, UNSUPPORTED,  # noqa: E402
                         arcs_of, check_families, check_structs, chunk_numbers,
                         library, random_graph, run_of, span_of, variants)  # noqa: F401

KINDS = [None, np.int32, np.int64, np.float32, np.float64]
CYCLE = "a negative cycle"


class ApspOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("run", ctypes.c_void_p),
                ("distance_type", ctypes.c_int), ("certify_rows", ctypes.c_uint32),
                ("scratch", ctypes.c_char_p),
                ("sources", ctypes.c_void_p), ("source_count", ctypes.c_uint32)]


def test_structs_are_those_of_the_headers():
    check_structs(("apsp.h", "hop_apsp_options", ApspOptions))


def test_all_families_are_there(library):  # noqa: F811
    check_families(library)


def weights_of(rng, kind, n, directed, tails, heads):
    """Of each arc, the same of both arcs of an edge. With negative ones, or without."""
    if kind is None:
        return None, False
    steps = int(rng.choice([2, 10, 1000]))
    table = rng.integers(0, steps, n * n)
    weights = table[np.minimum(tails, heads) * n + np.maximum(tails, heads)]
    negative = rng.random() < (.5 if directed else .1)
    if negative and not directed:
        weights = weights - 1
    elif negative:
        weights = table[tails * n + heads]
        # Differences of potentials make no cycle negative; a little less may.
        potentials = rng.integers(0, steps, n)
        weights = weights + potentials[tails] - potentials[heads] - int(rng.random() < .7)
    if kind in (np.float32, np.float64) and not negative:
        return (weights * rng.choice([.1, 1 / 3, 1.])).astype(kind), False
    # Sums of these are exact, so a cycle is negative for everyone or for nobody.
    scale = .125 if kind in (np.float32, np.float64) else 1
    return (weights * scale).astype(kind), bool((weights < 0).any())


def by_scipy(n, tails, heads, weights, negative):
    matrix = scipy.sparse.csr_array((weights, (tails, heads)), shape=(n, n))
    method = scipy.sparse.csgraph.johnson if negative else scipy.sparse.csgraph.dijkstra
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return method(matrix, directed=True)
    except scipy.sparse.csgraph.NegativeCycleError:
        return CYCLE


def by_igraph(n, tails, heads, weights, negative):
    graph = igraph.Graph(n=n, edges=np.column_stack((tails, heads)).tolist(), directed=True)
    try:
        return np.array(graph.distances(weights=weights.tolist(), mode="out"))
    except igraph.InternalError as error:
        assert "negative" in str(error).lower(), error
        return CYCLE


def by_networkx(n, tails, heads, weights, negative):
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from(zip(tails.tolist(), heads.tolist(), weights.tolist()))
    distances = np.asarray(networkx.floyd_warshall_numpy(graph))
    return CYCLE if (distances.diagonal() < 0).any() else distances


PEERS = [by_scipy, by_igraph, by_networkx]


def solve(library, graph, variant, dtype):  # noqa: F811
    """The matrix; CYCLE; or None when the variant refuses such weights."""
    n = graph.vertices
    matrix = np.full((n, n), 7, dtype)
    run = run_of(variant)
    kind = KINDS.index(dtype)
    options = ApspOptions(ctypes.sizeof(ApspOptions), ctypes.addressof(run), kind, 0)
    arguments = (library.context, ctypes.c_void_p(graph.handle), ctypes.byref(options))
    status = library.lib.hop_apsp(*arguments, span_of(matrix), None)
    if status in (NEGATIVE_CYCLE, UNSUPPORTED):
        return CYCLE if status == NEGATIVE_CYCLE else None
    assert status == 0, library.lib.hop_context_message(library.context)
    assert library.lib.hop_apsp_certify(*arguments, 0, n, span_of(matrix)) == 0
    return matrix


def as_reals(matrix):
    """Integers are below 2^53 here."""
    if matrix.dtype.kind == "f":
        return matrix.astype(np.float64), float(np.finfo(matrix.dtype).eps)
    none = np.iinfo(matrix.dtype).max
    return np.where(matrix == none, np.inf, matrix.astype(np.float64)), 0.


def agrees(matrix, theirs):
    mine, epsilon = as_reals(matrix)
    reached = np.isfinite(theirs)
    if not np.array_equal(np.isfinite(mine), reached):
        return False
    a, b = mine[reached], theirs[reached]
    return bool((np.abs(a - b) <= (len(mine) - 1) * epsilon * np.maximum(a, b).clip(0)).all())


def weighted(library, rng, number):  # noqa: F811
    """Graph `number` with weights; n, arcs and weights for the peers; whether one is negative."""
    plain, family = random_graph(library, rng, number, most=48)
    n, directed, kind = plain.vertices, plain.directed, KINDS[number // 9 % 5]
    tails, heads = arcs_of(plain)
    weights, negative = weights_of(rng, kind, n, directed, tails, heads)
    graph = library.graph(plain.offsets(), plain.targets(), weights, directed=directed)
    theirs = np.ones(len(heads)) if weights is None else weights.astype(np.float64)
    return graph, family, (n, tails, heads, theirs, negative), kind


def check(library, number, seen):  # noqa: F811
    rng = np.random.default_rng([6, number])
    graph, family, arcs, kind = weighted(library, rng, number)
    n, negative = arcs[0], arcs[-1]
    if n == 0:
        return
    dtype = kind if kind in (np.float32, np.float64) else rng.choice([np.int32, np.int64])
    found = {name: solve(library, graph, name, dtype) for name in variants(library, APSP)}
    solved = {name: matrix for name, matrix in found.items() if matrix is not None}
    refused = set(found) - set(solved)
    assert solved and (negative or refused <= {"bfs", "bfs-bits"}), (family, number, list(solved))
    assert {"bfs", "bfs-bits"} <= set(solved) or kind is not None, (family, number)
    for peer in PEERS:
        theirs = peer(*arcs)
        for variant, mine in solved.items():
            what = (family, number, peer.__name__, variant)
            if isinstance(theirs, str) or isinstance(mine, str):
                assert isinstance(theirs, str) and isinstance(mine, str), what
            else:
                assert agrees(mine, theirs), what
    seen.append((negative, any(isinstance(matrix, str) for matrix in found.values())))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_as_the_peers_say(library, chunk):  # noqa: F811
    seen = []
    for number in chunk_numbers(chunk):
        check(library, number, seen)
    # Each chunk has some with negative weights, and some of these have a negative cycle.
    assert {(False, False), (True, False), (True, True)} <= set(seen)
