"""The forward and the backward part of a program, each in a box of its own."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jaxscope.in_process import capture_function
from jaxscope.model import Direction, Graph, GraphBuilder, NodeKind
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.forward_backward import counterpart_name
from jaxscope.picture.view.open_groups import (
    choose_opened,
    list_next,
    list_openings,
    open_largest,
)
from jaxscope.picture.view.tree import Branch, BranchKind
from jaxscope.picture.view.view import ROOT, View
from jaxscope.program.size import is_counted

from .programs import compile_module, layers, outline, simplify, trace

X = jnp.ones(3)


def loss(w: jax.Array, x: jax.Array) -> jax.Array:
    return (jnp.tanh(w * x) ** 2).sum()


def halves(view: View) -> list[int]:
    kinds = (BranchKind.FORWARD, BranchKind.BACKWARD)
    return [index for index, box in enumerate(view.boxes) if box.kind in kinds]


def leaves(view: View, box: int) -> list[int]:
    """Nodes with a box of their own inside a box."""
    children = view.boxes[box].children
    if not children:
        return [view.boxes[box].node]
    return [node for child in children for node in leaves(view, child)]


def assert_no_cycles(view: View) -> None:
    """No box is both before and after another one in the same group."""
    for parent, group in enumerate(view.boxes):
        side = {child: child for child in group.children}
        for index in range(parent + 1, len(view.boxes)):  # parents come before children
            if view.boxes[index].parent in side:
                side[index] = side[view.boxes[index].parent]
        after: dict[int, set[int]] = {child: set() for child in group.children}
        for edge in view.edges:
            ends = side.get(edge.source), side.get(edge.target)
            if None not in ends and ends[0] != ends[1]:
                after[ends[0]].add(ends[1])  # type: ignore[index, arg-type] # neither is None
        left = dict(after)
        while left:
            last = [child for child, users in left.items() if not users & left.keys()]
            assert last, f"a cycle in {group.id}"
            for child in last:
                del left[child]


def assert_shown_once(view: View, graph: Graph) -> None:
    shown = leaves(view, ROOT)
    assert len(shown) == len(set(shown))
    assert all(box >= 0 for box in view.box_of_node.tolist()), len(graph.nodes)


def test_a_gradient_has_two_halves() -> None:
    view = simplify(jax.value_and_grad(loss), X, X)
    forward, backward = halves(view)
    assert view.boxes[forward].label.startswith("forward")
    assert view.boxes[backward].label.startswith("backward")
    directions = view.graph.nodes.direction
    assert {int(directions[node]) for node in leaves(view, forward)} == {int(Direction.FORWARD)}
    assert {int(directions[node]) for node in leaves(view, backward)} == {int(Direction.BACKWARD)}


def test_each_part_counts_the_equations_that_are_of_it() -> None:
    """Also a constant of the forward pass that only the backward pass uses: JAX keeps its zeros."""

    def masked(w: jax.Array, x: jax.Array) -> jax.Array:
        return jnp.where(x > 0, jnp.tanh(w) * x, 0.0).prod() + loss(w, x)

    graph = trace(jax.grad(masked), X, X)
    view = build_view(graph)
    directions, counted = graph.nodes.direction, is_counted(graph)
    for part, direction in zip(halves(view), (Direction.FORWARD, Direction.BACKWARD), strict=True):
        held = [part in view.ancestors(box) for box in view.box_of_node.tolist()]
        assert (counted & held).tolist() == (counted & (directions == direction)).tolist()


def test_a_program_without_gradient_has_none() -> None:
    assert halves(simplify(loss, X, X)) == []
    assert halves(simplify(lambda w, x: jax.jvp(loss, (w, x), (w, x)), X, X)) == []


def test_the_pairs_can_be_switched_off() -> None:
    assert halves(simplify(jax.grad(loss), X, X, without=["pair-halves"])) == []


def test_what_has_no_direction_stays_outside() -> None:
    def step(w: jax.Array, x: jax.Array) -> jax.Array:
        return w - 0.1 * jax.grad(loss)(w, jnp.cos(x))

    view = simplify(step, X, X, without=["group-by-function"])
    lines = outline(view, view.all_groups())
    assert [line for line in lines if not line.startswith("  ")] == [
        "a", "b", "cos", "- forward", "- backward", "mul 0.1", "sub", "result",
    ]  # fmt: skip


def test_every_step_of_an_unrolled_training_has_its_pair() -> None:
    def train(w: jax.Array, x: jax.Array) -> jax.Array:
        for _ in range(2):
            w = w - 0.1 * jax.grad(loss)(w, x)
        return w

    view = simplify(train, X, X, without=["group-by-function", "box-repeats"])
    labels = [view.boxes[index].label for index in halves(view)]
    assert labels == ["forward", "backward"] * 2
    assert_no_cycles(view)


@jax.custom_vjp
def halved(x: jax.Array) -> jax.Array:
    return jnp.sin(x) * 2


halved.defvjp(lambda x: (halved(x), jnp.cos(x)), lambda kept, g: (g * kept / 2,))


def scanned(x: jax.Array) -> jax.Array:
    return jax.lax.scan(lambda c, _: (jnp.tanh(c) * 2, c.sum()), x, None, length=5)[0].sum()


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "custom rule": (jax.grad(lambda x: (halved(x) ** 2).sum()), (X,)),
    "checkpoint": (jax.grad(jax.checkpoint(lambda x: (jnp.sin(x) * x).sum())), (X,)),
    "loop": (jax.grad(scanned), (X,)),
    "second derivative": (jax.grad(lambda x: jax.grad(scanned)(x).sum()), (X,)),
    "hessian": (jax.hessian(scanned), (X,)),
    "in a loop": (
        lambda w: jax.lax.fori_loop(0, 3, lambda _, w: w - jax.grad(loss)(w, X), w),
        (X,),
    ),
    "layers": (jax.value_and_grad(layers(4)[0]), layers(4)[1]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_pairs_neither_lose_a_node_nor_close_a_cycle(name: str) -> None:
    function, arguments = PROGRAMS[name]
    graph = trace(function, *arguments)
    view = build_view(graph)
    assert_shown_once(view, graph)
    assert_no_cycles(view)


def test_fusions_are_never_split() -> None:
    function, arguments = layers(4)
    view = build_view(compile_module(jax.grad(function), *arguments))
    for index in halves(view):
        around = {view.boxes[each].kind for each in view.ancestors(index)}
        assert BranchKind.FUSION not in around


@pytest.mark.parametrize("seed", range(30))
def test_no_program_gets_a_cycle(seed: int) -> None:
    rng = random.Random(seed)
    builder = GraphBuilder()
    nodes: list[int] = []
    for number in range(40):
        direction = rng.choice(list(Direction))
        node = builder.add_node(str(number), NodeKind.EQUATION, f"op{number}", direction=direction)
        for operand, source in enumerate(rng.sample(nodes[-8:], min(len(nodes[-8:]), 2))):
            builder.add_edge(source, node, operand=operand)
        nodes.append(node)
    graph = builder.build()
    view = build_view(graph)
    assert_shown_once(view, graph)
    assert_no_cycles(view)
    names = [box.id for box in view.boxes]
    assert len(names) == len(set(names))
    assert names == [box.id for box in build_view(graph).boxes]


def test_groups_of_both_parts_are_known_to_belong_together() -> None:
    assert counterpart_name("layer_11 backward") == counterpart_name("layer")
    assert counterpart_name("loss") != counterpart_name("normalize")
    assert counterpart_name("scan ×7 reversed · column") == counterpart_name("scan ×7 · column")


def test_both_parts_of_a_gradient_are_opened_or_none() -> None:
    function, arguments = layers(12)
    view = build_view(trace(jax.grad(function), *arguments))
    parts = frozenset(view.boxes[index].id for index in halves(view))
    assert {parts & opened for opened in list_openings(view)} == {parts, frozenset()}
    assert parts <= open_largest(view, view.opened, 1, 6), "the one that tells something, too"
    assert list_next(view, frozenset())[0] >= parts


def test_of_alike_groups_of_both_parts_one_of_each_is_opened_where_little_would_be_seen() -> None:
    def nested(x: jax.Array) -> jax.Array:
        def row(total: jax.Array, values: jax.Array) -> tuple[jax.Array, jax.Array]:
            return jnp.sin(total * values).sum(), jnp.cos(values)

        total, rows = jax.lax.scan(row, jnp.float32(0), x)
        return total + rows.sum()

    view = simplify(jax.grad(nested), jnp.ones((5, 7)))
    loops = {box.id for box in view.boxes if "scan ×5" in box.label}
    assert len(loops) == 2
    assert {len(loops & opened) for opened in list_openings(view)} <= {0, 2}


def test_where_one_of_alike_groups_is_open_the_others_are_opened_next() -> None:
    function, arguments = layers(3)
    view = build_view(trace(jax.grad(function), *arguments), ["box-repeats"])
    parts = frozenset(view.boxes[index].id for index in halves(view))
    layer = next(box.id for box in view.boxes if box.label == "layer_1 backward")
    choice = list_next(view, parts | {layer})[0]
    labels = {view.boxes[view.index_of(each) or 0].label for each in choice}
    assert labels == {f"layer_{n}{end}" for n in range(3) for end in ("", " backward")} - {
        "layer_1 backward"
    }


def test_alike_groups_of_both_parts_are_opened_together_or_not_at_all() -> None:
    function, arguments = layers(3)
    view = build_view(trace(jax.grad(function), *arguments), ["box-repeats"])
    layer = {box.id for box in view.boxes if box.label.startswith("layer_") and box.children}
    assert len(layer) == 6
    seen = [len(layer & opened) for opened in list_openings(view)]
    assert set(seen) == {0, 6}


def test_of_an_open_repeat_one_copy_stands_for_all() -> None:
    function, arguments = layers(6)
    view = build_view(trace(function, *arguments))
    repeat = next(box for box in view.boxes if box.copies > 1)
    opened = open_largest(view, view.all_groups(), 60)
    assert repeat.id in opened
    assert [view.boxes[copy].id in opened for copy in repeat.children] == [True] + [False] * 5


def test_groups_that_hold_parts_by_number_alone_stay_closed() -> None:
    def make(label: str, kind: BranchKind, *children: Branch | int) -> Branch:
        return Branch(label, kind, label, children)

    parts = (make(f"part {n}", BranchKind.SECTION, *range(20 * n, 20 * n + 20)) for n in range(3))
    long = make("long", BranchKind.SCOPE, *parts)
    short = make("short", BranchKind.SCOPE, *range(100, 105))
    many = make("root", BranchKind.PROGRAM, long, short, *range(60, 70))
    assert choose_opened(many) == {"short"}
    alone = make("root", BranchKind.PROGRAM, long, 60, 61)
    assert choose_opened(alone) == {"long"}  # nearly nothing else would be seen


def normed(g: jax.Array) -> jax.Array:
    return jnp.sqrt((g * g).sum() + 1e-8)


def moved(w: jax.Array, g: jax.Array) -> jax.Array:
    return w - 0.1 * jnp.tanh(g) * w


def two_layers(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
    return jnp.tanh(jnp.sin(x @ params["a"]) @ params["b"]).sum()


def labels(view: View) -> list[str]:
    return [view.boxes[child].label for child in view.boxes[ROOT].children]


def step(params: dict[str, jax.Array], x: jax.Array) -> dict[str, jax.Array]:
    gradients = jax.grad(two_layers)(params, x)
    return {name: moved(params[name], gradients[name]) for name in params}


def chained(params: dict[str, jax.Array], x: jax.Array) -> dict[str, jax.Array]:
    gradients = jax.grad(two_layers)(params, x)
    first = moved(params["a"], gradients["a"])
    scale = normed(jnp.cos(first) + 1)
    return {"a": first, "b": moved(params["b"], gradients["b"] * scale)}


@pytest.mark.parametrize(("program", "num"), [(step, 1), (chained, 2)])
def test_what_xla_orders_by_its_uses_is_one_group_unless_another_lies_between(
    program: Callable[..., Any], num: int
) -> None:
    """As an optimizer, whose instructions stand parameter by parameter."""
    params = {"a": jnp.ones((3, 4)), "b": jnp.ones((4, 2))}
    graph = capture_function(program, (params, jnp.ones((5, 3))), {}).stage("hlo").graph
    view = build_view(graph)
    assert len(halves(view)) == 2
    assert labels(view).count("moved") == num
    assert_no_cycles(view)


def settled(w: jax.Array, g: jax.Array) -> jax.Array:
    for _ in range(3):
        g = jnp.tanh(jnp.exp(jnp.sin(jnp.cos(jnp.log(jnp.sqrt(g))))))
    return w - jnp.abs(g)


def many_layers(params: list[jax.Array], x: jax.Array) -> jax.Array:
    for w in params:
        x = jnp.tanh(x @ w)
    return x.sum()


@pytest.mark.slow
def test_groups_that_are_joined_have_ids_of_their_own() -> None:
    """What repeats in the first of them has other ids than what repeats in all of them."""

    def program(params: list[jax.Array], x: jax.Array) -> list[jax.Array]:
        updated = []
        for number, each in enumerate(jax.grad(many_layers)(params, x)):
            for _ in range(number):  # another start for each, so that they are not alike
                each = jnp.exp(each)
            updated.append(settled(params[number], each))
        return updated

    arguments = [jnp.ones((4, 4))] * 6, jnp.ones((5, 4))
    view = build_view(capture_function(program, arguments, {}).stage("hlo").graph)
    (joined,) = [box for box in view.boxes if box.label == "settled"]
    assert joined.copies == 6
    groups = [box.id for box in view.boxes if box.children]
    assert len(set(groups)) == len(groups)


def scoped_layers(params: list[jax.Array], x: jax.Array) -> jax.Array:
    for number, w in enumerate(params):
        with jax.named_scope(f"layer_{number}"):
            x = jnp.tanh(x @ w)
    return (x * x).sum()


def tree_norm(grads: list[jax.Array]) -> jax.Array:
    return jnp.sqrt(sum((g * g).sum() for g in grads))


def clip(limit: float) -> Callable[..., Any]:
    def update_fn(grads: list[jax.Array], moments: list[jax.Array]) -> Any:
        norm = tree_norm(grads)
        return [jnp.where(norm < limit, g, g / norm * limit) for g in grads], moments

    return update_fn


def scale(rate: float) -> Callable[..., Any]:
    def update_fn(grads: list[jax.Array], moments: list[jax.Array]) -> Any:
        moments = [0.9 * m + 0.1 * g * g for m, g in zip(moments, grads, strict=True)]
        pairs = zip(grads, moments, strict=True)
        return [-rate * g / (jnp.sqrt(m) + 1e-8) for g, m in pairs], moments

    return update_fn


def both(*changes: Callable[..., Any]) -> Callable[..., Any]:
    def update_fn(grads: list[jax.Array], moments: list[jax.Array]) -> Any:
        for change in changes:
            grads, moments = change(grads, moments)
        return grads, moments

    return update_fn


def with_more_arguments(change: Callable[..., Any]) -> Callable[..., Any]:
    def update(grads: list[jax.Array], moments: list[jax.Array], **_: Any) -> Any:
        return change(grads, moments)

    return update


def apply_all(params: list[jax.Array], updates: list[jax.Array]) -> list[jax.Array]:
    return [w + u for w, u in zip(params, updates, strict=True)]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("layers", [scoped_layers, many_layers], ids=["scopes", "no scopes"])
def test_an_optimizer_is_the_same_groups_in_every_stage(layers: Callable[..., Any]) -> None:
    """Whatever XLA fuses, and though the step is called as what it calls is."""

    def update(params: list[jax.Array], moments: list[jax.Array], x: jax.Array) -> Any:
        grads = jax.grad(layers)(params, x)
        change = both(with_more_arguments(clip(1.0)), scale(0.1))
        updates, moments = change(grads, moments)
        return apply_all(params, updates), moments

    params = [jnp.ones((4, 5)), jnp.ones((5, 6)), jnp.ones((6, 7))]
    capture = capture_function(update, (params, params, jnp.ones((5, 4))), {})
    for stage in ("jaxpr", "stablehlo", "hlo", "optimized"):
        view = build_view(capture.stage(stage).graph)
        top = [view.boxes[child] for child in view.boxes[ROOT].children]
        groups = [box.label for box in top if box.kind in (BranchKind.SCOPE, BranchKind.FUSION)]
        assert groups == ["both", "apply_all"], stage
        assert not [box.label for box in view.boxes if "update itself" in box.label]
        assert_no_cycles(view)


def test_what_is_computed_again_and_merged_with_the_forward_part_is_in_it() -> None:
    """XLA keeps one of two alike instructions, which may bear the name of the backward part."""

    def block(w: jax.Array, x: jax.Array) -> jax.Array:
        h = jnp.sin(x @ w)
        return jnp.exp(-h * h) @ w.T

    def remade(ws: list[jax.Array], x: jax.Array) -> jax.Array:
        def run(ws: list[jax.Array], x: jax.Array) -> jax.Array:
            for w in ws:
                x = block(w, x)
            return x

        return (jax.checkpoint(run)(ws, x) ** 2).sum()

    arguments = [jnp.ones((16, 32))] * 3, jnp.ones((8, 16))
    graph = capture_function(jax.grad(remade), arguments, {}).stage("optimized").graph
    named = [number for number, text in enumerate(graph.strings) if "rematted_computation" in text]
    assert named, "what is computed again is told by its name"
    view = build_view(graph)
    forward, _ = halves(view)
    top = [view.boxes[child] for child in view.boxes[ROOT].children]
    outside = [box.label for box in top if box.kind in (BranchKind.SCOPE, BranchKind.FUSION)]
    assert not outside
    assert not any("backward" in view.boxes[c].label for c in view.boxes[forward].children)
    assert_no_cycles(view)


def test_two_calls_of_a_function_are_two_groups_of_the_jaxpr() -> None:
    params = {"a": jnp.ones((3, 4)), "b": jnp.ones((4, 2))}
    assert labels(build_view(trace(chained, params, jnp.ones((5, 3))))).count("moved") == 2
