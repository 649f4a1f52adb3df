# SPDX-License-Identifier: Apache-2.0
"""hoplite.measure: shapes, types, ids and names, options, mistakes. What the values are is the
business of tests/measure."""

import hoplite
import numpy as np
import pytest

PATH = [(0, 1), (1, 2), (2, 3)]


@pytest.fixture(name="graph")
def path_graph():
    return hoplite.Graph.from_edges(PATH)


def test_samples():
    star = hoplite.Graph.from_edges([(0, v) for v in range(1, 30)])
    exact = hoplite.measure(star, "betweenness", certify=True)
    assert exact.tolist() == [1] + [0] * 29
    some = hoplite.measure(star, "betweenness", samples=10, seed=3)
    assert abs(some - exact).max() <= hoplite.measure_error(30, 10) < 1
    assert hoplite.measure_error(30, 30) == 0
    assert hoplite.measure_bound(star, "betweenness", 10) == hoplite.measure_error(30, 10)
    exact = hoplite.measure(star, "edge-betweenness", scaled=False, certify=True)
    assert exact.tolist() == [29] * 58 and len(exact) == len(star.targets)
    some = hoplite.measure(star, "edge-betweenness", scaled=False, samples=10, seed=3)
    assert 0 < abs(some - exact).max() <= hoplite.measure_bound(star, "edge-betweenness", 10,
                                                                scaled=False)
    exact = hoplite.measure(star, "harmonic")
    some = hoplite.measure(star, "harmonic", samples=10, seed=3, certify=True)
    assert 0 < abs(some - exact).max() <= hoplite.measure_bound(star, "harmonic", 10)
    assert 0 < hoplite.measure_bound(star, "closeness", 10) < .6
    with pytest.raises(ValueError, match="not by samples; closeness, harmonic, betweenness"):
        hoplite.measure_bound(star, "diameter", 10)
    for wrong in ((-30, 10), (30, -10), (2**33, 10), (30, 10, 0), (30, 10, -1), (30, 10, 2)):
        with pytest.raises(ValueError, match="must be"):  # not a number that they wrap round to
            hoplite.measure_error(*wrong)
    with pytest.raises(ValueError, match="failure must be above 0"):
        hoplite.measure_bound(star, "closeness", 10, failure=0)


def test_the_table_and_its_shapes(graph):
    rows = hoplite.measures()
    assert len({row.name for row in rows}) == len(rows) >= 13
    for row in rows:
        assert row.summary and row.definition and row.source
        if row.shape == "order":
            graph = hoplite.Graph.from_edges(PATH, directed=True)
        asked = {"centers": [1]} if "centers" in row.takes else {}
        found = hoplite.measure(graph, row.name, **asked)
        if row.shape == "number":
            assert isinstance(found, (int, float))
        else:
            assert isinstance(found, np.ndarray)
            assert row.shape not in ("vertex", "labels", "order", "cells") or len(found) == 4
            assert row.shape != "arc" or len(found) == len(graph.targets)
    assert {row.name for row in rows if row.inward} == {"closeness", "harmonic", "voronoi"}


def test_values(graph):
    assert hoplite.measure(graph, "closeness").tolist() == pytest.approx([.5, .75, .75, .5])
    assert hoplite.measure(graph, "closeness", vertices=[3, 1]).tolist() == pytest.approx(
        [.5, .75])
    assert hoplite.measure(graph, "reach", within=1).tolist() == [1, 2, 2, 1]
    assert hoplite.measure(graph, "histogram").tolist() == [4, 6, 4, 2]
    assert hoplite.measure(graph, "wiener") == 10
    assert isinstance(hoplite.measure(graph, "diameter"), int)


def test_names_and_ids():
    named = hoplite.Graph.from_edges([("ann", "bob"), ("bob", "cyd")])
    assert hoplite.measure(named, "center").tolist() == ["bob"]
    assert hoplite.measure(named, "eccentricity", vertices=["cyd", "bob"]).tolist() == [2, 1]
    assert hoplite.measure(named, "center", index=True).tolist() == [1]


def test_voronoi():
    named = hoplite.Graph.from_edges([("ann", "bob"), ("bob", "cyd"), ("cyd", "dan"),
                                      ("eve", "fay")])
    cells = hoplite.measure(named, "voronoi", centers=["dan", "ann", "dan"], certify=True)
    assert cells.tolist() == ["ann", "ann", "dan", "dan", None, None]
    cells = hoplite.measure(named, "voronoi", centers=[3, 0], index=True)
    assert cells.tolist() == [0, 0, 3, 3, hoplite.NO_VERTEX, hoplite.NO_VERTEX]
    sparse = hoplite.Graph.from_edges([(0, 1), (1, 2), (3, 4)], directed=True)
    top = hoplite.NO_VERTEX
    assert hoplite.measure(sparse, "voronoi", centers=1).tolist() == [top, 1, 1, top, top]
    assert hoplite.measure(sparse, "voronoi", centers=1, direction="out").tolist() == [
        1, 1, top, top, top]
    with pytest.raises(ValueError, match="centers: 'bop' is not a vertex"):
        hoplite.measure(named, "voronoi", centers=["bop"])
    for centers in (None, []):
        with pytest.raises(hoplite.ArgumentError, match="one vertex at least"):
            hoplite.measure(sparse, "voronoi", centers=centers)
    with pytest.raises(hoplite.ArgumentError, match="closeness has no centers"):
        hoplite.measure(sparse, "closeness", centers=[1])


