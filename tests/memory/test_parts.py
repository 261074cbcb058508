"""Donation, residuals and captured constants, and the words for them."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from jax.ad_checkpoint import print_saved_residuals

from captures import taking
from jaxscope.export.capture_json import capture_to_json
from jaxscope.model import Capture, Unavailable
from jaxscope.program.memory.live_ranges import Donation, LiveRanges, find_donations
from jaxscope.program.memory.residuals import NO_RESIDUALS, find_constants, find_residuals
from jaxscope.report.document import write_text
from jaxscope.report.memory import MemoryReport, memory_report_to_json, memory_to_document
from jaxscope.schema.capture_messages import read_memory
from jaxscope.wire.messages import Message

from .conftest import SOURCE, Take


def donations_of(capture: Capture) -> dict[str, Donation]:
    found = find_donations(capture)
    assert not isinstance(found, Unavailable)
    return {donation.path: donation for donation in found}


def test_a_used_donation_names_the_result(take: Take) -> None:
    capture = take("jit(step, donate_argnums=0)({'a': f32[100], 'b': f32[50]}, f32[()])")
    found = donations_of(capture)
    assert [d.is_used for d in found.values()] == [True, True]
    assert found["state['a']"].text == "Used: result['a'] lies in its memory."


@pytest.mark.filterwarnings("ignore:Some donated buffers were not usable")
def test_a_donation_that_no_result_fits_says_why(take: Take) -> None:
    found = donations_of(take("jit(total, donate_argnums=0)(f32[100], f32[()])"))
    assert not found["x"].is_used
    assert "no result has its size" in found["x"].text
    assert "f32[100]" in found["x"].text


def test_a_donated_argument_that_nobody_reads(take: Take) -> None:
    found = donations_of(take("jit(first, donate_argnums=1)(f32[8], f32[8])"))
    assert "does not read it" in found["unused"].text
    assert not found["unused"].is_used


def test_nothing_donated_is_nothing_found(take: Take) -> None:
    assert find_donations(take("looped(f32[64, 64])")) == ()


def test_residuals_of_a_gradient(take: Take) -> None:
    residuals = find_residuals(take("grad(loss)([f32[64, 64]] * 4, f32[256, 64])"))
    assert residuals.stage == "grad"
    assert {value.type for value in residuals.values} == {"f32[256,64]"}
    # tanh and 1 - tanh of each layer, and the derivative of the square
    assert residuals.num_bytes == 256 * 64 * 4 * len(residuals.values)
    assert "tanh" in {value.operation for value in residuals.values}
    assert all(value.place is not None and value.readers for value in residuals.values)
    assert len({argument.id for argument in residuals.arguments}) >= 4  # the weights are read


def test_residuals_of_a_scan_are_stacked(take: Take) -> None:
    residuals = find_residuals(take("grad(scanned)(f32[6, 64, 64], f32[128, 64])"))
    stacked = [v for v in residuals.values if v.type == "f32[6,128,64]"]
    assert {value.operation for value in stacked} == {"scan"}


def test_a_plain_call_tells_of_its_gradient(take: Take) -> None:
    capture = take("loss([f32[64, 64]], f32[256, 64])")
    assert find_residuals(capture).stage == "gradient"
    assert find_residuals(dataclasses.replace(capture, stages=())) is NO_RESIDUALS


FORWARD = """\
import jax
import jax.numpy as jnp
from jax.sharding import AxisType

mesh = jax.make_mesh((1,), ("x",), axis_types=(AxisType.Explicit,))


def wave(x):
    return jnp.sin(x) * x**2


def windowed(x):
    return jnp.cos(x * jnp.hanning(8)) * jnp.ones(8)


def loss(x):
    return wave(x).sum()


def of_a_reference(x):
    ref = jax.new_ref(jnp.zeros(8))
    ref[...] = x * 3
    return jnp.sum(jax.freeze(ref) ** 2)


def on_a_mesh(x):
    return wave(jax.reshard(x, jax.NamedSharding(mesh, jax.P("x")))).sum()


def curved(x):
    return jax.hessian(loss)(x)


def adapted(x):
    return loss(x - 0.1 * jax.grad(loss)(x))


def penalized(x):
    return loss(x) + (jax.grad(loss)(x) ** 2).sum()


def stopped(x):
    return jnp.sum(jnp.sin(x) * jax.lax.stop_gradient(jax.grad(loss)(x)))


@jax.custom_vjp
def descended(x):
    return x - 0.1 * jax.grad(loss)(x)


descended.defvjp(lambda x: (descended(x),) * 2, lambda y, g: (g * y,))


def implicit(x):
    return (descended(jnp.sin(x)) ** 3).sum()
