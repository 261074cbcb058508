"""Read the text that XLA writes of its buffer assignment: `…-buffer-assignment.txt` of a dump."""

from __future__ import annotations

import re

from jaxscope.model.capture import MemoryPlan, Place
from jaxscope.model.graph import Graph

_MAX_PLACES = 1 << 20
_ALLOCATION = re.compile(r"allocation (\d+): (?:\S+: )?size (\d+)(.*)")
_VALUE = re.compile(
    r"\s+value: <\d+ (?P<name>\S+?)(?:\{(?P<index>[\d,]*)\})?(?: \(phi\))? @\d+>"
    r" \(size=(?P<size>\d+),offset=(?P<offset>\d+)\)"
)
_KINDS = (
    ("constant", "constant"),
    ("thread-local", "thread-local"),
    ("parameter", "argument"),
    ("maybe-live-out", "result"),
)
"""Marks of an allocation and what it is; the first that fits counts, as in XLA's own proto."""


def plan_memory(text: str, graph: Graph) -> MemoryPlan:
    """The memory plan of a module.

    Sizes are added up by the rules of XLA's own analysis; the peak and the size of the code are
    not said there.

    Args:
        text: Of the buffer assignment.
        graph: Of the module after optimization.
    """
    nodes = graph.index_by_name()
    sizes = dict.fromkeys(("argument", "result", "temporary", "aliased"), 0)
    places: list[Place] = []
    allocation, kind = -1, ""
    for line in text.splitlines():
        if found := _ALLOCATION.match(line):
            allocation, size, marks = int(found[1]), int(found[2]), found[3]
            kind = next((name for mark, name in _KINDS if f", {mark}" in marks), "temporary")
            _add(sizes, size, marks)
        elif (found := _VALUE.match(line)) and allocation >= 0 and len(places) < _MAX_PLACES:
            node = nodes.get(found["name"])
            index = found["index"] or "0"
            if node is not None and index.isdigit():
                place = (node, int(index), allocation, int(found["offset"]), int(found["size"]))
                places.append((*place, kind))
        elif allocation >= 0 and line and not line[0].isspace():
            break  # other tables follow
    if allocation < 0:
        return MemoryPlan()
    return MemoryPlan(
        float(sizes["argument"]),
        float(sizes["result"]),
        float(sizes["temporary"]),
        float(sizes["aliased"]),
        places=tuple(places),
    )


def _add(sizes: dict[str, int], size: int, marks: str) -> None:
    is_parameter, is_result = ", parameter " in marks, ", maybe-live-out" in marks
    sizes["argument"] += size * is_parameter
    sizes["result"] += size * is_result
    sizes["aliased"] += size * (is_parameter and is_result)
    if not any(f", {mark}" in marks for mark in ("parameter ", "maybe-live-out", "constant")):
        sizes["temporary"] += size * (", thread-local" not in marks)
