"""Puts the page of devices into a window, and follows what it chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from jaxscope.ui.pages.sharding import ShardingPage
from jaxscope.ui.theme import ThemeSwitch

if TYPE_CHECKING:
    from jaxscope.ui.window import MainWindow


class ShardingMenu(QObject):
    """Owns the page; lives as long as its window."""

    def __init__(self, window: MainWindow, themes: ThemeSwitch) -> None:
        super().__init__(window)
        self._window, self._themes = window, themes
        self.page = ShardingPage()
        window.workspace.tabs.add_page(self.page, "Devices")
        self.page.node_chosen.connect(window.workspace.selection.select_node)
        window.controller.state_changed.connect(self._on_controller_state_changed)
        themes.changed.connect(self._on_themes_changed)
        self._on_themes_changed()
        self._on_controller_state_changed()

    def _on_controller_state_changed(self) -> None:
        state = self._window.controller.state
        if state.capture is not None or not state.is_running:
            self.page.show_capture(state.capture)

    def _on_themes_changed(self) -> None:
        self.page.set_theme(self._themes.theme)


def add_sharding(window: MainWindow, themes: ThemeSwitch) -> ShardingMenu:
    """Give a window its page of devices."""
    return ShardingMenu(window, themes)
