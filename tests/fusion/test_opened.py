"""A fusion opened: what goes in and out, what it is, and the traffic it saves."""

from __future__ import annotations

import math

from jaxscope.program.fusion.fusions import find_fusions, read_kind
from jaxscope.report.fusion import describe_saving

from .programs import CHAIN, read


def test_a_fusion_saves_writing_its_intermediate_results_and_each_reading_of_them() -> None:
    (fusion,) = find_fusions(read(CHAIN))
    # sine is read twice by the product, the product once by the sum: 32 bytes each time.
    assert (fusion.saving.bytes_written, fusion.saving.bytes_read) == (64.0, 96.0)
    assert fusion.saving.num_values == 2
    assert [(value.id, value.num_bytes) for value in fusion.inputs] == [("x", 32.0)]
    assert [value.type for value in fusion.outputs] == ["f32[8]"]
    assert dict(fusion.operations) == {"sine": 1, "multiply": 1, "add": 1}


def test_a_fusion_of_one_instruction_saves_nothing() -> None:
    text = CHAIN.replace("ROOT total = f32[8] add(square, p0)", "").replace(
        "square = f32[8] multiply(sine, sine)", ""
    )
    (fusion,) = find_fusions(read(text.replace("  sine =", "  ROOT sine =")))
    assert fusion.saving.num_bytes == 0.0
    assert describe_saving(fusion).startswith("nothing")


def test_what_a_fusion_writes_anyway_is_not_saved() -> None:
    text = (
        CHAIN.replace("-> f32[8] {\n  p0", "-> (f32[8], f32[8]) {\n  p0")
        .replace("ROOT total", "total")
        .replace("square, p0)\n", "square, p0)\n  ROOT t = (f32[8], f32[8]) tuple(sine, total)\n")
        .replace("(x: f32[8]) -> f32[8]", "(x: f32[8]) -> (f32[8], f32[8])")
        .replace("chain = f32[8]", "chain = (f32[8], f32[8])")
    )
    (fusion,) = find_fusions(read(text))
    # The sine leaves the fusion: it is written, but the product need not read it back.
    assert (fusion.saving.bytes_written, fusion.saving.bytes_read) == (32.0, 96.0)
    assert len(fusion.outputs) == 2


def test_a_part_that_is_taken_counts_as_the_part() -> None:
    text = """HloModule part
fused (p0: f32[8]) -> f32[2] {
  p0 = f32[8] parameter(0)
  sine = f32[8] sine(p0)
  part = f32[2] slice(sine), slice={[0:2]}
  ROOT end = f32[2] negate(part)
}
ENTRY main (x: f32[8]) -> f32[2] {
  x = f32[8] parameter(0)
  ROOT whole = f32[2] fusion(x), kind=kLoop, calls=fused
}
"""
    (fusion,) = find_fusions(read(text))
    assert (fusion.saving.bytes_written, fusion.saving.bytes_read) == (32.0 + 8.0, 8.0 + 8.0)


def test_a_number_that_is_repeated_is_no_intermediate_result() -> None:
    text = """HloModule scaled
fused (p0: f32[8], p1: f32[2]) -> f32[8] {
  p0 = f32[8] parameter(0)
  half = f32[] constant(0.5)
  halves = f32[8] broadcast(half), dimensions={}
  product = f32[8] multiply(p0, halves)
  p1 = f32[2] parameter(1)
  wide = f32[2,4] broadcast(p1), dimensions={0}
  rows = f32[8] reshape(wide)
  ROOT end = f32[8] add(product, rows)
}
ENTRY main (x: f32[8], y: f32[2]) -> f32[8] {
  x = f32[8] parameter(0)
  y = f32[2] parameter(1)
  ROOT whole = f32[8] fusion(x, y), kind=kLoop, calls=fused
}
"""
    (fusion,) = find_fusions(read(text))
    # The product, the broadcast of an array and what reshapes it: 32 bytes each.
    assert (fusion.saving.bytes_written, fusion.saving.bytes_read) == (96.0, 96.0)
    assert fusion.saving.num_values == 3


def test_a_size_that_is_not_known_leaves_the_saving_unknown_and_says_which() -> None:
    (fusion,) = find_fusions(read(CHAIN.replace("f32", "s4").replace("sine(", "negate(")))
    assert math.isnan(fusion.saving.num_bytes)
    assert fusion.saving.reason == "The size of s4[8] is not known."
    assert describe_saving(fusion).startswith("unknown: ")


def test_kinds_in_words_keep_the_compilers_own() -> None:
    assert read_kind({"fusion_kind": "kLoop"}).text.startswith("kLoop: one loop")
    own = {"fusion_kind": "kCustom", "fusion_config": "__new_library"}
    assert read_kind(own).text.startswith("kCustom (__new_library): ")
    assert read_kind({"fusion_kind": "kSomethingNew"}).text == "kSomethingNew"
    assert read_kind({}).text == "of no stated kind"
