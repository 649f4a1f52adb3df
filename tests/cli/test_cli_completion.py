# SPDX-License-Identifier: Apache-2.0
"""Completions that really complete: the scripts are given to the shells."""

import shutil
import subprocess

import pytest
from cli_testing import clean_environment, run, run_json

BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_hoplite
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("completion")
    for shell in ("bash", "zsh", "fish"):
        name = "_hoplite" if shell == "zsh" else f"hoplite.{shell}"
        (folder / name).write_text(run("completion", shell)[0])
    return folder


def bash(scripts, *words, cwd=None):
    """What bash would offer for the last word."""
    done = subprocess.run(["bash", "--norc", "-c", BASH, "bash", scripts / "hoplite.bash",
                           "hoplite", *words], capture_output=True, text=True, cwd=cwd,
                          env=clean_environment())
    assert done.stderr == "" and done.returncode == 0
    return [line for line in done.stdout.splitlines() if line]


def test_bash_verbs(scripts):
    names = {row["name"] for row in run_json("help")["verbs"]}
    assert set(bash(scripts, "")) == names | {"--help", "--version"}
    assert bash(scripts, "gen") == ["generate"]


@pytest.mark.parametrize("verb", ["generate", "convert", "info", "formats", "devices", "help"])
def test_bash_options(verb, scripts):
    row = next(row for row in run_json("help")["verbs"] if row["name"] == verb)
    wanted = {f"--{option['name']}" for option in row["options"]}
    if verb == "generate":
        wanted |= {f"--{parameter['name']}" for family in run_json("generate", "--list")["families"]
                   for parameter in family["parameters"]}
    assert set(bash(scripts, verb, "--")) == wanted


def test_bash_values(scripts):
    formats = {row["name"] for row in run_json("formats")["formats"] if row["can_write"]}
    assert set(bash(scripts, "convert", "x", "--to", "")) == formats
    assert set(bash(scripts, "convert", "x", "--to", "=", "")) == formats
    assert set(bash(scripts, "convert", "x", "--to", "=")) == formats
    assert bash(scripts, "convert", "--duplicates", "m") == ["min", "max"]
    assert bash(scripts, "generate", "rm") == ["rmat"]
    assert bash(scripts, "generate", "rmat", "--sca") == ["--scale"]
    assert bash(scripts, "info", "--threads", "") == []
    assert set(bash(scripts, "completion", "")) == {"bash", "zsh", "fish"}
    assert bash(scripts, "help", "comple") == ["completion"]
    assert bash(scripts, "bfs", "x", "--certify", "=", "v") == ["valid"]
    assert bash(scripts, "bfs", "x", "--certify", "--sou") == ["--source", "--sources"]


@pytest.mark.parametrize("verb", ["components", "bfs"])
def test_bash_variants(verb, scripts):
    names = {row["name"] for row in run_json("variants", verb)["variants"]} | {"auto"}
    assert set(bash(scripts, verb, "x", "--variant", "")) == names


def test_bash_files(scripts, tmp_path):
    (tmp_path / "a graph.npz").touch()
    (tmp_path / "another.npz").touch()
    assert sorted(bash(scripts, "info", "a", cwd=tmp_path)) == ["a graph.npz", "another.npz"]
    assert bash(scripts, "convert", "-o", "ano", cwd=tmp_path) == ["another.npz"]


def needs(shell):
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


@needs("zsh")
def test_zsh_syntax(scripts):
    subprocess.run(["zsh", "-n", scripts / "_hoplite"], check=True)


@needs("zsh")
@pytest.mark.parametrize("line, completed", [
    ("hoplite gen", "hoplite generate "),
    ("hoplite info --thr", "hoplite info --threads="),
    ("hoplite generate rmat --sca", "hoplite generate rmat --scale="),
    ("hoplite convert x --to edge", "hoplite convert x --to edge-list "),
    ("hoplite completion f", "hoplite completion fish "),
    ("hoplite info a_lo", "hoplite info a_long_name.npz "),
])
def test_zsh_completes(line, completed, scripts, tmp_path):
    """zsh completes only at its line editor: it runs on a terminal of its own (zpty), where ^X
    writes down what the line has become."""
    (tmp_path / "a_long_name.npz").touch()
    setup = (f"fpath=({scripts} $fpath); autoload -Uz compinit; compinit -u -D; cd {tmp_path}; "
             "dump() { print -r -- $BUFFER > seen.part; mv seen.part seen }; "
             "zle -N dump; bindkey '^X' dump; print READ''Y")
    script = f"""
zmodload zsh/zpty
zpty inner 'zsh -f -i'
zpty -w inner ${{1}}
zpty -r -m inner line '*READY*'
zpty -w -n inner "${{2}}"$'\\t\\x18'
for i in {{1..2000}}; do [[ -e {tmp_path}/seen ]] && break; sleep 0.05; done
"""
    subprocess.run(["zsh", "-f", "-c", script, "zsh", setup, line], timeout=300, check=True,
                   env=clean_environment())
    assert (tmp_path / "seen").read_text() == completed + "\n"


@needs("fish")
@pytest.mark.parametrize("line, offers", [
    ("hoplite ", ["generate", "convert", "info"]),
    ("hoplite info --thr", ["--threads"]),
    ("hoplite generate r", ["rmat", "road"]),
    ("hoplite generate rmat --sca", ["--scale"]),
    ("hoplite convert x --to edge", ["edge-list"]),
])
def test_fish_completes(line, offers, scripts, tmp_path):
    script = f"source {scripts / 'hoplite.fish'}; complete -C '{line}'"
    done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True,
                          timeout=300, env=clean_environment(HOME=str(tmp_path)))
    assert done.stderr == ""
    offered = [row.split("\t")[0] for row in done.stdout.splitlines()]
    for offer in offers:
        assert offer in offered


def test_completion_is_up_to_date(scripts):
    """Every option of every verb stands in every script."""
    for name in ("hoplite.bash", "_hoplite", "hoplite.fish"):
        text = (scripts / name).read_text()
        for row in run_json("help")["verbs"]:
            for option in row["options"]:
                assert (f"-l {option['name']} " if name.endswith("fish") else
                        f"--{option['name']}") in text
