"""Two programs in processes of their own take turns: who is next, and when it is enough.

The same protocol as within one process (pairs of chunks in random order, few looks), but for more
calls left out at the start of a turn: a process that waited finds its data gone from the caches.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from random import Random

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.statistics import MARGIN, find_median_interval

Block = npt.NDArray[np.float64]
MeasureBlock = Callable[[int, int, int], Block]
"""Which of the two, how many calls are kept, how many before are not: seconds of each kept one."""

CHUNK = 20
CHUNK_DROPPED = 10
SLOW_CALL_S = 0.010
FIRST_LOOK = 12
LEAST_S = 0.5


@dataclasses.dataclass(eq=False)
class Turns:
    """What was measured so far.

    Attributes:
        num_per_chunk: Kept calls in a turn.
        blocks: Of each side, one per turn.
        log_ratios: Of the medians of each pair of turns, first to second.
        stopped: Why it ended: `precise`, `budget`, or empty while it has not.
    """

    num_per_chunk: int
    blocks: tuple[list[Block], list[Block]] = dataclasses.field(default_factory=lambda: ([], []))
    log_ratios: list[float] = dataclasses.field(default_factory=list)
    stopped: str = ""

    def seconds(self, side: int) -> Block:
        """Durations of all calls of one side."""
        return np.concatenate([np.empty(0), *self.blocks[side]])


def take_turns(
    measure_block: MeasureBlock,
    turns: Turns,
    *,
    budget_s: float,
    rng: Random,
    now_s: Callable[[], float] = time.monotonic,
) -> None:
    """Let both measure in random pairs until precise or out of budget; at least one pair.

    Args:
        turns: Filled while measuring, so that what was measured survives a failure.

    Raises:
        Exception: Whatever `measure_block` raises.
    """
    kept = turns.num_per_chunk
    dropped = CHUNK_DROPPED if kept > 1 else 1
    start_s, next_look = now_s(), FIRST_LOOK
    while not turns.stopped:
        pair: dict[int, Block] = {}
        for side in rng.sample((0, 1), 2):
            pair[side] = measure_block(side, kept, dropped)
        for side, block in pair.items():
            turns.blocks[side].append(block)
        first, second = (max(float(np.median(pair[side])), 1e-9) for side in (0, 1))
        turns.log_ratios.append(float(np.log(first / second)))
        spent_s = now_s() - start_s
        if len(turns.log_ratios) >= next_look:
            next_look *= 2
            interval = find_median_interval(turns.log_ratios)
            if spent_s >= LEAST_S and (interval.high - interval.low) / 2 <= MARGIN:
                turns.stopped = "precise"
        if spent_s >= budget_s and not turns.stopped:
            turns.stopped = "budget"
