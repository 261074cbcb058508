"""The menus Go, Graph and Panes, the choices for all graphs, and outlines kept in sync with graphs
(`OutlineSync`).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QEvent, QObject, QPoint, QTimer
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QInputDialog, QMenu, QTabWidget

from jaxscope.program.dataflow import count_boundary_edges, find_neighbourhood, find_path
from jaxscope.ui.panes.pane_area import PaneSide, format_arrangement, parse_arrangement
from jaxscope.ui.panes.stage_pane import StagePane
from jaxscope.ui.toolkit.widgets import insert_menu
from jaxscope.ui.window.commands import CommandPalette, PaletteEntry
from jaxscope.ui.window.settings import Settings
from jaxscope.ui.window.start_page import find_samples

if TYPE_CHECKING:
    from jaxscope.picture.tint.classes import ColourBy
    from jaxscope.ui.canvas.graph_canvas import GraphCanvas
    from jaxscope.ui.window.main_window import MainWindow
    from jaxscope.ui.window.workspace import Workspace


# How a person wants graphs to be shown: the same in all panes, and after the next start.


DOWN, RIGHT = "down", "right"


class GraphChoices(QObject):
    """Holds the choices, remembers them, and has every graph view follow them."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._direction = RIGHT if settings.graph_direction == RIGHT else DOWN
        self._hidden_passes = frozenset(settings.hidden_passes)
        self._uses_graphviz = settings.uses_graphviz
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

    def lead(self, canvas: GraphCanvas) -> None:
        """Have a graph view follow the choices from now on."""
        self._canvases.add(canvas)
        self._apply(canvas)

    def set_direction(self, direction: str) -> None:
        """Choose where values flow."""
        self._direction = direction
        self._settings.set_graph_direction(direction)
        self._apply_to_all()

    def set_pass_hidden(self, name: str, is_hidden: bool) -> None:
        """Switch a simplification off or on."""
        self._hidden_passes = self._hidden_passes - {name} | ({name} if is_hidden else set())
        self._settings.set_hidden_passes(sorted(self._hidden_passes))
        self._apply_to_all()

    def set_uses_graphviz(self, is_wanted: bool) -> None:
        """Choose who lays groups out."""
        self._uses_graphviz = is_wanted
        self._settings.set_uses_graphviz(is_wanted)
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


# The menu of graphs: what is open in the active one, and how all of them are shown.


_OPENINGS = (
    ("Open all groups", "Ctrl+Shift+E", "expand_all"),
    ("Open as many as can be read", "Ctrl+Shift+M", "expand_many"),
    ("Close all groups", "Ctrl+Shift+C", "collapse_all"),
    ("Open what is open at first", "Ctrl+Shift+R", "reset_expanded"),
)


def add_graph_menu(window: MainWindow, choices: GraphChoices) -> GraphMenu:
    """Put the menu into the window's bar, before the last one."""
    menu = GraphMenu(window, choices)
    insert_menu(window.menuBar(), menu, before=("Help",))
    return menu


