"""Bookmarks in the window: their commands, their page, and the capture that they belong to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QInputDialog, QMenu, QPlainTextEdit

from jaxscope.analysis.links import LineSelection
from jaxscope.model import is_available
from jaxscope.ui.bookmarks import Bookmarks
from jaxscope.ui.pages.bookmarks import BookmarksPage
from jaxscope.ui.panes.group_going import GroupGoing
from jaxscope.ui.panes.noting import BookmarkMarks
from jaxscope.ui.screen import title_of_stage
from jaxscope.ui.selection import GroupPlace, Place
from jaxscope.ui.source_reading import line_of
from jaxscope.ui.state import WindowState

if TYPE_CHECKING:
    from jaxscope.ui.window import MainWindow

_MESSAGE_MS = 6_000
_ITEMS = (
    ("Bookmark what is selected, or no longer", "Ctrl+Shift+B", "toggle"),
    ("Write a note about it …", "Ctrl+Shift+N", "ask_note"),
    ("Next bookmark", "Ctrl+.", "go_next"),
    ("Bookmark before", "Ctrl+,", "go_previous"),
)


def add_bookmarks(window: MainWindow, menu: QMenu) -> BookmarksMenu:
    """Add the commands to a menu, and the page to the window."""
    return BookmarksMenu(window, menu)


class BookmarksMenu(QObject):
    """Its methods are its commands; what cannot be done says why in the status bar."""

    def __init__(self, window: MainWindow, menu: QMenu) -> None:
        super().__init__(window)
        self._window = window
        self._bookmarks: Bookmarks = window.files.bookmarks
        self._selection = window.workspace.selection
        self._file = ""
        self._asked: Place | None = None
        self.page = BookmarksPage()
        self._groups = GroupGoing(window.workspace)
        self._marks = BookmarkMarks(self._bookmarks, window.workspace)
        window.workspace.tabs.add_page(self.page, "Bookmarks")
        menu.addSeparator()
        for text, keys, slot in _ITEMS:
            action = QAction(text, self)
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(getattr(self, slot))
            menu.addAction(action)
        self.page.chosen.connect(self._on_page_chosen)
        self.page.noted.connect(self._on_page_noted)
        self.page.removed.connect(self._on_page_removed)
        self._bookmarks.changed.connect(self._show)
        window.workspace.lines_moved.connect(self._bookmarks.move_lines)
        window.controller.state_changed.connect(self._on_controller_state_changed)

    # --- commands ---

    def toggle(self) -> None:
        """Mark what is selected, or unmark it."""
        places = self._selection.places
        if not places:
            self._say("Select something first.")
        elif self._bookmarks.toggle(places):
            self._say("Bookmarked." if len(places) == 1 else f"{len(places)} places bookmarked.")
        else:
            self._say("No longer bookmarked.")

    def ask_note(self) -> None:
        """Ask what to write about the thing that was selected last."""
        self._asked = self._selection.place
        if self._asked is None:
            self._say("Select something first.")
            return
        dialog = QInputDialog(self._window)
        dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
        dialog.setWindowTitle("Note")
        dialog.setLabelText(" · ".join(self._row_of(self._asked)[:2]))
        dialog.setTextValue(self._bookmarks.notes.get(self._asked, ""))
        dialog.textValueSelected.connect(self._on_note_written)
        field = dialog.findChild(QPlainTextEdit)
        if field is not None:
            field.setTabChangesFocus(True)  # else the keyboard never leaves it
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), dialog, dialog.accept)
        dialog.open()

    def go_next(self) -> None:
        """Select the bookmark after the selected one."""
        self._step(1)

    def go_previous(self) -> None:
        """Select the bookmark before the selected one."""
        self._step(-1)

    def _step(self, step: int) -> None:
        places = list(self._bookmarks.notes)
        if not places:
            self._say("Nothing is bookmarked.")
            return
        here = self._selection.place
        at = places.index(here) if here in places else -1 if step > 0 else 0
        self._go(places[(at + step) % len(places)])

    def _go(self, place: Place) -> None:
        workspace = self._window.workspace
        if isinstance(place, LineSelection):
            workspace.show_line(place.file, place.line)
            return
        if isinstance(place, GroupPlace):
            if not self._groups.go_to(place):
                self._say(f"{place.label} is not in {title_of_stage(place.stage)} now.")
            return
        found = self._selection.node_at(place)
        if found is None:
            self._say(f"{place[1]} is not in {title_of_stage(place[0])} now.")
            return
        workspace.show_stage(found[0])
        self._selection.select_node(*found)

    # --- the page ---

    def _show(self) -> None:
        rows = [(*self._row_of(place), note) for place, note in self._bookmarks.notes.items()]
        self.page.show_bookmarks(rows)
        tabs = self._window.workspace.tabs
        title = f"Bookmarks ({len(rows)})" if rows else "Bookmarks"
        tabs.set_title(self.page, title)

    def _row_of(self, place: Place) -> tuple[str, str]:
        """Where a place is, and what is there."""
        if isinstance(place, LineSelection):
            name = os.path.basename(place.file)
            file = self._window.workspace.lines.find_file(place.file)
            is_it = file is not None and file.path == place.file
            return f"{name}:{place.line}", line_of(file, place.line).strip() if is_it else ""
        if isinstance(place, GroupPlace):
            return f"{title_of_stage(place.stage)} · group", place.label
        where = f"{title_of_stage(place[0])} · {place[1]}"
        found = self._selection.node_at(place)
        if found is None:
            return where, "not there now"
        stage = next(s for s in self._window.controller.state.stages if s.name == found[0])
        graph = stage.graph
        return where, (graph.string(graph.nodes.operation, found[1]) if is_available(graph) else "")

    def _on_controller_state_changed(self, state: WindowState) -> None:
        if state.file != self._file:
            self._file = state.file
            capture = state.capture
            self._bookmarks.show(capture.bookmarks if capture is not None else ())
        elif state.capture is not None and self._bookmarks.notes:
            self._show()

    def _on_note_written(self, note: str) -> None:
        if self._asked is not None:
            self._bookmarks.set_note(self._asked, note)

    def _on_page_chosen(self, number: int) -> None:
        self._go(list(self._bookmarks.notes)[number])

    def _on_page_noted(self, number: int, note: str) -> None:
        self._bookmarks.set_note(list(self._bookmarks.notes)[number], note)

    def _on_page_removed(self, number: int) -> None:
        self._bookmarks.remove(list(self._bookmarks.notes)[number])

    def _say(self, text: str) -> None:
        self._window.statusBar().showMessage(text, _MESSAGE_MS)
