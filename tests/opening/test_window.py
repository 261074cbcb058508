"""The window opens the same as the command line: by its dialog, by dropping, with a choice."""

from __future__ import annotations

import lzma
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from jaxscope.model import is_available
from jaxscope.ui.pages.profile import ProfilePage
from jaxscope.ui.session.state import Phase
from jaxscope.ui.window.main_window import MainWindow
from opening.conftest import Left


@pytest.mark.slow
def test_a_dropped_folder_asks_for_the_module(qtbot: QtBot, window: MainWindow, left: Left) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(left.both))])
    button, modifier = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    action = Qt.DropAction.CopyAction
    window.dropEvent(QDropEvent(QPointF(5, 5), action, data, button, modifier))
    qtbot.waitUntil(lambda: bool(window.findChildren(QInputDialog)))
    (dialog,) = window.findChildren(QInputDialog)
    labels = dialog.comboBoxItems()
    assert len(labels) > 1 and labels[0].endswith("jit_step")
    assert dialog.okButtonText() == "Open" and dialog.height() > 300, "names of modules are long"
    dialog.setTextValue(labels[0])
    dialog.accept()
    qtbot.waitUntil(lambda: window.controller.state.capture is not None)
    state = window.controller.state
    assert state.phase is Phase.DONE
    assert state.is_view_only and window.call_bar.edit.isReadOnly()
    names = [stage.name for stage in state.stages if stage.unavailable is None]
    assert names == ["stablehlo", "hlo", "passes", "optimized", "machine"]
    assert len(state.capture.passes if state.capture else ()) > 10


def test_a_dropped_compressed_module_is_shown(
    qtbot: QtBot, window: MainWindow, left: Left, tmp_path: Path
) -> None:
    file = tmp_path / "step.hlo.xz"
    file.write_bytes(lzma.compress((left.files / "after.hlo").read_bytes()))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    button, modifier = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    action = Qt.DropAction.CopyAction
    window.dropEvent(QDropEvent(QPointF(5, 5), action, data, button, modifier))
    qtbot.waitUntil(lambda: window.controller.state.capture is not None)
    stages = window.controller.state.stages
    assert [each.name for each in stages if each.unavailable is None] == ["optimized"]
    window.pages.show_page("profile")  # nothing can be run: there is no choice of a run
    page = window.pages["profile"]
    assert page.isVisible() and not page.side.isVisible() and not page.with_eager.isVisible()


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `dump` and `trace` of one job of two programs."""
    home = tmp_path_factory.mktemp("traced")
    (home / "job.py").write_text(JOB)
    flags = f"--xla_dump_to={home}/dump --xla_dump_hlo_as_proto"
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
    subprocess.run([sys.executable, "job.py"], env=environment, check=True, cwd=home)
    return home


JOB = """\
import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    return jnp.tanh(x @ x).sum()


@jax.jit
def last(x):
    return jnp.sort(x)[0]


x = jnp.ones((200, 200))
jax.block_until_ready((step(x), last(x)))
with jax.profiler.trace("trace"):
    for _ in range(3):
        jax.block_until_ready(step(x))
    jax.block_until_ready(last(x))
"""


def choose(qtbot: QtBot, window: MainWindow, name: str) -> list[str]:
    """Answer the question which module, and wait for it: what was offered."""
    before = {id(each) for each in window.findChildren(QInputDialog)}

    def asked() -> list[QInputDialog]:
        return [each for each in window.findChildren(QInputDialog) if id(each) not in before]

    qtbot.waitUntil(lambda: bool(asked()))
    (dialog,) = asked()
    items = dialog.comboBoxItems()
    assert dialog.textValue() == items[0]  # Enter takes the first
    dialog.setTextValue(next(item for item in items if name in item))
    dialog.accept()
    qtbot.waitUntil(lambda: window.controller.state.capture is not None)
    return items


def shown_profile(window: MainWindow) -> tuple[str, list[str]]:
    """Heading and instructions of the page that is shown."""
    assert window.pages.current == "profile"
    page = window.pages["profile"]
    assert isinstance(page, ProfilePage)
    rows = [page.nodes.rows.row_text(row).split("\t") for row in range(page.nodes.rows.rowCount())]
    return page.heading.text(), [row[4] for row in rows]


@pytest.mark.slow
def test_a_profile_alone_opens_as_what_ran(qtbot: QtBot, window: MainWindow, traced: Path) -> None:
    window.open_path(str(traced / "trace"))
    items = choose(qtbot, window, "jit_step")
    assert {item.split("(")[0] for item in items} == {"jit_step", "jit_last"}
    assert all("%" in item for item in items)
    heading, names = shown_profile(window)
    assert "in the job a run took" in heading and "3 runs" in heading
    state = window.controller.state
    assert state.is_view_only and state.lab.profile is not None
    optimized = state.stages[-2]
    assert optimized.name == "optimized" and is_available(optimized.graph)
    timed = int((~np.isnan(optimized.graph.nodes.seconds)).sum())
    assert timed == len(names) > 0


@pytest.mark.slow
def test_a_profile_is_laid_over_the_module_that_is_shown(
    qtbot: QtBot, window: MainWindow, traced: Path
) -> None:
    """Where it is of that; else what ran is offered."""
    window.open_path(str(traced / "dump"))
    choose(qtbot, window, "jit_step")
    window.open_path(str(traced / "trace"))
    qtbot.waitUntil(lambda: window.controller.state.lab.profile is not None)
    state = window.controller.state
    assert state.file.endswith("dump") and state.call.endswith("jit_step")
    assert "3 runs" in shown_profile(window)[0]
    assert state.stages[0].unavailable is None  # the dump's own stages are still there
    window.open_path(str(traced / "dump"))
    choose(qtbot, window, "jit_broadcast_in_dim")
    window.open_path(str(traced / "trace"))
    choose(qtbot, window, "jit_last")
    assert window.controller.state.file.endswith("trace")


def test_a_dump_and_its_profile_dropped_together(
    qtbot: QtBot, window: MainWindow, traced: Path
) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(traced / name)) for name in ("dump", "trace")])
    button, modifier = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    action = Qt.DropAction.CopyAction
    window.dropEvent(QDropEvent(QPointF(5, 5), action, data, button, modifier))
    items = choose(qtbot, window, "jit_last")
    assert "%" in items[0]
    qtbot.waitUntil(lambda: window.controller.state.lab.profile is not None)
    names = [stage.name for stage in window.controller.state.stages if stage.unavailable is None]
    assert "stablehlo" in names


def test_what_cannot_be_read_is_said(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "cut.hlo").write_text("HloModule cut\n\nENTRY main {\n  a = f32[2] para")
    window.open_path(str(tmp_path / "cut.hlo"))
    qtbot.waitUntil(
        lambda: not window.controller.state.is_running and bool(window.controller.state.messages)
    )
    assert any("cannot parse this text" in text for text in window.controller.state.messages)
