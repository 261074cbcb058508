"""What a line says where the pointer rests: the boxes that make and read its values."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import pytest
from pytestqt.qtbot import QtBot

from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from view.programs import trace


def program(x: jax.Array, y: jax.Array) -> jax.Array:
    @jax.jit
    def outer(x: jax.Array, y: jax.Array) -> jax.Array:
        @jax.jit
        def inner(x: jax.Array) -> jax.Array:
            return jnp.cos(jnp.sin(x))

        return jnp.tanh(inner(x)) - y

    return jnp.exp(outer(x, y)) * y


@pytest.fixture
def canvas(qtbot: QtBot) -> GraphCanvas:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(900, 900)
    canvas.show()
    qtbot.waitExposed(canvas)
    canvas.set_graph(trace(program, jnp.ones(3), jnp.ones(3)), "program")
    return canvas


def texts(canvas: GraphCanvas) -> dict[tuple[str, str], str]:
    """By the ends of each line what it says, without its type."""
    scene = canvas.scene
    assert scene is not None
    titles, lines = [t.split(" ")[0] for t in scene.items.titles], scene.lines
    return {
        (titles[lines.source[line]], titles[lines.target[line]]): re.sub(
            "<b>.*</b><br>", "", canvas.describe_line(line)
        )
        for line in range(len(lines))
    }


def open_groups(qtbot: QtBot, canvas: GraphCanvas, *labels: str) -> None:
    view = canvas.view
    assert view is not None
    canvas.set_expanded(frozenset(box.id for box in view.boxes if box.label in labels))
    qtbot.waitUntil(lambda: len(canvas.expanded) == len(labels) and not canvas.is_busy)


def test_a_line_names_the_boxes_inside_of_the_groups_at_its_ends(
    qtbot: QtBot, canvas: GraphCanvas
) -> None:
    open_groups(qtbot, canvas, "outer", "inner")
    told = texts(canvas)
    assert told["a", "outer"] == "a → sin in inner"
    assert told["outer", "inner"] == "a → sin in inner"
    assert told["inner", "sin"] == "a → sin"
    assert told["cos", "inner"] == "cos → tanh in outer"
    assert told["inner", "tanh"] == "cos in inner → tanh"
    assert told["sub", "outer"] == "sub → exp"
    assert told["outer", "exp"] == "sub in outer → exp"
    # The value is read inside the open group and outside of it: each line names its own reader.
    assert told["b", "outer"] == "b → sub in outer"
    assert told["b", "mul"] == "b → mul"


def test_what_is_in_a_closed_group_is_named_too(qtbot: QtBot, canvas: GraphCanvas) -> None:
    open_groups(qtbot, canvas, "outer")
    told = texts(canvas)
    assert told["outer", "inner"] == "a → sin in inner"
    assert told["inner", "tanh"] == "cos in inner → tanh"


def test_an_arrow_says_which_operand_it_carries(qtbot: QtBot, canvas: GraphCanvas) -> None:
    open_groups(qtbot, canvas, "outer")
    told = texts(canvas)
    assert told["tanh", "sub"] == "tanh → sub, as operand 1"
    assert told["outer", "sub"] == "b → sub, as operand 2"
    assert told["b", "mul"] == "b → mul", "they may be exchanged"
