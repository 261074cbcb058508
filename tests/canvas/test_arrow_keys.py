"""Arrow keys lead where they point in the picture, also where values flow the other way."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.view import View
from jaxscope.ui.canvas.navigation import item_in_direction
from view.programs import layers, trace


def loss(w: jax.Array, v: jax.Array, x: jax.Array) -> jax.Array:
    @jax.jit
    def predict(w: jax.Array, v: jax.Array, x: jax.Array) -> jax.Array:
        return jnp.tanh(x @ w) @ v

    return (predict(w, v, x) ** 2).mean()


@pytest.fixture(scope="module")
def view() -> View:
    arguments = jnp.ones((4, 5)), jnp.ones((5, 1)), jnp.ones((3, 4))
    return build_view(trace(jax.grad(loss, (0, 1)), *arguments))


@pytest.fixture(scope="module", params=["down", "right"])
def scene(view: View, request: pytest.FixtureRequest) -> Scene:
    return build_scene(view, view.all_groups(), direction=request.param)


def press(scene: Scene, item: int, along: int) -> int:
    return item_in_direction(
        scene, item, *((0, along) if scene.direction == "down" else (along, 0))
    )


def begins(scene: Scene) -> np.ndarray:
    return scene.items.rect[:, 1 if scene.direction == "down" else 0]


@pytest.mark.parametrize("along", [-1, 1])
def test_in_the_backward_part_keys_lead_where_they_point_and_along_a_line(
    view: View, scene: Scene, along: int
) -> None:
    items, places = scene.items, begins(scene)
    box_of = {box: item for item, box in enumerate(items.box.tolist())}
    ends = {(box_of[source], box_of[target]) for source, target, *_ in view.edges}
    backward = np.flatnonzero(items.is_reversed[items.num_frames :]) + items.num_frames
    num_followed = 0
    for item in backward.tolist():
        after = press(scene, item, along)
        if after >= items.num_frames and items.is_reversed[after]:
            assert (places[after] - places[item]) * along > 0
            # Values flow the other way there: with the key one goes to what makes them.
            assert ((after, item) if along > 0 else (item, after)) in ends
            num_followed += 1
    assert num_followed >= 4


@pytest.mark.parametrize("along", [-1, 1])
def test_keys_along_the_flow_never_lead_back_in_the_picture(scene: Scene, along: int) -> None:
    places = begins(scene)
    parts = scene.items.is_reversed
    for item in range(scene.items.num_frames, len(scene.items)):
        after = press(scene, item, along)
        if after >= scene.items.num_frames and parts[after] == parts[item]:
            assert (places[after] - places[item]) * along > 0


def test_a_result_above_the_backward_part_is_left_downward(view: View, scene: Scene) -> None:
    graph = view.graph
    results = [n for n in range(len(graph.nodes)) if graph.operation(n) == "output"]
    items = {int(scene.item_of_node[n]) for n in results if scene.item_of_node[n] >= 0}
    above = [item for item in items if begins(scene)[item] < 100]
    assert above
    for item in above:
        assert press(scene, item, -1) == -1
        assert scene.items.is_reversed[press(scene, item, 1)]


def test_an_open_group_in_which_values_flow_back_stands_before_what_is_next_to_its_title(
    scene: Scene,
) -> None:
    items, places = scene.items, begins(scene)
    frames = [f for f in range(items.num_frames) if items.is_reversed[items.parent == f].all()]
    assert len(frames) >= 2
    for frame in frames:
        inside = np.flatnonzero(items.parent == frame)
        first = int(inside[np.argmin(places[inside])])
        assert press(scene, frame, 1) == first
        assert press(scene, first, -1) == frame


@pytest.mark.parametrize("direction", ["down", "right"])
def test_from_a_box_whose_results_are_only_kept_the_key_leads_to_one_that_reads_them(
    direction: str,
) -> None:
    function, arguments = layers(2)
    view = build_view(trace(jax.grad(function), *arguments))
    scene = build_scene(view, view.opened, direction=direction)
    item_of_box = {box: item for item, box in enumerate(scene.items.box.tolist())}

    def item_of(box: int) -> int:
        while box not in item_of_box:
            box = view.boxes[box].parent
        return item_of_box[box]

    ends = {(item_of(source), item_of(target)) for source, target, *_ in view.edges}
    num_across = 0
    for item in range(scene.items.num_frames, len(scene.items)):
        after = press(scene, item, 1)
        if after >= scene.items.num_frames:
            assert (item, after) in ends or (after, item) in ends
            num_across += bool(scene.items.is_reversed[item] != scene.items.is_reversed[after])
    assert num_across >= 2
