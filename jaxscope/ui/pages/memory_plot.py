"""Bytes alive at each step of the compiled program; a click picks a step."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from jaxscope.analysis.memory.live_ranges import LiveRanges
from jaxscope.analysis.quantities import format_bytes
from jaxscope.ui.theme import LIGHT, Theme

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


class MemoryPlot(QWidget):
    """`step_chosen` carries the step under the pointer when it is pressed."""

    step_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._live: LiveRanges | None = None
        self._theme = LIGHT
        self._step = 0
        axes = {"left": BytesAxis("left"), "bottom": StepAxis("bottom")}
        self.plot = pyqtgraph.PlotWidget(axisItems=axes)
        self.plot.setMenuEnabled(False)
        self.plot.setMouseEnabled(x=True, y=False)
        self.plot.setAccessibleName("Memory at each step; the table below has what is alive")
        self.plot.viewport().setAccessibleName(self.plot.accessibleName())
        self.plot.setLabel("bottom", "step of the schedule, counted from 0")
        self.plot.setLabel("left", "alive")
        self.legend = QLabel()
        self._marker = pyqtgraph.InfiniteLine(angle=90, movable=False)
        self._peak = pyqtgraph.InfiniteLine(angle=90, movable=False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.legend)
        layout.addWidget(self.plot, 1)
        self.plot.scene().sigMouseClicked.connect(self._on_scene_mouse_clicked)

    def show_live(self, live: LiveRanges | None, theme: Theme) -> None:
        """Draw the memory of a program."""
        self._live, self._theme = live, theme
        plot = self.plot
        plot.clear()
        plot.setBackground(theme.surface)
        font = self.font()
        for name in ("bottom", "left"):
            axis = plot.getAxis(name)
            axis.setPen(theme.border)
            axis.setTextPen(theme.text)
            axis.setTickFont(font)
        plot.setLabel("bottom", "step of the schedule, counted from 0", color=theme.text)
        plot.setLabel("left", "alive", color=theme.text)
        self.legend.setText(
            "&nbsp;&nbsp; ".join(
                f'<span style="color:{colour}">{sign}</span> {name}'
                for sign, colour, name in (
                    ("■", theme.forward, "everything"),
                    ("■", theme.backward, "temporaries"),
                    ("┆", theme.error, "the peak"),
                    ("│", theme.selected, "the chosen step"),
                )
            )
        )
        if live is None:
            return
        edges = np.arange(len(live.steps) + 1)
        self._fill(edges, live.timeline, theme.forward)
        self._fill(edges, live.temporaries, theme.backward)
        self._peak = pyqtgraph.InfiniteLine(
            pos=live.peak_step + 0.5,
            angle=90,
            pen=pyqtgraph.mkPen(theme.error, width=1.5, style=Qt.PenStyle.DashLine),
        )
        self._marker = pyqtgraph.InfiniteLine(
            pos=self._step + 0.5, angle=90, pen=pyqtgraph.mkPen(theme.selected, width=2)
        )
        plot.addItem(self._peak)
        plot.addItem(self._marker)
        plot.setXRange(0, len(live.steps), padding=0.01)
        plot.setYRange(0, max(live.peak_bytes, 1.0) * 1.06, padding=0)
        plot.setLimits(xMin=-1, xMax=len(live.steps) + 1)

    def set_step(self, step: int) -> None:
        """Mark a step."""
        self._step = step
        self._marker.setPos(step + 0.5)

    def _fill(self, edges: object, values: object, colour: str) -> None:
        fill = QColor(colour)
        fill.setAlpha(90)
        self.plot.plot(
            edges,
            values,
            stepMode="center",
            fillLevel=0,
            brush=fill,
            pen=pyqtgraph.mkPen(colour, width=2),
        )

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
