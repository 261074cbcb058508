"""*Try a change*: a scratch copy is run, and the file is written only when it is saved."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QColor, QTextCursor
from PySide6.QtWidgets import QApplication, QFileDialog

from jaxscope.client.events import Failed, Finished
from jaxscope.client.requests import CaptureRequest, OutlineRequest
from jaxscope.errors import UserCodeError
from jaxscope.model.outline import OfferedCall, Outline, OutlinedFunction
from jaxscope.program.cost.lines import LineCost
from jaxscope.ui.panes.pane_header import SOURCE
from jaxscope.ui.session.source_file import decode_source
from jaxscope.ui.toolkit.theme import LIGHT
from jaxscope.ui.window import sample_path
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.trial import KeptChanges, Trial, TrialEditor, _with_ends_of

from .conftest import Driver
from .programs import RecordedRun, build_capture
from .test_window import capture_of


@pytest.fixture
def trial(driver: Driver, window: MainWindow, source: Path) -> Trial:
    driver.finish(driver.open(source), build_capture())
    assert window.trial is not None
    window.trial.toggle()
    return window.trial


def editor_of(trial: Trial) -> TrialEditor:
    assert trial.editor is not None
    return trial.editor


def write(driver: Driver, trial: Trial, text: str) -> None:
    """Write a line at the end, and pause."""
    edit = editor_of(trial).edit
    edit.moveCursor(QTextCursor.MoveOperation.End)
    driver.qtbot.keyClicks(edit, text)
    edit.settle()


def test_a_pause_runs_the_scratch_copy_and_not_the_file(
    driver: Driver, window: MainWindow, source: Path, trial: Trial
) -> None:
    before = source.read_text()
    write(driver, trial, "y = 1")
    request = driver.wait_for(CaptureRequest, 2).request
    assert request.drafts == {str(source): f"{before}y = 1"}
    assert source.read_text() == before
    assert "(scratch copy)" in window.windowTitle()
    assert window.controller.state.snapshot is not None
    assert window.controller.state.snapshot.text == f"{before}y = 1"


def test_the_keyboard_comes_back_into_the_editor_and_to_the_source_after_it(
    qapp: QApplication, window: MainWindow, trial: Trial
) -> None:
    window.activateWindow()
    panes, visited = window.workspace.area, []
    for _ in range(len(panes.panes) + 1):  # what is said of the selection has a stop, too
        panes.focus_next(1)
        visited.append(qapp.focusWidget())
    assert editor_of(trial).edit in visited
    editor_of(trial).edit.setFocus()
    trial.discard()
    assert panes.active is not None and panes.active.isAncestorOf(qapp.focusWidget())


def test_a_line_is_the_same_one_in_the_inspector_and_in_the_margin_before_the_text_runs(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), capture_of(source))
    assert window.trial is not None
    window.trial.toggle()
    edit = editor_of(window.trial).edit
    lines = source.read_text().split("\n")
    at = next(n for n, line in enumerate(lines) if "jnp.sin" in line)
    edit.moveCursor(QTextCursor.MoveOperation.Start)
    edit.insertPlainText("# one\n# two\n")  # typing goes on: nothing has run of it
    edit.show_line(at + 2)
    page = window.workspace.inspector.page
    driver.wait_until(lambda: f"line {at + 3}" in page.toPlainText())
    assert "jnp.sin" in page.toPlainText()
    driver.wait_until(lambda: [s.cursor.blockNumber() for s in edit.extraSelections()] == [at + 2])


def test_what_python_cannot_read_is_not_run(
    driver: Driver, window: MainWindow, trial: Trial
) -> None:
    write(driver, trial, "y = (")
    assert "Not run: line" in editor_of(trial).said.text()
    assert window.controller.state.draft is None
    edit = editor_of(trial).edit
    wrong = QColor(LIGHT.error_soft)
    (marked,) = [s for s in edit.extraSelections() if s.format.background().color() == wrong]
    assert marked.cursor.blockNumber() == edit.blockCount() - 1
    assert window.controller.state.is_stale, "what is shown is of the text before"
    driver.qtbot.keyClick(edit, Qt.Key.Key_Up)
    assert not window.workspace.selection.selection, "its lines are not those of what ran"
    write(driver, trial, ")")
    assert "Scratch copy" in editor_of(trial).said.text()
    assert window.controller.state.draft is not None
    assert not [s for s in edit.extraSelections() if s.format.background().color() == wrong]


def test_as_soon_as_something_is_typed_what_is_shown_is_of_the_text_before(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), capture_of(source))
    assert window.trial is not None
    window.trial.toggle()
    edit, area = editor_of(window.trial).edit, window.workspace.area
    graphs = [pane for pane in area.panes if pane.wanted_stage != SOURCE]

    def is_old() -> tuple[set[bool], set[str], bool]:
        made = {card.property("condition") for card in window.strip.cards[1:]}
        badges = {pane.header.is_marked_stale for pane in graphs}
        return badges, made & {"stale", "done"}, "Done" in window.row.status

    assert is_old() == ({False}, {"done"}, True)
    assert "(scratch copy)" not in window.windowTitle()
    edit.moveCursor(QTextCursor.MoveOperation.End)
    driver.qtbot.keyClicks(edit, "y")  # typing goes on: nothing was told to run
    assert is_old() == ({True}, {"stale"}, False)
    assert "Edited since the run" in window.row.status
    assert "(scratch copy)" in window.windowTitle()
    driver.qtbot.keyClick(edit, Qt.Key.Key_Backspace)
    assert is_old() == ({False}, {"done"}, True), "it is the text that ran"
    driver.qtbot.keyClicks(edit, "y = (")
    edit.settle()
    assert "Not run" in editor_of(window.trial).said.text()
    assert is_old() == ({True}, {"stale"}, False)
    window.trial.discard()
    assert is_old() == ({False}, {"done"}, True)
    assert len(driver.session.of_type(CaptureRequest)) == 1


def test_stages_that_come_while_typing_goes_on_are_of_the_text_before(
    driver: Driver, window: MainWindow, source: Path, trial: Trial
) -> None:
    write(driver, trial, "y = 1")
    run = driver.wait_for(CaptureRequest, 2)
    editor_of(trial).edit.insertPlainText("0")
    driver.finish(run, build_capture())
    panes = [pane for pane in window.workspace.area.panes if pane.wanted_stage != SOURCE]
    assert {pane.header.is_marked_stale for pane in panes} == {True}
    assert "Edited since the run" in window.row.status
    editor_of(trial).edit.settle()
    driver.finish(driver.wait_for(CaptureRequest, 3), build_capture())
    assert {pane.header.is_marked_stale for pane in panes} == {False}


def test_what_the_editor_does_not_show_is_not_named(
    driver: Driver, window: MainWindow, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    costs = {4: LineCost(0.75, "", quantity="FLOP")}
    monkeypatch.setattr(window.workspace.lines, "costs", lambda: costs)
    driver.finish(driver.open(source), capture_of(source))
    pane = next(pane for pane in window.workspace.area.panes if pane.wanted_stage == SOURCE)
    assert window.trial is not None
    assert "share of" in pane.header.caption
    window.trial.toggle()
    assert "share of" not in pane.header.caption, "an editor has no margin for it"
    editor_of(window.trial).edit.insertPlainText("# one\n")
    assert pane.footnote.startswith("Edited since the run. Boxes and pages number lines")
    window.trial.discard()
    assert "share of" in pane.header.caption


def test_discarding_what_python_cannot_read_shows_what_ran_as_new_again(
    driver: Driver, window: MainWindow, trial: Trial
) -> None:
    write(driver, trial, "y = (")
    trial.discard()
    assert not window.controller.state.is_stale and not window.controller.state.is_running


def test_what_ran_while_wrong_text_was_written_is_of_an_earlier_text(
    driver: Driver, window: MainWindow, trial: Trial
) -> None:
    write(driver, trial, "y = 1")
    run = driver.wait_for(CaptureRequest, 2)
    write(driver, trial, " + (")
    driver.finish(run, build_capture())
    assert window.controller.state.is_stale


def test_the_line_in_hand_stays_in_sight_when_its_room_shrinks(
    driver: Driver, trial: Trial
) -> None:
    edit = editor_of(trial).edit
    edit.replace_text("x = 1\n" * 200)
    edit.show_line(100)
    for _ in range(edit.viewport().height() // edit.cursorRect().height() // 2 - 1):
        driver.qtbot.keyClick(edit, Qt.Key.Key_Down)
    height = edit.height()
    assert edit.cursorRect().bottom() > height * 0.7
    edit.resize(edit.width(), height // 2)
    assert edit.cursorRect().top() >= 0 and edit.cursorRect().bottom() <= height // 2


def test_saving_writes_the_file_and_discarding_does_not(
    driver: Driver, window: MainWindow, source: Path, trial: Trial
) -> None:
    before = source.read_text()
    write(driver, trial, "y = 1")
    editor_of(trial).discard.click()
    assert trial.editor is None and source.read_text() == before
    assert window.controller.state.draft is None
    assert driver.wait_for(CaptureRequest, 3).request.drafts == {}
    trial.toggle()
    write(driver, trial, "y = 2")
    driver.qtbot.keyClick(editor_of(trial).edit, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert trial.editor is None and source.read_text() == f"{before}y = 2"


def test_the_line_in_hand_is_in_sight_after_saving(
    driver: Driver, window: MainWindow, source: Path, trial: Trial
) -> None:
    trial.discard()
    lines = source.read_text() + "".join(f"line_{n} = {n}\n" for n in range(200))
    source.write_text(lines)
    window.controller.note_file_changed()
    driver.wait_until(lambda: window.controller.state.snapshot.text == lines)
    trial.toggle()
    edit = editor_of(trial).edit
    edit.show_line(150)
    edit.insertPlainText("here = 1\n")
    edit.settle()
    (pane,) = [pane for pane in window.workspace.area.panes if pane.wanted_stage == SOURCE]
    assert not pane.code.is_in_sight(151)
    editor_of(trial).save.click()
    assert trial.editor is None and pane.code.is_in_sight(151)


def test_a_change_that_is_saved_while_it_runs_runs_as_the_file(
    driver: Driver, window: MainWindow, source: Path, trial: Trial
) -> None:
    write(driver, trial, "y = 1")
    run = driver.wait_for(CaptureRequest, 2)
    driver.qtbot.keyClick(editor_of(trial).edit, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert source.read_text().endswith("y = 1") and run.was_killed
    assert window.controller.state.is_running
    assert driver.wait_for(CaptureRequest, 3).request.drafts == {}


def test_a_file_that_was_changed_meanwhile_is_not_overwritten(
    driver: Driver, source: Path, trial: Trial
) -> None:
    write(driver, trial, "y = 1")
    source.write_text("z = 3\n")
    editor_of(trial).save.click()
    assert source.read_text() == "z = 3\n"
    assert "changed on disk" in editor_of(trial).said.text()


@pytest.mark.parametrize("begins_with", ["", "y = 1; "])
def test_a_change_of_the_file_is_told(
    driver: Driver, window: MainWindow, source: Path, trial: Trial, begins_with: str
) -> None:
    write(driver, trial, begins_with)
    assert "the file is as it was" in editor_of(trial).said.text()
    source.write_text("z = 3\n")
    window.controller.note_file_changed()
    assert "has changed on disk" in editor_of(trial).said.text()
    write(driver, trial, "w = 2")  # another run of the copy makes the file no other
    assert "has changed on disk" in editor_of(trial).said.text()
    assert "z = 3" not in editor_of(trial).edit.toPlainText()


def test_why_a_text_is_not_run_does_not_hide_that_the_file_changed(
    driver: Driver, window: MainWindow, source: Path, trial: Trial
) -> None:
    write(driver, trial, "y = (")
    assert "Not run: line" in editor_of(trial).said.text()
    assert "changed on disk" not in editor_of(trial).said.text()
    source.write_text("z = 3\n")
    window.controller.note_file_changed()
    for more in ("", "2"):  # also where the next pause says it anew
        write(driver, trial, more)
        said = editor_of(trial).said.text()
        assert "Not run: line" in said and said.count("changed on disk") == 1
    write(driver, trial, ")")
    assert "Not run" not in editor_of(trial).said.text()
    assert editor_of(trial).said.text().count("changed on disk") == 1
    editor_of(trial).save.click()
    assert editor_of(trial).said.text().count("changed on disk") == 1


def test_shift_and_tab_lead_out_of_the_editor_to_its_buttons_and_tab_leads_back(
    driver: Driver, window: MainWindow, trial: Trial
) -> None:
    window.activateWindow()
    editor = editor_of(trial)
    driver.wait_until(editor.edit.hasFocus)
    before = editor.edit.toPlainText()
    driver.qtbot.keyClick(editor.edit, Qt.Key.Key_Backtab)
    assert editor.discard.hasFocus() and editor.edit.toPlainText() == before
    driver.qtbot.keyClick(editor.discard, Qt.Key.Key_Tab)
    assert editor.edit.hasFocus()


def test_buttons_stay_where_they_are_whatever_a_run_says(
    driver: Driver, window: MainWindow, trial: Trial
) -> None:
    window.resize(1280, 720)
    driver.qtbot.wait(50)
    save = editor_of(trial).save

    def place() -> QPoint:
        driver.qtbot.wait(20)
        return save.mapTo(window, QPoint(0, 0))

    before = place()
    write(driver, trial, "y = 1")
    run = driver.wait_for(CaptureRequest, 2)
    assert place() == before
    run.tell(Failed(UserCodeError("The shapes do not fit together.", where="model.py:5")))
    driver.wait_until(window.error_panel.isVisible)
    assert place() == before
    above = window.error_panel.mapTo(window, QPoint(0, 0)).y()
    assert above > before.y(), "it is below the text that is edited"
    trial.discard()
    driver.qtbot.wait(20)
    window.controller.show_problem(UserCodeError("Another.", where="model.py:5"))
    driver.qtbot.wait(20)
    assert window.error_panel.mapTo(window, QPoint(0, 0)).y() < before.y()


def test_long_line_ends_of_the_file_stay(
    driver: Driver, window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "windows.py"
    path.write_bytes(b"x = 1\r\n")
    driver.open(path)
    assert window.trial is not None
    window.trial.toggle()
    write(driver, window.trial, "y = 1")
    window.trial.save_change()
    assert path.read_bytes() == b"x = 1\r\ny = 1"


def test_the_palette_saves_a_change_while_there_is_one(window: MainWindow, trial: Trial) -> None:
    saving = [window.commands.actions[slot] for slot in ("save_change", "ask_save_as")]
    assert all(action.isEnabled() for action in saving)
    trial.discard()
    assert not any(action.isEnabled() for action in saving)


def test_a_change_can_be_saved_as_another_file(
    window: MainWindow, driver: Driver, source: Path, tmp_path: Path, trial: Trial
) -> None:
    before = source.read_text()
    write(driver, trial, "y = 1")
    trial.save_as(str(tmp_path / "other.py"))
    assert (tmp_path / "other.py").read_text() == f"{before}y = 1"
    assert source.read_text() == before
    assert window.controller.state.file == str(tmp_path / "other.py")
    assert window.controller.state.draft is None
    recent = [str(tmp_path / "other.py"), str(source)]
    assert list(window._settings.recent_files) == recent == list(window.call_bar.recent_files)


def test_the_line_of_the_cursor_is_selected_and_the_selection_is_marked(
    driver: Driver, window: MainWindow, trial: Trial
) -> None:
    edit = editor_of(trial).edit
    edit.show_line(0)
    edit.show_line(5)
    selected = window.workspace.selection.selection
    assert getattr(selected, "line", 0) == 6
    driver.wait_until(lambda: bool(edit.extraSelections()))


def test_the_cursor_begins_at_the_line_in_hand(
    window: MainWindow, driver: Driver, trial: Trial
) -> None:
    editor_of(trial).discard.click()
    pane = next(p for p in window.workspace.area.panes if p.wanted_stage == SOURCE)
    pane.code.go_to_line(1)
    trial.toggle()
    assert editor_of(trial).edit.textCursor().blockNumber() == 1


def test_keys_indent_as_python_wants(driver: Driver, trial: Trial) -> None:
    edit = editor_of(trial).edit
    edit.setPlainText("")
    driver.qtbot.keyClicks(edit, "def f(x):")
    driver.qtbot.keyClick(edit, Qt.Key.Key_Return)
    driver.qtbot.keyClicks(edit, "return x")
    driver.qtbot.keyClick(edit, Qt.Key.Key_Return)
    driver.qtbot.keyClick(edit, Qt.Key.Key_Tab)
    assert edit.toPlainText() == "def f(x):\n    return x\n        "
    edit.undo()
    assert edit.toPlainText() != "def f(x):\n    return x\n        "


def test_selected_lines_are_moved_by_one_indentation(driver: Driver, trial: Trial) -> None:
    edit = editor_of(trial).edit
    edit.setPlainText("a\n\n  b\n\tc\nd")
    edit.selectAll()
    driver.qtbot.keyClick(edit, Qt.Key.Key_Tab)
    assert edit.text == "    a\n\n      b\n    \tc\n    d"
    edit.undo()
    assert edit.textCursor().blockNumber() == 4, "it stays at the line in hand"
    edit.redo()
    edit.selectAll()
    driver.qtbot.keyClick(edit, Qt.Key.Key_Backtab)
    assert edit.text == "a\n\n  b\n\tc\nd" and edit.textCursor().hasSelection()
    driver.qtbot.keyClick(edit, Qt.Key.Key_Backtab)
    assert edit.text == "a\n\nb\nc\nd"
    edit.undo()
    assert edit.text == "a\n\n  b\n\tc\nd"
    cursor = edit.textCursor()
    cursor.setPosition(3)
    cursor.setPosition(7, QTextCursor.MoveMode.KeepAnchor)  # all of one line, with its end
    edit.setTextCursor(cursor)
    driver.qtbot.keyClick(edit, Qt.Key.Key_Tab)
    assert edit.text == "a\n\n      b\n\tc\nd"


def test_home_goes_to_the_first_word_and_backspace_takes_an_indentation(
    driver: Driver, trial: Trial
) -> None:
    edit = editor_of(trial).edit
    edit.setPlainText("      return x")
    edit.moveCursor(QTextCursor.MoveOperation.End)
    columns = []
    for _ in range(3):
        driver.qtbot.keyClick(edit, Qt.Key.Key_Home)
        columns.append(edit.textCursor().positionInBlock())
    assert columns == [6, 0, 6]
    driver.qtbot.keyClick(edit, Qt.Key.Key_Home, Qt.KeyboardModifier.ShiftModifier)
    assert edit.textCursor().selectedText() == " " * 6
    edit.moveCursor(QTextCursor.MoveOperation.Right)
    for left in ("    return x", "return x", "return x"):
        driver.qtbot.keyClick(edit, Qt.Key.Key_Backspace)
        assert edit.text == left
    edit.moveCursor(QTextCursor.MoveOperation.End)
    driver.qtbot.keyClick(edit, Qt.Key.Key_Backspace)
    assert edit.text == "return "


def test_a_new_arrangement_of_panes_keeps_the_draft(
    driver: Driver, window: MainWindow, trial: Trial
) -> None:
    write(driver, trial, "y = 1")
    window.workspace.area.arrange()
    text = editor_of(trial).edit.toPlainText()
    assert text.endswith("y = 1")
    pane = next(p for p in window.workspace.area.panes if p.wanted_stage == SOURCE)
    assert editor_of(trial).isVisibleTo(pane)


def test_a_text_that_python_does_not_read_outlives_its_pane_and_its_window(
    driver: Driver, window: MainWindow, source: Path, trial: Trial
) -> None:
    """It is no draft: only the editor has it."""
    before = source.read_text()
    write(driver, trial, "y = (1")
    window.workspace.area.arrange()
    assert editor_of(trial).edit.text == f"{before}y = (1"
    window.close()
    kept = trial._kept.read(str(source))
    assert kept is not None and kept[1] == f"{before}y = (1"
    editor_of(trial).edit.undo()
    assert editor_of(trial).edit.text == before


def test_the_file_that_is_edited_is_opened_anew_without_the_change(
    driver: Driver, window: MainWindow, source: Path, trial: Trial
) -> None:
    """What is shown then is of the file: no changed text stands beside it."""
    before = source.read_text()
    write(driver, trial, "y = 1")
    window.open_path(str(source), "f(f32[3])")
    assert trial.editor is None and window.controller.state.draft is None
    assert "was kept" in window.row.message
    assert window.controller.state.snapshot is not None
    assert window.controller.state.snapshot.text == before

    def last() -> CaptureRequest:
        request = driver.session.of_type(CaptureRequest)[-1].request
        assert isinstance(request, CaptureRequest)
        return request

    driver.wait_until(lambda: last().call == "f(f32[3])")
    assert last().drafts == {}
    trial.toggle()
    assert editor_of(trial).edit.text == f"{before}y = 1"


def test_a_change_that_goes_on_says_that_the_file_is_another_by_now(
    driver: Driver, window: MainWindow, source: Path, trial: Trial
) -> None:
    write(driver, trial, "y = 1")
    trial.toggle()
    source.write_text(source.read_text() + "z = 3\n")
    window.controller.note_file_changed()
    trial.toggle()
    assert editor_of(trial).edit.text.endswith("y = 1")
    assert "changed on disk" in editor_of(trial).said.text()


def test_a_file_that_is_gone_is_called_gone(driver: Driver, source: Path, trial: Trial) -> None:
    write(driver, trial, "y = 1")
    source.unlink()
    editor_of(trial).save.click()
    assert "no longer there" in editor_of(trial).said.text() and not source.exists()


ODD = {
    "spaces": "s = 'a\N{NO-BREAK SPACE}b\N{LINE SEPARATOR}c'\n".encode(),
    "mark": b"\xef\xbb\xbfx = 1\n",
    "long ends": b"x = 1\r\nz = 2\r\n",
    "several ends": b"x = 1\r\nz = 2\na = 3\rb = 4\n",
    "latin": "# -*- coding: latin-1 -*-\ns = 'é'\n".encode("latin-1"),
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", ODD)
def test_what_is_not_changed_is_saved_byte_by_byte(
    driver: Driver, window: MainWindow, source: Path, trial: Trial, name: str
) -> None:
    trial.discard()
    source.write_bytes(ODD[name])
    window.controller.note_file_changed()
    trial.toggle()
    write(driver, trial, "y = 1")
    editor_of(trial).save.click()
    assert trial.editor is None
    assert source.read_bytes() == ODD[name] + b"y = 1"


def test_lines_keep_their_ends_where_others_are_changed(
    driver: Driver, window: MainWindow, source: Path, trial: Trial
) -> None:
    trial.discard()
    source.write_bytes(b"x = 1\r\ny = 2\nz = 3\nu = 4\rv = 5\n")
    window.controller.note_file_changed()
    trial.toggle()
    edit = editor_of(trial).edit
    edit.show_line(2)
    edit.insertPlainText("n = 0\nw = ")
    edit.settle()
    editor_of(trial).save.click()
    assert source.read_bytes() == b"x = 1\r\ny = 2\nn = 0\nw = z = 3\nu = 4\rv = 5\n"


def test_an_end_of_a_line_that_was_kept_is_not_joined_with_that_of_an_empty_line() -> None:
    ended = _with_ends_of("b\nc\n\nq", b"b\nc\r")
    assert decode_source(ended.encode()) == "b\nc\n\nq"


@pytest.mark.parametrize(
    "data", [b"s = 1  # caf\xe9\n", "s = '\N{PARAGRAPH SEPARATOR}'\n".encode()]
)
def test_bytes_that_the_editor_cannot_hold_are_not_lost_by_saving(
    driver: Driver, window: MainWindow, source: Path, trial: Trial, data: bytes
) -> None:
    trial.discard()
    source.write_bytes(data)
    window.controller.note_file_changed()
    trial.toggle()
    write(driver, trial, "y = 1")
    editor_of(trial).save.click()
    assert source.read_bytes() == data
    assert "would be lost" in editor_of(trial).said.text()


def test_an_encoding_that_there_is_not_is_said_and_can_be_mended(
    driver: Driver, window: MainWindow, source: Path, trial: Trial
) -> None:
    trial.discard()
    source.write_text("# -*- coding: none -*-\nx = 1\n")
    window.controller.note_file_changed()
    trial.toggle()
    write(driver, trial, "y = 1")
    editor_of(trial).save.click()
    assert "unknown encoding: none" in editor_of(trial).said.text()
    editor_of(trial).edit.replace_text("x = 1\n")
    editor_of(trial).save.click()
    assert source.read_text() == "x = 1\n"


def test_lines_end_with_shift_and_in_what_is_pasted_as_in_python(
    driver: Driver, trial: Trial
) -> None:
    edit = editor_of(trial).edit
    edit.replace_text("")
    driver.qtbot.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    pasted = QMimeData()
    pasted.setText("a =\N{NO-BREAK SPACE}1\N{LINE SEPARATOR}b = 2")
    edit.insertFromMimeData(pasted)
    assert edit.text == "\na = 1\nb = 2"


def test_the_first_call_runs_once_a_file_that_python_could_not_read_is_mended(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path, trial: Trial
) -> None:
    """In the editor or by another hand; the error was of the text before."""
    trial.discard()  # which lists the functions of the other file anew, at its own time
    broken = tmp_path / "broken.py"

    def outlines() -> list[RecordedRun]:
        runs = driver.session.of_type(OutlineRequest)
        return [run for run in runs if run.request.file == str(broken)]

    for way in ("editor", "disk"):
        broken.write_text("def f(x:\n    return x\n")
        num_outlines = len(outlines())
        window.open_path(str(broken))
        driver.wait_until(lambda count=num_outlines: len(outlines()) > count)
        outline = outlines()[-1]
        outline.tell(Failed(UserCodeError("The code is not valid Python.", where="broken.py:1")))
        driver.wait_until(lambda: window.controller.state.error is not None)
        assert window.controller.state.call == ""
        num_outlines = len(outlines())
        num_runs = len(driver.session.of_type(CaptureRequest))
        mended = "# jaxscope: f(f32[3])\ndef f(x):\n    return x\n"
        if way == "editor":
            trial.toggle()
            editor_of(trial).edit.replace_text(mended)
            editor_of(trial).edit.settle()
        else:
            broken.write_text(mended)
            window.controller.note_file_changed()
        assert window.controller.state.error is None
        driver.wait_until(lambda count=num_outlines: len(outlines()) > count)
        outline = outlines()[-1]
        found = Outline((OutlinedFunction("f", "function", 2, 3, "f(x)", ""),), (), "")
        offered = Outline(found.functions, (OfferedCall("f(f32[3])", 1),), "")
        outline.tell(Finished(offered))
        driver.wait_until(lambda: window.controller.state.call == "f(f32[3])")
        request = driver.wait_for(CaptureRequest, num_runs + 1).request
        assert request.call == "f(f32[3])"
        assert request.drafts == ({str(broken): mended} if way == "editor" else {})
        if way == "editor":
            num_outlines = len(outlines())
            trial.discard()  # which lists them once more: the next one opened is told from that
            driver.wait_until(lambda count=num_outlines: len(outlines()) > count)


def test_another_file_ends_the_trial(
    driver: Driver, window: MainWindow, tmp_path: Path, trial: Trial
) -> None:
    other = tmp_path / "third.py"
    other.write_text("a = 1\n")
    write(driver, trial, "y = 1")
    window.open_path(str(other))
    assert trial.editor is None and window.controller.state.draft is None


def test_a_change_that_is_neither_saved_nor_discarded_goes_on_where_it_was(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path, trial: Trial
) -> None:
    """Typed right before the window is closed or another file is opened: nothing is lost."""
    before = source.read_text()
    edit = editor_of(trial).edit
    edit.moveCursor(QTextCursor.MoveOperation.End)
    driver.qtbot.keyClicks(edit, "z = 3")
    other = tmp_path / "other.py"
    other.write_text("x = 1\n")
    window.open_path(str(other))
    driver.wait_until(lambda: trial.editor is None)
    assert source.read_text() == before
    window.open_path(str(source))
    state = window.controller
    driver.wait_until(lambda: state.state.file == str(source) and state.state.snapshot is not None)
    assert "Try a change" in window.row.message
    trial.toggle()
    again = editor_of(trial)
    assert again.edit.toPlainText() == f"{before}z = 3"
    assert "from before" in again.said.text()
    again.edit.undo()
    assert again.edit.toPlainText() == before, "what was put in place can be undone"
    again.edit.redo()
    trial.discard()
    trial.toggle()
    assert editor_of(trial).edit.toPlainText() == before, "discarded is forgotten"


def test_the_key_that_began_a_change_leaves_it_and_keeps_it(
    driver: Driver, window: MainWindow, source: Path, trial: Trial
) -> None:
    """Only *Discard* forgets what was typed."""
    before = source.read_text()
    write(driver, trial, "z = 3")
    driver.wait_for(CaptureRequest, 2)
    trial.toggle()
    assert trial.editor is None and "Try a change" in window.row.message
    state = window.controller.state
    assert state.draft is None and state.snapshot is not None
    assert state.snapshot.text == before == source.read_text()
    trial.toggle()
    assert editor_of(trial).edit.toPlainText() == f"{before}z = 3"
    assert "from before" in editor_of(trial).said.text()


def test_a_file_that_was_let_run_once_has_not_changed_by_a_trial(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    """And the call that a person ran stays, whatever the file offers first."""
    window.open_path(str(source), is_trusted=False)
    function = OutlinedFunction("f", "function", 4, 6, "f(x)", "")
    outline = Outline((function,), (OfferedCall("f(f32[3])", 1),), "")
    driver.wait_for(OutlineRequest).tell(Finished(outline))
    driver.wait_until(lambda: bool(window.controller.state.functions))
    window.controller.run("grad(f)(f32[5])", "cpu")
    driver.finish(driver.wait_for(CaptureRequest), build_capture())
    trial = window.trial
    assert trial is not None
    trial.toggle()
    write(driver, trial, "z = 3")
    driver.wait_for(OutlineRequest, 2).tell(Finished(outline))
    driver.finish(driver.wait_for(CaptureRequest, 2), build_capture())
    requests = [run.request for run in driver.session.of_type(CaptureRequest)]
    assert {each.call for each in requests} == {"grad(f)(f32[5])"}
    trial.discard()
    again = driver.wait_for(CaptureRequest, 3)
    assert again.request.call == "grad(f)(f32[5])" and not again.request.drafts
    driver.finish(again, build_capture())
    assert not window.controller.state.is_changed_on_disk
    trial.toggle()
    assert "changed on disk" not in editor_of(trial).said.text()


def test_a_window_that_is_closed_keeps_the_change_and_forgets_what_was_undone(
    driver: Driver, source: Path, window: MainWindow, trial: Trial
) -> None:
    kept = trial._kept
    edit = editor_of(trial).edit
    driver.qtbot.keyClicks(edit, "# hm")
    window.close()
    found = kept.read(str(source))
    assert found is not None and found[1].count("# hm") == 1
    edit.settle()
    while edit.document().isUndoAvailable():
        edit.undo()
    edit.settle()
    assert kept.read(str(source)) is None


@pytest.mark.parametrize("data", [b"", b"[1]", b'{"file": 3}', b"\xff" * 99, b"[" * 100_000])
def test_a_kept_change_that_is_damaged_is_none(tmp_path: Path, data: bytes) -> None:
    kept = KeptChanges(tmp_path)
    kept.keep("/a/b.py", "0" * 64, "x = 1")
    (file,) = tmp_path.iterdir()
    assert kept.read("/a/b.py") == ("0" * 64, "x = 1")
    file.write_bytes(data)
    assert kept.read("/a/b.py") is None
    kept.forget("/a/b.py")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("is_in_editor", [True, False])
def test_the_key_that_saves_saves_the_text_while_it_is_edited(
    driver: Driver,
    window: MainWindow,
    source: Path,
    trial: Trial,
    qapp: QApplication,
    is_in_editor: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Wherever the keyboard is; the capture is saved by it before and after."""
    asked: list[str] = []
    monkeypatch.setattr(window.files, "ask_save", lambda: asked.append("capture"))
    window.activateWindow()
    driver.wait_until(window.isActiveWindow)
    write(driver, trial, "y = 1")
    part = editor_of(trial).edit if is_in_editor else window.call_bar.edit
    part.setFocus()
    control = Qt.KeyboardModifier.ControlModifier
    driver.qtbot.keyClick(part, Qt.Key.Key_S, control)
    assert source.read_text().endswith("y = 1")
    assert trial.editor is None and not asked
    driver.qtbot.keyClick(window.call_bar.edit, Qt.Key.Key_S, control)
    assert asked == ["capture"]


