"""What holds for every test: silence, an offscreen window, an X server for those that ask, cheap
workers, and that what is left out is told.

Silence: a Python warning, a log record of level WARNING or above, or a message of Qt's fails the
test in which it appears. What is allowed is listed here, each with its reason. Qt's messages are
caught by pytest-qt (`qt_log_level_fail` below), which needs output capturing: the suite is never
run with `-s` in automation.
"""

from __future__ import annotations

import atexit
import functools
import gc
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

# readline, which pytest loads, tells every process that it starts of a terminal that is not there.
os.environ["COLUMNS"] = ""

if TYPE_CHECKING:
    from cli.commands import CommandLine
    from export.browser import Browser
    from jaxscope.ui.window.page_context import PageContext

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Images of containers often forbid bytecode, and then each process that a test starts compiles our
# sources anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# No example may depend on how fast the machine is.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")

# What tests keep from run to run is not the person's.
os.environ["XDG_CACHE_HOME"] = _cache = tempfile.mkdtemp(prefix="jaxscope-tests-")
atexit.register(shutil.rmtree, _cache, ignore_errors=True)

# (`message:category` in the notation of Python's -W, reason)
ALLOWED_WARNINGS: tuple[tuple[str, str], ...] = ()

# (logger name, regular expression of the message, reason)
ALLOWED_LOG_RECORDS = (
    (
        "jax._src.xla_bridge",
        r"An NVIDIA GPU may be present|Unable to initialize backend|No GPU/TPU found",
        "JAX tells about accelerators that this machine lacks; not ours to fix",
    ),
)

# (regular expression, reason)
ALLOWED_QT_MESSAGES = (
    (
        "This plugin does not support",
        "the offscreen platform says so of window functions that it only pretends to have",
    ),
    (
        "QFontDatabase: Cannot find font directory",
        "PySide6's wheels bring no fonts; the system's are used",
    ),
)


# No test measures how fast the machine is: whoever waits, waits until it happens.
PATIENCE_MS = 300_000


SLOW = "slow"

_ALLOCATIONS = 10_000


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slow",
        action="store_true",
        help="run slow tests too",
    )
    parser.addoption(
        "--started",
        action="store_true",
        help="start every worker and command as those of users are, instead of forking it",
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Let the collector rest: nothing that is collected is garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("slow"):
        return
    sweeps: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason=SLOW))
        elif item.get_closest_marker("sweep"):
            sweeps.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in sweeps.values():
        marker = cases[0].get_closest_marker("sweep")
        assert marker is not None
        for item in left_out_of(cases, *marker.args):
            item.add_marker(pytest.mark.skip(reason=SLOW))


def left_out_of(cases: list[pytest.Item], num_kept: int) -> list[pytest.Item]:
    """All cases but so many, which are spread evenly."""
    kept = {int((number + 0.5) * len(cases) / num_kept) for number in range(num_kept)}
    return [case for number, case in enumerate(cases) if number not in kept]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what was left out, and how to have it."""
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", ()):
        if isinstance(report.longrepr, tuple):
            reasons[report.longrepr[2].removeprefix("Skipped: ")] += 1
    num_slow = reasons.pop(SLOW, 0)
    if num_slow:
        terminalreporter.line(f"left out as slow: {num_slow} (./run test --slow has them)")
    if reasons:
        told = "; ".join(f"{count}: {reason}" for reason, count in reasons.most_common())
        terminalreporter.line(f"left out for lack of something: {reasons.total()} ({told})")


def pytest_configure(config: pytest.Config) -> None:
    _have_own_scratch(config)
    _be_patient()
    _heed_signals()
    # What is collected makes Python's collector slow: let it look for garbage less often.
    gc.set_threshold(_ALLOCATIONS, *gc.get_threshold()[1:])
    config.add_cleanup(_collect_once)
    config.addinivalue_line("filterwarnings", "error")
    for allowed, _reason in ALLOWED_WARNINGS:
        config.addinivalue_line("filterwarnings", f"ignore:{allowed}")
    for pattern, _reason in ALLOWED_QT_MESSAGES:
        config.addinivalue_line("qt_log_ignore", pattern)


def _collect_once() -> None:
    """Look for garbage for the last time: pytest would once more, and Python twice as it ends."""
    gc.collect()
    gc.freeze()


def _be_patient() -> None:
    """Let no wait of pytest-qt end sooner on a busy machine; what arrives ends it at once."""
    for name in ("waitUntil", "waitSignal", "waitSignals"):
        setattr(QtBot, name, _waiting_longer(getattr(QtBot, name)))


def _waiting_longer(wait: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(wait)
    def wait_longer(*arguments: Any, **options: Any) -> Any:
        if options.get("raising", True):  # else the wait is to end: `assertNotEmitted` is one
            options["timeout"] = PATIENCE_MS
        return wait(*arguments, **options)

    return wait_longer


def _heed_signals() -> None:
    """Let what tests start be stopped by signals that this process was told to ignore.

    A shell without a terminal starts what runs in the background so, and `nohup` does; programs
    inherit it. A handler that does nothing ignores as well, and is not inherited.
    """
    names = ("SIGINT", "SIGQUIT", "SIGHUP")  # Windows has the first alone
    for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def _have_own_scratch(config: pytest.Config) -> None:
    """Let no other program's temporary files be seen: tests look for what runs leave behind."""
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())  # for `tmp_path`
    folder = tempfile.mkdtemp(prefix="jaxscope-tests-")
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.fixture(autouse=True)
def _no_log_records() -> Iterator[None]:
    """Fail the test if anything logs a warning or worse."""
    handler = _Collector()
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
    if handler.unexpected:
        pytest.fail("unexpected log records:\n" + "\n".join(handler.unexpected), pytrace=False)


