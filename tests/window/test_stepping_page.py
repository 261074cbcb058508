"""The page *Step*, over a session that remembers and over real workers."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from jaxscope.client.events import ArrayViewed, Failed, Stepped, SteppingReady
from jaxscope.client.requests import StepRequest
from jaxscope.client.session import Session
from jaxscope.errors import WorkerLost
from jaxscope.model.values import (
    ArrayDifference,
    ArraySummary,
    ArrayView,
    Step,
    Stepping,
    StepValue,
)
from jaxscope.schema.archive import save_capture
from jaxscope.ui.application import build_window
from jaxscope.ui.figures.array_figures import ArrayPicture
from jaxscope.ui.pages.stepping import SteppingPage
from jaxscope.ui.panes.pane_area import FIRST_ARRANGEMENT
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.session.screen import compute_screen
from jaxscope.ui.toolkit.result_table import choose_row
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.presentation import Caption, _join
from jaxscope.ui.window.settings import Settings

from .conftest import Driver, destroy
from .programs import RecordedRun, build_capture
from .test_text_lessons import NOTED
from .test_timing_page import HERE

ONE = ArraySummary((), "float32", 1.0, 1.0, 1.0, text="1.")


def page_of(window: MainWindow) -> SteppingPage:
    page = window.pages["stepping"]
    assert isinstance(page, SteppingPage)
    return page


@pytest.fixture
def ready(driver: Driver, source: Path) -> tuple[Driver, SteppingPage, RecordedRun]:
    """A window that steps, at the first equation."""
    driver.finish(driver.open(source), build_capture())
    window = driver.window
    assert window.row.names["stepping"].isHidden()  # nothing is added to the first glance
    window.commands.actions["step"].trigger()
    return driver, *stand_at_the_first(driver)


def stand_at_the_first(driver: Driver) -> tuple[SteppingPage, RecordedRun]:
    """Answer what began to step: it stands at the first equation."""
    run, page = driver.wait_for(StepRequest), page_of(driver.window)
    driver.wait_until(lambda: bool(driver.window.controller._bridge._runs[page.run._run]))
    run.tell(SteppingReady(Stepping("f(x)", HERE, "jaxpr", 2, ("x",))))
    driver.wait_until(lambda: len(run.sent) == 1)
    answer(driver, run, page, "0")
    return page, run


def answer(driver: Driver, run: RecordedRun, page: SteppingPage, equation: str) -> None:
    """Answer for the worker where the run is."""
    value = StepValue("result", 0, "result", "f32[]", ONE)
    run.tell(Stepped(Step(len(run.sent), equation, operation="sin", values=(value,))))
    driver.wait_until(lambda: page.run.step is not None and page.run.step.equation == equation)


def test_the_present_equation_is_selected_and_its_value_asked_for(
    ready: tuple[Driver, SteppingPage, RecordedRun],
) -> None:
    driver, page, run = ready
    assert driver.window.workspace.selection.place == ("jaxpr", "0")
    assert run.sent[-1].type == "look" and "0 sin" in page.place.text()
    assert run.request.timeout_s is None


def test_the_stage_that_is_stepped_through_comes_into_sight_once(
    driver: Driver, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    window, area = driver.window, driver.window.workspace.area
    area.arrange(FIRST_ARRANGEMENT)
    window.workspace.show_stage("optimized")
    driver.wait_until(lambda: "optimized" in area.shown_stages())
    stepped = page_of(window).run.stage_name
    assert stepped not in area.shown_stages()
    window.commands.actions["step"].trigger()
    assert stepped in area.shown_stages()
    stand_at_the_first(driver)
    window.workspace.show_stage("optimized")  # a person looks at what became of it
    window.commands.actions["step"].trigger()
    assert "optimized" in area.shown_stages()


def test_the_slice_is_asked_for_where_there_is_one(
    ready: tuple[Driver, SteppingPage, RecordedRun],
) -> None:
    driver, page, run = ready
    assert page.slice.isHidden()  # of a number
    many = ArraySummary((8, 3), "float32", 0.0, 1.0, 0.5)
    page.buttons["forward"].click()
    value = StepValue("result", 0, "result", "f32[8,3]", many)
    run.tell(Stepped(Step(len(run.sent), "1", operation="tanh", values=(value,))))
    driver.wait_until(lambda: not page.slice.isHidden())
    page.buttons["end"].click()
    run.tell(Stepped(Step(len(run.sent), is_end=True)))
    driver.wait_until(page.slice.isHidden)


def test_a_value_is_held_and_others_are_compared_with_it(
    ready: tuple[Driver, SteppingPage, RecordedRun],
) -> None:
    driver, page, run = ready

    def tell(**fields: Any) -> None:
        seen = {"cells": ("1.",), "num_rows": 1, "num_columns": 1, "summary": ONE}
        run.tell(ArrayViewed(ArrayView(page.run._look, **seen, **fields)))

    tell()
    driver.wait_until(lambda: page.run.view is not None)
    page.compared["held"].trigger()
    assert run.sent[-1].fields["holds"] is True
    tell(against="0 result", difference=ArrayDifference(8, 3, 1, 1e-7, 2, (0, 3)))
    driver.wait_until(lambda: "Against 0 result" in page.of_numbers.text())
    for part in ("3 of 8 elements differ", "1e-07 at [0, 3]", "by 2 ULPs", "1 by NaN or Inf"):
        assert part in page.of_numbers.text()
    assert page.compare_button.isChecked()
    page.compared["held"].trigger()
    assert run.sent[-1].fields["holds"] is False
    tell()
    driver.wait_until(lambda: not page.of_numbers.text())
    assert not page.compare_button.isChecked()


def test_in_a_wide_window_the_pictures_have_what_the_tables_do_not_use(
    ready: tuple[Driver, SteppingPage, RecordedRun],
) -> None:
    driver, page, _ = ready
    driver.window.resize(2560, 1440)
    driver.wait_until(lambda: page.width() > 2400)
    driver.wait_until(lambda: page.picture.width() >= page.width() / 3)
    driver.window.resize(1280, 720)
    driver.wait_until(lambda: page.width() < 1300)
    assert page.values.width() >= page.width() / 3


def test_a_picture_explains_only_the_colours_that_it_has(qtbot: QtBot) -> None:
    picture = ArrayPicture()
    qtbot.addWidget(picture)
    summary = ArraySummary((3,), "float32", 1.0, 2.0, 1.5)
    row = np.array([[1.0, 2.0, math.nan]])
    for kind, told in ((0, ""), (1, " · NaN red"), (2, " · Inf yellow")):
        odd = np.array([[0, 0, kind]], np.int32)
        shape = {"shape": (3,), "picture": row, "highest": row}
        picture.show_view(ArrayView(1, summary=summary, odd=odd, **shape))
        assert picture.describe() == f"1 to 2{told}"


def test_what_is_said_below_a_picture_takes_two_lines_where_one_is_too_short(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = list[str]()
    monkeypatch.setattr(QPainter, "drawText", lambda _painter, *words: said.append(words[-1]))
    picture = ArrayPicture()
    qtbot.addWidget(picture)
    row = np.array([[-1.0, 2.0, 1.5]])
    summary, odd = ArraySummary((3,), "float32", -1.0, 2.0, 1.5), np.zeros((1, 3), np.int32)
    empty = np.zeros((0, 0))
    view = ArrayView(1, summary=summary, odd=odd, shape=(3,), picture=row, highest=empty)
    picture.show_view(view)
    metrics = picture.fontMetrics()
    width = round(0.7 * metrics.horizontalAdvance(picture.describe()))
    for num_lines, is_whole in ((8, True), (3, False)):
        picture.resize(width, num_lines * metrics.height())
        picture.grab()
        assert said and (said[-1] == picture.describe()) == is_whole
    assert "blue above 0, orange below" in picture.describe()


def test_stop_leaves_the_place_and_a_second_ends_the_worker(
    ready: tuple[Driver, SteppingPage, RecordedRun],
) -> None:
    driver, page, run = ready
    page.buttons["end"].click()
    page.buttons["end"].click()  # is left out meanwhile
    assert [each.fields["to"] for each in run.sent if each.type == "move"] == ["start", "end"]
    page.stop_button.click()
    assert run.was_skipped and not run.was_killed and page.run.doing
    run.tell(Stepped(Step(2, is_unmoved=True, note="It was stopped.")))
    driver.wait_until(lambda: not page.run.doing)
    assert "It was stopped." in page.note.text() and "0 sin" in page.place.text()
    page.buttons["end"].click()
    page.stop_button.click()
    page.stop_button.click()
    assert run.was_killed and "process was ended" in page.note.text()
    page.buttons["forward"].click()  # another one comes back to the place, and goes on
    second = driver.wait_for(StepRequest, 2)
    driver.wait_until(lambda: bool(driver.window.controller._bridge._runs[page.run._run]))
    second.tell(SteppingReady(Stepping("f(x)", HERE, "jaxpr", 2, ("x",))))
    driver.wait_until(lambda: len(second.sent) == 1)
    second.tell(Stepped(Step(1, "0", operation="sin")))
    driver.wait_until(lambda: len(second.sent) >= 2)
    asked = [(each.fields["to"], each.fields.get("equation")) for each in second.sent[:2]]
    assert asked == [("place", "0"), ("forward", None)]


def test_a_worker_that_dies_and_another_program(
    ready: tuple[Driver, SteppingPage, RecordedRun], source: Path
) -> None:
    driver, page, run = ready
    run.tell(Failed(WorkerLost("The worker died.")))
    driver.wait_until(lambda: "The worker died." in page.note.text())
    assert page.values.rows.rowCount() == 1 and "0 sin" in page.place.text()
    driver.window.controller.run("grad(f)(f32[3])", "cpu")
    capture = driver.wait_for(type(driver.session.runs[1].request), 2)
    driver.finish(capture, build_capture())
    assert page.run.step is None and not page.values.rows.rowCount()


def test_nothing_of_a_program_stands_beside_another_file(
    ready: tuple[Driver, SteppingPage, RecordedRun], tmp_path: Path
) -> None:
    driver, page, _ = ready
    other = tmp_path / "other.py"
    other.write_text("def g(x):\n    return x\n", "utf-8")
    driver.window.controller.open_file(str(other))
    assert page.run.step is None and page.run.stepping is None and not page.run._run
    assert not page.values.rows.rowCount() and "sin" not in page.place.text()


def test_what_is_no_condition_is_said_at_once(
    ready: tuple[Driver, SteppingPage, RecordedRun],
) -> None:
    _, page, run = ready
    num_sent = len(run.sent)
    page.condition.setText("large")
    QTest.keyClick(page.condition, Qt.Key.Key_Return)
    assert "is no condition" in page.note.text() and len(run.sent) == num_sent


PROGRAM = """
import jax, jax.numpy as jnp

