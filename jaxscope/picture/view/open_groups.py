"""Which groups are open: at first as many as fit on a page, for a page of given width, or many at
once.

**Rule.** Alike groups are opened together or not at all: layers beside each other, the same
function at several places of one group, and what belongs together in both parts of a gradient. Of
a repeat one copy stands for all; while it is closed, so is what is left of its layers. A group that
only holds parts by number, as of a long function, is left closed, and so is one that hides less
than half of what a closed one beside it hides. Beside both parts of a gradient all else stays
closed. Only where nearly nothing would be seen otherwise, one group is opened by itself.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
from collections.abc import Collection, Sequence

import numpy as np

from jaxscope.model import NONE
from jaxscope.picture.view.forward_backward import FORWARD_BACKWARD, counterpart_name, pair_id
from jaxscope.picture.view.tree import GATHERED, Branch, BranchKind, Child
from jaxscope.picture.view.view import ROOT, Box, BoxEdges, Boxes, View, is_first_of_equal

MAX_VISIBLE = 60
MANY_BOXES = 300
LEAST_BOXES = 6
"""With fewer a whole program says less than a part of it."""
_FEW = 12
_MOST_TIMES_LARGER = 2
"""A group stays closed if a closed one beside it hides more than so many times as much."""
_CLOSED = GATHERED | {BranchKind.SECTION}


def choose_opened(root: Branch) -> frozenset[str]:
    """Open groups, the largest first, while at most 60 boxes are visible.

    Repeats stay closed, as one of twelve alike layers shows what all do, unless almost nothing else
    would be seen. So does a group of more boxes, unless the program is hardly more than that group.
    """
    opened: set[str] = set()
    kinds, outside = _CLOSED | {BranchKind.REPEAT}, _find_outside(root)
    kept = _find_counterparts(root) | outside
    visible = _open_largest(root, len(root.children), opened, kinds, kept)
    if visible < _FEW:
        visible = _open_largest(root, visible, opened, _CLOSED, outside)
    if visible < LEAST_BOXES:
        _open_largest(root, visible, opened, _CLOSED, frozenset(), MANY_BOXES)
    return frozenset(opened)


def _find_outside(root: Branch) -> frozenset[str]:
    """Ids of groups that belong to no part of a gradient, where there are both, as of a loop of
    indices that is computed before them: they would take the room of what was asked for.
    """
    if not _holds_parts(root):
        return frozenset()
    found: set[str] = set()
    for _, child in root.branches:
        if child.kind not in FORWARD_BACKWARD:
            found |= _find_outside(child) if _holds_parts(child) else {child.id}
    return frozenset(found)


def _holds_parts(branch: Branch) -> bool:
    """Whether both parts of a gradient are somewhere in a group, and it is not in one itself."""
    groups = [child for _, child in branch.branches]
    kinds = {child.kind for child in groups}
    return kinds.issuperset(FORWARD_BACKWARD) or any(
        child.kind not in FORWARD_BACKWARD and child.branches and _holds_parts(child)
        for child in groups
    )


def _find_counterparts(root: Branch) -> frozenset[str]:
    """Ids of groups of a backward part whose forward layer is one of a closed repeat.

    The last layer's backward part differs from the others', so it stands beside their repeat.
    """
    found: set[str] = set()
    repeated: set[str] = set()
    for _, child in root.branches:  # a forward part comes before its backward part
        groups = [each for _, each in child.branches]
        if child.kind is BranchKind.FORWARD:
            repeats = (each for each in groups if each.kind is BranchKind.REPEAT)
            repeated |= {counterpart_name(each.label) for each in repeats}
        elif child.kind is BranchKind.BACKWARD:
            found |= {each.id for each in groups if counterpart_name(each.label) in repeated}
        if groups:
            found |= _find_counterparts(child)
    return frozenset(found)


def _open_largest(
    root: Branch,
    visible: int,
    opened: set[str],
    closed: frozenset[BranchKind],
    kept: frozenset[str],
    most: int = MAX_VISIBLE,
) -> int:
    """Open both parts of a gradient, then what hides most: so boxes end up of like weight."""
    queue: list[tuple[bool, int, int, Branch]] = []
    number = itertools.count()

    def list_shown(branch: Branch) -> tuple[Child, ...]:
        is_walk = len(branch.branches) == len(branch.children)
        is_one = branch.kind is BranchKind.REPEAT and is_walk
        return branch.children[:1] if is_one else branch.children

    def add_children(branch: Branch) -> None:
        for child in list_shown(branch):
            if isinstance(child, Branch) and child.kind not in closed and child.id not in kept:
                if visible >= LEAST_BOXES and _holds_sections(child):
                    continue
                is_inner = child.kind not in FORWARD_BACKWARD
                heapq.heappush(queue, (is_inner, -child.num_leaves, next(number), child))

    add_children(root)
    while queue:
        *_, branch = heapq.heappop(queue)
        if branch.id not in opened:
            num_shown = len(list_shown(branch))
            if visible - 1 + num_shown > most:
                continue
            visible += num_shown - 1
            opened.add(branch.id)
        add_children(branch)
    return visible


def _holds_sections(branch: Branch) -> bool:
    sections = [child for _, child in branch.branches if child.kind is BranchKind.SECTION]
    return len(sections) == len(branch.children)


# How much of a view a page has room for: which groups to open in a picture of a given width.


_BUDGETS = (42, 30, 21, 15, 10, 6, 0)
"""Numbers of boxes to try after the view's own: each a third less, so that few are tried."""


