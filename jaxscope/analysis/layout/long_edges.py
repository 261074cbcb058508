"""The ways of edges that a scene shows as connectors only: drawn in full for what one points at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxscope.analysis.layout.scene import Scene

MAX_EDGES = 60
"""More at once would be a wall of lines."""

Place = tuple[float, float]


class LongEdge(NamedTuple):
    """An edge from end to end.

    Attributes:
        source: Item that the values leave.
        target: Item that they enter.
        begin: Where it leaves the source's connector, or the source itself.
        end: Where it meets the target's connector, or the target itself.
    """

    source: int
    target: int
    begin: Place
    end: Place


def edges_of_connector(scene: Scene, connector: int) -> tuple[LongEdge, ...]:
    """The edges that one connector stands for."""
    connectors = scene.connectors
    item, is_source = int(connectors.item[connector]), bool(connectors.is_source[connector])
    here = _open_side(scene, connector)
    edges: list[LongEdge] = []
    for far in connectors.far[connector].tolist()[:MAX_EDGES]:
        partner = _find_partner(scene, connector, far)
        there = _side(scene, far, not is_source) if partner is None else _open_side(scene, partner)
        ends = (item, far, here, there) if is_source else (far, item, there, here)
        edges.append(LongEdge(*ends))
    return tuple(edges)


def edges_of_item(scene: Scene, item: int) -> tuple[LongEdge, ...]:
    """The long edges into and out of an item, whichever end has the connector."""
    connectors = scene.connectors
    own = np.flatnonzero(connectors.item == item)
    reaching = connectors.far.row_numbers()[connectors.far.values == item]
    found: dict[tuple[int, int], LongEdge] = {}
    for connector in (*own.tolist(), *reaching.tolist()):
        for edge in edges_of_connector(scene, connector):
            if item in (edge.source, edge.target):
                found.setdefault((edge.source, edge.target), edge)
    return tuple(found.values())[:MAX_EDGES]


def _find_partner(scene: Scene, connector: int, far: int) -> int | None:
    """The connector at the other end that stands for the same values, if there is one."""
    connectors = scene.connectors
    item, values = int(connectors.item[connector]), set(connectors.values[connector].tolist())
    there = (connectors.item == far) & (connectors.is_source != connectors.is_source[connector])
    for each in np.flatnonzero(there).tolist():
        is_same = not values.isdisjoint(connectors.values[each].tolist())
        if is_same and item in connectors.far[each].tolist():
            return int(each)
    return None


def _open_side(scene: Scene, connector: int) -> Place:
    """The middle of the side of a connector that no line touches."""
    connectors = scene.connectors
    is_onward = bool(connectors.is_source[connector] != connectors.is_reversed[connector])
    return _middle(scene, connectors.rect[connector], is_onward)


def _side(scene: Scene, item: int, is_leaving: bool) -> Place:
    is_onward = is_leaving != bool(scene.items.is_reversed[item])
    return _middle(scene, scene.items.rect[item], is_onward)


def _middle(scene: Scene, rect: np.ndarray, is_onward: bool) -> Place:
    """The middle of the side of a rectangle that lies in the scene's direction, or against it."""
    x, y, width, height = rect.tolist()
    if scene.direction == "down":
        return x + width / 2, y + height if is_onward else y
    return x + width if is_onward else x, y + height / 2
