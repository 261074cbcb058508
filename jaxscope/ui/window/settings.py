"""What the window remembers between starts: files, calls, size, theme, arrangement of panes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings, QStandardPaths

_MAX_FILES = 8
_MAX_CALLS = 200
_MAX_COMMANDS = 12


class Settings:
    """Reads and writes one small file; a broken one is the same as none.

    Args:
        path: The file; by default in the user's configuration folder.
    """

    def __init__(self, path: str | None = None) -> None:
        if path is None:
            folder = QStandardPaths.writableLocation(
                QStandardPaths.StandardLocation.GenericConfigLocation
            )
            path = os.path.join(folder, "jaxscope", "window.ini")
        self._store = QSettings(path, QSettings.Format.IniFormat)

    @property
    def unsaved_folder(self) -> Path:
        """Where captures are kept that nobody saved yet, beside what is remembered."""
        return Path(self._store.fileName()).parent / "unsaved"

    @property
    def pasted_folder(self) -> Path:
        """Where code is kept that was pasted instead of opened."""
        return Path(self._store.fileName()).parent / "pasted"

    @property
    def is_first_start(self) -> bool:
        """Whether no file was ever opened."""
        return not self._strings("recent_files")

    @property
    def shows_lessons(self) -> bool:
        """Whether the lesson of a sample is shown beside it."""
        return str(self._store.value("shows_lessons", "yes")) == "yes"

    def set_shows_lessons(self, is_wanted: bool) -> None:
        """Remember whether lessons are shown."""
        self._store.setValue("shows_lessons", "yes" if is_wanted else "no")

    @property
    def recent_files(self) -> tuple[str, ...]:
        """Files opened before that still exist, latest first."""
        return tuple(path for path in self._strings("recent_files") if os.path.isfile(path))

    def add_recent_file(self, path: str) -> None:
        """Remember a file as the latest."""
        files = [path, *(known for known in self._strings("recent_files") if known != path)]
        self._store.setValue("recent_files", files[:_MAX_FILES])

    @property
    def calls(self) -> tuple[str, ...]:
        """Calls run before, oldest first."""
        return self._strings("calls")

    def set_calls(self, calls: Sequence[str]) -> None:
        """Remember calls."""
        self._store.setValue("calls", list(calls)[-_MAX_CALLS:])

    @property
    def recent_commands(self) -> tuple[str, ...]:
        """Names of commands chosen in the palette, latest first."""
        return self._strings("recent_commands")

    def add_recent_command(self, name: str) -> None:
        """Remember a command as the latest."""
        names = [name, *(known for known in self.recent_commands if known != name)]
        self._store.setValue("recent_commands", names[:_MAX_COMMANDS])

    @property
    def last_folder(self) -> str:
        """Where something was saved last; empty where that is gone or nothing was."""
        folder = str(self._store.value("last_folder", ""))
        return folder if os.path.isdir(folder) else ""

    def set_last_folder(self, folder: str) -> None:
        """Remember where something was saved."""
        self._store.setValue("last_folder", folder)

    @property
    def theme_name(self) -> str:
        """`light`, `dark`, or empty to follow the system."""
        return str(self._store.value("theme", ""))

    def set_theme_name(self, name: str) -> None:
        """Remember a theme."""
        self._store.setValue("theme", name)

    @property
    def points(self) -> float:
        """Size of type, or 0 if none is remembered."""
        try:
            return float(str(self._store.value("points", 0.0)))
        except ValueError:
            return 0.0

    def set_points(self, points: float) -> None:
        """Remember the size of type."""
        self._store.setValue("points", points)

    @property
    def graph_direction(self) -> str:
        """`down` or `right`; empty if none is remembered."""
        return str(self._store.value("graph_direction", ""))

    def set_graph_direction(self, direction: str) -> None:
        """Remember where values flow in graphs."""
        self._store.setValue("graph_direction", direction)

    @property
    def hidden_passes(self) -> tuple[str, ...]:
        """Names of the simplifications of graphs that are switched off."""
        return self._strings("hidden_passes")

    def set_hidden_passes(self, names: Sequence[str]) -> None:
        """Remember which simplifications are switched off."""
        self._store.setValue("hidden_passes", list(names))

    @property
    def uses_graphviz(self) -> bool:
        """Whether Graphviz lays out the groups that it is fit for."""
        return str(self._store.value("uses_graphviz", "no")) == "yes"

    def set_uses_graphviz(self, is_wanted: bool) -> None:
        """Remember who lays graphs out."""
        self._store.setValue("uses_graphviz", "yes" if is_wanted else "no")

    @property
    def arrangement(self) -> str:
        """How panes are laid out, as JSON; empty if nothing is remembered."""
        return str(self._store.value("panes/arrangement", ""))

    def set_arrangement(self, text: str) -> None:
        """Remember how panes are laid out; empty forgets it."""
        self._store.setValue("panes/arrangement", text)

    @property
    def shows_ribbons(self) -> bool:
        """Whether ribbons run between panes."""
        return str(self._store.value("panes/ribbons", "yes")) == "yes"

    def set_shows_ribbons(self, is_wanted: bool) -> None:
        """Remember whether ribbons are wanted."""
        self._store.setValue("panes/ribbons", "yes" if is_wanted else "no")

    @property
    def geometry(self) -> QByteArray | None:
        """The window's place and size, or None."""
        value = self._store.value("geometry")
        return value if isinstance(value, QByteArray) else None

    def set_geometry(self, geometry: QByteArray) -> None:
        """Remember the window's place and size."""
        self._store.setValue("geometry", geometry)

    def _strings(self, name: str) -> tuple[str, ...]:
        value = self._store.value(name, [])
        if isinstance(value, str):
            return (value,)
        return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()
