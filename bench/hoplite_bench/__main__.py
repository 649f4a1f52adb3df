# SPDX-License-Identifier: Apache-2.0
"""The command line of the experiments; see docs/experiments.md."""

import argparse
import os
import sys

from . import experiment_files, experiment_plan, machine_rates, peer_runs, raw_rows
from .experiment_runner import FAILED, OK, WRONG, Runner, say_on_terminal
from .hoplite_command import CommandFailed, Hoplite


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="bench/run_experiments",
        description="Runs the experiments of bench/experiments and draws their figures.",
        epilog="Exit codes: 0 all done, 1 something failed, 2 usage, 3 a result was wrong.")
    parser.add_argument("--hoplite", metavar="PATH", help="the command to measure; default "
                        "$HOPLITE, else hoplite on the path")
    parser.add_argument("--out", metavar="FOLDER", default="hoplite-experiments",
                        help="where rows, figures and report are kept; default %(default)s")
    parser.add_argument("--threads", metavar="N", type=int, default=len(os.sched_getaffinity(0)),
                        help="what \"max\" means in the data files; default all cores")
    parser.add_argument("--experiments", metavar="FOLDER", default=experiment_files.FOLDER,
                        help="data files; default those beside this program")
    parser.add_argument("--device", metavar="LIST", default="cpu", help="devices to run on, as for "
                        "hoplite bench, such as cpu,opencl:0.0, or all; default %(default)s")
    parser.add_argument("--gap", metavar="FOLDER", help="programs of the GAP benchmark, as a peer")
    parser.add_argument("--peers", metavar="LIST", help="comma-separated; default all that are "
                        "installed; none for none")
    parser.add_argument("--realtime", metavar="N", type=int, default=0, help="measure at real-time "
                        "priority N (as root), where other work runs beside; it then waits")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("list", help="the experiments, and what each still waits for")
    run = verbs.add_parser("run", help="run experiments; goes on where it stopped")
    run.add_argument("names", nargs="*", metavar="NAME", help="default all")
    run.add_argument("--dry-run", action="store_true", help="say what would be run")
    run.add_argument("--rates", action="store_true",
                     help="also measure the machine's copy and gather rates (always with --full)")
    run.add_argument("--no-rates", action="store_true", help="never measure them")
    run.add_argument("--no-report", action="store_true", help="only measure")
    report = verbs.add_parser("report", help="figures and report from the rows that are there")
    report.add_argument("names", nargs="*", metavar="NAME", help="default all")
    for verb in (run, report):
        verb.add_argument("--full", action="store_true", help="full sizes instead of small ones")
        verb.add_argument("--png", action="store_true", help="figures as PNG files too")
    return parser.parse_args(arguments)


def chosen_peers(options):
    found = peer_runs.available(options.gap)
    if options.peers is None:
        return found
    wanted = [] if options.peers == "none" else options.peers.split(",")
    absent = set(wanted) - set(found)
    if absent:
        raise SystemExit(f"no such peer here: {', '.join(sorted(absent))}; "
                         f"there are: {', '.join(sorted(found)) or 'none'}")
    return {peer: found[peer] for peer in wanted}


def load_all(options, size):
    folder = options.experiments
    return [experiment_files.load(name, size, folder)
            for name in options.names or experiment_files.names(folder)]


def list_experiments(options, hoplite, peers):
    for name in experiment_files.names(options.experiments):
        small, full = (experiment_files.load(name, size, options.experiments)
                       for size in experiment_files.SIZES)
        steps, waiting = experiment_plan.plan(small, hoplite, options.threads, peers)
        full_steps, _ = experiment_plan.plan(full, hoplite, options.threads, peers)
        names = sorted({choice.word.partition(":")[0] for step in steps for choice in step.chosen})
        print(f"{name}\n  {small.title} ({small.source})")
        if steps:
            print(f"  rows: {sum(step.rows for step in steps)} small, "
                  f"{sum(step.rows for step in full_steps)} full; {', '.join(names)}")
        else:
            print("  cannot run yet: none of its variants is in the table")
        if waiting:
            print(f"  waits for: {'; '.join(waiting)}")
    return OK


def run_experiments(options, hoplite, peers):
    size = "full" if options.full else "small"
    experiments = load_all(options, size)
    steps = []
    for experiment in experiments:
        planned, waiting = experiment_plan.plan(experiment, hoplite, options.threads, peers)
        steps += planned
        if not planned:
            say_on_terminal(f"{experiment.name}: cannot run yet, waits for: {'; '.join(waiting)}")
        elif waiting:
            say_on_terminal(f"{experiment.name}: without {'; '.join(waiting)} (not there yet)")
    if options.dry_run:
        for step in steps:
            print(f"{step.experiment.name}: {step.rows} rows: hoplite {' '.join(step.words)}"
                  f"{' and peers ' + ', '.join(step.peers) if step.peers else ''}")
        return OK
    if (options.rates or options.full) and not options.no_rates:
        machine_rates.measure(hoplite, options.out, options.threads, say_on_terminal)
    runner = Runner(hoplite, options.out, say_on_terminal, peer_runs.Peers(peers, options.gap))
    code = runner.run(steps)
    if options.no_report:
        return code
    write_report(options, hoplite, peers, experiments)
    return code


def write_report(options, hoplite, peers, experiments):
    from .html_report import Report  # matplotlib takes a second to load
    path = os.path.join(options.out, f"report-{experiments[0].size}.html")
    Report(options.out, hoplite, options.threads, experiments, peers,
           options.png).write(path)
    say_on_terminal(f"report: {path}")


def main(arguments=None):
    options = parse_arguments(arguments)
    try:
        hoplite = Hoplite(options.hoplite, options.realtime, options.device)
        peers = chosen_peers(options)
        if options.verb == "list":
            return list_experiments(options, hoplite, peers)
        if options.verb == "run":
            return run_experiments(options, hoplite, peers)
        size = "full" if options.full else "small"
        write_report(options, hoplite, peers, load_all(options, size))
        return OK
    except (CommandFailed, experiment_files.BadExperiment, raw_rows.BadRows,
            FileNotFoundError) as error:
        say_on_terminal(f"run_experiments: {error}")
        return WRONG if getattr(error, "code", None) == WRONG else FAILED
    except KeyboardInterrupt:
        say_on_terminal("interrupted; run the same command again to go on")
        return 130


if __name__ == "__main__":
    sys.exit(main())
