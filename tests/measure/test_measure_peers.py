# SPDX-License-Identifier: Apache-2.0
"""
Every measure of random graphs against NetworkX, igraph and NetworKit where they have it, Voronoi
cells and tables of distances among them: directed and not, with weights and without, connected and
not. HOPLITE_TEST_GRAPHS: how many; default 120.
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
networkit.setNumberOfThreads(1)  # graphs are small


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


def in_networkit(theirs, weight, ends, weights):
    peer = networkit.Graph(len(theirs), weighted=weight is not None, directed=theirs.is_directed())
    for (u, v), w in zip(ends.tolist(), weights.tolist()):
        peer.addEdge(u, v, w)
    return peer


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
        peer = in_networkit(theirs, weight, ends, weights)
        found = networkit.centrality.Betweenness(peer, False).run().scores()
        close(hoplite.measure(ours, "betweenness", scaled=False) * 2, found)
        found = networkit.centrality.HarmonicCloseness(peer, False).run().scores()
        close(hoplite.measure(ours, "harmonic"), found)
        if weight is None and len(theirs) > 1:
            exact = networkit.distance.DiameterAlgo.EXACT
            if nx.is_connected(theirs):
                found = networkit.distance.Diameter(peer, exact).run().getDiameter()[0]
                assert hoplite.measure(ours, "diameter") == found


def real_weights(number):
    """Those of random_graph, every second one with weights having real ones."""
    ours, theirs, weight, ends, weights = random_graph(number)
    if weight and number % 2:
        weights = weights * np.random.default_rng([29, number]).random(len(weights))
        ours = hoplite.Graph.from_edges(ends, weights=weights, vertices=len(theirs), directed=True)
        for (u, v), w in zip(ends.tolist(), weights.tolist()):
            theirs[u][v]["weight"] = w
    return ours, theirs, weight, ends, weights


def all_distances(theirs, weight, ends, weights):
    """All distances, by each of the three; infinity: none."""
    n = len(theirs)
    found = np.full((n, n), np.inf)
    for u, row in lengths(theirs, weight).items():
        for v, d in row.items():
            found[u, v] = d
    yield found
    given = weights.tolist() if weight and len(weights) else None
    peer = igraph.Graph(n, ends.tolist(), directed=theirs.is_directed())
    yield np.array(peer.distances(weights=given, mode="out"), float)
    search = networkit.distance.SPSP(in_networkit(theirs, weight, ends, weights), list(range(n)))
    found = np.array(search.run().getDistances(asarray=True), float)
    yield np.where(found > 1e300, np.inf, found)


def test_distance_tables():
    for number in range(GRAPHS):
        ours, theirs, weight, ends, weights = real_weights(number)
        rng = np.random.default_rng([30, number])
        sources, targets = (rng.integers(0, len(theirs), rng.integers(1, 9)) for _ in range(2))
        if number % 5 == 0:
            sources = None
        table = hoplite.distance_table(ours, sources, targets, certify=number % 3 == 0)
        if table.dtype == np.int64:
            table = np.where(table == hoplite.NO_DISTANCE, np.inf, table)
        rows = slice(None) if sources is None else sources
        for right in all_distances(theirs, weight, ends, weights):
            close(table, right[rows][:, targets])


def test_voronoi_cells():
    """A vertex belongs to the smallest of its nearest centers; NetworkX has one of the nearest."""
    ties = 0
    for number in range(GRAPHS):
        ours, theirs, weight, ends, weights = random_graph(number)
        n, rng = len(theirs), np.random.default_rng([31, number])
        centers = np.unique(rng.integers(0, n, rng.integers(1, 7)))
        matrices = list(all_distances(theirs, weight, ends, weights))
        for way in ("in", "out"):
            cells = hoplite.measure(ours, "voronoi", centers=rng.permutation(centers),
                                    direction=way, certify=number % 3 == 0).astype(np.int64)
            cells[cells == hoplite.NO_VERTEX] = -1
            for right in matrices:
                to = (right if way == "in" else right.T)[centers]
                nearest = centers[to.argmin(axis=0)]
                assert cells.tolist() == np.where(np.isinf(to.min(axis=0)), -1, nearest).tolist()
            turned = theirs if way == "in" or not theirs.is_directed() else theirs.reverse()
            found = nx.voronoi_cells(turned, set(centers.tolist()), weight=weight)
            assert set(np.flatnonzero(cells < 0).tolist()) == found.pop("unreachable", set())
            for center, members in found.items():
                row = right[center] if way == "in" else right[:, center]
                for v in members:
                    assert row[v] == to[:, v].min()
                    ties += cells[v] != center
    assert ties > 0 or GRAPHS < 100
