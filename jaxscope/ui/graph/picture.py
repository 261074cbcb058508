"""A picture of a graph, worked out beside the window."""

from __future__ import annotations

import dataclasses
import math

from jaxscope.analysis.layout.compose import build_scene
from jaxscope.analysis.layout.engines import Engine, LayoutCache
from jaxscope.analysis.layout.layered import ShouldStop
from jaxscope.analysis.layout.nesting import DOWN
from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.view.build import build_view
from jaxscope.analysis.view.framing import list_openings
from jaxscope.analysis.view.view import View
from jaxscope.model import Graph
from jaxscope.ui.graph.anchor import Anchor, Kept
from jaxscope.ui.graph.camera import OVERVIEW_PX, READABLE_SCALE, SIDE_PX
from jaxscope.ui.graph.scene_index import SceneIndex


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
        least = math.inf
        is_down = self.direction == DOWN
        room, along_room = self.room.width, self.room.height
        if not is_down:
            room, along_room = along_room, room
        for opened in list_openings(view):
            scene = self._compose(view, opened, should_stop, Engine.OWN)
            across, along = scene.width, scene.height
            if not is_down:
                across, along = along, across
            scale = READABLE_SCALE * self.room.text_scale
            needs_overview = along * scale > along_room
            if across * scale <= room - 2 * SIDE_PX - (OVERVIEW_PX if needs_overview else 0):
                return scene
            if across < least:
                narrowest, least = scene, across
        assert narrowest is not None  # there is always the view's own choice
        return narrowest

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
            should_stop=should_stop,
        )
