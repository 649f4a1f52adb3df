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
    ("1.0,2\n", [], "hint: ids have no decimal point: write 1 for 1.0; --names takes ids as text"),
    ("from,to\n1.0,2.0\n", [], "hint: ids have no decimal point: write 1 for 1.0"),
    ("1.0,2\n", ["--names"], 2),
    ("a,b,1\nb,c\n", [], "t.csv:2: 2 columns, expected 3 as in the first row"),
    ("a,b,1\nb,c,\n", [], "t.csv:2: the weight is missing: column 3 is empty; delete such rows"),
    ("a;b;1\n;;\n;;\n", [], "t.csv:2: both ends are missing: columns 1 and 2 are empty; delete"),
    ("sep=;\na;b;1\nb;c;2\n", [], 3),
    ("\ufeffsep=,\r\nfrom,to\r\n1,2\r\n2,3\r\n", [], 3),
    ("sep=;\n1,2\n", ["--delimiter", ","], 2),
    ("sep=;\n", [], 0),
    ("sep=;\n1,2\n", [], "t.csv:2: 1 column, expected 2 or 3"),
    ("a,b\n,c\n", [], "t.csv:2: the first end is missing: column 1 is empty"),
    ('a,""\n', [], "the second end is missing"),
    ("a;b;3,5\n", [], 'found "3,5", expected a weight'),
    ("a,b,nan\n", ["--header", "no"], "the weight is NaN"),
    ('a,b\n"a"x,b\n', [], "after a closing quote, expected the delimiter"),
    ('a,"b\nc,d\n', [], "t.csv:1: a quote in this row is not closed"),
    ('a,"b\n1,2\n', ["--header", "yes"], "t.csv:1: a quote in this row is not closed"),
    ('"a"x,b\n1,2\n', ["--header", "yes"], "t.csv:1: found"),
    ('5" disk,b\n', ["--names"], 2),
    ('"#tag",b\n#tag,c\n', [], 2),
    ("a,b\r\nb,c\r\n\r\n", [], 3),
    ("a,b", [], 2),
    ("a||b\n", ["--delimiter", "|", "--columns", "1,3"], 2),
    ("<?xml version='1.0'?>\n<graphml/>\n", [], "t.csv: GraphML, which is not read; make"),
    ('{"nodes": [1, 2]}\n', [], "t.csv: JSON, which is not read; make it readable: jq"),
    ("a,b\n\0,c\n", [], "a zero byte in column 1"),
    ("", [], 0),
    ("source,target,weight\n", [], 0),
    ("é,ß\nß,日本\n", [], 3),
    # Four columns, rows of other lengths, weights that are none: what is said helps.
    ("1 2 3 4\n", [], "--columns FROM,TO[,WEIGHT]"),
    ("a,b,1,2\n", [], "--columns FROM,TO[,WEIGHT]"),
    ("a,b,1\nb,c\n", [], "--columns FROM,TO[,WEIGHT]"),
    ("1\n", [], "--from list"),
    ("1,2\n", ["--delimiter", ";"], "--delimiter C says"),
    ("1,2\n3,4\n\"5\",6\n", [], "--delimiter C reads fields in quotes"),
    ("1,2\n3,4\n\"5\",6\n", ["--delimiter", ","], 6),
]


@pytest.mark.parametrize("text, words, says", MESSY)
def test_messy_tables(text, words, says, tmp_path):
    (tmp_path / "t.csv").write_bytes(text.encode())
    if isinstance(says, int):
        assert run_json("info", tmp_path / "t.csv", *words)["graph"]["vertices"] == says
    else:
        _, err = run("info", tmp_path / "t.csv", *words, code=BAD_INPUT)
        assert says in err


