"""Arrows into the selected box say which operand they carry, where there is room for it."""

from __future__ import annotations

import dataclasses
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.view import View
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.canvas.navigation import Camera
from jaxscope.ui.canvas.operand_names import find_operand_names, place_operand_names
from jaxscope.ui.canvas.overlay import no_highlight, paint_overlay
from jaxscope.ui.canvas.scene_index import SceneIndex
from jaxscope.ui.canvas.scene_painter import Box, SceneDrawing, colors
from view.programs import lower, trace

pytestmark = pytest.mark.usefixtures("qapp")  # fonts need it

ARGUMENTS = (jnp.ones(3) > 0, jnp.ones(3), jnp.ones(3), jnp.int32(1))


def program(p: jax.Array, a: jax.Array, b: jax.Array, i: jax.Array) -> tuple[jax.Array, ...]:
    @jax.jit
    def inner(a: jax.Array, b: jax.Array) -> jax.Array:
        return jnp.tanh(b) - a

    chosen = jax.lax.select_n(p, inner(a, b), jnp.cos(a))
    moved = jax.lax.dynamic_update_slice(chosen, jnp.exp(b), (i,))
    return jax.lax.atan2(jnp.sin(moved), moved) + b, jax.lax.rem(a, a), 2.0 - jnp.sign(a)


def draw(view: View, direction: str = "down") -> SceneDrawing:
    scene = build_scene(view, view.all_groups(), direction=direction)
    return SceneDrawing(SceneIndex(scene), colors("light"))


def name_lines(view: View, drawing: SceneDrawing, operation: str) -> set[tuple[str, str]]:
    """Of the lines into a box: the operation or argument where each begins, and its name."""
    scene, graph = drawing.scene, view.graph
    node = next(n for n in range(len(graph.nodes)) if graph.operation(n) == operation)
    names = find_operand_names(view, scene, int(scene.item_of_node[node]))
    found = set()
    for line, name in names.items():
        source = int(scene.lines.values[line][0])
        is_input = graph.operation(source) == "input"
        found.add((graph.name(source) if is_input else graph.operation(source), name))
    return found


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("sub", {("tanh", "1"), ("b", "2")}),  # through the border of `inner`
        ("select_n", {("a", "which"), ("sub", "2"), ("cos", "3")}),
        (
            "dynamic_update_slice",
            {("select_n", "1"), ("exp", "2"), ("select_n", "starts[0]")},
        ),
        ("atan2", {("sin", "1"), ("dynamic_update_slice", "2")}),
        ("rem", {("b", "1, 2")}),
        ("add", set()),
        ("tanh", set()),
    ],
)
def test_a_line_has_the_name_that_the_formula_has(
    operation: str, expected: set[tuple[str, str]]
) -> None:
    """`a`, `b`, `c`, `d` are the arguments, as JAX prints them."""
    view = build_view(trace(program, *ARGUMENTS))
    assert name_lines(view, draw(view), operation) == expected


def test_the_one_operand_that_is_no_number_has_its_name() -> None:
    """`2 - x` and `x - 2` are drawn alike."""
    for function, name in ((lambda x: 2.0 - jnp.sin(x), "2"), (lambda x: jnp.sin(x) - 2.0, "1")):
        view = build_view(trace(function, jnp.ones(3)))
        assert name_lines(view, draw(view), "sub") == {("sin", name)}


def test_operations_of_stablehlo_have_the_names_of_opcodes() -> None:
    view = build_view(lower(program, *ARGUMENTS))
    named = dict(name_lines(view, draw(view), "stablehlo.subtract"))
    assert named.pop("stablehlo.tanh") == "1" and [*named.values()] == ["2"]


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("scale", [0.6, 1.0, 1.7])
def test_names_stand_at_their_lines_and_cover_nothing(direction: str, scale: float) -> None:
    view = build_view(trace(program, *ARGUMENTS))
    drawing = draw(view, direction)
    scene, lines = drawing.scene, drawing.scene.lines
    words = drawing.list_words((0.0, 0.0, scene.width, scene.height), scale, 1000)
    told = 0
    for item in range(scene.items.num_frames, len(scene.items)):
        names = find_operand_names(view, scene, item)
        placed = place_operand_names(drawing, names, scale)
        told += len(placed)
        for line, place in placed.items():
            ways = {n: sample(drawing, n) for n in range(len(lines))}
            end = lines.corners(line)[-1]
            assert not any(touches(place, word) for word in words)
            assert not any(touches(place, placed[n]) for n in placed if n != line)
            assert not any(is_under(place, ways[n]) for n in ways if n != line)
            middle = [place[0] + place[2] / 2, place[1] + place[3] / 2]
            assert np.abs(end - middle).sum() < 130, "near its box"
            away = np.abs(ways[line] - middle) - np.array(place[2:]) / 2
            assert away.max(axis=1).min() < 7, "right at its line"
    assert told >= 6


