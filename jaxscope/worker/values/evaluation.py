"""Answer a `values` request: run a program equation by equation, and summarize what each computes.

The equations of the last jaxpr-level stage are bound one by one on the call's own arguments, as
JAX runs them without `jit`. Calls and the branch that is taken are taken apart. A loop is run as a
whole for its results, and then round by round for the equations inside, as far as the limits
allow; a loop with side effects is run round by round alone, so that nothing happens twice.

The origins of NaN and Inf: the first equation whose results hold NaN while none of its operands
does, and the first whose results hold Inf of finite operands; told in the order in which they ran,
those first that may come into a result (`origins.py`).
An Inf that stands in the program as a constant, as in a mask, is made by no equation.

Cost: one dispatch and one pass over the results for each equation that runs; a value is dropped
after its last use.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.graph import Direction
from jaxscope.model.op_name import read_direction
from jaxscope.model.said import say, say_count, say_joined
from jaxscope.model.units import format_place, shorten
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.checks.user_places import find_places
from jaxscope.worker.faults.explain import explain_missing, guard
from jaxscope.worker.faults.tracebacks import is_user_frame, safe_text, walk_frames
from jaxscope.worker.host.values import aval_text
from jaxscope.worker.provenance.tagging import nested_jaxprs
from jaxscope.worker.provenance.traced_program import TracedProgram, trace_gradient
from jaxscope.worker.stages.origins import INF, NAN, Origin, Walk
from jaxscope.worker.stages.running import count_nonfinite, held, is_plain
from jaxscope.worker.values.against import send_comparison
from jaxscope.worker.values.arrays import summarize
from jaxscope.worker.values.subject import open_subject

_MAX_RUNS = 50_000
_BUDGET_S = 60.0
"""For all equations together; a person may ask for less by a limit of the run's own."""
_MAX_ROUNDS = 1_000
"""Of one loop that are run one by one."""
_PER_MESSAGE = 500
_MOST_OF_ERROR = 200
_MOST_CLOSED = 5


def handle_values(request: dict[str, Any], channel: Channel) -> None:
    """Run the call of a request equation by equation, and send what each computed.

    Raises:
        JaxscopeError: The file or the call is wrong, it cannot be traced, or an equation fails.
    """
    subject = open_subject(request, channel)
    program, call, stage, inputs = subject.program, subject.call, subject.stage, subject.inputs
    channel.progress("values", say("Running equation by equation"))
    evaluator = Evaluator(stage.name, time.monotonic() + _BUDGET_S)
    results: list[Any] = []
    is_ended = False
    with guard("run", {subject.path}):
        try:
            results = evaluator.run(stage.jaxpr, inputs)
        except TimeoutError as error:
            channel.send("warning", {"text": error.args[0]})
        except Exception as error:
            told = evaluator.tell_failure(error, subject.path)
            if not told:
                raise
            channel.send("warning", {"text": told})
            is_ended = True
    channel.send(
        "values",
        {
            "stage": stage.name,
            "arguments": [summarize(value) for value in inputs],
            "results": [summarize(value) for value in results],
            "argument_paths": list(stage.argument_paths),
            "result_paths": list(stage.result_paths),
            "given": evaluator.given,
        },
    )
    evaluator.send(channel)
    if against := str(request.get("against") or ""):
        send_comparison(subject, against, int(request.get("ulps") or 0), channel)
    is_plain = all(level.name == "jit" for level in call.levels)
    is_silent = not compat.open_jaxpr(stage.jaxpr).effects  # or it would print once more
    is_candidate = is_plain and is_silent and not _takes_derivatives(stage.jaxpr)
    if is_candidate and not is_ended and not any(map(count_nonfinite, results)):
        _look_at_gradient(program, inputs, channel)


def _takes_derivatives(jaxpr: Any) -> bool:
    """Whether a program takes a gradient itself: nobody wants that of a step of training."""
    return any(
        read_direction(str(equation.source_info.name_stack)) is Direction.BACKWARD
        or any(_takes_derivatives(nested) for _, nested in nested_jaxprs(equation.params))
        for equation in compat.open_jaxpr(jaxpr).eqns
    )


def _look_at_gradient(program: TracedProgram, inputs: list[Any], channel: Channel) -> None:
    """Say where the gradient of a call with finite results becomes NaN or Inf, if it does."""
    channel.progress("gradient", say("Running the gradient equation by equation"))
    try:
        gradient, _ = trace_gradient(program.base)
        evaluator = Evaluator(gradient.name, time.monotonic() + _BUDGET_S)
        results = evaluator.run(gradient.jaxpr, inputs)
    except Exception:  # there is none, or it cannot be run: nothing is said of it
        return
    if any(map(count_nonfinite, results)):
        evaluator.send_origins(channel)


@dataclass(slots=True)
class _Record:
    """What an equation computed so far: one summary for each result, over all its runs."""

    operation: str
    types: tuple[str, ...]
    outputs: list[dict[str, Any]]
    num_runs: int
    place: tuple[str, int]


