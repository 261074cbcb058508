"""Protocol buffers without their library: cut serialized messages apart and put them together.

The worker may run where protobuf is not installed. Nothing here knows a schema; field numbers
are the business of whoever cuts.
"""

from __future__ import annotations

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

Field = tuple[int, int, int, int, int]
"""Field number, start of its key, start of its value, end of its value, and a varint's value.

The value of a field that is no varint is 0; read its bytes between the positions.
"""


_ONE_BYTE = [bytes([number]) for number in range(0x80)]


def read_fields(data: bytes, start: int = 0, end: int | None = None) -> list[Field]:
    """List the fields of the message in `data[start:end]`, in the order in which they stand.

    Raises:
        ValueError: The bytes are no message.
    """
    stop = len(data) if end is None else end
    if not 0 <= start <= stop <= len(data):
        raise ValueError("the message is not within its bytes")
    fields: list[Field] = []
    position = start
    while position < stop:
        key_start = position
        key = data[position]
        position += 1
        if key >= 0x80:
            key, position = read_varint(data, key_start, stop)
        number, wire_type, value = key >> 3, key & 7, 0
        if number == 0:
            raise ValueError("field number 0")
        value_start = position
        # Nearly all numbers are one byte long, and a call for each would double the time.
        if wire_type == BYTES:
            if position < stop and (length := data[position]) < 0x80:
                value_start = position + 1
            else:
                length, value_start = read_varint(data, position, stop)
            position = value_start + length
        elif wire_type == VARINT:
            if position < stop and (value := data[position]) < 0x80:
                position += 1
            else:
                value, position = read_varint(data, position, stop)
        elif wire_type == FIXED64:
            position += 8
        elif wire_type == FIXED32:
            position += 4
        else:
            raise ValueError(f"wire type {wire_type}")
        if position > stop:
            raise ValueError("a field runs past the end of its message")
        fields.append((number, key_start, value_start, position, value))
    return fields


def read_varint(data: bytes, position: int, stop: int) -> tuple[int, int]:
    """The number at `position`, as 64 unsigned bits, and the position after it.

    Raises:
        ValueError: It has no end before `stop`, or more than ten bytes.
    """
    number = shift = 0
    while True:
        if position >= stop or shift > 63:
            raise ValueError("a number without an end")
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & 0xFFFFFFFFFFFFFFFF, position
        shift += 7


def read_packed(data: bytes, start: int, end: int) -> list[int]:
    """The numbers of a packed repeated varint field.

    Raises:
        ValueError: The bytes are no such field.
    """
    numbers = []
    while start < end:
        number, start = read_varint(data, start, end)
        numbers.append(number)
    return numbers


def encode_varint(number: int) -> bytes:
    """A non-negative number as a varint."""
    if number < 0x80:  # nearly all of them
        return _ONE_BYTE[number]
    encoded = bytearray()
    while number >= 0x80:
        encoded.append((number & 0x7F) | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def encode_bytes(number: int, payload: bytes) -> bytes:
    """A length-delimited field: a message, a string, bytes."""
    return encode_varint(number << 3 | BYTES) + encode_varint(len(payload)) + payload


def encode_number(number: int, value: int) -> bytes:
    """A varint field."""
    return encode_varint(number << 3 | VARINT) + encode_varint(value)
