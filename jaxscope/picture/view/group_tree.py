"""Simplifications of the tree of boxes: by named scope or Python function, sections of long groups,
repeats as one box (×12), wrappers dissolved, small things gathered.

Boxes are contiguous runs of program order or sets that nothing outside lies between, so no box
closes a cycle.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
import math
import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Direction, Graph, GroupKind, NodeKind, Ragged
from jaxscope.model.graph import distinct, number_codes
from jaxscope.model.graph_builder import Numbers
from jaxscope.model.said import WITHIN, Said, say
from jaxscope.picture.view.arguments import find_arguments, find_results
from jaxscope.picture.view.control_flow import Role
from jaxscope.picture.view.forward_backward import (
    FORWARD_BACKWARD,
    find_dependencies,
    sort_boxes,
)
from jaxscope.picture.view.operations import (
    CONSTANTS,
    SPREADERS,
    Style,
    short_operation,
    style_of,
    untold_operation,
)
from jaxscope.picture.view.tree import (
    BACKWARD,
    GATHERED,
    ITSELF,
    Branch,
    BranchKind,
    Child,
    Draft,
    box_nodes,
    find_cuts,
    find_drawn,
    find_unknown,
    map_branches,
    nodes_of,
    read_all_orders,
    with_children,
)
from jaxscope.program.dataflow import attribute_column, find_shown_groups

# Group by named scope, or by the Python functions that the operations were written in.
#
# Groups are contiguous runs of program order. Intervals of a topological order can only depend on
# earlier intervals, so boxes around them never close a cycle; a scope that the program leaves and
# enters again becomes two boxes.


_MIN_LEAVES = 2
Path = tuple[tuple[str, str], ...]
"""Names from outermost to innermost, each with how it ends: ` backward` in the backward part."""

_COMPREHENSIONS = {"<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>"}
_HIDDEN_NAMES = frozenset({"<module>", "<lambda>", "<locals>", *_COMPREHENSIONS})
"""Parts of qualified names that are nobody's name."""


def group_by_scope(draft: Draft, root: Branch) -> Branch:
    """Box the runs of operations that share a named scope or a Flax module path."""
    graph = draft.graph
    path_of, rows = graph.nodes.scope.number_rows()
    numbers = {*itertools.chain.from_iterable(rows)}
    names = dict(zip(numbers, map(graph.strings.__getitem__, numbers), strict=True))
    paths = [tuple(map(names.__getitem__, row)) for row in rows]
    for group, path in _scope_groups(graph).items():
        path_of[graph.nodes.group == group] = len(paths)
        paths.append(path)
    return _group(draft, root, path_of, paths, "scope", _MIN_LEAVES)


