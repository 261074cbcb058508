"""The screen as a pure function of the state, and the state as one of the events."""

from __future__ import annotations

import dataclasses
import time

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from jaxscope.client.events import (
    Failed,
    Finished,
    HeadArrived,
    MeasurementArrived,
    NotResponding,
    Output,
    Progress,
    Responding,
    StageArrived,
    TextArrived,
)
from jaxscope.errors import (
    CallError,
    EnvironmentProblem,
    JaxscopeError,
    SourceError,
    Stopped,
    TraceError,
    WorkerLost,
)
from jaxscope.model import Check, Cost, Severity, StageText, Unavailable
from jaxscope.model.graph import NodeKind
from jaxscope.model.stages import OWN_SUM, REMEDIES
from jaxscope.model.timing import Measurement, Ratio
from jaxscope.model.units import count_lines
from jaxscope.ui.pages.notes import NotesPage
from jaxscope.ui.session.screen import compute_screen, count_notes, summarize_time, waiting_text
from jaxscope.ui.session.state import (
    Phase,
    RunKind,
    TimingState,
    WindowState,
    add_output,
    apply_event,
    expected_stages,
    start_run,
)
from jaxscope.ui.window.page_context import PageContext

from .programs import FILE, build_capture

CAPTURE = build_capture()
OPENED = WindowState(file=FILE)
RUNNING = start_run(OPENED, RunKind.CAPTURE, "grad(f)(f32[3])", now_s=100.0)


def lines(state: WindowState, now_s: float = 100.0) -> list[str]:
    """The pipeline strip as text."""
    screen = compute_screen(state, frozenset(), now_s)
    return [f"{step.title}: {step.condition.value} {step.size}".rstrip() for step in screen.steps]


def after(state: WindowState, *events: object) -> WindowState:
    for event in events:
        state, _ = apply_event(state, event)
    return state


HEAD = HeadArrived(dataclasses.replace(CAPTURE, stages=()))


def test_lines_are_linked_as_soon_as_a_text_arrives():
    stage = CAPTURE.stages[0]
    untold = dataclasses.replace(stage, text=Unavailable("The text has not arrived."))
    state = after(RUNNING, HEAD, StageArrived(untold), TextArrived(stage.name, stage.text))
    assert state.is_running
    assert state.stages[0].text is stage.text


def test_stages_of_transforms_are_named_from_the_inside_out():
    assert expected_stages(("grad", "jit", "vmap"))[:3] == ("jaxpr", "grad", "vmap(grad)")
    made = expected_stages(("jit",))
    assert (made[:2], made[-1]) == (("jaxpr", "stablehlo"), "gradient")


def test_the_strip_follows_a_run():
    state = after(RUNNING, HEAD, StageArrived(CAPTURE.stages[0]))
    assert lines(state) == [
        "Source: done",
        "jaxpr: done 2 equations · 1.00 ms",
        "grad: running working …",
        "StableHLO: waiting",
        "HLO: waiting",
        "optimized: waiting",
        "machine code: waiting",
    ]


def test_the_time_of_a_stage_does_not_stand_alone():
    """`machine code 1.79` was milliseconds, until its lines were counted."""
    stage = dataclasses.replace(
        CAPTURE.stages[0], graph=Unavailable("Later."), text=Unavailable("Later."), seconds=0.00179
    )
    assert "jaxpr: done" in [
        line.strip() for line in lines(after(RUNNING, HEAD, StageArrived(stage)))
    ]


def test_the_gradient_beside_the_line_is_made_last():
    """The strip says that a stage is being made only while it is."""
    plain = start_run(OPENED, RunKind.CAPTURE, "f(f32[3])", now_s=100.0)
    capture = dataclasses.replace(CAPTURE, call="f(f32[3])", transforms=(), stages=())
    told = lines(after(plain, HeadArrived(capture), StageArrived(CAPTURE.stages[0])))
    assert "StableHLO: running working …" in told
    assert told[-1] == "its gradient: waiting"


def test_before_a_call_is_traced_its_text_says_which_stages_it_will_have():
    names = [line.partition(":")[0] for line in lines(RUNNING)]
    assert names == ["Source", "jaxpr", "grad", "StableHLO", "HLO", "optimized", "machine code"]
    nested = start_run(OPENED, RunKind.CAPTURE, "jax.vmap(jax.grad(f))(f32[3])", now_s=100.0)
    assert [line.partition(":")[0] for line in lines(nested)][2:4] == ["grad", "vmap(grad)"]
    plain = start_run(OPENED, RunKind.CAPTURE, "f(f32[3])", now_s=100.0)
    assert lines(plain)[-1] == "its gradient: waiting"


