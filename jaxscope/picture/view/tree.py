"""The working state of simplifications (`Draft`: which node is shown in whose box), and the tree of
boxes that the graph's own groups make.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import itertools
import operator
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Direction, Graph, GroupKind, NodeKind
from jaxscope.model.graph import BODY, CONDITION, PART_NAMES, distinct
from jaxscope.model.op_name import shown_orders
from jaxscope.model.operations import LOOPS
from jaxscope.model.said import TOGETHER, said, say
from jaxscope.picture.view.control_flow import NO_CONTROL_FLOW, ControlFlow, Role, find_control_flow
from jaxscope.picture.view.operations import short_operation
from jaxscope.program.dataflow import attribute_column
from jaxscope.program.memory.residuals import find_seeds

# The state that the simplifications of single nodes work on.


class Input(NamedTuple):
    """One operand of a node.

    Attributes:
        source: Node that produces the value.
        output: Which of its results.
        operand: Which operand of the consumer receives it.
        type: The type, as an index into `Graph.strings`.
    """

    source: int
    output: int
    operand: int
    type: int


Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]


class Inputs:
    """The operands of all nodes as columns: a graph may have a million of them.

    Attributes:
        target: Of each operand the node that it is of, rising; those of one node by operand.
        source: `Input.source` of each; `output`, `operand` and `type` likewise.
    """

    def __init__(self, num_nodes: int, target: Int32s, columns: Sequence[Int32s]) -> None:
        self.target = target
        self.source, self.output, self.operand, self.type = self._columns = tuple(columns)
        self._starts = np.searchsorted(target, np.arange(num_nodes + 1, dtype=np.int32))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, node: int) -> tuple[Input, ...]:
        row = slice(*self._starts[node : node + 2].tolist())
        return tuple(map(Input, *(column[row].tolist() for column in self._columns)))

    def sources(self, node: int) -> list[int]:
        """The nodes that give a node's operands."""
        found: list[int] = self.source[slice(*self._starts[node : node + 2].tolist())].tolist()
        return found

    @property
    def counts(self) -> Int64s:
        """How many operands each node has."""
        return np.diff(self._starts)

    def of(self, nodes: Int64s | Int32s) -> Int64s:
        """Where in the columns the operands of some nodes are, node after node."""
        starts = self._starts[nodes]
        counts = self._starts[nodes + 1] - starts
        return np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())

    def with_rows(self, rows: Mapping[int, Sequence[Input]]) -> Inputs:
        """The same with other operands of some nodes."""
        if not rows:
            return self
        is_new = np.zeros(len(self), np.bool_)
        is_new[list(rows)] = True
        kept = ~is_new[self.target]
        nodes = np.repeat(np.array([*rows], np.int32), [len(row) for row in rows.values()])
        added = np.array([each for row in rows.values() for each in row], np.int32).reshape(-1, 4)
        target = np.concatenate([self.target[kept], nodes])
        order = np.argsort(target, kind="stable")
        columns = [
            np.concatenate([old[kept], new])[order]
            for old, new in zip(self._columns, added.T, strict=True)
        ]
        return Inputs(len(self), target[order], columns)


@dataclass(frozen=True, eq=False, slots=True)
class Draft:
    """A graph on its way to a view.

    Attributes:
        graph: The graph, whole.
        inputs: Of each node; nested programs are seen through once the pass that does so has run.
        home: Of each node, the node in whose box it is shown: itself, if it has its own box.
        notes: What folded operands say in a consumer's label, in operand order.
        captions: Names of dissolved groups, kept for the label of what was inside.
        flow: The loops and branches.
        seeds: Nodes that only make what a backward part begins with, where nothing but their
            place or name would count them to the forward part, and what is inside of them; each
            with the outermost that it is in.
        dissolves: Whether boxes around a single box are dissolved: then none is made.
        functions_of: Of HLO, once it is grouped by them: the functions that an instruction in
            neither part of a derivative was written in, outermost first.
    """

    graph: Graph
    inputs: Inputs
    home: array[int]
    notes: Mapping[int, tuple[tuple[int, str], ...]]
    captions: Mapping[int, str] = dataclasses.field(default_factory=dict)
    flow: ControlFlow = NO_CONTROL_FLOW
    seeds: Mapping[int, int] = dataclasses.field(default_factory=dict)
    dissolves: bool = False
    functions_of: Callable[[int], tuple[str, ...]] = lambda _: ()

    def is_shown(self, node: int) -> bool:
        """Whether the node has a box of its own."""
        return self.home[node] == node

    def users(self) -> Callable[[int], list[int]]:
        """Gives the nodes that use a result of a node, once per operand."""
        inputs = self.inputs
        order = np.argsort(inputs.source, kind="stable")
        target = inputs.target[order]
        starts = np.searchsorted(inputs.source[order], np.arange(len(inputs) + 1, dtype=np.int32))

        def users_of(node: int) -> list[int]:
            found: list[int] = target[slice(*starts[node : node + 2].tolist())].tolist()
            return found

        return users_of


