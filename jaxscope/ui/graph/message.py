"""Words in the place of a picture, or over one that is being worked out."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter

from jaxscope.ui.graph.drawing import graph_font
from jaxscope.ui.graph.palette import Colors


def paint_message(painter: QPainter, size: QSize, colors: Colors, text: str) -> None:
    """Say why there is no picture, in the middle of its place."""
    whole = QRect(0, 0, size.width(), size.height())
    painter.fillRect(whole, colors.background)
    painter.setPen(colors.muted)
    painter.setFont(graph_font(15))
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    painter.drawText(whole.adjusted(24, 24, -24, -24), flags, text)


def paint_progress(painter: QPainter, width: int, colors: Colors, text: str) -> None:
    """Say over the old picture that a new one is being worked out."""
    area = QRectF(width / 2 - 150, 12, 300, 28)
    painter.setPen(colors.frame_border)
    painter.setBrush(colors.background)
    painter.drawRoundedRect(area, 6, 6)
    painter.setPen(colors.text)
    painter.setFont(graph_font(12))
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
