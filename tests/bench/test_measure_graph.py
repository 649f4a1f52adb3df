# SPDX-License-Identifier: Apache-2.0
"""A graph as each collection packs it becomes the same row; what cannot become one is explained."""

import bz2
import gzip
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

import pytest

SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])
EDGES = [(1, 2, 5), (2, 3, 7), (1, 3, 9), (4, 5, 1)]


def measured(*words):
    return subprocess.run([sys.executable, "-B", SOURCE / "bench/measure_graph", "--repeat", "1",
                           "--sources", "1", *words], capture_output=True, text=True, check=False)


def cells(done):
    assert done.returncode == 0, done.stderr
    return [word.strip() for word in done.stdout.splitlines()[-1].strip("| ").split("|")]


def archive(path, mode, files):
    with tarfile.open(path, mode) as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
    return path


def lines(edges, form):
    return "".join(form.format(*edge) + "\n" for edge in edges).encode()


def suitesparse(folder):
    text = b"%%MatrixMarket matrix coordinate integer symmetric\n5 5 4\n"
    return archive(folder / "town.tar.gz", "w:gz", {
        "town/town.mtx": text + lines(EDGES, "{1} {0} {2}"), "town/town_b.mtx": b"no graph\n"})


def konect(folder):
    return archive(folder / "town.tar.bz2", "w:bz2", {
        "town/README.town": b"words\n", "town/meta.town": b"words\n",
        "../../town/out.town": b"% sym posweighted\n" + lines(EDGES, "{} {} {} 1080000000")})


def dimacs_roads(folder):
    path = folder / "town.gr.gz"
    arcs = EDGES + [(b, a, w) for a, b, w in EDGES]
    path.write_bytes(gzip.compress(b"c hoplite undirected\np sp 5 8\n" +
                                   lines(arcs, "a {} {} {}")))
    return path


def dimacs_clusters(folder):
    path = folder / "town.graph.bz2"
    path.write_bytes(bz2.compress(b"5 4 1\n2 5 3 9\n1 5 3 7\n1 9 2 7\n5 1\n4 1\n"))
    return path


def graphalytics(folder):
    plain = archive(folder / "town.tar", "w", {
        "town.v": b"1\n2\n3\n4\n5\n", "town.e": lines(EDGES, "{} {} {}"),
        "town.properties": b"graph.town.directed = false\n", "town-BFS": b"1 0\n"})
    subprocess.run(["zstd", "-q", plain], check=True)
    return folder / "town.tar.zst"


@pytest.mark.parametrize("make", [suitesparse, konect, dimacs_roads, dimacs_clusters,
                                  graphalytics], ids=lambda make: make.__name__)
def test_collection(tmp_path, make):
    if make is graphalytics and not shutil.which("zstd"):
        pytest.skip("no program zstd")
    found = cells(measured(make(tmp_path)))
    assert found[0].startswith("town")
    assert found[1:5] == ["5", "4", "undirected, int32", "2"]
    assert all(word.split()[1] in ("s", "ms", "µs") for word in found[5:])
    assert not (tmp_path.parent / "town").exists()  # an archive does not choose where it goes


def test_rows_are_kept(tmp_path):
    path = tmp_path / "snap.txt.gz"
    path.write_bytes(gzip.compress(b"# Directed graph\n" + lines(EDGES, "{}\t{}")))
    rows = tmp_path / "rows.jsonl"
    found = cells(measured(path, path, "--jsonl", rows))
    assert found[3] == "directed" and found[8] == "no weights"
    kept = [json.loads(line) for line in rows.read_text().splitlines()]
    runs = [row for row in kept if row["kind"] == "run"]
    assert len(runs) == 4 and all(row["certified"] and row["tag"] == "snap.txt.gz" for row in runs)


@pytest.mark.parametrize("first, word", [("% bip unweighted", "bipartite"),
                                         ("1 2", "KONECT's line")])
def test_konect_that_is_refused(tmp_path, first, word):
    path = archive(tmp_path / "a.tar.bz2", "w:bz2", {"a/out.a": f"{first}\n1 2\n".encode()})
    done = measured(path)
    assert done.returncode == 1 and word in done.stderr, done.stderr


def test_archives_that_are_refused(tmp_path):
    two = archive(tmp_path / "two.tar.gz", "w:gz", {"one.gr": b"", "other.gr": b""})
    none = archive(tmp_path / "none.tar.gz", "w:gz", {"README": b""})
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(suitesparse(tmp_path).read_bytes()[:-40])
    done = measured(two, none, cut)
    assert done.returncode == 1
    assert "one.gr and other.gr" in done.stderr and "no graph" in done.stderr
    assert done.stderr.count("measure_graph: ") == 3, done.stderr
