"""Who removed an equation: JAX's lowering, the conversion of StableHLO to HLO, or a pass of XLA's.

It is read off the stages: an equation was removed after the last stage that has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.experimental import pallas

from jaxscope.model import Capture, Graph
from jaxscope.program.links import NO_LINKS, LineSelection
from jaxscope.ui.selection.inspector import describe_line
from tests.fates import told_wrong
from tests.fates.further import kernels_of_one_step
from tests.fates.programs import X, capture_passes, capture_plain, fates_by_operation

CONVERSION = "when StableHLO became HLO, before XLA's first pass"
JAX = "in lowering to StableHLO, by JAX itself"
XLA = "by a pass of XLA's"
UNDO = "undo each other"


def add_nothing(x: jax.Array) -> jax.Array:
    return jnp.sin(x + 0)


def multiply_by_one(x: jax.Array) -> jax.Array:
    return jnp.sin(x * 1)


def divide_by_one(x: jax.Array) -> jax.Array:
    return jnp.sin(x / 1)


def first_power(x: jax.Array) -> jax.Array:
    return jnp.sin(x**1)


def stop(x: jax.Array) -> jax.Array:
    return lax.stop_gradient(jnp.sin(x))


def transpose_twice(x: jax.Array) -> jax.Array:
    return jnp.sin(x).T.T


def reshape_back(x: jax.Array) -> jax.Array:
    return jnp.sin(x.reshape(4, 16).reshape(64).reshape(8, 8))


def negate_twice(x: jax.Array) -> jax.Array:
    return lax.neg(lax.neg(jnp.sin(x)))


def slice_all(x: jax.Array) -> jax.Array:
    return lax.slice(jnp.sin(x), (0, 0), (8, 8))


def repeat(x: jax.Array) -> jax.Array:
    return jnp.sin(x) * jnp.sin(x)


def positive(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    zeros = lax.broadcast(jnp.bfloat16(0.0), (8, 8))
    return lax.max(x, 0.0), lax.select(x > 1.0, x.astype(jnp.bfloat16), zeros)


CASES: list[tuple[Callable[..., Any], str, str, str]] = [
    (add_nothing, "0", CONVERSION, "adding 0 changes nothing"),
    (multiply_by_one, "0", CONVERSION, "multiplying by 1 changes nothing"),
    (divide_by_one, "0", XLA, "dividing by 1 changes nothing"),
    (first_power, "0", JAX, "the first power changes nothing"),
    (stop, "1", "JAX's lowering makes no operation", "hands its operand on"),
    (transpose_twice, "1", CONVERSION, f"it and equation 2 {UNDO}"),
    (transpose_twice, "2", CONVERSION, f"it and equation 1 {UNDO}"),
    (reshape_back, "0", CONVERSION, f"it and equation 2 {UNDO}"),
    (reshape_back, "2", CONVERSION, f"it and equation 0 {UNDO}"),
    (negate_twice, "1", XLA, f"it and equation 2 {UNDO}"),
    (slice_all, "1", CONVERSION, "its result is its operand as it was"),
    (repeat, "1", XLA, "Merged with equation 0"),
]


@pytest.mark.sweep(6)
@pytest.mark.parametrize(
    ("function", "id", "who", "why"), CASES, ids=[f"{row[0].__name__}-{row[1]}" for row in CASES]
)
def test_who_and_why(function: Callable[..., Any], id: str, who: str, why: str) -> None:
    capture = capture_plain(function, X)
    fate = capture.fates[id]
    assert fate.fate == ("merged" if function is repeat else "simplified")
    assert who in fate.text
    assert why in fate.text
    assert last_seen(capture, id) == {CONVERSION: "stablehlo", XLA: "hlo"}.get(who, "")


def last_seen(capture: Capture, id: str) -> str:
    """The last stage before optimization that carries an equation."""
    found = ""
    for name in ("stablehlo", "hlo"):
        stage = capture.stage(name)
        assert stage is not None and isinstance(stage.graph, Graph)
        graph = stage.graph
        if any(id in graph.row(graph.nodes.derived, node) for node in range(len(graph.nodes))):
            found = name
    return found


def test_what_is_merged_with_a_step_of_an_equation_names_the_instruction() -> None:
    """The zeros are not the same as the `max`, but as the array that it makes of its number."""
    fate = capture_passes(positive, X).fates["0"]
    assert (fate.fate, fate.merged_with) == ("merged", ("1",))
    assert fate.text.startswith("Merged with max.") and " of equation 1 by " in fate.text
    whole = capture_passes(repeat, X).fates["1"]
    assert whole.text.startswith("Merged with equation 0 by ")


def test_recorded_passes_name_the_pass_and_only_what_reached_them() -> None:
    by_pass = capture_passes(divide_by_one, X).fates["0"]
    assert by_pass.pass_name is not None
    assert by_pass.pass_name in by_pass.text
    before = capture_passes(add_nothing, X).fates["0"]
    assert before.pass_name is None
    assert CONVERSION in before.text


def test_a_line_that_jax_numpy_traced_away_says_so() -> None:
    capture = capture_plain(lambda x: jnp.sin(jnp.reshape(x, (8, 8))), X)
    stage = capture.stage("jaxpr")
    assert stage is not None and isinstance(stage.graph, Graph)
    assert "reshape" not in stage.graph.strings
    line = LineSelection("f.py", 3)
    told = describe_line(line, "y = x.reshape(8, 8)", NO_LINKS, "#888", stages=capture.stages)
    assert "Python or jax.numpy did all of it while tracing" in told


def test_a_line_inside_of_a_statement_names_those_that_equations_do() -> None:
    capture = capture_plain(lambda x: jnp.sin(x), X)
    stage = capture.stage("jaxpr")
    assert stage is not None and isinstance(stage.graph, Graph)
    own = stage.graph.source(len(stage.graph.nodes) - 2)[0]
    text = "\n" * (own.line - 1) + "sin(\nx)\n"
    line = LineSelection(own.file, own.line + 1)
    told = describe_line(line, "x)", NO_LINKS, "#888", stages=capture.stages, file_text=text)
    assert "equations name line" not in told, "a line that is in no function ran at import"
    text = "\n" * (own.line - 2) + "def f():\n  sin(\nx)\n"
    told = describe_line(line, "x)", NO_LINKS, "#888", stages=capture.stages, file_text=text)
    assert f"equations name line {own.line}." in told


def test_nothing_is_computed_of_an_array_without_elements() -> None:
    fate = capture_plain(lambda x: (jnp.sin(x), jnp.cos(x[:0]) * 2.0), X).fates
    empty = [f for f in fate.values() if f.fate != "kernel"]
    assert empty
    assert {f.fate for f in empty} <= {"simplified", "folded"}


def test_a_sum_of_one_element_is_no_work_whatever_else_has_lost_its_name() -> None:
    def total(x: jax.Array) -> jax.Array:
        column = jnp.sum(x, axis=0)
        return jnp.sum(column.reshape(1, 1))

    fates = capture_plain(total, jnp.ones((128, 1))).fates
    assert fates["2"].fate == "simplified"
    assert "it reduces along axes of length one" in fates["2"].text


def run_kernel(kernel: Callable[..., None], x: jax.Array) -> jax.Array:
    """Interpreted, in blocks of four rows."""
    block = pallas.BlockSpec((4, 8), lambda row: (row, 0))
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    call = pallas.pallas_call(
        kernel, out_shape=shape, grid=(2,), in_specs=[block], out_specs=block, interpret=True
    )
    return call(x)


def work_on_blocks(x: jax.Array) -> jax.Array:
    def kernel(x_ref: Any, out_ref: Any) -> None:
        out_ref[...] = jnp.tanh(x_ref[...])

    return run_kernel(kernel, x)


def work_on_rows(x: jax.Array) -> jax.Array:
    def kernel(x_ref: Any, out_ref: Any) -> None:
        out_ref[pallas.ds(2, 2), :] = jnp.tanh(x_ref[pallas.ds(0, 2), :])

    return run_kernel(kernel, x)


def test_whole_blocks_of_an_interpreted_kernel_are_handed_on() -> None:
    """What JAX's own StableHLO says: between slice, tanh and update there is nothing."""
    fates = fates_by_operation(capture_plain(work_on_blocks, X))
    told = {name: (fate.fate, fate.certainty) for name, fate in fates if name in ("get", "swap")}
    assert told == dict.fromkeys(("get", "swap"), ("simplified", "proven"))
    text = jax.jit(work_on_blocks).lower(X).as_text()
    made = {
        name: (operation, operands.replace(",", " ").split())
        for name, operation, operands in re.findall(r"(%\d+) = stablehlo\.(\w+) (.*?) :", text)
    }
    (tanh,) = [name for name, (operation, _) in made.items() if operation == "tanh"]
    assert made[made[tanh][1][0]][0] == "dynamic_slice"
    assert any(o == "dynamic_update_slice" and rest[1] == tanh for o, rest in made.values())


