# SPDX-License-Identifier: Apache-2.0
"""hoplite.strong_components and topological_order: ids, names, certificates, mistakes."""

import hoplite
import numpy as np
import pytest

ARCS = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("e", "d")]


@pytest.fixture(name="graph")
def made_graph():
    return hoplite.Graph.from_edges(ARCS, directed=True)


@pytest.mark.parametrize("variant", [None, "tarjan", "sweeps", "ranges"])
def test_labels(graph, variant):
    found = hoplite.strong_components(graph, variant=variant, certify=True)
    assert found.labels.tolist() == [0, 0, 0, 3, 4] and found.count == 3
    assert found.labels.dtype == np.uint32
    assert found.sizes().tolist() == [3, 1, 1] and found.numbers().tolist() == [0, 0, 0, 1, 2]
    assert found.largest().names(range(3)).tolist() == ["a", "b", "c"]
    assert "3" in repr(found) and found.report.variant
    hoplite.certify(found)
    found.labels[3] = 0
    found.count = 2
    with pytest.raises(hoplite.CertificateError, match="it does not reach"):
        found.certify()


def test_condensation_and_order(graph):
    small = hoplite.strong_components(graph).condensation()
    assert small.vertices == 3 and small.directed
    order, levels = hoplite.topological_order(small, levels=True, certify=True)
    assert order.tolist() == [0, 2, 1] and levels.tolist() == [0, 1, 0]
    with pytest.raises(hoplite.InputError, match='a cycle .3 arcs.: "a", "b", "c", "a"'):
        hoplite.topological_order(graph)
    path = hoplite.Graph.from_edges([("z", "y"), ("y", "x")], directed=True)
    assert hoplite.topological_order(path).tolist() == ["z", "y", "x"]
    assert hoplite.topological_order(path, index=True).tolist() == [2, 1, 0]
    empty = hoplite.Graph.from_edges(np.empty((0, 2), np.uint32), directed=True)
    assert hoplite.topological_order(empty).tolist() == []
    assert hoplite.strong_components(empty).count == 0


def test_mistakes(graph):
    with pytest.raises(hoplite.ArgumentError, match="tarjan, sweeps"):
        hoplite.strong_components(graph, variant="kosaraju")
    with pytest.raises(TypeError):
        hoplite.strong_components(ARCS)