# The first row is or is no edge, and ids are or are no names: the edges that are read, or None
# when the file is refused.
DECIDED = [
    # Quotes do not matter for what a field is.
    ('"1","2"\n3,4\n', [], "1~2 / 3~4"),
    ('1,2\n"3","4"\n', [], "1~2 / 3~4"),
    ('"01","2"\n"1","3"\n', [], "1~2 / 1~3"),
    ('"id_a","id_b"\n"1","2"\n"2","10"\n', [], "1~2 / 2~10"),
    ('"a","b","3"\n"b","c","1"\n', [], "a~b / b~c"),
    ('"two\nlines",to\na,b\n', ["--header", "yes"], "a~b"),
    # Words that may be names of vertices as well.
    ("u v\nv w\nw u\n", [], "u~v / u~w / v~w"),
    ("start,end\nend,stop\n", [], "end~start / end~stop"),
    ("head,tail\ntail,fin\n", [], "fin~tail / head~tail"),
    ("u,v\n1,2\n", [], "1~2"),
    ("u,v,w\na,b,3\n", [], "a~b"),
    # With --names the numbers of the ends say nothing.
    ("X,Y\n1,2\n", ["--names"], "1~2 / X~Y"),
    ("X,Y\n1,2\n", [], "1~2"),
    ("X,Y,km\n1,2,3\n", ["--names"], "1~2"),
    ("km,X,Y\n5,1,2\n", ["--names", "--columns", "2,3"], "1~2"),
    ("km,X,Y\nfar,1,2\n", ["--names", "--columns", "2,3"], "1~2 / X~Y"),
    # Delimiters.
    ("1;2\n3;4\n", [], "1~2 / 3~4"),
    ("1|2\n", [], "1~2"),
    ("1;2;0,5\n", [], None),
    ('"Smith, John";"Doe, Jane"\n"Doe, Jane";Ann\n', [], "Ann~Doe, Jane / Doe, Jane~Smith, John"),
    ('"a\tb",c\nc,d\n', [], "a\tb~c / c~d"),
    ('"a;b;c" d\nd e\n', [], "a;b;c~d / d~e"),
    ('5" disk,7" disk\nx,5" disk\n', [], '5" disk~7" disk / 5" disk~x'),
    ("1 2 {'w': 3, 'x': 1}\n", ["--columns", "1,2"], "1~2"),
    ("1 2 {'w': 3, 'x': 1}\n", [], None),
    ("1.2\n", ["--delimiter", "."], "1~2"),
    ("1e2\n", ["--delimiter", "e"], "1~2"),
    # Numbers are what the parser takes, and inf and nan are none where an end is.
    ("a,b,w\nx,y,inf\n", [], "x~y"),
    ("10.0.0.1,10.0.0.2\n10.0.0.2,10.0.0.3\n", [], "10.0.0.1~10.0.0.2 / 10.0.0.2~10.0.0.3"),
    ("2021-01-01,2021-01-02\n", [], "2021-01-01~2021-01-02"),
    ("Nan,Bob\nInf,Nan\n", [], "Bob~Nan / Inf~Nan"),
    ("Ann,Bob\nNan,Ann\n", [], "Ann~Bob / Ann~Nan"),
    ("1.5,2\n", [], None),
    ("-1,2\n", [], None),
]


@pytest.mark.parametrize("text, words, edges", DECIDED)
def test_what_the_first_rows_say(text, words, edges, tmp_path):
    (tmp_path / "t.csv").write_bytes(text.encode())
    if edges is None:
        run("info", tmp_path / "t.csv", *words, code=BAD_INPUT)
        return
    found = [sorted(row[:2]) for row in arcs_of(tmp_path / "t.csv", *words)]
    assert sorted(found) == sorted(sorted(edge.split("~")) for edge in edges.split(" / "))


