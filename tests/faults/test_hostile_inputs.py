"""What reads what somebody else wrote ends with a result, or with an error that it names."""

from __future__ import annotations

import contextlib
import random

import pytest

from jaxscope.errors import UsageError
from jaxscope.program.job_texts import read_compilations
from jaxscope.program.scaling import read_growth, read_scale
from jaxscope.program.search import QueryError, parse_query
from tests.faults.readers import READERS, Reader, change

NUM_EACH = 300


@pytest.mark.sweep(14)
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_changed_inputs(reader: Reader) -> None:
    chance, seeds = random.Random(reader.name), reader.seeds()
    for seed in seeds:
        with contextlib.suppress(EOFError):  # frames go on until their stream ends
            reader.read(seed)
    for _ in range(NUM_EACH):
        with contextlib.suppress(*reader.may_raise):
            reader.read(change(chance.choice(seeds), chance, seeds))


@pytest.mark.slow
def test_a_line_of_a_log_takes_no_time_by_its_square() -> None:
    """Each took minutes; the limit of a test's time is what fails here."""
    for begin in ("Finished tracing + ", "Compiling jit(", "Finished XLA compilation of "):
        assert read_compilations(begin * 40_000) == []


@pytest.mark.parametrize(
    "text", (f"n={'9' * 5000}..9", f"n=1..{'9' * 5000}", f"{'x9' * 90_000}=1..2")
)
def test_sizes_without_end_are_no_range(text: str) -> None:
    for read in (read_scale, read_growth):
        with pytest.raises(UsageError):
            read(text)


def test_a_regular_expression_that_is_nested_too_deep() -> None:
    with pytest.raises(QueryError, match="nested too deep"):
        parse_query(f"/{'(' * 3000}{')' * 3000}/")
    assert parse_query("/[[a]/"), "Python warns of it, which is nothing for the person"
