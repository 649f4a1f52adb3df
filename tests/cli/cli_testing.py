# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command share: running it, and small files to run it on."""

import json
import os
import signal
import subprocess

import pytest

HOPLITE = os.environ.get("HOPLITE", "hoplite")
SANITIZED = bool(os.environ.get("HOPLITE_SANITIZE"))

# A shell that starts the tests in the background has them ignore ^C, nohup has them ignore the end
# of the terminal, and the commands that they start would ignore it too.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Six edges of a square with one diagonal and a tail; ids have gaps, so they become labels.
EDGES = "# a comment\n10 20\n20 30\n30 40\n40 10\n10 30\n40 50\n"
OK, FAILURE, USAGE, NO_DEVICE, BAD_INPUT, INTERRUPTED = 0, 1, 2, 4, 5, 130


def clean_environment(**extra):
    """The environment without what would change the results."""
    keep = {k: v for k, v in os.environ.items()
            if (not k.startswith("HOPLITE_") or k == "HOPLITE_CACHE_DIR")
            and k not in ("NO_COLOR", "POSIXLY_CORRECT")}
    keep.update({"LC_ALL": "C.UTF-8", "TERM": "xterm", **extra})
    return keep


def run(*words, code=OK, stdin=None, env=None, cwd=None, stdout=subprocess.PIPE, timeout=2000):
    """Runs the command, checks its exit code (None: any), and returns (stdout, stderr) as text."""
    done = subprocess.run([HOPLITE, *map(str, words)], input=stdin, stdout=stdout,
                          stderr=subprocess.PIPE, env=clean_environment(**(env or {})), cwd=cwd,
                          timeout=timeout, text=True)
    assert code in (None, done.returncode), (words, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def run_json(*words, **how):
    out, _ = run(*words, "--json", **how)
    document = json.loads(out)
    assert document["schema"] == 1
    assert document["verb"] == words[0]
    return document


def preloaded(folder, source):
    """A library for LD_PRELOAD, made of C: what it defines stands before the command's own."""
    if SANITIZED:
        pytest.skip("the sanitizer's runtime must come first")
    (folder / "preloaded.c").write_text(source)
    include = os.path.join(os.environ["HOPLITE_SOURCE_DIR"], "include")
    subprocess.run([os.environ.get("HOPLITE_CC", "cc"), "-std=c11", "-shared", "-fPIC", "-I",
                    include, "-o", folder / "preloaded.so", folder / "preloaded.c", "-ldl"],
                   check=True)
    return folder / "preloaded.so"


def host_variants(*problem):
    """The rows of `hoplite variants` that run without a device."""
    return [row for row in run_json("variants", *problem)["variants"] if row["place"] == "host"]


def refuse(*words, code=USAGE, says=(), **how):
    """Runs a command that must fail: a message that names the verb, and no output but, with --json,
    the object of the failure."""
    out, err = run(*words, code=code, **how)
    assert not out or "--json" in words and "error" in json.loads(out)
    assert err.startswith("hoplite: ")
    for text in says:
        assert text in err, (text, err)
    return err


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text(EDGES)
    return path
