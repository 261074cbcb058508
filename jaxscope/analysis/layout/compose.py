"""Compose a scene: place the groups, turn the picture, and collect the columns."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from jaxscope.analysis.collector import paused_collector
from jaxscope.analysis.layout.engines import Engine, GroupLayouts, LayoutCache
from jaxscope.analysis.layout.fit import FREE, Fit
from jaxscope.analysis.layout.layered import ShouldStop, Spacing, Stub
from jaxscope.analysis.layout.loose_ends import LooseEnd
from jaxscope.analysis.layout.nesting import (
    DOWN,
    RIGHT,
    STUB_HEIGHT_PX,
    Nester,
    Placed,
)
from jaxscope.analysis.layout.scene import (
    HEADER_PX,
    Connectors,
    Items,
    Lines,
    Scene,
    empty_scene,
)
from jaxscope.analysis.layout.wiring import End, Port, Values, Wire, Wiring, wire_view
from jaxscope.analysis.view.labels import short_type
from jaxscope.analysis.view.view import ROOT, View
from jaxscope.model import NONE, Ragged

TIGHT = Spacing(across=14.0)
"""Where room is scarce, more of it is for boxes."""

Corners = list[tuple[float, float]]


def _never() -> bool:
    return False


def build_scene(
    view: View,
    expanded: frozenset[str] | None = None,
    *,
    direction: str = DOWN,
    spacing: Spacing | None = None,
    cache: LayoutCache | None = None,
    engine: Engine = Engine.OWN,
    fit: Fit = FREE,
    should_stop: ShouldStop = _never,
) -> Scene:
    """Place everything that is seen of a view.

    Args:
        view: What can be shown.
        expanded: Ids of the groups to open; None opens those that the view opens at first.
        direction: `down` or `right`: where values flow.
        spacing: Distances; None takes the usual ones.
        cache: Layouts of earlier scenes, added to; makes opening one more group quick.
        engine: Who lays groups out; where Graphviz does not, our own layout does, and the scene's
            `notes` say why.
        fit: How it is arranged for the room it has.
        should_stop: Asked often; the layout ends with `LayoutStopped` when it returns true.

    Raises:
        LayoutStopped: `should_stop` returned true.
        ValueError: The direction is none.
    """
    if direction not in (DOWN, RIGHT):
        raise ValueError(f"a layout flows down or right, not {direction}")
    if not view.boxes[ROOT].children:
        return empty_scene(direction, len(view.graph.nodes))
    expanded = view.opened if expanded is None else expanded
    spacing = spacing or (TIGHT if fit.is_limited else Spacing())
    layouts = GroupLayouts(engine, spacing, {} if cache is None else cache, should_stop)
    with paused_collector():
        wiring = wire_view(view, expanded)
        nester = Nester(view, wiring, direction, spacing, layouts, fit)
        nester.place_all()
        scene = _Composer(view, wiring, nester, direction).compose()
        return dataclasses.replace(scene, notes=layouts.notes)


class _Composer:
    def __init__(self, view: View, wiring: Wiring, nester: Nester, direction: str) -> None:
        self._view = view
        self._wiring = wiring
        self._nester = nester
        self._direction = direction
        self._item_of_box: dict[int, int] = {}
        self._rows: list[tuple[int, float, float, float, float, int]] = []
        self._lines: list[tuple[Corners, int, int, bool, Values]] = []
        self._stubs: list[tuple[Stub, Placed, int, int, float, float]] = []

    def compose(self) -> Scene:
        places = self._place_boxes()
        for box, (left, top) in places.items():
            self._add_lines(box, left, top)
        connectors = self._connectors()
        root = self._nester.placed[ROOT]
        shown = np.asarray(self._wiring.shown, np.int32)
        item_of_box = np.full(len(shown), NONE, np.int32)
        item_of_box[list(self._item_of_box)] = list(self._item_of_box.values())
        boxes = self._view.box_of_node
        known = boxes > ROOT
        item_of_node = np.full(len(boxes), NONE, np.int32)
        item_of_node[known] = item_of_box[shown[boxes[known]]]
        is_open = self._wiring.is_open
        return Scene(
            direction=self._direction,
            opened=frozenset(
                self._view.boxes[box].id for box in places if box != ROOT and is_open[box]
            ),
            items=self._items(),
            lines=self._pack_lines(),
            connectors=connectors,
            width=root.width,
            height=root.height,
            item_of_node=item_of_node,
        )

    def _place_boxes(self) -> dict[int, tuple[float, float]]:
        """Number and place all items, frames first; returns where each drawing begins."""
        origins = {ROOT: self._nester.inner_origin(ROOT)}
        leaves: list[tuple[int, float, float, float, float, int]] = []
        queue = [ROOT]
        for box in queue:
            placed = self._nester.placed[box]
            left, top = origins[box]
            parent = self._item_of_box.get(box, NONE)
            for number, end in enumerate(placed.ends):
                if isinstance(end, Port):
                    continue
                width, height = self._nester.size(end)
                x, y = self._turn(placed.drawing.x[number], placed.drawing.y[number])
                row = (end, left + x - width / 2, top + y - height / 2, width, height, parent)
                if self._wiring.is_open[end]:
                    self._item_of_box[end] = len(self._rows)
                    self._rows.append(row)
                    dx, dy = self._nester.inner_origin(end)
                    origins[end] = (row[1] + dx, row[2] + dy)
                    queue.append(end)
                else:
                    leaves.append(row)
        for row in leaves:
            self._item_of_box[row[0]] = len(self._rows)
            self._rows.append(row)
        return origins

    def _turn(self, across: float, along: float) -> tuple[float, float]:
        return (across, along) if self._direction == DOWN else (along, across)

    def _add_lines(self, box: int, left: float, top: float) -> None:
        placed = self._nester.placed[box]
        for wire, route in zip(placed.wires, placed.drawing.routes, strict=True):
            if route:
                self._add_line(box, wire, self._move(route, left, top))
        for stub in placed.drawing.stubs:
            self._add_stub(box, stub, placed, left, top)

    def _move(self, route: Iterable[tuple[float, float]], left: float, top: float) -> Corners:
        if self._direction == DOWN:
            return [(left + x, top + y) for x, y in route]
        return [(left + y, top + x) for x, y in route]

    def _add_line(self, box: int, wire: Wire, corners: Corners) -> None:
        if isinstance(wire.source, Port):
            corners.insert(0, self._border(box, corners[0], True))
        if isinstance(wire.target, Port):
            corners.append(self._border(box, corners[-1], False))
        has_arrow = not isinstance(wire.target, Port) and not self._goes_on(wire)
        self._lines.append(
            (corners, self._item(wire.source, box), self._item(wire.target, box), has_arrow,
             wire.values)
        )  # fmt: skip

    def _goes_on(self, wire: Wire) -> bool:
        """Whether the wire ends at an open group that leads it on inside."""
        placed = self._nester.placed.get(wire.target) if isinstance(wire.target, int) else None
        return placed is not None and Port(wire.bundle, True) in placed.index

    def _border(self, box: int, corner: tuple[float, float], is_entry: bool) -> tuple[float, float]:
        """Where a line through a port meets the frame; the header's band belongs to the frame."""
        _, x, y, width, height, _ = self._rows[self._item_of_box[box]]
        is_entry = is_entry != self._nester.is_reversed[box]
        if self._direction == DOWN:
            return corner[0], y + HEADER_PX if is_entry else y + height
        return x if is_entry else x + width, corner[1]

    def _item(self, end: End, box: int) -> int:
        return self._item_of_box[box] if isinstance(end, Port) else self._item_of_box[end]

    def _add_stub(self, box: int, stub: Stub, placed: Placed, left: float, top: float) -> None:
        end = placed.ends[stub.node]
        corners = self._move(stub.line, left, top)
        if isinstance(end, Port):
            border = self._border(box, corners[0 if stub.is_source else -1], stub.is_source)
            corners.insert(0 if stub.is_source else len(corners), border)
        item = self._item(end, box)
        values: Values = {}
        loose = _loose_end(stub, placed)
        for each in [placed.wires[link] for link in stub.links] if loose is None else [loose]:
            values.update(each.values)
        has_arrow = not stub.is_source and not isinstance(end, Port)
        self._lines.append((corners, item, item, has_arrow, values))
        x, y = self._turn(stub.x, stub.y)
        self._stubs.append((stub, placed, box, len(self._lines) - 1, left + x, top + y))

    def _connectors(self) -> Connectors:
        rects, texts, items, far, is_source, values = [], [], [], [], [], []
        is_reversed = []
        for stub, placed, box, line, x, y in self._stubs:
            text, ends, nodes = self._tell(stub, placed)
            width, left = stub.across, x - stub.across / 2
            turned = self._nester.is_reversed[box]
            if self._direction == RIGHT:  # the room is as wide as the widest; touch the line
                width = self._nester.stub_width(text)
                corners = self._lines[line][0]
                left = corners[-1][0] if stub.is_source else corners[0][0]
                left -= width if stub.is_source == turned else 0.0
            rects.append((left, y - STUB_HEIGHT_PX / 2, width, STUB_HEIGHT_PX))
            texts.append(text)
            items.append(self._far_item(placed.ends[stub.node]))
            far.append(sorted(ends))
            is_source.append(stub.is_source)
            values.append(sorted(nodes))
            is_reversed.append(turned)
        return Connectors(
            np.asarray(rects, np.float64).reshape(-1, 4),
            tuple(texts),
            np.asarray(items, np.int32),
            Ragged.from_rows(far),
            np.asarray(is_source, bool),
            Ragged.from_rows(values),
            np.asarray(is_reversed, bool),
        )

    def _tell(self, stub: Stub, placed: Placed) -> tuple[str, set[int], set[int]]:
        """The text of a stub, the items at the far ends, and the nodes whose values flow there."""
        loose = _loose_end(stub, placed)
        if loose is not None:
            return loose.text, {self._item_of_box[box] for box in loose.far}, set(loose.values)
        wires = [placed.wires[link] for link in stub.links]
        sources = {wire.source for wire in wires}
        targets = {wire.target for wire in wires}
        if stub.is_source:
            text, ends = self._nester.onward_text(targets), targets
        elif len(sources) == 1:
            text, ends = self._nester.stub_text(wires[0].source), sources
        else:
            text, ends = f"{len(sources)} values", sources
        items = {self._far_item(each) for each in ends}
        return text, items, {node for wire in wires for node in wire.values}

    def _far_item(self, end: End) -> int:
        """The item at the other end of what leaves or enters through an end."""
        if not isinstance(end, Port):
            return self._item_of_box[end]
        if end.is_entry:
            return self._item_of_box[self._wiring.bundle_source[end.bundle]]
        return self._item_of_box[self._wiring.bundle_targets[end.bundle][0]]

    def _items(self) -> Items:
        boxes = [self._view.boxes[row[0]] for row in self._rows]
        texts = [self._nester.text(row[0]) for row in self._rows]
        is_open = self._wiring.is_open
        return Items(
            rect=np.asarray([row[1:5] for row in self._rows], np.float64).reshape(-1, 4),
            ids=tuple(box.id for box in boxes),
            titles=tuple(text.title for text in texts),
            details=tuple(text.detail for text in texts),
            style=np.asarray([text.style for text in texts], np.int8),
            node=np.asarray([box.node for box in boxes], np.int32),
            box=np.asarray([row[0] for row in self._rows], np.int32),
            parent=np.asarray([row[5] for row in self._rows], np.int32),
            is_group=np.asarray([bool(box.children) for box in boxes], bool),
            num_frames=sum(1 for row in self._rows if is_open[row[0]]),
            is_reversed=np.asarray([self._nester.is_reversed[b.parent] for b in boxes], bool),
        )

    def _pack_lines(self) -> Lines:
        strings = self._view.graph.strings
        offsets = np.zeros(len(self._lines) + 1, np.int32)
        np.cumsum([len(corners) for corners, *_ in self._lines], out=offsets[1:])
        points = [corner for corners, *_ in self._lines for corner in corners]
        has_several = self._has_several_results()
        return Lines(
            points=np.asarray(points, np.float64).reshape(-1, 2),
            offsets=offsets,
            source=np.asarray([row[1] for row in self._lines], np.int32),
            target=np.asarray([row[2] for row in self._lines], np.int32),
            has_arrow=np.asarray([row[3] for row in self._lines], bool),
            values=Ragged.from_rows([list(row[4]) for row in self._lines]),
            types=tuple(_describe(row[4], strings) for row in self._lines),
            is_untold=np.asarray([has_several[row[1]] for row in self._lines], bool),
        )

    def _has_several_results(self) -> list[bool]:
        """Of each item, whether it holds several operations or one with several results."""
        num_results = self._view.graph.nodes.types.lengths().tolist()
        boxes = [self._view.boxes[row[0]] for row in self._rows]
        return [bool(box.children) or num_results[box.node] > 1 for box in boxes]


def _loose_end(stub: Stub, placed: Placed) -> LooseEnd | None:
    """What a stub stands for that no wire of its group leads to or from."""
    number = stub.links[0] - len(placed.wires)
    return placed.loose[number] if number >= 0 else None


def _describe(values: Values, strings: tuple[str, ...]) -> str:
    types = set(values.values())
    if len(types) > 1:
        return f"{len(values)} values"
    only = short_type(strings[types.pop()])
    return only if len(values) == 1 else f"{len(values)} × {only}"
