"""Numbers as a person reads them."""

from __future__ import annotations

import math

import pytest

from jaxscope.model.units import format_share


@pytest.mark.parametrize(
    ("share", "decimals", "told"),
    [
        *((0.0, 0, "0%"), (1e-9, 0, "<1%"), (0.004, 0, "<1%"), (0.006, 0, "1%"), (0.5, 0, "50%")),
        *((0.994, 0, "99%"), (0.996, 0, ">99%"), (1.0, 0, "100%"), (1.5, 0, "150%")),
        *((0.0004, 1, "<0.1%"), (0.9996, 1, ">99.9%"), (math.nan, 1, "unknown")),
    ],
)
def test_little_is_not_nothing_and_most_is_not_all(share: float, decimals: int, told: str) -> None:
    assert format_share(share, decimals) == told