def test_a_finished_run_shows_its_stages_and_nothing_that_waits(monkeypatch: pytest.MonkeyPatch):
    """It took as long as the person waited: 250 ms are the worker's, after its imports."""
    assert (RUNNING.started_s, CAPTURE.wall_seconds) == (100.0, 0.25)
    monkeypatch.setattr(time, "monotonic", lambda: 133.0)
    state = after(RUNNING, HEAD, Finished(CAPTURE))
    assert [line.split(":")[1].split()[0] for line in lines(state)] == ["done"] * 4
    assert compute_screen(state).status == "Done in 33.0 s"


def test_looking_for_other_calls_does_not_hide_which_stage_failed():
    """Shapes that do not fit stand in the code, and tracing it is what failed."""
    error = TraceError("The shapes do not fit together.")
    state = after(RUNNING, Progress("trace", "Tracing f"), Progress(REMEDIES, "Looking"))
    assert lines(after(state, Failed(error)))[1] == "jaxpr: failed failed"
    state = after(RUNNING, Progress("call", "Evaluating"), Progress(REMEDIES, "Looking"))
    assert compute_screen(after(state, Failed(error))).is_call_failed


def test_a_failed_stage_says_why_and_the_earlier_ones_stay():
    error = TraceError("The `gradient` needs a scalar.")
    partial = dataclasses.replace(CAPTURE, stages=CAPTURE.stages[:1])
    state = after(RUNNING, HEAD, Failed(error, partial))
    assert lines(state)[1:4] == [
        "jaxpr: done 2 equations · 1.00 ms",
        "grad: failed failed",
        "StableHLO: waiting",
    ]
    assert "The gradient needs a scalar" in waiting_text(state, "grad")
    assert waiting_text(state, "hlo") == "The run failed before HLO was made."


def test_no_stage_is_waited_for_that_the_call_does_not_have():
    error = CallError("The file has no 'g'.")
    unknown = after(RUNNING, Failed(error))
    assert waiting_text(unknown, "vmap(grad)") == "The run failed."
    assert waiting_text(unknown, "hlo") == "The run failed before HLO was made."
    unread = dataclasses.replace(unknown, call="")
    for name in ("grad", "jaxpr"):
        assert waiting_text(unread, name) == f"Run a call to see {name}.", "a file that was opened"
    known = after(RUNNING, HEAD)
    assert waiting_text(known, "vmap(grad)") == "This call has no stage vmap(grad)."
    assert waiting_text(known, "grad") == "Waiting for grad …"


def test_what_a_check_says_is_not_said_again(qtbot: QtBot, page_context: PageContext):
    check = Check("non-finite-result", Severity.WARNING, "It is NaN.", "Try.", file="f.py", line=1)
    state = dataclasses.replace(WindowState(), checks=(check,), messages=("It is NaN.", "More."))
    page = NotesPage(page_context)
    page.show_state(state)
    assert count_notes(state) == 2
    assert page.page.toPlainText().count("It is NaN.") == 1
    assert "More." in page.page.toPlainText()


def test_a_run_that_failed_does_not_report_nothing(page_context: PageContext):
    """What was not looked at to its end is not said to have nothing to report."""
    stopped = after(RUNNING, HEAD, Failed(Stopped("It was stopped.")))
    failed = after(RUNNING, Failed(CallError("The file has no 'g'.")))
    before = "Nothing was noticed before the run"
    page = NotesPage(page_context)
    for state, told in (
        (WindowState(), "Run a call to see what jaxscope notices about it."),
        (after(RUNNING, HEAD), "Nothing so far."),
        (stopped, f"{before} was stopped."),
        (failed, f"{before} failed: The file has no 'g'."),
        (dataclasses.replace(OPENED, capture=CAPTURE), "Nothing to report on this call."),
    ):
        page.show_state(state)
        assert page.page.toPlainText() == told


def test_an_unavailable_stage_carries_its_reason():
    stage = dataclasses.replace(CAPTURE.stages[2], unavailable=Unavailable("No such device."))
    state = after(RUNNING, HEAD, StageArrived(stage))
    step = next(s for s in compute_screen(state).steps if s.name == "optimized")
    assert (step.condition.value, step.tooltip) == ("absent", "No such device.")


