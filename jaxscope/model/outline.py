"""What a file offers, found without running it: functions, calls."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class OutlinedFunction:
    """A function, method or class of a file.

    Attributes:
        name: With its class, such as `Model.loss`.
        kind: `function`, `method` or `class`.
        line: 1-based line of its `def` or `class`.
        end_line: Its last line.
        signature: Such as `loss(params, x, *, scale=1.0) -> Array`, at most 300 characters.
        doc: Its docstring, at most 2,000 characters, or empty.
    """

    name: str
    kind: str
    line: int
    end_line: int
    signature: str
    doc: str


@dataclasses.dataclass(frozen=True, slots=True)
class OfferedCall:
    """A call that a comment of the file offers; `line` is 1-based."""

    call: str
    line: int


@dataclasses.dataclass(frozen=True, slots=True)
class Outline:
    """What a file contains."""

    functions: tuple[OutlinedFunction, ...]
    calls: tuple[OfferedCall, ...]
    doc: str
