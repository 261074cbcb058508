"""Lists of devices as HLO writes them: one by one, or as a range that is reshaped and turned.

`<=[4,2]T(1,0)` are the numbers 0 to 7 as a table of 4 rows and 2 columns, read column by column.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

MAX_DEVICES = 1 << 17
"""More than any machine has; a text that says more is not believed."""

_IOTA = re.compile(r"<=\[(?P<shape>[\d,\s]+)\](?:T\((?P<order>[\d,\s]+)\))?")


def read_numbers(text: str) -> tuple[int, ...]:
    """Numbers separated by commas.

    Raises:
        ValueError: They are none.
    """
    return tuple(int(part) for part in text.split(",") if part.strip())


def expand_iota(shape: Sequence[int], order: Sequence[int] = ()) -> tuple[int, ...]:
    """The numbers from 0, reshaped, transposed and read in rows.

    Raises:
        ValueError: The order does not fit the shape, or there are too many.
    """
    count = math.prod(shape)
    if not 0 < count <= MAX_DEVICES or min(shape, default=0) < 1:
        raise ValueError(f"a range of {count} devices")
    if order and sorted(order) != list(range(len(shape))):
        raise ValueError(f"an order {tuple(order)} of {len(shape)} dimensions")
    table = np.arange(count).reshape(tuple(shape))
    if order:
        table = table.transpose(tuple(order))
    return tuple(table.reshape(-1).tolist())


def read_device_list(text: str) -> tuple[int, ...]:
    """`<=[4,2]T(1,0)` or `0,2,4,6`, as numbers; what follows is passed over.

    Raises:
        ValueError: It is neither.
    """
    match = _IOTA.match(text)
    if match is not None:
        return expand_iota(read_numbers(match["shape"]), read_numbers(match["order"] or ""))
    listed = re.match(r"\d+(?:\s*,\s*\d+)*", text)
    if listed is None:
        raise ValueError(f"no devices in {text[:60]!r}")
    return read_numbers(listed[0])
