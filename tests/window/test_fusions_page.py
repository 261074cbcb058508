"""Fusions in the window: their page, the inspector, and the outcome without a pass compared."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import jax.numpy as jnp
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from jaxscope.client.events import Failed, Finished, HeadArrived, StageArrived
from jaxscope.client.requests import CaptureRequest, ComparisonRequest, TimeRequest
from jaxscope.errors import Stopped
from jaxscope.in_process import capture_function
from jaxscope.model import Capture, Graph, Measurement, PassRecord, Timing, is_available
from jaxscope.model.experiments import ProgramComparison as MeasuredPair
from jaxscope.model.experiments import ResultsAgreement
from jaxscope.model.timing import Ratio
from jaxscope.program.diff.quantities import QuantityDifference
from jaxscope.ui.pages.fusions import HEADERS, FusionsPage
from jaxscope.ui.pages.memory import MemoryPage
from jaxscope.ui.pages.passes import PassesPage
from jaxscope.ui.toolkit.result_table import choose_row
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import build_capture

RECORDS = (PassRecord("", "", 5, 0), PassRecord("algsimp", "simplification", 4, 0, num_added=1))


@pytest.fixture(scope="module")
def capture() -> Capture:
    """A product, which is a kernel of the library's, between two fusions of ours."""
    x = jnp.ones((64, 64))
    return capture_function(lambda x: jnp.tanh(jnp.sin(x + 1) @ x) * 2, (x,), {})


def page_of(window: MainWindow) -> FusionsPage:
    page = window.pages["fusions"]
    assert isinstance(page, FusionsPage)
    return page


def graph_of(capture: Capture) -> Graph:
    stage = capture.stage("optimized")
    assert stage is not None and is_available(stage.graph)
    return stage.graph


def inspected(window: MainWindow) -> str:
    return window.workspace.inspector.page.toPlainText().replace("\u200b", "")


def show(window: MainWindow, driver: Driver, source: Path, capture: Capture) -> None:
    driver.finish(driver.open(source), capture)
    driver.wait_until(lambda: window.workspace.fusions.report is not None)


def test_the_page_lists_fusions_and_selects_the_one_that_is_clicked(
    window: MainWindow, driver: Driver, source: Path, capture: Capture
) -> None:
    show(window, driver, source, capture)
    page, report = page_of(window), window.workspace.fusions.report
    assert report is not None and report.fusions
    assert page.table.rows.rowCount() == len(report.fusions)
    told = "The equations one by one: 5 kernel launches"
    assert page.heading.text().startswith(told)
    (card,) = [c for c in window.strip.cards if c.step is not None and c.step.name == "optimized"]
    assert f"{told}. Optimized: " in card.toolTip()
    assert card.toolTip().count("iB") <= 2, "the bytes of the stage, and no other number for them"
    choose_row(page.table, 0)
    assert window.workspace.selection.place == ("optimized", report.fusions[0].id)
    text = inspected(window)
    assert f"Fusion {report.fusions[0].id}" in text
    assert "not written" in text


def test_a_page_without_fusions_says_why(
    window: MainWindow, driver: Driver, source: Path, capture: Capture
) -> None:
    """That no call was run is said only where that is so."""
    window.pages.show_page("fusions")
    page = page_of(window)
    assert page.heading.text().startswith("Run a call")
    run = driver.open(source)
    run.tell(HeadArrived(capture))
    driver.wait_until(lambda: page.heading.text() == "Waiting for optimized …")
    for stage in capture.stages:
        run.tell(StageArrived(stage))
    driver.wait_until(lambda: page.heading.text().endswith("once the run has ended."))
    driver.finish(run, capture)
    driver.wait_until(lambda: window.workspace.fusions.report is not None)
    told = page.heading.text()
    window.controller.measure(is_rigorous=False)
    driver.wait_until(lambda: window.controller.state.is_running)
    assert page.heading.text() == told, "they stay while something is measured"
    window.controller.stop()

    def is_stopped() -> bool:
        for measuring in driver.session.of_type(TimeRequest):  # it begins on a thread of its own
            measuring.tell(Failed(Stopped("It was stopped.")))
        return not window.controller.state.is_running

    driver.wait_until(is_stopped)
    window.run_call()
    driver.wait_for(CaptureRequest, 2).tell(StageArrived(capture.stages[0]))
    driver.wait_until(lambda: page.heading.text() == "Waiting for optimized …")
    driver.wait_for(CaptureRequest, 2).tell(Failed(Stopped("It was stopped.")))
    driver.wait_until(lambda: page.heading.text().startswith("The run was stopped before"))


