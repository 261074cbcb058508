"""Answer `compare` and `side` requests: two programs with their settings, measured in random pairs
in one process or in turns from two, and their results.

Types, precision, donation, remat and XLA's options can differ between two programs of one process.
What cannot (number of devices, environment variables, interpreter) is set where the process starts:
then each program has a process (`side`), the client names whose turn it is, and hands the results
of one to the other to be compared.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.errors import CallError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.experiments import CAST_DTYPES, POLICIES
from jaxscope.model.outline import DERIVATIVES
from jaxscope.model.said import say, say_joined, template
from jaxscope.wire.messages import Message
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.explain import guard
from jaxscope.worker.host.arguments import ALL, find_array_places, is_traceable
from jaxscope.worker.host.call import Call, call_namespace, parse_call
from jaxscope.worker.host.source import read_source
from jaxscope.worker.host.user_module import execute_file
from jaxscope.worker.stages.call_loader import first_call, load_names
from jaxscope.worker.stages.nonfinite import count_odd, find_origin_of
from jaxscope.worker.stages.remat import with_remat
from jaxscope.worker.timing.agreement import compare_arrays, plain, send_results
from jaxscope.worker.timing.experiment import (
    CompiledForm,
    Laboratory,
    ProgramCosts,
    compile_form,
    measure_together,
    open_laboratory,
    read_costs,
    refuse_absent_target,
    warm_up,
)
from jaxscope.worker.timing.forms import Forms, find_forms, with_donation, with_settings
from jaxscope.worker.timing.measurement_sender import WARM_UP, describe_turns
from jaxscope.worker.timing.stages_and_transfers import fresh_arguments
from jaxscope.worker.timing.stopwatch import SubjectFailed, gc_paused

AS_WRITTEN = ""
NONE = "none"
_COMPLEX = {"float32": "complex64", "float64": "complex128"}


@dataclass(frozen=True, slots=True)
class ProgramSettings:
    """What a program is made with; empty means: as the file has it.

    Attributes:
        precision: Of matrix products, as JAX names it.
        options: XLA's compiler options, name to value.
        dtype: One of `CAST_DTYPES`: floating-point arrays among the arguments are cast to it; with
            `float64` 64-bit types are on for this program.
        donate: Names of arguments whose buffers are given away, joined by `+`; `all` or `none`.
        remat: One of `POLICIES`: the base function is rematerialized with it; `none` does nothing.
    """

    precision: str = AS_WRITTEN
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)
    dtype: str = AS_WRITTEN
    donate: str = AS_WRITTEN
    remat: str = AS_WRITTEN

    def describe(self) -> list[str]:
        """What is set, each in a few words that follow the text of a call."""
        words = [f"in {self.dtype}"] if self.dtype else []
        if self.precision:
            words.append(f"with precision {self.precision}")
        if self.donate:
            donated = {NONE: "nothing", ALL: "all arrays"}.get(self.donate, self.donate)
            words.append(f"with {donated} donated")
        if self.remat:
            words.append("without remat" if self.remat == NONE else f"with remat {self.remat}")
        return words + [f"with {name}={value}" for name, value in self.options.items()]

    def context(self) -> contextlib.AbstractContextManager[Any]:
        """What the program is traced, compiled and called in."""
        return jax.enable_x64(True) if self.dtype == "float64" else contextlib.nullcontext()

    def make_forms(self, call: Call) -> Forms:
        """Both forms of a call with these settings; to be called within `context`.

        Raises:
            CallError: No argument to donate has such a name.
            Exception: Whatever a transform raises when applied.
        """
        if self.dtype:
            call = _with_dtype(call, self.dtype)
        if self.remat not in (AS_WRITTEN, NONE):
            policy = getattr(jax.checkpoint_policies, self.remat)
            call = dataclasses.replace(call, base=with_remat(call.base, policy))
        forms = find_forms(call)
        if self.donate not in (AS_WRITTEN, NONE):
            return with_donation(
                forms, find_array_places(call, self.donate), self.precision, dict(self.options)
            )
        if self.precision or self.options or self.donate:
            return with_settings(forms, self.precision, dict(self.options))
        return forms

    def check(self) -> None:
        """Raises: CallError: A setting has no such value; arguments to donate are not looked at."""
        if self.dtype and self.dtype not in CAST_DTYPES:
            raise _no_such("type", self.dtype, CAST_DTYPES)
        if self.remat not in (AS_WRITTEN, NONE, *POLICIES):
            raise _no_such("remat policy", self.remat, (NONE, *POLICIES))
        try:
            with jax.default_matmul_precision(self.precision or "default"):
                pass
        except ValueError as error:
            known = ("default", "high", "highest", "bfloat16", "tensorfloat32", "float32")
            raise _no_such("precision", self.precision, known, str(error)[:500]) from None


def read_settings(request: Mapping[str, Any], prefix: str = "") -> ProgramSettings:
    """The settings of a request; those of its second side have the prefix `other_`."""

    def text(name: str) -> str:
        return str(request.get(f"{prefix}{name}") or "").strip()

    options = request.get(f"{prefix}options") or {}
    return ProgramSettings(
        text("precision"),
        {str(name): str(value) for name, value in options.items()},
        text("dtype"),
        text("donate"),
        text("remat"),
    )


def _with_dtype(call: Call, dtype: str) -> Call:
    def cast(leaf: Any) -> Any:
        own = getattr(leaf, "dtype", None)
        if own is None or not is_traceable(leaf) or jnp.issubdtype(own, jax.dtypes.extended):
            return leaf
        if jnp.issubdtype(own, jnp.floating):
            return jnp.asarray(leaf, dtype)
        if jnp.issubdtype(own, jnp.complexfloating) and dtype in _COMPLEX:
            return jnp.asarray(leaf, _COMPLEX[dtype])
        return leaf

    args, kwargs = jax.tree.map(cast, (call.args, call.kwargs))
    return dataclasses.replace(call, args=args, kwargs=kwargs)


def _no_such(what: str, name: str, known: tuple[str, ...], why: str = "") -> CallError:
    return CallError(
        say("There is no {what} {name}.", what=what, name=repr(name)),
        why=why,
        remedy=say("There are: {names}.", names=", ".join(known)[:500]),
        kind="NoSetting",
    )


_GRADIENTS = DERIVATIVES - {"jvp", "jacfwd"}  # these two only run forwards


@dataclass(frozen=True, eq=False)
class ComparedProgram:
    """Where one of the programs comes from, and how it is made.

    Attributes:
        name: `first` or `second`.
        path: Of its file.
        call: With its arguments.
        settings: What it is made with.
    """

    name: str
    path: str
    call: Call
    settings: ProgramSettings

    def describe(self, other_path: str = "") -> str:
        """In words; the file only where the other side has another one."""
        parts = [self.call.text]
        if other_path and other_path != self.path:
            parts.append(f"of {self.path.rpartition('/')[2]}")
        return " ".join([*parts, *self.settings.describe()])


@dataclass(frozen=True, eq=False)
class PreparedProgram:
    """A side that is compiled.

    Attributes:
        outcome: What its first call returned.
    """

    side: ComparedProgram
    compiled: CompiledForm
    outcome: Any


def load_compared_program(request: dict[str, Any], channel: Channel) -> ComparedProgram:
    """The only side of a request.

    Raises:
        JaxscopeError: The file or the call is wrong, or the target is not available.
    """
    source, names = load_names(request, channel)
    text = str(request.get("call") or first_call(source, names, channel))
    name = "second" if request.get("name") == "second" else "first"
    return _make_compared_program(name, source.path, text, names, read_settings(request))


def load_compared_programs(
    request: dict[str, Any], channel: Channel
) -> tuple[ComparedProgram, ComparedProgram]:
    """Load the programs of both sides of a request.

    Raises:
        JaxscopeError: As `load_compared_program`.
    """
    source, names = load_names(request, channel)
    text = str(request.get("call") or first_call(source, names, channel))
    first = _make_compared_program("first", source.path, text, names, read_settings(request))
    path, other_file = source.path, request.get("other_file")
    if other_file and other_file != request.get("file"):
        other = read_source(other_file)
        path = other.path
        with guard("import", {path}):
            names = call_namespace(vars(execute_file(other.path, other.text)))
    other_text = str(request.get("other_call") or text)
    settings = read_settings(request, "other_")
    is_same_call = (path, other_text) == (source.path, text)
    if is_same_call and "float64" not in (settings.dtype, first.settings.dtype):
        settings.check()
        return first, ComparedProgram("second", path, first.call, settings)
    return first, _make_compared_program("second", path, other_text, names, settings)


def _make_compared_program(
    name: str, path: str, text: str, names: dict[str, Any], settings: ProgramSettings
) -> ComparedProgram:
    settings.check()
    with settings.context(), guard("call", {path}):
        return ComparedProgram(name, path, parse_call(text, names, file=path), settings)


def prepare_program(laboratory: Laboratory, side: ComparedProgram) -> PreparedProgram:
    """Trace, lower and compile, each time sent; then call once.

    Raises:
        JaxscopeError: The program cannot be compiled or run.
    """
    laboratory.channel.progress("compile", say("Compiling the {side} program", side=side.name))
    if side.settings.remat not in (AS_WRITTEN, NONE) and not _GRADIENTS & {*side.call.transforms}:
        laboratory.warn(
            say("The call takes no gradient, so what remat keeps for one changes little.")
        )
    with side.settings.context():
        with guard("compile", {side.path}):
            forms = side.settings.make_forms(side.call)
            compiled = compile_form(laboratory, forms, side.name)
        subject = compiled.subject
        subject.context = side.settings.context
        for stage in compiled.stages:
            name = f"{side.name}_{stage.name}"
            send_durations(laboratory, name, [stage.seconds], stage.protocol)
        with guard("run", {side.path}):
            args, kwargs = subject.prepare()
            outcome = subject.function(*args, **kwargs)
    return PreparedProgram(side, compiled, outcome)


def costs_of(prepared: PreparedProgram) -> ProgramCosts:
    """Work, traffic and memory of the compiled program, as XLA counts them."""
    return read_costs(prepared.compiled)


def find_no_verdict(prepared: PreparedProgram, laboratory: Laboratory) -> str:
    """Why the two programs cannot be compared by time because of this one; empty if they can.

    The reason is also sent as a warning, with the equation that it comes from where that is known.
    """
    name = prepared.side.name
    if prepared.compiled.is_empty:
        why, origin = f"the {name} program computes nothing", ""
    elif odd := count_odd(prepared.outcome):
        why = f"the {name} results have {odd}"
        with prepared.side.settings.context():
            origin = find_origin_of(prepared.side.call, odd)
    else:
        return ""
    laboratory.warn(f"No verdict: {why}. {origin}".rstrip())
    return why


def equalize_arguments(sides: Iterable[PreparedProgram]) -> None:
    """Where one side consumes its arguments, let both have fresh ones in each call.

    Else one would read what it has in the processor's caches, and the other never.
    """
    subjects = [prepared.compiled.subject for prepared in sides]
    if not any(subject.is_consuming for subject in subjects):
        return
    for subject in subjects:
        if not subject.is_consuming:
            subject.is_consuming = True
            subject.prepare = fresh_arguments(*subject.prepare())


def send_durations(laboratory: Laboratory, name: str, seconds: list[float], protocol: str) -> None:
    """Send a measurement, if there is a reading."""
    if seconds:
        laboratory.channel.send(
            "measurement",
            {"name": name, "protocol": protocol},
            {"seconds": np.asarray(seconds, np.float64)},
        )


DEFAULT_BUDGET_S = 3.0
PROTOCOL = template(
    "Compiled; each call timed by itself until its result was ready, in {turns}, "
    "the first calls of each left out, garbage collector off."
)


def handle_compare(request: dict[str, Any], channel: Channel) -> None:
    """Compile both programs, measure them against each other, and compare what they return.

    Raises:
        JaxscopeError: A file or a call is wrong, or one of the two does not run.
    """
    refuse_absent_target(request)
    first, second = load_compared_programs(request, channel)
    budget_s = float(request.get("budget_s") or DEFAULT_BUDGET_S)
    with open_laboratory(channel, first.call.text, (first.path, second.path)) as laboratory:
        names = {"first": first.describe(second.path), "second": second.describe(first.path)}
        channel.send("sides", names)
        sides = [prepare_program(laboratory, side) for side in (first, second)]
        costs = {item.side.name: costs_of(item) for item in sides}
        channel.send(
            "costs",
            {name: found.numbers for name, found in costs.items()},
            {
                f"{name}.{column}": array
                for name, found in costs.items()
                for column, array in found.columns.items()
            },
        )
        send_results(channel, "first", "second", *(item.outcome for item in sides))
        equalize_arguments(sides)
        for item in sides:
            with guard("run", {first.path, second.path}):
                _warm_up(laboratory, item, budget_s / 8)
        channel.progress("pairs", say("Measuring both in random pairs"))
        _measure(laboratory, sides, budget_s)


def _warm_up(laboratory: Laboratory, item: PreparedProgram, budget_s: float) -> None:
    """Raises: SubjectFailed: A call failed; those before it are sent."""
    subject = item.compiled.subject
    try:
        warm_up(laboratory, subject, budget_s)
    except SubjectFailed:
        durations = subject.warm_up_s
        protocol = say(WARM_UP, count=len(durations))
        name = f"{subject.name}_warm_up"
        send_durations(laboratory, name, durations, protocol)
        raise


def _measure(laboratory: Laboratory, sides: list[PreparedProgram], budget_s: float) -> None:
    ends = {
        "precise": say("Ended when the pairs agreed."),
        "budget": say("Ended at the budget of {seconds:g} s.", seconds=budget_s),
    }
    subjects = [item.compiled.subject for item in sides]
    rounds, failure = measure_together(laboratory, subjects, budget_s)
    for subject, recording in zip(subjects, rounds.sides, strict=True):
        told = say(PROTOCOL, turns=describe_turns(recording, rounds))
        protocol = say_joined((told, ends.get(rounds.stopped, "")))
        send_durations(laboratory, subject.name, recording.total_s, protocol)
        if recording.num_compilations:
            laboratory.warn(say("{name} compiled again while it was measured.", name=subject.name))
    no_verdict = [why for item in sides if (why := find_no_verdict(item, laboratory))]
    if rounds.log_values:
        laboratory.channel.send(
            "ratio",
            {"name": "first/second", "why_not": ", and ".join(no_verdict)},
            {"log_ratios": np.asarray(rounds.log_values, np.float64)},
        )
    if failure is not None:
        why = laboratory.describe(failure)
        laboratory.warn(say("Measuring ended early: {why}", why=why))


MAX_OUTCOME_BYTES = 64 << 20
_MOST_KEPT = 1_000
_DEFAULT_BUDGET_S = 1.0


def handle_side(request: dict[str, Any], channel: Channel) -> None:
    """Prepare the program, then measure blocks and compare results until asked to finish.

    Raises:
        JaxscopeError: The file or the call is wrong, or the program does not run.
    """
    refuse_absent_target(request)
    side = load_compared_program(request, channel)
    budget_s = float(request.get("budget_s") or _DEFAULT_BUDGET_S)
    with open_laboratory(channel, side.call.text, (side.path,)) as laboratory:
        prepared = prepare_program(laboratory, side)
        subject = prepared.compiled.subject
        if request.get("is_fresh") and not subject.is_consuming:
            subject.is_consuming = True
            subject.prepare = fresh_arguments(*subject.prepare())
        with guard("run", {side.path}):
            warm_up(laboratory, subject, budget_s / 8)
        costs = costs_of(prepared)
        no_verdict = find_no_verdict(prepared, laboratory)
        channel.send(
            "side_ready",
            {
                "words": side.describe(),
                "typical_s": subject.typical_s,
                "is_judged": not no_verdict,
                **costs.numbers,
            },
            costs.columns,
        )
        laboratory.conditions.probe()
        laboratory.conditions.pause()
        while (message := channel.receive()).type != "finish":
            if message.type == "block":
                _measure_block(laboratory, prepared, message)
            elif message.type == "tell_outcome":
                _send_outcome(channel, prepared.outcome)
            elif message.type == "outcome":
                _compare(channel, prepared.outcome, message)
        laboratory.tell_conditions()
        channel.send("side_end", {})


def _measure_block(laboratory: Laboratory, prepared: PreparedProgram, message: Message) -> None:
    """Call so often as the message says, the first ones not counted: a turn."""
    subject, stopwatch = prepared.compiled.subject, laboratory.stopwatch
    kept = min(max(int(message.fields.get("kept") or 1), 1), _MOST_KEPT)
    dropped = min(max(int(message.fields.get("dropped") or 0), 0), _MOST_KEPT)
    durations: list[float] = []
    before = laboratory.counter()
    reason = ""
    laboratory.conditions.resume()
    try:
        with gc_paused():
            for _ in range(dropped):
                stopwatch.time_call(subject)
            durations = [stopwatch.time_call(subject)[1] for _ in range(kept)]
    except SubjectFailed as error:
        reason = laboratory.describe(error)
    finally:
        laboratory.conditions.pause()
    laboratory.channel.send(
        "block",
        {"reason": reason, "num_compilations": laboratory.counter() - before},
        {"seconds": np.asarray(durations, np.float64)},
    )


def _send_outcome(channel: Channel, outcome: Any) -> None:
    """Send the arrays of a result as bytes; larger ones are too much to hand around."""
    leaves, arrays, total = [], {}, 0
    for number, (path, leaf) in enumerate(jax.tree_util.tree_flatten_with_path(outcome)[0]):
        array = np.asarray(plain(leaf))
        array = np.ascontiguousarray(array).reshape(array.shape)
        total += array.nbytes
        name = jax.tree_util.keystr(path) or "result"
        leaves.append({"path": name, "dtype": array.dtype.name, "shape": list(array.shape)})
        arrays[f"leaf{number}"] = array.reshape(-1).view(np.uint8)
    reason = ""
    if total > MAX_OUTCOME_BYTES or len(arrays) > _MOST_KEPT // 5:
        reason = say(
            "They are too large to hand from process to process: {size} MiB.", size=total >> 20
        )
        leaves, arrays = [], {}
    channel.send("outcome", {"leaves": leaves, "reason": reason}, arrays)


def _compare(channel: Channel, own: Any, message: Message) -> None:
    """Compare what the first process returned with this one's."""
    reason = message.fields.get("reason") or ""
    if reason:
        fields = {"first": "first", "second": "second", "leaves": (), "reason": reason}
        channel.send("results", fields)
        return
    first = {
        leaf["path"]: message.arrays[f"leaf{number}"]
        .view(jnp.dtype(leaf["dtype"]))
        .reshape(leaf["shape"])
        for number, leaf in enumerate(message.fields["leaves"])
    }
    second = {
        jax.tree_util.keystr(path) or "result": leaf
        for path, leaf in jax.tree_util.tree_flatten_with_path(own)[0]
    }
    leaves = []
    try:
        if first.keys() != second.keys():
            raise ValueError("other structures")
        leaves = [compare_arrays(path, first[path], plain(second[path])) for path in first]
    except (ValueError, TypeError) as error:
        reason = say("They do not have the same form: {why}.", why=str(error)[:300].rstrip("."))
    channel.send(
        "results", {"first": "first", "second": "second", "leaves": leaves, "reason": reason}
    )
