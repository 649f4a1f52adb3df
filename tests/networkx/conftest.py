# SPDX-License-Identifier: Apache-2.0
"""What holds for every test of the backend."""

import networkx as nx
import pytest


@pytest.fixture(autouse=True)
def quiet():
    nx.config.warnings_to_ignore.add("cache")
    yield
    nx.config.backend_priority = []
