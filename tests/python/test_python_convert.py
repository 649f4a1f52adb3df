# SPDX-License-Identifier: Apache-2.0
"""hoplite.convert: files that are built on disk are those that are built in memory."""

import gzip
import os
import random

import numpy as np
import pytest

import hoplite


@pytest.fixture(name="text", scope="module")
def make_text(tmp_path_factory):
    path = tmp_path_factory.mktemp("convert") / "edges.txt.gz"
    draw = random.Random(5)
    with gzip.open(path, "wt", compresslevel=1) as file:
        for _ in range(400000):
            file.write(f"{draw.randrange(20000) * 3 + 10} {draw.randrange(20000) * 3 + 10}\n")
    return path


def test_on_disk_as_in_memory(text, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    hoplite.convert(text, tmp_path / "a.npz", duplicates="first")
    hoplite.convert(text, tmp_path / "b.npz", duplicates="first", memory="9 MiB", threads=1,
                    scratch=scratch)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert os.listdir(scratch) == []
    graph = hoplite.Graph.read(tmp_path / "b.npz")
    assert graph == hoplite.Graph.read(text) and graph.labels[0] == 10
    hoplite.convert(text, tmp_path / "c.npz", labels=False, memory="9 MiB", threads=1)
    plain = hoplite.Graph.read(tmp_path / "c.npz")
    assert np.array_equal(plain.targets, graph.targets) and plain.first_id == 0
    assert plain.labels is None or plain.labels[0] == 0


def test_to_other_formats(text, tmp_path):
    hoplite.convert(text, tmp_path / "a.mtx", to="matrix-market", labels=False)
    assert hoplite.Graph.read(tmp_path / "a.mtx").arcs == hoplite.Graph.read(text).arcs


def test_refused(text, tmp_path):
    with pytest.raises(hoplite.BudgetError):
        hoplite.convert(text, tmp_path / "a.npz", memory="3 MiB")
    with pytest.raises(hoplite.FileError):
        hoplite.convert(tmp_path / "none.txt", tmp_path / "a.npz")
    assert not (tmp_path / "a.npz").exists()
