# SPDX-License-Identifier: Apache-2.0
"""Histograms as numbers, bars and pictures; sources that are drawn; the largest components."""

import collections
import os
import re
import xml.etree.ElementTree as xml

import networkx as nx
import numpy as np
import pytest
from cli_testing import USAGE, refuse, run, run_json


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """Parts of several sizes, ids with gaps, weights; (path, the same for NetworkX)."""
    path = tmp_path_factory.mktemp("graph") / "graph.txt"
    made = nx.relabel_nodes(nx.gnm_random_graph(400, 330, seed=9), lambda v: 3 * v + 1)
    made.remove_nodes_from(list(nx.isolates(made)))
    for u, v in made.edges:
        made[u][v]["weight"] = 1 + (u * v) % 13
    path.write_text("".join(f"{u} {v} {w}\n" for u, v, w in made.edges.data("weight")))
    return path, made


def components(made):
    """(size, smallest vertex), largest first."""
    parts = [(len(part), min(part)) for part in nx.connected_components(made)]
    return sorted(parts, key=lambda part: (-part[0], part[1]))


def counted(rows, values, things):
    """That a histogram holds these values, and nothing twice."""
    assert sum(row[things] for row in rows) == len(values)
    for before, after in zip(rows, rows[1:]):
        assert before["to"] + 1 == after["from"]
    for row in rows:
        assert row[things] == sum(row["from"] <= value <= row["to"] for value in values)


@pytest.mark.parametrize("top", [1, 3, 20, 10000])
def test_largest_components(graph, top):
    path, made = graph
    expected = components(made)[:top]
    found = run_json("components", path, "--top", top)
    assert [(part["size"], part["vertex"]) for part in found["largest"]] == expected
    out, _ = run("components", path, "--top", top)
    told = re.findall(r"([\d,]+) vertices \(.*?\), with vertex (\d+)", out)
    assert [(int(size.replace(",", "")), int(v)) for size, v in told] == expected


def test_histograms(graph):
    path, made = graph
    sizes = [size for size, _ in components(made)]
    counted(run_json("components", path)["size_histogram"], sizes, "components")
    degrees = [degree for _, degree in made.degree]
    counted(run_json("info", path)["graph"]["degree_histogram"], degrees, "vertices")
    source = components(made)[0][1]
    distances = list(nx.single_source_dijkstra_path_length(made, source).values())
    found = run_json("sssp", path, "--source", source)["distance_histogram"]
    counted(found, distances, "vertices")
    assert 2 <= len(found) <= 16 and found[-1]["to"] == max(distances)
    levels = collections.Counter(nx.single_source_shortest_path_length(made, source).values())
    assert run_json("bfs", path, "--source", source)["level_sizes"] == [
        levels[i] for i in range(len(levels))]


def test_distances_that_are_no_whole_numbers(tmp_path):
    path = tmp_path / "graph.txt"
    path.write_text("".join(f"{i} {i + 1} 0.5\n" for i in range(40)) + "50 51 -1.5\n")
    rows = run_json("sssp", path, "--directed", "--source", 0)["distance_histogram"]
    assert len(rows) == 16 and rows[0]["from"] == 0 and rows[-1]["to"] == 20
    assert all(before["to"] == after["from"] for before, after in zip(rows, rows[1:]))
    assert sum(row["vertices"] for row in rows) == 41
    rows = run_json("sssp", path, "--directed", "--source", 50)["distance_histogram"]
    assert rows[0]["from"] == -1.5 and rows[0]["vertices"] == 1 and rows[-1]["vertices"] == 1
    rows = run_json("sssp", path, "--directed", "--source", 51)["distance_histogram"]
    assert rows == [{"from": 0, "to": 0, "vertices": 1}]


@pytest.mark.parametrize("verb, things", [("info", "vertices"), ("components", "components"),
                                          ("bfs", "vertices"), ("sssp", "vertices")])
def test_pictures(graph, tmp_path, verb, things):
    path, _ = graph
    file = tmp_path / "a & b.svg"
    plain, _ = run(verb, path)
    out, _ = run(verb, path, "--plot", file)
    times = re.compile(r"opened.*|checked.*")
    assert times.sub("", out) == times.sub("", plain)  # what else is written changes nothing
    root = xml.parse(file).getroot()
    bars = [bar.find("{*}title").text for bar in root.iter("{http://www.w3.org/2000/svg}rect")
            if bar.find("{*}title") is not None]
    shown = re.findall(r"^ *([\d,]+(?: - [\d,]+)?) +([\d,]+) +[<\d]", out, re.M)
    assert bars == [f"{low}: {count}" for low, count in shown] and len(bars) > 2
    texts = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert any(things in text for text in texts)
    assert sorted(tmp_path.iterdir()) == [file]
    for name in ("x.png", "x", "no/folder.svg"):
        refuse(verb, path, "--plot", tmp_path / name, code=None)
    said = refuse(verb, path, "--plot", "a.b/x.png", code=2)
    assert "`rsvg-convert -o a.b/x.png a.b/x.svg` makes a PNG of it" in said
    assert "--plot .png.svg," in refuse(verb, path, "--plot", ".png", code=2)
    assert sorted(tmp_path.iterdir()) == [file]


