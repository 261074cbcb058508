"""Differences in cost, time and memory, and their words."""

from __future__ import annotations

import dataclasses
import math

import pytest

from comparison.conftest import Take
from jaxscope.model import Capture, Measurement, Timing, Unavailable
from jaxscope.program.diff.captures import ComparedCapture, Comparison, compare_captures
from jaxscope.program.diff.quantities import QuantityDifference

LOOPS = """\
import jax, jax.numpy as jnp


def ten(x, n=10):
    return jax.lax.scan(lambda c, _: (jnp.tanh(c @ x), None), x, None, length=n)[0]


def twenty(x):
    return ten(x, 20)


def endless(x):
    return jax.lax.while_loop(lambda c: c.sum() < 1e3, lambda c: c @ c + 1, x)


def branch(x):
    return jax.lax.cond(x.sum() > 0, lambda x: x @ x, lambda x: x + 1, x)
"""


def by_name(quantities: tuple[QuantityDifference, ...]) -> dict[str, QuantityDifference]:
    return {quantity.name: quantity for quantity in quantities}


def measured(capture: Capture, low: float, high: float, confidence: float = 0.95) -> Timing:
    middle = (low + high) / 2
    jit = Measurement("jit", middle, low, high, confidence, 40, (middle,), False)
    return Timing(capture.call, capture.environment, (jit,), (), ())


def test_costs_say_how_much_more(edited: Comparison) -> None:
    stage = edited.stage("jaxpr")
    assert stage is not None
    flops = by_name(stage.costs)["FLOPs"]
    assert (flops.before, flops.after) == (23.0, 31.0)
    assert flops.meaning == "The second has 8 FLOP more (+34.8%): arithmetic."
    assert flops.differs
    # A jaxpr is counted by jaxscope, and loops as often as they run: neither is XLA's own count.
    assert by_name(stage.costs)["bytes accessed"].meaning.endswith("traffic, by XLA's rules.")


def test_the_time_to_make_a_stage_is_no_difference(edited: Comparison) -> None:
    for stage in edited.stages:
        seconds = by_name(stage.costs)["time to make"]
        assert not seconds.differs
        assert "one run each" in seconds.meaning


def test_a_time_that_is_missing_has_its_reason(take: Take) -> None:
    capture = take("f(f32[8])")
    first = dataclasses.replace(capture.stages[0], seconds=Unavailable("It was not saved."))
    other = dataclasses.replace(capture, stages=(first, *capture.stages[1:]))
    comparison = compare_captures(ComparedCapture("a", capture), ComparedCapture("b", other))
    seconds = by_name(comparison.stages[0].costs)["time to make"]
    assert math.isnan(seconds.after)
    assert seconds.meaning == "Not compared: It was not saved."


def test_memory_of_arguments_and_results(take: Take) -> None:
    comparison = compare_captures(
        ComparedCapture("a", take("f(f32[8])")), ComparedCapture("b", take("grad(f)(f32[8])"))
    )
    memory = by_name(comparison.memory)
    assert memory["arguments"].before == memory["arguments"].after == 32.0
    assert (memory["results"].before, memory["results"].after) == (4.0, 32.0)
    assert memory["allocated for a run"].after - memory["allocated for a run"].before >= 28.0
    assert memory["reused by donation"].before == 0.0


def test_times_that_lie_apart_differ(take: Take) -> None:
    capture = take("f(f32[8])")
    comparison = compare_captures(
        ComparedCapture("a", capture, measured(capture, 1e-3, 1.1e-3)),
        ComparedCapture("b", capture, measured(capture, 2e-3, 2.2e-3)),
    )
    jit = by_name(comparison.times)["jit"]
    assert jit.meaning.startswith("The second takes longer: 2.00 ms to 2.20 ms instead of")
    assert comparison.is_equal  # times are no part of it


def test_times_that_overlap_do_not_differ(take: Take) -> None:
    capture = take("f(f32[8])")
    comparison = compare_captures(
        ComparedCapture("a", capture, measured(capture, 1e-3, 1.3e-3)),
        ComparedCapture("b", capture, measured(capture, 1.2e-3, 1.4e-3)),
    )
    assert "No difference that is sure" in by_name(comparison.times)["jit"].meaning


def test_single_runs_tell_no_difference_however_far_apart(take: Take) -> None:
    capture = take("f(f32[8])")
    sides = []
    for name, seconds in (("a", 1e-3), ("b", 9e-3)):
        timing = measured(capture, seconds, seconds)
        once = tuple(
            dataclasses.replace(each, confidence=0.0, runs=1) for each in timing.measurements
        )
        sides.append(ComparedCapture(name, capture, dataclasses.replace(timing, measurements=once)))
    meaning = by_name(compare_captures(*sides).times)["jit"].meaning
    assert meaning == "No difference that is sure: one run each."


def test_times_of_different_machines_or_of_one_side_are_not_compared(take: Take) -> None:
    capture = take("f(f32[8])")
    there = dataclasses.replace(
        capture, environment=dataclasses.replace(capture.environment, host="elsewhere")
    )
    here = ComparedCapture("a", capture, measured(capture, 1e-3, 2e-3))
    apart = compare_captures(here, ComparedCapture("b", there, measured(there, 1e-3, 2e-3)))
    assert by_name(apart.times)["jit"].meaning.endswith("on different machines.")
    alone = compare_captures(here, ComparedCapture("b", capture))
    assert by_name(alone.times)["jit"].meaning == "Not compared: the second side was not measured."
    assert (
        compare_captures(ComparedCapture("a", capture), ComparedCapture("b", capture)).times == ()
    )


def costs_of(take: Take, first: str, second: str, stage: str) -> dict[str, QuantityDifference]:
    comparison = compare_captures(
        ComparedCapture("a", take(first, LOOPS)), ComparedCapture("b", take(second, LOOPS))
    )
    found = comparison.stage(stage)
    assert found is not None
    return by_name(found.costs)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("stage", ["jaxpr", "stablehlo", "hlo", "optimized"])
def test_loops_count_as_often_as_they_run(take: Take, stage: str) -> None:
    flops = costs_of(take, "ten(f32[64,64])", "twenty(f32[64,64])", stage)["FLOPs"]
    assert flops.after == pytest.approx(2 * flops.before, rel=1e-3)
    assert flops.before == pytest.approx(10 * 2 * 64**3, rel=0.02)
    assert flops.meaning.endswith("Loops count as often as they run.")


@pytest.mark.parametrize("stage", ["jaxpr", "optimized"])
def test_a_loop_of_unknown_length_is_not_compared_with_one_of_known(take: Take, stage: str) -> None:
    flops = costs_of(take, "ten(f32[64,64])", "endless(f32[64,64])", stage)["FLOPs"]
    assert not flops.is_comparable
    assert "On the second side: 1 loop counts once" in flops.meaning


def test_of_branches_the_dearest_counts_and_it_is_said(take: Take) -> None:
    flops = costs_of(take, "branch(f32[64,64])", "branch(f32[64,64])", "jaxpr")["FLOPs"]
    assert flops.before == flops.after == pytest.approx(2 * 64**3, rel=0.05)
    assert "Of a condition's branches the dearest counts." in flops.meaning