def find_drawn(home: Sequence[int], node: int) -> int:
    """The node in whose box a node is drawn at last, where homes may have homes of their own."""
    for _ in range(len(home)):
        if home[node] == node:
            break
        node = home[node]
    return node


def start_draft(graph: Graph, *, dissolves: bool = False) -> Draft:
    """The draft that shows everything."""
    edges = graph.edges
    num = len(graph.nodes)
    target, *columns = (edges.target, edges.source, edges.output, edges.operand, edges.type)
    places = target.astype(np.int64) << 32 | edges.operand
    if bool(np.any(places[1:] <= places[:-1])):
        order = np.lexsort((edges.source, places))
        target, *columns = (column[order] for column in (target, *columns))
    return Draft(
        graph,
        Inputs(num, target, columns),
        array("i", np.arange(num, dtype=np.int32).tobytes()),
        {},
        flow=find_control_flow(graph),
        seeds=_find_seeds(graph),
        dissolves=dissolves,
    )


def _find_seeds(graph: Graph) -> dict[int, int]:
    nodes, groups = graph.nodes, graph.groups
    backward = nodes.direction == Direction.BACKWARD
    if not backward.any():
        return {}
    unknown = find_unknown(graph)
    seeds = {
        node: node
        for node in np.flatnonzero(find_seeds(graph, backward)).tolist()
        if nodes.direction[node] == Direction.FORWARD or node in unknown
    }
    if not seeds:
        return {}
    within: dict[int, int] = {}
    for group, (parent, owner) in enumerate(
        zip(groups.parent.tolist(), groups.owner.tolist(), strict=True)
    ):
        if parent in within or owner in seeds:
            within[group] = within.get(parent, owner)
    for node in np.flatnonzero(np.isin(nodes.group, list(within))).tolist():
        seeds[node] = within[int(nodes.group[node])]
    return seeds


def find_unknown(graph: Graph) -> frozenset[int]:
    """Instructions that say nothing of where they come from: compilers add such."""
    nodes = graph.nodes
    named = attribute_column(graph, "op_name") != NONE
    silent = (nodes.source.lengths() == 0) & (nodes.scope.lengths() == 0) & ~named
    return frozenset(np.flatnonzero(silent & (nodes.kind == int(NodeKind.INSTRUCTION))).tolist())


def _find_places(draft: Draft) -> dict[int, int]:
    """For each seed with a box, the first node that reads it beside it and is no seed.

    So it has its place there: it may stand anywhere before.
    """
    if not draft.seeds:
        return {}
    graph = draft.graph
    groups, group_of = graph.groups, graph.nodes.group.tolist()
    owners, parents = groups.owner.tolist(), groups.parent.tolist()
    places: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    inputs = draft.inputs
    seed_of, is_seed = np.arange(len(inputs)), np.zeros(len(inputs), np.bool_)
    seed_of[list(draft.seeds)] = list(draft.seeds.values())
    is_seed[list(draft.seeds)] = True
    seeds = np.where(is_seed[inputs.source], seed_of[inputs.source], inputs.target)
    is_read = seeds != seed_of[inputs.target]
    for seed, node in zip(seeds[is_read].tolist(), inputs.target[is_read].tolist(), strict=True):
        readers.setdefault(seed, []).append(find_drawn(draft.home, node))
    for seed in sorted(readers, reverse=True):
        found: list[int] = []
        for reader in readers[seed]:
            group = group_of[reader]
            while group not in (NONE, group_of[seed]):
                reader = owners[group] if owners[group] != NONE else reader
                group = parents[group]
            if group == group_of[seed]:
                found.append(places.get(reader, reader))
        if found and draft.is_shown(seed):
            places[seed] = min(found)
    return places


