"""The page *Step* by lines: what Python did while JAX traced, over real workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jaxscope.client.events import Failed, ResultGrew
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import CaptureRequest, TraceLinesRequest
from jaxscope.client.session import Session
from jaxscope.errors import UsageError, WorkerLost
from jaxscope.model import Capture
from jaxscope.model.capture import graph_named
from jaxscope.model.graph import NodeKind
from jaxscope.model.lessons import parse_text_lesson
from jaxscope.model.tracing import RecordedEquation, TracedLine, Tracing
from jaxscope.ui.application import build_window
from jaxscope.ui.pages.stepping import SteppingPage
from jaxscope.ui.panes.pane_header import SOURCE, Form
from jaxscope.ui.panes.stage_pane import StagePane
from jaxscope.ui.selection.selection import SelectionModel
from jaxscope.ui.selection.tracing import find_births
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.source.code_view import Mark
from jaxscope.ui.toolkit.result_table import choose_row
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.settings import Settings

from .conftest import Driver, destroy
from .programs import RecordedRun, build_capture
from .test_timing_page import HERE

SAMPLES = Path(__file__).parents[2] / "samples"

PROGRAM = """import jax, jax.numpy as jnp
from helping import double

# jaxscope: taught(f32[3])
# jaxscope: fails(f32[3])
# jaxscope: endless(f32[3])


def taught(x):
    print("tracing")
    for _ in range(2):
        x = jnp.sin(x)
    return double(x)


def fails(x):
    y = x + 1
    if y[0] > 0:
        return y
    return x


def endless(x):
    while True:
        x = x + 1
        open(__file__ + ".began", "w").close()
