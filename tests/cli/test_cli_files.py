# SPDX-License-Identifier: Apache-2.0
"""What files must survive: results that would take each other's place, disks that are full in the
middle of a graph of several files, names and ids of every kind."""

import os
import re
import resource
import subprocess

import numpy as np
import pytest
from cli_testing import (BAD_INPUT, FAILURE, HOPLITE, SANITIZED, clean_environment, refuse, run,
                         run_json)

SMALL = "0 1\n1 2\n4 5\n"


@pytest.fixture
def small(tmp_path):
    (tmp_path / "a.txt").write_text(SMALL)
    return tmp_path / "a.txt"


RECIPES = [("components", "rmat:scale=6,seed=5", []),
           ("bfs", "grid:rows=8,cols=9", ["--source", "3"]),
           ("sssp", "rmat:scale=6,weights=int32,seed=2", ["--source", "1"]),
           ("apsp", "erdos-renyi:n=20,m=40", []), ("rank", "list:n=2^7,seed=9", []),
           ("closure", "rmat:scale=5,directed", []), ("convert", "tree-graph:n=50", [])]


@pytest.mark.parametrize("verb,recipe,more", RECIPES, ids=[row[0] for row in RECIPES])
def test_a_recipe_stands_for_a_file(tmp_path, verb, recipe, more):
    """The bytes of the answer are those of the file that generate writes."""
    family, _, keys = recipe.partition(":")
    words = [word for pair in keys.split(",") for word in ("--" + pair).split("=")]
    path = tmp_path / ("list.npy" if family == "list" else "graph.npz")
    run("generate", family, *words, "-o", path)
    answers = []
    for name, ending in ((recipe, "made"), (path, "read")):
        out = tmp_path / f"{ending}.{dict(convert='npz', closure='csv').get(verb, 'npy')}"
        run(verb, name, *more, *([out] if verb == "convert" else ["-o", out]))
        answers.append(out.read_bytes())
    assert answers[0] == answers[1] and len(answers[0]) > 100


def test_info_of_a_recipe(tmp_path):
    path = tmp_path / "graph.npz"
    run("generate", "rmat", "--scale", 7, "--weights", "float32", "-o", path)
    made, read = (run_json("info", name, "--hash")
                  for name in ("rmat:scale=7,weights=float32", path))
    assert made["hash"] == read["hash"] and made["format"] == "recipe"
    differ = {key for key, value in made["graph"].items() if read["graph"][key] != value}
    assert differ == {"edges_given", "mapped"} and made["graph"]["vertices"] == 128
    assert run_json("info", "list:n=9")["list"]["elements"] == 9


@pytest.mark.parametrize("words,says", [
    (["rank", "rmat:scale=5"], "rmat makes graphs"),
    (["components", "rmat:scal=5"], "did you mean scale?"),
    (["components", "rmat:scale=5", "--directed"], "--directed means nothing"),
    (["components", "rmat:scale=5", "--from", "dimacs"], "--from means nothing"),
    (["components", "rmat:scale=5", "--external"], "--external")], ids=str)
def test_what_a_recipe_cannot_be(words, says):
    assert says in refuse(*words)


def test_the_recipe_of_a_list_is_no_graph():
    refuse("components", "list:n=10", code=BAD_INPUT, says=["list:n=10", "a graph expected"])


def test_a_misspelt_family():
    assert "is rmat meant?" in refuse("components", "rmta:scale=4", code=FAILURE)


def test_a_file_named_like_a_recipe(tmp_path):
    (tmp_path / "rmat:scale=3").write_text("0 1\n1 2\n")
    assert run_json("components", "rmat:scale=3", cwd=tmp_path)["graph"]["vertices"] == 3


@pytest.mark.parametrize("verb,first,second", [
    ("bfs", "-o", "--parents"), ("components", "-o", "--sizes"), ("sssp", "-o", "--parents"),
    ("apsp", "-o", "--eccentricities"), ("apsp", "-o", "--scratch")])
def test_two_results_need_two_files(verb, first, second, small, tmp_path):
    refuse(verb, small, first, tmp_path / "x.npy", second, tmp_path / "x.npy",
           says=["both name", "x.npy"])
    assert not (tmp_path / "x.npy").exists()
    (tmp_path / "x.npy").write_text("")
    os.link(tmp_path / "x.npy", tmp_path / "y.npy")
    refuse(verb, small, first, tmp_path / "x.npy", second, tmp_path / "y.npy", says=["both name"])


