"""Results of experiments about one call: agreement of results between two ways to compute them, two
programs side by side, what recompiles and why, and what each policy of `jax.checkpoint` changes.
"""

from __future__ import annotations

import math
from typing import get_args

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import Environment
from jaxscope.model.graph import Cost
from jaxscope.model.hardware import Ceilings
from jaxscope.model.said import say
from jaxscope.model.timing import Profile, Scaling, Timing
from jaxscope.model.unavailable import Unavailable
from jaxscope.model.values import PassTrial

# How far results differ between two ways to compute them; two programs side by side.


@dataclass(frozen=True, slots=True)
class LeafAgreement:
    """How far one array of the results differs between two ways to compute it.

    Attributes:
        path: Where it sits in the results, or the id of the equation that made it.
        type: Such as `f32[128]`.
        count: Elements.
        differing: Elements that are not equal bit by bit, NaNs at the same place left out.
        max_ulp: Largest difference in units of the last place of the coarser of the two types; NaN
            where there are no floating-point numbers.
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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, eq=False)
class NumericDivergence:
    """Where compiled results first leave the eager ones, and what makes them.

    All of it was compiled and compared; nothing is concluded from the looks of a program.

    Attributes:
        equations: Ids of equations which, compiled together, give other bits than one by one. The
            result of the last differs; of what it is computed from, nothing does.
        operations: What each of them is.
        place: `file:line` of the last, or empty.
        worst: The difference of its result.
        is_least: Whether without any one of the others the difference vanishes.
        fusions: Of the optimized program: those that compute all of these equations.
        trials: What was switched off.
        num_compiled: How many compilations this took.
        reason: Why something was not looked at, or empty.
    """

    equations: tuple[str, ...]
    operations: tuple[str, ...]
    place: str
    worst: LeafAgreement
    is_least: bool
    fusions: tuple[str, ...] = ()
    trials: tuple[PassTrial, ...] = ()
    num_compiled: int = 0
    reason: str = ""

    @property
    def causes(self) -> tuple[PassTrial, ...]:
        """What restores the eager bits when it is switched off; empty: unknown."""
        return tuple(trial for trial in self.trials if trial.outcome in ("equal", "both"))


_NOT_LOOKED_FOR = Unavailable(say("It was not looked for."))


@dataclass(frozen=True, eq=False)
class Agreement:
    """How well eager, jitted and double-precision results agree.

    Attributes:
        pairs: Eager and jit, eager and double precision, jit and double precision.
        stage: Name of the stage whose equations were compared.
        equations: Those that differ, in program order.
        num_equations: How many were compared.
        origin: Where eager and jit part, or why that is not known.
    """

    call: str
    environment: Environment
    pairs: tuple[ResultsAgreement, ...]
    stage: str = ""
    equations: tuple[EquationAgreement, ...] = ()
    num_equations: int = 0
    warnings: tuple[str, ...] = ()
    origin: NumericDivergence | Unavailable = _NOT_LOOKED_FOR


@dataclass(frozen=True, slots=True)
class ProgramCost:
    """What a compiled program takes besides time, by XLA's own count; NaN is unknown.

    Attributes:
        flops: Of one call.
        bytes_accessed: Read and written in one call.
        memory: Bytes of arguments, results and temporaries.
        counting: How loops count in the first two, or why these are unknown, if there is a word.
    """

    flops: float = math.nan
    bytes_accessed: float = math.nan
    memory: float = math.nan
    counting: str = ""


@dataclass(frozen=True, eq=False)
class ProgramComparison:
    """Two programs measured against each other.

    Attributes:
        first: What the first is, in words: call, file, options.
        second: The same of the second.
        timing: Measurements `first` and `second`, their stages, and the ratio `first/second`.
        agreement: Of their results.
        first_cost: What the first takes besides time.
        second_cost: The same of the second.
        num_processes: How many fresh processes, or pairs of them, were measured.
        is_across_processes: Whether the two ran in processes of their own, which took turns.
    """

    first: str
    second: str
    timing: Timing
    agreement: ResultsAgreement
    first_cost: ProgramCost = ProgramCost()
    second_cost: ProgramCost = ProgramCost()
    num_processes: int = 1
    is_across_processes: bool = False


@dataclass(frozen=True, slots=True)
class KeyChange:
    """One difference between the keys of two calls of a jitted function.

    Attributes:
        kind: `shape`, `dtype`, `weak_type`, `static`, `tree`, `sharding`, `config`, `options`,
            `new_function`; `cleared` where JAX had lost a program that it had; `unknown` where the
            keys look alike.
        path: Which argument, setting or function; may be empty.
        before: In the nearest call before.
        after: In this one.
    """

    kind: str
    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class OutsideCompilation:
    """Programs that were compiled outside of calls of jitted functions.

    Single operations are; so are jitted functions that `grad` or `vmap` calls.

    Attributes:
        function: As JAX names it.
        count: Of programs.
        seconds: Traced, lowered, compiled.
        num_again: Of them, those that the same function had compiled at the same line before.
    """

    function: str
    count: int
    seconds: float
    num_again: int = 0


@dataclass(frozen=True, eq=False)
class Recompilation:
    """What a sequence of calls compiled.

    Attributes:
        calls: The calls that were run.
        signatures: In the order of compilation.
        wasted: Seconds of all but the first signature of each function.
        advice: What would avoid them, the costliest first.
        outside: What was compiled besides, the costliest first.
    """

    call: str
    environment: Environment
    calls: tuple[str, ...]
    signatures: tuple[Signature, ...]
    wasted: float = 0.0
    advice: tuple[Advice, ...] = ()
    warnings: tuple[str, ...] = ()
    outside: tuple[OutsideCompilation, ...] = ()


AS_WRITTEN = "as written"
_UNKNOWN = Cost()


CAST_DTYPES = ("float32", "bfloat16", "float16", "float64")
"""What floating-point arguments may be cast to for a comparison of two programs."""

POLICIES = (
    "nothing_saveable",
    "everything_saveable",
    "dots_saveable",
    "dots_with_no_batch_dims_saveable",
)
"""Policies of `jax.checkpoint_policies` that take no arguments."""


@dataclass(frozen=True, slots=True)
class RematOutcome:
    """The gradient compiled with one policy on the base function.

    Attributes:
        policy: Its name in `jax.checkpoint_policies`, or `AS_WRITTEN`.
        kept_bytes: What the forward part keeps for the backward part; arguments, which are there
            anyway, left out.
        num_kept: Of how many values.
        traced_flops: Of the gradient's jaxpr: with what is computed again, whether or not XLA
            merges it with the first time.
        cost: Of the compiled gradient in one run, loops by their rounds where these are known.
        temporary_bytes: What XLA allocates for each run besides arguments and results.
        peak_bytes: The most that is alive at once, arguments and results included, as computed
            from the schedule.
        seconds: Wall seconds that tracing, lowering and compiling took.
        missing: Why nothing is known of this policy, or None.
    """

    policy: str
    kept_bytes: float = math.nan
    num_kept: int = 0
    traced_flops: float = math.nan
    cost: Cost = _UNKNOWN
    temporary_bytes: float = math.nan
    peak_bytes: float = math.nan
    seconds: float = math.nan
    missing: Unavailable | None = None


@dataclass(frozen=True, slots=True)
class RematPolicies:
    """All policies, compiled one after another.

    Attributes:
        call: What was differentiated.
        environment: Where.
        subject: In a few words: which gradient.
        outcomes: `AS_WRITTEN` first.
        warnings: What to mind.
    """

    call: str
    environment: Environment
    subject: str
    outcomes: tuple[RematOutcome, ...]
    warnings: tuple[str, ...] = ()

    @property
    def as_written(self) -> RematOutcome | None:
        """The gradient without any policy of ours."""
        return next((o for o in self.outcomes if o.policy == AS_WRITTEN), None)


@dataclass(frozen=True, slots=True)
class BisectTrial:
    """One point that was tried.

    Attributes:
        number: Of the point in the order that was searched, from 0.
        name: Such as `JAX 0.10.2 (/env/bin/python)`, `commit 1a2b3c4 Use a scan`.
        value: What was looked at: bytes, a count, a ratio of times, ULPs; 1 for a failure, else 0.
            NaN where it could not be found out.
        text: The same in words, or why it is not known.
        is_bad: Whether it is nearer to the last point than to the first; None where not known.
    """

    number: int
    name: str
    value: float
    text: str
    is_bad: bool | None = None


@dataclass(frozen=True, slots=True)
class Bisection:
    """Between which two points a property changes.

    Attributes:
        over: `versions`, `passes`, `flags` or `commits`.
        measure: `time`, `memory`, `kernels`, `numbers` or `failure`.
        num_points: How many points there are.
        trials: In the order in which they were made; the first and the last point first.
        good: The last point that is like the first one; None where nothing changes.
        bad: The first point that is like the last one.
        difference: What differs between these two, in sentences.
        script: Commands that show the two side by side.
        reason: Why there is no answer; empty where there is one.
    """

    call: str
    over: str
    measure: str
    num_points: int
    trials: tuple[BisectTrial, ...]
    good: BisectTrial | None = None
    bad: BisectTrial | None = None
    difference: tuple[str, ...] = ()
    script: str = ""
    reason: str = ""

    @property
    def num_untold(self) -> int:
        """Points between the two that could not be tried."""
        if self.good is None or self.bad is None:
            return 0
        return self.bad.number - self.good.number - 1


REST = "rest"
"""The kind of a part of compile time that nothing is known of, or of what is too small to show."""


@dataclass(frozen=True, slots=True)
class CompileSpan:
    """A part of the time that tracing, lowering and compiling took.

    Attributes:
        name: What was done.
        kind: `stage`, `line` (of Python code), `pass` (what XLA's recorder noted), `threads` (what
            other threads did while the one that compiles waited), or `REST`.
        parent: Number of the part that it is in; -1 of a stage.
        seconds: On the wall, with what is in it.
        file: Of a line; empty for other kinds.
        line: From 1; 0 for other kinds.
    """

    name: str
    kind: str
    parent: int
    seconds: float
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class CompileLine:
    """What one line took while it was the innermost one that is no part of JAX.

    Attributes:
        trace: Seconds of tracing, sampled.
        lower: Seconds of lowering its equations, sampled.
        equations: That it made, nested ones included.
    """

    file: str
    line: int
    trace: float
    lower: float
    equations: int


@dataclass(frozen=True, eq=False)
class CompileTime:
    """Where the time went that tracing, lowering and compiling a call took, in a run of its own.

    Attributes:
        spans: Each behind the one that it is in. Those that are directly in a span make up all of
            it, or there are none.
        lines: The costliest first.
        num_equations: Of the call's jaxpr, nested ones included.
        num_looks: At the stack while it was traced and lowered.
        advice: What would avoid some of it.
    """

    call: str
    environment: Environment
    spans: tuple[CompileSpan, ...]
    lines: tuple[CompileLine, ...]
    num_equations: int = 0
    num_looks: int = 0
    advice: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """Of all stages."""
        return math.fsum(span.seconds for span in self.spans if span.parent < 0)


LabResult = (
    Profile
    | Scaling
    | Recompilation
    | ProgramComparison
    | Agreement
    | Ceilings
    | RematPolicies
    | CompileTime
)
"""What an experiment of the timing lab finds."""
LAB_RESULTS: tuple[type[LabResult], ...] = get_args(LabResult)
