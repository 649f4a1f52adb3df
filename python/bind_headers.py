#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Writes the ctypes binding of the public headers: bind_headers.py INCLUDE OUTPUT.

The headers are regular enough to be read without a compiler: every type is a typedef of an enum, a
struct, a scalar or a function pointer, and every function begins with HOP_API. What is not
understood ends the script, so that nothing is left out in silence. That ctypes lays the structs out
as the compiler did is a test (tests/python/test_python_docs.py).
"""

import pathlib
import re
import sys

SCALARS = {
    "bool": "ctypes.c_bool", "char": "ctypes.c_char", "int": "ctypes.c_int",
    "unsigned": "ctypes.c_uint", "size_t": "ctypes.c_size_t", "double": "ctypes.c_double",
    "uint32_t": "ctypes.c_uint32", "int32_t": "ctypes.c_int32",
    "uint64_t": "ctypes.c_uint64", "int64_t": "ctypes.c_int64",
}
LIMITS = {"UINT32_MAX": 2**32 - 1, "INT32_MAX": 2**31 - 1, "INT64_MAX": 2**63 - 1,
          "UINT64_MAX": 2**64 - 1, "HUGE_VAL": float("inf"), "true": True, "false": False}


def fail(text):
    sys.exit(f"bind_headers: not understood: {text.strip()[:200]}")


def plain(text):
    """Without comments, line continuations, and what only the compiler of C++ or gcc sees."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S).replace("\\\n", " ")
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    return re.sub(r"#if defined\(__GNUC__\).*?#endif", "", text, flags=re.S)


