"""How much of a graph is opened for a page of a given width."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import pytest

from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.open_groups import list_openings, open_largest, shrink_view
from jaxscope.picture.view.view import ROOT, View

from .programs import layers, trace


@pytest.fixture(scope="module")
def view() -> View:
    function, arguments = layers(6)
    return build_view(trace(jax.grad(function), *arguments))


def test_each_opening_is_a_part_of_the_one_before(view: View) -> None:
    openings = list_openings(view)
    assert openings[0] == view.opened
    assert len(openings) > 2
    for larger, smaller in itertools.pairwise(openings):
        assert smaller < larger


def test_nothing_is_open_inside_a_closed_group(view: View) -> None:
    parents = {box.id: view.boxes[box.parent].id for box in view.boxes[1:] if box.parent != ROOT}
    for opening in list_openings(view):
        assert all(parents[box] in opening for box in opening if box in parents)


def test_the_last_opening_makes_the_smallest_picture(view: View) -> None:
    openings = list_openings(view)
    first, last = (build_scene(view, openings[at]) for at in (0, -1))
    assert last.width * last.height < first.width * first.height
    assert len(last.items) < len(first.items)


def test_a_shrunk_view_gives_the_same_picture() -> None:
    function, arguments = layers(8)
    view = build_view(trace(jax.value_and_grad(function), *arguments))
    small = shrink_view(view, view.opened)
    assert len(small.boxes) < len(view.boxes)
    for opened in list_openings(view):
        whole, shrunk = build_scene(view, opened), build_scene(small, opened)
        assert shrunk.items.rect.tolist() == whole.items.rect.tolist()
        assert (shrunk.items.ids, shrunk.items.titles) == (whole.items.ids, whole.items.titles)
        assert shrunk.items.details == whole.items.details
        assert shrunk.lines.points.tolist() == whole.lines.points.tolist()
        assert shrunk.connectors.texts == whole.connectors.texts
        assert shrunk.item_of_node.tolist() == whole.item_of_node.tolist()
    assert list_openings(small) == list_openings(view)


def test_what_hides_little_stays_closed_beside_what_is_too_large_to_open() -> None:
    def program(x: jax.Array) -> jax.Array:
        functions = (jnp.sin, jnp.cos, jnp.tanh, jnp.exp, jnp.sqrt, jnp.floor, jnp.square)
        with jax.named_scope("large"):
            for number in (0, 1, 2, 3, 4, 5, 6, 0, 2, 4, 6, 1, 5, 3, 0, 3, 6, 2, 5, 1, 4):
                x = functions[number](x)
        with jax.named_scope("small"):
            return jnp.cos(jnp.exp(x))

    view = build_view(trace(program, jnp.ones(3)))
    groups = {box.label: box.id for box in view.boxes if box.label in ("large", "small")}
    assert len(groups) == 2
    assert open_largest(view, view.all_groups(), 20) == frozenset()
    assert open_largest(view, view.all_groups(), 20, each_alone=True) == {groups["small"]}
    assert open_largest(view, view.all_groups(), 60) == set(groups.values())
