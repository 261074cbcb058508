"""One count of a program, under one name, wherever it is told."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from pytestqt.qtbot import QtBot

from jaxscope.export.capture_json import format_json
from jaxscope.in_process import capture_function
from jaxscope.model import (
    NONE,
    Capture,
    Cost,
    GraphBuilder,
    NodeKind,
    Stage,
    Unavailable,
    is_available,
)
from jaxscope.notebook import make_shown
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.labels import text_of
from jaxscope.picture.view.operations import short_operation
from jaxscope.picture.view.tree import GATHERED
from jaxscope.program.dataflow import describe_shared
from jaxscope.program.links import NO_LINKS
from jaxscope.program.size import count_program, describe_count
from jaxscope.report.answers import QUESTIONS, Evidence, answer_question
from jaxscope.ui.canvas.item_text import describe_item, describe_rest
from jaxscope.ui.selection.inspector import describe_node
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import build_capture

KINDS = {"equation", "operation", "instruction"}


def program(w: jax.Array, x: jax.Array) -> jax.Array:
    def layer(carry: jax.Array, row: jax.Array) -> tuple[jax.Array, jax.Array]:
        with jax.named_scope("layer"):
            return jnp.tanh(carry @ row + 0.0), jnp.sum(carry)

    def loss(rows: jax.Array) -> jax.Array:
        out, sums = lax.scan(layer, x, rows)
        return jnp.sum(jnp.where(out > 0, out, 2.0)) + jnp.sum(sums)

    return jax.grad(loss)(w)


@pytest.fixture(scope="module")
def capture() -> Capture:
    return capture_function(program, (jnp.ones((3, 4, 4)), jnp.ones((2, 4))), {})


def numbers_of(capture: Capture) -> dict[str, int]:
    """What the contract's JSON has, counted by hand."""
    stages = json.loads(format_json(capture))["stages"]
    return {
        stage["name"]: sum(node["kind"] in KINDS for node in stage["graph"]["nodes"])
        for stage in stages
        if stage["graph"] is not None
    }


def test_every_place_tells_the_same_number(
    window: MainWindow, driver: Driver, source: Path, capture: Capture
) -> None:
    wanted = numbers_of(capture)
    driver.finish(driver.open(source), capture)
    nouns = {"stablehlo": "operations", "hlo": "instructions", "optimized": "instructions"}
    told = repr(make_shown(capture))
    cards = {card.step.name: card.step.size for card in window.strip.cards if card.step}
    for stage in capture.stages:
        if stage.name not in wanted:
            continue
        size = f"{wanted[stage.name]:,} {nouns.get(stage.name, 'equations')}"
        assert cards[stage.name].startswith(size)
        assert f"{stage.title or stage.name}: {size}\n" in f"{told}\n"
    assert "node" not in told


def test_xlas_own_text_has_as_many_instructions(capture: Capture) -> None:
    for name in ("hlo", "optimized"):
        stage = capture.stage(name)
        assert stage is not None and is_available(stage.graph) and is_available(stage.text)
        lines = re.findall(r"^\s+(?:ROOT )?%?[\w.-]+ = ", stage.text.text, re.MULTILINE)
        assert count_program(stage.graph) == len(lines)


def test_titles_of_groups_count_what_is_inside(capture: Capture) -> None:
    num_groups = 0
    for stage in capture.stages:
        if not is_available(stage.graph):
            continue
        view = build_view(stage.graph)
        assert view.boxes[0].num_counted == count_program(stage.graph), stage.name
        for number, box in enumerate(view.boxes[1:], start=1):
            if not box.children or box.kind in GATHERED:  # these hold values, no operations
                continue
            nodes = [node for node in view.nodes_inside(number) if node != box.node]
            size = describe_count(stage.graph, count_program(stage.graph, nodes))
            told = text_of(view, box).detail.partition(", ")[0]
            operation = short_operation(stage.graph.operation(box.node)) if box.node != NONE else ""
            title = re.split(r"[\W_]+", text_of(view, box).title)
            own = "" if not operation else "+ " if operation in title else f"{operation} + "
            assert told == f"{own}{size}", (stage.name, box.id)
            num_groups += 1
    assert num_groups


