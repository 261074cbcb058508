"""Which command tells which of two programs is faster, where neither was measured."""

from __future__ import annotations

import dataclasses
import os
import shlex
import sys
from collections.abc import Iterator, Mapping

from jaxscope.model import Capture

_AHEAD_OF_TIME = "aot:"
_GENERAL = (
    "Neither side was measured, so which of the two is faster is not known. A saved capture keeps "
    "what was measured of it, and jaxscope time FILE CALL --against CALL measures two in turns."
)
_UNTELLING = ("…", "<lambda>", "<function>")
"""Marks of calls that name something which only lived in one process."""


@dataclasses.dataclass(frozen=True, slots=True)
class MadeWith:
    """What a program was compiled with beyond its file, its call and its target.

    Attributes:
        python: The interpreter; empty for jaxscope's own.
        x64: Whether 64-bit types were on.
        xla: Options of XLA's, name to value.
    """

    python: str = ""
    x64: bool = False
    xla: Mapping[str, str] = dataclasses.field(default_factory=dict)


PLAIN = MadeWith()


def describe_missing_times(
    first: Capture, second: Capture, made: MadeWith = PLAIN, other: MadeWith = PLAIN
) -> str:
    """Why there are no times, and the command that measures these two programs in turns.

    Args:
        first: The earlier side.
        second: The later side.
        made: What the first side was compiled with.
        other: What the second side was compiled with.
    """
    if any(capture.target.startswith(_AHEAD_OF_TIME) for capture in (first, second)):
        return (
            "Neither side was measured: what is compiled ahead of time for a chip that is not "
            "here cannot run. Estimates by the chip's published peaks: jaxscope targets FILE CALL."
        )
    if not (_is_repeatable(first) and _is_repeatable(second)):
        return _GENERAL
    command = shlex.join(_words(first, second, made, other))
    return (
        "Neither side was measured, so which of the two is faster is not known. This measures "
        f"them in turns: {command}"
    )


def _is_repeatable(capture: Capture) -> bool:
    return capture.source.file.endswith(".py") and not any(
        mark in capture.call for mark in _UNTELLING
    )


def _words(first: Capture, second: Capture, made: MadeWith, other: MadeWith) -> Iterator[str]:
    yield from ("jaxscope", "time", _shown_path(first.source.file), first.call)
    is_other_file = second.source.file != first.source.file
    has_more = is_other_file or first.target != second.target or made != other
    if second.call != first.call or not has_more:
        yield from ("--against", second.call)
    if is_other_file:
        yield from ("--against-file", _shown_path(second.source.file))
    if first.target not in ("", "cpu"):
        yield from ("--target", first.target)
    if second.target != first.target:
        yield from ("--against-target", second.target)
    if made.python:
        yield from ("--python", made.python)
    if other.python != made.python:
        yield from ("--against-python", other.python or sys.executable)
    if made.x64 and other.x64:
        yield "--x64"
    elif made.x64 or other.x64:
        yield from ("--env", f"{'A' if made.x64 else 'B'}:JAX_ENABLE_X64=1")
    for name in dict.fromkeys((*made.xla, *other.xla)):
        ours, theirs = made.xla.get(name), other.xla.get(name)
        if ours == theirs:
            yield from ("--xla", f"{name}={ours}")
            continue
        for side, value in (("A", ours), ("B", theirs)):
            if value is not None:
                yield from ("--xla", f"{side}:{name}={value}")


def _shown_path(path: str) -> str:
    """The path from here, where the file lies below this folder."""
    try:
        near = os.path.relpath(path)
    except ValueError:  # another drive
        return path
    return path if near.startswith(os.pardir) else near
