"""How long a trace took, where the file had JAX trace the function before."""

from __future__ import annotations

import json
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

import jaxscope
from jaxscope.export.capture_json import capture_to_json
from jaxscope.model import Capture, Unavailable
from jaxscope.schema.archive import load_capture, save_capture
from jaxscope.schema.contract import load_contract
from tests.captures import taking

SLEEP_S = 0.2
FILE = f"""\
import time
import jax
import jax.numpy as jnp

@jax.jit
def f(x):
    time.sleep({SLEEP_S})
    return jnp.sin(x)

def calls_it(x):
    return f(x) * 2

print(f(jnp.ones(3)))
"""


def traced(capture: Capture) -> list[float | Unavailable]:
    """Seconds of the stages that JAX traced."""
    return [
        stage.seconds for stage in capture.stages if stage.name in ("jaxpr", *capture.transforms)
    ]


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("call", "is_kept"),
    (
        ("f(f32[3])", True),
        ("jit(f)(f32[3])", True),
        ("calls_it(f32[3])", True),
        ("vmap(f)(f32[2,3])", True),
        ("f(f32[5])", False),
        ("vmap(f)(f32[2,5])", False),
    ),
)
def test_fetching_a_trace_is_not_said_to_be_making_it(
    tmp_path: Path, call: str, is_kept: bool
) -> None:
    """The function sleeps while it is traced: a shorter time cannot be that of tracing it."""
    file = tmp_path / "model.py"
    file.write_text(FILE)
    with taking() as capture:
        seconds = traced(capture(file, call))

    assert [isinstance(each, Unavailable) for each in seconds] == [is_kept] * len(seconds)
    assert all(isinstance(each, Unavailable) or each >= SLEEP_S for each in seconds)


def test_what_fetching_took_is_kept_in_files(tmp_path: Path) -> None:
    """The JSON has a number for each stage, and says of which it is not that of making it."""
    file = tmp_path / "model.py"
    file.write_text(FILE)
    with taking() as take:
        capture = take(file, "f(f32[3])")
    written = capture_to_json(capture)
    (tmp_path / "out.json").write_text(json.dumps(written))
    save_capture(capture, tmp_path / "out.jaxscope")

    stage = written["stages"][0]
    assert stage["seconds"] >= 0.0 and "kept" in stage["reasons"]["seconds"]
    for again in (load_contract(tmp_path / "out.json"), load_capture(tmp_path / "out.jaxscope")):
        assert again.stages[0].seconds == capture.stages[0].seconds
        assert again.stages[0].fetched_seconds == stage["seconds"]


def test_a_capture_in_this_process_says_how_long_it_took() -> None:
    def slow(x: jax.Array) -> jax.Array:
        time.sleep(SLEEP_S)
        return jnp.sin(x)

    assert jaxscope.capture(slow, jnp.ones(3)).wall_seconds >= SLEEP_S
