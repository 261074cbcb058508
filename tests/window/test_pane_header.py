"""The row above a pane uses what room it has, and never lays one part over another."""

from __future__ import annotations

import itertools
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QWidget
from pytestqt.qtbot import QtBot

from jaxscope.in_process import capture_function
from jaxscope.program.cost.lines import LineCost, find_line_costs
from jaxscope.ui.panes.pane_header import Form, PaneHeader
from jaxscope.ui.toolkit.theme import LIGHT, ThemeSwitch

from .conftest import Driver
from .programs import build_capture


@pytest.fixture
def header(qapp: QApplication, qtbot: QtBot) -> PaneHeader:
    header = PaneHeader()
    qtbot.addWidget(header)
    header.set_choices([("jaxpr", "jaxpr"), ("optimized", "optimized")], "optimized")
    header.show_form(Form.GRAPH, is_shown=True, is_enabled=True)
    header.show()
    return header


def settle() -> None:
    """Let all that is posted arrive, however slow the machine is: layouts, and what they post."""
    for _ in range(5):
        QApplication.processEvents()


def places(header: PaneHeader) -> list[tuple[int, int]]:
    """Where each visible part begins and ends, from left to right."""
    parts = [part for part in header.findChildren(QWidget) if part.parent() is header]
    return sorted((part.x(), part.x() + part.width()) for part in parts if part.isVisible())


def tools(header: PaneHeader) -> tuple[str, ...]:
    """What can be seen of the tools, as a screen reader says it, in the order of their need."""
    parts = (header.form_choice, header._find, header._close)
    return tuple(part.accessibleName().partition(" (")[0] for part in parts if part.isVisible())


def is_apart(header: PaneHeader) -> bool:
    """Whether every part ends before the next one begins."""
    return all(right <= left for (_, right), (left, _) in itertools.pairwise(places(header)))


@pytest.mark.parametrize("width", [240, 320, 480, 900])
def test_no_part_lies_over_another_whatever_the_size_of_type(
    qapp: QApplication, qtbot: QtBot, header: PaneHeader, width: int
) -> None:
    themes = ThemeSwitch(qapp, LIGHT)
    for points in (10.0, 16.0, 10.0):
        themes.set_points(points)
        header.resize(width, header.sizeHint().height())
        qtbot.waitUntil(lambda: is_apart(header))  # it fits itself once events are handled


def test_a_named_pane_shortens_its_name_before_any_part_lies_over_another(
    qapp: QApplication, qtbot: QtBot, header: PaneHeader
) -> None:
    ThemeSwitch(qapp, LIGHT).set_points(10.0)
    header.set_name("Kernels of the first layer")
    header.set_hovered(True)
    header.setMinimumWidth(1)  # as in a pane, which does not ask its header how narrow it may be
    for width in (900, 225, 260):
        header.resize(width, header.sizeHint().height())
        qtbot.wait(20)
        assert header.width() == width
        assert is_apart(header), places(header)
        shown = [label.text() for label in header.findChildren(QLabel) if label.isVisible()]
        assert (shown == [header.name]) == (width == 900)
    assert header.name == "Kernels of the first layer"


@pytest.mark.parametrize("points", [10.0, 14.0])
def test_the_more_room_the_more_tools_and_form_and_search_first(
    qapp: QApplication, qtbot: QtBot, header: PaneHeader, points: float
) -> None:
    ThemeSwitch(qapp, LIGHT).set_points(points)
    header.set_hovered(True)
    seen: list[tuple[str, ...]] = []
    header.setMinimumWidth(1)
    for width in range(140, 700, 20):
        header.resize(width, header.sizeHint().height())
        qtbot.wait(1)
        seen.append(tools(header))
    ThemeSwitch(qapp, LIGHT).set_points(10.0)
    every = ("Form of this view", "Find in this view", "Close this view")
    assert all(found == every[: len(found)] for found in seen)
    assert [len(found) for found in seen] == sorted(len(found) for found in seen)
    assert seen[-1] == every


