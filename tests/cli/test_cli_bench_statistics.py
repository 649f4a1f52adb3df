# SPDX-License-Identifier: Apache-2.0
"""The statistics of hoplite bench against NumPy and SciPy, its comparison on recorded rows, the
regret, and what the harness itself costs."""

import json
import time

import numpy as np
import pytest
import scipy.stats as stats
from bench_testing import bench, made_row, rows_of, write_times
from cli_testing import BAD_INPUT, FAILURE, host_variants, refuse, run, run_json

SAME = 1e-12


def agrees(mine, theirs):
    return mine == pytest.approx(theirs, rel=SAME, abs=SAME * 1e-9)


# ---- summaries ---------------------------------------------------------------------------------

def check_summary(summary, values):
    values = np.array(values)
    n = len(values)
    assert summary["runs"] == n
    assert agrees(summary["median"], np.median(values))
    assert agrees(summary["q1"], np.percentile(values, 25))
    assert agrees(summary["q3"], np.percentile(values, 75))
    assert agrees(summary["minimum"], values.min())
    assert agrees(summary["mean"], values.mean())
    if n == 1:
        assert summary["deviation"] is None and summary["low"] is None
        return
    assert agrees(summary["deviation"], values.std(ddof=1))
    low, high = stats.t.interval(0.95, n - 1, loc=values.mean(), scale=stats.sem(values))
    width = high - low
    assert summary["low"] == pytest.approx(low, rel=SAME, abs=SAME * width)
    assert summary["high"] == pytest.approx(high, rel=SAME, abs=SAME * width)


@pytest.mark.parametrize("repeat", [1, 2, 3, 7, 30])
def test_summaries_are_those_of_scipy(repeat, tmp_path):
    rows = bench(tmp_path, "components", "rmat:scale=9", "--repeat", repeat, kind=None)
    edges = next(row for row in rows if row["kind"] == "graph")["edges"]
    for summary in (row for row in rows if row["kind"] == "summary"):
        values = [row["seconds"] for row in rows if row["kind"] == "run"
                  and row["variant"] == summary["variant"]]
        check_summary(summary, values)
        assert agrees(summary["rate"], edges / np.median(values) / 1e6)


def test_several_sources_are_averaged(tmp_path):
    rows = bench(tmp_path, "bfs", "rmat:scale=9", "--repeat", 6, "--random-sources", 5, kind=None)
    for summary in (row for row in rows if row["kind"] == "summary"):
        runs = [row for row in rows if row["kind"] == "run"
                and row["variant"] == summary["variant"]]
        check_summary(summary, [np.mean([row["seconds"] for row in runs if row["repetition"] == r])
                                for r in range(6)])


def test_time_per_element(tmp_path):
    rows = bench(tmp_path, "rank", "list:n=4321", "--repeat", 3, kind="summary")
    assert all(agrees(row["rate"], row["median"] * 1e9 / 4321) for row in rows)


# ---- comparison --------------------------------------------------------------------------------

def compare(tmp_path, old, new, old_sessions=None, new_sessions=None):
    """The one comparison of two files with these times, and the exit code."""
    write_times(tmp_path / "old.jsonl", old, old_sessions)
    write_times(tmp_path / "new.jsonl", new, new_sessions)
    out, _ = run("bench", "--compare", tmp_path / "old.jsonl", tmp_path / "new.jsonl", "--json",
                 code=None)
    return json.loads(out)["comparisons"][0]


def rank_test(old, new):
    """SciPy's, by the method that docs/bench.md names."""
    ties = len(np.unique(np.concatenate([old, new]))) < len(old) + len(new)
    exact = not ties and max(len(old), len(new)) <= 64
    return stats.mannwhitneyu(old, new, method="exact" if exact else "asymptotic").pvalue


@pytest.mark.parametrize("seed", range(12))
def test_mann_whitney_is_that_of_scipy(seed, tmp_path):
    rng = np.random.default_rng(seed)
    old = rng.gamma(3, 1e-3, rng.integers(2, 90))
    new = rng.gamma(3, 1.1e-3, rng.integers(2, 90))
    if seed % 3 == 0:
        old, new = old.round(4) + 1e-4, new.round(4) + 1e-4
    row = compare(tmp_path, old, new)
    wanted = rank_test(old, new)
    assert row["p"] == pytest.approx(wanted, rel=SAME)
    assert agrees(row["ratio"], np.median(new) / np.median(old))
    sure = wanted < 0.01
    verdict = ("slower" if sure and row["ratio"] > 1.01 else
               "faster" if sure and row["ratio"] < 0.99 else "same")
    assert row["verdict"] == verdict


