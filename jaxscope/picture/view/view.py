"""A view: the tree of boxes that can be shown of a graph, and the edges between them."""

from __future__ import annotations

import collections
import dataclasses
import functools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast, overload

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Graph, NodeKind, Ragged
from jaxscope.model.graph import Nodes, distinct
from jaxscope.model.said import say
from jaxscope.model.types import VmapAxes, mark_batch_axes, read_batch_axes, short_type
from jaxscope.picture.view.arguments import find_arguments, result_path
from jaxscope.picture.view.control_flow import NO_CONTROL_FLOW, ControlFlow, Role
from jaxscope.picture.view.operations import COMMUTATIVE, short_operation
from jaxscope.picture.view.tree import (
    Branch,
    BranchKind,
    Child,
    Draft,
    Input,
    Inputs,
    Int32s,
)
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
        children: Indices of the boxes inside, rising; empty for a node.
        kind: Why its children stand together, or None for a node.
        copies: How many alike things a repeat holds.
        num_leaves: Nodes with a box of their own inside.
        num_counted: Equations, operations or instructions inside (see `program_size`), those that
            other boxes stand for as well; what the box itself is the inside of is not counted.
        type: Of a result that no node stands for, its type; `node` is then the instruction that
            gives it.
        num_values: How many values a group of results gives, as one may be several results; 0 for
            each other box.
        num_needed: Of a group of a jaxpr's arguments or captured arrays, how many a result or an
            effect needs: `jit` hands no others over, so that later stages have no more; `NONE` of
            each other box.
    """

    id: str
    label: str
    node: int
    parent: int
    children: Sequence[int]
    kind: BranchKind | None
    copies: int
    num_leaves: int
    num_counted: int = 0
    type: str = ""
    num_values: int = 0
    num_needed: int = NONE


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


@dataclass(frozen=True, eq=False, slots=True)
class BoxEdges:
    """The edges between boxes as columns; each attribute of `BoxEdge` is one, int32."""

    source: Int32s
    target: Int32s
    node: Int32s
    output: Int32s
    type: Int32s

    def __len__(self) -> int:
        return len(self.source)

    def __iter__(self) -> Iterator[BoxEdge]:
        return map(BoxEdge, *(column.tolist() for column in self.columns))

    @property
    def columns(self) -> tuple[Int32s, ...]:
        """All columns, in the order of `BoxEdge`."""
        return self.source, self.target, self.node, self.output, self.type

    def where(self, chosen: npt.NDArray[np.bool_]) -> BoxEdges:
        """The chosen edges."""
        return BoxEdges(*(column[chosen] for column in self.columns))


class Boxes(Sequence[Box]):
    """All boxes of a view, parents before children.

    There may be half a million boxes of single nodes: each is made when it is looked at.

    Attributes:
        node: int32, `Box.node` of each; `parent` and `num_counted` likewise.
        is_group: Of each, whether it holds others.
        groups: The numbers of those, rising.
    """

    def __init__(
        self,
        graph: Graph,
        node: Int32s,
        parent: Int32s,
        num_counted: Int32s,
        kept: Mapping[int, Box],
    ) -> None:
        """Of groups, and of results that no node stands for, `kept` has the boxes."""
        self._strings, self._ids = graph.strings, graph.nodes.id
        self.node, self.parent, self.num_counted = node, parent, num_counted
        self.kept = kept
        self.groups = [number for number, box in kept.items() if box.children]
        self.is_group = np.zeros(len(node), np.bool_)
        self.is_group[self.groups] = True

    def __len__(self) -> int:
        return len(self.node)

    @overload
    def __getitem__(self, at: int) -> Box: ...

    @overload
    def __getitem__(self, at: slice) -> list[Box]: ...

    def __getitem__(self, at: int | slice) -> Box | list[Box]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        found = self.kept.get(at)
        if found is None:
            node = int(self.node[at])
            name = self._strings[self._ids[node]]
            num = int(self.num_counted[at])
            found = Box(name, "", node, int(self.parent[at]), (), None, 1, 1, num)
        return found

    @functools.cached_property
    def groups_of(self) -> Mapping[BranchKind | None, Sequence[int]]:
        """The groups of each kind, rising; nothing of a kind that there is none of."""
        found = collections.defaultdict[BranchKind | None, list[int]](list)
        for number in self.groups:
            found[self.kept[number].kind].append(number)
        return found

    def index_of(self, box_id: str) -> int | None:
        """The first box of that id, or None."""
        found = [number for number, box in self.kept.items() if box.id == box_id][:1]
        if box_id in self._strings:
            is_named = self._ids[self.node] == self._strings.index(box_id)
            is_named[[*self.kept]] = False
            found += np.flatnonzero(is_named)[:1].tolist()
        return min(found, default=None)

    def ids(self, boxes: Iterable[int]) -> frozenset[str]:
        """The ids of some boxes."""
        return frozenset(self[box].id for box in boxes)


@dataclass(frozen=True, eq=False)
class View:
    """What of a graph can be shown.

    Attributes:
        graph: The whole graph.
        boxes: The first is the root.
        box_of_node: int32, of each node the box that shows it, at whatever depth.
        holder_of_node: int32, of each node the box that counts it: the one that shows it, if that
            is in the same body, arm or fusion; else the innermost one around that it is in.
        edges: Between boxes, without repeats, in program order of their targets.
        notes: Values of folded operands, by node.
        captions: Names of dissolved groups, by node.
        opened: Ids of the groups to open at first.
        flow: The loops and branches.
        inputs: What flows into each node, as far as it is not folded.
        is_ordered: Of each node, whether it has several operands whose order matters.
        choices: Of boxes of branches, the nodes whose values choose an arm, and the word for them.
    """

    graph: Graph
    boxes: Boxes
    box_of_node: npt.NDArray[np.int32]
    holder_of_node: npt.NDArray[np.int32]
    edges: BoxEdges
    notes: Mapping[int, tuple[tuple[int, str], ...]]
    captions: Mapping[int, str]
    opened: frozenset[str]
    inputs: Inputs
    is_ordered: npt.NDArray[np.bool_]
    flow: ControlFlow = NO_CONTROL_FLOW
    choices: Mapping[int, Mapping[int, str]] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def arguments(self) -> frozenset[int]:
        """Nodes that are inputs."""
        return find_arguments(self.graph)

    @functools.cached_property
    def num_results(self) -> int:
        """How many arrays the whole program gives; in HLO no node stands for any."""
        nodes = self.graph.nodes
        is_result = (nodes.kind == int(NodeKind.OUTPUT)) & (nodes.group == NONE)
        return int(np.count_nonzero(is_result)) or sum(
            bool(box.type) for box in self.boxes.kept.values()
        )

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
        return self.boxes.index_of(box_id)

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
        parents = self.boxes.parent
        for number in self.boxes.groups:
            if number > box:
                inside[number] = inside[parents[number]]
        is_leaf = ~self.boxes.is_group
        is_leaf[: box + 1] = False
        inside[is_leaf] = inside[parents[is_leaf]]
        holder = self.holder_of_node
        found: list[int] = np.flatnonzero((holder != NONE) & inside[holder]).tolist()
        return found

    @functools.cached_property
    def _boxless(self) -> dict[int, list[int]]:
        """Of each group, those that it counts and that have no box, and are in no group in it.

        What a loop or a branch takes and gives is drawn as values, also where an instruction does
        it, such as the tuple at the end of an arm.
        """
        boxes, holder = self.boxes, self.holder_of_node
        has_own = np.zeros(len(holder) + 1, bool)  # the last is that of groups without a node
        is_own = np.ones(len(boxes), np.bool_)
        is_own[[number for number, box in boxes.kept.items() if box.type]] = False
        has_own[boxes.node[is_own]] = True
        has_own[list(self.flow.roles)] = False
        missing = is_counted(self.graph) & (holder != NONE) & ~has_own[:-1]
        found: dict[int, list[int]] = {}
        for node, box in zip(
            np.flatnonzero(missing).tolist(), holder[missing].tolist(), strict=True
        ):
            group = box if boxes.is_group[box] else int(boxes.parent[box])
            found.setdefault(group, []).append(node)
        return found

    def without_box(self, box: int, opened: Collection[int] = ()) -> list[int]:
        """Those that an open group counts (`num_counted`) and that no box drawn in it holds: drawn
        as part of another box, or as a value of a loop.

        A closed group holds all that it counts, and so does a repeat.

        Args:
            opened: The groups that are open.
        """
        found = [*self._boxless.get(box, ())]
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
        return self.boxes.ids(number for number in self.boxes.groups if number != ROOT)

    def operands_of(self, node: int) -> tuple[Input, ...]:
        """What flows into a node, where it has several operands whose order matters."""
        return self.inputs[node] if self.is_ordered[node] else ()


_NOT_DRAWN = frozenset({"cost", "seconds", "origins", "derived", "attributes"})


def draws_as(graph: Graph, before: Graph) -> bool:
    """Whether a graph was made of another one by giving it what no view shows."""
    columns = [field.name for field in dataclasses.fields(Nodes) if field.name not in _NOT_DRAWN]
    return (
        graph.edges is before.edges
        and graph.groups is before.groups
        and all(getattr(graph.nodes, each) is getattr(before.nodes, each) for each in columns)
        and _begins_with(graph.strings, before.strings)
        and _has_more_links_alone(graph, before.nodes.attributes)
    )


def _begins_with(strings: Sequence[str], first: Sequence[str]) -> bool:
    return strings is first or tuple(strings[: len(first)]) == tuple(first)


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
    node = np.array(flattener.nodes, np.int32)
    parent = np.array(flattener.parents, np.int32)
    box_of_node = np.full(len(draft.graph.nodes), NONE, np.int32)
    is_of_node = node != NONE
    box_of_node[node[is_of_node]] = np.flatnonzero(is_of_node)  # the last of several
    home = np.array(draft.home, np.int32)
    for each in np.flatnonzero((home != np.arange(len(home))) & (box_of_node == NONE)).tolist():
        box_of_node[each] = box_of_node[home[each]]
    edges = _draw_edges(draft, box_of_node)
    box_of_node = box_of_node[: len(graph.nodes)]
    results, groups = flattener.results, flattener.groups.items()
    is_result = np.zeros(len(node), np.bool_)
    is_result[[*results]] = True
    node[[*results]] = [box.node for box in results.values()]
    is_group = np.zeros(len(node), np.bool_)
    is_group[[number for number, (_, _, children, _) in groups if children]] = True
    holder_of_node = _find_holders(graph, node, parent, is_group, is_result, box_of_node)
    num_counted = _count_insides(graph, node, parent, is_group, holder_of_node)
    num_counted[is_result] = 0
    counts = num_counted[[number for number, _ in groups]].tolist()
    kept = {
        number: Box(
            of.id, of.label, of.node, around, children, of.kind, of.copies, num_leaves, count
        )
        for (number, (of, around, children, num_leaves)), count in zip(groups, counts, strict=True)
    }
    if results:
        kept = dict(sorted((kept | results).items()))
    _count_values(kept, parent, edges)
    _count_needed(graph, kept, node)
    return View(
        graph=graph,
        boxes=Boxes(graph, node, parent, num_counted, kept),
        box_of_node=box_of_node,
        holder_of_node=holder_of_node,
        edges=edges,
        notes=draft.notes,
        captions=draft.captions,
        opened=opened,
        inputs=draft.inputs,
        is_ordered=_find_ordered(draft, home)[: len(graph.nodes)],
        flow=draft.flow,
        choices={
            int(box_of_node[owner]): {
                each.source: word for each in draft.inputs[owner] if not each.operand
            }
            for owner, word in draft.flow.branches.items()
        },
    )


def _draw_edges(draft: Draft, box_of_node: Int32s) -> BoxEdges:
    """The edges between boxes, each once, in the order of what they lead to."""
    inputs = draft.inputs
    edges = BoxEdges(
        box_of_node[inputs.source],
        box_of_node[inputs.target],
        inputs.source,
        inputs.output,
        inputs.type,
    )
    source, target = edges.source, edges.target
    edges = edges.where((target != NONE) & (source != NONE) & (source != target))
    if same := draft.flow.same:  # of several arms, one gives it
        number_of = np.arange(len(box_of_node), dtype=np.int32)
        number_of[list(same)] = list(same.values())
        edges = dataclasses.replace(edges, node=number_of[edges.node])
    return edges.where(is_first_of_equal(edges.columns))


def is_first_of_equal(columns: Sequence[Int32s]) -> npt.NDArray[np.bool_]:
    """Whether no row before is equal to a row."""
    one, other, *_ = columns
    ends = one.astype(np.int64) << 32 | other
    order = np.argsort(ends, kind="stable")
    same = ends[order[1:]] == ends[order[:-1]]
    is_shared = np.zeros(len(order), np.bool_)
    is_shared[1:] |= same
    is_shared[:-1] |= same
    rows = np.sort(order[is_shared])
    order = np.lexsort([column[rows] for column in columns])  # few have both in common
    is_repeat = np.ones(max(len(order) - 1, 0), np.bool_)
    for column in columns:
        ordered = column[rows[order]]
        is_repeat &= ordered[1:] == ordered[:-1]
    is_first = np.ones(len(one), np.bool_)
    is_first[rows[order[1:][is_repeat]]] = False
    return is_first


def _find_ordered(draft: Draft, home: Int32s) -> npt.NDArray[np.bool_]:
    """Which nodes with boxes of their own have several operands whose order matters."""
    graph = draft.graph
    operation = graph.nodes.operation
    commutes = np.zeros(len(graph.strings), np.bool_)
    for code in distinct(operation).tolist():
        commutes[code] = short_operation(graph.strings[code]) in COMMUTATIVE
    num = draft.inputs.counts
    num[[*draft.notes]] += 1
    is_shown: npt.NDArray[np.bool_] = home == np.arange(len(home))
    found: npt.NDArray[np.bool_] = (num > 1) & ~commutes[operation] & is_shown
    return found


def _find_holders(
    graph: Graph,
    node_of_box: Int32s,
    parents: Int32s,
    is_group: npt.NDArray[np.bool_],
    is_result: npt.NDArray[np.bool_],
    box_of_node: Int32s,
) -> Int32s:
    """Of each node the box that counts it.

    A node that is folded into another is shown there, and may be of another program: a value from
    outside of a loop that its carry begins with, what leads a result out of an arm.
    """
    nodes, groups = graph.nodes, graph.groups
    is_of_node = (node_of_box != NONE) & ~is_result
    parent_of_box, inside_of = parents.tolist(), node_of_box.tolist()
    # Of each program the innermost box around all boxes of its nodes: around the first and the
    # last, as boxes are numbered from the outside in, one after the other.
    program, own = nodes.group[node_of_box[is_of_node]], parents[is_of_node]
    order = np.argsort(program, kind="stable")
    program, own = program[order], own[order]
    starts = np.append(0, np.flatnonzero(program[1:] != program[:-1]) + 1)[: len(program)]
    lowest, highest = (each.reduceat(own, starts).tolist() for each in (np.minimum, np.maximum))
    around: dict[int, int] = {}
    for each, low, high in zip(program[starts].tolist(), lowest, highest, strict=True):
        while low != high:  # parents come before their children
            low, high = min(low, high), max(low, high)
            high = parent_of_box[high]
        around[each] = low
    owner_of, parent_of = groups.owner.tolist(), groups.parent.tolist()
    holders = box_of_node.copy()
    is_folded = (box_of_node != NONE) & (node_of_box[box_of_node] != np.arange(len(box_of_node)))
    for node in np.flatnonzero(is_folded).tolist():
        shown, own = int(box_of_node[node]), int(nodes.group[node])
        if own not in around:
            continue
        owners, group = {NONE, node}, own
        while group != NONE:
            owners.add(owner_of[group])
            group = parent_of[group]
        outermost, box, holder = around[own], shown, shown
        while box not in (outermost, NONE):
            if is_group[box] and inside_of[box] not in owners:
                holder = parent_of_box[box]
            box = parent_of_box[box]
        holders[node] = holder if box == outermost else outermost
    return holders


def _count_insides(
    graph: Graph,
    node_of_box: Int32s,
    parents: Int32s,
    is_group: npt.NDArray[np.bool_],
    holder: Int32s,
) -> Int32s:
    """`Box.num_counted` of each box."""
    counted = is_counted(graph)
    own = np.bincount(holder[counted & (holder != NONE)], minlength=len(parents))
    of_leaf = ~is_group & (parents != NONE)
    of_leaves = np.bincount(parents[of_leaf], own[of_leaf], len(parents)).astype(np.int64)
    totals = own + of_leaves
    groups = np.flatnonzero(is_group)
    of_group = dict(zip(groups.tolist(), totals[groups].tolist(), strict=True))
    around = parents[groups].tolist()
    for number, parent in zip(groups[:0:-1].tolist(), around[:0:-1], strict=True):
        of_group[parent] += of_group[number]  # parents come before their children
    totals[groups] = [*of_group.values()]
    is_own = np.append(counted, False)  # the last is that of groups without a node
    inside: Int32s = (totals - is_own[node_of_box]).astype(np.int32)
    return inside


def _count_values(kept: dict[int, Box], parents: Int32s, edges: BoxEdges) -> None:
    """Tell boxes of results how many values they give: lines to them tell of these."""
    is_result = np.zeros(len(parents), np.bool_)
    for number, box in kept.items():
        if number != ROOT and box.children:
            is_result[number] = box.kind is BranchKind.RESULTS or is_result[box.parent]
    if not is_result.any():
        return
    is_result[1:] |= is_result[parents[1:]]
    given: dict[int, set[tuple[int, int]]] = {}
    for _, target, node, output, _ in edges.where(is_result[edges.target]):
        given.setdefault(target, set()).add((node, output))
    for number in np.flatnonzero(is_result)[::-1].tolist():
        is_group = number in kept and bool(kept[number].children)
        values = given.get(number, set() if is_group else {(NONE, number)})
        given.setdefault(int(parents[number]), set()).update(values)
        if is_group:
            kept[number] = kept[number]._replace(num_values=len(values))


def _count_needed(graph: Graph, kept: dict[int, Box], node_of_box: Int32s) -> None:
    """Tell boxes of a jaxpr's arguments and captured arrays how many of them are needed."""
    inside: dict[int, list[int]] = {}
    for number, box in reversed(kept.items()):  # parents come before their children
        if box.kind in (BranchKind.ARGUMENTS, BranchKind.CONSTANTS):
            found = inside.setdefault(number, [])
            for child in box.children:
                found += inside.get(child, () if child in kept else (int(node_of_box[child]),))
    whole = {n: nodes for n, nodes in inside.items() if (graph.nodes.group[nodes] == NONE).all()}
    if not whole or not (graph.nodes.kind == int(NodeKind.EQUATION)).any():
        return
    from jaxscope.program.fates.equations import Equations, find_live, find_surely_live

    is_needed: Sequence[int] = find_surely_live(graph)
    if not all(is_needed[node] for nodes in whole.values() for node in nodes):
        is_needed = find_live(Equations(graph))  # a third of a large graph's view
    for number, nodes in whole.items():
        kept[number] = kept[number]._replace(num_needed=sum(is_needed[node] for node in nodes))