# jaxscope: f(jnp.arange(6.0).reshape(2, 3) - 1)


def f(x):
    total, logs = jax.lax.scan(lambda c, row: (c + row, jnp.log(row)), jnp.zeros(3), x)
    return total, logs
"""


@pytest.fixture
def empty(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    """A window over real workers."""
    bridge = Bridge(Session)
    window = build_window(qapp, bridge, RunOptions(), Settings(str(tmp_path / "window.json")))
    window.resize(1280, 720)
    window.show()
    yield window
    destroy(window)
    bridge.close()


@pytest.fixture
def real(empty: MainWindow, qtbot: QtBot, tmp_path: Path) -> MainWindow:
    """The same, where a program is open and captured."""
    (tmp_path / "program.py").write_text(PROGRAM)
    empty.open_path(str(tmp_path / "program.py"))
    qtbot.waitUntil(lambda: empty.controller.state.capture is not None, timeout=60_000)
    return empty


@pytest.mark.slow
def test_real_numbers_are_stepped_through_by_keys_and_buttons(
    real: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    def wait() -> None:
        qtbot.waitUntil(lambda: not run.doing and run.view is not None, timeout=60_000)

    real.commands.actions["step"].trigger()
    page = page_of(real)
    run = page.run
    wait()
    assert page.place.text().startswith("The start") and page.numbers.rows.rowCount() == 2
    (canvas,) = real.workspace.area.canvases()
    qtbot.waitUntil(lambda: canvas.scene is not None and canvas.scene.items.num_frames == 1)
    assert canvas.scene is not None
    canvas.toggle_group(canvas.scene.items.ids[0])
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.scene.items.num_frames)
    page.buttons["origin"].click()
    wait()
    qtbot.waitUntil(lambda: canvas.scene is not None and "log" in canvas.scene.items.titles)
    assert "round 0 of 2" in page.place.text() and "log(-1) is nan" in page.chain.text()
    assert run.view is not None and run.view.cells == ("nan", "-inf", "0.0")
    assert run.view.odd.tolist() == [[1, 2, 0]]
    assert real.workspace.selection.place == ("jaxpr", run.step.equation if run.step else "")
    page.condition.setText("> 5")
    page.until.click()
    wait()
    assert run.step is not None and run.step.is_end  # all numbers are below
    page.slice.setText("[0, 1:]")
    choose_row(page.values, 1)
    qtbot.waitUntil(lambda: page.slice.text() == "[:, :]")
    page.slice.setText("[0, 1:]")
    QTest.keyClick(page.slice, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: run.view is not None and run.view.cells == ("-inf", "0.0"))
    assert page.numbers.rows.index(0, 0).data() == "1"
    np.save(tmp_path / "x.npy", np.ones((2, 3), np.float32))
    run.load("x", str(tmp_path / "x.npy"))
    wait()
    assert run.step is not None and run.step.values[0].summary.max == 1.0
    page.buttons["origin"].click()
    wait_for_note = "No equation makes NaN or Inf"
    qtbot.waitUntil(lambda: wait_for_note in page.note.text(), timeout=60_000)
    np.save(tmp_path / "x.npy", np.ones(3, np.float32))
    run.load("x", str(tmp_path / "x.npy"))
    qtbot.waitUntil(lambda: "shape (3,)" in page.note.text(), timeout=60_000)
    assert not run.doing


def test_the_gradient_of_two_arrays_is_named_that_of_their_sum(
    real: MainWindow, qtbot: QtBot
) -> None:
    choice = page_of(real).stage
    qtbot.waitUntil(lambda: choice.findData("gradient") >= 0, timeout=60_000)
    assert choice.itemText(choice.findData("gradient")) == "gradient of its sum"
    assert compute_screen(real.controller.state).steps[-1].title == "gradient of its sum"


@pytest.mark.slow
def test_the_values_of_jit_and_float64_stand_beside_the_eager_ones(
    real: MainWindow, qtbot: QtBot
) -> None:
    real.commands.actions["step"].trigger()
    page = page_of(real)
    run = page.run
    qtbot.waitUntil(lambda: not run.doing and run.view is not None, timeout=60_000)
    page.buttons["end"].click()
    qtbot.waitUntil(lambda: run.step is not None and run.step.is_end and run.view is not None)
    for name in ("jit", "float64"):
        page.compared[name].trigger()
    qtbot.waitUntil(lambda: run.view is not None and len(run.view.forms) == 2, timeout=60_000)
    headers = [page.numbers.rows.headerData(n, Qt.Orientation.Horizontal) for n in range(4)]
    assert headers == ["", "eager", "jit", "float64"]
    rows = [[page.numbers.rows.index(r, c).data() for c in range(1, 4)] for r in range(3)]
    assert rows == [["1.0"] * 3, ["3.0"] * 3, ["5.0"] * 3]
    assert "Eager against jit: no difference in 3 elements." in page.of_numbers.text()
    assert page.compare_button.isChecked()
    page.compared["trials"].trigger()  # where nothing differs there is nothing to look for
    qtbot.waitUntil(lambda: page.of_numbers.text() != "Compiling …", timeout=60_000)
    assert "Without" not in page.of_numbers.text()
    for name in ("jit", "float64", "trials"):
        page.compared[name].trigger()
    qtbot.waitUntil(lambda: run.view is not None and not run.view.forms)
    assert not page.compare_button.isChecked() and not page.of_numbers.text()


@pytest.mark.slow
def test_the_page_of_all_steps_is_written_stopped_or_refused(
    real: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    exporter, out = real.files.exporter, tmp_path / "steps.html"
    real.commands.actions["ask_export_steps"].trigger()
    (dialog,) = real.findChildren(QFileDialog)
    assert dialog.selectedFiles()[0].endswith("-steps.html")
    dialog.filterSelected.emit("pdf (*.pdf)")
    assert dialog.selectedFiles()[0].endswith("-steps.pdf") and dialog.defaultSuffix() == "pdf"
    dialog.close()
    told: list[str] = []
    exporter.progressed.connect(lambda doing, _share: told.append(doing))
    with qtbot.waitSignal(exporter.finished, timeout=60_000) as done:
        real.files.export_steps(str(out))
    assert str(out) in str(done.args)
    page = out.read_text("utf-8")
    assert page.count("<article") >= 3 and "The results" in page
    assert told
    out.unlink()
    with qtbot.waitSignal(exporter.stopped, timeout=60_000):
        real.files.export_steps(str(out))
        qtbot.waitUntil(lambda: exporter.is_running)
        assert real.files.stop_export()
    assert not out.exists()
    with qtbot.waitSignal(exporter.failed, timeout=60_000) as failed:
        real.files.export_steps(str(tmp_path / "none" / "steps.html"))
    assert "was not written" in str(failed.args)


def test_of_a_saved_capture_no_page_of_steps_is_made(window: MainWindow, tmp_path: Path) -> None:
    ask = window.commands.actions["ask_export_steps"].trigger
    ask()
    assert "no call" in str(window.controller.state.error)
    save_capture(build_capture(), tmp_path / "a.jaxscope")
    window.files.load_first(str(tmp_path / "a.jaxscope"))
    ask()
    assert "has to run" in str(window.controller.state.error)
    assert not window.findChildren(QFileDialog)


def wait_for_run(qtbot: QtBot, window: MainWindow) -> None:
    """Wait until the call of the line has run."""

    def has_run() -> bool:
        state = window.controller.state
        return "line" in state.call and state.capture is not None and not state.is_running

    qtbot.waitUntil(has_run)


LESSON = '''"""A line: what it says.