def test_one_node_of_unknown_cost_leaves_what_is_known_as_a_lower_bound():
    graph = CAPTURE.stages[0].graph
    is_equation = graph.nodes.kind == NodeKind.EQUATION
    cost = np.full_like(graph.nodes.cost, np.nan)
    cost[is_equation] = 2e6
    cost[np.flatnonzero(is_equation)[-1]] = np.nan
    nodes = dataclasses.replace(graph.nodes, cost=cost)
    stage = dataclasses.replace(
        CAPTURE.stages[0], graph=dataclasses.replace(graph, nodes=nodes), cost=Cost()
    )
    step = compute_screen(after(RUNNING, HEAD, StageArrived(stage))).steps[1]
    assert step.cost == f"at least {2 * (int(is_equation.sum()) - 1)}.00 MFLOP"
    assert "1 node costs is unknown" in step.tooltip


def test_a_sine_is_no_floating_point_operation_and_still_work():
    cost = Cost(flops=0.0, bytes_accessed=24.0, transcendentals=3.0)
    stage = dataclasses.replace(CAPTURE.stages[2], cost=cost)
    screen = compute_screen(after(RUNNING, HEAD, StageArrived(stage)))
    step = next(s for s in screen.steps if s.name == "optimized")
    assert step.cost == "3 of exp, sin … · 24 B"
    assert "3 of exp, sin and the like" in step.tooltip


def test_a_figure_that_counts_loops_once_says_so():
    optimized = CAPTURE.stages[2]
    graph = optimized.graph
    last = graph.nodes.operation[-1]
    strings = tuple("while" if i == last else text for i, text in enumerate(graph.strings))
    cost = Cost(flops=838.0, bytes_accessed=2525.0)
    looped = dataclasses.replace(
        optimized, graph=dataclasses.replace(graph, strings=strings), cost=cost
    )
    plain = dataclasses.replace(optimized, cost=cost)
    for stage, told in ((looped, "838 FLOP, each loop once"), (plain, "838 FLOP · ")):
        screen = compute_screen(after(RUNNING, HEAD, StageArrived(stage)))
        step = next(s for s in screen.steps if s.name == "optimized")
        assert step.cost.startswith(told)
        assert ("one round of each loop" in step.tooltip) is (stage is looped)


def test_the_seconds_of_a_run_are_counted():
    state = after(RUNNING, Progress("trace", "Tracing f"))
    assert compute_screen(state, now_s=100.2).status == "Tracing f"
    assert compute_screen(state, now_s=103.4).status == "Running 3 s: Tracing f"


def test_a_process_that_does_not_answer_is_said_to_and_no_longer_when_it_does():
    silent = after(RUNNING, NotResponding(0.5, ""))
    assert "has not answered" in compute_screen(silent).notice
    assert compute_screen(after(silent, Responding())).notice == ""


def test_a_new_run_greys_the_old_stages_until_new_ones_come():
    done = after(RUNNING, HEAD, Finished(CAPTURE))
    again = start_run(done, RunKind.CAPTURE, "f(f32[3])", 200.0)
    assert compute_screen(again).is_stale and len(again.stages) == 3
    fresh = after(again, HEAD, StageArrived(CAPTURE.stages[0]))
    assert not compute_screen(fresh).is_stale and len(fresh.stages) == 1


def test_a_failed_run_keeps_the_old_stages_as_stale():
    done = after(RUNNING, HEAD, Finished(CAPTURE))
    again = start_run(done, RunKind.CAPTURE, "g(f32[3])", 200.0)
    failed = after(again, Failed(TraceError("No g.")))
    screen = compute_screen(failed)
    assert screen.is_stale
    assert [s.condition.value for s in screen.steps[1:]] == ["failed", "stale", "stale"]


def test_stopping_is_no_error():
    state = after(RUNNING, Failed(Stopped("Stopped.")))
    assert (state.phase, state.error) == (Phase.STOPPED, None)


def test_timing_leaves_the_stages_alone():
    done = after(RUNNING, HEAD, Finished(CAPTURE))
    timing = start_run(done, RunKind.TIMING, done.call, 1.0)
    assert not compute_screen(timing).is_stale and timing.stages == done.stages


