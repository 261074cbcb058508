"""The pages' tabs: one order, nothing behind arrows, everything within reach of the keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabBar, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from jaxscope.ui.toolkit.widgets import ChoiceBox
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.workspace import PageTabs, choose_shown

ORDER = ("Stages", "Timing", "Compare", "Memory", "Arguments", "Notes", "Output")


def add(tabs: PageTabs, title: str) -> None:
    tabs.add_page(QWidget(), title, ORDER.index(title))


@pytest.fixture
def tabs(qtbot: QtBot) -> PageTabs:
    tabs = PageTabs()
    qtbot.addWidget(tabs)
    for title in ("Stages", "Notes", "Output", "Timing", "Memory"):
        add(tabs, title)
    tabs.resize(900, 300)
    tabs.show()
    qtbot.waitExposed(tabs)
    return tabs


def shown_titles(tabs: PageTabs) -> list[str]:
    return [tabs.tabText(i) for i in range(tabs.count()) if tabs.isTabVisible(i)]


def test_pages_stand_in_one_order_whenever_they_come(tabs: PageTabs):
    assert shown_titles(tabs) == ["Stages", "Timing", "Memory", "Notes", "Output"]
    add(tabs, "Compare")
    assert shown_titles(tabs)[1:3] == ["Timing", "Compare"]
    assert not tabs.more.isVisible()


def test_what_finds_no_room_is_in_the_menu(tabs: PageTabs):
    tabs.resize(240, 300)
    assert tabs.more.isVisible()
    assert shown_titles(tabs) + list(tabs.hidden_titles()) == [
        "Stages", "Timing", "Memory", "Notes", "Output",
    ]  # fmt: skip
    assert tabs.hidden_titles()
    bar = tabs.tabBar()
    last = max(bar.tabRect(i).right() for i in range(bar.count()) if bar.isTabVisible(i))
    assert last < tabs.more.geometry().left() < tabs.more.geometry().right() <= tabs.width()
    tabs.resize(900, 300)
    assert not tabs.more.isVisible()
    assert not tabs.hidden_titles()


def test_the_present_page_always_has_its_tab(tabs: PageTabs):
    tabs.resize(240, 300)
    for index in range(tabs.count()):
        tabs.setCurrentIndex(index)
        assert tabs.currentIndex() == index
        assert tabs.isTabVisible(index)
        assert tabs.hidden_titles()


def test_the_menu_is_named_and_opens_from_the_keyboard(tabs: PageTabs, qtbot: QtBot):
    tabs.resize(240, 300)
    hidden = tabs.hidden_titles()
    assert tabs.more.accessibleName() == "More pages"
    assert tabs.more.focusPolicy() & Qt.FocusPolicy.TabFocus
    menu = tabs.more.menu()
    menu.aboutToShow.emit()
    assert tuple(action.text() for action in menu.actions()) == hidden
    menu.actions()[-1].trigger()
    assert tabs.tabText(tabs.currentIndex()) == hidden[-1]
    assert hidden[-1] not in tabs.hidden_titles()


def test_a_count_behind_a_name_keeps_its_place(tabs: PageTabs):
    notes = tabs.widget(3)
    tabs.set_title(notes, "Notes (3)")
    add(tabs, "Arguments")
    assert shown_titles(tabs)[-3:] == ["Arguments", "Notes (3)", "Output"]


@pytest.mark.parametrize(
    ("present", "room", "shown"),
    [(0, 60, {0, 1, 2, 3, 4, 5}), (0, 30, {0, 1, 2}), (5, 30, {0, 1, 5}), (5, 5, {5})],
)
def test_the_first_that_fit_are_chosen(present: int, room: int, shown: set[int]):
    assert choose_shown([10] * 6, present, room) == shown


def test_a_window_as_wide_as_a_projector_shows_no_arrows(window: MainWindow, qtbot: QtBot):
    for points in (10.0, 16.0):
        window._themes.set_points(points)
        window.resize(1280, 720)
        tabs = window.workspace.tabs
        qtbot.wait(1)  # the tabs are dressed in a new size of type once events are handled
        arrows = window.workspace.tabs.findChild(QTabBar).findChildren(QToolButton)
        assert not any(arrow.isVisible() for arrow in arrows)
        turned = []
        for _ in range(tabs.count()):
            window.turn_page(1)
            turned.append(tabs.currentIndex())
        assert sorted(turned) == list(range(tabs.count()))
        assert tabs.hidden_titles() or points == 10.0
    window._themes.reset_zoom()


def test_rows_of_tabs_and_fields_tell_a_screen_reader_what_they_are(window: MainWindow):
    rows = [window.workspace.tabs, window.pages["experiments"]]
    fields = [box.lineEdit() for box in window.findChildren(ChoiceBox) if box.isEditable()]
    assert fields
    assert [part for part in (*rows, *fields) if part is None or not part.accessibleName()] == []
