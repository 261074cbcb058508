"""Nothing stays on the disk: not of a run that ended, was stopped, or died."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from jaxscope.client.events import Event, Progress
from jaxscope.client.requests import CaptureRequest
from jaxscope.client.session import Session
from jaxscope.errors import Stopped
from jaxscope.wire.scratch import make_scratch, remove_scratch, remove_stale_scratch

SLOW = """
import jax.numpy as jnp
def f(w, x):
    for _ in range(60):
        x = jnp.tanh(w @ x) * 0.9 + 0.1 * x
    return jnp.sum(x)
"""


def scratch_folders() -> set[str]:
    return {name for name in os.listdir(tempfile.gettempdir()) if "jaxscope-scratch" in name}


@pytest.mark.slow
def test_a_run_stopped_while_compiling_leaves_no_files(tmp_path: Path) -> None:
    file = tmp_path / "slow.py"
    file.write_text(SLOW)
    compiling = threading.Event()

    def watch(event: Event) -> None:
        if isinstance(event, Progress) and event.step == "compile":
            compiling.set()

    before = scratch_folders()
    with Session() as session:
        run = session.start(CaptureRequest(str(file), "grad(f)(f32[32, 32], f32[32])"), watch)
        assert compiling.wait(300)
        run.interrupt()
        with pytest.raises(Stopped):
            run.wait(30)
    assert scratch_folders() <= before


def test_folders_of_dead_processes_are_removed_and_those_of_live_ones_are_not() -> None:
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"],
        capture_output=True,
        text=True,
        check=True,
    )
    stale = Path(tempfile.gettempdir()) / f"jaxscope-scratch-{int(dead.stdout)}-abc"
    stale.mkdir()
    mine = Path(make_scratch())

    remove_stale_scratch()

    assert not stale.exists()
    assert mine.exists()
    remove_scratch(os.getpid())
    assert not mine.exists()


def test_a_link_that_bears_the_name_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.mkdir()
    link = Path(tempfile.gettempdir()) / f"jaxscope-scratch-{2**22 + 5}-link"
    link.symlink_to(target)
    try:
        remove_stale_scratch()
        assert link.is_symlink()
        assert target.exists()
    finally:
        link.unlink()
