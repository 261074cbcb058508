"""The distributions of eager and compiled calls over a logarithmic axis of time."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jaxscope.analysis.export.chart import SERIES_COLORS, ticks
from jaxscope.analysis.figures.distribution import Histogram
from jaxscope.analysis.quantities import format_seconds
from jaxscope.ui.theme import Theme

_LEAST_LINES = 14
"""Of text: so high that the labels of both axes fit and bars can be told apart."""


class SecondsAxis(pyqtgraph.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """Writes powers of ten as people say them: 10 µs, 1 ms."""

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        return [format_seconds(10.0**value) for value in values]

    def tickValues(self, low: float, high: float, _size: float) -> list[tuple[float, list[float]]]:
        """Ticks at 1, 3, 10 or finer, as many as the range asks for."""
        if not -300 < low < high < 300:
            return []
        return [(0.3, [math.log10(value) for value in ticks(10.0**low, 10.0**high)])]


class Swatch(pyqtgraph.ItemSample):  # type: ignore[misc] # pyqtgraph has no types
    """A filled square in a legend: a histogram has no line whose slope would tell anything."""

    def paint(self, painter: QPainter, *_option: object) -> None:
        painter.setPen(pyqtgraph.mkPen(self.item.opts["pen"]))
        painter.setBrush(pyqtgraph.mkBrush(self.item.opts["fillBrush"]))
        painter.drawRect(QRectF(4, 4, 12, 12))


class TimingPlot(QWidget):
    """One filled histogram per measurement; drawn anew for every change of data or theme.

    Signals:
        reading_changed: What lies under the pointer, in one line.
    """

    reading_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._histogram: Histogram | None = None
        self._axis = SecondsAxis("bottom")
        self.plot = pyqtgraph.PlotWidget(axisItems={"bottom": self._axis})
        self.plot.hideButtons()  # *Whole* does that, and says so
        self.plot.setMenuEnabled(False)
        self.plot.setMouseEnabled(x=True, y=False)
        self.plot.setLabel("bottom", "time of one call")
        self.plot.setLabel("left", "share of calls, %")
        self.plot.setAccessibleName("Distribution of call times; its table has the same values")
        self.plot.viewport().setAccessibleName(self.plot.accessibleName())
        self._legend = self.plot.addLegend(sampleType=Swatch)
        middle = (0.5, 0.0)  # what is eager lies at the right, what is compiled at the left
        self._legend.anchor(middle, middle, offset=(0, 4))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot)
        self.setMinimumHeight(_LEAST_LINES * self.fontMetrics().height())
        self.plot.scene().sigMouseMoved.connect(self._on_scene_mouse_moved)

    def show_histogram(self, histogram: Histogram, theme: Theme) -> None:
        """Draw the distributions, and a line at the median of each."""
        self._histogram = histogram
        plot = self.plot
        plot.clear()
        plot.setBackground(theme.surface)
        for name in ("bottom", "left"):
            axis = plot.getAxis(name)
            axis.setPen(theme.border)
            axis.setTextPen(theme.text)
            axis.setTickFont(self.font())
            axis.label.setFont(self.font())
        self._legend.setLabelTextColor(theme.text)
        self._legend.setLabelTextSize(f"{self.font().pointSizeF():g}pt")
        self._legend.setBrush(pyqtgraph.mkBrush(theme.surface))
        edges = np.log10(histogram.edges)
        colors = SERIES_COLORS[theme.name]
        for number, found in enumerate(histogram.series):
            color = QColor(colors[number % len(colors)])
            fill = QColor(color)
            fill.setAlpha(90)
            plot.plot(
                edges,
                100.0 * np.array(found.shares),
                stepMode="center",
                fillLevel=0,
                brush=fill,
                pen=pyqtgraph.mkPen(color, width=2),
                name=f"{found.name}: {format_seconds(found.median)}",
            )
            line = pyqtgraph.InfiniteLine(
                math.log10(max(found.median, histogram.edges[0])),
                pen=pyqtgraph.mkPen(color, width=2, style=Qt.PenStyle.DashLine),
            )
            plot.addItem(line)
        self.fit()

    def fit(self) -> None:
        """Show the whole of it, with a band above for the legend."""
        found = self._histogram
        if found is None:
            return
        highest = max((100.0 * max(one.shares) for one in found.series), default=1.0)
        self.plot.setXRange(math.log10(found.edges[0]), math.log10(found.edges[-1]), padding=0.02)
        rows = 1 + len(found.series)
        self.plot.setYRange(0.0, highest * (1.0 + 0.12 * rows), padding=0)

    def describe_at(self, place: QPointF) -> str:
        """The bin at a place of the plot's scene, or nothing."""
        if self._histogram is None:
            return ""
        at = 10.0 ** self.plot.getPlotItem().vb.mapSceneToView(place).x()
        return self._histogram.describe_bin(bisect.bisect_right(self._histogram.edges, at) - 1)

    def _on_scene_mouse_moved(self, place: QPointF) -> None:
        self.reading_changed.emit(self.describe_at(place))
