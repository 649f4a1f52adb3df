# SPDX-License-Identifier: Apache-2.0
"""hoplite-mpi: the files of hoplite, byte for byte; one voice, also of what goes on; the report of
what ranks did and waited; and jobs that lose a rank."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time
import xml.etree.ElementTree

import numpy as np
import pytest

HOPLITE = os.environ["HOPLITE"]
COMMAND = os.environ["HOPLITE_MPI"]
RUN = ["timeout", "-k", "5", "600", os.environ["HOPLITE_MPIRUN"], "--oversubscribe",
       "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"]
DOC = (pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"]) / "docs" / "json.md").read_text()
KINDS = {"integer": lambda x: isinstance(x, int) and not isinstance(x, bool),
         "number": lambda x: isinstance(x, (int, float)) and not isinstance(x, bool),
         "string": lambda x: isinstance(x, str), "boolean": lambda x: isinstance(x, bool),
         "array": lambda x: isinstance(x, list), "object": lambda x: isinstance(x, dict),
         "null": lambda x: x is None}


def run(ranks, *words, code=0):
    done = subprocess.run([*RUN, "-n", str(ranks), COMMAND, *map(str, words)], check=False,
                          capture_output=True, text=True, timeout=700)
    assert done.returncode == code, done.stderr
    return done


def alone(*words):
    subprocess.run([HOPLITE, *map(str, words)], check=True, capture_output=True, timeout=300)


@pytest.fixture(scope="module", name="graph")
def make_graph(tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "g.npz"
    alone("generate", "rmat", "--scale", "12", "--edge-factor", "6", "-o", path)
    return path


@pytest.mark.parametrize("ranks", [1, 3])
def test_files_are_those_of_hoplite(graph, tmp_path, ranks):
    alone("components", graph, "-o", tmp_path / "c.npy")
    alone("bfs", graph, "--source", "7", "-o", tmp_path / "l.npy", "--parents", tmp_path / "p.npy")
    run(ranks, "components", graph, "-o", tmp_path / "c_ranks.npy", "--certify")
    run(ranks, "bfs", graph, "--from-vertex", 7, "-o", tmp_path / "l_ranks.npy", "--parents",
        tmp_path / "p_ranks.npy", "--certify", "--message", "64K")
    for name in "clp":
        assert (tmp_path / f"{name}.npy").read_bytes() == \
            (tmp_path / f"{name}_ranks.npy").read_bytes()
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("weight", ["int32", "float64"])
def test_distances_are_those_of_hoplite(tmp_path, weight):
    path = tmp_path / "w.npz"
    alone("generate", "erdos-renyi", "--n", 500, "--m", 3000, "--weights", weight, "-o", path)
    alone("sssp", path, "--source", "7", "-o", tmp_path / "d.npy", "--parents", tmp_path / "p.npy")
    said = json.loads(run(3, "sssp", path, "--from-vertex", 7, "-o", tmp_path / "d_ranks.npy",
                          "--parents", tmp_path / "p_ranks.npy", "--certify", "--json").stdout)
    assert said["weights"] == weight and said["certified"] and said["reached"] > 400
    for name in "dp":
        assert (tmp_path / f"{name}.npy").read_bytes() == \
            (tmp_path / f"{name}_ranks.npy").read_bytes()


@pytest.mark.parametrize("ranks", [1, 3])
def test_text_and_recipes_are_those_of_hoplite(tmp_path, ranks):
    """Ids are those of the file, weights those of the file or the recipe; what is wrong is said
    with its line, and what is not possible with what to do."""
    path, made = tmp_path / "e.csv", "rmat:scale=8,edge-factor=4,weights=float32,seed=3"
    alone("generate", "rmat", "--scale", 8, "--edge-factor", 4, "--weights", "float32", "--seed", 3,
          "-o", tmp_path / "made.npz")
    path.write_text("".join(f"{i * i},{(i * 7) % 90},{i % 9 + 0.5}\n" for i in range(300)))
    for graph, whole, source in [(path, path, 49), (made, tmp_path / "made.npz", 5)]:
        alone("sssp", whole, "--source", source, "-o", tmp_path / "d.npy", "--parents",
              tmp_path / "p.npy")
        said = json.loads(run(ranks, "sssp", graph, "--source", source, "-o",
                              tmp_path / "d_ranks.npy", "--parents", tmp_path / "p_ranks.npy",
                              "--certify", "--json").stdout)
        assert said["certified"] and said["weights"] == ("float64" if graph == path else "float32")
        for name in "dp":
            assert (tmp_path / f"{name}.npy").read_bytes() == \
                (tmp_path / f"{name}_ranks.npy").read_bytes()
    path.write_text(path.read_text() + "7,x,1\n")
    assert f"{path}:301: found \"x" in run(ranks, "bfs", path, "--source", 49, code=5).stderr
    path.write_text("ann,bob\nbob,eve\neve,joe\n")
    refused = run(ranks, "bfs", path, "--source", "ann", code=1).stderr
    assert "names of text" in refused and "native file (.npz)" in refused


@pytest.mark.parametrize("edges, source, absent", [
    ("1000 7\n7 42\n42 99\n99 1000\n42 5000000000\n", "5000000000", None),
    ("3 4\n4 5\n5 6\n", "6", None),
    ("ann bob\nbob eve\neve joe\nzoe ann\n", "eve", "ev"),
])
def test_sources_by_the_ids_of_the_file(tmp_path, edges, source, absent):
    (tmp_path / "e.txt").write_text(edges)
    alone("convert", tmp_path / "e.txt", "-o", tmp_path / "e.npz")
    alone("bfs", tmp_path / "e.npz", "--source", source, "-o", tmp_path / "l.npy", "--parents",
          tmp_path / "p.npy")
    run(3, "bfs", tmp_path / "e.npz", "--source", source, "-o", tmp_path / "l_ranks.npy",
        "--parents", tmp_path / "p_ranks.npy")
    for name in "lp":
        assert (tmp_path / f"{name}.npy").read_bytes() == \
            (tmp_path / f"{name}_ranks.npy").read_bytes()
    assert absent is None or f"no vertex {absent}" in run(2, "sssp", tmp_path / "e.npz",
                                                          "--source", absent, code=2).stderr


@pytest.mark.parametrize("ranks, weight", [(1, "none"), (3, "int32"), (4, "int64"), (2, "float32"),
                                           (3, "float64")])
def test_the_matrix_is_that_of_hoplite(tmp_path, ranks, weight):
    path = tmp_path / "w.npz"
    words = [] if weight == "none" else ["--weights", weight]
    alone("generate", "erdos-renyi", "--n", 300, "--m", 700, *words, "-o", path)
    alone("apsp", path, "--variant", "dijkstra", "-o", tmp_path / "m.npy")
    said = json.loads(run(ranks, "apsp", path, "-o", tmp_path / "m_ranks.npy", "--certify",
                          "--json").stdout)
    matrix = np.load(tmp_path / "m.npy")
    reached = matrix[np.isfinite(matrix) & (matrix != np.iinfo(np.int64).max)]
    assert said["certified"] and said["diameter"] == reached.max()
    assert said["connected"] == len(reached) - 300 and said["weights"] == weight
    assert (tmp_path / "m.npy").read_bytes() == (tmp_path / "m_ranks.npy").read_bytes()
    assert not list(tmp_path.glob("*.part"))


def lists(path, successors, dtype):
    np.save(path, np.array(successors, dtype=dtype))
    return path


def shuffled(count):
    order = np.random.default_rng(4).permutation(count)
    order = np.concatenate(([0], order[order != 0])) # element 0 is the head
    successors = np.empty(count, dtype=np.int64)
    successors[order] = np.append(order[1:], order[-1])
    return successors


@pytest.mark.parametrize("ranks, dtype", [(1, "<u4"), (3, ">i8")])
def test_ranks_are_those_of_hoplite(tmp_path, ranks, dtype):
    many = np.arange(1000) + 9
    many[991:] = np.arange(991, 1000)
    (tmp_path / "heads.txt").write_text("17\n4\n")
    for successors, words in [(shuffled(5000), []), (many, ["--all"]),
                              (many, ["--head", "3", "--heads", tmp_path / "heads.txt"])]:
        path = lists(tmp_path / "list.npy", successors, dtype)
        alone("rank", path, *words, "-o", tmp_path / "r.npy")
        said = json.loads(run(ranks, "rank", path, *words, "-o", tmp_path / "r_ranks.npy",
                              "--certify", "--json").stdout)
        assert said["certified"] and said["elements"] == len(successors)
        assert said["ranks"] == ranks and said["lists"] == (1 if not words else
                                                            9 if words == ["--all"] else 3)
        assert (tmp_path / "r.npy").read_bytes() == (tmp_path / "r_ranks.npy").read_bytes()


def test_what_is_no_list_is_refused_as_hoplite_does(tmp_path):
    for successors, words in [([1, 2, 0], []), ([1, 1, 3, 3], []), ([2, 2, 2], ["--all"]),
                              ([1, 9, 1], []), ([0, 1], ["--head", "7"])]:
        path = lists(tmp_path / "list.npy", successors, np.int32)
        alone_said = subprocess.run([HOPLITE, "rank", path, *words], check=False, timeout=300,
                                    capture_output=True, text=True)
        said = run(2, "rank", path, *words, code=alone_said.returncode)
        assert alone_said.returncode in (2, 5)
        wrong = alone_said.stderr.splitlines()[0].removeprefix("hoplite: ")
        assert wrong.split(": ", 1)[1] in said.stderr


@pytest.mark.parametrize("verb", ["bfs", "sssp"])
def test_a_job_continues_on_another_number_of_ranks(tmp_path, verb):
    """Its checkpoints are those that a whole job has left: of the middle of a search, since the
    last level or limit writes none after it."""
    path, folder = tmp_path / "w.npz", tmp_path / "saved"
    alone("generate", "grid", "--rows", 20, "--cols", 20, "--weights", "int32", "-o", path)
    alone(verb, path, "--source", "7", "-o", tmp_path / "a.npy", "--parents", tmp_path / "p.npy")
    words = [verb, path, "--from-vertex", 7, "--checkpoint", folder, "--checkpoint-every", 0]
    run(3, *words)
    assert len(list(folder.iterdir())) == 2
    for ranks in (1, 2):
        said = json.loads(run(ranks, *words, "--resume", "-o", tmp_path / "b.npy", "--parents",
                              tmp_path / "q.npy", "--certify", "--json").stdout)
        assert f"continued from {verb}-" in said["resumed"] and said["certified"]
        assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()
        assert (tmp_path / "p.npy").read_bytes() == (tmp_path / "q.npy").read_bytes()
    refused = run(2, verb, path, "--from-vertex", 8, "--checkpoint", folder, "--resume", code=2)
    assert "other sources" in refused.stderr
    assert "--checkpoint FOLDER" in run(1, verb, path, "--from-vertex", 8, "--resume",
                                        code=2).stderr
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes()[:5000])
    assert "cut off" in run(2, *words, "--resume", code=5).stderr


def test_report(graph):
    said = json.loads(run(3, "components", graph, "--json").stdout)
    assert said["ranks"] == 3 and said["verb"] == "components" and not said["directed"]
    assert said["arcs"] == 2 * said["edges"] and said["imbalance"] < 1.01
    phases = {phase["name"]: phase for phase in said["phases"]}
    assert phases["components: roots"]["bytes"] > 0
    assert all(phase["control_bytes"] % 8 == 0 and phase["rounds"] > 0
               for phase in said["phases"])
    made = json.loads(run(2, "info", "rmat:scale=12,edge-factor=6", "--json").stdout)
    assert made["edges"] == said["edges"]


def described(heading):
    """Of the table of hoplite-mpi that begins so: member -> its types, and of which verbs it is."""
    section = DOC.split("\n## hoplite-mpi\n")[1].split("\n## ")[0]
    table = section.split(f"\n| {heading} |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", table, re.M)
    return {name: (kind.partition(",")[0].split(" or "), kind.partition(",")[2].strip())
            for name, kind in rows}


def is_in(where, verb):
    """Whether a member is always there, by what its row says of verbs."""
    verbs = re.findall(r"\w+", where.removeprefix("not in ").removeprefix("in "))
    return not where or (verb not in verbs if where.startswith("not in ") else
                         where.startswith("in ") and verb in verbs)


def check_described(found, rows, verb):
    for name, value in found.items():
        assert name in rows, f"{verb}: {name} is not described"
        kinds, where = rows[name]
        assert any(KINDS[kind](value) for kind in kinds), (verb, name, value)
        assert where.startswith("with ") or is_in(where, verb), (verb, name)
    for name, (_, where) in rows.items():
        assert name in found or not is_in(where, verb), (verb, name)


def check_figures(said):
    """Seconds are in order, what was waited is part of what was spent, and the most of a rank is
    between the mean and all."""
    def in_order(of):
        assert set(of) == {"least", "mean", "most"}
        assert 0 <= of["least"] <= of["mean"] * (1 + 1e-9) <= of["most"] * (1 + 1e-8)
        return of
    ranks = said["ranks"]
    in_order(said["working_seconds"])
    waited = in_order(said["waiting_seconds"])
    for phase in said["phases"]:
        spent, waiting = in_order(phase["seconds"]), in_order(phase["waiting_seconds"])
        for which in spent:
            # Each rank's are cut to nanoseconds, of numbers that are rounded.
            assert waiting[which] <= spent[which] * (1 + 1e-9) + 2e-9
            assert waiting[which] <= waited[which] * (1 + 1e-9) + 2e-9
        mean = phase["bytes"] / ranks
        assert phase["imbalance"] == pytest.approx(
            phase["most_bytes_per_rank"] / mean if mean else 1)
        assert 1 - 1e-9 <= phase["imbalance"] <= ranks + 1e-9


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_report_of_every_verb(graph, tmp_path, ranks):
    """Every member is described in docs/json.md, and has its type; figures of ranks fit."""
    weights = tmp_path / "w.npz"
    alone("generate", "grid", "--rows", 9, "--cols", 9, "--weights", "int32", "-o", weights)
    tree = ["--checkpoint", tmp_path / "saved", "--resume"]
    for words in (["components", graph], ["bfs", graph, "--from-vertex", 7],
                  ["sssp", weights, "--from-vertex", 7, *tree], ["info", graph],
                  ["apsp", weights, "--certify"],
                  ["rank", lists(tmp_path / "list.npy", shuffled(999), "<i4")]):
        said = json.loads(run(ranks, *words, "--json").stdout)
        assert said.pop("schema") == 1 and said.pop("verb") == words[0]
        check_described(said, described("member"), words[0])
        for phase in said["phases"]:
            check_described(phase, described("member of a phase"), words[0])
        assert said["ranks"] == ranks and said["phases"]
        check_figures(said)
        if ranks == 3: # in words it is the same for any number
            told = run(ranks, *words).stderr
            assert all(phase["name"] in told for phase in said["phases"])
            assert "worked" in told and "waited" in told and " message" in told


def test_the_report_as_a_picture(graph, tmp_path):
    """A bar for the job and each phase, whose parts are the figures of the report."""
    path = tmp_path / "r.svg"
    said = json.loads(run(3, "bfs", graph, "--from-vertex", 7, "--plot", path, "--json").stdout)
    drawn = xml.etree.ElementTree.parse(path).getroot()
    texts = ["".join(each.itertext()) for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    bars = [float(each.get("width")) for each in drawn.iter("{http://www.w3.org/2000/svg}rect")][3:]
    rows = [phase["name"] for phase in said["phases"]]
    assert f"bfs {graph} on 3 ranks"[:90] == texts[0][:90]
    assert [text for text in texts if text in rows] == rows and "the whole job" in texts
    assert len(bars) == 2 * (len(rows) + 1)
    for at, phase in enumerate(said["phases"]):
        worked, waited = bars[2 * at + 2], bars[2 * at + 3]
        share = phase["waiting_seconds"]["mean"] / phase["seconds"]["mean"]
        assert abs(waited - share * (worked + waited)) < 0.11
        sent = f", {phase['messages']} message"
        assert any(sent in text and f", {phase['rounds']} round" in text for text in texts)
    assert run(2, "info", graph, "--plot", tmp_path / "r.png", code=2).stderr.count(".svg") >= 1


@pytest.mark.parametrize("ranks, vertices", [(4, 9), (4, 200), (6, 70)])
def test_a_rank_without_a_tile_reports(ranks, vertices):
    """On a grid a rank may have no part in some phases, or come to them in another order: the
    bytes of each are still its own. In a round a tile goes along a row and a column of ranks, and
    so do the tiles of a row and a column of the matrix."""
    said = json.loads(run(ranks, "apsp", f"list-graph:n={vertices}", "--certify", "--json").stdout)
    tiles = {phase["name"]: phase for phase in said["phases"]}
    rows, columns = tiles["apsp: rows"], tiles["apsp: columns"]
    assert rows["bytes"] > 0 and columns["bytes"] > 0
    assert rows["bytes"] + columns["bytes"] == \
        rows["rounds"] * tiles["apsp: diagonal"]["bytes"]
    check_figures(said)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_only_the_first_rank_tells_what_goes_on(ranks):
    """A level for each vertex: more than anybody waits for. The job is ended when it has told."""
    words = [*RUN, "--tag-output", "-n", str(ranks), COMMAND, "bfs", "list-graph:n=4000000",
             "--from-vertex", "0", "--progress"]
    told = []
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True) as job:
        for line in job.stderr:
            told.append(line)
            if "bfs: vertices" in line:
                break
        job.terminate()
        job.stderr.read()
    assert all(line.startswith("[1,0]<stderr>:") for line in told), told
    assert re.search(r"bfs: vertices.* \d+ %", told[-1]), told
    assert "\r" not in "".join(told) and "\033" not in "".join(told)


@pytest.mark.parametrize("words", [[], ["--progress", "--quiet"]])
def test_nothing_is_told_where_nobody_looks(words):
    done = run(1, "bfs", "list-graph:n=300000", "--from-vertex", 0, "--json", *words)
    assert done.stderr == "" and json.loads(done.stdout)["reached"] == 300000


def test_errors_are_said_once(tmp_path):
    done = run(3, "components", tmp_path / "none.npz", code=1)
    assert done.stderr.count("hoplite-mpi: ") == 1 and "none.npz" in done.stderr
    done = run(2, "bfs", "rmat:scale=5", code=2)
    assert done.stderr.count("--source V or --from-vertex V is needed") == 1
    done = run(2, "bfs", "rmat:scale=5", "--from-vertex", 99, code=2)
    assert "32 vertices" in done.stderr
    done = run(2, "components", "rmat:scale=5", "-o", tmp_path / "x.txt", code=2)
    assert ".npy" in done.stderr and not list(tmp_path.iterdir())
    failed = json.loads(run(2, "components", tmp_path / "no.npz", "--json", code=1).stdout)
    assert failed["error"]["exit_code"] == 1


def test_help_needs_no_job():
    for words in (["--help"], ["bfs", "--help"], ["--version"]):
        done = subprocess.run([COMMAND, *words], check=True, capture_output=True, text=True,
                              timeout=300)
        assert "hoplite-mpi" in done.stdout


def children(parent):
    """What the process has started, and what those have."""
    found = set()
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found |= {int(entry.parent.name)} | children(int(entry.parent.name))
    return found


def ranks_of(job):
    """The processes of the job that are ranks, in the order in which they were started."""
    found = []
    for process in children(job):
        try:
            if os.readlink(f"/proc/{process}/exe") == os.path.realpath(COMMAND):
                found.append(process)
        except OSError:
            pass
    return sorted(found)


def processor_seconds(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for_ranks(job):
    """Until three ranks have worked for longer than MPI takes to start, however long that takes by
    the clock: a rank lost while MPI starts is Open MPI's to notice."""
    until = time.monotonic() + 500
    while job.poll() is None and time.monotonic() < until:
        found = ranks_of(job.pid)
        if len(found) == 3 and min(map(processor_seconds, found)) > 1.5:
            return found
        time.sleep(0.1)
    return pytest.fail(f"the ranks do not come to work: {job.poll()}")


@pytest.mark.parametrize("victim", [0, 2])
def test_a_killed_rank_ends_the_job(victim):
    """A search of more levels than anybody waits for; one rank is gone: the job ends with an error,
    and nothing hangs."""
    with subprocess.Popen([*RUN, "-n", "3", COMMAND, "bfs", "list-graph:n=10000000",
                           "--from-vertex", "0"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as job:
        found = wait_for_ranks(job)
        os.kill(found[victim], signal.SIGKILL)
        assert job.wait(timeout=300) not in (0, 124)
