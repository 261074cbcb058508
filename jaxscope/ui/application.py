"""The Qt application: creates the window, adds its pages, runs the event loop, and reports
exceptions.

The module of a page is loaded when the page is first shown or asked for: importing all of them
takes longer than a window may take to appear. `ErrorReporter` catches exceptions of every thread
and shows them in the error panel.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import itertools
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import QApplication, QWidget

from jaxscope.errors import Explanation, InternalError
from jaxscope.model import Capture
from jaxscope.model.file_kinds import CAPTURE_ENDINGS
from jaxscope.ui.instance_handover import Offer, find_place, program
from jaxscope.ui.pages import PAGES
from jaxscope.ui.session.controller import Bridge, Controller, RunOptions, SessionLike
from jaxscope.ui.session.quick_look import QuickLook
from jaxscope.ui.toolkit.language import Language, LanguageSwitch, tr
from jaxscope.ui.toolkit.overrides import guard_overrides
from jaxscope.ui.toolkit.stillness import wants_stillness
from jaxscope.ui.toolkit.theme import DARK, LIGHT, Theme, ThemeSwitch
from jaxscope.ui.toolkit.threads import Post, start_thread
from jaxscope.ui.window.autosave import Autosave, Keeper, offer_unsaved
from jaxscope.ui.window.instance_server import InstanceServer
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.menus import (
    GoCommands,
    GraphChoices,
    GraphCommands,
    LanguageMenu,
    OutlineSync,
    PaneCommands,
)
from jaxscope.ui.window.page_context import PageContext, PageWidget
from jaxscope.ui.window.sample_path import find_samples
from jaxscope.ui.window.settings import Settings
from jaxscope.ui.window.trial import Trial

if TYPE_CHECKING:
    from jaxscope.schema.archive_container import ReadAhead
    from jaxscope.ui.canvas.graph_page import GraphPage

_FIRST_PAINT_MS = 60
"""Pause before panes that come late, so that the window is seen before."""

_TITLE_PX = 40
"""What a desktop puts around a window, at most."""

_SOME, _MANY = 30, 1000
"""Collections of young objects, of some thousands each, before all objects are looked through:
where nobody looks at the window, and where somebody does."""

_AT_ONCE = 60
"""Classes of Qt that are made in one turn of the event loop, some milliseconds."""

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
    runs_something: bool,
    surroundings: str | None = None,
    ahead: ReadAhead | None = None,
) -> int:
    """Show the window until it is closed, and return its exit status.

    Args:
        make_session: Called once, on a thread of its own; may wait.
        runs_something: Whether the session is wanted at once, and not with the first run.
        surroundings: Of launches whose files this window takes; None if it takes none.
        ahead: What reads the file already, if it is a saved capture.
    """
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        application = QApplication(sys.argv[:1])
    application.setApplicationName("jaxscope")
    application.setStyle("Fusion")
    bridge = Bridge(make_session, is_lazy=not runs_something)
    settings = Settings(settings_file)
    window = build_window(application, bridge, options, settings, late_panes=True)
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
    elif file and file.endswith(CAPTURE_ENDINGS):
        window.files.load_first(os.path.abspath(file), ahead)
    elif file:
        window.open_path(os.path.abspath(file), call or "")
    else:
        open_first(window, settings)
    if is_too_large(window.size(), window.screen()):  # it may be remembered of another screen
        window.setWindowState(Qt.WindowState.WindowMaximized)
    window.show()  # with its file: the start page then costs nothing
    if window.controller.state.capture is not None:
        window.workspace.area.make_panes()  # what they show is there: nothing is drawn without them
    server = None if surroundings is None else serve_launches(window, surroundings)
    start_thread(wants_stillness, name="jaxscope-stillness")  # known when a group is opened
    _calm_collector()
    application.applicationStateChanged.connect(collect_unseen)
    try:
        return application.exec()
    finally:
        if server is not None:
            server.close()
        sys.excepthook, threading.excepthook = hook, thread_hook
        signal.signal(signal.SIGINT, interrupt)
        bridge.close()
        # Now, and from outside to inside: Python's collector would take the parts in any order, and
        # filters of events would be asked for what they no longer have.
        window.deleteLater()
        application.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _calm_collector() -> None:
    """Let Python's collector hold the window up less often: it stops all threads.

    What a window consists of stays, and is not looked through again. Of a large program there are
    a million objects, which take a quarter of a second to look through, and next to none of them
    is garbage that only the collector finds. So `collect_unseen` does that, unless very many come.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(*gc.get_threshold()[:2], _MANY)


def collect_unseen(state: Qt.ApplicationState) -> None:
    """Look through all objects now if another window is in use, and some have come."""
    if state is not Qt.ApplicationState.ApplicationActive and gc.get_count()[2] > _SOME:
        gc.collect()


