"""The values that a program computed, equation by equation, in summaries; one place in a run that
is stepped through; and how a person names a part of them.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import Environment


@dataclass(frozen=True, slots=True)
class ArraySummary:
    """The range of an array, its NaN and Inf, and its first elements.

    Attributes:
        shape: Its shape.
        dtype: As NumPy names it, such as `float32`; `key<fry>` of random keys.
        min: Of the finite elements; NaN where there is none, and of complex numbers and keys.
        max: Likewise.
        mean: Likewise, in double precision.
        num_nan: Elements that are NaN.
        num_inf: Elements that are infinite.
        text: The first and last elements in a line, in the order of memory; of an equation in a
            loop those of its last run.
    """

    shape: tuple[int, ...]
    dtype: str
    min: float = math.nan
    max: float = math.nan
    mean: float = math.nan
    num_nan: int = 0
    num_inf: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class EquationValues:
    """What an equation computed, over all rounds of the loops around it.

    Attributes:
        id: Of the equation.
        operation: Its primitive.
        types: Of its results, as JAX prints them.
        outputs: Of its results.
        num_runs: How often it was run and summarized.
        file: Of its innermost line of user code; empty where unknown.
        line: 1-based; 0 where unknown.
    """

    id: str
    operation: str
    types: tuple[str, ...]
    outputs: tuple[ArraySummary, ...]
    num_runs: int = 1
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class NonfiniteOrigin:
    """The first equation that made NaN of operands without, or Inf of finite ones.

    Attributes:
        equation: Its id.
        stage: The stage that has it.
        operation: Its primitive.
        kind: `nan` or `inf`.
        file: Of its innermost line of user code; empty where unknown.
        line: 1-based; 0 where unknown.
        iterations: Of the loops around it, outermost first, counted from 0; in a scan that runs
            backwards the index of the slices that it reads.
        element: Index of the first such element in the first result that has one.
        operands: What it read.
        because: How it came to that, in a sentence or two.
        cause: Of NaN that is made of Inf, the equation that made that of finite operands; empty
            where it is made of no Inf, or nobody knows.
        is_hidden: No NaN or Inf in the results of the program is computed from it, as where
            `select_n` chooses another value in its place.
    """

    equation: str
    stage: str
    operation: str
    kind: str
    file: str
    line: int
    iterations: tuple[int, ...]
    element: tuple[int, ...]
    operands: tuple[ArraySummary, ...]
    because: str
    is_hidden: bool = False
    cause: str = ""


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """How a result of an equation in another form differs from the eager one.

    Attributes:
        id: Of the equation.
        operation: Its primitive.
        type: Of the eager result, as JAX prints it.
        number: Of the result among those of the equation.
        difference: None where they cannot be compared.
        file: Of its innermost line of user code; empty where unknown.
        line: 1-based; 0 where unknown.
    """

    id: str
    operation: str
    type: str
    number: int
    difference: ArrayDifference | None
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class ComparedResult:
    """How a result of the program in another form differs from the eager one.

    Attributes:
        number: Among the results.
        difference: None where they cannot be compared.
    """

    number: int
    difference: ArrayDifference | None


@dataclass(frozen=True, slots=True)
class PassTrial:
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


def find_causes(trials: Iterable[PassTrial]) -> tuple[str, ...]:
    """Parts of the compiler without any one of which a value is the eager one."""
    return tuple(trial.what for trial in trials if trial.outcome == "equal")


@dataclass(frozen=True, slots=True)
class FormComparison:
    """The values of a program in another form, beside the eager ones.

    Attributes:
        form: `jit`: the whole program compiled with the value of one equation as a further result.
            `float64`: the same equations, arguments and constants in double precision, compiled;
            the value rounded to the type of the eager one. `again`: a second run.
        results: Of the program; of `jit` without any further result.
        equations: Results of equations in the order in which they run, loops as a whole.
        in_own_type: Primitives that double precision left in the types that they have.
        reason: Why not all was compared; empty otherwise.
        trials: Of `jit`: what the first value that differs by more than was asked for becomes
            without a part of the compiler.
        trials_reason: Why there are not all trials; empty otherwise.
    """

    form: str
    results: tuple[ComparedResult, ...] = ()
    equations: tuple[ComparedValue, ...] = ()
    in_own_type: tuple[str, ...] = ()
    reason: str = ""
    trials: tuple[PassTrial, ...] = ()
    trials_reason: str = ""

    def parting(self, ulps: int = 0) -> tuple[ComparedValue, ...]:
        """Those that differ by more than so many ULPs, in the order in which they run.

        What has no ULPs, such as an integer or a NaN on one side, parts wherever it differs.
        """
        return tuple(each for each in self.equations if is_beyond(each.difference, ulps))


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a call.

    Attributes:
        call: The call.
        environment: Where it ran.
        stage: The stage whose equations these are: the last of the jaxprs.
        arguments: Of the inputs of the program.
        results: Of its results.
        argument_paths: Where each argument sits in those of the call, such as `params['w']`.
        equations: In the order in which they ran first.
        origins: Of the stage, in the order in which they ran; of the stage `gradient`, too, where
            the results of the call are finite and those of its gradient are not.
        warnings: What is not told, and why.
        against: Another form of the program, where one was asked for.
        given: Of Inf that stands in the program as a constant, in a sentence; empty without it.
        result_paths: Where each result sits in those of the call, such as `result[0]['w']`.
    """

    call: str
    environment: Environment
    stage: str
    arguments: tuple[ArraySummary, ...]
    results: tuple[ArraySummary, ...]
    argument_paths: tuple[str, ...]
    equations: tuple[EquationValues, ...]
    origins: tuple[NonfiniteOrigin, ...] = ()
    warnings: tuple[str, ...] = ()
    against: FormComparison | None = None
    given: str = ""
    result_paths: tuple[str, ...] = ()


