# SPDX-License-Identifier: Apache-2.0
"""hoplite apsp --scratch: killed with SIGKILL at random moments and started again, it gives the
same bytes and loses at most one round each time. HOPLITE_TEST_KILLS: how often (default 3),
at moments that HOPLITE_TEST_KILLS_SEED gives."""

import json
import os
import random
import signal
import subprocess
import time

from cli_testing import (FAILURE, HOPLITE, SANITIZED, clean_environment, preloaded, refuse, run,
                         run_json)

KILLS = int(os.environ.get("HOPLITE_TEST_KILLS", "3"))
SEED = int(os.environ.get("HOPLITE_TEST_KILLS_SEED", "7"))
SIZE, SIDE = (600, 64) if SANITIZED else (1500, 128)


def words(graph, scratch, out):
    return ["apsp", str(graph), "--variant", "blocked-disk", "--set", f"side={SIDE}", "--scratch",
            str(scratch), "-o", str(out), "--json"]


def rounds_done(scratch):
    """What the newer of the two heads says."""
    with open(scratch, "rb") as file:
        heads = file.read(8192)
    found = [tuple(int.from_bytes(heads[at + i:at + i + 8], "little") for i in (40, 48, 56))
             for at in (0, 4096) if heads[at:at + 8] == b"HOPTILES"]
    return max(found)[1] if found else 0


def test_killed_runs_go_on(tmp_path):
    graph, scratch = tmp_path / "g.npz", tmp_path / "tiles"
    run("generate", "degree", "--n", SIZE, "--weights", "float32", "-o", graph)
    began = time.monotonic()
    run(*words(graph, scratch, tmp_path / "right.npy"))
    whole = time.monotonic() - began
    assert not scratch.exists()
    whole = max(whole, 0.5)
    draw, kills, before = random.Random(SEED), 0, 0
    right = (tmp_path / "right.npy").read_bytes()
    while True:
        command = subprocess.Popen([HOPLITE, *words(graph, scratch, tmp_path / "out.npy")],
                                   stdout=subprocess.PIPE, env=clean_environment())
        last = kills == KILLS
        if not last:
            time.sleep(draw.random() * whole * 0.5)
            command.send_signal(signal.SIGKILL)
        out, _ = command.communicate()
        if command.returncode == 0:  # through, perhaps before the signal: then it begins anew
            assert json.loads(out)["counters"]["rounds gone on from"] == before
            assert (tmp_path / "out.npy").read_bytes() == right
            assert not scratch.exists()
            before = 0
            if last:
                break
            continue
        assert command.returncode == -signal.SIGKILL
        kills += 1
        done = rounds_done(scratch) if scratch.exists() else 0
        assert done >= before or not scratch.exists(), "a mark was lost"
        before = done
    print(f"{kills} kills")


