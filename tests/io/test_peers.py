# SPDX-License-Identifier: Apache-2.0
"""
The text formats against other programs' readers and writers: what they write is read here, what is
written here is read by them. The command does the work; the native format, which scipy opens,
carries the result over.
"""

import os
import subprocess

import numpy as np
import pytest
import scipy.io
import scipy.sparse

HOPLITE = os.environ.get("HOPLITE", "hoplite")
SEEDS = range(6)


def convert(source, target, *options):
    done = subprocess.run([HOPLITE, "convert", str(source), str(target), *options],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=400)
    assert done.returncode == 0, done.stderr
    return target


def load(path, tmp_path, *options):
    """The graph of a file as a matrix: entry (i, j) is the weight of the arc, or 1."""
    return scipy.sparse.load_npz(convert(path, tmp_path / "loaded.npz", *options))


def random_matrix(seed, kind, symmetric):
    """A sparse matrix with empty rows, loops, and values of every size."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    m = int(rng.integers(0, 3 * n + 1))
    i, j = rng.integers(0, n, m), rng.integers(0, n, m)
    if kind == "real":
        values = rng.standard_normal(m) * 10.0 ** rng.integers(-300, 300, m)
    elif kind == "integer":
        values = rng.integers(-2**31, 2**31, m)
    else:
        values = np.ones(m, dtype=np.int64)
    matrix = scipy.sparse.coo_array((values, (i, j)), shape=(n, n))
    matrix.sum_duplicates()
    if symmetric:
        matrix = scipy.sparse.tril(matrix)
        matrix = matrix + scipy.sparse.tril(matrix, -1).T
    return scipy.sparse.coo_array(matrix)


def entries(matrix):
    """Entries in order, explicit zeros included."""
    matrix = scipy.sparse.coo_array(matrix)
    order = np.lexsort((matrix.col, matrix.row))
    return matrix.row[order], matrix.col[order], matrix.data[order]


def assert_same(a, b, values=True):
    assert a.shape == b.shape
    for left, right, compare in zip(entries(a), entries(b), (True, True, values)):
        if compare:
            assert np.array_equal(left, right)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["real", "integer", "pattern"])
@pytest.mark.parametrize("symmetric", [False, True])
def test_scipy_writes_matrix_market(tmp_path, seed, kind, symmetric):
    matrix = random_matrix(seed, kind, symmetric)
    path = tmp_path / "m.mtx"
    scipy.io.mmwrite(path, matrix, field=kind, precision=17 if kind == "real" else None,
                     symmetry="symmetric" if symmetric else "general")
    assert_same(load(path, tmp_path), matrix, kind != "pattern")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["real", "integer", "pattern"])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("suffix", [".mtx", ".mtx.gz"])
def test_scipy_reads_matrix_market(tmp_path, seed, kind, symmetric, suffix):
    matrix = random_matrix(seed, kind, symmetric)
    given = tmp_path / "given.mtx"
    scipy.io.mmwrite(given, matrix, field=kind, precision=17 if kind == "real" else None,
                     symmetry="symmetric" if symmetric else "general")
    path = convert(given, tmp_path / ("ours" + suffix))
    back = scipy.io.mmread(path)
    assert_same(back, matrix, kind != "pattern")
    # mminfo names the widest type, so only the kind of matrix is compared.
    assert scipy.io.mminfo(path)[5] == ("symmetric" if symmetric else "general")


def generate(tmp_path, family, *options):
    path = tmp_path / "generated.npz"
    subprocess.run([HOPLITE, "generate", family, "-o", str(path), *options], check=True,
                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=400)
    return path


def upper_edges(matrix):
    i, j, w = entries(matrix)
    keep = i <= j
    return sorted(zip(i[keep].tolist(), j[keep].tolist(), w[keep].tolist()))


@pytest.mark.parametrize("weights", [False, True])
def test_networkit_reads_metis(tmp_path, weights):
    networkit = pytest.importorskip("networkit")
    options = ["--weights", "int32"] if weights else []
    source = generate(tmp_path, "rmat", "--scale", "8", "--edge-factor", "4", *options)
    simple = convert(convert(source, tmp_path / "edges.txt"), tmp_path / "simple.npz",
                     "--drop-loops")
    path = convert(simple, tmp_path / "g.graph")
    graph = networkit.readGraph(str(path), networkit.Format.METIS)
    matrix = scipy.sparse.load_npz(simple)
    assert graph.numberOfNodes() == matrix.shape[0]
    found = sorted((min(u, v), max(u, v), int(graph.weight(u, v)) if weights else 1)
                   for u, v in graph.iterEdges())
    assert found == [(u, v, int(w)) for u, v, w in upper_edges(matrix)]


def test_networkit_writes_metis(tmp_path):
    networkit = pytest.importorskip("networkit")
    networkit.setSeed(5, False)
    graph = networkit.generators.ErdosRenyiGenerator(80, 0.05).generate()
    path = tmp_path / "g.graph"
    networkit.writeGraph(graph, str(path), networkit.Format.METIS)
    edges = sorted((min(u, v), max(u, v), 1) for u, v in graph.iterEdges())
    matrix = load(path, tmp_path)
    assert matrix.shape[0] == 80
    assert upper_edges(matrix) == edges


def without_comments(path):
    """igraph's reader of edge lists knows no comments."""
    plain = path.with_suffix(".plain")
    plain.write_text("".join(line for line in path.open() if not line.startswith("#")))
    return plain


