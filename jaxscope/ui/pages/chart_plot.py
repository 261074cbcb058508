"""A chart over two logarithmic axes, with values under the pointer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from jaxscope.analysis.export.chart import SERIES_COLORS, Chart, Point, ticks
from jaxscope.ui.theme import Theme

_SYMBOLS = ("o", "s", "d", "t")
_NEAR_PX = 24.0


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


class ChartPlot(QWidget):
    """Draws a chart anew for every change of data or theme."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chart: Chart | None = None
        self._axis = PowerAxis("left", str)
        bottom = PowerAxis("bottom", lambda value: f"{value:,.0f}")
        self.plot = pyqtgraph.PlotWidget(axisItems={"bottom": bottom, "left": self._axis})
        self.plot.setMenuEnabled(False)
        self.plot.showGrid(x=True, y=True, alpha=0.25)
        self.plot.setAccessibleName("Chart; the table below has the same values")
        self.plot.viewport().setAccessibleName(self.plot.accessibleName())
        self._legend = self.plot.addLegend(offset=(10, 6), colCount=4)
        self.reading = QLabel("")
        self.reading.setProperty("role", "muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.reading)
        self.plot.scene().sigMouseMoved.connect(self._on_scene_mouse_moved)

    def show_chart(self, chart: Chart, theme: Theme) -> None:
        """Draw a chart."""
        self._chart = chart
        self._axis.write = chart.y_text
        plot = self.plot
        plot.clear()
        plot.setBackground(theme.surface)
        font = self.font()
        for name, label in (("bottom", chart.x_label), ("left", chart.y_label)):
            axis = plot.getAxis(name)
            axis.setPen(theme.border)
            axis.setTextPen(theme.text)
            axis.setTickFont(font)
            axis.setLabel(label, color=theme.text)
        self._legend.setLabelTextColor(theme.text)
        self._legend.setBrush(pyqtgraph.mkBrush(theme.raised))
        self._legend.setPen(pyqtgraph.mkPen(theme.border))
        colors = SERIES_COLORS[theme.name]
        for number, series in enumerate(chart.series):
            color = QColor(colors[number % len(colors)])
            self._draw_series(series.points, series.name, color, number)
        self._leave_room_for_legend(chart)
        self.reading.setText("Point at a mark to read its value.")

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
        box = self.plot.getPlotItem().vb
        best, text = _NEAR_PX, ""
        for series in self._chart.series:
            for point in series.points:
                mark = box.mapViewToScene(QPointF(math.log10(point.x), math.log10(point.y)))
                distance = math.hypot(mark.x() - place.x(), mark.y() - place.y())
                if distance < best:
                    write = self._chart.y_text
                    best = distance
                    text = (
                        f"{series.name} at {point.x:,.0f}: {write(point.y)} "
                        f"({write(point.low)} to {write(point.high)})"
                    )
        return text

    def _on_scene_mouse_moved(self, place: QPointF) -> None:
        text = self.describe_at(place)
        if text:
            self.reading.setText(text)
