"""How far an export is: told often enough to be shown, and to be stopped within a moment.

Whoever asks for an export may pass a function that is called at every step. What it raises ends
the export there, before anything is written. Between two calls lie a few dozen milliseconds at
most, and no call into a library holds Python's lock longer, so a window answers meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

OnStep = Callable[[str, float], None]
"""Takes what is being done, and how much of it is done: from 0 to 1."""

_PER_STEP = 1_000

T = TypeVar("T")


def ignore_steps(_doing: str, _share: float) -> None:
    """For exports that nobody watches."""


def part_of_steps(on_step: OnStep, begin: float, end: float) -> OnStep:
    """For a part of an export, which takes it from one share to another."""
    return lambda doing, share: on_step(doing, begin + share * (end - begin))


def tell_steps(things: Iterable[T], num_things: int, doing: str, on_step: OnStep) -> Iterator[T]:
    """The same things, with a step told before the first and after each thousand.

    Args:
        things: To pass through.
        num_things: About how many they are.
        doing: What to say.
        on_step: Whom to tell.
    """
    for number, thing in enumerate(things):
        if number % _PER_STEP == 0:
            on_step(doing, min(1.0, number / max(num_things, 1)))
        yield thing
