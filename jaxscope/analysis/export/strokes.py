"""Lines of a scene as straight pieces and curves, for every kind of drawing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from jaxscope.analysis.layout.scene import Scene

ARROW_PX = 6.0


class Stroke(NamedTuple):
    """One piece of a line.

    Attributes:
        kind: `move`, `line` or `curve`.
        points: End point; of a curve, two control points and the end.
    """

    kind: str
    points: tuple[tuple[float, float], ...]


def strokes_of(scene: Scene, line: int) -> Iterator[Stroke]:
    """The pieces of one line: straight along the flow, curved where it moves across."""
    is_down = scene.direction == "down"
    corners = scene.lines.corners(line).tolist()
    x0, y0 = corners[0]
    yield Stroke("move", ((x0, y0),))
    for x1, y1 in corners[1:]:
        if x0 == x1 or y0 == y1:
            yield Stroke("line", ((x1, y1),))
        elif is_down:
            middle = (y0 + y1) / 2
            yield Stroke("curve", ((x0, middle), (x1, middle), (x1, y1)))
        else:
            middle = (x0 + x1) / 2
            yield Stroke("curve", ((middle, y0), (middle, y1), (x1, y1)))
        x0, y0 = x1, y1


def arrow_of(scene: Scene, line: int) -> tuple[tuple[float, float], ...]:
    """Corners of the arrowhead at the end of a line; empty if it has none."""
    if not scene.lines.has_arrow[line]:
        return ()
    (x0, y0), (x, y) = scene.lines.corners(line)[-2:].tolist()
    half = ARROW_PX * 0.6
    if y != y0 and (scene.direction == "down" or x == x0):
        back = ARROW_PX if y >= y0 else -ARROW_PX
        return (x, y), (x - half, y - back), (x + half, y - back)
    back = ARROW_PX if x >= x0 else -ARROW_PX
    return (x, y), (x - back, y - half), (x - back, y + half)
