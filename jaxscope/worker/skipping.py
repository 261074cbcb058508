"""Leave out one part of a measurement when the person who waits for it says so.

The wish arrives as a signal, since the main thread is busy with what is to be left out. It takes
effect when Python code runs again: a compilation in C++ ends first.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

SKIP_SIGNAL = signal.SIGUSR1


class Skipped(BaseException):
    """The person wants to go on with the next part.

    No `Exception`, so that code which catches those does not swallow it.
    """


class SkippablePart:
    """What became of a part.

    Attributes:
        was_skipped: Whether it was left early, at a person's wish.
    """

    def __init__(self) -> None:
        self.was_skipped = False


_is_armed = False


@contextlib.contextmanager
def skippable() -> Iterator[SkippablePart]:
    """Run a part that a skip ends: what follows the block goes on.

    Parts do not nest: an inner one would take the wish for itself and hand nothing back.
    """
    global _is_armed
    part = SkippablePart()
    signal.signal(SKIP_SIGNAL, _on_skip)
    _is_armed = True
    try:
        yield part
    except Skipped:
        part.was_skipped = True
    finally:
        _is_armed = False


def _on_skip(_number: int, _frame: FrameType | None) -> None:
    global _is_armed
    if _is_armed:
        _is_armed = False  # a second wish must not end what tidies up after the first
        raise Skipped
