# SPDX-License-Identifier: Apache-2.0
"""Commands of `hoplite` that together make every kind of call on files: what tools/soak_faults,
tools/soak_power and tools/soak_kills run. Each is quick and gives the same bytes each time."""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess

# Suffixes of the formats that are written, with the graph of `prepare` that each can hold.
FORMATS = {".npz": "weighted", ".txt": "weighted", ".csv": "weighted", ".txt.gz": "weighted",
           ".mtx": "weighted", ".gr": "weighted", ".graph": "weighted", ".v": "weighted",
           ".wsg": "weighted", ".sgr": "directed", ".g500": "real", ".g500-64": "real"}
OLD = b"what was here before\n"


class Wrong(Exception):
    """What was found."""


@dataclasses.dataclass(frozen=True)
class Job:
    """`words` are the arguments; IN/ and OUT/ in them are folders, the second empty at first, or
    with OLD under the names of `outputs`. `stays` are files that a failure may leave there."""
    name: str
    words: str
    outputs: tuple = ()
    stdin: str = ""
    stays: tuple = ()
    says: bool = False  # its standard output is the same each time
    old: bool = False
    rows: bool = False  # its output has times in it; what matters are whole rows, each run once
    begins: str = ""  # files of this pattern in IN/ are in OUT/ before
    keeps: str = ""  # files of this pattern may be there after it, whatever came of it
    setting: str = ""  # of the environment, NAME=OUT/...
    cluster: bool = False  # it is one of hoplite-mpi

    def line(self, source, target):
        words = [word.replace("IN/", f"{source}/").replace("OUT/", f"{target}/").rstrip("/")
                 for word in self.words.split()]
        return words + ["--threads", "1"] * (not self.says or "-o" in words)


def format_jobs():
    for suffix, graph in FORMATS.items():
        outputs = ("g.v", "g.e", "g.properties") if suffix == ".v" else (f"g{suffix}",)
        yield Job(f"write {suffix}", f"convert IN/{graph}.npz OUT/g{suffix} -q", outputs)
        yield Job(f"read {suffix}", f"convert IN/{graph}{suffix} OUT/g.npz -q", ("g.npz",))


def many_jobs():
    """Those that have many rows, tables, paths or cells to say."""
    return [
        Job("closure", "closure IN/directed.npz --certify -o OUT/c.csv -q", ("c.csv",)),
        Job("closure rows", "closure IN/directed.npz --rows-from IN/vertices.txt --backward -q",
            says=True),
        Job("closure packed", "closure IN/large.npz --rows-from IN/vertices.txt --memory 4M "
            "-o OUT/c.txt.gz -q", ("c.txt.gz",)),
        Job("table", "table IN/weighted.npz --sources IN/vertices.txt --target 3,4 --certify "
            "-o OUT/t.npy -q", ("t.npy",)),
        Job("table as text", "table IN/real.npz --sources IN/vertices.txt -o OUT/t.csv -q",
            ("t.csv",)),
        Job("all paths", "path IN/unit.npz 1 5 --all-paths --limit 50 --certify -q", says=True),
        Job("all paths in a file", "path IN/unit.npz 1 5 --all-paths -o OUT/p.csv -q", ("p.csv",)),
        Job("cells", "measure voronoi IN/weighted.npz --centers-from IN/vertices.txt --certify "
            "-o OUT/m.csv -q", ("m.csv",)),
    ]


def index_jobs():
    return [
        Job("index", "index IN/road.npz --kind contraction -o OUT/x.npz -q", ("x.npz",)),
        Job("index by landmarks", "index IN/weighted.npz --kind landmarks -o OUT/x.npz -q",
            ("x.npz",)),
        Job("path by an index", "path IN/road.npz 1 50 --index IN/road.index.npz -q", says=True),
        Job("pairs by an index", "path IN/weighted.npz --pairs IN/pairs.txt --index "
            "IN/weighted.index.npz --certify -o OUT/p.csv -q", ("p.csv",)),
    ]


