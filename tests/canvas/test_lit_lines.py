"""Lines that are lit up pass behind boxes, connectors, titles and labels."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from jaxscope.model import NONE, Graph
from jaxscope.picture.layout.text_width import measure_text
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.edge_details import LongEdge
from jaxscope.picture.scene.scene import TITLE_PX, Scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.operations import Style
from jaxscope.ui.canvas import scene_index
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.canvas.navigation import Camera
from jaxscope.ui.canvas.overlay import no_highlight, paint_long_edges, paint_overlay
from jaxscope.ui.canvas.scene_index import SceneIndex
from jaxscope.ui.canvas.scene_painter import Box, SceneDrawing, colors

_OUTLINE_PX = 6


def alpha_of(drawing: SceneDrawing, item: int, scale: float) -> np.ndarray:
    """How much of each pixel the lit lines of an item take, by row and column."""
    width = int(drawing.scene.width * scale) + 1
    height = int(drawing.scene.height * scale) + 1
    image = QImage(width, height, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    highlight = dataclasses.replace(no_highlight(), hovered=item)
    paint_overlay(painter, drawing, highlight, Camera(0.0, 0.0, scale), width, height)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint8).reshape(height, width, 4)[..., 3].copy()


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_an_outline_follows_the_corners_of_its_box(drawing: SceneDrawing, scale: float) -> None:
    """Of an argument, which is round."""
    items = drawing.scene.items
    (item, *_) = np.flatnonzero(items.style == Style.INPUT).tolist()
    alpha = alpha_of(drawing, item, scale)
    x, y, width, _ = (items.rect[item] * scale).tolist()
    corner = int(scale)
    left, top = max(int(x) - 3, 0), max(int(y) - 3, 0)
    assert not alpha[top : int(y) + corner, left : int(x) + corner].any(), "no square corner"
    assert alpha[top : int(y) + 2, int(x + width / 3)].any(), "the line above it"


@pytest.fixture(scope="module")
def drawing(gradient: Graph, qapp: QApplication) -> SceneDrawing:
    assert qapp  # fonts need it
    scene: Scene = build_scene(build_view(gradient))
    return SceneDrawing(SceneIndex(scene), colors("light"))


def test_a_few_lines_are_found_as_all_are(
    drawing: SceneDrawing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of some, what is in sight is found line by line, or among all that is."""
    index, scene = drawing.index, drawing.scene
    some = np.arange(0, len(scene.lines), 3)
    boxes = [(x, y, x + 400.0, y + 300.0) for x in (0.0, 150.0) for y in (0.0, 900.0)]
    few = [(index.lines_in(b, some).tolist(), index.segments_in(b, some).tolist()) for b in boxes]
    monkeypatch.setattr(scene_index, "_FEW_LINES", 0)
    many = [(index.lines_in(b, some).tolist(), index.segments_in(b, some).tolist()) for b in boxes]
    assert few == many and any(lines and pieces for lines, pieces in few)


@pytest.mark.parametrize("scale", [1.0, 0.45, 0.3])
def test_no_lit_line_runs_over_words(drawing: SceneDrawing, scale: float) -> None:
    scene = drawing.scene
    lit = 0
    words = drawing.list_words((0.0, 0.0, scene.width, scene.height), scale, most=2000)
    ends = np.unique(scene.connectors.item)
    for item in ends[ends >= scene.items.num_frames][:8].tolist():
        alpha = alpha_of(drawing, item, scale)
        lit += int((alpha > 0).sum())
        for x, y, width, height in words:
            # The outlines of the boxes that the lines lead to are meant to be there.
            left, top = int(x * scale) + _OUTLINE_PX, int(y * scale) + _OUTLINE_PX
            right = int((x + width) * scale) - _OUTLINE_PX
            bottom = int((y + height) * scale) - _OUTLINE_PX
            assert not alpha[top:bottom, max(left, 0) : max(right, 0)].any()
    assert lit
    assert len(words) > len(scene.connectors)


