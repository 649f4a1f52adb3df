# SPDX-License-Identifier: Apache-2.0
"""
Draws the figures with matplotlib: curves, dot plots, stacked phases. Points are medians, bars the
quartiles. Axes over sizes are logarithmic. Colours differ in lightness and every series has a
marker and a dash of its own, so that a copy in grey still tells them apart. Legends stand outside
of the axes, where nothing can be under them.
"""

import io
import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter  # noqa: E402
from matplotlib.ticker import NullLocator  # noqa: E402

from . import figure_points  # noqa: E402
from .row_summary import summarise  # noqa: E402

# Lightness steps, dark and light in turn.
COLOURS = ["#101010", "#0f4c9c", "#d95f02", "#1b8a5a", "#7b3fa0", "#e0a800", "#5aaee0", "#b0174b",
           "#7a7a7a", "#3d5c00", "#ff9e80", "#00a3a3"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "d", "p"]
DASHES = ["-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1))]
HATCHES = ["", "///", "...", "\\\\\\", "xx", "++", "oo", "--", "**", "||"]
SIZES = {"font.size": 9, "axes.titlesize": 9.5, "axes.labelsize": 9, "legend.fontsize": 8,
         "axes.grid": True, "grid.color": "#dddddd", "axes.axisbelow": True,
         "svg.hashsalt": "hoplite", "figure.constrained_layout.use": True}


def family(label):
    """The variant of a label that also says where, or that copies are left out."""
    return label.partition(" (")[0].partition(", ")[0]


def styles(labels):
    """Colour, marker and dash of each series. Where there are more than colours, those of one
    variant share colour and marker, and dashes tell where it ran."""
    names = sorted(labels)
    if len(names) <= len(COLOURS):
        return {label: (COLOURS[i], MARKERS[i], DASHES[i % len(DASHES)])
                for i, label in enumerate(names)}
    families = sorted({family(label) for label in names})
    look, members = {}, {}
    for label in names:
        i = families.index(family(label))
        within = members[i] = members.get(i, -1) + 1
        look[label] = (COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)],
                       DASHES[(within if len(families) <= len(COLOURS) else i) % len(DASHES)])
    return look


def short(number, _=None):
    """1048576 as 1.05M: for ticks."""
    for factor, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= factor:
            return f"{number / factor:.3g}{suffix}"
    return f"{number:.3g}"


def draw(figure, experiment, points, values, rates):
    """Returns a matplotlib figure, or None when there is nothing to show."""
    with plt.rc_context(SIZES):
        kind = figure.get("kind", "lines")
        if kind == "phases":
            return draw_phases(figure, experiment, points)
        figure = figure_points.readable_unit(figure, figure_points.chosen(figure, points))
        panels = figure_points.collect(figure, points, experiment)
        panels = {name: lines for name, lines in panels.items() if lines}
        if not panels:
            return None
        marks = [value for value in values if value.quantity == figure["y"]]
        if kind == "bars":
            return draw_dots(figure, experiment, panels, marks, points, rates)
        return draw_lines(figure, experiment, panels, marks, points, rates)


LEGEND = 2.4  # inches
TITLE_COLUMNS = 12.5  # characters of a title per inch


def panel_grid(count, width=4.6, height=3.5, legend=LEGEND):
    columns = min(count, 2)
    lines = math.ceil(count / columns)
    drawing, axes = plt.subplots(lines, columns, squeeze=False, sharey=True,
                                 figsize=(width * columns + legend, height * lines + 0.5))
    flat = [axis for line in axes for axis in line]
    for axis in flat[count:]:
        axis.set_visible(False)
    return drawing, flat[:count]


def draw_lines(figure, experiment, panels, marks, points, rates):
    drawing, axes = panel_grid(len(panels))
    look = styles({label for lines in panels.values() for label in lines})
    handles, dashed = {}, None
    xs = [x for lines in panels.values() for series in lines.values() for x in series.values]
    if any(not isinstance(x, (int, float)) for x in xs):
        raise ValueError(f"{figure['name']}: x is not a number; use kind = 'bars'")
    for axis, (name, lines) in zip(axes, panels.items()):
        for label, series in sorted(lines.items()):
            handles[label] = draw_series(axis, series, look[label])
            dashed = draw_estimates(axis, series, look[label]) or dashed
        draw_limits(axis, figure, experiment, name, points, rates, handles)
        if figure["y"] in ("speedup", "phase_speedup"):
            ends = [1, max(x for series in lines.values() for x in series.values)]
            handles["ideal"] = axis.plot(ends, ends, color="#999999", lw=1)[0]
        here = {x for series in lines.values() for x in series.values}
        finish_axis(axis, figure, experiment, name, sorted(here))
    scale_values(axes, panels)
    ends = [room_for_marks(axis) for axis in axes]  # of all, before the first mark: they share y
    for axis, (name, lines), area in zip(axes, panels.items(), ends):
        draw_marks(axis, marks, name, lines, look, handles, figure, area)
    for axis in axes:
        if axis.get_yscale() == "log":
            ticks_within_decades(axis.yaxis, axis.get_ylim())
    if dashed:
        handles["thin and dashed: not measured, but extended from the largest measured size by n "
                f"to the power of {figure['extend']['power']}"] = dashed
    finish(drawing, figure, experiment, handles)
    return drawing


