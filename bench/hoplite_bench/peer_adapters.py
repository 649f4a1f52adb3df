# SPDX-License-Identifier: Apache-2.0
"""
Other libraries on the same graph from the same sources: run as a program of its own, so that a peer
that crashes or sets threads for the whole process harms nothing else.

    python -m hoplite_bench.peer_adapters PEER PROBLEM GRAPH.npz --threads T --warmup W
                                          [--sources a,b,c] [--directed] [--answers x.npy,y.npy]

reads the graph, warms up, says {"ready": true}, and then does one run for each line that it reads:
the number of a source. It answers with one JSON object per run and ends with its input; so whoever
asks decides when it is its turn. What is timed is the peer's own call on the peer's own graph,
built before: no reading, no conversion to or from our arrays. `what` says which call that is. Every
result is compared: with the answers given, one file per source (labels, levels or distances as
the command writes them), else with SciPy's. A difference ends the program with code 3.
"""

import argparse
import json
import os
import sys
import time

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph as csgraph

WRONG = 3


class Unsupported(Exception):
    """The peer has no such thing; the text says what is missing."""


class Input:
    """The graph as SciPy reads it from our file."""

    def __init__(self, path, directed):
        matrix = scipy.sparse.load_npz(path).tocsr()
        self.directed = directed
        self.n = matrix.shape[0]
        self.matrix = scipy.sparse.csr_array(
            (matrix.data.astype(np.float64), matrix.indices, matrix.indptr), shape=matrix.shape)

    def pairs(self):
        """(from, to, weight): each undirected edge once."""
        coo = self.matrix.tocoo()
        keep = slice(None) if self.directed else coo.row <= coo.col
        return coo.row[keep], coo.col[keep], coo.data[keep]


class Scipy:
    def __init__(self, data, threads):
        self.matrix = data.matrix
        self.n = data.n

    def components(self):
        return lambda: csgraph.connected_components(self.matrix, directed=False)[1], \
            "connected_components(directed=False)"

    def bfs(self, source):
        return lambda: csgraph.breadth_first_order(self.matrix, source), "breadth_first_order"

    def levels(self, result, source):
        order, parents = result
        levels = np.full(self.n, -1, dtype=np.int64)
        levels[source] = 0
        for vertex in order[1:]:
            levels[vertex] = levels[parents[vertex]] + 1
        return levels

    def sssp(self, source):
        return lambda: csgraph.dijkstra(self.matrix, indices=source), "dijkstra"

    def apsp(self):
        return lambda: csgraph.shortest_path(self.matrix, method="auto"), \
            "shortest_path(method='auto')"


class Networkit:
    def __init__(self, data, threads):
        import networkit
        self.kit = networkit
        networkit.setNumberOfThreads(threads)
        start, end, weight = data.pairs()
        # It reads the arrays as 64-bit ids without looking at their type.
        start, end = (np.ascontiguousarray(ids, dtype=np.uint64) for ids in (start, end))
        self.graph = networkit.GraphFromCoo((weight, (start, end)), data.n, weighted=True,
                                            directed=data.directed)
        self.plain = networkit.GraphFromCoo((start, end), data.n, directed=data.directed)

    def components(self):
        def call():
            if self.plain.isDirected():
                found = self.kit.components.WeaklyConnectedComponents(self.plain)
            else:
                found = self.kit.components.ConnectedComponents(self.plain)
            found.run()
            return found
        # Its parallel class was five times slower on R-MAT of scale 17.
        return call, "ConnectedComponents.run(), one thread"

    def labels(self, found):
        labels = np.empty(self.plain.numberOfNodes(), dtype=np.int64)
        for number, members in enumerate(found.getComponents()):
            labels[members] = number
        return labels

    def bfs(self, source):
        def call():
            search = self.kit.distance.BFS(self.plain, source, storePaths=False)
            search.run()
            return search
        return call, "distance.BFS(storePaths=False).run()"

    def levels(self, search, source):
        return reach(np.array(search.getDistances()))

    def sssp(self, source):
        def call():
            search = self.kit.distance.Dijkstra(self.graph, source, storePaths=False)
            search.run()
            return search
        return call, "distance.Dijkstra(storePaths=False).run()"

    def distances(self, search):
        return reach(np.array(search.getDistances()), np.inf)

    def apsp(self):
        def call():
            search = self.kit.distance.APSP(self.graph)
            search.run()
            return search
        return call, "distance.APSP.run()"

    def matrix_of(self, search):
        return reach(np.array(search.getDistances(asarray=True)), np.inf)


