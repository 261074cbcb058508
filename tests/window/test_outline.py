"""The outline of a graph, in step with everything else."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from jaxscope.model import Cost, Graph, GraphBuilder, GroupKind, NodeKind, Stage, StageText
from jaxscope.picture.view.build import build_view
from jaxscope.schema.archive import save_capture
from jaxscope.ui.panes.outline import OutlineModel, OutlineView
from jaxscope.ui.panes.pane_header import Form
from jaxscope.ui.window.main_window import MainWindow
from view.programs import layers, outline, trace

from .conftest import Driver
from .programs import build_capture


@pytest.fixture(scope="module")
def graph() -> Graph:
    function, arguments = layers(3)
    return trace(jax.grad(function), *arguments)


def test_the_model_is_sound_and_has_the_boxes_of_the_graph(qtmodeltester, graph: Graph) -> None:
    model, view = OutlineModel(), build_view(graph)
    model.set_view(view)
    qtmodeltester.check(model)
    top = [model.index(row, 0).data() for row in range(model.rowCount())]
    drawn = outline(view, frozenset())
    assert top == [line.removeprefix("+ ").removeprefix("- ") for line in drawn]


def test_rows_say_what_they_are_and_what_they_take() -> None:
    view = build_view(trace(lambda x: jnp.sin(x) * 2.0, jnp.ones(3)))
    model = OutlineModel()
    model.set_view(view)
    spoken = [
        model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole)
        for row in range(model.rowCount())
    ]
    assert any(text.startswith("sin") and "f32[3]" in text and "takes " in text for text in spoken)


def test_a_selection_is_shown_in_its_branch_and_told_when_chosen(
    qtbot: QtBot, graph: Graph
) -> None:
    view = OutlineView()
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    view.set_graph(graph, None)
    view.collapseAll()
    told: list[int] = []
    view.node_chosen.connect(told.append)
    node = next(n for n in range(len(graph.nodes)) if graph.node(n).operation == "tanh")
    view.choose([node])
    assert told == []
    assert view.boxes.node_at(view.currentIndex()) == node
    assert view.isExpanded(view.currentIndex().parent()), "its branch was opened"
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert told == [view.boxes.node_at(view.currentIndex())]


def _open(driver: Driver, graph: Graph, folder: Path) -> None:
    stage = Stage("jaxpr", "jaxpr", StageText.plain(""), graph, Cost(), 0.0)
    path = folder / "kept.jaxscope"
    save_capture(dataclasses.replace(build_capture(), stages=(stage,)), path)
    driver.window.open_path(str(path))
    driver.wait_until(lambda: driver.window.controller.state.is_view_only)


def _first_branch(tree: OutlineView) -> QModelIndex:
    rows = (tree.boxes.index(row, 0) for row in range(tree.boxes.rowCount()))
    return next(each for each in rows if tree.boxes.hasChildren(each))


def test_an_outline_chosen_before_there_was_a_stage_leads_its_graph(
    driver: Driver, window: MainWindow, graph: Graph, tmp_path: Path
) -> None:
    area = window.workspace.area
    first = next(pane for pane in area.panes if pane.wanted_stage == "jaxpr")
    twin = area.open_pane("jaxpr")
    assert twin is not None
    twin.prefer_form(Form.TREE)
    QTest.qWait(50)  # what opening the pane begins is over
    assert not any(pane.has_outline for pane in area.panes)
    _open(driver, graph, tmp_path)
    canvas = first.canvas
    assert canvas is not None
    driver.wait_until(lambda: canvas.scene is not None and twin.has_outline)
    canvas.collapse_all()
    driver.wait_until(lambda: not canvas.is_busy and twin.outline.opened() == frozenset())
    twin.outline.expand(_first_branch(twin.outline))
    driver.wait_until(lambda: not canvas.is_busy and len(canvas.scene.opened) == 1)


def test_an_outline_and_its_graph_are_open_and_closed_together(
    driver: Driver, window: MainWindow, graph: Graph, tmp_path: Path
) -> None:
    _open(driver, graph, tmp_path)
    area = window.workspace.area
    first = next(pane for pane in area.panes if pane.wanted_stage == "jaxpr")
    twin = area.open_pane("jaxpr")
    assert twin is not None
    twin.set_form(Form.TREE)
    canvas, tree = first.canvas, twin.outline
    assert canvas is not None
    driver.wait_until(lambda: canvas.scene is not None and tree.opened() == canvas.expanded)
    canvas.expand_all()
    driver.wait_until(lambda: not canvas.is_busy and tree.opened() == canvas.expanded)
    assert canvas.expanded == canvas.view.all_groups()
    canvas.collapse_all()
    driver.wait_until(lambda: not canvas.is_busy and tree.opened() == frozenset())
    branch = _first_branch(tree)
    tree.expand(branch)
    driver.wait_until(lambda: not canvas.is_busy and len(canvas.scene.opened) == 1)
    assert tree.opened() == canvas.expanded
    tree.collapse(branch)
    driver.wait_until(lambda: not canvas.is_busy and not canvas.scene.opened)
    canvas.expand_many()
    twin.set_form(Form.TEXT)
    canvas.collapse_all()
    driver.wait_until(lambda: not canvas.is_busy)
    twin.set_form(Form.TREE)
    driver.wait_until(lambda: tree.opened() == frozenset())


def test_thousands_of_branches_open_at_once(qtbot: QtBot) -> None:
    builder = GraphBuilder()
    for number in range(3_000):
        group = builder.add_group(f"g{number}", GroupKind.JAXPR, f"part {number}")
        for step in range(2):
            builder.add_node(f"{number}/{step}", NodeKind.EQUATION, "add", group=group)
    view = OutlineView()
    qtbot.addWidget(view)
    view.show()
    built = build_view(builder.build(), ["box-repeats"])
    view.set_graph(built.graph, built)
    view.follow(built, built.all_groups())
    assert view.opened() == built.all_groups()
    view.follow(built, frozenset())
    assert view.opened() == frozenset()
