"""What the passes cost: XLA's count of each says that it is one round of a loop."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from jaxscope.export.capture_json import capture_to_json
from jaxscope.in_process import capture_function
from jaxscope.model import StageText
from jaxscope.program.cost.work import find_stage_works
from jaxscope.program.passes.recorder import COUNTED
from jaxscope.ui.pages.passes import HEADERS
from jaxscope.ui.session.screen import compute_screen
from jaxscope.ui.session.state import WindowState, show_capture

ONE_ROUND = 2 * 64**3


def loop(x: jax.Array) -> jax.Array:
    return jax.lax.scan(lambda c, _: (jnp.tanh(c @ x), None), x, None, length=10)[0]


def test_passes_count_loops_once_and_say_so_and_their_stage_counts_as_the_others() -> None:
    capture = capture_function(loop, (jnp.ones((64, 64)),), {}, passes=True)
    stage = capture.stage("passes")
    assert stage is not None
    assert capture.passes[0].cost.flops == pytest.approx(ONE_ROUND, rel=0.02)  # XLA's own

    works = find_stage_works(capture.stages)
    assert works["passes"] == works["optimized"]
    assert works["passes"].high.flops == pytest.approx(10 * ONE_ROUND, rel=0.02)
    steps = {step.name: step for step in compute_screen(show_capture(WindowState(), capture)).steps}
    assert steps["passes"].cost == steps["optimized"].cost

    assert isinstance(stage.text, StageText) and COUNTED in stage.text.text
    assert {"FLOPs, each loop once", "bytes, each loop once"} <= set(HEADERS)
    (told,) = [each for each in capture_to_json(capture)["stages"] if each["name"] == "passes"]
    assert told["counting"] == COUNTED