@pytest.mark.parametrize("directed", [False, True])
def test_igraph_reads_edge_lists(tmp_path, directed):
    igraph = pytest.importorskip("igraph")
    source = generate(tmp_path, "rmat", "--scale", "8", "--edge-factor", "4")
    direction = ["--directed"] if directed else []
    path = convert(convert(source, tmp_path / "a.txt"), tmp_path / "g.txt", *direction)
    graph = igraph.Graph.Read_Edgelist(str(without_comments(path)), directed=directed)
    matrix = load(path, tmp_path)
    i, j, _ = entries(matrix)
    arcs = set(zip(i.tolist(), j.tolist()))
    found = {(e.source, e.target) for e in graph.es}
    if not directed:
        found |= {(v, u) for u, v in found}
    assert found == arcs


@pytest.mark.parametrize("directed", [False, True])
def test_igraph_writes_edge_lists(tmp_path, directed):
    igraph = pytest.importorskip("igraph")
    rng = np.random.default_rng(3)
    edges = rng.integers(0, 50, (120, 2)).tolist() + [[0, 49]]
    graph = igraph.Graph(n=50, edges=edges, directed=directed)
    path = tmp_path / "g.txt"
    graph.write_edgelist(str(path))
    # No header: vertices are the ids that occur; compare through the labels.
    out = convert(path, tmp_path / "g.npz", *(["--directed"] if directed else []))
    matrix = scipy.sparse.load_npz(out)
    with np.load(out) as members:
        labels = members["labels"] if "labels" in members.files else np.arange(matrix.shape[0])
    i, j, _ = entries(matrix)
    found = set(zip(labels[i].tolist(), labels[j].tolist()))
    expected = {tuple(e) for e in edges}
    if not directed:
        expected |= {(v, u) for u, v in expected}
    assert found == expected
    assert labels.tolist() == sorted({v for e in edges for v in e})


@pytest.mark.parametrize("weights", ["int32", "int64", "float32", "float64"])
def test_networkx_reads_weighted_edge_lists(tmp_path, weights):
    networkx = pytest.importorskip("networkx")
    source = generate(tmp_path, "rmat", "--scale", "7", "--edge-factor", "4", "--weights", weights)
    path = convert(source, tmp_path / "g.txt")
    kind = int if weights.startswith("int") else float
    graph = networkx.read_weighted_edgelist(path, nodetype=int, delimiter="\t")
    matrix = scipy.sparse.load_npz(source)
    found = sorted((min(u, v), max(u, v), kind(d["weight"])) for u, v, d in graph.edges(data=True))
    as_type = np.dtype(weights).type
    assert [(u, v, as_type(w)) for u, v, w in found] == \
        [(u, v, as_type(w)) for u, v, w in upper_edges(matrix)]


def test_pandas_reads_edge_lists(tmp_path):
    pandas = pytest.importorskip("pandas")
    source = generate(tmp_path, "rmat", "--scale", "8", "--weights", "float64")
    path = convert(source, tmp_path / "g.txt.gz")
    table = pandas.read_csv(path, sep="\t", comment="#", header=None)
    rows = sorted(zip(table[0].tolist(), table[1].tolist(), table[2].tolist()))
    assert rows == upper_edges(scipy.sparse.load_npz(source))
