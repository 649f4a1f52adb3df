# SPDX-License-Identifier: Apache-2.0
"""
One HTML file of everything that was run: no script, nothing loaded from elsewhere, the figures
inside as images. Its only links lead to places within the page and to the CSV and SVG files beside
it. Made from the raw rows alone; so it can be made again at any time.
"""

import base64
import csv
import html
import os
import re
import time

from . import document_values, experiment_plan, figure_points, machine_rates, raw_rows
from .experiment_runner import quoted
from .figure_drawing import as_bytes, draw, short
from .row_summary import ratio_interval, summarise

STYLE = """
body{font:15px/1.45 system-ui,sans-serif;max-width:66rem;margin:2rem auto;padding:0 1rem;color:#111}
div.wide,pre{overflow-x:auto;margin:.6rem 0} pre{font-size:12px;background:#f6f6f6;padding:.5rem}
table{border-collapse:collapse;font-size:13px}
td,th{border-bottom:1px solid #ccc;padding:.15rem .6rem;text-align:right;vertical-align:top}
td,td span{white-space:nowrap} td.t{white-space:normal;min-width:5rem}
td:first-child,th:first-child,td.t,th.t{text-align:left}
th{background:#f2f2f2} h2{border-top:2px solid #111;padding-top:.7rem;margin-top:2.4rem}
figure{margin:.8rem 0 1.6rem} img{max-width:100%;display:block} .note,figcaption{color:#555}
nav ul{columns:20rem;padding-left:1.2rem} .loss{background:#fbe3dd}
.bad{background:#b00020;color:#fff;padding:.5rem .8rem;white-space:pre-wrap}
.load{background:#eef3ee;border-left:.4rem solid #1b8a5a;padding:.5rem .8rem}
.busy{background:#fdf3dc;border-color:#e0a800}
a,summary{color:#0f4c9c} summary{cursor:pointer} code{font-size:13px}
@media(max-width:40rem){body{margin:1rem auto}
figure{overflow-x:auto} img{max-width:none;width:44rem}}
"""
BUSY_CORES, BUSY_SHARE = 0.25, 0.05  # as `hoplite bench` marks its rows, see docs/bench.md
CSV_FIELDS = ["graph", "variant", "settings", "place", "device", "threads", "source", "repetition",
              "seconds", "copy_seconds", "foreign_cores", "load", "time", "session"]


def text(value):
    return html.escape(str(value))


def cell_text(value):
    """Long words, such as list:n=1000,min-weight=1, may break after a comma and nowhere else."""
    whole = re.sub(r"[^\s,]*-[^\s,]*", r"<span>\g<0></span>", text(value))
    return whole.replace(",", ",<wbr>")


def table(heads, rows, left=(0,)):
    """`left`: the columns with text. A row may be (cells, class)."""
    out = ["<div class=wide><table><tr>"]
    out += [f"<th{' class=t' if i in left else ''}>{text(head)}</th>"
            for i, head in enumerate(heads)]
    out.append("</tr>")
    for row in rows:
        cells, kind = row if isinstance(row, tuple) and isinstance(row[0], list) else (row, "")
        out.append(f"<tr class='{kind}'>" if kind else "<tr>")
        out += [f"<td class=t>{cell_text(cell)}</td>" if i in left else f"<td>{text(cell)}</td>"
                for i, cell in enumerate(cells)]
        out.append("</tr>")
    return "".join(out) + "</table></div>"


def seconds_text(seconds):
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


