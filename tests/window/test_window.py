"""The window with a session that the test plays: opening, running, selecting, failing."""

from __future__ import annotations

import dataclasses
import gc
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from jaxscope.client.events import (
    Failed,
    Finished,
    HeadArrived,
    NotResponding,
    Output,
    Proposal,
    StageArrived,
)
from jaxscope.client.requests import CaptureRequest, OutlineRequest, ProposeRequest, TimeRequest
from jaxscope.errors import Explanation, SourceError, Stopped, TraceError
from jaxscope.model import Capture, Graph, GraphBuilder, NodeKind, SourceFile
from jaxscope.model.outline import OfferedCall, Outline, OutlinedFunction
from jaxscope.ui.application import ErrorReporter, build_window
from jaxscope.ui.panes.pane_area import PaneSide
from jaxscope.ui.panes.pane_header import Form
from jaxscope.ui.session.call_text import list_transforms
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.source.code_view import Mark
from jaxscope.ui.toolkit.result_table import choose_row
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.settings import Settings
from jaxscope.ui.window.start_page import SampleCard

from .conftest import Driver, destroy
from .programs import GRAD, JAXPR, OPTIMIZED, SOURCE, RecordedSession, build_capture

STAGES = {"jaxpr": JAXPR, "grad": GRAD, "optimized": OPTIMIZED}


def capture_of(path: Path) -> Capture:
    """The capture as if it had been made of this file."""
    stages = build_capture().stages
    place = str(path)
    moved = []
    for stage in stages:
        strings = tuple(place if s == "/home/u/model.py" else s for s in stage.graph.strings)
        moved.append(
            dataclasses.replace(stage, graph=dataclasses.replace(stage.graph, strings=strings))
        )
    return dataclasses.replace(
        build_capture(), stages=tuple(moved), files=(SourceFile(place, SOURCE, "0" * 64),)
    )


def test_return_presses_the_button_that_has_the_keyboard(window: MainWindow, qtbot: QtBot):
    card = window.start_page.findChildren(SampleCard)[0]
    window.activateWindow()
    card.setFocus()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
        with qtbot.waitSignal(card.clicked, timeout=2000):
            qtbot.keyClick(card, key)
            card.setFocus()


@pytest.mark.usefixtures("every_sample")
def test_without_a_file_the_start_page_offers_samples(window: MainWindow):
    assert window.screen_shown is not None and window.screen_shown.shows_start_page
    cards = window.start_page.findChildren(SampleCard)
    assert [card.accessibleName() for card in cards][:1] == ["quick_start"]
    assert len(cards) == 25 and all(card.has_picture for card in cards)


def test_opening_a_file_runs_the_first_call_that_it_offers(
    driver: Driver, window: MainWindow, source: Path
):
    run = driver.open(source, ("f(f32[3])", "grad(f)(f32[3])"))
    assert (run.request.file, run.request.call) == (str(source), "f(f32[3])")
    assert window.call_bar.edit.text() == "f(f32[3])"
    tree = window.call_bar.functions.tree
    assert tree.topLevelItem(0).text(0) == "f"
    assert tree.topLevelItem(0).childCount() == 2
    assert [item.text(0) for item in tree.selectedItems()] == ["f(f32[3])"]


def test_the_first_call_of_the_file_runs_whatever_the_order_of_its_functions(
    driver: Driver, window: MainWindow, source: Path
):
    window.open_path(str(source))
    functions = [OutlinedFunction(f, "function", 1, 2, f"{f}(x)", "") for f in ("h", "f", "g")]
    calls = [OfferedCall(call, 1) for call in ("g(f32[3])", "grad(f)(f32[3])", "g(f32[4])")]
    outline = Outline(tuple(functions), tuple(calls), "")
    driver.wait_for(OutlineRequest).tell(Finished(outline))
    assert driver.wait_for(CaptureRequest).request.call == "g(f32[3])"
    listed = window.controller.state.functions
    assert [(f.name, len(f.calls)) for f in listed] == [("g", 2), ("f", 1), ("h", 0)]


def test_an_empty_bar_runs_the_first_call_and_says_it(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source, ("f(f32[3])", "grad(f)(f32[3])")), build_capture())
    window.call_bar.edit.clear()
    window.run_call()
    assert driver.wait_for(CaptureRequest, 2).request.call == "f(f32[3])"
    assert window.call_bar.edit.text() == "f(f32[3])"


