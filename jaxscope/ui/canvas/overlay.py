"""Paints what changes over the tiles: outlines of selected, linked and hovered items, bookmarks,
emphasised lines, long edges, shades at borders beyond which the picture goes on, and messages in
place of a picture.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPainterPath, QPen, QPolygonF, QRegion

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE
from jaxscope.model.graph import distinct
from jaxscope.picture.layout.text_width import measure_text
from jaxscope.picture.scene.edge_details import NO_WAY, LongEdge, Way, edges_of_connector
from jaxscope.picture.scene.group_layout import DOWN
from jaxscope.picture.scene.scene import LEAST_TITLE_PX, Scene
from jaxscope.picture.view.view import View
from jaxscope.program.size import is_counted
from jaxscope.ui.canvas.navigation import Camera
from jaxscope.ui.canvas.scene_index import Indices
from jaxscope.ui.canvas.scene_painter import (
    NEAR_SCALE,
    Box,
    Colors,
    SceneDrawing,
    draw_rects,
    graph_font,
    paint_curves,
    sample_curves,
)
from jaxscope.ui.toolkit.language import tr


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


_PIN_PX = 8.0
_MOST_PINNED = 0.6
"""Of the width of the view: so much a title that is out of sight may take."""


def pinned_title(scene: Scene, camera: Camera, width: float, height: float) -> str:
    """Where one is, if no title says it: the names of the open groups around the middle.

    Empty where the innermost one has its title in sight.
    """
    items = scene.items
    rects = items.rect[: items.num_frames]
    across, along = camera.to_scene(width / 2, height / 2)
    is_around = (rects[:, 0] <= across) & (across <= rects[:, 0] + rects[:, 2])
    is_around &= (rects[:, 1] <= along) & (along <= rects[:, 1] + rects[:, 3])
    around = np.flatnonzero(is_around).tolist()
    if not around:
        return ""
    left, top = camera.to_widget(*rects[around[-1], :2].tolist())
    if left >= -_PIN_PX and top >= -_PIN_PX:
        return ""
    names, most = "", _MOST_PINNED * width
    for frame in reversed(around):  # the innermost are told first
        longer = f"{items.titles[frame]} / {names}" if names else items.titles[frame]
        if names and measure_text(longer, LEAST_TITLE_PX, True) > most:
            break
        names = longer
    return names


def paint_pinned_title(painter: QPainter, text: str, colors: Colors) -> None:
    """Say in the corner which open group one looks at."""
    area = QRectF(_PIN_PX, _PIN_PX, measure_text(text, LEAST_TITLE_PX, True) + 16.0, 20.0)
    painter.setPen(colors.frame_border)
    painter.setBrush(colors.background)
    painter.drawRoundedRect(area, 5, 5)
    painter.setPen(colors.text)
    painter.setFont(graph_font(LEAST_TITLE_PX, True))
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)


# Draw long edges in full over the picture, for what one points at or has chosen.


_LEAST_BOW_PX = 40.0
_MOST_BOW_PX = 400.0
_ARROW_PX = 9.0
_WHOLE_PX = 8000.0
_CORNER_PX = 8.0
_HALO = 3.0  # times the width of the line
_HALO_ALPHA = 150
_FEW = 4
_FEW_PX, _MANY_PX = 2.2, 1.3


def paint_long_edges(
    painter: QPainter, drawing: SceneDrawing, edges: Sequence[LongEdge], scale: float, sight: Box
) -> None:
    """Paint with a painter in pixels of the scene, which `scale` makes pixels of the widget,
    what is in `sight`.

    They lead around boxes where there is a way. A halo sets them off from the lines that they
    cross. Boxes at their ends get no frame: that is for what is selected. What the painter clips
    away stays as it is.
    """
    colors, is_down = drawing.colors, drawing.scene.direction == DOWN
    path, arrows = QPainterPath(), QPainterPath()
    strength = (_FEW_PX if len(edges) <= _FEW else _MANY_PX) / min(scale, 1.0)
    for edge in edges:
        way = drawing.ways.find(edge) if _span(edge) <= _WHOLE_PX else ()
        if way:
            _add_way(path, way)
        else:
            _add_curve(path, edge, is_down, sight)
        _add_arrow(arrows, edge, is_down, strength / 2.0)
    if path.isEmpty():
        return
    painter.setBrush(Qt.BrushStyle.NoBrush)
    halo = QColor(colors.background)
    halo.setAlpha(_HALO_ALPHA)
    for color, width in ((halo, strength * _HALO), (colors.selected, strength)):
        painter.setPen(QPen(color, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPath(path)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colors.selected)
    painter.drawPath(arrows)


def _span(edge: LongEdge) -> float:
    (x0, y0), (x1, y1) = edge.begin, edge.end
    return max(abs(x1 - x0), abs(y1 - y0))


def _add_way(path: QPainterPath, way: Sequence[tuple[float, float]]) -> None:
    """Straight pieces with round corners."""
    corners = [QPointF(*place) for place, _ in itertools.groupby(way)]
    path.moveTo(corners[0])
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        ways = (before - corner, after - corner)
        sizes = [math.hypot(way.x(), way.y()) for way in ways]
        radius = min(_CORNER_PX, sizes[0] / 2, sizes[1] / 2)
        path.lineTo(corner + ways[0] * (radius / sizes[0]))
        path.quadTo(corner, corner + ways[1] * (radius / sizes[1]))
    path.lineTo(corners[-1])


def _add_curve(path: QPainterPath, edge: LongEdge, is_down: bool, sight: Box) -> None:
    """A curve that leaves and arrives as values flow there; of a very long one what is seen."""
    (x0, y0), (x1, y1) = edge.begin, edge.end
    bow = min(max(abs(y1 - y0 if is_down else x1 - x0) / 2.0, _LEAST_BOW_PX), _MOST_BOW_PX)
    ways = np.array((0.0, bow) if is_down else (bow, 0.0))
    corners = np.array([(x0, y0), ways * edge.leaves + (x0, y0),
                        ways * -edge.enters + (x1, y1), (x1, y1)])  # fmt: skip
    if _span(edge) <= _WHOLE_PX:
        path.moveTo(x0, y0)
        path.cubicTo(*corners[1:].ravel().tolist())
        return
    for u0, v0, u1, v1 in sample_curves(corners[None], sight).tolist():
        path.moveTo(u0, v0)
        path.lineTo(u1, v1)


def _add_arrow(path: QPainterPath, edge: LongEdge, is_down: bool, size: float) -> None:
    x, y = edge.end
    back, half = _ARROW_PX * max(size, 1.0) * edge.enters, _ARROW_PX * 0.6 * max(size, 1.0)
    if is_down:
        corners = [QPointF(x, y), QPointF(x - half, y - back), QPointF(x + half, y - back)]
    else:
        corners = [QPointF(x, y), QPointF(x - back, y - half), QPointF(x - back, y + half)]
    path.addPolygon(QPolygonF(corners))
    path.closeSubpath()


# Draw what changes from moment to moment over the tiles: highlights, selection, hover.


_MAX_EMPHASISED_LINES = 400
_MOST_WORDS = 2000


@dataclass(frozen=True, eq=False, slots=True)
class Highlight:
    """Items that stand out, each kind with an outline of its own.

    Attributes:
        selected: A thick closed outline.
        forward: A closed outline with a gap around the box.
        backward: A dashed outline.
        current: The item that has the keyboard, where that is selected; else `NONE`.
        hovered: The item under the pointer, or `NONE`.
        connector: The connector under the pointer, or `NONE`.
        current_way: The lines that are lit for the current item.
        hovered_way: Likewise for what is under the pointer.
        ahead: A thin closed outline: linked to what is under the pointer, in any pane.
        found: A broad band around the box: what a search found.
        noted: A bookmark at the upper right corner.
        operands: By line into the current item the name of the operand that it carries.
        parts: By closed group that is selected or linked in part, how many of all that it counts:
            written on its lower border.
    """

    selected: Indices
    forward: Indices
    backward: Indices
    current: int = NONE
    hovered: int = NONE
    connector: int = NONE
    current_way: Way = NO_WAY
    hovered_way: Way = NO_WAY
    ahead: Indices = dataclasses.field(default_factory=lambda: np.zeros(0, np.int64))
    found: Indices = dataclasses.field(default_factory=lambda: np.zeros(0, np.int64))
    noted: Indices = dataclasses.field(default_factory=lambda: np.zeros(0, np.int64))
    operands: Mapping[int, str] = dataclasses.field(default_factory=dict)
    parts: Mapping[int, tuple[int, int]] = dataclasses.field(default_factory=dict)


def no_highlight() -> Highlight:
    """A highlight in which no item stands out."""
    none = np.zeros(0, np.int64)
    return Highlight(none, none, none)


def items_of_nodes(scene: Scene, nodes: Collection[int]) -> Indices:
    """Items that show some nodes; indices that the graph does not have are ignored."""
    wanted = np.fromiter(nodes, np.int64, len(nodes))
    wanted = wanted[(wanted >= 0) & (wanted < len(scene.item_of_node))]
    items: Indices = distinct(scene.item_of_node[wanted]).astype(np.int64)
    return items[items >= 0]


def results_of_nodes(scene: Scene, nodes: Collection[int]) -> Indices:
    """Items of results that some nodes give, where the results are no nodes themselves."""
    giver = scene.items.node
    is_result = (giver != NONE) & (scene.item_of_node[giver] != np.arange(len(giver)))
    return np.flatnonzero(is_result & np.isin(giver, np.fromiter(nodes, np.int64, len(nodes))))


def _items_of_holders(view: View, scene: Scene, holders: npt.NDArray[np.signedinteger]) -> Indices:
    """Of each of some boxes the item that shows it, or what is around it; `NONE` where none is."""
    items = np.full(len(view.boxes) + 1, NONE, np.int64)  # the last answers for `NONE`
    items[scene.items.box] = np.arange(len(scene.items))
    boxes = holders.astype(np.int64)
    while len(hidden := np.flatnonzero((items[boxes] == NONE) & (boxes != NONE))):
        boxes[hidden] = view.boxes.parent[boxes[hidden]]
    shown: Indices = items[boxes]
    return shown


def count_parts(view: View, scene: Scene, nodes: Collection[int]) -> dict[int, tuple[int, int]]:
    """Of closed groups that show only some of what they count: how many, and of how many.

    Not where the operation itself that a box is the inside of is among the nodes.
    """
    wanted = distinct(np.fromiter(nodes, np.int64, len(nodes)))
    wanted = wanted[(wanted >= 0) & (wanted < len(scene.item_of_node))]
    wanted = wanted[is_counted(view.graph)[wanted]]
    items = _items_of_holders(view, scene, view.holder_of_node[wanted])
    is_inside = (items >= scene.items.num_frames) & (scene.items.node[items] != wanted)
    found, counts = np.unique(items[is_inside], return_counts=True)
    parts: dict[int, tuple[int, int]] = {}
    for item, count in zip(found.tolist(), counts.tolist(), strict=True):
        box = view.boxes[int(scene.items.box[item])]
        is_meant = box.node != NONE and box.node in nodes
        if box.children and not is_meant and count < box.num_counted:
            parts[item] = (count, box.num_counted)
    return parts


def paint_overlay(
    painter: QPainter,
    drawing: SceneDrawing,
    highlight: Highlight,
    camera: Camera,
    width: float,
    height: float,
) -> None:
    """Draw the visible outlines."""
    colors = drawing.colors
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, camera.scale >= NEAR_SCALE)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    sight = (camera.x, camera.y, *camera.to_scene(width, height))
    touching = drawing.item_grid.touching
    solid, dashed = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine
    near = camera.scale >= NEAR_SCALE
    outlines: tuple[tuple[Indices, QColor, float, Qt.PenStyle, float], ...] = (
        (highlight.found, colors.found, _FOUND_PX, solid, 3.0),
        (highlight.ahead, colors.hover, 1.6 if near else 1.4, solid, 3.0),
        (highlight.backward, colors.backward, 2.2 if near else 2.0, dashed, 2.0),
        (highlight.forward, colors.forward, 2.2 if near else 2.0, solid, 4.0),
        (highlight.selected, colors.selected, 3.4 if near else 3.0, solid, 1.0),
    )
    strength = max(camera.scale, 1.0) ** 0.5  # a line of large boxes is not thin
    for items, color, pen_px, style, gap in outlines:
        if not len(items):  # most frames have nothing to look for among all that is seen
            continue
        chosen = touching(items, sight)
        painter.setPen(QPen(color, pen_px * strength, style))
        _draw_outlines(painter, drawing, chosen, camera, gap)
    _paint_lines(painter, drawing, highlight, camera, sight)
    if len(highlight.noted):
        _paint_notes(painter, drawing, touching(highlight.noted, sight), camera)
    if highlight.hovered != NONE:
        painter.setPen(QPen(colors.hover, 1.6 * strength, Qt.PenStyle.SolidLine))
        _draw_outlines(painter, drawing, np.array([highlight.hovered]), camera, 2.0)
    if highlight.current != NONE:
        painter.setPen(QPen(colors.selected, 3.4 * strength))
        _draw_outlines(painter, drawing, np.array([highlight.current]), camera, 1.5)
    if highlight.parts and camera.scale >= NEAR_SCALE:
        chosen = touching(np.sort(np.asarray([*highlight.parts], np.int64)), sight)
        _paint_parts(painter, drawing, highlight.parts, chosen, camera)
    if highlight.operands and camera.scale >= NEAR_SCALE:
        from jaxscope.ui.canvas.operand_names import paint_operand_names  # for a selection

        paint_operand_names(painter, drawing, highlight.operands, camera)


_MOST_ROUNDED = 300


def _draw_outlines(
    painter: QPainter, drawing: SceneDrawing, items: Indices, camera: Camera, gap: float
) -> None:
    """Draw lines around items, whose corners they follow where that can be seen."""
    rects = _outline(drawing, items, camera, gap)
    if camera.scale < NEAR_SCALE or len(items) > _MOST_ROUNDED:
        draw_rects(painter, rects)
        return
    for item, rect in zip(items.tolist(), rects.tolist(), strict=True):
        radius = drawing.corner_of(item) * camera.scale + gap
        painter.drawRoundedRect(QRectF(*rect), radius, radius)


_FOUND_PX = 6.0
"""Width of the band around what a search found: no outline is as broad."""
_PART_PX, _LARGE_PART_PX = 10.0, 20.0
_DIMMED = 0.82
"""How much of what the spotlight leaves out is the ground's colour."""
_LIT_GAP_PX = 6.0


