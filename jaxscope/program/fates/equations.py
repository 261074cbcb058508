"""A jaxpr as plain lists, and what is known of it before anything runs.

What feeds each equation and how nested jaxprs connect; choices that a literal decides; which
equations reach a result or an effect (liveness); which values are constants, and which are equal.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Hashable

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.graph import NONE, Graph, NodeKind
from jaxscope.model.operations import SOLVE, find_solve
from jaxscope.model.types import read_count
from jaxscope.program.dataflow import attribute_column

Value = tuple[int, int]
"""A result: node index, and which of its results."""


@dataclass(frozen=True, slots=True)
class Nested:
    """A nested jaxpr of an equation.

    Attributes:
        owners: Node indices of the equations that call it, once for each call: several may share
            it, and one may call it twice.
        inputs: Node index of each input, and the first owner's operand that it receives, or `NONE`.
        outputs: Node index of each output, by the owner's result that it gives.
    """

    owners: list[int]
    inputs: list[tuple[int, int]]
    outputs: dict[int, int]


class Equations:
    """The equations of one graph.

    Attributes:
        ids: Of every node.
        operations: Of every node.
        is_equation: Whether a node is an equation.
        operands: Per node the values it uses, by operand; literals are not among them.
        literals: Per node its literal operands, such as `{1: "2.0:f32[]"}`.
        types: Per node the types of its results.
        nested: Nested jaxprs, by group index.
        called: Groups that each owning node shows or shares, in the order of its parameters: the
            branches of a `cond` by their index.
        inside: The same, each group once.
        group: Per node its group.
        members: Per group the equations directly in it, in program order.
        results: Output nodes of the whole program.
    """

    def __init__(self, graph: Graph) -> None:
        nodes, strings = graph.nodes, graph.strings
        self.graph = graph
        self.ids = [strings[s] for s in nodes.id.tolist()]
        self.operations = [strings[s] for s in nodes.operation.tolist()]
        kinds = nodes.kind.tolist()
        self.is_equation = (nodes.kind == NodeKind.EQUATION).tolist()
        self.group = nodes.group.tolist()
        self.types = graph.rows(nodes.types)
        self.attributes = graph.all_attributes()
        self._given: dict[int, list[Value]] = {}
        self.operands: list[dict[int, Value]] = [{} for _ in kinds]
        for source, output, target, operand in graph.edges.ends():
            self.operands[target][operand] = (source, output)
        self.literals = [
            {
                number: text
                for key, text in row.items()
                if key.startswith("in[") and (number := read_count(key[3:-1])) is not None
            }
            for row in self.attributes
        ]
        self.nested: dict[int, Nested] = {}
        self.called = graph.owned_groups()
        self.results: list[int] = []
        self.members: dict[int, list[int]] = {}
        for node, group in enumerate(self.group):
            if self.is_equation[node]:
                self.members.setdefault(group, []).append(node)
        self._connect(graph, kinds)

    def _connect(self, graph: Graph, kinds: list[int]) -> None:
        by_id = graph.group_by_id()
        for group, owner in enumerate(graph.groups.owner.tolist()):
            self.nested[group] = Nested([] if owner == NONE else [owner], [], {})
        for node, kind in enumerate(kinds):
            row, group = self.attributes[node], self.group[node]
            if "shares" in row or "calls" in row:
                self._add_shared(node, by_id)
            if kind == NodeKind.INPUT and group != NONE:
                operand = read_count(row.get("operand", ""))
                number = NONE if operand is None else operand
                self.nested[group].inputs.append((node, number))
            elif kind == NodeKind.OUTPUT:
                if group == NONE:
                    self.results.append(node)
                else:
                    result = read_count(row.get("result", ""))
                    self.nested[group].outputs[NONE if result is None else result] = node
        self.inside = {node: list(dict.fromkeys(groups)) for node, groups in self.called.items()}

    def _add_shared(self, node: int, by_id: dict[str, int]) -> None:
        """`calls` names all nested jaxprs of an equation, its own too; `shares` the last shared."""
        own = list(self.called.get(node, ()))
        called = self.graph.called_groups(node, self.called, by_id)
        if called:
            self.called[node] = called
        for group in called:
            if group in own:
                own.remove(group)
            else:
                self.nested[group].owners.append(node)

    def inputs(self, owner: int, group: int) -> list[tuple[int, int]]:
        """Node index of each input of a nested jaxpr, and the operand of this owner, or `NONE`.

        Owners of one jaxpr may hand it different operands: those of a loop's body stand behind the
        constants of its condition, and each loop may have a condition of its own.
        """
        nested = self.nested[group]
        first = nested.owners[0] if nested.owners else NONE
        if owner == first:
            return nested.inputs
        count = len(self.operands[owner]) + len(self.literals[owner])
        handed: list[int] = list(range(count))
        if self.operations[owner] == "cond":
            del handed[:1]
        elif self.operations[owner] == "while":
            row = self.attributes[owner]
            names = ("cond_nconsts", "body_nconsts")
            ends = [read_count(row.get(name, "")) or 0 for name in names]
            condition, body = handed[: ends[0]], handed[ends[0] : sum(ends)]
            handed = [
                *(condition if self.graph.is_condition(group) else body),
                *handed[sum(ends) :],
            ]
        is_known = (
            self.operations[owner] == self.operations[first]
            and len(handed) == len(nested.inputs)
            and all(operand != NONE for _, operand in nested.inputs)
        )
        return [
            (node, handed[place] if is_known else NONE)
            for place, (node, _) in enumerate(nested.inputs)
        ]

    @functools.cached_property
    def readers(self) -> dict[Value, list[tuple[int, int]]]:
        """By value, the nodes that use it, and as which operand."""
        found: dict[Value, list[tuple[int, int]]] = {}
        for reader, row in enumerate(self.operands):
            for operand, value in row.items():
                found.setdefault(value, []).append((reader, operand))
        return found

    def given_by_output(self, node: int) -> list[Value]:
        """What an output of a nested jaxpr gives: its owners' results, inputs of the next round."""
        found = self._given.get(node)
        if found is None:
            found = self._given[node] = self._find_given(node)
        return found

    def _find_given(self, node: int) -> list[Value]:
        group = self.group[node]
        nested = self.nested.get(group)
        if nested is None:
            return []
        result = next((k for k, output in nested.outputs.items() if output == node), NONE)
        found: list[Value] = []
        for owner in nested.owners:
            if self.operations[owner] != "while" or not self.graph.is_condition(group):
                found.append((owner, result))
            found += [
                (input, 0)
                for inside in self.inside[owner]
                for input, operand in self.inputs(owner, inside)
                if self.carried_result(owner, inside, operand) == result
            ]
        return found

    def find_source(self, value: Value) -> Value:
        """What computes a value: outside of functions that are called once, or inside of them."""
        for _ in range(_MAX_STEPS):
            node, result = value
            nested = self.nested.get(self.group[node])
            found = None
            if node in self.inside and self.operations[node] in CALLS:
                output = self.nested[self.inside[node][0]].outputs.get(result)
                found = self.operands[output].get(0) if output is not None else None
            elif nested is not None and len(nested.owners) == 1 and not self.is_equation[node]:
                (owner,) = nested.owners
                if self.operations[owner] in CALLS:
                    operand = next((k for i, k in nested.inputs if i == node), NONE)
                    found = self.operands[owner].get(operand)
            if found is None:
                break
            value = found
        return value

    def children(self, node: int) -> list[int]:
        """The equations directly inside an equation."""
        return [
            index for group in self.inside.get(node, ()) for index in self.members.get(group, ())
        ]

    def carried_result(self, owner: int, group: int, operand: int) -> int:
        """The result of a loop that the next iteration receives in this operand, or `NONE`."""
        row, nested = self.attributes[owner], self.nested[group]
        if self.operations[owner] == "while":
            constants = 0
            for name in ("cond_nconsts", "body_nconsts"):
                constants += read_count(row.get(name, "")) or 0
            return operand - constants if operand >= constants else NONE
        if self.operations[owner] != "scan":
            return NONE
        # What is carried has the same type inside and outside; what is stacked has one axis more.
        outside = self.types[owner]
        carried = 0
        while carried in nested.outputs and carried < len(outside):
            inside = self.types[nested.outputs[carried]]
            if inside != (outside[carried],):
                break
            carried += 1
        stated = read_count(row.get("num_consts", ""))
        first = self._constants(nested, carried) if stated is None else stated
        return operand - first if first <= operand < first + carried else NONE

    def _constants(self, nested: Nested, carried: int) -> int:
        """Operands of a scan before the carried ones, as their types show."""
        whole = 0
        for owner in nested.owners[:1]:
            for input, operand in nested.inputs:
                value = self.operands[owner].get(operand)
                literal = self.literals[owner].get(operand, "").rpartition(":")[2]
                type = self.types[value[0]][value[1]] if value else literal
                if self.types[input] != (type,):
                    break
                whole += 1
        return max(whole - carried, 0)

    def is_shared(self, node: int) -> bool:
        """Whether several equations call what an equation stands in."""
        group = self.group[node]
        while group != NONE:
            owners = self.nested[group].owners
            if len(owners) != 1:
                return len(owners) > 1
            group = self.group[owners[0]]
        return False


