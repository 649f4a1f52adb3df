# SPDX-License-Identifier: Apache-2.0
"""Tables of edges: names, headers, quotes, delimiters, and what is said about wrong ones."""

import csv
import io
import json
import random

import pytest

from cli_testing import BAD_INPUT, USAGE, run, run_json

LETTERS = ["a", "b", "Z", "é", " ", '"', ",", ";", "\t", "1", "x y", "'", "|", "."]


def random_name(chance, pool):
    return pool[chance.randrange(len(pool))]


def random_table(chance):
    """Rows as csv writes them, and the same rows for a dict."""
    delimiter = chance.choice([",", ";", "\t", "|"])
    pool = ["n" + "".join(chance.choice(LETTERS) for _ in range(chance.randrange(0, 6))) + "m"
            for _ in range(chance.randrange(2, 12))]
    if chance.random() < 0.5:
        pool.append("two\nlines")
    weighted = chance.random() < 0.5
    rows = [[random_name(chance, pool), random_name(chance, pool)] +
            ([str(chance.randrange(1, 9))] if weighted else [])
            for _ in range(chance.randrange(1, 40))]
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=chance.choice(["\n", "\r\n"]),
                        quoting=chance.choice([csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC,
                                               csv.QUOTE_ALL]))
    if chance.random() < 0.5:
        writer.writerow(["source", "target", "weight"][:2 + weighted])
    writer.writerows(rows)
    text = out.getvalue()
    if chance.random() < 0.3:
        text = text[:-1].rstrip("\r")
    if chance.random() < 0.3:
        text = "\ufeff" + text
    return text, delimiter, rows


def arcs_of(path, *words):
    """The arcs with their names, as the command writes them into an edge list."""
    out, _ = run("convert", path, "-", "--to", "edge-list", "-q", *words)
    lines = [line for line in out.split("\n") if not line.startswith("#")]
    return list(csv.reader(io.StringIO("\n".join(lines), newline=""), delimiter="\t"))


@pytest.mark.parametrize("seed", range(24))
def test_random_tables_are_those_of_the_csv_module(seed, tmp_path):
    chance = random.Random(seed)
    text, delimiter, rows = random_table(chance)
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    expected = sorted(set(tuple(row[:2]) for row in csv.reader(
        io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=delimiter)
        if row and row[0] != "source"))
    assert expected == sorted(set(tuple(row[:2]) for row in rows))
    words = ["--directed", "--delimiter", "tab" if delimiter == "\t" else delimiter]
    hashes = set()
    for threads in (1, 2, 8):
        found = arcs_of(path, *words, "--threads", threads)
        assert sorted(tuple(row[:2]) for row in found) == expected
        hashes.add(run_json("info", path, *words, "--hash", "--threads", threads)["hash"])
    assert len(hashes) == 1
    if len(rows[0]) == 3:
        least = {}
        for one, other, weight in rows:
            least[one, other] = min(int(weight), least.get((one, other), 99))
        assert {(a, b): int(w) for a, b, w in found} == least
    run("convert", path, tmp_path / "t.npz", "-q", *words)
    run("convert", tmp_path / "t.npz", tmp_path / "back.txt", "-q")
    assert run_json("info", tmp_path / "back.txt", "--hash")["hash"] in hashes


