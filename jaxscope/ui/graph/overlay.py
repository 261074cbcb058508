"""Draw what changes from moment to moment over the tiles: highlights, selection, hover."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from jaxscope.analysis.layout.long_edges import LongEdge, edges_of_connector, edges_of_item
from jaxscope.analysis.layout.scene import Scene
from jaxscope.model import NONE
from jaxscope.ui.graph.camera import Camera
from jaxscope.ui.graph.drawing import NEAR_SCALE, SceneDrawing, draw_rects
from jaxscope.ui.graph.line_paths import Box, paint_curves
from jaxscope.ui.graph.long_edge_painting import paint_long_edges

Indices = npt.NDArray[np.int64]

_MAX_EMPHASISED_LINES = 400


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Highlight:
    """Items that stand out, each kind with an outline of its own.

    Attributes:
        selected: A thick closed outline.
        forward: A closed outline with a gap around the box.
        backward: A dashed outline.
        current: The item that has the keyboard, where that is selected; else `NONE`.
        hovered: The item under the pointer, or `NONE`.
        connector: The connector under the pointer, or `NONE`.
        ahead: A thin closed outline: linked to what is under the pointer, in any pane.
        noted: A bookmark at the upper right corner.
    """

    selected: Indices
    forward: Indices
    backward: Indices
    current: int = NONE
    hovered: int = NONE
    connector: int = NONE
    ahead: Indices = dataclasses.field(default_factory=lambda: np.zeros(0, np.int64))
    noted: Indices = dataclasses.field(default_factory=lambda: np.zeros(0, np.int64))


def no_highlight() -> Highlight:
    """Nothing stands out."""
    none = np.zeros(0, np.int64)
    return Highlight(none, none, none)


def items_of_nodes(scene: Scene, nodes: Collection[int]) -> Indices:
    """Items that show some nodes; indices that the graph does not have are ignored."""
    wanted = np.fromiter(nodes, np.int64, len(nodes))
    wanted = wanted[(wanted >= 0) & (wanted < len(scene.item_of_node))]
    items: Indices = np.unique(scene.item_of_node[wanted]).astype(np.int64)
    return items[items >= 0]


def paint_overlay(
    painter: QPainter,
    drawing: SceneDrawing,
    highlight: Highlight,
    camera: Camera,
    width: int,
    height: int,
) -> None:
    """Draw the outlines that are in sight."""
    colors = drawing.colors
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, camera.scale >= NEAR_SCALE)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    sight = (camera.x, camera.y, *camera.to_scene(width, height))
    seen = drawing.item_grid.query(*sight)
    solid, dashed = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine
    near = camera.scale >= NEAR_SCALE
    outlines: tuple[tuple[Indices, QColor, float, Qt.PenStyle, float], ...] = (
        (highlight.ahead, colors.hover, 1.6 if near else 1.4, solid, 3.0),
        (highlight.backward, colors.backward, 2.2 if near else 2.0, dashed, 2.0),
        (highlight.forward, colors.forward, 2.2 if near else 2.0, solid, 4.0),
        (highlight.selected, colors.selected, 3.4 if near else 3.0, solid, 1.0),
    )
    for items, color, pen_px, style, gap in outlines:
        chosen = np.intersect1d(items, seen, assume_unique=True)
        painter.setPen(QPen(color, pen_px, style))
        draw_rects(painter, _outline(drawing, chosen, camera, gap))
    _paint_lines(painter, drawing, highlight, camera, sight)
    _paint_notes(painter, drawing, np.intersect1d(highlight.noted, seen), camera)
    if highlight.hovered != NONE:
        painter.setPen(QPen(colors.hover, 1.6, Qt.PenStyle.SolidLine))
        draw_rects(painter, _outline(drawing, np.array([highlight.hovered]), camera, 2.0))
    if highlight.current != NONE:
        painter.setPen(QPen(colors.selected, 3.4))
        rect = _outline(drawing, np.array([highlight.current]), camera, 1.5)[0]
        painter.drawRoundedRect(QRectF(*rect.tolist()), 6, 6)


def _outline(
    drawing: SceneDrawing, items: Indices, camera: Camera, gap: float
) -> npt.NDArray[np.float64]:
    rects = drawing.scene.items.rect[items] * camera.scale
    rects[:, 0] -= camera.x * camera.scale + gap
    rects[:, 1] -= camera.y * camera.scale + gap
    rects[:, 2:] = np.maximum(rects[:, 2:], 3.0) + 2 * gap
    return rects


def _paint_notes(painter: QPainter, drawing: SceneDrawing, items: Indices, camera: Camera) -> None:
    """A bookmark hangs over the corner of each; from afar it is as small as can be seen."""
    painter.save()
    painter.setPen(QPen(drawing.colors.background, 1.0))
    painter.setBrush(drawing.colors.selected)
    high = min(max(16.0 * camera.scale, 7.0), 20.0)
    wide = high * 0.6
    for x, y, width, _ in _outline(drawing, items, camera, 0.0).tolist():
        right = x + max(width - wide / 2, wide)
        left, top, bottom = right - wide, y - high / 4, y + high * 3 / 4
        corners = [(left, top), (right, top), (right, bottom), (left + wide / 2, bottom - wide / 2)]
        shape = [QPointF(*corner) for corner in (*corners, (left, bottom))]
        painter.drawPolygon(QPolygonF(shape))
    painter.restore()


def _paint_lines(
    painter: QPainter, drawing: SceneDrawing, highlight: Highlight, camera: Camera, sight: Box
) -> None:
    """Draw lines of the current and the hovered item stronger: dashed into it, solid out of it."""
    colors = drawing.colors
    lines = drawing.scene.lines
    painter.save()
    painter.scale(camera.scale, camera.scale)
    painter.translate(-camera.x, -camera.y)
    strength = 2.6 / min(camera.scale, 1.0)
    for item in {highlight.current, highlight.hovered} - {NONE}:
        for ends, style in (
            (lines.target, Qt.PenStyle.DashLine),
            (lines.source, Qt.PenStyle.SolidLine),
        ):
            chosen = np.flatnonzero(ends == item)[:_MAX_EMPHASISED_LINES]
            # Not the colours of forward and backward: those tell parts of the program apart.
            painter.setPen(QPen(colors.selected, strength, style))
            paint_curves(painter, drawing.index, sight, chosen)
    paint_long_edges(painter, drawing, _long_edges(drawing.scene, highlight), camera.scale, sight)
    painter.restore()


def _long_edges(scene: Scene, highlight: Highlight) -> tuple[LongEdge, ...]:
    """Those of the connector under the pointer; else those of the current and hovered boxes."""
    if highlight.connector != NONE:
        return edges_of_connector(scene, highlight.connector)
    boxes = {highlight.current, highlight.hovered} - {NONE}
    found = (edges_of_item(scene, box) for box in boxes if box >= scene.items.num_frames)
    return tuple(itertools.chain.from_iterable(found))