Look at: the two operations.

Predict: what is `3 * 2 + 1`?

Then see: it is 7.
"""


# jaxscope: line(3.0)
def line(x):
    return x * 2.0 + 1.0
'''


def present_lesson(
    empty: MainWindow, qtbot: QtBot, folder: Path, selected: str = ""
) -> Callable[[Qt.Key], str]:
    """Open and present the lesson; returns what presses a key and returns the caption then."""
    steps, caption = empty.presenting.steps, empty.presenting.caption
    (folder / "line.py").write_text(LESSON)
    empty.open_path(str(folder / "line.py"))
    wait_for_run(qtbot, empty)
    if selected:
        empty.workspace.selection.select_equation("jaxpr", selected)
    empty.toggle_presenting()
    empty.activateWindow()
    qtbot.waitUntil(lambda: empty.isActiveWindow() and caption.isVisible())

    def press(key: Qt.Key) -> str:
        QTest.keyClick(empty, key)
        qtbot.waitUntil(lambda: not steps.run.doing, timeout=60_000)
        return caption.whole

    return press


@pytest.mark.slow
def test_presenting_asks_what_an_equation_gives_and_then_tells_it(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    press = present_lesson(empty, qtbot, tmp_path, selected="0")
    on, back = Qt.Key.Key_Space, Qt.Key.Key_Left
    steps, caption = empty.presenting.steps, empty.presenting.caption

    assert press(on) == "Look at: The two operations."
    assert press(on) == "Predict: What is 3 * 2 + 1?"
    assert press(on) == "The arguments\nx: f32[] 3."
    assert press(on).startswith("step 1 of 2 · mul: ")
    assert press(back) == "The arguments\nx: f32[] 3."
    assert empty.workspace.selection.place == ("jaxpr", "in:0"), "not the equation after it"
    assert press(on).startswith("step 1 of 2 · mul: ")
    assert caption.whole.endswith("\nf32[] 3., f32[] 2.  →  ?")
    assert empty.workspace.selection.place == ("jaxpr", "0")
    assert press(on).endswith("\nf32[] 3., f32[] 2.  →  f32[] 6.")
    assert press(on).endswith("\nf32[] 6., f32[] 1.  →  ?")
    assert press(back).endswith("\nf32[] 3., f32[] 2.  →  f32[] 6.")
    assert press(on).endswith("→  ?") and press(on).endswith("→  f32[] 7.")
    assert press(on) == "The results\nf32[] 7."
    assert press(on) == "It is 7."
    assert press(on).startswith("The end · Space")
    assert press(back) == "It is 7."
    assert press(back) == "The results\nf32[] 7."
    assert press(Qt.Key.Key_PageUp).endswith("\nf32[] 6., f32[] 1.  →  f32[] 7.")
    empty.workspace.selection.select_equation("jaxpr", "0")  # by the mouse: the way waits
    assert caption.whole.startswith("mul: ")
    assert press(Qt.Key.Key_PageDown).endswith("\nf32[] 6., f32[] 1.  →  f32[] 7.")
    assert empty.workspace.selection.place == ("jaxpr", "1")
    assert press(on) == "The results\nf32[] 7."
    empty.call_bar.edit.setFocus()
    QTest.keyClick(empty.call_bar.edit, on)  # is typed
    assert caption.whole == "The results\nf32[] 7." and empty.call_bar.edit.text().count(" ") == 1
    assert empty.workspace.selection.place == ("jaxpr", "out:0"), "the picture shows the same"
    empty.toggle_presenting()
    assert empty.workspace.selection.place == ("jaxpr", "0"), "as before"
    empty.workspace.area.setFocus()
    QTest.keyClick(empty, on)
    assert caption.isHidden() and not steps.run.doing


@pytest.mark.slow
def test_presenting_goes_on_with_the_lesson_of_the_file_without_the_equations(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    press = present_lesson(empty, qtbot, tmp_path)
    on, skip = Qt.Key.Key_Space, Qt.Key.Key_N
    assert press(skip) == "Look at: The two operations."
    assert press(skip) == "Predict: What is 3 * 2 + 1?"
    assert press(skip) == "It is 7."
    assert press(Qt.Key.Key_Left) == "Predict: What is 3 * 2 + 1?"
    assert press(on).startswith("The arguments")
    assert press(on).endswith("→  ?")
    assert press(skip) == "It is 7."
    assert press(Qt.Key.Key_Left).endswith("→  ?")


@pytest.mark.sweep(1)
@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Right, Qt.Key.Key_N])
def test_each_key_that_goes_on_does_so_after_the_equations_were_left_out(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path, key: Qt.Key
) -> None:
    press, caption = present_lesson(empty, qtbot, tmp_path), empty.presenting.caption
    opening = caption.whole
    for _ in range(3):
        press(Qt.Key.Key_N)
    assert caption.whole == "It is 7."
    told = [press(key) for _ in range(8)]  # the equations that were left out, and the end
    assert told[0].startswith("The arguments") and told[1].endswith("→  ?")
    assert len(set(told)) == len(told), "each press shows something else"
    assert told[5].startswith("The results") and told[6].startswith("The end")
    assert told[7] == opening
    press(key)
    assert caption.whole == "Look at: The two operations."


OTHER_LESSON = (
    LESSON.replace("two operations", "one operation")
    .replace("3 * 2 + 1", "4 * 4")
    .replace("it is 7", "it is 16")
    .replace("# jaxscope: line(3.0)", "above = 0\n" * 99 + "# jaxscope: line(4.0)")
    .replace("x * 2.0 + 1.0", "x * x")
)


@pytest.mark.slow
def test_a_file_that_is_opened_while_presenting_begins_its_own_lesson(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """Nothing is said of the one before, and its answer is given only when it is asked for."""

    def open_other(text: str, call: str) -> None:
        path = tmp_path / f"of_{call}.py"
        path.write_text(text)
        empty.open_path(str(path))
        assert "operation" not in caption.whole and "f32[]" not in caption.whole
        qtbot.waitUntil(lambda: empty.controller.state.call == call)
        wait_for_run(qtbot, empty)
        qtbot.waitUntil(lambda: caption.whole.startswith("jaxpr: "))

    empty.workspace.area.arrange(FIRST_ARRANGEMENT)
    press = present_lesson(empty, qtbot, tmp_path, selected="0")
    code = next(p for p in empty.workspace.area.panes if p.wanted_stage == "source").code
    on, caption = Qt.Key.Key_Space, empty.presenting.caption
    assert press(on) == "Look at: The two operations."
    open_other(OTHER_LESSON, "line(4.0)")
    told = [press(on) for _ in range(6)]
    assert told[0] == "Look at: The one operation." and told[1] == "Predict: What is 4 * 4?"
    assert told[2] == "The arguments\nx: f32[] 4." and told[5] == "The results\nf32[] 16."
    open_other(OTHER_LESSON.replace("4.0", "5.0"), "line(5.0)")
    line = OTHER_LESSON.split("\n").index("def line(x):")
    qtbot.waitUntil(lambda: code.folding.folded == (0,) and code.is_in_sight(line))
    assert press(on) == "Look at: The one operation.", "though all was gone through"
    assert press(on) == "Predict: What is 4 * 4?"
    assert press(on) == "The arguments\nx: f32[] 5."
    empty.toggle_presenting()  # as Esc does
    qtbot.waitUntil(lambda: not empty.presenting._settled.isActive())
    assert empty.lesson.isVisible() and not empty.lesson.answer_is_shown
    assert not empty.workspace.selection.places, "what was selected is of the first file"
    qtbot.wait(50)
    assert code.folding.folded == (0,) and code.is_in_sight(line)
    empty.toggle_presenting()
    qtbot.waitUntil(caption.isVisible)
    assert code.folding.folded == (0,) and code.is_in_sight(line)
    assert [press(on) for _ in range(3)][-1] == "The arguments\nx: f32[] 5."
    empty.workspace.selection.clear()
    empty._on_functions_call_chosen("line(6.0)")  # what was told is not told again
    wait_for_run(qtbot, empty)
    assert press(on) == "The arguments\nx: f32[] 6."
    open_other("# jaxscope: line(7.0)\ndef line(x):\n    return x * 6\n", "line(7.0)")
    assert press(on) == "The arguments\nx: f32[] 7.", "it has no lesson"
    empty.toggle_presenting()
    assert not empty.lesson.isVisible()


NESTED = """
import jax

