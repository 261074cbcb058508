"""What the experiments of the timing lab find: profiles, scaling, recompilation, comparisons."""

from __future__ import annotations

import dataclasses
import math

from jaxscope.model.capture import Environment
from jaxscope.model.timing import Measurement, Ratio, Timing
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


@dataclasses.dataclass(frozen=True, eq=False)
class ScalePoint:
    """What was measured at one size; NaN is unknown.

    Attributes:
        size: Of what is varied.
        eager: Steady calls run equation by equation; None where there are none.
        jit: Steady calls of the compiled program.
        ratio: Of the two, paired.
        trace: Seconds of tracing once.
        lower: Seconds of lowering once.
        compile: Seconds of compiling once.
        flops: Of the compiled program, by XLA's rules.
        bytes_accessed: The same of bytes read and written.
        memory: Bytes of arguments, results and temporaries.
        reason: Why something is missing, or empty.
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

    @property
    def compile_time(self) -> float:
        """Seconds from Python to program: trace, lower and compile."""
        return self.trace + self.lower + self.compile


@dataclasses.dataclass(frozen=True, slots=True)
class Slope:
    """How a quantity grows: it goes like size to the power of the slope.

    Attributes:
        quantity: `eager`, `jit`, `compile_time`, `flops`, `bytes_accessed` or `memory`.
        slope: Median of the slopes between all pairs of points, both axes logarithmic.
        low: Lower end of its interval.
        high: Upper end.
        confidence: Coverage of the interval, as far as so few points allow.
        num_points: How many points it is from.
        first_size: The smallest size that it is from.
    """

    quantity: str
    slope: float
    low: float
    high: float
    confidence: float
    num_points: int
    first_size: int


@dataclasses.dataclass(frozen=True, slots=True)
class Crossover:
    """Between which two sizes the order of two programs changes.

    Attributes:
        low: The last size of the old order.
        high: The first size of the new one.
        size: Where the curves cross, by interpolation.
        before: Which of `eager` and `jit` is faster up to there.
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
    """

    call: str
    environment: Environment
    vary: str
    points: tuple[ScalePoint, ...]
    slopes: tuple[Slope, ...] = ()
    crossovers: tuple[Crossover, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class KeyChange:
    """One difference between the keys of two calls of a jitted function.

    Attributes:
        kind: `shape`, `dtype`, `weak_type`, `static`, `tree`, `sharding`, `config`, `options`,
            `new_function`, or `unknown` where the keys look alike.
        path: Which argument, setting or function; may be empty.
        before: In the nearest call before.
        after: In this one.
    """

    kind: str
    path: str
    before: str
    after: str


@dataclasses.dataclass(frozen=True, slots=True)
class Signature:
    """One key that a jitted function was compiled for.

    Attributes:
        number: From 0, in the order of compilation.
        function: Name of the jitted function.
        place: `file:line` of its definition.
        call: The call of the sequence that it happened in.
        arguments: What each argument is, such as `x: f32[10]`.
        nearest: Number of the signature with the fewest differences; None for the first.
        changes: Against that one.
        trace: Seconds of tracing; NaN where JAX did not report it.
        lower: Seconds of lowering.
        compile: Seconds of compiling.
        is_from_cache: Whether the program came from the persistent compilation cache.
        num_calls: Calls with this key, the compiling one included.
        jax_says: JAX's own explanation, or empty.
        agrees: Whether that explanation is of the same kind; None without one.
    """

    number: int
    function: str
    place: str
    call: str
    arguments: tuple[str, ...]
    nearest: int | None
    changes: tuple[KeyChange, ...]
    trace: float
    lower: float
    compile: float
    is_from_cache: bool
    num_calls: int
    jax_says: str
    agrees: bool | None

    @property
    def seconds(self) -> float:
        """What making the program took, as far as it is known."""
        return sum(part for part in (self.trace, self.lower, self.compile) if not math.isnan(part))


@dataclasses.dataclass(frozen=True, slots=True)
class Advice:
    """What to do about recompilations of one function.

    Attributes:
        function: Its name.
        kind: As in `KeyChange`.
        text: One or two sentences.
        seconds: What the recompilations of this kind took.
    """

    function: str
    kind: str
    text: str
    seconds: float


@dataclasses.dataclass(frozen=True, eq=False)
class Recompilation:
    """What a sequence of calls compiled.

    Attributes:
        calls: The calls that were run.
        signatures: In the order of compilation.
        wasted: Seconds of all but the first signature of each function.
        advice: What would avoid them, the costliest first.
    """

    call: str
    environment: Environment
    calls: tuple[str, ...]
    signatures: tuple[Signature, ...]
    wasted: float = 0.0
    advice: tuple[Advice, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class LeafAgreement:
    """How far one array of the results differs between two ways to compute it.

    Attributes:
        path: Where it sits in the results, or the id of the equation that made it.
        type: Such as `f32[128]`.
        count: Elements.
        differing: Elements that are not equal bit by bit, NaNs at the same place left out.
        max_ulp: Largest difference in units of the last place of the second's type; NaN where
            there are no floating-point numbers.
        max_absolute: Largest absolute difference of finite elements.
        max_relative: Largest difference relative to the second, where that is not zero.
        index: Of the worst element, such as `[3, 4]`.
        first: Its value one way.
        second: Its value the other way.
        num_nan: Elements that are NaN or infinite one way only.
    """

    path: str
    type: str
    count: int
    differing: int
    max_ulp: float
    max_absolute: float
    max_relative: float
    index: str
    first: str
    second: str
    num_nan: int

    @property
    def is_equal(self) -> bool:
        """Whether all elements are equal bit by bit."""
        return self.differing == 0 and self.num_nan == 0


@dataclasses.dataclass(frozen=True, slots=True)
class ResultsAgreement:
    """Two ways to compute the same results.

    Attributes:
        first: Name of one way, such as `eager`.
        second: Name of the other, which counts as right.
        leaves: One for each array of the results.
        reason: Why they could not be compared, or empty.
    """

    first: str
    second: str
    leaves: tuple[LeafAgreement, ...]
    reason: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class EquationAgreement:
    """An equation whose compiled result differs from the eager one.

    Attributes:
        id: Of the last jaxpr-level stage.
        operation: JAX's name.
        place: `file:line`, or empty.
        worst: The difference.
        inputs_equal: Whether everything it computes from was equal: then it arises here.
    """

    id: str
    operation: str
    place: str
    worst: LeafAgreement
    inputs_equal: bool


@dataclasses.dataclass(frozen=True, eq=False)
class Agreement:
    """How well eager, jitted and double-precision results agree.

    Attributes:
        pairs: Eager and jit, eager and double precision, jit and double precision.
        stage: Name of the stage whose equations were compared.
        equations: Those that differ, in program order.
        num_equations: How many were compared.
    """

    call: str
    environment: Environment
    pairs: tuple[ResultsAgreement, ...]
    stage: str = ""
    equations: tuple[EquationAgreement, ...] = ()
    num_equations: int = 0
    warnings: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, eq=False)
class Comparison:
    """Two programs measured against each other.

    Attributes:
        first: What the first is, in words: call, file, options.
        second: The same of the second.
        timing: Measurements `first` and `second`, their stages, and the ratio `first/second`.
        agreement: Of their results.
    """

    first: str
    second: str
    timing: Timing
    agreement: ResultsAgreement
