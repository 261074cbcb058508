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
from jaxscope.worker.equation_timing import TAKEN_APART, find_inputs
from jaxscope.worker.program import TracedProgram
from jaxscope.worker.tagging import nested_jaxprs

RULE = "non-finite-result"
REMEDY = (
    "jax.config.update('jax_debug_nans', True) raises where the first NaN is made, jax_debug_infs "
    "where the first infinity is."
)
_MAX_WORK = 1e10
"""FLOPs and bytes of a program that is run for this alone."""
_MAX_INPUT_BYTES = 256 << 20
_MAX_EQUATIONS = 2000
_BUDGET_S = 3.0


@dataclasses.dataclass(frozen=True, slots=True)
class Nonfinite:
    """What was found.

    Attributes:
        text: In sentences.
        file: Of the equation; empty where none was found.
        line: The same; 0 where none was found.
    """

    text: str
    file: str = ""
    line: int = 0


class _FoundError(Exception):
    """An equation that makes what is not finite of what is."""

    def __init__(self, id: str, equation: Any, counted: str) -> None:
        super().__init__(id)
        self.id, self.equation, self.counted = id, equation, counted


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
        if counted := _count(result):
            path = paths[number] if number < len(paths) else f"[{number}]"
            told.append(f"{path or 'result'} has {counted}")
    if not told:
        return None
    more = f" and {len(told) - 3:,} more" if len(told) > 3 else ""
    text = f"Results are not finite: {'; '.join(told[:3])}{more}."
    if inputs is None:
        return Nonfinite(text)
    given = [counted for value in inputs if (counted := _count(value))]
    if given:
        return Nonfinite(f"{text} So are arguments already: {given[0]}.")
    walk = _Walk(time.monotonic() + _BUDGET_S)
    try:
        walk.run(program.derived.jaxpr, inputs, "")
    except _FoundError as found:
        return _name(text, found)
    except Exception:  # of an equation that cannot run by itself
        return Nonfinite(text)
    return Nonfinite(text)


def _name(text: str, found: _FoundError) -> Nonfinite:
    frame = next(iter(compat.user_frames(found.equation.source_info)), None)
    file, line = (frame[0], frame[1]) if frame is not None else ("", 0)
    where = f", {file.rpartition('/')[2]}:{line}" if file else ""
    name = found.equation.primitive.name
    return Nonfinite(
        f"{text} The first equation that makes such a value of finite ones is {found.id} "
        f"({name}{where}): {found.counted}.",
        file,
        line,
    )


class _Walk:
    """Runs equations one by one, through calls, and raises at the first that is not finite."""

    def __init__(self, deadline_s: float) -> None:
        self._deadline_s = deadline_s
        self._count = 0

    def run(self, jaxpr: Any, inputs: Sequence[Any], prefix: str) -> list[Any]:
        inner = compat.open_jaxpr(jaxpr)
        known: dict[Any, Any] = dict(zip(inner.constvars, compat.consts_of(jaxpr), strict=False))
        known.update(zip(inner.invars, inputs, strict=True))

        def read(atom: Any) -> Any:
            return atom.val if compat.is_literal(atom) else known[atom]

        for number, equation in enumerate(inner.eqns):
            self._count += 1
            if self._count > _MAX_EQUATIONS or time.monotonic() > self._deadline_s:
                raise TimeoutError
            values = [read(atom) for atom in equation.invars]
            id = f"{prefix}{number}"
            nested = list(nested_jaxprs(equation.params))
            results: list[Any] | None = None
            if equation.primitive.name in TAKEN_APART and nested:
                name, called = nested[0]
                if len(compat.open_jaxpr(called).invars) == len(values):
                    results = self.run(called, values, f"{id}/{name}/")
            if results is None:
                results = compat.bind_equation(equation, values)
            counted = next(filter(None, map(_count, results)), "")
            if counted and not any(map(_count, values)):
                raise _FoundError(id, equation, counted)
            known.update(zip(equation.outvars, results, strict=True))
        return [read(atom) for atom in inner.outvars]


def _count(value: Any) -> str:
    """Such as `3 NaN and 1 Inf among 64 values`; empty where all are finite."""
    dtype = getattr(value, "dtype", None)
    if dtype is None or not jnp.issubdtype(dtype, jnp.inexact):
        return ""
    try:
        array = np.asarray(value)  # JAX would compile a test for each shape
        if bool(np.isfinite(array).all()):
            return ""
        num_nan, num_inf = int(np.isnan(array).sum()), int(np.isinf(array).sum())
    except Exception:  # of a type that NumPy cannot test
        return ""
    parts = [f"{n:,} {word}" for n, word in ((num_nan, "NaN"), (num_inf, "Inf")) if n]
    size = int(np.prod(np.shape(value)))
    return f"{' and '.join(parts)} among {size:,} value{'s' * (size != 1)}" if parts else ""


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
