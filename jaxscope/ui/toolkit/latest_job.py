"""Runs work on a thread and reports only the answer of the latest work.

Work that raises is reported, too: a page that waits for an answer always gets one. Starting new
work asks the work before to stop, by `should_stop`. A late answer is dropped twice: on the
thread, which saves a signal, and on the window's thread, which decides.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

Work = Callable[[Callable[[], bool]], object]


class LatestJob(QObject):
    """Runs the latest piece of work on a thread; answers to earlier ones are dropped twice.

    Signals:
        finished: The answer of the latest work.
        failed: The exception that it raised.
    """

    finished = Signal(object)
    failed = Signal(object)
    _arrived = Signal(int, object, object)

    def __init__(self, parent: QObject | None = None, name: str = "jaxscope job") -> None:
        """
        Args:
            name: Of its threads.
        """
        super().__init__(parent)
        self._name = name
        self._generation = 0
        self._is_running = False
        self._arrived.connect(self._on_arrived)

    @property
    def is_running(self) -> bool:
        """Whether an answer is still to come."""
        return self._is_running

    def start(self, work: Work) -> None:
        """Run `work(should_stop)` on a thread; what ran before is asked to stop.

        What work raises after it was asked to stop is dropped, so that it may stop by raising.
        """
        self._generation += 1
        self._is_running = True
        generation = self._generation

        def should_stop() -> bool:
            return generation != self._generation

        def run() -> None:
            answer: object = None
            error: Exception | None = None
            try:
                answer = work(should_stop)
            except Exception as caught:
                error = caught
            if not should_stop():
                try:
                    self._arrived.emit(generation, answer, error)
                except RuntimeError:
                    return  # the window is gone

        threading.Thread(target=run, daemon=True, name=self._name).start()

    def stop(self) -> None:
        """Stop listening, and ask the work to stop."""
        self._generation += 1
        self._is_running = False

    def _on_arrived(self, generation: int, answer: object, error: Exception | None) -> None:
        if generation != self._generation:
            return
        self._is_running = False
        if error is not None:
            self.failed.emit(error)
        else:
            self.finished.emit(answer)
