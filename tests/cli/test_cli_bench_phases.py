# SPDX-License-Identifier: Apache-2.0
"""
Bytes of phases: every phase of every variant says how much it has moved, or stands here with the
reason why it does not. The figures of rates and of time per GB are made from these.
"""

import pytest
from bench_testing import bench
from cli_testing import run_json

# (problem, variant, phase): why nobody counts its bytes. "*" stands for any.
CLIMBS = "how far a climb to a root goes depends on the data"
QUEUES = "what is looked at depends on the data, and on what other threads have found"
CACHED = "blocks stay in caches; items are its measure"
NOT_COUNTED = {
    ("components", "union-find", "join"): CLIMBS, ("components", "rem", "join"): CLIMBS,
    ("components", "ranges", "join"): CLIMBS, ("components", "ranges", "cross"): CLIMBS,
    ("components", "stream", "join"): CLIMBS,
    ("components", "afforest", "sample"): CLIMBS, ("components", "afforest", "compress"): CLIMBS,
    ("components", "afforest", "rest"): CLIMBS, ("components", "giant-first", "*"): QUEUES,
    ("bfs", "direction-optimizing", "*"): QUEUES, ("bfs", "semi-external", "search"): QUEUES,
    ("sssp", "semi-external", "search"): QUEUES,
    ("sssp", "dijkstra", "*"): QUEUES, ("sssp", "bellman-ford", "*"): QUEUES,
    ("sssp", "delta-stepping", "*"): QUEUES,
    ("apsp", "floyd-warshall", "*"): CACHED, ("apsp", "blocked", "*"): CACHED,
    ("apsp", "blocked-disk", "*"): CACHED,
    ("apsp", "dijkstra", "*"): QUEUES, ("apsp", "bellman-ford", "*"): QUEUES,
    ("apsp", "johnson", "*"): QUEUES, ("apsp", "bfs", "*"): QUEUES,
    ("apsp", "bfs-bits", "*"): QUEUES,
}
SMALL = {"rank": "list:n=200000", "components": "rmat:scale=12",
         "bfs": "rmat:scale=12", "sssp": "rmat:scale=12,max-weight=99",
         "apsp": "erdos-renyi:n=300,m=3000,max-weight=9"}
UNWEIGHTED = {"apsp": "erdos-renyi:n=300,m=3000"}  # for variants that take no weights


def phases_of(tmp_path, problem, graph, *words):
    rows = bench(tmp_path, problem, graph, "--repeat", 1, *words)
    names = {row["name"] for row in run_json("variants", problem)["variants"]
             if row["place"] == "host"}
    return {(row["variant"], phase["name"]): phase for row in rows
            if row["variant"] in names and row["outcome"] == "ok" for phase in row["phases"]}


def excuse(problem, variant, name):
    return next((key for key in ((problem, variant, name), (problem, variant, "*"))
                 if key in NOT_COUNTED), None)


@pytest.mark.parametrize("problem", SMALL)
def test_bytes_are_counted_or_excused(problem, tmp_path):
    used = set()
    phases = phases_of(tmp_path, problem, SMALL[problem])
    if problem in UNWEIGHTED:
        phases.update(phases_of(tmp_path, problem, UNWEIGHTED[problem]))
    for (variant, name), phase in phases.items():
        why_not = excuse(problem, variant, name)
        assert phase["bytes"] > 0 or why_not, f"{problem} {variant}: {name} counts no bytes"
        if phase["bytes"] == 0:
            used.add(why_not)
    stale = {key for key in NOT_COUNTED if key[0] == problem} - used
    assert not stale, f"these do count: {stale}"


def test_bytes_of_ranking(tmp_path):
    """By hand, from what each pass does with an element."""
    n = 200000
    found = phases_of(tmp_path, "rank", f"list:n={n}")
    per_element = {("sequential", "clear"): 4, ("sequential", "walk"): 12, ("wyllie", "pack"): 12,
                   ("wyllie", "extract"): 12, ("splitter", "clear"): 8, ("splitter", "walk"): 20,
                   ("splitter", "rank"): 12, ("interleaved", "copy"): 8,
                   ("interleaved", "walk"): 8, ("interleaved", "rank"): 8}
    assert {key: found[key]["bytes"] for key in per_element} == {
        key: each * n for key, each in per_element.items()}


def test_bytes_of_edge_lists(tmp_path):
    """SV1 to SV5 in every round, an edge once per round; edges are m, rounds from SV1's items."""
    n, m = 1000, 5000
    found = phases_of(tmp_path, "components", f"erdos-renyi:n={n},m={m}", "--variant",
                      "shiloach-vishkin", "--variant", "graft", "--variant", "graft-update")
    rounds = found["shiloach-vishkin", "SV1"]["items"] // n
    assert rounds >= 2
    assert {name: found["shiloach-vishkin", name]["bytes"]
            for name in ("SV0", "SV1", "SV2", "SV3", "SV4,5", "least")} == {
        "SV0": 4 * n, "SV1": 12 * n * rounds, "SV2": 24 * m * rounds, "SV3": 24 * m * rounds,
        "SV4,5": 16 * n * rounds, "least": 24 * n}
    for variant, each in (("graft", 16), ("graft-update", 8)):
        phase = found[variant, "graft"]
        assert phase["bytes"] == each * phase["items"] and phase["items"] % m == 0
        assert found[variant, "list"]["bytes"] == 2 * (4 * n + 4 * m) + 8 * m
