"""Parts of a page one above the other where there is room, else behind tabs."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QTabWidget, QVBoxLayout, QWidget


class RoomySplit(QWidget):
    """Keeps every part readable: a splitter in a high page would leave slivers in a low one.

    Args:
        least_lines: Of text, which the parts need to stand one above the other.
    """

    def __init__(self, least_lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least_lines = least_lines
        self._parts: list[tuple[QWidget, str, int]] = []
        self._is_roomy = True
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setChildrenCollapsible(False)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)  # some styles draw it white on dark
        self.tabs.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._splitter)
        layout.addWidget(self.tabs)

    def insert_part(self, place: int, part: QWidget, title: str, share: int) -> None:
        """Add a part; its title is that of its tab, its share that of the height."""
        self._parts.insert(place, (part, title, share))
        self._fill()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_roomy = self.height() >= self._least_lines * self.fontMetrics().height()
        if is_roomy != self._is_roomy:
            self._is_roomy = is_roomy
            self._fill()

    def _fill(self) -> None:
        for place, (part, title, _) in enumerate(self._parts):
            if self._is_roomy:
                self._splitter.insertWidget(place, part)
                part.show()
            else:
                self.tabs.insertTab(place, part, title)
        self._splitter.setVisible(self._is_roomy)
        self.tabs.setVisible(not self._is_roomy)
        if self._is_roomy:
            self._splitter.setSizes([share for _, _, share in self._parts])
        else:
            self.tabs.setCurrentIndex(0)
