"""Which lines each open group shows, given which groups are open.

A value from a box to a box in another group is drawn in pieces: out of the groups around its
producer, across the innermost group that holds both, and into the groups around its user. What an
open group shows does not depend on what else is open, so groups are drawn once and kept;
`find_changed_groups` names those to lay out anew.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE
from jaxscope.model.graph import distinct
from jaxscope.picture.view.open_groups import is_walk, shown_copies
from jaxscope.picture.view.tree import BranchKind
from jaxscope.picture.view.view import ROOT, View

# The edges of a view as columns: where in the tree of boxes each of them runs.


Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class BorderCrossings(NamedTuple):
    """Where edges cross borders.

    Attributes:
        edge: The edges.
        group: Whose border each crosses.
        box: The box right inside of it that the edge comes from or goes to.
        is_entry: Whether it enters there.
    """

    edge: Int64s
    group: Int32s
    box: Int32s
    is_entry: Bools


class EdgeEnds:
    """Edges of a view, and what of them does not depend on which groups are open.

    Attributes:
        parent: Of each box the box around it.
        source: Of each edge the box that it leaves.
        target: Box that it reaches.
        value: Which value it is: the number of the node that produces it times `num_outputs`, plus
            which of its results it is.
        num_outputs: One more than the number of the last result that flows anywhere.
        type: The type's index in the graph's string table.
        top: Innermost box that holds both ends; `NONE` where one end is inside the other, for
            such an edge has no place to be drawn.
        out: The box right inside `top` that holds the source, or is it.
        into: The box right inside `top` that holds the target, or is it.
    """

    def __init__(self, view: View) -> None:
        edges = view.edges
        self.parent = view.boxes.parent
        self.source, self.target, self.type = edges.source, edges.target, edges.type
        self.num_outputs = int(edges.output.max(initial=0)) + 1
        self.value = edges.node.astype(np.int64) * self.num_outputs + edges.output
        self.out, self.into = self._climb(_find_depths(self.parent))
        self.top = np.where(self.out == self.into, NONE, self.parent[self.out]).astype(np.int32)

    def _climb(self, depth: Int32s) -> tuple[Int32s, Int32s]:
        """The boxes from which both ends' surroundings are the same; equal where nested."""
        out, into = self.source.copy(), self.target.copy()
        for low, high in ((out, into), (into, out)):
            rows = np.flatnonzero(depth[low] > depth[high])
            while len(rows):
                low[rows] = self.parent[low[rows]]
                rows = rows[depth[low[rows]] > depth[high[rows]]]
        rows = np.flatnonzero(out != into)
        while len(rows):
            rows = rows[self.parent[out[rows]] != self.parent[into[rows]]]
            out[rows], into[rows] = self.parent[out[rows]], self.parent[into[rows]]
        return out, into

    def list_border_crossings(self, is_wanted: Bools) -> BorderCrossings:
        """Where edges cross borders of groups below `top`, in the order of the edges.

        Args:
            is_wanted: Of each box, whether its border is asked for.
        """
        parts: list[tuple[Int64s, Int32s, Int32s, Bools]] = []
        for ends, is_entry in ((self.source, False), (self.target, True)):
            rows = np.flatnonzero(self.top != NONE)
            below = ends[rows]
            while len(rows):
                around = self.parent[below]
                inner = around != self.top[rows]
                rows, below, around = rows[inner], below[inner], around[inner]
                asked = is_wanted[around]
                chosen = rows[asked], around[asked], below[asked]
                parts.append((*chosen, np.full(len(chosen[0]), is_entry)))
                below = around
        if not parts:
            nothing = np.zeros(0, np.int32)
            return BorderCrossings(nothing.astype(np.int64), nothing, nothing, nothing.astype(bool))
        edge = np.concatenate([part[0] for part in parts])
        order = np.argsort(edge, kind="stable")
        group, box = (np.concatenate([part[at] for part in parts])[order] for at in (1, 2))
        return BorderCrossings(
            edge[order], group, box, np.concatenate([p[3] for p in parts])[order]
        )


def _find_depths(parent: Int32s) -> Int32s:
    """How many boxes are around each box."""
    depth = np.zeros(len(parent), np.int32)
    rows, around = np.arange(len(parent)), parent
    while len(rows):
        is_inside = around != NONE
        rows, around = rows[is_inside], around[is_inside]
        depth[rows] += 1
        around = parent[around]
    return depth


