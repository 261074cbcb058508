"""Three places, their pages, and the ways to each of them by mouse and keyboard."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QUrl
from PySide6.QtGui import QAccessible, QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot

from jaxscope.client.events import Finished
from jaxscope.client.requests import CaptureRequest
from jaxscope.model import Check, Cost, Leaf, Severity, Stage, Unavailable
from jaxscope.model.capture import Device, Placement
from jaxscope.ui.application import build_window
from jaxscope.ui.canvas import graph_canvas
from jaxscope.ui.canvas.picture import PictureOrder
from jaxscope.ui.pages import PAGES
from jaxscope.ui.pages.compare import ComparePage
from jaxscope.ui.panes.pane_area import FIRST_ARRANGEMENT
from jaxscope.ui.panes.pane_header import SOURCE
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.session.screen import Condition, PipelineStep
from jaxscope.ui.toolkit.theme import LIGHT
from jaxscope.ui.toolkit.widgets import ANY_PX, ChoiceBox, MenuButton
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.pipeline_strip import Figures, PipelineStrip
from jaxscope.ui.window.places import Page, Place, Places
from jaxscope.ui.window.settings import Settings

from .conftest import Driver, destroy
from .programs import GRAD, JAXPR, RecordedSession, build_capture
from .test_window import capture_of


@pytest.fixture
def places(qtbot: QtBot) -> Places:
    """Two pages in the drawer, one that is named only when there is something in it, and others."""
    places = Places(QWidget())
    qtbot.addWidget(places)
    for name, page in {
        "memory": Page("Memory", Place.PROGRAM, "How much?", is_always_named=True),
        "fusions": Page("Fusions", Place.PROGRAM, "What?", is_always_named=True),
        "notes": Page("Notes", Place.PROGRAM, "What was noticed?"),
        "timing": Page("Timing", Place.MEASURE, "How long?"),
        "size": Page("Size", Place.MEASURE, "How does it grow?"),
        "compare": Page("Compare", Place.COMPARE, "What differs?"),
    }.items():
        places.add_page(name, page, lambda name=name: QLabel(name))
    places.row.setMinimumWidth(1)  # as in the window, where it may be cut off
    places.row.resize(1000, 28)
    places.row.show()
    places.show()
    qtbot.waitExposed(places)
    return places


def named(places: Places) -> list[str]:
    return [button.text() for button in places.row.names.values() if button.isVisible()]


def test_a_page_is_made_when_it_is_first_shown(places: Places):
    assert places.made == frozenset()
    places.show_page("memory")
    assert places.made == {"memory"}
    assert places["memory"].isVisible()
    assert places["memory"] is places["memory"]


def test_a_click_on_a_name_opens_the_drawer_and_another_closes_it(places: Places, qtbot: QtBot):
    names = places.row.names
    assert places.current == "" and not places.drawer.isVisible()
    qtbot.mouseClick(names["memory"], Qt.MouseButton.LeftButton)
    assert places.current == "memory" and places.drawer.isVisible()
    qtbot.mouseClick(names["fusions"], Qt.MouseButton.LeftButton)
    assert places.current == "fusions"
    assert [name for name, button in names.items() if button.isChecked()] == ["fusions"]
    qtbot.mouseClick(names["fusions"], Qt.MouseButton.LeftButton)
    assert places.current == "" and not places.drawer.isVisible()
    assert not any(button.isChecked() for button in names.values())


def test_a_name_leads_from_another_place_to_its_page(places: Places, qtbot: QtBot):
    places.show_page("memory")
    places.show_place(Place.MEASURE)
    assert places.current == "timing"
    qtbot.mouseClick(places.row.names["memory"], Qt.MouseButton.LeftButton)
    assert places.current == "memory" and places.place is Place.PROGRAM


def test_places_are_a_click_away_and_keep_their_page(places: Places, qtbot: QtBot):
    qtbot.mouseClick(places.row.places[Place.MEASURE], Qt.MouseButton.LeftButton)
    assert places.current == "timing" and places.made == {"timing"}
    places.questions.setCurrentRow(1)
    assert places.current == "size" and places["size"].isVisible()
    qtbot.mouseClick(places.row.places[Place.COMPARE], Qt.MouseButton.LeftButton)
    assert places.current == "compare"
    qtbot.mouseClick(places.row.places[Place.MEASURE], Qt.MouseButton.LeftButton)
    assert places.current == "size"
    shown = [place for place, button in places.row.places.items() if button.isChecked()]
    assert shown == [Place.MEASURE]
    qtbot.mouseClick(places.row.places[Place.MEASURE], Qt.MouseButton.LeftButton)
    assert places.row.places[Place.MEASURE].isChecked()


def test_a_place_that_a_key_leads_to_has_the_keyboard(places: Places, qtbot: QtBot):
    places.go_to(Place.MEASURE)
    assert places.questions.hasFocus()
    places.go_to(Place.COMPARE)
    assert places["compare"].hasFocus()
    with qtbot.waitSignal(places.keyboard_left):
        places.go_to(Place.PROGRAM)
    assert places.place is Place.PROGRAM


def test_keys_turn_through_the_views_and_every_page(places: Places):
    turned = []
    for _ in range(7):
        places.turn_page(1)
        turned.append(places.current)
    assert turned == ["memory", "fusions", "notes", "timing", "size", "compare", ""]
    places.turn_page(-1)
    assert places.current == "compare"


def test_what_is_mostly_empty_is_named_when_there_is_something_in_it(places: Places):
    places.show_page("memory")
    assert named(places) == ["Memory", "Fusions"]
    stands = places.row.names["memory"].x()
    places.set_count("notes", 2)
    assert named(places) == ["Memory", "Fusions", "Notes (2)"]
    places.row.layout().activate()
    assert places.row.names["memory"].x() == stands  # what comes later moves nothing
    assert places.row.names["notes"].x() < stands
    places.close_drawer()
    assert named(places) == [] and places.row.more.text() == "Memory, Fusions, Notes (2) ▴"
    places.set_count("notes", 0)
    places.show_page("notes")
    assert named(places) == ["Memory", "Fusions", "Notes"]
    places.close_drawer()
    assert named(places) == [] and places.row.more.text() == "Memory, Fusions ▴"


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["memory", "notes"])
def test_the_keyboard_goes_with_a_name_to_the_button_for_all(
    window: MainWindow, driver: Driver, source: Path, qapp: QApplication, name: str
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.activateWindow()
    driver.wait_until(window.isActiveWindow)
    window.pages.show_page(name)
    button = window.row.names[name]
    button.setFocus(Qt.FocusReason.TabFocusReason)
    driver.qtbot.keyClick(button, Qt.Key.Key_Space)
    assert not button.isVisible() and qapp.focusWidget() is window.row.more


def test_names_that_find_no_room_on_the_button_are_left_out(places: Places):
    row = places.row
    places.set_count("notes", 2)
    seen = []
    for width in range(1000, 100, -1):
        row.resize(width, 28)
        seen += [row.more.text()] if seen[-1:] != [row.more.text()] else []
        assert row.more.minimumSizeHint().width() <= width
    assert seen == ["Memory, Fusions, Notes (2) ▴", "Memory, Fusions … ▴", "Pages ▾"]


def test_one_button_leads_to_all_pages_while_the_drawer_is_closed(places: Places):
    row = places.row
    assert named(places) == [] and row.more.text() == "Memory, Fusions ▴"
    menu = row.more.menu()
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions()] == ["Memory", "Fusions", "Notes"]
    assert [action.toolTip() for action in menu.actions()] == [
        "How much?",
        "What?",
        "What was noticed?",
    ]
    menu.actions()[1].trigger()
    assert places.current == "fusions"
    assert named(places) == ["Memory", "Fusions"] and not row.more.isVisible()
    places.show_place(Place.MEASURE)
    assert named(places) == [] and row.more.isVisible()


def test_names_without_room_are_in_one_menu(places: Places):
    row = places.row
    row.resize(sum(button.sizeHint().width() for button in row.places.values()) + 60, 28)
    assert row.more.isVisible() and row.more.text() == "Pages ▾"
    places.show_page("fusions")
    assert named(places) == [] and row.more.isVisible()
    row.resize(1000, 28)
    assert named(places) == ["Memory", "Fusions"] and not row.more.isVisible()


def test_an_answer_stands_in_place_of_its_question(places: Places):
    item = places.questions.item(0)
    spoken = Qt.ItemDataRole.AccessibleTextRole
    assert item.data(spoken) == "Timing: How long?"
    places.set_answer("timing", "28 times faster")
    assert item.data(spoken) == "Timing: 28 times faster"
    places.set_answer("timing", "")
    assert item.data(spoken) == "Timing: How long?"


def test_a_message_stands_for_a_while_in_place_of_the_status(places: Places, qtbot: QtBot):
    row = places.row
    row.set_status("Done in 2 s")
    row.say("Bookmarked.", 1)
    assert row.message == "Bookmarked."
    qtbot.waitUntil(lambda: row.message == "")
    assert row.status == "Done in 2 s"


# --- in the window ---


def test_every_page_is_reached_from_the_menus(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    listed = [action for action in window.commands.menus["Show page"].actions() if action.text()]
    actions = {action.text(): action for action in listed}
    assert len(actions) == len(listed)
    for name, page in PAGES.items():
        actions[page.title].trigger()
        assert window.pages.current == name
        assert window.pages[name].isVisible()


def test_every_page_is_reached_by_the_keyboard(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    driver.finish(driver.open(source), build_capture())
    turned = []
    for _ in range(len(PAGES) + 1):
        qtbot.keyClick(window, Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
        turned.append(window.pages.current)
    assert turned == [*PAGES, ""]
    for number, place in enumerate(Place):
        key = Qt.Key(Qt.Key.Key_1 + number)
        qtbot.keyClick(window, key, Qt.KeyboardModifier.AltModifier)
        assert window.pages.place is place


def test_what_is_selected_stays_in_sight_when_the_drawer_opens(
    driver: Driver, window: MainWindow, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.workspace.selection.select_node("jaxpr", 1)
    asked: list[bool] = []
    monkeypatch.setattr(
        window.workspace.area, "show_links", lambda _links, *, reveal: asked.append(reveal)
    )
    window.pages.show_page("memory")
    driver.wait_until(lambda: True in asked)


def test_escape_stops_a_layout_wherever_the_keyboard_is(
    driver: Driver,
    window: MainWindow,
    source: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also one that does not look whether it is to stop."""
    ended = threading.Event()
    monkeypatch.setattr(graph_canvas, "_INLINE_NODES", 0)
    monkeypatch.setattr(PictureOrder, "work_out", lambda *_: ended.wait(60))
    driver.finish(driver.open(source), build_capture())
    canvas = next(window.workspace.area.canvases())
    for has_keyboard in (window.call_bar.edit, canvas):
        canvas._restart()
        qtbot.waitUntil(lambda: canvas.isVisible() and canvas._job.is_running)
        window.activateWindow()
        has_keyboard.setFocus()
        QTest.keyClick(window, Qt.Key.Key_Escape)
        assert not canvas.is_busy and canvas._message == "The layout was stopped."
    ended.set()