@pytest.fixture
def sample_trial(
    monkeypatch: pytest.MonkeyPatch, driver: Driver, window: MainWindow, source: Path
) -> Trial:
    """A change of a file that lies where samples do."""
    monkeypatch.setattr(sample_path, "_find_folder", lambda: source.parent)
    monkeypatch.setenv("HOME", str(source.parent / "home"))
    driver.finish(driver.open(source), build_capture())
    assert window.trial is not None
    window.trial.toggle()
    return window.trial


def ways_to_save(window: MainWindow, trial: Trial) -> dict[str, Callable[[], object]]:
    return {
        "editor": lambda: editor_of(trial).edit.save_requested.emit(),
        "button": lambda: editor_of(trial).save.click(),
        "command": lambda: window.commands.actions["save_change"].trigger(),
    }


@pytest.mark.parametrize("way", ["editor", "button", "command"])
def test_a_sample_is_saved_as_another_file_only(
    driver: Driver,
    window: MainWindow,
    source: Path,
    qapp: QApplication,
    sample_trial: Trial,
    way: str,
) -> None:
    before = source.read_text()
    assert not editor_of(sample_trial).save.isVisible()
    assert editor_of(sample_trial).save_as.isVisible()
    write(driver, sample_trial, "y = 1")
    ways_to_save(window, sample_trial)[way]()
    assert source.read_text() == before
    (dialog,) = [each for each in window.findChildren(QFileDialog) if each.isVisible()]
    chosen = Path(dialog.selectedFiles()[0])
    assert chosen.name == source.name and chosen.parent != source.parent
    dialog.fileSelected.emit(str(source))
    assert source.read_text() == before, "also where somebody chooses it"
    assert "Samples stay as they are" in editor_of(sample_trial).said.text()
    dialog.reject()