def relative_spread(times):
    """Spread between quartiles as the deviation of a normal distribution would have it."""
    return (np.percentile(times, 75) - np.percentile(times, 25)) / 1.349 / np.median(times)


# Noise as machines make it, drawn and not measured, so that every machine judges the same numbers:
# even, with a tail to the slow side, and with runs that something else had delayed.
NOISE = {
    "even": lambda rng, n: rng.normal(0, 1, n),
    "tail": lambda rng, n: rng.gamma(2, 0.75, n),
    "delays": lambda rng, n: rng.normal(0, 1, n) + 20 * (rng.random(n) < 0.05),
}


@pytest.mark.parametrize("percent", [3, 12])
@pytest.mark.parametrize("noise", NOISE)
def test_finds_a_planted_slowdown_and_no_other(noise, percent, tmp_path):
    """docs/bench.md: 5 % slower is found in 90 of 100 trials, equal builds alarm in at most 5, with
    so many repetitions as the spread of the times asks for."""
    rng = np.random.default_rng(2026)

    def times(count):
        return 1e-3 * (1 + percent / 100 * NOISE[noise](rng, count))

    count = int(max(50, np.ceil(60 * (relative_spread(times(10_000)) / 0.05) ** 2)))
    found = alarms = 0
    for _ in range(100):
        a, b, c = times(count), times(count), times(count)
        found += compare(tmp_path, a, 1.05 * b)["verdict"] == "slower"
        alarms += compare(tmp_path, a, c)["verdict"] != "same"
    print(f"{noise} {percent} %, {count} repetitions: found {found}, alarms {alarms}")
    assert alarms <= 5
    assert found >= 90


def test_sessions_are_the_unit_when_there_are_enough(tmp_path):
    """Each process has its own luck: ten processes of 20 runs are ten observations."""
    rng = np.random.default_rng(1)

    def processes(count):
        luck = rng.normal(1e-2, 5e-4, count)
        return (np.repeat(luck, 20) * rng.normal(1, 0.002, 20 * count),
                np.repeat(np.arange(count) + rng.integers(1 << 40), 20))

    alarms = {5: 0, 10: 0}
    for count in alarms:
        for _ in range(40):
            (old, a), (new, b) = processes(count), processes(count)
            row = compare(tmp_path, old, new, a, b)
            assert (row["unit"], row["old_sessions"], row["old_runs"]) == ("session", count,
                                                                           20 * count)
            alarms[count] += row["verdict"] != "same"
    assert max(alarms.values()) <= 3
    medians = [np.median(old[a == s]) for s in np.unique(a)]
    others = [np.median(new[b == s]) for s in np.unique(b)]
    assert row["p"] == pytest.approx(stats.mannwhitneyu(medians, others, method="exact").pvalue,
                                     rel=SAME)


def test_sources_of_a_repetition_are_one_value(tmp_path):
    rng = np.random.default_rng(4)
    times = rng.gamma(3, 1e-3, (2, 9, 4))
    for name, side in zip(("old", "new"), times):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(
            made_row(seconds, r, source_index=s) for r, all_of in enumerate(side)
            for s, seconds in enumerate(all_of)) + "\n")
    out, _ = run("bench", "--compare", tmp_path / "old.jsonl", tmp_path / "new.jsonl", "--json",
                 code=None)
    row = json.loads(out)["comparisons"][0]
    means = times.mean(axis=2)
    assert row["p"] == pytest.approx(stats.mannwhitneyu(*means, method="exact").pvalue,
                                     rel=SAME)
    assert row["old_runs"] == 9


