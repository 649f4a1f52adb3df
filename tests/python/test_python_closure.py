# SPDX-License-Identifier: Apache-2.0
"""hoplite.closure and its kin, and hoplite.all_paths: ids, names, NetworkX, certificates,
mistakes."""

import hoplite
import networkx as nx
import numpy as np
import pytest

ARCS = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("e", "d"), ("d", "f")]


@pytest.fixture(name="graph")
def made_graph():
    return hoplite.Graph.from_edges(ARCS, directed=True)


def rows_of(found):
    offsets, vertices = found
    return [vertices[int(i):int(j)].tolist() for i, j in zip(offsets, offsets[1:])]


def test_what_does_not_fit():
    ring = hoplite.Graph.from_edges([(v, (v + 1) % 4000) for v in range(4000)], directed=True)
    with pytest.raises(hoplite.BudgetError, match="closure_rows") as caught:
        hoplite.closure(ring, memory="24M")
    assert caught.value.needed > caught.value.available == 24 << 20
    assert caught.value.needed < 40 << 20  # given up at once: all would be 122 MiB
    assert len(hoplite.closure(ring, sources=[7], memory="24M")[1]) == 4000


def test_closure(graph):
    assert rows_of(hoplite.closure(graph, certify=True)) == [
        ["a", "b", "c", "d", "f"]] * 3 + [["f"], ["d", "f"], []]
    assert rows_of(hoplite.closure(graph, sources=["d", "a"], itself="never")) == [
        ["f"], ["b", "c", "d", "f"]]
    assert rows_of(hoplite.closure(graph, sources=[5], backward=True, index=True)) == [
        [0, 1, 2, 3, 4]]
    assert hoplite.closure_counts(graph).tolist() == [5, 5, 5, 1, 2, 0]
    assert hoplite.closure_counts(graph, itself="always").tolist() == [5, 5, 5, 2, 3, 1]
    assert hoplite.closure_counts(graph, sources=[]).tolist() == []
    assert hoplite.descendants(graph, ["d", "e"]).tolist() == ["f"]
    assert hoplite.descendants(graph, ["d", "e"], itself="cycles").tolist() == ["d", "f"]
    assert hoplite.descendants(graph, "a", certify=True).tolist() == ["b", "c", "d", "f"]
    assert hoplite.ancestors(graph, "f", itself="always").tolist() == list("abcdef")
    assert hoplite.ancestors(graph, [0], index=True).tolist() == [1, 2]
    assert hoplite.ancestors(graph, []).tolist() == []


