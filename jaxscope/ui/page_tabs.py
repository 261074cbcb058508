"""The pages of the window: tabs in one order, and a menu for those that find no room."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, QTimer
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QMenu, QTabBar, QTabWidget, QToolButton, QWidget

_ORDER = (
    "Stages",
    "Timing",
    "Experiments",
    "Compare",
    "Passes",
    "Fusions",
    "Memory",
    "Devices",
    "Arguments",
    "Notes",
    "Output",
    "Bookmarks",
)
"""First the pictures, then time, then what XLA did, then what went in and came out."""
_GAP_PX = 2
_LEAST_PX = 120


class _Bar(QTabBar):
    """Tells how wide a tab is, and asks its window for little room."""

    def width_of(self, index: int) -> int:
        return self.tabSizeHint(index).width()

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_PX, super().minimumSizeHint().height())


class PageTabs(QTabWidget):
    """Tabs that never hide behind arrows.

    Those that find no room are in the menu *More* behind the last; the present page always has
    its tab. Keys that turn pages go through all of them, shown or not.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Pages")
        self._bar = _Bar()
        self._bar.setDrawBase(False)
        self.setTabBar(self._bar)
        self.more = QToolButton(self)
        self.more.setText("More ▾")
        self.more.setProperty("role", "more")
        self.more.setToolTip("Pages that find no room here")
        self.more.setAccessibleName("More pages")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self.more)
        self._menu.aboutToShow.connect(self._fill_menu)
        self._menu.triggered.connect(self._on_menu_triggered)
        self.more.setMenu(self._menu)
        self.more.hide()
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self.fit)
        self.currentChanged.connect(self.fit)

    def add_page(self, page: QWidget, title: str) -> None:
        """Give a page its tab, at its place among the others."""
        rank = _rank(title)
        before = sum(_rank(self.tabText(index)) <= rank for index in range(self.count()))
        self.insertTab(before, page, title)
        self.fit()

    def set_title(self, page: QWidget, title: str) -> None:
        """Name a page's tab, such as with a count behind its name."""
        index = self.indexOf(page)
        if index >= 0 and self.tabText(index) != title:
            self.setTabText(index, title)
            self.fit()

    def setCurrentIndex(self, index: int) -> None:
        if 0 <= index < self.count():
            self.setTabVisible(index, True)
        super().setCurrentIndex(index)

    def setCurrentWidget(self, page: QWidget) -> None:
        self.setCurrentIndex(self.indexOf(page))

    def hidden_titles(self) -> tuple[str, ...]:
        """What is in the menu, in order."""
        return tuple(self.tabText(i) for i in range(self.count()) if not self.isTabVisible(i))

    def fit(self) -> None:
        """Show as many tabs as there is room for."""
        widths = [self._bar.width_of(index) for index in range(self.count())]
        shown = set(range(len(widths)))
        if sum(widths) > self.width():
            room = self.width() - self.more.sizeHint().width() - _GAP_PX
            shown = choose_shown(widths, self.currentIndex(), room)
        for index in range(len(widths)):
            if self.isTabVisible(index) != (index in shown):
                self.setTabVisible(index, index in shown)
        self.more.setVisible(len(shown) < len(widths))
        size = self.more.sizeHint()
        right = sum(widths[index] for index in shown)
        self.more.setGeometry(right + _GAP_PX, 0, size.width(), size.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._later.start()  # the tabs are dressed after this

    def _fill_menu(self) -> None:
        self._menu.clear()
        for index in range(self.count()):
            if not self.isTabVisible(index):
                self._menu.addAction(self.tabText(index)).setData(index)

    def _on_menu_triggered(self, action: QAction) -> None:
        self.setCurrentIndex(action.data())
        self._bar.setFocus()


def choose_shown(widths: list[int], present: int, room: int) -> set[int]:
    """The first tabs that fit beside the present one, and that one."""
    shown = {present}
    room -= widths[present]
    for index, width in enumerate(widths):
        if index != present:
            if width > room:
                break
            shown.add(index)
            room -= width
    return shown


def _rank(title: str) -> int:
    name = title.partition(" (")[0]
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)
