# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in a long call: it ends within 0.3 seconds by a KeyboardInterrupt, and the interpreter
goes on. Progress functions and tqdm hear of the call, and can cancel it."""

import ctypes
import gc
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import hoplite
from hoplite._arrow import arrow_columns
from hoplite._calling import Context, Key
from hoplite._loading import freed_by

# Each takes many seconds when nobody interrupts it. "begin" is printed when it starts.
LONG_CALLS = {
    "apsp": "g = hoplite.generate.grid(200, 200)\nbegin()\n"
            "hoplite.apsp_rows(g, lambda first, rows: None)",
    "apsp matrix": "g = hoplite.generate.erdos_renyi(4000, 1000000, weights='float64')\nbegin()\n"
                   "hoplite.apsp(g, variant='floyd-warshall')",
    "sssp": "g = hoplite.generate.road(400, 400, weights='int32')\nbegin()\n"
            "while True: hoplite.sssp(g, 0, variant='bellman-ford')",
    "bfs": "g = hoplite.generate.list_graph(1000000)\nbegin()\n"
           "while True: hoplite.bfs(g, 0, certify=True)",
    "components": "g = hoplite.generate.rmat(17)\nbegin()\n"
                  "while True: hoplite.components(g, variant='shiloach-vishkin')",
    "rank": "s = hoplite.generate.list(4000000)\nbegin()\nwhile True: hoplite.rank(s)",
    "build": "import numpy as np\ne = np.random.default_rng(1).integers(0, 1 << 20, (3000000, 2))\n"
             "begin()\nwhile True: hoplite.Graph.from_edges(e)",
    "generate": "begin()\nwhile True: hoplite.generate.rmat(18)",
}
PROGRAM = """
import signal, sys, time
import hoplite
signal.signal(signal.SIGINT, signal.default_int_handler)
def begin():
    print("begin", flush=True)
try:
    {call}
except KeyboardInterrupt:
    caught = time.time(), time.process_time()
g = hoplite.Graph.from_edges([(0, 1), (1, 2)])  # goes on as if nothing had been
assert hoplite.bfs(g, 0, certify=True).levels.tolist() == [0, 1, 2]
assert hoplite.sssp(g, 0, certify=True).distances.tolist() == [0, 1, 2]
print(*caught, flush=True)
"""


TRIES = 10  # on a machine that does other things too, one of them must be in time


def processor_seconds(child):
    with open(f"/proc/{child.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def seconds_to_stop(name):
    """From the signal to the handler of the exception: by the clock, or of the processors if that
    is less, since others may have had them. But who slept for long is slow."""
    program = PROGRAM.format(call=LONG_CALLS[name].replace("\n", "\n    "))
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    killer = threading.Timer(300, child.kill)
    killer.start()
    try:
        assert child.stdout.readline() == "begin\n"
        time.sleep(0.4)
        sent, used = time.time(), processor_seconds(child)
        os.kill(child.pid, signal.SIGINT)
        caught = child.stdout.readline()
        assert caught, "the signal was not heard"
        wall, processor = map(float, caught.split())
        assert child.wait() == 0
    finally:
        killer.cancel()
        child.kill()
        child.stdout.close()
    print(f"{name}: {wall - sent:.3f} s, {processor - used:.3f} s of the processors")
    return max(min(wall - sent, processor - used), (wall - sent) / 20)


@pytest.mark.parametrize("name", LONG_CALLS)
def test_interrupt(name):
    assert any(seconds_to_stop(name) < 0.3 for _ in range(TRIES))


class Alarm(ctypes.c_int):
    """Sends the process the signal of this number when it goes, by no function of Python."""

    __del__ = freed_by(ctypes.CDLL(None)["raise"])


def path_index():
    return hoplite.Index(hoplite.generate.grid(4, 4, weights="int32"), "landmarks")


def arrow_column():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"source": [0, 1], "target": [1, 2]})
    return arrow_columns(pa.concat_tables([table]), None, None, None)[0]


def own_context():
    return Context(Key(1, None, 0, 0))


@pytest.mark.parametrize("held", [
    lambda: hoplite.generate.grid(4, 4), lambda: hoplite.bfs(hoplite.generate.grid(4, 4), 0),
    path_index, arrow_column, own_context])
def test_a_signal_is_heard_while_memory_is_freed(held):
    """Python runs the handlers of signals on entry to its functions, and drops what they raise in a
    __del__: so what frees must not be one. A list lets go of its last item first."""
    gc.collect()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        pair = [held(), Alarm(signal.SIGINT)]
        with pytest.raises(KeyboardInterrupt):
            del pair
            for _ in range(100):  # where the handler runs
                pass
    finally:
        signal.signal(signal.SIGINT, before)


def test_progress_function():
    graph = hoplite.generate.grid(32, 32)
    heard = []

    def listen(phase, done, total):
        heard.append((phase, done, total))

    while not heard:  # short calls are over before the first report
        hoplite.apsp(graph, progress=listen, variant="floyd-warshall")
    assert all(isinstance(phase, str) and done >= 0 and total >= 0 for phase, done, total in heard)


def test_progress_function_cancels():
    graph = hoplite.generate.grid(32, 32)
    with pytest.raises(hoplite.CancelledError):
        while True:
            hoplite.apsp(graph, progress=lambda *_: False, variant="floyd-warshall")


def test_an_exception_of_the_progress_function_comes_through():
    graph = hoplite.generate.grid(32, 32)

    def fail(*_):
        raise LookupError("of the caller")

    with pytest.raises(LookupError, match="of the caller"):
        while True:
            hoplite.apsp(graph, progress=fail, variant="floyd-warshall")
    with pytest.raises(LookupError, match="rows"):
        hoplite.apsp_rows(graph, lambda *_: {}["rows"])
    with pytest.raises(hoplite.CancelledError):
        hoplite.apsp_rows(graph, lambda *_: False)
    with pytest.raises(TypeError, match="progress"):
        hoplite.bfs(graph, 0, progress=3)


def test_tqdm_is_used_where_it_is_installed(capsys, monkeypatch):
    pytest.importorskip("tqdm")  # without it nothing is ever shown
    graph = hoplite.generate.grid(32, 32)
    shown = ""
    while "apsp" not in shown:
        hoplite.apsp(graph, progress=True, variant="floyd-warshall")
        shown += capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    hoplite.apsp(graph, progress=True, variant="floyd-warshall")
    assert capsys.readouterr().err == ""
