"""Graphs in one line: `a:add b:mul<a c:max<a,b`, and the ids of nodes found in them."""

from __future__ import annotations

from jaxscope.model import Graph, GraphBuilder, NodeKind
from jaxscope.program.search import SearchIndex


def build(program: str, *, types: dict[str, str] | None = None) -> Graph:
    """Nodes as `id:operation<operand,operand`."""
    builder, nodes = GraphBuilder(), dict[str, int]()
    for word in program.split():
        head, _, operands = word.partition("<")
        name, _, operation = head.partition(":")
        type_ = (types or {}).get(name, "f32[3]")
        nodes[name] = builder.add_node(
            name, NodeKind.EQUATION, operation, name=f"%{name}", types=[type_]
        )
        for number, operand in enumerate(filter(None, operands.split(","))):
            builder.add_edge(nodes[operand], nodes[name], operand=number, type=type_)
    return builder.build()


def found(graph: Graph, query: str) -> list[str]:
    """Ids of the nodes that a search finds."""
    nodes = SearchIndex(graph).find(query).tolist()
    return [graph.string(graph.nodes.id, node) for node in nodes]
