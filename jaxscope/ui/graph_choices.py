"""How a person wants graphs to be shown: the same in all panes, and after the next start."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject

from jaxscope.ui.settings import Settings

if TYPE_CHECKING:
    from jaxscope.ui.graph.canvas import GraphCanvas

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
        from jaxscope.analysis.layout.engines import Engine
        from jaxscope.analysis.view.build import PASSES

        known = {each.name for each in PASSES}  # what is remembered may be of another version
        canvas.set_direction(self._direction)
        canvas.set_hidden_passes(self._hidden_passes & known)
        canvas.set_engine(Engine.GRAPHVIZ if self._uses_graphviz else Engine.OWN)
