"""Small general widgets and layouts: choice box, button of a menu, selectable label, notice of an
empty table, foldable notes, a layout that wraps, a side splitter, parts shown above each other or
as tabs; and texts made safe for rich text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any, TypeVar

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QCursor,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QBoxLayout,
    QComboBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLayout,
    QLayoutItem,
    QMenu,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QTableView,
    QTabWidget,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from jaxscope.marks import strip_controls
from jaxscope.ui.toolkit.language import tr, tr_count, tr_named

_ARROW_PX = 4.0
_LIST_MARGIN_PX = 24
_MAX_ROWS = 20

STILL = "isStill"
"""Property of a window in which pictures change at once."""

ANY_PX = 16_777_215
"""The greatest size of a widget, `QWIDGETSIZE_MAX`: with it as the maximum there is none."""

RESIZING = (QEvent.Type.FontChange, QEvent.Type.StyleChange, QEvent.Type.LanguageChange)
"""What may change how much room texts need."""


Box = TypeVar("Box", bound=QBoxLayout)
BoxPart = (
    QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]
)
"""What stands in a box: a widget or a layout, alone, with its stretch, or with its alignment, too;
a number is an empty stretch.
"""


def fill_box(
    box: Box,
    *parts: BoxPart,
    margins: tuple[int, int, int, int] | None = None,
    spacing: int | None = None,
) -> Box:
    """Add parts to a box, one after the other, and return it.

    Args:
        margins: Left, above, right and below, in pixels; None for those of the style.
        spacing: Between the parts, in pixels; likewise.
    """
    for part in parts:
        how: Any
        what, *how = part if isinstance(part, tuple) else (part,)
        if isinstance(what, QWidget):
            box.addWidget(what, *how)
        elif isinstance(what, QLayout):
            box.addLayout(what, *how)
        else:
            box.addStretch(what)
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    return box


def list_stops(parent: QWidget) -> list[QWidget]:
    """What in a widget can have the keyboard and is shown, line by line from left to right."""
    parts = [part for part in _shown_parts(parent) if part.focusPolicy() != Qt.FocusPolicy.NoFocus]
    places = {part: _place_in(parent, part) for part in parts}
    return sorted(parts, key=lambda part: (places[part].y(), places[part].x()))


def _shown_parts(parent: QWidget) -> list[QWidget]:
    """All that is shown in a widget: nothing is, inside of what is hidden.

    PySide takes what `findChildren` finds to be owned by the widget that was asked, also where it
    moves to another one, and what is owned goes with its owner: so each asks for its own only.
    """
    found: list[QWidget] = []
    for part in parent.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if part.isVisible():
            found += [part, *_shown_parts(part)]
    return found


def _place_in(parent: QWidget, part: QWidget) -> QPoint:
    """Where a part is, were nothing scrolled."""
    place, inside = QPoint(0, 0), part
    while inside is not parent and (holder := inside.parentWidget()) is not None:
        if not isinstance(holder.parentWidget(), QScrollArea):
            place += inside.pos()
        inside = holder
    return place


class ChoiceBox(QComboBox):
    """Draws its own small arrow over the style's empty field; its list shows every choice whole.

    Its name tells what is chosen. On Linux Qt gives a screen reader the choice in place of the
    name, and the name by a label that belongs to the box: one that is never seen.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = QLabel(self)
        self._label.hide()
        self._label.setBuddy(self)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self._label.setText(name)
        edit = self.lineEdit()
        if edit is not None:  # it has the keyboard where a choice can be typed
            edit.setAccessibleName(name)

    def showPopup(self) -> None:
        self.setMaxVisibleItems(_MAX_ROWS)
        # The list opens below the box. As a menu, Qt's default here, it is too low for all rows and
        # the border. In the application's style sheet this rule leaks memory with each run: some
        # kilobytes with Qt 6.11, see RELIABILITY.md.
        if not self.styleSheet():
            self.setStyleSheet("QComboBox { combobox-popup: 0; }")
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + _LIST_MARGIN_PX)
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.palette().text().color(), 1.6, c=Qt.PenCapStyle.RoundCap))
        x, y = self.width() - 13.0, self.height() / 2.0 - 1.0
        tip = QPointF(x, y + _ARROW_PX)
        painter.drawLine(QPointF(x - _ARROW_PX, y), tip)
        painter.drawLine(QPointF(x + _ARROW_PX, y), tip)


