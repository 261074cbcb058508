"""Blocks of a text folded away."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QEnterEvent, QGuiApplication, QHelpEvent, QImage, QPainter
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from jaxscope.program.cost.lines import LineCost
from jaxscope.program.source_lines import find_statements
from jaxscope.ui.source.code_view import (
    CodeView,
    Folding,
    Mark,
    RowGeometry,
    fill_with_source,
    paint_hidden,
)
from jaxscope.ui.toolkit.theme import LIGHT, fixed_font

TEXT = ["outer {", "  a", "", "  inner {", "    b", "    c", "  }", "  d", "}", "last", ""]


def seen(folding: Folding) -> list[str]:
    return [TEXT[folding.line_at(row)].strip() for row in range(folding.num_rows)]


def test_what_is_indented_deeper_is_a_block():
    folding = Folding(TEXT)
    assert [n for n in range(len(TEXT)) if folding.begins_block(n)] == [0, 3]
    assert folding.toggle(3)
    assert seen(folding) == ["outer {", "a", "", "inner {", "}", "d", "}", "last", ""]
    assert folding.num_hidden(3) == 2
    assert folding.row_of(5) == 3 and folding.row_of(7) == 5
    assert not folding.toggle(1), "begins nothing"
    assert folding.toggle(3) and folding.num_rows == len(TEXT)


def test_an_outer_block_hides_its_inner_ones_and_gives_them_back_folded():
    folding = Folding(TEXT)
    folding.fold_all()
    assert seen(folding) == ["outer {", "}", "last", ""]
    folding.toggle(0)
    assert seen(folding) == ["outer {", "a", "", "inner {", "}", "d", "}", "last", ""]
    assert not folding.is_shown(4)
    assert folding.unfold_around(4) and folding.is_shown(4)
    assert not folding.unfold_around(4)


def test_the_block_around_a_line_is_found():
    folding = Folding(TEXT)
    assert [folding.block_of(n) for n in (0, 1, 2, 3, 5, 7, 9)] == [0, 0, 0, 3, 3, 0, None]


def show_code(qtbot: QtBot, lines: list[str] = TEXT, width: int = 400) -> CodeView:
    view = CodeView()
    qtbot.addWidget(view)
    view.resize(width, 300)
    view.set_lines(lines, None)
    view.show()
    return view


def test_keys_fold_and_marks_stay_visible(qtbot: QtBot):
    view = show_code(qtbot)
    view.set_marks({5: Mark.FORWARD, 7: Mark.BACKWARD}, reveal=False)
    view.go_to_line(4)
    qtbot.keyClicks(view, "-")
    assert view.folding.folded == (3,)
    top = view.places_of_lines([3, 5, 7])
    assert top[0] == top[1], "a line is where its block is"
    assert top[2][0] > top[1][0]
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert view.selected_text().strip() == "}", "what is folded is stepped over"
    qtbot.keyClicks(view, "*")
    assert view.folding.folded == ()
    qtbot.keyClicks(view, "/")
    assert view.folding.folded == (3, 0)
    view.go_to_line(5)
    assert view.folding.is_shown(5), "who goes to a line sees it"


def test_a_click_on_the_triangle_folds_and_copying_keeps_all(qtbot: QtBot):
    view = show_code(qtbot)
    before = view.grab().toImage()
    place = view.places_of_lines([3])[0]
    column = next(
        x for x in range(200) if view._is_fold_at(QPoint(x, 0), 3) and not view.folding.folded
    )
    point = QPoint(column + 2, (place[0] + place[1]) // 2)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert view.folding.folded == (3,)
    assert view.grab().toImage() != before
    qtbot.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "\n".join(TEXT)


def test_ctrl_and_shift_choose_several_and_the_pointer_looks_ahead(qtbot: QtBot):
    view = show_code(qtbot)
    several: list[tuple[list[int], bool]] = []
    hovered: list[int] = []
    view.lines_chosen.connect(lambda lines, adds: several.append((list(lines), adds)))
    view.line_hovered.connect(hovered.append)

    def at(line: int) -> QPoint:
        top, bottom = view.places_of_lines([line])[0]
        return QPoint(200, (top + bottom) // 2)

    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at(1))
    shift, control = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, shift, at(4))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, control, at(8))
    assert several == [([1, 2, 3, 4], False), ([8], True)]
    qtbot.mouseMove(view.viewport(), at(5))
    assert hovered[-1] == 5
    plain = view.grab().toImage()
    view.set_preview({6: Mark.FORWARD})
    assert view.grab().toImage() != plain
    view.set_preview()
    assert view.grab().toImage() == plain


@pytest.mark.parametrize("height", [200, 300, 2000])
def test_a_docstring_above_a_function_is_shown_whole_or_folded(qtbot: QtBot, height: int) -> None:
    text = '"""' + "What it is.\n\n" * 9 + '"""\n\nimport jax\n\n\ndef f(x):\n    return x\n'
    code = CodeView()
    qtbot.addWidget(code)
    code.resize(400, height)
    code.show()
    lines = text.split("\n")
    fill_with_source(code, text, lines.index("def f(x):"))
    for more in (0, 5):
        code.resize(400, height + more)
        assert code.first_line == 0
        assert code.folding.folded == (() if height == 2000 else (0,))
        assert code.folding.is_shown(lines.index("def f(x):"))
    code.resize(400, 2000)
    assert code.folding.folded == ()
    code.resize(400, 200)
    assert code.folding.folded == (0,)
    code.toggle_fold(0)
    for again in (300, 2000, 200):
        code.resize(400, again)
        code.show_line(lines.index("def f(x):"))
        assert code.folding.folded == (), "a person unfolded it"


def test_a_docstring_that_a_lesson_tells_is_folded_though_there_is_room(qtbot: QtBot) -> None:
    text = '"""' + "What it is.\n\n" * 9 + '"""\n\nimport jax\n\n\ndef f(x):\n    return x\n'
    code = CodeView()
    qtbot.addWidget(code)
    code.resize(400, 2000)
    code.show()
    fill_with_source(code, text, text.split("\n").index("def f(x):"))
    assert code.folding.folded == ()
    code.folds_docstring = True
    code.show_statement(text.split("\n").index("def f(x):"))
    assert code.folding.folded == (0,) and code.first_line == 0
    code.resize(400, 1900)
    assert code.folding.folded == (0,)
    code.show_line(0, is_first=True)  # as after a presentation
    assert code.folding.folded == (0,)
    code.toggle_fold(0)
    code.resize(400, 2000)
    assert code.folding.folded == (), "a person unfolded it"


MODULE = (
    """import jax


