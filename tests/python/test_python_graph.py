# SPDX-License-Identifier: Apache-2.0
"""Graphs from arrays, SciPy, Arrow and files, without copies where that is promised; and back."""

import gc
import logging
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import hoplite

EDGES = [(0, 1), (1, 2), (2, 0), (3, 1)]


@pytest.fixture(name="graph")
def fixture_graph():
    return hoplite.generate.rmat(8, weights="int32", seed=7)


def test_from_edges_of_all_kinds():
    expected = hoplite.Graph.from_edges(EDGES).hash()
    pairs = np.array(EDGES)
    for edges in (pairs.astype(np.int32), pairs.astype(np.uint8), pairs.astype(">i8"),
                  np.asfortranarray(pairs), np.repeat(pairs, 2, axis=0)[::2], pairs.tolist()):
        assert hoplite.Graph.from_edges(edges).hash() == expected
    records = np.array(EDGES, dtype=[("a", "i4"), ("b", "i4")])
    assert hoplite.Graph.from_edges(records["a"], records["b"]).hash() == expected
    first, second = pairs.T
    for source, target in [(first, second), (first.astype(np.int32), second.astype(np.uint64)),
                           (first[::-1], second[::-1]), (memoryview(first.copy()), second)]:
        assert hoplite.Graph.from_edges(source, target).hash() == expected
    assert hoplite.Graph.from_edges([]).vertices == 0


def test_options_of_edges():
    graph = hoplite.Graph.from_edges([0, 0, 1, 1], [1, 1, 1, 0], [5, 3, 1, 9], directed=True,
                                     duplicates="sum", loops="drop", vertices=4)
    assert graph.directed and graph.vertices == 4 and len(graph) == 4
    assert graph.targets.tolist() == [1, 0] and graph.weights.tolist() == [8, 9]
    assert graph.offsets.tolist() == [0, 1, 2, 2, 2]
    assert graph.neighbors(1).tolist() == [0]


def test_labels():
    graph = hoplite.Graph.from_edges([10**12, 7], [7, 3], ids="sparse")
    assert graph.labels.tolist() == [3, 7, 10**12] and graph.find(7) == 1
    with pytest.raises(KeyError):
        graph.find(4)
    lonely = hoplite.Graph.from_edges([7], [3], ids="sparse", labels=[1, 3, 7])
    assert lonely.vertices == 3 and lonely.info().isolated == 1
    with pytest.raises(ValueError, match="sparse"):
        hoplite.Graph.from_edges([7], [3], labels=[3, 7])


@pytest.mark.parametrize("make, what", [
    (lambda: hoplite.Graph.from_edges([-1], [0]), "negative"),
    (lambda: hoplite.Graph.from_edges([0.5], [0]), "integers"),
    (lambda: hoplite.Graph.from_edges([1], [2], ["a"]), "numbers"),
    (lambda: hoplite.Graph.from_edges([[1, 2, 3]]), "pairs"),
    (lambda: hoplite.Graph.from_edges([1, 2], [3]), "2 sources and 1 targets"),
    (lambda: hoplite.Graph.from_edges([1], [2], [1, 2]), "2 weights for 1 edges"),
    (lambda: hoplite.Graph.from_edges([1], [2], [float("nan")]), "NaN"),
    (lambda: hoplite.Graph.from_edges([1], [2], [1j]), "numbers"),
    (lambda: hoplite.Graph.from_edges([5], [2], vertices=3), "5"),
    (lambda: hoplite.Graph.from_edges([1], [2], duplicates="any"), "duplicates must be one of"),
    (lambda: hoplite.Graph.from_edges([1], [2], np.array([2**63], np.uint64)), "2\\*\\*63"),
    (lambda: hoplite.Graph.from_edges(np.ma.array([1, 2], mask=[0, 1]), [2, 3]), "masked"),
    (lambda: hoplite.Graph.from_csr([0, 2], [0]), "2, and there are 1 targets"),
    (lambda: hoplite.Graph.from_csr([], []), "at least 1"),
    (lambda: hoplite.Graph.from_csr([0, 1], [1]), "1"),
    (lambda: hoplite.Graph.from_csr([0, 2, 1, 2], [0, 1]), "offset"),
    (lambda: hoplite.Graph.from_csr([0, 1, 1], [1], directed=False), "symmetric|back|direction"),
    (lambda: hoplite.Graph.from_csr([0, 1], np.array([-1])), "ids must be below"),
    (lambda: hoplite.Graph.from_numpy([[1, 2]]), "square"),
    (lambda: hoplite.Graph.from_scipy([[1]]), "SciPy"),
    (lambda: hoplite.Graph.from_scipy(sp.csr_array((2, 3))), "square"),
    (lambda: hoplite.Graph.from_arrow([1]), "Arrow"),
    (lambda: hoplite.Graph.read("/no/such/file.npz"), "no/such/file"),
])
def test_what_is_wrong_is_said(make, what):
    with pytest.raises((ValueError, TypeError, hoplite.Error), match=what):
        make()


