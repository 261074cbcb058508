"""Alike groups: one is shown for all, and one can step to the others."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from jaxscope.picture.scene.build import SceneMemory, build_scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.open_groups import (
    is_walk,
    open_path,
    open_walk,
    shown_copies,
    step_copy,
)
from jaxscope.picture.view.view import View
from tests.view.programs import trace

NUM_LAYERS = 5


def layers(x: jax.Array) -> jax.Array:
    for number in range(NUM_LAYERS):
        with jax.named_scope(f"layer_{number}"):
            with jax.named_scope("mix"):
                x = jnp.sin(x) @ x
                x = jnp.cos(x) + 1.0
            with jax.named_scope("scale"):
                x = jnp.exp(x) * x
                x = x / 2.0
    return x


@pytest.fixture(scope="module")
def view() -> View:
    return build_view(trace(layers, jnp.ones((3, 3))))


def walk_of(view: View) -> int:
    (found,) = (box for box in range(len(view.boxes)) if is_walk(view, box))
    return found


def test_opening_a_repeat_shows_one_copy_and_its_inside(view: View) -> None:
    walk = walk_of(view)
    opened = open_walk(view, frozenset({view.boxes[walk].id}), view.boxes[walk].id)
    scene = build_scene(view, opened)
    copies = [view.boxes[child].id for child in view.boxes[walk].children]
    assert [copy for copy in copies if copy in scene.item_of_id] == copies[:1]
    frame = scene.item_of_id[view.boxes[walk].id]
    assert scene.walks[frame] == (0, NUM_LAYERS)
    assert scene.items.details[frame].startswith(f"copy 1 of {NUM_LAYERS}")
    inside = [view.boxes[child].id for child in view.boxes[view.boxes[walk].children[0]].children]
    assert all(each in scene.item_of_id for each in inside), "its parts are there at once"
    for node in view.nodes_inside(view.boxes[walk].children[2]):
        assert scene.item_of_node[node] == frame, "what is hidden is where the repeat is"


def test_parts_of_many_copies_are_not_called_copies() -> None:
    def many(x: jax.Array) -> jax.Array:
        for _ in range(300):
            x = jnp.cos(jnp.sin(x) + 1.0)
        return x

    view = build_view(trace(many, jnp.ones(3)))
    walk = walk_of(view)
    opened = open_walk(view, frozenset({view.boxes[walk].id}), view.boxes[walk].id)
    scene = build_scene(view, opened)
    (shown,) = scene.walks.items()
    assert view.boxes[walk].copies == 300 != shown[1].total
    assert scene.items.details[shown[0]].startswith(f"part 1 of {shown[1].total}")


def test_stepping_shows_every_copy_as_open_as_the_one_before(view: View) -> None:
    walk = walk_of(view)
    name = view.boxes[walk].id
    opened = open_walk(view, frozenset({name}), name)
    first = view.boxes[view.boxes[walk].children[0]]
    part = view.boxes[first.children[0]]
    assert part.children
    opened |= {part.id}
    assert step_copy(view, opened, name, -1) is None
    seen = []
    memory = SceneMemory()
    for number in range(NUM_LAYERS):
        scene = build_scene(view, opened, memory=memory)
        fresh = build_scene(view, opened)
        assert scene.items.ids == fresh.items.ids
        assert (scene.items.rect == fresh.items.rect).all()
        (shown,) = shown_copies(view, walk, opened)
        seen.append(shown)
        assert scene.walks[scene.item_of_id[name]].number == number
        assert sum(each in scene.opened for each in opened) == 3
        texts = scene.connectors.texts
        labels = [view.boxes[child].label for child in view.boxes[walk].children]
        if number + 1 < NUM_LAYERS:
            assert f"→ {labels[number + 1]}" in texts
        if number:
            assert labels[number - 1] in texts
        after = step_copy(view, opened, name, 1)
        opened = opened if after is None else after
    assert tuple(seen) == view.boxes[walk].children
    assert step_copy(view, opened, name, 1) is None


def test_all_copies_are_shown_where_all_are_open(view: View) -> None:
    scene = build_scene(view, view.all_groups())
    assert not scene.walks
    walk = walk_of(view)
    assert all(view.boxes[child].id in scene.item_of_id for child in view.boxes[walk].children)


def test_a_node_of_another_copy_takes_its_place(view: View) -> None:
    walk = walk_of(view)
    name = view.boxes[walk].id
    opened = open_walk(view, frozenset({name}), name)
    node = view.nodes_inside(view.boxes[walk].children[3])[0]
    opened = open_path(view, opened, view.path_to_node(node))
    assert shown_copies(view, walk, opened) == (view.boxes[walk].children[3],)
    scene = build_scene(view, opened)
    assert view.boxes[scene.items.box[scene.item_of_node[node]]].node == node
