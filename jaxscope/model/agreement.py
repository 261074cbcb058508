"""How far results differ between two ways to compute them; two programs side by side."""

from __future__ import annotations

import dataclasses
import math

from jaxscope.model.capture import Environment
from jaxscope.model.timing import Timing
from jaxscope.model.unavailable import Unavailable


@dataclasses.dataclass(frozen=True, slots=True)
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


@dataclasses.dataclass(frozen=True, slots=True)
class Trial:
    """What compiling without a part of the compiler did to results that differ.

    Attributes:
        what: The part that was switched off, such as `pass fusion`.
        option: Of XLA's, by which it was.
        outcome: `equal` to the eager results; `both`: equal to them if each equation is compiled
            without that part as well; `unchanged`, `changed` to yet others, or `failed`.
        reason: Why it failed, or empty.
        whole: The same of the whole program; empty where it was not looked at.
    """

    what: str
    option: str
    outcome: str
    reason: str = ""
    whole: str = ""


@dataclasses.dataclass(frozen=True, eq=False)
class Origin:
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
    trials: tuple[Trial, ...] = ()
    num_compiled: int = 0
    reason: str = ""

    @property
    def causes(self) -> tuple[Trial, ...]:
        """What restores the eager bits when it is switched off; empty: unknown."""
        return tuple(trial for trial in self.trials if trial.outcome in ("equal", "both"))


_NOT_LOOKED_FOR = Unavailable("It was not looked for.")


@dataclasses.dataclass(frozen=True, eq=False)
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
    origin: Origin | Unavailable = _NOT_LOOKED_FOR


@dataclasses.dataclass(frozen=True, slots=True)
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


@dataclasses.dataclass(frozen=True, eq=False)
class Comparison:
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
