# SPDX-License-Identifier: Apache-2.0
"""hoplite convert: each change against the same change made here, and files that appear whole or
not at all."""

import gzip
import os
import re
import stat

import numpy as np
import pytest
from cli_testing import (BAD_INPUT, FAILURE, edges, refuse, run,
                         run_json)  # noqa: F401 (edges is a fixture)


def arcs_of(path, *words):
    """The edges of a graph as a sorted list, through the text format."""
    out, _ = run("convert", path, "-", "--to", "edge-list", *words)
    rows = [line.split() for line in out.splitlines() if line and line[0] not in "#%"]
    return sorted(tuple(float(word) for word in row) for row in rows)


def both(pairs):
    return sorted({(min(a, b), max(a, b)) for a, b in pairs})


PLAIN = [(10., 20.), (20., 30.), (30., 40.), (40., 10.), (10., 30.), (40., 50.)]


def test_keeps_labels(edges):
    assert both(arcs_of(edges)) == both(PLAIN)
    assert arcs_of(edges, "--directed") == sorted(PLAIN)


def test_reverse(edges):
    assert arcs_of(edges, "--directed", "--reverse") == sorted((b, a) for a, b in PLAIN)


def test_symmetrize(edges, tmp_path):
    directed = tmp_path / "directed.npz"
    run("convert", edges, directed, "--directed")
    assert run_json("info", directed)["graph"]["directed"] is True
    assert both(arcs_of(directed, "--symmetrize")) == both(PLAIN)
    run("convert", directed, tmp_path / "both.npz", "--symmetrize")
    graph = run_json("info", tmp_path / "both.npz")["graph"]
    assert graph["directed"] is False and graph["arcs"] == 12


@pytest.mark.parametrize("rule, weight", [("min", 3), ("max", 8), ("sum", 11)])
def test_symmetrize_weights(rule, weight, tmp_path):
    path = tmp_path / "directed.txt"
    path.write_text("0 1 3\n1 0 8\n")
    assert arcs_of(path, "--directed", "--symmetrize", "--duplicates", rule) == [(0, 1, weight)]


def test_drop_labels(edges):
    numbers = {10.: 0., 20.: 1., 30.: 2., 40.: 3., 50.: 4.}
    assert arcs_of(edges, "--directed", "--drop-labels") == sorted(
        (numbers[a], numbers[b]) for a, b in PLAIN)


@pytest.mark.parametrize("rule, weight", [("min", 2), ("max", 7), ("sum", 14), ("first", 5),
                                          ("last", 2)])
def test_duplicates(rule, weight, tmp_path):
    path = tmp_path / "weighted.txt"
    path.write_text("0 1 5\n0 1 7\n1 2 1\n0 1 2\n")
    assert arcs_of(path, "--directed", "--duplicates", rule) == [(0, 1, weight), (1, 2, 1)]


def test_duplicates_kept(tmp_path):
    path = tmp_path / "weighted.txt"
    path.write_text("0 1 5\n0 1 7\n1 2 1\n0 1 2\n")
    assert arcs_of(path, "--directed", "--duplicates", "keep") == [
        (0, 1, 2), (0, 1, 5), (0, 1, 7), (1, 2, 1)]


def test_drop_loops_and_weights(tmp_path):
    path = tmp_path / "loops.txt"
    path.write_text("0 0 5\n0 1 7\n1 1 1\n")
    assert arcs_of(path, "--directed", "--drop-loops") == [(0, 1, 7)]
    assert arcs_of(path, "--directed", "--drop-loops", "--drop-weights") == [(0, 1)]


@pytest.mark.parametrize("suffix", [".txt", ".npz", ".mtx", ".gr", ".graph", ".sg"])
def test_drop_options_hold_for_every_format(suffix, tmp_path):
    """What is accepted is done, also by formats whose arrays are ready to use."""
    source, path = tmp_path / "loops.txt", tmp_path / ("loops" + suffix)
    source.write_text("0 0\n0 1\n1 2\n2 2\n")
    loops = suffix != ".graph"  # METIS has none
    run("convert", source, path, "--directed" if suffix in (".gr", ".sg") else "--undirected",
        *([] if loops else ["--drop-loops"]))
    graph = run_json("info", path, "--drop-loops")["graph"]
    assert graph["loops"] == 0
    assert run_json("info", path)["graph"]["loops"] == (2 if loops else 0)


