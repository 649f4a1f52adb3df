# SPDX-License-Identifier: Apache-2.0
"""sssp, apsp, path and rank: results in text, arrays and JSON, against NetworkX and SciPy."""

import os
import re
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sparse
import scipy.sparse.csgraph as csgraph
from cli_testing import (BAD_INPUT, FAILURE, HOPLITE, SANITIZED, USAGE, clean_environment, refuse,
                         run, run_json)

FAR = 2**63 - 1
NONE = 2**32 - 1


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """Directed, with negative weights but no negative cycle; ids with gaps."""
    path = tmp_path_factory.mktemp("graph") / "graph.txt"
    drawn = nx.gnp_random_graph(120, 0.02, seed=7, directed=True)
    height = {v: (v * 37) % 50 for v in drawn}
    made = nx.DiGraph()
    for u, v in drawn.edges:
        # A weight that is not negative, seen from hills: cycles keep their sums.
        made.add_edge(3 * u + 5, 3 * v + 5, weight=(u * v) % 11 + height[v] - height[u])
    path.write_text("".join(f"{u} {v} {w}\n" for u, v, w in made.edges.data("weight")))
    return path, made


def rows(text):
    lines = text.splitlines()
    return (lines[0].lstrip("# ").split("\t"),
            [[float(x) for x in line.split("\t")] for line in lines[1:]])


# ---- sssp ------------------------------------------------------------------------------------

def test_sssp_text(graph):
    path, made = graph
    source = sorted(made)[3]
    expected = nx.single_source_bellman_ford_path_length(made, source)
    out, err = run("sssp", path, "--directed", "--source", source, "-o", "-", "--certify")
    names, found = rows(out)
    assert names == ["vertex", "distance", "parent"]
    assert [row[0] for row in found] == sorted(made)
    for vertex, distance, parent in found:
        assert distance == expected.get(vertex, np.inf)
        if vertex == source:
            assert parent == source
        elif distance == np.inf:
            assert parent == -1
        else:
            assert expected[parent] + made[parent][vertex]["weight"] == distance
    assert "certified (canonical) in" in err and "bellman-ford" in err


def test_sssp_arrays_and_json(graph, tmp_path):
    path, made = graph
    source = sorted(made)[3]
    text = rows(run("sssp", path, "--directed", "--source", source, "-o", "-")[0])[1]
    found = run_json("sssp", path, "--directed", "--source", source, "-o", tmp_path / "d.npy",
                     "--parents", tmp_path / "p.npy", "--ids", tmp_path / "i.npy")
    distances, parents, ids = (np.load(tmp_path / name) for name in ("d.npy", "p.npy", "i.npy"))
    assert distances.dtype == np.int64 and parents.dtype == np.uint32
    assert list(ids) == [row[0] for row in text]
    assert list(distances) == [FAR if row[1] == np.inf else row[1] for row in text]
    assert [-1 if p == NONE else ids[p] for p in parents] == [row[2] for row in text]
    reached = [row for row in text if row[1] < np.inf]
    assert found["reached"] == len(reached)
    assert found["farthest_distance"] == max(row[1] for row in reached)
    assert found["distance_type"] == "int64" and found["negative_cycle"] is None
    assert {os.path.basename(file["path"]): file["what"] for file in found["files"]} == {
        "d.npy": "distances", "p.npy": "parents", "i.npy": "ids"}
    assert all(file["bytes"] > 0 for file in found["files"])


@pytest.mark.parametrize("type_, dtype", [("float32", np.float32), ("float64", np.float64),
                                          ("int32", np.int64), ("none", np.int64)])
def test_sssp_types(type_, dtype, tmp_path):
    run("generate", "grid", "--rows", "12", "--cols", "9", "--weights", type_, "-o",
        tmp_path / "g.npz", "-q")
    out, _ = run("sssp", tmp_path / "g.npz", "--source", "5")
    assert ("weights    none: each edge counts 1" in out) == (type_ == "none")
    run("sssp", tmp_path / "g.npz", "--source", "5", "-o", tmp_path / "d.npy", "--certify")
    run("sssp", tmp_path / "g.npz", "--source", "5", "-o", tmp_path / "d.txt", "-q")
    distances = np.load(tmp_path / "d.npy")
    assert distances.dtype == dtype
    matrix = sparse.load_npz(tmp_path / "g.npz")
    expected = csgraph.dijkstra(matrix, indices=5, unweighted=type_ == "none")
    np.testing.assert_allclose(distances, expected, rtol=1e-5)
    text = np.loadtxt(tmp_path / "d.txt")
    assert np.array_equal(text[:, 1].astype(dtype), distances)