def test_an_empty_bar_takes_the_call_that_the_run_found(
    driver: Driver, window: MainWindow, session: RecordedSession, source: Path
):
    """A file that names no call has one proposed by the run itself."""
    capture = build_capture()
    run = driver.open(source)
    run.tell(Finished(capture))
    window.controller.state = dataclasses.replace(window.controller.state, functions=())
    for typed, shown in (("", capture.call), ("f(f32[7])", "f(f32[7])")):
        window.call_bar.edit.clear()
        count = len(session.of_type(CaptureRequest))
        window.run_call()
        run = driver.wait_for(CaptureRequest, count + 1)
        assert run.request.call is None and window.call_bar.edit.text() == ""
        window.call_bar.set_call(typed)  # meanwhile
        run.tell(HeadArrived(capture))
        driver.wait_until(lambda: window.controller.state.call == capture.call)
        assert window.call_bar.edit.text() == shown
        run.tell(Finished(capture))
        driver.wait_until(lambda: not window.controller.state.is_running)
    assert window.call_bar.edit.history[-1] == capture.call
    assert window.controller.state.can_run


def test_a_long_call_shows_its_start(driver: Driver, window: MainWindow, source: Path):
    edit = window.call_bar.edit
    driver.open(source, (f"f({', '.join(['f32[3]'] * 50)})", "f(f32[3])"))
    assert edit.cursorPosition() == 0
    window.call_bar.set_call("f(f32[3])")
    assert edit.cursorPosition() == len("f(f32[3])")
    edit.resize(40, edit.height())
    assert edit.cursorPosition() == 0, "the lesson beside it has come since"


def test_the_list_marks_the_call_that_is_shown_and_no_other(
    driver: Driver, window: MainWindow, source: Path
):
    driver.open(source, ("f(f32[3])", "grad(f)(f32[3])"))
    functions = window.call_bar.functions
    for call, marked in (("grad(f)(f32[3])", ["grad(f)(f32[3])"]), ("f(f32[4])", [])):
        functions.show_functions(window.controller.state.functions, call)
        assert [item.text(0) for item in functions.tree.selectedItems()] == marked


def test_a_function_without_a_call_gets_one_proposed(
    driver: Driver, window: MainWindow, source: Path
):
    window.open_path(str(source))
    function = OutlinedFunction("f", "function", 4, 6, "f(x)", "")
    driver.wait_for(OutlineRequest).tell(Finished(Outline((function,), (), "")))
    driver.wait_for(ProposeRequest).tell(Finished(Proposal("f(f32[8])")))
    assert driver.wait_for(CaptureRequest).request.call == "f(f32[8])"
    assert window.call_bar.edit.text() == "f(f32[8])"


def test_of_a_file_of_several_functions_any_that_has_a_call_is_shown(
    driver: Driver, window: MainWindow, source: Path
):
    """The first one of a training script makes a schedule, which is no program."""
    window.open_path(str(source))
    functions = [OutlinedFunction(n, "function", 4, 6, f"{n}(x)", "") for n in ("make", "step")]
    driver.wait_for(OutlineRequest).tell(Finished(Outline(tuple(functions), (), "")))
    run = driver.wait_for(ProposeRequest)
    assert run.request.function == "" and "a call that traces" in window.screen_shown.status
    run.tell(Finished(Proposal("step(f32[8])")))
    assert driver.wait_for(CaptureRequest).request.call == "step(f32[8])"
    assert window.call_bar.edit.text() == "step(f32[8])"


def test_a_finished_run_fills_strip_and_panes(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source), build_capture())
    titles = [card.step.title for card in window.strip.cards]
    assert titles == ["Source", "jaxpr", "grad", "optimized"]
    names = [pane.stage_name for pane in window.workspace.area.panes]
    assert names == ["source", "grad", "optimized"]
    assert window.workspace.area.panes[1].canvas is not None