def test_the_file_stays_until_the_matrix_is_kept(tmp_path):
    """A disk that refuses the last step of -o costs no round: the same command goes on, and says
    so; but not from a file that was damaged since."""
    graph, scratch, out = tmp_path / "g.npz", tmp_path / "tiles", tmp_path / "out.npy"
    broken = preloaded(tmp_path, "#include <errno.h>\n"
                       "int rename(const char *from, const char *to) "
                       "{ (void)from, (void)to; errno = EIO; return -1; }\n"
                       "int linkat(int a, const char *from, int b, const char *to, int flags) "
                       "{ (void)a, (void)b, (void)flags; return rename(from, to); }\n")
    run("generate", "degree", "--n", 300, "-o", graph)
    run(*words(graph, scratch, tmp_path / "right.npy"))
    failed = subprocess.run([HOPLITE, *words(graph, scratch, out)], capture_output=True, text=True,
                            env=clean_environment(LD_PRELOAD=str(broken)))
    assert failed.returncode == 1 and "out.npy" in failed.stderr, failed.stderr
    assert scratch.exists() and not out.exists()
    assert [path.name for path in tmp_path.glob("out.npy*")] == [], "a draft is left"
    whole, size = scratch.read_bytes(), scratch.stat().st_size
    for at in (size // 3, size // 2, size - 4096 * 8):  # the matrix, and what was the last cross
        scratch.write_bytes(whole[:at] + bytes(64) + whole[at + 64:])
        _, err = run(*words(graph, scratch, out), code=None)
        if out.exists():
            assert out.read_bytes() == (tmp_path / "right.npy").read_bytes()
            out.unlink()
        else:
            assert "tile (" in err and str(scratch) in err and "remove it" in err
    scratch.write_bytes(whole)
    printed, err = run(*words(graph, scratch, out))
    assert "going on from 100 %" in err
    again = json.loads(printed)
    assert again["counters"]["rounds gone on from"] == again["rounds"]
    assert out.read_bytes() == (tmp_path / "right.npy").read_bytes()
    assert not scratch.exists()


def test_auto_uses_the_file_when_memory_is_short(tmp_path):
    graph, scratch = tmp_path / "g.npz", tmp_path / "tiles"
    run("generate", "erdos-renyi", "--n", 900, "--m", 300000, "--weights", "float32", "-o", graph)
    plain = run_json("apsp", graph, "--memory", "64M")
    assert plain["variant"] == "blocked"
    tight = run_json("apsp", graph, "--memory", "3M", "--scratch", scratch)
    assert tight["variant"] == "blocked-disk" and "budget" in tight["reason"]
    assert tight["peak_bytes"] <= 3 << 20
    assert tight["diameter"] == plain["diameter"]
    least = run_json("apsp", graph, "--memory", "280K", "--drop-weights", "--scratch", scratch)
    assert least["variant"] == "bfs-bits", "not even three small tiles fit"


def little_room(folder, room):
    """A disk that has so many bytes free, for any file."""
    facts = ("{{ (void)path; memset(facts, 0, sizeof *facts); facts->f_frsize = 1; "
             "facts->f_blocks = 1ull << 50; facts->f_bfree = facts->f_bavail = {}; return 0; }}\n")
    folder.mkdir()
    library = preloaded(folder, "#define _LARGEFILE64_SOURCE\n#include <string.h>\n"
                        "#include <sys/statvfs.h>\n"
                        "int statvfs(const char *path, struct statvfs *facts) "
                        + facts.format(room) +
                        "int statvfs64(const char *path, struct statvfs64 *facts) "
                        + facts.format(room))
    return {"LD_PRELOAD": str(library)}


def test_room_is_looked_for_first(tmp_path):
    """A matrix, a list and tiles that do not fit the disk are refused before their first byte, with
    both numbers; files on one disk are taken together; a dry run says the same."""
    graph, out, scratch = tmp_path / "g.npz", tmp_path / "out.npy", tmp_path / "tiles"
    run("generate", "degree", "--n", 1000, "-o", graph)  # 7.6 MiB of int64
    before = set(tmp_path.iterdir())
    tight, fair = little_room(tmp_path / "1", 1 << 20), little_room(tmp_path / "2", 9 << 20)
    before |= {tmp_path / "1", tmp_path / "2"}
    for dry in ([], ["--dry-run"]):
        refuse("apsp", graph, "-o", out, *dry, code=FAILURE, env=tight,
               says=["7.6 MiB needed", "1.0 MiB free", str(out)])
        refuse(*words(graph, scratch, out), *dry, code=FAILURE, env=fair,
               says=["needed", "other files", "9.0 MiB free"])
    refuse("generate", "list", "--n", 1000000, "-o", tmp_path / "l.npy", code=FAILURE, env=tight,
           says=["3.8 MiB needed", "1.0 MiB free"])
    assert set(tmp_path.iterdir()) == before
    plan, _ = run("apsp", graph, "-o", out, "--dry-run", env=fair)
    assert "disk " in plan and "out.npy, where" in plan and "are free" in plan
    run("apsp", graph, "-o", out, env=fair)
    assert run_json("apsp", graph, "-o", out, "--dry-run")["disk_bytes"] == 8 * 1000 ** 2
