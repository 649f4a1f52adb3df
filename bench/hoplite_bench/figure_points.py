# SPDX-License-Identifier: Apache-2.0
"""
From rows to what a figure shows: points (panel, series, x, values). No drawing here.

A row becomes a point with attributes; x, series and panels of a figure are names of attributes. A
series is a variant and whatever else varies among its points (settings, threads, place), without
what is on the x axis. Quantities are named in the data files:

    seconds, milliseconds, ns_per_unit, rounds
    speedup                  over the same series at its smallest x
    speedup_over:VARIANT     over the median of that variant on the same graph
    phase_rate, phase_speedup           one series per phase
    phase_seconds_per_gb:PHASE, phase_ns_per_transaction:PHASE
    counter_ratio:a/b+c, counter_per_vertex:a
    step_ms:PHASE, step_items:PHASE     each call of a phase, with x = "round"
"""

from dataclasses import dataclass, field

from . import raw_rows
from .hoplite_command import recipe
from .row_summary import summarise

UNIT_TEXT = {"seconds": "time (s)", "milliseconds": "time (ms)", "microseconds": "time (µs)",
             "rounds": "rounds",
             "speedup": "speed-up (times)", "phase_rate": "rate (GB/s)",
             "phase_speedup": "speed-up (times)", "phase_seconds_per_gb": "time per GB (s)",
             "phase_ns_per_transaction": "time per transaction (ns)",
             "counter_per_vertex": "per vertex", "step_ms": "time of the round (ms)",
             "step_items": "distinct addresses read"}


@dataclass
class Point:
    row: dict
    request: object
    arcs: int
    vertices: int
    units: int
    attributes: dict = field(default_factory=dict)


@dataclass
class Series:
    """One curve: label, variant, and x -> values."""
    label: str
    variant: str
    place: str
    values: dict = field(default_factory=dict)
    estimated: set = field(default_factory=set)  # the xs whose values nobody has measured

    def summary(self):
        return {x: summarise(values) for x, values in sorted(self.values.items(),
                                                             key=lambda pair: order(pair[0]))}


def order(x):
    return (0, x, "") if isinstance(x, (int, float)) else (1, 0, str(x))


def points_of(experiment, rows):
    """The good runs of an experiment."""
    requests = {recipe(request): request for request in experiment.graphs}
    graphs = {row["graph"]: row for row in rows if row["kind"] == "graph"}
    points = []
    for row in raw_rows.measured(rows):
        request = requests.get(row["graph"])
        if request is None or row["outcome"] != "ok":
            continue
        graph = graphs.get(row["graph"], {})
        vertices = row.get("elements") or row.get("vertices") or 0
        arcs = graph.get("arcs") or 2 * (row.get("edges") or 0)
        units = {"rank": vertices, "apsp": vertices ** 2}.get(experiment.problem, arcs)
        points.append(Point(row, request, arcs, vertices, max(1, units)))
    return points


def chosen(figure, points):
    """Those of the points that a figure is about."""
    kept = []
    for point in points:
        row, request = point.row, point.request
        if figure.get("graphs") and request.label not in figure["graphs"]:
            continue
        if figure.get("variants") and row["variant"] not in figure["variants"]:
            continue
        if figure.get("places") and row.get("place") not in figure["places"]:
            continue
        settings = row.get("settings") or {}
        if any(settings.get(name) != value for name, value in figure.get("settings", {}).items()):
            continue
        if any(request.value(name) not in (value, None)
               for name, value in figure.get("where", {}).items()):
            continue
        kept.append(point)
    if figure.get("threads") == "max" and kept:
        most = max(point.row["threads"] for point in kept)
        kept = [point for point in kept if point.row["threads"] == most]
    if figure.get("at") == "largest":
        largest = {}
        for point in kept:
            label = point.request.label
            largest[label] = max(largest.get(label, 0), point.units)
        # Sub-graphs and seeds change the number of arcs a little.
        kept = [point for point in kept if point.units > 0.9 * largest[point.request.label]]
    return kept


def x_of(figure, point):
    what = figure["x"]
    if what == "n":
        return point.vertices
    if what == "arcs":
        return point.arcs
    if what == "threads":
        return point.row["threads"]
    if what == "graph":
        return point.attributes["graph"]
    kind, _, name = what.partition(":")
    if kind == "param":
        return point.request.value(name)
    return (point.row.get("settings") or {}).get(name)