CALLS = frozenset({"jit", "pjit", "closed_call", "remat2", "checkpoint"})
"""They hold a function, and do nothing else."""

_CARRIERS = frozenset({"convert_element_type", "broadcast_in_dim", "reshape", "squeeze", "copy"})
_WORDS = {"True": 1, "False": 0, "true": 1, "false": 0}
_MAX_STEPS = 20
_MAX_VALUES = 2000


def literal_choice(equations: Equations, node: int, operand: int) -> int | None:
    """The value of an operand that is a small literal, converted or broadcast or not."""
    for _ in range(_MAX_STEPS):
        text = equations.literals[node].get(operand)
        if text is not None:
            value = text.partition(":")[0]
            return _WORDS.get(value, read_count(value))
        found = equations.operands[node].get(operand)
        if found is None:
            return None
        node, operand = found[0], 0
        if not equations.is_equation[node]:
            nested = equations.nested.get(equations.group[node])
            if nested is None or len(nested.owners) != 1:
                return None
            operand = next((k for i, k in nested.inputs if i == node), NONE)
            node = nested.owners[0]
            if equations.operations[node] not in ("jit", "pjit", "closed_call"):
                return None
        elif equations.operations[node] not in _CARRIERS:
            return None
    return None


def is_not_chosen(equations: Equations, node: int, operand: int) -> bool:
    """Whether an operand of a `select_n` is what a literal does not choose, or that literal."""
    if equations.operations[node] != "select_n":
        return False
    choice = literal_choice(equations, node, 0)
    return choice is not None and operand != 1 + choice


