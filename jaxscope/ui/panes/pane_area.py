"""Panes side by side, as many as wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter

from jaxscope.ui.panes.pane_choices import TOLD
from jaxscope.ui.panes.pane_header import SOURCE
from jaxscope.ui.panes.stage_pane import StagePane

if TYPE_CHECKING:
    from jaxscope.ui.graph.graph_page import GraphPage

MAX_PANES = 8


class PaneArea(QSplitter):
    """Owns the panes; `panes_changed` fires when one is opened, closed or shows another stage."""

    node_chosen = Signal(str, int)
    nodes_chosen = Signal(str, object, bool)
    node_hovered = Signal(str, int)
    line_chosen = Signal(str, int)
    lines_chosen = Signal(str, object, bool)
    line_hovered = Signal(str, int)
    panes_changed = Signal()

    def __init__(self, make_graph: Callable[[], GraphPage]) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._make_graph = make_graph
        self._panes: list[StagePane] = []
        self._wanted: dict[StagePane, str] = {}
        self._active: StagePane | None = None
        self.setChildrenCollapsible(False)
        self.setHandleWidth(6)

    @property
    def panes(self) -> Sequence[StagePane]:
        return tuple(self._panes)

    @property
    def active(self) -> StagePane | None:
        """The pane that commands go to."""
        return self._active

    def wanted_stage(self, pane: StagePane) -> str:
        """The stage that a pane is for, also while that stage does not exist yet."""
        return self._wanted[pane]

    def open_pane(self, stage_name: str, *, after: StagePane | None = None) -> StagePane | None:
        """Open a pane for a stage; None if there are too many to be of use."""
        if len(self._panes) >= MAX_PANES:
            return None
        pane = StagePane(self._make_graph)
        for told in TOLD:
            getattr(pane, told).connect(getattr(self, told))
        pane.stage_requested.connect(self._on_pane_stage_requested)
        pane.close_requested.connect(self._on_pane_close_requested)
        pane.add_requested.connect(self._on_pane_add_requested)
        pane.activated.connect(self._on_pane_activated)
        index = len(self._panes) if after is None else self._panes.index(after) + 1
        self._panes.insert(index, pane)
        self._wanted[pane] = stage_name
        self.insertWidget(index, pane)
        self._share_room()
        self._on_pane_activated(pane)
        self.panes_changed.emit()
        return pane

    def show_in_active(self, stage_name: str) -> None:
        """Show a stage in the active pane, unless one shows it already."""
        for pane, name in self._wanted.items():
            if name == stage_name:
                self._on_pane_activated(pane)
                return
        target = self._active
        if target is None or self._wanted[target] == SOURCE:
            target = next((p for p in self._panes if self._wanted[p] != SOURCE), target)
        if target is not None:
            self._on_pane_stage_requested(target, stage_name)
            self._on_pane_activated(target)

    def retarget(self, pane: StagePane, stage_name: str) -> None:
        """Make a pane be for another stage without telling anybody."""
        self._wanted[pane] = stage_name

    def focus_next(self, step: int) -> None:
        """Move the keyboard to the next pane."""
        if not self._panes:
            return
        index = self._panes.index(self._active) if self._active in self._panes else -step
        pane = self._panes[(index + step) % len(self._panes)]
        self._on_pane_activated(pane)
        pane.focus_content()

    def _share_room(self) -> None:
        width = max(self.width(), 300)
        shares = [7 if self._wanted[pane] == SOURCE else 8 for pane in self._panes]
        self.setSizes([width * share // sum(shares) for share in shares])

    def _on_pane_stage_requested(self, pane: StagePane, name: str) -> None:
        self._wanted[pane] = name
        self.panes_changed.emit()

    def _on_pane_close_requested(self, pane: StagePane) -> None:
        if len(self._panes) == 1:
            return
        self._panes.remove(pane)
        del self._wanted[pane]
        pane.hide()
        pane.deleteLater()
        if self._active is pane:
            self._active = None
            self._on_pane_activated(self._panes[0])
        self.panes_changed.emit()

    def _on_pane_add_requested(self, pane: StagePane) -> None:
        self.open_pane(self._wanted[pane], after=pane)

    def _on_pane_activated(self, pane: StagePane) -> None:
        if pane is self._active:
            return
        if self._active is not None:
            self._active.set_active(False)
        self._active = pane
        pane.set_active(True)
