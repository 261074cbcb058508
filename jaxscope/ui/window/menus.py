"""What does the commands of the menus Graph, Go and Arrange, the choices for all graphs, and
outlines kept in sync with graphs (`OutlineSync`).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject, QPoint, QTimer
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from jaxscope.program.dataflow import count_boundary_edges, find_neighbourhood, find_path
from jaxscope.ui.panes.pane_area import (
    PaneArea,
    PaneSide,
    drop_twins,
    format_arrangement,
    no_room,
    parse_arrangement,
)
from jaxscope.ui.panes.stage_pane import StagePane
from jaxscope.ui.selection.selection import SelectionModel
from jaxscope.ui.toolkit.language import Language, LanguageSwitch, tr, tr_count
from jaxscope.ui.window.commands import WORDS, Commands
from jaxscope.ui.window.settings import Settings

if TYPE_CHECKING:
    from jaxscope.ui.canvas.graph_canvas import GraphCanvas
    from jaxscope.ui.window.main_window import MainWindow


# How a person wants graphs to be shown: the same in all panes, and after the next start.


DOWN, RIGHT = "down", "right"


class GraphChoices(QObject):
    """Holds the choices, remembers them, and has every graph view follow them."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._direction = RIGHT if settings.graph_direction == RIGHT else DOWN
        self._hidden_passes = frozenset(settings.hidden_passes)
        self._uses_graphviz, self._shows_overview = settings.uses_graphviz, settings.shows_overview
        self._canvases: weakref.WeakSet[GraphCanvas] = weakref.WeakSet()

    @property
    def direction(self) -> str:
        """`down` or `right`: where values flow."""
        return self._direction

    @property
    def hidden_passes(self) -> frozenset[str]:
        """Names of the simplifications that are switched off."""
        return self._hidden_passes

    @property
    def uses_graphviz(self) -> bool:
        """Whether Graphviz lays out the groups that it is fit for."""
        return self._uses_graphviz

    @property
    def shows_overview(self) -> bool:
        """Whether an overview stands beside a graph of which not all is in sight."""
        return self._shows_overview

    def attach(self, canvas: GraphCanvas) -> None:
        """Have a graph view follow the choices from now on."""
        self._canvases.add(canvas)
        self._apply(canvas)

    def set_direction(self, direction: str) -> None:
        """Choose where values flow."""
        self._direction = direction
        self._settings.graph_direction = direction
        self._apply_to_all()

    def set_pass_hidden(self, name: str, is_hidden: bool) -> None:
        """Switch a simplification off or on."""
        self._hidden_passes = self._hidden_passes - {name} | ({name} if is_hidden else set())
        self._settings.hidden_passes = tuple(sorted(self._hidden_passes))
        self._apply_to_all()

    def set_uses_graphviz(self, is_wanted: bool) -> None:
        """Choose whether Graphviz computes the layout of groups."""
        self._uses_graphviz = is_wanted
        self._settings.uses_graphviz = is_wanted
        self._apply_to_all()

    def set_overview_shown(self, is_wanted: bool) -> None:
        """Choose whether an overview stands beside a graph of which not all is in sight."""
        self._shows_overview = is_wanted
        self._settings.shows_overview = is_wanted
        self._apply_to_all()

    def _apply_to_all(self) -> None:
        for canvas in list(self._canvases):
            if shiboken6.isValid(canvas):  # else its pane was closed
                self._apply(canvas)
            else:
                self._canvases.discard(canvas)

    def _apply(self, canvas: GraphCanvas) -> None:
        # Both are loaded with the canvas, not at the start.
        from jaxscope.picture.layout.engines import Engine
        from jaxscope.picture.view.build import PASSES

        known = {each.name for each in PASSES}  # what is remembered may be of another version
        canvas.set_direction(self._direction)
        canvas.set_hidden_passes(self._hidden_passes & known)
        canvas.set_engine(Engine.GRAPHVIZ if self._uses_graphviz else Engine.OWN)
        canvas.minimap.set_wanted(self._shows_overview)


