# SPDX-License-Identifier: Apache-2.0
"""
Peers in the same run, turn by turn: the command asks for a run of each peer where its turn comes in
the rounds (--outside), so that a run of theirs stands between runs of ours and what else the
machine does hits all alike. The peers of a step are started when the first turn comes, one process
each, and keep the graph: the one that the command writes to a file, with the sources that its rows
name. Their rows have the form of docs/bench.md with place "peer".

1. A row is appended before the command is told to go on, so a kill loses one run at most.
2. A turn whose row is there, or whose peer refused, failed or was stopped, is passed on at once.
3. Before and after each run there is a pause, in which threads that spin while they wait for more
   work go to sleep: ours before theirs, theirs before ours.
4. What does not fit into memory together is asked in groups; with the groups after the first our
   runs are not repeated. `beside` in the rows tells who took turns.
"""

import contextlib
import importlib.metadata
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import time

from . import raw_rows
from .experiment_plan import tag
from .hoplite_command import CommandFailed, die_with_parent, measured_child

DISTRIBUTIONS = {"scipy": "scipy", "networkit": "networkit", "igraph": "igraph",
                 "rustworkx": "rustworkx", "graphblas": "python-graphblas"}
# Bytes per arc, resident at most while the graph is built: estimates, not measurements.
BYTES_PER_ARC = {"scipy": 60, "networkit": 160, "igraph": 260, "rustworkx": 300, "graphblas": 160,
                 "gap": 20}
GAP_PROGRAMS = {"bfs": "bfs", "components": "cc", "sssp": "sssp"}
GAP_DELTAS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
GAP_TRIALS = 2  # of each process; the last one counts
TIME_LIMIT = {"small": 60, "full": 1200}  # seconds of one peer on one graph, and of its start
PAUSE = 0.02
WRONG = 3


def available(gap=None):
    """The peers that can be run here, with their versions."""
    found = {}
    for peer, distribution in DISTRIBUTIONS.items():
        try:
            found[peer] = importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            pass
    if gap:
        missing = [name for name in GAP_PROGRAMS.values()
                   if not os.access(os.path.join(gap, name), os.X_OK)]
        if missing:
            raise FileNotFoundError(f"{gap}: no program {missing[0]}")
        found["gap"] = "as built there"
    return found


class Over(Exception):
    """A peer takes no further part; `outcome` is that of its row."""

    def __init__(self, outcome, message):
        super().__init__(message)
        self.outcome = outcome


class WrongPeer(Exception):
    """A peer's result is not ours."""


class Peers:
    def __init__(self, versions=None, gap=None):
        self.versions = versions or {}
        self.gap = gap

    def groups(self, step, rows):
        """The peers that still have runs to do, in groups that fit into memory together."""
        done = {raw_rows.identity(row): row["outcome"] for row in raw_rows.measured(rows)}
        waiting = [peer for peer in step.peers if not complete(step, peer, done)]
        room, arcs = 0.7 * free_memory(), guess_arcs(step)
        groups, taken = [], room + 1
        for peer in waiting:
            need = BYTES_PER_ARC[peer] * arcs
            if taken + need > room:
                groups.append([])
                taken = 0
            groups[-1].append(peer)
            taken += need
        return groups


def guess_arcs(step):
    value = step.request.value
    n = value("n") or (value("rows") or 0) * (value("cols") or 0) or 2 ** (value("scale") or 0)
    edges = value("m") or n * (value("edge-factor") or (16 if value("scale") else 4))
    return 2 * edges


def free_memory():
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if "MemAvailable" in line)


def complete(step, peer, done):
    """Whether nothing is left to do: every run has its row, or one row says why not."""
    keys = [(tag(step.experiment), key(step, peer, index, repetition))
            for repetition in range(step.run.repetitions) for index in range(step.sources)]
    known = [done.get(each) for each in keys]
    return None not in known or any(outcome not in (None, "ok") for outcome in known)


def key(step, peer, source_index, repetition):
    return (f"{step.experiment.problem} {step.graph} {peer} peer threads={max(step.threads)} "
            f"source={source_index} repetition={repetition}")


