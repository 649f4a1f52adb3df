# SPDX-License-Identifier: Apache-2.0
"""The long campaigns: rows add up over runs that were stopped, a campaign that finds something is
reported, and the one that looks for wrong answers finds one that is planted."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import random
import signal
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])


def module_of(name):
    loader = importlib.machinery.SourceFileLoader(name, str(SOURCE / "tools" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module
    loader.exec_module(module)
    return module


@pytest.fixture(name="soak")
def soak_with_two_campaigns(monkeypatch, tmp_path):
    """Its table replaced by one that finds nothing and one that finds something in seed 2."""
    module = module_of("soak")
    script = "import sys; print(sys.argv[1], 'tries'); sys.exit(sys.argv[1] == '2' and {})"
    monkeypatch.setattr(module, "CAMPAIGNS", [
        module.Campaign(name, name, "tries", f'{sys.executable} -c "{script.format(code)}" '
                        "{seed}", r"(\d+) tries", needs=str(tmp_path))
        for name, code in (("good", 0), ("bad", 5))])
    monkeypatch.setattr(module, "NAMES", ["good", "bad"])
    return module


def run(module, monkeypatch, rows, *words):
    monkeypatch.setattr(sys, "argv", ["soak", str(rows.parent), "--rows", str(rows), *words])
    with pytest.raises(SystemExit) as ended:
        module.main()
    return ended.value.code


def test_rows_add_up_and_no_seed_is_used_twice(soak, monkeypatch, tmp_path, capsys):
    rows = tmp_path / "rows.jsonl"
    for _ in range(3):
        assert run(soak, monkeypatch, rows, "good", "--hours", "0") == 0
    with rows.open("a") as file:
        file.write('{"campaign": "good", "se')  # killed while it wrote
    assert run(soak, monkeypatch, rows, "good", "--hours", "0") == 0
    kept = [json.loads(line) for line in rows.read_text().splitlines()]
    assert [row["seed"] for row in kept] == [1, 2, 3, 4]
    assert "| good | good | 10 tries | 4 | 0.00 | 0 |" in capsys.readouterr().out


def test_parts_add_up(soak, monkeypatch, tmp_path, capsys):
    """Of campaigns that say them, over slices; not those of rows that are older than parts."""
    script = "[print(word) for word in ('a: 3 runs, ', 'b: {seed} runs, ', '7 in all')]"
    monkeypatch.setattr(soak, "CAMPAIGNS", [soak.Campaign(
        "good", "good", "runs", f'{sys.executable} -c "{script}"', r"(\d+) in all",
        needs=str(tmp_path), parts=soak.FUZZ_PARTS)])
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"campaign": "good", "seed": 1, "count": 5, "seconds": 1, "outcome": "ok"}\n')
    for _ in range(2):
        assert run(soak, monkeypatch, rows, "good", "--hours", "0") == 0
    said = capsys.readouterr().out
    assert "| good | good | 19 runs | 3 | 0.00 | 0 |" in said
    assert "| target | good | together |\n|---|---|---|\n| a | 6 | 6 |\n| b | 5 | 5 |" in said


def test_of_many_parts_the_range_is_said(soak, monkeypatch, tmp_path, capsys):
    script = "[print(word) for word in ('a b: 3 runs, ', 'c: {seed} runs, ', '7 in all')]"
    monkeypatch.setattr(soak, "CAMPAIGNS", [soak.Campaign(
        "good", "good", "runs", f'{sys.executable} -c "{script}"', r"(\d+) in all",
        needs=str(tmp_path), parts=r"^(.+): (\d+) runs, ", many=True)])
    for _ in range(2):
        assert run(soak, monkeypatch, tmp_path / "rows.jsonl", "good", "--hours", "0") == 0
    said = capsys.readouterr().out
    assert "**good** has 2 kinds, each with 3 to 6 runs." in said and "| a b |" not in said


def test_what_is_found_is_reported(soak, monkeypatch, tmp_path, capsys):
    rows = tmp_path / "rows.jsonl"
    assert run(soak, monkeypatch, rows, "bad", "--hours", "0") == 0
    assert run(soak, monkeypatch, rows, "bad", "--hours", "0") == 1
    assert "seed 2, 2 tries" in capsys.readouterr().out
    assert [json.loads(line)["outcome"] for line in rows.read_text().splitlines()] == [
        "ok", "found"]


def test_a_campaign_that_counts_nothing_is_no_success(soak, monkeypatch, tmp_path):
    silent = soak.Campaign("good", "", "tries", "true", r"(\d+) tries", needs=str(tmp_path))
    monkeypatch.setattr(soak, "CAMPAIGNS", [silent])
    assert run(soak, monkeypatch, tmp_path / "rows.jsonl", "good", "--hours", "0") == 1


def test_the_page_has_the_totals_of_the_rows():
    module = module_of("soak")
    page = module.PAGE.read_text(encoding="utf-8")
    assert page == module.page_with(page, module.read_rows(module.ROWS)), "tools/soak --update"


@pytest.fixture(name="answers")
def answers_of_this_build():
    if os.environ.get("HOPLITE_SANITIZE"):
        pytest.skip("an interpreter cannot load a library with a sanitizer")
    return module_of("soak_answers")


@pytest.mark.parametrize("kind", ["differential", "metamorphic", "certifiers"])
def test_no_wrong_answer(answers, kind):
    runs = 0
    for number in range(15):
        draw = random.Random(f"{kind} {number}")
        runs += answers.KINDS[kind](answers.Case(draw), draw)
    assert runs > 50


@pytest.mark.parametrize("kind, name, array", [
    ("differential", "bfs", "levels"), ("differential", "sssp", "distances"),
    ("differential", "components", "labels"), ("metamorphic", "bfs", "levels"),
    ("metamorphic", "sssp", "distances"), ("metamorphic", "components", "labels")])
def test_a_planted_wrong_answer_is_found(answers, monkeypatch, kind, name, array):
    """The last number is changed in results for graphs of an odd number of arcs."""
    right = getattr(answers.hoplite, name)

    def wrong(graph, *words, **how):
        how.pop("certify", None)  # which would find it first
        result = right(graph, *words, **how)
        if graph.arcs % 2:
            values = getattr(result, array)
            values[-1] = 0 if values[-1] else 1
        return result

    monkeypatch.setattr(answers.hoplite, name, wrong)
    with pytest.raises(answers.Wrong):
        for number in range(200):
            draw = random.Random(f"planted {number}")
            answers.KINDS[kind](answers.Case(draw), draw)


def change_last(values):
    if len(values):
        values[-1] = values[-1] - 1 if values[-1] else 1


def change_count(found):
    found.counts = found.counts.copy()
    change_last(found.counts)


PLANTED = {"closure": lambda result: change_last(result[1]),
           "closure_counts": change_last,
           "distance_table": lambda table: change_last(table[0]),
           "measure": change_last,
           "all_paths": change_count}


@pytest.mark.parametrize("kind, name", [
    *(("differential", name) for name in PLANTED),
    *(("metamorphic", name) for name in PLANTED if name != "closure")])
def test_a_planted_wrong_row_is_found(answers, monkeypatch, kind, name):
    """In closures, tables, counts of paths and cells, for graphs of an odd number of arcs."""
    right = getattr(answers.hoplite, name)

    def wrong(graph, *words, **how):
        result = right(graph, *words, **how)
        if graph.arcs % 2:
            PLANTED[name](result)
        return result

    monkeypatch.setattr(answers.hoplite, name, wrong)
    with pytest.raises(answers.Wrong):
        for number in range(200):
            draw = random.Random(f"planted {number}")
            answers.KINDS[kind](answers.Case(draw), draw)


def test_a_certifier_that_accepts_is_found(answers, monkeypatch):
    monkeypatch.setattr(answers.hoplite.ComponentsResult, "certify", lambda *_: None)
    with pytest.raises(answers.Wrong, match="labels"):
        for number in range(50):
            draw = random.Random(f"accepts {number}")
            answers.certifiers(answers.Case(draw), draw)


def test_mistakes_are_planted_in_code_alone():
    mutate = module_of("mutate")
    text = '#if A < B\n/* a < b,\n   c < d */\nif (a < b && !c) /* < */\n    puts("a < b");\n'
    planted = [mutate.with_mistake(text, one) for one in mutate.mistakes_of(text)]
    assert sorted(one.split("\n")[3] for one in planted) == [
        "if (a < b && c) /* < */", "if (a < b || !c) /* < */", "if (a <= b && !c) /* < */"]
    assert all(one.count("\n") == text.count("\n") for one in planted)


def test_a_target_that_breaks_is_found_and_its_input_kept(monkeypatch, tmp_path, capsys):
    """By inputs that are drawn. The file breaks the target again."""
    fuzz, build = module_of("fuzz"), tmp_path / "build"
    (build / "fuzz").mkdir(parents=True)
    program = build / "fuzz/replay_broken"
    program.symlink_to(pathlib.Path(os.environ["HOPLITE_BUILD_DIR"]) / "fuzz/broken_target")
    (tmp_path / "learned/broken").mkdir(parents=True)
    (tmp_path / "learned/broken/seed").write_text("n 7 m 9\n")
    monkeypatch.setattr(sys, "argv", ["fuzz", "--draw", "--build", str(build), "--learned",
                                      str(tmp_path / "learned"), "--seed", "1", "--runs", "10000"])
    with pytest.raises(SystemExit) as ended:
        fuzz.main()
    said = capsys.readouterr().out
    kept = build / "fuzz/findings/broken/drawn-1"
    assert ended.value.code == 1 and f"kept: {kept}" in said
    assert "fuzz: 1 targets, 0 runs, 1 findings" in said
    again = subprocess.run([program, kept.parent], check=False)
    assert again.returncode == -signal.SIGABRT
