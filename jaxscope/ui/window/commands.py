"""The table of commands with their keys, the list of keys (help), and the command palette with its
ranking.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

# Every command of the window in one table: its menu, its text, its keys.


@dataclasses.dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Attributes:
        menu: The menu that it stands in.
        text: What it does, fit to show.
        slot: Name of the window's method that does it.
        keys: Key sequences that trigger it, the one to show first.
        starts_section: Whether a line is drawn above it.
    """

    menu: str
    text: str
    slot: str
    keys: tuple[str, ...] = ()
    starts_section: bool = False


COMMANDS: Sequence[Command] = (
    Command("File", "Open …", "open_dialog", ("Ctrl+O",)),
    Command("File", "Start page", "show_start_page", ("Alt+Home",)),
    Command("File", "Save capture as …", "save_dialog", ("Ctrl+S",), True),
    Command("File", "Export what is seen, or everything …", "export_dialog", ("Ctrl+E",)),
    Command("File", "Quit", "close", ("Ctrl+Q",), True),
    Command("Run", "Run the call", "run_call", ("Ctrl+R", "F5")),
    Command("Run", "Run with the gradient", "run_with_gradient", ("Ctrl+Alt+G",)),
    Command("Run", "Stop", "stop_run", ("Esc",)),
    Command("Run", "Measure its time", "measure_time", ("Ctrl+M",)),
    Command("Run", "Skip what is being measured", "skip_step", ("Ctrl+Shift+S",)),
    Command("Run", "Edit the call", "focus_call", ("Ctrl+L",), True),
    Command("View", "Next pane", "focus_next_pane", ("F6",)),
    Command("View", "Previous pane", "focus_previous_pane", ("Shift+F6",)),
    Command("View", "Open another pane", "add_pane", ("Ctrl+N",)),
    Command("View", "Close this pane", "close_pane", ("Ctrl+W",)),
    Command("View", "Next page", "focus_next_page", ("Ctrl+PgDown",)),
    Command("View", "Previous page", "focus_previous_page", ("Ctrl+PgUp",)),
    Command("View", "Find in this pane", "focus_search", ("Ctrl+F",)),
    Command("View", "As graph", "show_as_graph", ("Ctrl+1",), True),
    Command("View", "As text", "show_as_text", ("Ctrl+2",)),
    Command("View", "As table", "show_as_table", ("Ctrl+3",)),
    Command("View", "As tree", "show_as_tree", ("Ctrl+4",)),
    Command("View", "Side panel", "toggle_side", ("Ctrl+B",), True),
    Command("View", "Only the panes, on the whole screen", "toggle_presenting", ("F11",)),
    Command("View", "Light or dark", "toggle_theme", ("Ctrl+T",)),
    Command("View", "Larger type", "zoom_in", ("Ctrl++", "Ctrl+=")),
    Command("View", "Smaller type", "zoom_out", ("Ctrl+-",)),
    Command("View", "Ordinary type", "zoom_reset", ("Ctrl+0",)),
    Command("Help", "Keys", "show_keys", ("F1",)),
)

MORE_KEYS: Sequence[tuple[str, str]] = (
    ("Enter", "In the call: run it"),
    ("Up, Down", "In the call: earlier and later calls; in a text: the next line"),
    ("Tab", "To the next part of the window"),
    ("Ctrl+C", "In a text: copy the chosen lines"),
    ("Shift+Up, Shift+Down", "In a text: choose several lines"),
    ("Ctrl+click", "In any pane: select one more thing, or let it go"),
    ("Shift+click", "In a text, a table or a tree: select all up to there"),
    ("- and +", "In a text: fold or unfold the block around the line"),
    ("/ and *", "In a text: fold or unfold all blocks"),
    ("Ctrl+Shift+B, Ctrl+Shift+N", "Bookmark what is selected; write a note about it"),
    ("Ctrl+. and Ctrl+,", "To the next bookmark, and the one before"),
    ("Ctrl+Alt+R, Ctrl+Alt+B", "Split the pane to the right, or below"),
    ("Ctrl+Alt+arrows", "Swap the pane with its neighbour"),
    ("F2, Ctrl+Alt+A", "Name the pane; see it alone"),
    ("Ctrl+K", "All commands, by name"),
    ("Alt+Left, Alt+Right", "Back and forward through what was selected"),
    ("Ctrl+J, Ctrl+Shift+J", "In a graph: focus on what is near the selection, wider or narrower"),
    ("Ctrl+P", "In a graph: the path from the selection before to this one"),
    ("Ctrl+Shift+K", "In a graph: see everything again"),
    ("Ctrl+Shift+E", "In a graph: open all groups"),
    ("Ctrl+Shift+M", "In a graph: open as many as can be read"),
    ("Ctrl+Shift+C", "In a graph: close all groups"),
    ("Ctrl+Shift+R", "In a graph: open what is open at first"),
    ("Ctrl+Shift+D", "Let values flow down or to the right"),
)


