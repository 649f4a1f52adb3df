# SPDX-License-Identifier: Apache-2.0
"""hoplite measure: every measure against the definition, as text, as an array, as JSON; vertices by
their ids; what is asked wrongly."""

import collections
import math
import re

import numpy as np
import pytest
from cli_testing import FAILURE, USAGE, refuse, run, run_json

EDGES = [(10, 20), (20, 30), (30, 10), (30, 40), (50, 60)]
IDS = [10, 20, 30, 40, 50, 60]


def distances(directed):
    """{v: {u: arcs from v to u}}, by a queue."""
    next_to = collections.defaultdict(list)
    for u, v in EDGES:
        next_to[u].append(v)
        if not directed:
            next_to[v].append(u)
    found = {}
    for source in IDS:
        levels, queue = {source: 0}, [source]
        for u in queue:
            for v in next_to[u]:
                if v not in levels:
                    levels[v] = levels[u] + 1
                    queue.append(v)
        found[source] = levels
    return found


@pytest.fixture(name="graph", scope="module")
def made_graph(tmp_path_factory):
    path = tmp_path_factory.mktemp("measure") / "graph.txt"
    path.write_text("".join(f"{u} {v}\n" for u, v in EDGES))
    return path


def values(graph, name, *options):
    """What -o - prints: {id: value}, or the single column."""
    lines = [line.split() for line in run("measure", name, graph, "-o", "-", "-q",
                                          *options)[0].splitlines() if not line.startswith("#")]
    return {int(id): float(value) for id, value in lines}


@pytest.mark.parametrize("top", [1, 2, 4, 5, 6, 7, 10**9])
@pytest.mark.parametrize("name", ["reach", "harmonic", "edge-betweenness"])
def test_the_greatest_values(graph, name, top):
    """As many as are asked for, the first of equal values first."""
    found = run_json("measure", name, graph, "--top", top)
    told = [(tuple(row[key] for key in row if key != "value"), row["value"])
            for row in found["greatest"]]
    lines = [line.split() for line in run("measure", name, graph, "-o", "-", "-q")[0].splitlines()
             if not line.startswith("#")]
    at = 0 if name == "edge-betweenness" else 1
    rows = [(tuple(int(v) for v in line[:at] + line[at + 1:]), float(line[at])) for line in lines]
    assert told == sorted(rows, key=lambda row: -row[1])[:top]
    out, _ = run("measure", name, graph, "--top", top)
    assert len(re.findall(", of (?:the edge|vertex)", out)) == len(told)


@pytest.mark.parametrize("name, columns", [("spanning-forest", 2), ("edge-betweenness", 3)])
def test_an_array_of_one_column_is_told(graph, tmp_path, name, columns):
    _, err = run("measure", name, graph, "-o", tmp_path / "edges.npy")
    assert f"alone; a .txt or .csv file has all {columns} columns\n" in err
    assert "alone" not in run("measure", name, graph, "-o", tmp_path / "edges.csv")[1]
    assert run("measure", name, graph, "-o", tmp_path / "edges.npy", "-q")[1] == ""


def test_a_matrix_as_text(graph, tmp_path):
    refuse("apsp", graph, "-o", tmp_path / "m.csv",
           says=["a matrix is written as .npy", "hint: hoplite table writes text: a row for each"])


def test_top_is_for_many_values(graph):
    refuse("measure", "diameter", graph, "--top", 3,
           says=["diameter does not take --top", "with a value for each vertex or edge"])


@pytest.mark.parametrize("directed", [False, True])
def test_values_of_vertices(graph, directed):
    way = ["--directed" if directed else "--undirected"]
    found = distances(directed)
    assert values(graph, "eccentricity", *way) == {v: max(found[v].values()) for v in IDS}
    assert values(graph, "reach", "--within", 1, *way) == {
        v: sum(d == 1 for d in found[v].values()) for v in IDS}
    for to in ("in", "out"):
        rows = {v: [found[u][v] for u in IDS if v in found[u]] if to == "in"
                else list(found[v].values()) for v in IDS}
        right = {v: sum(1 / d for d in rows[v] if d) for v in IDS}
        assert values(graph, "harmonic", "--direction", to, *way) == pytest.approx(right)
        if to == "in":  # the default
            assert values(graph, "harmonic", *way) == pytest.approx(right)
        right = {v: (len(rows[v]) - 1) / sum(rows[v]) if sum(rows[v]) else 0 for v in IDS}
        assert values(graph, "closeness", "--unscaled", "--direction", to, *way) == \
            pytest.approx(right)
        right = {v: right[v] * (len(rows[v]) - 1) / 5 for v in IDS}
        assert values(graph, "closeness", "--direction", to, *way) == pytest.approx(right)


