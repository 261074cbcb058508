"""One nested program with several owners: every owner leads to where it is drawn."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest
from pytestqt.qtbot import QtBot

from jaxscope.model import NONE, Cost, Graph, Stage, Unavailable
from jaxscope.program.dataflow import find_shown_groups, first_node_inside
from jaxscope.program.links import LinkIndex, NodeSelection
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.selection.inspector import describe_node
from view.programs import trace


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
    assert shown.node.tolist() == [second] and shown.of(first) == []
    (group,) = shown.of(second)
    assert graph.groups.owner[group] == first
    inside = first_node_inside(graph, group)
    assert graph.nodes.group[inside] == group
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
    inside = first_node_inside(graph, find_shown_groups(graph).of(second)[0])
    assert told == [inside]
    assert canvas.scene is not None
    assert canvas.scene.items.node[canvas.scene.item_of_node[inside]] == inside, "it is drawn"


def test_the_legend_explains_the_mark_of_a_later_owner_where_there_is_one(
    qtbot: QtBot, graph: Graph
) -> None:
    for each, is_told in ((graph, True), (trace(lambda x: wave(x) + 1.0, jnp.ones(3)), False)):
        canvas = GraphCanvas()
        qtbot.addWidget(canvas)
        canvas.resize(500, 400)
        canvas.set_graph(each, "jaxpr")
        qtbot.waitUntil(lambda canvas=canvas: canvas.scene is not None and not canvas.is_busy)
        assert ("↗: inside drawn at another box" in canvas.legend.names) == is_told


def test_a_later_owner_is_marked(graph: Graph) -> None:
    from jaxscope.picture.view.build import build_view
    from jaxscope.picture.view.labels import text_of

    view = build_view(graph)
    second = owners(graph)[1]
    assert text_of(view, view.boxes[int(view.box_of_node[second])]).title == "wave ↗"


def rise(x: jax.Array) -> jax.Array:
    return jnp.sin(x)


def fall(x: jax.Array) -> jax.Array:
    return jnp.cos(x)


def stay(x: jax.Array) -> jax.Array:
    return jnp.tanh(x)


@pytest.fixture(scope="module")
def branches() -> Graph:
    """Two branches with the same arms, and one with an arm of its own besides."""

    def program(i: int, x: jax.Array) -> jax.Array:
        x = jax.lax.switch(i, (rise, fall), x)
        x = jax.lax.switch(i, (rise, fall), x)
        return jax.lax.switch(i, (rise, stay, fall), x)

    return trace(program, 0, jnp.ones(3))


def test_a_later_branch_lights_up_all_arms_that_it_shares(branches: Graph) -> None:
    index = LinkIndex([Stage("jaxpr", "jaxpr", Unavailable("None."), branches, Cost(), 0.0)])
    named = {
        name: {n for n in range(len(branches.nodes)) if branches.node(n).operation == name}
        for name in ("sin", "cos", "tanh", "cond")
    }
    assert len(named["sin"]) == len(named["cos"]) == 1, "each arm is drawn once"
    for number, branch in enumerate(sorted(named["cond"])):
        linked = index.find_links(NodeSelection("jaxpr", (branch,))).stages["jaxpr"]
        lit = {*linked.forward.tolist(), *linked.selected.tolist()}
        assert named["sin"] | named["cos"] <= lit
        assert (named["tanh"] <= lit) is (number == 2)


def test_a_later_branch_says_where_each_shared_arm_is_drawn(branches: Graph) -> None:
    stage = Stage("jaxpr", "jaxpr", Unavailable("None."), branches, Cost(), 0.0)
    index = LinkIndex([stage])
    nodes = [n for n in range(len(branches.nodes)) if branches.node(n).operation == "cond"]
    first, second, third = sorted(nodes)
    told = {
        node: describe_node(stage, node, index.find_links(NodeSelection("jaxpr", (node,))), "grey")
        for node in nodes
    }
    link = f"<a href='node:jaxpr:{first}'>"
    drawn = {node: text.partition(">used in<")[0] for node, text in told.items()}
    assert [len(drawn[node]) < len(told[node]) for node in nodes] == [True] * 3
    assert [drawn[node].count(f" at {link}") for node in (first, second, third)] == [0, 2, 2]
