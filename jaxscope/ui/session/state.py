"""`WindowState`, one frozen value with the whole state of the window, and the pure functions that
make the next one. No Qt.

Each event of a run (`apply_event`) and each outline of a file (`merge_outline`) gives a new state.
`expected_stages` lists the stages that a call will have. While a new run has no stage yet, the
stages of the run before stay, marked as stale.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import time
from typing import Any

from jaxscope.client.check import with_origins
from jaxscope.client.events import (
    Failed,
    Finished,
    HeadArrived,
    MeasurementArrived,
    NotResponding,
    Output,
    Progress,
    Proposal,
    Responding,
    ResultGrew,
    StageArrived,
    TextArrived,
)
from jaxscope.errors import (
    CallError,
    EnvironmentProblem,
    JaxscopeError,
    SourceError,
    Stopped,
    UsageError,
)
from jaxscope.late_dataclass import dataclass
from jaxscope.model import (
    Capture,
    Check,
    Environment,
    Measurement,
    Ratio,
    SourceFile,
    Stage,
    Timing,
)
from jaxscope.model.experiments import (
    LAB_RESULTS,
    Agreement,
    CompileTime,
    LabResult,
    ProgramComparison,
    Recompilation,
    RematPolicies,
)
from jaxscope.model.hardware import Ceilings
from jaxscope.model.outline import Outline
from jaxscope.model.stages import COMPILED_STAGES, REMEDIES
from jaxscope.model.timing import Profile, Scaling
from jaxscope.model.values import Values
from jaxscope.program.node_times import time_stages
from jaxscope.ui.session.call_text import find_base_name, list_transforms


@dataclass(frozen=True, eq=False)
class LabState:
    """The latest result of each experiment, or None.

    Attributes:
        subjects: Of each result, by its field, what it is about.
    """

    profile: Profile | None = None
    scaling: Scaling | None = None
    recompilation: Recompilation | None = None
    comparison: ProgramComparison | None = None
    agreement: Agreement | None = None
    ceilings: Ceilings | None = None
    rematpolicies: RematPolicies | None = None
    compile_time: CompileTime | None = None
    subjects: tuple[tuple[str, RunSubject], ...] = ()

    def results(self) -> tuple[LabResult, ...]:
        """All that was found, to be saved."""
        found = (getattr(self, name) for name in _FIELD_OF.values())
        return tuple(result for result in found if result is not None)

    def with_result(self, result: LabResult, subject: RunSubject) -> LabState:
        """The same with a newer result in place of the old one."""
        name = _FIELD_OF[type(result)]
        subjects = {**dict(self.subjects), name: subject}
        changes: dict[str, Any] = {name: result, "subjects": tuple(subjects.items())}
        return dataclasses.replace(self, **changes)


_FIELD_OF = dict(
    zip(LAB_RESULTS, (field.name for field in dataclasses.fields(LabState)[:-1]), strict=True)
)


# What the window knows, as one frozen value; no Qt. The screen is computed from it.


class Phase(enum.Enum):
    """What the window is doing about the call."""

    IDLE = "idle"
    RUNNING = "running"
    STOPPING = "stopping"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


class Trust(enum.Enum):
    """When the code of the file runs: whenever it changes, or not without the person's word."""

    TRUSTED = "trusted"
    ASKED = "asked"
    VIEWED = "viewed"
    ONCE = "once"

    @property
    def waits(self) -> bool:
        """Whether nothing of the file has run yet."""
        return self in (Trust.ASKED, Trust.VIEWED)


class RunKind(enum.Enum):
    """What is running."""

    CAPTURE = "capture"
    TIMING = "timing"
    PROPOSAL = "proposal"
    EXPERIMENT = "experiment"


@dataclass(frozen=True, slots=True)
class OfferedFunction:
    """A function of the file, and the calls that the file offers for it."""

    name: str
    line: int
    signature: str = ""
    doc: str = ""
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunSubject:
    """What a run is about: another call, kind of device or text of the file is another subject."""

    call: str = ""
    target: str = ""
    sha256: str = ""


