"""The values that a program computed, equation by equation, in summaries."""

from __future__ import annotations

import dataclasses
import math

from jaxscope.model.capture import Environment


@dataclasses.dataclass(frozen=True, slots=True)
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


@dataclasses.dataclass(frozen=True, slots=True)
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


@dataclasses.dataclass(frozen=True, slots=True)
class NonfiniteOrigin:
    """The first equation that made NaN, or else Inf, of operands that hold none.

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


@dataclasses.dataclass(frozen=True, slots=True)
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
        origins: Of the stage; of the stage `gradient`, too, where the results of the call are
            finite and those of its gradient are not.
        warnings: What is not told, and why.
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
