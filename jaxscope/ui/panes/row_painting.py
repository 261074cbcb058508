"""Paints a table's cells: Qt's own way asks for eight things per cell, each through Python."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from jaxscope.ui.panes.node_table import NodeTableModel

_MARGIN_PX = 4


class RowPainter(QStyledItemDelegate):
    """Draws the ground and the text of a cell of a `NodeTableModel`, and nothing else."""

    def __init__(self, model: NodeTableModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        rect: QRect = option.rect
        palette: QPalette = option.palette
        state: QStyle.StateFlag = option.state
        row, column = index.row(), index.column()
        brush = self._model.brush_of(row)
        if brush is not None:
            painter.fillRect(rect, brush)
        elif state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, palette.highlight())
        elif row % 2:
            painter.fillRect(rect, palette.alternateBase())
        text = self._model.text_of(row, column)
        if not text:
            return
        is_number = self._model.is_number(column)
        side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
        painter.setPen(palette.text().color())
        inner = rect.adjusted(_MARGIN_PX, 0, -_MARGIN_PX, 0)
        metrics = option.fontMetrics
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, int(side | Qt.AlignmentFlag.AlignVCenter), text)
