"""Captures that are reopened: every page has its content, or says truly why it has none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from jaxscope.cli import main
from jaxscope.client.requests import OpenRequest
from jaxscope.in_process import capture_function
from jaxscope.model import Capture, StageText, is_available
from jaxscope.schema.archive import load_capture, save_capture
from jaxscope.ui.application import build_window
from jaxscope.ui.pages.timing import TimingPage
from jaxscope.ui.panes.pane_header import SOURCE
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.session.state import TimingState
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.page_context import PageContext
from jaxscope.ui.window.places import Place
from jaxscope.ui.window.settings import Settings

from .conftest import Driver, destroy
from .programs import RecordedSession, build_capture


def square(x: jax.Array) -> jax.Array:
    return jnp.sum(jnp.tanh(x @ x) * 2 + 1)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One capture with its passes, as both kinds of file."""
    from jaxscope.export.capture_json import format_json

    folder = tmp_path_factory.mktemp("saved")
    capture = capture_function(square, (jnp.ones((8, 8)),), {}, passes=True)
    save_capture(capture, folder / "a.jaxscope")
    (folder / "a.json").write_text(format_json(capture))
    return {"jaxscope": folder / "a.jaxscope", "json": folder / "a.json"}


@pytest.fixture
def late_window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    """A window as the command line makes it: pages come after the first turn of the event loop."""
    bridge = Bridge(RecordedSession)
    settings = Settings(str(tmp_path / "window.json"))
    window = build_window(qapp, bridge, RunOptions(), settings, late_panes=True)
    yield window
    destroy(window)
    bridge.close()


def said_by(page: QWidget) -> str:
    return " ".join(filter(None, (label.text() for label in page.findChildren(QLabel))))


def open_saved(qtbot: QtBot, window: MainWindow, path: Path) -> dict[str, QWidget]:
    """Open a file before there are panes, as the command line does, and wait for these.

    Returns:
        The pages by their titles.
    """
    window.open_path(str(path))
    window.show()
    qtbot.waitUntil(lambda: window.controller.state.capture is not None)
    qtbot.waitUntil(lambda: len(window.workspace.area.panes) > 0)
    return {window.pages.page_of(name).title: window.pages[name] for name in window.pages}


@pytest.mark.slow
def test_a_page_made_late_says_what_one_made_early_says(
    qtbot: QtBot, window: MainWindow, late_window: MainWindow, saved: dict[str, Path]
) -> None:
    """The same, whether a page followed the state all along or comes when all is there."""
    early = {window.pages.page_of(name).title: window.pages[name] for name in window.pages}
    open_saved(qtbot, window, saved["jaxscope"])
    window.workspace.selection.select_node("jaxpr", 1)
    qtbot.waitUntil(lambda: "Run a call" not in said_by(early["Fusions"]))
    late_window.open_path(str(saved["jaxscope"]))
    late_window.show()
    late_window.workspace.area.make_panes()
    qtbot.waitUntil(lambda: late_window.workspace.fusions.report is not None)
    late_window.workspace.selection.select_node("jaxpr", 1)
    late = {late_window.pages.page_of(n).title: late_window.pages[n] for n in late_window.pages}
    for title, page in late.items():
        qtbot.waitUntil(lambda page=page, title=title: said_by(page) == said_by(early[title]))