def find_ruled_out(equations: Equations) -> frozenset[tuple[int, int]]:
    """Each `cond` whose index is a literal, with the branches (groups) that it never takes."""
    found: set[tuple[int, int]] = set()
    for node, groups in equations.called.items():
        is_cond = equations.operations[node] == "cond"
        choice = literal_choice(equations, node, 0) if is_cond else None
        if choice is not None:
            taken = groups[min(choice, len(groups) - 1)]  # as XLA does
            found.update((node, group) for group in groups if group != taken)
    return frozenset(found)


def has_reader(equations: Equations, node: int, held: Collection[str]) -> bool:
    """Whether an equation of some depends on the results of one, by whatever is in between.

    What reads a value through loops, branches and calls is followed value by value; where that is
    not known, or goes on for too long, it counts as a reader.

    Args:
        held: Ids of the equations that are looked for; those with nested jaxprs do not count.
    """
    waiting = [(node, result) for result in range(len(equations.types[node]))]
    seen = set(waiting)
    while waiting and len(seen) < _MAX_VALUES:
        for reader, operand in equations.readers.get(waiting.pop(), ()):
            if not equations.is_equation[reader]:
                given = equations.given_by_output(reader)
            elif is_not_chosen(equations, reader, operand):
                continue
            elif reader not in equations.inside:
                if equations.ids[reader] in held:
                    return True
                given = [(reader, result) for result in range(len(equations.types[reader]))]
            else:
                inputs = [
                    i for group in equations.inside[reader] for i in equations.inputs(reader, group)
                ]
                if any(k == NONE for _, k in inputs):
                    return True
                given = [(input, 0) for input, k in inputs if k == operand]
            waiting += [value for value in given if value not in seen]
            seen.update(given)
    return bool(waiting)


