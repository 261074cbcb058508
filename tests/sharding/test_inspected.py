"""The inspector tells how the selected value lies on the devices."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jaxscope.client.events import Event
from jaxscope.client.requests import Request
from jaxscope.model import Graph, is_available
from jaxscope.ui.application import build_window
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.window.settings import Settings

from .conftest import Take


class NoSession:
    """A session that is never asked for anything."""

    def start(self, request: Request, on_event: Callable[[Event], None] | None = None) -> NoReturn:
        raise AssertionError(request)

    def close(self) -> None:
        """Nothing is open that could be closed."""


def node_of(graph: Graph, operation: str, type: str) -> int:
    nodes = range(len(graph.nodes))
    return next(
        node
        for node in nodes
        if graph.string(graph.nodes.operation, node) == operation
        and type in graph.row(graph.nodes.types, node)
    )


def find_exchange(graph: Graph) -> str:
    nodes = range(len(graph.nodes))
    return next(
        graph.string(graph.nodes.id, node)
        for node in nodes
        if graph.string(graph.nodes.operation, node) == "all-reduce"
    )


def test_a_selected_value_says_how_it_lies(
    qapp: QApplication,
    qtbot: QtBot,
    take: Take,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    bridge = Bridge(NoSession)
    window = build_window(qapp, bridge, RunOptions(), Settings(str(tmp_path / "window.json")))
    request.addfinalizer(bridge.close)
    capture = take("grad(loss)(weights(), f32[16, 32])")
    window.controller.open_capture(capture, "saved")
    qtbot.waitUntil(lambda: "sharding" in window.pages.made)  # it is made a moment later
    stage = capture.stage("grad")
    assert stage is not None and is_available(stage.graph)
    workspace = window.workspace
    workspace.selection.select_node("grad", node_of(stage.graph, "tanh", "f32[16,64]"))
    told = workspace.inspector.page.toPlainText().replace("\u200b", "")
    assert "On 8 devices" in told
    assert "f32[16,64]: P('data', 'model') dimension 0 in 2 along data" in told
    assert "decided by the compiler" in told
    optimized = capture.stage("optimized")
    assert optimized is not None and is_available(optimized.graph)
    workspace.selection.select_node(
        "optimized", optimized.graph.index_by_id[find_exchange(optimized.graph)]
    )
    told = workspace.inspector.page.toPlainText().replace("\u200b", "")
    assert "along data: 0, 4 | 1, 5 | 2, 6 | 3, 7. 2.50 KiB go in" in told
    window.controller.open_capture(take("alone(f32[4])", "cpu"), "saved")
    workspace.selection.select_node("jaxpr", 1)
    assert "devices" not in workspace.inspector.page.toPlainText()
    window.close()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