# One place in a run that is stepped through, with what is read and made there.


@dataclass(frozen=True, slots=True)
class StepValue:
    """A value at a place of a run.

    Attributes:
        kind: `argument`, `operand` or `result`.
        index: Among those of its kind, from 0.
        name: Where it comes from: an argument's path, an equation's id, or what it is.
        type: As JAX prints it.
        summary: Its range and its first elements.
        source: Id of the equation that made it; empty where none did.
        loaded: The file that it was read from; empty for what the call gives.
    """

    kind: str
    index: int
    name: str
    type: str
    summary: ArraySummary
    source: str = ""
    loaded: str = ""


@dataclass(frozen=True, slots=True)
class ChainLink:
    """An equation on the way to a value.

    Attributes:
        equation: Its id.
        operation: Its primitive.
        line: Of its line of user code; 0 where unknown.
        iterations: Of the loops around it, outermost first.
        text: What it gave, in a few words.
    """

    equation: str
    operation: str
    line: int
    iterations: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """The place of a run that is stepped through, and the values there.

    Attributes:
        number: That the request had.
        equation: Id; empty at the start, where the arguments are, and at the end, where the
            results are.
        is_end: Whether it is at the end.
        iterations: Of the loops around the equation, outermost first, counted from 0; in a scan
            that runs backwards the index of the slices that it reads.
        rounds: How many rounds each of these loops has.
        operation: Its primitive.
        file: Of its innermost line of user code; empty where unknown.
        line: 1-based; 0 where unknown.
        values: Arguments at the start, else operands and then results; at the end the results.
        num_left_out: Values that are not told because there are too many.
        can_enter: Whether there are equations inside that can be stepped through.
        inside: Why there are none, or which branch was taken; may be empty.
        note: Why it stands here, or why it did not move; may be empty.
        is_unmoved: Whether it stands where it was; then nothing but the note is told.
        failure: What the equation raised; empty where it has results.
        kept_bytes: Values that the worker keeps.
        most_bytes: That it keeps at most.
        origin: Where NaN or Inf was made first, where that was asked for.
        chain: What led to it, from the equation backwards.
    """

    number: int
    equation: str = ""
    is_end: bool = False
    iterations: tuple[int, ...] = ()
    rounds: tuple[int, ...] = ()
    operation: str = ""
    file: str = ""
    line: int = 0
    values: tuple[StepValue, ...] = ()
    num_left_out: int = 0
    can_enter: bool = False
    inside: str = ""
    note: str = ""
    is_unmoved: bool = False
    failure: str = ""
    kept_bytes: int = 0
    most_bytes: int = 0
    origin: NonfiniteOrigin | None = None
    chain: tuple[ChainLink, ...] = ()

    @property
    def is_start(self) -> bool:
        """Whether it is at the start."""
        return not (self.equation or self.is_end)


