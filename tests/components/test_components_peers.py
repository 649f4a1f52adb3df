# SPDX-License-Identifier: Apache-2.0
"""
Components of 2,000 random graphs of all families, by every variant, against scipy, igraph and
networkx. The peers number components as they like; the smallest vertex of each is the label.
"""

import ctypes
import os
import sys

import igraph
import networkx
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "problem"))
from peer_graphs import (CHUNKS, COMPONENTS, arcs_of, check_families,  # noqa: E402
                         check_structs, chunk_numbers, library,  # noqa: F401
                         random_graph, run_of, variants)


class ComponentsOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("run", ctypes.c_void_p)]


def test_structs_are_those_of_the_headers():
    check_structs(("components.h", "hop_components_options", ComponentsOptions))


def test_all_families_are_there(library):  # noqa: F811
    check_families(library)


def by_scipy(n, tails, heads):
    matrix = scipy.sparse.csr_array((np.ones(len(heads)), (tails, heads)), shape=(n, n))
    return scipy.sparse.csgraph.connected_components(matrix, directed=True, connection="weak")[1]


def by_igraph(n, tails, heads):
    graph = igraph.Graph(n=n, edges=np.column_stack((tails, heads)).tolist(), directed=True)
    return np.array(graph.connected_components(mode="weak").membership)


def by_networkx(n, tails, heads):
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(zip(tails.tolist(), heads.tolist()))
    numbers = np.empty(n, np.int64)
    for number, members in enumerate(networkx.weakly_connected_components(graph)):
        numbers[list(members)] = number
    return numbers


PEERS = [by_scipy, by_igraph, by_networkx]


def solve(library, graph, variant):  # noqa: F811
    labels = np.full(graph.vertices, 7, np.uint32)
    count = ctypes.c_uint32()
    run = run_of(variant)
    options = ComponentsOptions(ctypes.sizeof(ComponentsOptions), ctypes.addressof(run))
    library.call("hop_components", graph.handle, ctypes.byref(options), labels.ctypes.data,
                 ctypes.byref(count))
    library.call("hop_components_certify", graph.handle, None, labels.ctypes.data, count)
    return labels, count.value


def check(library, number):  # noqa: F811
    graph, family = random_graph(library, np.random.default_rng([5, number]), number)
    n = graph.vertices
    if n == 0:
        return
    found = {name: solve(library, graph, name) for name in variants(library, COMPONENTS)}
    for peer in PEERS:
        numbers = peer(n, *arcs_of(graph))
        smallest = np.full(n, n)
        np.minimum.at(smallest, numbers, np.arange(n))
        for variant, (labels, count) in found.items():
            what = (family, number, peer.__name__, variant)
            assert np.array_equal(labels, smallest[numbers]), what
            assert count == len(np.unique(numbers)), what


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_as_the_peers_say(library, chunk):  # noqa: F811
    for number in chunk_numbers(chunk):
        check(library, number)
