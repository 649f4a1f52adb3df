# SPDX-License-Identifier: Apache-2.0
"""The man pages and the tables of the command say the same, in both directions."""

import os
import re
import shutil
import subprocess

import pytest
from cli_testing import run_json

MAN = os.path.join(os.environ["HOPLITE_SOURCE_DIR"], "docs", "man")
TABLES = {row["name"]: row for row in run_json("help")["verbs"]}


def page(name):
    with open(os.path.join(MAN, name)) as file:
        return file.read()


def section(text, title):
    found = re.search(rf"^# {title}\n(.*?)(?=^# |\Z)", text, re.M | re.S)
    return found.group(1) if found else ""


def terms(text):
    """Options that an entry explains: lines that begin with a star, with their arguments."""
    lines = [line for line in text.splitlines() if re.match(r"\*--?[a-zA-Z]", line)]
    found = {}
    for line in lines:
        letters = re.findall(r"\*-(\w)\*", line)
        for name, argument in re.findall(r"\*--([a-z][a-z0-9-]*)\*(?:(?: |\[=)_([^_]+)_)?", line):
            found[name] = (letters[0] if letters else None, argument or None)
    return found


@pytest.mark.parametrize("verb", TABLES)
def test_options_of_a_verb(verb):
    text = page(f"hoplite-{verb}.1.scd").replace(section(page(f"hoplite-{verb}.1.scd"),
                                                         "FAMILIES"), "")
    table = {option["name"]: (option["letter"], option["argument"])
             for option in TABLES[verb]["options"]}
    assert terms(text) == table


def test_variables():
    variables = {option["environment"] for row in TABLES.values() for option in row["options"]
                 if option["environment"]}
    named = re.findall(r"^\*(HOPLITE_\w+)\*$", section(page("hoplite.1.scd"), "ENVIRONMENT"), re.M)
    assert set(named) == variables | {"HOPLITE_TUNING", "HOPLITE_CPU"}  # no options are like them


def test_verbs():
    named = re.findall(r"^\*hoplite-(\w+)\*\(1\)$", page("hoplite.1.scd"), re.M)
    assert named == list(TABLES)
    pages = {name for name in os.listdir(MAN) if name.endswith(".scd")}
    assert pages == {f"hoplite-{verb}.1.scd" for verb in TABLES} | {
        "hoplite.1.scd", "hoplite-formats.5.scd", "hoplite-mpi.1.scd"}


@pytest.mark.parametrize("verb", TABLES)
def test_summaries(verb):
    text = page(f"hoplite-{verb}.1.scd")
    summary = TABLES[verb]["summary"]
    assert f"# NAME\n\nhoplite-{verb} - {summary.split(':')[0]}\n" in text
    assert f"*hoplite-{verb}*(1)\n\t{summary.split(':')[0]}\n" in page("hoplite.1.scd")


def test_families():
    text = section(page("hoplite-generate.1.scd"), "FAMILIES")
    bodies = re.findall(r"^## ([a-z-]+)\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    described = {name: {option: argument for option, (_, argument) in terms(body).items()}
                 for name, body in bodies}
    letters = {"integer": "N", "real": "X", "flag": None}
    table = {family["name"]: {parameter["name"]: letters[parameter["type"]]
                              for parameter in family["parameters"]}
             for family in run_json("generate", "--list")["families"]}
    assert described == table


def test_formats():
    table = {row["name"]: row["suffixes"].split() for row in run_json("formats")["formats"]}
    text = page("hoplite-formats.5.scd")
    described = {name: suffixes.split()
                 for name, suffixes in re.findall(r"^\*([a-z0-9-]+)\* \(([^)]*)\)$", text, re.M)}
    described.pop("list")
    assert described == table


@pytest.mark.skipif(shutil.which("scdoc") is None, reason="scdoc is not installed")
@pytest.mark.parametrize("name", sorted(name for name in os.listdir(MAN) if name.endswith(".scd")))
def test_pages_compile(name):
    done = subprocess.run(["scdoc"], input=page(name), capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""
    assert f".TH \"{name.split('.')[0]}\" \"{name.split('.')[1]}\"" in done.stdout