class GraphCommands(QObject):
    """Commands for the graph of the active pane, and the choices for all graphs.

    Attributes:
        passes: The menu of simplifications.
        colourings: The menu of what the colours of boxes tell.
    """

    def __init__(self, commands: Commands, area: PaneArea, choices: GraphChoices) -> None:
        super().__init__(area)
        self._area, self._choices = area, choices
        menu, actions = commands.menus["Graph"], commands.actions
        self._directions = {DOWN: actions["flow_down"], RIGHT: actions["flow_right"]}
        group = QActionGroup(self)
        for direction, action in self._directions.items():
            group.addAction(action)
            action.setChecked(direction == choices.direction)
        actions["use_graphviz"].setChecked(choices.uses_graphviz)
        actions["show_overview"].setChecked(choices.shows_overview)
        self.colourings = QMenu(tr("Colour boxes"), menu)
        self.colourings.aboutToShow.connect(self.fill_colourings)
        self._colourings = QActionGroup(self)
        self._colourings.triggered.connect(self._on_colourings_triggered)
        menu.insertMenu(actions["show_overview"], self.colourings)
        self.passes = QMenu(tr("Simplifications"), menu, toolTipsVisible=True)
        self.passes.aboutToShow.connect(self.fill_passes)
        menu.insertMenu(actions["use_graphviz"], self.passes)
        commands.connect_owner("graph", self)
        self._menu = menu
        area.graph_menu_requested.connect(self._on_area_graph_menu_requested)

    def fit_picture(self) -> None:
        """Show all of the active graph, or as much as can be read, and all a second time."""
        if (canvas := self._canvas()) is not None:
            canvas.fit_to_read()

    def enlarge_picture(self) -> None:
        """Zoom into it by one step."""
        if (canvas := self._canvas()) is not None:
            canvas.zoom_in()

    def reduce_picture(self) -> None:
        """Zoom out by one step."""
        if (canvas := self._canvas()) is not None:
            canvas.zoom_out()

    def show_selected(self) -> None:
        """Show what is selected in it, as large as it can be read."""
        if (canvas := self._canvas()) is not None:
            canvas.zoom_to_selection()

    def expand_all(self) -> None:
        """Open all groups of the active graph."""
        if (canvas := self._canvas()) is not None:
            canvas.expand_all()

    def expand_many(self) -> None:
        """Open as many of its groups as can be read."""
        if (canvas := self._canvas()) is not None:
            canvas.expand_many()

    def collapse_all(self) -> None:
        """Close all its groups."""
        if (canvas := self._canvas()) is not None:
            canvas.collapse_all()

    def reset_expanded(self) -> None:
        """Open the groups that are open at first."""
        if (canvas := self._canvas()) is not None:
            canvas.reset_expanded()

    def flow_down(self, _is_on: bool) -> None:
        """Draw graphs from top to bottom."""
        self._choices.set_direction(DOWN)

    def flow_right(self, _is_on: bool) -> None:
        """Draw graphs from left to right."""
        self._choices.set_direction(RIGHT)

    def turn(self) -> None:
        """Draw graphs in the other of the two directions."""
        self._directions[DOWN if self._choices.direction == RIGHT else RIGHT].trigger()

    def use_graphviz(self, is_wanted: bool) -> None:
        """Choose whether Graphviz computes the layout of groups."""
        self._choices.set_uses_graphviz(is_wanted)

    def fill_passes(self) -> None:
        """List the simplifications; their module is loaded when the list is first wanted."""
        from jaxscope.picture.view.build import PASSES

        if self.passes.actions():
            return
        for each in PASSES:
            action = QAction(tr(each.title), self.passes, checkable=True)
            action.setToolTip(tr(each.reason))
            action.setChecked(each.name not in self._choices.hidden_passes)
            action.toggled.connect(
                lambda is_on, name=each.name: self._choices.set_pass_hidden(name, not is_on)
            )
            self.passes.addAction(action)

    def fill_colourings(self) -> None:
        """List what the colours of boxes can tell, and mark what they tell in the active graph."""
        from jaxscope.picture.tint.classes import ColourBy  # comes with a result

        if not self._colourings.actions():
            for by in ColourBy:
                action = self.colourings.addAction(tr("by {value}", value=tr(by.value)))
                action.setCheckable(True)
                action.setData(by)
                self._colourings.addAction(action)
        canvas = self._canvas()
        for action in self._colourings.actions():
            action.setEnabled(canvas is not None)
            action.setChecked(canvas is not None and action.data() is canvas.colour_by)

    def show_overview(self, is_wanted: bool) -> None:
        """Choose whether an overview stands beside a graph of which not all is in sight."""
        self._choices.set_overview_shown(is_wanted)

    def _on_area_graph_menu_requested(self, place: QPoint) -> None:
        self._menu.popup(place)

    def _on_colourings_triggered(self, action: QAction) -> None:
        if (canvas := self._canvas()) is not None:
            canvas.set_colour_by(action.data())

    def _canvas(self) -> GraphCanvas | None:
        """The graph of the active pane; where that shows none, the first that is shown."""
        active = [self._area.active] if self._area.active is not None else []
        shown = (each for each in (*active, *self._area.panes) if each.is_graph_shown)
        return next((each.canvas for each in shown), None)