@pytest.mark.parametrize("kind", ["jaxscope", "json"])
@pytest.mark.slow
def test_every_page_of_a_saved_capture_has_its_content(
    qtbot: QtBot, late_window: MainWindow, saved: dict[str, Path], kind: str
) -> None:
    pages = open_saved(qtbot, late_window, saved[kind])
    qtbot.waitUntil(lambda: "Run a call" not in said_by(pages["Fusions"]))
    assert "fusion" in said_by(pages["Fusions"])
    assert "changed the program" in said_by(pages["Passes"])
    for name in ("memory", "sharding"):
        late_window.pages.show_page(name)
    qtbot.waitUntil(lambda: "by XLA's plan" in said_by(pages["Memory"]))
    assert "1 device" in said_by(pages["Devices"])
    assert late_window.pages["arguments"].tree.topLevelItemCount() == 2
    assert late_window.call_bar.edit.isReadOnly()  # nothing can be run
    late_window.controller.edit_call("another(f32[3])")
    assert not late_window.controller.state.is_stale
    assert "does not hold" in late_window.pages["output"].note.text()
    late_window.pages.show_place(Place.PROGRAM)
    area = late_window.workspace.area
    (source,) = [pane for pane in area.panes if pane.wanted_stage == SOURCE]
    assert any("jnp.tanh(x @ x)" in line for line in source.code._lines)
    graph = next(s for s in late_window.controller.state.stages if s.name == "jaxpr").graph
    assert is_available(graph)
    operations = [graph.string(graph.nodes.operation, i) for i in range(len(graph.nodes))]
    late_window.workspace.selection.select_node("jaxpr", operations.index("tanh"))
    marked = [source.code._lines[line] for line in source.code.marks]
    assert marked == ["    return jnp.sum(jnp.tanh(x @ x) * 2 + 1)"]


@pytest.mark.slow
def test_the_line_of_stages_marks_what_the_views_show(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path
) -> None:
    """Also where views of another file turn to the stages of the capture."""
    twice = jax.grad(lambda x: jax.grad(lambda y: jnp.sin(y) ** 2)(x))
    calls = {"one": jax.grad(jnp.sin), "two": twice, "plain": jnp.sin}
    driver.finish(driver.open(source), build_capture())
    for name in ("two", "plain", "one", "two"):
        path = tmp_path / f"{name}.jaxscope"
        save_capture(capture_function(calls[name], (jnp.float32(1),), {}), path)
        window.open_path(str(path))
        driver.wait_until(lambda path=path: window.controller.state.file == str(path))
        driver.wait_until(lambda: window.controller.state.capture is not None)
        marked = [c.step.name for c in window.strip.cards if c.step is not None and c.step.is_shown]
        shown = {pane.header.chooser.currentData() for pane in window.workspace.area.panes}
        assert set(marked) == shown and len(shown) == 3, name


def test_the_page_of_fusions_says_why_a_capture_has_none(
    qtbot: QtBot, late_window: MainWindow, saved: dict[str, Path], tmp_path: Path
) -> None:
    raw = json.loads(saved["json"].read_text())
    raw["stages"] = [stage for stage in raw["stages"] if stage["name"] == "jaxpr"]
    (tmp_path / "b.json").write_text(json.dumps(raw))
    pages = open_saved(qtbot, late_window, tmp_path / "b.json")
    qtbot.waitUntil(lambda: "no optimized program" in said_by(pages["Fusions"]))


def test_json_keeps_texts_links_checks_and_passes(saved: dict[str, Path]) -> None:
    first, second = load_capture(saved["jaxscope"]), load_capture(saved["json"])
    assert second.files == first.files and first.files
    assert second.checks == first.checks
    assert [p.name for p in second.passes] == [p.name for p in first.passes]
    assert [p.text for p in second.passes] == [p.text for p in first.passes]
    for ours, theirs in zip(first.stages, second.stages, strict=True):
        if is_available(ours.text) and is_available(ours.graph):
            assert isinstance(theirs.text, StageText)
            assert theirs.text.line_nodes.tolist() == ours.text.line_nodes.tolist(), ours.name


def test_json_of_an_older_version_says_that_it_lacks_the_source(
    qtbot: QtBot, late_window: MainWindow, saved: dict[str, Path], tmp_path: Path
) -> None:
    raw = json.loads(saved["json"].read_text())
    del raw["files"]
    for stage in raw["stages"]:
        del stage["lines"]
    (tmp_path / "old.json").write_text(json.dumps(raw))
    open_saved(qtbot, late_window, tmp_path / "old.json")
    area = late_window.workspace.area
    (source,) = [pane for pane in area.panes if pane.wanted_stage == SOURCE]
    assert "holds no text of the source" in said_by(source)


