"""Fold one-operation bodies, such as the `add` of a reduction, into their owner's label."""

from __future__ import annotations

import dataclasses

from jaxscope.analysis.view.draft import Draft
from jaxscope.analysis.view.operations import short_operation
from jaxscope.model import NONE, NodeKind

_BOUNDARY_OPERATIONS = frozenset({"parameter", "stablehlo.return", "func.return"})


def fold_reducers(draft: Draft) -> Draft:
    """Show `reduce` and its like as one box that names what they combine elements with."""
    graph = draft.graph
    owners = graph.groups.owner.tolist()
    members: dict[int, list[int]] = {}
    for node, group in enumerate(graph.nodes.group.tolist()):
        if group != NONE and owners[group] != NONE:
            members.setdefault(group, []).append(node)
    parents = set(graph.groups.parent.tolist())
    crossing = _groups_with_crossing_edges(draft)
    home = list(draft.home)
    inputs = list(draft.inputs)
    captions = dict(draft.captions)
    for group, nodes in members.items():
        if group in parents or group in crossing:
            continue
        working = [node for node in nodes if not _is_boundary(draft, node)]
        if len(working) > 1:
            continue
        for node in nodes:
            home[node] = owners[group]
            inputs[node] = ()
        if working:
            operation = graph.string(graph.nodes.operation, working[0])
            captions.setdefault(owners[group], short_operation(operation))
    return dataclasses.replace(draft, home=tuple(home), inputs=tuple(inputs), captions=captions)


def _is_boundary(draft: Draft, node: int) -> bool:
    nodes, graph = draft.graph.nodes, draft.graph
    return (
        nodes.kind[node] in (NodeKind.INPUT, NodeKind.OUTPUT)
        or graph.string(nodes.operation, node) in _BOUNDARY_OPERATIONS
        or not draft.is_shown(node)
    )


def _groups_with_crossing_edges(draft: Draft) -> set[int]:
    group = draft.graph.nodes.group.tolist()
    crossing: set[int] = set()
    for node, inputs in enumerate(draft.inputs):
        for each in inputs:
            if group[each.source] != group[node]:
                crossing |= {group[each.source], group[node]}
    return crossing
