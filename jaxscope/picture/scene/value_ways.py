"""The whole way of what a box reads and gives: through the borders of groups, and on where a
connector breaks the line off.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from jaxscope.model import NONE
from jaxscope.model.graph import distinct
from jaxscope.picture.scene.edge_details import (
    MAX_EDGES,
    NO_WAY,
    LongEdge,
    Way,
    edges_of_connector,
    edges_of_item,
    is_far_end,
)
from jaxscope.picture.scene.scene import Scene

Indices = npt.NDArray[np.int64]

_MOST_EDGES = 8
"""So many that are shown as connectors are drawn beside those of the item itself."""


def find_way_of_line(scene: Scene, line: int) -> Way:
    """All lines that carry a result that a line carries, that one too."""
    out = distinct(scene.lines.carrying(scene.lines.flows[line]), np.array([line]))
    return Way(NO_WAY.into, out, _list_edges(scene, out, is_source=True))


def find_way(scene: Scene, item: int, values: Collection[int] | None = None) -> Way:
    """What an item reads and gives; of an open group also all that leads on from its border inside.

    Args:
        scene: The picture.
        item: A box or an open group of it.
        values: Only these, numbered as in `Lines.flows`; all where None.
    """
    lines = scene.lines
    if item == NONE:
        return NO_WAY
    if item < scene.items.num_frames:
        return _find_way_of_group(scene, item)
    own = np.flatnonzero((lines.target == item) | (lines.source == item)).tolist()
    read, given = (
        [line for line in own if _is_at(scene, item, line, is_out)] for is_out in (False, True)
    )
    asked = [{flow for line in some for flow in lines.flows[line]} for some in (read, given)]
    if values is not None:
        asked = [flows.intersection(values) for flows in asked]
    led = [line for flow in asked[0] for line in _trace_back(scene, item, flow)]
    back = [line for line in given if lines.is_return[line] and values is None]
    on = [*lines.carrying(asked[1]).tolist(), *back]
    into, out = (distinct(np.asarray(some, np.int64)) for some in (led, on))
    edges = _list_edges(scene, into, is_source=False) + _list_edges(scene, out, is_source=True)
    if values is None:
        edges = (*edges_of_item(scene, item), *edges)
    return Way(into, out, tuple(dict.fromkeys(edges))[:MAX_EDGES])


def _find_way_of_group(scene: Scene, item: int) -> Way:
    """The lines that meet the border of an open group, and on to both of their ends."""
    lines, is_inside = scene.lines, _mark_inside(scene, item)
    ends, begins = (np.flatnonzero(each == item) for each in (lines.target, lines.source))
    asked = [
        {
            flow
            for line in some.tolist()
            if _is_at(scene, item, line, is_out)
            and not is_inside[far[line]]
            and not _is_told_inside(scene, item, line)
            for flow in lines.flows[line]
        }
        for some, far, is_out in ((ends, lines.source, False), (begins, lines.target, True))
    ]
    led = [line for flow in asked[0] for line in _trace_back(scene, item, flow)]
    within = lines.carrying(asked[0])
    begin = lines.source[within]
    within = within[is_inside[begin] | (begin == item)]
    into = distinct(ends, np.asarray(led, np.int64))
    return Way(into, distinct(begins, within, lines.carrying(asked[1])), ())


def _mark_inside(scene: Scene, item: int) -> npt.NDArray[np.bool_]:
    """Of each item, whether it is in an open group."""
    parent = scene.items.parent
    is_inside = np.zeros(len(parent), np.bool_)
    for each in range(scene.items.num_frames):  # outer frames come first
        around = parent[each]
        is_inside[each] = around != NONE and bool(around == item or is_inside[around])
    boxes = parent[scene.items.num_frames :]
    is_inside[scene.items.num_frames :] = (boxes != NONE) & ((boxes == item) | is_inside[boxes])
    return is_inside


def _is_told_inside(scene: Scene, item: int, line: int) -> bool:
    """Whether a line leads between the border of an open group and a connector inside."""
    connector = scene.connector_of_line.get(line, NONE)
    if connector == NONE:
        return False
    x, y, width, height = scene.connectors.rect[connector].tolist()
    left, top, wide, high = scene.items.rect[item].tolist()
    return bool(left < x + width / 2 < left + wide and top < y + height / 2 < top + high)


def _is_at(scene: Scene, item: int, line: int, is_out: bool) -> bool:
    """Whether a line begins at an item, or ends there."""
    lines, connector = scene.lines, scene.connector_of_line.get(line, NONE)
    if connector != NONE:
        return bool(scene.connectors.is_source[connector]) == is_out
    return int((lines.source if is_out else lines.target)[line]) == item


def _trace_back(scene: Scene, item: int, flow: int) -> list[int]:
    """The lines that lead one value to an item, from the last to the first."""
    lines, connector_of = scene.lines, scene.connector_of_line
    reaching: dict[int, list[int]] = {}
    leaving: list[int] = []
    for line in lines.carrying((flow,)).tolist():
        connector = connector_of.get(line, NONE)
        if connector != NONE and scene.connectors.is_source[connector]:
            leaving.append(line)
        else:
            reaching.setdefault(int(lines.target[line]), []).append(line)
    found = list(reaching.pop(item, ()))
    for line in found:  # grows
        connector = connector_of.get(line, NONE)
        if connector != NONE and not scene.connectors.is_source[connector]:
            met = [
                each
                for each in leaving
                if is_far_end(scene, connector, connector_of[each])
                and is_far_end(scene, connector_of[each], connector)
            ]
            found += met
            leaving = [each for each in leaving if each not in met]
            # Where nothing leaves by a connector, the line goes on at the far end itself.
            ends = [] if met else scene.connectors.far[connector].tolist()
        else:
            ends = [int(lines.source[line])]
        for end in ends:
            found += reaching.pop(end, ())
    return found


def _list_edges(scene: Scene, lines: Indices, *, is_source: bool) -> tuple[LongEdge, ...]:
    """Of the connectors of some lines, all at the one or at the other end, what they stand for;
    nothing where that is much: the connectors say it, and drawing it all takes long.
    """
    connectors, found = scene.connectors, dict[LongEdge, None]()
    at = {line: scene.connector_of_line.get(line, NONE) for line in lines.tolist()}
    met = [(line, each) for line, each in at.items()
           if each != NONE and connectors.is_source[each] == is_source]  # fmt: skip
    if sum(len(connectors.far[each]) for _, each in met) > _MOST_EDGES:
        return ()
    for line, connector in met:
        wanted = scene.lines.values[line].tolist()
        found.update(dict.fromkeys(edges_of_connector(scene, connector, wanted)))
    return tuple(found) if len(found) <= _MOST_EDGES else ()