@dataclass(frozen=True, eq=False)
class TimingState:
    """What has been measured of a call; where and when, once it is done."""

    call: str = ""
    measurements: tuple[Measurement, ...] = ()
    ratios: tuple[Ratio, ...] = ()
    warnings: tuple[str, ...] = ()
    environment: Environment | None = None
    subject: RunSubject = RunSubject()

    @classmethod
    def of(cls, timing: Timing, subject: RunSubject) -> TimingState:
        """What a finished or saved measurement found."""
        return cls(
            timing.call,
            timing.measurements,
            timing.ratios,
            timing.warnings,
            timing.environment,
            subject,
        )


@dataclass(frozen=True, eq=False)
class WindowState:
    """Everything that the window shows, except what single widgets keep (zoom, scroll positions).

    Attributes:
        file: Absolute path of the user's file, or empty.
        snapshot: Its text as last read, or None.
        functions: Functions of the file.
        call: The call as last run or chosen.
        target: Kind of device.
        phase: What is going on.
        job: What `phase` speaks of.
        started_s: When the run started, by the monotonic clock.
        step: What the run is doing now, fit to show.
        step_name: The same as the worker names it, such as `import`.
        step_left_s: Seconds that this takes at most from `step_since_s` on; NaN where unknown.
        step_since_s: When it began, by the monotonic clock.
        can_skip: Whether just this step can be left out.
        is_responding: False while the user's code holds its process up.
        head: What the call is of which the stages are shown; its own stages are not looked at.
        stages: As far as they have arrived; of an earlier run while `is_stale`.
        files: Snapshots of the user's files.
        shown_call: The call that the stages are of.
        capture: Set once the run ended well, or when a capture was opened.
        is_stale: The stages are of another version of the file or of another call.
        has_newer_text: The text that is edited is not the one that ran, or runs.
        is_view_only: A reopened capture: nothing can be run.
        trust: Asked for after a file was opened that nobody trusts yet.
        is_changed_on_disk: The file on disk is not what was run.
        draft: Text that is run in place of what is in the file; None where the file is run.
        error: Why the last run failed.
        failed_stage: Name of the stage that failed, `source` for the file, `call` for the text of
            the call; or empty.
        output: What the user's code printed; of much the first and the last part.
        num_line_ends: How many lines ended in all that it printed.
        checks: Findings about the user's code.
        messages: Sentences for the reader.
        timing: What has been measured.
        lab: What the experiments of the timing lab have found.
        values: What the equations of this call computed, of this text of the file.
        wall_s: From the start of the run that ended last to its end, as the person waited.
    """

    file: str = ""
    snapshot: SourceFile | None = None
    functions: tuple[OfferedFunction, ...] = ()
    call: str = ""
    target: str = "cpu"
    phase: Phase = Phase.IDLE
    job: RunKind = RunKind.CAPTURE
    started_s: float = 0.0
    step: str = ""
    step_name: str = ""
    step_left_s: float = math.nan
    step_since_s: float = 0.0
    can_skip: bool = False
    is_responding: bool = True
    head: Capture | None = None
    stages: tuple[Stage, ...] = ()
    shown_call: str = ""
    files: tuple[SourceFile, ...] = ()
    capture: Capture | None = None
    is_stale: bool = False
    has_newer_text: bool = False
    is_view_only: bool = False
    trust: Trust = Trust.TRUSTED
    is_changed_on_disk: bool = False
    draft: str | None = None
    error: JaxscopeError | None = None
    failed_stage: str = ""
    output: str = ""
    num_line_ends: int = 0
    checks: tuple[Check, ...] = ()
    messages: tuple[str, ...] = ()
    timing: TimingState = TimingState()
    lab: LabState = dataclasses.field(default_factory=LabState)
    values: Values | None = None
    wall_s: float = 0.0

    def partial_capture(self) -> Capture | None:
        """The stages that a run made before it failed or while it still goes on."""
        head = self.head
        if head is None or not self.stages:
            return None
        return Capture(
            head.call,
            head.base,
            head.transforms,
            head.source,
            self.files,
            head.environment,
            self.target,
            head.arguments,
            head.results,
            self.stages,
            {},
            self.checks,
            self.messages,
        )

    def full_timing(self) -> Timing | None:
        """What was measured of the capture's own call, to be saved with it."""
        timing, capture = self.timing, self.capture
        if capture is None or not timing.measurements or self.has_old_timing:
            return None
        return Timing(
            timing.call,
            timing.environment or capture.environment,
            timing.measurements,
            timing.ratios,
            timing.warnings,
        )

    @property
    def subject(self) -> RunSubject:
        """Call, target and text of the run that goes on, or of the last one."""
        return RunSubject(self.call, self.target, self.snapshot.sha256 if self.snapshot else "")

    @property
    def has_old_timing(self) -> bool:
        """Whether what was measured is of another call, device or text than what is shown."""
        return bool(self.timing.measurements) and self.timing.subject != self.subject

    @property
    def num_printed_lines(self) -> int:
        """How many lines the user's code printed, those that are not kept counted in."""
        return self.num_line_ends + (self.output != "" and not self.output.endswith("\n"))

    @property
    def is_old(self) -> bool:
        """Whether what is shown is of another text or call than those that are seen now."""
        return self.is_stale or (self.has_newer_text and bool(self.stages))

    @property
    def is_running(self) -> bool:
        return self.phase in (Phase.RUNNING, Phase.STOPPING)

    @property
    def can_run(self) -> bool:
        """Whether calls of the file can be run."""
        return bool(self.file) and not self.is_view_only

    @property
    def can_start(self) -> bool:
        """Whether the present call can be run or measured now."""
        return self.can_run and bool(self.call) and not self.is_running


