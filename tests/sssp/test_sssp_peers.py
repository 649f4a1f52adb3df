# SPDX-License-Identifier: Apache-2.0
"""
Shortest paths against scipy, igraph and networkx: 2,000 random graphs of all families, one to three
sources, with and without limits, by every variant that takes the weights. The peers give distances;
the limits and the canonical parents follow from them by their definition.

Peers add in doubles. Weights below 0, and those of float32, are multiples of 1/8 here, so that all
sums are exact; sums of float64 above 0 are rounded in the same order by everybody.
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
from peer_graphs import (CHUNKS, FAMILIES, Run, arcs_of, check_families,  # noqa: E402
                         check_structs, chunk_numbers, library, random_graph,  # noqa: F401
                         run_of, variants)
from shared_library import Error, span_of  # noqa: E402

NONE = 2**32 - 1
NO_DISTANCE = 2**63 - 1
SSSP = 3  # hop_problem
KINDS = ["int32", "int64", "float32", "float64", "below", "any"]


class SsspOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("run", ctypes.POINTER(Run)),
                ("targets", ctypes.c_void_p), ("target_count", ctypes.c_uint32),
                ("cutoff", ctypes.c_double), ("tolerance", ctypes.c_double),
                ("nearest", ctypes.c_uint32)]


def test_structs_are_those_of_the_headers():
    check_structs(("sssp.h", "hop_sssp_options", SsspOptions))


def test_all_families_are_there(library):  # noqa: F811
    check_families(library)


class Question:
    """A weighted graph as arrays of arcs, and what is asked about it."""

    def __init__(self, library, number):  # noqa: F811
        rng = self.rng = np.random.default_rng([4, 3, number])
        shape, _ = random_graph(library, rng, number)
        self.n, self.directed = shape.vertices, shape.directed
        self.offsets = shape.offsets().astype(np.int64)
        self.tails, self.heads = arcs_of(shape)
        self.kind = KINDS[number // len(FAMILIES) % len(KINDS)]
        self.weights = self.draw()
        self.negative = bool((self.weights < 0).any())
        self.graph = library.graph(shape.offsets(), shape.targets(), self.weights,
                                   directed=self.directed)
        if self.n == 0:
            return
        self.sources = rng.integers(0, self.n, int(rng.integers(1, 4))).astype(np.uint32)
        self.targets = rng.integers(0, self.n, int(rng.choice([0, 0, 1, 3]))).astype(np.uint32)
        self.cutoff = float(rng.choice([np.inf, np.inf, 0, 2, 7.5]))

    def draw(self):
        """One weight for each pair, the same in both directions unless arcs have one."""
        rng, n = self.rng, self.n
        pairs = self.tails * n + self.heads
        if not self.directed:
            pairs = np.minimum(pairs, self.heads * n + self.tails)
        at, many = np.unique(pairs, return_inverse=True)
        eighths = rng.integers(0, int(rng.choice([2, 9, 100])), len(at))
        if self.kind == "int32":
            return eighths[many].astype(np.int32)
        if self.kind == "int64":
            return (eighths * 2**int(rng.choice([0, 30])))[many].astype(np.int64)
        if self.kind == "float32":
            return (eighths / 8)[many].astype(np.float32)
        if self.kind == "float64":
            return (eighths * rng.random(len(at)))[many]
        real = rng.choice([np.int32, np.int64, np.float32, np.float64])
        if self.kind == "any":  # cycles of any sum
            return (eighths - int(rng.integers(0, 3)))[many].astype(real)
        height = rng.integers(0, 60, n) * self.directed  # cycles of sum 0 and more
        scaled = eighths[many] + height[self.tails] - height[self.heads]
        return (scaled / 8 if np.issubdtype(real, np.floating) else scaled).astype(real)


def search(library, question, variant):  # noqa: F811
    """Distances (in their type), parents; None with a negative cycle."""
    real = question.weights.dtype if question.weights.dtype.kind == "f" else np.int64
    distances, parents = np.full(question.n, 7, real), np.full(question.n, 7, np.uint32)
    targets = question.targets
    run = run_of(variant)
    run.certify = 1
    options = SsspOptions(ctypes.sizeof(SsspOptions), ctypes.pointer(run),
                          targets.ctypes.data if len(targets) else None, len(targets),
                          question.cutoff, 0)
    try:
        library.call("hop_sssp", question.graph.handle, question.sources.ctypes.data,
                     ctypes.c_uint32(len(question.sources)), ctypes.byref(options),
                     span_of(distances), parents.ctypes.data)
    except Error as error:
        assert "cycle" in str(error), error
        return None
    return distances, parents


def by_scipy(question):
    matrix = scipy.sparse.csr_array((question.weights.astype(np.float64), question.heads,
                                     question.offsets), shape=(question.n, question.n))
    sources = np.unique(question.sources)
    if not question.negative:
        return scipy.sparse.csgraph.dijkstra(matrix, indices=sources, min_only=True)
    return scipy.sparse.csgraph.bellman_ford(matrix, indices=sources).min(axis=0)


def by_igraph(question):
    graph = igraph.Graph(n=question.n, edges=np.column_stack((question.tails,
                                                              question.heads)).tolist(),
                         directed=True)
    graph.es["weight"] = question.weights.astype(np.float64).tolist()
    found = graph.distances(source=np.unique(question.sources).tolist(), weights="weight",
                            mode="out")
    return np.array(found).min(axis=0)


def by_networkx(question):
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(question.n))
    graph.add_weighted_edges_from(zip(question.tails.tolist(), question.heads.tolist(),
                                      question.weights.tolist()))
    function = networkx.single_source_bellman_ford_path_length if question.negative else \
        networkx.single_source_dijkstra_path_length
    distances = np.full(question.n, np.inf)
    for source in np.unique(question.sources).tolist():
        for v, d in dict(function(graph, source)).items():
            distances[v] = min(distances[v], d)
    return distances


def canonical_parents(question, distances):
    """By the definition in the header."""
    d, tails, heads = distances, question.tails, question.heads
    parents = np.full(question.n, NONE, np.int64)
    roots = question.sources[d[question.sources] == 0]
    parents[roots] = roots
    with np.errstate(invalid="ignore"):
        tight = np.isfinite(d[tails]) & (d[tails] + question.weights.astype(np.float64) == d[heads])
    tails, heads = tails[tight], heads[tight]
    layer = np.full(question.n, np.inf)
    layer[roots] = 0
    if not question.negative:
        nearer = (d[tails] < d[heads]) & (parents[heads] != heads)
        np.minimum.at(parents, heads[nearer], tails[nearer])
        layer[parents != NONE] = 0
    for number in range(1, question.n):
        step = (layer[tails] == number - 1) & (layer[heads] >= number)
        if not step.any():
            break
        layer[heads[step]] = number
        np.minimum.at(parents, heads[step], tails[step])
    return parents


def expected(question, distances):
    """What limits leave of true distances, and the parents."""
    d = distances.copy()
    kept = d <= question.cutoff
    limit = d[question.targets].max() if len(question.targets) else np.inf
    if len(question.targets) and limit < np.inf and kept[question.targets].all():
        kept &= d <= limit
    parents = canonical_parents(question, d)
    kept &= np.isfinite(d)
    if question.negative:  # what is on the way stays
        for v in np.flatnonzero(kept):
            while not kept[parents[v]]:
                v = parents[v]
                kept[v] = True
    d[~kept] = np.inf
    parents[~kept] = NONE
    return d, parents


PEERS = [by_scipy, by_igraph, by_networkx]


def check(library, number, names):  # noqa: F811
    question = Question(library, number)
    if question.n == 0:
        return
    found = {name: search(library, question, name) for name in names
             if not question.negative or "bellman-ford" in name}
    peers = PEERS
    if question.negative and question.kind == "any":
        # Only this peer says for each source whether it reaches a negative cycle.
        try:
            by_networkx(question)
        except networkx.NetworkXUnbounded:
            assert all(answer is None for answer in found.values()), number
            return
        peers = [by_networkx]
    for peer in peers:
        distances, parents = expected(question, peer(question))
        for name, answer in found.items():
            where = (number, question.kind, peer.__name__, name)
            assert answer is not None, where
            mine = answer[0].astype(np.float64)
            if answer[0].dtype == np.int64:
                mine[answer[0] == NO_DISTANCE] = np.inf
            assert np.array_equal(mine, distances), where
            assert np.array_equal(answer[1], parents), where


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_as_the_peers_say(library, chunk):  # noqa: F811
    names = variants(library, SSSP)
    assert names[0] == "dijkstra" and "bellman-ford" in names
    for number in chunk_numbers(chunk):
        check(library, number, names)
