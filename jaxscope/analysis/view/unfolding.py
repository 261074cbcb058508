"""Open many groups at once, yet no more than one can find one's way in."""

from __future__ import annotations

from jaxscope.analysis.view.framing import open_largest
from jaxscope.analysis.view.tree import GATHERED
from jaxscope.analysis.view.view import View

MANY_BOXES = 300


def open_many(view: View, num_boxes: int = MANY_BOXES) -> frozenset[str]:
    """Ids of the groups to open, those that hide most first, for at most so many boxes.

    Gathered arguments and results stay closed: what is in them is all alike.
    """
    inner = frozenset(box.id for box in view.boxes[1:] if box.children and box.kind not in GATHERED)
    return open_largest(view, inner, num_boxes)
