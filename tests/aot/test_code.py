"""Machine code of absent chips: bundles of a TPU and their slots, kernels of a GPU by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from jaxscope.model import Capture
from jaxscope.program.machine.kernel_text import link_kernel_lines
from jaxscope.program.machine.listing import CodePart, count_slots, list_machine_code
from jaxscope.worker.stages.machine_code import kernel_files

from .conftest import graph_of, needs_gpu_compiler, needs_tpu_compiler, text_of

Compile = Callable[..., Capture]
BUNDLES = """\
= control target key start
LH: loop header
   0   :  { %s1_s0 = inlined_call_operand.vmem [shape: f32[8], index: 0, kind: input] }
 0x1   :  { %v7_v0 = vld [vmem:[%s1_s0] sm:$0xff]  ;;  %s9_s2 = sshll.u32 %s3_s1, 4 }
 0x2 LB: > { %105 = vmatpush.bf16.msra.mxu0 %v6_v3  ;;  %v9_v2 = vld [vmem:[%s1_s0] sm:$0xff] }
 0x3   :  { %v8_v1 = vadd.f32 %v7_v0, %v7_v0  ;;  %12 = vst [vmem:[#allocation6] sm:$0xff] %v8_v1 }
 0x4   :  {}
"""
PTX = """\
.version 8.8
.target sm_90a
.visible .entry loop_add_fusion_2(
	.param .u64 x
)
{ ret; }
"""


def test_slots_are_counted_bundle_by_bundle() -> None:
    slots = count_slots(BUNDLES)
    assert (slots.bundles, slots.empty, slots.operations) == (5, 2, 6)
    assert dict(slots.used) == {
        "vector loads": 2,
        "scalar unit": 1,
        "matrix unit": 1,
        "vector ALU": 1,
        "vector stores": 1,
    }
    assert "vector loads 40%" in slots.describe()


@pytest.mark.parametrize("text", ["", "no bundles here: {", "0x1 : no brace", "{" * 1000])
def test_other_texts_have_no_bundles(text: str) -> None:
    assert count_slots(text).describe() == "no bundles"


def test_bundles_are_listed_under_their_use() -> None:
    text, reason = list_machine_code([CodePart("fusion.1", "bundles", BUNDLES.encode())])
    assert reason == ""
    assert "; ===== fusion.1 =====" in text
    assert "; 5 bundles, 2 empty" in text


def test_numbered_files_are_named_by_what_they_define(tmp_path: Path) -> None:
    (tmp_path / "module_0001.jit_f.3.ptx").write_text(PTX)
    (tmp_path / "module_0001.jit_f.3.ir-with-opt.ll").write_text(
        "define ptx_kernel void @loop_add_fusion_2(ptr %0) {\n}\n"
    )
    (tmp_path / "module_0001.jit_f.9.ptx").write_text("")
    (tmp_path / "module_0001.jit_f.constants.ir-no-opt.ll").write_text("")
    (tmp_path / "module_0001.jit_f.thunk_sequence.txt").write_text(
        "001: kCustomKernel [source | sink] loop_add_fusion_2 grid: [64, 1, 1] threads: "
        "[128, 1, 1]  shared_memory: 16 bytes\n"
    )
    found, num_left_out = kernel_files(tmp_path.iterdir(), 1 << 20)
    assert num_left_out == 0
    assert {code.kernel for code in found} == {"loop_add_fusion_2"}
    forms = {code.form: code.data.decode() for code in found}
    assert forms["launch"] == "grid: [64, 1, 1], threads: [128, 1, 1], shared memory: 16 bytes"
    assert {"ptx", "ir-with-opt"} <= forms.keys()


def test_too_much_code_is_left_out_kernel_by_kernel(tmp_path: Path) -> None:
    for number, size in enumerate((10, 5000, 10)):
        (tmp_path / f"module_0001.jit_f.kernel{number}.o").write_bytes(b"x" * size)
    found, num_left_out = kernel_files(tmp_path.iterdir(), 1000)
    assert [code.kernel for code in found] == ["kernel0", "kernel2"]
    assert num_left_out == 1


def linked_kernels(capture: Capture) -> set[str]:
    graph = graph_of(capture)
    nodes = link_kernel_lines(text_of(capture, "machine"), graph)
    return {graph.node(index).name for index in set(nodes.tolist()) if index >= 0}


def fusions(capture: Capture) -> set[str]:
    graph = graph_of(capture)
    nodes = [graph.node(index) for index in range(len(graph.nodes.id))]
    return {n.name for n in nodes if n.operation == "fusion" and "backend_config" in n.attributes}


@needs_tpu_compiler
def test_every_fusion_of_a_tpu_has_bundles(compile_for: Compile) -> None:
    capture = compile_for("aot:tpu:v5e:2x2")
    assert linked_kernels(capture)
    assert linked_kernels(capture) <= fusions(capture)
    text = text_of(capture, "machine")
    assert "matrix unit" in text
    assert "; ===== program =====" in text


@needs_gpu_compiler
def test_kernels_of_a_gpu_are_linked_to_their_fusions(compile_for: Compile) -> None:
    capture = compile_for("aot:gpu:h100")
    assert linked_kernels(capture) == fusions(capture)
    text = text_of(capture, "machine")
    assert "grid: [" in text
    assert "; ----- PTX -----" in text