# The tree of boxes, and how the graph's own groups make it.


ROOT_ID = "root"
BACKWARD = " backward"
"""Ends the labels of groups of the backward part."""
ITSELF = " itself"
"""Behind the name of a function whose calls and scopes are boxes beside its own."""


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
    PORTS = 11
    ARM = 12
    ORDER = 13


GATHERED = frozenset(
    {BranchKind.ARGUMENTS, BranchKind.RESULTS, BranchKind.CONSTANTS, BranchKind.PORTS}
)
"""Boxes of values that come from outside or go there: they hold no operations."""


Owner = TypeVar("Owner")
Value = TypeVar("Value")


class _Once(Generic[Owner, Value]):
    """`functools.cached_property`, which takes a lock for each value before Python 3.12."""

    def __init__(self, function: Callable[[Owner], Value]) -> None:
        self._function, self.__doc__ = function, function.__doc__

    def __get__(self, owner: Owner, _: type) -> Value:
        value = self._function(owner)
        setattr(owner, self._function.__name__, value)
        return value


@dataclass(eq=False)
class Branch:
    """A box with boxes inside; never changed. A frozen one takes eight times as long to make, and
    there may be a hundred thousand.

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

    @_Once
    def branches(self) -> tuple[tuple[int, Branch], ...]:
        """The branches among the children, each with its place there."""
        if Branch not in map(type, self.children):  # most hold nodes alone
            return ()
        return tuple([(at, c) for at, c in enumerate(self.children) if isinstance(c, Branch)])

    @_Once
    def num_leaves(self) -> int:
        """Nodes with a box of their own, at any depth."""
        inside = self.branches
        return len(self.children) - len(inside) + sum(child.num_leaves for _, child in inside)


Child = Branch | int


def box_nodes(id: str, kind: BranchKind, label: str, nodes: tuple[Child, ...]) -> Branch:
    """A box that holds nodes alone, which need not be looked through for boxes then."""
    found = Branch(id, kind, label, nodes)
    found.branches, found.num_leaves = (), len(nodes)
    return found


def read_all_orders(graph: Graph) -> dict[int, str]:
    """Of nodes of a program differentiated more than once, which part of which derivative."""
    column = attribute_column(graph, "differentiation")
    known = np.flatnonzero(column != NONE).tolist()
    return {node: shown_orders(graph.strings[int(column[node])]) for node in known}


def map_branches(branch: Branch, change: Callable[[Branch], Branch], least: int = 0) -> Branch:
    """Rebuild a tree from the inside out, every branch changed.

    Args:
        least: Branches of fewer nodes, and of nothing else, are left as they are.
    """
    children: list[Child] | None = None
    for at, child in branch.branches:
        if not child.branches and len(child.children) < least:
            continue
        changed = map_branches(child, change, least)
        if changed is not child:
            children = list(branch.children) if children is None else children
            children[at] = changed
    return change(branch if children is None else with_children(branch, children))


def with_children(branch: Branch, children: Iterable[Child]) -> Branch:
    """A branch with other children; itself, where they are those that it has."""
    of, changed = branch, tuple(children)
    if len(changed) == len(of.children) and all(map(operator.is_, changed, of.children)):
        return branch
    return Branch(of.id, of.kind, of.label, changed, of.node, of.copies)


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
    shown = np.flatnonzero(np.array(draft.home, np.int64) == np.arange(len(draft.home)))
    shown = shown[np.argsort(graph.nodes.group[shown], kind="stable")]
    group_of = graph.nodes.group[shown]
    merged = set[int]()
    for group in distinct(group_of).tolist():
        start, stop = np.searchsorted(group_of, (group, group + 1)).tolist()
        own, home = shown[start:stop].tolist(), container(group)
        if home in members:
            merged.add(home)
        members.setdefault(home, []).extend(own)
    for home in merged:
        members[home].sort()
    places = _find_places(draft)
    for group in {container(int(graph.nodes.group[seed])) for seed in places}:
        members[group].sort(key=lambda node: (places.get(node, node), node not in places))
    insides: dict[int, list[int]] = {}
    strays: dict[int, list[int]] = {}
    for group, owner in enumerate(owners):
        if kinds[group] == GroupKind.SCOPE:
            continue
        if owner != NONE and _encloses(draft, group, owner, parents):
            insides.setdefault(owner, []).append(group)
        else:
            strays.setdefault(container(parents[group]), []).append(group)
    bodies = frozenset(graph.string(graph.groups.id, group) for group in draft.flow.bodies)
    return _Grower(draft, members, insides, strays, bodies).grow()


def _encloses(draft: Draft, group: int, owner: int, parents: list[int]) -> bool:
    """Whether the owner has its own box and stands where the group says it does."""
    at = int(draft.graph.nodes.group[owner])
    return draft.is_shown(owner) and at == parents[group]


@dataclass(frozen=True, slots=True)
class _Grower:
    draft: Draft
    members: dict[int, list[int]]
    insides: dict[int, list[int]]
    strays: dict[int, list[int]]
    bodies: frozenset[str]

    def grow(self) -> Branch:
        return Branch(ROOT_ID, BranchKind.PROGRAM, "", self._children(NONE))

    def _children(self, group: int) -> tuple[Child, ...]:
        children: list[Child] = list(self.members.get(group, ()))
        for at, node in enumerate(self.members.get(group, ())):
            if node in self.insides:
                insides = [self._inside(inside) for inside in self.insides[node]]
                insides = [inside for inside in insides if inside.children]
                children[at] = self._owner(node, insides) if insides else node
        strays = [self._inside(stray) for stray in self.strays.get(group, ())]
        return (*children, *(stray for stray in strays if stray.children))

    def _owner(self, node: int, insides: list[Branch]) -> Branch:
        graph = self.draft.graph
        node_id = graph.id(node)
        flow = self.draft.flow
        trips = f" ×{flow.trips[node]}" if node in flow.trips else ""
        body = self._name_body(node)
        if len(insides) == 1 and insides[0].kind is not BranchKind.ARM:
            label = insides[0].label
            if node in flow.reversed:
                label = say("{name} reversed", name=label)
            label = say(TOGETHER, first=label, then=body) if body else label
            return dataclasses.replace(insides[0], node=node, label=label)
        return Branch(
            f"{node_id}:",
            BranchKind.NESTED,
            self._name_switch(node) or short_operation(graph.operation(node)) + trips,
            self._lift_borders([self._named(inside, body) for inside in insides]),
            node=node,
        )

    def _name_switch(self, node: int) -> str:
        """Such as `switch, 3 branches`: of the two functions that make a `cond` it is the one that
        has more than two; which one made a `cond` of two is not known. Empty for all else.
        """
        num = len(self.insides[node])
        if self.draft.graph.operation(node) != "cond" or num <= 2:
            return ""
        return say("switch, {num} branches", num=num)

    def _name_body(self, node: int) -> str:
        """Such as ` · step`: the function that the body of a loop was traced from, if known."""
        graph = self.draft.graph
        if graph.operation(node) not in LOOPS:
            return ""
        names = (graph.string(graph.groups.function, each) for each in self.insides[node])
        return next((f" · {name}" for name in names if name), "")

    def _named(self, inside: Branch, body: str) -> Branch:
        """With the name of its function where it is the body: the condition has another one."""
        if inside.id not in self.bodies or body in ("", f" · {PART_NAMES[BODY]}"):
            return inside
        return dataclasses.replace(inside, label=say(TOGETHER, first=inside.label, then=body))

    def _lift_borders(self, insides: list[Branch]) -> tuple[Child, ...]:
        """What a loop with a condition carries stands beside its condition and its body."""
        roles = self.draft.flow.roles
        before: list[Child] = []
        after: list[Child] = []
        kept: list[Branch] = []
        for inside in insides:
            if inside.id in self.bodies:
                rest: list[Child] = []
                for child in inside.children:
                    role = roles.get(child) if isinstance(child, int) else None
                    is_begin = role in (Role.CARRY_IN, Role.SLICE)
                    (rest if role is None else before if is_begin else after).append(child)
                inside = dataclasses.replace(inside, children=tuple(rest))
            if inside.children:
                kept.append(inside)
        kept.sort(key=lambda inside: inside.id in self.bodies)
        return (*before, *kept, *after)

    def _inside(self, group: int) -> Branch:
        graph = self.draft.graph
        flow = self.draft.flow
        label = graph.group_label(group)
        kind = BranchKind.NESTED
        if graph.groups.kind[group] == GroupKind.FUSION:
            kind = BranchKind.FUSION
        elif group in flow.arms:
            function = graph.string(graph.groups.function, group)
            kind, label = BranchKind.ARM, _name_arm(flow.arms[group], function)
        elif group in flow.conditions or group in flow.bodies:
            part = PART_NAMES[BODY if group in flow.bodies else CONDITION]
            kind, label = BranchKind.ARM, said(part)
        return Branch(graph.string(graph.groups.id, group), kind, label, self._children(group))


def _name_arm(arm: str, function: str) -> str:
    """Such as `0: sin`, `true: step`; `branch 1` and `false` where the function has no name."""
    return f"{arm.removeprefix('branch ')}: {function}" if function else arm


def nodes_of(child: Child) -> Sequence[int]:
    """Every node with a box in a child, and the nodes that its boxes are the insides of."""
    if isinstance(child, int):
        return (child,)
    if child.node == NONE and not child.branches:
        return cast("tuple[int, ...]", child.children)
    found = [] if child.node == NONE else [child.node]
    for each in child.children:
        if isinstance(each, int):
            found.append(each)
        else:
            found += nodes_of(each)
    return found


def place_nodes(children: tuple[Child, ...]) -> dict[int, int]:
    """Which child each node is in."""
    return {node: at for at, child in enumerate(children) for node in nodes_of(child)}


def find_inner_edges(draft: Draft, children: tuple[Child, ...]) -> tuple[Int64s, Int64s, Int64s]:
    """The operands that nodes in some children have from such nodes.

    Returns:
        Where each is in the columns of `Draft.inputs`, the child that gives it and the one that
        takes it.
    """
    inside = [nodes_of(child) for child in children]
    lengths = [len(each) for each in inside]
    nodes = np.fromiter(itertools.chain.from_iterable(inside), np.int64, sum(lengths))
    places = np.repeat(np.arange(len(inside)), lengths)
    order = np.argsort(nodes, kind="stable")
    rising = nodes[order]
    # A node that is in several children counts to the last.
    is_last = np.append(rising[1:] != rising[:-1], np.ones(min(len(rising), 1), np.bool_))
    rising, places = rising[is_last], places[order][is_last]
    rows = draft.inputs.of(rising)
    source = draft.inputs.source[rows]
    taker = np.repeat(places, draft.inputs.counts[rising])
    giver = _find_places_of(source, rising, places)
    is_inside = giver != NONE
    return rows[is_inside], giver[is_inside], taker[is_inside]


def _find_places_of(wanted: Int32s, nodes: Int64s, places: Int64s) -> Int64s:
    """Of each wanted node its place; `NONE` of one that is not among the nodes, which rise."""
    low, high = (int(nodes[0]), int(nodes[-1])) if len(nodes) else (0, -1)
    if high - low > 8 * len(nodes):
        at = np.minimum(np.searchsorted(nodes, wanted), len(nodes) - 1)
        return np.where(nodes[at] == wanted, places[at], NONE)
    table = np.full(high - low + 3, NONE)  # sooner than looking for each; the ends are of others
    table[nodes - low + 1] = places
    return table[np.clip(wanted, low - 1, high + 1) - (low - 1)]


def find_cuts(draft: Draft, children: tuple[Child, ...]) -> list[int]:
    """How many values made by the children cross each border; border `i` is before child `i`."""
    rows, giver, taker = find_inner_edges(draft, children)
    source, output = draft.inputs.source[rows], draft.inputs.output[rows]
    order = np.lexsort((taker, output, source))
    source, output, giver, taker = source[order], output[order], giver[order], taker[order]
    is_last = np.ones(len(order), np.bool_)  # use of the value
    is_last[:-1] = (source[1:] != source[:-1]) | (output[1:] != output[:-1])
    giver, taker = giver[is_last], np.maximum(taker, giver)[is_last]
    num = len(children) + 2
    change = np.bincount(giver + 1, minlength=num) - np.bincount(taker + 1, minlength=num)
    found: list[int] = np.cumsum(change).tolist()
    return found