"""


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("jacrev(wave)(f32[8])", "wave"),
        ("jacrev(windowed)(f32[8])", "windowed"),
        ("grad(loss)(f32[8])", "loss"),
        ("grad(of_a_reference)(f32[8])", "of_a_reference"),
        ("grad(on_a_mesh)(f32[8])", "on_a_mesh"),
        ("grad(adapted)(f32[8])", "adapted"),
        ("grad(penalized)(f32[8])", "penalized"),
        ("grad(stopped)(f32[8])", "stopped"),
        ("vmap(grad(stopped))(f32[1, 8])", "stopped"),
        ("grad(implicit)(f32[8])", "implicit"),
    ],
)
def test_what_is_kept_is_what_jax_saves(tmp_path: Path, call: str, name: str) -> None:
    """The one or the identity matrix that the backward part begins with is not kept for it, and
    what a gradient inside of the function computes backward is forward to the one around it."""
    file = tmp_path / "forward.py"
    file.write_text(FORWARD)
    space: dict[str, Any] = {}
    exec(compile(FORWARD, str(file), "exec"), space)
    with contextlib.redirect_stdout(io.StringIO()) as told:
        print_saved_residuals(space[name], np.ones(8, np.float32))
    others = ("argument", "const", "literal")
    lines = [line for line in told.getvalue().splitlines() if not any(o in line for o in others)]
    saved = [line.split()[0] for line in lines]
    with taking() as capture:
        found = find_residuals(capture(file, call))
    kept = [value.type.replace("[1,8]", "[8]") for value in found.values]
    assert sorted(kept) == sorted(saved) != []


def test_a_hessian_begins_with_a_one_that_it_does_not_keep(tmp_path: Path) -> None:
    file = tmp_path / "forward.py"
    file.write_text(FORWARD)
    with taking() as capture:
        typed = find_residuals(capture(file, "hessian(loss)(f32[8])"))
        called = find_residuals(capture(file, "curved(f32[8])"))
    # All that is kept is made of x and its eight tangents; the one is of neither size.
    assert {value.type for value in typed.values} == {"f32[8]", "f32[8,8]"}
    assert [v.type for v in called.values] == [v.type for v in typed.values]


def test_captured_arrays_by_size_with_the_line_that_reads_them(take: Take) -> None:
    (constant,) = find_constants(take("captured(f32[4])"))
    assert (constant.type, constant.num_bytes) == ("f32[300,4]", 4800.0)
    assert constant.place is not None
    assert "TABLE" in SOURCE.splitlines()[constant.place.line - 1]
    assert len(constant.readers) == 1


def test_the_text_names_the_peak_and_its_line(take: Take) -> None:
    capture = take("grad(loss)([f32[64, 64]] * 4, f32[256, 64])")
    report = MemoryReport(capture)
    text = write_text(memory_to_document(report))
    live = report.live
    assert isinstance(live, LiveRanges)
    last = len(live.steps) - 1
    assert f"The most at step {live.peak_step} (they count from 0 to {last}), " in text
    assert "programs.py:12" in text
    assert "computed from the scheduled module" in text
    assert "Kept for the backward part of grad" in text


def test_results_of_the_plan_are_more_than_their_arrays(take: Take) -> None:
    report = MemoryReport(take("pair(f32[64])"))
    counted = jax.jit(lambda x: (x + 1, x * 2)).lower(np.ones(64, np.float32)).compile()
    whole = counted.memory_analysis().output_size_in_bytes
    assert whole - 2 * 64 * 4 == 16
    text = " ".join(write_text(memory_to_document(report)).split())
    assert f"results {whole} B what comes out, 16 B of it the addresses of 2 arrays" in text


def test_the_json_is_strict_and_complete(take: Take) -> None:
    capture = take("grad(scanned)(f32[6, 64, 64], f32[128, 64])")
    found = memory_report_to_json(MemoryReport(capture))
    text = json.dumps(found, allow_nan=False)
    live = json.loads(text)["live"]
    assert len(live["steps"]) == len(live["bytes"])
    assert max(live["bytes"]) == live["peak_bytes"]
    plan = capture_to_json(capture)["memory"]
    assert plan["argument_bytes"] == (6 * 64 * 64 + 128 * 64) * 4
    assert plan["unavailable"] is None


def test_a_missing_plan_keeps_its_reason(take: Take) -> None:
    capture = dataclasses.replace(
        take("looped(f32[64, 64])"), memory=Unavailable("This backend does not tell.")
    )
    assert "not available: This backend does not tell." in write_text(
        memory_to_document(MemoryReport(capture))
    )
    assert capture_to_json(capture)["memory"] == {"unavailable": "This backend does not tell."}


@pytest.mark.parametrize(
    "fields",
    [
        {"argument_bytes": -1},
        {"argument_bytes": "many"},
        {"argument_bytes": 1.5},
        {"peak_bytes": 2**64},
        {"temporary_bytes": float("inf")},
        {"donated": [-1]},
        {"kept": "all"},
        {"reason": 3},
    ],
)
def test_impossible_plans_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="malformed"):
        read_memory(Message("memory", fields))