def test_what_is_drawn_in_a_group_adds_up_to_its_count(capture: Capture) -> None:
    """Opened, it has boxes that stand for themselves, and for what has no box of its own."""
    for stage in capture.stages:
        if not is_available(stage.graph):
            continue
        view, own, folded = build_view(stage.graph), Counter[int](), Counter[int]()
        for node, kind in enumerate(stage.graph.nodes.kind.tolist()):
            if NodeKind(kind).name.lower() in KINDS:
                box = int(view.box_of_node[node])
                has_box = view.boxes[box].node == node and node not in view.flow.roles
                if has_box:
                    own[box] += 1
                else:  # of what it is folded into it is no part where that is of another program
                    folded[int(view.holder_of_node[node])] += 1
        for number, box in enumerate(view.boxes[1:], start=1):
            if box.children:
                inside = [at for at in range(len(view.boxes)) if number in view.ancestors(at)]
                num_own, num_folded = (sum(map(each.__getitem__, inside)) for each in (own, folded))
                assert num_own + num_folded + folded[number] == box.num_counted, box.id
                held = sum(
                    own[at] + (view.boxes[at].num_counted if view.boxes[at].children else 0)
                    for at in box.children
                )
                rest = len(view.without_box(number))
                assert held == box.num_counted - rest, (stage.name, box.id)


def test_a_group_says_how_many_of_its_instructions_have_no_box(capture: Capture) -> None:
    stage = capture.stage("optimized")
    assert stage is not None and is_available(stage.graph)
    view = build_view(stage.graph)
    scene = build_scene(view)
    told = {int(scene.items.box[i]): describe_item(view, scene, i) for i in range(len(scene.items))}
    groups = [box for box in told if view.boxes[box].children and view.boxes[box].num_counted]
    assert groups
    is_open = [box.id in scene.opened for box in view.boxes]
    opened = frozenset(scene.items.box[: scene.items.num_frames].tolist())
    for box in groups:
        rest = view.without_box(box, opened)
        held = view.boxes[box].num_counted - len(rest)
        is_less = is_open[box] and bool(rest)
        count = f"{len(rest):,} of {view.boxes[box].num_counted:,}"
        assert (f"Without a box of their own: {count}" in told[box]) == is_less
        assert held >= 0 and len(set(rest)) == len(rest)
        assert set(rest) <= set(view.nodes_inside(box))
        names = Counter(short_operation(stage.graph.operation(node)) for node in rest)
        if is_less:
            read = Counter[str]()  # a name may be told of several reasons
            for number, name in re.findall(r"(\d+) ([a-z][\w-]*)", told[box].partition(": ")[2]):
                read[name] += int(number) if name in names else 0
            assert read & names == names
        for node in rest:  # what has no box of its own is seen all the same
            seen = view.boxes[int(view.box_of_node[node])]
            assert seen.node != node or node in view.flow.roles
        assert ("The operation itself" in told[box]) == (view.boxes[box].node != NONE)


@pytest.mark.slow
def test_the_inspector_says_what_of_a_group_is_not_shown(
    capture: Capture, window: MainWindow, driver: Driver, source: Path, qtbot: QtBot
) -> None:
    """Of a group of a scope, and of one that is an instruction such as a fusion."""
    driver.finish(driver.open(source), capture)
    area = window.workspace.area
    area.show_in_main("optimized")
    assert area.active is not None and area.active.canvas is not None
    canvas = area.active.canvas
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    scene, view = canvas.scene, canvas.view
    assert scene is not None and view is not None
    told, of_nodes = 0, set[bool]()
    for item in np.flatnonzero(scene.items.is_group).tolist():
        box = view.boxes[int(scene.items.box[item])]
        canvas._select_item(item)
        text = window.workspace.inspector.page.toPlainText()
        rest = describe_rest(view, scene, int(scene.items.box[item]))
        assert (rest in text) if rest else ("Without a box of their own" not in text)
        told += bool(rest)
        of_nodes.add(box.node != NONE)
    assert told and of_nodes == {False, True}


