"""What is saved is drawn first; what nobody has looked at yet is worked out after it is seen."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from jaxscope.client.events import Finished, HeadArrived, StageArrived
from jaxscope.client.requests import CaptureRequest, OutlineRequest
from jaxscope.model import Capture, Graph, Stage
from jaxscope.model.graph_builder import add_attributes
from jaxscope.model.outline import Outline, find_offered_calls
from jaxscope.program.name_links import BY_LINE, LINK
from jaxscope.schema.archive import save_capture
from jaxscope.schema.archive_container import ReadAhead
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.window import files, workspace
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.worker.host.outline import find_functions

from .conftest import Driver
from .programs import RecordedSession, build_capture


@pytest.fixture
def reads(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether all graphs were painted, each time that the facts of a capture were asked for."""
    found: list[bool] = []
    read, area = window.workspace.fates.read, window.workspace.area

    def watched(capture: Capture | None) -> None:
        if capture is not None:
            seen = [each for each in area.canvases() if each.isVisible()]
            found.append(bool(seen) and all(each.scene and each.is_sharp for each in seen))
        read(capture)

    monkeypatch.setattr(window.workspace.fates, "read", watched)
    return found


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A layout that does not end."""
    monkeypatch.setattr(GraphCanvas, "is_busy", property(lambda _self: True))


def test_facts_are_worked_out_after_the_picture_is_painted(
    window: MainWindow, driver: Driver, source: Path, reads: list[bool], qtbot: QtBot
) -> None:
    driver.finish(driver.open(source), build_capture())
    assert not reads
    with qtbot.waitSignal(window.workspace.settled):
        pass
    assert reads == [True]
    driver.wait_until(lambda: window.workspace.fusions.report is not None)


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize(
    "look",
    [
        lambda window: window.workspace.selection.select_node("jaxpr", 1),
        lambda window: window.pages.show_page("fusions"),
    ],
    ids=["select a node", "open a page"],
)
def test_what_is_looked_at_does_not_wait_for_a_layout(
    window: MainWindow,
    driver: Driver,
    source: Path,
    reads: list[bool],
    look: Callable[[MainWindow], None],
) -> None:
    driver.finish(driver.open(source), build_capture())
    assert not reads
    look(window)
    assert reads
    driver.wait_until(lambda: window.workspace.fusions.report is not None)


@pytest.mark.usefixtures("busy")
def test_a_layout_that_does_not_end_holds_up_nothing(
    window: MainWindow,
    driver: Driver,
    source: Path,
    reads: list[bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workspace, "_MAX_LOOKS", 2)
    driver.finish(driver.open(source), build_capture())
    driver.wait_until(lambda: bool(reads))


def test_a_new_run_drops_the_facts_of_the_one_before(
    window: MainWindow, driver: Driver, source: Path, reads: list[bool]
) -> None:
    driver.finish(driver.open(source), build_capture())
    driver.wait_until(lambda: window.workspace.fusions.report is not None)
    window.controller.run("grad(f)(f32[3])", "cpu")
    assert window.workspace.fusions.report is None
    window.workspace.selection.select_node("jaxpr", 1)
    assert reads == [True]  # nothing is known of a run that is not over


def test_a_saved_capture_is_there_before_the_window_is_shown(
    window: MainWindow, tmp_path: Path
) -> None:
    save_capture(build_capture(), tmp_path / "a.jaxscope")
    window.files.load_first(str(tmp_path / "a.jaxscope"))
    assert window.controller.state.capture is not None


def test_a_saved_capture_that_was_read_ahead_is_not_read_again(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jaxscope"
    save_capture(build_capture(), path)
    ahead = ReadAhead(path)
    ahead._thread.join()
    path.unlink()
    path.write_bytes(b"")
    window.files.load_first(str(path), ahead)
    assert window.controller.state.capture is not None
    window.files.load_first(str(path))
    assert window.controller.state.error is not None


def test_a_large_one_is_read_while_the_window_says_so(
    window: MainWindow, driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_capture(build_capture(), tmp_path / "a.jaxscope")
    monkeypatch.setattr(files, "_SMALL_BYTES", 10)
    window.files.load_first(str(tmp_path / "a.jaxscope"))
    assert window.controller.state.capture is None
    driver.wait_until(lambda: window.controller.state.capture is not None)


@pytest.mark.parametrize("is_ahead", [False, True])
@pytest.mark.parametrize("content", [b"", b"PK\3\4 not", None])
def test_a_file_that_is_none_is_told(
    window: MainWindow, driver: Driver, tmp_path: Path, content: bytes | None, is_ahead: bool
) -> None:
    path = tmp_path / "a.jaxscope"
    if content is not None:
        path.write_bytes(content)
    window.files.load_first(str(path), ReadAhead(path) if is_ahead else None)
    driver.wait_until(lambda: window.controller.state.error is not None)
    assert path.name in str(window.controller.state.error)
    assert window.error_panel.isVisible() and window.start_page.isVisible()
    assert window.error_panel.geometry().bottom() < window.start_page.mapTo(window, QPoint()).y()


OFFERING = """\
# jaxscope: g(f32[2])
# jaxscope: grad(f)(f32[3])
def f(x):
    return x


