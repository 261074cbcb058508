"""What lies in memory at each step of a compiled program, and what is there at the peak.

Computed from the scheduled module: a value is alive from the instruction that makes it up to the
last one that reads it, both included; arguments and results are there to the end. Where XLA writes
a result over an operand that it reads for the last time, or keeps temporaries where a result will
be, less is needed than computed here; where it leaves gaps between buffers, more. So XLA's own
total stands beside it wherever both are shown.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.memory.buffers import Buffer, BufferFinder
from jaxscope.analysis.memory.schedule import Schedule, read_schedule
from jaxscope.model import Capture, Graph, Unavailable

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class LiveRanges:
    """Live ranges of one program.

    Attributes:
        graph: Of the compiled module.
        steps: Node of each step; a loop's inside stands once, before the loop.
        buffers: In the order in which they are first needed; constants are among them.
        timeline: Bytes alive at each step, constants left out: float64, shape `(num_steps,)`.
        temporaries: The same of temporaries alone.
        peak_step: First step at which the most is alive.
        num_unsized: Buffers whose size is not known; they count nothing.
    """

    graph: Graph
    steps: tuple[int, ...]
    buffers: tuple[Buffer, ...]
    timeline: Floats
    temporaries: Floats
    peak_step: int
    num_unsized: int = 0

    @property
    def peak_bytes(self) -> float:
        """The most that is alive at once."""
        return float(self.timeline[self.peak_step])

    @property
    def peak_temporary_bytes(self) -> float:
        """The most of temporaries that is alive at once."""
        return float(self.temporaries.max())

    def alive_at(self, step: int) -> tuple[Buffer, ...]:
        """What is alive at a step, constants left out, the largest first."""
        alive = [b for b in self.buffers if b.start <= step <= b.end and b.kind != "constant"]
        return tuple(sorted(alive, key=lambda buffer: -_known(buffer.num_bytes)))


def find_live_ranges(capture: Capture) -> LiveRanges | Unavailable:
    """Live ranges of a capture's compiled program, or why they are not known."""
    schedule = read_schedule(capture.stage("optimized"))
    return schedule if isinstance(schedule, Unavailable) else follow_schedule(schedule)


def follow_schedule(schedule: Schedule) -> LiveRanges:
    """Live ranges of a module that runs in this order."""
    buffers = BufferFinder(schedule).find()
    num_steps = len(schedule.steps)
    timeline = _sum(num_steps, [b for b in buffers if b.kind != "constant"])
    return LiveRanges(
        schedule.graph,
        schedule.steps,
        tuple(buffers),
        timeline,
        _sum(num_steps, [b for b in buffers if b.kind == "temporary"]),
        int(timeline.argmax()),
        sum(buffer.num_bytes != buffer.num_bytes for buffer in buffers),
    )


def _sum(num_steps: int, buffers: list[Buffer]) -> Floats:
    changes = np.zeros(num_steps + 1)
    for buffer in buffers:
        changes[buffer.start] += _known(buffer.num_bytes)
        changes[buffer.end + 1] -= _known(buffer.num_bytes)
    return np.cumsum(changes)[:num_steps]


def _known(num_bytes: float) -> float:
    """NaN counts nothing in sums; `num_unsized` tells how many there are."""
    return num_bytes if num_bytes == num_bytes else 0.0
