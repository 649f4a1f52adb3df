# SPDX-License-Identifier: Apache-2.0
"""The site of the documentation is built without a warning, and has what it should."""

import json
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


def build(tree, *words):
    return subprocess.run([sys.executable, "-B", tree / "tools/build_site", *words],
                          capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Beside those of versions that are not ours, and a folder that is none."""
    folder = tmp_path_factory.mktemp("site")
    for name in ("0.0.9", "0.0.10", "pictures"):
        (folder / name).mkdir()
        (folder / name / "index.html").write_text("another site")
    done = build(SOURCE, "--versions", folder)
    assert done.returncode == 0, done.stderr
    return folder / version()


def version():
    header = (SOURCE / "include/hoplite/hoplite.h").read_text()
    return re.search(r'#define HOP_VERSION +"([0-9.]+)"', header).group(1)


def test_versions_are_found_from_every_page(site):
    """Newest first, by number; and the site's front door leads to the newest."""
    listed = re.match(r"const versions = (\[.*\]);\n", (site.parent / "versions.js").read_text())
    assert json.loads(listed.group(1)) == [version(), "0.0.10", "0.0.9"]
    assert f'url={version()}/index.html"' in (site.parent / "index.html").read_text()
    for page in (site / "index.html", site / "docs/tutorial.html",
                 site / "docs/measurements/index.html"):
        text = page.read_text()
        script = re.search(r'<script src="([^"]*versions\.js)"', text).group(1)
        assert (page.parent / script).resolve() == (site.parent / "versions.js").resolve(), page
        assert f'data-version="{version()}"' in text


def test_every_page_is_there(site):
    for page in [*(SOURCE / "docs").glob("*.md"), *(SOURCE / "docs/measurements").glob("*.md")]:
        assert (site / page.relative_to(SOURCE).with_suffix(".html")).exists(), page


def test_every_function_is_in_the_reference(site):
    for header in (SOURCE / "include/hoplite").glob("*.h"):
        text = re.sub(r"<[^>]*>", "", (site / "c" / f"{header.stem}.html").read_text())
        for name in re.findall(r"\bHOP_API\b[^;(]*?\b(hop_\w+)\(", header.read_text()):
            assert name in text, (header.name, name)


def test_links_that_lead_nowhere_are_errors(tmp_path):
    for name in ("docs", "examples", "include", "tools"):
        shutil.copytree(SOURCE / name, tmp_path / name)
    for page in SOURCE.glob("*.md"):
        shutil.copy(page, tmp_path)
    with (tmp_path / "docs/tutorial.md").open("a") as page:
        page.write("\n[a link](bfs.md#no-such-heading)\n")
    with (tmp_path / "docs/messy-inputs.md").open("a") as page:
        page.write("\n[a link](no-such-page.md)\n")
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode != 0, done.stderr
    assert "tutorial.md" in done.stderr and "messy-inputs.md" in done.stderr, done.stderr
