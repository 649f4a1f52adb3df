# SPDX-License-Identifier: Apache-2.0
"""
Strong components, condensation, order and transitive closure of random graphs against NetworkX,
SciPy, igraph and NetworKit. HOPLITE_TEST_GRAPHS: how many; default 200.
"""

import os

import hoplite
import igraph
import networkit
import networkx as nx
import numpy as np
import scipy.sparse

GRAPHS = int(os.environ.get("HOPLITE_TEST_GRAPHS", "200"))
networkit.setNumberOfThreads(1)  # graphs are small
VARIANTS = ("tarjan", "sweeps", "ranges")


def random_graph(number):
    rng = np.random.default_rng([29, number])
    n = int(rng.integers(1, 300))
    ends = rng.integers(0, n, (int(n * rng.choice([.5, 1, 1.3, 2, 5])), 2)).astype(np.uint32)
    if number % 4 == 0:
        ends = np.sort(ends, axis=1)  # nearly without cycles
    return n, ends, hoplite.Graph.from_edges(ends, vertices=n, directed=True)


def canonical(labels):
    """The smallest vertex of those with the same label."""
    smallest = {}
    return [smallest.setdefault(label, v) for v, label in enumerate(labels)]


def test_labels():
    for number in range(GRAPHS):
        n, ends, ours = random_graph(number)
        found = hoplite.strong_components(
            ours, variant=VARIANTS[number % 3], certify=True,
            params={"ranges": 1 + number % 6} if number % 3 == 2 else None)
        labels = found.labels.tolist()
        matrix = scipy.sparse.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), (n, n))
        count, theirs = scipy.sparse.csgraph.connected_components(matrix, connection="strong")
        assert labels == canonical(theirs.tolist()) and count == found.count
        peer = igraph.Graph(n, ends.tolist(), directed=True)
        assert labels == canonical(peer.connected_components("strong").membership)
        peer = networkit.Graph(n, directed=True)
        for u, v in ends.tolist():
            peer.addEdge(u, v)
        parts = networkit.components.StronglyConnectedComponents(peer)
        parts.run()
        assert labels == canonical(parts.getPartition().getVector())


def test_condensation_and_order():
    for number in range(0, GRAPHS, 2):
        n, ends, ours = random_graph(number)
        theirs = nx.DiGraph()
        theirs.add_nodes_from(range(n))
        theirs.add_edges_from(ends.tolist())
        found = hoplite.strong_components(ours)
        numbers, small = found.numbers(), found.condensation()
        parts = [set(np.flatnonzero(numbers == k).tolist()) for k in range(found.count)]
        right = nx.condensation(theirs, parts)
        assert sorted(right.edges) == [
            (k, int(to)) for k in range(found.count)
            for to in small.targets[small.offsets[k]:small.offsets[k + 1]]]
        order, levels = hoplite.topological_order(small, levels=True, certify=True)
        generations = [sorted(part) for part in nx.topological_generations(right)]
        assert order.tolist() == sum(generations, [])
        assert [levels[v] for v in order] == [
            k for k, part in enumerate(generations) for _ in part]
        try:
            hoplite.topological_order(ours)
            assert nx.is_directed_acyclic_graph(theirs)
        except hoplite.InputError:
            assert not nx.is_directed_acyclic_graph(theirs)


def small_graph(number):
    """With loops; one in four is undirected."""
    rng = np.random.default_rng([32, number])
    n = int(rng.integers(1, 60))
    ends = np.unique(rng.integers(0, n, (int(n * rng.choice([.5, 1, 1.3, 2, 5])), 2)), axis=0)
    return n, ends, number % 4 != 3


def closure_of(graph, **how):
    offsets, vertices = hoplite.closure(graph, **how)
    return [vertices[int(i):int(j)].tolist() for i, j in zip(offsets, offsets[1:])]


def test_closure():
    for number in range(GRAPHS):
        n, ends, directed = small_graph(number)
        ours = hoplite.Graph.from_edges(ends, vertices=n, directed=directed)
        theirs = nx.empty_graph(n, create_using=nx.DiGraph if directed else nx.Graph)
        theirs.add_edges_from(ends.tolist())
        reach = closure_of(ours, itself="always", certify=number % 5 == 0)
        reached = closure_of(ours, itself="always", backward=True)
        peer = igraph.Graph(n, ends.tolist(), directed=directed)
        assert reach == [sorted(peer.subcomponent(v, mode="out")) for v in range(n)]
        assert reached == [sorted(peer.subcomponent(v, mode="in")) for v in range(n)]
        peer = networkit.Graph(n, directed=directed)
        for u, v in ends.tolist():
            peer.addEdge(u, v)
        found = networkit.reachability.ReachableNodes(peer, True).run()
        assert hoplite.closure_counts(ours, itself="always").tolist() == [
            found.numberOfReachableNodes(v) for v in range(n)]
        if directed:
            right = nx.transitive_closure(theirs, reflexive=False)
            assert closure_of(ours) == [sorted(right[v]) for v in range(n)]
            assert closure_of(ours, backward=True) == [sorted(right.pred[v]) for v in range(n)]
        v = number % n
        assert hoplite.descendants(ours, v).tolist() == sorted(nx.descendants(theirs, v))
        assert hoplite.ancestors(ours, v).tolist() == sorted(nx.ancestors(theirs, v))
