"""The stopwatch: times calls one by one, in random pairs of chunks, with an injected clock.

Why single calls: any JAX call takes several microseconds and the clock 0.05, so no inner loop is
needed, and a call that was interrupted becomes an outlier that can be seen instead of poisoning a
mean. Why chunks: a program that runs alone for 20 calls is in the state that a training loop
would see; call by call in turns, the same jitted program takes three times as long. A slow program
is called once a turn, and a much faster one beside it 20 times all the same. Why random
order: whatever drifts (clock rate, other programs) hits both sides alike.

Nothing here knows JAX: what waits for a result is passed in. The clock and everything else that
is used while measuring is bound when this module is imported, before user code runs.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import math
from collections.abc import Callable, Iterator, Sequence
from random import Random
from statistics import median
from time import perf_counter_ns
from typing import Any

from jaxscope.late_dataclass import dataclass
from jaxscope.model.statistics import CHUNK, MUCH_FASTER, SLOW_CALL_S, PrecisionLooks

Clock = Callable[[], int]
"""Nanoseconds, never going back."""

CHUNK_DROPPED = 2
VERY_SLOW_CALL_S = 0.25
"""From here on none of the calls is left out: caches that another form emptied weigh nothing."""
FAST_CALL_S = 5e-6
"""Below this the clock, 0.05 to 0.2 µs a reading, would weigh too much."""
_READING_S = 20e-6
"""What is timed between two readings of the clock where calls are that fast."""
LEAST_ROUNDS = 6
"""Fewer admit no interval of 95 %, and so no verdict."""
_COUNTED_FROM_S = 50e-6
"""Page faults are counted of calls that take so long: asking for them takes 1 µs."""
PRECISION = 0.02
"""Half-width of the interval of the log-ratio at which measuring stops: the verdict's margin."""


class SubjectFailed(Exception):
    """A subject raised; what was recorded before stays. The cause is the exception's `__cause__`.

    Attributes:
        name: Of the subject.
        call_number: Which of its calls failed, from 1.
    """

    def __init__(self, name: str, call_number: int) -> None:
        super().__init__(f"call {call_number} of {name} failed")
        self.name = name
        self.call_number = call_number


@dataclass(eq=False)
class Subject:
    """A function that is measured, and what makes its arguments.

    Attributes:
        name: Such as `eager`.
        function: What is called.
        prepare: Makes the arguments of one call, outside of the timed part. Fresh ones where the
            function consumes them, the same ones otherwise.
        num_calls: How often it was called so far.
        typical_s: Duration of a warm call, once known.
        steady_call: From which call of the warm-up on it was steady; None if it was not.
        num_inner: How often it is called between two readings of the clock; more than once where
            a call takes hardly longer than reading the clock.
        is_consuming: A call consumes its arguments, so that it cannot be repeated with them.
        context: What it is called in, entered before the timed part.
        warm_up_s: Durations of the calls of its last warm-up, however that ended.
        detail: What to know of it beside its name, in a few words.
    """

    name: str
    function: Callable[..., Any]
    prepare: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]
    num_calls: int = 0
    typical_s: float = 0.0
    steady_call: int | None = None
    num_inner: int = 1
    is_consuming: bool = False
    context: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext
    warm_up_s: list[float] = dataclasses.field(default_factory=list)
    detail: str = ""


@dataclass(eq=False)
class CallDurations:
    """What was measured of one subject: columns, one entry per kept call.

    Attributes:
        dispatch_s: Until the function returned.
        total_s: Until its result was ready.
        num_compilations: How many traces and compilations fell into these calls.
        page_faults: Of each kept call; empty where they were not counted.
        num_per_chunk: Kept calls in a chunk; 0 before the first.
        num_dropped: Calls before these, left out.
    """

    dispatch_s: list[float] = dataclasses.field(default_factory=list)
    total_s: list[float] = dataclasses.field(default_factory=list)
    num_compilations: int = 0
    page_faults: list[int] = dataclasses.field(default_factory=list)
    num_per_chunk: int = 0
    num_dropped: int = 0

    def add_chunk(self, durations: Sequence[tuple[float, float]]) -> None:
        """Append the calls of a finished chunk."""
        for dispatch_s, total_s in durations:
            self.dispatch_s.append(dispatch_s)
            self.total_s.append(total_s)


