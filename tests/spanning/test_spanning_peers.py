# SPDX-License-Identifier: Apache-2.0
"""
Minimum and maximum spanning forests of random graphs against NetworkX (edge by edge, equal weights
included), SciPy, igraph and NetworKit (by weight). HOPLITE_TEST_GRAPHS: how many; default 80.
"""

import os

import hoplite
import igraph
import networkit
import networkx as nx
import numpy as np
import scipy.sparse

GRAPHS = int(os.environ.get("HOPLITE_TEST_GRAPHS", "80"))
networkit.setNumberOfThreads(1)  # graphs are small
VARIANTS = ("kruskal", "boruvka", None)


def random_graph(number):
    rng = np.random.default_rng([31, number])
    n = int(rng.integers(1, 200))
    ends = rng.integers(0, n, (int(n * rng.choice([.5, 1, 1.5, 3, 8])), 2))
    ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0).astype(np.uint32)
    weights = (rng.integers(-5, 6, len(ends)), rng.integers(1, 2**60, len(ends)),
               rng.random(len(ends)), rng.integers(0, 9, len(ends)) / 4)[number % 4]
    return n, ends, weights


def check_with_networkit(n, ends, weights, least, most):
    """By weight, of which it has doubles. The union of all maximum forests has ours in it."""
    peer = networkit.Graph(n, weighted=True)
    for (u, v), w in zip(ends.tolist(), weights.astype(float).tolist()):
        peer.addEdge(u, v, w)
    for kind in (networkit.graph.KruskalMSF, networkit.graph.PrimMSF):
        found = kind(peer)
        found.run()
        tree = list(found.getForest().iterEdges())  # which has no weights
        assert len(tree) == len(least.arcs)
        assert np.isclose(sum(peer.weight(u, v) for u, v in tree), total(least))
    found = networkit.graph.UnionMaximumSpanningForest(peer)
    found.run()
    union = found.getUMSF()
    for u, v in zip(*most.edges(index=True)):
        assert union.hasEdge(int(u), int(v))
    assert union.numberOfEdges() >= len(most.arcs)
    if len(set(weights.astype(float).tolist())) == len(weights):
        assert union.numberOfEdges() == len(most.arcs)
        assert np.isclose(sum(peer.weight(u, v) for u, v in union.iterEdges()), total(most))


def total(forest):
    return forest.weights.astype(float).sum() if len(forest.arcs) else 0


def test_forests():
    for number in range(GRAPHS):
        n, ends, weights = random_graph(number)
        ours = hoplite.Graph.from_edges(ends, weights=weights, vertices=n)
        theirs = nx.empty_graph(n)
        theirs.add_weighted_edges_from(
            (u, v, w) for (u, v), w in zip(ends.tolist(), weights.tolist()))
        for maximum in (False, True):
            found = hoplite.spanning_forest(ours, maximum=maximum, variant=VARIANTS[number % 3],
                                            certify=True, threads=1 + number % 3)
            mine = sorted(zip(*(end.tolist() for end in found.edges(index=True))))
            wanted = nx.maximum_spanning_edges if maximum else nx.minimum_spanning_edges
            assert mine == sorted(wanted(theirs, data=False, backend="networkx"))
        least = hoplite.spanning_forest(ours)
        check_with_networkit(n, ends, weights, least, found)
        peer = igraph.Graph(n, ends.tolist())
        chosen = peer.spanning_tree(weights.tolist(), return_tree=False)
        assert np.isclose(weights[chosen].astype(float).sum(), total(least))
        shifted = weights.astype(float) - (weights.min() if len(weights) else 0) + 1  # no zeros
        matrix = scipy.sparse.csr_array((shifted, (ends[:, 0], ends[:, 1])), (n, n))
        tree = scipy.sparse.csgraph.minimum_spanning_tree(matrix)
        assert tree.nnz == len(least.arcs) and np.isclose(
            tree.sum(), sum(float(w) - float(weights.min()) + 1 for w in least.weights.tolist()))
