"""The way of a value is found through borders of groups and over connectors."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.model import NONE
from jaxscope.model.graph import distinct
from jaxscope.picture.layout.diagram import Spacing
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.scene.value_ways import find_way, find_way_of_line
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.view import View
from view.programs import layers, trace


@pytest.fixture(scope="module")
def view() -> View:
    function, arguments = layers(4)
    return build_view(trace(jax.grad(function), *arguments), without={"box-repeats"})


@pytest.fixture(scope="module", params=["down", "right"])
def scene(view: View, request: pytest.FixtureRequest) -> Scene:
    """All groups are open, and what spans more than three ranks has connectors."""
    short = Spacing(max_span=3)
    scene = build_scene(view, view.all_groups(), direction=request.param, spacing=short)
    is_framed = scene.items.parent[scene.connectors.item] != NONE
    assert is_framed.any() and len(scene.connectors) > 10
    return scene


def boxes_of_edges(view: View, scene: Scene) -> dict[int, set[int]]:
    """By each box of the scene those that make what it reads, as the view has them."""
    items = {box: item for item, box in enumerate(scene.items.box.tolist())}
    found: dict[int, set[int]] = {}
    for source, target, *_ in view.edges:
        found.setdefault(items[target], set()).add(items[source])
    return found


def test_what_a_box_reads_is_lit_from_all_boxes_that_make_it_and_nothing_else(
    view: View, scene: Scene
) -> None:
    lines, num_frames = scene.lines, scene.items.num_frames
    crossing = 0
    for item, makers in boxes_of_edges(view, scene).items():
        way = find_way(scene, item)
        ends = [(int(lines.source[line]), int(lines.target[line])) for line in way.into.tolist()]
        pieces = ends + [(edge.source, edge.target) for edge in way.edges if edge.target == item]
        pieces += [(edge.source, edge.target) for edge in way.edges if edge.target < num_frames]
        reached = [item]
        for end in reached:
            reached += {source for source, target in pieces if target == end} - {*reached}
        assert {each for each in reached if each >= num_frames} - {item} >= makers - {item}
        boxes = {end for end in itertools.chain.from_iterable(ends) if end >= num_frames}
        assert boxes <= makers | {item}
        crossing += any(end < num_frames for end in itertools.chain.from_iterable(ends))
    assert crossing > 20


def test_what_a_box_gives_is_lit_to_all_boxes_that_read_it(view: View, scene: Scene) -> None:
    readers: dict[int, set[int]] = {}
    for item, makers in boxes_of_edges(view, scene).items():
        for maker in makers:
            readers.setdefault(maker, set()).add(item)
    for item, expected in readers.items():
        out = find_way(scene, item).out
        ends = {*scene.lines.source[out].tolist(), *scene.lines.target[out].tolist()}
        assert expected <= ends
        assert {end for end in ends if end >= scene.items.num_frames} <= expected | {item}


def test_what_an_open_group_reads_and_gives_is_lit_to_the_boxes_at_both_ends(view: View) -> None:
    """The lines of residuals were lit up to the border of the part that they enter."""
    scene = build_scene(view, view.all_groups())
    lines, num_frames = scene.lines, scene.items.num_frames
    around = [{item} for item in range(len(scene.items.parent))]
    for item, parent in enumerate(scene.items.parent.tolist()):
        around[item] |= around[parent] if parent != NONE else set()
    told = set(scene.connectors.item[scene.connectors.is_source].tolist())
    edges = [(source, target) for target, makers in boxes_of_edges(view, scene).items()
             for source in makers]  # fmt: skip
    drawn = [(source, target) for source, target in edges if not around[source] & told]
    checked = 0
    for frame in range(num_frames):
        way = find_way(scene, frame)
        lit = distinct(way.into, way.out)
        ends = {*lines.source[lit].tolist(), *lines.target[lit].tolist()}
        passing = [pair for pair in drawn if sum(frame in around[end] for end in pair) == 1]
        assert {end for pair in passing for end in pair} <= ends
        checked += len(passing)
        other = {end for pair in edges for end in pair
                 if sum(frame in around[each] for each in pair) == 1}  # fmt: skip
        boxes = {end for end in ends if end >= num_frames and frame not in around[end]}
        assert boxes <= other | told
    assert checked > 100


def test_each_connector_has_the_line_that_touches_it(scene: Scene) -> None:
    connectors, lines = scene.connectors, scene.lines
    assert sorted(scene.connector_of_line.values()) == [*range(len(connectors))]
    for line, connector in scene.connector_of_line.items():
        x, y, wide, high = connectors.rect[connector].tolist()
        end = lines.corners(line)[-1 if connectors.is_source[connector] else 0]
        assert x - 1 <= end[0] <= x + wide + 1 and y - 1 <= end[1] <= y + high + 1
        assert set(lines.values[line].tolist()) == set(connectors.values[connector].tolist())


def test_a_line_lights_each_line_that_shares_a_value(scene: Scene) -> None:
    flows = [frozenset(each) for each in scene.lines.flows]
    for line in range(0, len(flows), 5):
        expected = [n for n, each in enumerate(flows) if n == line or each & flows[line]]
        assert find_way_of_line(scene, line).out.tolist() == expected
    assert np.diff([len(each) for each in flows]).any()


def shared(x: jax.Array) -> jax.Array:
    """One value that is made in a group and read in many."""
    with jax.named_scope("made"):
        first = jnp.sin(jnp.cos(x))
    for number in range(30):
        with jax.named_scope(f"part{number}"):
            x = jnp.tanh(x * number) * first
    return x


def test_of_what_is_read_in_many_places_not_all_edges_are_drawn() -> None:
    """Of 60 such a frame took a second."""
    view = build_view(trace(shared, jnp.ones(3)), without={"box-repeats"})
    scene = build_scene(view, view.all_groups(), spacing=Spacing(max_span=3))
    node = next(n for n in range(len(view.graph.nodes)) if view.graph.operation(n) == "sin")
    way = find_way(scene, int(scene.item_of_node[node]))
    connectors = [
        scene.connector_of_line[n] for n in way.out.tolist() if n in scene.connector_of_line
    ]
    assert sum(len(scene.connectors.far[each]) for each in connectors) > 20
    assert len(way.edges) <= 8