def list_openings(view: View) -> tuple[frozenset[str], ...]:
    """Sets of groups to open, from what the view opens by itself, alike groups alike, to nothing.

    Each is a part of the one before it, and none opens a group whose surroundings are closed.
    """
    openings = [open_largest(view, view.opened, len(view.boxes))]
    for budget in _BUDGETS:
        fewer = open_largest(view, openings[-1], budget)
        if _count_seen(view, fewer) < LEAST_BOXES:
            # A group of many boxes may be all that there is: then nothing else tells anything.
            openings.append(open_largest(view, openings[-1], budget, LEAST_BOXES))
        openings.append(fewer)
    return tuple(dict.fromkeys(openings))


def _count_seen(view: View, opened: frozenset[str]) -> int:
    """How many boxes are seen where some groups are open, and what is around them."""
    inside = [ROOT, *(at for at in view.boxes.groups if view.boxes[at].id in opened)]
    shown = (1 if is_walk(view, at) else len(view.boxes[at].children) for at in inside)
    return sum(shown) - len(opened)


def list_next(view: View, opened: frozenset[str]) -> tuple[frozenset[str], ...]:
    """Visible closed groups that the view would open by itself, alike ones together.

    Those some of whose like are open come first; then those that hide most.
    """
    boxes, alike = view.boxes, number_alike(view)
    queue, closed, seen = list(boxes[ROOT].children), dict[int, list[int]](), set[int]()
    for index in queue:  # grows while it is read
        if boxes[index].id in opened:
            queue += (
                shown_copies(view, index, opened) if is_walk(view, index) else boxes[index].children
            )
            seen.add(alike[index])
        elif boxes[index].children:
            closed.setdefault(alike[index], []).append(index)
    hidden = {n: sum(boxes[each].num_leaves for each in unit) for n, unit in closed.items()}
    most: dict[int, int] = {}
    for number, unit in closed.items():
        if boxes[unit[0]].kind is not BranchKind.REPEAT:  # that is closed by itself
            around = _around(view, unit[0])
            most[around] = max(most.get(around, 0), hidden[number])
    units = [
        (number not in seen, -max(boxes[each].num_leaves for each in unit), number)
        for number, unit in closed.items()
        if all(boxes[each].id in view.opened for each in unit)
        and (
            number in seen
            or _MOST_TIMES_LARGER * hidden[number] >= most.get(_around(view, unit[0]), 0)
        )
    ]
    return tuple(frozenset(boxes[each].id for each in closed[n]) for *_, n in sorted(units))


def _around(view: View, index: int) -> int:
    """The group around a box, the same in both parts of a gradient."""
    parent = view.boxes[index].parent
    in_part = parent != NONE and view.boxes[parent].kind in FORWARD_BACKWARD
    return view.boxes[parent].parent if in_part else parent


