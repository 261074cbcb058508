"""Keeps painted tiles of a scene, so that panning and zooming only move pictures; missing tiles are
painted within a frame's budget.
"""

from __future__ import annotations

import itertools
import math
import time

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPixmap

from jaxscope.ui.canvas.scene_painter import SceneDrawing

_TILE_PX = 256
_BUDGET_S = 0.006  # of painting per frame; the rest of the 16 ms belongs to everything else
_MAX_TILES = 500
_MAX_STALE_TILES = 600  # on one frame; far more would be slower than painting anew
_BACKDROP_PX = 1024

Key = tuple[float, int, int]


class TileCache:
    """Tiles of one drawing, by exact scale.

    While tiles of a new scale are missing, those of the last scale are shown stretched, and
    behind everything a small picture of the whole scene, so nothing is ever blank.
    """

    def __init__(self, drawing: SceneDrawing, pixel_ratio: float, unit: float = 1.0) -> None:
        """
        Args:
            pixel_ratio: Of the device.
            unit: What the least sizes of type are multiplied by.
        """
        self._drawing = drawing
        self._ratio, self._unit = pixel_ratio, unit
        self._tiles: dict[Key, QPixmap] = {}
        self._scale = 0.0
        self._previous = 0.0
        self._backdrop: QPixmap | None = None
        self._is_complete = False

    @property
    def is_complete(self) -> bool:
        """Whether no tile was missing when it was last painted."""
        return self._is_complete

    def paint(
        self, painter: QPainter, x0: float, y0: float, width: int, height: int, scale: float
    ) -> bool:
        """Paint the scene from (x0, y0) on; returns whether tiles are still missing."""
        if scale != self._scale:
            if any(key[0] == self._scale for key in self._tiles):
                self._previous = self._scale
            self._scale = scale
        painter.fillRect(QRectF(0, 0, width, height), self._drawing.colors.background)
        columns, rows = self._needed(x0, y0, width, height, scale)
        needed = _from_the_middle(columns, rows)
        if any((scale, i, j) not in self._tiles for i, j in needed):
            self._paint_backdrop(painter, x0, y0, scale)
            self._paint_stale(painter, x0, y0, width, height, scale)
        missing = self._paint_tiles(painter, needed, x0, y0, scale)
        self._is_complete = not missing
        self._forget()
        return missing

    def prepare(self, x0: float, y0: float, width: int, height: int, scale: float) -> None:
        """Make tiles for a sight that is about to be painted, as far as a frame's budget goes."""
        started = time.perf_counter()
        for i, j in _from_the_middle(*self._needed(x0, y0, width, height, scale)):
            if time.perf_counter() - started > _BUDGET_S:
                break
            if (scale, i, j) not in self._tiles:
                self._tiles[scale, i, j] = self._make(i, j, scale)

    def _needed(
        self, x0: float, y0: float, width: float, height: float, scale: float
    ) -> tuple[range, range]:
        """Columns and rows of the tiles in sight; by far too many to list at a stale scale."""
        side = _TILE_PX / scale
        scene = self._drawing.scene
        left = max(math.floor(x0 / side), -1)
        right = min(math.floor((x0 + width / scale) / side), math.floor(scene.width / side) + 1)
        top = max(math.floor(y0 / side), -1)
        bottom = min(math.floor((y0 + height / scale) / side), math.floor(scene.height / side) + 1)
        return range(left, right + 1), range(top, bottom + 1)

    def _paint_tiles(
        self,
        painter: QPainter,
        needed: list[tuple[int, int]],
        x0: float,
        y0: float,
        scale: float,
    ) -> bool:
        started = time.perf_counter()
        missing = False
        # Rounded once: of each tile by itself a half could go either way, and leave a seam.
        left, top = round(x0 * scale * self._ratio), round(y0 * scale * self._ratio)
        for i, j in needed:
            key = (scale, i, j)
            tile = self._tiles.get(key)
            if tile is None:
                if time.perf_counter() - started > _BUDGET_S:
                    missing = True
                    continue
                tile = self._tiles[key] = self._make(i, j, scale)
            at = QPointF(
                (round(i * _TILE_PX * self._ratio) - left) / self._ratio,
                (round(j * _TILE_PX * self._ratio) - top) / self._ratio,
            )
            painter.drawPixmap(at, tile)
        return missing

    def _make(self, i: int, j: int, scale: float) -> QPixmap:
        whole = math.ceil(_TILE_PX * self._ratio)
        tile = QPixmap(whole, whole)
        tile.setDevicePixelRatio(self._ratio)
        painter = QPainter(tile)
        step, side = _TILE_PX / scale, _TILE_PX / self._unit
        painter.scale(self._unit, self._unit)
        self._drawing.paint(painter, i * step, j * step, side, side, scale / self._unit)
        painter.end()
        return tile

    def _paint_stale(
        self, painter: QPainter, x0: float, y0: float, width: int, height: int, scale: float
    ) -> None:
        old = self._previous
        if not old:
            return
        columns, rows = self._needed(x0, y0, width * old / scale, height * old / scale, old)
        if len(columns) * len(rows) > _MAX_STALE_TILES:
            return
        side = _TILE_PX / old * scale
        source = QRectF(0, 0, _TILE_PX * self._ratio, _TILE_PX * self._ratio)
        for i, j in itertools.product(columns, rows):
            tile = self._tiles.get((old, i, j))
            if tile is not None:
                at = QRectF(i * side - x0 * scale, j * side - y0 * scale, side + 0.5, side + 0.5)
                painter.drawPixmap(at, tile, source)

    def _paint_backdrop(self, painter: QPainter, x0: float, y0: float, scale: float) -> None:
        backdrop = self.backdrop()
        scene = self._drawing.scene
        painter.drawPixmap(
            QRectF(-x0 * scale, -y0 * scale, scene.width * scale, scene.height * scale),
            backdrop,
            QRectF(backdrop.rect()),
        )

    def backdrop(self) -> QPixmap:
        """A small picture of the whole scene; the overview shows it too."""
        if self._backdrop is None:
            scene = self._drawing.scene
            scale = min(_BACKDROP_PX / max(scene.width, scene.height, 1.0), 0.3)
            width, height = (max(math.ceil(s * scale), 1) for s in (scene.width, scene.height))
            self._backdrop = QPixmap(width, height)
            painter = QPainter(self._backdrop)
            self._drawing.paint(painter, 0.0, 0.0, width, height, scale)
            painter.end()
        return self._backdrop

    def _forget(self) -> None:
        if len(self._tiles) <= _MAX_TILES:
            return
        for key in [k for k in self._tiles if k[0] not in (self._scale, self._previous)]:
            del self._tiles[key]
        while len(self._tiles) > _MAX_TILES:
            del self._tiles[next(iter(self._tiles))]


def _from_the_middle(columns: range, rows: range) -> list[tuple[int, int]]:
    """The tiles, those that one looks at first."""
    x, y = columns.start + len(columns) / 2, rows.start + len(rows) / 2
    tiles = itertools.product(columns, rows)
    return sorted(tiles, key=lambda t: (t[0] + 0.5 - x) ** 2 + (t[1] + 0.5 - y) ** 2)
