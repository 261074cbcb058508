"""The overview beside a graph: the whole scene, and which part of it is visible."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QWidget

from jaxscope.ui.canvas.scene_painter import Colors
from jaxscope.ui.toolkit.language import tr

_SEEN_PX = 2.0
"""What sticks out of the sight by no more is taken as seen."""
_VEIL = 0.6
"""How much of what is out of sight is the ground's colour."""


class Minimap(QWidget):
    """A small picture of the scene; a press or drag asks to look there.

    It stands at the right of a picture that is taller than its page, below one that is wider, and
    only while something of the picture is out of sight.

    Signals:
        place_requested: Place of the scene to look at.
        need_changed: It has come to be of use, or is so no longer.
    """

    place_requested = Signal(QPointF)
    need_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = QPixmap()
        self._scene_size = (1.0, 1.0)
        self._sight = QRectF()
        self._colors: Colors | None = None
        self._is_needed, self._is_wanted = False, True
        self._page_size = (1.0, 1.0)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tr("Overview of the graph"))

    def show_scene(self, picture: QPixmap, width: float, height: float, colors: Colors) -> None:
        """Show another scene's picture."""
        self._picture, self._colors = picture, colors
        self._scene_size = (max(width, 1.0), max(height, 1.0))
        self.update()

    @property
    def is_needed(self) -> bool:
        """Whether part of the scene is out of sight, and an overview is wanted then."""
        return self._is_needed and self._is_wanted

    def set_wanted(self, is_wanted: bool) -> None:
        """Choose whether it is shown where part of the scene is out of sight."""
        self._is_wanted = is_wanted
        self.need_changed.emit()

    @property
    def is_beside(self) -> bool:
        """Whether it belongs at the right of the picture, not below."""
        (wide, high), page = self._scene_size, self._page_size
        return high * page[0] >= wide * page[1]

    def set_page(self, width: int, height: int) -> None:
        """Say how large the page is that it shares with the picture."""
        self._page_size = (max(width, 1.0), max(height, 1.0))

    def show_sight(self, sight: QRectF) -> None:
        """Mark the part of the scene that is seen."""
        if sight == self._sight:
            return
        self._sight = sight
        wide, high = self._scene_size
        room = sight.adjusted(-_SEEN_PX, -_SEEN_PX, _SEEN_PX, _SEEN_PX)
        is_needed = not room.contains(QRectF(0.0, 0.0, wide, high))
        if is_needed != self._is_needed:
            self._is_needed = is_needed
            self.need_changed.emit()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._colors is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        area = self._area()
        painter.fillRect(self.rect(), self._colors.background)
        painter.drawPixmap(area, self._picture, QRectF(self._picture.rect()))
        scale = area.width() / self._scene_size[0], area.height() / self._scene_size[1]
        sight = QRectF(
            area.x() + self._sight.x() * scale[0],
            area.y() + self._sight.y() * scale[1],
            max(self._sight.width() * scale[0], 4.0),
            max(self._sight.height() * scale[1], 4.0),
        )
        seen = sight & QRectF(self.rect()).adjusted(1, 1, -2, -2)
        rest, veil = QPainterPath(), QColor(self._colors.background)
        rest.addRect(QRectF(self.rect()))
        rest.addRect(seen)  # what is in both is left out
        veil.setAlphaF(_VEIL)
        painter.fillPath(rest, veil)
        painter.setPen(QPen(self._colors.muted, 1))
        painter.drawRect(seen)
        painter.setPen(QPen(self._colors.frame_border, 1))
        far = self.rect().bottomLeft() if self.is_beside else self.rect().topRight()
        painter.drawLine(self.rect().topLeft(), far)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._request(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._request(event.position())

    def _area(self) -> QRectF:
        """Where the picture is: the widget less the margin that keeps its shape."""
        wide, high = self._scene_size
        scale = min((self.width() - 6) / wide, (self.height() - 6) / high)
        size = max(wide * scale, 3.0), max(high * scale, 3.0)
        left = (self.width() - size[0]) / 2
        return QRectF(left, 3.0 if self.is_beside else (self.height() - size[1]) / 2, *size)

    def _request(self, at: QPointF) -> None:
        area = self._area()
        x = (at.x() - area.x()) / area.width() * self._scene_size[0]
        y = (at.y() - area.y()) / area.height() * self._scene_size[1]
        self.place_requested.emit(QPointF(x, y))