_MAX_RADIUS = 12


class GoCommands(QObject):
    """What cannot be done says why in the status bar."""

    def __init__(
        self,
        commands: Commands,
        area: PaneArea,
        selection: SelectionModel,
        say: Callable[[str], None],
    ) -> None:
        super().__init__(area)
        self._area, self._selection, self._say = area, selection, say
        self._radius = 0
        selection.changed.connect(self._on_selection_changed)
        commands.connect_owner("go", self)

    # --- places ---

    def go_back(self) -> None:
        """Select what was selected before."""
        if not self._selection.go_back():
            self._say(tr("Nothing was selected before."))
        self._area.reveal_selected()

    def go_forward(self) -> None:
        """Go forward again in the history of selections."""
        if not self._selection.go_forward():
            self._say(tr("There is nothing further on."))
        self._area.reveal_selected()

    # --- focus ---

    def widen_focus(self) -> None:
        """Fade what is not near the selected node; each time one step more is near."""
        self._focus(min(self._radius + 1, _MAX_RADIUS))

    def narrow_focus(self) -> None:
        """One step less is near; at none, everything is seen again."""
        self._focus(self._radius - 1)

    def end_focus(self) -> None:
        """End the focus on a part of the graph, and show all of it."""
        self._radius = 0
        for canvas in self._area.canvases():
            canvas.set_focus(None)

    def show_path(self) -> None:
        """Fade what is not on the way from what was selected before to what is selected."""
        selection = self._selection
        begin, end = selection.node_at(selection.previous), selection.node_at(selection.place)
        if begin is None or end is None or begin[0] != end[0]:
            self._say(tr("Select two nodes of one stage, one after the other."))
            return
        canvas, graph = self._area.canvas_of(end[0]), selection.graph_of(end[0])
        if canvas is None or graph is None:
            self._say(tr("Show that stage as a graph first."))
            return
        path = find_path(graph, begin[1], end[1])
        if not path:
            self._say(tr("Nothing connects these two."))
            return
        canvas.set_focus(path)
        canvas.look_at_nodes(path)
        borders = count_boundary_edges(graph, path)
        across = (
            tr(", across {borders} borders of nested programs", borders=borders)
            if borders > 1
            else ""
        )
        across = tr(", across the border of a nested program") if borders == 1 else across
        self._say(
            tr(
                "{num_path} steps from one to the other{across}.",
                num_path=len(path) - 1,
                across=across,
            )
        )

    def _focus(self, radius: int) -> None:
        selection = self._selection
        here = selection.node_at(selection.place)
        if here is None:
            self._say(tr("Select a node first."))
            return
        if radius <= 0:
            self.end_focus()
            return
        canvas, graph = self._area.canvas_of(here[0]), selection.graph_of(here[0])
        if canvas is None or graph is None:
            self._say(tr("Show that stage as a graph first."))
            return
        near = find_neighbourhood(graph, [here[1]], radius)
        self._radius = radius
        canvas.set_focus(near.tolist())
        steps = tr_count(radius, "step")
        self._say(tr("{num_near:,} nodes within {steps}.", num_near=len(near), steps=steps))

    def _on_selection_changed(self, _links: object) -> None:
        self._radius = 0


