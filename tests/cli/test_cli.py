# SPDX-License-Identifier: Apache-2.0
"""The verbs of the command: what they print, what they write, how they fail."""

import gzip
import json
import os
import re
import subprocess

import numpy as np
import pytest
import scipy.sparse as sparse
from cli_testing import (BAD_INPUT, FAILURE, HOPLITE, OK, USAGE, clean_environment,
                         edges, refuse, run, run_json)  # noqa: F401 (edges is a fixture)

VERBS = ["generate", "convert", "info", "rank", "components", "bfs", "sssp", "apsp", "path",
         "table", "index", "measure", "certify", "variants", "bench", "formats", "devices", "plan",
         "completion", "help"]


# ---- help ------------------------------------------------------------------------------------

def test_alone_it_helps_and_fails():
    out, err = run(code=USAGE)
    assert out == ""
    assert err.count("\n  hoplite ") == 4
    assert all(verb in err for verb in VERBS)


def test_help_lists_verbs():
    for words in (["help"], ["--help"], ["-h"]):
        out, err = run(*words)
        assert err == ""
        assert all(f"\n  {verb} " in out for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb(verb):
    by_option, _ = run(verb, "--help")
    assert by_option.startswith(f"Usage: hoplite {verb}")
    assert run("help", verb)[0] == by_option
    table = {row["name"]: row for row in run_json("help")["verbs"]}
    for option in table[verb]["options"]:
        assert f"--{option['name']}" in by_option


def test_help_needs_nothing_else():
    assert run("convert", "--help")[0] == run("convert", "a", "b", "c", "-h")[0]


def test_version():
    out, _ = run("--version")
    header = os.path.join(os.environ["HOPLITE_SOURCE_DIR"], "include/hoplite/hoplite.h")
    version = re.search(r'HOP_VERSION +"([\d.]+)"', open(header).read()).group(1)
    assert f"hoplite {version}\n" in out
    assert "threads" in out and "zlib" in out
    built = [row["name"] for row in run_json("devices")["devices"]]
    assert "opencl" in out and ("without opencl" not in out or "opencl" not in " ".join(built))
    assert re.search(r"^compiler (gcc|clang) \d+", out, re.M)


def test_no_option_hides_a_parameter():
    """A family's parameter is an option of generate: no name may mean two things."""
    taken = {option["name"] for row in run_json("help")["verbs"] if row["name"] == "generate"
             for option in row["options"]}
    kinds = {}
    for family in run_json("generate", "--list")["families"]:
        for parameter in family["parameters"]:
            assert parameter["name"] not in taken
            flag = parameter["type"] == "flag"
            assert kinds.setdefault(parameter["name"], flag) == flag


# ---- wrong command lines ---------------------------------------------------------------------

@pytest.mark.parametrize("words, says", [
    (["inof"], ["inof: no such verb", "hoplite info"]),
    (["xyzzy"], ["no such verb", "hoplite help"]),
    (["closness", "g.txt"], ["no such verb", "hoplite measure closeness?"]),
    (["strong", "g.txt"], ["no such verb", "hoplite measure strong-components?"]),
    (["--threads", "2"], ["options go after the verb"]),
    (["info"], ["info: ", "usage: hoplite info"]),
    (["info", "a", "b"], ['"b" is one word too many']),
    (["info", "--treads", "2", "x"], ["--treads: no such option", "--threads"]),
    (["info", "--thr", "2", "x"], ["--thr: no such option", "--threads"]),
    (["info", "--threads"], ["--threads: N expected"]),
    (["info", "--threads", "0", "x"], ["--threads", '"0"', "1 to 65,536"]),
    (["info", "--threads", "two", "x"], ["--threads", '"two"']),
    (["info", "--threads=", "x"], ["--threads"]),
    (["info", "--json=yes", "x"], ["--json=yes: this option takes no value"]),
    (["info", "-x", "x"], ["-x: no such option"]),
    (["info", "--memory", "4Q", "x"], ["--memory", "512M"]),
    (["info", "--memory", "0", "x"], ["--memory"]),
    (["info", "--from", "edgelist", "x"], ["--from", "edge-list"]),
    (["info", "--directed", "--undirected", "x"], ["--directed", "contradict"]),
    (["info", "-q", "-v", "x"], ["--quiet and --verbose"]),
    (["info", "--duplicates", "minimum", "x"], ["--duplicates", "min, max, sum"]),
    (["info", "--log", "loud", "x"], ["--log", "error, warning, info, debug"]),
    (["info", "--scale", "3", "x"], ["--scale: no such option"]),
    (["convert", "x"], ["an output expected"]),
    (["convert"], ["an input and an output"]),
    (["convert", "a.txt", "b.txt", "-o", "c.txt"], ["two outputs"]),
    (["convert", "a.txt", "-o", ""], ["-o: FILE expected"]),
    (["convert", "a.txt", "b.unknown"], ["no format has this suffix", "hoplite formats"]),
    (["convert", "a.txt", "-"], ["--to FORMAT"]),
    (["convert", "a.txt", "-", "--to", "npz"], ["standard output"]),
    (["convert", "a.txt", "-", "--to", "edge-list", "--json"], ["both want standard output"]),
    (["convert", "a.txt", "b.npz", "--gzip"], ["--gzip"]),
    (["convert", "-", "--vertices", "-", "b.npz"], ["both be standard input"]),
    (["generate"], ["a family expected", "--list"]),
    (["generate", "rmta"], ["rmta", "did you mean rmat"]),
    (["generate", "rmat"], ["rmat needs --scale"]),
    (["generate", "rmat", "--scale", "x"], ["--scale", "2^20"]),
    (["generate", "rmat", "--scale", "1", "--rows", "3"],
     ['rmat has no parameter "rows"', "scale, edge-factor"]),
    (["generate", "rmat", "--set", "scal=3", "--scale", "1"], ["scal", "did you mean scale"]),
    (["generate", "rmat", "--set", "scale"], ["NAME=VALUE expected"]),
    (["generate", "rmat", "--scale", "99"], ["scale", "99"]),
    (["generate", "rmat", "--scale", "4", "--a", "much"], ["--a", "no number"]),
    (["generate", "rmat", "--scale", "4", "--shuffle=perhaps"], ["neither yes nor no"]),
    (["generate", "rmat", "--scale", "4", "--to", "npz"], ["-o FILE"]),
    (["generate", "rmat", "--scale", "4", "--weights", "int16"], ["--weights", "int32"]),
    (["generate", "rmat", "--scale", "4", "--weights", "none", "--min-weight", "2"],
     ["contradict"]),
    (["generate", "rmat", "--scale", "4", "--min-weight", "9", "--max-weight", "2"], ["9"]),
    (["generate", "list", "--n", "4", "--weights", "int32"], ["list takes no weights"]),
    (["generate", "list", "--n", "4", "-o", "x.npy", "--gzip"], ["--gzip"]),
    (["devices", "extra"], ["one word too many"]),
    (["completion"], ["bash, zsh or fish"]),
    (["completion", "tcsh"], ["tcsh", "bash, zsh, fish"]),
    (["help", "inof"], ["inof", "did you mean info"]),
    (["sssp", "g.txt", "-source", "1"], ["-source: no such option", "did you mean --source"]),
    (["sssp", "g.txt", "-x"], ["-x: no such option", "lists the options"]),
    ([__file__], ["no such verb", "the verb comes first"]),
    (["help", "info", "--json"], ["--json"]),
])
def test_usage_errors(words, says, tmp_path):
    refuse(*words, says=says, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


# ---- generate --------------------------------------------------------------------------------

def test_generate_writes_what_it_says(tmp_path):
    path = tmp_path / "g.npz"
    out, err = run("generate", "rmat", "--scale", "10", "--edge-factor", "8", "-o", path)
    assert out == ""
    assert "1,024 vertices" in err and "of 8,192 drawn" in err and "bytes per edge drawn" in err
    assert f"wrote {path}" in err
    matrix = sparse.load_npz(path)
    assert matrix.shape == (1024, 1024)
    info = run_json("info", path)
    assert info["format"] == "npz"
    assert info["graph"]["arcs"] == matrix.nnz


def test_generate_without_output_describes():
    out, err = run("generate", "rmat", "--scale", "8")
    assert "nothing was written" in err
    assert re.search(r"^vertices +256,", out, re.M)
    _, quiet = run("generate", "rmat", "--scale", "8", "--quiet")
    assert quiet == ""


def test_generate_json():
    made = run_json("generate", "rmat", "--scale", "8", "--set", "edge-factor=4", "--seed", "7")
    assert made["family"] == "rmat" and made["seed"] == 7 and made["output"] is None
    assert made["parameters"]["scale"] == 8 and made["parameters"]["edge-factor"] == 4
    graph = made["graph"]
    assert graph["vertices"] == 256 and graph["edges_given"] == 1024 >= graph["edges"]
    assert made["peak_bytes"] > 0 and made["seconds"] >= 0
    assert sum(row["vertices"] for row in graph["degree_histogram"]) == 256
    assert graph["degree_histogram"][0]["vertices"] == graph["isolated"]


def hash_of(path):
    return run_json("info", path, "--hash")["hash"]


def test_ways_to_say_the_same(tmp_path):
    ways = [["--scale", "9"], ["--scale=9"], ["--set", "scale=9"], ["--scale", "3", "--scale", "9"],
            ["--scale", "9", "--threads", "1"], ["--scale", "9", "--shuffle"],
            ["--scale", "9", "--shuffle=yes"], ["--scale", "9", "--seed", "1"]]
    hashes = set()
    for i, way in enumerate(ways):
        run("generate", "rmat", *way, "-o", tmp_path / f"{i}.npz")
        hashes.add(hash_of(tmp_path / f"{i}.npz"))
    assert len(hashes) == 1
    for i, way in enumerate([["--no-shuffle"], ["--seed", "2"], ["--set", "shuffle=no"]]):
        run("generate", "rmat", "--scale", "9", *way, "-o", tmp_path / f"other{i}.npz")
    assert hash_of(tmp_path / "other0.npz") == hash_of(tmp_path / "other2.npz")
    assert hash_of(tmp_path / "other0.npz") not in hashes
    assert hash_of(tmp_path / "other1.npz") not in hashes
    exact = run_json("generate", "erdos-renyi", "--n", "2^10", "--m", "1e3")["graph"]
    assert exact["vertices"] == 1024 and exact["edges"] == 1000


@pytest.mark.parametrize("words, type_, low, high", [
    (["--weights", "int64"], "int64", 1, 255),
    (["--min-weight", "-5", "--max-weight", "5"], "int32", -5, 5),
    (["--max-weight", "0.5", "--min-weight", "0.25"], "float64", 0.25, 0.5),
    (["--max-weight", "1e12"], "int64", 1, 10**12),
    (["--weights", "float32", "--max-weight", "2"], "float32", 1, 2),
])
def test_generate_weights(words, type_, low, high):
    graph = run_json("generate", "rmat", "--scale", "8", *words)["graph"]
    assert graph["weight_type"] == type_
    assert low <= graph["min_weight"] <= graph["max_weight"] <= high


def test_generate_list(tmp_path):
    path = tmp_path / "list.npy"
    _, err = run("generate", "list", "--n", "1000", "-o", path)
    assert "1,000 elements" in err
    successors = np.load(path)
    assert len(successors) == 1000
    at, steps = 0, 0
    while successors[at] != at:
        at, steps = successors[at], steps + 1
    assert steps == 999
    out, _ = run("info", path)
    assert re.search(r"^elements +1,000$", out, re.M)
    described = run_json("info", path)["list"]
    assert (described["elements"], described["heads"], described["tails"],
            described["joins"]) == (1000, 1, 1, 0)


def test_families_are_listed():
    families = run_json("generate", "--list")["families"]
    out, _ = run("generate", "--list")
    for family in families:
        assert f"\n{family['name']}\n" in out
        about, _ = run("generate", family["name"], "--help")
        for parameter in family["parameters"]:
            assert f"--{parameter['name']}" in about
            assert parameter["summary"].split()[0] in about


# ---- info ------------------------------------------------------------------------------------

def test_info_text(edges):
    out, err = run("info", edges)
    assert err == ""
    lines = dict(re.findall(r"^(\S+) +(.+)$", out.split("\n\n")[0], re.M))
    assert lines["format"].startswith("edge-list")
    assert lines["vertices"].startswith("5, 0 of them isolated")
    assert lines["edges"].startswith("6 undirected")
    assert lines["ids"] == "10 to 50, with gaps"
    assert lines["degree"].startswith("1 to 3, mean 2.40")
    assert "read in" in lines["opened"]


def test_info_json(edges):
    info = run_json("info", edges, "--directed", "--diameter", "--hash")
    graph = info["graph"]
    assert info["input"] == str(edges) and info["format"] == "edge-list"
    assert graph["directed"] is True and graph["edges"] == graph["arcs"] == 6
    assert graph["labelled"] is True
    assert graph["least_label"] == 10 and graph["greatest_label"] == 50
    assert info["diameter_low"] >= 1 and graph["max_degree_vertex"] == 10
    assert re.fullmatch("[0-9a-f]{16}", info["hash"])
    assert graph["weight_type"] == "none" and graph["min_weight"] is None


def test_info_of_a_mapped_file(tmp_path, edges):
    run("convert", edges, tmp_path / "g.npz")
    mapped = run_json("info", tmp_path / "g.npz", "--hash")
    read = run_json("info", tmp_path / "g.npz", "--in-memory", "--hash")
    trusted = run_json("info", tmp_path / "g.npz", "--trusted", "--hash")
    assert mapped["graph"]["mapped"] is True and read["graph"]["mapped"] is False
    assert mapped["hash"] == read["hash"] == trusted["hash"]


def test_corrupt_native_files(tmp_path):
    """A wrong id is found by the check; a wrong weight only by comparing the hash."""
    path = tmp_path / "g.npz"
    run("generate", "rmat", "--scale", "8", "--weights", "int32", "-o", path, "-q")
    good = path.read_bytes()
    targets = sparse.load_npz(path).indices.astype("<i4").tobytes()
    weights = sparse.load_npz(path).data.astype("<i4").tobytes()
    for array, word, words in ((targets, b"\xff\xff\xff\x7f", []),
                               (weights[:400], b"\x63\0\0\0", ["--directed", "--verify"])):
        at = good.index(array)
        path.write_bytes(good[:at] + word + good[at + 4:])
        err = refuse("info", path, *words, code=BAD_INPUT)
        assert str(path) in err
    run("info", path, "--directed")
    path.write_bytes(good)
    run("info", path, "--verify")


def test_info_from_standard_input(edges):
    by_path = run_json("info", edges, "--hash")
    by_pipe = run_json("info", "-", "--hash", stdin=edges.read_text())
    assert by_pipe["hash"] == by_path["hash"]


def test_info_names_the_line(tmp_path):
    path = tmp_path / "broken.txt"
    path.write_text("1 2\n2 3\n3 banana\n")
    err = refuse("info", path, code=BAD_INPUT, says=[f"hoplite: info: {path}:3: "])
    assert "--names" in err


def test_file_that_is_not_there(tmp_path):
    refuse("info", tmp_path / "nothing.txt", code=FAILURE, says=["nothing.txt", "No such file"])


def test_names_that_are_not_text(tmp_path):
    """JSON stays JSON whatever a file is called."""
    path = os.path.join(os.fsencode(tmp_path), b'a"b\\c\xff\n\x01.txt')
    with open(path, "w") as file:
        file.write("0 1\n")
    done = subprocess.run([HOPLITE, "info", "--json", path], capture_output=True,
                          env=clean_environment())
    assert done.returncode == OK
    assert json.loads(done.stdout)["input"].endswith('a"b\\c\ufffd\n\x01.txt')


def test_names_that_look_like_options(tmp_path):
    (tmp_path / "--json").write_text("0 1\n")
    out, _ = run("info", "-q", "--", "--json", cwd=tmp_path)
    assert out.startswith("file       --json\n")
    (tmp_path / "-").write_text("0 1\n1 2\n")
    assert run_json("info", "./-", cwd=tmp_path)["graph"]["edges"] == 2


def test_limits(edges):
    refuse("info", edges, "--max-vertices", "3", code=BAD_INPUT, says=["5", "3"])
    refuse("info", edges, "--max-edges", "5", code=BAD_INPUT, says=["5"])
    refuse("info", edges, "--max-bytes", "10", code=BAD_INPUT)
    refuse("generate", "rmat", "--scale", "18", "--memory", "1M", code=FAILURE,
           says=["--memory"])


def test_empty_graph(tmp_path):
    path = tmp_path / "empty.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n0 0 0\n")
    graph = run_json("info", path, "--diameter", "--hash")["graph"]
    assert graph["vertices"] == 0 and graph["max_degree_vertex"] is None
    out, _ = run("info", path, "--diameter")
    assert re.search(r"^vertices +0,", out, re.M)


# ---- formats, devices ------------------------------------------------------------------------

def test_formats():
    formats = run_json("formats")["formats"]
    out, _ = run("formats")
    names = [row["name"] for row in formats]
    assert {"npz", "edge-list"} <= set(names)
    assert all(f"\n{name}\n" in out for name in names)


def test_devices():
    devices = run_json("devices")["devices"]
    cpu = devices[0]
    assert cpu["name"] == "cpu" and cpu["chosen"]
    assert cpu["usable_threads"] == len(os.sched_getaffinity(0)) and cpu["cores"] >= 1
    assert cpu["memory_bytes"] == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    out, _ = run("devices")
    assert re.search(r"^device +cpu \*$", out, re.M)


# ---- environment -----------------------------------------------------------------------------

def test_variables_stand_in_for_options():
    words = ["generate", "rmat", "--scale", "18"]
    refuse(*words, env={"HOPLITE_MEMORY": "1M"}, code=FAILURE, says=["1.0 MiB", "--memory"])
    run(*words, "--memory", "1G", "-q", env={"HOPLITE_MEMORY": "1M"})
    refuse(*words, env={"HOPLITE_MEMORY": "little"}, says=["HOPLITE_MEMORY"])
    refuse(*words, env={"HOPLITE_THREADS": "none"}, says=["HOPLITE_THREADS"])
    refuse(*words, env={"HOPLITE_LOG": "none"}, says=["HOPLITE_LOG"])
    run("generate", "rmat", "--scale", "4", env={"HOPLITE_THREADS": ""})


def test_threads_are_used():
    """Peak memory of a build grows with the threads: a sign that the number arrives."""
    words = ["generate", "rmat", "--scale", "12"]
    one = run_json(*words, "--threads", "1")["peak_bytes"]
    many = run_json(*words, "--threads", "8")["peak_bytes"]
    by_variable = run_json(*words, env={"HOPLITE_THREADS": "8"})["peak_bytes"]
    assert by_variable == many > one


def test_log(edges):
    assert run("info", edges)[1] == ""
    told = run("info", edges, "-v")[1]
    assert "hoplite: info: info: " in told
    assert run("info", edges, env={"HOPLITE_LOG": "info"})[1] == told
    assert run("info", edges, "-q", env={"HOPLITE_LOG": "info"})[1] == ""


def test_quiet_says_nothing_but_what_was_asked_for(edges, tmp_path):
    run("generate", "list", "--n", "50", "-o", tmp_path / "l.npy", "-q")
    run("bfs", edges, "-o", tmp_path / "levels.txt", "-q")
    for words in (["generate", "rmat", "--scale", "4"], ["generate", "list", "--n", "9"],
                  ["convert", edges, tmp_path / "g.npz"], ["rank", tmp_path / "l.npy"],
                  ["components", edges], ["components", edges, "--largest", tmp_path / "c.npz"],
                  ["bfs", edges], ["bfs", edges, "--target", "50", "--certify"], ["sssp", edges],
                  ["apsp", edges], ["certify", "bfs", edges, tmp_path / "levels.txt"],
                  ["bench", "bfs", edges, "--repeat", "1", "--variant", "sequential"]):
        assert run(*words, "-q") == ("", ""), words
        assert run(*words) != ("", "")
    for words in (["info", edges], ["path", edges, "10", "50"], ["bfs", edges, "-o", "-"],
                  ["bfs", edges, "--dry-run"], ["generate", "rmat", "--scale", "4", "--json"]):
        out, err = run(*words, "-q")
        assert out and not err, words
    assert "variant" in run("bfs", edges, "--explain", "-q")[1]


@pytest.mark.parametrize("line, names", [
    ("0 x", True), ("x 1", True), ("0 -1", True), ("-1 0", True), ("1.5 2", True),
    ("<!DOCTYPE html>", True), ("{\"nodes\": 3}", True), ("1,,2", True), ("1", False),
])
def test_the_hint_about_names(line, names, tmp_path):
    (tmp_path / "g.txt").write_text(line + "\n0 1\n1 2\n")
    err = refuse("info", tmp_path / "g.txt", "--from", "edge-list", code=BAD_INPUT)
    assert ("--names takes ids as text" in err) == names, err


@pytest.mark.parametrize("words, code, says", [
    (["info", "E", "--max-edges", "2"], BAD_INPUT, ["(max_edges); --max-edges N allows more"]),
    (["info", "E", "--max-bytes", "9"], BAD_INPUT, ["(max_bytes); --max-bytes SIZE allows more"]),
    (["info", "L", "--from", "edge-list"], BAD_INPUT, ["hint: a list of successors is read by"]),
    (["info", "B"], BAD_INPUT, ["none of the known formats; ", "npz", "hint: --from FORMAT"]),
    (["bfs", "E", "--memory", "1K"], FAILURE, ["(--memory)"]),
    (["generate", "rmat", "--scale", "16", "--memory", "1M"], FAILURE, ["would do"]),
    (["convert", "E", "OUT.metis", "--duplicates", "keep", "--from", "edge-list"], FAILURE,
     ["hint: --duplicates min does that first"]),
])
def test_remedies_are_options_of_the_verb(words, code, says, edges, tmp_path):
    """The library names no flags: the command words what would help, by options that it has."""
    (tmp_path / "list.txt").write_text("1\n2\n")
    (tmp_path / "bytes").write_bytes(b"\1\2\3")
    edges.write_text("0 1\n0 1\n1 2\n")
    places = {"E": edges, "L": tmp_path / "list.txt", "B": tmp_path / "bytes",
              "OUT.metis": tmp_path / "out.metis"}
    err = refuse(*[places.get(word, word) for word in words], code=code, says=says)
    enough = re.search(r"--memory (\w+) would do", err)
    if enough:  # the last one counts
        run(*words, "--memory", enough.group(1), "-q")


# ---- standard output -------------------------------------------------------------------------

def test_full_disk_under_standard_output(edges):
    with open("/dev/full", "w") as full:
        for words in (["info", edges], ["help"], ["formats"], ["completion", "bash"],
                      ["convert", edges, "-", "--to", "edge-list"]):
            _, err = run(*words, stdout=full, code=FAILURE)
            assert "No space left on device" in err


def test_reader_that_went_away(edges):
    """It has had enough, as head has: nothing to complain about, and the code of a SIGPIPE."""
    for words in (["info", edges], ["help"], ["convert", edges, "-", "--to", "edge-list"],
                  ["closure", edges, "-o", "-", "-q"],
                  ["table", edges, "--source", "10", "-o", "-", "-q"]):
        read, write = os.pipe()
        os.close(read)
        _, err = run(*words, stdout=write, code=141)
        os.close(write)
        assert err == ""


def test_closed_standard_output(edges, tmp_path):
    """Nothing may land in a file that gets the number of a closed descriptor."""
    target = tmp_path / "out.txt"
    done = subprocess.run(["/bin/sh", "-c", 'exec "$@" >&-', "sh", HOPLITE, "info", str(edges)],
                          stderr=subprocess.PIPE, env=clean_environment(), text=True)
    assert done.returncode == FAILURE and "standard output" in done.stderr
    done = subprocess.run(["/bin/sh", "-c", 'exec "$@" >&- 2>&- <&-', "sh", HOPLITE, "convert",
                           str(edges), str(target)], env=clean_environment())
    assert done.returncode == OK
    assert run_json("info", target)["graph"]["edges"] == 6


def test_gzip_on_standard_output(edges):
    done = subprocess.run([HOPLITE, "convert", edges, "-", "--to", "edge-list", "--gzip"],
                          capture_output=True, env=clean_environment())
    assert done.returncode == OK
    assert b"10\t20\n" in gzip.decompress(done.stdout)
