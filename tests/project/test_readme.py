# SPDX-License-Identifier: Apache-2.0
"""The documents say what is true: the first walk of the README is followed word for word in an
empty folder, its C program is compiled and run, and no link leads nowhere."""

import os
import pathlib
import re
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])
README = (SOURCE / "README.md").read_text()
DOCUMENTS = sorted(SOURCE.glob("*.md")) + sorted((SOURCE / "docs").rglob("*.md"))


def blocks(language):
    return re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", README, re.S | re.M)


def steps():
    """Yields (command, expected output) of the console blocks: "$ " begins a command."""
    for block in blocks("console"):
        for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = step.partition("\n")
            yield command, output


def pattern(output):
    """"..." stands for anything within a line: what differs between machines."""
    return re.escape(output).replace(r"\.\.\.", "[^\n]*")


def test_first_walk(tmp_path):
    environment = dict(os.environ, NO_COLOR="1")
    folder = pathlib.Path(os.environ["HOPLITE"]).parent
    environment["PATH"] = f"{folder}{os.pathsep}{environment['PATH']}"
    followed = list(steps())
    assert len(followed) >= 12
    for command, expected in followed:
        done = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        assert done.returncode == 0, (command, done.stdout)
        assert re.fullmatch(pattern(expected), done.stdout), (command, done.stdout, expected)


@pytest.mark.skipif(bool(os.environ.get("HOPLITE_SANITIZE")), reason="needs the sanitizer linked")
def test_c_program(tmp_path):
    programs = blocks("c")
    assert len(programs) == 1
    (tmp_path / "program.c").write_text(programs[0])
    library = pathlib.Path(os.environ["HOPLITE_SHARED"])
    subprocess.run([os.environ["HOPLITE_CC"], "-std=c11", "-Wall", "-Wextra", "-pedantic",
                    "-Werror", "program.c", "-o", "program", f"-I{SOURCE / 'include'}", library,
                    f"-Wl,-rpath,{library.parent}"], cwd=tmp_path, check=True)
    done = subprocess.run(["./program"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout in README, done.stdout


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
