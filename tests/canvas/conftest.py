"""A graph on a canvas, and where things are on the screen."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from jaxscope.model import Graph
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from view.programs import layers, trace


@pytest.fixture(scope="module")
def gradient() -> Graph:
    function, arguments = layers(6)
    return trace(jax.grad(function), *arguments)


@pytest.fixture
def canvas(qtbot: QtBot, gradient: Graph) -> GraphCanvas:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(900, 600)
    canvas.show()
    qtbot.waitExposed(canvas)
    canvas.set_graph(gradient, "grad")
    return canvas


@pytest.fixture
def equations(canvas: GraphCanvas) -> None:
    """The canvas shows equations: the first picture of so many layers has their groups alone."""
    scene = canvas.scene
    assert scene is not None
    items, forward = scene.items, scene.item_of_id["root/forward"]
    layers_of_forward = {items.ids[i] for i in np.flatnonzero(items.parent == forward)}
    canvas.set_expanded(canvas.expanded | layers_of_forward)
