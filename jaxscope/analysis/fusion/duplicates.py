"""Values that several kernels compute again, each for itself."""

from __future__ import annotations

import dataclasses

from jaxscope.analysis.fusion.module import Module
from jaxscope.analysis.fusion.same_values import SameValues
from jaxscope.analysis.value_sizes import bytes_of_type
from jaxscope.model import Cost

_NOT_WORTH_TELLING = frozenset({"constant", "parameter", "broadcast", "iota", "tuple", "bitcast"})


@dataclasses.dataclass(frozen=True, slots=True)
class Copy:
    """One of the places where a value is computed: an instruction, and the kernel it is in."""

    kernel: int
    kernel_id: str
    node: int
    id: str


@dataclasses.dataclass(frozen=True, slots=True)
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
    copies: tuple[Copy, ...]
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
    same = SameValues(module)
    copies: dict[int, dict[int, int]] = {}
    for node, operation in enumerate(module.operations):
        if operation in _NOT_WORTH_TELLING or operation == "fusion" or module.is_free(node):
            continue
        if not module.is_fused(module.home(node)) and module.kernel(node) != node:
            continue  # part of a reducer
        kernel = module.kernel(node)
        copies.setdefault(same.number(node), {}).setdefault(kernel, node)
    return tuple(
        _tell(module, list(places.items())) for places in copies.values() if len(places) > 1
    )


def _tell(module: Module, places: list[tuple[int, int]]) -> Duplicate:
    nodes = [node for _, node in places]
    graph, first = module.graph, nodes[0]
    equations = dict.fromkeys(id for node in nodes for id in graph.row(graph.nodes.derived, node))
    types = module.types(first)
    return Duplicate(
        module.operations[first],
        ", ".join(types),
        tuple(
            Copy(kernel, module.id(kernel), node, module.id(node))
            for kernel, node in sorted(places)
        ),
        tuple(equations),
        Cost(*graph.nodes.cost[first].tolist()),
        sum(map(bytes_of_type, types)),
    )
