# SPDX-License-Identifier: Apache-2.0
"""bfs, components and variants: results in text, arrays and JSON, against NetworkX."""

import gzip
import os

import networkx as nx
import numpy as np
import pytest
from cli_testing import (BAD_INPUT, FAILURE, NO_DEVICE, USAGE, edges, host_variants, refuse, run,
                         run_json)  # noqa: F401 (edges is a fixture)

NONE = 2**32 - 1


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """Two parts and some vertices alone; ids with gaps. Returns (path, the same for NetworkX)."""
    path = tmp_path_factory.mktemp("graph") / "graph.txt"
    made = nx.gnm_random_graph(300, 320, seed=4)
    names = {v: 7 * v + 1000 * (v % 3) for v in made}
    made = nx.relabel_nodes(made, names)
    made.remove_nodes_from(list(nx.isolates(made)))
    path.write_text("".join(f"{u} {v}\n" for u, v in made.edges))
    return path, made


def rows(text):
    lines = text.splitlines()
    return lines[0].lstrip("# ").split("\t"), [[int(x) for x in line.split("\t")]
                                               for line in lines[1:]]


# ---- bfs -------------------------------------------------------------------------------------

def check_levels(found, made, sources):
    expected = nx.multi_source_dijkstra_path_length(made, sources)
    for vertex, level, parent in found:
        assert level == expected.get(vertex, -1)
        nearer = [u for u in made[vertex] if expected.get(u, -2) == level - 1]
        assert parent == (vertex if level == 0 else -1 if level == -1 else min(nearer))


@pytest.mark.parametrize("count", [1, 3])
def test_bfs_text(graph, count):
    path, made = graph
    sources = sorted(made)[5:5 + count]
    words = [word for s in sources for word in ("--source", s)]
    out, err = run("bfs", path, *words, "-o", "-", "--certify")
    names, found = rows(out)
    assert names == ["vertex", "level", "parent"]
    assert [row[0] for row in found] == sorted(made)
    check_levels(found, made, sources)
    assert "certified (canonical) in" in err and "TEPS" in err and "reached" in err


def test_bfs_sources_from_a_file(graph, tmp_path):
    path, made = graph
    few = sorted(made)[10:20]
    (tmp_path / "sources.txt").write_text("# ten\n" + "\n".join(map(str, few)) + "\n\n")
    by_file, _ = run("bfs", path, "--sources", tmp_path / "sources.txt", "-o", "-")
    check_levels(rows(by_file)[1], made, few)
    by_pipe, _ = run("bfs", path, "--sources", "-", "-o", "-", stdin="\n".join(map(str, few)))
    assert by_pipe == by_file
    words = [word for s in few for word in ("--source", s)]
    assert run("bfs", path, *words, "-o", "-")[0] == by_file


def test_bfs_arrays(graph, tmp_path):
    path, made = graph
    source = sorted(made)[5]
    text = rows(run("bfs", path, "--source", source, "-o", "-")[0])[1]
    _, err = run("bfs", path, "--source", source, "-o", tmp_path / "l.npy", "--parents",
                 tmp_path / "p.npy", "--ids", tmp_path / "i.npy")
    levels, parents, ids = (np.load(tmp_path / name, mmap_mode="r")
                            for name in ("l.npy", "p.npy", "i.npy"))
    assert levels.dtype == parents.dtype == np.uint32 and ids.dtype == np.uint64
    assert "wrote" in err and "levels" in err
    for row, (vertex, level, parent) in enumerate(text):
        assert ids[row] == vertex
        assert levels[row] == (NONE if level < 0 else level)
        assert (parents[row] == NONE) if parent < 0 else (ids[parents[row]] == parent)
    _, err = run("bfs", path, "-o", tmp_path / "l.npy")
    assert "--ids FILE" in err


@pytest.mark.parametrize("suffix", [".txt", ".csv", ".tsv.gz"])
def test_bfs_text_files(graph, tmp_path, suffix):
    path, made = graph
    printed, _ = run("bfs", path, "-o", "-")
    out, _ = run("bfs", path, "-o", tmp_path / f"r{suffix}", "-q")
    assert out == ""
    bytes_ = (tmp_path / f"r{suffix}").read_bytes()
    text = (gzip.decompress(bytes_) if suffix.endswith("gz") else bytes_).decode()
    if suffix == ".csv":
        assert text.startswith("vertex,level,parent\n")
        text = "# " + text.replace(",", "\t")
    assert text == printed


