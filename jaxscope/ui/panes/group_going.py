"""Goes to a group by the id of its box: selects what is inside, and shows the box."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from jaxscope.model import Graph
from jaxscope.ui.selection import GroupPlace

if TYPE_CHECKING:
    from jaxscope.analysis.view.view import View
    from jaxscope.ui.graph.canvas import GraphCanvas
    from jaxscope.ui.workspace import Workspace


class GroupGoing(QObject):
    """Waits for the picture of a large graph where that is still being worked out."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._awaited: GroupPlace | None = None

    def go_to(self, place: GroupPlace) -> bool:
        """Select a group and bring its box into sight; false where there is no such group."""
        self._awaited = None
        graph = self._workspace.selection.graph_of(place.stage)
        if graph is None:
            return False
        self._workspace.show_stage(place.stage)
        canvas = self._canvas_of(place.stage)
        if canvas is not None and canvas.view is None and canvas.is_busy:
            self._awaited = place
            once = Qt.ConnectionType.SingleShotConnection
            canvas.scene_changed.connect(self._on_canvas_scene_changed, once)
            return True
        return self._select(place, graph, canvas)

    def _select(self, place: GroupPlace, graph: Graph, canvas: GraphCanvas | None) -> bool:
        view = self._view_of(graph, canvas)
        box = view.index_of(place.id)
        if box is None:
            return False
        self._workspace.selection.select_group(place, view.nodes_inside(box))
        if canvas is not None:
            canvas.show_group(place.id)
        return True

    def _view_of(self, graph: Graph, canvas: GraphCanvas | None) -> View:
        if canvas is not None and canvas.view is not None and canvas.view.graph is graph:
            return canvas.view
        from jaxscope.analysis.view.build import build_view  # where no graph is shown

        return build_view(graph)

    def _canvas_of(self, stage: str) -> GraphCanvas | None:
        area = self._workspace.area
        shown = (pane for pane in area.panes if area.wanted_stage(pane) == stage)
        return next((pane.canvas for pane in shown if pane.is_graph_shown), None)

    def _on_canvas_scene_changed(self) -> None:
        place, self._awaited = self._awaited, None
        if place is None:
            return
        graph, canvas = (
            self._workspace.selection.graph_of(place.stage),
            self._canvas_of(place.stage),
        )
        if graph is not None and canvas is not None:
            self._select(place, graph, canvas)
