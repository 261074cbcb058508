"""What can be said of values before anything runs: which are constants, which are equal."""

from __future__ import annotations

from collections.abc import Hashable

from jaxscope.analysis.fates.equations import Equations
from jaxscope.model.graph import NONE, NodeKind

_INLINED = frozenset({"jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "remat2"})
"""Equations whose inside XLA sees as part of what is around it."""

_LOOSE = frozenset(
    {"random_seed", "empty", "empty2", "debug_callback", "io_callback", "get", "pure_callback"}
)
"""Results that are no function of the operands, or are better not taken as one."""

IDENTITIES = frozenset(
    {
        "stop_gradient",
        "copy",
        "copy_p",
        "device_put",
        "pvary",
        "pbroadcast",
        "sharding_constraint",
        "optimization_barrier",
        "name",
        "convert_element_type",
        "reshape",
        "squeeze",
        "expand_dims",
        "broadcast_in_dim",
        "transpose",
        "slice",
        "real",
        "reduce_precision",
        "mesh_cast",
        "layout_constraint",
        "random_wrap",
        "random_unwrap",
        # Equinox's, which only say what may be done with a value.
        "nonbatchable",
        "nondifferentiable",
        "select_if_vmap",
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


class Values:
    """Constants and equal equations of one jaxpr.

    Args:
        equations: The jaxpr.
        are_captured_known: Whether captured arrays are part of the module and not handed to it.

    Attributes:
        is_constant: Per node, whether all its results are known when compiling: they depend on
            literals only.
        equal_to: Per equation, the first equation that computes the same from the same operands,
            or `NONE`.
    """

    def __init__(self, equations: Equations, *, are_captured_known: bool = False) -> None:
        self._equations = equations
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