class Model:
    # What it is made of.
    @property
    def weights(self):
        return [
            1,
            2,
        ]


@jax.jit
def first(x):
    return x


# Long.
def second(x):
"""
    + "    x = x + 1\n" * 40
    + """    return x


def last(x):
    return x
"""
)


def test_statements_begin_with_their_decorators_and_comments() -> None:
    lines = MODULE.split("\n")
    firsts = [lines[each.start - 1] for each in find_statements(MODULE)]
    assert firsts == [
        "import jax",
        "class Model:",
        "@jax.jit",
        "# Long.",
        "def last(x):",
        "    # What it is made of.",
    ]
    assert [lines[each.stop - 2].strip() for each in find_statements(MODULE)][-3:] == [
        "return x", "return x", "]",
    ]  # fmt: skip
    assert find_statements("def f(:") == ()


@pytest.mark.parametrize("name", ["weights", "first", "second", "last"])
def test_a_page_begins_where_a_statement_does_in_every_size(qtbot: QtBot, name: str) -> None:
    """Unless it is the top of the file; the function that is looked for begins in sight."""
    code = CodeView()
    qtbot.addWidget(code)
    code.set_wrapping(True)
    lines = MODULE.split("\n")
    line = next(number for number, text in enumerate(lines) if f"def {name}" in text)
    tops = [0, *(lines.index(text) for text in ("class Model:", "@jax.jit", "# Long."))]
    tops += [lines.index("def last(x):"), lines.index("    # What it is made of.")]
    tops += [top - 1 for top in tops if top and not lines[top - 1]]  # a margin
    tops += [top - 2 for top in tops if top > 1 and not any(lines[top - 2 : top])]
    code.resize(500, 200)
    code.show()
    fill_with_source(code, MODULE, line)
    for height in (*range(60, 1200, 23), *range(1200, 60, -31)):
        code.resize(500, height)
        first, row = code.first_row
        assert first in tops and row == 0, height
        begin, end = code.places_of_lines([line])[0]
        assert begin >= 0 and (end <= code.viewport().height() or height < 140), height
    code.resize(500, 2000)
    assert code.first_line == 0, "all of it fits"
    code.resize(500, 300)
    code.set_heat({number: LineCost(0.5, "half") for number in range(20)})
    first, row = code.first_row
    assert first in tops and row == 0, "also when the margin takes some of the width"


def test_a_page_that_opens_below_leaves_the_text_where_it_is(qtbot: QtBot) -> None:
    """As long as what was looked for is seen; the text went to where the function begins."""
    code = CodeView()
    qtbot.addWidget(code)
    lines = MODULE.split("\n")
    line = lines.index("def second(x):")
    code.resize(500, (len(lines) + 2) * code._line_px)
    code.show()
    fill_with_source(code, MODULE, line)
    assert code.first_line == 0
    code.resize(500, (line + 4) * code._line_px)
    assert code.first_line == 0
    code.resize(500, (line - 4) * code._line_px)
    assert code.places_of_lines([line])[0][0] >= 0 and code.first_line > 0
    code.resize(500, (len(lines) + 2) * code._line_px)
    assert code.first_line == 0


def test_a_function_is_seen_whole_where_there_is_room(qtbot: QtBot) -> None:
    code = CodeView()
    qtbot.addWidget(code)
    code.resize(500, 45 * code._line_px)
    code.show()
    lines = MODULE.split("\n")
    fill_with_source(code, MODULE, lines.index("def second(x):"))
    assert lines[code.first_line + 2] == "# Long."
    last = lines.index("def last(x):") - 3
    assert code.places_of_lines([last])[0][1] <= code.viewport().height()


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("end, told", [(60, " … 13 lines"), (170, " …"), (192, ""), (230, "")])
def test_what_stands_for_folded_lines_covers_nothing_and_is_never_cut(end: int, told: str) -> None:
    image = QImage(200, 18, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.surface))
    painter = QPainter(image)
    painter.setFont(fixed_font(10.0))
    place = RowGeometry(width=200, line=18, char=8.0, ascent=13, gutter=20, heat=0, times=0, fold=0)
    area = paint_hidden(painter, LIGHT, place, end, 0, 13)
    assert area.width() == painter.fontMetrics().horizontalAdvance(told)
    painter.end()
    ground = QColor(LIGHT.surface).rgb()
    inked = [x for x in range(200) for y in range(18) if image.pixel(x, y) != ground]
    assert bool(inked) is bool(told)
    assert all(end <= x < min(end + area.width(), 200) for x in inked)


def test_triangles_of_what_could_be_folded_come_with_the_pointer_or_the_keyboard(
    qtbot: QtBot,
) -> None:
    view = show_code(qtbot)
    view.toggle_fold(3)
    rows = {line: view.places_of_lines([line])[0][0] + view._line_px // 2 for line in (0, 3)}

    def marked() -> set[int]:
        image, ground = view.viewport().grab().toImage(), QColor(LIGHT.surface).rgb()
        right = view._gutter_px()
        across = range(right - view._fold_px(), right)
        return {n for n, y in rows.items() if any(image.pixel(x, y) != ground for x in across)}

    assert marked() == {3}, "that it is folded is always told"
    QApplication.sendEvent(view, QEnterEvent(QPoint(5, 5), QPoint(5, 5), QPoint(5, 5)))
    assert marked() == {0, 3}
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert marked() == {3}
    view.activateWindow()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    assert marked() == {0, 3}


def test_a_line_with_much_of_the_cost_is_marked_in_the_scroll_bar_and_a_click_leads_to_it(
    qtbot: QtBot,
) -> None:
    view = show_code(qtbot, [f"line {number}" for number in range(200)])
    bar = view.verticalScrollBar()
    plain = bar.grab().toImage()
    chosen = list[int]()
    view.line_chosen.connect(chosen.append)
    view.set_heat({40: LineCost(0.06, "6%"), 150: LineCost(0.9, "90% of jaxpr: 9 FLOP")})
    image, mark = bar.grab().toImage(), QColor(LIGHT.backward).rgb()
    marked = [y for y in range(bar.height()) if image.pixel(bar.width() // 2, y) == mark]
    assert image != plain and len(marked) == 3
    (middle,) = marked[1:2]
    assert middle == pytest.approx(bar.height() * 150.5 / 200, abs=1)
    QToolTip.hideText()
    place = QPoint(bar.width() // 2, middle)
    QApplication.sendEvent(bar, QHelpEvent(QEvent.Type.ToolTip, place, bar.mapToGlobal(place)))
    assert QToolTip.text() == "line 151: line 150\n90% of jaxpr: 9 FLOP"
    assert not view.is_in_sight(150)
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=place)
    assert view.is_in_sight(150) and not chosen, "looked at, not selected"
    assert not view.hot_lines(), "what is seen needs no mark"
    view.show_line(0)
    assert view.hot_lines() == [150]
    view.set_stale(True)
    assert not view.hot_lines(), "of an earlier run nothing is told"


def test_a_click_on_what_stands_for_folded_lines_shows_them(qtbot: QtBot) -> None:
    view = show_code(qtbot, TEXT, 400)
    view.toggle_fold(0)
    view.grab()
    (area,) = view._hidden_areas.values()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=area.center())
    assert view.folding.folded == ()
    view.grab()
    assert not view._hidden_areas
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=area.center())
    assert view.folding.folded == (), "there is only the line now"