@pytest.mark.parametrize("offset", [np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("weight", [np.int32, np.int64, np.float32, np.float64])
def test_scipy_is_borrowed(offset, weight):
    matrix = sp.random_array((50, 50), density=0.1, format="csr", rng=1)
    matrix.data = np.ceil(matrix.data * 10).astype(weight)
    matrix.sort_indices()
    matrix.indptr, matrix.indices = matrix.indptr.astype("i4"), matrix.indices.astype("i4")
    if offset is np.int32:
        graph = hoplite.Graph.from_scipy(matrix)
    else:
        graph = hoplite.Graph.from_csr(matrix.indptr.astype(offset), matrix.indices, matrix.data)
    assert graph.info().borrowed
    assert np.shares_memory(graph.targets, matrix.indices)
    assert np.shares_memory(graph.weights, matrix.data)
    assert not graph.targets.flags.writeable
    assert (graph.to_scipy() != matrix).nnz == 0
    star = hoplite.Graph.from_edges([(0, i) for i in range(1, 300)]).to_scipy()
    assert (star @ star)[0, 0] == 299
    back = graph.to_scipy()
    assert np.shares_memory(back.indices, matrix.indices)
    copy = hoplite.Graph.from_scipy(matrix, copy=True)
    assert not copy.info().borrowed and copy.hash() == graph.hash()
    assert hoplite.Graph.from_scipy(matrix.tocoo()).hash() == graph.hash()


def test_borrowed_arrays_live_as_long_as_the_graph():
    offsets, targets = np.array([0, 2, 4, 6]), np.array([1, 2, 0, 2, 0, 1], np.int32)
    graph = hoplite.Graph.from_csr(offsets, targets, directed=False)
    view = graph.targets
    del offsets, targets, graph
    gc.collect()
    np.ones(1000)
    assert view.tolist() == [1, 2, 0, 2, 0, 1]
    backwards = hoplite.Graph.from_csr(np.array([0, 1, 2]), np.array([1, 0], np.int32),
                                       directed=False).reverse()
    gc.collect()
    assert backwards.targets.tolist() == [1, 0]


def test_what_is_copied_is_said(caplog):
    with caplog.at_level(logging.INFO, "hoplite"):
        graph = hoplite.Graph.from_csr([0, 2, 2, 2], np.array([2, 1], np.int32))
    assert not graph.info().borrowed and graph.targets.tolist() == [1, 2]
    assert any("cop" in record.message for record in caplog.records), caplog.text


# With the threads of two cores, each of which has a stack, and no pages that the system makes large
# by itself.
GROWTH = """
import ctypes, os, sys
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)
import numpy as np, scipy.sparse as sp
import hoplite
def resident():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
n, degree = 400_000, 40
rng = np.random.default_rng(1)
targets = rng.integers(0, n, (n, degree), dtype=np.int32)
targets.sort(axis=1)
matrix = sp.csr_array((np.ones(n * degree), targets.ravel(), np.arange(n + 1) * degree), (n, n))
assert matrix.indices.base is not None or matrix.indices.flags.owndata
matrix.indptr, matrix.indices = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
hoplite.Graph.from_scipy(sp.csr_array(np.eye(3)))  # threads and the library's own pages
try:
    open("/proc/self/clear_refs", "w").write("5")  # the peak begins again
except OSError:
    sys.exit(77)
before = resident()
graph = hoplite.Graph.from_scipy(matrix)
grown = resident() - before
size = graph.info().memory_bytes
print(f"{size} bytes of graph, {grown} more at the peak: {100 * grown / size:.3f} %")
assert graph.info().borrowed and size > 190_000_000
assert grown < 0.01 * size
"""


def test_memory_grows_by_less_than_a_hundredth_of_a_borrowed_graph():
    done = subprocess.run([sys.executable, "-c", GROWTH], capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip("the peak cannot be set back here")
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)


def test_dense_matrices():
    matrix = np.array([[0, 2.5, np.inf], [1, 0, np.nan], [0, 0, 4]])
    graph = hoplite.Graph.from_numpy(matrix)
    assert graph.edge_list()[0].tolist() == [[0, 1], [1, 0], [2, 2]]
    assert graph.weights.tolist() == [2.5, 1, 4]
    assert hoplite.Graph.from_numpy(matrix == 1).weights is None
    assert hoplite.Graph.from_numpy(np.eye(4, dtype=int), directed=False).edges == 4


def test_arrow():
    pa = pytest.importorskip("pyarrow")
    edges = np.array(EDGES)
    expected = hoplite.Graph.from_edges(edges, weights=[1.5, 2, 3, 4])
    table = pa.table({"w": [1.5, 2.0, 3.0, 4.0], "from": edges[:, 0], "to": edges[:, 1],
                      "name": list("abcd")})
    for form in (table, table.to_batches()[0], pa.concat_tables([table.slice(0, 1), table[1:]]),
                 pa.concat_tables([table, table])[4:]):
        graph = hoplite.Graph.from_arrow(form, "from", "to", "w")
        assert graph.hash() == expected.hash()
    # An array of structs that was sliced has an offset, which its columns do not have.
    more = pa.StructArray.from_arrays(
        [pa.array([9, *edges[:, i], 9]) for i in (0, 1)] + [pa.array([9.0, 1.5, 2, 3, 4, 9.0])],
        ["from", "to", "w"])
    assert hoplite.Graph.from_arrow(more[1:5], "from", "to", "w").hash() == expected.hash()
    assert hoplite.Graph.from_arrow(table.select(["from", "to"])).edges == 4
    assert hoplite.Graph.from_arrow(table.slice(0, 0), "from", "to").vertices == 0
    offsets, targets = pa.array([9, 0, 1, 2])[1:], pa.array([1, 0], pa.int32())
    borrowed = hoplite.Graph.from_csr(offsets, targets, directed=False)
    assert borrowed.info().borrowed and borrowed.edges == 1
    for wrong, what in [(("from", "nowhere"), "no column"), (("name", "to"), "both hold texts")]:
        with pytest.raises((ValueError, TypeError), match=what):
            hoplite.Graph.from_arrow(table, *wrong)
    for gap in (pa.table({"a": pa.array([1, None]), "b": [1, 2]}),
                pa.table({"a": pa.array([None, 1]), "b": [1, 2]})):
        with pytest.raises(ValueError, match="nulls"):
            hoplite.Graph.from_arrow(gap)
    rest = pa.table({"a": pa.array([None, 1]), "b": [1, 2]})[1:]
    assert hoplite.Graph.from_arrow(rest).edges == 1
    # A struct can be null where its columns are not, and a column where the struct was cut off.
    columns = [pa.array([0, 1, 2]), pa.array([1, 2, 0])]
    hidden = pa.StructArray.from_arrays(columns, ["s", "t"], mask=pa.array([False, True, False]))
    with pytest.raises(ValueError, match="nulls"):
        hoplite.Graph.from_arrow(hidden)
    assert hoplite.Graph.from_arrow(hidden[2:]).edges == 1
    cut = pa.StructArray.from_arrays([pa.array([None, 1, 2]), columns[1]], ["s", "t"])
    assert hoplite.Graph.from_arrow(cut[1:]).edges == 2


def test_dlpack():
    class Foreign:  # an array of another library
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **keywords):
            return self.array.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    targets = np.array([1, 0], np.int32)
    graph = hoplite.Graph.from_csr(Foreign(np.array([0, 1, 2])), Foreign(targets), directed=False)
    assert graph.info().borrowed and np.shares_memory(graph.targets, targets)


def test_files(graph, tmp_path):
    for name in ("g.npz", "g.mtx", "g.txt.gz"):
        path = tmp_path / name
        graph.write(path)
        again = hoplite.Graph.read(path)
        if name == "g.npz":
            assert again.hash() == graph.hash()
        if name == "g.mtx":  # which counts from 1
            assert again.first_id == 1 and again.labels[0] == 1 and again.find(1) == 0
            assert len(again.labels) == again.vertices
            assert np.array_equal(again.targets, graph.targets)
            again.write(tmp_path / "h.npz")
            assert hoplite.Graph.read(tmp_path / "h.npz", verify=True).hash() == again.hash()
    mapped = hoplite.Graph.read(str(tmp_path / "g.npz"))
    assert mapped.info().mapped
    assert not hoplite.Graph.read(tmp_path / "g.npz", in_memory=True, verify=True).info().mapped
    assert (sp.load_npz(tmp_path / "g.npz") != graph.to_scipy()).nnz == 0
    assert hoplite.Graph.read(tmp_path / "g.mtx", weights=False).weights is None
    with pytest.raises(hoplite.InputError, match="g.npz"):
        (tmp_path / "g.npz").write_bytes(b"PK\3\4nothing")
        hoplite.Graph.read(tmp_path / "g.npz", format="npz")
    with pytest.raises(hoplite.ArgumentError):
        graph.write(tmp_path / "g.unknown")


def test_transforms(graph):
    arcs = hoplite.Graph.from_edges(EDGES, weights=[1, 2, 3, 4], directed=True)
    assert arcs.reverse().edge_list()[0].tolist() == [[0, 2], [1, 0], [1, 3], [2, 1]]
    assert arcs.symmetrize().edges == 4 and not arcs.symmetrize("max").directed
    part = graph.subgraph([5, 3, 9, 3])
    assert part.vertices == 3 and part.labels.tolist() == [3, 5, 9]
    assert not arcs.info().has_reverse
    arcs.prepare(reverse=True, diameter=True)
    assert arcs.info().has_reverse and arcs.info().has_diameter
    edges, weights = graph.edge_list(once=False)
    assert len(edges) == graph.arcs and (weights == graph.weights).all()
    again = hoplite.Graph.from_edges(*graph.edge_list()[0].T, graph.edge_list()[1],
                                     vertices=graph.vertices)
    assert again.hash() == graph.hash()


def test_pickled(graph):
    for one in (graph, hoplite.Graph.from_edges([10**12, 7], [7, 3], ids="sparse", directed=True)):
        copy = pickle.loads(pickle.dumps(one))
        assert copy.hash() == one.hash() and copy.directed == one.directed


def test_said_of_a_graph(graph):
    assert repr(graph) == (f"<hoplite.Graph: 256 vertices, {graph.edges:,} edges, weights int32>")
    assert graph.weight_type == np.int32
    facts = graph.info()
    assert facts.max_degree == max(np.diff(graph.offsets)) and facts.vertices == 256
    assert facts.min_weight == graph.weights.min() and "vertices=256" in repr(facts)
    page = graph._repr_html_()
    assert "256" in page and page.count("<table") == page.count("</table") == 1


@pytest.mark.parametrize("call, text", [
    (lambda: hoplite.Graph.from_edges([("a", "b", 7)]), "pairs.* by weights=$"),
    (lambda: hoplite.Graph.from_edges(np.array([["a", None]], object)), "texts alone: entry 1"),
    (lambda: hoplite.bfs(hoplite.Graph.from_edges([(0, 1)]), "a"), "must hold numbers, not texts$"),
    (lambda: hoplite.Graph.from_edges({0: [1]}), r"not dict; .*\[\(u, v\) for u in d for v in d"),
    (lambda: hoplite.Graph.from_edges({(0, 1)}), r"not set; list\(\) makes a list of it$"),
    (lambda: hoplite.Graph.from_edges((i, 1) for i in range(2)), r"not generator; list\(\)"),
    (lambda: hoplite.Graph.from_edges([(0, 1)], weights={}), r"weights must .* not dict; list\(\)"),
    (lambda: hoplite.Graph.from_edges(None), "not NoneType$"),
    (lambda: hoplite.Graph.from_edges([(0, 1, 7)]), "third column apart: from_edges.*weights="),
    (lambda: hoplite.Graph.from_edges([(0, 2**40)]), 'for sparse ids use ids="sparse"$'),
    (lambda: hoplite.apsp(hoplite.generate.grid(rows=2000, cols=1000)), r"\(memory=\)$"),
    (lambda: hoplite.Graph.from_edges("roads.csv"), "not texts; Graph.read reads files$"),
    (lambda: hoplite.Graph.from_edges((0, 1)), r"from_edges\(\[\(u, v\)\]\)$"),
    (lambda: hoplite.Graph.from_edges([(0, 1), (1,)]), "rows of different length; edges are pairs"),
    (lambda: hoplite.Graph.from_edges(np.array([[0, 1, 2], [1, 2, 0]])),
     r"third column apart.*of a row of sources above one of targets transpose it: from_edges\(e.T"),
    (lambda: hoplite.Graph.from_edges([(0, 1), (1, 2.5)]), "integers, and entry 3 is 2.5$"),
    (lambda: hoplite.Graph.from_edges([0.0], [1.0]), r"not float64; .astype\('int64'\) makes"),
    (lambda: hoplite.Graph.from_edges([0, 1], [1.0, np.nan]), "entry 1 is NaN; leave out rows"),
    (lambda: hoplite.Graph.from_edges([(0, 1), (1, None)]), "entry 3 is None; leave out rows"),
    (lambda: hoplite.Graph.from_edges(np.array([[0, 1]], object)), r"objects; .astype\('int64'"),
    (lambda: hoplite.Graph.from_edges([("a", "b"), ("b", None)]), "entry 3 is None; leave out"),
    (lambda: hoplite.Graph.from_edges([(0, 1)], weights=[None]), "weights .* entry 0 is None$"),
    (lambda: hoplite.Graph.from_scipy(np.eye(3)), "not ndarray; from_numpy takes a dense one$"),
    (lambda: hoplite.Graph.read("roads.csv", columns=5), 'such as "from,to,weight", or a list'),
    (lambda: hoplite.bfs(hoplite.Graph.from_edges([(0, 1)]), None), "entry 0 is None$"),
    (lambda: hoplite.bfs([(0, 1)], 0), "not builtins.list; see Graph.from_edges"),
    (lambda: hoplite.generate.grid(rows=2, cols=2, memory="-1 GiB"), "not -1073741824$"),
    (lambda: hoplite.generate.grid(rows=2, cols=2, memory="1e30 GiB"), "memory must be from 0 to"),
    (lambda: hoplite.bfs(hoplite.Graph.from_edges([(0, 1)]), 0, variant="frontier"),
     "device= names one"),
])
def test_first_mistakes_are_explained_in_terms_of_python(call, text):
    with pytest.raises((TypeError, ValueError, hoplite.Error), match=text):
        call()


def test_lists_of_large_integers_stay_exact():
    """NumPy makes floats of a list with numbers below and above 2^63."""
    graph = hoplite.Graph.from_edges([(5, 2**63 + 5), (2**64 - 2, 5)], ids="sparse")
    assert graph.labels.tolist() == [5, 2**63 + 5, 2**64 - 2]
    with pytest.raises(TypeError, match="must hold integers"):
        hoplite.Graph.from_edges([(5, 2.0**63)], ids="sparse")


def test_one_is_not_several():
    assert repr(hoplite.Graph.from_edges([(0, 1)])) == (
        "<hoplite.Graph: 2 vertices, 1 edge, no weights>")
    assert repr(hoplite.Graph.from_edges([(0, 0)], directed=True)) == (
        "<hoplite.Graph: 1 vertex, 1 arc, no weights>")
    nothing = repr(hoplite.bfs(hoplite.Graph.from_edges([(0, 1)]), []))
    assert "sources none; reached 0 of 2 (0.0 %); levels none; " in nothing
    assert " on host: " in repr(hoplite.explain("bfs", hoplite.Graph.from_edges([(0, 1)])))


def test_limits_of_text(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("0 1\n" + "2 " * 200_000 + "\n1 2\n" + "3 4\n" * 1000)
    for name, value in ("max_line", 300_000), ("max_line", "256K"), ("max_bytes", "1 KiB"):
        with pytest.raises(hoplite.Error, match=f"{name}= allows more") as caught:
            hoplite.Graph.read(path, columns="1,2", **{name: value})
        assert caught.value.name == name and caught.value.remedy == "raise_limit"
    with pytest.raises(ValueError, match="max_line must be bytes"):
        hoplite.Graph.read(path, max_line="long")
