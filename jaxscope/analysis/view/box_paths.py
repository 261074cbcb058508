"""Find a box again in the view of an edited program, where every number may have changed."""

from __future__ import annotations

from jaxscope.analysis.view.view import ROOT, Box, View
from jaxscope.model import NONE

Step = tuple[str, int]
"""What a box is called, and how many boxes called so come before it among its siblings."""

BoxPath = tuple[Step, ...]
"""Steps from the outermost group to the box."""


class BoxPaths:
    """Paths of a view's boxes.

    An equation more or less renumbers all that follow it. What stays is how things are called:
    the second `dot_general` of `attention` of the third layer.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._steps: dict[int, dict[int, Step]] = {}

    def path_of(self, box: int) -> BoxPath:
        """The path of a box."""
        steps: list[Step] = []
        while box > ROOT:
            parent = self._view.boxes[box].parent
            steps.append(self._steps_in(parent)[box])
            box = parent
        return tuple(reversed(steps))

    def find(self, path: BoxPath) -> int:
        """The box of a path, or as much of it as there is; the root if there is nothing of it."""
        box = ROOT
        for step in path:
            inside = {each: child for child, each in self._steps_in(box).items()}
            if step not in inside:
                break
            box = inside[step]
        return box

    def find_exactly(self, path: BoxPath) -> int | None:
        """The box of a path, or None."""
        box = self.find(path)
        return box if self.path_of(box) == path else None

    def _steps_in(self, parent: int) -> dict[int, Step]:
        """The step to each child of a box."""
        known = self._steps.get(parent)
        if known is None:
            known = {}
            counts: dict[str, int] = {}
            for child in self._view.boxes[parent].children:
                name = self._name_of(self._view.boxes[child])
                known[child] = (name, counts.get(name, 0))
                counts[name] = counts.get(name, 0) + 1
            self._steps[parent] = known
        return known

    def _name_of(self, box: Box) -> str:
        graph = self._view.graph
        operation = "" if box.node == NONE else graph.string(graph.nodes.operation, box.node)
        return f"{operation} {box.label}" if box.children else operation