def cluster_jobs():
    """Of one rank, which needs no mpirun. They keep the state of their last two rounds."""
    for verb, name in (("bfs", "b.npy"), ("sssp", "s.npy")):
        words = (f"{verb} IN/chain.npz --from-vertex 0 --checkpoint OUT/ --checkpoint-every 0 "
                 f"--resume -o OUT/{name} -q")
        job = Job(f"cluster {verb}", words, (name,), keeps=f"{verb}-*.checkpoint",
                  cluster=True)
        yield job
        yield dataclasses.replace(job, name=f"{job.name} resumed", begins=job.keeps)


def cluster_command(hoplite):
    return hoplite.with_name("hoplite-mpi")


def jobs(hoplite):
    """All of them that this command has, by name."""
    scratch = "--variant blocked-disk --set side=16 --scratch OUT/tiles"
    disk = "--memory 7500K -q"
    found = [
        *format_jobs(),
        *index_jobs(),
        *many_jobs(),
        Job("read npy", "convert IN/edges.npy OUT/g.npz -q", ("g.npz",)),
        Job("read names", "convert IN/names.csv OUT/g.npz -q", ("g.npz",)),
        Job("read in memory", "convert IN/weighted.npz --in-memory --verify OUT/g.txt -q",
            ("g.txt",)),
        Job("read a pipe", "convert - --from edge-list OUT/g.npz -q", ("g.npz",),
            stdin="weighted.txt"),
        Job("write a pipe", "convert IN/weighted.npz -o - --to edge-list -q", says=True),
        Job("write over", "convert IN/weighted.txt OUT/g.npz -q", ("g.npz",), old=True),
        Job("write text over", "convert IN/weighted.npz OUT/g.txt -q", ("g.txt",), old=True),
        Job("subgraph", "convert IN/weighted.npz --vertices IN/vertices.txt OUT/g.mtx -q",
            ("g.mtx",)),
        Job("generate", "generate rmat --scale 6 --weights float32 -o OUT/g.npz -q", ("g.npz",)),
        Job("generate a list", "generate list --n 50 -o OUT/l.npy -q", ("l.npy",)),
        Job("build on disk", f"generate rmat --scale 14 --weights int32 -o OUT/g.npz {disk}",
            ("g.npz",)),
        Job("build text on disk", f"convert IN/large.txt OUT/g.npz {disk}", ("g.npz",)),
        Job("build over on disk", f"generate rmat --scale 14 -o OUT/g.npz {disk}", ("g.npz",),
            old=True),
        Job("info", "info IN/weighted.npz --diameter --plot OUT/d.svg -q", ("d.svg",)),
        Job("rank", "rank IN/list.npy -o OUT/r.npy -q", ("r.npy",)),
        Job("components", "components IN/weighted.npz -o OUT/c.npy --certify -q", ("c.npy",)),
        Job("components outside", "components IN/large.npz --external -o OUT/c.npy -q",
            ("c.npy",)),
        Job("bfs", "bfs IN/weighted.npz --source 1 -o OUT/b.csv --ids OUT/i.npy -q",
            ("b.csv", "i.npy")),
        Job("bfs over", "bfs IN/weighted.npz --source 1 -o OUT/b.npy -q", ("b.npy",), old=True),
        Job("bfs outside", "bfs IN/large.npz --external --source 1 -o OUT/b.npy --certify -q",
            ("b.npy",)),
        Job("sssp", "sssp IN/weighted.npz --sources IN/vertices.txt -o OUT/s.txt --certify -q",
            ("s.txt",)),
        Job("sssp outside", "sssp IN/large.npz --external --source 1 -o OUT/s.npy -q",
            ("s.npy",)),
        Job("apsp", "apsp IN/weighted.npz -o OUT/a.npy -q", ("a.npy",)),
        Job("apsp on disk", f"apsp IN/weighted.npz {scratch} -o OUT/a.npy -q", ("a.npy",),
            stays=("tiles",)),
        Job("path", "path IN/weighted.npz 1 5 -q", says=True),
        Job("pairs", "path IN/weighted.npz --pairs IN/pairs.txt -o OUT/p.csv -q", ("p.csv",)),
        Job("measure", "measure closeness IN/weighted.npz -o OUT/m.txt -q", ("m.txt",)),
        Job("spanning", "measure spanning-forest IN/weighted.npz -o OUT/m.npy -q", ("m.npy",)),
        Job("certify", "certify bfs IN/weighted.npz IN/levels.npy --source 1 -q"),
        Job("bench", "bench components IN/weighted.npz --repeat 1 --warmup 0 --variant union-find "
            "--jsonl OUT/rows.jsonl -q", ("rows.jsonl",), rows=True),
        Job("bench resumed", "bench components IN/weighted.npz --repeat 2 --warmup 0 --variant "
            "union-find --jsonl OUT/rows.jsonl --resume -q", ("rows.jsonl",), rows=True,
            begins="rows.jsonl"),
        Job("formats", "formats", says=True),
        Job("completion", "completion bash", says=True),
        *(cluster_jobs() if cluster_command(hoplite).exists() else ()),
    ]
    return {job.name: job for job in found}