"""
HELPING = "def double(x):\n    return x * 2\n"


def page_of(window: MainWindow) -> SteppingPage:
    page = window.pages["stepping"]
    assert isinstance(page, SteppingPage)
    return page


def pane_of(window: MainWindow, stage: str) -> StagePane:
    return next(pane for pane in window.workspace.area.panes if pane.wanted_stage == stage)


def line_of(text: str) -> int:
    return PROGRAM.splitlines().index(text) + 1


def lit(window: MainWindow) -> set[str]:
    """Ids of the nodes of the jaxpr that are not faded."""
    canvas, graph = pane_of(window, "jaxpr").canvas, window.workspace.selection.graph_of("jaxpr")
    assert canvas is not None and graph is not None
    shown = range(len(graph.nodes)) if canvas.focus is None else canvas.focus
    return {graph.id(node) for node in shown}


def selected(selection: SelectionModel) -> list[object]:
    return [place[1] for place in selection.places if isinstance(place, tuple)]


@pytest.fixture
def empty(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    """A window over real workers."""
    bridge = Bridge(Session)
    window = build_window(qapp, bridge, RunOptions(), Settings(str(tmp_path / "window.json")))
    window.resize(1280, 720)
    window.show()
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "helping.py").write_text(HELPING)
    yield window
    destroy(window)
    bridge.close()


def open_call(window: MainWindow, qtbot: QtBot, path: Path, call: str = "taught(f32[3])") -> None:
    """Open the program at a call, and wait until that has run or failed."""
    window.open_path(str(path / "program.py"), call)
    controller = window.controller

    def has_run() -> bool:
        state = controller.state
        return not state.is_running and (state.capture is not None or state.error is not None)

    qtbot.waitUntil(has_run, timeout=60_000)


def begin(window: MainWindow, qtbot: QtBot) -> SteppingPage:
    """Trace the call line by line, and wait until the worker is done."""
    window.commands.actions["trace_lines"].trigger()
    page = page_of(window)
    run = page.tracing
    qtbot.waitUntil(lambda: run.tracing is not None and not run.doing, timeout=60_000)
    return page


@pytest.mark.slow
def test_the_jaxpr_grows_beside_the_line_that_runs(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    open_call(empty, qtbot, tmp_path)
    selection = empty.workspace.selection
    assert empty.row.names["stepping"].isHidden() and not page_of(empty).isVisible()
    page, source = begin(empty, qtbot), pane_of(empty, SOURCE)
    forward = empty.commands.actions["step"]
    assert page.place.text().startswith("The start") and lit(empty) == {"in:0"}
    seen = []
    while page.buttons["forward"].isEnabled():
        forward.trigger()
        marked = [n + 1 for n, mark in source.code.marks.items() if mark is Mark.SELECTED]
        seen.append((page.place.text(), marked, selected(selection), lit(empty)))
    head = line_of("    for _ in range(2):")
    assert [marked for _, marked, _, _ in seen] == [
        [line_of('    print("tracing")')],
        *([head], [head + 1], [head], [head + 1], [head]),
        [line_of("    return double(x)")],
        [2],  # of the other file, which is shown by then
        [],
    ]
    assert [ids for _, _, ids, _ in seen] == [[], [], ["0"], [], ["1"], [], [], ["2"], []]
    assert (
        seen[1][3] == {"in:0"} and seen[2][3] == {"in:0", "0"} and seen[5][3] == {"in:0", "0", "1"}
    )
    assert seen[-1][3] == {"in:0", "0", "1", "2", "out:0"}
    assert source.code.lines[0] == "def double(x):"
    assert "jit ran no line of this Python" in seen[-1][0]


@pytest.mark.slow
def test_what_python_did_is_said_and_the_list_leads_to_each_line(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    open_call(empty, qtbot, tmp_path)
    page = begin(empty, qtbot)
    assert page.lines.isVisible() and not page.values.isVisible()
    assert [page.lines.rows.cell(row, 3) for row in range(3)] == ["–", "–", "sin (0)"]
    for name in ("into", "origin"):
        assert page.buttons[name].isHidden()
    assert page.condition.isHidden() and not page.stop_button.isVisible()
    assert all(page.lines.rows.cell(row, 4) for row in range(page.lines.rows.rowCount()))
    choose_row(page.lines, 0)
    assert "print; the compiled program does not do it" in page.note.text()
    choose_row(page.lines, 3)
    assert page.note.text() == "Round 2 of 2 of a loop of Python's."
    assert lit(empty) == {"in:0", "0"}
    empty.workspace.selection.select_line(
        str(tmp_path / "program.py"), line_of("        x = jnp.sin(x)")
    )
    rounds = []
    for _ in range(3):
        page.buttons["here"].click()
        rounds.append(page.place.text().partition(" of ")[0])
        empty.workspace.selection.select_line(
            str(tmp_path / "program.py"), line_of("        x = jnp.sin(x)")
        )
    assert rounds == ["step 5", "step 3", "step 5"]  # behind the last time comes the first
    empty.workspace.selection.select_equation("jaxpr", "2")
    page.buttons["here"].click()
    assert "helping.py:2 in double: +1 equation, 3 so far" in page.place.text()
    page.buttons["out"].click()
    assert page.place.text().startswith("The trace is done: 3 equations.")
    empty.commands.actions["step_back"].trigger()
    empty.commands.actions["step_out"].trigger()
    assert page.place.text().startswith("The trace is done: 3 equations.")
    choose_row(page.lines, 0)
    assert page.tracing.step is not None and page.tracing.step.number == 0


@pytest.mark.slow
def test_a_text_greys_what_is_not_there_and_nothing_is_faded_behind_the_page(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    open_call(empty, qtbot, tmp_path)
    page, pane = begin(empty, qtbot), pane_of(empty, "jaxpr")
    choose_row(page.lines, 2)
    pane.set_form(Form.TEXT)
    (first,) = [n for n, line in enumerate(pane.code.lines) if " sin a" in line]
    assert set(pane.code._faded) == {first + 1, first + 2}
    assert len(lit(empty)) == 2
    empty.pages.close_drawer()
    assert len(lit(empty)) == 5 and not pane.code._faded
    source = pane_of(empty, SOURCE)
    assert not any(mark is Mark.SELECTED for mark in source.code.marks.values())
    empty.pages.show_page("stepping")
    assert len(lit(empty)) == 2 and len(pane.code._faded) == 2
    page.stage.activated.emit(page.stage.findData(""))  # by equations again
    assert len(lit(empty)) == 5 and page.lines.isHidden() and not page._body.isHidden()
    canvas = pane.canvas
    assert canvas is not None
    canvas.set_focus([1])  # a person's own is left alone
    empty.workspace.selection.select_equation("jaxpr", "1")
    assert canvas.focus == {1}


@pytest.mark.slow
def test_another_run_ends_it_and_another_call_in_the_bar_makes_it_old(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    open_call(empty, qtbot, tmp_path)
    page = begin(empty, qtbot)
    choose_row(page.lines, 2)
    empty.call_bar.edit.setText("taught(f32[4])")
    assert "This is of an earlier run" in page.note.text() and len(lit(empty)) == 2
    (tmp_path / "program.py").write_text(PROGRAM.replace("range(2)", "range(3)"))
    empty.controller.note_file_changed()
    assert page.tracing.is_old
    state = empty.controller
    qtbot.waitUntil(lambda: not state.state.is_running and not state.state.is_stale, timeout=60_000)
    assert page.tracing.tracing is None and not page.lines.rows.rowCount()
    assert len(lit(empty)) == 6 and "Step begins before the first line" in page.place.text()
    empty.commands.actions["step"].trigger()
    qtbot.waitUntil(lambda: page.tracing.tracing is not None, timeout=60_000)
    assert page.lines.rows.rowCount() == 10 and lit(empty) == {"in:0"}


def test_a_call_that_fails_while_it_is_traced_tells_its_lines(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    open_call(empty, qtbot, tmp_path, "fails(f32[3])")
    assert empty.controller.state.capture is None
    page, source = begin(empty, qtbot), pane_of(empty, SOURCE)
    empty.commands.actions["step"].trigger()
    assert "Adds 1 equation: add." in page.note.text()
    assert source.code.marks[line_of("    y = x + 1") - 1] is Mark.SELECTED
    page.buttons["end"].click()
    assert page.place.text().startswith("Here the trace ended.")
    assert "asks for the value of a traced array" in page.place.text()
    assert "Python's if, while" in page.place.text()
    page.buttons["back"].click()
    assert "program.py:" + str(line_of("    if y[0] > 0:")) in page.place.text()


def test_a_trace_without_end_is_stopped(empty: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    controller = empty.controller
    empty.open_path(str(tmp_path / "program.py"), "endless(f32[3])")
    qtbot.waitUntil(lambda: controller.state.step_name == "trace", timeout=60_000)
    controller.stop()
    qtbot.waitUntil(lambda: not controller.state.is_running, timeout=60_000)
    began = tmp_path / "program.py.began"
    began.unlink(missing_ok=True)
    empty.commands.actions["trace_lines"].trigger()
    page = page_of(empty)
    qtbot.waitUntil(began.exists, timeout=60_000)
    qtbot.waitUntil(lambda: "line by line" in page.place.text(), timeout=60_000)
    page.stop_button.click()
    qtbot.waitUntil(lambda: page.tracing.tracing is not None, timeout=60_000)
    page.buttons["end"].click()
    assert page.place.text() == "Here the trace ended. It was stopped."
    page.buttons["back"].click()
    assert "endless" in page.place.text() and page.lines.rows.rowCount() > 2


@pytest.fixture
def recorded(driver: Driver, source: Path) -> tuple[Driver, SteppingPage, RecordedRun]:
    """A window whose worker has told three lines, and calls the function again."""
    driver.finish(driver.open(source), build_capture())
    driver.window.commands.actions["trace_lines"].trigger()
    run, page = driver.wait_for(TraceLinesRequest), page_of(driver.window)
    driver.wait_until(lambda: bool(driver.window.controller._bridge._runs[page.tracing._run]))
    return driver, page, run


def traced(**told: object) -> ResultGrew:
    lines = tuple(
        TracedLine(
            "/model.py",
            4 + n,
            f"line {n}",
            "f",
            1,
            equations=(RecordedEquation(str(n), "sin", ""),),
        )
        for n in range(2)
    )
    return ResultGrew(Tracing("f(x)", HERE, "jaxpr", 2, lines=lines, num_lines=2, **told))


def test_stop_gives_the_lines_so_far_and_a_second_ends_the_worker(
    recorded: tuple[Driver, SteppingPage, RecordedRun],
) -> None:
    driver, page, run = recorded
    assert page.tracing.is_waiting and page.stop_button.isVisible()
    page.buttons["end"].click()  # is left out meanwhile
    page.stop_button.click()
    assert run.was_skipped and not run.was_killed
    page.stop_button.click()
    assert run.was_killed and "process was ended" in page.note.text()
    page.buttons["forward"].click()
    second = driver.wait_for(TraceLinesRequest, 2)
    second.tell(traced(failure="It was stopped."))
    driver.wait_until(lambda: page.tracing.tracing is not None)
    page.buttons["forward"].click()
    assert page.place.text().startswith("step 1 of 2")
    assert driver.window.workspace.selection.growth is not None
    assert driver.window.workspace.selection.growth.graph is None  # of what there is no drawing


def test_a_worker_that_dies_leaves_what_it_told(
    recorded: tuple[Driver, SteppingPage, RecordedRun],
) -> None:
    driver, page, run = recorded
    run.tell(traced(no_reruns="It is being called."))
    driver.wait_until(lambda: page.tracing.tracing is not None)
    assert page.tracing.doing and page.stop_button.isVisible()  # while lines are gone through
    page.buttons["forward"].click()
    assert page.place.text().startswith("step 1 of 2")
    run.tell(Failed(WorkerLost("The worker died.")))
    driver.wait_until(lambda: "The worker died." in page.note.text())
    assert page.lines.rows.rowCount() == 2 and page.place.text().startswith("step 1 of 2")
    page.buttons["end"].click()
    assert "not known: It is being called" in page.place.text()


NEWLINES = "\n" * 100
FAR = f"""import jax.numpy as jnp


