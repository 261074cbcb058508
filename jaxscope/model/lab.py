"""What the timing lab finds about one call: where its time goes, how it grows with size."""

from __future__ import annotations

import dataclasses
import math

from jaxscope.model.capture import Environment
from jaxscope.model.timeline import Timeline
from jaxscope.model.timing import Measurement, Ratio
from jaxscope.model.unavailable import Unavailable

NO_TIMELINE = Unavailable("No single run was kept.")


@dataclasses.dataclass(frozen=True, slots=True)
class NodeTime:
    """Time of one instruction or equation in one run of the program.

    Attributes:
        name: The instruction's name, or the equation's id.
        count: How often it was executed in one run; in a loop more than once.
        seconds: Median over the runs, with everything that ran inside of it.
        low: Smallest of these.
        high: Largest.
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
        timeline: Of one run of the optimized program, the one of median length.
    """

    call: str
    environment: Environment
    compiled: NodeTimes | Unavailable
    eager: NodeTimes | Unavailable
    warnings: tuple[str, ...] = ()
    timeline: Timeline | Unavailable = NO_TIMELINE


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


@dataclasses.dataclass(frozen=True, eq=False)
class ScalePoint:
    """What was measured at one size; NaN is unknown.

    Attributes:
        size: Of what is varied.
        eager: Steady calls of the first form: run equation by equation, or what `Scaling.forms`
            says; None where there are none.
        jit: Steady calls of the second: the compiled program.
        ratio: Of the two, paired.
        trace: Seconds of tracing once.
        lower: Seconds of lowering once.
        compile: Seconds of compiling once.
        flops: Of the compiled program, by XLA's rules.
        bytes_accessed: The same of bytes read and written.
        memory: Bytes of arguments, results and temporaries.
        reason: Why something is missing, or empty.
        first_compile: Seconds from Python to program of the first form, where it is compiled, too.
        counting: How loops count in `flops` and `bytes_accessed`, or why these are unknown: a
            sentence, or nothing.
    """

    size: int
    eager: Measurement | None = None
    jit: Measurement | None = None
    ratio: Ratio | None = None
    trace: float = math.nan
    lower: float = math.nan
    compile: float = math.nan
    flops: float = math.nan
    bytes_accessed: float = math.nan
    memory: float = math.nan
    reason: str = ""
    first_compile: float = math.nan
    counting: str = ""

    @property
    def compile_time(self) -> float:
        """Seconds from Python to program: trace, lower and compile."""
        return self.trace + self.lower + self.compile


@dataclasses.dataclass(frozen=True, slots=True)
class Slope:
    """How a quantity grows: it goes like size to the power of the slope.

    Attributes:
        quantity: `eager`, `jit`, `compile_time`, `first_compile`, `flops`, `bytes_accessed` or
            `memory`.
        slope: Median of the slopes between all pairs of points, both axes logarithmic.
        low: Lower end of where the middle of these slopes lies.
        high: Upper end.
        num_points: How many points it is from.
        first_size: The smallest size that it is from.
    """

    quantity: str
    slope: float
    low: float
    high: float
    num_points: int
    first_size: int


@dataclasses.dataclass(frozen=True, slots=True)
class Crossover:
    """Between which two sizes the order of two programs changes.

    Attributes:
        low: The last size of the old order.
        high: The first size of the new one.
        size: Where the curves cross, by interpolation.
        before: Which of the two forms is faster up to there.
        after: Which is faster from there on.
    """

    low: int
    high: int
    size: float
    before: str
    after: str


@dataclasses.dataclass(frozen=True, eq=False)
class Scaling:
    """A call at several sizes.

    Attributes:
        vary: What was varied, as typed.
        points: In rising order of size; those that were not reached are missing.
        slopes: Over all sizes, then over the larger half, where fixed costs weigh less.
        crossovers: Usually none or one.
        forms: Names of the two forms: `eager` and `jit`, `loop` and `vmap`, `unrolled` and `scan`.
    """

    call: str
    environment: Environment
    vary: str
    points: tuple[ScalePoint, ...]
    slopes: tuple[Slope, ...] = ()
    crossovers: tuple[Crossover, ...] = ()
    warnings: tuple[str, ...] = ()
    forms: tuple[str, str] = ("eager", "jit")
