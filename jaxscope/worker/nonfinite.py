"""Results with NaN or Inf: how many there are, and which equation made the first of them.

A small program is run once on the call's own arguments after it was compiled; what may run long,
talks to the outside or runs nowhere near is left alone, and nothing is said about it. Where a
result is not finite, the equations are run one by one until one of them makes such a value.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.worker import compat
from jaxscope.worker.call import Call
from jaxscope.worker.equation_timing import find_inputs
from jaxscope.worker.first_nonfinite import Count, FoundError, Walk, count_nonfinite
from jaxscope.worker.program import TracedProgram, trace_call
from jaxscope.worker.tagging import nested_jaxprs

RULE = "non-finite-result"
REMEDY = (
    "jax.config.update('jax_debug_nans', True) raises where the first NaN is made, jax_debug_infs "
    "where the first infinity is."
)
_MAX_WORK = 1e10
"""FLOPs and bytes of a program that is run for this alone."""
_MAX_INPUT_BYTES = 256 << 20
_BUDGET_S = 3.0
"""For running equations one by one in a capture, which nobody asked to run anything."""
_MEASURING_BUDGET_S = 20.0
"""The same beside measurements, which take longer anyway."""


@dataclasses.dataclass(frozen=True, slots=True)
class Nonfinite:
    """What was found.

    Attributes:
        text: In sentences.
        file: Of the equation; empty where none was found.
        line: The same; 0 where none was found.
        is_made: An equation makes it of other values; a constant may be meant so.
    """

    text: str
    file: str = ""
    line: int = 0
    is_made: bool = False


def look_for_nonfinite(
    program: TracedProgram, call: Call, executable: Any, flops: float, num_bytes: float
) -> Nonfinite | None:
    """Run a small compiled program once; None where its results are finite, or it is not run.

    Args:
        program: The program.
        call: Whose arguments count.
        executable: The compiled program.
        flops: XLA's count, loops once.
        num_bytes: The same of bytes.
    """
    try:
        rounds = _most_rounds(compat.open_jaxpr(program.derived.jaxpr))
        work = max(flops, num_bytes) * rounds
        inputs = find_inputs(program, call)
        if not work <= _MAX_WORK or inputs is None or _size(inputs) > _MAX_INPUT_BYTES:
            return None
        results = _run(executable, inputs)
        return describe_nonfinite(results, program, inputs)
    except Exception:  # the program may fail as it likes: its capture does not
        return None


def count_odd(results: Any) -> Count:
    """How many elements of all results together are NaN or infinite.

    Args:
        results: Any structure of arrays and numbers.
    """
    counts = [count_nonfinite(leaf) for leaf in jax.tree.leaves(results)]
    return Count(
        sum(count.num_nan for count in counts),
        sum(count.num_inf for count in counts),
        sum(count.size for count in counts),
    )


def describe_nonfinite(
    results: Sequence[Any], program: TracedProgram, inputs: Sequence[Any] | None
) -> Nonfinite | None:
    """What of some results is not finite, and which equation made it; None where all is finite.

    Args:
        results: Leaves.
        program: The program that gave them.
        inputs: Of its last jaxpr-level stage; None where they cannot be told.
    """
    told = []
    paths = program.derived.result_paths
    for number, result in enumerate(results):
        if count := count_nonfinite(result):
            path = paths[number] if number < len(paths) else f"[{number}]"
            told.append(f"{path or 'result'} has {count}")
    if not told:
        return None
    more = f" and {len(told) - 3:,} more" if len(told) > 3 else ""
    text = f"Results are not finite: {'; '.join(told[:3])}{more}."
    has_nan = bool(count_odd(list(results)).num_nan)
    origin = _find_origin(program, inputs, has_nan, _BUDGET_S)
    return dataclasses.replace(origin, text=f"{text} {origin.text}")


def find_origin_of(call: Call, count: Count, budget_s: float = _MEASURING_BUDGET_S) -> str:
    """Which equation of a call made the NaN or Inf that its results hold, in sentences.

    The call is traced anew, and its equations are run; never empty.

    Args:
        call: The call.
        count: Of its results.
        budget_s: Seconds after which no further equation is run.
    """
    try:
        program = trace_call(call)
        inputs = find_inputs(program, call)
    except Exception as error:  # whatever the user's code raises when it is traced once more
        return f"Which equation made them is not known: tracing raised {type(error).__name__}."
    return _find_origin(program, inputs, bool(count.num_nan), budget_s).text


def _find_origin(
    program: TracedProgram, inputs: Sequence[Any] | None, has_nan: bool, budget_s: float
) -> Nonfinite:
    """Which equation made the first value that is not finite, or why that is not known."""
    unknown = "Which equation made them is not known: "
    if inputs is None:
        return Nonfinite(f"{unknown}the arguments of its jaxpr could not be told.")
    hoisted = {id(value) for value in compat.traced_consts(program.traced)}
    for value in inputs:
        count = count_nonfinite(value)
        if count.num_nan or (count and not has_nan):
            is_hoisted = id(value) in hoisted
            given = "is a constant that it closes over" if is_hoisted else "are arguments"
            return Nonfinite(f"So {given} already: {count}.")
    walk = Walk(for_nan=has_nan, deadline_s=time.monotonic() + budget_s)
    try:
        walk.run(program.derived.jaxpr, inputs)
    except FoundError as found:
        return _name(found, walk.first_inf)
    except TimeoutError:
        return Nonfinite(f"{unknown}running its equations one by one takes too long.")
    except Exception as error:  # of an equation that cannot run by itself
        return Nonfinite(
            f"{unknown}running its equations one by one raised {type(error).__name__}."
        )
    return Nonfinite(
        "No equation makes such a value when they are run one by one: only the compiled program "
        "does."
    )


def _name(found: FoundError, first_inf: FoundError | None) -> Nonfinite:
    file, line = _place(found)
    if found.is_constant:
        text = f"They come from a constant that is not finite, which {_describe(found)} reads"
    elif found.reads_inf:
        text = f"The first equation that makes NaN is {_describe(found)}, which reads Inf"
    else:
        text = f"The first equation that makes such a value of finite ones is {_describe(found)}"
    text += f": {found.count}." if found.count else "."
    if found.reads_inf and first_inf is not None:
        text += (
            f" The first that makes Inf of finite values is {_describe(first_inf)}: "
            f"{first_inf.count}."
        )
    return Nonfinite(text, file, line, is_made=not found.is_constant)


def _describe(found: FoundError) -> str:
    """An equation with its id, operation, place, and the rounds of the loops around it."""
    file, line = _place(found)
    where = f", {file.rpartition('/')[2]}:{line}" if file else ""
    rounds = "".join(f" in {each}" for each in reversed(found.rounds))
    return f"{found.id} ({found.equation.primitive.name}{where}){rounds}"


def _place(found: FoundError) -> tuple[str, int]:
    frame = next(iter(compat.user_frames(found.equation.source_info)), None)
    return (frame[0], frame[1]) if frame is not None else ("", 0)


def _most_rounds(inner: Any) -> float:
    """How often the innermost loop's body may run; infinite where something forbids a run."""
    most = 1.0
    if inner.effects:
        return math.inf
    for equation in inner.eqns:
        name = equation.primitive.name
        if name == "while" or "callback" in name or name in ("infeed", "outfeed", "ffi_call"):
            return math.inf
        rounds = float(equation.params.get("length", 1)) if name == "scan" else 1.0
        for _, nested in nested_jaxprs(equation.params):
            most = max(most, rounds * _most_rounds(compat.open_jaxpr(nested)))
    return most


def _is_plain(value: Any) -> bool:
    """Whether NumPy holds it as well: keys of random numbers it does not."""
    dtype = getattr(value, "dtype", None)
    return dtype is not None and not jnp.issubdtype(dtype, jax.dtypes.extended)


def _size(values: Sequence[Any]) -> int:
    return sum(getattr(value, "nbytes", 0) for value in values)


def _run(executable: Any, inputs: Sequence[Any]) -> list[Any]:
    """The results; donated arguments are copies."""
    tree = executable.in_tree
    values = list(inputs)[len(inputs) - tree.num_leaves :]
    copies = [np.array(v) if _is_plain(v) else v for v in values]
    args, kwargs = jax.tree.unflatten(tree, copies)
    return list(jax.tree.leaves(executable(*args, **kwargs)))