_Group = tuple[Branch, int, Sequence[int], int]
"""A group that got its number, the box around it, its children, and its `num_leaves`."""
_NO_GROUP: _Group = (Branch("", BranchKind.PROGRAM, "", ()), NONE, (), 0)


class _Flattener:
    """Numbers boxes, parents before children; one use.

    Attributes:
        nodes: Of each box its node in the draft, or `NONE`.
        parents: Of each box the one around it.
        groups: By number, rising.
        results: By number.
    """

    def __init__(self, graph: Graph, num_nodes: int) -> None:
        self._graph, self._num_nodes = graph, num_nodes
        self.nodes: list[int] = []
        self.parents: list[int] = []
        self.groups: dict[int, _Group] = {}
        self.results: dict[int, Box] = {}

    def add(self, branch: Branch, parent: int) -> int:
        """Number a branch and all in it; how many nodes have boxes there."""
        index = len(self.nodes)
        if not branch.branches:
            return self._add_plain(branch, parent)
        self.nodes.append(branch.node)
        self.parents.append(parent)
        self.groups[index] = _NO_GROUP  # has its place before those inside of it
        children, leaves, start = list[int](), 0, 0
        for at, child in branch.branches:
            if at > start:
                children += self._add_nodes(branch.children[start:at], index)
                leaves += at - start
            children.append(len(self.nodes))
            leaves += self.add(child, index) if child.branches else self._add_plain(child, index)
            start = at + 1
        if start < len(branch.children):
            children += self._add_nodes(branch.children[start:], index)
            leaves += len(branch.children) - start
        self.groups[index] = branch, parent, tuple(children), leaves
        return leaves

    def _add_plain(self, branch: Branch, parent: int) -> int:
        """Number a branch that holds nodes alone; there may be a hundred thousand."""
        nodes, parents = self.nodes, self.parents
        inside = cast("tuple[int, ...]", branch.children)
        index, num = len(nodes), len(inside)
        nodes.append(branch.node)
        nodes += inside
        parents.append(parent)
        parents += (index,) * num
        self.groups[index] = branch, parent, range(index + 1, index + 1 + num), num
        if inside and max(inside) >= self._num_nodes:
            self._keep_results(index + 1)
        return num

    def _add_nodes(self, children: tuple[Child, ...], parent: int) -> range:
        nodes = cast("tuple[int, ...]", children)
        first = len(self.nodes)
        self.nodes += nodes
        self.parents += [parent] * len(nodes)
        if max(nodes, default=NONE) >= self._num_nodes:
            self._keep_results(first)
        return range(first, first + len(nodes))

    def _keep_results(self, first: int) -> None:
        for number in range(first, len(self.nodes)):
            node = self.nodes[number]
            if node >= self._num_nodes:
                name, parent = self._graph.id(node), self.parents[number]
                self.results[number] = self._show_result(
                    Box(name, "", node, parent, (), None, 1, 1)
                )

    def _show_result(self, box: Box) -> Box:
        """The box of a result that the view has added, with what it shows of it."""
        graph = self._graph
        giver = int(graph.edges.source[graph.edges.target == box.node][0])
        axes = read_batch_axes(graph.attributes(giver).get("batch_axes", "")).get(0, ())
        type_ = mark_batch_axes(short_type(graph.types(box.node)[0]), axes)
        number, num = box.node - self._num_nodes + 1, len(graph.nodes) - self._num_nodes
        label: str = say("result no. {number}", number=number) if num > 1 else say("result")
        if "path" in graph.attributes(box.node):
            label = result_path(graph, box.node)
        return box._replace(label=label, node=giver, type=type_)
