# SPDX-License-Identifier: Apache-2.0
"""Files of rows: cut off at every byte, garbage, two writers."""

import json

import pytest
from experiments_testing import ROOT  # noqa: F401 (makes the package importable)
from hoplite_bench import raw_rows


def make(path, count=3):
    for number in range(count):
        raw_rows.append(path, {"kind": "run", "tag": "t", "key": f"k{number}", "text": "ü\n"})
    return path.read_bytes()


def test_cut_off_at_every_byte(tmp_path):
    whole = make(tmp_path / "whole")
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    path = tmp_path / "part"
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        complete = sum(end <= length for end in ends)
        assert len(raw_rows.read(path)) == complete
        raw_rows.cut_incomplete_line(path)
        assert path.read_bytes() == whole[:ends[complete - 1] if complete else 0]
        raw_rows.append(path, {"kind": "run", "key": "next"})
        assert len(raw_rows.read(path)) == complete + 1


@pytest.mark.parametrize("line", [b"{\n", b"[1]\n", b"{\"a\":1}\n", b"\xff\n", b"\n"])
def test_what_is_no_row_is_not_overlooked(tmp_path, line):
    path = tmp_path / "rows"
    whole = make(path)
    path.write_bytes(line + whole)
    for use in (raw_rows.read, raw_rows.cut_incomplete_line):
        with pytest.raises(raw_rows.BadRows, match="line 1"):
            use(path)
    assert path.read_bytes() == line + whole


def test_missing_file_is_empty(tmp_path):
    assert raw_rows.read(tmp_path / "none") == []
    assert raw_rows.cut_incomplete_line(tmp_path / "none") == 0


def test_one_writer_at_a_time(tmp_path):
    lock = raw_rows.Lock(tmp_path)
    with pytest.raises(raw_rows.BadRows, match="another run"):
        raw_rows.Lock(tmp_path, patience=0.1)
    lock.release()
    raw_rows.Lock(tmp_path, patience=0.1).release()


def test_duplicates_are_seen(tmp_path):
    rows = [{"kind": "run", "tag": "t", "key": "a"}, {"kind": "run", "tag": "u", "key": "a"},
            {"kind": "run", "tag": "t", "key": "w", "warmup": True},
            {"kind": "run", "tag": "t", "key": "w", "warmup": True}, {"kind": "session"}]
    assert raw_rows.duplicates(rows) == []
    assert raw_rows.duplicates(rows + [json.loads(json.dumps(rows[0]))]) == [("t", "a")]


def step(name, outcome, graph="g"):
    return {"kind": "step", "step": name, "outcome": outcome, "experiment": "e", "size": "small",
            "graph": graph}


def test_a_wrong_result_takes_all_steps_of_its_graph_back():
    """Their rows will be set aside; those of other graphs stay, and what comes after counts."""
    rows = [step("a", "ok"), step("b", "ok", "other"), step("c", "wrong")]
    aside = {"kind": "set aside", "experiment": "e", "size": "small", "graph": "g"}
    assert raw_rows.finished_steps(rows) == {"b"}
    assert raw_rows.step_states(rows)[1] == {("e", "small", "g")}
    rows += [aside, step("a", "ok")]
    assert raw_rows.finished_steps(rows) == {"a", "b"}
    latest, rejected = raw_rows.step_states(rows)
    assert not rejected and set(latest) == {"a", "b"}, "the wrong one is known under no name"


def test_rows_are_set_aside_as_they_are(tmp_path):
    path = tmp_path / "rows"
    lines = ['{"kind": "run",  "graph": "a"}\n', '{"kind": "run", "graph": "b" }\n',
             '{"kind": "session"}\n']
    path.write_text("".join(lines) + '{"kind": "ru')
    assert raw_rows.set_aside(path, "a") == 1
    assert path.read_text() == lines[1] + lines[2]
    assert (tmp_path / "rows.rejected").read_text() == lines[0]
    assert raw_rows.set_aside(tmp_path / "none", "a") == 0
