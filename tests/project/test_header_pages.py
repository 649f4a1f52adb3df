# SPDX-License-Identifier: Apache-2.0
"""The man pages of the C interface: every function has one, with what its header says of it."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])
HEADERS = SOURCE / "include" / "hoplite"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("man") / "man3"
    subprocess.run([sys.executable, SOURCE / "docs" / "man" / "header_pages", HEADERS, folder,
                    "1.2.3"], check=True)
    return folder


def words(text):
    return re.sub(r"\W+", " ", text)


def test_every_function_has_a_page(pages):
    for header in HEADERS.glob("*.h"):
        code = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        page = (pages / f"hoplite-{header.stem}.3").read_text()
        for function in re.findall(r"\bHOP_API\b[^;(]*?\b(hop_\w+)\(", code):
            assert (pages / f"{function}.3").read_text() == f".so man3/hoplite-{header.stem}.3\n"
            assert re.search(rf"\b{function}\(", page), function
        for name in set(re.findall(r"^#define (HOP_\w+)", code, re.M)) - {"HOP_API",
                                                                          "HOP_NODISCARD"}:
            assert name in page, name
        assert "HOP_API" not in page and "SPDX" not in page and "__cplusplus" not in page


def test_nothing_of_a_comment_is_lost(pages):
    for header in HEADERS.glob("*.h"):
        text = header.read_text()
        page = words(re.sub(r"\\\(aq|\\&|\\e|\\", lambda m: "'" if m[0] == "\\(aq" else "",
                            (pages / f"hoplite-{header.stem}.3").read_text())
                     .replace(".PP", "").replace(".nf", "").replace(".fi", ""))
        text = re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", text, flags=re.S | re.M)
        for comment in re.findall(r"^/\*(.*?)\*/$", text, re.S | re.M):
            # REUSE-IgnoreStart
            plain = words(re.sub(r"^ \* ?", "", comment.replace("SPDX-License-Identifier: "
            # REUSE-IgnoreEnd
                                                                "Apache-2.0", ""), flags=re.M))
            assert plain.strip() in page, (header.name, plain)


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff")
def test_groff_has_no_complaints(pages):
    for page in sorted(pages.glob("hoplite-*.3")):
        done = subprocess.run(["groff", "-ww", "-man", "-Tutf8", "-z", page], capture_output=True,
                              text=True)
        assert done.returncode == 0 and done.stderr == "", (page.name, done.stderr)
