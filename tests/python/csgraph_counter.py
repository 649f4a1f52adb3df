# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest for SciPy's own tests of csgraph (-p csgraph_counter): puts the functions of
hoplite.csgraph in the place of SciPy's before the tests import them, and prints how many calls of
each ran here, and how many went on to SciPy. Fails the run if one never ran here."""

import scipy.sparse.csgraph

from hoplite import csgraph

csgraph.run_from = 0  # SciPy's tests are small
for name in csgraph.HERE:
    setattr(scipy.sparse.csgraph, name, getattr(csgraph, name))


def pytest_sessionfinish(session, exitstatus):
    here = sum(count for (_, where), count in csgraph.calls.items() if where == "hoplite")
    print(f"\ncalls that ran here: {here}, by SciPy: {sum(csgraph.calls.values()) - here}")
    for name in csgraph.HERE:
        print(f"  {name}: {csgraph.calls[name, 'hoplite']}, {csgraph.calls[name, 'scipy']}")
    # Nothing of SciPy's calls floyd_warshall or the two orders by these names.
    idle = [name for name in csgraph.HERE if not csgraph.calls[name, "hoplite"]
            and name not in ("floyd_warshall", "breadth_first_order", "depth_first_order")]
    if idle:
        print("never ran here: " + ", ".join(idle))
        session.exitstatus = 1
