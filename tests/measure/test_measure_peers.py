# SPDX-License-Identifier: Apache-2.0
"""
Every measure of random graphs against NetworkX, igraph and NetworKit where they have it: directed
and not, with weights and without, connected and not. HOPLITE_TEST_GRAPHS: how many; default 120.
"""

import math
import os

import hoplite
import igraph
import networkit
import networkx as nx
import numpy as np
import pytest

GRAPHS = int(os.environ.get("HOPLITE_TEST_GRAPHS", "120"))


def random_graph(number):
    rng = np.random.default_rng([28, number])
    n = int(rng.integers(1, 40))
    degree = rng.choice([.5, 1.2, 2, 4])
    theirs = nx.gnp_random_graph(n, min(1, degree / n), seed=number, directed=bool(number % 2))
    weighted = number % 3 == 0
    for _, _, data in theirs.edges(data=True):
        data["weight"] = int(rng.integers(1, 9)) if weighted else 1
    ends = np.array(theirs.edges, np.uint32).reshape(-1, 2)
    weights = np.array([d["weight"] for _, _, d in theirs.edges(data=True)], np.int32)
    ours = hoplite.Graph.from_edges(ends, weights=weights if weighted else None, vertices=n,
                                    directed=bool(number % 2))
    return ours, theirs, "weight" if weighted else None, ends, weights


def close(ours, theirs):
    assert np.allclose(np.asarray(ours, float), np.asarray(theirs, float), rtol=1e-12, atol=1e-15)


def by_edge(ours, scaled, **how):
    """Edge betweenness, each edge once, in the order in which random_graph made them."""
    found = hoplite.measure(ours, "edge-betweenness", scaled=scaled, **how)
    tails = np.repeat(np.arange(ours.vertices), np.diff(ours.offsets))
    return found if ours.directed else found[tails <= ours.targets]


def lengths(theirs, weight):
    return {u: dict(nx.single_source_dijkstra_path_length(theirs, u, weight=weight))
            for u in theirs}


@pytest.mark.parametrize("part", range(4))
def test_networkx(part):
    for number in range(part, GRAPHS, 4):
        ours, theirs, weight, _, _ = random_graph(number)
        order = list(theirs)
        for scaled in (True, False):
            right = nx.closeness_centrality(theirs, distance=weight, wf_improved=scaled)
            close(hoplite.measure(ours, "closeness", scaled=scaled), [right[v] for v in order])
        for scaled in (True, False):
            right = nx.betweenness_centrality(theirs, weight=weight, normalized=scaled)
            close(hoplite.measure(ours, "betweenness", scaled=scaled, certify=number % 3 == 0),
                  [right[v] for v in order])
            right = nx.edge_betweenness_centrality(theirs, weight=weight, normalized=scaled)
            close(by_edge(ours, scaled, certify=number % 3 == 0), list(right.values()))
        right = nx.harmonic_centrality(theirs, distance=weight)
        close(hoplite.measure(ours, "harmonic"), [right[v] for v in order])
        if weight is None:
            if not theirs.is_directed():
                close(hoplite.measure(ours, "efficiency"), nx.global_efficiency(theirs))
                close(hoplite.measure(ours, "local-efficiency", certify=True).mean(),
                      nx.local_efficiency(theirs))
            for k in (0, 1, 3):
                near = [len(nx.single_source_shortest_path_length(theirs, v, cutoff=k)) - 1
                        for v in order]
                assert hoplite.measure(ours, "reach", within=k).tolist() == near
        far = [max(row.values()) for row in lengths(theirs, weight).values()]
        assert hoplite.measure(ours, "eccentricity").tolist() == far
        assert hoplite.measure(ours, "diameter") == max(far)
        assert hoplite.measure(ours, "radius") == min(far)


@pytest.mark.parametrize("part", range(4))
def test_networkx_connected(part):
    """What NetworkX has for connected graphs only."""
    seen = 0
    for number in range(part, GRAPHS, 4):
        ours, theirs, weight, _, _ = random_graph(number)
        connected = nx.is_strongly_connected if theirs.is_directed() else nx.is_connected
        if not connected(theirs):
            continue
        seen += 1
        assert hoplite.measure(ours, "center").tolist() == sorted(nx.center(theirs, weight=weight))
        assert hoplite.measure(ours, "periphery").tolist() == sorted(
            nx.periphery(theirs, weight=weight))
        assert hoplite.measure(ours, "barycenter").tolist() == sorted(
            nx.barycenter(theirs, weight=weight))
        assert hoplite.measure(ours, "wiener") == nx.wiener_index(theirs, weight=weight)
        if len(theirs) > 1:
            close(hoplite.measure(ours, "mean-distance"),
                  nx.average_shortest_path_length(theirs, weight=weight))
    assert seen > 0


def test_igraph():
    for number in range(GRAPHS):
        ours, theirs, weight, ends, weights = random_graph(number)
        peer = igraph.Graph(len(theirs), ends.tolist(), directed=theirs.is_directed())
        given = weights.tolist() if weight and len(weights) else None
        close(hoplite.measure(ours, "betweenness", scaled=False), peer.betweenness(weights=given))
        close(by_edge(ours, False), peer.edge_betweenness(weights=given))
        for way, mode in (("in", "in"), ("out", "out")):
            right = peer.closeness(mode=mode, weights=given, normalized=True)
            close(hoplite.measure(ours, "closeness", scaled=False, direction=way),
                  [0 if math.isnan(x) else x for x in right])
            right = np.array(peer.harmonic_centrality(mode=mode, weights=given, normalized=False))
            close(hoplite.measure(ours, "harmonic", direction=way), right)
            if weight is None:
                assert hoplite.measure(ours, "eccentricity", direction=way).tolist() == \
                    peer.eccentricity(mode=mode)
        if weight is None:
            assert hoplite.measure(ours, "diameter") == peer.diameter()
            if ours.edges > 0:
                close(hoplite.measure(ours, "mean-distance"), peer.average_path_length())
            pairs = hoplite.measure(ours, "histogram")[1:] // (1 if theirs.is_directed() else 2)
            assert pairs.tolist() == [count for _, _, count in peer.path_length_hist().bins()]


def test_networkit():
    for number in range(0, GRAPHS, 2):  # undirected: it has no others for these
        ours, theirs, weight, ends, weights = random_graph(number)
        peer = networkit.Graph(len(theirs), weighted=weight is not None)
        for (u, v), w in zip(ends.tolist(), weights.tolist()):
            peer.addEdge(u, v, w)
        found = networkit.centrality.Betweenness(peer, False).run().scores()
        close(hoplite.measure(ours, "betweenness", scaled=False) * 2, found)
        found = networkit.centrality.HarmonicCloseness(peer, False).run().scores()
        close(hoplite.measure(ours, "harmonic"), found)
        if weight is None and len(theirs) > 1:
            exact = networkit.distance.DiameterAlgo.EXACT
            if nx.is_connected(theirs):
                found = networkit.distance.Diameter(peer, exact).run().getDiameter()[0]
                assert hoplite.measure(ours, "diameter") == found
