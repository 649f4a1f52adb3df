# SPDX-License-Identifier: Apache-2.0
"""bench on a machine that others use, and bench that is interrupted."""

import json
import os
import signal
import subprocess
import time

import pytest
from cli_testing import HOPLITE, INTERRUPTED, clean_environment, preloaded, run, run_json

# A machine of which CORES processors are busy, whoever it is. Its clock goes on by a millisecond
# whenever somebody looks at it, so that what this machine does in the meantime does not matter.
STAT = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static atomic_llong milliseconds = 1000000;
int clock_gettime(clockid_t clock, struct timespec *now) {
    if (clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, now);
    long long ms = atomic_fetch_add(&milliseconds, 1) + 1;
    *now = (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    return 0;
}
FILE *fopen(const char *path, const char *mode) {
    FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");
    if (strcmp(path, "/proc/stat") != 0)
        return real(path, mode);
    static char text[200];
    double ticks = (double)atomic_load(&milliseconds) / 1000 * sysconf(_SC_CLK_TCK) *
                   atof(getenv("CORES"));
    /* Half of it is stolen; a lot of it idle or waiting. */
    snprintf(text, sizeof text, "cpu %.0f 0 0 987654 123456 0 0 %.0f 0 0\n", ticks / 2, ticks / 2);
    return fmemopen(text, strlen(text), "r");
}
"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("machine")
    library = preloaded(folder, STAT)
    run("generate", "grid", "--rows", "300", "--cols", "300", "-o", folder / "g.npz", "-q")
    return folder / "g.npz", lambda cores: {"LD_PRELOAD": str(library), "CORES": str(cores)}


# Enough runs for several intervals of that clock.
WORDS = ["--variant", "sequential", "--repeat", "200", "--time-limit", "1000"]


def test_a_busy_machine_is_told(machine, tmp_path):
    graph, env = machine
    rows = tmp_path / "rows.jsonl"
    out, err = run("bench", "bfs", graph, *WORDS, "--jsonl", rows, env=env(100))
    assert "busy: " in out and "cores of others" in out
    assert "warning: other work kept" in err and err.count("warning") == 1
    made = [json.loads(line) for line in rows.read_text().splitlines()]
    known = [row["foreign_cores"] for row in made if row["kind"] == "run"]
    assert any(cores is not None for cores in known)
    assert all(cores is None or 50 < cores <= 101 for cores in known)
    [summary] = [row for row in made if row["kind"] == "summary"]
    assert summary["busy"] is True and 50 < summary["foreign_cores"] <= 101
    [same] = run_json("bench", "bfs", graph, *WORDS, env=env(100))["summaries"]
    assert same["busy"] is True
    assert run("bench", "bfs", graph, *WORDS, "-q", env=env(100)) == ("", "")


def test_a_quiet_machine_is_not(machine):
    graph, env = machine
    out, err = run("bench", "bfs", graph, *WORDS, env=env(0))
    assert "busy" not in out and "warning" not in err
    [summary] = run_json("bench", "bfs", graph, *WORDS, env=env(0))["summaries"]
    assert summary["busy"] is False and summary["foreign_cores"] == 0


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_an_interrupt_leaves_the_table_so_far(words, machine, tmp_path):
    """The signal comes when rows of some repetitions are there, however long these take."""
    rows = tmp_path / "rows.jsonl"
    process = subprocess.Popen([HOPLITE, "bench", "bfs", machine[0], "--repeat", "100000",
                                "--variant", "sequential", "--jsonl", rows, *words],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=clean_environment())
    while not (rows.exists() and rows.read_text().count('"run"') >= 3):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == INTERRUPTED and "interrupted" in err
    if words:
        [summary] = json.loads(out)["summaries"]
        assert summary["runs"] >= 2 and summary["outcome"] == "stopped"
        assert summary["message"] == "interrupted"
    else:
        assert "sequential" in out and "of 100000: interrupted" in out
    assert os.path.exists(rows)
