"""Compare on which devices arrays lie: of two programs, of their arguments and results, of nodes.

Only what both sides say is compared: what one side leaves open differs from nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from jaxscope.analysis.comparison.matching import Matching
from jaxscope.analysis.sharding.arrays import SpreadArray, find_arrays
from jaxscope.analysis.sharding.nodes import NodeSharding, NodeShardings
from jaxscope.analysis.sharding.report import tell_devices
from jaxscope.analysis.sharding.words import tell_sharding
from jaxscope.model import NONE, Capture, Graph, Unavailable, is_available
from jaxscope.model.sharding import Placement, Sharding

DEVICES = "devices"


@dataclasses.dataclass(frozen=True, slots=True)
class PlacementDifference:
    """Something that lies otherwise.

    Attributes:
        what: `devices`, `argument` or `result`.
        path: Where it sits in the pytree; empty for the devices.
        before: How it lies on the first side, in words.
        after: On the second.
    """

    what: str
    path: str
    before: str
    after: str

    @property
    def name(self) -> str:
        """What it is, and which."""
        return self.what if self.path in ("", self.what) else f"{self.what} {self.path}"


@dataclasses.dataclass(frozen=True, slots=True)
class NodePlacementDifference:
    """A node that both sides have, of which a value lies otherwise.

    Attributes:
        first: Its index in the first side's graph.
        second: Its index in the second's.
        before: How it lies on the first side, in words.
        after: On the second.
    """

    first: int
    second: int
    before: str
    after: str


def compare_placements(a: Capture, b: Capture) -> tuple[PlacementDifference, ...] | Unavailable:
    """What lies otherwise of the devices, the arguments and the results."""
    for capture in (a, b):
        if isinstance(capture.placement, Unavailable):
            return capture.placement
    assert is_available(a.placement)
    assert is_available(b.placement)
    return tuple(_compare_known(a, b, a.placement, b.placement))


def _compare_known(
    a: Capture, b: Capture, before: Placement, after: Placement
) -> Iterator[PlacementDifference]:
    devices = tell_devices(before), tell_devices(after)
    if devices[0] != devices[1]:
        yield PlacementDifference(DEVICES, "", *devices)
    arrays, others = find_arrays(a), find_arrays(b)
    if isinstance(arrays, Unavailable) or isinstance(others, Unavailable):
        return
    partners = {(other.role, other.path): other for other in others}
    for array in arrays:
        other = partners.get((array.role, array.path))
        if other is not None and (words := _differ(array, other)) is not None:
            yield PlacementDifference(array.role, array.path, *words)


def _differ(array: SpreadArray, other: SpreadArray) -> tuple[str, str] | None:
    """How two arrays lie, if that is known and not the same."""
    if isinstance(array.sharding, Unavailable) or isinstance(other.sharding, Unavailable):
        return None
    if array.sharding == other.sharding:
        return None
    if array.text == other.text:  # cut alike, on devices in another order
        return f"{array.text} ({array.hlo_text})", f"{other.text} ({other.hlo_text})"
    return array.text, other.text


class NodePlacements:
    """Compares the nodes of two captures, stage by stage."""

    def __init__(self, a: Capture, b: Capture) -> None:
        self._sides = (_Side(a), _Side(b))

    def compare(
        self, stages: tuple[str, str], graphs: tuple[Graph, Graph], matching: Matching
    ) -> tuple[NodePlacementDifference, ...]:
        """The matched nodes of a stage of which a value lies otherwise."""
        if not any(side.has_several for side in self._sides):
            return ()  # one device holds everything: nothing can lie otherwise
        first, second = self._sides
        found: list[NodePlacementDifference] = []
        for node, partner in enumerate(matching.second_of_first.tolist()):
            if partner == NONE:
                continue
            before = first.known.of(stages[0], graphs[0], node)
            after = second.known.of(stages[1], graphs[1], partner) if before else ()
            if len(before) == len(after) and _shardings(before) != _shardings(after):
                words = first.tell(before), second.tell(after)
                if words[0] == words[1]:
                    words = _spell(before), _spell(after)
                found.append(NodePlacementDifference(node, partner, *words))
        return tuple(found)


class _Side:
    def __init__(self, capture: Capture) -> None:
        self.known = NodeShardings(capture)
        placement = capture.placement
        self._placement = placement if is_available(placement) else None

    @property
    def has_several(self) -> bool:
        return self._placement is not None and len(self._placement.devices) > 1

    def tell(self, values: Sequence[NodeSharding]) -> str:
        placement = self._placement
        axes, number = (placement.axes, len(placement.devices)) if placement else ((), 0)
        return "; ".join(tell_sharding(value.sharding, axes, number) for value in values)


def _shardings(values: Sequence[NodeSharding]) -> list[Sharding]:
    return [value.sharding for value in values]


def _spell(values: Sequence[NodeSharding]) -> str:
    return "; ".join(value.text for value in values)
