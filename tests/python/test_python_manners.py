# SPDX-License-Identifier: Apache-2.0
"""What Python programmers take for granted: constructors that refuse, copies and pickles, equality,
exceptions that are the built-in ones, signatures, hints, and nothing printed by itself."""

import copy
import errno
import inspect
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import time
import typing

import numpy as np
import pytest

import hoplite
from hoplite import _loading


def town():
    return hoplite.generate.road(6, 6, weights="int32", max_weight=20)


def run(program, **environment):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          check=False, env={**os.environ, **environment})


@pytest.mark.parametrize("wrong", [12345, 0, [(0, 1)], None, "graph.npz", np.zeros((2, 2))],
                         ids=repr)
def test_a_graph_is_not_made_by_its_class(wrong):
    with pytest.raises(TypeError, match="Graph.from_edges"):
        hoplite.Graph(wrong)


def test_no_graph_is_left_half_made():
    """It has ended in a segmentation fault, and in an exception in a finalizer."""
    done = run("import hoplite\nfor wrong in 12345, [(0, 1)]:\n"
               "    try:\n        hoplite.Graph(wrong).vertices\n"
               "    except TypeError as error:\n        print(error)\n")
    assert done.returncode == 0 and done.stdout.count("from_edges") == 2 and not done.stderr


def all_results(graph):
    yield hoplite.bfs(graph, [0, 3], targets=[5], max_level=9)
    yield hoplite.bfs(graph, 0, parents=False)
    yield hoplite.components(graph)
    yield hoplite.sssp(graph, 0, cutoff=30)
    yield hoplite.sssp(graph, 0, targets=[7])
    yield hoplite.apsp(graph)
    yield hoplite.apsp(graph, sources=[4, 2], dtype="int32")
    yield hoplite.rank(hoplite.generate.list(50))
    yield hoplite.rank([1, 1, 3, 3], heads=[0, 2])


COPIES = {"copy": copy.copy, "deepcopy": copy.deepcopy,
          "pickle": lambda thing: pickle.loads(pickle.dumps(thing))}


def arrays_of(result):
    return {name: value for name, value in vars(result).items() if isinstance(value, np.ndarray)}


@pytest.mark.parametrize("way", COPIES)
def test_results_are_copied_and_pickled(way):
    for result in all_results(town()):
        again = COPIES[way](COPIES[way](result))
        assert type(again) is type(result) and repr(again) == repr(result)
        theirs = arrays_of(again)
        for name, value in arrays_of(result).items():
            assert np.array_equal(theirs[name], value) and theirs[name].dtype == value.dtype
        assert repr(again.report) == repr(result.report)
        assert again.report.phases == result.report.phases
        assert again.report.counters == result.report.counters
        again.certify()
        if isinstance(result, hoplite.ApspResult):
            assert np.array_equal(again.path(4, 2), result.path(4, 2))
        elif isinstance(result, hoplite.Tree) and result.parents is not None:
            assert np.array_equal(again.path(3), result.path(3))
        certified = next(name for name in ("levels", "labels", "distances", "ranks")
                         if hasattr(again, name))
        if way != "copy":  # which shares its arrays
            getattr(again, certified)[..., -1] ^= 1
            with pytest.raises(hoplite.CertificateError):
                again.certify()
            result.certify()


def graphs(folder):
    """One of each origin: own arrays, borrowed ones, a mapped file; weights and labels."""
    edges, weights = town().edge_list()
    yield town()
    yield hoplite.Graph.from_edges(edges, directed=True)
    yield hoplite.Graph.from_edges(edges * 3 + 1, weights=weights / 4, ids="sparse")
    yield hoplite.Graph.from_csr(np.array([0, 1, 2]), np.array([1, 0], np.uint32), [1.5, 2.5])
    path = pathlib.Path(folder) / "town.npz"
    town().write(path)
    yield hoplite.Graph.read(path)


def test_graphs_are_equal_by_contents(tmp_path):
    seen = list(graphs(tmp_path))
    for graph in seen:
        for way in COPIES.values():
            again = way(graph)
            assert again == graph and not again != graph and hash(again) == hash(graph)
            assert again.hash() == graph.hash() and len({again, graph}) == 1
        assert graph != graph.hash() and graph != "graph"
    assert [graph == seen[0] for graph in seen] == [True, False, False, False, True]
    assert len(set(seen)) == 4


