"""The overview in the corner: the whole scene, and where in it one is."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from jaxscope.ui.graph.palette import Colors

_LONG_PX = 190
_SHORT_PX = 36
_LARGEST_SHARE = 0.28
"""Of the graph's sides: in a narrow pane it must not lie over half of the picture."""
_ENOUGH_IN_SIGHT = 0.4
"""Who sees this share of the scene needs no overview."""


class Minimap(QWidget):
    """A small picture of the scene; a press or drag asks to look there.

    Signals:
        place_requested: Place of the scene to look at.
    """

    place_requested = Signal(QPointF)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = QPixmap()
        self._scene_size = (1.0, 1.0)
        self._sight = QRectF()
        self._colors: Colors | None = None
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Overview of the graph")

    def show_scene(self, picture: QPixmap, width: float, height: float, colors: Colors) -> None:
        """Show another scene's picture."""
        self._picture, self._colors = picture, colors
        self._scene_size = (max(width, 1.0), max(height, 1.0))
        self.update()

    def fit(self, width: int, height: int) -> None:
        """Take the size that suits a graph of this width and height."""
        room = [min(_LONG_PX, side * _LARGEST_SHARE) for side in (width, height)]
        wide, high = self._scene_size
        scale = min(room[0] / wide, room[1] / high)
        size = [max(round(side * scale), _SHORT_PX) for side in self._scene_size]
        self.setFixedSize(QSize(*size))

    def show_sight(self, sight: QRectF) -> None:
        """Mark the part of the scene that is seen."""
        if sight != self._sight:
            self._sight = sight
            # It must not cover a scene that is in sight, or nearly.
            self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, self._sees_enough())
            self.update()

    def _sees_enough(self) -> bool:
        wide, high = self._scene_size
        seen = self._sight & QRectF(0.0, 0.0, wide, high)
        return seen.width() * seen.height() >= _ENOUGH_IN_SIGHT * wide * high

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._colors is None or self._sees_enough():
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
        painter.setPen(QPen(self._colors.selected, 2))
        painter.drawRect(sight & QRectF(self.rect()).adjusted(1, 1, -2, -2))
        painter.setPen(QPen(self._colors.frame_border, 1))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
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
        return QRectF((self.width() - size[0]) / 2, (self.height() - size[1]) / 2, size[0], size[1])

    def _request(self, at: QPointF) -> None:
        area = self._area()
        x = (at.x() - area.x()) / area.width() * self._scene_size[0]
        y = (at.y() - area.y()) / area.height() * self._scene_size[1]
        self.place_requested.emit(QPointF(x, y))
