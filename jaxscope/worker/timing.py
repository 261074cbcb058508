"""Answer a `time` request: eager against jitted, value and gradient, and what compiling costs.

Everything measured is sent as soon as it is known, and the running pairs at each look; so a crash,
a stop or a failure at the 57th call loses only what came after. Raw durations are sent: the
other side does the statistics. A later message of the same name replaces an earlier one.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from random import Random
from time import perf_counter
from typing import Any

import jax
import numpy as np

from jaxscope.errors import Explanation, TraceError
from jaxscope.worker.call import parse_call
from jaxscope.worker.channel import Channel
from jaxscope.worker.conditions import Conditions, find_warnings, read_setting
from jaxscope.worker.environment import describe_environment
from jaxscope.worker.explain import explain_exception, guard
from jaxscope.worker.loading import first_call, load_names
from jaxscope.worker.measuring import refuse_absent_target
from jaxscope.worker.side_timing import (
    FETCH_PROTOCOL,
    THROUGHPUT_PROTOCOL,
    count_odd,
    fetch_subject,
    find_batch,
    time_batches,
)
from jaxscope.worker.stages_timing import (
    CompilationCounter,
    StageTime,
    fresh_arguments,
    is_donating,
    is_empty,
    is_one_jit,
    same_arguments,
    time_stages,
    transfer_subject,
)
from jaxscope.worker.stopwatch import (
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

DEFAULT_BUDGET_S = 5.0
"""Seconds for all that is measured; compiling comes on top."""
_PAIRS_SHARE = 0.8
"""Of the budget, for the pairs; warming up and copying take the rest."""
_WARM_UP_CALLS = 200
_SLOWEST_FIRST_CALL = 10
"""A first eager call that takes so many budgets ends the measurement of the eager form."""
_TRANSFER_PROTOCOL = (
    "The arguments, handed from the host to the device. A CPU may share the memory and not copy."
)
_SLOWEST_GRADIENT_S = 30.0
"""A gradient that took longer, compiling included, is not measured once more with its value."""
_block = jax.block_until_ready


def handle_time(request: dict[str, Any], channel: Channel) -> None:
    """Measure the call of a request and send what was measured.

    Raises:
        JaxscopeError: The file or the call is wrong, the target cannot run programs, or nothing at
            all could be measured.
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
    channel.send("timed", {"call": call.text, "environment": describe_environment()})
    session = _Session(channel, pairs_s / 3 if is_plain else pairs_s, (snapshot.path,))
    session.send("import", [import_s], "Once: the file itself, and the start of JAX's backend.")
    with channel.quiet():
        for warning in find_warnings():
            session.warn(warning)
        with guard("call", {snapshot.path}):
            forms = find_forms(call)
        session.measure_program(forms, "")
        if is_plain:
            session.measure_gradient(forms)
    session.raise_if_nothing_was_measured()


