# SPDX-License-Identifier: Apache-2.0
"""What a person sees: the command on a pseudo-terminal of a given width."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import time

import pytest
from cli_testing import HOPLITE, SANITIZED, clean_environment, run

# Long enough for a bar, which appears after a third of a second: one thread, since time is wanted.
WORK = ["generate", "rmat", "--scale", "17" if SANITIZED else "19", "--edge-factor", "16",
        "--threads", "1"]


def on_terminal(*words, columns=80, env=None, stdout=None):
    """Runs with standard error (and output, unless given) on a terminal; returns its bytes."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    process = subprocess.Popen([HOPLITE, *words], stdin=subprocess.DEVNULL, stderr=follower,
                               stdout=follower if stdout is None else stdout,
                               env=clean_environment(**(env or {})))
    os.close(follower)
    chunks = []
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # EIO: the other side is closed
            break
        if not chunk:
            break
        chunks.append((time.monotonic(), chunk))
    os.close(leader)
    assert process.wait(timeout=300) == 0
    return chunks


def text_of(chunks):
    return b"".join(chunk for _, chunk in chunks).decode()


def drawings(text):
    """The lines that were drawn and drawn over, without colours."""
    plain = re.sub(r"\033\[\d*m", "", text)
    return [line for line in re.findall(r"\r([^\r\n]*?)\033\[K", plain) if line]


def test_bar_appears_and_goes_away():
    text = text_of(on_terminal(*WORK))
    lines = drawings(text)
    assert lines, text
    assert any(re.search(r"\d %", line) and "█" in line for line in lines)
    assert any("/s" in line and " left" in line for line in lines)
    # What remains after the last wiping is the summary, without any piece of a bar.
    assert "\033[K" not in text[text.rindex("\033[K") + 3:]
    assert "░" not in text[text.rindex("\033[K"):]
    assert "bytes per edge drawn" in text


@pytest.mark.parametrize("columns", [4, 12, 20, 40, 60, 200])
def test_bar_fits(columns):
    for line in drawings(text_of(on_terminal(*WORK, columns=columns))):
        assert len(line) < columns


def test_bar_is_not_drawn_too_often():
    began = time.monotonic()
    chunks = on_terminal(*WORK)
    seconds = chunks[-1][0] - began
    drawn = len(drawings(text_of(chunks)))
    assert 0 < drawn <= 10 * seconds + 1


def test_no_bar():
    assert "\033[K" not in text_of(on_terminal(*WORK, "--quiet"))
    for kind in ("dumb", ""):
        assert "\033" not in text_of(on_terminal(*WORK, env={"TERM": kind}))


def test_results_in_a_pipe_progress_on_the_terminal():
    text = text_of(on_terminal(*WORK, stdout=subprocess.DEVNULL))
    assert drawings(text)
    assert "vertices   524,288" not in text


def test_no_color():
    coloured = text_of(on_terminal("help"))
    assert "\033[1m" in coloured
    plain = text_of(on_terminal("help", env={"NO_COLOR": "1"}))
    assert "\033" not in plain
    assert plain == re.sub(r"\033\[\d*m", "", coloured)
    assert text_of(on_terminal("help", env={"NO_COLOR": ""})) == coloured
    bars = text_of(on_terminal(*WORK, env={"NO_COLOR": "1"}))
    assert drawings(bars) and not re.search(r"\033\[\d*m", bars)


def test_ascii_terminal():
    text = text_of(on_terminal(*WORK, env={"LC_ALL": "C"}))
    assert text.isascii()
    assert any("#" in line for line in drawings(text))


@pytest.mark.parametrize("columns", [30, 50, 80, 160])
def test_help_fits(columns):
    plain = re.sub(r"\033\[\d*m", "", text_of(on_terminal("info", "--help", columns=columns)))
    usual = [line for line in plain.splitlines()
             if not line.startswith(("  hoplite", "Usage:"))]
    assert max(map(len, usual)) <= max(columns, 40)


# ---- text from outside -------------------------------------------------------------------------

EVIL = b"\x1b]0;owned\x07\x1b[2J\r\n\x7f\xc2\x9b31m\xff\x80"


@pytest.mark.parametrize("words", [
    [b"NAME"], [b"info", b"NAME"], [b"info", b"GRAPH", b"--NAME"], [b"info", b"--from", b"NAME"],
    [b"convert", b"GRAPH", b"/nowhere/NAME"], [b"convert", b"GRAPH", b"NAME"], [b"help", b"NAME"],
    [b"bfs", b"GRAPH", b"--source", b"NAME"], [b"bfs", b"GRAPH", b"--device", b"NAME"],
    [b"bfs", b"GRAPH", b"--variant", b"NAME"], [b"bfs", b"GRAPH", b"--threads", b"NAME"],
    [b"bfs", b"GRAPH", b"--sources", b"NAME"], [b"bfs", b"GRAPH", b"-o", b"NAME.txt"],
    [b"generate", b"NAME"], [b"generate", b"rmat", b"--set", b"NAME=3"], [b"variants", b"NAME"],
    [b"certify", b"bfs", b"GRAPH", b"NAME"], [b"certify", b"NAME", b"GRAPH", b"NAME"],
    [b"bench", b"bfs", b"FILE", b"--repeat", b"1"], [b"bench", b"--compare", b"NAME", b"NAME"],
    [b"info", b"FILE"], [b"bfs", b"FILE", b"-o", b"FILE.txt"], [b"info", b"CONTENTS"],
    [b"certify", b"bfs", b"GRAPH", b"CONTENTS"], [b"bfs", b"GRAPH", b"--sources", b"CONTENTS"],
])
def test_what_comes_from_outside_is_not_obeyed(words, tmp_path):
    """Bytes that a terminal would obey are shown as \\xNN, wherever they come from."""
    folder = os.fsencode(tmp_path)
    places = {b"GRAPH": b"graph.txt", b"FILE": EVIL + b".el", b"CONTENTS": b"contents.txt"}
    for name, text in ((b"graph.txt", b"0 1\n1 2\n"), (EVIL + b".el", b"0 1\n1 2\n"),
                       (b"contents.txt", EVIL + b" 1\n")):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text)
    given = [places.get(word, word.replace(b"NAME", EVIL).replace(b"FILE.txt", EVIL + b".txt"))
             for word in words]
    done = subprocess.run([HOPLITE, *given], capture_output=True, env=clean_environment(),
                          cwd=tmp_path)
    said = done.stdout + done.stderr
    assert b"\\x7f" in said or b"\\x1b" in said, said
    for byte in b"\x1b\x07\r\x7f\xff\x9b":
        assert bytes([byte]) not in said, (byte, said)
    said.decode()


def test_other_letters_stay_as_they_are(tmp_path):
    name = "Zürich-東京.txt"
    (tmp_path / name).write_text("0 1\n")
    assert name in run("info", name, cwd=tmp_path)[0]
    assert name + "x" in run("info", name + "x", cwd=tmp_path, code=1)[1]