# What a file has, the options, and what is said: a number of vertices, or a part of the message.
MESSY = [
    ("alice,bob,3.5\nbob,carol,1\n", [], 3),
    ("source,target,weight\nalice,bob,3.5\n", [], 2),
    ("\ufeffsource;target\nalice;bob\n", [], 2),
    ("person,friend\nalice,bob\n", [], 4),
    ("person,friend\nalice,bob\n", ["--header", "yes"], 2),
    ("source,target\nalice,bob\n", ["--header", "no"], 4),
    ("alice bob\nbob   carol\n", [], 3),
    ("alice\tbob jr\n", [], 2),
    ("from,to\n1,2\n2,3\n", [], 3),
    ("id,from,to,cost\n7,a,b,1\n", [], "4 columns, expected 2 or 3"),
    ("id,from,to,cost\n7,a,b,1\n", ["--columns", "from,to,cost"], 2),
    ("id,from,to,cost\n7,a,b,1\n", ["--columns", "from,too"], 'no column "too" among 4: id, from'),
    ("1 2 {}\n2 3 {}\n", ["--columns", "1,2"], 3),
    ("1 2 {}\n2 3 {}\n", [], "--columns FROM,TO[,WEIGHT]"),
    ("1 2 0.5 1082040961\n", ["--columns", "1,2,3"], 2),
    ("1,2\n2,x\n", [], "t.csv:2: found \"x\", expected a vertex id"),
    ("1,2\n2,x\n", [], "--names takes ids as text"),
    ("1,2\n01,x\n", ["--names"], 4),
    ("01,1\n", [], 1),
    ("1.0,2\n", [], "found \"1.0"),
    ("1.0,2\n", ["--names"], 2),
    ("a,b,1\nb,c\n", [], "t.csv:2: 2 columns, expected 3 as in the first row"),
    ("a,b,1\nb,c,\n", [], "t.csv:2: the weight is missing: column 3 is empty"),
    ("a,b\n,c\n", [], "t.csv:2: the first end is missing: column 1 is empty"),
    ('a,""\n', [], "the second end is missing"),
    ("a;b;3,5\n", [], 'found "3,5", expected a weight'),
    ("a,b,nan\n", ["--header", "no"], "the weight is NaN"),
    ('a,b\n"a"x,b\n', [], "after a closing quote, expected the delimiter"),
    ('a,"b\nc,d\n', [], "t.csv:1: a quote in this row is not closed"),
    ('5" disk,b\n', ["--names"], 2),
    ('"#tag",b\n#tag,c\n', [], 2),
    ("a,b\r\nb,c\r\n\r\n", [], 3),
    ("a,b", [], 2),
    ("a||b\n", ["--delimiter", "|", "--columns", "1,3"], 2),
    ("<?xml version='1.0'?>\n<graphml/>\n", [], "t.csv:1: found"),
    ('{"nodes": [1, 2]}\n', [], "t.csv:1: found"),
    ("a,b\n\0,c\n", [], "a zero byte in column 1"),
    ("", [], 0),
    ("source,target,weight\n", [], 0),
    ("é,ß\nß,日本\n", [], 3),
]


@pytest.mark.parametrize("text, words, says", MESSY)
def test_messy_tables(text, words, says, tmp_path):
    (tmp_path / "t.csv").write_bytes(text.encode())
    if isinstance(says, int):
        assert run_json("info", tmp_path / "t.csv", *words)["graph"]["vertices"] == says
    else:
        _, err = run("info", tmp_path / "t.csv", *words, code=BAD_INPUT)
        assert says in err


def test_vertices_are_called_by_their_names(tmp_path):
    (tmp_path / "t.csv").write_text('from,to,km\nRome,Naples,225\nNaples,"Bari, Puglia",260\n')
    graph = tmp_path / "t.csv"
    out, _ = run("path", graph, "Rome", "Bari, Puglia")
    assert out.splitlines()[-1] == "Bari, Puglia\t485"
    found = run_json("path", graph, "Rome", "Bari, Puglia")
    assert found["path"] == ["Rome", "Naples", "Bari, Puglia"]
    assert run_json("sssp", graph, "--source", "Rome")["sources"] == ["Rome"]
    (tmp_path / "ends").write_text("# a comment\nRome\nBari, Puglia\n")
    assert run_json("bfs", graph, "--sources", tmp_path / "ends")["source_count"] == 2
    _, err = run("bfs", graph, "--source", "Nice", code=USAGE)
    assert 'the graph has no vertex "Nice"' in err and "Naples and Rome" in err
    run("components", graph, "-o", tmp_path / "c.npy", "--ids", tmp_path / "ids.txt", "-q")
    assert (tmp_path / "ids.txt").read_text() == "# id\nBari, Puglia\nNaples\nRome\n"
    json.loads(run("components", graph, "--json")[0])
