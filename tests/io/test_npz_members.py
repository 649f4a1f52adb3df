# SPDX-License-Identifier: Apache-2.0
"""Members of a native file that are about ids and names, and do not go together: each is refused
with the member and what is wrong. (What is in the arrays of a graph: test_npz_native.c.)"""

import io
import os
import subprocess
import zipfile

import numpy as np
import pytest

HOPLITE = os.environ["HOPLITE"]
TABLES = {"names": "from,to\nanna,bert\nbert,carl\n", "labels": "5 9\n9 70\n", "ids": "7 8\n8 9\n"}


def native(folder, kind):
    """A native file whose vertices have names, labels, or ids from 7 on; its members."""
    source, target = folder / "edges.csv", folder / "graph.npz"
    source.write_text(TABLES[kind].replace(" ", ","))
    subprocess.run([HOPLITE, "convert", source, target, "-q"], check=True)
    with zipfile.ZipFile(target) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def array(values, dtype):
    file = io.BytesIO()
    np.save(file, np.array(values, dtype))
    return file.getvalue()


def info(folder, members):
    path = folder / "changed.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return subprocess.run([HOPLITE, "info", path], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("kind", TABLES)
def test_the_same_members_in_another_archive_are_read(tmp_path, kind):
    done = info(tmp_path, native(tmp_path, kind))
    assert done.returncode == 0 and "3, 0 of them isolated" in done.stdout, done.stderr


CHANGES = [
    ("names", {"name_bytes.npy": None}, "member name_offsets.npy without name_bytes.npy"),
    ("names", {"name_offsets.npy": None}, "member name_bytes.npy without name_offsets.npy"),
    ("names", {"name_offsets.npy": array([0, 4, 8], "u8")}, "8 bytes more than vertices"),
    ("names", {"name_offsets.npy": array([0, 4, 8, 12], "u4")}, "8 bytes more than vertices"),
    ("names", {"name_bytes.npy": array([1, 2, 3], "i4")}, "expected bytes"),
    ("names", {"labels.npy": array([1, 2, 3], "u8")}, "names, but there are labels too"),
    ("names", {"first_id.npy": array([4], "u8")}, "names, but there is a first id too"),
    ("ids", {"first_id.npy": array([4, 5], "u8")}, "one integer of 8 bytes"),
    ("ids", {"first_id.npy": array([4], "u4")}, "one integer of 8 bytes"),
    ("ids", {"first_id.npy": array([2**64 - 2], "u8")}, "leaves no ids for the vertices"),
    ("labels", {"first_id.npy": array([4], "u8")}, "but there are labels too"),
]


@pytest.mark.parametrize("kind, changes, words", CHANGES, ids=[words for _, _, words in CHANGES])
def test_members_that_do_not_go_together(tmp_path, kind, changes, words):
    members = native(tmp_path, kind) | changes
    done = info(tmp_path, {name: text for name, text in members.items() if text is not None})
    assert done.returncode == 5, (done.returncode, done.stderr)
    assert "changed.npz" in done.stderr and words in done.stderr, done.stderr
