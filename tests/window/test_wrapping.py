"""Long lines wrapped: rows, and what is at lines stays at its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from jaxscope.ui.source.code_view import MOST_WRAPPED_LINES, CodeView, Folding, Mark, wrap_line
from jaxscope.ui.toolkit.theme import LIGHT
from jaxscope.ui.window.settings import Settings

from .conftest import Driver
from .test_folding import show_code

LONG = "    result = optax.softmax_cross_entropy(logits, labels, axis=-1, where=mask).mean(axis=0)"
TEXT = ["def loss(x):", LONG, "    return result", "", "last = 1", *("pass" for _ in range(60))]


def rows_of(text: str, columns: int) -> list[str]:
    return [" " * piece.hang + text[piece.start : piece.stop] for piece in wrap_line(text, columns)]


def test_further_rows_hang_and_begin_after_a_space_or_a_bracket() -> None:
    assert rows_of(LONG, 40) == [
        "    result = optax.softmax_cross_entropy",
        "        (logits, labels, axis=-1, ",
        "        where=mask).mean(axis=0)",
    ]
    for columns in (16, 17, 30, 40, 88, 89, 200):
        rows = rows_of(LONG, columns)
        assert all(len(row) <= columns for row in rows)
        pieces = wrap_line(LONG, columns)
        assert "".join(LONG[piece.start : piece.stop] for piece in pieces) == LONG
        assert len({piece.hang for piece in pieces[1:]}) <= 1
    assert rows_of("# jaxscope: grad(loss)(params, f32[8])", 28)[0] == "# jaxscope: grad(loss)("
    assert rows_of("# jaxscope: simple_graph(f32[3])", 29)[1] == "    f32[3])"
    assert rows_of("    value = compute(first, second[0])", 34) == [
        "    value = compute(first, ",
        "        second[0])",
    ]  # rather after a space than inside of brackets
    constraint = "    x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P('data')))"
    assert rows_of(constraint, 38)[:2] == [
        "    x = jax.lax.",
        "        with_sharding_constraint(x, ",
    ]  # rather after a dot than within a name
    assert rows_of("        return with_sharding_constraint(x)", 38)[0] == "        return "
    assert rows_of("x" * 50, 20) == ["x" * 20, " " * 4 + "x" * 16, " " * 4 + "x" * 14]
    assert rows_of("", 20) == [""]


def test_no_word_is_left_alone_in_a_last_row() -> None:
    told = (
        "Look at: `loss`, the mean squared error of a small network, and three calls of it by name."
    )
    for columns in range(30, 60):
        rows = rows_of(told, columns)
        if len(rows) > 1:
            assert len(rows[-1].split()) > 2, rows
        assert len(rows) <= -(-len(told) // (columns - 12)) + 1
        assert all(len(row) <= columns for row in rows)
        pieces = wrap_line(told, columns)
        assert "".join(told[piece.start : piece.stop] for piece in pieces) == told
    for columns in range(70, len(told)):
        first, last = rows_of(told, columns)
        assert len(last.split()) > 2
        assert len(first) > columns - 24, "a wide page is not left half empty"
    assert rows_of("def f(first_argument, second):", 28) == [
        "def f(first_argument, ",
        "    second):",
    ]


def test_rows_lead_to_lines_and_back_with_folds_too() -> None:
    folding = Folding(TEXT)
    assert folding.wrap_at(40)
    assert not folding.wrap_at(40)
    count = folding.num_rows_of(1)
    assert count == 3
    assert folding.num_rows == len(TEXT) + count - 1
    assert [folding.line_at(row) for row in range(6)] == [0, 1, 1, 1, 2, 3]
    assert [folding.row_of(line) for line in range(4)] == [0, 1, 4, 5]
    assert folding.toggle(0)
    assert folding.line_at(1) == 3 and folding.row_of(2) == 0 and folding.is_shown(3)
    assert folding.toggle(0) and folding.wrap_at(0)
    assert folding.num_rows == len(TEXT) and folding.row_of(2) == 2


@pytest.mark.parametrize("text", [TEXT, [], ["short"]])
def test_a_line_that_the_text_does_not_have_is_at_its_end(text: list[str], qtbot: QtBot) -> None:
    view = show_code(qtbot, text, 360)
    for is_wrapping in (True, False):
        view.set_wrapping(is_wrapping)
        view.show_line(200)
        bar = view.verticalScrollBar()
        assert bar.value() == bar.maximum()
        view.set_marks({200: Mark.FORWARD}, reveal=True)
        view.grab()
        assert len(view.places_of_lines([200])) == 1


def test_very_long_texts_are_not_wrapped() -> None:
    folding = Folding(["x" * 100] * (MOST_WRAPPED_LINES + 1))
    assert not folding.wrap_at(40)
    assert folding.num_rows == MOST_WRAPPED_LINES + 1


@pytest.fixture
def view(qtbot: QtBot) -> CodeView:
    view = show_code(qtbot, TEXT, 360)
    view.set_wrapping(True)
    return view


def test_a_line_has_one_place_with_all_its_rows(view: CodeView) -> None:
    before, long, after = view.places_of_lines([0, 1, 2])
    row = before[1] - before[0]
    assert long == (before[1], after[0])
    assert long[1] - long[0] == view.folding.num_rows_of(1) * row > row
    ((left, right),) = view.spans_of_lines([1])
    assert left < right <= view.viewport().width()
    assert view.horizontalScrollBar().maximum() == 0
    view.set_wrapping(False)
    assert view.places_of_lines([1]) == [(row, 2 * row)]
    assert view.horizontalScrollBar().maximum() > 0


def test_a_click_on_any_row_chooses_its_line_and_keys_go_from_line_to_line(
    view: CodeView, qtbot: QtBot
) -> None:
    chosen: list[int] = []
    view.line_chosen.connect(chosen.append)
    top, bottom = view.places_of_lines([1])[0]
    for y in (top + 2, bottom - 2):
        at = QPoint(200, y)
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down):
        qtbot.keyClick(view, key)
    assert chosen == [1, 1, 2, 1, 0, 1]


def test_marks_cover_all_rows_and_the_margin_only_the_first(view: CodeView) -> None:
    view.set_marks({1: Mark.FORWARD}, reveal=False)
    view.set_notes({1: "look"})
    picture = view.viewport().grab().toImage()
    scale = picture.devicePixelRatio()
    top, bottom = view.places_of_lines([1])[0]
    row = (bottom - top) // view.folding.num_rows_of(1)

    def colours(number: int, x: int) -> set[str]:
        height = range(top + number * row + 2, top + (number + 1) * row - 2)
        return {picture.pixelColor(int(x * scale), int(y * scale)).name() for y in height}

    strong, soft = QColor(LIGHT.forward).name(), QColor(LIGHT.forward_soft).name()
    for number in range(3):
        assert strong in colours(number, 1)
        assert soft in colours(number, view.viewport().width() - 3)
    assert QColor(LIGHT.accent).name() in colours(0, 8), "the bookmark"
    assert colours(1, 8) == colours(2, 8) == {soft}


def test_the_line_at_the_top_stays_when_the_width_changes(view: CodeView, qtbot: QtBot) -> None:
    view.verticalScrollBar().setValue(view.folding.row_of(4))
    assert view.first_line == 4
    view.resize(900, 300)
    qtbot.waitUntil(lambda: view.folding.num_rows_of(1) == 1)
    assert view.first_line == 4
    view.toggle_fold(0)
    assert view.folding.num_rows == len(TEXT) - 2


def test_a_marked_line_in_sight_stays_there_when_the_width_changes(
    view: CodeView, qtbot: QtBot
) -> None:
    view.resize(900, 300)
    qtbot.waitUntil(lambda: view.folding.num_rows_of(1) == 1)
    view.show_line(0, is_first=True)
    low = max(line for line in range(len(TEXT)) if view._is_any_in_sight((line,)))
    view.set_marks({low: Mark.SELECTED}, reveal=False)
    view.resize(260, 300)
    qtbot.waitUntil(lambda: view.folding.num_rows_of(1) > 1)
    assert view._is_any_in_sight((low,))
    assert view.first_line > 0


def test_it_is_a_choice_of_all_panes_and_is_remembered(driver: Driver, tmp_path: Path) -> None:
    window = driver.window
    area, action = window.workspace.area, window.commands.actions["wrap_lines"]
    assert action.isCheckable() and action.isChecked()  # at first all of a line is seen
    assert all(each.code.folding.is_wrapping for each in area.panes)
    action.trigger()
    pane = area.open_pane("source")
    assert pane is not None
    assert not any(each.code.folding.is_wrapping for each in area.panes)
    assert not Settings(str(tmp_path / "window.json")).wraps_lines
    action.trigger()
    assert all(each.code.folding.is_wrapping for each in area.panes)


@pytest.mark.parametrize("key", [Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown])
def test_the_first_key_chooses_what_is_in_sight(view: CodeView, qtbot: QtBot, key: Qt.Key) -> None:
    view.verticalScrollBar().setValue(view.folding.row_of(20))
    chosen: list[int] = []
    view.line_chosen.connect(chosen.append)
    qtbot.keyClick(view, key)
    assert chosen == [20]


def test_what_was_shown_stays_in_sight_in_another_size_until_somebody_scrolls(
    qtbot: QtBot,
) -> None:
    code = show_code(qtbot, TEXT)
    code.resize(400, 900)
    code.show_line(50)
    qtbot.wait(10)
    code.resize(400, 200)
    rows = code.viewport().height() // code._line_px
    first = code.verticalScrollBar().value()
    assert first <= 50 < first + rows
    code.verticalScrollBar().setValue(3)
    code.resize(400, 300)
    assert code.verticalScrollBar().value() == 3


@pytest.mark.parametrize("is_folded", [False, True])
def test_one_key_leads_to_the_first_line_and_to_the_last(qtbot: QtBot, is_folded: bool) -> None:
    text = [LONG, "  " + LONG, "  a", *(LONG for _ in range(12)), "last"]
    view = show_code(qtbot, text, 300)
    view.set_wrapping(True)
    if is_folded:
        view.toggle_fold(0)
    chosen: list[int] = []
    view.line_chosen.connect(chosen.append)
    for key in (Qt.Key.Key_End, Qt.Key.Key_Home, Qt.Key.Key_End):
        qtbot.keyClick(view, key)
    assert chosen == [len(text) - 1, 0, len(text) - 1]
