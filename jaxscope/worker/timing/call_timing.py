"""Answer a `time` request: eager against jitted, what compiling costs, the gradient if wanted.

Everything measured is sent as soon as it is known, and the running pairs at each look, so a crash,
a stop or a failure loses only what came after. Raw durations are sent; the client does the
statistics. A later message of the same name replaces an earlier one.
"""

from __future__ import annotations

import contextlib
import functools
import math
import warnings
from collections.abc import Callable, Iterable
from random import Random
from statistics import median
from time import perf_counter
from typing import Any, TypeVar

import jax

from jaxscope.errors import Explanation, JaxscopeError, TraceError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.said import CLAUSES, NAMED, said, say, say_clause, say_count, say_joined
from jaxscope.model.timing import KEPT, TRANSFORMED, WITHOUT_JIT, are_many_page_faults
from jaxscope.worker.channel import Channel, run_skippable
from jaxscope.worker.faults.explain import explain_exception, guard
from jaxscope.worker.host.call import Call, parse_call
from jaxscope.worker.host.executable_cache import keeping_executables
from jaxscope.worker.stages.call_loader import first_call, load_names
from jaxscope.worker.stages.nonfinite import count_odd, find_origin_of
from jaxscope.worker.stages.running import NonfiniteCount
from jaxscope.worker.timing.conditions import (
    Conditions,
    ProcessWarnings,
    count_page_faults,
    describe_machine,
    keep_freed_memory,
    read_setting,
)
from jaxscope.worker.timing.experiment import first_line, refuse_absent_target
from jaxscope.worker.timing.forms import (
    Forms,
    find_forms,
    find_gradient_forms,
    has_python_scalars,
    with_static_scalars,
)
from jaxscope.worker.timing.measurement_sender import (
    KEPT_PROTOCOL,
    MeasurementSender,
    Span,
    describe_failed_form,
    format_duration,
    name_form,
    send_ratio,
    send_rounds,
    send_so_far,
    send_warm_up,
)
from jaxscope.worker.timing.same_work import Difference, EagerCalls, Outcome, WorkWatch, observed
from jaxscope.worker.timing.stages_and_transfers import (
    START_PROTOCOL,
    CompilationCounter,
    StageTime,
    fresh_arguments,
    is_donating,
    is_empty,
    is_one_jit,
    same_arguments,
    send_device_time,
    send_fetch,
    send_throughput,
    send_transfer,
    start_jax,
    time_stages,
)
from jaxscope.worker.timing.stopwatch import (
    LEAST_ROUNDS,
    PRECISION,
    CallDurations,
    Rounds,
    Stopwatch,
    Subject,
    SubjectFailed,
    chunk_sizes,
    find_inner_loop,
    find_steady_call,
    gc_paused,
)

T = TypeVar("T")

DEFAULT_BUDGET_S = 2.0
"""Seconds for the pairs of one program; stretched for slow ones. Compiling comes on top."""
_PRECISE_BUDGET_S = 60.0
"""The same where a precision was asked for, and no budget."""
_WARM_UP_CALLS = 200
_LONGEST_WARM_UP_S = 0.4
_BESIDE_S = 0.25
"""For copying the arguments, for copying the results, and for throughput, each."""
_DEVICE_S = 0.16
"""For recording one side's time on the device."""
_KEPT_CALLS = 30
_MOST_KEPT_PAGES = 500_000
"""Calls that get more pages, 2 GB of 4 KiB each, are not repeated with all of them kept."""
_TELL_EVERY_S = 0.4
_SLOWEST_CHECK_S = 5.0
"""A call that took longer is not made once more to compare what two of them do."""
_block = jax.block_until_ready


