"""What goes on between measurements and the rest of a window: selection, and leaving parts out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from jaxscope.ui.state import WindowState

if TYPE_CHECKING:
    from jaxscope.ui.window import MainWindow

SKIP_KEYS = "Ctrl+Shift+S"


class Measuring(QObject):
    """Lives as long as its window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.skip = QAction("Skip what is being measured", window)
        self.skip.setShortcut(QKeySequence(SKIP_KEYS))
        self.skip.setEnabled(False)
        for entry in window.menuBar().actions():
            menu = entry.menu()
            if entry.text() == "Run" and isinstance(menu, QMenu):
                menu.addAction(self.skip)
        lab, selection = window.workspace.lab, window.workspace.selection
        lab.node_chosen.connect(selection.select_node)
        selection.changed.connect(lab.show_links)
        self.skip.triggered.connect(window.controller.skip)
        window.call_bar.skip_requested.connect(window.controller.skip)
        window.controller.state_changed.connect(self._on_controller_state_changed)

    def _on_controller_state_changed(self, state: WindowState) -> None:
        self.skip.setEnabled(state.can_skip)
        self._window.call_bar.skip_button.setVisible(state.can_skip)