def test_sssp_limits(graph, tmp_path):
    path = tmp_path / "road.npz"
    run("generate", "road", "--rows", "30", "--cols", "30", "--weights", "int32", "-o", path, "-q")
    whole = run_json("sssp", path, "--source", "7", "-o", tmp_path / "d.npy")
    distances = np.load(tmp_path / "d.npy")
    half = int(np.median(distances))
    near = run_json("sssp", path, "--source", "7", "--cutoff", half, "--certify")
    assert near["reached"] == (distances <= half).sum() < whole["reached"]
    target = int(np.argsort(distances)[len(distances) // 3])
    stop = run_json("sssp", path, "--source", "7", "--target", target, "--certify")
    assert stop["reached"] == (distances <= distances[target]).sum()
    two = run_json("sssp", path, "--source", "7", "--source", "100", "--certify")
    assert two["source_count"] == 2 and two["farthest_distance"] <= whole["farthest_distance"]


CYCLE = "4 1 1\n1 2 5\n2 3 -4\n3 1 -2\n3 9 1\n"


@pytest.mark.parametrize("words", [["sssp", "G", "--source", "4"], ["path", "G", "4", "9"],
                                   ["apsp", "G"]])
def test_negative_cycle(words, tmp_path):
    (tmp_path / "g.txt").write_text(CYCLE)
    words = [tmp_path / "g.txt" if word == "G" else word for word in words]
    out, err = run(*words, "--directed", "--certify", code=FAILURE)
    names, arcs = rows(out)
    assert names == ["from", "to", "weight"]
    assert arcs == [[1, 2, 5], [2, 3, -4], [3, 1, -2]]
    assert "a cycle of 3 edges has the negative sum -1" in err
    found = run_json(*words, "--directed", code=FAILURE)
    assert found["negative_cycle"] == [1, 2, 3] and found["negative_cycle_sum"] == -1
    run(*words, "--directed", "-o", tmp_path / "out.npy", code=FAILURE)
    assert sorted(os.listdir(tmp_path)) == ["g.txt"]
    _, err = run(*words, code=FAILURE)
    assert "every negative edge is a cycle, there and back; --directed reads" in err


def test_sssp_explains_refusals(graph):
    path, _ = graph
    dry, _ = run("sssp", path, "--directed", "--dry-run")
    assert "variant    bellman-ford: the least weight is" in dry
    assert "dijkstra" in dry and "cannot: " in dry
    plan = {row["name"]: row for row in
            run_json("sssp", path, "--directed", "--dry-run")["variants"]}
    assert plan["bellman-ford"]["usable"] and not plan["dijkstra"]["usable"]
    err = refuse("sssp", path, "--directed", "--variant", "dijkstra", code=FAILURE,
                 says=["dijkstra cannot do this", "bellman-ford"])
    negative = re.search(r"arc from (\d+) to (\d+) has the weight (\S+);", err).groups()
    assert "\t".join(negative) in path.read_text().replace(" ", "\t")


# ---- path ------------------------------------------------------------------------------------

def test_path(graph, tmp_path):
    path, made = graph
    source = sorted(made)[3]
    lengths = nx.single_source_bellman_ford_path_length(made, source)
    for target in sorted(lengths)[::9]:
        out, err = run("path", path, "--directed", source, target)
        names, found = rows(out)
        assert names == ["vertex", "distance"]
        assert found[0] == [source, 0] and found[-1] == [target, lengths[target]]
        for (u, at_u), (v, at_v) in zip(found, found[1:]):
            assert at_u + made[u][v]["weight"] == at_v
        as_json = run_json("path", path, "--directed", source, target)
        assert as_json["path"] == [row[0] for row in found]
        assert as_json["distances"] == [row[1] for row in found]
        assert as_json["distance"] == lengths[target]
    hops = nx.single_source_shortest_path_length(made, source)
    target = max(hops, key=lambda v: (hops[v], v))
    found = run_json("path", path, "--directed", "--drop-weights", source, target)
    assert len(found["path"]) == hops[target] + 1 == found["distance"] + 1
    run("path", path, "--directed", source, target, "-o", tmp_path / "p.csv", "-q")
    assert (tmp_path / "p.csv").read_text().startswith(f"vertex,distance\n{source},0\n")


def test_path_to_itself_and_to_nowhere(tmp_path):
    (tmp_path / "g.txt").write_text("1 2\n3 4\n")
    assert run("path", tmp_path / "g.txt", "1", "1")[0] == "# vertex\tdistance\n1\t0\n"
    refuse("path", tmp_path / "g.txt", "1", "4", code=FAILURE,
           says=["there is no path from 1 to 4"])
    nowhere = run_json("path", tmp_path / "g.txt", "1", "4", code=FAILURE)
    assert nowhere["path"] == [] and nowhere["distance"] is None
    refuse("path", tmp_path / "g.txt", "1", says=["two vertices expected"])
    refuse("path", tmp_path / "g.txt", "1", "5", says=["TO: the graph has no vertex 5"])
    refuse("path", tmp_path / "g.txt", "1", "2", "3", says=["one word too many"])


# ---- apsp ------------------------------------------------------------------------------------

def expected_matrix(made):
    lengths = dict(nx.all_pairs_bellman_ford_path_length(made))
    return np.array([[lengths[u].get(v, FAR) for v in sorted(made)] for u in sorted(made)])


def test_apsp(graph, tmp_path):
    path, made = graph
    expected = expected_matrix(made)
    rows = [row for row in run_json("variants", "apsp")["variants"] if row["place"] == "host"]
    for variant in [row["name"] for row in rows] + ["auto"]:
        if variant in ("dijkstra", "bfs", "bfs-bits"):  # these weights are not theirs
            continue
        found = run_json("apsp", path, "--directed", "-o", tmp_path / "m.npy", "--certify",
                         "--variant", variant)
        matrix = np.load(tmp_path / "m.npy", mmap_mode="r")
        assert matrix.dtype == np.int64 and np.array_equal(matrix, expected)
        reached = expected < FAR
        assert found["connected_pairs"] == reached.sum() - len(made)
        farthest = np.where(reached, expected, -FAR).max(axis=1)
        assert found["diameter"] == farthest.max() and found["radius"] == farthest.min()
        assert found["mean_distance"] == pytest.approx(
            expected[reached].sum() / (reached.sum() - len(made)))
        ids = sorted(made)
        assert farthest[ids.index(found["diameter_from"])] == farthest.max()
        assert expected[ids.index(found["diameter_from"])][
            ids.index(found["diameter_to"])] == farthest.max()
    run("apsp", path, "--directed", "-o", tmp_path / "n.npy", "--distance-type", "int32")
    narrow = np.load(tmp_path / "n.npy")
    assert narrow.dtype == np.int32
    assert np.array_equal(narrow, np.where(expected < FAR, expected, 2**31 - 1))


def test_apsp_of_some_rows(graph, tmp_path):
    path, made = graph
    expected = expected_matrix(made)
    ids = sorted(made)
    wanted = [17, 3, 40, 3]
    (tmp_path / "rows.txt").write_text(f"{ids[40]}\n# none\n{ids[3]}\n")
    for variant in ("johnson", "blocked", "blocked-disk", "auto"):
        found = run_json("apsp", path, "--directed", "-o", tmp_path / "m.npy", "--certify",
                         "--variant", variant, "--rows", f"{ids[17]},{ids[3]}", "--rows-from",
                         tmp_path / "rows.txt", "--eccentricities", tmp_path / "e.npy")
        assert np.array_equal(np.load(tmp_path / "m.npy"), expected[wanted])
        farthest = np.where(expected < FAR, expected, -FAR).max(axis=1)[wanted]
        assert np.array_equal(np.load(tmp_path / "e.npy"), farthest)
        assert found["rows"] == 4 and found["diameter"] == farthest.max()
        assert found["connected_pairs"] == (expected[wanted] < FAR).sum() - 4
        assert found["center"] == ids[wanted[farthest.argmin()]]
    out, _ = run("apsp", path, "--directed", "--rows", f"{ids[17]},{ids[3]}",
                 "--eccentricities", "-")
    assert out == f"# vertex\teccentricity\n{ids[17]}\t{farthest[0]}\n{ids[3]}\t{farthest[1]}\n"
    out, said = run("apsp", path, "--directed", "--eccentricities", tmp_path / "e.txt")
    every = np.where(expected < FAR, expected, -FAR).max(axis=1)
    assert (tmp_path / "e.txt").read_text() == "# vertex\teccentricity\n" + "".join(
        f"{v}\t{far}\n" for v, far in zip(ids, every))


def test_apsp_prints_small_matrices(tmp_path):
    (tmp_path / "g.txt").write_text("10 20 3\n20 30 4\n40 10 1\n")
    out, _ = run("apsp", tmp_path / "g.txt", "--directed")
    assert out.endswith("    10  20  30  40\n"
                        "10   0   3   7 inf\n"
                        "20 inf   0   4 inf\n"
                        "30 inf inf   0 inf\n"
                        "40   1   4   8   0\n")
    assert "diameter   8, from vertex 40 to 30" in out
    assert "pairs      6 of 12 are connected (50.0 %)" in out


# Starts the command from a process that is small: the peak that the system tells of a process has
# the memory of the one that started it in it, from before the command was loaded.
STARTER = """
import os, sys
child = os.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(child, 0)
print(used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def peak_of(*words):
    """Runs the command; returns (exit code, standard error, peak resident bytes)."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", STARTER, HOPLITE, *map(str, words)],
                          capture_output=True, text=True, env=clean_environment(), check=False)
    return done.returncode, done.stderr, int(done.stdout.split()[-1]) * 1024


