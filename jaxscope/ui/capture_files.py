"""Reads and writes `.jaxscope` files on threads: a large one takes a second."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal, SignalInstance

from jaxscope.errors import Explanation, JaxscopeError, UsageError
from jaxscope.model import Capture, Timing


class CaptureFiles(QObject):
    """Works in the background; of several files that are opened the last one counts.

    Signals:
        opened: What a file holds, as `Saved`, and its path.
        saved: The path of a file that was written.
        failed: Why one could not be read or written.
    """

    opened = Signal(object, str)
    saved = Signal(str)
    failed = Signal(object)
    _read = Signal(int, object, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._generation = 0
        self._writing = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._read.connect(self._on_read)

    def open(self, path: str) -> None:
        """Read a file."""
        self._generation += 1
        self._start(self._open, self._generation, path)

    def forget(self) -> None:
        """Something else is opened: what is being read is not wanted any more."""
        self._generation += 1

    def save(
        self,
        capture: Capture,
        path: str,
        timing: Timing | None,
        lab: Sequence[object],
        layout: str,
    ) -> None:
        """Write a file; see `save_capture`."""
        self._start(self._save, capture, path, timing, lab, layout)

    def finish(self, wait_s: float) -> None:
        """Let what is being written come to its end: the window closes."""
        for thread in self._threads:
            thread.join(wait_s)

    def _start(self, work: Callable[..., None], *about: object) -> None:
        thread = threading.Thread(target=work, args=about, name="jaxscope-file", daemon=True)
        self._threads = [*(each for each in self._threads if each.is_alive()), thread]
        thread.start()

    def _open(self, generation: int, path: str) -> None:
        from jaxscope.analysis.archive import load_saved  # only when a saved capture is opened

        found: object
        try:
            found = load_saved(path)
        except JaxscopeError as error:
            found = error
        _tell(self._read, generation, found, path)

    def _on_read(self, generation: int, found: object, path: str) -> None:
        if generation != self._generation:
            return
        if isinstance(found, JaxscopeError):
            self.failed.emit(found)
        else:
            self.opened.emit(found, path)

    def _save(
        self,
        capture: Capture,
        path: str,
        timing: Timing | None,
        lab: Sequence[object],
        layout: str,
    ) -> None:
        from jaxscope.analysis.archive import save_capture  # only when something is saved

        try:
            with self._writing:  # of two into one file the later stays
                save_capture(capture, path, timing, lab, layout)
        except JaxscopeError as error:
            _tell(self.failed, error)
        except OSError as error:
            remedy = error.strerror or str(error)
            explained = Explanation(f"{path} could not be written.", remedy=remedy)
            _tell(self.failed, UsageError(explained))
        else:
            _tell(self.saved, path)


def _tell(signal: SignalInstance, *about: object) -> None:
    """Emit, unless the window is gone meanwhile."""
    with contextlib.suppress(RuntimeError):
        signal.emit(*about)
