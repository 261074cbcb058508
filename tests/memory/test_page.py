"""The page of memory, with a real capture and without a window around it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from jaxscope.model import NONE, is_available
from jaxscope.ui.figures.plots import StepAxis
from jaxscope.ui.pages.memory import MemoryPage
from jaxscope.ui.toolkit.result_table import choose_row
from jaxscope.ui.toolkit.theme import DARK, LIGHT
from jaxscope.ui.window.page_context import PageContext

from .conftest import Take

CALL = "grad(loss)([f32[64, 64]] * 4, f32[256, 64])"


@pytest.fixture
def page(qtbot: QtBot, take: Take, page_context: PageContext) -> Iterator[MemoryPage]:
    page = MemoryPage(page_context)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.show_capture(take(CALL))
    page.show()
    qtbot.waitUntil(lambda: page.alive.rows.rowCount() > 0)
    yield page


def test_it_opens_at_the_peak_with_the_largest_on_top(page: MemoryPage) -> None:
    assert "the peak" in page.step_title.text()
    assert page.alive.rows.index(0, 0).data() == "64.0 KiB"
    assert "by XLA's plan" in page.heading.text()
    assert "in use at a time" in page.notes.text()
    for label in (page.heading, page.notes):  # how that was found is told where one asks
        assert "computed from the scheduled module" in label.toolTip()
    assert "computed" not in page.notes.text() and "No layout pads" not in page.notes.text()


def test_a_click_on_the_plot_chooses_the_step(page: MemoryPage, qtbot: QtBot) -> None:
    box = page.plot.plot.getPlotItem().vb
    place = box.mapViewToScene(QPointF(3.5, 1000.0))
    assert page.plot.step_at(place) == 3
    page.choose_step(page.plot.step_at(place))
    assert page.step_title.text().startswith("Step 3 (they count from 0 to ")
    page.to_peak.click()
    assert "the peak" in page.step_title.text()


def test_all_steps_of_another_program_are_seen(page: MemoryPage, take: Take, qtbot: QtBot) -> None:
    def num_steps() -> int:
        assert page.plot._live is not None
        return len(page.plot._live.steps)

    counts = [num_steps()]
    for call in ("pair(f32[4])", CALL):
        page.show_capture(take(call))
        qtbot.waitUntil(functools.partial(lambda old: page.plot._live is not old, page.plot._live))
        qtbot.waitUntil(lambda: page.plot._live is not None)
        left, right = page.plot.plot.getPlotItem().vb.viewRange()[0]
        counts.append(num_steps())
        assert left <= 0.0
        assert counts[-1] <= right < counts[-1] + 1.0
    assert counts[0] == counts[2] > counts[1]


def test_a_step_that_is_not_there_changes_nothing(page: MemoryPage) -> None:
    before = page.step_title.text()
    page.choose_step(-1)
    page.choose_step(10**9)
    assert page.step_title.text() == before


def test_a_row_leads_to_its_node(page: MemoryPage, take: Take, page_context: PageContext) -> None:
    selection = page_context.selection
    selection.set_stages(take(CALL).stages)
    choose_row(page.alive, 0)
    assert isinstance(selection.place, tuple) and selection.place[0] == "optimized"
    choose_row(page.kept, 0)
    assert isinstance(selection.place, tuple) and selection.place[0] == "grad"


def test_what_is_not_alive_at_the_step_is_told_and_led_to(
    page: MemoryPage, take: Take, page_context: PageContext
) -> None:
    """By the schedule of XLA's own text: the value is made at one step and last read at another."""
    selection, optimized = page_context.selection, take(CALL).stage("optimized")
    selection.set_stages(take(CALL).stages)
    live = page._live()
    assert live is not None and optimized is not None and is_available(optimized.text)
    value = next(b for b in live.buffers if b.kind == "temporary" and b.start > 0)
    name = live.graph.name(value.node)
    lines = optimized.text.text.partition("ENTRY ")[2].splitlines()[1:]
    first, *_, last = (n for n, line in enumerate(lines) if re.search(rf"%{name}\b", line))
    assert (value.start, value.end) == (first, last)
    page.choose_step(0)
    assert page.elsewhere.isHidden() and page.to_value.isHidden()
    selection.select_nodes("optimized", (value.node,))
    told = f"{name} is alive from step {value.start} to {value.end}; shown: step 0."
    assert page.elsewhere.text() == told
    page.to_value.click()
    assert page.step_title.text().startswith(f"Step {value.start} ")
    assert page.elsewhere.isHidden() and page.to_value.isHidden()
    for step in (value.end, value.end + 1):
        page.choose_step(step)
        assert page.elsewhere.isHidden() == (step == value.end)
    inside = next(
        node for node, group in enumerate(live.graph.nodes.group.tolist())
        if group != NONE and live.graph.operation(node) == "multiply"
    )  # fmt: skip
    selection.select_nodes("optimized", (inside,))
    assert "no memory of its own" in page.elsewhere.text() and page.to_value.isHidden()
    selection.clear()
    assert page.elsewhere.isHidden()


def test_tabs_without_content_are_not_there(page: MemoryPage) -> None:
    shown = [page.tabs.tabText(n) for n in range(4) if page.tabs.isTabVisible(n)]
    assert [title.split(" (")[0] for title in shown] == [
        "Alive",
        "Kept for the backward part, in the jaxpr",
    ]


def test_another_capture_and_none(page: MemoryPage, take: Take, qtbot: QtBot) -> None:
    page.show_capture(take("captured(f32[4])"))
    qtbot.waitUntil(lambda: page.constants.rows.rowCount() == 1)
    page.set_theme(DARK)
    page.set_theme(LIGHT)
    page.show_capture(None)
    assert page.heading.text() == "How much memory does it need, when, and for what?"


def test_nothing_is_looked_for_before_the_page_is_seen(
    qtbot: QtBot, take: Take, page_context: PageContext
) -> None:
    page = MemoryPage(page_context)
    qtbot.addWidget(page)
    page.show_capture(take(CALL))
    assert page.alive.rows.rowCount() == 0
    page.show()
    qtbot.waitUntil(lambda: page.alive.rows.rowCount() > 0)


@pytest.mark.parametrize("num_steps", [1, 2, 6, 60, 700, 123_456])
def test_the_axis_names_whole_steps_in_the_middle_of_each(qapp: object, num_steps: int) -> None:
    del qapp
    axis = StepAxis("bottom")
    ((_, values),) = axis.tickValues(0.0, float(num_steps), 560.0)
    numbers = [int(text.replace(",", "")) for text in axis.tickStrings(values, 1.0, 1.0)]
    assert [number + 0.5 for number in numbers] == values
    assert numbers[0] == 0 and numbers[-1] < num_steps
    assert 1 <= len(numbers) <= 10