@pytest.fixture
def jaxscope(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line, in this process: `jaxscope("capture", file, call)` returns its answer."""
    from cli.commands import CommandLine

    return CommandLine(capsys)


@pytest.fixture
def page_context(qapp: QApplication, tmp_path: Path) -> Iterator[PageContext]:
    """What a page may use, of a window without panes and pages."""
    from jaxscope.ui.application import make_graph_page
    from jaxscope.ui.session.controller import Bridge, Controller, RunOptions
    from jaxscope.ui.toolkit.overrides import guard_overrides
    from jaxscope.ui.toolkit.theme import LIGHT, ThemeSwitch
    from jaxscope.ui.window.main_window import MainWindow
    from jaxscope.ui.window.menus import GraphChoices
    from jaxscope.ui.window.settings import Settings
    from tests.window.programs import RecordedSession

    guard_overrides()
    settings, bridge = Settings(str(tmp_path / "page.ini")), Bridge(RecordedSession)
    make_graph = functools.partial(make_graph_page, GraphChoices(settings))
    themes = ThemeSwitch(qapp, LIGHT)
    controller = Controller(bridge, RunOptions())
    window = MainWindow(controller, themes, settings, make_graph, late_panes=True)
    yield window.page_context()
    window.close()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    bridge.close()


@pytest.fixture(scope="session", autouse=True)
def _forked_workers(pytestconfig: pytest.Config) -> Iterator[None]:
    """Let sessions of this process have workers that are forked: see `forking.py`."""
    from jaxscope.client import session
    from tests.forking import ForkedLink, never_spare_started

    with pytest.MonkeyPatch.context() as patch:
        if hasattr(os, "fork") and not pytestconfig.getoption("started"):
            patch.setattr(session, "LocalLink", ForkedLink)
            usual = session.Session._when_spare
            patch.setattr(session.Session, "_when_spare", never_spare_started(usual))
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    from tests.forking import pass_over_imports

    pass_over_imports()


@pytest.fixture
def started_workers() -> Iterator[None]:
    """Workers that are started as those of users are, for one test.

    With a wider scope it would last to the end of the run: `tests` is no package.
    """
    from jaxscope.client import session, supervisor_link

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "LocalLink", supervisor_link.LocalLink)
        yield


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """For tests marked `browser`."""
    from export.browser import Browser, find_browser

    program = find_browser()
    if program is None:
        pytest.skip("needs Chromium (apt-get install chromium-headless-shell)")
    with Browser(program, tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture(scope="session")
def x_display() -> Iterator[str]:
    """The name of an X server's display, for tests marked `xcb` that start a real window."""
    if shutil.which("Xvfb") is None:
        pytest.skip("needs Xvfb (./run test --yes installs it)")
    read_end, write_end = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
        pass_fds=(write_end,),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write_end)
    try:
        with os.fdopen(read_end) as answer:
            number = answer.readline().strip()
        if not number:
            pytest.fail("Xvfb ended without naming a display")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(10)


class _Collector(logging.Handler):
    """Keeps the text of every record that no entry of the list allows."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.unexpected: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        for name, pattern, _reason in ALLOWED_LOG_RECORDS:
            if record.name == name and re.search(pattern, message):
                return
        self.unexpected.append(f"{record.levelname} {record.name}: {message}")
