"""Charts of measurements (distribution, waterfall of stages, timeline of a run): SVG and PNG, with
their tables as CSV and JSON.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
import json
import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.export.svg_chart import (
    SERIES_COLORS,
    Axis,
    draw_columns,
    draw_heading,
    draw_rows,
    even_ticks,
    note_height,
    svg_box,
    svg_head,
    svg_line,
    svg_text,
    svg_to_png,
    text_width,
    ticks,
    wrap_note,
)
from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import Environment
from jaxscope.model.experiments import CompileTime
from jaxscope.model.said import ENDED, LINES, LISTED, NAMED, say, say_count, say_joined
from jaxscope.model.timing import Measurement, Timeline
from jaxscope.model.units import format_place, format_seconds, format_share
from jaxscope.picture.palette import PALETTES
from jaxscope.report.document import (
    Cell,
    Table,
    count_cell,
    known_cell,
    table_to_csv,
    table_to_json,
)
from jaxscope.report.measurements import describe_noise, describe_spread
from jaxscope.schema.contract import environment_to_json

# What figures show: bars, distributions, gaps of a profiled run.


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a `LaneChart`.

    Attributes:
        row: Number of its row.
        began: Seconds from the left end of the axis.
        seconds: Its length.
        kind: Number of what it stands for, of the chart's `kinds`.
        label: Written into it or beside it.
        hint: Told where the pointer rests.
        name: Of the instruction that it stands for; may be empty.
        value: Seconds that the table gives; those of the bar where NaN is not meant, such as one
            call out of many that the bar covers.
        more: Cells of further columns of the table.
    """

    row: int
    began: float
    seconds: float
    kind: int
    label: str
    hint: str
    name: str = ""
    value: float | None = None
    more: tuple[Cell, ...] = ()

    @property
    def ended(self) -> float:
        return self.began + self.seconds


