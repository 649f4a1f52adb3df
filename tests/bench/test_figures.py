# SPDX-License-Identifier: Apache-2.0
"""
Figures with all their series (from the stand-in, since not all variants exist yet): units on the
axes, error bars, logarithmic sizes, no text over other text, series that differ in grey.
"""

import csv
import html.parser
import os
import re

import matplotlib
import pytest
from experiments_testing import STAND_IN, run
from hoplite_bench import document_values, experiment_files, experiment_plan, figure_drawing
from hoplite_bench import figure_points, html_report, machine_rates, raw_rows

# One of each kind of figure.
NAMES = ["rank-growth", "rank-phases", "rank-bandwidth", "components-iterations", "apsp-growth",
         "bfs-compare", "bfs-retries"]
RATES = machine_rates.Rates(
    [{"kind": "rate", "operation": operation, "threads": threads, "elements": elements,
      "bytes_per_second": 1e10, "ns_per_element": elements ** 0.1}
     for operation in ("copy", "gather") for threads in (1, 2) for elements in (2**10, 2**20)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("figures")
    run(path, "run", "--no-report", *NAMES, hoplite=STAND_IN)
    return path


def drawings(folder, name):
    experiment = experiment_files.load(name, "small")
    rows = raw_rows.read(experiment_plan.rows_path(folder, experiment))
    points = figure_points.points_of(experiment, rows)
    values = document_values.of_experiment(document_values.load(), name)
    for figure in experiment.figures:
        drawing = figure_drawing.draw(figure, experiment, points, values, RATES)
        assert drawing is not None, (name, figure["name"])
        drawing.canvas.draw()
        yield figure, drawing


def overlapping(boxes):
    return [(a[0], b[0]) for i, a in enumerate(boxes) for b in boxes[i + 1:]
            if a[1].x0 < b[1].x1 - 0.5 and b[1].x0 < a[1].x1 - 0.5
            and a[1].y0 < b[1].y1 - 0.5 and b[1].y0 < a[1].y1 - 0.5]


def texts(drawing):
    """(text, box) of every text that is seen."""
    found = [t for t in drawing.findobj(matplotlib.text.Text) if t.get_text() and t.get_visible()]
    boxes = []
    for item in found:
        box = item.get_window_extent()
        axes = item.axes
        if box.width and box.height and (axes is None or axes.get_visible()):
            boxes.append((item.get_text(), box))
    return boxes


@pytest.mark.parametrize("name", NAMES)
def test_figures_can_be_read(folder, name):
    for figure, drawing in drawings(folder, name):
        label = f"{name} {figure['name']}"
        page = drawing.bbox
        for axis in drawing.axes:
            if not axis.get_visible():
                continue
            ticks = [(t.get_text(), t.get_window_extent()) for side in (axis.xaxis, axis.yaxis)
                     for t in side.get_ticklabels(which="both") if t.get_text()]
            inside = [(text, box) for text, box in ticks
                      if axis.get_window_extent().padded(40).containsx(box.x0 + box.width / 2)
                      or axis.get_window_extent().padded(40).containsy(box.y0 + box.height / 2)]
            shown = [pair for pair in inside if page.contains(pair[1].x0 + 1, pair[1].y0 + 1)]
            in_range = [pair for pair in shown if not beyond(axis, pair[1])]
            assert not overlapping(in_range), (label, overlapping(in_range))
        title = drawing._suptitle.get_window_extent()
        assert title.x1 <= page.x1, f"{label}: title cut off"
        for legend in drawing.legends:
            box = legend.get_window_extent()
            assert not overlapping([("legend", box), ("title", title)]), label
            for axis in drawing.axes:
                if axis.get_visible():
                    assert not overlapping([("legend", box), ("axes", axis.get_window_extent())])
            assert box.x1 <= page.x1 + 1 and box.y0 >= page.y0 - 1, f"{label}: legend cut off"
        matplotlib.pyplot.close(drawing)


def beyond(axis, box):
    """A tick outside of the axes' range is not drawn."""
    area = axis.get_window_extent()
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return not (area.x0 - 1 <= x <= area.x1 + 1) and not (area.y0 - 1 <= y <= area.y1 + 1)


def test_axes_have_units_scales_and_bars(folder):
    figure, drawing = next(drawings(folder, "rank-growth"))
    axis = drawing.axes[0]
    assert axis.get_ylabel() == "time per element (ns)" and axis.get_xlabel() == "elements"
    assert axis.get_xscale() == "log" and axis.get_yscale() == "log"
    assert len(axis.containers) >= 5, "error bars of each variant"
    labels = [text.get_text().replace("\n", " ") for text in drawing.legends[0].get_texts()]
    assert any(text.startswith("limit: one random read") for text in labels)
    assert figure_drawing.OFF_AXES in labels, "64,000,000 elements are not a small size"
    matplotlib.pyplot.close(drawing)


def test_none_is_seen_too(folder):
    """A queue without retries has a line at 0, where a logarithmic axis has none."""
    figure, drawing = next(drawings(folder, "bfs-retries"))
    assert figure["name"] == "cas_retries"
    axis = drawing.axes[0]
    zeros = [line for line in axis.get_lines()
             if len(line.get_ydata()) and not any(line.get_ydata())]
    assert zeros, "retry-free"
    for line in zeros:
        _, height = axis.transData.transform((line.get_xdata()[0], 0))
        assert axis.bbox.y0 < height < axis.bbox.y0 + 0.2 * axis.bbox.height
    matplotlib.pyplot.close(drawing)


TIMES = ("seconds", "milliseconds", "ns_per_unit", "phase_rate", "phase_seconds_per_gb:",
         "phase_ns_per_transaction:")


@pytest.mark.parametrize("name", experiment_files.names())
def test_figures_of_times_have_the_limit_of_the_machine(name):
    for figure in experiment_files.load(name, "small").figures:
        if figure.get("y", "").startswith(TIMES):
            assert figure.get("limits"), (name, figure["name"])


def test_limits_are_in_the_unit_of_the_figure(folder):
    """The copy rate is 10 GB/s: 4 bytes per arc take 0.4 ns, whatever the figure shows."""
    experiment = experiment_files.load("bfs-compare", "small")
    rows = raw_rows.read(experiment_plan.rows_path(folder, experiment))
    point = figure_points.points_of(experiment, rows)[0]
    limit = {"kind": "copy", "bytes_per_unit": 4}
    for quantity, factor in (("ns_per_unit", 1), ("seconds", point.units * 1e-9),
                             ("milliseconds", point.units * 1e-6)):
        assert figure_drawing.limit_value(limit, quantity, point, RATES) == pytest.approx(
            0.4 * factor)
    drawing = next(drawings(folder, "bfs-compare"))[1]
    assert [text.get_text() for text in drawing.legends[0].get_texts()] == [
        "limit: each arc read once, in order"]
    matplotlib.pyplot.close(drawing)


def test_sizes_without_a_time_are_extended_and_marked(folder):
    experiment = experiment_files.load("apsp-growth", "small")
    rows = raw_rows.read(experiment_plan.rows_path(folder, experiment))
    points = figure_points.points_of(experiment, rows)
    cut = [point for point in points
           if point.row["variant"] != "floyd-warshall" or point.vertices < 128]
    per_pair, speedup = (dict(figure) for figure in experiment.figures[:2])
    lines = figure_points.collect(per_pair, cut, experiment)[""]
    plain = next(series for series in lines.values() if series.variant == "floyd-warshall")
    assert plain.estimated == {128, 192}
    for n in (128, 192):  # the time grows by n^3, and there are n^2 pairs
        assert plain.summary()[n].median == pytest.approx(plain.summary()[64].median * n / 64)
    assert not any(series.estimated for series in lines.values() if series is not plain)
    ratios = figure_points.collect(speedup, cut, experiment)[""]
    assert all(series.estimated == {128, 192} for series in ratios.values())
    assert not any(series.estimated for lines in figure_points.collect(
        per_pair, points, experiment).values() for series in lines.values())
    drawing = figure_drawing.draw(per_pair, experiment, cut, [], RATES)
    assert any("not measured" in text.replace("\n", " ") for text, _ in texts(drawing))


def test_many_series_share_a_look_by_variant():
    """Host, device and device without copies of twelve variants: 36 looks, no two alike."""
    labels = [f"variant {i}{where}" for i in range(12)
              for where in (" (host)", " (opencl:0.0)", " (opencl:0.0), no copies")]
    look = figure_drawing.styles(labels)
    assert len({(colour, marker, str(dash)) for colour, marker, dash in look.values()}) == 36
    for i in range(12):
        assert len({look[label][:2] for label in labels[3 * i:3 * i + 3]}) == 1
    single = figure_drawing.styles([f"stages q={i}" for i in range(20)])
    assert len({(colour, str(dash)) for colour, _, dash in single.values()}) == 20


def test_series_differ_without_colour():
    look = figure_drawing.styles([f"variant {i}" for i in range(12)])
    assert len({marker for _, marker, _ in look.values()}) == 12
    light = sorted(sum(w * int(c[i:i + 2], 16) for i, w in ((1, .299), (3, .587), (5, .114)))
                   for c, _, _ in look.values())
    assert light[-1] - light[0] > 140, "from dark to light"


def test_the_report_draws_every_figure(folder):
    reported = ["rank-growth", "bfs-retries"]
    run(folder, "report", *reported, hoplite=STAND_IN)
    names = sorted(os.listdir(folder / "figures"))
    wanted = [f"{name}-small-{figure['name']}.svg" for name in reported
              for figure in experiment_files.load(name, "small").figures]
    assert names == sorted(wanted + [f"{name[:-4]}.csv" for name in wanted])
    page = (folder / "report-small.html").read_text()
    assert page.count("data:image/svg+xml;base64,") == len(wanted)
    assert "Stated in the documents" in page and "What was run, and what was not" in page


class Page(html.parser.HTMLParser):
    """Ids and links of a page, the texts of its cells, and what follows each figure."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.seen = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids |= {given["id"]} if "id" in given else set()
        self.links += [given["href"]] if "href" in given else []
        self.seen.append(tag)


@pytest.fixture(scope="module")
def page(folder):
    run(folder, "report", *NAMES, hoplite=STAND_IN)
    return (folder / "report-small.html").read_text()


def test_contents_lead_to_every_section_and_files_are_there(folder, page):
    found = Page(page)
    inside = {link[1:] for link in found.links if link.startswith("#")}
    assert {f"{name}-small" for name in NAMES} | {"machine", "documents", "runs"} <= inside
    assert inside <= found.ids
    for link in found.links:
        assert link.startswith("#") or (folder / link).is_file(), link
    assert found.seen.count("h2") == len(inside) + 1, "and the contents themselves"


def test_every_figure_has_its_commands_and_rows(folder, page):
    for name in NAMES:
        experiment = experiment_files.load(name, "small")
        rows = raw_rows.read(experiment_plan.rows_path(folder, experiment))
        points = figure_points.points_of(experiment, rows)
        for figure in experiment.figures:
            identity = f"{name}-small-{figure['name']}"
            shown = page.partition(f"<figure id='{identity}'>")[2].partition("</figure>")[0]
            behind = figure_points.chosen(figure, points)
            with open(folder / "figures" / f"{identity}.csv", newline="", encoding="utf-8") as file:
                lines = list(csv.DictReader(file))
            assert [float(line["seconds"]) for line in lines] == [
                point.row["seconds"] for point in behind] and lines
            for graph in {line["graph"] for line in lines}:
                assert f"hoplite bench {experiment.problem} {graph} --variant" in shown
            assert f"run_experiments run {name}</code>" in shown
            assert f"{len(lines)} runs as CSV" in shown and "<table>" in shown


def test_documents_are_named_by_author_and_year(page):
    for name in ("Yogaratnam 2010", "Cong 2014", "Kemp 2012", "CSE 599 I", "Troendle 2019"):
        assert f"<td class=t>{name}</td>" in page
    assert not re.search(r"\bD[0-4]\b", re.sub(r"base64,[^']*", "", page))


def test_cells_break_after_commas_only(page):
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert "anywhere" not in style and "break-all" not in style
    assert "div.wide,pre{overflow-x:auto" in style  # what is too wide is scrolled
    assert page.count("<table>") == page.count("<div class=wide><table>")
    assert "td span{white-space:nowrap}" in style
    made = html_report.table(["a"], [["list:n=1,min-weight=2"]])
    assert "list:n=1,<wbr><span>min-weight=2</span></td>" in made


@pytest.mark.parametrize("busy, says", [
    ([], "do not say how busy"), ([0.1, 0.2], "Quiet machine: in 2 runs"),
    ([0.1, 0.7, 1.5, 0], "in 2 of 4 runs (50 %) other processes kept 0.25 cores or more busy, "
                         "at most 1.50")])
def test_the_page_begins_with_how_busy_the_machine_was(tmp_path, busy, says):
    experiment = experiment_files.load("rank-growth", "small")
    os.makedirs(tmp_path / "rows")
    for cores in busy:
        raw_rows.append(experiment_plan.rows_path(tmp_path, experiment),
                        {"kind": "run", "outcome": "refused", "variant": "v", "graph": "g",
                         "foreign_cores": cores})
    run(tmp_path, "report", "rank-growth", hoplite=STAND_IN)
    text = (tmp_path / "report-small.html").read_text()
    assert says in text.partition("<nav>")[0]
    assert ("Busy machine in 2 of 4 runs" in text) == (len(busy) == 4)


def mark(**more):
    return document_values.Value("Somebody 1999", "table 1", "a device", "rank-growth",
                                 "ns_per_unit", "ns per element", **more)


def test_a_document_does_not_stretch_the_axes(folder):
    """Values near what was measured are stars where they belong, others arrows at the edge."""
    experiment = experiment_files.load("rank-growth", "small")
    rows = raw_rows.read(experiment_plan.rows_path(folder, experiment))
    points = figure_points.points_of(experiment, rows)
    n = max(point.vertices for point in points)
    figure = experiment.figures[0]

    def axes(*marks):
        drawing = figure_drawing.draw(figure, experiment, points, list(marks), RATES)
        drawing.canvas.draw()
        texts = [text.get_text().replace("\n", " ") for text in drawing.legends[0].get_texts()]
        matplotlib.pyplot.close(drawing)
        marks = [line for line in drawing.axes[0].get_lines() if line.get_markersize() == 11]
        return drawing.axes[0], texts, [line.get_marker() for line in marks]

    plain, _, _ = axes()
    y = plain.get_ylim()[1] * 0.9
    near, texts, stars = axes(mark(x=n, value=y))
    assert near.get_xlim() == plain.get_xlim() and near.get_ylim() == plain.get_ylim()
    assert "Somebody 1999, table 1: , a device" in texts and stars == ["*"]
    for value, x, arrow in ((1e9, n, "^"), (1e-9, n, "v"), (y, n * 1e6, ">"), (1e9, n * 1e6, "d")):
        far, texts, arrows = axes(mark(x=x, value=value))
        assert far.get_xlim() == plain.get_xlim() and far.get_ylim() == plain.get_ylim(), value
        assert figure_drawing.OFF_AXES in texts and arrows == [arrow]
