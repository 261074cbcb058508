"""Keep Python's cycle collector out of views and layouts: they make hundreds of thousands of small
lists and no cycles, and the collector takes a quarter of the time at 10,000 nodes.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

_MAX_NUM_IMMORTAL = 1_000
"""Python 3.12 freezes by itself what it never frees, some 400 objects; who freezes a process on
purpose freezes all that it has, and that is 5,000 before it has imported anything."""

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
    """Pause the collector until the last of those inside leaves; what it was it is again.

    What was made meanwhile counts as old then: looked through as new, at the first chance, half a
    million pieces would keep every thread waiting for a quarter of a second.
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