def start_run(state: WindowState, job: RunKind, call: str, now_s: float) -> WindowState:
    """A run begins; what is on the screen stays there, as stale, until the new stages come."""
    begun = dataclasses.replace(state, call=call)
    captures = job is RunKind.CAPTURE
    is_another = job in (RunKind.CAPTURE, RunKind.PROPOSAL)
    return dataclasses.replace(
        state,
        call=call,
        phase=Phase.RUNNING,
        trust=Trust.ONCE if state.trust.waits else state.trust,
        job=job,
        started_s=now_s,
        step="starting",
        step_name="",
        step_left_s=math.nan,
        can_skip=False,
        is_responding=True,
        is_stale=state.is_stale or (is_another and bool(state.stages)),
        is_changed_on_disk=state.is_changed_on_disk and not captures,
        error=None,
        failed_stage="",
        output="" if captures else state.output,
        num_line_ends=0 if captures else state.num_line_ends,
        checks=() if captures else state.checks,
        messages=() if captures else state.messages,
        values=None if captures else state.values,
        timing=TimingState(call, subject=begun.subject) if job is RunKind.TIMING else state.timing,
    )


def add_stage(state: WindowState, stage: Stage) -> WindowState:
    """A stage arrived, or one that was there arrived more complete."""
    if state.is_stale or not state.stages:
        call = state.head.call if state.head is not None else state.call
        state = dataclasses.replace(state, shown_call=call)
    if state.is_stale:
        files = tuple(_as_run(file, state.snapshot) for file in state.files)
        return dataclasses.replace(
            state, stages=(stage,), files=files, capture=None, is_stale=False
        )
    names = [known.name for known in state.stages]
    if stage.name not in names:
        return dataclasses.replace(state, stages=(*state.stages, stage))
    index = names.index(stage.name)
    stages = (*state.stages[:index], stage, *state.stages[index + 1 :])
    return dataclasses.replace(state, stages=stages)


def _as_run(file: SourceFile, snapshot: SourceFile | None) -> SourceFile:
    """A file of the run that goes on: of the user's own, what was read when it began."""
    return snapshot if snapshot is not None and snapshot.path == file.path else file


def show_capture(state: WindowState, capture: Capture) -> WindowState:
    """The run ended well, or a capture was opened: everything comes from it."""
    return dataclasses.replace(
        state,
        head=capture,
        stages=_keep_known(state.stages, capture.stages) if not state.is_stale else capture.stages,
        shown_call=capture.call,
        files=capture.files,
        capture=capture,
        checks=capture.checks,
        messages=capture.messages,
        is_stale=False,
    )


def end_run(
    state: WindowState, phase: Phase, error: JaxscopeError | None = None, failed_stage: str = ""
) -> WindowState:
    """The state after a run has ended, with its phase and its error if there was one."""
    return dataclasses.replace(
        state,
        phase=phase,
        error=error,
        failed_stage=failed_stage,
        step="",
        step_left_s=math.nan,
        can_skip=False,
        is_responding=True,
    )


