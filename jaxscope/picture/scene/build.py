"""Compose a scene: lay groups out, draw each alone, put the drawings into each other; groups that
did not change are taken over from the scene before.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.model import NONE, Ragged
from jaxscope.picture.gc_pause import paused_gc
from jaxscope.picture.layout.diagram import ShouldStop, Spacing
from jaxscope.picture.layout.engines import Engine, GroupLayouts, LayoutCache
from jaxscope.picture.scene.group_drawing import RETURN_LINE, GroupDrawing, draw_groups
from jaxscope.picture.scene.group_layout import DOWN, RIGHT, BoxTexts, GroupPlacer
from jaxscope.picture.scene.scene import (
    NO_WIDTH_LIMIT,
    Connectors,
    Fit,
    Items,
    Lines,
    Scene,
    Walk,
    empty_scene,
)
from jaxscope.picture.scene.wiring import Frame, Wiring
from jaxscope.picture.view.tree import BranchKind
from jaxscope.picture.view.view import ROOT, Box, View


class SceneSettings(NamedTuple):
    """How a scene is made of a view: what is made otherwise has nothing to take over."""

    direction: str
    spacing: Spacing
    engine: Engine
    fit: Fit


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class DrawnGroups:
    """The open groups of one scene.

    Attributes:
        view: What they are of.
        settings: How they were made.
        frames: As their surroundings see them.
        drawings: What they show.
        num_laid_out: How many of them were not taken over.
    """

    view: View
    settings: SceneSettings
    frames: Mapping[int, Frame]
    drawings: Mapping[int, GroupDrawing]
    num_laid_out: int


class SceneMemory:
    """Remembers the last scene that was composed with it.

    Attributes:
        latest: Its groups; None before the first.
    """

    def __init__(self) -> None:
        self.latest: DrawnGroups | None = None

    def recall(self, view: View, settings: SceneSettings) -> DrawnGroups:
        """What there is to take over; nothing where the last scene was another view's."""
        latest = self.latest
        if latest is not None and latest.view is view and latest.settings == settings:
            return latest
        return DrawnGroups(view, settings, {}, {}, 0)


Int32s = npt.NDArray[np.int32]


def assemble_scene(
    view: View,
    wiring: Wiring,
    frames: Mapping[int, Frame],
    drawings: Mapping[int, GroupDrawing],
    is_reversed: Sequence[bool],
    direction: str,
) -> Scene:
    """The scene that the drawings of all open groups make."""
    return _Collector(view, wiring, frames, drawings, is_reversed, direction).collect()


_GROUNDS = {BranchKind.FORWARD: 2, BranchKind.BACKWARD: 3}
_ORDER_GROUNDS = {"backward": 3, "backward of backward": 4}
_OTHER_ORDER = 5


def _choose_grounds(shown: list[Box], parent: Int32s, num_frames: int) -> npt.NDArray[np.int8]:
    """Of each item the number of its ground: parts of a gradient have their own, see `Palette`."""
    depths = np.zeros(len(shown), np.int8)
    grounds = np.zeros(len(shown), np.int8)
    for item in range(num_frames):  # outer frames come first
        around = int(parent[item])
        depths[item] = (depths[around] + 1) % 2 if around >= 0 else 0
        kind, label = shown[item].kind, shown[item].label
        if kind is BranchKind.ORDER:
            grounds[item] = _ORDER_GROUNDS.get(label, _OTHER_ORDER)
        else:
            grounds[item] = depths[item] if kind is None else _GROUNDS.get(kind, depths[item])
    return grounds


