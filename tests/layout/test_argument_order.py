"""Arguments of a call stand from left to right in its order, where no more lines cross for that."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.view.build import build_view
from view.programs import trace

from .test_halves import halves


def text_first(params: dict[str, jax.Array], text: jax.Array) -> jax.Array:
    with jax.named_scope("embed"):
        x = jnp.sin(text * 2.0) + params["table"]
    with jax.named_scope("layer"):
        x = jnp.tanh(x * params["scale"])
    with jax.named_scope("loss"):
        return (x * params["table"] - text * params["last"]).sum()


def test_arguments_stand_in_the_order_of_the_call() -> None:
    params, text = {name: jnp.ones(4) for name in ("table", "scale", "last")}, jnp.ones(4)
    paths = [*(f"params['{name}']" for name in sorted(params)), "text"]
    view = build_view(trace(jax.grad(text_first), params, text, paths=paths))
    scene = build_scene(view, frozenset(halves(view)))
    places = {title: x for title, (x, *_) in zip(scene.items.titles, scene.items.rect, strict=True)}
    assert places["params"] < places["text"]
