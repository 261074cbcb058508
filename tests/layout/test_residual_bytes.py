"""The bytes on the line from forward to backward are those that JAX saves, in every stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax.extend
import numpy as np
import pytest

from captures import taking
from jaxscope.model import Capture, is_available
from jaxscope.model.units import format_bytes
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.tree import BranchKind

SOURCE = """\
import jax
import jax.numpy as jnp


def scanned(w, xs):
    def step(h, x):
        h = jnp.tanh(h @ w + x)
        return h, h.sum()

    h, sums = jax.lax.scan(step, jnp.zeros(4), xs)
    return jnp.mean(sums**2) + jnp.sum(h)


def gated(w, xs):
    def step(h, x):
        z = jax.nn.sigmoid(x @ w["z"] + h)
        return (1 - z) * h + z * jnp.tanh(x @ w["h"]), None

    return jnp.sum(jax.lax.scan(step, jnp.zeros(4), xs)[0] ** 2)


def nested(w, xs):
    def row(h, x):
        def step(h, _):
            return jnp.tanh(h @ w + x), h.sum()

        h, sums = jax.lax.scan(step, h, None, length=3)
        return h, sums.sum()

    h, sums = jax.lax.scan(row, jnp.zeros(4), xs)
    return jnp.sum(h) + jnp.mean(sums**2)


def choosing(w, xs):
    def step(h, x):
        return jax.lax.cond(h.sum() > 0, lambda h: jnp.tanh(h @ w), lambda h: h * x, h), None

    return jnp.sum(jax.lax.scan(step, jnp.ones(4), xs)[0])


def counted(w, x):
    return jnp.sum(jax.lax.fori_loop(0, 5, lambda i, h: jnp.sin(h @ w), x))


def again(w, x):
    def step(h, _):
        return jnp.tanh(h @ w), None

    return jnp.sum(jax.lax.scan(jax.checkpoint(step), x, None, length=6)[0])


def carried(w, xs):
    return jax.lax.scan(lambda h, x: (jnp.tanh(h @ w + x), None), jnp.zeros(4), xs)[0]


def wave(w, x):
    return jnp.sin(x @ w) * x**2


def smooth(w, x):
    return jnp.sum(wave(w, x))


def with_more(w, x):
    y = wave(w, x)
    return jnp.sum(y), {"mean": jnp.mean(y), "y": y}


@jax.custom_vjp
def ruled(x):
    return jnp.sin(x) * x


ruled.defvjp(
    lambda x: (ruled(x), (jnp.cos(x), jnp.exp(x))),
    lambda kept, g: (jnp.clip(g * kept[0] + kept[1], -1, 1),),
)


def of_a_rule(w, x):
    return jnp.sum(ruled(x @ w) ** 3)


def windowed(w, x):
    y = jnp.tanh(jnp.sin(x @ w) * jnp.hanning(4) + 1)
    return jnp.sum(y * jnp.exp(y))


def trained(w, xs):
    for _ in range(2):
        w = w - 0.1 * jax.grad(scanned)(w, xs)
    return w


def pulled(w, x):
    return jnp.tanh(jnp.sin(x @ w))


def pulled_twice(w, x):
    y, back = jax.vjp(lambda w: pulled(w, x), w)
    z, again = jax.vjp(lambda w: pulled(w, x), w - back(y)[0])
    return again(z)[0] + back(z)[0]
