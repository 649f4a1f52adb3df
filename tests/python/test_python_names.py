# SPDX-License-Identifier: Apache-2.0
"""Vertices are named as the graph names them, in every call; positions only where index=True."""

import inspect
import pickle

import numpy as np
import pytest

import hoplite

N = 30


def edges():
    """A weighted path with chords, and two vertices that hang together apart from it."""
    ends = [(v, v + 1) for v in range(N - 3)] + [(0, 9), (4, 20), (N - 2, N - 1)]
    return np.array(ends), np.array([(3 * u + v) % 7 + 1 for u, v in ends])


# How vertex v is called.
KINDS = {"plain": np.arange(N), "from 1": np.arange(N) + 1, "from 2**40": np.arange(N) + 2**40,
         "labels": np.arange(N)**2 + 5, "large labels": 2**63 + 3 * np.arange(N, dtype=np.uint64)}


def made(kind, directed=False):
    ids = np.asarray(KINDS[kind], np.uint64)
    ends, weights = edges()
    if kind.startswith("from"):
        return hoplite.Graph.from_edges(ids[ends], weights=weights, first_id=int(ids[0]),
                                        directed=directed)
    return hoplite.Graph.from_edges(ids[ends], weights=weights, directed=directed,
                                    ids="dense" if kind == "plain" else "sparse")


@pytest.fixture(params=KINDS)
def named(request):
    """A graph, the same one whose ids are 0 .. n-1, and what each vertex is called."""
    return made(request.param), made("plain"), np.asarray(KINDS[request.param], np.uint64)


# Calls with vertices; `call(graph, v, **index)` gives vertices. v(3, 5) are the names of 3 and 5.
CALLS = {
    "bfs, path": lambda g, v, **i: hoplite.bfs(g, v(3), **i).path(v(17), **i),
    "bfs, a NumPy integer": lambda g, v, **i: hoplite.bfs(g, np.uint64(v(3)), **i).path(
        np.uint64(v(17)), **i),
    "bfs, sources": lambda g, v, **i: hoplite.bfs(g, v(3, 20), **i).sources,
    "bfs, targets": lambda g, v, **i: hoplite.bfs(g, v(3), targets=v(5, 2), **i).targets,
    "sssp, path": lambda g, v, **i: hoplite.sssp(g, v(0, 28), targets=v(17), **i).path(v(17), **i),
    "sssp, sources": lambda g, v, **i: hoplite.sssp(g, v(3), **i).sources,
    "apsp, path": lambda g, v, **i: hoplite.apsp(g).path(v(3), v(17), **i),
    "apsp, rows": lambda g, v, **i: hoplite.apsp(g, sources=v(7, 3), **i).sources,
    "apsp, path of a row": lambda g, v, **i: hoplite.apsp(g, sources=v(7, 3), **i).path(
        v(3), v(0), **i),
    "summary": lambda g, v, **i: [*(s := hoplite.apsp_summary(g, sources=v(0, 9), **i)).farthest,
                                  s.center],
    "neighbors": lambda g, v, **i: g.neighbors(v(4), **i),
}


@pytest.mark.parametrize("call", CALLS)
def test_names_in_names_out(call, named):
    graph, plain, ids = named
    expected = np.asarray(CALLS[call](plain, lambda *v: v[0] if len(v) == 1 else list(v)))
    found = np.asarray(CALLS[call](graph, lambda *v: ids[v[0]] if len(v) == 1 else ids[list(v)]))
    assert expected.size and np.array_equal(found, ids[expected])
    positions = np.asarray(CALLS[call](graph, lambda *v: v[0] if len(v) == 1 else list(v),
                                       index=True))
    assert np.array_equal(positions, expected)


def test_every_call_with_vertices_has_index():
    """A new one is noticed here."""
    named_calls = [hoplite.bfs, hoplite.sssp, hoplite.apsp, hoplite.apsp_rows,
                   hoplite.apsp_summary, hoplite.explain, hoplite.Graph.subgraph,
                   hoplite.Graph.neighbors, hoplite.Graph.degree, hoplite.BfsResult.path,
                   hoplite.ApspResult.path]
    words = {"source", "sources", "target", "targets", "vertex"}
    found = [call for owner in (hoplite, hoplite.Graph, hoplite.BfsResult, hoplite.SsspResult,
                                hoplite.ApspResult, hoplite.ComponentsResult)
             for _, call in inspect.getmembers(owner, inspect.isfunction)
             if words & set(inspect.signature(call).parameters)
             and call is not hoplite.convert]  # from a file to a file
    for call in found + named_calls:
        assert inspect.signature(call).parameters["index"].default is False, call


def test_arrays_are_by_position(named):
    graph, plain, ids = named
    for call in (hoplite.bfs, hoplite.sssp):
        found, same = call(graph, ids[3], certify=True), call(plain, 3)
        assert np.array_equal(found.parents, same.parents)
        found.certify()
        reached = found.reached
        assert np.array_equal(graph.names(found.parents)[reached], ids[same.parents[reached]])
        assert np.all(graph.names(found.parents)[~reached] == graph.names(found.parents).max())
    assert np.array_equal(hoplite.components(graph).labels, hoplite.components(plain).labels)
    assert np.array_equal(graph.targets, plain.targets)
    assert np.array_equal(hoplite.apsp(graph).distances, hoplite.apsp(plain).distances)
    assert np.array_equal(graph.edge_list()[0], plain.edge_list()[0])


