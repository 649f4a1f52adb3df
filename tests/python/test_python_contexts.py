# SPDX-License-Identifier: Apache-2.0
"""The contexts that calls borrow: how many are kept, which, and what they keep on a device.

The device is fibers (tests/fibers) in the form of a GPU, with a memory of its own: bytes are those
that the library counts there. Programs of these tests run in a process of their own, since a
process looks for drivers once."""

import contextlib
import gc
import os
import subprocess
import sys
import textwrap
import threading

import pytest

import hoplite
from hoplite import _calling
from hoplite._loading import lib


@pytest.fixture(autouse=True)
def no_idle_contexts():
    while _calling._idle:
        _calling._idle.pop().free()


def contexts():
    """All that were not freed, idle or not."""
    return [each for each in gc.get_objects()
            if isinstance(each, _calling.Context) and each.pointer is not None]


def town():
    return hoplite.generate.road(6, 6, weights="int32", max_weight=20)


def test_a_hundred_seeds_are_one_context():
    graph = town()
    for seed in range(100):
        hoplite.sssp(graph, 0, seed=seed)
    assert len(_calling._idle) == len(contexts()) == 1


def test_every_call_has_its_seed():
    seen = []
    for how in {"seed": 7}, {}, {"seed": 2**64 - 1}, {"seed": 0}, {"seed": 1}, {}:
        with _calling.context(how) as lent:
            seen.append(lib.hop_context_seed(lent.pointer))
    assert seen == [7, 1, 2**64 - 1, 0, 1, 1] and len(_calling._idle) == 1
    with pytest.raises(ValueError, match="seed"):
        hoplite.components(town(), seed=-1)


def test_a_hundred_budgets_are_no_hundred_contexts():
    graph = town()
    for more in range(100):
        hoplite.components(graph, memory=2**30 + more)
    assert len(_calling._idle) == len(contexts()) == _calling.IDLE_CONTEXTS
    kept = {each.key.memory - 2**30 for each in _calling._idle}
    assert kept == set(range(100 - _calling.IDLE_CONTEXTS, 100))  # those used last
    hoplite.components(graph, memory=2**30 + 99)
    assert len(contexts()) == _calling.IDLE_CONTEXTS


def test_the_one_used_last_is_lent_first():
    with contextlib.ExitStack() as stack:
        lent = [stack.enter_context(_calling.context({})) for _ in range(3)]
    with _calling.context({}) as again:
        assert again is lent[0]  # the stack gives back in reverse
    with _calling.context({"threads": 1}) as other:
        assert other not in lent


def test_no_two_calls_share_a_context():
    used, wrong = set(), []
    many = 2 * _calling.IDLE_CONTEXTS
    together = threading.Barrier(many)

    def borrow():
        for turn in range(30):
            with _calling.context({"threads": 1 + turn % 2}) as lent:
                if lent.pointer in used:
                    wrong.append(lent)
                used.add(lent.pointer)
                if turn == 0:
                    together.wait(timeout=300)
                used.remove(lent.pointer)

    threads = [threading.Thread(target=borrow) for _ in range(many)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong and not together.broken
    assert len(_calling._idle) <= _calling.IDLE_CONTEXTS
    assert len(set(_calling._idle)) == len(_calling._idle)


BEGIN = """
import contextlib, os, threading
import hoplite
from hoplite import _calling
from hoplite._binding import HOP_PREPARE_DEVICE
from hoplite._loading import lib

graph = hoplite.generate.rmat(4)
DEVICE = {"device": "opencl:0.0"}

def search(**how):
    report = hoplite.bfs(graph, 0, variant="frontier", **DEVICE, **how).report
    assert report.device == "opencl:0.0", report
    return report.copy_bytes, report.kept_bytes

def on_device():
    return sum(lib.hop_device_memory_used(each.pointer) for each in _calling._idle)

whole = search()[0]
assert whole > 0 and on_device() == whole
"""


def on_fibers(program):
    """The program ends as it should, on a device that shares no memory with the host."""
    library = os.environ.get("HOPLITE_FIBERS_LIB", "")
    if not library:
        pytest.skip("built without the headers of OpenCL")
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + textwrap.dedent(program) + "print('done')"],
        capture_output=True, text=True, timeout=600, check=False,
        env={**os.environ, "HOPLITE_OPENCL_LIB": library, "HOPLITE_FIBERS": ""})
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_one_copy_for_all_options():
    """Seeds share it. For other options it moves: it has gone before the call."""
    on_fibers("""
        for seed in range(20):
            assert search(seed=seed) == (0, whole)
        assert on_device() == whole and sum(bool(each.device) for each in _calling._idle) == 1
        for more in range(3):
            assert search(memory=2**30 + more) == (whole, 0)
            assert search(memory=2**30 + more) == (0, whole)
            assert on_device() == whole
        with _calling.context({"threads": 1, **DEVICE}):
            assert on_device() == 0
        """)


def test_one_copy_when_calls_at_the_same_time_have_ended():
    on_fibers("""
        with contextlib.ExitStack() as stack:
            lent = [stack.enter_context(_calling.context(DEVICE)) for _ in range(8)]
            for each in lent:
                each.call(lib.hop_graph_prepare, graph._pointer, HOP_PREPARE_DEVICE)
            sizes = {lib.hop_device_memory_used(each.pointer) for each in lent}
            assert len(sizes) == 1 and 0 not in sizes
        assert set(lent) <= set(_calling._idle) and {on_device()} == sizes
        assert search() == (0, whole)
        """)


def test_threads_leave_one_copy():
    on_fibers("""
        def repeat():
            for _ in range(10):
                done.append(sum(search()))

        done = []
        threads = [threading.Thread(target=repeat) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert done == [whole] * 40 and on_device() <= whole
        """)


def test_trimming_leaves_nothing_on_the_device():
    on_fibers("""
        hoplite.device_trim()
        assert on_device() == 0 and search() == (whole, 0)
        del graph
        assert on_device() == whole
        before = list(_calling._idle)
        hoplite.device_trim()
        assert on_device() == 0 and set(_calling._idle) == set(before)
        hoplite.device_trim()
        """)


def test_what_a_call_uses_is_not_trimmed():
    on_fibers("""
        with _calling.context(DEVICE) as lent:
            hoplite.device_trim()
            assert lib.hop_device_memory_used(lent.pointer) == whole
        assert search() == (0, whole)
        """)


def test_a_child_leaves_the_copies_of_its_parent_alone():
    on_fibers("""
        hoplite.components(graph)  # the child has not its context, but the one that is lent
        with _calling.context(DEVICE) as lent:
            child = os.fork()
        if child == 0:
            hoplite.device_trim()
            os._exit(0 if _calling._idle == [lent] and on_device() == whole else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert search() == (0, whole)
        """)


def test_trimming_where_there_is_no_device():
    hoplite.components(town())
    before = list(_calling._idle)
    assert hoplite.device_trim() is None and _calling._idle == before
