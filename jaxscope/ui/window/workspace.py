"""The body of the window: panes, with what is selected below the source, and pages in their places,
kept in step with state and selection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.model import NONE, Capture, Stage, is_available
from jaxscope.model.stages import LATE_STAGES, find_lowered_jaxpr, lowered_name
from jaxscope.picture.tint.classes import ColourBy
from jaxscope.program.batch_axes import mark_leaves
from jaxscope.program.links import LineSelection, Links
from jaxscope.ui.panes.pane_area import COMPANION_SHARE, PaneArea
from jaxscope.ui.panes.pane_header import SOURCE, Form
from jaxscope.ui.selection.capture_facts import OPTIMIZED, FateReader, FusionReader
from jaxscope.ui.selection.inspector import (
    Inspector,
    SelectionDescriber,
    describe_call,
)
from jaxscope.ui.selection.selection import Bookmarks, GroupPlace, KernelLinks, SelectionModel
from jaxscope.ui.session.call_text import order_as_written
from jaxscope.ui.session.quick_look import is_to_be_asked
from jaxscope.ui.session.screen import Screen, count_devices, waiting_text
from jaxscope.ui.session.state import RunKind, WindowState, expected_stages, transforms_of
from jaxscope.ui.source.source_lines import SourceLines, find_moved_files
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.theme import BASE_POINTS, LIGHT, Theme
from jaxscope.ui.toolkit.widgets import escape_html, fill_box
from jaxscope.ui.window.lesson_strip import LessonStrip
from jaxscope.ui.window.places import Place, Places

if TYPE_CHECKING:
    from jaxscope.ui.canvas.graph_page import GraphPage


_LESSON_BESIDE_PX = 1900
"""From this width on a lesson stands beside the views; the program's graph stays large."""
_READING_SHARE = 0.55
"""Of the height of the source's column, where a lesson or a card is below it."""
_SETTLE_MS = 60
"""How often is looked whether graphs are still being laid out or painted."""
_MAX_LOOKS = 50
"""So many looks, 3 s, are waited at most: a layout may take minutes, a window be covered."""
_LOW_PX = 300
"""In lower views, as above the drawer of a small window, the lesson is one line."""


