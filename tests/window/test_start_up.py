"""A window that can take a call has loaded nothing that only a result needs."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from jaxscope.client.requests import OutlineRequest
from jaxscope.client.supervisor_link import LocalLink
from jaxscope.schema import archive_container
from jaxscope.schema.archive import save_capture
from jaxscope.ui import application, launch
from jaxscope.ui.launch import EarlySession
from jaxscope.ui.session.controller import Bridge

from .programs import RecordedSession, build_capture

START = """
import os, sys, tempfile
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtWidgets import QApplication
from jaxscope.ui.session.controller import Bridge
from jaxscope.ui.session.controller import RunOptions
from jaxscope.ui.application import build_window
from jaxscope.ui.window.settings import Settings
application = QApplication([])
settings = Settings(os.path.join(tempfile.mkdtemp(), "window.json"))
window = build_window(application, Bridge(object), RunOptions(), settings, late_panes=True)
window.show()
print(*sys.modules)
sys.stdout.flush()
os._exit(0)
"""

PICTURE = """
import os, sys, tempfile
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from jaxscope.ui import launch
launch.load_qt()
from jaxscope.ui.window import workspace

def tell(workspace):
    assert all(canvas.scene is not None for canvas in workspace.area.canvases())
    print(*sys.modules)
    if "create_signature" in vars(sys.modules["shibokensupport.signature.layout"]):
        print("PySide's modules of signatures")
    sys.stdout.flush()
    os._exit(0)

workspace._MAX_LOOKS = 1 << 30
workspace.SelectionModel.prepare = lambda _selection: None  # in a thread, and after the picture
workspace.Workspace._read_facts = tell  # once the picture is painted
settings = os.path.join(tempfile.mkdtemp(), "window.json")
launch.open_window(sys.argv[1], settings_file=settings)
"""
ON_THREADS = """
import os, sys, tempfile, threading
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtCore import QTimer
from jaxscope.ui import application, launch

on_threads = set()

class Finder:
    def find_spec(self, name, path=None, target=None):
        if threading.current_thread() is not threading.main_thread():
            on_threads.add(name)

sys.meta_path.insert(0, Finder())
build_window = application.build_window

def build(*words, **options):
    window = build_window(*words, **options)
    timer = QTimer(window, interval=50)
    def look():
        if window.controller.state.capture is None or "passes" not in window.pages.made:
            return
        if not window.workspace.fates.names_of("jaxpr"):
            return  # a thread finds them, before the window's loads what pages need
        for name in window.pages:
            window.pages[name]
        if "jaxscope.ui.figures.plots" in sys.modules:
            print(*on_threads)
            sys.stdout.flush()
            os._exit(0)
    timer.timeout.connect(look)
    timer.start()
    return window

application.build_window = build
settings = os.path.join(tempfile.mkdtemp(), "window.json")
launch.open_window(sys.argv[1], settings_file=settings)
"""
AHEAD = """
import sys, threading
from jaxscope.ui.launch import begin_reading

class Finder:
    def find_spec(self, name, path=None, target=None):
        if threading.current_thread() is not threading.main_thread():
            print(name)

begin_reading(None)
sys.meta_path.insert(0, Finder())
ahead = begin_reading(sys.argv[1])
print(sorted(ahead.take()[0]))
"""
BEGINNING = """
import sys
import jaxscope.cli.window
from jaxscope.ui.launch import EarlySession
print(*sys.modules)
"""
TELLING = """
import sys
if len(sys.argv) > 1:
    from jaxscope.ui import launch
    launch.load_qt()
from PySide6.QtWidgets import QLabel
from PySide6.support.signature import get_signature
print("create_signature" in vars(sys.modules["shibokensupport.signature.layout"]))
for words in ((1, 2, 3), (None, None, None, 4), ()):
    try:
        QLabel.setText(*words)
    except TypeError as error:
        print(error)
