"""Bookmarks where they are: in the graphs and in the margins of the texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from jaxscope.analysis.links import LineSelection
from jaxscope.ui.panes.kernel_links import LINKED_BY
from jaxscope.ui.selection import GroupPlace

if TYPE_CHECKING:
    from jaxscope.ui.bookmarks import Bookmarks
    from jaxscope.ui.workspace import Workspace


class BookmarkMarks(QObject):
    """Tells every pane what of it is bookmarked, and again whenever that changes."""

    def __init__(self, bookmarks: Bookmarks, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._bookmarks = bookmarks
        self._workspace = workspace
        bookmarks.changed.connect(self._on_bookmarks_changed)
        workspace.panes_changed.connect(self._on_workspace_panes_changed)
        self._on_workspace_panes_changed()

    def notes_of(self, subject: str) -> Mapping[int, str]:
        """Notes by node of a stage, or by 1-based line of a file."""
        subject = LINKED_BY.get(subject, subject)
        notes: dict[int, str] = {}
        for place, note in self._bookmarks.notes.items():
            if isinstance(place, LineSelection):
                if place.file == subject:
                    notes[place.line] = note
            elif not isinstance(place, GroupPlace) and place[0] == subject:
                found = self._workspace.selection.node_at(place)
                if found is not None:
                    notes[found[1]] = note
        return notes

    def group_notes_of(self, subject: str) -> Mapping[str, str]:
        """Notes by the id of a group of a stage."""
        subject = LINKED_BY.get(subject, subject)
        return {
            place.id: note
            for place, note in self._bookmarks.notes.items()
            if isinstance(place, GroupPlace) and place.stage == subject
        }

    def _on_bookmarks_changed(self) -> None:
        for pane in self._workspace.area.panes:
            pane.lighting.apply_notes()

    def _on_workspace_panes_changed(self) -> None:
        for pane in self._workspace.area.panes:
            pane.lighting.notes_of = self.notes_of
            pane.lighting.group_notes_of = self.group_notes_of
            pane.lighting.apply_notes()
