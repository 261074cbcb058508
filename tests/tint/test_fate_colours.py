"""Colours by fate."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.model import Graph, GraphBuilder, NodeKind
from jaxscope.model.op_name import TagTable
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.tint.classes import FATES, ColourBy, tint_scene
from jaxscope.picture.view.build import build_view
from jaxscope.worker.stages.jaxpr import convert_jaxpr


@pytest.fixture
def chain() -> Graph:
    builder = GraphBuilder()
    last = -1
    for number, operation in enumerate(("sin", "mul", "dot_general")):
        node = builder.add_node(
            str(number), NodeKind.EQUATION, operation, name=operation, types=["f32[8]"]
        )
        if number:
            builder.add_edge(last, node, type="f32[8]")
        last = node
    return builder.build()


def test_boxes_have_the_colours_of_their_fates(chain: Graph) -> None:
    scene = build_scene(build_view(chain), frozenset())
    fates = {"0": "fused", "1": "dead", "2": "library"}
    tint = tint_scene(chain, scene, ColourBy.FATE, fates=fates)
    assert tint is not None
    found = [tint.classes[tint.of_item[scene.item_of_node[node]]].name for node in range(3)]
    assert found == ["fused", "dead: nothing uses it", "a library's"]


@pytest.mark.parametrize(
    ("fates", "shown"),
    [
        (("fused", "simplified", "library"), "several fates"),
        (("fused", "dead", "fused"), "fused"),
        (("library", "library", "library"), "a library's"),
    ],
)
def test_a_closed_group_has_the_fate_of_more_than_half_of_what_it_holds_or_none(
    fates: tuple[str, ...], shown: str
) -> None:
    def program(x: jax.Array) -> jax.Array:
        with jax.named_scope("layer"):
            x = jnp.sin(jnp.exp(jnp.tanh(x)))
        with jax.named_scope("head"):
            return jnp.cos(jnp.sin(x))

    closed = jax.make_jaxpr(program)(jnp.ones(8))
    graph = convert_jaxpr(closed, tags=TagTable((), ()), is_base=True, is_derived=True).graph
    scene = build_scene(build_view(graph), frozenset())
    layer = [graph.index_by_id[str(number)] for number in range(3)]
    assert len({int(scene.item_of_node[node]) for node in layer}) == 1, "one closed box"
    of_equation = {str(number): fate for number, fate in enumerate(fates)}
    tint = tint_scene(graph, scene, ColourBy.FATE, fates=of_equation)
    assert tint is not None
    assert tint.classes[tint.of_item[scene.item_of_node[layer[0]]]].name == shown


def test_without_fates_nothing_is_coloured_and_it_says_why(chain: Graph) -> None:
    scene = build_scene(build_view(chain), frozenset())
    tint = tint_scene(chain, scene, ColourBy.FATE)
    assert tint is not None
    assert np.all(tint.of_item == -1)
    assert tint.note == "fates belong to the equations of the jaxpr"


def test_every_fate_of_the_contract_has_a_colour_or_a_dashed_border() -> None:
    names = {name for name, *_ in FATES}
    assert names == {
        *("fused", "kernel", "library", "folded", "merged", "simplified", "dead", "layout"),
        "unknown",
    }
