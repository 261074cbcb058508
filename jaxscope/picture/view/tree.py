"""The working state of simplifications (`Draft`: which node is shown in whose box), and the tree of
boxes that the graph's own groups make.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Direction, Graph, GroupKind, NodeKind
from jaxscope.model.graph import BODY, CONDITION, PART_NAMES
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


@dataclass(frozen=True, eq=False, slots=True)
class Draft:
    """A graph on its way to a view.

    Attributes:
        graph: The graph, whole.
        inputs: Of each node, sorted by operand; nested programs are seen through once the pass
            that does so has run.
        home: Of each node, the node in whose box it is shown: itself, if it has its own box.
        notes: What folded operands say in a consumer's label, in operand order.
        captions: Names of dissolved groups, kept for the label of what was inside.
        flow: The loops and branches.
        seeds: Nodes that only make what a backward part begins with, where nothing but their
            place or name would count them to the forward part, and what is inside of them; each
            with the outermost that it is in.
    """

    graph: Graph
    inputs: tuple[tuple[Input, ...], ...]
    home: tuple[int, ...]
    notes: Mapping[int, tuple[tuple[int, str], ...]]
    captions: Mapping[int, str] = dataclasses.field(default_factory=dict)
    flow: ControlFlow = NO_CONTROL_FLOW
    seeds: Mapping[int, int] = dataclasses.field(default_factory=dict)

    def is_shown(self, node: int) -> bool:
        """Whether the node has a box of its own."""
        return self.home[node] == node

    def users(self) -> list[list[int]]:
        """Nodes that use a result of each node, once per operand."""
        users: list[list[int]] = [[] for _ in self.inputs]
        for node, inputs in enumerate(self.inputs):
            for each in inputs:
                users[each.source].append(node)
        return users


N = TypeVar("N", bound=NamedTuple)


def make_all(kind: type[N], rows: Iterable[tuple[Any, ...]]) -> Iterator[N]:
    """Named tuples of complete rows, as by `kind._make`, which asks each for its length."""
    return map(functools.partial(tuple.__new__, kind), rows)


def find_drawn(home: Sequence[int], node: int) -> int:
    """The node in whose box a node is drawn at last, where homes may have homes of their own."""
    for _ in range(len(home)):
        if home[node] == node:
            break
        node = home[node]
    return node


def start_draft(graph: Graph) -> Draft:
    """The draft that shows everything."""
    edges = graph.edges
    num = len(graph.nodes)
    order = np.lexsort((edges.source, edges.operand, edges.target))
    columns = (edges.source, edges.output, edges.operand, edges.type)
    rows = tuple(make_all(Input, zip(*(c[order].tolist() for c in columns), strict=True)))
    borders = np.searchsorted(edges.target[order], np.arange(num + 1)).tolist()
    inputs = tuple(rows[i:j] for i, j in itertools.pairwise(borders))
    return Draft(
        graph,
        inputs,
        tuple(range(num)),
        {},
        flow=find_control_flow(graph),
        seeds=_find_seeds(graph),
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
    named = np.zeros(len(nodes), bool)
    if "op_name" in graph.strings:
        key = graph.strings.index("op_name")
        named[nodes.attributes.row_numbers()[nodes.attributes.values == key]] = True
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
    for node, inputs in enumerate(draft.inputs):
        for each in inputs:
            seed = draft.seeds.get(each.source, node)
            if seed != draft.seeds.get(node, node):
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


@dataclass(frozen=True, eq=False, slots=True)
class Branch:
    """A box with boxes inside.

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

    def num_leaves(self) -> int:
        """Nodes with a box of their own, at any depth."""
        inside = [child for child in self.children if isinstance(child, Branch)]
        return len(self.children) - len(inside) + sum(child.num_leaves() for child in inside)


Child = Branch | int


def read_all_orders(graph: Graph) -> dict[int, str]:
    """Of nodes of a program differentiated more than once, which part of which derivative."""
    column = attribute_column(graph, "differentiation")
    known = np.flatnonzero(column != NONE).tolist()
    return {node: shown_orders(graph.strings[int(column[node])]) for node in known}


def map_branches(branch: Branch, change: Callable[[Branch], Branch]) -> Branch:
    """Rebuild a tree from the inside out, every branch changed."""
    children: list[Child] | None = None
    inside = [(at, child) for at, child in enumerate(branch.children) if isinstance(child, Branch)]
    for at, child in inside:
        changed = map_branches(child, change)
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
    for node, (home, group) in enumerate(zip(draft.home, graph.nodes.group.tolist(), strict=True)):
        if home == node:
            members.setdefault(container(group), []).append(node)
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


def nodes_of(child: Child) -> list[int]:
    """Every node with a box in a child, and the nodes that its boxes are the insides of."""
    if isinstance(child, int):
        return [child]
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


def find_cuts(draft: Draft, children: tuple[Child, ...]) -> list[int]:
    """How many values made by the children cross each border; border `i` is before child `i`."""
    places = place_nodes(children)
    last_use: dict[tuple[int, int], int] = {}
    for node, at in places.items():
        for source, output, _, _ in draft.inputs[node]:
            if source in places and last_use.get((source, output), -1) < at:
                last_use[source, output] = at
    change = [0] * (len(children) + 2)
    for (source, _), last in last_use.items():
        change[places[source] + 1] += 1
        change[max(last, places[source]) + 1] -= 1
    return list(itertools.accumulate(change))
