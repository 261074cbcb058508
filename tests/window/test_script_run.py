"""*Run a script as it is*: its functions are listed, it is stopped, and a capture is opened."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from jaxscope.client.session import Session
from jaxscope.client.worker_failures import TOO_OLD
from jaxscope.ui.toolkit.result_table import choose_row
from jaxscope.ui.toolkit.theme import LIGHT
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.script_run import ScriptDialog
from tests.processes.impostor import write_ancient
from window.conftest import window_over

SCRIPT = """\
import sys
import time

import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    return jnp.tanh(x) * 2


for size in range(2, 2 + int(sys.argv[1])):
    step(jnp.ones(size))
print("all steps done", flush=True)
if "wait" in sys.argv:
    print("waiting", flush=True)
    time.sleep(600)
"""
MOVING = """\
import sys
import jax
import numpy as np

@jax.jit
def step(x):
    return x * 2

kept = [jax.numpy.ones(90)]
for _ in range(int(sys.argv[1])):
    x = np.ones(10)
    y = step(x)
jax.block_until_ready(y)
"""
PATIENCE_MS = 60_000


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    with window_over(lambda: Session(is_warm=False, has_spares=False), qapp, tmp_path) as window:
        yield window


@pytest.fixture
def dialog(window: MainWindow, tmp_path: Path) -> Iterator[ScriptDialog]:
    (tmp_path / "job.py").write_text(SCRIPT)
    dialog = window.show_script(str(tmp_path / "job.py"))
    yield dialog
    if isValid(dialog):
        dialog.close()


def rows(dialog: ScriptDialog) -> list[list[str]]:
    model = dialog.table.rows
    return [model.row_text(row).split("\t") for row in range(model.rowCount())]


def test_a_script_runs_and_its_capture_opens(
    qtbot: QtBot, window: MainWindow, dialog: ScriptDialog
) -> None:
    dialog.arguments.setText("2")
    dialog.button.click()
    assert dialog.is_running and dialog.button.text() == "Stop"
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)
    assert "The script has ended." in dialog.state.text()
    assert "all steps done" in dialog.state.text()
    assert [row[0] for row in rows(dialog)] == ["step", "step"]
    assert rows(dialog)[0][-1] == "step.jaxscope"
    choose_row(dialog.table, 1)
    assert not dialog.open_button.isEnabled()  # the second program was not captured
    choose_row(dialog.table, 0)
    dialog.open_button.click()
    qtbot.waitUntil(lambda: window.controller.state.capture is not None, timeout=PATIENCE_MS)
    assert "step" in window.controller.state.call
    assert dialog.parentWidget() is None, "else it would stand before the window that shows it"
    assert window.isActiveWindow()
    dialog.arguments.setText("1")
    dialog.button.click()  # once more, with other arguments
    assert rows(dialog) == []
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)
    assert len(rows(dialog)) == 1


@pytest.mark.slow
def test_the_keyboard_goes_all_round_and_enter_runs_and_opens(
    qtbot: QtBot, dialog: ScriptDialog
) -> None:
    seen: list[QWidget] = []
    while (part := QApplication.focusWidget()) is not None and part not in seen:
        seen.append(part)
        qtbot.keyClick(part, Qt.Key.Key_Tab)
    assert seen == [dialog.arguments, dialog.catch, dialog.at_nan, dialog.table, dialog.button]
    opened: list[str] = []
    dialog.capture_chosen.connect(opened.append)
    qtbot.keyClicks(dialog.arguments, "2")
    qtbot.keyClick(dialog.arguments, Qt.Key.Key_Return)
    assert dialog.is_running
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)
    dialog.table.setFocus()
    choose_row(dialog.table, 0)
    qtbot.keyClick(dialog.table, Qt.Key.Key_Return)
    assert [Path(path).name for path in opened] == ["step.jaxscope"]
    choose_row(dialog.table, 1)
    qtbot.keyClick(dialog.table, Qt.Key.Key_Return)
    assert len(opened) == 1 and not dialog.is_running, "it runs nothing again"
    assert dialog.state.text().startswith("Not captured") and "has ended" in dialog.state.text()
    choose_row(dialog.table, 0)
    qtbot.keyClick(dialog.table, Qt.Key.Key_Return)
    assert len(opened) == 2 and dialog.state.text().startswith("The script has ended.")


def test_the_window_takes_its_scripts_along(window: MainWindow, dialog: ScriptDialog) -> None:
    dialog.button.click()
    assert dialog.is_running
    folder = dialog.folder
    window.close()
    assert not dialog.isVisible()
    assert not folder.exists()


@pytest.mark.slow
def test_a_script_is_stopped_and_its_list_stays(qtbot: QtBot, dialog: ScriptDialog) -> None:
    dialog.arguments.setText("1 wait")
    dialog.catch.setText("nothing")
    dialog.button.click()
    qtbot.waitUntil(lambda: "waiting" in dialog.state.text(), timeout=PATIENCE_MS)
    dialog.button.click()
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)
    assert "ended with status 130" in dialog.state.text()
    (row,) = rows(dialog)
    assert row[0] == "step" and not row[-1]  # only what was named is captured


@pytest.mark.slow
def test_the_list_grows_while_the_script_runs_which_ends_with_the_window(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    (tmp_path / "job.py").write_text(SCRIPT)
    dialog = window.show_script(str(tmp_path / "job.py"))
    dialog.arguments.setText("1 wait")
    dialog.button.click()
    qtbot.waitUntil(lambda: bool(rows(dialog)), timeout=PATIENCE_MS)
    assert dialog.is_running
    process, folder = dialog.process, dialog.folder
    window.close()
    assert process.state() == process.ProcessState.NotRunning
    assert not folder.exists()


@pytest.mark.slow
def test_the_first_call_that_makes_nan_is_told_and_opens(
    qtbot: QtBot, dialog: ScriptDialog, tmp_path: Path
) -> None:
    (tmp_path / "job.py").write_text(
        "import jax\n@jax.jit\ndef root(x):\n    return jax.numpy.sqrt(x)\n"
        "root(4.0); root(jax.numpy.array([-1.0, 4.0]))\n"
    )
    dialog.at_nan.click()
    dialog.button.click()
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)
    told = dialog.state.text()
    assert "root (job.py:2), call 2: Results are not finite: result has 1 NaN among 2" in told
    assert "(sqrt, job.py:4)" in told
    assert [row[-1] for row in rows(dialog)] == ["", "root.jaxscope"]
    dialog.at_nan.setChecked(False)  # it is for the next run
    choose_row(dialog.table, 0)
    dialog.table.activated.emit(dialog.table.currentIndex())
    assert dialog.state.text().startswith("Not captured: of each function the first call alone is")
    assert "that makes NaN" in dialog.state.text()


@pytest.mark.slow
def test_what_cannot_run_is_said(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "fails.py").write_text("raise ValueError('no data')\n")
    fails = window.show_script(str(tmp_path / "fails.py"))
    fails.arguments.setText("'open")
    fails.button.click()
    assert "cannot be read" in fails.state.text() and not fails.is_running
    fails.arguments.setText("")
    fails.button.click()
    qtbot.waitUntil(lambda: not fails.is_running, timeout=PATIENCE_MS)
    assert "ended with status 1" in fails.state.text() and "no data" in fails.state.text()
    none = ScriptDialog(str(tmp_path / "fails.py"), str(tmp_path / "no_python"), LIGHT, window)
    none.show()
    none.start()
    qtbot.waitUntil(lambda: "cannot be started" in none.state.text(), timeout=PATIENCE_MS)
    for dialog in (fails, none):
        dialog.close()


HIDING = """\
import sys

