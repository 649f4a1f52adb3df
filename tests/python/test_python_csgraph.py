# SPDX-License-Identifier: Apache-2.0
"""hoplite.csgraph against scipy.sparse.csgraph: SciPy's own tests with a counter of what ran here,
random matrices of all kinds, errors, and what goes on to SciPy."""

import inspect
import logging
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

sparse = pytest.importorskip("scipy.sparse")
theirs = pytest.importorskip("scipy.sparse.csgraph")

from hoplite import _speed, csgraph  # noqa: E402

HERE = pathlib.Path(__file__).parent
ROOT = pathlib.Path(os.environ.get("HOPLITE_SOURCE_DIR", HERE.parents[1]))
# Of two shortest paths SciPy's test wants the one with fewer edges; SciPy itself promises neither.
OTHER_TIE = "test_shortest_path.py::test_predecessors"
UPSTREAM = ["test_shortest_path", "test_traversal", "test_connected_components",
            "test_spanning_tree"]


@pytest.fixture(autouse=True)
def run_all(monkeypatch):
    monkeypatch.setattr(csgraph, "run_from", 0)
    csgraph.calls.clear()


def upstream(*arguments):
    path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "csgraph_counter",
         *arguments, "--pyargs", *(f"scipy.sparse.csgraph.tests.{name}" for name in UPSTREAM)],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)


def test_tests_of_scipy_pass_and_ran_here():
    done = upstream("-k", "not test_predecessors")
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    here, there = map(int, re.search(r"ran here: (\d+), by SciPy: (\d+)", done.stdout).groups())
    assert here > 180 and there < 5, done.stdout


def test_the_one_that_wants_another_tie():
    done = upstream("-k", "test_predecessors")
    assert "1 failed" in done.stdout and "Mismatched elements: 1 / 25" in done.stdout


def test_signatures():
    for name in csgraph.HERE:
        listed = re.search(rf"{name}\(([^)]*(?:\([^)]*\))?[^)]*)\)",
                           getattr(theirs, name).__doc__).group(1)
        wanted = [part.split("=") for part in re.sub(r"\s+", " ", listed).split(", ")]
        mine = inspect.signature(getattr(csgraph, name)).parameters
        assert list(mine) == [part[0] for part in wanted], name
        for key, *default in wanted:
            empty = mine[key].default is inspect.Parameter.empty
            assert empty if not default else str(mine[key].default) == \
                default[0].strip("'").replace("np.", ""), (name, key)


def test_every_name_of_scipy_is_there():
    assert set(theirs.__all__) <= set(dir(csgraph)) and set(theirs.__all__) <= set(csgraph.__all__)
    assert csgraph.laplacian is theirs.laplacian
    assert csgraph.NegativeCycleError is theirs.NegativeCycleError
    with pytest.raises(AttributeError):
        csgraph.nothing_of_this_name


def random_matrix(rng):
    """Of any format and type: rows unsorted, entries twice, stored zeros, some negative."""
    n = int(rng.integers(1, 12))
    matrix = sparse.random_array((n, n), density=float(rng.random()), rng=rng,
                                 format=str(rng.choice(["csr", "csc", "coo", "lil"])))
    kind = int(rng.integers(0, 7))
    if kind == 1:
        matrix = (matrix * 10).astype(np.int64)  # some are 0
    elif kind == 2:
        matrix = np.ascontiguousarray(matrix.toarray())  # SciPy fails silently on others
    elif kind == 3:
        matrix = (matrix * 10).astype(np.float32)
    elif kind == 4:
        matrix = (matrix * 10).astype(np.int32).tocsr()
    elif kind == 5:
        rows = matrix.tocsr()
        ends = rng.integers(0, n, rows.nnz).astype(np.int32)
        matrix = sparse.csr_array((rows.data, ends, rows.indptr), shape=(n, n))
    elif kind == 6:
        dense = np.ascontiguousarray(matrix.toarray())
        matrix = np.ma.array(dense, mask=dense < 0.3)
    return matrix


def edges_of(matrix, directed, unweighted):
    """The least weight of each edge."""
    if sparse.issparse(matrix):
        given = matrix.tocoo()
    else:
        given = (theirs.csgraph_from_masked if np.ma.isMaskedArray(matrix)
                 else theirs.csgraph_from_dense)(matrix).tocoo()
    least = {}
    for u, v, w in zip(*given.coords, given.data):
        for pair in ((u, v),) if directed else ((u, v), (v, u)):
            least[pair] = min(least.get(pair, np.inf), 1.0 if unweighted else float(w))
    return least