class Turns:
    """A group of peers on one graph, for as long as the command runs. Use it in `with`."""

    def __init__(self, peers, hoplite, step, path, names):
        self.peers, self.hoplite, self.step, self.path, self.names = (peers, hoplite, step, path,
                                                                      names)
        rows = raw_rows.measured(raw_rows.read(path))
        self.done = {raw_rows.identity(row) for row in rows}
        self.beside = [*dict.fromkeys(choice.name for choice in step.chosen), *names]
        self.workers = None
        self.reasons = {}
        self.spent = dict.fromkeys(names, 0.0)
        self.over = set()

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="hoplite-peers-")
        return self

    def __exit__(self, *_):
        for worker in (self.workers or {}).values():
            worker.close()
        self.folder.cleanup()

    def take(self, who, repetition, index):
        """One turn. Raises WrongPeer."""
        peer = self.names[who]
        here = tag(self.step.experiment), key(self.step, peer, index, repetition)
        if peer in self.over or here in self.done:
            return
        if self.workers is None:
            self.start()
        try:
            if peer in self.reasons:
                raise self.reasons[peer]
            if self.spent[peer] > TIME_LIMIT[self.step.experiment.size]:
                raise Over("stopped", "time limit")
            time.sleep(PAUSE)
            said = self.workers[peer].run(index, TIME_LIMIT[self.step.experiment.size])
            self.spent[peer] += said["seconds"]
            self.keep(peer, repetition, index, said)
            time.sleep(PAUSE)
        except Over as reason:
            self.over.add(peer)
            self.keep(peer, repetition, index, {"seconds": None, "what": str(reason)},
                      reason.outcome)

    def start(self):
        """The graph as a file, our answers, and every peer of the group ready."""
        rows = raw_rows.read(self.path)
        self.graph = next(row for row in reversed(rows)
                          if row["kind"] == "graph" and row["graph"] == self.step.graph)
        self.sources = self.graph.get("sources") or []
        self.file = os.path.join(self.folder.name, "graph.npz")
        self.hoplite.generate(self.step.request, self.file)
        self.answers = our_answers(self.hoplite, self.step, self.file, self.sources)
        self.workers = {}
        for peer in self.names:
            try:
                self.workers[peer] = self.worker(peer)
            except Over as reason:
                self.reasons[peer] = reason  # for its first turn, where there is a row for it

    def worker(self, peer):
        if peer == "gap":
            return GapPrograms(self)
        return AdapterProcess(self, peer)

    def keep(self, peer, repetition, index, said, outcome=None):
        outcome = outcome or ("ok" if said["same"] else "wrong")
        raw_rows.append(self.path, self.row(peer, repetition, index, said, outcome))
        if outcome == "wrong":
            against = "ours" if self.answers else "SciPy's"
            raise WrongPeer(f"the result of the peer {peer} {self.peers.versions.get(peer)} "
                            f"differs from {against}: graph {self.step.graph}, source "
                            f"{self.source(index)}")

    def source(self, index):
        return self.sources[index] if self.sources else None

    def row(self, peer, repetition, index, said, outcome):
        step, graph = self.step, self.graph
        return {"schema": 1, "kind": "run", "tag": tag(step.experiment),
                "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "key": key(step, peer, index, repetition),
                "problem": step.experiment.problem, "graph": step.graph,
                "graph_hash": graph.get("graph_hash"), "vertices": graph.get("vertices"),
                "edges": graph.get("edges"), "arcs": graph.get("arcs"), "variant": peer,
                "ran": f"{peer} {self.peers.versions.get(peer)}",
                "settings": said.get("settings") or {}, "place": "peer", "device": "cpu",
                "threads": max(step.threads), "warmup": False, "repetition": repetition,
                "source": self.source(index), "source_index": index if self.sources else None,
                "outcome": outcome, "message": said["what"], "seconds": said["seconds"],
                "beside": self.beside, "result_hash": None, "phases": [], "counters": {},
                "rounds": None}


