# SPDX-License-Identifier: Apache-2.0
"""hoplite closure, and hoplite path --all-paths: rows, names, files, limits, mistakes."""

import gzip

import pytest
from cli_testing import FAILURE, USAGE, refuse, run, run_json

CALLS = "main,read\nread,parse\nparse,read\nparse,fail\nhelp,fail\n"


@pytest.fixture(name="calls")
def made_calls(tmp_path):
    (tmp_path / "calls.csv").write_text(CALLS)
    return tmp_path / "calls.csv"


def pairs_of(text):
    return [tuple(line.split("\t")) for line in text.splitlines() if not line.startswith("#")]


def test_rows(calls, tmp_path):
    asked = ("closure", calls, "--directed")
    out, _ = run(*asked, "--rows", "main", "--rows", "help", "--certify")
    right = [("main", v) for v in ("fail", "parse", "read")]
    assert pairs_of(out) == [*right, ("help", "fail")]
    out, _ = run(*asked, "--rows", "fail", "--backward")
    assert pairs_of(out) == [(v, "fail") for v in ("help", "main", "parse", "read")]
    out, _ = run(*asked, "--rows", "read", "--rows", "help", "--together", "--itself", "never",
                 "-q")
    assert out == "# vertex\nfail\nparse\n"
    run(*asked, "-o", tmp_path / "all.csv.gz", "--threads", 2)
    lines = gzip.decompress((tmp_path / "all.csv.gz").read_bytes()).decode().splitlines()
    assert lines[0] == "from,to" and len(lines) == 11 and lines[4] == "main,read"
    out, _ = run(*asked)
    assert [line.split() for line in out.splitlines()] == [
        ["rows", "5"], ["pairs", "10"],
        ["most", "3", "reached", "from", "vertex", "main"]]


def test_json(calls, tmp_path):
    found = run_json("closure", calls, "--directed", "--itself", "always", "-o",
                     tmp_path / "rows.txt")
    assert (found["rows"], found["pairs"], found["itself"]) == (5, 13, "always")
    assert found["most"] == {"vertex": "main", "count": 4}
    assert len(pairs_of((tmp_path / "rows.txt").read_text())) == 13
    found = run_json("closure", calls, "--directed", "--rows", "read", "--rows", "help",
                     "--together", "--backward")
    assert (found["rows"], found["pairs"], found["together"]) == (1, 3, True)


def test_large_rows(tmp_path):
    run("generate", "erdos-renyi", "--n", 3000, "--m", 9000, "--directed", "-o", tmp_path / "g.npz",
        "-q")
    whole = run_json("closure", tmp_path / "g.npz", "-o", tmp_path / "a.txt", "--certify")
    run("closure", tmp_path / "g.npz", "-o", tmp_path / "b.txt", "--threads", 3, "--memory", "12M")
    assert (tmp_path / "a.txt").read_bytes() == (tmp_path / "b.txt").read_bytes()
    assert len((tmp_path / "a.txt").read_text().splitlines()) == whole["pairs"] + 1
    refuse("closure", tmp_path / "g.npz", "-o", tmp_path / "c.txt", "--memory", "500K",
           code=FAILURE, says=["would do"])
    assert not (tmp_path / "c.txt").exists()


def test_all_paths(tmp_path):
    (tmp_path / "g.csv").write_text("s,u\ns,v\nu,t\nv,t\nt,end\nother,s\n")
    asked = ("path", tmp_path / "g.csv", "s", "end", "--all-paths", "--directed")
    out, told = run(*asked, "--certify")
    assert out.splitlines() == [
        "# path\tvertex\tdistance", "1\ts\t0", "1\tu\t1", "1\tt\t2", "1\tend\t3",
        "2\ts\t0", "2\tv\t1", "2\tt\t2", "2\tend\t3"]
    assert "paths: 2\n" in told
    _, told = run(*asked, "--limit", 1)
    assert "paths: 2, of which the first are listed: 1\n" in told
    found = run_json(*asked)
    assert found["path_count"] == found["listed"] == 2 and found["distance"] == 3
    assert found["paths"] == [["s", "u", "t", "end"], ["s", "v", "t", "end"]]
    run(*asked, "-o", tmp_path / "paths.csv")
    assert (tmp_path / "paths.csv").read_text().splitlines()[:2] == ["path,vertex,distance",
                                                                     "1,s,0"]
    refuse("path", tmp_path / "g.csv", "end", "s", "--all-paths", "--directed", code=FAILURE,
           says=["no path from end to s"])


def test_more_paths_than_are_counted(tmp_path):
    run("generate", "grid", "--rows", 60, "--cols", 60, "-o", tmp_path / "grid.npz", "-q")
    _, told = run("path", tmp_path / "grid.npz", 0, 3599, "--all-paths", "--limit", 2)
    assert "paths: at least 18,446,744,073,709,551,614, of which" in told
    assert run_json("path", tmp_path / "grid.npz", 0, 3599, "--all-paths")["path_count"] is None
    found = run_json("path", tmp_path / "grid.npz", 0, 61, "--all-paths")
    assert found["paths"] == [[0, 1, 61], [0, 60, 61]]
    (tmp_path / "zero.txt").write_text("0 1 0\n1 2 1\n0 2 1\n")
    found = run_json("path", tmp_path / "zero.txt", 0, 2, "--all-paths", "--columns", "1,2,3")
    assert found["paths"] == [[0, 1, 2], [0, 2]] and found["path_count"] == 2


def test_mistakes(calls, tmp_path):
    refuse("closure", calls, "--rows", "mian", code=USAGE, says=["mian"])
    refuse("closure", calls, "--itself", "sometimes", code=USAGE, says=["cycles"])
    refuse("closure", calls, "--together", code=USAGE, says=["--rows"])
    refuse("closure", calls, "-o", tmp_path / "x.npy", code=USAGE, says=[".txt"])
    refuse("closure", tmp_path / "none.csv", code=FAILURE, says=["none.csv"])
    refuse("closur", calls, code=USAGE, says=["closure"])
    refuse("path", calls, "main", "help", "--limit", 3, code=USAGE, says=["--all-paths"])
    refuse("path", calls, "--all-paths", "--pairs", calls, code=USAGE, says=["--pairs"])
    refuse("path", calls, "main", "help", "--all-paths", "-o", tmp_path / "x.npy", code=USAGE,
           says=[".txt"])
    refuse("path", calls, "main", "--all-paths", code=USAGE, says=["two vertices"])
    refuse("path", calls, "main", "mian", "--all-paths", code=USAGE, says=["mian"])