def is_too_large(size: QSize, screen: QScreen) -> bool:
    """Whether a window of a size, with a title above it, has no room on a screen."""
    room = screen.availableGeometry()
    return size.width() > room.width() or size.height() + _TITLE_PX > room.height()


def fits(offer: Offer, surroundings: str) -> bool:
    """Whether a window shows what the launch would: of a saved capture nothing is run."""
    is_same_place = offer.surroundings == surroundings or offer.file.endswith(CAPTURE_ENDINGS)
    return offer.program == program() and is_same_place


def serve_launches(window: MainWindow, surroundings: str) -> InstanceServer | None:
    """Let the window take files of later launches; None where it cannot.

    It takes none while something runs or a dialog waits: that would be lost.
    """
    place = find_place()
    if place is None:
        return None

    def accepts(offer: Offer) -> bool:
        is_busy = window.controller.state.is_running or QApplication.activeModalWidget() is not None
        # A launch means its own interpreter, not one that was chosen here.
        own = "" if window.controller.is_python_chosen else surroundings
        return not is_busy and window.isVisible() and fits(offer, own)

    def show(offer: Offer) -> None:
        if not offer.file.endswith(CAPTURE_ENDINGS):
            window.call_bar.target.setCurrentText(offer.target)
        window.open_path(offer.file, offer.call)
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.raise_()
        window.activateWindow()

    server = InstanceServer(place, accepts, window)
    server.taken.connect(show)
    return server


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
    late_panes: bool = False,
) -> MainWindow:
    """Put a window together without showing it.

    Args:
        application: The process's one.
        bridge: To the processes that run user code.
        options: For runs.
        settings: What is remembered.
        make_graph: Makes a graph view; by default one that is loaded when first needed.
        late_panes: Panes come once the event loop runs: a window that can take a call does not
            wait for them.
    """
    guard_overrides()
    languages = LanguageSwitch(application, Language(settings.language))
    themes = ThemeSwitch(application, _find_theme(settings.theme))
    if settings.points:
        themes.set_points(settings.points)
    if os.environ.get("JAXSCOPE_LIVE_STYLE"):
        from jaxscope.ui.toolkit.theme import LiveTheme

        LiveTheme(themes)
    choices = GraphChoices(settings)
    make_graph = make_graph or functools.partial(make_graph_page, choices)
    controller = Controller(bridge, options)
    with themes.dressed_last():
        window = MainWindow(controller, themes, settings, make_graph, late_panes=late_panes)
        workspace, commands, say = window.workspace, window.commands, window.show_message
        GoCommands(commands, workspace.area, workspace.selection, say)
        GraphCommands(commands, workspace.area, choices)
        LanguageMenu(window, languages, settings)
        panes = PaneCommands(
            window, commands, workspace.area, settings, say, window.take_back_message
        )
        OutlineSync(workspace.area)
        changes, open_file = settings.changes_folder, window.open_path
        window.trial = Trial(window, controller, workspace, themes, changes, say, open_file)
        commands.connect_owner("trial", window.trial)
        saving = [commands.actions[slot] for slot in ("save_change", "ask_save_as")]
        window.trial.enable_while_editing(saving, commands.actions["ask_save"])
        offer_unsaved(window.start_page, settings.unsaved_folder)
        layout, folder = window.files.layout, settings.unsaved_folder
        if options.quick_look:
            QuickLook(controller, window)
        Autosave(window, controller, workspace.bookmarks, layout, folder)
        kept = (
            (lambda: window.call_bar.edit.history, settings.add_calls),
            (lambda: window.call_bar.edit.calls_with_files, settings.set_calls_with_files),
            (_unless_presented(window, window.saveGeometry), settings.set_geometry),
            (_unless_presented(window, panes.arrangement), panes.remember),
        )
        Keeper(window, kept)
        context = window.page_context()
        for name, page in PAGES.items():
            window.add_page(name, page, functools.partial(make_page, context, name))
        loader = IdleLoader(window)
        workspace.settled.connect(lambda: loader.load_after(_OF_PAGES, _unseen_pages(window)))
        if late_panes:
            _run_later(window, workspace.area.make_panes)
    if settings.problems:
        window.show_message(" ".join(settings.problems))
    if geometry := settings.geometry:
        window.restoreGeometry(geometry)
    return window


T = TypeVar("T")


def _unless_presented(window: MainWindow, value: Callable[[], T]) -> Callable[[], T]:
    """A value, or what it was before a presentation, which shows one view on all of the screen."""
    last = value()

    def find() -> T:
        nonlocal last
        if not window.presenting.is_on:
            last = value()
        return last

    return find


