# SPDX-License-Identifier: Apache-2.0
"""The site of the documentation is built without a warning, and has what it should."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

for package in ("sphinx", "myst_parser", "furo"):
    pytest.importorskip(package)
SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])


def build(tree, folder):
    return subprocess.run([sys.executable, "-B", tree / "tools/build_site", folder],
                          capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = build(SOURCE, folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_there(site):
    for page in [*(SOURCE / "docs").glob("*.md"), *(SOURCE / "docs/measurements").glob("*.md")]:
        assert (site / page.relative_to(SOURCE).with_suffix(".html")).exists(), page


def test_every_function_is_in_the_reference(site):
    for header in (SOURCE / "include/hoplite").glob("*.h"):
        text = re.sub(r"<[^>]*>", "", (site / "c" / f"{header.stem}.html").read_text())
        for name in re.findall(r"\bHOP_API\b[^;(]*?\b(hop_\w+)\(", header.read_text()):
            assert name in text, (header.name, name)


@pytest.mark.parametrize("link", ["bfs.md#no-such-heading", "no-such-page.md"])
def test_a_link_that_leads_nowhere_is_an_error(tmp_path, link):
    for name in ("docs", "examples", "include", "tools"):
        shutil.copytree(SOURCE / name, tmp_path / name)
    for page in SOURCE.glob("*.md"):
        shutil.copy(page, tmp_path)
    with (tmp_path / "docs/tutorial.md").open("a") as page:
        page.write(f"\n[a link]({link})\n")
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode != 0 and "tutorial.md" in done.stderr, done.stderr
