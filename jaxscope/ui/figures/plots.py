"""Plots made with pyqtgraph: charts over logarithmic axes, histograms of times, memory over steps,
the roofline.

Importing pyqtgraph takes half a second, so this module is imported when the first plot is shown.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyqtgraph
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QTransform
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from jaxscope.export.chart import Chart, Point
from jaxscope.export.figures import Histogram
from jaxscope.export.svg_chart import SERIES_COLORS, ticks
from jaxscope.model.hardware import Ceilings
from jaxscope.model.units import format_bytes, format_flops, format_seconds, three_digits
from jaxscope.program.memory.live_ranges import LiveRanges
from jaxscope.program.roofline import Limit, RooflinePoint, find_limit, find_peak
from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.theme import LIGHT, Theme

# What all plots have: their looks, and finding what is near the pointer.


_NEAR_PX = 24.0
_FILL_ALPHA = 90


class Plot(QWidget):
    """A plot in the theme's colours, between an optional legend above and a reading below.

    Args:
        name: For screen readers.
        axes: Axes of another kind than pyqtgraph's, by `bottom` and `left`.
        has_key: Whether there is a legend above the plot, as a line of text.
        has_reading: Whether there is a line below that says what is under the pointer.
    """

    def __init__(
        self,
        name: str,
        axes: Mapping[str, pyqtgraph.AxisItem],
        *,
        has_key: bool = False,
        has_reading: bool = False,
    ) -> None:
        super().__init__()
        self.plot = pyqtgraph.PlotWidget(axisItems=dict(axes))
        self.plot.setMenuEnabled(False)
        for each in ("bottom", "left"):
            # Ticks are written as values: a factor such as (x0.001) beside the label is false.
            self.plot.getAxis(each).enableAutoSIPrefix(False)
        self.plot.setAccessibleName(name)
        self.plot.viewport().setAccessibleName(name)
        self.key, self.reading = QLabel(), QLabel()
        self.reading.setProperty("role", "muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for part, stretch, is_wanted in (
            (self.key, 0, has_key),
            (self.plot, 1, True),
            (self.reading, 0, has_reading),
        ):
            if is_wanted:
                layout.addWidget(part, stretch)

    def start_drawing(self, theme: Theme, bottom: str, left: str) -> None:
        """Take everything away, and take a theme's colours and the labels of the axes."""
        self.plot.clear()
        self.plot.setBackground(theme.surface)
        for name, label in (("bottom", bottom), ("left", left)):
            axis = self.plot.getAxis(name)
            axis.setPen(theme.border)
            axis.setTextPen(theme.text)
            axis.setTickFont(self.font())
            axis.setLabel(label, color=theme.text)

    def show_key(self, *entries: tuple[str, str, str]) -> None:
        """Write the legend above: sign, colour and name of each entry."""
        told = (
            f'<span style="color:{colour}">{sign}</span> {name}' for sign, colour, name in entries
        )
        self.key.setText("&nbsp;&nbsp; ".join(told))

    def draw_steps(self, edges: npt.ArrayLike, heights: npt.ArrayLike, colour: QColor) -> None:
        """Draw a filled stair of values between edges."""
        fill = QColor(colour)
        fill.setAlpha(_FILL_ALPHA)
        self.plot.plot(
            edges,
            heights,
            stepMode="center",
            fillLevel=0,
            brush=fill,
            pen=pyqtgraph.mkPen(colour, width=2),
        )

    def find_nearest(self, marks: Iterable[tuple[float, float]], place: QPointF) -> int:
        """The number of the mark nearest to a place of the plot's scene; -1 where none is near."""
        box = self.plot.getPlotItem().vb
        best, found = _NEAR_PX, -1
        for number, (x, y) in enumerate(marks):
            mark = box.mapViewToScene(QPointF(x, y))
            distance = math.hypot(mark.x() - place.x(), mark.y() - place.y())
            if distance < best:
                best, found = distance, number
        return found


