"""Kernels launched and bytes moved, equation by equation and optimized."""

from __future__ import annotations

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax.ad_checkpoint import checkpoint_name
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from jaxscope.in_process import capture_function
from jaxscope.program.fusion.summary import (
    FusionReport,
    compare_launches,
    count_fused,
    format_span,
    report_fusions,
)
from jaxscope.report.fusion import fusion_to_json

from .programs import CHAIN, FIVE_ROUNDS, UNKNOWN_ROUNDS, read

X = jnp.ones((8, 8))


def report(function: Callable[..., object]) -> FusionReport:
    found = report_fusions(capture_function(function, (X,), {}).stages)
    assert found is not None and found.one_by_one is not None
    return found


def test_a_fusion_is_one_kernel_whatever_is_inside() -> None:
    launches = count_fused(read(CHAIN, cost=(8.0, 64.0, 0.0)))
    assert launches.kernels.is_exact and launches.kernels.low == 1
    assert launches.num_bytes.low == 64.0


def test_a_loop_counts_its_rounds_and_its_condition_once_more() -> None:
    launches = count_fused(read(FIVE_ROUNDS, cost=(8.0, 64.0, 0.0)))
    # Five times add and sine, six times compare, and the cosine after it.
    assert launches.kernels.low == launches.kernels.high == 5 * 2 + 6 + 1
    assert launches.num_bytes.low == 17 * 64.0


def test_a_loop_of_unknown_rounds_gives_a_lower_bound_and_the_reason() -> None:
    launches = count_fused(read(UNKNOWN_ROUNDS))
    assert (launches.kernels.low, launches.kernels.high) == (2, math.inf)
    assert format_span(launches.kernels) == "at least 2"
    assert "loop" in launches.kernels.reason


def test_unknown_traffic_is_unknown_and_says_whose() -> None:
    launches = count_fused(read(CHAIN))
    assert math.isnan(launches.num_bytes.low)
    assert format_span(launches.num_bytes) == "unknown"
    told = compare_launches(launches, launches)
    assert told.startswith("The equations one by one: 1 kernel launch, an unknown number of bytes")
    assert launches.num_bytes.reason == "What chain (fusion) moves is not known."


def test_a_chain_of_equations_becomes_one_kernel() -> None:
    found = report(lambda x: jnp.tanh(jnp.sin(x) * 2.5 + 1.5))
    assert found.one_by_one is not None
    assert (found.one_by_one.kernels.low, found.fused.kernels.low) == (4, 1)
    # Fused: 256 bytes in and 256 out. One by one: four times that, and two scalars.
    assert found.fused.num_bytes.low == 512.0
    assert found.one_by_one.num_bytes.low == 4 * 512.0 + 2 * 4
    assert compare_launches(found.one_by_one, found.fused).startswith(
        "The equations one by one: 4 kernel launches, 2.01"
    )


def test_equations_of_calls_and_scans_count_one_by_one() -> None:
    @jax.jit
    def inner(x: jax.Array) -> jax.Array:
        return jnp.sin(x) * 2

    found = report(lambda x: jax.lax.scan(lambda c, r: (c + jnp.sin(r), None), inner(x)[0], x)[0])
    assert found.one_by_one is not None
    # sin, mul, slice, squeeze, then eight rounds of sin and add.
    assert found.one_by_one.kernels.low == 4 + 8 * 2
    assert "in the second count only" in compare_launches(found.one_by_one, found.fused)


def test_an_equation_that_became_a_loop_is_said_to_be_one_in_the_first_count() -> None:
    found = report(lambda x: jax.random.bits(jax.random.key(0), (8, 8)) + x.astype("uint32"))
    told = compare_launches(found.one_by_one, found.fused)
    assert found.fused.kernels.low > found.one_by_one.kernels.high
    assert told.endswith("loops of their own among them, is one in the first count.")


def test_an_equation_without_a_result_is_named_as_an_equation() -> None:
    def noted(x: jax.Array) -> jax.Array:
        jax.debug.print("{}", x.sum())
        return x + 1

    found = report(noted)
    assert found.one_by_one.num_bytes.reason == "What equation 1 (debug_print) moves is not known."


def test_marks_of_values_launch_nothing() -> None:
    mesh = jax.make_mesh((1,), ("i",), axis_types=(AxisType.Auto,))

    @jax.shard_map(mesh=mesh, in_specs=P("i"), out_specs=P())
    def summed(x: jax.Array) -> jax.Array:
        return jax.lax.psum(jnp.sin(checkpoint_name(x, "kept")) * jnp.ones((8, 8)), "i")

    found = report(summed)
    assert found.one_by_one is not None
    # Ones, sine, product, sum over the devices; no kernel marks the ones or names the argument.
    assert found.one_by_one.kernels.low == 4


def test_a_branch_gives_a_range() -> None:
    found = report(
        lambda x: jax.lax.cond(x[0, 0] > 0, lambda x: jnp.sin(x) * 2, lambda x: jnp.cos(x), x)
    )
    assert found.one_by_one is not None
    span = found.one_by_one.kernels
    assert span.high == span.low + 1
    assert format_span(span) == f"{span.low:.0f} to {span.high:.0f}"
    assert "branch" in span.reason


def test_json_has_null_for_what_is_not_known() -> None:
    found = fusion_to_json(report(lambda x: jax.lax.while_loop(lambda c: c.sum() < 9, jnp.sin, x)))
    assert found["one_by_one"]["kernels"]["high"] is None
    assert found["one_by_one"]["kernels"]["reason"]
    assert found["fused"]["definition"]


def test_a_capture_without_an_optimized_stage_has_no_report() -> None:
    stages = capture_function(jnp.sin, (X,), {}).stages
    assert report_fusions([stage for stage in stages if stage.name != "optimized"]) is None
