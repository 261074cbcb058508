"""Which part of a scene is seen, and how large."""

from __future__ import annotations

import dataclasses

MAX_SCALE = 4.0
MARGIN_PX = 24.0


@dataclasses.dataclass(frozen=True, slots=True)
class Camera:
    """A view of a plane.

    Attributes:
        x: Scene x at the left border of the widget.
        y: Scene y at the upper border.
        scale: Widget pixels per scene pixel.
    """

    x: float
    y: float
    scale: float

    def to_scene(self, x: float, y: float) -> tuple[float, float]:
        """The place of the scene under a place of the widget."""
        return self.x + x / self.scale, self.y + y / self.scale

    def to_widget(self, x: float, y: float) -> tuple[float, float]:
        """The place of the widget over a place of the scene."""
        return (x - self.x) * self.scale, (y - self.y) * self.scale

    def moved(self, dx: float, dy: float) -> Camera:
        """Moved by widget pixels."""
        return Camera(self.x + dx / self.scale, self.y + dy / self.scale, self.scale)

    def zoomed(self, factor: float, x: float, y: float, least: float) -> Camera:
        """Zoomed by a factor; what is under (x, y) of the widget stays there."""
        scale = min(max(self.scale * factor, least), MAX_SCALE)
        scene_x, scene_y = self.to_scene(x, y)
        return Camera(scene_x - x / scale, scene_y - y / scale, scale)


def fit_rect(
    rect: tuple[float, float, float, float], width: float, height: float, most: float = 1.0
) -> Camera:
    """The camera that shows a rectangle (x, y, width, height) centred and whole."""
    x, y, wide, high = rect
    room = max(width - 2 * MARGIN_PX, 1.0), max(height - 2 * MARGIN_PX, 1.0)
    scale = min(room[0] / max(wide, 1.0), room[1] / max(high, 1.0), most)
    return Camera(x + wide / 2 - width / scale / 2, y + high / 2 - height / scale / 2, scale)


def first_camera(
    scene_width: float, scene_height: float, is_down: bool, width: float, height: float
) -> Camera:
    """The camera for a new picture: all of it if that can be read, else its beginning."""
    whole = fit_rect((0.0, 0.0, scene_width, scene_height), width, height)
    if whole.scale >= 0.6:
        return whole
    across = (width / scene_width) if is_down else (height / scene_height)
    scale = min(1.0, max(across * 0.96, 0.6))
    if is_down:
        x = scene_width / 2 - width / scale / 2 if scene_width * scale < width else -MARGIN_PX
        return Camera(x, -MARGIN_PX / scale, scale)
    y = scene_height / 2 - height / scale / 2 if scene_height * scale < height else -MARGIN_PX
    return Camera(-MARGIN_PX / scale, y, scale)
