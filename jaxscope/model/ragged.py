"""Rows of differing length in two flat arrays."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Int32s = npt.NDArray[np.int32]


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Ragged:
    """A list of integer lists, stored as columns.

    Attributes:
        offsets: int32, shape `(num_rows + 1,)`, starts at 0 and never falls.
        values: int32, shape `(offsets[-1],)`; row `i` is `values[offsets[i]:offsets[i + 1]]`.
    """

    offsets: Int32s
    values: Int32s

    def __post_init__(self) -> None:
        check_offsets(self.offsets, len(self.values))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> Int32s:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def lengths(self) -> Int32s:
        """Length of each row, int32, shape `(num_rows,)`."""
        return np.diff(self.offsets).astype(np.int32)

    def row_numbers(self) -> Int32s:
        """The row of each value, int32, shape `(num_values,)`."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.lengths())

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[int]]) -> Ragged:
        """Pack rows of integers."""
        packed = list(rows)
        offsets = np.zeros(len(packed) + 1, np.int32)
        np.cumsum(np.fromiter(map(len, packed), np.int64, len(packed)), out=offsets[1:])
        values = itertools.chain.from_iterable(packed)
        return cls(offsets, np.fromiter(values, np.int32, int(offsets[-1])))

    @classmethod
    def empty(cls, num_rows: int) -> Ragged:
        """`num_rows` rows without values."""
        return cls(np.zeros(num_rows + 1, np.int32), np.zeros(0, np.int32))


def check_offsets(offsets: Int32s, num_values: int) -> None:
    """Refuse offsets that do not describe `num_values` values.

    Raises:
        ValueError: The offsets are of the wrong type, fall, or do not span the values.
    """
    if offsets.dtype != np.int32 or offsets.ndim != 1 or len(offsets) == 0:
        raise ValueError("offsets must be a non-empty int32 vector")
    if offsets[0] != 0 or offsets[-1] != num_values or bool(np.any(np.diff(offsets) < 0)):
        raise ValueError(f"offsets do not rise from 0 to {num_values}")
