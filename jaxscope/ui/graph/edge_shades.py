"""Shades at the borders of a picture beyond which it goes on."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QLinearGradient, QPainter

from jaxscope.analysis.layout.scene import Scene
from jaxscope.ui.graph.camera import Camera
from jaxscope.ui.graph.drawing import SceneDrawing

_SHADE_PX = 12.0
_STRENGTH = 0.22
_SEEN_PX = 20.0
"""A scene's own margin, or hardly more: nothing of it is missed."""


def hidden_sides(scene: Scene, camera: Camera, width: int, height: int) -> tuple[bool, ...]:
    """Whether something of a scene is out of sight at the left, the top, the right, the bottom."""
    left, top = camera.to_widget(0.0, 0.0)
    right, bottom = camera.to_widget(scene.width, scene.height)
    beyond = (-left, -top, right - width, bottom - height)
    return tuple(each > _SEEN_PX * camera.scale for each in beyond)


def paint_edge_shades(
    painter: QPainter, drawing: SceneDrawing, camera: Camera, width: int, height: int
) -> None:
    """Darken the borders beyond which there is more to see."""
    left, top, right, bottom = hidden_sides(drawing.scene, camera, width, height)
    deep = _SHADE_PX
    for is_hidden, area, begin, end in (
        (left, (0, 0, deep, height), (0, 0), (deep, 0)),
        (top, (0, 0, width, deep), (0, 0), (0, deep)),
        (right, (width - deep, 0, deep, height), (width, 0), (width - deep, 0)),
        (bottom, (0, height - deep, width, deep), (0, height), (0, height - deep)),
    ):
        if is_hidden:
            shade = QLinearGradient(QPointF(*begin), QPointF(*end))
            for at, strength in ((0.0, _STRENGTH), (1.0, 0.0)):
                color = QColor(drawing.colors.edge)
                color.setAlphaF(strength)
                shade.setColorAt(at, color)
            painter.fillRect(QRectF(*area), shade)
