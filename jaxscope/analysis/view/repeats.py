"""Show what a program does again and again once, with how often: ×12."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.sharing import find_shown_groups
from jaxscope.analysis.view.arguments import find_arguments, find_results
from jaxscope.analysis.view.draft import Draft
from jaxscope.analysis.view.halves import HALVES
from jaxscope.analysis.view.places import find_cuts
from jaxscope.analysis.view.tree import GATHERED, Branch, BranchKind, Child, map_branches
from jaxscope.model import NONE, Graph

_NUMBER = re.compile(r"_?\d+")
_MIN_PERIOD = 4
_MIN_COPIES = 3
_MIN_CHILDREN = 16
_MAX_PERIOD = 2000


class _Run(NamedTuple):
    """`copies` times `period` children from `start`; up to `slack` more match."""

    start: int
    period: int
    copies: int
    slack: int


def box_repeats(draft: Draft, root: Branch) -> Branch:
    """Box neighbouring stretches of a group that do the same to values of the same types.

    Three copies of at least four children count, or of one group. What the copies do is compared
    by operation and types; their constants and weights may differ.
    """
    signature = _Signature(draft)
    names = _name_calls(draft.graph, root)

    def change(branch: Branch) -> Branch:
        if branch.kind in GATHERED:
            return branch
        children = branch.children
        tokens = np.fromiter(
            (signature.number(child) for child in children), np.int64, len(children)
        )
        labels = [c.label if isinstance(c, Branch) else names.get(c) for c in children]
        cuts = functools.cache(lambda: find_cuts(draft, children))  # few groups need them
        boxed = _box(branch.id, children, tokens, labels, cuts, 0)
        only = boxed[0] if len(boxed) == 1 else None
        is_half = branch.kind in HALVES
        if isinstance(only, Branch) and branch.label and not is_half:
            return dataclasses.replace(only, id=branch.id, label=branch.label, node=branch.node)
        return dataclasses.replace(branch, children=tuple(boxed))

    return map_branches(root, change)


def _name_calls(graph: Graph, root: Branch) -> dict[int, str]:
    """Names of nodes whose inside is a group that is drawn at another node: they are groups too."""
    names: dict[str, str] = {}
    queue = [root]
    for branch in queue:
        names[branch.id] = branch.label
        queue += [child for child in branch.children if isinstance(child, Branch)]
    shown = find_shown_groups(graph)
    calls = np.flatnonzero(shown != NONE)
    ids = (graph.string(graph.groups.id, int(group)) for group in shown[calls])
    return {
        node: names[name] for node, name in zip(calls.tolist(), ids, strict=True) if name in names
    }


def _box(
    prefix: str,
    children: tuple[Child, ...],
    tokens: npt.NDArray[np.int64],
    labels: Sequence[str | None],
    cuts: Callable[[], list[int]],
    first: int,
) -> list[Child]:
    """Box the best run, then what is left before and after it. `first` numbers the children.

    Of `labels`, those of single operations are None.
    """
    is_group = np.fromiter((label is not None for label in labels), bool, len(labels))
    run = _find_run(tokens, is_group)
    if run is None:
        return list(children)
    start = run.start
    if run.slack:
        crossing = cuts()[first:]
        places = range(run.start, run.start + run.slack + 1)
        start = min(places, key=lambda at: (crossing[at], at))
    stop = start + run.period * run.copies
    before = _box(prefix, children[:start], tokens[:start], labels[:start], cuts, first)
    after = _box(prefix, children[stop:], tokens[stop:], labels[stop:], cuts, first + stop)
    repeat_id = f"{prefix}/repeat:{first + start}"
    copies: list[Child] = []
    for number in range(run.copies):
        at = start + number * run.period
        copy = children[at : at + run.period]
        if run.period == 1:
            copies.append(copy[0])
        else:
            label = f"{number + 1} of {run.copies}"
            copies.append(Branch(f"{repeat_id}.{number}", BranchKind.SCOPE, label, copy))
    label = _label(labels[start : start + run.period])
    repeat = Branch(repeat_id, BranchKind.REPEAT, label, tuple(copies), copies=run.copies)
    return [*before, repeat, *after]


def _label(labels: Sequence[str | None]) -> str:
    names = list(dict.fromkeys(_without_numbers(label) for label in labels if label))
    if not names:
        return "repeated"
    return ", ".join(names[:2]) + (", …" if len(names) > 2 else "")


def _without_numbers(label: str) -> str:
    """`layer backward` for `layer_11 backward`: what alike groups have in common."""
    return _NUMBER.sub("", label).rstrip(" ._") or label


def _find_run(tokens: npt.NDArray[np.int64], is_group: npt.NDArray[np.bool_]) -> _Run | None:
    """The run that covers most; among equals, the one with the shortest period."""
    num = len(tokens)
    best: _Run | None = None
    covered = 0
    for period in range(1, min(num // _MIN_COPIES, _MAX_PERIOD) + 1):
        if period * (num // period) <= covered:
            continue
        same = tokens[:-period] == tokens[period:]
        if int(same.sum()) < period * (_MIN_COPIES - 1):
            continue
        start, length = _longest_true(same)
        copies = length // period + 1
        if copies < _MIN_COPIES or copies * period <= covered:
            continue
        stretch = slice(start, start + period)
        if period < _MIN_PERIOD and not bool(is_group[stretch].all()):
            continue
        if period == 1 or copies * period >= _MIN_CHILDREN or bool(is_group[stretch].any()):
            covered = copies * period
            best = _Run(start, period, copies, length + period - covered)
    return best and _shorten(best, tokens)


def _shorten(run: _Run, tokens: npt.NDArray[np.int64]) -> _Run:
    """The same run with its true period: a loop of two operations repeats eight times, not four."""
    num = run.period * run.copies + run.slack
    stretch = tokens[run.start : run.start + num]
    for period in range(1, run.period):
        if np.array_equal(stretch[:-period], stretch[period:]):
            return _Run(run.start, period, num // period, num % period)
    return run


def _longest_true(values: npt.NDArray[np.bool_]) -> tuple[int, int]:
    padded = np.concatenate(([False], values, [False]))
    change = np.flatnonzero(padded[1:] != padded[:-1])
    starts, lengths = change[::2], change[1::2] - change[::2]
    if not len(lengths):
        return 0, 0
    at = int(np.argmax(lengths))
    return int(starts[at]), int(lengths[at])


def _find_sharing(graph: Graph) -> frozenset[int]:
    """Owners of nested programs that others share: only the first of them shows the inside."""
    known = {text: number for number, text in enumerate(graph.strings)}
    keys = [known[key] for key in ("shares", "shared_by") if key in known]
    attributes = graph.nodes.attributes
    found = np.isin(attributes.values, keys)
    return frozenset(attributes.row_numbers()[found].tolist())


class _Signature:
    """Numbers children so that alike ones have the same number."""

    def __init__(self, draft: Draft) -> None:
        graph = draft.graph
        self._numbers: dict[object, int] = {}
        self._branches: dict[int, int] = {}
        self._kept: list[Branch] = []
        self._sharing = _find_sharing(graph)
        self._leaves = self._number_leaves(graph)

    def number(self, child: Child) -> int:
        if isinstance(child, int):
            return self._leaves[child]
        if child.node in self._sharing:
            return self._leaves[child.node]
        known = self._branches.get(id(child))
        if known is None:
            inside = tuple(self.number(each) for each in child.children)
            kept = _without_numbers(child.label)
            known = self._intern((child.kind, kept, inside))
            self._branches[id(child)] = known
            self._kept.append(child)  # so that no other branch gets this id
        return known

    def _number_leaves(self, graph: Graph) -> list[int]:
        """Alike nodes are those of the same operation and types; arguments are never alike."""
        nodes = graph.nodes
        values, offsets = nodes.types.values.tolist(), nodes.types.offsets.tolist()
        columns = (nodes.kind.tolist(), nodes.operation.tolist(), itertools.pairwise(offsets))
        leaves = [
            self._intern((kind, operation, *values[start:stop]))
            for kind, operation, (start, stop) in zip(*columns, strict=True)
        ]
        for node in find_arguments(graph) | find_results(graph):
            leaves[node] = -1 - node
        return leaves

    def _intern(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))