@dataclass(frozen=True, slots=True)
class Distribution:
    """The calls of one measurement.

    Attributes:
        name: Of what was called.
        counts: Calls per bin.
        median: Seconds.
        low: Lower end of the interval of the median.
        high: Upper end.
    """

    name: str
    counts: tuple[int, ...]
    median: float
    low: float
    high: float

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of all calls in each bin."""
        total = max(sum(self.counts), 1)
        return tuple(count / total for count in self.counts)


def describe_coverage(timeline: Timeline) -> str:
    """How much of the run instructions explain, and what is left."""
    gaps_s = max(timeline.wall - timeline.covered, 0.0)
    left_out = say("{num:,} of the shortest events are not drawn.", num=timeline.num_left_out)
    told = say(
        "{share} of {wall} with an instruction at work, {gaps} dispatch and gaps; recorded, the "
        "run of median length.",
        share=format_share(timeline.coverage),
        wall=format_seconds(timeline.wall),
        gaps=format_seconds(gaps_s),
    )
    return say_joined((told, left_out if timeline.num_left_out else ""))


def find_gaps(timeline: Timeline) -> list[tuple[float, float]]:
    """Beginnings and ends of the times of the run in which no instruction was at work."""
    order = np.argsort(timeline.began, kind="stable")
    began = timeline.began[order]
    reached = np.maximum.accumulate((timeline.began + timeline.seconds)[order])
    starts = np.concatenate([[0.0], reached])
    ends = np.concatenate([began, [timeline.wall]])
    starts, ends = np.clip(starts, 0.0, timeline.wall), np.clip(ends, 0.0, timeline.wall)
    is_gap = ends > starts
    return list(zip(starts[is_gap].tolist(), ends[is_gap].tolist(), strict=True))


ENDINGS = (".svg", ".png", ".csv", ".json")
"""Of files that a figure can be written to."""


class Figure(abc.ABC):
    """A figure; the classes below say what is drawn.

    Attributes:
        title: What it shows.
        note: What to know when reading it, a sentence or two; may be empty.
    """

    title: str
    note: str

    @abc.abstractmethod
    def table(self) -> Table:
        """One row for each thing that is drawn."""

    @abc.abstractmethod
    def svg_lines(self, theme: str) -> Iterator[str]:
        """The picture as lines of an SVG document, in a theme of `PALETTES`."""

    def with_note(self, note: str) -> Figure:
        """The same figure with another note."""
        changed: Figure = dataclasses.replace(self, note=note)  # type: ignore[type-var] # all are
        return changed


def write_figure(
    figure: Figure, ending: str, theme: str = "light", environment: Environment | None = None
) -> bytes:
    """A figure as the content of a file, in one of the formats.

    Args:
        ending: One of `ENDINGS`.
        theme: Of pictures.
        environment: Where it was measured; JSON says it.

    Raises:
        ValueError: There is no such form.
    """
    noise = describe_noise(environment)
    if noise:
        figure = figure.with_note(f"{noise} {figure.note}")
    match ending.lower():
        case ".svg":
            return "\n".join(figure.svg_lines(theme)).encode()
        case ".png":
            return svg_to_png("\n".join(figure.svg_lines(theme)))
        case ".csv":
            return table_to_csv(_with_noise(figure.table(), noise)).encode()
        case ".json":
            return _to_json(figure, environment).encode()
    raise ValueError(f"a figure is written to {', '.join(ENDINGS)}, not to {ending!r}")


def _with_noise(table: Table, noise: str) -> Table:
    """A table whose last column says in each row what disturbed the measuring."""
    rows = [(*row, noise) for row in table.rows]
    return Table((*table.headers, "noise"), rows, units=(*table.units, ""))


def _to_json(figure: Figure, environment: Environment | None) -> str:
    found = {
        "format": "jaxscope.figure",
        "version": 1,
        "title": figure.title,
        "note": figure.note or None,
        "environment": None if environment is None else environment_to_json(environment),
        **table_to_json(figure.table()),
    }
    return json.dumps(found, indent=2, allow_nan=False)


# Bars along a common axis of time, in rows: stages one after another, or threads side by side.


KIND_COLORS = {
    "light": ("#0b57d0", "#b3470b", "#7a28cb", "#1a7f37", "#767e87"),
    "dark": ("#8ab4f8", "#ffb077", "#d2a8ff", "#7ee787", "#8b949e"),
}
"""By number of the kind; rows and words say the same to those who do not see the colours."""
TEXT_ON_BAR = {"light": "#ffffff", "dark": "#0d1117"}
_BARS_WIDTH_PX, _BARS_RIGHT_PX, _BARS_TOP_PX, _BARS_BOTTOM_PX = 1200.0, 110.0, 104.0, 46.0
_ROW, _BAR = 30.0, 22.0
_THINNEST = 1.5


@dataclass(frozen=True, eq=False)
class LaneChart(Figure):
    """A chart of horizontal bars in rows, over time.

    Attributes:
        row_names: One for each row; empty for a row that goes with the one above.
        bars: In the order of the table.
        kinds: What the colours mean.
        seconds: Where the axis ends; it begins at 0.
        writes_labels: Whether bars carry their labels; else only the rows have names.
        headers: Of the table.
        units: Of the columns of the table.
    """

    title: str
    note: str
    row_names: tuple[str, ...]
    bars: tuple[Bar, ...]
    kinds: tuple[str, ...]
    seconds: float
    writes_labels: bool = True
    headers: tuple[str, ...] = ("what", "where", "began", "ended", "duration", "what it is")
    units: tuple[str, ...] = ("", "", "s", "s", "s", "")

    def table(self) -> Table:
        names = self.full_row_names()
        rows = [
            (
                bar.label,
                names[bar.row],
                known_cell(bar.began, format_seconds),
                known_cell(bar.ended, format_seconds),
                known_cell(bar.seconds if bar.value is None else bar.value, format_seconds),
                self.kinds[bar.kind],
                *bar.more,
            )
            for bar in self.bars
        ]
        return Table(self.headers, rows, units=self.units)

    def full_row_names(self) -> list[str]:
        """Names of the rows, those that go with the one above included."""
        names: list[str] = []
        for name in self.row_names:
            names.append(name or (names[-1] if names else ""))
        return names

    def svg_lines(self, theme: str) -> Iterator[str]:
        palette, colors = PALETTES[theme], KIND_COLORS[theme]
        left = 30 + max((text_width(name) for name in self.row_names), default=0.0)
        note = wrap_note(self.note, _BARS_WIDTH_PX)
        lower = note_height(note)
        top_of_bars = _BARS_TOP_PX + lower
        height = top_of_bars + _ROW * len(self.row_names) + _BARS_BOTTOM_PX
        right = _BARS_WIDTH_PX - _BARS_RIGHT_PX
        time = Axis(0.0, max(self.seconds, 1e-12), left, right)
        yield svg_head(_BARS_WIDTH_PX, height, palette.background, self.title)
        yield from draw_heading(self.title, note, theme, _BARS_WIDTH_PX)
        x = 20.0
        for kind, name in enumerate(self.kinds):
            yield svg_box(x, 74 + lower, 14, 14, colors[kind])
            yield svg_text(x + 20, 87 + lower, name, palette.text, size=14)
            x += 40 + text_width(name, 14)
        bottom = height - _BARS_BOTTOM_PX
        yield from draw_columns(time, even_ticks(0.0, self.seconds), format_seconds,
                                (top_of_bars, bottom), palette)  # fmt: skip
        for row, name in enumerate(self.row_names):
            middle = top_of_bars + _ROW * row + _ROW / 2
            yield svg_text(left - 10, middle + 5, name, palette.text, anchor="end")
        for bar in self.bars:
            x, top = time.place(bar.began), top_of_bars + _ROW * bar.row + (_ROW - _BAR) / 2
            width = max(time.place(bar.ended) - x, _THINNEST)
            yield svg_box(x, top, width, _BAR, colors[bar.kind], bar.hint)
            if not self.writes_labels:
                continue
            if text_width(bar.label, 13) < width - 8:
                yield svg_text(x + 5, top + 16, bar.label, TEXT_ON_BAR[theme], size=13)
        yield from self._durations(time, top_of_bars, palette.text)
        yield "</svg>"

    def _durations(self, time: Axis, top: float, color: str) -> Iterator[str]:
        """Durations beside the bars of rows that have only one."""
        alone: dict[int, list[Bar]] = {}
        for bar in self.bars:
            alone.setdefault(bar.row, []).append(bar)
        for row, bars in alone.items():
            if len(bars) == 1:
                x = time.place(bars[0].ended) + 6
                seconds = bars[0].seconds if bars[0].value is None else bars[0].value
                y = top + _ROW * row + _ROW / 2 + 5
                yield svg_text(x, y, format_seconds(seconds), color, size=14)


# How the durations of calls are distributed, on a logarithmic axis.


NUM_BINS = 60
_LEAST_SAMPLES = 3
_HISTOGRAM_WIDTH_PX, _HISTOGRAM_HEIGHT_PX = 1200.0, 640.0
_HISTOGRAM_LEFT_PX = 90.0
_HISTOGRAM_RIGHT_PX = 30.0
_HISTOGRAM_TOP_PX = 100.0
_HISTOGRAM_BOTTOM_PX = 70.0


@dataclass(frozen=True, eq=False)
class Histogram(Figure):
    """Several distributions over the same bins.

    Attributes:
        edges: Seconds, one more than there are bins, in even steps of a logarithmic scale.
        series: At most four.
    """

    title: str
    note: str
    edges: tuple[float, ...]
    series: tuple[Distribution, ...]

    def table(self) -> Table:
        rows = [
            (
                found.name,
                known_cell(self.edges[place], format_seconds),
                known_cell(self.edges[place + 1], format_seconds),
                count_cell(calls),
                known_cell(share, functools.partial(format_share, decimals=1)),
            )
            for found in self.series
            for place, (calls, share) in enumerate(zip(found.counts, found.shares, strict=True))
            if calls
        ]
        return Table(("what", "from", "to", "calls", "share"), rows, units=("", "s", "s", "", ""))

    def describe_bin(self, place: int) -> str:
        """What lies between two edges, in words; empty where there is no such bin."""
        if not 0 <= place < len(self.edges) - 1:
            return ""
        found = [f"{one.name} {format_share(one.shares[place], 1)} ({one.counts[place]:,} calls)"
                 for one in self.series if one.counts[place]]  # fmt: skip
        low, high = self.edges[place], self.edges[place + 1]
        return f"{format_seconds(low)} to {format_seconds(high)}: " + (
            ", ".join(found) if found else "no call"
        )

    def svg_lines(self, theme: str) -> Iterator[str]:
        palette, colors = PALETTES[theme], SERIES_COLORS[theme]
        note = wrap_note(self.note, _HISTOGRAM_WIDTH_PX)
        lower = note_height(note)
        height, top = _HISTOGRAM_HEIGHT_PX + lower, _HISTOGRAM_TOP_PX + lower
        bottom = height - _HISTOGRAM_BOTTOM_PX
        right = _HISTOGRAM_WIDTH_PX - _HISTOGRAM_RIGHT_PX
        left, edges = _HISTOGRAM_LEFT_PX, self.edges
        highest = max(max(one.shares) for one in self.series) or 1.0
        across = Axis(edges[0], edges[-1], left, right, is_logarithmic=True)
        up = Axis(0.0, highest, bottom, top + 8)
        yield svg_head(_HISTOGRAM_WIDTH_PX, height, palette.background, self.title)
        yield from draw_heading(self.title, note, theme, _HISTOGRAM_WIDTH_PX)
        yield from draw_columns(across, ticks(edges[0], edges[-1]), format_seconds, (top, bottom),
                                palette)  # fmt: skip
        yield from draw_rows(up, even_ticks(0.0, highest, 5), _format_bar_share, (left, right),
                             palette)  # fmt: skip
        for number, one in enumerate(self.series):
            color = colors[number % len(colors)]
            yield self._outline(one, color, across, up)
            middle = across.place(min(max(one.median, edges[0]), edges[-1]))
            yield svg_line(middle, top, middle, bottom, color, 2.0)
            yield svg_text(24 + 290 * number, 86 + lower, "■", color, size=18)
            said = f"{one.name}: {format_seconds(one.median)}"
            yield svg_text(44 + 290 * number, 86 + lower, said, palette.text)
        middle = (left + right) / 2
        yield svg_text(middle, height - 18, "time of one call", palette.text, anchor="middle")
        yield "</svg>"

    def _outline(self, one: Distribution, color: str, across: Axis, up: Axis) -> str:
        places = [f"M{across.place(self.edges[0]):.2f},{up.place(0.0):.2f}"]
        for place, share in enumerate(one.shares):
            places.append(f"V{up.place(share):.2f}H{across.place(self.edges[place + 1]):.2f}")
        places.append(f"V{up.place(0.0):.2f}Z")
        return (
            f'<path d="{"".join(places)}" fill="{color}" fill-opacity="0.35" stroke="{color}" '
            f'stroke-width="2"/>'
        )


def _format_bar_share(share: float) -> str:
    return f"{share:.3g}" if share < 0.01 else f"{share:.0%}"


def make_histogram(call: str, measurements: Sequence[Measurement]) -> Histogram | None:
    """The distributions of measurements with more than a few samples; None without any.

    Samples of zero seconds have no place on the axis; they are left out, and that is said.
    """
    drawn = [m for m in measurements if sum(s > 0 for s in m.samples) >= _LEAST_SAMPLES][:4]
    if not drawn:
        return None
    samples = [np.log10([s for s in m.samples if s > 0]) for m in drawn]
    low, high = min(s.min() for s in samples), max(s.max() for s in samples)
    edges = np.linspace(low - 0.02, high + 0.02, NUM_BINS + 1)
    series = tuple(
        Distribution(
            m.name.replace("_", " "),
            tuple(np.histogram(logs, edges)[0].tolist()),
            m.median,
            m.low,
            m.high,
        )
        for m, logs in zip(drawn, samples, strict=True)
    )
    num_zero = sum(s <= 0 for m in drawn for s in m.samples)
    zero = say("{readings} of 0 s left out.", readings=say_count(num_zero, "reading"))
    noisy = ", ".join(m.name.replace("_", " ") for m in drawn if m.is_noisy)
    badge = say(ENDED, text=say("Noisy: {told}", told=noisy)) if noisy else ""
    axis = say("Logarithmic axis; upright lines are medians.")
    note = say_joined((axis, badge, zero if num_zero else ""))
    return Histogram(f"Times of {call}", note, tuple((10.0**edges).tolist()), series)


TIMELINE_KINDS = (
    "instruction",
    "with others inside",
    "until the call returned",
    "until its result was ready",
    "gap",
)
_LEAF, _AROUND, _DISPATCH, _WAIT, _GAP = range(5)
GAP_ROW = "dispatch and gaps"


def timeline_chart(call: str, timeline: Timeline) -> LaneChart:
    """Rows: Python, the threads with what runs inside of what, and where nothing is at work."""
    depths, is_around = _find_depths(timeline)
    rows, names = _make_rows(timeline, depths)
    python = (
        Bar(0, 0.0, timeline.returned, _DISPATCH, "dispatch",
            f"dispatch: {format_seconds(timeline.returned)} until the call came back to Python"),
        Bar(0, timeline.returned, max(timeline.wall - timeline.returned, 0.0), _WAIT, "wait",
            f"wait: {format_seconds(timeline.wall - timeline.returned)} until the result was "
            "ready"),
    )  # fmt: skip
    events = tuple(
        Bar(
            rows[lane, depth],
            began,
            seconds,
            _AROUND if around else _LEAF,
            timeline.names[name],
            f"{timeline.names[name]}: {format_seconds(seconds)}\nfrom {format_seconds(began)} to "
            f"{format_seconds(began + seconds)}, {timeline.lanes[lane]}",
            name=timeline.names[name],
        )
        for name, lane, began, seconds, depth, around in zip(
            timeline.name.tolist(),
            timeline.lane.tolist(),
            timeline.began.tolist(),
            timeline.seconds.tolist(),
            depths.tolist(),
            is_around.tolist(),
            strict=True,
        )
    )
    gaps = tuple(
        Bar(len(names), began, ended - began, _GAP, "gap",
            f"nothing at work for {format_seconds(ended - began)}")
        for began, ended in find_gaps(timeline)
    )  # fmt: skip
    return LaneChart(
        f"One run of {call}",
        describe_coverage(timeline),
        (*names, GAP_ROW),
        (*python, *events, *gaps),
        TIMELINE_KINDS,
        max(timeline.wall, max((bar.ended for bar in events), default=0.0)),
    )


def _find_depths(timeline: Timeline) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
    """For each event, how many of its lane it is inside of, and whether any are inside of it."""
    count = len(timeline.began)
    depths, is_around = np.zeros(count, np.int32), np.zeros(count, np.bool_)
    ended = timeline.began + timeline.seconds
    open_by_lane: dict[int, list[int]] = {}
    for event in np.lexsort((-timeline.seconds, timeline.began)).tolist():
        around = open_by_lane.setdefault(int(timeline.lane[event]), [])
        while around and ended[around[-1]] <= timeline.began[event]:
            around.pop()
        depths[event] = len(around)
        if around:
            is_around[around[-1]] = True
        around.append(event)
    return depths, is_around


def _make_rows(
    timeline: Timeline, depths: npt.NDArray[np.int32]
) -> tuple[dict[tuple[int, int], int], Sequence[str]]:
    """Number of the row of each lane and depth, and the names of the rows."""
    rows: dict[tuple[int, int], int] = {}
    names = ["Python"]
    for lane, name in enumerate(timeline.lanes):
        of_lane = depths[timeline.lane == lane]
        for depth in range(int(of_lane.max()) + 1 if len(of_lane) else 0):
            rows[lane, depth] = len(names)
            names.append(name if depth == 0 else "")
    return rows, names


WATERFALL_KINDS = ("once", "first calls", "until steady", "steady calls", "copies, many at once")
_ONCE, _FIRST, _SETTLING, _STEADY, _BESIDE = range(5)
_STAGES = frozenset({"import", "start", "trace", "lower", "compile"})
_COPIES = frozenset({"transfer", "fetch", "throughput"})


def waterfall_chart(call: str, measurements: Sequence[Measurement]) -> LaneChart | None:
    """The chart of a call's measurements; None where it is not known when they were taken."""
    placed = [
        m
        for m in measurements
        if math.isfinite(m.began) and m.began <= m.ended < math.inf and not _is_part(m)
    ]
    placed.sort(key=lambda m: (m.began, m.ended))
    if not placed:
        return None
    names = tuple(f"{m.name.replace('_', ' ')}{f' ({m.detail})' if m.detail else ''}"
                  for m in placed)  # fmt: skip
    bars = tuple(
        Bar(
            row,
            measurement.began,
            measurement.ended - measurement.began,
            _kind_of(measurement.name),
            names[row],
            _hint(measurement, names[row]),
            name=measurement.name,
            value=measurement.median,
            more=(
                count_cell(measurement.runs),
                known_cell(measurement.low, format_seconds),
                known_cell(measurement.high, format_seconds),
                # 0 of what was measured once
                known_cell(measurement.confidence or math.nan, str),
                "noisy" if measurement.is_noisy else "",
            ),
        )
        for row, measurement in enumerate(placed)
    )
    note = say(
        "Beginning and end of each as they happened; beside a bar what it takes once, median."
    )
    if any(m.num_processes > 1 for m in placed):
        note = say_joined((note, say("Places are those of the first process.")))
    return LaneChart(
        f"Stages of {call}",
        note,
        names,
        bars,
        WATERFALL_KINDS,
        max(m.ended for m in placed),
        writes_labels=False,
        headers=(
            *("what", "where", "began", "ended", "takes, median", "what it is", "runs", "low"),
            *("high", "confidence", "noisy"),
        ),
        units=("", "", "s", "s", "s", "", "", "s", "s", "", ""),
    )


