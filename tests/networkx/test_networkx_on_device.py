# SPDX-License-Identifier: Apache-2.0
"""nx.config.backends.hoplite.device names a device: levels, components, shortest paths and all
pairs are computed there, which the library's reports tell, and are those of NetworkX. On OpenCL's
devices, and on cuda:0 of the driver that interprets PTX (tests/ptx). A process looks for drivers
once, so each device has its own."""

import os
import subprocess
import sys

import pytest

import hoplite

PROGRAM = """
import sys

import networkx as nx

from hoplite import _running

DEVICE, ALL_PAIRS_TOO = sys.argv[1], sys.argv[2] == "1"
CONFIG = nx.config.backends.hoplite
ran = []  # the report of each run of the library
made = _running.Told.__init__


def watched(told):
    made(told)
    ran.append(told)


_running.Told.__init__ = watched


def on_device(call, *arguments, runs, **keywords):
    ran.clear()
    with CONFIG(device=DEVICE):
        found = call(*arguments, backend="hoplite", **keywords)
        found = list(found) if hasattr(found, "__next__") else found
    told = [one.fields() for one in ran]
    assert len(told) == runs, (call.__name__, len(told))
    for one in told:
        stays = call is nx.floyd_warshall_numpy and not ALL_PAIRS_TOO  # if the host is faster
        assert one["device"] == DEVICE or stays and DEVICE in one["reason"], one
    ran.clear()
    call(nx.path_graph(5), backend="hoplite", **{key: 0 for key in keywords})
    assert all(one.fields()["device"] == "" for one in ran), call.__name__  # it was for a while
    return found


def town(directed):
    graph = nx.gnm_random_graph(90, 180, seed=3, directed=directed)
    for number, (_, _, data) in enumerate(graph.edges(data=True)):
        data["weight"] = number * 37 % 11 + 1
    return nx.relabel_nodes(graph, lambda v: v * 7 % 90)


for directed in (False, True):
    graph, source = town(directed), 5
    found = on_device(nx.single_source_dijkstra_path_length, graph, source=source, runs=1)
    assert found == nx.single_source_dijkstra_path_length(graph, source)
    for one in graph, nx.grid_2d_graph(9, 10):  # components, then a search from each
        assert on_device(nx.is_bipartite, one, runs=2) == nx.is_bipartite(one)
    if not directed:
        found = on_device(nx.connected_components, graph, runs=1)
        assert list(found) == list(nx.connected_components(graph))
    found = on_device(nx.floyd_warshall_numpy, graph, runs=1)
    assert (found == nx.floyd_warshall_numpy(graph)).all()
print("all of it on", DEVICE)
"""


def run(device, all_pairs_too, **environment):
    done = subprocess.run([sys.executable, "-c", PROGRAM, device, str(int(all_pairs_too))],
                          env={**os.environ, **environment}, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"all of it on {device}\n"
    return done.stderr


OPENCL = [each.name for each in hoplite.devices() if each.usable and each.name.startswith("opencl")]


@pytest.mark.skipif(not OPENCL, reason="no usable device of OpenCL")
def test_on_every_device_of_opencl():
    for device in OPENCL:
        run(device, False)


@pytest.mark.skipif(not os.environ.get("HOPLITE_TEST_CUDA_LIB"), reason="no driver of PTX")
def test_on_the_interpreter_of_ptx():
    said = run("cuda:0", True, HOPLITE_CUDA_LIB=os.environ["HOPLITE_TEST_CUDA_LIB"],
               HOPLITE_NVRTC_LIB=os.environ["HOPLITE_TEST_NVRTC_LIB"], HOPLITE_CUDA_PTX="1",
               HOPLITE_OPENCL_LIB="no-opencl")
    assert "ptx: " not in said
