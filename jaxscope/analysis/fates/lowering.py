"""Where an equation was seen last on its way to XLA, and so who removed it."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from jaxscope.analysis.fates.instructions import Instructions
from jaxscope.analysis.fates.words import in_pass
from jaxscope.model.graph import NONE, Graph, NodeKind

_IN_CONVERSION = " when StableHLO became HLO, before XLA's first pass"
_BY_JAX = " in lowering to StableHLO, by JAX itself"
_BEFORE_XLA = " before XLA's first pass"


class Lowering:
    """Compares the StableHLO of a program with the HLO that XLA makes of it.

    Args:
        lowered: Graph of the stage `stablehlo`, or None if there is none.
        before: The module before optimization, or None if there is none.
        has_passes: Whether XLA's passes were recorded.
    """

    def __init__(
        self, lowered: Graph | None, before: Instructions | None, *, has_passes: bool
    ) -> None:
        self._lowered = lowered
        self._before = before
        self._has_passes = has_passes

    def reaches_xla(self, id: str) -> bool:
        """Whether the module that XLA receives has the equation; so too where that is missing."""
        return self._before is None or id in self._before.holders

    def is_lowered(self, id: str) -> bool:
        """Whether StableHLO has an operation of the equation; so too where it is missing."""
        return self._lowered is None or id in self._operations

    def who(self, id: str, pass_name: str | None = None) -> str:
        """Who removed an equation, as the end of a clause: ` in the pass algsimp`.

        Args:
            id: Of the equation; no instruction of the optimized module carries it.
            pass_name: The pass that was seen to do it, or None.

        Returns:
            Empty where recorded passes do not tell.
        """
        if pass_name:
            return in_pass(pass_name)
        if not self.is_lowered(id) and not self._reached(id):
            return _BY_JAX
        if not self.reaches_xla(id):
            return _BEFORE_XLA if self._lowered is None else _IN_CONVERSION
        return "" if self._has_passes or self._before is None else " by a pass of XLA's"

    def has_simplified(self, id: str) -> bool:
        """Whether StableHLO has an equation and HLO has not, while what reads it is in both.

        Its readers work from something else now: it is not that nothing read it. What a branch
        returns is read by its condition.
        """
        if self._lowered is None or self._before is None or id in self._before.holders:
            return False
        return any(
            other != id and other in self._before.holders
            for operation in self._operations.get(id, ())
            for reader in self._takers(operation)
            for other in self._lowered.row(self._lowered.nodes.derived, reader)
        )

    def _takers(self, operation: int) -> Iterator[int]:
        """What reads an operation; of a region's one result also the operation around."""
        graph = self._lowered
        if graph is None:
            return
        for reader in self._readers.get(operation, ()):
            yield reader
            group = int(graph.nodes.group[reader])
            if graph.nodes.kind[reader] == NodeKind.OUTPUT and group != NONE:
                owner = int(graph.groups.owner[group])
                if owner != NONE and len(graph.row(graph.nodes.types, owner)) == 1:
                    yield owner

    def _reached(self, id: str) -> bool:
        return self._before is not None and id in self._before.holders

    @functools.cached_property
    def _operations(self) -> dict[str, list[int]]:
        """Operations of StableHLO by the equation whose name they carry."""
        found: dict[str, list[int]] = {}
        if self._lowered is not None:
            for operation in range(len(self._lowered.nodes)):
                for id in self._lowered.row(self._lowered.nodes.derived, operation):
                    found.setdefault(id, []).append(operation)
        return found

    @functools.cached_property
    def _readers(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        if self._lowered is not None:
            edges = self._lowered.edges
            for source, target in zip(edges.source.tolist(), edges.target.tolist(), strict=True):
                found.setdefault(source, []).append(target)
        return found
