"""Fates of base equations under transforms: those of all that came from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.client import one_shot
from jaxscope.model import Capture, Graph, NodeKind
from jaxscope.program.fates.table import find_all_fates

PROGRAM = """
import jax.numpy as jnp

def loss(w, x):
    hidden = jnp.tanh(x @ w)
    return jnp.sum(hidden ** 2) + 3.0
"""


@pytest.fixture(scope="module")
def gradient(tmp_path_factory: pytest.TempPathFactory) -> Capture:
    file = tmp_path_factory.mktemp("fates") / "program.py"
    file.write_text(PROGRAM)
    return one_shot.capture(
        str(file), "vmap(grad(loss), in_axes=(None, 0))(f32[8, 4], f32[5, 16, 8])"
    )


def test_every_base_equation_has_a_fate(gradient: Capture) -> None:
    stage = gradient.stage("jaxpr")
    assert stage is not None and isinstance(stage.graph, Graph)
    graph = stage.graph
    equations = {
        graph.string(graph.nodes.id, index)
        for index, kind in enumerate(graph.nodes.kind.tolist())
        if kind == NodeKind.EQUATION
    }
    assert gradient.fates.keys() == equations
    assert all(fate.fate != "unknown" for fate in gradient.fates.values())


def test_what_the_gradient_does_not_need_is_dead(gradient: Capture) -> None:
    stage = gradient.stage("jaxpr")
    assert stage is not None and isinstance(stage.graph, Graph)
    by_name = {
        stage.graph.node(stage.graph.index_by_id[id]).operation: fate
        for id, fate in gradient.fates.items()
    }
    assert by_name["reduce_sum"].fate == "dead"  # and the transposed broadcast is folded
    assert by_name["add"].fate == "dead"
    assert by_name["tanh"].fate in ("fused", "kernel")
    assert by_name["dot_general"].fate in ("library", "kernel")


def test_the_last_jaxpr_has_fates_of_its_own(gradient: Capture) -> None:
    base, derived = find_all_fates(gradient.stages)
    assert base == dict(gradient.fates)
    stage = gradient.stage("vmap(grad)")
    assert stage is not None and isinstance(stage.graph, Graph)
    assert derived.keys() <= stage.graph.index_by_id.keys()
    assert len(derived) > len(base)


def test_fates_survive_a_file(gradient: Capture, tmp_path: Path) -> None:
    from jaxscope.schema.archive import load_capture, save_capture

    file = tmp_path / "a.jaxscope"
    save_capture(gradient, file)
    assert dict(load_capture(file).fates) == dict(gradient.fates)
