# SPDX-License-Identifier: Apache-2.0
"""certify: right results are accepted, ours and those of other programs; wrong ones are refused
with exit code 3."""

import random

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sparse
import scipy.sparse.csgraph as csgraph
from cli_testing import BAD_INPUT, USAGE, refuse, run, run_json

REJECTED = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A graph with labels and weights, a list, and a result of every problem as .npy and text."""
    folder = tmp_path_factory.mktemp("results")
    made = nx.gnm_random_graph(60, 70, seed=2)
    text = "".join(f"{5 * u + 3} {5 * v + 3} {(u * v) % 9 + 1}\n" for u, v in made.edges)
    (folder / "g.txt").write_text(text)
    run("generate", "list", "--n", "80", "-o", folder / "list.npy", "-q")
    for kind in ("npy", "txt"):
        run("bfs", folder / "g.txt", "-q", "-o", folder / f"bfs.{kind}", "--parents",
            folder / f"bfs-parents.{kind}")
        run("sssp", folder / "g.txt", "-q", "-o", folder / f"sssp.{kind}", "--parents",
            folder / f"sssp-parents.{kind}")
        run("components", folder / "g.txt", "-q", "-o", folder / f"components.{kind}")
        run("rank", folder / "list.npy", "-q", "-o", folder / f"rank.{kind}")
    run("apsp", folder / "g.txt", "-q", "-o", folder / "apsp.npy")
    run("bfs", folder / "g.txt", "-q", "--ids", folder / "ids.npy")
    return folder


def operands(folder, problem):
    return [problem, folder / ("list.npy" if problem == "rank" else "g.txt")]


PROBLEMS = ["bfs", "sssp", "components", "rank"]


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("kind", ["npy", "txt"])
@pytest.mark.parametrize("mode", ["canonical", "valid"])
def test_accepts_our_results(problem, kind, mode, folder):
    words = ["certify", *operands(folder, problem), folder / f"{problem}.{kind}",
             f"--certify={mode}"]
    if kind == "npy" and problem in ("bfs", "sssp"):
        words += ["--parents", folder / f"{problem}-parents.npy"]
    out, err = run(*words)
    assert "certified  " in out and err == ""
    found = run_json(*words)
    assert found["right"] is True and found["fault"] is None and found["mode"] == mode


def test_accepts_a_matrix(folder):
    run("certify", "apsp", folder / "g.txt", folder / "apsp.npy")
    run("certify", "apsp", folder / "g.txt", folder / "apsp.npy", "--certify-rows", "5")
    run("apsp", folder / "g.txt", "-q", "-o", folder / "narrow.npy", "--distance-type", "int32")
    run("certify", "apsp", folder / "g.txt", folder / "narrow.npy")


@pytest.mark.parametrize("problem", PROBLEMS + ["apsp"])
def test_rejects_every_change_of_an_array(problem, folder, tmp_path):
    good = np.load(folder / f"{problem}.npy")
    draw = random.Random(problem)
    for trial in range(25):
        bad = good.copy()
        at = draw.randrange(bad.size)
        old = int(bad.flat[at])
        choices = [c for c in (old + 1, old - 1, 0, 7, np.iinfo(bad.dtype).max)
                   if c != old and 0 <= c <= np.iinfo(bad.dtype).max]
        bad.flat[at] = draw.choice(choices)
        np.save(tmp_path / "bad.npy", bad)
        words = ["certify", *operands(folder, problem), tmp_path / "bad.npy"]
        refuse(*words, code=REJECTED)
        found = run_json(*words, code=REJECTED)
        assert found["right"] is False and found["fault"]


@pytest.mark.parametrize("problem", ["bfs", "sssp"])
def test_rejects_every_change_of_parents(problem, folder, tmp_path):
    good = np.load(folder / f"{problem}-parents.npy")
    for at in range(0, len(good), 3):
        bad = good.copy()
        bad[at] = 1 if good[at] != 1 else 2
        np.save(tmp_path / "bad.npy", bad)
        refuse("certify", problem, folder / "g.txt", folder / f"{problem}.npy", "--parents",
               tmp_path / "bad.npy", code=REJECTED)


def test_rejects_a_change_of_text(folder, tmp_path):
    lines = (folder / "bfs.txt").read_text().splitlines()
    for at in range(1, len(lines), 4):
        vertex, level, parent = lines[at].split("\t")
        changed = lines[:at] + [f"{vertex}\t{int(level) + 1}\t{parent}"] + lines[at + 1:]
        (tmp_path / "bad.txt").write_text("\n".join(changed))
        refuse("certify", "bfs", folder / "g.txt", tmp_path / "bad.txt", code=REJECTED)


def test_limits_are_part_of_the_question(folder, tmp_path):
    run("bfs", folder / "g.txt", "--depth", "2", "-o", tmp_path / "r.txt", "-q")
    run("certify", "bfs", folder / "g.txt", tmp_path / "r.txt", "--depth", "2")
    refuse("certify", "bfs", folder / "g.txt", tmp_path / "r.txt", code=REJECTED)
    run("sssp", folder / "g.txt", "--cutoff", "9", "-o", tmp_path / "s.txt", "-q")
    run("certify", "sssp", folder / "g.txt", tmp_path / "s.txt", "--cutoff", "9")
    refuse("certify", "sssp", folder / "g.txt", tmp_path / "s.txt", code=REJECTED)
    ids = np.load(folder / "ids.npy")
    run("bfs", folder / "g.txt", "--source", ids[0], "-o", tmp_path / "o.npy", "-q")
    run("certify", "bfs", folder / "g.txt", tmp_path / "o.npy", "--source", ids[0])
    refuse("certify", "bfs", folder / "g.txt", tmp_path / "o.npy", "--source", ids[1],
           code=REJECTED)


# ---- results of other programs ---------------------------------------------------------------

@pytest.fixture(scope="module")
def matrix(folder):
    run("convert", folder / "g.txt", folder / "g.npz", "--drop-labels", "-q")
    return sparse.load_npz(folder / "g.npz")


def test_scipy(folder, matrix, tmp_path):
    """Distances in floats with inf, predecessors that are -9999, labels 0..k-1 of int32."""
    graph = folder / "g.npz"
    distances, parents = csgraph.dijkstra(matrix, indices=3, return_predecessors=True)
    np.save(tmp_path / "d.npy", distances)
    np.save(tmp_path / "p.npy", parents)
    words = ["certify", "sssp", graph, tmp_path / "d.npy", "--source", "3"]
    run(*words)
    run(*words, "--parents", tmp_path / "p.npy", "--certify=valid")
    order, parents = csgraph.breadth_first_order(matrix, 3)
    levels = csgraph.dijkstra(matrix, indices=3, unweighted=True)
    np.save(tmp_path / "l.npy", levels)
    np.save(tmp_path / "p.npy", parents)
    run("certify", "bfs", graph, tmp_path / "l.npy", "--source", "3", "--parents",
        tmp_path / "p.npy", "--certify=valid")
    _, labels = csgraph.connected_components(matrix, directed=False)
    np.save(tmp_path / "c.npy", labels)
    run("certify", "components", graph, tmp_path / "c.npy", "--certify=valid")
    refuse("certify", "components", graph, tmp_path / "c.npy", code=REJECTED)
    labels[5] = labels[5] + 1
    np.save(tmp_path / "c.npy", labels)
    refuse("certify", "components", graph, tmp_path / "c.npy", "--certify=valid", code=REJECTED)


def test_networkx(folder, tmp_path):
    """Only what is reached, in the order of the search, without names of columns."""
    made = nx.read_weighted_edgelist(folder / "g.txt", nodetype=int)
    source = min(made)
    lengths = nx.single_source_dijkstra_path_length(made, source)
    text = "".join(f"{v} {int(d)}\n" for v, d in lengths.items())
    (tmp_path / "d.txt").write_text(text)
    run("certify", "sssp", folder / "g.txt", tmp_path / "d.txt", "--source", source)
    (tmp_path / "d.txt").write_text(text[:text.rindex("\n", 0, -1) + 1])
    refuse("certify", "sssp", folder / "g.txt", tmp_path / "d.txt", "--source", source,
           code=REJECTED)
    levels = nx.single_source_shortest_path_length(made, source)
    (tmp_path / "l.csv").write_text("".join(f"{v},{d}\n" for v, d in levels.items()))
    run("certify", "bfs", folder / "g.txt", tmp_path / "l.csv", "--source", source)


# ---- mistakes --------------------------------------------------------------------------------

@pytest.mark.parametrize("words, code, says", [
    ([], USAGE, ["usage: hoplite certify"]),
    (["bfs", "g.txt"], USAGE, ["a result expected"]),
    (["bsf", "g.txt", "bfs.npy"], USAGE, ["did you mean bfs"]),
    (["apsp", "g.txt", "apsp.npy", "--source", "3"], USAGE, ["--source means nothing for apsp"]),
    (["bfs", "g.txt", "bfs.npy", "--head", "3"], USAGE, ["--head means nothing for bfs"]),
    (["rank", "list.npy", "rank.npy", "--directed"], USAGE, ["--directed"]),
    (["apsp", "g.txt", "bfs.npy"], BAD_INPUT, ["a matrix of"]),
    (["bfs", "g.txt", "apsp.npy"], BAD_INPUT, ["one for each"]),
    (["components", "g.txt", "bfs.txt"], BAD_INPUT, ['no column "component"']),
    (["bfs", "g.txt", "g.txt"], BAD_INPUT, ["as one before"]),
    (["rank", "list.npy", "bfs.npy"], BAD_INPUT, ["80 expected"]),
    (["bfs", "g.txt", "none.npy"], 1, ["No such file"]),
    (["apsp", "g.txt", "reals.npy"], BAD_INPUT, ["float64", "int64"]),
])
def test_mistakes(words, code, says, folder):
    np.save(folder / "reals.npy", np.load(folder / "apsp.npy").astype(np.float64))
    refuse("certify", *words, code=code, says=says, cwd=folder)


def test_ids_that_are_not_there(folder, tmp_path):
    (tmp_path / "r.txt").write_text("4 0\n")
    refuse("certify", "bfs", folder / "g.txt", tmp_path / "r.txt", code=BAD_INPUT,
           says=["row 1 is about 4, which is not in"])


# ---- within a tolerance ------------------------------------------------------------------------

# The undirected example of LDBC Graphalytics, and its reference, added up in another order.
LDBC_EDGES = """2 3 0.9
2 4 0.69
3 4 0.13
3 5 0.5
3 8 0.32
5 6 0.63
5 8 0.12
6 7 0.53
6 8 0.64
6 9 0.23
6 10 0.63
7 9 0.36
"""
LDBC_DISTANCES = """2 0.000000000000000e+00
3 8.200000000000000e-01
4 6.899999999999999e-01
5 1.260000000000000e+00
6 1.780000000000000e+00
7 2.310000000000000e+00
8 1.140000000000000e+00
9 2.010000000000000e+00
10 2.410000000000000e+00
"""


@pytest.fixture
def ldbc(tmp_path):
    """A graph with the vertices of its own file, and the distances as decimal texts."""
    (tmp_path / "g.e").write_text(LDBC_EDGES)
    (tmp_path / "g.v").write_text("".join(f"{v}\n" for v in range(2, 11)))
    graph = nx.Graph()
    for line in LDBC_EDGES.splitlines():
        u, v, w = line.split()
        graph.add_edge(int(u), int(v), weight=float(w))
    distances = nx.single_source_dijkstra_path_length(graph, 2)
    return tmp_path, {v: distances.get(v, float("inf")) for v in range(2, 11)}


def write_result(folder, distances, form):
    text = "".join(f"{v} {'infinity' if d == float('inf') else form % d}\n"
                   for v, d in distances.items())
    (folder / "theirs.txt").write_text(text)
    return ["certify", "sssp", folder / "g.e", folder / "theirs.txt", "--source", "2"]


def test_the_reference_of_ldbc(ldbc):
    folder = ldbc[0]
    (folder / "theirs.txt").write_text(LDBC_DISTANCES)
    words = ["certify", "sssp", folder / "g.e", folder / "theirs.txt", "--source", "2"]
    refuse(*words, "--certify=valid", "--tolerance", 0, code=REJECTED, says=["not"])
    refuse(*words, code=REJECTED, says=["--tolerance 1e-4"])
    for way in (["--tolerance", "1e-4"], ["--certify=valid"]):  # the rule of LDBC itself
        out = run(*words, *way)[0]
        assert "within 0.0001" in out and "not certified" in out


def test_a_rounded_result_is_valid_within_a_tolerance(ldbc):
    folder, distances = ldbc
    rounded = {v: d * (1 + 3e-6) for v, d in distances.items()}
    words = write_result(folder, rounded, "%.17g")
    refuse(*words, "--certify=valid", "--tolerance", 0, code=REJECTED, says=["nearer"])
    out, err = run(*words, "--tolerance", "1e-4")
    assert "within 0.0001" in out and "not certified" in out and "\ncertified" not in out
    assert err == ""
    found = run_json(*words, "--tolerance", "1e-4")
    assert found["right"] is True and found["tolerance"] == 1e-4 and found["certified"] is None
    assert found["mode"] == "valid"
    refuse(*words, "--tolerance", "1e-6", code=REJECTED,
           says=["should be", "tolerance of 0.000001"])


def test_what_is_wrong_is_refused_within_a_tolerance(ldbc):
    folder, distances = ldbc
    for vertex in distances:
        for wrong in (distances[vertex] * 1.01, distances[vertex] - 0.01, float("inf"), 0.4):
            if wrong == distances[vertex]:
                continue
            words = write_result(folder, {**distances, vertex: wrong}, "%.17g")
            refuse(*words, "--tolerance", "1e-4", code=REJECTED)
    left_out = {v: d for v, d in distances.items() if v != 5}
    refuse(*write_result(folder, left_out, "%.17g"), "--tolerance", "1e-4", code=REJECTED)


@pytest.mark.parametrize("words, code, says", [
    (["--tolerance", "-1"], USAGE, ["from 0"]), (["--tolerance", "1"], USAGE, ["below 1"]),
    (["--tolerance", "much"], USAGE, ["no number"]),
    (["--tolerance", "1e-4", "--certify=canonical"], USAGE, ["contradict"]),
])
def test_tolerances_that_mean_nothing(words, code, says, ldbc):
    refuse(*write_result(*ldbc, "%.17g"), *words, code=code, says=says)


def test_parents_have_no_tolerance(ldbc, folder):
    own = ldbc[0] / "own.txt"
    run("sssp", ldbc[0] / "g.e", "--source", "2", "-q", "-o", own)
    refuse("certify", "sssp", ldbc[0] / "g.e", own, "--source", "2", "--tolerance", "1e-4", code=1,
           says=["parents"])
    refuse("certify", "bfs", folder / "g.txt", folder / "bfs.txt", "--tolerance", "1e-4",
           says=["--tolerance means nothing for bfs"])


@pytest.mark.parametrize("suffix", [".txt", ".csv"])
def test_results_with_names(suffix, tmp_path):
    """Names in quotes, with what is between columns, and one that is called -1."""
    graph, result = tmp_path / "g.csv", tmp_path / f"r{suffix}"
    graph.write_text('from,to,w\nann,"b, ""x""",1\n"b, ""x""",c d,2\nc d,"-1",1\nlone,far,1\n')
    words = [graph, result, "--source", "ann"]
    run("sssp", graph, "--source", "ann", "-o", result)
    run("certify", "sssp", *words)
    text = result.read_text()
    between = text.splitlines()[-1][-3]
    assert '"-1"' in text and f"far{between}inf{between}-1" in text
    result.write_text(text.replace(f"c d{between}3", f"c d{between}4"))
    assert "vertex \"c d\" is 4 away" in run("certify", "sssp", *words, code=REJECTED)[1]
    result.write_text(text.replace("far", "fax"))
    assert "column 1 has no name" in run("certify", "sssp", *words, code=BAD_INPUT)[1]
    result.write_text(text.replace("far", "lone"))
    assert "as one before" in run("certify", "sssp", *words, code=BAD_INPUT)[1]
    run("components", graph, "-o", result)
    run("certify", "components", graph, result)
