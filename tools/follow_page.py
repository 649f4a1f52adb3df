#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
usage: tools/follow_page.py PAGE KIND...

Does what a page of the documentation says, word for word, in an empty folder that is removed again,
with what is installed. A KIND is

  console   the commands: what they print must be what the page has ("..." is anything in a line)
  c         the lines of C, after the commands: compiled as the README says, with pkg-config
  python    the program in Python, with the interpreter that runs this script

Needs nothing but the interpreter, so that it runs in an empty system too.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile


def blocks(text, language):
    return re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", text, re.S | re.M)


def steps(text):
    """Yields (command, expected output) of the console blocks: "$ " begins a command."""
    for block in blocks(text, "console"):
        for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = step.partition("\n")
            yield command, output


def pattern(output):
    """"..." stands for anything within a line: what differs between machines."""
    return re.escape(output).replace(r"\.\.\.", "[^\n]*")


def follow_console(text, folder, environment=None):
    """Runs the commands of a page in a folder, and compares what they print; how many there are."""
    environment = dict(environment or os.environ, NO_COLOR="1")
    count = 0
    for command, expected in steps(text):
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        assert done.returncode == 0, (command, done.stdout)
        assert re.fullmatch(pattern(expected), done.stdout), (command, done.stdout, expected)
        count += 1
    return count


def program_in_c(text):
    """The one program of a page; the README has only the lines inside of main."""
    lines, = blocks(text, "c")
    if "int main(" in lines:
        return lines
    return ("#include <hoplite/hoplite.h>\n#include <stdio.h>\n\nint main(void) {\n"
            f"{lines}hop_graph_release(graph);\nhop_context_free(context);\nreturn 0;\n}}\n")


def run_program_in_c(text, folder, compiler, arguments):
    """Compiles the program of a page as a user would, and gives what it prints."""
    (folder / "program.c").write_text(program_in_c(text), encoding="utf-8")
    subprocess.run([compiler, "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "program.c",
                    "-o", "program", *arguments], cwd=folder, check=True)
    done = subprocess.run(["./program"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout, done.stderr
    return done.stdout


def follow_python(text, folder, more=""):
    """Runs the one program that is followed by what it prints, and `more` after it."""
    (program, expected), = re.findall(r"^```python\n(.*?)^```$\n+```text\n(.*?)^```$", text,
                                      re.S | re.M)
    done = subprocess.run([sys.executable, "-c", program + more], cwd=folder, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected, (done.stdout, expected)


def main():
    kinds = sys.argv[2:]
    if not kinds or not set(kinds) <= {"console", "c", "python"}:
        sys.exit(__doc__.strip())
    page = pathlib.Path(sys.argv[1])
    text, did = page.read_text(encoding="utf-8"), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if "console" in kinds:
            did.append(f"{follow_console(text, folder)} commands")
        if "c" in kinds:
            asked = subprocess.run(["pkg-config", "--cflags", "--libs", "hoplite"], check=True,
                                   capture_output=True, text=True)
            run_program_in_c(text, folder, "cc", asked.stdout.split())
            did.append("the lines of C")
        if "python" in kinds:
            follow_python(text, folder)
            did.append("the program in Python")
    print(f"{page.name}: followed {', '.join(did)}")


if __name__ == "__main__":
    main()
