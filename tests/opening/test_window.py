"""The window opens the same as the command line: by its dialog, by dropping, with a choice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QInputDialog
from pytestqt.qtbot import QtBot

from jaxscope.client.session import Session
from jaxscope.ui.application import build_window
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.session.state import Phase
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.settings import Settings
from opening.conftest import Left


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    bridge = Bridge(lambda: Session(is_warm=False, has_spares=False))
    window = build_window(qapp, bridge, RunOptions(), Settings(str(tmp_path / "window.json")))
    window.show()
    yield window
    window.close()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    bridge.close()


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
    dialog.setTextValue(labels[0])
    dialog.accept()
    qtbot.waitUntil(lambda: window.controller.state.capture is not None)
    state = window.controller.state
    assert state.phase is Phase.DONE
    assert state.is_view_only and window.call_bar.edit.isReadOnly()
    names = [stage.name for stage in state.stages if stage.unavailable is None]
    assert names == ["stablehlo", "hlo", "passes", "optimized", "machine"]
    assert len(state.capture.passes if state.capture else ()) > 10


def test_what_cannot_be_read_is_said(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "cut.hlo").write_text("HloModule cut\n\nENTRY main {\n  a = f32[2] para")
    window.open_path(str(tmp_path / "cut.hlo"))
    qtbot.waitUntil(
        lambda: not window.controller.state.is_running and bool(window.controller.state.messages)
    )
    assert any("cannot parse this text" in text for text in window.controller.state.messages)