def paint_spotlight(
    painter: QPainter, drawing: SceneDrawing, highlight: Highlight, camera: Camera, size: QSize
) -> None:
    """Dim all but what is selected, or else linked with what is; nothing where nothing is."""
    items = distinct(highlight.selected, np.array([highlight.current]))
    items = items[items != NONE].astype(np.int64)
    if not len(items):  # what is selected is of another stage
        items = distinct(highlight.forward, highlight.backward).astype(np.int64)
    if not len(items):
        return
    whole = QRect(0, 0, size.width(), size.height())
    dark = QRegion(whole)
    for rect in _outline(drawing, items, camera, _LIT_GAP_PX).tolist():
        dark -= QRegion(QRectF(*rect).toAlignedRect())
    veil = QColor(drawing.colors.background)
    veil.setAlphaF(_DIMMED)
    painter.save()
    painter.setClipRegion(dark)
    painter.fillRect(whole, veil)
    painter.restore()


def _outline(
    drawing: SceneDrawing, items: Indices, camera: Camera, gap: float
) -> npt.NDArray[np.float64]:
    rects = drawing.scene.items.rect[items] * camera.scale
    rects[:, 0] -= camera.x * camera.scale + gap
    rects[:, 1] -= camera.y * camera.scale + gap
    rects[:, 2:] = np.maximum(rects[:, 2:], 3.0) + 2 * gap
    return rects


