"""Tables of results size their columns without asking every row."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jaxscope.report.document import Number, Table
from jaxscope.ui.toolkit.result_table import ResultModel, ResultTable

from .conftest import destroy

ROWS = [(f"row {number}", "wide " * (number % 50)) for number in range(2_000)]


def test_columns_fit_their_widest_cells_and_few_rows_are_asked(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    num_asked = 0
    answer = ResultModel.data

    def count(self: ResultModel, *args: object) -> object:
        nonlocal num_asked
        num_asked += 1
        return answer(self, *args)

    monkeypatch.setattr(ResultModel, "data", count)
    table = ResultTable("Rows")
    table.resize(900, 300)
    table.show()
    table.rows.set_table(Table(("name", "text", "last"), [(*row, "") for row in ROWS]))
    widest = max(table.fontMetrics().horizontalAdvance(text) for _, text in ROWS)
    qtbot.waitUntil(lambda: table.columnWidth(1) >= widest)
    assert table.columnWidth(0) >= table.fontMetrics().horizontalAdvance("row 1999")
    assert num_asked < 2_000
    destroy(table)


def test_a_table_out_of_sight_is_measured_when_it_is_seen(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = ResultTable("Rows")
    table.resize(900, 300)
    table.rows.set_table(Table(("name", "text"), [("a", "b")]))
    table.show()
    table.hide()
    measure, measured = ResultTable.sizeHintForIndex, list[object]()

    def note(self: ResultTable, index: QModelIndex) -> object:
        measured.append(index)
        return measure(self, index)

    monkeypatch.setattr(ResultTable, "sizeHintForIndex", note)
    table.rows.set_table(Table(("name", "text"), ROWS))
    QApplication.processEvents()
    assert measured == []
    table.show()
    widest = max(table.fontMetrics().horizontalAdvance(text) for _, text in ROWS)
    qtbot.waitUntil(lambda: table.columnWidth(1) >= widest)
    destroy(table)


def test_long_cells_are_looked_for_once_until_something_changes(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    find, columns = ResultModel.longest_rows, list[int]()

    def note(self: ResultModel, column: int, count: int) -> list[int]:
        columns.append(column)
        return find(self, column, count)

    monkeypatch.setattr(ResultModel, "longest_rows", note)
    table = ResultTable("Rows")
    table.resize(900, 300)
    table.rows.set_table(Table(("name", "text", "last"), [(*row, "") for row in ROWS]))
    table.show()
    QApplication.processEvents()
    columns.clear()
    table.hide()
    table.show()
    table.resize(500, 200)
    table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    QApplication.processEvents()
    assert columns == []
    table.rows.set_table(Table(("name", "text", "last"), [("one", "wide " * 99, "")]))
    QApplication.processEvents()
    assert sorted(set(columns)) >= [0, 1]
    assert table.columnWidth(1) >= table.fontMetrics().horizontalAdvance("wide " * 99)
    font, before = table.font(), table.columnWidth(0)
    font.setPointSizeF(3 * font.pointSizeF())
    table.setFont(font)
    QApplication.processEvents()
    assert table.sizeHintForColumn(0) > before
    destroy(table)


def test_a_column_that_is_shown_elsewhere_too_is_left_out_where_there_is_no_room(
    qtbot: QtBot,
) -> None:
    table = ResultTable("Rows")
    table.spare_column = 1
    table.resize(900, 300)
    table.show()
    table.rows.set_table(Table(("name", "text", "last"), [("one", "wide " * 12, "1")]))
    assert not table.isColumnHidden(1)
    table.resize(200, 300)
    qtbot.waitUntil(lambda: table.isColumnHidden(1))
    assert not table.isColumnHidden(2)
    table.rows.set_table(Table(("name", "text", "last"), [("one", "1", "1")]))
    assert not table.isColumnHidden(1), "what fits is shown"
    table.rows.set_table(Table((), ()))
    destroy(table)


def test_a_number_does_not_stand_far_off_where_the_column_behind_it_is_left_out(
    qtbot: QtBot,
) -> None:
    table = ResultTable("Rows")
    table.spare_column = 2
    table.resize(300, 300)
    table.show()
    table.rows.set_table(Table(("name", "Inf", "text"), [("one", Number(0, "0"), "wide " * 30)]))
    qtbot.waitUntil(lambda: table.isColumnHidden(2))
    assert table.columnWidth(1) < 100
    table.resize(1200, 300)
    qtbot.waitUntil(lambda: not table.isColumnHidden(2))
    assert table.horizontalHeader().stretchLastSection()
    destroy(table)


def test_a_row_keeps_its_place_however_rows_are_sorted(qtbot: QtBot) -> None:
    """What a page does with a chosen row is about the thing of that row, not of that position."""
    table = ResultTable("Rows")
    table.rows.set_table(Table(("name",), [("b",), ("c",), ("a",), ("c",)]))
    table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    assert [table.rows.place(row) for row in range(4)] == [2, 0, 1, 3]
    chosen: list[int] = []
    table.place_selected.connect(chosen.append)

    for place in (3, 1, 2):
        table.choose(place)
        assert table.rows.place(table.currentIndex().row()) == place
    assert chosen == [3, 1, 2]
    table.mark(lambda place: place == 0)
    assert {index.row() for index in table.selectedIndexes()} == {1}
    destroy(table)


def test_what_comes_later_is_sorted_as_the_header_says(qtbot: QtBot) -> None:
    table = ResultTable("Rows")
    table.rows.set_table(Table(("name",), [("b",), ("a",)]))
    assert [table.rows.cell(row, 0) for row in range(2)] == ["b", "a"], "as they come"
    table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    table.rows.set_table(Table(("name",), [("d",), ("c",), ("e",)]))
    assert table.horizontalHeader().sortIndicatorSection() == 0
    assert [table.rows.cell(row, 0) for row in range(3)] == ["c", "d", "e"]
    table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    assert [table.rows.cell(row, 0) for row in range(3)] == ["d", "c", "e"], "as they come"
    destroy(table)


def test_a_last_column_of_numbers_stands_beside_the_others(qtbot: QtBot) -> None:
    """NaN and Inf of a value stood 200 px apart; a last column of words takes the room."""
    table = ResultTable("Rows")
    table.resize(900, 300)
    table.show()
    for is_number in (True, False, True):
        last = Number(0, "0") if is_number else "none"
        table.rows.set_table(Table(("name", "NaN", "Inf"), [("a", Number(0, "0"), last)]))
        qtbot.waitUntil(lambda alone=is_number: (table.columnWidth(2) < 200) == alone)
    destroy(table)