def test_numbers_and_sets(graph):
    found = distances(False)
    every = [d for row in found.values() for d in row.values()]
    asked = {name: run_json("measure", name, graph, "--undirected", "--certify") for name in (
        "diameter", "radius", "wiener", "mean-distance", "efficiency", "center", "periphery",
        "barycenter", "histogram")}
    assert all(said["certified"] == "canonical" for said in asked.values())
    assert asked["diameter"]["value"] == 2 and asked["radius"]["value"] == 1
    assert asked["wiener"]["value"] == sum(every) / 2
    assert asked["mean-distance"]["value"] == pytest.approx(sum(every) / sum(d > 0 for d in every))
    assert asked["efficiency"]["value"] == pytest.approx(sum(1 / d for d in every if d) / 30)
    assert asked["center"]["vertices"] == [30, 50, 60]
    assert asked["periphery"]["vertices"] == [10, 20, 40]
    assert asked["barycenter"]["vertices"] == [30]
    assert asked["histogram"]["pairs"] == [every.count(d) for d in range(3)]


def test_files(graph, tmp_path):
    run("measure", "histogram", graph, "--undirected", "-o", tmp_path / "pairs.txt", "-q")
    rows = np.loadtxt(tmp_path / "pairs.txt", dtype=int, comments="#")
    assert rows.tolist() == [[6, 0], [10, 1], [4, 2]]
    run("measure", "closeness", graph, "-o", tmp_path / "values.npy", "--ids",
        tmp_path / "ids.npy", "-q")
    assert np.load(tmp_path / "values.npy").dtype == np.float64
    assert np.load(tmp_path / "ids.npy").tolist() == IDS
    run("measure", "center", graph, "--undirected", "-o", tmp_path / "center.txt", "-q")
    assert (tmp_path / "center.txt").read_text().split()[-3:] == ["30", "50", "60"]


def test_numbers_in_text_are_the_same_and_as_python_has_them(tmp_path):
    """Distances of every size: written and read they are the same, with no digit too many."""
    sizes = [5 / 6, 1 / 3, 0.1 + 0.2, 2 / 3 * 1e-9, 1e300 / 7, 12.5, 123456.789]
    path = tmp_path / "star.txt"
    path.write_text("".join(f"0 {i + 1} {size!r}\n" for i, size in enumerate(sizes)))
    run("sssp", path, "--from", "edge-list", "--source", 0, "-o", tmp_path / "far.txt", "-q")
    rows = [line.split() for line in (tmp_path / "far.txt").read_text().splitlines()
            if not line.startswith("#")]
    assert {row[0]: float(row[1]) for row in rows} == \
        {"0": 0.0, **{str(i + 1): size for i, size in enumerate(sizes)}}
    assert [len(row[1]) for row in rows[1:]] == [len(repr(size)) for size in sizes]


def test_strong_components_and_order(graph, tmp_path):
    said = run_json("measure", "strong-components", graph, "--directed", "--certify")
    assert said["components"] == 4 and said["largest"] == {"vertices": 3, "smallest": 10}
    assert said["certified"] == "canonical" and said["shape"] == "labels"
    assert values(graph, "strong-components", "--directed") == {
        10: 10, 20: 10, 30: 10, 40: 40, 50: 50, 60: 60}
    assert "3 vertices, the smallest of which is 10" in run(
        "measure", "strong-components", graph, "--directed")[0]
    refuse("measure", "topological-order", graph, "--directed", code=None,
           says=["topological order: the graph has none, because it has a cycle (3 arcs): "
                 "10, 20, 30, 10"])
    path = tmp_path / "order.txt"
    path.write_text("7 5\n5 9\n7 9\n3 9\n")
    said = run_json("measure", "topological-order", path, "--directed", "--certify")
    assert said["vertices"] == [3, 7, 5, 9]
    run("measure", "topological-order", path, "--directed", "-o", tmp_path / "order.npy", "-q")
    assert np.load(tmp_path / "order.npy").tolist() == [0, 2, 1, 3]


