"""Notices when the user's file is saved, however the editor does it."""

from __future__ import annotations

import os

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

_SETTLE_MS = 150
"""Editors write in several steps; the file is looked at when they have been quiet this long."""

_GONE_MS = 1000
"""Some remove a file before they write the new one: it is gone when it is not back by then."""


class FileWatcher(QObject):
    """`file_changed` fires once per save, also where an editor replaces the file by another.

    It fires as well when the file is gone for good.
    """

    file_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = ""
        self._seen: tuple[int, int, int] | None = None
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._on_watcher_changed)
        self._watcher.directoryChanged.connect(self._on_watcher_changed)
        self._timer = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._gone = QTimer(self, singleShot=True, interval=_GONE_MS)
        self._gone.timeout.connect(self._on_gone_timeout)

    def watch(self, path: str) -> None:
        """Watch this file and no other; an empty path watches nothing."""
        if path == self._path:
            return
        watched = [*self._watcher.files(), *self._watcher.directories()]
        if watched:
            self._watcher.removePaths(watched)
        self._path = path
        self._seen = _fingerprint(path)
        if path and self._seen is not None:
            self._watcher.addPaths([path, os.path.dirname(path)])

    def _on_watcher_changed(self, _path: str) -> None:
        self._timer.start()

    def _on_timer_timeout(self) -> None:
        seen = _fingerprint(self._path)
        if seen is not None and self._path not in self._watcher.files():
            self._watcher.addPath(self._path)  # a replaced file has to be watched anew
        if seen != self._seen:
            self._seen = seen
            if seen is None:
                self._gone.start()
            else:
                self.file_changed.emit()

    def _on_gone_timeout(self) -> None:
        if self._path and self._seen is None:
            self.file_changed.emit()


def _fingerprint(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
