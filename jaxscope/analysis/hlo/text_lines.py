"""Which instruction each line of a module's text defines."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from jaxscope.model.graph import NONE, Graph

_DEFINITION = re.compile(r"^\s+(?:ROOT\s+)?%?([^\s=%]+) = ")


def link_hlo_lines(text: str, graph: Graph) -> npt.NDArray[np.int32]:
    """Find the node of each line of `as_text()`.

    Names are unique in a module, so the name alone decides; a line that defines nothing (a
    header, a brace, a table of frames) has none.

    Returns:
        int32, one per line of `text`: node index, or -1.
    """
    strings = graph.strings
    by_name = {strings[s]: index for index, s in enumerate(graph.nodes.name.tolist())}
    lines = text.split("\n")
    nodes = np.full(len(lines), NONE, np.int32)
    for number, line in enumerate(lines):
        match = _DEFINITION.match(line)
        if match is not None:
            nodes[number] = by_name.get(match[1], NONE)
    return nodes
