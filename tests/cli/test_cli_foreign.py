# SPDX-License-Identifier: Apache-2.0
"""Files of other programs: zstd is read where its library is; of others the message has one command
that makes them readable, which is run here, as it is printed."""

import os
import shutil
import subprocess
import sys
import zipfile

import pytest

from cli_testing import BAD_INPUT, clean_environment, run

EDGES = "alice\tbob\nbob\tcarol\ncarol\tdave\n"


def graph_hash(path):
    """What was read, as text."""
    return run("convert", path, "--to", "edge-list", "-o", "-")[0]


def networkx():
    return pytest.importorskip("networkx").parse_edgelist(EDGES.splitlines())


def pack(program, *words):
    def make(path):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program}")
        subprocess.run([program, *words], input=EDGES.encode(), check=True,
                       stdout=open(path, "wb"))
    return make


def make_zip(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("edges.tsv", EDGES)


def make_parquet(path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    rows = [line.split("\t") for line in EDGES.splitlines()]
    pandas.DataFrame(rows, columns=["source", "target"]).to_parquet(path)


def make_json(path):
    links = ",".join('{"source": "%s", "target": "%s"}' % tuple(line.split("\t"))
                     for line in EDGES.splitlines())
    path.write_text(f'{{"links": [{links}]}}\n')


# How the file is made, its name, the program that its command needs, and what the command makes.
FILES = [
    (pack("xz", "-c"), "edges.tsv.xz", "xz", "edges.tsv"),
    (pack("bzip2", "-c"), "edges.tsv.bz2", "bunzip2", "edges.tsv"),
    (make_zip, "town.zip", "unzip", "edges.tsv"),
    (lambda path: path.write_text(EDGES, encoding="utf-16"), "town.tsv", "iconv", "town.tsv.txt"),
    (lambda path: path.write_text(EDGES, encoding="utf-16-be"), "bare.tsv", "iconv",
     "bare.tsv.txt"),
    (lambda path: path.write_bytes(EDGES.replace("\n", "\r").encode()), "mac.tsv", "tr",
     "mac.tsv.txt"),
    (make_parquet, "a b.parquet", None, "a b.parquet.csv"),
    (lambda path: pytest.importorskip("networkx").write_graphml(networkx(), path), "t.graphml",
     None, "t.graphml.tsv"),
    (lambda path: pytest.importorskip("networkx").write_gml(networkx(), path), "t.gml", None,
     "t.gml.tsv"),
    (make_json, "town.json", "jq", "town.json.csv"),
    (lambda path: path.write_text("# edges\n" + "".join(
        f"({a}, {b})\n" for a, b in map(str.split, EDGES.splitlines()))), "t.txt", "tr",
     "t.txt.csv"),
    (lambda path: path.write_text(EDGES.replace("\t", " -> ")), "arrows.txt", "sed",
     "arrows.txt.csv"),
    (lambda path: path.write_text(EDGES.replace("\t", "=>")), "tight.txt", "sed", "tight.txt.csv"),
]


@pytest.mark.parametrize("make, name, program, result", FILES, ids=[row[1] for row in FILES])
def test_the_command_makes_it_readable(make, name, program, result, tmp_path):
    if program is not None and shutil.which(program) is None:
        pytest.skip(f"there is no {program}")
    make(tmp_path / name)
    (tmp_path / "plain.tsv").write_text(EDGES)
    make_readable(name, tmp_path)
    assert graph_hash(tmp_path / result) == graph_hash(tmp_path / "plain.tsv")


def make_readable(name, tmp_path):
    """Does what the message says."""
    _, err = run("info", name, code=BAD_INPUT, cwd=tmp_path)
    command = err.split("make it readable: ")[1].splitlines()[0]
    # The interpreter of the tests has the packages.
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "python3").symlink_to(sys.executable)
    environment = clean_environment(PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")
    script = tmp_path / "script"
    script.write_text(command.replace("python3 ", f"'{sys.executable}' "))
    subprocess.run(["sh", script], cwd=tmp_path, env=environment, check=True)


def test_neighbours_and_matrices(tmp_path):
    (tmp_path / "near.txt").write_text("1: 2 3\n2: 3\n3:\n")
    make_readable("near.txt", tmp_path)
    assert graph_hash(tmp_path / "near.txt.txt").endswith("1\t2\n1\t3\n2\t3\n")
    for name, text in (("m.csv", ",a,b,c\na,0,2.5,0\nb,2.5,0,1\nc,0,1,0\n"),
                       ("semi.csv", ";a;b;c\na;0;2.5;0\nb;2.5;0;1\nc;0;1;0\n")):
        pytest.importorskip("pandas")
        (tmp_path / name).write_text(text)
        shutil.rmtree(tmp_path / "programs")
        make_readable(name, tmp_path)
        assert graph_hash(tmp_path / f"{name}.csv").endswith("a\tb\t2.5\nb\tc\t1.0\n")


def test_what_is_not_foreign(tmp_path):
    for text in ("graph graph\ngraph b\n", "digraph,b\nb,c\n", "json xml\nxml html\n",
                 "a->b,c\nc,d\n", "(a),b\nb,(c)\n", "(x,y\ny,z\n", "->,b\nb,c\n",
                 "a,b,c\na,b,1\n"):
        path = tmp_path / "edges.txt"
        path.write_text(text)
        assert "# Nodes:" in graph_hash(path)


def test_a_format_that_is_named_is_read(tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text('{"a" b\n')
    run("info", path, "--from", "edge-list", "--delimiter", "blank")


# ---- zstd ---------------------------------------------------------------------------------------

ZSTD = shutil.which("zstd")
needs_zstd = pytest.mark.skipif(ZSTD is None, reason="there is no zstd")


def zstd(path, text, *words):
    subprocess.run([ZSTD, "-q", "-c", *words], input=text, check=True, stdout=open(path, "wb"))
    return path


def many_edges(count=50000):
    return "".join(f"{i * 7919 % 50021} {i * 31 % 49999}\n" for i in range(count)).encode()


@needs_zstd
@pytest.mark.parametrize("words", [(), ("-19",), ("--long=27",), ("--no-check",)])
def test_zstd_is_read(words, tmp_path):
    text = many_edges()
    (tmp_path / "plain.txt").write_bytes(text)
    packed = zstd(tmp_path / "edges.txt.zst", text, *words)
    want = graph_hash(tmp_path / "plain.txt")
    assert graph_hash(packed) == want
    done = subprocess.run([os.environ["HOPLITE"], "convert", "-", "--to", "edge-list", "-o", "-"],
                          input=packed.read_bytes(), stdout=subprocess.PIPE, check=True)
    assert done.stdout.decode() == want  # from a pipe


@needs_zstd
def test_zstd_in_frames(tmp_path):
    one, two = b"1 2\n2 3\n", b"3 4\n" * 1000
    path = tmp_path / "edges.txt.zst"
    frames = [zstd(tmp_path / "frame", text).read_bytes() for text in (one, b"", two)]
    path.write_bytes(b"".join(frames) + b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc")
    (tmp_path / "plain.txt").write_bytes(one + two)
    assert graph_hash(path) == graph_hash(tmp_path / "plain.txt")


@needs_zstd
def test_zstd_cut_or_damaged(tmp_path):
    whole = zstd(tmp_path / "whole.zst", many_edges(2000)).read_bytes()
    path = tmp_path / "edges.txt.zst"
    for end in list(range(4, 40)) + list(range(40, len(whole), len(whole) // 20)):
        path.write_bytes(whole[:end])
        _, err = run("info", path, code=BAD_INPUT)
        assert "cut off" in err, (end, err)
    for at in range(4, len(whole), len(whole) // 40):
        damaged = bytearray(whole)
        damaged[at] ^= 0x55
        path.write_bytes(damaged)
        _, err = run("info", path, code=None)
        assert "zstd" in err, (at, err)
    path.write_bytes(whole + b"1 2\n")
    assert "damaged" in run("info", path, code=BAD_INPUT)[1]


@needs_zstd
def test_zstd_limits(tmp_path):
    """A small file that becomes a large one, and a window that is larger than the budget allows."""
    path = zstd(tmp_path / "edges.txt.zst", b"1 2\n" * 10**6)
    assert "max-bytes" in run("info", path, "--max-bytes", "1M", code=BAD_INPUT)[1]
    wide = zstd(tmp_path / "wide.txt.zst", many_edges(20000), "--long=25")
    run("info", wide, "--memory", "400M")
    _, err = run("info", wide, "--memory", "120M", code=None)
    assert "memory" in err


@needs_zstd
def test_zstd_is_not_written(tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text("1 2\n")
    _, err = run("convert", path, "-o", tmp_path / "out.txt.zst", code=2)
    assert "no format has this suffix" in err
