"""Answer a `profile` request: where the time of a call goes, instruction by instruction and
equation by equation.

The optimized program runs under XLA's own profiler, in memory; the equations of the last jaxpr-
level stage run one by one, as an eager run does them. Both are sent per run; the client makes the
statistics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.operations import CALLS
from jaxscope.model.said import say, say_clause
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel, run_skippable
from jaxscope.worker.faults.explain import guard
from jaxscope.worker.host.call import Call
from jaxscope.worker.provenance.tagging import nested_jaxprs
from jaxscope.worker.provenance.traced_program import TracedProgram, find_inputs, trace_call
from jaxscope.worker.stages.call_loader import load_call
from jaxscope.worker.timing.experiment import (
    Laboratory,
    compile_form,
    open_laboratory,
    refuse_absent_target,
    warm_up,
)
from jaxscope.worker.timing.forms import find_forms
from jaxscope.worker.timing.stopwatch import Stopwatch, Subject, gc_paused
from jaxscope.worker.timing.xla_profiler import Recorded, RunTimes, record_calls, sum_events

_block: Callable[[Any], Any] = jax.block_until_ready


@dataclass(frozen=True, eq=False)
class EquationTimes:
    """Times of equations, as measured one by one.

    Attributes:
        times: Seconds of the equations by id, in each round.
        walls: Seconds of each whole round, waiting after every equation.
        plain: Seconds of rounds that wait only at the end, as an eager run does.
    """

    times: RunTimes
    walls: list[float]
    plain: list[float]


def describe_refusal(program: TracedProgram, call: Call) -> str:
    """Why the equations of a program cannot be run on the arguments; empty if they can."""
    if find_inputs(program, call) is None:
        return "Which argument each input of the program is, could not be found out."
    return ""


def time_equations(
    program: TracedProgram, call: Call, stopwatch: Stopwatch, budget_s: float, max_rounds: int
) -> EquationTimes:
    """Run all equations once to compile each, then in rounds that count.

    Raises:
        Exception: Whatever an equation raises when it runs.
    """
    inputs = find_inputs(program, call) or []
    jaxpr = program.derived.jaxpr
    _Walk(stopwatch.now_s, {}).run(jaxpr, inputs, "")  # compiles each primitive
    rounds: list[dict[str, tuple[float, int]]] = []
    walls: list[float] = []
    plain: list[float] = []
    deadline = stopwatch.now_s() + budget_s
    with gc_paused():
        while not rounds or (len(rounds) < max_rounds and stopwatch.now_s() < deadline):
            start_s = stopwatch.now_s()
            _block(compat.evaluate_jaxpr(jaxpr, inputs))
            plain.append(stopwatch.now_s() - start_s)
            found: dict[str, tuple[float, int]] = {}
            start_s = stopwatch.now_s()
            _Walk(stopwatch.now_s, found).run(jaxpr, inputs, "")
            walls.append(stopwatch.now_s() - start_s)
            rounds.append(found)
    return EquationTimes(_as_columns(rounds), walls, plain)


class _Walk:
    """One round over a jaxpr: `found` gets seconds and number of executions of each equation."""

    def __init__(self, now_s: Callable[[], float], found: dict[str, tuple[float, int]]) -> None:
        self._now_s = now_s
        self._found = found
        self._prefixes: dict[int, str] = {}

    def run(self, jaxpr: Any, inputs: Sequence[Any], prefix: str) -> list[Any]:
        return compat.run_equations(
            jaxpr,
            inputs,
            lambda number, *equation: self._run_equation(f"{prefix}{number}", *equation),
        )

    def _run_equation(self, path: str, equation: Any, values: list[Any]) -> list[Any]:
        nested = nested_jaxprs(equation.params)
        body = next((j for _, j in nested), None)
        now_s = self._now_s
        if (
            equation.primitive.name in CALLS
            and body is not None
            and len(compat.open_jaxpr(body).invars) == len(values)
        ):
            name = nested[0][0]
            # A shared body is shown once, inside of the first equation that has it.
            inside = self._prefixes.setdefault(id(compat.open_jaxpr(body)), f"{path}/{name}/")
            start_s = now_s()
            results = self.run(body, values, inside)
        else:
            start_s = now_s()
            results = compat.bind_equation(equation, values)
            _block(results)
        seconds, count = self._found.get(path, (0.0, 0))
        self._found[path] = (seconds + now_s() - start_s, count + 1)
        return results


def _as_columns(rounds: Sequence[dict[str, tuple[float, int]]]) -> RunTimes:
    names = tuple(sorted(rounds[0], key=_program_order)) if rounds else ()
    column = {name: i for i, name in enumerate(names)}
    inclusive = np.array([[found[name][0] for name in names] for found in rounds], np.float64)
    inclusive = inclusive.reshape(len(rounds), len(names))
    exclusive = inclusive.copy()
    for name, index in column.items():
        parent = column.get("/".join(name.split("/")[:-2]))
        if parent is not None:
            exclusive[:, parent] -= inclusive[:, index]
    is_root = [i for name, i in column.items() if "/" not in name]
    return RunTimes(
        names,
        inclusive,
        np.maximum(exclusive, 0.0),
        np.array([rounds[0][name][1] for name in names], np.int32),
        inclusive[:, is_root].sum(axis=1),
    )


def _program_order(path: str) -> tuple[tuple[int, str], ...]:
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in path.split("/"))


DEFAULT_BUDGET_S = 4.0
MAX_RUNS = 30
_MAX_EVENTS = 200_000
_MAX_TIMELINE_EVENTS = 20_000
"""Of one run; a picture of more has several per pixel, and the shortest go first."""
_COMPILED_PROTOCOL = say(
    "XLA's recorder, in memory, each run by itself and warm. Loops, calls and conditionals "
    "include what runs inside of them; instructions of several threads may overlap."
)
_EAGER_PROTOCOL = say(
    "Each equation run by itself until its result was ready, warm; calls of jitted and "
    "differentiated functions taken apart, loops and conditionals as one."
)


def handle_profile(request: dict[str, Any], channel: Channel) -> None:
    """Measure the parts of the call of a request and send their times.

    Raises:
        JaxscopeError: The file or the call is wrong, or nothing runs on the target.
    """
    refuse_absent_target(request)
    snapshot, call = load_call(request, channel)
    budget_s = float(request.get("budget_s") or DEFAULT_BUDGET_S)
    with open_laboratory(channel, call.text, (snapshot.path,)) as laboratory:
        with guard("call", {snapshot.path}):
            forms = find_forms(call)
        channel.progress("compile", say("Compiling the program"))
        with guard("compile", {snapshot.path}):
            compiled = compile_form(laboratory, forms, "jit")
        with guard("run", {snapshot.path}):
            warm_up(laboratory, compiled.subject, budget_s / 8)
        _do(
            laboratory,
            "record",
            say("Recording what each instruction takes"),
            lambda: _profile_compiled(laboratory, compiled.subject, compiled.lowered, budget_s / 2),
            budget_s / 2,
        )
        if not request.get("skip_eager"):
            _do(
                laboratory,
                "equations",
                say("Timing each equation by itself"),
                lambda: _profile_equations(laboratory, call, budget_s / 2),
                budget_s / 2,
            )


def _do(
    laboratory: Laboratory, step: str, text: str, part: Callable[[], None], left_s: float
) -> None:
    """Do a part that a person may skip."""

    def announced() -> None:
        laboratory.channel.progress(step, text, left_s=left_s, can_skip=True)
        part()

    if run_skippable(announced)[1]:
        laboratory.warn(say("Skipped by hand: {text}.", text=say_clause(text)))


def _profile_compiled(
    laboratory: Laboratory, subject: Subject, lowered: Any, budget_s: float
) -> None:
    try:
        module = compat.optimized_module_of(lowered.compile()).name
        plain = laboratory.stopwatch.warm_up(subject, MAX_RUNS, budget_s / 4)
        recorded = record_runs(laboratory, subject, str(module), budget_s / 2)
    except Exception as error:
        _send_missing(laboratory, "optimized", laboratory.describe(error))
        return
    times = sum_events(recorded.events)
    if not times.names:
        _send_missing(
            laboratory, "optimized", say("The recorder saw no instruction of the program.")
        )
        return
    walls = [call.total_s for call in recorded.calls]
    _send_times(laboratory, "optimized", _COMPILED_PROTOCOL, times, walls, plain)
    send_timeline(laboratory.channel, recorded)


def record_runs(laboratory: Laboratory, subject: Subject, module: str, budget_s: float) -> Recorded:
    """Record one run to see how much that is, then as many as fit, at most `MAX_RUNS`.

    Raises:
        Exception: Whatever the recorder or the program raises.
    """
    with gc_paused():
        recorded = record_calls(laboratory.stopwatch, subject, 1, module)
        fitting = min(
            MAX_RUNS,
            int(budget_s / max(recorded.calls[0].total_s, 1e-6)),
            int(_MAX_EVENTS / max(len(recorded.events), 1)),
        )
        if fitting > 1:
            # The first run after the recorder's start bears the cost of that start.
            recorded = record_calls(laboratory.stopwatch, subject, fitting + 1, module)
            recorded = recorded.without_first()
    return recorded


def send_timeline(channel: Channel, recorded: Recorded) -> None:
    """Send the events of the run whose duration is the median of all."""
    walls = [call.total_s for call in recorded.calls]
    run = sorted(range(len(walls)), key=walls.__getitem__)[len(walls) // 2]
    call, covered_s = recorded.calls[run], recorded.busy_s()[run]
    events = [event for event in recorded.events if event.run == run]
    kept = sorted(events, key=lambda event: -event.duration_ns)[:_MAX_TIMELINE_EVENTS]
    kept.sort(key=lambda event: (event.start_ns, -event.duration_ns))
    names = {name: place for place, name in enumerate(dict.fromkeys(e.name for e in kept))}
    channel.send(
        "timeline",
        {
            "stage": "optimized",
            "names": list(names),
            "lanes": list(recorded.lanes),
            "returned": call.returned_s,
            "wall": call.total_s,
            "covered": covered_s,
            "num_left_out": len(events) - len(kept),
        },
        {
            "name": np.asarray([names[event.name] for event in kept], np.int32),
            "lane": np.asarray([event.line for event in kept], np.int32),
            "began": np.asarray([e.start_ns - call.began_ns for e in kept], np.float64) * 1e-9,
            "seconds": np.asarray([event.duration_ns for event in kept], np.float64) * 1e-9,
        },
    )


def _profile_equations(laboratory: Laboratory, call: Any, budget_s: float) -> None:
    stage = "jaxpr"
    try:
        program = trace_call(call)
        stage = program.derived.name
        refusal = describe_refusal(program, call)
        if refusal:
            _send_missing(laboratory, stage, refusal)
            return
        if not compat.open_jaxpr(program.derived.jaxpr).eqns:
            _send_missing(laboratory, stage, say("The program has no equation."))
            return
        found = time_equations(program, call, laboratory.stopwatch, budget_s, MAX_RUNS)
    except Exception as error:
        _send_missing(laboratory, stage, laboratory.describe(error))
        return
    _send_times(laboratory, stage, _EAGER_PROTOCOL, found.times, found.walls, found.plain)


def _send_missing(laboratory: Laboratory, stage: str, reason: str) -> None:
    laboratory.channel.send("node_times_missing", {"stage": stage, "reason": reason})


def _send_times(
    laboratory: Laboratory,
    stage: str,
    protocol: str,
    times: RunTimes,
    walls: list[float],
    plain: list[float],
) -> None:
    laboratory.channel.send(
        "node_times",
        {"stage": stage, "protocol": protocol, "names": list(times.names)},
        {
            "inclusive": times.inclusive,
            "exclusive": times.exclusive,
            "counts": times.counts,
            "covered": times.covered,
            "walls": np.asarray(walls, np.float64),
            "plain": np.asarray(plain, np.float64),
        },
    )
