# SPDX-License-Identifier: Apache-2.0
"""The files that the check_* scripts look at: everything in the tree but build folders, version
control and data. It does not ask git, so that an unpacked archive can be checked too."""

import os
import sys

sys.dont_write_bytecode = True

C_SUFFIXES = (".c", ".h", ".cl", ".cpp")
# The folders of src that are a problem each.
PROBLEMS = ("rank", "components", "bfs", "sssp", "apsp", "strong", "spanning")


def files(root):
    """Yields the path of each file below root, relative to it, with forward slashes."""
    for folder, folders, names in os.walk(root):
        here = os.path.relpath(folder, root)
        folders[:] = sorted(name for name in folders if keep_folder(here, name))
        for name in sorted(names):
            yield os.path.normpath(os.path.join(here, name))


def keep_folder(parent, name):
    if name in ("__pycache__", "corpus"):
        return False
    if parent == "." and (name == "build" or name.startswith("build-")):
        return False
    return not name.startswith(".") or name == ".ci"


def kind(root, path):
    """"c", "python", "shell", "cmake" or None: by suffix, else by the first line."""
    if path.endswith(C_SUFFIXES):
        return "c"
    if path.endswith(".py"):
        return "python"
    if path.endswith(".sh"):
        return "shell"
    if path.endswith(".cmake") or os.path.basename(path) == "CMakeLists.txt":
        return "cmake"
    if "." in os.path.basename(path):
        return None
    with open(os.path.join(root, path), "rb") as file:
        first = file.readline()
    if first.startswith(b"#!"):
        return "python" if b"python" in first else "shell"
    return None


def sources(root, kinds=("c", "python", "shell", "cmake")):
    """Yields (path, kind, lines) of each source file of these kinds."""
    for path in files(root):
        what = kind(root, path)
        if what in kinds:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                yield path, what, file.read().splitlines()


def root_from_arguments(description):
    """The tree to check: the only argument, or the one that the script stands in."""
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and sys.argv[1].startswith("-")):
        print(f"usage: {os.path.basename(sys.argv[0])} [FOLDER]\n\n{description.strip()}")
        sys.exit(0 if sys.argv[1] in ("-h", "--help") else 2)
    if len(sys.argv) == 2:
        return sys.argv[1]
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read_exceptions(path):
    """Lines of `what reason`; returns {what: reason} and the problems."""
    allowed, problems = {}, []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip() and not line.startswith("#"):
                    what, _, reason = line.strip().partition(" ")
                    allowed[what] = reason.strip()
                    if not reason.strip():
                        problems.append(f"{path}:{number}: {what} has no reason")
    return allowed, problems


def finish(problems):
    """Prints the problems, one per line, and ends the script: 0 if there are none."""
    for problem in problems:
        print(problem)
    name = os.path.basename(sys.argv[0])
    print(f"{name}: {len(problems)} problem{'' if len(problems) == 1 else 's'}")
    sys.exit(1 if problems else 0)
