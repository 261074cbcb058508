"""The Qt application: creates the window, adds its pages, runs the event loop, and reports
exceptions.

Pages that need a result are added after the first paint, one per turn of a timer, because importing
all of them takes longer than a window may take to appear. `ErrorReporter` catches exceptions of
every thread and shows them in the error panel.
"""

from __future__ import annotations

import functools
import importlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QTabWidget

from jaxscope.errors import Explanation, InternalError
from jaxscope.model import Capture
from jaxscope.ui.session.controller import Bridge, Controller, RunOptions, SessionLike
from jaxscope.ui.session.quick_look import QuickLook
from jaxscope.ui.toolkit.theme import DARK, LIGHT, Theme, ThemeSwitch
from jaxscope.ui.window.autosave import Autosave, offer_unsaved
from jaxscope.ui.window.lessons import find_samples
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.menus import (
    GoCommands,
    GraphChoices,
    GraphCommands,
    OutlineSync,
    PaneCommands,
)
from jaxscope.ui.window.page_context import Page, PageContext, PageWidget
from jaxscope.ui.window.settings import Settings

if TYPE_CHECKING:
    from jaxscope.ui.canvas.graph_page import GraphPage

_FIRST_PAINT_MS, _BETWEEN_MS = 60, 10
"""Pauses before the first late page and between them, so that the window answers meanwhile."""

_BEAT_MS = 250
"""How often Python gets to run, so that Ctrl+C in the terminal closes the window."""


def run_application(
    make_session: Callable[[], SessionLike],
    options: RunOptions,
    *,
    file: str | None,
    call: str | None,
    capture: Capture | None,
    target: str,
    settings_file: str | None,
) -> int:
    """Show the window until it is closed, and return its exit status.

    Args:
        make_session: Called once, on a thread of its own; may wait.
    """
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        application = QApplication(sys.argv[:1])
    application.setApplicationName("jaxscope")
    application.setStyle("Fusion")
    bridge = Bridge(make_session)
    settings = Settings(settings_file)
    window = build_window(application, bridge, options, settings, late_pages=True)
    reporter = ErrorReporter(window)
    hook, sys.excepthook = sys.excepthook, reporter.report
    thread_hook, threading.excepthook = threading.excepthook, reporter.report_of_thread
    interrupt = signal.signal(signal.SIGINT, reporter.close_on_signal)
    beat = QTimer(window, interval=_BEAT_MS)
    beat.timeout.connect(reporter.beat)
    beat.start()
    window.call_bar.target.setCurrentText(target)
    if capture is not None:
        window.controller.open_capture(capture, capture.source.file or "capture")
        window.call_bar.set_call(capture.call)
    elif file:
        window.open_path(os.path.abspath(file), call or "")
    else:
        open_first(window, settings)
    window.show()  # with its file: the start page then costs nothing
    try:
        return application.exec()
    finally:
        sys.excepthook, threading.excepthook = hook, thread_hook
        signal.signal(signal.SIGINT, interrupt)
        bridge.close()


def open_first(window: MainWindow, settings: Settings) -> None:
    """Show the first sample to who starts jaxscope for the first time."""
    samples = find_samples()
    if samples and settings.is_first_start:
        window.open_path(str(samples[0]))


def build_window(
    application: QApplication,
    bridge: Bridge,
    options: RunOptions,
    settings: Settings,
    make_graph: Callable[[], GraphPage] | None = None,
    *,
    late_pages: bool = False,
) -> MainWindow:
    """Put a window together without showing it.

    Args:
        application: The process's one.
        bridge: To the processes that run user code.
        options: For runs.
        settings: What is remembered.
        make_graph: Makes a graph view; by default one that is loaded when first needed.
        late_pages: Panes, and pages that need a result, come once the event loop runs: a window
            that can take a call does not wait for them.
    """
    themes = ThemeSwitch(application, _find_theme(settings.theme_name))
    if settings.points:
        themes.set_points(settings.points)
    if os.environ.get("JAXSCOPE_LIVE_STYLE"):
        from jaxscope.ui.toolkit.live_theme import LiveTheme

        LiveTheme(themes)
    choices = GraphChoices(settings)
    make_graph = make_graph or functools.partial(make_graph_page, choices)
    controller = Controller(bridge, options)
    with themes.dressed_last():
        window = MainWindow(controller, themes, settings, make_graph, late_panes=late_pages)
        workspace, commands, say = window.workspace, window.commands, window.show_message
        GoCommands(commands, workspace.area, workspace.selection, say)
        GraphCommands(commands, workspace.area, choices)
        PaneCommands(window, commands, workspace.area, settings, say)
        OutlineSync(workspace.area)
        offer_unsaved(window.start_page, settings.unsaved_folder)
        layout, folder = window.files.layout, settings.unsaved_folder
        if options.quick_look:
            QuickLook(controller, window)
        Autosave(window, controller, workspace.bookmarks, layout, folder)
        context = window.page_context()
        steps = {name: functools.partial(add_page, window, context, name) for name in PAGES}
        late: list[Callable[[], object]] = [workspace.area.make_panes] if late_pages else []
        for name, step in steps.items():
            if late_pages and name not in AT_START:
                late.append(step)
            else:
                step()
        if late:
            _run_later(window, late)
    if geometry := settings.geometry:
        window.restoreGeometry(geometry)
    return window


