"""Where the boxes of nodes are on the screen, for ribbons between panes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.layout.scene import Scene
from jaxscope.ui.graph.camera import Camera

Int32s = npt.NDArray[np.int32]
Places = npt.NDArray[np.float64]

_TITLE_PX = 28.0


def find_places_down(scene: Scene, camera: Camera, nodes: Int32s) -> Places:
    """Top and bottom of boxes in pixels from the widget's top; an open group is where its title is.

    Those of nodes that are not drawn are NaN.
    """
    places, known, items = _find_items(scene, nodes)
    rects = scene.items.rect[items]
    tops = (rects[:, 1] - camera.y) * camera.scale
    heights = np.where(items < scene.items.num_frames, _TITLE_PX, rects[:, 3])
    bottoms = tops + np.minimum(heights, rects[:, 3]) * camera.scale
    places[known] = np.column_stack([tops, bottoms])
    return places


def find_places_across(scene: Scene, camera: Camera, nodes: Int32s) -> Places:
    """Left and right of boxes in pixels from the widget's left; NaN where they are not drawn."""
    places, known, items = _find_items(scene, nodes)
    rects = scene.items.rect[items]
    lefts = (rects[:, 0] - camera.x) * camera.scale
    places[known] = np.column_stack([lefts, lefts + rects[:, 2] * camera.scale])
    return places


def _find_items(scene: Scene, nodes: Int32s) -> tuple[Places, Int32s, Int32s]:
    """Unknown places for all nodes, the positions of those that are drawn, and their items."""
    known = np.flatnonzero((nodes >= 0) & (nodes < len(scene.item_of_node)))
    items = scene.item_of_node[nodes[known]]
    places = np.full((len(nodes), 2), np.nan)
    return places, known[items >= 0].astype(np.int32), items[items >= 0]
