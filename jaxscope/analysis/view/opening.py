"""Which groups are open at first: as many as fit on a page that one can read."""

from __future__ import annotations

from jaxscope.analysis.view.tree import Branch, BranchKind

MAX_VISIBLE = 60
_FEW = 12
_CLOSED = frozenset({BranchKind.ARGUMENTS, BranchKind.SECTION})


def choose_opened(root: Branch) -> frozenset[str]:
    """Open level by level, small groups first, while at most 60 boxes are visible.

    Repeats stay closed, for one of twelve alike layers tells it all, unless almost nothing else
    would be seen.
    """
    opened: set[str] = set()
    visible = _open_level_by_level(root.children, len(root.children), opened, False)
    if visible < _FEW:
        _open_level_by_level(root.children, visible, opened, True)
    return frozenset(opened)


def _open_level_by_level(
    top: tuple[Branch | int, ...], visible: int, opened: set[str], with_repeats: bool
) -> int:
    level = [child for child in top if isinstance(child, Branch)]
    while level:
        below: list[Branch] = []
        for branch in sorted(level, key=lambda branch: len(branch.children)):
            if branch.id not in opened:
                if branch.kind in _CLOSED:
                    continue
                if branch.kind is BranchKind.REPEAT and not with_repeats:
                    continue
                if visible - 1 + len(branch.children) > MAX_VISIBLE:
                    continue
                visible += len(branch.children) - 1
                opened.add(branch.id)
            below += [child for child in branch.children if isinstance(child, Branch)]
        level = below
    return visible
