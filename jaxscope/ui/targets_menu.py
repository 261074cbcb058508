"""Puts the page of targets into a window, and lets it compile the present call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from jaxscope.ui.many_targets import ManyTargets
from jaxscope.ui.pages.targets import TargetsPage
from jaxscope.ui.theme import ThemeSwitch

if TYPE_CHECKING:
    from jaxscope.ui.window import MainWindow


class TargetsMenu(QObject):
    """Owns the page; lives as long as its window."""

    def __init__(self, window: MainWindow, themes: ThemeSwitch) -> None:
        super().__init__(window)
        self._window, self._themes = window, themes
        self.page = TargetsPage()
        self.many = ManyTargets(window.controller, self)
        window.workspace.lab.addTab(self.page, "Chips")
        self.page.requested.connect(self._on_page_requested)
        self.page.stop_requested.connect(self.many.stop)
        self.many.row_arrived.connect(self.page.add_row)
        self.many.busy_changed.connect(self.page.set_busy)
        window.controller.state_changed.connect(self._on_controller_state_changed)
        themes.changed.connect(self._on_themes_changed)
        self._on_themes_changed()
        self._on_controller_state_changed()

    def _on_page_requested(self, targets: tuple[str, ...]) -> None:
        self.page.begin(self._window.controller.state.call)
        self.many.start(targets)

    def _on_controller_state_changed(self) -> None:
        state = self._window.controller.state
        self.page.set_runnable(bool(state.file and state.call) and not state.is_view_only)

    def _on_themes_changed(self) -> None:
        self.page.set_theme(self._themes.theme)


def add_targets(window: MainWindow, themes: ThemeSwitch) -> TargetsMenu:
    """Give a window its page of targets."""
    return TargetsMenu(window, themes)
