"""How completely the stages of the samples are linked, and how many fates are known."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from jaxscope.client import one_shot
from jaxscope.client.requests import CaptureRequest
from jaxscope.client.session import Session
from jaxscope.errors import JaxscopeError
from jaxscope.model import Capture, Graph, NodeKind

_SAMPLES = Path(__file__).parents[1] / "samples"


@dataclasses.dataclass
class Coverage:
    """Counts over many captures.

    Attributes:
        captures: How many there were.
        failed: Calls that gave none; some samples fail on purpose.
        named: Instructions whose `op_name` is that of an equation.
        linked: Of those, the ones linked to an equation.
        instructions: All instructions of the optimized modules.
        equations: Equations of the base functions.
        known_fates: Of those, the ones whose fate is known.
    """

    captures: int = 0
    failed: int = 0
    named: int = 0
    linked: int = 0
    instructions: int = 0
    equations: int = 0
    known_fates: int = 0

    def add(self, capture: Capture) -> None:
        """Count a capture in."""
        self.captures += 1
        optimized, base = capture.stage("optimized"), capture.stage("jaxpr")
        if optimized is not None and isinstance(optimized.graph, Graph):
            self._add_instructions(optimized.graph)
        if base is not None and isinstance(base.graph, Graph):
            kinds = base.graph.nodes.kind
            self.equations += int((kinds == NodeKind.EQUATION).sum())
        self.known_fates += sum(fate.fate != "unknown" for fate in capture.fates.values())

    def _add_instructions(self, graph: Graph) -> None:
        for index in range(len(graph.nodes)):
            node = graph.node(index)
            self.instructions += 1
            # Parameters are named by argument path, reducers' insides by the reduction alone.
            if "/" in node.attributes.get("op_name", "") and node.operation != "parameter":
                self.named += 1
                self.linked += bool(node.origins or node.derived)


def read_samples() -> Coverage:
    """Capture every call that the samples offer."""
    coverage = Coverage()
    with Session() as session:
        for path in sorted(_SAMPLES.glob("*.py")):
            for offered in one_shot.outline(str(path)).calls:
                try:
                    capture = session.start(CaptureRequest(str(path), offered.call)).wait()
                except JaxscopeError:
                    coverage.failed += 1
                    continue
                if isinstance(capture, Capture):
                    coverage.add(capture)
    return coverage