PAGES = (
    *("timing", "experiments", "compare", "passes", "fusions", "memory", "sharding"),
    *("arguments", "notes", "output", "bookmarks"),
    *("profile", "scaling", "recompilation", "versus", "agreement", "roofline", "targets"),
)
"""Modules of `jaxscope.ui.pages`, each with its `PAGE`, in the order of their tabs: time, then what
XLA did, then what went in and came out; then those inside of the page *Experiments*."""

AT_START = ("timing", "experiments", "arguments", "notes", "output", "bookmarks")
"""Pages that are there when the window appears; the others take longer to import."""


def add_page(window: MainWindow, context: PageContext, name: str) -> None:
    """Make the page of a module, and give it its tab."""
    page: Page = importlib.import_module(f"jaxscope.ui.pages.{name}").PAGE
    widget = page.make(context)
    if page.is_experiment:
        experiments = window.pages["experiments"]
        assert isinstance(experiments, QTabWidget)
        place = experiments.addTab(widget, page.title)
        experiments.setTabToolTip(place, page.answers)
    else:
        window.workspace.tabs.add_page(widget, page.title, PAGES.index(name), page.answers)
    window.pages[name] = widget
    if isinstance(widget, PageWidget):
        widget.start()


def _run_later(window: MainWindow, steps: list[Callable[[], object]]) -> None:
    timer = QTimer(window, interval=_FIRST_PAINT_MS)
    loader = threading.Thread(target=_load_modules, name="jaxscope-loader", daemon=True)
    timer.timeout.connect(loader.start, Qt.ConnectionType.SingleShotConnection)

    def run_next() -> None:
        timer.setInterval(_BETWEEN_MS)
        steps.pop(0)()
        if not steps:
            timer.stop()

    timer.timeout.connect(run_next)
    QTimer.singleShot(0, timer.start)  # from the first turn of the event loop on


def make_graph_page(choices: GraphChoices) -> GraphPage:
    """A graph view that follows the choices; its module is loaded with the first graph."""
    from jaxscope.ui.canvas.graph_canvas import GraphCanvas
    from jaxscope.ui.canvas.graph_page import GraphPage

    canvas = GraphCanvas()
    choices.attach(canvas)
    return GraphPage(canvas)


def _load_modules() -> None:
    """Have the modules in memory that the first run and the first graph need."""
    for module in ("jaxscope.client.collectors", "jaxscope.ui.canvas.graph_page"):
        importlib.import_module(module)


class ErrorReporter(QObject):
    """Shows exceptions of our own in the window instead of letting them pass unseen."""

    _caught = Signal(object)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._caught.connect(window.controller.show_problem)

    def report(
        self,
        kind: type[BaseException],
        value: BaseException,
        trace: TracebackType | None,
    ) -> None:
        """An exception hook: never raises, and works from any thread."""
        if issubclass(kind, KeyboardInterrupt):
            self._window.close()
            return
        text = "".join(traceback.format_exception(kind, value, trace))
        sys.stderr.write(text)
        self._caught.emit(
            InternalError(
                Explanation(
                    what="Something went wrong inside jaxscope; your code is not to blame.",
                    why=f"{kind.__name__}: {value}"[:1_000],
                    remedy="Go on working. Please report this with the details (Copy details).",
                    kind=kind.__name__,
                    full_traceback=text,
                )
            )
        )

    def report_of_thread(self, raised: threading.ExceptHookArgs) -> None:
        """The same for threads, which would end unseen while the window waits for them."""
        if raised.exc_value is not None:
            self.report(raised.exc_type, raised.exc_value, raised.exc_traceback)

    def close_on_signal(self, _number: int, _frame: object) -> None:
        """Close the window when the terminal asks for it."""
        self._window.close()

    def beat(self) -> None:
        """Let Python look at its signals."""


def _find_theme(name: str) -> Theme | None:
    return {"light": LIGHT, "dark": DARK}.get(name)
