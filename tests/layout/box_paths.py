"""Where a box is in the tree of boxes, told without numbers, which an edit changes."""

from __future__ import annotations

from jaxscope.model import NONE
from jaxscope.picture.view.view import ROOT, View

Step = tuple[str, int]
"""What a box is called, and how many boxes called so come before it among its siblings."""

BoxPath = tuple[Step, ...]
"""Steps from the outermost group to the box."""


def path_of(view: View, box: int) -> BoxPath:
    """The second `dot_general` of `attention` of the third layer."""
    steps: list[Step] = []
    while box > ROOT:
        parent = view.boxes[box].parent
        siblings = view.boxes[parent].children
        before = siblings[: siblings.index(box)]
        name = _name_of(view, box)
        steps.append((name, sum(_name_of(view, each) == name for each in before)))
        box = parent
    return tuple(reversed(steps))


def _name_of(view: View, number: int) -> str:
    box, graph = view.boxes[number], view.graph
    operation = "" if box.node == NONE else graph.string(graph.nodes.operation, box.node)
    return f"{operation} {box.label}" if box.children else operation
