"""What each equation, line and scope costs before and after optimization."""

from __future__ import annotations

import dataclasses

import jax
import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from jaxscope.model import Capture, Graph, Unavailable
from jaxscope.program.cost.attribution import (
    NO_ORIGIN,
    CostChange,
    CostRow,
    RowKind,
    find_cost_change,
    share_out,
)
from jaxscope.program.cost.trip_counts import find_trip_counts
from jaxscope.program.links import NodeSelection
from jaxscope.program.roofline import Roofline, find_roofline
from jaxscope.report.diff import cost_change_to_json, cost_change_to_section
from jaxscope.report.document import write_text
from jaxscope.ui.pages.roofline import BOTH, RECEIVED, RooflinePage
from jaxscope.ui.toolkit.result_table import choose_row
from jaxscope.ui.window.page_context import PageContext

from .conftest import Take
from .test_roofline import make_ceilings

LOSS = "grad(loss)([f32[64, 64]] * 4, f32[256, 64])"


def change_of(capture: Capture, by: RowKind) -> CostChange:
    found = find_cost_change(capture, by)
    assert isinstance(found, CostChange)
    return found


def row_of(change: CostChange, what: str) -> CostRow:
    (row,) = [row for row in change.rows if row.what == what]
    return row


@pytest.mark.parametrize("by", list(RowKind))
def test_rows_add_up_to_xlas_count_of_both_modules(take: Take, by: RowKind) -> None:
    capture = take(LOSS)
    change = change_of(capture, by)
    for stage, cost in (("hlo", change.before), ("optimized", change.after)):
        found = capture.stage(stage)
        assert found is not None
        assert cost.flops == pytest.approx(found.cost.flops)
        assert cost.bytes_accessed == pytest.approx(found.cost.bytes_accessed, abs=64)
        assert cost.transcendentals == pytest.approx(found.cost.transcendentals)


def test_a_scan_counts_its_length_before_optimization_as_well(take: Take) -> None:
    capture = take("scanned(f32[7, 16, 16], f32[4, 16])")
    product = row_of(change_of(capture, RowKind.EQUATION), "dot_general")
    assert product.rounds == 7
    assert product.before.cost.flops == product.after.cost.flops == 7 * 2 * 4 * 16 * 16
    assert any("as often as the loop runs" in n for n in change_of(capture, RowKind.EQUATION).notes)


def test_a_function_that_is_called_twice_is_no_loop(take: Take) -> None:
    capture = take("twice(f32[64])")
    change = change_of(capture, RowKind.EQUATION)
    assert max(row.rounds for row in change.rows) == 2
    assert not any("loop" in note for note in change.notes)


def test_a_stage_that_has_more_bytes_than_its_rows_says_why(take: Take) -> None:
    for call, kernels, has_tuple in (("pair(f32[2])", 2, True), ("twice(f32[64])", 1, False)):
        capture = take(call)
        change = change_of(capture, RowKind.LINE)
        stage = capture.stage("optimized")
        assert stage is not None
        size = 2 if has_tuple else 64
        assert change.after.bytes_accessed == pytest.approx(kernels * 2 * size * 4)
        # XLA counts 8 bytes of a pointer, since JAX 0.12 it counts 4.
        pointer = (stage.cost.bytes_accessed - change.after.bytes_accessed) / 2
        assert pointer in ((4.0, 8.0) if has_tuple else (0.0,))
        assert any("pointers of tuples" in note for note in change.notes) is has_tuple


def test_the_bytes_of_a_stage_are_those_that_xla_counts(take: Take) -> None:
    stage = take("pair(f32[2])").stage("optimized")
    assert stage is not None
    pair = jax.jit(lambda x: (x + 1, x * 2)).lower(np.ones(2, np.float32))
    assert stage.cost.bytes_accessed == pair.compile().cost_analysis()["bytes accessed"]


def test_what_fusing_spares_is_spared_by_those_that_are_fused(take: Take) -> None:
    change = change_of(take("loss([f32[64, 64]] * 2, f32[256, 64])"), RowKind.EQUATION)
    square = row_of(change, "integer_pow")
    assert 0 < square.after.cost.bytes_accessed < square.before.cost.bytes_accessed
    assert square.after.cost.flops == square.before.cost.flops == 256 * 64


def test_lines_hold_what_their_equations_do(take: Take) -> None:
    capture = take(LOSS)
    lines = change_of(capture, RowKind.LINE)
    assert {row.name.partition(":")[0] for row in lines.rows} <= {
        "model.py",
        NO_ORIGIN,
    } or lines.rows
    assert row_of_name(lines, NO_ORIGIN).after.cost.flops == 0


