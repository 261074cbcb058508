"""How differences are marked in drawings: a colour, a sign and a kind of line for each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Graph, NodeKind
from jaxscope.model.graph import WORK_KINDS
from jaxscope.model.said import said, say, say_count
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
        counts: How many differing nodes each stands for: of those that compute something, where
            any of them differs, as boxes count what they hold; else of all.
        totals: How many nodes each stands for, counted alike.
        units: What is counted: `equation`, `operation`, `instruction` or `node`.
        are_mixed: Whether what differs is of several kinds.
    """

    items: npt.NDArray[np.int64]
    changes: Int8s
    counts: npt.NDArray[np.int64]
    totals: npt.NDArray[np.int64]
    units: tuple[str, ...]
    are_mixed: npt.NDArray[np.bool_]

    def describe(self, index: int) -> str:
        """Such as `added`, or `3 of 20 equations changed`."""
        name = said(STYLES[Change(int(self.changes[index]))].name)
        count, total = int(self.counts[index]), int(self.totals[index])
        if total <= 1:
            return name
        of = say_count(total, self.units[index])
        if self.are_mixed[index]:
            return say("{count:,} of {total} changed, added or removed", count=count, total=of)
        return say("{count:,} of {total} {name}", count=count, total=of, name=name)


def mark_items(scene: Scene, changes: Int8s, graph: Graph) -> ItemMarks:
    """Mark the boxes that show nodes of a graph that differ.

    A box that stands for several nodes takes the kind of its differences where they are all of
    one, else it is changed. The frame of an open group is marked for its own node only: what is
    inside speaks for itself.
    """
    num_items = len(scene.items)
    works = np.isin(graph.nodes.kind, WORK_KINDS)
    unit = next((NodeKind(int(kind)).name.lower() for kind in graph.nodes.kind[works]), "node")
    shown = scene.item_of_node != NONE
    tally = _count(scene, changes, shown)
    working = _count(scene, changes, shown & works)
    frames = np.arange(num_items) < scene.items.num_frames
    own = scene.items.node
    is_own_frame = frames & (own != NONE)
    tally[frames] = working[frames] = 0
    for item in np.flatnonzero(is_own_frame).tolist():
        tally[item, changes[own[item]]] = 1
    is_of_work: npt.NDArray[np.bool_] = np.greater(working[:, 1:].sum(axis=1), 0)
    tally[is_of_work] = working[is_of_work]
    differing = tally[:, 1:].sum(axis=1)
    num_kinds: npt.NDArray[np.int64] = np.count_nonzero(tally[:, 1:], axis=1)
    is_single = num_kinds == 1
    kinds = np.where(is_single, tally[:, 1:].argmax(axis=1) + 1, int(Change.CHANGED))
    marked = np.flatnonzero(differing > 0)
    return ItemMarks(
        marked,
        kinds[marked].astype(np.int8),
        differing[marked],
        tally.sum(axis=1)[marked],
        tuple(unit if is_of_work[item] else "node" for item in marked.tolist()),
        np.greater(num_kinds, 1)[marked],
    )


def _count(scene: Scene, changes: Int8s, which: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """By item of a scene, how many of some nodes there are of each kind of difference."""
    tally = np.zeros((len(scene.items), len(Change)), np.int64)
    nodes = np.flatnonzero(which)
    np.add.at(tally, (scene.item_of_node[nodes], changes[nodes]), 1)
    return tally