def writing_jobs(hoplite):
    """Every file that is written; those of one file also in the place of an old one."""
    for job in jobs(hoplite).values():
        if job.outputs and not job.name.startswith("read "):
            yield job
            if len(job.outputs) == 1 and not (job.old or job.rows or job.stays or job.begins or
                                              job.keeps):
                yield dataclasses.replace(job, name=f"{job.name}, old", old=True)


def prepare(hoplite, folder):
    """The files that the jobs read."""
    import numpy as np  # only here: the rest needs nothing

    def run(*words):
        subprocess.run([hoplite, *map(str, words), "-q"], check=True, stdin=subprocess.DEVNULL)

    graphs = {"weighted": ["degree", "--n", 60, "--weights", "int32", "--max-weight", 20],
              "real": ["rmat", "--scale", 6, "--weights", "float32"],
              "large": ["rmat", "--scale", 14, "--weights", "int32"],
              "unit": ["grid", "--rows", 5, "--cols", 5],
              "road": ["road", "--rows", 5, "--cols", 5, "--weights", "float32"],
              "chain": ["grid", "--rows", 2, "--cols", 4, "--weights", "int32"]}
    for name, words in graphs.items():
        run("generate", *words, "-o", folder / f"{name}.npz")
    run("convert", folder / "weighted.npz", "-o", folder / "directed.npz")
    os.replace(folder / "weighted.npz", folder / "directed.npz")
    run("convert", folder / "directed.npz", "--symmetrize", "-o", folder / "weighted.npz")
    for suffix, graph in FORMATS.items():
        if suffix != ".npz":
            run("convert", folder / f"{graph}.npz", "-o", folder / f"{graph}{suffix}")
    run("convert", folder / "large.npz", "-o", folder / "large.txt")
    run("generate", "list", "--n", 50, "-o", folder / "list.npy")
    run("bfs", folder / "weighted.npz", "--source", 1, "-o", folder / "levels.npy")
    run("bench", "components", folder / "weighted.npz", "--repeat", 1, "--warmup", 0, "--variant",
        "union-find", "--threads", 1, "--jsonl", folder / "rows.jsonl")
    for name, kind in (("road", "contraction"), ("weighted", "landmarks")):
        run("index", folder / f"{name}.npz", "--kind", kind, "-o", folder / f"{name}.index.npz")
    np.save(folder / "edges.npy", np.arange(40).reshape(20, 2))
    (folder / "names.csv").write_text("from,to,weight\nann,bob,2\nbob,cy,3\ncy,ann,4\n")
    (folder / "vertices.txt").write_text("".join(f"{v}\n" for v in range(1, 30)))
    (folder / "pairs.txt").write_text("1 5\n2 9\n3 3\n")
    if cluster_command(hoplite).exists():
        stand = Stand(hoplite, None, folder, folder.parent)
        for job in cluster_jobs():
            stand.clear(job)
            stand.run(job, {}).check_returncode()
            for path in stand.target.glob(job.keeps):
                os.replace(path, folder / path.name)


