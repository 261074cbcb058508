"""The command palette: finds a command of the window by a few letters."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import (
    QDialog,
    QHeaderView,
    QLineEdit,
    QMenu,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from jaxscope.late_dataclass import dataclass
from jaxscope.ui.toolkit.language import tr, tr_named
from jaxscope.ui.toolkit.widgets import fill_box, make_label
from jaxscope.ui.window.commands import WORDS

_WORD = re.compile(r"[^\W_]+")

_WHOLE, _BEGINS, _BEGINS_NAME, _WORD_BEGINS, _MENU_BEGINS, _INSIDE, _ALSO, _LETTERS = range(8)
"""How what was typed fits a name such as `File: Open`, the best first: it is the command; begins
it; begins the name; begins a word of the command; begins one of its menu; stands inside a word; is
one of its keys or other words; its letters are beginnings of words."""

_LEAST_ALIKE = 0.7
"""Of a mistyped word and the one that is meant: the ratio of `difflib`, from 0 to 1."""

_OF_QUESTIONS = frozenset(
    {
        *("a", "an", "and", "are", "can", "did", "do", "does", "how", "i", "in", "is", "it", "my"),
        *("of", "so", "that", "the", "this", "to", "was", "what", "where", "why"),
    }
)
"""Words of a question that say nothing of what is asked about."""

Fit = tuple[int, int]


def rank_names(
    typed: str, names: Sequence[str], recent: Sequence[str] = (), also: Sequence[str] = ()
) -> list[int]:
    """Indices of the names that fit what was typed, best first.

    Each word that was typed is looked for: `open` finds "File: Open" before "View: Open another
    pane", and that before "Reopen"; where no word fits, beginnings of words do: `cbd` finds "Colour
    boxes by direction". Of names that fit alike, those used lately come first, then the order
    given. Where nothing fits, words that every question has are left out, as in `why is this slow`,
    and then the most similar words are looked for: `expotr` finds "Export". Nothing typed fits
    everything.

    Args:
        recent: Names used before, the latest first.
        also: Of each name what finds it as well, behind those whose names fit.
    """
    typed = typed.casefold().strip()
    found = _rank(typed, names, recent, also)
    telling = " ".join(word for word in _WORD.findall(typed) if word not in _OF_QUESTIONS)
    if not found and telling:
        typed = telling
        found = _rank(typed, names, recent, also)
    if not found and (meant := _replace_mistyped(typed, (*names, *also))) != typed:
        found = _rank(meant, names, recent, also)
    return found


def _rank(
    typed: str, names: Sequence[str], recent: Sequence[str], also: Sequence[str]
) -> list[int]:
    latest = {name: place for place, name in reversed(list(enumerate(recent)))}
    found = [
        (fit, latest.get(name, len(recent)), index)
        for index, (name, others) in enumerate(itertools.zip_longest(names, also, fillvalue=""))
        for fit in (min(_fits(typed, name, others), default=None),)
        if fit is not None
    ]
    return [index for _, _, index in sorted(found)]


def _replace_mistyped(typed: str, texts: Sequence[str]) -> str:
    """What was typed, each word that no text has replaced by the most similar one of theirs.

    Of the three most similar, one that begins alike is taken first.
    """
    from difflib import get_close_matches  # needed rarely

    known = sorted({word for text in texts for word in _WORD.findall(text.casefold())})
    meant = []
    for word in typed.split():
        is_known = any(word in each for each in known)
        alike = [word] if is_known else get_close_matches(word, known, 3, _LEAST_ALIKE) or [word]
        meant.append(max(alike, key=lambda each: each[0] == word[0]))
    return " ".join(meant)


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
    return _INSIDE if word in f"{menu}: {command}" else None


def _fits(typed: str, name: str, others: str) -> Iterator[Fit]:
    """How a name fits, by itself and together with its keys and other words."""
    if (fit := _find_fit(typed, name)) is not None:
        yield fit
    if others and all(word in f"{name} {others}".casefold() for word in typed.split()):
        yield _ALSO, 0


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


_MOST_SHOWN = 60
_ROOM_PX = 14
"""Above and below the text of a row together."""


@dataclass(frozen=True, eq=False, slots=True)
class PaletteEntry:
    """A command of the palette.

    Attributes:
        name: Fit to show and to search in.
        keys: Its keys, or empty.
        do: Does it.
        words: What finds it besides name and keys.
    """

    name: str
    keys: str
    do: Callable[[], object]
    words: str = ""


class CommandPalette(QDialog):
    """A field and a list; Enter does what is marked, Escape leaves everything as it was.

    `used` carries the name of what is going to be done.
    """

    used = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "palette")
        self.setAccessibleName(tr("Commands"))
        self._entries: Sequence[PaletteEntry] = ()
        self._recent: Sequence[str] = ()
        self._most_px = 0
        self.field = QLineEdit(placeholderText=tr("What do you want to do?"))
        self.field.setAccessibleName(tr("Command to look for"))
        self.list = QTreeWidget(columnCount=2)
        self.list.setAccessibleName(tr("Commands that fit"))
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setAllColumnsShowFocus(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self._nothing = make_label(tr("Nothing fits. Fewer letters find more."), "muted")
        self._nothing.setContentsMargins(8, 4, 8, 4)
        fill_box(QVBoxLayout(self), self.field, (self.list, 1), self._nothing, margins=(8, 8, 8, 8))
        self.field.textChanged.connect(self._on_field_text_changed)
        self.field.installEventFilter(self)
        self.list.itemClicked.connect(self.run_marked)

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
        """Names of the commands that match what is typed, the best first."""
        return [self._entries[index].name for index in self._shown()]

    def run_marked(self) -> None:
        """Close, and do what is marked."""
        item = self.list.currentItem()
        self.close()
        if item is not None:
            entry = self._entries[item.data(0, Qt.ItemDataRole.UserRole)]
            self.used.emit(entry.name)
            entry.do()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and watched is self.field:
            if event.type() != QEvent.Type.KeyPress:
                return super().eventFilter(watched, event)
            key, page = event.key(), 8
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1,
                     Qt.Key.Key_PageDown: page, Qt.Key.Key_PageUp: -page}  # fmt: skip
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.run_marked()
                return True
            if (step := steps.get(Qt.Key(key))) is not None:
                row = self.list.currentIndex().row() + step
                self._mark(min(max(row, 0), self.list.topLevelItemCount() - 1))
                return True
        return super().eventFilter(watched, event)

    def _shown(self) -> list[int]:
        names = [entry.name for entry in self._entries]
        also = [f"{entry.keys} {entry.words}".strip() for entry in self._entries]
        return rank_names(self.field.text(), names, self._recent, also)[:_MOST_SHOWN]

    def _fill(self, _text: str) -> None:
        self.list.clear()
        height_px = self.fontMetrics().height() + _ROOM_PX
        muted = self.palette().brush(QPalette.ColorRole.PlaceholderText)
        items = []
        for index in self._shown():
            entry = self._entries[index]
            item = QTreeWidgetItem([entry.name, entry.keys])
            item.setData(0, Qt.ItemDataRole.UserRole, index)
            item.setSizeHint(0, QSize(0, height_px))
            item.setForeground(1, muted)
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            items.append(item)
        self.list.addTopLevelItems(items)
        self._mark(0)
        self._fit_height()

    def _mark(self, row: int) -> None:
        if (item := self.list.topLevelItem(row)) is not None:
            self.list.setCurrentItem(item)

    def _fit_height(self) -> None:
        """As high as its rows ask for; its upper edge stays where it is while typing."""
        num_rows = self.list.topLevelItemCount()
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


_ON = " (on)"


def without_state(name: str) -> str:
    """The name of an entry, without whether it is on."""
    return name.removesuffix(_ON)


def list_menu_entries(menus: QMenu) -> Iterator[PaletteEntry]:
    """Every item of every menu that can be used now."""
    for action in menus.actions():
        menu = action.menu()
        if isinstance(menu, QMenu):
            yield from _items_of(menu, action.text())


def _items_of(menu: QMenu, title: str, words: str = "") -> Iterator[PaletteEntry]:
    menu.aboutToShow.emit()  # menus that are filled when they are first shown
    menu.aboutToHide.emit()  # and whose texts have letters underlined as long as they are
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            words = tr(action.property(WORDS) or "")
            yield from _items_of(inner, tr_named(title, action.text()), words)
        elif action.text() and not action.isSeparator() and action.isEnabled():
            state = _ON if action.isCheckable() and action.isChecked() else ""
            name = tr_named(title, action.text().replace("&", "").removesuffix(" …")) + state
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            yield PaletteEntry(
                name, keys, action.trigger, tr(action.property(WORDS) or "") or words
            )
