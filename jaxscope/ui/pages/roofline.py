"""What bounds each kernel, line or scope: arithmetic, or memory."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelection, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from jaxscope.analysis.quantities import format_count
from jaxscope.analysis.roofline import Roofline, RooflinePoint, find_roofline
from jaxscope.analysis.roofline_report import (
    HEADERS,
    NO_CEILINGS,
    NUMERIC,
    describe_ceilings,
    describe_excess,
    describe_protocol,
    roofline_numbers,
    roofline_row,
)
from jaxscope.model import Stage, Unavailable
from jaxscope.model.roofline import Ceilings
from jaxscope.ui.choice_box import ChoiceBox
from jaxscope.ui.pages.result_table import ResultTable, choose_row
from jaxscope.ui.theme import LIGHT, Theme

if TYPE_CHECKING:
    from jaxscope.ui.pages.roofline_plot import RooflinePlot

_QUESTION = "What bounds each kernel: arithmetic, or memory?"
_NAME_COLUMN = HEADERS.index("name")
_CHOICES = ("kernels", "source lines", "named scopes")


class RooflinePage(QWidget):
    """Points of the compiled program as a plot and as a table.

    Signals:
        nodes_chosen: The name of a stage and nodes of it.
        calibration_requested: What this machine reaches is to be measured.
        shown: The page is looked at.
    """

    nodes_chosen = Signal(str, object)
    calibration_requested = Signal()
    shown = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stage: Stage | None = None
        self._roofline: Roofline | Unavailable | None = None
        self._ceilings: Ceilings | None = None
        self._theme = LIGHT
        self.heading, self.notes = QLabel(_QUESTION), QLabel()
        self.heading.setProperty("role", "heading")
        self.notes.setProperty("role", "muted")
        for label in (self.heading, self.notes):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.calibrate = QPushButton("Measure this machine")
        self.choice = ChoiceBox()
        self.choice.addItems(_CHOICES)
        self.choice.setAccessibleName("What each point is")
        self.export = QPushButton("Export …")
        self.table = ResultTable("Work and traffic")
        self._build()
        self.calibrate.clicked.connect(self._on_calibrate_clicked)
        self.choice.currentIndexChanged.connect(self._on_choice_changed)
        self.export.clicked.connect(self._on_export_clicked)
        self.table.selectionModel().selectionChanged.connect(self._on_table_selection_changed)

    def _build(self) -> None:
        top = QHBoxLayout()
        top.addWidget(self.heading, 1)
        for button in (self.choice, self.export, self.calibrate):
            top.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.table)
        layout = QVBoxLayout(self)
        layout.addLayout(top)
        layout.addWidget(self.notes)
        layout.addWidget(self._split, 1)
        layout.addStretch(0)
        self._show()

    @functools.cached_property
    def plot(self) -> RooflinePlot:
        """Made when there are ceilings to plot under."""
        from jaxscope.ui.pages.roofline_plot import RooflinePlot  # pyqtgraph costs half a second

        plot = RooflinePlot()
        plot.point_chosen.connect(self._on_plot_point_chosen)
        self._split.insertWidget(0, plot)
        self._split.setSizes([330, 250])
        return plot

    # --- showing ---

    def show_program(self, stage: Stage | None, ceilings: Ceilings | None) -> None:
        """Show a compiled program under ceilings, as far as there are any."""
        if stage is not self._stage:
            self._stage, self._roofline = stage, None
        elif ceilings is self._ceilings:
            return
        self._ceilings = ceilings
        self._show()

    def set_can_calibrate(self, can_calibrate: bool) -> None:
        """Whether a measurement can start now."""
        self.calibrate.setEnabled(can_calibrate)

    def set_theme(self, theme: Theme) -> None:
        """Use a theme's colours."""
        self._theme = theme
        self.table.fit()
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()

    @property
    def points(self) -> tuple[RooflinePoint, ...]:
        """What is shown."""
        found = self._found()
        if found is None:
            return ()
        return (found.kernels, found.lines, found.scopes)[self.choice.currentIndex()]

    def _found(self) -> Roofline | None:
        if self._stage is None:
            return None
        if self._roofline is None:
            self._roofline = find_roofline(self._stage)
        return self._roofline if isinstance(self._roofline, Roofline) else None

    def _show(self) -> None:
        found, ceilings = self._found(), self._ceilings
        self._split.setVisible(found is not None)
        self.export.setVisible(found is not None)
        self.choice.setVisible(found is not None)
        if found is None:
            missing = self._roofline
            self.heading.setText(_QUESTION)
            self.notes.setText(
                missing.reason
                if isinstance(missing, Unavailable)
                else "Run a call, and its kernels are shown here."
            )
            return
        notes = [NO_CEILINGS if ceilings is None else describe_ceilings(ceilings)]
        if ceilings is not None:
            notes += [*ceilings.warnings, *filter(None, [describe_excess(self.points, ceilings)])]
        self.notes.setText("\n".join([*notes, *found.notes]))
        self.notes.setToolTip("" if ceilings is None else describe_protocol(ceilings))
        points = self.points
        self.heading.setText(_heading(points, ceilings))
        if ceilings is not None:
            self.plot.show()
            self.plot.show_points(points, ceilings, self._theme)
        elif "plot" in vars(self):
            self.plot.hide()
        self.table.rows.set_rows(
            HEADERS,
            [roofline_row(point, ceilings) for point in points],
            NUMERIC,
            [roofline_numbers(point, ceilings) for point in points],
        )

    # --- choosing and exporting ---

    def write_to(self, path: str) -> None:
        """Write the table as comma-separated text, or the plot as a picture, by the ending.

        Raises:
            OSError: It cannot be written.
        """
        if path.lower().endswith(".png"):
            if not self.plot.grab().save(path, "PNG"):
                raise OSError(f"{path} cannot be written")
        else:
            Path(path).write_text(self.table.rows.to_csv(), encoding="utf-8")

    def _on_export_clicked(self) -> None:
        endings = "Table (*.csv)" if self._ceilings is None else "Table (*.csv);;Picture (*.png)"
        path, _ = QFileDialog.getSaveFileName(self, "Export", "roofline.csv", endings)
        if not path:
            return
        try:
            self.write_to(path)
        except OSError as error:
            self.notes.setText(f"Not exported: {error}")

    def _on_calibrate_clicked(self) -> None:
        self.calibration_requested.emit()

    def _on_choice_changed(self, _index: int) -> None:
        self._show()

    def _on_plot_point_chosen(self, number: int) -> None:
        name = self.points[number].name
        rows = self.table.rows
        for row in range(rows.rowCount()):
            if rows.index(row, _NAME_COLUMN).data() == name:
                choose_row(self.table, row)
                self.table.scrollTo(rows.index(row, 0))
                return

    def _on_table_selection_changed(self, selected: QItemSelection, _gone: QItemSelection) -> None:
        indexes = selected.indexes()
        if not indexes or self._stage is None:
            return
        name = self.table.rows.index(indexes[0].row(), _NAME_COLUMN).data()
        for number, point in enumerate(self.points):
            if point.name == name:
                if "plot" in vars(self):
                    self.plot.choose(number)
                self.nodes_chosen.emit(self._stage.name, point.nodes)
                return


def _heading(points: tuple[RooflinePoint, ...], ceilings: Ceilings | None) -> str:
    noun = {"line": "line", "scope": "scope"}.get(points[0].operation, "kernel") if points else ""
    if not points:
        return "No kernel whose work is known."
    if ceilings is None:
        return f"{format_count(len(points), noun)}, the most memory traffic first"
    bound = sum(
        point.num_bytes / ceilings.bandwidth.best > point.flops / ceilings.arithmetic.best
        for point in points
    )
    if bound in (0, len(points)):
        return f"{'Memory' if bound else 'Arithmetic'} bounds {_all_of(len(points), noun)}"
    return f"Memory bounds {bound:,} of {format_count(len(points), noun)}, arithmetic the others"


def _all_of(count: int, noun: str) -> str:
    return f"the only {noun}" if count == 1 else f"all {format_count(count, noun)}"
