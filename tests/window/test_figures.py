"""Figures in the window: zoomed, read, clicked, as tables and as files; saved and reopened."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from jaxscope.client.events import Finished, MeasurementArrived, Progress
from jaxscope.client.requests import ProfileRequest, ScalingRequest, TimeRequest
from jaxscope.export.figures import Distribution, Histogram, make_histogram, timeline_chart
from jaxscope.model import Capture, Environment, Measurement, Timing, Unavailable, is_available
from jaxscope.model.timing import NodeTime, NodeTimes, Profile, ScalePoint, Scaling, Timeline
from jaxscope.schema.archive import SAVED_TYPES
from jaxscope.ui.figures.figure_panel import FigurePanel, LanePlot
from jaxscope.ui.figures.plots import TimingPlot
from jaxscope.ui.session.state import LAB_RESULTS
from jaxscope.ui.toolkit.result_table import choose_row
from jaxscope.ui.toolkit.theme import DARK, LIGHT
from jaxscope.ui.toolkit.widgets import FoldedNotes, SplitOrTabs
from tests.archive.test_saved_measurements import RESULTS

from .conftest import Driver
from .programs import build_capture

HERE = Environment("0.10.2", "0.10.2", "3.11", "cpu", "cpu", "lab-pc", "2026-01-02T03:04:05")
CALL = "grad(f)(f32[3])"


def timeline(*names: str) -> Timeline:
    """Instructions one after another, each a microsecond long, a microsecond apart."""
    count = len(names)
    return Timeline(
        names,
        ("device 0 · thread 1",),
        np.arange(count, dtype=np.int32),
        np.zeros(count, np.int32),
        np.arange(count) * 2e-6,
        np.full(count, 1e-6),
        returned=1e-6,
        wall=2e-6 * count,
        covered=1e-6 * count,
    )


def steady(name: str, *samples: float) -> Measurement:
    middle = sorted(samples)[len(samples) // 2]
    return Measurement(
        *(name, middle, min(samples), max(samples), 0.95, len(samples), samples, False),
        protocol="Each call by itself.",
        began=1.0,
        ended=3.0,
        device_seconds=8e-6,
        device_low=7e-6,
        device_high=9e-6,
    )


@pytest.fixture
def panel(qtbot: QtBot) -> Iterator[FigurePanel]:
    panel = FigurePanel("timeline")
    qtbot.addWidget(panel)
    panel.resize(900, 400)
    panel.show_figure(timeline_chart(CALL, timeline("dot", "add", "sin")), HERE, LIGHT)
    panel.show()
    yield panel


def plot_of(panel: FigurePanel) -> LanePlot:
    assert panel.lanes is not None
    return panel.lanes


def test_a_click_says_which_instruction_and_a_drag_does_not(
    panel: FigurePanel, qtbot: QtBot
) -> None:
    chosen: list[str] = []
    panel.bar_chosen.connect(chosen.append)
    plot = plot_of(panel)
    place = QPoint(*map(round, plot.center_of("add")))
    qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=place)
    assert chosen == ["add"]
    plot.zoom(4.0, place.x())
    before = plot.shown_range
    qtbot.mousePress(plot, Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseMove(plot, place + QPoint(60, 0))
    qtbot.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=place + QPoint(60, 0))
    assert chosen == ["add"]
    assert plot.shown_range[0] < before[0]


def test_what_is_under_the_pointer_stays_there_while_zooming(panel: FigurePanel) -> None:
    plot = plot_of(panel)
    whole = plot.shown_range
    x, y = plot.center_of("add")
    plot.zoom(8.0, x)
    assert plot.center_of("add")[0] == pytest.approx(x, abs=1.0)
    found = plot.bar_at(x, y)
    assert found is not None
    assert found.name == "add"
    plot.fit()
    assert plot.shown_range == whole


def test_keys_zoom_move_and_show_the_whole(panel: FigurePanel, qtbot: QtBot) -> None:
    plot = plot_of(panel)
    whole = plot.shown_range
    qtbot.keyClick(plot, Qt.Key.Key_Plus)
    near = plot.shown_range
    assert near[1] - near[0] < whole[1] - whole[0]
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    assert plot.shown_range[0] > near[0]
    qtbot.keyClick(plot, Qt.Key.Key_0)
    assert plot.shown_range == whole


def test_values_are_told_where_the_pointer_is(panel: FigurePanel, qtbot: QtBot) -> None:
    plot = plot_of(panel)
    plot.reading_changed.emit(plot.bar_at(*plot.center_of("sin")).hint.split("\n")[0])
    assert panel.reading.text() == "sin: 1.00 µs"


def test_the_table_has_every_bar_and_chooses_as_well(panel: FigurePanel, qtbot: QtBot) -> None:
    chosen: list[str] = []
    panel.bar_chosen.connect(chosen.append)
    panel.as_table.click()
    rows = [panel.table.rows.row_text(row) for row in range(panel.table.rows.rowCount())]
    assert rows[2].split("\t") == [
        *("dot", "device 0 · thread 1", "0 s", "1.00 µs", "1.00 µs", "instruction"),
    ]
    assert len(rows) == 2 + 3 + 3  # Python, instructions, gaps
    panel.table.clicked.emit(panel.table.rows.index(2, 0))
    assert chosen == ["dot"]


def test_a_selection_elsewhere_is_marked(panel: FigurePanel) -> None:
    plain = plot_of(panel).grab().toImage()
    panel.choose(frozenset({"add"}))
    assert plot_of(panel).grab().toImage() != plain
    panel.choose(frozenset())
    assert plot_of(panel).grab().toImage() == plain


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_distributions_tell_the_bin_under_the_pointer(qtbot: QtBot, theme: object) -> None:
    panel = FigurePanel("distributions")
    qtbot.addWidget(panel)
    panel.resize(900, 400)
    histogram = make_histogram(CALL, [steady("jit", 1e-5, 1e-5, 1e-5, 2e-5)])
    panel.show_figure(histogram, HERE, theme)
    panel.show()
    qtbot.waitExposed(panel)
    drawn = panel._picture
    box = drawn.plot.getPlotItem().vb
    drawn._on_scene_mouse_moved(box.mapViewToScene(QPointF(-5.0, 10.0)))
    assert "jit 75.0% (3 calls)" in panel.reading.text()


@pytest.mark.parametrize("ending", ["svg", "png", "csv", "json"])
def test_files_are_whole_or_not_there(panel: FigurePanel, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"run.{ending}"
    panel.write(str(path))
    assert path.stat().st_size > 100
    assert list(tmp_path.iterdir()) == [path]
    if ending == "json":
        assert json.loads(path.read_text())["environment"]["host"] == "lab-pc"


def test_a_place_that_cannot_be_written_is_told(panel: FigurePanel, tmp_path: Path) -> None:
    panel._on_export_path_selected(str(tmp_path / "missing" / "run.svg"))
    assert "was not written" in panel.reading.text()


# --- in the window ---


@pytest.fixture
def capture() -> Capture:
    return build_capture()


def instruction_of(capture: Capture) -> tuple[str, str]:
    """A stage of the capture that has nodes with names, and the name of one."""
    for stage in reversed(capture.stages):
        if is_available(stage.graph):
            graph = stage.graph
            return stage.name, graph.string(graph.nodes.id, 0)
    raise AssertionError("the capture has no graph")


def profile_of(capture: Capture) -> Profile:
    stage, name = instruction_of(capture)
    times = NodeTimes(stage, (NodeTime(name, 1, 1e-6, 1e-6, 1e-6, 1e-6),), 3, 4e-6, 3e-6, 1e-6,
                      "How.")  # fmt: skip
    return Profile(CALL, HERE, times, Unavailable("Not asked for."), (), timeline(name, "other"))


def test_a_click_in_a_run_selects_the_instruction_everywhere(
    driver: Driver, source: Path, capture: Capture
) -> None:
    driver.finish(driver.open(source), capture)
    lab, selection = driver.window.pages, driver.window.workspace.selection
    lab["profile"].button.click()
    driver.wait_for(ProfileRequest).tell(Finished(profile_of(capture)))
    driver.wait_until(lambda: lab["profile"].run is not None)
    stage, name = instruction_of(capture)
    lab["profile"].run.bar_chosen.emit(name)
    assert selection.selection.stage == stage
    selection.clear()
    lab["profile"].run.bar_chosen.emit("other")  # of another program: nothing to select
    assert selection.selection is None


def test_a_step_says_how_long_it_takes_at_most_and_can_be_skipped(
    driver: Driver, source: Path, capture: Capture
) -> None:
    driver.finish(driver.open(source), capture)
    window = driver.window
    window.pages["timing"].measure()
    run = driver.wait_for(TimeRequest)
    skipped: list[bool] = []
    run.skip = lambda: skipped.append(True)
    run.tell(Progress("compile", "Compiling the program"))
    driver.wait_until(lambda: "Compiling" in window.row.status)
    assert window.call_bar.skip_button.isHidden()
    run.tell(Progress("steady", "Timing the program", 7.5, True))
    driver.wait_until(lambda: not window.call_bar.skip_button.isHidden())
    assert "at most 8 s left" in window.row.status
    window.call_bar.skip_button.click()
    driver.wait_until(lambda: bool(skipped))
    assert window.call_bar.skip_button.isHidden()
    run.tell(MeasurementArrived(steady("jit", 1e-5, 2e-5, 3e-5)))
    driver.wait_until(lambda: window.pages["timing"].table.rows.rowCount() == 1)


def test_a_row_tells_its_protocol_and_the_device_has_a_column_of_its_own(
    driver: Driver, source: Path, capture: Capture
) -> None:
    driver.finish(driver.open(source), capture)
    driver.window.pages["timing"].measure()
    timing = Timing(CALL, HERE, (steady("jit", 1e-5, 2e-5, 3e-5),), (), ("Skipped by hand.",))
    driver.wait_for(TimeRequest).tell(Finished(timing))
    page = driver.window.pages["timing"]
    driver.wait_until(lambda: page.distributions is not None and page.stages is not None)
    choose_row(page.table, 0)
    assert "Each call by itself." in page.protocol.text()
    cells = [str(page.table.rows.cell(0, column)) for column in range(6)]
    assert cells[1] == "20.0 µs"
    assert cells[3] == "8.00 µs (7.00 µs to 9.00 µs)"
    assert "Measured on cpu of lab-pc" in page.notes.text()
    assert "Skipped by hand." in page.notes.text()


def test_a_figure_takes_the_page_for_those_who_sit_far_away(
    driver: Driver, source: Path, capture: Capture
) -> None:
    driver.finish(driver.open(source), capture)
    driver.window.pages["timing"].measure()
    timing = Timing(CALL, HERE, (steady("jit", 1e-5, 2e-5, 3e-5),), (), ())
    driver.wait_for(TimeRequest).tell(Finished(timing))
    page = driver.window.pages["timing"]
    driver.wait_until(lambda: page.stages is not None)
    page.stages.large.click()
    assert page.measurements.isHidden() or page.notes.isHidden()
    page.stages.large.click()
    assert not page.notes.isHidden()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("size", [(1280, 720), (1600, 900), (2560, 1440)])
def test_a_distribution_can_be_read_at_every_usual_size(
    driver: Driver, source: Path, capture: Capture, size: tuple[int, int]
) -> None:
    driver.finish(driver.open(source), capture)
    window, page = driver.window, driver.window.pages["timing"]
    window.resize(*size)
    window.pages.show_page("timing")
    window.pages["timing"].measure()
    warnings = tuple(f"Warning {number}, which says what to mind." for number in range(6))
    timing = Timing(CALL, HERE, (steady("jit", 1e-5, 2e-5, 3e-5),), (), warnings)
    driver.wait_for(TimeRequest).tell(Finished(timing))
    driver.wait_until(lambda: page.distributions is not None)
    choose_row(page.table, 0)
    page.figures.setCurrentWidget(page.distributions)
    plot = page.distributions.findChild(TimingPlot)
    driver.wait_until(lambda: plot.isVisible() and plot.height() >= 220)
    assert plot.height() <= plot.parentWidget().height()  # the labels of its axes included
    is_beside = page.figures.indexOf(page.measurements) >= 0
    assert is_beside == (size[1] < 900)
    if is_beside:
        page.figures.setCurrentWidget(page.measurements)
    driver.wait_until(lambda: page.table.isVisible() and page.table.height() >= 100)
    assert page.protocol.isVisible()
    protocol = page.protocol
    driver.wait_until(lambda: protocol.height() >= protocol.heightForWidth(protocol.width()))


def test_notes_take_a_line_until_they_are_asked_for(qtbot: QtBot) -> None:
    notes = FoldedNotes()
    qtbot.addWidget(notes)
    notes.set_notes([f"Warning {number}." for number in range(20)], ["How."])
    notes.resize(600, 20)
    notes.show()
    line = notes.sizeHint().height()
    assert notes.text().splitlines()[-1] == "How."
    notes.fold.click()
    assert line < notes.sizeHint().height() < 14 * line  # the others are scrolled to
    notes.fold.click()
    assert notes.sizeHint().height() == line


def test_what_was_measured_comes_back_with_where_and_when(
    driver: Driver, source: Path, capture: Capture, tmp_path: Path
) -> None:
    driver.finish(driver.open(source), capture)
    window = driver.window
    window.pages["timing"].measure()
    timing = Timing(CALL, HERE, (steady("jit", 1e-5, 2e-5, 3e-5),), (), ())
    driver.wait_for(TimeRequest).tell(Finished(timing))
    driver.wait_until(lambda: not window.controller.state.is_running)
    window.pages["profile"].button.click()
    driver.wait_for(ProfileRequest).tell(Finished(profile_of(capture)))
    driver.wait_until(lambda: window.controller.state.lab.profile is not None)
    path = str(tmp_path / "measured.jaxscope")
    with driver.qtbot.waitSignal(window.files.captures.saved):
        window.files.save(path)
    window.controller.close_file()
    assert window.controller.state.lab.profile is None
    with driver.qtbot.waitSignal(window.files.captures.opened):
        window.open_path(path)
    lab = window.pages
    driver.wait_until(lambda: lab["profile"].run is not None)
    assert "Measured on cpu of lab-pc" in lab["profile"].notes.text()
    assert "2026-01-02T03:04:05" in lab["profile"].notes.text()
    assert "Measured on cpu of lab-pc" in window.pages["timing"].notes.text()
    assert not lab["profile"].button.isEnabled()  # nothing is run from a saved capture


def test_every_result_of_the_lab_is_saved() -> None:
    assert set(LAB_RESULTS) == set(SAVED_TYPES) - {Timing}


def test_every_page_says_of_which_call_and_where_and_when(driver: Driver, capture: Capture) -> None:
    driver.window.controller.open_capture(capture, "/saved.jaxscope", None, RESULTS[1:])
    lab = driver.window.pages
    for name in ("profile", "scaling", "recompilation", "versus", "agreement", "compile_time"):
        said = lab[name].notes.text()
        assert "f(x). Measured on cpu of lab-pc, JAX 0.10.2, Python 3.11, 2026-01-02" in said


def test_parts_without_room_for_all_stand_behind_tabs(qtbot: QtBot) -> None:
    split = SplitOrTabs(20)
    qtbot.addWidget(split)
    above, below = QLabel("above"), QLabel("below")
    split.insert_part(0, below, "Below", 1)
    split.insert_part(0, above, "Above", 1)
    line = split.fontMetrics().height()
    split.resize(300, 30 * line)
    split.show()
    assert above.isVisible() and below.isVisible() and not split.tabs.isVisible()
    split.resize(300, 10 * line)
    assert above.isVisible() and not below.isVisible()
    assert [split.tabs.tabText(place) for place in (0, 1)] == ["Above", "Below"]
    split.resize(300, 30 * line)
    assert above.isVisible() and below.isVisible()
    assert above.geometry().bottom() < below.geometry().top()


def test_the_curves_of_sizes_can_be_read_in_a_small_window(
    driver: Driver, source: Path, capture: Capture
) -> None:
    driver.finish(driver.open(source), capture)
    window, page = driver.window, driver.window.pages["scaling"]
    window.resize(1280, 720)
    window.pages.show_page("scaling")
    page.range.setText("x:0=8..64")
    page.button.click()
    sides = [steady(name, 1e-5, 2e-5, 3e-5) for name in ("eager", "jit")]
    points = tuple(ScalePoint(size, *sides, reason=f"Odd at {size}.") for size in range(8, 20))
    found = Scaling(CALL, HERE, "x:0", points, (), (), ())
    driver.wait_for(ScalingRequest).tell(Finished(found))
    driver.wait_until(lambda: page.plot is not None and page.plot.height() >= 220)
    assert page.plot.isVisible()
    assert "Odd at 19." in page.notes.text()


def test_where_compile_time_went_is_drawn_and_leads_to_its_line(
    driver: Driver, capture: Capture
) -> None:
    driver.window.controller.open_capture(capture, "/saved.jaxscope", None, RESULTS[1:])
    page = driver.window.pages["compile_time"]
    assert "500 ms in all: trace 500 ms" in page.heading.text()
    assert "Use scan." in page.notes.text()
    assert page.figure is not None and page.figure.lanes is not None
    asked: list[tuple[str, int]] = []
    page._context.selection.select_line = lambda file, line: asked.append((file, line))
    page.figure.bar_chosen.emit("1")
    page.lines.clicked.emit(page.lines.model().index(0, 0))
    assert asked == [("f.py", 3), ("f.py", 3)]
    table = page.figure.table
    page.figure.as_table.click()
    table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    rows = [table.rows.cell(row, 0) for row in range(table.rows.rowCount())]
    assert rows == sorted(rows, reverse=True)
    table.clicked.emit(table.rows.index(table.rows.row_at(1), 0))
    assert asked[2:] == [("f.py", 3)]


def test_the_legend_of_the_distributions_covers_no_bar(qtbot: QtBot) -> None:
    """The eager calls stand in the middle here, where it lay over them."""
    times = 10.0 ** np.linspace(-6.0, -4.0, 41)
    series = tuple(
        Distribution(name, tuple(9 * (n == at) for n in range(40)), *(float(times[at]),) * 3)
        for name, at in (("eager", 20), ("jit", 2))
    )
    plot = TimingPlot()
    qtbot.addWidget(plot)
    plot.resize(900, 320)
    plot.show_histogram(Histogram("", "", tuple(times.tolist()), series), LIGHT)
    plot.show()
    qtbot.wait(50)
    assert plot.key.geometry().bottom() < plot.plot.geometry().top()
    assert "eager: 10.0 µs" in plot.key.text() and "jit: 1.26 µs" in plot.key.text()
    image, box = plot.plot.grab().toImage(), plot.plot.getPlotItem().vb
    top, foot = (box.mapViewToScene(QPointF(-4.99, y)) for y in (99.0, 1.0))
    x = round(box.mapViewToScene(QPointF(math.log10(times[20]) + 0.035, 0.0)).x())
    bar = {image.pixel(x, y) for y in range(round(top.y()) + 3, round(foot.y()) - 3)}
    assert len(bar) == 1, "one colour from the foot to the top"
