"""Lines as paths to paint: only what is in sight of them.

In a picture of 50,000 nodes a line may be two million pixels long, and hundreds pass by wherever
one looks: stroking them whole takes a third of a second, stroking what is in sight a few
milliseconds.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt
import shiboken6
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QPainter, QPainterPath, QPolygonF

from jaxscope.analysis.export.strokes import arrow_of
from jaxscope.analysis.layout.nesting import DOWN
from jaxscope.ui.graph.scene_index import SceneIndex

_WHOLE_PX = 1500.0
"""Curves up to this size are painted whole."""
_STEPS = np.linspace(0.0, 1.0, 41)
_WEIGHTS = np.stack(
    [(1 - _STEPS) ** 3, 3 * _STEPS * (1 - _STEPS) ** 2, 3 * _STEPS**2 * (1 - _STEPS), _STEPS**3],
    axis=1,
)
"""Of the four corners of a curve, at places along it."""
_MARGIN_PX = 40.0
"""Beyond the sight, so that no end of a clipped line shows."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in pixels of the scene."""

Indices = npt.NDArray[np.int64]


def draw_lines(painter: QPainter, segments: npt.NDArray[np.float64]) -> None:
    """Draw rows of x, y, x, y, straight from the array."""
    segments = np.ascontiguousarray(segments)
    if len(segments):
        first = cast(QLineF, shiboken6.Shiboken.wrapInstance(segments.ctypes.data, QLineF))
        painter.drawLines(first, len(segments))


def sample_curves(corners: npt.NDArray[np.float64], box: Box) -> npt.NDArray[np.float64]:
    """Cubic curves as straight pieces, those that touch a part of the scene.

    Args:
        corners: float64, shape `(n, 4, 2)`: begin, two control points, end.
        box: The part of the scene.

    Returns:
        float64, shape `(m, 4)`: x, y, x, y.
    """
    places = np.einsum("sc,nck->nsk", _WEIGHTS, corners)
    pieces = np.concatenate([places[:, :-1], places[:, 1:]], axis=2).reshape(-1, 4)
    low = np.minimum(pieces[:, :2], pieces[:, 2:])
    high = np.maximum(pieces[:, :2], pieces[:, 2:])
    is_near = ((high >= box[:2]) & (low <= box[2:])).all(axis=1)
    near: npt.NDArray[np.float64] = pieces[is_near]
    return near


def paint_curves(
    painter: QPainter, index: SceneIndex, box: Box, lines: Indices | None = None
) -> None:
    """Paint the pieces of all lines, or of some, that touch a part of the scene."""
    near = index.segment_grid.query(*box)
    if lines is not None:
        near = near[np.isin(index.line_of_segment[near], lines)]
    pieces = np.unique(index.segments[near], axis=0)  # lines of one value share their way
    is_straight = (pieces[:, 0] == pieces[:, 2]) | (pieces[:, 1] == pieces[:, 3])
    is_long = np.abs(pieces[:, 2:] - pieces[:, :2]).max(axis=1, initial=0.0) > _WHOLE_PX
    low = np.array([box[0], box[1]] * 2) - _MARGIN_PX
    high = np.array([box[2], box[3]] * 2) + _MARGIN_PX
    draw_lines(painter, np.clip(pieces[is_straight], low, high))
    is_down = index.scene.direction == DOWN
    corners = _corners(pieces[~is_straight & is_long], is_down)
    draw_lines(painter, sample_curves(corners, (*low[:2].tolist(), *high[:2].tolist())))
    path = QPainterPath()
    for begin, one, other, end in _corners(pieces[~is_straight & ~is_long], is_down).tolist():
        path.moveTo(*begin)
        path.cubicTo(*one, *other, *end)
    painter.drawPath(path)


def _corners(pieces: npt.NDArray[np.float64], is_down: bool) -> npt.NDArray[np.float64]:
    """Begin, control points and end of pieces that leave and arrive in the direction of flow."""
    begin, end = pieces[:, :2], pieces[:, 2:]
    one, other = begin.copy(), end.copy()
    along = 1 if is_down else 0
    one[:, along] = other[:, along] = (begin[:, along] + end[:, along]) / 2
    return np.stack([begin, one, other, end], axis=1)


def arrows_in(index: SceneIndex, box: Box) -> QPainterPath:
    """The arrowheads in a part of the scene."""
    scene, near = index.scene, index.line_grid.query(*box)
    ends = scene.lines.points[scene.lines.offsets[near + 1] - 1]
    low, high = np.array(box[:2]) - _MARGIN_PX, np.array(box[2:]) + _MARGIN_PX
    is_near = ((ends >= low) & (ends <= high)).all(axis=1)
    path = QPainterPath()
    for line in near[is_near & scene.lines.has_arrow[near]].tolist():
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in arrow_of(scene, line)]))
        path.closeSubpath()
    return path
