# SPDX-License-Identifier: Apache-2.0
"""Graphs whose arcs stay on disk: the same results, certified, and clear errors."""

import numpy as np
import pytest

import hoplite


@pytest.fixture(name="path")
def fixture_path(tmp_path):
    hoplite.generate.rmat(12, weights="int32", seed=7).write(tmp_path / "graph.npz")
    return tmp_path / "graph.npz"


def test_same_results(path):
    graph = hoplite.Graph.read(path)
    disk = hoplite.Graph.open_external(path, cache="2 MiB")
    assert disk.external and not graph.external
    assert (disk.vertices, disk.arcs) == (graph.vertices, graph.arcs)
    parts, expected = (hoplite.components(which, certify=True) for which in (disk, graph))
    assert parts.count == expected.count
    assert np.array_equal(parts.labels, expected.labels)
    found, expected = (hoplite.bfs(which, 3, certify=True) for which in (disk, graph))
    assert np.array_equal(found.levels, expected.levels)
    assert np.array_equal(found.parents, expected.parents)
    found, expected = (hoplite.sssp(which, 3, certify=True) for which in (disk, graph))
    assert np.array_equal(found.distances, expected.distances)
    assert np.array_equal(found.parents, expected.parents)


def test_what_needs_arcs_says_so(path):
    disk = hoplite.Graph.open_external(path)
    with pytest.raises(ValueError, match="on disk"):
        _ = disk.weights
    with pytest.raises(hoplite.Error, match="memory"):
        hoplite.apsp(disk)


def test_damage_is_named(path):
    disk = hoplite.Graph.open_external(path, cache=1)
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        at = data.index(b"indices.npy") + 20000
        file.seek(at)
        file.write(bytes(byte ^ 0xff for byte in data[at:at + 4]))
    with pytest.raises(hoplite.Error, match=r"block \d+ of indices.npy: its checksum differs"):
        hoplite.bfs(disk, 3)
    with pytest.raises(FileNotFoundError):
        hoplite.Graph.open_external(path.parent / "missing.npz")


def test_components_of_edges_that_are_not_kept(tmp_path):
    path = tmp_path / "edges.csv"
    rng = np.random.default_rng(7)
    ends = rng.integers(0, 30000, (60000, 2))
    path.write_text("".join(f"v{a},v{b}\n" for a, b in ends.tolist()), encoding="ascii")
    whole = hoplite.Graph.read(path)
    fits = hoplite.Graph.join_file(path)
    assert not fits.joined and fits.arcs == whole.arcs
    joined = hoplite.Graph.join_file(path, memory="3 MiB")
    assert joined.joined and list(joined.names()) == list(whole.names())
    expected, found = hoplite.components(whole), hoplite.components(joined)
    assert np.array_equal(found.labels, expected.labels) and found.count == expected.count
    with pytest.raises(hoplite.Error, match="not kept"):
        hoplite.bfs(joined, 0, index=True)
    with pytest.raises(hoplite.Error, match="budget"):
        hoplite.Graph.join_file(path, memory="100 KiB")