def test_a_notebook_is_changed_as_code_and_saved_as_another_file_only(
    driver: Driver, window: MainWindow, tmp_path: Path
) -> None:
    file = tmp_path / "model.ipynb"
    cell = {"cell_type": "code", "source": ["def f(x):\n", "    return x\n", "# f(f32[2])"]}
    file.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}))
    before = file.read_text()
    driver.finish(driver.open(file), build_capture())
    trial = window.trial
    assert trial is not None
    trial.toggle()
    code = "# Cell 1\ndef f(x):\n    return x\n# f(f32[2])\n"
    assert editor_of(trial).edit.text == code
    write(driver, trial, "y = 1")
    editor_of(trial).save.click()
    assert "is a notebook" in editor_of(trial).said.text() and file.read_text() == before
    trial.ask_save_as()
    (dialog,) = [each for each in window.findChildren(QFileDialog) if each.isVisible()]
    assert Path(dialog.selectedFiles()[0]).name == "model.py"
    dialog.reject()
    trial.save_as(str(tmp_path / "model.py"))
    assert (tmp_path / "model.py").read_text() == f"{code}y = 1"


def test_what_lies_beside_a_sample_by_a_link_is_one(
    driver: Driver, source: Path, sample_trial: Trial, tmp_path_factory: pytest.TempPathFactory
) -> None:
    link = tmp_path_factory.mktemp("other") / "mine.py"
    link.symlink_to(source)
    before = source.read_text()
    write(driver, sample_trial, "y = 1")
    sample_trial.save_as(str(link))
    assert source.read_text() == before


