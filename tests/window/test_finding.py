"""Searching in a pane, in each of its forms."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from jaxscope.model import SourceFile
from jaxscope.program.links import NodeSelection
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.canvas.graph_page import GraphPage
from jaxscope.ui.panes.highlight import PaneSearch
from jaxscope.ui.panes.pane_area import PaneArea
from jaxscope.ui.panes.pane_header import Form
from jaxscope.ui.panes.stage_pane import StagePane
from jaxscope.ui.selection.selection import SelectionModel
from jaxscope.ui.source.code_view import Mark
from jaxscope.ui.source.source_lines import SourceLines

from .programs import FILE, OPTIMIZED, SOURCE, build_graph, build_stage


@pytest.fixture
def pane(qtbot: QtBot) -> StagePane:
    selection = SelectionModel()
    area = PaneArea(lambda: GraphPage(GraphCanvas()), selection, SourceLines())
    selection.setParent(area)
    qtbot.addWidget(area)
    area.resize(700, 500)
    area.show()
    qtbot.waitExposed(area)
    pane = area.open_pane("optimized")
    assert pane is not None
    stage = build_stage("optimized", OPTIMIZED)
    selection.set_stages((stage,))
    pane.show_stage("optimized", stage)
    return pane


def listen(pane: StagePane) -> list[int]:
    """What is selected from now on, node by node."""
    told: list[int] = []
    selection = pane.window().findChild(SelectionModel)
    assert selection is not None

    def tell() -> None:
        if isinstance(selection.selection, NodeSelection):
            told.extend(selection.selection.nodes)

    selection.changed.connect(tell)
    return told


def type_search(qtbot: QtBot, pane: StagePane, text: str) -> None:
    pane.header.focus_search()
    pane.header.search.clear()
    qtbot.keyClicks(pane.header.search, text)


def test_hits_are_walked_in_a_circle() -> None:
    finding = PaneSearch()
    finding.find("co", build_graph(OPTIMIZED))
    hits = finding.nodes
    assert finding.describe(hits) == f"{len(hits)} found"
    first, second = finding.step(hits, 1), finding.step(hits, 1)
    assert [first, second] == hits[:2].tolist()
    assert finding.describe(hits) == f"2 of {len(hits)}"
    assert finding.step(hits, -1) == first
    assert finding.step(hits, -1) == hits[-1]
    assert finding.step(np.zeros(0, np.int32), 1) is None


def test_the_graph_lights_up_while_one_types(qtbot: QtBot, pane: StagePane) -> None:
    told = listen(pane)
    type_search(qtbot, pane, "op:cosine")
    assert pane.header.found_text == "1 found"
    assert told == []
    qtbot.keyClick(pane.header.search, Qt.Key.Key_Return)
    assert pane.header.found_text == "1 of 1"
    assert told == build_graph_nodes("cosine")


def test_what_is_found_has_a_mark_of_its_own(qtbot: QtBot, pane: StagePane) -> None:
    """Only a step to a hit selects it, and the others still look otherwise than it does."""
    canvas = pane.findChild(GraphCanvas)
    assert canvas is not None
    qtbot.waitUntil(lambda: canvas.scene is not None)
    type_search(qtbot, pane, "co")
    found = canvas._highlight.found
    assert len(found) > 1 and not len(canvas._highlight.selected)
    assert "found" in canvas.legend.names and "selected" not in canvas.legend.names
    qtbot.keyClick(pane.header.search, Qt.Key.Key_Return)
    light = canvas._highlight
    assert len(light.selected) == 1 and light.found.tolist() == found.tolist()
    assert {"found", "selected"} <= set(canvas.legend.names)
    pane.header.search.clear()
    qtbot.waitUntil(lambda: not len(canvas._highlight.found))


def build_graph_nodes(operation: str) -> list[int]:
    graph = build_graph(OPTIMIZED)
    return [n for n in range(len(graph.nodes)) if graph.node(n).operation == operation]


def test_each_hit_of_a_graph_comes_into_sight_though_others_are_there(
    qtbot: QtBot, pane: StagePane
) -> None:
    canvas = pane.canvas
    assert canvas is not None
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    type_search(qtbot, pane, "co")
    hits = pane.header.found_text.split()[0]
    seen = []
    for _ in range(int(hits)):
        canvas.zoom(8.0)  # so near that only one of them has room
        qtbot.keyClick(pane.header.search, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: not canvas.is_busy)
        item, scene = canvas.highlight.current, canvas.scene
        assert scene is not None
        x, y, width, height = scene.items.rect[item].tolist()
        centre = QPointF(*canvas.camera.to_widget(x + width / 2, y + height / 2))
        assert canvas.rect().contains(centre.toPoint())
        seen.append(item)
    assert len(set(seen)) > 1


def test_the_table_shows_only_hits(qtbot: QtBot, pane: StagePane) -> None:
    pane.set_form(Form.TABLE)
    everything = pane.table.nodes.rowCount()
    type_search(qtbot, pane, "op:cosine")
    assert pane.table.nodes.rowCount() == 1
    pane.header.search.clear()
    assert pane.table.nodes.rowCount() == everything


def test_the_text_marks_lines_of_hits_and_goes_to_them(qtbot: QtBot, pane: StagePane) -> None:
    pane.set_form(Form.TEXT)
    type_search(qtbot, pane, "op:cosine")
    (line,) = [line for line, mark in pane.code.marks.items() if mark is Mark.FOUND]
    assert "cosine" in pane.code.lines[line]
    told = listen(pane)
    qtbot.keyClick(pane.header.search, Qt.Key.Key_Return)
    assert told == build_graph_nodes("cosine")


def test_the_source_is_searched_as_text(qtbot: QtBot, pane: StagePane) -> None:
    pane.show_source(SourceFile(FILE, SOURCE, ""))
    type_search(qtbot, pane, "/^def|return/")
    assert sorted(pane.code.marks) == [3, 5]
    type_search(qtbot, pane, "y * 2")
    assert sorted(pane.code.marks) == [5]


def test_a_broken_search_says_why_and_escape_ends_it(qtbot: QtBot, pane: StagePane) -> None:
    type_search(qtbot, pane, "/(/")
    assert pane.header.found_text == "not searched"
    assert "broken" in pane.header.search.toolTip()
    qtbot.keyClick(pane.header.search, Qt.Key.Key_Escape)
    assert pane.header.search.text() == ""
    assert pane.header.found_text == ""


def test_a_search_in_the_text_that_takes_too_long_is_stopped(qtbot: QtBot, pane: StagePane) -> None:
    pane.show_source(SourceFile(FILE, "# " + "a" * 200 + "b", ""))
    type_search(qtbot, pane, "/(a|aa)+$/")
    assert "takes too long" in pane.header.search.toolTip()
    assert not pane.code.marks


def test_escape_gives_the_keyboard_back_to_what_is_searched(qtbot: QtBot, pane: StagePane) -> None:
    """A second one would put the selection away, and arrow keys went nowhere."""
    for text in ("dot", ""):
        type_search(qtbot, pane, text)
        assert pane.window().focusWidget() is pane.header.search
        qtbot.keyClick(pane.header.search, Qt.Key.Key_Escape)
        assert pane.header.search.text() == ""
        assert pane.window().focusWidget() is pane.canvas