def draw_series(axis, series, look):
    colour, marker, dash = look
    summary = series.summary()
    xs = [x for x in summary if x not in series.estimated]
    middle = [summary[x].median for x in xs]
    below = [summary[x].median - summary[x].lower for x in xs]
    above = [summary[x].upper - summary[x].median for x in xs]
    hollow = series.place == "peer" or series.label.endswith(", no copies")
    return axis.errorbar(xs, middle, yerr=[below, above], color=colour, marker=marker, ls=dash,
                         ms=5.5, lw=1.3, capsize=3, mfc="white" if hollow else colour)


def draw_estimates(axis, series, look):
    """What was not measured: thin, dashed, small hollow markers, from the last measured one on."""
    if not series.estimated:
        return None
    summary = series.summary()
    measured = [x for x in summary if x not in series.estimated]
    xs = measured[-1:] + sorted(series.estimated)
    dashed, = axis.plot(xs, [summary[x].median for x in xs], color=look[0], lw=0.9, ls=(0, (3, 3)),
                        zorder=1)
    axis.plot(xs[len(measured[-1:]):], [summary[x].median for x in sorted(series.estimated)],
              color=look[0], marker=look[1], mfc="white", ms=3, ls="", mew=0.8)
    return dashed


def draw_limits(axis, figure, experiment, panel, points, rates, handles):
    """What the machine could do at best, from its measured rates."""
    used = [point for point in points if figure.get("panels") != "graph"
            or point.request.label == panel]
    if not used or not rates.values:
        return
    for number, limit in enumerate(figure.get("limits", [])):
        ends = {}
        for point in used:
            ends.setdefault(figure_points.x_of(figure, point), []).append(
                limit_value(limit, figure["y"], point, rates))
        ends.pop(None, None)
        xs = sorted(ends)
        if not xs or None in ends[xs[0]]:
            continue
        ys = [min(ends[x]) for x in xs]
        if len(xs) == 1:
            xs, ys = [xs[0] * 0.8, xs[0] * 1.25], ys * 2
        text = f"limit: {limit['text']}"
        handles[text] = axis.plot(xs, ys, color="#555555", lw=4, alpha=0.35,
                                  ls=["-", (0, (1, 0.6))][number % 2])[0]


PER_SECOND = {"seconds": 1e-9, "milliseconds": 1e-6, "microseconds": 1e-3}


def limit_value(limit, quantity, point, rates):
    """The least that a run can take by a measured rate, in the unit of the figure; None where the
    rate was not measured. A rate of the machine stands for itself."""
    threads = point.row["threads"]
    copy = rates.copy_rate(threads)
    if copy is None:
        return None
    if limit["kind"] == "copy_rate":
        return copy / 1e9
    if limit["kind"] == "gather":
        each = limit["per_unit"] * rates.gather(threads, point.vertices)
    else:
        each = limit["bytes_per_unit"] / copy * 1e9
    if quantity.startswith("phase_seconds_per_gb"):
        return 1e9 / copy
    return each * (point.units * PER_SECOND[quantity] if quantity in PER_SECOND else 1)


def draw_dot_limits(axis, figure, names, points, rates):
    """A grey line through the rows of each graph, from its largest member. Returns handles."""
    handles = {}
    chosen = figure_points.chosen(figure, points)
    for number, limit in enumerate(figure.get("limits", [])):
        for category, begin, count in names:
            values = [limit_value(limit, figure["y"], point, rates) for point in chosen
                      if point.attributes.get("graph") == category]
            if not values or None in values:
                continue
            handles[f"limit: {limit['text']}"] = axis.vlines(
                max(values), begin - 0.5, begin + count - 0.5, color="#555555", lw=4, alpha=0.35,
                ls=["-", (0, (1, 0.6))][number % 2])
    return handles


