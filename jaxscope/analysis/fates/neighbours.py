"""What stands next to an equation or an instruction among those that can be told apart by name.

In a jaxpr: the nearest equations, up and down, that some instruction of the optimized module
carries. In the optimized module: the nearest instructions with a name. Where both sides agree, an
instruction without a name stands where the equation stood.
"""

from __future__ import annotations

from jaxscope.analysis.fates.equations import Equations
from jaxscope.analysis.fates.instructions import Instructions
from jaxscope.model.graph import NONE, GroupKind, NodeKind
from jaxscope.model.op_name import without_call

BEGIN = "<"
"""An argument of the program, or of the body of a loop."""

END = ">"
"""A result of the program, or of the body of a loop."""

_LOOPS = frozenset({"scan", "while", "for"})
_MAX_VISITS = 2000

Names = frozenset[str]


class EquationNeighbours:
    """Nearest held equations of a jaxpr.

    Args:
        equations: The jaxpr.
        held: Ids of the equations that the optimized module carries.
    """

    def __init__(self, equations: Equations, held: Names) -> None:
        self._equations = equations
        self._held = held
        self._users: list[list[int]] = [[] for _ in equations.ids]
        for node, row in enumerate(equations.operands):
            for source, _ in row.values():
                self._users[source].append(node)

    def above(self, node: int) -> Names:
        """What the equation's operands come from."""
        return self._search(node, self._producers)

    def below(self, node: int) -> Names:
        """What uses the equation's results."""
        return self._search(node, self._consumers)

    def _search(self, node: int, step: object) -> Names:
        found: set[str] = set()
        waiting, seen = [node], {node}
        while waiting and len(seen) < _MAX_VISITS:
            current = waiting.pop()
            for other in step(current):  # type: ignore[operator] # one of the two methods below
                if isinstance(other, str):
                    found.add(other)
                elif other not in seen:
                    seen.add(other)
                    id = self._equations.ids[other]
                    if self._equations.is_equation[other] and id in self._held:
                        found.add(id)
                    else:
                        waiting.append(other)
        return frozenset(found)

    def _producers(self, node: int) -> list[int | str]:
        equations = self._equations
        if equations.is_equation[node] and node in equations.inside:
            groups = equations.inside[node]
            inner = [o for g in groups for o in equations.nested[g].outputs.values()]
            return [*inner, *(source for source, _ in equations.operands[node].values())]
        if equations.graph.nodes.kind[node] in (NodeKind.INPUT, NodeKind.CONSTANT):
            nested = equations.nested.get(equations.group[node])
            if nested is None:
                return [BEGIN]
            found: list[int | str] = []
            for owner in nested.owners:
                if equations.operations[owner] in (*_LOOPS, "cond"):
                    found.append(BEGIN)
                if equations.operations[owner] not in _LOOPS:
                    found += [source for source, _ in equations.operands[owner].values()]
            return found
        return [source for source, _ in equations.operands[node].values()]

    def _consumers(self, node: int) -> list[int | str]:
        equations = self._equations
        if equations.graph.nodes.kind[node] == NodeKind.OUTPUT:
            nested = equations.nested.get(equations.group[node])
            if nested is None:
                return [END]
            found: list[int | str] = []
            for owner in nested.owners:
                if equations.operations[owner] in (*_LOOPS, "cond"):
                    found.append(END)
                if equations.operations[owner] not in _LOOPS:
                    found += self._users[owner]
            return found
        found = []
        for user in self._users[node]:
            found.append(user)
            for group in equations.inside.get(user, ()):
                operands = [k for k, (s, _) in equations.operands[user].items() if s == node]
                found += [i for i, k in equations.nested[group].inputs if k in operands]
        return found


class InstructionNeighbours:
    """Nearest instructions of a module that carry an equation."""

    def __init__(self, module: Instructions) -> None:
        self._module = module
        self._above: dict[int, Names] = {}
        self._below: dict[int, Names] = {}

    def above(self, index: int) -> Names:
        """Tags of what an instruction's operands come from; its own are not among them."""
        if index not in self._above:
            self._above[index] = self._find_above(index)
        return self._above[index]

    def _find_above(self, index: int) -> Names:
        module = self._module
        found: set[str] = set()
        waiting, seen = list(module.operands[index]), {index}
        while waiting and len(seen) < _MAX_VISITS:
            current = module.producer(waiting.pop())
            if current in seen:
                continue
            seen.add(current)
            if module.opcodes[current] == "parameter":
                found.add(BEGIN)
            elif module.tags[current]:
                found.update(map(without_call, module.tags[current]))
            else:
                waiting += module.operands[current]
        return frozenset(found)

    def below(self, index: int) -> Names:
        """Tags of what uses an instruction's result; its own are not among them."""
        if index not in self._below:
            self._below[index] = self._find_below(index)
        return self._below[index]

    def _find_below(self, index: int) -> Names:
        module = self._module
        found: set[str] = set()
        waiting, seen = self._uses(index), {index}
        if not waiting:
            found.add(END)
        while waiting and len(seen) < _MAX_VISITS:
            current = waiting.pop()
            if current in seen:
                continue
            seen.add(current)
            if module.tags[current] and module.opcodes[current] != "fusion":
                found.update(map(without_call, module.tags[current]))
                continue
            further = self._uses(current)
            waiting += further
            if not further:
                found.add(END)
        return frozenset(found)

    def _uses(self, index: int) -> list[int]:
        """Users, across the borders of fusions."""
        module = self._module
        found: list[int] = []
        for user in module.users[index]:
            if module.opcodes[user] == "fusion":
                for group in module.called.get(user, ()):
                    for number, operand in enumerate(module.operands[user]):
                        inner = module.parameters.get((group, number))
                        if operand == index and inner is not None:
                            found.append(inner)
            else:
                found.append(user)
        group = module.group[index]
        if (
            group != NONE
            and module.roots.get(group) == index
            and module.kind(index) is GroupKind.FUSION
        ):
            found += self._uses(module.owner(index))
        return found
