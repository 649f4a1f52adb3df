# SPDX-License-Identifier: Apache-2.0
"""NetworkX's own tests on the backend, those that call its functions, with the counter that sees
whether they did. tools/networkx_campaign runs all of networkx.algorithms."""

import os
import pathlib
import subprocess
import sys

from hoplite_networkx_info import FUNCTIONS

HERE = pathlib.Path(__file__).parent
FOLDERS = ["shortest_paths", "components", "traversal", "tests.test_distance_measures",
           "tests.test_dag", "tests.test_wiener", "tests.test_efficiency",
           "centrality.tests.test_closeness_centrality",
           "centrality.tests.test_harmonic_centrality", "centrality.tests.test_reaching",
           "centrality.tests.test_group", "centrality.tests.test_betweenness_centrality",
           "tests.test_voronoi", "tests.test_euler",
           "bipartite.tests.test_basic", "tree.tests.test_recognition",
           "tree.tests.test_mst"]
# What may write to its graph NetworkX hands to no backend in its own tests.
NOT_HANDED_OVER = {"barycenter"}
COUNTED = sorted(set(FUNCTIONS) - NOT_HANDED_OVER)
# A graph that is changed while its order is read: the order here is that of before.
CHANGES = "test_topological_sort6"


def upstream(*arguments, **environment):
    path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "call_counter",
         *arguments, "--pyargs", *(f"networkx.algorithms.{folder}" for folder in FOLDERS)],
        env={**os.environ, "PYTHONPATH": path, "NETWORKX_TEST_BACKEND": "hoplite",
             "HOPLITE_COUNT": ",".join(COUNTED),
             "NETWORKX_FALLBACK_TO_NX": "True", **environment},
        capture_output=True, text=True, check=False)


def test_all_pass_and_every_function_ran():
    # The tests of bounds repeat what the others do, 400 times.
    done = upstream("-k", f"not use_bounds_on_off_consistency and not {CHANGES}")
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


def test_the_counter_sees_what_did_not_run():
    done = upstream("-k", "test_bfs and not test_successor", HOPLITE_COUNT="bfs_edges,johnson")
    assert done.returncode == 1
    assert "never ran in the backend: johnson" in done.stdout
