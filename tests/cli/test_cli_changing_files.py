# SPDX-License-Identifier: Apache-2.0
"""Files that change while they are used, and text that never ends a line."""

import os
import signal
import subprocess
import threading

import pytest
from cli_testing import (BAD_INPUT, HOPLITE, INTERRUPTED, SANITIZED, clean_environment,
                         refuse, run, run_json)

# A verb, what it reads, and the option that makes it wait for a list after it has opened that.
WAITING = {
    "bfs": (["bfs", "GRAPH", "-o", "-"], "--sources"),
    "sssp": (["sssp", "GRAPH", "-o", "-"], "--sources"),
    "apsp": (["apsp", "GRAPH"], "--rows-from"),
    "rank": (["rank", "LIST", "-o", "-"], "--heads"),
    "convert": (["convert", "GRAPH", "-", "--to", "edge-list"], "--vertices"),
    "certify bfs": (["certify", "bfs", "GRAPH", "LEVELS"], "--sources"),
    "certify rank": (["certify", "rank", "LIST", "RANKS"], "--heads"),
}


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    folder = tmp_path_factory.mktemp("originals")
    run("generate", "rmat", "--scale", "12", "-o", folder / "GRAPH.npz", "-q")
    run("generate", "list", "--n", "50000", "-o", folder / "LIST.npy", "-q")
    run("bfs", folder / "GRAPH.npz", "--source", "0", "-o", folder / "LEVELS.npy", "-q")
    run("rank", folder / "LIST.npy", "-o", folder / "RANKS.npy", "-q")
    return {path.stem: path.read_bytes() for path in folder.iterdir()}


def run_while(case, originals, folder, change, *more):
    """Runs the command; change(path) is called when it has opened its first file."""
    words, option = WAITING[case]
    paths = {}
    for name, contents in originals.items():
        paths[name] = folder / (name + (".npz" if name == "GRAPH" else ".npy"))
        paths[name].write_bytes(contents)
    fifo = folder / "pipe"
    if not fifo.exists():
        os.mkfifo(fifo)
    process = subprocess.Popen([HOPLITE, *(str(paths.get(word, word)) for word in words), *more,
                                option, fifo], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=clean_environment(), text=True)
    with open(fifo, "w") as pipe:  # returns when the command reads its list, its file open
        change(paths["LIST" if "LIST" in words else "GRAPH"])
        pipe.write("0\n")
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


@pytest.mark.parametrize("case", WAITING)
def test_a_file_cut_short_is_named(case, originals, tmp_path):
    code, out, err = run_while(case, originals, tmp_path, lambda path: os.truncate(path, 4096))
    assert code == BAD_INPUT, (code, err)
    assert "was cut short while it was being read" in err and "--in-memory" in err
    assert ("LIST.npy" if "rank" in case else "GRAPH.npz") in err


@pytest.mark.parametrize("case", WAITING)
@pytest.mark.parametrize("change", ["cut", "overwritten"])
def test_in_memory_nothing_changes(case, change, originals, tmp_path):
    def alter(path):
        if change == "cut":
            os.truncate(path, 0)
        else:
            with open(path, "r+b") as file:
                file.write(b"\xff" * path.stat().st_size)

    expected = run_while(case, originals, tmp_path, lambda path: None, "-q")
    assert expected[0] == 0, expected
    assert run_while(case, originals, tmp_path, alter, "-q", "--in-memory") == expected