def test_only_times_from_the_same_sources_are_compared(tmp_path):
    """Others are other work; and a repetition that a limit cut short is none."""
    def rows(path, sources, times):
        path.write_text("\n".join(made_row(seconds, r, source=s) for r, seconds in enumerate(times)
                                  for s in sources) + "\n")
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    rows(old, [5, 7], [1e-3] * 6)
    rows(new, [7, 9], [2e-3] * 6)
    _, err = run("bench", "--compare", old, new, code=FAILURE)
    assert "sources" in err
    rows(new, [7, 5], [1e-3] * 6)
    with open(new, "a") as file:
        print(made_row(9.0, 6, source=5), file=file)
    out, _ = run("bench", "--compare", old, new, "--json")
    row = json.loads(out)["comparisons"][0]
    assert (row["old_runs"], row["new_runs"], row["ratio"]) == (6, 6, 1)


@pytest.mark.parametrize("seconds", ["1e999", "-1e999", "0", "-1", "null"])
def test_what_is_no_time_is_left_out(seconds, tmp_path):
    path = write_times(tmp_path / "a.jsonl", [1e-3, 2e-3, 3e-3])
    with open(path, "a") as file:
        for source in range(2):
            print(made_row("X", 9, source_index=source).replace('"X"', seconds), file=file)
    out, _ = run("bench", "--compare", path, path, "--json", timeout=60)
    assert json.loads(out)["comparisons"][0]["old_runs"] == 3


def test_slower_fails_and_says_so(tmp_path):
    times = np.linspace(1e-3, 1.1e-3, 12)
    write_times(tmp_path / "old.jsonl", times)
    write_times(tmp_path / "new.jsonl", 2 * times)
    out, err = run("bench", "--compare", tmp_path / "old.jsonl", tmp_path / "new.jsonl",
                   code=FAILURE)
    assert "slower" in out and "1 of 1 have become slower" in err
    out, err = run("bench", "--compare", tmp_path / "new.jsonl", tmp_path / "old.jsonl")
    assert "faster" in out and err == ""
    write_times(tmp_path / "few.jsonl", 2 * times[:3])
    out, _ = run("bench", "--compare", tmp_path / "old.jsonl", tmp_path / "few.jsonl", code=None)
    assert "fewer than 5 processes" in out


def test_too_few_repetitions_are_said(tmp_path):
    write_times(tmp_path / "old.jsonl", [1e-3, 2e-3, 3e-3])
    write_times(tmp_path / "new.jsonl", [4e-3, 5e-3, 6e-3])
    out, _ = run("bench", "--compare", tmp_path / "old.jsonl", tmp_path / "new.jsonl")
    assert "same" in out and "too few repetitions" in out


def test_compare_after_measuring(tmp_path):
    words = ["bench", "components", "rmat:scale=8", "--repeat", 8]
    run(*words, "--jsonl", tmp_path / "old.jsonl")
    out, _ = run(*words, "--compare", tmp_path / "old.jsonl", "--jsonl", tmp_path / "new.jsonl",
                 code=None)
    rows = rows_of(tmp_path / "new.jsonl", "compare")
    names = [row["name"] for row in host_variants("components")]
    assert sorted(row["variant"] for row in rows) == sorted(names)
    assert out.count("\ncomponents ") == len(names) + 1  # and the heading of the table
    for row in rows:
        sides = [[run["seconds"] for run in rows_of(tmp_path / f"{side}.jsonl", "run")
                  if run["variant"] == row["variant"]] for side in ("old", "new")]
        assert row["p"] == pytest.approx(rank_test(*sides), rel=SAME)


def test_nothing_to_compare(tmp_path):
    write_times(tmp_path / "old.jsonl", [1, 2, 3])
    (tmp_path / "new.jsonl").write_text(made_row(1.0, 0, threads=7) + "\n")
    refuse("bench", "--compare", tmp_path / "old.jsonl", tmp_path / "new.jsonl", code=FAILURE,
           says=["no run of the same problem"])
    (tmp_path / "new.jsonl").write_text('{"kind": "run"}\nrubbish\n{"a": [1, {"b": tru}]}\n')
    refuse("bench", "--compare", tmp_path / "old.jsonl", tmp_path / "new.jsonl", code=BAD_INPUT,
           says=["no rows of runs"])
    refuse("bench", "--compare", tmp_path / "none", tmp_path / "old.jsonl", code=FAILURE,
           says=["cannot be opened"])


