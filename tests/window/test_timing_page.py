"""The page Timing: what it shows while a measurement goes on, and of another call."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QHeaderView, QLabel

from jaxscope.client.events import Finished, ResultGrew
from jaxscope.client.requests import ScalingRequest, TimeRequest
from jaxscope.model import Environment, Measurement, Ratio, Timing
from jaxscope.model.timing import ScalePoint, Scaling
from jaxscope.ui.toolkit.result_table import choose_row
from jaxscope.ui.window.places import Place

from .conftest import Driver
from .programs import build_capture

HERE = Environment(
    *("0.10.2", "0.10.2", "3.11", "cpu", "cpu"),
    load=0.4,
    processors=2,
    processor_share=0.99,
    busy_processors=0.0,
)
BUSY = dataclasses.replace(HERE, processor_share=0.14, load=16.5, busy_processors=1.9)


def measured(name: str, *reasons: str) -> Measurement:
    samples = (1e-5, 2e-5, 3e-5)
    return Measurement(
        *(name, 2e-5, 1e-5, 3e-5, math.nan, 3, samples, bool(reasons)),
        protocol="Each by itself.",
        reasons=reasons,
    )


def timing(call: str, environment: Environment, *reasons: str, verdict: str = "faster") -> Timing:
    sides = (measured("eager", *reasons), measured("jit", *reasons))
    ratio = Ratio("eager/jit", 3.0, 2.0, 4.0, verdict, pairs=12, is_noisy=bool(reasons))
    return Timing(call, environment, sides, (ratio,), ())


def test_a_first_headline_stands_while_it_goes_on_and_a_busy_machine_is_told_there(
    driver: Driver, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    window, page = driver.window, driver.window.pages["timing"]
    window.pages["timing"].measure()
    run = driver.wait_for(TimeRequest)
    assert not run.request.gradient
    assert run.request.budget_s is None
    run.tell(ResultGrew(timing("f(x)", HERE, verdict="unclear")))
    driver.wait_until(lambda: page.verdict_text.startswith("Not decided which"))
    assert window.controller.state.is_running
    run.tell(Finished(timing("f(x)", BUSY, "Noisy for some reason.")))
    driver.wait_until(lambda: not window.controller.state.is_running)
    first, second = page.verdict_text.split("\n")
    assert first == "jit is 3 times faster than eager (paired, observed 2.00 to 4.00)"
    assert second.startswith("Noisy: This process had a processor for 14%")
    assert "load 16.5 on 2 processors" in page.notes.text()
    assert "f(x). Measured on" in page.notes.text()
    assert "need not divide to it" in page.notes.text()
    assert "95" not in page.verdict_text + page.notes.text()


def test_a_row_of_another_call_tells_nothing_of_this_one(driver: Driver, source: Path) -> None:
    driver.finish(driver.open(source), build_capture())
    window, page = driver.window, driver.window.pages["timing"]
    window.pages["timing"].measure()
    driver.wait_for(TimeRequest).tell(Finished(timing("f(x)", BUSY, "Load of the first call.")))
    driver.wait_until(lambda: page.table.rows.rowCount() == 2)
    choose_row(page.table, 0)
    assert "Load of the first call." in page.protocol.text()
    driver.wait_until(lambda: not window.controller.state.is_running)
    window.pages["timing"].measure()
    run = driver.wait_for(TimeRequest, 2)
    driver.wait_until(lambda: page.table.rows.rowCount() == 0)
    assert "Load of the first call." not in page.protocol.text()
    run.tell(Finished(timing("g(x)", HERE)))
    driver.wait_until(lambda: page.table.rows.rowCount() == 2)
    assert page.protocol.text().startswith("Choose a row")


def test_a_chosen_row_stays_chosen_while_its_figures_get_better(
    driver: Driver, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    window, page = driver.window, driver.window.pages["timing"]
    window.pages["timing"].measure()
    run = driver.wait_for(TimeRequest)
    run.tell(ResultGrew(timing("f(x)", HERE)))
    driver.wait_until(lambda: page.table.rows.rowCount() == 2)
    choose_row(page.table, 1)
    run.tell(Finished(timing("f(x)", HERE, "A later reason.")))
    driver.wait_until(lambda: "A later reason." in page.protocol.text())
    assert page.table.currentIndex().row() == 1


def test_in_a_small_window_what_a_row_is_has_all_its_words(driver: Driver, source: Path) -> None:
    """Its numbers take what room they need; it was cut at its end."""
    window = driver.window
    window.resize(1280, 720)
    driver.finish(driver.open(source), build_capture())
    page = window.pages["timing"]
    page.measure()
    told = timing("f(x)", HERE)
    meant = "eager_wait", "jit_until_steady", "first_eager_call", "compile"
    measured = told.measurements[0]
    more = tuple(dataclasses.replace(measured, name=name) for name in meant)
    told = dataclasses.replace(told, measurements=(*told.measurements, *more))
    driver.wait_for(TimeRequest).tell(Finished(told))
    table = page.table
    driver.wait_until(lambda: table.rows.rowCount() == 6 and not page._is_tall)
    is_wrapped = []
    for row in range(6):
        width, text = table.columnWidth(0), table.rows.cell(row, 0)
        flags = int(Qt.TextFlag.TextWordWrap)
        room = QRect(0, 0, width - 16, 1_000)
        needed = table.fontMetrics().boundingRect(room, flags, text).height()
        assert table.rowHeight(row) >= needed, text
        is_wrapped.append(needed > table.fontMetrics().height())
    assert any(is_wrapped)
    header, line_px = table.horizontalHeader(), table.fontMetrics().height()
    header.setSectionResizeMode(3, QHeaderView.ResizeMode.Fixed)
    words_px = table.fontMetrics().horizontalAdvance(table.rows.cell(0, 0))
    for spare_px in (6, 10, 14, 18):  # the style pads a cell by 8 pixels at each side
        gone_px = table.columnWidth(0) - words_px - spare_px
        header.resizeSection(3, header.sectionSize(3) + gone_px)
        driver.qtbot.wait(20)
        assert table.columnWidth(0) == words_px + spare_px
        assert (table.rowHeight(0) >= 2 * line_px) == (spare_px < 16)
    window.pages.show_page("memory")
    window.pages.show_page("timing")
    driver.wait_until(table.isVisible)
    driver.qtbot.wait(50)
    assert header.length() == table.viewport().width(), "shown again as before"


def test_the_gradient_is_asked_for_by_its_box(driver: Driver, source: Path) -> None:
    plain = dataclasses.replace(build_capture(), transforms=("jit", "vmap"))
    driver.finish(driver.open(source), plain)
    box = driver.window.pages["timing"].gradient
    assert not box.isHidden()
    box.setChecked(True)
    driver.window.pages["timing"].measure()
    assert driver.wait_for(TimeRequest).request.gradient


def test_of_a_derivative_no_gradient_is_offered(driver: Driver, source: Path) -> None:
    box = driver.window.pages["timing"].gradient
    box.setChecked(True)
    driver.finish(driver.open(source), build_capture())
    assert box.isHidden()
    driver.window.pages["timing"].measure()
    assert not driver.wait_for(TimeRequest).request.gradient


def test_curves_grow_while_sizes_are_measured(driver: Driver, source: Path) -> None:
    driver.finish(driver.open(source), build_capture())
    page = driver.window.pages["scaling"]
    driver.window.pages.show_page("scaling")
    page.range.setText("x:0=8..32")
    page.button.click()
    run = driver.wait_for(ScalingRequest)
    points = tuple(ScalePoint(size, None, measured("jit")) for size in (8, 16))
    for count in (1, 2):
        run.tell(ResultGrew(Scaling("f(x)", BUSY, "x:0", points[:count])))
        driver.wait_until(lambda count=count: page.table.rows.rowCount() == count)
    assert driver.window.controller.state.is_running
    assert page.plot is not None
    assert "Noisy: " in page.heading.text()


def test_a_row_of_a_sorted_table_tells_of_its_own_measurement(driver: Driver, source: Path) -> None:
    driver.finish(driver.open(source), build_capture())
    window, page = driver.window, driver.window.pages["timing"]
    page.measure()
    sides = tuple(
        dataclasses.replace(measured(name), protocol=f"How {name} was measured.")
        for name in ("eager", "jit")
    )
    found = dataclasses.replace(timing("f(x)", HERE), measurements=sides)
    driver.wait_for(TimeRequest).tell(Finished(found))
    driver.wait_until(lambda: page.table.rows.rowCount() == 2)
    page.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    choose_row(page.table, 0)
    name = page.table.rows.cell(0, 0).split()[0]
    assert name != page.table.rows.cell(1, 0).split()[0]
    assert page.table.rows.place(0) == 1
    assert "How jit was measured." in page.protocol.text()
    driver.wait_until(lambda: not window.controller.state.is_running)


def test_with_large_type_what_a_row_is_keeps_room_and_only_the_verdict_is_a_heading(
    driver: Driver, source: Path
) -> None:
    window = driver.window
    window.resize(1280, 720)
    usual = window._themes.points
    window._themes.set_points(15)
    driver.finish(driver.open(source), build_capture())
    page = window.pages["timing"]
    page.measure()
    window.pages.go_to(Place.PROGRAM)  # as where a call was measured by itself
    told = timing("f(x)", BUSY, "Noisy for some reason.")
    device = {"device_seconds": 1e-5, "device_low": 1e-5, "device_high": 2e-5}
    rows = tuple(dataclasses.replace(each, **device) for each in told.measurements)
    driver.wait_for(TimeRequest).tell(Finished(dataclasses.replace(told, measurements=rows)))
    table = page.table
    driver.wait_until(lambda: table.rows.rowCount() == 2)
    window.pages.show_page("timing")
    driver.wait_until(lambda: table.columnWidth(0) >= 24 * table.fontMetrics().averageCharWidth())
    headings = [each for each in page.findChildren(QLabel) if each.property("role") == "heading"]
    assert not any("Noisy" in each.text() for each in headings) and "Noisy" in page.verdict_text
    window._themes.set_points(usual)
