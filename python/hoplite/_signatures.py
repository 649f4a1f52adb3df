# SPDX-License-Identifier: Apache-2.0
"""Keywords of all calls, as `inspect.signature`, completion and `typing.get_type_hints` see them.

In the source they are ``**how: Unpack[How]``, which type checkers understand. At run time the same
functions show threads, device, memory, seed and progress by name."""

from __future__ import annotations

import inspect
import typing
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator

if TYPE_CHECKING:
    from typing_extensions import Self as Self
    from typing_extensions import Unpack as Unpack
else:  # since Python 3.11 in typing
    Self = getattr(typing, "Self", Any)
    Unpack = getattr(typing, "Unpack", typing.Optional)

STANDARD = {"seed": 1}  # of the keywords; the others are None


def spelled_out(function: Callable[..., Any], keywords: Dict[str, Dict[str, Any]]) -> None:
    """Gives a function that ends with, say, ``**how`` a signature with these keywords instead."""
    said = inspect.signature(function)
    listed = list(said.parameters.values())
    if not listed or listed[-1].kind is not inspect.Parameter.VAR_KEYWORD:
        return
    hints = keywords.get(listed[-1].name)
    if hints is None:
        return
    shown = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=STANDARD.get(name),
                               annotation=hint) for name, hint in hints.items()]
    function.__signature__ = said.replace(  # type: ignore[attr-defined]
        parameters=[*listed[:-1], *shown])
    del function.__annotations__[listed[-1].name]
    function.__annotations__.update(hints)


def functions_in(things: Any) -> Iterator[Callable[..., Any]]:
    """The functions among these, and the methods of classes among them."""
    for thing in things:
        if inspect.isclass(thing):
            yield from (found for found in (getattr(value, "__func__", value)
                                            for value in vars(thing).values())
                        if inspect.isfunction(found))
        elif inspect.isfunction(thing):
            yield thing


def spell_out(things: Any, names: Dict[str, Any], **keywords: Any) -> None:
    """`keywords`: TypedDicts by the name under which functions take them. `names`: what their
    annotations mention."""
    hints = {name: typing.get_type_hints(kind, names) for name, kind in keywords.items()}
    for function in functions_in(things):
        spelled_out(function, hints)
