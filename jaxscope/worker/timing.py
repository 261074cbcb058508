"""Answer a `time` request: eager against jitted, value and gradient, and what compiling costs.

Everything measured is sent as soon as it is known, and the running pairs at each look; so a crash,
a stop or a failure at the 57th call loses only what came after. Raw durations are sent: the
other side does the statistics. A later message of the same name replaces an earlier one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from random import Random
from time import perf_counter
from typing import Any, TypeVar

import jax

from jaxscope.errors import Explanation, TraceError
from jaxscope.worker.call import parse_call
from jaxscope.worker.channel import Channel
from jaxscope.worker.conditions import (
    Conditions,
    ProcessWarnings,
    describe_machine,
    read_setting,
)
from jaxscope.worker.explain import explain_exception, guard
from jaxscope.worker.loading import first_call, load_names
from jaxscope.worker.measuring import refuse_absent_target
from jaxscope.worker.readings import Readings, Span
from jaxscope.worker.side_timing import (
    count_odd,
    send_device_time,
    send_fetch,
    send_throughput,
    send_transfer,
)
from jaxscope.worker.skipping import run_skippable
from jaxscope.worker.stages_timing import (
    CompilationCounter,
    StageTime,
    fresh_arguments,
    is_donating,
    is_empty,
    is_one_jit,
    same_arguments,
    time_stages,
)
from jaxscope.worker.steady_timing import send_ratio, send_rounds, send_warm_up
from jaxscope.worker.stopwatch import (
    OVERTIME,
    Recording,
    Rounds,
    Stopwatch,
    Subject,
    SubjectFailed,
    find_inner_loop,
    find_steady_call,
)
from jaxscope.worker.subjects import (
    Forms,
    find_forms,
    find_gradient_forms,
    has_python_scalars,
    with_static_scalars,
)
from jaxscope.worker.timing_words import describe_fate, noun_of

T = TypeVar("T")

DEFAULT_BUDGET_S = 5.0
"""Seconds for all that is measured; compiling comes on top."""
_PAIRS_SHARE = 0.8
"""Of the budget, for the pairs; warming up and copying take the rest."""
_WARM_UP_CALLS = 200
_DEVICE_SHARE = 0.1
"""Of the budget of a pair, for recording each side's time on the device."""
_SLOWEST_FIRST_CALL = 10
"""A first eager call that takes so many budgets ends the measurement of the eager form."""
_SLOWEST_GRADIENT_S = 30.0
"""A gradient that took longer, compiling included, is not measured once more with its value."""
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
    with guard("call", {snapshot.path}):
        call = parse_call(text, names, file=snapshot.path)
    is_plain = all(level.name == "jit" for level in call.levels)
    pairs_s = float(request.get("budget_s") or DEFAULT_BUDGET_S) * _PAIRS_SHARE
    channel.send("timed", {"call": call.text, "environment": describe_machine()})
    session = _Session(channel, pairs_s / 3 if is_plain else pairs_s, (snapshot.path,), start_s)
    session.readings.send(
        "import",
        [import_s],
        "Once: the file itself, and the start of JAX's backend.",
        span=(start_s, start_s + import_s),
    )
    with channel.quiet():
        session.process.tell_new()
        with guard("call", {snapshot.path}):
            forms = find_forms(call)
        session.measure_program(forms, "")
        if is_plain:
            session.measure_gradient(forms)
    session.raise_if_nothing_was_measured()


