# SPDX-License-Identifier: Apache-2.0
"""The values that the source documents state, as data: bench/documents/*.toml."""

import os
import tomllib
from dataclasses import dataclass

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "documents")


@dataclass(frozen=True)
class Value:
    """One statement. `value`, or a range `low` to `high`, of which one may be missing."""
    document: str
    where: str
    device: str
    experiment: str
    quantity: str
    unit: str
    value: float = None
    low: float = None
    high: float = None
    variant: str = None
    settings: str = None
    phase: str = None
    graph: str = None
    code: str = None  # whose program, where it is not the document's own
    x: float = None
    note: str = ""

    @property
    def text(self):
        if self.value is None:
            parts = [f"at least {self.low:g}" if self.high is None else
                     f"at most {self.high:g}" if self.low is None else
                     f"{self.low:g} to {self.high:g}"]
        else:
            parts = [f"{self.value:g}"]
            if self.low is not None:
                parts.append(f"({self.low:g} to {self.high:g})")
        return " ".join(parts)

    @property
    def point(self):
        """Where to draw it: the value, else the middle of a range."""
        if self.value is not None:
            return self.value
        if self.low is not None and self.high is not None:
            return (self.low * self.high) ** 0.5
        return self.low if self.high is None else self.high


def files(folder):
    for name in sorted(os.listdir(folder)):
        if name.endswith(".toml"):
            with open(os.path.join(folder, name), "rb") as file:
                yield tomllib.load(file)


def documents(folder=FOLDER):
    """(name by author and year, what it is, its subject) of each."""
    return [(data["document"], data["title"], data["subject"]) for data in files(folder)]


def load(folder=FOLDER):
    return [Value(document=data["document"], **block) for data in files(folder)
            for block in data.get("value", [])]


def of_experiment(values, name):
    return [value for value in values if value.experiment == name]
