"""Filters of events: none is asked for what it no longer has when a window is taken apart."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from jaxscope.ui import application
from jaxscope.ui.session.controller import RunOptions
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import RecordedSession

AT_THE_END = (
    QEvent.Type.Hide,
    QEvent.Type.ChildRemoved,
    QEvent.Type.ParentChange,
    QEvent.Type.WindowDeactivate,
    QEvent.Type.DeferredDelete,
)
"""Kinds of events that are sent while widgets are deleted, and that no filter has work for."""


def find_filters(root: QObject) -> list[QObject]:
    """Every object below one that filters events in Python."""
    every = [root, *root.findChildren(QObject)]
    return [each for each in every if "eventFilter" in vars(type(each))]


def test_filters_let_events_of_the_end_pass_without_what_they_had(driver: Driver) -> None:
    """Python's collector empties objects before Qt deletes them."""
    filters = find_filters(driver.window)
    assert len({type(each) for each in filters}) >= 8
    for each in filters:
        kept: dict[str, Any] = dict(vars(each))
        vars(each).clear()
        try:
            passed = [each.eventFilter(driver.window, QEvent(kind)) for kind in AT_THE_END]
        finally:
            vars(each).update(kept)
        assert not any(passed), each


def test_a_window_that_was_closed_is_deleted_in_order(
    qapp: QApplication,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    windows: list[MainWindow] = []
    build_window = application.build_window

    def build(*arguments: Any, **options: Any) -> MainWindow:
        windows.append(build_window(*arguments, **options))
        QTimer.singleShot(0, close)
        return windows[0]

    def close() -> None:
        windows[0].close()
        qapp.quit()  # windows of other tests may be there: the last is not this one

    # Else Qt posts a second quit, which ends every event loop of the tests that follow.
    request.addfinalizer(functools.partial(qapp.setQuitOnLastWindowClosed, True))
    qapp.setQuitOnLastWindowClosed(False)
    monkeypatch.setattr(application, "build_window", build)
    application.run_application(
        RecordedSession,
        RunOptions(),
        file=None,
        call=None,
        capture=None,
        target="cpu",
        settings_file=str(tmp_path / "window.json"),
        runs_something=False,
    )
    assert len(windows) == 1
    assert not shiboken6.isValid(windows[0]), "parts of it are left for Python's collector"
