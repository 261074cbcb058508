"""The product of a small loop: XLA makes it anew, nameless, and stamps the loop's name on it."""

from __future__ import annotations

from pathlib import Path

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