_LISTENED = "has_outline_sync"


class OutlineSync(QObject):
    """Leads what is opened and closed in an outline to the graphs of its stage, and back.

    An outline follows the graph that is seen beside it, else the one that its own pane had.
    """

    def __init__(self, area: PaneArea) -> None:
        super().__init__(area)
        self._area = area
        # Forms and stages change in several steps; afterwards it is clear what is shown where.
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._match)
        self._area.panes_changed.connect(self._later.start)
        self._area.forms_changed.connect(self._later.start)
        self._later.start()

    def _match(self) -> None:
        """Listen to what is new, and bring all outlines in step."""
        for pane in self._area.panes:
            canvas = pane.canvas
            if canvas is not None and _is_new(canvas):
                canvas.scene_changed.connect(self._on_canvas_scene_changed)
            if pane.has_outline and _is_new(pane.outline):
                pane.outline.graph_shown.connect(self._later.start)
                pane.outline.group_toggled.connect(self._on_outline_group_toggled)
        self._on_canvas_scene_changed()

    def _graphs_of(self, pane: StagePane) -> list[GraphCanvas]:
        """The graphs of what a pane's outline shows, the one to follow first."""
        view = pane.outline.boxes.view
        panes = [pane, *(other for other in self._area.panes if other is not pane)]
        found = [each.canvas for each in panes if each.wanted_stage == pane.wanted_stage]
        graphs = [
            canvas
            for canvas in found
            if canvas is not None
            and canvas.scene is not None
            and canvas.view is not None
            and view is not None
            and canvas.view.graph is view.graph
        ]
        return sorted(graphs, key=lambda canvas: not canvas.isVisible())

    def _on_canvas_scene_changed(self) -> None:
        for pane in self._area.panes:
            is_seen = pane.has_outline and pane.outline.isVisible()
            if is_seen and (graphs := self._graphs_of(pane)):
                pane.outline.follow(graphs[0].view, graphs[0].expanded)

    def _on_outline_group_toggled(self, group_id: str) -> None:
        for pane in self._area.panes:
            if pane.has_outline and pane.outline is self.sender():
                for canvas in self._graphs_of(pane):
                    canvas.follow(pane.outline.opened(), group_id)


def _is_new(part: QObject) -> bool:
    """Whether it was never asked about; it carries the answer itself, for as long as it lives."""
    if part.property(_LISTENED):
        return False
    part.setProperty(_LISTENED, True)
    return True


class LanguageMenu(QObject):
    """The menu of languages. Its title is in both, for who cannot read the one that is shown."""

    def __init__(self, window: MainWindow, languages: LanguageSwitch, settings: Settings) -> None:
        super().__init__(window)
        self._languages, self._settings = languages, settings
        menu = window.commands.menus["View"].addMenu("Language · 语言")
        menu.menuAction().setProperty(WORDS, "settings preferences translation Chinese English")
        group = QActionGroup(self)
        for language in Language:
            action = menu.addAction(language.title)
            action.setCheckable(True)
            action.setChecked(language is languages.language)
            action.setData(language)
            group.addAction(action)
        group.triggered.connect(self._on_group_triggered)
        languages.changed.connect(window.renew_texts)

    def _on_group_triggered(self, action: QAction) -> None:
        language = action.data()
        self._settings.language = language.value
        self._languages.use(language)


# The commands of the menu Arrange: views opened, moved, named, seen alone; and where they were at
# the last start.


_MAX_NAME_CHARACTERS = 60


