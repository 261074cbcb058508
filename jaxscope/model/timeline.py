"""One run of a compiled program, instruction by instruction."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt


@dataclasses.dataclass(frozen=True, eq=False)
class Timeline:
    """What ran when in one call of the program; N events on L threads.

    All times are seconds since the call was entered, on the wall.

    Attributes:
        names: Instructions that ran, each once.
        lanes: L, threads of devices, such as `device 0, thread 1`.
        name: int32 (N,): place in `names` of each event.
        lane: int32 (N,): place in `lanes`.
        began: float64 (N,), rising.
        seconds: float64 (N,): until the event ended.
        returned: When the call came back to Python: dispatch was over.
        wall: When the result was ready.
        covered: Seconds in which at least one instruction was at work.
        num_left_out: Events too short to be kept where there were very many.

    Raises:
        ValueError: The columns do not belong together, or a time cannot be.
    """

    names: tuple[str, ...]
    lanes: tuple[str, ...]
    name: npt.NDArray[np.int32]
    lane: npt.NDArray[np.int32]
    began: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.float64]
    returned: float
    wall: float
    covered: float
    num_left_out: int = 0

    def __post_init__(self) -> None:
        columns = (self.name, self.lane, self.began, self.seconds)
        if len({len(column) for column in columns}) != 1:
            raise ValueError("the columns of a timeline differ in length")
        for column, known in ((self.name, self.names), (self.lane, self.lanes)):
            if np.any(column < 0) or np.any(column >= len(known)):
                raise ValueError("an event of a timeline has a name or a lane that is not there")
        times = np.concatenate([self.began, self.seconds, [self.returned, self.wall]])
        if not np.all(np.isfinite(times)) or np.any(self.seconds < 0) or self.wall < 0:
            raise ValueError("an event of a timeline has no possible time")

    @property
    def coverage(self) -> float:
        """Share of the wall seconds in which an instruction was at work."""
        return min(self.covered / self.wall, 1.0) if self.wall > 0 else 0.0