# jaxscope: line(3.0)
def line(x):
    return jax.jit(lambda y: y * 2.0 + 1.0)(x) + 3.0
"""


@pytest.mark.slow
def test_presenting_says_how_many_equations_are_inside_of_its_steps(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """Steps go over what is inside, which the line of stages counts."""
    (tmp_path / "nested.py").write_text(NESTED)
    empty.open_path(str(tmp_path / "nested.py"))
    wait_for_run(qtbot, empty)
    given: dict[str, Any] = {}
    exec(NESTED, given)
    outer = jax.make_jaxpr(given["line"])(3.0).eqns
    num_inside = len(outer[0].params["jaxpr"].eqns)
    (shown,) = [card.step for card in empty.strip.cards if card.step and card.step.name == "jaxpr"]
    assert shown.size.startswith(f"{len(outer) + num_inside} equations")
    empty.toggle_presenting()
    steps, caption = empty.presenting.steps, empty.presenting.caption
    empty.activateWindow()
    qtbot.waitUntil(lambda: empty.isActiveWindow() and caption.isVisible())
    for _ in range(2):  # the arguments, and the first equation
        QTest.keyClick(empty, Qt.Key.Key_Space)
        qtbot.waitUntil(lambda: not steps.run.doing, timeout=60_000)
    told = f"step 1 of {len(outer)} (and {num_inside} equations inside of them) · "
    assert caption.whole.startswith(told)
    empty.toggle_presenting()


ANOTHER_STAGE = """
import jax.numpy as jnp