def test_a_kernel_that_runs_once_was_a_loop_of_one_round() -> None:
    """It is in the module that XLA receives, and no more in the one that it makes."""
    lowered = jax.jit(kernels_of_one_step).lower(X, X)
    assert lowered.as_text("hlo").count(" while(") == 2
    assert " while(" not in lowered.compile().as_text()
    capture = capture_plain(kernels_of_one_step, X, X)
    found = [fate for name, fate in fates_by_operation(capture) if name == "pallas_call"]
    assert [fate.text.partition(";")[0] for fate in found] == 2 * [
        "The loop was removed by a pass of XLA's"
    ]
    assert found[1].certainty != "proven" and found[1].proof is None


def test_parts_of_blocks_are_not() -> None:
    for name, fate in fates_by_operation(capture_plain(work_on_rows, X)):
        if name in ("get", "swap"):
            assert "whole block" not in fate.text, (name, fate.text)


@pytest.mark.slow
def test_the_pass_that_inlined_a_call_or_removed_a_loop_is_named() -> None:
    """What stood in it without a name ends later, in passes that fold and simplify."""
    drawn = capture_passes(told_wrong.truncated, jax.random.key(0)).fates
    calls = [fate.text for fate in drawn.values() if fate.text.startswith("The call was inlined")]
    assert calls and all(" in the pass call-inliner;" in text for text in calls), calls
    once = capture_passes(told_wrong.one_round, X[0], X[:1]).fates
    assert "The loop was removed in the pass simplify-while-loops; of its 3" in once["0"].text