@pytest.mark.skipif(SANITIZED, reason="sanitizers take memory of their own")
def test_apsp_stays_within_memory(tmp_path):
    """A matrix of 72 MiB in 16 MiB: what the manual allows beside it is 30 MiB, for the program,
    its libraries and the buffers of the file."""
    path, matrix, budget, beside = tmp_path / "g.npz", tmp_path / "m.npy", 16 << 20, 30 << 20
    run("generate", "grid", "--rows", "60", "--cols", "51", "--weights", "int32", "-o", path, "-q")
    code, err, peak = peak_of("apsp", path, "-o", matrix, "--memory", budget)
    assert code == 0, err
    assert matrix.stat().st_size > 4 * budget
    assert budget / 2 < peak < budget + beside
    found = np.load(matrix, mmap_mode="r")
    expected = csgraph.dijkstra(sparse.load_npz(path), indices=range(20))
    assert np.array_equal(found[:20], expected)
    matrix.unlink()
    code, err, peak = peak_of("apsp", path, "-o", matrix, "--memory", budget, "--variant",
                              "floyd-warshall")
    assert code == FAILURE and "71.4 MiB" in err and "--memory" in err
    assert peak < budget + beside and not matrix.exists()
    code, err, _ = peak_of("apsp", path, "-o", matrix, "--memory", "20K")
    assert code == FAILURE and ("needed" in err or "needs" in err)
    assert sorted(os.listdir(tmp_path)) == ["g.npz"]


