"""The legend in a corner: what the colours and outlines that are in the picture mean."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.layout.text_width import measure_text
from jaxscope.analysis.view.operations import Style
from jaxscope.analysis.view.palette import STYLE_NAMES
from jaxscope.ui.graph.camera import Camera
from jaxscope.ui.graph.corners import find_corner, place_in_corner
from jaxscope.ui.graph.drawing import graph_font
from jaxscope.ui.graph.palette import Colors

_TEXT_PX = 11.0
_ROW_PX = 17.0
_PADDING_PX = 8.0
_SWATCH_PX = 18.0
_TITLE = "Legend"
_SMALL_SHARE = 0.05
"""A legend that takes no more of the graph than this may lie over boxes."""

_OUTLINES = ("selected", "linked, forward", "linked, backward")


class Legend(QWidget):
    """Lists the styles of the boxes that the picture has, and the outlines of highlights.

    A click closes it to its title, and opens it again.

    Signals:
        toggled: A person opened or closed it.
    """

    toggled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._styles: tuple[Style, ...] = ()
        self._colors: Colors | None = None
        self._has_highlight = False
        self._scale = 1.0
        self._is_open = True
        self._wish: bool | None = None
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip("Click to open or close the legend")
        self.setAccessibleName("Legend of the graph")

    @property
    def is_open(self) -> bool:
        """Whether all of it is shown, not only its title."""
        return self._is_open

    def open_size(self) -> QSize:
        """The room that all of it takes."""
        names = self._names()
        text = max((measure_text(name, _TEXT_PX) for name in names), default=0.0)
        width = max(text + _SWATCH_PX + 3 * _PADDING_PX, self._title_width())
        height = (len(names) + 1) * _ROW_PX + 2 * _PADDING_PX - 4
        return QSize(round(width * self._scale), round(height * self._scale))

    def closed_size(self) -> QSize:
        """The room that its title takes."""
        return QSize(round(self._title_width() * self._scale), round(24 * self._scale))

    def settle(self, scene: Scene, camera: Camera, area: tuple[int, int]) -> None:
        """Go where it covers least of a scene; close where it would cover much.

        What a person opened or closed stays so.
        """
        size = self.open_size().toTuple()
        corner, covered = find_corner(scene, camera, size, area)
        share = size[0] * size[1] / max(area[0] * area[1], 1)
        is_open = self._wish
        if is_open is None:
            is_open = not covered or share <= _SMALL_SHARE
        if not is_open:
            size = self.closed_size().toTuple()
            corner, _ = find_corner(scene, camera, size, area)
        self.set_open(is_open)
        self.move(*place_in_corner(corner, size, area))

    def set_open(self, is_open: bool) -> None:
        """Show all of it or only its title."""
        self._is_open = is_open
        self.setFixedSize(self.open_size() if is_open else self.closed_size())
        self.update()

    def set_text_scale(self, scale: float) -> None:
        """Make it larger or smaller with the window's type."""
        self._scale = scale
        self.set_open(self._is_open)

    def show_styles(self, styles: tuple[Style, ...], colors: Colors, has_highlight: bool) -> None:
        """Explain these styles, and the outlines if anything is highlighted."""
        self._styles, self._colors, self._has_highlight = styles, colors, has_highlight
        self.setAccessibleDescription(", ".join(self._names()))
        self.set_open(self._is_open)

    def _names(self) -> list[str]:
        names = [STYLE_NAMES[style] for style in self._styles]
        return names + list(_OUTLINES) if self._has_highlight else names

    def _title_width(self) -> float:
        return measure_text(_TITLE, _TEXT_PX) + 3 * _PADDING_PX + 8

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # else the graph below would take it for a click of its own

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._wish = not self._is_open
            self.toggled.emit()

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
        painter.scale(self._scale, self._scale)
        painter.setFont(graph_font(_TEXT_PX))
        self._paint_title(painter, colors)
        if self._is_open:
            self._paint_rows(painter, colors)
        painter.end()

    def _paint_title(self, painter: QPainter, colors: Colors) -> None:
        x, y = _PADDING_PX, 12.0
        if self._is_open:
            corners = [(x, y - 2), (x + 8, y - 2), (x + 4, y + 4)]
        else:
            corners = [(x + 1, y - 4), (x + 7, y), (x + 1, y + 4)]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colors.muted)
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
        painter.setPen(colors.muted)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRectF(2 * _PADDING_PX + 6, 3, self.width(), 18), flags, _TITLE)

    def _paint_rows(self, painter: QPainter, colors: Colors) -> None:
        pens = [QPen(colors.border[style], 1.2) for style in self._styles]
        fills = [colors.fill[style] for style in self._styles]
        if self._has_highlight:
            pens += [
                QPen(colors.selected, 3),
                QPen(colors.forward, 2),
                QPen(colors.backward, 2, Qt.PenStyle.DashLine),
            ]
            fills += [colors.background] * 3
        for row, (name, pen, fill) in enumerate(zip(self._names(), pens, fills, strict=True), 1):
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