_SYMBOLS = ("o", "s", "d", "t")


class PowerAxis(pyqtgraph.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """An axis of logarithms whose ticks are written as the values themselves."""

    def __init__(self, orientation: str, write: Callable[[float], str]) -> None:
        super().__init__(orientation)
        self.write = write

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        return [self.write(10.0**value) for value in values]

    def tickValues(self, low: float, high: float, _size: float) -> list[tuple[float, list[float]]]:
        """Ticks at 1, 3, 10 or finer, as many as the range asks for."""
        if not -300 < low < high < 300:
            return []
        return [(0.3, [math.log10(value) for value in ticks(10.0**low, 10.0**high)])]


class _Label(pyqtgraph.TextItem):  # type: ignore[misc] # pyqtgraph has no types
    """A text in a plot."""

    def updateTransform(self, force: bool = False) -> None:
        """Keep the text upright; as a point while the plot has no size.

        What places things in the plot has no inverse then. pyqtgraph takes another matrix for it,
        in a way that NumPy is about to take away.
        """
        parent = self.parentItem()
        if parent is None or parent.sceneTransform().determinant():
            super().updateTransform(force)
        else:
            self.setTransform(QTransform.fromScale(0, 0))


def _write_size(size: float) -> str:
    """A size as text; empty for a tick that is no whole number, as no size is."""
    is_whole = size >= 0.5 and math.isclose(size, round(size), rel_tol=1e-6)
    return f"{size:,.0f}" if is_whole else ""


class ChartPlot(Plot):
    """Draws a chart anew for every change of data or theme."""

    def __init__(self) -> None:
        self._chart: Chart | None = None
        self._axis = PowerAxis("left", str)
        bottom = PowerAxis("bottom", _write_size)
        name = tr("Chart; the table below has the same values")
        super().__init__(name, {"bottom": bottom, "left": self._axis}, has_reading=True)
        self.plot.showGrid(x=True, y=True, alpha=0.25)
        self._legend = self.plot.addLegend(offset=(10, 6), colCount=4)
        self.plot.scene().sigMouseMoved.connect(self._on_scene_mouse_moved)

    def show_chart(self, chart: Chart, theme: Theme) -> None:
        """Draw a chart."""
        self._chart = chart
        self._axis.write = chart.y_text
        self.start_drawing(theme, chart.x_label, tr(chart.y_label))
        self._legend.setLabelTextColor(theme.text)
        self._legend.setBrush(pyqtgraph.mkBrush(theme.raised))
        self._legend.setPen(pyqtgraph.mkPen(theme.border))
        colors = SERIES_COLORS[theme.name]
        for number, series in enumerate(chart.series):
            color = QColor(colors[number % len(colors)])
            self._draw_series(series.points, tr_said(series.name), color, number)
        self._leave_room_for_legend(chart)
        self.reading.setText(tr("Point at a mark to read its value."))

    def _leave_room_for_legend(self, chart: Chart) -> None:
        """The legend lies in a band of its own above the curves."""
        points = [point for series in chart.series for point in series.points]
        if not points:
            return
        xs = [math.log10(point.x) for point in points]
        ys = [math.log10(y) for point in points for y in (point.low, point.high)]
        span = max(max(ys) - min(ys), 0.5)
        self.plot.setXRange(min(xs), max(xs), padding=0.04)
        self.plot.setYRange(min(ys) - 0.08 * span, max(ys) + 0.3 * span, padding=0)

    def _draw_series(self, points: Sequence[Point], name: str, color: QColor, number: int) -> None:
        xs = np.log10([point.x for point in points])
        ys = np.log10([point.y for point in points])
        low = np.log10([point.low for point in points])
        high = np.log10([point.high for point in points])
        bars = pyqtgraph.ErrorBarItem(
            x=xs, y=ys, top=high - ys, bottom=ys - low, pen=pyqtgraph.mkPen(color, width=2)
        )
        self.plot.addItem(bars)
        self.plot.plot(
            xs,
            ys,
            pen=pyqtgraph.mkPen(color, width=2.5),
            symbol=_SYMBOLS[number % len(_SYMBOLS)],
            symbolBrush=color,
            symbolPen=color,
            symbolSize=11,
            name=name,
        )

    def describe_at(self, place: QPointF) -> str:
        """The mark nearest to a place of the plot's scene, or nothing."""
        if self._chart is None:
            return ""
        points = [(series.name, point) for series in self._chart.series for point in series.points]
        places = ((math.log10(point.x), math.log10(point.y)) for _, point in points)
        number = self.find_nearest(places, place)
        if number < 0:
            return ""
        (name, point), write = points[number], self._chart.y_text
        return tr(
            "{name} at {x:,.0f}: {y} ({low} to {high})",
            name=tr_said(name),
            x=point.x,
            y=write(point.y),
            low=write(point.low),
            high=write(point.high),
        )

    def _on_scene_mouse_moved(self, place: QPointF) -> None:
        text = self.describe_at(place)
        if text:
            self.reading.setText(text)


# The distributions of eager and compiled calls over a logarithmic axis of time.


_LEAST_LINES = 14
"""Of text: so high that the labels of both axes fit and bars can be distinguished."""


class TimingPlot(Plot):
    """One filled histogram per measurement; drawn anew for every change of data or theme.

    Signals:
        reading_changed: What lies under the pointer, in one line.
    """

    reading_changed = Signal(str)

    def __init__(self) -> None:
        self._histogram: Histogram | None = None
        name = tr("Distribution of call times; its table has the same values")
        super().__init__(name, {"bottom": PowerAxis("bottom", format_seconds)}, has_key=True)
        self.key.setTextFormat(Qt.TextFormat.RichText)
        self.plot.hideButtons()  # *Whole* does that, and says so
        self.plot.setMouseEnabled(x=True, y=False)
        self.setMinimumHeight(_LEAST_LINES * self.fontMetrics().height())
        self.plot.scene().sigMouseMoved.connect(self._on_scene_mouse_moved)

    def show_histogram(self, histogram: Histogram, theme: Theme) -> None:
        """Draw the distributions, and a line at the median of each."""
        self._histogram = histogram
        self.start_drawing(theme, tr("time of one call"), tr("share of calls, %"))
        for name in ("bottom", "left"):
            self.plot.getAxis(name).label.setFont(self.font())
        edges = np.log10(histogram.edges)
        colors = SERIES_COLORS[theme.name]
        shown = [
            (QColor(colors[number % len(colors)]), found)
            for number, found in enumerate(histogram.series)
        ]
        self.show_key(
            *(
                ("■", color.name(), f"{found.name}: {format_seconds(found.median)}")
                for color, found in shown
            )
        )
        for color, found in shown:
            self.draw_steps(edges, 100.0 * np.array(found.shares), color)
            line = pyqtgraph.InfiniteLine(
                math.log10(max(found.median, histogram.edges[0])),
                pen=pyqtgraph.mkPen(color, width=2, style=Qt.PenStyle.DashLine),
            )
            self.plot.addItem(line)
        self.fit()

    def fit(self) -> None:
        """Show the whole of it."""
        found = self._histogram
        if found is None:
            return
        highest = max((100.0 * max(one.shares) for one in found.series), default=1.0)
        self.plot.setXRange(math.log10(found.edges[0]), math.log10(found.edges[-1]), padding=0.02)
        self.plot.setYRange(0.0, 1.05 * highest, padding=0)

    def describe_at(self, place: QPointF) -> str:
        """The bin at a place of the plot's scene, or nothing."""
        if self._histogram is None:
            return ""
        at = 10.0 ** self.plot.getPlotItem().vb.mapSceneToView(place).x()
        return self._histogram.describe_bin(bisect.bisect_right(self._histogram.edges, at) - 1)

    def _on_scene_mouse_moved(self, place: QPointF) -> None:
        self.reading_changed.emit(self.describe_at(place))


_TICK_PX = 60.0
"""Room of a number on the axis of steps."""


class BytesAxis(pyqtgraph.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """Writes bytes with their units, at powers of two or their halves."""

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        return [format_bytes(value) if value >= 0 else "" for value in values]

    def tickValues(self, low: float, high: float, _size: float) -> list[tuple[float, list[float]]]:
        span = max(high - low, 1.0)
        step = 2.0 ** np.ceil(np.log2(span / 5))
        first = np.ceil(max(low, 0.0) / step) * step
        return [(step, np.arange(first, high, step).tolist())]


class StepAxis(pyqtgraph.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """Writes the numbers of steps, whole ones alone, in the middle of what each step takes."""

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        return [f"{math.floor(value):,}" for value in values]

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        least = max((high - low) / max(size / _TICK_PX, 1.0), 1.0)
        power = 10.0 ** math.floor(math.log10(least))
        step = power * next(n for n in (1, 2, 5, 10) if power * n >= least)
        first = math.ceil(max(low, 0.0) / step) * step
        return [(step, (np.arange(first, high - 0.5, step) + 0.5).tolist())]


class OverTimePlot(Plot):
    """Bytes at moments; what was between them is not known, so they are joined by straight lines.

    Args:
        name: For screen readers.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, {"left": BytesAxis("left")})
        self.plot.setMouseEnabled(x=True, y=False)

    def show_bytes(self, seconds: Sequence[float], sizes: Sequence[int], theme: Theme) -> None:
        """Draw them anew."""
        self.start_drawing(theme, tr("seconds"), "")
        pen = pyqtgraph.mkPen(theme.forward, width=2)
        dot = {"symbol": "o", "symbolSize": 4, "symbolBrush": theme.forward, "symbolPen": None}
        self.plot.plot(list(seconds), list(sizes), pen=pen, **dot)
        self.plot.setYRange(0, max(*sizes, 1) * 1.06, padding=0)


class MemoryPlot(Plot):
    """`step_chosen` carries the step under the pointer when it is pressed."""

    step_chosen = Signal(int)

    def __init__(self) -> None:
        self._live: LiveRanges | None = None
        self._step = 0
        axes = {"left": BytesAxis("left"), "bottom": StepAxis("bottom")}
        name = tr("Memory at each step; the table below has what is alive")
        super().__init__(name, axes, has_key=True)
        self.plot.setMouseEnabled(x=True, y=False)
        self._marker = pyqtgraph.InfiniteLine(angle=90, movable=False)
        self.plot.scene().sigMouseClicked.connect(self._on_scene_mouse_clicked)

    def show_live(self, live: LiveRanges | None, theme: Theme) -> None:
        """Draw the memory of a program."""
        self._live = live
        plot = self.plot
        self.start_drawing(theme, tr("step of the schedule, counted from 0"), tr("alive"))
        self.show_key(
            ("■", theme.forward, tr("everything")),
            ("■", theme.backward, tr("temporaries")),
            ("┆", theme.error, tr("the peak")),
            ("│", theme.selected, tr("the chosen step")),
        )
        if live is None:
            return
        edges = np.arange(len(live.steps) + 1)
        self.draw_steps(edges, live.timeline, QColor(theme.forward))
        self.draw_steps(edges, live.temporaries, QColor(theme.backward))
        peak = pyqtgraph.InfiniteLine(
            pos=live.peak_step + 0.5,
            angle=90,
            pen=pyqtgraph.mkPen(theme.error, width=1.5, style=Qt.PenStyle.DashLine),
        )
        self._marker = pyqtgraph.InfiniteLine(
            pos=self._step + 0.5, angle=90, pen=pyqtgraph.mkPen(theme.selected, width=2)
        )
        plot.addItem(peak)
        plot.addItem(self._marker)
        plot.setLimits(xMin=-1, xMax=len(live.steps) + 1)  # first: a range stays within the limits
        plot.setXRange(0, len(live.steps), padding=0.01)
        plot.setYRange(0, max(live.peak_bytes, 1.0) * 1.06, padding=0)

    def set_step(self, step: int) -> None:
        """Mark a step."""
        self._step = step
        self._marker.setPos(step + 0.5)

    def step_at(self, place: QPointF) -> int:
        """The step at a place of the plot's scene; -1 beside all of them."""
        if self._live is None:
            return -1
        x = self.plot.getPlotItem().vb.mapSceneToView(place).x()
        return int(x) if 0 <= x < len(self._live.steps) else -1

    def _on_scene_mouse_clicked(self, event: object) -> None:
        step = self.step_at(event.scenePos())  # type: ignore[attr-defined] # pyqtgraph's event
        if step >= 0:
            self.step_chosen.emit(step)


_LEAST_INTENSITY = 1e-3
_MARGIN = 3.0
"""The axes reach this factor beyond the outermost points."""


class RooflinePlot(Plot):
    """`point_chosen` carries the number of the point nearest to a click."""

    point_chosen = Signal(int)

    def __init__(self) -> None:
        self._marks: list[tuple[int, float, float]] = []
        self._points: Sequence[RooflinePoint] = ()
        self._theme = LIGHT
        axes = {
            "bottom": PowerAxis("bottom", three_digits),
            "left": PowerAxis("left", lambda value: f"{format_flops(value)}/s"),
        }
        name = tr("Roofline; the table below has the same values")
        super().__init__(name, axes, has_key=True, has_reading=True)
        self.plot.showGrid(x=True, y=True, alpha=0.25)
        self._chosen = pyqtgraph.ScatterPlotItem(size=20, brush=None)
        self.plot.scene().sigMouseMoved.connect(self._on_scene_mouse_moved)
        self.plot.scene().sigMouseClicked.connect(self._on_scene_mouse_clicked)

    def show_points(
        self, points: Sequence[RooflinePoint], ceilings: Ceilings, theme: Theme
    ) -> None:
        """Draw points under ceilings; those with hardly any FLOPs would only stretch the axes."""
        self._points, self._theme = points, theme
        self.start_drawing(theme, tr("FLOP per byte"), tr("FLOP per second"))
        limits = [find_limit(point, ceilings) for point in points]
        self._marks = list(_place_marks(points, limits))
        self._draw_roof(ceilings, _find_peaks(points, ceilings))
        measured = [mark for mark in self._marks if points[mark[0]].seconds > 0]
        possible = [mark for mark in self._marks if not points[mark[0]].seconds > 0]
        self._draw_marks(possible, theme.forward, "o", is_filled=False)
        self._draw_marks(measured, theme.backward, "d", is_filled=True)
        self._chosen = pyqtgraph.ScatterPlotItem(
            size=22, brush=None, pen=pyqtgraph.mkPen(theme.selected, width=2.5)
        )
        self.plot.addItem(self._chosen)
        self.show_key(
            ("━", theme.text, tr("the peaks")),
            ("○", theme.forward, tr("at best, not measured")),
            ("◆", theme.backward, tr("measured")),
        )
        left_out = len(points) - len(self._marks)
        self.reading.setText(
            tr("{left_out:,} with hardly any FLOPs are in the table only.", left_out=left_out)
            if left_out
            else ""
        )

    def choose(self, number: int) -> None:
        """Put a ring around a point; one that is not drawn takes the ring away."""
        mark = next((mark for mark in self._marks if mark[0] == number), None)
        self._chosen.setData([] if mark is None else [{"pos": (mark[1], mark[2])}])

    def _draw_roof(self, ceilings: Ceilings, peaks: Mapping[str, float]) -> None:
        """The memory's slope, and a level for each peak that bounds a point."""
        bandwidth, highest = ceilings.bandwidth.best, max(peaks.values())
        ridge = highest / bandwidth
        xs = [10.0 ** mark[1] for mark in self._marks] + [ridge]
        low, high = min(xs) / _MARGIN, max(xs) * _MARGIN
        corners = np.array([low, ridge, high])
        heights = np.minimum(corners * bandwidth, highest)
        pen = pyqtgraph.mkPen(self._theme.text, width=2.5)
        self.plot.plot(np.log10(corners), np.log10(heights), pen=pen)
        for rate in peaks.values():
            if rate < highest:
                ends = np.log10([rate / bandwidth, high])
                self.plot.plot(ends, np.log10([rate, rate]), pen=pen)
        ys = [10.0 ** mark[2] for mark in self._marks] + heights.tolist()
        self.plot.setXRange(math.log10(low), math.log10(high), padding=0.02)
        self.plot.setYRange(
            math.log10(min(ys) / _MARGIN), math.log10(max(ys) * _MARGIN**2), padding=0
        )
        middle = math.sqrt(low * ridge)
        labels = [(f"{format_bytes(bandwidth)}/s", middle, middle * bandwidth, (1, 1))]
        for name, rate in peaks.items():
            told = f"{format_flops(rate)}/s" + ("" if name == "measured" else f" {name}")
            labels.append((told, rate / bandwidth, rate, (0, 1)))
        for text, x, y, anchor in labels:
            label = _Label(text, color=self._theme.text, anchor=anchor)
            label.setFont(self.font())
            label.setPos(math.log10(x), math.log10(y))
            self.plot.addItem(label)

    def _draw_marks(
        self,
        marks: Sequence[tuple[int, float, float]],
        colour: str,
        symbol: str,
        *,
        is_filled: bool,
    ) -> None:
        fill = QColor(colour)
        fill.setAlpha(220 if is_filled else 40)
        self.plot.addItem(
            pyqtgraph.ScatterPlotItem(
                x=[mark[1] for mark in marks],
                y=[mark[2] for mark in marks],
                symbol=symbol,
                size=11,
                brush=fill,
                pen=pyqtgraph.mkPen(colour, width=2),
            )
        )

    def point_at(self, place: QPointF) -> int:
        """Number of the point nearest to a place of the plot's scene, or -1."""
        mark = self.find_nearest((mark[1:] for mark in self._marks), place)
        return -1 if mark < 0 else self._marks[mark][0]

    def _on_scene_mouse_moved(self, place: QPointF) -> None:
        number = self.point_at(place)
        if number >= 0:
            point = self._points[number]
            self.reading.setText(
                f"{point.name}: {format_flops(point.flops)}, {format_bytes(point.num_bytes)}, "
                f"{three_digits(point.intensity)} FLOP/byte"
            )

    def _on_scene_mouse_clicked(self, event: object) -> None:
        place = event.scenePos()  # type: ignore[attr-defined] # pyqtgraph's event
        number = self.point_at(place)
        if number >= 0:
            self.point_chosen.emit(number)


def _find_peaks(points: Sequence[RooflinePoint], ceilings: Ceilings) -> dict[str, float]:
    """The peaks that bound the points, by name; the first of a chip's where there is none."""
    names = dict.fromkeys(name for point in points for name, _ in point.work)
    peaks = {peak.name: peak.rate for peak in (find_peak(ceilings, name) for name in names)}
    known = {name: rate for name, rate in peaks.items() if not math.isnan(rate)}
    return known or {"measured": ceilings.arithmetic.best}


def _place_marks(
    points: Sequence[RooflinePoint], limits: Sequence[Limit]
) -> list[tuple[int, float, float]]:
    """Number and logarithmic place of each point that has one."""
    marks = []
    for number, (point, limit) in enumerate(zip(points, limits, strict=True)):
        if not point.intensity >= _LEAST_INTENSITY:
            continue
        rate = point.rate if point.seconds > 0 else point.flops / limit.most
        if rate > 0:
            marks.append((number, math.log10(point.intensity), math.log10(rate)))
    return marks
