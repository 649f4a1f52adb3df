# SPDX-License-Identifier: Apache-2.0
"""Finds the shared library, loads it, and gives its functions their types. Starts no threads.

Looked for, in this order: the file that HOPLITE_LIBRARY names; libhoplite.so in this folder, where
a wheel has it; what the system's loader finds."""

from __future__ import annotations

import ctypes
import os
from typing import Any

from . import _binding as c

# What the library is linked with, and the packages that have it.
PACKAGES = {"libz.so.1": "zlib1g",
            "libxxhash.so.0": "libxxhash0"}
# Until 1.0 a minor version may change the interface, so its number is part of the name.
SYSTEM_NAME = (f"libhoplite.so.{c.HOP_VERSION_MAJOR}" if c.HOP_VERSION_MAJOR else
               f"libhoplite.so.0.{c.HOP_VERSION_MINOR}")


def library_path() -> str:
    """The path, or the name, of the library that is to be loaded."""
    asked = os.environ.get("HOPLITE_LIBRARY")
    if asked:
        return asked
    packed = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libhoplite.so")
    return packed if os.path.exists(packed) else SYSTEM_NAME


def remedy(path: str, said: str) -> str:
    """What to do when the system's loader says this: it names the file that it did not find, which
    may be one that the library needs."""
    missing, _, why = said.partition(": ")
    if why.startswith("cannot open shared object") and os.path.basename(
            missing) != os.path.basename(path):
        package = PACKAGES.get(missing)
        return f"the library itself is there, but needs {missing}: install " + (
            f"the package that has it (Debian and Ubuntu: {package})" if package
            else "the package that has it")
    return "set HOPLITE_LIBRARY to the path of libhoplite.so"


def load(path: str) -> ctypes.CDLL:
    """The library with argument and result types. ImportError if it is not the one that this
    package was made for: a missing function, or a struct of another size."""
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"hoplite: the library {path} cannot be loaded ({error}); "
                          f"{remedy(path, str(error))}") from error
    for name, (result, arguments) in c.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(
                f"hoplite: {path} has no {name}: it is another version than {c.HOP_VERSION}, "
                "which this package was made for"
            ) from None
        function.restype, function.argtypes = result, arguments
    for struct in c.STRUCTS:
        theirs, ours = library.hop_struct_size(struct.__name__.encode()), ctypes.sizeof(struct)
        if theirs != ours:
            raise ImportError(
                f"hoplite: {path}: {struct.__name__} has {theirs} bytes there and {ours} here: it "
                f"is version {library.hop_version().decode()}, and this package was made for "
                f"{c.HOP_VERSION}"
            )
    return library


lib = load(library_path())


def make(struct: Any, **fields: Any) -> Any:
    """A struct as its initialiser HOP_X_INIT makes it, with these fields set."""
    made = struct()
    made.size = ctypes.sizeof(struct)
    for name, value in c.DEFAULTS[struct].items():
        setattr(made, name, value)
    for name, value in fields.items():
        setattr(made, name, value)
    return made
