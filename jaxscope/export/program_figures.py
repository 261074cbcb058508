"""Figures of what a program is: memory step by step, its roofline, arrays cut over devices, and its
collectives step by step around a ring, and a Pallas kernel's blocks; each with its numbers as a
table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from jaxscope.export.communication_figure import make_communication
from jaxscope.export.figures import Figure
from jaxscope.export.svg_chart import (
    TITLE_SIZE,
    Axis,
    draw_columns,
    draw_heading,
    draw_rows,
    even_ticks,
    note_height,
    show_in_turn,
    svg_box,
    svg_head,
    svg_line,
    svg_outlined,
    svg_text,
    text_width,
    ticks,
    wrap_note,
)
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Unavailable
from jaxscope.model.hardware import Ceilings
from jaxscope.model.units import (
    format_bytes,
    format_count,
    format_flops,
    format_seconds,
    shorten,
    three_digits,
)
from jaxscope.picture.palette import PALETTES
from jaxscope.picture.tint.classes import TINT_PALETTES
from jaxscope.program.cost.trip_counts import find_trip_counts
from jaxscope.program.fates.table import link_products
from jaxscope.program.kernel_grid import BlockedArray, KernelGrid, find_kernel_grids
from jaxscope.program.memory.live_ranges import LiveRanges, find_live_ranges
from jaxscope.program.roofline import Roofline, find_limit, find_peak, find_roofline
from jaxscope.program.sharding.arrays import SpreadArray, find_arrays, name_devices
from jaxscope.program.sharding.collectives import (
    NOTHING,
    Collective,
    RingStep,
    find_collectives,
    ring_steps,
)
from jaxscope.report.document import Table, count_cell, known_cell, number_cell
from jaxscope.report.roofline import (
    EXCEEDED,
    describe_compiled_for,
    describe_conditions,
    describe_excess,
)
from jaxscope.schema.safe_text import escape_html

_WIDTH_PX = 1200.0
_LEFT_PX, _EDGE_PX, _TOP_PX, _BOTTOM_PX = 110.0, 1160.0, 80.0, 64.0
_ACROSS = _LEFT_PX, _EDGE_PX
_MAX_ARRAYS = 12
_ARRAY_PX = 180.0
"""Height of the largest array."""
_MAX_CELLS = 4_096
_MAX_FRAMES = 120
"""Of an animation: a second each."""
_MAX_DEVICES = 8
"""Of a ring that is drawn: more are no picture."""


def _ink(theme: str, number: int) -> tuple[str, str]:
    """Fill and border of what has a number: a device, a part."""
    pairs = TINT_PALETTES[theme].kinds
    return pairs[1 + number % (len(pairs) - 1)]


@dataclass(frozen=True, eq=False)
class MemoryFigure(Figure):
    """Bytes alive at each step of the schedule, and how many of them are temporaries."""

    title: str
    note: str
    live: LiveRanges

    def table(self) -> Table:
        graph = self.live.graph
        rows = [
            (
                count_cell(step),
                graph.id(node),
                number_cell(float(self.live.timeline[step]), format_bytes),
                number_cell(float(self.live.temporaries[step]), format_bytes),
            )
            for step, node in enumerate(self.live.steps)
        ]
        return Table(
            ("step", "instruction", "alive", "temporaries"), rows, units=("", "", "B", "B")
        )

    def svg_lines(self, theme: str) -> Iterator[str]:
        palette, note = PALETTES[theme], wrap_note(self.note, _WIDTH_PX)
        top = _TOP_PX + note_height(note)
        height = top + 480
        bottom, count = height - _BOTTOM_PX, max(len(self.live.steps), 1)
        most = max(self.live.peak_bytes, 1.0) * 1.06
        across = Axis(0.0, count, _LEFT_PX, _EDGE_PX)
        up = Axis(0.0, most, bottom, top)
        yield svg_head(_WIDTH_PX, height, palette.background, self.title)
        yield from draw_heading(self.title, note, theme, _WIDTH_PX)
        unit = 1024.0 ** int(math.log(max(most, 1.0), 1024.0))
        values = [unit * number for number in even_ticks(0.0, most / unit, 6)]
        yield from draw_rows(up, values, format_bytes, _ACROSS, palette, beside=10)
        for alive, color in (
            (self.live.timeline, palette.forward),
            (self.live.temporaries, palette.backward),
        ):
            points = [f"{_LEFT_PX:.2f},{bottom:.2f}"]
            for step, value in enumerate(alive.tolist()):
                y = up.place(value)
                points += [f"{across.place(s):.2f},{y:.2f}" for s in (step, step + 1)]
            points.append(f"{_EDGE_PX:.2f},{bottom:.2f}")
            yield (
                f'<polygon points="{" ".join(points)}" fill="{color}" fill-opacity="0.3" '
                f'stroke="{color}" stroke-width="2"/>'
            )
        x = across.place(self.live.peak_step + 0.5)
        yield (
            f'<line x1="{x:.2f}" y1="{top - 16}" x2="{x:.2f}" y2="{bottom:.2f}" '
            f'stroke="{palette.text}" stroke-dasharray="6 4"/>'
        )
        told = f"peak {format_bytes(self.live.peak_bytes)} at step {self.live.peak_step:,}"
        is_right = x > _WIDTH_PX * 0.6
        yield svg_text(  # above all that is drawn
            x + (-8 if is_right else 8), top - 3, told, palette.text,
            anchor="end" if is_right else "start",
        )  # fmt: skip
        x = _LEFT_PX
        for name, color in (("everything", palette.forward), ("temporaries", palette.backward)):
            yield svg_box(x, height - 26, 14, 14, color)
            yield svg_text(x + 20, height - 14, name, palette.text)
            x += 44 + text_width(name)
        middle = sum(_ACROSS) / 2
        told = f"step of the schedule, 0 to {count - 1:,}"
        yield svg_text(middle, bottom + 24, told, palette.text, anchor="middle")
        yield "</svg>"


@dataclass(frozen=True, eq=False)
class RooflineFigure(Figure):
    """What each kernel can reach at best on a chip, by its arithmetic intensity."""

    title: str
    note: str
    found: Roofline
    ceilings: Ceilings

    def table(self) -> Table:
        rows = []
        for point in self.found.kernels:
            limit = find_limit(point, self.ceilings)
            rows.append(
                (
                    point.name,
                    point.operation,
                    known_cell(point.flops, format_flops),
                    known_cell(point.num_bytes, format_bytes),
                    known_cell(point.intensity, three_digits),
                    EXCEEDED if limit.is_exceeded else limit.kind or "unknown",
                    known_cell(limit.best, format_seconds),
                )
            )
        headers = ("kernel", "operation", "FLOP", "bytes", "FLOP per byte", "bound by", "at best")
        return Table(headers, rows, units=("", "", "", "B", "", "", "s"))

    def svg_lines(self, theme: str) -> Iterator[str]:
        palette, note = PALETTES[theme], wrap_note(self.note, _WIDTH_PX)
        top = _TOP_PX + note_height(note)
        height = top + 560
        types = dict.fromkeys(name for point in self.found.kernels for name, _ in point.work)
        peaks = {peak.name: peak.rate for peak in (find_peak(self.ceilings, n) for n in types)}
        peaks = {k: v for k, v in peaks.items() if v > 0} or {
            "measured": self.ceilings.arithmetic.best
        }
        bandwidth, highest = self.ceilings.bandwidth.best, max(peaks.values())
        marks = [
            (point, point.intensity, point.flops / limit.most)
            for point in self.found.kernels
            if point.flops > 0
            and (limit := find_limit(point, self.ceilings)).most > 0
            and point.intensity > 0
        ]
        xs = [x for _, x, _ in marks] + [highest / bandwidth]
        low_x, high_x = min(xs) / 4, max(xs) * 4
        ys = [y for _, _, y in marks] + [highest]
        low_y, high_y = min(ys) / 4, highest * 4
        bottom = height - _BOTTOM_PX

        across = Axis(low_x, high_x, *_ACROSS, is_logarithmic=True)
        up = Axis(low_y, high_y, bottom, top, is_logarithmic=True)
        yield svg_head(_WIDTH_PX, height, palette.background, self.title)
        yield from draw_heading(self.title, note, theme, _WIDTH_PX)
        yield from draw_rows(up, ticks(low_y, high_y), _format_rate, _ACROSS, palette, size=13)
        yield from draw_columns(across, ticks(low_x, high_x), three_digits, (top, bottom), palette,
                                size=13, below=20)  # fmt: skip
        yield from self._roofs(peaks, across, up, palette.text)
        told = f"memory {format_bytes(bandwidth)}/s"
        yield svg_text(_LEFT_PX + 12, top + 20, told, palette.text)
        for point, x, y in marks:
            yield (
                f'<circle cx="{across.place(x):.2f}" cy="{up.place(y):.2f}" r="7" '
                f'fill="{palette.forward}" fill-opacity="0.35" stroke="{palette.forward}" '
                f'stroke-width="2"><title>{escape_html(point.name)}</title></circle>'
            )
        middle = sum(_ACROSS) / 2
        yield svg_text(middle, height - 16, "FLOP per byte", palette.text, anchor="middle")
        yield "</svg>"

    def _roofs(
        self, peaks: Mapping[str, float], across: Axis, up: Axis, color: str
    ) -> Iterator[str]:
        """A level line for each rate of arithmetic; the slope of the memory up to the highest."""
        bandwidth, highest = self.ceilings.bandwidth.best, max(peaks.values())
        end = across.place(across.high)
        for rate in dict.fromkeys(peaks.values()):
            ridge = max(rate / bandwidth, across.low)
            begin = max(across.low, up.low / bandwidth)
            x, y = across.place(ridge), up.place(rate)
            if rate == highest:
                at_ridge = up.place(min(rate, ridge * bandwidth))
                start = across.place(begin), up.place(begin * bandwidth)
                yield svg_line(*start, x, at_ridge, color, 2.5)
            yield svg_line(x, y, end, y, color, 2.5)
            names = ", ".join(n for n, r in peaks.items() if r == rate and n != "measured")
            told = f"{_format_rate(rate)} {names}".rstrip()
            yield svg_text(end - 6, y - 8, told, color, anchor="end")


def _format_rate(flops: float) -> str:
    return f"{format_flops(flops)}/s"


@dataclass(frozen=True, eq=False)
class ShardingFigure(Figure):
    """Each array as a grid of the parts that devices hold."""

    title: str
    note: str
    arrays: tuple[SpreadArray, ...]

    def table(self) -> Table:
        rows = [
            (array.role, array.path, array.type, part.text, name_devices(part.devices))
            for array in self.arrays
            if array.cut is not None
            for part in array.cut.parts
        ]
        return Table(("role", "path", "type", "part", "devices"), rows, units=("",) * 5)

    def svg_lines(self, theme: str) -> Iterator[str]:
        palette, shown = PALETTES[theme], self.arrays[:_MAX_ARRAYS]
        places: list[tuple[float, float]] = []
        x, y, right = 20.0, 0.0, 640.0
        for array in shown:
            wide = self._width(array)
            if x > 20 and x + wide > _WIDTH_PX - 20:
                x, y = 20.0, y + _ARRAY_PX + 70
            places.append((x, y))
            right = max(right, x + wide + 20)
            x += wide + 36
        note = wrap_note(self.note, right)
        top = _TOP_PX + note_height(note) + 10
        height = top + y + _ARRAY_PX + 62
        yield svg_head(right, height, palette.background, self.title)
        yield from draw_heading(self.title, note, theme, right)
        for array, (x, y) in zip(shown, places, strict=True):
            yield svg_text(x, top + y + 10, self._name(array), palette.text)
            yield svg_text(x, top + y + 30, self._spec(array), palette.muted, size=13)
            yield from self._grid(array, x, top + y + 42, theme)
        yield "</svg>"

    @staticmethod
    def _name(array: SpreadArray) -> str:
        return shorten(f"{array.path} {array.type}", 44)

    @staticmethod
    def _spec(array: SpreadArray) -> str:
        return shorten(array.spec or array.text, 52)

    def _width(self, array: SpreadArray) -> float:
        """Of the grid or of what is written above it."""
        words = max(text_width(self._name(array)), text_width(self._spec(array), 13))
        return max(words, self._size(array)[0])

    @staticmethod
    def _size(array: SpreadArray) -> tuple[float, float]:
        """Width and height of the grid; what has a side of one or two numbers stays visible."""
        ratio = 1.0 if array.cut is None else min(max(array.cut.side_ratio, 1 / 3), 3.0)
        width = min(_ARRAY_PX * 2, _ARRAY_PX * ratio)
        return width, width / ratio

    def _grid(self, array: SpreadArray, x: float, y: float, theme: str) -> Iterator[str]:
        cut = array.cut
        if cut is None:
            return
        width, height = self._size(array)
        across, down = width / cut.num_columns, height / cut.num_rows
        for part in cut.parts:
            left, top = x + part.column * across, y + part.row * down
            yield svg_outlined(left, top, across, down, _ink(theme, min(part.devices, default=0)))
            told = name_devices(part.devices)
            if text_width(told, 13) < across and down > 14:
                yield svg_text(left + across / 2, top + down / 2 + 5, told,
                               PALETTES[theme].text, anchor="middle", size=13)  # fmt: skip


@dataclass(frozen=True, eq=False)
class CollectiveFigure(Figure):
    """What each device has after each step of a ring.

    Attributes:
        devices: Their positions, in the order of the ring.
        part_bytes: Of what is sent at once.
        is_animated: Whether the steps are shown one after another in one place.
    """

    title: str
    note: str
    kind: str
    devices: tuple[int, ...]
    part_bytes: float
    is_animated: bool = False

    @property
    def steps(self) -> tuple[RingStep, ...]:
        return ring_steps(self.kind, len(self.devices))

    def table(self) -> Table:
        rows = [
            (
                count_cell(number),
                count_cell(self.devices[sender]),
                count_cell(self.devices[receiver]),
                count_cell(place),
                known_cell(self.part_bytes, format_bytes),
            )
            for number, step in enumerate(self.steps)
            for sender, receiver, place in step.sent
        ]
        headers = ("step", "from device", "to device", "part", "bytes")
        return Table(headers, rows, units=("", "", "", "", "B"))

    def svg_lines(self, theme: str) -> Iterator[str]:
        palette, steps = PALETTES[theme], self.steps
        count = len(self.devices)
        cell = 34.0
        panel_width, panel_height = 70 + cell * count + 40, 28 + cell * count + 32
        columns = 1 if self.is_animated else max(1, int((_WIDTH_PX - 40) // panel_width))
        rows = 1 if self.is_animated else math.ceil(len(steps) / columns)
        width = _WIDTH_PX if not self.is_animated else max(560.0, panel_width + 40)
        note = wrap_note(self.note, width)
        top = _TOP_PX + note_height(note) + 4
        height = top + rows * panel_height
        yield svg_head(width, height, palette.background, self.title)
        yield from draw_heading(self.title, note, theme, width)
        for number, step in enumerate(steps):
            place = 0 if self.is_animated else number
            x = 20 + panel_width * (place % columns)
            y = top + panel_height * (place // columns)
            # What shows no animation shows what is there before the first step.
            yield '<g opacity="0">' if self.is_animated and number else "<g>"
            if self.is_animated:
                yield show_in_turn(number, len(steps))
            yield from self._panel(number, step, x, y, cell, theme)
            yield "</g>"
        yield "</svg>"

    def _panel(
        self, number: int, step: RingStep, x: float, y: float, cell: float, theme: str
    ) -> Iterator[str]:
        palette, count = PALETTES[theme], len(self.devices)
        told = "before" if number == 0 else f"after step {number}"
        yield svg_text(x, y + 14, told, palette.text)
        sent = {(receiver, place) for _, receiver, place in step.sent}
        if self.kind == "all-to-all":
            sent = {(receiver, sender) for sender, receiver, _ in step.sent}
        for d, device in enumerate(self.devices):
            top = y + 28 + d * cell
            yield svg_text(x + 62, top + cell * 0.65, f"device {device}", palette.muted,
                           anchor="end", size=13)  # fmt: skip
            for place in range(count):
                part = step.state[d][place]
                left = x + 70 + place * cell
                if part == NOTHING:
                    blank = (palette.background, palette.frame_border)
                    yield svg_outlined(left, top, cell - 3, cell - 3, blank)
                    continue
                number_of_ink = next(iter(part))[0] if self.kind == "all-to-all" else place
                yield svg_outlined(left, top, cell - 3, cell - 3, _ink(theme, number_of_ink))
                yield svg_text(left + (cell - 3) / 2, top + cell * 0.62, self._label(part, place),
                               palette.text, anchor="middle", size=13)  # fmt: skip
                if (d, place) in sent:
                    yield (
                        f'<rect x="{left - 1:.2f}" y="{top - 1:.2f}" width="{cell - 1:.2f}" '
                        f'height="{cell - 1:.2f}" fill="none" stroke="{palette.selected}" '
                        'stroke-width="2.5"/>'
                    )

    def _label(self, part: frozenset[tuple[int, int]], place: int) -> str:
        """The part's letter, or how many devices are summed up in it; of an exchange, from whom."""
        if self.kind == "all-to-all":
            sender, of = next(iter(part))
            return f"{sender}→{of}"
        letter = chr(ord("A") + place)
        return letter if self.kind == "all-gather" or len(part) == 1 else f"{letter}·{len(part)}"


