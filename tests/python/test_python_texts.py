# SPDX-License-Identifier: Apache-2.0
"""Vertices with names of text: strings in, strings out, in every call that takes or gives ids."""

import copy
import csv
import pickle
import random

import numpy as np
import pyarrow
import pytest

import hoplite
from test_python_names import CALLS, N, edges

ODD = ["Zürich", "a b", 'say "x"', "née", "Ω", "comma,", "line\nbreak", "\udc80\udcff", "0", "-1",
       "1", "01", "🐟", "\uffff", "A" * 300]
NAMES = np.array(sorted(ODD + [f"v{v:02}" for v in range(N - len(ODD))],
                        key=lambda name: name.encode("utf-8", "surrogateescape")), object)


def made(directed=False):
    """The graph of test_python_names, and the same with names."""
    ends, weights = edges()
    return (hoplite.Graph.from_edges(NAMES[ends], weights=weights, directed=directed),
            hoplite.Graph.from_edges(ends, weights=weights, directed=directed))


@pytest.mark.parametrize("call", [name for name in CALLS if "NumPy" not in name])
def test_names_in_names_out(call):
    graph, plain = made()
    expected = np.asarray(CALLS[call](plain, lambda *v: v[0] if len(v) == 1 else list(v)))
    found = CALLS[call](graph, lambda *v: NAMES[v[0]] if len(v) == 1 else NAMES[list(v)])
    assert expected.size and list(found) == NAMES[expected].tolist()
    assert np.array_equal(CALLS[call](graph, lambda *v: v[0] if len(v) == 1 else list(v),
                                      index=True), expected)


def test_find_names_and_facts():
    graph, plain = made()
    assert graph.labels.tolist() == graph.names().tolist() == NAMES.tolist()
    assert np.array_equal(graph.find(NAMES), np.arange(N))
    assert [graph.find(name) for name in NAMES] == list(range(N))
    assert graph.find(NAMES[3].encode()) == 3 and graph.find([]).size == 0
    assert graph.names([[3, 1], [2, 2**32 - 1]]).tolist() == [
        [NAMES[3], NAMES[1]], [NAMES[2], None]]
    assert graph.info().named and not graph.info().labelled and not plain.info().named
    assert graph.info().max_degree_vertex == NAMES[plain.info().max_degree_vertex]
    part = graph.subgraph(NAMES[[2, 3, 4, 20]])
    assert part.names().tolist() == NAMES[[2, 3, 4, 20]].tolist()
    assert part.neighbors(NAMES[4]).tolist() == NAMES[[3, 20]].tolist()
    for other in (graph.reverse(), graph.symmetrize()):
        assert other.names().tolist() == NAMES.tolist()


def test_equal_graphs_have_equal_names():
    graph, plain = made()
    for again in (pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph)):
        assert again == graph and again.names().tolist() == NAMES.tolist()
        assert again.hash() == graph.hash()
    ends, weights = edges()
    other = NAMES.copy()
    other[5] += "x"
    assert graph != hoplite.Graph.from_edges(other[ends], weights=weights)
    assert graph != plain and plain != graph
    tree = pickle.loads(pickle.dumps(hoplite.sssp(graph, NAMES[3])))
    assert tree.path(NAMES[17]).tolist() == hoplite.sssp(graph, NAMES[3]).path(NAMES[17]).tolist()
    tree.certify()


def test_arrays_of_any_kind_are_taken():
    pairs = [("alice", "bob"), ("bob", "zoë"), ("dan", "dan")]
    wanted = hoplite.Graph.from_edges(pairs)
    assert wanted.labels.tolist() == ["alice", "bob", "dan", "zoë"]
    first, second = zip(*pairs)
    table = {"from": first, "to": second}
    views = [pyarrow.array(side, pyarrow.string_view()) for side in (first, second)]
    for graph in (
            hoplite.Graph.from_edges(first, second),
            hoplite.Graph.from_edges(np.array(pairs)),
            hoplite.Graph.from_edges(np.char.encode(np.array(pairs), "utf-8")),
            hoplite.Graph.from_edges(np.array(first, object), list(second)),
            hoplite.Graph.from_edges(pyarrow.array(first), pyarrow.array(second)),
            hoplite.Graph.from_edges(pyarrow.array(("x",) + first)[1:], pyarrow.array(second)),
            hoplite.Graph.from_edges(*(pyarrow.array(side).dictionary_encode()
                                       for side in (first, second))),
            hoplite.Graph.from_edges(*(pyarrow.chunked_array([side[:1], side[1:]])
                                       for side in (first, second))),
            hoplite.Graph.from_edges(*views),
            hoplite.Graph.from_arrow(pyarrow.table(table)),
            hoplite.Graph.from_arrow(pyarrow.table(table), "from", "to"),
            hoplite.Graph.from_arrow(pyarrow.table({"a": views[0], "b": views[1]})),
            hoplite.Graph.from_arrow(pyarrow.concat_tables(
                [pyarrow.table(table).slice(0, 1), pyarrow.table(table).slice(1)]))):
        assert graph == wanted
    assert hoplite.Graph.from_edges([("b", "a")], labels=["a", "b", "c"]).vertices == 3
    rows = hoplite.Graph.from_csr([0, 1, 2, 2], [1, 2], labels=["x", "y", "z"])
    assert rows.neighbors("x").tolist() == ["y"]


