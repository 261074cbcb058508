"""Requests that take several workers: the same measurement in several fresh processes, and two
programs in pairs of processes that take turns.

Where code and data lie in memory is drawn once, when a process starts. So each process is one
value, its median; six of them on a machine that was not busy earn an interval. Two processes that
are compared measure blocks in random order, the first calls of a turn left out: a process that
waited finds its data gone from the caches.
"""

from __future__ import annotations

import abc
import dataclasses
import math
import queue
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from jaxscope.client.events import (
    BlockMeasured,
    Event,
    Failed,
    Finished,
    HeadArrived,
    MeasurementArrived,
    OutcomeArrived,
    Progress,
    Result,
    ResultGrew,
    ResultsCompared,
    SideEnded,
    SideReady,
)
from jaxscope.client.live_run import AwaitedRun, Run, describe_bug
from jaxscope.client.requests import (
    ComparisonRequest,
    Request,
    RunMessage,
    SideRequest,
    TimeRequest,
)
from jaxscope.errors import InternalError, JaxscopeError, Stopped, TraceError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import NO_ENVIRONMENT, Environment
from jaxscope.model.experiments import ProgramComparison, ResultsAgreement
from jaxscope.model.said import said, say
from jaxscope.model.statistics import (
    CHUNK,
    LEAST_PROCESSES,
    MUCH_FASTER,
    SLOW_CALL_S,
    Interval,
    PrecisionLooks,
    count_agreeing,
    find_disturbances,
    find_process_interval,
    find_ratio_interval,
    judge,
)
from jaxscope.model.timing import Measurement, Noise, Ratio, Timing, tell_page_faults, with_remark
from jaxscope.schema.timing_messages import disturb, make_measurement, make_ratio
from jaxscope.wire.messages import Message

# One request that takes several workers: a run that consists of runs.
#
# What is measured in one process only holds for that process: where code and data lie in memory is
# drawn once, when it starts. So some measurements are repeated in fresh ones.

OnEvent = Callable[[Event], None]
StartWorker = Callable[[Request, OnEvent | None], Run]


class CompositeRun(AwaitedRun, abc.ABC):
    """Like a `Run`; a thread of its own conducts the runs that it consists of.

    Attributes:
        request: What was asked.
    """

    def __init__(
        self, request: Request, start_worker: StartWorker, on_event: OnEvent | None
    ) -> None:
        super().__init__()
        self.request = request
        self._start_worker = start_worker
        self._on_event = on_event
        self._lock = threading.Lock()
        self._parts: list[Run] = []
        self._stop = ""

    # --- for the caller, as of a `Run` ---

    @property
    def id(self) -> str:
        """That of the first of its runs; empty before it started."""
        return self._parts[0].id if self._parts else ""

    def interrupt(self) -> None:
        """Stop: what was measured by then is kept."""
        self._command("interrupt")

    def kill(self) -> None:
        """Kill all workers, at once."""
        self._command("kill")

    def skip(self) -> None:
        """Leave out the step that runs now, where it can be."""
        for part in self._live_parts():
            part.skip()

    def send(self, _message: RunMessage) -> None:
        """Does nothing: a run of several workers takes no messages after its start."""

    def output(self, stream: str) -> str:
        """What the code printed to `stdout` or `stderr` in all of its processes."""
        return "".join(part.output(stream) for part in self._parts)

    # --- for the session ---

    def begin(self) -> None:
        """Start the thread that runs the parts."""
        threading.Thread(target=self._follow, name="jaxscope conductor", daemon=True).start()

    # --- for what conducts ---

    @abc.abstractmethod
    def run_parts(self) -> Result:
        """Start runs one after another, or several that take turns, and put results together.

        Raises:
            JaxscopeError: Why there is no result.
        """

    @abc.abstractmethod
    def partial(self) -> Result | None:
        """What was found so far."""

    def start_part(self, request: Request, on_event: OnEvent) -> Run:
        """Start one of the runs that this run is made of.

        Raises:
            Stopped: The whole was stopped.
            JaxscopeError: It cannot be started.
        """
        with self._lock:
            if self._stop:
                raise Stopped(say("The run was stopped."), kind="Stopped")
            part = self._start_worker(request, on_event)
            self._parts.append(part)
        return part

    def tell(self, event: Event) -> None:
        """Pass an event on; the parts' ends and heads are not the whole's."""
        if self._on_event is not None and not isinstance(event, Finished | Failed | HeadArrived):
            self._on_event(event)

    def _command(self, name: str) -> None:
        with self._lock:
            self._stop = self._stop or name
        for part in self._live_parts():
            getattr(part, name)()

    def _live_parts(self) -> list[Run]:
        with self._lock:
            return [part for part in self._parts if not part.is_over]

    def _follow(self) -> None:
        end: Finished | Failed
        try:
            end = Finished(self.run_parts())
        except JaxscopeError as error:
            end = Failed(error, self.partial())
        except Exception as error:  # of ours, or of `on_event`: the run must end all the same
            end = Failed(describe_bug(error))
        for part in self._live_parts():
            part.kill()
        for part in self._parts:
            part.wait_for_end()
        self.finish(end, self._on_event)


