"""The page of comparisons, offscreen: real widgets over real captures."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from comparison.conftest import Take
from jaxscope.model import NodeKind
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.tint.diff_marks import STYLES, mark_items
from jaxscope.picture.view.build import build_view
from jaxscope.program.diff.captures import ComparedCapture, Comparison, compare_captures
from jaxscope.program.diff.changes import Change, GraphComparison
from jaxscope.ui.pages.compare import ComparePage
from jaxscope.ui.pages.comparison_view import CompareView
from jaxscope.ui.pages.diff_graph import ComparedCanvas, color_of
from jaxscope.ui.toolkit.result_table import choose_row
from jaxscope.ui.toolkit.theme import DARK
from jaxscope.ui.toolkit.widgets import FlowLayout
from jaxscope.ui.window.page_context import PageContext
from view.programs import trace


@pytest.fixture
def view(qtbot: QtBot, edited: Comparison) -> Iterator[CompareView]:
    view = CompareView()
    qtbot.addWidget(view)
    view.resize(1200, 900)
    view.show_comparison(edited)
    view.show()
    yield view


def choose_stage(view: CompareView, key: str) -> None:
    view.stage_chooser.setCurrentIndex(view.stage_chooser.findData(key))


def cell(view: CompareView, row: int, column: int) -> str:
    return str(view.table.rows.data(view.table.rows.index(row, column)))


def test_the_first_stage_that_differs_is_shown(view: CompareView) -> None:
    assert view.verdict_text.startswith("Different in jaxpr")
    assert view.stage_chooser.currentText() == "jaxpr — 1 changed, 1 added"
    stage = view.shown_stage()
    assert stage is not None
    assert stage.pair.key == "jaxpr"


def test_both_graphs_are_marked(view: CompareView) -> None:
    marks = [canvas.item_marks for canvas in view.canvases]
    assert marks[0] is not None
    assert marks[1] is not None
    assert marks[0].changes.tolist() == [Change.CHANGED]
    assert sorted(marks[1].changes.tolist()) == [Change.CHANGED, Change.ADDED]
    assert marks[1].describe(marks[1].changes.tolist().index(Change.ADDED)) == "added"


def test_without_marks_both_sides_are_plain(view: CompareView) -> None:
    view.marks.setChecked(False)
    assert [canvas.item_marks for canvas in view.canvases] == [None, None]
    assert not view.table.isVisible()
    assert not view.legend.isVisible()
    assert all(canvas.isVisible() for canvas in view.canvases)
    view.marks.setChecked(True)
    assert view.canvases[0].item_marks is not None


@pytest.mark.parametrize("width", [150, 240, 700])
def test_a_mark_lies_on_nothing_that_its_box_says(qtbot: QtBot, width: int) -> None:
    """In small pictures the number covered the first letters of the title."""

    def function(x: jax.Array) -> jax.Array:
        for name in ("first", "second"):
            with jax.named_scope(name):
                for _ in range(6):
                    x = jnp.tanh(x * 2.0)
        return x

    canvas = ComparedCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(width, 2 * width)
    canvas.show()
    canvas.show_graph(trace(function, jnp.ones(3)), "")
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    canvas.set_expanded(frozenset())
    qtbot.waitUntil(lambda: not canvas.is_busy)
    assert canvas.scene is not None and canvas.shown_graph is not None
    changes = np.full(len(canvas.scene.item_of_node), int(Change.REMOVED), np.int8)
    canvas.set_changes(changes)
    marked, marks = canvas.grab().toImage(), canvas.item_marks
    assert marks is not None and marks.counts.max() == 12
    ink = color_of(STYLES[Change.REMOVED], "light").rgb()
    inked = {(x, y) for x in range(width) for y in range(2 * width) if marked.pixel(x, y) == ink}
    assert len(inked) > 500
    for x, y, wide, high in canvas.scene.items.rect[marks.items].tolist():
        (left, top), (right, bottom) = (
            canvas.camera.to_widget(*corner) for corner in ((x, y), (x + wide, y + high))
        )
        assert not any(left + 3 < x < right - 3 and top + 3 < y < bottom - 3 for x, y in inked)


def test_a_mark_counts_what_its_box_counts() -> None:
    """Equations, and not the arguments, literals and results that are drawn with them."""

    def function(x: jax.Array, y: jax.Array) -> jax.Array:
        with jax.named_scope("first"):
            return jax.jit(lambda a, b: (jnp.tanh(a * 2.0) + b * 3.0, b))(x, y)[0]

    graph = trace(function, jnp.ones(3), jnp.ones(3))
    (inner,) = jax.make_jaxpr(function)(jnp.ones(3), jnp.ones(3)).eqns
    held = 1 + len(inner.params["jaxpr"].eqns)
    assert held == 5
    scene = build_scene(build_view(graph), frozenset())
    changes = np.full(len(graph.nodes), int(Change.CHANGED), np.int8)
    marks = mark_items(scene, changes, graph)
    (box,) = [n for n, unit in enumerate(marks.units) if unit == "equation"]
    assert marks.counts[box] == marks.totals[box] == held
    assert marks.describe(box) == f"{held} of {held} equations changed"

    changes[graph.nodes_of(["tanh"])] = int(Change.ADDED)
    mixed = mark_items(scene, changes, graph)
    assert mixed.describe(box) == f"{held} of {held} equations changed, added or removed"

    works = np.isin(graph.nodes.kind, [NodeKind.EQUATION])
    alone = mark_items(scene, np.where(works, 0, changes).astype(np.int8), graph)
    assert set(alone.units) == {"node"} and len(alone.items) > 1


def test_marks_are_painted_over_the_graph(view: CompareView, qtbot: QtBot) -> None:
    marked = view.canvases[1].grab().toImage()
    view.marks.setChecked(False)
    view.canvases[1].resize(marked.size())
    assert view.canvases[1].grab().toImage() != marked


def test_the_legend_says_it_in_words(view: CompareView) -> None:
    name = view.legend.accessibleName()
    assert all(word in name for word in ("+ added", "− removed", "≠ changed", "→ moved"))


def test_a_row_selects_on_both_sides(view: CompareView) -> None:
    chosen: list[tuple[int, int]] = []
    view.table.row_chosen.connect(lambda a, b: chosen.append((a, b)))
    choose_row(view.table, 1)  # the changed multiplication
    assert cell(view, 1, 0) == "≠  changed"
    first, second = chosen[0]
    for canvas, node in zip(view.canvases, (first, second), strict=True):
        assert canvas.scene is not None
        assert canvas._highlight.current == canvas.scene.item_of_node[node]
    view.form_chooser.setCurrentIndex(1)  # the choice is kept in the texts
    row = view.texts.rows[view.texts.current_row]
    assert row.first is not None
    assert row.first.node == first


def test_a_node_selects_its_partner_and_its_row(view: CompareView) -> None:
    stage = view.shown_stage()
    assert stage is not None
    assert isinstance(stage.graphs, GraphComparison)
    node = stage.graphs.rows()[1][1]
    view.canvases[0].node_selected.emit(node)
    partner = int(stage.graphs.matching.second_of_first[node])
    scene = view.canvases[1].scene
    assert scene is not None
    assert view.canvases[1]._highlight.current == scene.item_of_node[partner]
    assert [index.row() for index in view.table.selectionModel().selectedRows()] == [1]


def test_texts_stand_line_against_line(view: CompareView, qtbot: QtBot) -> None:
    view.form_chooser.setCurrentIndex(1)
    assert view.texts.isVisible()
    kinds = [row.kind for row in view.texts.rows]
    assert (kinds.count("added"), kinds.count("changed")) == (1, 1)
    qtbot.keyClick(view.texts, Qt.Key.Key_N)
    assert kinds[view.texts.current_row] == "added"
    qtbot.keyClick(view.texts, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == "+    d:f32[8] = add c a"
    assert not view.texts.viewport().grab().isNull()


def test_machine_code_has_texts_only(view: CompareView) -> None:
    choose_stage(view, "machine")
    assert view.form_chooser.currentData() == "graphs"
    assert view.texts.isVisible()
    assert not view.table.isVisible()


def test_a_stage_of_one_side_only_says_why(qtbot: QtBot, take: Take) -> None:
    view = CompareView()
    qtbot.addWidget(view)
    first, second = take("f(f32[8])"), take("grad(f)(f32[8])")
    view.show_comparison(
        compare_captures(ComparedCapture("a", first), ComparedCapture("b", second))
    )
    choose_stage(view, "gradient")
    assert "not compared" in view.stage_chooser.currentText()
    assert "the second call makes no gradient" in view._reason.text()


def test_the_stage_stays_from_comparison_to_comparison(view: CompareView, take: Take) -> None:
    choose_stage(view, "optimized")
    capture = take("f(f32[8])")
    view.show_comparison(
        compare_captures(ComparedCapture("a", capture), ComparedCapture("b", capture))
    )
    assert view.stage_chooser.currentData() == "optimized"
    assert view.stage_chooser.currentText() == "optimized — equal"
    assert view.table.rows.rowCount() == 0


def test_a_stage_that_is_equal_gives_way_to_the_first_that_differs(
    view: CompareView, edited: Comparison, take: Take
) -> None:
    capture = take("f(f32[8])")
    same = compare_captures(ComparedCapture("a", capture), ComparedCapture("b", capture))
    other = compare_captures(
        ComparedCapture("a", capture), ComparedCapture("b", take("grad(f)(f32[8])"))
    )
    assert other.stage("jaxpr").verdict is True
    view.show_comparison(other)  # nobody chose *jaxpr*, which stood there before
    first = next(stage.pair.key for stage in other.stages if stage.verdict is False)
    assert view.stage_chooser.currentData() == first
    choose_stage(view, "jaxpr")
    view.show_comparison(same)
    assert view.stage_chooser.currentData() == "jaxpr"
    view.show_comparison(other)
    assert view.stage_chooser.currentData() == first
    view.show_comparison(edited)
    assert view.stage_chooser.currentData() == "jaxpr"


def test_cost_time_and_memory_are_told_with_their_meaning(view: CompareView) -> None:
    text = view.quantities_text
    assert "The second has 8 FLOP more" in text
    assert "one run each" in text
    assert "allocated for a run" in text


def test_the_dark_theme(view: CompareView) -> None:
    view.set_theme(DARK, 12.0)
    assert not view.grab().isNull()
    color = view.table.rows.data(view.table.rows.index(0, 0), Qt.ItemDataRole.ForegroundRole)
    assert color.lightnessF() > 0.5


def test_the_model_keeps_qts_rules(view: CompareView, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(view.table.rows)


def test_choices_of_a_row_are_centred_and_wrap(qtbot: QtBot) -> None:
    row = QWidget()
    qtbot.addWidget(row)
    layout, parts = FlowLayout(row), [QWidget(row) for _ in range(3)]
    for part, height in zip(parts, (40, 20, 30), strict=True):
        part.setFixedSize(100, height)
        layout.addWidget(part)
    layout.setGeometry(QRect(10, 5, 210, 200))
    corners = [part.geometry().topLeft().toTuple() for part in parts]
    assert corners == [(10, 5), (114, 15), (10, 49)]
    assert layout.heightForWidth(210) == 74


def test_the_page_asks_for_what_a_person_wants(
    qtbot: QtBot, page_context: PageContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ComparePage(page_context)
    qtbot.addWidget(page)
    page.set_possible(can_run=True, has_present=True, has_previous=False)
    page.set_calls(["f(f32[8])", "grad(f)(f32[8])"], "cpu:8")
    assert not page.previous_button.isEnabled()
    page.call.setEditText(" grad(f)(f32[8]) ")
    page.interpreter.setText("/opt/python")
    asked: list[tuple[str, str, str | None, dict[str, str] | None]] = []
    monkeypatch.setattr(
        page.comparing,
        "compare_with_call",
        lambda call, *, target, python, options: asked.append((call, target, python, options)),
    )
    qtbot.mouseClick(page.compare_button, Qt.MouseButton.LeftButton)
    assert asked == [("grad(f)(f32[8])", "cpu:8", "/opt/python", {})]


def test_what_is_seldom_asked_for_is_shown_on_request_and_while_it_counts(
    qtbot: QtBot, page_context: PageContext
) -> None:
    page = ComparePage(page_context)
    qtbot.addWidget(page)
    page.show()
    assert not page.interpreter.isVisible() and not page.options.isVisible()
    page.more_button.click()
    assert page.interpreter.isVisible() and page.options.isVisible()
    page.options.setText("xla_disable_hlo_passes=algsimp")
    page.more_button.click()
    assert page.options.isVisible()
    page.options.clear()
    assert not page.options.isVisible()


def test_compare_waits_for_something_other_to_compare_with(
    qtbot: QtBot, page_context: PageContext
) -> None:
    page = ComparePage(page_context)
    qtbot.addWidget(page)
    page.set_possible(can_run=True, has_present=True, has_previous=False)
    page.set_calls(["f(f32[8])"], "cpu")
    page.call.setEditText("  ")
    assert not page.compare_button.isEnabled()
    page.target.setEditText("cpu:8")  # the same call for another device
    assert page.compare_button.isEnabled()
    page.target.setEditText("cpu")
    assert not page.compare_button.isEnabled()
    page.options.setText("xla_disable_hlo_passes=fusion")  # the same call compiled otherwise
    assert page.compare_button.isEnabled()
    page.options.clear()
    page.call.setEditText("grad(f)(f32[8])")
    assert page.compare_button.isEnabled()
    page.show_busy("Running the other side …")
    edit = page.call.lineEdit()
    assert edit is not None
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert page.status_text == "Running the other side …", "not asked again: that would fail"
    assert not page.compare_button.isEnabled()
    page.show_busy("")
    assert page.compare_button.isEnabled()


def test_offered_calls_leave_what_is_typed(qtbot: QtBot, page_context: PageContext) -> None:
    page = ComparePage(page_context)
    qtbot.addWidget(page)
    page.call.setEditText("half a ca")
    page.set_calls(["f(f32[8])"], "cpu")
    assert page.call.currentText() == "half a ca"


def test_work_under_way_can_be_stopped(qtbot: QtBot, page_context: PageContext) -> None:
    page = ComparePage(page_context)
    qtbot.addWidget(page)
    page.show()
    assert not page.stop_button.isVisible()
    page.show_busy("Comparing …")
    assert page.status_text == "Comparing …"
    qtbot.mouseClick(page.stop_button, Qt.MouseButton.LeftButton)
    assert page.status_text == ""
    page.show_problem("The other call failed.")
    assert page.status_text == "The other call failed."
