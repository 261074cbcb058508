"""Ranges of sizes as people type them: `x:0=64..4096`, `n=1..64/7`."""

from __future__ import annotations

import re

from jaxscope.errors import UsageError
from jaxscope.model.said import say

_SCALE = re.compile(
    r"(?P<vary>[^=]+)=(?P<low>\d{1,20})\.\.(?P<high>\d{1,20})(?:/(?P<count>\d{1,20}))?"
)
_NAME = re.compile(r"[^\W\d]\w*(?:[\w.\[\]'\"]*:\d+(?:,[^\W\d][\w.\[\]'\"]*:\d+)*)?")
_NAMES = re.compile(r"[^\W\d][\w.\[\]'\"]*(?:\+[^\W\d][\w.\[\]'\"]*)*")
_MAX_CHARACTERS = 1000
_MAX_SIZES = 40
_MAX_SIZE = 2**31
DEFAULT_GROWTH = "1..64"


def read_scale(text: str) -> tuple[str, tuple[int, ...]]:
    """Such as `x:0=64..4096`: what is varied, and the sizes in even steps of a logarithmic scale.

    Raises:
        UsageError: It is no such text.
    """
    match = _SCALE.fullmatch(text.strip()) if len(text) <= _MAX_CHARACTERS else None
    if match is None or _NAME.fullmatch(match["vary"].strip()) is None:
        raise _no_range(text, say("It has another form."))
    low, high = int(match["low"]), int(match["high"])
    if not 0 < low < high <= _MAX_SIZE:
        raise _no_range(
            text, say("The range {low}..{high} does not rise from at least 1.", low=low, high=high)
        )
    count = int(match["count"]) if match["count"] else None
    if count is not None and not 2 <= count <= _MAX_SIZES:
        raise _no_range(text, say("There may be 2 to {max_sizes} sizes.", max_sizes=_MAX_SIZES))
    return match["vary"].strip(), spread_sizes(low, high, count)


def read_growth(text: str) -> tuple[str, tuple[int, ...]]:
    """Such as `1..64`, or `x+y=1..64`: names of what is stacked, empty for all, and the sizes.

    Raises:
        UsageError: It is no such text.
    """
    names, equals, rest = text[: _MAX_CHARACTERS + 1].strip().rpartition("=")
    if equals and _NAMES.fullmatch(names.strip()) is None:
        raise _no_range(text, say("{names} names no arguments.", names=repr(names[:60])))
    try:
        return names.strip(), read_scale(f"n={rest}")[1]
    except UsageError:
        raise _no_range(text, say("It is neither LOW..HIGH nor NAME=LOW..HIGH.")) from None


def spread_sizes(low: int, high: int, count: int | None = None) -> tuple[int, ...]:
    """Sizes from `low` to `high` in even steps of a logarithmic scale; doubling by default."""
    if count is None:
        sizes = [low]
        while sizes[-1] * 2 <= high and len(sizes) < _MAX_SIZES - 1:
            sizes.append(sizes[-1] * 2)
        return tuple(sizes) if sizes[-1] == high else (*sizes, high)
    step = (high / low) ** (1.0 / (count - 1))
    return tuple(dict.fromkeys(round(low * step**number) for number in range(count)))


def _no_range(text: str, why: str) -> UsageError:
    return UsageError(
        say("{text} is no range of sizes.", text=repr(text[:100])),
        why=why,
        remedy=say("Such as x:0=64..4096, or n=1..64 for a name n in the call."),
    )
