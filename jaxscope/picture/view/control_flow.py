"""What loops, branches and `shard_map` do with values, read from the parameters of their equations.

A loop's body takes the carry of the round before and, in a `scan`, one slice of each array that it
runs over; it gives the carry of the next round and what is stacked to arrays. A branch has arms of
which one runs. Each device runs the body of a `shard_map` with its piece of the arrays that are
split. The nodes at these borders are drawn as boxes of their own, so that a drawing can
say which value is which and lead an arrow from the end of a round back to its begin.

Linear in the nodes; a graph without any of them costs one look at its operations.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Mapping, Sequence

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Graph, NodeKind
from jaxscope.model.operations import BRANCHES, LOOPS
from jaxscope.model.types import parse_array_type, read_count
from jaxscope.program.predicates import Predicates

REFERS = "refers"
"""The attribute of a reference that a kernel gets: `block of operand 0`, `result 1`."""
_OPERAND = re.compile(r"\boperand (\d{1,9})$")
PREDICATE, INDEX = "predicate", "index"
"""What the operand is called that chooses the arm of a branch."""


class Role(enum.IntEnum):
    """What a value at the border of a loop's body, of an arm or of a kernel is.

    A kernel gets references: to blocks of its operands, and to what it writes and to scratch. The
    body of a `shard_map` gets pieces of arrays, and gives some.
    """

    CARRY_IN = 0
    SLICE = 1
    CARRY_OUT = 2
    STACKED = 3
    VERDICT = 4
    RESULT = 5
    READ = 6
    WRITTEN = 7
    PIECE_IN = 8
    PIECE_OUT = 9


@dataclass(frozen=True, slots=True)
class ControlFlow:
    """Loops and branches of a graph.

    Attributes:
        roles: Nodes at the borders of bodies and arms that are worth a box.
        returns: Of each node that gives a carry, the node that receives it in the next round.
        stand_ins: Inputs of conditions, and the body's input that gets the same carry.
        trips: Of loops, how often they run, where the program says so.
        loops: Owners of loops whose carry is known.
        branches: Owners of branches, and `PREDICATE` or `INDEX`.
        conditions: Groups that decide whether a loop runs on.
        bodies: Groups that stand beside a condition.
        arms: Of groups that are an arm, what it is called: `true`, `branch 0`.
        same: Results of arms, and the one that stands for the same result of the branch.
        reversed: Loops that run over their arrays from the end.
        references: Of each reference that a kernel gets to an operand, the kernel's equation and
            the number of the operand.
        specs: Of each piece that a device gets or gives, how the array is split, as JAX writes it.
    """

    roles: Mapping[int, Role] = dataclasses.field(default_factory=dict)
    returns: Mapping[int, int] = dataclasses.field(default_factory=dict)
    stand_ins: Mapping[int, int] = dataclasses.field(default_factory=dict)
    trips: Mapping[int, int] = dataclasses.field(default_factory=dict)
    loops: frozenset[int] = frozenset()
    branches: Mapping[int, str] = dataclasses.field(default_factory=dict)
    conditions: frozenset[int] = frozenset()
    bodies: frozenset[int] = frozenset()
    arms: Mapping[int, str] = dataclasses.field(default_factory=dict)
    same: Mapping[int, int] = dataclasses.field(default_factory=dict)
    reversed: frozenset[int] = frozenset()
    references: Mapping[int, tuple[int, int]] = dataclasses.field(default_factory=dict)
    specs: Mapping[int, str] = dataclasses.field(default_factory=dict)


NO_CONTROL_FLOW = ControlFlow()
_SHARD_MAP = "shard_map"
_WITH_BORDERS = LOOPS | BRANCHES | {_SHARD_MAP}


def find_control_flow(graph: Graph) -> ControlFlow:
    """The loops and branches of a graph of any stage, and what its `shard_map`s split."""
    has_flow = graph.nodes_of(_WITH_BORDERS)
    flow = _Finder(graph).find() if has_flow else NO_CONTROL_FLOW
    return _add_references(graph, flow) if REFERS in graph.attribute_keys else flow


def _add_references(graph: Graph, flow: ControlFlow) -> ControlFlow:
    roles, references = dict(flow.roles), dict[int, tuple[int, int]]()
    groups, group_of = graph.groups, graph.nodes.group
    for node in np.flatnonzero(graph.nodes.kind == int(NodeKind.INPUT)).tolist():
        memory = graph.attributes(node).get(REFERS)
        if memory is None or int(group_of[node]) == NONE:
            continue
        found = _OPERAND.search(memory)
        roles[node] = Role.READ if found else Role.WRITTEN
        if found:
            references[node] = int(groups.owner[group_of[node]]), int(found[1])
    return dataclasses.replace(flow, roles=roles, references=references)


_Arms = tuple[tuple[int, int], ...]


def keep_one_arm(graph: Graph, nodes: Sequence[int]) -> list[int]:
    """Places in a list of nodes, without those in further arms of a branch: one arm runs.

    Of the arms of a branch the one with most of the nodes stands for the others.
    """
    arms = [_find_arms(graph, node) for node in nodes]
    return sorted(_keep(list(enumerate(arms))))


def _find_arms(graph: Graph, node: int) -> _Arms:
    """The branches that a node is in, outer ones first, each with the group of the arm."""
    groups, found = graph.groups, list[tuple[int, int]]()
    group = int(graph.nodes.group[node])
    while group != NONE:
        owner = int(groups.owner[group])
        if owner != NONE and graph.operation(owner) in BRANCHES:
            found.append((owner, group))
        group = int(groups.parent[group])
    return tuple(reversed(found))


def _keep(places: Sequence[tuple[int, _Arms]]) -> list[int]:
    kept = [place for place, around in places if not around]
    branches: dict[int, dict[int, list[tuple[int, _Arms]]]] = {}
    for place, around in places:
        if around:
            owner, arm = around[0]
            branches.setdefault(owner, {}).setdefault(arm, []).append((place, around[1:]))
    for arms in branches.values():
        most: list[int] = max(map(_keep, arms.values()), key=len)
        kept += most
    return kept


class _Finder:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._insides = {
            owner: groups
            for owner, groups in graph.owned_groups().items()
            if self._graph.operation(owner) in _WITH_BORDERS
        }
        groups = [group for inside in self._insides.values() for group in inside]
        self._members: dict[int, list[int]] = {group: [] for group in groups}
        group_of = graph.nodes.group
        for node in np.flatnonzero(np.isin(group_of, groups)).tolist():
            self._members[int(group_of[node])].append(node)
        self._roles: dict[int, Role] = {}
        self._returns: dict[int, int] = {}
        self._stand_ins: dict[int, int] = {}
        self._arms: dict[int, str] = {}
        self._branches: dict[int, str] = {}
        self._same: dict[int, int] = {}
        self._specs: dict[int, str] = {}
        self._predicates = Predicates(graph)
        self._conditions: set[int] = set()
        self._bodies: set[int] = set()

    def find(self) -> ControlFlow:
        graph = self._graph
        loops: set[int] = set()
        turned: set[int] = set()
        trips: dict[int, int] = {}
        for node in graph.nodes_of(LOOPS):
            attributes = graph.attributes(node)
            count = read_count(attributes.get("length") or attributes.get("known_trip_count", ""))
            if count is not None:
                trips[node] = count
            if attributes.get("reverse") == "True":
                turned.add(node)
        for owner, groups in self._insides.items():
            if self._graph.operation(owner) == _SHARD_MAP:
                self._add_pieces(owner, groups)
            elif self._graph.operation(owner) not in LOOPS:
                self._add_branch(owner, groups)
            elif self._add_loop(owner, groups):
                loops.add(owner)
        return ControlFlow(
            self._roles,
            self._returns,
            self._stand_ins,
            trips,
            frozenset(loops),
            self._branches,
            frozenset(self._conditions),
            frozenset(self._bodies),
            self._arms,
            self._same,
            frozenset(turned),
            specs=self._specs,
        )

    def _borders(self, group: int) -> tuple[dict[int, int], dict[int, int], int]:
        """Inputs of a group by operand, outputs by result, and the root that gives all results."""
        graph = self._graph
        inputs: dict[int, int] = {}
        outputs: dict[int, int] = {}
        root = NONE
        for node in self._members[group]:
            kind = int(graph.nodes.kind[node])
            is_input = kind == NodeKind.INPUT or self._graph.operation(node) == "parameter"
            if not is_input and kind not in (NodeKind.OUTPUT, NodeKind.INSTRUCTION):
                continue
            attributes = graph.attributes(node)
            if is_input and (operand := read_count(attributes.get("operand", ""))) is not None:
                inputs[operand] = node
            if kind == NodeKind.OUTPUT:
                result = read_count(attributes.get("result", ""))
                if result is not None:
                    outputs[result] = node
            elif "root" in attributes:
                root = node
        return inputs, outputs, root

    def _add_loop(self, owner: int, groups: list[int]) -> bool:
        """Note what is carried; false where the equation does not say what that is."""
        bodies = [group for group in groups if not self._graph.is_condition(group)]
        if len(bodies) != 1:
            return False
        inputs, outputs, root = self._borders(bodies[0])
        num_carry, first = self._carried(owner, len(inputs))
        if first is None:
            return False
        if root != NONE:  # HLO: one tuple goes in, and one comes out
            if list(inputs) != [0] or inputs[0] == root:
                return False
            outputs = {0: root}
            num_carry = 1
        for operand, node in inputs.items():
            if first <= operand < first + num_carry:
                self._roles[node] = Role.CARRY_IN
            elif operand >= first + num_carry:
                self._roles[node] = Role.SLICE
        for result, node in outputs.items():
            is_carry = result < num_carry
            if node != root or self._graph.operation(root) == "tuple":
                self._roles[node] = Role.CARRY_OUT if is_carry else Role.STACKED
            if is_carry and result + first in inputs:
                self._returns[node] = inputs[result + first]
        for group in groups:
            if group != bodies[0]:
                self._add_condition(owner, group, inputs)
                self._bodies.add(bodies[0])
        return True

    def _carried(self, owner: int, num_inputs: int) -> tuple[int, int | None]:
        """How many values a loop carries, and the operand of the first; None if unknown."""
        attributes = self._graph.attributes(owner)
        operation = self._graph.operation(owner)
        kind = int(self._graph.nodes.kind[owner])
        if kind != NodeKind.EQUATION:
            return num_inputs, 0
        if operation == "scan":
            return read_count(attributes.get("num_carry", "")) or 0, read_count(
                attributes.get("num_consts", "")
            )
        of_condition = read_count(attributes.get("cond_nconsts", ""))
        of_body = read_count(attributes.get("body_nconsts", ""))
        if of_condition is None or of_body is None:
            return 0, None
        return len(self._graph.nodes.types[owner]), of_condition + of_body

    def _add_condition(self, owner: int, group: int, carried: Mapping[int, int]) -> None:
        self._conditions.add(group)
        inputs, outputs, _ = self._borders(group)
        for operand, node in inputs.items():
            if operand in carried and self._roles.get(carried[operand]) is Role.CARRY_IN:
                self._stand_ins[node] = carried[operand]
        self._roles.update(dict.fromkeys(outputs.values(), Role.VERDICT))

    def _add_branch(self, owner: int, groups: list[int]) -> None:
        graph = self._graph
        self._branches[owner] = PREDICATE if self._predicates.is_truth(owner) else INDEX
        first: dict[int, int] = {}
        for at, group in enumerate(groups):
            part = int(graph.groups.part[group])
            number = at if part == NONE else part
            self._arms[group] = self._predicates.name_arm(owner, number)
            _, outputs, root = self._borders(group)
            if root != NONE:  # HLO: a box of its own only where no operation is the result
                if self._graph.operation(root) in ("tuple", "parameter"):
                    self._roles[root] = Role.RESULT
                continue
            for result, node in outputs.items():
                self._roles[node] = Role.RESULT
                self._same[node] = first.setdefault(result, node)

    def _add_pieces(self, owner: int, groups: list[int]) -> None:
        """Note what each device has a piece of: what has another shape inside than outside."""
        from jaxscope.program.sharding.notation import read_specs  # few programs are spread

        graph, attributes = self._graph, self._graph.attributes(owner)
        edges = graph.edges
        into = np.flatnonzero(edges.target == owner)
        given = {int(edges.operand[each]): graph.string(edges.type, each) for each in into.tolist()}
        results = dict(enumerate(graph.types(owner)))
        for group in groups:
            inputs, outputs, _ = self._borders(group)
            for nodes, whole, key, role in (
                (inputs, given, "in_specs", Role.PIECE_IN),
                (outputs, results, "out_specs", Role.PIECE_OUT),
            ):
                specs = read_specs(attributes.get(key, ""))
                for number, node in nodes.items():
                    if not _is_split(whole.get(number, ""), graph.types(node)):
                        continue
                    self._roles[node] = role
                    if number < len(specs):
                        self._specs[node] = specs[number]


def _is_split(whole: str, pieces: Sequence[str]) -> bool:
    """Whether a device has an array of another shape than the whole one."""
    array, piece = parse_array_type(whole), parse_array_type(pieces[0] if pieces else "")
    return array is not None and piece is not None and array.shape != piece.shape
