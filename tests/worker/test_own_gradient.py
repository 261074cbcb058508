"""When the stage `gradient` is made: never of a program that is a derivative, unless asked for."""

from __future__ import annotations

from pathlib import Path

import jax
import numpy as np
import pytest

from jaxscope.client import one_shot
from jaxscope.model import Capture, NodeKind, Stage
from jaxscope.model.stages import has_own_sum
from jaxscope.model.unavailable import is_available
from jaxscope.model.units import format_bytes
from jaxscope.program.links import NO_LINKS
from jaxscope.program.memory.residuals import find_residuals
from jaxscope.report.memory import describe_kept, kept_table
from jaxscope.ui.selection.inspector import describe_node

SOURCE = """\
import jax, jax.numpy as jnp


def loss(w, x):
    return jnp.sum(jnp.tanh(x @ w) ** 2)


def step(w, x):
    value, gradient = jax.value_and_grad(loss)(w, x)
    return w - 0.1 * gradient, value


def trained(w, xs):
    return jax.lax.scan(step, w, xs)


def pushed(w, x):
    return jax.jvp(lambda w: loss(w, x), (w,), (w,))


def pulled(w, x):
    _, back = jax.vjp(loss, w, x)
    return back(1.0)


def solved(w, x):
    return jnp.linalg.solve(w.T @ w, w.T @ x[0])


def layer(w, x):
    return x @ w, jnp.tanh(w)


def counted(w, x):
    return loss(w, x), jnp.arange(3)


def scaled(w, x):
    return jax.custom_derivatives.linear_call(lambda w, x: x * w, lambda w, t: t * w, w, x)


def many(x):
    for _ in range(5001):
        x = x + 1.0
    return x
"""
ARGUMENTS = "(f32[8, 4], f32[16, 8])"


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "steps.py"
    path.write_text(SOURCE)
    return str(path)


def scaled(w: jax.Array, x: jax.Array) -> jax.Array:
    """The same as in the program."""
    call = jax.custom_derivatives.linear_call
    return call(lambda w, x: x * w, lambda w, t: t * w, w, x)


def gradient_of(capture: Capture) -> Stage:
    stage = capture.stage("gradient")
    assert stage is not None, "it stays in the list"
    return stage


def test_a_loss_has_a_gradient_that_is_told_from_what_is_compiled(program: str) -> None:
    capture = one_shot.capture(program, f"loss{ARGUMENTS}")
    assert gradient_of(capture).unavailable is None
    kept = find_residuals(capture)
    assert kept.stage == "gradient" and not kept.is_compiled
    assert "would keep" in describe_kept(kept) and "not compiled" in describe_kept(kept)


def test_the_rules_of_a_linear_solve_are_no_derivative(program: str) -> None:
    """JAX transposes its product, without having differentiated it."""
    capture = one_shot.capture(program, f"solved{ARGUMENTS}")
    assert gradient_of(capture).unavailable is None
    kept = find_residuals(capture)
    assert kept.stage == "gradient" and not kept.is_compiled


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["step", "pulled", "pushed"])
def test_a_program_that_is_a_derivative_is_not_derived_again(program: str, name: str) -> None:
    capture = one_shot.capture(program, f"{name}{ARGUMENTS}")
    missing = gradient_of(capture).unavailable
    assert missing is not None
    assert "holds its own derivative" in missing.reason
    assert "--gradient" in missing.reason
    assert "steps.py:5" in missing.reason
    if name == "step":
        kept = find_residuals(capture)
        assert kept.stage == "jaxpr" and kept.is_compiled, "the one that is compiled"


def test_an_assertion_of_jaxs_is_not_called_one_of_the_code(program: str) -> None:
    with pytest.raises(AssertionError) as raised:
        jax.grad(lambda w, x: scaled(w, x).sum(), argnums=(0, 1))(np.ones(3), np.ones(3))
    assert not str(raised.value)
    missing = gradient_of(one_shot.capture(program, "scaled(f32[3], f32[3])")).unavailable
    assert missing is not None
    told = "JAX cannot differentiate it: AssertionError is raised without a message."
    assert missing.reason == told


def test_who_asks_gets_it(program: str) -> None:
    capture = one_shot.capture(program, f"step{ARGUMENTS}", gradient=True)
    assert gradient_of(capture).unavailable is None
    assert find_residuals(capture).stage == "jaxpr"


@pytest.mark.slow
def test_a_large_program_is_derived_on_request(program: str) -> None:
    missing = gradient_of(one_shot.capture(program, "many(f32[2])")).unavailable
    assert missing is not None
    assert "5,001 equations" in missing.reason and "--gradient" in missing.reason


def test_no_stage_waits_for_it(program: str) -> None:
    order: list[str] = []

    def note(event: object) -> None:
        stage = getattr(event, "stage", None)
        if isinstance(stage, Stage) and stage.name not in order:
            order.append(stage.name)

    one_shot.capture(program, f"loss{ARGUMENTS}", on_event=note)
    assert order[-1] == "gradient" and "machine" in order


def test_what_a_loop_keeps_for_its_own_derivative_is_said(program: str) -> None:
    once = find_residuals(one_shot.capture(program, f"step{ARGUMENTS}"))
    looped = find_residuals(one_shot.capture(program, "trained(f32[8, 4], f32[3, 16, 8])"))
    assert len(once.values) > 1 and not once.in_rounds
    assert "round" not in describe_kept(once)
    assert not looped.values
    assert sorted(v.type for v in looped.in_rounds) == sorted(v.type for v in once.values)
    assert looped.num_bytes_in_rounds == once.num_bytes
    told = f"{format_bytes(once.num_bytes)} in {len(once.values)} values within a round of a loop"
    assert told in describe_kept(looped)
    assert all("a round" in row[0].text for row in kept_table(looped).rows)


def test_what_is_added_to_sum_results_is_told_from_the_function(program: str) -> None:
    """Of one number nothing is summed, whatever stands beside it that is no float."""
    stage = gradient_of(one_shot.capture(program, f"layer{ARGUMENTS}"))
    assert has_own_sum(stage) and is_available(stage.graph)
    nodes = [stage.graph.node(n) for n in range(len(stage.graph.nodes))]
    equations = [node for node in nodes if node.kind is NodeKind.EQUATION]
    added = [node for node in equations if not node.origins]
    assert [node.operation for node in added[:3]] == ["reduce_sum", "reduce_sum", "add"]
    for node in equations:
        told = describe_node(stage, nodes.index(node), NO_LINKS, "#888")
        assert ("Added by jaxscope" in told) == (node in added), node.operation
    for name in ("loss", "counted"):
        one = gradient_of(one_shot.capture(program, f"{name}{ARGUMENTS}"))
        assert is_available(one.graph) and not has_own_sum(one)
