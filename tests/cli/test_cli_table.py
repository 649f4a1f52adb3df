# SPDX-License-Identifier: Apache-2.0
"""hoplite table: the table as text, as an array, as JSON; vertices by their ids and names; what is
asked wrongly."""

import gzip

import numpy as np
import pytest
from cli_testing import FAILURE, USAGE, refuse, run, run_json

EDGES = [("ann", "bob", 2), ("bob", "cyd", 1), ("cyd", "dan", 4), ("x, y", "zed", 1)]
DISTANCES = {("ann", "bob"): 2, ("ann", "cyd"): 3, ("ann", "dan"): 7, ("bob", "cyd"): 1,
             ("bob", "dan"): 5, ("cyd", "dan"): 4, ("x, y", "zed"): 1}
NAMES = ["ann", "bob", "cyd", "dan", "x, y", "zed"]


def right(u, v):
    return 0 if u == v else DISTANCES.get((u, v), DISTANCES.get((v, u)))


@pytest.fixture(name="town", scope="module")
def made_town(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "town.csv"
    path.write_text("from,to,length\n" + "".join(f'"{u}","{v}",{w}\n' for u, v, w in EDGES))
    return path


def test_text(town, tmp_path):
    run("table", town, "--source", "x, y", "--source", "cyd", "-o", tmp_path / "t.csv", "-q")
    assert (tmp_path / "t.csv").read_text() == (
        'source,ann,bob,cyd,dan,"x, y",zed\n"x, y",inf,inf,inf,inf,0,1\ncyd,3,1,0,4,inf,inf\n')
    assert run("table", town, "--target", "bob", "-q", "-o", "-")[0] == (
        "# source\tbob\nann\t2\nbob\t0\ncyd\t1\ndan\t5\nx, y\tinf\nzed\tinf\n")
    run("table", town, "--target", "bob", "-q", "-o", tmp_path / "t.tsv.gz")
    assert gzip.decompress((tmp_path / "t.tsv.gz").read_bytes()).startswith(b"# source\tbob\n")


def test_names_with_commas_between(town):
    """A name that has a comma itself is one name; others are found before and behind commas."""
    rows = run("table", town, "--source", "x, y", "--source", "ann,cyd", "--target", "zed,dan",
               "-q", "-o", "-")[0]
    assert rows == "# source\tzed\tdan\nx, y\t1\tinf\nann\tinf\t7\ncyd\tinf\t4\n"
    refuse("table", town, "--source", "ann,cyx",
           says=['has no vertex "cyx"', "did you mean cyd?"])


def test_files_of_vertices(town, tmp_path):
    (tmp_path / "from.txt").write_text("# homes\ndan\nann\ndan\n")
    (tmp_path / "to.txt").write_text("cyd\nbob\n")
    given = ["table", town, "--sources", tmp_path / "from.txt", "--targets", tmp_path / "to.txt"]
    said = run_json(*given, "--certify", "-o", tmp_path / "t.npy")
    assert said["sources"] == ["dan", "ann", "dan"] and said["targets"] == ["cyd", "bob"]
    assert said["distances"] == [[4, 5], [3, 2], [4, 5]] and said["connected_pairs"] == 6
    assert said["least"] == {"source": "ann", "target": "bob", "distance": 2}
    assert said["greatest"] == {"source": "dan", "target": "bob", "distance": 5}
    assert said["certified"] == "canonical" and said["certified_rows"] == 2
    assert np.load(tmp_path / "t.npy").tolist() == said["distances"]
    out, _ = run(*given)
    assert "3 sources by 2 targets" in out and "dan\t4\t5" in out


def test_all_of_one_side(town):
    for options in (["--targets"], ["--target", "ann"]):
        stdin = "".join(f"{name}\n" for name in NAMES)
        given = options + (["-"] if options == ["--targets"] else [])
        said = run_json("table", town, *given, **({"stdin": stdin} if "-" in given else {}))
        assert said["distances"] == [[right(u, v) for v in said["targets"]] for u in NAMES]


def test_large_tables_are_not_printed(tmp_path):
    run("generate", "grid", "--rows", 20, "--cols", 30, "-o", tmp_path / "g.npz", "-q")
    out, err = run("table", tmp_path / "g.npz", "--source", "0,599")
    assert "2 sources by 600 targets" in out and "-o FILE writes" in err and len(out) < 400
    said = run_json("table", tmp_path / "g.npz", "--source", "0,599")
    assert "distances" not in said and said["greatest"]["distance"] == 48
    rows = {}
    for memory in ("1G", "2M"):
        path = tmp_path / f"{memory}.npy"
        run("table", tmp_path / "g.npz", "--targets", "/dev/stdin", "--memory", memory, "-o", path,
            "-q", stdin="".join(f"{v}\n" for v in range(300)))
        rows[memory] = np.load(path)
    assert rows["1G"].shape == (600, 300) and np.array_equal(rows["1G"], rows["2M"])
    assert rows["1G"][599, 299] == 10 + 0


def test_mistakes(town, tmp_path):
    refuse("table", town, code=USAGE, says=["from where to where", "hoplite apsp"])
    refuse("table", town, "--source", "bop", code=USAGE, says=["no vertex \"bop\"", "mean bob"])
    refuse("table", town, "--targets", "/dev/null", code=USAGE, says=["no vertex is named"])
    refuse("table", town, "--targets", tmp_path / "none.txt", code=FAILURE, says=["none.txt"])
    refuse("table", town, "--sources", "ann", code=FAILURE, says=["No such file", "--source ann"])
    refuse("table", town, "--sources", "-", "--targets", "-", code=USAGE, says=["only one"])
    refuse("table", town, "--source", "ann", "-o", tmp_path / "t.npz", code=USAGE, says=[".npy"])
    refuse("table", town, "--source", "ann", "--variant", "magic", code=USAGE, says=["magic"])
    below = tmp_path / "below.txt"
    below.write_text("1 2 1\n2 1 -3\n")
    out, _ = run("table", below, "--directed", "--source", 1, "-o", tmp_path / "t.csv", code=None)
    assert "-3" in out and not (tmp_path / "t.csv").exists()
