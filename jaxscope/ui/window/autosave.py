"""Saves what a window has that may end without closing: its last capture, its calls, its panes.
Finds the captures that such windows left.
"""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from jaxscope.errors import JaxscopeError
from jaxscope.model import Capture, Timing
from jaxscope.schema.whole_file import remove_stale_drafts
from jaxscope.ui.selection.selection import Bookmarks
from jaxscope.ui.session.controller import Controller
from jaxscope.ui.session.state import Phase, WindowState
from jaxscope.ui.toolkit.threads import start_thread
from jaxscope.ui.window.start_page import StartPage

_DELAY_MS = 3_000
"""Saving a large capture takes a second of one core: not while a person looks at a new picture."""

_MAX_KEPT = 3
_MAX_SCANNED = 200


def offer_unsaved(page: StartPage, folder: Path) -> None:
    """Offer what windows left in a folder that are no longer there."""
    for written in (folder, folder.parent):
        remove_stale_drafts(written)
    found = find_unsaved(folder)
    page.offer_unsaved([str(path) for path in found[:_MAX_KEPT]])
    page.unsaved_dismissed.connect(_forget)
    for path in found[_MAX_KEPT:]:
        path.unlink(missing_ok=True)


class Autosave(QObject):
    """Saves on a thread; whatever fails there is no reason to disturb anybody.

    Args:
        window: Whose close ends it.
        controller: Has what is captured and measured.
        bookmarks: Saved with the capture.
        layout: Gives how panes are laid out, to be saved.
        folder: Where to save.
    """

    def __init__(
        self,
        window: QWidget,
        controller: Controller,
        bookmarks: Bookmarks,
        layout: Callable[[], str],
        folder: Path,
    ) -> None:
        super().__init__(window)
        self._controller = controller
        self._bookmarks, self._layout = bookmarks, layout
        self.path = folder / f"{os.getpid()}-{id(window):x}.jaxscope"
        self._capture: Capture | None = None
        self._known: tuple[object, object, object] = (None, None, None)
        self._lock = threading.Lock()
        self._is_closed = False
        self._later = QTimer(self, singleShot=True, interval=_DELAY_MS)
        self._later.timeout.connect(self.save_now)
        controller.state_changed.connect(self._on_controller_state_changed)
        bookmarks.changed.connect(self._on_bookmarks_changed)
        window.installEventFilter(self)

    def save_now(self) -> threading.Event | None:
        """Save what is to be saved; what is set when that is over, or None for nothing to save."""
        if self._capture is None:
            return None
        capture = dataclasses.replace(self._capture, bookmarks=self._bookmarks.to_model())
        state = self._controller.state
        about = (capture, state.full_timing(), state.lab.results(), self._layout())
        return start_thread(self._save, *about, name="jaxscope-autosave")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Close and watched is self.parent():
            self._later.stop()
            with self._lock:
                self._is_closed = True
                self.path.unlink(missing_ok=True)
        return super().eventFilter(watched, event)

    def _save(
        self, capture: Capture, timing: Timing | None, lab: Sequence[object], layout: str
    ) -> None:
        from jaxscope.schema.archive import save_capture  # only when something is saved

        with self._lock:
            if self._is_closed:
                return
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                save_capture(capture, self.path, timing, lab, layout)
            except (OSError, JaxscopeError):
                return  # a full disk is reported where a person asks for saving

    def _on_controller_state_changed(self, state: WindowState) -> None:
        is_own = state.phase is Phase.DONE and not state.is_view_only
        if not is_own or state.capture is None:
            return
        known = (state.capture, state.timing, state.lab)
        if any(new is not old for new, old in zip(known, self._known, strict=True)):
            self._capture, self._known = state.capture, known
            self._later.start()

    def _on_bookmarks_changed(self) -> None:
        if self._capture is not None:
            self._later.start()


class Keeper(QObject):
    """Remembers what changes of a window, every few seconds and when it is closed.

    Args:
        window: Whose close ends it.
        values: What is looked at, and what remembers it.
    """

    def __init__(
        self, window: QWidget, values: Sequence[tuple[Callable[[], Any], Callable[[Any], None]]]
    ) -> None:
        super().__init__(window)
        self._values, self._last = values, [value() for value, _ in values]
        timer = QTimer(self, interval=_DELAY_MS)
        timer.timeout.connect(self.keep)
        timer.start()
        window.installEventFilter(self)

    def keep(self) -> None:
        """Remember what has changed since the last time."""
        for number, (value, remember) in enumerate(self._values):
            if (now := value()) != self._last[number]:
                self._last[number] = now
                remember(now)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Close and watched is self.parent():
            for value, remember in self._values:  # of two windows, the one closed last
                remember(value())
        return super().eventFilter(watched, event)


def find_unsaved(folder: Path) -> Sequence[Path]:
    """Captures that windows left which are no longer there, the latest first."""
    try:
        names = sorted(os.listdir(folder))[:_MAX_SCANNED]
    except OSError:
        return ()
    from jaxscope.processes import is_alive  # where something was left

    found = []
    for name in names:
        number, _, rest = name.partition("-")
        if number.isdecimal() and rest.endswith(".jaxscope") and not is_alive(int(number)):
            try:
                found.append(((folder / name).stat().st_mtime, folder / name))
            except OSError:
                continue
    return [path for _, path in sorted(found, reverse=True)]


def _forget(path: str) -> None:
    Path(path).unlink(missing_ok=True)
