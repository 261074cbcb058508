"""For lectures: the panes get the whole screen, and everything around them steps aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from jaxscope.ui.theme import ThemeSwitch
    from jaxscope.ui.window import MainWindow

_MESSAGE_MS, _SETTLED_MS = 6_000, 250
_ENLARGED = 1.4
"""Type in a lecture hall: what reads well at a desk is half as tall as the last row needs; more
would leave three panes beside each other too few letters a line."""


class Presenting:
    """Hides what surrounds the panes, and brings back exactly what it hid.

    Type becomes larger, for the last row. The call stays: a lecture types into it. So do the
    menus, for whoever forgot the key.
    """

    def __init__(self, window: MainWindow, themes: ThemeSwitch) -> None:
        self._window, self._themes = window, themes
        self._points = (themes.points, themes.points)
        self._hidden: list[QWidget] | None = None
        self._was_full_screen = False

    @property
    def is_on(self) -> bool:
        """Whether only the panes are shown."""
        return self._hidden is not None

    def toggle(self) -> None:
        """Begin, or end."""
        if self._hidden is None:
            self._begin()
        else:
            self._end(self._hidden)

    def _begin(self) -> None:
        window = self._window
        around = (window.call_bar.wrappers, window.strip, window.workspace.side)
        self._hidden = [part for part in around if not part.isHidden()]
        for part in self._hidden:
            part.hide()
        before = self._themes.points
        self._themes.set_points(round(before * _ENLARGED))
        self._points = (before, self._themes.points)
        self._was_full_screen = window.isFullScreen()
        window.showFullScreen()
        # Not yet: a status bar that is given larger type shows again what a message has hidden.
        QTimer.singleShot(_SETTLED_MS, window, self._tell)

    def _tell(self) -> None:
        if self.is_on:
            self._window.statusBar().showMessage("F11 shows everything again.", _MESSAGE_MS)

    def _end(self, hidden: list[QWidget]) -> None:
        self._hidden = None
        self._window.statusBar().clearMessage()
        before, during = self._points
        if self._themes.points == during:  # or a person has chosen another size meanwhile
            self._themes.set_points(before)
        for part in hidden:
            part.show()
        if not self._was_full_screen:
            self._window.setWindowState(
                self._window.windowState() & ~Qt.WindowState.WindowFullScreen
            )
