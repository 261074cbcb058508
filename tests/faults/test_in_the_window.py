"""The catalogue through a real window, a real session and real workers, one after the other."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

from jaxscope.ui.application import _calm_collector
from jaxscope.ui.launch import _SWITCH_S
from jaxscope.ui.session.controller import RunOptions
from tests.faults.catalogue import ROWS, Fault
from tests.faults.scene import PATIENCE_S
from tests.faults.ticks import Ticks
from tests.faults.window_scene import WindowScene, open_window


def wait(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 20)


LIMIT_MS = 100.0


@pytest.fixture(scope="module")
def ticks(qapp: QApplication) -> Iterator[Ticks]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_S)  # as in a window that is launched
    ticks = Ticks()
    yield ticks
    ticks.end()
    sys.setswitchinterval(interval)


@pytest.fixture(scope="module")
def scene(
    qapp: QApplication, tmp_path_factory: pytest.TempPathFactory, ticks: Ticks
) -> Iterator[WindowScene]:
    """One window for all rows: what one leaves behind would break those after it."""
    home = tmp_path_factory.mktemp("home")
    with open_window(qapp, home, RunOptions(), wait) as scene:
        warm_up(scene, home)
        thresholds = gc.get_threshold()
        _calm_collector()  # as in a window that is launched
        yield scene
    gc.unfreeze()
    gc.set_threshold(*thresholds)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ROWS, ids=lambda fault: f"{fault.name}-{fault.act.value}")
def test_the_window_says_it_and_goes_on(
    qapp: QApplication, scene: WindowScene, ticks: Ticks, fault: Fault, tmp_path: Path
) -> None:
    path = tmp_path / f"{fault.name}.py"
    if fault.timeout_s is None and fault.memory_bytes is None:
        go_through(scene, ticks, fault, path)
        return
    options = RunOptions(timeout_s=fault.timeout_s, memory_bytes=fault.memory_bytes)
    with open_window(qapp, tmp_path, options, wait) as limited:
        warm_up(limited, tmp_path)
        go_through(limited, ticks, fault, path)


def compute() -> None:
    end = time.thread_time() + 0.3
    while time.thread_time() < end:
        pass


def wait_for_the_other(ticks: Ticks) -> None:
    turns, is_over = ticks.num_turns + 20, threading.Event()

    def look() -> None:
        while ticks.num_turns < turns:
            time.sleep(0.01)
        is_over.set()

    threading.Thread(target=look).start()
    is_over.wait()


@pytest.mark.parametrize("is_away", (lambda _ticks: compute(), wait_for_the_other))
def test_a_window_that_is_away_is_noticed(ticks: Ticks, is_away: Callable[[Ticks], object]) -> None:
    is_away(ticks)
    wait(lambda: ticks.longest_ms > 250.0)


def warm_up(scene: WindowScene, folder: Path) -> None:
    """Some files are opened with the first run and the first error, and stay open."""
    path = folder / f"{ROWS[0].name}.py"
    scene.work(path)
    scene.suffer(ROWS[0], path)


def go_through(scene: WindowScene, ticks: Ticks, fault: Fault, path: Path) -> None:
    scene.work(path)
    num_open = num_open_files()
    ticks.longest_ms = 0.0
    scene.suffer(fault, path)
    gap_ms, ticks.longest_ms = ticks.longest_ms, 0.0
    scene.work(path)
    # On a slow machine a normal run takes longer, too.
    print("GAP", fault.name, round(gap_ms), round(ticks.longest_ms))
    assert gap_ms < max(LIMIT_MS, 2 * ticks.longest_ms)
    assert scene.leftovers() == []
    wait(lambda: num_open_files() <= num_open)


def num_open_files() -> int:
    """Files, pipes and sockets that this process has open, without those of a pool of Qt's own.

    Each of its threads, which no program can reach, has one until it had no work for 30 s.
    """
    names = []
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # it has ended
            names.append((thread / "comm").read_text())
    return len(os.listdir("/proc/self/fd")) - names.count("Thread (pooled)\n")
