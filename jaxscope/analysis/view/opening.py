"""Which groups are open at first: as many as fit on a page that one can read."""

from __future__ import annotations

import heapq
import itertools

from jaxscope.analysis.view.halves import counterpart_name
from jaxscope.analysis.view.tree import GATHERED, Branch, BranchKind

MAX_VISIBLE = 60
_FEW = 12
_CLOSED = GATHERED | {BranchKind.SECTION}


def choose_opened(root: Branch) -> frozenset[str]:
    """Open groups, the largest first, while at most 60 boxes are visible.

    Repeats stay closed, for one of twelve alike layers tells it all, unless almost nothing else
    would be seen.
    """
    opened: set[str] = set()
    kinds = _CLOSED | {BranchKind.REPEAT}
    visible = _open_largest(root, len(root.children), opened, kinds, _find_counterparts(root))
    if visible < _FEW:
        _open_largest(root, visible, opened, _CLOSED, frozenset())
    return frozenset(opened)


def _find_counterparts(root: Branch) -> frozenset[str]:
    """Ids of groups of a backward part whose forward layer is one of a closed repeat.

    The last layer's backward part differs from the others', so it stands beside their repeat.
    """
    found: set[str] = set()
    repeated: set[str] = set()
    for child in root.children:  # a forward part comes before its backward part
        if not isinstance(child, Branch):
            continue
        groups = [each for each in child.children if isinstance(each, Branch)]
        if child.kind is BranchKind.FORWARD:
            repeats = (each for each in groups if each.kind is BranchKind.REPEAT)
            repeated |= {counterpart_name(each.label) for each in repeats}
        elif child.kind is BranchKind.BACKWARD:
            found |= {each.id for each in groups if counterpart_name(each.label) in repeated}
        found |= _find_counterparts(child)
    return frozenset(found)


def _open_largest(
    root: Branch,
    visible: int,
    opened: set[str],
    closed: frozenset[BranchKind],
    kept: frozenset[str],
) -> int:
    """Open what hides most first, so that the boxes of the page end up of like weight."""
    leaves: dict[str, int] = {}
    _count_leaves(root, leaves)
    queue: list[tuple[int, int, Branch]] = []
    number = itertools.count()

    def add_children(branch: Branch) -> None:
        for child in branch.children:
            if isinstance(child, Branch) and child.kind not in closed and child.id not in kept:
                heapq.heappush(queue, (-leaves[child.id], next(number), child))

    add_children(root)
    while queue:
        _, _, branch = heapq.heappop(queue)
        if branch.id not in opened:
            if visible - 1 + len(branch.children) > MAX_VISIBLE:
                continue
            visible += len(branch.children) - 1
            opened.add(branch.id)
        add_children(branch)
    return visible


def _count_leaves(branch: Branch, leaves: dict[str, int]) -> int:
    total = sum(
        _count_leaves(child, leaves) if isinstance(child, Branch) else 1
        for child in branch.children
    )
    leaves[branch.id] = total
    return total
