# SPDX-License-Identifier: Apache-2.0
"""path --pairs: distances of many pairs, against NetworkX; files as people write them."""

import networkx as nx
import numpy as np
import pytest
from cli_testing import BAD_INPUT, FAILURE, USAGE, refuse, run, run_json

FAR = 2**63 - 1


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """Two parts, ids with gaps, weights; (path, the same for NetworkX, pairs, distances)."""
    path = tmp_path_factory.mktemp("graph") / "graph.txt"
    made = nx.relabel_nodes(nx.gnm_random_graph(200, 230, seed=4), lambda v: 7 * v + 3)
    made.remove_nodes_from(list(nx.isolates(made)))
    for u, v in made.edges:
        made[u][v]["weight"] = (u * v) % 13
    path.write_text("".join(f"{u} {v} {w}\n" for u, v, w in made.edges.data("weight")))
    ids = sorted(made)
    rng = np.random.default_rng(1)
    pairs = [(ids[a], ids[b]) for a, b in rng.integers(0, len(ids), (150, 2))]
    expected = [nx.dijkstra_path_length(made, u, v) if nx.has_path(made, u, v) else np.inf
                for u, v in pairs]
    assert np.inf in expected
    return path, made, pairs, expected


def write(tmp_path, pairs, between=" ", head=""):
    path = tmp_path / "pairs.txt"
    path.write_text(head + "".join(f"{u}{between}{v}\n" for u, v in pairs))
    return path


def found(text):
    lines = text.splitlines()
    assert lines[0] == "# from\tto\tdistance"
    rows = [line.split("\t") for line in lines[1:]]
    return [(int(u), int(v)) for u, v, _ in rows], [float(d) for _, _, d in rows]


@pytest.mark.parametrize("more", [[], ["--certify"], ["--variant", "dijkstra"], ["--threads", "1"],
                                  ["--directed"], ["--directed", "--prepare", "reverse"],
                                  ["--drop-weights"]])
def test_distances(graph, tmp_path, more):
    path, made, pairs, expected = graph
    if "--drop-weights" in more:
        expected = [nx.shortest_path_length(made, u, v) if nx.has_path(made, u, v) else np.inf
                    for u, v in pairs]
    if "--directed" in more:
        arcs = nx.DiGraph([tuple(map(int, line.split()[:2])) + ({"weight": int(line.split()[2])},)
                           for line in path.read_text().splitlines()])
        expected = [nx.dijkstra_path_length(arcs, u, v) if nx.has_path(arcs, u, v) else np.inf
                    for u, v in pairs]
    out, err = run("path", path, "--pairs", write(tmp_path, pairs), *more)
    ends, distances = found(out)
    assert ends == pairs and distances == expected
    assert f"pairs: 150, of which {np.isfinite(expected).sum()} have a path" in err
    assert ("certified" in err) == ("--certify" in more)


def test_what_is_written_is_the_same_everywhere(graph, tmp_path):
    path, _, pairs, expected = graph
    given = write(tmp_path, pairs, ",", "from,to\n")
    run("path", path, "--pairs", given, "-o", tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "from,to,distance" and len(lines) == 151
    run("path", path, "--pairs", given, "-o", tmp_path / "out.npy")
    array = np.load(tmp_path / "out.npy")
    assert array.tolist() == [FAR if d == np.inf else d for d in expected]
    alone = run_json("path", path, "--pairs", given)
    beside = run_json("path", path, "--pairs", given, "-o", tmp_path / "again.npy")
    assert alone["pairs"] == beside["pairs"]
    assert [row["distance"] for row in alone["pairs"]] == [None if d == np.inf else d
                                                          for d in expected]
    assert [(row["from"], row["to"]) for row in alone["pairs"]] == pairs
    assert alone["pair_count"] == 150 and alone["reached"] == np.isfinite(expected).sum()
    assert run("path", path, "--pairs", "-", stdin=given.read_text())[0] == run(
        "path", path, "--pairs", given)[0]


@pytest.mark.parametrize("text", [
    "alice,bob\n", "alice;bob\n", "alice\tbob\n", "alice bob\n", "\"alice\",\"bob\"\r\n",
    "\ufeffSource,Target\nalice,bob\n", "# who\n\n  alice , bob  \n% end\n", "alice,bob"])
def test_names(tmp_path, text):
    path = tmp_path / "graph.csv"
    path.write_text("alice,bob,2.5\nbob,\"carol, the \"\"first\"\"\",1\n")
    out, _ = run("path", path, "--pairs", "-", stdin=text)
    assert out == "# from\tto\tdistance\nalice\tbob\t2.5\n"
    out, _ = run("path", path, "--pairs", "-", stdin="\"carol, the \"\"first\"\"\" ; alice\n")
    assert out.splitlines()[1].split("\t")[2] == "3.5"


@pytest.mark.parametrize("text, message", [
    ("3 4 5\n", "pairs.txt:1: more than two vertices found"),
    ("3\n", "pairs.txt:1: one vertex found, two expected"),
    ("# three\n3,\n", "pairs.txt:2: one vertex found, two expected"),
    ("\"3,4\n", "pairs.txt:1: a quote that is not closed"),
    ("3 x\n", "pairs.txt:1: \"x\" found, the number of a vertex expected"),
    ("3 5\n", "pairs.txt:1: the graph has no vertex 5"),
    ("3 -3\n", "pairs.txt:1: \"-3\" found, the number of a vertex expected")])
def test_bad_pairs(graph, tmp_path, text, message):
    path = graph[0]
    (tmp_path / "pairs.txt").write_text(text)
    assert message in refuse("path", path, "--pairs", tmp_path / "pairs.txt", code=BAD_INPUT)


def test_usage(graph, tmp_path):
    path = graph[0]
    refuse("path", path, 3, "--pairs", write(tmp_path, []), code=USAGE)
    refuse("path", path, code=USAGE)
    refuse("path", "-", "--pairs", "-", code=USAGE)
    refuse("path", path, "--pairs", tmp_path / "none.txt", code=FAILURE)
    assert run("path", path, "--pairs", write(tmp_path, []))[0] == "# from\tto\tdistance\n"


def test_negative_weights(tmp_path):
    path = tmp_path / "graph.txt"
    path.write_text("1 2 5\n2 3 -3\n4 5 -1\n5 4 0\n")
    out, err = run("path", path, "--directed", "--pairs", "-", stdin="1 3\n3 1\n2 3\n")
    assert [line.split("\t")[2] for line in out.splitlines()[1:]] == ["2", "inf", "-3"]
    assert "bellman-ford" in err


def test_negative_cycle(tmp_path):
    """Its edges are the result, as with the other verbs."""
    path = tmp_path / "graph.txt"
    path.write_text("1 2 5\n2 3 -3\n4 5 -1\n5 4 0\n")
    words = ["path", path, "--directed", "--pairs", "-"]
    out, err = run(*words, stdin="1 3\n4 5\n", code=FAILURE)
    assert out == "# from\tto\tweight\n4\t5\t-1\n5\t4\t0\n"
    assert "a cycle of 2 edges has the negative sum -1" in err
    found = run_json(*words, stdin="5 4\n", code=FAILURE)
    assert found["negative_cycle"] == [4, 5] and found["negative_cycle_sum"] == -1
