"""Serialized messages cut apart by hand read as protobuf itself reads them."""

from __future__ import annotations

import pytest
from google.protobuf import struct_pb2, type_pb2
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.model.protobuf import (
    BYTES,
    VARINT,
    encode_bytes,
    encode_number,
    encode_varint,
    read_fields,
    read_packed,
    read_varint,
)

NUMBERS = st.integers(0, 2**64 - 1)


@given(NUMBERS)
def test_numbers_survive(number: int) -> None:
    encoded = encode_varint(number)
    assert read_varint(encoded, 0, len(encoded)) == (number, len(encoded))


@given(st.lists(NUMBERS))
def test_packed_numbers_survive(numbers: list[int]) -> None:
    encoded = b"".join(map(encode_varint, numbers))
    assert read_packed(encoded, 0, len(encoded)) == numbers


@given(st.lists(st.tuples(st.integers(1, 2**29 - 1), st.one_of(NUMBERS, st.binary()))))
def test_fields_survive_in_order(fields: list[tuple[int, int | bytes]]) -> None:
    data = b"".join(
        encode_number(number, value) if isinstance(value, int) else encode_bytes(number, value)
        for number, value in fields
    )
    found = [
        (number, value if data[start:end] and _is_varint(data, key, number) else data[start:end])
        for number, key, start, end, value in read_fields(data)
    ]
    assert found == fields


def _is_varint(data: bytes, key_start: int, number: int) -> bool:
    key, _ = read_varint(data, key_start, len(data))
    assert key >> 3 == number
    return key & 7 == VARINT


@pytest.mark.slow
@given(st.text(), st.text(), st.integers(0, 2**31 - 1), st.floats(allow_nan=False))
def test_fields_are_those_that_protobuf_wrote(
    name: str, other: str, number: int, value: float
) -> None:
    message = type_pb2.Field(name=name, json_name=other, number=number)
    data = message.SerializeToString()
    texts = {n: data[start:end].decode() for n, _, start, end, _ in read_fields(data) if n != 3}
    assert texts.get(4, "") == name
    assert texts.get(10, "") == other
    assert sum(v for n, _, _, _, v in read_fields(data) if n == 3) == number
    fixed = struct_pb2.Value(number_value=value).SerializeToString()
    ((field, _, start, end, _),) = read_fields(fixed)
    assert (field, end - start) == (2, 8)


@settings(max_examples=300)
@given(st.binary(max_size=64))
def test_any_bytes_are_fields_or_refused(data: bytes) -> None:
    try:
        fields = read_fields(data)
    except ValueError:
        return
    # What was read covers the bytes without a gap: nothing is lost when it is put together.
    assert b"".join(data[key:end] for _, key, _, end, _ in fields) == data


@pytest.mark.parametrize(
    "data",
    [
        b"\x80" * 11,
        b"\x0a",
        b"\x0a\x05ab",
        b"\x0b",
        b"\x00\x00",
        b"\x09\x01",
        encode_varint(1 << 3 | BYTES) + encode_varint(2**60),
    ],
)
def test_messages_that_break_off_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        read_fields(data)
