"""Whole captures of real programs, compared."""

from __future__ import annotations

import dataclasses

from comparison.conftest import SOURCE, Take
from jaxscope.model import Capture, Unavailable
from jaxscope.program.diff.captures import (
    ComparedCapture,
    Comparison,
    StageComparison,
    StagePair,
    compare_captures,
)
from jaxscope.program.diff.changes import Change, GraphComparison, find_node_differences


def subjects(first: Capture, second: Capture) -> Comparison:
    return compare_captures(ComparedCapture("first", first), ComparedCapture("second", second))


def stage_of(comparison: Comparison, key: str) -> StageComparison:
    stage = comparison.stage(key)
    assert stage is not None, [stage.pair.key for stage in comparison.stages]
    return stage


def graphs_of(comparison: Comparison, key: str) -> GraphComparison:
    graphs = stage_of(comparison, key).graphs
    assert isinstance(graphs, GraphComparison)
    return graphs


def changed_operations(graphs: GraphComparison, change: Change) -> list[str]:
    found = []
    for kind, first, second in graphs.rows():
        if kind is change:
            graph, node = (graphs.first, first) if second < 0 else (graphs.second, second)
            found.append(graph.string(graph.nodes.operation, node))
    return found


def test_a_capture_equals_itself(take: Take) -> None:
    capture = take("f(f32[8])")
    comparison = subjects(capture, capture)
    assert comparison.is_equal
    assert all(stage.verdict is True for stage in comparison.stages)


def test_a_second_run_of_the_same_call_is_equal(take: Take) -> None:
    again = take("f(f32[8])", SOURCE + "\n# another version of the file\n")
    assert subjects(take("f(f32[8])"), again).is_equal


def test_an_empty_line_in_the_source_is_no_difference(take: Take) -> None:
    shifted = take("f(f32[8])", SOURCE.replace("def f(x)", "\n\n\n\ndef f(x)"))
    comparison = subjects(take("f(f32[8])"), shifted)
    assert comparison.is_equal
    for stage in comparison.stages:
        assert not isinstance(stage.texts, Unavailable)
        assert stage.texts.is_equal, stage.pair.key


def test_an_edit_adds_one_operation_to_every_stage(edited: Comparison) -> None:
    assert not edited.is_equal
    for key in ("jaxpr", "stablehlo", "hlo", "optimized"):
        graphs = graphs_of(edited, key)
        assert graphs.counts.added == 1, key
        assert graphs.counts.removed == graphs.counts.moved == 0, key
        assert changed_operations(graphs, Change.ADDED)[0].endswith("add"), key


def test_a_gradient_holds_the_function(take: Take) -> None:
    comparison = subjects(take("f(f32[8])"), take("grad(f)(f32[8])"))
    assert stage_of(comparison, "jaxpr").verdict is True
    counts = graphs_of(comparison, "jaxpr:grad").counts
    assert counts.removed == 0
    assert counts.added == 7
    assert counts.changed == 1  # the result


def test_a_loop_against_a_vmap(take: Take) -> None:
    call = "vmap(one, in_axes=(0, None))(f32[4, 3], f32[3])"
    comparison = subjects(take("looped(f32[4, 3], f32[3])"), take(call))
    graphs = graphs_of(comparison, "jaxpr:vmap")
    removed = changed_operations(graphs, Change.REMOVED)
    assert removed.count("tanh") == 3
    assert removed.count("slice") == 4
    assert "tanh" in changed_operations(graphs, Change.CHANGED)


def test_another_precision_changes_types_only(take: Take) -> None:
    comparison = subjects(take("f(f32[8])"), take("f(bf16[8])"))
    graphs = graphs_of(comparison, "jaxpr")
    # A sum of bfloat16 is made in float32: the conversions are new, the rest has another type.
    assert graphs.counts.removed == 0
    assert set(changed_operations(graphs, Change.ADDED)) <= {"convert_element_type"}
    assert {"sin", "mul", "reduce_sum"} <= set(changed_operations(graphs, Change.CHANGED))


