"""Edges that are shown as connectors can be drawn from end to end."""

from __future__ import annotations

import dataclasses
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.model import NONE, GraphBuilder, NodeKind
from jaxscope.picture.layout.diagram import Spacing
from jaxscope.picture.layout.text_width import measure_text
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.edge_details import (
    MAX_EDGES,
    EdgeRouter,
    edges_of_connector,
    edges_of_item,
)
from jaxscope.picture.scene.scene import STUB_TEXT_PX, Scene
from jaxscope.picture.view.build import build_view
from view.programs import layers, trace


@pytest.fixture(scope="module", params=["down", "right"])
def scene(request: pytest.FixtureRequest) -> Scene:
    function, arguments = layers(5)
    view = build_view(trace(jax.grad(function), *arguments), without={"box-repeats"})
    short = Spacing(max_span=3)
    scene = build_scene(view, direction=request.param, spacing=short)
    assert len(scene.connectors) > 10
    return scene


def surroundings(scene: Scene, item: int) -> set[int]:
    """An item and the frames around it."""
    parent = int(scene.items.parent[item])
    return {item} if parent == NONE else {item} | surroundings(scene, parent)


def test_every_connector_leads_to_all_of_its_far_ends(scene: Scene) -> None:
    connectors = scene.connectors
    for connector in range(len(connectors)):
        edges = edges_of_connector(scene, connector)
        item, far = int(connectors.item[connector]), set(connectors.far[connector].tolist())
        reached: set[int] = set()
        for edge in edges:
            ends = (edge.source, edge.target)
            here, there = ends if connectors.is_source[connector] else ends[::-1]
            assert here == item
            assert surroundings(scene, there) & far
            reached |= surroundings(scene, there) & far
        assert reached == far or len(edges) == MAX_EDGES


def test_an_argument_leads_to_the_boxes_inside_of_the_backward_part_that_use_it() -> None:
    """And not to the border of that part, which would be framed as a whole."""
    function, arguments = layers(5)
    scene = build_scene(build_view(trace(jax.grad(function), *arguments)))
    items, connectors = scene.items, scene.connectors
    backward = next(i for i, title in enumerate(items.titles) if title == "backward")
    assert backward < items.num_frames
    leading = [c for c in range(len(connectors)) if connectors.far[c].tolist() == [backward]]
    assert leading
    for connector in leading:
        edges = edges_of_connector(scene, connector)
        assert edges
        for edge in edges:
            assert edge.target != backward
            assert backward in surroundings(scene, edge.target)


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("num_far", [3, 4])
def test_of_many_lines_from_gathered_arguments_past_other_boxes_connectors_tell(
    num_far: int, direction: str
) -> None:
    """Side by side along the border of a picture, none could be followed. Few are drawn."""

    def program(params: list[list[jax.Array]], x: jax.Array) -> jax.Array:
        for number, each in enumerate(params):
            with jax.named_scope(f"{'abcdefgh'[number]}_step"):
                x = jnp.tanh(x * sum(each)) + jnp.sin(x)
        return x

    num = num_far + 2  # the first two stand near the arguments
    arrays = [[jnp.ones(3)] * 5] * num
    paths = [*(f"params[{n}][{at}]" for n in range(num) for at in range(5)), "x"]
    view = build_view(trace(program, arrays, jnp.ones(3), paths=paths), without={"box-repeats"})
    scene = build_scene(view, frozenset(), direction=direction)
    titles = scene.items.titles
    params = titles.index("params")
    drawn = {titles[t] for s, t in zip(scene.lines.source, scene.lines.target, strict=True)
             if s == params and t != params}  # fmt: skip
    told = {titles[scene.connectors.item[n]]: text for n, text in enumerate(scene.connectors.texts)}
    steps = [f"{'abcdefgh'[n]}_step" for n in range(num)]
    if num_far == 3:
        assert drawn == set(steps) and not told
    else:
        assert drawn == set(steps[:2])
        assert told.pop("params").endswith("_step +3")
        assert told == dict.fromkeys(steps[2:], "params")


