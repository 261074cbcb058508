"""Find the boxes of a picture again in the picture of the same program after a small edit."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from jaxscope.model import NONE
from jaxscope.picture.view.view import ROOT, View

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

_MOST_AROUND = 24
"""Groups around a node that are looked at; more only costs time."""

_LEAST_COMMON = 0.5
"""Share of the nodes of two groups, taken together, that both must hold to be one group."""

_LEAST_COMMON_OF_NAMESAKES = 0.2


class BoxFollower:
    """Knows which box of a view is which box of a later one.

    A box of one node is where that node is. A group is the group that holds most of its nodes;
    names decide where two hold equally many, as groups in groups may.
    """

    def __init__(self, old: View, new: View) -> None:
        from jaxscope.program.diff.matching import follow_nodes  # with the second picture

        self._old, self._new = old, new
        self._node_of = follow_nodes(old.graph, new.graph)

    def find_node(self, box: int) -> int:
        """The box of the node of a box that is no group, or the root if the node is gone."""
        node = self._old.boxes[box].node
        found = NONE if node == NONE else int(self._node_of[node])
        return ROOT if found == NONE else max(int(self._new.box_of_node[found]), ROOT)

    def find_groups(self, groups: Collection[int]) -> dict[int, int]:
        """Of groups of the old view, those that were found, and which they are in the new one."""
        is_wanted = np.zeros(len(self._old.boxes), bool)
        is_wanted[list(groups)] = True
        old_sizes, new_sizes = (_count_nodes(view) for view in (self._old, self._new))
        old, new, common = self._count_common(is_wanted)
        share = common / (old_sizes[old] + new_sizes[new] - common)
        rows = [
            (share_, self._is_namesake(a, b), -abs(self._depth(a, b)), a, b)
            for share_, a, b in zip(share.tolist(), old.tolist(), new.tolist(), strict=True)
        ]
        found: dict[int, int] = {}
        taken: set[int] = set()
        for share_, is_namesake, _, a, b in sorted(rows, reverse=True):
            least = _LEAST_COMMON_OF_NAMESAKES if is_namesake else _LEAST_COMMON
            if share_ >= least and a not in found and b not in taken:
                found[a] = b
                taken.add(b)
        return found

    def _count_common(self, is_wanted: npt.NDArray[np.bool_]) -> tuple[Int64s, Int64s, Int64s]:
        """Pairs of groups of both views, and how many nodes are in both."""
        known = np.flatnonzero(self._node_of != NONE)
        around_old = _list_around(self._old, self._old.box_of_node[known])
        around_new = _list_around(self._new, self._new.box_of_node[self._node_of[known]])
        width = len(self._new.boxes)
        keys = [np.zeros(0, np.int64)]
        for old in around_old:
            rows = np.flatnonzero((old > ROOT) & is_wanted[old])
            for new in around_new:
                chosen = rows[new[rows] > ROOT]
                keys.append(old[chosen].astype(np.int64) * width + new[chosen])
        pairs, counts = np.unique(np.concatenate(keys), return_counts=True)
        kept = self._new.boxes.is_group[pairs % width]
        return (pairs // width)[kept], (pairs % width)[kept], counts[kept]

    def _is_namesake(self, old: int, new: int) -> bool:
        one, other = self._old.boxes[old], self._new.boxes[new]
        return (one.kind, one.label) == (other.kind, other.label)

    def _depth(self, old: int, new: int) -> int:
        return len(self._old.ancestors(old)) - len(self._new.ancestors(new))


def _list_around(view: View, boxes: Int32s) -> list[Int32s]:
    """Boxes, the boxes around them, the boxes around those, and so on; the root or less beyond."""
    parent = view.boxes.parent
    found: list[Int32s] = []
    while len(found) < _MOST_AROUND and (boxes > ROOT).any():
        found.append(boxes)
        boxes = np.where(boxes > ROOT, parent[boxes], ROOT).astype(np.int32)
    return found


def _count_nodes(view: View) -> Int64s:
    """How many nodes are in each box, at any depth."""
    counts = np.zeros(len(view.boxes), np.int64)
    for boxes in _list_around(view, view.box_of_node):
        counts += np.bincount(boxes[boxes > ROOT], minlength=len(counts))
    return counts
