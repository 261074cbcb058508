"""`PageContext`: what a page of `jaxscope.ui.pages` may use of the window that it is added to.

A page is one file with a function `add(context)`, and its name in `PAGES` of
`jaxscope.ui.application`. Pages know neither the window's class nor each other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMainWindow, QMenu, QTabWidget, QWidget

from jaxscope.ui.selection.capture_facts import FateReader, FusionReader
from jaxscope.ui.selection.inspector import Inspector
from jaxscope.ui.selection.selection import SelectionModel
from jaxscope.ui.session.controller import Controller
from jaxscope.ui.toolkit.theme import ThemeSwitch
from jaxscope.ui.toolkit.widgets import find_menu, insert_menu
from jaxscope.ui.window.workspace import PageTabs


@dataclasses.dataclass(frozen=True, slots=True)
class PageContext:
    """Parts of one window.

    Attributes:
        window: The parent of dialogs and of what lives as long as the window.
        controller: Has the state, and starts runs and experiments.
        selection: What is selected.
        fates: Of the capture that is shown.
        fusions: Of the capture that is shown.
        inspector: A page may add what it knows of the selected thing, and follow links to passes.
        themes: The theme and the size of type; `changed` is emitted with another one.
        tabs: The pages of the window.
        experiments: The pages inside of the page *Experiments*.
        show_message: Says something in the status bar for a while.
        set_stage_hint: Says more of a stage in the pipeline strip: the stage's name and the text.
        ask_where: Makes a dialog that asks where to write a file; see `FileDialogs.ask_where`.
    """

    window: QMainWindow
    controller: Controller
    selection: SelectionModel
    fates: FateReader
    fusions: FusionReader
    inspector: Inspector
    themes: ThemeSwitch
    tabs: PageTabs
    experiments: QTabWidget
    show_message: Callable[[str], None]
    set_stage_hint: Callable[[str, str], None]
    ask_where: Callable[[str, str, str], QFileDialog]

    def add_page(self, page: QWidget, title: str) -> None:
        """Give a page its tab; its place is that of its title in the order of all pages."""
        self.tabs.add_page(page, title)

    def add_experiment(self, page: QWidget, title: str) -> None:
        """Give a page its tab inside of the page *Experiments*."""
        self.experiments.addTab(page, title)

    def show_page(self, page: QWidget) -> None:
        """Turn to a page that was added by `add_page`."""
        self.tabs.setCurrentWidget(page)

    def add_menu(self, menu: QMenu) -> None:
        """Put a menu into the menu bar, before *Help*."""
        insert_menu(self.window.menuBar(), menu, before=("Help",))

    def add_action(self, menu: str, action: QAction) -> None:
        """Append a command to the menu of a title."""
        found = find_menu(self.window.menuBar(), menu)
        if found is not None:
            found.addAction(action)