def test_what_combines_two_elements_is_no_call() -> None:
    def count(x: jax.Array) -> jax.Array:
        return jnp.zeros(1000).at[x].add(1)

    for capture in (capture_passes, capture_plain):
        fates = capture(count, jnp.arange(30) % 7).fates
        (scatter,) = [fate for id, fate in fates.items() if f"{id}/update_jaxpr/0" in fates]
        assert scatter.text == "Has a kernel of its own, wrapped_scatter."


def test_what_an_equation_turned_into_is_not_said_to_be_of_itself() -> None:
    def fill(x: jax.Array) -> jax.Array:
        return jnp.zeros((300, 300)).at[3].set(x)

    fates = capture_passes(fill, jnp.ones(300)).fates
    for id, fate in fates.items():
        assert f"of equation {id}" not in fate.text, fate.text
    assert any("of equation" in fate.text for fate in fates.values())


def test_only_a_product_is_a_product_with_a_constant() -> None:
    def bounded(x: jax.Array) -> jax.Array:
        return jnp.minimum(jnp.maximum(x, -1.9999999), 1.9999999) / 3.0

    texts = [fate.text for fate in capture_passes(bounded, X).fates.values()]
    assert any("Divide became multiply by 0.333333343 in algsimp" in text for text in texts), texts
    assert any("became clamp in algsimp" in text for text in texts), texts
