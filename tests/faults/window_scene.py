"""The catalogue through a window: a normal run, the fault in the same file, a normal run again."""

from __future__ import annotations

import html
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QLabel

from jaxscope.client.session import Session
from jaxscope.model import Capture
from jaxscope.model.outline import find_offered_calls
from jaxscope.ui.application import build_window
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.session.state import Phase, WindowState
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.settings import Settings
from tests.faults.catalogue import Act, Fault, check_capture, check_error
from tests.faults.scene import PROGRAMS, leftovers

WORKS = (PROGRAMS / "works.py").read_text()
WORKS_CALL = "f(f32[3])"
Wait = Callable[[Callable[[], bool]], None]


class WindowScene:
    """A window, and the session that is behind it."""

    def __init__(self, window: MainWindow, session: Session, wait: Wait) -> None:
        self.window, self.session, self.wait = window, session, wait

    @property
    def state(self) -> WindowState:
        return self.window.controller.state

    def work(self, path: Path) -> Capture:
        """Let the file be as it should, run it, and return the capture, which is shown."""
        make_room(path)
        path.write_text(WORKS)
        before = self.state.capture
        if self.state.file != os.path.realpath(path):
            self.window.open_path(str(path), WORKS_CALL)
        else:
            self.run(WORKS_CALL)
        self.wait(lambda: not self.state.is_running and self.state.phase is not Phase.IDLE)
        capture = self.state.capture
        assert capture is not None and capture is not before, self.state.error
        assert self.state.error is None and not self.state.is_stale
        assert [stage.name for stage in capture.stages if stage.unavailable] == []
        return capture

    def run(self, call: str) -> None:
        self.window.call_bar.set_call(call)
        self.window.run_call()
        assert self.state.is_running

    def suffer(self, fault: Fault, path: Path) -> None:
        """Let the fault stand in the file's place, run it, and see what the window says of it."""
        before = self.state
        make_room(path)
        fault.put(path)
        self.run(fault.call or next(found.call for found in find_offered_calls(path.read_text())))
        self._act(fault)
        self.wait(lambda: not self.state.is_running)
        after = self.state
        if fault.act is not Act.NOTHING:
            assert after.phase is Phase.STOPPED, after.error
        elif fault.errors:
            assert after.phase is Phase.FAILED and after.error is not None
            check_error(fault, after.error)
            assert self.window.error_panel.isVisible()
            labels = self.window.error_panel.findChildren(QLabel)
            told = [words_of(label.text()) for label in labels if label.isVisible()]
            assert after.error.explanation.what.replace("`", "") in told, told
        else:
            assert after.phase is Phase.DONE and after.capture is not None, after.error
            check_capture(fault, after.capture)
            return
        # Either something of this run is there, or what was there before is, and is marked as old.
        if after.is_stale:
            assert after.stages == before.stages and after.capture is before.capture
            self.wait(lambda: self.window.screen_shown.is_stale)
        else:
            assert after.stages and after.stages != before.stages

    def _act(self, fault: Fault) -> None:
        if fault.act is Act.NOTHING:
            return
        if fault.printed:
            self.wait(lambda: fault.printed in self.state.output)
        else:
            self.wait(lambda: not self.state.is_responding)
        self.window.stop_run()
        if fault.act is Act.KILL:
            self.window.stop_run()

    def leftovers(self) -> list[str]:
        """Processes and temporary files that should be gone."""
        return [*leftovers(self.session), *scratch_files()]


def words_of(text: str) -> str:
    """What is read of a label, whose code may be marked."""
    return html.unescape(re.sub("<[^>]*>|\u200b", "", text)).replace("`", "")


def scratch_files() -> list[str]:
    """Temporary files of workers."""
    return [name for name in os.listdir(tempfile.gettempdir()) if "jaxscope-scratch" in name]


def make_room(path: Path) -> None:
    """Let nothing stand at a path."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def open_window(
    application: QApplication, folder: Path, options: RunOptions, wait: Wait
) -> Iterator[WindowScene]:
    """A window over a session of its own."""
    session = Session()
    bridge = Bridge(lambda: session)
    settings = Settings(str(folder / "window.json"))
    window = build_window(application, bridge, options, settings)
    window.resize(1600, 900)
    window.show()
    try:
        yield WindowScene(window, session, wait)
    finally:
        window.close()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        bridge.close()
