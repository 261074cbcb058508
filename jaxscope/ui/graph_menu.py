"""The menu of graphs: what is open in the active one, and how all of them are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu

from jaxscope.ui.graph_choices import DOWN, RIGHT, GraphChoices

if TYPE_CHECKING:
    from jaxscope.ui.graph.canvas import GraphCanvas
    from jaxscope.ui.window import MainWindow

_OPENINGS = (
    ("Open all groups", "Ctrl+Shift+E", "expand_all"),
    ("Open as many as can be read", "Ctrl+Shift+M", "expand_many"),
    ("Close all groups", "Ctrl+Shift+C", "collapse_all"),
    ("Open what is open at first", "Ctrl+Shift+R", "reset_expanded"),
)
_LAST_MENU = "Help"


def add_graph_menu(window: MainWindow, choices: GraphChoices) -> GraphMenu:
    """Put the menu into the window's bar, before the last one."""
    menu = GraphMenu(window, choices)
    last = next((a for a in window.menuBar().actions() if a.text() == _LAST_MENU), None)
    if last is None:
        window.menuBar().addMenu(menu)
    else:
        window.menuBar().insertMenu(last, menu)
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
        from jaxscope.analysis.view.build import PASSES

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