def test_find_and_names(named):
    graph, _, ids = named
    assert np.array_equal(graph.names(), ids) and np.array_equal(graph.find(ids), np.arange(N))
    assert [graph.find(int(i)) for i in ids] == list(range(N))
    assert np.array_equal(graph.names([[3, 1], [2, 0]]), ids[[[3, 1], [2, 0]]])
    assert graph.names([]).size == 0 and graph.find([]).size == 0
    for wrong in (int(ids[-1]) + 1, [int(ids[0]), int(ids[-1]) + 1]):
        with pytest.raises(KeyError, match=str(int(ids[-1]) + 1)):
            graph.find(wrong)
    with pytest.raises(ValueError, match="positions"):
        graph.names([N])
    with pytest.raises(TypeError, match="integers"):
        graph.names([0.5])


def test_facts_and_parts(named):
    graph, plain, ids = named
    assert graph.info().max_degree_vertex == ids[plain.info().max_degree_vertex]
    busiest = graph.info().max_degree_vertex
    assert graph.degree(busiest) == graph.info().max_degree == len(graph.neighbors(busiest))
    assert graph.degree(4, index=True) == plain.degree(4)
    part = graph.subgraph(ids[[2, 3, 4, 20]])
    assert np.array_equal(part.names(), ids[[2, 3, 4, 20]])
    assert np.array_equal(graph.subgraph([2, 3, 4, 20], index=True).names(), part.names())
    assert np.array_equal(part.neighbors(ids[4]), ids[[3, 20]])
    assert np.array_equal(hoplite.components(graph).largest().names(), ids[:N - 2])
    again = pickle.loads(pickle.dumps(graph))
    assert np.array_equal(again.names(), ids) and again.hash() == graph.hash()
    for other in (graph.reverse(), graph.symmetrize()):
        assert np.array_equal(other.names(), ids)


def test_ids_that_are_none(named):
    graph, _, ids = named
    last = int(ids[-1])
    for wrong in (last + 1, [int(ids[0]), last + 1]):
        for call in (lambda v: hoplite.bfs(graph, v), lambda v: hoplite.sssp(graph, v),
                     lambda v: hoplite.bfs(graph, ids[0], targets=v), graph.subgraph,
                     lambda v: hoplite.apsp(graph, sources=v)):
            with pytest.raises(ValueError, match=str(last + 1)):
                call(wrong)
    tree = hoplite.bfs(graph, ids[0])
    for call in (tree.path, graph.neighbors, graph.degree):
        with pytest.raises(ValueError, match=str(last)):
            call(last + 1)
    for wrong in (-1, 1.5, "3", None):
        with pytest.raises((ValueError, TypeError)):
            hoplite.bfs(graph, wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_cycles_and_messages_are_by_name(kind):
    graph, ids = made(kind, directed=True), KINDS[kind]
    ends, weights = edges()
    debts = hoplite.Graph.from_edges(np.asarray(ids, np.uint64)[[[3, 5], [5, 3]]],
                                     weights=[-2, 1], directed=True, ids="sparse")
    with pytest.raises(hoplite.NegativeCycleError, match=f"{ids[3]}, {ids[5]}, {ids[3]}") as caught:
        hoplite.sssp(debts, int(ids[3]))
    assert np.array_equal(caught.value.cycle, np.asarray(ids, np.uint64)[[3, 5]])
    with pytest.raises(hoplite.NegativeCycleError) as caught:
        hoplite.sssp(debts, 0, index=True)
    assert caught.value.cycle.tolist() == [0, 1]
    found = hoplite.sssp(graph, int(ids[0]))
    found.distances[17] += 1
    with pytest.raises(hoplite.CertificateError, match=f"vertex {ids[17]} is"):
        found.certify()


@pytest.mark.parametrize("name", ["g.gr", "g.mtx", "g.npz", "g.txt"])
def test_files_that_count_from_1(name, tmp_path):
    graph = made("from 1")
    graph.write(tmp_path / name)
    again = hoplite.Graph.read(tmp_path / name)
    assert again.first_id == again.info().first_id == 1 and again.hash() == graph.hash()
    assert hoplite.sssp(again, 1).path(3).tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="0 is not a vertex of the graph; ids go from 1 to 30"):
        hoplite.sssp(again, 0)


def test_arrays_of_any_kind_are_taken():
    graph = made("labels")
    five, fourteen = 5, 14
    for few in ([five, fourteen], np.array([five, fourteen], np.int32), (five, fourteen),
                np.array([five, 0, fourteen], np.int64)[::2], np.array([five, fourteen], "u1")):
        assert hoplite.bfs(graph, few).sources.tolist() == [five, fourteen]
    assert hoplite.bfs(graph, []).sources.size == 0


def test_graphs_from_rows():
    rows = hoplite.Graph.from_csr([0, 1, 2, 2], [1, 2], first_id=7)
    assert rows.labels.tolist() == [7, 8, 9] and rows.neighbors(7).tolist() == [8]
    with pytest.raises(hoplite.ArgumentError, match="both labels and a first id"):
        hoplite.Graph.from_csr([0, 1, 2, 2], [1, 2], first_id=7, labels=[7, 9, 11])
    with pytest.raises(hoplite.InputError, match="less than 1"):
        hoplite.Graph.from_edges([(0, 1)], first_id=1)