@dataclass(frozen=True, slots=True)
class ArrayDifference:
    """How two arrays of one shape differ.

    Two NaN are equal, and so are 0.0 and -0.0.

    Attributes:
        num_elements: Of each.
        num_different: Elements that differ.
        num_odd: Of them those that are not finite in one array at least.
        max_abs: Largest difference of finite elements; NaN where none of them differ.
        max_ulps: Largest number of steps from one to the other, in numbers that the type has; -1
            where it is not known.
        place: Index of the first element with the largest difference, else of the first that
            differs; empty where none does, or of a number.
    """

    num_elements: int
    num_different: int = 0
    num_odd: int = 0
    max_abs: float = math.nan
    max_ulps: int = -1
    place: tuple[int, ...] = ()


def is_beyond(difference: ArrayDifference | None, ulps: int) -> bool:
    """Whether arrays differ by more than so many ULPs, or in what has none."""
    if difference is None or not difference.num_different:
        return False
    return bool(difference.num_odd) or difference.max_ulps < 0 or difference.max_ulps > ulps


_ULP_TYPES = ("float16", "bfloat16", "float32", "float64")


def compare_arrays(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> ArrayDifference:
    """How two arrays differ.

    Raises:
        ValueError: They have different shapes or types.
    """
    if one.shape != other.shape or one.dtype != other.dtype:
        raise ValueError("arrays of different shapes or types")
    ordered = _find_order(one), _find_order(other)
    is_float = ordered[0] is not None
    with np.errstate(invalid="ignore", over="ignore"):
        both_nan = (one != one) & (other != other)
        differs = (one != other) & ~both_nan
        num_different = int(differs.sum())
        if not num_different:
            return ArrayDifference(one.size, max_ulps=0 if is_float else -1)
        is_finite = _is_finite(one) & _is_finite(other)
        counted = differs & is_finite
        gaps = np.where(counted, _find_gaps(one, other), 0)
    first = int(np.argmax(gaps)) if counted.any() else int(np.argmax(differs))
    ulps = -1
    if ordered[0] is not None and ordered[1] is not None:
        high, low = np.maximum(ordered[0], ordered[1]), np.minimum(ordered[0], ordered[1])
        steps = high.astype(np.uint64) - low.astype(np.uint64)  # right in spite of its overflow
        ulps = int(np.where(counted, steps, np.uint64(0)).max())
    return ArrayDifference(
        one.size,
        num_different,
        int((differs & ~is_finite).sum()),
        float(gaps.max()) if counted.any() else math.nan,
        ulps if counted.any() else -1,
        tuple(int(n) for n in np.unravel_index(first, one.shape)),
    )


def _find_order(array: npt.NDArray[Any]) -> npt.NDArray[np.int64] | None:
    """Of floating-point numbers their places among all that the type has; None of others."""
    if str(array.dtype) not in _ULP_TYPES:
        return None
    bits = np.ascontiguousarray(array).view(f"i{array.dtype.itemsize}").reshape(array.shape)
    least = np.iinfo(bits.dtype).min
    return np.where(bits < 0, least - bits, bits).astype(np.int64)


def _is_finite(array: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    if array.dtype.kind in "biu":
        return np.ones(array.shape, np.bool_)
    found: npt.NDArray[np.bool_] = np.isfinite(array)
    return found


def _find_gaps(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> npt.NDArray[Any]:
    gaps: npt.NDArray[Any]
    if one.dtype.kind in "iu":  # right in spite of its overflow
        high, low = np.maximum(one, other), np.minimum(one, other)
        gaps = np.subtract(high.astype(np.uint64), low.astype(np.uint64))
    else:
        wide = np.complex128 if one.dtype.kind == "c" else np.float64
        gaps = np.abs(one.astype(wide) - other.astype(wide))
    return gaps


@dataclass(frozen=True, slots=True)
class OtherForm:
    """A value in another form of the program, beside the eager one; see `FormComparison`.

    Attributes:
        form: `jit`, `float64` or `again`.
        cells: As of the view that it belongs to.
        difference: Of all of the value; None where they cannot be compared.
        reason: Why there is no such value; then all else is empty.
        trials: Of `jit`, where that was asked for and it differs: what it becomes without a part of
            the compiler.
        trials_reason: As of `FormComparison`.
    """

    form: str
    cells: tuple[str, ...] = ()
    difference: ArrayDifference | None = None
    reason: str = ""
    trials: tuple[PassTrial, ...] = ()
    trials_reason: str = ""


@dataclass(frozen=True, eq=False)
class ArrayView:
    """A slice of a value, and a picture of it.

    Attributes:
        number: That the request had.
        slice: As it was read, such as `[0, :, :]`.
        shape: Of the slice, at most two dimensions.
        cells: Its first rows and columns as text, row by row; a scalar has one.
        num_rows: Of `cells`.
        num_columns: Of `cells`.
        starts: Of each of its dimensions the index in the value of the first row or column.
        steps: Of each of them from one row or column to the next.
        summary: Of the slice.
        picture: The slice in at most so many cells as can be seen, (rows, columns): the mean of
            the finite elements of each cell, NaN without one.
        highest: Of a slice of one dimension the maximum of each cell, (1, columns), as `picture`
            then has the minimum; else empty.
        odd: Of the picture's cells: 1 where one of its elements is NaN, 2 where one is infinite.
        sampled: Every so many elements were looked at for picture and histogram; 1 for all.
        counts: Histogram of the finite elements of the slice.
        edges: Of the bins, one more.
        problem: Why there is nothing to see; then all else is empty.
        note: What was shown in place of the value; may be empty.
        against: The value that is held, and where it was made; empty where none is.
        difference: How this value, all of it, differs from that; None where they cannot be
            compared.
        forms: The same slice in other forms of the program, as they were asked for.
    """

    number: int
    slice: str = ""
    shape: tuple[int, ...] = ()
    cells: tuple[str, ...] = ()
    num_rows: int = 0
    num_columns: int = 0
    starts: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()
    summary: ArraySummary | None = None
    sampled: int = 1
    problem: str = ""
    note: str = ""
    against: str = ""
    difference: ArrayDifference | None = None
    forms: tuple[OtherForm, ...] = ()
    picture: npt.NDArray[np.float64] = dataclasses.field(default_factory=lambda: np.empty((0, 0)))
    highest: npt.NDArray[np.float64] = dataclasses.field(default_factory=lambda: np.empty((0, 0)))
    odd: npt.NDArray[np.int32] = dataclasses.field(
        default_factory=lambda: np.empty((0, 0), np.int32)
    )
    counts: npt.NDArray[np.int64] = dataclasses.field(default_factory=lambda: np.empty(0, np.int64))
    edges: npt.NDArray[np.float64] = dataclasses.field(default_factory=lambda: np.empty(0))


@dataclass(frozen=True, slots=True)
class Stepping:
    """A program that is stepped through: its call, stage and arguments.

    Attributes:
        call: The call.
        environment: Where it runs.
        stage: Name of the stage.
        num_equations: At its top level.
        argument_paths: Where each argument sits in those of the call.
        warnings: What is to be minded.
    """

    call: str
    environment: Environment
    stage: str = ""
    num_equations: int = 0
    argument_paths: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


# What a person types to look at values: a slice, a condition, a place in a run.
#
# slice      `[0, :, 3]`, `2:8, ...`, `[::2]`
# condition  `nan`, `inf`, `> 1e3`, `== 0`, `shape [8, 3]`, `dtype bfloat16`; several by commas
# place      `4/jaxpr/2@7`: an equation's id, and the rounds of the loops around it

MAX_QUERY_CHARS = 500

Index = int | slice

_WHOLE = re.compile(r"[+-]?\d{1,15}")


def parse_slice(text: str, shape: Sequence[int]) -> tuple[Index, ...]:
    """One index or slice for each dimension of an array.

    Args:
        text: As in NumPy, brackets may be left out; empty for the whole array.
        shape: Of the array.

    Raises:
        ValueError: It is no slice, or not of such an array; the message says why.
    """
    body = text.strip()
    if body.startswith("[") and body.endswith("]"):
        body = body[1:-1]
    parts = [part.strip() for part in body.split(",")] if body.strip() else []
    if parts and not parts[-1]:
        parts.pop()
    if parts.count("...") > 1:
        raise ValueError("A slice may have ... once.")
    num_named = len(parts) - parts.count("...")
    of = f"{len(shape)} dimension{'s' * (len(shape) != 1)}"
    if num_named > len(shape):
        raise ValueError(f"{num_named} indices are too many for an array of {of}.")
    place = parts.index("...") if "..." in parts else len(parts)
    filled = [":"] * (len(shape) - num_named)
    parts[place : place + 1] = filled
    return tuple(
        _parse_index(part, size, number)
        for number, (part, size) in enumerate(zip(parts, shape, strict=True))
    )


def _parse_index(text: str, size: int, dimension: int) -> Index:
    numbers = [part.strip() for part in text.split(":")]
    if len(numbers) > 3 or not all(_WHOLE.fullmatch(n) or not n for n in numbers):
        raise ValueError(f"{text[:40]!r} is no index and no slice: write 3, :, 2:8 or ::2.")
    if len(numbers) > 1:
        start, stop, step = (int(n) if n else None for n in [*numbers, ""][:3])
        if step == 0:
            raise ValueError(f"The step of {text!r} is 0.")
        return slice(start, stop, step)
    if not numbers[0]:
        raise ValueError("An index is missing between commas.")
    index = int(numbers[0])
    if not -size <= index < size:
        raise ValueError(f"Index {index} is out of dimension {dimension}, which has size {size:,}.")
    return index % size


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """What stops a run through values.

    Attributes:
        kind: `nan`, `inf`, `shape`, `dtype`, or one of `> >= < <= == !=`.
        number: What elements are compared with.
        shape: Of the array.
        dtype: As NumPy names it.
    """

    kind: str
    number: float = 0.0
    shape: tuple[int, ...] = ()
    dtype: str = ""

    @property
    def is_of_type(self) -> bool:
        """Whether the type alone decides."""
        return self.kind in ("shape", "dtype")


_COMPARED = re.compile(r"(>=|<=|==|!=|>|<)\s*(\S+)")
_SHAPED = re.compile(r"(?:shape\s*)?[\[(]([\d\s,]*)[\])]")


def parse_condition(text: str) -> tuple[ValueCondition, ...]:
    """Conditions of which any stops a run.

    Raises:
        ValueError: It is none; the message says what could be written.
    """
    if len(text) > MAX_QUERY_CHARS:
        raise ValueError(f"A condition may have {MAX_QUERY_CHARS} characters.")
    parts = [part.strip() for part in re.split(r",(?![^\[(]*[\])])|\bor\b", text)]
    found = tuple(_parse_part(part) for part in parts if part)
    if not found:
        raise ValueError("Write a condition, such as nan, inf, > 1e3 or shape [8, 3].")
    return found


def _parse_part(text: str) -> ValueCondition:
    if text.lower() in ("nan", "inf"):
        return ValueCondition(text.lower())
    if match := _SHAPED.fullmatch(text):
        sizes = [size for size in match[1].replace(" ", "").split(",") if size]
        return ValueCondition("shape", shape=tuple(map(int, sizes)))
    if match := re.fullmatch(r"dtype\s+(\w+)", text):
        return ValueCondition("dtype", dtype=match[1])
    if match := _COMPARED.fullmatch(text):
        try:
            return ValueCondition(match[1], float(match[2]))
        except ValueError:
            raise ValueError(f"{match[2][:40]!r} is no number.") from None
    raise ValueError(
        f"{text[:40]!r} is no condition: write nan, inf, > 1e3, == 0, shape [8, 3] or "
        "dtype bfloat16."
    )


def parse_place(text: str) -> tuple[str, tuple[int, ...]]:
    """An equation's id and the rounds of the loops around it, outermost first.

    Args:
        text: Such as `4/jaxpr/2@7`; without rounds the first of each loop is meant.

    Raises:
        ValueError: It is no place.
    """
    id, at, rounds = text.strip().partition("@")
    numbers = [number.strip() for number in rounds.split(",")] if at else []
    if not id or len(text) > MAX_QUERY_CHARS or not all(re.fullmatch(r"\d+", n) for n in numbers):
        raise ValueError(f"{text[:60]!r} is no place: write an equation's id, such as 4/jaxpr/2@7.")
    return id, tuple(map(int, numbers))


def write_place(equation: str, iterations: Sequence[int]) -> str:
    """What `parse_place` reads."""
    return equation + (f"@{','.join(map(str, iterations))}" if iterations else "")
