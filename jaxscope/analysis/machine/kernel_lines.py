"""Which instruction of the optimized program each line of machine code computes."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from jaxscope.model.graph import NONE, Graph

_HEADING = re.compile(r"; ===== (?P<kernel>.+) =====")


def link_kernel_lines(text: str, optimized: Graph) -> npt.NDArray[np.int32]:
    """Find the instruction of each line of the stage `machine`.

    A kernel bears the name of the instruction that it was generated for. XLA generates one kernel
    for several instructions that compute the same; the others are not told, so they have no line.

    Returns:
        int32, one per line of `text`: index of a node of `optimized`, or -1.
    """
    strings = optimized.strings
    by_name = {strings[s]: index for index, s in enumerate(optimized.nodes.name.tolist())}
    lines = text.split("\n")
    nodes = np.full(len(lines), NONE, np.int32)
    current = NONE
    for number, line in enumerate(lines):
        match = _HEADING.fullmatch(line)
        if match is not None:
            current = by_name.get(match["kernel"], NONE)
        nodes[number] = current if line else NONE
    return nodes
