"""Work of a known duration; imports nothing, so that other stopwatches can run it anywhere."""

from __future__ import annotations


def spin(turns: int) -> int:
    """Work whose duration is proportional to `turns`."""
    total = 0
    for number in range(turns):
        total += number
    return total
