"""Lines of machine code lead to the instructions that they compute."""

from __future__ import annotations

from jaxscope.model import Graph, GraphBuilder, NodeKind
from jaxscope.program.machine.kernel_text import link_kernel_lines

TEXT = """\
; no assembly: something
; ===== tanh_fusion =====         tanh_fusion
; ----- LLVM IR before -----      tanh_fusion
define ptr @tanh_fusion(ptr %0) { tanh_fusion
}                                 tanh_fusion
define internal @inner(ptr %0) {  tanh_fusion
; ----- assembly for x86-64: tanh_fusion, 1,024 bytes ----- tanh_fusion
  0: ret                          tanh_fusion

; ===== jit_f =====
source_filename = "jit_f"
define ptr @"slice.5"(ptr %0) #0 { slice.5
  ret                             slice.5
}                                 slice.5
attributes #0
; ----- assembly for AArch64: slice.5, 4 bytes ----- slice.5
  0: ret                          slice.5
; ----- assembly for AArch64: helper, 4 bytes -----
  0: ret"""
NAMES = ("tanh_fusion", "slice.5")


def optimized() -> Graph:
    builder = GraphBuilder()
    for name in NAMES:
        builder.add_node(f"main/{name}", NodeKind.INSTRUCTION, "fusion", name=name)
    return builder.build()


def test_each_line_leads_to_its_function_or_its_kernel() -> None:
    lines, wanted = [], []
    for line in TEXT.split("\n"):
        name = next((name for name in NAMES if line.endswith(f" {name}")), "")
        lines.append(line.removesuffix(name).rstrip())
        wanted.append(NAMES.index(name) if name else -1)

    nodes = link_kernel_lines("\n".join(lines), optimized())

    assert nodes.tolist() == wanted