def check_trees(matrix, directed, unweighted, sources, distances, parents):
    """Each predecessor explains the distance, and leads to the source."""
    least = edges_of(matrix, directed, unweighted)
    for source, d, p in zip(sources, distances, parents):
        for v in range(len(d)):
            if v == source or np.isinf(d[v]):
                assert p[v] == -9999
            else:
                assert np.isclose(d[p[v]] + least[p[v], v], d[v])
                u, steps = v, 0
                while u != source:
                    u, steps = p[u], steps + 1
                    assert steps < len(d)


def check_equal(mine, other):
    for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (mine, other))):
        if sparse.issparse(b):
            assert type(a) is type(b) and a.dtype == b.dtype and (a != b).nnz == 0
        else:
            assert np.asarray(a).dtype == np.asarray(b).dtype and np.shape(a) == np.shape(b)
            assert np.allclose(a, b)


def check_strong(matrix, count, labels):
    """The same parts as SciPy's, whose numbers are any. Entries that are there twice it gets
    wrong, or never comes to an end."""
    if sparse.issparse(matrix):
        once = sparse.csr_array(matrix.tocsr(copy=True))
        once.sum_duplicates()
    else:
        once = matrix
    wanted, other = theirs.connected_components(once, True, "strong")
    assert count == wanted and labels.dtype == other.dtype
    assert len(set(zip(labels.tolist(), other.tolist()))) == count == labels.max() + 1
    assert csgraph.connected_components(matrix, True, "strong", False) == count


@pytest.mark.parametrize("seed", range(8))
def test_random_matrices(seed):
    rng = np.random.default_rng(seed)
    for _ in range(30):
        matrix = random_matrix(rng)
        n = matrix.shape[0]
        directed, unweighted = rng.random(2) < 0.5
        how = {"directed": bool(directed), "unweighted": bool(unweighted)}
        some = rng.integers(-n, n, int(rng.integers(1, 4)))
        for name, more in (("dijkstra", {}), ("dijkstra", {"indices": some}),
                           ("dijkstra", {"indices": int(some[0]), "limit": 0.7}),
                           ("dijkstra", {"indices": some, "min_only": True}),
                           ("bellman_ford", {"indices": some}), ("johnson", {}),
                           ("shortest_path", {"method": "FW"}), ("shortest_path", {})):
            if name == "shortest_path" and getattr(matrix, "format", "") == "coo":
                matrix = matrix.tocsr()  # SciPy wants it for FW
            mine = getattr(csgraph, name)(matrix, **how, **more)
            check_equal(mine, getattr(theirs, name)(matrix, **how, **more))
            if more.get("min_only"):
                continue
            again, parents = getattr(csgraph, name)(matrix, return_predecessors=True, **how,
                                                    **more)
            check_equal(again, mine)
            assert parents.dtype == np.int32 and parents.shape == mine.shape
            sources = np.atleast_1d(more.get("indices", np.arange(n))) % n
            check_trees(matrix, directed, unweighted, sources, mine.reshape(-1, n),
                        parents.reshape(-1, n))
        check_equal(csgraph.connected_components(matrix, directed=how["directed"]),
                    theirs.connected_components(matrix, directed=how["directed"]))
        check_strong(matrix, *csgraph.connected_components(matrix, True, "Strong"))
        for name in ("breadth_first_order", "breadth_first_tree", "depth_first_order",
                     "depth_first_tree"):
            check_equal(getattr(csgraph, name)(matrix, 0, how["directed"]),
                        getattr(theirs, name)(matrix, 0, how["directed"]))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "int64", "float32",
                                   "float64"])
def test_rows_that_are_not_in_order(dtype):
    """Of types other than its own SciPy makes a copy first, with rows sorted, and with the sum of
    what is there twice."""
    rng = np.random.default_rng(11)
    for _ in range(20):
        n = int(rng.integers(2, 12))
        ends = [rng.integers(0, n, int(rng.integers(0, 2 * n))) for _ in range(n)]
        starts = np.concatenate([[0], np.cumsum([len(row) for row in ends])])
        ends = np.concatenate(ends)
        weights = rng.integers(1, 9, len(ends)).astype(dtype)
        for name, more in (("dijkstra", {}), ("bellman_ford", {"indices": [0]}),
                           ("dijkstra", {"directed": False}), ("floyd_warshall", {}),
                           ("breadth_first_order", {"i_start": 0}),
                           ("depth_first_order", {"i_start": 0}),
                           ("depth_first_tree", {"i_start": 0})):
            mine, other = (getattr(module, name)(
                sparse.csr_array((weights.copy(), ends.copy(), starts.copy()), (n, n)), **more)
                for module in (csgraph, theirs))
            check_equal(mine, other)


