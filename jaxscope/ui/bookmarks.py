"""What a person marked in a capture, and what they wrote about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from jaxscope.analysis.line_moves import LineMoves
from jaxscope.analysis.links import LineSelection
from jaxscope.model.bookmark import SOURCE_STAGE, Bookmark
from jaxscope.ui.selection import GroupPlace, Place

MAX_NOTE_CHARACTERS = 2_000


class Bookmarks(QObject):
    """Places and their notes, in the order in which they were marked.

    `changed` fires after every change. Places are ids, so bookmarks outlive a new run.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._notes: dict[Place, str] = {}

    @property
    def notes(self) -> Mapping[Place, str]:
        """By place."""
        return self._notes

    def toggle(self, places: Sequence[Place]) -> bool:
        """Mark places, or unmark them where all are marked; whether they are marked now."""
        is_new = not all(place in self._notes for place in places)
        for place in places:
            if is_new:
                self._notes.setdefault(place, "")
            else:
                del self._notes[place]
        self.changed.emit()
        return is_new

    def set_note(self, place: Place, note: str) -> None:
        """Write about a place, which marks it."""
        self._notes[place] = note.strip()[:MAX_NOTE_CHARACTERS]
        self.changed.emit()

    def move_lines(self, file: str, moves: LineMoves) -> None:
        """A file ran in another version: its bookmarks go where their lines are or would be."""
        notes: dict[Place, str] = {}
        for place, note in self._notes.items():
            if isinstance(place, LineSelection) and place.file == file:
                place = LineSelection(file, moves.to_nearest(place.line))
            notes[place] = "\n".join(filter(None, (notes.get(place, ""), note)))
        if list(notes) != list(self._notes):
            self._notes = notes
            self.changed.emit()

    def remove(self, place: Place) -> None:
        """Unmark a place."""
        if self._notes.pop(place, None) is not None:
            self.changed.emit()

    def show(self, bookmarks: Sequence[Bookmark]) -> None:
        """Have the bookmarks of a capture that was opened, and no others."""
        found = ((_place_of(each), each.note) for each in bookmarks)
        notes = {place: note for place, note in found if place is not None}
        if notes != self._notes:
            self._notes = notes
            self.changed.emit()

    def to_model(self) -> tuple[Bookmark, ...]:
        """What is saved with a capture."""
        return tuple(_to_bookmark(place, note) for place, note in self._notes.items())


def _place_of(bookmark: Bookmark) -> Place | None:
    if bookmark.group:
        return GroupPlace(bookmark.stage, bookmark.place, bookmark.group)
    if bookmark.stage != SOURCE_STAGE:
        return bookmark.stage, bookmark.place
    file, _, line = bookmark.place.rpartition(":")
    is_line = file and line.isdecimal() and len(line) < 10 and int(line) > 0
    return LineSelection(file, int(line)) if is_line else None


def _to_bookmark(place: Place, note: str) -> Bookmark:
    if isinstance(place, LineSelection):
        return Bookmark(SOURCE_STAGE, f"{place.file}:{place.line}", note)
    if isinstance(place, GroupPlace):
        return Bookmark(place.stage, place.id, note, place.label)
    return Bookmark(*place, note)
