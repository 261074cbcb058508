"""What a person types to look at values: a slice, a condition, a place in a run.

slice      `[0, :, 3]`, `2:8, ...`, `[::2]`
condition  `nan`, `inf`, `> 1e3`, `== 0`, `shape [8, 3]`, `dtype bfloat16`; several by commas
place      `4/jaxpr/2@7`: an equation's id, and the rounds of the loops around it
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

MAX_QUERY_CHARS = 500

Index = int | slice

_WHOLE = re.compile(r"[+-]?\d{1,15}")


def parse_slice(text: str, shape: Sequence[int]) -> tuple[Index, ...]:
    """One index or slice for each dimension of an array.

    Args:
        text: As in NumPy, brackets may be left out; empty for the whole array.
        shape: Of the array.

    Raises:
        ValueError: It is no slice, or not of such an array; the message says why.
    """
    body = text.strip()
    if body.startswith("[") and body.endswith("]"):
        body = body[1:-1]
    parts = [part.strip() for part in body.split(",")] if body.strip() else []
    if parts and not parts[-1]:
        parts.pop()
    if parts.count("...") > 1:
        raise ValueError("A slice may have ... once.")
    num_named = len(parts) - parts.count("...")
    of = f"{len(shape)} dimension{'s' * (len(shape) != 1)}"
    if num_named > len(shape):
        raise ValueError(f"{num_named} indices are too many for an array of {of}.")
    place = parts.index("...") if "..." in parts else len(parts)
    filled = [":"] * (len(shape) - num_named)
    parts[place : place + 1] = filled
    return tuple(
        _parse_index(part, size, number)
        for number, (part, size) in enumerate(zip(parts, shape, strict=True))
    )


def _parse_index(text: str, size: int, dimension: int) -> Index:
    numbers = [part.strip() for part in text.split(":")]
    if len(numbers) > 3 or not all(_WHOLE.fullmatch(n) or not n for n in numbers):
        raise ValueError(f"{text[:40]!r} is no index and no slice: write 3, :, 2:8 or ::2.")
    if len(numbers) > 1:
        start, stop, step = (int(n) if n else None for n in [*numbers, ""][:3])
        if step == 0:
            raise ValueError(f"The step of {text!r} is 0.")
        return slice(start, stop, step)
    if not numbers[0]:
        raise ValueError("An index is missing between commas.")
    index = int(numbers[0])
    if not -size <= index < size:
        raise ValueError(f"Index {index} is out of dimension {dimension}, which has size {size:,}.")
    return index % size


@dataclasses.dataclass(frozen=True, slots=True)
class ValueCondition:
    """What stops a run through values.

    Attributes:
        kind: `nan`, `inf`, `shape`, `dtype`, or one of `> >= < <= == !=`.
        number: What elements are compared with.
        shape: Of the array.
        dtype: As NumPy names it.
    """

    kind: str
    number: float = 0.0
    shape: tuple[int, ...] = ()
    dtype: str = ""

    @property
    def is_of_type(self) -> bool:
        """Whether the type alone decides."""
        return self.kind in ("shape", "dtype")


_COMPARED = re.compile(r"(>=|<=|==|!=|>|<)\s*(\S+)")
_SHAPED = re.compile(r"(?:shape\s*)?[\[(]([\d\s,]*)[\])]")


def parse_condition(text: str) -> tuple[ValueCondition, ...]:
    """Conditions of which any stops a run.

    Raises:
        ValueError: It is none; the message says what could be written.
    """
    if len(text) > MAX_QUERY_CHARS:
        raise ValueError(f"A condition may have {MAX_QUERY_CHARS} characters.")
    parts = [part.strip() for part in re.split(r",(?![^\[(]*[\])])|\bor\b", text)]
    found = tuple(_parse_part(part) for part in parts if part)
    if not found:
        raise ValueError("Write a condition, such as nan, inf, > 1e3 or shape [8, 3].")
    return found


def _parse_part(text: str) -> ValueCondition:
    if text.lower() in ("nan", "inf"):
        return ValueCondition(text.lower())
    if match := _SHAPED.fullmatch(text):
        sizes = [size for size in match[1].replace(" ", "").split(",") if size]
        return ValueCondition("shape", shape=tuple(map(int, sizes)))
    if match := re.fullmatch(r"dtype\s+(\w+)", text):
        return ValueCondition("dtype", dtype=match[1])
    if match := _COMPARED.fullmatch(text):
        try:
            return ValueCondition(match[1], float(match[2]))
        except ValueError:
            raise ValueError(f"{match[2][:40]!r} is no number.") from None
    raise ValueError(
        f"{text[:40]!r} is no condition: write nan, inf, > 1e3, == 0, shape [8, 3] or "
        "dtype bfloat16."
    )


def parse_place(text: str) -> tuple[str, tuple[int, ...]]:
    """An equation's id and the rounds of the loops around it, outermost first.

    Args:
        text: Such as `4/jaxpr/2@7`; without rounds the first of each loop is meant.

    Raises:
        ValueError: It is no place.
    """
    id, at, rounds = text.strip().partition("@")
    numbers = [number.strip() for number in rounds.split(",")] if at else []
    if not id or len(text) > MAX_QUERY_CHARS or not all(re.fullmatch(r"\d+", n) for n in numbers):
        raise ValueError(f"{text[:60]!r} is no place: write an equation's id, such as 4/jaxpr/2@7.")
    return id, tuple(map(int, numbers))


def write_place(equation: str, iterations: Sequence[int]) -> str:
    """What `parse_place` reads."""
    return equation + (f"@{','.join(map(str, iterations))}" if iterations else "")
