"""Our layout against Graphviz with its limits, on groups as large as a picture has them.

python -m bench.engines     readings as JSON: seconds and crossings of both
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import statistics
import time
from collections.abc import Callable, Iterable

from bench.layout import random_program
from jaxscope.picture.layout.diagram import Diagram, DiagramEdge, Drawing, Route, Spacing
from jaxscope.picture.layout.engines import find_graphviz, layout_by_graphviz
from jaxscope.picture.layout.layered import layout_layered

_RUNS = 5
_STRAIGHT_PX = 0.5


@dataclasses.dataclass(frozen=True)
class Reading:
    """What one diagram took, in seconds by the clock, and how many lines cross.

    Attributes:
        why_not: Why Graphviz has no readings; empty if it has.
    """

    own_s: float
    own_crossings: int
    dot_s: float = math.nan
    dot_crossings: int = 0
    why_not: str = ""


def nested_skips(num_nodes: int) -> Diagram:
    """A chain whose first half is used by the second, last first: forward and backward."""
    links = [DiagramEdge(node, node + 1) for node in range(num_nodes - 1)]
    links += [DiagramEdge(node, num_nodes - 1 - node, 1) for node in range(num_nodes // 2 - 1)]
    return Diagram([140.0] * num_nodes, [40.0] * num_nodes, links)


def count_crossings(routes: Iterable[Route]) -> int:
    """Crossings of the straight pieces of lines that lead down, touching ends not counted.

    Where lines of one value share their way, what crosses it crosses once.
    """
    pieces = sorted(
        {piece for route in routes for piece in itertools.pairwise(route)},
        key=lambda piece: piece[0][1],
    )
    places = set[tuple[float, float]]()
    for number, one in enumerate(pieces):
        for other in pieces[number + 1 :]:
            if other[0][1] >= one[1][1]:
                break
            if _cross(*one, *other):
                places.add(_meet(*one, *other))
    return len(places)


def count_bends(routes: Iterable[Route]) -> tuple[int, int]:
    """How often lines lead aside, and how often they turn back to the other side after that."""
    num_bends = num_turns = 0
    for route in routes:
        steps = (x - before for (before, _), (x, _) in itertools.pairwise(route))
        aside = [step > 0 for step in steps if abs(step) > _STRAIGHT_PX]
        num_bends += len(aside)
        num_turns += sum(one != other for one, other in itertools.pairwise(aside))
    return num_bends, num_turns


def _meet(
    a: tuple[float, float],
    b: tuple[float, float],
    c: tuple[float, float],
    d: tuple[float, float],
) -> tuple[float, float]:
    """Where two lines that cross do so, to a tenth of a pixel."""
    share = _side(c, d, a) / (_side(c, d, a) - _side(c, d, b))
    return round(a[0] + share * (b[0] - a[0]), 1), round(a[1] + share * (b[1] - a[1]), 1)


def _side(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _cross(
    a: tuple[float, float],
    b: tuple[float, float],
    c: tuple[float, float],
    d: tuple[float, float],
) -> bool:
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _measure(work: Callable[[], object]) -> float:
    """Median seconds by the clock: the other's work is done in a process of its own."""
    seconds = []
    for _ in range(_RUNS):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def _read(diagram: Diagram, program: str | None) -> Reading:
    spacing = Spacing()
    own = layout_layered(diagram, spacing)
    reading = Reading(
        own_s=_measure(lambda: layout_layered(diagram, spacing)),
        own_crossings=count_crossings(own.routes),
        why_not="is not installed",
    )
    if program is None:
        return reading
    other = layout_by_graphviz(diagram, spacing, program, lambda: False)
    if not isinstance(other, Drawing):
        return dataclasses.replace(reading, why_not=other.reason)
    return dataclasses.replace(
        reading,
        dot_s=_measure(lambda: layout_by_graphviz(diagram, spacing, program, lambda: False)),
        dot_crossings=count_crossings(other.routes),
        why_not="",
    )


def read_engines() -> dict[str, Reading]:
    """Readings by diagram."""
    program = find_graphviz()
    return {
        "100 boxes with local skips": _read(random_program(100), program),
        "290 boxes with local skips": _read(random_program(290), program),
        "120 boxes, forward and backward": _read(nested_skips(120), program),
    }


if __name__ == "__main__":
    print(json.dumps({name: dataclasses.asdict(each) for name, each in read_engines().items()}))