@pytest.mark.parametrize("wrong, kind, said", [
    (lambda g: hoplite.bfs(g, "nobody"), ValueError, "'nobody' is not a vertex of the graph"),
    (lambda g: hoplite.bfs(g, ["v01", "nobody"]), ValueError, "nobody"),
    (lambda g: hoplite.bfs(g, 3), TypeError, "names of text; 3 is not one"),
    (lambda g: hoplite.bfs(g, [3, 4]), TypeError, "names of text; 3 is not one"),
    (lambda g: g.degree(None), TypeError, "None"),
    (lambda g: g.find("nobody"), KeyError, "nobody"),
    (lambda g: g.find(["v01", "nobody"]), KeyError, "nobody"),
    (lambda g: hoplite.Graph.from_edges([("a", 1)]), TypeError, "entry 1 is 1"),
    (lambda g: hoplite.Graph.from_edges(["a", None], ["b", "c"]), TypeError, "entry 1 is None"),
    (lambda g: hoplite.Graph.from_edges(["a"], [1]), TypeError, "both hold texts"),
    (lambda g: hoplite.Graph.from_edges(["a"], ["b", "c"]), ValueError, "1 sources and 2"),
    (lambda g: hoplite.Graph.from_edges(["abc", "bcd", "cde"]), ValueError, "pairs"),
    (lambda g: hoplite.Graph.from_edges([("a", "b", "3")]), ValueError, "weights="),
    (lambda g: hoplite.Graph.from_edges([("a", "b")], vertices=9), ValueError, "labels="),
    (lambda g: hoplite.Graph.from_edges([("a", "b")], first_id=1), ValueError, "for numbers"),
    (lambda g: hoplite.Graph.from_edges([("a", "b")], labels=["a"]), ValueError, "'b' is an end"),
    (lambda g: hoplite.Graph.from_edges([("a", "b")], labels=["b", "a"]), hoplite.InputError,
     "order of their bytes"),
    (lambda g: hoplite.Graph.from_edges([("a", "")]), hoplite.InputError, "empty"),
    (lambda g: hoplite.Graph.from_edges([("a", "b")], labels=[1, 2]), TypeError, "labels"),
    (lambda g: hoplite.Graph.from_csr([0, 0], [], labels=["x", "y"]), ValueError, "2 labels"),
    (lambda g: hoplite.Graph.from_csr([0, 0, 0], [], labels=["y", "x"]), hoplite.InputError,
     "order of their bytes"),
    (lambda g: hoplite.Graph.from_edges(pyarrow.array(["a", None]), pyarrow.array(["b", "c"])),
     ValueError, "nulls"),
])
def test_mistakes_are_told(wrong, kind, said):
    with pytest.raises(kind, match=said):
        wrong(made()[0])


def test_tables(tmp_path):
    """A table of Python's csv module against the same edges as arrays."""
    draw = random.Random(5)
    names = [name for name in NAMES if not any("\udc80" <= each <= "\udcff" for each in name)]
    rows = [(draw.choice(names), draw.choice(names), draw.randrange(100)) for _ in range(200)]
    path = tmp_path / "people.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["cost", "who", "whom", "note"])
        writer.writerows([cost, who, whom, "x;y"] for who, whom, cost in rows)
    found = hoplite.Graph.read(path, columns="who,whom,cost", delimiter=";", header=True,
                               names=True)
    assert found == hoplite.Graph.from_edges([row[:2] for row in rows],
                                             weights=np.array([row[2] for row in rows], np.int32))
    found.write(tmp_path / "people.npz")
    again = hoplite.Graph.read(tmp_path / "people.npz")
    assert again == found and again.names().tolist() == found.names().tolist()
    with pytest.raises(ValueError, match="one character"):
        hoplite.Graph.read(path, delimiter="::")
    with pytest.raises(ValueError, match="one character"):
        hoplite.Graph.read(path, delimiter="→")


def test_cycles_and_messages_have_names():
    debts = hoplite.Graph.from_edges([("anna", "ben"), ("ben", "anna")], weights=[-2, 1],
                                     directed=True)
    with pytest.raises(hoplite.NegativeCycleError, match='"anna", "ben", "anna"') as caught:
        hoplite.sssp(debts, "anna")
    assert caught.value.cycle.tolist() == ["anna", "ben"]
    found = hoplite.sssp(made()[0], NAMES[0])
    found.distances[17] += 1
    with pytest.raises(hoplite.CertificateError, match=f'vertex "{NAMES[17]}" is'):
        found.certify()


def test_polars():
    """Columns of polars, where it is installed: texts, categories, numbers, several chunks."""
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": ["alice", "bob"], "b": ["bob", "carol"], "i": [1, 2],
                              "j": [2, 3], "w": [1.5, 2.5]})
    both = polars.concat([frame[:1], frame[1:]], rechunk=False)
    want = hoplite.Graph.from_edges([("alice", "bob"), ("bob", "carol")], weights=[1.5, 2.5])
    kinds = polars.Categorical
    for made in (hoplite.Graph.from_edges(frame["a"], frame["b"], weights=frame["w"]),
                 hoplite.Graph.from_edges(frame.select("a", "b"), weights=frame["w"]),
                 hoplite.Graph.from_edges(frame["a"].cast(kinds), frame["b"].cast(kinds),
                                          weights=frame["w"]),
                 hoplite.Graph.from_edges(both["a"], both["b"], weights=both["w"])):
        assert made == want
    numbers = hoplite.Graph.from_edges(frame["i"], frame["j"])
    assert numbers == hoplite.Graph.from_edges([(1, 2), (2, 3)])
    with pytest.raises(TypeError, match="entry 1 is None"):
        hoplite.Graph.from_edges(polars.Series(["a", None]), polars.Series(["b", "c"]))
