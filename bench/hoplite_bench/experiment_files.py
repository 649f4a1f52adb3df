# SPDX-License-Identifier: Apache-2.0
"""
Experiments as data: reads bench/experiments/*.toml and says which graphs they want.

An experiment has graphs (a family of the generator and its parameters, lists are multiplied out),
runs (patterns over the table of variants, times settings, threads, sources, repetitions) and
figures. What differs between the small and the full size stands as {small = .., full = ..}. Unknown
words in a file are refused: a misspelt one would silently change an experiment.
"""

import itertools
import os
import re
import tomllib
from dataclasses import dataclass, field

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "experiments")
SIZES = ("small", "full")
PROBLEMS = ("rank", "components", "bfs", "sssp", "apsp")
# What a cost is divided by; bytes of it in the file are 4 (ids), 8 with weights.
UNITS = {"rank": "element", "components": "arc", "bfs": "arc", "sssp": "arc", "apsp": "pair"}

WORDS = {
    "": {"title", "source", "question", "problem", "graphs", "runs", "figures", "regret",
         "transactions"},
    "graphs": {"label", "family", "seeds", "small", "full", "fixed", "value", "from"},
    "runs": {"variants", "except", "expected", "places", "settings", "threads", "repetitions",
             "sources", "peers", "warmup", "least", "most", "auto", "steps", "limit"},
    "figures": {"name", "title", "kind", "x", "y", "series", "panels", "limits", "where", "at",
                "graphs", "variants", "places", "phases", "per", "threads", "settings", "extend"},
}


class BadExperiment(Exception):
    """A data file that cannot mean what its author wanted; the text says where."""


@dataclass(frozen=True)
class GraphRequest:
    """One graph: what the generator is asked for. `text` is the key of its rows."""
    label: str
    family: str
    parameters: tuple  # of (name, value), as given to the generator
    seed: int
    values: tuple = ()  # of (name, value): what figures may ask for beside the parameters
    start: int = None  # where searches begin; None: anywhere

    @property
    def words(self):
        words = [self.family]
        for name, value in self.parameters:
            if value is True:
                words.append(f"--{name}")
            elif value is False:
                words.append(f"--no-{name}")
            else:
                words += [f"--{name}", str(value)]
        return words + ["--seed", str(self.seed)]

    @property
    def text(self):
        return " ".join(self.words)

    def value(self, name):
        return dict(self.parameters + self.values).get(name)


@dataclass
class Run:
    """One block [[runs]]: which variants, how."""
    variants: list = field(default_factory=lambda: ["*"])
    excluded: list = field(default_factory=list)
    expected: list = field(default_factory=list)
    places: list = field(default_factory=lambda: ["host", "device"])
    settings: list = field(default_factory=lambda: [()])  # of tuples of (name, value)
    threads: list = field(default_factory=lambda: ["max"])
    repetitions: int = 1
    sources: int = 1
    peers: list = field(default_factory=list)
    warmup: int = 1
    least: dict = field(default_factory=dict)  # only graphs with such values and more
    most: dict = field(default_factory=dict)   # and such values and less
    auto: bool = False
    steps: bool = False  # keep the calls of phases one by one
    limit: int = 0       # seconds for one variant on one graph; 0: that of the size

    def takes(self, request):
        return (all((request.value(name) or 0) >= limit for name, limit in self.least.items()) and
                all((request.value(name) or 0) <= limit for name, limit in self.most.items()))


@dataclass
class Experiment:
    name: str
    size: str
    title: str
    source: str
    question: str
    problem: str
    graphs: list
    runs: list
    figures: list
    regret: int = 0  # repetitions of the second timing; 0: no regret is asked for
    transactions: dict = field(default_factory=dict)

    @property
    def unit(self):
        return UNITS[self.problem]


def names(folder=FOLDER):
    return sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".toml"))


def load(name, size, folder=FOLDER):
    path = os.path.join(folder, name + ".toml")
    try:
        with open(path, "rb") as file:
            data = tomllib.load(file)
    except FileNotFoundError:
        raise BadExperiment(f"no experiment {name!r}; there are: {', '.join(names(folder))}")
    except tomllib.TOMLDecodeError as error:
        raise BadExperiment(f"{path}: {error}")
    check_words(path, data)
    graphs = [request for block in data["graphs"] for request in expand_graphs(path, block, size)]
    if len({request.text for request in graphs}) != len(graphs):
        raise BadExperiment(f"{path}: one graph is asked for twice at size {size}")
    return Experiment(
        name=name, size=size, title=data["title"], source=data["source"],
        question=data["question"], problem=data["problem"], graphs=graphs,
        runs=[expand_run(path, block, size) for block in data["runs"]],
        figures=data["figures"], regret=sized(data.get("regret", 0), size),
        transactions=data.get("transactions", {}))


def check_words(path, data):
    for part, words in WORDS.items():
        for block in ([data] if not part else data.get(part, [])):
            unknown = set(block) - words
            if unknown:
                raise BadExperiment(f"{path}: {part or 'top'}: unknown word {sorted(unknown)[0]!r};"
                                    f" known: {', '.join(sorted(words))}")
    for word in ("title", "source", "question", "problem", "graphs", "runs", "figures"):
        if word not in data:
            raise BadExperiment(f"{path}: {word} is missing")
    if data["problem"] not in PROBLEMS:
        raise BadExperiment(f"{path}: problem {data['problem']!r}; known: {', '.join(PROBLEMS)}")


def sized(value, size):
    """A value that may be given per size."""
    if isinstance(value, dict) and set(value) <= set(SIZES):
        return value[size]
    return value


def expand_graphs(path, block, size):
    """Yields the requests of one [[graphs]] block. A size that is not there has no such graph."""
    lists = block.get(size)
    if lists is None:
        return
    fixed = tuple(block.get("fixed", {}).items())
    extra = tuple(block.get("value", {}).items())
    for seed in range(1, sized(block.get("seeds", 1), size) + 1):
        for values in itertools.product(*lists.values()):
            chosen = dict(zip(lists, values))
            parameters = tuple((name, resolve(path, value, chosen))
                               for name, value in chosen.items())
            yield GraphRequest(block["label"], block["family"], parameters + fixed, seed, extra,
                               block.get("from"))


def resolve(path, value, chosen):
    """"16n" is sixteen times the parameter n of the same graph, "rows" the same as rows."""
    if not isinstance(value, str):
        return value
    match = re.fullmatch(r"([0-9]*)([a-z-]+)", value)
    if not match or match.group(2) not in chosen:
        raise BadExperiment(f"{path}: {value!r} names no parameter of its graph")
    return int(match.group(1) or 1) * chosen[match.group(2)]


def expand_run(path, block, size):
    settings = block.get("settings", {})
    combined = [tuple(zip(settings, values)) for values in itertools.product(*settings.values())]
    repetitions = sized(block.get("repetitions", 1), size)
    if repetitions < 1:
        raise BadExperiment(f"{path}: {repetitions} repetitions")
    return Run(variants=block.get("variants", ["*"]), excluded=block.get("except", []),
               expected=block.get("expected", []), places=block.get("places", ["host", "device"]),
               settings=combined, threads=block.get("threads", ["max"]), repetitions=repetitions,
               sources=sized(block.get("sources", 1), size), peers=block.get("peers", []),
               warmup=block.get("warmup", 1), least=block.get("least", {}),
               most=block.get("most", {}),
               auto=block.get("auto", False), steps=block.get("steps", False),
               limit=sized(block.get("limit", 0), size))