def group_by_function(draft: Draft, root: Branch) -> tuple[Draft, Branch]:
    """Box the runs of operations that one call of a Python function wrote.

    The traceback of each operation says which functions it was written in. In a program with
    scopes only operations outside of them are grouped, by the innermost function; of one that
    calls others, or opens scopes, the box holds only what is left, and says so. What is in neither
    part of such a program's derivative, such as an optimizer, is grouped by all functions.
    """
    graph = draft.graph
    nodes = graph.nodes
    has_scope = nodes.scope.lengths() > 0
    functions = Ragged(nodes.source.offsets // np.int32(4), nodes.source.values[3::4])
    row_of, rows = functions.number_rows()

    tell = _FunctionNames(graph, rows).tell

    @functools.cache
    def read(row: tuple[int, ...]) -> tuple[str, ...]:
        names: list[str] = []
        for number, name in zip(row[::-1], tell(row), strict=True):
            # A lambda has the name of the function that it stands in, and adds no box to it.
            is_nameless = graph.strings[number].rpartition(".")[2] in _HIDDEN_NAMES
            if name and not (is_nameless and names[-1:] == [name]):
                names.append(name)
        return tuple(names)

    has_parts = bool((nodes.direction == int(Direction.BACKWARD)).any())
    is_beside = has_parts & ~has_scope & (nodes.direction == int(Direction.NONE))
    outside = map(rows.__getitem__, distinct(row_of[nodes.group == NONE]).tolist())
    entry = _find_entry([read(row) for row in outside if row])

    def within(path: tuple[str, ...]) -> tuple[str, ...]:
        """The path without the functions that all was called in, or those of them that it has."""
        ends = (entry[start:] for start in range(len(entry) + 1))
        return next(path[len(end) :] for end in ends if path[: len(end)] == end)

    # XLA orders instructions by their uses: an optimizer is in as many runs as it has parameters.
    if has_parts and (nodes.kind == int(NodeKind.INSTRUCTION)).any():

        def functions_of(node: int) -> tuple[str, ...]:
            return within(read(rows[row_of[node]])) if is_beside[node] else ()

        draft = dataclasses.replace(draft, functions_of=functions_of)
    if not has_scope.any():
        paths = list(map(read, rows))
        return draft, _group(draft, root, row_of, paths, "function", _MIN_LEAVES)
    around = [tell(rows[number]) for number in distinct(row_of[~is_beside]).tolist()]
    callers = _find_callers(filter(None, around))
    alone = (
        tuple(f"{name}{ITSELF}" if name in callers else name for name in read(row[:1]))
        for row in rows
    )
    # Operations in scopes have no path, and those beside them all of it.
    paths = [(), *alone, *(within(read(row)) for row in rows)]
    path_of = np.where(has_scope, 0, 1 + row_of + len(rows) * is_beside)
    return draft, _group(draft, root, path_of, paths, "function", 3, is_beside)


def _find_entry(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Functions that all was called in, outermost first.

    Of what stood in calls that were inlined, HLO may not know what called the function that is
    traced: such a path begins deeper than others.
    """
    deeper = {name for path in paths for name in path[1:] if name != path[0]}
    known = [path for path in paths if path and path[0] not in deeper] or paths
    shared = _shared_start([tuple((name, "") for name in path) for path in known])
    return known[0][:shared] if known else ()


def _find_callers(stacks: Iterable[tuple[str, ...]]) -> frozenset[str]:
    """Names of functions from which others were called; stacks end with the innermost."""
    found: set[str] = set()
    for *others, last in stacks:
        found.update(each for each in others if each != last)
    return frozenset(found)


class _FunctionNames:
    """What functions are called in a drawing.

    A function has the innermost of its qualified name: `update` for `update.<locals>.<lambda>`. A
    module that is called has the name of its class: `MLP` for `MLP.__call__`. Closures that
    several functions have made, by that name, have the name of the one that made them, which has
    returned: Optax's transformations are all called `update_fn`, and are told as `scale_by_adam`.
    """

    def __init__(self, graph: Graph, stacks: Iterable[tuple[int, ...]]) -> None:
        self._names = {
            number: _split_name(graph.strings[number])
            for number in {*itertools.chain.from_iterable(stacks)}
        }
        makers: dict[str, set[str]] = {}
        for name, maker in self._names.values():
            makers.setdefault(name, set()).update([maker] if maker else ())
        self._shared = frozenset(name for name, each in makers.items() if len(each) > 1)

    def tell(self, stack: tuple[int, ...]) -> tuple[str, ...]:
        """Names of functions of a stack, which begins with the innermost; they end with it."""
        calls = [self._names[number] for number in stack[::-1]]
        running = {name for name, _ in calls}
        return tuple(
            maker if name in self._shared and maker and maker not in running else name
            for name, maker in calls
        )


def _split_name(function: str) -> tuple[str, str]:
    """The name of a function, and of the one whose local function it is, or nothing."""
    parts = function.split(".")
    while parts and (not parts[-1] or parts[-1] in _HIDDEN_NAMES):
        parts.pop()
    if parts[-1:] == ["__call__"] and len(parts) > 1 and parts[-2] not in _HIDDEN_NAMES:
        parts.pop()
    *around, name = parts or [""]
    return name, _split_name(".".join(around))[0] if around[-1:] == ["<locals>"] else ""


def _scope_groups(graph: Graph) -> dict[int, tuple[str, ...]]:
    """The scope path of each group of kind scope."""
    groups = graph.groups
    paths: dict[int, tuple[str, ...]] = {}
    for group, kind in enumerate(groups.kind.tolist()):
        if kind == GroupKind.SCOPE:
            above = paths.get(int(groups.parent[group]), ())
            paths[group] = (*above, graph.string(groups.label, group))
    return paths


def _group(
    draft: Draft,
    root: Branch,
    path_of: npt.NDArray[np.integer[Any]],
    paths: Sequence[tuple[str, ...]],
    word: str,
    least: int,
    is_whole: npt.NDArray[np.bool_] | None = None,
) -> Branch:
    """Box the runs of operations that share a path.

    Args:
        path_of: Of each node which of `paths` it has.
        word: For the ids of the boxes.
        least: Operations in a box.
        is_whole: Of each node whether its path is told even where all others share it.
    """
    if not any(paths[number] for number in distinct(path_of).tolist()):
        return root
    graph = draft.graph
    orders, ends = read_all_orders(graph), ["", BACKWARD]
    end_of = (graph.nodes.direction == int(Direction.BACKWARD)).astype(np.int64)
    for node, order in orders.items():
        if end_of[node]:
            end_of[node] = len(ends)
            ends.append(f" {order}")
    number, no_path, is_unknown = path_of * len(ends) + end_of, -1, -2
    marked: dict[int, Path | None] = {no_path: (), is_unknown: None}
    for each in distinct(number).tolist():
        names, end = divmod(each, len(ends))
        marked[each] = tuple((name, ends[end]) for name in paths[names])
    number[[*find_unknown(graph).union(draft.seeds)]] = is_unknown
    of_owner = np.append(no_path, number)  # the first is that of groups without a node
    apart = find_arguments(graph) | find_results(graph) | draft.flow.roles.keys()
    number[[*apart]] = no_path
    number[graph.nodes.kind == int(NodeKind.CONSTANT)] = no_path
    number_of = np.append(number, of_owner)
    # Each part of a training step, which does more than to differentiate, has its own ends, and
    # what all are called in says nothing of any.
    is_beside = graph.nodes.direction == int(Direction.NONE)
    is_beside &= np.array([bool(path) for path in paths])[path_of]
    has_update = bool((is_beside[graph.edges.target] & (end_of > 0)[graph.edges.source]).any())
    whole = frozenset(() if is_whole is None else np.flatnonzero(is_whole).tolist())

    def change(branch: Branch) -> Branch:
        if branch.kind in GATHERED:
            return branch
        places: Sequence[Child] = branch.children
        if branch.branches:
            places = [c if isinstance(c, int) else len(number) + 1 + c.node for c in places]
        numbers = number_of[np.array(places, np.int64)]
        starts = np.append(0, np.flatnonzero(numbers[1:] != numbers[:-1]) + 1)[: len(numbers)]
        paths = _fill_gaps([*map(marked.__getitem__, numbers[starts].tolist())])
        bounds = [*starts.tolist(), len(numbers)]
        # What all share says nothing here; a nested program repeats the path of its owner.
        is_told = bool(whole) and branch.kind is not BranchKind.FUSION
        is_told = is_told and any(isinstance(c, int) and c in whole for c in branch.children)
        named = [p for p in paths if p]
        if has_update:
            named = [tuple((name, "") for name, _ in p) for p in named]
        shared = 0 if is_told else _shared_start(named)
        paths = [p[shared:] for p in paths] if shared else paths
        wrapper = _Wrapper(branch.children, least, draft.dissolves, not branch.branches)
        return with_children(branch, wrapper.wrap(bounds, paths, 0, f"{branch.id}/{word}:"))

    return map_branches(root, change)


_LEAST_BESIDE = 4
"""Two parts, and two things that can be joined."""


def join_beside_parts(draft: Draft, root: Branch) -> Branch:
    """Join what is of one scope or function beside the parts of a gradient, as an optimizer is.

    In HLO only: XLA orders instructions by their uses, one parameter of an optimizer after the
    other.
    """
    nodes = draft.graph.nodes
    has_parts = (nodes.direction == int(Direction.BACKWARD)).any()
    if not has_parts or not (nodes.kind == int(NodeKind.INSTRUCTION)).any():
        return root

    def change(branch: Branch) -> Branch:
        if not any(child.kind in FORWARD_BACKWARD for _, child in branch.branches):
            return branch
        return with_children(branch, _join_named(draft, branch.id, branch.children, 0))

    return map_branches(root, change, _LEAST_BESIDE)


def _join_named(
    draft: Draft, prefix: str, children: tuple[Child, ...], depth: int
) -> tuple[Child, ...]:
    """Join what has one name, and in that likewise.

    Two things are joined unless a value leads from one to the other by way of what is in neither.
    Each name takes time in the number of dependencies.

    Args:
        prefix: Of the ids of the new groups.
        depth: So many names of functions are told by the groups around.
    """

    def name_of(child: Child) -> str:
        if isinstance(child, Branch) and child.kind is BranchKind.SCOPE and child.node == NONE:
            return child.label.partition(" / ")[0]
        node = child.node if isinstance(child, Branch) else child
        return "".join(draft.functions_of(node)[depth : depth + 1]) if node != NONE else ""

    for name, count in collections.Counter(map(name_of, children)).items():
        before = find_dependencies(draft, children) if name and count > 1 else None
        if before is None:
            continue
        is_member = [name_of(child) == name for child in children]
        left = [0] * len(children)  # how often a value that comes there has left such a group
        for at, sources in enumerate(before):
            left[at] = max(
                (left[each] + (is_member[each] and not is_member[at]) for each in sources),
                default=0,
            )
        boxes: dict[tuple[int, int], list[int]] = {}
        for at in range(len(children)):
            key = (left[at], NONE) if is_member[at] else (NONE, at)
            boxes.setdefault(key, []).append(at)
        joined: list[Child] = []
        for number, box in enumerate(sort_boxes([*boxes.values()], before)):
            members = tuple(children[at] for at in box)
            id = f"{prefix}/joined:{name}#{number}"
            joined += _join(draft, id, name, members, depth) if len(box) > 1 else members
        children = tuple(joined)
    return children


def _join(
    draft: Draft, id: str, name: str, members: tuple[Child, ...], depth: int
) -> tuple[Child, ...]:
    """One group of several things of one name; they themselves, where it would hold few."""
    inside: list[Child] = []
    for child in members:
        if not isinstance(child, Branch) or child.kind is not BranchKind.SCOPE:
            inside.append(child)
        elif child.label == name:
            inside += child.children
        else:
            inside.append(dataclasses.replace(child, label=child.label.removeprefix(f"{name} / ")))
    if len(inside) < _MIN_JOINED:
        return members
    grown = _join_named(draft, id, tuple(inside), depth + 1)
    only = grown[0] if len(grown) == 1 else None
    if isinstance(only, Branch) and only.kind is BranchKind.SCOPE:
        return (dataclasses.replace(only, label=_join_labels(name, only.label)),)
    return (Branch(id, BranchKind.SCOPE, name, grown),)


_MIN_JOINED = 3


def _fill_gaps(paths: list[Path | None]) -> list[Path]:
    """Let operations without a path, which compilers add, belong to what is around them."""
    if None not in paths:
        return [path for path in paths if path is not None]
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


def _shared_start(paths: list[Path]) -> int:
    if not paths:
        return 0
    low, high = min(paths), max(paths)
    pairs = zip(low, high, strict=False)
    return len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))


@dataclass(frozen=True, eq=False, slots=True)
class _Wrapper:
    """Wraps neighbours that agree on parts of their paths.

    Attributes:
        children: Those of one branch.
        least: Operations in a box.
        joins: Whether a group that would hold a single one is only a name of that.
        is_plain: Whether all children are nodes.
        counts: How many groups have an id but for its number.
    """

    children: tuple[Child, ...]
    least: int
    joins: bool
    is_plain: bool
    counts: dict[str, int] = dataclasses.field(default_factory=dict)

    def wrap(
        self, bounds: Sequence[int], paths: Sequence[Path], depth: int, prefix: str
    ) -> tuple[Child, ...]:
        """Wrap neighbours that agree on the path's part at `depth`, and in them on the next.

        Args:
            bounds: Where the children of each path begin, and where those of the last one end.
        """
        if len(paths) == 1:
            return self._wrap_all(bounds[0], bounds[1], paths[0][depth:], prefix)
        if max(map(len, paths), default=0) <= depth:
            return self.children[bounds[0] : bounds[-1]]
        result: list[Child] = []
        parts = [path[depth] if len(path) > depth else None for path in paths]
        stop = 0
        for part, same in itertools.groupby(parts):
            start, stop = stop, stop + len(list(same))
            first, last = bounds[start], bounds[stop]
            if part is None or last - first < self.least:
                result += self.children[first:last]
            elif stop - start == 1:
                result += self._wrap_all(first, last, paths[start][depth:], prefix)
            else:
                id, label = self._name(part, prefix)
                within = bounds[start : stop + 1], paths[start:stop]
                grown = self.wrap(*within, depth + 1, f"{id}/")
                result.append(Branch(id, BranchKind.SCOPE, label, grown))
        return tuple(result)

    def _wrap_all(self, start: int, stop: int, path: Path, prefix: str) -> tuple[Child, ...]:
        """Wrap children that have one path."""
        inside = self.children[start:stop]
        if stop - start < self.least:
            return inside
        names: list[tuple[str, str]] = []
        for part in path:
            name = self._name(part, prefix)
            names.append(name)
            prefix = f"{name[0]}/"
        if self.joins and len(names) > 1:
            id, joint = names.pop()
            for _, name_around in reversed(names):
                joint = _join_labels("" if name_around.startswith(_NOISE) else name_around, joint)
            names = [(id, joint)]
        box = box_nodes if self.is_plain else Branch
        for id, label in reversed(names):
            inside = (box(id, BranchKind.SCOPE, label, inside),)
            box = Branch
        return inside

    def _name(self, part: tuple[str, str], prefix: str) -> tuple[str, str]:
        """The id and the label of the next group."""
        name = part[0] + part[1]
        id = f"{prefix}{part[0].removesuffix(ITSELF)}{part[1]}"
        number = self.counts[id] = self.counts.get(id, 0) + 1
        return f"{id}#{number}" if number > 1 else id, name


MAX_CHILDREN = 150
_SECTION_SIZE = 40


def make_sections(draft: Draft, root: Branch) -> Branch:
    """Box runs of about forty children where a group has more than 150.

    Each border lies where the fewest values cross it.
    """

    apart = find_arguments(draft.graph) | find_results(draft.graph) | draft.flow.roles.keys()

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
        if len(branch.children) <= MAX_CHILDREN:
            return branch
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
                    say("part {number} of {num}", number=number, num=len(borders) - 1),
                    children[start:stop],
                )
            )
        return dataclasses.replace(branch, children=(*first, *sections, *last))

    return map_branches(root, change, MAX_CHILDREN + 1)


def _borders(crossing: list[int], num: int, size: int) -> list[int]:
    borders = [0]
    while num - borders[-1] > size + size // 2:
        ideal = borders[-1] + size
        slack = range(ideal - size // 4, ideal + size // 4 + 1)
        borders.append(min(slack, key=lambda at: (crossing[at], abs(at - ideal))))
    return [*borders, num]


_NUMBER = re.compile(r"_?\d+")
_MIN_PERIOD = 4
_MIN_COPIES = 3
_MIN_CHILDREN = 16
_MAX_PERIOD = 2000
_MANY_ALIKE = 64
"""Groups in a group; fewer are numbered one by one."""


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
    repeats = _Repeats(draft, root)
    # Single operations are a run only where they are many.
    return map_branches(root, repeats.box, 0 if repeats.names else _MIN_CHILDREN)


class _Repeats:
    """Boxes alike children.

    Attributes:
        names: Names of calls whose inside is drawn at another node; see `_name_calls`.
    """

    def __init__(self, draft: Draft, root: Branch) -> None:
        self._draft = draft
        self._signature = _Signature(draft)
        self.names = _name_calls(draft.graph, root)
        self._find_run = functools.cache(_find_run)  # groups of a repeat look alike

    def box(self, branch: Branch) -> Branch:
        """Box the alike stretches of a group's children."""
        if branch.kind in GATHERED:
            return branch
        children = branch.children
        tokens = self._signature.number_all(branch)
        labels: list[str | None] = [None] * len(children)
        for at, inner in branch.branches:
            labels[at] = _tell(self._draft.graph, inner)
        for at, child in enumerate(children) if self.names else ():
            labels[at] = self.names.get(child, labels[at])
        known: list[list[int]] = []

        def cuts() -> list[int]:
            """Of all children; few groups need them."""
            if not known:
                known.append(find_cuts(self._draft, children))
            return known[0]

        boxed = _box(branch.id, children, tokens, labels, cuts, self._find_run, 0)
        only = boxed[0] if len(boxed) == 1 < len(children) else None
        is_half = branch.kind in (*FORWARD_BACKWARD, BranchKind.ORDER)
        if isinstance(only, Branch) and branch.label and not is_half:
            return dataclasses.replace(only, id=branch.id, label=branch.label, node=branch.node)
        return with_children(branch, boxed)


def _name_calls(graph: Graph, root: Branch) -> dict[Child, str]:
    """Names of nodes whose inside is a group that is drawn at another node: they are groups too."""
    shown = find_shown_groups(graph)
    if not len(shown.node):
        return {}
    names: dict[str, str] = {}
    queue = [root]
    for branch in queue:
        names[branch.id] = branch.label
        queue += [child for _, child in branch.branches]
    found: dict[Child, str] = {}
    for node, group in zip(shown.node.tolist(), shown.group.tolist(), strict=True):
        name = names.get(graph.string(graph.groups.id, group))
        if name is not None:
            found.setdefault(node, name)
    return found


def _box(
    prefix: str,
    children: tuple[Child, ...],
    tokens: tuple[int, ...],
    labels: Sequence[str | None],
    cuts: Callable[[], list[int]],
    find_run: Callable[[tuple[int, ...], tuple[bool, ...]], _Run | None],
    first: int,
) -> list[Child]:
    """Box the best run, then what is left before and after it. `first` numbers the children.

    Of `labels`, those of single operations are None.
    """
    run = find_run(tokens, tuple(label is not None for label in labels))
    if run is None:
        return list(children)
    start = run.start
    if run.slack:
        crossing = cuts()[first:]
        places = range(run.start, run.start + run.slack + 1)
        start = min(places, key=lambda at: (crossing[at], at))
    stop = start + run.period * run.copies
    before = _box(prefix, children[:start], tokens[:start], labels[:start], cuts, find_run, first)
    after = _box(
        prefix, children[stop:], tokens[stop:], labels[stop:], cuts, find_run, first + stop
    )
    repeat_id = f"{prefix}/repeat:{first + start}"
    label: str
    copies: list[Child] = []
    for number in range(run.copies):
        at = start + number * run.period
        copy = children[at : at + run.period]
        if run.period == 1:
            copies.append(copy[0])
        else:
            label = say("{number} of {num}", number=number + 1, num=run.copies)
            copies.append(Branch(f"{repeat_id}.{number}", BranchKind.SCOPE, label, copy))
    label = _label(labels[start : start + run.period])
    repeat = Branch(repeat_id, BranchKind.REPEAT, label, tuple(copies), copies=run.copies)
    return [*before, repeat, *after]


def _label(labels: Sequence[str | None]) -> str:
    every = [_without_numbers(label) for label in labels if label]
    names = list(dict.fromkeys(every))
    if not names:
        return say("repeated")
    outermost = collections.Counter(map(_outermost, every))
    shared, count = outermost.most_common(1)[0]
    if len(names) > 2 and 2 * count > len(labels):  # more than a few names of its parts tell
        return _and_more(shared, len(outermost) - 1 + sum(not label for label in labels))
    return _join_names(names)


def _outermost(label: str) -> str:
    """The first scope of a path of scopes; of the backward part, if the path is."""
    stem = label.removesuffix(BACKWARD)
    return stem.partition(" / ")[0] + label[len(stem) :]


@functools.lru_cache(maxsize=4096)
def _without_numbers(label: str) -> str:
    """`layer backward` for `layer_11 backward`: what alike groups have in common."""
    return _without_ends(_NUMBER.sub("", label), label)


def _without_ends(name: str, label: str) -> str:
    """What is left of a label without its numbers; the label, where nothing is."""
    return name.rstrip(" ._") or label


def _find_run(children: tuple[int, ...], are_groups: tuple[bool, ...]) -> _Run | None:
    """The run that covers most; among equals, the one with the shortest period.

    Args:
        children: A number of each, the same for alike ones.
        are_groups: Of each, whether it is a group.
    """
    num = len(children)
    if num < _MIN_COPIES:
        return None
    tokens, is_group = np.asarray(children, np.int64), np.asarray(are_groups)
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
    columns = (attribute_column(graph, key) for key in ("shares", "shared_by"))
    return frozenset(np.flatnonzero(np.logical_or(*(each != NONE for each in columns))).tolist())


class _Signature:
    """Numbers children so that alike ones have the same number."""

    def __init__(self, draft: Draft) -> None:
        graph = draft.graph
        self._numbers = Numbers[object]()
        self._branches: dict[int, int] = {}
        self._kept: list[Branch] = []
        self._sharing = set(_find_sharing(graph))
        self._leaves = self._number_leaves(graph)
        for owner in tuple(self._sharing):
            home = draft.home[owner]
            if graph.nodes.group[home] != graph.nodes.group[owner]:  # the one thing that is in it
                self._sharing.add(home)
                self._leaves[home] = self._leaves[owner]

    def number_all(self, branch: Branch) -> tuple[int, ...]:
        """The numbers of the children of a branch."""
        if branch.branches:
            if len(branch.branches) >= _MANY_ALIKE:
                self._number_plain([child for _, child in branch.branches if not child.branches])
            return tuple(map(self.number, branch.children))
        return tuple(map(self._leaves.__getitem__, cast("tuple[int, ...]", branch.children)))

    def number(self, child: Child) -> int:
        if isinstance(child, int):
            return self._leaves[child]
        if child.node in self._sharing:
            return self._leaves[child.node]
        known = self._branches.get(id(child))
        if known is None:
            kept = _without_numbers(child.label)
            known = self._numbers[child.kind, kept, self.number_all(child)]
            self._branches[id(child)] = known
            self._kept.append(child)  # so that no other branch gets this id
        return known

    def _number_plain(self, branches: list[Branch]) -> None:
        """Number branches that hold nodes alone, all at once: there may be a hundred thousand."""
        labels = [branch.label for branch in branches]
        names = _NUMBER.sub("", "\n".join(labels)).split("\n")
        if len(names) != len(labels):  # a label of several lines
            return
        stops = np.cumsum([0, *[len(branch.children) for branch in branches]], dtype=np.int32)
        inside = itertools.chain.from_iterable([branch.children for branch in branches])
        nodes = np.fromiter(cast("Iterator[int]", inside), np.int64, int(stops[-1]))
        leaves = np.array(self._leaves, np.int32)[nodes]
        codes, rows = Ragged(stops, leaves).number_rows()
        for branch, name, code in zip(branches, names, codes.tolist(), strict=True):
            kept = _without_ends(name, branch.label)
            self._branches[id(branch)] = self._numbers[branch.kind, kept, rows[code]]
        self._kept += branches

    def _number_leaves(self, graph: Graph) -> list[int]:
        """Alike nodes are those of the same operation and types; arguments are never alike."""
        nodes, num = graph.nodes, len(graph.strings)
        types, known = number_codes(nodes.types.values.astype(np.int64), num)
        operation, operations = number_codes(nodes.operation.astype(np.int64), num)
        what = nodes.kind.astype(np.int64) * len(operations) + operation
        is_one = nodes.types.lengths() == 1  # nearly all: these have one number as their key
        first = nodes.types.offsets[:-1][is_one]
        keys = what[is_one] * len(known) + types[first]
        numbers = np.zeros(len(what), np.int64)
        numbers[is_one], keys = number_codes(keys, int(what.max(initial=0) + 1) * len(known))
        self._numbers.update((key, number) for number, key in enumerate(keys.tolist()))
        leaves: list[int] = numbers.tolist()
        for node in np.flatnonzero(~is_one).tolist():
            leaves[node] = self._numbers[(int(what[node]), *nodes.types[node].tolist())]
        for node in find_arguments(graph) | find_results(graph):
            leaves[node] = -1 - node
        return leaves


_NOISE = "wrapped_"  # XLA names a fusion of one instruction so


def dissolve_wrappers(draft: Draft, root: Branch) -> tuple[Draft, Branch]:
    """Replace every box around one thing, such as a `jit` of one equation, by that thing."""
    dissolver = _Dissolver(draft.graph, {}, dict(draft.captions))
    visited = [*root.children]
    for place, child in root.branches:
        if child.branches or len(child.children) == 1:
            visited[place] = dissolver.visit(child)
    children = tuple(visited)
    if len(children) == 1 and isinstance(children[0], Branch):
        children = children[0].children if children[0].node == NONE else children
    root = dataclasses.replace(root, children=children)
    at = np.array(draft.home, np.int64)
    at[[*dissolver.moved]] = [*dissolver.moved.values()]
    settled = dataclasses.replace(draft, captions=dissolver.captions)
    if dissolver.moved or not np.array_equal(at[at], at):
        home = at.tolist()
        drawn = array("i", [n if home[n] == n else find_drawn(home, n) for n in home])
        settled = dataclasses.replace(settled, home=drawn)
    return settled, root


@dataclass(frozen=True, slots=True)
class _Dissolver:
    graph: Graph
    moved: dict[int, int]
    captions: dict[int, str]

    def visit(self, branch: Branch) -> Child:
        inside = branch.branches
        children = [*branch.children]
        for at, child in inside:
            if child.branches or len(child.children) == 1:
                children[at] = self.visit(child)
        if branch.kind in GATHERED or branch.kind is BranchKind.ARM or len(children) != 1:
            return with_children(branch, children)
        only = children[0]
        if isinstance(only, int):
            if branch.node not in (NONE, only):
                self.moved[branch.node] = only
            self.captions[only] = _join_labels(self._name_of(branch), self.captions.get(only, ""))
            return only
        if branch.node != NONE and only.node not in (NONE, branch.node):
            self.moved[branch.node] = only.node
        label = _join_labels(self._name_of(branch), only.label)
        node = branch.node if only.node == NONE else only.node
        return Branch(only.id, only.kind, label, only.children, node, only.copies)

    def _name_of(self, branch: Branch) -> str:
        """The name that is worth keeping: neither the compiler's nor only the operation's."""
        graph = self.graph
        operation = NONE if branch.node == NONE else int(graph.nodes.operation[branch.node])
        is_plain = operation != NONE and short_operation(graph.strings[operation]) == branch.label
        return "" if is_plain or branch.label.startswith(_NOISE) else branch.label


def _join_labels(outer: str, inner: str) -> str:
    """Both names, each once."""
    if not inner or inner == outer:
        return outer
    if inner.endswith(BACKWARD):
        outer = outer.removesuffix(BACKWARD)
    if outer and not isinstance(outer, Said) and not isinstance(inner, Said):
        return f"{outer} / {inner}"  # the same in each language, and there may be many
    return say(WITHIN, outer=outer, inner=inner) if outer else inner


# Keep a page to a few dozen boxes: captured arrays, small preparations, what is small and near.
#
# None of it can close a cycle. Captured arrays depend on nothing; preparations depend on arguments
# and each other only, as finishing steps only feed results and each other; everything else is
# gathered in runs of program order.


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
    """One box for the arrays that the program captured, such as tables and weights.

    So in nested programs, which JAX may hand them on to.
    """
    graph = draft.graph
    captured: frozenset[Child] = frozenset(
        np.flatnonzero(graph.nodes.kind == int(NodeKind.CONSTANT)).tolist()
    )

    def gather(branch: Branch, wanted: frozenset[Child]) -> Branch:
        if len(wanted) < _MIN_CONSTANTS:
            return branch
        constants = tuple(child for child in branch.children if child in wanted)
        if len(constants) < _MIN_CONSTANTS:
            return branch
        box = Branch(f"{branch.id}/constants", BranchKind.CONSTANTS, say("constants"), constants)
        start = branch.children.index(constants[0])
        rest = tuple(child for child in branch.children[start:] if child not in wanted)
        return dataclasses.replace(branch, children=(*branch.children[:start], box, *rest))

    def change(branch: Branch) -> Branch:
        is_nested = branch.id != root.id and branch.kind not in GATHERED
        return gather(branch, captured) if is_nested else branch

    constants = captured.union(graph.nodes_of(CONSTANTS))
    return gather(map_branches(root, change) if captured else root, constants)


def gather_helpers(draft: Draft, root: Branch) -> Branch:
    """One box for the copies and broadcasts that come before the work, and one for those after.

    Compilers add many of them, most as the buffers that loops write to. In scopes, where what
    prepares is a part of what the scope is about, only copies.
    """
    graph = draft.graph
    roles = draft.flow.roles
    border = set((find_arguments(graph) | find_results(graph)) - roles.keys())
    border.update(node for node, role in roles.items() if role in (Role.PIECE_IN, Role.PIECE_OUT))
    for child in root.children:
        if isinstance(child, Branch) and child.kind is BranchKind.CONSTANTS:
            border.update(each for each in child.children if isinstance(each, int))
    users = functools.cache(draft.users)
    strings, codes = graph.strings, graph.nodes.operation.tolist()
    known = distinct(graph.nodes.operation).tolist()
    copies = {code for code in known if strings[code] == _COPY}
    helpers = {code for code in known if _is_helper(strings[code])}

    def gather(branch: Branch, wanted: Collection[int]) -> Branch:
        if len(branch.children) <= _MANY or not wanted:
            return branch

        def is_wanted(child: int) -> bool:
            return codes[child] in wanted

        first = _closed_run(branch.children, border, draft.inputs.sources, is_wanted)
        branch = _box_up(draft, branch, first, "before")
        last = _closed_run(reversed(branch.children), border, lambda n: users()(n), is_wanted)
        return _box_up(draft, branch, last, "after")

    maps = frozenset(graph.nodes_of({"shard_map"}))

    def change(branch: Branch) -> Branch:
        if branch.node in maps:  # pmap takes the axis from each argument, and gives it to results
            return gather(branch, helpers)
        return gather(branch, copies) if branch.kind is BranchKind.SCOPE else branch

    return gather(map_branches(root, change, _MANY + 1) if copies or maps else root, helpers)


_COPY = "copy"


def _is_helper(operation: str) -> bool:
    return operation in SPREADERS or style_of(operation) in (Style.MOVEMENT, Style.CONSTANT)


def _closed_run(
    children: Iterable[Child],
    border: Collection[int],
    near: Callable[[int], list[int]],
    is_wanted: Callable[[int], bool],
) -> list[int]:
    """Wanted nodes whose sources, or users, are all at the border or wanted nodes themselves."""
    found: set[int] = set()  # beside the border, which is as large as the program may be
    for child in children:
        if isinstance(child, Branch) or child in border or not is_wanted(child):
            continue
        if all(each in border or each in found for each in near(child)):
            found.add(child)
    return sorted(found)


def _box_up(draft: Draft, root: Branch, helpers: list[int], side: str) -> Branch:
    if len(helpers) < _MIN_HELPERS:
        return root
    graph = draft.graph
    label = _join_names(short_operation(graph.operation(n)) for n in helpers)
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
        if isinstance(child, Branch) and child.kind in FORWARD_BACKWARD
        else child
        for child in branch.children
    )
    branch = dataclasses.replace(branch, children=children)
    return _gather_own(draft, branch, apart)


def _gather_own(draft: Draft, branch: Branch, apart: frozenset[int]) -> Branch:
    total = branch.num_leaves
    if len(branch.children) <= _MANY_SMALL:
        return branch
    kinds, limit, least = _GATHERABLE, _SMALL_SHARE * total, _MIN_RUN
    if total < _MIN_TOTAL:
        # Beside both parts of a gradient fusions stay closed at first: of an update, in one box.
        known = {child.kind for _, child in branch.branches}
        if not known.issuperset(FORWARD_BACKWARD):
            return branch
        kinds, limit, least = frozenset({BranchKind.FUSION}), total, _MIN_HELPERS
    graph = draft.graph

    def is_small(child: Child) -> bool:
        if isinstance(child, int):
            return child not in apart
        return child.kind in kinds and child.num_leaves <= limit

    sizes = [c.num_leaves if isinstance(c, Branch) else 1 for c in branch.children if is_small(c)]
    if 2 * sum(sizes) > total:
        return branch  # nothing is small beside its like
    children: list[Child] = []
    for small, group in itertools.groupby(branch.children, key=is_small):
        run = list(group)
        num = len(run) if kinds is _GATHERABLE else sum(isinstance(c, Branch) for c in run)
        if not small or num < least:
            children += run
            continue
        told = [c for c in run if isinstance(c, Branch) and c.kind is BranchKind.SCOPE]
        scopes = {_outermost(child.label) for child in told}
        if len(told) > 1 and len(scopes) == 1:
            ids = set(map(id, told))
            others = {_name_of(draft, child) for child in run if id(child) not in ids}
            label = _and_more(scopes.pop(), len(others))
        else:
            label = _join_names(_name_of(draft, child) for child in (*told, *run))
        first = run[0]
        name = first.id if isinstance(first, Branch) else graph.id(first)
        children.append(Branch(f"{branch.id}/small:{name}", BranchKind.SECTION, label, tuple(run)))
    return dataclasses.replace(branch, children=tuple(children))


_GATHERABLE = frozenset(
    {BranchKind.NESTED, BranchKind.FUSION, BranchKind.SCOPE, BranchKind.SECTION}
)


# Many values that cross the border of a loop or an arm are one box for each way that they go.


_MAX_PORTS = 3
_PORT_LABELS = {
    Role.CARRY_IN: say("carry"),
    Role.SLICE: say("xs[i]"),
    Role.CARRY_OUT: say("next carry"),
    Role.STACKED: say("ys[i]"),
    Role.RESULT: say("results"),
    Role.PIECE_IN: say("parts in"),
    Role.PIECE_OUT: say("parts out"),
}


def gather_ports(draft: Draft, root: Branch) -> Branch:
    """One box for the values that a loop carries, one for its slices, and so on."""
    roles = draft.flow.roles
    if not roles:
        return root

    def change(branch: Branch) -> Branch:
        by_role: dict[Role, list[int]] = {}
        for child in branch.children:
            if isinstance(child, int) and child in roles:
                by_role.setdefault(roles[child], []).append(child)
        boxes = {
            members[0]: Branch(
                f"{branch.id}/{role.name.lower()}",
                BranchKind.PORTS,
                _PORT_LABELS[role],
                tuple(members),
            )
            for role, members in by_role.items()
            if len(members) > _MAX_PORTS and role in _PORT_LABELS
        }
        if not boxes:
            return branch
        inside = {node for box in boxes.values() for node in box.children}
        children = [
            boxes.get(child, child) if isinstance(child, int) else child
            for child in branch.children
            if isinstance(child, Branch) or child not in inside or child in boxes
        ]
        return dataclasses.replace(branch, children=tuple(children))

    return map_branches(root, change)


def _name_of(draft: Draft, child: Child) -> str:
    if isinstance(child, Branch):
        return _tell(draft.graph, child).rpartition(" / ")[2]
    return short_operation(draft.graph.operation(child))


def _tell(graph: Graph, branch: Branch) -> str:
    """The label of a group, or what a fusion does whose name does not tell."""
    if branch.kind is not BranchKind.FUSION:
        return branch.label
    inside = (node for child in branch.children for node in nodes_of(child))
    return untold_operation(branch.label, map(graph.operation, inside)) or branch.label


_FUSION_ENDING = re.compile(r"_fusion(\.\d+)?$")


def _join_names(names: Iterable[str]) -> str:
    """Two names, or the first and how many more there are, each once; of fusions, what they do."""
    known = list(dict.fromkeys(name for name in names if name))
    if len(known) > 1:
        known = list(dict.fromkeys(_FUSION_ENDING.sub("", name) for name in known))
    if len(known) > _MAX_NAMES:
        return _and_more(known[0], len(known) - 1)
    return ", ".join(known)


def _and_more(name: str, num: int) -> str:
    return say("{name} and {num} more", name=name, num=num) if num else name
