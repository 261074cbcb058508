"""Gather arguments by the parameter of the function that they belong to."""

from __future__ import annotations

import dataclasses
import re

from jaxscope.analysis.view.draft import Draft
from jaxscope.analysis.view.tree import Branch, BranchKind, Child
from jaxscope.model import Graph, NodeKind

_PARAMETER = re.compile(r"^[^\[.(]+")
_MIN_LEAVES = 3


def argument_path(graph: Graph, node: int) -> str:
    """Where an argument sits in the call's arguments, or its name where that is not known."""
    path = graph.attributes(node).get("path", "")
    return path or graph.string(graph.nodes.name, node) or graph.string(graph.nodes.id, node)


def is_argument(graph: Graph, node: int) -> bool:
    """Whether a node of the outermost program is one of its inputs."""
    operation = graph.strings[graph.nodes.operation[node]]
    return graph.nodes.kind[node] == NodeKind.INPUT or operation == "parameter"


def gather_arguments(draft: Draft, root: Branch) -> Branch:
    """One box per parameter that has several leaves, such as `params` with its 48 arrays."""
    graph = draft.graph
    gathered: dict[str, list[int]] = {}
    for child in root.children:
        if isinstance(child, int) and is_argument(graph, child):
            path = argument_path(graph, child)
            match = _PARAMETER.match(path)
            gathered.setdefault(match[0] if match else path, []).append(child)
    boxes: list[Child] = []
    taken: set[int] = set()
    for name, leaves in gathered.items():
        if len(leaves) < _MIN_LEAVES:
            continue
        taken.update(leaves)
        boxes.append(Branch(f"argument:{name}", BranchKind.ARGUMENTS, name, tuple(leaves)))
    if not taken:
        return root
    rest = tuple(child for child in root.children if child not in taken)
    return dataclasses.replace(root, children=(*boxes, *rest))