def test_samples_are_those_of_the_path_and_their_lessons(tmp_path: Path) -> None:
    samples = sample_path.find_samples()
    assert samples and all(sample_path.is_sample(str(path)) for path in samples)
    assert not sample_path.is_sample(str(tmp_path / samples[0].name))


def test_find_looks_through_the_text_that_is_edited(
    qapp: QApplication, driver: Driver, window: MainWindow, trial: Trial
) -> None:
    window.activateWindow()
    edit = editor_of(trial).edit
    edit.moveCursor(QTextCursor.MoveOperation.End)
    edit.insertPlainText("\n# only here\n# and Here\n")
    edit.setFocus()
    driver.wait_until(edit.hasFocus)
    driver.qtbot.keyClick(edit, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    pane = next(p for p in window.workspace.area.panes if p.wanted_stage == SOURCE)
    driver.wait_until(pane.header.search.hasFocus)
    driver.qtbot.keyClicks(pane.header.search, "here")
    assert pane.header.found_text == "2 found"
    found = QColor(LIGHT.warning_soft)
    last = edit.blockCount() - 1

    def lit() -> list[int]:
        marks = [s for s in edit.extraSelections() if s.format.background().color() == found]
        return sorted(mark.cursor.blockNumber() for mark in marks)

    assert lit() == [last - 2, last - 1]
    driver.qtbot.keyClick(pane.header.search, Qt.Key.Key_Return)
    assert (edit.textCursor().selectedText(), edit.textCursor().blockNumber()) == ("here", last - 2)
    for key, line in (("F3", last - 1), ("F3", last - 2), ("Shift+F3", last - 1)):
        action = next(a for a in window.actions() if key in [k.toString() for k in a.shortcuts()])
        action.trigger()
        assert edit.textCursor().blockNumber() == line, key
        assert edit.textCursor().selectedText().casefold() == "here"
    driver.qtbot.keyClick(pane.header.search, Qt.Key.Key_Escape)
    assert edit.hasFocus() and not lit(), "it is typed where it was left"
    edit.moveCursor(QTextCursor.MoveOperation.End)
    pane.header.focus_search()
    driver.qtbot.keyClicks(pane.header.search, "here")
    edit.setFocus()
    driver.qtbot.keyClicks(edit, "here")
    assert pane.header.found_text == "3 found" and len(lit()) == 3, "as it is by now"
