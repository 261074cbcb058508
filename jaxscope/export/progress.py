"""How far an export is: called often enough to be shown, and to be stopped within a moment.

Whoever asks for an export may pass a function that is called at every step. What it raises ends the
export there, before anything is written. Between two calls lie a few dozen milliseconds at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

OnProgress = Callable[[str, float], None]
"""Takes what is being done, and how much of it is done: from 0 to 1."""

_PER_STEP = 1_000

T = TypeVar("T")


def ignore_progress(_doing: str, _share: float) -> None:
    """For exports that nobody watches."""


def part_of_progress(on_step: OnProgress, begin: float, end: float) -> OnProgress:
    """For a part of an export, which takes it from one share to another."""
    return lambda doing, share: on_step(doing, begin + share * (end - begin))


def report_progress(
    things: Iterable[T], num_things: int, doing: str, on_step: OnProgress
) -> Iterator[T]:
    """The same things, with a step reported before the first and after each thousand.

    Args:
        things: To pass through.
        num_things: About how many they are.
        doing: What to say.
        on_step: Called with each step.
    """
    for number, thing in enumerate(things):
        if number % _PER_STEP == 0:
            on_step(doing, min(1.0, number / max(num_things, 1)))
        yield thing