class GraphMenu(QMenu):
    """Commands for the graph of the active pane, and the choices for all graphs."""

    def __init__(self, window: MainWindow, choices: GraphChoices) -> None:
        super().__init__("Graph", window)
        self._window, self._choices = window, choices
        self.setToolTipsVisible(True)
        for text, keys, name in _OPENINGS:
            action = QAction(text, self)
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(lambda _checked=False, name=name: self._call(name))
            self.addAction(action)
        self.addSeparator()
        self._add_directions()
        self.addSeparator()
        self.passes = self.addMenu("Simplifications")
        self.passes.setToolTipsVisible(True)
        self.passes.aboutToShow.connect(self.fill_passes)
        graphviz = QAction("Let Graphviz lay out what it is quick at", self)
        graphviz.setToolTip("Needs the program dot; jaxscope lays out all that takes dot too long.")
        graphviz.setCheckable(True)
        graphviz.setChecked(choices.uses_graphviz)
        graphviz.toggled.connect(choices.set_uses_graphviz)
        self.addAction(graphviz)

    def fill_passes(self) -> None:
        """List the simplifications; their module is loaded when the list is first wanted."""
        from jaxscope.picture.view.build import PASSES

        if self.passes.actions():
            return
        for each in PASSES:
            action = QAction(each.title, self.passes)
            action.setToolTip(each.reason)
            action.setCheckable(True)
            action.setChecked(each.name not in self._choices.hidden_passes)
            action.toggled.connect(
                lambda is_on, name=each.name: self._choices.set_pass_hidden(name, not is_on)
            )
            self.passes.addAction(action)

    def _add_directions(self) -> None:
        group = QActionGroup(self)
        self._directions: dict[str, QAction] = {}
        for direction, text in ((DOWN, "Values flow down"), (RIGHT, "Values flow to the right")):
            action = QAction(text, group)
            action.setCheckable(True)
            action.setChecked(direction == self._choices.direction)
            action.triggered.connect(
                lambda _checked, direction=direction: self._choices.set_direction(direction)
            )
            self.addAction(action)
            self._directions[direction] = action
        turn = QAction("Turn", self)
        turn.setShortcut(QKeySequence("Ctrl+Shift+D"))
        turn.triggered.connect(self._turn)
        self.addAction(turn)

    def _turn(self) -> None:
        self._directions[DOWN if self._choices.direction == RIGHT else RIGHT].trigger()

    def _canvas(self) -> GraphCanvas | None:
        pane = self._window.workspace.area.active
        return pane.canvas if pane is not None else None

    def _call(self, name: str) -> None:
        canvas = self._canvas()
        if canvas is not None:
            getattr(canvas, name)()


# The menu that leads about: places visited, what is near, the way between two, all commands.


_MAX_RADIUS = 12
_ON = " (on)"
_GO_ITEMS = (
    ("All commands …", ("Ctrl+K",), "show_palette"),
    ("", (), ""),
    ("Back to what was selected before", ("Alt+Left",), "go_back"),
    ("Forward", ("Alt+Right",), "go_forward"),
    ("", (), ""),
    ("Focus on what is near the selection; again: wider", ("Ctrl+J",), "widen_focus"),
    ("Narrow the focus", ("Ctrl+Shift+J",), "narrow_focus"),
    ("Path from the selection before to this one", ("Ctrl+P",), "show_path"),
    ("See everything again", ("Ctrl+Shift+K",), "end_focus"),
)


def add_go_menu(window: MainWindow, settings: Settings) -> GoMenu:
    """Put the menu into the window's bar, before the menu of graphs."""
    menu = GoMenu(window, settings)
    insert_menu(window.menuBar(), menu, before=("Graph", "Help"))
    return menu