_EFFECTS = frozenset(
    {
        *("debug_callback", "debug_print", "io_callback", "outside_call"),
        *("infeed", "outfeed", "set", "swap", "addupdate", "get", "run_state", "for", "assert"),
        *("check", "pallas_call", "custom_partitioning"),
    }
)
_ALL_OR_NOTHING = frozenset({"pallas_call", "run_state", "for", SOLVE})


def find_live(equations: Equations) -> list[bool]:
    """Tell which nodes are alive.

    Loops are followed result by result, with what a carried value feeds in the next iteration. An
    equation with an effect is alive. Where a nested jaxpr does not say how its inputs and outputs
    connect, all of it is alive: an equation called dead here is certainly dead.
    """
    return _Walk(equations).run()


def find_surely_live(graph: Graph) -> bytearray:
    """Of each node whether it is alive for sure; of many that `find_live` calls alive it is 0.

    It follows equations without jaxprs inside, in a fortieth of the time of `find_live`.
    """
    nodes, groups, edges = graph.nodes, graph.groups, graph.edges
    hands_on = (nodes.kind == int(NodeKind.EQUATION)) & (nodes.group == NONE)
    hands_on[groups.owner[groups.owner != NONE]] = False
    for key in ("calls", "shares"):
        hands_on &= attribute_column(graph, key) == NONE
    is_computed = nodes.kind == int(NodeKind.EQUATION)
    is_computed[graph.nodes_of(_CARRIERS)] = False
    is_choice = np.zeros(len(nodes), np.bool_)
    is_choice[graph.nodes_of({"select_n"})] = True
    is_open = (edges.operand == 0) & is_computed[edges.source]  # what is chosen by no literal
    is_choice[edges.target[is_open]] = False
    hands_on &= ~is_choice
    is_result = (nodes.kind == int(NodeKind.OUTPUT)) & (nodes.group == NONE)
    is_followed = (hands_on | is_result)[edges.target]
    order = np.argsort(edges.target[is_followed], kind="stable")[::-1]
    found = bytearray(is_result)
    ends = (column[is_followed][order].tolist() for column in (edges.source, edges.target))
    for source, target in zip(*ends, strict=True):  # those that use it come behind it
        if found[target]:
            found[source] = True
    return found


