"""Real windows with real captures, drawn off screen and saved as pictures."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from few_colours import save_with_few_colours
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from jaxscope.model import is_available
from jaxscope.ui.application import build_window
from jaxscope.ui.launch import EarlySession
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.session.state import Phase
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
THEMES = ("light", "dark")
_LIMIT_S = 180.0
_REST_S = 0.6
"""For movements after something has changed."""


def start_application() -> QApplication:
    """The process's one application, looking as the real one does."""
    application = QApplication(sys.argv[:1])
    application.setApplicationName("jaxscope")
    application.setStyle("Fusion")
    return application


@contextlib.contextmanager
def open_window(
    application: QApplication, size: tuple[int, int], python: str | None = None
) -> Iterator[MainWindow]:
    """A light window of a size in pixels, that remembers nothing."""
    with tempfile.TemporaryDirectory() as folder:
        bridge = Bridge(EarlySession(python).wait)
        settings = Settings(str(Path(folder) / "window.json"))
        settings.theme = THEMES[0]
        settings.shows_lessons = False  # the window itself is wanted
        window = build_window(application, bridge, RunOptions(python=python), settings)
        window.resize(*size)
        window.show()
        yield window
        window.close()
        bridge.close()
        window.deleteLater()  # and now: every change of theme goes through all that still live
        application.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def run_call(
    application: QApplication, window: MainWindow, file: str, call: str, target: str = "cpu"
) -> None:
    """Run a call of a file, whose path is relative to the repository, and wait for all of it."""
    window.call_bar.target.setCurrentText(target)
    window.open_path(str(ROOT / file), call)
    wait(application, lambda: window.controller.state.phase in (Phase.DONE, Phase.FAILED))
    if window.controller.state.phase is Phase.FAILED:
        error = window.controller.state.error
        raise RuntimeError(error.explanation.what if error is not None else "The run failed.")
    settle(application, window)


def show_page(application: QApplication, window: MainWindow, title: str) -> None:
    """Turn to a page by its name."""
    pages = window.pages
    pages.show_page(next(name for name in pages if pages.page_of(name).title == title))
    settle(application, window)


def select_node(application: QApplication, window: MainWindow, operation: str, part: str) -> None:
    """Select an instruction of the optimized program, opened down to it.

    Args:
        operation: What it is, such as `fusion`.
        part: What its name contains.

    Raises:
        LookupError: There is none.
    """
    stage = next(s for s in window.controller.state.stages if s.name == "optimized")
    graph = stage.graph
    if not is_available(graph):
        raise LookupError("The optimized program has no graph.")
    every = (graph.node(index) for index in range(len(graph.nodes)))
    found = [i for i, n in enumerate(every) if n.operation == operation and part in n.id]
    if not found:
        raise LookupError(f"No {operation} is named {part}.")
    for pane in window.workspace.area.panes:
        if pane.canvas is not None and pane.wanted_stage == "optimized":
            pane.canvas.select_node(found[0])  # opens what it is in
    settle(application, window)
    window.workspace.selection.select_node("optimized", found[0])
    settle(application, window)


def save_themes(
    application: QApplication, window: MainWindow, folder: Path, name: str, suffix: str = ""
) -> None:
    """Save the window in both themes, and leave it light."""
    for theme in THEMES:  # the window is light
        if theme != THEMES[0]:
            window.toggle_theme()
            settle(application, window)
        save_with_few_colours(window.grab().toImage(), folder / f"{name}_{theme}{suffix}.png")
    window.toggle_theme()


def wait(application: QApplication, is_done: Callable[[], bool]) -> None:
    """Let the window work until something is true.

    Raises:
        TimeoutError: It did not become true in minutes.
    """
    deadline = time.monotonic() + _LIMIT_S
    while not is_done():
        if time.monotonic() > deadline:
            raise TimeoutError("The window did not get ready.")
        application.processEvents()
        time.sleep(0.005)


def settle(application: QApplication, window: MainWindow) -> None:
    """Wait until every graph is laid out, nothing moves, and all is painted."""
    rest(application)
    panes = window.workspace.area.panes
    seen = [p.canvas for p in panes if p.canvas is not None and p.canvas.isVisible()]
    wait(application, lambda: not any(canvas.is_busy for canvas in seen))
    rest(application)
    wait(application, lambda: all(canvas.is_sharp for canvas in seen))


def rest(application: QApplication) -> None:
    """Let the window come to rest."""
    end = time.monotonic() + _REST_S
    wait(application, lambda: time.monotonic() > end)
