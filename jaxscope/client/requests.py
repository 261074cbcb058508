"""What a client can ask of a worker, and the check that it makes sense before a process starts."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from jaxscope.client.ssh_target import is_remote, target_on_machine
from jaxscope.errors import EnvironmentProblem, Explanation, UsageError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.dumps import ModuleFiles
from jaxscope.model.said import say
from jaxscope.model.targets import EXAMPLES, is_absent, parse_target
from jaxscope.wire.messages import Message

MAX_CALL_CHARS = 100_000

RunMessage = Message
"""A further message for a run."""


@dataclass(frozen=True, slots=True)
class Request:
    """What every request has.

    Attributes:
        python: The interpreter to run under; None for the session's.
        timeout_s: Wall seconds that the run may take once the worker is ready; None for no limit.
        memory_bytes: Resident memory that the worker and all it starts may use; None for three
            quarters of the machine's.
        environment: Variables to set for the process, beyond the session's.
        drafts: Texts to run in place of what is in files, by their paths; nothing is written.
        type: The name of such requests in `jaxscope.wire.protocol`.
    """

    type: ClassVar[str] = ""
    python: str | None = dataclasses.field(default=None, kw_only=True)
    timeout_s: float | None = dataclasses.field(default=None, kw_only=True)
    memory_bytes: int | None = dataclasses.field(default=None, kw_only=True)
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict, kw_only=True)
    drafts: Mapping[str, str] = dataclasses.field(default_factory=dict, kw_only=True)


@dataclass(frozen=True, slots=True)
class CallRequest(Request):
    """What every request about one call has.

    Attributes:
        file: The user's file; None for a call that needs none.
        call: The call; None for the file's first offered call.
        target: As in the contract: `cpu`, `cpu:8`, `gpu:0`, `aot:tpu:v5e:2x2`, …
        x64: Whether 64-bit types are on.
    """

    file: str | None = None
    call: str | None = None
    target: str = "cpu"
    x64: bool = False


@dataclass(frozen=True, slots=True)
class CaptureRequest(CallRequest):
    """Capture all stages of a call.

    Attributes:
        passes: Whether to record what each XLA pass changed; a second compilation.
        options: Options of XLA's to compile with, name to value.
        gradient: Whether to make the stage `gradient` of a call without transforms even where
            that takes long, or where the program holds its own derivative.
    """

    type: ClassVar[str] = "capture"
    passes: bool = False
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)
    gradient: bool = False


@dataclass(frozen=True, slots=True)
class TimeRequest(CallRequest):
    """Measure a call eagerly and jitted.

    Attributes:
        budget_s: Wall seconds for each pair of forms that is compared; compiling and warming up
            come on top. None for two, which is always stretched.
        is_stretched: Whether it is stretched until six pairs of slow calls were measured.
        precision: Half-width of the ratio's interval that is precise enough, such as 0.01; None
            for 0.02.
        gradient: Whether the gradient is measured, too.
        skip_eager: Whether to measure the jitted form only.
        rigorous: Whether to repeat in fresh processes.
        waits: Whether to read the file, make the arguments, and measure only after `GO_ON`.
    """

    type: ClassVar[str] = "time"
    budget_s: float | None = None
    is_stretched: bool = False
    precision: float | None = None
    gradient: bool = False
    skip_eager: bool = False
    rigorous: bool = False
    waits: bool = False


GO_ON: Final[RunMessage] = Message("go_on", {})
"""Tells the worker of a `TimeRequest` that waits to measure now."""


@dataclass(frozen=True, slots=True)
class ProfileRequest(CallRequest):
    """Measure each instruction of the optimized program, and each equation run by itself.

    Attributes:
        budget_s: Wall seconds for recording; compiling and warming up come on top.
        skip_eager: Whether to leave the equations out: running them can take long.
    """

    type: ClassVar[str] = "profile"
    budget_s: float = 4.0
    skip_eager: bool = False


@dataclass(frozen=True, slots=True)
class ScalingRequest(CallRequest):
    """Measure a call at several sizes.

    Attributes:
        vary: What changes: `x:0` is dimension 0 of the argument `x`, `x:0,y:0` two that go
            together, `n` a name that the call uses.
        sizes: In rising order.
        budget_s: Wall seconds for each pair of forms at each size.
        skip_eager: Whether to measure the jitted form only.
        preset: Which two forms: empty for eager and jit; `batch` for a loop over the jitted call
            and its vmap, where `vary` names what is stacked, or nothing for all arrays; `depth` for
            the call applied to its own result so many times, unrolled and as a scan.
    """

    type: ClassVar[str] = "scale"
    vary: str = ""
    sizes: tuple[int, ...] = ()
    budget_s: float = 0.5
    skip_eager: bool = False
    preset: str = ""


@dataclass(frozen=True, slots=True)
class RecompilationRequest(Request):
    """Run calls one after another and watch what every jitted function compiles, and why.

    Attributes:
        calls: Without any, the file's offered ones.
    """

    type: ClassVar[str] = "recompile"
    file: str | None = None
    calls: tuple[str, ...] = ()
    target: str = "cpu"
    x64: bool = False


@dataclass(frozen=True, slots=True)
class ProgramRequest(CallRequest):
    """What requests about compiled programs have.

    Attributes:
        precision: Of matrix products, as JAX names it; empty for the default.
        options: Compiler options, name to value.
        dtype: What floating-point arrays among the arguments are cast to: `float16`, `bfloat16`,
            `float32` or `float64`; empty for as they are.
        donate: Arguments whose buffers are given away: names joined by `+`, `all` or `none`; empty
            for what the call says.
        remat: A policy of `jax.checkpoint_policies` for the base function, or `none`.
    """

    precision: str = ""
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)
    dtype: str = ""
    donate: str = ""
    remat: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonRequest(ProgramRequest):
    """Measure two programs against each other, and compare what they return.

    What is set for the second begins with `other_`. Where the target, the interpreter or the
    environment differ, the two run in processes of their own, which take turns.

    Attributes:
        other_file: File of the second call; None for the same.
        other_call: The second call; None for the same call.
        other_target: Target of the second; empty for the same.
        other_python: Interpreter of the second; None for the same.
        other_environment: Environment variables of the second's process, in place of those in
            `environment`; None for the same.
        rigorous: Whether to repeat in fresh processes; always done where the two have processes of
            their own.
    """

    type: ClassVar[str] = "compare"
    other_file: str | None = None
    other_call: str | None = None
    other_precision: str = ""
    other_options: Mapping[str, str] = dataclasses.field(default_factory=dict)
    budget_s: float = 3.0
    other_dtype: str = ""
    other_donate: str = ""
    other_remat: str = ""
    other_target: str = ""
    other_python: str | None = None
    other_environment: Mapping[str, str] | None = None
    rigorous: bool = False

    @property
    def needs_processes(self) -> bool:
        """Whether what differs is set for a whole process."""
        return (
            (self.other_target or self.target) != self.target
            or (self.other_python or self.python) != self.python
            or self.other_environment not in (None, self.environment)
        )


@dataclass(frozen=True, slots=True)
class SideRequest(ProgramRequest):
    """Prepare one of two programs in a process of its own, then measure blocks when asked to.

    Attributes:
        name: `first` or `second`.
        is_fresh: Whether each call gets fresh arguments.
        budget_s: Wall seconds for warming up.
    """

    type: ClassVar[str] = "side"
    name: str = "first"
    is_fresh: bool = False
    budget_s: float = 1.0


@dataclass(frozen=True, slots=True)
class AgreementRequest(CallRequest):
    """Compare the results of a call eager, jitted and in double precision."""

    type: ClassVar[str] = "agree"


@dataclass(frozen=True, slots=True)
class ValuesRequest(CallRequest):
    """Run the program of a call equation by equation, and summarize what each computes.

    Attributes:
        loaded: Files of arguments (`.npy`, `.npz`, `.safetensors`, images; of several arrays
            `file.npz::name`), by their paths, such as `params['w']`.
        against: Another form of the program to compare with: `jit`, `float64`, `again` (a
            second run), or empty for none.
        ulps: Differences up to so many ULPs are none where the cause of the first is looked for.
    """

    type: ClassVar[str] = "values"
    loaded: Mapping[str, str] = dataclasses.field(default_factory=dict)
    against: str = ""
    ulps: int = 0


@dataclass(frozen=True, slots=True)
class StepRequest(CallRequest):
    """Asks to go through the program of a call equation by equation; see `client.stepping`.

    Attributes:
        stage: Whose equations; empty for the last of the jaxprs, or `gradient`.
        loaded: As for `ValuesRequest`.
        most_bytes: Of values that the worker keeps; the others are computed again when asked for.
    """

    type: ClassVar[str] = "step"
    stage: str = ""
    loaded: Mapping[str, str] = dataclasses.field(default_factory=dict)
    most_bytes: int = 1 << 30


@dataclass(frozen=True, slots=True)
class TraceLinesRequest(CallRequest):
    """Trace a call, and tell what Python did meanwhile, line by line; see `model.tracing`."""

    type: ClassVar[str] = "trace_lines"


def move_message(number: int, to: str, **fields: Any) -> RunMessage:
    """What asks a run of a `StepRequest` to go somewhere; see `wire.protocol`."""
    return Message("move", {"number": number, "to": to, **fields})


def look_message(
    number: int,
    kind: str,
    index: int,
    slice: str = "",
    holds: bool | None = None,
    forms: Sequence[str] = (),
) -> RunMessage:
    """What asks a run of a `StepRequest` for a slice of a value.

    Args:
        holds: Whether the value is held from now on, so that those that are looked at next are
            compared with it; false lets go of the one that is held; None leaves that as it is.
        forms: Other forms of the program, `jit` and `float64`, in which the slice is wanted too;
            `trials` is `jit` with what it becomes without parts of the compiler, if it differs.
    """
    asked: dict[str, Any] = {"number": number, "kind": kind, "index": index, "slice": slice}
    if forms:
        asked["forms"] = list(forms)
    return Message("look", asked if holds is None else {**asked, "holds": holds})


@dataclass(frozen=True, slots=True)
class CalibrationRequest(Request):
    """Measure what the machine reaches at most in arithmetic and in memory traffic."""

    type: ClassVar[str] = "calibrate"
    target: str = "cpu"
    x64: bool = False


@dataclass(frozen=True, slots=True)
class CompileTimeRequest(CallRequest):
    """Trace, lower and compile a call once, and say where the time went; it is not run."""

    type: ClassVar[str] = "compile_time"


@dataclass(frozen=True, slots=True)
class RematRequest(CallRequest):
    """Compile a call's gradient with every policy of `jax.checkpoint` on the base function."""

    type: ClassVar[str] = "remat"