class Hiding:
    def find_spec(self, name, path=None, target=None):
        if name in ("msgspec", "google", "pygments"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hiding())
"""


def test_what_an_interpreter_lacks_is_said_with_the_command_that_installs_it(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    """What this one has cannot be lent to it: it refuses to look for it."""
    (tmp_path / "sitecustomize.py").write_text(HIDING)
    python, script = tmp_path / "python", tmp_path / "train.py"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    script.write_text("import jax\n")
    dialog = ScriptDialog(str(script), str(python), LIGHT, window)
    dialog.start()
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)
    missing = "has no msgspec, protobuf and pygments, which watching a script needs."
    command = "-m pip install msgspec protobuf pygments"
    told = dialog.state.text().split("\n")
    assert len(told) == 2 and told[0].endswith(missing) and told[1].endswith(command)
    dialog.done(0)


@pytest.mark.slow
def test_what_is_moved_and_the_memory_have_tabs(
    qtbot: QtBot, dialog: ScriptDialog, tmp_path: Path
) -> None:
    assert not dialog.tabs.tabBar().isVisible()
    dialog.arguments.setText("3")
    (tmp_path / "job.py").write_text(MOVING)
    dialog.button.click()
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)
    titles = [dialog.tabs.tabText(number) for number in range(dialog.tabs.count())]
    assert titles == ["Programs", "Transfers (1)", "Memory"]
    (row,) = (dialog.transfers.rows.row_text(0).split("\t"),)
    assert row == ["job.py:12", "3", "120 B", "f32[10]", "to the device", "step: x"]
    assert "CPU" in dialog.transfers_told.text()
    dialog.tabs.setCurrentIndex(2)
    plot = dialog.memory.plot
    assert plot is not None and plot.plot.listDataItems()[0].yData[-1] == 400
    assert "400 B at the last" in dialog.memory.told.text()


def test_an_interpreter_that_is_too_old_is_named(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    ancient = write_ancient(tmp_path)
    dialog = ScriptDialog(str(tmp_path / "train.py"), ancient, LIGHT, window)
    dialog.start()
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: "runs" not in dialog.state.text(), timeout=PATIENCE_MS)
    assert dialog.state.text() == TOO_OLD.format(python=ancient)
    dialog.done(0)