print(get_signature(QLabel.setText), QLabel.setText.__doc__)
from PySide6.support.signature.lib import enum_sig, pyi_generator
print(enum_sig.HintingEnumerator.__name__, pyi_generator.indent, hasattr(enum_sig, "nothing"))
print(__import__.__name__, compile.__module__)
"""
MOST_OF_PICTURE = 197
"""Modules of our own until a saved capture is on the screen."""

LATE = (
    "jax",
    "scipy",
    "google",
    "pyqtgraph",
    "capstone",
    "graphviz",
    "jaxscope.ui.canvas.",
    "jaxscope.program.fates",
    "jaxscope.program.fusion",
    "jaxscope.program.diff",
    "jaxscope.program.machine.listing",
    "jaxscope.program.machine.object_file",
    "jaxscope.picture.view.build",
    "jaxscope.picture.layout.layered",
)
"""Modules, or packages by their dot, that take long to load."""


def test_the_processes_of_a_session_begin_before_anything_large_is_loaded() -> None:
    """NumPy is loaded by `load_numpy`, with one thread of OpenBLAS, while the processes start."""
    command = [sys.executable, "-c", BEGINNING]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    loaded = ran.stdout.split()
    assert "jaxscope.client.supervisor_link" in loaded
    assert not {"numpy", "PySide6", "jaxscope.model"}.intersection(loaded)


def test_qt_tells_signatures_and_mistakes_as_always() -> None:
    """The modules of PySide that do run when they are asked, not with Qt."""
    command = [sys.executable, "-c", TELLING]
    plain, late = (
        subprocess.run([*command, *word], capture_output=True, text=True, timeout=60, check=True)
        for word in ((), ("late",))
    )
    assert (plain.stdout[:5], late.stdout[:5]) == ("True\n", "False")
    own_import = plain.stdout.index("\n__feature_import__ builtins")
    assert late.stdout[6:] == plain.stdout[5:own_import] + "\n__import__ builtins\n"
    assert "QLabel.setText" in late.stdout and late.stderr == ""


def test_what_only_a_result_needs_is_loaded_with_it() -> None:
    ran = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, timeout=60)
    loaded = ran.stdout.split()
    assert "jaxscope.ui.window.main_window" in loaded, ran.stderr
    wrong = {
        module
        for module in loaded
        for late in LATE
        if module == late or module.startswith(late.rstrip(".") + ".")
    }
    assert not wrong


@pytest.mark.slow
def test_the_picture_of_a_saved_capture_loads_what_it_needs(tmp_path: Path) -> None:
    save_capture(build_capture(), tmp_path / "a.jaxscope")
    command = [sys.executable, "-c", PICTURE, str(tmp_path / "a.jaxscope")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    loaded = ran.stdout.split()
    assert "jaxscope.picture.layout.layered" in loaded, ran.stderr
    own = [name for name in loaded if name.partition(".")[0] == "jaxscope"]
    assert len(own) <= MOST_OF_PICTURE, own
    not_yet = {"jax", "google", "capstone", "pyqtgraph", "email", "numpy.ma"}
    not_yet |= {"jaxscope.client.session", "signatures"}
    assert not not_yet.intersection(loaded)
    assert not {name for name in own if name.startswith("jaxscope.ui.pages.")}


def test_a_saved_capture_is_read_ahead_on_a_thread_that_loads_nothing(tmp_path: Path) -> None:
    """What a thread loads the window's thread may be loading, and wait for."""
    save_capture(build_capture(), tmp_path / "a.jaxscope")
    command = [sys.executable, "-c", AHEAD, str(tmp_path / "a.jaxscope")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    entries, names = archive_container.read(tmp_path / "a.jaxscope"), ran.stdout.strip()
    assert names == str(sorted(entries)), "and before that it has printed nothing"


def test_threads_load_nothing_that_names_classes_of_qt(tmp_path: Path) -> None:
    """PySide makes a class when it is first named; a thread that is interrupted then leaves it half
    made, and the window's thread dies of it."""
    save_capture(build_capture(), tmp_path / "a.jaxscope")
    command = [sys.executable, "-c", ON_THREADS, str(tmp_path / "a.jaxscope")]
    of_qt = ("PySide6", "shiboken6", "pyqtgraph", "jaxscope.ui")
    for _ in range(3):  # which modules the window's thread has loaded before is a race
        ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
        on_threads = ran.stdout.split()
        assert not [name for name in on_threads if name.startswith(of_qt)]
        assert {"jaxscope.report.roofline", "pydoc"} <= {*on_threads}, "what pages need"
        if any(name.startswith("jaxscope.program.") for name in on_threads):
            return
    pytest.fail(f"Threads loaded nothing: {ran.stderr}")


def test_a_session_begins_without_a_thread_that_loads_modules_beside_qt() -> None:
    """While Qt is loaded PySide goes through all modules; one that is added then ends the process.

    `EarlySession` therefore has started its processes when it exists, and nothing goes on.
    """
    before = threading.active_count()
    early = EarlySession(None)
    assert threading.active_count() == before
    session = early.wait()
    assert session.ping()
    session.close()


@pytest.mark.parametrize(
    ("file", "begins"),
    [(None, True), ("f.py", True), ("a.jaxscope", False), ("a.json", False), ("dump", False)],
)
def test_only_a_window_that_will_run_something_starts_processes(
    monkeypatch: pytest.MonkeyPatch, file: str | None, begins: bool
) -> None:
    begun: list[str] = []
    asked: list[bool] = []
    monkeypatch.setattr(sys, "setswitchinterval", lambda _seconds: None)
    monkeypatch.setattr(LocalLink, "begin", lambda _link, python: begun.append(python))
    monkeypatch.setattr(
        application,
        "run_application",
        lambda *_, runs_something, **__: asked.append(runs_something),
    )
    launch.open_window(file)
    assert (bool(begun), asked) == (begins, [begins])
    assert gc.isenabled(), "whatever ends the window"


def test_a_lazy_bridge_makes_its_session_with_the_first_run(qtbot: QtBot) -> None:
    made: list[RecordedSession] = []

    def make() -> RecordedSession:
        made.append(RecordedSession())
        return made[-1]

    bridge = Bridge(make, is_lazy=True)
    assert not made
    bridge.start(OutlineRequest(file="f.py"))
    qtbot.waitUntil(lambda: bool(made and made[0].runs))
    bridge.start(OutlineRequest(file="f.py"))
    qtbot.waitUntil(lambda: len(made[0].runs) == 2)
    bridge.close()
    assert len(made) == 1
