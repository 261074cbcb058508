"""The label of how much of a closed group is selected covers no label of a line."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter

from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.edge_details import LABEL_HEIGHT_PX
from jaxscope.picture.view.build import build_view
from jaxscope.ui.canvas.navigation import Camera
from jaxscope.ui.canvas.overlay import no_highlight, paint_overlay
from jaxscope.ui.canvas.scene_index import SceneIndex
from jaxscope.ui.canvas.scene_painter import SceneDrawing, colors
from view.programs import trace

pytestmark = pytest.mark.usefixtures("qapp")  # fonts need it


def program(x: jax.Array) -> jax.Array:
    @jax.jit
    def first(x: jax.Array) -> jax.Array:
        return jnp.sin(x) * 2.0 + 1.0

    @jax.jit
    def second(x: jax.Array) -> jax.Array:
        return jnp.cos(x) * 3.0 + 1.0

    return second(first(x))


def paint(drawing: SceneDrawing, parts: dict[int, tuple[int, int]], size: int) -> QImage:
    image = QImage(size, size, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.magenta)
    painter = QPainter(image)
    highlight = dataclasses.replace(no_highlight(), parts=parts)
    paint_overlay(painter, drawing, highlight, Camera(0.0, 0.0, 1.0), size, size)
    painter.end()
    return image


@pytest.mark.slow
def test_a_part_of_a_group_is_told_beside_the_label_below_it() -> None:
    scene = build_scene(build_view(trace(program, jnp.ones((64, 32)))), ())
    drawing, size = SceneDrawing(SceneIndex(scene), colors("light")), 1000
    closed = [item for item in range(len(scene.items)) if scene.items.titles[item] == "first"]
    (label,) = [
        each
        for each in drawing.index.labels.of_group(-1)
        if scene.lines.source[each.line] == closed[0]
    ]

    image = paint(drawing, {closed[0]: (1, 3)}, size)

    magenta = Qt.GlobalColor.magenta
    x, y, width, height = scene.items.rect[closed[0]].tolist()
    assert x < label.x + label.width / 2 < x + width, "the label is below the group"
    painted = np.argwhere(
        [[image.pixelColor(c, r) != magenta for c in range(size)] for r in range(size)]
    )
    top, left = painted.min(axis=0)
    bottom, right = painted.max(axis=0) + 1
    assert top < y + height < bottom, "it hangs over the lower border"
    is_beside = right <= label.x or label.x + label.width <= left
    assert is_beside or bottom <= label.y or label.y + LABEL_HEIGHT_PX <= top