# ---- rank ------------------------------------------------------------------------------------

@pytest.fixture
def lists(tmp_path):
    """0 -> 3 -> 1 (tail), 4 -> 2 (tail), 5 alone."""
    path = tmp_path / "lists.txt"
    path.write_text("# successors\n3\n1\n2\n1\n2\n5\n")
    return path


@pytest.mark.parametrize("words, ranks", [
    (["--all"], [2, 0, 0, 1, 1, 0]),
    (["--head", "0"], [2, 0, -1, 1, -1, -1]),
    (["--head", "3"], [-1, 0, -1, 1, -1, -1]),
    (["--head", "4", "--head", "3"], [-1, 0, 0, 1, 1, -1]),
])
def test_rank(words, ranks, lists, tmp_path):
    out, _ = run("rank", lists, *words, "-o", "-", "--certify")
    names, found = rows(out)
    assert names == ["element", "rank"]
    assert found == [[i, rank] for i, rank in enumerate(ranks)]
    found = run_json("rank", lists, *words, "-o", tmp_path / "r.npy", "--certify")
    assert found["elements"] == 6 and found["ranked"] == sum(rank >= 0 for rank in ranks)
    assert found["lists"] == ranks.count(0) and found["longest"] == max(ranks)
    array = np.load(tmp_path / "r.npy")
    assert array.dtype == np.uint32
    assert list(array) == [rank % 2**32 for rank in ranks]


