# SPDX-License-Identifier: Apache-2.0
"""--sandbox: the same answers, and nothing else to be had, even for code inside the process."""

import errno
import os

import pytest
from cli_testing import (FAILURE, OK, SANITIZED, USAGE, edges,  # noqa: F401
                         preloaded, refuse, run)

pytestmark = pytest.mark.skipif(SANITIZED, reason="what sanitizers do at the end is refused too")

# Stands for a hole in a reader: when the command closes a file inside the sandbox, it tries what
# somebody who has taken the process over would, and writes what came of each (0 or errno) to a file
# that was opened before.
PROBE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int out = -1;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("PROBE_OUT");
    if (path != NULL)
        out = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

static void tell(const char *what, int done) {
    char line[200];
    int length = snprintf(line, sizeof line, "%s %d\\n", what, done ? 0 : errno);
    if (write(out, line, (size_t)length) < 0)
        abort();
}

static void try_all(void) {
    const char *other = getenv("PROBE_OTHER"), *here = getenv("PROBE_HERE");
    struct rlimit limit = {64, 64};
    char name[512];
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    tell("fork", child > 0);
    if (child > 0)
        waitpid(child, NULL, 0);
    tell("socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
    tell("read-system", open("/etc/passwd", O_RDONLY) >= 0);
    tell("read-other", open(other, O_RDONLY) >= 0);
    tell("write-other", open(other, O_WRONLY) >= 0);
    tell("read-named", open(here, O_RDONLY) >= 0);
    tell("write-named", open(here, O_WRONLY) >= 0);
    tell("remove-named", unlink(here) == 0);
    snprintf(name, sizeof name, "%s.new", here);
    tell("make-beside", open(name, O_WRONLY | O_CREAT, 0600) >= 0);
    tell("code", mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
                     MAP_FAILED);
    tell("kill", kill(getppid(), 0) == 0);
    tell("type", ioctl(0, TIOCSTI, "x") == 0);
    tell("limit", setrlimit(RLIMIT_CORE, &limit) == 0);
    char *const words[] = {(char *)"true", NULL};
    execv("/bin/true", words);
    tell("exec", 0);
}

int close(int descriptor) {
    static int tried;
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
    if (out >= 0 && !tried && (getenv("PROBE_ALWAYS") || prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0)) {
        tried = 1;
        try_all();
    }
    return real(descriptor);
}
"""
HELD = (errno.EPERM, errno.EACCES, errno.ENOSYS)


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    return preloaded(tmp_path_factory.mktemp("probe"), PROBE)


@pytest.fixture(scope="module")
def sandboxed(tmp_path_factory):
    """Whether this system has what it takes; where it has not, that must be said."""
    edges = tmp_path_factory.mktemp("any") / "edges.txt"
    edges.write_text("1 2\n")
    _, err = run("info", edges, "--sandbox", code=None)
    if "--sandbox: " in err:
        refuse("info", edges, "--sandbox", code=FAILURE, says=["Linux 5.13"])
        pytest.skip("no Landlock or no seccomp here")


def attempts(probe, folder, *words, **env):
    """What came of each attempt inside the command."""
    out, other = folder / "attempts", folder / "apart" / "secret"
    out.write_text("")
    other.parent.mkdir(exist_ok=True)
    other.write_text("secret")
    run(*words, code=None, env={"LD_PRELOAD": str(probe), "PROBE_OUT": str(out),
                                "PROBE_OTHER": str(other),
                                "PROBE_HERE": str(folder / "edges.txt"), **env})
    return {what: int(code) for what, code in map(str.split, out.read_text().splitlines())}


def test_same_files_as_without(sandboxed, tmp_path):
    (tmp_path / "results").mkdir()
    run("generate", "rmat", "--scale", "10", "--weights", "int32", "-o", tmp_path / "g.txt")
    (tmp_path / "sources").write_text("1\n2\n")
    kept = {}
    for more in ((), ("--sandbox",)):
        def out(name):
            return tmp_path / "results" / name

        run("convert", tmp_path / "g.txt", out("g.npz"), *more)
        run("components", tmp_path / "g.txt", "-o", out("c.npy"), "--sizes", out("s.txt"), *more)
        run("sssp", out("g.npz"), "--sources", tmp_path / "sources", "-o", out("d.npy"),
            "--parents", out("p.npy"), "--threads", "2", "--certify", *more)
        run("bfs", out("g.npz"), "--external", "--source", "1", "-o", out("l.npy"), *more)
        run("certify", "bfs", out("g.npz"), out("l.npy"), "--source", "1", *more)
        run("apsp", out("g.npz"), "--rows", "8", "-o", out("m.npy"), *more)
        run("measure", "closeness", out("g.npz"), "-o", out("v.npy"), *more)
        kept[more] = {path.name: path.read_bytes() for path in (tmp_path / "results").iterdir()}
    assert kept[()] == kept[("--sandbox",)]


def test_nothing_else_can_be_had(sandboxed, probe, edges):
    folder = edges.parent
    free = attempts(probe, folder, "info", edges, PROBE_ALWAYS="1")
    assert all(free[what] == OK for what in ("fork", "socket", "read-other", "write-other",
                                             "read-named", "write-named", "make-beside", "code",
                                             "kill", "limit"))
    edges.write_text("1 2\n")
    (folder / "edges.txt.new").unlink()
    held = attempts(probe, folder, "info", edges, "--sandbox")
    assert held.pop("read-named") == OK
    assert len(held) > 12 and all(code in HELD for code in held.values()), held
    assert edges.read_text() == "1 2\n" and not (folder / "edges.txt.new").exists()


def test_results_are_written_in_their_folder_only(sandboxed, probe, edges):
    folder = edges.parent
    (folder / "results").mkdir()
    held = attempts(probe, folder, "components", edges, "-o", folder / "results" / "c.npy",
                    "--sandbox")
    assert (folder / "results" / "c.npy").exists()
    assert held.pop("read-named") == OK and all(code in HELD for code in held.values()), held


def test_links_lead_where_the_command_line_says(sandboxed, edges):
    folder = edges.parent
    (folder / "results").mkdir()
    (folder / "results" / "c.txt").write_text("old")
    os.symlink(folder / "results" / "c.txt", folder / "link.txt")
    os.symlink(edges, folder / "named.txt")
    run("components", folder / "named.txt", "-o", folder / "link.txt", "--sandbox")
    assert (folder / "link.txt").is_symlink()
    assert (folder / "results" / "c.txt").read_text() != "old"
    run("components", "-", "-o", "-", "--sandbox", stdin=edges.read_text())


def test_refusals(edges):
    refuse("components", edges, "--sandbox", "--device", "opencl:0.0", code=USAGE,
           says=["--sandbox", "--device opencl:0.0"])
    refuse("components", edges.parent / "none.txt", "--sandbox", code=FAILURE, says=["none.txt"])