@dataclass(frozen=True, slots=True)
class OpenRequest(Request):
    """Read one module that a job left behind; executes nothing.

    Attributes:
        name: What JAX and XLA call it.
        label: The same, made unique among the modules beside it.
        platform: What it was compiled for, such as `cpu`; or empty.
        files: Absolute paths by what they hold; see `jaxscope.client.dump_folders`.
        target: Where its costs are counted.
        is_drawn: Whether its graphs are drawn as they come; then costs wait until a picture of
            that size may be there.
    """

    type: ClassVar[str] = "open"
    name: str = ""
    label: str = ""
    platform: str = ""
    files: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    target: str = "cpu"
    is_drawn: bool = False

    @classmethod
    def of(cls, module: ModuleFiles, **options: Any) -> OpenRequest:
        """What to ask a worker for to have a module as a capture."""
        return cls(
            name=module.name,
            label=module.label,
            platform=module.platform,
            files=module.files,
            **options,
        )


@dataclass(frozen=True, slots=True)
class OutlineRequest(Request):
    """List the functions and offered calls of a file; executes nothing of it."""

    type: ClassVar[str] = "outline"
    file: str = ""


@dataclass(frozen=True, slots=True)
class ProposeRequest(Request):
    """Find a call of a function of the file that traces.

    Attributes:
        function: Its name; empty for any that has such a call.
    """

    type: ClassVar[str] = "propose"
    file: str = ""
    function: str = ""
    target: str = "cpu"
    x64: bool = False


