# SPDX-License-Identifier: Apache-2.0
"""
graph-tool (Debian: python3-graph-tool), in a process of its own.

Its package is made for the system's Python and the NumPy that comes with it, which are others than
those of an environment with the other libraries. So this file is two things: GraphTool, which
starts such a process, and what runs there,

    /usr/bin/python3 graph_tool_peer.py FOLDER THREADS

which reads the graph from FOLDER (graph.npz: n, directed, from, to, weight), says {"ready": true},
and answers each line {"call": ..., "sources": ...} by a call, whose result is put into
FOLDER/answer.npy and whose seconds, of the processor and on the clock, are said. What is timed is
the call alone.
"""

import gc
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

REST = 0.04  # seconds; threads of libgomp spin for some 15 ms before they sleep


class Timed:
    """What a call took in its own process, and its result."""

    def __init__(self, spent, took, values):
        self.spent, self.took, self.values = spent, took, values


class GraphTool:
    """Calls by name; ImportError where the Python has no graph-tool."""

    def __init__(self, given, threads, python="/usr/bin/python3"):
        self.folder = tempfile.TemporaryDirectory()
        start, end, weight = given.pairs()
        np.savez(os.path.join(self.folder.name, "graph.npz"), n=given.n, directed=given.directed,
                 start=start, end=end, weight=weight)
        # The packages of that Python alone.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        try:
            self.child = subprocess.Popen(
                [python, "-B", os.path.abspath(__file__), self.folder.name, str(threads)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        except OSError as error:
            raise ImportError(f"{python}: {error.strerror}") from error
        said = self.hear()
        if "missing" in said:
            self.close()
            raise ImportError(said["missing"])

    def hear(self):
        line = self.child.stdout.readline()
        if not line:
            raise RuntimeError(f"graph-tool ended with {self.child.wait()}")
        return json.loads(line)

    def call(self, name, sources=None):
        print(json.dumps({"call": name, "sources": sources}), file=self.child.stdin, flush=True)
        said = self.hear()
        return Timed(said["spent"], said["took"],
                     np.load(os.path.join(self.folder.name, "answer.npy")))

    def close(self):
        self.child.stdin.close()
        self.child.stdout.close()
        self.child.wait()
        self.folder.cleanup()


def calls_of(graph, weight):
    """Each gives something with the values in `a`."""
    from graph_tool import centrality, topology  # pylint: disable=import-error

    def between(sources, which):  # one call makes those of vertices and of edges
        return centrality.betweenness(graph, pivots=sources)[which]

    return {"closeness": lambda _: centrality.closeness(graph),
            "betweenness": lambda sources: between(sources, 0),
            "edge-betweenness": lambda sources: between(sources, 1),
            "strong-components": lambda _: topology.label_components(graph)[0],
            "spanning-forest": lambda _: topology.min_spanning_tree(graph, weight)}


def main():
    folder, threads = sys.argv[1:]
    try:
        import graph_tool  # pylint: disable=import-error
    except ImportError as error:
        print(json.dumps({"missing": str(error)}), flush=True)
        return
    graph_tool.openmp_set_num_threads(int(threads))
    with np.load(os.path.join(folder, "graph.npz")) as given:
        graph = graph_tool.Graph(directed=bool(given["directed"]))
        graph.add_vertex(int(given["n"]))
        graph.add_edge_list(np.stack((given["start"], given["end"]), 1).astype(np.uint64))
        weight = graph.new_edge_property("double")
        weight.a[:] = given["weight"]
    calls = calls_of(graph, weight)
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        gc.collect()
        time.sleep(REST)
        spent, begin = time.process_time(), time.perf_counter()
        found = calls[asked["call"]](asked["sources"])
        spent, took = time.process_time() - spent, time.perf_counter() - begin
        np.save(os.path.join(folder, "answer.npy"), np.array(found.a))
        print(json.dumps({"spent": spent, "took": took}), flush=True)


if __name__ == "__main__":
    main()
