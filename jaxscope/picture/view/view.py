"""A view: the tree of boxes that can be shown of a graph, and the edges between them."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Graph, NodeKind, Ragged
from jaxscope.model.graph import Nodes, distinct
from jaxscope.model.said import say
from jaxscope.model.types import VmapAxes, mark_batch_axes, read_batch_axes, short_type
from jaxscope.picture.view.arguments import find_arguments
from jaxscope.picture.view.control_flow import NO_CONTROL_FLOW, ControlFlow, Role
from jaxscope.picture.view.operations import COMMUTATIVE, short_operation
from jaxscope.picture.view.tree import Branch, BranchKind, Draft, Input, make_all
from jaxscope.program.dataflow import attribute_column, find_counted_once
from jaxscope.program.size import is_counted

ROOT = 0


class Box(NamedTuple):
    """A box that can be shown: a node or a group.

    Attributes:
        id: Unique in the view; stable for the same program and passes, so that what was open
            stays open after a rerun.
        label: Of a group; nodes have their texts in `labels`.
        node: Node index of the node it shows or is the inside of, or `NONE`.
        parent: Index of the enclosing box, or `NONE` for the root.
        children: Indices of the boxes inside; empty for a node.
        kind: Why its children stand together, or None for a node.
        copies: How many alike things a repeat holds.
        num_leaves: Nodes with a box of their own inside.
        num_counted: Equations, operations or instructions inside (see `program_size`), those that
            other boxes stand for as well; what the box itself is the inside of is not counted.
        type: Of a result that no node stands for, its type; `node` is then the instruction that
            gives it.
        num_values: How many values a group of results gives, as one may be several results; 0 for
            each other box.
    """

    id: str
    label: str
    node: int
    parent: int
    children: tuple[int, ...]
    kind: BranchKind | None
    copies: int
    num_leaves: int
    num_counted: int = 0
    type: str = ""
    num_values: int = 0


class BoxEdge(NamedTuple):
    """A value that flows from one box to another.

    Attributes:
        source: Box index.
        target: Box index.
        node: Node that produces the value.
        output: Which of its results.
        type: The type, as an index into `Graph.strings`.
    """

    source: int
    target: int
    node: int
    output: int
    type: int


@dataclass(frozen=True, eq=False)
class View:
    """What of a graph can be shown.

    Attributes:
        graph: The whole graph.
        boxes: Parents before children; the first is the root.
        box_of_node: int32, of each node the box that shows it, at whatever depth.
        holder_of_node: int32, of each node the box that counts it: the one that shows it, if that
            is in the same body, arm or fusion; else the innermost one around that it is in.
        edges: Between boxes, without repeats, in program order of their targets.
        notes: Values of folded operands, by node.
        captions: Names of dissolved groups, by node.
        opened: Ids of the groups to open at first.
        flow: The loops and branches.
        operands: What flows into nodes that have several operands whose order matters, by node:
            each with its operand, as far as it is not folded.
        choices: Of boxes of branches, the nodes whose values choose an arm, and the word for them.
    """

    graph: Graph
    boxes: tuple[Box, ...]
    box_of_node: npt.NDArray[np.int32]
    holder_of_node: npt.NDArray[np.int32]
    edges: tuple[BoxEdge, ...]
    notes: Mapping[int, tuple[tuple[int, str], ...]]
    captions: Mapping[int, str]
    opened: frozenset[str]
    flow: ControlFlow = NO_CONTROL_FLOW
    choices: Mapping[int, Mapping[int, str]] = dataclasses.field(default_factory=dict)
    operands: Mapping[int, tuple[Input, ...]] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def arguments(self) -> frozenset[int]:
        """Nodes that are inputs."""
        return find_arguments(self.graph)

    @functools.cached_property
    def num_results(self) -> int:
        """How many arrays the whole program gives; in HLO no node stands for any."""
        nodes = self.graph.nodes
        is_result = (nodes.kind == int(NodeKind.OUTPUT)) & (nodes.group == NONE)
        return int(np.count_nonzero(is_result)) or sum(bool(box.type) for box in self.boxes)

    @functools.cached_property
    def batched(self) -> Mapping[tuple[int, int], VmapAxes]:
        """Of nodes and their results, the axes that `vmap` added, as far as they are known.

        What a loop stacks, and what a device gives, has the axes of the result outside of it.
        """
        graph = self.graph
        column = attribute_column(graph, "batch_axes")
        found: dict[tuple[int, int], VmapAxes] = {}
        for node in np.flatnonzero(column != NONE).tolist():
            for result, axes in read_batch_axes(graph.strings[int(column[node])]).items():
                found[node, result] = axes
        for node, role in self.flow.roles.items():
            if role in (Role.STACKED, Role.PIECE_OUT):
                owner = int(graph.groups.owner[graph.nodes.group[node]])
                result = int(graph.attributes(node).get("result", "0"))
                found[node, 0] = found.get((owner, result), ())
        return {place: axes for place, axes in found.items() if axes}

    @functools.cached_property
    def remembered(self) -> dict[str, dict[int, Any]]:
        """What others worked out of it by box, such as texts, and need for every picture of it."""
        return {}

    def with_graph(self, graph: Graph) -> View | None:
        """The same view of a graph that got costs, times or links since; None for any other."""
        if graph is self.graph:
            return self
        return dataclasses.replace(self, graph=graph) if draws_as(graph, self.graph) else None

    def index_of(self, box_id: str) -> int | None:
        """The box of that id, or None."""
        return next((i for i, box in enumerate(self.boxes) if box.id == box_id), None)

    def ancestors(self, box: int) -> list[int]:
        """The boxes around a box, innermost first, without the root."""
        found = []
        box = self.boxes[box].parent
        while box > ROOT:
            found.append(box)
            box = self.boxes[box].parent
        return found

    def nodes_inside(self, box: int) -> list[int]:
        """Nodes that a box holds at any depth."""
        inside = np.zeros(len(self.boxes), bool)
        inside[box] = True
        for number, each in enumerate(self.boxes[box + 1 :], start=box + 1):
            inside[number] = each.parent != NONE and inside[each.parent]
        holder = self.holder_of_node
        found: list[int] = np.flatnonzero((holder != NONE) & inside[holder]).tolist()
        return found

    @functools.cached_property
    def _boxless(self) -> list[list[int]]:
        """Of each group, those that it counts and that have no box, and are in no group in it.

        What a loop or a branch takes and gives is drawn as values, also where an instruction does
        it, such as the tuple at the end of an arm.
        """
        boxes, holder = self.boxes, self.holder_of_node
        has_own = np.zeros(len(holder) + 1, bool)  # the last is that of groups without a node
        has_own[[box.node for box in boxes if not box.type]] = True
        has_own[list(self.flow.roles)] = False
        missing = is_counted(self.graph) & (holder != NONE) & ~has_own[:-1]
        found: list[list[int]] = [[] for _ in boxes]
        for node, box in zip(
            np.flatnonzero(missing).tolist(), holder[missing].tolist(), strict=True
        ):
            found[box if boxes[box].children else boxes[box].parent].append(node)
        return found

    def without_box(self, box: int, opened: Collection[int] = ()) -> list[int]:
        """Those that an open group counts (`num_counted`) and that no box drawn in it holds: drawn
        as part of another box, or as a value of a loop.

        A closed group holds all that it counts, and so does a repeat.

        Args:
            opened: The groups that are open.
        """
        found = list(self._boxless[box])
        for inner in self.boxes[box].children:
            if inner in opened and self.boxes[inner].kind is not BranchKind.REPEAT:
                found += self.without_box(inner, opened)
        return found

    def count_shared(self, box: int) -> int:
        """How many of those that a group counts are in functions that are called several times.

        They count once, where they are drawn: alike groups then count differently.
        """
        return self._shared[box]

    @functools.cached_property
    def _shared(self) -> Counter[int]:
        holders = self.holder_of_node[find_counted_once(self.graph)].tolist()
        return Counter(around for own in holders for around in (own, *self.ancestors(own)))

    def path_to_node(self, node: int) -> frozenset[str]:
        """Ids of the groups that must be open for a node to be seen."""
        return frozenset(self.boxes[i].id for i in self.ancestors(int(self.box_of_node[node])))

    def all_groups(self) -> frozenset[str]:
        """Ids of all groups: what "expand all" opens."""
        return frozenset(box.id for box in self.boxes[1:] if box.children)


_NOT_DRAWN = frozenset({"cost", "seconds", "origins", "derived", "attributes"})


def draws_as(graph: Graph, before: Graph) -> bool:
    """Whether a graph was made of another one by giving it what no view shows."""
    columns = [field.name for field in dataclasses.fields(Nodes) if field.name not in _NOT_DRAWN]
    return (
        graph.edges is before.edges
        and graph.groups is before.groups
        and all(getattr(graph.nodes, each) is getattr(before.nodes, each) for each in columns)
        and graph.strings[: len(before.strings)] == before.strings
        and _has_more_links_alone(graph, before.nodes.attributes)
    )


def _has_more_links_alone(graph: Graph, before: Ragged) -> bool:
    """Whether each node has the attributes that it had, and behind them what links it."""
    after = graph.nodes.attributes
    if after is before:
        return True
    from jaxscope.program.name_links import LINK, LINKED_BY  # of opened modules alone

    num = before.lengths()
    if len(after) != len(before) or bool(np.any(after.lengths() < num)):
        return False
    within = np.arange(len(after.values)) - np.repeat(after.offsets[:-1], after.lengths())
    is_old = within < np.repeat(num, after.lengths())
    keys = distinct(after.values[~is_old][0::2]).tolist()
    return np.array_equal(after.values[is_old], before.values) and all(
        graph.strings[key] in (LINK, LINKED_BY) for key in keys
    )


def flatten(graph: Graph, draft: Draft, root: Branch, opened: frozenset[str]) -> View:
    """Number the boxes of a tree and draw the edges between them.

    Args:
        graph: The stage's own; the draft's may have results behind it that are the view's.
    """
    flattener = _Flattener(draft.graph, len(graph.nodes))
    flattener.add(root, NONE)
    boxes, box_of_node = flattener.boxes, flattener.box_of_node
    for node, home in enumerate(draft.home):
        if home != node and box_of_node[node] == NONE:
            box_of_node[node] = box_of_node[home]
    edges = _draw_edges(draft, box_of_node)
    del box_of_node[len(graph.nodes) :]
    holder_of_node = _find_holders(graph, boxes, box_of_node)
    return View(
        graph=graph,
        boxes=_count_values(_count_insides(graph, boxes, holder_of_node), edges),
        box_of_node=np.asarray(box_of_node, np.int32),
        holder_of_node=np.asarray(holder_of_node, np.int32),
        edges=edges,
        notes=draft.notes,
        captions=draft.captions,
        opened=opened,
        flow=draft.flow,
        choices={
            box_of_node[owner]: {
                each.source: word for each in draft.inputs[owner] if not each.operand
            }
            for owner, word in draft.flow.branches.items()
        },
        operands=_list_operands(draft, len(graph.nodes)),
    )


def _draw_edges(draft: Draft, box_of_node: Sequence[int]) -> tuple[BoxEdge, ...]:
    """The edges between boxes, each once, in the order of what they lead to."""
    counts = np.fromiter(map(len, draft.inputs), np.int64, len(draft.inputs))
    numbers = itertools.chain.from_iterable(itertools.chain.from_iterable(draft.inputs))
    rows = np.fromiter(numbers, np.int64, 4 * int(counts.sum())).reshape(-1, 4)
    boxes = np.asarray(box_of_node, np.int64)
    target, source = np.repeat(boxes, counts), boxes[rows[:, 0]]
    kept = (target != NONE) & (source != NONE) & (source != target)
    source, target, (value, output, _, type_) = source[kept], target[kept], rows[kept].T
    if same := draft.flow.same:  # of several arms, one gives it
        value = np.array([same.get(node, node) for node in value.tolist()], np.int64)
    columns = (source, target, value, output, type_)
    first = _first_of_equal(columns)
    shared = list(range(max(len(boxes), 1 + max(box_of_node, default=0)))).__getitem__
    numbers_of = [map(shared, column[first].tolist()) for column in columns[:3]]  # take no memory
    more = [column[first].tolist() for column in columns[3:]]
    return tuple(make_all(BoxEdge, zip(*numbers_of, *more, strict=True)))


def _first_of_equal(columns: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """The numbers of the rows that no row before is equal to, rising."""
    order = np.lexsort(columns)
    is_first = np.zeros(len(order), bool)
    is_first[:1] = True
    for column in columns:
        is_first[1:] |= column[order[1:]] != column[order[:-1]]
    return np.sort(order[is_first])


def _list_operands(draft: Draft, num_nodes: int) -> dict[int, tuple[Input, ...]]:
    """Of the nodes with boxes of their own."""
    graph = draft.graph
    operations = graph.nodes.operation.tolist()
    is_ordered = {
        code: short_operation(graph.strings[code]) not in COMMUTATIVE for code in set(operations)
    }
    return {
        node: inputs
        for node, inputs in enumerate(draft.inputs[:num_nodes])
        if len(inputs) + (node in draft.notes) > 1
        and is_ordered[operations[node]]
        and draft.is_shown(node)
    }


def _find_holders(graph: Graph, boxes: Sequence[Box], box_of_node: Sequence[int]) -> list[int]:
    """Of each node the box that counts it.

    A node that is folded into another is shown there, and may be of another program: a value from
    outside of a loop that its carry begins with, what leads a result out of an arm.
    """
    group_of = graph.nodes.group.tolist()
    around: dict[int, int] = {}  # of each program the innermost box around all boxes of its nodes
    homes = dict.fromkeys(
        (group_of[each.node], each.parent) for each in boxes if each.node != NONE and not each.type
    )
    for group, own in homes:
        other = around.setdefault(group, own)
        while other != own:  # parents come before their children
            larger = max(other, own)
            other, own = min(other, own), boxes[larger].parent
        around[group] = own
    owner_of, parent_of = graph.groups.owner.tolist(), graph.groups.parent.tolist()
    holders = list(box_of_node)
    node_of_box = np.asarray([each.node for each in boxes])
    shown_in = np.asarray(box_of_node, np.int64)
    is_folded = (shown_in != NONE) & (node_of_box[shown_in] != np.arange(len(shown_in)))
    for node in np.flatnonzero(is_folded).tolist():
        shown = box_of_node[node]
        if group_of[node] not in around:
            continue
        owners, group = {NONE, node}, group_of[node]
        while group != NONE:
            owners.add(owner_of[group])
            group = parent_of[group]
        outermost, box, holder = around[group_of[node]], shown, shown
        while box not in (outermost, NONE):
            if boxes[box].children and boxes[box].node not in owners:
                holder = boxes[box].parent
            box = boxes[box].parent
        holders[node] = holder if box == outermost else outermost
    return holders


def _count_insides(
    graph: Graph, boxes: Sequence[Box], holder_of_node: Sequence[int]
) -> tuple[Box, ...]:
    counted = is_counted(graph)
    holder = np.asarray(holder_of_node, np.int64)
    own = np.bincount(holder[counted & (holder != NONE)], minlength=len(boxes))
    parents = np.asarray([box.parent for box in boxes], np.int64)
    is_group = np.asarray([bool(box.children) for box in boxes])
    of_leaf = ~is_group & (parents != NONE)
    of_leaves = np.bincount(parents[of_leaf], own[of_leaf], len(boxes)).astype(np.int64)
    totals = (own + of_leaves).tolist()
    for number in np.flatnonzero(is_group)[:0:-1].tolist():  # parents come before their children
        totals[boxes[number].parent] += totals[number]
    is_own = np.append(counted, False)  # the last is that of groups without a node
    inside = np.asarray(totals) - is_own[[box.node for box in boxes]]
    found = list(boxes)
    for number in np.flatnonzero(inside).tolist():
        box = boxes[number]
        if not box.type:
            found[number] = box._replace(num_counted=int(inside[number]))
    return tuple(found)


def _count_values(boxes: Sequence[Box], edges: Sequence[BoxEdge]) -> tuple[Box, ...]:
    """The boxes, those of results with how many values they give: lines to them tell of these."""
    if not any(box.kind is BranchKind.RESULTS for box in boxes):
        return tuple(boxes)
    found, is_result = list(boxes), [False] * len(boxes)
    for number, box in enumerate(boxes[1:], start=1):  # parents come before their children
        is_result[number] = box.kind is BranchKind.RESULTS or is_result[box.parent]
    given: dict[int, set[tuple[int, int]]] = {}
    for _, target, node, output, _ in edges if any(is_result) else ():
        if is_result[target]:
            given.setdefault(target, set()).add((node, output))
    for number in range(len(boxes) - 1, ROOT, -1):
        if is_result[number]:
            box = boxes[number]
            values = given.get(number, set() if box.children else {(NONE, number)})
            given.setdefault(box.parent, set()).update(values)
            if box.children:
                found[number] = box._replace(num_values=len(values))
    return tuple(found)


class _Flattener:
    """Numbers boxes, parents before children; one use."""

    def __init__(self, graph: Graph, num_nodes: int) -> None:
        self._graph, self._num_nodes = graph, num_nodes
        self._ids, self._strings = graph.nodes.id.tolist(), graph.strings
        self._make = functools.partial(tuple.__new__, Box)
        self.boxes: list[Box] = []
        self.box_of_node = [NONE] * len(graph.nodes)

    def add(self, branch: Branch, parent: int) -> int:
        boxes, box_of_node = self.boxes, self.box_of_node
        index = len(boxes)
        boxes.append(Box("", "", NONE, NONE, (), None, 1, 0))
        if branch.node != NONE:
            box_of_node[branch.node] = index
        children, leaves = [], 0
        for child in branch.children:
            if isinstance(child, int):
                number = box_of_node[child] = len(boxes)
                name = self._strings[self._ids[child]]
                box = self._make((name, "", child, index, (), None, 1, 1, 0, "", 0))
                boxes.append(box if child < self._num_nodes else self._show_result(box))
                leaves += 1
            else:
                number = self.add(child, index)
                leaves += boxes[number].num_leaves
            children.append(number)
        boxes[index] = Box(
            branch.id, branch.label, branch.node, parent, tuple(children), branch.kind,
            branch.copies, leaves,
        )  # fmt: skip
        return index

    def _show_result(self, box: Box) -> Box:
        """The box of a result that the view has added, with what it shows of it."""
        graph = self._graph
        giver = int(graph.edges.source[graph.edges.target == box.node][0])
        axes = read_batch_axes(graph.attributes(giver).get("batch_axes", "")).get(0, ())
        type_ = mark_batch_axes(short_type(graph.types(box.node)[0]), axes)
        number, num = box.node - self._num_nodes + 1, len(self._ids) - self._num_nodes
        label = say("result no. {number}", number=number) if num > 1 else say("result")
        return box._replace(label=label, node=giver, type=type_)
