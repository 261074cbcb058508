"""What became of equations between StableHLO and HLO, before XLA's first pass."""

from __future__ import annotations

import functools

from jaxscope.analysis.fates.instructions import Instructions
from jaxscope.model.graph import Graph


class Lowering:
    """Compares the StableHLO of a program with the HLO that XLA makes of it.

    Args:
        lowered: Graph of the stage `stablehlo`.
        before: The module before optimization.
    """

    def __init__(self, lowered: Graph, before: Instructions) -> None:
        self._lowered = lowered
        self._before = before

    def has_simplified(self, id: str) -> bool:
        """Whether StableHLO has an equation and HLO has not, while what reads it is in both.

        Its readers work from something else now: it is not that nothing read it.
        """
        if id in self._before.holders:
            return False
        return any(
            other != id and other in self._before.holders
            for operation in self._operations.get(id, ())
            for reader in self._readers.get(operation, ())
            for other in self._lowered.row(self._lowered.nodes.derived, reader)
        )

    @functools.cached_property
    def _operations(self) -> dict[str, list[int]]:
        """Operations of StableHLO by the equation whose name they carry."""
        found: dict[str, list[int]] = {}
        for operation in range(len(self._lowered.nodes)):
            for id in self._lowered.row(self._lowered.nodes.derived, operation):
                found.setdefault(id, []).append(operation)
        return found

    @functools.cached_property
    def _readers(self) -> dict[int, list[int]]:
        edges = self._lowered.edges
        found: dict[int, list[int]] = {}
        for source, target in zip(edges.source.tolist(), edges.target.tolist(), strict=True):
            found.setdefault(source, []).append(target)
        return found
