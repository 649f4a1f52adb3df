# SPDX-License-Identifier: Apache-2.0
"""The backend against NetworkX on random graphs: see random_graphs.py. HOPLITE_GRAPHS is their
number (tools/networkx_campaign runs 10,000). Once more without the extension module."""

import collections
import os
import pathlib
import subprocess
import sys

import pytest

import random_graphs
from hoplite import networkx_backend

HERE = pathlib.Path(__file__).parent
GRAPHS = int(os.environ.get("HOPLITE_GRAPHS", "120"))


def test_every_function_agrees_with_networkx():
    tally = collections.Counter()
    for seed in range(GRAPHS):
        difference = random_graphs.compare(seed, tally)
        assert difference is None, difference
    idle = [name for name in networkx_backend.FUNCTIONS if not tally["compared", name]]
    assert not idle, f"never compared: {idle}"


def test_extension_module_is_there():
    """Where this fails, headers of Python were missing when the tree was built."""
    from hoplite import _speed
    assert _speed.compiled


@pytest.mark.parametrize("first", [100_000])
def test_without_the_extension_module(first):
    done = subprocess.run(
        [sys.executable, str(HERE / "random_graphs.py"), str(first), str(max(GRAPHS // 4, 1))],
        env={**os.environ, "HOPLITE_EXTENSION": "0"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no difference" in done.stdout
