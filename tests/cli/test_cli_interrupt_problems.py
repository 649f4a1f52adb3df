# SPDX-License-Identifier: Apache-2.0
"""^C in every verb of the problems, at several moments: exit code 130, soon, and no file is left.

The promise is 0.3 s. Tests run beside others, which are not counted but take room in caches: they
allow three times as much, and instrumented code, which is slower, ten times, in one of a few
tries."""

import os
import signal

import pytest
from cli_testing import INTERRUPTED, SANITIZED, run
from test_cli_interrupt import (ends_soon, interrupt, moment, seconds_since, start,
                                wait_for_partial_file)

SOON = 3.0 if SANITIZED else 0.9
SCALE = "14" if SANITIZED else "19"
# As many repetitions as it takes to be still at work when the signal comes.
LONG = ["--repeat", "1000000"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    run("generate", "rmat", "--scale", SCALE, "--weights", "int32", "-o", folder / "g.npz", "-q")
    run("generate", "list", "--n", 2 ** int(SCALE), "-o", folder / "list.npy", "-q")
    run("generate", "grid", "--rows", "100", "--cols", "100", "-o", folder / "grid.npz", "-q")
    return folder


RUNS = [
    ["bfs", "g.npz", *LONG, "-o", "OUT/l.npy"],
    ["bfs", "g.npz", *LONG, "--variant", "sequential", "-o", "OUT/l.txt"],
    ["components", "g.npz", *LONG, "-o", "OUT/c.npy"],
    ["components", "g.npz", *LONG, "--variant", "dfs", "-o", "OUT/c.npy"],
    ["sssp", "g.npz", *LONG, "-o", "OUT/d.npy"],
    ["sssp", "g.npz", *LONG, "--variant", "bellman-ford", "-o", "OUT/d.txt"],
    ["path", "g.npz", "0", "1", *LONG, "-o", "OUT/p.txt"],
    ["rank", "list.npy", *LONG, "-o", "OUT/r.npy"],
    ["apsp", "grid.npz", *LONG, "-o", "OUT/m.npy"],
    ["apsp", "grid.npz", *LONG, "--variant", "floyd-warshall", "-o", "OUT/m.npy"],
    ["apsp", "grid.npz", *LONG, "--memory", "40M", "--certify", "-o", "OUT/m.npy"],
]


# Each in the middle of its runs, and one of each verb when it has hardly begun.
MOMENTS = [(words, 0.4) for words in RUNS] + [(words, 0.05) for words in RUNS[::2]]


@pytest.mark.parametrize("words, after", MOMENTS,
                         ids=lambda part: " ".join(part[:1] + part[4:6]) if part in RUNS else None)
def test_interrupt(words, after, files, tmp_path):
    words = [word.replace("OUT", str(tmp_path)) for word in words]

    def attempt():
        code, seconds, err = interrupt(start(*words, cwd=files), signal.SIGINT, after)
        assert code == INTERRUPTED
        assert f"hoplite: {words[0]}: interrupted\n" in err
        assert os.listdir(tmp_path) == []
        return seconds

    assert ends_soon(attempt, SOON)


@pytest.mark.skipif(SANITIZED, reason="the file of the small graph is complete at once")
@pytest.mark.parametrize("words", [["bfs", "-o", "OUT/l.txt.gz"],
                                   ["sssp", "-o", "OUT/d.txt.gz"]])
def test_interrupt_while_writing(words, files, tmp_path):
    """The signal comes when the file has begun; there is none afterwards."""
    out = tmp_path / "out"
    out.mkdir()

    def attempt():
        process = start(words[0], files / "g.npz", *(w.replace("OUT", str(out)) for w in words[1:]))
        wait_for_partial_file(process, out, least=0)
        then = moment(process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
        if process.returncode == 0:
            for name in os.listdir(out):
                os.remove(out / name)
            return None
        assert process.returncode == INTERRUPTED
        assert os.listdir(out) == []
        return seconds_since(then)

    assert ends_soon(attempt, SOON)


def test_interrupt_certify(files, tmp_path):
    """Proofs are short: the signal comes at the first moment that it is caught."""
    run("apsp", files / "grid.npz", "--distance-type", "int32", "-o", tmp_path / "m.npy", "-q")

    def attempt():
        process = start("certify", "apsp", files / "grid.npz", tmp_path / "m.npy")
        code, seconds, err = interrupt(process, signal.SIGINT, 0.1)
        if code == 0:
            return None
        assert code == INTERRUPTED
        assert err == "hoplite: certify: interrupted\n"
        return seconds

    assert ends_soon(attempt, SOON)