def near(x):
    return far(x)


{NEWLINES}
def far(x):
    return jnp.sin(x)
"""


@pytest.mark.slow
def test_the_line_that_ran_is_brought_into_sight(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(FAR)
    open_call(empty, qtbot, tmp_path, "near(f32[3])")
    page, code = begin(empty, qtbot), pane_of(empty, SOURCE).code

    def is_seen(line: int) -> bool:
        ((top, bottom),) = code.places_of_lines([line - 1])
        return top >= 0 and bottom <= code.viewport().height()

    calling, far = 5, len(FAR.splitlines())
    choose_row(page.lines, 0)
    assert is_seen(calling) and not is_seen(far)
    choose_row(page.lines, 1)
    assert code.marks[calling - 1] is Mark.FORWARD  # the equation is of both lines
    assert is_seen(far)


def test_what_is_drawn_of_a_call_before_is_not_faded(driver: Driver, source: Path) -> None:
    driver.finish(driver.open(source), build_capture())
    window = driver.window
    window.controller.run("other(f32[3])", "cpu")
    driver.wait_for(CaptureRequest, 2).tell(Failed(UsageError("It fails now and then.")))
    driver.wait_until(lambda: not window.controller.state.is_running)
    window.commands.actions["trace_lines"].trigger()
    driver.wait_for(TraceLinesRequest).tell(traced())
    driver.wait_until(lambda: page_of(window).tracing.tracing is not None)
    growth = window.workspace.selection.growth
    assert growth is not None and growth.graph is None


@pytest.mark.slow
def test_presenting_goes_by_lines(empty: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    def press(key: Qt.Key) -> str:
        QTest.keyClick(empty, key)
        return caption.text()

    open_call(empty, qtbot, tmp_path)
    page = begin(empty, qtbot)
    page.buttons["end"].click()
    selection = empty.workspace.selection
    selection.select_equation("jaxpr", "1")
    steps, caption = empty.presenting.steps, empty.presenting.caption
    empty.workspace.show_stage("jaxpr")
    empty.toggle_presenting()
    empty.activateWindow()
    qtbot.waitUntil(lambda: empty.isActiveWindow() and caption.isVisible())
    assert caption.text().endswith("line by line") or "sin" in caption.text()
    on, back = Qt.Key.Key_Space, Qt.Key.Key_Backspace
    assert press(on).startswith("The start") and lit(empty) == {"in:0"}
    told = press(on).split("\n")
    assert told[0].startswith("step 1 of 8") and told[1] == 'print("tracing")'
    assert told[2] == "Now, in Python: print; the compiled program does not do it."
    press(on)
    adds = "Adds 1 equation: sin (0)."
    assert press(on).endswith(f"\nx = jnp.sin(x)\n{adds}") and selected(selection) == ["0"]
    assert press(back).endswith("\nRound 1 of 2 of a loop of Python's.")
    assert press(on).endswith(adds) and lit(empty) == {"in:0", "0"}
    selection.select_equation("jaxpr", "2")  # by the mouse: the way waits
    assert caption.text().startswith("mul: ")
    assert press(on).endswith(adds) and selected(selection) == ["0"]
    empty.toggle_presenting()
    assert selected(selection) == ["1"], "as before"
    assert steps.tracing.step is not None and lit(empty) == {"in:0", "0"}  # the page is seen again


@pytest.mark.slow
def test_presenting_says_how_a_trace_without_end_is_stopped(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """Nothing but the picture is on the screen then: no button could be seen."""
    caption, controller = empty.presenting.caption, empty.controller
    empty.open_path(str(tmp_path / "program.py"), "endless(f32[3])")
    empty.toggle_presenting()
    empty.activateWindow()
    qtbot.waitUntil(lambda: controller.state.step_name == "trace", timeout=60_000)
    qtbot.waitUntil(lambda: caption.text().endswith("Esc stops"))
    QTest.keyClick(empty, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not controller.state.is_running, timeout=60_000)
    empty.tracing.choose(is_chosen=True)
    (tmp_path / "program.py.began").unlink(missing_ok=True)
    QTest.keyClick(empty, Qt.Key.Key_Space)
    qtbot.waitUntil((tmp_path / "program.py.began").exists, timeout=60_000)
    qtbot.waitUntil(lambda: caption.text().endswith("Esc stops"), timeout=60_000)
    QTest.keyClick(empty, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: empty.tracing.tracing is not None, timeout=60_000)
    assert empty.presenting.is_on, "the wait is over, nothing else"
    assert not caption.text().endswith("Esc stops")
    QTest.keyClick(empty, Qt.Key.Key_Escape)
    assert not empty.presenting.is_on


LESSON = """# Taught