def _is_part(measurement: Measurement) -> bool:
    """Dispatch and wait are parts of calls that have a bar already."""
    return measurement.name.endswith(("dispatch", "wait"))


def _kind_of(name: str) -> int:
    if name.endswith("_call"):
        return _FIRST
    if name in _COPIES:
        return _BESIDE
    if name.endswith(("until_steady", "warm_up")):
        return _SETTLING
    stage = name.rpartition("_")[2]
    return _ONCE if stage in _STAGES else _STEADY


def _hint(measurement: Measurement, name: str) -> str:
    spread = describe_spread(measurement) if measurement.runs > 1 else ""
    noisy = say("noisy") if measurement.is_noisy else ""
    took = say_joined((format_seconds(measurement.median), spread, noisy), LISTED)
    when = say(
        "measured from {began} to {ended} of the run",
        began=format_seconds(measurement.began),
        ended=format_seconds(measurement.ended),
    )
    first = say(NAMED, name=name, meaning=took)
    return say(
        LINES, first=say(LINES, first=first, then=when), then=measurement.describe_protocol()
    )


# Where compile time went: a flame graph whose rows lie below what they are in.


COMPILE_KINDS = ("a stage", "a line of Python", "XLA", "other threads meanwhile", "not attributed")
_COMPILE_KIND_OF = {"stage": 0, "line": 1, "pass": 2, "threads": 3}