def test_nearest_of_several_sources():
    rng = np.random.default_rng(3)
    matrix = sparse.random_array((60, 60), density=0.04, format="csr", rng=rng)
    for limit in (np.inf, 0.5):
        sources = [7, 31, 7, 50]
        mine = csgraph.dijkstra(matrix, indices=sources, min_only=True, return_predecessors=True,
                                limit=limit)
        check_equal(mine, theirs.dijkstra(matrix, indices=sources, min_only=True,
                                          return_predecessors=True, limit=limit))


def test_negative_weights_and_cycles():
    debts = np.array([[0, 5, 0, 0], [0, 0, -2, 0], [0, 0, 0, 3], [0, 1, 0, 0]], float)
    for name in ("bellman_ford", "johnson", "floyd_warshall"):
        check_equal(getattr(csgraph, name)(debts), getattr(theirs, name)(debts))
    debts[3, 1] = -2
    for name, more in (("bellman_ford", {}), ("johnson", {}), ("floyd_warshall", {}),
                       ("shortest_path", {}), ("johnson", {"indices": [3]})):
        with pytest.raises(theirs.NegativeCycleError, match="Negative cycle") as caught:
            getattr(csgraph, name)(debts, **more)
        assert sorted(caught.value.cycle) == [1, 2, 3]
    apart = np.zeros((6, 6))
    apart[:4, :4], apart[4, 5] = debts, 1
    assert csgraph.bellman_ford(apart, indices=4)[5] == 1  # the cycle is elsewhere
    assert csgraph.bellman_ford(apart, indices=[4, 5, 4])[:, 5].tolist() == [1, 0, 1]
    with pytest.raises(theirs.NegativeCycleError):
        csgraph.bellman_ford(apart, indices=[4, 0])
    with pytest.raises(theirs.NegativeCycleError):
        csgraph.johnson(apart, indices=4)
    assert not [key for key in csgraph.calls if key[1] == "scipy"]


def test_a_matrix_that_may_be_overwritten():
    rng = np.random.default_rng(1)
    for trees in (False, True):
        for unweighted in (False, True):
            dense = rng.random((9, 9)) * (rng.random((9, 9)) < 0.4)
            wanted = theirs.floyd_warshall(dense, unweighted=unweighted)
            kept = csgraph.floyd_warshall(dense, unweighted=unweighted)
            assert not np.shares_memory(kept, dense)
            made = csgraph.floyd_warshall(dense, return_predecessors=trees, unweighted=unweighted,
                                          overwrite=True)
            made = made[0] if trees else made
            assert np.shares_memory(made, dense) and np.allclose(made, wanted)