def test_tools_are_seen_where_a_person_is_and_move_nothing(
    qtbot: QtBot, header: PaneHeader
) -> None:
    header.resize(500, header.sizeHint().height())
    header.grip.clearFocus()  # a window gives it to the first part
    qtbot.wait(1)
    assert tools(header) == ()
    quiet = header._quiet
    assert quiet.isVisible() and not header.chooser.isVisible()
    name, place = quiet.text(), quiet.geometry()
    header.grip.setFocus()
    qtbot.waitUntil(lambda: tools(header) == ("Form of this view", "Find in this view"))
    assert header.chooser.isVisible() and not quiet.isVisible()
    assert header.chooser.currentText() == name == "optimized"
    assert header.chooser.geometry() == place
    before = header.form_choice.geometry()
    header.set_hovered(True)
    qtbot.wait(1)
    assert len(tools(header)) == 3
    assert header.form_choice.geometry() == before


def test_how_much_is_drawn_is_told_in_the_room_of_tools_that_are_not_seen(
    qapp: QApplication, qtbot: QtBot, header: PaneHeader
) -> None:
    """Of a third view at 1600 pixels; the name is whole, with and without the tools."""
    ThemeSwitch(qapp, LIGHT).set_points(10.0)
    header.set_caption("284 instructions, 7 in other boxes", "")
    header.grip.clearFocus()
    header.setMinimumWidth(1)
    quiet, caption = header._quiet.fontMetrics(), header._caption
    words_px = quiet.horizontalAdvance("optimized") + caption.sizeHint().width()
    header.resize(words_px + header.grip.width() + 25, header.sizeHint().height())
    qtbot.wait(20)
    assert header._caption.isVisible() and header._quiet.text() == "optimized"
    assert is_apart(header), places(header)
    assert header._caption.geometry().right() <= header.width()
    header.set_hovered(True)
    qtbot.wait(20)
    assert not header._caption.isVisible() and "Form of this view" in tools(header)
    assert is_apart(header), places(header)


def test_a_list_of_stages_stays_while_the_pointer_goes_through_it(
    qtbot: QtBot, header: PaneHeader
) -> None:
    header.set_hovered(True)
    header.chooser.showPopup()
    header.set_hovered(False)  # the pointer is over the list, which is a window of its own
    qtbot.wait(1)
    assert header.chooser.isVisible()
    header.chooser.hidePopup()


def test_the_search_comes_when_asked_for_and_goes_when_empty(
    qtbot: QtBot, header: PaneHeader
) -> None:
    header.resize(500, header.sizeHint().height())
    header.set_hovered(True)
    assert not header.search.isVisible()
    assert not header.search.isClearButtonEnabled(), "Qt looks for its icon in thousands of places"
    header.focus_search()
    header.search.setText("add")
    qtbot.wait(1)
    assert header.search.isVisible() and is_apart(header)
    assert header.search.isClearButtonEnabled()
    header.search.clear()
    header.search.clearFocus()
    qtbot.waitUntil(lambda: not header.search.isVisible())


def test_a_search_that_begins_with_a_text_has_its_button(qtbot: QtBot, header: PaneHeader) -> None:
    header.search.setText("add")
    header.resize(500, header.sizeHint().height())
    qtbot.waitUntil(header.search.isVisible)
    assert header.search.isClearButtonEnabled()


def test_a_name_is_whole_where_there_is_room_and_stays_beside_its_arrow(
    qtbot: QtBot, header: PaneHeader
) -> None:
    header.resize(900, 30)
    qtbot.wait(1)
    wide = header.chooser.width()
    text = header.fontMetrics().horizontalAdvance("optimized")
    assert text < wide < text + 60
    header.show_stage("jaxpr")
    qtbot.wait(1)
    assert header.chooser.width() < wide


@pytest.mark.parametrize("name", ["optimized", "machine code"])
def test_the_name_is_whole_before_any_tool_has_room(
    qtbot: QtBot, header: PaneHeader, name: str
) -> None:
    colours = QComboBox()
    colours.addItem("by operation")
    header.take_colours(colours)
    header.set_choices([(name, name)], name)
    header.set_hovered(True)
    header.setMinimumWidth(1)
    text_px = header.fontMetrics().horizontalAdvance(name)
    for width in range(160, 420, 20):
        header.resize(width, header.sizeHint().height())
        qtbot.wait(1)
        assert header.chooser.width() - text_px > 20, "its arrow and its frame"
        header.set_hovered(False)
        header.grip.clearFocus()
        assert header._quiet.text() == name
        header.set_hovered(True)
    header.resize(60, header.sizeHint().height())
    header.set_hovered(False)
    told = header._quiet.text()
    assert told == name or told.endswith("…"), "never cut in a letter"