@dataclass(frozen=True, eq=False)
class KernelFigure(Figure):
    """The arrays of a Pallas kernel as grids of blocks, with the steps that take each.

    Attributes:
        grid: The kernel's.
        is_animated: Whether the block of each step is framed, one step after another.
    """

    title: str
    note: str
    grid: KernelGrid
    is_animated: bool = False

    def table(self) -> Table:
        rows = [
            (
                count_cell(step),
                str(self.grid.point(step)),
                array.name,
                array.role,
                array.type,
                str(tuple(array.starts[step].tolist())),
                str(array.block),
            )
            for step in range(self.grid.num_steps)
            for array in self.grid.arrays
        ]
        headers = ("step", "point", "array", "role", "type", "first element", "block")
        return Table(headers, rows, units=("",) * 7)

    def svg_lines(self, theme: str) -> Iterator[str]:
        palette, arrays = PALETTES[theme], self.grid.arrays[:_MAX_ARRAYS]
        x, places = 20.0, []
        for array in arrays:
            places.append(x)
            x += max(self._size(array)[0], text_width(self._name(array))) + 36
        width = max(x, 640.0, text_width(self.title, TITLE_SIZE) + 60)
        note = wrap_note(self.note, width)
        top = _TOP_PX + note_height(note) + 10
        height = top + max(self._size(array)[1] for array in arrays) + 82
        yield svg_head(width, height, palette.background, self.title)
        yield from draw_heading(self.title, note, theme, width)
        for array, left in zip(arrays, places, strict=True):
            yield svg_text(left, top + 10, self._name(array), palette.text)
            told = f"{array.role}, blocks of {'×'.join(map(str, array.block)) or '1'}"
            yield svg_text(left, top + 30, told, palette.muted, size=13)
            yield from self._cells(array, left, top + 42, theme)
        for step in range(self.grid.num_steps if self.is_animated else 0):
            yield '<g opacity="0">' if step else "<g>"
            yield show_in_turn(step, self.grid.num_steps)
            told = f"step {step:,}, point {self.grid.point(step)}"
            yield svg_text(20, height - 16, told, palette.text)
            for array, left in zip(arrays, places, strict=True):
                yield self._mark(array, step, left, top + 42, theme)
            yield "</g>"
        yield "</svg>"

    @staticmethod
    def _name(array: BlockedArray) -> str:
        return shorten(f"{array.name} {array.type}", 44)

    @staticmethod
    def _size(array: BlockedArray) -> tuple[float, float]:
        height, width = array.cells.size
        ratio = min(max(width / height, 1 / 3), 3.0)
        across = min(_ARRAY_PX * 2, _ARRAY_PX * ratio)
        return across, across / ratio

    def _cells(self, array: BlockedArray, x: float, y: float, theme: str) -> Iterator[str]:
        palette, cells = PALETTES[theme], array.cells
        across, down = self._cell_size(array)
        for row in range(cells.num_rows):
            for column in range(cells.num_columns):
                steps = cells.steps.get((row, column), ())
                points = [self.grid.point(step) for step in steps]
                first = {point[0] for point in points}
                blank = palette.stub_fill if points else palette.background
                ink = (blank, palette.frame_border)
                if len(first) == 1:
                    ink = _ink(theme, min(first))
                left, top = x + column * across, y + row * down
                yield svg_outlined(left, top, across, down, ink)
                told = self._label(points)
                if text_width(told, 13) < across and down > 14:
                    yield svg_text(left + across / 2, top + down / 2 + 5, told,
                                   palette.text, anchor="middle", size=13)  # fmt: skip

    def _label(self, points: Sequence[tuple[int, ...]]) -> str:
        """Such as `0,:,1`: NumPy's for all points of the second axis; else how many there are."""
        sizes = self.grid.grid
        axes = [sorted({point[place] for point in points}) for place in range(len(sizes))]
        is_slice = all(len(axis) in (1, size) for axis, size in zip(axes, sizes, strict=True))
        if not is_slice or math.prod(map(len, axes)) != len(points):
            return format_count(len(points), "step")
        return ",".join(
            ":" if len(axis) == size > 1 else str(axis[0])
            for axis, size in zip(axes, sizes, strict=True)
        )

    def _cell_size(self, array: BlockedArray) -> tuple[float, float]:
        width, height = self._size(array)
        return width / array.cells.num_columns, height / array.cells.num_rows

    def _mark(self, array: BlockedArray, step: int, x: float, y: float, theme: str) -> str:
        across, down = self._cell_size(array)
        row, column = next(p for p, steps in array.cells.steps.items() if step in steps)
        return (
            f'<rect x="{x + column * across:.2f}" y="{y + row * down:.2f}" width="{across:.2f}" '
            f'height="{down:.2f}" fill="none" stroke="{PALETTES[theme].selected}" '
            'stroke-width="3"/>'
        )


