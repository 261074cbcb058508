"""Draw long edges in full over the picture, for what one points at or has chosen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from jaxscope.analysis.layout.long_edges import LongEdge
from jaxscope.analysis.layout.nesting import DOWN
from jaxscope.ui.graph.drawing import SceneDrawing, draw_rects
from jaxscope.ui.graph.line_paths import Box, sample_curves

_LEAST_BOW_PX = 40.0
_MOST_BOW_PX = 400.0
_ARROW_PX = 9.0
_WHOLE_PX = 8000.0
_HALO = 3.0  # times the width of the line
_HALO_ALPHA = 150
_FEW = 4
_FEW_PX, _MANY_PX = 2.2, 1.3


def paint_long_edges(
    painter: QPainter, drawing: SceneDrawing, edges: Sequence[LongEdge], scale: float, sight: Box
) -> None:
    """Paint with a painter in pixels of the scene, which `scale` makes pixels of the widget,
    what is in `sight`.

    A halo sets the lines off from those that they cross; boxes at both ends are outlined, so
    that they can be found when one comes to them.
    """
    colors, is_down = drawing.colors, drawing.scene.direction == DOWN
    path, arrows = QPainterPath(), QPainterPath()
    ends: set[int] = set()
    strength = (_FEW_PX if len(edges) <= _FEW else _MANY_PX) / min(scale, 1.0)
    for edge in edges:
        _add_curve(path, edge, is_down, sight)
        _add_arrow(arrows, edge.end, is_down, strength / 2.0)
        ends |= {edge.source, edge.target}
    if not ends:
        return
    painter.setBrush(Qt.BrushStyle.NoBrush)
    halo = QColor(colors.background)
    halo.setAlpha(_HALO_ALPHA)
    for color, width in ((halo, strength * _HALO), (colors.selected, strength)):
        painter.setPen(QPen(color, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPath(path)
    rects = drawing.scene.items.rect[sorted(ends)] + np.array([-3.0, -3.0, 6.0, 6.0])
    painter.setPen(QPen(colors.selected, strength))
    draw_rects(painter, rects)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colors.selected)
    painter.drawPath(arrows)


def _add_curve(path: QPainterPath, edge: LongEdge, is_down: bool, sight: Box) -> None:
    """A curve that leaves and arrives in the direction of flow; of a very long one what is seen."""
    (x0, y0), (x1, y1) = edge.begin, edge.end
    bow = min(max(abs(y1 - y0 if is_down else x1 - x0) / 2.0, _LEAST_BOW_PX), _MOST_BOW_PX)
    ways = (0.0, bow) if is_down else (bow, 0.0)
    corners = np.array([(x0, y0), (x0 + ways[0], y0 + ways[1]),
                        (x1 - ways[0], y1 - ways[1]), (x1, y1)])  # fmt: skip
    if np.abs(corners[3] - corners[0]).max() <= _WHOLE_PX:
        path.moveTo(x0, y0)
        path.cubicTo(*corners[1:].ravel().tolist())
        return
    for u0, v0, u1, v1 in sample_curves(corners[None], sight).tolist():
        path.moveTo(u0, v0)
        path.lineTo(u1, v1)


def _add_arrow(path: QPainterPath, end: tuple[float, float], is_down: bool, size: float) -> None:
    x, y = end
    back, half = _ARROW_PX * max(size, 1.0), _ARROW_PX * 0.6 * max(size, 1.0)
    if is_down:
        corners = [QPointF(x, y), QPointF(x - half, y - back), QPointF(x + half, y - back)]
    else:
        corners = [QPointF(x, y), QPointF(x - back, y - half), QPointF(x - back, y + half)]
    path.addPolygon(QPolygonF(corners))
    path.closeSubpath()
