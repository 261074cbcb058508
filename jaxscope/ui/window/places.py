"""The three places of the window and their pages: the views with a drawer below them, the questions
that are measured, the comparison; and the row at the bottom that leads to them.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QProgressBar,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jaxscope.late_dataclass import dataclass
from jaxscope.ui.toolkit.language import tr, tr_list, tr_named
from jaxscope.ui.toolkit.widgets import (
    ANY_PX,
    RESIZING,
    MenuButton,
    PageStack,
    escape_html,
    fill_box,
    list_stops,
    make_label,
    make_splitter,
)


class Place(enum.Enum):
    """Where pages are."""

    PROGRAM = "Program"
    MEASURE = "Measure"
    COMPARE = "Compare"


@dataclass(frozen=True, slots=True)
class Page:
    """What the registry says of a page; its module has `make_page`, which takes a `PageContext`.

    Attributes:
        title: Its name.
        place: Those of `Place.PROGRAM` share the drawer.
        answers: The question that it answers.
        is_always_named: Its name stands at the bottom even while there is nothing in it: on a
            button of its own while the drawer is open, else on the one that lists all pages.
            There is room for three; the others are named there while they count something, by
            `Places.set_count`, and have a button while they are shown.
        works_unseen: It does something before it is first shown, such as telling the inspector:
            it is made as soon as there is a capture.
    """

    title: str
    place: Place
    answers: str
    is_always_named: bool = False
    works_unseen: bool = False


class _StatusLabel(QLabel):
    """A line that gives way to what stands beside it, and is cut at its end."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "muted")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        room = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


_LEAST_SAID_PX, _SAID_PX = 24, 160
"""What names leave to what is said; those that count something leave so much more."""


