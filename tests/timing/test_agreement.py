"""Differences in units of the last place, by hand and through real workers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from jaxscope.client.requests import AgreementRequest, ComparisonRequest
from jaxscope.client.session import Session
from jaxscope.errors import CallError
from jaxscope.model.experiments import Agreement, ProgramComparison
from jaxscope.worker.timing.agreement import compare_arrays, spacing

PROGRAMS = """
import jax
import jax.numpy as jnp

def same(x):
    return x * 2

def cancels(x):
    return (x + 1e8) - 1e8

def odd(x):
    return jnp.where(x > 0, jnp.nan, x)

def draws(key):
    return jax.random.normal(key, (3,))

def two(x):
    return {"a": x + 1, "b": x @ x}

def integers(x):
    return x + 1
"""


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session() as session:
        yield session


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("agreement") / "programs.py"
    path.write_text(PROGRAMS, "utf-8")
    return str(path)


def agree(session: Session, file: str, call: str) -> Agreement:
    result = session.start(AgreementRequest(file, call)).wait()
    assert isinstance(result, Agreement)
    return result


def compare(session: Session, file: str, call: str, **options: Any) -> ProgramComparison:
    request = ComparisonRequest(file, call, budget_s=0.3, **options)
    result = session.start(request).wait()
    assert isinstance(result, ProgramComparison)
    return result


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16])
def test_one_neighbour_is_one_unit(dtype: type) -> None:
    values = np.array([1.0, -3.5, 100.0, 0.015625], dtype)
    bits = values.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[values.itemsize]) + 3
    fields = compare_arrays("x", bits.view(values.dtype), values)
    assert fields["max_ulp"] == 3.0
    assert fields["differing"] == 4


def test_a_reference_of_more_digits_gives_fractions_of_units() -> None:
    one = np.array([1.0], np.float32)
    fields = compare_arrays("x", one, np.array([1.0 + 2.0**-24]))
    assert fields["max_ulp"] == pytest.approx(0.5)


def test_the_worst_element_is_named_with_both_values() -> None:
    first, second = np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32)
    first[1, 2] = 0.5
    fields = compare_arrays("x", first, second)
    assert (fields["index"], fields["first"], fields["second"]) == ("[1, 2]", "0.5", "0.0")


def test_not_a_number_on_both_sides_is_equal_and_on_one_is_counted() -> None:
    first = np.array([math.nan, math.nan, math.inf, 1.0], np.float32)
    second = np.array([math.nan, 1.0, math.inf, 1.0], np.float32)
    fields = compare_arrays("x", first, second)
    assert (fields["num_nan"], fields["differing"], fields["index"]) == (1, 0, "[1]")


@pytest.mark.parametrize(
    ("first", "second", "differing"),
    [
        (np.array([1, 2, 3]), np.array([1, 2, 5]), 1),
        (np.array([True, False]), np.array([False, True]), 2),
        (np.array([1 + 2j, 3j], np.complex64), np.array([1 + 2j, 4j], np.complex64), 1),
        (np.zeros((0, 4), np.float32), np.zeros((0, 4), np.float32), 0),
        (np.array([-0.0], np.float32), np.array([0.0], np.float32), 0),
    ],
)
def test_every_kind_of_array_can_be_compared(
    first: np.ndarray, second: np.ndarray, differing: int
) -> None:
    assert compare_arrays("x", first, second)["differing"] == differing


def test_the_largest_number_has_a_unit_too() -> None:
    largest = np.array([np.finfo(np.float32).max], np.float32)
    assert spacing(largest)[0] == pytest.approx(2.0**104)


def test_shapes_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="shapes"):
        compare_arrays("x", np.zeros(2), np.zeros(3))


def test_a_simple_program_agrees_bit_by_bit(session: Session, file: str) -> None:
    found = agree(session, file, "same(f32[8])")
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        ("eager", "jit"),
        ("eager", "float64"),
        ("jit", "float64"),
    ]
    assert all(leaf.is_equal for leaf in found.pairs[0].leaves)
    assert (found.stage, found.num_equations, found.equations) == ("jaxpr", 1, ())


def test_cancellation_shows_against_double_precision(session: Session, file: str) -> None:
    found = agree(session, file, "cancels(f32[8])")
    (leaf,) = found.pairs[1].leaves
    assert leaf.type == "f32[8]"
    assert leaf.max_ulp > 1000


def test_the_same_not_a_number_everywhere_is_agreement(session: Session, file: str) -> None:
    found = agree(session, file, "odd(f32[8])")
    assert all(leaf.num_nan == 0 for pair in found.pairs for leaf in pair.leaves)


@pytest.mark.slow
def test_random_numbers_are_said_to_differ_in_double_precision(session: Session, file: str) -> None:
    warnings = agree(session, file, "draws(key(0))").warnings
    assert [text for text in warnings if "random numbers" in text]


def test_results_in_a_pytree_are_named(session: Session, file: str) -> None:
    found = agree(session, file, "two(f32[4, 4])")
    assert [leaf.path for leaf in found.pairs[0].leaves] == ["['a']", "['b']"]


def test_the_same_call_twice_returns_the_same(session: Session, file: str) -> None:
    found = compare(session, file, "two(f32[4, 4])")
    assert [ratio.name for ratio in found.timing.ratios] == ["first/second"]
    assert found.timing.measurement("first").runs > 0
    assert found.timing.measurement("second").runs > 0
    assert all(leaf.is_equal for leaf in found.agreement.leaves)


def test_results_of_other_shapes_are_not_compared_and_that_is_said(
    session: Session, file: str
) -> None:
    found = compare(session, file, "same(f32[8])", other_call="same(f32[9])")
    assert "shapes (8,) and (9,) differ" in found.agreement.reason
    assert found.timing.measurement("second").runs > 0


def test_another_version_of_the_file_is_the_second(
    session: Session, file: str, tmp_path: Path
) -> None:
    other = tmp_path / "programs.py"
    other.write_text(PROGRAMS.replace("x * 2", "x * 3"), "utf-8")
    found = compare(session, file, "same(f32[8])", other_file=str(other))
    assert found.second == "same(f32[8]) of programs.py"
    assert found.agreement.leaves[0].differing == 8


def test_precision_and_options_belong_to_one_side(session: Session, file: str) -> None:
    found = compare(
        session,
        file,
        "two(f32[4, 4])",
        other_precision="highest",
        other_options={"xla_cpu_enable_fast_math": "true"},
    )
    assert found.first == "two(f32[4, 4])"
    assert "precision highest" in found.second
    assert "xla_cpu_enable_fast_math=true" in found.second


def test_an_unknown_precision_is_explained(session: Session, file: str) -> None:
    with pytest.raises(CallError, match="no precision"):
        compare(session, file, "two(f32[4, 4])", other_precision="superb")
