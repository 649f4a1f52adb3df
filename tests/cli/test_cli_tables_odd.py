# SPDX-License-Identifier: Apache-2.0
"""Tables with quotes, comments and names where they are awkward, and orders made to be slow."""

import csv
import gzip
import io
import random
import resource
import subprocess

import pytest

from cli_testing import (BAD_INPUT, FAILURE, HOPLITE, SANITIZED, USAGE, clean_environment, run,
                         run_json)

ODD_NAMES = ["#x", "%", 'a "q"', '"', "two\nlines", "tab\there", " blank ", "\x1b[31mred",
             "é", "a,b"]


def names_of(path, *words):
    """The names of a graph, in order, by --ids."""
    out, _ = run("components", path, "--ids", "-", "-q", *words)
    assert out.startswith("# id\n")
    return [row[0] for row in csv.reader(io.StringIO(out[5:], newline=""), delimiter="\t")]


@pytest.mark.parametrize("text, line", [('a,b\n#x,"y\nc,"d\n', 3), ('a,b\n#x,"y\nc,d\ne,"f\n', 4),
                                        ('a,b\n\n%"\nc,"d\n#', 4), ('"a\n#",b\nc,"d', 3)])
def test_a_quote_that_stays_open_behind_comments(text, line, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    _, err = run("info", tmp_path / "t.csv", "--delimiter", ",", code=BAD_INPUT, timeout=300)
    assert f"t.csv:{line}: a quote in this row is not closed" in err
    _, err = run("info", "-", "--from", "edge-list", "--delimiter", ",", stdin=text, code=BAD_INPUT,
                 timeout=300)
    assert "a quote in this row is not closed" in err


@pytest.mark.parametrize("text, says", [
    ('a,"b\nc,d\n', "1: a quote in this row is not closed"),
    ('"a","b"\n"c,d\n', "2: a quote in this row is not closed"),
    ('a;b\nc;"d\n', "2: a quote in this row is not closed"),
    ('a,"b"x\nc,d\n', '1: found "x" after a closing quote'),
])
def test_wrong_quotes_where_only_the_contents_say_what_it_is(text, says, tmp_path):
    """Standard input, and a file without a suffix: the quote is named, not the formats."""
    (tmp_path / "table").write_text(text)
    assert f"standard input:{says}" in run("info", "-", stdin=text, code=BAD_INPUT)[1]
    assert f"table:{says}" in run("info", tmp_path / "table", code=BAD_INPUT)[1]


@pytest.mark.parametrize("mark", ["#", " %"])
@pytest.mark.parametrize("before", [261154, 262143 - 3004, 262143])
def test_a_line_in_quotes_that_looks_like_a_comment_where_pieces_end(mark, before, tmp_path):
    """Text is read in pieces of 256 KiB, and of a long comment where one ends only a part."""
    row = "left\tright\n"
    text = row * (before // len(row))
    text += "k" * (before - len(text) - 3) + "\tk\n" if before - len(text) > 3 else ""
    name = "L" * 3000 + "END"
    text += f'"x\n{mark}y"\t{name}\n' + row * 30000
    (tmp_path / "t.tsv").write_text(text)
    for threads in (1, 3):
        found = names_of(tmp_path / "t.tsv", "--threads", threads)
        assert name in found and f"x\n{mark}y" in found
    with gzip.open(tmp_path / "t.tsv.gz", "wt", compresslevel=1) as file:
        file.write(text)
    assert names_of(tmp_path / "t.tsv.gz") == found


@pytest.mark.parametrize("length", [10, 3000, 60000])
def test_names_over_several_lines_where_pieces_end(length, tmp_path):
    """Of a file, of gzip and of a stream, as Python's reader has them; more than one piece may have
    no end of a row."""
    draw = random.Random(length)
    text = io.StringIO(newline="")
    rows = [[f"{draw.randrange(20)}\n{'x' * draw.randrange(length)}\n#" for _ in "ab"] +
            ["y\n" * draw.randrange(5 * length)] for _ in range(500000 // length + 3)]
    csv.writer(text, lineterminator="\n").writerows(rows)
    text = text.getvalue()
    expected = sorted({name for row in rows for name in row[:2]}, key=str.encode)
    (tmp_path / "t.csv").write_text(text)
    with gzip.open(tmp_path / "t.csv.gz", "wt", compresslevel=1) as file:
        file.write(text)
    words = ["--columns", "1,2", "--threads", 3]
    assert names_of(tmp_path / "t.csv", *words) == expected
    assert names_of(tmp_path / "t.csv.gz", *words) == expected
    command = [HOPLITE, "info", "-", "--from", "edge-list", "--columns", "1,2", "--json"]
    with open(tmp_path / "t.csv", "rb") as file:
        out = subprocess.run(command, stdin=file, env=clean_environment(), stdout=subprocess.PIPE,
                             check=True).stdout
    assert f'"vertices": {len(expected)},'.encode() in out


def test_a_quote_that_stays_open_for_long(tmp_path):
    (tmp_path / "t.csv").write_text('a,b\n"c,d\n' + "e,f\n" * 300000)
    for words, says in ([], "not closed\n"), (["--max-line", "1M"], "within 1048576 bytes, "):
        _, err = run("info", tmp_path / "t.csv", *words, code=BAD_INPUT)
        assert "t.csv:2: a quote in this row is not closed" in err and says in err


def test_a_long_comment_in_a_table_is_still_skipped(tmp_path):
    text = "left\tright\n" * 23000 + "# " + "c" * 300000 + "\n" + "here\tthere\n" * 30000
    (tmp_path / "t.tsv").write_text(text)
    assert names_of(tmp_path / "t.tsv") == ["here", "left", "right", "there"]


def slow_order(count):
    """Names in an order in which the first, the middle and the last of those that are left, and
    nobody else, have the greatest byte: a quicksort that takes its pivot from these three loses
    three names per step, 190 steps at each byte of the names."""
    values = [v for v in range(0x30, 0xff) if v not in (0x7f, 0xc0)]
    left, names, prefix = list(range(count)), [None] * count, b"pppp"
    while len(left) > 12:
        for value in reversed(values[1:]):
            if len(left) <= 12:
                break
            middle = len(left) // 2
            for letter, place in zip(b"abc", (left[0], left[middle], left[-1])):
                names[place] = prefix + bytes([value, letter])
            del left[middle], left[-1], left[0]
        prefix += bytes(values[:1])
    for number, place in enumerate(left):
        names[place] = prefix + bytes([0x31 + number])
    return names


@pytest.mark.skipif(SANITIZED, reason="the sanitizer's frames are larger")
def test_names_in_an_order_made_to_be_slow_need_little_stack(tmp_path):
    names = slow_order(60000) + [b"q", b"r"]
    (tmp_path / "t.csv").write_bytes(b"".join(a + b"," + b + b"\n"
                                              for a, b in zip(names[::2], names[1::2])))
    stack = (256 << 10, 256 << 10)
    done = subprocess.run([HOPLITE, "components", tmp_path / "t.csv", "--threads", "1",
                           "--delimiter", ",", "--ids", tmp_path / "ids.txt", "-q"],
                          env=clean_environment(), stderr=subprocess.PIPE, timeout=400,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, stack))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "ids.txt").read_bytes().split(b"\n")[1:-1] == sorted(names)


@pytest.mark.parametrize("seed", range(6))
def test_names_are_sorted_by_their_bytes(seed, tmp_path):
    chance = random.Random(seed)
    letters = "ab" if seed % 2 else "".join(chr(c) for c in range(0x30, 0x7f))
    deep = "same" * chance.choice([0, 1, 50])
    names = sorted({deep + "".join(chance.choice(letters) for _ in range(chance.randrange(1, 24)))
                    for _ in range(6000)})
    order = names * 2
    chance.shuffle(order)
    if seed == 0:
        order = names[::-1] + names
    rows = "".join(f"{a},{b}\n" for a, b in zip(order[::2], order[1::2]))
    (tmp_path / "t.csv").write_text(rows)
    assert names_of(tmp_path / "t.csv", "--names", "--delimiter", ",", "--header", "no") == names


def odd_rows(draw, delimiter, count):
    """Rows with blanks, empty lines, comments, carriage returns and numbers of every kind."""
    weights = ["1", "2.5", "-3", "0.125", "1e2", "123456789012", ".5", "7.", "+4", " 6 ", "00012",
               "12345678.25", "3000000000"]
    ends = ["a", "bc", "name" * 9, "é", "12", " x", "y ", "&amp", "z z", "longer than eight"]
    rows = []
    for _ in range(count):
        fields = [draw.choice(ends) + str(draw.randrange(50)), draw.choice(ends),
                  draw.choice(weights), draw.choice(["", "more", " "])]
        rows.append(delimiter.join(fields) + draw.choice(["\n", "\n", "\r\n", " \n"]) +
                    draw.choice(["", "", "\n", "# no row\n", "  \n"]))
    return rows


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("seed", range(4))
def test_rows_of_the_usual_form_and_others_are_read_alike(seed, delimiter, tmp_path):
    """A quote anywhere in a piece sends all its rows the slow way."""
    draw = random.Random(seed)
    rows = odd_rows(draw, delimiter, draw.choice([1, 7, 400, 30000]))
    found = []
    for last in ("p", '"p"'):
        path = tmp_path / "t.txt"
        path.write_bytes(("".join(rows) + delimiter.join([last, "q", "1.5", ""]) + "\n").encode())
        words = ["--delimiter", delimiter, "--columns", "1,2,3", "--directed", "--header", "no",
                 "--names"]
        out = run_json("info", path, *words)
        run("convert", path, tmp_path / "out.csv", *words)
        found.append((out["graph"], (tmp_path / "out.csv").read_bytes()))
    assert found[0] == found[1] and found[0][0]["edges_given"] == len(rows) + 1


def write_rows(path, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)


def test_an_isolated_name_with_an_end_of_line_is_refused_as_text(tmp_path):
    write_rows(tmp_path / "t.csv", [["two\nlines", "two\nlines"], ["a", "b"]])
    words = ["--names", "--drop-loops", "--delimiter", ","]
    _, err = run("convert", tmp_path / "t.csv", tmp_path / "t.txt", *words, code=None)
    assert "end of line in its name" in err and "native format" in err
    assert not (tmp_path / "t.txt").exists()
    run("convert", tmp_path / "t.csv", tmp_path / "t.npz", "-q", *words)
    assert names_of(tmp_path / "t.npz") == ["a", "b", "two\nlines"]
    run("convert", tmp_path / "t.csv", tmp_path / "loops.txt", "-q", *words[:1], *words[2:])
    assert names_of(tmp_path / "loops.txt") == ["a", "b", "two\nlines"]


def test_weights_keep_their_type_without_an_edge(tmp_path):
    (tmp_path / "t.csv").write_text("a,a,2.5\n")
    run("convert", tmp_path / "t.csv", tmp_path / "t.txt", "--drop-loops", "-q")
    found = run_json("info", tmp_path / "t.txt")["graph"]
    assert found["weight_type"] == "float64" and found["vertices"] == 1


def test_isolated_numbers_are_names_too(tmp_path):
    (tmp_path / "t.txt").write_text("# Hoplite\n# Isolated: 7 12\n# Nodes: 4 Edges: 1\n1 2\n")
    assert names_of(tmp_path / "t.txt", "--names") == ["1", "12", "2", "7"]
    # Here all numbers below 9 are vertices, which no name says.
    (tmp_path / "t.txt").write_text("# Hoplite\n# Nodes: 9 Edges: 1\n1 2\n")
    _, err = run("info", tmp_path / "t.txt", "--names", code=BAD_INPUT)
    assert "2 names of vertices, expected 9" in err and "as numbers" in err


def test_a_negative_cycle_has_its_names_whole(tmp_path):
    names = ["two\nlines", "tab\there", "\x1b[31mred", "L" * 300, "#x"]
    rows = [[a, b, -i - 1] for i, (a, b) in enumerate(zip(names, names[1:] + names[:1]))]
    write_rows(tmp_path / "t.csv", rows)
    out, _ = run("sssp", tmp_path / "t.csv", "--directed", "--names", "--delimiter", ",",
                 "--source", "#x", code=FAILURE)
    assert out.startswith("# from\tto\tweight\n")
    found = list(csv.reader(io.StringIO(out.split("\n", 1)[1], newline=""), delimiter="\t"))
    assert sorted(found) == sorted([a, b, str(w)] for a, b, w in rows)


def test_files_of_sources_take_what_ids_writes(tmp_path):
    names = ODD_NAMES + ["L" * 60000, '"' * 5000]
    write_rows(tmp_path / "t.csv", list(zip(names, names[1:])))
    words = ["--names", "--delimiter", ",", "-q"]
    run("components", tmp_path / "t.csv", "--ids", tmp_path / "ids.txt", *words)
    for start in (b"", b"\xef\xbb\xbf"):
        ids = (tmp_path / "ids.txt").read_bytes()
        (tmp_path / "sources.txt").write_bytes(start + ids.rstrip(b"\n"))
        found = run_json("bfs", tmp_path / "t.csv", *words, "--sources", tmp_path / "sources.txt")
        assert found["levels"] == 1
    run("convert", tmp_path / "t.csv", tmp_path / "part.npz", *words, "--vertices", "-",
        stdin='  é  \r\n"a,b" \n a,b\n\n # none\n"two\nlines"\n')
    assert names_of(tmp_path / "part.npz") == ["a,b", "two\nlines", "é"]


@pytest.mark.parametrize("text, says", [('a\n"b', ":2: a quote that is not closed"),
                                        ('"a" b\n', ":1: more after a closing quote"),
                                        ("a\n" + "L" * 70000, ":2: a name of more than"),
                                        ('"a\n"\n', ':1: the graph has no vertex "a')])
def test_wrong_lines_of_sources(text, says, tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n")
    (tmp_path / "s.txt").write_text(text)
    _, err = run("bfs", tmp_path / "t.csv", "--sources", tmp_path / "s.txt", code=BAD_INPUT)
    assert says in err


@pytest.mark.parametrize("name, says", [("bobby", "did you mean bob?"),
                                        ("acrol", "did you mean carol?"),
                                        ("bzzzzz", "nearest names are bob and carol"),
                                        ("al", "nearest names are a and alice"),
                                        ("b", "nearest names are alice and bob"),
                                        ("z", "names go from a to carol")])
def test_the_nearest_names(name, says, tmp_path):
    (tmp_path / "t.csv").write_text("a,alice\nbob,carol\n")
    _, err = run("bfs", tmp_path / "t.csv", "--source", name, code=USAGE)
    assert says in err
