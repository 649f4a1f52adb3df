# SPDX-License-Identifier: Apache-2.0
"""What the library has, as Python shows it: variants, families, formats, devices, plans; and how
graphs and results look in a notebook."""

import html.parser
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import hoplite

PROBLEMS = ("rank", "components", "bfs", "sssp", "apsp")


def command(*words):
    done = subprocess.run([os.environ["HOPLITE"], *words], capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_variants_are_those_of_the_command(problem):
    listed = command("variants", problem, "--json")["variants"]
    ours = hoplite.variants(problem)
    assert [(one["name"], one["place"]) for one in listed] == [(v.name, v.place) for v in ours]
    for variant in ours:
        assert variant.summary
        for parameter in variant.parameters:
            assert parameter.type in ("integer", "real", "flag", "choice")
            if parameter.type == "choice":
                assert parameter.default in parameter.choices
            else:
                assert parameter.minimum <= parameter.default <= parameter.maximum


@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_host_variant_gives_the_same_answer(problem, tmp_path):
    # Of apsp without weights, which all of its variants take.
    graph = hoplite.generate.road(12, 12, weights=None if problem == "apsp" else "int32")
    links = hoplite.generate.list(3000)
    answers = []
    for variant in hoplite.variants(problem):
        if variant.place != "host":
            continue
        how = {"variant": variant.name, "certify": True}
        if problem == "rank":
            result = hoplite.rank(links, **how).ranks
        elif problem in ("bfs", "sssp"):
            result = getattr(hoplite, problem)(graph, 5, **how).parents
        elif problem == "components":
            result = hoplite.components(graph, **how).labels
        else:
            result = hoplite.apsp(graph, scratch=tmp_path / "matrix", **how).distances
        answers.append(result)
    assert len(answers) >= 2 and all((answer == answers[0]).all() for answer in answers)


def test_formats_and_families():
    names = [form.name for form in hoplite.formats()]
    assert "npz" in names and len(names) == len(set(names)) >= 8
    assert all(form.can_read or form.can_write for form in hoplite.formats())
    for family in hoplite.families():
        required = {one.name: 9 for one in family.parameters if one.required}
        if "delta" in required:
            required = {"m": 12, "delta": 0.1}
        if not family.is_list and family.name != "fanout":
            assert hoplite.generate.graph(family.name, required).vertices > 0
    assert hoplite.generate.fanout(100).vertices == 100
    assert hoplite.generate.rmat(5, seed=3).hash() != hoplite.generate.rmat(5, seed=4).hash()
    with pytest.raises(hoplite.ArgumentError, match="did you mean"):
        hoplite.generate.graph("rmatt", {})
    with pytest.raises(ValueError, match="weights must be"):
        hoplite.generate.grid(2, 2, weights="int8")


def test_devices():
    found = hoplite.devices()
    if not found:
        assert "OpenCL" in found.advice
    for device in found:
        assert device.type in ("cpu", "gpu", "other") and device.usable == (not device.reason)
    with pytest.raises(hoplite.DeviceError, match="no such device"):
        hoplite.components(hoplite.generate.grid(3, 3), device="opencl:77.0", variant="graft")


def test_plans_run_nothing():
    graph = hoplite.generate.rmat(12, weights="float64")
    for problem in PROBLEMS:
        plan = hoplite.explain(problem, [1, 2, 2] if problem == "rank" else graph)
        assert plan.variant in [v.name for v in hoplite.variants(problem)]
        assert plan.reason and plan.seconds == 0
    for problem, call in (("bfs", hoplite.bfs), ("sssp", hoplite.sssp)):  # and needs as much
        ran = call(graph, 0).report
        assert hoplite.explain(problem, graph, 0, variant=ran.variant).memory_bytes == \
            call(graph, 0, variant=ran.variant).report.memory_bytes
    assert hoplite.explain("sssp", graph, variant="bellman-ford").variant == "bellman-ford"
    negative = hoplite.Graph.from_edges([0], [1], [-1], directed=True)
    with pytest.raises(hoplite.Error, match="dijkstra"):
        hoplite.explain("sssp", negative, variant="dijkstra")
    with pytest.raises(ValueError, match="problem must be"):
        hoplite.explain("flow", graph)
    with pytest.raises(TypeError, match="hoplite.Graph"):
        hoplite.explain("bfs", 3)


class Balanced(html.parser.HTMLParser):
    """Every tag is closed by its own."""

    def __init__(self):
        super().__init__()
        self.open, self.tags = [], []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def results():
    graph = hoplite.generate.rmat(9, weights="int32")
    yield hoplite.bfs(graph, 1)
    yield hoplite.components(graph)
    yield hoplite.sssp(graph, 1)
    yield hoplite.apsp(hoplite.generate.road(6, 6, weights="float32"))
    yield hoplite.rank(hoplite.generate.list(500))
    lonely = hoplite.Graph.from_edges([], vertices=1)
    yield hoplite.bfs(lonely, [])
    yield hoplite.sssp(lonely, [])
    yield hoplite.components(hoplite.Graph.from_edges([]))
    yield hoplite.apsp(hoplite.Graph.from_edges([]))
    yield hoplite.sssp(hoplite.generate.list_graph(100), 0)


def test_notebook():
    for result in results():
        assert repr(result).startswith(f"<hoplite.{type(result).__name__}: ")
        page = Balanced()
        page.feed(result._repr_html_())
        assert page.open == [] and page.tags.count("table") == 2
        title, names, counts = result._bars()
        assert title and len(names) == len(counts)
    deep = hoplite.bfs(hoplite.generate.list_graph(5000), 0)
    assert deep._repr_html_().count("<tr>") < 40  # many levels are put together
    total = sum(hoplite.sssp(hoplite.generate.road(9, 9, weights="int32"), 0)._bars()[2])
    assert total == hoplite.generate.road(9, 9).vertices


def test_plots():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    for result in results():
        axes = result.plot()
        assert axes.get_title() and len(axes.patches) == len(result._bars()[2])
        heights = [bar.get_height() for bar in axes.patches]
        assert np.array_equal(heights, result._bars()[2])
        assert result.plot(ax=axes) is axes
        pyplot.close("all")


@pytest.mark.parametrize("counts", [[1, 29743], [29743, 1200, 5], [9, 10]])
def test_numbers_of_bars_are_within_the_frame(counts):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    _, axes = pyplot.subplots(figsize=(5, 2.5), layout="constrained")
    hoplite._plot.bar_plot("counts", [str(count) for count in counts], counts, axes)
    axes.figure.canvas.draw()
    assert max(text.get_window_extent().y1 for text in axes.texts) < axes.bbox.y1
    pyplot.close("all")


def test_a_plot_of_degrees():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    graph = hoplite.Graph.from_edges([0, 0, 0, 1, 1], [1, 2, 3, 2, 5], directed=True)
    axes = graph.plot()
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0", "1", "2–3"]
    assert [bar.get_height() for bar in axes.patches] == [4, 0, 2]
    assert axes.get_title() == "vertices by out-degree"
    matplotlib.pyplot.close("all")


def test_a_plot_without_matplotlib_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    for one in [*results(), hoplite.generate.road(9, 9)]:
        with pytest.raises(ModuleNotFoundError, match="python -m pip install matplotlib"):
            one.plot()
