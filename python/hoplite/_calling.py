# SPDX-License-Identifier: Apache-2.0
"""Calls into the library: contexts, options that say how, progress, interrupts.

A context serves one call at a time, so calls borrow one from a pool of idle ones that were made
with the same options; two Python threads never share one. The pool is a list, whose operations are
atomic: no lock that a fork could leave locked, or that a handler of a signal would wait for. Who
has taken a context out of it is the only one to use it.

A context keeps the graphs of its calls on its device. Of the idle ones with the same device only
the last that was used keeps them: so a program has one copy there when no call is under way,
however many threads and options it uses.

The library reports progress some twenty times a second, on the calling thread. The callback is
Python code, so that is where Python runs the handlers of signals: a KeyboardInterrupt is raised
there, stops the call, and goes on from where the call was made. Python does so on entry to a
function, before any `try` in it; an exception would be lost in ctypes, and the callback's result
be left undefined. So the callback is the send of a generator that waits inside a `try`. It takes
one argument, and C passes two pointers: they arrive as one struct, which the calling conventions
of Linux's 64-bit processors pass in the same two registers (tried at import).

After a fork the child makes contexts of its own, since what a driver of a device knows about the
parent is of no use to it."""

from __future__ import annotations

import contextvars
import ctypes
import difflib
import importlib
import inspect
import logging
import os
from contextlib import contextmanager
from typing import (Any, Callable, Generator, Iterator, List, Mapping, NamedTuple, Optional,
                    TypedDict, Union, cast)

from . import _binding as c
from ._failures import failure
from ._loading import freed_by, lib, make
from ._signatures import Unpack
from .errors import BY_STATUS, DeviceError, FileError

logger = logging.getLogger("hoplite")
logger.addHandler(logging.NullHandler())  # else Python would print warnings where nobody listens

ProgressFunction = Callable[[str, int, int], Optional[bool]]
Progress = Union[None, bool, ProgressFunction]
IDLE_CONTEXTS = 16  # that are kept, of all options together


class How(TypedDict, total=False):
    """How a call is done, not what it does: keywords that every call takes.

    threads: number of threads; None or 0: up to one per core, fewer for small graphs.
    device: such as "opencl:0.0" (see :func:`devices`); None or "cpu": the host.
    memory: bytes that the library may allocate, or a text such as "4 GiB"; None: 7/8 of all.
    seed: for variants that draw random numbers.
    progress: True for a bar by tqdm, or a function of (phase, done, total); False cancels.
    """

    threads: Optional[int]
    device: Optional[str]
    memory: Union[int, str, None]
    seed: int
    progress: Progress


class Key(NamedTuple):
    """The options that a context has for life."""

    threads: int
    device: Optional[str]
    memory: int
    log_level: int


defaults: contextvars.ContextVar[How] = contextvars.ContextVar("hoplite_options")
UNITS = {"": 1, "B": 1, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40,
         "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40,
         "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


@contextmanager
def options(**how: Unpack[How]) -> Iterator[None]:
    """Defaults for the calls inside a ``with`` block.

    They hold for this thread or task::

        with hoplite.options(threads=1, progress=True):
            hoplite.bfs(graph, 0)
    """
    merged = how_with_defaults(how)
    token = defaults.set(merged)
    try:
        yield
    finally:
        defaults.reset(token)


def keywords_of_call() -> List[str]:
    """The arguments of the function of this package that was called, and those of every call."""
    names: List[str] = []
    frame = inspect.currentframe()
    while frame is not None:
        code = frame.f_code
        if frame.f_globals.get("__package__") == __package__:
            count = code.co_argcount + code.co_kwonlyargcount
            names = [name for name in code.co_varnames[:count] if name not in ("self", "cls")]
        frame = frame.f_back
    return [*names, *(name for name in How.__annotations__ if name not in names)]


def how_with_defaults(how: Mapping[str, Any]) -> How:
    unknown = sorted(set(how) - set(How.__annotations__))
    if unknown:
        names = keywords_of_call()
        near = next(iter(difflib.get_close_matches(unknown[0], names, 1)), None)
        raise TypeError(f"unknown keyword {unknown[0]!r}; " + (
            f"did you mean {near!r}?" if near else f"there are {', '.join(names)}"))
    return cast(How, {**defaults.get({}), **how})


def truth(name: str, value: Any) -> bool:
    """An argument that is True or False; "no" would be True."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def whole(name: str, value: Any, low: int, high: int) -> int:
    """An integer argument in its range; NumPy's integers are welcome, floats are not."""
    try:
        number = value.__index__()
    except (AttributeError, TypeError):
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {number}")
    return int(number)


def real(name: str, value: Any) -> float:
    """A number; a text is none."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number, not {value!r}")
    return float(value)


def byte_count(name: str, value: Union[int, str, None]) -> int:
    """Bytes of 4096, "4 GiB", "512M"; 0 for None."""
    if value is None:
        return 0
    if not isinstance(value, str):
        return whole(name, value, 0, 2**64 - 1)
    text = value.strip().upper()
    digits = text.rstrip("KMGTIB ")
    try:
        count = int(float(digits) * UNITS[text[len(digits):].strip()])
    except (KeyError, ValueError, OverflowError):
        raise ValueError(
            f"{name} must be bytes, or a text such as '4 GiB', not {value!r}") from None
    return whole(name, count, 0, 2**64 - 1)


def log_level() -> int:
    """The library's level for what the logger "hoplite" lets through."""
    level = logger.getEffectiveLevel()
    if level <= logging.DEBUG:
        return c.HOP_LOG_DEBUG
    if level <= logging.INFO:
        return c.HOP_LOG_INFO
    return c.HOP_LOG_WARNING if level <= logging.WARNING else c.HOP_LOG_ERROR


class Report(ctypes.Structure):
    """The two arguments of a progress callback as one."""

    _fields_ = [("user", ctypes.c_void_p), ("report", ctypes.POINTER(c.hop_progress))]


REPORT_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_bool, Report)