def name_graphs(points):
    """Gives each point the name of its graph: the label, and the parameters that tell apart those
    of one label. Seeds do not count."""
    by_label = {}
    for point in points:
        by_label.setdefault(point.request.label, set()).add(point.request.parameters)
    for point in points:
        others = by_label[point.request.label]
        words = [point.request.label]
        for name, value in point.request.parameters:
            if len({dict(parameters).get(name) for parameters in others}) > 1:
                words.append(f"{name} {value}")
        point.attributes["graph"] = " ".join(words)


def where(row):
    """The host, a peer, or a device by its name: there may be several."""
    return row.get("device") if row.get("place") == "device" else row.get("place")


def series_labels(figure, points):
    """Sets attributes["series"]: the variant and what varies among its points."""
    x_setting = figure["x"].partition(":")[2] if figure["x"].startswith("setting:") else None
    seen = {}
    for point in points:
        settings = dict(point.row.get("settings") or {})
        settings.pop(x_setting, None)
        if point.row.get("place") == "peer":
            settings = {}
        if figure["x"] != "threads":
            settings["threads"] = point.row["threads"]
        settings["on"] = where(point.row)
        point.attributes["settings"] = settings
        for name, value in settings.items():
            seen.setdefault((point.row["variant"], name), set()).add(value)
    for point in points:
        words = [f"{name}={value}" if name != "on" else f"({value})"
                 for name, value in point.attributes["settings"].items()
                 if len(seen[point.row["variant"], name]) > 1]
        point.attributes["series"] = " ".join([point.row["variant"], *words])


def readable_unit(figure, points):
    """Seconds in the unit that makes most values numbers above 1."""
    if figure.get("y") != "seconds" or not points:
        return figure
    typical = summarise([point.row["seconds"] for point in points]).lower
    unit = "seconds" if typical >= 0.5 else "milliseconds" if typical >= 5e-4 else "microseconds"
    return {**figure, "y": unit}


def phase_of(row, name):
    return next((phase for phase in row.get("phases") or [] if phase["name"] == name), None)


def simple_value(quantity, point, transactions):
    """The value of one row, or None where it has none."""
    row = point.row
    kind, _, name = quantity.partition(":")
    if kind == "seconds":
        return row["seconds"]
    if kind == "milliseconds":
        return row["seconds"] * 1e3
    if kind == "microseconds":
        return row["seconds"] * 1e6
    if kind == "ns_per_unit":
        return row["seconds"] * 1e9 / point.units
    if kind == "rounds":
        return row.get("rounds") or None
    if kind == "counter_per_vertex":
        count = (row.get("counters") or {}).get(name)
        return None if count is None else count / max(1, point.vertices)
    if kind == "counter_ratio":
        above, below = name.split("/")
        counters = row.get("counters") or {}
        if above not in counters or any(word not in counters for word in below.split("+")):
            return None
        return counters[above] / max(1, sum(counters[word] for word in below.split("+")))
    phase = phase_of(row, name)
    if phase is None or not phase["seconds"]:
        return None
    if kind == "phase_seconds_per_gb":
        return phase["seconds"] * 1e9 / phase["bytes"] if phase["bytes"] else None
    if kind == "phase_ns_per_transaction":
        per = transactions.get(f"{row['variant']}:{name}")
        return phase["seconds"] * 1e9 / (per * point.vertices) if per else None
    raise ValueError(f"unknown quantity {quantity}")


def in_order(points, experiment):
    """As the graphs stand in the data file."""
    place = {request.text: number for number, request in enumerate(experiment.graphs)}
    return sorted(points, key=lambda point: place[point.request.text])


def extended(figure, points, experiment):
    """With `extend`: points for the sizes on which a variant has no time, such as those that would
    take it more than the limit. The median time of its largest size, times (n / n there) to the
    given power. They are marked, drawn dashed, and stand in no table."""
    rule = figure.get("extend") or {"variants": []}
    own = {}
    for point in points:
        if point.row["variant"] in rule["variants"]:
            key = point.attributes["series"], point.request.label
            own.setdefault(key, []).append(point)
    made = []
    for (_, label), measured in own.items():
        last = max(point.vertices for point in measured)
        ends = [point for point in measured if point.vertices == last]
        seconds = summarise([point.row["seconds"] for point in ends]).median
        for request in experiment.graphs:
            n = request.value("n") or 0
            if request.label != label or n <= last:
                continue
            factor = n / last
            row = {**ends[0].row, "seconds": seconds * factor ** rule["power"], "copy_seconds": 0}
            units = ends[0].units * factor ** (2 if experiment.problem == "apsp" else 1)
            made.append(Point(row, request, 0, n, units,
                              {**ends[0].attributes, "estimated": True}))
    return made


