"""Convert an HLO module into a graph.

Every instruction of every computation is one node, in the proto's order, so that row `i` of
whatever the worker computed per instruction belongs to node `i`. Every computation but the entry
is one group, nested under the computation that calls it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.hlo.attributes import read_attributes
from jaxscope.analysis.hlo.computations import Nesting, find_nesting
from jaxscope.analysis.hlo.frames import Frame, FrameTable
from jaxscope.analysis.hlo.proto import HloMessage, parse_module
from jaxscope.analysis.hlo.provenance import (
    LOOP_PARTS,
    Provenance,
    ProvenanceReader,
    find_loop_names,
    inherit_from_callers,
)
from jaxscope.analysis.hlo.shapes import ShapeTexts
from jaxscope.model.graph import NONE, Graph, GroupKind, NodeKind
from jaxscope.model.graph_builder import GraphBuilder
from jaxscope.model.op_name import TagTable, in_call

_MAX_EDGE_TYPE = 200


def convert_hlo(
    proto_bytes: bytes,
    tags: TagTable,
    derived_graph: Graph | None,
    instruction_cost: npt.NDArray[np.float64] | None,
    stage: str,
) -> Graph:
    """Convert a serialized `HloModuleProto` into the graph of a stage.

    Args:
        proto_bytes: From the worker; treated as hostile.
        tags: What the tags in `op_name`s stand for.
        derived_graph: Graph of the last jaxpr-level stage, for scopes and inherited origins.
        instruction_cost: One row per instruction in the proto's order, or None if unknown.
        stage: Name of the stage, for error texts.

    Raises:
        ValueError: The bytes are no HLO module, or the costs do not fit it.
    """
    try:
        module = parse_module(proto_bytes)
        return _Converter(module, tags, derived_graph, instruction_cost).convert()
    except ValueError as error:
        raise ValueError(f"the module of the stage {stage} cannot be read: {error}") from None


class _Converter:
    """One conversion: the tables that all instructions share, and the graph so far."""

    def __init__(
        self,
        module: HloMessage,
        tags: TagTable,
        derived_graph: Graph | None,
        instruction_cost: npt.NDArray[np.float64] | None,
    ) -> None:
        self._module = module
        self._provenance = ProvenanceReader(tags, derived_graph)
        self._frames = FrameTable(module)
        self._shapes = ShapeTexts()
        self._builder = GraphBuilder()
        self._cost = instruction_cost
        self._ids: set[str] = set()

    def convert(self) -> Graph:
        computations = list(self._module.computations)
        first_nodes, total = [], 0
        for computation in computations:
            first_nodes.append(total)
            total += len(computation.instructions)
        if self._cost is not None and self._cost.shape != (total, 3):
            raise ValueError(f"costs of shape {self._cost.shape} for {total} instructions")
        attributes = [read_attributes(i) for c in computations for i in c.instructions]
        trips = {
            node: row["known_trip_count"]
            for node, row in enumerate(attributes)
            if "known_trip_count" in row
        }
        for node, trip_count in trips.items():
            attributes[node]["cost_note"] = f"XLA counts the body once; it runs {trip_count} times"
        nesting = find_nesting(self._module, first_nodes, trips)
        groups = self._add_groups(computations, nesting)
        inherited = inherit_from_callers(computations, nesting, first_nodes, self._provenance)
        self._link_calls(computations, nesting, attributes)
        loops = find_loop_names(computations, nesting, first_nodes)
        for index, computation in enumerate(computations):
            self._mark_ends(computation, first_nodes[index], nesting, index, attributes)
            self._add_nodes(
                computation,
                groups[index],
                first_nodes[index],
                attributes,
                inherited[index],
                loops[index],
            )
        graph = self._builder.build()
        if self._cost is None:
            return graph
        return graph.replace_nodes(cost=np.array(self._cost, np.float64))

    def _add_groups(self, computations: list[HloMessage], nesting: Nesting) -> list[int]:
        """Add a group per computation but the entry; returns the group of each computation."""
        groups = [NONE] * len(computations)
        used: set[str] = set()
        for index in nesting.order:
            name = _unique(computations[index].name, used)
            sites = nesting.sites[index]
            if sites:
                site = sites[0]
                groups[index] = self._builder.add_group(
                    name,
                    site.kind,
                    site.label or name,
                    parent=groups[site.home],
                    owner=site.caller,
                )
            else:
                groups[index] = self._builder.add_group(name, GroupKind.COMPUTATION, name)
        return groups

    def _link_calls(
        self,
        computations: list[HloMessage],
        nesting: Nesting,
        attributes: list[dict[str, str]],
    ) -> None:
        for index, sites in enumerate(nesting.sites):
            for site in sites:
                row = attributes[site.caller]
                name = computations[index].name
                row["calls"] = f"{row['calls']}, {name}" if "calls" in row else name

    def _mark_ends(
        self,
        computation: HloMessage,
        first_node: int,
        nesting: Nesting,
        index: int,
        attributes: list[dict[str, str]],
    ) -> None:
        """Say which instruction is the root and what each parameter stands for outside."""
        sites = nesting.sites[index]
        callers = ", ".join(dict.fromkeys(site.caller_name for site in sites))
        for offset, instruction in enumerate(computation.instructions):
            row = attributes[first_node + offset]
            if instruction.id == computation.root_id:
                row["root"] = "true"
                if callers:
                    row["called_by"] = callers
            if sites and instruction.opcode == "parameter":
                operand = sites[0].operand_of(instruction.parameter_number)
                if operand != NONE:
                    row["operand"] = str(operand)

    def _add_nodes(
        self,
        computation: HloMessage,
        group: int,
        first_node: int,
        attributes: list[dict[str, str]],
        inherited: Provenance,
        loops: frozenset[str],
    ) -> None:
        instructions = list(computation.instructions)
        node_of = {row.id: first_node + offset for offset, row in enumerate(instructions)}
        shapes = [self._shapes.render(instruction.shape) for instruction in instructions]
        names = [instruction.name for instruction in instructions]
        builder = self._builder
        for offset, instruction in enumerate(instructions):
            index = first_node + offset
            metadata = instruction.metadata
            provenance = self._provenance.read(metadata.op_name).or_inherited(inherited)
            row = attributes[index]
            if provenance.display:
                row["op_name"] = provenance.display
            is_stamped = metadata.op_name in loops and instruction.opcode not in LOOP_PARTS
            if is_stamped:
                provenance = Provenance()
            elif any(provenance.calls):
                row["call"] = ", ".join(map(in_call, provenance.derived, provenance.calls))
            if shapes[offset][2]:
                row["layout"] = shapes[offset][2]
            if instruction.control_predecessor_ids:
                row["control_predecessors"] = ", ".join(
                    names[node_of[number] - first_node]
                    for number in instruction.control_predecessor_ids
                    if number in node_of
                )
            opcode = instruction.opcode
            builder.add_node(
                _unique(names[offset], self._ids),
                NodeKind.INSTRUCTION,
                opcode,
                name=names[offset],
                group=group,
                types=shapes[offset][1],
                attributes=row,
                scope=provenance.scope,
                origins=provenance.origins,
                derived=provenance.derived,
                direction=provenance.direction,
                source=()
                if is_stamped
                else _source(self._frames.read(metadata), provenance.source),
            )
            is_element = opcode == "get-tuple-element"
            for operand, number in enumerate(instruction.operand_ids):
                producer = node_of.get(number)
                if producer is None:
                    raise ValueError(f"{names[offset]} uses an operand that is not there")
                whole, results, _ = shapes[producer - first_node]
                output = 0
                if is_element and 0 <= instruction.tuple_index < len(results):
                    output = instruction.tuple_index
                    whole = results[output]
                if len(whole) > _MAX_EDGE_TYPE:
                    whole = f"({len(results)} values)"
                builder.add_edge(producer, index, output=output, operand=operand, type=whole)


def _source(own: tuple[Frame, ...], of_equation: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """The instruction's own frames; the equation's where it has none, or one and no stack."""
    if len(own) == 1 and of_equation and own[0][:2] == of_equation[0][:2]:
        return of_equation  # jaxlib 0.8 keeps the innermost frame only
    return own or of_equation


def _unique(name: str, used: set[str]) -> str:
    """The name itself; XLA keeps names unique, but nothing forces a module's author to."""
    candidate, number = name, 1
    while candidate in used:
        number += 1
        candidate = f"{name}~{number}"
    used.add(candidate)
    return candidate
