"""The legend in the corner: what the colours and outlines that are in the picture mean."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from jaxscope.analysis.layout.text_width import measure_text
from jaxscope.analysis.view.operations import Style
from jaxscope.analysis.view.palette import STYLE_NAMES
from jaxscope.ui.graph.drawing import graph_font
from jaxscope.ui.graph.palette import Colors

_TEXT_PX = 11.0
_ROW_PX = 17
_PADDING_PX = 8
_SWATCH_PX = 18

_OUTLINES = ("selected", "linked, forward", "linked, backward")


class Legend(QWidget):
    """Lists the styles of the boxes that the picture has, and the outlines of highlights."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._styles: tuple[Style, ...] = ()
        self._colors: Colors | None = None
        self._has_highlight = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Legend of the graph")

    def show_styles(self, styles: tuple[Style, ...], colors: Colors, has_highlight: bool) -> None:
        """Explain these styles, and the outlines if anything is highlighted."""
        self._styles, self._colors, self._has_highlight = styles, colors, has_highlight
        names = self._names()
        text = max((measure_text(name, _TEXT_PX) for name in names), default=0.0)
        self.setFixedSize(
            QSize(
                round(text) + _SWATCH_PX + 3 * _PADDING_PX,
                len(names) * _ROW_PX + 2 * _PADDING_PX - 4,
            )
        )
        self.setAccessibleDescription(", ".join(names))
        self.update()

    def _names(self) -> list[str]:
        names = [STYLE_NAMES[style] for style in self._styles]
        return names + list(_OUTLINES) if self._has_highlight else names

    def paintEvent(self, _event: QPaintEvent) -> None:
        colors = self._colors
        if colors is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QColor(colors.background)
        ground.setAlpha(235)
        painter.setBrush(ground)
        painter.setPen(QPen(colors.frame_border, 1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.setFont(graph_font(_TEXT_PX))
        pens = [QPen(colors.border[style], 1.2) for style in self._styles]
        fills = [colors.fill[style] for style in self._styles]
        if self._has_highlight:
            pens += [
                QPen(colors.selected, 3),
                QPen(colors.forward, 2),
                QPen(colors.backward, 2, Qt.PenStyle.DashLine),
            ]
            fills += [colors.background] * 3
        for row, (name, pen, fill) in enumerate(zip(self._names(), pens, fills, strict=True)):
            y = _PADDING_PX - 2 + row * _ROW_PX
            painter.setPen(pen)
            painter.setBrush(fill)
            painter.drawRoundedRect(QRectF(_PADDING_PX, y + 3, _SWATCH_PX, 11), 3, 3)
            painter.setPen(colors.text)
            painter.drawText(
                QRectF(2 * _PADDING_PX + _SWATCH_PX, y, self.width(), _ROW_PX),
                Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
                name,
            )
        painter.end()