def _paint_parts(
    painter: QPainter,
    drawing: SceneDrawing,
    parts: Mapping[int, tuple[int, int]],
    chosen: Indices,
    camera: Camera,
) -> None:
    """How much of some closed groups is meant, where it is not all: on their lower borders."""
    colors = drawing.colors
    painter.save()
    size = min(max(_PART_PX * camera.scale, _PART_PX), _LARGE_PART_PX)
    painter.setFont(graph_font(size))
    for item, (_, y, width, height) in zip(
        chosen.tolist(), _outline(drawing, chosen, camera, 4.0).tolist(), strict=True
    ):
        part, whole = parts[item]
        text = tr("{part:,} of {whole:,}", part=part, whole=whole)
        wide = measure_text(text, size) + 8.0
        left = _place_part(drawing, item, wide / camera.scale, size / camera.scale, camera.scale)
        left = (left - camera.x) * camera.scale
        plate = QRectF(left, y + height - size / 2 - 1, wide, size + 2)
        if wide <= width:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colors.background)
            painter.drawRoundedRect(plate, 3, 3)
            painter.setPen(colors.text)
            painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()


def _place_part(drawing: SceneDrawing, item: int, wide: float, high: float, scale: float) -> float:
    """Where a plate on the lower border of a box begins: in its middle, or over one of its corners
    where labels of lines are below the middle."""
    x, y, width, height = drawing.scene.items.rect[item].tolist()
    lower, aside = y + height, wide / 2
    sight = (x - aside, lower - high, x + width + aside, lower + high)
    group = int(drawing.scene.items.parent[item])
    below = [(each.x, each.x + each.width) for each in drawing.labels_in(group, sight, scale)]
    places: tuple[float, ...] = (x + (width - wide) / 2, x + width + aside - wide, x - aside)
    is_free = (
        not any(begin < place + wide and place < end for begin, end in below) for place in places
    )
    return next((place for place, free in zip(places, is_free, strict=True) if free), places[0])


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
    """Draw lines of the current and the hovered item stronger: dashed into it, solid out of it.

    Lines that lead a value past it are solid, too.
    """
    ways, connector = (highlight.current_way, highlight.hovered_way), highlight.connector
    if all(way is NO_WAY for way in ways) and connector == NONE:
        return
    colors = drawing.colors
    painter.save()
    painter.setClipRegion(region_without_words(drawing, camera, sight))
    painter.scale(camera.scale, camera.scale)
    painter.translate(-camera.x, -camera.y)
    strength = 2.6 / min(camera.scale, 1.0)
    for way in ways:
        for lines, style in ((way.into, Qt.PenStyle.DashLine), (way.out, Qt.PenStyle.SolidLine)):
            # Not the colours of forward and backward: those distinguish parts of the program.
            painter.setPen(QPen(colors.selected, strength, style))
            paint_curves(painter, drawing.index, sight, lines[:_MAX_EMPHASISED_LINES])
    edges = tuple(itertools.chain.from_iterable(way.edges for way in ways))
    if connector != NONE:
        edges = edges_of_connector(drawing.scene, connector)
    paint_long_edges(painter, drawing, edges, camera.scale, sight)
    painter.restore()


def region_without_words(drawing: SceneDrawing, camera: Camera, sight: Box) -> QRegion:
    """Where lit lines may run, in pixels of the widget: they pass behind all that has words.

    Boxes, connectors, titles of groups and labels are left out. Where there are thousands, nobody
    reads them, and they are not.
    """
    scale = camera.scale
    width, height = (sight[2] - sight[0]) * scale, (sight[3] - sight[1]) * scale
    region = QRegion(0, 0, math.ceil(width), math.ceil(height))
    words = drawing.list_words(sight, scale, most=_MOST_WORDS)
    if len(words) <= _MOST_WORDS:
        for x, y, wide, high in words:
            left, top = (x - camera.x) * scale, (y - camera.y) * scale
            region -= QRegion(QRectF(left, top, wide * scale, high * scale).toAlignedRect())
    return region
