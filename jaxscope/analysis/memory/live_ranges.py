"""What lies in memory at each step of a compiled program, and what is there at the peak.

Computed from the scheduled module: a value is alive from the instruction that makes it up to the
last one that reads it, both included; arguments and results are there to the end. Where XLA tells
in which memory each value lies, memory that several share counts once, so that nothing comes to
more than XLA allocates. Where it does not tell, values are added up: less is needed where a result
is written over an operand that is read for the last time, or where temporaries lie where a result
will be; more where gaps are left. So XLA's own total stands beside it wherever both are shown.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.memory.buffers import Buffer, BufferFinder
from jaxscope.analysis.memory.schedule import Schedule, read_schedule
from jaxscope.model import Capture, Graph, Unavailable, is_available
from jaxscope.model.memory import Place

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
        is_placed: Whether XLA told in which memory each value lies.
    """

    graph: Graph
    steps: tuple[int, ...]
    buffers: tuple[Buffer, ...]
    timeline: Floats
    temporaries: Floats
    peak_step: int
    num_unsized: int = 0
    is_placed: bool = False

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
    if isinstance(schedule, Unavailable):
        return schedule
    plan = capture.memory
    return follow_schedule(schedule, plan.places if is_available(plan) else ())


def follow_schedule(schedule: Schedule, places: Sequence[Place] = ()) -> LiveRanges:
    """Live ranges of a module that runs in this order.

    Args:
        schedule: The order.
        places: Where XLA put each value; empty where that is not known.
    """
    buffers = BufferFinder(schedule).find()
    num_steps = len(schedule.steps)
    counted = [b for b in buffers if b.kind != "constant"]
    if places:
        timeline = _cover(num_steps, _lying(counted, places, _HELD_KINDS))
        temporaries = _cover(num_steps, _lying(counted, places, {"temporary"}))
    else:
        timeline = _sum(num_steps, counted)
        temporaries = _sum(num_steps, [b for b in buffers if b.kind == "temporary"])
    return LiveRanges(
        schedule.graph,
        schedule.steps,
        tuple(buffers),
        timeline,
        temporaries,
        int(timeline.argmax()),
        sum(buffer.num_bytes != buffer.num_bytes for buffer in buffers),
        bool(places),
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Lying:
    """Memory from `begin` up to `end` of an allocation, in use from a step to another."""

    allocation: int
    begin: int
    end: int
    first: int
    last: int


_HELD_KINDS = frozenset({"temporary", "argument", "result"})


def _lying(
    buffers: Sequence[Buffer], places: Sequence[Place], kinds: Collection[str]
) -> list[_Lying]:
    """Where buffers lie; what XLA gave no place of its own lies where another value does."""
    known = {(place[0], place[1]): place[2:] for place in places}
    found = []
    for buffer in buffers:
        keys = ((buffer.node, buffer.output), *((node, 0) for node in buffer.writers))
        place = next((known[key] for key in keys if key in known), None)
        if place is not None and place[3] in kinds:
            allocation, offset, size, _ = place
            found.append(_Lying(allocation, offset, offset + size, buffer.start, buffer.end))
    return found


def _cover(num_steps: int, lying: Sequence[_Lying]) -> Floats:
    """Bytes in use at each step, each byte once however many values lie on it."""
    changes = np.zeros(num_steps + 1)
    by_allocation: dict[int, list[_Lying]] = {}
    for each in lying:
        by_allocation.setdefault(each.allocation, []).append(each)
    for parts in by_allocation.values():
        parts.sort(key=lambda part: part.begin)
        edges = sorted({edge for part in parts for edge in (part.begin, part.end)})
        over: list[_Lying] = []
        waiting = 0
        for low, high in itertools.pairwise(edges):
            over = [part for part in over if part.end > low]
            while waiting < len(parts) and parts[waiting].begin <= low:
                over.append(parts[waiting])
                waiting += 1
            reached = -1
            for part in sorted(over, key=lambda part: part.first):
                first = max(part.first, reached + 1)
                if part.last >= first and part.end > low:
                    changes[first] += high - low
                    changes[part.last + 1] -= high - low
                    reached = part.last
    return np.cumsum(changes)[:num_steps]


def _sum(num_steps: int, buffers: list[Buffer]) -> Floats:
    changes = np.zeros(num_steps + 1)
    for buffer in buffers:
        changes[buffer.start] += _known(buffer.num_bytes)
        changes[buffer.end + 1] -= _known(buffer.num_bytes)
    return np.cumsum(changes)[:num_steps]


def _known(num_bytes: float) -> float:
    """NaN counts nothing in sums; `num_unsized` tells how many there are."""
    return num_bytes if num_bytes == num_bytes else 0.0
