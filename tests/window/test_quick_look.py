"""A short call is measured by itself once it is captured; what was measured is said of it alone."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jaxscope.client.events import Failed, Finished, Progress
from jaxscope.client.requests import GO_ON, CaptureRequest, TimeRequest, ValuesRequest
from jaxscope.client.session import Session
from jaxscope.errors import WorkerLost
from jaxscope.model import Capture, Check, Cost, Leaf, Severity, Timing, Unavailable
from jaxscope.model.capture import MemoryPlan
from jaxscope.model.values import ArraySummary, EquationValues, NonfiniteOrigin, Values
from jaxscope.ui.application import build_window
from jaxscope.ui.panes.pane_area import FIRST_ARRANGEMENT
from jaxscope.ui.session import quick_look
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.session.quick_look import QuickLook, is_short, is_worth_preparing
from jaxscope.ui.session.screen import count_notes
from jaxscope.ui.session.source_file import read_source
from jaxscope.ui.session.state import Phase, Trust, WindowState, with_values
from jaxscope.ui.source.code_view import CodeView
from jaxscope.ui.toolkit.widgets import SOFT_BREAK
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.sample_path import find_samples
from jaxscope.ui.window.settings import Settings

from .conftest import Driver, destroy
from .programs import JAXPR, build_capture, build_stage
from .test_room import MOST_CONTROLS, controls
from .test_timing_page import HERE, timing


def a_capture(jaxpr: str = JAXPR, **cost: float) -> Capture:
    capture = build_capture({"jaxpr": jaxpr})
    worth = Cost(**{"flops": 1.0, "bytes_accessed": 8.0, **cost})
    hlo = dataclasses.replace(build_stage("hlo", jaxpr), cost=worth)
    return dataclasses.replace(capture, stages=(*capture.stages, hlo))


@pytest.mark.parametrize(
    ("capture", "is_it"),
    [
        (a_capture(), True),
        (a_capture(flops=1e9), False),
        (a_capture(bytes_accessed=1e11), False),
        (a_capture(flops=float("nan")), False),
        (a_capture("in x x\neqn 0 while <x\nout out0 out <0"), False),
        (a_capture("in x x\neqn 0 pure_callback <x\nout out0 out <0"), False),
        (dataclasses.replace(a_capture(), target="aot:gpu:h100"), False),
        (dataclasses.replace(a_capture(), target="ssh://there/cpu"), False),
        (build_capture(), False),
    ],
)
def test_which_calls_are_sure_to_take_little(capture: Capture, is_it: bool) -> None:
    assert is_short(capture) is is_it


@pytest.fixture
def captured(driver: Driver, source: Path) -> Driver:
    """A window that shows a short call, and looks."""
    driver.look = QuickLook(driver.window.controller, driver.window)
    driver.finish(driver.open(source), a_capture())
    return driver


def found(driver: Driver) -> Timing:
    return timing(driver.window.controller.state.call, HERE)


def test_what_a_quick_look_finds_stands_at_the_end_of_the_line(captured: Driver) -> None:
    assert captured.window.strip.time.text() == "Measure ›"
    run = captured.wait_for(TimeRequest)
    assert run.request.budget_s and run.request.is_stretched, "a slow call gets its verdict, too"
    assert run.request.call == "grad(f)(f32[3])"
    assert not captured.window.controller.state.is_running
    run.tell(Finished(found(captured)))
    captured.wait_until(lambda: "times faster" in captured.window.strip.time.text())
    assert captured.window.controller.state.full_timing() is not None


def test_then_values_are_shown_where_a_person_looks(captured: Driver) -> None:
    captured.wait_for(TimeRequest).tell(Finished(found(captured)))
    run = captured.wait_for(ValuesRequest)
    sine = ArraySummary((3,), "float32", -1.0, 1.0, 0.25, 2, 0, "[-1. 0.75 1.]")
    total = ArraySummary((), "float32", 0.5, 4.5, 2.5, text="4.5")
    equation = EquationValues("0", "sin", ("f32[3]", "f32[]"), (sine, total), 7)
    given = ArraySummary((), "float32", 5.0, 5.0, 5.0, text="5.0")
    values = Values("c", HERE, "jaxpr", (given,), (sine,), ("x['b']",), (equation,))
    run.tell(Finished(values))
    window = captured.window
    captured.wait_until(lambda: window.controller.state.values is not None)
    inspector = window.workspace.inspector
    assert "[-1. 0.75 1.]" in inspector.page.toPlainText()  # of what comes out
    tree = window.pages["arguments"].tree
    rows = tree.findItems("['b']", Qt.MatchFlag.MatchRecursive)
    assert [(row.text(1), row.text(3)) for row in rows] == [("f32[]", "5.0")]
    sizes = [tree.header().sectionSize(column) for column in range(5)]
    assert sum(sizes) == tree.viewport().width(), "values have what the others leave"
    assert sizes[3] > tree.fontMetrics().horizontalAdvance("[-1. 0.75 1.]")
    graph = window.controller.state.stages[0].graph
    window.workspace.selection.select_node("jaxpr", graph.index_by_id["0"])
    told = inspector.page.toPlainText().replace(SOFT_BREAK, "")
    assert "[-1. 0.75 1.] in the last of 7 runs looked at" in told
    assert "in all of them: min -1 · mean 0.25 · max 1, 2 NaN" in told
    assert "4.5 in the last of 7 runs looked at" in told, "one number has a range over runs"
    assert "in all of them: min 0.5 · mean 2.5 · max 4.5" in told

    window.run_call()
    captured.wait_until(lambda: window.controller.state.values is None)


def show_last_line_seen(driver: Driver, source: Path, qtbot: QtBot) -> tuple[CodeView, int]:
    """The source above what went in, and the last of its lines that is seen, which is wanted."""
    window = driver.window
    source.write_text(source.read_text() + "\n\n" + "".join(f"A{n} = {n}\n" for n in range(80)))
    window.workspace.area.arrange(FIRST_ARRANGEMENT)
    window.resize(1280, 720)
    leaves = tuple(Leaf(name, "f32[3]", 12) for name in "wxy")
    driver.finish(driver.open(source), dataclasses.replace(build_capture(), arguments=leaves))
    window.lesson.hide()
    qtbot.wait(20)
    (code,) = [p.code for p in window.workspace.area.panes if p.wanted_stage == "source"]
    last = code.viewport().height() // code._line_px - 1
    code.show_statement(last)
    return code, last


def test_where_more_goes_in_the_source_is_placed_anew_with_the_program(
    driver: Driver, source: Path, qtbot: QtBot
) -> None:
    """Nobody has read anything of it before, and its last lines would be below the page."""
    code, last = show_last_line_seen(driver, source, qtbot)
    first, rows = code.first_line, code.height()
    more = tuple(Leaf(f"{name}{n}", "f32[3]", 12) for name in "wxyz" for n in range(4))
    driver.window.commands.actions["run_call"].trigger()
    again = driver.wait_for(CaptureRequest, 2)
    driver.finish(again, dataclasses.replace(build_capture(), arguments=more))
    qtbot.waitUntil(lambda: code.height() < rows)
    qtbot.wait(20)
    assert code.first_line > first and code.is_in_sight(last)


def test_the_source_stays_at_its_line_when_values_arrive_below_it(
    driver: Driver, source: Path, qtbot: QtBot
) -> None:
    """They need more height than was there for what went in, which nobody asked for."""
    window = driver.window
    code, last = show_last_line_seen(driver, source, qtbot)
    first, rows = code.first_line, code.height()
    given = ArraySummary((3,), "float32", -1.0, 1.0, 0.25, text="[-1. 0.75 1.]")
    values = Values("c", HERE, "jaxpr", (given,) * 3, (given,), tuple("wxy"), ())
    window.controller.show_found(values)
    qtbot.waitUntil(lambda: code.height() < rows)
    qtbot.wait(20)
    assert code.first_line == first
    window.resize(1280, 560)  # a person did that
    qtbot.waitUntil(lambda: code.first_line != first)
    assert code.is_in_sight(last)


def test_a_gradient_that_is_not_finite_becomes_a_note(captured: Driver) -> None:
    origin = NonfiniteOrigin(
        *("7", "gradient", "mul", "nan", "/home/u/model.py", 5, (2,), (0,), ()),
        because="mul(0, inf) is nan.",
    )
    captured.window.controller.show_found(
        Values("c", HERE, "jaxpr", (), (), (), (), origins=(origin,))
    )
    (check,) = captured.window.controller.state.checks
    assert check.rule == "non-finite-gradient" and "round 2 (from 0)" in check.message


def test_what_a_better_finding_says_is_not_told_twice() -> None:
    worse = Check("non-finite-result", Severity.WARNING, "Results are not finite: 1 NaN.", "")
    state = WindowState(checks=(worse,), messages=(worse.message, "More."))
    odd = ArraySummary((), "float32", math.nan, math.nan, math.nan, num_nan=1)
    origin = NonfiniteOrigin(
        *("7", "jaxpr", "log", "nan", "/home/u/model.py", 5, (), (0,), ()),
        because="log(-1) is nan.",
    )
    state = with_values(state, Values("c", HERE, "jaxpr", (), (odd,), (), (), origins=(origin,)))
    assert state.messages == ("More.",)
    assert [check.rule for check in state.checks] == [worse.rule] and count_notes(state) == 2


def test_the_command_for_values_shows_them_in_front_of_the_lesson(
    driver: Driver, source: Path
) -> None:
    window = driver.window
    window.workspace.area.arrange(FIRST_ARRANGEMENT)
    source.write_text(
        '"""Sums.\n\nLook at: `f`.\n\nPredict: what?\n\nThen see: that.\n"""\n' + source.read_text()
    )
    driver.finish(driver.open(source), build_capture())
    page = window.workspace.inspector.page
    driver.wait_until(page.isHidden)
    window.pages.show_page("timing")
    window.commands.actions["look_at_values"].trigger()
    driver.wait_for(ValuesRequest)
    driver.wait_until(page.isVisible)


def test_whoever_starts_something_ends_it(captured: Driver) -> None:
    run = captured.wait_for(TimeRequest)
    captured.window.run_call()
    captured.wait_until(lambda: run.was_killed)
    again = captured.wait_for(CaptureRequest, 2)
    run.tell(Finished(found(captured)))
    captured.finish(again, a_capture())
    assert captured.window.strip.time.text() == "Measure ›"


@pytest.mark.slow
def test_times_are_said_of_the_call_and_the_text_that_were_measured(
    captured: Driver, source: Path
) -> None:
    window = captured.window
    captured.wait_for(TimeRequest).tell(Finished(found(captured)))
    captured.wait_until(lambda: "faster" in window.strip.time.text())
    page = window.pages["timing"]
    assert page.verdict_text.startswith("jit is")
    window.call_bar.set_call("f(f32[3])")
    assert window.strip.time.isHidden(), "it would measure another call than the one in the bar"
    assert page.verdict_text.startswith("Measured for grad(f)(f32[3]):")
    window.run_call()
    other = dataclasses.replace(build_capture(), call="f(f32[3])")
    captured.finish(captured.wait_for(CaptureRequest, 2), other)
    assert window.strip.time.text() == "Measure ›"
    assert page.verdict_text.startswith("Measured for grad(f)(f32[3]), not for what is shown now:")
    assert window.controller.state.full_timing() is None

    window.call_bar.set_call("grad(f)(f32[3])")
    window.run_call()
    captured.finish(captured.wait_for(CaptureRequest, 3), a_capture())
    assert "faster" in window.strip.time.text()
    source.write_text(source.read_text() + "\n# changed\n")
    window.controller.note_file_changed()
    captured.finish(captured.wait_for(CaptureRequest, 4), a_capture())
    assert window.strip.time.text() == "Measure ›"
    assert "an earlier version of the file" in page.verdict_text


def long_capture(source: Path) -> Capture:
    """Of a call that takes too much to be measured unasked."""
    return dataclasses.replace(
        a_capture(flops=1e12),
        wall_seconds=5.0,
        memory=MemoryPlan(argument_bytes=4.0),
        files=(read_source(str(source)),),
    )


@pytest.fixture
def prepared(driver: Driver, source: Path) -> Driver:
    """A window that shows a long call, of which a process has made the arguments."""
    driver.look = QuickLook(driver.window.controller, driver.window)
    driver.finish(driver.open(source), long_capture(source))
    run = driver.wait_for(TimeRequest)
    assert run.request.waits and not driver.window.controller.state.is_running
    run.tell(Progress("ready", "Ready to measure"))
    QApplication.processEvents()
    return driver


def test_measure_goes_on_with_what_was_prepared(prepared: Driver) -> None:
    controller = prepared.window.controller
    run = prepared.wait_for(TimeRequest)
    assert not run.sent, "nobody has asked"
    controller.measure(is_rigorous=False)
    assert run.sent == [GO_ON] and len(prepared.session.of_type(TimeRequest)) == 1
    assert controller.state.is_running
    run.tell(Finished(found(prepared)))
    prepared.wait_until(lambda: controller.state.full_timing() is not None)
    assert controller.state.phase is Phase.DONE

    controller.measure(is_rigorous=False)
    again = prepared.wait_for(TimeRequest, 2)
    assert not again.request.waits, "the process before is gone"


def test_a_process_that_cannot_be_told_yet_is_not_waited_for(driver: Driver, source: Path) -> None:
    driver.look = QuickLook(driver.window.controller, driver.window)
    driver.finish(driver.open(source), long_capture(source))
    run = driver.wait_for(TimeRequest)  # which has sent nothing
    driver.window.controller.measure(is_rigorous=False)
    assert not driver.wait_for(TimeRequest, 2).request.waits
    assert not run.sent


def test_what_was_prepared_is_no_other_measurement(prepared: Driver) -> None:
    run = prepared.wait_for(TimeRequest)
    prepared.window.controller.measure(is_rigorous=True)
    assert prepared.wait_for(TimeRequest, 2).request.rigorous
    assert run.was_killed and not run.sent


def test_what_was_prepared_of_another_text_is_not_measured(prepared: Driver, source: Path) -> None:
    run = prepared.wait_for(TimeRequest)
    source.write_text(source.read_text() + "# changed\n")
    prepared.window.controller.measure(is_rigorous=False)
    assert not prepared.wait_for(TimeRequest, 2).request.waits
    assert run.was_killed and not run.sent


def test_a_preparation_that_died_is_not_waited_for(prepared: Driver) -> None:
    prepared.wait_for(TimeRequest).tell(Failed(WorkerLost("It was killed.")))
    QApplication.processEvents()
    assert prepared.window.controller.state.error is None, "nobody asked for it"
    prepared.window.controller.measure(is_rigorous=False)
    assert not prepared.wait_for(TimeRequest, 2).request.waits


def test_what_may_be_prepared(source: Path) -> None:
    capture = long_capture(source)
    assert is_worth_preparing(capture, Trust.TRUSTED)
    assert not is_worth_preparing(capture, Trust.ONCE)
    for other in (
        {"wall_seconds": 600.0},
        {"wall_seconds": 0.1},
        {"memory": MemoryPlan(argument_bytes=1e10)},
        {"memory": MemoryPlan()},
        {"memory": Unavailable("XLA gave none.")},
        {"target": "aot:gpu:h100"},
        {"target": "ssh://there/cpu"},
    ):
        assert not is_worth_preparing(dataclasses.replace(capture, **other), Trust.TRUSTED), other


@pytest.fixture
def real_window(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MainWindow]:
    monkeypatch.setattr(quick_look, "PATIENCE_MS", 3_600_000)  # however busy the machine is
    bridge = Bridge(Session)
    settings = Settings(str(tmp_path / "window.json"))
    window = build_window(qapp, bridge, RunOptions(quick_look=True), settings)
    window.show()
    yield window
    destroy(window)
    bridge.close()


@pytest.mark.slow
def test_a_real_call_is_measured_by_itself_and_few_controls_are_seen_then(
    qtbot: QtBot, real_window: MainWindow
) -> None:
    real_window.resize(1280, 720)
    sample = next(path for path in find_samples() if path.stem == "quick_start")
    real_window.open_path(str(sample), "simple_graph(f32[3])")
    qtbot.waitUntil(lambda: real_window.controller.state.capture is not None)
    qtbot.waitUntil(lambda: real_window.controller.state.timing.ratios != ())
    ratio = real_window.controller.state.timing.ratios[0]
    assert ratio.name == "eager/jit" and ratio.confidence != ratio.confidence  # one process
    assert "jit" in real_window.strip.time.text()
    qtbot.waitUntil(lambda: real_window.controller.state.values is not None)
    names = [each.operation for each in real_window.controller.state.values.equations]
    assert names == ["add", "integer_pow", "add", "reduce_sum", "div"]
    for is_shown in (False, True):
        real_window.lesson.setVisible(is_shown)
        qtbot.wait(50)
        seen = [*controls(real_window), *(card.step.title for card in real_window.strip.cards)]
        assert len(seen) <= MOST_CONTROLS, seen
