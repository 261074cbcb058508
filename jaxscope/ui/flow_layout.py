"""A row that wraps to further rows when the window is narrow or the type is large."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Places items from left to right at their preferred sizes, in as many rows as needed.

    Items of a row are centred on one line: a tick box beside a taller field is not at its top.
    """

    def __init__(self, parent: QWidget | None = None, *, spacing_px: int = 4) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._spacing_px = spacing_px
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _place(self, rect: QRect, *, move: bool) -> int:
        y = rect.y()
        for row in self._rows(rect.width()):
            height = max(size.height() for _, _, size in row)
            for item, x, size in row if move else ():
                below = (height - size.height()) // 2
                item.setGeometry(QRect(QPoint(rect.x() + x, y + below), size))
            y += height + self._spacing_px
        return max(y - self._spacing_px - rect.y(), 0)

    def _rows(self, width: int) -> list[list[tuple[QLayoutItem, int, QSize]]]:
        """Items of each row with their places from its left and their sizes."""
        rows: list[list[tuple[QLayoutItem, int, QSize]]] = []
        x = 0
        for item in self._items:
            size = item.sizeHint()
            if not rows or (x > 0 and x + size.width() > width):
                rows.append([])
                x = 0
            rows[-1].append((item, x, size))
            x += size.width() + self._spacing_px
        return rows