def row_of_name(change: CostChange, name: str) -> CostRow:
    (row,) = [row for row in change.rows if row.name == name]
    return row


def test_a_loop_of_unknown_length_counts_once_and_is_said_to(take: Take) -> None:
    capture = take("looped(f32[8, 8])")
    graphs = [stage.graph for stage in capture.stages if stage.name == "hlo"]
    assert isinstance(graphs[0], Graph)
    assert share_out(graphs[0], RowKind.EQUATION).num_unbounded == 1
    trips = find_trip_counts(capture)
    assert list(trips.values()) == [10]
    assert share_out(graphs[0], RowKind.EQUATION, trips).num_unbounded == 0


def test_each_equation_has_a_point_under_the_roof(take: Take) -> None:
    capture = take(LOSS)
    for name in ("hlo", "optimized"):
        found = find_roofline(capture.stage(name), find_trip_counts(capture))
        assert isinstance(found, Roofline)
        total = sum(point.flops for point in found.equations)
        assert total == pytest.approx(sum(point.flops for point in found.kernels))


def test_text_and_json_tell_the_same(take: Take) -> None:
    change = change_of(take(LOSS), RowKind.LINE)
    text = write_text([cost_change_to_section(change, "by line")])
    assert "FLOPs before" in text and "Optimizing turned" in text
    told = cost_change_to_json(change)
    assert len(told["rows"]) == len(change.rows)
    equations = change_of(take(LOSS), RowKind.EQUATION)
    assert " = dot_general · programs.py:" in write_text(
        [cost_change_to_section(equations, "by equation")]
    )
    ids = {row["name"] for row in cost_change_to_json(equations)["rows"]} - {NO_ORIGIN}
    assert ids and all(" " not in id for id in ids), "programs read ids"
    assert told["before"]["flops"] == change.before.flops
    missing = Unavailable("XLA failed.")
    assert cost_change_to_json(missing)["unavailable"] == "XLA failed."
    assert "XLA failed." in write_text([cost_change_to_section(missing, "by line")])


def test_what_is_not_counted_is_no_zero(take: Take) -> None:
    capture = take(LOSS)
    stage = capture.stage("hlo")
    assert stage is not None and isinstance(stage.graph, Graph)
    graph = stage.graph
    costs = graph.nodes.cost.copy()
    is_dot = [graph.operation(n) == "dot" for n in range(len(graph.nodes))]
    costs[is_dot] = np.nan
    uncounted = dataclasses.replace(
        stage, graph=dataclasses.replace(graph, nodes=dataclasses.replace(graph.nodes, cost=costs))
    )
    stages = [uncounted if each.name == "hlo" else each for each in capture.stages]
    change = change_of(dataclasses.replace(capture, stages=tuple(stages)), RowKind.EQUATION)
    text = write_text([cost_change_to_section(change, "by equation")])
    assert "turned at least " in text and "into at least" not in text
    rows = [line for line in text.splitlines() if "dot_general" in line]
    assert rows and all(row.split()[0] == "unknown" for row in rows)
    told = cost_change_to_json(change)
    assert told["unknown_before"] == sum(is_dot) and told["unknown_after"] == 0


def test_the_page_shows_the_module_before_and_both(
    take: Take, qtbot: QtBot, page_context: PageContext
) -> None:
    capture = take(LOSS)
    page = RooflinePage(page_context)
    qtbot.addWidget(page)
    page.show_program(capture.stage("optimized"), make_ceilings(), capture)
    page.module.setCurrentIndex(RECEIVED)
    assert "as if each instruction were a kernel" in page.notes.text()
    page.choice.setCurrentIndex(3)
    assert page.points and page.points[0].operation == "equation"
    names = {page.table.rows.index(row, 7).data() for row in range(page.table.rows.rowCount())}
    assert all(" = " in name for name in names - {NO_ORIGIN}), "numbers tell nobody anything"
    assert len(names) == len(page.points), "rows are found by their names"
    page.module.setCurrentIndex(BOTH)
    assert page.heading.text().startswith("Optimizing turned")
    assert page.change is not None
    assert page.table.rows.rowCount() == len(page.change.rows)
    page_context.selection.set_stages(capture.stages)
    choose_row(page.table, 0)
    selected = page_context.selection.selection
    assert isinstance(selected, NodeSelection)
    assert selected.stage == "optimized" and selected.nodes
