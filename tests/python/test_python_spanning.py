# SPDX-License-Identifier: Apache-2.0
"""hoplite.spanning_forest: ids, names, weights, certificates, mistakes."""

import pickle

import hoplite
import numpy as np
import pytest

EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "e"), ("d", "d")]


@pytest.fixture(name="graph")
def made_graph():
    return hoplite.Graph.from_edges(EDGES, weights=[3, 1, 2, 7, -9])


@pytest.mark.parametrize("variant", [None, "kruskal", "boruvka"])
def test_edges(graph, variant):
    found = hoplite.spanning_forest(graph, variant=variant, certify=True)
    assert [end.tolist() for end in found.edges()] == [["a", "b", "d"], ["c", "c", "e"]]
    assert [end.tolist() for end in found.edges(index=True)] == [[0, 1, 3], [2, 2, 4]]
    assert found.weights.tolist() == [2, 1, 7] and found.arcs.dtype == np.uint64
    assert "edges 3; trees 2; weight 10" in repr(found) and found._repr_html_()
    assert hoplite.measure(graph, "spanning-forest").tolist() == found.arcs.tolist()
    pickle.loads(pickle.dumps(found)).certify("valid")
    most = hoplite.spanning_forest(graph, variant=variant, maximum=True, certify=True)
    assert most.weights.tolist() == [3, 2, 7]
    hoplite.certify(most)
    found.arcs[0] = graph.offsets[0]
    with pytest.raises(hoplite.CertificateError, match='edge 1, from "a" to "c", comes before'):
        found.certify()
    found.arcs = found.arcs[1:]
    with pytest.raises(hoplite.CertificateError, match="from one tree of the forest to another"):
        found.certify()


def test_without_weights_and_vertices():
    path = hoplite.Graph.from_edges([(0, 1), (1, 2), (0, 2)], directed=True)
    found = hoplite.spanning_forest(path, certify=True)
    assert found.arcs.tolist() == [0, 1] and found.weights is None
    empty = hoplite.Graph.from_edges(np.empty((0, 2), np.uint32))
    assert hoplite.spanning_forest(empty).arcs.tolist() == []


def test_mistakes(graph):
    with pytest.raises(hoplite.ArgumentError, match="kruskal, boruvka"):
        hoplite.spanning_forest(graph, variant="prim")
    with pytest.raises(TypeError):
        hoplite.spanning_forest(EDGES)