def test_spoiled_rows_are_skipped(tmp_path):
    """Files are cut off, edited, mixed up: whatever a line holds, it is a row or it is not."""
    rng = np.random.default_rng(7)
    good = made_row(0.5, 3, settings={"a": [1, -2.5e-3, None, {"b": "\\u00e9\\n"}]}).encode()
    lines = []
    for _ in range(3000):
        line = bytearray(good)
        for _ in range(rng.integers(1, 6)):
            at = rng.integers(len(line))
            kind = rng.integers(4)
            if kind == 0:
                line[at] = rng.choice(list(b'"\\{}[]:,0-9.eutn \x00\xff'))
            elif kind == 1:
                del line[at:at + rng.integers(1, 9)]
            elif kind == 2:
                line[at:at] = line[rng.integers(len(line)):][:rng.integers(20)]
            else:
                del line[at:]
            line = line or bytearray(b"{")
        lines.append(bytes(line).replace(b"\n", b" "))
    lines.append(b"[" * 100000)
    lines.append(b'{"a":' * 5000)
    lines.append(b'{' + b",".join(b'"k%d": 1' % i for i in range(200)) + b"}")
    (tmp_path / "bad.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    write_times(tmp_path / "old.jsonl", [1, 2, 3])
    for pair in (("old.jsonl", "bad.jsonl"), ("bad.jsonl", "old.jsonl")):
        _, err = run("bench", "--compare", *(tmp_path / name for name in pair), code=None)
        assert "Sanitizer" not in err
    (tmp_path / "bad.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    run("bench", "rank", "list:n=50", "--repeat", 1, "--jsonl", tmp_path / "bad.jsonl", "--resume")


# ---- regret, overhead --------------------------------------------------------------------------

def check_duel(row):
    """The median of the turns, and the interval whose ends are order statistics."""
    ratios = sorted(row["ratios"])
    n = len(ratios)
    assert 10 <= n == row["repetitions"] <= 100
    k = int(stats.binom.ppf(0.025, n, 0.5))  # the largest with P(X < k) <= 2.5 %
    assert stats.binom.cdf(k - 1, n, 0.5) <= 0.025 < stats.binom.cdf(k, n, 0.5)
    assert agrees(row["ratio"], np.median(ratios))
    assert (row["low"], row["high"]) == (ratios[k - 1], ratios[n - k])
    assert n == 100 or row["high"] / row["low"] <= 1.05


def test_duels(tmp_path):
    """The pick is beaten when the others are fewer: dfs loses, and the regret of auto is 1; where
    auto is beaten on some graph, the ratio is what counts. Enough graphs to see both."""
    words = [f"rmat:scale=8,seed={seed}" for seed in range(1, 6)] + ["grid:rows=40,cols=40"]
    rows = bench(tmp_path, "components", *words, "--regret", "--repeat", 3, "--threads", 1,
                 kind="regret")
    assert len(rows) == len(words)
    for row in rows:
        if row["repetitions"] > 0:
            check_duel(row)


def test_regret(tmp_path):
    rows = bench(tmp_path, "components", "rmat:scale=9", "--regret", "--repeat", 4, "--threads",
                 "1,2", kind="regret")
    names = {row["name"] for row in host_variants("components")}
    assert [row["threads"] for row in rows] == [1, 2]
    for row in rows:
        assert {row["pick"], row["best"]} <= names and row["regret"] >= 1
        if row["pick"] == row["best"]:
            assert row["regret"] == 1 and row["repetitions"] == 0 and row["tie"]
        else:
            check_duel(row)
            assert row["tie"] == (row["low"] <= 1 <= row["high"])
            assert row["regret"] == (1 if row["tie"] or row["ratio"] < 1 else row["ratio"])


def test_overhead_is_what_calls_and_checks_leave_of_the_rounds(tmp_path):
    """Not its size, which is the machine's: docs/bench.md has that as measured."""
    began = time.monotonic()
    rows = bench(tmp_path, "components", "rmat:scale=10", "--repeat", 12, "--threads", 1, kind=None)
    wall = time.monotonic() - began
    spent = sum(row["call_seconds"] + (row["check_seconds"] or 0)
                for row in rows if row["kind"] == "run")
    shares = [row["overhead"] for row in rows if row["kind"] == "summary"]
    assert len(shares) == len(host_variants("components"))
    assert all(0 <= share < 1 and spent / (1 - share) <= wall for share in shares)