"""

MATRIX, VECTOR, ROWS = "f32[4, 4]", "f32[4]", "f32[6, 4]"
GATES = "{'z': f32[4, 4], 'h': f32[4, 4]}"

Take = Callable[[str], Capture]


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Take, dict[str, Any]]]:
    file = tmp_path_factory.mktemp("kept") / "programs.py"
    file.write_text(SOURCE)
    names: dict[str, Any] = {}
    exec(compile(SOURCE, str(file), "exec"), names)
    with taking() as capture:
        yield lambda call: capture(Path(file), call), names


def draw(capture: Capture) -> Iterator[tuple[str, Scene]]:
    """Of each stage with a graph its picture, all boxes closed."""
    for stage in capture.stages:
        if is_available(stage.graph):
            yield stage.name, build_scene(build_view(stage.graph), frozenset())


def told(scene: Scene) -> list[str]:
    """What the lines of residuals say that they lead."""
    lines = scene.lines
    types = [lines.types[line] for line in np.flatnonzero(lines.is_residual).tolist()]
    return [text.rpartition(" · ")[2] for text in types]


def measure_saved(function: Callable[..., Any], *arguments: Any) -> int:
    """Bytes of what JAX saves to differentiate by the first argument, without the arguments."""

    def save(*arguments: Any) -> list[jax.Array]:
        first, *rest = arguments
        return jax.tree.leaves(jax.vjp(lambda first: function(first, *rest), first)[1])

    jaxpr = jax.make_jaxpr(save)(*arguments).jaxpr
    made = {each for equation in jaxpr.eqns for each in equation.outvars}
    saved = dict.fromkeys(each for each in jaxpr.outvars if isinstance(each, jax.extend.core.Var))
    return sum(each.aval.size * each.aval.dtype.itemsize for each in saved if each in made)


SHORT = {"wave", "smooth", "with_more", "of_a_rule", "windowed"}
"""Without a loop: XLA fuses both parts, or computes some of the forward part again."""

CALLS = {
    f"grad(scanned)({MATRIX}, {ROWS})": "scanned",
    f"jit(value_and_grad(scanned))({MATRIX}, {ROWS})": "scanned",
    f"value_and_grad(gated)({GATES}, {ROWS})": "gated",
    f"grad(nested)({MATRIX}, {ROWS})": "nested",
    f"grad(choosing)({MATRIX}, {ROWS})": "choosing",
    f"grad(counted)({MATRIX}, {VECTOR})": "counted",
    f"grad(again)({MATRIX}, {VECTOR})": "again",
    f"jacrev(carried)({MATRIX}, {ROWS})": "carried",
    f"jacrev(wave)({MATRIX}, {VECTOR})": "wave",
    f"grad(smooth)({MATRIX}, {VECTOR})": "smooth",
    f"value_and_grad(with_more, has_aux=True)({MATRIX}, {VECTOR})": "with_more",
    f"grad(of_a_rule)({MATRIX}, {VECTOR})": "of_a_rule",
    f"grad(windowed)({MATRIX}, {VECTOR})": "windowed",
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("call", "name"), CALLS.items())
def test_every_stage_tells_the_bytes_that_jax_saves(
    space: tuple[Take, dict[str, Any]], call: str, name: str
) -> None:
    """What the backward part begins with is not among them, a mask of the forward part is."""
    take, names = space
    inputs = (MATRIX, ROWS if ROWS in call else VECTOR)
    first, second = (np.ones(eval(text.removeprefix("f32")), np.float32) for text in inputs)
    weights = {"z": first, "h": first} if GATES in call else first
    saved = format_bytes(measure_saved(names[name], weights, second))
    stages = {stage: told(scene) for stage, scene in draw(take(call))}
    drawn = {stage: texts for stage, texts in stages.items() if texts}
    assert {"stablehlo", "hlo"} < drawn.keys(), "and the stage of the gradient"
    if name in SHORT:
        drawn.pop("optimized", None)
    else:
        assert "optimized" in drawn
    assert drawn == {stage: [saved] for stage in drawn}


def test_a_batch_keeps_as_much_for_each_of_its_elements(
    space: tuple[Take, dict[str, Any]],
) -> None:
    take, names = space
    x = np.ones((6, 4), np.float32)
    saved = measure_saved(names["scanned"], np.ones((4, 4), np.float32), x)
    call = f"vmap(grad(scanned), in_axes=(None, 0))({MATRIX}, f32[5, 6, 4])"
    stages = {stage: told(scene) for stage, scene in draw(take(call))}
    assert stages.pop("jaxpr") == []
    assert stages.pop("grad") == [format_bytes(saved)]
    assert stages == {stage: [format_bytes(5 * saved)] for stage in stages}


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("call", "kept", "lowered"),
    [
        # cos and the square of x, and for each of 16 tangents of w what -sin gives
        ("hessian(smooth)", 16 + 16 + 16 * 16, 16 + 16 * 16),
        ("jacfwd(jacrev(smooth))", 16 + 16 + 16 * 16, 16 + 16 * 16),
    ],
)
def test_a_second_derivative_begins_with_ones_that_it_does_not_keep(
    space: tuple[Take, dict[str, Any]], call: str, kept: int, lowered: int
) -> None:
    """The cosine is for the gradient, which a hessian does not give: lowering drops it."""
    take, _ = space
    stages = {stage: told(scene) for stage, scene in draw(take(f"{call}({MATRIX}, {VECTOR})"))}
    own = "hessian" if call.startswith("hessian") else "jacfwd(jacrev)"
    assert stages[own] == [format_bytes(kept)]
    assert stages["stablehlo"] == stages["hlo"] == [format_bytes(lowered)]


def test_rounds_of_a_training_keep_in_hlo_what_the_jaxpr_says(
    space: tuple[Take, dict[str, Any]],
) -> None:
    """Each keeps what JAX keeps of it, and its weights, updated or not, are given to it."""
    take, names = space
    x = np.ones((6, 4), np.float32)
    saved = measure_saved(names["scanned"], np.ones((4, 4), np.float32), x)
    rounds = [format_bytes(saved)] * 2
    stages = {stage: told(scene) for stage, scene in draw(take(f"trained({MATRIX}, {ROWS})"))}
    assert stages == dict.fromkeys(["jaxpr", "stablehlo", "hlo", "optimized"], rounds)


def test_what_a_later_backward_part_needs_is_kept_for_it_too(
    space: tuple[Take, dict[str, Any]],
) -> None:
    """Of the three lines from a forward to a backward part one leads from the first to the last."""
    take, names = space
    x = np.ones((6, 4), np.float32)
    saved = format_bytes(measure_saved(names["pulled"], np.ones((4, 4), np.float32), x))
    stages = {stage: told(scene) for stage, scene in draw(take(f"pulled_twice({MATRIX}, {ROWS})"))}
    assert stages["jaxpr"] == stages["stablehlo"] == stages["hlo"] == [saved] * 3
    assert len(stages["optimized"]) == 3, "fused, the parts keep less"


def test_what_the_backward_loop_begins_with_stands_in_the_backward_part(
    space: tuple[Take, dict[str, Any]],
) -> None:
    """In HLO its zeros have no name, which would tell the part."""
    take, _ = space
    stage = take(f"grad(scanned)({MATRIX}, {ROWS})").stage("hlo")
    assert stage is not None and is_available(stage.graph)
    view = build_view(stage.graph)
    scene = build_scene(view, view.all_groups())
    (backward,) = [box.id for box in view.boxes if box.kind is BranchKind.BACKWARD]
    graph, part = stage.graph, scene.item_of_id[backward]
    names = {node: graph.attributes(node).get("op_name", "") for node in graph.nodes_of({"tuple"})}
    (loop,) = [node for node, name in names.items() if name.endswith("transpose(jvp())/while")]
    # What the loop adds up to the gradient, and what it carries.
    begins = [
        int(source)
        for source in graph.edges.source[graph.edges.target == loop].tolist()
        if graph.operation(int(source)) == "broadcast"
    ]
    assert sorted(graph.types(node)[0] for node in begins) == ["f32[4,4]", "f32[4]"]
    for node in begins:
        item = int(scene.item_of_node[node])
        while item not in (part, -1):
            item = int(scene.items.parent[item])
        assert item == part