def test_an_equation_lights_up_in_source_text_and_graph(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    panes = window.workspace.area.panes
    panes[2].set_form(Form.TEXT)
    window.workspace.selection.select_node("jaxpr", 1)
    assert panes[0].code.marks == {4: Mark.FORWARD}
    assert panes[2].code.marks == {1: Mark.FORWARD, 2: Mark.BACKWARD, 3: Mark.FORWARD}
    assert "sine of every element" in window.workspace.inspector.page.toPlainText()


def test_clicking_a_source_line_selects_what_came_from_it(
    qtbot: QtBot, driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    window.resize(1400, 800)
    panes = window.workspace.area.panes
    panes[1].set_form(Form.TEXT)
    code = panes[0].code
    line_px = code.fontMetrics().height() + 2
    qtbot.mouseClick(
        code.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(90, line_px * 4 + line_px // 2)
    )
    assert panes[0].code.marks == {4: Mark.SELECTED}
    assert panes[1].code.marks == {1: Mark.FORWARD, 3: Mark.BACKWARD}
    assert "line 5" in window.workspace.inspector.page.toPlainText()


def test_a_chosen_line_says_what_it_costs(driver: Driver, window: MainWindow, source: Path):
    capture = capture_of(source)
    for stage in capture.stages:
        assert isinstance(stage.graph, Graph)
        stage.graph.nodes.cost[:, 0] = 10.0
    driver.finish(driver.open(source), capture)
    window.workspace.selection.select_line(str(source), 5)
    text = window.workspace.inspector.page.toPlainText().replace("\u200b", "")
    assert "25.0% of the FLOP of jaxpr: 10 FLOP" in text
    window.workspace.selection.select_line(str(source), 1)  # an import: nothing came from it
    assert " FLOP" not in window.workspace.inspector.page.toPlainText()


def test_before_the_trace_nothing_is_said_of_a_line(
    driver: Driver, window: MainWindow, source: Path
):
    driver.open(source)
    window.workspace.selection.select_line(str(source), 5)
    text = window.workspace.inspector.page.toPlainText().replace("\u200b", "")
    assert "Not known yet" in text


def test_of_many_results_the_first_few_are_shown(driver: Driver, window: MainWindow, source: Path):
    capture = capture_of(source)
    builder = GraphBuilder()
    builder.add_node("0", NodeKind.EQUATION, "jit", types=[f"f32[{n}]" for n in range(20)])
    first = dataclasses.replace(capture.stages[0], graph=builder.build())
    capture = dataclasses.replace(capture, stages=(first, *capture.stages[1:]))
    driver.finish(driver.open(source), capture)
    window.workspace.selection.select_node(first.name, 0)
    text = window.workspace.inspector.page.toPlainText().replace("\u200b", "")
    assert "f32[7]" in text and "f32[8]" not in text and "and 12 more" in text


def test_a_file_is_opened_for_the_target_that_the_bar_names(
    driver: Driver, window: MainWindow, source: Path
):
    window.call_bar.target.setCurrentText("cpu:8")
    assert driver.open(source).request.target == "cpu:8"
    window.call_bar.target.setCurrentText("cpu:2")
    window.open_path(str(source), "f(f32[3])")
    assert driver.wait_for(CaptureRequest, 2).request.target == "cpu:2"


def test_a_file_that_cannot_be_read_leaves_the_call_of_what_is_shown(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path
):
    driver.open(source)
    call = window.call_bar.edit.text()
    assert call
    window.open_path(str(tmp_path / "absent.py"))
    assert window.controller.state.error is not None
    assert window.call_bar.edit.text() == call


def test_what_is_shown_is_stale_while_the_file_is_away(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    aside = source.rename(source.with_suffix(".aside"))
    window.controller.note_file_changed()
    state = window.controller.state
    assert state.error is not None and "cannot be read" in state.error.explanation.what
    assert state.is_stale
    aside.rename(source)
    window.controller.note_file_changed()
    state = window.controller.state
    assert state.error is None and not state.is_stale


def test_a_line_of_a_custom_rule_is_not_called_dead(
    driver: Driver, window: MainWindow, source: Path
):
    capture = capture_of(source)
    builder = GraphBuilder()
    builder.add_node("0", NodeKind.EQUATION, "custom_vjp_call", source=[(str(source), 5, 0, "f")])
    first = dataclasses.replace(capture.stages[0], graph=builder.build())
    capture = dataclasses.replace(capture, stages=(first, *capture.stages[1:]))
    driver.finish(driver.open(source), capture)
    window.workspace.selection.select_line(str(source), 6)
    text = window.workspace.inspector.page.toPlainText().replace("\u200b", "")
    assert "JAX may ascribe to the line that calls the function" in text


def test_the_table_selects_too_and_is_filtered(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source), capture_of(source))
    pane = window.workspace.area.panes[1]
    pane.set_form(Form.TABLE)
    pane.header.search.setText("cos")
    assert pane.table.nodes.rowCount() == 1
    choose_row(pane.table, 0)
    assert window.workspace.selection.selection.nodes == (1,)


def test_what_the_compiler_made_is_said_to_be(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source), capture_of(source))
    window.workspace.selection.select_node("optimized", 4)
    assert "Made by lowering or by XLA" in window.workspace.inspector.page.toPlainText()


def test_enter_in_the_call_bar_runs_the_call(
    qtbot: QtBot, driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), build_capture())
    edit = window.call_bar.edit
    edit.setText("f(f32[9])")
    assert window.screen_shown.is_stale
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert driver.wait_for(CaptureRequest, 2).request.call == "f(f32[9])"


def test_arrow_keys_walk_through_earlier_calls(
    qtbot: QtBot, driver: Driver, window: MainWindow, source: Path
):
    driver.open(source)
    edit = window.call_bar.edit
    for call in ("f(f32[1])", "f(f32[2])"):
        edit.setText(call)
        qtbot.keyClick(edit, Qt.Key.Key_Return)
    edit.setText("half typed(")
    qtbot.keyClick(edit, Qt.Key.Key_Up)
    qtbot.keyClick(edit, Qt.Key.Key_Up)
    assert edit.text() == "f(f32[1])"
    for _ in range(2):
        qtbot.keyClick(edit, Qt.Key.Key_Down)
    assert edit.text() == "half typed("


def test_the_call_that_opening_ran_is_an_earlier_call_too(
    qtbot: QtBot, driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), build_capture())
    first = window.controller.state.call
    edit = window.call_bar.edit
    edit.setText("f(f32[9])")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    qtbot.keyClick(edit, Qt.Key.Key_Up)  # and not once for the one that stands there
    assert edit.text() == first
    qtbot.keyClick(edit, Qt.Key.Key_Down)
    assert edit.text() == "f(f32[9])"


