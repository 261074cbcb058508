"""The page of bookmarks: where they are, what was written about them; a click goes there."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from jaxscope.ui.empty_notice import EmptyNotice

_HELP = (
    "Mark what is selected with Ctrl+Shift+B, and write about it with Ctrl+Shift+N. Bookmarks are "
    "saved with the capture. Double-click a note to change it."
)
_NUMBER = Qt.ItemDataRole.UserRole


class BookmarksPage(QWidget):
    """Signals carry the number of a bookmark in the order shown.

    Signals:
        chosen: It is to be shown.
        noted: Its note, as changed.
        removed: It is to be taken away.
    """

    chosen = Signal(int)
    noted = Signal(int, str)
    removed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._help = QLabel(_HELP)
        self._help.setProperty("role", "muted")
        self._help.setWordWrap(True)
        self.list = QTreeWidget()
        self.list.setColumnCount(3)
        self.list.setHeaderLabels(["where", "what", "note"])
        self.list.setRootIsDecorated(False)
        self.list.setAlternatingRowColors(True)
        self.list.setAccessibleName("Bookmarks")
        self.list.itemActivated.connect(self._on_list_item_activated)
        self.list.itemClicked.connect(self._on_list_item_activated)
        self.list.setEditTriggers(QTreeWidget.EditTrigger.NoEditTriggers)
        self.list.itemDoubleClicked.connect(self._on_list_item_double_clicked)
        self.list.itemChanged.connect(self._on_list_item_changed)
        self.notice = EmptyNotice(self.list, "Nothing is bookmarked yet.")
        self.list.setColumnWidth(0, 220)
        self.list.setColumnWidth(1, 260)
        self.remove_button = QPushButton("Remove")
        self.remove_button.clicked.connect(self._on_remove_button_clicked)
        row = QHBoxLayout()
        row.addWidget(self._help, 1)
        row.addWidget(self.remove_button)
        layout = QVBoxLayout(self)
        layout.addLayout(row)
        layout.addWidget(self.list, 1)
        self.show_bookmarks(())

    def show_bookmarks(self, rows: Sequence[tuple[str, str, str]]) -> None:
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
            self.chosen.emit(item.data(0, _NUMBER))

    def _on_list_item_double_clicked(self, item: QTreeWidgetItem, column: int) -> None:
        if column == 2:
            self.list.editItem(item, column)

    def _on_list_item_changed(self, item: QTreeWidgetItem, column: int) -> None:
        if column == 2:
            self.noted.emit(item.data(0, _NUMBER), item.text(2))

    def _on_remove_button_clicked(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.removed.emit(item.data(0, _NUMBER))
