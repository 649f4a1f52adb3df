# SPDX-License-Identifier: Apache-2.0
"""
The raw rows: files of one JSON object per line, in the format of docs/bench.md. The command writes
them itself, as they happen, and finds in them what it need not do again; rows of peers are added
here in the same form.

A process may be killed at any moment. What makes that harmless:
1. A row is one write() to a file opened for appending, so only the last line can be incomplete.
2. Before anything is appended, an incomplete last line is cut off; it never counted as done.
   Anything else that is no row is an error: the file is not ours to repair.
3. One process writes at a time: a lock (flock) that the measuring child inherits, so that it is
   held until the child of a killed runner is gone too.
"""

import fcntl
import json
import os
import time


class BadRows(Exception):
    """A file of rows cannot be used; the text says why."""


def parse(data, path):
    """Returns (rows, number of good bytes). A last line without its end is left out."""
    rows, good = [], 0
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        try:
            row = json.loads(line)
            row["kind"]
        except (ValueError, KeyError, TypeError) as error:
            raise BadRows(f"{path}: line {number} is not a row ({error}); repair or move the file")
        rows.append(row)
        good += len(line) + 1
    return rows, good


def read(path):
    """The rows of a file that someone may be writing to; none if it is not there."""
    try:
        with open(path, "rb") as file:
            return parse(file.read(), path)[0]
    except FileNotFoundError:
        return []


def cut_incomplete_line(path):
    """Returns the number of bytes that were cut off."""
    try:
        with open(path, "r+b") as file:
            data = file.read()
            good = parse(data, path)[1]
            if good != len(data):
                file.truncate(good)
            return len(data) - good
    except FileNotFoundError:
        return 0


def append(path, row):
    line = (json.dumps(row, separators=(",", ":")) + "\n").encode()
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        written = os.write(file, line)
        if written != len(line):
            raise BadRows(f"{path}: {written} of {len(line)} bytes written; is the disk full?")
        os.fdatasync(file)
    finally:
        os.close(file)


def set_aside(path, graph):
    """Moves the rows of a graph into a file of rejected ones beside it, to be measured again. A
    kill in between may leave them in both, which harms nothing."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return 0
    rows, good = parse(data, path)
    kept, moved = [], []  # the lines as they are: the command compares parts of them as text
    for row, line in zip(rows, data[:good].splitlines(keepends=True)):
        (moved if row.get("graph") == graph else kept).append(line)
    with open(f"{path}.rejected", "ab") as file:
        file.writelines(moved)
        file.flush()
        os.fsync(file.fileno())
    with open(f"{path}.new", "wb") as file:
        file.writelines(kept)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.new", path)
    return len(moved)


def place_of_step(row):
    return row["experiment"], row["size"], row["graph"]


def step_states(rows):
    """What the rows of steps say, in the order of time: (the last row of each step, the graphs of
    experiments of which a result was wrong). Once the rows of a graph are set aside, none of its
    steps counts any more, whatever it was called."""
    latest, rejected = {}, set()
    for row in rows:
        here = place_of_step(row)
        if row["kind"] == "set aside":
            latest = {step: known for step, known in latest.items()
                      if place_of_step(known) != here}
            rejected.discard(here)
            continue
        latest[row["step"]] = row
        if row["outcome"] == "wrong":
            rejected.add(here)
    return latest, rejected


def finished_steps(rows):
    """Those that ended well, and whose rows will stay."""
    latest, rejected = step_states(rows)
    return {step for step, row in latest.items()
            if row["outcome"] == "ok" and place_of_step(row) not in rejected}


def identity(row):
    """What must be there once: the key of a measured run."""
    return row.get("tag"), row["key"]


def measured(rows):
    """The runs that count: not the warm-up."""
    return [row for row in rows if row["kind"] == "run" and not row.get("warmup")]


def duplicates(rows):
    seen, twice = set(), []
    for row in measured(rows):
        key = identity(row)
        if key in seen:
            twice.append(key)
        seen.add(key)
    return twice


class Lock:
    """Held while rows of a folder are written; `file` is for children to inherit."""

    def __init__(self, folder, patience=10.0):
        os.makedirs(folder, exist_ok=True)
        self.file = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT, 0o644)
        end = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except OSError:
                if time.monotonic() > end:
                    os.close(self.file)
                    raise BadRows(f"{folder}: another run is writing there")
                time.sleep(0.05)

    def release(self):
        os.close(self.file)
