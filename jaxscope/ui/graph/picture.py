"""A picture of a graph, worked out beside the window."""

from __future__ import annotations

import dataclasses

from jaxscope.analysis.layout.compose import build_scene
from jaxscope.analysis.layout.layered import ShouldStop
from jaxscope.analysis.layout.nesting import LayoutCache
from jaxscope.analysis.view.build import build_view
from jaxscope.analysis.view.view import View
from jaxscope.model import Graph
from jaxscope.ui.graph.anchor import Kept
from jaxscope.ui.graph.scene_index import SceneIndex


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Picture:
    """A view, and its scene sorted for drawing."""

    view: View
    index: SceneIndex


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class PictureOrder:
    """What is to be worked out.

    Attributes:
        graph: The graph.
        view: Its view where that is known.
        expanded: Ids of the groups to open; None for those that the view opens.
        kept: What to take over from the picture of an earlier run.
        direction: `down` or `right`.
        cache: Layouts of groups, kept from picture to picture.
        without: Names of simplifications to leave out.
    """

    graph: Graph
    view: View | None
    expanded: frozenset[str] | None
    kept: Kept | None
    direction: str
    cache: LayoutCache
    without: frozenset[str]

    def work_out(self, should_stop: ShouldStop) -> Picture:
        """The picture; raises `LayoutStopped` once it should stop."""
        view = self.view or build_view(self.graph, self.without)
        scene = build_scene(
            view,
            self.expanded if self.kept is None else self.kept.expanded(view.opened),
            direction=self.direction,
            cache=self.cache,
            should_stop=should_stop,
        )
        return Picture(view, SceneIndex(scene))