class Report:
    def __init__(self, folder, hoplite, cores, experiments, peers, png=False):
        self.png = png
        self.folder = folder
        self.hoplite = hoplite
        self.cores = cores
        self.peers = peers
        self.experiments = experiments
        self.values = document_values.load()
        self.rates = machine_rates.load(folder)
        self.rows = {id(e): raw_rows.read(experiment_plan.rows_path(folder, e))
                     for e in experiments}
        self.steps = raw_rows.read(os.path.join(folder, "steps.jsonl"))
        self.figures_folder = os.path.join(folder, "figures")

    def write(self, path):
        os.makedirs(self.figures_folder, exist_ok=True)
        sections = [("machine", "Machine and builds", self.machine()),
                    ("documents", "The documents", documents_table()),
                    ("runs", "What was run, and what was not", self.overview()),
                    ("peers", "Against the peers", self.peer_summary()),
                    ("regret", "Regret of auto", self.regret())]
        sections += [(f"{experiment.name}-{experiment.size}", experiment.title,
                      self.experiment(experiment)) for experiment in self.experiments
                     if raw_rows.measured(self.rows[id(experiment)])]
        sections = [section for section in sections if section[2]]
        body = [self.head(), self.load_banner(), self.failures(), contents(sections)]
        body += [f"<h2 id='{name}'>{text(title)}</h2>{what}" for name, title, what in sections]
        page = ("<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport "
                "content='width=device-width'><title>Hoplite experiments"
                f"</title><style>{STYLE}</style><body>{''.join(body)}</body></html>")
        partial = path + ".new"
        with open(partial, "w", encoding="utf-8") as file:
            file.write(page)
        os.replace(partial, path)

    def head(self):
        count = sum(len(raw_rows.measured(rows)) for rows in self.rows.values())
        return (f"<h1>Hoplite experiments</h1><p>{count:,} measured runs; page made "
                f"{time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime())} from the raw rows. Points "
                "are medians and bars quartiles unless a table says otherwise; stars are values "
                "that a document states, for its own device; wide grey lines are limits of this "
                "machine, measured.</p>")

    def busy_runs(self, experiment):
        """(runs beside which others kept the machine busy, runs of which that is known)"""
        rows = self.rows[id(experiment)]
        machines = [row.get("machine") or {} for row in rows if row["kind"] == "session"]
        threads = max((machine.get("hardware_threads") or 0 for machine in machines), default=0)
        known = [row["foreign_cores"] for row in raw_rows.measured(rows)
                 if row.get("foreign_cores") is not None]
        limit = max(BUSY_CORES, BUSY_SHARE * threads)
        return [cores for cores in known if cores >= limit], known

    def load_banner(self):
        """How busy others kept the machine while the rows were taken."""
        busy, known, where = [], [], []
        for experiment in self.experiments:
            more, of = self.busy_runs(experiment)
            busy += more
            known += of
            where += [(experiment, len(more), len(of))] if more else []
        runs = sum(len(raw_rows.measured(rows)) for rows in self.rows.values())
        unknown = runs - len(known)
        rest = f" Of the other {unknown:,} runs it is not known." if unknown else ""
        if not known:
            return ("<p class='load busy'>These rows do not say how busy the machine was while "
                    "they were taken.</p>")
        if not busy:
            return (f"<p class=load>Quiet machine: in {len(known):,} runs other processes kept "
                    f"less than {BUSY_CORES} cores busy.{rest}</p>")
        names = ", ".join(f"<a href='#{each.name}-{each.size}'>{each.name}</a> ({count} of {of})"
                          for each, count, of in where)
        return (f"<p class='load busy'><b>Busy machine:</b> in {len(busy):,} of {len(known):,} "
                f"runs ({100 * len(busy) / len(known):.0f} %) other processes kept {BUSY_CORES} "
                f"cores or more busy, at most {max(busy):.2f}. Their times are longer than on a "
                "quiet machine; compare them only with runs taken in turn with them. "
                f"In: {names}.{rest}</p>")

    def failures(self):
        latest = raw_rows.step_states(self.steps)[0]
        bad = [row for row in latest.values() if row["outcome"] != "ok"]
        return "".join(f"<p class=bad>{text(row['outcome'].upper())}: {text(row['experiment'])}, "
                       f"{text(row['graph'])}\n{text(row['message'])}\n"
                       f"{text(' '.join(row['command']))}</p>" for row in bad)

    def machine(self):
        sessions = [row for rows in self.rows.values() for row in rows if row["kind"] == "session"]
        out = []
        seen = {}
        for row in sessions:
            machine = row.get("machine") or {}
            key = (machine.get("model"), row.get("version"), row.get("library"), row.get("commit"),
                   row.get("compiler"))
            seen.setdefault(key, []).append(row)
        for key, rows in seen.items():
            machine = rows[0].get("machine") or {}
            facts = [["processor", machine.get("model")],
                     ["cores / usable threads", f"{machine.get('cores')} / "
                                                f"{machine.get('usable_threads')}"],
                     ["caches", caches_text(machine.get("caches"))],
                     ["vector instructions", machine.get("simd")],
                     ["memory", bytes_text(machine.get("memory_bytes"))],
                     ["huge pages", machine.get("huge_pages")],
                     ["system", machine.get("system")], ["hoplite", key[1]], ["library", key[2]],
                     ["commit", key[3]], ["compiler", key[4]],
                     ["commands", f"{len(rows)}, from {rows[0].get('time')} to "
                                  f"{rows[-1].get('time')}"],
                     ["load when they began (1 min)", load_text(rows)]]
            out.append(table(["", ""], facts, left=(0, 1)))
        out.append(self.devices())
        if self.peers:
            out.append(table(["peer", "version"], sorted(self.peers.items()), left=(0, 1)))
        rates = [[operation, threads, short(elements), f"{rate:.2f}", f"{ns:.2f}"]
                 for operation, threads, elements, rate, ns in self.rates.table()]
        out.append("<h3>Measured limits</h3>" + (table(
            ["operation", "threads", "elements", "GB/s", "ns per element"], rates) if rates else
            "<p class=note>Not measured in this folder (run with --rates).</p>"))
        return "".join(out)

    def devices(self):
        """What the rows say about the devices that were run on."""
        found = {}
        for row in (row for rows in self.rows.values() for row in rows):
            if row["kind"] == "device":
                found[row["device"]] = [row["device"], row["title"], row["vendor"], row["type"],
                                        f"{row['platform']}, {row['driver']}",
                                        bytes_text(row["memory_bytes"]), row["compute_units"]]
        return table(["device", "name", "vendor", "type", "driver", "memory", "compute units"],
                     [found[name] for name in sorted(found)], left=(0, 1, 2, 3, 4)) if found else ""

    def overview(self):
        rows, done = [], raw_rows.finished_steps(self.steps)
        for experiment in self.experiments:
            steps, waiting = experiment_plan.plan(experiment, self.hoplite, self.cores, self.peers)
            finished = sum(step.identity in done for step in steps)
            measured = len(raw_rows.measured(self.rows[id(experiment)]))
            state = ("nothing to run yet" if not steps else "not run" if not measured else
                     "complete" if finished == len(steps) else f"{finished} of {len(steps)} steps")
            rows.append([experiment.name, experiment.size, experiment.source, state, measured,
                         ", ".join(waiting) or "nothing"])
        return table(
            ["experiment", "size", "source", "state", "rows", "waits for"], rows,
            left=(0, 1, 2, 3, 5))

    def peer_summary(self):
        """Ours against the best peer on each graph; losses stand out."""
        lines = []
        for experiment in self.experiments:
            points = figure_points.points_of(experiment, self.rows[id(experiment)])
            if any(point.row["place"] == "peer" for point in points):
                lines += compare_with_peers(experiment, points)
        if not lines:
            return ""
        losses = sum(1 for _, kind in lines if kind == "loss")
        return ("<p>Median times of the kernels alone on the same graph "
                "and from the same sources, all threads. Ratio: best peer over our best variant. "
                f"{losses} of {len(lines)} are losses; the 95 % interval of a tie has 1 in it."
                "</p>" + table(
                    ["problem", "graph", "our best", "time", "best peer", "time", "ratio", "95 %",
                     ""],
                    lines, left=(0, 1, 2, 4, 8)))

    def regret(self):
        lines = []
        for experiment in self.experiments:
            latest = {}
            for row in self.rows[id(experiment)]:
                if row["kind"] == "regret":
                    latest[row["graph"], row["threads"]] = row
            lines += [regret_line(experiment, row) for row in latest.values()]
        if not lines:
            return ""
        return ("<p>Time of what <i>auto</i> picked over time of the best "
                "variant, the two timed again in turn. Where the 95 % interval of the ratio has 1 "
                "in it, or both are the same, the regret is 1.</p>" + table(
                    ["problem", "graph", "threads", "pick", "best", "ratio", "95 %", "regret",
                     "duel"], lines, left=(0, 1, 3, 4)))

    def experiment(self, experiment):
        rows = self.rows[id(experiment)]
        points = figure_points.points_of(experiment, rows)
        values = document_values.of_experiment(self.values, experiment.name)
        busy, known = self.busy_runs(experiment)
        out = [f"<p>{text(experiment.question)} <span class=note>({text(experiment.name)}, "
               f"{experiment.size} size; {text(experiment.source)})</span></p>"]
        if busy:
            out.append(f"<p class='load busy'>Busy machine in {len(busy)} of {len(known)} runs."
                       "</p>")
        for figure in experiment.figures:
            out.append(self.figure(experiment, figure, points, values))
        if values:
            out.append(value_table(experiment, points, values))
        out.append("<details><summary>All medians</summary>"
                   f"{medians(experiment, points)}</details>")
        rest = [row for row in raw_rows.measured(rows) if row["outcome"] != "ok"]
        if rest:
            out.append("<details><summary>Runs without a time</summary>" + table(
                ["variant", "graph", "outcome", "why"],
                [[row["variant"], row["graph"], row["outcome"], row.get("message") or ""]
                 for row in rest], left=(0, 1, 2, 3)) + "</details>")
        return "".join(out)

    def figure(self, experiment, figure, points, values):
        name = f"{experiment.name}-{experiment.size}-{figure['name']}"
        drawing = draw(figure, experiment, points, values, self.rates)
        if drawing is None:
            return (f"<p class=note>Figure “{text(figure['title'])}”: no rows for it yet.</p>")
        path = os.path.join(self.figures_folder, name)
        if self.png:
            drawing.savefig(path + ".png", dpi=110)
        svg = as_bytes(drawing, "svg")
        with open(path + ".svg", "wb") as file:
            file.write(svg)
        behind = figure_points.chosen(figure, points)
        write_rows(path + ".csv", figure, behind)
        code = base64.b64encode(svg).decode()
        alt = f"{text(experiment.title)}: {text(figure['title'])}"
        return (f"<figure id='{name}'><img alt='{alt}' src='data:image/svg+xml;base64,{code}'>"
                f"<figcaption>{text(figure['title'])}: <a href='figures/{name}.csv'>its "
                f"{len(behind)} runs as CSV</a>, <a href='figures/{name}.svg'>the figure as SVG"
                f"</a></figcaption><details><summary>Commands and rows behind this figure</summary>"
                f"{self.commands(experiment, behind)}"
                f"{medians(experiment, behind)}</details></figure>")

    def commands(self, experiment, points):
        """What made the rows of a figure, to be run again."""
        graphs = {point.row["graph"] for point in points}
        lines = {" ".join(["hoplite", *quoted(row["command"][1:])])
                 for row in raw_rows.step_states(self.steps)[0].values()
                 if (row["experiment"], row["size"]) == (experiment.name, experiment.size)
                 and row["graph"] in graphs}
        full = " --full" if experiment.size == "full" else ""
        peers = sorted({point.row["variant"] for point in points if point.row["place"] == "peer"})
        beside = f", and {', '.join(peers)} in turn with them" if peers else ""
        return (f"<p>All at once: <code>bench/run_experiments run {experiment.name}{full}</code>. "
                f"One by one{beside}:</p><pre>{text(chr(10).join(sorted(lines)))}</pre>"
                f"<p>Raw rows: <code>rows/{experiment.name}-{experiment.size}.jsonl</code></p>")


