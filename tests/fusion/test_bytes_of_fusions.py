"""What a fusion reads and writes of its operands and results, against XLA's own count by operand.

Each program becomes one fusion, so that XLA's count of the module is that of the fusion.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.export.capture_json import capture_to_json
from jaxscope.in_process import capture_function
from jaxscope.program.fusion import summary
from jaxscope.program.fusion.fusions import Fusion, find_fusions
from jaxscope.program.fusion.summary import report_fusions
from jaxscope.report.answers import Evidence, answer_question, find_question
from jaxscope.report.fusion import add_fusion_notes

from .programs import CHAIN, read

LONG = np.ones(4096, np.float32)
SHORT = np.ones(64, np.float32)
START = np.int32(3)


def cut(x: Any) -> Any:
    return jnp.sin(x[100:164]) * 2


def cut_twice(x: Any) -> Any:
    return jnp.sin(x[100:164]) * x[200:264]


def cut_at(x: Any, i: Any) -> Any:
    return jnp.sin(jax.lax.dynamic_slice(x, (i,), (64,))) * 2


def all_of_it(x: Any) -> Any:
    return jnp.sin(x) * x


def put(x: Any, u: Any, i: Any) -> Any:
    return jax.lax.dynamic_update_slice(x, jnp.sin(u) * 2, (i,))


CASES: list[tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]] = [
    (cut, (LONG,), ()),
    (cut_twice, (LONG,), ()),
    (cut_at, (LONG, START), ()),
    (all_of_it, (LONG,), ()),
    (put, (LONG, SHORT, START), (0,)),
]


def fusion_of(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Fusion:
    report = report_fusions(capture_function(function, arguments, {}).stages)
    assert report is not None
    *_, last = report.fusions
    return last


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("function", "arguments", "donated"), CASES)
def test_each_operand_and_the_result_count_as_xla_counts_them(
    function: Callable[..., Any], arguments: tuple[Any, ...], donated: tuple[int, ...]
) -> None:
    compiled = jax.jit(function, donate_argnums=donated).lower(*arguments).compile()
    assert compiled.as_text().count(" fusion(") == 1
    counted = compiled.cost_analysis()
    assert isinstance(counted, dict)
    fusion = fusion_of(function, arguments)
    expected = sum(counted.get(f"bytes accessed{k}{{}}", 0.0) for k in range(len(arguments)))
    assert fusion.bytes_read == expected
    assert fusion.bytes_written == counted["bytes accessedout{}"]


def test_a_gather_reads_what_it_takes_and_its_indices() -> None:
    indices = np.array([5, 9, 5], np.int32)
    fusion = fusion_of(lambda x, i: jnp.sin(x[i]) * 2, (LONG, indices))
    assert {value.type: value.bytes_moved for value in fusion.inputs} == {
        "f32[4096]": LONG[indices].nbytes,
        "s32[3]": indices.nbytes,
    }


def test_what_a_fusion_computes_is_written_in_full_though_a_part_of_it_is_replaced() -> None:
    """XLA counts the part, and puts the whole result into new memory: nothing is there before."""

    def transposed(x: Any) -> Any:
        return x.T.at[0].set(1.0)

    square = np.ones((3, 5), np.float32)
    compiled = jax.jit(transposed).lower(square).compile()
    plan = compiled.memory_analysis()
    assert plan.output_size_in_bytes == square.nbytes and plan.alias_size_in_bytes == 0
    assert fusion_of(transposed, (square,)).bytes_written == square.nbytes


def test_parts_that_are_replaced_one_after_the_other_count_together() -> None:
    text = """HloModule twice
fused (p0: f32[4096], p1: f32[64], p2: s32[], p3: s32[]) -> f32[4096] {
  p0 = f32[4096] parameter(0)
  p1 = f32[64] parameter(1)
  p2 = s32[] parameter(2)
  p3 = s32[] parameter(3)
  new = f32[4096] dynamic-update-slice(p0, p1, p2)
  ROOT newer = f32[4096] dynamic-update-slice(new, p1, p3)
}
ENTRY main (x: f32[4096], u: f32[64], i: s32[], j: s32[]) -> f32[4096] {
  x = f32[4096] parameter(0)
  u = f32[64] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  ROOT whole = f32[4096] fusion(x, u, i, j), kind=kLoop, calls=fused
}
"""
    (fusion,) = find_fusions(read(text))
    assert fusion.bytes_written == 2 * SHORT.nbytes


def test_an_operand_that_a_fusion_gives_back_as_another_shape_counts_in_full() -> None:
    text = """HloModule same
fused (p0: f32[4096]) -> f32[64,64] {
  p0 = f32[4096] parameter(0)
  ROOT end = f32[64,64] bitcast(p0)
}
ENTRY main (x: f32[4096]) -> f32[64,64] {
  x = f32[4096] parameter(0)
  ROOT whole = f32[64,64] fusion(x), kind=kLoop, calls=fused
}
"""
    (fusion,) = find_fusions(read(text))
    assert fusion.bytes_written == LONG.nbytes


def test_a_slice_of_a_reshaped_operand_reads_the_slice() -> None:
    """XLA counts all of it here, as of a gather: the definition in the tooltip says so."""
    fusion = fusion_of(lambda x: jnp.sin(x.reshape(64, 64)[3]), (LONG,))
    assert fusion.bytes_read == LONG.reshape(64, 64)[3].nbytes


def test_what_is_replaced_and_then_read_again_is_read_in_full() -> None:
    text = """HloModule again
