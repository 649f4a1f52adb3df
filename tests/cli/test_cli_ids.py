# SPDX-License-Identifier: Apache-2.0
"""Files that count vertices from 1: every verb takes and gives the ids of the file.

The same graph stands in an edge list whose ids begin at 0. What the command says about the one is
what it says about the other, with 1 added to each vertex."""

import json
import re

import networkx as nx
import numpy as np
import pytest
from cli_testing import BAD_INPUT, FAILURE, USAGE, refuse, run, run_json

N = 40
REJECTED = 3
FORMATS = {"graph.gr": 1, "graph.mtx": 1, "graph.graph": 1, "graph.npz": 1, "ones.txt": 1,
           "zeros.txt": 0}


def weighted():
    made = nx.gnm_random_graph(N - 4, 60, seed=11)
    made.add_nodes_from(range(N))  # the last ones have no edge
    for u, v, edge in made.edges(data=True):
        edge["weight"] = (u * 7 + v * 5) % 9 + 1
    return made


def write_forms(folder, made):
    edges = [(u, v, edge["weight"]) for u, v, edge in made.edges(data=True)]
    both = edges + [(v, u, w) for u, v, w in edges]
    (folder / "zeros.txt").write_text(f"# Nodes: {N} Edges: {len(edges)}\n" + "".join(
        f"{u} {v} {w}\n" for u, v, w in edges))
    isolated = " ".join(str(v + 1) for v in nx.isolates(made))
    (folder / "ones.txt").write_text(f"# Isolated: {isolated}\n" + "".join(
        f"{u + 1} {v + 1} {w}\n" for u, v, w in edges))
    (folder / "graph.gr").write_text(f"c hoplite undirected\np sp {N} {len(both)}\n" + "".join(
        f"a {u + 1} {v + 1} {w}\n" for u, v, w in both))
    (folder / "graph.mtx").write_text(
        f"%%MatrixMarket matrix coordinate integer symmetric\n{N} {N} {len(edges)}\n" + "".join(
            f"{max(u, v) + 1} {min(u, v) + 1} {w}\n" for u, v, w in edges))
    rows = [" ".join(f"{v + 1} {made[u][v]['weight']}" for v in made[u]) for u in range(N)]
    (folder / "graph.graph").write_text(f"{N} {len(edges)} 1\n" + "\n".join(rows) + "\n")
    run("convert", folder / "graph.gr", folder / "graph.npz", "-q")


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    folder = tmp_path_factory.mktemp("forms")
    write_forms(folder, weighted())
    return folder


@pytest.fixture(params=[name for name in FORMATS if FORMATS[name] == 1])
def one(request, forms):
    """A file that counts from 1; the fixture `zero` is the same graph from 0."""
    return forms / request.param


@pytest.fixture
def zero(forms):
    return forms / "zeros.txt"


def rows(text, columns):
    """The rows of a table; `columns` are those that name vertices, from which 1 is taken."""
    return [[float(x) - (c in columns and x != "-1") for c, x in enumerate(line.split("\t"))]
            for line in text.splitlines() if not line.startswith("#")]


# Words of a command, in which {5} is vertex 5 of the graph, and the columns that name vertices.
TABLES = {
    "sssp": (["sssp", "G", "--source", "{3}", "-o", "-", "--certify"], {0, 2}),
    "sssp to targets": (["sssp", "G", "--source", "{3}", "--targets", "F", "-o", "-"], {0, 2}),
    "bfs": (["bfs", "G", "--source", "{3}", "--source", "{0}", "-o", "-", "--certify"], {0, 2}),
    "bfs from a file": (["bfs", "G", "--sources", "F", "-o", "-"], {0, 2}),
    "components": (["components", "G", "-o", "-", "--certify"], {0, 1}),
    "sizes": (["components", "G", "--sizes", "-"], {1}),
    "ids": (["bfs", "G", "--ids", "-"], {0}),
    "path": (["path", "G", "{0}", "{7}"], {0}),
    "path by levels": (["path", "G", "{0}", "{7}", "--drop-weights"], {0}),
    "path from 0 on": (["path", "G", "{7}", "{0}"], {0}),
    "cutoff": (["sssp", "G", "--source", "{3}", "--cutoff", "6", "-o", "-"], {0, 2}),
}


