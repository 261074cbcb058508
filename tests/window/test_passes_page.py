"""The page of passes, the command that records them, and fates where a person looks for them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from PySide6.QtCore import QUrl

from jaxscope.client.requests import CaptureRequest
from jaxscope.model import Capture, Cost, Fate, PassRecord, Proof, StageText, Unavailable
from jaxscope.program.diff.changes import Change
from jaxscope.program.links import NodeSelection
from jaxscope.ui.pages.passes import PassesPage
from jaxscope.ui.session.screen import compute_screen
from jaxscope.ui.window.main_window import MainWindow
from tests.fates import programs
from tests.fates.programs import capture_passes

from .conftest import Driver
from .programs import build_capture

RECORDS = (
    PassRecord("", "", 5, 0, text="ENTRY %main {\n  %mul = f32[3] multiply(%x, %x)\n}"),
    PassRecord(
        "algsimp",
        "simplification",
        4,
        0,
        num_added=1,
        num_removed=2,
        cost=Cost(3.0, 24.0, 0.0),
        before="ENTRY %main {\n  %div = f32[3] divide(%x, %c)\n  %a = f32[3] add(%div, %x)\n}",
        text="ENTRY %main {\n  %mul = f32[3] multiply(%x, %k)\n  %a = f32[3] add(%mul, %x)\n}",
        ended=("1",),
        carriers={"1": (), "0": ("cos.1",)},
        number=8,
    ),
    PassRecord("pipeline-start", "late", 4, 0, number=9),
    PassRecord(
        "fusion", "late", 6, 1, num_added=3, num_removed=1, carriers={"2": ("mul.7",)}, number=10
    ),
)
FATES = {
    "0": Fate(
        "fused",
        "fusion",
        ("cosine",),
        text="Fused into fusion.",
        certainty="proven",
        proof=Proof(10, "fusion", ("cos.1",), ("cos.2",)),
    ),
    "1": Fate("simplified", "algsimp", text="Removed by algsimp, for it changes nothing."),
}


def recorded() -> Capture:
    return dataclasses.replace(build_capture(), passes=RECORDS, fates=FATES)


def page_of(window: MainWindow) -> PassesPage:
    page = window.pages["passes"]
    assert isinstance(page, PassesPage)
    return page


def shown_names(page: PassesPage) -> list[str]:
    rows = page.table.rows
    return [rows.index(row, 1).data() for row in range(rows.rowCount())]


def test_a_run_records_passes_only_when_asked(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    run = driver.open(source)
    assert isinstance(run.request, CaptureRequest) and not run.request.passes
    driver.finish(run, build_capture())
    page = page_of(window)
    assert shown_names(page) == []
    page.record.click()
    again = driver.wait_for(CaptureRequest, 2)
    assert isinstance(again.request, CaptureRequest) and again.request.passes
    assert again.request.call == run.request.call
    assert window.pages.current == "passes" and page.isVisible()


def test_the_page_lists_passes_and_shows_both_texts(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    driver.finish(driver.open(source), recorded())
    page = page_of(window)
    assert shown_names(page_of(window)) == ["as XLA received it", "algsimp", "fusion"]
    assert "2 passes changed the program: 5 instructions became 6" in page.heading.text()
    state = window.controller.state
    text = StageText.plain("a\nb\nc\n")
    stage = dataclasses.replace(state.stages[0], name="passes", text=text, graph=Unavailable("-"))
    screen = compute_screen(dataclasses.replace(state, stages=(*state.stages, stage)))
    (size,) = (step.size for step in screen.steps if step.name == "passes")
    assert size.startswith("2 passes"), "not the lines of its text"
    page.choose(1)
    kinds = {row.kind for row in page.diff.rows}
    assert kinds == {"same", "added", "removed", "changed"}
    assert "before on the left" in page.title.text()


def test_the_filter_finds_passes_by_name_and_text(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    driver.finish(driver.open(source), recorded())
    page = page_of(window)
    page.filter.setText("divide(")
    assert shown_names(page) == ["algsimp"]
    page.filter.setText("FUS")
    assert shown_names(page) == ["fusion"]
    page.filter.setText("no such pass")
    assert page.table.notice.text == "No pass contains “no such pass”."
    page.table.notice.clear_requested.emit()
    assert page.filter.text() == "" and page.table.notice.text == ""


def test_a_selection_is_followed_through_the_passes(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    driver.finish(driver.open(source), recorded())
    page = page_of(window)
    window.workspace.selection.select_node("grad", 2)
    assert page.follow.isEnabled()
    page.follow.setChecked(True)
    assert shown_names(page) == ["algsimp"]
    page.choose(1)
    assert "now in nothing any more" in page.title.text()
    window.workspace.selection.clear()
    assert not page.follow.isChecked()
    assert len(shown_names(page)) == 3


def test_the_inspector_tells_the_fate_of_an_equation(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    driver.finish(driver.open(source), recorded())
    workspace = window.workspace
    driver.wait_until(lambda: bool(workspace.fates.names_of("jaxpr")))
    workspace.selection.select_node("jaxpr", 2)
    text = workspace.inspector.page.toPlainText().replace("\u200b", "")
    assert "simplified by the pass algsimp" in text
    assert "for it changes nothing" in text
    assert page_of(window).fate.text().startswith("Equation 1, mul: <b>simplified</b>")


def test_the_proof_of_a_fate_is_one_click_away(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    driver.finish(driver.open(source), recorded())
    page = page_of(window)
    driver.wait_until(lambda: bool(window.workspace.fates.names_of("jaxpr")))
    window.workspace.selection.select_node("jaxpr", 1)
    assert "pass:10" in window.workspace.inspector.page.toHtml()
    text = window.workspace.inspector.page.toPlainText()
    assert "dump 0010, fusion: cos.1 → cos.2" in text.replace("\u200b", "").replace("\xa0", " ")

    window.workspace.inspector.page.anchorClicked.emit(QUrl("pass:10"))
    assert window.pages.current == "passes" and page.isVisible()
    assert page.title.text().startswith("<b>fusion</b>")


def test_dumps_that_changed_nothing_are_counted_and_found_by_name(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    driver.finish(driver.open(source), recorded())
    page = page_of(window)
    assert "pipeline-start" not in shown_names(page)
    assert "1 further dump changed no instruction" in page.heading.text()
    page.filter.setText("pipeline-start")
    assert shown_names(page) == ["pipeline-start"]


def test_a_new_capture_forgets_the_passes_of_the_old(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    driver.finish(driver.open(source), recorded())
    page = page_of(window)
    assert shown_names(page)
    window.run_call()
    driver.finish(driver.wait_for(CaptureRequest, 2), build_capture())
    assert shown_names(page) == []


def test_graphs_before_and_after_are_drawn_marked_and_lead_to_equations(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    capture = capture_passes(programs.repeat, programs.X)
    driver.finish(driver.open(source), capture)
    page = page_of(window)
    page.choose(1)
    page.forms.setCurrentIndex(1)
    driver.wait_until(lambda: page.graphs.graphs is not None)
    before, after = page.graphs.canvases
    driver.wait_until(lambda: before.item_marks is not None and after.item_marks is not None)
    assert before.item_marks is not None
    assert before.item_marks.changes.tolist().count(Change.REMOVED) == 2
    assert after.item_marks is not None
    graphs = page.graphs.graphs
    assert graphs is not None
    (held, *_) = graphs.holders(0, {"3"})
    before.node_selected.emit(held)
    nodes = window.workspace.selection.selection
    assert isinstance(nodes, NodeSelection) and nodes.stage == "jaxpr"
    assert "1 before, 0 after" in page.graphs.note.text()
