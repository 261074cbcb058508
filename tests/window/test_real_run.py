"""The window over a real session: real workers, real JAX."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jaxscope.client.session import Session
from jaxscope.export.choices import FORMATS
from jaxscope.schema.archive import load_capture
from jaxscope.ui.application import build_window
from jaxscope.ui.panes.pane_area import WIDE_ARRANGEMENT
from jaxscope.ui.panes.pane_header import Form
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.session.state import Phase
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.settings import Settings

from .conftest import destroy

PROGRAM = """
import jax.numpy as jnp

# jaxscope: grad(mean_square)(f32[4])


def mean_square(x):
    print("tracing")
    y = jnp.sin(x)
    return jnp.mean(y ** 2)


def mask(x):
    return x[x > 3].sum()


def spin(x):
    while True:
        pass


def unknown(w, x):
    return jnp.tanh(w + x)
"""
WAIT_MS = 60_000


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    bridge = Bridge(Session)
    window = build_window(qapp, bridge, RunOptions(), Settings(str(tmp_path / "window.json")))
    window.workspace.area.arrange(WIDE_ARRANGEMENT)
    window.show()
    yield window
    destroy(window)
    bridge.close()


def run(qtbot: QtBot, window: MainWindow, call: str) -> Phase:
    """Run a call, wait for its end, and return how it ended."""
    window.call_bar.set_call(call)
    window.run_call()
    qtbot.waitUntil(lambda: not window.controller.state.is_running, timeout=WAIT_MS)
    return window.controller.state.phase


def test_a_file_is_opened_linked_failed_stopped_and_saved(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
):
    """One window from its first file to its last run: each step must leave the next possible."""
    source = tmp_path / "program.py"
    source.write_text(PROGRAM)
    window.open_path(str(source))
    state = lambda: window.controller.state  # noqa: E731  # read anew each time
    qtbot.waitUntil(lambda: state().capture is not None, timeout=WAIT_MS)
    names = [card.step.title for card in window.strip.cards]
    assert names == ["Source", "jaxpr", "grad", "StableHLO", "HLO", "optimized", "machine code"]
    assert "tracing" in window.pages["output"].text.toPlainText()

    # One selection: the sine's equation, its line, and its cosine in the optimized program.
    jaxpr = state().stages[0].graph
    operations = [jaxpr.string(jaxpr.nodes.operation, i) for i in range(len(jaxpr.nodes))]
    panes = window.workspace.area.panes
    panes[2].set_form(Form.TEXT)
    window.workspace.selection.select_node("jaxpr", operations.index("sin"))
    assert list(panes[0].code.marks) == [PROGRAM.split("\n").index("    y = jnp.sin(x)")]
    marked = [panes[2].code._lines[line] for line in panes[2].code.marks]
    assert any("cosine" in line for line in marked) and any("fusion" in line for line in marked)

    with qtbot.waitSignal(window.files.captures.saved, timeout=WAIT_MS):
        window.files.save(str(tmp_path / "saved.jaxscope"))
    assert load_capture(tmp_path / "saved.jaxscope").call == "grad(mean_square)(f32[4])"
    with qtbot.waitSignal(window.files.exporter.finished, timeout=WAIT_MS):
        window.files.export(str(tmp_path / "page.md"))
    assert "mean_square" in (tmp_path / "page.md").read_text()

    assert run(qtbot, window, "mask(f32[8])") is Phase.FAILED
    assert window.error_panel.error.explanation.where.endswith(":14")
    assert window.screen_shown.is_stale

    window.call_bar.set_call("spin(f32[3])")
    window.run_call()
    qtbot.waitUntil(lambda: "spin" in state().step, timeout=WAIT_MS)
    window.stop_run()
    qtbot.waitUntil(lambda: not state().is_running, timeout=WAIT_MS)
    assert state().phase is Phase.STOPPED

    window.call_bar.functions.function_chosen.emit("unknown")
    qtbot.waitUntil(lambda: state().capture is not None and "unknown" in state().call,
                    timeout=WAIT_MS)  # fmt: skip
    assert window.call_bar.edit.text().startswith("unknown(")


@pytest.mark.slow
def test_the_call_is_measured_and_plotted(qtbot: QtBot, window: MainWindow, tmp_path: Path):
    source = tmp_path / "program.py"
    source.write_text(PROGRAM)
    window.open_path(str(source), "mean_square(f32[4])")
    qtbot.waitUntil(lambda: window.controller.state.capture is not None, timeout=WAIT_MS)
    window.pages["timing"].measure()
    qtbot.waitUntil(lambda: not window.controller.state.is_running, timeout=WAIT_MS)
    page = window.pages["timing"]
    names = [m.name for m in window.controller.state.timing.measurements]
    assert {"eager", "jit", "compile"} <= set(names)
    assert page.table.rows.rowCount() == len(names)
    assert "jit" in page.verdict_text and page.distributions is not None


@pytest.mark.slow
def test_every_format_is_written_from_the_window(qtbot: QtBot, window: MainWindow, tmp_path: Path):
    source = tmp_path / "program.py"
    source.write_text(PROGRAM)
    window.open_path(str(source), "mean_square(f32[4])")
    qtbot.waitUntil(lambda: window.controller.state.capture is not None, timeout=WAIT_MS)
    window.workspace.area.panes[1].focus_content()
    begins = {
        "svg": b"<svg",
        "png": b"\x89PNG",
        "pdf": b"%PDF",
        "dot": b"digraph",
        "html": b"<!doctype html",
        "txt": b"",
        "md": b"#",
        "json": b"{",
    }
    assert begins.keys() == FORMATS.keys()
    for ending, begin in begins.items():
        path = tmp_path / f"exported.{ending}"
        with qtbot.waitSignal(window.files.exporter.finished, timeout=WAIT_MS):
            window.files.export(str(path))
        data = path.read_bytes()
        assert begin in data[:200].lower() or begin in data[:200], ending
        assert ending in ("png", "pdf") or b"sin" in data, ending


def test_an_edit_keeps_the_place_in_source_and_graph(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
):
    source = tmp_path / "program.py"
    source.write_text(PROGRAM + "\n" * 200)
    window.open_path(str(source), "mean_square(f32[4])")
    state = lambda: window.controller.state  # noqa: E731  # read anew each time
    qtbot.waitUntil(lambda: state().capture is not None, timeout=WAIT_MS)
    first = state().capture
    code, canvas = window.workspace.area.panes[0].code, window.workspace.area.panes[1].canvas
    code.verticalScrollBar().setValue(30)
    canvas.zoom(2.0)
    canvas.pan(20.0, 10.0)
    before = canvas.camera
    sine, mean = (PROGRAM[: PROGRAM.index(each)].count("\n") for each in ("jnp.sin", "jnp.mean"))
    assert {sine, mean} == code._heat.keys()
    source.write_text(PROGRAM.replace("y ** 2", "y ** 3") + "\n" * 200)
    window.controller.note_file_changed()
    assert {sine} == code._heat.keys(), "not of the line that changed"
    qtbot.waitUntil(
        lambda: state().capture is not None and state().capture is not first and
        not state().is_running, timeout=WAIT_MS,
    )  # fmt: skip
    assert "y ** 3" in state().snapshot.text
    assert code._heat
    assert code.verticalScrollBar().value() == 30
    after = canvas.camera
    assert (after.x, after.y) == pytest.approx((before.x, before.y))
    assert after.scale == before.scale