class Workspace(QWidget):
    """Shows the state; keeps the one selection. Requests leave as signals of its parts.

    Signals:
        settled: The graphs of a capture are drawn: what nobody has asked for yet may be worked out.
        form_refused: Why the active pane has no such form.
    """

    settled = Signal()
    form_refused = Signal(str)

    def __init__(self, make_graph: Callable[[], GraphPage], *, late_panes: bool = False) -> None:
        super().__init__()
        self._state = WindowState()
        self._make_page = make_graph
        self._last_file = ""
        self._program: tuple[str, str, tuple[str, ...]] | None = None
        self._screen: Screen | None = None
        self._theme, self._points = LIGHT, BASE_POINTS
        self._revealed: tuple[str, int] | None = None
        self._asked, self._is_other_file, self._is_error_new = "jaxpr", False, False
        self._capture: Capture | None = None
        self._looks: dict[tuple[str, str], tuple[Form, ColourBy]] | None = None
        self.lines = SourceLines()
        self._kernels = KernelLinks()
        self.selection, self.bookmarks = SelectionModel(self), Bookmarks(self)
        self.fates = FateReader(self)
        self.fusions = FusionReader(self)
        self._describer = SelectionDescriber(self.selection, self.lines, self.fates)
        # The error panel and the drawer take room from the panes: only then is it known what is
        # out of sight.
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._on_later_timeout)
        self._num_looks = 0
        self._settle = QTimer(self, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._on_settle_timeout)
        self._resized = QTimer(self, singleShot=True, interval=0)
        self._resized.timeout.connect(self._on_resized_timeout)
        self.inspector = Inspector()
        self.area = PaneArea(self._make_graph, self.selection, self.lines)
        if late_panes:
            self.area.defer_panes()
        views = QWidget()
        self._views = fill_box(QHBoxLayout(views), (self.area, 1), margins=(0, 0, 0, 0), spacing=0)
        self._lesson: LessonStrip | None = None
        self._is_lesson_told: Callable[[], bool] = lambda: False
        self._has_lesson = False
        self.places = Places(views)
        fill_box(QVBoxLayout(self), self.places, margins=(0, 0, 0, 0))
        self.inspector.additions.append(self._tell_rest)
        self.area.set_companion(self.inspector, self.inspector.take_keyboard)
        self.area.installEventFilter(self)
        self.area.arrange()
        self.selection.changed.connect(self._on_selection_changed)
        self.selection.growth_changed.connect(self._on_selection_growth_changed)
        self.fates.changed.connect(self._on_fates_changed)
        self.fusions.changed.connect(self._on_fusions_changed)
        self.area.panes_changed.connect(self._on_area_panes_changed)
        self.inspector.node_requested.connect(self._on_inspector_node_requested)
        self.inspector.line_requested.connect(self.show_line)
        self.inspector.present_line_requested.connect(self.show_present_line)
        self.inspector.argument_requested.connect(self.selection.select_argument)
        self.inspector.page_requested.connect(self.places.show_page)
        self.inspector.card_toggled.connect(self._on_inspector_card_toggled)
        self.inspector.guest_shown.connect(self._on_inspector_guest_shown)
        self.inspector.need_changed.connect(self._on_inspector_need_changed)
        self.places.drawer_opened.connect(self._on_places_drawer_opened)
        self.places.keyboard_left.connect(self._on_places_keyboard_left)
        self.area.notes_requested.connect(self._on_area_notes_requested)

    def _make_graph(self) -> GraphPage:
        page = self._make_page()
        page.canvas.colours_changed.connect(self._hand_out_fates)  # they may tell fates now
        page.canvas.line_told.connect(self._on_canvas_line_told)
        return page

    # --- the lesson ---

    def set_lesson(self, lesson: LessonStrip, is_told: Callable[[], bool]) -> None:
        """Have a lesson in *Program*: beside the views, or below the source in most windows.

        Args:
            is_told: Whether it is shown, or will be after the presentation that hides it.
        """
        self._lesson, self._is_lesson_told = lesson, is_told
        self._place_lesson()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_lesson()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.area:
            self._resized.start()  # while the area is laid out nothing in it may move
        return super().eventFilter(watched, event)

    def _on_resized_timeout(self) -> None:
        self._fold_lesson()
        self.area.refit_companion()

    def _on_inspector_need_changed(self) -> None:
        """The source stays where it is read, unless what the call takes and gives comes just now,
        with the program itself.
        """
        is_read = self._state.values is not None or self.selection.selection is not None
        self.area.refit_companion(keeps_top=is_read)

    def _fold_lesson(self) -> None:
        """Let a lesson be one line where it would take from a graph what that needs."""
        is_below_graph = SOURCE not in self.area.wanted_stages()
        is_low = is_below_graph or self.area.height() < _LOW_PX
        self.inspector.set_low(is_low=is_low, is_below_graph=is_below_graph)

    def _place_lesson(self) -> None:
        """Beside the views it would take from the program's graph what that needs."""
        lesson, is_beside = self._lesson, self.width() >= _LESSON_BESIDE_PX
        if lesson is None:
            return
        is_guest = self.inspector.guest is lesson
        is_placed = is_guest or self._views.indexOf(lesson) >= 0
        if is_placed and is_beside is not is_guest:
            return
        was_hidden = lesson.isHidden()
        lesson.set_beside(is_beside=is_beside)
        if is_beside:
            self.inspector.release_guest()
            self._views.addWidget(lesson)
        else:
            self.inspector.take_guest(lesson, tr("Lesson"))
        lesson.setHidden(was_hidden)
        self.inspector.bring_forward(is_selected=self.selection.selection is not None)

    def _on_inspector_guest_shown(self, is_shown: bool) -> None:
        self._has_lesson = is_shown
        self._share_height()

    def _share_height(self) -> None:
        """A lesson or a card is read: it gets more of the height than what is selected."""
        is_read = self._has_lesson or self._describer.has_card
        self.area.set_companion_share(_READING_SHARE if is_read else COMPANION_SHARE)

    # --- showing ---

    def show_state(self, state: WindowState, screen: Screen) -> None:
        """Show a state."""
        was_failed_over = self._screen.failed_over if self._screen is not None else ""
        before, self._state, self._screen = self._state, state, screen
        self.lines.set_state(state)
        if state.file != before.file:
            self.selection.clear()
            self.area.close_twins()
            self._is_other_file = True
            if before.file:
                self._remember_looks()
        if state.file and state.file != self._last_file:
            self._last_file = state.file
            self.selection.forget()
        for path, moves in find_moved_files(before, state).items():
            self.selection.move_lines(path, moves)
            self.bookmarks.move_lines(path, moves)
        self._follow_call()
        if state.stages is not before.stages and not state.is_running:
            self._retarget_missing(state.stages)
        if state.head is not None:
            self._program = state.file, state.head.base, state.head.transforms
        self.selection.set_stages(state.stages, self._program)
        is_other = state.head is not before.head or state.values is not before.values
        is_other |= state.error is not before.error
        if is_other or screen.failed_over != was_failed_over:
            self.describe_selected()
        is_measuring = state.job in (RunKind.TIMING, RunKind.EXPERIMENT)
        is_kept = is_measuring and state.capture is self._capture
        self._take_capture(state.capture if is_kept or not state.is_running else None)
        self._fill_panes(screen)
        if state.error is not None and state.error is not before.error:
            self._is_error_new = True
            self._later.start()
        if state.head is not None and state.head is not before.head:
            self._reveal_base(state)

    def _take_capture(self, capture: Capture | None) -> None:
        if capture is self._capture:
            return
        self._capture = capture
        self.fates.read(None)
        self.fusions.read(None)
        if capture is None:
            self._settle.stop()
        else:
            self._num_looks = 0
            self._settle.start()

    def _on_settle_timeout(self) -> None:
        """Fates and fusions take the interpreter from the layout: they come after it."""
        self._num_looks += 1
        canvases = [canvas for canvas in self.area.canvases() if canvas.isVisible()]
        is_drawn = all(canvas.is_sharp and not canvas.is_busy for canvas in canvases)
        if (self.area.panes and is_drawn) or self._num_looks >= _MAX_LOOKS:
            self._settle.stop()
            self.selection.prepare()
            self._read_facts()
            self.settled.emit()

    def _read_facts(self) -> None:
        """Where they are looked at they are found now; see `capture_facts`."""
        self.fates.read(self._capture)
        self.fusions.read(self._capture)

    def read_hint(self, name: str) -> None:
        """Somebody reads what there is to say of a stage in the line of stages."""
        if name == OPTIMIZED:
            self.fusions.ask()

    def show_stage(self, name: str) -> None:
        """Bring a stage into a pane."""
        self.places.show_place(Place.PROGRAM)
        self.area.show_in_main(name)

    def show_line(self, file: str, line: int) -> None:
        """Show a line of a file of the user's as it ran, and select it."""
        known = self._look_at(file)
        if known:
            self.selection.select_line(known, line)

    def show_present_line(self, file: str, line: int) -> None:
        """Show a line of a file as it is, and select what it was when it ran."""
        known = self._look_at(file)
        for pane in self.area.panes if known else ():
            if pane.wanted_stage == SOURCE:
                pane.code.show_line(line - 1)
        self.selection.select_lines(known, self.lines.to_run(known, [line]))

    def _look_at(self, file: str) -> str:
        """Bring a file into a pane; its path, or empty where it is not known."""
        known = self.lines.look_at(file)
        if known is None:
            return ""
        self.places.show_place(Place.PROGRAM)
        if SOURCE not in self.area.wanted_stages():
            self.area.show_in_main(SOURCE)
        self.fill_source()
        return known.path

    def set_theme(self, theme: Theme, points: float) -> None:
        """Use a theme's colours and a size of type."""
        self._theme = theme
        self.area.set_theme(theme)
        for pane in self.area.panes:
            pane.set_theme(theme, points)
        self._points = points
        self.describe_selected()

    def set_form(self, form: Form) -> None:
        """Change the form of the active pane; the source has one form, which is said."""
        self.places.show_place(Place.PROGRAM)
        pane = self.area.active
        if pane is None:
            return
        if pane.wanted_stage == SOURCE:
            self.form_refused.emit(tr("The source is always shown as text."))
            return
        pane.set_form(form)
        self.area.show_links(self.selection.links, reveal=True)

    def find_next(self, step: int) -> None:
        """Go to the next hit of the active pane's search, or to the one before."""
        self.places.show_place(Place.PROGRAM)
        if self.area.active is not None:
            self.area.active.find_next(step)

    def colour_graphs(self, by: ColourBy) -> None:
        """Show the graphs, coloured by something."""
        self.places.show_place(Place.PROGRAM)
        for canvas in self.area.canvases():
            canvas.set_colour_by(by)

    # --- panes ---

    def _fill_panes(self, screen: Screen) -> None:
        stages = {stage.name: stage for stage in self._state.stages}
        if "machine" in self.area.wanted_stages():
            stages = self._kernels.link(stages)
        choices = [(step.name, step.title) for step in screen.steps if step.name != SOURCE]
        for pane in self.area.panes:
            name = pane.wanted_stage
            pane.set_choices(choices)
            if name == SOURCE:
                continue
            waiting = waiting_text(self._state, name)
            pane.show_stage(name, stages.get(name), waiting, self._state.call)
            pane.set_stale(screen.is_stale, screen.failed_over)
        self.fill_source()
        self._hand_out_fates()
        self._hand_out_devices()
        self.area.show_links(self.selection.links, reveal=False)
        self.area.tell_stage()

    def _hand_out_devices(self) -> None:
        """Let graphs of what each of several devices runs say so."""
        num_devices = count_devices(self._state)
        for pane in self.area.panes:
            if pane.canvas is not None:
                is_of_each = pane.wanted_stage == "optimized"
                pane.canvas.set_num_devices(num_devices if is_of_each else 0)

    def _hand_out_fates(self) -> None:
        """Let graphs that colour by fate know them: only these look at them."""
        for pane in self.area.panes:
            if pane.canvas is not None and pane.canvas.colour_by is ColourBy.FATE:
                pane.canvas.set_fates(self.fates.names_of(pane.wanted_stage))

    def _reveal_base(self, state: WindowState) -> None:
        """Bring the function that the call is about into sight, once per call."""
        source = state.head.source if state.head is not None else None
        place = (source.file, source.line) if source is not None else None
        if place == self._revealed or source is None or not source.line:
            return
        self._revealed = place
        for pane in self.area.panes:
            if pane.wanted_stage == SOURCE and self.lines.is_own:
                # It is the lesson's text, with the answer to its question.
                pane.code.folds_docstring = self._is_lesson_told()
                pane.code.show_statement(source.line - 1)

    def fill_source(self) -> None:
        """Show the source again, with what is known of its lines and what is to be said of it."""
        lines = self.lines
        file, begin = lines.file, lines.begin()
        failed_over = self._screen is not None and self._screen.failed_over
        costs = {} if failed_over else lines.costs()
        checks = {} if failed_over else lines.checks()
        for pane in self.area.panes:
            if pane.wanted_stage == SOURCE:
                has_margin = not pane.is_edited
                note = lines.note(
                    has_marks=bool(checks) and has_margin, has_costs=bool(costs) and has_margin
                )
                pane.show_source(file, costs, note, begin, checks)

    def _follow_call(self) -> None:
        """Let panes that were for the program that was asked for be for the one that is now."""
        # A file that waits for trust has no call: nothing is a stage of one before it.
        is_known = self._state.head or self._state.call or self._state.trust.waits
        if not is_known or not self.area.panes:
            return
        stages = expected_stages(transforms_of(self._state))
        asked = lowered_name(stages)
        before, self._asked = self._asked, asked
        is_other, self._is_other_file = self._is_other_file, False
        self._turn_panes(stages, before, is_other=is_other)
        if is_other and self._looks is not None:
            self._recall_looks(self._looks)

    def _turn_panes(self, stages: Sequence[str], before: str, *, is_other: bool) -> None:
        """Turn a pane to the program that is asked for, where none shows it.

        Args:
            stages: That the call will have.
            before: The stage of the program that was asked for before.
            is_other: Whether that was of another file.
        """
        asked = self._asked
        if asked not in self.area.wanted_stages():
            # Before a run, and where an arrangement comes after a capture, what is shown may be of
            # a call before.
            is_new = self._state.head is None or not self._state.is_running
            own = {SOURCE, "gradient", *stages, *(stage.name for stage in self._state.stages)}
            for pane in self.area.panes:
                wanted = pane.wanted_stage
                is_left = is_new and wanted not in own
                # Another file opens on its own program, whatever was last looked at.
                is_left |= is_other and not self._state.is_view_only and wanted != SOURCE
                if is_left or (asked != before and wanted == before):
                    pane.wanted_stage = asked
                    break

    def _remember_looks(self) -> None:
        """Remember the form and the colours of each view for calls with the same transforms.

        Colours by time are those of one profile: other programs have none.
        """
        looks = self._looks = self._looks or {}
        for pane in self.area.panes:
            by = pane.canvas.colour_by if pane.canvas is not None else ColourBy.FAMILY
            by = ColourBy.FAMILY if by is ColourBy.TIME else by
            looks[self._asked, pane.wanted_stage] = pane.form, by

    def _recall_looks(self, looks: Mapping[tuple[str, str], tuple[Form, ColourBy]]) -> None:
        """Show each view as it was shown last for such a call; as at first where none was."""
        for pane in self.area.panes:
            if pane.wanted_stage != SOURCE:
                place = self._asked, pane.wanted_stage
                form, by = looks.get(place, (Form.GRAPH, ColourBy.FAMILY))
                pane.prefer_form(form)
                if pane.canvas is not None:
                    pane.canvas.set_colour_by(by)

    def _retarget_missing(self, stages: Sequence[Stage]) -> None:
        """Let panes for stages that this call lacks be for others, each for one of its own."""
        names = [stage.name for stage in stages]
        drawn = [stage.name for stage in stages if is_available(stage.graph)]
        traced = [name for name in names if name not in LATE_STAGES] or drawn or names
        preferred = [*traced[-1:], "optimized", *traced, *names]
        for pane in self.area.panes:
            wanted = pane.wanted_stage
            if not traced or wanted in names or wanted == SOURCE:
                continue
            shown = self.area.wanted_stages()
            free = (name for name in preferred if name in names and name not in shown)
            pane.wanted_stage = next(free, traced[-1])

    def _on_area_panes_changed(self) -> None:
        self._fold_lesson()
        self._follow_call()
        for pane in self.area.panes:
            pane.set_theme(self._theme, self._points)
        if self._screen is not None:  # a second pane for a stage changes nothing on the screen
            self._fill_panes(self._screen)

    def _on_area_notes_requested(self) -> None:
        self.places.show_page("notes")

    # --- selection ---

    def _on_selection_changed(self, _links: Links) -> None:
        if self.selection.selection is not None:
            self._read_facts()  # somebody looks at them
        self.describe_selected()
        self.inspector.bring_forward(is_selected=self.selection.selection is not None)

    def _on_canvas_line_told(self, told: str) -> None:
        """A line was clicked, which selects nothing, or is no longer lit."""
        if told:
            self.inspector.show_html(f"<p>{told}</p>")
        else:
            self.describe_selected()
        self.inspector.bring_forward(is_selected=bool(told) or bool(self.selection.selection))

    def _on_selection_growth_changed(self) -> None:
        """The line that runs may be of another file than the one that is shown."""
        file, _ = self.selection.running
        if file and file != self.lines.path and self.lines.look_at(file) is not None:
            self.fill_source()

    def _on_fates_changed(self) -> None:
        self._hand_out_fates()
        self.describe_selected()

    def _on_fusions_changed(self) -> None:
        self.describe_selected()

    def _on_places_drawer_opened(self) -> None:
        self._later.start()
        self._read_facts()  # a page is looked at

    def _on_places_keyboard_left(self) -> None:
        if self.area.active is not None:
            self.area.active.focus_content()

    def _on_later_timeout(self) -> None:
        self.area.show_links(self.selection.links, reveal=True)
        for pane in self.area.panes if self._is_error_new else ():
            pane.reveal_error()
        self._is_error_new = False

    def _on_inspector_node_requested(self, stage: str, node: int) -> None:
        self.places.show_place(Place.PROGRAM)
        if stage not in self.area.shown_stages():
            self.area.show_in_main(stage)
        self.selection.select_node(stage, node)

    def _on_inspector_card_toggled(self) -> None:
        """The card of what is selected, and of what is selected next, is shown or hidden."""
        self._describer.has_card = not self._describer.has_card
        self._share_height()
        self.describe_selected()

    def _tell_rest(self) -> str:
        """What of the one group that is selected is no box in it, as HTML; or empty."""
        places = self.selection.places
        if len(places) != 1 or isinstance(places[0], LineSelection):
            return ""
        place = places[0]
        group, stage, node = "", place[0] if isinstance(place, tuple) else place.stage, NONE
        if isinstance(place, GroupPlace):
            group = place.id
        elif (found := self.selection.node_at(place)) is not None:
            node = found[1]
        panes = (pane for pane in self.area.panes if pane.stage_name == stage)
        canvas = next((pane.canvas for pane in panes if pane.canvas is not None), None)
        view = canvas.view if canvas is not None else None
        if canvas is None or view is None or view.graph is not self.selection.graph_of(stage):
            return ""  # the picture is still that of the run before
        told = canvas.describe_rest(group, node)
        return f"<p>{escape_html(told)}</p>" if told else ""

    def describe_selected(self) -> None:
        """Tell the inspector what is selected, or what goes in and comes out."""
        muted, head, values = self._theme.muted, self._state.head, self._state.values
        self._describer.values = values
        told = self._describer.describe(self._state.stages, self.selection.links, muted)
        if told:
            self.inspector.show_html(told)
        else:
            is_old = self._screen is not None and bool(self._screen.failed_over)
            known = head is not None and not is_old and (head.arguments or head.results)
            told = ""
            if head and known:
                lowered = find_lowered_jaxpr(self._state.stages)
                leaves = mark_leaves(head.arguments, head.results, lowered)
                arguments = order_as_written(leaves[0], head.call)
                asks = is_to_be_asked(self._state)
                told = describe_call(arguments, leaves[1], muted, values, asks=asks)
            has_failed = self._state.error is not None and not known
            self.inspector.show_nothing(told, has_failed=has_failed)
