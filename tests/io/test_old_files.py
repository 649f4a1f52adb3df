# SPDX-License-Identifier: Apache-2.0
"""Files that earlier versions wrote (tests/fixtures/VERSION, by make_fixtures there): every graph
is read with the hash that it had then, every result is certified, and every index answers as a
search does."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess

import pytest

FIXTURES = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"]) / "tests/fixtures"
COMMAND = os.environ["HOPLITE"]
VERSIONS = sorted(path.parent for path in FIXTURES.glob("*/manifest.json"))
MANIFESTS = [(folder, json.loads((folder / "manifest.json").read_text())) for folder in VERSIONS]


def rows(kind, manifests=tuple(MANIFESTS)):
    """Every graph, result or index, of every version, under the name of its file."""
    found = []
    for folder, manifest in manifests:
        if kind == "graphs":
            found += [(folder, row, row[0]) for row in manifest["graphs"].items()]
        else:
            name = {"results": "result", "indexes": "index"}[kind]
            found += [(folder, row, row[name]) for row in manifest[kind]]
    assert found
    return [pytest.param(folder, row, id=f"{folder.name}-{name}") for folder, row, name in found]


def run(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True,
                          check=False)


@pytest.mark.parametrize("folder, row", rows("graphs"))
def test_graph(folder, row):
    name, known = row
    done = run("info", folder / name, "--json", "--hash")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["format"], told["hash"]) == (known["format"], known["hash"])


@pytest.mark.parametrize("folder, row", rows("results"))
def test_result(folder, row):
    done = run("certify", row["problem"], folder / row["input"], folder / row["result"],
               *row["options"])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("folder, row", rows("indexes"))
def test_index(folder, row, tmp_path):
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("".join(f"{a} {b}\n" for a in (0, 27) for b in range(32)))
    done = run("path", folder / row["input"], "--index", folder / row["index"], "--pairs", pairs,
               "--certify", "-o", tmp_path / "found.csv")
    assert done.returncode == 0, done.stderr
    assert "certified" in done.stderr + done.stdout


@pytest.mark.parametrize("folder, row", rows("indexes", MANIFESTS[-1:]))
def test_index_is_written_as_before(folder, row, tmp_path):
    """Other bytes are another format, or another choice of the order: a new version in the head of
    the file if old ones cannot be read, and new fixtures."""
    kept, made = folder / row["index"], tmp_path / "made.npz"
    assert hashlib.sha256(kept.read_bytes()).hexdigest() == row["sha256"], "the fixture has changed"
    done = run("index", folder / row["input"], *row["options"], "-o", made)
    assert done.returncode == 0, done.stderr
    assert made.read_bytes() == kept.read_bytes()


def test_a_changed_byte_is_noticed(tmp_path):
    """The hashes are looked at: another weight gives another one, or the file is refused."""
    folder, manifest = MANIFESTS[0]
    path = tmp_path / "weighted.npz"
    shutil.copy(folder / "weighted.npz", path)
    data = bytearray(path.read_bytes())
    data[data.index(b"data.npy") + 200] ^= 1
    path.write_bytes(data)
    done = run("info", path, "--json", "--hash")
    assert done.returncode != 0 or json.loads(done.stdout)["hash"] != \
        manifest["graphs"]["weighted.npz"]["hash"]