class Evaluator(Walk):
    """Runs a program one equation after the other, and remembers summaries.

    Attributes:
        records: By equation id, in the order of first runs.
    """

    looks_everywhere = True

    def __init__(self, stage: str, deadline_s: float) -> None:
        """
        Args:
            stage: Name of the stage, for what is sent.
            deadline_s: By the monotonic clock: the program stops there, loops are looked at no
                further at half of what is left.
        """
        super().__init__()
        self._stage = stage
        self._started_s = time.monotonic()
        self._deadline_s = deadline_s
        self._loops_until_s = (self._started_s + deadline_s) / 2
        self.records: dict[str, _Record] = {}
        self._failed: tuple[str, str, str] | None = None
        self._num_runs = 0
        self._is_cut = False

    @property
    def given(self) -> str:
        """Which equation first reads an Inf that stands in the program, in a sentence, or ""."""
        reader = self.origins.first_constant(INF)
        if reader is None:
            return ""
        return say(
            "Inf stands in the program as a constant, which {id} ({operation}) reads.",
            id=reader.id,
            operation=_with_line(reader.equation.primitive.name, reader.line),
        )

    def _begin(self, id: str, equation: Any) -> None:
        """Raises: TimeoutError: It takes too long; what was run is remembered."""
        self._num_runs += 1
        if time.monotonic() > self._deadline_s:
            self._is_cut = True
            raise TimeoutError(
                say(
                    "Values end before equation {id}: the run was stopped after {done}, in "
                    "{seconds:.0f} s. jaxscope values FILE CALL --at {id} goes there.",
                    id=id,
                    done=say_count(self._num_runs - 1, "equation"),
                    seconds=time.monotonic() - self._started_s,
                )
            )

    def _fail(self, id: str, equation: Any) -> None:
        name = _with_line(equation.primitive.name, self._places[-1][1])
        self._failed = self._failed or (id, equation.primitive.name, name)  # the innermost

    def _has_room(self, number: int) -> bool:
        is_little = self._num_runs < _MAX_RUNS and time.monotonic() < self._loops_until_s
        return is_little and number < _MAX_ROUNDS

    def tell_failure(self, error: Exception, path: str) -> str:
        """Which equation cannot be run by itself, and why; empty of an error of the user's code.

        JAX can compile what it cannot run alone, as where a library's rule has no such case.

        Args:
            error: That ended the run.
            path: Of the user's file.
        """
        frames = walk_frames(error.__traceback__)
        is_users = any(is_user_frame(frame.file, {path}) for frame in frames)
        failed = self._failed
        if failed is None or is_users or "callback" in failed[1] or explain_missing(error):
            return ""
        return say(
            "Values end before equation {id} ({operation}), which cannot be run by itself: "
            "{kind}: {text}",
            id=failed[0],
            operation=failed[2],
            kind=type(error).__name__,
            text=shorten(safe_text(error).partition("\n")[0], _MOST_OF_ERROR),
        )

    def _remember(self, id: str, equation: Any, results: list[Any]) -> None:
        outputs = [summarize(value) for value in results]
        record = self.records.get(id)
        if record is None:
            types = tuple(aval_text(variable.aval) for variable in equation.outvars)
            self.records[id] = _Record(equation.primitive.name, types, outputs, 1, self._places[-1])
            return
        record.outputs = [
            _merge(one, other, record.num_runs)
            for one, other in zip(record.outputs, outputs, strict=True)
        ]
        record.num_runs += 1

    def _tell(
        self, equation: Any, operands: list[Any], result: Any, kind: str, infinite: Origin | None
    ) -> dict[str, Any]:
        library, cause = find_places(equation)[1], ""
        # Index of the first element of a kind.
        result = array = np.asarray(held(result))
        is_odd = np.isnan(array) if kind == NAN else np.isinf(array)
        element = tuple(int(index) for index in np.unravel_index(int(is_odd.argmax()), array.shape))
        because = _explain(equation, operands, result, element)
        if kind == NAN and any(count_nonfinite(value).num_inf for value in operands):
            if infinite is not None and infinite.told is not None:
                cause = infinite.id
                more = say(
                    "Of what that Inf comes from, {id} ({operation}) was the first to make Inf: "
                    "{because}",
                    id=infinite.id,
                    operation=_with_line(infinite.equation.primitive.name, infinite.line),
                    because=infinite.told["because"],
                )
            elif self._cut:
                more = say(
                    "Where that Inf was made is not known: not all rounds of loops were run."
                )
            elif self.given:
                more = say_joined((say("No equation made that Inf."), self.given))
            else:
                more = say("No equation made that Inf: an argument or a constant holds it.")
            because = say_joined((because, more))
        if library is not None and library != self._places[-1]:
            place = format_place(*library)
            because = say_joined((because, say("That line calls {place}.", place=place)))
        return {
            "element": list(element),
            "operands": [summarize(value) for value in operands],
            "because": because,
            "cause": cause,
        }

    def send(self, channel: Channel) -> None:
        """Send what was remembered."""
        rows = [
            {
                "id": id,
                "operation": record.operation,
                "types": list(record.types),
                "outputs": record.outputs,
                "num_runs": record.num_runs,
                "file": record.place[0],
                "line": record.place[1],
            }
            for id, record in self.records.items()
        ]
        for start in range(0, len(rows), _PER_MESSAGE):
            channel.send("equation_values", {"equations": rows[start : start + _PER_MESSAGE]})
        for cut in list(self._cut.values())[:20]:
            channel.send(
                "warning",
                {"text": say("Values inside of a loop are of the first {cut} only.", cut=cut)},
            )
        for id, operation in list(self.closed.items())[:_MOST_CLOSED]:
            told = say(
                "Equation {id} ({operation}) runs as a whole: what its equations compute, and "
                "whether one of them makes NaN or Inf, is not known.",
                id=id,
                operation=operation,
            )
            channel.send("warning", {"text": told})
        self.send_origins(channel)

    def send_origins(self, channel: Channel) -> None:
        """Send where NaN and Inf were made first, if they were."""
        for found in self.find_origins():
            channel.send("nonfinite", found)

    @property
    def is_whole(self) -> bool:
        """Whether every equation was run by itself, in every round."""
        return not self._is_cut and not self._cut and not self.closed

    def find_origins(self) -> list[dict[str, Any]]:
        """The first equation that made NaN of operands without, and the first that made Inf of
        finite ones, in the order in which they ran; as `Origins.tell` has them."""
        return [
            {
                **(origin.told or {}),
                "equation": origin.id,
                "stage": self._stage,
                "operation": origin.equation.primitive.name,
                "kind": origin.kind,
                "file": origin.file,
                "line": origin.line,
                "iterations": [each.loop.place(each.number) for each in origin.rounds],
                "is_hidden": is_hidden,
            }
            for origin, is_hidden in self.origins.tell()
        ]


