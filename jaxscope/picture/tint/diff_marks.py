"""How differences are marked in drawings: a colour, a sign and a kind of line for each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE
from jaxscope.model.said import said, say
from jaxscope.picture.scene.scene import Scene
from jaxscope.program.diff.changes import Change

Int8s = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class MarkStyle:
    """How one kind of difference looks.

    Attributes:
        name: The word for it.
        sign: What stands in the corner of a box.
        light: Colour on a light ground, `#rrggbb`; 4.5:1 at least.
        dark: Colour on a dark ground.
        dash: Lengths of dash and gap in pixels; empty for a closed line.
    """

    name: str
    sign: str
    light: str
    dark: str
    dash: tuple[float, ...]


STYLES = {
    Change.ADDED: MarkStyle("added", "+", "#00735a", "#5fd3a5", ()),
    Change.REMOVED: MarkStyle("removed", "−", "#a83a00", "#ffa07a", (7.0, 4.0)),
    Change.CHANGED: MarkStyle("changed", "≠", "#7a28cb", "#d2a8ff", (12.0, 3.0)),
    Change.MOVED: MarkStyle("moved", "→", "#0b57d0", "#8ab4f8", (2.0, 3.0)),
}
"""Blue, purple, green and orange are distinguished in all common kinds of colour blindness, and the
signs and dashes distinguish them without any colour."""


BADGE_ABOVE_PX = 5.0
"""How much higher a badge stands on a box than in the legend: on no letter of its title."""


@dataclass(frozen=True, eq=False)
class ItemMarks:
    """What to mark in a scene.

    Attributes:
        items: Items of the scene that differ, in order.
        changes: `Change` codes of them.
        counts: How many differing nodes each stands for.
        totals: How many nodes each stands for.
    """

    items: npt.NDArray[np.int64]
    changes: Int8s
    counts: npt.NDArray[np.int64]
    totals: npt.NDArray[np.int64]

    def describe(self, index: int) -> str:
        """Such as `added`, or `3 of 20 nodes changed`."""
        name = said(STYLES[Change(int(self.changes[index]))].name)
        count, total = int(self.counts[index]), int(self.totals[index])
        if total <= 1:
            return name
        return say("{count:,} of {total:,} nodes {name}", count=count, total=total, name=name)


def mark_items(scene: Scene, changes: Int8s) -> ItemMarks:
    """Mark the boxes that show nodes that differ.

    A box that stands for several nodes takes the kind of its differences where they are all of
    one, else it is changed. The frame of an open group is marked for its own node only: what is
    inside speaks for itself.
    """
    num_items = len(scene.items)
    tally = np.zeros((num_items, len(Change)), np.int64)
    shown = np.flatnonzero(scene.item_of_node != NONE)
    items = scene.item_of_node[shown]
    np.add.at(tally, (items, changes[shown]), 1)
    frames = np.arange(num_items) < scene.items.num_frames
    own = scene.items.node
    is_own_frame = frames & (own != NONE)
    tally[frames] = 0
    for item in np.flatnonzero(is_own_frame).tolist():
        tally[item, changes[own[item]]] = 1
    differing = tally[:, 1:].sum(axis=1)
    is_single = np.count_nonzero(tally[:, 1:], axis=1) == 1
    kinds = np.where(is_single, tally[:, 1:].argmax(axis=1) + 1, int(Change.CHANGED))
    marked = np.flatnonzero(differing > 0)
    return ItemMarks(
        marked, kinds[marked].astype(np.int8), differing[marked], tally.sum(axis=1)[marked]
    )
