"""One count of a program, under one name, wherever it is told."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from jaxscope.export.capture_json import format_json
from jaxscope.in_process import capture_function
from jaxscope.model import Capture, is_available
from jaxscope.notebook import make_shown
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.labels import text_of
from jaxscope.picture.view.tree import GATHERED
from jaxscope.program.size import count_program, describe_size
from jaxscope.ui.selection.selection import GroupPlace
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver

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


def test_titles_of_groups_count_what_the_inspector_counts(
    window: MainWindow, driver: Driver, source: Path, capture: Capture
) -> None:
    driver.finish(driver.open(source), capture)
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
            size = describe_size(stage.graph, nodes)
            assert text_of(view, box).detail.endswith(size), (stage.name, box.id)
            if box.node < 0:
                place = GroupPlace(stage.name, box.id, box.label)
                window.workspace.selection.select_group(place, view.nodes_inside(number))
                assert f"holds{size}" in window.workspace.inspector.page.toPlainText().replace(
                    "\n", ""
                ).replace("\u200b", "")
                num_groups += 1
    assert num_groups
