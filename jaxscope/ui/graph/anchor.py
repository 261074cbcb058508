"""What stays in its place on the screen when a picture is replaced by another."""

from __future__ import annotations

import dataclasses

import numpy as np

from jaxscope.analysis.layout.scene import Scene
from jaxscope.model import NONE
from jaxscope.ui.graph.camera import Camera


@dataclasses.dataclass(frozen=True, slots=True)
class Anchor:
    """An item, by its id, and where the middle of its upper border was in the widget."""

    item_id: str
    x: float
    y: float


@dataclasses.dataclass(frozen=True, slots=True)
class Kept:
    """What a person did to the picture of a stage, for the next run's picture of it.

    Attributes:
        opened: Ids of groups opened that were closed at first.
        closed: Ids of groups closed that were open at first.
        anchor: What was in the middle; None if nobody has moved the picture.
    """

    opened: frozenset[str]
    closed: frozenset[str]
    anchor: Anchor | None

    def expanded(self, opened_first: frozenset[str]) -> frozenset[str]:
        """Ids of the groups to open in a picture that would open these by itself."""
        return (opened_first | self.opened) - self.closed


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