# jaxscope: line(f32[3])
def line(x):
    return jnp.sin(x * 2.0) + jnp.reshape(x, (1, 3))
"""
AS_HLO = {"mul": "multiply", "sin": "sine", "add": "add", "reshape": "reshape"}


@pytest.mark.slow
def test_presenting_another_stage_lights_in_it_what_each_equation_became(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "line.py").write_text(ANOTHER_STAGE)
    empty.open_path(str(tmp_path / "line.py"))
    wait_for_run(qtbot, empty)
    given: dict[str, Any] = {}
    exec(ANOTHER_STAGE, given)
    compiled = jax.jit(given["line"]).lower(np.ones(3, np.float32)).compile().as_text()
    equations = [str(each.primitive) for each in jax.make_jaxpr(given["line"])(np.ones(3)).eqns]
    empty.workspace.show_stage("optimized")
    pane = empty.workspace.area.active
    assert pane is not None and pane.wanted_stage == "optimized" and pane.canvas is not None
    canvas = pane.canvas
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    empty.toggle_presenting()
    steps, caption = empty.presenting.steps, empty.presenting.caption
    assert "equation by equation of jaxpr" in caption.whole
    empty.activateWindow()
    qtbot.waitUntil(lambda: empty.isActiveWindow() and caption.isVisible())

    def press() -> str:
        QTest.keyClick(empty, Qt.Key.Key_Space)
        qtbot.waitUntil(lambda: not steps.run.doing and not canvas.is_busy, timeout=60_000)
        return caption.whole

    assert press().startswith("The arguments")
    assert len(canvas._highlight.forward), "they are lit"
    for primitive in equations:
        told = press()
        assert told.startswith("jaxpr: step ") and f" · {primitive}" in told
        press()  # with its result
        view, scene, graph = canvas.view, canvas.scene, canvas._graph
        assert view is not None and scene is not None and graph is not None
        lit = scene.items.box[canvas._highlight.forward]
        names = {graph.operation(view.boxes[box].node) for box in lit.tolist()}
        is_there = f" {AS_HLO.get(primitive, primitive)}(" in compiled
        assert (AS_HLO.get(primitive) in names) == is_there, (primitive, names)
        assert ("lit" in caption.whole.rpartition("optimized: ")[2]) == is_there
        assert ("optimized: nothing comes from it (" in caption.whole) != is_there
    assert {AS_HLO.get(each) for each in equations} >= {"multiply", "sine", "reshape"}
    assert press().startswith("The results")
    assert len(canvas._highlight.selected) == 1, "the root of the program"
    empty.toggle_presenting()
    assert not empty.workspace.selection.places


GIVEN_TOGETHER = """
import jax.numpy as jnp

