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
from jaxscope.picture.scene.scene import NO_WIDTH_LIMIT, Fit, Scene
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


def assert_connectors_tell_what_edges_say(graph: Graph, scene: Scene) -> None:
    """What leaves by a connector is made where it stands and read where it leads, and the other
    way round; the far end of its line is where values go."""
    edges = zip(graph.edges.source.tolist(), graph.edges.target.tolist(), strict=True)
    readers: dict[int, set[int]] = {}
    for source, target in edges:
        readers.setdefault(source, set()).update(boxes_around(scene, target))
    connectors, axis = scene.connectors, 1 if scene.direction == "down" else 0
    for line, connector in scene.connector_of_line.items():
        item, far = int(connectors.item[connector]), set(connectors.far[connector].tolist())
        values = connectors.values[connector].tolist()
        made = set().union(*(boxes_around(scene, value) for value in values))
        read = set().union(*(readers[value] for value in values))
        is_source = bool(connectors.is_source[connector])
        assert item in (made if is_source else read)
        assert far <= (read if is_source else made)
        ends = scene.lines.corners(line)[[0, -1] if is_source else [-1, 0], axis]
        low, size = connectors.rect[connector, [axis, axis + 2]]
        assert min(abs(ends[1] - low), abs(ends[1] - low - size)) < 0.01, "it ends at its text"
        is_onward = abs(ends[1] - low) < 0.01
        assert (is_onward == is_source) != connectors.is_reversed[connector]


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("fit", [NO_WIDTH_LIMIT, Fit(False, 300.0, 48.0)])
def test_connectors_of_a_line_against_the_flow_tell_what_edges_say(
    is_open: bool, direction: str, fit: Fit
) -> None:
    """A group makes the first value of a long chain and reads the last: its line leads up."""
    builder, num = GraphBuilder(), 17
    group = builder.add_group("g", GroupKind.JAXPR, "part", parent=NONE)
    for number in range(num):
        builder.add_node(
            f"n{number}", NodeKind.EQUATION, ("mul", "add", "exp")[number % 3], name=f"v{number}",
            types=["f32[8]"], scope=[], group=group if number in (0, num - 1) else NONE,
        )  # fmt: skip
        if number:
            builder.add_edge(number - 1, number, operand=0)
    graph = builder.build()
    view = build_view(graph)
    opened = view.all_groups() if is_open else frozenset[str]()
    scene = build_scene(view, opened, direction=direction, fit=fit)
    assert sorted(scene.connectors.texts) == ["part", "→ add"]
    assert scene.connectors.is_reversed.all()
    assert_tidy(scene)
    assert_lines_arrive(scene)
    assert_connectors_tell_what_edges_say(graph, scene)


def boxes_around(scene: Scene, node: int) -> set[int]:
    """The item that a node is in, and the frames around that."""
    found, item = set[int](), int(scene.item_of_node[node])
    while item != NONE:
        found.add(item)
        item = int(scene.items.parent[item])
    return found


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
    assert_connectors_tell_what_edges_say(graph, scene)
    boxes = scene.items.rect[scene.items.num_frames :].tolist()
    for label in EdgeLabels(scene).all():
        plate = (label.x, label.y, label.width, LABEL_HEIGHT_PX)
        assert not any(overlap(np.array(plate), np.array(box)) for box in boxes)