def number_alike(view: View) -> list[int]:
    """A number of each group, the same for alike ones; `NONE` for boxes that are no groups.

    Alike are groups of one name in the same group, or in alike ones: numbers in names do not count,
    nor in which part of a gradient they are. What is in no part is like nothing in the parts beside
    it. Of the parts themselves both of a pair are alike, and like no other.
    """
    found = [NONE] * len(view.boxes)
    numbers: dict[tuple[int, bool, str], int] = {}
    for group in view.boxes.groups:
        box, at = view.boxes[group], _around(view, group)
        around = found[at] if at != NONE else NONE
        name = counterpart_name(box.label.partition(" (")[0]).rstrip(".")
        if box.kind in FORWARD_BACKWARD:
            name = pair_id(box.id)
        in_part = at != box.parent
        found[group] = numbers.setdefault((around, in_part, name or box.id), len(numbers))
    return found


def open_largest(
    view: View, allowed: frozenset[str], budget: int, least: int = 0, *, each_alone: bool = False
) -> frozenset[str]:
    """Of the groups that may be open, those that hide most, as far as a budget of boxes goes.

    Alike ones are opened together, or none of them. Where fewer than `least` boxes would be seen,
    the next one is opened, however many it holds and whatever else is like it. With `each_alone`
    the budget alone decides, as where somebody asked for so many boxes.
    """
    boxes, alike = view.boxes, number_alike(view)
    opened: set[str] = set()
    shown = {ROOT: boxes[ROOT].children}
    visible = len(boxes[ROOT].children)
    queue: list[tuple[bool, int, int]] = []
    waiting: dict[int, list[int]] = {}
    closed: dict[int, int] = {}

    def add_children(group: int) -> None:
        for child in shown[group]:
            if boxes.is_group[child]:
                shown[child] = boxes[child].children[: 1 if is_walk(view, child) else None]
                waiting.setdefault(alike[child], []).append(child)
                is_inner = boxes[child].kind not in FORWARD_BACKWARD
                heapq.heappush(queue, (is_inner, -boxes[child].num_leaves, child))

    add_children(ROOT)
    while queue:
        *_, index = heapq.heappop(queue)
        if boxes[index].id in opened:
            continue
        unit = [index] if each_alone else waiting.pop(alike[index], [])
        more = sum(len(shown[each]) - 1 for each in unit)
        hidden, around = sum(boxes[each].num_leaves for each in unit), _around(view, index)
        is_allowed = all(boxes[each].id in allowed for each in unit)
        is_small = (
            bool(unit) and not each_alone and _MOST_TIMES_LARGER * hidden < closed.get(around, 0)
        )
        if not is_allowed or is_small or visible + more > budget:
            if visible >= least or boxes[index].id not in allowed:
                if boxes[index].kind is not BranchKind.REPEAT:  # that is closed by itself
                    closed[around] = max(closed.get(around, 0), hidden)
                continue
            unit = _one_of_each_part(view, unit, index)
            more = sum(len(shown[each]) - 1 for each in unit)
        visible += more
        for each in unit:
            opened.add(boxes[each].id)
            add_children(each)
    return frozenset(opened)


def _one_of_each_part(view: View, unit: list[int], index: int) -> list[int]:
    """A group and one like it in the other part of a gradient; both, where it is such a part."""
    boxes = view.boxes
    if boxes[index].kind in FORWARD_BACKWARD:
        return unit
    first: dict[int, int] = {_part_of(view, index): index}
    for each in unit:
        first.setdefault(_part_of(view, each), each)
    return list(first.values())


def _part_of(view: View, box: int) -> int:
    """The part of a gradient that a box is in, or `NONE`."""
    return next((n for n in view.ancestors(box) if view.boxes[n].kind in FORWARD_BACKWARD), NONE)


# Of alike groups, one stands for all: the others are hidden while it is open.


def is_walk(view: View, box: int) -> bool:
    """Whether a box is a repeat of groups, of which one at a time is shown."""
    boxes = view.boxes
    return boxes[box].kind is BranchKind.REPEAT and all(
        boxes.is_group[child] for child in boxes[box].children
    )


def shown_copies(view: View, box: int, opened: Collection[str]) -> Sequence[int]:
    """The copies of an open repeat that are shown: those that are open, or else the first."""
    children = view.boxes[box].children
    chosen = tuple(child for child in children if view.boxes[child].id in opened)
    return chosen or children[:1]


def open_walk(view: View, opened: frozenset[str], box_id: str) -> frozenset[str]:
    """The groups to open with a repeat: its first copy too, unless one is open already."""
    box = view.index_of(box_id)
    if box is None or not is_walk(view, box):
        return opened
    return opened | {view.boxes[shown_copies(view, box, opened)[0]].id}


