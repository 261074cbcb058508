"""Frames of open groups as their surroundings see them, and which must be laid out anew."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection

from jaxscope.analysis.layout.wiring import Port, Wiring
from jaxscope.analysis.view.view import View
from jaxscope.model import NONE


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Frame:
    """An open group that is laid out, without what is inside.

    Attributes:
        width: In pixels.
        height: In pixels.
        left: Where its drawing begins, from its left.
        top: Likewise, from its top.
        ports: How far across its drawing each of its ports is.
    """

    width: float
    height: float
    left: float
    top: float
    ports: dict[Port, float]


def find_changed(
    view: View, wiring: Wiring, known: Collection[int], partner_of: Callable[[int], int]
) -> list[int]:
    """The open groups that do not look as they did, insides before what is around them.

    These are the groups that were opened, those around a group that was opened or closed, and the
    other part of a gradient of which one part is among them: the two are as long as each other,
    and each tells of the other.

    Args:
        known: The groups that were open.
        partner_of: The other part of the gradient that a box is a part of, or `NONE`.
    """
    opened = set(wiring.list_open())
    waiting = list(opened ^ set(known))
    changed: set[int] = set()
    while waiting:
        box = waiting.pop()
        if box != NONE and box not in changed:
            changed.add(box)
            waiting += (view.boxes[box].parent, partner_of(box))
    return sorted(changed & opened, reverse=True)