def progress_callback(receive: Any) -> Any:
    """A progress callback that calls `receive` with a Report."""
    made = REPORT_CALLBACK(receive)
    # The cast keeps what it was made from.
    return ctypes.cast(made, c.hop_progress_fn)


def registers_agree() -> bool:
    """Whether two pointers reach a callback that takes a struct of two."""
    seen = []
    sent = c.hop_progress(phase=b"trial", done=3, total=4)

    def receive(got: Any) -> bool:
        seen.append((got.user, got.report.contents.done, got.report.contents.total))
        return True

    return bool(progress_callback(receive)(77, ctypes.byref(sent))) and seen == [(77, 3, 4)]


if not registers_agree():
    raise ImportError("hoplite: this machine passes structs in another way than Linux does on "
                      "x86-64 and aarch64; please report it")

LEVELS = {c.HOP_LOG_ERROR: logging.ERROR, c.HOP_LOG_WARNING: logging.WARNING,
          c.HOP_LOG_INFO: logging.INFO, c.HOP_LOG_DEBUG: logging.DEBUG}


class Owned(ctypes.c_void_p):
    """A pointer to a context that the library makes, freed with this."""

    __del__ = freed_by(lib.hop_context_free)
    keep: Any = None  # the functions that it calls, for as long


class Context:
    """One context of the library, lent to one call at a time."""

    def __init__(self, key: Key) -> None:
        self.pointer: Optional[Owned] = Owned()
        self.key = key
        # Where graphs are kept: on the first of devices with + between; "": nowhere.
        self.device = "" if key.device in (None, "cpu") else str(key.device).partition("+")[0]
        self.keeps = False  # perhaps: it was used since it was trimmed
        self.seed = 1
        self.listener: Optional[ProgressFunction] = None
        self.raised: Optional[BaseException] = None
        self.stopped = False  # by a callback that is not about progress
        self.said = ""  # the last that was logged
        waiting = self.reports()
        next(waiting)
        callbacks = progress_callback(waiting.send), c.hop_log_fn(self.log)
        given = make(
            c.hop_context_options,
            threads=key.threads, log_level=key.log_level, memory_budget=key.memory,
            seed=self.seed, progress=callbacks[0],
            log=callbacks[1], device=None if key.device is None else key.device.encode(),
        )
        self.pointer.keep = callbacks
        status = lib.hop_context_create(ctypes.byref(given), ctypes.byref(self.pointer))
        if status != c.HOP_OK:
            name = lib.hop_status_name(status).decode()
            raise BY_STATUS[status](self.said or f"no context with {key}: {name}")

    def free(self) -> None:
        """At once: it and its callbacks refer to each other, which the collector finds late."""
        self.pointer = None

    def set_seed(self, seed: int) -> None:
        if seed != self.seed:
            lib.hop_context_set_seed(self.pointer, seed)
            self.seed = seed

    def trim(self) -> None:
        """Keeps no graphs on its device any more."""
        lib.hop_device_trim(self.pointer)
        self.keeps = False

    def reports(self) -> Generator[bool, Any, None]:
        """Receives reports of progress and yields whether to go on. Where Python runs the handlers
        of signals during a call: at the yield."""
        go_on = True
        while True:
            try:
                now = (yield go_on).report.contents
                listener = self.listener
                go_on = listener is None or listener(
                    now.phase.decode(), now.done, now.total) is not False
            except GeneratorExit:
                return
            except BaseException as error:  # pylint: disable=broad-except
                self.raised = error
                go_on = False

    def log(self, _user: Any, level: int, message: bytes) -> None:
        try:
            self.said = message.decode("utf-8", "replace")
            logger.log(LEVELS.get(level, logging.INFO), "%s", self.said)
        except BaseException as error:  # pylint: disable=broad-except
            self.raised = error

    def call(self, function: Any, *arguments: Any) -> None:
        """function(context, ...); a failure becomes an exception with the library's message."""
        status = function(self.pointer, *arguments)
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised
        if status != c.HOP_OK:
            raise self.error(status)

    def error(self, status: int) -> BaseException:
        stopped, self.stopped = self.stopped, False
        if status == c.HOP_ERR_CANCELLED and self.listener is None and not stopped:
            return KeyboardInterrupt()  # nobody else cancels
        return failure(self.pointer, status)


