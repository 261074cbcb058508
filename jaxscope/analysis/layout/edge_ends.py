"""The edges of a view as columns: where in the tree of boxes each of them runs."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.view.view import View
from jaxscope.model import NONE

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Passings(NamedTuple):
    """Where edges cross borders.

    Attributes:
        edge: The edges.
        group: Whose border each crosses.
        box: The box right inside of it that the edge comes from or goes to.
        is_entry: Whether it enters there.
    """

    edge: Int64s
    group: Int32s
    box: Int32s
    is_entry: Bools


class EdgeEnds:
    """Edges of a view, and what of them does not depend on which groups are open.

    Attributes:
        parent: Of each box the box around it.
        source: Of each edge the box that it leaves.
        target: Box that it reaches.
        node: Node that produces the value.
        type: The type's index in the graph's string table.
        top: Innermost box that holds both ends; `NONE` where one end is inside the other, for
            such an edge has no place to be drawn.
        out: The box right inside `top` that holds the source, or is it.
        into: The box right inside `top` that holds the target, or is it.
    """

    def __init__(self, view: View) -> None:
        boxes, edges = view.boxes, view.edges
        self.parent = np.fromiter((box.parent for box in boxes), np.int32, len(boxes))
        flat = itertools.chain.from_iterable(edges)
        columns = np.fromiter(flat, np.int32, 5 * len(edges)).reshape(-1, 5)
        self.source, self.target, self.node = (columns[:, at].copy() for at in (0, 1, 2))
        self.type = columns[:, 4].copy()
        self.out, self.into = self._climb(_find_depths(self.parent))
        self.top = np.where(self.out == self.into, NONE, self.parent[self.out]).astype(np.int32)

    def _climb(self, depth: Int32s) -> tuple[Int32s, Int32s]:
        """The boxes from which both ends' surroundings are the same; equal where nested."""
        out, into = self.source.copy(), self.target.copy()
        for low, high in ((out, into), (into, out)):
            rows = np.flatnonzero(depth[low] > depth[high])
            while len(rows):
                low[rows] = self.parent[low[rows]]
                rows = rows[depth[low[rows]] > depth[high[rows]]]
        rows = np.flatnonzero(out != into)
        while len(rows):
            rows = rows[self.parent[out[rows]] != self.parent[into[rows]]]
            out[rows], into[rows] = self.parent[out[rows]], self.parent[into[rows]]
        return out, into

    def list_passings(self, is_wanted: Bools) -> Passings:
        """Where edges cross borders of groups below `top`, in the order of the edges.

        Args:
            is_wanted: Of each box, whether its border is asked for.
        """
        parts: list[tuple[Int64s, Int32s, Int32s, Bools]] = []
        for ends, is_entry in ((self.source, False), (self.target, True)):
            rows = np.flatnonzero(self.top != NONE)
            below = ends[rows]
            while len(rows):
                around = self.parent[below]
                inner = around != self.top[rows]
                rows, below, around = rows[inner], below[inner], around[inner]
                asked = is_wanted[around]
                chosen = rows[asked], around[asked], below[asked]
                parts.append((*chosen, np.full(len(chosen[0]), is_entry)))
                below = around
        if not parts:
            nothing = np.zeros(0, np.int32)
            return Passings(nothing.astype(np.int64), nothing, nothing, nothing.astype(bool))
        edge = np.concatenate([part[0] for part in parts])
        order = np.argsort(edge, kind="stable")
        group, box = (np.concatenate([part[at] for part in parts])[order] for at in (1, 2))
        return Passings(edge[order], group, box, np.concatenate([p[3] for p in parts])[order])


def _find_depths(parent: Int32s) -> Int32s:
    """How many boxes are around each box."""
    depth = np.zeros(len(parent), np.int32)
    rows, around = np.arange(len(parent)), parent
    while len(rows):
        is_inside = around != NONE
        rows, around = rows[is_inside], around[is_inside]
        depth[rows] += 1
        around = parent[around]
    return depth
