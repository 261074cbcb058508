"""Hexadecimal constants made legible, compared with what JAX was given."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.report.mlir_constants import shorten_constants


def lowered_constant(values: np.ndarray) -> str:
    """The line of StableHLO that holds some values."""
    text = jax.jit(lambda x: x + jnp.asarray(values)).lower(jnp.zeros_like(values)).as_text()
    return next(line for line in text.splitlines() if 'dense<"0x' in line)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int32", "int8", "uint16"])
def test_the_first_values_and_their_number_are_told(dtype: str) -> None:
    values = np.asarray(jnp.arange(3, 115).astype(dtype))
    line = lowered_constant(values)
    assert len(line) > 150
    short = shorten_constants(line)
    assert "dense<3, 4, 5, 6, … 112 values> : tensor<112x" in short
    assert "0x" not in short


def test_unknown_element_types_are_counted() -> None:
    line = '%c = stablehlo.constant dense<"0x00112233445566778899AABB"> : tensor<12xf8E4M3FN>'
    assert shorten_constants(line) == (
        "%c = stablehlo.constant dense<… 12 bytes> : tensor<12xf8E4M3FN>"
    )


@pytest.mark.parametrize(
    "line",
    [
        "%c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>",
        '%c = stablehlo.constant dense<"0x00"> : tensor<1xi8>',
        'module @a attributes {x = "0x0011223344556677"}',
        '%c = dense<"0x001122334455667"> : tensor<3xf32>',
        "",
    ],
)
def test_everything_else_stays_as_it_is(line: str) -> None:
    assert shorten_constants(line) == line


def test_a_size_that_does_not_fit_the_type_is_counted() -> None:
    line = 'dense<"0x00112233445566778899"> : tensor<3xf32>'
    assert shorten_constants(line) == "dense<… 10 bytes> : tensor<3xf32>"


def test_infinities_and_no_numbers_are_told() -> None:
    values = np.array([np.inf, -np.inf, np.nan, 1.5] * 32, np.float32)
    assert "dense<inf, -inf, nan, 1.5, … 128 values>" in shorten_constants(lowered_constant(values))
