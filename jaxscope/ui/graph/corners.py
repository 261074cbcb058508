"""Which corner of a graph has room for something that lies over it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jaxscope.analysis.layout.scene import HEADER_PX, Scene
from jaxscope.ui.graph.camera import Camera
from jaxscope.ui.graph.grid import Floats

Corner = tuple[bool, bool]
"""Whether it is at the right, and whether at the bottom."""

CORNER_PX = 12
"""How far from the borders."""

FREE_CORNERS: Sequence[Corner] = ((False, True), (False, False), (True, False))
"""All but the lower right one, where the overview is; in the order in which they are liked."""


def place_in_corner(
    corner: Corner, size: tuple[int, int], area: tuple[int, int]
) -> tuple[int, int]:
    """The upper left point of a thing of a size in a corner of an area, in pixels."""
    is_right, is_bottom = corner
    return (
        area[0] - CORNER_PX - size[0] if is_right else CORNER_PX,
        area[1] - CORNER_PX - size[1] if is_bottom else CORNER_PX,
    )


def find_corner(
    scene: Scene, camera: Camera, size: tuple[int, int], area: tuple[int, int]
) -> tuple[Corner, int]:
    """The corner where a thing of a size covers least, and how many boxes it covers there."""
    covered = {
        corner: count_covered(scene, camera, (*place_in_corner(corner, size, area), *size))
        for corner in FREE_CORNERS
    }
    corner = min(FREE_CORNERS, key=covered.__getitem__)
    return corner, covered[corner]


def count_covered(scene: Scene, camera: Camera, rect: tuple[float, float, float, float]) -> int:
    """How many boxes, frames and connectors a rectangle (x, y, width, height) covers.

    A frame is as large as what is in it: it is covered if its header or its border is.
    """
    x0, y0 = camera.to_scene(rect[0], rect[1])
    x1, y1 = camera.to_scene(rect[0] + rect[2], rect[1] + rect[3])
    frames = scene.items.rect[: scene.items.num_frames]
    boxes = scene.items.rect[scene.items.num_frames :]
    is_inside = (
        (frames[:, 0] < x0)
        & (frames[:, 0] + frames[:, 2] > x1)
        & (frames[:, 1] + HEADER_PX < y0)
        & (frames[:, 1] + frames[:, 3] > y1)
    )
    return sum(
        _count(each, x0, y0, x1, y1) for each in (frames[~is_inside], boxes, scene.connectors.rect)
    )


def _count(rects: Floats, x0: float, y0: float, x1: float, y1: float) -> int:
    touches = (
        (rects[:, 0] < x1)
        & (rects[:, 0] + rects[:, 2] > x0)
        & (rects[:, 1] < y1)
        & (rects[:, 1] + rects[:, 3] > y0)
    )
    return int(np.count_nonzero(touches))