@dataclass(frozen=True, slots=True)
class EnvironmentRequest(Request):
    """Versions, devices and targets.

    Attributes:
        target: Names the machine, if that is not this one.
    """

    type: ClassVar[str] = "environment"
    target: str = ""


MEASURING = (
    TimeRequest,
    ProfileRequest,
    ScalingRequest,
    ComparisonRequest,
    SideRequest,
    CalibrationRequest,
)
"""Requests that run programs to measure them."""
ALONE = (*MEASURING, CompileTimeRequest)
"""Requests that nothing should run beside."""
_RUNNING = (
    *(*MEASURING, RecompilationRequest, AgreementRequest, ValuesRequest, StepRequest),
    TraceLinesRequest,
)
_NOT_SENT = frozenset(field.name for field in dataclasses.fields(Request))


def request_fields(request: Request) -> dict[str, Any]:
    """The fields of the request's message, paths made absolute.

    Raises:
        UsageError: The target is unknown, the call too long, a path no path, a limit not
            positive, or neither file nor call is named.
        EnvironmentProblem: The target is on another host.
    """
    fields = {
        field.name: getattr(request, field.name)
        for field in dataclasses.fields(request)
        if field.name not in _NOT_SENT
    }
    for name in ("file", "other_file"):
        if path := fields.get(name):
            if "\0" in path:
                raise UsageError(
                    say("{path} is no path: it holds a zero byte.", path=repr(path[:100]))
                )
            fields[name] = os.path.abspath(os.path.expanduser(path))
    if fields.get("loaded"):
        fields["loaded"] = _read_loaded(fields["loaded"], fields.get("target", ""))
    for target in (fields.get("target"), fields.get("other_target")):
        if target:
            _check_target(target, is_run=isinstance(request, _RUNNING))
    for call in (fields.get("call"), fields.get("other_call"), *fields.get("calls", ())):
        if isinstance(call, str) and len(call) > MAX_CALL_CHARS:
            raise UsageError(
                say(
                    "A call may have {max_call_chars} characters, not {num_call}.",
                    max_call_chars=MAX_CALL_CHARS,
                    num_call=len(call),
                )
            )
    if "file" in fields and not fields["file"] and not fields.get("call"):
        raise UsageError(say("Neither a file nor a call is named."), remedy=say("Name a file."))
    for name in ("timeout_s", "memory_bytes"):
        limit = getattr(request, name)
        if limit is not None and not limit > 0:
            raise UsageError(
                say("The limit {name} must be positive, not {limit}.", name=name, limit=limit)
            )
    return fields


def _check_target(target: str, *, is_run: bool) -> None:
    try:
        parse_target(target_on_machine(target))
    except ValueError as error:
        remedy = say("Targets are {examples}.", examples=EXAMPLES)
        raise UsageError(error.args[0], remedy=remedy, kind="UnknownTarget") from None
    if is_run and is_absent(target_on_machine(target)):
        raise EnvironmentProblem(_explain_nothing_runs(target))


def _read_loaded(loaded: Mapping[str, str], target: str) -> dict[str, str]:
    """Files of arguments by their paths, made absolute."""
    if is_remote(target):
        raise UsageError(say("Arguments are loaded from files on this machine only."))
    return {path: os.path.abspath(os.path.expanduser(file)) for path, file in loaded.items()}


def _explain_nothing_runs(target: str) -> Explanation:
    return Explanation(
        what=say(
            "Programs for {target} are compiled only: nothing runs that could be timed.",
            target=target,
        ),
        why=say("Ahead of time there are no values, no times and no autotuning among kernels."),
        remedy=say(
            "Take a device that is here, such as --target cpu. `jaxscope targets` "
            "estimates times from what is published of chips."
        ),
        kind="NothingRuns",
    )
