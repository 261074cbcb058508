"""What several kernels compute, each for itself."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp

from jaxscope.in_process import capture_function
from jaxscope.model import is_available
from jaxscope.program.fusion.duplicates import find_duplicates
from jaxscope.program.fusion.fusions import Module
from jaxscope.report.fusion import describe_duplicate

from .programs import CHAIN, FIVE_ROUNDS, TWICE, node, read


def test_the_same_operation_on_the_same_operand_in_two_kernels_is_one_duplicate() -> None:
    module = read(TWICE, cost=(8.0, 64.0, 8.0))
    (duplicate,) = find_duplicates(module)
    assert [(copy.kernel_id, copy.id) for copy in duplicate.copies] == [
        ("kernel.left", "left.exp"),
        ("kernel.right", "right.exp"),
    ]
    assert duplicate.flops_recomputed == 8.0
    assert duplicate.transcendentals_recomputed == 8.0
    assert duplicate.num_bytes == 32.0
    text = describe_duplicate(duplicate, node(module, "kernel.left"))
    assert "also computed in kernel.right; computed again: 8 FLOP" in text


def test_the_same_operation_on_another_operand_is_none() -> None:
    text = TWICE.replace("fusion(y, x)", "fusion(y, y)")
    assert find_duplicates(read(text)) == ()


def test_another_operation_or_attribute_is_none() -> None:
    assert find_duplicates(read(TWICE.replace("exponential(r1)", "sine(r1)"))) == ()


def test_values_are_followed_through_the_results_of_fusions() -> None:
    text = TWICE.replace(
        "kernel.right = f32[8] fusion(y, x)",
        "first = f32[8] negate(x)\n  second = f32[8] negate(x)\n"
        "  kernel.right = f32[8] fusion(first, second)",
    ).replace("right.cos = f32[8] cosine(r0)", "right.cos = f32[8] exponential(r0)")
    found = find_duplicates(read(text))
    # Both negations are one value; both exponentials of it are in one kernel, which is no loss.
    assert [duplicate.operation for duplicate in found] == ["negate"]


def test_unknown_work_is_said_to_be_unknown() -> None:
    (duplicate,) = find_duplicates(read(TWICE))
    assert math.isnan(duplicate.flops_recomputed)
    assert "unknown work" in describe_duplicate(duplicate)


def test_nothing_is_computed_twice_in_one_fusion_or_in_the_rounds_of_a_loop() -> None:
    assert find_duplicates(read(CHAIN)) == ()
    assert find_duplicates(read(FIVE_ROUNDS)) == ()


def test_random_numbers_and_calls_are_never_the_same_value() -> None:
    text = TWICE.replace("exponential(l0)", 'custom-call(l0), custom_call_target="f"')
    text = text.replace("exponential(r1)", 'custom-call(r1), custom_call_target="f"')
    assert find_duplicates(read(text)) == ()


def test_a_chain_of_thousands_is_followed() -> None:
    lines = "\n".join(f"  v{i} = f32[8] negate(v{i - 1})" for i in range(1, 5000))
    text = f"""HloModule long
ENTRY main (x: f32[8]) -> f32[8] {{
  v0 = f32[8] parameter(0)
{lines}
  ROOT end = f32[8] negate(v4999)
}}
"""
    assert find_duplicates(read(text)) == ()


def test_cpu_duplicates_a_cheap_producer_and_the_copies_name_their_equation() -> None:
    def program(x: jax.Array) -> tuple[jax.Array, jax.Array]:
        scaled = x * 2 + 1
        return scaled[:3] / 7, jnp.cumsum(scaled, 0)

    capture = capture_function(program, (jnp.ones((64, 64)),), {})
    stage = capture.stage("optimized")
    assert stage is not None and is_available(stage.graph)
    found = {duplicate.operation: duplicate for duplicate in find_duplicates(Module(stage.graph))}
    assert found["multiply"].equations == ("0",)
    assert found["add"].equations == ("1",)
    assert found["add"].flops_recomputed == 64 * 64
