"""What an open group shows, drawn alone: rectangles, lines and connectors, from where the group's
drawing begins, so that it stays valid wherever the group is put.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.model.types import mark_batch_axes, short_type
from jaxscope.picture.layout.diagram import Stub
from jaxscope.picture.scene.group_layout import (
    DOWN,
    RIGHT,
    STUB_HEIGHT_PX,
    GroupPlacer,
    PlacedGroup,
)
from jaxscope.picture.scene.scene import HEADER_PX
from jaxscope.picture.scene.side_by_side import OffPageConnector
from jaxscope.picture.scene.wiring import End, Frame, Port, Values, Wire, Wiring
from jaxscope.picture.view.view import View

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]

_Corners = list[tuple[float, float]]


PLAIN_LINE, TOLD_LINE, RETURN_LINE = 0, 1, 2
"""Kinds of lines: an ordinary one, one whose text is always worth a place, and one that leads a
loop's carry from the end of a round back to its begin."""


class DrawnStub(NamedTuple):
    """A connector.

    Attributes:
        rect: x, y, width, height.
        text: What is written in it.
        box: The box at the other end of what leaves or enters where it sits.
        far: Boxes at the far ends.
        is_source: Whether the edges leave here, not arrive.
        values: Nodes whose values it stands for, rising.
    """

    rect: tuple[float, float, float, float]
    text: str
    box: int
    far: tuple[int, ...]
    is_source: bool
    values: tuple[int, ...]


class GroupDrawing(NamedTuple):
    """What one open group shows.

    Attributes:
        boxes: The boxes right inside of it.
        rects: Of each box, float64, shape `(n, 4)`: x, y, width, height.
        points: Corners of all lines, float64, shape `(p, 2)`.
        lines: int32, shape `(m, 6)`: of each line its number of corners, the box where it begins,
            the box where it ends, whether it ends at a user, how many nodes' values it carries,
            and what kind of line it is, such as `RETURN_LINE`.
        values: Nodes whose values flow, line by line.
        types: What each line says of its values.
        stubs: Its connectors.
    """

    boxes: Int32s
    rects: Floats
    points: Floats
    lines: Int32s
    values: Int32s
    types: tuple[str, ...]
    stubs: tuple[DrawnStub, ...]


def draw_groups(
    view: View, wiring: Wiring, nester: GroupPlacer, direction: str
) -> dict[int, GroupDrawing]:
    """The drawings of the groups that were laid out."""
    words: dict[int, str] = {}
    return {
        box: _GroupDrawer(box, view, wiring, nester, direction, words).draw()
        for box in nester.placed
    }


