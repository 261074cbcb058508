"""`Screen`: what the window shows besides graphs and texts, computed from a `WindowState` by a pure
function. No Qt.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import os
import re
from collections.abc import Sequence

from jaxscope.client.ssh_target import is_remote
from jaxscope.late_dataclass import dataclass
from jaxscope.marks import show_marks
from jaxscope.model import (
    Capture,
    Check,
    Cost,
    PassRecord,
    Stage,
    StageText,
    Unavailable,
    is_available,
)
from jaxscope.model.said import said
from jaxscope.model.stages import LATE_STAGES, can_ask_for, has_own_sum, stage_kind
from jaxscope.model.units import (
    UNKNOWN,
    count_lines,
    format_flops,
    format_range,
    format_seconds,
    upper_first,
)
from jaxscope.program.cost.work import Work, find_stage_works
from jaxscope.program.size import count_named
from jaxscope.report.measurements import summarize_ratio
from jaxscope.ui.session.call_text import find_base_name
from jaxscope.ui.session.state import (
    Phase,
    RunKind,
    TimingState,
    Trust,
    WindowState,
    expected_stages,
    transforms_of,
)
from jaxscope.ui.toolkit.language import tr, tr_count, tr_said

_ASIDE = "its gradient"
_OF_SUM = "gradient of its sum"
_OLD, _OLD_HINT = "of an earlier run", "This is of an earlier run, not of the call above."
_OLD_TEXT_HINT = "This is of an earlier text: what was typed since has not run."
_EDITED = "Edited since the run"
_SOURCE_TITLE, _SOURCE_MEANING = "Source", "Your Python file."


class Condition(enum.Enum):
    """The state of one step of the pipeline."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    ABSENT = "absent"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class PipelineStep:
    """One step of the pipeline.

    Attributes:
        is_aside: It is no step on the way to what comes after it: nothing is made of it.
        is_on_request: It is made when it is asked for, as that takes long.
    """

    name: str
    title: str
    condition: Condition
    size: str = ""
    cost: str = ""
    tooltip: str = ""
    is_shown: bool = False
    is_aside: bool = False
    is_on_request: bool = False


@dataclass(frozen=True, slots=True)
class Screen:
    """Everything that is shown and is not a graph or a text.

    Attributes:
        can_skip: Just the part that is being measured can be left out.
        is_call_failed: The last run ended where the text of the call was read or evaluated.
        failed_over: The call that is still shown although another one failed or was stopped since;
            or empty.
        asks_trust: Nothing of the file was run, and the person has not said whether it may be.
        time: How long the call takes, eager and compiled, in a few words; empty until this call of
            this text of the file was measured.
    """

    window_title: str
    shows_start_page: bool
    steps: tuple[PipelineStep, ...]
    status: str
    detail: str
    is_running: bool
    is_stopping: bool
    can_run: bool
    can_skip: bool
    notice: str
    is_stale: bool
    failed_over: str
    is_call_failed: bool
    asks_trust: bool
    time: str


def compute_screen(
    state: WindowState, shown: frozenset[str] = frozenset(), now_s: float = 0.0
) -> Screen:
    """Compute the screen.

    Args:
        shown: Names of the stages that panes show.
        now_s: The monotonic clock.
    """
    running_s = int(max(now_s - state.started_s, 0.0)) if state.is_running else 0
    name = show_marks(os.path.basename(state.file))
    name += tr(" (scratch copy)") if state.draft is not None or state.has_newer_text else ""
    return Screen(
        window_title=f"{name} — jaxscope" if name else "jaxscope",
        shows_start_page=not state.file and not state.stages,
        steps=tuple(_steps(state, shown)),
        status=_status(state, running_s, now_s),
        detail=_detail(state),
        is_running=state.is_running,
        is_stopping=state.phase is Phase.STOPPING,
        can_run=state.can_run,
        can_skip=state.can_skip,
        notice=_notice(state, running_s),
        is_stale=state.is_old,
        failed_over=state.shown_call
        if state.is_stale and state.phase in (Phase.FAILED, Phase.STOPPED)
        else "",
        is_call_failed=state.error is not None
        and (state.failed_stage == "call" or bool(state.error.explanation.part)),
        # Where the file holds nothing that could run, that is said instead.
        asks_trust=state.trust is Trust.ASKED
        and (state.error is None or bool(state.functions or state.call)),
        time="" if state.is_old or state.has_old_timing else _time(state),
    )


def _time(state: WindowState) -> str:
    told = summarize_time(state.timing)
    is_cut = state.job is RunKind.TIMING and state.phase in (Phase.STOPPED, Phase.FAILED)
    return f"{told}{BETWEEN_TIMES}{tr(_PARTIAL)}" if told and is_cut else told


