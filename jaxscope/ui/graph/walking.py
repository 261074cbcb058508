"""Where the arrow keys lead: along the lines, and to the neighbour beside."""

from __future__ import annotations

import numpy as np

from jaxscope.analysis.layout.scene import Scene
from jaxscope.model import NONE


def step(scene: Scene, item: int, dx: int, dy: int) -> int:
    """The item that an arrow key leads to from another, or `NONE`.

    With the flow the key follows a line to a user, against it to a producer, and across it leads
    to the nearest box beside.
    """
    if item == NONE:
        return first_item(scene)
    along = dy if scene.direction == "down" else dx
    if along:
        near = _neighbours(scene, item, along > 0)
        if len(near):
            return _nearest(scene, item, near)
        return NONE
    return _beside(scene, item, dx, dy)


def first_item(scene: Scene) -> int:
    """The first box in program order, or `NONE` in an empty scene."""
    items = scene.items
    if items.num_frames == len(items):
        return NONE
    boxes = items.box[items.num_frames :]
    return items.num_frames + int(np.argmin(boxes))


def _neighbours(scene: Scene, item: int, is_onward: bool) -> np.ndarray:
    """Items that share a line or a connector with an item, frames looked through."""
    lines, connectors = scene.lines, scene.connectors
    begin, end = (lines.source, lines.target) if is_onward else (lines.target, lines.source)
    reached = set(end[(begin == item) & (end != item)].tolist())
    for at in np.flatnonzero((connectors.item == item) & (connectors.is_source == is_onward)):
        reached |= set(connectors.far[int(at)].tolist())
    found = {other for other in reached if other >= scene.items.num_frames}
    for frame in reached - found:
        values = _values(scene, item, frame, is_onward)
        inside = _beyond(scene, frame, values, is_onward)
        found |= inside or {frame}
    return np.array(sorted(found - {item}), np.int64)


def _values(scene: Scene, item: int, frame: int, is_onward: bool) -> set[int]:
    """Nodes whose values flow between an item and a frame."""
    lines = scene.lines
    begin, end = (item, frame) if is_onward else (frame, item)
    chosen = np.flatnonzero((lines.source == begin) & (lines.target == end))
    return {value for line in chosen for value in lines.values[int(line)].tolist()}


def _beyond(scene: Scene, frame: int, values: set[int], is_onward: bool) -> set[int]:
    """Boxes that the values reach on the other side of a frame's border."""
    lines, num_frames = scene.lines, scene.items.num_frames
    begin, end = (lines.source, lines.target) if is_onward else (lines.target, lines.source)
    found: set[int] = set()
    seen, queue = {frame}, [frame]
    for at in queue:
        for line in np.flatnonzero(begin == at).tolist():
            if values.isdisjoint(lines.values[line].tolist()):
                continue
            other = int(end[line])
            if other >= num_frames:
                found.add(other)
            elif other not in seen:
                seen.add(other)
                queue.append(other)
    return found


def _centres(scene: Scene, items: np.ndarray) -> np.ndarray:
    rect = scene.items.rect[items]
    centres: np.ndarray = rect[:, :2] + rect[:, 2:] / 2
    return centres


def _nearest(scene: Scene, item: int, others: np.ndarray) -> int:
    here = _centres(scene, np.array([item]))[0]
    distance = np.abs(_centres(scene, others) - here).sum(axis=1)
    return int(others[int(np.argmin(distance))])


def _beside(scene: Scene, item: int, dx: int, dy: int) -> int:
    items = np.arange(scene.items.num_frames, len(scene.items))
    offset = _centres(scene, items) - _centres(scene, np.array([item]))[0]
    ahead, aside = (offset[:, 0] * dx, offset[:, 1]) if dx else (offset[:, 1] * dy, offset[:, 0])
    usable = (ahead > 1.0) & (np.abs(aside) < ahead + 60.0)
    if not usable.any():
        return NONE
    cost = np.where(usable, ahead + 3 * np.abs(aside), np.inf)
    return int(items[int(np.argmin(cost))])
