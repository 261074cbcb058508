"""The one selection of the window, and what it means in every stage."""

from __future__ import annotations

import os
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from jaxscope.analysis.links import (
    NO_LINKS,
    LineSelection,
    LinkIndex,
    Links,
    NodeSelection,
    Selection,
)
from jaxscope.model import Stage, is_available

Place = tuple[str, str] | LineSelection
"""A node by its stage and id, or a source line."""

_MAX_PLACES = 200


class SelectionModel(QObject):
    """Holds what is selected; `changed` fires with the new `Links`.

    A selection outlives a new run: its nodes are found again by their ids.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stages: Sequence[Stage] = ()
        self._index: LinkIndex | None = None
        self._ids: tuple[str, ...] = ()
        self.selection: Selection | None = None
        self.links: Links = NO_LINKS
        self._past: list[Place] = []
        self._future: list[Place] = []

    def set_stages(self, stages: Sequence[Stage]) -> None:
        """Select among other stages; the selection is kept if its nodes still exist."""
        if stages is self._stages:
            return
        before = {stage.name: stage.graph for stage in self._stages}
        after = {stage.name: stage.graph for stage in stages}
        self._stages = stages
        if before == after:
            return
        self._index = None
        if isinstance(self.selection, NodeSelection):
            self.selection = self._find_again(self.selection.stage)
        self._resolve()

    def select_node(self, stage: str, node: int) -> None:
        """Select one node of a stage."""
        graph = next((s.graph for s in self._stages if s.name == stage), None)
        if graph is None or not is_available(graph) or not 0 <= node < len(graph.nodes):
            return
        self._remember()
        self.selection = NodeSelection(stage, (node,))
        self._ids = (graph.string(graph.nodes.id, node),)
        self._resolve()

    def select_line(self, file: str, line: int) -> None:
        """Select a source line, 1-based."""
        self._remember()
        self.selection = LineSelection(os.path.abspath(file), line)
        self._resolve()

    def select_argument(self, path: str) -> None:
        """Select the input that a place in the call's arguments is, where one is."""
        found = self._links().find_argument(path)
        if found is not None:
            self.select_node(found.stage, found.nodes[0])

    @property
    def place(self) -> Place | None:
        """What is selected, by ids, so that it can be found again after another run."""
        if isinstance(self.selection, NodeSelection):
            return (self.selection.stage, self._ids[0]) if self._ids else None
        return self.selection

    @property
    def previous(self) -> Place | None:
        """What was selected before, if anything was."""
        return self._past[-1] if self._past else None

    def go_back(self) -> bool:
        """Select what was selected before; false where there is nothing of that any more."""
        return self._go(self._past, self._future)

    def go_forward(self) -> bool:
        """Undo going back."""
        return self._go(self._future, self._past)

    def node_at(self, place: Place | None) -> tuple[str, int] | None:
        """Stage and index of the node at a place; None for a line or where it is gone."""
        if place is None or isinstance(place, LineSelection):
            return None
        graph = next((s.graph for s in self._stages if s.name == place[0]), None)
        if graph is None or not is_available(graph) or place[1] not in graph.index_by_id:
            return None
        return place[0], graph.index_by_id[place[1]]

    def _go(self, places: list[Place], others: list[Place]) -> bool:
        while places:
            place, here = places.pop(), self.place
            if not isinstance(place, LineSelection) and self.node_at(place) is None:
                continue
            if here is not None:
                others.append(here)
            kept = list(self._past), list(self._future)
            if isinstance(place, LineSelection):
                self.select_line(place.file, place.line)
            elif (found := self.node_at(place)) is not None:
                self.select_node(*found)
            self._past, self._future = kept
            return True
        return False

    def _remember(self) -> None:
        """Put what is selected now behind; what was ahead is no longer on the way."""
        here = self.place
        if here is not None and (not self._past or self._past[-1] != here):
            self._past = [*self._past[-_MAX_PLACES:], here]
        self._future = []

    def clear(self) -> None:
        """Select nothing."""
        self.selection = None
        self._resolve()

    def _find_again(self, stage: str) -> Selection | None:
        graph = next((s.graph for s in self._stages if s.name == stage), None)
        if graph is None or not is_available(graph):
            return NodeSelection(stage, ())
        found = [graph.index_by_id[i] for i in self._ids if i in graph.index_by_id]
        return NodeSelection(stage, tuple(found))

    def _links(self) -> LinkIndex:
        if self._index is None:
            self._index = LinkIndex(self._stages)
        return self._index

    def _resolve(self) -> None:
        if self.selection is None:
            self.links = NO_LINKS
        else:
            self.links = self._links().find_links(self.selection)
        self.changed.emit(self.links)