BETWEEN_TIMES = " · "
"""Stands between the parts of `Screen.time`."""
_NOISY, _PARTIAL, REMARKED = TIME_MARKS = ("noisy", "partial", "with a remark")
"""What may be said of times at their end; only the last may be left out where room is short."""


def summarize_time(timing: TimingState) -> str:
    """Such as `eager 1.9 ms · jit 64 µs · jit 28.0 to 31.0 times faster`, of what was measured.

    The last part names jit, because it may stand alone where room is short.
    """
    parts = [
        f"{m.name} {format_seconds(m.median)}"
        for m in timing.measurements
        if m.name in ("eager", "jit")
    ]
    ratio = next((ratio for ratio in timing.ratios if ratio.name == "eager/jit"), None)
    if not parts or ratio is None or not ratio.is_judged:
        return BETWEEN_TIMES.join(parts)
    parts.append(tr_said(summarize_ratio(ratio)))
    if ratio.is_noisy or any(m.is_noisy for m in timing.measurements if m.name in ("eager", "jit")):
        parts.append(tr(_NOISY))
    if ratio.remark:
        parts.append(tr(REMARKED))  # it stands on the page
    return BETWEEN_TIMES.join(parts)


def describe_no_notes(state: WindowState) -> str:
    """What stands in place of notes: a run that did not end well was not looked at to its end."""
    if state.is_running:
        return tr("Nothing so far.")
    if state.phase in (Phase.FAILED, Phase.STOPPED):
        why = (
            tr(": {what}", what=state.error.explanation.what.replace("`", ""))
            if state.error is not None
            else "."
        )
        ended = tr("failed") if state.phase is Phase.FAILED else tr("was stopped")
        return tr("Nothing was noticed before the run {ended}{why}", ended=ended, why=why)
    if state.capture is None and not state.stages:
        return tr("Run a call to see what jaxscope notices about it.")
    return tr("Nothing to report on this call.")


def untold_messages(checks: Sequence[Check], messages: Sequence[str]) -> list[str]:
    """The messages that no check says as well."""
    told = {check.message for check in checks}
    return [message for message in messages if message not in told]


def count_notes(state: WindowState) -> int:
    """How many checks and other messages there are."""
    return len(state.checks) + len(untold_messages(state.checks, state.messages))


def count_devices(state: WindowState) -> int:
    """How many devices the program is spread over; 0 for one alone, and where that is not known."""
    num_devices = 1 if state.capture is None else state.capture.num_devices
    return num_devices if num_devices > 1 else 0


def title_of_stage(name: str) -> str:
    """A short title fit for a card or a chooser."""
    return tr(_SOURCE_TITLE if name == "source" else stage_kind(name).title)


def title_of_gradient(stage: Stage | None) -> str:
    """What the gradient is called that no call asked for: of several numbers that of their sum."""
    return tr(_OF_SUM) if stage is not None and has_own_sum(stage) else tr(_ASIDE)


def _steps(state: WindowState, shown: frozenset[str]) -> list[PipelineStep]:
    steps = []
    if state.file or state.snapshot:
        text = state.snapshot.text if state.snapshot else ""
        is_at_fault = state.failed_stage == "source" and state.error is not None
        steps.append(
            PipelineStep(
                "source",
                tr(_SOURCE_TITLE),
                Condition.FAILED if is_at_fault else Condition.DONE,
                tr_count(count_lines(text), "line") if text else "",
                "",
                tr(_SOURCE_MEANING),
                "source" in shown,
            )
        )
    known = {stage.name: stage for stage in state.stages}
    names = list(known)
    if state.capture is None and not state.is_stale and state.file:
        expected = expected_stages(transforms_of(state))
        names += [name for name in expected if name not in known]
    is_of_shown = state.failed_stage in (*names, "", "call", "source")
    if state.error is not None and not is_of_shown:
        names = [name for name in names if name != "gradient"]
        names.insert(1, state.failed_stage)
    waits = state.is_running and state.job is RunKind.CAPTURE
    for name in names:
        steps.append(_step(state, name, known.get(name), is_next=waits, shown=name in shown))
        if name not in known:
            waits = False
    return sorted(steps, key=lambda step: step.is_aside)