def add_transform(window: MainWindow, name: str) -> None:
    actions = {action.data().name: action for action in window.call_bar.add_menu.actions()}
    actions[name].trigger()


def test_a_transform_wraps_and_runs(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source, ("f(f32[3])",)), build_capture())
    add_transform(window, "vmap")
    assert driver.wait_for(CaptureRequest, 2).request.call == "vmap(f)(f32[16, 3])"


def test_several_arguments_ask_which(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source, ("f(f32[3], f32[4])",)), build_capture())
    add_transform(window, "grad")
    form = window.call_bar.form
    assert form is not None and len(form.checks) == 2
    form.checks[1].setChecked(True)
    form.findChildren(QPushButton)[-1].click()
    assert window.call_bar.edit.text() == "grad(f, argnums=(0, 1))(f32[3], f32[4])"


def test_a_form_says_which_call_it_makes(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source, ("f(f32[3], f32[4])",)), build_capture())
    add_transform(window, "grad")
    form = window.call_bar.form
    assert form is not None and form.made.text() == "grad(f)(f32[3], f32[4])"
    form.checks[0].setChecked(False)
    assert form.made.text() == "Choose at least one argument."
    form.findChildren(QPushButton)[-1].click()
    assert window.call_bar.edit.text() == "f(f32[3], f32[4])"
    form.checks[1].setChecked(True)
    assert form.made.text() == "grad(f, argnums=1)(f32[3], f32[4])"


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("call", "index", "axes", "batch"),
    [
        ("vmap(f, in_axes=(None, 1))(f32[3], f32[4, 8])", 0, (None, 1), 8),
        ("jit(vmap(f, in_axes=(0, None)))(f32[7, 3], f32[4])", 1, (0, None), 7),
        ("grad(f, argnums=(0, 1))(f32[3], f32[4])", 0, (0, 1), None),
        ("vmap(grad(f, argnums=1))(f32[16, 3], f32[16, 4])", 1, (1,), None),
    ],
)
def test_arguments_of_a_transform_in_the_call_are_chosen_anew(
    driver: Driver,
    window: MainWindow,
    source: Path,
    call: str,
    index: int,
    axes: tuple[int | None, ...],
    batch: int | None,
):
    driver.finish(driver.open(source, (call,)), build_capture())
    bar = window.call_bar
    bar.edit.transform_clicked.emit(index, QPoint(0, 0))
    bar.transform_menu.hide()
    first = bar.transform_menu.actions()[0]
    assert first.text() == "Arguments …"
    first.trigger()
    form = bar.form
    assert form is not None
    assert form.made.text() == call, "with what it has already"
    if batch is None:
        assert tuple(n for n, check in enumerate(form.checks) if check.isChecked()) == axes
        form.checks[0].setChecked(True)
        form.checks[1].setChecked(False)
    else:
        assert tuple(choice.currentData() for choice in form._axes) == axes
        offered = [[each.itemData(n) for n in range(each.count())] for each in form._axes]
        assert offered == [[None, 0, 1]] * 2, "a batch of vectors has two axes"
        for choice in form._axes:
            choice.setCurrentIndex(1)  # axis 0
    made = form.made.text()
    assert made != call and list_transforms(made)[index].name == list_transforms(call)[index].name
    form.findChildren(QPushButton)[-1].click()
    assert bar.edit.text() == made


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "call",
    [
        "grad(f, has_aux=True)(f32[3], f32[4])",
        "vmap(f, in_axes=(0, {'a': 0}))(f32[3], f32[4])",
        "vmap(vmap(f))(f32[2, 3], f32[2, 3])",
        "grad(f, argnums=5)(f32[3], f32[4])",
        "grad(f)(f32[3])",
        "jit(f)(f32[3], f32[4])",
    ],
)
def test_what_a_form_cannot_show_is_not_offered(
    driver: Driver, window: MainWindow, source: Path, call: str
):
    driver.finish(driver.open(source, (call,)), build_capture())
    bar = window.call_bar
    bar.edit.transform_clicked.emit(0, QPoint(0, 0))
    bar.transform_menu.hide()
    assert "Arguments …" not in [action.text() for action in bar.transform_menu.actions()]