class MenuButton(QToolButton):
    """Opens its menu at once, and does not look pointed at when the menu has gone.

    While a menu is open it has the pointer; Qt does not tell the button that it left.
    """

    def __init__(self, menu: QMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setMenu(menu)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._look_for_pointer)
        menu.aboutToHide.connect(self._later.start)

    def open_by_key(self) -> None:
        """Open the menu with its first entry marked, where the keyboard is then.

        A menu in the first entry stays closed: it would take the letters of the other entries.
        """
        QTimer.singleShot(0, self, self._mark_first)
        self.showMenu()  # returns when the menu has gone

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down)
        if event.key() in keys:
            self.open_by_key()
        else:
            super().keyPressEvent(event)

    def _mark_first(self) -> None:
        menu = self.menu()
        first = next((each for each in menu.actions() if each.isEnabled()), None)
        if menu.isVisible() and first is not None and first.menu() is not None:
            down = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier)
            QApplication.sendEvent(menu, down)
        elif menu.isVisible() and first is not None:
            menu.setActiveAction(first)

    def _look_for_pointer(self) -> None:
        is_on_it = self.rect().contains(self.mapFromGlobal(QCursor.pos()))
        self.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, is_on_it)
        self.update()


_TYPING_MS = 1000


class LetterMenu(QMenu):
    """A menu in which letters lead to the entry that begins with them, as in a list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._typed = ""
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        letter = event.text().lower()
        if not (letter.isprintable() and letter.strip()):
            super().keyPressEvent(event)
            return
        self._typed = (self._typed if self._typing.isActive() else "") + letter
        self._typing.start()
        # A letter alone leads on, also where the letters before began nothing with it.
        for wanted, skips_current in ((self._typed, len(self._typed) == 1), (letter, True)):
            found = self._find(wanted, skips_current=skips_current)
            if found is not None:
                self._typed = wanted
                self.setActiveAction(found)
                return

    def _find(self, text: str, *, skips_current: bool) -> QAction | None:
        """The next entry that begins with a text, from the current one on and round."""
        actions = [action for action in self.actions() if action.isEnabled()]
        current = self.activeAction()
        start = actions.index(current) + skips_current if current in actions else 0
        turned = actions[start:] + actions[:start]
        return next((each for each in turned if each.text().lower().startswith(text)), None)


# What models of Qt take for a place, and for the place of everything.


Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()


# Widgets with what is set of them every time.

_WIDE_RATIO = 2.2
"""How much wider than high a room is in which two parts are better side by side."""


def make_label(text: str = "", role: str = "", *, wraps: bool = False) -> QLabel:
    """A label with a property `role` for the style sheet."""
    label = QLabel(text)
    if role:
        label.setProperty("role", role)
    label.setWordWrap(wraps)
    return label


def restyle(*widgets: QWidget) -> None:
    """Look as the style sheet says of a property that was changed.

    By the application's style: PySide keeps whatever `QWidget.style` gave, and each change of the
    theme makes another.
    """
    style = QApplication.style()
    for widget in widgets:
        style.unpolish(widget)
        style.polish(widget)


def make_splitter(orientation: Qt.Orientation, *parts: QWidget) -> QSplitter:
    """A splitter none of whose parts can be dragged shut."""
    splitter = QSplitter(orientation, childrenCollapsible=False)
    for part in parts:
        splitter.addWidget(part)
    return splitter


class TurningSplitter(QSplitter):
    """Its parts stand one above the other, or side by side where the room is wide and low.

    Args:
        shares: Of the room, one for each part that there will be.
    """

    def __init__(self, shares: Sequence[int], *parts: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._shares = shares
        self.setChildrenCollapsible(False)
        for part in parts:
            self.addWidget(part)

    def share_out(self) -> None:
        """Give each part its share again, such as after one was added."""
        room = max(self.width(), self.height())
        self.setSizes([room * share // sum(self._shares) for share in self._shares])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = self.width() > _WIDE_RATIO * self.height()
        wanted = Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical
        if wanted != self.orientation():
            self.setOrientation(wanted)
            self.share_out()


def set_up_table(view: QTableView, name: str) -> None:
    """Give a table of texts the looks of all tables: whole rows, no grid."""
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)  # Tab leads out of it, arrow keys from cell to cell
    view.setAlternatingRowColors(True)
    view.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    header = view.horizontalHeader()
    header.setStretchLastSection(True)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    view.setAccessibleName(name)


class PlainTabs(QTabWidget):
    """Tabs without a frame."""

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self.setDocumentMode(True)
        self.tabBar().setDrawBase(False)  # some styles draw it white on dark
        # Tab would stop for ever before a tab bar that is hidden.
        self.setFocusProxy(None)  # type: ignore[arg-type]  # Qt takes it
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        if name:
            self.setAccessibleName(name)


class SelectableLabel(QLabel):
    """Wraps its lines. While it is empty, neither keyboard nor click can reach it: a screen reader
    would have nothing to say there.
    """

    def __init__(self, text: str = "", role: str = "") -> None:
        super().__init__()
        if role:
            self.setProperty("role", role)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(strip_marks(text))
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(
            flags.TextSelectableByMouse if text else flags.NoTextInteraction
        )


_MARGIN_PX = 12


class EmptyNotice(QFrame):
    """Lies over a view as long as the view has columns and no rows.

    `clear_requested` fires when a person asks for everything to be shown again.
    """

    clear_requested = Signal()

    def __init__(self, view: QAbstractItemView, text: str) -> None:
        super().__init__(view.viewport())
        self._view = view
        self._words = QLabel()
        self._words.setProperty("role", "muted")
        self._words.setWordWrap(True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._button = QPushButton(tr("Show all again"))
        self._button.clicked.connect(self.clear_requested)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        layout.addStretch()
        layout.addWidget(self._words)
        layout.addWidget(self._button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch()
        self.say(text, can_clear=False)
        model = view.model()
        for changed in (model.modelReset, model.rowsInserted, model.rowsRemoved):
            changed.connect(self._fit)
        view.viewport().installEventFilter(self)
        self._fit()

    @property
    def text(self) -> str:
        """What is said, or empty while there are rows."""
        return "" if self.isHidden() else self._words.text()

    @property
    def can_clear(self) -> bool:
        """Whether a button offers to show everything again."""
        return not self.isHidden() and not self._button.isHidden()

    def say(self, text: str, *, can_clear: bool) -> None:
        """Say this while there are no rows.

        Args:
            can_clear: Something hides rows that are there: offer to show them again.
        """
        self._words.setText(text)
        self._button.setVisible(can_clear)
        self._view.setAccessibleDescription(text if self.text else "")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        model = self._view.model()
        is_empty = model is not None and model.columnCount() > 0 and model.rowCount() == 0
        self.setGeometry(self._view.viewport().rect())
        self.setVisible(is_empty)
        self._view.setAccessibleDescription(self.text)


TALL_LINES = 46
"""Of text: a page so high has room for notes, some rows of a table and a figure."""
_MOST_LINES, _FEW_LINES = 12, 4
"""Of unfolded notes where there is room and where there is little; the others are scrolled to, so
that notes never push a figure away."""


class FoldedNotes(QWidget):
    """One line that says how many notes there are, or all of them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._notes: tuple[str, ...] = ()
        self._num_warnings = 0
        self._most_lines = _MOST_LINES
        self._label = SelectableLabel()
        self._label.setProperty("role", "muted")
        self._label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.fold = QPushButton()
        self.fold.setProperty("role", "link")
        self.fold.setCheckable(True)
        self._area = QScrollArea(widgetResizable=True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(self._label)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._area, 1)
        layout.addWidget(self.fold, 0, Qt.AlignmentFlag.AlignTop)
        self.fold.toggled.connect(self._on_fold_toggled)
        # Its width also changes when the button beside it comes, goes or says something else.
        self._area.viewport().installEventFilter(self)
        self._shown_px = 0
        self.hide()

    def set_notes(self, warnings: Sequence[str], others: Sequence[str]) -> None:
        """Show other notes, warnings first; nothing at all where there are none."""
        self._notes = tuple(map(strip_marks, (*warnings, *others)))
        self._num_warnings = len(warnings)
        self.setVisible(bool(self._notes))
        self._show()

    def set_roomy(self, is_roomy: bool, *, folds: bool = True) -> None:
        """Whether there is room for all notes.

        Args:
            folds: Whether they take one line where there is little; else some lines, and scroll.
        """
        self._most_lines = _MOST_LINES if is_roomy else _FEW_LINES
        if is_roomy or folds:
            self.fold.setChecked(is_roomy)
        self._show()

    def text(self) -> str:
        """All notes, a line each."""
        return "\n".join(self._notes)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self._area.viewport().width() != self._shown_px:
            self._show()
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._show()

    def _show(self) -> None:
        is_folded = not self.fold.isChecked()
        self.fold.setText(
            tr("all {num_notes}", num_notes=len(self._notes)) if is_folded else tr("fewer")
        )
        self.fold.setAccessibleName(
            tr("Show all notes") if is_folded else tr("Show one line of notes")
        )
        self.fold.setVisible(len(self._notes) > 1)
        metrics = self._label.fontMetrics()
        self._shown_px = self._area.viewport().width()
        wide_px = max(self._shown_px, 40)
        self._label.setWordWrap(not is_folded)
        if is_folded:
            line = metrics.elidedText(self._one_line(), Qt.TextElideMode.ElideRight, wide_px)
            self._label.setText(line)
            self._area.setFixedHeight(metrics.height() + 4)
            return
        self._label.setText(self.text())
        high_px = min(self._label.heightForWidth(wide_px), self._most_lines * metrics.height())
        self._area.setFixedHeight(high_px + 4)

    def _one_line(self) -> str:
        first = self._notes[0] if self._notes else ""
        if self._num_warnings > 1:
            return tr_named(tr_count(self._num_warnings, "warning"), first)
        return first

    def _on_fold_toggled(self, _is_open: bool) -> None:
        self._show()


