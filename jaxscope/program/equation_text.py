"""Equations in words that a person recognises, in place of their numbers."""

from __future__ import annotations

import collections
from collections.abc import Mapping

import numpy as np

from jaxscope.model import Graph, Node, NodeKind, Stage, is_available

_MAX_CHARACTERS = 88
_MAX_RESULTS = 4


def name_and_number(node: Node) -> str:
    """An equation by the variable of its result and its id, such as `e (3)`; fates name the id."""
    return node.id if node.name in ("", node.id) else f"{node.name} ({node.id})"


def name_of_result(graph: Graph, node: int, result: int) -> str:
    """What one of the results of an equation is called; empty where that is not known."""
    names = graph.name(node).split(", ")
    is_known = len(names) == len(graph.types(node)) and 0 <= result < len(names)
    return names[result] if is_known else ""


def equation_text(stage: Stage, node: int) -> str:
    """An equation as JAX prints it: `bg:f32[4,32] = tanh bf`; long ones without parameters."""
    graph = stage.graph
    if not is_available(graph):
        return ""
    if is_available(stage.text):
        of_node = np.flatnonzero(stage.text.line_nodes == node)
        if len(of_node) == 1:
            line = stage.text.text.split("\n")[int(of_node[0])].strip()
            if " = " in line and len(line) <= _MAX_CHARACTERS:
                return line
    return _compose(graph, node)


def _compose(graph: Graph, node: int) -> str:
    name, operation = _names(graph, node)
    types = graph.types(node)
    kind = f":{types[0]}" if len(types) == 1 else ""
    edges = graph.edges
    into = np.flatnonzero(edges.target == node)
    into = into[np.argsort(edges.operand[into], kind="stable")]
    values = list(zip(edges.source[into].tolist(), edges.output[into].tolist(), strict=True))
    operands = " ".join(name_of_result(graph, *each) or graph.name(each[0]) for each in values[:4])
    more = " …" if len(values) > 4 else ""
    return f"{name}{kind} = {operation} {operands}".rstrip() + more


def short_equation_names(graph: Graph) -> Mapping[str, str]:
    """A name for each equation, by its id: `bg = tanh · model.py:4`; no two are the same."""
    nodes = np.flatnonzero(graph.nodes.kind == NodeKind.EQUATION).tolist()
    names = {graph.id(node): _label(graph, node) for node in nodes}
    uses = collections.Counter(names.values())
    return {
        id: name if uses[name] == 1 else f"{name} (equation {id})" for id, name in names.items()
    }


def _label(graph: Graph, node: int) -> str:
    name, operation = _names(graph, node)
    results = name.split(", ")
    if len(results) > _MAX_RESULTS:
        name = f"{', '.join(results[:_MAX_RESULTS])}, … ({len(results):,} results)"
    place = graph.place(node)
    return f"{name} = {operation}" + (f" · {place.short}" if place else "")


def _names(graph: Graph, node: int) -> tuple[str, str]:
    nodes = graph.nodes
    return graph.string(nodes.name, node) or "_", graph.string(nodes.operation, node)