def test_no_text_of_a_connector_is_wider_than_it(scene: Scene) -> None:
    """Also in a small group of many lines, which become connectors though they are short."""
    builder = GraphBuilder()
    made = [builder.add_node("in:0", NodeKind.INPUT, "input", types=["f32[8]"])]
    for number in range(9):
        name = "operation_of_a_long_name"
        node = builder.add_node(str(number), NodeKind.EQUATION, name, types=["f32[8]"])
        for operand, source in enumerate(made):
            builder.add_edge(source, node, operand=operand)
        made.append(node)
    dense = build_scene(build_view(builder.build()), frozenset())
    assert len(dense.connectors) > 5
    for each in (scene, dense):
        for text, (_, _, width, _) in zip(
            each.connectors.texts, each.connectors.rect.tolist(), strict=True
        ):
            assert measure_text(text, STUB_TEXT_PX) < width, text


def test_an_edge_touches_a_box_or_a_connector_at_both_ends(scene: Scene) -> None:
    rects = np.concatenate([scene.items.rect, scene.connectors.rect])
    low, high = rects[:, :2], rects[:, :2] + rects[:, 2:]
    for connector in range(len(scene.connectors)):
        for edge in edges_of_connector(scene, connector):
            for place in (edge.begin, edge.end):
                is_on = (low <= np.add(place, 1e-6)) & (high >= np.subtract(place, 1e-6))
                assert is_on.all(axis=1).any()


def test_both_ends_of_an_edge_know_it(scene: Scene) -> None:
    for connector in range(len(scene.connectors)):
        for edge in edges_of_connector(scene, connector):
            for end in (edge.source, edge.target):
                found = {(each.source, each.target) for each in edges_of_item(scene, end)}
                assert (edge.source, edge.target) in found or len(found) == MAX_EDGES


def test_values_flow_onward_along_long_edges(scene: Scene) -> None:
    axis = 1 if scene.direction == "down" else 0
    for connector in range(len(scene.connectors)):
        for edge in edges_of_connector(scene, connector):
            turned = scene.items.is_reversed[[edge.source, edge.target]].tolist()
            if turned[0] != turned[1]:
                continue  # beside each other
            way = edge.end[axis] - edge.begin[axis]
            assert (-way if turned[0] else way) >= -1e-6


def test_ways_lead_around_boxes_and_meet_both_ends_as_values_flow(scene: Scene) -> None:
    """Lit edges ran behind boxes, and seemed to end there."""
    along = 1 if scene.direction == "down" else 0
    num_frames, finder = scene.items.num_frames, EdgeRouter(scene)
    boxes = np.concatenate([scene.items.rect[num_frames:], scene.connectors.rect])
    low, high = boxes[:, :2] + 0.5, boxes[:, :2] + boxes[:, 2:] - 0.5
    edges = {e for c in range(len(scene.connectors)) for e in edges_of_connector(scene, c)}
    ways = {edge: way for edge in edges if (way := finder.find(edge))}
    assert len(ways) > 0.8 * len(edges) > 10
    for edge, way in ways.items():
        assert (way[0], way[-1]) == (edge.begin, edge.end)
        assert (way[1][along] - way[0][along]) * edge.leaves > 0
        assert (way[-1][along] - way[-2][along]) * edge.enters > 0
        for one, other in itertools.pairwise(way):
            assert one[0] == other[0] or one[1] == other[1]
            first, last = np.minimum(one, other), np.maximum(one, other)
            assert not ((low < last) & (high > first)).all(axis=1).any()


def test_a_wall_of_boxes_has_no_way_through(scene: Scene) -> None:
    edges = [e for c in range(len(scene.connectors)) for e in edges_of_connector(scene, c)]
    wall = dataclasses.replace(scene.items, rect=scene.items.rect.copy())
    wall.rect[-1] = (-1e5, -1e5, 2e5, 2e5)
    assert EdgeRouter(dataclasses.replace(scene, items=wall)).find(edges[0]) == ()
