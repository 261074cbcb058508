"""Compare two programs that cannot live in one process: two workers, which take turns.

Two processes differ even where their programs do not: where code and data lie is drawn anew in
each. So one pair of processes proves nothing, and the whole is repeated with fresh pairs; each pair
is one value.
"""

from __future__ import annotations

import dataclasses
import queue
import time
from random import Random
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from jaxscope.client.composite_run import CompositeRun, OnEvent, StartWorker
from jaxscope.client.events import (
    BlockMeasured,
    Event,
    Failed,
    Finished,
    MeasurementArrived,
    OutcomeArrived,
    Progress,
    ResultsCompared,
    SideEnded,
    SideReady,
)
from jaxscope.client.live_run import Run
from jaxscope.client.requests import ComparisonRequest, Request, SideRequest
from jaxscope.client.results import Result
from jaxscope.client.rigorous_run import RIGOROUS_PROCESSES, combine_comparisons, with_warning
from jaxscope.client.timing_assemble import (
    combine_environments,
    disturb,
    make_measurement,
    make_ratio,
)
from jaxscope.client.turns import CHUNK, SLOW_CALL_S, Turns, take_turns
from jaxscope.errors import InternalError, TraceError
from jaxscope.model.agreement import Comparison, ResultsAgreement
from jaxscope.model.capture import Environment
from jaxscope.model.timing import Measurement, Timing
from jaxscope.wire.messages import Message

E = TypeVar("E")

_NAMES = ("first", "second")
_MOST_S = 180.0
"""After so much time no further pair of processes starts."""
_PROTOCOL = (
    "Compiled; each call timed by itself until its result was ready, in turns of {unit} of two "
    "processes in random order, the first calls of each left out, garbage collector off.{end}"
)
_ENDS = {"precise": " Ended when the pairs agreed.", "budget": " Ended at the budget."}
_NO_ENVIRONMENT = Environment("", "", "", "", "")


class PairedRun(CompositeRun):
    """A comparison across processes."""

    def __init__(
        self, request: Request, start_worker: StartWorker, on_event: OnEvent | None
    ) -> None:
        super().__init__(request, start_worker, on_event)
        if not isinstance(request, ComparisonRequest):
            raise InternalError(f"A {request.type} request has no two sides.")
        self._sides = side_requests(request)
        self._found: list[Comparison] = []
        self._pair: _Pair | None = None
        self._note = ""

    def conduct(self) -> Result:
        start_s = time.monotonic()
        for number in range(1, RIGOROUS_PROCESSES + 1):
            before_s = time.monotonic()
            self._pair = _Pair(self, self._sides, f"Pair {number} of {RIGOROUS_PROCESSES}: ")
            self._found.append(self._pair.measure())
            self._pair = None
            for measurement in self._combine().timing.measurements:
                self.tell(MeasurementArrived(measurement))
            now_s = time.monotonic()
            if now_s - start_s + (now_s - before_s) > _MOST_S and number < RIGOROUS_PROCESSES:
                self._note = (
                    f"Ended after {number} of {RIGOROUS_PROCESSES} pairs of processes: each takes "
                    f"{now_s - before_s:.0f} s. Fewer than six give no verdict."
                )
                break
        return self._combine()

    def partial(self) -> Result | None:
        note = (
            f"The run ended early: these results are partial, of {len(self._found)} of "
            f"{RIGOROUS_PROCESSES} pairs of processes."
        )
        if self._found:
            return with_warning(self._combine(), note)
        begun = self._pair.partial() if self._pair is not None else None
        return None if begun is None else with_warning(begun, f"{note} Of the first, not all.")

    def _combine(self) -> Comparison:
        whole = combine_comparisons(self._found)
        if self._note:
            noted = with_warning(whole, self._note)
            return noted if isinstance(noted, Comparison) else whole
        return whole


def side_requests(request: ComparisonRequest) -> tuple[SideRequest, SideRequest]:
    """What each of the two processes is asked."""
    is_fresh = any(donate not in ("", "none") for donate in (request.donate, request.other_donate))
    first = SideRequest(
        request.file,
        request.call,
        request.target,
        request.x64,
        request.precision,
        request.options,
        request.dtype,
        request.donate,
        request.remat,
        "first",
        is_fresh,
        request.budget_s / 3,
        python=request.python,
        timeout_s=request.timeout_s,
        memory_bytes=request.memory_bytes,
        environment=request.environment,
    )
    second = dataclasses.replace(
        first,
        file=request.other_file or request.file,
        call=request.other_call or request.call,
        target=request.other_target or request.target,
        precision=request.other_precision,
        options=request.other_options,
        dtype=request.other_dtype,
        donate=request.other_donate,
        remat=request.other_remat,
        name="second",
        python=request.other_python or request.python,
        environment=(
            request.environment if request.other_environment is None else request.other_environment
        ),
    )
    return first, second


