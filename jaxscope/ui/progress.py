"""Events of a run turned into state: a pure function, one case per kind of event."""

from __future__ import annotations

import dataclasses
import time

from jaxscope.analysis.node_times import time_stages
from jaxscope.client.events import (
    Failed,
    Finished,
    HeadArrived,
    MeasurementArrived,
    NotResponding,
    Output,
    Progress,
    Responding,
    ResultGrew,
    StageArrived,
    TextArrived,
)
from jaxscope.client.results import Proposal
from jaxscope.errors import (
    CallError,
    EnvironmentProblem,
    JaxscopeError,
    SourceError,
    Stopped,
    UsageError,
)
from jaxscope.model import Capture, Timing
from jaxscope.model.lab import Profile
from jaxscope.ui.lab_state import LAB_RESULTS, LabResult
from jaxscope.ui.screen import expected_stages
from jaxscope.ui.state import (
    Head,
    Job,
    Phase,
    TimingState,
    WindowState,
    add_head,
    add_output,
    add_stage,
    end_run,
    show_capture,
)


def apply_event(state: WindowState, event: object) -> tuple[WindowState, str]:
    """The state after an event, and a call that was proposed by it, or the empty string."""
    match event:
        case Progress():
            return _take_step(state, event), ""
        case HeadArrived():
            return add_head(state, Head.of(event.capture)), ""
        case StageArrived():
            return add_stage(state, event.stage), ""
        case TextArrived():
            return _add_text(state, event), ""
        case Output():
            return add_output(state, event.text), ""
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
        step_name=event.step,
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
        return dataclasses.replace(state, timing=TimingState.of(result))
    return add_lab_result(state, result) if isinstance(result, LAB_RESULTS) else state


def _finish(state: WindowState, event: Finished) -> tuple[WindowState, str]:
    result = event.result
    if isinstance(result, Capture):
        return end_run(show_capture(state, result), Phase.DONE), ""
    if isinstance(result, Timing):
        return end_run(dataclasses.replace(state, timing=TimingState.of(result)), Phase.DONE), ""
    if isinstance(result, LAB_RESULTS):
        return end_run(add_lab_result(state, result), Phase.DONE), ""
    if isinstance(result, Proposal):
        return end_run(state, Phase.DONE), result.call
    return end_run(state, Phase.DONE), ""


def add_lab_result(state: WindowState, result: LabResult) -> WindowState:
    """An experiment found something; times of single nodes go onto the graphs that are shown."""
    stages = state.stages
    if isinstance(result, Profile) and state.head is not None and result.call == state.head.call:
        stages = time_stages(stages, result)
    return dataclasses.replace(state, lab=state.lab.with_result(result), stages=stages)


def _fail(state: WindowState, event: Failed) -> WindowState:
    partial = event.partial
    if isinstance(partial, LAB_RESULTS):
        state = add_lab_result(state, partial)
    elif isinstance(partial, Timing):
        state = dataclasses.replace(state, timing=TimingState.of(partial))
    elif isinstance(partial, Capture) and partial.stages:
        state = dataclasses.replace(show_capture(state, partial), capture=None)
    elif isinstance(partial, Capture):
        state = dataclasses.replace(state, messages=partial.messages, checks=partial.checks)
    if isinstance(event.error, Stopped):
        return end_run(state, Phase.STOPPED)
    return end_run(state, Phase.FAILED, event.error, _failed_stage(state, event.error))


def _failed_stage(state: WindowState, error: JaxscopeError) -> str:
    """The first stage that should have come and did not; file or call where those are at fault."""
    if state.job is not Job.CAPTURE:
        return ""
    if isinstance(error, CallError) or state.step_name == "call":
        return "call"
    if isinstance(error, EnvironmentProblem | UsageError) and state.step_name in ("", "import"):
        return ""  # the target is looked for once the file is there
    if isinstance(error, SourceError) or state.step_name == "import":
        return "source"
    # What is shown of an earlier run says nothing of how far this one came.
    known = set() if state.is_stale else {stage.name for stage in state.stages}
    transforms = state.head.transforms if state.head is not None else ()
    return next((name for name in expected_stages(transforms) if name not in known), "")
