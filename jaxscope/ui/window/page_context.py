"""What a page is, and what it may use of the window that it is added to.

A page is one module of `jaxscope.ui.pages` with `make_page`, and its entry in `PAGES` there. Pages
know neither the window's class nor each other.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QMainWindow, QWidget

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture
from jaxscope.picture.tint.classes import ColourBy
from jaxscope.ui.panes.pane_area import PaneArea
from jaxscope.ui.selection.capture_facts import FateReader, FusionReader
from jaxscope.ui.selection.inspector import Inspector
from jaxscope.ui.selection.selection import Bookmarks, SelectionModel
from jaxscope.ui.selection.tracing import TracingRun
from jaxscope.ui.session.controller import Controller
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.source.source_lines import SourceLines
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.theme import Theme, ThemeSwitch
from jaxscope.ui.toolkit.widgets import break_long_words, make_label
from jaxscope.ui.window.commands import Commands


@dataclass(frozen=True, slots=True)
class PageContext:
    """Parts of one window.

    Attributes:
        window: The parent of dialogs and of what lives as long as the window.
        controller: Has the state, and starts runs and experiments.
        selection: What is selected.
        bookmarks: What is marked in the capture that is shown.
        tracing: The lines that ran while the call was traced, where that is gone through.
        fates: Of the capture that is shown.
        fusions: Of the capture that is shown.
        inspector: A page may add what it knows of the selected thing, and follow links to passes.
        area: The panes; `area.stage_changed` says which stage the active one is for.
        lines: The lines of the user's files.
        themes: The theme and the size of type.
        commands: The commands of the menus; a page connects those that it owns.
        ask_page: Has a page, by the name of its module, do something: a method, and what it takes.
        show_page: Shows a page, by the name of its module.
        show_stage: Brings a stage, by its name, into a pane.
        show_line: Shows and selects a line of a file as it ran.
        show_present_line: Shows a line of a file as it is, and selects what it was when it ran.
        colour_graphs: Shows the graphs, coloured by something.
        show_message: Says something in the status bar for a while.
        set_stage_hint: Says more of a stage in the pipeline strip: the stage's name and the text.
        ask_where: Makes a dialog that asks where to write a file; see `FileDialogs.ask_where`.
    """

    window: QMainWindow
    controller: Controller
    selection: SelectionModel
    bookmarks: Bookmarks
    tracing: TracingRun
    fates: FateReader
    fusions: FusionReader
    inspector: Inspector
    area: PaneArea
    lines: SourceLines
    themes: ThemeSwitch
    commands: Commands
    ask_page: Callable[[str, str, object], None]
    show_page: Callable[[str], None]
    show_stage: Callable[[str], None]
    show_line: Callable[[str, int], None]
    show_present_line: Callable[[str, int], None]
    colour_graphs: Callable[[ColourBy], None]
    show_message: Callable[[str], None]
    set_stage_hint: Callable[[str, str], None]
    ask_where: Callable[[str, str, str], QFileDialog]


class PageWidget(QWidget):
    """The base of pages that follow the window's state and theme.

    The methods are called once the page was made, and again after every change.

    Attributes:
        old_mark: Says above the page that what it shows is of an earlier run.
    """

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._is_theme_due = False
        self.old_mark = make_label(role="badge", wraps=True)
        self.old_mark.setTextFormat(Qt.TextFormat.PlainText)
        self.old_mark.hide()

    def show_state(self, state: WindowState) -> None:
        """Show what the state has for this page."""

    def old_call(self, state: WindowState) -> str:
        """The call that what is shown is of, where that is of an earlier run; else empty."""
        return ""

    def ask_export(self) -> bool:
        """Ask where to export what the page shows; whether it has anything of its own."""
        return False

    def _mark_old(self, state: WindowState) -> None:
        call = self.old_call(state)
        told = tr("Of an earlier run: {old_call}", old_call=call) if call else ""
        self.old_mark.setText(break_long_words(told, is_html=False))
        self.old_mark.setVisible(bool(call))

    def set_theme(self, theme: Theme) -> None:
        """Use a theme's colours; the size of type is that of `PageContext.themes`."""

    def showEvent(self, event: QShowEvent) -> None:
        if self._is_theme_due:
            self._on_themes_changed(self._context.themes.theme)
        super().showEvent(event)

    def _on_themes_changed(self, theme: Theme) -> None:
        """Take the theme's colours; out of sight, when next shown: plots are drawn anew."""
        self._is_theme_due = not self.isVisible()
        if not self._is_theme_due:
            self.set_theme(theme)

    def renew_texts(self) -> None:
        """Make texts anew that `language.renew` cannot find, such as those of rows."""

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.renew_texts()
            self._mark_old(self._context.controller.state)

    def start(self) -> None:
        """Show theme and state, and follow them from now on."""
        themes, controller = self._context.themes, self._context.controller
        self.set_theme(themes.theme)
        self.show_state(controller.state)
        if (layout := self.layout()) is not None:
            layout.setMenuBar(self.old_mark)
        self._mark_old(controller.state)
        themes.changed.connect(self._on_themes_changed)
        for follow in (self.show_state, self._mark_old):
            controller.state_changed.connect(follow)


class CapturePage(PageWidget):
    """The base of pages that show the last complete capture, also while another is made."""

    _capture_shown: Capture | None = None

    def old_call(self, state: WindowState) -> str:
        shown = self._capture_shown
        is_old = shown is not None and (state.is_old or shown is not state.capture)
        return shown.call if shown is not None and is_old else ""

    def _mark_old(self, state: WindowState) -> None:
        before = self._capture_shown if state.is_running else None
        self._capture_shown = state.capture or before
        super()._mark_old(state)