def test_equality_sees_every_part():
    def made(targets=(1, 0), weights=(1.0, 2.0), labels=None, directed=True, kind=np.float64):
        return hoplite.Graph.from_csr(
            np.array([0, 1, 2]), np.array(targets, np.uint32),
            None if weights is None else np.array(weights, kind), labels=labels, directed=directed)

    plain = made()
    assert plain == made()
    wide = hoplite.Graph.from_csr(np.array([0, 1, 2], np.uint64), np.array([1, 0], np.uint32),
                                  [1.0, 2.0])
    narrow = hoplite.Graph.from_csr(np.array([0, 1, 2], np.uint32), np.array([1, 0], np.uint32),
                                    [1.0, 2.0])
    assert wide == narrow and hash(wide) == hash(narrow)
    for other in (made(targets=(0, 1)), made(weights=None), made(weights=(1.0, 2.5)),
                  made(labels=[5, 9]), made(kind=np.float32), made(weights=(1, 2), kind=np.int64)):
        assert other != plain
    assert made(weights=(0.0, 1.0)) != made(weights=(-0.0, 1.0))  # as their hashes
    assert made(weights=(1.0, 1.0), directed=False) != made(weights=(1.0, 1.0))


def test_a_deep_copy_owns_its_arrays(tmp_path):
    weights = np.array([1.0, 2.0])
    graph = hoplite.Graph.from_csr(np.array([0, 1, 2]), np.array([1, 0], np.uint32), weights)
    again, same = copy.deepcopy(graph), copy.copy(graph)
    weights[0] = 7
    assert same is graph and again.weights.tolist() == [1, 2]
    own = town()
    assert copy.deepcopy(own) is own  # nobody can change it
    path = tmp_path / "town.npz"
    own.write(path)
    mapped = hoplite.Graph.read(path)
    assert mapped.info().mapped and not copy.deepcopy(mapped).info().mapped


def test_failures_of_files_are_os_errors(tmp_path):
    missing = tmp_path / "none.npz"
    with pytest.raises(FileNotFoundError) as caught:
        hoplite.Graph.read(missing)
    error = caught.value
    assert isinstance(error, hoplite.FileError) and isinstance(error, OSError)
    assert (error.errno, error.filename) == (errno.ENOENT, missing)
    assert error.strerror == os.strerror(errno.ENOENT) and str(missing) in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error)
    assert (again.errno, again.filename) == (error.errno, error.filename)
    with pytest.raises(FileNotFoundError) as caught:
        town().write(str(tmp_path / "no/such/folder.npz"))
    assert caught.value.filename == str(tmp_path / "no/such/folder.npz")
    with pytest.raises(hoplite.FileError) as caught:
        hoplite.Graph.read(tmp_path)
    assert caught.value.filename == tmp_path
    full = pathlib.Path("/dev/full")
    if full.exists():
        with pytest.raises(hoplite.FileError) as caught:
            town().write(full, format="edge-list")
        assert caught.value.errno == errno.ENOSPC