def compile_chart(found: CompileTime) -> LaneChart:
    """A flame graph: what stands below a bar makes up the whole of it."""
    began: list[float] = []
    rows: list[int] = []
    filled: dict[int, float] = {}  # by number of a part: where the next one in it begins
    bars = []
    for number, span in enumerate(found.spans):
        outer = span.parent if span.parent < number else -1  # a saved one may say anything
        row = rows[outer] + 1 if outer >= 0 else 0
        start = filled.get(outer, began[outer] if outer >= 0 else 0.0)
        filled[outer] = start + span.seconds
        began.append(start)
        rows.append(row)
        share = format_share(span.seconds / found.seconds if found.seconds > 0 else math.nan, 1)
        place = format_place(span.file, span.line)
        took = say("{seconds}, {share} of all", seconds=format_seconds(span.seconds), share=share)
        told: str = say(NAMED, name=span.name, meaning=took)
        if place:
            told = say("{told}. {place}", told=told, place=place)
        bars.append(
            Bar(
                row,
                start,
                span.seconds,
                _COMPILE_KIND_OF.get(span.kind, len(COMPILE_KINDS) - 1),
                span.name,
                told,
                name=str(number),
                more=(place,),
            )
        )
    depth = max(rows, default=-1) + 1
    return LaneChart(
        f"Compile time of {found.call}",
        say(
            "{seconds} in all, one run. Lines are sampled ({looks} at the stack); XLA's parts are "
            "from its recorder.",
            seconds=format_seconds(found.seconds),
            looks=say_count(found.num_looks, "look"),
        ),
        (say("stage"), *("" for _ in range(depth - 1))),
        tuple(bars),
        COMPILE_KINDS,
        found.seconds,
        headers=("what", "where", "began", "ended", "seconds", "what it is", "line"),
        units=("", "", "s", "s", "s", "", ""),
    )
