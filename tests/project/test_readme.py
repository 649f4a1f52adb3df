# SPDX-License-Identifier: Apache-2.0
"""The documents say what is true: the commands of the README and of the tutorial are followed word
for word in an empty folder, their C programs are compiled and run, and no link leads nowhere. (The
Python programs: python/test_python_docs.py.)"""

import os
import pathlib
import re
import sys

import pytest

SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "tools"))

import follow_page  # noqa: E402

README = (SOURCE / "README.md").read_text()
TUTORIAL = (SOURCE / "docs" / "tutorial.md").read_text()
DOCUMENTS = sorted(SOURCE.glob("*.md")) + sorted((SOURCE / "docs").rglob("*.md"))


def follow(text, folder, least):
    """Runs the commands of a page in a folder, and compares what they print."""
    programs = pathlib.Path(os.environ["HOPLITE"]).parent
    environment = dict(os.environ, PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")
    assert follow_page.follow_console(text, folder, environment) >= least


def run_program(text, folder):
    """Compiles the C program of a page as a user would, and gives what it prints."""
    library = pathlib.Path(os.environ["HOPLITE_SHARED"])
    return follow_page.run_program_in_c(text, folder, os.environ["HOPLITE_CC"], [
        f"-I{SOURCE / 'include'}", library, f"-Wl,-rpath,{library.parent}"])


def test_tutorial(tmp_path):
    follow(TUTORIAL, tmp_path, 12)


@pytest.mark.parametrize("page", ["larger-than-memory", "choosing-a-variant", "coming-from",
                                  "messy-inputs"])
def test_page(page, tmp_path):
    follow((SOURCE / "docs" / f"{page}.md").read_text(), tmp_path, 3)


def test_gallery(tmp_path):
    """Its commands draw the pictures that are kept, byte for byte."""
    page = (SOURCE / "docs" / "gallery.md").read_text()
    follow(page, tmp_path, 7)
    drawn = sorted(tmp_path.glob("*.svg"))
    assert len(drawn) == 5
    for picture in drawn:
        kept = SOURCE / "docs" / "figures" / picture.name
        assert f"(figures/{picture.name})" in page
        assert picture.read_bytes() == kept.read_bytes(), f"draw {kept.name} again"


# Words that a reader stumbles over, each with a plain one for it.
PLAINER = {r"\bbut for\b": "except", r"\b(is|are) told\b": "say, report", r"\bbelieve": "validate",
           r"\bno terminal\b": "not a terminal", r"\b[Ww]hoever\b": "the program or person that",
           r"\bstands\b": "is", r"^\s*Tells\b": "Prints, lists, reports",
           r"\bseen so far\b": "until now", r"\bproved\b": "certified"}
PLAIN_PAGES = [SOURCE / "README.md", *sorted((SOURCE / "docs" / "man").glob("*.scd")),
               *(SOURCE / "docs" / f"{name}.md" for name in (
                   "tutorial", "performance", "larger-than-memory", "choosing-a-variant",
                   "coming-from", "messy-inputs", "python", "json", "cluster"))]


@pytest.mark.parametrize("page", PLAIN_PAGES, ids=lambda path: path.name)
def test_plain_words(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.S | re.M)
    found = {match.group(): better for word, better in PLAINER.items()
             for match in re.finditer(word, text, re.M)}
    assert not found, f"{page.name}: plainer words for {found}"


def test_readme_is_short():
    assert len(README.split()) <= 720


def test_readme(tmp_path):
    """Its commands, then its lines of C on the file that they made: what those print is the path
    that the command finds."""
    follow(README, tmp_path, 5)
    if os.environ.get("HOPLITE_SANITIZE"):
        return  # a program would need the sanitizer linked
    printed = run_program(README, tmp_path)
    assert re.fullmatch(r"vertex 500 is [3-5] steps from vertex 1\n", printed), printed


@pytest.mark.skipif(bool(os.environ.get("HOPLITE_SANITIZE")), reason="needs the sanitizer linked")
def test_tutorial_program(tmp_path):
    printed = run_program(TUTORIAL, tmp_path)
    assert printed in TUTORIAL and len(printed) > 10, printed


def anchors(text):
    """The anchors that a Markdown renderer makes of the headings."""
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links(document):
    text = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.S | re.M)
    for link in re.findall(r"\]\(([^)]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        assert target.exists(), f"{document.name}: {link}"
        if anchor:
            assert anchor in anchors(target.read_text()), f"{document.name}: {link}"