fused (p0: f32[4096], p1: f32[64], p2: s32[]) -> f32[4096] {
  p0 = f32[4096] parameter(0)
  p1 = f32[64] parameter(1)
  p2 = s32[] parameter(2)
  new = f32[4096] dynamic-update-slice(p0, p1, p2)
  ROOT end = f32[4096] sine(new)
}
ENTRY main (x: f32[4096], u: f32[64], i: s32[]) -> f32[4096] {
  x = f32[4096] parameter(0)
  u = f32[64] parameter(1)
  i = s32[] parameter(2)
  ROOT whole = f32[4096] fusion(x, u, i), kind=kLoop, calls=fused
}
"""
    (fusion,) = find_fusions(read(text))
    assert [value.bytes_moved for value in fusion.inputs] == [16384.0, 256.0, 4.0]
    assert fusion.bytes_written == 16384.0


def test_of_several_results_one_replaced_in_place_counts_as_its_part() -> None:
    text = """HloModule several
fused (p0: f32[4096], p1: f32[64], p2: s32[]) -> (f32[64], f32[4096]) {
  p0 = f32[4096] parameter(0)
  p1 = f32[64] parameter(1)
  p2 = s32[] parameter(2)
  twice = f32[64] add(p1, p1)
  new = f32[4096] dynamic-update-slice(p0, twice, p2)
  ROOT both = (f32[64], f32[4096]) tuple(twice, new)
}
ENTRY main (x: f32[4096], u: f32[64], i: s32[]) -> (f32[64], f32[4096]) {
  x = f32[4096] parameter(0)
  u = f32[64] parameter(1)
  i = s32[] parameter(2)
  ROOT whole = (f32[64], f32[4096]) fusion(x, u, i), kind=kLoop, calls=fused
}
"""
    (fusion,) = find_fusions(read(text))
    assert [value.bytes_moved for value in fusion.inputs] == [0.0, 256.0, 4.0]
    assert [value.bytes_moved for value in fusion.outputs] == [256.0, 256.0]


def test_an_operand_that_a_fusion_inside_cuts_counts_as_the_part() -> None:
    text = """HloModule inside
inner (q0: f32[4096]) -> f32[64] {
  q0 = f32[4096] parameter(0)
  ROOT part = f32[64] slice(q0), slice={[0:64]}
}
fused (p0: f32[4096]) -> f32[64] {
  p0 = f32[4096] parameter(0)
  part = f32[64] fusion(p0), kind=kLoop, calls=inner
  ROOT end = f32[64] sine(part)
}
ENTRY main (x: f32[4096]) -> f32[64] {
  x = f32[4096] parameter(0)
  ROOT whole = f32[64] fusion(x), kind=kLoop, calls=fused
}
"""
    assert next(f for f in find_fusions(read(text)) if f.id == "whole").bytes_read == 256.0


def test_an_operand_of_unknown_size_is_read_by_an_unknown_amount() -> None:
    (fusion,) = find_fusions(read(CHAIN.replace("f32", "s4").replace("sine(", "negate(")))
    assert fusion.bytes_read != fusion.bytes_read


def test_the_json_the_answer_and_the_attributes_tell_the_same_figure() -> None:
    capture = capture_function(cut, (LONG,), {})
    (told,) = capture_to_json(capture)["fusion"]["fusions"]
    assert [(value["bytes"], value["bytes_read"]) for value in told["inputs"]] == [(16384.0, 256.0)]
    assert [value["bytes_written"] for value in told["outputs"]] == [256.0]
    report = report_fusions(capture.stages)
    assert report is not None
    row = add_fusion_notes(report).attributes(report.fusions[0].node)
    assert row["fusion_reads"] == "f32[4096] (256 B of 16.0 KiB)"
    assert row["fusion_writes"] == "f32[64] (256 B)"
    (fact,) = answer_question(find_question("fusions")[0], Evidence(capture)).facts
    assert " Reads 256 B, writes 256 B. " in fact.text


def test_a_difference_from_xlas_count_is_told_where_its_digits_show_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    report = report_fusions(capture_function(all_of_it, (LONG,), {}).stages)
    assert report is not None and report.other_counts == ""
    (fusion,) = report.fusions

    def told(more: float) -> str:
        xla = SimpleNamespace(low=fusion.bytes_read + fusion.bytes_written + more)
        monkeypatch.setattr(summary, "_bytes", lambda *_: xla)
        return report.other_counts

    assert told(more=2.0) == ""  # of 32 KiB
    assert "reads and writes 32.0 KiB, by XLA 36.0 KiB" in told(more=4096.0)