class Stand:
    """Runs a job in an empty folder, with the shim where `extra` sets its environment."""

    def __init__(self, hoplite, shim, source, folder):
        self.hoplite, self.shim, self.source = hoplite, shim, source
        self.target = pathlib.Path(folder) / "out"

    def clear(self, job):
        shutil.rmtree(self.target, ignore_errors=True)
        self.target.mkdir()
        for name in job.outputs if job.old else ():
            (self.target / name).write_bytes(OLD)
        for path in self.source.glob(job.begins) if job.begins else ():
            shutil.copy(path, self.target)

    def run(self, job, extra, limit=120):
        """The ended process; its exit code is None when it took too long."""
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
                       "TMPDIR": str(self.target.parent), **extra}
        program = self.hoplite
        if job.cluster:  # MPI's own files are its own, and it starts no process
            environment.update(HOPLITE_IO_UNDER=f"{self.source.parent}/", TMPDIR="/tmp",
                               OMPI_MCA_ess_singleton_isolated="1")
            program = cluster_command(program)
        if job.setting:
            name, value = job.setting.split("=")
            environment[name] = value.replace("OUT/", f"{self.target}/")
        if extra:
            environment["LD_PRELOAD"] = str(self.shim)
        with open(self.source / job.stdin if job.stdin else os.devnull, "rb") as stdin:
            try:
                return subprocess.run([program, *job.line(self.source, self.target)],
                                      stdin=stdin, capture_output=True, env=environment,
                                      cwd=self.target.parent, timeout=limit, check=False)
            except subprocess.TimeoutExpired as late:
                return subprocess.CompletedProcess(late.cmd, None, b"", b"")

    def found(self):
        """{name: bytes} of what is in the folder."""
        return {path.name: path.read_bytes() for path in self.target.iterdir()}


def goes_on(job):
    """Whether the same command goes on with what one before it has left."""
    return bool(job.rows or job.stays or job.keeps)


def check_whole(job, found, expected):
    """Old, new or none, each of them; what has a temporary name is not looked at."""
    for name, content in found.items():
        if name not in expected and name.startswith(tuple(f"{own}." for own in job.outputs)):
            continue
        if content != expected.get(name) and not (job.old and content == OLD):
            raise Wrong(f"{name} has {len(content)} bytes and is neither the old file nor the new")


def runs_of(content):
    """The keys of the rows of runs; what a loss has made of others is none."""
    keys = []
    for line in content.split(b"\n"):
        try:
            keys.append(json.loads(line).get("key"))
        except ValueError:
            pass
    return sorted(key for key in keys if key)


def check_again(stand, job, expected, may_refuse):
    """The same command, on what is there."""
    resumed = " --resume" if job.rows and "--resume" not in job.words else ""
    done = stand.run(dataclasses.replace(job, words=job.words + resumed), {})
    text = done.stderr.decode(errors="replace")
    used = ("tiles", *job.outputs)
    if done.returncode is None or done.returncode < 0 or done.returncode > 128:
        raise Wrong(f"the next run ended by {done.returncode}: {text}")
    if done.returncode != 0:
        if not may_refuse or job.keeps or not any(name in text for name in used):
            raise Wrong(f"the next run is refused: {text}")
        return
    for name in job.outputs:
        content = (stand.target / name).read_bytes()
        same = (runs_of(content) == runs_of(expected[name]) if job.rows else
                content == expected[name])
        if not same:
            raise Wrong(f"{name} is wrong after the next run: {runs_of(content) or len(content)}")