def parts():
    return {name: jnp.ones(3) for name in "abc"}

# jaxscope: line(parts())
def line(parts):
    return jnp.sin(parts["a"]) * parts["b"] + parts["c"]
"""


@pytest.mark.slow
def test_presenting_another_stage_leaves_the_arguments_of_one_box_in_it(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """Else most of the program is out of sight, for what its caption tells."""
    (tmp_path / "total.py").write_text(GIVEN_TOGETHER)
    empty.open_path(str(tmp_path / "total.py"))
    wait_for_run(qtbot, empty)
    empty.workspace.show_stage("optimized")
    pane = empty.workspace.area.active
    assert pane is not None and pane.wanted_stage == "optimized" and pane.canvas is not None
    canvas = pane.canvas
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    empty.toggle_presenting()
    steps, caption = empty.presenting.steps, empty.presenting.caption
    empty.activateWindow()
    qtbot.waitUntil(lambda: empty.isActiveWindow() and caption.isVisible())
    canvas.collapse_all()
    qtbot.waitUntil(lambda: not canvas.is_busy and not canvas.expanded)
    QTest.keyClick(empty, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not steps.run.doing and bool(caption.whole), timeout=60_000)
    assert caption.whole.startswith("The arguments") and len(canvas._highlight.forward)
    qtbot.wait(300)
    assert not canvas.expanded
    empty.toggle_presenting()


GROUPED = """
import jax

