"""The handle at a pane's corner by which it is moved; a click opens the pane's menu."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

_DOT_PX, _GAP_PX = 2, 5


class PaneGrip(QWidget):
    """Six dots.

    Signals:
        moved: The pane is dragged; the pointer's place on the screen.
        dropped: The pane is let go there.
        clicked: The menu is wanted; where on the screen.
    """

    moved = Signal(QPoint)
    dropped = Signal(QPoint)
    clicked = Signal(QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pressed: QPoint | None = None
        self._is_dragged = False
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setToolTip("Drag to move this pane; click for its menu")
        self.setAccessibleName("Move this pane, or open its menu")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        color = self.palette().color(self.foregroundRole())
        color.setAlphaF(1.0 if self.hasFocus() or self.underMouse() else 0.5)
        left, top = self.width() // 2 - _GAP_PX // 2 - 1, self.height() // 2 - _GAP_PX - 1
        for number in range(6):
            x, y = left + number % 2 * _GAP_PX, top + number // 2 * _GAP_PX
            painter.fillRect(x, y, _DOT_PX, _DOT_PX, color)

    def sizeHint(self) -> QSize:
        return QSize(12, 20)

    def minimumSizeHint(self) -> QSize:
        return QSize(12, 16)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._is_dragged = event.globalPosition().toPoint(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.globalPosition().toPoint()
        if self._pressed is None:
            return
        if (place - self._pressed).manhattanLength() >= QApplication.startDragDistance():
            self._is_dragged = True
        if self._is_dragged:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.moved.emit(place)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        was_dragged, self._pressed = self._is_dragged, None
        self._is_dragged = False
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        place = event.globalPosition().toPoint()
        (self.dropped if was_dragged else self.clicked).emit(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.clicked.emit(self.mapToGlobal(self.rect().bottomLeft()))
        else:
            super().keyPressEvent(event)
