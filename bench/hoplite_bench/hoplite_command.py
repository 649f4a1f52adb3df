# SPDX-License-Identifier: Apache-2.0
"""
The `hoplite` command as this package uses it: the table of variants, graphs, and runs. Nothing else
of the library is touched, so any build of the command can be measured.
"""

import ctypes
import fnmatch
import json
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass

WRONG_RESULT = 3  # the exit code of a rejected result


class CommandFailed(Exception):
    """The command ended with an error; the text has its words, exit code and messages."""

    def __init__(self, words, code, message):
        super().__init__(f"{' '.join(words)}\nended with exit code {code}:\n{message.strip()}")
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Variant:
    name: str
    place: str
    parameters: tuple  # their names


def die_with_parent():
    """In the child: when the runner is killed, the run under way ends too instead of measuring for
    nobody and disturbing what is measured next."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def measured_child(realtime):
    """For preexec_fn: the above, and a real-time priority where one is asked for."""
    def prepare():
        die_with_parent()
        if realtime:
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(realtime))
    return prepare


@dataclass(frozen=True)
class Choice:
    """A variant with settings at one place."""
    name: str
    settings: tuple  # of (name, value)
    place: str
    word: str  # as `hoplite bench --variant` takes it


class Hoplite:
    """`devices` is what `hoplite bench --device` takes: names, separated by commas."""

    def __init__(self, path=None, realtime=0, devices="cpu"):
        self.realtime = realtime
        self.devices = devices
        found = path or os.environ.get("HOPLITE") or shutil.which("hoplite")
        if not found or not shutil.which(found):
            raise CommandFailed([found or "hoplite"], 127,
                                "no such command; use --hoplite PATH or set HOPLITE")
        self.path = os.path.abspath(shutil.which(found))
        self._variants = {}

    def ask(self, *words, realtime=0):
        """Runs a command to its end and returns what it printed."""
        done = subprocess.run([self.path, *words], capture_output=True, text=True,
                              preexec_fn=measured_child(realtime), check=False)
        if done.returncode:
            raise CommandFailed([self.path, *words], done.returncode, done.stderr)
        return done.stdout

    def version(self):
        return self.ask("--version").strip()

    def variants(self, problem):
        if problem not in self._variants:
            table = json.loads(self.ask("variants", problem, "--json"))
            self._variants[problem] = [
                Variant(row["name"], row.get("place", "host"),
                        tuple(p["name"] for p in row.get("parameters", [])))
                for row in table["variants"]]
        return self._variants[problem]

    def places(self):
        """The places that there are devices for."""
        names = self.devices.split(",")
        return ((["host"] if {"cpu", "all"} & set(names) else [])
                + (["device"] if set(names) - {"cpu"} else []))

    def start(self, words, keep_open, messages):
        """Starts a long run. `keep_open` is a file that it inherits (the lock)."""
        return subprocess.Popen([self.path, *words], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=messages,
                                pass_fds=[keep_open],
                                preexec_fn=measured_child(self.realtime))

    def generate(self, request, path):
        self.ask("generate", *request.words, "-o", path, "--quiet")

    def convert(self, source, path, *more):
        self.ask("convert", source, "-o", path, "--quiet", *more)


def select(run, table, places=("host", "device")):
    """Which of `table` a block [[runs]] means. Returns (chosen, waiting): chosen is a list of
    Choice, waiting a list of sentences about what is not there yet, or has no device here."""
    chosen, waiting, undone = [], [], []
    present = {variant.name for variant in table if variant.place in run.places}
    for name in run.expected:
        if name not in present and name != "auto":
            waiting.append(f"variant {name} ({' or '.join(run.places)})")
    for variant in table:
        matches = any(fnmatch.fnmatchcase(variant.name, pattern) for pattern in run.variants)
        if not matches or variant.place not in run.places or variant.name in run.excluded:
            continue
        if variant.place not in places:
            undone.append(variant.name)
            continue
        missing = {name for settings in run.settings for name, _ in settings}
        missing -= set(variant.parameters)
        if missing:
            waiting.append(f"parameter {', '.join(sorted(missing))} of {variant.name}")
            continue
        both = len({other.place for other in table if other.name == variant.name} & set(places)) > 1
        at = f"@{variant.place}" if both else ""
        found = [Choice(variant.name, settings, variant.place,
                        variant_word(variant.name + at, settings)) for settings in run.settings]
        chosen += [choice for choice in found if choice not in chosen]
    if run.auto and "host" in places:
        at = "@host" if len(places) > 1 else ""
        chosen.append(Choice("auto", (), "host", f"auto{at}"))
    if undone:
        waiting.append(f"a device (--device) for {', '.join(sorted(undone))}")
    return chosen, sorted(set(waiting))


def variant_word(name, settings):
    if not settings:
        return name
    return name + ":" + ",".join(f"{key}={setting_text(value)}" for key, value in settings)


def setting_text(value):
    return {True: "1", False: "0"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def recipe(request):
    """The graph as `hoplite bench` takes it: FAMILY:KEY=VALUE,..."""
    pairs = [*request.parameters, ("seed", request.seed)]
    return request.family + ":" + ",".join(f"{key}={setting_text(value)}" for key, value in pairs)
