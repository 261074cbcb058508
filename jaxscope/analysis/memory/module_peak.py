"""The most memory that a module needs at once, read from the module alone."""

from __future__ import annotations

import math

from jaxscope.analysis.hlo.graph import convert_hlo
from jaxscope.analysis.hlo.proto import HloMessage, parse_module
from jaxscope.analysis.memory.live_ranges import follow_schedule
from jaxscope.analysis.memory.schedule import Schedule, flatten_order
from jaxscope.model.op_name import TagTable


def find_module_peak(proto: bytes) -> float:
    """Bytes that are alive at once at most, arguments and results included.

    Args:
        proto: A serialized `HloModuleProto`.

    Returns:
        NaN where the module has no order yet: XLA fixes it late, and before nobody knows what
        lives when.

    Raises:
        ValueError: The bytes are no HLO module.
    """
    module = parse_module(proto)
    if not module.HasField("schedule") or not module.schedule.sequences:
        return math.nan
    graph = convert_hlo(proto, TagTable(), None, None, "passes")
    groups = graph.nodes.group.tolist()
    order: dict[int, list[int]] = {}
    first = 0
    for computation in module.computations:
        ids = [instruction.id for instruction in computation.instructions]
        places = {id: first + number for number, id in enumerate(ids)}
        first += len(ids)
        if ids:
            planned = _planned(module, computation.id) or ids
            nodes = [places[id] for id in planned if id in places]
            order[groups[places[ids[0]]]] = nodes
    schedule = Schedule(graph, tuple(flatten_order(graph, order)), _aliases(module))
    return follow_schedule(schedule).peak_bytes if schedule.steps else math.nan


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