def spoken(words, path, first, tmp_path):
    """The words for a file whose ids begin at `first`."""
    (tmp_path / "few.txt").write_text("".join(f"{first + v}\n" for v in (5, 1, 17)))
    named = {"G": path, "F": tmp_path / "few.txt"}
    return [named.get(w, re.sub(r"\{(\d+)\}", lambda m: str(int(m[1]) + first), str(w)))
            for w in words]


@pytest.mark.parametrize("name", TABLES)
def test_tables_name_vertices_as_the_file_does(name, one, zero, tmp_path):
    words, columns = TABLES[name]
    expected, _ = run(*spoken(words, zero, 0, tmp_path))
    found, _ = run(*spoken(words, one, 1, tmp_path))
    assert rows(found, columns) == rows(expected, set()), (name, one)
    assert found != expected


# The same for facts in JSON: the fields that name vertices.
FACTS = {
    "info": (["info", "G", "--diameter"],
             ["graph.max_degree_vertex", "graph.least_label", "graph.greatest_label"]),
    "components": (["components", "G"], ["largest.*.vertex"]),
    "bfs": (["bfs", "G"], ["sources.*"]),
    "sssp": (["sssp", "G", "--source", "{3}"], ["sources.*", "farthest"]),
    "sssp to a target": (["sssp", "G", "--source", "{3}", "--target", "{7}"],
                         ["sources.*", "targets.*.vertex"]),
    "path": (["path", "G", "{0}", "{7}"], ["from", "to", "path.*"]),
    "apsp": (["apsp", "G", "--rows", "{2},{5}"], ["diameter_from", "diameter_to", "center"]),
    "convert": (["convert", "G", "NEW", "--vertices", "F"],
                ["graph.max_degree_vertex", "graph.least_label", "graph.greatest_label"]),
}


def picked(document, field):
    """What stands at a place such as "largest.*.vertex"."""
    found = [document]
    for step in field.split("."):
        found = [x for each in found for x in (each if step == "*" else [each[step]])]
    return found


@pytest.mark.parametrize("name", FACTS)
def test_facts_name_vertices_as_the_file_does(name, one, zero, tmp_path):
    words, fields = FACTS[name]
    answers = []
    for path, first in ((zero, 0), (one, 1)):
        spelled = [tmp_path / f"new{first}.txt" if w == "NEW" else w
                   for w in spoken(words, path, first, tmp_path)]
        answers.append(run_json(*spelled))
    for field in fields:
        expected, found = (picked(answer, field) for answer in answers)
        assert expected and found == [v + 1 for v in expected], (name, field)


def test_info_says_the_ids(one, zero):
    for path, text in ((one, f"1 to {N}"), (zero, f"0 to {N - 1}")):
        out, _ = run("info", path)
        assert re.search(r"^ids +" + text + "$", out, re.M)


def test_the_result_is_certified_by_ids(one, tmp_path):
    for problem in ("bfs", "sssp", "components"):
        words = [] if problem == "components" else ["--source", "1"]
        result = tmp_path / f"{problem}.txt"
        run(problem, one, *words, "-o", result, "-q")
        run("certify", problem, one, result, *words)
        lines = result.read_text().splitlines()
        # The parent or the component of the last vertex with an edge becomes the vertex itself.
        row = max(i for i, line in enumerate(lines[1:], 1)
                  if line.split("\t")[-1] not in ("-1", line.split("\t")[0]))
        cells = lines[row].split("\t")
        lines[row] = "\t".join(cells[:-1] + cells[:1])
        result.write_text("\n".join(lines) + "\n")
        _, err = run("certify", problem, one, result, *words, code=REJECTED)
        assert f"vertex {cells[0]} " in err or f"between {cells[0]} and" in err, err
        assert "numbered from 0" not in err


