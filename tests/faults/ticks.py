"""How long the window's thread was away between two ticks of a timer, on a machine of any speed."""

from __future__ import annotations

import operator
import threading
import time
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer

_TICK_S = 0.016


class Ticks(QObject):
    """A timer of 16 ms, and a thread that sleeps as long beside it.

    A busy or slow machine makes a tick late as well. So a gap counts as at most the time of the
    clock without what the thread of the window waited for a processor. And as at most the time that
    this process had of a processor, or 16 ms for each turn of the other thread, whichever is more:
    where both are little the machine holds up all. What is left is the window's: something
    computes, or is waited for.

    Attributes:
        longest_ms: Of the gaps since it was set to 0.
        num_turns: Of the other thread.
    """

    def __init__(self) -> None:
        super().__init__()
        self.longest_ms = 0.0
        self.num_turns, self._queued_s, self._is_over = 0, _queued_s(), False
        self._last = self._read()
        self._timer = QTimer(self, interval=int(1000 * _TICK_S))
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start()
        self._beside = threading.Thread(target=self._take_turns)
        self._beside.start()

    def end(self) -> None:
        """Stop timer and thread."""
        self._timer.stop()
        self._is_over = True
        self._beside.join()

    def _take_turns(self) -> None:
        while not self._is_over:
            time.sleep(_TICK_S)
            self.num_turns += 1
            self._queued_s = _queued_s()  # not in the other thread, which would let this one go

    def _read(self) -> tuple[float, ...]:
        turns_s = self.num_turns * _TICK_S
        return time.monotonic() - self._queued_s, time.process_time(), turns_s

    def _tick(self) -> None:
        before, self._last = self._last, self._read()
        clock_s, computed_s, turns_s = map(operator.sub, self._last, before)
        gap_s = min(clock_s, max(computed_s, turns_s))
        self.longest_ms = max(self.longest_ms, 1000 * gap_s)


def _queued_s() -> float:
    """How long the main thread could have run and had no processor."""
    return int(Path("/proc/self/schedstat").read_text("ascii").split()[1]) / 1e9