@pytest.mark.parametrize("verb", ["bfs", "components", "sssp"])
def test_a_result_does_not_replace_its_graph(verb, small):
    refuse(verb, small, "-o", small, says=["the input itself"])
    assert small.read_text() == SMALL


def test_rows_of_bench_go_to_files_of_rows_only(small, tmp_path):
    run("convert", small, tmp_path / "g.npz")
    before = (tmp_path / "g.npz").read_bytes()
    refuse("bench", "bfs", small, "--jsonl", tmp_path / "g.npz", says=["something else than rows"])
    assert (tmp_path / "g.npz").read_bytes() == before
    for _ in range(2):  # a file of rows is appended to
        run("bench", "bfs", small, "--repeat", 1, "--jsonl", tmp_path / "rows")
    assert len({line[:1] for line in (tmp_path / "rows").read_text().splitlines()}) == 1


def limited(*words, most):
    """With a limit of the size of files, as a full disk is one."""
    return subprocess.run([HOPLITE, *map(str, words)], capture_output=True, text=True,
                          env=clean_environment(),
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                (most, most)))


@pytest.mark.skipif(SANITIZED, reason="sanitizers want large files of their own")
@pytest.mark.parametrize("name", ["g.e", "g.v", "g.g500"])
def test_graphs_of_several_files_stay_of_one_graph(name, small, tmp_path):
    weights = ["--weights", "float32"] if name == "g.g500" else []
    run("generate", "grid", "--rows", 2, "--cols", 2, *weights, "-o", tmp_path / name)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    run("generate", "grid", "--rows", 100, "--cols", 100, *weights, "-o", tmp_path / "big.npz")
    before[tmp_path / "big.npz"] = (tmp_path / "big.npz").read_bytes()
    files = [path for path in before if path.name.startswith("g.")]
    assert len(files) > 1
    # One file or the other is cut.
    for most in (5_000, 20_000, 60_000, 90_000):
        done = limited("convert", tmp_path / "big.npz", tmp_path / name, most=most)
        assert done.returncode in (0, 1), done.stderr
        if done.returncode == 0:
            break
        assert "large" in done.stderr
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert most > 20_000, "no file was cut"


def test_a_size_limit_is_an_error_and_leaves_nothing(tmp_path):
    if SANITIZED:
        pytest.skip("sanitizers want large files of their own")
    done = limited("generate", "grid", "--rows", 300, "--cols", 300, "-o", tmp_path / "g.npz",
                   most=10_000)
    assert done.returncode == 1 and "g.npz" in done.stderr and not list(tmp_path.iterdir())


def test_the_standard_output_by_its_name_is_not_replaced(small, tmp_path):
    out = tmp_path / "out"
    with open(out, "w", encoding="utf-8") as file:
        file.write("header\n")
        file.flush()
        subprocess.run([HOPLITE, "convert", small, "/dev/stdout", "--to", "edge-list"], check=True,
                       stdout=file, stderr=subprocess.DEVNULL, env=clean_environment())
        file.write("footer\n")
    text = out.read_text()
    assert text.startswith("header\n") and "\n4\t5\n" in text.replace(" ", "\t")


def test_devices_are_written_to_where_they_are():
    """Also by who may make no file beside them."""
    try:
        done = subprocess.run([HOPLITE, "convert", "-", "/dev/null", "--from", "edge-list", "--to",
                               "edge-list"], env=clean_environment(), capture_output=True,
                              text=True, input=SMALL, cwd="/",
                              user=65534 if os.geteuid() == 0 else None)
    except PermissionError:
        pytest.skip("the command is in a folder that nobody else may enter")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["my graph", "a=b", "x.directed = false"])
def test_ldbc_keeps_its_direction_whatever_its_name(name, small, tmp_path):
    run("convert", small, tmp_path / f"{name}.e", "--directed")
    assert run_json("info", tmp_path / f"{name}.e")["graph"]["directed"]
    run("convert", small, tmp_path / f"{name}.e", "--undirected")
    assert not run_json("info", tmp_path / f"{name}.e")["graph"]["directed"]


def test_files_beside_a_link_are_found_there(small, tmp_path):
    (tmp_path / "far").mkdir()
    run("generate", "grid", "--rows", 3, "--cols", 3, "--weights", "float32", "-o",
        tmp_path / "w.npz")
    (tmp_path / "far/old.g500").write_bytes(b"")
    (tmp_path / "link.g500").symlink_to("far/old.g500")
    run("convert", tmp_path / "w.npz", tmp_path / "link.g500")
    assert run_json("info", tmp_path / "link.g500")["graph"]["weight_type"] == "float32"
    assert (tmp_path / "link.g500").is_symlink()