def _merge(one: dict[str, Any], other: dict[str, Any], num_runs: int) -> dict[str, Any]:
    """Two summaries of one result: `one` of so many runs, `other` of one more."""
    merged = {**one, "text": other["text"]}
    for name, choose in (("min", min), ("max", max)):
        known = [each[name] for each in (one, other) if each[name] is not None]
        merged[name] = choose(known) if known else None
    if one["mean"] is None or other["mean"] is None:
        merged["mean"] = other["mean"] if one["mean"] is None else one["mean"]
    else:  # a round with more finite elements counts for more
        before, more = _num_finite(one, num_runs), _num_finite(other, 1)
        merged["mean"] = one["mean"] + (other["mean"] - one["mean"]) * more / (before + more)
    for name in ("num_nan", "num_inf"):
        merged[name] = one[name] + other[name]
    return merged


def _num_finite(summary: dict[str, Any], num_runs: int) -> int:
    size = math.prod(summary["shape"])
    return int(num_runs * size - summary["num_nan"] - summary["num_inf"])


def _with_line(operation: str, line: int) -> str:
    return say("{operation}, line {line}", operation=operation, line=line) if line else operation


def _explain(equation: Any, operands: list[Any], result: Any, element: tuple[int, ...]) -> str:
    """What was computed of what, in numbers, where each operand has such an element."""
    name = equation.primitive.name
    read: list[str] = []
    elements = operands
    if name == "addupdate":  # by one number, to one element; else the index says what meets what
        elements = operands[:2] if np.shape(operands[1]) == () else []
    for operand in elements:
        array = np.asarray(held(operand)) if is_plain(operand) else None
        if array is None or array.shape not in ((), result.shape) or equation.params.get("jaxpr"):
            read = []
            break
        read.append(_show(array[element] if array.shape else array[()]))
    at = say(" at element {element}", element=f"[{', '.join(map(str, element))}]")
    where = at if element else ""
    value = _show(result[element])
    if read and name not in _NOT_ELEMENTWISE:
        made = f"{name}({', '.join(read)})"
        return say("{made} is {value}{where}.", made=made, value=value, where=where)
    kinds = [count for count in map(count_nonfinite, operands) if count]
    given = (
        say("operands that hold {kinds}", kinds=str(kinds[0])) if kinds else say("finite operands")
    )
    return say(
        "{name} makes {value} of {given}{where}.", name=name, value=value, given=given, where=where
    )


_NOT_ELEMENTWISE = frozenset(
    {
        *("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp", "sort", "rev", "dot_general"),
        *("while", "scan", "custom_linear_solve", "triangular_solve", "cholesky", "eigh", "lu"),
        *("scatter", "scatter-add", "scatter_add", "fft", "gather", "dynamic_update_slice"),
        *("reduce_window", "reduce_precision", "conv_general_dilated", "pallas_call"),
        *("pure_callback", "io_callback", "ffi_call", "qr", "geqrf", "householder_product"),
        *("eig", "svd", "schur", "tridiagonal", "tridiagonal_solve", "hessenberg"),
        *("psum", "psum_invariant", "ppermute", "all_to_all", "ragged_dot_general"),
    }
)
"""Primitives with operands of their result's shape that do not work element by element."""


def _show(number: Any) -> str:
    """A number in as many digits as single precision has."""
    return f"{number:.8g}" if np.issubdtype(type(number), np.floating) else str(number)
