"""The boxes of a view as a tree, read when they are looked at."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from jaxscope.analysis.links import NO_LINKED, Linked
from jaxscope.analysis.view.labels import text_of
from jaxscope.analysis.view.view import ROOT, View
from jaxscope.model import NONE
from jaxscope.ui.panes.row_marks import RowMarks

Index = QModelIndex | QPersistentModelIndex

HEADERS = ("name", "value")
_NO_INDEX = QModelIndex()


class OutlineModel(QAbstractItemModel):
    """The same boxes as the graph's, as rows within rows; an index carries its box's number."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.marks = RowMarks()
        self._view: View | None = None
        self._rows: dict[int, int] = {}

    def set_view(self, view: View | None) -> None:
        """Show another view."""
        self.beginResetModel()
        self._view = view
        self.marks.set_links(0, NO_LINKED, NO_LINKED)
        self._rows = {}
        for box in view.boxes if view is not None else ():
            self._rows.update((child, row) for row, child in enumerate(box.children))
        self.endResetModel()

    @property
    def view(self) -> View | None:
        """What is shown."""
        return self._view

    def set_links(self, linked: Linked, preview: Linked) -> None:
        """Colour the rows of linked boxes, and faintly of those looked at ahead."""
        if self._view is not None:
            boxes = self._view.box_of_node
            self.marks.set_links(len(self._view.boxes), linked, preview, boxes)

    def index_of_box(self, box: int) -> QModelIndex:
        """The index of a box; an invalid one for the root."""
        if self._view is None or not ROOT < box < len(self._view.boxes):
            return QModelIndex()
        return self.createIndex(self._rows[box], 0, box)

    def box_at(self, index: Index) -> int:
        """The box of an index."""
        return int(index.internalId()) if index.isValid() else ROOT

    def node_at(self, index: Index) -> int:
        """The node that a row stands for: its own, or the first one inside; -1 for none."""
        if self._view is None or not index.isValid():
            return NONE
        box = self._view.boxes[self.box_at(index)]
        while box.node == NONE and box.children:
            box = self._view.boxes[box.children[0]]
        return box.node

    def index(self, row: int, column: int, parent: Index = _NO_INDEX) -> QModelIndex:
        if self._view is None or not 0 <= column < len(HEADERS):
            return QModelIndex()
        children = self._view.boxes[self.box_at(parent)].children
        return (
            self.createIndex(row, column, children[row])
            if 0 <= row < len(children)
            else QModelIndex()
        )

    # Qt has a second `parent`, of the object, which is not asked for here.
    def parent(self, index: Index = _NO_INDEX) -> QModelIndex:  # type: ignore[override]
        if self._view is None or not index.isValid():
            return QModelIndex()
        return self.index_of_box(self._view.boxes[self.box_at(index)].parent)

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        if self._view is None or parent.column() > 0:
            return 0
        return len(self._view.boxes[self.box_at(parent)].children)

    def columnCount(self, _parent: Index = _NO_INDEX) -> int:
        return len(HEADERS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return HEADERS[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if self._view is None or not index.isValid():
            return None
        if role == Qt.ItemDataRole.BackgroundRole:
            return self.marks.brush(self.box_at(index))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(self.box_at(index))
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            text = text_of(self._view, self._view.boxes[self.box_at(index)])
            return text.title if index.column() == 0 else text.detail
        return None

    def _spoken(self, number: int) -> str:
        """What a screen reader says: name, value, and what it takes."""
        assert self._view is not None
        box = self._view.boxes[number]
        text = text_of(self._view, box)
        parts = [text.title, text.detail]
        if box.children:
            parts.append("group")
        takes = [edge.source for edge in self._view.edges if edge.target == number][:4]
        if takes:
            names = (text_of(self._view, self._view.boxes[source]).title for source in takes)
            parts.append("takes " + " and ".join(names))
        return ", ".join(part for part in parts if part)
