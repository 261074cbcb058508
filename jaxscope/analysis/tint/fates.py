"""Colours by fate: what became of each equation in the optimized module."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.tint.values import most_common
from jaxscope.model import Graph, NodeKind

Int32s = npt.NDArray[np.int32]

FATES = (
    ("fused", "fused", 1, False),
    ("kernel", "a kernel of its own", 6, False),
    ("library", "a library's", 2, False),
    ("layout", "only moves bytes", 5, False),
    ("folded", "became a constant", 3, False),
    ("merged", "merged with another", 4, False),
    ("simplified", "rewritten away", 7, False),
    ("dead", "dead: nothing uses it", 0, True),
    ("unknown", "unknown", 0, True),
)
"""Name, words for the legend, colour, and whether the border is dashed."""

_CODES = {name: code for code, (name, *_) in enumerate(FATES)}


def fate_codes(graph: Graph, scene: Scene, fates: Mapping[str, str]) -> Int32s:
    """The place in `FATES` of each item of a scene, -1 where none is known.

    A closed box has the fate that most of what is in it has; equations that are only a box
    around others are not counted.
    """
    codes = np.full(len(graph.nodes), -1, np.int32)
    owners = set(graph.groups.owner.tolist())
    for node, kind in enumerate(graph.nodes.kind.tolist()):
        if kind == NodeKind.EQUATION and node not in owners:
            codes[node] = _CODES.get(fates.get(graph.string(graph.nodes.id, node), ""), -1)
    return most_common(codes, scene.item_of_node, len(scene.items))