class Igraph:
    def __init__(self, data, threads):
        import igraph
        start, end, self.weight = data.pairs()
        self.graph = igraph.Graph(n=data.n, edges=np.stack([start, end], 1).astype(np.int64),
                                  directed=data.directed)
        self.weight = self.weight.tolist()

    def components(self):
        return lambda: self.graph.connected_components(mode="weak"), \
            "connected_components(mode='weak')"

    def labels(self, found):
        return np.array(found.membership)

    def bfs(self, source):
        return lambda: self.graph.distances(source=source, mode="out"), "distances(weights=None)"

    def levels(self, result, source):
        return reach(np.array(result[0]))

    def sssp(self, source):
        return lambda: self.graph.distances(source=source, weights=self.weight, mode="out"), \
            "distances(weights)"

    def distances(self, result):
        return np.array(result[0])

    def apsp(self):
        return lambda: self.graph.distances(weights=self.weight, mode="out"), \
            "distances(weights), all vertices"


class Rustworkx:
    def __init__(self, data, threads):
        import rustworkx
        self.rx = rustworkx
        start, end, weight = data.pairs()
        self.n = data.n
        self.graph = rustworkx.PyDiGraph() if data.directed else rustworkx.PyGraph()
        self.graph.add_nodes_from(range(data.n))
        self.graph.add_edges_from(list(zip(start.tolist(), end.tolist(), weight.tolist())))

    def components(self):
        if isinstance(self.graph, self.rx.PyDiGraph):
            return lambda: self.rx.weakly_connected_components(self.graph), \
                "weakly_connected_components"
        return lambda: self.rx.connected_components(self.graph), "connected_components"

    def labels(self, found):
        labels = np.empty(self.n, dtype=np.int64)
        for number, members in enumerate(found):
            labels[list(members)] = number
        return labels

    def bfs(self, source):
        raise Unsupported("breadth-first search only with a Python callback per edge")

    def sssp(self, source):
        self.source = source
        return lambda: self.rx.dijkstra_shortest_path_lengths(self.graph, source, float), \
            "dijkstra_shortest_path_lengths(edge_cost_fn=float): a Python call per edge included"

    def distances(self, result):
        distances = np.full(self.n, np.inf)
        distances[self.source] = 0.0
        for vertex, distance in result.items():
            distances[vertex] = distance
        return distances

    def apsp(self):
        return lambda: self.rx.floyd_warshall_numpy(self.graph, float), \
            "floyd_warshall_numpy(weight_fn=float)"


class Graphblas:
    """SuiteSparse:GraphBLAS through python-graphblas has operations, not algorithms: the loops
    below are ours, in the manner of LAGraph's simple ones. They are no measure of LAGraph."""

    def __init__(self, data, threads):
        import graphblas
        self.gb = graphblas
        graphblas.ss.config["nthreads"] = threads
        start, end, _ = data.pairs()
        coo = data.matrix.tocoo()
        self.n = data.n
        self.directed = data.directed
        self.weighted = graphblas.Matrix.from_coo(coo.row, coo.col, coo.data, nrows=data.n,
                                                  ncols=data.n)
        self.plain = graphblas.Matrix.from_coo(coo.row, coo.col, True, nrows=data.n, ncols=data.n)

    def components(self):
        if self.directed:
            raise Unsupported("weak components of a directed graph")
        return self.smallest_labels, "loop of label propagation with shortcuts (min-second)"

    def smallest_labels(self):
        gb = self.gb
        label = gb.Vector.from_dense(np.arange(self.n, dtype=np.int64))
        while True:
            least = gb.semiring.min_second(self.plain @ label).new()
            new = label.ewise_add(least, gb.binary.min).new()
            while True:  # shortcut: the label of the label
                jump = new[new.to_dense()].new()
                if jump.isequal(new):
                    break
                new = jump
            if new.isequal(label):
                return label
            label = new

    def labels(self, label):
        return label.to_dense()

    def bfs(self, source):
        def call():
            gb = self.gb
            level = gb.Vector(int, self.n)
            frontier = gb.Vector(bool, self.n)
            frontier[source] = True
            depth = 0
            while frontier.nvals:
                level(frontier.S) << depth
                frontier(~level.S, replace=True) << gb.semiring.any_pair(frontier @ self.plain)
                depth += 1
            return level
        return call, "loop of any-pair products with a mask"

    def levels(self, level, source):
        return level.to_dense(fill_value=-1)

    def sssp(self, source):
        def call():
            gb = self.gb
            distance = gb.Vector(float, self.n)
            distance[source] = 0.0
            while True:
                before = distance.dup()
                distance(gb.binary.min) << gb.semiring.min_plus(distance @ self.weighted)
                if distance.isequal(before):
                    return distance
        return call, "Bellman-Ford loop of min-plus products"

    def distances(self, distance):
        return distance.to_dense(fill_value=np.inf)

    def apsp(self):
        raise Unsupported("no all-pairs operation")


