"""The most memory that a module needs at once, read from the module alone."""

from __future__ import annotations

import dataclasses
import heapq
import math

from jaxscope.analysis.hlo.proto import HloMessage, parse_module
from jaxscope.analysis.memory.light_graph import build_light_graph
from jaxscope.analysis.memory.live_ranges import follow_schedule
from jaxscope.analysis.memory.schedule import Schedule, flatten_order


@dataclasses.dataclass(frozen=True, slots=True)
class ModulePeak:
    """Bytes that are alive at once at most, arguments and results included.

    Attributes:
        scheduled_bytes: In the order that XLA fixed; NaN as long as there is none.
        estimated_bytes: If the module ran instruction by instruction in program order, in which an
            operand stands before its user; NaN where XLA has fixed an order.
    """

    scheduled_bytes: float = math.nan
    estimated_bytes: float = math.nan


def is_scheduled(module: HloMessage) -> bool:
    """Whether XLA has fixed the order in which a parsed module runs."""
    return module.HasField("schedule") and bool(module.schedule.sequences)


def find_module_peak(proto: bytes, *, estimates: bool = True) -> ModulePeak:
    """The peak of a module: by its schedule, or estimated where XLA has not made one yet.

    Args:
        proto: A serialized `HloModuleProto`.
        estimates: Whether to estimate; takes as long as following a schedule does.

    Raises:
        ValueError: The bytes are no HLO module.
    """
    module = parse_module(proto)
    has_schedule = is_scheduled(module)
    if not has_schedule and not estimates:
        return ModulePeak()
    graph = build_light_graph(module)
    groups = graph.nodes.group.tolist()
    order: dict[int, list[int]] = {}
    first = 0
    for computation in module.computations:
        ids = [instruction.id for instruction in computation.instructions]
        places = {id: first + number for number, id in enumerate(ids)}
        first += len(ids)
        if not ids:
            continue
        planned = _planned(module, computation.id) if has_schedule else []
        nodes = [places[id] for id in planned if id in places]
        order[groups[places[ids[0]]]] = nodes or _in_program_order(computation, places)
    schedule = Schedule(graph, tuple(flatten_order(graph, order)), _aliases(module))
    peak = follow_schedule(schedule).peak_bytes if schedule.steps else math.nan
    return ModulePeak(peak) if has_schedule else ModulePeak(math.nan, peak)


def _in_program_order(computation: HloMessage, places: dict[int, int]) -> list[int]:
    """Nodes such that operands stand before their users, else in the order of the file.

    XLA writes instructions down that way; whoever mixes them up gets them sorted, and where
    instructions wait for one another, which HLO does not allow, they come last.
    """
    users: dict[int, list[int]] = {}
    missing: dict[int, int] = {}
    for row in computation.instructions:
        operands = {id for id in row.operand_ids if id in places}
        missing[row.id] = len(operands)
        for id in operands:
            users.setdefault(id, []).append(row.id)
    ready = [(places[id], id) for id, count in missing.items() if not count]
    heapq.heapify(ready)
    order: dict[int, None] = {}
    while ready:
        place, id = heapq.heappop(ready)
        order[place] = None
        for user in users.get(id, ()):
            missing[user] -= 1
            if not missing[user]:
                heapq.heappush(ready, (places[user], user))
    return list(order | dict.fromkeys(places.values()))


def _planned(module: HloMessage, computation: int) -> list[int]:
    if computation not in module.schedule.sequences:
        return []
    return list(module.schedule.sequences[computation].instruction_ids)


def _aliases(module: HloMessage) -> dict[int, int]:
    """Parameter number by the number of the result that lies in its memory."""
    return {
        entry.output_shape_index[0] if entry.output_shape_index else 0: entry.parameter_number
        for entry in module.input_output_alias.entries
        if len(entry.output_shape_index) <= 1 and not entry.parameter_shape_index
    }
