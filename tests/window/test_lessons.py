"""The path of samples: lessons beside the program, the first start, pasted code, recent files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from jaxscope.client.requests import CaptureRequest, OutlineRequest
from jaxscope.model.lessons import parse_lesson
from jaxscope.ui.application import open_first
from jaxscope.ui.panes.pane_area import FIRST_ARRANGEMENT
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.pasted_code import PasteDialog, find_problem, write_pasted
from jaxscope.ui.window.places import Place
from jaxscope.ui.window.sample_path import find_picture, find_samples
from jaxscope.ui.window.start_page import SampleCard

from .conftest import Driver
from .programs import build_capture

DOC = """Sums: what adding costs.

Look at: `f`, which adds.

Predict: how many
equations?

Then see: one.
"""
CALL = "f(f32[3])"
TAUGHT = f'"""{DOC}"""\n\n# jaxscope: f(f32[3])\n\n\ndef f(x):\n    return x + 1\n'


@pytest.fixture
def taught(tmp_path: Path) -> Path:
    path = tmp_path / "taught.py"
    path.write_text(TAUGHT)
    return path


def test_a_docstring_with_three_parts_is_a_lesson() -> None:
    lesson = parse_lesson(DOC, "name")
    assert (lesson.title, lesson.summary) == ("Sums", "What adding costs.")
    assert (lesson.look, lesson.predict) == ("`f`, which adds.", "How many equations?")
    assert lesson.see == "One." and lesson.is_whole
    assert not parse_lesson("Sums: what adding costs.\n\nLook at: it.", "name").is_whole
    assert parse_lesson("Nothing of this.", "name").title == "name"


def test_the_lesson_stands_beside_the_program_and_keeps_its_answer_back(
    driver: Driver, window: MainWindow, taught: Path
) -> None:
    driver.open(taught, (CALL,))
    strip = window.lesson
    assert strip.isVisible() and not strip.answer_is_shown
    kept_back = (strip._try, *(b for b in strip.findChildren(QPushButton) if b.text() == CALL))
    assert len(kept_back) == 2 and not any(button.isVisible() for button in kept_back)
    assert strip._parts["Look at"].text().endswith("<code>f</code>, which adds.")
    driver.qtbot.mouseClick(strip._reveal, Qt.MouseButton.LeftButton)
    assert strip.answer_is_shown and strip._parts["Then see"].text().endswith("One.")
    assert all(button.isVisible() for button in kept_back)
    driver.qtbot.mouseClick(strip._try, Qt.MouseButton.LeftButton)
    assert window.trial is not None and window.trial.editor is not None
    call = next(b for b in strip.findChildren(QPushButton) if b.accessibleName() == "f(f32[3])")
    driver.qtbot.mouseClick(call, Qt.MouseButton.LeftButton)
    assert driver.wait_for(CaptureRequest, 2).request.call == "f(f32[3])"


def test_what_a_lesson_asks_to_open_is_a_link(
    driver: Driver, window: MainWindow, taught: Path
) -> None:
    taught.write_text(TAUGHT.replace("Then see: one.", "Then see: open its gradient."))
    driver.finish(driver.open(taught, (CALL,)), replace(build_capture(), call=CALL, transforms=()))
    window.lesson._reveal.click()
    label = window.lesson._parts["Then see"]
    assert "<a href='gradient'>Open its gradient</a>" in label.text()
    label.linkActivated.emit("gradient")
    assert driver.wait_for(CaptureRequest, 2).request.gradient
    assert "gradient" in window.workspace.area.shown_stages()


def test_each_lesson_is_read_from_its_beginning(
    driver: Driver, window: MainWindow, taught: Path, qtbot: QtBot
) -> None:
    window.resize(1280, 720)  # in a lower one the lesson is folded
    driver.open(taught, tuple(f"f(f32[{n}])" for n in range(3, 30)))
    bar = window.lesson._area.verticalScrollBar()
    window.lesson._show_answer()
    qtbot.waitUntil(lambda: bar.maximum() > 100)
    bar.setValue(100)
    other = taught.with_name("other.py")
    other.write_text(TAUGHT)
    driver.open(other, ("f(f32[3])",))
    assert bar.value() == 0


def test_a_file_without_a_lesson_has_no_strip_until_it_is_asked_for(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.open(source)
    assert window.lesson.isHidden()
    window.toggle_lesson()
    names = [b.accessibleName() for b in window.lesson.findChildren(QPushButton)]
    assert window.lesson.isVisible() and "Pure and impure functions" in names


def test_a_strip_that_was_closed_stays_closed(
    driver: Driver, window: MainWindow, taught: Path, source: Path
) -> None:
    driver.open(taught)
    window.lesson.close()
    assert not window._settings.shows_lessons
    window.open_path(str(source))
    window.open_path(str(taught))
    assert window.lesson.isHidden()
    window.toggle_lesson()
    assert window.lesson.isVisible() and window._settings.shows_lessons


@pytest.mark.parametrize("size", [(1280, 720), (1600, 900), (2560, 1440)])
def test_one_click_brings_back_a_lesson_that_was_closed(
    driver: Driver, window: MainWindow, taught: Path, source: Path, size: tuple[int, int],
    qtbot: QtBot,
) -> None:  # fmt: skip
    window._settings.shows_lessons = False
    window.workspace.area.arrange(FIRST_ARRANGEMENT)
    window.resize(*size)
    inspector = window.workspace.inspector
    tabs = inspector._tabs

    def has_tab() -> bool:
        area = tabs.mapTo(window, tabs.tabRect(0).bottomRight())
        return tabs.isVisible() and tabs.tabText(0) == "Lesson" and window.rect().contains(area)

    driver.finish(driver.open(taught, ("f(f32[3])",)), build_capture())
    driver.wait_until(has_tab)
    assert window.lesson.isHidden() and inspector.page.isVisible() and tabs.currentIndex() == 1
    for step in (lambda: window.workspace.selection.select_node("jaxpr", 0),
                 window.workspace.selection.clear):  # fmt: skip
        step()
        assert window.lesson.isHidden() and inspector.page.isVisible()
    qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(0).center())
    driver.wait_until(window.lesson.isVisible)
    assert window._settings.shows_lessons
    is_beside = size[0] > 2000
    assert inspector.page.isVisible() is is_beside and tabs.isVisible() is not is_beside
    window.lesson.close()
    driver.wait_until(has_tab)
    assert window.lesson.isHidden() and inspector.page.isVisible()
    window.open_path(str(source))
    driver.wait_until(lambda: not tabs.isVisible())  # it has no lesson


def test_the_first_start_shows_the_first_sample_and_later_ones_the_gallery(
    driver: Driver, window: MainWindow
) -> None:
    assert window._settings.is_first_start
    open_first(window, window._settings)
    assert driver.wait_for(OutlineRequest).request.file == str(find_samples()[0])
    assert window.lesson.isVisible()
    window.controller.close_file()
    open_first(window, window._settings)
    assert not window.controller.state.file
    assert window.screen_shown is not None and window.screen_shown.shows_start_page


def test_the_next_sample_is_one_click_from_the_answer(driver: Driver, window: MainWindow) -> None:
    open_first(window, window._settings)
    driver.qtbot.mouseClick(window.lesson._reveal, Qt.MouseButton.LeftButton)
    driver.qtbot.mouseClick(window.lesson._next, Qt.MouseButton.LeftButton)
    assert window.controller.state.file == str(find_samples()[1])


def test_recent_files_are_in_the_menu(driver: Driver, window: MainWindow, source: Path) -> None:
    driver.open(source)
    window._recent_menu.aboutToShow.emit()
    actions = window._recent_menu.actions()
    assert [action.data() for action in actions] == [str(source)]
    window.controller.close_file()
    actions[0].trigger()
    assert window.controller.state.file == str(source)


def test_pasted_code_becomes_a_file(qtbot: QtBot, driver: Driver, window: MainWindow) -> None:
    QApplication.clipboard().setText("def f(x):\n    return x")
    window.paste_code()
    dialog = window.findChild(PasteDialog)
    assert dialog is not None and dialog.edit.toPlainText().startswith("def f")
    dialog.edit.setPlainText("def f(x:\n")
    dialog._on_buttons_accepted()
    assert dialog.isVisible() and "Line 1" in dialog._problem.text()
    dialog.edit.setPlainText("def f(x):\n    return x")
    dialog._on_buttons_accepted()
    file = Path(driver.wait_for(OutlineRequest).request.file)
    assert file.read_text() == "def f(x):\n    return x\n"
    assert file.parent == window._settings.pasted_folder


def test_what_was_typed_is_kept_when_the_dialog_is_cancelled(
    qtbot: QtBot, driver: Driver, window: MainWindow
) -> None:
    """Shift+Tab leads from the code to *Open*, and Ctrl+Enter opens."""
    window.commands.actions["paste_code"].trigger()
    dialog = window.findChild(PasteDialog)
    assert isinstance(dialog, PasteDialog)
    dialog.edit.setPlainText("def g(x):\n    return x\n")
    dialog.activateWindow()
    qtbot.waitUntil(dialog.edit.hasFocus)
    qtbot.keyClick(dialog.edit, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    button = QApplication.focusWidget()
    assert isinstance(button, QPushButton) and button.text() == "Open"
    dialog.reject()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    window.commands.actions["paste_code"].trigger()
    dialog = window.findChild(PasteDialog)
    assert isinstance(dialog, PasteDialog)
    assert dialog.edit.toPlainText() == "def g(x):\n    return x\n"
    dialog.activateWindow()
    qtbot.waitUntil(dialog.edit.hasFocus)
    qtbot.keyClick(dialog.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    driver.wait_until(lambda: Path(window.controller.state.file).name.startswith("pasted_"))
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QGuiApplication.clipboard().clear()
    window.commands.actions["paste_code"].trigger()
    dialog = window.findChild(PasteDialog)
    assert isinstance(dialog, PasteDialog) and not dialog.edit.toPlainText()


def test_every_pasted_program_has_a_file_of_its_own(tmp_path: Path) -> None:
    first, second = (write_pasted(tmp_path / "new", text) for text in ("a = 1\n", "a = 2"))
    assert (first.read_text(), second.read_text()) == ("a = 1\n", "a = 2\n")
    assert find_problem("") and not find_problem("a = 1")


def test_a_new_list_of_recent_files_leaves_nothing_of_the_one_before(window: MainWindow) -> None:
    page = window.start_page
    page.show_recent(["/a/one.py", "/a/two.py"])
    QApplication.processEvents()
    paths = {"/a/one.py", "/a/two.py"}
    rows = [row for row in page.findChildren(QPushButton) if row.property("path") in paths]
    assert len(rows) == 2 and not any(row.isHidden() for row in rows)
    page.show_recent(["/a/two.py"])
    assert all(row.isHidden() for row in rows), "they lie below the new ones until they are gone"


@pytest.mark.usefixtures("every_sample")
def test_the_keyboard_begins_at_what_can_be_opened_and_goes_from_card_to_card(
    window: MainWindow, qtbot: QtBot
) -> None:
    page = window.start_page
    page.show_recent([])
    page.hide()
    page.show()
    cards = page.findChildren(SampleCard)
    places = {card: card.mapTo(page.widget(), QPoint(0, 0)) for card in cards}

    def at() -> SampleCard:
        found = page.window().focusWidget()
        assert isinstance(found, SampleCard)
        return found

    first = at()
    assert places[first] == min(places.values(), key=lambda place: (place.y(), place.x()))
    qtbot.keyClick(first, Qt.Key.Key_Right)
    second = at()
    assert places[second].x() > places[first].x()
    qtbot.keyClick(second, Qt.Key.Key_Down)
    below = at()
    assert places[below].y() > places[second].y() and places[below].x() == places[second].x()
    qtbot.keyClick(below, Qt.Key.Key_Up)
    assert at() is second
    for _ in range(30):
        qtbot.keyClick(at(), Qt.Key.Key_Down)
    last = at()
    shown = last.mapTo(page.viewport(), QPoint(0, last.height() // 2)).y()
    assert 0 < shown < page.viewport().height()


@pytest.mark.parametrize("size", [(1280, 720), (1600, 900)])
def test_a_lesson_takes_no_room_from_the_graph(
    driver: Driver, window: MainWindow, taught: Path, size: tuple[int, int]
) -> None:
    window.workspace.area.arrange(FIRST_ARRANGEMENT)
    window.resize(*size)
    driver.finish(driver.open(taught, ("f(f32[3])",)), build_capture())
    driver.wait_until(lambda: window.workspace.inspector.guest is window.lesson)
    area = window.workspace.area
    driver.wait_until(lambda: len(area.panes) == (3 if size[0] >= 1600 else 2))
    graphs = [pane for pane in area.panes if pane.isVisible() and pane.is_graph_shown]
    assert window.lesson.isVisible()
    room = sum(pane.width() * pane.height() for pane in graphs)
    assert room >= 0.55 * window.width() * window.height()
    window.workspace.selection.select_node("grad", 1)
    assert not window.lesson.isVisible() and window.workspace.inspector.page.isVisible()
    window.workspace.selection.clear()
    assert window.lesson.isVisible() and not window.workspace.inspector.page.isVisible()


def test_above_the_drawer_of_a_small_window_the_lesson_is_one_line(
    driver: Driver, window: MainWindow, taught: Path, qtbot: QtBot
) -> None:
    window.workspace.area.arrange(FIRST_ARRANGEMENT)
    window.resize(1280, 720)
    driver.finish(driver.open(taught, ("f(f32[3])",)), build_capture())
    inspector = window.workspace.inspector
    source, program = window.workspace.area.panes
    driver.wait_until(lambda: window.lesson.isVisible())
    window.pages.show_page("memory")
    driver.wait_until(lambda: window.pages.drawer.isVisible())
    assert program.width() * program.height() >= 0.32 * window.width() * window.height()
    window.resize(1280, 600)
    driver.wait_until(lambda: not window.lesson.isVisible())
    driver.wait_until(lambda: inspector.height() < 60 < source.code.height() // 3)
    assert inspector.isVisible() and not inspector.page.isVisible()
    tabs = inspector._tabs
    qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(0).center())
    driver.wait_until(lambda: window.lesson.isVisible() and inspector.height() > 100)
    window.workspace.selection.select_node("grad", 1)
    driver.wait_until(lambda: inspector.page.isVisible() and inspector.height() > 100)
    window.workspace.selection.clear()
    window.pages.close_drawer()
    driver.wait_until(lambda: window.lesson.isVisible() and inspector.height() > 200)
    window.pages.show_page("memory")
    driver.wait_until(lambda: not window.lesson.isVisible())


def test_a_lesson_stands_beside_the_views_of_a_wide_window_and_in_no_other_place(
    driver: Driver, window: MainWindow, taught: Path
) -> None:
    driver.open(taught, ("f(f32[3])",))
    for width in (1280, 2560):
        window.resize(width, 900)
        is_wide = width > 2000
        driver.wait_until(lambda wide=is_wide: (window.workspace.inspector.guest is None) is wide)
        window.pages.show_place(Place.PROGRAM)
        assert window.lesson.isVisible()
        assert window.workspace.inspector.page.isVisible() is is_wide
        for place in (Place.MEASURE, Place.COMPARE):
            window.pages.show_place(place)
            assert not window.lesson.isVisible()


def test_what_is_selected_stays_in_front_where_the_lesson_comes_below_the_source(
    driver: Driver, window: MainWindow, taught: Path
) -> None:
    window.resize(2560, 900)
    driver.finish(driver.open(taught, ("f(f32[3])",)), build_capture())
    inspector = window.workspace.inspector
    driver.wait_until(lambda: inspector.guest is None)
    window.workspace.selection.select_node("jaxpr", 0)
    window.resize(1280, 900)
    driver.wait_until(lambda: inspector.guest is not None)
    assert inspector.page.isVisible() and not window.lesson.isVisible()
    window.workspace.selection.clear()
    assert window.lesson.isVisible()


def test_what_a_lesson_leads_to_is_written_out_where_it_has_room(
    driver: Driver, window: MainWindow
) -> None:
    call = "a_function_of_a_long_name(f32[1000, 1000], f32[1000])"
    driver.open(find_samples()[0], (call,))
    strip = window.lesson
    strip.setParent(None)
    strip.set_beside(is_beside=False)
    strip.show()
    for width, is_whole in ((240, False), (600, True), (240, False)):
        strip.resize(width, 400)
        row = next(row for row in strip.findChildren(QPushButton) if row.accessibleName() == call)
        assert (row.text() == call) is is_whole
        assert strip._next.text().startswith("Next: ")
        assert row.toolTip() == ("" if is_whole else call)
        assert row.fontMetrics().horizontalAdvance(row.text()) < width
    strip.close()


def test_a_lesson_that_is_opened_has_the_room_of_the_drawer(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path
) -> None:
    """It is read first; of a file without one the page stays."""
    driver.finish(driver.open(source), build_capture())
    window.pages.show_page("passes")
    other = tmp_path / "other.py"
    other.write_text(source.read_text())
    window.open_path(str(other))
    assert window.pages.current == "passes"
    lesson = tmp_path / "lesson.py"
    lesson.write_text(
        '"""Sums.\n\nLook at: `f`.\n\nPredict: what?\n\nThen see: that.\n"""\n' + source.read_text()
    )
    window.open_path(str(lesson))
    assert not window.lesson.isHidden()
    assert window.pages.current == ""
    window.pages.show_page("passes")
    window.run_call()
    assert window.pages.current == "passes", "a page that is opened beside it stays"


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_small_picture_of_a_sample_can_be_made_out(theme: str) -> None:
    """Boxes, lines and letters are far from the ground in both themes."""
    for path in find_samples():
        place = find_picture(path, theme)
        assert place is not None
        image = QImage(str(place)).convertToFormat(QImage.Format.Format_Grayscale8)
        grey = np.frombuffer(image.constBits(), np.uint8)
        rows = grey.reshape(image.height(), image.bytesPerLine())[:, : image.width()].astype(int)
        ground = int(np.bincount(rows.ravel()).argmax())
        assert np.abs(rows - ground).max() >= 140, path.stem
        if path.stem == "quick_start":
            assert (np.abs(rows - ground) >= 60).mean() > 0.02
