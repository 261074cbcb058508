"""What the files of an opened module say of the whole of it: arguments, results, memory plan."""

from __future__ import annotations

import dataclasses
import math

from jaxscope.model import Capture, Graph, Unavailable, is_available
from jaxscope.model.capture import Leaf, MemoryPlan
from jaxscope.model.graph import NONE
from jaxscope.model.stages import LATE_STAGES
from jaxscope.model.types import type_bytes
from jaxscope.program.memory.assignment_text import plan_memory
from jaxscope.program.name_links import link_by_name

NO_ASSIGNMENT = Unavailable(
    "The files that were opened hold no buffer assignment (…-buffer-assignment.txt).", "optimized"
)


def complete_opened(capture: Capture, assignment: str, aliased: tuple[int, ...]) -> Capture:
    """The capture with what its modules say of arguments and results, and its memory plan.

    Args:
        capture: As the worker's messages make it.
        assignment: XLA's own text of its buffer assignment, or empty.
        aliased: Parameters whose memory results are written to.
    """
    graphs = {stage.name: stage.graph for stage in capture.stages if is_available(stage.graph)}
    if not any(name not in LATE_STAGES for name in graphs):
        linked = link_by_name(graphs)
        stages = tuple(
            dataclasses.replace(stage, graph=linked.get(stage.name, stage.graph))
            for stage in capture.stages
        )
        capture = dataclasses.replace(capture, stages=stages)
        graphs.update(linked)
    module = graphs.get("optimized") or graphs.get("hlo")
    if module is None:
        return capture
    arguments, results = list_arguments(module), list_results(module)
    memory: MemoryPlan | Unavailable = NO_ASSIGNMENT
    if assignment and "optimized" in graphs:
        plan = plan_memory(assignment, graphs["optimized"])
        kept = tuple(range(len(arguments)))
        memory = dataclasses.replace(plan, donated=tuple(aliased), kept=kept)
    return dataclasses.replace(capture, arguments=arguments, results=results, memory=memory)


def list_arguments(module: Graph) -> tuple[Leaf, ...]:
    """The parameters of an HLO module, as JAX names them where it does."""
    rows: list[tuple[int, Leaf]] = []
    for node in _entry_nodes(module, "parameter"):
        attributes = module.attributes(node)
        path = attributes.get("op_name") or module.string(module.nodes.name, node)
        (type,) = module.row(module.nodes.types, node)[:1] or ("",)
        number = int(attributes.get("parameter_number", len(rows)))
        rows.append((number, _leaf(path, type)))
    return tuple(leaf for _, leaf in sorted(rows, key=lambda row: row[0]))


def list_results(module: Graph) -> tuple[Leaf, ...]:
    """The results of an HLO module: the elements of its root."""
    for node in _entry_nodes(module):
        if module.attributes(node).get("root") == "true":
            types = module.row(module.nodes.types, node)
            only = len(types) == 1
            return tuple(_leaf("" if only else f"[{n}]", type) for n, type in enumerate(types))
    return ()


def _entry_nodes(module: Graph, operation: str = "") -> list[int]:
    nodes = module.nodes
    return [
        index
        for index, (group, code) in enumerate(
            zip(nodes.group.tolist(), nodes.operation.tolist(), strict=True)
        )
        if group == NONE and (not operation or module.strings[code] == operation)
    ]


def _leaf(path: str, type: str) -> Leaf:
    size = type_bytes(type)
    return Leaf(path, type, 0 if math.isnan(size) else int(size))