# Which lines each open group must show, given which groups are open.
#
# A value from a box to a box in another group is drawn in pieces: out of the groups around its
# producer, across the innermost group that holds both, and into the groups around its user. Values
# that travel together share their pieces and the ports by which they cross a border.
#
# What an open group shows does not depend on what else is open. So lines are found only for the
# groups that are asked for, and bundles are numbered by their first edges, whatever is open.


Values = dict[int, int]
"""Values of a wire, by `EdgeEnds.value`, each with its type's index in the string table."""


class Port(NamedTuple):
    """Where values cross the border of a group.

    Attributes:
        bundle: Number of the bundle of values.
        is_entry: Whether they enter the group.
    """

    bundle: int
    is_entry: bool


End = int | Port


@dataclass(frozen=True, eq=False, slots=True)
class Wire:
    """A line that a group shows.

    Attributes:
        source: A box, or a port of the group.
        target: A box, or a port of the group.
        bundle: Values that travel together; lines of one bundle share their way.
        values: The values.
    """

    source: End
    target: End
    bundle: int
    values: Values


class Wiring:
    """The lines of a view with some groups open.

    Ids in `expanded` that the view does not have are ignored.

    Attributes:
        is_open: Of each box, whether its inside is shown.
        hidden: By open repeat, the copies that are not shown, as another one stands for them.
        wires: By open group; of those that were asked for.
    """

    def __init__(self, view: View, expanded: frozenset[str]) -> None:
        self._ends, self._bundles = _know_edges(view)
        self._found: dict[int, list[Wire]] = view.remembered.setdefault("wires", {})
        self._num_outputs = self._ends.num_outputs
        self._opens = _find_open(view, expanded)
        self.hidden = self._hide_copies(view, expanded)
        self.is_open: list[bool] = self._opens.tolist()
        self.wires: dict[int, list[Wire]] = {}

    def _hide_copies(self, view: View, expanded: frozenset[str]) -> dict[int, frozenset[int]]:
        known = view.remembered.setdefault("walks", {})
        if ROOT not in known:
            repeats = view.boxes.groups_of[BranchKind.REPEAT]
            known[ROOT] = [box for box in repeats if is_walk(view, box)]
        hidden: dict[int, frozenset[int]] = {}
        for box in known[ROOT]:  # outer ones come first
            if self._opens[box] and self._opens[self._ends.parent[box]]:
                shown = shown_copies(view, box, expanded)
                others = frozenset(view.boxes[box].children).difference(shown)
                if others:
                    hidden[box] = others
                    self._opens[list(others)] = False
        if hidden:
            _close_insides(self._opens, self._ends)
        return {box: others for box, others in hidden.items() if self._opens[box]}

    @property
    def shown(self) -> Int32s:
        """Of each box the box that shows it: itself, or the outermost closed group around."""
        parent = self._ends.parent
        is_seen = self._opens[parent]
        is_seen[ROOT] = True
        for others in self.hidden.values():
            is_seen[list(others)] = False
        shown = np.arange(len(parent), dtype=np.int32)
        rows = np.flatnonzero(~is_seen)
        while len(rows):
            shown[rows] = parent[shown[rows]]
            rows = rows[~is_seen[shown[rows]]]
        return shown

    def list_open(self) -> list[int]:
        """The open groups, parents before children."""
        found: list[int] = np.flatnonzero(self._opens).tolist()
        return found

    def source_of(self, bundle: int) -> int:
        """The box that a bundle of values leaves."""
        return int(self._ends.out[bundle])

    def targets_of(self, bundle: int) -> tuple[int, ...]:
        """The boxes that a bundle of values reaches, in the group that it leaves its box in."""
        return self._bundles.several.get(bundle) or (int(self._ends.into[bundle]),)

    def origin_of(self, value: int) -> tuple[int, int]:
        """The node that produces a value, and which of its results it is."""
        return divmod(value, self._ends.num_outputs)

    def nodes_of(self, values: Values) -> list[int]:
        """The nodes that produce some values, each once."""
        num = self._num_outputs
        if len(values) == 1:  # most lines carry one
            return [next(iter(values)) // num]
        return list(dict.fromkeys([value // num for value in values]))

    def find(self, groups: Collection[int]) -> None:
        """Find the lines of some open groups, unless an earlier picture of the view has them."""
        if new := [group for group in groups if group not in self._found]:
            self._find(new)
        self.wires.update((group, self._found[group]) for group in groups)

    def _find(self, groups: Collection[int]) -> None:
        ends = self._ends
        is_wanted = np.zeros(len(ends.parent), bool)
        is_wanted[list(groups)] = True
        is_top = (ends.top != NONE) & is_wanted[ends.top]
        passings = ends.list_border_crossings(is_wanted)
        needed = ends.top[np.concatenate([np.flatnonzero(is_top), passings.edge])]
        self._bundles.find(distinct(needed))
        made: dict[int, list[Wire]] = {group: [] for group in groups}
        self._add_crossings(made, np.flatnonzero(is_top))
        self._add_passings(made, passings)
        self._found.update(made)  # only now, as another thread may look

    def _add_crossings(self, made: dict[int, list[Wire]], edges: Int64s) -> None:
        ends, bundle = self._ends, self._bundles.of_edge[edges].astype(np.int64)
        alike = _Alike(bundle * len(ends.parent) + ends.into[edges])
        for row, values in alike.pack(ends.value[edges], ends.type[edges]):
            edge = edges[row]
            source, target = int(ends.out[edge]), int(ends.into[edge])
            wire = Wire(source, target, int(bundle[row]), values)
            made[int(ends.top[edge])].append(wire)

    def _add_passings(self, made: dict[int, list[Wire]], passings: BorderCrossings) -> None:
        ends, edges = self._ends, passings.edge
        bundle = self._bundles.of_edge[edges].astype(np.int64)
        alike = _Alike((bundle * len(ends.parent) + passings.box) * 2 + passings.is_entry)
        for row, values in alike.pack(ends.value[edges], ends.type[edges]):
            box, number = int(passings.box[row]), int(bundle[row])
            port = Port(number, bool(passings.is_entry[row]))
            source, target = (port, box) if port.is_entry else (box, port)
            made[int(passings.group[row])].append(Wire(source, target, number, values))


class _Alike:
    """Rows with equal keys, in the order in which each key comes first.

    Attributes:
        order: All rows, alike ones beside each other and otherwise in their order.
        bounds: Where in that order those of each key begin, and the end.
    """

    def __init__(self, keys: Int64s) -> None:
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        place = np.empty(len(first), np.int64)
        place[np.argsort(first)] = np.arange(len(first))
        places = place[which.reshape(-1)]
        self.order = np.argsort(places, kind="stable")
        self.bounds: list[int] = np.searchsorted(
            places[self.order], np.arange(len(first) + 1)
        ).tolist()

    def pack(self, numbers: Int64s, types: Int32s) -> Iterator[tuple[int, Values]]:
        """The first row of each key, and the values of all of its rows."""
        rows, all_values = self.order.tolist(), numbers[self.order].tolist()
        all_types = types[self.order].tolist()
        for begin, end in itertools.pairwise(self.bounds):
            values = dict(zip(all_values[begin:end], all_types[begin:end], strict=True))
            yield rows[begin], values


class _Bundles:
    """Which edges travel together; found for the groups in which they cross from box to box.

    Attributes:
        of_edge: Of each edge, the first edge of its bundle, or `NONE` while that is not known.
        several: Of the bundles that reach several boxes, these.
    """

    def __init__(self, ends: EdgeEnds) -> None:
        self._ends = ends
        self._is_known = np.zeros(len(ends.parent), bool)
        self.of_edge = np.full(len(ends.source), NONE, np.int32)
        self.several: dict[int, tuple[int, ...]] = {}

    def find(self, tops: Int32s) -> None:
        """Find the bundles that cross in some groups."""
        ends = self._ends
        new = np.zeros(len(ends.parent), bool)
        new[tops[~self._is_known[tops]]] = True
        edges = np.flatnonzero((ends.top != NONE) & new[ends.top])
        alike = _Alike(ends.out[edges].astype(np.int64) * len(ends.parent) + ends.into[edges])
        bundles: dict[tuple[int, frozenset[int]], int] = {}
        targets: dict[int, tuple[int, ...]] = {}
        of_crossing: list[int] = []
        for row, values in alike.pack(ends.value[edges], ends.type[edges]):
            first = edges[row]
            bundle = bundles.setdefault((int(ends.out[first]), frozenset(values)), int(first))
            targets[bundle] = (*targets.get(bundle, ()), int(ends.into[first]))
            of_crossing.append(bundle)
        self.several.update((each, boxes) for each, boxes in targets.items() if len(boxes) > 1)
        numbers = np.repeat(np.asarray(of_crossing, np.int32), np.diff(alike.bounds))
        self.of_edge[edges[alike.order]] = numbers
        self._is_known |= new


def find_values_of_box(view: View, box: int) -> tuple[frozenset[int], frozenset[int]]:
    """What a box and all in it read from outside, and what they give: as `EdgeEnds.value`."""
    ends, _ = _know_edges(view)
    is_inside = np.zeros(len(view.boxes), bool)
    waiting = [box]
    while waiting:
        is_inside[waiting[-1]] = True
        waiting += view.boxes[waiting.pop()].children
    leaves, enters = is_inside[ends.source], is_inside[ends.target]
    read, given = ends.value[enters & ~leaves], ends.value[leaves & ~enters]
    return frozenset(read.tolist()), frozenset(given.tolist())


def find_ends_of_values(view: View, values: Collection[int]) -> list[tuple[int, int]]:
    """The boxes between which values flow, each without children; values as `EdgeEnds.value`."""
    ends, _ = _know_edges(view)
    rows = np.isin(ends.value, np.asarray([*values], np.int64))
    return [*zip(ends.source[rows].tolist(), ends.target[rows].tolist(), strict=True)]


def find_operands(view: View, node: int) -> dict[int, list[int]]:
    """By value, as `EdgeEnds.value`, which operands of a node it is; see `View.operands_of`."""
    ends, _ = _know_edges(view)
    found: dict[int, list[int]] = {}
    for source, output, operand, _ in view.operands_of(node):
        value = view.flow.same.get(source, source) * ends.num_outputs + output
        found.setdefault(value, []).append(operand)
    return found


def _know_edges(view: View) -> tuple[EdgeEnds, _Bundles]:
    """A view's edges, worked out once for all pictures of it."""
    known = view.remembered.setdefault("edges", {})
    if ROOT not in known:
        ends = EdgeEnds(view)
        known[ROOT] = (ends, _Bundles(ends))
    found: tuple[EdgeEnds, _Bundles] = known[ROOT]
    return found


def _find_open(view: View, expanded: frozenset[str]) -> Bools:
    boxes, queue = view.boxes, [ROOT]
    opens = np.zeros(len(boxes), np.bool_)
    for group in queue:  # what is in a closed group is not shown
        opens[group] = True
        inside = np.asarray(boxes[group].children, np.int64)
        inner = inside[boxes.is_group[inside]].tolist()
        queue += [each for each in inner if boxes[each].id in expanded]
    return opens


def _close_insides(opens: Bools, ends: EdgeEnds) -> None:
    rows = np.flatnonzero(opens)[1:]
    while len(rows):  # what is in a closed group is closed as well, and so is what is in that
        is_closed = ~opens[ends.parent[rows]]
        opens[rows[is_closed]] = False
        rows = rows[~is_closed & is_closed.any()]


# Frames of open groups as their surroundings see them, and which must be laid out anew.


@dataclass(frozen=True, eq=False, slots=True)
class Frame:
    """An open group that is laid out, without what is inside.

    Attributes:
        width: In pixels.
        height: In pixels.
        left: Where its drawing begins, from its left.
        top: Likewise, from its top.
        ports: How far across its drawing each of its ports is.
        order: That of the lines around it, where its ports follow them; else none.
        crossed_cost: Of the lines that cross at the borders of groups in it.
        is_reversed: Whether values flow backward in it.
    """

    width: float
    height: float
    left: float
    top: float
    ports: dict[Port, float]
    order: tuple[Port, ...] = ()
    crossed_cost: int = 0
    is_reversed: bool = False


def find_changed_groups(
    view: View,
    wiring: Wiring,
    known: Mapping[int, Frame],
    partner_of: Callable[[int], int],
    is_reversed: Sequence[bool],
) -> list[int]:
    """The open groups that do not look as they did, insides before what is around them.

    These are the groups that were opened, those around a group that was opened or closed, and the
    other part of a gradient of which one part is among them: the two are as long as each other,
    and each shows the other's names; those whose ports follow what is around them, where that
    has changed; and those in which values flow the other way now.

    Args:
        known: The frames of the groups that were open.
        partner_of: The other part of the gradient that a box is a part of, or `NONE`.
        is_reversed: Of each box, whether values flow backward in it.
    """
    opened = set(wiring.list_open())
    waiting = list(opened ^ known.keys())
    following: dict[int, list[int]] = {}
    for box, frame in known.items():
        if frame.is_reversed != is_reversed[box]:
            waiting.append(box)
        if frame.order:
            following.setdefault(view.boxes[box].parent, []).append(box)
    changed: set[int] = set()
    while waiting:
        box = waiting.pop()
        if box != NONE and box not in changed:
            changed.add(box)
            waiting += (view.boxes[box].parent, partner_of(box), *following.get(box, ()))
    return sorted(changed & opened, reverse=True)
