# SPDX-License-Identifier: Apache-2.0
"""What is built has what cmake/hardening.cmake asks for, as the files themselves say."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["HOPLITE_BUILD_DIR"])
CACHE = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")

pytestmark = [
    pytest.mark.skipif(shutil.which("readelf") is None, reason="no readelf (Debian: binutils)"),
    pytest.mark.skipif(not re.search("^HOPLITE_HARDEN:BOOL=ON$", CACHE, re.M)
                       or bool(re.search("^HOPLITE_SANITIZE:STRING=.", CACHE, re.M)),
                       reason="this build is not to be hardened"),
]


def built():
    found = [path for path in (BUILD / "cli/hoplite", BUILD / "cli/hoplite-mpi")
             if path.exists()] + [path.resolve() for path in BUILD.glob("libhoplite*.so")]
    assert len(found) >= 2
    return found


def said(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], capture_output=True, text=True,
                          check=True).stdout


@pytest.mark.parametrize("path", built(), ids=lambda path: path.name)
def test_what_is_linked_is_hardened(path):
    segments, dynamic, symbols = said(path, "-hl"), said(path, "-d"), said(path, "--dyn-syms")
    assert "GNU_RELRO" in segments and "BIND_NOW" in dynamic
    assert re.search(r"GNU_STACK.* RW ", segments), "the stack could be run"
    assert "Type:                              DYN" in segments
    assert "__stack_chk_fail" in symbols
    if "CMAKE_BUILD_TYPE:STRING=Debug" not in CACHE:
        assert "_chk@" in symbols.replace("__stack_chk_fail", "")
