"""A combo box whose arrow follows the theme; style sheets can only show one from a file."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QComboBox

_ARROW_PX = 4.0
_LIST_MARGIN_PX = 24
_MAX_ROWS = 20


class ChoiceBox(QComboBox):
    """Draws its own small arrow over the style's empty field; its list shows every choice whole."""

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        edit = self.lineEdit()
        if edit is not None:  # it has the keyboard where a choice can be typed
            edit.setAccessibleName(name)

    def showPopup(self) -> None:
        self.setMaxVisibleItems(_MAX_ROWS)
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + _LIST_MARGIN_PX)
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.palette().text().color(), 1.6, c=Qt.PenCapStyle.RoundCap))
        x, y = self.width() - 13.0, self.height() / 2.0 - 1.0
        tip = QPointF(x, y + _ARROW_PX)
        painter.drawLine(QPointF(x - _ARROW_PX, y), tip)
        painter.drawLine(QPointF(x + _ARROW_PX, y), tip)
