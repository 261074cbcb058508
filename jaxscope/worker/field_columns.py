"""Cut many serialized messages apart at once, into columns.

The same as `wire_format.read_fields` message by message, at a tenth of its time for thousands of
messages: all of them advance by one field together, in NumPy. A module of ten thousand
instructions is read in the time that Python needs for one thousand.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from jaxscope.worker.wire_format import BYTES, FIXED32, FIXED64, VARINT, read_fields

Int64s = npt.NDArray[np.int64]

_Step = tuple[Int64s, Int64s, Int64s, Int64s, Int64s, npt.NDArray[np.uint64]]

_FEW = 24
"""So few messages are read faster one after the other."""

_PADDING = 20
"""Zero bytes after the data, so that reading a key and a length never leaves the buffer."""

_MAX_VARINT_BYTES = 10


@dataclasses.dataclass(frozen=True, eq=False)
class FieldColumns:
    """The fields of many messages; those of one message stand together, in their order.

    Attributes:
        message: Which message a field is of, by position.
        number: Field numbers.
        key_start: Where the field begins.
        start: Where its value begins.
        end: Where its value ends.
        value: The value of a varint, as 64 unsigned bits; 0 for others.
    """

    message: Int64s
    number: Int64s
    key_start: Int64s
    start: Int64s
    end: Int64s
    value: npt.NDArray[np.uint64]

    def of(self, number: int) -> FieldColumns:
        """The fields of one number."""
        return self.where(self.number == number)

    def where(self, chosen: npt.NDArray[np.bool_] | Int64s) -> FieldColumns:
        """The chosen fields: a mask, or positions in the order wanted."""
        return FieldColumns(
            self.message[chosen],
            self.number[chosen],
            self.key_start[chosen],
            self.start[chosen],
            self.end[chosen],
            self.value[chosen],
        )


def read_field_columns(data: bytes, starts: Int64s, ends: Int64s) -> FieldColumns:
    """The fields of the messages `data[starts[i]:ends[i]]`.

    Raises:
        ValueError: One of them is no message.
    """
    if starts.size and not (
        starts.min() >= 0 and np.all(starts <= ends) and ends.max() <= len(data)
    ):
        raise ValueError("a message is not within its bytes")
    padded = np.frombuffer(data + bytes(_PADDING), np.uint8)
    steps: list[_Step] = []
    active = np.flatnonzero(starts < ends)
    position = starts[active]
    while active.size > _FEW:
        key, value_start = _read_varints(padded, position)
        number, wire_type = (key >> np.uint64(3)).astype(np.int64), (key & np.uint64(7))
        start, end, value = _read_values(padded, wire_type, value_start)
        stop = ends[active]
        if np.any(number == 0) or np.any(end > stop) or np.any(end < start):
            raise ValueError("the bytes are no message")
        steps.append((active, number, position, start, end, value))
        rest = end < stop
        active, position = active[rest], end[rest]
    for message, begin in zip(active.tolist(), position.tolist(), strict=True):
        steps.append(_read_one(data, message, begin, int(ends[message])))
    return _in_order(steps)


def read_packed_columns(
    data: bytes, starts: Int64s, ends: Int64s
) -> tuple[npt.NDArray[np.uint64], Int64s]:
    """The numbers of many packed repeated varint fields.

    Returns:
        The numbers of all, one after the other, and how many each field has.

    Raises:
        ValueError: The bytes of one are no such field.
    """
    lengths = ends - starts
    total = int(lengths.sum())
    if total == 0:
        return np.zeros(0, np.uint64), np.zeros(len(starts), np.int64)
    field = np.repeat(np.arange(len(starts)), lengths)
    first = np.cumsum(lengths) - lengths
    within = np.arange(total) - first[field]
    taken = np.frombuffer(data, np.uint8)[starts[field] + within]
    is_last = taken < 0x80
    filled = lengths > 0
    if not np.all(is_last[(first + lengths - 1)[filled]]):
        raise ValueError("a number without an end")
    begins = np.concatenate(([0], np.flatnonzero(is_last)[:-1] + 1))
    place = np.arange(total) - np.repeat(begins, np.diff(np.append(begins, total)))
    if place.max() >= _MAX_VARINT_BYTES:
        raise ValueError("a number without an end")
    bits = (taken & 0x7F).astype(np.uint64) << (7 * place).astype(np.uint64)
    counts = np.bincount(field[is_last], minlength=len(starts))
    return np.add.reduceat(bits, begins), counts


def _read_varints(
    padded: npt.NDArray[np.uint8], position: Int64s
) -> tuple[npt.NDArray[np.uint64], Int64s]:
    """The varint at each position and the position after it."""
    byte = padded[position]
    number = (byte & 0x7F).astype(np.uint64)
    after = position + 1
    longer = np.flatnonzero(byte >= 0x80)
    for place in range(1, _MAX_VARINT_BYTES + 1):
        if longer.size == 0:
            return number, after
        if place == _MAX_VARINT_BYTES:
            break
        byte = padded[np.minimum(after[longer], len(padded) - 1)]
        number[longer] |= (byte & 0x7F).astype(np.uint64) << np.uint64(7 * place)
        after[longer] += 1
        longer = longer[byte >= 0x80]
    raise ValueError("a number without an end")


def _read_values(
    padded: npt.NDArray[np.uint8], wire_type: npt.NDArray[np.uint64], position: Int64s
) -> tuple[Int64s, Int64s, npt.NDArray[np.uint64]]:
    """Start, end and number of the value at each position."""
    start, end = position.copy(), position.copy()
    value = np.zeros(len(position), np.uint64)
    is_bytes, is_varint = wire_type == BYTES, wire_type == VARINT
    numbered = np.flatnonzero(is_bytes | is_varint)
    number, after = _read_varints(padded, np.minimum(position[numbered], len(padded) - 1))
    # A length beyond the buffer would overflow a signed sum: it is wrong all the same.
    length = np.minimum(number, np.uint64(len(padded))).astype(np.int64)
    has_bytes = is_bytes[numbered]
    end[numbered] = np.where(has_bytes, after + length, after)
    start[numbered] = np.where(has_bytes, after, position[numbered])
    value[numbered] = np.where(has_bytes, np.uint64(0), number)
    end[wire_type == FIXED64] += 8
    end[wire_type == FIXED32] += 4
    if not np.all(is_bytes | is_varint | (wire_type == FIXED64) | (wire_type == FIXED32)):
        raise ValueError("an unknown wire type")
    return start, end, value


def _read_one(data: bytes, message: int, begin: int, end: int) -> _Step:
    fields = read_fields(data, begin, end)
    number, key_start, start, stop, value = zip(*fields, strict=True)
    return (
        np.full(len(fields), message),
        np.array(number, np.int64),
        np.array(key_start, np.int64),
        np.array(start, np.int64),
        np.array(stop, np.int64),
        np.array(value, np.uint64),
    )


def _in_order(steps: list[_Step]) -> FieldColumns:
    if not steps:
        none = np.zeros(0, np.int64)
        return FieldColumns(none, none, none, none, none, none.astype(np.uint64))
    message, number, key_start, start, end, value = (
        np.concatenate(column) for column in zip(*steps, strict=True)
    )
    whole = FieldColumns(message, number, key_start, start, end, value)
    return whole.where(np.argsort(message, kind="stable"))