def test_vertices_are_no_edges_for_the_limits_of_ldbc(small, tmp_path):
    run("convert", small, tmp_path / "g.e")
    assert run_json("info", tmp_path / "g.e", "--max-edges", 3)["graph"]["edges"] == 3
    refuse("info", tmp_path / "g.e", "--max-edges", 2, code=5, says=["more than 2 edges"])


def test_graph500_says_what_it_loses(tmp_path):
    (tmp_path / "a.txt").write_text("# Nodes: 6\n1 2\n3 5\n")
    assert "no edge" in run("convert", tmp_path / "a.txt", tmp_path / "o.g500")[1]
    (tmp_path / "b.txt").write_text("0 1\n1 2\n2 0\n")
    assert "no edge" not in run("convert", tmp_path / "b.txt", tmp_path / "o.g500")[1]


@pytest.mark.parametrize("ids", [
    (5_000_000_000, 5_000_000_001, 6_000_000_000), (2**64 - 1, 5, 7), (2**63 - 1, 5, 7),
    (9_300_000_000_000_000_001, 5, 7), (2**32 - 1, 2**32, 3)])
def test_own_results_are_proved_whatever_the_ids(ids, tmp_path):
    a, b, c = ids
    graph, other = tmp_path / "g.txt", tmp_path / "r.txt"
    alone = "" if 2**64 - 1 in ids else "100 101\n"  # not reached: -1 among the parents
    graph.write_text(f"{a} {b}\n{b} {c}\n{alone}")
    run("bfs", graph, "--source", a, "-o", other)
    run("certify", "bfs", graph, other, "--source", a)
    run("sssp", graph, "--source", a, "-o", other)
    run("certify", "sssp", graph, other, "--source", a)
    run("components", graph, "-o", other)
    run("certify", "components", graph, other)
    run("certify", "components", graph, other, "--certify=valid")


def test_components_may_have_any_names(small, tmp_path):
    names = {0: -7, 1: -7, 2: -7, 4: 2**32 - 1, 5: 2**32 - 1}
    (tmp_path / "r.txt").write_text("# vertex component\n" +
                                    "".join(f"{v} {name}\n" for v, name in names.items()))
    run("certify", "components", small, tmp_path / "r.txt", "--certify=valid")
    (tmp_path / "r.txt").write_text("# vertex component\n0 1\n1 1\n2 2\n4 3\n5 3\n")
    run("certify", "components", small, tmp_path / "r.txt", "--certify=valid", code=3)
    (tmp_path / "r.txt").write_text("# vertex component\n0 1\n1 1\n2 1\n4 1\n5 1\n")
    run("certify", "components", small, tmp_path / "r.txt", "--certify=valid", code=3)


def test_a_result_is_no_graph(small, tmp_path):
    for verb, words in (("components", []), ("sssp", ["--source", 0])):
        run(verb, small, *words, "-o", tmp_path / f"{verb}.txt", "-q")
    assert "looks like a result" in run("info", tmp_path / "components.txt")[1]
    assert "looks like a result" not in run("info", tmp_path / "components.txt", "-q")[1]
    (tmp_path / "far.txt").write_text("# vertex\tdistance\tparent\n0\tinf\t-1\n")
    assert "looks like a result" in refuse("info", tmp_path / "far.txt", code=5)
    (tmp_path / "edges.txt").write_text("# vertices\n0 1\ninf 1\n")
    assert "like a result" not in refuse("info", tmp_path / "edges.txt", code=5)
    np.save(tmp_path / "levels.npy", np.array([2**32 - 1, 0], np.uint32))
    assert "results are not read as graphs" in refuse("info", tmp_path / "levels.npy", code=5)


def test_one_standard_input_is_one(small):
    refuse("rank", "-", "--heads", "-", says=["only one of"], stdin="1\n2\n2\n")
    refuse("certify", "bfs", "-", "-", says=["only one of"], stdin=SMALL)


def test_a_name_may_be_as_long_as_the_system_allows(small, tmp_path):
    name = tmp_path / ("g" * 251 + ".txt")
    run("convert", small, name)
    assert "4" in name.read_text()
    assert sorted(os.listdir(tmp_path)) == ["a.txt", name.name]  # nothing temporary stays


def test_a_link_to_nothing_is_not_replaced(small, tmp_path):
    (tmp_path / "link.txt").symlink_to("nowhere/g.txt")
    refuse("convert", small, tmp_path / "link.txt", says=["link to a file that is not there"],
           code=1)
    assert (tmp_path / "link.txt").is_symlink()


