"""Filters of the table's columns."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from jaxscope.model import Graph, GraphBuilder, NodeKind
from jaxscope.report.document import Table
from jaxscope.ui.panes.node_table import HEADERS, NodeTableView, find_passing
from jaxscope.ui.panes.pane_header import Form
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.window.main_window import MainWindow
from view.programs import trace

from .conftest import Driver
from .programs import GRAD, OPTIMIZED, build_capture, build_graph


def passing(graph: Graph, column: str, text: str) -> list[str]:
    mask = find_passing(graph, column, text)
    return [graph.string(graph.nodes.id, node) for node in range(len(mask)) if mask[node]]


@pytest.mark.parametrize(
    ("column", "text", "ids"),
    [
        ("operation", "MUL", ["mul"]),
        ("operation", "-u", ["param", "cosine", "copy"]),
        ("operation", "/^co/", ["cosine", "copy"]),
        ("id", "fus", ["fusion"]),
        ("kind", "instr", ["param", "fusion", "mul", "cosine", "copy"]),
        ("type", "f32[3]", ["param", "fusion", "mul", "cosine", "copy"]),
        ("comes from", "0", ["fusion", "mul", "cosine"]),
        ("direction", "back", ["mul"]),
        ("scope", "attention", []),
        ("source", "model.py", []),
        ("operation", "  ", ["param", "fusion", "mul", "cosine", "copy"]),
    ],
)
def test_a_column_lets_through_what_contains_a_text(column: str, text: str, ids: list[str]):
    assert passing(build_graph(OPTIMIZED), column, text) == ids


def test_the_argument_of_the_call_is_named_and_found(qtbot: QtBot):
    def loss(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
        return jnp.tanh(x @ params["w"] + params["b"]).sum()

    params = {"w": jnp.ones((2, 3)), "b": jnp.ones(3)}
    paths = ("params['b']", "params['w']", "x")
    graph = trace(loss, params, jnp.ones(2), paths=paths)
    table = NodeTableView()
    qtbot.addWidget(table)
    table.set_graph(graph)
    model, column = table.model(), HEADERS.index("comes from")
    assert [model.index(row, column).data() for row in range(3)] == list(paths)
    assert len(passing(graph, "comes from", "params['w']")) == 1


def test_places_are_filtered_as_they_read():
    graph = build_graph("eqn 0 sin line=5\neqn 1 mul <0 line=15\nin x x")
    assert passing(graph, "source", "model.py:5") == ["0"]
    assert passing(graph, "source", ":15") == ["1"]
    assert passing(graph, "source", "-model") == ["x"]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("2000", ["b", "c"]),
        (">2k", ["c"]),
        ("<= 2e3", ["a", "b"]),
        ("=0", ["a"]),
        ("> 1 MFLOP", ["c"]),
    ],
)
def test_numbers_compare_and_unknown_ones_do_not_pass(text: str, ids: list[str]):
    builder = GraphBuilder()
    for name, flops in (("a", 0.0), ("b", 2e3), ("c", 3e6), ("unknown", float("nan"))):
        cost = (flops, float("nan"), float("nan"))
        builder.add_node(name, NodeKind.EQUATION, "add", name=name, cost=cost)
    assert passing(builder.build(), "FLOPs", text) == ids


@pytest.mark.parametrize(("column", "text"), [("FLOPs", "many"), ("operation", "/(/")])
def test_what_cannot_be_understood_is_refused(column: str, text: str):
    with pytest.raises(ValueError):
        find_passing(build_graph(GRAD), column, text)


def test_an_expression_that_takes_too_long_is_refused():
    builder = GraphBuilder()
    builder.add_node("0", NodeKind.EQUATION, "a" * 200 + "b", name="x")
    with pytest.raises(ValueError, match="takes too long"):
        find_passing(builder.build(), "operation", "/(a|aa)+$/")


def test_fields_filter_together_and_say_what_is_wrong(qtbot: QtBot):
    table = NodeTableView()
    qtbot.addWidget(table)
    table.resize(900, 300)
    table.set_graph(build_graph(OPTIMIZED))
    table.show()
    fields = table.filters.fields
    assert all(field.y() > 0 and field.width() > 0 for field in fields[:3])
    qtbot.keyClicks(fields[HEADERS.index("operation")], "s")
    assert table.nodes.rowCount() == 2, "fusion and cosine"
    qtbot.keyClicks(fields[HEADERS.index("id")], "cos")
    assert table.nodes.rowCount() == 1
    qtbot.keyClicks(fields[HEADERS.index("FLOPs")], "x")
    assert fields[HEADERS.index("FLOPs")].property("problem") == "true"
    assert table.nodes.rowCount() == 1, "what is shown stays"
    table.set_graph(build_graph(GRAD))
    assert table.nodes.rowCount() == 0, "the filters stay"
    table.filters.clear()
    assert table.nodes.rowCount() == 5


def test_numbers_are_never_cut_off_and_stand_below_their_titles(qtbot: QtBot):
    builder = GraphBuilder()
    costs = [999.7 * 1000.0**power for power in range(5)]
    for row, flops in enumerate(costs):
        builder.add_node(f"n{row}", NodeKind.EQUATION, "dot", cost=(flops, flops * 1.02, 0.0))
    view = NodeTableView()
    qtbot.addWidget(view)
    view.set_graph(builder.build())
    for name in ("FLOPs", "memory traffic"):
        column = HEADERS.index(name)
        room = view.columnWidth(column) - 2 * 4
        for row in range(len(costs)):
            text = view.nodes.text_of(row, column)
            assert view.fontMetrics().horizontalAdvance(text) <= room, text
    role, across = Qt.ItemDataRole.TextAlignmentRole, Qt.Orientation.Horizontal
    for column in range(len(HEADERS)):
        head = view.nodes.headerData(column, across, role)
        assert isinstance(head, int)
        is_right = bool(head & Qt.AlignmentFlag.AlignRight.value)
        assert is_right == view.nodes.is_number(column)


def test_a_filter_that_nothing_passes_is_told_and_can_be_cleared(qtbot: QtBot):
    table = NodeTableView()
    qtbot.addWidget(table)
    table.set_graph(build_graph(OPTIMIZED))
    table.show()
    assert table.notice.text == "" and not table.notice.can_clear
    table.filters.fields[HEADERS.index("operation")].setText("convolution")
    table.filters.fields[HEADERS.index("id")].setText("x")
    assert table.nodes.rowCount() == 0
    assert table.notice.text == "Nothing matches id “x” and operation “convolution”."
    assert table.accessibleDescription() == table.notice.text
    assert table.notice.geometry() == table.viewport().rect()
    table.resize(700, 500)
    assert table.notice.geometry() == table.viewport().rect()
    clear = table.notice.findChild(QPushButton)
    assert clear is not None and clear.isVisible()
    clear.click()
    assert table.nodes.rowCount() == 5 and table.notice.text == ""
    assert not any(field.text() for field in table.filters.fields)


def test_a_search_that_finds_nothing_is_told_in_the_table_and_can_be_cleared(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), build_capture())
    pane = window.workspace.area.open_pane("jaxpr")
    assert pane is not None
    pane.set_form(Form.TABLE)
    pane.header.search.setText("convolution")
    assert pane.table.notice.text == "Nothing matches “convolution”."
    pane.header.search.setText("sin")
    assert pane.table.notice.text == ""
    pane.header.search.setText("convolution")
    clear = pane.table.notice.findChild(QPushButton)
    assert clear is not None
    clear.click()
    assert pane.header.search.text() == "" and pane.table.nodes.rowCount() == 4


@pytest.mark.slow
def test_every_table_of_the_window_says_where_it_has_no_rows(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), build_capture())
    for name in window.pages:
        _ = window.pages[name]  # made now
    tables = window.findChildren(ResultTable)
    assert len(tables) > 10
    for table in tables:
        table.rows.set_table(Table(("name",), ()))
        assert table.notice.text.endswith("."), table.accessibleName()
        table.rows.set_table(Table(("name",), (("one",),)))
        assert table.notice.text == ""


@pytest.mark.parametrize("points", [9, 22])
def test_every_title_has_room(qtbot: QtBot, points: int) -> None:
    table = NodeTableView()
    qtbot.addWidget(table)
    table.setStyleSheet(f"font-size: {points}pt")
    table.ensurePolished()
    table.fit()
    header = table.horizontalHeader()
    for column, title in enumerate(HEADERS[:-1]):
        assert header.sectionSize(column) >= header.sectionSizeHint(column), title
