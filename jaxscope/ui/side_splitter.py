"""A splitter whose left side gets a share of the width until a person moves its edge."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter

_SHARE, _LEAST_PX, _MOST_PX = 0.19, 250, 420
_HANDLE_PX = 6


class SideSplitter(QSplitter):
    """Two parts side by side: the names on the left are cut off in no large window."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._shares_width = True
        self.setChildrenCollapsible(False)
        self.setHandleWidth(_HANDLE_PX)
        self.splitterMoved.connect(self._on_splitter_moved)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._shares_width and self.count() > 1:
            side = min(max(round(self.width() * _SHARE), _LEAST_PX), _MOST_PX)
            self.setSizes([side, self.width() - side - self.handleWidth()])

    def _on_splitter_moved(self, _place: int, _index: int) -> None:
        self._shares_width = False
