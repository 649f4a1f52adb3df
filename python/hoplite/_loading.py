# SPDX-License-Identifier: Apache-2.0
"""Finds the shared library, loads it, and gives its functions their types. Starts no threads.

Looked for, in this order: the file that HOPLITE_LIBRARY names; libhoplite.so in this folder, where
a wheel has it; what the system's loader finds."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Dict

from . import _binding as c

# What the library is linked with, and the packages that have it.
PACKAGES = {"libz.so.1": "zlib1g",
            "libxxhash.so.0": "libxxhash0"}


def interface_of(version: str) -> str:
    """What versions with the same interface have in common: until 1.0 the minor number too."""
    major, minor = version.split(".")[:2]
    return f"0.{minor}" if major == "0" else major


SYSTEM_NAME = f"libhoplite.so.{interface_of(c.HOP_VERSION)}"
INITIAL: Dict[Any, bytes] = {}  # of structs, once one was made


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
    package was made for: a missing function, or a version that may have another interface.
    Structs may be longer there or here: they say their size."""
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
    theirs = library.hop_version().decode()
    if interface_of(theirs) != interface_of(c.HOP_VERSION):
        raise ImportError(f"hoplite: {path} is version {theirs}, and this package was made for "
                          f"{c.HOP_VERSION}")
    return library


lib = load(library_path())
instance_method = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(
    ("PyInstanceMethod_New", ctypes.pythonapi))


def freed_by(function: Any) -> Any:
    """The method __del__ of what this C function frees, given the object. A function of Python will
    not do: on entry to one the handlers of signals run, and what they raise is dropped in a
    __del__. So Ctrl-C would be lost there, and the memory with it."""
    return instance_method(function)


def make(struct: Any, **fields: Any) -> Any:
    """A struct as its initialiser hop_x_init makes it, with these fields set."""
    if struct not in INITIAL:
        first = struct()
        getattr(lib, f"{struct.__name__}_init")(ctypes.byref(first), ctypes.sizeof(first))
        INITIAL[struct] = bytes(first)
    made = struct.from_buffer_copy(INITIAL[struct])
    for name, value in fields.items():
        setattr(made, name, value)
    return made