@pytest.mark.parametrize("words, option", [
    (["g.mtx"], "--drop-labels"), (["g.metis", "--drop-labels"], "--drop-weights"),
    (["g.npz.gz"], None), (["-", "--to", "ldbc"], None)])
def test_only_what_helps_is_advised(words, option, tmp_path):
    """The options that change a graph are advised where one of them does what is said to be
    needed."""
    source = tmp_path / "a.txt"
    source.write_text("10 20 -1.5\n20 30 2\n")
    target = tmp_path / words[0] if words[0] != "-" else "-"
    _, err = run("convert", source, target, *words[1:], code=None)
    assert [line.split()[1] for line in err.splitlines() if line.startswith("hint: --")] == \
        ([option] if option else []), err


def test_proofs_say_what_they_prove(small, tmp_path):
    real = tmp_path / "real.txt"
    real.write_text("0 1 0.5\n1 2 0.25\n2 3 0.125\n")
    assert "certified (canonical)" in run("apsp", small, "--certify")[1]
    assert "certified 2 of 5 rows (canonical)" in run("apsp", small, "--certify-rows", 2)[1]
    assert "certified (canonical)" in run("apsp", small, "--certify-rows", 5)[1]
    assert "certified (tolerance)" in run("apsp", real, "--certify")[1]
    found = run_json("apsp", real, "--certify-rows", 3)
    assert (found["certified"], found["certified_rows"]) == ("tolerance", 3)
    assert run_json("apsp", small, "--certify")["certified_rows"] == 5
    run("apsp", real, "-o", tmp_path / "d.npy", "-q")
    assert "right within the tolerance" in run("certify", "apsp", real, tmp_path / "d.npy")[0]
    run("apsp", small, "-o", tmp_path / "e.npy", "-q")
    assert "the canonical answer" in run("certify", "apsp", small, tmp_path / "e.npy")[0]


def test_a_source_that_was_chosen_is_told(tmp_path):
    graph = tmp_path / "star.txt"
    graph.write_text("7 8\n7 9\n9 10\n")
    run("bfs", graph, "--source", 8, "-o", tmp_path / "levels.npy", "-q")
    _, err = run("certify", "bfs", graph, tmp_path / "levels.npy", code=3)
    assert "hint: no --source was given, so vertex 7" in err
    run("certify", "bfs", graph, tmp_path / "levels.npy", "--source", 8)


def test_what_would_be_gained_by_reverse_arcs(tmp_path):
    graph = tmp_path / "g.npz"
    run("generate", "rmat", "--scale", 8, "--directed", "-o", graph, "-q")
    for problem, variant in (("components", "giant-first"), ("sssp", "delta-stepping"),
                             ("bfs", "direction-optimizing")):
        _, err = run(problem, graph, "--explain")
        line = next(each for each in err.splitlines() if each.startswith("prepare"))
        assert "reverse arcs would serve" in line and variant in line
        assert line.count(variant) == 1


@pytest.mark.parametrize("verb, files", [
    ("bfs", {"-o": "r.txt"}), ("bfs", {"-o": "r.csv.gz"}),
    ("sssp", {"-o": "r.npy", "--parents": "p.npy.gz"}),
    ("components", {"-o": "r.txt", "--sizes": "s.txt", "--ids": "i.npy"}),
    ("rank", {"-o": "r.txt"}),
    ("apsp", {"-o": "r.npy", "--eccentricities": "e.txt"}),
])
def test_small_budgets_write_or_refuse_before_the_work(verb, files, tmp_path):
    """What is found is never lost for want of a buffer: under each budget the run writes the same
    bytes as with plenty of memory, or is refused before anything is solved."""
    source = tmp_path / ("list.npy" if verb == "rank" else "g.txt")
    recipe = ["list", "--n", "3000"] if verb == "rank" else ["rmat", "--scale", "8"]
    run("generate", *recipe, "-o", source, "-q")
    words = [word for option, name in files.items() for word in (option, tmp_path / name)]
    run(verb, source, *words)
    expected = {name: (tmp_path / name).read_bytes() for name in files.values()}
    codes = []
    for step in range(16):
        for name in expected:
            (tmp_path / name).unlink(missing_ok=True)
        _, err = run(verb, source, *words, "--memory", int(65536 * 2 ** (step / 2)), code=None)
        codes.append("wrote" in err)
        if codes[-1]:
            assert {name: (tmp_path / name).read_bytes() for name in expected} == expected
        else:  # nothing is told but the refusal
            assert err.startswith("hoplite:") and err.count("\n") == 1 and "--memory" in err, err
            assert not any((tmp_path / name).exists() for name in expected)
    assert codes[-1] and not codes[0]


