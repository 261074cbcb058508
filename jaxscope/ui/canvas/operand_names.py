"""Names of operands at the arrows into the selected box: of a `sub` it matters which is first."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from jaxscope.model import NONE, NodeKind
from jaxscope.picture.layout.text_width import measure_text
from jaxscope.picture.scene.group_layout import DOWN
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.scene.visible_edges import find_operands
from jaxscope.picture.view.view import View
from jaxscope.program.cards import name_operands
from jaxscope.ui.canvas.navigation import Camera
from jaxscope.ui.canvas.scene_painter import Box, SceneDrawing, graph_font, is_passed

_TEXT_PX = 11.0
_PADDING_PX = 2.0
_FROM_BOX_PX, _FROM_LINE_PX, _CLEAR_PX = 3.0, 6.0, 2.0
"""From a name to its box, from its middle line to its line, and to anything else."""
_ARROW_PX = 10.0
"""What a name on a line leaves free for its arrowhead."""
_REACH_PX, _STEP_PX = 90.0, 3.0
"""How far from the box a name may be, and by how much each place is further than the last."""
_MOST_WORDS = 300
_MOST_NAMES = 12
"""Boxes with more arrows have no names: there is no room, and all is looked for in each frame."""


def find_operand_names(view: View, scene: Scene, item: int) -> dict[int, str]:
    """By line into a box the name of the operand that it carries, or of several.

    Names are those of the formula on the card of the operation, else numbers from 1. There are none
    for groups, and where the order of operands does not matter.
    """
    graph, node = view.graph, int(scene.items.node[item])
    if node == NONE or scene.items.is_group[item]:
        return {}
    operands = find_operands(view, node)
    if not operands:
        return {}
    last = int(graph.edges.operand[graph.edges.target == node].max(initial=0))
    num = max(last, *(operand for operand, _ in view.notes.get(node, ((0, ""),)))) + 1
    names = name_operands(graph.operation(node), NodeKind(int(graph.nodes.kind[node])), num)
    found: dict[int, str] = {}
    for line in np.flatnonzero(scene.lines.target == item).tolist():
        numbers = {at for value in scene.lines.flows[line] for at in operands.get(value, ())}
        if numbers and num > 1:
            found[line] = ", ".join(names[at] for at in sorted(numbers))
    return found if len(found) <= _MOST_NAMES else {}


def place_operand_names(
    drawing: SceneDrawing, names: Mapping[int, str], scale: float
) -> dict[int, Box]:
    """Where names of lines into one box have room, by line: in pixels of the scene.

    Each is as near to the box as it can be, beside its line or on it.
    """
    placed: dict[int, Box] = {}
    if not names:
        return placed
    scene = drawing.scene
    wides = {
        n: (measure_text(name, _TEXT_PX) + 2 * _PADDING_PX) / scale for n, name in names.items()
    }
    high = (_TEXT_PX + 2 * _PADDING_PX) / scale
    left, top, width, height = scene.items.rect[scene.lines.target[[*names]]].tolist()[0]
    reach = _REACH_PX + max(wides.values()) + high
    around = (left - reach, top - reach, left + width + reach, top + height + reach)
    words = drawing.list_words(around, scale, _MOST_WORDS)
    for line, wide in wides.items():
        taken = np.array([*words, *placed.values()])
        for place, is_on in _list_places(scene, line, wide, high):
            box = (place[0], place[1], place[0] + wide, place[1] + high)
            but = line if is_on else NONE
            if not (_is_any_near(place, taken) or is_passed(drawing.index, box, but)):
                placed[line] = place
                break
    return placed


def _is_any_near(place: Box, taken: npt.NDArray[np.float64]) -> bool:
    low, size = np.array(place[:2]) - _CLEAR_PX, np.array(place[2:]) + 2 * _CLEAR_PX
    is_near = (taken[:, :2] < low + size) & (low < taken[:, :2] + taken[:, 2:])
    return bool(is_near.all(axis=1).any())


def _list_places(scene: Scene, line: int, wide: float, high: float) -> Iterator[tuple[Box, bool]]:
    """Places along a line, from its end on, and whether each is on the line and not beside it."""
    for away, x, y, is_upright in _walk_back(scene, line):
        from_box = away - (high if is_upright else wide) / 2
        if from_box < _FROM_BOX_PX:
            continue
        left, top = x - wide / 2, y - high / 2
        if is_upright:
            yield (x + _FROM_LINE_PX, top, wide, high), False
            yield (x - _FROM_LINE_PX - wide, top, wide, high), False
        else:
            yield (left, y - _FROM_LINE_PX - high, wide, high), False
            yield (left, y + _FROM_LINE_PX, wide, high), False
        if from_box >= _ARROW_PX:
            yield (left, top, wide, high), True


def _walk_back(scene: Scene, line: int) -> Iterator[tuple[float, float, float, bool]]:
    """Places on a line: how far from its end, x, y, and whether it ends up or down."""
    gone, is_down = 0.0, scene.direction == DOWN
    is_upright = is_down
    corners = scene.lines.corners(line)[::-1]
    for number, (end, begin) in enumerate(itertools.pairwise(corners)):
        is_straight = bool((begin == end).any())
        if not number and is_straight:
            is_upright = bool(begin[0] == end[0])
        size = float(np.abs(end - begin).sum())
        for share in np.arange(0.0, 1.0, _STEP_PX / max(size, _STEP_PX)).tolist():
            if gone + share * size > min(_REACH_PX, _measure(corners) / 2):
                return
            # The same way along a curve from either end: it leaves and arrives with the flow.
            across = share if is_straight else 3 * share**2 - 2 * share**3
            along = share if is_straight else 1.5 * share * (1 - share) + share**3
            shares = (across, along) if is_down else (along, across)
            x, y = (end + (begin - end) * shares).tolist()
            yield gone + share * size, x, y, is_upright
        gone += size


def _measure(corners: npt.NDArray[np.float64]) -> float:
    return float(np.abs(np.diff(corners, axis=0)).sum())


def paint_operand_names(
    painter: QPainter, drawing: SceneDrawing, names: Mapping[int, str], camera: Camera
) -> None:
    """Write them, as large in every picture, on plates that let a line end at them."""
    colors, scene, scale = drawing.colors, drawing.scene, camera.scale
    painter.save()
    painter.setFont(graph_font(_TEXT_PX))
    asked = (scale, *names.items())
    if drawing.latest_names[0] != asked:  # most frames move the same picture
        drawing.latest_names = asked, place_operand_names(drawing, names, scale)
    for line, (x, y, wide, high) in drawing.latest_names[1].items():
        area = QRectF(*camera.to_widget(x, y), wide * scale, high * scale)
        group = int(scene.items.parent[scene.lines.target[line]])
        is_framed = group != NONE
        ground = colors.frame_fill[int(scene.items.ground[group])] if is_framed else None
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground or colors.background)
        painter.drawRect(area)
        painter.setPen(colors.selected)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, names[line])
    painter.restore()