def handle_time(request: dict[str, Any], channel: Channel) -> None:
    """Measure the call of a request and send what was measured.

    Raises:
        JaxscopeError: File or call are wrong, nothing runs on the target, or nothing was measured.
    """
    refuse_absent_target(request)
    start_s = perf_counter()
    snapshot, names = load_names(request, channel)
    import_s = perf_counter() - start_s
    text = str(request.get("call") or first_call(snapshot, names, channel))
    channel.progress("call", say("Evaluating the arguments"))
    with guard("call", {snapshot.path}), keeping_executables():
        call = parse_call(text, names, file=snapshot.path)
    if request.get("waits"):
        start_s += _wait(channel)
    is_plain = all(level.name == "jit" for level in call.levels)
    channel.send("timed", {"call": call.text, "environment": describe_machine()})
    session = _TimingRun(channel, _read_plan(request), (snapshot.path,), start_s)
    session.readings.send(
        "import",
        [import_s],
        say("Once: the file itself, and the start of JAX's backend."),
        span=(start_s, start_s + import_s),
    )
    with channel.quiet(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"jaxscope\.")  # of our lines, none of the user's
        session.start_jax()
        session.process.tell_new()
        with guard("call", {snapshot.path}):
            forms = find_forms(call)
        try:
            session.measure_program(forms, "", WorkWatch(call, snapshot))
            session.tell_origin(call)
            if request.get("gradient"):
                session.measure_gradient(forms, is_plain=is_plain)
            session.measure_kept_memory()
        finally:
            session.tell_conditions()
    session.raise_if_nothing_was_measured()


def _wait(channel: Channel) -> float:
    """Wait until the client says `go_on`; for how many seconds that was."""
    began_s = perf_counter()
    channel.progress("ready", say("Ready to measure"))
    while channel.receive().type != "go_on":
        pass
    return perf_counter() - began_s


@dataclass(frozen=True, slots=True)
class _Plan:
    """How long pairs are measured.

    Attributes:
        budget_s: Seconds for the pairs of one program.
        least_rounds: So many pairs are measured even if that takes longer.
        precision: The half-width of the ratio's interval that ends measuring.
        skip_eager: Whether only the jitted form is measured.
    """

    budget_s: float
    least_rounds: int
    precision: float
    skip_eager: bool


def _read_plan(request: dict[str, Any]) -> _Plan:
    """A budget that was asked for holds, unless it says otherwise; the default one is stretched."""
    budget_s, precision = request.get("budget_s"), request.get("precision")
    default_s = DEFAULT_BUDGET_S if precision is None else _PRECISE_BUDGET_S
    return _Plan(
        float(budget_s or default_s),
        1 if budget_s and not request.get("is_stretched") else LEAST_ROUNDS,
        PRECISION if precision is None else float(precision),
        bool(request.get("skip_eager")),
    )