def test_the_inspector_says_of_a_group_what_stands_on_its_box(
    window: MainWindow, driver: Driver, source: Path, qtbot: QtBot
) -> None:
    """Also of arrays that are one box, where what only passes them on is folded into it."""
    builder = GraphBuilder()
    total = builder.add_node("add", NodeKind.INSTRUCTION, "add", types=["f32[2]"])
    for number, name in enumerate(("a", "b", "c", "d")):
        path = f"params['{name}']"
        whole = builder.add_node(
            f"p.{number}", NodeKind.INSTRUCTION, "parameter", types=["f32[2,1]"],
            attributes={"path": path, "argument": "0", "parameter": str(number)},
        )  # fmt: skip
        flat = builder.add_node(f"b.{number}", NodeKind.INSTRUCTION, "bitcast", types=["f32[2]"])
        builder.add_edge(whole, flat)
        builder.add_edge(flat, total, operand=number)
    graph, text = builder.build(), Unavailable("Not kept.")
    stage = Stage("optimized", "optimized", text, graph, Cost(3.0, 24.0, 0.0), 0.001)
    driver.finish(driver.open(source), dataclasses.replace(build_capture(), stages=(stage,)))
    area = window.workspace.area
    area.show_in_main("optimized")
    assert area.active is not None and area.active.canvas is not None
    canvas = area.active.canvas
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    scene = canvas.scene
    assert scene is not None
    groups = np.flatnonzero(scene.items.is_group)
    assert [scene.items.details[item] for item in groups] == ["4 arrays"]
    canvas._select_item(int(groups[0]))
    text = window.workspace.inspector.page.toPlainText().replace("\n", "").replace("\u200b", "")
    assert "holds4 arrays" in text, text


def test_that_a_function_called_from_several_places_counts_once_is_said_beside_its_count() -> None:
    @jax.jit
    def block(x: jax.Array) -> jax.Array:
        return jnp.tanh(x) * 2.0 + 1.0

    def twice(x: jax.Array) -> jax.Array:
        return jnp.sum(block(x) + block(x * 3.0))

    capture = capture_function(twice, (jnp.ones(8),), {})
    stage = next(stage for stage in capture.stages if stage.name == "jaxpr")
    graph = stage.graph
    assert not isinstance(graph, Unavailable)
    # block twice, mul, add and reduce_sum; tanh, mul and add of one block.
    assert count_program(graph) == 5 + 3
    told = "Counted once: 3 equations inside block, used in 2 places."
    assert describe_shared(graph) == told
    answer = answer_question(
        next(each for each in QUESTIONS if each.name == "size"), Evidence(capture)
    )
    shared = [fact.text for fact in answer.facts if "Counted once" in fact.text]
    assert shared[0] == f"jaxpr: 8 equations. {told}"
    hlo = next(each for each in shared if each.startswith("hlo"))
    # block.1: an argument, two constants, two broadcasts, tanh, multiply and add.
    assert "Counted once: 8 instructions inside call of jit_block_.2, used in 2 places." in hlo
    calls = [n for n in range(len(graph.nodes)) if graph.operation(n) == "jit"]
    first, second = (describe_node(stage, call, NO_LINKS, "#777777") for call in calls)
    assert f"node:jaxpr:{calls[1]}" in first and "counted once" in first
    assert f"node:jaxpr:{calls[0]}" in second and "counted once" in second
    tanh = next(n for n in range(len(graph.nodes)) if graph.operation(n) == "tanh")
    inner = describe_node(stage, tanh, NO_LINKS, "#777777")
    assert "block, used in 2 places, counted once" in re.sub("<[^>]*>|\u200b", "", inner)


def test_what_is_selected_is_told_while_the_picture_is_still_of_another_program(
    capture: Capture, window: MainWindow, driver: Driver, source: Path, qtbot: QtBot
) -> None:
    """As when a run ends whose call had a larger program selected."""
    driver.finish(driver.open(source), capture)
    area = window.workspace.area
    area.show_in_main("optimized")
    assert area.active is not None and area.active.canvas is not None
    canvas, stage = area.active.canvas, capture.stage("optimized")
    assert stage is not None and is_available(stage.graph)
    builder = GraphBuilder()
    builder.add_node(id="0", kind=NodeKind.EQUATION, operation="sin")
    canvas.set_graph(builder.build())
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    last = len(stage.graph.nodes) - 1
    window.workspace.selection.select_node("optimized", last)
    assert stage.graph.operation(last) in window.workspace.inspector.page.toPlainText()