def test_words_of_a_picture_are_apart(tmp_path):
    """Long ranges end above the line that says what they are of; the scale has round numbers."""
    (tmp_path / "g.txt").write_text("".join(f"{i} {i + 1} 900719925474\n" for i in range(16736)))
    run("sssp", tmp_path / "g.txt", "--source", 0, "--plot", tmp_path / "long.svg")
    root = xml.parse(tmp_path / "long.svg").getroot()
    texts = list(root.iter("{http://www.w3.org/2000/svg}text"))
    lowest = max(320 + 16 + 0.57 * 6.6 * len(text.text) for text in texts if text.get("transform"))
    named = next(text for text in texts if text.text == "distance")
    assert lowest < float(named.get("y")) - 8 < float(root.get("height")) - 8
    ticks = [int(text.text.replace(",", "")) for text in texts if text.get("text-anchor") == "end"
             and not text.get("transform")]
    assert ticks == [200 * i for i in range(len(ticks))] and len(ticks) >= 5


def texts_of(file):
    return list(xml.parse(file).getroot().iter("{http://www.w3.org/2000/svg}text"))


def test_ranges_that_have_room_are_not_slanted(tmp_path):
    (tmp_path / "g.txt").write_text("0 1\n1 2\n2 3\n3 4\n")
    run("bfs", tmp_path / "g.txt", "--source", 0, "--plot", tmp_path / "few.svg")
    texts = texts_of(tmp_path / "few.svg")
    assert not any(text.get("transform") for text in texts)
    assert [text.text for text in texts if text.get("y") == "336"] == ["0", "1", "2", "3", "4"]


def test_a_long_title_keeps_its_end(tmp_path):
    folder = tmp_path / ("ä" * 100)
    folder.mkdir()
    (folder / "g.txt").write_text("0 1\n")
    run("info", folder / "g.txt", "--plot", tmp_path / "long.svg")
    title = texts_of(tmp_path / "long.svg")[0].text
    assert title.startswith("…ä") and title.endswith("ä/g.txt: degrees") and len(title) == 71


def test_a_name_that_is_no_utf8_is_in_a_picture(tmp_path):
    path = os.fsencode(tmp_path) + b"/b\xe4r.txt"
    with open(path, "w") as file:
        file.write("0 1\n")
    run("info", os.fsdecode(path), "--plot", tmp_path / "made.svg")
    assert texts_of(tmp_path / "made.svg")[0].text.endswith("/b?r.txt: degrees")


@pytest.mark.parametrize("pairs, told", [(99, False), (101, True)])
def test_one_component_among_many_is_seen(pairs, told, tmp_path):
    (tmp_path / "g.txt").write_text("".join(f"{2 * i} {2 * i + 1}\n" for i in range(pairs)) +
                                    "900 901\n901 902\n902 903\n")
    run("components", tmp_path / "g.txt", "--plot", tmp_path / "sizes.svg")
    texts = texts_of(tmp_path / "sizes.svg")
    assert any("logarithmic" in (text.text or "") for text in texts) == told


@pytest.mark.parametrize("verb", ["bfs", "sssp"])
def test_drawn_sources(graph, verb):
    path, made = graph
    drawn = [run_json(verb, path, "--source", "random", "--seed", seed) for seed in range(30)]
    sources = [one["sources"][0] for one in drawn]
    assert all(v in made for v in sources) and len(set(sources)) > 20
    assert [one["seed"] for one in drawn] == list(range(30))
    assert run_json(verb, path, "--source", "random", "--seed", 7)["sources"] == [sources[7]]
    out, _ = run(verb, path, "--source", "random", "--seed", 7)
    assert f"{sources[7]}, drawn by seed 7\n" in out
    two = run_json(verb, path, "--source", "random", "--source", "random")
    assert two["sources_drawn"] == 2 and two["sources"][0] != two["sources"][1]


def test_within_the_largest(graph):
    path, made = graph
    largest = max(nx.connected_components(made), key=len)
    for seed in range(10):
        found = run_json("bfs", path, "--source", "random", "--within-largest", "--seed", seed)
        assert found["sources"][0] in largest
        assert found["reached"] == found["largest_component"] == len(largest)
    found = run_json("bfs", path, "--within-largest")
    assert found["sources"][0] == min(largest, key=lambda v: (-made.degree[v], v))
    outside = next(v for v in made if v not in largest)
    refuse("bfs", path, "--within-largest", "--source", outside, code=USAGE,
           says=["is not in the largest component"])


def test_a_vertex_that_is_called_random(tmp_path):
    path = tmp_path / "graph.csv"
    path.write_text("random,a\na,b\n")
    assert run_json("bfs", path, "--source", "random")["sources"] == ["random"]
    assert np.sum(run_json("bfs", path, "--source", "random")["sources_drawn"]) == 0
