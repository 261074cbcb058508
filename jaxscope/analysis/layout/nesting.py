"""Lay every open group out alone, from the inside out, then put the groups into each other."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

from jaxscope.analysis.layout.box_texts import BOX_MAX_PX, BOX_PADDING_PX, BoxTexts
from jaxscope.analysis.layout.engines import GroupLayouts
from jaxscope.analysis.layout.fit import Fit
from jaxscope.analysis.layout.frames import Frame, find_changed
from jaxscope.analysis.layout.halves import GAP_PX, Extent, Pair, align, find_names, turn_back
from jaxscope.analysis.layout.layered import Diagram, Drawing, Link, Loose, Spacing
from jaxscope.analysis.layout.loose_ends import LooseEnd, LooseEnds
from jaxscope.analysis.layout.room import Room
from jaxscope.analysis.layout.scene import DETAIL_PX, HEADER_PX, STUB_TEXT_PX, TITLE_PX
from jaxscope.analysis.layout.text_width import measure_text, shorten_text
from jaxscope.analysis.layout.wiring import End, Port, Wire, Wiring
from jaxscope.analysis.layout.wrapping import MAX_NODES
from jaxscope.analysis.view.labels import BoxText
from jaxscope.analysis.view.operations import Style
from jaxscope.analysis.view.view import ROOT, View

FREE = math.nan
"""Shift of a link that may meet its node anywhere; one object, so that equal diagrams are equal."""

DOWN, RIGHT = "down", "right"
FRAME_PADDING_PX = 16.0
_BOX_MIN_PX = 64.0
_STEP_PX = 16.0  # widths in steps look calmer, and alike groups become equal
_STACK_PX = 6.0  # by which the cards behind a repeat stick out
_SIGN_PX = 16.0  # of the triangle that says a box can be opened
_LINE_PX = (26.0, 42.0)  # height of a box with one and with two lines
_NAME_LETTERS = 2  # that every name of a value has room for
_WIDE_LETTER = "m"
_STUB_MAX_PX = 130.0
_STUB_PADDING_PX = 8.0
STUB_HEIGHT_PX = 18.0
MERGED_STUB_PX = 92.0


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Placed:
    """An open group, laid out.

    Attributes:
        ends: The diagram's nodes: boxes and ports.
        wires: The diagram's links.
        drawing: Where they went.
        loose: What the loose stubs stand for; they are numbered after the wires.
    """

    ends: list[End]
    wires: list[Wire]
    drawing: Drawing
    loose: list[LooseEnd]


class Nester:
    """Lays groups out and puts them into each other; one use per scene.

    Args:
        known: Frames of groups that look as they did.

    Attributes:
        placed: The groups that were laid out.
        frames: Of these and of those that were known.
        is_reversed: Of each box, whether values flow backward inside of it.
    """

    def __init__(
        self,
        view: View,
        wiring: Wiring,
        direction: str,
        spacing: Spacing,
        layouts: GroupLayouts,
        fit: Fit,
        known: Mapping[int, Frame],
    ) -> None:
        self._view = view
        self._wiring = wiring
        self._is_down = direction == DOWN
        self._spacing = spacing
        self._layouts = layouts
        self._fit = fit
        self._most: dict[int, float] = {ROOT: fit.across - 2 * FRAME_PADDING_PX}
        self._texts = BoxTexts(view)
        self._sizes: dict[int, tuple[float, float]] = view.remembered.setdefault("sizes", {})
        self.placed: dict[int, Placed] = {}
        self.frames: dict[int, Frame] = {}
        self._loose = LooseEnds(view, wiring, self._texts.title_of, fit.beside)
        self.is_reversed = self._loose.is_reversed
        self._changed = find_changed(view, wiring, known, self._loose.partner_of)
        same = known.keys() - set(self._changed)
        self.frames.update((box, known[box]) for box in same if wiring.is_open[box])

    def place_all(self) -> None:
        """Lay out every open group that is not known, children before parents."""
        self._wiring.find(self._changed)
        for box in self._changed:
            self.placed[box] = self._place(box)

    def text(self, box: int) -> BoxText:
        """What is written on a box, shortened to fit its largest width."""
        return self._texts.of(box)

    def size(self, box: int) -> tuple[float, float]:
        """Width and height of a box or a frame."""
        frame = self.frames.get(box)
        if frame is not None:
            return frame.width, frame.height
        known = self._sizes.get(box)
        if known is None:
            known = self._sizes[box] = self._measure(box)
        return known

    def _measure(self, box: int) -> tuple[float, float]:
        text = self.text(box)
        width = max(measure_text(text.title, TITLE_PX, True), _measure_detail(text))
        width = math.ceil(width) + 2 * BOX_PADDING_PX
        if self._view.boxes[box].children:
            width += _SIGN_PX
        width = max(_STEP_PX * math.ceil(width / _STEP_PX), _BOX_MIN_PX)
        height = _LINE_PX[1 if text.detail else 0]
        if text.style is Style.REPEAT:
            return width + _STACK_PX, height + _STACK_PX
        return width, height

    def stub_text(self, end: End) -> str:
        """What a connector says of the box that its value comes from."""
        box = self._wiring.source_of(end.bundle) if isinstance(end, Port) else end
        return shorten_text(self.text(box).title, _STUB_MAX_PX, STUB_TEXT_PX)

    def onward_text(self, ends: set[End]) -> str:
        """What a connector says of where its value goes."""
        if len(ends) > 1:
            return f"to {len(ends)} more"
        end = next(iter(ends))
        box = self._wiring.targets_of(end.bundle)[0] if isinstance(end, Port) else end
        room = MERGED_STUB_PX - 2 * _STUB_PADDING_PX
        name = self.text(box).title.rpartition(" / ")[2]
        return shorten_text(f"→ {name}", room, STUB_TEXT_PX)

    def stub_width(self, text: str) -> float:
        """Width of a connector with a text."""
        width = measure_text(text, STUB_TEXT_PX) + 2 * _STUB_PADDING_PX
        return _STEP_PX * math.ceil(width / _STEP_PX)

    def _place(self, box: int) -> Placed:
        pairs = self._loose.pairs.get(box, ())
        for pair in pairs:
            self._align(pair)
        wires, loose = self._loose.split(box)
        children = list(self._view.boxes[box].children)
        ends: list[End] = [*children]
        ports = {end for wire in wires for end in (wire.source, wire.target)
                 if isinstance(end, Port)}  # fmt: skip
        ports |= {each.end for each in loose if isinstance(each.end, Port)}
        ends += sorted(ports)
        opened = [part for pair in pairs for part in pair if part in self.frames]
        room = Room(ends, wires, pairs, opened, self.turned, self.shift)
        drawing = room.expand(self._draw(box, room, wires, loose), loose)
        if self.is_reversed[box]:
            drawing = turn_back(drawing)
        placed = Placed(ends, wires, drawing, loose)
        self.frames[box] = self._frame(box, placed)
        return placed

    def _frame(self, box: int, placed: Placed) -> Frame:
        """The frame that a group's drawing needs."""
        header = measure_text(self.text(box).title, TITLE_PX, True) if box != ROOT else 0.0
        header += 3 * FRAME_PADDING_PX
        drawing = placed.drawing
        inner, inner_height = (
            (drawing.across, drawing.along) if self._is_down else (drawing.along, drawing.across)
        )
        if box != ROOT:
            header += measure_text(self.text(box).detail, DETAIL_PX)
        width = max(inner + 2 * FRAME_PADDING_PX, header)
        ports = {
            end: x for end, x in zip(placed.ends, drawing.x, strict=True) if isinstance(end, Port)
        }
        if box == ROOT:
            height = inner_height + 2 * FRAME_PADDING_PX
            return Frame(width, height, FRAME_PADDING_PX, FRAME_PADDING_PX, ports)
        height = inner_height + HEADER_PX + 1.5 * FRAME_PADDING_PX
        top = HEADER_PX + FRAME_PADDING_PX / 2
        return Frame(width, height, (width - inner) / 2, top, ports)

    def _align(self, pair: Pair) -> None:
        """Bring the two open parts of a gradient to the same length, group beside group.

        Parts that look as they did have been brought there already.
        """
        if not all(part in self.placed for part in pair):
            return
        extents = []
        for part in pair:
            placed = self.placed[part]
            boxes = [end for end in placed.ends if not isinstance(end, Port)]
            along = [0.0 if isinstance(e, Port) else self.turned(e)[1] for e in placed.ends]
            names = find_names(self._view, boxes)
            extents.append(Extent(placed.drawing, tuple(along), names, self._stub_along))
        for part, drawing in zip(pair, align(*extents), strict=True):
            placed = dataclasses.replace(self.placed[part], drawing=drawing)
            self.placed[part] = placed
            self.frames[part] = self._frame(part, placed)

    def _most_across(self, box: int) -> float:
        """Pixels across that an open group's inside should not exceed."""
        known = self._most.get(box)
        if known is None:
            parent = self._view.boxes[box].parent
            around = self._most_across(parent) - self._fit.aside
            if any(box in pair for pair in self._loose.pairs.get(parent, ())):
                around = (around - GAP_PX) / 2
            known = self._most[box] = around - 2 * FRAME_PADDING_PX
        return known

    @property
    def _stub_along(self) -> float:
        return STUB_HEIGHT_PX if self._is_down else _STUB_MAX_PX + 2 * _STUB_PADDING_PX

    def _draw(self, box: int, room: Room, wires: list[Wire], loose: list[LooseEnd]) -> Drawing:
        sizes = room.sizes
        index = room.index
        nets: dict[int, int] = {}  # numbered per diagram, so that alike groups are equal
        links = [
            Link(
                index[wire.source],
                index[wire.target],
                nets.setdefault(wire.bundle, len(nets)),
                room.shift(wire.source, wire.bundle, False),
                room.shift(wire.target, wire.bundle, True),
            )
            for wire in wires
            if not room.is_inside(wire)
        ]
        stubs: tuple[float, ...] = ()
        if not self._is_down:
            stubs = (STUB_HEIGHT_PX,) * len(sizes)
        elif len(sizes) > self._spacing.max_span:
            stubs = tuple(self.stub_width(self.stub_text(end)) for end in room.units)
        diagram = Diagram(
            tuple(size[0] for size in sizes),
            tuple(size[1] for size in sizes),
            tuple(links),
            frozenset(n for e, n in index.items() if isinstance(e, Port) and e.is_entry),
            frozenset(n for e, n in index.items() if isinstance(e, Port) and not e.is_entry),
            stubs,
            MERGED_STUB_PX if self._is_down else STUB_HEIGHT_PX,
            self._stub_along,
            tuple(
                Loose(
                    index[each.end],
                    each.is_source,
                    self.stub_width(each.text) if self._is_down else STUB_HEIGHT_PX,
                    room.shift(each.end, each.bundle, not each.is_source),
                )
                for each in loose
            ),
            room.wide,
            self._most_across(box) if len(sizes) <= MAX_NODES else math.inf,
        )
        return self._layouts.lay_out(diagram)

    def turned(self, box: int) -> tuple[float, float]:
        """Size of a box across the flow and along it."""
        width, height = self.size(box)
        return (width, height) if self._is_down else (height, width)

    def shift(self, end: End, bundle: int, is_entry: bool) -> float:
        """Where a line meets an open group: at the port inside it."""
        frame = None if isinstance(end, Port) else self.frames.get(end)
        at = None if frame is None else frame.ports.get(Port(bundle, is_entry))
        if frame is None or at is None:
            return FREE
        if self._is_down:
            return frame.left + at - frame.width / 2
        return frame.top + at - frame.height / 2


def _measure_detail(text: BoxText) -> float:
    """Width of the second line, whatever letters its name has.

    So a layer looks like its twin whose values are called otherwise, and is laid out with it; and
    an equation more, after which all others are called otherwise, moves nothing else.
    """
    width = measure_text(text.detail, DETAIL_PX)
    if not text.name:
        return width
    name = _WIDE_LETTER * max(len(text.name), _NAME_LETTERS)
    rest = measure_text(text.detail.removeprefix(text.name), DETAIL_PX)
    return max(width, min(measure_text(name, DETAIL_PX) + rest, BOX_MAX_PX - 2 * BOX_PADDING_PX))