class PaneCommands(QObject):
    """They work on the active pane. Panes are laid out as they were in the last window.

    Args:
        window: Has the menus.
        commands: The commands of the menus.
        area: The panes.
        settings: What is remembered.
        say: Says in the status bar what cannot be done.
        take_back: Says so no more.
    """

    def __init__(
        self,
        window: QWidget,
        commands: Commands,
        area: PaneArea,
        settings: Settings,
        say: Callable[[str], None],
        take_back: Callable[[str], None],
    ) -> None:
        super().__init__(window)
        self._window, self._area, self._settings, self._say = window, area, settings, say
        self._take_back = take_back
        area.panes_changed.connect(self._on_area_panes_changed)
        self._menu = commands.menus["Arrange"]
        commands.actions["show_ribbons"].setChecked(settings.shows_ribbons)
        commands.actions["wrap_lines"].setChecked(settings.wraps_lines)
        commands.connect_owner("panes", self)
        area.menu_requested.connect(self._on_area_menu_requested)
        self.restore()

    # --- remembering ---

    def restore(self) -> None:
        """Lay panes out as they were; where nothing sound is remembered, they stay."""
        self._area.set_ribbons_shown(self._settings.shows_ribbons)
        self._area.set_wrapping(self._settings.wraps_lines)
        arrangement = parse_arrangement(self._settings.arrangement)
        if arrangement is not None:
            self._area.arrange(drop_twins(arrangement), grows=self._settings.panes_grow)

    def arrangement(self) -> tuple[str, bool]:
        """How panes are laid out, and whether a third comes by itself."""
        return format_arrangement(self._area.arrangement()), self._area.grows

    def remember(self, arrangement: tuple[str, bool]) -> None:
        """Keep how panes are laid out for the next start."""
        self._settings.arrangement, self._settings.panes_grow = arrangement

    def reset(self) -> None:
        """Lay panes out as in a new window."""
        self._settings.arrangement = ""
        self._area.arrange()

    # --- the active pane ---

    def split(self, side: PaneSide) -> None:
        """Open another pane for the same stage beside the active one."""
        if self._area.active is not None:
            stage = self._area.active.wanted_stage
            self._open(self._area.active, stage, side, may_be_below=False)

    def _open(
        self, pane: StagePane, stage: str, side: PaneSide, *, may_be_below: bool = True
    ) -> None:
        opened = self._area.open_pane(stage, after=pane, side=side, may_be_below=may_be_below)
        if opened is not None:
            opened.focus_content()
        else:
            self._say(no_room())

    def _on_area_panes_changed(self) -> None:
        self._take_back(no_room())

    def add_pane(self) -> None:
        """Open a pane beside the active one for a stage that no pane shows.

        It is the program that runs, else what comes after the stage of the active pane.
        """
        pane = self._area.active
        if pane is None:
            return
        offered, shown = pane.header.offered, self._area.wanted_stages()
        at = offered.index(pane.wanted_stage) + 1 if pane.wanted_stage in offered else 0
        wanted = [stage for stage in ("optimized", *offered[at:], *offered) if stage not in shown]
        stage = next((each for each in wanted if each in offered), pane.wanted_stage)
        self._open(pane, stage, PaneSide.RIGHT)

    def fold_all(self) -> None:
        """Fold every block of the active pane's text."""
        if self._area.active is not None:
            self._area.active.code.fold_all()

    def unfold_all(self) -> None:
        """Show every line of the active pane's text."""
        if self._area.active is not None:
            self._area.active.code.unfold_all()

    def name_pane(self) -> None:
        """Ask for the active pane's name."""
        pane = self._area.active
        if pane is None:
            return
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle(tr("Name this view"))
        dialog.setLabelText(tr("Name, or nothing:"))
        dialog.setTextValue(pane.header.name)
        dialog.textValueSelected.connect(self._on_name_selected)
        dialog.open()

    def _on_name_selected(self, name: str) -> None:
        if self._area.active is not None:
            self._area.active.header.set_name(" ".join(name.split())[:_MAX_NAME_CHARACTERS])

    def show_ribbons(self, is_on: bool) -> None:
        """Show the ribbons between panes, or hide them."""
        self._settings.shows_ribbons = is_on
        self._area.set_ribbons_shown(is_on)

    def wrap_lines(self, is_on: bool) -> None:
        """Wrap long lines of texts, or scroll sideways to their ends."""
        self._settings.wraps_lines = is_on
        self._area.set_wrapping(is_on)

    def _on_area_menu_requested(self, _pane: StagePane, place: QPoint) -> None:
        self._menu.popup(place)
