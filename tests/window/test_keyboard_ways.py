"""Where commands and keys lead: the keyboard, pages, menus of graphs, and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from jaxscope.client.requests import CaptureRequest
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.pages import PAGES
from jaxscope.ui.panes.pane_area import FIRST_ARRANGEMENT
from jaxscope.ui.panes.pane_header import Form
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.places import Place

from .conftest import Driver
from .programs import build_capture
from .test_failures import fail_in_the_call


def use(window: MainWindow, name: str) -> None:
    """As from the palette."""
    next(entry for entry in window._palette_entries() if entry.name == name).do()


def test_the_button_of_an_experiment_that_is_opened_has_the_keyboard(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source, ("f(f32[3])",)), build_capture())
    names = [name for name, page in PAGES.items() if page.place is Place.MEASURE]
    assert len(names) > 5
    for name in names:
        window.focus_call()
        use(window, f"Show page: {PAGES[name].title}")
        page, focused = window.pages[name], QApplication.focusWidget()
        assert window.pages.current == name and focused is page.focusProxy() is not None, name
    window.pages.questions.setFocus()
    window.pages.questions.setCurrentRow(0)
    assert window.pages.questions.hasFocus(), "arrow keys go on"


def test_after_a_failure_tab_leads_from_the_call_to_the_proposed_call(
    qtbot: QtBot, driver: Driver, window: MainWindow, source: Path
) -> None:
    fail_in_the_call(driver, window, source)
    window.activateWindow()
    window.focus_call()
    qtbot.waitUntil(window.call_bar.edit.hasFocus)
    qtbot.keyClick(window.call_bar.edit, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is window.error_panel.remedy
    qtbot.keyClick(window.error_panel.remedy, Qt.Key.Key_Return)
    assert driver.wait_for(CaptureRequest, 3).request.call == "grad(f)(f32[3])"


def test_escape_ends_a_search_that_the_keyboard_has_left_and_then_the_selection(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.workspace.selection.select_node("jaxpr", 1)
    pane = window.workspace.area.active
    assert pane is not None
    pane.header.focus_search()
    pane.header.search.setText("sin")
    pane.focus_content()
    window.pages.show_page("passes")
    window.stop_run()
    assert not window.pages.close_drawer() and pane.header.search.text() == "sin"
    window.stop_run()
    assert pane.header.search.text() == "" and window.workspace.selection.selection is not None
    window.stop_run()
    assert window.workspace.selection.selection is None


def test_what_is_said_of_the_selection_is_framed_while_it_has_the_keyboard(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.workspace.selection.select_node("jaxpr", 1)
    window.activateWindow()
    driver.wait_until(window.isActiveWindow)
    page = window.workspace.inspector.page
    driver.wait_until(page.isVisible)
    before = page.grab().toImage()
    page.setFocus(Qt.FocusReason.TabFocusReason)
    driver.wait_until(page.hasFocus)
    assert page.grab().toImage() != before


def test_the_start_page_says_how_to_get_back(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    assert "Esc" not in window.row.status
    driver.finish(driver.open(source), build_capture())
    window.commands.actions["close_file"].trigger()
    assert window.row.status == f"Esc: back to {source.name}"
    window.stop_run()
    assert "Esc" not in window.row.status


def test_another_file_is_shown_as_a_program(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.pages.show_place(Place.COMPARE)
    window.open_path(str(source))
    assert window.pages.place is Place.COMPARE
    other = tmp_path / "other.py"
    other.write_text(source.read_text())
    window.open_path(str(other))
    assert window.pages.place is Place.PROGRAM


@pytest.mark.slow
def test_the_page_that_is_open_is_marked_after_presenting(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.pages.show_page("memory")
    for _ in range(2):
        window.toggle_presenting()
    assert window.pages.current == "memory" and window.row.names["memory"].isChecked()


@pytest.mark.slow
def test_a_small_window_is_as_small_after_presenting(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    before = QSize(737, 300)
    window.resize(before)
    QApplication.processEvents()
    window.toggle_presenting()
    driver.wait_until(lambda: window.size() != before)
    window.toggle_presenting()
    driver.wait_until(lambda: not window.presenting._settled.isActive())
    assert window.size() == before


def test_what_cannot_run_takes_no_transform(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    assert window.call_bar.add_button.isEnabled()
    window.controller.open_capture(build_capture(), "/tmp/a.jaxscope")
    assert not window.call_bar.add_button.isEnabled()


def test_a_step_that_shows_another_program_says_so(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    area = window.workspace.area
    area.arrange(FIRST_ARRANGEMENT)
    window.workspace.show_stage("optimized")
    driver.wait_until(lambda: "optimized" in area.shown_stages())
    window.commands.actions["step"].trigger()
    assert window.row.message.startswith("The program that runs is shown")


@pytest.fixture
def canvas(driver: Driver, window: MainWindow, source: Path) -> GraphCanvas:
    driver.finish(driver.open(source, ("f(f32[3])",)), build_capture())
    pane = window.workspace.area.panes[1]
    driver.wait_until(lambda: pane.canvas is not None and pane.canvas.scene is not None)
    assert pane.canvas is not None
    return pane.canvas


def test_the_picture_of_a_graph_is_copied(
    window: MainWindow, canvas: GraphCanvas, driver: Driver
) -> None:
    """The whole graph at a larger scale; a pane without a graph says that there is none."""
    QGuiApplication.clipboard().clear()
    window.workspace.area.activate(window.workspace.area.panes[0])
    use(window, "Graph: Copy the picture")
    assert window.row.message == "There is no graph in the active view."
    window.workspace.area.activate(window.workspace.area.panes[1])
    use(window, "Graph: Copy the picture")
    driver.wait_until(lambda: window.row.message == "The picture is on the clipboard.")
    image, scene = QGuiApplication.clipboard().image(), canvas.scene
    assert scene is not None and image.width() > scene.width and image.height() > scene.height
    background = image.pixelColor(2, 2)
    assert any(
        image.pixelColor(image.width() // 2, y) != background for y in range(0, image.height(), 5)
    )


@pytest.mark.parametrize("reason", QContextMenuEvent.Reason)
def test_a_graph_has_the_menu_graph(
    window: MainWindow, canvas: GraphCanvas, reason: QContextMenuEvent.Reason
) -> None:
    """At a right click for the box that is clicked on, and at the key for menus."""
    scene, menu = canvas.scene, window.commands.menus["Graph"]
    assert scene is not None
    item = len(scene.items) - 1
    x, y, wide, high = scene.items.rect[item].tolist()
    left, top = canvas.camera.to_widget(x + wide / 2, y + high / 2)
    place = QPoint(round(left), round(top))
    event = QContextMenuEvent(reason, place, canvas.mapToGlobal(place))
    QApplication.sendEvent(canvas, event)
    assert menu.isVisible()
    menu.close()
    selection = window.workspace.selection
    selected = selection.node_at(selection.place)
    if reason is QContextMenuEvent.Reason.Mouse:
        assert selected is not None and selected[1] == scene.items.node[item]
    elif reason is QContextMenuEvent.Reason.Keyboard:
        assert selected is None
        window.activateWindow()
        canvas.setFocus()
        QTest.keyClick(canvas, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
        assert menu.isVisible(), "also where there is no Menu key"
        menu.close()


def test_the_keys_of_panes_lead_to_what_is_said_of_the_selection_too(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.activateWindow()
    driver.wait_until(window.isActiveWindow)
    window.workspace.selection.select_node("jaxpr", 1)
    area, inspector = window.workspace.area, window.workspace.inspector
    driver.wait_until(inspector.page.isVisible)
    parts = [*area.panes, inspector]
    for key, order in (("focus_next", parts), ("Previous view", parts[::-1])):
        order[0].page.setFocus() if order[0] is inspector else order[0].focus_content()
        visited = []
        for _ in parts:
            QTest.qWait(5)
            area.focus_next(1 if key == "focus_next" else -1)
            focused = QApplication.focusWidget()
            assert focused is not None
            holders = [part for part in reversed(parts) if part.isAncestorOf(focused)]
            visited.append(holders[0])
        assert visited == [*order[1:], order[0]]
    window.toggle_inspector()
    area.panes[-1].focus_content()
    area.focus_next(1)
    assert area.panes[0].isAncestorOf(QApplication.focusWidget()), "it is hidden"


@pytest.mark.sweep(2)
@pytest.mark.parametrize("key", [Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3, Qt.Key.Key_4])
def test_the_keys_of_forms_are_about_the_active_pane_and_no_other(
    driver: Driver,
    window: MainWindow,
    source: Path,
    key: Qt.Key,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the source, which has one form, nothing changes, and that is said."""
    driver.finish(driver.open(source), build_capture())
    window.activateWindow()
    driver.wait_until(window.isActiveWindow)
    window.workspace.selection.select_node("jaxpr", 1)
    area = window.workspace.area
    area.panes[0].focus_content()
    before = [(pane.wanted_stage, pane.form) for pane in area.panes]
    moved: list[int] = []
    focused = QApplication.focusWidget()
    with monkeypatch.context() as patch:
        patch.setattr(area, "show_links", lambda *_, **__: moved.append(1))
        QTest.keyClick(focused, key, Qt.KeyboardModifier.ControlModifier)
    assert [(pane.wanted_stage, pane.form) for pane in area.panes] == before
    assert not moved, "no picture is moved to the selection"
    assert window.row.message == "The source is always shown as text."
    area.panes[1].focus_content()
    window.pages.show_place(Place.MEASURE)
    QTest.keyClick(window.pages.questions, key, Qt.KeyboardModifier.ControlModifier)
    assert window.pages.place is Place.PROGRAM, "what is changed is seen"
    assert [pane.wanted_stage for pane in area.panes] == [stage for stage, _ in before]
    forms = [Form.GRAPH, Form.TEXT, Form.TABLE, Form.TREE]
    assert area.panes[1].form is forms[key - Qt.Key.Key_1]
    assert area.panes[2].form is before[2][1]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "command",
    [
        *("show_about", "show_guide", "show_keys", "show_glossary"),
        *("export_dialog", "show_trusted_folders", "paste_code"),
    ],
)
def test_a_dialog_has_room_on_a_small_screen_with_a_bar_of_tasks(
    driver: Driver, window: MainWindow, source: Path, command: str
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.resize(1280, 720)
    before = set(QApplication.topLevelWidgets())
    window.commands.actions[command].trigger()
    (dialog,) = [
        part
        for part in set(QApplication.topLevelWidgets()) - before
        if isinstance(part, QDialog) and part.isVisible()
    ]
    assert dialog.width() <= 1280 and dialog.height() <= 640, dialog.size()
    dialog.close()


@pytest.fixture
def ran(driver: Driver, window: MainWindow, source: Path) -> MainWindow:
    driver.finish(driver.open(source), build_capture())
    window.activateWindow()
    driver.wait_until(window.isActiveWindow)
    return window


def press(window: MainWindow, qtbot: QtBot, key: Qt.Key, *modifiers: Qt.KeyboardModifier) -> None:
    """On what has the keyboard, as a person does."""
    pressed = Qt.KeyboardModifier.NoModifier
    for each in modifiers:
        pressed |= each
    qtbot.keyClick(QApplication.focusWidget() or window, key, pressed)


CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def test_the_key_that_closes_closes_what_has_the_keyboard(ran: MainWindow, qtbot: QtBot) -> None:
    area, inspector, pages = ran.workspace.area, ran.workspace.inspector, ran.pages
    before = area.panes
    ran.workspace.selection.select_node("jaxpr", 1)
    area.activate(area.panes[1])
    pages.show_page("passes")
    stop = next(s for s in pages.drawer.findChildren(QWidget) if s.focusPolicy() and s.isVisible())
    stop.setFocus()
    assert pages.drawer.isAncestorOf(QApplication.focusWidget())
    press(ran, qtbot, Qt.Key.Key_W, CTRL)
    assert pages.drawer.isHidden() and area.panes == before
    assert area.panes[1].isAncestorOf(QApplication.focusWidget())
    inspector.take_keyboard()
    press(ran, qtbot, Qt.Key.Key_W, CTRL)
    assert inspector.isHidden() and area.panes == before
    assert "Ctrl+B" in ran.row.message
    assert area.panes[1].isAncestorOf(QApplication.focusWidget()), "not the call: keys are typed"
    press(ran, qtbot, Qt.Key.Key_W, CTRL)
    assert area.panes == (before[0], before[2])
    ran.pages.go_to(Place.MEASURE)
    press(ran, qtbot, Qt.Key.Key_W, CTRL)
    assert len(area.panes) == 2 and "Program" in ran.row.message, "they are not seen there"


def test_a_lesson_that_has_the_keyboard_is_closed(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    source.write_text(LESSON + source.read_text())
    driver.finish(driver.open(source), build_capture())
    window.activateWindow()
    driver.wait_until(window.isActiveWindow)
    before = window.workspace.area.panes
    window.lesson._reveal.setFocus()
    press(window, qtbot, Qt.Key.Key_W, CTRL)
    assert window.lesson.isHidden() and window.workspace.area.panes == before


LESSON = '"""Sums.\n\nLook at: `loss`.\n\nPredict: what?\n\nThen see: that.\n"""\n'


def is_checked(window: MainWindow, slot: str) -> bool:
    """As the menu shows it when it is opened."""
    window.commands.menus["View"].aboutToShow.emit()
    window.commands.menus["View"].aboutToHide.emit()
    return window.commands.actions[slot].isChecked()


def test_the_page_below_has_a_command_that_closes_it_and_brings_it_back(
    ran: MainWindow, qtbot: QtBot
) -> None:
    assert not is_checked(ran, "toggle_drawer")
    ran.pages.show_page("memory")
    assert is_checked(ran, "toggle_drawer")
    press(ran, qtbot, Qt.Key.Key_F4)
    assert ran.pages.drawer.isHidden() and not is_checked(ran, "toggle_drawer")
    press(ran, qtbot, Qt.Key.Key_F4)
    assert ran.pages.current == "memory" and is_checked(ran, "toggle_drawer")
    use(ran, "View: Page below the views (on)")
    assert ran.pages.drawer.isHidden()
    ran.pages.show_place(Place.MEASURE)
    use(ran, "View: Page below the views")
    assert (ran.pages.place, ran.pages.current) == (Place.PROGRAM, "memory")


def test_what_is_selected_is_shown_where_it_is_not_seen_and_else_hidden(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    source.write_text(LESSON + source.read_text())
    driver.finish(driver.open(source), build_capture())
    window.activateWindow()
    driver.wait_until(window.isActiveWindow)
    area, page = window.workspace.area, window.workspace.inspector.page
    assert window.lesson.isVisible() and not page.isVisible()
    assert not is_checked(window, "toggle_inspector")
    press(window, qtbot, Qt.Key.Key_B, CTRL)
    assert page.isVisible() and is_checked(window, "toggle_inspector"), "it was behind the lesson"
    window.pages.show_place(Place.MEASURE)
    assert not is_checked(window, "toggle_inspector")
    press(window, qtbot, Qt.Key.Key_B, CTRL)
    assert page.isVisible() and window.pages.place is Place.PROGRAM
    area.activate(area.panes[1])
    area.show_alone()
    press(window, qtbot, Qt.Key.Key_B, CTRL)
    assert page.isVisible(), "it is below the source, which was out of sight"
    press(window, qtbot, Qt.Key.Key_B, CTRL)
    assert not page.isVisible() and not is_checked(window, "toggle_inspector")


def test_a_lesson_is_brought_to_where_it_can_be_read(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    source.write_text(LESSON + source.read_text())
    driver.finish(driver.open(source), build_capture())
    window.activateWindow()
    driver.wait_until(window.isActiveWindow)
    lesson, inspector = window.lesson, window.workspace.inspector
    press(window, qtbot, Qt.Key.Key_H, CTRL, SHIFT)
    assert not lesson.isVisible()
    window.pages.show_place(Place.MEASURE)
    press(window, qtbot, Qt.Key.Key_H, CTRL, SHIFT)
    assert lesson.isVisible() and window.pages.place is Place.PROGRAM
    inspector.bring_forward(is_selected=True)
    press(window, qtbot, Qt.Key.Key_H, CTRL, SHIFT)
    assert lesson.isVisible(), "it was behind what is selected"
    inspector.hide()
    press(window, qtbot, Qt.Key.Key_H, CTRL, SHIFT)
    assert lesson.isVisible()
    window.resize(1280, 720)
    window.pages.show_page("fusions")
    inspector.set_low(is_low=True)
    assert not lesson.isVisible()
    press(window, qtbot, Qt.Key.Key_H, CTRL, SHIFT)
    assert lesson.isVisible(), "it was one line"


def test_a_click_on_a_stage_gives_its_view_the_keyboard_and_enter_stays_in_the_line(
    ran: MainWindow, qtbot: QtBot
) -> None:
    """From the call, keys that are meant for the graph changed the call."""
    cards = dict(zip((step.name for step in ran.strip._steps), ran.strip.cards, strict=False))
    edit, text = ran.call_bar.edit, ran.call_bar.edit.text()
    for name in ("jaxpr", "optimized"):
        edit.setFocus()
        qtbot.mouseClick(cards[name], Qt.MouseButton.LeftButton)
        active = ran.workspace.area.active
        qtbot.waitUntil(lambda pane=active: pane.isAncestorOf(QApplication.focusWidget()))
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F)
        assert edit.text() == text
    card = cards["jaxpr"]
    card.setFocus()
    qtbot.keyClick(card, Qt.Key.Key_Return)
    assert card.hasFocus()
