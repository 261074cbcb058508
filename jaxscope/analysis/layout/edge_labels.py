"""Write on lines what flows along them, where no box says it and where there is room.

A box with one result names its type itself. Lines out of closed groups and frames, and out of
operations with several results, get a label of their own: once per value and group, on the first
straight or curved piece where it covers no box, no connector and no other label. Where there is
no such place, there is no label; pointing at the line tells the type in any case.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from jaxscope.analysis.layout.scene import HEADER_PX, Scene
from jaxscope.analysis.layout.text_width import measure_text
from jaxscope.model import NONE, Graph

LABEL_TEXT_PX = 10.0
LABEL_HEIGHT_PX = 14.0
_PADDING_PX = 4.0
_GAP_PX = 2.0

_BAND_PX = 64.0

Rect = tuple[float, float, float, float]


class EdgeLabel(NamedTuple):
    """A text on a line.

    Attributes:
        line: Index of the line.
        text: Type of the value, or how many values of which type.
        x: Left, in pixels of the scene.
        y: Top.
        width: Of the plate; its height is `LABEL_HEIGHT_PX`.
    """

    line: int
    text: str
    x: float
    y: float
    width: float


class EdgeLabels:
    """The labels of a scene, found group by group when they are asked for.

    Args:
        scene: The picture.
        graph: What it is of: tells which operations have several results.
    """

    def __init__(self, scene: Scene, graph: Graph) -> None:
        self._scene = scene
        items, lines = scene.items, scene.lines
        parent, source, target = items.parent, lines.source, lines.target
        is_entry = parent[target] == source
        is_beside = parent[source] == parent[target]
        group = np.where(is_beside, parent[source], np.where(is_entry, source, target))
        node = items.node
        num_results = graph.nodes.types.lengths()
        has_several = np.zeros(len(items), bool)
        has_several[node != NONE] = num_results[node[node != NONE]] > 1
        wanted = (items.is_group | has_several)[source] & ~is_entry & (source != target)
        self._lines = np.flatnonzero(wanted)
        self._lines = self._lines[np.argsort(group[self._lines], kind="stable")]
        self._group_of_line = group[self._lines]
        self._children = np.argsort(parent, kind="stable")
        self._parents = parent[self._children]
        self._connectors = _Obstacles(scene.connectors.rect.tolist())
        self._known: dict[int, tuple[EdgeLabel, ...]] = {}

    def of_group(self, group: int) -> tuple[EdgeLabel, ...]:
        """Labels right inside a frame, by its item index; `NONE` stands for the whole picture."""
        known = self._known.get(group)
        if known is None:
            known = self._known[group] = self._place_all(group)
        return known

    def all(self) -> tuple[EdgeLabel, ...]:
        """Every label of the scene."""
        groups = np.unique(self._group_of_line).tolist()
        return tuple(label for group in groups for label in self.of_group(group))

    def _place_all(self, group: int) -> tuple[EdgeLabel, ...]:
        scene = self._scene
        start, stop = np.searchsorted(self._group_of_line, [group, group + 1]).tolist()
        if start == stop:
            return ()
        inside = (0.0, 0.0, scene.width, scene.height)
        if group != NONE:
            x, y, width, height = scene.items.rect[group].tolist()
            inside = (x, y + HEADER_PX, x + width, y + height)
        first, last = np.searchsorted(self._parents, [group, group + 1]).tolist()
        taken = _Obstacles(scene.items.rect[self._children[first:last]].tolist())
        labels: list[EdgeLabel] = []
        seen: set[tuple[int, tuple[int, ...]]] = set()
        for line in self._lines[start:stop].tolist():
            value = int(scene.lines.source[line]), tuple(scene.lines.values[line].tolist())
            if value in seen:  # lines of one value begin together
                continue
            label = self._place(line, inside, taken)
            if label is not None:
                seen.add(value)
                labels.append(label)
                taken.add((label.x, label.y, label.width, LABEL_HEIGHT_PX))
        return tuple(labels)

    def _place(self, line: int, inside: Rect, taken: _Obstacles) -> EdgeLabel | None:
        text = self._scene.lines.types[line]
        width = measure_text(text, LABEL_TEXT_PX) + 2 * _PADDING_PX
        corners = self._scene.lines.corners(line).tolist()
        for (x0, y0), (x1, y1) in itertools.pairwise(corners):
            x, y = (x0 + x1 - width) / 2, (y0 + y1 - LABEL_HEIGHT_PX) / 2
            is_inside = (
                inside[0] <= x and x + width <= inside[2]
                and inside[1] <= y and y + LABEL_HEIGHT_PX <= inside[3]
            )  # fmt: skip
            rect = (x, y, width, LABEL_HEIGHT_PX)
            if is_inside and not taken.hits(rect) and not self._connectors.hits(rect):
                return EdgeLabel(line, text, x, y, width)
        return None


class _Obstacles:
    """Rectangles as x, y, width, height, found by the bands of the picture that they touch."""

    def __init__(self, rects: Iterable[Rect]) -> None:
        self._bands: dict[int, list[Rect]] = {}
        for rect in rects:
            self.add(rect)

    def add(self, rect: Rect) -> None:
        for band in self._bands_of(rect):
            self._bands.setdefault(band, []).append(rect)

    def hits(self, rect: Rect) -> bool:
        """Whether any is nearer than a little gap."""
        left, top = rect[0] - _GAP_PX, rect[1] - _GAP_PX
        right, bottom = rect[0] + rect[2] + _GAP_PX, rect[1] + rect[3] + _GAP_PX
        return any(
            x < right and left < x + width and y < bottom and top < y + height
            for band in self._bands_of((left, top, right - left, bottom - top))
            for x, y, width, height in self._bands.get(band, ())
        )

    @staticmethod
    def _bands_of(rect: Rect) -> range:
        return range(int(rect[1] // _BAND_PX), int((rect[1] + rect[3]) // _BAND_PX) + 1)
