"""Equations told by what they compute: in the inspector, and in tables of what they cost."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from jaxscope.model import Cost, Stage, StageText, Unavailable
from jaxscope.program.equation_text import equation_text, short_equation_names
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import build_graph
from .test_window import capture_of

PROGRAM = """
in x x
eqn 0 sin <x line=5
eqn 1 mul <0,x line=6
eqn 2 mul <1,0
"""


def stage_of(text: str, line_nodes: list[int]) -> Stage:
    lines = StageText(text, np.asarray(line_nodes, np.int32))
    return Stage("jaxpr", "jaxpr", lines, build_graph(PROGRAM), Cost(0.0, 0.0, 0.0), 0.0)


def test_equations_are_named_by_result_operation_and_line():
    assert short_equation_names(build_graph(PROGRAM)) == {
        "0": "0 = sin · model.py:5",
        "1": "1 = mul · model.py:6",
        "2": "2 = mul",
    }


def test_names_that_are_the_same_are_told_apart_by_number():
    graph = build_graph("eqn 0 sin line=5\neqn 1 sin line=5")
    names = graph.nodes.name.copy()
    names[:] = names[0]
    object.__setattr__(graph.nodes, "name", names)
    assert short_equation_names(graph) == {
        "0": "0 = sin · model.py:5 (equation 0)",
        "1": "0 = sin · model.py:5 (equation 1)",
    }


def test_an_equation_reads_as_jax_prints_it():
    stage = stage_of("let\n  b:f32[3] = sin a\n  c:f32[3] = mul b a", [-1, 1, 2])
    assert equation_text(stage, 1) == "b:f32[3] = sin a"


def test_an_equation_of_many_lines_or_without_a_text_is_put_together():
    stage = stage_of("let\n  b:f32[3] = sin[\n    accuracy=None\n  ] a", [-1, 1, 1, 1])
    assert equation_text(stage, 1) == "0:f32[3] = sin x"
    assert equation_text(stage, 2) == "1:f32[3] = mul 0 x"
    bare = Stage("jaxpr", "jaxpr", Unavailable("No text."), stage.graph, stage.cost, 0.0)
    assert equation_text(bare, 3) == "2:f32[3] = mul 1 0"


def told(window: MainWindow) -> str:
    """What the inspector says."""
    return window.workspace.inspector.page.toPlainText().replace("\u200b", "")


def test_the_inspector_tells_the_equations_that_an_instruction_comes_from(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    window.workspace.selection.select_node("optimized", 2)
    said = told(window)
    assert "comes from" in said and "by way of" in said and "lowered from" not in said
    assert "eqn 0 sin <x line=5" not in said, "no line of another notation"
    assert "0:f32[3] = sin x\nof jaxpr" in said
    assert "2:f32[3] = mul 1 0\nof grad" in said
    html = window.workspace.inspector.page.toHtml()
    assert 'href="node:jaxpr:1"' in html and 'href="node:grad:3"' in html


def test_an_equation_of_a_transform_names_the_equation_of_the_program(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    window.workspace.selection.select_node("grad", 1)
    assert "0:f32[3] = sin x\nof jaxpr" in told(window)
    assert "by way of" not in told(window)
    window.workspace.selection.select_node("jaxpr", 1)
    assert "comes from" not in told(window)
