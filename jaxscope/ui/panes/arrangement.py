"""How panes are laid out, as a value that is remembered between starts; no Qt."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

MAX_PANES = 24
"""More are too small to be of use, on any screen."""

_MAX_DEPTH = 12
_MAX_NAME_CHARACTERS = 200


@dataclasses.dataclass(frozen=True, slots=True)
class PaneSpec:
    """One pane.

    Attributes:
        stage: What it is for: a stage's name, or `source`.
        form: How it shows that: `graph`, `text`, `table` or `tree`.
        name: As a person named it, or empty.
    """

    stage: str
    form: str = "graph"
    name: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Split:
    """Parts beside each other, or below each other.

    Attributes:
        is_across: Beside each other.
        parts: From left to right, or from top to bottom.
        shares: Of the room, as many as parts, in any unit.
    """

    is_across: bool
    parts: tuple[PaneSpec | Split, ...]
    shares: tuple[float, ...]


FIRST_ARRANGEMENT = Split(
    True,
    (PaneSpec("source", "text"), PaneSpec("jaxpr"), PaneSpec("optimized")),
    (7.0, 8.0, 8.0),
)
"""What a new window shows."""


def format_arrangement(arrangement: Split) -> str:
    """An arrangement as one line of JSON."""
    return json.dumps(dataclasses.asdict(arrangement))


def parse_arrangement(text: str) -> Split | None:
    """Read an arrangement back; None where the text is none, or cannot be shown."""
    try:
        found = _read_split(json.loads(text), _MAX_DEPTH)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return found if 1 <= len(panes_of(found)) <= MAX_PANES else None


def panes_of(part: PaneSpec | Split) -> list[PaneSpec]:
    """All panes, from the top left to the bottom right."""
    if isinstance(part, PaneSpec):
        return [part]
    return [pane for inner in part.parts for pane in panes_of(inner)]


def _read_split(value: Any, depth: int) -> Split:
    parts = tuple(_read_part(part, depth - 1) for part in value["parts"])
    shares = tuple(float(share) for share in value["shares"])
    is_sound = all(math.isfinite(share) and share >= 0 for share in shares)
    if depth <= 0 or not parts or len(shares) != len(parts) or not is_sound:
        raise ValueError("no arrangement")
    return Split(bool(value["is_across"]), parts, shares)


def _read_part(value: Any, depth: int) -> PaneSpec | Split:
    if "parts" in value:
        return _read_split(value, depth)
    words = [value["stage"], value["form"], value["name"]]
    if not all(isinstance(word, str) and len(word) <= _MAX_NAME_CHARACTERS for word in words):
        raise ValueError("no pane")
    return PaneSpec(*words)
