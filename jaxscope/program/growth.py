"""When each node of a program came to be while JAX traced it, by the lines of Python that ran."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from jaxscope.model.graph import Graph, NodeKind
from jaxscope.model.tracing import Tracing


def find_births(graph: Graph, tracing: Tracing) -> list[int]:
    """By node, the number of the line that added it.

    Inputs of the program are there before the first, -1. A constant comes with the first equation
    that reads it, an inside of an equation with what is recorded in it. Results, and equations that
    no line is known for, come behind the last line: the number of lines.
    """
    end = len(tracing.lines)
    known = {
        each.id: number for number, line in enumerate(tracing.lines) for each in line.equations
    }
    begun: dict[str, int] = defaultdict(lambda: end)  # by what equations are inside of
    for around, number in known.items():
        while around := around.rpartition("/")[0]:
            begun[around] = min(begun[around], number)
    births = [
        _birth_of(id, NodeKind(kind), known, begun, end)
        for id, kind in zip(graph.index_by_id, graph.nodes.kind.tolist(), strict=True)
    ]
    constants = graph.nodes.kind == NodeKind.CONSTANT
    for source, _, target, _ in graph.edges.ends():
        if constants[source]:
            births[source] = min(births[source], births[target])
    return births


def _birth_of(
    id: str, kind: NodeKind, known: Mapping[str, int], begun: Mapping[str, int], end: int
) -> int:
    if id in known:
        return known[id]
    around = id.rpartition("/")[0]  # such as 5/jaxpr of 5/jaxpr/out:0
    if not around:
        return -1 if kind is NodeKind.INPUT else end
    if kind is NodeKind.INPUT and around in begun:
        return begun[around]
    return _birth_of(around.rpartition("/")[0], NodeKind.EQUATION, known, begun, end)
