"""The stage `machine` beside the optimized program: which instruction each line computes, and which
instructions have code of their own.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from jaxscope.model.capture import Stage
from jaxscope.model.graph import NONE, Graph

_NO_NAME = re.compile(r"[^A-Za-z0-9_]")
KERNEL, PART = "; =====", "; -----"
"""What the headings of a kernel and of a part of it begin with; they end with the same signs."""
_ASSEMBLY = f"{PART} assembly for "


def write_heading(kind: str, title: str) -> str:
    """The heading of a kernel or of a part."""
    return f"{kind} {title} {kind.removeprefix('; ')}"


def read_heading(line: str, kind: str) -> str:
    """The title of such a heading; empty for every other line."""
    return line.removeprefix(kind).removesuffix(kind[2:]).strip() if line.startswith(kind) else ""


def link_kernel_lines(text: str, optimized: Graph) -> npt.NDArray[np.int32]:
    """Find the instruction of each line of the stage `machine`.

    A kernel, or a function in it, bears the name of the instruction that it was generated for.
    XLA generates one kernel for several instructions that compute the same; the others are not
    told, so they have no line.

    Returns:
        int32, one per line of `text`: index of a node of `optimized`, or -1.
    """
    by_name = optimized.index_by_name()
    # The GPU's compiler has no dots in names: `gemm_fusion_dot_3` computes `gemm_fusion_dot.3`.
    by_name = {_NO_NAME.sub("_", name): index for name, index in by_name.items()} | by_name
    lines = text.split("\n")
    nodes = np.full(len(lines), NONE, np.int32)
    of_kernel = current = NONE
    for number, line in enumerate(lines):
        if name := read_heading(line, KERNEL):
            of_kernel = current = by_name.get(name, NONE)
        elif line.startswith(("define ", _ASSEMBLY)):
            current = by_name.get(_function_name(line), of_kernel)
        nodes[number] = current if line else NONE
        if line == "}":
            current = of_kernel
    return nodes


def _function_name(line: str) -> str:
    """Of `define … @name(…` or `; ----- assembly for PROCESSOR: name, … bytes -----`.

    No regular expression: lines come from a worker, and may be made to take one for ever.
    """
    if line.startswith(_ASSEMBLY):
        return line.partition(": ")[2].rpartition(" bytes")[0].rpartition(", ")[0]
    return line.partition("@")[2].partition("(")[0].strip('"')


_PREFIX = "__compute_module_"
_SUFFIX = re.compile(r"(?:_elemental)?(?:_kernel)?(?:_module)?$")


def kernel_names(machine: Stage | None) -> frozenset[str] | None:
    """Names of the instructions that have a kernel; None where that is not known."""
    if machine is None or machine.kernels is None:
        return None
    return frozenset(_SUFFIX.sub("", name.removeprefix(_PREFIX)) for name in machine.kernels)