MARK_ROOM = 0.25  # of an axis: as far as a document's value may stretch it


def stretched(axis, ends):
    """The ends of an axis, each further out by the room that a mark may take."""
    scale = axis.get_transform()
    low, high = scale.transform(ends)
    room = MARK_ROOM * (high - low)
    return tuple(scale.inverted().transform([low - room, high + room]))


def room_for_marks(axis):
    """Where marks may be, and the ends of x and y as measured, which they keep to beyond that."""
    ends = axis.get_xlim(), axis.get_ylim()
    axis.autoscale(False)
    return [(stretched(side, there), there) for side, there in zip((axis.xaxis, axis.yaxis), ends)]


def placed(value, room):
    """Where on an axis a mark is drawn: at its value, or at the end of what was measured when it is
    far outside. Returns (place, -1 or 1 for beyond which end, 0 for within)."""
    (low, high), (first, last) = room
    return (first, -1) if value < low else (last, 1) if value > high else (value, 0)


OFF_AXES = "arrow at the edge: a document's value beyond it, in the table below"
BEYOND = {(0, 0): "*", (1, 0): ">", (-1, 0): "<", (0, 1): "^", (0, -1): "v"}


def draw_marks(axis, marks, panel, lines, look, handles, figure, area):
    """The documents' values: stars, in the colour of the variant where it is there. One far from
    all that was measured does not stretch the axes: an arrow at the edge leads to the table."""
    for mark in marks:
        if mark.graph and figure.get("panels") == "graph" and mark.graph != panel:
            continue
        known = [label for label, series in lines.items() if series.variant == mark.variant]
        if figure.get("panels") == "variant":
            if not known:
                continue
            known = [label for label in lines if label == mark.phase]
        colour = look[known[0]][0] if known else "#666666"
        wanted = mark.x if mark.x is not None else max(x for series in lines.values()
                                                       for x in series.values)
        (x, x_beyond), (y, y_beyond) = placed(wanted, area[0]), placed(mark.point, area[1])
        error = None
        if mark.low is not None and mark.high is not None and not y_beyond:
            error = [[mark.point - mark.low], [mark.high - mark.point]]
        text = f"{mark.document}, {mark.where}: {mark.variant or mark.code or ''}"
        text += f" {mark.phase or ''} {mark.settings or ''}".rstrip() + f", {mark.device}"
        if x_beyond or y_beyond:
            text, colour = OFF_AXES, "#666666"
        handles[text] = axis.errorbar([x], [y], yerr=error, color=colour, mfc="white", mew=1.2,
                                      marker=BEYOND.get((x_beyond, y_beyond), "d"), ls="", ms=11,
                                      capsize=3, zorder=5, clip_on=False)
        widen(axis, x, y)


def widen(axis, x, y):
    """Moves the ends of the axes, so that a mark is within."""
    (left, right), (low, high) = axis.get_xlim(), axis.get_ylim()
    axis.set_xlim(min(left, x), max(right, x))
    axis.set_ylim(min(low, y), max(high, y))


def scale_values(axes, panels):
    """Logarithmic y axes. Counts may be 0, which is a result too: they begin with a linear piece,
    from 0 to the power of ten below all others."""
    summaries = [summary for lines in panels.values() for series in lines.values()
                 for summary in series.summary().values()]
    if all(summary.lower > 0 for summary in summaries):
        for axis in axes:
            axis.set_yscale("log")
        return
    positive = [value for summary in summaries for value in (summary.lower, summary.upper)
                if value > 0]
    first = math.floor(math.log10(min(positive, default=1)))
    last = math.ceil(math.log10(max(positive, default=1)))
    step = 1 + (last - first) // 8
    powers = [10.0 ** power for power in range(first, last + 1, step)]
    for axis in axes:
        axis.set_yscale("symlog", linthresh=powers[0])
        axis.set_ylim(-0.2 * powers[0], 10.0 ** last * 1.3)
        axis.yaxis.set_major_locator(FixedLocator([0, *powers]))
        axis.yaxis.set_minor_locator(NullLocator())
        axis.yaxis.set_major_formatter(FuncFormatter(short))