def test_an_operand_of_which_a_slice_is_read_counts_as_the_slice(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    cut = capture_function(lambda x: jnp.sin(x[100:164]) * 2, (jnp.ones(4096),), {})
    show(window, driver, source, cut)
    page = page_of(window)
    columns = {name: HEADERS.index(name) for name in ("reads", "writes")}
    row = {name: page.table.rows.index(0, column).data() for name, column in columns.items()}
    assert row == {"reads": "256 B", "writes": "256 B"}
    choose_row(page.table, 0)
    assert "f32[4096], 256 B of 16.0 KiB" in inspected(window)


def test_pages_of_the_drawer_follow_what_is_selected(
    window: MainWindow, driver: Driver, source: Path, capture: Capture
) -> None:
    """Rows are found by links that the page did not make, and marking selects nothing itself."""
    show(window, driver, source, capture)
    page, memory, report = page_of(window), window.pages["memory"], window.workspace.fusions.report
    assert isinstance(memory, MemoryPage) and report is not None
    window.pages.show_page("memory")
    driver.wait_until(lambda: memory.alive.rows.rowCount() > 0)
    selection, graph = window.workspace.selection, graph_of(capture)
    for number, fusion in enumerate(report.fusions):
        selection.select_node("optimized", fusion.node)
        place = selection.place
        marked = {index.row() for index in page.table.selectedIndexes()}
        assert marked == {row for row in range(page.table.rows.rowCount())
                          if int(page.table.rows.cell(row, 0)) == number}  # fmt: skip
        name = graph.string(graph.nodes.name, fusion.node)
        alive = [memory.alive.rows.cell(row, 2) for row in range(memory.alive.rows.rowCount())]
        rows = {index.row() for index in memory.alive.selectedIndexes()}
        assert {alive[row] for row in rows} == ({name} if name in alive else set())
        assert selection.place == place
    traced = capture.stage("jaxpr")
    assert traced is not None and is_available(traced.graph)
    for node in range(len(traced.graph.nodes)):
        selection.select_node("jaxpr", node)
        assert selection.place is not None and selection.place[0] == "jaxpr"
    selection.clear()
    assert not page.table.selectedIndexes() and not memory.alive.selectedIndexes()


def test_two_selected_instructions_tell_why_they_are_not_one_kernel(
    window: MainWindow, driver: Driver, source: Path, capture: Capture
) -> None:
    show(window, driver, source, capture)
    report = window.workspace.fusions.report
    assert report is not None
    first, second = (fusion.node for fusion in report.fusions[:2])
    window.workspace.selection.select_nodes("optimized", (first, second))
    text = inspected(window)
    assert "Why are these not one kernel?" in text
    assert "inferred: " in text


def test_what_is_inside_of_one_fusion_is_one_kernel(
    window: MainWindow, driver: Driver, source: Path, capture: Capture
) -> None:
    show(window, driver, source, capture)
    graph = graph_of(capture)
    operations = [graph.string(graph.nodes.operation, i) for i in range(len(graph.nodes))]
    sine, tanh = operations.index("sine"), operations.index("tanh")
    inside = operations.index("add")
    window.workspace.selection.select_nodes("optimized", (sine, inside))
    assert "They are one kernel" in inspected(window)
    window.workspace.selection.select_nodes("optimized", (sine, tanh))
    assert "stands between them" in inspected(window)


def test_the_page_forgets_what_is_no_longer_shown(
    window: MainWindow, driver: Driver, source: Path, capture: Capture
) -> None:
    show(window, driver, source, capture)
    window.controller.close_file()
    driver.wait_until(lambda: page_of(window).table.rows.rowCount() == 0)
    assert page_of(window).heading.text().startswith("Run a call")


def test_a_pass_is_left_out_and_the_outcome_compared(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    recorded = dataclasses.replace(build_capture(), passes=RECORDS)
    driver.finish(driver.open(source), recorded)
    page = window.pages["passes"]
    assert isinstance(page, PassesPage)
    # Whoever holds Ctrl while a result arrives still chooses one pass and no more.
    QTest.keyPress(page, Qt.Key.Key_Control, Qt.KeyboardModifier.ControlModifier)
    page.choose(0)
    assert not page.without.isEnabled()
    page.choose(1)
    assert page.without.text() == "Compare without algsimp"
    QTest.keyRelease(page, Qt.Key.Key_Control)
    page.without.click()
    beside = driver.wait_for(CaptureRequest, 2)
    assert isinstance(beside.request, CaptureRequest)
    assert beside.request.options == {"xla_disable_hlo_passes": "algsimp"}
    assert beside.request.call == recorded.call
    assert window.pages.current == "compare"
    beside.tell(Finished(build_capture()))
    names = []

    def is_compared() -> bool:
        page = window.pages["compare"]
        comparison = getattr(getattr(page, "view", None), "comparison", None)
        if comparison is not None:
            names.append(comparison.second.name)
        return comparison is not None

    driver.wait_until(is_compared)
    assert "xla_disable_hlo_passes=algsimp" in names[0]


def test_the_times_with_and_without_a_pass_join_the_outcome(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    recorded = dataclasses.replace(build_capture(), passes=RECORDS)
    driver.finish(driver.open(source), recorded)
    page = window.pages["passes"]
    assert isinstance(page, PassesPage)
    page.choose(1)
    page.without.click()
    driver.wait_for(CaptureRequest, 2).tell(Finished(build_capture()))
    measured = driver.wait_for(ComparisonRequest, 1)
    assert isinstance(measured.request, ComparisonRequest)
    assert measured.request.other_options == {"xla_disable_hlo_passes": "algsimp"}
    assert (measured.request.call, measured.request.options) == (recorded.call, {})
    sides = [
        Measurement(n, t, t, t, 0.95, 30, (t,), False)
        for n, t in (("first", 2e-6), ("second", 8e-6))
    ]
    ratio = Ratio("first/second", 0.25, 0.24, 0.26, "slower")
    timing = Timing(recorded.call, recorded.environment, tuple(sides), (ratio,), ())
    measured.tell(Finished(MeasuredPair("", "", timing, ResultsAgreement("", "", ()))))

    def times() -> tuple[QuantityDifference, ...]:
        page = window.pages["compare"]
        comparison = getattr(getattr(page, "view", None), "comparison", None)
        return () if comparison is None else tuple(comparison.times)

    driver.wait_until(lambda: bool(times()))
    (time,) = times()
    assert (time.before, time.after) == (2e-6, 8e-6)
    assert time.meaning.startswith("The second takes longer: the first's time is 0.25")


def test_a_page_that_is_asked_for_has_the_keyboard(
    window: MainWindow, driver: Driver, source: Path, capture: Capture
) -> None:
    """By the palette or a menu: before, it stayed in the pane, where arrows meant its graph."""
    show(window, driver, source, capture)
    window.activateWindow()
    pane = window.workspace.area.active
    assert pane is not None
    pane.focus_content()
    window.pages.go_to_page("fusions")
    focused = window.focusWidget()
    assert focused is page_of(window).table, "its rows, which arrow keys go through"
    window.pages.close_drawer()
    focused = window.focusWidget()
    assert focused is not None and pane.isAncestorOf(focused), "closed again, the pane has it"