class GoMenu(QMenu):
    """Its methods are its items; what cannot be done says why in the status bar."""

    def __init__(self, window: MainWindow, settings: Settings) -> None:
        super().__init__("Go", window)
        self._window, self._settings = window, settings
        self._radius = 0
        self.palette_dialog = CommandPalette(window)
        self.palette_dialog.used.connect(self._on_palette_dialog_used)
        for text, keys, slot in _GO_ITEMS:
            if not text:
                self.addSeparator()
                continue
            action = QAction(text, self)
            action.setShortcuts([QKeySequence(each) for each in keys])
            action.triggered.connect(getattr(self, slot))
            self.addAction(action)
        window.workspace.selection.changed.connect(self._on_selection_changed)

    # --- places ---

    def go_back(self) -> None:
        """Select what was selected before."""
        if not self._window.workspace.selection.go_back():
            self._say("Nothing was selected before.")

    def go_forward(self) -> None:
        """Undo going back."""
        if not self._window.workspace.selection.go_forward():
            self._say("There is nothing further on.")

    # --- focus ---

    def widen_focus(self) -> None:
        """Fade what is not near the selected node; each time one step more is near."""
        self._focus(min(self._radius + 1, _MAX_RADIUS))

    def narrow_focus(self) -> None:
        """One step less is near; at none, everything is seen again."""
        self._focus(self._radius - 1)

    def end_focus(self) -> None:
        """See everything."""
        self._radius = 0
        for canvas in self._window.workspace.area.canvases():
            canvas.set_focus(None)

    def show_path(self) -> None:
        """Fade what is not on the way from what was selected before to what is selected."""
        selection = self._window.workspace.selection
        begin, end = selection.node_at(selection.previous), selection.node_at(selection.place)
        if begin is None or end is None or begin[0] != end[0]:
            self._say("Select two nodes of one stage, one after the other.")
            return
        canvas, graph = self._window.workspace.area.canvas_of(end[0]), selection.graph_of(end[0])
        if canvas is None or graph is None:
            self._say("Show that stage as a graph first.")
            return
        path = find_path(graph, begin[1], end[1])
        if not path:
            self._say("Nothing connects these two.")
            return
        canvas.set_focus(path)
        canvas.look_at_nodes(path)
        borders = count_boundary_edges(graph, path)
        across = f", across {borders} borders of nested programs" if borders > 1 else ""
        across = ", across the border of a nested program" if borders == 1 else across
        self._say(f"{len(path) - 1} steps from one to the other{across}.")

    def _focus(self, radius: int) -> None:
        selection = self._window.workspace.selection
        here = selection.node_at(selection.place)
        if here is None:
            self._say("Select a node first.")
            return
        if radius <= 0:
            self.end_focus()
            return
        canvas, graph = self._window.workspace.area.canvas_of(here[0]), selection.graph_of(here[0])
        if canvas is None or graph is None:
            self._say("Show that stage as a graph first.")
            return
        near = find_neighbourhood(graph, [here[1]], radius)
        self._radius = radius
        canvas.set_focus(near.tolist())
        steps = "1 step" if radius == 1 else f"{radius} steps"
        self._say(f"{len(near):,} nodes within {steps}.")

    def _on_selection_changed(self, _links: object) -> None:
        self._radius = 0

    def _say(self, text: str) -> None:
        self._window.show_message(text)

    # --- commands ---

    def show_palette(self) -> None:
        """Offer everything that the window can do."""
        entries, recent = list(self.entries()), self._settings.recent_commands
        states = {_without_state(entry.name): entry.name for entry in entries}
        self.palette_dialog.open_with(entries, [states.get(name, name) for name in recent])

    def _on_palette_dialog_used(self, name: str) -> None:
        self._settings.add_recent_command(_without_state(name))

    def entries(self) -> Iterator[PaletteEntry]:
        """Every item of every menu, page, stage, colouring, call of the file and sample."""
        from jaxscope.picture.tint.classes import (
            ColourBy,  # with the graph view, not with the window
        )

        for action in self._window.menuBar().actions():
            menu = action.menu()
            if isinstance(menu, QMenu):
                yield from _items_of(menu, action.text())
        yield from self._pages()
        screen = self._window.screen_shown
        for step in screen.steps if screen is not None else ():
            yield PaletteEntry(f"Show stage: {step.title}", "", self._stage_opener(step.name))
        for by in ColourBy:
            yield PaletteEntry(f"Colour boxes by {by.value}", "", self._colourer(by))
        for function in self._window.controller.state.functions:
            for call in function.calls:
                yield PaletteEntry(f"Run {call}", "", self._runner(call))
        for path in find_samples():
            name = path.stem.replace("_", " ")
            yield PaletteEntry(f"Open sample: {name}", "", self._opener(str(path)))

    def _pages(self) -> Iterator[PaletteEntry]:
        """Every page, and those inside of the page of experiments."""
        tabs, lab = self._window.workspace.tabs, self._window.workspace.lab
        for index in range(tabs.count()):
            yield PaletteEntry(
                f"Show page: {tabs.tabText(index)}", "", self._page_opener((tabs, index))
            )
            for inner in range(lab.count()) if tabs.widget(index) is lab else ():
                opener = self._page_opener((tabs, index), (lab, inner))
                yield PaletteEntry(f"Show page: {lab.tabText(inner)}", "", opener)

    def _page_opener(self, *places: tuple[QTabWidget, int]) -> Callable[[], object]:
        def show() -> None:
            for tabs, index in places:
                tabs.setCurrentIndex(index)

        return show

    def _opener(self, path: str) -> Callable[[], object]:
        return lambda: self._window.open_path(path)

    def _stage_opener(self, name: str) -> Callable[[], object]:
        return lambda: self._window.workspace.show_stage(name)

    def _colourer(self, by: ColourBy) -> Callable[[], object]:
        return lambda: self._colour(by)

    def _colour(self, by: ColourBy) -> None:
        for canvas in self._window.workspace.area.canvases():
            canvas.set_colour_by(by)

    def _runner(self, call: str) -> Callable[[], object]:
        return lambda: self._run(call)

    def _run(self, call: str) -> None:
        self._window.call_bar.set_call(call)
        self._window.run_call()


