"""The order in which a compiled module runs, read from its own text.

XLA prints the instructions of a scheduled computation in the order of the schedule, and every line
is linked to its node. So the order needs no room of its own in a capture.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

import numpy as np

from jaxscope.analysis.hlo.text_lines import link_hlo_lines
from jaxscope.model import NONE, Graph, Stage, Unavailable

_MAX_HEADER = 200_000
_ALIAS = re.compile(r"\{\s*([\d,\s]*)\}:\s*\((\d+),\s*\{\s*\}")
_INSIDE = frozenset({"while", "call", "conditional", "async-start"})
"""Instructions whose computations run where they stand; a fusion is one kernel."""


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Schedule:
    """The order of one module.

    Attributes:
        graph: Of the module.
        steps: Node indices in the order of running; the inside of a loop, once, before the loop.
        aliases: Parameter number by the number of the result that lies in its memory.
    """

    graph: Graph
    steps: tuple[int, ...]
    aliases: dict[int, int]


def read_schedule(stage: Stage | None) -> Schedule | Unavailable:
    """The order of a stage's module, or why it is not known."""
    if stage is None:
        return Unavailable("The capture has no compiled program.", "optimized")
    if isinstance(stage.graph, Unavailable):
        return stage.graph
    if isinstance(stage.text, Unavailable):
        return Unavailable("The order is read from the program's text, which is missing.")
    header = stage.text.text[:_MAX_HEADER].partition("\n")[0]
    if "is_scheduled=true" not in header:
        return Unavailable("The compiled program has no schedule: its order is not known.")
    graph, lines = stage.graph, stage.text.line_nodes
    if not bool(np.any(lines >= 0)):
        lines = link_hlo_lines(stage.text.text, graph)
    order: dict[int, list[int]] = {}
    groups = graph.nodes.group
    for node in lines[lines >= 0].tolist():
        order.setdefault(int(groups[node]), []).append(node)
    if NONE not in order:
        return Unavailable("The text of the compiled program does not fit its graph.")
    return Schedule(graph, tuple(flatten_order(graph, order)), _read_aliases(header))


def _read_aliases(header: str) -> dict[int, int]:
    """`input_output_alias={ {}: (0, {}, may-alias), {1}: (3, {}, may-alias) }`."""
    _, found, rest = header.partition("input_output_alias={")
    text = rest.partition("), ")[0] if not found else rest.partition(" }")[0]
    aliases = {}
    for result, parameter in _ALIAS.findall(text):
        numbers = [part for part in result.replace(" ", "").split(",") if part]
        if len(numbers) <= 1:
            aliases[int(numbers[0]) if numbers else 0] = int(parameter)
    return aliases


def inner_groups(graph: Graph) -> dict[int, list[int]]:
    """The groups that each node owns."""
    owned: dict[int, list[int]] = {}
    for group, owner in enumerate(graph.groups.owner.tolist()):
        if owner != NONE:
            owned.setdefault(owner, []).append(group)
    return owned


def flatten_order(graph: Graph, order: dict[int, list[int]]) -> Iterator[int]:
    """Nodes as they run; a stack instead of recursion, as files may nest without end.

    Args:
        graph: Of the module.
        order: Nodes of each group in their order; of the entry under `NONE`.
    """
    owned = inner_groups(graph)
    runs = {
        node: groups
        for node, groups in owned.items()
        if graph.string(graph.nodes.operation, node) in _INSIDE
    }
    stack: list[tuple[bool, int]] = [(False, node) for node in reversed(order[NONE])]
    while stack:
        is_done, node = stack.pop()
        inside = () if is_done else runs.get(node, ())
        if not inside:
            yield node
            continue
        stack.append((True, node))
        for group in reversed(inside):
            stack += [(False, inner) for inner in reversed(order.get(group, []))]
