"""What the window remembers between starts: files, calls, size, theme, arrangement of panes.

One small JSON file of plain values. Each is checked when it is read: what is unknown, of another
type or out of range counts as not remembered, and is said in `problems`. Nothing is ever unpickled.
Whoever changes a value reads the file again first, so that two windows do not undo each other.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import math
import os
import secrets
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QStandardPaths

from jaxscope.model.file_kinds import open_without_waiting

_MAX_FILES = 8
_MAX_CALLS = 200
_MAX_COMMANDS = 12
_MAX_BYTES = 1 << 20
_MAX_TEXT = 20_000
_POINTS = (4.0, 72.0)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_TEXT


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and len(value) <= _MAX_CALLS and all(map(_is_text, value))


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


_FIELDS: dict[str, Callable[[object], bool]] = {
    "recent_files": _are_texts,
    "calls": _are_texts,
    "recent_commands": _are_texts,
    "hidden_passes": _are_texts,
    "last_folder": _is_text,
    "theme": _is_one_of("light", "dark", ""),
    "points": _are_points,
    "graph_direction": _is_one_of("down", "right", ""),
    "uses_graphviz": _is_yes_or_no,
    "arrangement": _is_text,
    "panes_grow": _is_yes_or_no,
    "shows_ribbons": _is_yes_or_no,
    "wraps_lines": _is_yes_or_no,
    "shows_lessons": _is_yes_or_no,
    "is_animated": _is_yes_or_no,
    "geometry": _is_text,
    "drawer_share": _is_share,
}
"""What may be remembered, and what it must look like."""


class Settings:
    """Reads and writes one small file; a broken one is the same as none.

    Attributes:
        problems: What of the file was not taken, in sentences.

    Args:
        path: The file; by default in the user's configuration folder.
    """

    def __init__(self, path: str | None = None) -> None:
        if path is None:
            folder = QStandardPaths.writableLocation(
                QStandardPaths.StandardLocation.GenericConfigLocation
            )
            path = os.path.join(folder, "jaxscope", "window.json")
        self._path = Path(path)
        self.problems: list[str] = []
        self._values = self._read(self.problems)

    def _read(self, problems: list[str]) -> dict[str, Any]:
        """The values of the file that are what they must be."""
        try:
            found = json.loads(_read_bounded(self._path))
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
        return good

    def _set(self, name: str, value: object) -> None:
        """Remember a value; where the file cannot be written, for this window only."""
        if self._values.get(name) == value:
            return
        self._values = {**self._values, **self._read([]), name: value}
        draft = self._path.with_name(f".{secrets.token_hex(8)}.json")
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            try:
                draft.write_text(json.dumps(self._values, indent=1), encoding="utf-8")
                os.replace(draft, self._path)
            finally:
                draft.unlink(missing_ok=True)

    @property
    def unsaved_folder(self) -> Path:
        """Where captures are kept that nobody saved yet, beside what is remembered."""
        return self._path.parent / "unsaved"

    @property
    def pasted_folder(self) -> Path:
        """Where code is kept that was pasted instead of opened."""
        return self._path.parent / "pasted"

    @property
    def is_first_start(self) -> bool:
        """Whether no file was ever opened."""
        return not self._strings("recent_files")

    @property
    def shows_lessons(self) -> bool:
        """Whether the lesson of a sample is shown beside it."""
        return bool(self._values.get("shows_lessons", True))

    def set_shows_lessons(self, is_wanted: bool) -> None:
        """Remember whether lessons are shown."""
        self._set("shows_lessons", is_wanted)

    @property
    def recent_files(self) -> tuple[str, ...]:
        """Files opened before that still exist, latest first."""
        return tuple(path for path in self._strings("recent_files") if os.path.isfile(path))

    def add_recent_file(self, path: str) -> None:
        """Remember a file as the latest."""
        files = [path, *(known for known in self._strings("recent_files") if known != path)]
        self._set("recent_files", files[:_MAX_FILES])

    @property
    def calls(self) -> tuple[str, ...]:
        """Calls run before, oldest first."""
        return self._strings("calls")

    def set_calls(self, calls: Sequence[str]) -> None:
        """Remember calls."""
        self._set("calls", list(calls)[-_MAX_CALLS:])

    @property
    def recent_commands(self) -> tuple[str, ...]:
        """Names of commands chosen in the palette, latest first."""
        return self._strings("recent_commands")

    def add_recent_command(self, name: str) -> None:
        """Remember a command as the latest."""
        names = [name, *(known for known in self.recent_commands if known != name)]
        self._set("recent_commands", names[:_MAX_COMMANDS])

    @property
    def last_folder(self) -> str:
        """Where something was saved last; empty where that is gone or nothing was."""
        folder = str(self._values.get("last_folder", ""))
        return folder if os.path.isdir(folder) else ""

    def set_last_folder(self, folder: str) -> None:
        """Remember where something was saved."""
        self._set("last_folder", folder)

    @property
    def theme_name(self) -> str:
        """`light`, `dark`, or empty to follow the system."""
        return str(self._values.get("theme", ""))

    def set_theme_name(self, name: str) -> None:
        """Remember a theme."""
        self._set("theme", name)

    @property
    def points(self) -> float:
        """Size of type, or 0 if none is remembered."""
        return float(self._values.get("points", 0.0))

    def set_points(self, points: float) -> None:
        """Remember the size of type."""
        self._set("points", points)

    @property
    def graph_direction(self) -> str:
        """`down` or `right`; empty if none is remembered."""
        return str(self._values.get("graph_direction", ""))

    def set_graph_direction(self, direction: str) -> None:
        """Remember where values flow in graphs."""
        self._set("graph_direction", direction)

    @property
    def hidden_passes(self) -> tuple[str, ...]:
        """Names of the simplifications of graphs that are switched off."""
        return self._strings("hidden_passes")

    def set_hidden_passes(self, names: Sequence[str]) -> None:
        """Remember which simplifications are switched off."""
        self._set("hidden_passes", list(names))

    @property
    def uses_graphviz(self) -> bool:
        """Whether Graphviz lays out the groups that it is fit for."""
        return bool(self._values.get("uses_graphviz", False))

    def set_uses_graphviz(self, is_wanted: bool) -> None:
        """Remember who lays graphs out."""
        self._set("uses_graphviz", is_wanted)

    @property
    def arrangement(self) -> str:
        """How panes are laid out, as JSON; empty if nothing is remembered."""
        return str(self._values.get("arrangement", ""))

    def set_arrangement(self, text: str) -> None:
        """Remember how panes are laid out; empty forgets it."""
        self._set("arrangement", text)

    @property
    def panes_grow(self) -> bool:
        """Whether a third view is opened where it has room: nobody has arranged them."""
        return bool(self._values.get("panes_grow", False))

    def set_panes_grow(self, *, grows: bool) -> None:
        """Remember whether it is."""
        self._set("panes_grow", grows)

    @property
    def shows_ribbons(self) -> bool:
        """Whether ribbons run between panes."""
        return bool(self._values.get("shows_ribbons", True))

    def set_shows_ribbons(self, is_wanted: bool) -> None:
        """Remember whether ribbons are wanted."""
        self._set("shows_ribbons", is_wanted)

    @property
    def wraps_lines(self) -> bool:
        """Whether long lines of texts are wrapped."""
        return bool(self._values.get("wraps_lines", False))

    def set_wraps_lines(self, is_wanted: bool) -> None:
        """Remember whether that is wanted."""
        self._set("wraps_lines", is_wanted)

    @property
    def is_animated(self) -> bool:
        """Whether groups open step by step; the desktop's own setting may still forbid it."""
        return bool(self._values.get("is_animated", True))

    def set_is_animated(self, is_wanted: bool) -> None:
        """Remember whether that is wanted."""
        self._set("is_animated", is_wanted)

    @property
    def drawer_share(self) -> float:
        """The part of the height of *Program* that its drawer takes; 0 if none is remembered."""
        return float(self._values.get("drawer_share", 0.0))

    def set_drawer_share(self, share: float) -> None:
        """Remember how high the drawer is."""
        self._set("drawer_share", round(share, 3))

    @property
    def geometry(self) -> QByteArray | None:
        """The window's place and size, or None."""
        text = self._values.get("geometry", "")
        try:
            data = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            return None
        return QByteArray(data) if data else None

    def set_geometry(self, geometry: QByteArray) -> None:
        """Remember the window's place and size."""
        self._set("geometry", base64.b64encode(geometry.data()).decode())

    def _strings(self, name: str) -> tuple[str, ...]:
        return tuple(self._values.get(name, ()))


def _read_bounded(path: Path) -> bytes:
    """The content of a plain file.

    Raises:
        OSError: It cannot be read.
        ValueError: It is no plain file, or too large.
    """
    with open_without_waiting(path) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("it is no plain file")
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError(f"it has more than {_MAX_BYTES:,} bytes")
    return data