@dataclass(eq=False)
class Rounds:
    """What was measured of one subject alone or of two against each other.

    Attributes:
        sides: A recording per subject, in the order of the subjects.
        log_values: Per round: the log-ratio of the first side's median to the second's, or the
            logarithm of the only side's.
        stopped: Why measuring ended: `precise`, `budget`, or empty while it has not.
        began_s: When measuring began, on the stopwatch's clock.
    """

    sides: tuple[CallDurations, ...]
    log_values: list[float] = dataclasses.field(default_factory=list)
    stopped: str = ""
    began_s: float = 0.0


class Stopwatch:
    """Measures with one clock and one way to wait for results.

    Attributes:
        last_start_s: When the last timed call was entered, in seconds on the clock.
        last_page_faults: Pages of memory that the system gave to the last timed call, where it
            is of a subject that is not fast.
    """

    def __init__(
        self,
        block: Callable[[Any], Any],
        clock: Clock = perf_counter_ns,
        rng: Random | None = None,
        count_compilations: Callable[[], int] = lambda: 0,
        count_page_faults: Callable[[], int] = lambda: 0,
    ) -> None:
        """Bind everything that measuring needs.

        Args:
            block: Waits until a result is ready.
            clock: Nanoseconds.
            rng: Decides which side of a pair goes first.
            count_compilations: A running count of traces and compilations in this process.
            count_page_faults: The same of pages of memory that it got from the system.
        """
        self._block = block
        self._clock = clock
        self._rng = rng or Random(0)
        self._count_compilations = count_compilations
        self._count_page_faults = count_page_faults
        self.last_page_faults = 0
        self.last_start_s = 0.0

    def now_s(self) -> float:
        """Seconds on the clock."""
        return self._clock() * 1e-9

    def time_call(
        self, subject: Subject, keep: Callable[[Any], None] | None = None
    ) -> tuple[float, float]:
        """Call once: seconds until it returned, and until its result was ready.

        The result is let go after the second reading, so freeing it is not measured.

        Args:
            keep: Gets the result, after the second reading.

        Raises:
            SubjectFailed: The function raised, or its result turned out to be an error.
        """
        clock, block, function = self._clock, self._block, subject.function
        subject.num_calls += 1
        faults, is_counted = 0, subject.typical_s >= _COUNTED_FROM_S
        try:
            with subject.context():
                args, kwargs = subject.prepare()
                if is_counted:
                    faults = self._count_page_faults()
                start = clock()
                result = function(*args, **kwargs)
                for _ in range(subject.num_inner - 1):
                    result = function(*args, **kwargs)
                returned = clock()
                block(result)
                ready = clock()
                if is_counted:
                    faults = self._count_page_faults() - faults
        except (Exception, SystemExit) as error:
            raise SubjectFailed(subject.name, subject.num_calls) from error
        unit_s = 1e-9 / subject.num_inner
        self.last_start_s = start * 1e-9
        self.last_page_faults = faults
        if keep is not None:
            keep(result)
        return (returned - start) * unit_s, (ready - start) * unit_s

    def warm_up(
        self, subject: Subject, num_calls: int, budget_s: float, ends_s: list[float] | None = None
    ) -> list[float]:
        """Call up to so often, or until the budget is spent: the durations, at least one.

        They are those of the subject, too, so that a failure or a wish leaves what there was.

        Args:
            ends_s: Gets the time on the clock after each call.
        """
        deadline = self.now_s() + budget_s
        durations = subject.warm_up_s = []
        now_s = -math.inf
        while not durations or (len(durations) < num_calls and now_s < deadline):
            durations.append(self.time_call(subject)[1])
            now_s = self.now_s()
            if ends_s is not None:
                ends_s.append(now_s)
        return durations

    def measure(
        self,
        subjects: Sequence[Subject],
        rounds: Rounds,
        *,
        budget_s: float,
        typical_s: float,
        least_rounds: int = LEAST_ROUNDS,
        precision: float = PRECISION,
        on_round: Callable[[Rounds], None] = lambda _rounds: None,
    ) -> None:
        """Measure one subject, or two against each other, until precise or out of budget.

        Args:
            subjects: One or two, warmed up.
            rounds: Filled while measuring, so what was measured survives a failure.
            budget_s: No round starts after so much time, once there are `least_rounds`.
            typical_s: Duration of a call of the slower one; slow ones are not put in chunks.
            least_rounds: The budget is stretched until so many were measured, at least one.
            precision: Half-width of the interval of the logarithms that is precise enough.
            on_round: Told after each round; what it takes is no part of what is measured.

        Raises:
            SubjectFailed: A subject raised.
        """
        sizes = chunk_sizes([subject.typical_s or typical_s for subject in subjects])
        for side, size in zip(rounds.sides, sizes, strict=True):
            side.num_per_chunk, side.num_dropped = size
        rounds.began_s = start_s = self.now_s()
        looks = PrecisionLooks()
        with gc_paused():
            while not rounds.stopped:
                self._measure_round(subjects, rounds)
                on_round(rounds)
                spent_s = self.now_s() - start_s
                if looks.is_precise(rounds.log_values, spent_s, precision):
                    rounds.stopped = "precise"
                is_enough = len(rounds.log_values) >= least_rounds
                if spent_s >= budget_s and is_enough and not rounds.stopped:
                    rounds.stopped = "budget"

    def _measure_round(self, subjects: Sequence[Subject], rounds: Rounds) -> None:
        medians = [0.0] * len(subjects)
        for index in self._rng.sample(range(len(subjects)), len(subjects)):
            subject, recording, durations = subjects[index], rounds.sides[index], []
            for _ in range(recording.num_dropped):
                self.time_call(subject)
            before = self._count_compilations()
            try:
                for _ in range(recording.num_per_chunk):
                    durations.append(self.time_call(subject))
                    if subject.typical_s >= _COUNTED_FROM_S:
                        recording.page_faults.append(self.last_page_faults)
            finally:
                recording.add_chunk(durations)
                recording.num_compilations += self._count_compilations() - before
            medians[index] = max(median(total_s for _, total_s in durations), 1e-9)
        logs = [math.log(value) for value in medians]
        rounds.log_values.append(logs[0] - logs[1] if len(logs) == 2 else logs[0])


