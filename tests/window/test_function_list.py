"""The list of functions keeps the call that is shown in view; forms and completion know names."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QListView, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from jaxscope.client.events import Failed, Finished
from jaxscope.client.requests import CaptureRequest, OutlineRequest
from jaxscope.errors import TraceError
from jaxscope.model.outline import Outline, OutlinedFunction
from jaxscope.ui.session.call_text import name_arguments
from jaxscope.ui.session.state import OfferedFunction
from jaxscope.ui.window.call_bar import FunctionList
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import build_capture

FUNCTIONS = [OfferedFunction(f"f{n}", n, calls=(f"f{n}(1)", f"f{n}(2)")) for n in range(20)]


def marked_place(functions: FunctionList) -> QRect:
    return functions.tree.visualItemRect(functions.tree.selectedItems()[0])


def is_in_view(functions: FunctionList) -> bool:
    return functions.tree.viewport().rect().contains(marked_place(functions))


def test_a_list_that_shrinks_or_is_restyled_still_shows_the_marked_call(qtbot: QtBot) -> None:
    functions = FunctionList()
    qtbot.addWidget(functions)
    functions.resize(250, 300)
    functions.show()
    functions.show_functions(FUNCTIONS, "f19(2)")
    qtbot.waitUntil(lambda: is_in_view(functions))

    functions.resize(250, 120)
    qtbot.waitUntil(lambda: is_in_view(functions))

    functions.tree.setStyleSheet("QTreeView::item { min-height: 60px }")
    functions.setStyleSheet("font-size: 20px")
    qtbot.waitUntil(lambda: is_in_view(functions))


@pytest.mark.parametrize(
    ("arguments", "signature", "named"),
    [
        (("f32[8]", "f32[]"), "(x, w, n=1)", ["x = f32[8]", "w = f32[]"]),
        (("f32[8]", "1", "2"), "(x, *rest)", ["x = f32[8]", "1", "2"]),
        (("*pair",), "(x, w)", ["*pair"]),
        (("p", "*pair"), "(params, x, w)", ["params = p", "*pair"]),
        (("f32[8]",), "", ["f32[8]"]),
        (("1",), "(x: int = 3, /) -> int", ["x = 1"]),
        (("1",), "(…", ["1"]),
    ],
)
def test_arguments_are_named_as_the_function_names_them(
    arguments: tuple[str, ...], signature: str, named: list[str]
) -> None:
    assert name_arguments(arguments, signature) == named


def test_forms_and_completion_know_the_names_of_a_file_that_was_opened_with_a_call(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    window.open_path(str(source), "layer(f32[8], f32[4, 8])")
    function = OutlinedFunction("layer", "function", 4, 6, "(x, weights)", "")
    driver.wait_for(OutlineRequest).tell(Finished(Outline((function,), (), "")))
    driver.wait_until(lambda: bool(window.controller.state.functions))
    bar = window.call_bar
    assert "layer" in bar.edit._words
    for action in bar.add_menu.actions():
        if action.data().name in ("grad", "vmap"):
            bar._on_add_menu_triggered(action)
            form = bar.form
            assert form is not None
            shown = [check.text() for check in form.checks]
            shown = shown or [label.text() for label in form.findChildren(QLabel)]
            assert {"x = f32[8]", "weights = f32[4, 8]"} <= set(shown)
            form.close()


def offer_words(window: MainWindow) -> QListView:
    """Type the start of a name; returns the list of words that opens."""
    edit = window.call_bar.edit
    edit.setFocus()
    edit.selectAll()
    QTest.keyClicks(edit, "grad(lay")
    assert edit._popup.isVisible()
    return edit._popup


def test_words_that_are_offered_close_with_escape_and_with_what_they_were_for(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    bar, application = window.call_bar, QApplication.instance()
    assert isinstance(application, QApplication)
    stopped: list[int] = []
    window.commands.actions["stop_run"].triggered.connect(lambda: stopped.append(1))
    bar.edit.set_names(["layer", "layers"])

    popup = offer_words(window)
    QTest.keyClick(popup.window().windowHandle(), Qt.Key.Key_Escape)
    assert not popup.isVisible()
    assert (bar.edit.text(), stopped) == ("grad(lay", []), "the first is for the words alone"
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_Escape)
    assert len(stopped) == 1

    for leave in (
        lambda: bar.set_call("f(f32[4])"),
        lambda: bar.edit.set_names(["other"]),
        lambda: application.focusChanged.emit(bar.edit, bar.run_button),  # as a window of X11 does
    ):
        bar.edit.set_names(["layer", "layers"])
        popup = offer_words(window)
        leave()
        assert not popup.isVisible()


def test_a_call_that_is_half_typed_is_offered_whole(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    edit = window.call_bar.edit
    edit.set_names(["layer", "layers"], ["layer(f32[8], f32[8])"], {"layer": "(x, weights)"})

    def offered(typed: str) -> list[tuple[str, str]]:
        edit.setFocus()
        edit.selectAll()
        QTest.keyClicks(edit, typed)
        if not edit._popup.isVisible():
            return []
        model = edit._popup.model()
        rows = [model.index(row, 0) for row in range(model.rowCount())]
        return [(row.data(), row.data(Qt.ItemDataRole.UserRole)) for row in rows]

    whole = "layer(f32[8], f32[8])"
    assert offered("laye") == [(whole, ""), ("layer", "(x, weights)"), ("layers", "")]
    assert offered("layer(") == [(whole, "")]
    assert offered("grad(layer)(f32[8],") == [("grad(layer)(f32[8], f32[8])", "")]
    assert ("grad", "The gradient of a function with one number as result.") in offered("gra")
    assert offered("layer(f32[9],") == [], "that is another call"
    offered("layer(")
    QTest.keyClick(edit._popup, Qt.Key.Key_Down)
    QTest.keyClick(edit._popup, Qt.Key.Key_Return)
    assert edit.text() == whole and edit.cursorPosition() == len(whole)
    assert not edit._popup.isVisible()
    offered("grad(laye")
    QTest.keyClick(edit._popup, Qt.Key.Key_Down)
    QTest.keyClick(edit._popup, Qt.Key.Key_Return)
    assert edit.text() == "grad(layer", "a name takes the place of its beginning alone"


def test_letters_lead_to_a_transform(window: MainWindow, qtbot: QtBot) -> None:
    menu = window.call_bar.add_menu
    menu.popup(window.mapToGlobal(window.rect().center()))

    def pressed(letters: str) -> str:
        for letter in letters:
            qtbot.keyClick(menu, letter)
        return menu.activeAction().data().name

    assert pressed("vm") == "vmap"
    menu._typing.stop()
    assert pressed("j") == "jit"
    assert pressed("v") == "jvp"
    menu._typing.stop()
    assert [pressed("g"), pressed("h")] == ["grad", "hessian"]
    menu.close()


def test_the_list_leads_to_recent_calls_of_the_file_and_to_recent_files(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    driver.finish(driver.open(source, ("layer(f32[8])",)), build_capture())
    bar = window.call_bar
    calls = ["other(1)", "grad(layer)(f32[8])", "layer(f32[8])", "layer(tokens(key(1)))"]
    bar.edit.set_history(calls)  # the last one is of another file with a function of that name
    bar.edit.set_history(
        [*calls, "vmap(layer)(f32[2, 8])"], [("/somewhere/else.py", "vmap(layer)(f32[2, 8])")]
    )  # the last one, too
    bar.recent_files = ["/somewhere/else.py", str(source)]
    bar.open_functions()
    tree = bar.functions.tree
    tops = [tree.topLevelItem(row) for row in range(tree.topLevelItemCount())]
    listed = {top.text(0): [top.child(n).text(0) for n in range(top.childCount())] for top in tops}
    assert listed["Recent calls"] == ["grad(layer)(f32[8])"]  # neither offered nor of another file
    assert listed["Recent files"] == ["else.py"]
    with qtbot.waitSignal(bar.functions.file_chosen) as chosen:
        tree.itemClicked.emit(tops[-2].child(0), 0)
    assert chosen.args == ["/somewhere/else.py"]
    bar.open_functions()
    with qtbot.waitSignal(bar.functions.call_chosen) as called:
        tree.itemClicked.emit(tree.topLevelItem(tree.topLevelItemCount() - 3).child(0), 0)
    assert called.args == ["grad(layer)(f32[8])"]


def test_long_calls_of_the_list_and_of_the_lesson_do_not_read_alike(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    form = "layer(init(key(0), (64, 128, 128)), batch(images, labels), {}=0.9, decay=1e-4, steps=9)"
    calls = tuple(map(form.format, ("momentum_value", "momentum_vector")))
    driver.finish(driver.open(source, calls), build_capture())
    window.call_bar.open_functions()
    tree = window.call_bar.functions.tree
    of_layer = Qt.MatchFlag.MatchStartsWith | Qt.MatchFlag.MatchRecursive
    assert [item.text(0) for item in tree.findItems("layer(", of_layer)] == list(calls)
    window.call_bar.functions.hide()
    window.setMinimumWidth(0)
    window.resize(640, window.height())  # where they have no room
    window.call_bar.open_functions()
    items = tree.findItems("layer(", of_layer)
    shown = [item.text(0) for item in items]
    room = tree.viewport().width() - 2 * tree.indentation()
    assert len(shown) == 2 and len(set(shown)) == 2
    assert all(tree.fontMetrics().horizontalAdvance(text) <= room for text in shown)
    assert "value" in shown[0] and "vector" in shown[1] and "\N{HORIZONTAL ELLIPSIS}" in shown[0]
    assert items[0].data(0, Qt.ItemDataRole.AccessibleTextRole) == calls[0]
    window.call_bar.functions.hide()
    window.toggle_lesson()
    buttons = [b for b in window.lesson.findChildren(QPushButton) if b.property("value") in calls]
    assert len({button.text() for button in buttons}) == 2
    assert [button.toolTip() for button in buttons] == list(calls)


def test_the_samples_are_found_where_files_are_chosen_and_where_help_is(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    """A first start opens one of them at once; the page with all is behind that."""
    driver.finish(driver.open(source), build_capture())
    bar = window.call_bar
    bar.open_functions()
    tree = bar.functions.tree
    tree.itemActivated.emit(tree.topLevelItem(tree.topLevelItemCount() - 1), 0)
    assert window.start_page.isVisible() and not bar.functions.isVisible()
    window.open_path(str(source))
    driver.wait_until(lambda: not window.start_page.isVisible())
    (entry,) = (a for a in window.commands.menus["Help"].actions() if "Samples" in a.text())
    entry.trigger()
    assert window.start_page.isVisible()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("key", [Qt.Key.Key_F10, Qt.Key.Key_Return])
def test_menus_that_a_key_opens_have_an_entry_marked(
    window: MainWindow, qtbot: QtBot, theme: str, key: Qt.Key
) -> None:
    if theme != window._themes.theme.name:
        window.toggle_theme()
    window.activateWindow()
    window.menu_button.setFocus()
    menu, seen = window.commands.root, []

    def look() -> None:
        first = menu.actions()[0]
        image, place = menu.grab().toImage(), menu.actionGeometry(first).center()
        other = menu.actionGeometry(menu.actions()[1]).center()
        near = 4  # where no letter is
        seen.append(menu.activeAction() is first)
        seen.append(image.pixelColor(near + 4, place.y()) != image.pixelColor(near + 4, other.y()))
        menu.hide()

    QTimer.singleShot(200, menu, look)
    qtbot.keyClick(window.menu_button, key)
    qtbot.waitUntil(lambda: len(seen) == 2)
    assert seen == [True, True]


def test_a_form_at_the_edge_of_the_screen_is_whole(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.open(source, ("layer(f32[8], f32[4, 8])",))
    room = window.screen().availableGeometry()
    window.move(room.right() - window.width() // 4, 0)
    bar = window.call_bar
    bar._on_add_menu_triggered(bar.add_menu.actions()[0])
    assert bar.form is not None
    assert room.contains(bar.form.geometry())
    bar.form.close()
    window.resize(room.width() - 30, 600)
    window.move(0, 0)
    bar._on_add_menu_triggered(bar.add_menu.actions()[0])
    assert bar.form.geometry().right() <= window.geometry().right() < room.right(), (
        "over the window"
    )
    bar.form.close()


def test_transforms_are_added_and_changed_by_keys_alone(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    driver.open(source, ("layer(f32[8])",))
    bar = window.call_bar
    window.commands.actions["add_transform"].trigger()
    assert bar.add_menu.activeAction().data().name == "grad"
    qtbot.keyClick(bar.add_menu, Qt.Key.Key_Return)
    assert bar.edit.text() == "grad(layer)(f32[8])"
    bar.edit.setText("vmap(grad(layer))(f32[4, 8])")
    for at, told in ((7, "grad"), (len(bar.edit.text()), "vmap")):  # at the cursor, or outermost
        bar.edit.setCursorPosition(at)
        window.commands.actions["change_transform"].trigger()
        removed = next(a for a in bar.transform_menu.actions() if a.text().startswith("Remove"))
        assert told not in removed.text()
        assert bar.transform_menu.activeAction() is not None
        bar.transform_menu.close()
    bar.edit.setText("layer(f32[8])")
    window.commands.actions["change_transform"].trigger()
    assert bar._problem.text() == "The call has no transform." and not bar._problem.isHidden()
    bar._passing.timeout.emit()
    assert bar._problem.isHidden() and bar._passing.isActive()


@pytest.mark.slow
def test_an_undone_call_is_redone_where_each_run_has_ended(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    """Once results are shown, another call in the bar makes them old before it is run."""
    calls = ["f(f32[3])", "grad(f)(f32[3])", "jit(f)(f32[3])"]
    actions, state = window.commands.actions, window.controller
    num_runs = 1

    def end_run(call: str) -> None:
        run = driver.wait_for(CaptureRequest, num_runs)
        assert isinstance(run.request, CaptureRequest)
        assert run.request.call == state.state.call == window.call_bar.edit.text() == call
        driver.finish(run, dataclasses.replace(build_capture(), call=call, transforms=()))

    def choose(name: str, call: str) -> None:
        nonlocal num_runs
        num_runs += 1
        actions[name].trigger()
        end_run(call)

    driver.open(source, (calls[0],))
    end_run(calls[0])
    for call in calls[1:]:
        num_runs += 1
        window.call_bar._accept(call)
        end_run(call)
    choose("undo_call", calls[1])
    choose("undo_call", calls[0])
    choose("redo_call", calls[1])
    choose("redo_call", calls[2])
    window.call_bar.set_call("f(f32[4])")  # typed, not run
    actions["undo_call"].trigger()
    assert window.call_bar.edit.text() == calls[2], "what was typed goes first"
    choose("undo_call", calls[1])
    choose("redo_call", calls[2])


def test_a_call_that_failed_is_no_step(driver: Driver, window: MainWindow, source: Path) -> None:
    calls = ("f(f32[3])", "f(f32[5])")
    capture = dataclasses.replace(build_capture(), call=calls[0], transforms=())
    driver.finish(driver.open(source, calls[:1]), capture)
    for number, call in enumerate(("f(1, 2)", calls[1], "f()"), 2):
        window.call_bar._accept(call)
        run = driver.wait_for(CaptureRequest, number)
        if call in calls:
            driver.finish(run, dataclasses.replace(build_capture(), call=call, transforms=()))
        else:
            run.tell(Failed(TraceError("No.")))
            driver.wait_until(lambda: window.controller.state.error is not None)
    for number, call in enumerate(reversed(calls), 5):
        window.commands.actions["undo_call"].trigger()
        run = driver.wait_for(CaptureRequest, number)
        assert run.request.call == window.call_bar.edit.text() == call
        driver.finish(run, dataclasses.replace(build_capture(), call=call, transforms=()))
    window.commands.actions["redo_call"].trigger()
    assert window.call_bar.edit.text() == calls[1]


def test_changes_of_the_call_are_undone_and_redone_and_run(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    """From a view and from the call itself, whose own undo of what was typed goes first."""
    capture = dataclasses.replace(build_capture(), call="f(f32[3])", transforms=())
    driver.finish(driver.open(source, ("f(f32[3])",)), capture)
    bar, pane = window.call_bar, window.workspace.area.panes[0].code
    shift = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier

    def press(where: QWidget, *, is_redo: bool = False) -> tuple[str, str]:
        """The call in the bar, and the one that was run last."""
        window.activateWindow()  # a menu that was open has taken that
        qtbot.waitUntil(window.isActiveWindow)
        where.setFocus()
        qtbot.keyClick(
            where, Qt.Key.Key_Z, shift if is_redo else Qt.KeyboardModifier.ControlModifier
        )
        return bar.edit.text(), run_last()

    def run_last() -> str:
        return window.controller.state.call

    window.commands.actions["add_transform"].trigger()
    qtbot.keyClick(bar.add_menu, Qt.Key.Key_Return)
    assert run_last() == "grad(f)(f32[3])"
    bar.edit.setFocus()
    bar.edit.setCursorPosition(len("grad(f)(f32[3"))
    qtbot.keyClicks(bar.edit, "0")
    qtbot.keyClick(bar.edit, Qt.Key.Key_Return)
    assert run_last() == "grad(f)(f32[30])"

    for where in (bar.edit, pane):
        assert press(where) == ("grad(f)(f32[3])",) * 2
        assert press(where) == ("f(f32[3])",) * 2
        assert press(where) == ("f(f32[3])",) * 2, "there is none before it"
        assert press(where, is_redo=True) == ("grad(f)(f32[3])",) * 2
        assert press(where, is_redo=True) == ("grad(f)(f32[30])",) * 2
        assert press(where, is_redo=True) == ("grad(f)(f32[30])",) * 2

    def runs() -> list[str | None]:
        found = [run.request for run in driver.session.of_type(CaptureRequest)]
        return [each.call for each in found if isinstance(each, CaptureRequest)]

    num_before = 1 + 2 + 2 * 4
    driver.wait_until(lambda: len(runs()) == num_before)
    for where in (bar.edit, pane):
        bar.edit.setFocus()
        bar.edit.end(False)
        qtbot.keyClicks(bar.edit, ")")
        assert press(where) == ("grad(f)(f32[30])",) * 2, "what was typed goes first"
    assert press(pane) == ("grad(f)(f32[3])",) * 2
    driver.wait_until(lambda: len(runs()) > num_before)
    assert runs()[num_before:] == ["grad(f)(f32[3])"], "what was put away was not run"
    window._on_functions_call_chosen("jit(f)(f32[3])")
    press(pane, is_redo=True)
    assert run_last() == "jit(f)(f32[3])", "what was undone has gone"
    assert press(pane) == ("grad(f)(f32[3])",) * 2

    other = source.with_name("other.py")
    other.write_text(source.read_text())
    window.open_path(str(other), "f(f32[7])")
    assert run_last() == "f(f32[7])"
    press(pane)
    assert run_last() == "f(f32[7])", "calls of another file stay with it"
