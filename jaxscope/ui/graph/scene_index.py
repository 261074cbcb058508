"""A scene sorted for drawing: NumPy only, so that it can be made beside the window."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.layout.edge_labels import EdgeLabels
from jaxscope.analysis.layout.scene import Scene
from jaxscope.model import NONE
from jaxscope.ui.graph.grid import Floats, Grid


class SceneIndex:
    """Finds what of a scene is in sight.

    Attributes:
        scene: The scene.
        item_grid: Its frames and boxes.
        line_grid: Its lines, whole.
        segment_grid: The straight pieces of its lines.
        connector_grid: Its connectors.
        segments: The pieces, float64, shape `(n, 4)`: x, y, x, y.
        line_of_segment: The line that each piece belongs to.
        depth: int32, how many frames are around each item.
        labels: What is written on its lines.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        items, lines = scene.items, scene.lines
        self.item_grid = Grid(items.rect[:, :2], items.rect[:, :2] + items.rect[:, 2:])
        self.depth = _depths(items.parent, items.num_frames)
        low = high = np.zeros((0, 2))
        if len(lines):
            starts = lines.offsets[:-1].astype(np.int64)
            low = np.minimum.reduceat(lines.points, starts)
            high = np.maximum.reduceat(lines.points, starts)
        self.line_grid = Grid(low, high)
        is_inner = np.ones(max(len(lines.points) - 1, 0), bool)
        is_inner[lines.offsets[1:-1] - 1] = False
        begin, end = lines.points[:-1][is_inner], lines.points[1:][is_inner]
        self.segments: Floats = np.concatenate((begin, end), axis=1)
        corners = np.diff(lines.offsets)
        self.line_of_segment = np.repeat(np.arange(len(lines)), np.maximum(corners - 1, 0))
        self.segment_grid = Grid(np.minimum(begin, end), np.maximum(begin, end))
        self.labels = EdgeLabels(scene)
        connectors = scene.connectors.rect
        self.connector_grid = Grid(connectors[:, :2], connectors[:, :2] + connectors[:, 2:])

    def line_at(self, x: float, y: float, reach: float) -> int:
        """The line that passes nearest to a place, at most `reach` away, or `NONE`."""
        near = self.segment_grid.query(x - reach, y - reach, x + reach, y + reach)
        if not len(near):
            return NONE
        begin, end = self.segments[near, :2], self.segments[near, 2:]
        along = end - begin
        length = np.maximum((along**2).sum(axis=1), 1e-9)
        place = np.array([x, y])
        share = np.clip(((place - begin) * along).sum(axis=1) / length, 0.0, 1.0)
        away = np.hypot(*(begin + share[:, None] * along - place).T)
        best = int(np.argmin(away))
        return int(self.line_of_segment[near[best]]) if away[best] <= reach else NONE


def _depths(parent: npt.NDArray[np.int32], num_frames: int) -> npt.NDArray[np.int32]:
    """How many frames are around each item."""
    depth = np.zeros(len(parent), np.int32)
    for item in range(num_frames):  # outer frames come first
        if parent[item] >= 0:
            depth[item] = depth[parent[item]] + 1
    boxes = parent[num_frames:]
    depth[num_frames:] = np.where(boxes >= 0, depth[boxes] + 1, 0)
    return depth
