"""Edges in the contract's JSON: one for every value that flows, with the type of that value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jaxscope.model import Graph

Json = dict[str, Any]


def edges_to_json(graph: Graph, ids: Sequence[str], types: Sequence[Sequence[str]]) -> list[Json]:
    """The edges of a graph.

    An instruction that takes a whole tuple, such as a loop its state, has an edge from each element
    of it, all to the same input; `whole` then has the type of the tuple. An empty tuple has no
    element to tell of: its one edge has its own type.

    Args:
        graph: Of one stage.
        ids: Id of each node.
        types: Types of the results of each node.
    """
    return list(_edges(graph, ids, types))


def _edges(graph: Graph, ids: Sequence[str], types: Sequence[Sequence[str]]) -> Iterator[Json]:
    edges, strings = graph.edges, graph.strings
    columns = (edges.source, edges.output, edges.target, edges.operand, edges.type)
    for source, output, target, operand, code in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        type, to, results = strings[code], [ids[target], operand], types[source]
        is_element = not type.startswith("(") or type == _result(results, output)
        if is_element or not results:
            yield {"from": [ids[source], output], "to": to, "type": type}
            continue
        for number, element in enumerate(results):
            yield {"from": [ids[source], number], "to": to, "type": element, "whole": type}


def _result(results: Sequence[str], output: int) -> str | None:
    return results[output] if output < len(results) else None
