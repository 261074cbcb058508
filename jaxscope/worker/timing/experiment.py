"""What every experiment starts with: a loaded call, compiled forms, a stopwatch, and a place to say
what was found.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import jax
import numpy as np

from jaxscope.errors import EnvironmentProblem
from jaxscope.late_dataclass import dataclass
from jaxscope.model.said import say, say_joined
from jaxscope.model.targets import is_absent
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.explain import explain_exception
from jaxscope.worker.stages.hlo_cost import instruction_costs, module_cost
from jaxscope.worker.timing.conditions import Conditions, ProcessWarnings, describe_machine
from jaxscope.worker.timing.forms import Forms, has_python_scalars, with_static_scalars
from jaxscope.worker.timing.stages_and_transfers import (
    CompilationCounter,
    StageTime,
    fresh_arguments,
    is_donating,
    is_empty,
    same_arguments,
    start_jax,
    time_stages,
)
from jaxscope.worker.timing.stopwatch import (
    CallDurations,
    Rounds,
    Stopwatch,
    Subject,
    find_inner_loop,
    find_steady_call,
)

_LOOP = re.compile(r" = [^\n]* while\(")  # the type before it may hold `/*index=5*/`
_LARGEST_MODULE_BYTES = 32 << 20
_WARM_UP_CALLS = 200
_LEAST_WARM_UP_CALLS = 5
_block = jax.block_until_ready


@dataclass(eq=False)
class Laboratory:
    """What an experiment measures with, and where it says what it found.

    Attributes:
        channel: To the client.
        stopwatch: With the clock bound before user code ran.
        counter: Counts traces and compilations.
        user_files: Paths whose lines explanations name.
        conditions: Watches how busy the machine is.
    """

    channel: Channel
    stopwatch: Stopwatch
    counter: CompilationCounter
    user_files: tuple[str, ...]
    conditions: Conditions

    def tell_conditions(self) -> None:
        """Send how busy the machine was so far."""
        self.channel.send("conditions", self.conditions.numbers())

    def warn(self, text: str) -> None:
        """Send a warning that is shown beside the result."""
        self.channel.send("warning", {"text": text})

    def describe(self, error: BaseException) -> str:
        """One sentence about what the user's code or JAX raised."""
        cause = error.__cause__ or error
        _, explanation = explain_exception(cause, self.user_files, stage="run")
        told: str = explanation.what
        if explanation.where:
            told = say("{told} ({interval})", told=told, interval=explanation.where)
        return say_joined((told, first_line(explanation.why)))


def first_line(text: str) -> str:
    """A short text as it is; of another one its first line, without a template."""
    first = text.splitlines()[0][:300] if text else ""
    return text if text == first else first


@contextmanager
def open_laboratory(
    channel: Channel, call: str, user_files: tuple[str, ...]
) -> Iterator[Laboratory]:
    """Announce what is measured, quieten the worker, and say what disturbs from the start."""
    counter = CompilationCounter()
    stopwatch = Stopwatch(_block, rng=Random(), count_compilations=counter)
    channel.send("timed", {"call": call, "environment": describe_machine()})
    with channel.quiet():
        start_jax(stopwatch)
        laboratory = Laboratory(channel, stopwatch, counter, user_files, Conditions())
        warnings = ProcessWarnings(laboratory.warn)
        warnings.tell_new()
        try:
            yield laboratory
        finally:
            laboratory.tell_conditions()
        warnings.tell_new()


def refuse_absent_target(request: dict[str, Any]) -> None:
    """Raises: EnvironmentProblem: Nothing runs on the target, so nothing can be measured."""
    target = str(request.get("target") or "cpu")
    if is_absent(target):
        raise EnvironmentProblem(
            say(
                "Programs for {target} are compiled only: nothing runs that could be timed.",
                target=target,
            ),
            remedy=say("Time it on a device that is here, such as --target cpu."),
            kind="NothingRuns",
        )


@dataclass(frozen=True, eq=False)
class CompiledForm:
    """A compiled form, ready to be called.

    Attributes:
        subject: Calls it, with fresh arguments where it consumes them.
        stages: What tracing, lowering and compiling took.
        lowered: The `jax.stages.Lowered`.
        executable: The `jax.stages.Compiled`.
        is_empty: Whether the program computes nothing.
    """

    subject: Subject
    stages: tuple[StageTime, ...]
    lowered: Any
    executable: Any
    is_empty: bool = False