def test_a_frame_in_which_nothing_is_lit_looks_for_no_words(
    drawing: SceneDrawing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 60,000 boxes in sight that took a fifth of a second of each frame."""
    asked: list[float] = []
    find = SceneDrawing.list_words

    def count(drawing: SceneDrawing, box: Box, scale: float, most: int) -> list[Box]:
        asked.append(scale)
        return find(drawing, box, scale, most)

    monkeypatch.setattr(SceneDrawing, "list_words", count)
    alpha_of(drawing, NONE, 1.0)
    assert not asked
    alpha_of(drawing, drawing.scene.items.num_frames, 1.0)
    assert asked == [1.0]
    whole, num = (0.0, 0.0, drawing.scene.width, drawing.scene.height), len(drawing.scene.items)
    assert find(drawing, whole, 1.0, num - 1) == [] != find(drawing, whole, 1.0, num)


def test_only_what_is_selected_has_a_frame(drawing: SceneDrawing) -> None:
    """Not the boxes that the lines of its connectors lead to."""
    items = drawing.scene.items
    first, last = (int(at) for at in np.flatnonzero(items.style == Style.INPUT)[[0, -1]])
    beyond = drawing.scene.height + 20.0
    edge = LongEdge(first, last, (0.0, beyond), (40.0, beyond), 1, 1)
    image = QImage(int(drawing.scene.width), int(beyond) + 60, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    paint_long_edges(painter, drawing, [edge], 1.0, (0.0, 0.0, 4000.0, 4000.0))
    painter.end()
    alpha = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)[..., 3]
    assert alpha[int(beyond) :].any(), "the line"
    assert not alpha[: int(drawing.scene.height)].any()


@pytest.mark.parametrize("scale", [1.0, 1.4, 0.8])
def test_a_line_on_the_border_of_two_parts_is_painted_by_both(
    drawing: SceneDrawing, scale: float
) -> None:
    lines = drawing.scene.lines
    straight = [corners for n in range(len(lines)) if len(corners := lines.corners(n)) == 2
                and corners[0][0] == corners[1][0]]  # fmt: skip
    (x, y0), (_, y1) = max(straight, key=lambda corners: abs(corners[1][1] - corners[0][1]))
    top, bottom = sorted((round(y0 * scale), round(y1 * scale)))
    width, cut = int(drawing.scene.width * scale), round(x * scale)

    def paint(left: int, right: int) -> np.ndarray:
        image = QImage(right - left, bottom - top, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        drawing.paint(painter, left / scale, top / scale, right - left, bottom - top, scale)
        painter.end()
        pixels = np.frombuffer(image.constBits(), np.uint8)
        return pixels.reshape(bottom - top, right - left, 4)[..., :3].astype(int)

    whole = paint(0, width)[:, cut - 3 : cut + 3]
    assert whole.min() < 180, "the line"
    for at in range(cut - 2, cut + 3):
        parts = np.concatenate([paint(0, at), paint(at, width)], axis=1)[:, cut - 3 : cut + 3]
        assert np.abs(parts - whole).max() < 40, at


@pytest.mark.parametrize("scale", [0.6, 0.7, 0.8])
def test_titles_of_small_boxes_are_as_large_as_those_of_groups_where_they_fit(
    drawing: SceneDrawing, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[tuple[str, float, float]] = []

    def record(
        _self: SceneDrawing, _painter: QPainter, text: str, font: int, _x: float, _y: float,
        width: float, least_px: float = 8.0,
    ) -> None:  # fmt: skip
        if font == 0:
            painted.append((text, width * scale, max(least_px, TITLE_PX * scale)))

    monkeypatch.setattr(SceneDrawing, "_paint_centred", record)
    image = QImage(10, 10, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    width, height = drawing.scene.width * scale, drawing.scene.height * scale
    drawing.paint(painter, 0.0, 0.0, width, height, scale)
    painter.end()
    assert len(painted) > 5
    for text, room, size_px in painted:
        assert 8.0 <= size_px <= max(11.0, TITLE_PX * scale)
        if size_px > max(8.0, TITLE_PX * scale):
            assert measure_text(text, size_px, True) <= room - 3, text
        elif size_px < 11.0:
            assert measure_text(text, size_px + 0.1, True) > room - 5, "it could be larger"


def test_the_triangle_of_a_small_closed_group_is_painted_wherever_a_part_ends(
    canvas: GraphCanvas,
) -> None:
    """Parts are painted each for itself, and put together."""
    canvas.collapse_all()
    scene, scale = canvas.scene, 0.7
    assert scene is not None
    drawing = SceneDrawing(SceneIndex(scene), colors("light"))
    item = int(np.flatnonzero(scene.items.is_group)[0])
    x, y, wide, high = (scene.items.rect[item] * scale).round().tolist()

    def paint(left: float, width: int) -> QImage:
        image = QImage(width, int(high), QImage.Format.Format_RGB32)
        painter = QPainter(image)
        drawing.paint(painter, left / scale, y / scale, width, high, scale)
        painter.end()
        return image

    whole = paint(x, int(wide))
    for end in range(4, int(wide) - 4):
        part = paint(x, end)
        rows = range(3, int(high) - 3)
        assert all(
            part.pixelColor(column, row) == whole.pixelColor(column, row)
            for column in range(2, min(end - 1, 12))
            for row in rows
        ), end
