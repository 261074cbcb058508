"""The command palette: everything the window can do, found by typing a few letters."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from jaxscope.ui.command_ranking import rank_names

_MOST_SHOWN = 60
_ROOM_PX = 14
"""Above and below the text of a row together."""


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Entry:
    """One thing to do.

    Attributes:
        name: Fit to show and to search in.
        keys: Its keys, or empty.
        do: Does it.
    """

    name: str
    keys: str
    do: Callable[[], object]


class CommandPalette(QDialog):
    """A field and a list; Enter does what is marked, Escape leaves everything as it was.

    `used` carries the name of what is going to be done.
    """

    used = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "palette")
        self.setAccessibleName("Commands")
        self._entries: Sequence[Entry] = ()
        self._recent: Sequence[str] = ()
        self._most_px = 0
        self.field = QLineEdit()
        self.field.setPlaceholderText("What do you want to do?")
        self.field.setAccessibleName("Command to look for")
        self.list = QListWidget()
        self.list.setAccessibleName("Commands that fit")
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._nothing = QLabel("Nothing fits. Fewer letters find more.")
        self._nothing.setProperty("role", "muted")
        self._nothing.setContentsMargins(8, 4, 8, 4)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.addWidget(self.field)
        layout.addWidget(self.list, 1)
        layout.addWidget(self._nothing)
        self.field.textChanged.connect(self._on_field_text_changed)
        self.field.installEventFilter(self)
        self.list.itemClicked.connect(self._on_list_item_clicked)

    def open_with(self, entries: Sequence[Entry], recent: Sequence[str] = ()) -> None:
        """Show itself over the middle of its window.

        Args:
            entries: What can be chosen.
            recent: Names of what was chosen before, the latest first.
        """
        self._entries, self._recent = entries, recent
        self.field.clear()
        parent = self.parentWidget()
        em = self.fontMetrics().horizontalAdvance("m")
        self.resize(46 * em, 34 * em)
        if parent is not None:
            self.resize(min(self.width(), parent.width() - 40), min(self.height(), parent.height()))
            middle = parent.mapToGlobal(parent.rect().center())
            self.move(middle.x() - self.width() // 2, middle.y() - self.height() // 2)
        self._most_px = self.height()
        self._fill("")
        self.show()
        self.field.setFocus()

    def names(self) -> list[str]:
        """What is offered now, the best first."""
        return [self._entries[index].name for index in self._shown()]

    def run_marked(self) -> None:
        """Close, and do what is marked."""
        item = self.list.currentItem()
        self.close()
        if item is not None:
            entry = self._entries[item.data(Qt.ItemDataRole.UserRole)]
            self.used.emit(entry.name)
            entry.do()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QKeyEvent):
            if event.type() != QEvent.Type.KeyPress:
                return super().eventFilter(watched, event)
            key, page = event.key(), 8
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1,
                     Qt.Key.Key_PageDown: page, Qt.Key.Key_PageUp: -page}  # fmt: skip
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.run_marked()
                return True
            if (step := steps.get(Qt.Key(key))) is not None:
                row = min(max(self.list.currentRow() + step, 0), self.list.count() - 1)
                self.list.setCurrentRow(row)
                return True
        return super().eventFilter(watched, event)

    def _shown(self) -> list[int]:
        names = [entry.name for entry in self._entries]
        return rank_names(self.field.text(), names, self._recent)[:_MOST_SHOWN]

    def _fill(self, _text: str) -> None:
        self.list.clear()
        for index in self._shown():
            entry = self._entries[index]
            item = QListWidgetItem(self.list)
            item.setData(Qt.ItemDataRole.UserRole, index)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{entry.name} {entry.keys}".strip())
            row = _row(entry)
            item.setSizeHint(QSize(row.sizeHint().width(), self.fontMetrics().height() + _ROOM_PX))
            self.list.setItemWidget(item, row)
        self.list.setCurrentRow(0)
        self._fit_height()

    def _fit_height(self) -> None:
        """As high as its rows ask for; its upper edge stays where it is while typing."""
        num_rows = self.list.count()
        self.list.setVisible(num_rows > 0)
        self._nothing.setVisible(num_rows == 0)
        rows_px = num_rows * (self.fontMetrics().height() + _ROOM_PX) + 2 * self.list.frameWidth()
        rows_px = rows_px if num_rows else self._nothing.sizeHint().height()
        layout = self.layout()
        gaps_px = 16 + (layout.spacing() if layout is not None else 0)
        wanted_px = self.field.sizeHint().height() + gaps_px + rows_px
        self.resize(self.width(), min(wanted_px, self._most_px))

    def _on_field_text_changed(self, text: str) -> None:
        self._fill(text)

    def _on_list_item_clicked(self, _item: QListWidgetItem) -> None:
        self.run_marked()


def _row(entry: Entry) -> QWidget:
    row = QWidget()
    name, keys = QLabel(entry.name), QLabel(entry.keys)
    name.setTextFormat(Qt.TextFormat.PlainText)
    keys.setProperty("role", "muted")
    layout = QHBoxLayout(row)
    layout.setContentsMargins(8, 0, 8, 0)
    layout.addWidget(name, 1)
    layout.addWidget(keys)
    return row