def g(x):
    return x
"""


@pytest.mark.parametrize(("call", "run"), [("", "g(f32[2])"), ("f(f32[9])", "f(f32[9])")])
def test_the_run_gets_the_worker_that_is_ready(
    window: MainWindow,
    driver: Driver,
    session: RecordedSession,
    tmp_path: Path,
    call: str,
    run: str,
) -> None:
    """Not the outline, which nobody waits for."""
    path = tmp_path / "offering.py"
    path.write_text(OFFERING, "utf-8")
    window.open_path(str(path), call)
    outline = driver.wait_for(OutlineRequest)
    requests = [each.request for each in session.runs]
    assert [type(request) for request in requests] == [CaptureRequest, OutlineRequest]
    assert requests[0].call == window.call_bar.edit.text() == run
    functions = find_functions(ast.parse(OFFERING))
    outline.tell(Finished(Outline(tuple(functions), find_offered_calls(OFFERING), "")))
    offered = next(each for each in window.controller.state.functions if each.calls)
    assert offered.calls[0] == "g(f32[2])"  # what the outline puts first is what ran
    assert len(session.of_type(CaptureRequest)) == 1


@pytest.mark.slow
def test_a_long_file_is_not_looked_through(
    window: MainWindow, driver: Driver, session: RecordedSession, tmp_path: Path
) -> None:
    path = tmp_path / "long.py"
    path.write_text("# jaxscope: f(f32[3])\n#" + 210_000 * "x", "utf-8")
    window.open_path(str(path))
    driver.wait_for(OutlineRequest)
    assert not session.of_type(CaptureRequest)


def test_a_picture_stays_when_costs_and_links_come(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    """A module that was opened has its costs behind its graph, and its links at the end."""
    capture, area = build_capture(), window.workspace.area
    run = driver.open(source)
    run.tell(HeadArrived(dataclasses.replace(capture, stages=())))
    for stage in capture.stages:
        run.tell(StageArrived(stage))
    driver.wait_until(lambda: any(each.scene is not None for each in area.canvases()))
    canvas = next(each for each in area.canvases() if each.scene is not None)
    scene, view = canvas.scene, canvas.view
    assert view is not None
    (place,) = (n for n, each in enumerate(capture.stages) if each.graph is view.graph)

    def with_graph(graph: Graph) -> tuple[Stage, ...]:
        changed = dataclasses.replace(capture.stages[place], graph=graph)
        return (*capture.stages[:place], changed, *capture.stages[place + 1 :])

    costed = view.graph.replace_nodes(cost=np.full((len(view.graph.nodes), 3), 5.0))
    run.tell(StageArrived(with_graph(costed)[place]))
    driver.wait_until(lambda: window.controller.state.stages[place].graph is costed)
    assert canvas.scene is scene and not canvas.is_busy
    assert canvas.view is not None and canvas.view.graph is costed
    linked = add_attributes(costed, {0: {LINK: BY_LINE}})
    driver.finish(run, dataclasses.replace(capture, stages=with_graph(linked)))
    assert canvas.scene is scene and not canvas.is_busy
    assert canvas.view is not None and canvas.view.graph is linked
