# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest for NetworkX's own tests (-p call_counter): fails the run if a function that
the backend advertises never ran to its end in the backend. Without it a run says little: a call
that the backend declines is done by NetworkX, and the test passes all the same.

HOPLITE_COUNT names the functions that must have run, separated by commas; without it all."""

import collections
import functools
import inspect
import os

import networkx as nx

calls = collections.Counter()
declined = collections.Counter()


def counted(name, function):
    """Counts a call that returns, raises what NetworkX would, or yields something or ends."""
    def count(error=None):
        (declined if isinstance(error, NotImplementedError) else calls)[name] += 1

    def yielded(made):
        try:
            first = next(made)
        except StopIteration:
            count()
            return
        except Exception as error:
            count(error)
            raise
        count()
        yield first
        yield from made

    @functools.wraps(function)
    def asked(*args, **kwargs):
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            count(error)
            raise
        if inspect.isgenerator(result):
            return yielded(result)
        count()
        return result

    return asked


def pytest_sessionstart(session):
    backend = nx.utils.backends._load_backend("hoplite")
    for name, function in backend.FUNCTIONS.items():
        setattr(backend, name, counted(name, function))


def pytest_sessionfinish(session, exitstatus):
    asked = os.environ.get("HOPLITE_COUNT")
    backend = nx.utils.backends._load_backend("hoplite")
    names = asked.split(",") if asked else list(backend.FUNCTIONS)
    idle = [name for name in names if not calls[name]]
    print(f"\ncalls in the backend: {sum(calls.values())} of {len(calls)} functions, "
          f"{sum(declined.values())} declined after the conversion")
    for name in names:
        print(f"  {name}: {calls[name]}, declined {declined[name]}")
    if idle:
        print("never ran in the backend: " + ", ".join(idle))
        session.exitstatus = 1
