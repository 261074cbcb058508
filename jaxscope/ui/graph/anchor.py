"""What stays in its place on the screen when a picture is replaced by another."""

from __future__ import annotations

import dataclasses

import numpy as np

from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.view.box_paths import BoxPath, BoxPaths
from jaxscope.analysis.view.view import ROOT, View
from jaxscope.model import NONE
from jaxscope.ui.graph.camera import Camera


@dataclasses.dataclass(frozen=True, slots=True)
class Anchor:
    """An item, by its id, and where the middle of its upper border was in the widget."""

    item_id: str
    x: float
    y: float


@dataclasses.dataclass(frozen=True, slots=True)
class KeptPlace:
    """What was in the middle of a picture, by its path, and where; see `Anchor`."""

    path: BoxPath
    x: float
    y: float


@dataclasses.dataclass(frozen=True, slots=True)
class Kept:
    """What a person did to the picture of a stage, for the next run's picture of it.

    The program may have been edited in between: boxes are known by their paths.

    Attributes:
        opened: Groups opened that were closed at first.
        closed: Groups closed that were open at first.
        place: What was in the middle; None if nobody has moved the picture.
    """

    opened: frozenset[BoxPath]
    closed: frozenset[BoxPath]
    place: KeptPlace | None

    def expanded(self, view: View, opened_first: frozenset[str]) -> frozenset[str]:
        """Ids of the groups to open in a picture that would open these by itself."""
        paths = BoxPaths(view)
        opened, closed = (
            {view.boxes[box].id for path in each if (box := paths.find_exactly(path)) is not None}
            for each in (self.opened, self.closed)
        )
        return (opened_first | opened) - closed

    def anchor(self, view: View, scene: Scene) -> Anchor | None:
        """What to hold in a picture: the same box, or what is shown of what was around it."""
        if self.place is None:
            return None
        box = BoxPaths(view).find(self.place.path)
        while box != ROOT and view.boxes[box].id not in scene.item_of_id:
            box = view.boxes[box].parent
        return None if box == ROOT else Anchor(view.boxes[box].id, self.place.x, self.place.y)


def keep_picture(
    view: View,
    expanded: frozenset[str],
    opened_first: frozenset[str],
    anchor: Anchor | None,
) -> Kept:
    """Note what a person did to a picture.

    Args:
        view: What is shown.
        expanded: Ids of the groups that are open.
        opened_first: Ids of the groups that were open at first.
        anchor: What is in the middle, or None if nobody has moved the picture.
    """
    paths = BoxPaths(view)
    index = {box.id: number for number, box in enumerate(view.boxes)}
    opened, closed = (
        frozenset(paths.path_of(index[each]) for each in ids if each in index)
        for ids in (expanded - opened_first, opened_first - expanded)
    )
    place = None
    if anchor is not None:
        place = KeptPlace(paths.path_of(index[anchor.item_id]), anchor.x, anchor.y)
    return Kept(opened, closed, place)


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