class _Pair:
    """Two workers, from their start to their end."""

    def __init__(
        self, whole: PairedRun, requests: tuple[SideRequest, SideRequest], prefix: str
    ) -> None:
        self._whole = whole
        self._requests = requests
        self._prefix = prefix
        self._events: queue.SimpleQueue[tuple[int, Event]] = queue.SimpleQueue()
        self._runs: list[Run] = []
        self._ended: set[int] = set()
        self._num_compilations = 0
        self._ready: list[SideReady] = []
        self._agreement = ResultsAgreement("first", "second", (), "They were not compared.")
        self._turns = Turns(CHUNK)

    def measure(self) -> Comparison:
        """Start both, one after the other; compare results; let them take turns; end them.

        Raises:
            JaxscopeError: One of them failed or was stopped.
        """
        for side in (0, 1):
            self._ready.append(self._start(side))
        self._agreement = self._compare_results()
        self._tell("Measuring both processes in random turns")
        is_slow = max(side.typical_s for side in self._ready) > SLOW_CALL_S
        self._turns.num_per_chunk = 1 if is_slow else CHUNK
        budget_s = self._requests[0].budget_s
        take_turns(self._measure_block, self._turns, budget_s=budget_s, rng=Random())
        for side in (0, 1):
            self._send(side, "finish")
            self._await(side, SideEnded)
        for run in self._runs:
            run.wait()
        return self._make_comparison()

    def partial(self) -> Comparison | None:
        """What was measured before it ended early; None before the first turns of both."""
        if not self._turns.log_ratios:
            return None
        for run in self._runs:
            run.kill()
            run.wait_for_end()
        return self._make_comparison()

    def _make_comparison(self) -> Comparison:
        first, second = self._ready
        return Comparison(
            self._describe(0),
            self._describe(1),
            self._make_timing(),
            self._agreement,
            first.cost,
            second.cost,
            is_across_processes=True,
        )

    def _start(self, side: int) -> SideReady:
        request = self._requests[side]
        self._runs.append(
            self._whole.start_part(request, lambda event: self._events.put((side, event)))
        )
        return self._await(side, SideReady)

    def _compare_results(self) -> ResultsAgreement:
        self._send(0, "tell_outcome")
        outcome = self._await(0, OutcomeArrived).message
        self._runs[1].send(outcome)
        return self._await(1, ResultsCompared).agreement

    def _measure_block(self, side: int, kept: int, dropped: int) -> npt.NDArray[np.float64]:
        self._send(side, "block", kept=kept, dropped=dropped)
        block = self._await(side, BlockMeasured)
        if block.reason:
            raise TraceError(f"The {_NAMES[side]} program failed while measured: {block.reason}")
        self._num_compilations += block.num_compilations
        return block.seconds

    def _send(self, side: int, type: str, **fields: int) -> None:
        self._runs[side].send(Message(type, fields))

    def _await(self, side: int, kind: type[E]) -> E:
        """The next event of a kind; others are passed on.

        Raises:
            JaxscopeError: One of the two ended.
        """
        while side not in self._ended:
            sender, event = self._events.get()
            if isinstance(event, Failed):
                raise event.error
            if sender == side and isinstance(event, kind):
                return event
            if isinstance(event, Finished):
                self._ended.add(sender)
            elif isinstance(event, Progress):
                self._tell(event.text)
            elif not isinstance(event, MeasurementArrived):
                self._whole.tell(event)
        raise InternalError(f"The {_NAMES[side]} process ended before its time.")

    def _tell(self, text: str) -> None:
        self._whole.tell(Progress("pairs", self._prefix + text))

    def _describe(self, side: int) -> str:
        """The worker's words, and what only this side of the pipe knows."""
        one, other = self._requests[side], self._requests[1 - side]
        parts = [self._ready[side].words]
        if one.file != other.file:
            parts.append(f"of {(one.file or '').rpartition('/')[2]}")
        if one.target != other.target:
            parts.append(f"on {one.target}")
        if one.python != other.python:
            parts.append(f"by {one.python or 'the default interpreter'}")
        if dict(one.environment) != dict(other.environment):
            parts += [f"with {name}={value}" for name, value in one.environment.items()]
        return " ".join(parts)

    def _make_timing(self) -> Timing:
        first, second = map(_timing_of, self._runs)
        turns = self._turns
        unit = f"{turns.num_per_chunk} calls" if turns.num_per_chunk > 1 else "single calls"
        measured: list[Measurement] = [
            make_measurement(
                _NAMES[side],
                turns.seconds(side),
                _PROTOCOL.format(unit=unit, end=_ENDS.get(turns.stopped, "")),
            )
            for side in (0, 1)
        ]
        warnings = [*first.warnings, *second.warnings]
        if self._num_compilations:
            warnings.append("A program compiled again while it was measured.")
        is_judged = all(side.is_judged for side in self._ready)
        ratios = np.asarray(turns.log_ratios, np.float64)
        why_not = "" if is_judged else "A program computes nothing, or no numbers."
        ratio = make_ratio("first/second", ratios, why_not)
        environment = combine_environments([first.environment, second.environment])
        measured = [disturb(measurement, environment) for measurement in measured]
        return Timing(
            first.call,
            environment,
            (*first.measurements, *second.measurements, *measured),
            # One pair of processes gives no verdict.
            (dataclasses.replace(ratio, verdict="unclear"),),
            tuple(dict.fromkeys(warnings)),
        )


def _timing_of(run: Run) -> Timing:
    """What a process told of itself, whether it ended well or not."""
    end = run.outcome
    found = end.result if isinstance(end, Finished) else end.partial if end is not None else None
    return found if isinstance(found, Timing) else Timing("", _NO_ENVIRONMENT, (), (), ())