# Which figures a capture has.


def make_program_figure(
    name: str, capture: Capture, ceilings: Ceilings | None = None, *, is_animated: bool = False
) -> Figure | Unavailable:
    """A figure of a capture by its name, or why there is none.

    Args:
        name: `memory`, `roofline`, `sharding`, `communication`, `collective` or `pallas`.
        ceilings: What the chip can do, for the roofline.
        is_animated: Whether steps follow each other in one place.
    """
    match name:
        case "memory":
            live = find_live_ranges(capture)
            if isinstance(live, Unavailable):
                return live
            place = "where XLA put each value" if live.is_placed else "values added up"
            return MemoryFigure(f"Memory of {capture.call}", f"Alive at each step, {place}.", live)
        case "roofline":
            return _make_roofline(capture, ceilings)
        case "sharding":
            arrays = find_arrays(capture)
            if isinstance(arrays, Unavailable):
                return arrays
            more = len(arrays) - _MAX_ARRAYS
            note = "Numbers are positions of devices." + (f" {more:,} more arrays." * (more > 0))
            return ShardingFigure(f"Arrays of {capture.call}", note, arrays)
        case "communication":
            return make_communication(capture, is_animated=is_animated)
        case "pallas":
            return _make_kernel(capture, is_animated=is_animated)
        case _:
            return _make_collective(capture, is_animated=is_animated)


