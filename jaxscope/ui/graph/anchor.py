"""What stays in its place on the screen when a picture is replaced by another."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping

import numpy as np

from jaxscope.analysis.comparison.box_following import BoxFollower
from jaxscope.analysis.layout.fit import Fit
from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.view.view import ROOT, View
from jaxscope.model import NONE
from jaxscope.ui.graph.camera import Camera


@dataclasses.dataclass(frozen=True, slots=True)
class Anchor:
    """An item, by its id, and where the middle of its upper border was in the widget."""

    item_id: str
    x: float
    y: float


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Kept:
    """A picture of a stage as it was, for the next run's picture of it.

    The program may have been edited in between: boxes are found again by the nodes in them.

    Attributes:
        view: What was shown.
        opened: Groups that were open, by their numbers in the view.
        closed: Groups in sight that were not.
        is_as_first: Whether nobody had opened or closed any.
        middle: What was in the middle; None if nobody had moved the picture.
        fit: How it was arranged.
        across: Pixels across the flow that it was arranged for.
    """

    view: View
    opened: frozenset[int]
    closed: frozenset[int]
    is_as_first: bool
    middle: Anchor | None
    fit: Fit
    across: float

    def follow(self, view: View) -> Followed:
        """Find everything in the view of the next run."""
        follower = BoxFollower(self.view, view)
        groups = follower.find_groups(self.opened | self.closed)
        return Followed(self, view, follower, groups)


class Followed:
    """What was found again of a picture."""

    def __init__(
        self, kept: Kept, view: View, follower: BoxFollower, groups: Mapping[int, int]
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
    """The closed groups in sight, given the open ones."""
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
