"""One place in a run that is stepped through, with what is read and made there."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from jaxscope.model.capture import Environment
from jaxscope.model.values import ArraySummary, NonfiniteOrigin


@dataclasses.dataclass(frozen=True, slots=True)
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


@dataclasses.dataclass(frozen=True, slots=True)
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


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """Where a run stands.

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


@dataclasses.dataclass(frozen=True, eq=False)
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
    picture: npt.NDArray[np.float64] = dataclasses.field(default_factory=lambda: np.empty((0, 0)))
    highest: npt.NDArray[np.float64] = dataclasses.field(default_factory=lambda: np.empty((0, 0)))
    odd: npt.NDArray[np.int32] = dataclasses.field(
        default_factory=lambda: np.empty((0, 0), np.int32)
    )
    counts: npt.NDArray[np.int64] = dataclasses.field(default_factory=lambda: np.empty(0, np.int64))
    edges: npt.NDArray[np.float64] = dataclasses.field(default_factory=lambda: np.empty(0))


@dataclasses.dataclass(frozen=True, slots=True)
class Stepping:
    """What is stepped through.

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