def test_a_click_on_a_transform_of_the_call_offers_what_can_be_done_with_it(
    qtbot: QtBot, driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source, ("vmap(grad(f))(f32[4])",)), build_capture())
    edit, menu = window.call_bar.edit, window.call_bar.transform_menu
    areas = [edit.area_of(index) for index in range(2)]
    assert areas[0].right() < areas[1].left()
    for index, labels in ((0, ["Remove", "Move inward"]), (1, ["Remove", "Move outward"])):
        qtbot.mouseClick(edit, Qt.MouseButton.LeftButton, pos=areas[index].center())
        assert [action.text().partition("\t")[0] for action in menu.actions()] == labels
        menu.close()
    menu.actions()[0].trigger()
    assert driver.wait_for(CaptureRequest, 2).request.call == "vmap(f)(f32[4])"


def test_two_transforms_that_are_alike_are_not_exchanged(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source, ("grad(grad(f))(f32[4])",)), build_capture())
    bar = window.call_bar
    bar.edit.transform_clicked.emit(0, QPoint(0, 0))
    bar.transform_menu.hide()
    labels = [action.text().partition("\t")[0] for action in bar.transform_menu.actions()]
    assert labels == ["Remove"]


def test_the_line_of_stages_ends_with_the_time(driver: Driver, window: MainWindow, source: Path):
    assert window.strip.time.isHidden()
    driver.finish(driver.open(source), build_capture())
    assert window.strip.time.text() == "Measure ›"
    window.strip.time.click()
    assert driver.wait_for(TimeRequest)


def test_stop_interrupts_and_a_second_stop_kills(driver: Driver, window: MainWindow, source: Path):
    run = driver.open(source)
    assert window.call_bar.stop_button.isVisible()
    window.stop_run()
    assert run.was_interrupted and not run.was_killed
    window.stop_run()
    assert run.was_killed
    run.tell(Failed(Stopped("Stopped.")))
    driver.wait_until(lambda: not window.controller.state.is_running)
    assert window.call_bar.run_button.isVisible() and not window.error_panel.isVisible()


def test_an_error_is_explained_at_its_line(driver: Driver, window: MainWindow, source: Path):
    run = driver.open(source)
    explanation = Explanation(
        what="A mask decides the size.",
        why="x[x > 3] has no fixed shape.",
        where="model.py:5",
        remedy="Use jnp.where.",
        traceback="model.py:5 in f",
    )
    run.tell(Failed(TraceError(explanation)))
    driver.wait_until(window.error_panel.isVisible)
    assert window.workspace.area.panes[0].code.marks == {4: Mark.ERROR}
    window.error_panel.place_requested.emit("model.py", 6)
    assert window.workspace.selection.selection.line == 6
    window.stop_run()
    assert not window.error_panel.isVisible()


