"""Where nodes stand among the children of a group, and which values cross between children."""

from __future__ import annotations

import itertools

from jaxscope.analysis.view.draft import Draft
from jaxscope.analysis.view.tree import Child
from jaxscope.model import NONE


def nodes_of(child: Child) -> list[int]:
    """Every node with a box in a child, and the nodes that its boxes are the insides of."""
    if isinstance(child, int):
        return [child]
    found = [] if child.node == NONE else [child.node]
    for each in child.children:
        found += nodes_of(each)
    return found


def place_nodes(children: tuple[Child, ...]) -> dict[int, int]:
    """Which child each node is in."""
    return {node: at for at, child in enumerate(children) for node in nodes_of(child)}


def find_cuts(draft: Draft, children: tuple[Child, ...]) -> list[int]:
    """How many values made by the children cross each border; border `i` is before child `i`."""
    places = place_nodes(children)
    last_use: dict[tuple[int, int], int] = {}
    for node, at in places.items():
        for each in draft.inputs[node]:
            if each.source in places:
                value = (each.source, each.output)
                last_use[value] = max(last_use.get(value, 0), at)
    change = [0] * (len(children) + 2)
    for (source, _), last in last_use.items():
        change[places[source] + 1] += 1
        change[max(last, places[source]) + 1] -= 1
    return list(itertools.accumulate(change))
