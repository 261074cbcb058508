"""Python's memory while much is made: graphs, views and layouts make hundreds of thousands of small
things and no cycles. The cycle collector takes a quarter of the time at 10,000 nodes, and of half a
million the C library keeps 150 MB after they are freed.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
from collections.abc import Iterator

_MAX_NUM_IMMORTAL = 1_000
"""Python 3.12 freezes by itself what it never frees, some 400 objects; who freezes a process on
purpose freezes all that it has, and that is 5,000 before it has imported anything."""

_LARGE = 100_000
"""Nodes; what fewer leave behind is not worth a walk through all that is free."""

_lock = threading.Lock()
_num_inside = 0
_was_enabled = False
_is_frozen = False
"""Whether somebody froze this process on purpose. It is not asked again: each answer takes a walk
through all that is frozen, a window for example, during which no thread runs."""


@contextlib.contextmanager
def without_collector() -> Iterator[None]:
    """Keep Python's collector off, whatever others do; in the end it is on again if it was."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextlib.contextmanager
def paused_gc() -> Iterator[None]:
    """Pause the collector until the last block ends; then it is on again if it was on before.

    Objects made meanwhile are then moved to the oldest generation: a collection of the youngest
    would look through half a million of them, and stop all threads for a quarter of a second.
    """
    global _num_inside, _was_enabled, _is_frozen
    with _lock:
        if _num_inside == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _num_inside += 1
    try:
        yield
    finally:
        with _lock:
            _num_inside -= 1
            if _num_inside == 0 and _was_enabled:
                _is_frozen = _is_frozen or gc.get_freeze_count() >= _MAX_NUM_IMMORTAL
                if not _is_frozen:
                    gc.freeze()  # moves all lists of objects as a whole, whatever their length
                    gc.unfreeze()
                gc.enable()


def return_memory(num_nodes: int) -> None:
    """Give what was freed back to the system, after work on a graph of so many nodes or lines.

    The GNU C library keeps it otherwise, wherever something small lies behind it.
    """
    if num_nodes >= _LARGE:
        _call_library("malloc_trim", 0)


def share_heap() -> None:
    """Let all threads that begin from now on take their memory from one heap.

    The GNU C library gives each thread one of its own, and none gets what another one freed. These
    grow and shrink in small steps, too: of 760,000 instructions a thread interprets half a second
    longer with its own.
    """
    _call_library("mallopt", _M_ARENA_MAX, 1)


_M_ARENA_MAX = -8
"""As `malloc.h` has it."""


def _call_library(name: str, *numbers: int) -> None:
    """Call a function of the GNU C library, where it is there."""
    if sys.platform == "linux":  # not the viewer in a browser
        import ctypes  # the command line begins without it

        with contextlib.suppress(OSError, AttributeError):  # of another C library
            getattr(ctypes.CDLL(None), name)(*numbers)