# jaxscope: line(3.0)
def line(x):
    with jax.named_scope("first"):
        x = x * 2.0 + 1.0
    with jax.named_scope("second"):
        return (x - 1.0) / 2.0
"""


@pytest.mark.slow
def test_presenting_opens_the_group_that_holds_the_equation(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    def press(key: Qt.Key) -> None:
        QTest.keyClick(empty, key)
        qtbot.waitUntil(lambda: not steps.run.doing, timeout=60_000)

    (tmp_path / "line.py").write_text(GROUPED)
    empty.open_path(str(tmp_path / "line.py"))
    wait_for_run(qtbot, empty)
    pane = next(p for p in empty.workspace.area.panes if p.wanted_stage == "jaxpr")
    qtbot.waitUntil(lambda: pane.canvas is not None and pane.canvas.view is not None)
    canvas = pane.canvas
    assert canvas is not None and canvas.view is not None
    groups = {box.label: box.id for box in canvas.view.boxes if box.label in ("first", "second")}
    steps = empty.presenting.steps
    empty.workspace.area.activate(pane)
    empty.toggle_presenting()
    empty.activateWindow()
    qtbot.waitUntil(empty.isActiveWindow)
    canvas.collapse_all()
    qtbot.waitUntil(lambda: not canvas.expanded)
    while empty.workspace.selection.place != ("jaxpr", "2"):
        press(Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: groups["second"] in canvas.expanded)


def test_a_caption_counts_values_that_the_worker_did_not_tell() -> None:
    values = [StepValue("operand", at, "x", "f32[]", ONE) for at in range(6)]
    assert _join(values[:4], 0) == "f32[] 1., f32[] 1., f32[] 1., f32[] 1."
    assert _join(values, 0).endswith(", 2 more")
    assert _join(values, 12).endswith(", 14 more")
    assert _join(values[:3], 12).endswith(", 12 more")


def test_a_caption_tells_fewer_numbers_of_more_arrays_and_ends_no_line_in_them(
    qtbot: QtBot,
) -> None:
    """Such as those of a matrix product: two operands and the result."""
    text = "[1.1176 -1.3871 -0.4266 … 0.7727 -1.321 2.085]"

    def value(name: str) -> StepValue:
        return StepValue("operand", 0, name, "f32[64,32]", ArraySummary((64, 32), "f32", text=text))

    assert _join([value("a")], each=80) == f"f32[64,32] {text}"
    assert _join([value("a")], each=36) == "f32[64,32] [1.1176 -1.3871 … 2.085]"
    three = _join(map(value, "abc"), each=32)
    assert three == ", ".join(["f32[64,32] [1.1176 … 2.085]"] * 3) and len(three) < 100
    long = [dataclasses.replace(value(f"p{'[0]' * 30}"), kind="argument") for _ in range(3)]
    assert _join(long, 5).count("p[0]") == 1 and _join(long, 5).endswith(", 7 more")
    caption = Caption()
    qtbot.addWidget(caption)
    caption.resize(420, 200)
    caption.setText(f"dot_general\n{', '.join([f'f32[2] {text}'] * 4)}")
    assert caption.whole.count(" ") > caption.text().count(" ")
    numbers = [found for found in re.findall(r"\[[^\]]*\]", caption.text()) if "…" in found]
    assert len(numbers) == 4 and all(" " not in found for found in numbers)


@pytest.mark.slow
def test_a_presented_lesson_of_its_own_goes_through_the_equations_of_each_call(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    def press(key: Qt.Key) -> str:
        QTest.keyClick(empty, key)
        qtbot.waitUntil(
            lambda: not steps.run.doing and not empty.controller.state.is_running, timeout=60_000
        )
        return caption.whole

    (tmp_path / "line.py").write_text("def line(x):\n    return x * 2 + 1\n")
    (tmp_path / "line.md").write_text(NOTED)
    empty._settings.add_trusted_folder(str(tmp_path))
    empty._open_chosen(str(tmp_path / "line.md"))
    state = empty.controller
    wait_for_run(qtbot, empty)
    on, back = Qt.Key.Key_Space, Qt.Key.Key_Left
    steps, caption = empty.presenting.steps, empty.presenting.caption
    empty.toggle_presenting()
    empty.activateWindow()
    qtbot.waitUntil(lambda: empty.isActiveWindow() and caption.isVisible())

    assert caption.whole == "Line\nTwo operations."
    assert press(on) == "What is it?\nWhat is 3 * 2 + 1?"  # more is said of the same call
    assert press(on) == "What is it?\nWhat is 3 * 2 + 1?\nSeven."
    assert press(on) == "The arguments · N: on with the lesson\nx: f32[] 3."
    assert press(on).endswith("→  ?") and press(on).endswith("→  f32[] 6.")
    assert empty.workspace.selection.place == ("jaxpr", "0")
    assert press(on).endswith("→  ?") and press(back).endswith("→  f32[] 6.")
    assert press(on).endswith("→  ?") and press(on).endswith("→  f32[] 7.")
    assert press(on) == "The results\nf32[] 7."
    assert press(on) == "At two\nFive." and state.state.call == "line(2.0)"
    assert press(on).endswith("f32[] 2.")
    assert press(back) == "At two\nFive."  # before the arguments stands the part
    assert press(on).startswith("The arguments") and press(Qt.Key.Key_N) == "At two\nFive."
    assert press(back).endswith("Seven.") and state.state.call == "line(3.0)"
    assert press(on).endswith("f32[] 3.") and press(Qt.Key.Key_Period) == "At two\nFive."
    for _ in range(5):
        press(on)
    assert press(on) == "The results\nf32[] 5."  # the lesson ends with them
    assert press(on).startswith("The end") and press(on) == "Line\nTwo operations."
    empty.toggle_presenting()


def test_the_window_writes_the_page_of_a_lesson(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "line.py").write_text("def line(x):\n    return x * 2 + 1\n")
    (tmp_path / "line.md").write_text(NOTED)
    empty._settings.add_trusted_folder(str(tmp_path))
    empty._open_chosen(str(tmp_path / "line.md"))
    out = tmp_path / "steps.html"
    wait_for_run(qtbot, empty)
    with qtbot.waitSignal(empty.files.exporter.finished, timeout=60_000):
        empty.files.export_steps(str(out))
    text = out.read_text()
    assert text.index("<h3>Line</h3>") < text.index("What is 3 * 2 + 1?") < text.index("Seven.")
    assert "At two" in text and "7." in text and "hands" not in text


@pytest.mark.slow
def test_presenting_the_gradient_goes_through_the_gradient(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "line.py").write_text(LESSON)
    empty.open_path(str(tmp_path / "line.py"))
    steps, controller = empty.presenting.steps, empty.controller
    wait_for_run(qtbot, empty)
    assert "gradient" in [stage.name for stage in controller.state.stages]
    operations = []
    for stage in ("jaxpr", "gradient"):
        empty.workspace.show_stage(stage)
        steps.begin(stage)
        for _ in range(4):  # the lesson's two parts, the arguments, the first equation
            steps.go_on()
            qtbot.waitUntil(lambda: not steps.run.doing, timeout=60_000)
        operations.append((steps.run.stage_name, steps.text.partition(" of ")[0]))
    assert operations == [("jaxpr", "step 1"), ("gradient", "step 1")]


def test_nothing_is_lit_for_an_equation_while_the_lesson_itself_is_told(
    empty: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "line.py").write_text(LESSON)
    empty.open_path(str(tmp_path / "line.py"))
    steps, selection = empty.presenting.steps, empty.workspace.selection
    wait_for_run(qtbot, empty)
    steps.begin("jaxpr")

    def do(move: Callable[[], None]) -> tuple[str, bool]:
        move()
        qtbot.waitUntil(lambda: not steps.run.doing, timeout=60_000)
        return steps.text.partition(":")[0].partition("\n")[0], bool(selection.places)

    told = [do(steps.go_on) for _ in range(3)]
    assert told == [("Look at", False), ("Predict", False), ("The arguments", True)]
    assert do(steps.go_back) == ("Predict", False)
    assert do(steps.go_on) == ("The arguments", True)
    see = do(steps.skip)
    assert see[0] == steps.text and not see[1]
    assert do(steps.go_on) == ("The arguments", True), "what was left out"
    assert do(steps.go_back) == ("Predict", False)
    assert do(steps.go_on) == ("The arguments", True)
    while do(steps.go_on)[0] != "The results":
        assert selection.places
    assert do(steps.go_on) == see
    assert do(steps.go_back) == ("The results", True)


def test_presenting_an_earlier_run_says_so(real: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    steps, state = real.presenting.steps, real.controller
    steps.begin("jaxpr")
    (tmp_path / "program.py").write_text("raise SystemExit")
    state.run("f(jnp.ones((2, 3)))", "cpu")
    qtbot.waitUntil(lambda: not state.state.is_running and state.state.is_stale, timeout=60_000)
    steps.begin("jaxpr")
    steps.go_on()
    assert steps.text == "This is of an earlier run: run the call, then go through it."
