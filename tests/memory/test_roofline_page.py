"""The page of the roofline, and both pages in a window."""

from __future__ import annotations

import csv
import dataclasses
import math
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph
import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from jaxscope.model import Stage, is_available
from jaxscope.model.timing import Measurement
from jaxscope.program.links import NodeSelection
from jaxscope.ui.pages import roofline
from jaxscope.ui.pages.roofline import RooflinePage
from jaxscope.ui.toolkit.theme import DARK
from jaxscope.ui.window.page_context import PageContext

from .conftest import Take
from .test_roofline import make_ceilings

CALL = "grad(loss)([f32[64, 64]] * 4, f32[256, 64])"


@pytest.fixture
def stage(take: Take) -> Stage:
    found = take(CALL).stage("optimized")
    assert found is not None
    return found


@pytest.fixture
def page(qtbot: QtBot, stage: Stage, page_context: PageContext) -> Iterator[RooflinePage]:
    page = RooflinePage(page_context)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.show()
    page.show_program(stage, make_ceilings())
    yield page


def test_every_point_has_a_row(page: RooflinePage) -> None:
    assert page.table.rows.rowCount() == len(page.points) > 10
    assert "Measured on here" in page.notes.text()
    assert "1 byte" not in page.heading.text()
    assert page.heading.text().startswith("Memory bounds")


def test_without_ceilings_there_is_a_table_and_how_to_get_them(
    page: RooflinePage, stage: Stage
) -> None:
    page.show_program(stage, None)
    assert page.plot.isHidden()
    assert page.table.rows.rowCount() > 10
    assert "Measure this machine" in page.notes.text()


def test_a_row_leads_to_its_nodes(
    page: RooflinePage, stage: Stage, page_context: PageContext
) -> None:
    page_context.selection.set_stages((stage,))
    page.table.choose(0)
    assert {index.row() for index in page.table.selectedIndexes()} == {0}
    assert page.points[0].nodes
    assert page_context.selection.graph_of("optimized") is stage.graph
    selected = page_context.selection.selection
    assert isinstance(selected, NodeSelection)
    assert (selected.stage, tuple(selected.nodes)) == ("optimized", tuple(page.points[0].nodes))


def test_a_point_near_the_pointer_leads_to_its_row(page: RooflinePage) -> None:
    number, x, y = page.plot._marks[0]
    box = page.plot.plot.getPlotItem().vb
    place = box.mapViewToScene(QPointF(x, y))
    near = page.plot.point_at(place)
    page.plot.point_chosen.emit(number)
    row = page.table.selectedIndexes()[0].row()
    assert page.table.rows.index(row, 7).data() == page.points[number].name
    assert abs(page.points[near].intensity - page.points[number].intensity) < 1.0


def test_measured_points_lie_at_what_was_measured(page: RooflinePage, stage: Stage) -> None:
    assert is_available(stage.graph)
    seconds = np.full(len(stage.graph.nodes), 1e-3)
    timed = dataclasses.replace(stage, graph=stage.graph.replace_nodes(seconds=seconds))
    page.show_program(timed, make_ceilings())
    number, _, y = page.plot._marks[0]
    assert 10.0**y == pytest.approx(page.points[number].flops / 1e-3)
    assert "faster than these ceilings" not in page.notes.text()


def test_points_above_the_roof_are_explained(page: RooflinePage, stage: Stage) -> None:
    assert is_available(stage.graph)
    seconds = np.full(len(stage.graph.nodes), 1e-9)
    timed = dataclasses.replace(stage, graph=stage.graph.replace_nodes(seconds=seconds))
    page.show_program(timed, make_ceilings())
    assert "faster than these ceilings allow" in page.notes.text()


def test_a_call_faster_than_its_kernels_at_best_is_told(page: RooflinePage, stage: Stage) -> None:
    assert "how busy the machine was then is not known" in page.notes.text()
    fast, slow = (
        Measurement("jit", run_s, run_s, run_s, math.nan, 1, (run_s,), False)
        for run_s in (1e-9, 1.0)
    )
    page.show_program(stage, make_ceilings(), None, slow)
    assert "The call was measured" not in page.notes.text()
    assert page.heading.text().startswith("Memory bounds")
    page.show_program(stage, make_ceilings(), None, fast)
    assert "The call was measured in 1.00 ns" in page.notes.text()
    assert page.heading.text().startswith("What bounds the kernels is not known")


def test_lines_and_scopes(page: RooflinePage, stage: Stage) -> None:
    page.choice.setCurrentIndex(1)
    assert any(point.name.startswith("programs.py:") for point in page.points)
    page.set_theme(DARK)
    page.choice.setCurrentIndex(2)
    assert page.table.rows.rowCount() == len(page.points) >= 1


def test_exports_hold_what_is_shown(page: RooflinePage, tmp_path: Path) -> None:
    page.write_to(str(tmp_path / "r.csv"))
    rows = list(csv.reader((tmp_path / "r.csv").read_text().splitlines()))
    assert len(rows) == len(page.points) + 1
    page.write_to(str(tmp_path / "r.png"))
    assert (tmp_path / "r.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(OSError, match="No such file"):
        page.write_to(str(tmp_path / "nowhere" / "r.csv"))


def test_no_program_is_no_roofline(page: RooflinePage) -> None:
    page.show_program(None, None)
    assert not page.export.isVisible()
    assert page.points == ()


def test_a_large_program_is_looked_into_on_a_thread(
    qtbot: QtBot,
    stage: Stage,
    page_context: PageContext,
    page: RooflinePage,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(roofline, "_INLINE_NODES", 1)
    threads, find = list[threading.Thread](), roofline.find_roofline

    def note(*about: Any) -> Any:
        threads.append(threading.current_thread())
        return find(*about)

    monkeypatch.setattr(roofline, "find_roofline", note)
    inverted = list[
        object
    ]()  # by pyqtgraph, of a plot without size, in a way that NumPy deprecates
    monkeypatch.setattr(pyqtgraph.functions, "_pinv_fallback", inverted.append)
    large = RooflinePage(page_context)
    qtbot.addWidget(large)
    large.show()
    large.show_program(stage, make_ceilings())
    assert large.heading.text() == "Finding out what each kernel does …"
    assert large.points == ()
    qtbot.waitUntil(lambda: len(large.points) > 0)
    assert str(large.points) == str(page.points)  # some of it is not a number
    assert large.heading.text() == page.heading.text()
    assert threads != [] and threading.main_thread() not in threads
    assert inverted == []


def test_what_could_not_be_found_out_is_told(
    qtbot: QtBot, stage: Stage, page_context: PageContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_about: object) -> None:
        raise ValueError("no such thing")

    monkeypatch.setattr(roofline, "_INLINE_NODES", 1)
    monkeypatch.setattr(roofline, "find_roofline", fail)
    page = RooflinePage(page_context)
    qtbot.addWidget(page)
    page.show()
    page.show_program(stage, None)
    qtbot.waitUntil(lambda: "no such thing" in page.notes.text())
