"""A figure with its table, the values under the pointer, and a button that exports it; and
`LanePlot`, a zoomable chart of bars in rows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QModelIndex, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from jaxscope.export.figures import (
    ENDINGS,
    KIND_COLORS,
    TEXT_ON_BAR,
    Bar,
    Figure,
    Histogram,
    LaneChart,
    write_figure,
)
from jaxscope.export.svg_chart import even_ticks
from jaxscope.model.capture import Environment
from jaxscope.model.units import format_seconds
from jaxscope.schema.whole_file import write_bytes
from jaxscope.ui.figures.plots import TimingPlot
from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.theme import LIGHT, Theme
from jaxscope.ui.toolkit.widgets import FileDialog, fill_box

_ZOOM_STEP = 1.25
_MOST_ZOOM = 1e6
_THINNEST_PX = 2.0
_NEAR_PX = 3.0


class LanePlot(QWidget):
    """Wheel zooms, dragging moves, a click chooses; + − ← → and 0 do the same from the keyboard.

    Signals:
        bar_chosen: The name that the clicked bar stands for, if it stands for one.
        reading_changed: What is under the pointer, in one line.
    """

    bar_chosen = Signal(str)
    reading_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chart: LaneChart | None = None
        self._theme = LIGHT
        self._began = self._ended = self._thin = np.zeros(0)
        self._row = self._thin
        self._from_s, self._to_s = 0.0, 1.0
        self._chosen: frozenset[str] = frozenset()
        self._pressed: QPoint | None = None
        self._pressed_range = (0.0, 1.0)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Chart; its table has the same values"))

    def show_chart(self, chart: LaneChart, theme: Theme) -> None:
        """Draw a chart; another one than before is shown whole."""
        is_new = chart is not self._chart
        self._chart, self._theme = chart, theme
        if is_new:
            self._began = np.array([bar.began for bar in chart.bars])
            self._ended = np.array([bar.ended for bar in chart.bars])
            self._row = np.array([bar.row for bar in chart.bars])
            self.fit()
        self.setMinimumHeight(round(self._top() + self._num_rows() * self._row_range()[0] + 8))
        self.updateGeometry()
        self.update()

    def choose(self, names: frozenset[str]) -> None:
        """Mark the bars that stand for these names."""
        if names != self._chosen:
            self._chosen = names
            self.update()

    def fit(self) -> None:
        """Show the whole of it."""
        self._from_s, self._to_s = 0.0, max(self._chart.seconds if self._chart else 1.0, 1e-9)
        self.update()

    @property
    def shown_range(self) -> tuple[float, float]:
        """Seconds at the left and the right end."""
        return self._from_s, self._to_s

    def zoom(self, factor: float, at_px: float | None = None) -> None:
        """Show less of the axis for factors above 1; what is at a place stays there."""
        if self._chart is None:
            return
        left, width = self._left(), self._axis_width()
        share = 0.5 if at_px is None else min(max((at_px - left) / width, 0.0), 1.0)
        span = (self._to_s - self._from_s) / factor
        span = min(max(span, self._chart.seconds / _MOST_ZOOM), self._chart.seconds * 1.0)
        middle = self._from_s + share * (self._to_s - self._from_s)
        self._move_to(middle - share * span, span)

    def bar_at(self, x: float, y: float) -> Bar | None:
        """The bar at a place of the widget; the innermost or nearest of several."""
        if self._chart is None or not len(self._began):
            return None
        row = int((y - self._top()) // self._row_height())
        began, ended = self._to_x(self._began), self._to_x(self._ended)
        ended = np.maximum(ended, began + _THINNEST_PX)
        distance = np.maximum(np.maximum(began - x, x - ended), 0.0)
        distance[self._row != row] = np.inf
        best = int(np.argmin(distance))
        return self._chart.bars[best] if distance[best] <= _NEAR_PX else None

    def center_of(self, name: str) -> tuple[float, float]:
        """Where the first bar of that name is: a place to point at."""
        assert self._chart is not None  # or there would be no name
        place = next(i for i, bar in enumerate(self._chart.bars) if bar.name == name)
        x = float(self._to_x((self._began[place] + self._ended[place]) / 2))
        return x, self._top() + (self._row[place] + 0.5) * self._row_height()

    def sizeHint(self) -> QSize:
        return QSize(600, round(self._top() + self._num_rows() * self._row_range()[1] + 8))

    # --- painting ---

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.surface))
        if self._chart is None:
            return
        painter.setFont(self.font())
        self._paint_legend(painter, self._chart)
        self._paint_axis(painter)
        self._paint_rows(painter, self._chart)
        painter.setClipRect(QRectF(self._left(), 0, self._axis_width() + 2, self.height()))
        self._paint_bars(painter, self._chart)

    def _paint_legend(self, painter: QPainter, chart: LaneChart) -> None:
        height = self.fontMetrics().height()
        x, size = 10.0, 0.7 * height
        for kind, name in enumerate(map(tr, chart.kinds)):
            painter.fillRect(QRectF(x, 0.45 * height, size, size), self._color(kind))
            painter.setPen(QColor(self._theme.text))
            painter.drawText(QPoint(round(x + size + 6), round(1.1 * height)), name)
            x += size + 24 + self.fontMetrics().horizontalAdvance(name)

    def _paint_axis(self, painter: QPainter) -> None:
        metrics = QFontMetricsF(self.font())
        bottom = self._top() + self._num_rows() * self._row_height()
        num_wanted = max(2, int(self._axis_width() / (7 * metrics.height())))
        for value in even_ticks(self._from_s, self._to_s, num_wanted):
            x = float(self._to_x(value))
            painter.setPen(QColor(self._theme.border))
            painter.drawLine(round(x), round(self._top()), round(x), round(bottom))
            text = format_seconds(value)
            painter.setPen(QColor(self._theme.text))
            at = x - metrics.horizontalAdvance(text) / 2
            # Above: in a chart of many rows the lower end may be out of sight.
            painter.drawText(round(at), round(self._top() - 0.4 * metrics.height()), text)

    def _paint_rows(self, painter: QPainter, chart: LaneChart) -> None:
        height = self._row_height()
        box = QRectF(0, 0, self._left() - 8, height)
        painter.setPen(QColor(self._theme.text))
        for row, name in enumerate(chart.row_names):
            box.moveTop(self._top() + row * height)
            side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box, side, tr_said(name))

    def _paint_bars(self, painter: QPainter, chart: LaneChart) -> None:
        began, ended = self._to_x(self._began), self._to_x(self._ended)
        ended = np.maximum(ended, began + _THINNEST_PX)
        right = self._left() + self._axis_width()
        seen = np.flatnonzero((ended >= self._left()) & (began <= right))
        # Of bars that share a pixel of a row, one is enough: 20,000 would take long to paint.
        pixels = np.stack([self._row[seen], began[seen] // 1, ended[seen] // 1])
        _, first = np.unique(pixels, axis=1, return_index=True)
        height, metrics = self._row_height(), QFontMetricsF(self.font())
        alone = np.bincount(self._row.astype(np.int64), minlength=len(chart.row_names)) == 1
        chosen_pen = QPen(QColor(self._theme.selected), 3)
        for place in sorted(seen[first].tolist()):
            bar = chart.bars[place]
            x = float(max(began[place], self._left() - 4))
            box = QRectF(x, self._top() + bar.row * height + 0.12 * height,
                         float(min(ended[place], right + 4)) - x, 0.76 * height)  # fmt: skip
            painter.fillRect(box, self._color(bar.kind))
            if bar.name and bar.name in self._chosen:
                painter.setPen(chosen_pen)
                painter.drawRect(box)
            label = tr_said(bar.label)
            if chart.writes_labels and metrics.horizontalAdvance(label) < box.width() - 8:
                painter.setPen(QColor(TEXT_ON_BAR[self._theme.name]))
                inner = box.adjusted(4, 0, -4, 0)
                painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, label)
            elif alone[bar.row]:
                seconds = bar.seconds if bar.value is None else bar.value
                painter.setPen(QColor(self._theme.text))
                at = QPoint(round(box.right() + 6), round(box.center().y() + metrics.ascent() / 2))
                painter.drawText(at, format_seconds(seconds))

    # --- hands ---

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            event.ignore()  # the area around scrolls
            return
        turns = event.angleDelta().y() / 120
        self.zoom(_ZOOM_STEP**turns, event.position().x())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position().toPoint()
        self._pressed_range = self._from_s, self._to_s

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        if self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            span = self._pressed_range[1] - self._pressed_range[0]
            moved = (self._pressed.x() - place.x()) / self._axis_width() * span
            self._move_to(self._pressed_range[0] + moved, span)
            return
        bar = self.bar_at(place.x(), place.y())
        self.reading_changed.emit("" if bar is None else tr_said(bar.hint).split("\n")[0])

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        place = event.position().toPoint()
        if pressed is None or (place - pressed).manhattanLength() > 4:
            return
        bar = self.bar_at(place.x(), place.y())
        if bar is not None and bar.name:
            self.bar_chosen.emit(bar.name)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        bar = self.bar_at(event.position().x(), event.position().y())
        if bar is None:
            self.fit()
        else:
            self._move_to(bar.began - 0.1 * bar.seconds, max(1.2 * bar.seconds, 1e-9))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        span = self._to_s - self._from_s
        match event.key():
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.zoom(_ZOOM_STEP)
            case Qt.Key.Key_Minus:
                self.zoom(1 / _ZOOM_STEP)
            case Qt.Key.Key_Left:
                self._move_to(self._from_s - span / 8, span)
            case Qt.Key.Key_Right:
                self._move_to(self._from_s + span / 8, span)
            case Qt.Key.Key_0 | Qt.Key.Key_Home:
                self.fit()
            case _:
                super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            bar = self.bar_at(event.pos().x(), event.pos().y())
            QToolTip.showText(event.globalPos(), "" if bar is None else bar.hint, self)
            return True
        return super().event(event)

    # --- geometry ---

    def _move_to(self, from_s: float, span: float) -> None:
        end = self._chart.seconds if self._chart is not None else 1.0
        span = min(span, end)
        self._from_s = min(max(from_s, 0.0), end - span)
        self._to_s = self._from_s + span
        self.update()

    def _to_x(self, seconds: npt.NDArray[np.float64] | float) -> npt.NDArray[np.float64]:
        span = max(self._to_s - self._from_s, 1e-12)
        return np.asarray(self._left() + (seconds - self._from_s) / span * self._axis_width())

    def _left(self) -> float:
        names = self._chart.row_names if self._chart is not None else ()
        metrics = self.fontMetrics()
        return 24.0 + max((metrics.horizontalAdvance(name) for name in names), default=0)

    def _axis_width(self) -> float:
        return max(self.width() - self._left() - 8.0 * self.fontMetrics().averageCharWidth(), 20.0)

    def _top(self) -> float:
        return 3.2 * self.fontMetrics().height()

    def _num_rows(self) -> int:
        return max(len(self._chart.row_names) if self._chart is not None else 0, 1)

    def _row_range(self) -> tuple[float, float]:
        """How low and how high a row may be."""
        return 1.2 * self.fontMetrics().height(), 1.8 * self.fontMetrics().height()

    def _row_height(self) -> float:
        lowest, highest = self._row_range()
        return min(max((self.height() - self._top() - 8) / self._num_rows(), lowest), highest)

    def _color(self, kind: int) -> QColor:
        return QColor(KIND_COLORS[self._theme.name][kind])


_FILTER = "Picture (*.svg *.png);;Table (*.csv);;Data (*.json)"


class FigurePanel(QWidget):
    """Picture or table, whichever is asked for.

    Args:
        name: Of the file that an export offers, such as `timeline`.

    Signals:
        bar_chosen: The name of the thing that was clicked, or whose row was chosen.
        enlarged: Whether the figure shall have the room of what stands around it.
    """

    bar_chosen = Signal(str)
    enlarged = Signal(bool)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._figure: Figure | None = None
        self._environment: Environment | None = None
        self._theme = LIGHT
        self._picture: LanePlot | TimingPlot | None = None
        self.note, self.reading = QLabel(), QLabel()
        for label in (self.note, self.reading):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.reading.setProperty("role", "muted")
        self.as_table = QPushButton(tr("Table"))
        self.as_table.setCheckable(True)
        self.as_table.setToolTip(tr("The same values as a table"))
        self.whole = QPushButton(tr("Whole"))
        self.whole.setToolTip(tr("Show all of it again (0)"))
        self.large = QPushButton(tr("Large"))
        self.large.setCheckable(True)
        self.large.setToolTip(tr("Give the figure the whole page, for those who sit far away"))
        self.export = QPushButton(tr("Export …"))
        self.export.setToolTip(tr("Write the figure as SVG, PNG, CSV or JSON"))
        self.table = ResultTable(tr("Table of the {name}", name=name))
        self._area = QScrollArea(widgetResizable=True)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._area)
        self._pages.addWidget(self.table)
        top = fill_box(QHBoxLayout(), (self.note, 1))
        for button in (self.whole, self.as_table, self.large, self.export):
            top.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        fill_box(QVBoxLayout(self), top, (self._pages, 1), self.reading, margins=(0, 4, 0, 0))
        self.large.toggled.connect(self.enlarged)
        self.as_table.toggled.connect(self._on_as_table_toggled)
        self.export.clicked.connect(self._on_export_clicked)
        self.whole.clicked.connect(self._on_whole_clicked)
        self.table.clicked.connect(self._on_table_clicked)
        self.table.activated.connect(self._on_table_clicked)

    @property
    def lanes(self) -> LanePlot | None:
        """The picture, where it is one of bars in rows."""
        return self._picture if isinstance(self._picture, LanePlot) else None

    def show_figure(self, figure: Figure, environment: Environment | None, theme: Theme) -> None:
        """Show a figure.

        Args:
            environment: Where it was measured; an exported JSON says it.
        """
        is_new = figure is not self._figure
        self._figure, self._environment, self._theme = figure, environment, theme
        self.note.setText(tr_said(figure.note))
        if is_new:
            self.reading.setText(tr("Point at the picture to read its values."))
        if is_new and self.as_table.isChecked():
            self._fill_table()
        self._draw(figure)
        self.table.fit()

    def choose(self, names: frozenset[str]) -> None:
        """Mark what stands for these names."""
        if self.lanes is not None:
            self.lanes.choose(names)

    def write(self, path: str) -> None:
        """Write the figure; the file's ending picks the form.

        Raises:
            OSError: The file cannot be written.
            ValueError: The ending stands for no form.
        """
        if self._figure is not None:
            ending = Path(path).suffix or ENDINGS[0]
            data = write_figure(self._figure, ending, self._theme.name, self._environment)
            write_bytes(Path(path).with_suffix(ending), data)

    def _draw(self, figure: Figure) -> None:
        if isinstance(figure, LaneChart):
            if not isinstance(self._picture, LanePlot):
                self._put(plot := LanePlot())
                plot.bar_chosen.connect(self.bar_chosen)
                plot.reading_changed.connect(self._on_picture_reading_changed)
            assert isinstance(self._picture, LanePlot)
            self._picture.show_chart(figure, self._theme)
        elif isinstance(figure, Histogram):
            if not isinstance(self._picture, TimingPlot):
                self._put(drawn := TimingPlot())
                drawn.reading_changed.connect(self._on_picture_reading_changed)
            assert isinstance(self._picture, TimingPlot)
            self._picture.show_histogram(figure, self._theme)

    def _put(self, picture: LanePlot | TimingPlot) -> None:
        self._picture = picture
        self._area.setWidget(picture)

    def _fill_table(self) -> None:
        if self._figure is not None:
            self.table.rows.set_table(self._figure.table())

    def _on_as_table_toggled(self, is_table: bool) -> None:
        if is_table:
            self._fill_table()
        self._pages.setCurrentIndex(1 if is_table else 0)
        self.whole.setVisible(not is_table)

    def _on_whole_clicked(self) -> None:
        if self._picture is not None:
            self._picture.fit()

    def _on_picture_reading_changed(self, text: str) -> None:
        if text:
            self.reading.setText(text)

    def _on_table_clicked(self, index: QModelIndex) -> None:
        if isinstance(self._figure, LaneChart):
            bar = self._figure.bars[self.table.rows.place(index.row())]
            if bar.name:
                self.bar_chosen.emit(bar.name)

    def _on_export_clicked(self) -> None:
        dialog = FileDialog(self, tr("Export"), "", tr(_FILTER))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("svg")
        dialog.selectFile(f"{self._name}.svg")
        dialog.fileSelected.connect(self._on_export_path_selected)
        dialog.open()

    def _on_export_path_selected(self, path: str) -> None:
        try:
            self.write(path)
        except (OSError, ValueError) as error:
            self.reading.setText(tr("{path} was not written: {error}", path=path, error=error))
        else:
            self.reading.setText(tr("Written to {path}.", path=path))
