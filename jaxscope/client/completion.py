"""What the files of an opened module say of the whole of it: arguments, results, memory plan."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping

from jaxscope.model import Capture, Graph, Unavailable, is_available
from jaxscope.model.capture import Leaf, MemoryPlan
from jaxscope.model.graph import NONE
from jaxscope.model.stages import LATE_STAGES
from jaxscope.model.types import parse_array_type, type_bytes
from jaxscope.program.memory.live_ranges import plan_memory
from jaxscope.program.name_links import link_by_name

_OF_FUSION = re.compile(r"wrapped_.+|.*fusion[\w.]*")
"""Kernels that have the name of an instruction; others may have that of a computation."""
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
    foreign = tell_other_program(graphs)
    told = [foreign, tell_foreign_kernels(capture)]
    capture = dataclasses.replace(capture, messages=(*capture.messages, *filter(None, told)))
    if not foreign and not any(name not in LATE_STAGES for name in graphs):
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


def tell_other_program(graphs: Mapping[str, Graph]) -> str:
    """What to say where the two HLO modules cannot be one program; empty where they may be.

    XLA keeps the number and the order of arguments, and their types; where it divides a program
    among devices, axes get shorter by whole factors.
    """
    if not {"hlo", "optimized"} <= graphs.keys():
        return ""
    before, after = (list_arguments(graphs[name]) for name in ("hlo", "optimized"))
    pairs = [(first.type, second.type) for first, second in zip(before, after, strict=False)]
    if len(before) == len(after) and all(_may_be_part(*pair) for pair in pairs):
        return ""
    return (
        "The HLO before and after optimization are of different programs: their arguments differ. "
        "Several processes may have written to one folder. Nothing is linked between the stages."
    )


def _may_be_part(whole: str, part: str) -> bool:
    first, second = parse_array_type(whole), parse_array_type(part)
    if first is None or second is None:
        return first is second
    return (
        first.element == second.element
        and len(first.shape) == len(second.shape)
        and all(map(_is_part_of_axis, first.shape, second.shape))
    )


def _is_part_of_axis(whole: int, part: int) -> bool:
    """Whether an axis is as long, or divided among devices, the last of which may have less."""
    if part == whole or part <= 0 or whole <= 0:
        return part == whole
    count = -(-whole // part)
    return -(-whole // count) == part


def tell_foreign_kernels(capture: Capture) -> str:
    """What to say of kernels of fusions that no instruction has the name of."""
    machine, stage = capture.stage("machine"), capture.stage("optimized")
    if machine is None or stage is None or not is_available(stage.graph) or not machine.kernels:
        return ""
    graph = stage.graph
    named = {re.sub(r"[-.]", "_", name) for name in graph.index_by_id}  # as GPUs have them
    kernels = [name for name in machine.kernels if _OF_FUSION.fullmatch(name)]
    foreign = [name for name in kernels if re.sub(r"[-.]", "_", name) not in named]
    if not foreign:
        return ""
    such = ", ".join(foreign[:3]) + (" …" if len(foreign) > 3 else "")
    return (
        f"The optimized program has no instruction of the name of {len(foreign):,} of the "
        f"{len(machine.kernels):,} kernels ({such}). Where several processes wrote to one folder, "
        "kernels of an earlier one are among them."
    )


def list_arguments(module: Graph) -> tuple[Leaf, ...]:
    """The parameters of an HLO module, as JAX names them where it does."""
    rows: list[tuple[int, Leaf]] = []
    for node in _entry_nodes(module, "parameter"):
        attributes = module.attributes(node)
        path = attributes.get("op_name") or module.name(node)
        (type,) = module.types(node)[:1] or ("",)
        number = int(attributes.get("parameter_number", len(rows)))
        rows.append((number, _leaf(path, type)))
    return tuple(leaf for _, leaf in sorted(rows, key=lambda row: row[0]))


def list_results(module: Graph) -> tuple[Leaf, ...]:
    """The results of an HLO module: the elements of its root."""
    for node in _entry_nodes(module):
        if module.attributes(node).get("root") == "true":
            types = module.types(node)
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
