"""What the supervisor has on Windows: threads in the place of descriptors that do not block, and
commands in the place of signals. Both work here as well.
"""

from __future__ import annotations

import os
import selectors
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jaxscope.client import supervisor_link
from jaxscope.client.events import NotResponding, Progress
from jaxscope.client.requests import CaptureRequest, TimeRequest
from jaxscope.client.session import Session
from jaxscope.client.supervisor_link import LocalLink
from jaxscope.model.capture import Capture
from jaxscope.model.timing import Timing
from jaxscope.supervisor.pipes import AHEAD_BYTES, ThreadedPipes, ThreadedSelector
from tests.faults.scene import PATIENCE_S, PROGRAMS, Scene, place_of, sample

WORKS = sample("works")

SERVES_WITH_THREADS = """
import importlib, os, runpy, sys
bootstrap = runpy.run_path({bootstrap!r}, run_name="bootstrap")
bootstrap["_import_package"]()
system, sys.platform = sys.platform, "win32"
pipes = importlib.import_module("jaxscope.supervisor.pipes")
sys.platform, pipes._make_pipe = system, os.pipe
worker_process = importlib.import_module("jaxscope.supervisor.worker_process")
worker_process.HAS_SIGNALS = False
importlib.import_module("jaxscope.supervisor.supervisor").main(sys.argv[2:])
"""


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """To read, to write; who closes an end puts it into the list of pipes first."""
    yield os.pipe()


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def collect(pipes: ThreadedPipes, descriptor: int, *, is_enough: Callable[[bytes], bool]) -> bytes:
    found = b""
    while not is_enough(found):
        assert pipes.has_more(descriptor)
        piece = pipes.read(descriptor)
        assert piece, "the end came first"
        found += piece
    return found


def test_bytes_arrive_in_order_and_then_the_end(pipe: tuple[int, int]) -> None:
    pipes = ThreadedPipes()
    pipes.open(pipe[0], is_read=True)
    assert pipes.read(pipe[0]) is None
    said = bytes(range(256)) * 40_000

    def say() -> None:
        with os.fdopen(pipe[1], "wb") as file:
            file.write(said)

    threading.Thread(target=say).start()

    assert collect(pipes, pipe[0], is_enough=lambda found: len(found) == len(said)) == said
    assert pipes.has_more(pipe[0])
    assert pipes.read(pipe[0]) == b""
    pipes.close([pipe[0]])


def test_a_reader_that_is_slow_is_not_drowned(pipe: tuple[int, int]) -> None:
    pipes = ThreadedPipes()
    pipes.open(pipe[0], is_read=True)
    os.set_blocking(pipe[1], False)
    num_written = 0

    def fill() -> bool:
        """Whether nothing more goes in."""
        nonlocal num_written
        try:
            num_written += os.write(pipe[1], bytes(1 << 16))
        except BlockingIOError:
            return num_written >= AHEAD_BYTES
        return False

    wait_until(fill)

    assert num_written < 2 * AHEAD_BYTES
    os.close(pipe[1])
    pipes.close([pipe[0]])


def test_what_a_slow_reader_has_not_taken_waits_in_bounds(pipe: tuple[int, int]) -> None:
    pipes = ThreadedPipes()
    pipes.open(pipe[1], is_read=False)
    selector = ThreadedSelector(pipes)
    selector.register(pipe[1], selectors.EVENT_WRITE, "the loop's")
    said = os.urandom(3 * AHEAD_BYTES)
    num_taken = 0
    with pytest.raises(BlockingIOError):
        while True:
            num_taken += pipes.write(pipe[1], said[num_taken:])
    assert AHEAD_BYTES <= num_taken < 2 * AHEAD_BYTES

    heard = b""
    while len(heard) < len(said):
        heard += os.read(pipe[0], 1 << 20)
        if num_taken < len(said):
            ((key, _),) = selector.select()
            assert key.data == "the loop's"
            num_taken += pipes.write(pipe[1], said[num_taken:])

    assert heard == said
    pipes.close([pipe[1]])
    assert os.read(pipe[0], 1) == b""  # closed by its thread
    os.close(pipe[0])


def test_a_reader_that_is_gone_is_told(pipe: tuple[int, int]) -> None:
    pipes = ThreadedPipes()
    pipes.open(pipe[1], is_read=False)
    os.close(pipe[0])

    def is_told() -> bool:
        try:
            pipes.write(pipe[1], b"?")
        except BrokenPipeError:
            return True
        return False

    wait_until(is_told)
    pipes.close([pipe[1]])
    with pytest.raises(OSError, match="is closed"):
        pipes.write(pipe[1], b"?")


def test_waiting_ends_with_the_time_or_with_what_comes(pipe: tuple[int, int]) -> None:
    pipes = ThreadedPipes()
    pipes.open(pipe[0], is_read=True)
    selector = ThreadedSelector(pipes)
    selector.register(pipe[0], selectors.EVENT_READ)
    assert selector.select(0.01) == []
    threading.Timer(0.05, os.write, (pipe[1], b"!")).start()

    ((key, events),) = selector.select()

    assert (key.fd, events) == (pipe[0], selectors.EVENT_READ)
    selector.unregister(pipe[0])
    assert selector.select(0.01) == []
    os.close(pipe[1])
    pipes.close([pipe[0]])


@pytest.fixture
def threaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session whose supervisor has threads for its pipes, and commands instead of signals."""
    changed = tmp_path / "bootstrap.py"
    changed.write_text(SERVES_WITH_THREADS.format(bootstrap=supervisor_link.BOOTSTRAP))
    monkeypatch.setattr(supervisor_link, "BOOTSTRAP", str(changed))
    with Session(is_warm=False, link=LocalLink()) as session:
        yield session


def test_a_supervisor_with_threads_serves_runs(threaded: Session) -> None:
    for _ in range(2):
        assert isinstance(threaded.start(WORKS).wait(PATIENCE_S), Capture)


def test_code_that_holds_the_lock_is_not_responding_and_told_where(threaded: Session) -> None:
    """Nobody can ask it for a stack: a thread of faulthandler's writes it when the time is up."""
    scene = Scene(threaded, sample("holds_the_lock"))
    place = place_of("holds_the_lock", "deque(count()")
    scene.wait_for(
        NotResponding, lambda event: isinstance(event, NotResponding) and event.where == place
    )
    scene.run.kill()

    assert scene.error().explanation.kind == "Stopped"


@pytest.mark.slow
def test_a_run_that_reaches_its_time_limit_is_told_where(threaded: Session) -> None:
    path = PROGRAMS / "sleeps.py"
    error = Scene(threaded, CaptureRequest(str(path), timeout_s=2.0)).error()

    assert error.explanation.kind == "Timeout"
    assert error.explanation.where == place_of("sleeps", "time.sleep")


@pytest.mark.slow
def test_a_part_of_a_measurement_is_skipped(threaded: Session) -> None:
    skipped = []

    def skip_steady(event: object) -> None:
        if isinstance(event, Progress) and event.step == "steady" and not skipped:
            skipped.append(event)
            live.skip()

    path = str(PROGRAMS / "works.py")
    live = threaded.start(TimeRequest(path, "f(f32[100])", budget_s=9.0), skip_steady)
    timing = live.wait(PATIENCE_S)

    assert isinstance(timing, Timing)
    assert any("Skipped by hand" in text for text in timing.warnings)


def test_a_supervisor_with_threads_stops_a_run(threaded: Session) -> None:
    scene = Scene(threaded, sample("sleeps"))
    scene.wait_for_output("sleeping")
    scene.run.interrupt()

    assert scene.error().explanation.kind == "Stopped"