@pytest.mark.parametrize("text, words, told", [
    ("source,target\na,b\n", [], False),
    ("node1,node2\nnode2,node3\n", [], True),
    ("node1,node2\n1,2\n", [], False),
    ("X,Y\n1,2\n", [], True),
    ("source,target\n1,2\n", [], False),
    ("from,to,weight\na,b,1\n", [], False),
    ("X,Y\n1,2\n", ["--header", "yes"], False),
    ("X,Y\n1,2\n", ["--columns", "X,Y"], False),
    ("a,b\nb,c\n", [], False),
])
def test_a_guessed_header_is_told(text, words, told, tmp_path):
    (tmp_path / "t.csv").write_text("# a comment\n" + text)
    _, err = run("info", tmp_path / "t.csv", *words)
    if not told:
        assert err == ""
        return
    assert "t.csv: line 2 is taken as the names of the columns, not as an edge\n" in err
    assert "hint: --header yes or --header no says which it is\n" in err
    assert run("info", tmp_path / "t.csv", *words, "-q")[1] == ""


@pytest.mark.parametrize("text, words, told", [
    ("person,friend\nann,bob\nbob,cid\n", [], True),
    ("person\tfriend\nann\tbob\nbob\tbob\n", [], True),
    ("X,Y\n1,2\n2,3\n", ["--names"], True),
    ("X,Y\n1,2\n", ["--names"], False),
    ("person,friend\nann,bob\nbob,cid\n", ["--header", "no"], False),
    ("person,friend\nann,bob\nbob,cid\n", ["--header", "yes"], False),
    ("ann,bob\nbob,cid\n", [], False),
    ("ann,bob\ncid,dan\ndan,ann\n", [], False),
    ("ann,bob\n", [], False),
])
def test_a_first_edge_that_stands_alone_is_doubted(text, words, told, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    _, err = run("info", tmp_path / "t.csv", *words)
    assert ("the names in it are in no other line: they may be those of the columns\n"
            "hint: --header yes or --header no says which it is\n" in err) == told
    assert bool(err) == told


@pytest.mark.parametrize("text", ["a;b;1,5\nb;c;2,5\n", "1;2;0x10\n", "1,2,0x10\n", "a,b,1e400\n",
                                  "1,2,1e400\n", "a,b,x\nc,d,y\n"])
def test_names_do_not_help_against_wrong_weights(text, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    _, err = run("info", tmp_path / "t.csv", code=BAD_INPUT)
    assert "weight" in err and "--names" not in err


@pytest.mark.parametrize("text", ["from;to;weight\na;b;1,5\n", "a;b;1,5\n", "1 2 1,5\n2 3 1,5\n",
                                  "from to weight\n1 2 1,5\n", '1,2,"1,5"\n'])
def test_a_decimal_comma_is_told_and_nothing_else(text, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    _, err = run("info", tmp_path / "t.csv", code=BAD_INPUT)
    line = 1 + text.count("weight")
    message, hint = err.splitlines()
    assert message.endswith(f't.csv:{line}: found "1,5", expected a weight')
    assert hint.startswith("hint: numbers have a decimal point here")


@pytest.mark.parametrize("verb, name, option", [
    ("bfs", "r.csv", "-o"), ("bfs", "r.txt", "-o"), ("sssp", "r.csv", "-o"),
    ("components", "r.csv", "-o"), ("components", "r.csv", "--sizes"),
    ("components", "r.txt", "--sizes")])
def test_a_result_read_as_a_graph_is_told(verb, name, option, tmp_path):
    (tmp_path / "g.csv").write_text("1,2\n2,3\n")
    run(verb, tmp_path / "g.csv", option, tmp_path / name)
    _, err = run("info", tmp_path / name)
    assert f"{name}: looks like a result of hoplite, but is read as edges\n" in err
    (tmp_path / "t.csv").write_text("vertex,neighbour\n1,2\n2,3\n")
    assert "looks like a result" not in run("info", tmp_path / "t.csv")[1]


GRAPHS = [
    "1 2\n2 3\n", "1 2 0.5\n2 3 7\n", "# Directed\n5 1 4\n1 900 -2\n", "a b\nb c\n",
    "# Hoplite\n# Weights: float32\n# Isolated: 7 12\n# Nodes: 4 Edges: 1\n1 2 3\n",
    "# Nodes: 9 Edges: 1\n0 3\n", "",
    '# Hoplite\n# Names: text\n# Isolated: "x ""y"", z"\n# Nodes: 5 Edges: 2\n'
    'source\ttarget\na,b\t-\n',
]


@pytest.mark.parametrize("text", GRAPHS)
@pytest.mark.parametrize("name", ["g.csv", "g.CSV.gz"])
def test_a_graph_in_a_csv_file_is_the_same(text, name, tmp_path):
    """Commas and a line of column names; what is in the comments is not lost."""
    (tmp_path / "g.txt").write_text(text)
    run("convert", tmp_path / "g.txt", tmp_path / name, "-q")
    hashes = [run_json("info", "--hash", tmp_path / f)["hash"] for f in ("g.txt", name)]
    assert hashes[0] == hashes[1]
    if name == "g.csv":
        rows = [line for line in open(tmp_path / name) if line[0] != "#"]
        table = list(csv.reader(rows))
        assert table[0] == ["source", "target", "weight"][:len(table[0])]
        assert all(len(row) == len(table[0]) for row in table)
        assert len(table) - 1 == run_json("info", tmp_path / name)["graph"]["edges"]


@pytest.mark.parametrize("text", ["", "# nothing\n", "from,to,weight\n"])
def test_a_file_without_edges_is_told(text, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    out, err = run("components", tmp_path / "t.csv")
    assert out.endswith("components 0, 0 of them single vertices\n")
    assert "warning: " in err and "t.csv: there is no edge in it, and no vertex\n" in err
    assert run("components", tmp_path / "t.csv", "-q")[1] == ""
    (tmp_path / "t.csv").write_text("a,b\n")
    assert "warning" not in run("components", tmp_path / "t.csv")[1]


@pytest.mark.parametrize("text, known", [
    ("graph { a -- b; }\n", False),
    ("Dear all, hello\n", False),
    ("Dear all, hello\nthis is one, two, three\n", False),
    ("a,b\n", False),
    ("a,b\n# a comment\n\nb,c\n", True),
    ('"a;b","c"\nd,e\n', True),
    ("x" * 5000 + ",b\nb,c\n", False),
    ("a,b\n" + "x" * 5000 + ",c\n", True),
    ("1,2\n", True),
])
def test_tables_without_a_suffix_have_two_rows(text, known, tmp_path):
    (tmp_path / "t").write_text(text)
    if known:
        assert run_json("info", tmp_path / "t")["format"] == "edge-list"
    else:
        _, err = run("info", tmp_path / "t", code=BAD_INPUT)
        assert "none of the known formats" in err and "--from FORMAT names it" in err
    (tmp_path / "t.csv").write_text("a,b\n")
    assert run_json("info", tmp_path / "t.csv")["graph"]["vertices"] == 2


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


def test_a_vertex_called_minus_one(tmp_path):
    """In a result -1 is "none": a vertex of that name is in quotes."""
    (tmp_path / "g.csv").write_text('a,b\n"-1",a\nb,c\n')
    words = [tmp_path / "g.csv", "--header", "no", "--names", "--source"]
    out, _ = run("bfs", *words, "-1", "-o", "-", "-q")
    assert out.splitlines()[1:] == ['"-1"\t0\t"-1"', 'a\t1\t"-1"', "b\t2\ta", "c\t3\tb"]
    out, _ = run("bfs", *words, "c", "--depth", "1", "-o", "-", "-q")
    assert out.splitlines()[1:] == ['"-1"\t-1\t-1', "a\t-1\t-1", "b\t1\tc", "c\t0\tc"]


def test_the_longest_name(tmp_path):
    path, name = tmp_path / "g.csv", "x" * 65535
    path.write_text(f"a,b\n{name},a\n")
    words = ["path", path, "--header", "no", "--names", "b"]
    assert run_json(*words, name)["path"] == ["b", "a", name]
    path.write_text(f"a,b\n{name}y,a\n")
    _, err = run(*words, "a", code=BAD_INPUT)
    assert "g.csv:2: a name of 65536 bytes, at most 65535 are possible" in err