def test_a_pointer_stands_under_what_it_points_to(window: MainWindow):
    panel = window.error_panel
    for why, is_fixed in (("'[' was never closed\n    p = w[b\n         ^", True), ("No.", False)):
        explanation = Explanation(what="The code is not valid Python.", why=why)
        panel.show_error(SourceError(explanation))
        metrics = panel._why.fontMetrics()
        assert (metrics.horizontalAdvance("  ^") == metrics.horizontalAdvance("w[b")) == is_fixed


def test_an_error_keeps_the_old_picture_as_stale(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source), build_capture())
    window.run_call()
    driver.wait_for(CaptureRequest, 2).tell(Failed(TraceError("No.")))
    driver.wait_until(window.error_panel.isVisible)
    pane = window.workspace.area.panes[1]
    assert pane.stage_name == "grad" and pane.header.is_marked_stale


def test_answers_of_an_earlier_run_are_dropped(driver: Driver, window: MainWindow, source: Path):
    first = driver.open(source)
    window.call_bar.set_call("f(f32[5])")
    window.run_call()
    second = driver.wait_for(CaptureRequest, 2)
    assert first.was_killed
    first.tell(Failed(TraceError("of the first")))
    driver.finish(second, build_capture())
    assert window.controller.state.error is None


def test_a_saved_file_is_run_again(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source), build_capture())
    source.write_text(SOURCE.replace("* 2", "* 3"))
    driver.wait_for(CaptureRequest, 2)
    assert "* 3" in window.controller.state.snapshot.text


def test_output_and_messages_have_their_pages(driver: Driver, window: MainWindow, source: Path):
    run = driver.open(source)
    run.tell(Output("stdout", "tracing\x1b[31m <b>\n", 1))
    driver.finish(run, build_capture())
    assert window.pages["output"].text.toPlainText() == "tracing <b>\n"
    assert "A message." in window.pages["notes"].page.toPlainText()
    arguments = window.pages["arguments"].tree.topLevelItem(0)
    assert arguments.child(0).text(0) == "x" and arguments.text(2) == "16 B"


def test_a_process_that_does_not_answer_is_noticed(
    driver: Driver, window: MainWindow, source: Path
):
    driver.open(source).tell(NotResponding(0.6, "model.py:5"))
    driver.wait_until(lambda: "has not answered" in window.screen_shown.notice)
    assert window.call_bar.stop_button.isEnabled()


def test_a_stage_arrives_while_the_run_goes_on(driver: Driver, window: MainWindow, source: Path):
    run = driver.open(source)
    run.tell(HeadArrived(build_capture()))
    for stage in build_capture().stages[:2]:
        run.tell(StageArrived(stage))
    driver.wait_until(lambda: len(window.controller.state.stages) == 2)
    assert window.workspace.area.panes[1].canvas.isVisible()
    assert window.controller.state.is_running


def test_a_new_window_shows_the_source_and_the_program_of_the_call(
    qapp: QApplication, session: RecordedSession, tmp_path: Path
):
    bridge = Bridge(lambda: session)
    settings = Settings(str(tmp_path / "new.ini"))
    window = build_window(qapp, bridge, RunOptions(), settings)
    area, inspector = window.workspace.area, window.workspace.inspector
    assert [pane.wanted_stage for pane in area.panes] == ["source", "jaxpr"]
    assert area.panes[0].isAncestorOf(inspector) and not inspector.isHidden()
    destroy(window)
    bridge.close()


def test_what_is_selected_stands_below_the_source_wherever_that_is(window: MainWindow):
    area, inspector = window.workspace.area, window.workspace.inspector
    area.move_pane(area.panes[0], area.panes[1], PaneSide.PLACE)
    assert area.panes[1].wanted_stage == "source"
    assert area.panes[1].isAncestorOf(inspector)
    window.toggle_inspector()
    area.close_pane(area.panes[1])
    assert area.panes[0].isAncestorOf(inspector) and inspector.isHidden()
    area.arrange()
    window.toggle_inspector()
    assert area.panes[0].isAncestorOf(inspector) and not inspector.isHidden()


def test_functions_are_behind_the_name_of_the_file(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source, ("f(f32[3])",)), build_capture())
    bar = window.call_bar
    assert bar.functions_button.text() == f"{source.name} ▾"
    bar.functions_button.click()
    assert bar.functions.isVisible()
    bar.functions.tree.itemClicked.emit(bar.functions.tree.topLevelItem(0), 0)
    assert not bar.functions.isVisible()
    assert driver.wait_for(CaptureRequest, 2).request.call == "f(f32[3])"