def test_arrays_are_by_position(one, zero, tmp_path):
    """Row i is vertex i, parents too: the arrays of both files are the same bytes."""
    files = []
    for path, first in ((zero, 0), (one, 1)):
        out = [tmp_path / f"{name}{first}.npy" for name in ("d", "p", "i")]
        _, err = run("sssp", path, "--source", 3 + first, "-o", out[0], "--parents", out[1])
        assert ("row i of it, from 0 on, is vertex i + 1" in err) == bool(first)
        run("sssp", path, "--source", 3 + first, "--ids", out[2], "-q")
        run("certify", "sssp", path, out[0], "--parents", out[1], "--source", 3 + first)
        files.append([np.load(each) for each in out])
    for a, b in zip(files[0][:2], files[1][:2]):
        assert np.array_equal(a, b)
    assert files[1][2].tolist() == list(range(1, N + 1))


def test_missing_vertices_are_answered_by_the_range(one):
    for words in (["bfs", one, "--source", "0"], ["path", one, "1", N + 1],
                  ["sssp", one, "--target", "0"], ["apsp", one, "--rows", "0"]):
        refuse(*words, says=["the graph has no vertex", f"the graph goes from 1 to {N}"])


def arcs(path):
    """The edges of a file as the command prints them, by their ids."""
    out, _ = run("convert", path, "-", "--to", "edge-list", "-q")
    return sorted(line for line in out.splitlines() if not line.startswith("#"))


def test_conversions_keep_ids(one, forms, tmp_path):
    """Through every format that can hold the graph, one after the other, and back."""
    before, last = arcs(one), one
    for name in ("a.npz", "b.mtx", "c.gr", "d.txt", "e.graph", "f.v", "g.npz", "h.gr"):
        _, err = run("convert", last, tmp_path / name)
        assert "counts vertices from" not in err
        last = tmp_path / name
        assert arcs(last) == before, name
        assert run_json("info", last)["graph"]["least_label"] == 1
    assert run_json("info", one, "--hash")["hash"] == run_json("info", last, "--hash")["hash"]


@pytest.mark.parametrize("name", ["x.gr", "x.mtx", "x.graph"])
def test_ids_from_0_move_and_that_is_said(name, zero, tmp_path):
    _, err = run("convert", zero, tmp_path / name)
    assert "counts vertices from 1: vertex 0 is 1 in" in err
    assert arcs(tmp_path / name) == arcs(zero.parent / "ones.txt")
    run("convert", zero, tmp_path / name, "-q")
    _, err = run("convert", zero, tmp_path / name, "--drop-labels")
    assert "counts" not in err  # who drops labels has been told


@pytest.mark.parametrize("name, words", [
    ("x.sg", ["--drop-weights"]), ("x.gr", ["--to", "galois", "--directed"]),
    ("x.g500", ["--drop-weights"])])
def test_ids_from_1_move_where_0_is_the_custom(name, words, one, tmp_path):
    _, err = run("convert", one, tmp_path / name, *words)
    assert "counts vertices from 0: vertex 1 is 0 in" in err
    back = run_json("info", tmp_path / name)["graph"]
    assert back["least_label"] == 0 and back["vertices"] in (N, N - 4)


@pytest.mark.parametrize("words", [
    ["--undirected"], ["--drop-loops"], ["--undirected", "--in-memory"], ["--directed"],
    ["--drop-weights"], ["--undirected", "--duplicates", "sum"]])
def test_options_of_reading_keep_ids(words, tmp_path):
    """A native file whose arcs are built anew, because an option asks for something else."""
    (tmp_path / "g.gr").write_text("p sp 3 4\na 1 2 5\na 2 1 6\na 2 3 7\na 3 3 1\n")
    run("convert", tmp_path / "g.gr", tmp_path / "g.npz", "-q")
    for name in ("g.gr", "g.npz"):
        graph = run_json("info", tmp_path / name, *words)["graph"]
        assert graph["least_label"] == 1 and graph["greatest_label"] == 3, (name, words)


