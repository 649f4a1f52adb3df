# SPDX-License-Identifier: Apache-2.0
"""A slice of tools/soak_cluster: 50 ranks killed, two stopped; a checkpoint in each round. What a
job comes to is up to the system, so only this is asked: right, or an error, and right when it is
resumed."""

import os
import subprocess
import sys

SOURCE = os.environ["HOPLITE_SOURCE_DIR"]


def test_ranks_killed_and_stopped():
    done = subprocess.run(
        [sys.executable, f"{SOURCE}/tools/soak_cluster", "--hoplite", os.environ["HOPLITE"],
         "--mpi", os.environ["HOPLITE_MPI"], "--mpirun", os.environ["HOPLITE_MPIRUN"], "--kills",
         os.environ.get("HOPLITE_TEST_KILLS", "50"), "--stops", "2", "--side", "20", "--every",
         "0", "--grace", "0"],
        check=False, capture_output=True, text=True, timeout=1500,
        # Open MPI keeps some memory until the process ends.
        env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all resumed and right" in done.stdout
