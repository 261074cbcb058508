"""What is worked out beside the window: an answer comes even where the work fails."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jaxscope.program.links import NO_LINKS
from jaxscope.ui.pages import memory
from jaxscope.ui.pages.memory import MemoryPage
from jaxscope.ui.selection import capture_facts
from jaxscope.ui.selection.capture_facts import FateReader
from jaxscope.ui.selection.inspector import describe_node
from jaxscope.ui.toolkit import threads
from jaxscope.ui.toolkit.threads import LatestJob, Post, start_thread
from jaxscope.ui.window.autosave import Autosave
from jaxscope.ui.window.page_context import PageContext

from .conftest import Driver
from .programs import build_capture


def find_thread(name: str) -> threading.Thread:
    """A thread of the name, once it has begun."""
    found: list[threading.Thread] = []
    while not found or not found[0].is_alive():  # `enumerate` lists what is about to begin, too
        found = [each for each in threading.enumerate() if each.name == name]
        time.sleep(0.001)
    return found[0]


def fail(*_about: object) -> object:
    raise ValueError("no such <b>thing</b>")


def test_what_work_raises_is_told(qtbot: QtBot) -> None:
    job = LatestJob()
    with qtbot.waitSignal(job.failed) as failed:
        job.start(fail)
    assert str(failed.args[0]) == "no such <b>thing</b>"
    assert not job.is_running


def test_only_the_latest_answer_is_told_and_stopped_work_may_raise(qtbot: QtBot) -> None:
    job, go_on = LatestJob(), threading.Event()
    told: list[object] = []
    job.failed.connect(told.append)
    job.finished.connect(told.append)

    def stopped(should_stop: Callable[[], bool]) -> object:
        go_on.wait(30)
        raise ValueError(should_stop())

    job.start(stopped)
    first = find_thread("jaxscope job")
    with qtbot.waitSignal(job.finished):
        job.start(lambda _should_stop: "the latest")
    go_on.set()
    first.join(30)
    QApplication.processEvents()
    assert told == ["the latest"]


def test_an_answer_to_a_window_that_is_gone_is_dropped(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    del qapp
    raised: list[object] = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    job, go_on = LatestJob(None, "gone"), threading.Event()
    job.start(lambda _should_stop: go_on.wait(30))
    thread = find_thread("gone")
    shiboken6.delete(job)
    go_on.set()
    thread.join(30)
    assert not thread.is_alive() and not raised


def test_the_window_does_not_wait_until_a_thread_has_begun(
    driver: Driver, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`Thread.start` waits for that, which takes long where others have the processors."""
    window, waited = driver.window, list[str]()
    start = threading.Thread.start

    def note(thread: threading.Thread) -> None:
        if threading.current_thread() is threading.main_thread() and thread.name != "jaxscope":
            waited.append(thread.name)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", note)
    capture = build_capture()
    driver.finish(driver.open(source), capture)
    window.files.save(str(tmp_path / "a.jaxscope"))
    window.files.export(str(tmp_path / "a.svg"))
    driver.wait_until((tmp_path / "a.jaxscope").exists)
    driver.wait_until(lambda: not window.files.exporter.is_running)
    autosave = window.findChild(Autosave)
    assert autosave is not None and (is_saved := autosave.save_now()) is not None
    assert is_saved.wait(30) and autosave.path.exists()
    window.open_path(str(tmp_path / "a.jaxscope"))
    driver.wait_until(lambda: window.controller.state.capture not in (None, capture))
    assert (tmp_path / "a.svg").exists() and waited == []


