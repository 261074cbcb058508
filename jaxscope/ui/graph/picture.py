"""A picture of a graph, worked out beside the window."""

from __future__ import annotations

import dataclasses

from jaxscope.analysis.layout.compose import build_scene
from jaxscope.analysis.layout.engines import Engine, LayoutCache
from jaxscope.analysis.layout.fit import FREE, Fit
from jaxscope.analysis.layout.layered import ShouldStop
from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.layout.scene_memory import SceneMemory
from jaxscope.analysis.view.build import build_view
from jaxscope.analysis.view.view import View
from jaxscope.model import Graph
from jaxscope.ui.graph.anchor import Anchor, Kept
from jaxscope.ui.graph.arranging import Arranger, Room
from jaxscope.ui.graph.scene_index import SceneIndex

OTHER_ROOM_PX = 60
"""A page must be so much wider or narrower for that; legend and overview come and go with less."""


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Picture:
    """A view, and its scene sorted for drawing.

    Attributes:
        opened_first: Ids of the groups that were opened without being asked for; None where it
            was said which to open.
        anchor: What to hold in its place, as an earlier run's picture had it; None for nothing.
        across: Pixels across the flow that it was chosen for; 0 where it was not.
        fit: How it is arranged.
    """

    view: View
    index: SceneIndex
    opened_first: frozenset[str] | None
    anchor: Anchor | None = None
    across: float = 0.0
    fit: Fit = FREE


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
        memory: The picture before, of which what stays as it is is taken over.
        without: Names of simplifications to leave out.
        room: Of the widget.
        engine: Who lays groups out.
        fit: How to arrange it where it was said which groups to open.
    """

    graph: Graph
    view: View | None
    expanded: frozenset[str] | None
    kept: Kept | None
    direction: str
    cache: LayoutCache
    memory: SceneMemory
    without: frozenset[str]
    room: Room
    engine: Engine = Engine.OWN
    fit: Fit = FREE

    def work_out(self, should_stop: ShouldStop) -> Picture:
        """The picture; raises `LayoutStopped` once it should stop."""
        view = self.view or build_view(self.graph, self.without)
        if self.expanded is not None:
            scene = self._compose(view, self.expanded, self.fit, should_stop)
            return Picture(view, _prepare(scene), None, fit=self.fit)
        arranger = Arranger(view, self.room, self.direction, self.cache, should_stop)
        scene, fit = arranger.choose()
        first, across = scene.opened, self.room.across(self.direction)
        if self.kept is None:
            if self.engine is not Engine.OWN:
                scene = self._compose(view, first, fit, should_stop)
            return Picture(view, _prepare(scene), first, None, across, fit)
        followed = self.kept.follow(view)
        expanded = followed.expanded(first)
        fit = self.kept.fit if abs(across - self.kept.across) <= OTHER_ROOM_PX else fit
        scene = self._compose(view, expanded, fit, should_stop)
        first = scene.opened if self.kept.is_as_first else first
        return Picture(view, _prepare(scene), first, followed.anchor(scene), across, fit)

    def _compose(
        self, view: View, expanded: frozenset[str], fit: Fit, should_stop: ShouldStop
    ) -> Scene:
        return build_scene(
            view,
            expanded,
            direction=self.direction,
            cache=self.cache,
            engine=self.engine,
            fit=fit,
            memory=self.memory,
            should_stop=should_stop,
        )


def _prepare(scene: Scene) -> SceneIndex:
    """A scene sorted for drawing, with what the window would have to work out of it at once."""
    len(scene.item_of_id)  # worked out once and kept
    return SceneIndex(scene)