def touches(one: Box, other: Box) -> bool:
    return all(one[at] < other[at] + other[at + 2] and other[at] < one[at] + one[at + 2]
               for at in (0, 1))  # fmt: skip


def is_under(place: Box, way: np.ndarray) -> bool:
    low, size = np.array(place[:2]), np.array(place[2:])
    return bool(((way > low) & (way < low + size)).all(axis=1).any())


def sample(drawing: SceneDrawing, line: int) -> np.ndarray:
    """Places on a line as it is drawn, half a pixel apart."""
    found, down = [], drawing.scene.direction == "down"
    for begin, end in itertools.pairwise(drawing.scene.lines.corners(line)):
        share = np.linspace(0.0, 1.0, int(np.abs(end - begin).sum() * 2) + 2)[:, None]
        middle = (begin + end) / 2
        one, other = np.array([begin, end])
        if (begin != end).all():
            one = np.array([begin[0], middle[1]] if down else [middle[0], begin[1]])
            other = np.array([end[0], middle[1]] if down else [middle[0], end[1]])
        rest = 1 - share
        found.append(rest**3 * begin + 3 * rest**2 * share * one
                     + 3 * rest * share**2 * other + share**3 * end)  # fmt: skip
    return np.concatenate(found)


def loss(params: dict[str, jax.Array], x: jax.Array, y: jax.Array) -> jax.Array:
    @jax.jit
    def predict(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
        return jnp.tanh(x @ params["hidden"]) @ params["output"]

    return ((predict(params, x) - y) ** 2).mean()


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_arrows_that_arrive_close_together_have_names_and_none_could_be_of_another(
    scale: float,
) -> None:
    params = {"hidden": jnp.ones((16, 32)), "output": jnp.ones((32, 1))}
    view = build_view(trace(jax.grad(loss), params, jnp.ones((64, 16)), jnp.ones((64, 1))))
    drawing = draw(view)
    scene, told = drawing.scene, 0
    ways = {n: sample(drawing, n) for n in range(len(scene.lines))}
    for item in range(scene.items.num_frames, len(scene.items)):
        names = find_operand_names(view, scene, item)
        placed = place_operand_names(drawing, names, scale)
        assert placed.keys() == names.keys()
        told += len(placed)
        for line, place in placed.items():
            away = {n: distance(place, ways[n]) for n in names}
            assert away[line] == min(away.values())
    assert told >= 12


def distance(place: Box, way: np.ndarray) -> float:
    """From a rectangle to the nearest place on a line, in pixels."""
    low, high = np.array(place[:2]), np.array(place[:2]) + place[2:]
    return float(np.hypot(*(way - np.clip(way, low, high)).T).min())


def test_a_name_without_room_is_left_out() -> None:
    view = build_view(trace(program, *ARGUMENTS))
    drawing = draw(view)
    node = next(n for n in range(len(view.graph.nodes)) if view.graph.operation(n) == "sub")
    names = find_operand_names(view, drawing.scene, int(drawing.scene.item_of_node[node]))
    assert len(place_operand_names(drawing, names, 1.0)) == 2
    assert not place_operand_names(drawing, dict.fromkeys(names, "a name " * 40), 1.0)


def test_names_are_painted_of_the_selected_box_alone(qtbot: QtBot) -> None:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(900, 900)
    canvas.show()
    qtbot.waitExposed(canvas)
    canvas.set_graph(trace(program, *ARGUMENTS), "program")
    qtbot.waitUntil(lambda: canvas.scene is not None)
    scene, drawing, view = canvas.scene, canvas._drawing, canvas.view
    assert scene is not None and drawing is not None and view is not None
    node = next(n for n in range(len(view.graph.nodes)) if view.graph.operation(n) == "atan2")
    canvas.select_node(node, reveal=False)
    names = canvas.highlight.operands
    assert sorted(names.values()) == ["1", "2"]

    def paint(operands: dict[int, str]) -> np.ndarray:
        image = QImage(int(scene.width), int(scene.height), QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        light = dataclasses.replace(no_highlight(), operands=operands)
        paint_overlay(painter, drawing, light, Camera(0.0, 0.0, 1.0), image.width(), image.height())
        painter.end()
        pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
        return pixels[..., 3].copy()

    alpha = paint({**names})
    for x, y, wide, high in place_operand_names(drawing, names, 1.0).values():
        plate = alpha[int(y) : int(y + high) + 2, int(x) : int(x + wide) + 2]
        assert plate.any()
        plate[:] = 0
    assert not alpha.any() and not paint({}).any()
    canvas.select_node(-1)
    assert not canvas.highlight.operands
