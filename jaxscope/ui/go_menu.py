"""The menu that leads about: places visited, what is near, the way between two, all commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QTabWidget

from jaxscope.analysis.crossings import count_crossings
from jaxscope.analysis.neighbourhood import find_neighbourhood, find_path
from jaxscope.model import Graph, is_available
from jaxscope.ui.command_palette import CommandPalette, Entry
from jaxscope.ui.pages.start import find_samples

if TYPE_CHECKING:
    from jaxscope.analysis.tint import ColourBy
    from jaxscope.ui.graph.canvas import GraphCanvas
    from jaxscope.ui.settings import Settings
    from jaxscope.ui.window import MainWindow

_MAX_RADIUS = 12
_MESSAGE_MS = 6_000
_ON = " (on)"
_ITEMS = (
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
    actions = window.menuBar().actions()
    before = next((a for a in actions if a.text() in ("Graph", "Help")), None)
    if before is None:
        window.menuBar().addMenu(menu)
    else:
        window.menuBar().insertMenu(before, menu)
    return menu


class GoMenu(QMenu):
    """Its methods are its items; what cannot be done says why in the status bar."""

    def __init__(self, window: MainWindow, settings: Settings) -> None:
        super().__init__("Go", window)
        self._window, self._settings = window, settings
        self._radius = 0
        self.palette_dialog = CommandPalette(window)
        self.palette_dialog.used.connect(self._on_palette_dialog_used)
        for text, keys, slot in _ITEMS:
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
        for pane in self._window.workspace.area.panes:
            if pane.canvas is not None:
                pane.canvas.set_focus(None)

    def show_path(self) -> None:
        """Fade what is not on the way from what was selected before to what is selected."""
        selection = self._window.workspace.selection
        begin, end = selection.node_at(selection.previous), selection.node_at(selection.place)
        if begin is None or end is None or begin[0] != end[0]:
            self._say("Select two nodes of one stage, one after the other.")
            return
        canvas, graph = self._canvas_of(end[0]), self._graph_of(end[0])
        if canvas is None or graph is None:
            self._say("Show that stage as a graph first.")
            return
        path = find_path(graph, begin[1], end[1])
        if not path:
            self._say("Nothing connects these two.")
            return
        canvas.set_focus(path)
        canvas.look_at_nodes(path)
        borders = count_crossings(graph, path)
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
        canvas, graph = self._canvas_of(here[0]), self._graph_of(here[0])
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

    def _canvas_of(self, stage: str) -> GraphCanvas | None:
        area = self._window.workspace.area
        for pane in area.panes:
            if area.wanted_stage(pane) == stage and pane.is_graph_shown:
                return pane.canvas
        return None

    def _graph_of(self, stage: str) -> Graph | None:
        stages = self._window.controller.state.stages
        graph = next((s.graph for s in stages if s.name == stage), None)
        return graph if graph is not None and is_available(graph) else None

    def _say(self, text: str) -> None:
        self._window.statusBar().showMessage(text, _MESSAGE_MS)

    # --- commands ---

    def show_palette(self) -> None:
        """Offer everything that the window can do."""
        entries, recent = list(self.entries()), self._settings.recent_commands
        states = {_without_state(entry.name): entry.name for entry in entries}
        self.palette_dialog.open_with(entries, [states.get(name, name) for name in recent])

    def _on_palette_dialog_used(self, name: str) -> None:
        self._settings.add_recent_command(_without_state(name))

    def entries(self) -> Iterator[Entry]:
        """Every item of every menu, page, stage, colouring, call of the file and sample."""
        from jaxscope.analysis.tint import ColourBy  # with the graph view, not with the window

        for action in self._window.menuBar().actions():
            menu = action.menu()
            if isinstance(menu, QMenu):
                yield from _items_of(menu, action.text())
        yield from self._pages()
        screen = self._window.screen_shown
        for step in screen.steps if screen is not None else ():
            yield Entry(f"Show stage: {step.title}", "", self._stage_opener(step.name))
        for by in ColourBy:
            yield Entry(f"Colour boxes by {by.value}", "", self._colourer(by))
        for function in self._window.controller.state.functions:
            for call in function.calls:
                yield Entry(f"Run {call}", "", self._runner(call))
        for path in find_samples():
            name = path.stem.replace("_", " ")
            yield Entry(f"Open sample: {name}", "", self._opener(str(path)))

    def _pages(self) -> Iterator[Entry]:
        """Every page, and those inside of the page of experiments."""
        tabs, lab = self._window.workspace.tabs, self._window.workspace.lab
        for index in range(tabs.count()):
            yield Entry(f"Show page: {tabs.tabText(index)}", "", self._page_opener((tabs, index)))
            for inner in range(lab.count()) if tabs.widget(index) is lab else ():
                opener = self._page_opener((tabs, index), (lab, inner))
                yield Entry(f"Show page: {lab.tabText(inner)}", "", opener)

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
        for pane in self._window.workspace.area.panes:
            if pane.canvas is not None:
                pane.canvas.set_colour_by(by)

    def _runner(self, call: str) -> Callable[[], object]:
        return lambda: self._run(call)

    def _run(self, call: str) -> None:
        self._window.call_bar.set_call(call)
        self._window.run_call()


def _without_state(name: str) -> str:
    return name.removesuffix(_ON)


def _items_of(menu: QMenu, title: str) -> Iterator[Entry]:
    menu.aboutToShow.emit()  # menus that are filled when they are first shown
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from _items_of(inner, f"{title}: {action.text()}")
        elif action.text() and not action.isSeparator() and action.isEnabled():
            state = _ON if action.isCheckable() and action.isChecked() else ""
            name = f"{title}: {action.text().replace('&', '').removesuffix(' …')}{state}"
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            yield Entry(name, keys, action.trigger)