PEERS = {"scipy": Scipy, "networkit": Networkit, "igraph": Igraph, "rustworkx": Rustworkx,
         "graphblas": Graphblas}


def reach(values, unreached=-1):
    """Unreached as the others have it: some have infinity, some the largest double."""
    values = np.array(values, dtype=np.float64)
    values[values > 1e300] = unreached
    return values


def smallest_member(labels):
    """Any labels to canonical ones: the smallest vertex of the component."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return first[inverse]


def answer(peer, problem, result, source):
    """The result of a peer in one form for all."""
    if problem == "components":
        return smallest_member(peer.labels(result) if hasattr(peer, "labels") else result)
    if problem == "bfs":
        return peer.levels(result, source)
    if problem == "sssp":
        return peer.distances(result) if hasattr(peer, "distances") else result
    return np.asarray(peer.matrix_of(result) if hasattr(peer, "matrix_of") else result)


def given_answer(path, problem):
    """An array that the command wrote; unreached is its largest value."""
    values = np.load(path)
    if problem == "components":
        return values
    far = values == np.iinfo(values.dtype).max if values.dtype.kind in "iu" else np.isinf(values)
    return np.where(far, -1.0 if problem == "bfs" else np.inf, values)


def expected(data, problem, source):
    """From SciPy, where no answer was given."""
    if problem == "components":
        return smallest_member(csgraph.connected_components(data.matrix, directed=False)[1])
    if problem == "bfs":
        hops = csgraph.dijkstra(data.matrix, indices=source, unweighted=True)
        return np.where(np.isinf(hops), -1, hops)
    if problem == "sssp":
        return csgraph.dijkstra(data.matrix, indices=source)
    return csgraph.dijkstra(data.matrix)


def be_undisturbed(priority):
    """Real time from here on, for the threads that there are and those that they will make."""
    for thread in os.listdir("/proc/self/task") if priority else []:
        os.sched_setscheduler(int(thread), os.SCHED_RR, os.sched_param(priority))


def measure(peer, problem, source):
    """One run: (seconds, result, what)."""
    call, what = getattr(peer, problem)(*([] if source is None else [source]))
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result, what


def checked_run(peer, problem, sources, right, index):
    """One run from a source, compared; what is told about it."""
    seconds, result, what = measure(peer, problem, sources[index])
    same = bool(np.array_equal(answer(peer, problem, result, sources[index]), right[index]))
    return {"source_index": index, "seconds": seconds, "what": what, "same": same}


def tell(said):
    print(json.dumps(said), flush=True)
    if not said.get("same", True):
        sys.exit(WRONG)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("problem")
    parser.add_argument("graph")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--warmup", type=int, default=1)
    parser.add_argument("--sources", default="")
    parser.add_argument("--directed", action="store_true")
    parser.add_argument("--answers", default="")
    parser.add_argument("--realtime", type=int, default=0)
    options = parser.parse_args()
    sources = [int(word) for word in options.sources.split(",") if word] or [None]
    try:
        data = Input(options.graph, options.directed)
        peer = PEERS[options.peer](data, options.threads)
        files = [word for word in options.answers.split(",") if word]
        right = [given_answer(files[index], options.problem) if files
                 else expected(data, options.problem, source)
                 for index, source in enumerate(sources)]
        be_undisturbed(options.realtime)
        for _ in range(options.warmup):
            for index in range(len(sources)):
                said = checked_run(peer, options.problem, sources, right, index)
                if not said["same"]:
                    tell(said)
        tell({"ready": True})
        for line in sys.stdin:
            tell(checked_run(peer, options.problem, sources, right, int(line)))
    except (Unsupported, ImportError) as reason:
        tell({"unsupported": str(reason)})


if __name__ == "__main__":
    main()
