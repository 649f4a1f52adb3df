# SPDX-License-Identifier: Apache-2.0
"""hoplite.distance_table and distance_table_rows: shapes, types, ids and names, options, mistakes.
What the distances are is the business of tests/measure."""

import hoplite
import numpy as np
import pytest

EDGES = [("ann", "bob"), ("bob", "cyd"), ("cyd", "dan"), ("eve", "fay")]


@pytest.fixture(name="graph")
def named_graph():
    return hoplite.Graph.from_edges(EDGES)


def test_values_names_and_order(graph):
    far = hoplite.NO_DISTANCE
    table = hoplite.distance_table(graph, ["cyd", "ann", "cyd"], ["dan", "eve"], certify=True)
    assert table.dtype == np.int64 and table.tolist() == [[1, far], [3, far], [1, far]]
    assert hoplite.distance_table(graph, [2, 0], [3], index=True).tolist() == [[1], [3]]
    assert hoplite.distance_table(graph, "ann").tolist() == [[0, 1, 2, 3, far, far]]
    assert hoplite.distance_table(graph, targets="ann").tolist() == [
        [0], [1], [2], [3], [far], [far]]
    assert (hoplite.distance_table(graph) == hoplite.apsp(graph).distances).all()
    assert hoplite.distance_table(graph, [], ["ann"]).shape == (0, 1)
    assert hoplite.distance_table(graph, ["ann", "bob"], []).shape == (2, 0)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", [None, np.int32, np.int64, np.float32, np.float64])
def test_entries_are_those_of_sssp(directed, kind):
    draw = np.random.default_rng(3)
    edges = draw.integers(0, 60, (150, 2))
    weights = None if kind is None else (draw.random(150) * 9 + 1).astype(kind)
    graph = hoplite.Graph.from_edges(edges, weights=weights, directed=directed, vertices=60)
    few, many = [7, 3, 59], list(range(5, 45))
    for sources, targets in ((few, many), (many, few), (None, few), (few, None)):
        rows = []
        table = hoplite.distance_table(graph, sources, targets)
        hoplite.distance_table_rows(graph, lambda first, block, rows=rows: rows.append(
            (first, block.copy())), sources, targets)
        assert [first for first, _ in rows] == list(np.cumsum([0] + [
            len(block) for _, block in rows[:-1]]))
        assert np.array_equal(np.concatenate([block for _, block in rows]), table)
        for i, source in enumerate(range(60) if sources is None else sources):
            right = hoplite.sssp(graph, source).distances
            assert table.dtype == right.dtype
            assert np.array_equal(table[i], right if targets is None else right[targets])


def test_into_a_file(graph, tmp_path):
    out = np.lib.format.open_memmap(tmp_path / "t.npy", "w+", np.int64, (6, 2))
    assert hoplite.distance_table(graph, targets=["bob", "dan"], out=out) is out
    del out
    assert np.load(tmp_path / "t.npy")[:4].tolist() == [[1, 3], [0, 2], [1, 1], [2, 0]]


def test_stopping(graph):
    seen = []

    def look(first, _block):
        seen.append(first)
        return False

    with pytest.raises(hoplite.CancelledError):
        hoplite.distance_table_rows(graph, look, ["ann", "bob"], ["cyd", "dan", "ann"])
    assert seen == [0]

    def fail(_first, _block):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        hoplite.distance_table_rows(graph, fail, ["ann", "bob"], ["cyd"])


def test_mistakes(graph):
    with pytest.raises(ValueError, match="sources: 'bop' is not a vertex"):
        hoplite.distance_table(graph, ["bop"])
    with pytest.raises(ValueError, match="targets"):
        hoplite.distance_table(graph, targets=[9], index=True)
    with pytest.raises(ValueError, match="out must be an array of shape"):
        hoplite.distance_table(graph, ["ann"], out=np.empty((2, 6), np.int64))
    with pytest.raises(hoplite.ArgumentError, match="magic"):
        hoplite.distance_table(graph, ["ann"], variant="magic")
    large = hoplite.Graph.from_edges([(0, 1)], vertices=20000)
    with pytest.raises(hoplite.BudgetError, match="table: all distances"):
        hoplite.distance_table(large, memory="100 MiB")
    below = hoplite.Graph.from_edges([(0, 1), (1, 0)], weights=np.array([1, -2]), directed=True)
    with pytest.raises(hoplite.NegativeCycleError):
        hoplite.distance_table(below, [0], [1])
