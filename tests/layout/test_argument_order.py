"""Arguments of a call stand from left to right in its order, where no more lines cross for that."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import jax
import jax.numpy as jnp

from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.view import View
from view.programs import trace

from .test_halves import halves


def text_first(params: dict[str, jax.Array], text: jax.Array) -> jax.Array:
    with jax.named_scope("embed"):
        x = jnp.sin(text * 2.0) + params["table"]
    with jax.named_scope("layer"):
        x = jnp.tanh(x * params["scale"])
    with jax.named_scope("loss"):
        return (x * params["table"]).sum()


def text_throughout(params: dict[str, jax.Array], text: jax.Array) -> jax.Array:
    with jax.named_scope("embed"):
        x = jnp.sin(text * 2.0) + params["table"]
    with jax.named_scope("layer"):
        x = jnp.tanh(x * params["scale"])
    with jax.named_scope("loss"):
        return (x * params["table"] - text * params["last"]).sum()


def find_places(view: View, opened: Iterable[int] = ()) -> dict[str, float]:
    """Where across each box stands, by its title."""
    scene = build_scene(view, frozenset(opened))
    return {title: x for title, (x, *_) in zip(scene.items.titles, scene.items.rect, strict=True)}


def view_of(function: Callable[..., jax.Array]) -> View:
    params, text = {name: jnp.ones(4) for name in ("table", "scale", "last")}, jnp.ones(4)
    paths = [*(f"params['{name}']" for name in sorted(params)), "text"]
    return build_view(trace(function, params, text, paths=paths))


def test_arguments_stand_in_the_order_of_the_call() -> None:
    places = find_places(view_of(text_first))
    assert places["params"] < places["text"]


def test_an_argument_whose_line_would_cross_what_is_kept_stands_on_the_outer_side() -> None:
    """To the right of the boxes, where it came in, three lines to the backward part crossed it."""
    view = view_of(jax.grad(text_throughout))
    places = find_places(view, halves(view))
    assert places["text"] < places["params"]
