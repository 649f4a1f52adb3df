# SPDX-License-Identifier: Apache-2.0
"""
Peers in the same run: after the command has measured a graph, each peer gets the same graph, as a
file that the command writes, and the same sources, which the command's rows name. Their rows have
the form of docs/bench.md with place "peer". GAP is used when a folder with its programs is given.
"""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tempfile
import time

from . import raw_rows
from .experiment_plan import tag
from .hoplite_command import CommandFailed, die_with_parent, measured_child

DISTRIBUTIONS = {"scipy": "scipy", "networkit": "networkit", "igraph": "igraph",
                 "rustworkx": "rustworkx", "graphblas": "python-graphblas"}
GAP_PROGRAMS = {"bfs": "bfs", "components": "cc", "sssp": "sssp"}
GAP_DELTAS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
TIME_LIMIT = {"small": 60, "full": 1200}
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


class Peers:
    def __init__(self, versions=None, gap=None):
        self.versions = versions or {}
        self.gap = gap

    def run(self, hoplite, step, path, rows):
        """Measures what is missing. Returns None, or a message when a result was wrong."""
        graph_row = next(row for row in reversed(rows)
                         if row["kind"] == "graph" and row["graph"] == step.graph)
        done = {raw_rows.identity(row) for row in raw_rows.measured(rows)}
        with tempfile.TemporaryDirectory(prefix="hoplite-peers-") as folder:
            file = os.path.join(folder, "graph.npz")
            for peer in step.peers:
                maker = PeerRows(step, graph_row, peer, self.versions.get(peer))
                if maker.last_key() in done or maker.refusal_key() in done:
                    continue
                if not os.path.exists(file):
                    hoplite.generate(step.request, file)
                    answers = our_answers(hoplite, step, file, maker.sources)
                maker.answers = answers
                call = self.call_gap if peer == "gap" else self.call_adapter
                wrong = call(hoplite, maker, file, path, done)
                if wrong:
                    return wrong
        return None

    def call_adapter(self, hoplite, maker, file, path, done):
        step = maker.step
        words = [sys.executable, "-m", "hoplite_bench.peer_adapters", maker.peer,
                 step.experiment.problem, file, "--threads", str(max(step.threads)),
                 "--repeat", str(step.run.repetitions), "--warmup", str(step.run.warmup),
                 "--sources", ",".join(map(str, maker.sources)),
                 "--answers", ",".join(maker.answers), "--realtime", str(hoplite.realtime)]
        words += ["--directed"] if maker.graph.get("directed") else []
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        environment = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1",
                       "OMP_NUM_THREADS": str(max(step.threads))}
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment, preexec_fn=die_with_parent) as child:
            code, said = self.follow(child, maker, path, done)
        if code == WRONG:
            against = "ours" if maker.answers else "SciPy's"
            return (f"the result of the peer {maker.peer} {maker.version} differs from {against}: "
                    f"graph {step.graph}, sources {maker.sources}")
        if code and not maker.stopped:
            raw_rows.append(path, maker.row(None, "failed", message=said[-300:], repetition=0))
        return None

    def follow(self, child, maker, path, done):
        """Keeps each run of a peer as it ends."""
        end = time.monotonic() + TIME_LIMIT[maker.step.experiment.size]
        for line in child.stdout:
            said = json.loads(line)
            if "unsupported" in said:
                raw_rows.append(path, maker.row(None, "refused", message=said["unsupported"],
                                                repetition=0))
                continue
            row = maker.row(said["seconds"], "ok" if said["same"] else "wrong",
                            message=said["what"], repetition=said["repetition"],
                            source=said["source"], source_index=said["source_index"])
            if said["repetition"] >= 0 and raw_rows.identity(row) not in done:
                raw_rows.append(path, row)
            if time.monotonic() > end:
                maker.stopped = True
                child.kill()
                break
        said = child.stderr.read()
        return child.wait(), said

    def call_gap(self, hoplite, maker, file, path, done):
        """GAP times itself; its verifier checks the last run of each call (-v)."""
        step = maker.step
        program = os.path.join(self.gap, GAP_PROGRAMS[step.experiment.problem])
        suffix = "wsg" if step.experiment.problem == "sssp" else "sg"
        converted = file[:-3] + suffix
        if not os.path.exists(converted):
            hoplite.convert(file, converted)
        environment = {**os.environ, "OMP_NUM_THREADS": str(max(step.threads))}

        def trial(source, count, *more):
            words = [program, "-f", converted, "-n", str(count), *more]
            words += [] if source is None else ["-r", str(source)]
            done = subprocess.run(words, capture_output=True, text=True, env=environment,
                                  preexec_fn=measured_child(hoplite.realtime), check=False)
            if done.returncode or "Verification:" in done.stdout and "FAIL" in done.stdout:
                raise RuntimeError(f"{' '.join(words)}: {done.stdout[-300:]}{done.stderr[-300:]}")
            return [float(t) for t in re.findall(r"Trial Time: +([0-9.]+)", done.stdout)]

        more, settings = [], {}
        if step.experiment.problem == "sssp":
            best = min(GAP_DELTAS, key=lambda d: trial(maker.sources[0], 1, "-d", str(d))[0])
            more, settings = ["-d", str(best)], {"delta": best}
        for index, source in enumerate(maker.sources or [None]):
            trial(source, 1, *more, "-v")
            times = trial(source, step.run.repetitions + step.run.warmup, *more)
            for repetition, seconds in enumerate(times[step.run.warmup:]):
                row = maker.row(seconds, "ok", message=" ".join([GAP_PROGRAMS[
                    step.experiment.problem], *more]), repetition=repetition, source=source,
                                source_index=index, settings=settings)
                if raw_rows.identity(row) not in done:
                    raw_rows.append(path, row)
        return None


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


class PeerRows:
    """Rows of one peer on one graph, in the form of those of the command."""

    def __init__(self, step, graph_row, peer, version):
        self.step = step
        self.graph = graph_row
        self.peer = peer
        self.version = version
        self.sources = graph_row.get("sources") or []
        self.threads = max(step.threads)
        self.answers = []
        self.stopped = False

    def key(self, source_index, repetition):
        source = "" if source_index is None else f" source={source_index}"
        return (f"{self.step.experiment.problem} {self.step.graph} {self.peer} peer "
                f"threads={self.threads}{source} repetition={repetition}")

    def last_key(self):
        last = len(self.sources) - 1 if self.sources else 0
        return tag(self.step.experiment), self.key(last, self.step.run.repetitions - 1)

    def refusal_key(self):
        return tag(self.step.experiment), self.key(None, 0)

    def row(self, seconds, outcome, message, repetition, source=None, source_index=None,
            settings=None):
        graph = self.graph
        return {"schema": 1, "kind": "run", "tag": tag(self.step.experiment),
                "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "key": self.key(source_index, repetition),
                "problem": self.step.experiment.problem, "graph": self.step.graph,
                "graph_hash": graph.get("graph_hash"), "vertices": graph.get("vertices"),
                "edges": graph.get("edges"), "arcs": graph.get("arcs"), "variant": self.peer,
                "ran": f"{self.peer} {self.version}", "settings": settings or {}, "place": "peer",
                "device": "cpu", "threads": self.threads, "warmup": False,
                "repetition": repetition, "source": source, "source_index": source_index,
                "outcome": outcome, "message": message, "seconds": seconds, "result_hash": None,
                "phases": [], "counters": {}, "rounds": None}
