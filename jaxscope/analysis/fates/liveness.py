"""Which equations of a jaxpr matter: whose results reach a result of the program or an effect."""

from __future__ import annotations

from jaxscope.analysis.fates.equations import Equations, Nested, Value
from jaxscope.analysis.fates.literals import literal_choice
from jaxscope.model.graph import NONE

_EFFECTS = frozenset(
    {
        "debug_callback",
        "debug_print",
        "io_callback",
        "pure_callback",
        "outside_call",
        "infeed",
        "outfeed",
        "set",
        "swap",
        "addupdate",
        "get",
        "run_state",
        "for",
        "assert",
        "check",
        "pallas_call",
        "custom_partitioning",
    }
)
_ALL_OR_NOTHING = frozenset({"pallas_call", "run_state", "for", "custom_linear_solve"})


def find_live(equations: Equations) -> list[bool]:
    """Tell which nodes are alive.

    Loops are followed result by result, with what a carried value feeds in the next iteration. An
    equation with an effect is alive. Where a nested jaxpr does not say how its inputs and outputs
    connect, all of it is alive: an equation called dead here is certainly dead.
    """
    return _Walk(equations).run()


class _Walk:
    def __init__(self, equations: Equations) -> None:
        self._equations = equations
        self._live = [False] * len(equations.ids)
        self._seen: set[Value] = set()
        self._waiting: list[Value] = []

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
            self._live[node] = True
            self._use_all(node)
            nested = self._equations.nested.get(self._equations.group[node])
            waiting += nested.owners if nested is not None else []

    def _use(self, value: Value | None) -> None:
        if value is not None and value not in self._seen:
            self._seen.add(value)
            self._waiting.append(value)

    def _use_all(self, node: int) -> None:
        self._live[node] = True
        for value in self._equations.operands[node].values():
            self._use(value)

    def _visit(self, node: int, result: int) -> None:
        equations = self._equations
        groups = equations.inside.get(node)
        self._live[node] = True
        nested = equations.nested.get(equations.group[node])
        if not equations.is_equation[node]:
            self._visit_input(node, nested)
        elif equations.operations[node] == "select_n":
            self._visit_select(node)
        elif (
            not groups
            or equations.operations[node] in _ALL_OR_NOTHING
            or not all(self._is_connected(group) for group in groups)
        ):
            self._use_all(node)
            for group in groups or ():
                if equations.operations[node] == "custom_linear_solve" and self._is_rule(group):
                    continue
                for output in equations.nested[group].outputs.values():
                    self._use_all(output)
        else:
            for group in groups:
                self._visit_nested(node, equations.nested[group], result, group)

    def _visit_select(self, node: int) -> None:
        """Of a choice that is made already, only what is chosen matters."""
        choice = literal_choice(self._equations, node, 0)
        if choice is None:
            self._use_all(node)
        else:
            self._use(self._equations.operands[node].get(1 + choice))

    def _is_rule(self, group: int) -> bool:
        """Whether a jaxpr of a linear solve is for derivatives only: all but the third are."""
        groups = self._equations.graph.groups
        return not self._equations.graph.string(groups.id, group).endswith(".2")

    def _is_connected(self, group: int) -> bool:
        nested = self._equations.nested[group]
        return all(operand != NONE for _, operand in nested.inputs) and NONE not in nested.outputs

    def _visit_nested(self, node: int, nested: Nested, result: int, group: int) -> None:
        operation = self._equations.operations[node]
        if operation == "while" and len(nested.outputs) == 1 and self._is_condition(group):
            result = 0  # whatever is used of a loop, how often it runs matters
        elif operation == "cond":
            self._use(self._equations.operands[node].get(0))
        output = nested.outputs.get(result)
        if output is not None:
            self._use_all(output)

    def _is_condition(self, group: int) -> bool:
        groups = self._equations.graph.groups
        return self._equations.graph.string(groups.id, group).endswith("/cond_jaxpr")

    def _visit_input(self, node: int, nested: Nested | None) -> None:
        """An input of a nested jaxpr: its owners' operand, and what loops carry into it."""
        if nested is None:
            return
        operand = next((k for input, k in nested.inputs if input == node), NONE)
        for owner in nested.owners:
            self._live[owner] = True
            self._use(self._equations.operands[owner].get(operand))
            carried = self._carried_result(owner, nested, operand)
            if carried != NONE:
                self._use((owner, carried))

    def _carried_result(self, owner: int, nested: Nested, operand: int) -> int:
        """The result of a loop that the next iteration receives in this operand, or `NONE`."""
        equations = self._equations
        row = equations.attributes[owner]
        if equations.operations[owner] == "while":
            constants = 0
            for name in ("cond_nconsts", "body_nconsts"):
                constants += int(row[name]) if row.get(name, "").isdecimal() else 0
            return operand - constants if operand >= constants else NONE
        if equations.operations[owner] != "scan":
            return NONE
        # What is carried has the same type inside and outside; what is stacked has one axis more.
        outside = equations.types[owner]
        carried = 0
        while carried in nested.outputs and carried < len(outside):
            inside = equations.types[nested.outputs[carried]]
            if inside != (outside[carried],):
                break
            carried += 1
        stated = row.get("num_consts", "")
        first = int(stated) if stated.isdecimal() else self._constants(nested, carried)
        return operand - first if first <= operand < first + carried else NONE

    def _constants(self, nested: Nested, carried: int) -> int:
        """Operands of a scan before the carried ones, told from the sliced ones by their types."""
        equations = self._equations
        whole = 0
        for owner in nested.owners[:1]:
            for input, operand in nested.inputs:
                value = equations.operands[owner].get(operand)
                literal = equations.literals[owner].get(operand, "").rpartition(":")[2]
                type = equations.types[value[0]][value[1]] if value else literal
                if equations.types[input] != (type,):
                    break
                whole += 1
        return max(whole - carried, 0)
