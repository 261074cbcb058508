"""What is out of sight waits for its part of a new theme or size of type."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtWidgets import QApplication, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from jaxscope.ui.toolkit.theme import DARK, LIGHT, Theme
from jaxscope.ui.toolkit.widgets import PageStack
from jaxscope.ui.window.page_context import PageWidget
from tests.window.conftest import Driver


class Told(QObject):
    """Counts the widgets that are told of a new style."""

    def __init__(self) -> None:
        super().__init__()
        self.widgets = Counter[bool]()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.StyleChange and isinstance(watched, QWidget):
            self.widgets[watched.isVisible()] += 1
        return False


def test_only_what_is_seen_is_dressed_at_once(driver: Driver, source: Path) -> None:
    driver.open(source)
    pages, themes = driver.window.pages, driver.window._themes
    for name in ("memory", "fusions", "notes", "timing", "roofline"):
        pages.show_page(name)
    pages.show_page("timing")
    driver.wait_until(lambda: themes.is_done)
    told = Told()
    QApplication.instance().installEventFilter(told)
    themes.set_points(15.0)
    QApplication.instance().removeEventFilter(told)
    unseen = [each for each in QApplication.allWidgets() if not each.isVisible()]
    assert told.widgets[True] > 10
    assert told.widgets[False] < 0.3 * len(unseen)
    tabs = pages["memory"].findChild(QTabBar)
    driver.wait_until(lambda: themes.is_done)
    assert tabs.font().pointSizeF() == 15.0
    themes.set_points(12.0)
    driver.wait_until(lambda: themes.is_done)
    assert tabs.font().pointSizeF() == 12.0


def test_all_looks_as_the_theme_says_in_the_end(driver: Driver, source: Path) -> None:
    driver.open(source)
    pages, themes = driver.window.pages, driver.window._themes
    for name in ("memory", "notes", "stepping", "versus"):
        pages.show_page(name)

    def colours() -> Counter[str]:
        driver.wait_until(lambda: themes.is_done)
        found = (each for page in map(pages.__getitem__, pages.made) for each in parts(page))
        return Counter(each.palette().text().color().name() for each in found)

    def parts(page: QWidget) -> list[QWidget]:
        return [page, *page.findChildren(QWidget)]

    themes.set_theme(LIGHT)
    light = colours()
    themes.set_theme(DARK)
    dark = colours()
    assert sorted(light.values()) == sorted(dark.values())
    assert not light.keys() & dark.keys()
    themes.set_theme(LIGHT)
    assert colours() == light


def test_a_page_out_of_sight_is_drawn_anew_when_it_is_shown(
    driver: Driver, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.open(source)
    pages, themes = driver.window.pages, driver.window._themes
    for name in ("notes", "memory"):
        pages.show_page(name)
    drawn: list[tuple[str, str]] = []

    def note(page: PageWidget, theme: Theme) -> None:
        drawn.append((type(page).__name__, theme.name))

    for name in ("notes", "memory"):
        monkeypatch.setattr(type(pages[name]), "set_theme", note)
    themes.set_theme(DARK)
    themes.set_theme(LIGHT)
    assert drawn == [("MemoryPage", "dark"), ("MemoryPage", "light")]
    drawn.clear()
    pages.show_page("notes")
    assert drawn == [("NotesPage", "light")]
    pages.show_page("memory")
    pages.show_page("notes")
    assert drawn == [("NotesPage", "light")]


def test_a_stack_asks_no_page_but_the_one_that_it_shows(qtbot: QtBot) -> None:
    asked: list[str] = []

    class Page(QWidget):
        def sizeHint(self) -> QSize:
            asked.append(self.objectName())
            return QSize(30, 20)

    stack = PageStack("drawer")
    qtbot.addWidget(stack)
    for name in ("first", "second"):
        page = Page()
        page.setObjectName(name)
        stack.pages.addWidget(page)
    asked.clear()
    assert stack.sizeHint() == QSize(30, 20)
    assert asked == ["first"]
