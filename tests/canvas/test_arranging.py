"""The first picture is a page that can be read in the pane it is in, however narrow that is."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from view.programs import compile_module, layers, trace

from jaxscope.model import Graph
from jaxscope.picture.scene.scene import NO_WIDTH_LIMIT
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.forward_backward import FORWARD_BACKWARD
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.canvas.navigation import SIDE_PX, WHOLE_SCALE, Camera, look_at_top
from jaxscope.ui.canvas.overlay import hidden_sides
from jaxscope.ui.canvas.picture import Arranger, Viewport

WIDTHS = (330, 400, 540)


def many_parameters() -> Graph:
    def program(*given: jax.Array) -> tuple[jax.Array, ...]:
        a, b, c, d, e, f, g, h, i, j = given
        return a + b * c, jnp.sin(d) @ e, f - g, h / i, j * 2.0

    return trace(program, *[jnp.ones((3, 3))] * 10)


def update() -> Graph:
    def loss(w: jax.Array, x: jax.Array) -> jax.Array:
        return (jnp.tanh(w * x) ** 2).sum()

    def train(w: jax.Array, x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
        for _ in range(3):
            w = w - 0.1 * jax.grad(loss)(w, x) + y.sum()
        return w, loss(w, x)

    x = jnp.ones(3)
    return compile_module(train, x, x, x)


def gradient() -> Graph:
    function, arguments = layers(5)
    return trace(jax.value_and_grad(function), *arguments)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("make", [many_parameters, update, gradient])
def test_a_first_picture_is_as_wide_as_its_pane(
    qtbot: QtBot, make: Callable[[], Graph], width: int
) -> None:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(width, 520)
    canvas.show()
    canvas.set_graph(make(), "program")
    scene = canvas.scene
    assert scene is not None
    assert canvas.camera.scale >= WHOLE_SCALE
    left, _ = canvas.camera.to_widget(0.0, 0.0)
    right, _ = canvas.camera.to_widget(scene.width, 0.0)
    assert left >= SIDE_PX - 1.0
    assert right <= width - SIDE_PX + 1.0


def test_the_first_picture_can_be_had_again(qtbot: QtBot) -> None:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(330, 520)
    canvas.show()
    canvas.set_graph(many_parameters(), "program")
    before = canvas.scene
    assert before is not None
    canvas.expand_all()
    canvas.reset_expanded()
    after = canvas.scene
    assert after is not None
    assert after.items.rect.tolist() == before.items.rect.tolist()


@pytest.mark.parametrize("direction", ["down", "right"])
def test_in_a_wide_room_nothing_is_wrapped(direction: str) -> None:
    view = build_view(many_parameters())
    arranger = Arranger(view, Viewport(4000.0, 4000.0), direction, {}, lambda: False)
    assert arranger.choose().fit == NO_WIDTH_LIMIT


def test_borders_tell_where_there_is_more(qtbot: QtBot) -> None:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(700, 300)
    canvas.show()
    canvas.set_graph(many_parameters(), "program")

    def hidden() -> tuple[bool, ...]:
        scene = canvas.scene
        assert scene is not None
        return hidden_sides(scene, canvas.camera, canvas.width(), canvas.height())

    canvas.fit()
    assert hidden() == (False, False, False, False)
    canvas.zoom(4.0)
    assert hidden() == (True, True, True, True)
    canvas.pan(-9_000.0, -9_000.0)
    assert hidden() == (False, False, True, True)


def test_what_is_too_wide_begins_with_whole_boxes() -> None:
    rects = np.array([[40.0 + 130 * n, 16.0, 110.0, 42.0] for n in range(12)])
    camera = look_at_top(rects, Camera(-24.0, -8.0, 0.8), 300.0)
    left, _ = camera.to_widget(40.0, 0.0)
    assert 0.0 <= left < 40.0


@pytest.mark.parametrize("width", [450, 560, 640, 800, 1000])
def test_both_parts_of_a_gradient_are_open_where_they_fit_in_any_way(
    qtbot: QtBot, width: int
) -> None:
    """Side by side where both find room, else one after the other, and neither part closed."""
    function, arguments = layers(12)
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(width, 760)
    canvas.show()
    canvas.set_graph(trace(jax.grad(function), *arguments), "program")
    scene, view = canvas.scene, canvas.view
    assert scene is not None and view is not None
    parts = {box.id for box in view.boxes if box.kind in FORWARD_BACKWARD}
    assert len(parts) == 2
    assert parts <= scene.opened
    assert canvas.camera.scale >= WHOLE_SCALE


def test_a_picture_becomes_a_little_smaller_to_show_both_parts_side_by_side() -> None:
    function, arguments = layers(2)
    view = build_view(trace(jax.grad(function), *arguments))
    scene, fit = Arranger(view, Viewport(560.0, 690.0), "down", {}, lambda: False).choose()
    parts = {box.id for box in view.boxes if box.kind in FORWARD_BACKWARD}
    assert fit.beside and len(parts) == 2
    assert parts <= scene.opened
    assert (560.0 - 2 * SIDE_PX) / scene.width >= WHOLE_SCALE