def compile_form(laboratory: Laboratory, forms: Forms, name: str) -> CompiledForm:
    """Trace, lower, compile, each timed; Python numbers become static where tracing them raises.

    Raises:
        Exception: Whatever the user's code or the compiler raises.
    """
    try:
        return _compile_once(laboratory, forms, name)
    except Exception:
        if not has_python_scalars(forms):
            raise
        return _compile_once(laboratory, with_static_scalars(forms), name)


def warm_up(laboratory: Laboratory, subject: Subject, budget_s: float) -> Subject:
    """Call until the typical duration of a call is known.

    A first call may take the whole budget, since it does what later ones need not, or was
    interrupted: where there were few calls, they are not believed.
    """
    durations = laboratory.stopwatch.warm_up(subject, _WARM_UP_CALLS, budget_s)
    if len(durations) < _LEAST_WARM_UP_CALLS:
        durations = laboratory.stopwatch.warm_up(subject, _WARM_UP_CALLS, budget_s)
    last = durations[-20:]
    subject.typical_s = sorted(last)[len(last) // 2]
    subject.steady_call = find_steady_call(durations)
    subject.num_inner = find_inner_loop(subject.typical_s, is_consuming=subject.is_consuming)
    return subject


def measure_together(
    laboratory: Laboratory, subjects: list[Subject], budget_s: float
) -> tuple[Rounds, BaseException | None]:
    """Measure one or two warm subjects; what raised in the middle leaves what was measured."""
    rounds = Rounds(tuple(CallDurations() for _ in subjects))
    failure: BaseException | None = None
    try:
        laboratory.stopwatch.measure(
            subjects,
            rounds,
            budget_s=budget_s,
            typical_s=max(subject.typical_s for subject in subjects),
        )
    except Exception as error:
        failure = error
    return rounds, failure


def _compile_once(laboratory: Laboratory, forms: Forms, name: str) -> CompiledForm:
    stages: list[StageTime] = []
    executable = lowered = None
    computes_nothing = False
    for item in time_stages(
        forms.jitted, *forms.jitted_arguments, laboratory.stopwatch, laboratory.counter
    ):
        if isinstance(item, StageTime):
            stages.append(item)
        else:
            computes_nothing = computes_nothing or is_empty(item)
            executable, lowered = lowered, item
    consumes = is_donating(lowered)
    prepare = (fresh_arguments if consumes else same_arguments)(*forms.jitted_arguments)
    subject = Subject(name, forms.jitted, prepare, is_consuming=consumes)
    return CompiledForm(subject, tuple(stages), lowered, executable, computes_nothing)


@dataclass(frozen=True, eq=False)
class ProgramCosts:
    """What a compiled program takes besides time.

    Attributes:
        numbers: `flops`, `bytes_accessed` and `memory`; NaN where unknown.
        columns: Where XLA does not count the program as a whole: its module, and the cost of each
            of its instructions, from which the client counts loops as often as they run.
    """

    numbers: dict[str, float]
    columns: dict[str, Any]


def read_costs(compiled: CompiledForm) -> ProgramCosts:
    """FLOPs, bytes and memory of the compiled program.

    Of a program with a loop, work and traffic are none of XLA's: it counts the body once.
    """
    executable = compiled.executable
    module = compat.optimized_module_of(executable)
    flops = bytes_accessed = math.nan
    if not _LOOP.search(module.to_string()):
        flops, bytes_accessed, _ = module_cost(compat.cpu_client(), module)
    columns = {}
    if math.isnan(flops) or math.isnan(bytes_accessed):
        proto: bytes = module.as_serialized_hlo_module_proto()
        if len(proto) <= _LARGEST_MODULE_BYTES:
            costs = instruction_costs(proto, client=compat.cpu_client())
            columns = {"hlo": np.frombuffer(proto, np.uint8), "instruction_cost": costs}
    try:
        memory = executable.memory_analysis()
        num_bytes = float(
            memory.argument_size_in_bytes
            + memory.output_size_in_bytes
            + memory.temp_size_in_bytes
            - memory.alias_size_in_bytes
        )
    except Exception:  # some backends have no such analysis, each in its own way
        num_bytes = math.nan
    numbers = {"flops": flops, "bytes_accessed": bytes_accessed, "memory": num_bytes}
    return ProgramCosts(numbers, columns)
