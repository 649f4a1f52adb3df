# SPDX-License-Identifier: Apache-2.0
"""The scripts of tools/ that check the tree: each passes on a clean small tree, and each finds a
violation that is planted there."""

import os
import pathlib
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])
# REUSE-IgnoreStart
SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"
# REUSE-IgnoreEnd


@pytest.fixture
def tree(tmp_path):
    """A small tree without a violation."""
    write(tmp_path, "include/hoplite/status.h", "#include <stdint.h>\n")
    write(tmp_path, "include/hoplite/graph.h", '#include "hoplite/status.h"\n')
    write(tmp_path, "include/hoplite/hoplite.h", '#include "hoplite/graph.h"\n')
    write(tmp_path, "src/core/version.c", '#include "hoplite/hoplite.h"\n')
    write(tmp_path, "src/core/memory.h", '#include "hoplite/status.h"\n')
    write(tmp_path, "src/core/parallel.c", "#include <stdatomic.h>\n")
    write(tmp_path, "src/graph/build.c", '#include "core/memory.h"\n#include "hoplite/graph.h"\n')
    write(tmp_path, "src/sssp/sssp.h", "")
    write(tmp_path, "src/sssp/delta/plan.h", '#include "sssp/sssp.h"\n')
    write(tmp_path, "src/sssp/certify/layers.h", "")
    write(tmp_path, "src/bfs/bfs.h", "")
    write(tmp_path, "src/apsp/apsp.c", '#include "sssp/sssp.h"\n')
    write(tmp_path, "src/device/opencl/buffer.c", "#include <CL/cl.h>\n")
    write(tmp_path, "src/io/bytes/input.h", "")
    write(tmp_path, "src/io/text/scan.h", '#include "io/bytes/input.h"\n')
    write(tmp_path, "cli/main.c", '#include "hoplite/graph.h"\n')
    write(tmp_path, "cli/bench/bench.h", "")
    write(tmp_path, "cli/verb_bench.c", '#include "bench/bench.h"\n')
    shutil.copy(SOURCE / ".clang-format", tmp_path)
    return tmp_path


def write(tree, path, text, head=SPDX):
    file = tree / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(head + text)