def test_bfs_summary_and_json(graph):
    path, made = graph
    busiest = min(made, key=lambda v: (-made.degree[v], v))
    reached = nx.single_source_shortest_path_length(made, busiest)
    out, err = run("bfs", path)
    assert f"source     {busiest}, the vertex with the most arcs" in out
    assert f"reached    {len(reached)} of {len(made)} vertices" in out
    assert f"levels     0 to {max(reached.values())}" in out
    assert "bfs: " in err
    found = run_json("bfs", path, "--certify=valid", "--repeat", "3")
    assert found["sources"] == [busiest] and found["source_chosen"] is True
    assert found["reached"] == len(reached) == sum(found["level_sizes"])
    assert found["levels"] == len(found["level_sizes"]) == max(reached.values()) + 1
    assert found["level_sizes"] == [list(reached.values()).count(i)
                                    for i in range(found["levels"])]
    assert len(found["runs"]) == 3 and found["certified"] == "valid"
    assert min(r["seconds"] for r in found["runs"]) <= found["seconds"]
    assert found["variant"] in {row["name"] for row in host_variants("bfs")}
    assert run("bfs", path, "-o", "-", "-q")[1] == ""


def test_bfs_limits(graph):
    path, made = graph
    source = min(made, key=lambda v: (-made.degree[v], v))
    all_levels = nx.single_source_shortest_path_length(made, source)
    assert max(all_levels.values()) > 3
    cut = run_json("bfs", path, "--source", source, "--depth", "2", "--certify")
    assert cut["reached"] == sum(level <= 2 for level in all_levels.values())
    near = next(v for v, level in all_levels.items() if level == 1)
    far = next(v for v, level in all_levels.items() if level == 3)
    stop = run_json("bfs", path, "--source", source, "--target", near, "--target", far,
                    "--certify")
    assert stop["reached"] == sum(level <= 3 for level in all_levels.values())


def test_bfs_every_variant_gives_the_same(graph):
    path, made = graph
    answers = {run("bfs", path, "--variant", row["name"], "-o", "-")[0]
               for row in host_variants("bfs")}
    assert len(answers) == 1


def test_bfs_explain(graph):
    path, _ = graph
    variants = [row["name"] for row in host_variants("bfs")]
    _, err = run("bfs", path, "--explain")
    assert err.startswith("variant ") and "\nmemory " in err and "\nprepare " in err
    dry, err = run("bfs", path, "--dry-run")
    assert dry.startswith("variant ") and err == ""
    assert all(name in dry for name in variants)
    plan = run_json("bfs", path, "--dry-run")
    assert plan["dry_run"] is True and plan["memory_bytes"] > 0
    here = [row for row in plan["variants"] if row["place"] == "host"]
    assert [row["name"] for row in here] == variants
    assert all(row["usable"] for row in here)
    named = run_json("bfs", path, "--explain", "--variant", "sequential")
    assert named["variant"] == "sequential" and "name" in named["reason"]
    here = [row for row in named["variants"] if row["place"] == "host"]
    assert [row["name"] for row in here] == variants


def test_bfs_memory(graph, tmp_path):
    big = tmp_path / "big.npz"
    run("generate", "grid", "--rows", "1000", "--cols", "1000", "-o", big, "-q")
    err = refuse("bfs", big, "--memory", "9M", code=FAILURE, says=["needed", "--memory"])
    assert "MiB" in err
    refuse("bfs", big, "--memory", "5M", code=FAILURE, says=["results", "needed in all"])
    run("bfs", big, "--memory", "40M")
    err = refuse("bfs", big, "--memory", "9M", "--dry-run", code=FAILURE, says=["needed"])