def finish_axis(axis, figure, experiment, name, xs):
    sizes = figure["x"] in ("n", "arcs") or figure["x"].startswith(("setting:groups", "param:count",
                                                                    "param:max-degree"))
    if sizes or figure["x"] == "threads":
        axis.set_xscale("log", base=2)
    axis.xaxis.set_major_locator(FixedLocator(apart(xs, axis.get_xscale() == "log")))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(short))
    texts = {"n": "elements" if experiment.problem == "rank" else "vertices", "arcs": "arcs",
             "threads": "threads", "round": "round", "param:count": "sub-graphs",
             "param:k": "children of each vertex", "param:max-degree": "arcs of a vertex, at most",
             "setting:groups": "work-groups", "setting:chunk": "vertices of a chunk"}
    axis.set_xlabel(texts.get(figure["x"], figure["x"].partition(":")[2]))
    if axis.get_subplotspec().is_first_col():
        axis.set_ylabel(figure_points.unit_text(figure["y"], experiment))
    axis.set_title(name)


def ticks_within_decades(axis, ends):
    """Powers of ten, and 2 and 5 of each decade, or every digit, when there are few decades."""
    axis.set_major_formatter(FuncFormatter(short))
    decades = math.log10(ends[1] / ends[0])
    digits = range(2, 10) if decades < 0.7 else (2, 5)
    axis.set_minor_locator(LogLocator(subs=digits) if decades < 2.5 else NullLocator())
    axis.set_minor_formatter(FuncFormatter(short) if decades < 2.5 else NullFormatter())


def apart(xs, log):
    """Those of the ticks that have room for their text: an eighth of the axis from each other."""
    scale = math.log if log else float
    width = (scale(xs[-1]) - scale(xs[0])) / 8
    ticks = [xs[-1]]
    for x in reversed(xs[:-1]):
        if scale(ticks[-1]) - scale(x) >= width:
            ticks.append(x)
    return ticks


def entitle(drawing, figure, experiment, legend):
    """The title, in as many lines as keep it clear of a legend of this width at the right."""
    width = int((drawing.get_figwidth() - legend) * TITLE_COLUMNS)
    lines = [wrapped(experiment.title, width), wrapped(figure["title"], width)]
    drawing.suptitle("\n".join(lines), fontsize=10.5, x=0.01, ha="left")


def finish(drawing, figure, experiment, handles):
    entitle(drawing, figure, experiment, LEGEND)
    if handles:
        drawing.legend(handles.values(), [wrapped(label) for label in handles],
                       loc="outside right upper", frameon=False)


def wrapped(text, width=34):
    lines, line = [], ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return "\n".join([*lines, line])


def draw_dots(figure, experiment, panels, marks, points, rates):
    """Categories on the y axis, one line per variant, the value on a logarithmic x axis."""
    lines = {label: series for panel in panels.values() for label, series in panel.items()}
    categories = []
    for series in lines.values():
        categories += [x for x in series.values if x not in categories]
    wanted = [request.label for request in experiment.graphs]
    categories.sort(key=lambda name: min((number for number, label in enumerate(wanted)
                                          if name.startswith(label)), default=0))
    look = styles(lines)
    slots, names, boundaries = [], [], []
    for category in categories:
        here = [(summarise(series.values[category]), label) for label, series in lines.items()
                if category in series.values]
        rows = [(summary.median, label, summary, None) for summary, label in here]
        rows += [(mark.point, f"{mark.document}, {mark.where}: {mark.code or mark.variant}, "
                              f"{mark.device}", None, mark)
                 for mark in marks if mark.graph == category or mark.graph is None
                 or category == first_of(categories, mark)]
        slots += sorted(rows, key=lambda entry: entry[0])
        names.append((category, len(slots) - len(rows), len(rows)))
        boundaries.append(len(slots))
    height = 1.3 + 0.21 * len(slots) + 0.25 * len(figure.get("limits", []))
    drawing, axis = plt.subplots(figsize=(9.2, height))
    axis.margins(x=0.12)
    axis.set_xscale("log")
    for number, (_, label, summary, mark) in enumerate(slots):
        if mark is None:
            draw_dot(axis, number, label, summary, lines, look)
    axis.set_ylim(len(slots) - 0.4, -0.6)
    for end in boundaries[:-1]:
        axis.axhline(end - 0.5, color="#888888", lw=0.8)
    handles = draw_dot_limits(axis, figure, names, points, rates) if rates.values else {}
    room = room_for_marks(axis)[0]
    texts = [draw_dot_mark(axis, number, label, mark, room) if mark else label
             for number, (_, label, _, mark) in enumerate(slots)]
    axis.set_yticks(range(len(slots)), texts, fontsize=7.5)
    ticks_within_decades(axis.xaxis, axis.get_xlim())
    axis.set_xlabel(figure_points.unit_text(figure["y"], experiment))
    if handles:
        drawing.legend(handles.values(), handles, loc="outside lower left", frameon=False)
    for category, begin, count in names:
        axis.text(1.01, begin + count / 2 - 0.5, wrapped(category, 20), va="center",
                  transform=axis.get_yaxis_transform(), fontsize=8.5)
    entitle(drawing, figure, experiment, 0)
    return drawing


