"""Reading captures of samples: graphs, operations, costs."""

from __future__ import annotations

from collections.abc import Callable

from jaxscope.model import Capture, Graph, NodeKind

CaptureOf = Callable[[str, str], Capture]
"""From a sample's file name and a call."""

PROGRAM_KINDS = (NodeKind.EQUATION, NodeKind.OPERATION, NodeKind.INSTRUCTION)


def graph(capture: Capture, stage: str) -> Graph:
    """The graph of a stage, which must have one."""
    found = capture.stage(stage)
    assert found is not None
    assert isinstance(found.graph, Graph), found.graph
    return found.graph


def operations(capture: Capture, stage: str) -> list[str]:
    """What the equations, operations or instructions of a stage are, in program order."""
    nodes = [graph(capture, stage).node(i) for i in range(len(graph(capture, stage).nodes))]
    return [node.operation for node in nodes if node.kind in PROGRAM_KINDS]


def flops(capture: Capture) -> float:
    """FLOPs of the optimized module."""
    optimized = capture.stage("optimized")
    assert optimized is not None
    return optimized.cost.flops