_idle: List[Context] = []  # those used last at the end
_left_behind: List[Any] = []  # the parent's contexts: never freed in a child


def _after_fork() -> None:
    _left_behind.append(list(_idle))
    _idle.clear()


os.register_at_fork(after_in_child=_after_fork)


def take(idle: Context) -> bool:
    """Takes a context out of the pool, unless another thread was faster."""
    try:
        _idle.remove(idle)
    except ValueError:
        return False
    return True


def trim_idle(device: str = "", but: Optional[Context] = None) -> None:
    """Idle contexts keep no graphs on this device, or on any if it is empty."""
    for idle in _idle[::-1]:
        if (idle.keeps and idle is not but and (not device or idle.device == device)
                and take(idle)):
            idle.trim()
            _idle.insert(0, idle)


def borrow(key: Key) -> Context:
    """A context for one call, the one used last if several would do."""
    for lent in _idle[::-1]:
        if lent.key == key and take(lent):
            break
    else:
        lent = Context(key)
    if lent.device:
        trim_idle(lent.device)
        lent.keeps = True
    return lent


def give_back(lent: Context) -> None:
    """Those used longest ago are freed when there are too many."""
    _idle.append(lent)
    if lent.device:
        trim_idle(lent.device, but=lent)
    for oldest in _idle[:-IDLE_CONTEXTS]:
        if take(oldest):
            oldest.free()


def device_trim() -> None:
    """Frees the memory of devices that graphs of earlier calls occupy, for other programs.

    A graph stays on a device that has a memory of its own, for the next calls that name the device:
    see :meth:`Graph.prepare`. After this they copy it again. Calls that other threads are making
    are not disturbed. Nothing happens where nothing is kept.
    """
    trim_idle()


@contextmanager
def naming(path: Any) -> Iterator[None]:
    """A failure of the system inside the block is about this file."""
    try:
        yield
    except FileError as error:
        error.filename = path
        raise


@contextmanager
def context(how: Mapping[str, Any]) -> Iterator[Context]:
    """A context for one call."""
    merged = how_with_defaults(how)
    device = merged.get("device")
    if device is not None and not isinstance(device, str):
        raise TypeError(f"device must be a text such as 'opencl:0.0', not {type(device).__name__}")
    key = Key(
        whole("threads", merged.get("threads") or 0, 0, 2**31),
        device,
        byte_count("memory", merged.get("memory")),
        log_level(),
    )
    seed = whole("seed", merged.get("seed", 1), 0, 2**64 - 1)
    lent = borrow(key)
    lent.set_seed(seed)
    lost = False  # a device that failed stays lost for the life of its context
    try:
        with listening(lent, merged.get("progress")):
            yield lent
    except DeviceError:
        lost = True
        raise
    finally:
        if lost:
            lent.free()
        else:
            give_back(lent)


@contextmanager
def listening(lent: Context, progress: Progress) -> Iterator[None]:
    """Progress goes to `progress` while the block runs."""
    if progress is None or progress is False:
        yield
        return
    bar = None
    if progress is True:
        bar = Bar()
        lent.listener = bar.show
    elif callable(progress):
        lent.listener = progress
    else:
        raise TypeError("progress must be True, False, None or a function of (phase, done, total)")
    try:
        yield
    finally:
        lent.listener = None
        if bar is not None:
            bar.close()


class Bar:
    """A bar by tqdm, one per phase; nothing where tqdm is not installed."""

    def __init__(self) -> None:
        self.phase = ""
        self.bar: Any = None
        try:
            self.make: Any = importlib.import_module("tqdm.auto").tqdm
        except ImportError:
            self.make = None

    def show(self, phase: str, done: int, total: int) -> Optional[bool]:
        if self.make is None:
            return None
        if phase != self.phase:
            self.close()
            self.phase = phase
            self.bar = self.make(total=total or None, desc=phase, unit_scale=True, leave=False)
        self.bar.update(done - self.bar.n)
        return None

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None
