"""What experiments, comparisons, drawings and errors of files say, shown in Chinese."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

import jaxscope
from bench.language import classify
from jaxscope.client.dump_folders import find_dumps
from jaxscope.client.requests import (
    AgreementRequest,
    CalibrationRequest,
    ComparisonRequest,
    CompileTimeRequest,
    RecompilationRequest,
    Request,
    ScalingRequest,
    TimeRequest,
    TraceLinesRequest,
)
from jaxscope.client.session import Session
from jaxscope.errors import EnvironmentProblem, JaxscopeError
from jaxscope.export.figures import compile_chart
from jaxscope.model import Capture, NodeKind, Timing, is_available
from jaxscope.model.experiments import (
    Agreement,
    CompileTime,
    ProgramComparison,
    Recompilation,
)
from jaxscope.model.hardware import Ceilings, find_chip
from jaxscope.model.said import Said
from jaxscope.model.timing import Scaling
from jaxscope.model.tracing import Tracing
from jaxscope.model.values import ArrayDifference, Step
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.view.arguments import result_path
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.labels import text_of
from jaxscope.program.cost.attribution import CostChange, RowKind, find_cost_change
from jaxscope.program.cost.equations import read_cost_note
from jaxscope.program.cost.lines import find_line_costs
from jaxscope.program.diff.captures import ComparedCapture, compare_captures
from jaxscope.program.diff.changes import GraphComparison, find_node_differences
from jaxscope.program.predicates import Predicates
from jaxscope.program.recompilation import describe_outside
from jaxscope.program.roofline import Roofline, find_roofline
from jaxscope.program.targets import ESTIMATE, NOT_COMPILED, summarize_target
from jaxscope.report.diff import (
    cost_change_table,
    describe_cost_change,
    describe_placements,
    describe_verdict,
    stage_row,
)
from jaxscope.report.document import Table, cell_text, make_table
from jaxscope.report.measurement_documents import (
    describe_advice,
    describe_compile_time,
    describe_key_changes,
)
from jaxscope.report.measurements import (
    cost_lines,
    describe_crossovers,
    describe_origin,
    describe_processes,
    describe_sizes,
    describe_slope,
    equation_row,
    scaling_table,
)
from jaxscope.report.roofline import (
    NO_CEILINGS,
    describe_ceilings,
    describe_conditions,
    describe_excess,
    describe_fast_call,
    describe_protocol,
    describe_rows,
    roofline_table,
)
from jaxscope.report.stepping import describe_memory, describe_place
from jaxscope.report.targets import (
    CYCLES,
    NOT_KNOWN,
    describe_answer,
    describe_counting,
    describe_problems,
)
from jaxscope.report.tracing import describe_doing, describe_left_out, describe_line
from jaxscope.report.values import describe_array_difference
from jaxscope.schema.archive import decode_lab, encode_lab, load_capture, save_capture
from jaxscope.schema.ceilings_file import store_ceilings, stored_ceilings
from jaxscope.schema.contract import load_contract
from jaxscope.ui.pages.comparison_view import CompareView
from jaxscope.ui.session.state import RunSubject, TimingState
from jaxscope.ui.toolkit.language import Language, LanguageSwitch, tr_said
from jaxscope.ui.toolkit.theme import LIGHT
from jaxscope.ui.window.main_window import MainWindow

from .test_language import real_captures


@pytest.fixture(autouse=True)
def _english(qapp: QApplication) -> Iterator[None]:
    yield
    LanguageSwitch(qapp, Language.ENGLISH).deleteLater()


@functools.cache
def experiments() -> dict[type, Any]:
    """What real workers found out of small calls, by its kind."""
    sample, call = str(Path(__file__).parents[2] / "samples" / "quick_start.py"), "f32[8])"
    requests: list[Request] = [
        AgreementRequest(sample, f"grad(lambda x: simple_graph(jnp.exp(x)))({call}"),
        CompileTimeRequest(sample, f"simple_graph({call}"),
        RecompilationRequest(sample),
        ScalingRequest(sample, f"simple_graph({call}", vary="x:0", sizes=(2, 4, 8), budget_s=0.1),
        ComparisonRequest(sample, "simple_graph(f32[8])", other_call="abs(1.0)", budget_s=0.1),
        TraceLinesRequest(sample, f"simple_graph({call}"),
        TimeRequest(sample, "simple_graph(f32[8])", budget_s=0.1),
        CalibrationRequest(),
    ]
    with Session() as session:
        found = [session.start(request).wait() for request in requests]
    return {type(each): each for each in found}


def cells(table: Table) -> Iterator[str]:
    yield from (tr_said(cell_text(cell)) for row in table.rows for cell in row)


def of_experiments() -> Iterator[str]:
    agreement, scaling = experiments()[Agreement], experiments()[Scaling]
    compiling, again = experiments()[CompileTime], experiments()[Recompilation]
    both, timing = experiments()[ProgramComparison], experiments()[Timing]
    yield from map(tr_said, describe_origin(agreement.origin))
    yield from cells(make_table((), agreement.equations, equation_row))
    slopes = map(describe_slope, scaling.slopes)
    for told in (*slopes, describe_crossovers(scaling), *describe_sizes(scaling)):
        yield tr_said(told)
    for name, measured in itertools.product(("faster", "slower", "unclear"), (1, 2, 3)):
        point = scaling.points[0]
        ratios = [dataclasses.replace(point.ratio, median=2.0, low=1.5, high=3.0, verdict=name)]
        ratios += [dataclasses.replace(point.ratio, verdict="unclear")] * 3
        points = [dataclasses.replace(point, ratio=ratio) for ratio in ratios[:measured]]
        changed = dataclasses.replace(scaling, points=tuple(points), crossovers=())
        yield tr_said(describe_crossovers(changed))
    yield from cells(scaling_table(scaling))
    yield from map(tr_said, (describe_compile_time(compiling), compile_chart(compiling).note))
    yield from map(tr_said, (*map(describe_advice, again.advice), describe_outside(again)))
    yield from (tr_said(describe_key_changes(each)) for each in again.signatures if each.changes)
    yield from map(tr_said, (describe_processes(both), *cost_lines(both), both.agreement.reason))
    yield from (tr_said(each.describe_protocol()) for each in timing.measurements)
    yield from (tr_said(each.detail) for each in timing.measurements)


def of_lines() -> Iterator[str]:
    tracing = experiments()[Tracing]
    for number in range(-1, len(tracing.lines) + 1):
        yield tr_said(describe_line(tracing, number))
    for number in range(len(tracing.lines)):
        yield tr_said(describe_doing(tracing, number))
    changes = [
        {"statement": "if", "outcome": "body"},
        {"outcome": "round", "round": 2, "num_rounds": 3},
        {"outcome": "over", "round": 2},
        {"statement": "def"},
        {"inside": "f", "effects": ("x changes",)},
        {"is_traced": False, "equations": ()},
    ]
    for each in changes:
        line = dataclasses.replace(tracing.lines[0], **each)
        changed = dataclasses.replace(tracing, lines=(line,), num_lines=9, num_unplaced=2)
        yield tr_said(describe_doing(changed, 0))
        yield from map(tr_said, describe_left_out(changed))


def of_steps() -> Iterator[str]:
    steps = [Step(1), Step(1, is_end=True), Step(1, "2/3", False, (1, 2), (3, 2), "mul", "f.py", 4)]
    yield from map(tr_said, map(describe_place, steps))
    yield tr_said(describe_memory(Step(1, kept_bytes=4, most_bytes=8)))
    for differing, odd, gap in ((0, 0, math.nan), (2, 1, 0.5), (2, 0, math.nan)):
        found = ArrayDifference(3, differing, odd, gap, 4, (0,))
        yield tr_said(describe_array_difference(found))


def of_comparisons() -> Iterator[str]:
    first, second, third = real_captures()
    for a, b in ((first, second), (second, third), (first, first)):
        found = compare_captures(ComparedCapture("a", a), ComparedCapture("b", b))
        yield from map(tr_said, (describe_verdict(found), found.times_missing, *found.notes))
        yield from map(tr_said, describe_placements(found.placements))
        for stage in found.stages:
            yield from (tr_said(cell_text(cell)) for cell in stage_row(stage))
            yield from (tr_said(each.meaning) for each in (*stage.costs, *found.memory))
            if isinstance(stage.graphs, GraphComparison):
                for _, node, other in stage.graphs.rows():
                    for each in find_node_differences(stage.graphs, node, other):
                        if each.aspect != "group":  # their names are XLA's
                            yield tr_said(each.sentence())


def of_rooflines() -> Iterator[str]:
    measured, v5e = experiments()[Ceilings], find_chip("v5e")
    assert v5e is not None
    for capture in real_captures():
        for name, ceilings in itertools.product(("hlo", "optimized"), (measured, v5e.ceilings())):
            found = find_roofline(capture.stage(name))
            assert isinstance(found, Roofline)
            told = (describe_ceilings(ceilings), describe_protocol(ceilings), *found.notes)
            yield from map(tr_said, (*told, *describe_rows(found), NO_CEILINGS))
            yield from map(tr_said, describe_conditions(ceilings))
            timed = [dataclasses.replace(point, seconds=1e-12) for point in found.kernels]
            yield tr_said(describe_excess(timed, ceilings))
            yield tr_said(describe_fast_call(found, ceilings, 1e-12))
            yield from cells(roofline_table(timed, ceilings))
            yield from cells(roofline_table(found.equations, ceilings))
        change = find_cost_change(capture, RowKind.LINE)
        assert isinstance(change, CostChange)
        yield from map(tr_said, (describe_cost_change(change), *change.notes))
        yield from cells(cost_change_table(change))


def of_targets() -> Iterator[str]:
    capture = real_captures()[0]
    failed = EnvironmentProblem(NOT_COMPILED)
    rows = [summarize_target("cpu", capture), summarize_target("aot:tpu:v5e:1x1", capture)]
    rows.append(summarize_target("gpu", failed))
    for shown in (rows[:1], rows[1:2], rows[:2], rows):
        yield from map(tr_said, (*describe_answer(shown), *describe_counting(shown)))
        yield from map(tr_said, describe_problems(shown, is_short=True))
    too_small = dataclasses.replace(rows[1], needed_bytes=1e15, is_room_checked=False)
    yield from map(tr_said, (*describe_answer([too_small]), *describe_problems([too_small])))
    yield from map(tr_said, (ESTIMATE, NOT_KNOWN, CYCLES))


@functools.cache
def captures_to_draw() -> list[Capture]:
    sample = Path(__file__).parents[2] / "samples" / "control_flow.py"
    calls = ("grad(nested)(f32[5, 7])", "newton_sqrt(2.0)")
    captures = [jaxscope.capture_file(sample, call) for call in calls]
    return [*captures, jaxscope.capture_file(sample.with_name("transformer.py"))]


def of_drawings() -> Iterator[str]:
    """What is written on boxes and lines; what has no template is a name of the code."""
    for stage in (stage for capture in captures_to_draw() for stage in capture.stages):
        if not is_available(stage.graph):
            continue
        view = build_view(stage.graph)
        for box in view.boxes[1:]:
            text = text_of(view, box)
            yield from (tr_said(t) for t in (text.title, text.detail) if isinstance(t, Said))
        yield from map(tr_said, build_scene(view).lines.types)


def of_files() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield from _of_files_in(Path(folder))


def _of_files_in(tmp_path: Path) -> Iterator[str]:
    broken = tmp_path / "a.jaxscope"
    broken.write_text("nothing")
    empty = tmp_path / "folder"
    empty.mkdir(exist_ok=True)
    for open_file in (
        lambda: load_capture(broken),
        lambda: load_capture(tmp_path / "b.jaxscope"),
        lambda: load_contract(broken),
        lambda: save_capture(real_captures()[0], tmp_path),
        lambda: save_capture(real_captures()[0], tmp_path / "c" / "d.jaxscope"),
        lambda: find_dumps([__file__]),
        lambda: find_dumps([str(broken)]),
        lambda: find_dumps([str(empty)]),
    ):
        with pytest.raises(JaxscopeError) as raised:
            open_file()
        explanation = raised.value.explanation
        told = map(tr_said, (explanation.what, explanation.remedy))
        yield from (text.replace("-o out.json", "") for text in told)


@pytest.mark.slow
def test_results_of_a_file_keep_their_templates(qapp: QApplication) -> None:
    found = [each for each in experiments().values() if type(each) in (Timing, Agreement, Scaling)]
    kept = decode_lab(encode_lab(found))
    assert encode_lab(kept) == encode_lab(found)
    LanguageSwitch(qapp, Language.CHINESE)
    timing = next(each for each in kept if isinstance(each, Timing))
    told = [tr_said(each.protocol) for each in timing.measurements]
    assert told and not any(is_english for text in told for _, is_english in classify(text))


def of_groups() -> Iterator[str]:
    """What the insides of nodes are called, and the results, of which a graph has no template."""
    for stage in (stage for capture in captures_to_draw() for stage in capture.stages):
        if is_available(stage.graph):
            graph, predicates = stage.graph, Predicates(stage.graph)
            yield from (tr_said(predicates.label(each)) for each in range(len(graph.groups)))
            nodes = range(len(graph.nodes))
            outputs = (n for n in nodes if graph.nodes.kind[n] == NodeKind.OUTPUT)
            yield from (tr_said(result_path(graph, each)) for each in outputs)
            for node in nodes:
                yield tr_said(read_cost_note(graph.attributes(node).get("cost_note", "")))


def of_line_costs() -> Iterator[str]:
    for capture in captures_to_draw():
        for stage in (each for each in capture.stages if is_available(each.graph)):
            found = find_line_costs([stage], capture.source.file)
            yield from (tr_said(each.text) for each in found.values())


@pytest.mark.slow
def test_kept_ceilings_keep_their_templates(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    measured = experiments()[Ceilings]
    store_ceilings(measured)
    kept = stored_ceilings(measured.environment)
    assert kept == measured
    LanguageSwitch(qapp, Language.CHINESE)
    told = [tr_said(each.protocol) for each in (kept.arithmetic, kept.bandwidth)]
    assert not any(is_english for text in told for _, is_english in classify(text))


@pytest.mark.slow
def test_what_is_shown_of_times_and_comparisons_follows_the_language(
    window: MainWindow, qapp: QApplication
) -> None:
    """Also what a page fills in only when something new arrives."""
    first, second, _ = real_captures()
    page, view = window.pages["timing"], CompareView()
    state = TimingState.of(experiments()[Timing], RunSubject())
    page.show_timing(state, can_measure=True)
    view.show_comparison(
        compare_captures(ComparedCapture("a", first), ComparedCapture("b", second))
    )

    def texts() -> list[str]:
        page.set_theme(LIGHT)  # as the window does when the language changes
        view.set_theme(LIGHT, 10.0)
        model, chooser = page.table.model(), view.stage_chooser
        cells = (str(model.index(row, 0).data()) for row in range(model.rowCount()))
        choices = (chooser.itemText(number) for number in range(chooser.count()))
        return [*cells, *choices, view.legend.accessibleName()]

    english = texts()
    languages = LanguageSwitch(qapp, Language.CHINESE)
    chinese = texts()
    assert len(chinese) > 10
    assert not any(is_english for text in chinese for _, is_english in classify(text))
    assert sum(map(has_chinese, chinese)) > 5 and not any(map(has_chinese, english))
    languages.use(Language.ENGLISH)
    assert texts() == english
    view.deleteLater()


def has_chinese(text: str) -> bool:
    return any("\u4e00" <= each <= "\u9fff" for each in text)


KINDS = [of_experiments, of_lines, of_steps, of_comparisons, of_rooflines, of_targets, of_drawings]
KINDS += [of_files, of_groups, of_line_costs]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("kind", KINDS)
def test_no_english_is_left_in(qapp: QApplication, kind: Callable[[], Iterator[str]]) -> None:
    LanguageSwitch(qapp, Language.ENGLISH)
    assert any(is_english for text in kind() for _, is_english in classify(text))
    LanguageSwitch(qapp, Language.CHINESE)
    found = [each for text in kind() for each in classify(text)]
    assert len(found) > 5
    assert sorted({sentence for sentence, is_english in found if is_english}) == []
