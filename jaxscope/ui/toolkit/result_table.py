"""A report's table in the window: sorted by the numbers behind the texts, copied as tab-separated
text, written as CSV.
"""

from __future__ import annotations

import csv
import heapq
import io
import itertools
import math
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QObject,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from jaxscope.report.document import Cell, Number, Table, cell_text
from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.widgets import NO_INDEX, RESIZING, EmptyNotice, Index, set_up_table

Row = Sequence[Cell]
_MOST_MARKED = 100
_LEAST_ROWS = 4
_NUM_MEASURED = 8
"""Letters differ in width: the widest of so many of the longest cells is the widest of all."""


class ResultModel(QAbstractTableModel):
    """Rows of cells; numbers are sorted by their values, other cells by their texts.

    A row has a place: its number in the table that was set, however the rows are sorted.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._headers: Sequence[str] = ()
        self._rows: list[tuple[Row, str, int]] = []
        self._numeric: frozenset[int] = frozenset()
        self._header_hints: Mapping[int, str] = {}
        self._sorted_by = -1, Qt.SortOrder.AscendingOrder

    def set_table(
        self, table: Table, hints: Sequence[str] = (), header_hints: Mapping[int, str] | None = None
    ) -> None:
        """Show another table.

        Args:
            hints: For each row, what its cells show when the pointer rests on them.
            header_hints: The same for headers, by column.
        """
        self.beginResetModel()
        self._headers, self._numeric = table.headers, table.numeric
        self._header_hints = header_hints or {}
        told = [*hints, *([""] * (len(table.rows) - len(hints)))]
        self._rows = list(zip(table.rows, told, itertools.count()))
        self._sort_rows()
        self.endResetModel()

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._headers)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(self._headers[section])
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr(self._header_hints.get(section, "")) or None
        if role == Qt.ItemDataRole.TextAlignmentRole and section in self._numeric:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        cells, hint, _ = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return tr_said(cell_text(cells[index.column()]))
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr_said(hint) or None
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in self._numeric:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column, now and when another table is set; by place where there is none."""
        self._sorted_by = column, order
        self.layoutAboutToBeChanged.emit()
        self._sort_rows()
        self.layoutChanged.emit()

    def _sort_rows(self) -> None:
        """Sort; a number that is unknown comes before every other in ascending order."""
        column, order = self._sorted_by

        def key(row: tuple[Row, str, int]) -> tuple[float, str]:
            cell = row[0][column]
            value = cell.value if isinstance(cell, Number) else 0.0
            return -math.inf if math.isnan(value) else value, cell_text(cell)

        self._rows.sort(key=lambda row: row[2])
        if 0 <= column < len(self._headers):
            self._rows.sort(key=key, reverse=order == Qt.SortOrder.DescendingOrder)

    def to_csv(self) -> str:
        """All rows as comma-separated text."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self._headers)
        writer.writerows(map(cell_text, cells) for cells, _, _ in self._rows)
        return text.getvalue()

    def longest_rows(self, column: int, count: int) -> list[int]:
        """The rows with the most letters in a column, at most so many."""
        lengths = [len(cell_text(cells[column])) for cells, _, _ in self._rows]
        return heapq.nlargest(count, range(len(lengths)), key=lengths.__getitem__)

    def is_numeric(self, column: int) -> bool:
        """Whether a column is one of numbers."""
        return column in self._numeric

    def place(self, row: int) -> int:
        """Where a row stands in the table that was set."""
        return self._rows[row][2]

    def row_at(self, place: int) -> int:
        """The row of a place; -1 where there is none."""
        return next((row for row, (*_, at) in enumerate(self._rows) if at == place), -1)

    def cell(self, row: int, column: int) -> str:
        """The text of a cell."""
        return cell_text(self._rows[row][0][column])

    def row_text(self, row: int) -> str:
        """The cells of a row with tabs between, as other programs paste them."""
        return "\t".join(map(cell_text, self._rows[row][0]))


def choose_row(view: QTableView, row: int) -> None:
    """Select one row and no other, whatever keys are held: `selectRow` obeys Ctrl and Shift."""
    flag = QItemSelectionModel.SelectionFlag
    view.selectionModel().setCurrentIndex(
        view.model().index(row, 0), flag.ClearAndSelect | flag.Rows
    )


class ResultTable(QTableView):
    """Shows results; Ctrl+C copies the chosen rows; `notice` says that there are none.

    Signals:
        place_selected: The place of the first row of what has come to be selected.
    """

    place_selected = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_told = self._is_marked = self._ends_in_numbers = False
        self.spare_column = -1
        """Left out where not all columns have room: the one whose cells are shown elsewhere too."""
        self._widths: dict[int, int] = {}
        self._measured = set[int]()
        self.rows = ResultModel(self)
        self.setModel(self.rows)
        set_up_table(self, name)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.rows.modelAboutToBeReset.connect(self._measure_anew)
        self.rows.modelReset.connect(self._leave_out_spare)
        self.rows.modelReset.connect(self._stretch_words)
        self.rows.modelReset.connect(self.updateGeometry)
        self.notice = EmptyNotice(self, tr("{name}: none.", name=name))
        self.fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in RESIZING:
            self._measure_anew()
        if event.type() == QEvent.Type.FontChange:
            self.fit()

    def _measure_anew(self) -> None:
        self._measured.clear()

    def sizeHintForColumn(self, column: int) -> int:
        """As wide as the widest of the longest cells, which are looked for once.

        Qt asks every row for all that a cell may have: half a second for 700 rows. It asks for
        tables that are out of sight too, whenever anything changes: those keep what they had.
        """
        is_due = self.isVisible() and column not in self._measured
        if is_due or column not in self._widths:
            rows = self.rows.longest_rows(column, _NUM_MEASURED)
            cells = (self.rows.index(row, column) for row in rows)
            widths = (self.sizeHintForIndex(cell).width() for cell in cells)
            self._widths[column] = max(widths, default=-1)
            self._measured.add(column)
        return self._widths[column]

    def minimumSizeHint(self) -> QSize:
        """So that some rows are seen: texts around a table would take all of a low page."""
        num_rows = min(max(self.rows.rowCount(), 1), _LEAST_ROWS)
        rows_px = num_rows * self.verticalHeader().defaultSectionSize()
        bar_px = self.horizontalScrollBar().sizeHint().height()
        head_px = self.horizontalHeader().sizeHint().height()
        return QSize(
            super().minimumSizeHint().width(), head_px + rows_px + bar_px + 2 * self.frameWidth()
        )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        header = self.horizontalHeader()
        for column in range(header.count()):  # one that takes what is left would take more
            if header.sectionResizeMode(column) != QHeaderView.ResizeMode.Stretch:
                self.resizeColumnToContents(column)
        self._leave_out_spare()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._leave_out_spare()

    def _leave_out_spare(self) -> None:
        if not 0 <= self.spare_column < self.rows.columnCount():
            return
        header = self.horizontalHeader()
        needed = sum(
            max(self.sizeHintForColumn(column), header.sectionSizeHint(column))
            for column in range(self.rows.columnCount())
        )
        is_spared = needed > self.viewport().width()
        if is_spared != self.isColumnHidden(self.spare_column):
            self.setColumnHidden(self.spare_column, is_spared)
            self._stretch_words()

    def _stretch_words(self) -> None:
        """A last column of words takes the room that is left; a number would stand far off."""
        columns = range(self.rows.columnCount())
        last = max((each for each in columns if not self.isColumnHidden(each)), default=-1)
        ends_in_numbers = self.rows.is_numeric(last)
        if ends_in_numbers != self._ends_in_numbers:
            self._ends_in_numbers = ends_in_numbers
            self.horizontalHeader().setStretchLastSection(not self._ends_in_numbers)

    def choose(self, place: int) -> None:
        """Select the row of a place and no other."""
        choose_row(self, self.rows.row_at(place))

    def mark(self, is_meant: Callable[[int], bool]) -> None:
        """Select the rows whose places something chosen elsewhere means, without a signal."""
        flag, rows = QItemSelectionModel.SelectionFlag, self.rows
        meant = [row for row in range(rows.rowCount()) if is_meant(rows.place(row))]
        chosen = set() if self._is_marked else {index.row() for index in self.selectedIndexes()}
        if chosen & set(meant):
            return  # it was chosen here
        self._is_told = self._is_marked = True
        self.clearSelection()
        for row in meant[:_MOST_MARKED]:
            self.selectionModel().select(rows.index(row, 0), flag.Select | flag.Rows)
        if meant:
            self.scrollTo(rows.index(meant[0], 0))
        self._is_told = False

    def fit(self) -> None:
        """Size rows for the present font."""
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)

    def _on_selection_changed(self, selected: QItemSelection, _gone: QItemSelection) -> None:
        indexes = selected.indexes()
        if indexes and not self._is_told:
            self._is_marked = False
            self.place_selected.emit(self.rows.place(indexes[0].row()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            chosen = sorted({index.row() for index in self.selectedIndexes()})
            QGuiApplication.clipboard().setText("\n".join(map(self.rows.row_text, chosen)))
            return
        super().keyPressEvent(event)
