"""The product of a small loop: XLA makes it anew, nameless, and stamps the loop's name on it."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.in_process import capture_function
from jaxscope.model import Capture, Graph
from jaxscope.program.cost.attribution import CostChange, RowKind, find_cost_change
from tests.fates import told_wrong

SIZE, ROUNDS = 8, 10
FLOPS = 2 * SIZE * SIZE * ROUNDS
"""A multiplication and an addition for each element of the weights, in each round."""


@pytest.fixture(scope="module", params=[False, True], ids=["alone", "recorded"])
def loop(request: pytest.FixtureRequest) -> Capture:
    arrays = [np.ones(shape, np.float32) for shape in ((SIZE, SIZE), (SIZE,), (ROUNDS, SIZE))]
    return capture_function(told_wrong.small_loop, tuple(arrays), {}, passes=request.param)


def several_scatters(x: jax.Array) -> jax.Array:
    y = x.at[0].set(1.0).at[1].set(x[2])
    z = jnp.sin(y).at[2].set(3.0).at[3].set(y[0])
    return (y * z).sum()


def test_of_loops_unrolled_together_none_is_said_to_change_nothing() -> None:
    """XLA makes a loop of one round of each scatter, and unrolls all at once.

    Up to JAX 0.11 it then names nothing of what is new, since 0.12 it does.
    """
    arguments = (np.ones(4, np.float32),)
    capture = capture_function(jax.grad(several_scatters), arguments, {}, passes=True)
    scatters = ids_of(capture, "jaxpr", "scatter")

    assert len(ids_of(capture, "optimized", "dynamic-update-slice")) == len(scatters) == 8
    fates = [capture.fates[each] for each in scatters]
    assert {fate.fate for fate in fates} <= {"fused", "kernel", "unknown"}
    assert {fate.text for fate in fates if fate.fate == "unknown"} <= {
        "Unrolled by simplify-while-loops; which of the new instructions are its own is not told."
    }


def ids_of(capture: Capture, name: str, operation: str) -> list[str]:
    stage = capture.stage(name)
    assert stage is not None and isinstance(stage.graph, Graph)
    indices = stage.graph.index_by_id.values()
    return [stage.graph.id(i) for i in indices if stage.graph.operation(i) == operation]


def line_of(text: str) -> int:
    lines = Path(told_wrong.__file__).read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_it_runs_and_is_not_simplified_away(loop: Capture) -> None:
    fate = loop.fates["0/jaxpr/0"]
    assert fate.fate in ("library", "kernel")
    assert fate.instructions[0] == "dot"
    assert fate.certainty == ("proven" if loop.passes else "inferred")


def test_the_loop_does_not_claim_it(loop: Capture) -> None:
    assert "dot" not in loop.fates["0"].instructions
    stage = loop.stage("optimized")
    assert stage is not None and isinstance(stage.graph, Graph)
    product = stage.graph.node(stage.graph.index_by_id["dot"])
    assert (product.derived, product.source) == ((), ())
    assert product.attributes["op_name"].endswith("/while")  # XLA's own text stays as it is


def test_its_work_is_counted_at_its_line(loop: Capture) -> None:
    change = find_cost_change(loop, RowKind.LINE)
    assert isinstance(change, CostChange)
    flops = {row.name: row.after.cost.flops for row in change.rows}
    place = f"told_wrong.py:{line_of('c = jnp.tanh(c @ w + x)')}"
    assert flops[place] == FLOPS + SIZE * ROUNDS  # and the addition of x
    assert flops[f"told_wrong.py:{line_of('return lax.scan(step, c, xs)')}"] < 3 * ROUNDS
