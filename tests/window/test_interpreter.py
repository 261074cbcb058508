"""Another interpreter for the person's code, chosen in the window."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from jaxscope.client.requests import CaptureRequest, OutlineRequest
from jaxscope.ui import application
from jaxscope.ui.instance_handover import Offer, program
from jaxscope.ui.window.files import find_environment
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import RecordedSession, build_capture


def make_environment(folder: Path, name: str = ".venv") -> Path:
    """As far as it is looked at: a link to an interpreter."""
    inside = ("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")
    python = folder.joinpath(name, *inside)
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    return python


def open_dialog(window: MainWindow) -> QFileDialog:
    window.commands.actions["ask_interpreter"].trigger()
    (dialog,) = (each for each in window.findChildren(QFileDialog) if each.isVisible())
    return dialog


@pytest.mark.parametrize("levels", ["", "package/inner"])
def test_the_environment_around_a_file_is_found(tmp_path: Path, levels: str) -> None:
    folder = tmp_path / levels
    folder.mkdir(parents=True, exist_ok=True)
    assert find_environment(str(folder)) == ""
    assert find_environment(str(folder)) != (python := str(make_environment(tmp_path, "venv")))
    assert find_environment(str(folder)) == python


def test_what_is_shown_is_run_again_with_what_is_chosen(
    window: MainWindow, driver: Driver, session: RecordedSession, source: Path
) -> None:
    run = driver.open(source)
    driver.finish(run, build_capture())
    python = make_environment(source.parent)

    dialog = open_dialog(window)
    assert dialog.selectedFiles() == [str(python)]
    assert dialog.testOption(QFileDialog.Option.DontResolveSymlinks)
    dialog.accept()

    again = driver.wait_for(CaptureRequest, 2)
    assert isinstance(again.request, CaptureRequest)
    assert (again.request.python, again.request.call) == (str(python), "grad(f)(f32[3])")
    outline = driver.wait_for(OutlineRequest, 2)
    assert outline.request.python == str(python)
    assert str(python) in window.row.message


def test_a_file_that_may_not_run_yet_is_not_run_for_it(
    window: MainWindow, driver: Driver, session: RecordedSession, source: Path
) -> None:
    window.files.path_chosen.emit(str(source))
    driver.wait_for(OutlineRequest)
    window.controller.choose_python(str(make_environment(source.parent)))
    driver.wait_for(OutlineRequest, 2)
    assert not session.of_type(CaptureRequest)


def test_of_another_machine_no_file_is_asked_for(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    run = driver.open(source)
    driver.finish(run, build_capture())
    window.controller.run("f(f32[3])", "ssh://me@there/cpu")
    window.commands.actions["ask_interpreter"].trigger()
    assert not [each for each in window.findChildren(QFileDialog) if each.isVisible()]
    assert window.controller.state.error is not None
    assert "--python" in window.controller.state.error.explanation.remedy


def test_a_later_launch_does_not_run_under_what_was_chosen_here(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(application, "find_place", lambda: str(tmp_path / "socket"))
    server = application.serve_launches(window, "here")
    assert server is not None
    offer = Offer(str(tmp_path / "a.py"), "", "cpu", program(), "here")
    assert server.answer(offer)
    window.controller.choose_python(sys.executable)
    assert not server.answer(offer)
    saved = Offer(str(tmp_path / "a.jaxscope"), "", "cpu", program(), "here")
    assert server.answer(saved)  # nothing of it is run
    server.close()