def test_voronoi(graph, tmp_path):
    right = {10: 10, 20: 10, 30: 10, 40: 40, 50: -1, 60: -1}
    given = ["measure", "voronoi", graph, "--undirected"]
    assert values(graph, "voronoi", "--undirected", "--centers", "40,10", "--certify") == right
    said = run_json(*given, "--centers", 40, "--centers", 10, "--certify")
    assert said["shape"] == "cells" and said["certified"] == "canonical"
    assert said["cells"] == [{"center": 10, "vertices": 3}, {"center": 40, "vertices": 1}]
    assert said["unreached"] == 2 and said["count"] == 6
    assert values(graph, "voronoi", "--directed", "--centers", 40, "--direction", "out") == {
        10: 40, 20: 40, 30: 40, 40: 40, 50: -1, 60: -1}
    (tmp_path / "centers.txt").write_text("40\n10\n40\n")
    out, _ = run(*given, "--centers-from", tmp_path / "centers.txt", "-o", tmp_path / "c.npy")
    assert np.load(tmp_path / "c.npy").tolist() == [0, 0, 0, 3, 2**32 - 1, 2**32 - 1]
    out, _ = run(*given, "--centers-from", tmp_path / "centers.txt")
    assert "10: 3 vertices" in out and "2 vertices" in out
    refuse(*given, code=USAGE, says=["needs vertices", "--centers V,..."])
    refuse(*given, "--centers", 11, code=USAGE, says=["no vertex 11"])
    refuse(*given, "--centers-from", "/dev/null", code=USAGE, says=["no vertex is named"])
    refuse("measure", "closeness", graph, "--centers", 10, code=USAGE,
           says=["does not take --centers", "it is for voronoi"])


def test_betweenness(graph):
    right = {10: 0, 20: 0, 30: 2, 40: 0, 50: 0, 60: 0}
    assert values(graph, "betweenness", "--undirected", "--unscaled", "--certify") == right
    assert values(graph, "betweenness", "--undirected") == pytest.approx(
        {v: value / 10 for v, value in right.items()})
    some = [values(graph, "betweenness", "--undirected", "--samples", 3, "--seed", seed)
            for seed in (1, 1, 2, 3, 4, 5)]
    assert some[0] == some[1] and any(one != some[0] for one in some)


def test_estimates_say_how_far_off_they_may_be(graph):
    """By n / (n - 1) sqrt(ln(20 n) / 2k), times the pairs if not by their number."""
    error = 6 / 5 * math.sqrt(math.log(20 * 6) / 6)
    given = ["measure", "betweenness", graph, "--undirected", "--samples", 3]
    said = run_json(*given)
    assert said["samples"] == 3 and said["error"] == pytest.approx(error)
    assert run_json(*given, "--unscaled")["error"] == pytest.approx(10 * error)
    assert f"from 3 of 6 vertices; within {error:.3g} of the exact values" in run(*given)[0]
    assert "samples" not in run_json("measure", "betweenness", graph, "--samples", 6)


def test_local_efficiency_and_estimates_of_distances(graph):
    right = {10: 1, 20: 1, 30: 1 / 3, 40: 0, 50: 0, 60: 0}
    assert values(graph, "local-efficiency", "--undirected", "--certify") == pytest.approx(right)
    share = math.sqrt(math.log(20 * 6) / 4)
    said = run_json("measure", "closeness", graph, "--undirected", "--samples", 3, "--certify")
    assert said["error"] == pytest.approx(share) and said["bounded"].startswith("1 / value")
    assert f"1 / value, by the greatest distance, is within {share:.3g} of the exact" in run(
        "measure", "closeness", graph, "--undirected", "--samples", 3)[0]
    said = run_json("measure", "harmonic", graph, "--undirected", "--samples", 3)
    assert said["error"] == pytest.approx(5 * share) and "bounded" not in said
    assert values(graph, "harmonic", "--undirected", "--samples", 6) == values(
        graph, "harmonic", "--undirected")


