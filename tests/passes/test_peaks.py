"""Peak memory after each pass: by XLA's schedule where there is one, else estimated and marked."""

from __future__ import annotations

import math
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from jaxscope.export.capture_json import capture_to_json
from jaxscope.model import Capture, PassRecord
from jaxscope.program.hlo.proto import parse_module
from jaxscope.program.memory.module_peak import find_module_peak, is_scheduled
from jaxscope.program.passes import recorder
from jaxscope.program.passes.recorder import format_peak
from jaxscope.schema.archive import load_capture, save_capture
from tests.fates.programs import capture_passes


def chain(x: jax.Array) -> jax.Array:
    return jnp.sin(jnp.cos(x)) + x


def accumulate(x: jax.Array) -> jax.Array:
    return jax.lax.scan(lambda c, row: (c + jnp.sin(row @ row.T), None), jnp.zeros((16, 16)), x)[0]


@pytest.fixture(scope="module")
def capture() -> Capture:
    return capture_passes(chain, jnp.ones(1000))


def test_before_the_schedule_there_is_an_estimate_and_nothing_else(capture: Capture) -> None:
    received, *_, compiled = capture.passes
    assert math.isnan(received.peak_bytes)
    # The argument, and at each of two steps what the step reads and writes.
    assert received.estimated_peak_bytes == 3 * 4000
    assert format_peak(received).startswith("~")
    assert compiled.peak_bytes == 2 * 4000
    assert math.isnan(compiled.estimated_peak_bytes)
    assert not format_peak(compiled).startswith("~")


def test_every_pass_has_one_of_the_two_in_json_and_in_a_file(
    capture: Capture, tmp_path: Path
) -> None:
    (stage,) = [s for s in capture_to_json(capture)["stages"] if s["name"] == "passes"]
    for row in stage["passes"]:
        assert (row["peak_bytes"] is None) is (row["estimated_peak_bytes"] is not None)
        assert (row["peak_bytes"] is None) is (row["peak_reason"] is not None)
    path = tmp_path / "c.jaxscope"
    save_capture(capture, path)
    again = load_capture(path).passes
    assert [format_peak(record) for record in again] == [format_peak(r) for r in capture.passes]


def test_program_order_does_not_depend_on_how_the_module_is_written_down(
    capture: Capture,
) -> None:
    module = parse_module(capture.passes[0].module())
    for computation in module.computations:
        rows = [row.SerializeToString() for row in computation.instructions]
        del computation.instructions[:]
        for row in reversed(rows):
            computation.instructions.add().ParseFromString(row)
    mixed_up = find_module_peak(module.SerializeToString())
    assert mixed_up.estimated_bytes == capture.passes[0].estimated_peak_bytes


@pytest.mark.sweep(1)
@pytest.mark.parametrize("shape", [(5, 16, 16), (2, 16, 64)])
def test_the_estimate_is_near_the_scheduled_figure_of_the_same_module(
    shape: tuple[int, ...],
) -> None:
    compiled = capture_passes(accumulate, jnp.ones(shape)).passes[-1].module()
    module = parse_module(compiled)
    assert is_scheduled(module)
    module.ClearField("schedule")
    estimate = find_module_peak(module.SerializeToString()).estimated_bytes
    assert estimate == pytest.approx(find_module_peak(compiled).scheduled_bytes, rel=0.2)


def test_what_took_too_long_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "_ESTIMATES_BUDGET_S", 0.0)
    first: PassRecord
    first, *_, compiled = capture_passes(chain, jnp.ones(8)).passes
    assert math.isnan(first.estimated_peak_bytes)
    assert "took long enough" in first.peak_missing
    assert compiled.peak_bytes > 0, "the schedule has time of its own"