def test_vertices(edges, tmp_path):
    chosen = tmp_path / "chosen.txt"
    chosen.write_text("# three of them\n40\n10\n\n30 % and a comment\n10\n")
    assert both(arcs_of(edges, "--vertices", chosen)) == [(10, 30), (10, 40), (30, 40)]
    out, _ = run("convert", edges, "-", "--to", "edge-list", "--vertices", "-", stdin="10\n20\n")
    assert "10\t20\n" in out
    chosen.write_text("10\n11\n")
    refuse("convert", edges, tmp_path / "x.npz", "--vertices", chosen, code=BAD_INPUT,
           says=["chosen.txt:2: the graph has no vertex 11"])
    chosen.write_text("10\nten\n")
    refuse("convert", edges, tmp_path / "x.npz", "--vertices", chosen, code=BAD_INPUT,
           says=['chosen.txt:2: "ten"'])
    refuse("convert", edges, tmp_path / "x.npz", "--vertices", tmp_path / "none", code=FAILURE,
           says=["No such file"])
    assert not (tmp_path / "x.npz").exists()


def test_no_vertices(edges, tmp_path):
    (tmp_path / "none.txt").write_text("# nobody\n")
    run("convert", edges, tmp_path / "empty.npz", "--vertices", tmp_path / "none.txt")
    assert run_json("info", tmp_path / "empty.npz")["graph"]["vertices"] == 0


def test_pipe_to_pipe(edges):
    out, err = run("convert", "-", "-", "--to", "edge-list", "--directed", stdin=edges.read_text())
    assert "10\t20\n" in out and "wrote standard output" in err


def test_output_by_option_and_by_name(edges, tmp_path):
    run("convert", edges, tmp_path / "a.npz")
    run("convert", edges, "-o", tmp_path / "b.npz")
    run("convert", "--to", "npz", edges, tmp_path / "c.unknown")
    contents = {(tmp_path / name).read_bytes() for name in ("a.npz", "b.npz", "c.unknown")}
    assert len(contents) == 1


def test_gzip(edges, tmp_path):
    run("convert", edges, tmp_path / "a.txt.gz")
    run("convert", edges, tmp_path / "b.txt", "--gzip")
    first = gzip.decompress((tmp_path / "a.txt.gz").read_bytes())
    assert first == gzip.decompress((tmp_path / "b.txt").read_bytes())
    assert b"10\t20\n" in first
    assert run_json("info", tmp_path / "b.txt")["graph"]["edges"] == 6


def test_json(edges, tmp_path):
    done = run_json("convert", edges, tmp_path / "g.npz")
    assert done["input"] == str(edges) and done["format"] == "edge-list"
    assert done["graph"]["edges"] == 6
    assert done["output_bytes"] == (tmp_path / "g.npz").stat().st_size


def test_file_over_itself(tmp_path):
    path = tmp_path / "g.npz"
    run("generate", "rmat", "--scale", "10", "-o", path, "-q")
    before = run_json("info", path, "--hash")["hash"]
    run("convert", path, path, "-q")
    assert run_json("info", path, "--hash")["hash"] == before


def test_lists(tmp_path):
    text, array = tmp_path / "list.txt", tmp_path / "list.npy"
    text.write_text("2\n1\n1\n")
    run("convert", "--from", "list", text, array)
    assert np.load(array).tolist() == [2, 1, 1]
    refuse("convert", array, tmp_path / "x.npy", "--reverse", says=["--reverse means nothing"])
    refuse("info", array, "--drop-loops", says=["--drop-loops means nothing"])
    out, _ = run("info", array)
    assert "joins      0" in out
    packed = tmp_path / "list.npy.gz"
    packed.write_bytes(gzip.compress(array.read_bytes()))
    assert "joins      0" in run("info", packed)[0]
    for name in ("x.mtx", "x.npy.gz"):
        refuse("convert", array, tmp_path / name, says=["written as .npy"])
        refuse("generate", "list", "--n", 5, "-o", tmp_path / name, says=["written as .npy"])
    run("generate", "list", "--n", 5, "-o", "/dev/null")