def test_edge_betweenness(graph, tmp_path):
    """On the paths of two triangles' ends and what hangs on them, by hand."""
    right = {(10, 20): 1, (10, 30): 2, (20, 30): 2, (30, 40): 3, (50, 60): 1}
    given = ["measure", "edge-betweenness", graph, "--undirected"]
    for options, scale in (["--unscaled", "--certify"], 1), ([], 15):
        rows = [line.split() for line in run(*given, "-o", "-", "-q", *options)[0].splitlines()]
        assert rows[0][1:] == ["edge-betweenness", "from", "to"]
        assert {(int(u), int(v)): float(value) for value, u, v in rows[1:]} == pytest.approx(
            {edge: value / scale for edge, value in right.items()})
    said = run_json(*given)
    assert said["greatest"][0] == {"from": 30, "to": 40, "value": pytest.approx(.2)}
    assert said["count"] == 5 and said["shape"] == "arc"
    assert "0.2, of the edge from 30 to 40" in run(*given)[0]
    run(*given, "-o", tmp_path / "values.npy", "-q")
    assert np.load(tmp_path / "values.npy").tolist() == pytest.approx(
        [value / 15 for value in right.values()])
    error = math.sqrt(math.log(20 * 5) / 6)
    assert run_json(*given, "--samples", 3)["error"] == pytest.approx(error)
    assert run_json(*given, "--samples", 3, "--unscaled")["error"] == pytest.approx(15 * error)


def test_spanning_forest(graph, tmp_path):
    said = run_json("measure", "spanning-forest", graph, "--certify")
    assert said["shape"] == "arcs" and said["count"] == len(said["edges"])
    assert said["certified"] == "canonical" and {"from", "to"} <= set(said["edges"][0])
    path = tmp_path / "square.txt"
    path.write_text("1 2 5\n2 3 1\n3 4 1\n4 1 1\n")
    said = run_json("measure", "spanning-forest", path)
    assert said["weight"] == 3 and said["edges"][0] == {"from": 1, "to": 4, "weight": 1}
    assert "3" in run("measure", "spanning-forest", path)[0]
    run("measure", "spanning-forest", path, "-o", tmp_path / "forest.txt", "-q")
    assert (tmp_path / "forest.txt").read_text().split()[4:] == "1 4 1 2 3 1 3 4 1".split()


def test_too_little_memory_is_told(tmp_path):
    """Of a graph whose arcs are to be turned round."""
    path = tmp_path / "web.npz"
    run("generate", "rmat", "--scale", 10, "-o", tmp_path / "made.npz", "-q")
    run("convert", tmp_path / "made.npz", path, "--directed", "-q")
    said = refuse("measure", "closeness", path, "--memory", "400K", code=FAILURE,
                  says=["needed in all", "would do"])
    run("measure", "closeness", path, "--memory", re.search(r"--memory (\S+) would", said)[1])


def test_every_measure_is_in_the_help(graph):
    listed = run("measure", "--help")[0]
    for name in ("closeness", "harmonic", "eccentricity", "reach", "diameter", "histogram"):
        assert f"\n  {name}" in listed
        assert name in run("measure", name, graph)[0] or name in (
            "closeness", "harmonic", "eccentricity", "reach", "histogram")


@pytest.mark.parametrize("words, says", [
    (["closenes", "GRAPH"], "did you mean closeness?"),
    (["GRAPH", "closeness"], "hint: the measure comes first: hoplite measure closeness "),
    (["GRAPH"], "hint: the measure comes first, such as: hoplite measure diameter "),
    (["GRAPH"], "no measure"), ([], "name of a measure"), (["closeness"], "a file expected"),
    (["closeness", "GRAPH", "--within", "3"], "closeness does not take --within"),
    (["strong-components", "GRAPH", "--direction", "in"], "does not take --direction"),
    (["voronoi", "-", "--centers-from", "-"], "only one of graph and --centers-from can be -"),
    (["reach", "GRAPH", "--unscaled"], "it is for closeness, betweenness, edge-betweenness"),
    (["reach", "GRAPH", "--samples", "2"], "reach does not take --samples")])
def test_what_is_asked_wrongly(graph, words, says):
    refuse("measure", *[graph if word == "GRAPH" else word for word in words], says=[says])