def test_panes_open_close_and_change_their_stage(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source), build_capture())
    area = window.workspace.area
    window.commands.actions["add_pane"].trigger()
    assert len(area.panes) == 4
    window.close_pane()
    window.strip.cards[2].chosen.emit("grad")
    assert "grad" in [pane.stage_name for pane in area.panes]
    for _ in range(5):
        window.close_pane()
    assert len(area.panes) == 1


def test_a_saved_capture_is_shown_and_cannot_be_run(driver: Driver, window: MainWindow):
    window.controller.open_capture(build_capture(), "/tmp/a.jaxscope")
    assert "Nothing is run" in window.screen_shown.notice
    assert not window.call_bar.run_button.isEnabled()
    window.run_call()
    assert not driver.session.of_type(CaptureRequest)


def test_a_folder_without_modules_is_refused_with_a_reason(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
):
    (tmp_path / "empty").mkdir()
    window.open_path(str(tmp_path / "empty"))
    panel = window.error_panel
    qtbot.waitUntil(lambda: panel.isVisibleTo(panel.parentWidget()))
    assert "There is no module" in panel.error.explanation.what


def test_a_dropped_file_is_opened(driver: Driver, window: MainWindow, source: Path):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(source))])
    event = QDropEvent(
        QPoint(10, 10).toPointF(),
        Qt.DropAction.CopyAction,
        mime,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.dropEvent(event)
    assert window.controller.state.file == str(source)
    assert str(source) in driver.window._settings.recent_files


def test_an_exception_of_ours_is_shown_as_our_bug(window: MainWindow, capsys):
    reporter = ErrorReporter(window)
    try:
        raise ZeroDivisionError("inside a slot")
    except ZeroDivisionError:
        reporter.report(*sys.exc_info())
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert "inside jaxscope" in window.error_panel.error.explanation.what


@pytest.mark.slow
def test_theme_and_type_size_change_and_are_remembered(window: MainWindow):
    before = window._themes.theme.name
    window.toggle_theme()
    assert window._settings.theme == window._themes.theme.name != before
    points = window._themes.points
    window.zoom_in()
    assert window._settings.points == points + 1
    window.zoom_reset()
    assert window._themes.points == points


@pytest.mark.slow
def test_the_strip_holds_its_cards_in_every_theme_and_size(
    qtbot: QtBot, driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), build_capture())
    for change in (window.toggle_theme, window.zoom_in, window.zoom_reset, window.toggle_theme):
        change()
        qtbot.waitUntil(
            lambda: window.strip.height() > max(c.sizeHint().height() for c in window.strip.cards)
        )


def test_every_command_has_its_own_key(window: MainWindow):
    from jaxscope.ui.window.commands import COMMANDS

    keys = [key for command in COMMANDS for key in command.keys]
    assert len(keys) == len(set(keys))
    window.help.show_keys()
    assert window.help.dialog is not None and window.help.dialog.isVisible()


def test_no_command_has_a_key_that_a_text_field_takes() -> None:
    """The call has the keyboard at first; on Linux Ctrl+E goes to its end, Ctrl+U empties it.

    Undo is the text's own while it has something to undo, and then that of the call.
    """
    from jaxscope.ui.window.commands import COMMANDS

    letters = {f"Ctrl+{letter}" for letter in "ACEUVXYZ"}
    moves = {f"Ctrl+{key}" for key in ("Left", "Right", "Home", "End", "Backspace", "Del")}
    undo = {"undo_call", "redo_call"}
    keys = {key for each in COMMANDS if each.slot not in undo for key in each.keys}
    assert not keys & (letters | moves | {"Ctrl+Shift+Z"})


def test_a_closed_window_leaves_nothing_alive(
    qapp: QApplication, session: RecordedSession, tmp_path: Path
):
    gc.collect()  # widgets of earlier tests that only cycles keep
    before = len(qapp.allWidgets())
    bridge = Bridge(lambda: session)
    window = build_window(qapp, bridge, RunOptions(), Settings(str(tmp_path / "window.json")))
    window.show()
    window.controller.open_capture(build_capture(), "/tmp/a.jaxscope")
    assert len(qapp.allWidgets()) > before + 50
    destroy(window)
    del window
    gc.collect()
    assert len(qapp.allWidgets()) <= before
    bridge.close()
    assert session.is_closed
