"""Tell what moved to another group, scope or place from what moved along with its surroundings.

A group has no name that lasts: `fused_computation.3` is `.5` in the next version. So groups
correspond by what they hold: each to the group of the other side that most of its nodes went to.
Where both sides agree on that, a node stayed; where its group went elsewhere, it moved.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.comparison.sequences import longest_rising
from jaxscope.model import Graph, NodeKind

Int64s = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def find_moved_groups(
    first: Graph, second: Graph, at_first: Int64s, at_second: npt.NDArray[np.generic]
) -> Flags:
    """Of each pair of nodes whether it changed its group; the program itself is itself."""
    before, after = first.nodes.group[at_first], second.nodes.group[at_second]
    moved = find_moved_places(before, after)
    # The outermost level needs no vote: it is the same thing on both sides.
    is_outside = (before == -1) | (after == -1)
    return np.where(is_outside, before != after, moved)


def find_moved_places(before: npt.NDArray[np.generic], after: npt.NDArray[np.generic]) -> Flags:
    """Of each pair whether its place went elsewhere than most of the same place.

    Args:
        before: Any numbers that stand for places on the first side.
        after: Likewise on the second side; equal numbers on both sides mean nothing.
    """
    if not len(before):
        return np.zeros(0, np.bool_)
    _, places_a = np.unique(before, return_inverse=True)
    _, places_b = np.unique(after, return_inverse=True)
    to_b = _favourites(places_a, places_b)
    to_a = _favourites(places_b, places_a)
    stays: Flags = (to_b[places_a] == places_b) & (to_a[places_b] == places_a)
    return ~stays


def _favourites(of: Int64s, among: Int64s) -> Int64s:
    """For each number in `of` the most frequent partner; of equals the smallest."""
    width = int(among.max()) + 1
    keys, counts = np.unique(of * width + among, return_counts=True)
    order = np.lexsort((keys, -counts))
    owners = keys[order] // width
    _, first = np.unique(owners, return_index=True)
    favourites: Int64s = keys[order][first] % width
    return favourites


def find_moved_boundaries(
    first: Graph, second: Graph, at_first: Int64s, at_second: npt.NDArray[np.generic]
) -> Flags:
    """Of each pair of inputs or outputs whether it changed its turn among those that stayed.

    An argument before it moves nothing; a swap of two arguments moves one of them.
    """
    moved = np.zeros(len(at_first), np.bool_)
    for kind in (NodeKind.INPUT, NodeKind.OUTPUT):
        is_kind = (first.nodes.kind[at_first] == kind) & (first.nodes.group[at_first] == -1)
        chosen = np.flatnonzero(is_kind)
        seconds = at_second[chosen]
        stays = longest_rising(seconds.tolist())
        moved[np.delete(chosen, stays)] = True
    return moved
