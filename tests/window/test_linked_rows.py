"""Rows of a table that stand for nodes, several of them where need be."""

from __future__ import annotations

from pathlib import Path

from jaxscope.report.document import Table
from jaxscope.ui.selection.linked_rows import LinkedRows
from jaxscope.ui.toolkit.result_table import ResultTable, choose_row
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import build_capture


def test_a_row_stands_for_several_nodes(driver: Driver, window: MainWindow, source: Path) -> None:
    driver.finish(driver.open(source), build_capture())
    selection = window.workspace.selection
    table = ResultTable("Rows", window)
    rows = LinkedRows(table, selection)
    table.rows.set_table(Table(("name",), [("first",), ("second",)], units=("",)))
    rows.set_rows([("jaxpr", (0, 1)), ("jaxpr", (2,))])

    def marked() -> set[int]:
        return {index.row() for index in table.selectedIndexes()}

    choose_row(table, 0)
    assert selection.selection is not None
    assert set(selection.selection.nodes) == {0, 1}
    selection.select_node("jaxpr", 2)
    assert marked() == {1}
    selection.select_node("jaxpr", 1)
    assert marked() == {0}
    selection.select_nodes("jaxpr", (0, 2))
    assert marked() == {0, 1}
    selection.select_node("jaxpr", 2)
    assert marked() == {1}, "one of those that were marked"
    rows.set_rows(())
    choose_row(table, 1)
    assert set(selection.selection.nodes) == {2}, "of rows that stand for nothing"
