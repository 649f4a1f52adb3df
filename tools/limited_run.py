# SPDX-License-Identifier: Apache-2.0
"""Commands in a memory cgroup, from a cold page cache: for tools/measure_build and
tools/measure_external."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

MIB = 1 << 20
WEIGHTS = "--weights int32 --min-weight 1 --max-weight 255".split()
# Words of hoplite generate: 2^(n+5) arcs; the grid, and the path in random order, 2^n vertices.
GRAPHS = {"rmat": lambda n: ["rmat", "--edge-factor", "16", "--scale", str(n)],
          "uniform": lambda n: ["erdos-renyi", "--n", str(2**n), "--m", str(2**(n + 4))],
          "grid": lambda n: ["grid", "--rows", str(2**(n // 2)), "--cols", str(2**((n + 1) // 2))],
          "path": lambda n: ["grid", "--rows", "1", "--cols", str(2**n), "--shuffle"]}


def bytes_of(text):
    """"1G" in bytes."""
    return int(float(text[:-1]) * 1024 ** (" KMGT".index(text[-1]))) if text[-1] in "KMGT" \
        else int(text)


def drop_pages(path):
    """Drops the pages of a file from memory."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class Cgroup:
    """A memory limit for the commands that join it; none where it cannot be made (it takes root).
    """

    def __init__(self, limit):
        root = pathlib.Path("/sys/fs/cgroup")
        self.first = (root / "memory").is_dir()  # version 1
        self.folder = (root / "memory" if self.first else root) / f"hoplite-{os.getpid()}"
        try:
            self.folder.mkdir()
            (self.folder / ("memory.limit_in_bytes" if self.first else "memory.max")).write_text(
                str(limit))
        except OSError as error:
            print(f"no cgroup: {error}", file=sys.stderr)
            self.folder = None

    def join(self):
        if self.folder:
            (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def anonymous(self):
        """Bytes that are not pages of files, at the moment."""
        if not self.folder:
            return 0
        name = "total_rss" if self.first else "anon"
        for line in (self.folder / "memory.stat").read_text().splitlines():
            if line.split()[0] == name:
                return int(line.split()[1])
        return 0

    def remove(self):
        if self.folder:
            self.folder.rmdir()


def nameless_bytes(process):
    """What the files without a name of a process take on disk."""
    total = 0
    folder = f"/proc/{process}/fd"
    try:
        for name in os.listdir(folder):
            path = f"{folder}/{name}"
            if os.readlink(path).endswith("(deleted)"):
                total += os.stat(path).st_blocks * 512
    except OSError:
        pass  # it has ended, or has closed one
    return total


def run(command, group=None, limit=36000.0, answer=True):
    """Runs a command to its end, or for `limit` seconds. Looks 20 times a second at its memory, in
    the cgroup, and at its nameless files. In what it returns, "failed" says why, if it failed;
    "result" is what it printed in JSON, if an answer is expected; "curve" are seconds and bytes of
    memory, 100 of them at most."""
    began = time.monotonic()
    disk, memory, curve = 0, 0, []
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        with subprocess.Popen(command, stdout=out, stderr=errors,
                              preexec_fn=group.join if group else None) as process:
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() - began > limit:
                    process.kill()
                disk = max(disk, nameless_bytes(process.pid))
                now = group.anonymous() if group else 0
                memory = max(memory, now)
                curve.append((time.monotonic() - began, now))
                time.sleep(0.05)
            process.returncode = os.waitstatus_to_exitcode(status)
        found = {"elapsed": time.monotonic() - began, "disk": disk, "memory": memory,
                 "processor": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss * 1024,
                 "curve": curve[::len(curve) // 100 + 1]}
        if process.returncode != 0:
            errors.seek(0)
            words = errors.read().decode(errors="replace").strip().splitlines()
            found["failed"] = "stopped" if found["elapsed"] > limit \
                else f"ended by signal {-process.returncode}" if process.returncode < 0 \
                else words[-1] if words else f"exit code {process.returncode}"
        elif answer:
            out.seek(0)
            found["result"] = json.loads(out.read())
    return found


def disk_rates(folder):
    """Bytes per second: written, synced; and read past the page cache, by requests of 4 MiB."""
    block = os.urandom(16 * MIB)
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        began = time.monotonic()
        for _ in range(64):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
        written = time.monotonic() - began
        return 1024 * MIB / written, 1024 * MIB / direct_seconds(file.name)


def direct_seconds(path, length=None):
    """Reading a file, or so many bytes of it, past the page cache, in pieces of 4 MiB."""
    began = time.monotonic()
    subprocess.run(["dd", f"if={path}", "of=/dev/null", "iflag=direct", "bs=4M"] +
                   ([f"count={length // (4 * MIB) + 1}"] if length is not None else []),
                   check=True, stderr=subprocess.DEVNULL)
    return time.monotonic() - began
