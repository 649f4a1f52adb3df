# SPDX-License-Identifier: Apache-2.0
"""hoplite tune: the file that it writes, who reads it, and what it says on a busy machine."""

import json
import os
import re
import subprocess

import pytest

HOPLITE = os.environ["HOPLITE"]
NAMES = {"rank.small", "components.small", "bfs.small", "sssp.small", "sssp.small-alone",
         "sssp.small-sparse", "apsp.step", "apsp.queue", "apsp.arc"}
OF_DEVICES = {"device." + name for name in ("stream", "gather", "atomic", "step", "launch", "bus")}


def run(*words, **variables):
    environment = dict(os.environ, **variables)
    return subprocess.run([HOPLITE, *words], env=environment, text=True, capture_output=True)


def explain(tmp_path, *words, **variables):
    graph = tmp_path / "graph.npz"
    if not graph.exists():
        made = run("generate", "grid", "--rows", "9", "--cols", "9", "-o", str(graph))
        assert made.returncode == 0
    done = run("bfs", str(graph), "--explain", *words, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_measures_and_writes(tmp_path):
    """On whatever machine this is: with --force it writes, in a folder that it makes."""
    place = tmp_path / "some" / "folder" / "constants"
    done = run("tune", "--force", "--json", "--threads", "2", HOPLITE_TUNING=str(place))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert {row["name"] for row in told["constants"]} == NAMES
    assert told["written"] == str(place)
    assert 0 < told["share_of_cores"] <= 1.01
    assert sorted(os.listdir(place.parent)) == ["constants"]  # no temporary file
    text = explain(tmp_path, HOPLITE_TUNING=str(place))
    assert "tuned" in text and "warning" not in text


def test_nothing_is_written_unasked(tmp_path):
    done = run("tune", "--no-write", "--threads", "1", XDG_CONFIG_HOME=str(tmp_path),
               HOPLITE_TUNING="")
    assert done.returncode in (0, 1), done.stderr  # 1: busy
    assert (done.returncode == 1) == ("of the cores were ours, so" in done.stderr)
    assert os.listdir(tmp_path) == []


def test_without_a_place():
    done = run("tune", HOPLITE_TUNING="none")
    assert done.returncode == 2
    assert "HOPLITE_TUNING" in done.stderr


def test_where_the_file_is_looked_for(tmp_path):
    settings, home = tmp_path / "settings", tmp_path / "home"
    for folder, value in ((settings / "hoplite", 30), (home / ".config" / "hoplite", 40)):
        folder.mkdir(parents=True)
        (folder / "tuning").write_text(f"bfs.small = {value}\n")
    other = tmp_path / "other"
    other.write_text("bfs.small = 50\n")
    both = {"XDG_CONFIG_HOME": str(settings), "HOME": str(home)}
    assert "bfs.small = 30, tuned" in explain(tmp_path, HOPLITE_TUNING="", **both)
    assert "bfs.small = 50, tuned" in explain(tmp_path, HOPLITE_TUNING=str(other), **both)
    assert "the default" in explain(tmp_path, HOPLITE_TUNING="none", **both)
    both["XDG_CONFIG_HOME"] = "relative"
    assert "bfs.small = 40, tuned" in explain(tmp_path, HOPLITE_TUNING="", **both)


def test_a_bad_file_is_warned_of(tmp_path):
    bad = tmp_path / "bad"
    bad.write_text("bfs.small = many\n")
    text = explain(tmp_path, HOPLITE_TUNING=str(bad))
    assert "line 1" in text and "the default" in text


@pytest.fixture(scope="module")
def device():
    rows = json.loads(run("devices", "--json").stdout)["devices"]
    found = [row["name"] for row in rows if row["kind"] == "device" and row["usable"]]
    if not found:
        pytest.skip("no OpenCL runtime")
    return found[0]


def test_a_device_is_measured_and_kept_beside_the_machine(tmp_path, device):
    place = tmp_path / "constants"
    place.write_text("bfs.small = 30\ndevice.bus@cuda/card/1.0 = 0.5\n")
    here = {"HOPLITE_TUNING": str(place)}
    before = explain(tmp_path, "--device", device, **here)
    assert "by constants assumed of" in before and "(measured)" not in before
    done = run("tune", "--force", "--json", "--device", device, **here)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["device"] == device and told["written"] == str(place)
    assert {row["name"] for row in told["constants"]} == OF_DEVICES
    assert all(row["value"] > 0 and row["before"] > 0 for row in told["constants"])
    lines = place.read_text().splitlines()
    own = [line for line in lines if re.match(r"device\.\w+@opencl/\S+ = [0-9.e+-]+ #", line)]
    assert {line.split("@")[0] for line in own} == OF_DEVICES
    assert [line for line in lines if line.startswith("device.bus@cuda/card/1.0 = 0.5 ")]
    machine = [line.split()[0] for line in lines if line and not line.startswith(("#", "device."))]
    assert machine == ["bfs.small"]  # the others are the defaults: comments
    after = explain(tmp_path, "--device", device, **here)
    assert "by measured constants" in after and "(assumed)" not in after
    assert "bfs.small = 30, tuned" in explain(tmp_path, **here)


def test_a_bad_constant_of_a_device_is_warned_of(tmp_path, device):
    bad = tmp_path / "bad"
    bad.write_text("device.launch@cuda/card/1.0 = -1\n")
    text = explain(tmp_path, "--device", device, HOPLITE_TUNING=str(bad))
    assert "line 1: device.launch is -1, but must be from" in text and "assumed" in text