def lone_words(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("0 1\n0 x\n")
    return hoplite.Graph.read(path, format="edge-list")


FAILURES = [
    (lambda _: hoplite.bfs(town(), 0, memory=10), hoplite.BudgetError,
     {"kind": "budget", "remedy": "raise_memory", "needed": int, "available": int},
     r'raise the budget \(memory="?\w*"?\)$'),
    (lambda _: hoplite.bfs(town(), 0, variant="sequentiall"), hoplite.ArgumentError,
     {"kind": "name", "remedy": "other_name", "found": "sequentiall", "name": "sequential"},
     "did you mean 'sequential'"),
    (lambda _: hoplite.bfs(town(), 0, variant="frontier"), hoplite.DeviceError,
     {"kind": "no_device", "remedy": "choose_device", "name": "frontier"}, "device= names one$"),
    (lambda _: hoplite.Graph.from_edges([(0, 2**40)]), hoplite.InputError,
     {"kind": "data", "remedy": "sparse_ids", "vertex": 2**40}, 'ids="sparse"$'),
    (lone_words, hoplite.InputError,
     {"kind": "id", "remedy": None, "line": 2, "found": "x", "file": str}, r"words.txt:2: "),
    (lambda folder: hoplite.Graph.read(folder / "none.npz"), FileNotFoundError,
     {"kind": "system", "file": str, "errno": errno.ENOENT}, "none.npz"),
    (lambda folder: hoplite.Graph.from_edges([(0, 1)], weights=[-1.5]).write(folder / "g.gr"),
     hoplite.UnsupportedError, {"kind": "unsupported", "remedy": "drop_weights", "file": str},
     "weights=False"),
]


@pytest.mark.parametrize("call, kind, wanted, text", FAILURES)
def test_failures_have_data(call, kind, wanted, text, tmp_path):
    """For programs; and what would help is said by keywords, not by flags of the command."""
    with pytest.raises(kind, match=text) as caught:
        call(tmp_path)
    error = caught.value
    again = pickle.loads(pickle.dumps(error))
    for name, value in wanted.items():
        found = getattr(error, name)
        assert found == value or (isinstance(value, type) and isinstance(found, value)), name
        assert getattr(again, name) == found
    assert "--" not in str(error) and "HOP_" not in str(error)
    assert error.arc is None and hoplite.Error.kind is None


def test_what_is_enough_is_enough():
    """The budget that a refusal names is one that does."""
    graph = hoplite.generate.rmat(scale=10, weights="int32")
    for call in (hoplite.bfs, hoplite.sssp):
        with pytest.raises(hoplite.BudgetError) as caught:
            call(graph, 0, memory=1000)
        budget = re.search(r'memory="(\w+)"', str(caught.value)).group(1)
        assert caught.value.enough >= caught.value.needed > caught.value.available
        assert call(graph, 0, memory=budget) and call(graph, 0, memory=caught.value.enough)


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path):
    path = tmp_path / "town.npz"
    town().write(path)
    path.chmod(0)
    with pytest.raises(PermissionError):
        hoplite.Graph.read(path)


def test_nothing_is_printed():
    done = run("import hoplite\ng = hoplite.Graph.from_edges([(0, 1)])\n"
               "try:\n    hoplite.bfs(g, 0, threads=10**6)\n"
               "except hoplite.ArgumentError as error:\n"
               "    print(error, error.__context__)\n")
    assert re.fullmatch(r".*1000000 threads.*4096.* None\n", done.stdout), done.stdout
    assert done.stderr == ""
    heard = run("import logging\nlogging.basicConfig()\nimport hoplite\n"
                "try:\n    hoplite.generate.grid(2, 2, threads=10**6)\n"
                "except hoplite.ArgumentError:\n    pass\n")
    assert "hoplite:context: 1000000 threads" in heard.stderr


def public_functions():
    for where in (hoplite, hoplite.generate):
        for name in getattr(where, "__all__", [each for each in vars(where) if each[0] != "_"]):
            thing = getattr(where, name)
            if inspect.isfunction(thing) and thing.__module__.startswith("hoplite"):
                yield name, thing
            elif inspect.isclass(thing) and where is hoplite:
                for inner, value in vars(thing).items():
                    value = getattr(value, "__func__", value)
                    if inspect.isfunction(value) and not inner.startswith("_"):
                        yield f"{name}.{inner}", value


@pytest.mark.parametrize("name, function", list(public_functions()))
def test_signatures_and_hints(name, function):
    said = inspect.signature(function).parameters
    hints = typing.get_type_hints(function)
    assert not {"how", "recipe"} & set(said) and not {"how", "recipe"} & set(hints)
    if "threads" in said:
        assert set(hoplite.How.__annotations__) <= set(said)
        assert all(said[each].kind is inspect.Parameter.KEYWORD_ONLY
                   for each in hoplite.How.__annotations__)
        assert said["seed"].default == 1 and said["threads"].default is None


def test_every_call_shows_how():
    shown = {name for name, function in public_functions()
             if "threads" in inspect.signature(function).parameters}
    assert {"bfs", "components", "sssp", "apsp", "apsp_rows", "apsp_summary", "rank", "options",
            "rmat", "Graph.from_edges", "Graph.read", "Graph.write", "Tree.path"} <= shown
    graph = town()  # and takes it
    assert hoplite.bfs(graph, 0, threads=1, device=None, memory=None, seed=1, progress=None)