class _Collector:
    def __init__(
        self,
        view: View,
        wiring: Wiring,
        frames: Mapping[int, Frame],
        drawings: Mapping[int, GroupDrawing],
        is_reversed: Sequence[bool],
        direction: str,
    ) -> None:
        self._view = view
        self._wiring = wiring
        self._is_reversed = np.asarray(is_reversed, bool)
        self._direction = direction
        self._frames = frames
        self._groups, origins = _place_groups(wiring, frames, drawings)
        self._drawings = [drawings[group] for group in self._groups]
        self._origins = np.asarray(origins, np.float64).reshape(-1, 2)
        self._item_of_box = np.full(len(view.boxes), NONE, np.int32)
        self._walks: dict[int, Walk] = {}
        for box, hidden in wiring.hidden.items():
            copies = view.boxes[box].children
            shown = [at for at, copy in enumerate(copies) if copy not in hidden]
            if len(shown) == 1:
                self._walks[box] = Walk(shown[0], len(copies))

    def collect(self) -> Scene:
        view = self._view
        items = self._items()
        item_of_node = np.full(len(view.box_of_node), NONE, np.int32)
        known = view.box_of_node > ROOT
        shown = self._wiring.shown
        item_of_node[known] = self._item_of_box[shown[view.box_of_node[known]]]
        root = self._frames[ROOT]
        return Scene(
            direction=self._direction,
            opened=frozenset(items.ids[: items.num_frames]),
            items=items,
            lines=self._lines(),
            connectors=self._connectors(),
            width=root.width,
            height=root.height,
            item_of_node=item_of_node,
            walks={int(self._item_of_box[box]): walk for box, walk in self._walks.items()},
        )

    def _items(self) -> Items:
        """All boxes: frames in the order in which they were placed, then all others."""
        view, is_open = self._view, np.asarray(self._wiring.is_open)
        counts = [len(drawing.boxes) for drawing in self._drawings]
        boxes = np.concatenate([drawing.boxes for drawing in self._drawings])
        rects = np.concatenate([drawing.rects for drawing in self._drawings])
        rects[:, :2] += np.repeat(self._origins, counts, axis=0)
        around = np.repeat(np.asarray(self._groups, np.int32), counts)
        order = np.argsort(~is_open[boxes], kind="stable")
        boxes, rects, around = boxes[order], rects[order], around[order]
        self._item_of_box[boxes] = np.arange(len(boxes), dtype=np.int32)
        texts = BoxTexts(view)
        told = [texts.of(box) for box in boxes.tolist()]
        shown = [view.boxes[box] for box in boxes.tolist()]
        parent, num_frames = self._item_of_box[around], int(is_open[boxes].sum())
        return Items(
            rect=rects,
            ids=tuple(box.id for box in shown),
            titles=tuple(text.title for text in told),
            details=self._list_details(boxes.tolist(), [text.detail for text in told]),
            style=np.asarray([text.style for text in told], np.int8),
            node=np.asarray([box.node for box in shown], np.int32),
            box=boxes,
            parent=parent,
            is_group=np.asarray([bool(box.children) for box in shown], bool),
            num_frames=num_frames,
            is_reversed=self._is_reversed[around],
            ground=_choose_grounds(shown, parent, num_frames),
        )

    def _list_details(self, boxes: list[int], details: list[str]) -> tuple[str, ...]:
        """Second lines, those of repeats with which copy is shown."""
        for box, walk in self._walks.items():
            at = boxes.index(box)
            details[at] = f"{walk.number + 1} of {walk.total} shown · {details[at]}"
        return tuple(details)

    def _lines(self) -> Lines:
        drawings = self._drawings
        table = np.concatenate([drawing.lines for drawing in drawings])
        points = np.concatenate([drawing.points for drawing in drawings])
        points += np.repeat(self._origins, [len(drawing.points) for drawing in drawings], axis=0)
        values = np.concatenate([drawing.values for drawing in drawings])
        return Lines(
            points=points,
            offsets=_offsets(table[:, 0]),
            source=self._item_of_box[table[:, 1]],
            target=self._item_of_box[table[:, 2]],
            has_arrow=table[:, 3].astype(bool),
            values=Ragged(_offsets(table[:, 4]), values),
            types=tuple(itertools.chain.from_iterable(drawing.types for drawing in drawings)),
            is_unlabelled=_find_unlabelled(self._view, table[:, 1]) | (table[:, 5] > 0),
            is_return=table[:, 5] == RETURN_LINE,
        )

    def _connectors(self) -> Connectors:
        of_drawing = [len(drawing.stubs) for drawing in self._drawings]
        stubs = [stub for drawing in self._drawings for stub in drawing.stubs]
        rects = np.asarray([stub.rect for stub in stubs], np.float64).reshape(-1, 4)
        rects[:, :2] += np.repeat(self._origins, of_drawing, axis=0)
        groups = np.repeat(np.asarray(self._groups, np.int32), of_drawing)
        items = self._item_of_box
        return Connectors(
            rects,
            tuple(stub.text for stub in stubs),
            items[np.asarray([stub.box for stub in stubs], np.int32)],
            Ragged.from_rows(sorted(items[list(stub.far)].tolist()) for stub in stubs),
            np.asarray([stub.is_source for stub in stubs], bool),
            Ragged.from_rows(stub.values for stub in stubs),
            self._is_reversed[groups],
        )


