# SPDX-License-Identifier: Apache-2.0
"""docs/threats.md: each line names its tests, which are there; what it says of variables is so."""

import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])
PAGE = (ROOT / "docs/threats.md").read_text()
TEST = re.compile(r"`((?:tests|fuzz)/[\w/]+\.(?:c|py))(?:: (\w+))?`")
ROWS = [line for line in PAGE.splitlines()
        if line.startswith("| ") and not line.startswith("| what ")]
# What they choose is no file and no code.
HARMLESS = {"HOPLITE_CPU"}


@pytest.mark.parametrize("row", ROWS, ids=[row.split(" | ")[0][2:] for row in ROWS])
def test_a_line_names_its_tests(row):
    assert TEST.search(row) or row.endswith("| – |")
    assert row.count(" | ") == 3


def test_the_tests_are_there():
    named = TEST.findall(PAGE)
    assert len(named) > 40
    for path, function in named:
        text = (ROOT / path).read_text()
        assert not function or re.search(rf"\b{function}\(", text), (path, function)


def test_every_reader_is_fuzzed():
    """A file of fuzz/ that the page does not name would be a reader without a line."""
    planted = "fuzz_broken.c"  # it must be found by the fuzzer, and reads nothing
    for path in (ROOT / "fuzz").glob("fuzz_*.c"):
        assert path.name in PAGE or path.name == planted, path


def test_the_environment_is_read_with_care():
    read = []
    for path in (ROOT / "src").rglob("*.[ch]"):
        if "windows" not in path.parts:
            read += re.findall(r"(?<!secure_)getenv\((.*?)\)", path.read_text())
    assert {name.strip('"') for name in read} == HARMLESS
