# SPDX-License-Identifier: Apache-2.0
"""hoplite.Index: both kinds against searches, files, names, mistakes."""

import hoplite
import numpy as np
import pytest

KINDS = ["contraction", "landmarks"]


@pytest.fixture(name="road", params=["int32", "float64", None])
def made_road(request):
    return hoplite.generate.road(rows=12, cols=12, weights=request.param, seed=3)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_those_of_searches(road, kind, tmp_path):
    made = hoplite.Index(road, kind)
    assert made.kind == kind and made.bytes > 0
    made.save(tmp_path / "index.npz")
    kept = hoplite.Index.open(tmp_path / "index.npz", road)
    found = hoplite.sssp(road, 5)
    pairs = [(5, v) for v in range(road.vertices)]
    for index in (made, kept):
        assert np.array_equal(index.distances(pairs, certify=True), found.distances)
        for target in range(0, road.vertices, 40):
            assert np.array_equal(index.path(5, target), found.path(target))


def test_names_and_what_is_not_reached():
    graph = hoplite.Graph.from_edges([("a", "b"), ("b", "c"), ("d", "e")], weights=[3, 1, 2])
    index = hoplite.Index(graph)
    assert index.path("a", "c").tolist() == ["a", "b", "c"]
    assert index.distances([("a", "c"), ("a", "d")]).tolist() == [4, hoplite.NO_DISTANCE]
    assert index.path("a", "e").tolist() == []
    assert index.path(0, 2, index=True).tolist() == [0, 1, 2]
    assert index.distances([]).tolist() == []


def test_mistakes(road, tmp_path):
    with pytest.raises(ValueError, match="kind must be"):
        hoplite.Index(road, "roads")
    with pytest.raises(hoplite.ArgumentError, match="landmarks"):
        hoplite.Index(road, landmarks=65)
    for wrong in (-1, 2**32 + 3):  # not what is left of it in 32 bits
        with pytest.raises(ValueError, match="landmarks must be from"):
            hoplite.Index(road, landmarks=wrong)
    hoplite.Index(road).save(tmp_path / "index.npz")
    other = hoplite.generate.road(rows=12, cols=12, seed=4)
    with pytest.raises(hoplite.InputError, match="index of another graph"):
        hoplite.Index.open(tmp_path / "index.npz", other)
    negative = hoplite.Graph.from_edges([(0, 1)], weights=[-1], directed=True)
    with pytest.raises(hoplite.UnsupportedError, match="negative"):
        hoplite.Index(negative)
