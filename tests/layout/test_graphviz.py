"""Groups laid out by Graphviz keep what every layout keeps, and fall back where it is unfit."""

from __future__ import annotations

import shutil
import stat
import time
from pathlib import Path

import pytest
from hypothesis import given, settings

from jaxscope.model import Unavailable
from jaxscope.picture.layout import engines
from jaxscope.picture.layout.diagram import Diagram, DiagramEdge, Drawing, LayoutStopped, Spacing
from jaxscope.picture.layout.engines import find_graphviz, layout_by_graphviz

from .test_layered import assert_well_drawn, diagrams

PROGRAM = shutil.which("dot") or ""
needs_dot = pytest.mark.skipif(not PROGRAM, reason="needs Graphviz (apt-get install graphviz)")


def never() -> bool:
    return False


def impostor(tmp_path: Path, script: str) -> str:
    """A program that stands in for `dot`."""
    path = tmp_path / "dot"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def chain(num_nodes: int) -> Diagram:
    links = [DiagramEdge(i, i + 1) for i in range(num_nodes - 1)]
    return Diagram([60.0] * num_nodes, [30.0] * num_nodes, links)


@needs_dot
@settings(max_examples=40)
@given(diagrams())
def test_nothing_overlaps_and_every_line_arrives(diagram: Diagram) -> None:
    drawing = layout_by_graphviz(diagram, Spacing(), PROGRAM, never)
    if isinstance(drawing, Unavailable):
        assert "long" in drawing.reason
        return
    assert_well_drawn(diagram, drawing)
    for link in diagram.links:
        assert drawing.y[link.source] < drawing.y[link.target]


@needs_dot
@settings(max_examples=25)
@given(diagrams(is_cyclic=True))
def test_cycles_loops_and_ports_do_no_harm(diagram: Diagram) -> None:
    drawing = layout_by_graphviz(diagram, Spacing(), PROGRAM, never)
    if isinstance(drawing, Drawing):
        assert_well_drawn(diagram, drawing)


@needs_dot
@settings(max_examples=20)
@given(diagrams())
def test_long_edges_become_stubs_here_too(diagram: Diagram) -> None:
    drawing = layout_by_graphviz(diagram, Spacing(max_span=2), PROGRAM, never)
    if isinstance(drawing, Drawing):
        assert_well_drawn(diagram, drawing)


def test_the_program_is_looked_for_where_programs_are() -> None:
    assert find_graphviz() == (PROGRAM or None)


def test_what_is_too_large_is_not_even_tried() -> None:
    found = layout_by_graphviz(chain(engines.MAX_NODES + 1), Spacing(), "/no/such/dot", never)
    assert isinstance(found, Unavailable) and "too large" in found.reason


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 3", "failed"),
        ("echo nonsense", "could not be read"),
        ("echo 'node n0 nan 0'", "could not be read"),
        ("echo 'node n7 0 0'", "could not be read"),
        ("echo 'node n0 0 0'; echo 'node n1 0 0'; echo 'node n2 0 0'", "wrong way round"),
    ],
)
def test_a_broken_graphviz_is_named_as_the_reason(tmp_path: Path, script: str, words: str) -> None:
    program = impostor(tmp_path, f"cat > /dev/null; {script}")
    found = layout_by_graphviz(chain(3), Spacing(), program, never)
    assert isinstance(found, Unavailable)
    assert words in found.reason


def test_a_missing_program_is_a_reason() -> None:
    found = layout_by_graphviz(chain(3), Spacing(), "/no/such/dot", never)
    assert isinstance(found, Unavailable) and "could not be started" in found.reason


def test_a_slow_one_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "TIME_LIMIT_S", 0.2)
    program = impostor(tmp_path, "exec sleep 60")
    before = time.monotonic()
    found = layout_by_graphviz(chain(3), Spacing(), program, never)
    assert isinstance(found, Unavailable) and "more than" in found.reason
    assert time.monotonic() - before < 30


def test_it_stops_when_it_is_told_to(tmp_path: Path) -> None:
    program = impostor(tmp_path, "exec sleep 60")
    with pytest.raises(LayoutStopped):
        layout_by_graphviz(chain(3), Spacing(), program, lambda: True)