class PlaceRow(QWidget):
    """Buttons for places and pages, and between them what is going on.

    Signals:
        place_chosen: A `Place`.
        page_chosen: The name of a page.
    """

    place_chosen = Signal(object)
    page_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.places = {place: self._make_button(tr(place.value)) for place in Place}
        self.names: dict[str, QToolButton] = {}
        self._always: list[str] = []
        self._lone = ""
        self._wanted: set[str] = set()
        self._status, self._message = "", ""
        self._said = _StatusLabel()
        self.busy = QProgressBar(textVisible=False)
        self.busy.setRange(0, 0)
        self.busy.setFixedSize(60, 8)
        self.busy.hide()
        self._menu = QMenu(self, toolTipsVisible=True)
        self.more = MenuButton(self._menu)
        self.more.setProperty("role", "place")
        self.more.setToolTip(tr("Pages about the program, below its views"))
        self._menu.aboutToShow.connect(self._fill_menu)
        self._menu.triggered.connect(lambda action: self.page_chosen.emit(action.data()))
        self.more.hide()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(6, 0, 6, 0)
        self._row.setSpacing(2)
        for place, button in self.places.items():
            button.clicked.connect(lambda _is_on, place=place: self.place_chosen.emit(place))
            self._row.addWidget(button)
        self._row.addSpacing(10)
        self._row.addWidget(self.busy)
        self._row.addWidget(self._said, 1)
        self._row.addWidget(self.more)
        self._forget = QTimer(self, singleShot=True)
        self._forget.timeout.connect(self._on_forget_timeout)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self.fit)

    @property
    def message(self) -> str:
        """The message of the status bar that goes after a while, or empty."""
        return self._message

    @property
    def status(self) -> str:
        """The text of the status bar while there is no message."""
        return self._status

    def set_status(self, text: str) -> None:
        """Say something as long as there is no message."""
        self._status = text
        self._show_said()

    def say(self, text: str, duration_ms: int) -> None:
        """Say something for a while; an empty text ends that."""
        self._message = text
        self._forget.start(duration_ms)
        self._show_said()

    def add_widget(self, part: QWidget) -> None:
        """Show something beside what is said, such as how far an export is."""
        self._row.insertWidget(self._row.indexOf(self._said) + 1, part)

    def add_name(self, name: str, page: Page) -> None:
        """Add the name of a page of the drawer.

        From the right: those that are always there, those that count something, and before all
        others one that is there only while it is shown. So a name stays where it is when another
        page is shown, or none.
        """
        button = self._make_button(tr(page.title))
        button.setToolTip(tr(page.answers))
        button.clicked.connect(lambda: self.page_chosen.emit(name))
        self.names[name] = button
        self._always += [name] if page.is_always_named else []
        place = self._row.count() if page.is_always_named else self._row.indexOf(self._said) + 1
        self._row.insertWidget(place, button)
        self.set_named(name, is_named=page.is_always_named)

    def set_named(self, name: str, *, is_named: bool) -> None:
        """Show the name of a page, or leave it out."""
        self._wanted = self._wanted | {name} if is_named else self._wanted - {name}
        self.fit()

    def show_where(self, place: Place, page: str) -> None:
        """Mark where the window is: a place, and the page that its drawer shows."""
        for each, button in self.places.items():
            button.setChecked(each is place)
        for name, button in self.names.items():
            button.setChecked(name == page)
        self.fit()

    def set_alone(self, *, is_alone: bool) -> None:
        """Show only what is said, without places and pages."""
        for button in self.places.values():
            button.setHidden(is_alone)
        self._is_alone = is_alone
        self.fit()

    _is_alone = False

    def fit(self) -> None:
        """Show the names of pages: while the drawer is closed one button for all, that names those
        that are always there and, as far as there is room, those that count something.
        """
        is_closed = not any(button.isChecked() for button in self.names.values())
        self._place_lone()
        shown = [
            button
            for name, button in self.names.items()
            if not (self._is_alone or is_closed) and (name in self._wanted or button.isChecked())
        ]
        parts = [*(self.places.values() if not self._is_alone else ()), *shown]
        gap = self._row.spacing()
        taken = sum(part.sizeHint().width() + gap for part in parts)
        room = max(self.width(), 1) - taken - _LEAST_SAID_PX
        fits = self._name_on_one(room - gap) if is_closed else room >= 0
        hidden = [button for button in self.names.values() if not (fits and button in shown)]
        had_keyboard = any(button.hasFocus() for button in hidden)
        for button in self.names.values():
            button.setVisible(button not in hidden)
        if not fits:
            self.more.setText(tr("Pages ▾"))
            self.more.setMinimumWidth(0)
        self.more.setVisible(not self._is_alone and (is_closed or not fits))
        if had_keyboard and self.more.isVisible():
            self.more.setFocus(Qt.FocusReason.TabFocusReason)  # its name is there now

    def _name_on_one(self, room: int) -> bool:
        """Name pages on the button that lists all; False where those that are always named have
        no room.

        Args:
            room: Its greatest width, in pixels.
        """
        counted = [name for name in self.names if name in self._wanted.difference(self._always)]
        gap = self._row.spacing()
        always = [self.names[name].sizeHint().width() + gap for name in self._always]
        self.more.setMinimumWidth(max(sum(always) - gap, 0))  # as wide as these when it is open
        for num_named in range(len(counted), -1, -1):
            named = [*self._always, *counted[:num_named]]
            more = " …" if num_named < len(counted) else ""
            self.more.setText(f"{tr_list(self.names[name].text() for name in named)}{more} ▴")
            needed = self.more.sizeHint().width() + (_SAID_PX if num_named else 0)
            if needed <= room:
                return True
        return False

    def _place_lone(self) -> None:
        """Put the name that is there only while its page is shown before all others."""
        lone = next(
            (n for n, b in self.names.items() if b.isChecked() and n not in self._wanted), ""
        )
        before, self._lone = self._lone, lone
        if lone == before:
            return
        others = [name for name in self.names if name not in (*self._always, lone)]
        for name in filter(None, (*others, lone)):
            self._row.removeWidget(self.names[name])
            self._row.insertWidget(self._row.indexOf(self._said) + 1, self.names[name])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in RESIZING:
            self._later.start()  # the buttons are dressed after this

    def _make_button(self, text: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setCheckable(True)
        button.setProperty("role", "place")
        return button

    def _fill_menu(self) -> None:
        self._menu.clear()
        for name, button in self.names.items():
            action = self._menu.addAction(button.text())
            action.setData(name)
            action.setToolTip(button.toolTip())

    def _show_said(self) -> None:
        self._said.setText(self._message or self._status)
        self._said.setToolTip(self._said.text())

    def _on_forget_timeout(self) -> None:
        self._message = ""
        self._show_said()


_LIST_PX, _ITEM_PX = 270, 8
_DRAWER_SHARE, _HEIGHTS = 0.42, 1000


class QuestionList(QListWidget):
    """A row for each page: its name, and the question that it answers or the answer.

    Signals:
        page_chosen: The name of a page.
    """

    page_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._pages: dict[str, tuple[Page, QListWidgetItem, QLabel, QWidget]] = {}
        self.setAccessibleName(tr("What can be measured"))
        self.setProperty("role", "questions")  # framed while it has the keyboard
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.currentItemChanged.connect(self._on_self_current_item_changed)

    def add_page(self, name: str, page: Page) -> None:
        """Add a row."""
        item, row, second = QListWidgetItem(self), QWidget(), make_label(role="muted", wraps=True)
        second.setTextFormat(Qt.TextFormat.PlainText)
        column = QVBoxLayout(row)
        column.setContentsMargins(10, 6, 8, 6)
        column.setSpacing(1)
        column.addWidget(make_label(f"<b>{escape_html(tr(page.title))}</b>", wraps=True))
        column.addWidget(second)
        item.setData(Qt.ItemDataRole.UserRole, name)
        self._pages[name] = page, item, second, row
        self.setItemWidget(item, row)
        self.set_answer(name, "")

    def set_answer(self, name: str, answer: str) -> None:
        """Show an answer in place of a page's question; empty shows the question."""
        page, item, second, _ = self._pages[name]
        told = answer or tr(page.answers)
        if second.text() != told:
            second.setText(told)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, tr_named(tr(page.title), told))
            self._fit()

    def mark(self, name: str) -> None:
        """Mark the row of the page that is shown."""
        self.setCurrentItem(self._pages[name][1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            for page, item, second, _ in self._pages.values():
                told = tr_named(tr(page.title), second.text())
                item.setData(Qt.ItemDataRole.AccessibleTextRole, told)
        if event.type() in RESIZING:
            QTimer.singleShot(0, self, self._fit)

    def _fit(self) -> None:
        width = max(self.viewport().width(), 120)
        for _, item, _, row in self._pages.values():
            item.setSizeHint(QSize(width, row.heightForWidth(width - _ITEM_PX) + _ITEM_PX))

    def _on_self_current_item_changed(self, item: QListWidgetItem | None, _before: object) -> None:
        if item is not None:
            self.page_chosen.emit(item.data(Qt.ItemDataRole.UserRole))


class Places(QStackedWidget):
    """Shows one place at a time. A page is made when it is first shown or asked for.

    Args:
        views: The panes, above the drawer.

    Attributes:
        drawer_share: The part of the height that the drawer takes when it opens, from 0 to 1.

    Signals:
        turned: Another place or page is shown.
        drawer_opened: It takes room from the views.
        keyboard_left: The views are to have the keyboard, which the drawer had or another place.
        drawer_dragged: A person gave it another part of the height, from 0 to 1.
    """

    turned = Signal()
    drawer_opened = Signal()
    keyboard_left = Signal()
    drawer_dragged = Signal(float)

    def __init__(self, views: QWidget) -> None:
        super().__init__()
        self._known: dict[str, tuple[Page, Callable[[], QWidget]]] = {}
        self._made: dict[str, QWidget] = {}
        self.row, self.questions = PlaceRow(), QuestionList()
        self._stacks = {
            place: PageStack("drawer" if place is Place.PROGRAM else "pages") for place in Place
        }
        self.drawer = self._stacks[Place.PROGRAM]
        self.drawer.needs_changed.connect(self._on_drawer_needs_changed)
        self._split = make_splitter(Qt.Orientation.Vertical, views, self.drawer)
        self.drawer_share = _DRAWER_SHARE
        self._split.splitterMoved.connect(self._on_split_moved)
        self.drawer.hide()
        self.addWidget(self._split)
        measure = make_splitter(
            Qt.Orientation.Horizontal, self.questions, self._stacks[Place.MEASURE]
        )
        measure.setSizes([_LIST_PX, 3 * _LIST_PX])
        measure.setStretchFactor(1, 1)
        self.addWidget(measure)
        # The pages of *Compare* are about the same two calls: a tab each.
        self.sides = QTabBar(expanding=False)
        self.sides.setAccessibleName(tr("What is compared"))
        self.sides.currentChanged.connect(self._on_sides_current_changed)
        compare, pages = QWidget(), self._stacks[Place.COMPARE]
        fill_box(QVBoxLayout(compare), self.sides, (pages, 1), margins=(0, 0, 0, 0), spacing=0)
        self.addWidget(compare)
        self.row.place_chosen.connect(self.show_place)
        self.row.page_chosen.connect(self.toggle_page)
        self.questions.page_chosen.connect(self.show_page)
        self.row.show_where(Place.PROGRAM, "")

    # --- pages ---

    def add_page(self, name: str, page: Page, make: Callable[[], QWidget]) -> None:
        """Add a page, behind those of its place that are there.

        Args:
            name: By which it is asked for.
            page: What it is.
            make: Makes it, when it is first shown or asked for.
        """
        self._known[name] = page, make
        if page.place is Place.PROGRAM:
            self.row.add_name(name, page)
        elif page.place is Place.MEASURE:
            with_signals = self.questions.blockSignals(True)
            self.questions.add_page(name, page)
            self.questions.blockSignals(with_signals)
        else:
            with_signals = self.sides.blockSignals(True)
            self.sides.setTabData(self.sides.addTab(tr(page.answers)), name)
            self.sides.blockSignals(with_signals)

    def __getitem__(self, name: str) -> QWidget:
        """The page of a name, made if it was not yet."""
        if name not in self._made:
            page, make = self._known[name]
            self._made[name] = widget = make()
            self._stacks[page.place].pages.addWidget(widget)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def page_of(self, name: str) -> Page:
        """The registered page of that name."""
        return self._known[name][0]

    @property
    def made(self) -> frozenset[str]:
        """Names of the pages that were made."""
        return frozenset(self._made)

    def set_count(self, name: str, count: int) -> None:
        """Say behind a page's name how much there is in it."""
        if name not in self._known:
            return
        button, page = self.row.names[name], self.page_of(name)
        button.setText(f"{tr(page.title)} ({count})" if count else tr(page.title))
        self.row.set_named(name, is_named=page.is_always_named or count > 0)

    def set_answer(self, name: str, answer: str) -> None:
        """Show an answer in place of the question of a page; empty shows the question."""
        if name in self._known:
            self.questions.set_answer(name, answer)

    # --- where the window is ---

    @property
    def place(self) -> Place:
        """The place that is shown."""
        return list(Place)[self.currentIndex()]

    @property
    def current(self) -> str:
        """The name of the page that is shown; empty where only the views are."""
        if self.place is Place.PROGRAM and self.drawer.isHidden():
            return ""
        shown = self._stacks[self.place].pages.currentWidget()
        return next((name for name, page in self._made.items() if page is shown), "")

    def show_place(self, place: Place) -> None:
        """Show a place, with the page that it had, or its first."""
        if place is not Place.PROGRAM and self._stacks[place].pages.count() == 0:
            pages = (name for name, (page, _) in self._known.items() if page.place is place)
            if (first := next(pages, None)) is not None:
                self.show_page(first)
                return
        self._turn_to(place)
        self._tell()

    def _turn_to(self, place: Place) -> None:
        """Show a place; to the views the keyboard comes back where it was."""
        widget, before = QApplication.focusWidget(), self.currentWidget()
        has_keyboard = widget is not None and before is not None and before.isAncestorOf(widget)
        is_other = place is not self.place
        if is_other and has_keyboard and widget is not None:
            widget.clearFocus()  # else Qt would give it to the first view, which became active
        self.setCurrentIndex(list(Place).index(place))
        if is_other and has_keyboard and place is Place.PROGRAM:
            self.keyboard_left.emit()
        elif is_other and has_keyboard:  # once it is known which page is shown
            QTimer.singleShot(0, self, self._take_lost_keyboard)

    def _take_lost_keyboard(self) -> None:
        if QApplication.focusWidget() is None:
            self.go_to(self.place)

    def go_to(self, place: Place) -> None:
        """Show a place, and give it the keyboard."""
        self.show_place(place)
        if place is Place.PROGRAM:
            self.keyboard_left.emit()
        elif place is Place.MEASURE:
            self.questions.setFocus()
        elif (page := self._stacks[place].pages.currentWidget()) is not None:
            self._enter(page)

    def _enter(self, page: QWidget) -> None:
        """Give a page the keyboard: where it begins, else what can be used of it, else its place's
        name.
        """
        start = page.focusProxy() or page
        usable = [stop for stop in list_stops(page) if stop.isEnabled()]
        if start is page and usable and page.focusPolicy() == Qt.FocusPolicy.NoFocus:
            rows = (stop for stop in usable if isinstance(stop, QAbstractItemView))
            start = next(rows, usable[0])  # arrow keys go through its rows
        stops = [start] if start.isEnabled() else list(usable)
        first = stops[0] if stops else self.row.places[self.place]
        first.setFocus(Qt.FocusReason.TabFocusReason)

    def show_page(self, name: str) -> None:
        """Show a page in its place."""
        widget, place = self[name], self.page_of(name).place
        self._stacks[place].pages.setCurrentWidget(widget)
        if place is Place.PROGRAM and self.drawer.isHidden():
            self.drawer.show()
            self._give_share()
            self.drawer_opened.emit()
        elif place is Place.PROGRAM and widget.maximumHeight() != self.drawer.maximumHeight():
            self._give_share()
        elif place is Place.MEASURE:
            self.questions.mark(name)
        elif place is Place.COMPARE:
            names = [self.sides.tabData(index) for index in range(self.sides.count())]
            self.sides.setCurrentIndex(names.index(name))
        self._turn_to(place)
        self._tell()

    def _on_sides_current_changed(self, index: int) -> None:
        name = self.sides.tabData(index)
        if name != self.current:
            self.show_page(name)

    def go_to_page(self, name: str) -> None:
        """Show a page, which has the keyboard then; of an experiment the button that starts it."""
        self.show_page(name)
        place = self.page_of(name).place
        if place in (Place.COMPARE, Place.PROGRAM):
            self._enter(self[name])
        if place is not Place.MEASURE:
            return
        start = self[name].focusProxy()
        if start is not None and start.isEnabled():
            start.setFocus()
        else:
            self.questions.setFocus()

    def toggle_page(self, name: str) -> None:
        """Show a page, or close the drawer where it shows that page."""
        if self.current == name:
            self.close_drawer()
        else:
            self.show_page(name)

    def _give_share(self) -> None:
        """Let the drawer take its part of the height, or what its page needs if that is less."""
        page = self.drawer.pages.currentWidget()
        self.drawer.setMaximumHeight(ANY_PX if page is None else page.maximumHeight())
        share = self.drawer_share
        self._split.setSizes([round(_HEIGHTS * (1 - share)), round(_HEIGHTS * share)])

    def _on_drawer_needs_changed(self) -> None:
        """A page that has little to say yet, and then more, changes how high it may be."""
        page = self.drawer.pages.currentWidget()
        if page is not None and page.maximumHeight() != self.drawer.maximumHeight():
            self._give_share()

    def _on_split_moved(self, _place: int, _index: int) -> None:
        views, drawer = self._split.sizes()
        if drawer and self.drawer.maximumHeight() == ANY_PX:
            self.drawer_share = drawer / (views + drawer)
            self.drawer_dragged.emit(self.drawer_share)

    def close_drawer(self) -> bool:
        """Close the drawer; False where none is seen."""
        if self.place is not Place.PROGRAM or self.drawer.isHidden():
            return False
        widget = QApplication.focusWidget()
        had_keyboard = widget is not None and self.drawer.isAncestorOf(widget)
        if had_keyboard and widget is not None:
            widget.clearFocus()  # else Qt would give it to another view, which became active
        self.drawer.hide()
        self._tell()
        if had_keyboard:
            self.keyboard_left.emit()
        return True

    def toggle_drawer(self, _is_on: bool = False) -> None:
        """Close the drawer, or open it with the page that it showed last."""
        if self.close_drawer():
            return
        last = self.drawer.pages.currentWidget()
        made = (name for name, page in self._made.items() if page is last)
        first = next(name for name in self._known if self.page_of(name).place is Place.PROGRAM)
        self.show_page(next(made, first))

    def turn_page(self, step: int) -> None:
        """Show the next page or the one before, in the order of the places; the views are one."""
        order = sorted(self._known, key=lambda name: list(Place).index(self.page_of(name).place))
        turn = ["", *order]
        name = turn[(turn.index(self.current) + step) % len(turn)]
        if name:
            self.show_page(name)
        else:
            self.show_place(Place.PROGRAM)
            self.close_drawer()

    def _tell(self) -> None:
        self.row.show_where(self.place, self.current)
        self.turned.emit()
