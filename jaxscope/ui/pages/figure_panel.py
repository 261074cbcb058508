"""A figure with its table twin, values under the pointer, and a button that writes it to a file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from jaxscope.analysis.figures.distribution import Histogram
from jaxscope.analysis.figures.figure import ENDINGS, Figure, write_figure
from jaxscope.analysis.figures.lanes import LaneChart
from jaxscope.model.capture import Environment
from jaxscope.ui.pages.lane_plot import LanePlot
from jaxscope.ui.pages.result_table import ResultTable
from jaxscope.ui.pages.timing_plot import TimingPlot
from jaxscope.ui.theme import LIGHT, Theme
from jaxscope.ui.whole_file import write_whole

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
        self.as_table = QPushButton("Table")
        self.as_table.setCheckable(True)
        self.as_table.setToolTip("The same values as a table")
        self.whole = QPushButton("Whole")
        self.whole.setToolTip("Show all of it again (0)")
        self.large = QPushButton("Large")
        self.large.setCheckable(True)
        self.large.setToolTip("Give the figure the whole page, for those who sit far away")
        self.export = QPushButton("Export …")
        self.export.setToolTip("Write the figure as SVG, PNG, CSV or JSON")
        self.table = ResultTable(f"Table of the {name}")
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._area)
        self._pages.addWidget(self.table)
        top = QHBoxLayout()
        top.addWidget(self.note, 1)
        for button in (self.whole, self.as_table, self.large, self.export):
            top.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.addLayout(top)
        layout.addWidget(self._pages, 1)
        layout.addWidget(self.reading)
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
            environment: Where it was measured; an exported JSON tells it.
        """
        is_new = figure is not self._figure
        self._figure, self._environment, self._theme = figure, environment, theme
        self.note.setText(figure.note)
        if is_new:
            self.reading.setText("Point at the picture to read its values.")
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
            write_whole(Path(path).with_suffix(ending), data)

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
        figure = self._figure
        if figure is None:
            return
        raw = figure.rows()
        numeric = tuple(
            place for place, cell in enumerate(raw[0] if raw else ()) if not isinstance(cell, str)
        )
        numbers = [tuple(float(row[place]) for place in numeric) for row in raw]
        headers = [column.name for column in figure.columns]
        self.table.rows.set_rows(headers, figure.texts(), numeric, numbers)

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
            self.bar_chosen.emit(self.table.rows.row_text(index.row()).split("\t")[0])

    def _on_export_clicked(self) -> None:
        dialog = QFileDialog(self, "Export", "", _FILTER)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("svg")
        dialog.selectFile(f"{self._name}.svg")
        dialog.fileSelected.connect(self._on_export_path_selected)
        dialog.open()

    def _on_export_path_selected(self, path: str) -> None:
        try:
            self.write(path)
        except (OSError, ValueError) as error:
            self.reading.setText(f"{path} was not written: {error}")
        else:
            self.reading.setText(f"Written to {path}.")