def combine_processes(timings: Sequence[Timing]) -> Timing:
    """Combine the timings of one call in several fresh processes: the rigorous measurement.

    Within a process, placement in memory and the like are drawn once; only another process draws
    again. So each process counts as one value: its median. Six of them on a machine that was not
    busy earn an interval; else what was observed stands in its place, from smallest to largest.

    Raises:
        ValueError: There is no timing.
    """
    if not timings:
        raise ValueError("nothing was measured")
    if len(timings) == 1:
        return timings[0]
    names = dict.fromkeys(m.name for timing in timings for m in timing.measurements)
    ratios = dict.fromkeys(r.name for timing in timings for r in timing.ratios)
    environment = combine_environments([timing.environment for timing in timings])
    measurements = tuple(_combine_measurement(name, timings, environment) for name in names)
    combined = (_combine_ratio(name, timings, environment) for name in ratios)
    # Of each process it told its own numbers.
    of_one = {w for timing in timings for w in tell_page_faults(timing.measurements)}
    warnings = dict.fromkeys(w for t in timings for w in t.warnings if w not in of_one)
    return Timing(
        call=timings[0].call,
        environment=environment,
        measurements=measurements,
        ratios=tuple(with_remark(ratio, measurements) for ratio in combined),
        warnings=(*tell_page_faults(measurements), *warnings),
    )


def combine_environments(found: Sequence[Environment]) -> Environment:
    """The first of several, with the worst that was seen of the machine in any of them."""
    shares = [e.processor_share for e in found if e.processor_share is not None]
    loads = [e.load for e in found if e.load is not None]
    others = [e.busy_processors for e in found if e.busy_processors is not None]
    return dataclasses.replace(
        found[0],
        load=max(loads, default=None),
        processors=next((e.processors for e in found if e.processors is not None), None),
        processor_share=min(shares, default=None),
        busy_processors=max(others, default=None),
    )


def _combine_measurement(
    name: str, timings: Sequence[Timing], environment: Environment
) -> Measurement:
    found = [m for timing in timings if (m := timing.measurement(name)) is not None]
    medians = [m.median for m in found]
    on_device = [m.device_seconds for m in found if not math.isnan(m.device_seconds)]
    faults = [m.page_faults for m in found if not math.isnan(m.page_faults)]
    disturbances = find_disturbances(environment)
    is_noisy = bool(disturbances)  # how calls of one process spread is part of its median
    interval = _interval_of(medians, is_noisy=is_noisy)
    return Measurement(
        name=name,
        median=statistics.median(medians),
        low=interval.low,
        high=interval.high,
        confidence=interval.confidence,
        runs=len(found),
        samples=tuple(medians),
        is_noisy=is_noisy,
        protocol=f"Medians of {len(found)} fresh processes. In each: {found[-1].protocol}",
        reasons=worst_reasons(*(m.reasons for m in found), disturbances) if is_noisy else (),
        detail=", ".join(dict.fromkeys(m.detail for m in found if m.detail)),
        began=found[0].began,
        ended=found[0].ended,
        device_seconds=statistics.median(on_device or [math.nan]),
        device_low=min(on_device, default=math.nan),
        device_high=max(on_device, default=math.nan),
        steady_from=found[-1].steady_from,
        page_faults=statistics.median(faults or [math.nan]),
        compilations=max(m.compilations for m in found),
        num_processes=len(found),
    )


