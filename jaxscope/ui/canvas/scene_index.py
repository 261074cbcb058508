"""Spatial index of a scene: which items, connectors and line segments touch a rectangle.

NumPy only.

Rectangles are sorted by the grid cell of their centre; a query looks only at the cells it can
touch.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.model import NONE
from jaxscope.picture.scene.edge_details import EdgeLabels
from jaxscope.picture.scene.scene import Scene

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_CELL_PX = 800.0
_MANY_HITS = 16
"""One of so many."""
_PART = 2_000
"""So many rectangles are looked at in the time that a row of cells takes by itself."""
_FEW_LINES = 1_000
"""So many are looked at one by one, which takes less than looking at all that is in sight."""


class Grid:
    """Rectangles sorted by the cell that their centre is in.

    Args:
        low: Upper left corners, shape `(n, 2)`.
        high: Lower right corners, shape `(n, 2)`.
    """

    def __init__(self, low: Floats, high: Floats) -> None:
        self._low, self._high = low, high
        self._is_empty = not len(low)
        if self._is_empty:
            return
        # Very large ones would widen every search; they are looked at each time instead.
        size = high - low
        is_large = (size > 4 * _CELL_PX).any(axis=1)
        self._large = np.flatnonzero(is_large)
        small = np.flatnonzero(~is_large)
        self._origin = low.min(axis=0)
        centre = (low[small] + high[small]) / 2
        cells = ((centre - self._origin) // _CELL_PX).astype(np.int64)
        self._columns = int(cells[:, 0].max()) + 1 if len(small) else 1
        keys = cells[:, 1] * self._columns + cells[:, 0]
        order = np.argsort(keys, kind="stable")
        self._order, self._keys = small[order], keys[order]
        self._borders = _list_borders(low[self._order], high[self._order])
        self._reach = size[small].max(axis=0) / 2 if len(small) else np.zeros(2)

    def query(self, x0: float, y0: float, x1: float, y1: float) -> Indices:
        """Indices of all that touch a rectangle, ascending."""
        if self._is_empty:
            return np.zeros(0, np.int64)
        box = (x0, y0, x1, y1)
        low = (np.array([x0, y0]) - self._reach - self._origin) // _CELL_PX
        high = (np.array([x1, y1]) + self._reach - self._origin) // _CELL_PX
        left = int(np.clip(low[0], 0, self._columns - 1))
        right = int(np.clip(high[0], 0, self._columns - 1))
        last_row = int(self._keys[-1]) // self._columns if len(self._keys) else -1
        rows = np.arange(max(int(low[1]), 0), min(int(high[1]), last_row) + 1)
        starts = np.searchsorted(self._keys, rows * self._columns + left)
        stops = np.searchsorted(self._keys, rows * self._columns + right, side="right")
        if len(rows) and stops[-1] - starts[0] <= (stops - starts).sum() + _PART * len(rows):
            starts, stops = starts[:1], stops[-1:]
        parts = [self.touching(self._large, box)]
        parts += [
            self._order[i:j][_are_touching(self._borders[:, i:j], box)]
            for i, j in zip(starts.tolist(), stops.tolist(), strict=True)
            if j > i
        ]
        hits = np.concatenate(parts)
        if len(hits) * _MANY_HITS < len(self._low):
            hits.sort()
            return hits
        is_hit = np.zeros(len(self._low), np.bool_)  # faster than to sort many
        is_hit[hits] = True
        return np.flatnonzero(is_hit)

    def touching(self, some: Indices, box: tuple[float, float, float, float]) -> Indices:
        """Those of some that touch a rectangle."""
        borders = _list_borders(self._low[some], self._high[some])
        hits: Indices = some[_are_touching(borders, box)]
        return hits


def _list_borders(low: Floats, high: Floats) -> Floats:
    """Left, top, right and bottom borders, shape `(4, n)`, each in one piece of memory."""
    return np.ascontiguousarray(np.concatenate([low, high], axis=1).T)


def _are_touching(borders: Floats, box: tuple[float, float, float, float]) -> npt.NDArray[np.bool_]:
    touches = (borders[2] >= box[0]) & (borders[0] <= box[2])
    hits: npt.NDArray[np.bool_] = touches & (borders[3] >= box[1]) & (borders[1] <= box[3])
    return hits


# A scene sorted for drawing: NumPy only, so that it can be made beside the window.


class SceneIndex:
    """A spatial index that finds the items of a scene in a rectangle.

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
        num_pieces = np.maximum(corners - 1, 0)
        self.line_of_segment = np.repeat(np.arange(len(lines)), num_pieces)
        self._first_segment = np.append(0, np.cumsum(num_pieces))
        self.segment_grid = Grid(np.minimum(begin, end), np.maximum(begin, end))
        self.labels = EdgeLabels(scene)
        lines.carrying(())  # sorts them by value, beside the window and not at the first pointing
        connectors = scene.connectors.rect
        self.connector_grid = Grid(connectors[:, :2], connectors[:, :2] + connectors[:, 2:])

    def lines_in(
        self, box: tuple[float, float, float, float], lines: Indices | None = None
    ) -> Indices:
        """All lines, or those of some, that touch a part of the scene."""
        if lines is not None and len(lines) <= _FEW_LINES:
            return self.line_grid.touching(lines, box)
        near = self.line_grid.query(*box)
        return near if lines is None else near[np.isin(near, lines)]

    def segments_in(
        self, box: tuple[float, float, float, float], lines: Indices | None = None
    ) -> Indices:
        """The pieces of all lines, or of some, that touch a part of the scene."""
        if lines is not None and len(lines) <= _FEW_LINES:
            parts = [np.zeros(0, np.int64)]
            first = self._first_segment
            parts += [np.arange(first[line], first[line + 1]) for line in lines.tolist()]
            return self.segment_grid.touching(np.concatenate(parts), box)
        near = self.segment_grid.query(*box)
        return near if lines is None else near[np.isin(self.line_of_segment[near], lines)]

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
