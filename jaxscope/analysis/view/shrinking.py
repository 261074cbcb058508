"""A view without what is inside groups that stay closed, to try out which of the others to open."""

from __future__ import annotations

import dataclasses

import numpy as np

from jaxscope.analysis.view.view import ROOT, BoxEdge, View
from jaxscope.model import NONE

_NOT_HERE = (NONE,)
"""Stands for the children of a closed group: that it has some is all that is told."""


def shrink_view(view: View, openable: frozenset[str]) -> View:
    """The same view, of which no groups but some can be opened.

    Pictures of it are those of the whole view; only the numbers of boxes and edges are others. A
    picture of a few boxes then takes as long as a few boxes do, not as the whole program does.
    """
    kept: list[int] = [ROOT]
    number_of = [ROOT] * len(view.boxes)  # of each box, or of the closed group that it is in
    is_open = [False] * len(view.boxes)
    is_open[ROOT] = True
    for index in range(1, len(view.boxes)):
        box = view.boxes[index]
        if is_open[box.parent]:
            number_of[index] = len(kept)
            kept.append(index)
            is_open[index] = bool(box.children) and box.id in openable
        else:
            number_of[index] = number_of[box.parent]
    boxes = tuple(
        view.boxes[index]._replace(
            parent=NONE if index == ROOT else number_of[view.boxes[index].parent],
            children=tuple(number_of[child] for child in view.boxes[index].children)
            if is_open[index]
            else view.boxes[index].children and _NOT_HERE,
        )
        for index in kept
    )
    edges: dict[tuple[int, int, int, int, int], None] = {}  # plain tuples hash faster
    for source, target, node, output, type_ in view.edges:
        ends = number_of[source], number_of[target]
        if ends[0] != ends[1]:
            edges[*ends, node, output, type_] = None
    known = view.box_of_node != NONE
    box_of_node = np.full(len(view.box_of_node), NONE, np.int32)
    box_of_node[known] = np.asarray(number_of, np.int32)[view.box_of_node[known]]
    return dataclasses.replace(
        view, boxes=boxes, edges=tuple(map(BoxEdge._make, edges)), box_of_node=box_of_node
    )