def _interval_of(medians: Sequence[float], *, is_noisy: bool) -> Interval:
    """The interval that these processes earned, or what was observed, without a confidence."""
    if len(medians) >= LEAST_PROCESSES and not is_noisy:
        return find_process_interval(medians)
    return Interval(statistics.median(medians), min(medians), max(medians), math.nan)


def worst_reasons(*found: Sequence[Noise | str]) -> tuple[Noise | str, ...]:
    """Reasons for noise in several processes: each kind once, with the worst of its numbers."""
    worst: dict[str, Noise | str] = {}
    for reason in (reason for reasons in found for reason in reasons):
        if isinstance(reason, str):
            worst.setdefault(reason, reason)
            continue
        known = worst.get(reason.kind)
        # Of the time that it wanted a processor, a process had the less the worse.
        sign = -1 if reason.kind == "share" else 1
        if not isinstance(known, Noise) or sign * reason.value > sign * known.value:
            worst[reason.kind] = reason
    return tuple(worst.values())


def _combine_ratio(name: str, timings: Sequence[Timing], environment: Environment) -> Ratio:
    found = [r for timing in timings for r in timing.ratios if r.name == name]
    medians = [ratio.median for ratio in found]
    is_noisy = bool(find_disturbances(environment))
    interval = _interval_of(medians, is_noisy=is_noisy)
    judged = (
        find_ratio_interval([math.log(value) for value in medians])
        if math.isnan(interval.confidence)
        else interval
    )
    why_not = next((ratio.why_not for ratio in found if ratio.why_not), "")
    return Ratio(
        name,
        interval.median,
        interval.low,
        interval.high,
        "unclear" if why_not else judge(judged, is_noisy=is_noisy),
        interval.confidence,
        len(found),
        why_not,
        is_noisy,
        agreeing=count_agreeing(np.log(medians)),
    )


# Rigorous measurements: the same one in several fresh processes, each of which is one value.


RIGOROUS_PROCESSES = 6
"""Six processes cover the median with 96.9 %; see `combine_processes`."""


class RigorousRun(CompositeRun):
    """A timing or a comparison, one process after another."""

    def __init__(
        self, request: Request, start_worker: StartWorker, on_event: OnEvent | None
    ) -> None:
        super().__init__(request, start_worker, on_event)
        self._found: list[Timing | ProgramComparison] = []

    def run_parts(self) -> Result:
        request = self.request
        if not isinstance(request, TimeRequest | ComparisonRequest):
            raise InternalError(say("A {type} request is not repeated.", type=request.type))
        for number in range(1, RIGOROUS_PROCESSES + 1):
            prefix = f"Process {number} of {RIGOROUS_PROCESSES}: "

            def pass_on(event: Event, prefix: str = prefix) -> None:
                if isinstance(event, Progress):
                    self.tell(dataclasses.replace(event, text=prefix + event.text))
                elif not isinstance(event, MeasurementArrived | ResultGrew):  # of one process only
                    self.tell(event)

            found = self.start_part(dataclasses.replace(request, rigorous=False), pass_on).wait()
            if not isinstance(found, Timing | ProgramComparison):
                raise InternalError(
                    say(
                        "A {type} run returned {name}.",
                        type=request.type,
                        name=type(found).__name__,
                    )
                )
            self._found.append(found)
            whole = self._combine()
            timing = whole.timing if isinstance(whole, ProgramComparison) else whole
            for measurement in timing.measurements:
                self.tell(MeasurementArrived(measurement))
            self.tell(ResultGrew(whole))
        return self._combine()

    def partial(self) -> Result | None:
        if not self._found:
            return None
        note = say(
            "The run ended early: these results are partial, of {num_found} of "
            "{rigorous_processes} processes.",
            num_found=len(self._found),
            rigorous_processes=RIGOROUS_PROCESSES,
        )
        return with_warning(self._combine(), note)

    def _combine(self) -> Timing | ProgramComparison:
        comparisons = [found for found in self._found if isinstance(found, ProgramComparison)]
        if comparisons:
            return combine_comparisons(comparisons)
        return combine_processes([found for found in self._found if isinstance(found, Timing)])


def combine_comparisons(found: Sequence[ProgramComparison]) -> ProgramComparison:
    """The comparisons of one pair of programs in several processes, or pairs of them.

    What does not change from process to process is taken from the first.
    """
    return dataclasses.replace(
        found[0],
        timing=combine_processes([comparison.timing for comparison in found]),
        num_processes=len(found),
    )