@pytest.mark.parametrize("name, arguments, more, words", [
    ("dijkstra", ([[0, -1.0], [0, 0]],), {"indices": 0}, "negative weight"),
    ("dijkstra", (np.zeros((2, 2)),), {"indices": []}, "no indices"),
    ("floyd_warshall", (np.ma.masked_equal([[0, 1.0], [2.0, 0]], 0),), {}, "masked"),
    ("shortest_path", (np.ma.array([[5.0, 1.0], [2.0, 5.0]]),), {}, "masked"),
    ("breadth_first_order", (np.array([[0, 1], [0, 0]]), 0), {"directed": False}, "not symmetric"),
    ("depth_first_order", (np.array([[0, 1], [0, 0]]), 0), {"directed": False}, "not symmetric"),
    ("bellman_ford", (sparse.csr_array([[0, np.inf], [1.0, 0]]),), {}, "infinite"),
    ("johnson", (sparse.csr_array([[0, np.nan], [1.0, 0]]),), {}, "not a number"),
    ("floyd_warshall", (sparse.csr_array([[0, np.inf], [1.0, 0]]),), {"unweighted": True},
     "infinite"),
])
@pytest.mark.filterwarnings("ignore:Graph has negative weights")
def test_what_goes_to_scipy(caplog, name, arguments, more, words):
    with caplog.at_level(logging.DEBUG, logger="hoplite"):
        mine = getattr(csgraph, name)(*arguments, **more)
    assert words in caplog.text and csgraph.calls == {(name, "scipy"): 1}
    other = getattr(theirs, name)(*arguments, **more)
    for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (mine, other))):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name, arguments, more", [
    ("dijkstra", (np.eye(3),), {"limit": -1}), ("dijkstra", (np.eye(3),), {"indices": 3}),
    ("dijkstra", (np.ones((2, 3)),), {}), ("shortest_path", (np.eye(3),), {"method": "A"}),
    ("shortest_path", (np.eye(3),), {"method": "FW", "indices": [0]}),
    ("johnson", (np.eye(3),), {"indices": [-4]}), ("connected_components", ("text",), {}),
    ("connected_components", (np.eye(3),), {"connection": "some"}),
    ("connected_components", (np.eye(3),), {"connection": "some", "directed": False}),
    ("dijkstra", (np.eye(3),), {"limit": "2"}),
    ("dijkstra", (np.eye(3),), {"limit": None, "indices": 3}),
    ("floyd_warshall", (sparse.coo_array(np.eye(3)),), {}),
])
def test_errors_are_those_of_scipy(name, arguments, more):
    said = []
    for module in (csgraph, theirs):
        with pytest.raises(Exception) as caught:
            getattr(module, name)(*arguments, **more)
        said.append((type(caught.value), str(caught.value)))
    assert said[0] == said[1]


def test_large_integers_are_added_as_scipy_does():
    matrix = sparse.csr_array(np.array([[0, 2**60, 0], [0, 0, 3], [0, 0, 0]]))
    check_equal(csgraph.dijkstra(matrix, indices=0), theirs.dijkstra(matrix, indices=0))


def test_small_matrices_are_left_to_scipy(monkeypatch):
    monkeypatch.undo()
    csgraph.calls.clear()
    small = sparse.random_array((20, 20), density=0.2, format="csr")
    large = sparse.random_array((4000, 4000), density=0.001, format="csr")
    for matrix in (small, large):
        csgraph.dijkstra(matrix, indices=0)
    assert csgraph.calls == {("dijkstra", "scipy"): 1, ("dijkstra", "hoplite"): 1}


def test_rows_that_are_damaged():
    rows = sparse.csr_array(np.eye(4))
    rows.indices[2] = 9
    with pytest.raises(Exception):
        csgraph._breadth_first(rows, 0, True)


def test_docs_name_every_function():
    text = (ROOT / "docs/csgraph.md").read_text()
    assert not [name for name in csgraph.HERE if not re.search(rf"`{name}`", text)]


@pytest.mark.skipif(not _speed.compiled, reason="breadth-first searches need the extension module")
def test_everything_ran_here():
    matrix = sparse.random_array((9, 9), density=0.5, format="csr")
    for name in csgraph.HERE:
        getattr(csgraph, name)(matrix, *([0] if "_first_" in name else []))
    assert csgraph.calls == {(name, "hoplite"): 1 for name in csgraph.HERE}


def test_spanning_trees_of_random_matrices():
    rng = np.random.default_rng(5)
    kinds = (sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array,
             lambda matrix: matrix.toarray())
    for number in range(60):
        n = int(rng.integers(2, 200))
        m = int(n * rng.choice([.5, 1, 3, 8]))
        matrix = sparse.csr_array((rng.random(m) + .1, rng.integers(0, n, (2, m))), (n, n))
        matrix.sum_duplicates()
        given = kinds[number % 5](matrix)
        mine, right = csgraph.minimum_spanning_tree(given), theirs.minimum_spanning_tree(given)
        assert type(mine) is type(right) and (mine != right).nnz == 0
        assert (mine.dtype, mine.indices.dtype) == (right.dtype, right.indices.dtype)
    assert csgraph.calls["minimum_spanning_tree", "hoplite"] == 60


def test_spanning_trees_have_no_edges_of_weight_0():
    matrix = sparse.csr_array(([0.0, 1, 2], [1, 2, 3], [0, 1, 2, 3, 3]), (4, 4))
    mine, right = csgraph.minimum_spanning_tree(matrix), theirs.minimum_spanning_tree(matrix)
    assert mine.nnz == right.nnz == 2 and mine.indices.tolist() == right.indices.tolist()
