"""Where a file still keeps a tracer of a trace that is over."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any

from jaxscope.model.said import say
from jaxscope.model.units import format_place
from jaxscope.worker import compat

_ESCAPED = re.compile(r"with type (?P<aval>\S+) wrapped in a (?P<kind>\w+) to escape")
_MOST_ELEMENTS = 1_000
_MOST_LEVELS = 3
_MOST_TOLD = 3


def tell_made(tracer: Any) -> str:
    """A sentence that says where a tracer was made; empty where JAX does not know."""
    made = compat.place_of_tracer(tracer)
    return (
        say("It was made at {place} in {made}.", place=format_place(*made[:2]), made=made[2])
        if made is not None
        else ""
    )


def tell_kept(names: Mapping[str, Any], is_wanted: Callable[[Any], bool]) -> tuple[str, list[Any]]:
    """A sentence that says which variables keep some tracers, and the tracers themselves.

    Args:
        names: The variables of a file, `__name__` among them.
        is_wanted: Whether a tracer is one of those.
    """
    module = names.get("__name__", "")
    found = {
        text: tracer
        for name, value in list(names.items())
        if not name.startswith("__")
        for text, tracer in _tracers_in(value, name, module, _MOST_LEVELS)
        if is_wanted(tracer)
    }
    told = [f"`{text}`" for text in list(found)[:_MOST_TOLD]]
    more = f" and {len(found) - len(told)} more" if len(found) > len(told) else ""
    return (
        say("It is kept in {told}{more}.", told=", ".join(told), more=more) if told else ""
    ), list(found.values())


def tell_escaped(error: BaseException, text: str) -> tuple[str, str]:
    """The same of the tracer that JAX refused, by its type; with its place, if JAX tells none.

    The second text is that place, such as `file.py:12`.

    Only variables of a file are looked at: a tracer in one of those is none of a running trace.
    """
    escaped = _ESCAPED.search(text)
    if escaped is None:
        return "", ""

    def is_wanted(tracer: Any) -> bool:
        return (type(tracer).__name__, tracer.aval.str_short()) == (
            escaped["kind"],
            escaped["aval"],
        )

    for names in _variables(error.__traceback__):
        told, tracers = tell_kept(names, is_wanted)
        if told:
            if len(tracers) != 1 or "was created on line" in text:
                return told, ""
            made = tell_made(tracers[0])
            return f"{made} {told}".lstrip(), compat.tracer_place(tracers[0])
    return "", ""


def _variables(traceback: TracebackType | None) -> Iterator[Mapping[str, Any]]:
    """The variables of each file that a traceback passes, the innermost first."""
    found: dict[int, Mapping[str, Any]] = {}
    while traceback is not None:
        names = traceback.tb_frame.f_globals
        if str(names.get("__name__")).partition(".")[0] not in ("jax", "jaxscope"):
            found[id(names)] = names
        traceback = traceback.tb_next
    yield from reversed(found.values())


def _tracers_in(value: Any, text: str, module: Any, levels: int) -> Iterator[tuple[str, Any]]:
    """The tracers in a variable, in its elements and attributes, each as an expression."""
    inner: list[tuple[str, Any]] = []
    if isinstance(value, compat.Tracer):
        yield text, value
    elif type(value) is dict and len(value) <= _MOST_ELEMENTS:
        inner = [(f"{text}[{key!r}]", each) for key, each in value.items() if type(key) in _PLAIN]
    elif type(value) in (list, tuple, deque) and len(value) <= _MOST_ELEMENTS:
        inner = [(f"{text}[{number}]", each) for number, each in enumerate(value)]
    elif type(value).__module__ == module and "__dict__" in dir(type(value)):
        inner = [(f"{text}.{name}", each) for name, each in vars(value).items()]
    for name, each in inner if levels else ():
        yield from _tracers_in(each, name, module, levels - 1)


_PLAIN = (str, int)
