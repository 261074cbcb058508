"""Messages cut apart together read as each of them does alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxscope.model.protobuf import (
    encode_bytes,
    encode_number,
    encode_varint,
    read_field_columns,
    read_fields,
    read_packed_columns,
)

NUMBERS = st.integers(0, 2**64 - 1)
FIELDS = st.lists(st.tuples(st.integers(1, 2**29 - 1), st.one_of(NUMBERS, st.binary())))


def _message(fields: list[tuple[int, int | bytes]]) -> bytes:
    return b"".join(
        encode_number(number, value) if isinstance(value, int) else encode_bytes(number, value)
        for number, value in fields
    )


def _spans(parts: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    return ends - [len(part) for part in parts], ends


@given(st.lists(FIELDS, max_size=6), st.sampled_from([1, 100]))
def test_many_messages_read_as_one_by_one(messages: list, times: int) -> None:
    """A hundred copies are read together, single ones one after the other."""
    parts = [_message(fields) for fields in messages] * times
    data = b"".join(parts)
    starts, ends = _spans(parts)
    columns = read_field_columns(data, starts, ends)
    read = list(
        zip(
            *(
                column.tolist()
                for column in (
                    columns.message,
                    columns.number,
                    columns.key_start,
                    columns.start,
                    columns.end,
                    columns.value,
                )
            ),
            strict=True,
        )
    )
    expected = [
        (message, *field)
        for message, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
        for field in read_fields(data, start, end)
    ]
    assert read == expected


@given(st.binary(min_size=1, max_size=12), st.sampled_from([1, 100]))
def test_broken_messages_are_refused_as_one_by_one(part: bytes, times: int) -> None:
    parts = [part] * times
    data = b"".join(parts)
    starts, ends = _spans(parts)
    try:
        expected = [
            field
            for s, e in zip(starts, ends, strict=True)
            for field in read_fields(data, int(s), int(e))
        ]
    except ValueError:
        with pytest.raises(ValueError, match=r"message|number|wire type|field"):
            read_field_columns(data, starts, ends)
    else:
        columns = read_field_columns(data, starts, ends)
        assert columns.end.tolist() == [field[3] for field in expected]


@given(st.lists(st.lists(NUMBERS)))
def test_packed_numbers_of_many_fields(fields: list[list[int]]) -> None:
    parts = [b"".join(map(encode_varint, numbers)) for numbers in fields]
    values, counts = read_packed_columns(b"".join(parts), *_spans(parts))
    assert values.tolist() == [number for numbers in fields for number in numbers]
    assert counts.tolist() == [len(numbers) for numbers in fields]


@pytest.mark.parametrize("broken", [b"\x80", b"\x01\xff", b"\xff" * 10 + b"\x01"])
def test_packed_numbers_without_an_end_are_refused(broken: bytes) -> None:
    parts = [b"\x01", broken]
    with pytest.raises(ValueError, match="without an end"):
        read_packed_columns(b"".join(parts), *_spans(parts))


def test_a_message_outside_its_bytes_is_refused() -> None:
    with pytest.raises(ValueError, match="not within"):
        read_field_columns(b"\x08\x01", np.array([0]), np.array([3]))
