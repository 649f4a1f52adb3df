# SPDX-License-Identifier: Apache-2.0
"""What the tests of `hoplite bench` share: running it, and rows."""

import json

from cli_testing import run


def rows_of(path, kind=None):
    """The rows of a file, of one kind if it is named."""
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    return [row for row in rows if kind in (None, row["kind"])]


def bench(tmp_path, *words, kind="run", name="rows.jsonl", **how):
    """Runs the command with a file of rows; returns its rows of one kind, or all."""
    path = tmp_path / name
    run("bench", *words, "--jsonl", path, **how)
    return rows_of(path, kind)


def made_row(seconds, repetition, session="0" * 16, **fields):
    """A row as the command would write it, with what --compare looks at."""
    row = {"schema": 1, "kind": "run", "session": session, "time": "2026-11-15T08:00:00.000Z",
           "tag": None, "problem": "bfs", "graph_hash": "00000000deadbeef", "seed": 1,
           "variant": "sequential", "settings": {}, "device": "cpu", "threads": 1,
           "warmup": False, "repetition": repetition, "outcome": "ok", "seconds": seconds}
    row.update(fields)
    return json.dumps(row)


def write_times(path, times, sessions=None):
    """A file of rows with these times; `sessions` names the process of each."""
    with open(path, "w") as file:
        for i, seconds in enumerate(times):
            session = "0" * 16 if sessions is None else f"{sessions[i]:016x}"
            print(made_row(float(seconds), i, session), file=file)
    return path
