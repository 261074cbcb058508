"""One nested program with several owners: every owner leads to where it is drawn."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from view.programs import trace

from jaxscope.model import NONE, Cost, Graph, Stage, Unavailable
from jaxscope.program.dataflow import find_shown_groups, first_node_inside
from jaxscope.program.links import LinkIndex, NodeSelection
from jaxscope.ui.canvas.graph_canvas import GraphCanvas


@jax.jit
def wave(x: jax.Array) -> jax.Array:
    return jnp.sin(x) * jnp.cos(x)


@pytest.fixture(scope="module")
def graph() -> Graph:
    return trace(lambda x: wave(wave(x) + 1.0), jnp.ones(3))


def owners(graph: Graph) -> list[int]:
    """Equations that call `wave`."""
    names = [graph.attributes(node).get("name") for node in range(len(graph.nodes))]
    return [node for node, name in enumerate(names) if name == "wave"]


def test_only_the_later_owner_is_shown_elsewhere(graph: Graph) -> None:
    first, second = owners(graph)
    shown = find_shown_groups(graph)
    assert shown[first] == NONE
    assert graph.groups.owner[shown[second]] == first
    assert np.count_nonzero(shown != NONE) == 1
    inside = first_node_inside(graph, int(shown[second]))
    assert graph.nodes.group[inside] == shown[second]
    assert first_node_inside(graph, NONE) == NONE


def test_both_owners_light_up_what_is_inside(graph: Graph) -> None:
    stage = Stage("jaxpr", "jaxpr", Unavailable("None."), graph, Cost(), 0.0)
    index = LinkIndex([stage])
    sines = [n for n in range(len(graph.nodes)) if graph.node(n).operation == "sin"]
    for owner in owners(graph):
        found = index.find_links(NodeSelection("jaxpr", (owner,))).stages["jaxpr"]
        assert set(sines) <= set(found.forward.tolist())


def test_opening_a_later_owner_leads_inside(qtbot: QtBot, graph: Graph) -> None:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(500, 400)
    canvas.set_graph(graph, "jaxpr")
    canvas.collapse_all()
    second = owners(graph)[1]
    canvas.select_node(second)
    told: list[int] = []
    canvas.node_selected.connect(told.append)
    qtbot.keyClick(canvas, "\r")
    inside = first_node_inside(graph, int(find_shown_groups(graph)[second]))
    assert told == [inside]
    assert canvas.scene is not None
    assert canvas.scene.items.node[canvas.scene.item_of_node[inside]] == inside, "it is drawn"


def test_a_later_owner_is_marked(graph: Graph) -> None:
    from jaxscope.picture.view.build import build_view
    from jaxscope.picture.view.labels import text_of

    view = build_view(graph)
    second = owners(graph)[1]
    assert text_of(view, view.boxes[int(view.box_of_node[second])]).title == "wave ↗"
