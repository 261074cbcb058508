"""Answer a `profile` request: where the time of a call goes, instruction by instruction.

The optimized program runs under XLA's own recorder, in memory; the equations of the last
jaxpr-level stage run one by one. Both are sent per run, and the other side makes the statistics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.equation_timing import describe_refusal, time_equations
from jaxscope.worker.explain import guard
from jaxscope.worker.loading import load_call
from jaxscope.worker.measuring import (
    Laboratory,
    compile_form,
    open_laboratory,
    refuse_absent_target,
    warm_up,
)
from jaxscope.worker.program import trace_call
from jaxscope.worker.recorder import Recorded, record_calls
from jaxscope.worker.skipping import run_skippable
from jaxscope.worker.stopwatch import Subject, paused_collector
from jaxscope.worker.subjects import find_forms
from jaxscope.worker.trace_events import RunTimes, sum_events

DEFAULT_BUDGET_S = 4.0
MAX_RUNS = 30
_MAX_EVENTS = 200_000
_MAX_TIMELINE_EVENTS = 20_000
"""Of one run; a picture of more has several per pixel, and the shortest go first."""
_COMPILED_PROTOCOL = (
    "XLA's recorder, in memory, each run by itself and warm. Loops, calls and conditionals "
    "include what runs inside of them; instructions of several threads may overlap."
)
_EAGER_PROTOCOL = (
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
        channel.progress("compile", "Compiling the program")
        with guard("compile", {snapshot.path}):
            compiled = compile_form(laboratory, forms, "jit")
        with guard("run", {snapshot.path}):
            warm_up(laboratory, compiled.subject, budget_s / 8)
        _do(
            laboratory,
            "record",
            "Recording what each instruction takes",
            lambda: _profile_compiled(laboratory, compiled.subject, compiled.lowered, budget_s / 2),
            budget_s / 2,
        )
        if not request.get("skip_eager"):
            _do(
                laboratory,
                "equations",
                "Timing each equation by itself",
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
        laboratory.warn(f"Skipped by hand: {text[:1].lower()}{text[1:]}.")


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
        _send_missing(laboratory, "optimized", "The recorder saw no instruction of the program.")
        return
    walls = [call.total_s for call in recorded.calls]
    _send_times(laboratory, "optimized", _COMPILED_PROTOCOL, times, walls, plain)
    send_timeline(laboratory.channel, recorded)


def record_runs(laboratory: Laboratory, subject: Subject, module: str, budget_s: float) -> Recorded:
    """Record one run to see how much that is, then as many as fit, at most `MAX_RUNS`.

    Raises:
        Exception: Whatever the recorder or the program raises.
    """
    with paused_collector():
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