def _step(
    state: WindowState, name: str, stage: Stage | None, *, is_next: bool, shown: bool
) -> PipelineStep:
    kind = stage_kind(name, state.head.base if state.head is not None else "")
    meaning = tr_said(said(kind.meaning))
    is_aside = name == "gradient"

    def step(condition: Condition, size: str, cost: str, tooltip: str) -> PipelineStep:
        title = title_of_gradient(stage) if is_aside else title_of_stage(name)
        return PipelineStep(name, title, condition, size, cost, tooltip, shown, is_aside)

    if state.failed_stage == name and state.error is not None:
        what = tr_said(state.error.explanation.what).replace("`", "")
        return step(Condition.FAILED, tr("failed"), "", what)
    if stage is None:
        condition = Condition.RUNNING if is_next else Condition.WAITING
        return step(condition, tr("working …") if is_next else "", "", meaning)
    work = find_stage_works(state.stages).get(name) or Work(stage.cost, stage.cost)
    tooltip = _tooltip(stage, meaning, work)
    if state.is_old and not state.is_running:
        hint = tr(_OLD_TEXT_HINT) if state.has_newer_text else tr(_OLD_HINT)
        return step(Condition.STALE, tr(_OLD), "", f"{hint}\n{tooltip}")
    if stage.unavailable is not None:
        if can_ask_for(stage) and state.can_start and not state.is_view_only:
            asked = step(Condition.WAITING, tr("on request"), "", tr_said(stage.unavailable.reason))
            return dataclasses.replace(asked, is_on_request=True)
        return step(Condition.ABSENT, tr("not available"), "", tr_said(stage.unavailable.reason))
    condition = Condition.STALE if state.is_old else Condition.DONE
    return step(condition, _size(stage, state.capture), _cost(work), tooltip)


def tr_passes(records: Sequence[PassRecord]) -> str:
    """How many passes changed the module."""
    count = sum(bool(record.pipeline) and record.did_something for record in records)
    return tr("1 pass") if count == 1 else tr("{count:,} passes", count=count)


def _size(stage: Stage, capture: Capture | None) -> str:
    if stage.name == "passes" and capture is not None and capture.passes:
        size = tr_passes(capture.passes)
    elif is_available(stage.graph):
        size = tr_count(*count_named(stage.graph))
    elif isinstance(stage.text, StageText):
        size = tr_count(stage.text.num_lines, "line")
    else:
        size = ""
    seconds = f"{format_seconds(stage.seconds)}" if is_available(stage.seconds) else ""
    # Not the time alone: it would look like that of a run, and shortened like a count.
    return " · ".join(part for part in (size, seconds) if part) if size else ""


def _cost(work: Work) -> str:
    flops = work.flops if work.high.flops or work.num_unknown else _functions(work.high)
    if work.num_unknown or work.num_unbounded:
        return "" if flops == UNKNOWN else flops
    return " · ".join(part for part in (flops, work.num_bytes) if part != UNKNOWN)


def _functions(cost: Cost) -> str:
    """What work without a FLOP is: a sine is none, and still no nothing."""
    functions = cost.transcendentals
    return (
        tr("{functions:,.0f} of exp, sin …", functions=functions)
        if functions > 0
        else format_flops(cost.flops)
    )


def _tooltip(stage: Stage, meaning: str, work: Work) -> str:
    lines = [meaning]
    if stage.title not in ("", stage_kind(stage.name).title):
        lines.append(tr_said(stage.title))
    if is_available(stage.graph):
        from jaxscope.program.dataflow import describe_shared  # comes with the first program

        lines += filter(None, [tr_said(describe_shared(stage.graph))])
    if work.high.is_known and (work.flops, work.num_bytes) != (UNKNOWN, UNKNOWN):
        lines.append(
            tr(
                "Work: {work}; memory read and written: {num_bytes}",
                work=work.flops,
                num_bytes=work.num_bytes,
            )
        )
    if work.high.transcendentals > 0:
        functions = format_range(
            work.low.transcendentals, work.high.transcendentals, lambda count: f"{count:,.0f}"
        )
        lines.append(
            tr(
                "Besides, {functions} of exp, sin and the like: XLA counts them apart.",
                functions=functions,
            )
        )
    lines += map(tr_said, work.notes)
    if isinstance(stage.seconds, Unavailable):
        lines.append(tr_said(stage.seconds.reason))
    else:
        lines.append(tr("Made in {seconds}", seconds=format_seconds(stage.seconds)))
    return "\n".join(lines)


def _left(state: WindowState, now_s: float) -> str:
    """How long the present step goes on at most, where that is known."""
    left_s = state.step_left_s - max(now_s - state.step_since_s, 0.0)
    if math.isnan(left_s):
        return ""
    return (
        tr(", at most {ceil} s left", ceil=math.ceil(left_s))
        if left_s > 0
        else tr(", about to end")
    )


