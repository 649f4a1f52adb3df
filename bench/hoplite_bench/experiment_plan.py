# SPDX-License-Identifier: Apache-2.0
"""
From an experiment and the table of variants to commands: one step per graph and [[runs]] block. A
step is done when a command of exactly these words has ended well; when a variant's row appears in
the table the words change, the step is run again, and the command itself leaves out the rows that
are already there. So new variants join old results.
"""

import hashlib
import json
import os
from dataclasses import dataclass

from .hoplite_command import recipe, select

TIME_LIMIT = {"small": 20, "full": 1200}  # seconds for one variant on one graph
SEED = 1


@dataclass
class Step:
    experiment: object
    run: object
    request: object
    chosen: list    # of Choice
    threads: list
    words: list     # of the command, without --jsonl and --resume
    peers: list

    @property
    def graph(self):
        return recipe(self.request)

    @property
    def identity(self):
        text = json.dumps([self.words, self.peers])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def rows(self):
        """How many measured rows to expect; a variant that refuses the graph has fewer."""
        per = self.run.repetitions * self.sources
        host = sum(choice.place == "host" for choice in self.chosen)
        return per * (host * len(self.threads) + (len(self.chosen) - host) + len(self.peers))

    @property
    def sources(self):
        drawn = self.experiment.problem in ("bfs", "sssp") and self.request.start is None
        return self.run.sources if drawn else 1


def tag(experiment):
    return f"{experiment.name} {experiment.size}"


def rows_path(folder, experiment):
    return os.path.join(folder, "rows", f"{experiment.name}-{experiment.size}.jsonl")


def thread_counts(run, cores):
    """"max" is every core; counts beyond the cores are left out, so that one file fits all."""
    counts = []
    for wanted in run.threads:
        count = cores if wanted == "max" else wanted
        if count <= cores and count not in counts:
            counts.append(count)
    return sorted(counts)


def plan(experiment, hoplite, cores, peers=()):
    """Returns (steps, waiting)."""
    steps, waiting = [], []
    table = hoplite.variants(experiment.problem)
    for run in experiment.runs:
        chosen, absent = select(run, table, hoplite.places())
        waiting += absent
        wanted = [peer for peer in run.peers if peer in peers]
        threads = thread_counts(run, cores)
        for request in experiment.graphs if chosen and threads else []:
            if run.takes(request):
                words = command_words(experiment, run, request, chosen, threads)
                words += device_words(chosen, hoplite.devices)
                steps.append(Step(experiment, run, request, chosen, threads, words, wanted))
    order = {request.text: number for number, request in enumerate(experiment.graphs)}
    steps.sort(key=lambda step: order[step.request.text])
    return steps, sorted(set(waiting))


def device_words(chosen, devices):
    """Those of the devices that the chosen variants can use; nothing where it is the host alone, so
    that rows from before there were devices are still those of the same step."""
    places = {choice.place for choice in chosen}
    if places <= {"host"}:
        return []
    names = [name for name in devices.split(",") if name != "cpu" or "host" in places]
    return ["--device", ",".join(names)]


def command_words(experiment, run, request, chosen, threads):
    words = ["bench", experiment.problem, recipe(request)]
    for choice in chosen:
        words += ["--variant", choice.word]
    words += ["--threads", ",".join(map(str, threads)), "--repeat", str(run.repetitions),
              "--warmup", str(run.warmup), "--seed", str(SEED),
              "--time-limit", str(run.limit or TIME_LIMIT[experiment.size]),
              "--tag", tag(experiment)]
    if experiment.problem in ("bfs", "sssp"):
        words += (["--random-sources", str(run.sources)] if request.start is None else
                  ["--source", str(request.start)])
    if run.steps:
        words += ["--steps"]
    if experiment.regret:
        words += ["--regret"]
    return words