class _Walk:
    def __init__(self, equations: Equations) -> None:
        self._equations = equations
        self._live = [False] * len(equations.ids)
        self._seen: set[Value] = set()
        self._waiting: list[Value] = []
        self._inner: dict[int, list[Value]] = {}

    def run(self) -> list[bool]:
        equations = self._equations
        for node in equations.results:
            self._use_all(node)
        for node, operation in enumerate(equations.operations):
            if equations.is_equation[node] and operation in _EFFECTS:
                self._mark_with_owners(node)
        while self._waiting:
            self._visit(*self._waiting.pop())
        return self._live

    def _mark_with_owners(self, node: int) -> None:
        """An effect happens only if the equations around it run."""
        waiting = [node]
        while waiting:
            node = waiting.pop()
            if self._live[node]:
                continue
            self._use_all(node)
            nested = self._equations.nested.get(self._equations.group[node])
            waiting += nested.owners if nested is not None else []

    def _enliven(self, node: int) -> None:
        """Once an equation is alive, so is what the insides that it shares with others read."""
        if not self._live[node]:
            self._live[node] = True
            for value in self._inner.pop(node, ()):
                self._use(value)

    def _use(self, value: Value | None) -> None:
        if value is not None and value not in self._seen:
            self._seen.add(value)
            self._waiting.append(value)

    def _use_all(self, node: int) -> None:
        self._enliven(node)
        for value in self._equations.operands[node].values():
            self._use(value)

    def _visit(self, node: int, result: int) -> None:
        equations = self._equations
        groups = equations.inside.get(node)
        self._enliven(node)
        nested = equations.nested.get(equations.group[node])
        if not equations.is_equation[node]:
            self._visit_input(node, nested)
        elif equations.operations[node] == "select_n":
            self._visit_select(node)
        elif (
            not groups
            or equations.operations[node] in _ALL_OR_NOTHING
            or not all(self._is_connected(node, group) for group in groups)
        ):
            self._use_all(node)
            for group in self._run_by(node):
                for output in equations.nested[group].outputs.values():
                    self._use_all(output)
        else:
            for group in groups:
                self._visit_nested(node, equations.nested[group], result, group)

    def _visit_select(self, node: int) -> None:
        """Of a choice that is made already, only what is chosen matters."""
        if literal_choice(self._equations, node, 0) is None:
            self._use_all(node)
            return
        for operand, value in self._equations.operands[node].items():
            if not is_not_chosen(self._equations, node, operand):
                self._use(value)

    def _run_by(self, node: int) -> list[int]:
        """The nested jaxprs that an equation runs."""
        called = self._equations.called.get(node, [])
        return find_solve(called) if self._equations.operations[node] == SOLVE else called

    def _is_connected(self, owner: int, group: int) -> bool:
        inputs = self._equations.inputs(owner, group)
        outputs = self._equations.nested[group].outputs
        return all(operand != NONE for _, operand in inputs) and NONE not in outputs

    def _visit_nested(self, node: int, nested: Nested, result: int, group: int) -> None:
        operation = self._equations.operations[node]
        is_condition = self._equations.graph.is_condition(group)
        if operation == "while" and len(nested.outputs) == 1 and is_condition:
            result = 0  # whatever is used of a loop, how often it runs matters
        elif operation == "cond":
            self._use(self._equations.operands[node].get(0))
        output = nested.outputs.get(result)
        if output is not None:
            self._use_all(output)

    def _visit_input(self, node: int, nested: Nested | None) -> None:
        """An input of a nested jaxpr: its owners' operand, and what loops carry into it."""
        if nested is None:
            return
        group = self._equations.group[node]
        for owner in nested.owners:
            inputs = self._equations.inputs(owner, group)
            operand = next((k for input, k in inputs if input == node), NONE)
            read = [self._equations.operands[owner].get(operand)]
            carried = self._equations.carried_result(owner, group, operand)
            if carried != NONE:
                read.append((owner, carried))
            for value in read:
                if self._live[owner]:
                    self._use(value)
                elif value is not None:
                    self._inner.setdefault(owner, []).append(value)