@pytest.mark.skipif(SANITIZED, reason="the sanitizer's own handler comes first")
def test_an_overwritten_file_is_named_where_it_crashes(originals, tmp_path):
    """What was checked is no longer true: anything may come of it, but no crash without a word."""
    def overwrite(path):
        with open(path, "r+b") as file:
            file.seek(4096)  # arcs, but not the offsets behind them
            file.write(b"\x7f" * (path.stat().st_size // 2))

    code, _, err = run_while("bfs", originals, tmp_path, overwrite)
    assert code == BAD_INPUT and "GRAPH.npz was changed while it was being read" in err


def test_a_signal_from_elsewhere_is_not_about_a_file(originals, tmp_path):
    """kill -BUS does what it does to any program, even when a file has changed."""
    (tmp_path / "g.npz").write_bytes(originals["GRAPH"])
    os.mkfifo(tmp_path / "pipe")
    process = subprocess.Popen([HOPLITE, "bfs", tmp_path / "g.npz", "--sources", tmp_path / "pipe"],
                               stderr=subprocess.PIPE, env=clean_environment(), text=True)
    with open(tmp_path / "pipe", "w"):
        os.truncate(tmp_path / "g.npz", 4096)
        process.send_signal(signal.SIGBUS)
        _, err = process.communicate(timeout=300)
    assert process.returncode == -signal.SIGBUS and err == ""


# ---- lines without end -------------------------------------------------------------------------

@pytest.mark.parametrize("words", [[], ["--from", "edge-list"], ["--from", "metis"],
                                   ["--from", "list"]])
def test_zeros_are_no_text(words, tmp_path):
    refuse("info", "/dev/zero", *words, "--memory", "8M", code=BAD_INPUT, says=["/dev/zero"])
    path = tmp_path / "sparse.txt"
    path.write_text("1 2\n" * 100000)
    os.truncate(path, 2**40)  # a hole
    refuse("info", path, *words, "--memory", "64M", "--max-bytes", "2T", code=BAD_INPUT,
           says=["sparse.txt:"])


@pytest.mark.parametrize("suffix", ["txt", "pipe"])
def test_a_line_is_not_gathered_beyond_its_limit(suffix, tmp_path):
    """20 MB of digits after two good lines: refused at the limit, with its number, in little
    memory; --max-line lets it come, and then it is no edge."""
    path, text = tmp_path / f"long.{suffix}", b"1 2\n3 4\n" + b"7" * 20_000_000 + b"\n"
    path.write_bytes(text)
    words = ["info", "-" if suffix == "pipe" else path, "--from", "edge-list"]

    def refused(*more):
        with open(path) as stdin:
            done = subprocess.run([HOPLITE, *map(str, [*words, *more])], stderr=subprocess.PIPE,
                                  stdin=stdin, env=clean_environment(), text=True)
        assert done.returncode == BAD_INPUT, done.stderr
        return done.stderr

    if suffix == "pipe":
        words[1] = "/dev/stdin"
    err = refused("--memory", "96M")
    assert ":3: a line of 16.0 MiB so far" in err and "max_line" in err and "--max-line" in err
    err = refused("--memory", "16M", "--max-line", "1M")
    assert ":3: a line of 1.0 MiB so far" in err and "is 1.0 MiB" in err
    assert ":3:" in refused("--max-line", "64M") and "max_line" not in refused("--max-line", "64M")


def test_comments_may_be_of_any_length(tmp_path):
    """Before the edges and between them, they are skipped and not kept."""
    path = tmp_path / "g.txt"
    comment = b"# " + b"x" * 20_000_000 + b"\n"
    path.write_bytes(comment + b"1 2\n" * 100_000 + comment + b"2 3\n")
    found = run_json("info", path, "--memory", "40M")
    assert (found["graph"]["vertices"], found["graph"]["edges"]) == (3, 2)


def test_an_endless_comment_can_be_interrupted():
    process = subprocess.Popen([HOPLITE, "info", "-", "--from", "edge-list"], stdin=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=clean_environment(), text=False)
    written = 0

    def feed():
        nonlocal written
        try:
            os.write(process.stdin.fileno(), b"#")
            while True:
                written += os.write(process.stdin.fileno(), b"x" * 65536)
                if written == 1024 * 65536:
                    process.send_signal(signal.SIGINT)
        except BrokenPipeError:
            pass

    feeder = threading.Thread(target=feed)
    feeder.start()
    process.wait(timeout=300)
    process.stdin.close()
    feeder.join()
    assert process.returncode == INTERRUPTED
    process.stderr.close()


def test_lists_of_vertices_have_short_lines(originals, tmp_path):
    (tmp_path / "g.npz").write_bytes(originals["GRAPH"])
    (tmp_path / "s.txt").write_text("# " + "x" * 100_000 + "\n0\n")
    run("bfs", tmp_path / "g.npz", "--sources", tmp_path / "s.txt")
    refuse("bfs", tmp_path / "g.npz", "--sources", "/dev/zero", code=BAD_INPUT,
           says=["/dev/zero:1"])
    (tmp_path / "s.txt").write_text("0\n" + "7" * 100_000 + "\n")
    refuse("bfs", tmp_path / "g.npz", "--sources", tmp_path / "s.txt", code=BAD_INPUT,
           says=["s.txt:2:", "4095"])
