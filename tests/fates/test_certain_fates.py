"""Each fate, in a program where it is certain."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jaxscope.model import Capture, Graph
from tests.fates import programs
from tests.fates.programs import W, X, capture_passes, capture_plain, fate_of, fates_by_operation

CERTAIN: list[tuple[Callable[..., Any], tuple[Any, ...], list[tuple[str, str]]]] = [
    (programs.add_nothing, (X,), [("add", "simplified"), ("sin", "fused"), ("mul", "fused")]),
    (programs.compute_in_vain, (X,), [("cos", "dead"), ("sin", "kernel")]),
    # A callback that is pure has no effect: JAX drops it where nothing uses its result.
    (programs.call_back_in_vain, (X,), [("pure_callback", "dead"), ("sin", "kernel")]),
    (
        programs.never_branch,
        (X,),
        [("cond", "fused"), ("cos", "dead"), ("sub", "dead"), ("sin", "fused"), ("mul", "fused")],
    ),
    (programs.use_constant, (X,), [("exp", "folded"), ("add", "fused")]),
    (
        programs.repeat,
        (X,),
        [
            *(("add", "fused"), ("sin", "fused"), ("add", "merged"), ("sin", "merged")),
            ("mul", "fused"),
        ],
    ),
    (
        programs.multiply_transposed,
        (X, W),
        [("transpose", "simplified"), ("dot_general", "library")],
    ),
    (programs.multiply_matrices, (X, W), [("dot_general", "library")]),
    (programs.divide, (X,), [("add", "fused"), ("div", "fused")]),
    (programs.flatten, (X,), [("reshape", "layout")]),
    (
        programs.negate_twice,
        (X,),
        [("sin", "kernel"), ("neg", "simplified"), ("neg", "simplified")],
    ),
    (programs.alone, (X,), [("tanh", "kernel")]),
    (
        programs.chain,
        (X,),
        [("sin", "fused"), ("mul", "fused"), ("add", "fused"), ("tanh", "fused")],
    ),
    (programs.factorize, (W,), [("cholesky", "library")]),
]


@pytest.mark.sweep(6)
@pytest.mark.parametrize(
    ("function", "args", "expected"), CERTAIN, ids=[row[0].__name__ for row in CERTAIN]
)
def test_fate(
    function: Callable[..., Any], args: tuple[Any, ...], expected: list[tuple[str, str]]
) -> None:
    capture = capture_plain(function, *args)
    found = [(name, fate.fate) for name, fate in fates_by_operation(capture)]
    assert [row for row in found if row[0] not in ("jit", "iota", "select_n", "ge")][
        : len(expected)
    ] == expected


def test_a_scan_becomes_a_loop_and_its_body_stays_inside() -> None:
    capture = capture_plain(programs.scan_rows, X)
    scan = fate_of(capture, "scan")
    assert scan.fate == "kernel"
    assert "the loop while" in scan.text
    assert fate_of(capture, "sin").fate == "fused"
    optimized = capture.stage("optimized")
    assert optimized is not None and isinstance(optimized.graph, Graph)
    opcodes = {
        optimized.graph.node(optimized.graph.index_by_id[id]).operation for id in scan.instructions
    }
    assert "while" in opcodes


def test_a_carried_value_that_feeds_only_itself_is_dead() -> None:
    capture = capture_plain(programs.carry_in_vain, X)
    assert fate_of(capture, "cos").fate == "dead"
    assert fate_of(capture, "sin").fate == "kernel"


def test_a_branch_stays_a_branch_with_both_sides() -> None:
    capture = capture_plain(programs.branch, X)
    assert "the branch " in fate_of(capture, "cond").text
    for side in ("sin", "cos"):
        assert fate_of(capture, side).instructions


def test_a_branch_that_became_a_select_computes_both_sides() -> None:
    capture = capture_plain(jax.vmap(programs.branch_each), X[0])
    operations = dict(fates_by_operation(capture))
    assert {"sin", "cos", "select_n"} <= operations.keys()
    assert {operations[name].fate for name in ("sin", "cos", "select_n")} == {"fused"}


def test_of_a_choice_that_is_made_already_the_other_side_is_dead() -> None:
    capture = capture_plain(programs.choose_always, X)
    assert fate_of(capture, "cos").fate == "dead"
    assert fate_of(capture, "sin").fate == "kernel"


def test_merged_equations_name_each_other() -> None:
    capture = capture_plain(programs.repeat, X)
    assert capture.fates["2"].merged_with == ("0",)
    assert capture.fates["3"].merged_with == ("1",)
    assert capture.fates["2"].instructions == capture.fates["0"].instructions


def test_a_library_is_named() -> None:
    dot = fate_of(capture_plain(programs.multiply_matrices, X, W), "dot_general")
    assert any(name in dot.text for name in ("Eigen", "YNNPACK", "oneDNN", "XNNPACK"))


@pytest.mark.parametrize("function", [programs.chain, programs.scan_rows, programs.repeat])
def test_every_fate_has_a_sentence_and_instructions_that_exist(
    function: Callable[..., Any],
) -> None:
    capture = capture_plain(function, X)
    known = _instructions(capture)
    for _, fate in fates_by_operation(capture):
        assert fate.text.endswith(".") and fate.text[0].isupper()
        assert set(fate.instructions) <= known
        if fate.fate in ("fused", "kernel", "library", "layout"):
            assert fate.instructions


def _instructions(capture: Capture) -> set[str]:
    stage = capture.stage("optimized")
    assert stage is not None and isinstance(stage.graph, Graph)
    return set(stage.graph.index_by_id)


def test_what_depends_on_a_captured_array_alone_is_folded() -> None:
    capture = capture_plain(programs.look_up, X)
    assert fate_of(capture, "lt").fate == "folded"
    assert fates_by_operation(capture)[-1] == ("add", capture.fates[list(capture.fates)[-1]])
    assert fates_by_operation(capture)[-1][1].fate in ("fused", "kernel")


@pytest.mark.slow
def test_what_only_fills_an_array_with_a_known_value_is_folded() -> None:
    module = jax.jit(programs.begin_with_known_values).lower(X).compile().as_text()
    filled = re.findall(r"= (\w+\[[\d,]+\])\S* broadcast\(%param", module)
    assert {"f32[200,1]", "pred[8]"} <= set(filled)
    assert " negate(" not in module
    assert " compare(" not in module[module.index("\nENTRY ") :]

    capture = capture_plain(programs.begin_with_known_values, X)
    found = fates_by_operation(capture)
    negated, compared = (next(f for name, f in found if name == each) for each in ("neg", "gt"))
    assert (negated.fate, negated.certainty) == ("folded", "proven")
    assert "an array is filled with it in wrapped_broadcast" in negated.text
    assert (compared.fate, compared.certainty) == ("folded", "inferred")

    found = fates_by_operation(capture_passes(programs.begin_with_known_values, X))
    negated = next(fate for name, fate in found if name == "neg")
    assert (negated.fate, negated.certainty) == ("folded", "proven")
    assert negated.proof is not None and negated.proof.pass_number is None, "before the first pass"
    assert negated.pass_name is None


def test_rules_of_a_linear_solve_that_do_not_run_are_dead() -> None:
    capture = capture_plain(programs.solve, X[0])
    by_program: dict[str, set[str]] = {}
    for id, fate in capture.fates.items():
        if "/jaxprs." in id:
            by_program.setdefault(id.partition("/jaxprs.")[2][0], set()).add(fate.fate)
    assert by_program["2"] & {"fused", "kernel"}
    assert by_program["3"] <= {"dead", "folded", "merged"}


def test_what_jax_left_out_is_proven_by_the_equation_that_no_operation_has() -> None:
    capture = capture_plain(programs.compute_in_vain, X)
    fate = fate_of(capture, "cos")
    assert fate.certainty == "proven" and fate.proof is not None
    (equation,) = fate.proof.before
    graphs = {stage.name: stage.graph for stage in capture.stages}
    jaxpr, stablehlo = graphs["jaxpr"], graphs["stablehlo"]
    assert isinstance(jaxpr, Graph) and isinstance(stablehlo, Graph)
    assert jaxpr.node(jaxpr.index_by_id[equation]).operation == "cos"
    held = {id for ids in stablehlo.rows(stablehlo.nodes.derived) for id in ids}
    assert held and equation not in held and fate.proof.after == ()


def test_a_sum_over_an_axis_of_length_one_is_no_reduction_of_truth_values() -> None:
    x, at, added = jnp.ones((1, 1, 6)), jnp.zeros((1, 1), jnp.int32), jnp.ones((1, 1))
    capture = capture_plain(programs.add_at_and_sum_one_row, x, at, added)
    stage = capture.stage("optimized")
    assert stage is not None and isinstance(stage.graph, Graph) and stage.text is not None
    reductions = re.findall(r"%(\S+) = pred\[\]\S* reduce\(", stage.text.text)
    assert reductions, "XLA makes no such reduction any more"
    fate = fate_of(capture, "reduce_sum")
    assert fate.fate == "simplified"
    assert set(reductions).isdisjoint(fate.instructions)
    assert set(reductions) & set(fate_of(capture, "scatter-add").instructions)


def test_a_sum_over_an_axis_of_length_one_names_the_bitcast_that_has_its_name() -> None:
    x, at, added = jnp.ones((1, 1, 6)), jnp.int32(2), jnp.float32(1)
    capture = capture_plain(programs.add_in_place_and_sum_one_row, x, at, added)
    fate = fate_of(capture, "reduce_sum")
    stage = capture.stage("optimized")
    assert stage is not None and stage.text is not None
    assert fate.fate == "simplified" and len(fate.instructions) == 1
    line = re.search(rf"%{fate.instructions[0]} = .*", stage.text.text)
    assert line is not None and "bitcast(" in line[0] and "/reduce_sum" in line[0]
    assert fate.text.endswith(f"only {fate.instructions[0]} has its name.")
