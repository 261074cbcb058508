"""Values that several kernels compute, found by value numbering: two instructions get one number if
they do the same to the same operands, followed into and out of fusions.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Cost, Direction, Graph, GroupKind
from jaxscope.model.types import read_count, type_bytes
from jaxscope.program.fusion.fusions import Module

# Which instructions compute the same value, wherever in the module they stand.
#
# Two instructions get one number if they do the same to the same operands. A fusion's parameter is
# the operand that it stands for, a fusion's result is what its root computes, so values are
# followed into and out of fusions. What cannot be proved the same gets a number of its own:
# arguments, loops, branches, library calls, whatever has an effect or draws random numbers.


_OPAQUE = frozenset(
    {
        *("while", "conditional", "call", "custom-call", "async-start", "async-update"),
        *("infeed", "outfeed", "send", "send-done", "recv", "recv-done", "after-all"),
        *("all-gather", "all-reduce", "all-to-all", "collective-broadcast", "collective-permute"),
        *("reduce-scatter", "ragged-all-to-all", "rng", "rng-get-and-update-state", "async-done"),
        *("partition-id", "replica-id", "copy-start", "copy-done", "optimization-barrier"),
    }
)
_NOT_OF_THE_VALUE = frozenset(
    {
        *("op_name", "backend_config", "root", "called_by", "operand", "calls", "cost_note"),
        *("frontend_attributes", "control_predecessors", "estimated_cycles", "layout"),
    }
)
_CUT_OFF = "…"


class ValueNumbering:
    """Numbers of values; found when asked for, and remembered."""

    def __init__(self, module: Module, *, ends_outside: bool = False) -> None:
        """
        Args:
            ends_outside: Instructions outside of fusions are not followed: fewer values are found
                to be the same, sooner.
        """
        self._module = module
        self._ends_outside = ends_outside
        self._numbers: dict[int, int] = {}
        self._number_of_key: dict[Hashable, int] = {}
        self._regions: dict[int, Hashable] = {}

    def number(self, node: int) -> int:
        """The number of the value that a node computes."""
        # A chain of thousands of instructions is deeper than Python's stack.
        waiting, seen = [node], set[int]()
        while waiting:
            top = waiting[-1]
            if top in self._numbers:
                waiting.pop()
                continue
            sources, key = self._look(top)
            missing = [source for source in sources if source not in self._numbers]
            if missing and top in seen:  # a module from a file may go round in circles
                sources, key, missing = [], ("only", top), []
            if missing:
                seen.add(top)
                waiting += missing
                continue
            waiting.pop()
            numbers = tuple(self._numbers[source] for source in sources)
            if key is None and len(numbers) == 1:
                self._numbers[top] = numbers[0]
                continue
            whole: Hashable = (key, numbers)
            self._numbers[top] = self._number_of_key.setdefault(whole, len(self._number_of_key))
        return self._numbers[node]

    def _look(self, node: int) -> tuple[list[int], Hashable]:
        """What a value is computed of, and how; None for how if it is its only source's value."""
        module = self._module
        if self._ends_outside and not module.is_fused(module.home(node)):
            return [], ("only", node)
        same = self._same_as(node)
        if same is not None:
            return [same], None
        operation = module.operations[node]
        row = module.attributes[node]
        is_cut = any(value.endswith(_CUT_OFF) for value in row.values())
        opaque = operation in _OPAQUE or operation.endswith(("-start", "-done"))
        if opaque or is_cut or operation in ("parameter", "fusion"):
            return [], ("only", node)
        told = tuple(sorted((k, v) for k, v in row.items() if k not in _NOT_OF_THE_VALUE))
        regions = tuple(self._region(group) for group in module.called(node))
        sources = [source for source, _ in module.operands[node]]
        return sources, (operation, module.types(node), told, regions)

    def _same_as(self, node: int) -> int | None:
        """The node whose value this one's is: behind a fusion's parameter or result."""
        module = self._module
        operation, row = module.operations[node], module.attributes[node]
        home = module.home(node)
        if (
            operation == "parameter"
            and module.is_fused(home)
            and _is_number(row.get("operand", ""))
        ):
            owner, number = module.owner(home), int(row["operand"])
            has_one_caller = owner != NONE and self._root(owner) is not None
            if has_one_caller and number < len(module.operands[owner]):
                return module.operands[owner][number][0]
        if operation == "fusion":
            root = self._root(node)
            if root is not None and module.operations[root] != "tuple":
                return root
        index = row.get("tuple_index", "0")
        if operation == "get-tuple-element" and module.operands[node] and _is_number(index):
            whole, number = module.operands[node][0][0], int(index)
            root = self._root(whole) if module.operations[whole] == "fusion" else whole
            if root is not None and module.operations[root] == "tuple":
                parts = module.operands[root]
                return parts[number][0] if number < len(parts) else None
        return None

    def _root(self, fusion: int) -> int | None:
        """The root of a fusion whose computation is its alone."""
        group = self._module.fused_computation(fusion)
        if group is None or self._module.owner(group) != fusion:
            return None
        root = self._module.roots.get(group)
        if root is None or "," in self._module.attributes[root].get("called_by", ""):
            return None
        return root

    def _region(self, group: int) -> Hashable:
        """What a reducer or comparator does, written without names."""
        found = self._regions.get(group)
        if found is None:
            module = self._module
            members = module.members.get(group, [])
            place = {node: number for number, node in enumerate(members)}
            found = tuple(
                (
                    module.operations[node],
                    module.types(node),
                    tuple(
                        sorted(
                            (k, v)
                            for k, v in module.attributes[node].items()
                            if k not in _NOT_OF_THE_VALUE
                        )
                    ),
                    tuple(place.get(source, NONE) for source, _ in module.operands[node]),
                    ("only", node) if module.called(node) else "",
                )
                for node in members
            )
            self._regions[group] = found
        return found