_INLINED = frozenset({"jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "remat2"})
"""Equations whose inside XLA sees as part of what is around it."""

_LOOSE = frozenset(
    {"random_seed", "empty", "empty2", "debug_callback", "io_callback", "get", "pure_callback"}
)
"""Results that are no function of the operands, or are better not taken as one."""

IDENTITIES = frozenset(
    {
        *("stop_gradient", "copy", "copy_p", "device_put", "pvary", "pbroadcast"),
        *("sharding_constraint", "optimization_barrier", "name", "convert_element_type"),
        *("reshape", "squeeze", "expand_dims", "broadcast_in_dim", "transpose", "slice", "real"),
        *("reduce_precision", "mesh_cast", "layout_constraint", "random_wrap", "random_unwrap"),
        # Equinox's, which only say what may be done with a value.
        *("nonbatchable", "nondifferentiable", "select_if_vmap"),
    }
)
"""Equations that may hand their operand on as it is."""

_FROM_OUTSIDE = frozenset(
    {
        *("axis_index", "axis_size", "program_id", "num_programs", "create_token", "infeed"),
        *("partition_id", "platform_index", "rng_uniform", "random_wrap"),
    }
)
"""Their results depend on more than their operands."""

_MAX_ROUNDS = 6
_UNTELLING = ("…", "<")
"""Marks of texts that different values share: shortened ones, and names of local functions."""

_IGNORED = frozenset({"shares", "shared_by", "cost_note", "operand"})


class ValueClasses:
    """Constants and equal equations of one jaxpr.

    Args:
        equations: The jaxpr.
        are_captured_known: Whether captured arrays are part of the module and not handed to it.
        forwarding: Equations that hand their operand on, of which lowering makes nothing.

    Attributes:
        is_constant: Per node, whether all its results are known when compiling: they depend on
            literals only.
        equal_to: Per equation, the first equation that computes the same from the same operands,
            or `NONE`.
    """

    def __init__(
        self,
        equations: Equations,
        *,
        are_captured_known: bool = False,
        forwarding: Collection[int] = frozenset(),
    ) -> None:
        self._equations = equations
        self._forwarding = forwarding
        count = len(equations.ids)
        self.is_constant = [False] * count
        self.equal_to = [NONE] * count
        self._classes: dict[Hashable, int] = {}
        self._class_of: list[int] = list(range(count))
        kinds = equations.graph.nodes.kind.tolist()
        self._owners = [node for node in equations.inside if equations.operations[node] in _INLINED]
        # Nodes stand in program order, and an equation before the inside of it: what the inside
        # says of the equation's own results is known only in the next round.
        for _ in range(_MAX_ROUNDS):
            for node in range(count):
                if equations.is_equation[node]:
                    self._visit_equation(node)
                elif kinds[node] == NodeKind.INPUT:
                    self._visit_input(node)
                elif kinds[node] == NodeKind.CONSTANT:
                    self.is_constant[node] = are_captured_known
            if not self._learn_from_inside():
                break

        self._twins: dict[int, list[int]] = {}
        for node, first in enumerate(self.equal_to):
            if first != NONE:
                self._twins.setdefault(first, [first]).append(node)

    def alike(self, node: int) -> list[int]:
        """All equations that compute the same as this one, the first of them first."""
        first = self.equal_to[node]
        return self._twins.get(node if first == NONE else first, [])

    def _learn_from_inside(self) -> bool:
        """Take equations for constants whose nested jaxprs give constants only."""
        has_changed = False
        for owner in self._owners:
            outputs = [
                output
                for group in self._equations.inside[owner]
                for output in self._equations.nested[group].outputs.values()
            ]
            is_constant = bool(outputs) and all(self._is_constant_output(o) for o in outputs)
            if is_constant and not self.is_constant[owner]:
                self.is_constant[owner] = has_changed = True
        return has_changed

    def _is_constant_output(self, node: int) -> bool:
        return all(
            self.is_constant[source] for source, _ in self._equations.operands[node].values()
        )

    def _visit_input(self, node: int) -> None:
        nested = self._equations.nested.get(self._equations.group[node])
        if nested is None or len(nested.owners) != 1:
            return
        (owner,) = nested.owners
        operand = next((k for input, k in nested.inputs if input == node), NONE)
        if self._equations.operations[owner] not in (*_INLINED, "cond"):
            return
        value = self._equations.operands[owner].get(operand)
        if value is None:
            self.is_constant[node] = operand in self._equations.literals[owner]
        else:
            self.is_constant[node] = self.is_constant[value[0]]
            if value[1] == 0 and self._equations.operations[owner] in _INLINED:
                self._class_of[node] = self._class_of[value[0]]

    def _visit_equation(self, node: int) -> None:
        equations = self._equations
        operation = equations.operations[node]
        if node in equations.inside or operation in _LOOSE:
            return
        operands = equations.operands[node]
        if operation not in _FROM_OUTSIDE:
            self.is_constant[node] = all(
                self.is_constant[source] for source, _ in operands.values()
            )
        if node in self._forwarding and 0 in operands and operands[0][1] == 0:
            self._class_of[node] = self._class_of[operands[0][0]]
            return
        row = equations.attributes[node]
        if any(mark in text for text in row.values() for mark in _UNTELLING):
            return
        if any("[" in text.partition(":")[0] for text in equations.literals[node].values()):
            return  # an array, of which the type is shown and not the values
        key = (
            operation,
            equations.types[node],
            tuple(sorted((k, self._class_of[s], r) for k, (s, r) in operands.items())),
            tuple(sorted(item for item in row.items() if item[0] not in _IGNORED)),
            self._region(node),
        )
        first = self._classes.setdefault(key, node)
        if first != node:
            self.equal_to[node] = first
            self._class_of[node] = self._class_of[first]

    def _region(self, node: int) -> int:
        """The innermost group around a node that XLA does not inline."""
        equations = self._equations
        group: int = equations.group[node]
        while group != NONE:
            nested = equations.nested[group]
            if len(nested.owners) != 1 or equations.operations[nested.owners[0]] not in _INLINED:
                return group
            group = equations.group[nested.owners[0]]
        return NONE
