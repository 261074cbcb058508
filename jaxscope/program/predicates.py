"""What chooses the arm of a branch: a truth value or a number; and so what the arms are called.

JAX's `cond` converts its predicate to an index, and the backward part of it is a `cond` over that
index again, which loops stack and slice on the way. So the index is followed to all that it may be,
through nested programs, loops, and what only moves values. What computes or clamps it ends that:
then it is a number, as a `switch` has it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from jaxscope.model import NONE, Graph, NodeKind
from jaxscope.model.operations import BRANCHES, LOOPS
from jaxscope.model.said import TOGETHER, say
from jaxscope.model.types import read_count
from jaxscope.program.dataflow import Boundaries, find_boundaries

_IS_BOOLEAN = re.compile(r"(?:bool|pred)\[").match
_IS_ZERO = re.compile(r"(?:dense<)?0(?:[:>]|$)").match
_NUMBERED = re.compile(r"^branch \d+")
_CASTS = ("convert_element_type", "convert")
_MOVED = {
    **dict.fromkeys(_CASTS, (0,)),
    **dict.fromkeys(("reshape", "broadcast", "broadcast_in_dim", "transpose", "squeeze"), (0,)),
    **dict.fromkeys(("slice", "dynamic_slice", "copy", "bitcast", "reverse", "rev"), (0,)),
    **dict.fromkeys(("dynamic_update_slice", "pad"), (0, 1)),
}
"""Operations whose result consists of elements of these operands."""


class _Value(NamedTuple):
    """A value on the way back.

    Attributes:
        node: What gives it.
        result: Which of the node's results it is.
        path: Where in that it is, if that is a tuple.
        calls: The calls that it is inside of, of programs that are drawn at another call.
    """

    node: int
    result: int
    path: tuple[int, ...] = ()
    calls: tuple[int, ...] = ()

    def of(self, node: int, result: int) -> _Value:
        """The same place in the result of another node."""
        return self._replace(node=node, result=result)


class Predicates:
    """Tells what chooses the arms of the branches of a graph.

    The first that needs it costs a look at all edges, so one is for all arms of a graph.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[int, bool] = {}

    def label(self, group: int) -> str:
        """The label of a group; an arm that a truth value chooses is `true` or `false` in it."""
        graph = self._graph
        label, owner = graph.group_label(group), int(graph.groups.owner[group])
        number = int(graph.groups.part[group])
        if owner == NONE or number not in (0, 1) or graph.operation(owner) not in BRANCHES:
            return label
        inside, _, caller = label.partition(" of ")
        arm = say(TOGETHER, first=self.name_arm(owner, number), then=_NUMBERED.sub("", inside))
        return say("{part} of {owner}", part=arm, owner=caller) if caller else arm

    def is_truth(self, owner: int) -> bool:
        """Whether a truth value chooses the arm: the first operand is one, or was made of one."""
        known = self._known.get(owner)
        if known is None:
            known = self._is_boolean(owner) or self._are_truths(self._operand(owner, 0))
            self._known[owner] = known
        return known

    def name_arm(self, owner: int, number: int) -> str:
        """What an arm is called, such as `true`, or `branch 2`.

        The arm of false comes first where the truth value was converted to an index, and in
        jaxprs; in HLO, and in `stablehlo.if`, the arm of true does.
        """
        if number > 1 or not self.is_truth(owner):
            return say("branch {number}", number=number)
        is_equation = self._graph.nodes.kind[owner] == NodeKind.EQUATION
        is_true_first = self._is_boolean(owner) and not is_equation
        return "true" if (number == 0) == is_true_first else "false"

    @functools.cached_property
    def _edges(self) -> dict[tuple[int, int], tuple[int, int, int]]:
        edges = self._graph.edges
        columns = (edges.target, edges.operand, edges.source, edges.output, edges.type)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return {(target, operand): (node, output, of) for target, operand, node, output, of in rows}

    @functools.cached_property
    def _boundaries(self) -> Boundaries:
        return find_boundaries(self._graph)

    def _operand(self, node: int, operand: int, value: _Value | None = None) -> list[_Value] | None:
        """Where an operand comes from: nowhere if it is a zero; None if that is not known.

        Args:
            value: Of which the operand is to be followed; None for one at the beginning.
        """
        edge = self._edges.get((node, operand))
        if edge is not None:
            return [_Value(*edge[:2]) if value is None else value.of(*edge[:2])]
        literal = self._graph.attributes(node).get(f"in[{operand}]", "")
        return [] if _IS_ZERO(literal) else None

    def _is_boolean(self, node: int) -> bool:
        """Whether the first operand is a truth value."""
        edge = self._edges.get((node, 0))
        return edge is not None and _IS_BOOLEAN(self._graph.strings[edge[2]]) is not None

    def _are_truths(self, values: list[_Value] | None) -> bool:
        """Whether values can only be truth values that were converted, one at least.

        Zeros are left out: buffers that are filled step by step begin so.
        """
        if values is None:
            return False
        queue, seen = list(values), set(values)
        for value in queue:  # grows while it is read
            found = [] if value == _TRUTH else self._find_sources(value)
            if found is None:
                return False
            queue += [each for each in found if each not in seen]
            seen.update(found)
        return _TRUTH in seen

    def _find_sources(self, value: _Value) -> list[_Value] | None:
        """What a value consists of; None where that is not known, or it is computed."""
        graph, node, path = self._graph, value.node, value.path
        name = graph.operation(node).rpartition(".")[2].replace("-", "_")
        if name in _CASTS and self._is_boolean(node):
            return [_TRUTH]
        if name in _MOVED:
            return _join(self._operand(node, each, value) for each in _MOVED[name])
        row = graph.attributes(node)
        if name == "get_tuple_element":
            number = read_count(row.get("tuple_index", ""))
            inner = None if number is None else value._replace(path=(number, *path))
            return None if inner is None else self._operand(node, 0, inner)
        if name == "tuple":
            return self._operand(node, path[0], value._replace(path=path[1:])) if path else None
        if name == "constant":
            return [] if _IS_ZERO(row.get("literal") or row.get("value") or "") else None
        place = self._boundaries.entering.get(node)
        if place is not None:
            return self._enter(*place, value)
        if "shares" in row:
            owner = self._find_shown(node)
            return self._gather(owner, value._replace(calls=(*value.calls, node)))
        return self._leave(value)

    def _find_shown(self, node: int) -> int:
        """The call at which the program that a call shares is drawn, or `NONE`."""
        group = self._graph.group_by_id().get(self._graph.attributes(node).get("shares", ""), NONE)
        return NONE if group == NONE else int(self._graph.groups.owner[group])

    def _enter(self, owner: int, operand: int, value: _Value) -> list[_Value] | None:
        """What an input of a nested program is: the owner's operand, and what a round hands on."""
        if value.calls and self._find_shown(value.calls[-1]) == owner:
            outer = value._replace(calls=value.calls[:-1])
            return self._operand(value.calls[-1], operand, outer)
        parts = [self._operand(owner, operand, value)]
        carry = self._find_carry(owner)
        if carry is None:
            return None
        result = operand - carry.first
        if 0 <= result < carry.num:
            parts.append(self._gather(owner, value.of(owner, result)))
        return _join(parts)

    def _leave(self, value: _Value) -> list[_Value] | None:
        """What a result of a nested program is: what it gives, and what a loop begins with."""
        owner, result = value.node, value.result
        parts = [self._gather(owner, value)]
        carry = self._find_carry(owner)
        if carry is None:
            return None
        if carry.num and self._graph.nodes.kind[owner] == NodeKind.INSTRUCTION:
            result = 0  # the tuple that goes around
        if result < carry.num:
            parts.append(self._operand(owner, carry.first + result, value))
        return _join(parts)

    def _gather(self, owner: int, value: _Value) -> list[_Value] | None:
        """What the programs inside of a node give for a value that is one of its results."""
        leaving = self._boundaries.leaving
        nodes = leaving.get((owner, value.result)) or leaving.get((owner, -1))
        if nodes is None:
            return None
        kinds, output = self._graph.nodes.kind, int(NodeKind.OUTPUT)
        return _join(
            self._operand(node, 0, value) if kinds[node] == output else [value.of(node, 0)]
            for node in nodes
        )

    def _find_carry(self, owner: int) -> _Carry | None:
        """Which operands a loop carries; none of what is no loop. None where it does not say so."""
        graph = self._graph
        operation, kind = graph.operation(owner), graph.nodes.kind[owner]
        if operation not in LOOPS:
            return _Carry(0, 0)
        if kind != NodeKind.EQUATION:
            return _Carry(0, 1 if kind == NodeKind.INSTRUCTION else len(graph.nodes.types[owner]))
        row = graph.attributes(owner)
        if operation == "scan":
            first, num = (read_count(row.get(key, "")) for key in ("num_consts", "num_carry"))
            return None if first is None or num is None else _Carry(first, num)
        constants = [read_count(row.get(key, "")) for key in ("cond_nconsts", "body_nconsts")]
        known = [each for each in constants if each is not None]
        return _Carry(sum(known), len(graph.nodes.types[owner])) if len(known) == 2 else None


class _Carry(NamedTuple):
    """The operands of a loop that it carries: the first, and how many."""

    first: int
    num: int


_TRUTH = _Value(NONE, 0)
"""Stands for a truth value that was converted."""


def _join(parts: Iterable[list[_Value] | None]) -> list[_Value] | None:
    joined: list[_Value] = []
    for part in parts:
        if part is None:
            return None
        joined += part
    return joined
