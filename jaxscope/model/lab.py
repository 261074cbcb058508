"""What the experiments of the timing lab find: profiles, scaling, recompilation, comparisons."""

from __future__ import annotations

import dataclasses

from jaxscope.model.capture import Environment
from jaxscope.model.unavailable import Unavailable


@dataclasses.dataclass(frozen=True, slots=True)
class NodeTime:
    """Time of one instruction or equation in one run of the program.

    Attributes:
        name: The instruction's name, or the equation's id.
        count: How often it was executed in one run; in a loop more than once.
        seconds: Median over the runs, with everything that ran inside of it.
        low: Lower end of the interval of that median.
        high: Upper end.
        exclusive: Median over the runs, without what ran inside of it.
    """

    name: str
    count: int
    seconds: float
    low: float
    high: float
    exclusive: float


@dataclasses.dataclass(frozen=True, eq=False)
class NodeTimes:
    """Times of the parts of one program.

    Attributes:
        stage: Name of the stage whose nodes these are.
        times: In the order of their first execution.
        runs: How often the program was run.
        wall: Median wall seconds of a run, while it was recorded.
        plain_wall: The same without recording; how much recording costs is the difference.
        covered: Median seconds of a run in which at least one of the parts was at work.
        protocol: One sentence: how it was measured.
    """

    stage: str
    times: tuple[NodeTime, ...]
    runs: int
    wall: float
    plain_wall: float
    covered: float
    protocol: str

    @property
    def coverage(self) -> float:
        """Share of the wall seconds that the parts explain."""
        return min(self.covered / self.wall, 1.0) if self.wall > 0 else 0.0

    @property
    def gaps(self) -> float:
        """Wall seconds in which none of the parts was at work: dispatch and gaps."""
        return max(self.wall - self.covered, 0.0)


@dataclasses.dataclass(frozen=True, eq=False)
class Profile:
    """Where the time of one call goes.

    Attributes:
        compiled: Of the instructions of the optimized program.
        eager: Of the equations of the last jaxpr-level stage, run one by one.
    """

    call: str
    environment: Environment
    compiled: NodeTimes | Unavailable
    eager: NodeTimes | Unavailable
    warnings: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class LineTime:
    """Time that a line of the user's code is charged with.

    Attributes:
        file: Path.
        line: 1-based; 0 for what no line is known for.
        seconds: Of what the line itself calls for.
        total: The same, with what functions called from the line call for.
    """

    file: str
    line: int
    seconds: float
    total: float
