"""Say of two nodes that correspond what differs, each thing before and after."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

import numpy as np

from jaxscope.analysis.comparison.changes import Aspect, Change, GraphComparison
from jaxscope.analysis.comparison.signatures import comparable_attributes
from jaxscope.analysis.quantities import format_bytes, format_flops
from jaxscope.model import NONE, Cost, Graph

ABSENT = "none"


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs.

    Attributes:
        aspect: `operation`, `types`, `attributes`, `operands`, `cost`, `group`, `scope`, `place`.
        name: Which one: the attribute's key, the operand's slot, the quantity; empty if there is
            only one.
        before: On the first side, fit to show.
        after: On the second side.
    """

    aspect: str
    name: str
    before: str
    after: str

    def __str__(self) -> str:
        name = f" {self.name}" if self.name else ""
        return f"{self.aspect}{name}: {self.before} → {self.after}"


def find_differences(
    comparison: GraphComparison, first_node: int, second_node: int
) -> tuple[Difference, ...]:
    """What differs between a node and its partner; nothing where either is missing."""
    if first_node == NONE or second_node == NONE:
        return ()
    return tuple(_differences(comparison, first_node, second_node))


def name_node(graph: Graph, node: int) -> str:
    """What to call a node: its name in the text and its operation, or its path."""
    name, operation = (
        graph.string(graph.nodes.name, node),
        graph.string(graph.nodes.operation, node),
    )
    path = graph.attributes(node).get("path", "")
    if operation in ("input", "output"):
        return f"{operation} {path or name}".rstrip()
    label = name or graph.string(graph.nodes.id, node)
    return operation if label == operation else f"{label} = {operation}"


def describe_change(comparison: GraphComparison, change: Change, first: int, second: int) -> str:
    """One line about a row of a comparison, such as `b = mul: types: f32[8] → f32[16]`."""
    graph, node = (
        (comparison.second, second) if change is Change.ADDED else (comparison.first, first)
    )
    text = name_node(graph, node)
    if change is Change.ADDED or change is Change.REMOVED:
        types = ", ".join(graph.row(graph.nodes.types, node))
        return f"{text} : {types}" if types else text
    other = name_node(comparison.second, second)
    if other != text:
        text = f"{text} ({other})"
    return f"{text}: " + "; ".join(map(str, find_differences(comparison, first, second)))


def _differences(comparison: GraphComparison, a: int, b: int) -> Iterator[Difference]:
    before, after = comparison.first, comparison.second
    aspects = int(comparison.aspects[a])
    if aspects & Aspect.OPERATION:
        yield Difference(
            "operation",
            "",
            before.string(before.nodes.operation, a),
            after.string(after.nodes.operation, b),
        )
    if aspects & Aspect.TYPES:
        types = [", ".join(g.row(g.nodes.types, n)) for g, n in ((before, a), (after, b))]
        yield Difference("types", "", types[0] or ABSENT, types[1] or ABSENT)
    if aspects & Aspect.ATTRIBUTES:
        yield from _attribute_differences(
            comparable_attributes(before, a), comparable_attributes(after, b)
        )
    if aspects & Aspect.OPERANDS:
        yield from _operand_differences(comparison, a, b)
    if aspects & Aspect.COST:
        yield from _cost_differences(before.node(a).cost, after.node(b).cost)
    if aspects & Aspect.GROUP:
        yield Difference("group", "", _group_name(before, a), _group_name(after, b))
    if aspects & Aspect.SCOPE:
        scopes = ["/".join(g.row(g.nodes.scope, n)) for g, n in ((before, a), (after, b))]
        yield Difference("scope", "", scopes[0] or ABSENT, scopes[1] or ABSENT)
    if aspects & Aspect.PLACE:
        places = [_place(g.attributes(n)) for g, n in ((before, a), (after, b))]
        yield Difference("place", "", places[0], places[1])


def _attribute_differences(
    before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[Difference]:
    for key in sorted({*before, *after}):
        if before.get(key) != after.get(key):
            yield Difference("attributes", key, before.get(key, ABSENT), after.get(key, ABSENT))


def _operand_differences(comparison: GraphComparison, a: int, b: int) -> Iterator[Difference]:
    before, after = _operands(comparison.first, a), _operands(comparison.second, b)
    partners = comparison.matching.second_of_first
    for slot in sorted({*before, *after}):
        ours, theirs = before.get(slot), after.get(slot)
        if ours is not None and theirs is not None:
            (source, output), (other, other_output) = ours, theirs
            if int(partners[source]) == other and output == other_output:
                continue
        yield Difference(
            "operands",
            str(slot),
            ABSENT if ours is None else _value_name(comparison.first, *ours),
            ABSENT if theirs is None else _value_name(comparison.second, *theirs),
        )


def _operands(graph: Graph, node: int) -> dict[int, tuple[int, int]]:
    edges = graph.edges
    chosen = np.flatnonzero(edges.target == node)
    return {
        operand: (source, output)
        for operand, source, output in zip(
            edges.operand[chosen].tolist(),
            edges.source[chosen].tolist(),
            edges.output[chosen].tolist(),
            strict=True,
        )
    }


def _value_name(graph: Graph, node: int, output: int) -> str:
    name = name_node(graph, node)
    return f"{name} (result {output})" if output else name


def _cost_differences(before: Cost, after: Cost) -> Iterator[Difference]:
    for name, ours, theirs, show in (
        ("FLOPs", before.flops, after.flops, format_flops),
        ("bytes accessed", before.bytes_accessed, after.bytes_accessed, format_bytes),
        ("transcendentals", before.transcendentals, after.transcendentals, _format_number),
    ):
        if ours != theirs and ours == ours and theirs == theirs:
            yield Difference("cost", name, show(ours), show(theirs))


def _format_number(value: float) -> str:
    return f"{value:,.0f}"


def _group_name(graph: Graph, node: int) -> str:
    group = int(graph.nodes.group[node])
    if group == NONE:
        return "the program"
    return graph.string(graph.groups.label, group) or graph.string(graph.groups.id, group)


def _place(attributes: Mapping[str, str]) -> str:
    """Such as `argument 1` or `result 0`."""
    for key in ("argument", "result"):
        if key in attributes:
            return f"{key} {attributes[key]}"
    return attributes.get("path", "elsewhere")