def with_warning(found: Timing | ProgramComparison, text: str) -> Timing | ProgramComparison:
    """The same result with one more warning."""
    if isinstance(found, ProgramComparison):
        timing = dataclasses.replace(found.timing, warnings=(*found.timing.warnings, text))
        return dataclasses.replace(found, timing=timing)
    return dataclasses.replace(found, warnings=(*found.warnings, text))


Block = npt.NDArray[np.float64]
MeasureBlock = Callable[[int, int, int], Block]
"""Which of the two, how many calls are kept, how many before are not: seconds of each kept one."""

CHUNK_DROPPED = 10


@dataclass(eq=False)
class InterleavedSamples:
    """What was measured so far.

    Attributes:
        num_per_chunk: Kept calls in a turn of each side.
        blocks: Of each side, one per turn.
        log_ratios: Of the medians of each pair of turns, first to second.
        stopped: Why it ended: `precise`, `budget`, or empty while it has not.
    """

    num_per_chunk: tuple[int, int]
    blocks: tuple[list[Block], list[Block]] = dataclasses.field(default_factory=lambda: ([], []))
    log_ratios: list[float] = dataclasses.field(default_factory=list)
    stopped: str = ""

    def seconds(self, side: int) -> Block:
        """Durations of all calls of one side."""
        return np.concatenate([np.empty(0), *self.blocks[side]])


def measure_interleaved(
    measure_block: MeasureBlock,
    turns: InterleavedSamples,
    *,
    budget_s: float,
    rng: Random,
    now_s: Callable[[], float] = time.monotonic,
) -> None:
    """Let both measure in random pairs until precise or out of budget; at least one pair.

    Args:
        turns: Filled while measuring, so that what was measured survives a failure.

    Raises:
        Exception: Whatever `measure_block` raises.
    """
    start_s, looks = now_s(), PrecisionLooks()
    while not turns.stopped:
        pair: dict[int, Block] = {}
        for side in rng.sample((0, 1), 2):
            kept = turns.num_per_chunk[side]
            pair[side] = measure_block(side, kept, CHUNK_DROPPED if kept > 1 else 1)
        for side, block in pair.items():
            turns.blocks[side].append(block)
        first, second = (max(float(np.median(pair[side])), 1e-9) for side in (0, 1))
        turns.log_ratios.append(float(np.log(first / second)))
        spent_s = now_s() - start_s
        if looks.is_precise(turns.log_ratios, spent_s):
            turns.stopped = "precise"
        if spent_s >= budget_s and not turns.stopped:
            turns.stopped = "budget"


E = TypeVar("E")

_NAMES = ("first", "second")
_MOST_S = 180.0
"""After so much time no further pair of processes starts."""
_PROTOCOL = (
    "Compiled; each call timed by itself until its result was ready, in turns of {unit} of two "
    "processes in random order, the first calls of each left out, garbage collector off.{end}"
)
_ENDS = {"precise": " Ended when the pairs agreed.", "budget": " Ended at the budget."}


class PairedRun(CompositeRun):
    """A comparison across processes."""

    def __init__(
        self, request: Request, start_worker: StartWorker, on_event: OnEvent | None
    ) -> None:
        super().__init__(request, start_worker, on_event)
        if not isinstance(request, ComparisonRequest):
            raise InternalError(say("A {type} request has no two sides.", type=request.type))
        self._sides = side_requests(request)
        self._found: list[ProgramComparison] = []
        self._pair: _ProcessPair | None = None
        self._note = ""

    def run_parts(self) -> Result:
        start_s = time.monotonic()
        for number in range(1, RIGOROUS_PROCESSES + 1):
            before_s = time.monotonic()
            self._pair = _ProcessPair(self, self._sides, f"Pair {number} of {RIGOROUS_PROCESSES}: ")
            self._found.append(self._pair.measure())
            self._pair = None
            for measurement in self._combine().timing.measurements:
                self.tell(MeasurementArrived(measurement))
            now_s = time.monotonic()
            if now_s - start_s + (now_s - before_s) > _MOST_S and number < RIGOROUS_PROCESSES:
                self._note = say(
                    "Ended after {number} of {rigorous_processes} pairs of processes: each takes "
                    "{each_s:.0f} s. Fewer than six give no verdict.",
                    number=number,
                    rigorous_processes=RIGOROUS_PROCESSES,
                    each_s=now_s - before_s,
                )
                break
        return self._combine()

    def partial(self) -> Result | None:
        note = say(
            "The run ended early: these results are partial, of {num_found} of "
            "{rigorous_processes} pairs of processes.",
            num_found=len(self._found),
            rigorous_processes=RIGOROUS_PROCESSES,
        )
        if self._found:
            return with_warning(self._combine(), note)
        begun = self._pair.partial() if self._pair is not None else None
        return (
            None
            if begun is None
            else with_warning(begun, say("{note} Of the first, not all.", note=note))
        )

    def _combine(self) -> ProgramComparison:
        whole = combine_comparisons(self._found)
        if self._note:
            noted = with_warning(whole, self._note)
            return noted if isinstance(noted, ProgramComparison) else whole
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