def test_a_keyword_that_is_nearly_right():
    graph = town()
    with pytest.raises(TypeError, match="'target'; did you mean 'targets'"):
        hoplite.sssp(graph, 0, target=2)
    with pytest.raises(TypeError, match="'thread'; did you mean 'threads'"):
        hoplite.components(graph, thread=2)
    with pytest.raises(TypeError, match="'weight'; did you mean 'weights'"):
        hoplite.Graph.from_edges([(0, 1)], weight=[2])
    with pytest.raises(TypeError, match="'xyz'; there are graph, variant, params, certify, thr"):
        hoplite.components(graph, xyz=2)
    with pytest.raises(TypeError, match="'sep'; there are path, .* delimiter, .* progress$"):
        hoplite.Graph.read("none.csv", sep=",")


def test_a_word_is_not_true():
    for word in ("no", "false", b"yes"):
        with pytest.raises(TypeError, match="directed must be True or False, not"):
            hoplite.Graph.from_edges([(0, 1)], directed=word)
        with pytest.raises(TypeError, match="directed must be True or False, not"):
            hoplite.Graph.read("none.csv", directed=word)
    assert hoplite.Graph.from_edges([(0, 1)], directed=np.True_).directed


def test_names_of_other_libraries():
    with pytest.raises(AttributeError, match="no attribute 'dijkstra'; here it is hoplite.sssp$"):
        hoplite.dijkstra
    with pytest.raises(AttributeError, match=r"hoplite.measure\(graph, 'edge-betweenness'\)"):
        hoplite.edge_betweenness
    with pytest.raises(AttributeError, match="no attribute 'nonsense'$"):
        hoplite.nonsense
    for name in hoplite._CALLED_ELSEWHERE.values():
        assert callable(eval(f"hoplite.{name}"))
    with pytest.raises(TypeError, match=r"Graph.from_edges, .*, not by Graph\(\)$"):
        hoplite.Graph()
    with pytest.raises(TypeError, match="not a graph of NetworkX"):
        hoplite.Graph.from_edges(type("Graph", (), {"number_of_nodes": len})())


def test_numbers_that_are_none_are_named():
    graph = town()
    for wrong, says in [
            (lambda: hoplite.sssp(graph, 0, cutoff="3"), "cutoff must be a number, not '3'"),
            (lambda: hoplite.all_paths(graph, 0, cutoff="3"), "cutoff must be a number, not '3'"),
            (lambda: hoplite.Index(graph, landmarks="3"), "landmarks must be an integer, not str"),
            (lambda: hoplite.Index(graph, landmarks=65), "65 landmarks; from 1 to 64"),
            (lambda: hoplite.Index(graph, ["landmarks"]), 'kind must be "contraction", "landm'),
            (lambda: hoplite.distances(graph, (0, 1)), "a list of pairs .from, to., such as"),
            (lambda: hoplite.distances(graph, ("ab", "cd")), "a list of pairs .from, to., such as"),
            (lambda: hoplite.distances(graph, 0), "a list of pairs .from, to., such as")]:
        with pytest.raises((TypeError, ValueError), match=says):
            wrong()
    assert hoplite.sssp(graph, 0, cutoff=np.float32(2)).distances[0] == 0


def test_what_is_shown_is_no_address():
    graph = hoplite.Graph.from_edges([(0, 1), (1, 2)])
    for shown in (hoplite.Index(graph), hoplite.all_paths(graph, 0), graph, graph.info(),
                  hoplite.bfs(graph, 0), hoplite.bfs(graph, 0).report, hoplite.variants("bfs")[0],
                  hoplite.strong_components(graph), hoplite.spanning_forest(graph)):
        assert " at 0x" not in repr(shown) and "hoplite._" not in repr(shown)


TABLES = [
    ("a,b,1\n", {"columns": [1, 2]}, 'names, or numbers from 1 in a text such as "1,2,4", not'),
    ("a,b,1\n", {"columns": ["a,b", "c"]}, "the name 'a,b' has a comma"),
    ("a,b,1\n", {"columns": 5}, "columns must be a text .*, or a list of names, not int"),
    ("a,b,1\n", {"header": 0}, "header must be True if the first line has the names"),
    ("id,from,to\n1,a,b\n1,b,c\n", {"columns": ["from", "too"]}, "from, to$"),
    ("id,from,to,km\n1,a,b,2\n", {}, 'columns="from,to,weight" says which columns to read'),
    ("1,2,x\n", {}, 'expected a weight; columns="from,to,weight" says'),
    ("1,2\n3,x\n", {}, "names=True takes ids as text, columns="),
    ("1,2\n3,x\n", {"columns": "1,2"}, "names=True takes ids as text$"),
    ("a;b;3,5\n", {}, 'a decimal point here; pandas.read_csv.* decimal=","'),
]