def add_output(state: WindowState, text: str, num_ends: int) -> WindowState:
    """The user's code printed something; the first and the last part of much are kept."""
    output = state.output + text
    if len(output) > 2 * OUTPUT_HALF_CHARACTERS:
        cut = "\n… (the middle of the output is not shown) …\n"
        output = output[:OUTPUT_HALF_CHARACTERS] + cut + output[-OUTPUT_HALF_CHARACTERS:]
    num_ends += state.num_line_ends
    return dataclasses.replace(state, output=output, num_line_ends=num_ends)


OUTPUT_HALF_CHARACTERS = 64 * 1024


def _keep_known(known: tuple[Stage, ...], complete: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Prefer stage objects that are already on the screen where nothing was added to them."""
    by_name = {stage.name: stage for stage in known}
    return tuple(
        before
        if (before := by_name.get(stage.name)) is not None
        and before.graph is stage.graph
        and before.text is stage.text
        and before.cost.same_as(stage.cost)
        else stage
        for stage in complete
    )


def merge_outline(event: object) -> tuple[OfferedFunction, ...] | None:
    """Functions with the calls offered for them; None while the outline has not come.

    Functions with calls come first, in the order of these: the first call of the file is what it
    wants to show. Calls of something that the file does not define stand under what they name. A
    file that cannot be outlined has no functions; the run that follows says why.
    """
    if isinstance(event, Failed):
        return ()
    if not isinstance(event, Finished) or not isinstance(event.result, Outline):
        return None
    outline = event.result
    calls: dict[str, list[str]] = {}
    for offered in outline.calls:
        calls.setdefault(find_base_name(offered.call), []).append(offered.call)
    places = {name: place for place, name in enumerate(calls)}
    functions = [
        OfferedFunction(f.name, f.line, f.signature, f.doc, tuple(calls.pop(f.name, ())))
        for f in outline.functions
        if f.kind == "function" or f.name in calls
    ]
    functions += [OfferedFunction(name, 0, "", "", tuple(texts)) for name, texts in calls.items()]
    return tuple(sorted(functions, key=lambda f: places[f.name] if f.calls else len(places)))


def apply_event(state: WindowState, event: object) -> tuple[WindowState, str]:
    """The state after an event, and a call that was proposed by it, or the empty string."""
    match event:
        case Progress():
            return _take_step(state, event), ""
        case HeadArrived():
            # What was on the screen is cleared away by the first new stage.
            # A run without a call is of the first that the file offers, which is known from here.
            call = state.call or ("" if state.is_view_only else event.capture.call)
            return dataclasses.replace(state, head=event.capture, call=call), ""
        case StageArrived():
            return add_stage(state, event.stage), ""
        case TextArrived():
            return _add_text(state, event), ""
        case Output():
            return add_output(state, event.text, event.num_ends), ""
        case NotResponding():
            return dataclasses.replace(state, is_responding=False), ""
        case Responding():
            return dataclasses.replace(state, is_responding=True), ""
        case MeasurementArrived():
            return _add_measurement(state, event), ""
        case ResultGrew():
            return _grow(state, event.result), ""
        case Finished():
            return _finish(state, event)
        case Failed():
            return _fail(state, event), ""
    return state, ""


def _take_step(state: WindowState, event: Progress) -> WindowState:
    return dataclasses.replace(
        state,
        step=event.text or event.step,
        # Remedies are looked for after a failure, which was at the step before.
        step_name=state.step_name if event.step == REMEDIES else event.step,
        step_left_s=event.left_s,
        step_since_s=time.monotonic(),
        can_skip=event.can_skip,
    )


def _add_text(state: WindowState, event: TextArrived) -> WindowState:
    stages = tuple(
        dataclasses.replace(stage, text=event.text) if stage.name == event.name else stage
        for stage in state.stages
    )
    return state if state.is_stale else dataclasses.replace(state, stages=stages)


def _add_measurement(state: WindowState, event: MeasurementArrived) -> WindowState:
    timing = state.timing
    kept = tuple(m for m in timing.measurements if m.name != event.measurement.name)
    timing = dataclasses.replace(timing, measurements=(*kept, event.measurement))
    return dataclasses.replace(state, timing=timing)


def _grow(state: WindowState, result: object) -> WindowState:
    """Show what there is so far; the run goes on."""
    if isinstance(result, Timing):
        return with_timing(state, result)
    return add_lab_result(state, result) if isinstance(result, LAB_RESULTS) else state


def _finish(state: WindowState, event: Finished) -> tuple[WindowState, str]:
    result = event.result
    if isinstance(result, Capture):
        # The worker counts from when it had imported JAX; who waits counts from the start.
        waited_s = max(time.monotonic() - state.started_s, 0.0)
        shown = dataclasses.replace(show_capture(state, result), wall_s=waited_s)
        return end_run(shown, Phase.DONE), ""
    if isinstance(result, Timing):
        return end_run(with_timing(state, result), Phase.DONE), ""
    if isinstance(result, LAB_RESULTS):
        return end_run(add_lab_result(state, result), Phase.DONE), ""
    if isinstance(result, Values):
        return end_run(with_values(state, result), Phase.DONE), ""
    if isinstance(result, Proposal):
        return end_run(state, Phase.DONE), result.call
    return end_run(state, Phase.DONE), ""


def with_timing(state: WindowState, timing: Timing) -> WindowState:
    """The state once the shown call was measured."""
    return dataclasses.replace(state, timing=TimingState.of(timing, state.subject))


def with_profile(state: WindowState, timed: Capture, profile: Profile | None) -> WindowState:
    """The same program, with the times of a job on it where its profile has them."""
    state = show_capture(state, timed)
    return state if profile is None else add_lab_result(state, profile)


def with_values(state: WindowState, values: Values) -> WindowState:
    """What is shown was run equation by equation; findings say which of them makes NaN or Inf."""
    checks = tuple(with_origins(list(state.checks), values, state.stages))
    said = {check.message for check in state.checks} - {check.message for check in checks}
    messages = tuple(text for text in state.messages if text not in said)  # said better now
    return dataclasses.replace(state, values=values, checks=checks, messages=messages)


def add_lab_result(state: WindowState, result: LabResult) -> WindowState:
    """An experiment found something; times of single nodes go onto the graphs that are shown."""
    stages = state.stages
    if isinstance(result, Profile) and state.head is not None and result.call == state.head.call:
        stages = time_stages(stages, result)
    return dataclasses.replace(
        state, lab=state.lab.with_result(result, state.subject), stages=stages
    )


def _fail(state: WindowState, event: Failed) -> WindowState:
    partial = event.partial
    if isinstance(partial, LAB_RESULTS):
        state = add_lab_result(state, partial)
    elif isinstance(partial, Timing):
        state = with_timing(state, partial)
    elif isinstance(partial, Capture) and partial.stages:
        state = dataclasses.replace(show_capture(state, partial), capture=None)
    elif isinstance(partial, Capture):
        state = dataclasses.replace(state, messages=partial.messages, checks=partial.checks)
    if isinstance(event.error, Stopped):
        return end_run(state, Phase.STOPPED)
    return end_run(state, Phase.FAILED, event.error, _failed_stage(state, event.error))


def _failed_stage(state: WindowState, error: JaxscopeError) -> str:
    """The first stage that should have come and did not; file or call where those are at fault."""
    if state.job not in (RunKind.CAPTURE, RunKind.PROPOSAL):
        return ""
    if isinstance(error, CallError) or state.step_name == "call":
        return "call"
    if isinstance(error, EnvironmentProblem | UsageError) and state.step_name in ("", "import"):
        return ""  # the target is looked for once the file is there
    if isinstance(error, SourceError) or state.step_name == "import":
        return "source"
    if error.stage in expected_stages(_transforms_in(state.call)):
        return error.stage  # which may be the second: those before were not sent
    # What is shown of an earlier run says nothing of how far this one came.
    known = set() if state.is_stale else {stage.name for stage in state.stages}
    transforms = state.head.transforms if state.head is not None else ()
    return next((name for name in expected_stages(transforms) if name not in known), "")


def transforms_of(state: WindowState) -> tuple[str, ...]:
    """The transforms of what is shown, outermost last; before anything is, of the call's text."""
    return state.head.transforms if state.head is not None else _transforms_in(state.call)


def _transforms_in(call: str) -> tuple[str, ...]:
    uses = reversed(list_transforms(call))
    return tuple(use.name.rpartition(".")[2] for use in uses)


def expected_stages(transforms: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the stages that a call will have, in the order in which they are made."""
    names, inner = ["jaxpr"], ""
    for transform in transforms:
        if transform != "jit":
            inner = f"{transform}({inner})" if inner else transform
            names.append(inner)
    return (*names, *COMPILED_STAGES, *(() if inner else ("gradient",)))
