"""Keeps a table of results and the selection in step, where rows stand for nodes of stages."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from jaxscope.program.links import NO_LINKED, Links
from jaxscope.ui.selection.selection import SelectionModel
from jaxscope.ui.toolkit.result_table import ResultTable

NodesOfRow = tuple[str, Collection[int]]
"""The name of a stage and indices of its nodes."""


class LinkedRows:
    """A row that a person chooses selects its nodes; rows with a node that is selected or linked to
    what is selected are marked.

    Args:
        table: Whose rows; it keeps this object alive.
    """

    def __init__(self, table: ResultTable, selection: SelectionModel) -> None:
        self._table, self._selection = table, selection
        self._rows: Sequence[NodesOfRow] = ()
        table.place_selected.connect(self._on_table_place_selected)
        selection.changed.connect(self._on_selection_changed)

    def set_rows(self, rows: Sequence[NodesOfRow]) -> None:
        """Say what each row stands for, in the order of the table that was just set."""
        self._rows = rows
        self._on_selection_changed(self._selection.links)

    def _on_table_place_selected(self, place: int) -> None:
        if place < len(self._rows):
            self._selection.select_nodes(*self._rows[place])

    def _on_selection_changed(self, links: Links) -> None:
        if not self._rows:
            return
        linked = (links.stages.get(stage, NO_LINKED).nodes for stage, _ in self._rows)
        meant = [not a.isdisjoint(b) for a, (_, b) in zip(linked, self._rows, strict=True)]
        self._table.mark(meant.__getitem__)