Show: program.py::taught(f32[3])
Stage: jaxpr

A loop.

## By lines

Steps: lines

How many rounds?

Reveal:

Two.

## At four

Show: program.py::taught(f32[4])

The same.
"""


SHOWN = "Reveal:\n\nShow: program.py::fails(f32[3])\n\nB\n"


@pytest.mark.slow
def test_a_lesson_goes_by_lines_where_it_says_so(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    def press(key: Qt.Key) -> str:
        QTest.keyClick(empty, key)
        qtbot.waitUntil(
            lambda: (
                not steps.is_waiting
                and not steps.run.doing
                and not empty.controller.state.is_running
            ),
            timeout=60_000,
        )
        return caption.text()

    (tmp_path / "taught.md").write_text(LESSON)
    empty._settings.add_trusted_folder(str(tmp_path))
    empty._open_chosen(str(tmp_path / "taught.md"))
    qtbot.waitUntil(lambda: empty.controller.state.capture is not None, timeout=60_000)
    page = page_of(empty)
    assert not page.tracing.is_chosen and not page.isVisible()
    empty.walk.go_on()
    qtbot.waitUntil(lambda: page.tracing.tracing is not None, timeout=60_000)
    assert page.isVisible() and page.place.text().startswith("The start")
    empty.walk.go_on()  # what it reveals is about the same lines
    assert page.tracing.is_chosen and page.tracing.tracing is not None
    empty.walk.go_on()
    assert not page.tracing.is_chosen and not page.lines.isVisible()
    steps, caption = empty.presenting.steps, empty.presenting.caption
    empty.walk.go_to(1)
    qtbot.waitUntil(lambda: page.tracing.tracing is not None, timeout=60_000)
    empty.toggle_presenting()
    empty.activateWindow()
    qtbot.waitUntil(lambda: empty.isActiveWindow() and caption.isVisible())
    on = Qt.Key.Key_Space
    assert caption.text() == "By lines\nHow many rounds?"
    assert press(on).endswith("Two.")
    assert press(on).startswith("The start") and "N: on with the lesson" in caption.text()
    assert press(on).split("\n")[1] == 'print("tracing")'
    assert press(Qt.Key.Key_N) == "At four\nThe same."
    assert press(on).startswith("The arguments")  # by equations
    empty.toggle_presenting()


def test_other_steps_of_a_lesson_are_wrong(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    path = tmp_path / "taught.md"
    shown = [part.shown.steps for part in parse_text_lesson(LESSON, path).parts]
    revealed = [part.revealed.steps for part in parse_text_lesson(LESSON, path).parts]
    assert shown == revealed == ["", "lines", ""]
    (*_, last) = parse_text_lesson(f"{LESSON}\n## Both\n\nSteps: lines\n\nA\n{SHOWN}", path).parts
    assert (last.revealed.call, last.revealed.steps) == ("fails(f32[3])", "lines")
    with pytest.raises(UsageError) as caught:
        parse_text_lesson(LESSON.replace("Steps: lines", "Steps: rounds"), path)
    assert caught.value.explanation.where == "taught.md:10"


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("file", "call"),
    [
        ("control_flow.py", "newton_sqrt(2.0)"),
        ("control_flow.py", "leaky(f32[()])"),
        ("quick_start.py", "grad(simple_graph)(f32[3])"),
        ("pure_and_impure.py", "add_captured_bias(f32[3])"),
        ("transformer.py", "scanned_loss(stack_layers(init(key(0))), tokens(key(1)))"),
    ],
)
def test_a_node_comes_behind_all_that_it_reads(file: str, call: str) -> None:
    path = str(SAMPLES / file)
    capture, tracing = (
        ask(CaptureRequest(path, call), Capture),
        ask(TraceLinesRequest(path, call), Tracing),
    )
    graph = graph_named(capture.stages, tracing.stage)
    assert graph is not None
    births, end = find_births(graph, tracing), len(tracing.lines)
    for source, _, target, _ in graph.edges.ends():
        assert births[source] <= births[target], (graph.id(source), graph.id(target))
    for node, birth in enumerate(births):
        is_top, kind = "/" not in graph.id(node), graph.nodes.kind[node]
        if kind == NodeKind.EQUATION:
            assert 0 <= birth < end
            added = [each.id for each in tracing.lines[birth].equations]
            assert graph.id(node) in added or not is_top
        elif is_top and kind == NodeKind.INPUT:
            assert birth == -1
        elif is_top and kind == NodeKind.OUTPUT:
            assert birth == end
        elif kind == NodeKind.CONSTANT:
            assert -1 < birth < end
