"""A real window over a session that only remembers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from jaxscope.client.events import Finished, HeadArrived
from jaxscope.client.requests import CaptureRequest, OutlineRequest, Request
from jaxscope.client.session import Session
from jaxscope.model import Capture
from jaxscope.model.outline import OfferedCall, Outline, OutlinedFunction
from jaxscope.ui.application import build_window
from jaxscope.ui.pages import PAGES
from jaxscope.ui.panes.pane_area import WIDE_ARRANGEMENT
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.toolkit.theme import ThemeSwitch
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.settings import Settings

from .programs import SOURCE, RecordedRun, RecordedSession


def destroy(window: QWidget) -> None:
    """Close a window and delete it now: every restyling would go through all that still live."""
    window.close()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@contextlib.contextmanager
def window_over(
    make_session: Callable[[], Session], qapp: QApplication, folder: Path
) -> Iterator[MainWindow]:
    """A window over real workers; its settings lie in a folder of the test's own."""
    bridge = Bridge(make_session)
    window = build_window(qapp, bridge, RunOptions(), Settings(str(folder / "window.json")))
    window.show()
    yield window
    destroy(window)
    bridge.close()


@contextlib.contextmanager
def _undressed(themes: ThemeSwitch) -> Iterator[None]:
    """Take the style sheet off, as `dressed_last` does, and do not put it on again."""
    themes._application.setStyleSheet("")
    yield


@pytest.fixture
def session() -> RecordedSession:
    return RecordedSession()


@pytest.fixture
def every_sample() -> None:
    """The start page shows all samples, not the first alone."""


@pytest.fixture
def window(
    request: pytest.FixtureRequest, qapp: QApplication, session: RecordedSession, tmp_path: Path
) -> Iterator[MainWindow]:
    QCursor.setPos(-1, -1)  # where a test before has left it, something would be under it
    bridge = Bridge(lambda: session)
    settings = Settings(str(tmp_path / "window.json"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ThemeSwitch, "dressed_last", _undressed)  # until all is made, below
        window = build_window(qapp, bridge, RunOptions(), settings, late_panes=True)
    with window.page_context().themes.dressed_last():
        window.workspace.area.arrange(WIDE_ARRANGEMENT)
        window.workspace.area.make_panes()  # these alone, not those of another arrangement before
        for name, page in PAGES.items():
            if page.works_unseen:  # now, not after a capture: tests begin when that is there
                _ = window.pages[name]
    if "every_sample" not in request.fixturenames:
        window.start_page._samples = window.start_page._samples[:1]
    window.resize(1600, 900)
    window.show()
    yield window
    destroy(window)
    bridge.close()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "model.py"
    path.write_text(SOURCE)
    return path


class Driver:
    """Plays the session's part: waits for requests and answers them."""

    def __init__(self, qtbot: QtBot, window: MainWindow, session: RecordedSession) -> None:
        self.qtbot, self.window, self.session = qtbot, window, session

    def wait_for(self, kind: type[Request], count: int = 1) -> RecordedRun:
        self.qtbot.waitUntil(lambda: len(self.session.of_type(kind)) >= count)
        return self.session.of_type(kind)[count - 1]

    def wait_until(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition)

    def open(self, path: Path, calls: tuple[str, ...] = ("grad(f)(f32[3])",)) -> RecordedRun:
        """Open a file that offers calls, and return the run of the first."""
        self.window.open_path(str(path))
        outline = self.wait_for(OutlineRequest)
        function = OutlinedFunction("f", "function", 4, 6, "f(x)", "")
        offered = tuple(OfferedCall(call, 1) for call in calls)
        outline.tell(Finished(Outline((function,), offered, "")))
        return self.wait_for(CaptureRequest)

    def finish(self, run: RecordedRun, capture: Capture) -> None:
        """Answer a run with a capture, and wait until it is on the screen."""
        run.tell(HeadArrived(capture))
        run.tell(Finished(capture))
        self.wait_until(lambda: self.window.controller.state.capture is capture)


@pytest.fixture
def driver(qtbot: QtBot, window: MainWindow, session: RecordedSession) -> Driver:
    return Driver(qtbot, window, session)
