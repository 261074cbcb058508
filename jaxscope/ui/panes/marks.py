"""Which lines of a stage's text belong to a selection."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.links import Linked
from jaxscope.model import StageText
from jaxscope.ui.panes.code_painting import Mark


def marks_of_nodes(text: StageText, linked: Linked) -> dict[int, Mark]:
    """Marks by 0-based line number."""
    marks: dict[int, Mark] = {}
    for nodes, mark in (
        (linked.forward, Mark.FORWARD),
        (linked.backward, Mark.BACKWARD),
        (linked.selected, Mark.SELECTED),
    ):
        if len(nodes):
            for line in np.flatnonzero(np.isin(text.line_nodes, nodes)).tolist():
                marks[line] = mark
    return marks


def marks_of_lines(lines: npt.NDArray[np.int32]) -> dict[int, Mark]:
    """Marks of lines that a search found, by 0-based number."""
    return dict.fromkeys(lines.tolist(), Mark.FOUND)
