"""Reloads colours and style sheet when their files are saved; for work on them.

`./run dev --window` switches it on. A file that cannot be loaded leaves what is shown as it was,
and its traceback goes to standard error.
"""

from __future__ import annotations

import importlib
import sys
import traceback

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer

from jaxscope.picture import palette
from jaxscope.ui.toolkit import theme

_SETTLE_MS = 100
"""Editors write a file in several steps: it is read when none has followed for so long."""


class LiveTheme(QObject):
    """Watches the modules of the theme and applies them anew when one changes.

    Graphs keep the colours that they were drawn with; everything that follows the style sheet or
    `ThemeSwitch.changed` has the new ones.
    """

    def __init__(self, themes: theme.ThemeSwitch) -> None:
        super().__init__(themes)
        self._themes = themes
        self._files = [str(palette.__file__), str(theme.__file__)]
        self._watcher = QFileSystemWatcher(self._files, self)
        self._timer = QTimer(self, interval=_SETTLE_MS, singleShot=True)
        self._watcher.fileChanged.connect(self._on_watcher_file_changed)
        self._timer.timeout.connect(self.reload)

    def reload(self) -> None:
        """Load the modules again and apply the theme of the same name."""
        # An editor that replaces a file leaves Qt watching the old one under the same name.
        self._watcher.removePaths(self._files)
        self._watcher.addPaths(self._files)
        name = self._themes.theme.name
        try:
            for module in (palette, theme):
                importlib.reload(module)
            self._themes.set_theme(theme.DARK if name == theme.DARK.name else theme.LIGHT)
        except Exception:  # whatever a half-written module raises
            traceback.print_exc(file=sys.stderr)

    def _on_watcher_file_changed(self, _path: str) -> None:
        self._timer.start()