def open_path(view: View, opened: frozenset[str], needed: frozenset[str]) -> frozenset[str]:
    """The groups to open so that some more are; of a repeat, no other copy than is asked for."""
    dropped: set[str] = set()
    for index in view.boxes.groups:
        box = view.boxes[index]
        if box.id in needed and is_walk(view, index):
            copies = view.boxes.ids(box.children)
            if copies & needed:
                dropped |= copies - needed
    return (opened - dropped) | needed


def step_copy(view: View, opened: frozenset[str], box_id: str, by: int) -> frozenset[str] | None:
    """The groups to open so that another copy of a repeat is shown, opened as the one before.

    None where there is no such copy, or several are shown.
    """
    box = view.index_of(box_id)
    if box is None or not is_walk(view, box):
        return None
    copies, shown = view.boxes[box].children, shown_copies(view, box, opened)
    at = copies.index(shown[0]) + by
    if len(shown) != 1 or not 0 <= at < len(copies):
        return None
    pairs = [(shown[0], copies[at])]
    for old, new in pairs:  # grows while it is read: what is at the same place in both
        pairs += zip(view.boxes[old].children, view.boxes[new].children, strict=False)
    before = {view.boxes[old].id for old, _ in pairs}
    after = {
        view.boxes[new].id
        for old, new in pairs
        if view.boxes[old].id in opened and view.boxes[new].children
    }
    return (opened - before) | after | {view.boxes[copies[at]].id}


def open_many(view: View, num_boxes: int = MANY_BOXES) -> frozenset[str]:
    """Ids of the groups to open, those that hide most first, for at most so many boxes.

    Gathered arguments and results stay closed: what is in them is all alike.
    """
    boxes = view.boxes
    inner = boxes.ids(n for n in boxes.groups if n != ROOT and boxes[n].kind not in GATHERED)
    return open_largest(view, inner, num_boxes, each_alone=True)


_NOT_HERE = (NONE,)
"""Stands for the children of a closed group: only that there are some is known."""


def shrink_view(view: View, openable: frozenset[str]) -> View:
    """The same view, of which no groups but some can be opened.

    Pictures of it are those of the whole view; only the numbers of boxes and edges are others. A
    picture of a few boxes then takes as long as a few boxes do, not as the whole program does.
    """
    boxes = view.boxes
    is_open = np.zeros(len(boxes) + 1, np.bool_)  # the last is that of no box
    is_open[ROOT] = True
    is_hidden = np.zeros(len(boxes), np.bool_)  # groups in closed ones
    for group in boxes.groups[1:]:
        is_hidden[group] = not is_open[boxes.parent[group]]
        is_open[group] = not is_hidden[group] and boxes[group].id in openable
    is_seen = is_open[boxes.parent]
    is_seen[ROOT] = True
    # Of each box its number, or that of the closed group that it is in.
    number_of = (np.cumsum(is_seen) - 1).astype(np.int32)
    number_of[~is_seen] = NONE
    for group in np.flatnonzero(is_hidden).tolist():
        number_of[group] = number_of[boxes.parent[group]]
    number_of[~is_seen] = number_of[boxes.parent[~is_seen]]
    numbers = np.append(number_of, np.int32(NONE))  # the last is that of `NONE`
    parent = numbers[boxes.parent[is_seen]]
    kept: dict[int, Box] = {}
    for index, box in boxes.kept.items():
        if is_seen[index]:
            children = box.children and _NOT_HERE
            if is_open[index]:
                children = tuple(number_of[[*box.children]].tolist())
            number = int(number_of[index])
            kept[number] = box._replace(parent=int(parent[number]), children=children)
    columns = [number_of[view.edges.source], number_of[view.edges.target], *view.edges.columns[2:]]
    edges = BoxEdges(*columns).where(columns[0] != columns[1])
    shown = Boxes(view.graph, boxes.node[is_seen], parent, boxes.num_counted[is_seen], kept)
    return dataclasses.replace(
        view,
        boxes=shown,
        edges=edges.where(is_first_of_equal(edges.columns)),
        box_of_node=numbers[view.box_of_node],
        holder_of_node=numbers[view.holder_of_node],
    )
