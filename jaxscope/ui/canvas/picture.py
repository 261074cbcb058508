"""Works out the picture of a graph on a thread: view, opened groups, layout, spatial index.

No Qt.

For a new run of an edited program, `KeptPicture` finds groups again by the nodes in them, so that
what was open, and what was in the middle, stays.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from jaxscope.heap import return_memory
from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Graph
from jaxscope.picture.layout.diagram import ShouldStop
from jaxscope.picture.layout.engines import Engine, LayoutCache
from jaxscope.picture.scene.build import SceneMemory, build_scene
from jaxscope.picture.scene.first_picture import (
    LEAST_TOGETHER,
    Arranged,
    Arranger,
    Viewport,
)
from jaxscope.picture.scene.scene import NO_WIDTH_LIMIT, Fit, Scene
from jaxscope.picture.view.box_tracker import BoxFollower
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.view import ROOT, View
from jaxscope.ui.canvas.navigation import Camera
from jaxscope.ui.canvas.scene_index import SceneIndex


@dataclass(frozen=True, slots=True)
class Anchor:
    """An item, by its id, and where the middle of its upper border was in the widget."""

    item_id: str
    x: float
    y: float


@dataclass(frozen=True, eq=False, slots=True)
class KeptPicture:
    """A picture of a stage as it was, for the next run's picture of it, or for when it is shown
    again.

    The program may have been edited in between: boxes are found again by the nodes in them.

    Attributes:
        view: What was shown.
        opened: Groups that were open, by their numbers in the view.
        closed: Groups in sight that were not.
        is_as_first: Whether nobody had opened or closed any.
        middle: What was in the middle; None if nobody had moved the picture.
        fit: How it was arranged.
        across: Pixels across the flow that it was arranged for.
        scale: How large it was seen.
        is_fitted: Whether all of it was shown, as somebody wanted it.
    """

    view: View
    opened: frozenset[int]
    closed: frozenset[int]
    is_as_first: bool
    middle: Anchor | None
    fit: Fit
    across: float
    scale: float
    is_fitted: bool

    @property
    def is_new(self) -> bool:
        """Whether nobody had done anything to it."""
        return self.is_as_first and self.middle is None and not self.is_fitted

    def follow(self, view: View) -> FollowedPicture:
        """Find everything in the view of the next run."""
        follower = BoxFollower(self.view, view)
        groups = follower.find_groups(self.opened | self.closed)
        return FollowedPicture(self, view, follower, groups)


class FollowedPicture:
    """What was found again of a picture."""

    def __init__(
        self, kept: KeptPicture, view: View, follower: BoxFollower, groups: Mapping[int, int]
    ) -> None:
        self._kept, self._view, self._follower, self._groups = kept, view, follower, groups

    def expanded(self, opened_first: frozenset[str]) -> frozenset[str]:
        """Ids of the groups to open in a picture that would open these by itself.

        What was open or closed is so again. What is new is as the picture would have it, unless
        something is inside that was open.
        """
        opened, closed = (
            {self._groups[box] for box in boxes if box in self._groups}
            for boxes in (self._kept.opened, self._kept.closed)
        )
        around = {each for box in opened for each in self._view.ancestors(box)}
        boxes = self._view.boxes
        wanted = opened_first - {boxes[box].id for box in closed}
        return wanted | {boxes[box].id for box in opened | (around - closed)}

    def anchor(self, scene: Scene) -> Anchor | None:
        """What to hold in a picture: the same box, or what is shown of what was around it."""
        middle, old = self._kept.middle, self._kept.view
        box = NONE if middle is None else (old.index_of(middle.item_id) or NONE)
        while middle is not None and box > ROOT:
            found = self._groups.get(box, ROOT) if old.boxes[box].children else ROOT
            found = found or self._follower.find_node(box)
            while found > ROOT:
                if self._view.boxes[found].id in scene.item_of_id:
                    return Anchor(self._view.boxes[found].id, middle.x, middle.y)
                found = self._view.boxes[found].parent
            box = old.boxes[box].parent
        return None


def list_closed(view: View, opened: Collection[int]) -> frozenset[int]:
    """The visible closed groups, given the open ones."""
    children = {child for box in (ROOT, *opened) for child in view.boxes[box].children}
    return frozenset(box for box in children - set(opened) if view.boxes[box].children)


def anchor_of(scene: Scene, camera: Camera, item: int) -> Anchor:
    """Hold an item where it is seen now."""
    x, y, width, _ = scene.items.rect[item].tolist()
    return Anchor(scene.items.ids[item], *camera.to_widget(x + width / 2, y))


def find_middle_item(scene: Scene, camera: Camera, width: float, height: float) -> int:
    """The box nearest to the middle of the widget; `NONE` if there are no boxes."""
    rect = scene.items.rect[scene.items.num_frames :]
    if not len(rect):
        return NONE
    x, y = camera.to_scene(width / 2, height / 2)
    away = np.hypot(rect[:, 0] + rect[:, 2] / 2 - x, rect[:, 1] + rect[:, 3] / 2 - y)
    return int(np.argmin(away)) + scene.items.num_frames


def camera_at(anchor: Anchor, scene: Scene, scale: float) -> Camera | None:
    """The camera that shows the item where it was; None if the scene lacks it."""
    item = scene.item_of_id.get(anchor.item_id)
    if item is None:
        return None
    x, y, width, _ = scene.items.rect[item].tolist()
    return Camera(x + width / 2 - anchor.x / scale, y - anchor.y / scale, scale)


OTHER_ROOM_PX = 60
"""A page must be so much wider or narrower for that; legend and overview come and go with less."""


@dataclass(frozen=True, eq=False, slots=True)
class PreparedPicture:
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
    fit: Fit = NO_WIDTH_LIMIT


@dataclass(frozen=True, eq=False, slots=True)
class PictureOrder:
    """What a picture is made of: graph, open groups, direction and settings.

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
        shown: As for `Arranger.fit_type`.
        least: Likewise.
    """

    graph: Graph
    view: View | None
    expanded: frozenset[str] | None
    kept: KeptPicture | None
    direction: str
    cache: LayoutCache
    memory: SceneMemory
    without: frozenset[str]
    room: Viewport
    engine: Engine = Engine.OWN
    fit: Fit = NO_WIDTH_LIMIT
    shown: float = 0.0
    least: float = LEAST_TOGETHER

    def work_out(self, should_stop: ShouldStop) -> PreparedPicture:
        """The picture; raises `LayoutStopped` once it should stop."""
        view = self.view or build_view(self.graph, self.without)
        arranger = Arranger(view, self.room, self.direction, self.cache, should_stop)

        def prepare(scene: Scene, fit: Fit) -> SceneIndex:
            if self.room.is_presented and self.engine is Engine.OWN:
                scene = arranger.fit_type(Arranged(scene, fit), self.shown, self.least)
            return _prepare(scene)

        if self.expanded is not None:
            scene = self._compose(view, self.expanded, self.fit, should_stop)
            return PreparedPicture(view, prepare(scene, self.fit), None, fit=self.fit)
        scene, fit = arranger.choose()
        return_memory(len(self.graph.nodes))
        first, across = scene.opened, self.room.across(self.direction)
        if self.kept is None:
            if self.engine is not Engine.OWN:
                scene = self._compose(view, first, fit, should_stop)
            return PreparedPicture(view, prepare(scene, fit), first, None, across, fit)
        followed = self.kept.follow(view)
        expanded = followed.expanded(first)
        fit = self.kept.fit if abs(across - self.kept.across) <= OTHER_ROOM_PX else fit
        scene = self._compose(view, expanded, fit, should_stop)
        first = scene.opened if self.kept.is_as_first else first
        index = prepare(scene, fit)
        anchor = followed.anchor(index.scene)
        return PreparedPicture(view, index, first, anchor, across, fit)

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