def _without_state(name: str) -> str:
    return name.removesuffix(_ON)


def _items_of(menu: QMenu, title: str) -> Iterator[PaletteEntry]:
    menu.aboutToShow.emit()  # menus that are filled when they are first shown
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from _items_of(inner, f"{title}: {action.text()}")
        elif action.text() and not action.isSeparator() and action.isEnabled():
            state = _ON if action.isCheckable() and action.isChecked() else ""
            name = f"{title}: {action.text().replace('&', '').removesuffix(' …')}{state}"
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            yield PaletteEntry(name, keys, action.trigger)


# Outlines in step with the graphs that they are the twins of: what is open in one is in both.


_LISTENED = "has_twins"


class OutlineSync(QObject):
    """Leads what is opened and closed in an outline to the graphs of its stage, and back.

    An outline follows the graph that is seen beside it, else the one that its own pane had.
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._area = workspace.area
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
            if _is_new(pane.outline):
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
            if pane.outline.isVisible() and (graphs := self._graphs_of(pane)):
                pane.outline.follow(graphs[0].view, graphs[0].expanded)

    def _on_outline_group_toggled(self, group_id: str) -> None:
        for pane in self._area.panes:
            if pane.outline is self.sender():
                for canvas in self._graphs_of(pane):
                    canvas.follow(pane.outline.opened(), group_id)


def _is_new(part: QObject) -> bool:
    """Whether it was never asked about; it carries the answer itself, for as long as it lives."""
    if part.property(_LISTENED):
        return False
    part.setProperty(_LISTENED, True)
    return True


# The menu of panes: opened, moved, named, seen alone; and where they were at the last start.


_MAX_NAME_CHARACTERS = 60
_PANES_ITEMS = (
    ("Split to the right", "Ctrl+Alt+R", "split_right"),
    ("Split below", "Ctrl+Alt+B", "split_below"),
    ("", "", ""),
    ("Move to the left", "Ctrl+Alt+Left", "move_left"),
    ("Move to the right", "Ctrl+Alt+Right", "move_right"),
    ("Move up", "Ctrl+Alt+Up", "move_up"),
    ("Move down", "Ctrl+Alt+Down", "move_down"),
    ("", "", ""),
    ("Name this pane …", "F2", "name_pane"),
    ("This pane alone, or all again", "Ctrl+Alt+A", "show_alone"),
    ("Fold all blocks of its text", "Ctrl+Alt+-", "fold_all"),
    ("Unfold all blocks of its text", "Ctrl+Alt++", "unfold_all"),
    ("Close this pane", "", "close_pane"),
)


def add_panes_menu(window: MainWindow, settings: Settings) -> PanesMenu:
    """Put the menu into the window's bar, before the menu of graphs, and lay panes out as they
    were when the window was last closed.
    """
    menu = PanesMenu(window, settings)
    insert_menu(window.menuBar(), menu, before=("Go", "Graph", "Help"))
    menu.restore()
    OutlineSync(window.workspace)
    return menu


class PanesMenu(QMenu):
    """Its methods are its items; they work on the active pane."""

    def __init__(self, window: MainWindow, settings: Settings) -> None:
        super().__init__("Panes", window)
        self._window, self._settings = window, settings
        self._area = window.workspace.area
        for text, keys, slot in _PANES_ITEMS:
            if not text:
                self.addSeparator()
                continue
            action = QAction(text, self)
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(getattr(self, slot))
            self.addAction(action)
        self.addSeparator()
        self.ribbons = QAction("Ribbons between panes", self, checkable=True)
        self.ribbons.setChecked(settings.shows_ribbons)
        self.ribbons.toggled.connect(self._on_ribbons_toggled)
        self.addAction(self.ribbons)
        reset = QAction("Lay panes out as at first", self)
        reset.triggered.connect(self.reset)
        self.addAction(reset)
        self._area.menu_requested.connect(self._on_area_menu_requested)
        window.installEventFilter(self)

    # --- remembering ---

    def restore(self) -> None:
        """Lay panes out as they were; where nothing sound is remembered, they stay."""
        self._area.set_ribbons_shown(self._settings.shows_ribbons)
        arrangement = parse_arrangement(self._settings.arrangement)
        if arrangement is not None:
            self._area.arrange(arrangement)

    def remember(self) -> None:
        """Keep how panes are laid out for the next start."""
        self._settings.set_arrangement(format_arrangement(self._area.arrangement()))

    def reset(self) -> None:
        """Lay panes out as in a new window."""
        self._settings.set_arrangement("")
        self._area.arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() == QEvent.Type.Close:
            self.remember()
        return super().eventFilter(watched, event)

    # --- the active pane ---

    def split_right(self) -> None:
        """Open another pane to the right of the active one."""
        self._split(PaneSide.RIGHT)

    def split_below(self) -> None:
        """Open another pane below the active one."""
        self._split(PaneSide.BELOW)

    def move_left(self) -> None:
        """Swap the active pane with its left neighbour."""
        self._area.move_active(PaneSide.LEFT)

    def move_right(self) -> None:
        """Swap the active pane with its right neighbour."""
        self._area.move_active(PaneSide.RIGHT)

    def move_up(self) -> None:
        """Swap the active pane with the one above."""
        self._area.move_active(PaneSide.ABOVE)

    def move_down(self) -> None:
        """Swap the active pane with the one below."""
        self._area.move_active(PaneSide.BELOW)

    def show_alone(self) -> None:
        """Let the active pane have all the room, or give it back."""
        self._area.show_alone()

    def close_pane(self) -> None:
        """Close the active pane."""
        if self._area.active is not None:
            self._area.close_pane(self._area.active)

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
        dialog.setWindowTitle("Name this pane")
        dialog.setLabelText("Name, or nothing:")
        dialog.setTextValue(pane.header.name)
        dialog.textValueSelected.connect(self._on_name_selected)
        dialog.open()

    def _on_name_selected(self, name: str) -> None:
        if self._area.active is not None:
            self._area.active.header.set_name(" ".join(name.split())[:_MAX_NAME_CHARACTERS])

    def _split(self, side: PaneSide) -> None:
        pane = self._area.active
        if pane is None:
            return
        if self._area.open_pane(pane.wanted_stage, after=pane, side=side) is None:
            self._window.show_message("There are as many panes as can be used.")

    def _on_ribbons_toggled(self, is_on: bool) -> None:
        self._settings.set_shows_ribbons(is_on)
        self._area.set_ribbons_shown(is_on)

    def _on_area_menu_requested(self, _pane: StagePane, place: QPoint) -> None:
        self.popup(place)