class _TimingRun:
    """The measurements of one request.

    Attributes:
        readings: Where they are sent to.
        process: Tells what about this process changes durations.
    """

    def __init__(
        self, channel: Channel, plan: _Plan, user_files: tuple[str, ...], start_s: float
    ) -> None:
        self.readings = MeasurementSender(channel, start_s)
        self._channel = channel
        self._plan = plan
        self._user_files = user_files
        self._counter = CompilationCounter()
        self._stopwatch = Stopwatch(
            _block,
            rng=Random(),
            count_compilations=self._counter,
            count_page_faults=count_page_faults,
        )
        self._fetching: list[tuple[Subject, float]] = []
        self._failure: Explanation | None = None
        self._why_not = ""
        self._odd = NonfiniteCount()
        self._watch: WorkWatch | None = None
        self._jit_outcome: Outcome | None = None
        self._conditions = Conditions()
        self.process = ProcessWarnings(self.warn)

    def warn(self, text: str) -> None:
        self._channel.send("warning", {"text": text})

    def start_jax(self) -> None:
        """Let JAX start before the program is measured; return how long that took."""
        self._channel.progress("start", say("Starting JAX"))
        began_s, ended_s = start_jax(self._stopwatch)
        self._conditions = Conditions()
        self.readings.send(
            "jax_start", [ended_s - began_s], START_PROTOCOL, span=(began_s, ended_s)
        )

    def tell_conditions(self) -> None:
        """Send how busy the machine was so far."""
        self._channel.send("conditions", self._conditions.numbers())

    def raise_if_nothing_was_measured(self) -> None:
        """Raises: TraceError: Neither form of the program runs."""
        if self._failure is not None and not self.readings.names & {"eager", "jit"}:
            raise TraceError(self._failure)

    def tell_origin(self, call: Call) -> None:
        """Name the equation that made NaN or Inf, where results hold such.

        After eager calls were measured: running equations compiles primitives, which the first
        eager call is to do.
        """
        if self._odd:
            self._do(
                "origin",
                say("Looking for the equation that made what is not finite"),
                lambda: self.warn(find_origin_of(call, self._odd)),
            )

    def measure_gradient(self, forms: Forms, *, is_plain: bool) -> None:
        """Measure the gradient, then value and gradient together, where there is one."""
        try:
            gradient = find_gradient_forms(forms) if is_plain else None
        except Exception as error:  # arguments that a call used up, say
            self._note_failure("gradient", error)
            return
        if gradient is None:
            self.warn(
                say("The gradient was not measured: the call has no floating-point array.")
                if is_plain
                else say(
                    "The gradient was not measured: the call applies transforms of its own; time "
                    "one that takes the gradient."
                )
            )  # fmt: skip
            return
        self.measure_program(gradient, "gradient_")
        if "gradient_jit" not in self.readings.names:
            return
        if (both := find_gradient_forms(forms, with_value=True)) is not None:
            self.measure_program(both, "value_and_gradient_")

    def measure_kept_memory(self) -> None:
        """Once more, without the page faults, what had many: their share is the difference.

        Last of all, since the C library keeps memory for all that follows.
        """
        fetching = [each for each, faults in self._fetching if faults < _MOST_KEPT_PAGES]
        if fetching and keep_freed_memory():
            self._do(
                "kept_memory",
                say("Timing again with freed memory kept"),
                functools.partial(self._measure_kept, fetching),
                left_s=_BESIDE_S * len(fetching),
            )

    def _measure_kept(self, subjects: list[Subject]) -> None:
        for subject in subjects:
            began_s = self._stopwatch.now_s()
            try:
                for _ in range(2):  # the first calls still get their pages
                    self._stopwatch.time_call(subject)
                with gc_paused():
                    self._stopwatch.warm_up(subject, _KEPT_CALLS, _BESIDE_S)
            except SubjectFailed as error:
                self._note_failure(subject.name, error)
                continue
            span = (began_s, self._stopwatch.now_s())
            name = f"{subject.name}{KEPT}"
            self.readings.send(name, subject.warm_up_s, KEPT_PROTOCOL, span=span)

    def measure_program(self, forms: Forms, prefix: str, watch: WorkWatch | None = None) -> None:
        """Measure one program in both forms; `prefix` goes before the names.

        Args:
            watch: Tells whether the two do the same work; that of a gradient is the program's.
        """
        noun = name_form(prefix)
        self._watch, self._jit_outcome = watch, None
        jitted = self._do(
            f"{prefix}compile",
            say("Compiling the {noun}", noun=noun),
            functools.partial(self._prepare_jitted, forms, prefix),
        )
        if jitted is not None:
            self._check_results(jitted, noun)
        if jitted is not None and not self._plan.skip_eager:
            send_so_far(self.readings, jitted)
        eager = None
        if (jitted is not None or not prefix) and not self._plan.skip_eager:
            eager = self._do(
                f"{prefix}eager",
                say("Running the {noun} equation by equation", noun=noun),
                functools.partial(self._prepare_eager, forms, prefix),
            )
        subjects = [subject for subject in (eager, jitted) if subject is not None]
        if subjects:
            self._measure_pairs(subjects, prefix, noun)
        if not prefix:
            self._do(
                "transfer",
                say("Copying arguments and results"),
                functools.partial(self._measure_beside, forms, jitted),
                left_s=3 * _BESIDE_S,
            )
        if subjects:
            self._do(
                f"{prefix}device",
                say("Recording the device's time of the {noun}", noun=noun),
                functools.partial(self._measure_device_time, subjects),
                left_s=_DEVICE_S * len(subjects),
            )

    def _measure_pairs(self, subjects: list[Subject], prefix: str, noun: str) -> None:
        typical_s = [subject.typical_s for subject in subjects]
        sizes = zip(chunk_sizes(typical_s), typical_s, strict=True)
        round_s = sum(sum(size) * each for size, each in sizes)
        left_s = max(self._plan.budget_s, self._plan.least_rounds * round_s)
        text = say("Timing the {noun}", noun=noun)
        if left_s > 2 * self._plan.budget_s:
            text = say(
                "Timing the {noun}: {least_rounds} pairs take about {duration}; Stop keeps what "
                "there is",
                noun=noun,
                least_rounds=self._plan.least_rounds,
                duration=format_duration(left_s),
            )
        self._do(
            f"{prefix}steady",
            text,
            functools.partial(self._measure_steady, subjects),
            left_s=left_s,
        )

    def _do(
        self, step: str, text: str, part: Callable[[], T], left_s: float | None = None
    ) -> T | None:
        """Do a part of the measurement, which a person may skip; what was sent of it stays."""

        def announced() -> T:
            self._channel.progress(step, text, left_s=left_s, can_skip=True)
            return part()

        result, was_skipped = run_skippable(announced)
        if was_skipped:
            told = say("Skipped by hand: {text}. What it gave is partial.", text=say_clause(text))
            self.warn(told)
        return result

    def _prepare_jitted(self, forms: Forms, prefix: str) -> Subject | None:
        """Time the stages and the first calls; None where the program cannot be compiled."""
        if read_setting("jax_disable_jit"):
            return None
        name = f"{prefix}jit"
        try:
            lowered, arguments = self._time_stages(forms, prefix)
            consumes = is_donating(lowered)
            prepare = (fresh_arguments if consumes else same_arguments)(*arguments)
            subject = Subject(name, forms.jitted, prepare, is_consuming=consumes)
            outcome = Outcome()
            for number, text in (
                ("first", say("The first call after compiling.")),
                ("second", say("The second call after compiling.")),
            ):
                with observed(outcome) if number == "second" else contextlib.nullcontext():
                    span = self._time_once(subject, outcome.keep if number == "second" else None)
                self._send_once(f"{prefix}{number}_call", span, text)
            self._jit_outcome = outcome
            return self._warm_up(subject, span[1] - span[0])
        except (Exception, SystemExit) as error:
            self._note_failure(name, error)
            return None

    def _time_once(self, subject: Subject, keep: Callable[[Any], None] | None = None) -> Span:
        """Beginning and end of one call; `keep` gets its result."""
        total_s = self._stopwatch.time_call(subject, keep)[1]
        return self._stopwatch.last_start_s, self._stopwatch.last_start_s + total_s

    def _send_once(self, name: str, span: Span, protocol: str) -> None:
        self.readings.send(name, [span[1] - span[0]], protocol, span=span)

    def _time_stages(self, forms: Forms, prefix: str) -> tuple[Any, Any]:
        try:
            return self._time_stages_once(forms, prefix), forms.jitted_arguments
        except Exception:
            if not has_python_scalars(forms):
                raise
            boxed = with_static_scalars(forms)
            lowered = self._time_stages_once(boxed, prefix)
            self.warn(say("Python numbers were taken as static, because tracing them raised."))
            return lowered, boxed.jitted_arguments

    def _time_stages_once(self, forms: Forms, prefix: str) -> Any:
        lowered = None
        for item in time_stages(
            forms.jitted, *forms.jitted_arguments, self._stopwatch, self._counter
        ):
            if isinstance(item, StageTime):
                self.readings.send(
                    f"{prefix}{item.name}",
                    [item.seconds],
                    item.protocol,
                    span=item.span,
                    detail=item.detail,
                )
                if item.name == "trace" and self._watch is not None:
                    self._tell(self._watch.find_changes(is_traced=True))
            elif is_empty(item) and not prefix:
                self._judge_not(say("the program computes nothing, so there is nothing to compare"))
            elif is_one_jit(item) and not prefix and not forms.is_unwrapped:
                self._judge_not(
                    say("the program is one jitted function, so its eager run is compiled, too")
                )
            lowered = item
        return lowered

    def _tell(self, differences: Iterable[Difference]) -> None:
        """Eager and compiled calls do different work: say so, and give no verdict."""
        for difference in differences:
            further = say_joined((difference.why, difference.remedy))
            self._judge_not(difference.summary, further)

    def _judge_not(self, why: str, further: str = "") -> None:
        self._why_not = self._why_not or why
        self.warn(say_joined((say("No verdict: {why}.", why=why), further)))

    def _prepare_eager(self, forms: Forms, prefix: str) -> Subject | None:
        """Call the eager form until what it does is known; None where it fails."""
        name = f"{prefix}eager"
        subject = Subject(name, forms.eager, same_arguments(*forms.eager_arguments))
        told = (forms.is_unwrapped, WITHOUT_JIT), (forms.is_transformed, TRANSFORMED)
        subject.detail = say_joined((said(text) for is_so, text in told if is_so), CLAUSES)
        calls = EagerCalls(self._watch, self._jit_outcome)
        compiled_s = self._counter.compiled_s
        try:
            span = calls.make_first(functools.partial(self._time_once, subject))
            if calls.leak is not None:
                self._tell([calls.leak])
                return None
            protocol = say("It compiles each primitive.")
            self._send_once(f"{prefix}first_eager_call", span, protocol)
            # Later calls find the primitives compiled.
            typical_s = max(span[1] - span[0] - (self._counter.compiled_s - compiled_s), 0.0)
            if typical_s <= _SLOWEST_CHECK_S:
                span = calls.make_second(functools.partial(self._time_once, subject))
                typical_s = min(typical_s, span[1] - span[0])  # watching takes time as well
            self._tell(calls.find_differences(is_explained=bool(self._why_not)))
            return self._warm_up(subject, typical_s)
        except (Exception, SystemExit) as error:
            self._tell(calls.changed)  # so the second call may have failed
            self._note_failure(name, error)
            return None

    def _warm_up(self, subject: Subject, typical_s: float) -> Subject:
        """Call until the typical duration is known; a slow call, of which one is known, is warm."""
        if typical_s > _LONGEST_WARM_UP_S / 2:
            subject.typical_s = typical_s
            return subject
        ends_s: list[float] = []
        start_s = self._stopwatch.now_s()
        try:
            longest_s = min(_LONGEST_WARM_UP_S, self._plan.budget_s / 4)
            durations = self._stopwatch.warm_up(subject, _WARM_UP_CALLS, longest_s, ends_s)
        except BaseException:  # a wish to skip or to stop as well
            send_warm_up(self.readings, subject)
            raise
        subject.typical_s = sorted(durations[-20:])[len(durations[-20:]) // 2]
        subject.steady_call = find_steady_call(durations)
        if subject.steady_call:
            calls = subject.steady_call
            protocol = say(
                "The {num} calls after the second one, until a call took as long as later ones.",
                num=calls,
            )
            self.readings.send(
                f"{subject.name}_until_steady",
                [sum(durations[:calls])],
                protocol,
                span=(start_s, ends_s[calls - 1]),
                detail=say_count(calls, "call"),
            )
        subject.num_inner = find_inner_loop(subject.typical_s, is_consuming=subject.is_consuming)
        return subject

    def _check_results(self, subject: Subject, noun: str) -> None:
        args, kwargs = subject.prepare()
        try:
            odd = count_odd(subject.function(*args, **kwargs))
        except (Exception, SystemExit):
            return  # measuring it will fail as well, and say so
        if odd:
            self._odd = odd
            self._judge_not(say("the results of the {noun} have {odd}", noun=noun, odd=str(odd)))

    def _measure_beside(self, forms: Forms, jitted: Subject | None) -> None:
        """Copying both ways, and calls without waiting in between: jitted form only."""
        budget_s = _BESIDE_S
        try:
            send_transfer(self._stopwatch, self.readings, forms.eager_arguments, budget_s)
        except Exception as error:  # arguments that a call used up, say
            self._note_failure("transfer", error)
        if jitted is None:
            return
        try:
            send_fetch(self._stopwatch, self.readings, jitted, budget_s)
            send_throughput(self._stopwatch, self.readings, jitted, budget_s)
        except (Exception, SystemExit) as error:
            self._note_failure("throughput", error)

    def _measure_device_time(self, subjects: list[Subject]) -> None:
        """For how long calls keep the device at work, by XLA's recorder: other calls than those."""
        for subject in subjects:
            if subject.name in self.readings.names:
                problem = send_device_time(self._stopwatch, self.readings, subject, _DEVICE_S)
                if problem:
                    self.warn(problem)

    def _measure_steady(self, subjects: list[Subject]) -> None:
        rounds = Rounds(tuple(CallDurations() for _ in subjects))
        failure: SubjectFailed | None = None
        told_s = -math.inf

        def tell(rounds: Rounds) -> None:
            """So that a first result is there at once, and gets better."""
            nonlocal told_s
            if self._stopwatch.now_s() - told_s > _TELL_EVERY_S:
                self.tell_conditions()
                self._send_rounds(subjects, rounds)
                told_s = self._stopwatch.now_s()

        try:
            self._stopwatch.measure(
                subjects,
                rounds,
                budget_s=self._plan.budget_s,
                typical_s=max(subject.typical_s for subject in subjects),
                least_rounds=self._plan.least_rounds,
                precision=self._plan.precision,
                on_round=tell,
            )
        except SubjectFailed as error:
            failure = error
        finally:
            self.process.tell_new()
            self.tell_conditions()
            self._send_rounds(subjects, rounds)
            for subject in subjects:
                send_warm_up(self.readings, subject)
        if failure is not None:
            self._note_failure(failure.name, failure)
        for subject, recording in zip(subjects, rounds.sides, strict=True):
            faults = median(recording.page_faults or [0])
            if are_many_page_faults(faults, median(recording.total_s or [0.0])):
                self._fetching.append((subject, faults))
            if recording.num_compilations:
                self.warn(
                    say(
                        "{name} traced or compiled {num} times while it was measured: its "
                        "durations include that.",
                        name=subject.name,
                        num=recording.num_compilations,
                    )
                )

    def _send_rounds(self, subjects: list[Subject], rounds: Rounds) -> None:
        now_s = self._stopwatch.now_s()
        send_rounds(self.readings, subjects, rounds, self._plan.budget_s, now_s)
        send_ratio(self._channel, subjects, rounds, self._why_not)

    def _note_failure(self, name: str, error: BaseException) -> None:
        """Keep why a form could not be measured, and say so beside what was."""
        call_number = error.call_number if isinstance(error, SubjectFailed) else 0
        cause = error.__cause__ if isinstance(error, SubjectFailed) else error
        if isinstance(cause, JaxscopeError):
            explanation = cause.explanation
        else:
            _, explanation = explain_exception(cause or error, self._user_files, stage="run")
        self._failure = self._failure or explanation
        is_warm = {name, f"{name}_warm_up"} & self.readings.names == {f"{name}_warm_up"}
        fate = describe_failed_form(call_number, has_only_warm_up=is_warm)
        told: str = say("{name} {fate}", name=name, fate=fate)
        if explanation.where:
            told = say("{told} ({interval})", told=told, interval=explanation.where)
        why = say_joined((explanation.what, first_line(explanation.why)))
        self.warn(say(NAMED, name=told, meaning=why))