def test_empty_graph(tmp_path):
    path = tmp_path / "empty.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n0 0 0\n")
    assert run_json("bfs", path, "--certify")["reached"] == 0
    assert run("bfs", path, "-o", "-")[0] == "# vertex\tlevel\tparent\n"
    assert run_json("components", path, "--certify")["components"] == 0
    assert run("components", path, "-o", tmp_path / "c.npy", "-q") == ("", "")
    assert np.load(tmp_path / "c.npy").shape == (0,)
    refuse("bfs", path, "--source", "0", says=["no vertex 0", "empty"])


def test_progress_in_lines(tmp_path):
    _, err = run("generate", "rmat", "--scale", "20", "--progress", "-o", tmp_path / "g.npz")
    assert "%" in err and "\r" not in err and "\033" not in err


@pytest.mark.parametrize("words, code, says", [
    (["bfs"], USAGE, ["a file expected", "usage: hoplite bfs"]),
    (["bfs", "G", "--source", "1"], USAGE, ["--source: the graph has no vertex 1",
                                            "from 10 to 50"]),
    (["bfs", "G", "--source", "22"], USAGE, ["the graph has no vertex 22",
                                             "the nearest are 20 and 30"]),
    (["bfs", "G", "--target", "99"], USAGE, ["--target: the graph has no vertex 99"]),
    (["bfs", "G", "--source", "ten"], USAGE, ["--source", '"ten"', "number of a vertex"]),
    (["bfs", "G", "--source", "10", "--target", "10,20"], USAGE,
     ['"10,20"', "--target 10 --target"]),
    (["bfs", "G", "--source", "-1"], USAGE, ["--source", '"-1"']),
    (["bfs", "G", "--source"], USAGE, ["--source: V expected"]),
    (["bfs", "G", "--sources", "nothing.txt"], FAILURE, ["--sources", "No such file"]),
    (["bfs", "-", "--sources", "-"], USAGE, ["only one of"]),
    (["bfs", "G", "--variant", "seqential"], USAGE, ["seqential", "did you mean sequential"]),
    (["bfs", "G", "--set", "x=1"], USAGE, ["--set x", "--variant"]),
    (["bfs", "G", "--variant", "sequential", "--set", "x=1"], USAGE, ["no parameter", "x"]),
    (["bfs", "G", "--certify=perhaps"], USAGE, ["--certify", "canonical, valid"]),
    (["bfs", "G", "--certify", "valid"], USAGE, ["one word too many"]),
    (["bfs", "G", "--depth", "-1"], USAGE, ["--depth"]),
    (["bfs", "G", "--cutoff", "3"], USAGE, ["no such option"]),
    (["bfs", "G", "--repeat", "0"], USAGE, ["--repeat"]),
    (["bfs", "G", "--prepare", "tea"], USAGE, ["--prepare", "reverse, diameter"]),
    (["bfs", "G", "-o", "levels.dat"], USAGE, [".npy", ".txt"]),
    (["bfs", "G", "-o", "levels.npz"], USAGE, [".npy holds one"]),
    (["bfs", "G", "-o", "nowhere/levels.npy"], FAILURE, ["No such file"]),
    (["bfs", "G", "-o", "-", "--json"], USAGE, ["both want standard output"]),
    (["bfs", "G", "-o", "-", "--parents", "-"], USAGE, ["both go to standard output"]),
    (["bfs", "G", "--device", "cuda:7"], NO_DEVICE, ["cuda:7", "hoplite devices"]),
    (["components", "G", "--relabel"], USAGE, ["-o"]),
    (["components", "G", "--largest", "x.unknown"], USAGE, ["no format has this suffix"]),
    (["components", "G", "--source", "10"], USAGE, ["no such option"]),
    (["variants", "bsf"], USAGE, ["bsf", "did you mean bfs"]),
])
def test_mistakes(words, code, says, edges, tmp_path):
    given = [str(edges) if word == "G" else word for word in words]
    before = set(tmp_path.iterdir())
    refuse(*given, code=code, says=says, cwd=tmp_path, stdin="")
    assert set(tmp_path.iterdir()) == before


def test_wrong_files(edges, tmp_path):
    run("generate", "list", "--n", "10", "-o", tmp_path / "list.npy", "-q")
    refuse("bfs", tmp_path / "list.npy", code=BAD_INPUT, says=["a graph expected", "rank"])
    refuse("rank", edges, code=BAD_INPUT, says=["a graph is no list"])
    (tmp_path / "sources.txt").write_text("10\n\n# a comment\n77\n")
    refuse("bfs", edges, "--sources", tmp_path / "sources.txt", code=BAD_INPUT,
           says=["sources.txt:4", "no vertex 77"])


