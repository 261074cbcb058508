"""The most memory that a serialized module needs at once, read from the module alone, through a
light graph of the few columns that live ranges need.
"""

from __future__ import annotations

import heapq
import math

from jaxscope.late_dataclass import dataclass
from jaxscope.model.graph import NONE, Graph, GroupKind, NodeKind
from jaxscope.model.graph_builder import GraphBuilder
from jaxscope.program.hlo.graph import find_nesting
from jaxscope.program.hlo.instruction_text import ShapeTexts
from jaxscope.program.hlo.proto import HloMessage, parse_module
from jaxscope.program.memory.live_ranges import Schedule, flatten_order, follow_schedule

# A module as a graph of the few things that live ranges are made of.
#
# A whole graph takes three times as long to make, and the passes of a large program leave dozens of
# modules of which nothing else is asked.


def build_light_graph(module: HloMessage) -> Graph:
    """Operations, types, layouts, operands and who calls what; nothing of where it came from.

    Args:
        module: A parsed `HloModuleProto`; nodes stand in its order.

    Raises:
        ValueError: An instruction uses an operand that is not there.
    """
    computations = list(module.computations)
    firsts, total = [], 0
    for computation in computations:
        firsts.append(total)
        total += len(computation.instructions)
    nesting = find_nesting(module, firsts, {})
    builder = GraphBuilder()
    groups = [NONE] * len(computations)
    for index in nesting.order:
        sites = nesting.sites[index]
        name = computations[index].name
        if sites:
            site = sites[0]
            groups[index] = builder.add_group(
                name,
                site.kind,
                site.label,
                parent=groups[site.home],
                owner=site.caller,
                part=site.part,
            )
        else:
            groups[index] = builder.add_group(name, GroupKind.COMPUTATION, name)
    shapes = ShapeTexts()
    for index, computation in enumerate(computations):
        caller = nesting.sites[index][0] if nesting.sites[index] else None
        instructions = list(computation.instructions)
        places = {row.id: firsts[index] + offset for offset, row in enumerate(instructions)}
        results = [shapes.render(row.shape) for row in instructions]
        for offset, row in enumerate(instructions):
            opcode = row.opcode
            attributes = {"layout": results[offset][2]} if results[offset][2] else {}
            if row.id == computation.root_id:
                attributes["root"] = "true"
            if opcode == "parameter":
                attributes["parameter_number"] = str(row.parameter_number)
                operand = NONE if caller is None else caller.operand_of(row.parameter_number)
                if operand != NONE:
                    attributes["operand"] = str(operand)
            builder.add_node(
                row.name,
                NodeKind.INSTRUCTION,
                opcode,
                name=row.name,
                group=groups[index],
                types=results[offset][1],
                attributes=attributes,
            )
            output = row.tuple_index if opcode == "get-tuple-element" else 0
            for number, id in enumerate(row.operand_ids):
                producer = places.get(id)
                if producer is None:
                    raise ValueError(f"{row.name} uses an operand that is not there")
                builder.add_edge(producer, firsts[index] + offset, output=output, operand=number)
    return builder.build()


@dataclass(frozen=True, slots=True)
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