class _Session:
    """The measurements of one request, with a budget in seconds for each pair."""

    def __init__(self, channel: Channel, budget_s: float, user_files: tuple[str, ...]) -> None:
        self._channel = channel
        self._budget_s = budget_s
        self._user_files = user_files
        self._counter = CompilationCounter()
        self._stopwatch = Stopwatch(_block, rng=Random(), count_compilations=self._counter)
        self._sent: set[str] = set()
        self._failure: Explanation | None = None
        self._is_judged = True

    def warn(self, text: str) -> None:
        self._channel.send("warning", {"text": text})

    def raise_if_nothing_was_measured(self) -> None:
        """Raises: TraceError: Neither form of the program could be run."""
        if self._failure is not None and not self._sent & {"eager", "jit"}:
            raise TraceError(self._failure)

    def measure_gradient(self, forms: Forms) -> None:
        """Measure the gradient, then value and gradient together, where there is one."""
        gradient = find_gradient_forms(forms)
        if gradient is None:
            return
        start_s = self._stopwatch.now_s()
        self.measure_program(gradient, "gradient_")
        spent_s = self._stopwatch.now_s() - start_s
        if "gradient_jit" not in self._sent:
            return
        if spent_s > _SLOWEST_GRADIENT_S:
            self.warn(
                f"Value and gradient together were left out: the gradient took {spent_s:.0f} s."
            )
            return
        both = find_gradient_forms(forms, with_value=True)
        if both is not None:
            self.measure_program(both, "value_and_gradient_")

    def measure_program(self, forms: Forms, prefix: str) -> None:
        """Measure one program in both forms; `prefix` goes before the names."""
        jitted = self._prepare_jitted(forms, prefix)
        if not prefix:
            self._measure_transfer(forms)
            if jitted is not None:
                self._measure_beside(jitted)
                self._check_results(jitted)
        if prefix and jitted is None:
            return  # what cannot be differentiated fails eagerly as well
        eager = self._prepare_eager(forms, prefix)
        subjects = [subject for subject in (eager, jitted) if subject is not None]
        if subjects:
            self._measure_steady(subjects, prefix)

    def _prepare_jitted(self, forms: Forms, prefix: str) -> Subject | None:
        """Time the stages and the first calls; None where the program cannot be compiled."""
        if read_setting("jax_disable_jit"):
            return None
        self._channel.progress(f"{prefix}compile", f"Compiling the {_noun(prefix)}")
        name = f"{prefix}jit"
        try:
            lowered, arguments = self._time_stages(forms, prefix)
            consumes = is_donating(lowered)
            prepare = (fresh_arguments if consumes else same_arguments)(*arguments)
            subject = Subject(name, forms.jitted, prepare, is_consuming=consumes)
            first = self._stopwatch.time_call(subject)[1]
            second = self._stopwatch.time_call(subject)[1]
            if not prefix:
                self.send("first_call", [first], "The first call after compiling.")
                self.send("second_call", [second], "The second call after compiling.")
            return self._warm_up(subject)
        except (Exception, SystemExit) as error:
            self._note_failure(name, error)
            return None

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
                self.send(f"{prefix}{item.name}", [item.seconds], item.protocol)
            elif is_empty(item) and not prefix:
                self._is_judged = False
                self.warn("The program computes nothing, so there is nothing to compare.")
            elif is_one_jit(item) and not prefix:
                self.warn("The program is one jitted function, so its eager run is compiled, too.")
            lowered = item
        return lowered

    def _prepare_eager(self, forms: Forms, prefix: str) -> Subject | None:
        """Call the eager form for the first time; None where it fails or is too slow."""
        name = f"{prefix}eager"
        self._channel.progress(name, f"Running the {_noun(prefix)} equation by equation")
        subject = Subject(name, forms.eager, same_arguments(*forms.eager_arguments))
        try:
            first = self._stopwatch.time_call(subject)[1]
            if not prefix:
                self.send("first_eager_call", [first], "It compiles each primitive.")
            calls = ("first", first)
            if first <= _SLOWEST_FIRST_CALL * self._budget_s:
                calls = ("second", self._stopwatch.time_call(subject)[1])
            if calls[1] > self._budget_s:
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
        durations = self._stopwatch.warm_up(subject, _WARM_UP_CALLS, self._budget_s / 4)
        subject.typical_s = sorted(durations[-20:])[len(durations[-20:]) // 2]
        subject.steady_call = find_steady_call(durations)
        if subject.steady_call:
            calls = subject.steady_call
            spent = sum(durations[:calls])
            protocol = f"The {calls} calls after the second one, until a call took as long as later"
            self.send(f"{subject.name}_until_steady", [spent], f"{protocol} ones.")
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

    def _measure_transfer(self, forms: Forms) -> None:
        subject = transfer_subject(*forms.eager_arguments)
        if subject is None:
            return
        self._channel.progress("transfer", "Copying the arguments to the device")
        durations = self._stopwatch.warm_up(subject, 20, self._budget_s / 8)
        kept = durations[1:] or durations
        self.send("transfer", kept, _TRANSFER_PROTOCOL)

    def _measure_beside(self, subject: Subject) -> None:
        """Copying the results back, and calls without waiting in between: jitted form only."""
        try:
            fetched = self._stopwatch.warm_up(fetch_subject(subject), 20, self._budget_s / 8)
            self.send("fetch", fetched[1:] or fetched, FETCH_PROTOCOL)
            batch = find_batch(subject.typical_s)
            readings = time_batches(self._stopwatch, subject, batch, self._budget_s / 8)
            self.send("throughput", readings, THROUGHPUT_PROTOCOL.format(batch=batch))
        except (Exception, SystemExit) as error:
            self._note_failure("throughput", error)

    def _measure_steady(self, subjects: list[Subject], prefix: str) -> None:
        self._channel.progress(f"{prefix}steady", f"Timing the {_noun(prefix)}")
        conditions = Conditions()
        rounds = Rounds(tuple(Recording() for _ in subjects))
        send = functools.partial(self._send_rounds, subjects, prefix)
        try:
            self._stopwatch.measure(
                subjects,
                rounds,
                budget_s=self._budget_s,
                typical_s=max(subject.typical_s for subject in subjects),
                on_look=send,
            )
        except SubjectFailed as error:
            self._note_failure(error.name, error)
        finally:
            send(rounds, conditions.find_disturbances())
        for subject, recording in zip(subjects, rounds.sides, strict=True):
            if recording.num_compilations:
                self.warn(
                    f"{subject.name} traced or compiled {recording.num_compilations} times while "
                    f"it was measured: its durations include that."
                )

    def _send_rounds(
        self,
        subjects: list[Subject],
        prefix: str,
        rounds: Rounds,
        reasons: Iterable[str] = (),
    ) -> None:
        reasons = list(reasons)
        for subject, recording in zip(subjects, rounds.sides, strict=True):
            protocol = _describe_protocol(subject, rounds, self._budget_s, paired=len(subjects) > 1)
            for name, durations in (
                (subject.name, recording.total_s),
                (_dispatch_name(subject.name), recording.dispatch_s),
            ):
                self.send(name, durations, protocol, recording.chunks, reasons)
        if len(subjects) == 2 and rounds.log_values:
            ratios = np.asarray(rounds.log_values, np.float64)
            name = f"{subjects[0].name}/{subjects[1].name}"
            fields = {"name": name, "is_judged": self._is_judged}
            self._channel.send("ratio", fields, {"log_ratios": ratios})

    def send(
        self,
        name: str,
        durations: list[float],
        protocol: str,
        chunks: list[int] | None = None,
        reasons: Iterable[str] = (),
    ) -> None:
        """Send the durations of calls, if there are any; each is its own chunk without `chunks`."""
        if not durations:
            return
        self._sent.add(name)
        numbers = range(len(durations)) if chunks is None else chunks
        self._channel.send(
            "measurement",
            {"name": name, "protocol": protocol, "reasons": list(reasons)},
            {
                "seconds": np.asarray(durations, np.float64),
                "chunks": np.asarray(numbers, np.int32),
            },
        )

    def _note_failure(self, name: str, error: BaseException) -> None:
        """Keep why a form could not be measured, and say so beside what was."""
        call_number = error.call_number if isinstance(error, SubjectFailed) else 0
        cause = error.__cause__ if isinstance(error, SubjectFailed) else error
        _, explanation = explain_exception(cause or error, self._user_files, stage="run")
        self._failure = self._failure or explanation
        place = f" at call {call_number}" if call_number > 1 else ""
        where = f" ({explanation.where})" if explanation.where else ""
        why = f" {explanation.why.splitlines()[0][:300]}" if explanation.why else ""
        self.warn(f"{name} could not be measured{place}{where}: {explanation.what}{why}")


def _noun(prefix: str) -> str:
    return prefix.removesuffix("_").replace("_", " ") or "program"


def _dispatch_name(name: str) -> str:
    """Of `jit` it is `dispatch`; of `gradient_eager` it is `gradient_eager_dispatch`."""
    return "dispatch" if name == "jit" else f"{name}_dispatch"


def _describe_protocol(subject: Subject, rounds: Rounds, budget_s: float, *, paired: bool) -> str:
    how = "in random pairs of" if paired else "in"
    unit = f"chunks of {rounds.num_per_chunk}" if rounds.num_per_chunk > 1 else "single calls"
    steady = (
        f" Steady from call {subject.steady_call + 3} on."
        if subject.steady_call is not None
        else ""
    )
    ends = {"precise": " Precise within 2 %.", "budget": f" Ended at the budget of {budget_s:g} s."}
    each = (
        f"Calls so fast that {subject.num_inner} were timed together" if subject.num_inner > 1
        else "Each call timed by itself"
    )  # fmt: skip
    return (
        f"{each} until its result was ready, {how} {unit}, the first calls of "
        f"each left out, garbage collector off.{steady}{ends.get(rounds.stopped, '')}"
    )
