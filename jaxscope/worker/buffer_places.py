"""Where XLA put each value of a compiled program: its own buffer assignment, as columns.

Values whose lifetimes do not meet share memory, and results are written over operands; which ones
is XLA's decision, and only this tells it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxscope.worker.hlo_slices import SlicedModule
from jaxscope.worker.wire_format import Field, read_fields, read_packed

MAX_PLACES = 1 << 20

_LOGICAL, _ALLOCATION = 1, 3
_ID, _DEFINED_AT = 1, 3
_SHAPE_INDEX, _INSTRUCTION = 3, 4
_INDEX, _THREAD_LOCAL, _PARAMETER, _LIVE_OUT, _ASSIGNED, _CONSTANT = 1, 3, 5, 7, 9, 12
_BUFFER, _OFFSET, _SIZE = 1, 2, 3

TEMPORARY, ARGUMENT, RESULT, CONSTANT, THREAD_LOCAL = range(5)


def read_places(assignment: bytes, module: bytes) -> dict[str, Any]:
    """Columns of a message: for each value its node, result, allocation, offset, size and kind.

    Args:
        assignment: A serialized `BufferAssignmentProto`.
        module: The serialized `HloModuleProto` that it is of.

    Raises:
        ValueError: The bytes are something else.
    """
    rows = {id: row for row, id in enumerate(SlicedModule(module).instruction_ids())}
    values: dict[int, tuple[int, int]] = {}
    found: list[tuple[int, int, int, int, int, int]] = []
    for number, _, start, end, _ in read_fields(assignment):
        if number == _LOGICAL:
            value = _read_value(assignment, start, end, rows)
            if value is not None:
                values[value[0]] = value[1:]
        elif number == _ALLOCATION:
            found += _read_allocation(assignment, start, end, values)
    table = np.array(found[:MAX_PLACES], np.int64).reshape(-1, 6)
    names = ("node", "output", "allocation", "offset", "size", "kind")
    return {name: np.ascontiguousarray(column) for name, column in zip(names, table.T, strict=True)}


def _read_value(
    data: bytes, start: int, end: int, rows: dict[int, int]
) -> tuple[int, int, int] | None:
    """Id, row of the instruction and number of its result; None for the inside of a tuple."""
    id = instruction = 0
    output: list[int] = []
    for number, _, begin, stop, value in read_fields(data, start, end):
        if number == _ID:
            id = value
        elif number == _DEFINED_AT:
            for inner, _, first, last, inner_value in read_fields(data, begin, stop):
                if inner == _INSTRUCTION:
                    instruction = inner_value
                elif inner == _SHAPE_INDEX:
                    output += read_packed(data, first, last)
    row = rows.get(instruction)
    return None if row is None or len(output) > 1 else (id, row, output[0] if output else 0)


def _read_allocation(
    data: bytes, start: int, end: int, values: dict[int, tuple[int, int]]
) -> list[tuple[int, int, int, int, int, int]]:
    fields = read_fields(data, start, end)
    index = _number(fields, _INDEX)
    kind = TEMPORARY
    for field, name in (
        (_LIVE_OUT, RESULT),
        (_PARAMETER, ARGUMENT),
        (_CONSTANT, CONSTANT),
        (_THREAD_LOCAL, THREAD_LOCAL),
    ):
        kind = name if _number(fields, field) else kind
    found = []
    for number, _, begin, stop, _ in fields:
        if number == _ASSIGNED:
            parts = read_fields(data, begin, stop)
            known = values.get(_number(parts, _BUFFER))
            if known is not None:
                place = (_number(parts, _OFFSET), _number(parts, _SIZE))
                found.append((*known, index, *place, kind))
    return found


def _number(fields: list[Field], wanted: int) -> int:
    return next((value for number, _, _, _, value in fields if number == wanted), 0)