def _make_roofline(capture: Capture, ceilings: Ceilings | None) -> Figure | Unavailable:
    if ceilings is None:
        return Unavailable("what the machine reaches is not known: name a chip with --chip", "")
    found = find_roofline(
        link_products(capture), find_trip_counts(capture), capture.stage("machine")
    )
    if isinstance(found, Unavailable):
        return found
    chip = ceilings.environment.device or "this machine"
    note = f"At best on {chip}, not measured. A circle is a kernel. "
    doubts = (*describe_conditions(ceilings), describe_excess(found.kernels, ceilings))
    told = (*doubts, *describe_compiled_for(capture.target, ceilings), *found.notes)
    note += " ".join(filter(None, told))
    return RooflineFigure(f"Roofline of {capture.call}", note, found, ceilings)


def _make_kernel(capture: Capture, *, is_animated: bool) -> Figure | Unavailable:
    grids = find_kernel_grids(capture)
    if isinstance(grids, Unavailable):
        return grids
    grid = max(grids, key=lambda each: each.num_steps)
    if is_animated and grid.num_steps > _MAX_FRAMES:
        return Unavailable(
            f"of {grid.num_steps:,} steps no more than {_MAX_FRAMES} can be shown", ""
        )
    if any(array.cells.num_rows * array.cells.num_columns > _MAX_CELLS for array in grid.arrays):
        return Unavailable(f"an array has more than {_MAX_CELLS:,} blocks, too many to draw", "")
    size, more = "×".join(map(str, grid.grid)), len(grid.arrays) - _MAX_ARRAYS
    parts = [
        f"Equation {grid.id}: grid {size}, {format_count(grid.num_steps, 'step')}, the last axis "
        "fastest; on a GPU in any order. A block is labelled with the points of the grid that take "
        "it, and coloured by the first axis where that is one number.",
        "The other kernels are not shown." if len(grids) > 1 else "",
        f"The blocks of {format_count(grid.num_unknown, 'other array')} could not be worked out."
        if grid.num_unknown
        else "",
        f"{more:,} more arrays." if more > 0 else "",
    ]
    title = f"Pallas kernel of {capture.call}"
    return KernelFigure(title, " ".join(filter(None, parts)), grid, is_animated)