def test_targets_are_answered(graph, tmp_path):
    path, made = graph
    parts = sorted(nx.connected_components(made), key=len)
    source, far = min(parts[-1]), min(parts[0])
    expected = nx.single_source_shortest_path_length(made, source)
    targets = [max(parts[-1]), far, source]
    for verb, word in (("bfs", "level"), ("sssp", "distance")):
        words = [verb, path, "--source", source, *(x for t in targets for x in ("--target", t))]
        found = run_json(*words)["targets"]
        assert found == [{"vertex": t, word: expected.get(t)} for t in targets]
        lines = [f"target     vertex {t}: " + (f"{word} {expected[t]}" if t in expected
                                               else "not reached") for t in targets]
        assert [x for x in run(*words)[0].splitlines() if x.startswith("target ")] == lines
        out, err = run(*words, "-o", "-")
        assert all(line in err.splitlines() and line not in out for line in lines)
        assert "targets" not in run_json(verb, path, "--source", source)
    words = ["bfs", path, "--source", source, "--target"]
    assert "no farther than the targets" in run(*words, source)[0]
    assert "no farther" not in run(*words, far)[0]  # everything was searched for it
    assert "not reached, within --depth 0" in run("bfs", path, "--source", source, "--target", far,
                                                  "--depth", 0)[0]
    (tmp_path / "all.txt").write_text("\n".join(map(str, sorted(made))))
    words = ["sssp", path, "--source", source, "--targets", tmp_path / "all.txt"]
    assert len(run_json(*words)["targets"]) == len(made)
    assert f"and {len(made) - 16} more" in run(*words)[0]


# ---- components ------------------------------------------------------------------------------

def test_components(graph, tmp_path):
    path, made = graph
    parts = sorted(nx.connected_components(made), key=lambda part: (-len(part), min(part)))
    name = {v: min(part) for part in parts for v in part}
    out, err = run("components", path, "--certify", "-o", "-", "--sizes", tmp_path / "s.txt",
                   "--largest", tmp_path / "big.txt")
    assert "certified (canonical) in" in err
    assert f"components {len(parts)}, " in err
    names, found = rows(out)
    assert names == ["vertex", "component"]
    assert dict(found) == name
    names, sizes = rows((tmp_path / "s.txt").read_text())
    assert names == ["size", "component"]
    assert sizes == [[len(part), min(part)] for part in parts]
    big = nx.read_edgelist(tmp_path / "big.txt", nodetype=int)
    assert set(big) == parts[0] and nx.utils.graphs_equal(big, made.subgraph(parts[0]))


def test_components_relabelled(graph, tmp_path):
    path, made = graph
    parts = sorted(nx.connected_components(made), key=min)
    number = {v: i for i, part in enumerate(parts) for v in part}
    run("components", path, "--relabel", "-o", tmp_path / "c.npy", "--sizes", tmp_path / "s.npy",
        "-q")
    found = np.load(tmp_path / "c.npy")
    assert found.dtype == np.uint32
    assert list(found) == [number[v] for v in sorted(made)]
    assert list(np.load(tmp_path / "s.npy")) == sorted(map(len, parts), reverse=True)
    out, _ = run("components", path, "--relabel", "-o", "-")
    assert dict(rows(out)[1]) == number


def test_components_summary_and_json(graph):
    path, made = graph
    parts = sorted(nx.connected_components(made), key=lambda part: (-len(part), min(part)))
    out, _ = run("components", path)
    assert f"components {len(parts)}, " in out
    assert f"largest    {len(parts[0])} vertices" in out
    found = run_json("components", path, "--certify")
    assert found["components"] == len(parts)
    assert found["single_vertices"] == sum(len(part) == 1 for part in parts)
    assert [(row["vertex"], row["size"]) for row in found["largest"]] == [
        (min(part), len(part)) for part in parts[:5]]


