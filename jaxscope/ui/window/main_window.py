"""`MainWindow`: puts the parts together, shows state and screen, has the commands as methods."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, QTimer
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QColor,
    QContextMenuEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QScreen,
    QShortcut,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from jaxscope.errors import JaxscopeError, UsageError
from jaxscope.marks import show_marks
from jaxscope.model import Capture, is_available
from jaxscope.model.file_kinds import CAPTURE_ENDINGS, NOTEBOOK_ENDING
from jaxscope.model.lessons import BY_LINES, LESSON_ENDING, Shown, in_language, read_text_lesson
from jaxscope.program.links import Links
from jaxscope.ui.panes.pane_area import no_room
from jaxscope.ui.panes.pane_header import SOURCE
from jaxscope.ui.selection.tracing import TracingRun
from jaxscope.ui.session.controller import Controller, find_first_call
from jaxscope.ui.session.screen import Screen, compute_screen, count_devices, count_notes
from jaxscope.ui.session.source_file import FileWatcher
from jaxscope.ui.session.state import (
    Phase,
    RunKind,
    Trust,
    WindowState,
    expected_stages,
    transforms_of,
)
from jaxscope.ui.toolkit.language import shown_language, tr
from jaxscope.ui.toolkit.theme import Theme, ThemeSwitch
from jaxscope.ui.toolkit.widgets import STILL, FileDialog, MenuButton, list_stops
from jaxscope.ui.window.call_bar import CallBar, CallSteps
from jaxscope.ui.window.commands import WORDS, Commands
from jaxscope.ui.window.error_panel import UNKNOWN_TARGET, ErrorPanel
from jaxscope.ui.window.files import FileDialogs
from jaxscope.ui.window.help import HelpCommands, TourStop
from jaxscope.ui.window.lesson_strip import LessonStrip
from jaxscope.ui.window.page_context import PageContext, PageWidget
from jaxscope.ui.window.palette import (
    CommandPalette,
    PaletteEntry,
    list_menu_entries,
    without_state,
)
from jaxscope.ui.window.pipeline_strip import PipelineStrip
from jaxscope.ui.window.places import Page, Place
from jaxscope.ui.window.presentation import PresentationMode
from jaxscope.ui.window.sample_path import find_lessons, find_samples, is_sample
from jaxscope.ui.window.settings import Settings
from jaxscope.ui.window.start_page import StartPage
from jaxscope.ui.window.text_lesson import LessonWalk
from jaxscope.ui.window.trust import TrustedFoldersDialog, TrustQuestion, is_inside
from jaxscope.ui.window.workspace import Workspace

if TYPE_CHECKING:
    from jaxscope.ui.canvas.graph_page import GraphPage
    from jaxscope.ui.window.script_run import ScriptDialog
    from jaxscope.ui.window.trial import Trial


_PRESSING = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_BETWEEN_MS = 10
_FIRST_SHARE = 0.85
"""Between pages that are made unseen, so that the window answers meanwhile."""

_TICK_MS = 500
"""How often the seconds of a run are looked at."""

_MESSAGE_MS = 6_000
_OF_CALL = (
    "Everything is about one call. Type another one and press Enter, or choose a function of the "
    "file at the left. + transform puts grad, vmap and others around it."
)
_OF_STAGES = (
    "From your source to the machine code: each stage is made of the one before. A click shows it "
    "in a view; at the end stands how long the call takes, eager and compiled."
)
_OF_SOURCE = (
    "Click a line: what came of it lights up in every stage, and below stands what became of it. "
    "The margin says what share of the work a line has."
)
_OF_PROGRAM = (
    "A box is an equation, an arrow a value. A double click opens a group, the wheel zooms, and a "
    "click leads back to the line that it came from."
)
_OF_PAGES = (
    "Here is a list of pages about the same call, such as its memory or its fusions; a click on "
    "the name of the page that is open closes it. Measure and Compare are places of their own. "
    "Ctrl+K finds every command, page and sample by a few letters."
)
_TINT_ALPHA = 40
"""Of 255: the names of transforms stay legible below their tint."""


class MainWindow(QMainWindow):
    """Assembles the parts; its public methods are the commands of `commands.py`.

    Args:
        make_graph: Makes a graph view; called when the first graph is to be shown.
        late_panes: There are no panes before `workspace.area.make_panes` is called.

    Attributes:
        pages: By the names of their modules; one that is asked for is made.
    """

    def __init__(
        self,
        controller: Controller,
        themes: ThemeSwitch,
        settings: Settings,
        make_graph: Callable[[], GraphPage],
        *,
        late_panes: bool = False,
    ) -> None:
        super().__init__()
        self.controller = controller
        self._themes, self._settings = themes, settings
        self.screen_shown: Screen | None = None
        self._state_shown: WindowState | None = None
        self.commands = Commands(self)
        self.menu_button = MenuButton(self.commands.root)
        self.trial: Trial | None = None
        self._scripts: list[ScriptDialog] = []
        self.call_bar, self.strip = CallBar(), PipelineStrip()
        self._call_steps = CallSteps()
        self.error_panel = ErrorPanel()
        self.workspace = Workspace(make_graph, late_panes=late_panes)
        self._chosen_before = self.workspace.selection.places
        self.tracing = TracingRun(controller, self.workspace.selection, self)
        self.pages, self.row = self.workspace.places, self.workspace.places.row
        samples = find_samples()
        self.start_page = StartPage(samples)
        self.walk = LessonWalk(self)
        self.lesson = LessonStrip(samples, self.walk)
        self.files = FileDialogs(self, controller, self.workspace, settings, self.walk)
        around = (
            *(self.strip, self.workspace.inspector, self.lesson, self.menu_button, self.row),
            self.pages.drawer,
        )
        self.presenting = PresentationMode(
            self, controller, around, self.call_bar, self.workspace, themes, self.walk, self.tracing
        )
        self.trust_question = TrustQuestion()
        self._notice, self._notice_text = QFrame(), QLabel()
        self._body = QStackedWidget()
        self._watcher = FileWatcher(self)
        self._tick = QTimer(self, interval=_TICK_MS)
        self._lesson_of = self._stage_due = self._draft = ""
        self._is_call_chosen = False
        self._head_noted: Capture | None = None
        self._made_of: list[str] = []
        self._has_lesson = False
        self._is_tracing_due = False
        self.help = HelpCommands(self, self._tour_stops)
        self._unseen = QTimer(self, interval=_BETWEEN_MS)
        self._palette = CommandPalette(self)
        self._build()
        for owner, target in (
            ("window", self),
            ("workspace", self.workspace),
            ("places", self.pages),
            ("area", self.workspace.area),
            ("files", self.files),
            ("call_bar", self.call_bar),
            ("controller", controller),
            ("help", self.help),
        ):
            self.commands.connect_owner(owner, target)
        self._connect()
        self._on_themes_changed(themes.theme)
        self.setProperty(STILL, not settings.is_animated)
        self.commands.actions["set_animated"].setChecked(settings.is_animated)
        if settings.drawer_share:
            self.pages.drawer_share = settings.drawer_share
        self._show_recent()
        self.call_bar.edit.set_history(settings.calls, settings.calls_with_files)
        self._refresh()

    def _build(self) -> None:
        self.setWindowTitle("jaxscope")
        self.setAcceptDrops(True)
        self.resize(first_size(self.screen()))
        self._notice.setProperty("role", "notice")
        notice = QHBoxLayout(self._notice)
        notice.setContentsMargins(12, 6, 12, 6)
        self._notice_text.setWordWrap(True)
        notice.addWidget(self._notice_text)
        self._notice.hide()
        self.menu_button.setText("☰")
        self.menu_button.setProperty("role", "more")
        self.menu_button.setToolTip(tr("All menus (F10)"))
        self.menu_button.setAccessibleName(tr("Menus"))
        bar = QHBoxLayout()
        bar.setContentsMargins(6, 4, 8, 4)
        bar.setSpacing(2)
        bar.addWidget(self.menu_button, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        bar.addWidget(self.call_bar, 1)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.strip, self.trust_question, self._notice):
            column.addWidget(part)
        column.addWidget(self.workspace, 1)
        self._body.addWidget(self.start_page)
        self._body.addWidget(body)
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self.error_panel)
        column.addWidget(self._body, 1)
        column.addWidget(self.presenting.caption)
        column.addWidget(self.row)
        self._column = column
        self.setCentralWidget(whole)
        self.workspace.set_lesson(self.lesson, lambda: self.presenting.has_beside(self.lesson))

    def _connect(self) -> None:
        self.controller.state_changed.connect(self._on_controller_state_changed)
        self.controller.call_proposed.connect(self._on_controller_call_proposed)
        self.call_bar.run_requested.connect(self.run_call)
        self.call_bar.stop_requested.connect(self.stop_run)
        self.call_bar.skip_requested.connect(self.controller.skip)
        self.call_bar.edit.textChanged.connect(self._on_call_bar_edited)
        self.call_bar.target.currentTextChanged.connect(self._on_call_bar_edited)
        self.strip.step_chosen.connect(self._on_strip_step_chosen)
        self.strip.looked_at.connect(self.workspace.read_hint)
        self.strip.step_requested.connect(self._on_strip_step_requested)
        self.strip.time_requested.connect(self._on_strip_time_requested)
        self.error_panel.place_requested.connect(self.workspace.show_present_line)
        self.error_panel.call_requested.connect(self._on_error_panel_call_requested)
        self.error_panel.part_requested.connect(self.call_bar.edit.select_part)
        self.error_panel.typing_requested.connect(self._on_error_panel_typing_requested)
        self.error_panel.opening_requested.connect(self.files.ask_open)
        self.error_panel.run_requested.connect(self.run_call)
        self.error_panel.script_requested.connect(self._on_error_panel_script_requested)
        self.error_panel.target_requested.connect(self._on_error_panel_target_requested)
        self.error_panel.dismissed.connect(self.controller.dismiss_error)
        self.call_bar.functions.call_chosen.connect(self._on_functions_call_chosen)
        self.call_bar.functions.function_chosen.connect(self.controller.propose)
        self.call_bar.functions.file_chosen.connect(self._open_chosen)
        self.call_bar.functions.samples_requested.connect(self.controller.close_file)
        self.workspace.area.panes_changed.connect(self._refresh)
        self.workspace.area.shown_changed.connect(self._refresh)
        self.workspace.selection.changed.connect(self._on_selection_changed)
        self.workspace.form_refused.connect(self.show_message)
        self.workspace.bookmarks.changed.connect(self._on_bookmarks_changed)
        self.start_page.file_chosen.connect(self._open_chosen)
        self.start_page.open_requested.connect(self.files.ask_open)
        self.start_page.paste_requested.connect(self.paste_code)
        self.walk.shown_changed.connect(self._on_walk_shown_changed)
        self.lesson.call_chosen.connect(self._on_functions_call_chosen)
        self.lesson.file_chosen.connect(self._open_chosen)
        self.lesson.all_requested.connect(self.controller.close_file)
        self.lesson.closed_by_person.connect(self._on_lesson_closed)
        self.workspace.inspector.values_requested.connect(self.look_at_values)
        self.workspace.inspector.guest_requested.connect(self._on_lesson_wanted)
        self.lesson.trial_requested.connect(self._on_lesson_trial_requested)
        self.lesson.gradient_requested.connect(self.run_with_gradient)
        self.commands.menus["View"].aboutToShow.connect(self._mark_what_is_shown)
        recent = QMenu(tr("Open recent"), self)
        recent.aboutToShow.connect(self._fill_recent)
        recent.triggered.connect(self._on_recent_triggered)
        self.commands.menus["File"].insertMenu(self.commands.actions["close_file"], recent)
        self._recent_menu = recent
        self.files.path_chosen.connect(self._open_chosen)
        self.trust_question.answered.connect(self._on_trust_question_answered)
        self.controller.times_laid.connect(lambda: self.pages.show_page("profile"))
        self.files.path_used.connect(self._on_files_path_used)
        self.files.capture_opened.connect(self._on_files_capture_opened)
        self.files.message_changed.connect(self.show_message)
        self.files.export_begun.connect(self._on_files_export_begun)
        self.pages.drawer_dragged.connect(self._settings.set_drawer_share)
        self._watcher.file_changed.connect(self.controller.note_file_changed)
        self._watcher.other_changed.connect(self.controller.note_other_changed)
        self._themes.changed.connect(self._on_themes_changed)
        self._tick.timeout.connect(self._refresh)
        self._unseen.timeout.connect(self._on_unseen_timeout)
        self._palette.used.connect(self._on_palette_used)
        QShortcut(
            QKeySequence("Shift+F10"), self, _open_menu_of_focus
        )  # Qt knows the Menu key alone

    def page_context(self) -> PageContext:
        """What pages may use of this window."""
        workspace = self.workspace
        return PageContext(
            window=self,
            controller=self.controller,
            selection=workspace.selection,
            bookmarks=workspace.bookmarks,
            tracing=self.tracing,
            fates=workspace.fates,
            fusions=workspace.fusions,
            inspector=workspace.inspector,
            area=workspace.area,
            lines=workspace.lines,
            themes=self._themes,
            commands=self.commands,
            ask_page=self._ask_page,
            show_page=self.pages.show_page,
            show_stage=workspace.show_stage,
            show_line=workspace.show_line,
            show_present_line=workspace.show_present_line,
            colour_graphs=workspace.colour_graphs,
            show_message=self.show_message,
            set_stage_hint=self.strip.set_hint,
            ask_where=self.files.ask_where,
        )

    # --- state to screen ---

    def _on_controller_state_changed(self, state: WindowState) -> None:
        self._refresh()
        if state.head is not self._head_noted:
            self._head_noted = state.head
            self._remember_call(state)

    def _remember_call(self, state: WindowState) -> None:
        """Remember the call of a run that came as far as its stages, for when its file is opened
        again. The first call that the file offers is not: the file may offer another by then.
        """
        is_own = self._is_call_chosen and not state.is_view_only and not is_sample(state.file)
        if state.head is None or state.snapshot is None or not is_own:
            return
        call, snapshot = state.head.call, state.snapshot
        is_first = call in snapshot.text and call == find_first_call(snapshot)
        self._settings.set_call_of(state.file, "" if is_first else call)

    def _refresh(self) -> None:
        state = self.controller.state
        if state.file and state.job is not RunKind.PROPOSAL:  # which seeks a call
            has_traced = bool(state.stages) and not state.is_stale
            if has_traced or state.phase in (Phase.FAILED, Phase.STOPPED):
                self._call_steps.note_end(state.file, state.call.strip(), has_traced=has_traced)
            else:
                self._call_steps.note(state.file, state.call.strip())
        shown = self.workspace.area.shown_stages()
        screen = compute_screen(state, shown, time.monotonic())
        before, self.screen_shown = self.screen_shown, screen
        if self.presenting.is_on and screen.shows_start_page:
            self.presenting.toggle()
        if screen.shows_start_page and before is not None and not before.shows_start_page:
            self._chosen_before = self.workspace.selection.places
        if screen != before:
            self._show_screen(screen)
        self.presenting.tell(state, screen)
        if state is not self._state_shown or before is None or screen.steps != before.steps:
            self._state_shown = state
            text = state.snapshot.text if state.snapshot is not None else ""
            self.call_bar.show_functions(state.file, state.functions, state.call, text)
            self._show_lesson(state)
            self.workspace.show_state(state, screen)
            if state.capture is not None and not state.is_running:
                self._show_stage_due()
            self._show_tracing_due()
            self._place_error()
            self.error_panel.show_error(state.error)
            if state.capture is not None:  # while another is made, the files of the last one
                self._made_of = [file.path for file in state.capture.files]
            made_of = self._made_of if state.file in self._made_of else ()
            self._watcher.watch("" if state.is_view_only else state.file, made_of)
            self.pages.set_count("notes", count_notes(state))
            self.pages.set_count("output", state.num_printed_lines)
            self.pages.set_count("sharding", count_devices(state))
        if self.workspace.area.shown_stages() != shown:  # views turned to stages of this call
            self._refresh()

    def _show_screen(self, screen: Screen) -> None:
        self.setWindowTitle(screen.window_title)
        if self.call_bar.isHidden() is not screen.shows_start_page:
            self.call_bar.setHidden(screen.shows_start_page)
            if not screen.shows_start_page:
                self.call_bar.edit.setFocus()  # before Qt looks for another that can have it
        self._body.setCurrentIndex(0 if screen.shows_start_page else 1)
        self.row.set_alone(is_alone=screen.shows_start_page)
        self.strip.show_steps(screen.steps)
        can_measure = screen.can_run and bool(self.controller.state.stages)
        can_measure = can_measure and not screen.is_stale  # the call in the bar is not what ran
        self.strip.show_time(screen.time, can_measure=can_measure and not screen.is_running)
        back = self.controller.closed_file if screen.shows_start_page else ""
        way = tr("Esc: back to {name}", name=show_marks(os.path.basename(back))) if back else ""
        self.row.set_status(" · ".join(filter(None, (way or screen.status, screen.detail))))
        self.row.busy.setVisible(screen.is_running)
        self.pages.set_answer("timing", screen.time)
        self.trust_question.ask(self.controller.state.file, is_asked=screen.asks_trust)
        self._notice_text.setText(screen.notice)
        self._notice.setVisible(bool(screen.notice))
        self.call_bar.set_running(
            is_running=screen.is_running, is_stopping=screen.is_stopping, can_run=screen.can_run
        )
        self.call_bar.edit.setReadOnly(self.controller.state.is_view_only)
        self.call_bar.add_button.setEnabled(not self.controller.state.is_view_only)
        self.commands.actions["skip"].setEnabled(screen.can_skip)
        self.call_bar.skip_button.setVisible(screen.can_skip)
        error = self.controller.state.error
        part = error.explanation.part if error is not None and screen.is_call_failed else ""
        self.call_bar.set_failed(is_failed=screen.is_call_failed, part=part)
        is_target = error is not None and error.explanation.kind == UNKNOWN_TARGET
        self.call_bar.set_target_failed(is_failed=is_target)
        if screen.is_running != self._tick.isActive():
            if screen.is_running:
                self._tick.start()
            else:
                self._tick.stop()

    def _place_error(self) -> None:
        """An error stands below the call, whatever failed; while the source is edited below the
        views, so that neither the text nor its buttons move away from who types.
        """
        is_edited = self.trial is not None and self.trial.editor is not None
        at, body = self._column.indexOf(self.error_panel), self._column.indexOf(self._body)
        if (at > body) is not is_edited:
            self._column.removeWidget(self.error_panel)
            self._column.insertWidget(body, self.error_panel)

    def _show_lesson(self, state: WindowState) -> None:
        file = "" if state.is_view_only else state.file
        is_other = file != self._lesson_of
        self._lesson_of = file
        self._has_lesson = self.lesson.show_file(file, state.functions)
        if is_other:
            is_shown = self._has_lesson and self._settings.shows_lessons
            self.presenting.show_beside(self.lesson, is_shown=is_shown)
            if is_shown:
                self.pages.close_drawer()  # which would leave the lesson one line
        self._offer_lesson()

    def _offer_lesson(self) -> None:
        """A lesson that was closed once is one click away; see `Inspector.offer_guest`."""
        is_offered = self._has_lesson and not self._settings.shows_lessons
        self.workspace.inspector.offer_guest(tr("Lesson") if is_offered else "")

    def _on_lesson_wanted(self) -> None:
        self._settings.shows_lessons = True
        self.presenting.show_beside(self.lesson, is_shown=True)
        self._offer_lesson()

    def toggle_lesson(self) -> None:
        """Show the lesson and the samples beside the program, or hide them where they are seen."""
        is_shown = not self.lesson.isVisibleTo(self.workspace)
        self._settings.shows_lessons = is_shown
        self.lesson.show_further()
        self.lesson.setVisible(is_shown)
        if is_shown:
            if self.workspace.inspector.guest is self.lesson:
                self.workspace.inspector.show_guest()
            self._bring_into_sight(self.lesson)
        self._offer_lesson()

    def _bring_into_sight(self, part: QWidget) -> None:
        """Show the place of a part, and all panes where the one that holds it is not seen."""
        self.pages.show_place(Place.PROGRAM)
        if not part.isVisibleTo(self.workspace):
            self.workspace.area.show_all()

    def _on_lesson_trial_requested(self) -> None:
        if self.trial is not None and self.trial.editor is None:
            self.trial.toggle()

    def _on_lesson_closed(self) -> None:
        self._settings.shows_lessons = False
        self._offer_lesson()
        self.show_message(tr("Help, Lesson and samples: shows the lesson again."))

    def add_page(self, name: str, page: Page, make: Callable[[], QWidget]) -> None:
        """Add a page to its place and to the menus; see `Places.add_page`."""
        self.pages.add_page(name, page, make)
        self.commands.connect_page(name, functools.partial(self.pages.__getitem__, name))
        if page.title == page.place.value:
            return  # the place is the page
        menu = self.commands.menus["Show page"]
        menu.setToolTipsVisible(True)
        show = menu.addAction(tr(page.title))
        show.setToolTip(tr(page.answers))
        show.setProperty(WORDS, page.answers)
        show.triggered.connect(lambda: self.pages.go_to_page(name))

    def _ask_page(self, name: str, slot: str, argument: object) -> None:
        getattr(self.pages[name], slot)(argument)

    def make_unseen_pages(self) -> None:
        """Make the pages that do something before they are seen, while the window answers."""
        self._unseen.start()

    def _on_unseen_timeout(self) -> None:
        """Make the next page that does something before it is seen: one per turn."""
        names = (name for name in self.pages if self.pages.page_of(name).works_unseen)
        name = next((name for name in names if name not in self.pages.made), None)
        if name is None:
            self._unseen.stop()
        else:
            _ = self.pages[name]
            self.workspace.describe_selected()  # it may have something to say of it

    def _order_tabs(self) -> None:
        """As they stand: the call, the line of stages, the views, what is beside and below them.

        Of the stages and of each view's header one has a stop; arrow keys lead to the others.
        """
        bar, row, workspace = self.call_bar, self.row, self.workspace
        stops = [self.menu_button, bar.functions_button, bar.edit]
        if self.error_panel.remedy.isVisible():
            stops.append(self.error_panel.remedy)  # what to try with the call, right below it
        stops += [bar.add_button, bar.target]
        stops += [bar.run_button, bar.skip_button, bar.stop_button]
        stops += [*list_stops(self.trust_question), *list_stops(self.error_panel)]
        stops += [*self.strip.cards, self.strip.time]
        for pane in workspace.area.panes:
            stops += [*pane.header.tab_stops(), *pane.tab_stops()]
        for part in (workspace.inspector, self.lesson, self.pages.drawer):
            stops += list_stops(part)
        stops += [*row.places.values(), *row.names.values(), row.more]
        # Qt orders nothing before or after what cannot have the focus, or is in a popup.
        policy = Qt.FocusPolicy
        stops = [s for s in stops if s.focusPolicy() != policy.NoFocus and s.window() is self]
        for before, after in itertools.pairwise(dict.fromkeys(stops)):
            QWidget.setTabOrder(before, after)

    def _on_selection_changed(self, _links: Links) -> None:
        if self.screen_shown is not None:
            self.presenting.tell(self.controller.state, self.screen_shown)

    def _on_bookmarks_changed(self) -> None:
        self.pages.set_count("bookmarks", len(self.workspace.bookmarks.notes))

    def _on_themes_changed(self, _theme: Theme) -> None:
        self.start_page.set_theme(self._themes.theme.name)
        self.workspace.set_theme(self._themes.theme, self._themes.points)
        self.call_bar.edit.set_points(self._themes.points + 1)
        self.error_panel.set_points(self._themes.points)
        tint = QColor(self._themes.theme.accent)
        tint.setAlpha(_TINT_ALPHA)
        self.call_bar.edit.set_colours(
            tint, QColor(self._themes.theme.error), QColor(self._themes.theme.muted)
        )

    # --- files ---

    def open_path(self, path: str, call: str = "", *, is_trusted: bool = True) -> None:
        """Open a Python file, a lesson, a saved capture, or what a job left behind.

        Args:
            call: Of the Python file; empty for the one that was run on it last, of a sample, and
                where there is none, for the first that it offers.
            is_trusted: Whether it may run without a question.
        """
        if path.endswith(LESSON_ENDING):
            self._begin_lesson(path)
            return
        if _is_opened(path):
            self.files.load(path)
            return
        self.files.captures.forget()
        if self.trial is not None:
            self.trial.leave_before(path)
        if path != self.controller.state.file:
            self.pages.show_place(Place.PROGRAM)  # what is measured and compared is of another file
        target = self.call_bar.target.currentText()
        known = "" if call or is_sample(path) else self._settings.call_of(os.path.abspath(path))
        self.controller.open_file(path, call, target, is_trusted=is_trusted, last_call=known)
        state = self.controller.state
        self._is_call_chosen = bool(call) or (bool(known) and state.call == known)
        if state.file and state.error is None:
            self.call_bar.set_call(state.call)
            self._settings.add_recent_file(state.file)
            self._show_recent()

    def _begin_lesson(self, path: str) -> None:
        """Go through a lesson from its first part."""
        try:
            lesson = read_text_lesson(Path(path))
        except JaxscopeError as error:
            self.controller.show_problem(error)
            return
        self._settings.add_recent_file(os.path.abspath(path))
        self._show_recent()
        self.walk.begin(lesson)
        self._on_lesson_wanted()  # a lesson that is opened is

    def begin_course(self) -> None:
        """Go through the lessons that come with jaxscope, in the language that is shown."""
        lessons = find_lessons(shown_language())
        if lessons:
            self._begin_lesson(str(lessons[0]))
        else:
            self.show_message(tr("The lessons are not in this installation."))

    def _on_walk_shown_changed(self, shown: Shown) -> None:
        """Open what a lesson shows. A file of its own choice does not run unasked."""
        state = self.controller.state
        if state.file != shown.file or state.is_view_only or state.trust.waits:
            self._open_chosen(shown.file, shown.call)
        elif state.call != shown.call:
            self._on_functions_call_chosen(shown.call)
        self._stage_due, self._is_tracing_due = shown.stage, shown.steps == BY_LINES
        self.tracing.choose(is_chosen=self._is_tracing_due)
        self._show_stage_due()
        self._show_tracing_due()

    def _show_tracing_due(self) -> None:
        """Begin to go by lines, where a part of a lesson does and its call has run."""
        state = self.controller.state
        if not self._is_tracing_due or state.is_running or not self.tracing.can_step:
            return
        self._is_tracing_due = False
        if not self.presenting.is_on:  # there Space begins
            self.commands.actions["trace_lines"].trigger()

    def _show_stage_due(self) -> None:
        """Show the stage that a part of a lesson names.

        Once more when the call's stages are there: views follow another call to its own program.
        """
        stage, state, area = self._stage_due, self.controller.state, self.workspace.area
        if not stage:
            return
        if state.capture is not None and not state.is_running:
            self._stage_due = ""
        if not self.presenting.is_on:
            self.workspace.show_stage(stage)
        elif stage in area.wanted_stages():
            area.show_in_main(stage)
        elif area.presented is not None:
            area.set_stage(area.presented, stage)

    def _open_chosen(self, path: str, call: str = "") -> None:
        """Open what was chosen in the window or dropped on it; ask before a Python file runs."""
        settings = self._settings
        settings.refresh()  # another window may have taken trust back
        ours = [settings.pasted_folder, *(sample.parent for sample in find_samples()[:1])]
        is_trusted = is_inside(path, [*settings.trusted_folders, *ours])
        self.open_path(path, call, is_trusted=is_trusted)

    def _on_trust_question_answered(self, trust: Trust) -> None:
        if trust is Trust.TRUSTED:
            folder = os.path.dirname(os.path.realpath(self.controller.state.file))
            self._settings.add_trusted_folder(folder)
        call = self.call_bar.edit.text().strip()
        self._is_call_chosen |= call != self.controller.state.call
        self.controller.answer_trust(trust, call)
        self.presenting.take_keyboard()

    def show_trusted_folders(self) -> None:
        """Show the folders whose files run as soon as they are opened."""
        dialog = TrustedFoldersDialog(self._settings, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def paste_code(self) -> None:
        """Ask for code, and open it as a file."""
        from jaxscope.ui.window.pasted_code import PasteDialog  # few windows show it

        dialog = PasteDialog(self._themes.points, self._draft, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted_text.connect(self._on_paste_accepted)
        dialog.put_away.connect(self._on_paste_put_away)
        dialog.open()

    def _on_paste_put_away(self, draft: str) -> None:
        self._draft = draft

    def _on_paste_accepted(self, text: str) -> None:
        from jaxscope.ui.window.pasted_code import write_pasted  # came with its dialog

        try:
            path = write_pasted(self._settings.pasted_folder, text)
        except OSError as error:
            why = error.strerror or str(error)
            self.controller.show_problem(
                UsageError(tr("What was pasted could not be written."), why=why)
            )
            return
        self.open_path(str(path))

    def _fill_recent(self) -> None:
        self._recent_menu.clear()
        for path in self._settings.recent_files:
            action = self._recent_menu.addAction(show_marks(path).replace("&", "&&"))
            action.setData(path)
        if self._recent_menu.isEmpty():
            self._recent_menu.addAction(tr("No file was opened yet")).setEnabled(False)

    def _on_recent_triggered(self, action: QAction) -> None:
        self._open_chosen(action.data())

    def export_dialog(self) -> None:
        """Ask what to export, and where to."""
        is_in_sight = self.pages.place is Place.PROGRAM
        name = "" if is_in_sight else self.pages.current
        page = self.pages[name] if name else None
        if not (isinstance(page, PageWidget) and page.ask_export()):
            self.files.ask_export(self._themes.theme.name, is_in_sight=is_in_sight)

    def copy_picture(self) -> None:
        """Put the picture of the active pane on the clipboard."""
        self.files.copy_picture(self._themes.theme.name)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped_files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = _dropped_files(event)
        if paths:
            event.acceptProposedAction()
            self.files.open_together(paths)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the button that has the keyboard: outside of dialogs Qt does so at Space alone."""
        button = QApplication.focusWidget()
        if event.key() in _PRESSING and isinstance(button, QAbstractButton):
            button.click()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, is_next: bool) -> bool:
        """Give the keyboard on; near what had it where that is hidden or disabled now.

        Qt would give it to the next in the order of `Tab`, maybe at the other end of the window.
        """
        self._order_tabs()  # some of them have come since
        before = QApplication.focusWidget()
        if before is None or (before.isVisible() and before.isEnabled()):
            return super().focusNextPrevChild(is_next)
        # Not by `nextInFocusChain`: PySide takes what that returns to be owned by what was asked,
        # so that with a closed pane would go all that comes after it, such as menus.
        around = before.parentWidget()
        while around is not None and around is not self:
            place = before.mapTo(around, QPoint())
            near = [
                stop
                for stop in list_stops(around)
                if stop.isEnabled()
                and stop.focusPolicy() & Qt.FocusPolicy.TabFocus
                and not stop.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
            ]
            if near:
                nearest = [
                    (stop.mapTo(around, QPoint()) - place).manhattanLength() for stop in near
                ]
                near[nearest.index(min(nearest))].setFocus()
                return True
            around = around.parentWidget()
        return super().focusNextPrevChild(is_next)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.files.close()
        for dialog in tuple(self._scripts):
            dialog.close()
        super().closeEvent(event)

    # --- runs ---

    def run_call(self) -> None:
        """Run the call in the bar; where there is none, the first that the file offers."""
        call = self.call_bar.edit.text().strip()
        if not call:
            offered = (call for each in self.controller.state.functions for call in each.calls)
            call = next(offered, "")
            self.call_bar.set_call(call)
        self.call_bar.edit.remember(
            self.controller.state.call
        )  # which opening the file may have run
        self.call_bar.edit.forget_typing()
        self._is_call_chosen = True
        self.controller.run(call, self.call_bar.target_text)
        self.presenting.take_keyboard()

    def _on_call_bar_edited(self, _text: str) -> None:
        self.controller.edit_call(self.call_bar.edit.text(), self.call_bar.target_text)

    def _on_error_panel_target_requested(self, target: str) -> None:
        """A target that the remedy names was clicked."""
        self.call_bar.target.setCurrentText(target)
        self.run_call()

    def undo_call(self) -> None:
        """Run the call before again; put away what was typed and not run."""
        self._step_call(-1)

    def redo_call(self) -> None:
        """Run the call that was undone."""
        self._step_call(1)

    def _step_call(self, step: int) -> None:
        state = self.controller.state
        call = self._call_steps.go(step, self.call_bar.edit.text().strip())
        if state.is_view_only or not call:
            self.show_message(
                tr("No call was run before this one.")
                if step < 0
                else tr("No change of the call was undone.")
            )
            return
        self.call_bar.set_call(call)
        if call != state.call.strip():
            self.run_call()

    def run_script(self) -> None:
        """Ask for a script, and offer to run it as it is."""
        folder = os.path.dirname(self.controller.state.file) or os.getcwd()
        dialog = FileDialog(
            self, tr("Run a script"), folder, tr("Python (*.py *.ipynb);;All files (*)")
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.show_script)
        dialog.open()

    def _on_error_panel_script_requested(self) -> None:
        self.show_script(self.controller.state.file)

    def show_script(self, path: str) -> ScriptDialog:
        """Show the dialog that runs a script; beside it the window can be used.

        It is no child of the window, which therefore can stand in front of it.
        """
        from jaxscope.ui.window.script_run import ScriptDialog  # no window starts with it

        dialog = ScriptDialog(path, self.controller.python, self._themes.theme)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._scripts.append(dialog)
        dialog.finished.connect(lambda _result: self._scripts.remove(dialog))
        dialog.capture_chosen.connect(self._on_caught_chosen)
        dialog.move(self.geometry().center() - dialog.rect().center())
        dialog.show()
        return dialog

    def _on_caught_chosen(self, path: str) -> None:
        self.open_path(path)
        self.raise_()
        self.activateWindow()

    def run_with_gradient(self) -> None:
        """Show the gradient of the present call, and make it even where that takes long."""
        state = self.controller.state
        gradient = next((stage for stage in state.stages if stage.name == "gradient"), None)
        is_made = "gradient" in expected_stages(transforms_of(state))
        if not state.call or (gradient is None and (state.is_view_only or not is_made)):
            self.show_message(
                tr("Only a call without transforms has its gradient besides: add grad to this one.")
            )
            return
        if state.is_stale or gradient is None or not is_available(gradient.graph):
            self.controller.run(state.call, state.target, gradient=True)
        self.workspace.show_stage("gradient")

    def look_at_values(self) -> None:
        """Run the call equation by equation, and show what its values are, or the selection's."""
        self.controller.look_at_values()
        self.pages.show_place(Place.PROGRAM)
        self.workspace.inspector.show()
        self.workspace.inspector.bring_forward(is_selected=True)

    def stop_run(self) -> None:
        """Stop what is waited for; else put away error, presentation, start page, typed call,
        drawer, search or selection.
        """
        if self.files.stop_export():
            return
        if self.controller.state.is_running:
            self.controller.stop()
        elif self._stop_layouts() or self.presenting.stop_waiting():
            pass
        elif self.controller.state.error is not None:
            self.controller.dismiss_error()
        elif self.presenting.is_on:
            self.toggle_presenting()
        elif not self.controller.state.file:
            self.controller.reopen_file()
            self.workspace.selection.select_places(self._chosen_before)
        elif self._put_back_call():
            pass
        elif self.pages.place is Place.PROGRAM and not self.pages.close_drawer():
            pane = self.workspace.area.active
            if pane is not None and pane.header.search.text():
                pane.header.search.clear()  # as Esc in the field does
            else:
                self.workspace.selection.clear()  # of another place nothing that is shown goes

    def _put_back_call(self) -> bool:
        """Put the call that is shown in place of one that is being typed; whether there was one.

        Undo in the field brings back what was typed.
        """
        edit, state = self.call_bar.edit, self.controller.state
        if not edit.hasFocus() or not state.stages or edit.text().strip() == state.call.strip():
            return False
        edit.selectAll()
        edit.insert(state.call)
        edit.show_start()
        return True

    def _stop_layouts(self) -> bool:
        """Stop the layouts that are waited for; tells whether there were any."""
        from jaxscope.ui.canvas.graph_canvas import GraphCanvas  # comes with the first graph

        busy = [c for c in self.findChildren(GraphCanvas) if c.isVisible() and c.is_busy]
        for canvas in busy:
            canvas.stop_layout()
        return bool(busy)

    def _on_strip_step_chosen(self, name: str) -> None:
        """Show a stage; its view has the keyboard then, but where arrows go along the line."""
        self.workspace.show_stage(name)
        active, focus = self.workspace.area.active, QApplication.focusWidget()
        if active is not None and not (focus and self.strip.isAncestorOf(focus)):
            active.focus_content()

    def _on_strip_step_requested(self, _name: str) -> None:
        """Make and show the gradient, which is the one stage that is on request."""
        self.run_with_gradient()

    def _on_strip_time_requested(self) -> None:
        if self.screen_shown is not None and self.screen_shown.time:
            self.pages.show_page("timing")
        else:
            self.commands.actions["measure"].trigger()

    def _on_functions_call_chosen(self, call: str) -> None:
        self.call_bar.set_call(call)
        self.run_call()

    def _on_controller_call_proposed(self, call: str) -> None:
        state = self.controller.state
        is_sought = state.is_running and state.job is RunKind.PROPOSAL  # its arguments are
        if state.is_running and not is_sought and self.call_bar.edit.text().strip():
            return  # typed since a run without a call began
        self.call_bar.set_call(call)
        if not is_sought:
            self.call_bar.edit.remember()

    def _on_error_panel_call_requested(self, call: str) -> None:
        self.call_bar.set_call(call)
        self.call_bar.edit.setFocus()
        self.run_call()

    def _on_error_panel_typing_requested(self, call: str) -> None:
        self.call_bar.set_call(call)
        self.focus_call()

    # --- view ---

    def focus_call(self) -> None:
        """Put the cursor into the call."""
        self.call_bar.edit.setFocus()
        self.call_bar.edit.selectAll()

    def close_pane(self) -> None:
        """Close the active pane."""
        if self.workspace.area.active is not None:
            self.workspace.area.close_pane(self.workspace.area.active)

    def close_focused(self) -> None:
        """Close what has the keyboard: the page below the views, the lesson, or what is said of the
        selection; from anywhere else the active pane.
        """
        inspector, focused = self.workspace.inspector, QApplication.focusWidget()

        def has_keyboard(part: QWidget) -> bool:
            return focused is not None and part.isAncestorOf(focused)

        if self.pages.place is not Place.PROGRAM:
            self.show_message(tr("Views are in Program (Alt+1): nothing was closed."))
        elif has_keyboard(self.pages.drawer):
            self.pages.close_drawer()
        elif has_keyboard(self.lesson) or (has_keyboard(inspector) and inspector.page.isHidden()):
            if focused is not None:
                focused.clearFocus()  # Qt would give it to another view
            self.lesson.close()
            self.pages.keyboard_left.emit()
        elif has_keyboard(inspector):
            self.toggle_inspector()
            self.show_message(tr("View, What is selected (Ctrl+B): shows it again."))
        elif len(self.workspace.area.panes) == 1:
            self.show_message(tr("The last view stays."))
        else:
            self.close_pane()

    def focus_search(self) -> None:
        """Put the cursor into the active pane's search."""
        if self.workspace.area.active is not None:
            self.pages.show_place(Place.PROGRAM)
            self.workspace.area.active.header.focus_search()

    def toggle_inspector(self, _is_on: bool = False) -> None:
        """Show what is said of the selection, in front of a lesson; hide it where it is seen."""
        inspector, focused = self.workspace.inspector, QApplication.focusWidget()
        if not self._is_told:
            inspector.show()
            inspector.bring_forward(is_selected=True)
            self._bring_into_sight(inspector)
            return
        had_keyboard = focused is not None and inspector.isAncestorOf(focused)
        if had_keyboard and focused is not None:
            focused.clearFocus()  # else Qt would give it to another view, which became active
        inspector.hide()
        if had_keyboard:
            self.pages.keyboard_left.emit()

    @property
    def _is_told(self) -> bool:
        """Whether what is said of the selection is seen, and no lesson in front of it."""
        return self.workspace.inspector.page.isVisibleTo(self.workspace)

    def _mark_what_is_shown(self) -> None:
        """Check the parts of the window that are seen, in the menu that shows and hides them."""
        actions = self.commands.actions
        actions["toggle_inspector"].setChecked(self._is_told)
        actions["toggle_drawer"].setChecked(self.pages.drawer.isVisibleTo(self.workspace))

    def toggle_presenting(self) -> None:
        """Give one view the whole screen, with the call and a caption; or bring everything back."""
        if self.screen_shown is not None and self.screen_shown.shows_start_page:
            return
        self.pages.show_place(Place.PROGRAM)
        self.presenting.toggle()
        self.pages.show_place(Place.PROGRAM)  # its drawer is open again, if it was
        self._refresh()

    def renew_texts(self) -> None:
        """Show everything anew, in the language that is shown now."""
        self._state_shown = self.screen_shown = None
        if (lesson := self.walk.lesson) is not None:
            path = in_language(Path(lesson.path), shown_language())
            if path != Path(lesson.path):
                with contextlib.suppress(JaxscopeError):  # it stays as it is
                    self.walk.renew(read_text_lesson(path))
        self._refresh()
        self._themes.changed.emit(self._themes.theme)  # pages of rich text have colours in them

    def toggle_theme(self) -> None:
        """Change between light and dark."""
        self._themes.toggle()
        self._settings.theme = self._themes.theme.name

    def set_animated(self, is_on: bool) -> None:
        """Let graphs change step by step, or at once."""
        self.setProperty(STILL, not is_on)
        self._settings.is_animated = is_on

    def zoom_in(self) -> None:
        """Make all type larger."""
        self._zoom(1)

    def zoom_out(self) -> None:
        """Make all type smaller."""
        self._zoom(-1)

    def zoom_reset(self) -> None:
        """Go back to the ordinary size of type."""
        self._themes.reset_zoom()
        self._settings.points = self._themes.points

    def show_palette(self) -> None:
        """Offer everything that the window can do."""
        entries, recent = list(self._palette_entries()), self._settings.recent_commands
        states = {without_state(entry.name): entry.name for entry in entries}
        self._palette.open_with(entries, [states.get(name, name) for name in recent])

    def _palette_entries(self) -> Iterator[PaletteEntry]:
        """Every item of every menu, stage, colouring, call of the file and sample."""
        yield from list_menu_entries(self.commands.root)
        for step in self.screen_shown.steps if self.screen_shown is not None else ():
            show = functools.partial(self.workspace.show_stage, step.name)
            yield PaletteEntry(tr("Show stage: {title}", title=step.title), "", show)
            if step.name != SOURCE:
                beside = functools.partial(self._show_beside, step.name)
                yield PaletteEntry(tr("Show stage beside: {title}", title=step.title), "", beside)
        for function in self.controller.state.functions:
            for call in function.calls:
                run = functools.partial(self._on_functions_call_chosen, call)
                yield PaletteEntry(tr("Run {call}", call=call), "", run)
        for path in find_samples():
            name = path.stem.replace("_", " ")
            open_it = functools.partial(self.open_path, str(path))
            yield PaletteEntry(tr("Open sample: {name}", name=name), "", open_it)

    def _show_beside(self, stage: str) -> None:
        self.pages.show_place(Place.PROGRAM)
        pane = self.workspace.area.show_beside(stage)
        if pane is None:
            self.show_message(no_room())
        else:
            pane.focus_content()

    def _on_palette_used(self, name: str) -> None:
        self._settings.add_recent_command(without_state(name))

    def show_menus(self) -> None:
        """Open the menus."""
        self.menu_button.open_by_key()

    def _tour_stops(self) -> list[TourStop]:
        """The parts that a newcomer needs; the first sample is opened where nothing is."""
        samples = find_samples()
        if not self.controller.state.file and samples:
            self.open_path(str(samples[0]))
        self.pages.show_place(Place.PROGRAM)
        shown = {pane.wanted_stage: pane for pane in self.workspace.area.panes}
        stops = [
            (self.call_bar, tr("The call"), tr(_OF_CALL)),
            (self.strip, tr("The stages"), tr(_OF_STAGES)),
            (shown.get(SOURCE), tr("The source"), tr(_OF_SOURCE)),
            (
                next((p for n, p in shown.items() if n != SOURCE), None),
                tr("The program"),
                tr(_OF_PROGRAM),
            ),
            (self.row, tr("More about it"), tr(_OF_PAGES)),
        ]
        return [TourStop(part, title, text) for part, title, text in stops if part is not None]

    def _zoom(self, steps: int) -> None:
        self._themes.zoom(steps)
        self._settings.points = self._themes.points

    def show_message(self, text: str) -> None:
        """Say something in the status bar for a while; an empty text ends that."""
        self.row.say(text, _MESSAGE_MS)

    def take_back_message(self, text: str) -> None:
        """Say that no more, where it is what is said: it holds no longer."""
        if self.row.message == text:
            self.show_message("")

    def _on_files_capture_opened(self, call: str) -> None:
        self.call_bar.set_call(call)

    def _on_files_export_begun(self, progress: QWidget) -> None:
        self.row.add_widget(progress)

    def _show_recent(self) -> None:
        self.start_page.show_recent(self._settings.recent_files)
        self.call_bar.recent_files = self._settings.recent_files

    def _on_files_path_used(self, path: str) -> None:
        self._settings.add_recent_file(path)
        self._show_recent()


def first_size(screen: QScreen) -> QSize:
    """Most of the screen, so that nothing is lost on a large one."""
    room = screen.availableGeometry().size()
    return QSize(1280, 720).expandedTo(room * _FIRST_SHARE)


def _dropped_files(event: QDropEvent) -> list[str]:
    """One file of any kind that opens, or several that a job left behind; else none."""
    paths = [url.toLocalFile() for url in event.mimeData().urls()]
    endings = (
        (".py", NOTEBOOK_ENDING, LESSON_ENDING, *CAPTURE_ENDINGS)
        if len(paths) == 1
        else CAPTURE_ENDINGS
    )
    is_known = all(path.endswith(endings) or _is_opened(path) for path in paths)
    return paths if is_known else []


def _is_opened(path: str) -> bool:
    """Whether a path is a saved capture, or what a job left behind."""
    from jaxscope.client.dump_folders import is_dump  # loaded when there is something to look at

    return path.endswith(CAPTURE_ENDINGS) or is_dump(path)


def _open_menu_of_focus() -> None:
    """Open the menu of what has the keyboard, as the Menu key does."""
    part = QApplication.focusWidget()
    if part is not None:
        place = part.rect().center()
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(part, QContextMenuEvent(reason, place, part.mapToGlobal(place)))
