"""Bookmarks in the window, saved with the capture; captures kept for windows that die."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from jaxscope.model import Bookmark
from jaxscope.program.links import LineSelection
from jaxscope.schema.archive import load_capture, save_capture
from jaxscope.ui.pages.bookmarks import BookmarksPage
from jaxscope.ui.panes.pane_area import panes_of
from jaxscope.ui.panes.pane_header import SOURCE, Form
from jaxscope.ui.selection.selection import MAX_NOTE_CHARACTERS, Bookmarks
from jaxscope.ui.window.autosave import Autosave, find_unsaved, offer_unsaved
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import build_capture
from .test_window import capture_of


def page_of(window: MainWindow) -> BookmarksPage:
    found = window.pages["bookmarks"]
    assert isinstance(found, BookmarksPage)
    return found


def rows(page: BookmarksPage) -> list[tuple[str, ...]]:
    found = page.list
    items = [found.topLevelItem(number) for number in range(found.topLevelItemCount())]
    return [tuple(item.text(column) for column in range(3)) for item in items if item]


def test_bookmarks_are_made_noted_visited_and_saved(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path
):
    driver.finish(driver.open(source), capture_of(source))
    page, selection = page_of(window), window.workspace.selection
    selection.select_node("jaxpr", 1)
    page.toggle()
    selection.select_line(str(source), 6)
    page.toggle()
    window.workspace.bookmarks.set_note(LineSelection(str(source), 6), "  doubles it  ")
    assert rows(page) == [
        ("jaxpr · 0", "sin", ""),
        ("model.py:6", "return y * 2", "doubles it"),
    ]
    page.go_next()
    assert selection.place == ("jaxpr", "0")
    page.go_previous()
    assert selection.place == LineSelection(str(source), 6)
    path = tmp_path / "kept.jaxscope"
    with driver.qtbot.waitSignal(window.files.captures.saved):
        window.files.save(str(path))
    assert load_capture(path).bookmarks == (
        Bookmark("jaxpr", "0"),
        Bookmark("source", f"{source}:6", "doubles it"),
    )
    assert str(path) in window._settings.recent_files
    page.list.setCurrentItem(page.list.topLevelItem(0))
    page.remove_button.click()
    page.list.topLevelItem(0).setText(2, "twice")
    assert rows(page) == [("model.py:6", "return y * 2", "twice")]
    with driver.qtbot.waitSignal(window.files.captures.opened):
        window.open_path(str(path))
    assert [row[0] for row in rows(page)] == ["jaxpr · 0", "model.py:6"]


def test_a_note_is_written_without_a_mouse(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
):
    driver.finish(driver.open(source), build_capture())
    window.workspace.selection.select_node("jaxpr", 1)
    page = page_of(window)
    for step, note in enumerate(("by the button", "by the keys")):
        page.ask_note()
        dialog = window.findChildren(QInputDialog)[-1]
        dialog.activateWindow()
        qtbot.waitUntil(dialog.isActiveWindow)
        field = dialog.findChild(QPlainTextEdit)
        field.setPlainText(note)
        if step:
            qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        else:
            field.setFocus()
            qtbot.keyClick(field, Qt.Key.Key_Tab)
            assert isinstance(dialog.focusWidget(), QPushButton)
            qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Space)
        qtbot.waitUntil(lambda: not dialog.isVisible())  # noqa: B023 # waited for here
        assert rows(page)[0][-1] == note


def test_bookmarking_again_takes_away_and_nothing_selected_is_said(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    page = page_of(window)
    page.toggle()
    assert "Select something" in window.row.message
    window.workspace.selection.select_nodes("jaxpr", (1, 2))
    page.toggle()
    assert len(rows(page)) == 2
    page.toggle()
    assert rows(page) == []


def test_bookmarks_of_a_stage_that_is_gone_say_so(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source), capture_of(source))
    page = page_of(window)
    window.workspace.bookmarks.show((Bookmark("hlo", "add.3", "look here"),))
    assert rows(page) == [("HLO · add.3", "not there now", "look here")]
    page.go_next()
    assert "is not in HLO now" in window.row.message


def test_bookmarks_read_from_files_are_taken_with_care(qtbot: QtBot):
    bookmarks = Bookmarks()
    bookmarks.show(
        (Bookmark("source", "no line"), Bookmark("source", "a.py:0"), Bookmark("source", "a.py:7"))
    )
    assert bookmarks.to_model() == (Bookmark("source", "a.py:7"),)
    bookmarks.set_note(("jaxpr", "0"), "x" * 10_000)
    assert len(bookmarks.to_model()[1].note) == MAX_NOTE_CHARACTERS


def test_the_last_capture_is_kept_until_the_window_closes(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    keeper = window.findChild(Autosave)
    assert keeper is not None
    window.workspace.bookmarks.toggle((("jaxpr", "0"),))
    is_saved = keeper.save_now()
    assert is_saved is not None
    is_saved.wait()
    assert load_capture(keeper.path).bookmarks == (Bookmark("jaxpr", "0"),)
    assert find_unsaved(keeper.path.parent) == [], "this window lives"
    window.close()
    assert not keeper.path.exists()
    late = keeper.save_now()
    assert late is not None
    late.wait()
    assert not keeper.path.exists()


def test_what_a_dead_window_left_is_offered_and_can_be_forgotten(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    folder = tmp_path / "left"
    folder.mkdir()
    left = folder / f"{dead.pid}-1.jaxscope"
    save_capture(build_capture(), left)
    (folder / f"{os.getpid()}-2.jaxscope").write_bytes(b"of a window that lives")
    (folder / "notes.txt").write_text("not ours")
    offer_unsaved(window.start_page, folder)
    buttons = {
        button.text(): button
        for button in window.start_page.findChildren(QPushButton)
        if button.property("path") == str(left)
    }
    assert set(buttons) == {"Open it", "Forget it"}
    with qtbot.waitSignal(window.files.captures.opened):
        buttons["Open it"].click()
    assert window.controller.state.is_view_only
    buttons["Forget it"].click()
    assert not left.exists() and (folder / "notes.txt").exists()


def test_bookmarks_are_marked_where_they_are(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
):
    window.resize(2560, 1440)  # with room for two more
    driver.finish(driver.open(source), capture_of(source))
    bookmarks, area = window.workspace.bookmarks, window.workspace.area
    code = next(pane.code for pane in area.panes if pane.wanted_stage == SOURCE)
    graph = area.open_pane("jaxpr")
    text = area.open_pane("jaxpr")
    assert graph is not None and text is not None and graph.canvas is not None
    text.set_form(Form.TEXT)
    bookmarks.set_note(("jaxpr", "0"), "the sine")
    bookmarks.toggle((LineSelection(str(source), 6),))
    scene, node = graph.canvas.scene, 1
    assert scene is not None
    item = int(scene.item_of_node[node])
    assert graph.canvas.highlight.noted.tolist() == [item]
    assert "the sine" in graph.canvas.describe(item)
    (line,) = text.code.notes
    assert "sin" in text.code.lines[line] and text.code.hint_of(line) == "the sine"
    assert dict(code.notes) == {5: ""} and code.hint_of(5).startswith("bookmarked")
    text.set_form(Form.GRAPH)
    assert text.canvas is not None and len(text.canvas.highlight.noted) == 1
    bookmarks.remove(("jaxpr", "0"))
    assert not len(graph.canvas.highlight.noted)
    assert "the sine" not in graph.canvas.describe(item)


@pytest.mark.slow
def test_a_saved_capture_brings_its_layout_of_panes(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path
) -> None:
    driver.finish(driver.open(source), capture_of(source))
    area = window.workspace.area
    area.open_pane("jaxpr")
    saved = area.arrangement()
    path = tmp_path / "laid_out.jaxscope"
    with driver.qtbot.waitSignal(window.files.captures.saved):
        window.files.save(str(path))
    area.arrange()
    assert area.arrangement() != saved
    with driver.qtbot.waitSignal(window.files.captures.opened):
        window.open_path(str(path))
    assert len(area.panes) == len(panes_of(saved))
    assert [each.stage for each in panes_of(area.arrangement())] == [
        each.stage for each in panes_of(saved)
    ]


def test_what_is_opened_last_counts(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path
) -> None:
    path = tmp_path / "late.jaxscope"
    save_capture(capture_of(source), path)
    window.open_path(str(path))
    driver.finish(driver.open(source), capture_of(source))
    driver.qtbot.wait(300)  # what is read meanwhile is not shown any more
    assert window.controller.state.file == str(source)
    assert not window.controller.state.is_view_only


def test_drafts_of_windows_that_were_killed_are_removed(window: MainWindow, tmp_path: Path) -> None:
    """Not those of windows that write just now, and nothing else that lies there."""
    folder = tmp_path / "unsaved"
    folder.mkdir()
    names = (".0123456789abcdef.jaxscope", ".0123456789abcdef.json", ".mine.json", "notes.json")
    for place in (folder, tmp_path):
        for name in names:
            (place / name).write_text("")
            os.utime(place / name, (1.0, 1.0))
        (place / ".fedcba9876543210.jaxscope").write_text("")
    offer_unsaved(window.start_page, folder)

    for place in (folder, tmp_path):
        left = {path.name for path in place.iterdir() if path.is_file()}
        assert left >= {".mine.json", "notes.json", ".fedcba9876543210.jaxscope"}
        assert not left & set(names[:2])