def _is_number(text: str) -> bool:
    return read_count(text) is not None


_NOT_WORTH_REPORTING = frozenset({"constant", "parameter", "broadcast", "iota", "tuple", "bitcast"})


@dataclass(frozen=True, slots=True)
class DuplicateSite:
    """One of the places where a value is computed: an instruction, and the kernel it is in."""

    kernel: int
    kernel_id: str
    node: int
    id: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """One value that is computed by more than one kernel.

    Attributes:
        operation: XLA's name of what computes it.
        type: Of the value.
        copies: One for each kernel, in program order.
        equations: Ids of equations of the last jaxpr-level stage that it belongs to.
        once: What computing it once costs.
        num_bytes: Size of the value, which storing it once would have written.
    """

    operation: str
    type: str
    copies: tuple[DuplicateSite, ...]
    equations: tuple[str, ...]
    once: Cost
    num_bytes: float

    @property
    def flops_recomputed(self) -> float:
        """FLOPs beyond those of computing it once; NaN where unknown."""
        return (len(self.copies) - 1) * self.once.flops

    @property
    def transcendentals_recomputed(self) -> float:
        """Calls of `exp` and the like beyond those of computing it once; NaN where unknown."""
        return (len(self.copies) - 1) * self.once.transcendentals


def find_duplicates(module: Module) -> tuple[Duplicate, ...]:
    """All values that several kernels compute, in program order of their first copy.

    Only what is proved to be the same value counts: the same operation on the same operands.
    Constants, broadcasts and counters are left out; computing these again is nobody's loss.
    """
    same = ValueNumbering(module)
    copies: dict[int, dict[int, int]] = {}
    for node, operation in enumerate(module.operations):
        if operation in _NOT_WORTH_REPORTING or operation == "fusion" or module.is_free(node):
            continue
        if not module.is_fused(module.home(node)) and module.kernel(node) != node:
            continue  # part of a reducer
        kernel = module.kernel(node)
        copies.setdefault(same.number(node), {}).setdefault(kernel, node)
    return tuple(
        _to_duplicate(module, list(places.items())) for places in copies.values() if len(places) > 1
    )


_MAX_NODES = 20_000
"""Of more the lists alone take longer than a click may."""


def find_forward_copies(graph: Graph, node: int) -> list[int]:
    """What computes in the forward part a value that a fusion of the backward part computes again.

    Empty unless tags say that the instruction belongs to the forward part and its fusion to the
    backward one, and that the others carry the same equation; and only what is proved to be the
    same value of the same operands of the fusions counts. Linear in the module.
    """
    equations = set(graph.derived(node))
    if graph.operation(node) in _NOT_WORTH_REPORTING or len(graph.nodes) > _MAX_NODES:
        return []
    if not equations or not _is_run_backward(graph, node):
        return []
    nodes = graph.nodes
    alike = (nodes.operation == nodes.operation[node]) & (nodes.direction == Direction.FORWARD)
    others = [
        other
        for other in np.flatnonzero(alike).tolist()
        if equations.intersection(graph.derived(other)) and not _is_run_backward(graph, other)
    ]
    same = ValueNumbering(Module(graph), ends_outside=True) if others else None
    return [each for each in others if same is not None and same.number(each) == same.number(node)]


def _is_run_backward(graph: Graph, node: int) -> bool:
    """Whether a forward instruction stands in a fusion that belongs to the backward part."""
    groups, direction = graph.groups, graph.nodes.direction
    group = int(graph.nodes.group[node])
    if group == NONE or groups.kind[group] != GroupKind.FUSION:
        return False
    owner = int(groups.owner[group])
    is_forward = direction[node] == Direction.FORWARD
    return bool(is_forward and owner != NONE and direction[owner] == Direction.BACKWARD)


def _to_duplicate(module: Module, places: list[tuple[int, int]]) -> Duplicate:
    nodes = [node for _, node in places]
    graph, first = module.graph, nodes[0]
    equations = dict.fromkeys(id for node in nodes for id in graph.derived(node))
    types = module.types(first)
    return Duplicate(
        module.operations[first],
        ", ".join(types),
        tuple(
            DuplicateSite(kernel, module.id(kernel), node, module.id(node))
            for kernel, node in sorted(places)
        ),
        tuple(equations),
        Cost(*graph.nodes.cost[first].tolist()),
        sum(map(type_bytes, types)),
    )