def test_a_flood_of_output_keeps_its_beginning_and_its_end():
    state = after(WindowState(), Output("stdout", "first\n", 1))
    for _ in range(300):
        state = add_output(state, "x" * 1024 + "\n", 1)
    state = add_output(state, "last\n", 1)
    assert len(state.output) < 140_000
    assert state.output.startswith("first") and state.output.endswith("last\n")
    assert "not shown" in state.output
    assert state.num_printed_lines == 302
    assert add_output(state, "and more", 0).num_printed_lines == 303


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("\n", 1), ("one", 1), ("one\n", 1), ("one\ntwo", 2)]
)
def test_what_ends_the_last_line_begins_no_other(text: str, count: int) -> None:
    assert count_lines(text) == StageText.plain(text).num_lines == count


def plain_call(names: tuple[str, ...]) -> WindowState:
    """After a call without transforms, with these stages."""
    capture = build_capture(dict.fromkeys(names, "in x x\neqn 0 sin <x\nout out0 out <0"))
    capture = dataclasses.replace(capture, call="f(f32[3])", transforms=())
    return after(start_run(OPENED, RunKind.CAPTURE, "f(f32[3])", 100.0), Finished(capture))


def test_the_gradient_that_nobody_asked_for_is_no_step_on_the_way():
    steps = compute_screen(plain_call(("jaxpr", "gradient", "stablehlo", "optimized"))).steps
    assert [step.name for step in steps] == [
        "source",
        "jaxpr",
        "stablehlo",
        "optimized",
        "gradient",
    ]
    assert [step.is_aside for step in steps] == [False] * 4 + [True]
    assert steps[-1].title == "its gradient"


def test_the_gradient_of_several_numbers_is_named_that_of_their_sum():
    capture = build_capture(dict.fromkeys(("jaxpr", "gradient"), "in x x\neqn 0 sin <x"))
    first, last = capture.stages
    graph = dataclasses.replace(last.graph, strings=(*last.graph.strings, OWN_SUM))
    stages = first, dataclasses.replace(last, graph=graph)
    capture = dataclasses.replace(capture, call="f(f32[3])", transforms=(), stages=stages)
    running = start_run(OPENED, RunKind.CAPTURE, "f(f32[3])", 100.0)
    steps = compute_screen(after(running, Finished(capture))).steps
    assert [(step.name, step.title) for step in steps[1:]] == [
        ("jaxpr", "jaxpr"),
        ("gradient", "gradient of its sum"),
    ]


def test_the_gradient_that_was_asked_for_is_one():
    steps = compute_screen(after(OPENED, HEAD, Finished(CAPTURE))).steps
    assert [step.name for step in steps] == ["source", "jaxpr", "grad", "optimized"]
    assert not any(step.is_aside for step in steps)


@pytest.mark.parametrize(
    ("error", "step", "failed"),
    [
        (CallError("The file has no 'grda'."), "call", "call"),
        (TraceError("An argument."), "call", "call"),
        (TraceError("A mask.", where="model.py:5"), "trace", "jaxpr"),
        (SourceError("No Python.", where="model.py:1"), "import", "source"),
        (TraceError("It raised.", where="model.py:1"), "import", "source"),
        (WorkerLost("A segmentation fault."), "import", "source"),
        (EnvironmentProblem("No such target."), "import", ""),
    ],
)
def test_after_a_failure_the_strip_shows_no_number_of_an_earlier_run(
    error: JaxscopeError, step: str, failed: str
):
    done = plain_call(("jaxpr", "gradient", "stablehlo", "optimized"))
    begun = start_run(done, RunKind.CAPTURE, "grda(f)(f32[3])", 200.0)
    screen = compute_screen(after(begun, Progress(step, "Doing"), Failed(error)))
    steps = {step.name: step for step in screen.steps}
    assert [n for n, s in steps.items() if s.condition.value == "failed"] == (
        [failed] if failed in steps else []
    )
    assert screen.is_call_failed == (failed == "call")
    others = [step for name, step in steps.items() if name not in ("source", failed)]
    assert all(step.condition.value == "stale" for step in others)
    assert {step.size for step in others} == {"of an earlier run"}
    assert not any(step.cost for step in others)


def test_a_function_that_cannot_be_traced_leaves_what_is_shown_plainly_old():
    done = plain_call(("jaxpr", "optimized"))
    error = TraceError("No arguments were found.")
    state = after(start_run(done, RunKind.PROPOSAL, done.call, 200.0), Failed(error))
    assert state.is_stale
    steps = compute_screen(state).steps
    of = {step.size: step.name for step in steps if step.name != "source"}
    assert of == {"failed": "jaxpr", "of an earlier run": "optimized"}


