"""A module as a graph of the few things that live ranges are made of.

A whole graph takes three times as long to make, and the passes of a large program leave dozens of
modules of which nothing else is asked.
"""

from __future__ import annotations

from jaxscope.analysis.hlo.computations import find_nesting
from jaxscope.analysis.hlo.proto import HloMessage
from jaxscope.analysis.hlo.shapes import ShapeTexts
from jaxscope.model.graph import NONE, Graph, GroupKind, NodeKind
from jaxscope.model.graph_builder import GraphBuilder


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
                name, site.kind, site.label, parent=groups[site.home], owner=site.caller
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
