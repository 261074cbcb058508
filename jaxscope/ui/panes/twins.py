"""Outlines in step with the graphs that they are the twins of: what is open in one is in both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from jaxscope.ui.panes.stage_pane import StagePane

if TYPE_CHECKING:
    from jaxscope.ui.graph.canvas import GraphCanvas
    from jaxscope.ui.workspace import Workspace

_LISTENED = "has_twins"


class Twins(QObject):
    """Leads what is opened and closed in an outline to the graphs of its stage, and back.

    An outline follows the graph that is seen beside it, else the one that its own pane had.
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._area = workspace.area
        # Forms and stages change in several steps; afterwards it is clear what is shown where.
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._match)
        workspace.panes_changed.connect(self._later.start)
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
                pane.header.form_requested.connect(self._on_header_form_requested)
        self._on_canvas_scene_changed()

    def _graphs_of(self, pane: StagePane) -> list[GraphCanvas]:
        """The graphs of what a pane's outline shows, the one to follow first."""
        view = pane.outline.boxes.view
        name = self._area.wanted_stage(pane)
        panes = [pane, *(other for other in self._area.panes if other is not pane)]
        found = [each.canvas for each in panes if self._area.wanted_stage(each) == name]
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

    def _on_header_form_requested(self, _form: object) -> None:
        self._later.start()


def _is_new(part: QObject) -> bool:
    """Whether it was never asked about; it carries the answer itself, for as long as it lives."""
    if part.property(_LISTENED):
        return False
    part.setProperty(_LISTENED, True)
    return True
