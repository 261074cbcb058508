"""The numbers in findings about matrix products and about pairs of casts or transposes."""

from __future__ import annotations

import re
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.checks import planted
from tests.checks.running import findings_of

TPU = "aot:tpu:v5e:2x2"
ROUNDED = "float32-products-rounded"


def _of(call: str, target: str) -> list[str]:
    return [each.rule for each in findings_of(planted.__file__, call, target)]


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (TPU, "bfloat16"),
        ("tpu", "bfloat16"),
        ("aot:gpu:h100", "tensorfloat32"),
        ("aot:gpu:a100:8", "tensorfloat32"),
        ("aot:gpu:v100", ""),
        ("aot:gpu:t4", ""),
        ("cpu", ""),
        ("cpu:8", ""),
        ("gpu", ""),  # not here, so its kind is not known
    ],
)
def test_rounding_is_told_of_targets_that_jax_documents_it_of(target: str, name: str) -> None:
    found = findings_of(planted.__file__, "multiplied(f32[64, 32], f32[32, 16])", target)
    assert [each.rule for each in found] == [ROUNDED] * bool(name)
    assert all(f"rounded to {name}," in each.message for each in found)


def test_one_finding_counts_the_products_of_the_whole_program() -> None:
    call = "grad(loss_of_product, argnums=(0, 1))(f32[64, 32], f32[32, 16])"
    (found,) = findings_of(planted.__file__, call, TPU)
    program = jax.make_jaxpr(jax.grad(planted.loss_of_product, (0, 1)))
    text = str(program(jnp.ones((64, 32)), jnp.ones((32, 16))))
    assert text.count("dot_general") == 3
    assert "The program has 3 for which" in found.message
    assert f"this one, {2 * 64 * 32 * 16:,} FLOP" in found.message


def test_a_product_of_vmap_is_one_of_matrices_in_the_program_of_the_call() -> None:
    assert _of("times_vector(f32[64, 32], f32[32])", TPU) == []
    assert _of("vmap(times_vector, in_axes=(None, 0))(f32[64, 32], f32[8, 32])", TPU) == [ROUNDED]


def test_the_padding_of_a_batch_of_small_products() -> None:
    call = "rotated(bf16[5000, 3, 4], bf16[5000, 4, 5])"
    (found,) = findings_of(planted.__file__, call, TPU)
    (times,) = re.findall(r"computes ([\d,]+) times", found.message)
    assert times == f"{8 * 128 * 128 / (3 * 4 * 5):,.0f}"
    assert "5,000 products of 3 x 4 by 4 x 5" in found.message
    assert _of(call, "cpu") == _of(call, "aot:gpu:h100") == []


@pytest.mark.slow
def test_the_remedy_for_small_products_gives_the_same_products() -> None:
    a, b = (jax.random.normal(jax.random.key(n), (7, 3, 3)) for n in range(2))
    np.testing.assert_allclose(planted.rotated_by_sums(a, b), a @ b, rtol=1e-5, atol=1e-6)


def _kept(function: Callable[[jax.Array], jax.Array], x: jax.Array) -> int:
    """How many transposes and copies of a whole array XLA leaves."""
    text = jax.jit(function).lower(x).compile().as_text()
    shapes = re.findall(r"= f32\[([\d,]+)\]\S* (?:transpose|copy)\(", text)
    return sum(np.prod([int(n) for n in each.split(",")]) == x.size for each in shapes)


@pytest.mark.parametrize("name", ["softmax_of_columns", "softmax_between_swaps"])
@pytest.mark.slow
def test_xla_keeps_transposes_around_a_softmax_and_the_remedy_has_none(name: str) -> None:
    x = jnp.ones((1024, 512) if name == "softmax_of_columns" else (16, 128, 256))
    shape = list(x.shape)
    (found,) = findings_of(planted.__file__, f"{name}(f32{shape})")
    (axis,) = re.findall(r"axis=(\d)\)", found.remedy)
    function = getattr(planted, name)

    def remedied(x: jax.Array) -> jax.Array:
        return jax.nn.softmax(x, axis=int(axis))

    assert _kept(function, x) >= 2 and _kept(remedied, x) == 0
    random = jax.random.normal(jax.random.key(0), x.shape)
    np.testing.assert_allclose(function(random), remedied(random), rtol=1e-6)
    assert _of(f"{name}(f32{shape})", TPU) == []


@pytest.mark.parametrize("name", ["twice_transposed", "tanh_of_columns", "mean_of_columns"])
def test_xla_removes_the_transposes_that_nothing_is_said_of(name: str) -> None:
    assert _kept(getattr(planted, name), jnp.ones((1024, 512))) == 0


def test_a_sort_between_casts_gives_what_a_sort_gives() -> None:
    (found,) = findings_of(planted.__file__, "sorted_in_float32(bf16[1024, 512])", TPU)
    x = jax.random.normal(jax.random.key(0), (1024, 512), jnp.bfloat16)
    assert f"{x.size * 4:,} bytes in place of {x.size * 2:,}" in found.message
    np.testing.assert_array_equal(jnp.sort(x), planted.sorted_in_float32(x))
    assert _of("sorted_in_float32(bf16[1024, 512])", "cpu") == []


def test_xla_removes_casts_with_nothing_between() -> None:
    def there_and_back(x: jax.Array) -> jax.Array:
        return x.astype(jnp.int32).astype(x.dtype)[::-1]

    text = jax.jit(there_and_back).lower(jnp.ones((1024, 512), jnp.int8)).compile().as_text()
    assert "convert(" not in text and "reverse" in text