@pytest.mark.parametrize("successors, heads, tails, joins", [
    ([0], 1, 1, 0), ([2, 2, 3, 3], 2, 1, 1), ([1, 0], 0, 0, 0), ([0, 1, 2], 3, 3, 0),
    ([3, 3, 3, 3, 3], 4, 1, 1), ([], 0, 0, 0),
])
def test_list_report(successors, heads, tails, joins, tmp_path):
    np.save(tmp_path / "list.npy", np.array(successors, dtype=np.int32))
    described = run_json("info", tmp_path / "list.npy")["list"]
    assert (described["heads"], described["tails"], described["joins"]) == (heads, tails, joins)


def test_failure_leaves_what_was_there(edges, tmp_path):
    broken = tmp_path / "broken.txt"
    broken.write_text("1 2\n3\n")
    target = tmp_path / "out" / "g.npz"
    target.parent.mkdir()
    target.write_text("precious")
    refuse("convert", broken, target, code=BAD_INPUT, says=["broken.txt:2"])
    assert target.read_text() == "precious"
    assert os.listdir(target.parent) == ["g.npz"]


def test_output_that_cannot_be(edges, tmp_path):
    refuse("convert", edges, tmp_path / "no" / "folder.npz", code=FAILURE,
           says=["folder.npz: cannot write: No such file or directory"])
    refuse("convert", edges, tmp_path, "--to", "npz", code=FAILURE, says=["a folder"])
    if os.geteuid() != 0:
        (tmp_path / "locked").mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
        refuse("convert", edges, tmp_path / "locked" / "g.npz", code=FAILURE,
               says=["Permission denied"])


def test_what_a_format_cannot_hold(tmp_path):
    path = tmp_path / "weighted.txt"
    path.write_text("0 1 0.5\n")
    err = refuse("convert", path, tmp_path / "g.gr", "--directed", code=FAILURE)
    assert "drop" in err
    run("convert", path, tmp_path / "g.npz", "--drop-weights")


def test_a_refusal_names_the_whole_need(tmp_path):
    """Whatever the format: the first refusal names a budget under which the file is read."""
    run("generate", "rmat", "--scale", "15", "-o", tmp_path / "g.npz", "-q")
    refused = []
    for row in run_json("formats")["formats"]:
        path = tmp_path / ("g" + row["suffixes"].split()[0])
        if not row["can_write"] or row["name"] in ("npz", "ldbc"):  # mapped; several files
            continue
        words = [] if row["undirected"] else ["--directed"]
        run("convert", tmp_path / "g.npz", path, "--to", row["name"], *words, "-q")
        _, err = run("info", path, "--from", row["name"], "--memory", "2M", code=FAILURE)
        need = re.search(r"([\d.]+ [KMG]iB) needed in total for", err)
        assert need and err.count("\n") == 1, (row["name"], err)
        run("info", path, "--from", row["name"], "--memory", need.group(1).replace(" ", ""))
        refused.append(row["name"])
    assert len(refused) >= 6, refused
    err = refuse("generate", "rmat", "--scale", "15", "--memory", "2M", code=FAILURE,
                 says=["32768 vertices"])
    need = re.search(r"([\d.]+ [KMG]iB) needed in total for", err)
    run("generate", "rmat", "--scale", "15", "--memory", need.group(1).replace(" ", ""))


@pytest.mark.parametrize("counts", [
    (99999999999999999999999, 200000), (-1, 200000), (300000, -1), (300000, 2 ** 63),
    (2 ** 64 - 1, 2 ** 64 - 1), (300000, 99999999999999999999999)])
def test_a_plan_does_not_believe_counts_that_cannot_be(counts, tmp_path):
    """Only a part of the file is read; nothing that could not be in it is planned for."""
    rows = "".join(f"{i} {i + 1}\n" for i in range(200000))
    for name, (vertices, edges) in {"right": (200001, 200000), "wrong": counts}.items():
        (tmp_path / name).write_text(f"# Nodes: {vertices} Edges: {edges}\n" + rows)
    right, wrong = (run_json("convert", tmp_path / name, tmp_path / "g.npz", "--dry-run")
                    for name in ("right", "wrong"))
    assert right["edges"] == 200000
    for what in ("vertices", "edges"):
        assert 0.5 < wrong[what] / right[what] < 2.1