@pytest.mark.parametrize("row", [row for row in run_json("formats")["formats"]
                                 if row["can_write"]], ids=lambda row: row["name"])
def test_a_broken_header_is_bad_input(row, small, tmp_path):
    """Each of the first bytes replaced in turn: read after all, or exit code 5."""
    name = "g" + row["suffixes"].split()[0]
    for words in (["--directed", "--drop-labels"], ["--undirected", "--drop-labels"]):
        if run("convert", small, name, "--to", row["name"], *words, code=None, cwd=tmp_path)[1] \
                .startswith("wrote"):
            break
    whole = (tmp_path / name).read_bytes()
    for at in range(0, min(len(whole), 64), 2):
        (tmp_path / name).write_bytes(whole[:at] + b"x" + whole[at + 1:])
        done = subprocess.run([HOPLITE, "info", "--from", row["name"], tmp_path / name, "-q"],
                              capture_output=True, env=clean_environment())
        assert done.returncode in (0, BAD_INPUT), (at, done.stderr)


@pytest.mark.parametrize("name, text, code", [
    ("g.mtx", "%%MatrixMarket matrx coordinate real general\n", BAD_INPUT),
    ("g.mtx", "%%MatrixMarket matrix coordinate reel general\n", BAD_INPUT),
    ("g.mtx", "%%MatrixMarket matrix coordinate\n", BAD_INPUT),
    ("g.mtx", "%%MatrixMarket matrix array real general\n", 1),
    ("g.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n", 1),
    ("g.gr", "p spp 3 3\n", BAD_INPUT), ("g.gr", "p\n", BAD_INPUT), ("g.gr", "p max 3 3\n", 1),
])
def test_what_means_nothing_and_what_is_no_graph(name, text, code, tmp_path):
    (tmp_path / name).write_text(text)
    refuse("info", tmp_path / name, code=code, says=[f"{name}:1: found"])


@pytest.mark.parametrize("words", [
    ["bfs"], ["bfs", "--certify"], ["bfs", "--in-memory"], ["bfs", "-o", "r.txt"],
    ["bfs", "-o", "r.npy", "--parents", "p.txt"], ["sssp"], ["sssp", "--certify", "-o", "r.txt.gz"],
    ["components", "--sizes", "s.txt"], ["components", "--certify"], ["rank"],
    ["rank", "--certify", "-o", "r.npy"], ["apsp", "--rows", "1,2,3"],
    ["path", "0", "17"]], ids=" ".join)
def test_a_refusal_names_all_that_is_needed(words, tmp_path):
    """What the first refusal says would do, does; and nothing smaller was asked for before it."""
    source = tmp_path / ("l.npy" if words[0] == "rank" else "g.npz")
    recipe = ["list", "--n", "200000"] if words[0] == "rank" else ["grid", "--rows", "300",
                                                                   "--cols", "300"]
    run("generate", *recipe, "-o", source, "-q")
    words = [words[0], source, *words[1:]]
    whole = run_json(*words, cwd=tmp_path)["peak_bytes"]
    refused = 0
    for part in (0.97, 0.8, 0.5, 0.2, 0.05):
        budget = int(whole * part)
        out, err = run(*words, "--memory", budget, code=None, cwd=tmp_path)
        if "needed in all" not in err:  # it got by with less, or even the file does not fit
            continue
        refused += 1
        assert err.count("\n") == 1 and "allowed" in err, err
        enough = re.search(r"--memory (\d+[KMG]) would do", err).group(1)
        run(*words, "--memory", enough, cwd=tmp_path)
        other = re.search(r"--variant (\S+), which", err)
        if other:
            run(*words, "--memory", budget, "--variant", other.group(1), cwd=tmp_path)
        refuse(*words, "--memory", budget, "--dry-run", code=1, says=["needed in all"],
               cwd=tmp_path)
    assert refused >= 1


def test_a_pipe_is_opened_once(tmp_path):
    """Who writes at once, when the other end is opened, is read and never left."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for _ in range(20):
        process = subprocess.Popen([HOPLITE, "info", pipe], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        with open(pipe, "w") as writer:
            for number in range(50):  # a first reader would be gone by one of these
                writer.write(f"{number} {number + 1}\n")
                writer.flush()
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0 and "edges      50 undirected" in out, (out, err)