class FlowLayout(QLayout):
    """Places items from left to right at their preferred sizes, in as many rows as needed.

    Items of a row are centred on one line: a tick box beside a taller field is not at its top.
    """

    def __init__(self, parent: QWidget | None = None, *, spacing_px: int = 4) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._spacing_px = spacing_px
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _place(self, rect: QRect, *, move: bool) -> int:
        y = rect.y()
        for row in self._rows(rect.width()):
            height = max(size.height() for _, _, size in row)
            for item, x, size in row if move else ():
                below = (height - size.height()) // 2
                item.setGeometry(QRect(QPoint(rect.x() + x, y + below), size))
            y += height + self._spacing_px
        return max(y - self._spacing_px - rect.y(), 0)

    def _rows(self, width: int) -> list[list[tuple[QLayoutItem, int, QSize]]]:
        """Items of each row with their places from its left and their sizes."""
        rows: list[list[tuple[QLayoutItem, int, QSize]]] = []
        x = 0
        for item in self._items:
            size = item.sizeHint()
            if not rows or (x > 0 and x + size.width() > width):
                rows.append([])
                x = 0
            rows[-1].append((item, x, size))
            x += size.width() + self._spacing_px
        return rows


class SplitOrTabs(QWidget):
    """Keeps every part readable: a splitter in a high page would leave slivers in a low one.

    Args:
        least_lines: Of text, which the parts need to stand one above the other.
    """

    def __init__(self, least_lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least_lines = least_lines
        self._parts: list[tuple[QWidget, str, int]] = []
        self._is_roomy = True
        self._splitter = make_splitter(Qt.Orientation.Vertical)
        self.tabs = PlainTabs()
        self.tabs.hide()
        fill_box(QVBoxLayout(self), self._splitter, self.tabs, margins=(0, 0, 0, 0))

    def insert_part(self, place: int, part: QWidget, title: str, share: int) -> None:
        """Add a part; its title is that of its tab, its share that of the height."""
        self._parts.insert(place, (part, title, share))
        self._fill()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_roomy = self.height() >= self._least_lines * self.fontMetrics().height()
        if is_roomy != self._is_roomy:
            self._is_roomy = is_roomy
            self._fill()

    def _fill(self) -> None:
        for place, (part, title, _) in enumerate(self._parts):
            if self._is_roomy:
                self._splitter.insertWidget(place, part)
                part.show()
            else:
                self.tabs.insertTab(place, part, title)
        self._splitter.setVisible(self._is_roomy)
        self.tabs.setVisible(not self._is_roomy)
        if self._is_roomy:
            self._splitter.setSizes([share for _, _, share in self._parts])
        else:
            self.tabs.setCurrentIndex(0)


_PAGE_LINES, _PAGE_PX = 6, 200
"""The least of a page that is seen, where it has more: of text, and its width."""


class PageStack(QScrollArea):
    """Shows one of its pages at a time; one that finds no room is scrolled, none is squeezed.

    A stack of Qt's would ask for the room of the largest of its pages, seen or not, and let the
    window grow beyond the screen.

    Attributes:
        pages: The pages.

    Signals:
        needs_changed: A page may want to be of another height.
    """

    needs_changed = Signal()

    def __init__(self, role: str) -> None:
        super().__init__()
        self.pages = QStackedWidget()
        for part in (self, self.pages):
            part.setProperty("role", role)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(self.pages)
        self.pages.currentChanged.connect(self._on_pages_current_changed)

    def minimumSizeHint(self) -> QSize:
        least = self._least_of_page(self.width())
        lines_px = _PAGE_LINES * self.fontMetrics().height()
        return least.boundedTo(QSize(_PAGE_PX, lines_px))

    def sizeHint(self) -> QSize:
        page = self.pages.currentWidget()  # the stack would ask all of them
        return QSize() if page is None else page.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and watched is self.pages:
            self._fit()
            self.needs_changed.emit()
        return super().eventFilter(watched, event)

    def _on_pages_current_changed(self, _index: int) -> None:
        self._fit()
        self.verticalScrollBar().setValue(0)

    def _fit(self) -> None:
        """Make the page as large as what is seen, or as large as it must be."""
        room = self.maximumViewportSize()
        least = self._least_of_page(room.width())
        if least.height() > room.height():
            room -= QSize(self.verticalScrollBar().sizeHint().width(), 0)
            least = self._least_of_page(room.width())
        if least.width() > room.width():
            room -= QSize(0, self.horizontalScrollBar().sizeHint().height())
        self.pages.resize(room.expandedTo(least))

    def _least_of_page(self, width: int) -> QSize:
        """The least size of the page that is shown, in a room of a width."""
        page = self.pages.currentWidget()
        if page is None:
            return QSize()
        layout, least = page.layout(), page.minimumSizeHint()
        if layout is not None and layout.hasHeightForWidth():
            least.setHeight(layout.minimumHeightForWidth(max(width, least.width())))
        return least.expandedTo(page.minimumSize())


_FILES_PX = (860, 540)
"""Qt's own dialog of files cuts names that are longer than 25 characters."""


class FileDialog(QFileDialog):
    """A dialog of files whose names can be read, also where the desktop has none of its own."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if (files := self.findChild(QTreeView)) is None:  # the desktop's own
            return
        self.resize(*_FILES_PX)
        header, modes = files.header(), QHeaderView.ResizeMode
        header.setStretchLastSection(False)
        for column in range(header.count()):  # sizes and dates whole, the rest for names
            header.setSectionResizeMode(column, modes.ResizeToContents if column else modes.Stretch)


# Escapes text from user code or files for Qt's rich text: no terminal escapes, no direction marks,
# no HTML.
#
# `escape_breakable` also inserts zero-width spaces (`SOFT_BREAK`) where long names may break;
# whoever copies the text removes them.

_LONG_WORD = re.compile(r"\S{16,}")
_PLACE_TO_BREAK = re.compile(r"(?<=[_./,;:=\])}>])(?=[\w(\[{'\"])")
SOFT_BREAK = "\u200b"
"""A place where a line may break and where nothing is seen."""
_TOO_LONG = re.compile(r"\S{40}(?=\S)")
_TOO_LONG_IN_HTML = re.compile(r"(<[^>]*>)|((?:&#?\w+;|[^\s<]){40}(?=[^\s<]))")


def escape_html(text: str, limit: int = 2_000) -> str:
    """Fit for rich text: cut to a length, stripped and escaped."""
    cut = text if len(text) <= limit else text[:limit] + " …"
    return html.escape(strip_controls(cut))


_MARKED = re.compile(r"`([^`]+)`")


def escape_marked(text: str, limit: int = 2_000) -> str:
    """Like `escape_html`; what stands between backticks is set as code."""
    return _MARKED.sub(r"<code>\1</code>", escape_html(text, limit))


def strip_marks(text: str) -> str:
    """Without the backticks around code, for what shows plain text."""
    return _MARKED.sub(r"\1", text)


def escape_breakable(text: str, limit: int = 2_000) -> str:
    """Like `escape_html`; long names may break after their parts instead of inside a word.

    Whoever copies such text takes the soft breaks out again.
    """
    cut = text if len(text) <= limit else text[:limit] + " …"
    broken = _LONG_WORD.sub(_allow_breaks, strip_controls(cut))
    return html.escape(broken)


def break_long_words(text: str, *, is_html: bool) -> str:
    """Let a word that is long break anywhere: no label is narrower than its longest word."""
    if is_html:
        return _TOO_LONG_IN_HTML.sub(lambda found: found[1] or found[2] + SOFT_BREAK, text)
    return _TOO_LONG.sub(rf"\g<0>{SOFT_BREAK}", text)


def _allow_breaks(match: re.Match[str]) -> str:
    return _PLACE_TO_BREAK.sub(SOFT_BREAK, match[0])
