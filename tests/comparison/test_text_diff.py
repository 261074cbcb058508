"""Texts line against line: new names and numbers are no difference."""

from __future__ import annotations

import math

import numpy as np
import pytest

from comparison.conftest import EDITED, Take
from jaxscope.model import Cost, Stage, StageText, Unavailable
from jaxscope.program.diff.captures import Comparison
from jaxscope.program.diff.texts import TextDiff, diff_texts, format_unified


def stage(name: str, text: str) -> Stage:
    reason = Unavailable("No graph.")
    return Stage(name, name, StageText.plain(text), reason, Cost(), math.nan)


def diff(name: str, first: str, second: str) -> TextDiff:
    found = diff_texts(stage(name, first), stage(name, second), None)
    assert isinstance(found, TextDiff)
    return found


def unified(name: str, first: str, second: str) -> str:
    return format_unified(diff(name, first, second), "A", "B")


JAXPR = """{ lambda ; a:f32[8]. let
    b:f32[8] = sin a
    c:f32[8] = mul b b
  in (c,) }"""


def test_a_jaxpr_with_other_letters_is_the_same() -> None:
    other = JAXPR.replace(" b ", " z ").replace(" b", " z").replace("b:", "z:")
    other = other.replace("c:", "y:").replace("(c,)", "(y,)")
    assert "y:f32[8] = mul z z" in other
    assert diff("jaxpr", JAXPR, other).is_equal


def test_a_line_more_shifts_all_letters_and_is_one_line() -> None:
    other = """{ lambda ; a:f32[8]. let
    b:f32[8] = neg a
    c:f32[8] = sin a
    d:f32[8] = mul c c
  in (d,) }"""
    assert unified("jaxpr", JAXPR, other).splitlines() == [
        "--- A",
        "+++ B",
        "@@ -1,4 +1,5 @@",
        " { lambda ; a:f32[8]. let",
        "+    b:f32[8] = neg a",
        "     c:f32[8] = sin a",
        "     d:f32[8] = mul c c",
        "   in (d,) }",
    ]


def test_another_operand_is_a_change_though_the_words_look_alike() -> None:
    found = diff("jaxpr", JAXPR, JAXPR.replace("mul b b", "mul b a"))
    assert [row.kind for row in found.rows] == ["same", "same", "changed", "same"]


def test_a_literal_is_no_name() -> None:
    first = JAXPR.replace("mul b b", "mul b 2.0:f32[]")
    assert not diff("jaxpr", first, first.replace("2.0", "3.0")).is_equal


def test_numbers_of_stablehlo_values_and_functions() -> None:
    first = """func.func public @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.sine %arg0 : tensor<8xf32>
    %1 = func.call @helper_3(%0) : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
}"""
    second = first.replace("%1", "%9").replace("%0", "%4").replace("_3", "_7")
    assert diff("stablehlo", first, second).is_equal
    assert not diff("stablehlo", first, first.replace("return %1", "return %0")).is_equal


HLO = """HloModule jit_f, entry_computation_layout={(f32[8])->f32[8]}

FileNames
1 "model.py"

ENTRY %main.3 (x.1: f32[8]) -> f32[8] {
  %x.1 = f32[8]{0} parameter(0), metadata={op_name="x"}
  ROOT %sin.2 = f32[8]{0} sine(%x.1), metadata={op_name="jit(f)/sin" stack_frame_id=1}
}"""


def test_where_hlo_stands_in_the_source_does_not_count() -> None:
    other = HLO.replace("stack_frame_id=1", "stack_frame_id=12").replace("model.py", "new.py")
    other = other.replace("x.1", "y.7").replace("sin.2", "sin.44").replace("main.3", "main.5")
    assert diff("optimized", HLO, other).is_equal
    assert "metadata" not in unified("optimized", HLO, HLO.replace("sine", "cosine"))


def test_machine_code_by_its_registers() -> None:
    first = (
        "define void @kernel(ptr %0) {\n  %4 = load float, ptr %0\n"
        "  %5 = fadd float %4, 2.0\n  ret void\n}"
    )
    assert diff("machine", first, first.replace("%5", "%8").replace("%4", "%7")).is_equal
    assert not diff("machine", first, first.replace("fadd", "fmul")).is_equal


def test_equal_texts_print_nothing() -> None:
    assert unified("jaxpr", JAXPR, JAXPR) == ""


def test_a_missing_text_says_why() -> None:
    missing = Unavailable("There is none.")
    broken = Stage("machine", "machine", missing, missing, Cost(), math.nan)
    assert diff_texts(stage("machine", "x"), broken, None) is missing


def test_the_rows_hold_every_line_of_both_sides_in_order(edited: Comparison) -> None:
    for compared in edited.stages:
        texts = compared.texts
        assert isinstance(texts, TextDiff)
        for side in ("first", "second"):
            lines = [getattr(row, side) for row in texts.rows]
            numbers = [line.number for line in lines if line is not None]
            assert numbers == sorted(set(numbers))


def test_an_edit_of_a_real_program(edited: Comparison, take: Take) -> None:
    texts = edited.stages[0].texts
    assert isinstance(texts, TextDiff)
    assert (texts.count("added"), texts.count("removed"), texts.count("changed")) == (1, 0, 1)
    after = take("f(f32[8])", EDITED).stages[0].text
    assert isinstance(after, StageText)
    assert len([row for row in texts.rows if row.second]) == after.text.count("\n") + 1


@pytest.mark.parametrize("count", [20_000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_many_thousands_of_lines(count: int) -> None:
    lines = [f"  %{i} = fadd float %{i - 1}, {i % 97}.0" for i in range(1, count)]
    first, second = "\n".join(lines), "\n".join([*lines[:777], "  nop", *lines[777:]])
    found = diff("machine", first, second)
    assert found.count("added") == 1
    assert np.array_equal([row.kind for row in found.rows[:777]], ["same"] * 777)
