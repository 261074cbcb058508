"""The outline of a graph, in step with everything else."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from view.programs import layers, outline, trace

from jaxscope.analysis.view.build import build_view
from jaxscope.model import Graph
from jaxscope.ui.panes.outline_model import OutlineModel
from jaxscope.ui.panes.outline_view import OutlineView


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
    view.choose(node)
    assert told == []
    assert view.boxes.node_at(view.currentIndex()) == node
    assert view.isExpanded(view.currentIndex().parent()), "its branch was opened"
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert told == [view.boxes.node_at(view.currentIndex())]
