"""What devices send to each other, as a figure: a column for each device, a row for each collective
of the program that each device runs, in its order.

The collectives, their groups and bytes are those of `program.sharding.collectives`; nothing is
worked out here. The picture has a row for each collective, so it grows with their number.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from jaxscope.export.figures import Figure
from jaxscope.export.svg_chart import (
    draw_heading,
    note_height,
    show_in_turn,
    svg_head,
    svg_line,
    svg_text,
    text_width,
    wrap_note,
)
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Unavailable
from jaxscope.model.units import format_bytes, format_count, shorten
from jaxscope.picture.palette import PALETTES
from jaxscope.picture.tint.classes import TINT_PALETTES
from jaxscope.program.sharding.collectives import KINDS, Collective
from jaxscope.program.sharding.placement import PlacementReport
from jaxscope.report.document import Number, Table, count_cell, number_cell
from jaxscope.report.sharding import collective_place, describe_groups, format_executions

_WIDTH_PX = 1200.0
_LEFT_PX, _RIGHT_PX, _TOP_PX = 430.0, 1150.0, 96.0
_ROW_PX, _GROUP_PX, _MAX_GROUPS = 90.0, 13.0, 8
_MAX_DEVICES, _MAX_ROWS = 16, 24
_TEXT_LENGTH = 48
"""Characters of the texts beside the columns."""


@dataclass(frozen=True, eq=False)
class CommunicationFigure(Figure):
    """Who sends to whom, collective by collective.

    Attributes:
        axes: Names and sizes of the mesh's axes, outermost first; empty where no mesh is known.
        num_devices: Of the program.
        collectives: In program order; the first of them are drawn.
        places: `file.py:12` of each, or nothing.
        is_animated: Whether the rows are shown one after another.
    """

    title: str
    note: str
    axes: tuple[tuple[str, int], ...]
    num_devices: int
    collectives: tuple[Collective, ...]
    places: tuple[str, ...]
    is_animated: bool = False

    def table(self) -> Table:
        rows = [
            (
                count_cell(number),
                each.id,
                each.kind,
                place,
                describe_groups(each),
                number_cell(each.operand_bytes, format_bytes),
                number_cell(each.result_bytes, format_bytes),
                number_cell(each.sent_bytes, format_bytes),
                Number(each.rounds or math.nan, format_executions(each)),
            )
            for number, (each, place) in enumerate(
                zip(self.collectives, self.places, strict=True), 1
            )
        ]
        headers = ("order", "instruction", "kind", "line", "devices together", "in", "out", "sends")
        return Table((*headers, "rounds"), rows, units=("",) * 5 + ("B",) * 3 + ("",))

    def svg_lines(self, theme: str) -> Iterator[str]:
        palette, shown = PALETTES[theme], self.collectives[:_MAX_ROWS]
        note = wrap_note(self.note, _WIDTH_PX)
        top = _TOP_PX + note_height(note)
        positions = [self._position(device) for device in range(self.num_devices)]
        begin = top + (26 if any(positions) else 10)
        tops = list(itertools.accumulate(map(_row_height, shown), initial=begin + 8))
        yield svg_head(_WIDTH_PX, tops[-1] + 16, palette.background, self.title)
        yield from draw_heading(self.title, note, theme, _WIDTH_PX)
        for device in range(self.num_devices):
            x = self._column(device)
            yield svg_text(x, top, str(device), palette.text, anchor="middle")
            yield svg_text(x, top + 18, positions[device], palette.muted, anchor="middle", size=12)
            yield svg_line(x, begin, x, tops[-1], palette.frame_border)
        for number, (each, place) in enumerate(zip(shown, self.places, strict=False)):
            # What shows no animation shows the first row.
            if self.is_animated:
                yield '<g opacity="0">' if number else "<g>"
                yield show_in_turn(number, len(shown))
            else:
                yield "<g>"
            yield from self._row(number, each, place, tops[number], theme)
            yield "</g>"
        yield "</svg>"

    def _column(self, device: int) -> float:
        step = (_RIGHT_PX - _LEFT_PX) / max(self.num_devices - 1, 1)
        return _LEFT_PX + step * device

    def _position(self, device: int) -> str:
        """Where a device stands in the mesh, if there is room to say it: `x 0, y 1`."""
        sizes = [size for _, size in self.axes]
        if len(sizes) < 2 or math.prod(sizes) != self.num_devices:
            return ""
        position = np.unravel_index(device, sizes)
        told = ", ".join(f"{name} {k}" for (name, _), k in zip(self.axes, position, strict=True))
        room = (_RIGHT_PX - _LEFT_PX) / (self.num_devices - 1)
        return told if text_width(told, 12) < room else ""

    def _row(
        self, number: int, each: Collective, place: str, top: float, theme: str
    ) -> Iterator[str]:
        palette = PALETTES[theme]
        moved = f"{format_bytes(each.operand_bytes)} in, {format_bytes(each.result_bytes)} out, "
        moved += f"sends {format_bytes(each.sent_bytes)}"
        match each.rounds:
            case 0:
                moved += ", unknown rounds"
            case rounds if rounds > 1:
                moved += f", {rounds:,} rounds"
        told = KINDS[each.kind].outcome or KINDS[each.kind].does
        yield svg_text(20, top + 20, f"{number + 1}. {each.kind}", palette.text)
        for line, text in enumerate(filter(None, (place, moved, told))):
            y = top + 38 + 17 * line
            yield svg_text(20, y, shorten(text, _TEXT_LENGTH), palette.muted, size=13)
        if each.pairs:
            for sender, receiver in each.pairs:
                yield from self._arrow(sender, receiver, top + 10, top + _ROW_PX - 12, theme)
            return
        groups = () if isinstance(each.groups, Unavailable) else each.groups
        for level, group in enumerate(groups[:_MAX_GROUPS]):
            y = top + 22 + level * _GROUP_PX
            color = _color(theme, level)
            ends = [self._column(device) for device in group]
            yield svg_line(min(ends), y, max(ends), y, color, 2.5)
            for x in ends:
                yield f'<circle cx="{x:.2f}" cy="{y:.2f}" r="4.5" fill="{color}"/>'
        if len(groups) > _MAX_GROUPS:
            more = f"and {format_count(len(groups) - _MAX_GROUPS, 'more group')}"
            y = top + 22 + _MAX_GROUPS * _GROUP_PX + 4
            yield svg_text(_LEFT_PX, y, more, palette.muted, size=13)

    def _arrow(
        self, sender: int, receiver: int, top: float, bottom: float, theme: str
    ) -> Iterator[str]:
        """From one device down to another, with a point at its end."""
        color = _color(theme, sender)
        x1, x2 = self._column(sender), self._column(receiver)
        length = math.hypot(x2 - x1, bottom - top)
        along, down = (x2 - x1) / length, (bottom - top) / length
        yield svg_line(x1, top, x2 - 8 * along, bottom - 8 * down, color, 2)
        corners = (
            (x2, bottom),
            (x2 - 11 * along - 4.5 * down, bottom - 11 * down + 4.5 * along),
            (x2 - 11 * along + 4.5 * down, bottom - 11 * down - 4.5 * along),
        )
        points = " ".join(f"{x:.2f},{y:.2f}" for x, y in corners)
        yield f'<polygon points="{points}" fill="{color}"/>'


def _row_height(each: Collective) -> float:
    groups = () if each.pairs or isinstance(each.groups, Unavailable) else each.groups
    levels = min(len(groups), _MAX_GROUPS) + (len(groups) > _MAX_GROUPS)
    return max(_ROW_PX, 40 + levels * _GROUP_PX)


def _color(theme: str, number: int) -> str:
    """The border colour of what has a number."""
    pairs = TINT_PALETTES[theme].kinds
    return pairs[1 + number % (len(pairs) - 1)][1]


def make_communication(capture: Capture, *, is_animated: bool) -> Figure | Unavailable:
    """The figure of a capture, or why there is none."""
    report = PlacementReport(capture)
    found, placement = report.collectives, report.placement
    if isinstance(found, Unavailable):
        return found
    if isinstance(placement, Unavailable):
        return placement
    if not found:
        return Unavailable("no device sends anything to another", "")
    count = report.num_devices
    if not 2 <= count <= _MAX_DEVICES:
        return Unavailable(f"of {count:,} devices no more than {_MAX_DEVICES} can be drawn", "")
    more = len(found) - _MAX_ROWS
    parts = [
        f"A column is a device, by its position{_describe_mesh(placement.axes)}. A row is a "
        "collective of the compiled program, in its order; between two of them each device works "
        "on its own. An arrow is a value that one device sends to another; a bar joins the devices "
        "of one group, which all exchange. Bytes are those of a device that sends, in one round; "
        "on average it sends at least so much.",
        f"{more:,} more collectives." if more > 0 else "",
    ]
    title = f"Communication of {capture.call}"
    places = tuple(map(collective_place, report.standings))
    note = " ".join(filter(None, parts))
    return CommunicationFigure(title, note, placement.axes, count, found, places, is_animated)


def _describe_mesh(axes: tuple[tuple[str, int], ...]) -> str:
    sizes = ", ".join(f"'{name}': {size}" for name, size in axes)
    return f" in the mesh {sizes}" if sizes else ""