def _place_groups(
    wiring: Wiring, frames: Mapping[int, Frame], drawings: Mapping[int, GroupDrawing]
) -> tuple[list[int], list[tuple[float, float]]]:
    """The open groups, outer ones first, and where the drawing of each begins."""
    groups, origins = [ROOT], [(frames[ROOT].left, frames[ROOT].top)]
    for number, group in enumerate(groups):  # grows while it is read
        left, top = origins[number]
        drawing = drawings[group]
        for at, box in enumerate(drawing.boxes.tolist()):
            if wiring.is_open[box]:
                x, y = drawing.rects[at, :2].tolist()
                groups.append(box)
                origins.append((left + x + frames[box].left, top + y + frames[box].top))
    return groups, origins


def _offsets(counts: Int32s) -> Int32s:
    offsets = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def _find_unlabelled(view: View, boxes: Int32s) -> npt.NDArray[np.bool_]:
    """Whether boxes hold several operations, or one with several results."""
    known = view.remembered.setdefault("has several results", {})
    if ROOT not in known:
        num_results = view.graph.nodes.types.lengths().tolist()
        known[ROOT] = np.asarray(
            [bool(box.children) or num_results[box.node] > 1 for box in view.boxes], bool
        )
    has_several: npt.NDArray[np.bool_] = known[ROOT]
    return has_several[boxes]


# Compose a scene: lay the groups out, draw each up alone, and put them into each other.


TIGHT = Spacing(across=14.0)
"""Where room is scarce, more of it is for boxes."""


def _never() -> bool:
    return False


def build_scene(
    view: View,
    expanded: frozenset[str] | None = None,
    *,
    direction: str = DOWN,
    spacing: Spacing | None = None,
    cache: LayoutCache | None = None,
    engine: Engine = Engine.OWN,
    fit: Fit = NO_WIDTH_LIMIT,
    memory: SceneMemory | None = None,
    is_try: bool = False,
    should_stop: ShouldStop = _never,
) -> Scene:
    """Place everything that is seen of a view.

    Args:
        view: What can be shown.
        expanded: Ids of the groups to open; None opens those that the view opens at first.
        direction: `down` or `right`: where values flow.
        spacing: Distances; None takes the usual ones.
        cache: Layouts of earlier scenes, added to; makes opening one more group quick.
        engine: Who lays groups out; where Graphviz does not, our own layout does, and the scene's
            `notes` say why.
        fit: How it is arranged for the room it has.
        memory: The scene before, and then this one: groups that look the same in both are taken
            over from there. The scene is the one that it would be without.
        is_try: Whether only its size counts: ports do not follow the lines around, which is quicker
            and moves no border by much. Such a scene needs a memory of its own.
        should_stop: Asked often; the layout ends with `LayoutStopped` when it returns true.

    Raises:
        LayoutStopped: `should_stop` returned true.
        ValueError: The direction is none.
    """
    if direction not in (DOWN, RIGHT):
        raise ValueError(f"a layout flows down or right, not {direction}")
    if not view.boxes[ROOT].children:
        return empty_scene(direction, len(view.graph.nodes))
    expanded = view.opened if expanded is None else expanded
    spacing = spacing or (TIGHT if fit.is_limited else Spacing())
    layouts = GroupLayouts(engine, spacing, {} if cache is None else cache, should_stop)
    memory = SceneMemory() if memory is None else memory
    before = memory.recall(view, SceneSettings(direction, spacing, engine, fit))
    with paused_gc():
        wiring = Wiring(view, expanded)
        nester = GroupPlacer(view, wiring, direction, spacing, layouts, fit, before.frames)
        nester.place_all(follows=not is_try)
        drawings = {
            group: before.drawings[group] for group in nester.frames.keys() - nester.placed.keys()
        }
        drawings.update(draw_groups(view, wiring, nester, direction))
        after = DrawnGroups(view, before.settings, nester.frames, drawings, len(nester.placed))
        scene = assemble_scene(
            view, wiring, after.frames, after.drawings, nester.is_reversed, direction
        )
        memory.latest = after
        return dataclasses.replace(scene, notes=layouts.notes)
