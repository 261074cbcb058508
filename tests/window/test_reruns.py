"""Real reruns of an edited file: what was open, closed, selected and looked at stays so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jaxscope.client.session import Session
from jaxscope.model import NONE, Graph
from jaxscope.ui.application import build_window
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.session import controller
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.settings import Settings

from .conftest import destroy

PROGRAM = """import jax
import jax.numpy as jnp

# jaxscope: model(f32[4, 4], f32[4, 4])


def norm(x):
    return (x - x.mean()) / jnp.sqrt(x.var() + 1e-6)


def model(x, w):
    with jax.named_scope("encoder"):
        x = norm(jnp.tanh(x @ w)) * jnp.exp(x)
        x = jnp.sin(x) @ jnp.cos(w) + 1
    with jax.named_scope("middle"):
        x = norm(jnp.log1p(jnp.abs(x @ w)))
        x = jnp.arctan(x) * jnp.sinh(w) - x
    with jax.named_scope("decoder"):
        x = norm(jnp.sqrt(jnp.abs(x @ w)))
        x = jnp.floor(x) + jnp.ceil(w) * jnp.cbrt(x)
    return x.sum()
"""
EDITS = {
    "the same again": PROGRAM + "\n",
    "a line above": PROGRAM.replace("def norm", "# What follows is about norms.\n\n\ndef norm"),
    "an operation more": PROGRAM.replace("x = jnp.sin(x)", "x = jnp.sin(jnp.square(x))"),
    "a scope more": PROGRAM.replace(
        '    with jax.named_scope("middle")',
        '    with jax.named_scope("between"):\n'
        "        x = jnp.tan(x) @ w * 2 + jnp.tanh(x)\n"
        '    with jax.named_scope("middle")',
    ),
}
WAIT_MS = 60_000


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    bridge = Bridge(Session)
    window = build_window(qapp, bridge, RunOptions(), Settings(str(tmp_path / "window.json")))
    window.resize(1200, 800)
    window.show()
    yield window
    destroy(window)
    bridge.close()


def groups(canvas: GraphCanvas) -> dict[str, bool]:
    """Of each scope in sight, whether it is open."""
    view, scene = canvas.view, canvas.scene
    assert view is not None and scene is not None
    labels = {box.id: box.label for box in view.boxes}
    return {
        labels[box_id]: item < scene.items.num_frames
        for item, box_id in enumerate(scene.items.ids)
        if scene.items.is_group[item] and labels[box_id] in ("encoder", "middle", "decoder")
    }


def tops(canvas: GraphCanvas) -> dict[str, float]:
    """Where on the screen the scopes in sight begin."""
    view, scene = canvas.view, canvas.scene
    assert view is not None and scene is not None
    labels = {box.id: box.label for box in view.boxes}
    return {
        labels[box_id]: canvas.camera.to_widget(*scene.items.rect[item, :2].tolist())[1]
        for item, box_id in enumerate(scene.items.ids)
        if labels[box_id] in ("encoder", "middle", "decoder")
    }


def id_of(canvas: GraphCanvas, label: str) -> str:
    assert canvas.view is not None
    return next(box.id for box in canvas.view.boxes if box.label == label)


def selected_operations(window: MainWindow) -> list[str]:
    model = window.workspace.selection
    stage, nodes = model.node_at(model.place) or ("", NONE)
    graph = model.graph_of(stage)
    return [] if graph is None else [graph.string(graph.nodes.operation, nodes)]


@pytest.mark.parametrize(
    ("choice", "edits"), [("as first", ["an operation more"]), ("chosen", list(EDITS))]
)
@pytest.mark.slow
def test_edits_leave_open_what_was_open(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, choice: str, edits: list[str]
) -> None:
    source = tmp_path / "model.py"
    source.write_text(PROGRAM)
    window.open_path(str(source))
    state = window.controller
    qtbot.waitUntil(lambda: state.state.capture is not None, timeout=WAIT_MS)
    canvas = window.workspace.area.panes[1].canvas
    assert canvas is not None
    first = groups(canvas)
    assert set(first) == {"encoder", "middle", "decoder"}
    if choice == "chosen":
        canvas.set_expanded([id_of(canvas, "decoder"), id_of(canvas, "encoder")])
        canvas.pan(0.0, -30.0)
    graph = window.workspace.selection.graph_of("jaxpr")
    assert graph is not None
    operations = [graph.string(graph.nodes.operation, node) for node in range(len(graph.nodes))]
    window.workspace.selection.select_node("jaxpr", operations.index("cbrt"))
    before, where = groups(canvas), tops(canvas)
    if choice == "chosen":
        assert before == {"encoder": True, "middle": False, "decoder": True}
    for name in edits:
        capture = state.state.capture
        source.write_text(EDITS[name])
        qtbot.waitUntil(
            lambda old=capture: state.state.capture is not old and not state.state.is_running,
            timeout=WAIT_MS,
        )
        qtbot.waitUntil(lambda: not canvas.is_busy and canvas.scene is not None)
        after = tops(canvas)
        assert groups(canvas) == before, name
        assert sorted(after, key=after.__getitem__) == sorted(where, key=where.__getitem__), name
        assert selected_operations(window) == ["cbrt"], name
        if name in ("the same again", "a line above"):
            assert after == pytest.approx(where), name


def operations(window: MainWindow) -> list[str]:
    """What the jaxpr that is shown computes."""
    stage = next(stage for stage in window.controller.state.stages if stage.name == "jaxpr")
    graph = stage.graph
    assert isinstance(graph, Graph)
    return [graph.operation(node) for node in range(len(graph.nodes))]


def test_a_file_that_is_imported_is_run_again_when_it_changes(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    """In a trial, too: what is shown is never of a text that is no longer there."""
    path, helper = tmp_path / "model.py", tmp_path / "rerun_helper.py"
    code = "import jax.numpy as jnp\n\n\ndef act(x):\n    return jnp.{}(x)\n"
    path.write_text(
        "from rerun_helper import act\n\n# jaxscope: f(f32[3])\n\n\ndef f(x):\n    return act(x)\n"
    )
    helper.write_text(code.format("tanh"))
    window.open_path(str(path))
    state = window.controller
    qtbot.waitUntil(lambda: state.state.capture is not None, timeout=WAIT_MS)
    assert "tanh" in operations(window)
    helper.write_text(code.format("sin"))
    qtbot.waitUntil(
        lambda: state.state.capture is not None and "sin" in operations(window), timeout=WAIT_MS
    )
    assert not state.state.is_stale
    assert window.trial is not None
    window.trial.toggle()
    assert window.trial.editor is not None
    window.trial.editor.edit.replace_text(path.read_text().replace("act(x)\n", "act(x) * 2\n"))
    qtbot.waitUntil(lambda: "mul" in operations(window), timeout=WAIT_MS)
    helper.write_text(code.format("cos"))
    qtbot.waitUntil(lambda: {"cos", "mul"} <= set(operations(window)), timeout=WAIT_MS)
    assert "the file is as it was" in window.trial.editor.said.text()


@pytest.mark.slow
def test_a_program_that_writes_what_it_imports_is_not_run_for_ever(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controller, "_MAX_RERUNS", 2)
    path, helper, runs = tmp_path / "model.py", tmp_path / "rerun_made.py", tmp_path / "runs"
    helper.write_text("import jax.numpy as jnp\n\n\ndef act(x):\n    return jnp.tanh(x)\n")
    path.write_text(
        "from rerun_made import act\nfrom pathlib import Path\nimport time\n\n"
        "# jaxscope: f(f32[3])\n\n\ndef f(x):\n    return act(x)\n\n\n"
        f"Path({str(helper)!r}).open('a').write('# {{}}\\n'.format(time.time()))\n"
        f"Path({str(runs)!r}).open('a').write('.')\n"
    )
    window.open_path(str(path))
    state = window.controller
    qtbot.waitUntil(lambda: state.state.capture is not None, timeout=WAIT_MS)
    window.run_call()
    qtbot.waitUntil(lambda: state.state.is_changed_on_disk, timeout=WAIT_MS)
    assert not state.state.is_running
    num_runs = len(runs.read_text())
    assert num_runs >= 4
    qtbot.wait(1_000)
    assert len(runs.read_text()) == num_runs, "it has ended"
    assert window.screen_shown is not None and "has changed on disk" in window.screen_shown.notice
