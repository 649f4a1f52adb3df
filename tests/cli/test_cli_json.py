# SPDX-License-Identifier: Apache-2.0
"""The JSON of every verb against docs/json.md: each member is described and has its type, each that
is described is there; failures are objects too."""

import json
import os
import pathlib
import re

import pytest
from cli_testing import BAD_INPUT, FAILURE, USAGE, run

DOC = (pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"]) / "docs" / "json.md").read_text()
SHARED = {"Members of every object": None,
          "Members of rank, components, bfs, sssp, apsp, path, table, measure and closure":
          ("rank", "components", "bfs", "sssp", "apsp", "path", "table", "measure", "closure"),
          "Members of bfs and sssp": ("bfs", "sssp")}
KINDS = {"integer": lambda x: isinstance(x, int) and not isinstance(x, bool),
         "number": lambda x: isinstance(x, (int, float)) and not isinstance(x, bool),
         "string": lambda x: isinstance(x, str), "boolean": lambda x: isinstance(x, bool),
         "array": lambda x: isinstance(x, list), "object": lambda x: isinstance(x, dict),
         "null": lambda x: x is None, "vertex": lambda x: isinstance(x, (int, str))}


def tables():
    """Section -> {member: (types, needed always)}."""
    found = {}
    for section in re.split(r"^## ", DOC, flags=re.M)[1:]:
        title = section.splitlines()[0]
        rows = re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", section, re.M)
        found[title] = {name: (kind.split(",")[0].split(" or "), "," not in kind)
                        for name, kind in rows}
    return found


TABLES = tables()


def members(verb):
    found = dict(TABLES.get(verb, {}))
    for title, verbs in SHARED.items():
        if verbs is None or verb in verbs:
            found = {**TABLES[title], **found}
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("json")
    (path / "graph.txt").write_text("1 2 3\n2 3 4\n5 6 1\n")
    (path / "pairs.txt").write_text("1 3\n1 5\n")
    run("generate", "list", "--n", 20, "-o", path / "list.npy", "-q")
    run("bfs", path / "graph.txt", "--source", 1, "-o", path / "levels.npy", "-q")
    return path


CASES = [
    "rank list.npy", "components graph.txt --top 2", "bfs graph.txt --target 3 --nearest 2",
    "bfs graph.txt --source random --within-largest", "sssp graph.txt --explain -o x.npy",
    "apsp graph.txt --certify", "path graph.txt 1 3", "path graph.txt --pairs pairs.txt",
    "index graph.txt -o graph.index.npz", "path graph.txt 1 3 --index graph.index.npz",
    "measure closeness graph.txt", "measure closeness graph.txt --samples 2",
    "measure diameter graph.txt --certify",
    "measure betweenness graph.txt --samples 2",
    "closure graph.txt", "path graph.txt 1 3 --all-paths", "table graph.txt --source 1 --certify",
    "measure voronoi graph.txt --centers 1",
    "measure center graph.txt", "measure spanning-forest graph.txt",
    "measure strong-components graph.txt",
    "measure histogram graph.txt --drop-weights -o x.txt",
    "certify bfs graph.txt levels.npy --source 1", "info graph.txt --diameter --hash",
    "info list.npy", "generate grid --rows 3 --cols 3 -o grid.npz", "generate --list",
    "generate grid --rows 3 --cols 3 -o plan.npz --dry-run", "convert graph.txt graph.npz",
    "convert graph.txt plan.npz --dry-run", "variants", "formats", "devices", "tune --no-write",
    "plan --edges 2e9 --vertices 1e8 --nodes 4",
    "plan --edges 9 --vertices 9 --nodes 1 --memory 1G",
    "help",
]


@pytest.fixture(scope="module")
def documents(folder):
    """tune fails on a machine that is busy, and prints its object all the same."""
    return {case: json.loads(run(*case.split(), "--json", cwd=folder,
                                 code=None if case.startswith("tune") else 0)[0])
            for case in CASES}


@pytest.mark.parametrize("case", CASES)
def test_members(documents, case):
    document, verb = documents[case], case.split()[0]
    described = members(verb)
    assert document["schema"] == 1 and document["verb"] == verb
    for name, value in document.items():
        assert name in described, f"{verb}: {name} is not described"
        kinds = described[name][0]
        assert any(KINDS[kind](value) for kind in kinds), (verb, name, value, kinds)
    rank = verb == "rank"
    for name, (_, always) in described.items():
        if always:
            assert name in document or rank and name in ("format", "graph"), (verb, name)


def test_nothing_is_described_that_is_not_there(documents):
    for verb in {case.split()[0] for case in CASES}:
        there = set().union(*(documents[case] for case in CASES if case.split()[0] == verb))
        for name in TABLES[verb]:
            assert name in there, (verb, name)
    for title, verbs in SHARED.items():
        there = set().union(*(documents[case] for case in CASES
                              if verbs is None or case.split()[0] in verbs))
        assert set(TABLES[title]) <= there, set(TABLES[title]) - there


def test_every_verb_is_described(documents):
    verbs = {verb["name"] for verb in documents["help"]["verbs"]}
    assert verbs - {"bench", "completion"} == {case.split()[0] for case in CASES}


@pytest.mark.parametrize("words, code", [
    ("bfs none.txt", FAILURE), ("bfs graph.txt --nonsense", USAGE), ("path graph.txt 1", USAGE),
    ("bfs graph.txt --source 99", USAGE), ("sssp pairs.txt --columns 7,8", BAD_INPUT),
    ("components graph.txt -o -", USAGE), ("sssp graph.txt --memory 1", FAILURE)])
def test_failures(folder, words, code):
    plain, told = run(*words.split(), code=code, cwd=folder) if "-o -" not in words else ("", "")
    out, err = run(*words.split(), "--json", code=code, cwd=folder)
    document = json.loads(out)
    assert plain == "" and (told == err or not told)
    assert set(document) == {"schema", "verb", "error"} and document["verb"] == words.split()[0]
    described = TABLES["When a command fails"]
    assert set(document["error"]) == set(described)
    for name, value in document["error"].items():
        assert any(KINDS[kind](value) for kind in described[name][0])
    assert document["error"]["exit_code"] == code and document["error"]["message"] in err


def test_an_object_of_its_own_stays_alone(folder):
    out, _ = run("path", "graph.txt", 1, 5, "--json", code=FAILURE, cwd=folder)
    assert json.loads(out)["distance"] is None
    (folder / "cycle.txt").write_text("1 2 -1\n")
    out, _ = run("sssp", "cycle.txt", "--json", code=FAILURE, cwd=folder)
    assert json.loads(out)["negative_cycle"] == [1, 2]


def test_what_else_is_written_changes_nothing(folder):
    def document(*more):
        out, _ = run("sssp", "graph.txt", "--source", 1, "--json", *more, cwd=folder)
        found = json.loads(out)
        return {name: value for name, value in found.items()
                if not name.endswith("seconds") and not name.endswith("bytes")
                and name not in ("runs", "phases", "files")}
    alone = document()
    for more in (["-o", "a.npy"], ["-o", "a.txt", "--parents", "p.npy"], ["--plot", "a.svg"],
                 ["-v"], ["-q"], ["--progress"]):
        assert document(*more) == alone