class _ProcessPair:
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
        self._agreement = ResultsAgreement("first", "second", (), say("They were not compared."))
        self._turns = InterleavedSamples((CHUNK, CHUNK))

    def measure(self) -> ProgramComparison:
        """Start both, one after the other; compare results; let them take turns; end them.

        Raises:
            JaxscopeError: One of them failed or was stopped.
        """
        for side in (0, 1):
            self._ready.append(self._start(side))
        self._send(0, "tell_outcome")
        outcome = self._await(0, OutcomeArrived).message
        self._runs[1].send(outcome)
        self._agreement = self._await(1, ResultsCompared).agreement
        self._tell("Measuring both processes in random turns")
        first_s, second_s = (side.typical_s for side in self._ready)
        self._turns.num_per_chunk = _kept(first_s, second_s), _kept(second_s, first_s)
        budget_s = self._requests[0].budget_s
        measure_interleaved(self._measure_block, self._turns, budget_s=budget_s, rng=Random())
        for side in (0, 1):
            self._send(side, "finish")
            self._await(side, SideEnded)
        for run in self._runs:
            run.wait()
        return self._make_comparison()

    def partial(self) -> ProgramComparison | None:
        """What was measured before it ended early; None before the first turns of both."""
        if not self._turns.log_ratios:
            return None
        for run in self._runs:
            run.kill()
            run.wait_for_end()
        return self._make_comparison()

    def _make_comparison(self) -> ProgramComparison:
        first, second = self._ready
        return ProgramComparison(
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

    def _measure_block(self, side: int, kept: int, dropped: int) -> npt.NDArray[np.float64]:
        self._send(side, "block", kept=kept, dropped=dropped)
        block = self._await(side, BlockMeasured)
        if block.reason:
            raise TraceError(
                say(
                    "The {side} program failed while measured: {reason}",
                    side=said(_NAMES[side]),
                    reason=block.reason,
                )
            )
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
        raise InternalError(
            say("The {names} process ended before its time.", names=said(_NAMES[side]))
        )

    def _tell(self, text: str) -> None:
        self._whole.tell(Progress("pairs", self._prefix + text))

    def _describe(self, side: int) -> str:
        """The worker's description of the measurement, with what only the client can add."""
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
        units = [f"{kept} calls" if kept > 1 else "single calls" for kept in turns.num_per_chunk]
        measured: list[Measurement] = [
            make_measurement(
                _NAMES[side],
                turns.seconds(side),
                _PROTOCOL.format(unit=units[side], end=_ENDS.get(turns.stopped, "")),
            )
            for side in (0, 1)
        ]
        warnings = [*first.warnings, *second.warnings]
        if self._num_compilations:
            warnings.append(say("A program compiled again while it was measured."))
        is_judged = all(side.is_judged for side in self._ready)
        ratios = np.asarray(turns.log_ratios, np.float64)
        why_not = "" if is_judged else "a program computes nothing, or no numbers"
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


def _kept(own_s: float, other_s: float) -> int:
    """Kept calls in a turn: one of a slow side, and of what is about as slow."""
    is_slow = max(own_s, other_s) > SLOW_CALL_S
    return 1 if is_slow and (own_s > SLOW_CALL_S or own_s * MUCH_FASTER > other_s) else CHUNK


def _timing_of(run: Run) -> Timing:
    """What a process reported of itself, whether it ended well or not."""
    end = run.outcome
    found = end.result if isinstance(end, Finished) else end.partial if end is not None else None
    return found if isinstance(found, Timing) else Timing("", NO_ENVIRONMENT, (), (), ())