class _Session:
    """The measurements of one request, with a budget in seconds for each pair.

    Attributes:
        readings: Where they are sent to.
        process: Tells what about this process changes durations.
    """

    def __init__(
        self, channel: Channel, budget_s: float, user_files: tuple[str, ...], start_s: float
    ) -> None:
        self.readings = Readings(channel, start_s)
        self._channel = channel
        self._budget_s = budget_s
        self._user_files = user_files
        self._counter = CompilationCounter()
        self._stopwatch = Stopwatch(_block, rng=Random(), count_compilations=self._counter)
        self._failure: Explanation | None = None
        self._is_judged, self._is_slow = True, False
        self.process = ProcessWarnings(self.warn)

    def warn(self, text: str) -> None:
        self._channel.send("warning", {"text": text})

    def raise_if_nothing_was_measured(self) -> None:
        """Raises: TraceError: Neither form of the program runs; a slow one does."""
        is_measured = self._is_slow or self.readings.names & {"eager", "jit"}
        if self._failure is not None and not is_measured:
            raise TraceError(self._failure)

    def measure_gradient(self, forms: Forms) -> None:
        """Measure the gradient, then value and gradient together, where there is one."""
        gradient = find_gradient_forms(forms)
        if gradient is None:
            return
        start_s = self._stopwatch.now_s()
        self.measure_program(gradient, "gradient_")
        spent_s = self._stopwatch.now_s() - start_s
        if "gradient_jit" not in self.readings.names:
            return
        if spent_s > _SLOWEST_GRADIENT_S:
            self.warn(
                f"Value and gradient together were left out: the gradient took {spent_s:.0f} s."
            )
            return
        if (both := find_gradient_forms(forms, with_value=True)) is not None:
            self.measure_program(both, "value_and_gradient_")

    def measure_program(self, forms: Forms, prefix: str) -> None:
        """Measure one program in both forms; `prefix` goes before the names."""
        noun = noun_of(prefix)
        jitted = self._do(
            f"{prefix}compile",
            f"Compiling the {noun}",
            functools.partial(self._prepare_jitted, forms, prefix),
        )
        if not prefix:
            self._do(
                "transfer",
                "Copying arguments and results",
                functools.partial(self._measure_beside, forms, jitted, self._budget_s / 8),
                left_s=self._budget_s * 3 / 8,
            )
            if jitted is not None:
                self._check_results(jitted)
        if prefix and jitted is None:
            return  # what cannot be differentiated fails eagerly as well
        eager = self._do(
            f"{prefix}eager",
            f"Running the {noun} equation by equation",
            functools.partial(self._prepare_eager, forms, prefix),
        )
        subjects = [subject for subject in (eager, jitted) if subject is not None]
        if not subjects:
            return
        self._do(
            f"{prefix}steady",
            f"Timing the {noun}",
            functools.partial(self._measure_steady, subjects),
            left_s=max(OVERTIME * self._budget_s, 2 * sum(each.typical_s for each in subjects)),
        )
        self._do(
            f"{prefix}device",
            f"Recording the device's time of the {noun}",
            functools.partial(self._measure_device_time, subjects),
            left_s=_DEVICE_SHARE * self._budget_s * len(subjects),
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
            self.warn(f"Skipped by hand: {text[:1].lower()}{text[1:]}. What it gave is partial.")
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
            for number in ("first", "second"):
                text = f"The {number} call after compiling."
                self._send_once(f"{prefix}{number}_call", self._time_once(subject), text)
            return self._warm_up(subject)
        except (Exception, SystemExit) as error:
            self._note_failure(name, error)
            return None

    def _time_once(self, subject: Subject) -> Span:
        """Beginning and end of one call."""
        total_s = self._stopwatch.time_call(subject)[1]
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
            self.warn("Python numbers were taken as static, because tracing them raised.")
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
            elif is_empty(item) and not prefix:
                self._is_judged = False
                self.warn("The program computes nothing, so there is nothing to compare.")
            elif is_one_jit(item) and not prefix and not forms.is_unwrapped:
                self.warn("The program is one jitted function, so its eager run is compiled, too.")
            lowered = item
        return lowered

    def _prepare_eager(self, forms: Forms, prefix: str) -> Subject | None:
        """Call the eager form for the first time; None where it fails or is too slow."""
        name = f"{prefix}eager"
        subject = Subject(name, forms.eager, same_arguments(*forms.eager_arguments))
        try:
            span = self._time_once(subject)
            first = span[1] - span[0]
            self._send_once(f"{prefix}first_eager_call", span, "It compiles each primitive.")
            calls = ("first", first)
            if first <= _SLOWEST_FIRST_CALL * self._budget_s:
                calls = ("second", self._stopwatch.time_call(subject)[1])
            if calls[1] > self._budget_s:
                self._is_slow = True
                self.warn(
                    f"{name} was not measured: its {calls[0]} call took {calls[1]:.3g} s, too long "
                    f"for {self._budget_s:.3g} s, its share of the budget."
                )
                return None
            return self._warm_up(subject)
        except (Exception, SystemExit) as error:
            self._note_failure(name, error)
            return None

    def _warm_up(self, subject: Subject) -> Subject:
        ends_s: list[float] = []
        start_s = self._stopwatch.now_s()
        try:
            durations = self._stopwatch.warm_up(subject, _WARM_UP_CALLS, self._budget_s / 4, ends_s)
        except BaseException:  # a wish to skip or to stop as well
            send_warm_up(self.readings, subject)
            raise
        subject.typical_s = sorted(durations[-20:])[len(durations[-20:]) // 2]
        subject.steady_call = find_steady_call(durations)
        if subject.steady_call:
            calls = subject.steady_call
            protocol = f"The {calls} calls after the second one, until a call took as long as later"
            self.readings.send(
                f"{subject.name}_until_steady",
                [sum(durations[:calls])],
                f"{protocol} ones.",
                span=(start_s, ends_s[calls - 1]),
                detail=f"{calls} calls",
            )
        subject.num_inner = find_inner_loop(subject.typical_s, is_consuming=subject.is_consuming)
        return subject

    def _check_results(self, subject: Subject) -> None:
        args, kwargs = subject.prepare()
        try:
            odd = count_odd(subject.function(*args, **kwargs))
        except (Exception, SystemExit):
            return  # measuring it will fail as well, and say so
        if odd:
            self._is_judged = False
            self.warn(f"The results have {odd:,} NaN or infinite elements: no verdict is given.")

    def _measure_beside(self, forms: Forms, jitted: Subject | None, budget_s: float) -> None:
        """Copying both ways, and calls without waiting in between: jitted form only."""
        send_transfer(self._stopwatch, self.readings, forms.eager_arguments, budget_s)
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
                share_s = _DEVICE_SHARE * self._budget_s
                problem = send_device_time(self._stopwatch, self.readings, subject, share_s)
                if problem:
                    self.warn(problem)

    def _measure_steady(self, subjects: list[Subject]) -> None:
        conditions = Conditions()
        rounds = Rounds(tuple(Recording() for _ in subjects))
        send = functools.partial(self._send_rounds, subjects)
        failure: SubjectFailed | None = None
        try:
            self._stopwatch.measure(
                subjects,
                rounds,
                budget_s=self._budget_s,
                typical_s=max(subject.typical_s for subject in subjects),
                on_look=send,
            )
        except SubjectFailed as error:
            failure = error
        finally:
            self.process.tell_new()
            send(rounds, conditions.find_disturbances())
            for subject in subjects:
                send_warm_up(self.readings, subject)
        if failure is not None:
            self._note_failure(failure.name, failure)
        for subject, recording in zip(subjects, rounds.sides, strict=True):
            if recording.num_compilations:
                self.warn(
                    f"{subject.name} traced or compiled {recording.num_compilations} times while "
                    f"it was measured: its durations include that."
                )

    def _send_rounds(
        self, subjects: list[Subject], rounds: Rounds, reasons: Iterable[str] = ()
    ) -> None:
        now_s = self._stopwatch.now_s()
        send_rounds(self.readings, subjects, rounds, self._budget_s, now_s, reasons)
        send_ratio(self._channel, subjects, rounds, is_judged=self._is_judged)

    def _note_failure(self, name: str, error: BaseException) -> None:
        """Keep why a form could not be measured, and say so beside what was."""
        call_number = error.call_number if isinstance(error, SubjectFailed) else 0
        cause = error.__cause__ if isinstance(error, SubjectFailed) else error
        _, explanation = explain_exception(cause or error, self._user_files, stage="run")
        self._failure = self._failure or explanation
        where = f" ({explanation.where})" if explanation.where else ""
        why = f" {explanation.why.splitlines()[0][:300]}" if explanation.why else ""
        is_warm = {name, f"{name}_warm_up"} & self.readings.names == {f"{name}_warm_up"}
        fate = describe_fate(call_number, has_only_warm_up=is_warm)
        self.warn(f"{name} {fate}{where}: {explanation.what}{why}")
