"""Find rectangles near a place without looking at all of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_CELL_PX = 800.0


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
        self._reach = size[small].max(axis=0) / 2 if len(small) else np.zeros(2)

    def query(self, x0: float, y0: float, x1: float, y1: float) -> Indices:
        """Indices of all that touch a rectangle, ascending."""
        if self._is_empty:
            return np.zeros(0, np.int64)
        low = (np.array([x0, y0]) - self._reach - self._origin) // _CELL_PX
        high = (np.array([x1, y1]) + self._reach - self._origin) // _CELL_PX
        left = int(np.clip(low[0], 0, self._columns - 1))
        right = int(np.clip(high[0], 0, self._columns - 1))
        last_row = int(self._keys[-1]) // self._columns if len(self._keys) else -1
        rows = np.arange(max(int(low[1]), 0), min(int(high[1]), last_row) + 1)
        starts = np.searchsorted(self._keys, rows * self._columns + left)
        stops = np.searchsorted(self._keys, rows * self._columns + right, side="right")
        parts = [self._order[i:j] for i, j in zip(starts, stops, strict=True) if j > i]
        found = np.concatenate([self._large, *parts])
        touches = (
            (self._high[found, 0] >= x0)
            & (self._low[found, 0] <= x1)
            & (self._high[found, 1] >= y0)
            & (self._low[found, 1] <= y1)
        )
        hits: Indices = found[touches]
        hits.sort()
        return hits
