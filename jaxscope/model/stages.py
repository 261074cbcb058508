"""The stages of a program in pipeline order, and the stage that was lowered."""

from __future__ import annotations

from collections.abc import Iterable

from jaxscope.model.capture import Capture, Stage
from jaxscope.model.graph import Graph, NodeKind
from jaxscope.model.unavailable import is_available

STAGES_AFTER_JAXPR = ("gradient", "stablehlo", "hlo", "passes", "optimized", "machine")


def find_lowered_jaxpr(capture: Capture) -> Graph | None:
    """The graph of the last jaxpr-level stage of the call itself: what was lowered."""
    return find_lowered_jaxpr_among(capture.stages)


def find_lowered_jaxpr_among(stages: Iterable[Stage]) -> Graph | None:
    found = None
    for stage in stages:
        if stage.name != "gradient" and is_available(stage.graph):
            graph = stage.graph
            if bool((graph.nodes.kind == NodeKind.EQUATION).any()):
                found = graph
    return found


LATE_STAGES = frozenset({"gradient", "stablehlo", "hlo", "passes", "optimized", "machine"})
