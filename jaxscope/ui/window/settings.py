"""What the window remembers between starts: files, calls, size, theme, arrangement of panes.

One small JSON file of plain values. Each is checked when it is read: what is unknown, of another
type or out of range counts as not remembered, and is said in `problems`. Nothing is ever unpickled.
Whoever changes a value reads the file again first, and locks its folder meanwhile, so that two
windows do not undo each other.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import math
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QByteArray, QStandardPaths

from jaxscope.schema.archive_container import open_regular

T = TypeVar("T")
_MAX_FILES = 8
_MAX_CALLS = 200
_MAX_FILES_WITH_CALL, _MAX_CALL = 32, 2_000
_MAX_COMMANDS = 12
_MAX_BYTES = 1 << 20
_MAX_TEXT = 20_000
_PATIENCE_S = 0.2
_POINTS = (4.0, 72.0)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_TEXT


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and len(value) <= _MAX_CALLS and all(map(_is_text, value))


def _are_calls_of_files(value: object) -> bool:
    if not isinstance(value, list) or len(value) > _MAX_FILES_WITH_CALL:
        return False
    return all(map(_is_file_with_call, value))


def _is_file_with_call(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_text, value)):
        return False
    return _is_call(value[1])


def _is_call(text: str) -> bool:
    return 0 < len(text) <= _MAX_CALL and text.isprintable()


def _is_yes_or_no(value: object) -> bool:
    return isinstance(value, bool)


def _are_points(value: object) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return math.isfinite(value) and _POINTS[0] <= value <= _POINTS[1]


def _is_share(value: object) -> bool:
    return isinstance(value, float) and 0.0 < value < 1.0


def _is_one_of(*words: str) -> Callable[[object], bool]:
    return lambda value: value in words


class _Remembered(Generic[T]):
    """One value of the file: reading it gives what is remembered, assigning to it remembers.

    Args:
        default: What it is where nothing is remembered; says the type.
        fits: Whether a value of the file is one of this.
        key: Its name in the file, if that is not the attribute's.
    """

    def __init__(self, default: T, fits: Callable[[object], bool], key: str = "") -> None:
        self.fits = fits
        self.key = key
        self._default = default

    def __set_name__(self, _owner: type, name: str) -> None:
        self.key = self.key or name

    def __get__(self, settings: Settings, _owner: type) -> T:
        found: T = settings.values.get(self.key, self._default)
        return found

    def __set__(self, settings: Settings, value: T) -> None:
        settings.remember(self.key, value)


class Settings:
    """Reads and writes one small file; a broken one is the same as none.

    Attributes:
        problems: What of the file was not taken, in sentences.
        values: What is remembered, as the file has it.

    Args:
        path: The file; by default in the user's configuration folder.
    """

    calls = _Remembered[tuple[str, ...]]((), _are_texts)
    """Calls run before, oldest first."""
    recent_commands = _Remembered[tuple[str, ...]]((), _are_texts)
    """Names of commands chosen in the palette, latest first."""
    hidden_passes = _Remembered[tuple[str, ...]]((), _are_texts)
    """Names of the simplifications of graphs that are switched off."""
    theme = _Remembered("", _is_one_of("light", "dark", ""))
    """`light`, `dark`, or empty to follow the system."""
    language = _Remembered("", _is_one_of("en", "zh_CN", ""))
    """The language of the interface, or empty to follow the system."""
    points = _Remembered(0.0, _are_points)
    """Size of type, or 0 if none is remembered."""
    graph_direction = _Remembered("", _is_one_of("down", "right", ""))
    """`down` or `right`; empty if none is remembered."""
    uses_graphviz = _Remembered(False, _is_yes_or_no)
    """Whether Graphviz lays out the groups that it is fit for."""
    shows_overview = _Remembered(True, _is_yes_or_no)
    """Whether an overview stands beside a graph of which not all is in sight."""
    arrangement = _Remembered("", _is_text)
    """How panes are laid out, as JSON; empty if nothing is remembered."""
    panes_grow = _Remembered(False, _is_yes_or_no)
    """Whether a third view is opened where it has room: nobody has arranged them."""
    shows_ribbons = _Remembered(True, _is_yes_or_no)
    """Whether ribbons run between panes."""
    wraps_lines = _Remembered(True, _is_yes_or_no)
    """Whether long lines of texts are wrapped."""
    shows_lessons = _Remembered(True, _is_yes_or_no)
    """Whether the lesson of a sample is shown beside it."""
    is_animated = _Remembered(True, _is_yes_or_no)
    """Whether groups open step by step; the desktop's own setting may still forbid it."""
    trusted_folders = _Remembered[tuple[str, ...]]((), _are_texts)
    """Python files in them are run as soon as they are opened."""
    drawer_share = _Remembered(0.0, _is_share)
    """The part of the height of *Program* that its drawer takes; 0 if none is remembered."""
    _files = _Remembered[tuple[str, ...]]((), _are_texts, "recent_files")
    _calls_of_files = _Remembered[tuple[Sequence[str], ...]](
        (), _are_calls_of_files, "calls_of_files"
    )
    """Pairs of a file and the call that a person ran on it last, latest first."""
    calls_with_files = _Remembered[tuple[Sequence[str], ...]]((), _are_calls_of_files)
    """Pairs of a file and a call that was run on it, oldest first."""
    _folder = _Remembered("", _is_text, "last_folder")
    _geometry = _Remembered("", _is_text, "geometry")

    def __init__(self, path: str | None = None) -> None:
        if path is None:
            folder = QStandardPaths.writableLocation(
                QStandardPaths.StandardLocation.GenericConfigLocation
            )
            path = os.path.join(folder, "jaxscope", "window.json")
        self._path = Path(path)
        self.problems: list[str] = []
        self.values = self._read(self.problems)

    def _read(self, problems: list[str]) -> dict[str, Any]:
        """The values of the file that are what they must be."""
        try:
            with open_regular(self._path, _MAX_BYTES) as file:
                found = json.loads(file.read(_MAX_BYTES))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            problems.append(f"{self._path} could not be read and is not used: {error}")
            return {}
        if not isinstance(found, dict):
            problems.append(f"{self._path} holds no settings and is not used.")
            return {}
        good = {n: v for n, v in found.items() if n in _FIELDS and _FIELDS[n](v)}
        bad = sorted(str(name)[:40] for name in found.keys() - good.keys())
        if bad:
            problems.append(f"{self._path}: not used are {', '.join(bad[:5])}.")
        return {n: tuple(v) if isinstance(v, list) else v for n, v in good.items()}

    def refresh(self) -> None:
        """Take over what other windows have remembered meanwhile."""
        self.values = {**self.values, **self._read([])}

    def remember(self, name: str, value: object) -> None:
        """Write a value to the file; where it cannot be written, it holds for this window only."""
        if self.values.get(name) != value:
            self._change(name, lambda _known: value)

    def _change(self, name: str, change: Callable[[Any], object]) -> None:
        """Write what becomes of a value as it is in the file by now."""
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _locked(self._path.parent):
            self.refresh()
            self.values = {**self.values, name: change(self.values.get(name, ()))}
            draft = self._path.with_name(f".{secrets.token_hex(8)}.json")
            with contextlib.suppress(OSError):
                try:
                    draft.write_text(json.dumps(self.values, indent=1), encoding="utf-8")
                    os.replace(draft, self._path)
                finally:
                    draft.unlink(missing_ok=True)

    @property
    def unsaved_folder(self) -> Path:
        """Where captures are kept that nobody saved yet, beside what is remembered."""
        return self._path.parent / "unsaved"

    @property
    def changes_folder(self) -> Path:
        """Where changes of source are kept that are neither saved nor discarded."""
        return self._path.parent / "changes"

    @property
    def pasted_folder(self) -> Path:
        """Where code is kept that was pasted instead of opened."""
        return self._path.parent / "pasted"

    @property
    def is_first_start(self) -> bool:
        """Whether no file was ever opened."""
        return not self._files

    @property
    def recent_files(self) -> tuple[str, ...]:
        """Files opened before that still exist, latest first."""
        return tuple(path for path in self._files if os.path.isfile(path))

    def add_recent_file(self, path: str) -> None:
        """Remember a file as the latest."""
        self._change("recent_files", lambda known: (path, *_without(known, path))[:_MAX_FILES])

    def call_of(self, path: str) -> str:
        """The call that a person ran last on a file; empty where none is remembered."""
        self.refresh()  # another window may have run it
        return next((call for file, call in self._calls_of_files if file == path), "")

    def set_call_of(self, path: str, call: str) -> None:
        """Remember the call that a person ran on a file; empty for none any more."""
        kept = [(path, call)] if _is_call(call) else []
        if [tuple(each) for each in self._calls_of_files[:1]] == kept:
            return
        if not kept and all(file != path for file, _ in self._calls_of_files):
            return
        self._change(
            "calls_of_files",
            lambda known: (*kept, *(each for each in known if each[0] != path))[
                :_MAX_FILES_WITH_CALL
            ],
        )

    def add_trusted_folder(self, folder: str) -> None:
        """Add a folder to those that are trusted."""
        self._change("trusted_folders", lambda known: (*known, folder)[-_MAX_CALLS:])

    def remove_trusted_folder(self, folder: str) -> None:
        """Trust a folder no more."""
        self._change("trusted_folders", lambda known: _without(known, folder))

    def add_calls(self, calls: Sequence[str]) -> None:
        """Remember the latest calls; those that other windows remembered count as older."""
        self._change("calls", lambda known: (*_without(known, *calls), *calls)[-_MAX_CALLS:])

    def set_calls_with_files(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Remember on which files the latest calls were run."""
        known = [pair for pair in pairs if _is_call(pair[1])]
        self.calls_with_files = tuple(known[-_MAX_FILES_WITH_CALL:])

    def add_recent_command(self, name: str) -> None:
        """Remember a command as the latest."""
        self._change(
            "recent_commands", lambda known: (name, *_without(known, name))[:_MAX_COMMANDS]
        )

    @property
    def last_folder(self) -> str:
        """Where something was saved last; empty where that is gone or nothing was."""
        return self._folder if os.path.isdir(self._folder) else ""

    def set_last_folder(self, folder: str) -> None:
        """Remember where something was saved."""
        self._folder = folder

    def set_drawer_share(self, share: float) -> None:
        """Remember how high the drawer is."""
        self.drawer_share = round(share, 3)

    @property
    def geometry(self) -> QByteArray | None:
        """The window's place and size, or None."""
        try:
            data = base64.b64decode(self._geometry, validate=True)
        except (binascii.Error, ValueError):
            return None
        return QByteArray(data) if data else None

    def set_geometry(self, geometry: QByteArray) -> None:
        """Remember the window's place and size."""
        self._geometry = base64.b64encode(geometry.data()).decode()


_FIELDS = {each.key: each.fits for each in vars(Settings).values() if isinstance(each, _Remembered)}
"""What may be remembered, and what it must look like."""


def _without(known: Sequence[str], *texts: str) -> tuple[str, ...]:
    return tuple(each for each in known if each not in texts)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other windows from writing; one that was stopped while it wrote is not waited for."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            descriptor = _open_lock(folder)
            stack.callback(os.close, descriptor)
            end = time.monotonic() + _PATIENCE_S
            while not _lock(descriptor) and time.monotonic() < end:
                time.sleep(0.002)
        yield


def _open_lock(folder: Path) -> int:
    if sys.platform == "win32":  # where a folder cannot be opened
        return os.open(folder / ".lock", os.O_RDWR | os.O_CREAT)
    return os.open(folder, os.O_RDONLY)


def _lock(descriptor: int) -> bool:
    """Whether this process has the lock now; closing the descriptor gives it back."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