def _make_collective(capture: Capture, *, is_animated: bool) -> Figure | Unavailable:
    stage = capture.stage("optimized")
    graph = stage.graph if stage is not None else Unavailable("there is no optimized program", "")
    if isinstance(graph, Unavailable):
        return graph
    found = [each for each in find_collectives(graph, capture.placement) if _is_drawn(each)]
    if not found:
        return Unavailable(
            "the program has no all-gather, reduce-scatter, all-reduce or all-to-all of 2 to "
            f"{_MAX_DEVICES} devices",
            "",
        )
    largest = max(found, key=lambda each: 0.0 if math.isnan(each.sent_bytes) else each.sent_bytes)
    groups: Sequence[tuple[int, ...]] = (
        () if isinstance(largest.groups, Unavailable) else largest.groups
    )
    devices = max(groups, key=len)
    whole = largest.result_bytes if largest.kind == "all-gather" else largest.operand_bytes
    part = whole / len(devices)
    others = f" One of {len(groups):,} groups." if len(groups) > 1 else ""
    much = f"{format_bytes(whole)} in {len(devices):,} parts"
    match largest.kind:
        case "all-to-all":
            how = (
                f"{much} on each device; 0→1 is what device 0 has for device 1. In step k each "
                "sends to the device k places on."
            )
        case "all-gather":
            how = f"Around a ring, {much}."
        case _:
            how = f"Around a ring, {much}; A·2 is part A summed up over 2 devices."
    note = f"{how} Framed: what was just received. XLA may do it otherwise.{others}"
    name = "" if largest.id.startswith(largest.kind) else f" {largest.id}"
    title = f"{largest.kind}{name} of {capture.call}"
    return CollectiveFigure(title, note, largest.kind, devices, part, is_animated)


def _is_drawn(each: Collective) -> bool:
    drawn = ("all-gather", "reduce-scatter", "all-reduce", "all-to-all")
    return each.kind in drawn and 2 <= each.group_size <= _MAX_DEVICES
