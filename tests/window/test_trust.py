"""A file that was opened in the window runs after the person has said so, and not before."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from jaxscope.client.events import Failed, Finished
from jaxscope.client.requests import CaptureRequest, OutlineRequest
from jaxscope.errors import SourceError
from jaxscope.model.outline import Outline, OutlinedFunction
from jaxscope.ui.pages.targets import TargetsPage
from jaxscope.ui.session import controller
from jaxscope.ui.session.state import Phase, Trust
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.sample_path import find_samples
from jaxscope.ui.window.settings import Settings
from jaxscope.ui.window.trust import TrustedFoldersDialog, is_inside

from .conftest import Driver
from .programs import RecordedSession, build_capture

OFFERING = "# jaxscope: f(f32[3])\ndef f(x):\n    return x\n"


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    path = tmp_path / "downloads" / "foreign.py"
    path.parent.mkdir()
    path.write_text(OFFERING, "utf-8")
    return path


def choose(window: MainWindow, path: Path) -> None:
    """As the dialog, the list of recent files and a drop do."""
    window.files.path_chosen.emit(str(path))


def ran(session: RecordedSession) -> list[str]:
    """What was asked for besides outlines, which run nothing of the file."""
    kinds = [type(run.request) for run in session.runs]
    return [kind.__name__ for kind in kinds if kind is not OutlineRequest]


def press(qtbot: QtBot, button: object) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_nothing_runs_before_the_question_is_answered(
    window: MainWindow, driver: Driver, session: RecordedSession, foreign: Path
) -> None:
    choose(window, foreign)
    driver.wait_for(OutlineRequest)
    assert window.trust_question.isVisible()
    assert window.call_bar.edit.text() == "f(f32[3])"
    assert window.controller.state.snapshot is not None
    assert window.controller.state.phase is Phase.IDLE
    foreign.write_text(OFFERING + "\n", "utf-8")
    window.controller.note_file_changed()
    assert ran(session) == []


def test_a_file_that_holds_nothing_to_run_says_so_and_asks_nothing(
    window: MainWindow, driver: Driver, session: RecordedSession, foreign: Path, qtbot: QtBot
) -> None:
    """Whether it may run is asked once it could."""
    error = SourceError("The code is not valid Python.", where="f.py:2", kind="SyntaxError")
    nothing = Outline((), (), "")
    answers = ("def f(x:\n", Failed(error)), ("", Finished(nothing))
    for count, (text, answer) in enumerate(answers, 1):
        foreign.write_text(text, "utf-8")
        choose(window, foreign)
        driver.wait_for(OutlineRequest, count).tell(answer)
        driver.wait_until(window.error_panel.isVisible)
        assert not window.trust_question.isVisible()
        assert window.controller.state.phase is Phase.IDLE, "no run has failed"
    assert "defines no function" in window.controller.state.error.explanation.what
    foreign.write_text("def f(x):\n    return x\n", "utf-8")
    window.controller.note_file_changed()
    function = OutlinedFunction("f", "function", 1, 2, "f(x)", "")
    driver.wait_for(OutlineRequest, 3).tell(Finished(Outline((function,), (), "")))
    driver.wait_until(window.trust_question.isVisible)
    assert not window.error_panel.isVisible() and ran(session) == []
    press(qtbot, window.trust_question.once)
    driver.wait_until(lambda: ran(session) == ["ProposeRequest"])


def test_once_is_once(
    window: MainWindow, driver: Driver, session: RecordedSession, foreign: Path, qtbot: QtBot
) -> None:
    choose(window, foreign)
    press(qtbot, window.trust_question.once)
    driver.wait_until(lambda: ran(session) == ["CaptureRequest"])
    assert not window.trust_question.isVisible()
    driver.finish(session.runs[-1], build_capture())
    foreign.write_text(OFFERING + "print('other')\n", "utf-8")
    window.controller.note_file_changed()
    assert ran(session) == ["CaptureRequest"]
    assert window.controller.state.is_stale
    assert "has changed on disk" in window.screen_shown.notice
    choose(window, foreign)
    assert window.trust_question.isVisible(), "it is asked again"


def test_a_call_that_a_person_runs_is_an_answer(
    window: MainWindow, driver: Driver, session: RecordedSession, foreign: Path, qtbot: QtBot
) -> None:
    choose(window, foreign)
    press(qtbot, window.trust_question.view)
    assert not window.trust_question.isVisible()
    assert ran(session) == []
    window.call_bar.edit.setText("f(f32[5])")
    qtbot.keyClick(window.call_bar.edit, Qt.Key.Key_Return)
    driver.wait_until(lambda: ran(session) == ["CaptureRequest"])
    assert session.runs[-1].request.call == "f(f32[5])"
    assert window.controller.state.trust is Trust.ONCE


def test_the_question_says_that_a_call_that_is_run_is_an_answer(
    window: MainWindow, driver: Driver, session: RecordedSession, foreign: Path, qtbot: QtBot
) -> None:
    choose(window, foreign)
    told = "\n".join(label.text() for label in window.trust_question.findChildren(QLabel))
    assert "Enter" in told and "counts as Run once" in told
    assert "asked again" in window.trust_question.once.toolTip()
    qtbot.keyClick(window.call_bar.edit, Qt.Key.Key_Return)
    driver.wait_until(lambda: ran(session) == ["CaptureRequest"])
    assert window.controller.state.trust is Trust.ONCE, "and not trusted for good"
    assert not window.trust_question.isVisible()
    driver.finish(session.runs[-1], build_capture())
    choose(window, foreign)
    assert window.trust_question.isVisible() and ran(session) == ["CaptureRequest"]


def test_a_change_that_is_tried_runs_nothing_before_the_answer(
    window: MainWindow, driver: Driver, session: RecordedSession, foreign: Path, qtbot: QtBot
) -> None:
    choose(window, foreign)
    assert window.trial is not None
    window.trial.toggle()
    editor = window.trial.editor
    assert editor is not None
    editor.edit.insertPlainText("# other\n")
    editor.edit.settle()
    assert ran(session) == [] and window.trust_question.isVisible()
    assert "Not run" in editor.said.text()
    press(qtbot, window.trust_question.once)
    driver.wait_until(lambda: ran(session) == ["CaptureRequest"])
    assert session.runs[-1].request.drafts == {str(foreign): f"# other\n{OFFERING}"}
    assert "Not run" not in editor.said.text()


def test_compiling_for_another_target_is_an_answer_as_well(
    window: MainWindow, driver: Driver, session: RecordedSession, foreign: Path, qtbot: QtBot
) -> None:
    choose(window, foreign)
    page = window.pages["targets"]
    assert isinstance(page, TargetsPage)
    page.button.click()
    driver.wait_until(lambda: ran(session) == ["CaptureRequest"])
    assert window.controller.state.trust is Trust.ONCE
    assert not window.trust_question.isVisible(), "something of the file has run"


def test_a_trusted_folder_is_not_asked_about_again(
    window: MainWindow, driver: Driver, session: RecordedSession, foreign: Path, qtbot: QtBot
) -> None:
    choose(window, foreign)
    press(qtbot, window.trust_question.folder)
    driver.wait_until(lambda: ran(session) == ["CaptureRequest"])
    driver.finish(session.runs[-1], build_capture())
    foreign.write_text(OFFERING + "\n", "utf-8")
    window.controller.note_file_changed()
    driver.wait_until(lambda: ran(session) == ["CaptureRequest"] * 2)
    inner = foreign.parent / "inner" / "more.py"
    inner.parent.mkdir()
    inner.write_text(OFFERING, "utf-8")
    choose(window, inner)
    assert not window.trust_question.isVisible()
    driver.wait_until(lambda: ran(session) == ["CaptureRequest"] * 3)
    other = foreign.parent.parent / "other.py"
    other.write_text(OFFERING, "utf-8")
    choose(window, other)
    assert window.trust_question.isVisible()


def test_the_call_in_the_bar_is_the_one_that_runs(
    window: MainWindow, driver: Driver, session: RecordedSession, foreign: Path, qtbot: QtBot
) -> None:
    choose(window, foreign)
    window.call_bar.edit.setText("grad(f)(f32[3])")
    press(qtbot, window.trust_question.once)
    driver.wait_until(lambda: ran(session) == ["CaptureRequest"])
    assert session.runs[-1].request.call == "grad(f)(f32[3])"


def test_a_file_that_offers_no_call_waits_too(
    window: MainWindow, driver: Driver, session: RecordedSession, foreign: Path, qtbot: QtBot
) -> None:
    foreign.write_text("def f(x):\n    return x\n", "utf-8")
    choose(window, foreign)
    outline = driver.wait_for(OutlineRequest)
    outline.tell(Finished(Outline((OutlinedFunction("f", "function", 1, 2, "f(x)", ""),), (), "")))
    driver.wait_until(lambda: bool(window.controller.state.functions))
    assert ran(session) == []
    press(qtbot, window.trust_question.once)
    driver.wait_until(lambda: ran(session) == ["ProposeRequest"])


def test_samples_and_files_that_a_terminal_named_are_run(
    window: MainWindow, driver: Driver, session: RecordedSession, foreign: Path
) -> None:
    choose(window, find_samples()[0])
    driver.wait_until(lambda: ran(session) == ["CaptureRequest"])
    window.open_path(str(foreign))
    driver.wait_until(lambda: ran(session) == ["CaptureRequest"] * 2)
    assert not window.trust_question.isVisible()


def test_links_count_by_where_they_lead_to(tmp_path: Path) -> None:
    for name in ("trusted", "trusted_not", "elsewhere"):
        (tmp_path / name).mkdir()
    there = tmp_path / "elsewhere" / "f.py"
    there.touch()
    (tmp_path / "trusted" / "f.py").symlink_to(there)
    folders = [tmp_path / "trusted"]
    assert not is_inside(str(tmp_path / "trusted" / "f.py"), folders)
    assert not is_inside(str(tmp_path / "trusted_not" / "g.py"), folders)
    assert not is_inside(str(tmp_path / "trusted" / ".." / "elsewhere" / "f.py"), folders)
    assert is_inside(str(tmp_path / "trusted" / "deep" / "g.py"), folders)


def test_trust_can_be_taken_back(tmp_path: Path, qtbot: QtBot) -> None:
    settings = Settings(str(tmp_path / "window.json"))
    settings.trusted_folders = ("/a", "/b")
    dialog = TrustedFoldersDialog(settings)
    qtbot.addWidget(dialog)
    assert not dialog.remove.isEnabled()
    dialog.list.setCurrentRow(0)
    press(qtbot, dialog.remove)
    assert settings.trusted_folders == ("/b",)
    assert Settings(str(tmp_path / "window.json")).trusted_folders == ("/b",)
    assert dialog.none.isHidden()
    dialog.list.setCurrentRow(0)
    dialog.remove.click()
    assert dialog.list.isHidden() and not dialog.none.isHidden(), "it is not left blank"
    assert not dialog.remove.isEnabled()


def test_what_one_window_takes_back_no_other_window_keeps(
    window: MainWindow, foreign: Path, tmp_path: Path
) -> None:
    there = Settings(str(tmp_path / "window.json"))
    there.add_trusted_folder(str(foreign.parent))
    choose(window, foreign)
    assert not window.trust_question.isVisible()
    there.trusted_folders = ()
    choose(window, foreign)
    assert window.trust_question.isVisible()
    window.trust_question.folder.click()
    assert Settings(str(tmp_path / "window.json")).trusted_folders == (str(foreign.parent),)


@pytest.mark.slow
def test_a_file_that_changes_itself_is_not_run_for_ever(
    window: MainWindow,
    driver: Driver,
    session: RecordedSession,
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(controller, "_SOON_S", 1e9)
    driver.open(source)
    for number in range(30):
        driver.finish(driver.wait_for(CaptureRequest, number + 1), build_capture())
        source.write_text(f"{OFFERING}# run {number}\n", "utf-8")
        window.controller.note_file_changed()
        if not window.controller.state.is_running:
            break
    assert len(session.of_type(CaptureRequest)) == 11
    assert "has changed on disk" in window.screen_shown.notice
    window.run_call()
    assert window.controller.state.is_running, "who wants it can run it"


def test_a_view_is_of_no_stage_of_a_call_before_a_file_that_has_none(
    window: MainWindow, driver: Driver, source: Path, foreign: Path
) -> None:
    """The line names no `grad` then, and nobody knows whether there will be one."""
    driver.finish(driver.open(source), build_capture())
    panes = window.workspace.area.panes
    assert [pane.wanted_stage for pane in panes] == ["source", "grad", "optimized"]
    foreign.write_text("def f(x):\n    return x\n", "utf-8")
    choose(window, foreign)
    assert window.trust_question.isVisible() and not window.controller.state.call
    assert [pane.wanted_stage for pane in panes] == ["source", "jaxpr", "optimized"]
    named = [card.step.name for card in window.strip.cards if card.step is not None]
    assert "grad" not in named and "jaxpr" in named