def test_the_body_of_a_scan_at_another_length_is_the_same(take: Take) -> None:
    comparison = subjects(take("scanned(f32[4])"), take("scanned(f32[6])"))
    graphs = graphs_of(comparison, "jaxpr")
    assert graphs.counts.added == graphs.counts.removed == 0
    changed = changed_operations(graphs, Change.CHANGED)
    assert "scan" in changed
    assert "sin" not in changed


def test_a_loop_that_a_gradient_makes_return_more_is_the_same_loop(take: Take) -> None:
    # What the derivative needs is one result more, and JAX drops the names of what it carries.
    comparison = subjects(take("recurrent(f32[4])"), take("grad(recurrent)(f32[4])"))
    graphs = graphs_of(comparison, "jaxpr:grad")
    pairs = graphs.matching.second_of_first.tolist()
    (scan,) = (n for n in range(len(pairs)) if graphs.first.operation(n) == "scan")
    assert graphs.second.operation(pairs[scan]) == "scan"
    assert len(graphs.second.types(pairs[scan])) > len(graphs.first.types(scan))
    inputs = [n for n in range(len(pairs)) if "argument_name" in graphs.first.attributes(n)]
    differing = {"types", "operands", "cost", "group", "scope", "place"}
    assert inputs
    for node in inputs:
        aspects = {each.aspect for each in find_node_differences(graphs, node, pairs[node])}
        assert aspects <= differing, "a name is no attribute that differs"


def test_a_stage_that_only_one_side_has_is_not_compared(take: Take) -> None:
    comparison = subjects(take("f(f32[8])"), take("grad(f)(f32[8])"))
    for key, side in (("gradient", "second"), ("grad", "first")):
        verdict = stage_of(comparison, key).verdict
        assert isinstance(verdict, Unavailable)
        assert f"the {side} call makes no {key}" in verdict.reason


def test_stages_of_different_languages_are_not_compared(take: Take) -> None:
    capture = take("f(f32[8])")
    comparison = compare_captures(
        ComparedCapture("a", capture),
        ComparedCapture("b", capture),
        (StagePair("jaxpr", "optimized"),),
    )
    verdict = comparison.stages[0].verdict
    assert isinstance(verdict, Unavailable)
    assert "HLO" in verdict.reason
    assert not comparison.is_equal


def test_a_failed_stage_keeps_its_reason(take: Take) -> None:
    capture = take("f(f32[8])")
    reason = Unavailable("XLA gave up.")
    broken = dataclasses.replace(
        capture,
        stages=tuple(
            dataclasses.replace(stage, text=reason, graph=reason, unavailable=reason)
            if stage.name == "optimized"
            else stage
            for stage in capture.stages
        ),
    )
    verdict = stage_of(subjects(capture, broken), "optimized").verdict
    assert isinstance(verdict, Unavailable)
    assert verdict.reason == "The second side has none: XLA gave up."


def test_costs_of_different_targets_are_not_compared(take: Take) -> None:
    capture = take("f(f32[8])")
    elsewhere = dataclasses.replace(
        capture,
        target="gpu",
        environment=dataclasses.replace(capture.environment, platform="gpu"),
    )
    comparison = subjects(capture, elsewhere)
    costs = {cost.name: cost for cost in stage_of(comparison, "optimized").costs}
    assert not costs["FLOPs"].is_comparable
    assert "different targets (cpu and gpu)" in costs["FLOPs"].meaning
    jaxpr = {cost.name: cost for cost in stage_of(comparison, "jaxpr").costs}
    assert jaxpr["FLOPs"].is_comparable
    assert any("target" in note for note in comparison.notes)


def test_other_versions_are_said(take: Take) -> None:
    capture = take("f(f32[8])")
    newer = dataclasses.replace(
        capture, environment=dataclasses.replace(capture.environment, jax="99.0")
    )
    notes = subjects(capture, newer).notes
    assert len(notes) == 1
    assert "the second JAX 99.0" in notes[0]


def test_a_stage_is_named_as_tables_name_it() -> None:
    assert StagePair.parse("machine code") == StagePair("machine", "machine")
    assert StagePair.parse("StableHLO:optimized") == StagePair("stablehlo", "optimized")
    assert StagePair.parse("vmap(grad)") == StagePair("vmap(grad)", "vmap(grad)")