def test_escape_in_the_call_puts_back_what_is_shown_and_undo_what_was_typed(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.workspace.selection.select_node("jaxpr", 1)
    edit, call = window.call_bar.edit, window.controller.state.call
    window.activateWindow()
    edit.setFocus()
    edit.selectAll()
    edit.insert("other(f32[2])")
    assert window.controller.state.is_stale
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert edit.text() == call
    assert not window.controller.state.is_stale
    assert window.workspace.selection.selection is not None
    edit.undo()
    assert edit.text() == "other(f32[2])"


def test_escape_closes_the_drawer_and_then_lets_the_selection_go(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.workspace.selection.select_node("jaxpr", 1)
    window.pages.show_page("memory")
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.pages.current == ""
    assert window.workspace.selection.selection is not None
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.workspace.selection.selection is None


@pytest.mark.parametrize("place", [Place.MEASURE, Place.COMPARE])
def test_escape_in_another_place_keeps_what_is_selected_in_the_program(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot, place: Place
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.workspace.selection.select_node("jaxpr", 1)
    window.pages.show_place(place)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.pages.place is place
    assert window.workspace.selection.selection is not None


def test_a_drawer_that_closes_gives_the_keyboard_to_the_view_and_not_to_the_call(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.pages.show_page("stepping")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    button = window.pages["stepping"].buttons["forward"]
    button.setFocus()
    assert button.hasFocus()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.pages.current == "" and not window.call_bar.edit.hasFocus()
    pane, focused = window.workspace.area.active, QApplication.focusWidget()
    assert pane is not None and focused is not None and pane.isAncestorOf(focused)


def test_back_from_another_place_the_same_view_is_active(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    """What had the keyboard goes out of sight: Qt would give it to the source."""
    driver.finish(driver.open(source), build_capture())
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    area = window.workspace.area
    area.activate(area.panes[1])
    window.pages.show_page("compare")
    field = window.pages["compare"].findChild(QComboBox)
    assert field is not None
    field.setFocus()
    assert field.hasFocus()
    window.pages.show_place(Place.PROGRAM)
    assert area.active is area.panes[1]
    focused = QApplication.focusWidget()
    assert focused is not None and area.panes[1].isAncestorOf(focused)


def test_a_measurement_that_a_key_asks_for_from_a_view_leaves_the_keyboard_somewhere(
    window: MainWindow, driver: Driver, source: Path, qapp: QApplication
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.activateWindow()
    window.workspace.area.panes[1].focus_content()
    driver.wait_until(lambda: qapp.focusWidget() is not None)
    window.pages["timing"].measure()
    driver.wait_until(window.pages.questions.hasFocus)


def test_another_file_empties_the_comparison_and_shows_its_program(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    page = window.pages["compare"]
    assert isinstance(page, ComparePage)
    window.pages.show_page("compare")
    page.call.setEditText("f(f32[5])")
    page.compare_button.click()
    driver.wait_for(CaptureRequest, 2).tell(Finished(build_capture()))
    driver.wait_until(lambda: page.view is not None and page.view.isVisible())
    window.open_path(str(source))
    assert page.view is not None and page.view.isVisible(), "of the same file it stays"
    other = tmp_path / "other.py"
    other.write_text(source.read_text())
    window.open_path(str(other))
    assert window.pages.place is Place.PROGRAM
    window.pages.show_page("compare")
    assert not page.view.isVisible() and page.call.currentText() == ""


def test_notes_output_and_bookmarks_are_counted_before_their_pages_are_made(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    window.resize(1280, 720)
    names = window.row.names
    driver.finish(driver.open(source), capture_of(source))
    window.controller.state_changed.emit(window.controller.state)
    assert "Bookmarks" not in window.row.more.text()
    window.workspace.selection.select_node("jaxpr", 1)
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(window, Qt.Key.Key_B, keys)
    assert "Bookmarks (1)" in window.row.more.text()
    window.pages.show_page("memory")
    assert names["bookmarks"].text() == "Bookmarks (1)" and names["bookmarks"].isVisible()
    assert not window.pages["bookmarks"].isVisible()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("num_devices", [1, 4])
def test_devices_are_named_where_there_are_several(
    window: MainWindow, driver: Driver, source: Path, num_devices: int, qtbot: QtBot
) -> None:
    placement = Placement(tuple(Device(number, "cpu") for number in range(num_devices)))
    capture = dataclasses.replace(capture_of(source), placement=placement)
    driver.finish(driver.open(source), capture)
    name = window.pages.row.names["sharding"]
    assert (name.text() in window.pages.row.more.text()) is (num_devices > 1)
    window.pages.show_page("memory")
    assert name.isVisible() is (num_devices > 1)
    assert name.text() == (f"Devices ({num_devices})" if num_devices > 1 else "Devices")
    for stage, is_told in (("optimized", num_devices > 1), ("jaxpr", False)):
        window.workspace.area.show_in_main(stage)
        pane = window.workspace.area.active
        assert pane is not None and pane.canvas is not None
        canvas = pane.canvas
        qtbot.waitUntil(lambda canvas=canvas: canvas.scene is not None and not canvas.is_busy)
        told = [text for text in canvas.legend.names if "devices" in text]
        assert told == ([f"types: on each of {num_devices} devices"] if is_told else [])


def test_pages_that_work_unseen_are_made_with_the_first_capture(
    qapp: QApplication, qtbot: QtBot, session: RecordedSession, source: Path, tmp_path: Path
) -> None:
    bridge = Bridge(lambda: session)
    window = build_window(qapp, bridge, RunOptions(), Settings(str(tmp_path / "late.ini")))
    window.show()
    unseen = {name for name, page in PAGES.items() if page.works_unseen}
    assert window.pages.made == frozenset()
    driver = Driver(qtbot, window, session)
    driver.finish(driver.open(source), build_capture())
    driver.wait_until(lambda: window.pages.made == unseen)
    destroy(window)
    bridge.close()


def test_rows_of_pages_and_fields_tell_a_screen_reader_what_they_are(window: MainWindow):
    fields = [box.lineEdit() for box in window.findChildren(ChoiceBox) if box.isEditable()]
    assert fields
    parts = (window.pages.questions, window.menu_button, *fields)
    assert [part for part in parts if part is None or not part.accessibleName()] == []


def test_a_check_is_counted_at_the_bottom(window: MainWindow, driver: Driver, source: Path) -> None:
    window.resize(1280, 720)
    check = Check("non-finite-result", Severity.WARNING, "It is NaN.", "Try.", file="f.py", line=1)
    driver.finish(driver.open(source), dataclasses.replace(build_capture(), checks=(check,)))
    assert window.row.names["notes"].text() == "Notes (2)", "and a message"
    assert window.row.more.isVisible() and "Notes (2)" in window.row.more.text()


def test_what_was_noticed_about_a_line_is_marked_in_its_margin(
    window: MainWindow, driver: Driver, source: Path, qtbot: QtBot
) -> None:
    check = Check(
        "non-finite-result", Severity.WARNING, "It is NaN.", "Try.", file=str(source), line=5
    )
    capture = dataclasses.replace(capture_of(source), checks=(check,))
    driver.finish(driver.open(source), capture)
    code = next(p.code for p in window.workspace.area.panes if p.wanted_stage == SOURCE)
    assert "It is NaN." in code.hint_of(4)
    assert "It is NaN." not in code.hint_of(3)
    place = QPoint(6, (4 - code.verticalScrollBar().value()) * code._line_px + 3)
    qtbot.mouseClick(code.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.pages.current == "notes"
    assert "It is NaN." in window.pages["notes"].page.toPlainText()


@pytest.mark.parametrize("num_lines", [1, 60])
def test_a_drawer_of_few_lines_leaves_the_rest_to_the_views(
    window: MainWindow, driver: Driver, source: Path, num_lines: int
) -> None:
    window.resize(1280, 720)
    messages = tuple(f"Line {number}." for number in range(num_lines))
    driver.finish(driver.open(source), dataclasses.replace(capture_of(source), messages=messages))
    window.pages.show_page("notes")
    drawer, page = window.pages.drawer, window.pages["notes"].page
    is_high = num_lines > 1
    driver.wait_until(lambda: drawer.height() > 200 if is_high else 0 < drawer.height() < 130)
    assert (page.verticalScrollBar().maximum() > 0) is is_high
    assert window.workspace.area.height() > 200


def test_the_inspector_lists_what_goes_in_and_comes_out_until_something_is_selected(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    capture = capture_of(source)
    leaves = (Leaf("params['w']", "f32[4]", 16), Leaf("params['b']", "f32[2]", 8))
    capture = dataclasses.replace(capture, arguments=(*leaves, Leaf("n", "3", 0, is_static=True)))
    driver.finish(driver.open(source), capture)
    page = window.workspace.inspector.page
    text = page.toPlainText().replace("\u200b", "")
    assert text.startswith("Click a line or a box")  # where no height cuts it off
    assert "params 2 arrays, 24 B" in text
    assert "n 3" in text
    interface = QAccessible.queryAccessibleInterface(page)
    assert interface.text(QAccessible.Text.Name) == "Arguments and results"
    assert "24 B" in interface.text(QAccessible.Text.Description)
    page.anchorClicked.emit(QUrl("page:arguments"))
    assert window.pages.current == "arguments"
    window.workspace.selection.select_node("jaxpr", 1)
    assert interface.text(QAccessible.Text.Name) == "Selected"
    assert "arrays" not in page.toPlainText()
    window.workspace.selection.clear()
    assert "2 arrays" in page.toPlainText() and "Click" not in page.toPlainText()


@pytest.mark.usefixtures("window")  # which sets the fonts
def test_the_time_gives_way_to_the_names_of_the_stages(qtbot: QtBot) -> None:
    strip = PipelineStrip()
    qtbot.addWidget(strip)
    steps = [PipelineStep(f"s{n}", f"stage {n}", Condition.DONE) for n in range(6)]
    strip.show_steps(steps)
    strip.show_time("eager 23.0 ms · jit 357 µs · jit 64 times faster", can_measure=True)
    strip.show()
    seen = []
    for width in (1200, 760, 620):
        strip.resize(width, 30)
        qtbot.wait(5)
        seen.append(strip.time.text())
    assert seen == [
        "eager 23.0 ms · jit 357 µs · jit 64 times faster ›",
        "jit 64 times faster ›",
        "jit 357 µs ›",
    ]
    strip.resize(690, 30)
    strip.show_time("eager 23.0 ms · jit 357 µs · jit 64 times faster · noisy", can_measure=True)
    assert strip.time.text() == "jit 357 µs · noisy ›"
    assert strip.time.toolTip().startswith("eager 23.0 ms · jit 357 µs")  # what has no room
    strip.resize(600, 30)
    qtbot.wait(5)
    assert strip.time.text() == "Timing ›"
    assert strip._content.width() >= strip._content.sizeHint().width(), "names are whole"
    assert "need not divide to it" in strip.time.toolTip()
    strip.show_time("eager 23.0 ms · jit 357 µs · partial", can_measure=True)
    assert "need not divide to it" not in strip.time.toolTip(), "there is no factor"


QUICK_START = {
    "Source": "29 lines", "jaxpr": "5 equations · 3.4 ms", "StableHLO": "12 operations · 3.4 ms",
    "HLO": "15 instructions · 3.4 ms", "optimized": "17 instructions · 34.5 ms",
    "machine code": "153 lines · 1.41 ms", "its gradient": "9 equations",
}  # fmt: skip
A_GRADIENT = {
    "Source": "60 lines", "jaxpr": "11 equations", "grad": "30 equations",
    "StableHLO": "43 operations", "HLO": "57 instructions", "optimized": "69 instructions",
    "machine code": "3,602 lines · 1.41 ms",
}  # fmt: skip


@pytest.mark.sweep(2)
@pytest.mark.usefixtures("window")
@pytest.mark.parametrize("stages", [QUICK_START, A_GRADIENT])
@pytest.mark.parametrize("width", [1000, 1280, 1360, 1600])
def test_the_factor_with_its_range_is_the_last_to_give_way(
    qtbot: QtBot, stages: dict[str, str], width: int
) -> None:
    """Before it what is said of the stages but their names goes, and first of all the remark."""
    strip = PipelineStrip()
    qtbot.addWidget(strip)
    strip.show_steps([PipelineStep(t, t, Condition.DONE, size) for t, size in stages.items()])
    strip.resize(width, 30)
    strip.show()
    factor = "jit 7.22 times faster (observed 5.82 to 8.22) · noisy"
    headline = f"eager 61.9 µs · jit 8.57 µs · {factor} · with a remark"
    strip.show_time(headline, can_measure=True)
    qtbot.wait(5)
    told = strip.time.text()
    assert factor in told or (width == 1000 and told == "jit 8.57 µs · noisy ›"), told
    assert "remark" not in told or told == f"{headline} ›"
    last = strip.cards[-1]
    assert strip._content.width() >= strip._content.sizeHint().width(), "names are whole"
    assert last.mapTo(strip, last.rect().topRight()).x() < strip.time.x()
    assert headline == strip.time.accessibleName(), "what has no room"


def test_the_same_stages_again_are_no_work(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    strip, fitted = PipelineStrip(), list[str]()
    qtbot.addWidget(strip)
    monkeypatch.setattr(strip, "_fit", lambda: fitted.append("fitted"))
    steps = [PipelineStep(f"s{n}", f"stage {n}", Condition.DONE) for n in range(6)]
    for shown in (steps, list(steps), steps[:5], steps):
        strip.show_steps(shown)
    assert len(fitted) == 3 and [card.step for card in strip.cards] == steps


@pytest.mark.usefixtures("window")
def test_no_name_of_a_stage_moves_when_the_times_come(qtbot: QtBot) -> None:
    strip = PipelineStrip()
    qtbot.addWidget(strip)
    steps = [PipelineStep(f"s{n}", f"stage {n}", Condition.DONE, "12 equations") for n in range(4)]
    strip.show_steps(steps)
    strip.show()
    for width in range(500, 1300, 40):
        strip.resize(width, 30)
        strip.show_time("", can_measure=True)
        qtbot.wait(5)
        before = [card.x() for card in strip.cards]
        strip.show_time("eager 23.0 ms · jit 357 µs · jit 64 times faster", can_measure=True)
        assert [card.x() for card in strip.cards] == before, width


@pytest.mark.usefixtures("window")
def test_numbers_of_many_large_stages_are_shown_where_there_is_room(qtbot: QtBot) -> None:
    strip = PipelineStrip()
    qtbot.addWidget(strip)
    counts = {"Source": "31", "jaxpr": "5,922", "vmap": "6,123", "StableHLO": "9,345"}
    counts |= {"HLO": "9,512", "optimized": "21,345", "machine code": "153,456"}
    steps = [PipelineStep(t, t, Condition.DONE, f"{n} lines · 2.1 s") for t, n in counts.items()]
    aside = PipelineStep("gradient", "gradient of its sum", Condition.WAITING, "on request")
    strip.show_steps([*steps, dataclasses.replace(aside, is_aside=True, is_on_request=True)])
    strip.resize(1280, 30)
    strip.show()
    qtbot.wait(5)
    assert [card._size.text() for card in strip.cards[:-1]] == list(counts.values())
    strip.show_time("eager 23.0 ms · jit 357 µs · jit 64 times faster", can_measure=True)
    qtbot.wait(5)
    assert [card._size.text() for card in strip.cards[:-1]] == list(counts.values())
    assert strip.cards[-1].geometry().right() <= strip.time.x()


@pytest.mark.usefixtures("window")
def test_in_a_narrow_window_the_names_of_all_stages_are_whole(qtbot: QtBot) -> None:
    strip = PipelineStrip()
    qtbot.addWidget(strip)
    strip.show_steps([PipelineStep(f"s{n}", f"stage {n}", Condition.DONE) for n in range(8)])
    strip.show_time("eager 23.0 ms · jit 357 µs · jit 64 times faster", can_measure=True)
    strip.resize(2000, 30)
    strip.show()
    qtbot.wait(5)
    strip.show_time("jit 357 µs", can_measure=True)
    narrow = strip.cards[-1].geometry().right() + strip.time.sizeHint().width() + 10
    strip.resize(narrow, 30)
    qtbot.wait(5)
    assert strip.cards[-1].geometry().right() <= strip.time.x()


@pytest.mark.usefixtures("window")
def test_what_a_stage_is_told_has_its_room_at_once(qtbot: QtBot) -> None:
    """A first graph is imported and laid out right after it: nothing else is processed then."""
    strip = PipelineStrip()
    qtbot.addWidget(strip)
    strip.resize(1200, 30)
    step = PipelineStep("jaxpr", "jaxpr", Condition.RUNNING, "working …")
    strip.show_steps([step])
    strip.show()
    qtbot.waitExposed(strip)
    strip.show_steps([dataclasses.replace(step, size="5 equations · 12.1 ms")])
    (card,) = strip.cards
    assert all(label.width() >= label.sizeHint().width() for label in card.findChildren(QLabel))


@pytest.mark.usefixtures("window")
def test_a_step_that_moves_away_from_a_resting_pointer_has_no_frame(qtbot: QtBot) -> None:
    strip = PipelineStrip()
    qtbot.addWidget(strip)
    strip.resize(1200, 30)
    steps = [PipelineStep(f"s{n}", f"stage {n}", Condition.DONE) for n in range(6)]
    strip.show_steps(steps)
    strip.show()
    qtbot.waitExposed(strip)
    qtbot.wait(5)
    first, second = strip.cards[:2]
    QCursor.setPos(second.mapToGlobal(second.rect().center()))
    second.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)  # as Qt does when the pointer comes
    strip.show_steps([dataclasses.replace(steps[0], title="a much longer name"), *steps[1:]])
    qtbot.wait(20)
    assert [card for card in strip.cards if card.underMouse()] == [first]
    QCursor.setPos(-1, -1)


class Shows(QObject):
    """Counts how often a widget is shown."""

    count = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Show
        return False


def test_sizes_without_room_are_not_shown_for_a_moment(qtbot: QtBot) -> None:
    # A moment is enough for the mark of the pointer to stay at the wrong name.
    strip, shows = PipelineStrip(), Shows()
    qtbot.addWidget(strip)
    steps = [PipelineStep(f"s{n}", f"stage {n}", Condition.DONE, "3 equations") for n in range(6)]
    strip.resize(500, 30)
    strip.show_steps(steps)
    strip.show()
    qtbot.wait(5)
    for card in strip.cards:
        card._size.installEventFilter(shows)
    strip.resize(520, 30)
    strip.show_steps([dataclasses.replace(step, size="4 equations") for step in steps])
    qtbot.wait(5)
    assert all(card._size.isHidden() for card in strip.cards) and not shows.count
    strip.resize(1800, 30)
    qtbot.waitUntil(lambda: all(card._size.isVisible() for card in strip.cards))
    for card in strip.cards:
        assert card.width_for(Figures.ALL, is_dense=False) == card.sizeHint().width()


def test_as_much_of_the_sizes_is_shown_as_fits_for_all_stages(qtbot: QtBot) -> None:
    strip = PipelineStrip()
    qtbot.addWidget(strip)
    size = "1,234 equations · 3.4 ms"
    names = ["Source", *(f"stage {number}" for number in range(6))]
    strip.show_steps([PipelineStep(name, name, Condition.DONE, size) for name in names])
    strip.show()
    told = []
    for width in range(300, 2400, 20):
        strip.resize(width, 30)
        strip._fit()
        (text,) = {"" if c._size.isHidden() else c._size.text() for c in strip.cards}
        told.append(text)
        assert not text or strip._content.sizeHint().width() <= width
    assert list(dict.fromkeys(told)) == ["", "1,234", "1,234 equations", size]


@pytest.mark.parametrize("width", range(900, 2400, 60))
def test_units_do_not_come_and_go_while_stages_are_made(qtbot: QtBot, width: int) -> None:
    """All stages that were made had their units, until the next one had its size."""
    strip = PipelineStrip()
    qtbot.addWidget(strip)
    strip.resize(width, 30)
    strip.show()
    sizes = {
        "jaxpr": "16 equations · 31.6 ms",
        "grad": "47 equations · 42.9 ms",
        "StableHLO": "67 operations · 17.1 ms",
        "HLO": "85 instructions · 16.5 ms",
        "optimized": "147 instructions · 436 ms",
        "machine code": "7,748 lines · 4.99 ms",
    }
    told = []
    for num_made in range(len(sizes) + 1):
        made = [PipelineStep("source", "Source", Condition.DONE, "137 lines")]
        for number, (name, size) in enumerate(sizes.items()):
            done, running = number < num_made, number == num_made
            condition = (
                Condition.DONE if done else Condition.RUNNING if running else Condition.WAITING
            )
            text = size if done else "working …" if running else ""
            made.append(PipelineStep(name, name, condition, text))
        strip.show_steps(made)
        strip._fit()
        told.append(strip.cards[0]._size.text())
    assert told == sorted(told, key=len), "what is shown stays"


def test_a_branch_of_the_line_has_a_sign_and_no_frame(window: MainWindow, qtbot: QtBot) -> None:
    steps = [
        PipelineStep(name, name, Condition.DONE, is_aside=name == "gradient")
        for name in ("jaxpr", "stablehlo", "gradient")
    ]
    window.strip.show_steps(steps)
    window.strip.show()
    qtbot.wait(5)
    assert [sign.text().strip() for sign in window.strip._arrows[1:3]] == ["›", "↳"]
    for card in window.strip.cards:
        image = card.grab().toImage()
        border = {image.pixelColor(x, 0).name() for x in range(4, image.width() - 4)}
        assert len(border) == 1, "nothing is drawn around it"


def test_a_branch_that_is_shown_is_underlined_like_any_stage(
    window: MainWindow, qtbot: QtBot
) -> None:
    steps = [
        PipelineStep(name, name, Condition.DONE, is_shown=True, is_aside=is_aside)
        for name, is_aside in (("jaxpr", False), ("gradient", True))
    ]
    window.strip.show_steps(steps)
    window.strip.show()
    qtbot.wait(5)
    lowest = []
    for card in window.strip.cards:
        image = card.grab().toImage()
        inside = range(image.width() // 4, image.width() * 3 // 4)
        lowest.append({image.pixelColor(x, image.height() - 2).name() for x in inside})
    assert lowest == [{LIGHT.accent}, {LIGHT.accent}]


def test_a_button_whose_menu_has_gone_does_not_look_pointed_at(qtbot: QtBot) -> None:
    menu = QMenu()
    button = MenuButton(menu)
    qtbot.addWidget(button)
    qtbot.addWidget(menu)
    menu.addAction("one")
    button.resize(80, 20)
    button.show()
    before = QCursor.pos()
    QCursor.setPos(button.mapToGlobal(QPoint(40, 300)))
    qtbot.wait(5)
    button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    menu.aboutToHide.emit()
    qtbot.wait(5)
    QCursor.setPos(before)  # what is under the pointer shows its tools
    assert not button.underMouse()


def test_the_drawer_is_as_high_at_the_next_start(
    qapp: QApplication, session: RecordedSession, tmp_path: Path, source: Path, qtbot: QtBot
) -> None:
    settings, shares = Settings(str(tmp_path / "window.json")), []
    for is_first in (True, False):
        bridge = Bridge(lambda: session)
        window = build_window(qapp, bridge, RunOptions(), settings)
        window.resize(1280, 720)
        window.open_path(str(source))  # the views have no size before
        window.show()
        places, split = window.pages, window.pages._split
        qtbot.waitUntil(split.isVisible, timeout=60_000)
        places.show_page("memory")
        qtbot.waitUntil(places.drawer.isVisible, timeout=60_000)
        if is_first:
            split.moveSplitter(split.height() // 4, 1)
        views, drawer = split.sizes()
        shares.append(drawer / (views + drawer))
        window.close()
        destroy(window)
        bridge.close()
    assert shares[0] == pytest.approx(0.75, abs=0.1)
    assert shares[1] == pytest.approx(shares[0], abs=0.02)


def test_a_gradient_that_takes_long_is_a_branch_of_the_line_that_can_be_asked_for(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    missing = Unavailable("Making it would take long.", is_on_request=True)
    gradient = Stage("gradient", "gradient", missing, missing, Cost(), missing, missing)
    capture = build_capture()
    capture = dataclasses.replace(capture, stages=(*capture.stages, gradient))
    driver.finish(driver.open(source), capture)
    card = window.strip.cards[-1]
    assert card.step is not None and card.step.is_aside and card.step.is_on_request
    assert (card.step.title, card.accessibleName()) == ("its gradient", "its gradient: on request")
    driver.qtbot.mouseClick(card, Qt.MouseButton.LeftButton)
    request = driver.wait_for(CaptureRequest, 2).request
    assert isinstance(request, CaptureRequest) and request.gradient
    assert request.call == capture.call
    assert "gradient" in window.workspace.area.shown_stages()


def test_a_gradient_that_is_there_is_shown_and_of_what_has_none_it_is_said(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    capture = build_capture({"jaxpr": JAXPR, "gradient": GRAD})
    capture = dataclasses.replace(capture, call="f(f32[3])", transforms=())
    driver.finish(driver.open(source, ("f(f32[3])",)), capture)
    window.workspace.area.arrange(FIRST_ARRANGEMENT)
    assert "gradient" not in window.workspace.area.shown_stages()
    window.commands.actions["run_with_gradient"].trigger()
    assert "gradient" in window.workspace.area.shown_stages()
    assert len(driver.session.of_type(CaptureRequest)) == 1, "it is not made again"
    window.run_call()
    driver.finish(driver.wait_for(CaptureRequest, 2), build_capture())
    window.commands.actions["run_with_gradient"].trigger()
    assert len(driver.session.of_type(CaptureRequest)) == 2
    assert "add grad to this one" in window.row.message


def test_a_page_with_little_to_say_leaves_the_room_to_the_views(
    places: Places, qtbot: QtBot
) -> None:
    places.resize(1000, 600)
    places.show_page("memory")
    qtbot.waitUntil(lambda: places.drawer.height() > 200)
    places["fusions"].setMaximumHeight(70)
    places.show_page("fusions")
    qtbot.waitUntil(lambda: places.drawer.height() <= 70)
    places["fusions"].setMaximumHeight(ANY_PX)  # there is more to say
    qtbot.waitUntil(lambda: places.drawer.height() > 200)
    places["fusions"].setMaximumHeight(70)
    places.show_page("memory")
    qtbot.waitUntil(lambda: places.drawer.height() > 200)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("width", [1280, 700])
def test_names_stay_where_they_are_whichever_page_is_shown(
    window: MainWindow, driver: Driver, source: Path, width: int
) -> None:
    """But for one that is there only while its page is shown: that stands before all others."""
    driver.finish(driver.open(source), build_capture())
    window.resize(width, 720)
    pages = window.pages
    pages.set_count("bookmarks", 2)
    drawer = [name for name in pages if pages.page_of(name).place is Place.PROGRAM]
    counted = ("notes", "bookmarks")
    seen: dict[str, set[int]] = {}
    for name in (*drawer, "", *reversed(drawer), ""):
        if name:
            pages.show_page(name)
        else:
            pages.close_drawer()
        driver.qtbot.wait(10)
        names = {n: b for n, b in pages.row.names.items() if b.isVisible()}
        for each, button in names.items():
            if each != name or each in ("passes", "fusions", "memory", *counted):
                seen.setdefault(each, set()).add(button.mapTo(window, QPoint()).x())
        if name in ("arguments", "stepping", "output") and width > 1000:
            assert names[name].x() == min(button.x() for button in names.values())
    assert {each for each, places in seen.items() if len(places) > 1} == set()
    assert set(counted) <= set(seen) or width < 1000


def test_the_place_compare_gives_the_keyboard_to_something_that_is_seen(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    """Also where nothing can be compared yet, and where the palette leads there."""
    window.activateWindow()
    driver.wait_until(window.isActiveWindow)
    run = driver.open(source)
    for is_done in (False, True):
        if is_done:
            driver.finish(run, build_capture())
        for leave in (
            lambda: window.pages.go_to(Place.COMPARE),
            lambda: window.pages.go_to_page("compare"),
            lambda: window.pages.go_to_page("versus"),
        ):
            window.focus_call()
            leave()
            focused = QApplication.focusWidget()
            assert focused is not None and focused.isVisible() and focused.isEnabled()
            assert focused is not window.call_bar.edit
    assert window.pages["compare"].isAncestorOf(focused) or window.pages.current == "versus"


def test_the_list_of_questions_is_framed_while_it_has_the_keyboard(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.activateWindow()
    driver.wait_until(window.isActiveWindow)
    window.pages.show_page("timing")
    questions = window.pages.questions
    driver.wait_until(questions.isVisible)
    window.focus_call()
    before = questions.grab().toImage()
    questions.setFocus()
    driver.wait_until(questions.hasFocus)
    after = questions.grab().toImage()
    changed = [y for y in range(after.height()) if before.pixel(0, y) != after.pixel(0, y)]
    assert len(changed) > after.height() / 2


def test_a_page_that_finds_no_room_is_scrolled_and_asks_for_none(places: Places, qtbot: QtBot):
    """What is squeezed hides its last parts; a window that grows leaves the screen."""
    high = places["memory"]
    assert isinstance(high, QLabel)
    high.setMinimumSize(900, 700)
    places.resize(400, 300)
    places.show_page("memory")
    qtbot.wait(20)
    assert places.minimumSizeHint().height() < 250
    assert (places.width(), places.height()) == (400, 300)
    assert (high.width(), high.height()) == (900, 700)
    assert places.drawer.verticalScrollBar().maximum() > 0
    places.show_page("fusions")
    qtbot.wait(20)
    room_px = places.drawer.viewport().height()
    assert room_px - 1 <= places["fusions"].height() <= room_px, "but for the border"
    assert places.drawer.verticalScrollBar().maximum() == 0


def test_two_calls_are_compared_in_one_place_and_typed_once(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    """Which is faster, and what differs: each name leads to a tab of *Compare*."""
    driver.finish(driver.open(source), build_capture())
    window.activateWindow()
    driver.wait_until(window.isActiveWindow)
    pages = window.pages
    names = [entry.name for entry in window._palette_entries()]
    assert {"Show page: Two calls", "Show page: Compare"} <= set(names)
    next(e for e in window._palette_entries() if e.name == "Show page: Two calls").do()
    assert (pages.place, pages.current) == (Place.COMPARE, "versus")
    compare, side = pages["compare"], pages["versus"].side
    side.call.setText("f(f32[3])")
    side.options.setText("xla_disable_hlo_passes=fusion,dce")
    side.target.setCurrentIndex(side.target.findData("cpu:2"))
    next(e for e in window._palette_entries() if e.name == "Compare: With another call").do()
    assert (pages.place, pages.current) == (Place.COMPARE, "compare")
    assert compare.call.currentText() == "f(f32[3])"
    assert compare.target.currentText() == "cpu:2" and compare.options.isVisible()
    edit = compare.call.lineEdit()
    assert edit.hasFocus() and edit.selectedText() == "f(f32[3])"
    compare.call.setEditText("f(f32[4])")
    compare.target.setEditText("aot:gpu:h100")
    tabs = pages.sides
    assert tabs.isVisible() and tabs.count() == 2
    driver.qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(1).center())
    assert pages.current == "versus"
    assert (side.call.text(), side.target.currentData()) == ("f(f32[4])", "aot:gpu:h100")
    found = side.read()
    assert found["other_options"] == {"xla_disable_hlo_passes": "fusion,dce"}
    compare.show_state(window.controller.state)
    pages.go_to(Place.MEASURE)
    pages.go_to(Place.COMPARE)
    assert pages.current == "versus" and tabs.currentIndex() == 1, "with the page that it had"
    other = source.with_name("other.py")
    other.write_text(source.read_text())
    window.open_path(str(other))
    assert side.call.text() == compare.call.currentText() == ""


def test_the_file_that_was_compared_is_the_second_of_two_calls(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path
) -> None:
    """*Which of two is faster* began without it."""
    driver.finish(driver.open(source), build_capture())
    other = tmp_path / "other.py"
    other.write_text(source.read_text())
    compare, versus = window.pages["compare"], window.pages["versus"]
    window.pages.show_page("compare")
    compare.compare_with_file(str(other))
    for _ in range(2):
        window.pages.show_page("versus")
        assert versus.side.file.text() == str(other)
        assert versus.side.read()["other_file"] == str(other)
        window.pages.show_page("compare")
    versus.side.file.clear()  # another file is chosen, or none
    window.pages.show_page("versus")
    window.pages.show_page("compare")
    compare.call.setEditText("f(f32[8])")
    compare._on_compare_clicked()
    window.pages.show_page("versus")
    assert not versus.side.file.text(), "the call that is compared now is of this file"