@pytest.mark.parametrize("text, how, says", TABLES)
def test_what_helps_with_a_table(text, how, says, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    for call in (hoplite.Graph.read, hoplite.Graph.join_file,
                 lambda path, **how: hoplite.convert(path, tmp_path / "t.npz", **how)):
        with pytest.raises((TypeError, ValueError), match=says) as caught:
            call(tmp_path / "t.csv", **how)
        assert "--" not in str(caught.value)
        again = pickle.loads(pickle.dumps(caught.value))
        assert str(again) == str(caught.value)


def test_columns_in_a_list(tmp_path):
    (tmp_path / "t.csv").write_text("id,from,to,km\n1,a,b,2.5\n1,b,c,1\n")
    for columns in (["from", "to", "km"], ("from", "to", "km"), ["2", "3", "4"], "from,to,km"):
        graph = hoplite.Graph.read(tmp_path / "t.csv", columns=columns)
        assert list(graph.labels) == ["a", "b", "c"] and list(graph.weights) == [2.5, 2.5, 1, 1]


@pytest.mark.parametrize("edges, hint", [
    (np.zeros((2, 7), int), r"\(2, 7\); transpose it: from_edges\(e\.T\)"),
    (np.zeros((7, 3)), "third column apart: from_edges"),
    ([(0, 1, 2.5), (1, 2, 0.5)], "weights="), (np.zeros((7, 4), int), r"not \(7, 4\)$"),
    (np.zeros(7, int), r"not \(7,\)$")], ids=str)
def test_edges_of_other_shapes(edges, hint):
    with pytest.raises(ValueError, match=hint):
        hoplite.Graph.from_edges(edges)


def test_pairs_and_weights_in_their_order():
    with pytest.raises(ValueError, match="weights="):
        hoplite.Graph.from_edges([(0, 1), (1, 2)], [5, 7])


def test_a_library_that_the_library_needs(tmp_path):
    """The hint is about what is missing, not about where the library is."""
    loaded = _loading.library_path()
    said = "libz.so.1: cannot open shared object file: No such file or directory"
    assert "zlib1g" in _loading.remedy(loaded, said)
    assert "HOPLITE_LIBRARY" not in _loading.remedy(loaded, said)
    own = f"{loaded}: cannot open shared object file: No such file or directory"
    assert "HOPLITE_LIBRARY" in _loading.remedy(loaded, own)
    compiler = os.environ.get("HOPLITE_CC") or shutil.which("cc")
    if not compiler:
        pytest.skip("no compiler")
    needed, needing = tmp_path / "libneeded.so.1", tmp_path / "libhoplite.so"
    for made, *extra in ((needed,), (needing, str(needed))):
        subprocess.run([compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", str(made),
                        "-Wl,--no-as-needed", f"-Wl,-soname,{made.name}", "-x", "none", *extra],
                       input="", text=True, check=True)
    needed.unlink()
    done = run("import hoplite", HOPLITE_LIBRARY=str(needing))
    assert "needs libneeded.so.1: install" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("phase", ["build: count", "build: partition", "build: sort"])
def test_a_build_stops_in_the_middle_of_a_phase(phase):
    """What is left of it is not done any more: the processors' time after the request is short. On
    two threads: each of them ends its piece."""
    edges = np.random.default_rng(1).integers(0, 2**19, (3_000_000, 2), dtype=np.uint32)
    asked = []

    def stop(now, done, total):
        if now == phase and done < total / 3:
            asked.append(time.process_time())
        return not asked

    begin = time.process_time()
    hoplite.Graph.from_edges(edges, threads=2)
    whole, shares = time.process_time() - begin, []
    for _ in range(20):
        asked.clear()
        try:
            hoplite.Graph.from_edges(edges, progress=stop, threads=2)
        except hoplite.CancelledError:
            shares.append((time.process_time() - asked[0]) / whole)
        if shares and min(shares) < 0.15:
            return
    assert not shares, shares  # no report may have come in the first third of this phase
