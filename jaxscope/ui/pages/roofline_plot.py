"""Kernels, lines or scopes over arithmetic intensity, under what the machine reaches at most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from jaxscope.analysis.quantities import format_bytes, format_flops, three_digits
from jaxscope.analysis.roofline import (
    Limit,
    Roofline,
    RooflinePoint,
    find_limit,
    find_peak,
)
from jaxscope.model.roofline import Ceilings
from jaxscope.ui.pages.chart_plot import PowerAxis
from jaxscope.ui.theme import LIGHT, Theme

_NEAR_PX = 24.0
_LEAST_INTENSITY = 1e-3
_MARGIN = 3.0
"""The axes reach this factor beyond the outermost points."""


class RooflinePlot(QWidget):
    """`point_chosen` carries the number of the point nearest to a click."""

    point_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._marks: list[tuple[int, float, float]] = []
        self._points: Sequence[RooflinePoint] = ()
        self._theme = LIGHT
        self.legend = QLabel()
        axes = {
            "bottom": PowerAxis("bottom", three_digits),
            "left": PowerAxis("left", lambda value: f"{format_flops(value)}/s"),
        }
        self.plot = pyqtgraph.PlotWidget(axisItems=axes)
        self.plot.setMenuEnabled(False)
        self.plot.showGrid(x=True, y=True, alpha=0.25)
        self.plot.setAccessibleName("Roofline; the table below has the same values")
        self.plot.viewport().setAccessibleName(self.plot.accessibleName())
        self._chosen = pyqtgraph.ScatterPlotItem(size=20, brush=None)
        self.reading = QLabel()
        self.reading.setProperty("role", "muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.legend)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.reading)
        self.plot.scene().sigMouseMoved.connect(self._on_scene_mouse_moved)
        self.plot.scene().sigMouseClicked.connect(self._on_scene_mouse_clicked)

    def show_points(
        self,
        points: Sequence[RooflinePoint],
        ceilings: Ceilings,
        theme: Theme,
        found: Roofline | None = None,
    ) -> None:
        """Draw points under ceilings; those with hardly any FLOPs would only stretch the axes."""
        self._points, self._theme = points, theme
        plot = self.plot
        plot.clear()
        plot.setBackground(theme.surface)
        font = self.font()
        for name, label in (("bottom", "FLOP per byte"), ("left", "FLOP per second")):
            axis = plot.getAxis(name)
            axis.setPen(theme.border)
            axis.setTextPen(theme.text)
            axis.setTickFont(font)
            axis.setLabel(label, color=theme.text)
        limits = [find_limit(point, ceilings, found) for point in points]
        self._marks = list(_place_marks(points, limits))
        self._draw_roof(ceilings, _find_peaks(points, ceilings))
        measured = [mark for mark in self._marks if points[mark[0]].seconds > 0]
        possible = [mark for mark in self._marks if not points[mark[0]].seconds > 0]
        self._draw_marks(possible, theme.forward, "o", is_filled=False)
        self._draw_marks(measured, theme.backward, "d", is_filled=True)
        self._chosen = pyqtgraph.ScatterPlotItem(
            size=22, brush=None, pen=pyqtgraph.mkPen(theme.selected, width=2.5)
        )
        plot.addItem(self._chosen)
        self.legend.setText(
            "&nbsp;&nbsp; ".join(
                f'<span style="color:{colour}">{sign}</span> {name}'
                for sign, colour, name in (
                    ("━", theme.text, "the most that is possible"),
                    ("○", theme.forward, "at best, not measured"),
                    ("◆", theme.backward, "measured"),
                )
            )
        )
        left_out = len(points) - len(self._marks)
        self.reading.setText(
            f"{left_out:,} with hardly any FLOPs are in the table only." if left_out else ""
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
            label = pyqtgraph.TextItem(text, color=self._theme.text, anchor=anchor)
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
        box = self.plot.getPlotItem().vb
        best, found = _NEAR_PX, -1
        for number, x, y in self._marks:
            mark = box.mapViewToScene(QPointF(x, y))
            distance = math.hypot(mark.x() - place.x(), mark.y() - place.y())
            if distance < best:
                best, found = distance, number
        return found

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
    kernels = [part for point in points for part in (point.parts or (point,))]
    names = dict.fromkeys(name for kernel in kernels for name, _ in kernel.work)
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