def _status(state: WindowState, running_s: int, now_s: float) -> str:
    if state.phase is Phase.STOPPING:
        return tr("Stopping …")
    if state.phase is Phase.RUNNING:
        doing = {
            RunKind.CAPTURE: tr_said(state.step) or tr("working"),
            RunKind.TIMING: tr("measuring: {step}", step=state.step)
            if state.step
            else tr("measuring"),
            RunKind.EXPERIMENT: tr_said(state.step) or tr("experimenting"),
            RunKind.PROPOSAL: tr(
                "looking for arguments that {function} takes", function=find_base_name(state.call)
            )
            if state.call
            else tr("looking for a call that traces"),
        }[state.job]
        doing += _left(state, now_s)
        return (
            tr("Running {running_s} s: {doing}", running_s=running_s, doing=doing)
            if running_s
            else upper_first(doing)
        )
    if state.phase is Phase.DONE and state.has_newer_text and state.stages:
        return tr(_EDITED)  # what is done is of the text before
    if state.phase is Phase.DONE and state.wall_s and state.job is RunKind.CAPTURE:
        return tr("Done in {wall_s}", wall_s=format_seconds(state.wall_s))
    return {
        Phase.DONE: tr("Done"),
        # Once the error is dismissed, the line below no longer says that the run failed.
        Phase.FAILED: tr("Failed") if state.error is not None else tr("Ready"),
        Phase.STOPPED: tr("Stopped"),
    }.get(state.phase, tr("Ready") if state.file else "")


def waiting_text(state: WindowState, name: str) -> str:
    """What to say in the place of a stage that is not there."""
    title = title_of_stage(name)
    if state.failed_stage == name and state.error is not None:
        return tr(
            "{title} could not be made.\n{replace}",
            title=title,
            replace=tr_said(state.error.explanation.what).replace("`", ""),
        )
    if state.phase is Phase.FAILED and not state.call:  # a file was opened and could not be read
        return tr("Run a call to see {title}.", title=title)
    has_stage = _has_stage(state, name)
    if has_stage is False:
        return tr("This call has no stage {title}.", title=title)
    if has_stage is None and state.phase is Phase.FAILED:
        return tr("The run failed.")
    return {
        Phase.RUNNING: tr("Waiting for {title} …", title=title),
        Phase.STOPPING: tr("Stopping …"),
        Phase.FAILED: tr("The run failed before {title} was made.", title=title),
        Phase.STOPPED: tr("The run was stopped before {title} was made.", title=title),
        Phase.DONE: tr("This call has no stage {title}.", title=title),
        Phase.IDLE: tr("Run a call to see {title}.", title=title),
    }[state.phase]


def _has_stage(state: WindowState, name: str) -> bool | None:
    """Whether the run's call has a stage; None where the call was not understood yet."""
    if name in LATE_STAGES or name in ("jaxpr", "source"):
        return True
    if state.head is None or state.is_stale:
        return None
    return name in expected_stages(state.head.transforms)


def _detail(state: WindowState) -> str:
    if state.head is None:
        return ""
    environment = state.head.environment
    if not environment.jax:
        return environment.platform  # of a module that a job left behind no more is known
    where = (
        tr(" of {host}", host=environment.host)
        if is_remote(state.head.target) and environment.host
        else ""
    )
    return tr(
        "JAX {jax} on {device}{where}",
        jax=environment.jax,
        device=environment.device or environment.platform,
        where=where,
    )


def _write_time(text: str) -> str:
    """A time of day in UTC as people write it; what is no such time stays as it is."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\+00:00", text)
    return f"{found[1]} {found[2]} UTC" if found else text


def _notice(state: WindowState, running_s: int) -> str:
    if state.is_running and not state.is_responding:
        return tr(
            "Your code has not answered for a while (running {running_s} s): it holds "
            "its process up. Wait, or press Stop; nothing else is lost.",
            running_s=running_s,
        )
    if state.is_view_only and state.capture is not None:
        environment = state.capture.environment
        if not environment.jax:
            return tr("A module that a job left behind. Nothing is run from it.")
        where = tr(" on {host}", host=environment.host) if environment.host else ""
        when = (
            tr(" at {write_time}", write_time=_write_time(environment.recorded_at))
            if environment.recorded_at
            else ""
        )
        return tr(
            "A saved capture, recorded{where}{when}. Nothing is run from it.",
            where=where,
            when=when,
        )
    if state.is_changed_on_disk and not state.is_running:
        return tr("A file of the program has changed on disk since this run.")
    return ""
