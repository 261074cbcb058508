"""Pieces of lines are painted once where they meet or lie on each other."""

from __future__ import annotations

import dataclasses
import itertools

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.view.build import build_view
from jaxscope.ui.canvas.scene_index import SceneIndex
from jaxscope.ui.canvas.scene_painter import SceneDrawing, colors, join_straight
from view.programs import trace

PLACE = st.integers(0, 12)


def cells_of(pieces: list[list[int]]) -> set[tuple[int, int, bool]]:
    """The unit pieces that straight ones consist of: where each begins, and whether upright."""
    found = set()
    for x0, y0, x1, y1 in pieces:
        for y in range(min(y0, y1), max(y0, y1)):
            found.add((x0, y, True))
        for x in range(min(x0, x1), max(x0, x1)):
            found.add((x, y0, False))
    return found


@given(st.lists(st.tuples(st.booleans(), PLACE, PLACE, PLACE), max_size=12))
def test_the_same_is_covered_and_no_two_pieces_touch_along(
    drawn: list[tuple[bool, int, int, int]],
) -> None:
    pieces = [
        [place, begin, place, end] if is_upright else [begin, place, end, place]
        for is_upright, place, begin, end in drawn
        if begin != end
    ]
    joined = join_straight(np.array(pieces, float).reshape(-1, 4)).tolist()

    assert cells_of([[round(n) for n in piece] for piece in joined]) == cells_of(pieces)
    for upright in (True, False):
        spans = sorted(
            (x0, y0, y1) if upright else (y0, x0, x1)
            for x0, y0, x1, y1 in joined
            if (x0 == x1) == upright
        )
        for (place, _, end), (other, begin, _) in itertools.pairwise(spans):
            assert place != other or begin > end


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("scale", [0.6, 0.8, 1.0])
def test_a_line_is_as_dark_where_a_straight_piece_meets_a_curve(
    qapp: QApplication, direction: str, scale: float
) -> None:
    scene = build_scene(build_view(trace(jnp.sin, jnp.ones(3))), direction=direction)
    way = np.array([[400.3, 10.0], [400.3, 60.4], [405.3, 110.0], [405.3, 150.0]])
    points = np.concatenate([way, way])[:, :: 1 if direction == "down" else -1]
    assert len(scene.lines) == 2
    lines = dataclasses.replace(scene.lines, points=points, offsets=np.array([0, 4, 8], np.int32))
    drawing = SceneDrawing(SceneIndex(dataclasses.replace(scene, lines=lines)), colors("light"))
    image = QImage(500, 500, QImage.Format.Format_Grayscale8)
    painter = QPainter(image)
    drawing.paint(painter, 0.0, 0.0, 500.0, 500.0, scale)
    painter.end()
    grey = np.frombuffer(image.constBits(), np.uint8).reshape(500, image.bytesPerLine())[:, :500]
    ink = 255.0 - (grey if direction == "down" else grey.T)
    begin, end = round(20 * scale), round(130 * scale)
    rows = ink[begin:end, round(380 * scale) : round(420 * scale)].sum(axis=1)
    assert rows.min() > 100 and rows.max() < 1.06 * rows.min()
