"""What is written on groups: how much they hold, of what, and where it runs."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh, PartitionSpec

from jaxscope.model import Graph
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.labels import text_of
from jaxscope.picture.view.tree import BranchKind

from .programs import trace


def details(graph: Graph, kind: BranchKind) -> set[str]:
    view = build_view(graph)
    return {text_of(view, box).detail for box in view.boxes[1:] if box.kind is kind}


def test_a_box_of_some_of_the_results_says_of_how_many() -> None:
    def loss(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
        return ((params["a"] * x + params["b"] * params["c"]) ** 2).sum()

    def step(params: dict[str, jax.Array], x: jax.Array) -> Any:
        value, slopes = jax.value_and_grad(loss)(params, x)
        return slopes, (value, x * 2, x + 1, x - 1)

    params = {name: jnp.ones(3) for name in "abc"}
    x, results = jnp.ones(3), BranchKind.RESULTS
    assert details(trace(step, params, x), results) == {"3 of 7 arrays", "4 of 7 arrays"}
    assert details(trace(jax.grad(loss), params, x), results) == {"3 arrays"}, "all of them"


def test_a_shard_map_says_on_how_many_devices_it_runs() -> None:
    for size, told in ((8, "3 equations, on each of 8 devices"), (1, "3 equations")):
        mesh = AbstractMesh((size,), ("d",))

        def halves(x: jax.Array, mesh: Any = mesh) -> jax.Array:
            spec = PartitionSpec("d")
            return jax.shard_map(lambda x: jnp.sin(x) * 2, mesh=mesh, in_specs=spec,
                                 out_specs=spec)(x)  # fmt: skip

        assert details(trace(halves, jnp.ones(16)), BranchKind.NESTED) == {told}


def opened(scene: Scene) -> dict[str, str]:
    items = scene.items
    return dict(zip(items.titles[: items.num_frames], items.details, strict=False))


def test_an_open_group_says_how_much_of_it_is_drawn_where_all_in_it_is_open() -> None:
    def scaled(x: jax.Array) -> jax.Array:
        with jax.named_scope("outer"):
            y = jnp.clip(x, -1.0, 1.0)
            z = jnp.sin(y) * jnp.cos(y)
        with jax.named_scope("after"):
            return jnp.tanh(z) + jnp.exp(z)

    view = build_view(trace(scaled, jnp.ones(3)))
    outer = next(box.id for box in view.boxes if box.label == "outer")
    told = opened(build_scene(view, view.all_groups()))
    counted = {view.boxes[n].label: view.boxes[n].num_counted for n in range(1, len(view.boxes))}
    drawn = {box.label: view.count_drawn(n) for n, box in enumerate(view.boxes) if box.children}
    assert drawn["clip"] < counted["clip"], "casts of the limits are in the boxes of others"
    assert told["clip"].endswith(f", {drawn['clip']} drawn")
    assert told["outer"] == f"{counted['outer']} equations, {drawn['outer']} drawn"
    assert opened(build_scene(view, frozenset({outer}))) == {
        "outer": f"{counted['outer']} equations"
    }
