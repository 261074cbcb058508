"""Bookmarks in the window: their page, commands, markers in graphs and texts, and going to a
bookmarked group.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QInputDialog,
    QPlainTextEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
)

from jaxscope.model import Graph
from jaxscope.program.links import LineSelection
from jaxscope.ui.panes.pane_area import PaneArea
from jaxscope.ui.selection.selection import (
    GRAPH_STAGE_OF,
    Bookmarks,
    GroupPlace,
    Place,
    SelectionModel,
)
from jaxscope.ui.session.screen import title_of_stage
from jaxscope.ui.session.source_file import line_of
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.widgets import EmptyNotice, fill_box, make_label
from jaxscope.ui.window.page_context import PageContext, PageWidget

if TYPE_CHECKING:
    from jaxscope.picture.view.view import View
    from jaxscope.ui.canvas.graph_canvas import GraphCanvas


class BookmarkMarkers(QObject):
    """Tells every pane what of it is bookmarked, and again whenever that changes."""

    def __init__(self, bookmarks: Bookmarks, selection: SelectionModel, area: PaneArea) -> None:
        super().__init__(area)
        self._bookmarks, self._selection, self._area = bookmarks, selection, area
        bookmarks.changed.connect(self._on_bookmarks_changed)
        area.panes_changed.connect(self._on_area_panes_changed)
        self._on_area_panes_changed()

    def notes_of(self, subject: str) -> Mapping[int, str]:
        """Notes by node of a stage, or by 1-based line of a file."""
        subject = GRAPH_STAGE_OF.get(subject, subject)
        notes: dict[int, str] = {}
        for place, note in self._bookmarks.notes.items():
            if isinstance(place, LineSelection):
                if place.file == subject:
                    notes[place.line] = note
            elif not isinstance(place, GroupPlace) and place[0] == subject:
                found = self._selection.node_at(place)
                if found is not None:
                    notes[found[1]] = note
        return notes

    def group_notes_of(self, subject: str) -> Mapping[str, str]:
        """Notes by the id of a group of a stage."""
        subject = GRAPH_STAGE_OF.get(subject, subject)
        return {
            place.id: note
            for place, note in self._bookmarks.notes.items()
            if isinstance(place, GroupPlace) and place.stage == subject
        }

    def _on_bookmarks_changed(self) -> None:
        for pane in self._area.panes:
            pane.highlighter.apply_notes()

    def _on_area_panes_changed(self) -> None:
        for pane in self._area.panes:
            pane.highlighter.notes_of = self.notes_of
            pane.highlighter.group_notes_of = self.group_notes_of
            pane.highlighter.apply_notes()


class GroupNavigator(QObject):
    """Waits for the picture of a large graph where that is still being worked out."""

    def __init__(
        self, selection: SelectionModel, area: PaneArea, show_stage: Callable[[str], None]
    ) -> None:
        super().__init__(area)
        self._selection, self._area, self._show_stage = selection, area, show_stage
        self._awaited: GroupPlace | None = None

    def go_to(self, place: GroupPlace) -> bool:
        """Select a group and bring its box into sight; false where there is no such group."""
        self._awaited = None
        graph = self._selection.graph_of(place.stage)
        if graph is None:
            return False
        self._show_stage(place.stage)
        canvas = self._area.canvas_of(place.stage)
        if canvas is not None and canvas.view is None and canvas.is_busy:
            self._awaited = place
            once = Qt.ConnectionType.SingleShotConnection
            canvas.scene_changed.connect(self._on_canvas_scene_changed, once)
            return True
        return self._select(place, graph, canvas)

    def _select(self, place: GroupPlace, graph: Graph, canvas: GraphCanvas | None) -> bool:
        view = self._view_of(graph, canvas)
        box = view.index_of(place.id)
        if box is None:
            return False
        from jaxscope.picture.view.labels import text_of  # no window starts with pictures

        place = dataclasses.replace(place, size=text_of(view, view.boxes[box]).detail)
        self._selection.select_group(place, view.nodes_inside(box))
        if canvas is not None:
            canvas.show_group(place.id)
        return True

    def _view_of(self, graph: Graph, canvas: GraphCanvas | None) -> View:
        if canvas is not None and canvas.view is not None and canvas.view.graph is graph:
            return canvas.view
        from jaxscope.picture.view.build import build_view  # where no graph is shown

        return build_view(graph)

    def _on_canvas_scene_changed(self) -> None:
        place, self._awaited = self._awaited, None
        if place is None:
            return
        graph = self._selection.graph_of(place.stage)
        canvas = self._area.canvas_of(place.stage)
        if graph is not None and canvas is not None:
            self._select(place, graph, canvas)


_HELP = (
    "Mark what is selected with Ctrl+Shift+B, and write about it with Ctrl+Shift+N. Bookmarks are "
    "saved with the capture. Double-click a note to change it."
)
_NUMBER = Qt.ItemDataRole.UserRole


class BookmarksPage(PageWidget):
    """Where bookmarks are, and what was written about them; a click goes there.

    What a command cannot do is said in the status bar.
    """

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._bookmarks, self._selection = context.bookmarks, context.selection
        self._file = ""
        self._asked: Place | None = None
        self._groups = GroupNavigator(context.selection, context.area, context.show_stage)
        BookmarkMarkers(context.bookmarks, context.selection, context.area)
        self._help = make_label(tr(_HELP), "muted", wraps=True)
        self.list = QTreeWidget(columnCount=3)
        self.list.setHeaderLabels([tr("where"), tr("what"), tr("note")])
        self.list.setRootIsDecorated(False)
        self.list.setAlternatingRowColors(True)
        self.list.setAccessibleName(tr("Bookmarks"))
        self.list.itemActivated.connect(self._on_list_item_activated)
        self.list.itemClicked.connect(self._on_list_item_activated)
        self.list.setEditTriggers(QTreeWidget.EditTrigger.NoEditTriggers)
        self.list.itemDoubleClicked.connect(self._on_list_item_double_clicked)
        self.list.itemChanged.connect(self._on_list_item_changed)
        self.notice = EmptyNotice(self.list, tr("Nothing is bookmarked yet."))
        self.list.setColumnWidth(0, 220)
        self.list.setColumnWidth(1, 260)
        self.remove_button = QPushButton(tr("Remove"))
        self.remove_button.clicked.connect(self._on_remove_button_clicked)
        row = fill_box(QHBoxLayout(), (self._help, 1), self.remove_button)
        fill_box(QVBoxLayout(self), row, (self.list, 1))
        self._list(())
        self._bookmarks.changed.connect(self._show)

    def _list(self, rows: Sequence[tuple[str, str, str]]) -> None:
        """List bookmarks as where, what and note."""
        self.list.blockSignals(True)
        self.list.clear()
        for number, texts in enumerate(rows):
            item = QTreeWidgetItem(list(texts))
            item.setData(0, _NUMBER, number)
            item.setToolTip(2, texts[2])
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            self.list.addTopLevelItem(item)
        self.list.blockSignals(False)
        self.remove_button.setEnabled(bool(rows))

    def _on_list_item_activated(self, item: QTreeWidgetItem, column: int) -> None:
        if column < 2:
            self._go(self._place_of(item))

    def _on_list_item_double_clicked(self, item: QTreeWidgetItem, column: int) -> None:
        if column == 2:
            self.list.editItem(item, column)

    def _on_list_item_changed(self, item: QTreeWidgetItem, column: int) -> None:
        if column == 2:
            self._bookmarks.set_note(self._place_of(item), item.text(2))

    def _on_remove_button_clicked(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self._bookmarks.remove(self._place_of(item))

    def _place_of(self, item: QTreeWidgetItem) -> Place:
        return list(self._bookmarks.notes)[int(item.data(0, _NUMBER))]

    # --- commands ---

    def toggle(self) -> None:
        """Mark what is selected, or unmark it."""
        places = self._selection.places
        if not places:
            self._say(tr("Select something first."))
        elif self._bookmarks.toggle(places):
            self._say(
                tr("Bookmarked.")
                if len(places) == 1
                else tr("{num_places} places bookmarked.", num_places=len(places))
            )
        else:
            self._say(tr("No longer bookmarked."))

    def ask_note(self) -> None:
        """Ask what to write about the thing that was selected last."""
        self._asked = self._selection.place
        if self._asked is None:
            self._say(tr("Select something first."))
            return
        dialog = QInputDialog(self._context.window)
        dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
        dialog.setWindowTitle(tr("Note"))
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
            self._say(tr("Nothing is bookmarked."))
            return
        here = self._selection.place
        at = places.index(here) if here in places else -1 if step > 0 else 0
        self._go(places[(at + step) % len(places)])

    def _go(self, place: Place) -> None:
        if isinstance(place, LineSelection):
            self._context.show_line(place.file, place.line)
            return
        if isinstance(place, GroupPlace):
            if not self._groups.go_to(place):
                self._say(
                    tr(
                        "{label} is not in {stage} now.",
                        label=place.label,
                        stage=title_of_stage(place.stage),
                    )
                )
            return
        found = self._selection.node_at(place)
        if found is None:
            self._say(
                tr("{place} is not in {stage} now.", place=place[1], stage=title_of_stage(place[0]))
            )
            return
        self._context.show_stage(found[0])
        self._selection.select_node(*found)

    # --- the page ---

    def _show(self) -> None:
        rows = [(*self._row_of(place), note) for place, note in self._bookmarks.notes.items()]
        self._list(rows)

    def _row_of(self, place: Place) -> tuple[str, str]:
        """Cells of a bookmark: its place, and what is there."""
        if isinstance(place, LineSelection):
            name = os.path.basename(place.file)
            file = self._context.lines.find_file(place.file)
            is_it = file is not None and file.path == place.file
            return f"{name}:{place.line}", line_of(file, place.line).strip() if is_it else ""
        if isinstance(place, GroupPlace):
            return tr("{stage} · group", stage=title_of_stage(place.stage)), tr_said(place.label)
        where = f"{title_of_stage(place[0])} · {place[1]}"
        found = self._selection.node_at(place)
        if found is None:
            return where, tr("not there now")
        graph = self._selection.graph_of(found[0])
        return where, graph.operation(found[1]) if graph is not None else ""

    def show_state(self, state: WindowState) -> None:
        if state.file != self._file:
            self._file = state.file
            capture = state.capture
            self._bookmarks.show(capture.bookmarks if capture is not None else ())
        elif state.capture is not None and self._bookmarks.notes:
            self._show()

    def _on_note_written(self, note: str) -> None:
        if self._asked is not None:
            self._bookmarks.set_note(self._asked, note)

    def _say(self, text: str) -> None:
        self._context.show_message(text)


make_page = BookmarksPage