# The list of keys.


class HelpDialog(QDialog):
    """Every key of the window, from the one table of commands."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        content = QWidget()
        content.setProperty("role", "content")
        grid = QGridLayout(content)
        grid.setHorizontalSpacing(24)
        rows: Sequence[tuple[str, str]] = [
            *((command.keys[0], command.text.replace(" …", "")) for command in COMMANDS
              if command.keys),
            *MORE_KEYS,
        ]  # fmt: skip
        for number, (keys, text) in enumerate(rows):
            label = QLabel(keys)
            label.setStyleSheet("font-weight: 600;")
            grid.addWidget(label, number, 0)
            meaning = QLabel(text)
            meaning.setWordWrap(True)
            grid.addWidget(meaning, number, 1)
        grid.setColumnStretch(1, 1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(content)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.addWidget(area, 1)
        layout.addWidget(buttons)
        em = self.fontMetrics().horizontalAdvance("m")
        self.resize(56 * em, 44 * em)


# Which commands fit what was typed, the best first; no Qt.


_WORD = re.compile(r"[^\W_]+")

_WHOLE, _BEGINS, _BEGINS_NAME, _WORD_BEGINS, _MENU_BEGINS, _INSIDE, _LETTERS = range(7)
"""How what was typed fits a name such as `File: Open`, the best first: it is the command; begins
it; begins the name; begins a word of the command; begins one of its menu; stands inside a word; its
letters are beginnings of words."""

Fit = tuple[int, int]


def rank_names(typed: str, names: Sequence[str], recent: Sequence[str] = ()) -> list[int]:
    """Indices of the names that fit what was typed, best first.

    Each word that was typed is looked for: `open` finds "File: Open" before "View: Open another
    pane", and that before "Reopen"; where no word fits, beginnings of words do: `cbd` finds "Colour
    boxes by direction". Of names that fit alike, those used lately come first, then the order
    given. Nothing typed fits everything.

    Args:
        recent: Names used before, the latest first.
    """
    latest = {name: place for place, name in reversed(list(enumerate(recent)))}
    fits = [(_find_fit(typed.casefold().strip(), name), index) for index, name in enumerate(names)]
    found = [
        (fit, latest.get(names[index], len(recent)), index)
        for fit, index in fits
        if fit is not None
    ]
    return [index for _, _, index in sorted(found)]


def _find_fit(typed: str, name: str) -> Fit | None:
    """How a name fits; None if it does not."""
    name = name.casefold()
    menu, _, command = name.rpartition(": ")
    words = typed.split()
    if not words:
        return _WHOLE, 0
    if command == typed:
        return _WHOLE, 0
    if command.startswith(typed):
        return _BEGINS, 0
    if name.startswith(typed):
        return _BEGINS_NAME, 0
    fits = [_fit_of_word(word, menu, command) for word in words]
    known = [fit for fit in fits if fit is not None]
    if len(known) == len(words):
        return max(known), sum(known)
    return (_LETTERS, 0) if _has_letters("".join(words), name) else None


def _fit_of_word(word: str, menu: str, command: str) -> int | None:
    if any(each.startswith(word) for each in _WORD.findall(command)):
        return _WORD_BEGINS
    if any(each.startswith(word) for each in _WORD.findall(menu)):
        return _MENU_BEGINS
    return _INSIDE if word in command or word in menu else None


def _has_letters(letters: str, name: str) -> bool:
    """Whether letters are those that words begin with, one or more of each word, in order."""
    left = {letters}  # what may still have to be found, by all ways so far
    for word in _WORD.findall(name):
        for rest in list(left):
            most = next(
                (n for n, pair in enumerate(zip(rest, word, strict=False)) if pair[0] != pair[1]),
                min(len(rest), len(word)),
            )
            left |= {rest[length:] for length in range(1, most + 1)}
        if "" in left:
            return True
    return False


# The command palette: everything the window can do, found by typing a few letters.


_MOST_SHOWN = 60
_ROOM_PX = 14
"""Above and below the text of a row together."""


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class PaletteEntry:
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
        self._entries: Sequence[PaletteEntry] = ()
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

    def open_with(self, entries: Sequence[PaletteEntry], recent: Sequence[str] = ()) -> None:
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


def _row(entry: PaletteEntry) -> QWidget:
    row = QWidget()
    name, keys = QLabel(entry.name), QLabel(entry.keys)
    name.setTextFormat(Qt.TextFormat.PlainText)
    keys.setProperty("role", "muted")
    layout = QHBoxLayout(row)
    layout.setContentsMargins(8, 0, 8, 0)
    layout.addWidget(name, 1)
    layout.addWidget(keys)
    return row