class AdapterProcess:
    """A peer in a process of its own that does one run when it is asked to."""

    def __init__(self, turns, peer):
        step, hoplite = turns.step, turns.hoplite
        self.peer = peer
        threads = str(max(step.threads))
        words = [sys.executable, "-m", "hoplite_bench.peer_adapters", peer,
                 step.experiment.problem, turns.file, "--threads", threads,
                 "--warmup", str(step.run.warmup), "--sources", ",".join(map(str, turns.sources)),
                 "--answers", ",".join(turns.answers), "--realtime", str(hoplite.realtime)]
        words += ["--directed"] if turns.graph.get("directed") else []
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        environment = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1",
                       "OMP_NUM_THREADS": threads}
        self.messages = tempfile.TemporaryFile("w+")
        self.child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=self.messages, env=environment,
                                      preexec_fn=die_with_parent)
        self.first = self.hear(TIME_LIMIT[step.experiment.size])

    def run(self, index, limit):
        if "same" in self.first:  # wrong while it was warmed up
            return self.first
        try:
            self.child.stdin.write(f"{index}\n".encode())
            self.child.stdin.flush()
        except BrokenPipeError:
            pass  # it is gone, and what it leaves to be heard says how
        return self.hear(limit)

    def hear(self, limit):
        """What it says next."""
        if not select.select([self.child.stdout], [], [], limit)[0]:
            self.close()
            raise Over("stopped", f"time limit of {limit} s")
        line = self.child.stdout.readline()
        try:
            said = json.loads(line) if line else {}
        except ValueError:
            self.child.kill()
            said = {}
        if "unsupported" in said:
            self.close()
            raise Over("refused", said["unsupported"])
        if not said:
            code = self.child.wait()
            self.messages.seek(0)
            raise Over("failed", f"ended with {code}: {self.messages.read()[-300:]}")
        return said

    def close(self):
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        for pipe in (self.child.stdin, self.child.stdout):
            with contextlib.suppress(BrokenPipeError):  # what it never read
                pipe.close()


class GapPrograms:
    """GAP keeps nothing: each turn is a process that reads the graph and does a few trials, of
    which the last one counts. Its verifier has checked a run from each source before."""

    def __init__(self, turns):
        problem = turns.step.experiment.problem
        self.turns = turns
        if problem not in GAP_PROGRAMS:
            raise Over("refused", f"GAP has no {problem}")
        self.program = os.path.join(turns.peers.gap, GAP_PROGRAMS[problem])
        self.graph = turns.file[:-3] + ("wsg" if problem == "sssp" else "sg")
        turns.hoplite.convert(turns.file, self.graph,
                              *([] if problem == "sssp" else ["--drop-weights"]))
        self.more, self.settings = [], {}
        most = TIME_LIMIT[turns.step.experiment.size]
        if problem == "sssp":
            best = min(GAP_DELTAS, key=lambda delta: self.trials(0, 1, "-d", str(delta),
                                                                 limit=most)[-1])
            self.more, self.settings = ["-d", str(best)], {"delta": best}
        for index in range(len(turns.sources) or 1):
            self.trials(index, 1, *self.more, "-v", limit=most)

    def trials(self, index, count, *more, limit=None):
        source = self.turns.source(index)
        words = [self.program, "-f", self.graph, "-n", str(count), *more]
        words += [] if source is None else ["-r", str(source)]
        environment = {**os.environ, "OMP_NUM_THREADS": str(max(self.turns.step.threads))}
        try:
            done = subprocess.run(words, capture_output=True, text=True, env=environment,
                                  timeout=limit, check=False,
                                  preexec_fn=measured_child(self.turns.hoplite.realtime))
        except subprocess.TimeoutExpired:
            raise Over("stopped", f"time limit of {limit} s") from None
        times = [float(time) for time in re.findall(r"Trial Time: +([0-9.]+)", done.stdout)]
        if done.returncode or "FAIL" in done.stdout or not times:
            raise Over("failed", f"{' '.join(words)}: {done.stdout[-300:]}{done.stderr[-300:]}")
        return times

    def run(self, index, limit):
        seconds = self.trials(index, GAP_TRIALS, *self.more, limit=limit)[-1]
        if seconds <= 0:
            raise Over("refused", "its clock, of 10 microseconds, is too coarse for this graph")
        return {"seconds": seconds, "same": True, "settings": self.settings,
                "what": " ".join([os.path.basename(self.program), *self.more])}

    def close(self):
        pass


def our_answers(hoplite, step, file, sources):
    """Files with our result from each source, for the peers to be compared with; none where the
    command has no verb for the problem that writes arrays."""
    paths = []
    for index, source in enumerate(sources or [None]):
        path = f"{file}.answer{index}.npy"
        words = [] if source is None else ["--source", str(source)]
        try:
            hoplite.ask(step.experiment.problem, file, *words, "-o", path, "--quiet")
        except CommandFailed:
            return []
        paths.append(path)
    return paths