OTHERS = {
    "a.hlo": (b"HloModule jit_f\n\nENTRY main {}\n", "the text of an HLO module"),
    "dump.txt": (b"HloModule jit_f, entry={}\n", "the text of an HLO module"),
    "a.mlir": (b"module @jit_f attributes {x = 1} {\n}\n", "the text of an MLIR module"),
    "b.mlirbc": (b"ML\xefR\x0dStableHLO\x00", "MLIR bytecode"),
    "a.hlo.pb": (b"\x0a\x05jit_f\xff\x00", "a serialized HLO module"),
    "a.hlo.xz": (b"\xfd7zXZ\x00\x00\x04", "a compressed file"),
    "c.pb": (b"\x0a\x05jit_f\xff\x00", "a protocol buffer"),
    "vm.xplane.pb": (b"\x0a\x00\xff", "a recording of XLA's profiler"),
}


OPENED = ("a.hlo", "dump.txt", "a.mlir", "b.mlirbc")
"""By their content they may be what they say."""


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", OTHERS)
def test_modules_of_the_compiler_are_told_for_what_they_are(
    qtbot: QtBot,
    window: MainWindow,
    session: RecordedSession,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    data, told = OTHERS[name]
    (tmp_path / name).write_bytes(data + b"\n" * (6 << 20 if name == "a.hlo" else 0))
    window.open_path(str(tmp_path / name))
    if name in OPENED:
        qtbot.waitUntil(lambda: bool(session.of_type(OpenRequest)))
    else:
        error = window.controller.state.error
        assert error is not None
        assert told in error.explanation.what
    assert main(["capture", str(tmp_path / name), "--json"]) == 1
    printed = capsys.readouterr().out
    assert told in printed and "UTF-8" not in printed and "valid Python" not in printed


def test_a_folder_of_dumps_is_told_for_what_it_is(
    qtbot: QtBot,
    window: MainWindow,
    session: RecordedSession,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "module_0001.jit_f.before_optimizations.txt").write_text("HloModule jit_f\n")
    window.open_path(str(tmp_path))
    qtbot.waitUntil(lambda: bool(session.of_type(OpenRequest)))
    assert main(["capture", str(tmp_path), "--json"]) == 1
    assert "modules that XLA dumped" in capsys.readouterr().out


def test_a_python_file_may_begin_as_it_likes(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("HloModule = 1\nmodule = {}\n")
    window.open_path(str(tmp_path / "a.py"))
    assert window.controller.state.error is None


def test_a_saved_capture_is_no_file_to_run(
    saved: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["time", str(saved["json"])]) == 2
    assert "is a saved capture" in capsys.readouterr().err


def test_the_command_line_writes_pages_of_json(saved: dict[str, Path], tmp_path: Path) -> None:
    capture: Capture = load_capture(saved["json"])
    assert main(["capture", str(saved["json"]), "-o", str(tmp_path / "a.md")]) == 0
    assert capture.call in (tmp_path / "a.md").read_text()


def test_the_time_page_of_a_saved_capture_offers_nothing_that_cannot_work(
    qtbot: QtBot, page_context: PageContext
) -> None:
    page = TimingPage(page_context)
    qtbot.addWidget(page)
    page.show()
    page.show_timing(TimingState(), can_measure=False, is_saved=True)
    assert page.verdict_text == "Not measured"
    assert "Nothing is run from a saved capture" in said_by(page)
    assert "Ctrl+M" not in said_by(page)
    assert not any(each.isVisible() for each in (page.quick, page.rigorous, page.gradient))
    page.show_timing(TimingState(), can_measure=True)
    assert page.verdict_text == "Not measured yet" and "Ctrl+M" in said_by(page)
    assert all(each.isVisible() for each in (page.quick, page.rigorous, page.gradient))
