"""Split groups with very many children into contiguous sections that fit on a page."""

from __future__ import annotations

import dataclasses
import itertools
import math

from jaxscope.analysis.view.arguments import find_arguments, find_results
from jaxscope.analysis.view.draft import Draft
from jaxscope.analysis.view.places import find_cuts
from jaxscope.analysis.view.tree import GATHERED, Branch, BranchKind, Child, map_branches

MAX_CHILDREN = 150
_SECTION_SIZE = 40


def make_sections(draft: Draft, root: Branch) -> Branch:
    """Box runs of about forty children where a group has more than 150.

    Each border lies where the fewest values cross it.
    """

    apart = find_arguments(draft.graph) | find_results(draft.graph)

    def stands_apart(child: Child) -> bool:
        is_gathered = isinstance(child, Branch) and child.kind in GATHERED
        return is_gathered or child in apart

    def set_apart(
        children: tuple[Child, ...],
    ) -> tuple[tuple[Child, ...], tuple[Child, ...], tuple[Child, ...]]:
        """Arguments before the rest, the rest, results after it."""
        start, stop = 0, len(children)
        while start < stop and stands_apart(children[start]):
            start += 1
        while stop > start and stands_apart(children[stop - 1]):
            stop -= 1
        return children[:start], children[start:stop], children[stop:]

    def change(branch: Branch) -> Branch:
        first, children, last = set_apart(branch.children)
        if len(children) <= MAX_CHILDREN:
            return branch
        crossing = find_cuts(draft, children)
        size = max(_SECTION_SIZE, math.ceil(len(children) / MAX_CHILDREN))
        borders = _borders(crossing, len(children), size)
        sections: list[Child] = []
        for number, (start, stop) in enumerate(itertools.pairwise(borders), start=1):
            sections.append(
                Branch(
                    f"{branch.id}/section:{number}",
                    BranchKind.SECTION,
                    f"part {number} of {len(borders) - 1}",
                    children[start:stop],
                )
            )
        return dataclasses.replace(branch, children=(*first, *sections, *last))

    return map_branches(root, change)


def _borders(crossing: list[int], num: int, size: int) -> list[int]:
    borders = [0]
    while num - borders[-1] > size + size // 2:
        ideal = borders[-1] + size
        slack = range(ideal - size // 4, ideal + size // 4 + 1)
        borders.append(min(slack, key=lambda at: (crossing[at], abs(at - ideal))))
    return [*borders, num]