def write_rows(path, figure, points):
    """The runs behind a figure, one a line, for a spreadsheet."""
    figure_points.name_graphs(points)
    figure_points.series_labels(figure, points)
    with open(path, "w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["series", "x", *CSV_FIELDS])
        for point in points:
            row = {**point.row, "settings": " ".join(
                f"{name}={value}" for name, value in (point.row.get("settings") or {}).items())}
            lines.writerow([point.attributes["series"], figure_points.x_of(figure, point),
                            *(row.get(name) for name in CSV_FIELDS)])


def contents(sections):
    items = "".join(f"<li><a href='#{name}'>{text(title)}</a>" for name, title, _ in sections)
    return f"<nav><h2>Contents</h2><ul>{items}</ul></nav>"


def documents_table():
    return ("<p>Experiments and stars name by author and year the document that they come from.</p>"
            + table(["", "document", "about"], document_values.documents(), left=(0, 1, 2)))


def bytes_text(count):
    return "" if not count else f"{count / 2**30:.1f} GiB"


def caches_text(caches):
    if not caches:
        return ""
    return ", ".join(f"L{cache['level']} {cache['type'].lower()} {cache['bytes'] / 1024:,.0f} KiB"
                     f" × {cache['instances']}" for cache in caches)


def load_text(rows):
    loads = [row["load"] for row in rows if row.get("load") is not None]
    return f"{min(loads):.2f} to {max(loads):.2f}" if loads else ""


def grouped(points):
    """{(graph, variant label): seconds}, all of one graph recipe together."""
    figure_points.name_graphs(points)
    figure_points.series_labels({"x": "graph"}, points)
    groups = {}
    for point in points:
        key = point.row["graph"], point.attributes["series"]
        groups.setdefault(key, []).append(point)
    return groups


def compare_with_peers(experiment, points):
    """Our best variant against the best peer, graph by graph, with the interval of the ratio."""
    best = {}
    for (graph, label), members in grouped(points).items():
        side = "peer" if members[0].row["place"] == "peer" else "ours"
        seconds = [point.row["seconds"] for point in members]
        best.setdefault(graph, {}).setdefault(side, []).append(
            (summarise(seconds).median, label, seconds))
    lines = []
    for graph, sides in best.items():
        if "peer" in sides and "ours" in sides:
            (ours, label, our_times), (theirs, peer, their_times) = (min(sides["ours"]),
                                                                     min(sides["peer"]))
            low, _, high = ratio_interval(their_times, our_times)
            kind = "loss" if high < 1 else "win" if low > 1 else "tie"
            lines.append(([experiment.problem, graph, label, seconds_text(ours), peer,
                           seconds_text(theirs), f"{theirs / ours:.2f}",
                           f"{low:.2f} to {high:.2f}", kind], kind))
    return lines


def regret_line(experiment, row):
    interval = (f"{row['low']:.2f} to {row['high']:.2f}" if row.get("low") is not None else "")
    ratio = f"{row['ratio']:.3f}" if row.get("ratio") is not None else ""
    cells = [experiment.problem, row["graph"], row["threads"], row["pick"], row["best"], ratio,
             interval, f"{row['regret']:.3f}", row.get("repetitions") or ""]
    return cells, "loss" if row["regret"] > 1 else ""


def medians(experiment, points):
    rows = []
    for (graph, label), members in grouped(points).items():
        seconds = summarise([point.row["seconds"] for point in members])
        cost = summarise([point.row["seconds"] * 1e9 / point.units for point in members])
        rows.append((graph, seconds.median, [
            graph, label, seconds.count, seconds_text(seconds.median), seconds_text(seconds.lower),
            seconds_text(seconds.upper), seconds_text(seconds.mean),
            seconds_text(seconds.deviation) if seconds.count > 1 else "",
            seconds_text(seconds.margin) if seconds.count > 1 else "", f"{cost.median:.3g}"]))
    rows.sort(key=lambda row: row[:2])
    return table(["graph", "variant", "runs", "median", "lower quartile", "upper quartile", "mean",
                  "deviation", "± 95 %", f"ns per {experiment.unit}"], [row[2] for row in rows],
                 left=(0, 1))


def value_table(experiment, points, values):
    """The documents' statements, and ours where the figure has the same quantity."""
    lines = []
    for value in values:
        where = " ".join(word for word in (value.variant, value.settings, value.phase, value.graph,
                                           f"x = {short(value.x)}" if value.x else "") if word)
        lines.append([f"{value.document}, {value.where}", value.device, value.code or where,
                      f"{value.text} {value.unit}", ours(experiment, points, value), value.note])
    return "<h3>Stated in the documents</h3>" + table(
        ["where", "device", "what", "value", "ours (this machine)", "note"], lines,
        left=(0, 1, 2, 3, 4, 5))


def ours(experiment, points, value):
    """Our median of the same quantity: same variant and graph, the x nearest to the document's."""
    figure = next((figure for figure in experiment.figures if figure.get("y") == value.quantity),
                  None)
    if figure is None or not points:
        return ""
    panels = figure_points.collect({**figure, "at": None, "extend": None}, points,
                                   experiment)
    found = []
    for panel, lines in panels.items():
        for series in lines.values():
            if value.variant and series.variant != value.variant:
                continue
            if value.graph and figure.get("panels") == "graph" and panel != value.graph:
                continue
            for x, values in series.values.items():
                if figure["x"] == "graph" and value.graph and not str(x).startswith(value.graph):
                    continue
                distance = abs(x - value.x) if value.x and isinstance(x, (int, float)) else 0
                found.append((distance, str(x), series.label, summarise(values).median))
    if not found:
        return ""
    near = [entry for entry in found if entry[0] == min(found)[0]]
    low, high = min(entry[3] for entry in near), max(entry[3] for entry in near)
    at = f" at {short(float(near[0][1]))}" if near[0][0] else ""
    return (f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}") + at