def collect(figure, points, experiment):
    """{panel: {label: Series}} of a figure of lines or bars."""
    points = in_order(chosen(figure, points), experiment)
    name_graphs(points)
    series_labels(figure, points)
    points = points + extended(figure, points, experiment)
    quantity = figure["y"]
    if quantity in ("phase_rate", "phase_speedup"):
        return collect_phases(figure, points)
    if quantity.startswith("step_"):
        return collect_steps(figure, points)
    panels = {}
    baselines = {}
    if quantity.startswith("speedup_over:"):
        baselines = medians_of(points, quantity.partition(":")[2])
    guessed = {point.request.text for point in points if point.attributes.get("estimated")
               and point.row["variant"] == quantity.partition(":")[2]}
    for point in points:
        x = x_of(figure, point)
        if baselines or quantity.startswith("speedup_over:"):
            below = baselines.get(point.request.text)
            value = below / point.row["seconds"] if below else None
        else:
            value = simple_value("seconds" if quantity == "speedup" else quantity, point,
                                 experiment.transactions)
        if x is not None and value is not None:
            series = add(panels, figure, point, point.attributes["series"], x, value)
            if point.attributes.get("estimated") or point.request.text in guessed:
                series.estimated.add(x)
            add_without_copies(panels, figure, point, x, value)
    if quantity == "speedup":
        relative_to_first(panels)
    return panels


def collect_phases(figure, points):
    """One series per phase; panels are variants."""
    panels = {}
    for point in points:
        for phase in point.row.get("phases") or []:
            if figure.get("phases") and phase["name"] not in figure["phases"]:
                continue
            if figure["y"] == "phase_rate":
                value = (phase["bytes"] / phase["seconds"] / 1e9
                         if phase.get("bytes") and phase["seconds"] else None)
            else:
                value = phase["seconds"] or None
            if value is not None:
                add(panels, figure, point, phase["name"], x_of(figure, point), value)
    if figure["y"] == "phase_speedup":
        relative_to_first(panels)
    return panels


def collect_steps(figure, points):
    """One series per size; x is the number of the call."""
    kind, _, name = figure["y"].partition(":")
    panels = {}
    for point in points:
        names = [phase["name"] for phase in point.row.get("phases") or []]
        steps = [step for step in point.row.get("steps") or [] if names[step[0]] == name]
        for number, (_, seconds, _, items) in enumerate(steps, 1):
            value = seconds * 1e3 if kind == "step_ms" else items
            if value > 0:
                add(panels, figure, point, f"n = {point.vertices:,}", number, value)
    return panels


def add_without_copies(panels, figure, point, x, value):
    """A time on a device has a second curve: without what was spent on copies to it and back."""
    copied = point.row.get("copy_seconds") or 0
    if (point.row.get("place") == "device" and copied > 0
            and figure["y"] in ("seconds", "milliseconds", "microseconds", "ns_per_unit")):
        add(panels, figure, point, f"{point.attributes['series']}, no copies", x,
            value * (1 - copied / point.row["seconds"]))


def add(panels, figure, point, label, x, value):
    # Threads are the host's: what a device does at their largest number is no part of the curve.
    alike = figure["x"] == "threads" and point.row.get("place") == "host"
    panel = {"graph": point.request.label, "variant": point.row["variant"] if alike
             else point.attributes["series"]}.get(figure.get("panels"), "")
    series = panels.setdefault(panel, {}).setdefault(
        label, Series(label, point.row["variant"], point.row.get("place")))
    series.values.setdefault(x, []).append(value)
    return series


def medians_of(points, variant):
    seconds = {}
    for point in points:
        if point.row["variant"] == variant:
            seconds.setdefault(point.request.text, []).append(point.row["seconds"])
    return {text: summarise(values).median for text, values in seconds.items()}


def relative_to_first(panels):
    """Seconds become speed-ups over the median at the smallest x of the panel. One x alone says
    nothing, and what has no time there has nothing to be compared with."""
    for lines in panels.values():
        first = min((x for series in lines.values() for x in series.values), default=None)
        for label, series in list(lines.items()):
            if len(series.values) < 2 or first not in series.values:
                del lines[label]
                continue
            base = summarise(series.values[first]).median
            series.values = {x: [base / value for value in values]
                             for x, values in series.values.items()}


def unit_text(quantity, experiment):
    if quantity == "ns_per_unit":
        return f"time per {experiment.unit} (ns)"
    kind, _, name = quantity.partition(":")
    if kind == "speedup_over":
        return f"speed-up over {name} (times)"
    if kind == "counter_ratio":
        return f"{name.replace('/', ' per ').replace('+', ' and ')}"
    if kind == "counter_per_vertex":
        return f"{name} per vertex"
    return UNIT_TEXT[kind]