def test_cells_are_those_of_networkx_where_nothing_is_as_near():
    """And where it is, NetworkX has some of the nearest, and this the smallest."""
    networkx = pytest.importorskip("networkx")
    draw = np.random.default_rng(5)
    for trial in range(40):
        n, kind = 30, networkx.DiGraph if trial % 2 else networkx.Graph
        plain = networkx.gnp_random_graph(n, 0.08, seed=trial, directed=trial % 2 == 1)
        whole = trial % 4 < 2
        weights = [int(w) for w in draw.integers(1, 4, plain.number_of_edges())] if whole \
            else list(draw.random(plain.number_of_edges()))
        edges = list(plain.edges)
        plain = kind()
        plain.add_nodes_from(range(n))
        plain.add_weighted_edges_from((u, v, w) for (u, v), w in zip(edges, weights))
        graph = hoplite.Graph.from_edges(edges, weights=np.array(weights), vertices=n,
                                         directed=trial % 2 == 1)
        centers = [int(c) for c in draw.choice(n, 4, replace=False)]
        right = {v: c for c, cell in networkx.voronoi_cells(plain, centers).items() for v in cell}
        found = hoplite.measure(graph, "voronoi", centers=centers, certify=True)
        table = hoplite.distance_table(graph, centers, certify=True)
        none = hoplite.NO_DISTANCE if whole else np.inf
        for v in range(n):
            near = sorted(c for i, c in enumerate(centers)
                          if table[i, v] == table[:, v].min() < none)
            assert (right[v] in near) if near else right[v] == "unreachable"
            assert found[v] == (near[0] if near else hoplite.NO_VERTEX)


def test_directions_and_scale():
    star = hoplite.Graph.from_edges([(1, 0), (2, 0)], directed=True, vertices=4)
    assert hoplite.measure(star, "harmonic").tolist() == [2, 0, 0, 0]
    assert hoplite.measure(star, "harmonic", direction="out").tolist() == [0, 1, 1, 0]
    assert hoplite.measure(star, "closeness", scaled=False).tolist() == [1, 0, 0, 0]
    assert hoplite.measure(star, "closeness").tolist() == pytest.approx([2 / 3, 0, 0, 0])


@pytest.mark.parametrize("kind, whole", [(np.int32, True), (np.int64, True), (np.float32, False),
                                         (np.float64, False)])
def test_types_follow_the_weights(kind, whole):
    graph = hoplite.Graph.from_edges(PATH, weights=np.array([2, 3, 4], kind))
    assert hoplite.measure(graph, "diameter") == 9
    assert isinstance(hoplite.measure(graph, "diameter"), int if whole else float)
    assert hoplite.measure(graph, "eccentricity").dtype == (np.int64 if whole else kind)


def test_variants_and_certificates(graph):
    for variant in ("searches", "bits", "bounds"):
        assert hoplite.measure(graph, "diameter", variant=variant, certify=True) == 3
    with pytest.raises(hoplite.UnsupportedError):
        hoplite.measure(graph, "closeness", variant="bounds")


def test_mistakes(graph):
    with pytest.raises(ValueError, match="there is no measure 'nearness'; .*are closeness"):
        hoplite.measure(graph, "nearness")
    with pytest.raises(ValueError, match="did you mean 'betweenness'[?] There are"):
        hoplite.measure(graph, "betweeness")
    with pytest.raises(ValueError, match="direction must be"):
        hoplite.measure(graph, "closeness", direction="up")
    with pytest.raises(TypeError):
        hoplite.measure(graph, 3)
    for name, asked in (("diameter", {"samples": 2}), ("closeness", {"within": 2}),
                        ("reach", {"scaled": False}), ("betweenness", {"direction": "in"})):
        assert next(iter(asked)) not in next(
            row for row in hoplite.measures() if row.name == name).takes
        with pytest.raises(hoplite.ArgumentError, match=f"{name} has "):
            hoplite.measure(graph, name, **asked)
    with pytest.raises(hoplite.ArgumentError, match="about all"):
        hoplite.measure(graph, "diameter", vertices=[1])
    below = hoplite.Graph.from_edges(PATH, weights=np.array([1, -2, 3]), directed=True)
    with pytest.raises(hoplite.UnsupportedError, match="weight -2"):
        hoplite.measure(below, "closeness")
