"""Names of operands at the arrows into the selected box: of a `sub` it matters which is first."""

from __future__ import annotations

import functools
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
_REACH_PX, _STEPS = 90.0, 5
"""How far from the box a name may be, and in how many steps places go on by its height."""
_USUAL_NAMES = ("x", "y")
_MOST_WORDS = 300
_MOST_NAMES = 12
"""Boxes with more arrows have no names: there is no room, and all is looked for in each frame."""


def find_operand_names(view: View, scene: Scene, item: int) -> dict[int, str]:
    """By line into a box the name of the operand that it carries, or of several.

    Names are those of the formula on the card of the operation, else numbers from 1. Its `x` and
    `y` are numbers as well: arguments of the user's are often called so. There are none for groups,
    and where the order of operands does not matter.
    """
    graph, node = view.graph, int(scene.items.node[item])
    if node == NONE or scene.items.is_group[item]:
        return {}
    operands = find_operands(view, node)
    if not operands:
        return {}
    last = int(graph.edges.operand[graph.edges.target == node].max(initial=0))
    num = max(last, *(operand for operand, _ in view.notes.get(node, ((0, ""),)))) + 1
    named = name_operands(graph.operation(node), NodeKind(int(graph.nodes.kind[node])), num)
    names = [str(at) if name in _USUAL_NAMES else name for at, name in enumerate(named, 1)]
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

    Each is as near to the box as it can be, beside its line or on it. Where one takes the room of
    another, they are placed in the other order.
    """
    if not names:
        return {}
    scene = drawing.scene
    wides = {
        n: (measure_text(name, _TEXT_PX) + 2 * _PADDING_PX) / scale for n, name in names.items()
    }
    high = (_TEXT_PX + 2 * _PADDING_PX) / scale
    left, top, width, height = scene.items.rect[scene.lines.target[[*names]]].tolist()[0]
    reach = _REACH_PX + max(wides.values()) + high
    around = (left - reach, top - reach, left + width + reach, top + height + reach)
    words = drawing.list_words(around, scale, _MOST_WORDS)
    is_free = functools.cache(functools.partial(_is_free, drawing, np.array(words).reshape(-1, 4)))
    placed: dict[int, Box] = {}
    for order in (tuple(names), tuple(names)[::-1]):
        tried: dict[int, Box] = {}
        for line in order:
            taken = np.array([*tried.values()]).reshape(-1, 4)
            for place, point in _list_places(scene, line, wides[line], high):
                if not _is_any_near(place, taken) and is_free(line, place, point):
                    tried[line] = place
                    break
        placed = max(placed, tried, key=len)
        if len(placed) == len(names):
            break
    return placed


def _is_free(
    drawing: SceneDrawing,
    words: npt.NDArray[np.float64],
    line: int,
    place: Box,
    point: tuple[float, float],
) -> bool:
    """Whether a name covers nothing at a place, and no line is nearer to it than its own, which is
    at a point.
    """
    (left, top, wide, high), (x, y) = place, point
    right, bottom = left + wide, top + high
    is_on = left < x < right and top < y < bottom
    clear = 0.0 if is_on else _FROM_LINE_PX
    hull = (
        min(left - clear, x),
        min(top - clear, y),
        max(right + clear, x),
        max(bottom + clear, y),
    )
    if _is_any_near(place, words) or is_passed(drawing.index, hull, line):
        return False
    return is_on or not is_passed(drawing.index, (left, top, right, bottom))


def _is_any_near(place: Box, taken: npt.NDArray[np.float64]) -> bool:
    low, size = np.array(place[:2]) - _CLEAR_PX, np.array(place[2:]) + 2 * _CLEAR_PX
    is_near = (taken[:, :2] < low + size) & (low < taken[:, :2] + taken[:, 2:])
    return bool(is_near.all(axis=1).any())


def _list_places(
    scene: Scene, line: int, wide: float, high: float
) -> Iterator[tuple[Box, tuple[float, float]]]:
    """Places along a line, from its end on, beside it and on it, and the point of it that each is
    at.
    """
    is_down = scene.direction == DOWN
    for away, x, y, is_upright, is_bent in _walk_back(scene, line, high / _STEPS):
        left, top = x - wide / 2, y - high / 2
        if not away:  # right at the box, whichever way the line turns from there
            target = scene.items.rect[scene.lines.target[line]]
            ahead = np.sign((y, x)[not is_down] - (target[:2] + target[2:] / 2)[int(is_down)])
            shift = ahead * (_FROM_BOX_PX + (high if is_down else wide) / 2)
            left, top = (left, top + shift) if is_down else (left + shift, top)
        places = []
        if is_upright or is_bent:
            places += [(x + _FROM_LINE_PX, top), (x - _FROM_LINE_PX - wide, top)]
        if not is_upright or is_bent:
            places += [(left, y - _FROM_LINE_PX - high), (left, y + _FROM_LINE_PX)]
        if away >= _ARROW_PX + (high if is_upright else wide) / 2:
            places.append((left, top))
        for place in places:
            yield (*place, wide, high), (x, y)


def _walk_back(
    scene: Scene, line: int, step: float
) -> Iterator[tuple[float, float, float, bool, bool]]:
    """Places on a line: how far from its end, x, y, whether it ends upright, whether it bends."""
    gone, is_down = 0.0, scene.direction == DOWN
    is_upright = is_down
    corners = scene.lines.corners(line)[::-1]
    for number, (end, begin) in enumerate(itertools.pairwise(corners)):
        is_straight = bool((begin == end).any())
        if not number and is_straight:
            is_upright = bool(begin[0] == end[0])
        size = float(np.abs(end - begin).sum())
        for share in np.arange(0.0, 1.0, step / max(size, step)).tolist():
            if gone + share * size > min(_REACH_PX, _measure(corners) / 2):
                return
            # The same way along a curve from either end: it leaves and arrives with the flow.
            across = share if is_straight else 3 * share**2 - 2 * share**3
            along = share if is_straight else 1.5 * share * (1 - share) + share**3
            shares = (across, along) if is_down else (along, across)
            x, y = (end + (begin - end) * shares).tolist()
            yield gone + share * size, x, y, is_upright, not is_straight
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
