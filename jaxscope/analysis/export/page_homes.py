"""Which frame everything in a drawing is drawn in: what moves with it, and is hidden with it."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.layout.scene import Scene
from jaxscope.model import NONE

_NEAR_PX = 1.0

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]


@dataclasses.dataclass(frozen=True, slots=True)
class Homes:
    """Item indices of frames, or `NONE`.

    Attributes:
        of_line: The innermost frame around each line.
        of_connector: Likewise of each connector, which may be far from the item it belongs to.
    """

    of_line: list[int]
    of_connector: list[int]


def find_homes(scene: Scene) -> Homes:
    """The frame around each line and each connector."""
    connectors = scene.connectors.rect
    of_connector = _innermost(scene, connectors[:, :2] + connectors[:, 2:] / 2)
    parent, source, target = scene.items.parent, scene.lines.source, scene.lines.target
    if not len(scene.lines):
        return Homes([], of_connector.tolist())
    of_line = np.where(
        parent[target] == source, source, np.where(parent[source] == target, target, parent[source])
    )
    # A line between a connector and an item knows only the item.
    for line in np.flatnonzero(source == target).tolist():
        for corner in scene.lines.corners(line)[[0, -1]]:
            at = np.flatnonzero(
                np.all(
                    (corner >= connectors[:, :2] - _NEAR_PX)
                    & (corner <= connectors[:, :2] + connectors[:, 2:] + _NEAR_PX),
                    axis=1,
                )
            )
            if len(at):
                of_line[line] = of_connector[at[0]]
    return Homes(of_line.tolist(), of_connector.tolist())


def frame_depths(scene: Scene) -> list[int]:
    """How many frames are around each frame."""
    depths: list[int] = []
    for parent in scene.items.parent[: scene.items.num_frames].tolist():
        depths.append(depths[parent] + 1 if parent != NONE else 0)
    return depths


def _innermost(scene: Scene, points: Floats) -> Int32s:
    """The frame around each point; inner frames come after those around them."""
    found = np.full(len(points), NONE, np.int32)
    for frame in range(scene.items.num_frames):
        low, size = scene.items.rect[frame, :2], scene.items.rect[frame, 2:]
        found[np.all((points > low) & (points < low + size), axis=1)] = frame
    return found
