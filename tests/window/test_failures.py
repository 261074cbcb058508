"""Failures are said where they are, and what is still shown of the run before is plainly old."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel, QWidget

from jaxscope.client.events import Failed, Finished, StageArrived
from jaxscope.client.requests import (
    CaptureRequest,
    OutlineRequest,
    ProposeRequest,
    ScalingRequest,
    ValuesRequest,
)
from jaxscope.errors import (
    CallError,
    Explanation,
    JaxscopeError,
    SourceError,
    Stopped,
    TraceError,
    UsageError,
    WorkerLost,
)
from jaxscope.model.targets import EXAMPLES
from jaxscope.ui.panes.pane_header import Form
from jaxscope.ui.session.screen import Condition
from jaxscope.ui.session.state import OfferedFunction
from jaxscope.ui.toolkit.widgets import SOFT_BREAK, FoldedNotes, SelectableLabel
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import build_capture
from .test_lab import scaling


def fail_in_the_call(driver: Driver, window: MainWindow, source: Path) -> None:
    """Show a capture, then a call with a misspelt name."""
    driver.finish(driver.open(source), build_capture())
    window.call_bar.set_call("grda(f)(f32[3])")
    window.run_call()
    said = Explanation(
        "The file has no 'grda'.",
        where=str(source),
        remedy="Did you mean grad?",
        calls=("grad(f)(f32[3])",),
        part="grda",
    )
    driver.wait_for(CaptureRequest, 2).tell(Failed(CallError(said)))
    driver.wait_until(window.error_panel.isVisible)


def in_stage(error: JaxscopeError, name: str) -> JaxscopeError:
    """An error as the worker sends it that knows the stage."""
    error.stage = name
    return error


def test_a_misspelt_name_is_said_right_below_the_call(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    fail_in_the_call(driver, window, source)
    panel, bar = window.error_panel, window.call_bar
    tops = [part.mapTo(window, part.rect().topLeft()).y() for part in (bar, panel, window.strip)]
    assert tops == sorted(set(tops))
    assert bar.edit.property("problem") is True
    assert bar.edit.underlined == (0, 4)
    bar.edit.setText("grad(f)(f32[3])")
    assert bar.edit.underlined is None


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("error", "failed"),
    [
        (CallError(Explanation("The file has no 'grda'.", part="grda")), ""),
        (SourceError("The code is not valid Python.", where="model.py:3"), "source"),
        (TraceError("A mask.", where="model.py:5"), "jaxpr"),
        (in_stage(TraceError("A while loop."), "grad"), "grad"),
        (WorkerLost("It was killed."), "jaxpr"),
        (WorkerLost("The run did not finish within its time limit."), "jaxpr"),
    ],
    ids=["call", "file", "trace", "transform", "killed", "time"],
)
def test_each_failure_is_said_between_the_call_and_the_stages_which_are_old(
    driver: Driver, window: MainWindow, source: Path, error: JaxscopeError, failed: str
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.call_bar.set_call("grad(grad(other))(f32[3])" if error.stage else "other(f32[3])")
    window.run_call()
    driver.wait_for(CaptureRequest, 2).tell(Failed(error))
    driver.wait_until(window.error_panel.isVisible)
    parts = (window.call_bar, window.error_panel, window.strip)
    tops = [part.mapTo(window, part.rect().topLeft()).y() for part in parts]
    assert tops == sorted(set(tops))
    source_step, *steps = [card.step for card in window.strip.cards if card.step is not None]
    conditions = {step.name: step.condition for step in steps}
    assert (source_step.condition is Condition.FAILED) is (failed == "source")
    old = {name for name in conditions if name != failed}
    assert {conditions[name] for name in old} == {Condition.STALE}
    assert failed in ("", "source") or conditions[failed] is Condition.FAILED
    for card in window.strip.cards:
        assert card.step is not None
        assert card._title.font().italic() is (card.step.condition is Condition.STALE)


def test_presenting_says_after_a_stop_that_the_picture_is_of_an_earlier_run(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    capture = build_capture()
    driver.finish(driver.open(source), capture)
    window.workspace.show_stage("jaxpr")
    window.toggle_presenting()
    window.call_bar.set_call("other(f32[3])")
    window.run_call()
    driver.wait_until(lambda: window.presenting.caption.text().endswith("Esc stops"))
    driver.wait_for(CaptureRequest, 2).tell(Failed(Stopped("It was stopped.")))
    driver.wait_until(lambda: not window.controller.state.is_running)
    assert window.presenting.caption.text() == f"Of an earlier run: {capture.call}"


def test_a_proposed_call_is_run_with_one_click(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    fail_in_the_call(driver, window, source)
    window.error_panel.remedy.linkActivated.emit("call:0")
    assert driver.wait_for(CaptureRequest, 3).request.call == "grad(f)(f32[3])"
    assert window.call_bar.edit.text() == "grad(f)(f32[3])"


def test_a_click_on_the_remedy_selects_what_is_at_fault_or_types_the_example(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    fail_in_the_call(driver, window, source)
    window.error_panel.remedy.linkActivated.emit("part:")
    assert window.call_bar.edit.selectedText() == "grda"
    window.error_panel.typing_requested.emit("f(f32[8])")
    assert window.call_bar.edit.text() == "f(f32[8])"


def test_what_is_shown_after_a_failure_says_of_which_call_it_is(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    capture = build_capture()
    fail_in_the_call(driver, window, source)
    panes = [pane for pane in window.workspace.area.panes if pane.wanted_stage != "source"]
    assert all(pane.old_text == f"Of an earlier run: {capture.call}" for pane in panes)
    assert not window.workspace.area.panes[0].old_text, "the file is as it is"
    panes[0].set_form(Form.TABLE)
    assert panes[0].table.isVisible() and panes[0].old_text
    directly = Qt.FindChildOption.FindDirectChildrenOnly
    *_, highest = panes[0].table.parentWidget().findChildren(QWidget, options=directly)
    assert highest is panes[0]._stale_overlay, "the table is of the earlier run, too"
    assert "Arguments" not in window.workspace.inspector.page.accessibleName()
    window.call_bar.set_call("f(f32[3])")
    window.run_call()
    driver.finish(driver.wait_for(CaptureRequest, 3), capture)
    assert not any(pane.old_text for pane in panes)
    assert "Arguments" in window.workspace.inspector.page.accessibleName()


def test_after_a_failure_views_keep_the_stages_that_they_show(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    before = window.workspace.area.wanted_stages()
    window.call_bar.set_call("jacfwd(vmap(f))(f32[2, 3])")
    window.run_call()
    assert window.workspace.area.wanted_stages() == before
    said = Explanation("It cannot be traced.", where=str(source))
    driver.wait_for(CaptureRequest, 2).tell(Failed(CallError(said)))
    driver.wait_until(window.error_panel.isVisible)
    assert window.workspace.area.wanted_stages() == before


def test_a_file_that_has_not_run_yet_is_shown_with_a_stage_of_its_call(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    pane = next(p for p in window.workspace.area.panes if p.wanted_stage == "jaxpr")
    pane.wanted_stage = "hessian"  # as a window before left it
    window.open_path(str(source), "vmap(grad(f))(f32[2, 3])")
    assert pane.wanted_stage == "vmap(grad)"


def test_what_is_old_fades_into_the_theme_of_now(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    fail_in_the_call(driver, window, source)
    pane = next(p for p in window.workspace.area.panes if p.wanted_stage != "source")
    window.toggle_theme()
    faded = pane.grab().toImage().pixelColor(pane.width() // 2, pane.height() // 2)
    assert faded.lightness() < 60 or window._themes.theme.name == "light"
    window.toggle_theme()
    faded = pane.grab().toImage().pixelColor(pane.width() // 2, pane.height() // 2)
    assert faded.lightness() > 195 or window._themes.theme.name == "dark"


def test_a_failure_in_the_code_is_said_below_the_stages(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    run = driver.open(source)
    run.tell(Failed(TraceError("A mask.", where="model.py:5")))
    driver.wait_until(window.error_panel.isVisible)
    assert window.strip.y() < window.error_panel.y()


def test_a_failure_is_told_in_one_place_and_put_away_with_it(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    error = TraceError("The shapes do not fit.", why="(3,) and <4>", where="model.py:5")
    driver.open(source).tell(Failed(error))
    driver.wait_until(window.error_panel.isVisible)
    assert window.workspace.inspector.page.toPlainText() == ""
    assert window.screen_shown.status == "Failed"
    window.error_panel.dismissed.emit()
    driver.wait_until(lambda: window.screen_shown.status == "Ready")
    assert not window.error_panel.isVisible()


def test_the_line_that_failed_comes_into_sight_where_another_is_selected(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    source.write_text(source.read_text() + "\n" * 100 + "def g(x):\n    return x[x > 0]\n" * 40)
    driver.finish(driver.open(source), build_capture())
    code = next(p.code for p in window.workspace.area.panes if p.wanted_stage == "source")
    window.workspace.selection.select_line(str(source), 5)
    failed = len(code.lines) - 20
    assert 4 in code.marks and not code._is_any_in_sight((failed,))
    window.call_bar.set_call("g(f32[3])")
    window.run_call()
    error = TraceError("A mask.", where=f"model.py:{failed + 1}")
    driver.wait_for(CaptureRequest, 2).tell(Failed(error))
    driver.wait_until(lambda: code._is_any_in_sight((failed,)))


def test_values_that_do_not_come_by_themselves_are_a_click_away(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    programs = dict.fromkeys(("jaxpr", "hlo"), "in x x\neqn 0 while <x\nout out0 out <0")
    driver.finish(driver.open(source), build_capture(programs))
    page = window.workspace.inspector.page
    assert "Look at its values (Ctrl+Alt+V)" in page.toPlainText()
    page.anchorClicked.emit(QUrl("values:"))
    driver.wait_for(ValuesRequest)
    short = {name: text.replace("while", "sin") for name, text in programs.items()}
    window.run_call()
    driver.finish(driver.wait_for(CaptureRequest, 2), build_capture(short))
    assert "Look at its values" not in page.toPlainText(), "they come by themselves"


def describe_g(window: MainWindow) -> None:
    """Let the file have a function without a call."""
    functions = (OfferedFunction("g", 9, "g(x, y, *, n=3) -> Array"),)
    window.controller._set(dataclasses.replace(window.controller.state, functions=functions))


def test_while_arguments_of_a_function_are_sought_and_after_a_stop_it_is_what_is_named(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    capture = build_capture()
    driver.finish(driver.open(source), capture)
    describe_g(window)
    row = window.call_bar.functions.tree.topLevelItem(0)
    assert row.toolTip(0).startswith("g(x, y, *, n=3)")
    window.call_bar.functions.function_chosen.emit("g")
    assert window.call_bar.edit.text() == "g(x, y)"
    assert "g takes" in window.screen_shown.status
    driver.wait_for(ProposeRequest).tell(Failed(Stopped("Stopped.")))
    driver.wait_until(lambda: not window.controller.state.is_running)
    assert window.call_bar.edit.text() == window.controller.state.call == "g(x, y)"
    assert "g(x, y)" not in window.call_bar.edit.history, "it was never run"
    assert window.screen_shown.failed_over == capture.call
    source.write_text(source.read_text() + "\n")
    window.controller.note_file_changed()
    assert driver.wait_for(ProposeRequest, 2).request.function == "g", "sought anew in another text"


def fail_to_propose(driver: Driver, window: MainWindow, source: Path, remedy: str = "") -> None:
    """No arguments of `g` are found."""
    driver.finish(driver.open(source), build_capture())
    describe_g(window)
    window.controller.propose("g")
    said = Explanation("None traces.", where="model.py:5", remedy=remedy, kind="NoProposal")
    driver.wait_for(ProposeRequest).tell(Failed(TraceError(said)))
    driver.wait_until(window.error_panel.isVisible)


def test_where_no_arguments_are_found_the_function_is_named_and_its_jaxpr_failed(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    fail_to_propose(driver, window, source)
    assert window.call_bar.edit.text() == window.controller.state.call == "g(x, y)"
    failed = [s.name for s in window.screen_shown.steps if s.condition is Condition.FAILED]
    assert failed == ["jaxpr"]


def test_a_file_whose_functions_take_what_nobody_can_type_is_run_as_a_script_by_a_click(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    remedy = "Type a call. Or run the file as a script, and see more: `jaxscope run -- model.py`"
    fail_to_propose(driver, window, source, remedy)
    told = window.error_panel.remedy.text()
    (link,) = re.findall("<a href='([^']*)'>run the file as a script</a>", told)
    window.error_panel.remedy.linkActivated.emit(link)
    (dialog,) = window._scripts
    assert dialog.windowTitle() == "Run model.py"
    dialog.close()


def test_a_file_that_could_not_be_read_through_is_not_said_to_have_no_function(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    window.open_path(str(source))
    driver.wait_for(OutlineRequest).tell(Failed(WorkerLost("The supervisor is gone.")))
    driver.wait_until(lambda: window.controller.state.error is not None)

    error = window.controller.state.error
    assert error is not None
    assert error.explanation.what == "The supervisor is gone."


def test_a_run_that_is_over_is_forgotten(driver: Driver, window: MainWindow, source: Path) -> None:
    """It holds its result: a window that forgets none grows with every run."""
    bridge = window.controller._bridge
    driver.finish(driver.open(source), build_capture())
    driver.wait_until(lambda: not bridge._runs)
    window.call_bar.set_call("grda(f)(f32[3])")
    window.run_call()
    driver.wait_for(CaptureRequest, 2).tell(Failed(WorkerLost("It died.")))
    driver.wait_until(lambda: window.controller.state.error is not None)
    driver.wait_until(lambda: not bridge._runs)


ABOUT_THE_PROGRAM = ["fusions", "memory", "sharding", "arguments", "roofline"]


def old_pages(window: MainWindow) -> dict[str, str]:
    """The pages that say that they show what is of an earlier run, and what they say."""
    pages = {name: window.pages[name] for name in window.pages}
    return {name: p.old_mark.text() for name, p in pages.items() if not p.old_mark.isHidden()}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_link_that_has_the_keyboard_has_a_frame_that_can_be_seen(
    driver: Driver, window: MainWindow, source: Path, theme: str
) -> None:
    fail_in_the_call(driver, window, source)
    if window._themes.theme.name != theme:
        window.toggle_theme()
    window.activateWindow()
    remedy = window.error_panel.remedy
    assert not remedy.link_areas()
    remedy.setFocus(Qt.FocusReason.TabFocusReason)
    driver.wait_until(remedy.hasFocus)
    (area,) = remedy.link_areas()
    assert remedy.selectedText() == "grad(f)(f32[3])"
    image, middle = remedy.grab().toImage(), round(area.center().y())
    frame = QColor(window._themes.theme.accent).name()
    edges = range(round(area.left()) - 3, round(area.left()) + 1)
    assert sum(image.pixelColor(x, middle).name() == frame for x in edges) == 2
    told = remedy.text().replace("grad(f)", "grad(f) " * 30)
    remedy.setText(told)  # a link over several lines has a frame in each
    remedy.clearFocus()
    remedy.setFocus(Qt.FocusReason.TabFocusReason)
    assert len(remedy.link_areas()) > 1


@pytest.mark.slow
def test_every_page_that_shows_an_earlier_run_says_so(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    assert not old_pages(window), "all are made, and of this run"
    window.pages["scaling"].button.click()
    driver.wait_for(ScalingRequest).tell(Finished(scaling(1, 4)))
    driver.wait_until(lambda: window.pages["scaling"].found is not None)
    window.pages["compare"].comparing.compare_with_call("f(f32[3])")
    driver.wait_for(CaptureRequest, 2).tell(
        Finished(dataclasses.replace(build_capture(), call="f(f32[3])"))
    )
    driver.wait_until(lambda: window.pages["compare"]._compared is not None)
    assert not old_pages(window)
    window.call_bar.set_call("grda(f)(f32[3])")
    window.run_call()
    driver.wait_for(CaptureRequest, 3).tell(Failed(CallError("There is no 'grda'.")))
    driver.wait_until(window.error_panel.isVisible)
    said = "Of an earlier run: grad(f)(f32[3])"
    expected = dict.fromkeys((*ABOUT_THE_PROGRAM, "scaling", "compare"), said)
    assert old_pages(window) == expected
    window.controller.dismiss_error()
    assert old_pages(window) == expected, "that is so without the error, too"

    window.call_bar.set_call("grad(f)(f32[3])")
    source.write_text(source.read_text() + "\n# changed\n")
    window.run_call()
    again = driver.wait_for(CaptureRequest, 4)
    assert old_pages(window) == expected, "while it runs"
    again.tell(StageArrived(build_capture().stages[0]))
    driver.wait_until(lambda: window.controller.state.capture is None)
    assert {"memory", "fusions", "sharding"} <= old_pages(window).keys()
    assert "roofline" not in old_pages(window), "it shows what has arrived"
    driver.finish(again, build_capture())
    expected = {"scaling": said, "compare": said}
    assert old_pages(window) == expected, "another text of the file"
    window.pages["scaling"].button.click()
    driver.wait_for(ScalingRequest, 2).tell(Finished(scaling(1, 4)))
    driver.wait_until(lambda: "scaling" not in old_pages(window))


TRACE = "Traceback (most recent call last):\n" + "".join(
    f'  File "model.py", line {n}, in f{n}\n    f{n + 1}(x)\n' for n in range(40)
)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("page", ["", "sharding", "memory", "timing", "compare"])
def test_a_traceback_opens_in_the_room_that_there_is(
    driver: Driver, window: MainWindow, source: Path, page: str
) -> None:
    """The window stays as large as it was, and some lines are read at once."""
    driver.finish(driver.open(source), build_capture())
    window.resize(1280, 720)
    for name in window.pages:
        _ = window.pages[name]  # each may ask for room, also while it is not seen
    if page:
        window.pages.show_page(page)
    window.run_call()
    why = "\n".join(f"line {n} of a long reason" for n in range(60))
    said = Explanation("It failed.", why=why, remedy="Try.", traceback=TRACE)
    driver.wait_for(CaptureRequest, 2).tell(Failed(TraceError(said)))
    driver.wait_until(window.error_panel.isVisible)
    window.error_panel._fold.click()
    driver.qtbot.wait(50)
    trace = window.error_panel._trace
    assert (window.width(), window.height()) == (1280, 720)
    assert window.minimumSizeHint().height() <= 680, "what a task bar leaves of the screen"
    rows = trace.viewport().visibleRegion().boundingRect().height() // trace.fontMetrics().height()
    assert rows >= 7
    assert trace.verticalScrollBar().maximum() > 0
    assert "line 39, in f39" in trace.toPlainText()
    widths = {trace.fontMetrics().horizontalAdvance(letter) for letter in "iW^"}
    assert len(widths) == 1, "what points into the line above stands below it"


def test_an_error_without_a_line_of_the_users_shows_all_frames(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.open(source)
    said = Explanation("The arguments do not fit.", traceback="TypeError: no", full_traceback=TRACE)
    driver.wait_for(CaptureRequest).tell(Failed(CallError(said)))
    driver.wait_until(window.error_panel.isVisible)
    window.error_panel._fold.click()
    assert window.error_panel._trace.toPlainText() == TRACE.strip()


def test_code_in_an_error_is_set_as_code_and_nowhere_shown_with_its_marks(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.open(source)
    said = Explanation("The name `grda` is unknown.", why="`f` has `x`.", remedy="Try `grad`.")
    driver.wait_for(CaptureRequest).tell(Failed(TraceError(said)))
    driver.wait_until(window.error_panel.isVisible)
    remedy = window.error_panel.remedy.text()
    assert "`" not in remedy and "<code><b>grad</b></code>" in remedy
    window.pages.show_page("notes")
    seen = [window.pages["notes"].page.toPlainText()]
    for part in window.findChildren(QLabel):
        if part.isVisible() and part.textFormat() is Qt.TextFormat.PlainText:
            seen.append(part.text())
    assert not [text for text in seen if "`" in text]
    notes = FoldedNotes()
    notes.set_notes(["a `b`"], [])
    label = SelectableLabel("c `d`")
    assert (notes.text(), label.text()) == ("a b", "c d")


def test_the_badge_of_an_earlier_run_begins_with_what_it_is(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    """Where hardly a name of the call has room it says that alone; the whole is its tooltip."""
    fail_in_the_call(driver, window, source)
    header = window.workspace.area.panes[1].header
    call = f"grad(f)({'x' * 40})"
    header.set_stale(True, call)
    whole, said = f"Of an earlier run: {call}", set[str]()
    for width in range(200, 1400, 10):
        header.resize(width, header.height())
        header._fit()
        said.add(header._stale.text())
    cut = said - {"earlier run", whole}
    assert len(cut) > 5 and {"earlier run", whole} < said
    assert all(whole.startswith(text.removesuffix("…")) for text in cut)
    assert min(map(len, cut)) >= len("Of an earlier run: grad(")
    assert header._stale.toolTip().startswith(whole)


def test_what_a_failed_call_left_of_one_before_stays_old_whatever_is_typed(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    """The stages are of the call before, also where the failed one is typed once more."""
    driver.finish(driver.open(source), build_capture())
    window.controller.run("grad(f)(f32[4])", "cpu")
    failing = driver.wait_for(CaptureRequest, 2)
    failing.tell(Failed(CallError("It cannot be traced.")))
    driver.wait_until(lambda: window.controller.state.error is not None)
    window.controller.dismiss_error()
    state = window.controller.state
    assert state.call == "grad(f)(f32[4])" and state.stages and state.is_stale
    for text in ("grad(f)(f32[5])", "grad(f)(f32[4])"):
        window.controller.edit_call(text)
        assert window.controller.state.is_stale, text


def test_a_call_that_is_typed_back_is_that_of_what_is_shown(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    call = window.controller.state.call
    for text, is_old in ((call + "x", True), (call, False), (call + "y", True)):
        window.controller.edit_call(text)
        assert window.controller.state.is_stale == is_old


def test_a_target_that_is_typed_and_not_run_marks_what_is_shown_as_old(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    field = window.call_bar.target.lineEdit()
    assert field is not None and window.controller.state.target == "cpu"
    field.setFocus()
    field.selectAll()
    driver.qtbot.keyClicks(field, "cpu:2")
    assert window.screen_shown.is_stale
    known = window.call_bar.target.count()
    field.selectAll()
    driver.qtbot.keyClicks(field, " cpu ")
    assert not window.screen_shown.is_stale, "it is what ran"
    field.selectAll()
    driver.qtbot.keyClicks(field, "cpux")
    driver.qtbot.keyClick(field, Qt.Key.Key_Return)
    run = driver.wait_for(CaptureRequest, 2)
    assert run.request.target == "cpux"
    assert window.call_bar.target.count() == known, "what is typed is no proposal"


@pytest.mark.parametrize(
    ("remedy", "targets"),
    [
        (f"Targets are {EXAMPLES}.", EXAMPLES.split(", ")),
        ("Chips are v5e, v5p; written as aot:tpu:v5e:2x2.", ["aot:tpu:v5e:2x2"]),
        ("Such as ssh://gpu-box/gpu:0 or ssh://me@10.0.0.7:2222/cpu:8.", []),
    ],
)
def test_an_unknown_target_is_marked_and_its_proposals_are_links(
    driver: Driver, window: MainWindow, source: Path, remedy: str, targets: list[str]
) -> None:
    run = driver.open(source)
    window.call_bar.target.setCurrentText("cpux")
    error = UsageError("There is no target 'cpux'.", remedy=remedy, kind="UnknownTarget")
    run.tell(Failed(error))
    driver.wait_until(window.error_panel.isVisible)
    assert window.call_bar.target.property("problem") is True
    assert window.call_bar.edit.property("problem") is not True
    told = window.error_panel.remedy.text().replace(SOFT_BREAK, "").replace("&#8203;", "")
    assert re.findall(r"<a href='target:([^']+)'", told) == targets
    for target in targets[1:2]:
        window.error_panel.remedy.linkActivated.emit(f"target:{target}")
        assert driver.wait_for(CaptureRequest, 2).request.target == target
        assert window.call_bar.target_text == target
        assert window.call_bar.target.property("problem") is False