class _GroupDrawer:
    """Draws one group."""

    def __init__(
        self,
        box: int,
        view: View,
        wiring: Wiring,
        nester: GroupPlacer,
        direction: str,
        words: dict[int, str],
    ) -> None:
        self._box = box
        self._strings = view.graph.strings
        self._choices = view.choices
        self._batched = view.batched
        self._wiring = wiring
        self._nester = nester
        self._direction = direction
        self._words = words
        self._placed: PlacedGroup = nester.placed[box]
        self._frames: Mapping[int, Frame] = nester.frames
        self._corners: _Corners = []
        self._lines: list[tuple[int, int, int, bool, int, int]] = []
        self._values: list[int] = []
        self._types: list[str] = []

    def draw(self) -> GroupDrawing:
        placed = self._placed
        boxes, rects = self._place_boxes()
        for wire, route in zip(placed.wires, placed.drawing.routes, strict=True):
            if route:
                self._add_wire(wire, self._turn_all(route))
        for line in placed.returns:
            corners = self._turn_all(line.route)
            self._corners += corners
            self._lines.append((len(corners), line.source, line.target, True, 1, RETURN_LINE))
            self._values.append(line.node)
            self._types.append(line.name)
        stubs = tuple(self._add_stub(stub) for stub in placed.drawing.stubs)
        return GroupDrawing(
            np.asarray(boxes, np.int32),
            np.asarray(rects, np.float64).reshape(-1, 4),
            np.asarray(self._corners, np.float64).reshape(-1, 2),
            np.asarray(self._lines, np.int32).reshape(-1, 6),
            np.asarray(self._values, np.int32),
            tuple(self._types),
            stubs,
        )

    def _place_boxes(self) -> tuple[list[int], list[tuple[float, float, float, float]]]:
        boxes: list[int] = []
        rects: list[tuple[float, float, float, float]] = []
        drawing = self._placed.drawing
        for end, across, along in zip(self._placed.ends, drawing.x, drawing.y, strict=True):
            if not isinstance(end, Port):
                width, height = self._nester.size(end)
                x, y = self._turn(across, along)
                boxes.append(end)
                rects.append((x - width / 2, y - height / 2, width, height))
        return boxes, rects

    def _turn(self, across: float, along: float) -> tuple[float, float]:
        return (across, along) if self._direction == DOWN else (along, across)

    def _turn_all(self, route: Iterable[tuple[float, float]]) -> _Corners:
        if self._direction == DOWN:
            return list(route)
        return [(y, x) for x, y in route]

    def _add_line(
        self, corners: _Corners, source: int, target: int, has_arrow: bool, values: Values
    ) -> None:
        self._corners += corners
        nodes = self._wiring.nodes_of(values)
        word = self._word_of_choice(target, nodes) if target in self._choices else ""
        kind = TOLD_LINE if word else PLAIN_LINE
        self._lines.append((len(corners), source, target, has_arrow, len(nodes), kind))
        self._values += nodes
        self._types.append(word + self._describe(values))

    def _word_of_choice(self, target: int, nodes: list[int]) -> str:
        """What to call values that only choose an arm of a branch; else nothing."""
        chosen = {self._choices[target].get(node) for node in nodes}
        word = chosen.pop()
        return f"{word} " if word and not chosen else ""

    def _add_wire(self, wire: Wire, corners: _Corners) -> None:
        source, target = wire.source, wire.target
        if isinstance(source, Port):
            corners.insert(0, self._border(corners[0], True))
        if isinstance(target, Port):
            corners.append(self._border(corners[-1], False))
        has_arrow = not isinstance(target, Port) and not self._goes_on(target, wire.bundle)
        self._add_line(corners, self._own(source), self._own(target), has_arrow, wire.values)

    def _goes_on(self, target: int, bundle: int) -> bool:
        """Whether a line ends at an open group that leads it on inside."""
        frame = self._frames.get(target)
        return frame is not None and Port(bundle, True) in frame.ports

    def _border(self, corner: tuple[float, float], is_entry: bool) -> tuple[float, float]:
        """Where a line through a port meets the frame; the header's band belongs to the frame."""
        frame = self._frames[self._box]
        is_entry = is_entry != self._nester.is_reversed[self._box]
        if self._direction == DOWN:
            return corner[0], (HEADER_PX if is_entry else frame.height) - frame.top
        return (0.0 if is_entry else frame.width) - frame.left, corner[1]

    def _own(self, end: End) -> int:
        return self._box if isinstance(end, Port) else end

    def _add_stub(self, stub: Stub) -> DrawnStub:
        end = self._placed.ends[stub.node]
        corners = self._turn_all(stub.line)
        if isinstance(end, Port):
            border = self._border(corners[0 if stub.is_source else -1], stub.is_source)
            corners.insert(0 if stub.is_source else len(corners), border)
        wires, loose = self._meaning_of(stub)
        values: Values = {}
        for each in wires if loose is None else [loose]:
            values.update(each.values)
        has_arrow = not stub.is_source and not isinstance(end, Port)
        self._add_line(corners, self._own(end), self._own(end), has_arrow, values)
        text, far = self._tell(stub, wires, loose)
        nodes = tuple(sorted(self._wiring.nodes_of(values)))
        x, y = self._turn(stub.x, stub.y)
        width, left = stub.across, x - stub.across / 2
        if self._direction == RIGHT:  # the room is as wide as the widest; touch the line
            width = self._nester.stub_width(text)
            left = corners[-1][0] if stub.is_source else corners[0][0]
            left -= width if x < left else 0.0
        rect = (left, y - STUB_HEIGHT_PX / 2, width, STUB_HEIGHT_PX)
        return DrawnStub(rect, text, self._far_box(end), far, stub.is_source, nodes)

    def _meaning_of(self, stub: Stub) -> tuple[list[Wire], OffPageConnector | None]:
        """The lines that a stub stands for; or what, if no line of the group leads there."""
        number = stub.links[0] - len(self._placed.wires)
        if number >= 0:
            return [], self._placed.loose[number]
        return [self._placed.wires[link] for link in stub.links], None

    def _tell(
        self, stub: Stub, wires: list[Wire], loose: OffPageConnector | None
    ) -> tuple[str, tuple[int, ...]]:
        """The text of a stub, and the boxes at the far ends."""
        if loose is not None:
            return loose.text, tuple(dict.fromkeys(loose.far))
        sources = {wire.source for wire in wires}
        targets = {wire.target for wire in wires}
        if stub.is_source:
            text, ends = self._nester.onward_text(targets), targets
        elif len(sources) == 1:
            text, ends = self._nester.stub_text(wires[0].source), sources
        else:
            text, ends = f"{len(sources)} values", sources
        return text, tuple({self._far_box(each) for each in ends})

    def _far_box(self, end: End) -> int:
        """The box at the other end of what leaves or enters through an end."""
        if not isinstance(end, Port):
            return end
        if end.is_entry:
            return self._wiring.source_of(end.bundle)
        return self._wiring.targets_of(end.bundle)[0]

    def _describe(self, values: Values) -> str:
        """The type of values, or how many of how many types there are."""
        types = set(values.values())
        if len(types) > 1:
            return f"{len(values)} values"
        type_ = types.pop()
        only = self._words.get(type_)
        if only is None:
            only = self._words[type_] = short_type(self._strings[type_])
        if len(values) > 1:
            return f"{len(values)} × {only}"
        if not self._batched:
            return only
        axes = self._batched.get(self._wiring.origin_of(next(iter(values))), ())
        return mark_batch_axes(only, axes)
