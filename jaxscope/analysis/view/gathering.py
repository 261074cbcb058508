"""Keep a page to a few dozen boxes: captured arrays, small preparations, what is small and near.

None of it can close a cycle. Captured arrays depend on nothing; preparations depend on arguments
and each other only, as finishing steps only feed results and each other; everything else is
gathered in runs of program order.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable

from jaxscope.analysis.view.arguments import find_arguments, find_results
from jaxscope.analysis.view.draft import Draft
from jaxscope.analysis.view.halves import HALVES
from jaxscope.analysis.view.operations import CONSTANTS, Style, short_operation, style_of
from jaxscope.analysis.view.tree import Branch, BranchKind, Child
from jaxscope.model import NodeKind

_MIN_CONSTANTS = 4
_MIN_HELPERS = 3
_MANY = 10
"""With so few boxes, none is in the way."""
_MANY_SMALL = 8
_MIN_TOTAL = 200
"""Operations; in a smaller program every one is worth seeing."""
_MIN_RUN = 2
_SMALL_SHARE = 0.03  # of all operations: what would be a speck on a map drawn to scale
_MAX_NAMES = 2


def gather_constants(draft: Draft, root: Branch) -> Branch:
    """One box for the arrays that the program captured, such as tables and weights."""
    graph = draft.graph
    kinds, operations = graph.nodes.kind.tolist(), graph.nodes.operation.tolist()

    def is_constant(child: Child) -> bool:
        return isinstance(child, int) and (
            kinds[child] == int(NodeKind.CONSTANT) or graph.strings[operations[child]] in CONSTANTS
        )

    constants = tuple(child for child in root.children if is_constant(child))
    if len(constants) < _MIN_CONSTANTS:
        return root
    box = Branch(f"{root.id}/constants", BranchKind.CONSTANTS, "constants", constants)
    start = next(at for at, child in enumerate(root.children) if is_constant(child))
    rest = tuple(child for child in root.children[start:] if not is_constant(child))
    return dataclasses.replace(root, children=(*root.children[:start], box, *rest))


def gather_helpers(draft: Draft, root: Branch) -> Branch:
    """One box for the copies and broadcasts that come before the work, and one for those after.

    Compilers add many of them, most as the buffers that loops write to.
    """
    if len(root.children) <= _MANY:
        return root
    users = draft.users()
    first = _closed_run(draft, root, root.children, lambda n: [i.source for i in draft.inputs[n]])
    root = _box_up(draft, root, first, "before")
    last = _closed_run(draft, root, reversed(root.children), users.__getitem__)
    return _box_up(draft, root, last, "after")


def _closed_run(
    draft: Draft, root: Branch, children: Iterable[Child], near: Callable[[int], list[int]]
) -> list[int]:
    """Helpers that have nothing on one side but the program's border and each other."""
    graph = draft.graph
    border = set(find_arguments(graph) | find_results(graph))
    for child in root.children:
        if isinstance(child, Branch) and child.kind is BranchKind.CONSTANTS:
            border.update(each for each in child.children if isinstance(each, int))
    operations = graph.nodes.operation.tolist()
    found: list[int] = []
    for child in children:
        if isinstance(child, Branch) or child in border:
            continue
        style = style_of(graph.strings[operations[child]])
        if style in (Style.MOVEMENT, Style.CONSTANT) and border.issuperset(near(child)):
            border.add(child)
            found.append(child)
    return sorted(found)


def _box_up(draft: Draft, root: Branch, helpers: list[int], side: str) -> Branch:
    if len(helpers) < _MIN_HELPERS:
        return root
    graph = draft.graph
    label = _join_names(short_operation(graph.string(graph.nodes.operation, n)) for n in helpers)
    box = Branch(f"{root.id}/{side}", BranchKind.SECTION, label, tuple(helpers))
    at = root.children.index(helpers[0] if side == "before" else helpers[-1])
    inside = set(helpers)
    children = [
        box if number == at else child
        for number, child in enumerate(root.children)
        if number == at or isinstance(child, Branch) or child not in inside
    ]
    return dataclasses.replace(root, children=tuple(children))


def gather_small(draft: Draft, root: Branch) -> Branch:
    """Box neighbours that are small beside the rest, where a program has many parts.

    The two parts of a gradient are programs of their own in this.
    """
    apart = find_arguments(draft.graph) | find_results(draft.graph)
    return _gather_runs(draft, root, apart)


def _gather_runs(draft: Draft, branch: Branch, apart: frozenset[int]) -> Branch:
    children = tuple(
        _gather_runs(draft, child, apart)
        if isinstance(child, Branch) and child.kind in HALVES
        else child
        for child in branch.children
    )
    branch = dataclasses.replace(branch, children=children)
    return _gather_own(draft, branch, apart)


def _gather_own(draft: Draft, branch: Branch, apart: frozenset[int]) -> Branch:
    total = branch.num_leaves()
    if len(branch.children) <= _MANY_SMALL or total < _MIN_TOTAL:
        return branch
    graph = draft.graph
    limit = _SMALL_SHARE * total

    def is_small(child: Child) -> bool:
        if isinstance(child, int):
            return child not in apart
        return child.kind in _GATHERABLE and child.num_leaves() <= limit

    sizes = [c.num_leaves() if isinstance(c, Branch) else 1 for c in branch.children if is_small(c)]
    if 2 * sum(sizes) > total:
        return branch  # nothing is small beside its like
    children: list[Child] = []
    for small, group in itertools.groupby(branch.children, key=is_small):
        run = list(group)
        if not small or len(run) < _MIN_RUN:
            children += run
            continue
        told = [c for c in run if isinstance(c, Branch) and c.kind is BranchKind.SCOPE]
        label = _join_names(_name_of(draft, child) for child in (*told, *run))
        first = run[0]
        name = first.id if isinstance(first, Branch) else graph.string(graph.nodes.id, first)
        children.append(Branch(f"{branch.id}/small:{name}", BranchKind.SECTION, label, tuple(run)))
    return dataclasses.replace(branch, children=tuple(children))


_GATHERABLE = frozenset(
    {BranchKind.NESTED, BranchKind.FUSION, BranchKind.SCOPE, BranchKind.SECTION}
)


def _name_of(draft: Draft, child: Child) -> str:
    if isinstance(child, Branch):
        return child.label.rpartition(" / ")[2]
    return short_operation(draft.graph.string(draft.graph.nodes.operation, child))


def _join_names(names: Iterable[str]) -> str:
    """The first names, each once."""
    known = list(dict.fromkeys(name for name in names if name))
    return ", ".join(known[:_MAX_NAMES]) + (", …" if len(known) > _MAX_NAMES else "")
