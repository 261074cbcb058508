"""The tree of boxes, and how the graph's own groups make it."""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Callable

from jaxscope.analysis.view.draft import Draft
from jaxscope.analysis.view.operations import short_operation
from jaxscope.model import NONE, GroupKind

ROOT_ID = "root"
BACKWARD = " backward"
"""Ends the labels of groups of the backward part."""


class BranchKind(enum.IntEnum):
    """Why boxes stand together."""

    PROGRAM = 0
    NESTED = 1
    FUSION = 2
    SCOPE = 3
    ARGUMENTS = 4
    REPEAT = 5
    SECTION = 6
    RESULTS = 7
    FORWARD = 8
    BACKWARD = 9
    CONSTANTS = 10


GATHERED = frozenset({BranchKind.ARGUMENTS, BranchKind.RESULTS, BranchKind.CONSTANTS})
"""Boxes of values that come from outside or go there: they hold no operations."""


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Branch:
    """A box with boxes inside.

    Attributes:
        id: Unique in a view and the same for the same program and passes.
        node: Node that this is the inside of, or `NONE`.
        children: Branches, and nodes as numbers, in program order.
        copies: How many alike things a `REPEAT` holds; 1 for everything else.
    """

    id: str
    kind: BranchKind
    label: str
    children: tuple[Child, ...]
    node: int = NONE
    copies: int = 1

    def num_leaves(self) -> int:
        """Nodes with a box of their own, at any depth."""
        return sum(
            child.num_leaves() if isinstance(child, Branch) else 1 for child in self.children
        )


Child = Branch | int


def map_branches(branch: Branch, change: Callable[[Branch], Branch]) -> Branch:
    """Rebuild a tree from the inside out, every branch changed."""
    children = tuple(
        map_branches(child, change) if isinstance(child, Branch) else child
        for child in branch.children
    )
    return change(dataclasses.replace(branch, children=children))


def grow_tree(draft: Draft) -> Branch:
    """The tree of the graph's own groups: nested programs, fusions, computations, regions.

    Scope groups are left to the pass that groups by scope: theirs may be scattered over the
    program, and boxes around scattered things close cycles.
    """
    graph = draft.graph
    groups = graph.groups
    owners, parents = groups.owner.tolist(), groups.parent.tolist()
    kinds = groups.kind.tolist()

    @functools.cache
    def container(group: int) -> int:
        while group != NONE and kinds[group] == GroupKind.SCOPE:
            group = parents[group]
        return group

    members: dict[int, list[int]] = {}
    for node, group in enumerate(graph.nodes.group.tolist()):
        if draft.is_shown(node):
            members.setdefault(container(group), []).append(node)
    insides: dict[int, list[int]] = {}
    strays: dict[int, list[int]] = {}
    for group, owner in enumerate(owners):
        if kinds[group] == GroupKind.SCOPE:
            continue
        if owner != NONE and _encloses(draft, group, owner, parents):
            insides.setdefault(owner, []).append(group)
        else:
            strays.setdefault(container(parents[group]), []).append(group)
    return _Grower(draft, members, insides, strays).grow()


def _encloses(draft: Draft, group: int, owner: int, parents: list[int]) -> bool:
    """Whether the owner has its own box and stands where the group says it does."""
    at = int(draft.graph.nodes.group[owner])
    return draft.is_shown(owner) and at == parents[group]


@dataclasses.dataclass(frozen=True, slots=True)
class _Grower:
    draft: Draft
    members: dict[int, list[int]]
    insides: dict[int, list[int]]
    strays: dict[int, list[int]]

    def grow(self) -> Branch:
        return Branch(ROOT_ID, BranchKind.PROGRAM, "", self._children(NONE))

    def _children(self, group: int) -> tuple[Child, ...]:
        children: list[Child] = []
        for node in self.members.get(group, ()):
            insides = [self._inside(inside) for inside in self.insides.get(node, ())]
            insides = [inside for inside in insides if inside.children]
            children.append(self._owner(node, insides) if insides else node)
        strays = [self._inside(stray) for stray in self.strays.get(group, ())]
        return (*children, *(stray for stray in strays if stray.children))

    def _owner(self, node: int, insides: list[Branch]) -> Branch:
        graph = self.draft.graph
        node_id = graph.string(graph.nodes.id, node)
        if len(insides) == 1:
            return dataclasses.replace(insides[0], node=node)
        return Branch(
            f"{node_id}:",
            BranchKind.NESTED,
            short_operation(graph.string(graph.nodes.operation, node)),
            tuple(insides),
            node=node,
        )

    def _inside(self, group: int) -> Branch:
        graph = self.draft.graph
        is_fusion = graph.groups.kind[group] == GroupKind.FUSION
        return Branch(
            graph.string(graph.groups.id, group),
            BranchKind.FUSION if is_fusion else BranchKind.NESTED,
            graph.string(graph.groups.label, group),
            self._children(group),
        )
