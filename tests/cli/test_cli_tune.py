# SPDX-License-Identifier: Apache-2.0
"""hoplite tune: the file that it writes, who reads it, and what it says on a busy machine."""

import json
import os
import subprocess

HOPLITE = os.environ["HOPLITE"]
NAMES = {"rank.small", "components.small", "bfs.small", "sssp.small", "sssp.small-alone",
         "sssp.small-sparse", "apsp.step", "apsp.queue", "apsp.arc"}


def run(*words, **variables):
    environment = dict(os.environ, **variables)
    return subprocess.run([HOPLITE, *words], env=environment, text=True, capture_output=True)


def explain(tmp_path, **variables):
    graph = tmp_path / "graph.npz"
    if not graph.exists():
        made = run("generate", "grid", "--rows", "9", "--cols", "9", "-o", str(graph))
        assert made.returncode == 0
    done = run("bfs", str(graph), "--explain", **variables)
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