def test_components_every_variant_gives_the_same(graph):
    path, _ = graph
    answers = {run("components", path, "--variant", row["name"], "-o", "-")[0]
               for row in host_variants("components")}
    assert len(answers) == 1


# ---- variants --------------------------------------------------------------------------------

def test_variants():
    everything = run_json("variants")["variants"]
    problems = [row["problem"] for row in everything]
    assert list(dict.fromkeys(problems)) == ["rank", "components", "bfs", "sssp", "apsp"]
    out, _ = run("variants")
    for problem in dict.fromkeys(problems):
        some = run_json("variants", problem)["variants"]
        assert some == [row for row in everything if row["problem"] == problem]
        text, _ = run("variants", problem)
        assert text.startswith(f"{problem}\n") and text in out
        for row in some:
            assert f"  {row['name']} " in text
            assert row["place"] in ("host", "device")
            for parameter in row["parameters"]:
                assert f"--set {parameter['name']}=" in text


# ---- path without weights, and ids in explanations ----------------------------------------------

def test_path_without_weights_is_breadth_first(tmp_path):
    """The same path and distances as by a variant of sssp, found by bfs."""
    graph = tmp_path / "g.npz"
    run("generate", "erdos-renyi", "--n", 500, "--m", 900, "-o", graph)
    reached = 0
    for target in range(1, 60):
        by_levels = run_json("path", graph, 0, target, code=None)
        by_distances = run_json("path", graph, 0, target, "--variant", "dijkstra", code=None)
        reached += by_levels["distance"] is not None
        for field in ("distance", "path", "distances", "distance_type"):
            assert by_levels[field] == by_distances[field], (target, field)
        assert by_distances["variant"] == "dijkstra" != by_levels["variant"]
    assert 0 < reached < 60
    _, err = run("path", graph, 0, 1, code=None)
    assert "bfs: " in err or "no path" in err


def test_explanations_name_vertices_as_the_file_does(tmp_path):
    (tmp_path / "w.txt").write_text("100 200 5\n200 300 -3\n300 700 1\n")
    out, _ = run("sssp", tmp_path / "w.txt", "--directed", "--source", 100, "--explain",
                 "--dry-run")
    line = next(line for line in out.splitlines() if "dijkstra" in line)
    assert "arc from 200 to 300" in line and "1 to 2" not in line


# ---- what the pages show -----------------------------------------------------------------------

@pytest.mark.parametrize("problem", ["bfs", "sssp"])
def test_examples_of_the_page(problem, tmp_path):
    """They run as they are written, and a search among them does not begin at a vertex alone."""
    text = open(os.path.join(os.environ["HOPLITE_SOURCE_DIR"], "docs", f"{problem}.md")).read()
    block = next(b for b in text.split("```\n") if b.startswith("hoplite generate"))
    for line in block.splitlines():
        out, err = run(*line.split()[1:], cwd=tmp_path)
        assert " 1 of " not in out + err, line


def test_nearest(tmp_path):
    """Ties by vertex order, sources left out; the result is certified with the same option."""
    path, result = tmp_path / "g.csv", tmp_path / "r.txt"
    path.write_text("from,to,w\na,b,1\na,c,1\nb,d,2\nc,e,2\nd,f,1\ne,g,0\nf,h,5\n")
    words = [path, "--source", "a", "--nearest", 3, "--header", "yes"]
    found = run_json("sssp", *words, "--certify", "-o", result)
    assert [(one["vertex"], one["distance"]) for one in found["nearest"]] == \
        [("b", 1), ("c", 1), ("d", 3)]
    assert found["reached"] == 6 and found["variant"] == "dijkstra"
    for variant in ("delta-stepping", "bellman-ford"):
        out, err = run("sssp", *words, "--variant", variant, "--certify", "-o", "-")
        assert out == result.read_text()
        assert "nearest    vertex d: distance 3" in err and "no farther than the nearest" in err
    found = run_json("bfs", *words, "--certify")
    assert [(one["vertex"], one["level"]) for one in found["nearest"]] == \
        [("b", 1), ("c", 1), ("d", 2)]
    assert found["reached"] == 5
    assert len(run_json("bfs", path, "--source", "a", "--nearest", 99)["nearest"]) == 7
