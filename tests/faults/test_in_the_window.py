"""The catalogue through a real window, a real session and real workers, one after the other."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

from jaxscope.ui.session.controller import RunOptions
from tests.faults.catalogue import ROWS, Fault
from tests.faults.scene import PATIENCE_S
from tests.faults.window_scene import WindowScene, open_window


def wait(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)


@pytest.fixture(scope="module")
def scene(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WindowScene]:
    """One window for all rows: what one leaves behind would break those after it."""
    home = tmp_path_factory.mktemp("home")
    with open_window(qapp, home, RunOptions(), wait) as scene:
        warm_up(scene, home)
        yield scene


@pytest.mark.slow
@pytest.mark.parametrize("fault", ROWS, ids=lambda fault: f"{fault.name}-{fault.act.value}")
def test_the_window_says_it_and_goes_on(
    qapp: QApplication, scene: WindowScene, fault: Fault, tmp_path: Path
) -> None:
    path = tmp_path / f"{fault.name}.py"
    if fault.timeout_s is None and fault.memory_bytes is None:
        go_through(scene, fault, path)
        return
    options = RunOptions(timeout_s=fault.timeout_s, memory_bytes=fault.memory_bytes)
    with open_window(qapp, tmp_path, options, wait) as limited:
        warm_up(limited, tmp_path)
        go_through(limited, fault, path)


def warm_up(scene: WindowScene, folder: Path) -> None:
    """Some files are opened with the first run and the first error, and stay open."""
    path = folder / f"{ROWS[0].name}.py"
    scene.work(path)
    scene.suffer(ROWS[0], path)


def go_through(scene: WindowScene, fault: Fault, path: Path) -> None:
    scene.work(path)
    num_open = num_open_files()
    scene.suffer(fault, path)
    scene.work(path)
    assert scene.leftovers() == []
    # A thread of Qt's pool has an open file too, and ends when it had no work for 30 s.
    wait(lambda: num_open_files() <= num_open)


def num_open_files() -> int:
    """Files, pipes and sockets that this process has open."""
    return len(os.listdir("/proc/self/fd"))
