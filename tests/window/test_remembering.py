"""What a window remembers though it is killed, beside another window, and of another version."""

from __future__ import annotations

import dataclasses
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jaxscope.client.events import Failed
from jaxscope.client.requests import CaptureRequest
from jaxscope.errors import UserCodeError
from jaxscope.ui.application import build_window
from jaxscope.ui.panes.pane_area import parse_arrangement
from jaxscope.ui.panes.stage_pane import StagePane
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.window import autosave, sample_path
from jaxscope.ui.window import settings as settings_module
from jaxscope.ui.window.call_bar import CallEdit
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.settings import Settings

from .conftest import Driver, destroy
from .programs import RecordedSession, build_capture


def test_what_changes_is_there_though_the_window_is_not_closed(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    window.call_bar.set_call("f(f32[3])")
    window.call_bar.edit.remember()
    window.commands.actions["add_pane"].trigger()
    window.resize(1234, 777)
    keeper = window.findChild(autosave.Keeper)
    assert keeper is not None
    keeper.keep()

    kept = Settings(str(tmp_path / "window.json"))
    assert kept.calls == ("f(f32[3])",)
    assert parse_arrangement(kept.arrangement) == window.workspace.area.arrangement()
    assert kept.geometry == window.saveGeometry()


def test_a_window_killed_while_it_presents_begins_next_as_before(
    driver: Driver, source: Path, tmp_path: Path
) -> None:
    window, path = driver.window, str(tmp_path / "window.json")
    driver.finish(driver.open(source), build_capture())
    keeper = window.findChild(autosave.Keeper)
    assert keeper is not None
    window.commands.actions["add_pane"].trigger()
    keeper.keep()
    before = Settings(path)
    window.toggle_presenting()
    keeper.keep()
    kept = Settings(path)
    assert (kept.arrangement, kept.geometry) == (before.arrangement, before.geometry)
    assert before.arrangement
    assert window.workspace.area.is_one_alone, "asking does not end it"


@pytest.mark.parametrize("width", [1280, 2000])
def test_what_is_kept_every_few_seconds_changes_nothing_that_is_seen(
    driver: Driver, source: Path, tmp_path: Path, width: int
) -> None:
    """One pane alone stays so, and columns without room stay hidden; all of them are kept."""
    window = driver.window
    driver.finish(driver.open(source), build_capture())
    window.resize(2000, 900)
    window.commands.actions["add_pane"].trigger()
    QApplication.processEvents()
    area, keeper = window.workspace.area, window.findChild(autosave.Keeper)
    assert keeper is not None
    before = area.arrangement()
    assert len(before.parts) == len(area.panes) > 2
    window.resize(width, 900)
    QApplication.processEvents()
    for is_alone in (False, True):
        if is_alone:
            area.show_alone()
        QApplication.processEvents()
        resized: list[StagePane] = []
        seen = [pane.isVisible() for pane in area.panes]
        sizes = [pane.size() for pane in area.panes]
        for pane in area.panes:
            pane.installEventFilter(_Resizes(pane, resized))
        keeper.keep()
        QApplication.processEvents()
        assert area.is_one_alone is is_alone and not resized
        assert [pane.isVisible() for pane in area.panes] == seen
        assert [pane.size() for pane in area.panes] == sizes
        kept = parse_arrangement(Settings(str(tmp_path / "window.json")).arrangement)
        assert kept is not None and kept.parts == before.parts
        assert all(share > 0 for share in kept.shares)


class _Resizes(QObject):
    """Lists its parent whenever that is resized."""

    def __init__(self, parent: StagePane, found: list[StagePane]) -> None:
        super().__init__(parent)
        self._pane, self._found = parent, found

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._found.append(self._pane)
        return False


def test_it_is_kept_by_itself(
    qapp: QApplication,
    session: RecordedSession,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(autosave, "_DELAY_MS", 1)
    path = str(tmp_path / "window.json")
    bridge = Bridge(lambda: session)
    window = build_window(qapp, bridge, RunOptions(), Settings(path))
    window.call_bar.set_call("f(f32[3])")
    window.call_bar.edit.remember()
    qtbot.waitUntil(lambda: Settings(path).calls == ("f(f32[3])",))
    destroy(window)
    bridge.close()


def test_calls_of_another_window_are_older_ones(tmp_path: Path) -> None:
    first, second = (Settings(str(tmp_path / "window.json")) for _ in range(2))
    first.add_calls(["a(1)", "b(1)"])
    second.add_calls(["c(1)", "a(1)"])
    first.add_recent_file("/a.py")
    second.add_recent_file("/b.py")

    assert Settings(str(tmp_path / "window.json")).values == {
        "calls": ("b(1)", "c(1)", "a(1)"),
        "recent_files": ("/b.py", "/a.py"),
    }


def test_two_windows_that_write_at_once_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second begins while the first has read and not written yet."""
    monkeypatch.setattr(settings_module, "_PATIENCE_S", 300.0)
    path = str(tmp_path / "window.json")
    first, second = Settings(path), Settings(path)
    other = threading.Thread(target=second.add_trusted_folder, args=["/b"])
    read = first._read

    def read_and_wait(problems: list[str]) -> dict[str, Any]:
        found = read(problems)
        other.start()
        other.join(0.3)
        return found

    monkeypatch.setattr(first, "_read", read_and_wait)
    first.add_trusted_folder("/a")
    other.join()
    assert Settings(path).trusted_folders == ("/a", "/b")


def test_a_window_that_was_stopped_while_it_wrote_is_not_waited_for(tmp_path: Path) -> None:
    settings = Settings(str(tmp_path / "window.json"))
    with settings_module._locked(tmp_path):
        settings.theme = "dark"
    assert Settings(str(tmp_path / "window.json")).theme == "dark"


def test_settings_of_a_later_version_are_taken_as_far_as_they_are_known(
    qapp: QApplication, session: RecordedSession, tmp_path: Path
) -> None:
    path = tmp_path / "window.json"
    later = {"theme": "solarized", "points": 15.0, "arrangement": '{"v": 9}', "tabs": [{"a": 1}]}
    path.write_text(json.dumps({**later, "geometry": "AAAA", "language": "tlh"}))
    bridge = Bridge(lambda: session)
    window = build_window(qapp, bridge, RunOptions(), Settings(str(path)))
    assert window.row._message.endswith("not used are language, tabs, theme.")
    assert window._themes.points == 15.0
    assert window.workspace.area.panes
    destroy(window)
    bridge.close()


OFFERING = "# jaxscope: f(f32[3])\ndef f(x):\n    return x\n\n\ndef g(x):\n    return x\n"


@pytest.fixture
def offering(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(OFFERING)
    return path


def finish_next(driver: Driver, number: int) -> str:
    """Answer the run of that number with a capture of its call, which is returned."""
    run = driver.wait_for(CaptureRequest, number)
    call = run.request.call
    driver.finish(run, dataclasses.replace(build_capture(), call=call))
    return call


def run_in(driver: Driver, call: str, number: int) -> None:
    driver.window.call_bar.set_call(call)
    driver.window.run_call()
    assert finish_next(driver, number) == call


def test_a_file_is_opened_again_at_the_call_that_was_run_on_it_last(
    driver: Driver, window: MainWindow, offering: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.py"
    other.write_text(OFFERING)
    window.open_path(str(offering))
    assert finish_next(driver, 1) == "f(f32[3])"
    run_in(driver, "grad(g)(f32[])", 2)
    window.open_path(str(other))
    assert finish_next(driver, 3) == "f(f32[3])", "that of another file is not meant"
    window.open_path(str(offering))
    assert window.call_bar.edit.text() == "grad(g)(f32[])"
    assert finish_next(driver, 4) == "grad(g)(f32[])"
    window.open_path(str(offering), "g(f32[2])")
    assert finish_next(driver, 5) == "g(f32[2])", "what is named goes first"
    window._settings.set_call_of(str(other), "g(f32[9])")
    window.files.path_chosen.emit(str(other))  # not trusted: shown, and not run
    assert window.call_bar.edit.text() == "g(f32[9])"
    assert len(driver.session.of_type(CaptureRequest)) == 5


def test_another_window_opens_a_file_at_the_call_of_this(
    driver: Driver,
    window: MainWindow,
    qapp: QApplication,
    offering: Path,
    tmp_path: Path,
    session: RecordedSession,
) -> None:
    bridge = Bridge(lambda: session)
    settings = Settings(str(tmp_path / "window.json"))
    other = build_window(qapp, bridge, RunOptions(), settings)  # before the call is run
    window.open_path(str(offering))
    finish_next(driver, 1)
    run_in(driver, "g(f32[2])", 2)
    other.open_path(str(offering))
    assert other.controller.state.call == "g(f32[2])"
    destroy(other)
    bridge.close()


def test_where_the_function_is_gone_the_offered_call_is_run(
    driver: Driver, window: MainWindow, offering: Path
) -> None:
    window.open_path(str(offering))
    finish_next(driver, 1)
    run_in(driver, "grad(g)(f32[])", 2)
    offering.write_text(OFFERING.replace("def g", "def h"))
    window.open_path(str(offering))
    assert finish_next(driver, 3) == "f(f32[3])"


@pytest.mark.parametrize("is_run_again", [True, False])
def test_the_first_offered_call_is_the_file_s_to_change(
    driver: Driver, window: MainWindow, offering: Path, is_run_again: bool
) -> None:
    """It is not remembered, whether opening the file ran it or a person."""
    window.open_path(str(offering))
    finish_next(driver, 1)
    if is_run_again:
        run_in(driver, "g(f32[2])", 2)
        run_in(driver, "f(f32[3])", 3)
    offering.write_text(OFFERING.replace("f32[3]", "f32[4]"))
    window.open_path(str(offering))
    assert finish_next(driver, 4 if is_run_again else 2) == "f(f32[4])"


def test_a_sample_opens_at_the_call_of_its_lesson(
    driver: Driver, window: MainWindow, offering: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_path, "_find_folder", lambda: offering.parent)
    window.open_path(str(offering))
    finish_next(driver, 1)
    run_in(driver, "g(f32[2])", 2)
    window._settings.set_call_of(str(offering), "g(f32[2])")  # also of an older version
    window.open_path(str(offering))
    assert finish_next(driver, 3) == "f(f32[3])"


def test_a_call_that_failed_before_its_first_stage_is_not_the_last(
    driver: Driver, window: MainWindow, offering: Path
) -> None:
    window.open_path(str(offering))
    finish_next(driver, 1)
    run_in(driver, "g(f32[2])", 2)
    window.call_bar.set_call("g(f32[2)")
    window.run_call()
    driver.wait_for(CaptureRequest, 3).tell(Failed(UserCodeError("It is no call.")))
    driver.wait_until(lambda: not window.controller.state.is_running)
    window.open_path(str(offering))
    assert finish_next(driver, 4) == "g(f32[2])"


def test_few_files_have_a_call_that_is_remembered(tmp_path: Path) -> None:
    settings = Settings(str(tmp_path / "window.json"))
    for number in range(40):
        settings.set_call_of(f"/{number}.py", "f(1)")
    settings.set_call_of("/39.py", "f(" + "1" * 3_000)  # too long: none any more
    settings.set_call_of("/38.py", "f(2)")
    fresh = Settings(str(tmp_path / "window.json"))
    assert not fresh.problems
    found = [fresh.call_of(f"/{number}.py") for number in range(40)]
    assert found == ["" if n < 8 or n == 39 else "f(2)" if n == 38 else "f(1)" for n in range(40)]


def test_the_next_start_knows_which_file_a_call_was_run_on(qtbot: QtBot, tmp_path: Path) -> None:
    """Two files may have a function of one name: calls of the one do not run on the other."""
    place = str(tmp_path / "settings.json")
    edit, settings = CallEdit(), Settings(place)
    for file, call in (("/one.py", "loss(1)"), ("/two.py", "loss(2)"), ("/one.py", "loss(2)")):
        edit.file = file
        edit.setText(call)
        edit.remember()
    settings.add_calls(edit.history)
    settings.set_calls_with_files(edit.calls_with_files)

    later, known = CallEdit(), Settings(place)
    later.set_history(known.calls, known.calls_with_files)
    later.file = "/two.py"
    assert later.history == ("loss(1)", "loss(2)")
    assert [later.is_of_file(call) for call in later.history] == [False, False]
    assert later.is_of_file("typed(3)")
