"""What several kernels compute, each for itself."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp

from jaxscope.in_process import capture_function
from jaxscope.model import Direction, is_available
from jaxscope.model.graph import Ragged
from jaxscope.program.fusion.duplicates import find_duplicates
from jaxscope.program.fusion.duplicates import find_forward_copies as again
from jaxscope.program.fusion.fusions import Module
from jaxscope.program.links import NO_LINKS
from jaxscope.report.fusion import describe_duplicate
from jaxscope.ui.selection.inspector import describe_node

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


def _shifted(x: jax.Array) -> jax.Array:
    return jnp.mean((x + 2) ** 2 + 3)


def test_what_the_backward_part_computes_again_names_its_copy_in_the_forward_part() -> None:
    """`x + 2` is needed for the value and for the gradient, in a fusion of each."""
    stage = capture_function(jax.value_and_grad(_shifted), (jnp.ones(3),), {}).stage("optimized")
    assert stage is not None and is_available(stage.graph)
    graph = stage.graph
    found = {node: copies for node in range(len(graph.nodes)) if (copies := again(graph, node))}
    ((node, (copy,)),) = found.items()
    assert graph.operation(node) == graph.operation(copy) == "add"
    owners = [graph.nodes.group[each] for each in (node, copy)]
    parts = [graph.nodes.direction[graph.groups.owner[group]] for group in owners]
    assert parts == [Direction.BACKWARD, Direction.FORWARD]
    told = describe_node(stage, node, NO_LINKS, "#888")
    assert f"in the forward pass: <a href='node:optimized:{copy}'>" in told
    assert "computed again" not in describe_node(stage, copy, NO_LINKS, "#888")
    # Two additions of one equation are not the same value for that.
    (equation,) = graph.nodes.derived[node].tolist()
    alike = graph.replace_nodes(derived=Ragged.from_rows([[equation]] * len(graph.nodes)))
    assert len([n for n in graph.nodes_of({"add"}) if n != node]) > 1
    assert again(alike, node) == [copy]
    nothing = Ragged.from_rows([[equation] if n == node else [] for n in range(len(graph.nodes))])
    assert again(graph.replace_nodes(derived=nothing), node) == []


def test_what_only_the_gradient_computes_is_not_computed_again() -> None:
    stage = capture_function(jax.grad(_shifted), (jnp.ones(3),), {}).stage("optimized")
    assert stage is not None and is_available(stage.graph)
    assert stage.graph.nodes_of({"add"})
    assert not any(again(stage.graph, node) for node in range(len(stage.graph.nodes)))
