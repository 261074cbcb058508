"""Colours by fate."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.model import Graph, GraphBuilder, NodeKind
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.tint.classes import FATES, ColourBy, tint_scene
from jaxscope.picture.view.build import build_view


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
