"""Places of a capture that a person marked, with what they wrote about them."""

from __future__ import annotations

import dataclasses

SOURCE_STAGE = "source"
"""Stands for a stage's name where a line of a file is marked."""


@dataclasses.dataclass(frozen=True, slots=True)
class Bookmark:
    """A marked node, group of nodes, or source line.

    Attributes:
        stage: Name of the node's stage, or `SOURCE_STAGE`.
        place: The node's id; of a line, `PATH:LINE`, the line counted from 1; of a group, the id of
            its box in a view.
        note: What was written about it, or empty.
        group: What stands on the box where a group is marked; empty for nodes and lines.
    """

    stage: str
    place: str
    note: str = ""
    group: str = ""