def first_of(categories, mark):
    """Of several graphs of one label, the one that gets the label's marks."""
    return next((name for name in categories if name.startswith(mark.graph + " ")), None)


def draw_dot_mark(axis, number, label, mark, room):
    """A document's value. Returns the text of its row, with the value if that is off the axis."""
    x, beyond = placed(mark.point, room)
    axis.plot([x], [number], marker=BEYOND[beyond, 0], ms=10, mfc="white", mec="#444444", ls="",
              clip_on=False)
    left, right = axis.get_xlim()
    axis.set_xlim(min(left, x), max(right, x))
    return f"{label} (off the axis: {mark.text} {mark.unit})" if beyond else label


def draw_dot(axis, number, label, summary, lines, look):
    colour, marker, _ = look[label]
    error = [[summary.median - summary.lower], [summary.upper - summary.median]]
    hollow = lines[label].place == "peer"
    axis.errorbar([summary.median], [number], xerr=error, color=colour, marker=marker, ms=6,
                  capsize=3, mfc="white" if hollow else colour)


def draw_phases(figure, experiment, points):
    """Stacked bars: share of each phase, or seconds per round, by x; one panel per variant."""
    points = figure_points.in_order(figure_points.chosen(figure, points), experiment)
    figure_points.name_graphs(points)
    figure_points.series_labels({**figure, "x": "threads"}, points)
    panels = {}
    for point in points:
        phases = [phase for phase in point.row.get("phases") or [] if phase["seconds"]]
        whole = sum(phase["seconds"] for phase in phases)
        if figure.get("per") == "round":
            scale = 1e3 / max(1, point.row.get("rounds") or 1)
        else:
            scale = 100 / whole if whole else 0
        bars = panels.setdefault(point.attributes["series"], {})
        for phase in phases:
            bars.setdefault(figure_points.x_of(figure, point), {}).setdefault(
                phase["name"], []).append(phase["seconds"] * scale)
    panels = {name: bars for name, bars in panels.items() if bars}
    if not panels:
        return None
    drawing, axes = panel_grid(len(panels))
    order = []
    for bars in panels.values():
        for stack in bars.values():
            order += [name for name in stack if name not in order]
    handles = {}
    for axis, (name, bars) in zip(axes, sorted(panels.items())):
        draw_stacks(axis, bars, order, handles)
        axis.set_title(name)
        if axis.get_subplotspec().is_first_col():
            axis.set_ylabel("time per round (ms)" if figure.get("per") == "round"
                            else "share of the time (%)")
        axis.set_xlabel({"n": "elements", "graph": ""}.get(figure["x"], figure["x"]))
    finish(drawing, figure, experiment, dict(reversed(handles.items())))
    return drawing


def draw_stacks(axis, bars, order, handles):
    xs = sorted(bars) if all(isinstance(x, (int, float)) for x in bars) else list(bars)
    bottoms = [0.0] * len(xs)
    for number, phase in enumerate(order):
        cells = [summarise(bars[x][phase]) if phase in bars[x] else None for x in xs]
        heights = [cell.median if cell else 0.0 for cell in cells]
        if not any(heights):
            continue
        spread = [[cell.median - cell.lower if cell else 0 for cell in cells],
                  [cell.upper - cell.median if cell else 0 for cell in cells]]
        handles[phase] = axis.bar(range(len(xs)), heights, bottom=bottoms, width=0.7,
                                  color=COLOURS[(number + 1) % len(COLOURS)], alpha=0.85,
                                  hatch=HATCHES[number % len(HATCHES)], edgecolor="white",
                                  yerr=spread, capsize=2, ecolor="#222222")
        bottoms = [bottom + height for bottom, height in zip(bottoms, heights)]
    texts = [short(x) if isinstance(x, (int, float)) else wrapped(str(x), 14) for x in xs]
    axis.set_xticks(range(len(xs)), texts, fontsize=7.5, rotation=0 if len(xs) < 7 else 90)


def as_bytes(drawing, kind):
    target = io.BytesIO()
    drawing.savefig(target, format=kind, dpi=110)
    plt.close(drawing)
    return target.getvalue()
