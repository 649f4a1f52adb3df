# SPDX-License-Identifier: Apache-2.0
"""Files that earlier versions wrote (tests/fixtures/VERSION, by make_fixtures there): every graph
is read with the hash that it had then, every result is certified, every index answers as a search
does, runs go on from scratch files and checkpoints, and rows and constants are read."""

import hashlib
import json
import os
import pathlib
import re
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


@pytest.mark.parametrize("folder, row", [each for each in rows("graphs") if ".npz" in each.id])
def test_arcs_that_stay_on_disk(folder, row):
    """A native file is a store of arcs too."""
    done = run("components", folder / row[0], "--external", "--certify")
    assert done.returncode == 0 and "stream" in done.stderr, done.stderr


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


@pytest.mark.parametrize("folder, manifest", MANIFESTS)
def test_a_run_goes_on_from_its_scratch_file(folder, manifest, tmp_path):
    for name in (manifest["scratch"]["file"], "weighted.npz"):
        shutil.copy(folder / name, tmp_path)
    done = subprocess.run([COMMAND, *manifest["scratch"]["words"], "-o", "out.npy", "--json"],
                          cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["counters"]["rounds gone on from"] > 0
    checked = run("certify", "apsp", folder / "weighted.npz", tmp_path / "out.npy")
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("folder, manifest", MANIFESTS)
def test_a_job_goes_on_from_its_checkpoint(folder, manifest, tmp_path):
    command = os.environ.get("HOPLITE_MPI")
    if not command:
        pytest.skip("this build has no hoplite-mpi")
    for row in manifest["checkpoints"]:
        saved, out = tmp_path / row["folder"], tmp_path / f"{row['problem']}.npy"
        shutil.copytree(folder / row["folder"], saved)
        done = subprocess.run([command, row["problem"], folder / "weighted.npz", "--from-vertex",
                               "27", "--checkpoint", saved, "--resume", "--json", "-o", out],
                              env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"),  # MPI's own
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "continued from" in json.loads(done.stdout)["resumed"]
        assert out.read_bytes() == (folder / f"{row['problem']}-weighted.npy").read_bytes()


@pytest.mark.parametrize("folder, manifest", MANIFESTS)
def test_rows_are_compared_and_added_to(folder, manifest, tmp_path):
    path = shutil.copy(folder / manifest["rows"], tmp_path)
    assert run("bench", "--compare", path, path).returncode == 0
    before = pathlib.Path(path).read_text().splitlines()
    done = run("bench", "components", folder / "weighted.npz", "--variant", "union-find",
               "--repeat", "3", "--jsonl", path, "--resume")
    assert done.returncode == 0, done.stderr
    after = pathlib.Path(path).read_text().splitlines()
    assert after[:len(before)] == before


@pytest.mark.parametrize("folder, manifest", MANIFESTS)
def test_constants_are_read(folder, manifest, tmp_path):
    """Those of the file decide: from rank.small elements on another variant is picked."""
    constants = folder / manifest["tuning"]
    small = int(re.search(r"^rank.small = (\d+)", constants.read_text(), re.M).group(1))
    picked = []
    for count in (small - 1, small + 1):
        path = tmp_path / f"{count}.npy"
        run("generate", "list", "--n", count, "-o", path)
        done = subprocess.run([COMMAND, "rank", path, "--json"], capture_output=True, text=True,
                              env=dict(os.environ, HOPLITE_TUNING=str(constants)), check=False)
        picked.append(json.loads(done.stdout)["variant"])
    assert picked[0] == "sequential" != picked[1], picked


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