def test_a_program_without_equations_has_none():
    capture = build_capture({"jaxpr": "in x x\nout out0 out <x"})
    step = compute_screen(after(RUNNING, HEAD, StageArrived(capture.stages[0]))).steps[1]
    assert step.size.startswith("0 equations")


@pytest.mark.parametrize(
    ("verdict", "why_not", "words"),
    [
        (
            "faster",
            "",
            "eager 1.90 ms · jit 64.0 µs · jit 30 times faster (observed 28.0 to 31.0)",
        ),
        (
            "unclear",
            "",
            "eager 1.90 ms · jit 64.0 µs · not decided if jit is faster (observed 28.0 to 31.0)",
        ),
        ("faster", "No verdict: they do different work.", "eager 1.90 ms · jit 64.0 µs"),
    ],
)
def test_the_times_of_a_call_in_a_few_words(verdict: str, why_not: str, words: str):
    seconds = {"eager": 1.9e-3, "jit": 64e-6}
    measurements = [Measurement(n, s, s, s, 0.95, 30, (s,), False) for n, s in seconds.items()]
    ratio = Ratio("eager/jit", 29.7, 28.0, 31.0, verdict, why_not=why_not)
    assert summarize_time(TimingState()) == ""
    assert summarize_time(TimingState("f(x)", tuple(measurements[:1]))) == "eager 1.90 ms"
    assert summarize_time(TimingState("f(x)", tuple(measurements), (ratio,))) == words
    earned = dataclasses.replace(ratio, confidence=0.95)
    without = words.replace(
        "30 times faster (observed 28.0 to 31.0)", "28.0 to 31.0 times faster"
    ).replace("observed 28.0 to 31.0", "28.0 to 31.0, 95%")
    assert summarize_time(TimingState("f(x)", tuple(measurements), (earned,))) == without
    noisy = dataclasses.replace(ratio, is_noisy=True)
    said = words if why_not else f"{words} · noisy"
    assert summarize_time(TimingState("f(x)", tuple(measurements), (noisy,))) == said
    told = dataclasses.replace(ratio, remark="eager traces or compiles anew in each call")
    said = words if why_not else f"{words} · with a remark"
    assert summarize_time(TimingState("f(x)", tuple(measurements), (told,))) == said


def test_too_few_pairs_are_no_sign_that_the_two_are_alike():
    """Eager was a thousand times slower, and took all the time that there was in a few calls."""
    measurements = tuple(
        Measurement(name, s, s, s, 0.95, 4, (s,), False)
        for name, s in {"eager": 72e-3, "jit": 53e-6}.items()
    )
    ratio = Ratio("eager/jit", 1358.0, 900.0, 1500.0, "unclear", pairs=4)
    told = summarize_time(TimingState("f(x)", measurements, (ratio,)))
    assert told == "eager 72.0 ms · jit 53.0 µs · 4 of the 6 pairs that a verdict takes"
    enough = dataclasses.replace(ratio, pairs=20)
    told = summarize_time(TimingState("f(x)", measurements, (enough,)))
    assert told.endswith("not decided if jit is faster (observed 900 to 1,500)")


def test_times_of_a_measurement_that_was_stopped_are_partial():
    begun = start_run(plain_call(("jaxpr",)), RunKind.TIMING, "f(x)", 200.0)
    warm_up = Measurement("jit", 64e-6, 64e-6, 64e-6, 0.95, 30, (64e-6,), False)
    measuring = after(begun, MeasurementArrived(warm_up))
    assert compute_screen(measuring).time == "jit 64.0 µs"
    stopped = after(measuring, Failed(Stopped("It was stopped.")))
    assert compute_screen(stopped).time == "jit 64.0 µs · partial"


def test_when_a_capture_was_recorded_is_said_as_people_write_it() -> None:
    capture = build_capture()
    told = []
    for when in ("2026-11-24T01:40:20+00:00", "yesterday"):
        here = dataclasses.replace(capture.environment, recorded_at=when, host="vm", jax="0.10.2")
        saved = dataclasses.replace(capture, environment=here)
        state = dataclasses.replace(WindowState(), capture=saved, is_view_only=True)
        told.append(compute_screen(state).notice)
    assert told == [
        "A saved capture, recorded on vm at 2026-11-24 01:40 UTC. Nothing is run from it.",
        "A saved capture, recorded on vm at yesterday. Nothing is run from it.",
    ]
