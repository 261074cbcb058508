"""A picture of a graph, worked out beside the window."""

from __future__ import annotations

import dataclasses

from jaxscope.analysis.layout.compose import build_scene
from jaxscope.analysis.layout.engines import Engine, LayoutCache
from jaxscope.analysis.layout.layered import ShouldStop
from jaxscope.analysis.layout.nesting import DOWN
from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.view.build import build_view
from jaxscope.analysis.view.framing import list_next, list_openings
from jaxscope.analysis.view.view import View
from jaxscope.model import Graph
from jaxscope.ui.graph.anchor import Anchor, Kept
from jaxscope.ui.graph.camera import OVERVIEW_PX, READABLE_SCALE, SIDE_PX
from jaxscope.ui.graph.scene_index import SceneIndex

_TWO_COLUMNS_PX = 600.0
"""In less, the two parts of a gradient would stay closed to fit: they stand one after the other."""

_FEW_BOXES = 24
_MAX_TRIES = 8  # each takes as long as a small picture


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Room:
    """What there is room for: width and height in pixels, and the size of the window's type."""

    width: float
    height: float
    text_scale: float = 1.0


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Picture:
    """A view, and its scene sorted for drawing.

    Attributes:
        opened_first: Ids of the groups that were opened without being asked for; None where it
            was said which to open.
        anchor: What to hold in its place, as an earlier run's picture had it; None for nothing.
        across: Pixels across the flow that it was chosen for; 0 where it was not.
    """

    view: View
    index: SceneIndex
    opened_first: frozenset[str] | None
    anchor: Anchor | None = None
    across: float = 0.0


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class PictureOrder:
    """What is to be worked out.

    Attributes:
        graph: The graph.
        view: Its view where that is known.
        expanded: Ids of the groups to open; None for as many as there is room for.
        kept: What to take over from the picture of an earlier run.
        direction: `down` or `right`.
        cache: Layouts of groups, kept from picture to picture.
        without: Names of simplifications to leave out.
        room: Of the widget.
        engine: Who lays groups out.
    """

    graph: Graph
    view: View | None
    expanded: frozenset[str] | None
    kept: Kept | None
    direction: str
    cache: LayoutCache
    without: frozenset[str]
    room: Room
    engine: Engine = Engine.OWN

    def work_out(self, should_stop: ShouldStop) -> Picture:
        """The picture; raises `LayoutStopped` once it should stop."""
        view = self.view or build_view(self.graph, self.without)
        if self.expanded is not None:
            return Picture(view, SceneIndex(self._compose(view, self.expanded, should_stop)), None)
        scene = self._fit(view, should_stop)
        first = scene.opened
        expanded = first if self.kept is None else self.kept.expanded(view, first)
        if expanded != first or self.engine is not Engine.OWN:
            scene = self._compose(view, expanded, should_stop)
        anchor = None if self.kept is None else self.kept.anchor(view, scene)
        across = self.room.width if self.direction == DOWN else self.room.height
        return Picture(view, SceneIndex(scene), first, anchor, across)

    def _fit(self, view: View, should_stop: ShouldStop) -> Scene:
        """The scene with most groups open that is no wider than can be read; or the narrowest."""
        narrowest: Scene | None = None
        for opened in list_openings(view):
            scene = self._compose(view, opened, should_stop, Engine.OWN)
            if self._is_legible(scene):
                return self._open_more(view, scene, should_stop)
            if narrowest is None or self._across(scene) < self._across(narrowest):
                narrowest = scene
        assert narrowest is not None  # there is always the view's own choice
        return narrowest

    def _open_more(self, view: View, scene: Scene, should_stop: ShouldStop) -> Scene:
        """Open single groups, the largest first, where a picture leaves most of a page empty."""
        refused: set[str] = set()
        for _ in range(_MAX_TRIES):
            if len(scene.items) > _FEW_BOXES:
                break
            choices = [each for each in list_next(view, scene.opened) if each not in refused]
            if not choices:
                break
            more = self._compose(view, scene.opened | {choices[0]}, should_stop, Engine.OWN)
            if self._is_legible(more):
                scene = more
            else:
                refused.add(choices[0])
        return scene

    def _across(self, scene: Scene) -> float:
        return scene.width if self.direction == DOWN else scene.height

    def _is_legible(self, scene: Scene) -> bool:
        room, along_room = self.room.width, self.room.height
        along = scene.height
        if self.direction != DOWN:
            room, along_room, along = along_room, room, scene.width
        scale = READABLE_SCALE * self.room.text_scale
        needs_overview = along * scale > along_room
        least = 2 * SIDE_PX + (OVERVIEW_PX if needs_overview else 0)
        return self._across(scene) * scale <= room - least

    def _has_room_beside(self) -> bool:
        """Whether two columns fit that one can read."""
        across = self.room.width if self.direction == DOWN else self.room.height
        return across >= _TWO_COLUMNS_PX * READABLE_SCALE * self.room.text_scale

    def _compose(
        self,
        view: View,
        expanded: frozenset[str],
        should_stop: ShouldStop,
        engine: Engine | None = None,
    ) -> Scene:
        return build_scene(
            view,
            expanded,
            direction=self.direction,
            cache=self.cache,
            engine=engine or self.engine,
            beside=self._has_room_beside(),
            should_stop=should_stop,
        )
