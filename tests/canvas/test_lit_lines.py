"""Lines that are lit up pass behind boxes, connectors, titles and labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jaxscope.model import NONE, Graph
from jaxscope.picture.layout.text_width import measure_text
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.edge_details import NO_WAY, LongEdge, Way
from jaxscope.picture.scene.scene import TITLE_PX, Scene
from jaxscope.picture.scene.value_ways import find_way
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.operations import Style
from jaxscope.ui.canvas import scene_index
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.canvas.navigation import Camera
from jaxscope.ui.canvas.overlay import no_highlight, paint_long_edges, paint_overlay
from jaxscope.ui.canvas.scene_index import SceneIndex
from jaxscope.ui.canvas.scene_painter import Box, SceneDrawing, colors
from view.programs import trace

_OUTLINE_PX = 6


def alpha_of(drawing: SceneDrawing, item: int, scale: float, way: Way | None = None) -> np.ndarray:
    """How much of each pixel the lit lines of an item take, by row and column."""
    way = find_way(drawing.scene, item) if way is None else way
    width = int(drawing.scene.width * scale) + 1
    height = int(drawing.scene.height * scale) + 1
    image = QImage(width, height, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    highlight = dataclasses.replace(no_highlight(), hovered=item, hovered_way=way)
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


def chosen_in_a_group(is_down: bool, x: jax.Array, y: jax.Array) -> jax.Array:
    """Two values enter a `cond` in a group, and each arm reads one of them."""

    @jax.jit
    def outer(is_down: bool, x: jax.Array, y: jax.Array) -> jax.Array:
        x, (big, places) = jnp.sin(x), jax.lax.top_k(y, 3)
        arms = (lambda x, _: jnp.cos(x) * 2.0, lambda _, big: jnp.tanh(big) + 1.0)
        return jax.lax.cond(is_down, *arms, x, big) * places

    return outer(is_down, x, y) * y


@pytest.fixture
def closed_cond(qtbot: QtBot) -> GraphCanvas:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(900, 900)
    canvas.show()
    qtbot.waitExposed(canvas)
    canvas.set_graph(trace(chosen_in_a_group, True, jnp.ones(3), jnp.ones(3)), "outer")
    view = canvas.view
    assert view is not None
    canvas.set_expanded(frozenset(box.id for box in view.boxes if box.label == "outer"))
    qtbot.waitUntil(lambda: len(canvas.expanded) == 1 and not canvas.is_busy)
    return canvas


def name_ends(scene: Scene, lines: Iterable[int]) -> set[tuple[str, str]]:
    """The boxes at the ends of some lines, by the first words of their titles."""
    titles = [title.split(" ")[0] for title in scene.items.titles]
    ends = zip(scene.lines.source.tolist(), scene.lines.target.tolist(), strict=True)
    named = [(titles[source], titles[target]) for source, target in ends]
    return {named[line] for line in lines}


def place_of(canvas: GraphCanvas, source: str, target: str) -> QPointF:
    """On the screen, near the end of a line."""
    scene = canvas.scene
    assert scene is not None
    line = next(n for n in range(len(scene.lines)) if name_ends(scene, (n,)) == {(source, target)})
    begin, end = scene.lines.corners(line)[-2:]
    return QPointF(*canvas.camera.to_widget(*(begin * 0.3 + end * 0.7).tolist()))


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("sin", "cond", {("sin", "cond")}),
        ("outer", "sin", {("b", "outer"), ("outer", "sin")}),
        # Each result of one operation has lines of its own.
        ("top_k", "cond", {("top_k", "cond")}),
        ("b", "outer", {("b", "outer"), ("outer", "sin")}),
    ],
)
def test_a_line_lights_those_that_carry_its_value_and_not_all_of_the_group_around(
    qtbot: QtBot,
    closed_cond: GraphCanvas,
    source: str,
    target: str,
    expected: set[tuple[str, str]],
) -> None:
    scene, place = closed_cond.scene, place_of(closed_cond, source, target)
    assert scene is not None
    qtbot.mouseMove(closed_cond, place.toPoint())
    lit = closed_cond.highlight.hovered_way
    assert name_ends(scene, lit.out) == expected
    assert len(lit.out) == len(expected) and not len(lit.into)
    around = closed_cond.item_at(place)
    closed_cond.click(place)
    current = closed_cond.highlight.current
    assert current == around
    chosen = closed_cond.highlight.current_way
    assert chosen.out.tolist() == lit.out.tolist(), "where no group is around, too"
    boxes = [closed_cond.camera.to_widget(*rect[:2]) for rect in scene.items.rect.tolist()]
    qtbot.mouseMove(closed_cond, QPointF(boxes[-1][0] + 4, boxes[-1][1] + 4).toPoint())
    assert name_ends(scene, closed_cond.highlight.hovered_way.out) == {
        ("mul", "outer"),
        ("outer", "mul"),
    }
    closed_cond.choose(0)
    begins = np.flatnonzero(scene.lines.source == 0).tolist()
    (inside,) = set(closed_cond.highlight.current_way.out.tolist()) - {*begins}
    assert name_ends(scene, [inside]) == {("mul", "outer")}, "what it gives begins there"
    assert {*begins} < {*closed_cond.highlight.current_way.out.tolist()}


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("tanh", {("top_k", "cond")}),
        ("output", {("cond", "mul")}),
        ("cos", {("sin", "cond")}),
        (
            "cond",
            {(each, "cond") for each in ("convert_element_type", "sin", "top_k")}
            | {("cond", "mul")},
        ),
    ],
)
def test_what_is_inside_of_a_closed_group_lights_the_lines_that_it_reads_and_gives(
    closed_cond: GraphCanvas, operation: str, expected: set[tuple[str, str]] | None
) -> None:
    scene, view = closed_cond.scene, closed_cond.view
    assert scene is not None and view is not None
    nodes = [n for n in range(len(view.graph.nodes)) if view.graph.operation(n) == operation]
    closed_cond.select_node(nodes[0], reveal=False)
    current, lit = closed_cond.highlight.current, closed_cond.highlight.current_way
    assert scene.items.titles[current].startswith("cond")
    assert name_ends(scene, [*lit.into, *lit.out]) == expected


@pytest.mark.parametrize(
    ("operation", "into", "out"),
    [
        ("top_k", {("c", "outer"), ("outer", "top_k")},
         {("top_k", "cond"), ("top_k", "convert_element_type")}),
        ("sin", {("b", "outer"), ("outer", "sin")}, {("sin", "cond")}),
    ],
)  # fmt: skip
def test_a_selected_box_lights_its_values_through_the_borders_of_groups(
    closed_cond: GraphCanvas,
    operation: str,
    into: set[tuple[str, str]],
    out: set[tuple[str, str]],
) -> None:
    scene, view = closed_cond.scene, closed_cond.view
    assert scene is not None and view is not None
    nodes = [n for n in range(len(view.graph.nodes)) if view.graph.operation(n) == operation]
    closed_cond.select_node(nodes[0], reveal=False)
    way = closed_cond.highlight.current_way
    assert (name_ends(scene, way.into), name_ends(scene, way.out)) == (into, out)


def test_only_the_lines_that_are_meant_are_painted(closed_cond: GraphCanvas) -> None:
    drawing = closed_cond._drawing
    assert drawing is not None
    lines = drawing.scene.lines

    def lit_by(way: Way | None, item: int) -> list[int]:
        alpha = alpha_of(drawing, item, 1.0, way)
        middles = [
            (lines.corners(line)[-2:].T @ [0.3, 0.7]).astype(int) for line in range(len(lines))
        ]
        return [n for n, (x, y) in enumerate(middles) if alpha[y - 3 : y + 4, x - 3 : x + 4].any()]

    (outer,) = range(drawing.scene.items.num_frames)
    entries = [n for n in range(len(lines)) if outer in (lines.source[n], lines.target[n])]
    assert set(entries) <= set(lit_by(None, outer))
    alone = NO_WAY._replace(out=np.array(entries[:1]))
    assert lit_by(alone, outer) == lit_by(alone, NONE) == [entries[0]]
    assert lit_by(None, NONE) == lit_by(NO_WAY, outer) == []


def test_the_lines_of_each_selected_box_are_lit(canvas: GraphCanvas) -> None:
    """As of the arguments while a program is presented: they are selected together."""
    canvas.set_graph(trace(lambda x, y, z: (x * y) + z, jnp.ones(3), jnp.ones(3), jnp.ones(3)))
    scene = canvas.scene
    assert scene is not None
    inputs = [n for n in range(len(scene.items)) if scene.items.style[n] == Style.INPUT]
    nodes = [int(scene.items.node[item]) for item in inputs]
    assert len(nodes) == 3
    canvas.set_highlight(nodes, [], [])
    canvas.select_node(nodes[1], reveal=False)
    way = canvas.highlight.current_way
    assert sorted(scene.lines.source[way.out].tolist()) == sorted(inputs)
    canvas.set_highlight(nodes[:1], [], [])
    canvas.select_node(nodes[0], reveal=False)
    assert scene.lines.source[canvas.highlight.current_way.out].tolist() == inputs[:1]
