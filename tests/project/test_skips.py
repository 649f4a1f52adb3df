# SPDX-License-Identifier: Apache-2.0
"""What tools/skips says of a file of ctest's: tests that were skipped, and parts of others."""

import os
import subprocess
import sys

TOOL = os.path.join(os.environ["HOPLITE_SOURCE_DIR"], "tools/skips")
CMOCKA = """[ RUN      ] first
[  SKIPPED ] first
[ RUN      ] second
[       OK ] second
[  PASSED  ] 1 test(s).
[  SKIPPED ] 1 test(s), listed below:
[  SKIPPED ] first
"""
PYTEST = """..s
SKIPPED [2] tests/cli/test_cli_devices.py:178: NVIDIA's driver is not to be had
3 passed, 2 skipped in 1.0s
"""


def case(name, status, output):
    return (f'<testcase name="{name}" time="1" status="{status}">'
            f"<system-out>{output}</system-out></testcase>")


def run(folder, *cases):
    path = folder / "junit.xml"
    path.write_text('<?xml version="1.0"?><testsuite>' + "".join(cases) + "</testsuite>")
    done = subprocess.run([sys.executable, TOOL, path], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_parts_and_whole_tests_are_named(tmp_path):
    assert run(tmp_path, case("a/test_c", "run", CMOCKA), case("b/test_p", "run", PYTEST),
               case("c/test_all", "notrun", ""), case("d/test_fine", "run", "1 passed")) == [
        "skipped: a/test_c: first",
        "skipped: b/test_p: test_cli_devices.py:178: NVIDIA's driver is not to be had (2)",
        "skipped: c/test_all: all of it",
        "skipped: 4 parts, of 3 tests",
    ]


def test_nothing_is_counted_too(tmp_path):
    assert run(tmp_path, case("a/test", "run", "[  PASSED  ] 2 test(s).")) == [
        "skipped: 0 parts, of 0 tests"]
