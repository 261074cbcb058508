"""The page of devices: tables, the drawn cut, and the part of one device."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from jaxscope.ui.pages.sharding import ShardingPage
from jaxscope.ui.toolkit.result_table import choose_row
from jaxscope.ui.toolkit.theme import DARK, LIGHT
from jaxscope.ui.window.page_context import PageContext

from .conftest import Take


@pytest.fixture
def page(qtbot: QtBot, take: Take, page_context: PageContext) -> ShardingPage:
    page = ShardingPage(page_context)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.set_theme(LIGHT)
    page.show_capture(take("grad(loss)(weights(), f32[16, 32])"))
    page.show()
    qtbot.waitExposed(page)
    return page


def test_it_lists_arrays_parts_and_collectives(page: ShardingPage) -> None:
    assert page.heading.text() == "8 devices (cpu) in a mesh, data 2 × model 4"
    assert "Memory per device: arguments 3.50 KiB" in page.notes.text()
    assert page.arrays.rows.rowCount() == 5
    assert page.parts.rows.rowCount() == 4
    assert page.collectives.rows.rowCount() == 1
    assert "[0:32, 16:32] on 1, 5" in page.cut.accessibleDescription()


def test_another_array_is_drawn_when_it_is_chosen(page: ShardingPage) -> None:
    choose_row(page.arrays, 2)
    assert page.parts.rows.rowCount() == 2
    assert "[8:16, 0:32] on 4–7" in page.cut.accessibleDescription()


def test_a_click_on_a_part_marks_its_device(page: ShardingPage) -> None:
    choose_row(page.arrays, 2)
    before = page.cut.grab().toImage()
    upper = page.cut.part_at(QPointF(20, 30))
    places = [QPointF(20, y) for y in range(25, page.cut.height())]
    place = next(p for p in places if page.cut.part_at(p) not in (None, upper))
    QTest.mouseClick(page.cut, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert page.device.currentText() == "4: cpu 4"
    (row,) = {index.row() for index in page.parts.selectedIndexes()}
    assert page.parts.rows.row_text(row).startswith("1\t[8:16, 0:32]")
    assert page.cut.grab().toImage() != before


def test_a_collective_leads_to_its_instruction(
    page: ShardingPage, take: Take, page_context: PageContext
) -> None:
    selection = page_context.selection
    selection.set_stages(take("grad(loss)(weights(), f32[16, 32])").stages)
    choose_row(page.collectives, 0)
    assert isinstance(selection.place, tuple) and selection.place[0] == "optimized"


def test_it_is_drawn_in_both_themes(page: ShardingPage) -> None:
    light = page.cut.grab().toImage()
    page.set_theme(DARK)
    assert page.cut.grab().toImage() != light


def test_without_a_capture_it_says_what_there_will_be(page: ShardingPage) -> None:
    page.show_capture(None)
    assert not page.arrays.isVisible() and page.heading.text().endswith("?")


def test_one_device_is_told_what_to_choose(
    qtbot: QtBot, take: Take, page_context: PageContext
) -> None:
    page = ShardingPage(page_context)
    qtbot.addWidget(page)
    page.show_capture(take("alone(f32[4])", "cpu"))
    page.show()
    assert "cpu:8" in page.notes.text() and not page.collectives.isVisibleTo(page)
