# SPDX-License-Identifier: Apache-2.0
"""Every variant has a row in the table of its problem's page, with the places that it runs at, and
no page has one that is not there."""

import json
import os
import pathlib
import re
import subprocess

import pytest

DOCS = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"]) / "docs"


@pytest.mark.parametrize("problem", ["rank", "components", "bfs", "sssp", "apsp"])
def test_page_names_the_variants(problem):
    page = DOCS / f"{problem}.md"
    if not page.exists():
        pytest.xfail(f"there is no page docs/{problem}.md yet")
    printed = subprocess.run([os.environ["HOPLITE"], "variants", problem, "--json"], check=True,
                             capture_output=True, text=True).stdout
    variants = [(row["name"], row["place"]) for row in json.loads(printed)["variants"]]
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (host|device|host, device) ", page.read_text(), re.M)
    named = [(name, place) for name, places in rows for place in places.split(", ")]
    assert sorted(named) == sorted(variants)
