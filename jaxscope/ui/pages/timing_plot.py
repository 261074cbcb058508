"""The distributions of eager and compiled calls over a logarithmic axis of time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jaxscope.model import Measurement
from jaxscope.ui.theme import Theme

_NUM_BINS = 60
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


class SecondsAxis(pyqtgraph.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """Writes powers of ten as people say them: 10 µs, 1 ms."""

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        return [_power_text(value) for value in values]

    def tickValues(self, low: float, high: float, _size: float) -> list[tuple[float, list[float]]]:
        """Ticks at 1, 3, 10, 30, …, as on paper with a logarithmic scale."""
        decades = range(math.floor(low), math.ceil(high) + 1)
        steps = [decade + part for decade in decades for part in (0.0, math.log10(3.0))]
        return [(0.5, [step for step in steps if low <= step <= high])]


class TimingPlot(QWidget):
    """One filled histogram per measurement; drawn anew for every change of data or theme."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot = pyqtgraph.PlotWidget(axisItems={"bottom": SecondsAxis("bottom")})
        self.plot.setMenuEnabled(False)
        self.plot.setLabel("bottom", "time of one call")
        self.plot.setLabel("left", "share of calls, %")
        self.plot.setAccessibleName("Distribution of call times")
        self._legend = self.plot.addLegend(offset=(-10, 10))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot)

    def show_samples(self, measurements: Sequence[Measurement], theme: Theme) -> None:
        """Draw the samples of the measurements that have more than a few."""
        plot = self.plot
        plot.clear()
        plot.setBackground(theme.surface)
        for name in ("bottom", "left"):
            axis = plot.getAxis(name)
            axis.setPen(theme.border)
            axis.setTextPen(theme.text)
        self._legend.setLabelTextColor(theme.text)
        self._legend.setBrush(pyqtgraph.mkBrush(theme.raised))
        self._legend.setPen(pyqtgraph.mkPen(theme.border))
        colours = (theme.backward, theme.forward, theme.selected, theme.good)
        drawn = [m for m in measurements if sum(s > 0 for s in m.samples) >= 5]
        if not drawn:
            return
        samples = [np.log10([s for s in m.samples if s > 0]) for m in drawn]
        low, high = min(s.min() for s in samples), max(s.max() for s in samples)
        edges = np.linspace(low - 0.02, high + 0.02, _NUM_BINS + 1)
        for number, (measurement, logs) in enumerate(zip(drawn, samples, strict=True)):
            colour = QColor(colours[number % len(colours)])
            fill = QColor(colour)
            fill.setAlpha(90)
            counts, _ = np.histogram(logs, edges)
            plot.plot(
                edges,
                100.0 * counts / len(logs),
                stepMode="center",
                fillLevel=0,
                brush=fill,
                pen=pyqtgraph.mkPen(colour, width=2),
                name=measurement.name.replace("_", " "),
            )
        plot.autoRange()


def _power_text(power: float) -> str:
    seconds = 10.0**power
    for scale, unit in _UNITS:
        if seconds >= scale * 0.999:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds:.1g} s"
