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

import numpy as np

from jaxscope.analysis.view.arguments import find_arguments, find_results
from jaxscope.analysis.view.draft import Draft
from jaxscope.analysis.view.tree import BACKWARD, GATHERED, Branch, BranchKind, Child, map_branches
from jaxscope.model import NONE, Direction, Graph, GroupKind, NodeKind

_MIN_LEAVES = 2
Path = tuple[tuple[str, bool], ...]
"""Names from outermost to innermost, each with whether it is the backward part."""

_PathOf = Callable[[int], tuple[str, ...]]
_HIDDEN_NAMES = frozenset({"<module>", "<lambda>", "<locals>", "<genexpr>", "<listcomp>"})
"""Parts of qualified names that are nobody's name."""


def group_by_scope(draft: Draft, root: Branch) -> Branch:
    """Box the runs of operations that share a named scope or a Flax module path."""
    graph = draft.graph
    scope_groups = _scope_groups(graph)
    nested = graph.nodes.group.tolist()
    offsets, values = graph.nodes.scope.offsets.tolist(), graph.nodes.scope.values.tolist()

    @functools.cache
    def read(row: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(graph.strings[number] for number in row)

    def path(node: int) -> tuple[str, ...]:
        row = tuple(values[offsets[node] : offsets[node + 1]])
        return scope_groups.get(nested[node], ()) or read(row)

    return _group(draft, root, path, "scope", _MIN_LEAVES)


def group_by_function(draft: Draft, root: Branch) -> Branch:
    """Box the runs of operations that one call of a Python function wrote.

    The traceback of each operation says which functions it was written in. In a program with
    scopes only operations outside of them are grouped, by the innermost function.
    """
    graph = draft.graph
    scope_lengths = graph.nodes.scope.lengths().tolist()
    depth = 1 if any(scope_lengths) else None
    offsets, values = graph.nodes.source.offsets.tolist(), graph.nodes.source.values.tolist()

    @functools.cache
    def read(row: tuple[int, ...]) -> tuple[str, ...]:
        names: list[str] = []
        for number in row[:depth][::-1]:
            function = graph.strings[number]
            name = _own_name(function)
            # A lambda has the name of the function that it stands in, and adds no box to it.
            is_nameless = not function.endswith(name)
            if name and not (is_nameless and names[-1:] == [name]):
                names.append(name)
        return tuple(names)

    def path(node: int) -> tuple[str, ...]:
        if scope_lengths[node]:
            return ()
        return read(tuple(values[offsets[node] + 3 : offsets[node + 1] : 4]))

    return _group(draft, root, path, "function", _MIN_LEAVES if depth is None else 3)


def _own_name(function: str) -> str:
    """The innermost name in a qualified one: `update` for `update.<locals>.<lambda>`."""
    return next((p for p in reversed(function.split(".")) if p and p not in _HIDDEN_NAMES), "")


def _scope_groups(graph: Graph) -> dict[int, tuple[str, ...]]:
    """The scope path of each group of kind scope."""
    groups = graph.groups
    paths: dict[int, tuple[str, ...]] = {}
    for group, kind in enumerate(groups.kind.tolist()):
        if kind == GroupKind.SCOPE:
            above = paths.get(int(groups.parent[group]), ())
            paths[group] = (*above, graph.string(groups.label, group))
    return paths


def _group(draft: Draft, root: Branch, path: _PathOf, word: str, least: int) -> Branch:
    graph = draft.graph
    constants = np.flatnonzero(graph.nodes.kind == int(NodeKind.CONSTANT)).tolist()
    apart = find_arguments(graph) | find_results(graph) | frozenset(constants)

    unknown = _find_unknown(graph)
    direction = graph.nodes.direction.tolist()
    backward = int(Direction.BACKWARD)

    @functools.cache
    def mark(names: tuple[str, ...], is_backward: bool) -> Path:
        return tuple((name, is_backward) for name in names)

    def path_of(child: Child) -> Path | None:
        node = child.node if isinstance(child, Branch) else child
        if node == NONE or child in apart:
            return ()
        if node in unknown:
            return None
        return mark(path(node), direction[node] == backward)

    def change(branch: Branch) -> Branch:
        if branch.kind in GATHERED:
            return branch
        paths = _fill_gaps([path_of(child) for child in branch.children])
        # What all share says nothing here; a nested program repeats the path of its owner.
        shared = _shared_start([p for p in paths if p])
        paths = [p[shared:] for p in paths] if shared else paths
        counts: dict[str, int] = {}
        children = _runs(branch.children, paths, 0, f"{branch.id}/{word}:", counts, least)
        return dataclasses.replace(branch, children=children)

    return map_branches(root, change)


def _fill_gaps(paths: list[Path | None]) -> list[Path]:
    """Let operations without a path, which compilers add, belong to what is around them."""
    before: Path = ()
    after: list[Path] = []
    for path in reversed(paths):
        before = before if path is None else path
        after.append(before)
    after.reverse()
    before = ()
    filled: list[Path] = []
    for path, onward in zip(paths, after, strict=True):
        if path is None:
            filled.append(before[: _shared_start([before, onward])])
        else:
            before = path
            filled.append(path)
    return filled


def _find_unknown(graph: Graph) -> frozenset[int]:
    """Instructions that say nothing of where they come from: compilers add such."""
    nodes = graph.nodes
    named = np.zeros(len(nodes), bool)
    if "op_name" in graph.strings:
        key = graph.strings.index("op_name")
        named[nodes.attributes.row_numbers()[nodes.attributes.values == key]] = True
    silent = (nodes.source.lengths() == 0) & (nodes.scope.lengths() == 0) & ~named
    return frozenset(np.flatnonzero(silent & (nodes.kind == int(NodeKind.INSTRUCTION))).tolist())


def _shared_start(paths: list[Path]) -> int:
    if not paths:
        return 0
    low, high = min(paths), max(paths)
    pairs = zip(low, high, strict=False)
    return len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _runs(
    children: tuple[Child, ...],
    paths: list[Path],
    depth: int,
    prefix: str,
    counts: dict[str, int],
    least: int,
) -> tuple[Child, ...]:
    """Wrap neighbours that agree on the path's part at `depth`."""
    result: list[Child] = []
    keyed = zip(children, paths, strict=True)
    for part, group in itertools.groupby(
        keyed, key=lambda pair: pair[1][depth] if len(pair[1]) > depth else None
    ):
        run = list(group)
        inside = tuple(child for child, _ in run)
        if part is None or len(run) < least:
            result += inside
            continue
        name = part[0] + BACKWARD if part[1] else part[0]
        branch_id = f"{prefix}{name}"
        number = counts[branch_id] = counts.get(branch_id, 0) + 1
        if number > 1:
            branch_id += f"#{number}"
        grown = _runs(inside, [p for _, p in run], depth + 1, f"{branch_id}/", counts, least)
        result.append(Branch(branch_id, BranchKind.SCOPE, name, grown))
    return tuple(result)