def test_rank_of_a_generated_list(tmp_path):
    run("generate", "list", "--n", "5000", "-o", tmp_path / "list.npy", "-q")
    run("rank", tmp_path / "list.npy", "-o", tmp_path / "r.npy", "--certify")
    successors, ranks = np.load(tmp_path / "list.npy"), np.load(tmp_path / "r.npy")
    assert ranks[0] == 4999 and sorted(ranks) == list(range(5000))
    inner = successors != np.arange(5000)
    assert np.array_equal(ranks[inner], ranks[successors[inner]] + 1)
    (tmp_path / "heads.txt").write_text("17\n")
    some = run_json("rank", tmp_path / "list.npy", "--heads", tmp_path / "heads.txt")
    assert some["ranked"] == ranks[17] + 1


@pytest.mark.parametrize("text, words, says", [
    ("1\n2\n0\n", [], ["cycle"]),
    ("1\n1\n1\n", [], ["element 2"]),
    ("1\n1\n9\n", [], ["element 2", "9", "only 3"]),
    ("2\n2\n2\n", ["--head", "0", "--head", "1"], ["element 2"]),
])
def test_rank_refuses(text, words, says, tmp_path):
    (tmp_path / "list.txt").write_text(text)
    refuse("rank", tmp_path / "list.txt", *words, "-o", tmp_path / "r.npy", code=BAD_INPUT,
           says=says)
    assert sorted(os.listdir(tmp_path)) == ["list.txt"]


# ---- mistakes --------------------------------------------------------------------------------

@pytest.mark.parametrize("words, code, says", [
    (["rank", "L", "--head", "9"], USAGE, ["the list has no element 9", "from 0 to 5"]),
    (["rank", "L", "--all", "--head", "1"], USAGE, ["--all"]),
    (["rank", "L", "--source", "1"], USAGE, ["no such option"]),
    (["apsp", "G", "-o", "m.txt"], USAGE, [".npy"]),
    (["apsp", "G", "-o", "-"], USAGE, [".npy"]),
    (["apsp", "G", "--distance-type", "int16"], USAGE, ["int32, int64"]),
    (["apsp", "G", "--rows", "1,9"], USAGE, ["--rows: the graph has no vertex 9", "from 0 to 2"]),
    (["apsp", "G", "--rows", "1,,2"], USAGE, ["--rows", "expected"]),
    (["apsp", "G", "--rows-from", "none.txt"], FAILURE, ["none.txt"]),
    (["apsp", "G", "--eccentricities", "e.npz"], USAGE, ["single arrays"]),
    (["sssp", "G", "--variant", "bellmanford"], USAGE, ["did you mean bellman-ford"]),
    (["sssp", "G", "--cutoff", "far"], USAGE, ["--cutoff", "no number"]),
    (["sssp", "G", "--depth", "3"], USAGE, ["no such option"]),
    (["sssp", "L", "--source", "0", "--sources", "none.txt"], FAILURE, ["none.txt"]),
])
def test_mistakes(words, code, says, lists, tmp_path):
    (tmp_path / "g.txt").write_text("0 1 3\n1 2 4\n")
    given = [{"G": "g.txt", "L": "lists.txt"}.get(word, word) for word in words]
    before = set(tmp_path.iterdir())
    if words[0] == "sssp" and words[1] == "L":
        given[1] = "g.txt"
    refuse(*given, code=code, says=says, cwd=tmp_path)
    assert set(tmp_path.iterdir()) == before


def test_weights_of_a_cycle_have_all_digits(tmp_path):
    (tmp_path / "g.txt").write_text("0 1 9007199254740993\n1 0 -9007199254740995\n")
    out, _ = run("sssp", tmp_path / "g.txt", "--directed", "--source", "0", code=1)
    assert "\t9007199254740993\n" in out and "\t-9007199254740995\n" in out
