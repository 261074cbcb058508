"""The colours of rows that belong to a selection, for tables and trees."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QBrush, QColor

from jaxscope.analysis.links import Linked
from jaxscope.ui.theme import LIGHT, Theme

_FORWARD, _BACKWARD, _SELECTED, _AHEAD = 1, 2, 4, 8
_PREVIEW_STRENGTH = 0.45


class RowMarks:
    """One byte per row; a brush per kind of mark, made once per theme."""

    def __init__(self) -> None:
        self._marks: npt.NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._theme = LIGHT
        self._brushes = _brushes(LIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Use a theme's colours."""
        if theme is not self._theme:
            self._theme, self._brushes = theme, _brushes(theme)

    def set_links(
        self,
        num_rows: int,
        linked: Linked,
        preview: Linked,
        row_of_node: npt.NDArray[np.int32] | None = None,
    ) -> None:
        """Mark rows.

        Args:
            num_rows: How many there are.
            linked: Nodes of the selection.
            preview: Nodes that are looked at ahead.
            row_of_node: Row of each node, -1 for none; None where a node's index is its row.
        """
        self._marks = np.zeros(num_rows, np.uint8)
        for nodes, mark in (
            (linked.forward, _FORWARD),
            (linked.backward, _BACKWARD),
            (linked.selected, _SELECTED),
            (preview.forward, _FORWARD | _AHEAD),
            (preview.backward, _BACKWARD | _AHEAD),
        ):
            rows = nodes if row_of_node is None else row_of_node[nodes[nodes < len(row_of_node)]]
            rows = rows[(rows >= 0) & (rows < num_rows)]
            if mark & _AHEAD:
                rows = rows[self._marks[rows] == 0]
            self._marks[rows] = mark

    def brush(self, row: int) -> QBrush | None:
        """The ground of a row, or None for the usual one."""
        mark = int(self._marks[row]) if 0 <= row < len(self._marks) else 0
        return self._brushes.get(mark)


def _brushes(theme: Theme) -> dict[int, QBrush]:
    brushes = {}
    for mark, name in (
        (_FORWARD, theme.forward_soft),
        (_BACKWARD, theme.backward_soft),
        (_SELECTED, theme.selected_soft),
    ):
        faint = QColor(name)
        faint.setAlphaF(_PREVIEW_STRENGTH)
        brushes[mark], brushes[mark | _AHEAD] = QBrush(QColor(name)), QBrush(faint)
    return brushes