def test_rows_come_in_blocks():
    graph = hoplite.generate.erdos_renyi(2000, 5000, directed=True, seed=3)
    firsts, pairs = [], 0

    def look(first, offsets, vertices):
        nonlocal pairs
        firsts.append(first)
        pairs += len(vertices)
        assert offsets[0] == 0 and offsets[-1] == len(vertices)

    assert hoplite.closure_rows(graph, look) == pairs == hoplite.closure_counts(graph).sum()
    assert len(firsts) > 1 and firsts == sorted(firsts)
    with pytest.raises(hoplite.CancelledError):
        hoplite.closure_rows(graph, lambda *_: False)
    with pytest.raises(ZeroDivisionError):
        hoplite.closure_rows(graph, lambda *_: 1 // 0)


@pytest.mark.parametrize("seed", range(6))
def test_closure_as_networkx_has_it(seed):
    other = nx.gnp_random_graph(40, 0.03 * (seed + 1), seed=seed, directed=True)
    graph = hoplite.Graph.from_edges(list(other.edges), vertices=40, directed=True)
    for itself, reflexive in (("cycles", False), ("never", None), ("always", True)):
        right = nx.transitive_closure(other, reflexive=reflexive)
        assert rows_of(hoplite.closure(graph, itself=itself)) == [sorted(right[v]) for v in other]
    for v in other:
        assert hoplite.descendants(graph, v).tolist() == sorted(nx.descendants(other, v))
        assert hoplite.ancestors(graph, v).tolist() == sorted(nx.ancestors(other, v))


@pytest.mark.parametrize("seed", range(12))
def test_all_paths_as_networkx_has_them(seed):
    other = nx.gnp_random_graph(24, 0.15, seed=seed, directed=seed % 2 == 0)
    weighted = seed % 3 > 0
    draw = np.random.default_rng(seed)
    for u, v in other.edges:
        other[u][v]["weight"] = int(draw.integers(0 if seed % 4 == 3 else 1, 4))
    weights = [w for _, _, w in other.edges(data="weight")]
    graph = hoplite.Graph.from_edges(list(other.edges), weights=weights if weighted else None,
                                     vertices=24, directed=other.is_directed())
    found = hoplite.all_paths(graph, 0, certify=True)
    for target in other:
        try:
            right = {tuple(path) for path in nx.all_shortest_paths(
                other, 0, target, weight="weight" if weighted else None)}
        except nx.NetworkXNoPath:
            right = set()
        paths = [tuple(path.tolist()) for path in found.paths(target)]
        assert paths == sorted(right)
        assert found.count(target) in (None, len(right))
        assert found.count(target) is not None or seed % 4 == 3


def test_all_paths(graph):
    diamond = hoplite.Graph.from_edges([("s", "u"), ("s", "v"), ("u", "t"), ("v", "t")],
                                       directed=True)
    found = hoplite.all_paths(diamond, "s")
    assert [path.tolist() for path in found.paths("t")] == [["s", "u", "t"], ["s", "v", "t"]]
    assert found.count("t") == 2 and found.count("s") == 1
    assert found.predecessors("t").tolist() == ["u", "v"]
    assert found.predecessors(found.graph.vertices - 1, index=True).dtype == np.uint32
    assert [path.tolist() for path in found.paths("s")] == [["s"]]
    assert found.distances.tolist() == [0, 2, 1, 1]
    assert hoplite.all_paths(graph, "d").count("a") == 0
    assert not list(hoplite.all_paths(graph, "d").paths("a"))
    assert hoplite.all_paths(diamond, "s", cutoff=1).count("t") == 0
    assert hoplite.all_paths(diamond, "s", targets="u").count("u") == 1


def test_cycles_of_weight_0_and_more_paths_than_there_are_numbers():
    found = hoplite.all_paths(hoplite.Graph.from_edges([(0, 1), (1, 2), (2, 3)],
                                                      weights=[1, 0, 1]), 0)
    assert found.count(3) is None and [p.tolist() for p in found.paths(3)] == [[0, 1, 2, 3]]
    steps = [(3 * i + a, 3 * i + b) for i in range(70) for a, b in ((0, 1), (0, 2), (1, 3), (2, 3))]
    found = hoplite.all_paths(hoplite.Graph.from_edges(steps, directed=True), 0)
    assert found.count(3 * 60) == 2**60
    with pytest.raises(OverflowError):
        found.count(3 * 70)
    assert next(found.paths(3 * 70)).tolist()[:4] == [0, 1, 3, 4]


def test_mistakes(graph):
    with pytest.raises(ValueError, match="'cycles', 'never' or 'always'"):
        hoplite.closure(graph, itself="sometimes")
    with pytest.raises(ValueError, match="not a vertex of the graph"):
        hoplite.closure_counts(graph, sources=["x"])
    with pytest.raises(ValueError, match="not a vertex of the graph"):
        hoplite.descendants(graph, "x")
    with pytest.raises(ValueError, match="not a vertex of the graph"):
        hoplite.all_paths(graph, "x")
    with pytest.raises(ValueError, match="not a vertex of the graph"):
        hoplite.all_paths(graph, "a").paths("x")
    with pytest.raises(TypeError):
        hoplite.closure(7)
    with pytest.raises(hoplite.UnsupportedError, match="rounded"):
        hoplite.all_paths(hoplite.Graph.from_edges([(0, 1)], weights=[-0.5], directed=True), 0)
    with pytest.raises(hoplite.BudgetError):
        hoplite.closure_counts(hoplite.generate.erdos_renyi(9000, 9), memory="300 KiB")