def chunk_size(typical_s: float) -> tuple[int, int]:
    """How many calls of a chunk are kept, and how many before them are not."""
    if typical_s > VERY_SLOW_CALL_S:
        return 1, 0
    return (1, 1) if typical_s > SLOW_CALL_S else (CHUNK, CHUNK_DROPPED)


def chunk_sizes(typical_s: Sequence[float]) -> list[tuple[int, int]]:
    """The same for each of those that take turns.

    Beside a slow one, single calls of a fast one would all be cold: the first calls after tens of
    milliseconds of other work take several times as long as those of a loop.
    """
    slowest_s = max(typical_s)
    return [
        chunk_size(each if each * MUCH_FASTER <= slowest_s else slowest_s) for each in typical_s
    ]


def find_inner_loop(typical_s: float, *, is_consuming: bool = False) -> int:
    """How often a function is called between two readings of the clock: once, unless it is fast.

    One that consumes its arguments is called once, however fast: they are made outside of the
    timed part.
    """
    if typical_s >= FAST_CALL_S or is_consuming:
        return 1
    return math.ceil(_READING_S / max(typical_s, 1e-8))


def find_steady_call(
    durations: Sequence[float], window: int = 20, horizon: int = 100
) -> int | None:
    """From which call on a function is steady.

    The first start of a window whose median is within 5 % of that of the calls after it.

    Returns:
        The 0-based number of the call, or None if that was not reached among these calls.
    """
    for start in range(len(durations) - window - horizon + 1):
        later = median(durations[start + window : start + window + horizon])
        if abs(median(durations[start : start + window]) - later) <= 0.05 * later:
            return start
    return None


@contextlib.contextmanager
def gc_paused() -> Iterator[None]:
    """Collect garbage now, and none until the block ends; then the collector is as it was."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
