"""Code that does not end: Stop, Kill, limits, and silence."""

from __future__ import annotations

import time

import pytest

from jaxscope.client.events import NotResponding
from jaxscope.client.requests import CaptureRequest, TimeRequest
from jaxscope.client.session import Session
from jaxscope.errors import Stopped, WorkerLost
from tests.faults.scene import PROGRAMS, Scene, leftovers, place_of, sample

GRACE_S = 2.0


@pytest.mark.parametrize(
    ("file", "printed"),
    (
        ("loops_at_import", "looping"),
        ("loops_in_trace", "looping"),
        ("sleeps", "sleeping"),
        ("backtracks", "looping"),
        ("deadlocks", "looping"),
    ),
)
def test_python_code_stops_at_once(session: Session, file: str, printed: str) -> None:
    scene = Scene(session, sample(file))
    scene.wait_for_output(printed)
    start = time.monotonic()
    scene.run.interrupt()

    assert isinstance(scene.error(), Stopped)
    assert time.monotonic() - start < GRACE_S, "it was killed instead of interrupted"
    assert leftovers(session) == []


@pytest.mark.parametrize("file", ("swallows_interrupts", "ignores_interrupts"))
def test_what_ignores_a_stop_is_killed_after_a_grace(session: Session, file: str) -> None:
    scene = Scene(session, sample(file))
    scene.wait_for_output("looping")
    start = time.monotonic()
    scene.run.interrupt()

    assert isinstance(scene.error(), Stopped)
    assert time.monotonic() - start >= GRACE_S, "the code had no time to end by itself"
    assert leftovers(session) == []


def test_a_loop_on_the_device_can_be_stopped(session: Session) -> None:
    scene = Scene(session, sample("loops_on_device"))
    scene.wait_for_output("looping")
    time.sleep(0.5)  # it compiles; if it still does when the stop comes, that must work as well
    scene.run.interrupt()

    assert isinstance(scene.error(), Stopped)
    assert leftovers(session) == []


def test_code_that_holds_the_lock_is_not_responding_and_can_be_killed(session: Session) -> None:
    scene = Scene(session, sample("holds_the_lock"))
    place = place_of("holds_the_lock", "deque(count()")
    # The first of these events may come before the stack does, or before the code got to the line.
    silence = scene.wait_for(
        NotResponding, lambda event: isinstance(event, NotResponding) and event.where == place
    )
    scene.run.kill()

    assert isinstance(silence, NotResponding)
    assert silence.seconds > 0.5
    assert isinstance(scene.error(), Stopped)
    assert leftovers(session) == []


def test_a_frozen_process_is_not_responding_and_can_be_stopped(session: Session) -> None:
    scene = Scene(session, sample("stops_itself"))
    scene.wait_for(NotResponding)
    scene.run.interrupt()

    assert isinstance(scene.error(), Stopped)
    assert leftovers(session) == []


def test_a_process_that_is_frozen_while_it_measures_is_not_responding(session: Session) -> None:
    """A worker that measures is silent by itself: only the kernel knows that it was stopped."""
    scene = Scene(session, TimeRequest(str(PROGRAMS / "stops_while_measured.py")))
    scene.wait_for(NotResponding)
    scene.run.kill()

    assert isinstance(scene.error(), Stopped)
    assert leftovers(session) == []


def test_a_time_limit_ends_the_run_and_says_where_it_was(session: Session) -> None:
    for limit_s in (1.0, 10.0, 100.0):  # on a busy machine the first may end before the file runs
        request = CaptureRequest(str(PROGRAMS / "sleeps.py"), timeout_s=limit_s)
        error = Scene(session, request).error()
        assert type(error) is WorkerLost
        assert error.explanation.kind == "Timeout"
        if error.explanation.where.startswith("sleeps.py"):
            break
    assert error.explanation.where == place_of("sleeps", "time.sleep(3600)")
    assert leftovers(session) == []


def test_a_memory_limit_ends_the_run(session: Session) -> None:
    request = CaptureRequest(str(PROGRAMS / "sleeps.py"), memory_bytes=50_000_000)
    error = Scene(session, request).error()

    assert type(error) is WorkerLost
    assert error.explanation.kind == "MemoryLimit"
    assert "0.05 GB" in error.explanation.what
    assert leftovers(session) == []


def test_code_that_eats_memory_is_stopped_at_the_limit(session: Session) -> None:
    request = CaptureRequest(str(PROGRAMS / "eats_memory.py"), memory_bytes=700_000_000)
    error = Scene(session, request).error()

    assert type(error) is WorkerLost
    assert error.explanation.kind == "MemoryLimit"
    assert "0.70 GB" in error.explanation.what
    assert leftovers(session) == []


def test_a_second_run_does_not_wait_for_the_first(session: Session) -> None:
    sleeper = Scene(session, sample("sleeps"))
    sleeper.wait_for_output("sleeping")
    worker = Scene(session, sample("works"))

    assert worker.run.wait(60) is not None
    assert not sleeper.run.is_over
    sleeper.run.kill()
    assert isinstance(sleeper.error(), Stopped)