def test_parts_have_the_ids_of_the_whole(one, tmp_path):
    run("components", one, "--largest", tmp_path / "largest.txt", "-q")
    made = nx.relabel_nodes(weighted(), {v: v + 1 for v in range(N)})
    largest = max(nx.connected_components(made), key=len)
    found = nx.read_weighted_edgelist(tmp_path / "largest.txt", nodetype=int)
    assert set(found) == largest
    (tmp_path / "some.txt").write_text("4\n5\n6\n")
    refuse("convert", one, tmp_path / "part.gr", "--vertices", tmp_path / "some.txt",
           code=FAILURE, says=["counts vertices from 1, and the graph from 4", "--drop-labels"])
    run("convert", one, tmp_path / "part.npz", "--vertices", tmp_path / "some.txt", "-q")
    assert run_json("info", tmp_path / "part.npz")["graph"]["least_label"] == 4
    refuse("convert", one, tmp_path / "part.npz", "--vertices", "-", stdin="41\n",
           code=BAD_INPUT, says=["the graph has no vertex 41", f"from 1 to {N}"])


def test_cycles_and_refusals_are_told_by_ids(tmp_path):
    """An arc from 2 to 3, two vertices, both by their ids: in text, JSON and every refusal."""
    (tmp_path / "cycle.gr").write_text("p sp 4 4\na 1 2 1\na 2 3 -4\na 3 2 1\na 3 4 1\n")
    out, _ = run("sssp", tmp_path / "cycle.gr", "--source", "1", code=FAILURE)
    assert rows(out, set()) == [[2, 3, -4], [3, 2, 1]]
    found, _ = run("sssp", tmp_path / "cycle.gr", "--source", "1", "--json", code=FAILURE)
    assert json.loads(found)["negative_cycle"] == [2, 3]
    for variant in ("dijkstra", "delta-stepping"):
        refuse("sssp", tmp_path / "cycle.gr", "--variant", variant, code=FAILURE,
               says=["the arc from 2 to 3 has the weight -4"])
    refuse("apsp", tmp_path / "cycle.gr", "--variant", "dijkstra", code=FAILURE,
           says=["the arc from 2 to 3 has the weight -4"])


@pytest.mark.parametrize("name, text, says", [
    ("sum.gr", "p sp 2 2\na 1 2 2147483647\na 1 2 2147483647\n", "from 1 to 2 add up"),
    ("sum.txt", "70 205 2147483647\n70 205 2147483647\n", "from 70 to 205 add up"),
])
def test_faults_of_a_file_are_told_by_its_ids(name, text, says, tmp_path):
    (tmp_path / name).write_text(text)
    refuse("info", tmp_path / name, "--directed", "--duplicates", "sum", code=BAD_INPUT,
           says=[says])


def test_asymmetry_is_told_by_ids(tmp_path):
    """A native file that says what is not so."""
    (tmp_path / "g.gr").write_text("c hoplite undirected\np sp 3 2\na 2 3 5\na 3 2 5\n")
    run("convert", tmp_path / "g.gr", tmp_path / "g.npz", "-q")
    bytes_ = bytearray((tmp_path / "g.npz").read_bytes())
    place = bytes_.index(np.array([5, 5], "<i4").tobytes())
    bytes_[place] = 6
    (tmp_path / "g.npz").write_bytes(bytes_)
    refuse("info", tmp_path / "g.npz", code=BAD_INPUT, says=["between 2 and 3"])


def test_usage_of_unknown_ids_is_a_mistake_of_the_caller(one):
    refuse("sssp", one, "--source", N + 1, code=USAGE, says=[f"no vertex {N + 1}"])
