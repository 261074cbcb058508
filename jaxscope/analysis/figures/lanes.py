"""Bars along a common axis of time, in rows: stages one after another, or threads side by side."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from jaxscope.analysis.figures.drawing import (
    even_ticks,
    svg_box,
    svg_head,
    svg_line,
    svg_text,
    text_width,
)
from jaxscope.analysis.figures.figure import Cell, Column, Figure
from jaxscope.analysis.quantities import format_seconds
from jaxscope.analysis.view.palette import PALETTES

KIND_COLORS = {
    "light": ("#0b57d0", "#b3470b", "#7a28cb", "#1a7f37", "#767e87"),
    "dark": ("#8ab4f8", "#ffb077", "#d2a8ff", "#7ee787", "#8b949e"),
}
"""By number of the kind; rows and words tell the same to those who do not see the colours."""
TEXT_ON_BAR = {"light": "#ffffff", "dark": "#0d1117"}
_WIDTH, _RIGHT, _TOP, _BOTTOM = 1200.0, 110.0, 96.0, 46.0
_ROW, _BAR = 30.0, 22.0
_THINNEST = 1.5


@dataclasses.dataclass(frozen=True, slots=True)
class Bar:
    """One bar.

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


@dataclasses.dataclass(frozen=True, eq=False)
class LaneChart(Figure):
    """Bars in rows.

    Attributes:
        row_names: One for each row; empty for a row that goes with the one above.
        bars: In the order of the table.
        kinds: What the colours mean.
        seconds: Where the axis ends; it begins at 0.
        writes_labels: Whether bars carry their labels; else only the rows have names.
    """

    title: str
    note: str
    row_names: tuple[str, ...]
    bars: tuple[Bar, ...]
    kinds: tuple[str, ...]
    seconds: float
    writes_labels: bool = True
    columns: tuple[Column, ...] = (
        Column("what"),
        Column("where"),
        Column("began", "s"),
        Column("ended", "s"),
        Column("duration", "s"),
        Column("what it is"),
    )

    def rows(self) -> Sequence[Sequence[Cell]]:
        names = self.full_row_names()
        return [
            (
                bar.label,
                names[bar.row],
                bar.began,
                bar.ended,
                bar.seconds if bar.value is None else bar.value,
                self.kinds[bar.kind],
                *bar.more,
            )
            for bar in self.bars
        ]

    def full_row_names(self) -> list[str]:
        """Names of the rows, those that go with the one above included."""
        names: list[str] = []
        for name in self.row_names:
            names.append(name or (names[-1] if names else ""))
        return names

    def svg_lines(self, theme: str) -> Iterator[str]:
        palette, colors = PALETTES[theme], KIND_COLORS[theme]
        left = 30 + max((text_width(name) for name in self.row_names), default=0.0)
        height = _TOP + _ROW * len(self.row_names) + _BOTTOM
        scale = (_WIDTH - left - _RIGHT) / max(self.seconds, 1e-12)
        yield svg_head(_WIDTH, height, palette.background, self.title)
        yield svg_text(20, 30, self.title[:110], palette.text, size=18)
        yield svg_text(20, 54, self.note[:150], palette.muted, size=14)
        x = 20.0
        for kind, name in enumerate(self.kinds):
            yield svg_box(x, 66, 14, 14, colors[kind])
            yield svg_text(x + 20, 79, name, palette.text, size=14)
            x += 40 + text_width(name, 14)
        bottom = height - _BOTTOM
        for value in even_ticks(0.0, self.seconds):
            at = left + value * scale
            yield svg_line(at, _TOP, at, bottom, palette.frame_border)
            yield svg_text(at, bottom + 22, format_seconds(value), palette.text, anchor="middle")
        for row, name in enumerate(self.row_names):
            middle = _TOP + _ROW * row + _ROW / 2
            yield svg_text(left - 10, middle + 5, name, palette.text, anchor="end")
        for bar in self.bars:
            x, top = left + bar.began * scale, _TOP + _ROW * bar.row + (_ROW - _BAR) / 2
            width = max(bar.seconds * scale, _THINNEST)
            yield svg_box(x, top, width, _BAR, colors[bar.kind], bar.hint)
            if not self.writes_labels:
                continue
            if text_width(bar.label, 13) < width - 8:
                yield svg_text(x + 5, top + 16, bar.label, TEXT_ON_BAR[theme], size=13)
        yield from self._durations(left, scale, palette.text)
        yield "</svg>"

    def _durations(self, left: float, scale: float, color: str) -> Iterator[str]:
        """Durations beside the bars of rows that have only one."""
        alone: dict[int, list[Bar]] = {}
        for bar in self.bars:
            alone.setdefault(bar.row, []).append(bar)
        for row, bars in alone.items():
            if len(bars) == 1:
                x = left + bars[0].ended * scale + 6
                seconds = bars[0].seconds if bars[0].value is None else bars[0].value
                y = _TOP + _ROW * row + _ROW / 2 + 5
                yield svg_text(x, y, format_seconds(seconds), color, size=14)