def test_threads_that_the_system_does_not_give_are_told_and_later_ones_begin(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    del qapp
    told, start = list[threading.ExceptHookArgs](), threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "one too many":
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr(threading, "excepthook", told.append)
    start_thread(lambda: None, name="one too many")
    assert start_thread(lambda: None, name="another").wait(30)
    assert [str(each.exc_value) for each in told] == ["can't start new thread"]


def test_fates_that_cannot_be_found_say_why(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture_facts, "find_tables", fail)
    capture, reader = build_capture(), FateReader()
    reader.read(capture)
    with qtbot.waitSignal(reader.changed):
        pass
    stage = capture.stages[0]
    html = describe_node(stage, 1, NO_LINKS, "#888", reader)
    assert "not known" in html and "ValueError: no such &lt;b&gt;thing&lt;/b&gt;" in html
    reader.read(None)
    assert not reader.problem


def test_memory_that_cannot_be_found_says_why(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, page_context: PageContext
) -> None:
    monkeypatch.setattr(memory, "find_memory", fail)
    page = MemoryPage(page_context)
    qtbot.addWidget(page)
    page.show_capture(build_capture())
    page.show()
    qtbot.waitUntil(lambda: "failed" in page.heading.text())
    assert "ValueError: no such <b>thing</b>" in page.notes.text()


# Gives threads the interpreter at every turn, and deletes what they report to meanwhile.
_RACE = """
import sys
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QWidget
from jaxscope.ui.toolkit.threads import LatestJob

sys.setswitchinterval(1e-6)
application = QApplication([])
for _ in range(4000):
    window = QWidget()
    jobs = [LatestJob(window) for _ in range(4)]
    for job in jobs:
        job.start(lambda should_stop: None)
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    del window, job, jobs
"""


@pytest.mark.slow
def test_deleting_a_window_while_its_threads_report_ends_nothing() -> None:
    """Emitting on the thread ended this program in 14 of 14 runs."""
    subprocess.run([sys.executable, "-c", _RACE], check=True)


def test_what_nobody_asked_for_is_worked_out_one_after_the_other(qtbot: QtBot) -> None:
    first, second = LatestJob(in_turn=True), LatestJob(in_turn=True)
    go_on, has_begun, running = threading.Event(), threading.Event(), list[str]()

    def hold(_should_stop: Callable[[], bool]) -> None:
        running.append("first")
        has_begun.set()
        go_on.wait(30)
        running.append("first ends")

    first.start(hold)
    assert has_begun.wait(30)
    second.start(lambda _should_stop: running.append("second"))
    asked_for = LatestJob()
    with qtbot.waitSignal(asked_for.finished):  # this does not wait
        asked_for.start(lambda _should_stop: running.append("asked for"))
    with qtbot.waitSignals([first.finished, second.finished]):
        go_on.set()
    assert running == ["first", "asked for", "first ends", "second"]


def test_work_that_nobody_wants_any_more_is_not_begun(qtbot: QtBot) -> None:
    first, second = LatestJob(in_turn=True), LatestJob(in_turn=True)
    go_on, done = threading.Event(), list[str]()
    first.start(lambda _should_stop: go_on.wait(30))
    second.start(lambda _should_stop: done.append("old"))
    with qtbot.waitSignal(second.finished):
        second.start(lambda _should_stop: done.append("new"))
        go_on.set()
    assert done == ["new"]


class _Taker(QObject):
    def __init__(self, taken: list[str]) -> None:
        super().__init__()
        self._taken = taken

    def take(self, what: str, seconds: float) -> None:
        self._taken.append(what)
        time.sleep(seconds)
        if what == "raises":
            raise ValueError(what)


def send(post: Post, *calls: tuple[str, float]) -> None:
    """Send calls from a thread, all before the window's thread looks for them."""
    thread = threading.Thread(target=lambda: [post(*call) for call in calls])
    thread.start()
    thread.join(30)


@pytest.fixture
def taken(qtbot: QtBot) -> Iterator[list[str]]:
    """What was taken, with each turn of the event loop between."""
    taken: list[str] = []
    frames = QTimer(interval=0)
    frames.timeout.connect(lambda: taken.append("frame"))
    frames.start()
    yield taken
    frames.stop()


def test_the_window_gets_its_turn_between_calls_that_came_at_once(
    qtbot: QtBot, taken: list[str]
) -> None:
    taker = _Taker(taken)
    send(Post(taker.take), ("0", 0.02), ("1", 0.02), ("2", 0.02))
    qtbot.waitUntil(lambda: "2" in taken)
    assert [each for each in taken if each != "frame"] == ["0", "1", "2"]
    assert "frame" in taken[taken.index("0") : taken.index("1")]
    assert "frame" in taken[taken.index("1") : taken.index("2")]


def test_short_calls_do_not_wait_for_a_turn_each(
    qtbot: QtBot, taken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "_SLICE_S", 60.0)
    taker = _Taker(taken)
    send(Post(taker.take), ("0", 0.0), ("1", 0.0), ("2", 0.0))
    qtbot.waitUntil(lambda: "2" in taken)
    assert taken[taken.index("0") :][:3] == ["0", "1", "2"]


def test_a_call_that_raises_does_not_hold_up_those_behind_it(
    qtbot: QtBot, taken: list[str]
) -> None:
    taker = _Taker(taken)
    with qtbot.captureExceptions() as raised:
        send(Post(taker.take), ("raises", 0.0), ("next", 0.0))
        qtbot.waitUntil(lambda: "next" in taken)
    assert [str(value) for _, value, _ in raised] == ["raises"]