def run(check, tree):
    done = subprocess.run([SOURCE / "tools" / check, tree], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def function(lines):
    """A C function of this many lines, signature and closing brace included."""
    return "static void grow(void) {\n" + "    step();\n" * (lines - 2) + "}\n"


@pytest.mark.parametrize("check", ["check_size", "check_includes", "check_spdx", "check_format",
                                   "check_workspace", "check_messages", "check_kernels"])
def test_clean_tree_passes(check, tree):
    code, output = run(check, tree)
    if code == 77:
        pytest.skip(output)
    assert code == 0, output


INCLUDES = [
    ("src/core/scan.c", '#include "graph/row.h"', "src/core may include nothing"),
    ("src/core/scan.c", '#include "hoplite/graph.h"', "src/core may include nothing"),
    ("src/core/scan.c", '#include "hoplite/hoplite.h"', "src/core may include nothing"),
    ("src/graph/row.c", '#include "bfs/bfs.h"', "src/graph may include core"),
    ("src/graph/row.c", '#define TEMPLATE "bfs/bfs.h"', "src/graph may include core"),
    ("src/bfs/bfs.c", '#include "sssp/sssp.h"', "src/bfs may include"),
    ("src/sssp/step.c", '#include "apsp/matrix.h"', "src/sssp may include"),
    ("src/stray/stray.c", '#include "core/memory.h"', "has no row"),
    ("src/core/scan.c", '#include "core/absent.h"', "no such file"),
    ("cli/verb.c", '#include "core/memory.h"', "public headers only"),
    ("cli/verb.c", '#include "bench/bench.h"', "only cli/verb_bench.c and cli/accept/ may"),
    ("src/io/bytes/output.c", '#include "io/text/scan.h"', "may include no other room"),
    ("src/io/numpy/npy.c", '#include "io/text/scan.h"', "src/io/numpy may include bytes"),
    ("src/io/stray.c", '#include "io/text/scan.h"', "is made of rooms"),
    ("src/sssp/delta/plan.c", '#include "sssp/certify/layers.h"', "may include the folder itself"),
    ("src/sssp/sssp.c", '#include "sssp/delta/plan.h"', "the folder itself may include bellman"),
    ("examples/first.c", '#include "graph/row.h"', "public headers only"),
    ("include/hoplite/rank.h", '#include "core/memory.h"', "public headers only"),
    ("include/hoplite/rank.h", "#include <pthread.h>", "stdint.h only"),
    ("src/bfs/bfs.c", "#include <CL/cl.h>", "only src/device may"),
    ("src/bfs/bfs.c", "#  include <cuda.h>", "only src/device may"),
    ("src/bfs/bfs.c", "#include <mpi.h>", "only src/cluster may"),
    ("src/bfs/bfs.c", "#include <omp.h>", "threads come from src/core/parallel.h"),
    ("src/bfs/bfs.c", "    #pragma omp parallel for", "threads come from src/core/parallel.h"),
    ("src/bfs/bfs.c", "    pthread_create(&t, NULL, f, NULL);", "threads come from"),
    ("src/store/reads.c", "#include <sys/mman.h>", "here it is read"),
    ("src/store/reads.c", "    x = mmap(NULL, 1, 1, 1, 1, 1);", "here it is read"),
    ("src/bfs/memory.h", "", "same name as"),
]


@pytest.mark.parametrize("path, line, message", INCLUDES)
def test_includes_found(path, line, message, tree):
    write(tree, "src/graph/row.h", "")
    write(tree, "src/apsp/matrix.h", "")
    write(tree, path, line + "\n")
    code, output = run("check_includes", tree)
    assert code == 1 and message in output and path in output, output
    assert "check_includes: 1 problem\n" in output


FOUR = "hop_status hop__four(int a,\n                     int b) {\n    return a + b;\n}\n"
# Where a thing is defined, how; who names it, how; what the check says.
LINKS = [
    ("src/bfs/four.c", FOUR, "src/core/scan.c", "int five(void);\n    hop__four(1, 2);",
     "src/core/scan.c:3: hop__four of src/bfs/four.c: src/core may include nothing"),
    ("src/bfs/four.c", "const hop_row *const hop__rows[] = {0};\n", "src/problem/choose.h",
     "extern const hop_row *const hop__rows[];", "hop__rows of src/bfs/four.c: src/problem may"),
    ("src/rank/four.c", "hop__counts hop__total;\n", "src/bfs/sum.c", "hop__total.a++;",
     "src/bfs may include"),
    ("src/sssp/delta/four.c", FOUR, "src/sssp/certify/sum.c", "hop__four(1, 2);",
     "src/sssp/certify may include the folder itself"),
    ("src/sssp/delta/four.c", FOUR, "src/sssp/sssp.c", "hop__four(1, 2);", None),
    ("src/bfs/four.c", FOUR, "src/tables/list.c", "hop__four(1, 2);", None),
    ("src/bfs/four.c", "static " + FOUR, "src/core/scan.c", "hop__four(1, 2);", None),
    ("src/bfs/four.c", FOUR, "src/core/scan.c", '/* hop__four */ puts("hop__four");', None),
]


@pytest.mark.parametrize("home, definition, path, line, message", LINKS)
def test_links_found(home, definition, path, line, message, tree):
    write(tree, home, definition)
    write(tree, path, line + "\n")
    code, output = run("check_includes", tree)
    assert (code == 1) == (message is not None), output
    assert message is None or (message in output and "check_includes: 1 problem\n" in output)


SIZES = [
    (function(60), 0, None),
    (function(61), 0, "grow has 61 lines, more than 60"),
    (function(120), 0, "grow has 120 lines, more than 60"),
    (function(121), 1, "grow has 121 lines, the limit is 120"),
    ("static int a;\n" + function(121).replace("    step();\n", "done:\n", 1), 1, "grow has 121"),
    ("x;\n" * 500, 0, "file has 501 lines, more than 500"),
    ("x;\n" * 800, 1, "file has 801 lines, the limit is 800"),
    ("/* " + "x" * 94 + " */\n", 0, None),
    ("/* " + "x" * 95 + " */\n", 1, "101 columns, the limit is 100"),
]


@pytest.mark.parametrize("text, expected, message", SIZES)
def test_sizes_found(text, expected, message, tree):
    write(tree, "src/core/grown.c", text)
    code, output = run("check_size", tree)
    assert code == expected, output
    if message is None:
        assert "grown.c" not in output, output
    else:
        assert message in output, output


def test_size_of_python_and_shell_functions(tree):
    write(tree, "tools/long.py", "def grow():\n" + "    pass\n" * 120, head="")
    write(tree, "tools/long.sh", "sink() {\n" + "    :\n" * 119 + "}\n", head="")
    code, output = run("check_size", tree)
    assert code == 1
    assert "grow has 121 lines" in output and "sink has 121 lines" in output


def test_size_exceptions(tree):
    write(tree, "src/core/grown.c", function(121))
    write(tree, "tools/size_exceptions.txt", "src/core/grown.c:grow a table of states\n", head="")
    assert run("check_size", tree)[0] == 0
    write(tree, "tools/size_exceptions.txt", "src/core/grown.c:grow\n", head="")
    code, output = run("check_size", tree)
    assert code == 1 and "has no reason" in output
    write(tree, "src/core/grown.c", function(10))
    write(tree, "tools/size_exceptions.txt", "src/core/grown.c:grow a table\n", head="")
    code, output = run("check_size", tree)
    assert code == 1 and "no longer over a limit" in output


ALLOCATIONS = [
    ("src/bfs/step.c", "    HOP_TRY(status, hop__alloc(context, what, n, 4, &queue));", True),
    ("src/rank/step.c", "            hop__alloc_zero(context, what, n, 4, &queue));", True),
    ("src/sssp/step.h", "    status = hop__resize(context, what, n, 4, &queue);", True),
    ("src/apsp/step.c", "    status = hop__buffer_create(device, what, n, &buffer);", True),
    ("src/bfs/step.c", "    queue = malloc(n);", True),
    ("src/bfs/step.c", '    HOP__BLOCK(space, "queue", n, search, queue);', False),
    ("src/graph/step.c", "    status = hop__alloc(context, what, n, 4, &queue);", False),
]


@pytest.mark.parametrize("path, line, wrong", ALLOCATIONS)
def test_allocations_of_variants_found(path, line, wrong, tree):
    write(tree, path, line + "\n")
    code, output = run("check_workspace", tree)
    assert code == wrong and (f"{path}:2: " in output) == wrong, output
    write(tree, "tools/workspace_exceptions.txt", f"{path} a certifier\n", head="")
    code, output = run("check_workspace", tree)
    assert code != wrong and ("allocates nothing any more" in output) != wrong, output


def test_missing_license_found(tree):
    write(tree, "src/core/scan.c", "int a;\n", head="")
    write(tree, "tools/run", "#!/bin/sh\n", head="")
    code, output = run("check_spdx", tree)
    assert code == 1 and "src/core/scan.c" in output and "tools/run" in output, output


def test_format_found(tree):
    write(tree, "src/core/scan.c", "int   a;\n")
    code, output = run("check_format", tree)
    if code == 77:
        pytest.skip(output)
    assert code != 0 and "scan.c:2" in output, output


MESSAGES = [
    ("src/core/scan.c", 'fail("too large; raise --memory");', "src/core/scan.c:2: a flag"),
    ("src/core/scan.c", 'fail("too large (--memory %s)", x);', "src/core/scan.c:2: a flag"),
    ("src/bfs/bfs.h", '/* "a" */ static const char *a = "by \\"--device\\"";', "bfs.h:2: a flag"),
    ("src/core/scan.c", "/* as --memory, \"--device\" */ a = b--c; // \"--x\"", None),
    ("src/core/scan.c", 'puts("a -- b, x--y, -cl-fast");', None),
    ("cli/verb.c", 'complain("--memory %s would do", x);', None),
    ("cli/verb.c", "\nputs(hop_context_message(context));", "cli/verb.c:3: the message"),
    ("cli/failure_text.c", "puts(hop_context_message(context));", None),
    ("cli/failure_text.c", "strstr(hop_context_message(context), words);",
     "failure_text.c:2: words"),
    ("python/hoplite/calls.py", "lib.hop_context_message(context)", "calls.py:2: the message"),
    ("examples/first.c", "puts(hop_context_message(context));", None),
]


@pytest.mark.parametrize("path, line, message", MESSAGES)
def test_words_of_a_front_end_found(path, line, message, tree):
    write(tree, path, line + "\n")
    code, output = run("check_messages", tree)
    assert (code == 1) == (message is not None), output
    assert message is None or (message in output and "check_messages: 1 problem\n" in output)


KERNELS = [
    ("src/bfs/bfs_program.cl", "u64 a = 0x7fffffffffffffffll;", "bfs_program.cl:2: 0x7f"),
    ("src/bfs/bfs_program.cl", "\nu64 a = b + 12ULL;", "bfs_program.cl:3: 12ULL has 128"),
    ("src/bfs/bfs_program.cl", "__builtin_prefetch(p);", "bfs_program.cl:2: __builtin_prefetch"),
    ("src/bfs/bfs_program.cl", "#ifdef __CUDACC__", "only the shim knows"),
    ("src/bfs/bfs_program.cl", "u64 a = U64_C(0x7fffffffffffffff); /* 1ll, __builtin_x */", None),
    ("src/kernels/shim.h", "#define U64_C(number) number##ULL", None),
    ("src/bfs/bfs.c", "uint64_t a = 1ull << 40;", None),
]


@pytest.mark.parametrize("path, line, message", KERNELS)
def test_what_kernels_leave_to_the_shim(path, line, message, tree):
    write(tree, path, line + "\n")
    code, output = run("check_kernels", tree)
    assert (code == 1) == (message is not None), output
    assert message is None or (message in output and "check_kernels: 1 problem\n" in output)


def test_build_folders_are_left_out(tree):
    write(tree, "build/stray.c", '#include "core/absent.h"\n', head="")
    write(tree, "build-clang/stray.c", '#include "core/absent.h"\n', head="")
    for check in ("check_includes", "check_spdx"):
        assert run(check, tree)[0] == 0


CHANGES = [
    # file, before, after, what abidiff says of it; None: nothing
    ("bfs.h", "    hop_vertex target_count;", "    hop_vertex more, target_count;", "insertion"),
    ("variant.h", "HOP_CERTIFY_VALID = 2", "HOP_CERTIFY_VALID = 3", "HOP_CERTIFY_VALID"),
    ("sssp.h", "double cutoff;", "float cutoff;", "cutoff"),
    ("path.h", "hop_path(", "hop_way(", "hop_path is no longer there"),
    ("bfs.h", "/* Searches from", "/* Looks from", None),
    ("bfs.h", "#define HOP_NO_LEVEL", "HOP_API void hop_more(void);\n#define HOP_NO_LEVEL", None),
]


@pytest.mark.parametrize("file, before, after, said", CHANGES)
def test_a_changed_interface_is_seen(file, before, after, said, tmp_path):
    if shutil.which("abidiff") is None:
        pytest.skip("no abidiff")
    shutil.copytree(SOURCE / "include", tmp_path / "include")
    (tmp_path / "tools").mkdir()
    shutil.copy(SOURCE / "tools" / "interface.txt", tmp_path / "tools")
    header = tmp_path / "include" / "hoplite" / file
    text = header.read_text()
    assert before in text
    header.write_text(text.replace(before, after))
    code, output = run("check_interface", tmp_path)
    assert (code, said is None or said in output) == (0 if said is None else 1, True), output
    done = subprocess.run([SOURCE / "tools" / "check_interface", "--update", tmp_path])
    assert done.returncode == 0 and run("check_interface", tmp_path)[0] == 0
