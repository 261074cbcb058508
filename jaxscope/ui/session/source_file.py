"""The user's Python file, or a notebook as one: reads it with limits on size and kind, notices when
an editor saves it, parses places such as `model.py:12`.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import os
import re
import stat
import tokenize
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from jaxscope.errors import SourceError
from jaxscope.model import SourceFile
from jaxscope.model.file_kinds import (
    HEAD_BYTES,
    MAX_NOTEBOOK_BYTES,
    NOTEBOOK_ENDING,
    explain_folder,
    explain_other_file,
    open_without_waiting,
)
from jaxscope.ui.toolkit.language import tr

MAX_SOURCE_BYTES = 5 * 1024 * 1024


def read_source(path: str) -> SourceFile:
    """Read a Python file as its own encoding cookie says; odd bytes become replacement signs.

    Of a notebook the code of its cells.

    Raises:
        SourceError: There is no such file, it is no regular file, too large, or not readable.
    """
    path = os.path.abspath(os.path.expanduser(path))
    is_notebook = path.endswith(NOTEBOOK_ENDING)
    most = MAX_NOTEBOOK_BYTES if is_notebook else MAX_SOURCE_BYTES
    try:
        if os.path.isdir(path):
            raise SourceError(explain_folder(path, os.listdir(path)))
        with open_without_waiting(path) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise _problem(path, tr("It is not a regular file."))
            other = explain_other_file(path, file.read(HEAD_BYTES))
            if other is not None:
                raise SourceError(other)
            if status.st_size > most:
                raise _problem(
                    path,
                    tr(
                        "It is larger than {max_source_bytes} MiB.",
                        max_source_bytes=most >> 20,
                    ),
                )
            file.seek(0)
            data = file.read(most + 1)
    except OSError as error:
        raise _problem(path, error.strerror or tr("It cannot be read.")) from None
    sha256 = hashlib.sha256(data).hexdigest()
    if is_notebook:
        from jaxscope.model.notebook_files import notebook_to_python  # most files are none

        try:
            return SourceFile(path, notebook_to_python(data), sha256)
        except ValueError as error:
            raise _problem(path, error.args[0]) from None
    return SourceFile(path, decode_source(data), sha256)


def decode_source(data: bytes) -> str:
    """Decode source bytes; lines end in a bare newline."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding, "replace")
    except (SyntaxError, LookupError, UnicodeDecodeError):
        text = data.decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def line_of(file: SourceFile | None, line: int) -> str:
    """A line by its 1-based number; empty where there is no such line or no file."""
    lines = file.text.split("\n") if file is not None else []
    return lines[line - 1] if 0 < line <= len(lines) else ""


def _problem(path: str, why: str, remedy: str = "") -> SourceError:
    return SourceError(
        tr("The file {basename} cannot be read.", basename=os.path.basename(path) or path),
        why=why,
        where=path,
        remedy=remedy or tr("Choose another file with Open (Ctrl+O)."),
        kind="UnreadableFile",
    )


_SETTLE_MS = 150
"""Editors write in several steps; the file is looked at when they have been quiet this long."""

_GONE_MS = 1000
"""Some remove a file before they write the new one: it is gone when it is not back by then."""


_MAX_WATCHED = 100
"""Of the files that a program was made of."""


class FileWatcher(QObject):
    """Tells once per save that a file changed, also where an editor replaces it by another.

    It tells as well that one is gone for good.

    Signals:
        file_changed: The user's file.
        other_changed: One of the others that the program was made of.
    """

    file_changed = Signal()
    other_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = ""
        self._seen: dict[str, tuple[int, int, int] | None] = {}
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._on_watcher_changed)
        self._watcher.directoryChanged.connect(self._on_watcher_changed)
        self._timer = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._gone = QTimer(self, singleShot=True, interval=_GONE_MS)
        self._gone.timeout.connect(self._on_gone_timeout)

    def watch(self, path: str, others: Iterable[str] = ()) -> None:
        """Watch these files and no others; an empty path watches nothing.

        Args:
            path: The user's file.
            others: That a program was made of; it itself may be among them.
        """
        wanted = dict.fromkeys((path, *itertools.islice(others, _MAX_WATCHED))) if path else {}
        if path == self._path and wanted.keys() == self._seen.keys():
            return
        watched = [*self._watcher.files(), *self._watcher.directories()]
        if watched:
            self._watcher.removePaths(watched)
        known = self._seen if path == self._path else {}
        self._path = path
        self._seen = {each: known.get(each, _fingerprint(each)) for each in wanted}
        there = [each for each, seen in self._seen.items() if seen is not None]
        if there:
            self._watcher.addPaths([*there, *{os.path.dirname(each) for each in there}])

    def _on_watcher_changed(self, _path: str) -> None:
        self._timer.start()

    def _on_timer_timeout(self) -> None:
        changed = []
        for path, before in self._seen.items():
            seen = _fingerprint(path)
            if seen is not None and path not in self._watcher.files():
                self._watcher.addPath(path)  # a replaced file has to be watched anew
            if seen == before:
                continue
            self._seen[path] = seen
            if seen is None:
                self._gone.start()
            else:
                changed.append(path)
        self._tell(changed)

    def _on_gone_timeout(self) -> None:
        self._tell([path for path, seen in self._seen.items() if seen is None])

    def _tell(self, changed: Sequence[str]) -> None:
        if self._path in changed:
            self.file_changed.emit()  # of which a run reads the others anew
        elif changed:
            self.other_changed.emit()


def _fingerprint(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


_PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+)")


def parse_place(where: str) -> tuple[str, int] | None:
    """File and line of a text such as `model.py:12`, or None."""
    match = _PLACE.match(where)
    return (match["file"], int(match["line"])) if match else None
