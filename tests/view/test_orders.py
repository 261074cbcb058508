"""Orders of differentiation: what belongs to which derivative, held against numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jaxscope.model import Graph
from jaxscope.model.graph import Direction
from jaxscope.model.op_name import name_derivative, read_orders
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.tint.classes import ColourBy, tint_scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.labels import text_of
from jaxscope.picture.view.tree import BranchKind, read_all_orders
from tests.view.programs import trace

X = jnp.arange(1.0, 4.0)


def curve(x: jax.Array) -> jax.Array:
    return jnp.sin(x) * jnp.exp(x)


def wave(x: jax.Array) -> jax.Array:
    return (jnp.sin(x) * jnp.exp(x)).sum()


@jax.custom_vjp
def halved(x: jax.Array) -> jax.Array:
    return jnp.sin(x) * 2


halved.defvjp(lambda x: (halved(x), jnp.cos(x)), lambda kept, g: (g * kept / 2,))


def scanned(x: jax.Array) -> jax.Array:
    return jax.lax.scan(lambda c, _: (jnp.tanh(c) * 2, c.sum()), x, None, length=5)[0].sum()


@jax.custom_jvp
def doubled(x: jax.Array) -> jax.Array:
    return x * 2


@doubled.defjvp
def _rule(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> tuple[jax.Array, jax.Array]:
    return doubled(*primals), tangents[0] * jnp.cos(primals[0])


def values_of(function: Callable[..., Any], *arguments: Any) -> list[Any]:
    """The results of every equation of a program, by evaluating it one by one."""
    closed = jax.make_jaxpr(function)(*arguments)
    inner = closed.jaxpr
    known = dict(zip(inner.invars, arguments, strict=True))
    known.update(zip(inner.constvars, closed.consts, strict=True))
    found = []
    for equation in inner.eqns:
        inputs = [
            getattr(a, "val", None) if hasattr(a, "val") else known[a] for a in equation.invars
        ]
        results = equation.primitive.bind(*inputs, **equation.params)
        results = results if equation.primitive.multiple_results else [results]
        known.update(zip(equation.outvars, results, strict=True))
        found.append(results)
    return found


def test_what_is_backward_of_the_second_order_vanishes_with_its_cotangent() -> None:
    """What the outer derivative adds is linear in the outer cotangent, the rest ignores it."""

    def second(x: jax.Array, cotangent: jax.Array) -> jax.Array:
        return jax.vjp(jax.grad(wave), x)[1](cotangent)[0]

    with_none, with_some = (values_of(second, X, X * factor) for factor in (0.0, 1.0))
    graph = trace(second, X, X)
    orders = read_all_orders(graph)
    told = [
        orders.get(node.index, "")
        for node in map(graph.node, range(len(graph.nodes)))
        if node.kind.name == "EQUATION"
    ]
    assert len(told) == len(with_none)
    assert {"backward of backward", "backward of forward", "backward"} <= set(told)
    for order, none, some in zip(told, with_none, with_some, strict=True):
        for at_zero, at_one in zip(none, some, strict=True):
            if order.startswith("backward of"):
                assert not jnp.any(at_zero), order
            else:
                assert jnp.array_equal(at_zero, at_one), order


@pytest.mark.parametrize(
    "function",
    [
        jax.grad(wave),
        jax.value_and_grad(wave),
        jax.vmap(jax.grad(jnp.sin)),
        jax.grad(lambda x: halved(x).sum()),
        jax.grad(lambda x: doubled(x).sum()),
        jax.grad(lambda x: jax.jit(doubled)(x).sum()),
        jax.grad(lambda x: jax.scipy.special.i0e(x).sum()),
        jax.grad(jax.checkpoint(wave)),
        jax.grad(scanned),
        jax.grad(jax.checkpoint(scanned)),
        jax.grad(lambda x: jax.jit(wave)(x) ** 2),
        lambda x: jax.jvp(wave, (x,), (x,)),
        jax.jacrev(jnp.sin),
        jax.grad(lambda x: jax.nn.relu(jax.nn.softmax(x)).sum()),
        jax.grad(lambda x: jax.lax.cond(x[0] > 0, wave, jnp.sum, x)),
        jax.grad(lambda x: jnp.linalg.norm(jnp.linalg.solve(jnp.outer(x, x) + jnp.eye(3), x))),
    ],
)
def test_one_derivative_has_no_orders(function: Callable[..., Any]) -> None:
    assert not read_all_orders(trace(function, X))


def test_what_a_transposed_call_holds_is_backward_whatever_its_own_names_say() -> None:
    @jax.jit
    def pushed(x: jax.Array) -> jax.Array:
        value, tangent = jax.jvp(lambda z: jnp.sin(z) * z, (x,), (x,))
        return value + tangent * x

    graph = trace(jax.grad(lambda x: pushed(x).sum()), X)
    ids = [graph.id(node) for node in range(len(graph.nodes))]
    directions = dict(zip(ids, map(Direction, graph.nodes.direction.tolist()), strict=True))
    last = max((id for id in ids if id.isdecimal()), key=int)
    inside = [id for id in ids if id.startswith(f"{last}/jaxpr/") and id[-1].isdecimal()]
    inside = [id for id in inside if ":" not in id]
    assert directions[last] is Direction.BACKWARD and len(inside) > 5
    assert {directions[id] for id in inside} == {Direction.BACKWARD}


def outline_of(graph: Graph) -> list[str]:
    view = build_view(graph)
    return [box.label for box in view.boxes if box.kind is BranchKind.ORDER]


def test_parts_of_a_second_derivative_have_frames_and_colours_of_their_own() -> None:
    graph = trace(jax.grad(lambda x: jax.grad(wave)(x).sum()), X)
    labels = [label.partition(" · ")[0] for label in outline_of(graph)]
    assert labels == ["backward", "backward of backward", "backward of forward"]
    view = build_view(graph)
    details = [text_of(view, box).detail for box in view.boxes if box.kind is BranchKind.ORDER]
    told = [detail.partition(" · ")[0] for detail in details]
    assert told == ["first derivative", "second derivative", "second derivative"]
    scene = build_scene(view, view.all_groups())
    frames = {
        text_of(view, view.boxes[box]).title.partition(" · ")[0]: ground
        for box, ground in zip(scene.items.box.tolist(), scene.items.ground.tolist(), strict=True)
        if view.boxes[box].children
    }
    grounds = [frames["backward of backward"], frames["backward of forward"]]
    others = {ground for title, ground in frames.items() if " of " not in title}
    assert len(set(grounds)) == 2 and others.isdisjoint(grounds)
    tint = tint_scene(graph, scene, ColourBy.DIRECTION)
    assert {"backward of backward", "backward of forward"} <= {each.name for each in tint.classes}


def test_parts_of_a_third_derivative_are_drawn_once_and_named_in_full() -> None:
    """No frame repeats what is around it, and no title is cut where orders differ."""
    graph = trace(jax.grad(jax.grad(jax.grad(curve))), 1.0)
    view = build_view(graph)
    for box in view.boxes:
        if box.kind is BranchKind.ORDER:
            inside = [view.boxes[child] for child in box.children]
            assert len(inside) > 1 or not inside[0].children, box.label
    scene = build_scene(view, view.all_groups())
    drawn = set(scene.items.titles)
    labels = [box.label for box in view.boxes if box.kind is BranchKind.ORDER]
    assert len(labels) == 7 and drawn.issuperset(labels)


def test_a_frame_says_its_count_alone_where_the_derivative_has_no_name() -> None:
    deep = curve
    for _ in range(5):
        deep = jax.grad(deep)
    view = build_view(trace(deep, 1.0))
    details = [text_of(view, box).detail for box in view.boxes if box.kind is BranchKind.ORDER]
    assert any(detail.startswith("first derivative · ") for detail in details)
    assert any(detail[:1].isdigit() for detail in details)
    assert not any(detail.startswith(" ") for detail in details)


def test_derivatives_are_counted_from_the_innermost() -> None:
    assert name_derivative("") == name_derivative("forward of forward") == ""
    assert name_derivative("forward of backward") == "first derivative"
    assert name_derivative("backward of forward") == "second derivative"
    assert name_derivative("forward of backward of forward") == "second derivative"
    assert name_derivative("backward of forward of forward") == "third derivative"
    assert name_derivative("backward" + " of forward" * 9) == ""


def test_orders_are_read_from_names() -> None:
    assert read_orders("jvp(out)/transpose(jvp(a))/b") == "forward of backward"
    assert read_orders("transpose(jvp(jvp(a)))") == "backward of forward"
    assert read_orders("transpose(jvp(a))/b") == ""
    assert read_orders("vmap(jvp(vmap(transpose(jvp(a)))))") == "forward of backward"
