"""Sentences checked by hand against the modules that XLA makes of small programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from jaxscope.model import Graph, StageText
from tests.fates.programs import X, capture_passes, capture_plain, fates_by_operation

ROW = jnp.arange(8.0)


def unroll(x: jax.Array) -> jax.Array:
    return lax.scan(lambda c, row: (c + row * 2, None), jnp.zeros(8), x[:6], unroll=3)[0]


def choose_between_equals(x: jax.Array) -> jax.Array:
    return jax.vmap(lambda v: lax.cond(v > 0, lambda u: u * 2, lambda u: u - 1, v))(x)


def transpose_a_product(x: jax.Array) -> jax.Array:
    return jnp.dot(x.T, x + 1).T


def round_and_widen(x: jax.Array) -> jax.Array:
    return jnp.tanh(x.astype(jnp.bfloat16)).astype(jnp.float32)


def scale_twice(x: jax.Array) -> jax.Array:
    return jnp.cos(x) * 2 * 3


def add_somewhere(x: jax.Array, i: jax.Array) -> jax.Array:
    return x.at[i].add(1.0)


def mask(x: jax.Array) -> jax.Array:
    return x + 8 * jnp.eye(8)


def never(x: jax.Array) -> jax.Array:
    return lax.cond(False, jnp.cos, lambda v: v + 1, x)


@pytest.mark.parametrize(
    ("function", "args", "operation", "fate", "sentence"),
    [
        (unroll, (X,), "scan", "kernel", "whose body runs 2 times and does 3 of the 6 steps"),
        (choose_between_equals, (ROW,), "select_n", "simplified", "both sides that it chooses"),
        (choose_between_equals, (ROW,), "eq", "simplified", "it only decided the choice of"),
        (transpose_a_product, (X,), "dot_general", "library", "Runs in Eigen, as dot."),
        (add_somewhere, (ROW, jnp.array([1, 2])), "add", "kernel", "combines two elements."),
        (never, (X,), "cond", "fused", "The branch was removed when StableHLO became HLO"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_without_passes(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    operation: str,
    fate: str,
    sentence: str,
) -> None:
    found = [
        f for name, f in fates_by_operation(capture_plain(function, *args)) if name == operation
    ]
    assert any(f.fate == fate and sentence in f.text for f in found), [f.text for f in found]


def test_a_loop_names_its_while_first() -> None:
    capture = capture_plain(unroll, X)
    (scan,) = [fate for name, fate in fates_by_operation(capture) if name == "scan"]
    stage = capture.stage("optimized")
    assert stage is not None and isinstance(stage.graph, Graph)
    first = stage.graph.node(stage.graph.index_by_id[scan.instructions[0]])
    assert first.operation == "while"


def test_a_transpose_that_a_product_takes_in_is_no_library_call() -> None:
    fates = fates_by_operation(capture_plain(transpose_a_product, X))
    last = [fate for name, fate in fates if name == "transpose"][-1]
    assert last.fate == "simplified"
    assert last.text == "Taken into the product dot, which gives its result in that order."


def test_what_is_masked_when_running_was_not_folded() -> None:
    """The mask is made of numbers that count up: XLA leaves it to the program."""
    fates = fates_by_operation(capture_plain(mask, X))
    told = {name: fate.fate for name, fate in fates}
    assert told["eq"] == "fused"
    assert told["convert_element_type"] != "folded"


def test_with_passes_a_conversion_that_another_makes_needless_says_so() -> None:
    fates = fates_by_operation(capture_passes(round_and_widen, X))
    gone = [f for n, f in fates if n == "convert_element_type" and f.fate == "simplified"]
    assert gone
    assert "gives this type itself now" in gone[-1].text
    assert "changes nothing" not in gone[-1].text


def test_with_passes_there_are_as_many_multiplications_as_were_not_taken_into_another() -> None:
    """XLA made one of them up to JAX 0.11, and keeps both since 0.12."""
    capture = capture_passes(scale_twice, X)
    optimized = capture.stage("optimized")
    assert optimized is not None
    assert isinstance(optimized.text, StageText)
    fates = [fate for name, fate in fates_by_operation(capture) if name == "mul"]
    gone = [fate for fate in fates if fate.fate == "simplified"]
    assert optimized.text.text.count(" multiply(") == len(fates) - len(gone)
    assert all(fate.text.startswith("Taken into ") for fate in gone)
    assert all(fate.fate == "fused" for fate in fates if fate not in gone)
