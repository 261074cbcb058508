"""Group by named scope, or by the Python functions that the operations were written in.

Groups are contiguous runs of program order. Intervals of a topological order can only depend on
earlier intervals, so boxes around them never close a cycle; a scope that the program leaves and
enters again becomes two boxes.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable

from jaxscope.analysis.view.arguments import is_argument
from jaxscope.analysis.view.draft import Draft
from jaxscope.analysis.view.tree import Branch, BranchKind, Child, map_branches
from jaxscope.model import NONE, Graph, GroupKind, NodeKind

_MIN_LEAVES = 2
_PathOf = Callable[[int], tuple[str, ...]]
_HIDDEN_FUNCTIONS = frozenset({"<module>", "<lambda>"})


def group_by_scope(draft: Draft, root: Branch) -> Branch:
    """Box the runs of operations that share a named scope or a Flax module path."""
    graph = draft.graph
    scope_groups = _scope_groups(graph)
    nested = graph.nodes.group.tolist()

    def path(node: int) -> tuple[str, ...]:
        return scope_groups.get(nested[node], ()) or graph.row(graph.nodes.scope, node)

    return _group(draft, root, path, "scope")


def group_by_function(draft: Draft, root: Branch) -> Branch:
    """Box the runs of operations that one call of a Python function wrote.

    Only where a program has no scopes: the traceback of each operation says which functions it
    was written in.
    """
    graph = draft.graph
    if any(length for length in graph.nodes.scope.lengths().tolist()):
        return root
    offsets, values = graph.nodes.source.offsets.tolist(), graph.nodes.source.values.tolist()

    @functools.cache
    def read(row: tuple[int, ...]) -> tuple[str, ...]:
        names = [graph.strings[number] for number in row[::-1]]
        return tuple(
            name.rpartition(".")[2] for name in names if name and name not in _HIDDEN_FUNCTIONS
        )

    def path(node: int) -> tuple[str, ...]:
        return read(tuple(values[offsets[node] + 3 : offsets[node + 1] : 4]))

    return _group(draft, root, path, "function")


def _scope_groups(graph: Graph) -> dict[int, tuple[str, ...]]:
    """The scope path of each group of kind scope."""
    groups = graph.groups
    paths: dict[int, tuple[str, ...]] = {}
    for group, kind in enumerate(groups.kind.tolist()):
        if kind == GroupKind.SCOPE:
            above = paths.get(int(groups.parent[group]), ())
            paths[group] = (*above, graph.string(groups.label, group))
    return paths


def _group(draft: Draft, root: Branch, path: _PathOf, word: str) -> Branch:
    graph = draft.graph

    def path_of(child: Child) -> tuple[str, ...]:
        node = child.node if isinstance(child, Branch) else child
        if node == NONE or (isinstance(child, int) and _stands_apart(graph, node)):
            return ()
        return path(node)

    def change(branch: Branch) -> Branch:
        if branch.kind is BranchKind.ARGUMENTS:
            return branch
        outer = path(branch.node) if branch.node != NONE else ()
        paths = [path_of(child) for child in branch.children]
        if outer and all(p[: len(outer)] == outer for p in paths if p):
            paths = [p[len(outer) :] for p in paths]
        else:
            shared = _shared_start([p for p in paths if p]) if branch.node != NONE else 0
            paths = [p[shared:] for p in paths]
        counts: dict[str, int] = {}
        children = _runs(branch.children, paths, 0, f"{branch.id}/{word}:", counts)
        return dataclasses.replace(branch, children=children)

    return map_branches(root, change)


def _stands_apart(graph: Graph, node: int) -> bool:
    kind = graph.nodes.kind[node]
    return kind in (NodeKind.OUTPUT, NodeKind.CONSTANT) or is_argument(graph, node)


def _shared_start(paths: list[tuple[str, ...]]) -> int:
    if not paths:
        return 0
    low, high = min(paths), max(paths)
    pairs = zip(low, high, strict=False)
    return len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _runs(
    children: tuple[Child, ...],
    paths: list[tuple[str, ...]],
    depth: int,
    prefix: str,
    counts: dict[str, int],
) -> tuple[Child, ...]:
    """Wrap neighbours that agree on the path's part at `depth`."""
    result: list[Child] = []
    keyed = zip(children, paths, strict=True)
    for name, group in itertools.groupby(
        keyed, key=lambda pair: pair[1][depth] if len(pair[1]) > depth else None
    ):
        run = list(group)
        inside = tuple(child for child, _ in run)
        if name is None or len(run) < _MIN_LEAVES:
            result += inside
            continue
        branch_id = f"{prefix}{name}"
        number = counts[branch_id] = counts.get(branch_id, 0) + 1
        if number > 1:
            branch_id += f"#{number}"
        grown = _runs(inside, [p for _, p in run], depth + 1, f"{branch_id}/", counts)
        result.append(Branch(branch_id, BranchKind.SCOPE, name, grown))
    return tuple(result)