class Binding:
    """What the headers say, gathered in the order in which it may be used."""

    def __init__(self):
        self.constants = dict(LIMITS)
        self.scalars = dict(SCALARS)
        self.structs = {}    # name -> [(field, type)]
        self.callbacks = {}  # name -> type
        self.opaque = set()
        self.functions = {}  # name -> (result, [types])
        self.order = []      # structs and callbacks

    def value(self, text):
        """The value of a constant expression."""
        text = re.sub(r"\bUINT64_C\((\d+)\)", r"\1", text)
        text = re.sub(r"\(hop_\w+\)", "", text)  # casts
        text = re.sub(r"\b(\d+)u\b", r"\1", text)
        if not re.fullmatch(r"[\w\s()+*<\-|\".]+", text):
            fail(text)
        try:
            return eval(text, {"__builtins__": {}}, self.constants)  # pylint: disable=eval-used
        except Exception:
            fail(text)

    def type(self, text, stars, inside):
        """The ctypes type of `text` with this many stars. Arrays of scalars are plain addresses in
        a call; inside a struct a pointer to a struct keeps its type."""
        text = re.sub(r"\b(const|struct|enum)\b", "", text).strip()
        if stars == 0:
            if text in self.scalars:
                return self.scalars[text]
            if text in self.structs or text in self.callbacks:
                return text
            return "None" if text == "void" and not inside else fail(text)
        if stars == 1 and text == "char":
            return "ctypes.c_char_p"
        if stars == 1 and text in self.structs:
            return f"ctypes.POINTER({text})"
        if text == "void" or text in self.scalars or text in self.opaque or text in self.structs:
            return "ctypes.c_void_p"
        return fail(text)

    def declaration(self, text, inside=False):
        """(name, type) of `const char *name` or `char name[24]`, for each name of `int a, b`."""
        text = re.sub(r"\*\s*const\b", "*", text.strip())  # nothing to ctypes
        if "(*" in text:  # a function pointer without a name of its own
            return [(re.search(r"\(\*(\w+)\)", text).group(1), "ctypes.c_void_p")]
        match = re.fullmatch(r"((?:\w+\s+)*\w+)([\s*]+)(\w+(?:\s*,\s*\w+)*)(\[\w+\])?", text)
        if not match:
            fail(text)
        base, stars, names, array = match.groups()
        kind = self.type(base, stars.count("*"), inside)
        if array:
            size = self.value(array[1:-1])
            kind = f"{kind} * {size}" if inside else "ctypes.c_void_p"
        return [(name.strip(), kind) for name in names.split(",")]

    def arguments(self, text):
        if text.strip() == "void":
            return []
        return [self.declaration(part)[0][1] for part in text.split(",")]

    def read(self, text):
        text = plain(text)
        for name, value in re.findall(r"^#define (HOP_[A-Z0-9_]+) +([^\s{].*)$", text, re.M):
            if not name.endswith(("_INIT", "_API", "_NODISCARD")):
                self.pending.append((name, value))
        text = re.sub(r"^#.*$", "", text, flags=re.M)
        # The one pattern per kind of statement, tried in the order of the text.
        statement = re.compile(
            r"(?:typedef )?enum (?P<enum>\w+)? ?\{(?P<values>[^}]*)\}[^;]*;"
            r"|typedef struct (?P<struct>\w+) \{(?P<fields>[^}]*)\} \w+;"
            r"|typedef struct (?P<opaque>\w+) \w+;"
            r"|typedef (?P<old>\w+) (?P<new>\w+);"
            r"|typedef (?P<result>\w+) \(\*(?P<callback>\w+)\)\((?P<parameters>[^;]*)\);"
            r"|(?P<function>[^;{}]*\bHOP_API\b[^;{}]*);"
            r"|(?P<unknown>\S[^;]*;)")
        for match in statement.finditer(text):
            self.statement(match.groupdict())

    pending: list = []

    def statement(self, found):
        if found["values"] is not None:
            last = -1
            for item in filter(None, map(str.strip, found["values"].split(","))):
                name, _, value = item.partition("=")
                last = self.value(value) if value else last + 1
                self.constants[name.strip()] = last
            if found["enum"]:
                self.scalars[found["enum"]] = "ctypes.c_int"
        elif found["struct"]:
            fields = [field for line in found["fields"].split(";") if line.strip()
                      for field in self.declaration(line, inside=True)]
            self.structs[found["struct"]] = fields
            self.order.append(found["struct"])
        elif found["opaque"]:
            self.opaque.add(found["opaque"])
        elif found["new"]:
            self.scalars[found["new"]] = self.type(found["old"], 0, True)
        elif found["callback"]:
            types = [self.type(found["result"], 0, False)] + self.arguments(found["parameters"])
            self.callbacks[found["callback"]] = f"ctypes.CFUNCTYPE({', '.join(types)})"
            self.order.append(found["callback"])
        elif found["function"]:
            self.function(found["function"])
        else:
            fail(found["unknown"])
        self.settle()

    def settle(self):
        """Constants may use enums that stand further down."""
        while self.pending:
            self.constants[self.pending[0][0]] = self.value(self.pending[0][1])
            self.pending.pop(0)

    def function(self, text):
        text = re.sub(r"\b(HOP_API|HOP_NODISCARD)\b", "", text)
        match = re.fullmatch(r"\s*(.*?)([\s*]+)(hop_\w+)\s*\((.*)\)\s*", text, re.S)
        if not match:
            fail(text)
        base, stars, name, arguments = match.groups()
        result = self.type(" ".join(base.split()), stars.count("*"), False)
        self.functions[name] = (result, self.arguments(" ".join(arguments.split())))

    def text(self):
        yield '"""The binding of the public headers, written by bind_headers.py."""\n'
        # REUSE-IgnoreStart
        yield "# SPDX-License-Identifier: Apache-2.0\n"
        # REUSE-IgnoreEnd
        yield "from __future__ import annotations\n\nimport ctypes\nfrom typing import Any, Dict, "
        yield "List, Tuple, Type\n\n"
        for name, value in self.constants.items():
            if name.startswith("HOP_"):
                yield f"{name} = {value!r}\n"
        for name in self.order:
            if name in self.callbacks:
                yield f"\n{name} = {self.callbacks[name]}\n"
                continue
            yield f"\n\nclass {name}(ctypes.Structure):\n    _fields_ = [\n"
            yield from (f'        ("{field}", {kind}),\n' for field, kind in self.structs[name])
            yield "    ]\n"
        yield "\n\nSTRUCTS: List[Type[ctypes.Structure]] = ["
        yield ", ".join(self.structs) + "]\n\n# Result and arguments of each function.\n"
        yield "FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {\n"
        for name, (result, arguments) in self.functions.items():
            yield f'    "{name}": ({result}, [{", ".join(arguments)}]),\n'
        yield "}\n"


def headers(include):
    """In an order in which each comes after those that it includes."""
    done = []

    def visit(name):
        text = (include / name).read_text(encoding="utf-8")
        for needed in re.findall(r'#include "(hoplite/\w+\.h)"', text):
            visit(needed)
        if name not in done:
            done.append(name)

    visit("hoplite/hoplite.h")
    return done


def main():
    include, output = map(pathlib.Path, sys.argv[1:])
    binding = Binding()
    for name in headers(include):
        binding.read((include / name).read_text(encoding="utf-8"))
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("".join(binding.text()), encoding="utf-8")


if __name__ == "__main__":
    main()