class IdleLoader(QObject):
    """Does steps of loading one per turn of the event loop, so that the window answers between.

    What names classes of Qt is imported by the window's thread alone. PySide makes a class when it
    is first named; where a thread is interrupted while it makes one, as by the garbage collector,
    the window's thread finds it half made, and the process dies.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._steps: Iterator[object] = iter(())
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._on_timeout)

    def load(self, steps: Iterator[object]) -> None:
        """Do these steps after those that are left."""
        self._steps = itertools.chain(self._steps, steps)
        self._timer.start()

    def load_after(self, plain: Sequence[str], steps: Iterator[object]) -> None:
        """Do steps once modules that name no class of Qt are there, which a thread imports."""
        load = Post(self.load)

        def import_all() -> None:
            try:
                for name in plain:
                    importlib.import_module(name)
            finally:
                load(steps)

        start_thread(import_all, name="jaxscope imports")

    def _on_timeout(self) -> None:
        if next(self._steps, _DONE) is _DONE:
            self._timer.stop()


_DONE = object()


_OF_PAGES = (
    "jaxscope.program.passes.diff",
    "jaxscope.program.diff.texts",
    "jaxscope.program.diff.captures",
    "jaxscope.picture.tint.diff_marks",
    "jaxscope.program.fusion.summary",
    "jaxscope.report.fusion",
    "jaxscope.report.memory",
    "jaxscope.report.tracing",
    "jaxscope.report.roofline",
    "jaxscope.report.measurement_documents",
    "jaxscope.export.measurement_files",
    "jaxscope.client.many_targets",
    *("cProfile", "multiprocessing.connection", "pydoc", "xml.etree.ElementTree"),
)
"""What pages need that is no part of the window; the last ones pyqtgraph loads."""


def _unseen_pages(window: MainWindow) -> Iterator[object]:
    """Load the modules of pages that are made unseen, then have them made, and load plots."""
    for name, page in PAGES.items():
        if page.works_unseen:
            yield importlib.import_module(f"jaxscope.ui.pages.{name}")
    window.make_unseen_pages()
    yield from _plots()


def _plots() -> Iterator[object]:
    """Load what plots need; most of the time goes to the classes of Qt, all of which it names."""
    if "pyqtgraph" not in sys.modules:
        for module in (QtCore, QtGui, QtWidgets):
            names = dir(module)
            for start in range(0, len(names), _AT_ONCE):
                yield [getattr(module, name) for name in names[start : start + _AT_ONCE]]
        for name in ("QtSvg", "QtOpenGL", "QtOpenGLWidgets", "QtTest"):
            with contextlib.suppress(ImportError):
                yield importlib.import_module(f"PySide6.{name}")
        yield importlib.import_module("pyqtgraph")
    yield importlib.import_module("jaxscope.ui.figures.plots")


def make_page(context: PageContext, name: str) -> QWidget:
    """Make the page of a module, which is loaded now."""
    widget: QWidget = importlib.import_module(f"jaxscope.ui.pages.{name}").make_page(context)
    if isinstance(widget, PageWidget):
        widget.start()
    return widget


def _run_later(window: MainWindow, step: Callable[[], object]) -> None:
    timer = QTimer(window, interval=_FIRST_PAINT_MS, singleShot=True)

    def load() -> None:
        if window.controller.state.capture is None:  # else all that a graph needs is loaded
            IdleLoader(window).load_after(_FIRST, map(importlib.import_module, _FIRST_OF_QT))

    timer.timeout.connect(step)
    timer.timeout.connect(load)
    QTimer.singleShot(0, timer.start)  # from the first turn of the event loop on


_FIRST = (
    "jaxscope.client.collectors",
    "jaxscope.client.capture_assembler",
    "jaxscope.picture.scene.first_picture",
    "jaxscope.picture.view.build",
    "jaxscope.export.picture",
)
_FIRST_OF_QT = (
    "jaxscope.ui.canvas.scene_painter",
    "jaxscope.ui.canvas.graph_canvas",
    "jaxscope.ui.canvas.graph_page",
)
"""What the first run and the first graph need."""


def make_graph_page(choices: GraphChoices) -> GraphPage:
    """A graph view that follows the choices; its module is loaded with the first graph."""
    from jaxscope.ui.canvas.graph_canvas import GraphCanvas
    from jaxscope.ui.canvas.graph_page import GraphPage

    canvas = GraphCanvas()
    choices.attach(canvas)
    return GraphPage(canvas)


class ErrorReporter(QObject):
    """Shows exceptions of our own in the window instead of letting them pass unseen."""

    _caught = Signal(object)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._caught.connect(window.controller.show_problem)

    def report(
        self, kind: type[BaseException], value: BaseException, trace: TracebackType | None
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
                    what=tr("Something went wrong inside jaxscope; your code is not to blame."),
                    why=f"{kind.__name__}: {value}"[:1_000],
                    remedy=tr("Go on working. Please report this with the details (Copy details)."),
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
