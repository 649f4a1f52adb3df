#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Stands in for the `hoplite` command where a test needs variants that do not exist yet, results that
are wrong, or rows by the hundred at once: it answers `variants` with a full table and `bench` with
rows of the form of docs/bench.md, with made-up times. It measures nothing.

STAND_IN_TABLE   words PROBLEM/VARIANT[=PLACE][:PARAMETER+...] that make the table
STAND_IN_WRONG   VARIANT: its second repetition has another hash
"""

import argparse
import hashlib
import json
import math
import os
import sys

DEVICES = {"host": "cpu", "device": "opencl:0.0"}
FULL_TABLE = """
rank/sequential rank/wyllie rank/splitter rank/interleaved
rank/wyllie=device:groups rank/splitter=device:groups+aggregate rank/splitter48=device:groups
components/dfs components/union-find components/shiloach-vishkin components/graft
components/graft-update components/stages:inner+q components/rem components/afforest
components/stream components/shiloach-vishkin=device:groups components/sorted=device
bfs/sequential bfs/direction-optimizing bfs/frontier=device:small+readonly+balance
bfs/frontier-block=device:small+readonly+balance bfs/frontier-tiered=device:small+readonly+balance
bfs/vertex-parallel=device bfs/persistent=device:queue+dequeue+enqueue+chunk+groups+count
sssp/dijkstra sssp/bellman-ford sssp/delta-stepping:delta sssp/speculate=device:groups
sssp/harish-narayanan=device
apsp/floyd-warshall apsp/blocked apsp/dijkstra apsp/bellman-ford apsp/johnson
apsp/harish-narayanan=device apsp/tran=device apsp/tran-squaring=device apsp/katz-kider=device
apsp/katz-kider-oocore=device
"""


def table(problem):
    rows = []
    for word in os.environ.get("STAND_IN_TABLE", FULL_TABLE).split():
        name, _, parameters = word.partition(":")
        name, _, place = name.partition("=")
        where, _, name = name.partition("/")
        if where == problem:
            rows.append({"name": name, "place": place or "host",
                         "parameters": [{"name": p} for p in parameters.split("+") if p]})
    return rows


def digest(*words):
    return hashlib.sha256(repr(words).encode()).hexdigest()[:16]


def sizes(graph):
    values = dict(pair.split("=") for pair in graph.partition(":")[2].split(","))
    n = int(values.get("n", 0))
    if "scale" in values:
        n = 2 ** int(values["scale"])
    if "rows" in values:
        n = int(values["rows"]) * int(values["cols"])
    if "delta" in values:
        n = int(math.sqrt(int(values["m"]) / 2 / float(values["delta"])))
    edges = int(values.get("m", 4 * n))
    return n, edges


def made_up_seconds(problem, variant, place, n, edges, threads, settings, repetition, source):
    units = {"rank": n, "apsp": n * n}.get(problem, 2 * edges)
    noise = 1 + int(digest(variant, n, repetition, source, settings)[:4], 16) / 65536 * 0.1
    cost = 5 + int(digest(variant, place)[:2], 16) / 4
    groups = float(settings.get("groups", 1))
    return units * cost * 1e-9 * noise / threads ** 0.8 / groups ** 0.7 + 1e-6


def run_rows(options, graph, n, edges, name, settings):
    name, _, place = name.partition("@")
    place = place or next((row["place"] for row in table(options.problem) if row["name"] == name),
                          "host")
    sources = range(options.sources) if options.problem in ("bfs", "sssp") else [None]
    counts = [int(word) for word in options.threads.split(",")]
    for threads in counts if place == "host" else [max(counts)]:
        for repetition in range(options.repeat):
            for source in sources:
                seconds = made_up_seconds(options.problem, name, place, n, edges, threads, settings,
                                          repetition, source)
                wrong = os.environ.get("STAND_IN_WRONG") == name and repetition == 1
                yield {
                    "schema": 1, "kind": "run", "tag": options.tag,
                    "key": f"{options.problem} {graph} {name}{json.dumps(settings)} {place} "
                           f"threads={threads} source={source} repetition={repetition}",
                    "problem": options.problem, "graph": graph, "graph_hash": digest(graph),
                    "vertices": n, "edges": edges, "elements": n, "seed": options.seed,
                    "variant": name, "ran": name, "settings": settings, "place": place,
                    "device": DEVICES[place], "threads": threads, "warmup": False,
                    "repetition": repetition, "source": source, "source_index": source,
                    "outcome": "ok", "message": None, "seconds": seconds,
                    "copy_seconds": 0.3 * seconds * (place == "device"),
                    "certified": True, "rounds": 5 + int(digest(name, n)[:1], 16),
                    "result_hash": digest(graph, source, wrong),
                    "counters": {"operations": n, "pushes": n, "pops": n, "polls": 2 * n,
                                 "retries": 0 if settings.get("queue") == "retry-free" else n,
                                 "corrections": n // 3},
                    "phases": [{"name": phase, "kind": "compute", "calls": 1,
                                "seconds": seconds * share, "bytes": 16 * n, "items": n}
                               for phase, share in (("split", 0.1), ("walk", 0.7),
                                                    ("rank", 0.2))],
                    "steps": [[1, seconds / 2 ** i, 0, n >> i] for i in range(1, 9)]}


def bench(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("problem")
    parser.add_argument("graphs", nargs="*")
    parser.add_argument("--variant", action="append", default=[])
    parser.add_argument("--random-sources", dest="sources", type=int, default=1)
    parser.add_argument("--source", type=int)
    for name in ("repeat", "warmup", "seed"):
        parser.add_argument(f"--{name}", type=int, default=1)
    for name in ("threads", "time-limit", "tag", "jsonl", "device"):
        parser.add_argument(f"--{name}", default="1")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--steps", action="store_true")
    parser.add_argument("--regret", action="store_true")
    options = parser.parse_args(words)
    done = set()
    if os.path.exists(options.jsonl):
        with open(options.jsonl, encoding="utf-8") as file:
            done = {json.loads(line).get("key") for line in file}
    with open(options.jsonl, "a", encoding="utf-8") as file:
        if options.device != "1":
            print(json.dumps({"kind": "device", "device": "opencl:0.0", "title": "Stand-in",
                              "vendor": "nobody", "platform": "none", "driver": "0", "type": "gpu",
                              "memory_bytes": 2 ** 30, "compute_units": 1}), file=file)
        for graph in options.graphs:
            n, edges = sizes(graph)
            print(json.dumps({"schema": 1, "kind": "graph", "graph": graph, "vertices": n,
                              "edges": edges, "arcs": 2 * edges, "directed": False,
                              "graph_hash": digest(graph), "sources": list(range(options.sources)),
                              "tag": options.tag}), file=file)
            for word in options.variant:
                name, _, settings = word.partition(":")
                settings = dict(pair.split("=") for pair in settings.split(",") if pair)
                settings = {key: int(value) if value.isdigit() else value
                            for key, value in settings.items()}
                for row in run_rows(options, graph, n, edges, name, settings):
                    if row["key"] not in done:
                        print(json.dumps(row), file=file, flush=True)


def main():
    words = sys.argv[1:]
    if words[0] == "--version":
        print("stand-in 0")
    elif words[0] == "variants":
        print(json.dumps({"schema": 1, "verb": "variants", "variants": table(words[1])}))
    elif words[0] == "bench":
        bench(words[1:])
    else:
        sys.exit(f"stand-in: no verb {words[0]}")


if __name__ == "__main__":
    main()
