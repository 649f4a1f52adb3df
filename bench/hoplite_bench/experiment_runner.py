# SPDX-License-Identifier: Apache-2.0
"""
Runs the steps of experiments, one command after the other, and watches the rows arrive.

A step is marked as done in steps.jsonl only after its command has ended well and its rows have been
looked at. After a kill the step that was under way is run again with --resume: the command leaves
out what is there. Results are compared twice: by the command with its reference, and here with all
rows of the same graph and source, whichever variant, thread count or day they are from.
"""

import os
import select
import sys
import tempfile
import time

from . import peer_runs, raw_rows
from .experiment_plan import rows_path, tag
from .hoplite_command import WRONG_RESULT
from .time_left import TimeLeft

OK, FAILED, WRONG = 0, 1, 3


class Runner:
    def __init__(self, hoplite, folder, say, peers=None):
        self.hoplite = hoplite
        self.folder = folder
        self.say = say
        self.peers = peers or peer_runs.Peers()
        self.steps_path = os.path.join(folder, "steps.jsonl")
        os.makedirs(os.path.join(folder, "rows"), exist_ok=True)

    def run(self, steps):
        """Returns the exit code: 0 all done, 1 some step failed, 3 a result was wrong."""
        lock = raw_rows.Lock(self.folder)
        try:
            return self.run_locked(steps, lock)
        finally:
            lock.release()

    def run_locked(self, steps, lock):
        cut = raw_rows.cut_incomplete_line(self.steps_path)
        history = raw_rows.read(self.steps_path)
        finished = raw_rows.finished_steps(history)
        self.rejected = raw_rows.step_states(history)[1]
        waiting = [step for step in steps if step.identity not in finished]
        if len(waiting) < len(steps) or cut:
            self.say(f"{len(steps) - len(waiting)} of {len(steps)} steps are done already")
        left = TimeLeft(waiting)
        failures = 0
        for number, step in enumerate(waiting, 1):
            begin = time.monotonic()
            outcome, message = self.run_step(step, lock, left)
            raw_rows.append(self.steps_path, {
                "kind": "step", "step": step.identity, "outcome": outcome, "message": message,
                "experiment": step.experiment.name, "size": step.experiment.size,
                "graph": step.graph, "command": [self.hoplite.path, *step.words]})
            if outcome == "wrong":
                self.say(loud_failure(self.hoplite, step, message))
                return WRONG
            if outcome != "ok":
                failures += 1
                self.say(f"FAILED {step.experiment.name}, {step.graph}:\n{message}")
            left.learn(raw_rows.read(rows_path(self.folder, step.experiment)))
            left.finished(step, time.monotonic() - begin)
            self.say(f"[{number}/{len(waiting)}] {step.experiment.name}  {step.graph}  "
                     f"{step.rows} rows, {time.monotonic() - begin:.1f} s{left.text()}")
        return FAILED if failures else OK

    def run_step(self, step, lock, left):
        """Returns (outcome, message): "ok", "failed" or "wrong"."""
        path = rows_path(self.folder, step.experiment)
        cut = raw_rows.cut_incomplete_line(path)
        if cut:
            self.say(f"{path}: {cut} bytes of an unfinished last row cut off")
        here = step.experiment.name, step.experiment.size, step.graph
        if here in self.rejected:
            count = raw_rows.set_aside(path, step.graph)
            raw_rows.append(self.steps_path, {
                "kind": "set aside", "experiment": here[0], "size": here[1], "graph": here[2]})
            self.rejected.discard(here)
            self.say(f"{step.graph}: a result was wrong before; {count} rows set aside, "
                     "measured again")
        code, message = self.measure(step, path, lock, left)
        if code == WRONG_RESULT:
            return "wrong", message
        if code:
            return "failed", message
        wrong = disagreement(raw_rows.read(path), step)
        return ("wrong", wrong) if wrong else ("ok", None)

    def measure(self, step, path, lock, left):
        """Runs the command, with its peers taking turns. Returns (exit code, messages)."""
        for names in self.peers.groups(step, raw_rows.read(path)) or [[]]:
            with peer_runs.Turns(self.peers, self.hoplite, step, path, names) as turns:
                try:
                    code, message = self.command(step, path, lock, left, turns)
                except peer_runs.WrongPeer as wrong:
                    return WRONG_RESULT, str(wrong)
            if code:
                break
        return code, message

    def command(self, step, path, lock, left, turns):
        """Runs the command to its end, hands its turns out, and shows its progress."""
        with tempfile.TemporaryFile("w+") as messages:
            words = [*step.words, "--jsonl", path, "--resume"]
            words += ["--outside", str(len(turns.names))] if turns.names else []
            child = self.hoplite.start(words, lock.file, messages)
            try:
                while True:
                    if not select.select([child.stdout], [], [], 0.2)[0]:
                        left.show(step, path)
                        continue
                    line = child.stdout.readline()
                    if not line:
                        break
                    asked = line.split()
                    if turns.names and asked[:1] == [b"turn"]:
                        turns.take(*map(int, asked[1:]))
                        answer(child)
            except BaseException:
                child.kill()
                raise
            finally:
                code = child.wait()
                child.stdin.close()
                child.stdout.close()
            messages.seek(0)
            return code, messages.read()


def answer(child):
    """Tells the command that the turn is over; one that is gone has its exit code to say why."""
    try:
        child.stdin.write(b"done\n")
        child.stdin.flush()
    except BrokenPipeError:
        pass


def disagreement(rows, step):
    """The first row whose result differs from the others of its graph and source, as a message."""
    first = {}
    for row in raw_rows.measured(rows):
        if row.get("graph") != step.graph or row["outcome"] not in ("ok", "wrong"):
            continue
        if row["outcome"] == "wrong" or row.get("certified") is False:
            return describe(row, "was rejected")
        if row.get("place") == "peer" or row.get("result_hash") is None:
            continue
        known = first.setdefault((row["graph_hash"], row.get("source")), row)
        if known["result_hash"] != row["result_hash"] and not tolerant(step):
            return describe(row, f"has hash {row['result_hash']}, but {known['variant']} on "
                                 f"{known['threads']} threads has {known['result_hash']}")
    return None


def tolerant(step):
    """All-pairs sums of floating-point weights are associated differently by the variants."""
    kind = str(step.request.value("weights") or "")
    return step.experiment.problem == "apsp" and kind.startswith("float")


def describe(row, what):
    return (f"the result of {row['variant']} {row.get('settings') or ''} on {row['threads']} "
            f"threads, graph {row['graph']}, seed {row.get('seed')}, source {row.get('source')},"
            f" repetition {row['repetition']}, {what}")


def loud_failure(hoplite, step, message):
    bar = "!" * 72
    return (f"{bar}\nWRONG RESULT in experiment {tag(step.experiment)}\n"
            f"graph     {step.graph} (seed {step.request.seed})\n"
            f"variants  {', '.join(sorted({choice.name for choice in step.chosen}))}\n"
            f"{message.strip()}\n"
            f"again     {' '.join([hoplite.path, *quoted(step.words)])}\n{bar}")


def quoted(words):
    return [f"'{word}'" if " " in word else word for word in words]


def say_on_terminal(text):
    print(text, file=sys.stderr, flush=True)
