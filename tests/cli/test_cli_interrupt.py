# SPDX-License-Identifier: Apache-2.0
"""Signals: ^C ends the command soon, with its exit code, and leaves no file behind; a killed
command leaves the old file as it was."""

import os
import signal
import subprocess
import time

import pytest
from cli_testing import (HOPLITE, INTERRUPTED, SANITIZED, clean_environment, edges,
                         run)  # noqa: F401 (edges is a fixture)

# Long enough that it is still at work when the signal comes.
LONG = ["generate", "rmat", "--scale", "24", "--edge-factor", "16"]
# What the library promises, and what two busy cores add; instrumented code is slower.
SOON = 3.0 if SANITIZED else 0.5


def start(*words, **how):
    return subprocess.Popen([HOPLITE, *map(str, words)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=clean_environment(), **how)


def catches(process, number):
    """Whether the process has come so far that it catches the signal."""
    with open(f"/proc/{process.pid}/status") as status:
        caught = next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt:"))
    return caught >> (number - 1) & 1


def interrupt(process, number, after):
    """Sends the signal; returns (exit code, seconds until the end, standard error)."""
    while process.poll() is None and not catches(process, number):
        time.sleep(0.005)
    time.sleep(after)
    assert process.poll() is None, process.communicate()
    began = time.monotonic()
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    return process.returncode, time.monotonic() - began, err.decode()


@pytest.mark.parametrize("after", [0.05, 0.4, 1.5])
def test_interrupt_is_prompt(after, tmp_path):
    code, seconds, err = interrupt(start(*LONG, "-o", tmp_path / "g.npz"), signal.SIGINT, after)
    assert code == INTERRUPTED
    assert err == "hoplite: generate: interrupted\n"
    assert seconds < SOON
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("number, code", [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_other_signals(number, code):
    assert interrupt(start(*LONG), number, 0.3)[0] == code


def test_interrupt_while_waiting_for_input():
    process = start("info", "-", stdin=subprocess.PIPE)
    code, seconds, _ = interrupt(process, signal.SIGINT, 0.3)
    assert code == INTERRUPTED and seconds < SOON


def test_ignored_interrupt_stays_ignored(tmp_path):
    """nohup, and shells that start a command in the background, ignore it for us."""
    process = start("generate", "rmat", "--scale", "18", "-o", tmp_path / "g.npz",
                    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 0 and (tmp_path / "g.npz").exists()


def wait_for_partial_file(process, folder, known):
    while process.poll() is None:
        if set(os.listdir(folder)) - known:
            return True
        time.sleep(0.001)
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_signal_in_the_middle_of_writing(number, tmp_path):
    """The text of half a million edges takes a while; the signal comes when its file has begun."""
    source, folder = tmp_path / "g.npz", tmp_path / "out"
    folder.mkdir()
    target = folder / "g.txt.gz"
    target.write_text("precious")
    run("generate", "rmat", "--scale", "17", "-o", source, "-q")
    process = start("convert", source, target)
    # A file without a name until it is complete cannot be waited for: then any moment will do.
    begun = wait_for_partial_file(process, folder, {"g.txt.gz"})
    if begun:
        process.send_signal(number)
    process.communicate(timeout=60)
    if not begun:
        pytest.skip("the file had no name while it was written")
    assert process.returncode in (128 + number, -number)
    assert target.read_text() == "precious"
    if number != signal.SIGKILL:
        assert os.listdir(folder) == ["g.txt.gz"]


def test_second_interrupt_ends_at_once():
    process = start(*LONG)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode in (INTERRUPTED, -signal.SIGINT)