def test_the_grip_is_seen_in_the_pane_that_is_worked_in(header: PaneHeader) -> None:
    header.grip.clearFocus()
    quiet = header.grip.grab().toImage()
    header.set_hovered(True)
    assert header.grip.grab().toImage() != quiet
    header.set_hovered(False)
    assert header.grip.grab().toImage() == quiet


@pytest.mark.parametrize("words", [("图", "Graph"), ("Graph", "表"), ("Text", "Outline of all")])
def test_the_form_is_whole_also_after_its_words_changed(
    qtbot: QtBot, header: PaneHeader, words: tuple[str, str]
) -> None:
    header.set_hovered(True)
    header.resize(700, header.sizeHint().height())
    choice = header.form_choice
    for word in words:
        choice.setItemText(choice.currentIndex(), word)
        QApplication.sendEvent(header, QEvent(QEvent.Type.LanguageChange))
        least = choice.fontMetrics().horizontalAdvance(word)
        qtbot.waitUntil(lambda: least < choice.width() - 12 < least + 40)  # noqa: B023 (waited for)


def test_a_list_stays_below_its_button_when_the_search_goes(
    header: PaneHeader, qtbot: QtBot
) -> None:
    """A click on the button takes the keyboard from the empty search, whose room others get."""
    header.resize(600, header.sizeHint().height())
    header.move(0, 0)
    header.set_hovered(True)
    header.activateWindow()
    header.focus_search()
    qtbot.waitUntil(header.search.hasFocus)
    settle()
    before, choice = header.form_choice.x(), header.form_choice
    qtbot.mouseClick(choice, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(choice.view().isVisible)
    settle()
    assert choice.x() == before
    popup = choice.view().window()
    assert popup.x() == choice.mapToGlobal(QPoint(0, 0)).x()
    choice.hidePopup()
    qtbot.waitUntil(header.search.isHidden)
    assert choice.x() != before, "there is more room now"


@pytest.mark.parametrize("dearest", [640.0, 0.0])
def test_shares_of_which_not_all_count_at_once_are_said_to_be(
    driver: Driver, source: Path, dearest: float
) -> None:
    """Arms of a branch on two lines of their own: by hand, 640 of 704 FLOP and 64 of 704."""
    driver.finish(driver.open(source), build_capture())
    pane = next(p for p in driver.window.workspace.area.panes if p.wanted_stage == "source")
    whole = dearest or 640.0
    shares = {3: 640.0 / (whole + 64.0), 4: dearest / (whole + 64.0), 5: 64.0 / (whole + 64.0)}
    heat = {line: LineCost(share, "", quantity="FLOP") for line, share in shares.items() if share}
    pane.show_source(pane._file, heat)
    if dearest:
        assert pane.header.caption == "share of FLOP by line, if its branch runs"
        assert "more than 100 %" in pane.header._caption.toolTip()
    else:
        assert pane.header.caption == "share of FLOP by line"
        assert "branch" not in pane.header._caption.toolTip()


def test_the_shares_of_a_real_branch_add_up_to_more_than_all() -> None:
    """Both arms are matrix products of 8 × 8: each is nearly all, and one of them runs."""

    def first(v: jax.Array) -> jax.Array:
        return v @ v

    def second(v: jax.Array) -> jax.Array:
        return (v + 1) @ v

    def branch(x: jax.Array) -> jax.Array:
        return jax.lax.cond(x[0, 0] > 0, first, second, x)

    capture = capture_function(branch, (jnp.ones((8, 8)),), {})
    costs = find_line_costs(capture.stages[:1], __file__)
    shares = sorted(cost.share for cost in costs.values())[-2:]
    products = 2 * 8**3 - 8**2
    dearest = products + 8 * 8 + 1  # the sum before the product, and the comparison
    assert shares[1] == pytest.approx((products + 8 * 8) / dearest, abs=0.01)
    assert shares[0] == pytest.approx(products / dearest, abs=0.01)
    assert sum(shares) > 1.5
