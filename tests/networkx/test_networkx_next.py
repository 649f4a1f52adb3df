# SPDX-License-Identifier: Apache-2.0
"""The backend with the newest NetworkX: its own tests and documentation examples with the counter,
random graphs, and the tests of views and limits.

pip does not install it where Python is older than it asks for (3.12), but its code runs there: it
stands in a folder of its own that goes ahead of the environment's. HOPLITE_NETWORKX_NEXT names the
folder; else it is the one beside the environment's packages,

    python -m pip install --no-deps --ignore-requires-python -r tests/requirements-next.txt \
        --target $VIRTUAL_ENV/networkx-next

HOPLITE_REQUIRE_NETWORKX_NEXT=1 makes a missing one a failure."""

import os
import pathlib
import subprocess
import sys

import pytest

import test_networkx_upstream

HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path(os.environ.get("HOPLITE_NETWORKX_NEXT")
                      or pathlib.Path(sys.prefix) / "networkx-next")
WANTED = (HERE.parent / "requirements-next.txt").read_text().split("networkx==")[1].strip()
AHEAD = {"PYTHONPATH": os.pathsep.join(
    [str(FOLDER), str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])}


@pytest.fixture(scope="module", autouse=True)
def next_networkx():
    if not FOLDER.is_dir() and os.environ.get("HOPLITE_REQUIRE_NETWORKX_NEXT") != "1":
        pytest.skip(f"no NetworkX {WANTED} in {FOLDER}: {__file__} says how to install it")
    assert FOLDER.is_dir(), FOLDER
    found = run("-c", "import networkx; print(networkx.__version__)")
    assert found.stdout.split() == [WANTED], found.stdout + found.stderr


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], env={**os.environ, **AHEAD},
                          capture_output=True, text=True, check=False)


def test_its_own_tests_pass_and_every_function_ran():
    # Examples are tests too: nothing else calls floyd_warshall. What is left out repeats a
    # comparison 400 and 1,000 times.
    done = test_networkx_upstream.upstream(
        "--doctest-modules", "-k", "not use_bounds_on_off_consistency and "
        f"not test_floyd_warshall_consistency and not {test_networkx_upstream.CHANGES}", **AHEAD)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "never ran" not in done.stdout and " passed" in done.stdout


def test_every_function_agrees_with_it():
    done = run("-W", "ignore::DeprecationWarning", str(HERE / "random_graphs.py"), "0", "60")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no difference" in done.stdout


@pytest.mark.parametrize("name", ["views", "limits"])
def test_views_and_limits(name):
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider",
               str(HERE / f"test_networkx_{name}.py"))
    assert done.returncode == 0, done.stdout[-5000:]


def test_its_warning_comes_once_where_the_caller_is():
    done = run("-W", "always", "-c", """if True:
        import warnings
        import networkx as nx
        nx.config.backend_priority = ["hoplite"]
        for how in {}, {"backend": "networkx"}:
            with warnings.catch_warnings(record=True) as seen:
                list(nx.bfs_predecessors(nx.path_graph(3000), 0, **how))
            print([(one.category.__name__, str(one.message), one.filename) for one in seen])
    """)
    mine, theirs = done.stdout.splitlines()
    assert mine == theirs and mine.count("DeprecationWarning") == 1, done.stdout + done.stderr
