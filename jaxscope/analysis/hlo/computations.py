"""Who calls which computation, and how computations nest."""

from __future__ import annotations

import dataclasses

from jaxscope.analysis.hlo.proto import HloMessage
from jaxscope.model.graph import NONE, GroupKind

_REGIONS = frozenset(
    {
        "while",
        "conditional",
        "reduce",
        "reduce-window",
        "select-and-scatter",
        "scatter",
        "sort",
        "map",
        "all-reduce",
        "all-reduce-start",
        "reduce-scatter",
        "topk",
    }
)
_OPERANDS_ARE_PARAMETERS = frozenset({"fusion", "call", "async-start"})


@dataclasses.dataclass(frozen=True, slots=True)
class CallSite:
    """One place where an instruction calls a computation.

    Attributes:
        caller: Node index of the calling instruction.
        caller_name: Its name.
        caller_opcode: Its opcode.
        position: Which of the caller's computations this is: 0 is the body of a `while`, 1 its
            condition.
        home: Index of the computation that the caller stands in.
        trip_count: Of a `while`, as text; empty where unknown.
    """

    caller: int
    caller_name: str
    caller_opcode: str
    position: int
    home: int
    trip_count: str = ""

    @property
    def kind(self) -> GroupKind:
        """What the called computation is to its caller."""
        if self.caller_opcode == "fusion":
            return GroupKind.FUSION
        return GroupKind.REGION if self.caller_opcode in _REGIONS else GroupKind.COMPUTATION

    @property
    def label(self) -> str:
        """What to write on the group's box; empty if the computation's own name says it best."""
        if self.caller_opcode == "fusion":
            return self.caller_name
        if self.caller_opcode == "while":
            role = ("body", "condition")[min(self.position, 1)]
            times = f" ×{self.trip_count}" if self.trip_count and self.position == 0 else ""
            return f"{role} of {self.caller_name}{times}"
        if self.caller_opcode == "conditional":
            return f"branch {self.position} of {self.caller_name}"
        if self.caller_name.partition(".")[0] == self.caller_opcode:
            return self.caller_name  # not `call of call`
        return f"{self.caller_opcode} of {self.caller_name}" if self.caller_opcode else ""

    def operand_of(self, parameter: int) -> int:
        """The caller's operand that the callee's parameter stands for, or `NONE`.

        Reducers and comparators are called with elements, not with an operand.
        """
        if self.caller_opcode in _OPERANDS_ARE_PARAMETERS:
            return parameter
        if self.caller_opcode == "while":
            return 0
        if self.caller_opcode == "conditional":
            return self.position + 1
        return NONE


@dataclasses.dataclass(frozen=True, slots=True)
class Nesting:
    """The tree of computations of one module.

    Attributes:
        order: Indices of all computations but the entry, callers before callees.
        entry: Index of the entry computation.
        sites: Per computation its call sites; the first is the one it is shown under.
    """

    order: tuple[int, ...]
    entry: int
    sites: tuple[tuple[CallSite, ...], ...]


def find_nesting(module: HloMessage, first_nodes: list[int], trips: dict[int, str]) -> Nesting:
    """Find the call sites of every computation and an order in which callers come first.

    A computation that nothing reachable calls comes last and has no call sites that it could be
    shown under: recursion, which HLO does not have, ends there too.

    Args:
        module: A parsed module.
        first_nodes: Node index of the first instruction of each computation.
        trips: Known trip counts by node index.
    """
    computations = list(module.computations)
    by_id = {computation.id: index for index, computation in enumerate(computations)}
    entry = by_id.get(module.entry_computation_id, len(computations) - 1)
    callees: list[list[tuple[int, CallSite]]] = []
    for home, computation in enumerate(computations):
        calls: list[tuple[int, CallSite]] = []
        for offset, instruction in enumerate(computation.instructions):
            caller = first_nodes[home] + offset
            for position, called_id in enumerate(instruction.called_computation_ids):
                called = by_id.get(called_id)
                if called is not None:
                    site = CallSite(
                        caller,
                        instruction.name,
                        instruction.opcode,
                        position,
                        home,
                        trips.get(caller, ""),
                    )
                    calls.append((called, site))
        callees.append(calls)
    sites: list[list[CallSite]] = [[] for _ in computations]
    seen, queue = {entry}, [entry]
    for home in queue:
        for called, site in callees[home]:
            if called == entry:
                continue
            sites[called].append(site)
            if called not in seen:
                seen.add(called)
                queue.append(called)
    # Breadth first keeps the first site's home before the computation itself.
    order = queue[1:] + [index for index in range(len(computations)) if index not in seen]
    return Nesting(tuple(order), entry, tuple(tuple(row) for row in sites))
