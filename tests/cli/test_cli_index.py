# SPDX-License-Identifier: Apache-2.0
"""hoplite index, and hoplite path --index: the answers of a search, and what is refused."""

import random

import pytest
from cli_testing import (BAD_INPUT, FAILURE, USAGE, edges, refuse, run,  # noqa: F401
                         run_json)

WEIGHTS = ["none", "int32", "float64"]


@pytest.fixture(scope="module", params=WEIGHTS)
def road(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    run("generate", "road", "--rows", "24", "--cols", "24", "--weights", request.param,
        "-o", folder / "road.npz", "-q")
    draw = random.Random(3)
    (folder / "pairs.txt").write_text("".join(
        f"{draw.randrange(500)} {draw.randrange(500)}\n" for _ in range(60)))
    return folder


@pytest.mark.parametrize("kind", ["contraction", "landmarks"])
def test_answers_of_a_search(road, kind):
    index = road / f"{kind}.npz"
    made = run_json("index", road / "road.npz", "-o", index, "--kind", kind)
    assert made["index_kind"] == kind and (made["landmarks"] > 0) == (kind == "landmarks")
    for ends in (("1", "400"), ("7", "7"), ("300", "2")):
        asked = ("path", road / "road.npz", *ends)
        assert run(*asked, "--index", index, "--certify")[0] == run(*asked)[0]
        by_index = run_json(*asked, "--index", index)
        searched = run_json(*asked)
        assert by_index["index_kind"] == kind and by_index["index"] == str(index)
        for member in ("distance", "path", "distances", "distance_type"):
            assert by_index[member] == searched[member]
    asked = ("path", road / "road.npz", "--pairs", road / "pairs.txt")
    assert run(*asked, "--index", index, "--certify")[0] == run(*asked)[0]
    assert run_json(*asked, "--index", index)["pairs"] == run_json(*asked)["pairs"]


def test_names_and_vertices_without_a_path(tmp_path):
    (tmp_path / "g.csv").write_text("Ann,Ben\nBen,Cid\nDot,Eve\n")
    run("index", tmp_path / "g.csv", "-o", tmp_path / "i.npz")
    out, _ = run("path", tmp_path / "g.csv", "Ann", "Cid", "--index", tmp_path / "i.npz")
    assert [line.split()[0] for line in out.splitlines()[1:]] == ["Ann", "Ben", "Cid"]
    refuse("path", tmp_path / "g.csv", "Ann", "Eve", "--index", tmp_path / "i.npz", "-q",
           code=FAILURE, says=["no path from Ann to Eve"])
    assert run_json("path", tmp_path / "g.csv", "Ann", "Eve", "--index", tmp_path / "i.npz",
                    code=FAILURE)["distance"] is None
    (tmp_path / "pairs").write_text("Ann,Cid\nEve,Ann\n")
    out, _ = run("path", tmp_path / "g.csv", "--pairs", tmp_path / "pairs", "--index",
                 tmp_path / "i.npz")
    assert [line.split()[2] for line in out.splitlines()[1:]] == ["2", "inf"]


def test_a_contraction_that_is_given_up(tmp_path):
    run("generate", "erdos-renyi", "--n", 600, "--m", 12000, "-o", tmp_path / "g.npz", "-q")
    refuse("index", tmp_path / "g.npz", "-o", tmp_path / "i.npz", "--kind", "contraction",
           code=FAILURE, says=["not like a road network", "; --kind landmarks is for any graph"])
    run("index", tmp_path / "g.npz", "-o", tmp_path / "i.npz", "--kind", "landmarks")


def test_refusals(edges, tmp_path):  # noqa: F811
    index = tmp_path / "i.npz"
    refuse("index", edges, code=USAGE, says=["-o FILE"])
    refuse("index", "-o", index, code=USAGE, says=["a graph"])
    refuse("index", edges, "-o", tmp_path / "none" / "i.npz", code=FAILURE, says=["none"])
    refuse("index", edges, "-o", index, "--kind", "magic", code=USAGE, says=["magic"])
    run("index", edges, "-o", index)
    refuse("index", edges, "-o", edges, code=USAGE, says=["the input itself"])
    refuse("path", edges, 10, 50, "--index", index, "-o", index, code=USAGE,
           says=["the input itself"])
    refuse("index", edges, "-o", index, "--kind", "contraction", "--landmarks", 4, code=USAGE,
           says=["--landmarks means nothing"])
    refuse("path", index, 10, 50, code=BAD_INPUT, says=["an index of a graph, not a graph"])
    run("convert", edges, "-o", tmp_path / "g.npz")
    refuse("path", tmp_path / "g.npz", 10, 50, "--index", tmp_path / "g.npz", code=BAD_INPUT,
           says=["not an index", "-o FILE"])
    refuse("path", edges, 10, 50, "--index", index, "--device", "opencl:0.0", code=USAGE,
           says=["--device opencl:0.0 means nothing with --index"])
    by_index = run("path", edges, 10, 50, "--index", index)[0]
    assert run("path", edges, 10, 50, "--index", index, "--device", "cpu")[0] == by_index
    refuse("path", edges, 10, 50, "--index", index, "--variant", "dijkstra", code=USAGE,
           says=["--variant means nothing with --index"])
    refuse("path", edges, 10, 50, "--index", tmp_path / "nothing", code=FAILURE,
           says=["nothing", "hoplite index"])
    (tmp_path / "other.txt").write_text("10 20\n")
    refuse("path", tmp_path / "other.txt", 10, 20, "--index", index, code=BAD_INPUT,
           says=["another graph", "hoplite index"])
    (tmp_path / "negative.txt").write_text("1 2 -1\n")
    refuse("index", tmp_path / "negative.txt", "--directed", "-o", index, code=FAILURE,
           says=["negative"])
    whole = index.read_bytes()
    index.write_bytes(whole[:len(whole) // 2])
    refuse("path", edges, 10, 50, "--index", index, code=BAD_INPUT, says=["i.npz"])
