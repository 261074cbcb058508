"""Whatever groups a program has and whichever are open: nothing overlaps, every line arrives."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.model import NONE, Graph, GraphBuilder, GroupKind, NodeKind
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.edge_details import LABEL_HEIGHT_PX, EdgeLabels
from jaxscope.picture.scene.scene import NO_WIDTH_LIMIT, Fit
from jaxscope.picture.view.build import build_view

from .test_scene import assert_lines_arrive, assert_tidy, overlap


@st.composite
def nested_programs(draw: st.DrawFn) -> Graph:
    """Nested programs in nested programs, with scopes; values flow from anywhere onward."""
    builder = GraphBuilder()
    groups = [NONE]
    for number in range(draw(st.integers(0, 5))):
        parent = draw(st.sampled_from(groups))
        groups.append(
            builder.add_group(f"g{number}", GroupKind.JAXPR, f"part {number}", parent=parent)
        )
    scopes = st.lists(st.sampled_from(["encoder", "decoder", "attention"]), max_size=3)
    made: list[int] = []
    for number in range(draw(st.integers(1, 45))):
        node = builder.add_node(
            f"n{number}",
            NodeKind.EQUATION,
            draw(st.sampled_from(["add", "mul", "dot_general", "scan"])),
            name=f"v{number}",
            types=["f32[8,16]"] * draw(st.integers(0, 2)),
            scope=draw(scopes),
            group=draw(st.sampled_from(groups)),
        )
        for operand in range(min(len(made), draw(st.integers(0, 3)))):
            builder.add_edge(draw(st.sampled_from(made)), node, operand=operand)
        made.append(node)
    return builder.build()


@settings(max_examples=40)
@given(
    nested_programs(),
    st.randoms(use_true_random=False),
    st.sampled_from(["down", "right"]),
    st.sampled_from([NO_WIDTH_LIMIT, Fit(True, 420.0), Fit(False, 300.0, 48.0)]),
)
@pytest.mark.slow
def test_any_choice_of_open_groups_is_drawn_well(
    graph: Graph, random: Random, direction: str, fit: Fit
) -> None:
    view = build_view(graph)
    groups = sorted(view.all_groups())
    opened = {group for group in groups if random.random() < 0.7}
    scene = build_scene(view, frozenset(opened), direction=direction, fit=fit)
    assert_tidy(scene)
    assert_lines_arrive(scene)
    boxes = scene.items.rect[scene.items.num_frames :].tolist()
    for label in EdgeLabels(scene).all():
        plate = (label.x, label.y, label.width, LABEL_HEIGHT_PX)
        assert not any(overlap(np.array(plate), np.array(box)) for box in boxes)
