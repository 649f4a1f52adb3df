# SPDX-License-Identifier: Apache-2.0
"""The documents say what is true: the commands of the README and of the tutorial are followed word
for word in an empty folder, their C programs are compiled and run, and no link leads nowhere. (The
Python programs: python/test_python_docs.py.)"""

import os
import pathlib
import re
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])
README = (SOURCE / "README.md").read_text()
TUTORIAL = (SOURCE / "docs" / "tutorial.md").read_text()
DOCUMENTS = sorted(SOURCE.glob("*.md")) + sorted((SOURCE / "docs").rglob("*.md"))


def blocks(text, language):
    return re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", text, re.S | re.M)


def steps(text):
    """Yields (command, expected output) of the console blocks: "$ " begins a command."""
    for block in blocks(text, "console"):
        for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = step.partition("\n")
            yield command, output


def pattern(output):
    """"..." stands for anything within a line: what differs between machines."""
    return re.escape(output).replace(r"\.\.\.", "[^\n]*")


def follow(text, folder, least):
    """Runs the commands of a page in a folder, and compares what they print."""
    environment = dict(os.environ, NO_COLOR="1")
    programs = pathlib.Path(os.environ["HOPLITE"]).parent
    environment["PATH"] = f"{programs}{os.pathsep}{environment['PATH']}"
    followed = list(steps(text))
    assert len(followed) >= least
    for command, expected in followed:
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        assert done.returncode == 0, (command, done.stdout)
        assert re.fullmatch(pattern(expected), done.stdout), (command, done.stdout, expected)


def run_program(program, folder):
    """Compiles a C program as a user would, and gives what it prints."""
    (folder / "program.c").write_text(program)
    library = pathlib.Path(os.environ["HOPLITE_SHARED"])
    subprocess.run([os.environ["HOPLITE_CC"], "-std=c11", "-Wall", "-Wextra", "-pedantic",
                    "-Werror", "program.c", "-o", "program", f"-I{SOURCE / 'include'}", library,
                    f"-Wl,-rpath,{library.parent}"], cwd=folder, check=True)
    done = subprocess.run(["./program"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_tutorial(tmp_path):
    follow(TUTORIAL, tmp_path, 12)


@pytest.mark.parametrize("page", ["larger-than-memory", "choosing-a-variant", "coming-from",
                                  "messy-inputs"])
def test_page(page, tmp_path):
    follow((SOURCE / "docs" / f"{page}.md").read_text(), tmp_path, 3)


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
    lines, = blocks(README, "c")
    printed = run_program("#include <hoplite/hoplite.h>\n#include <stdio.h>\n\nint main(void) {\n"
                          f"{lines}hop_graph_release(graph);\nhop_context_free(context);\n"
                          "return 0;\n}\n", tmp_path)
    assert re.fullmatch(r"vertex 500 is [3-5] steps from vertex 1\n", printed), printed


@pytest.mark.skipif(bool(os.environ.get("HOPLITE_SANITIZE")), reason="needs the sanitizer linked")
def test_tutorial_program(tmp_path):
    program, = blocks(TUTORIAL, "c")
    printed = run_program(program, tmp_path)
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
