"""Leave out one part of a measurement when the person who waits for it says so.

The wish arrives as a signal, since the main thread is busy with what is to be left out. It takes
effect when Python code runs again: a compilation in C++ ends first.
"""

from __future__ import annotations

import gc
import math
import signal
import threading
from collections.abc import Callable, Iterator
from os import getpid, kill
from time import monotonic
from types import CodeType, FrameType
from typing import Any, TypeVar

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

SKIP_SIGNAL = signal.SIGUSR1


class Skipped(BaseException):
    """The person wants to go on with the next part.

    No `Exception`, so that code which catches those does not swallow it.
    """


_AGAIN_S = 0.5


class _Wish:
    """What the signal's handler knows: whether anybody listens, and when it was raised last."""

    def __init__(self) -> None:
        self.is_armed = False
        self.raised_at_s = -math.inf
        self.again = threading.Timer(_AGAIN_S, print)

    def raise_later(self, delay_s: float) -> None:
        """Come back, should the exception be lost: Python swallows those of some callbacks."""
        self.again = threading.Timer(delay_s, kill, (getpid(), SKIP_SIGNAL))
        self.again.name, self.again.daemon = "jaxscope skip", True
        self.again.start()


_wish = _Wish()
_shielded: set[CodeType] = set()


def shielded(function: F) -> F:
    """Mark a function that no skip may break off: half a message would end the run."""
    _shielded.add(function.__code__)
    return function


def is_swallowing(frame: FrameType | None) -> bool:
    """Whether a frame is inside of a finalizer or a collector's hook: what it raises is lost."""
    hooks = {getattr(hook, "__code__", None) for hook in gc.callbacks}
    return any(code in hooks or code.co_name == "__del__" for code in _codes(frame))


def _is_shielded(frame: FrameType | None) -> bool:
    return is_swallowing(frame) or any(code in _shielded for code in _codes(frame))


def _codes(frame: FrameType | None) -> Iterator[CodeType]:
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


def run_skippable(part: Callable[[], T]) -> tuple[T | None, bool]:
    """Run a part that a skip ends: what it returns, and whether it was skipped.

    Parts do not nest. No context manager: the wish may come before such a one has begun its block,
    and then there would be nothing to leave.
    """
    signal.signal(SKIP_SIGNAL, _on_skip)
    _wish.raised_at_s = -math.inf
    try:
        _wish.is_armed = True
        return part(), False
    except Skipped:
        return None, True
    finally:
        _wish.is_armed = False
        _wish.again.cancel()


def _on_skip(_number: int, frame: FrameType | None) -> None:
    if not _wish.is_armed or monotonic() < _wish.raised_at_s + _AGAIN_S / 2:
        return  # a second wish must not end what tidies up after the first
    if _is_shielded(frame):
        _wish.raise_later(_AGAIN_S / 50)
        return
    _wish.raised_at_s = monotonic()
    _wish.raise_later(_AGAIN_S)
    raise Skipped
