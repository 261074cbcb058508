"""What a group's layout arranges: boxes and ports, where the two parts of a gradient are one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection

from jaxscope.analysis.layout.halves import (
    GAP_PX,
    WIDE_GAP_PX,
    Duo,
    Pair,
    lead_across,
    lead_around,
    lead_to,
    measure_duo,
)
from jaxscope.analysis.layout.layered import Drawing, Stub
from jaxscope.analysis.layout.loose_ends import LooseEnd
from jaxscope.analysis.layout.routing import Route
from jaxscope.analysis.layout.wiring import End, Port, Wire

_PORT_PX = 8.0

SizeOf = Callable[[int], tuple[float, float]]
"""Size of a box across the flow and along it."""

ShiftOf = Callable[[End, int, bool], float]
"""Where a line of a bundle meets an open group, entering it or not; NaN where it may choose."""


class Room:
    """The units of one layout.

    Args:
        ends: Boxes and ports.
        wires: The lines between them.
        pairs: Boxes of which two are one unit.
        opened: The boxes of the pairs that are open.

    Attributes:
        units: One end of each unit.
        index: Of each end, the number of its unit.
        sizes: Of each unit, across and along.
        wide: The units that pairs are.
    """

    def __init__(
        self,
        ends: list[End],
        wires: list[Wire],
        pairs: tuple[Pair, ...],
        opened: Collection[int],
        size_of: SizeOf,
        shift_of: ShiftOf,
    ) -> None:
        self._ends, self._wires, self._opened, self._shift_of = ends, wires, opened, shift_of
        self._numbers = {end: number for number, end in enumerate(ends)} if pairs else {}
        self._pair_of = {part: pair for pair in pairs for part in pair}
        self._duos: dict[Pair, Duo] = {}
        self._lanes: dict[tuple[Pair, int], int] = {}
        self.units: list[End] = []
        self.index: dict[End, int] = {}
        self.sizes: list[tuple[float, float]] = []
        for end in ends:
            pair = None if isinstance(end, Port) else self._pair_of.get(end)
            if pair is not None and end == pair.backward:
                continue
            self.index[end] = len(self.units)
            if pair is not None:
                self.index[pair.backward] = len(self.units)
                duo = self._duos[pair] = self._measure(pair, size_of)
                self.sizes.append((duo.across, duo.along))
            else:
                self.sizes.append((_PORT_PX, 0.0) if isinstance(end, Port) else size_of(end))
            self.units.append(end)
        self.wide = frozenset(self.index[pair.forward] for pair in pairs)

    def _measure(self, pair: Pair, size_of: SizeOf) -> Duo:
        if pair.backward in self._opened:
            for wire in self._wires:
                if wire.source == pair.backward:
                    number = sum(1 for each, _ in self._lanes if each == pair)
                    self._lanes.setdefault((pair, wire.bundle), number)
        num_lanes = sum(1 for each, _ in self._lanes if each == pair)
        is_closed = self._opened_of(pair) == 0
        gap = WIDE_GAP_PX if is_closed else GAP_PX
        return measure_duo(size_of(pair.forward), size_of(pair.backward), gap, num_lanes)

    def _opened_of(self, pair: Pair) -> int:
        return sum(part in self._opened for part in pair)

    def _part(self, end: End) -> Pair | None:
        return None if isinstance(end, Port) else self._pair_of.get(end)

    def is_inside(self, wire: Wire) -> bool:
        """Whether a line leads from one part of a pair to the other."""
        return bool(self._pair_of) and (wire.source, wire.target) in self._duos

    def shift(self, end: End, bundle: int, is_entry: bool) -> float:
        """Where a line meets the unit of an end, across from its centre."""
        shift = self._shift_of(end, bundle, is_entry)
        pair = self._part(end)
        if pair is None:
            return shift
        duo = self._duos[pair]
        if not is_entry and end in self._opened and (pair, bundle) in self._lanes:
            return duo.lane(self._lanes[pair, bundle])
        at = duo.at[end == pair.backward][0]
        return at + shift if shift == shift else at

    def expand(self, drawing: Drawing, loose: list[LooseEnd]) -> Drawing:
        """A drawing of the units as one of the ends; routes are numbered as the wires are."""
        if not self._pair_of:
            return drawing
        centres = list(zip(drawing.x, drawing.y, strict=True))
        places = [self._place(end, centres[self.index[end]]) for end in self._ends]
        routes: list[Route] = [()] * len(self._wires)
        drawn = [n for n, wire in enumerate(self._wires) if not self.is_inside(wire)]
        for number, route in zip(drawn, drawing.routes, strict=True):
            wire = self._wires[number]
            if route:
                before = self._lead(wire.source, wire.bundle, route[0], centres, False)
                after = self._lead(wire.target, wire.bundle, route[-1], centres, True)
                routes[number] = (*before, *route, *after)
        for number, wire in enumerate(self._wires):
            pair = self._part(wire.source)
            if self.is_inside(wire) and pair is not None and not self._opened_of(pair):
                centre = centres[self.index[pair.forward]]
                routes[number] = lead_across(self._duos[pair], centre)
        stubs = tuple(self._restore(stub, drawn, loose, centres) for stub in drawing.stubs)
        return dataclasses.replace(
            drawing,
            x=tuple(x for x, _ in places),
            y=tuple(y for _, y in places),
            routes=tuple(routes),
            stubs=stubs,
        )

    def _place(self, end: End, centre: tuple[float, float]) -> tuple[float, float]:
        pair = self._part(end)
        if pair is None:
            return centre
        x, y = self._duos[pair].at[end == pair.backward]
        return centre[0] + x, centre[1] + y

    def _lead(
        self,
        end: End,
        bundle: int,
        corner: tuple[float, float],
        centres: list[tuple[float, float]],
        is_entry: bool,
    ) -> Route:
        """The way between the border of a pair's room and the part that a line belongs to."""
        pair = self._part(end)
        if pair is None:
            return ()
        duo, centre = self._duos[pair], centres[self.index[end]]
        lane = None if is_entry else self._lanes.get((pair, bundle))
        if lane is None or end != pair.backward:
            return lead_to(duo, centre, end == pair.backward, corner)
        at = self._shift_of(end, bundle, False)
        return lead_around(duo, centre, at if at == at else 0.0, lane)

    def _restore(
        self,
        stub: Stub,
        drawn: list[int],
        loose: list[LooseEnd],
        centres: list[tuple[float, float]],
    ) -> Stub:
        """A stub with the numbers of wires and ends."""
        first = stub.links[0]
        if first >= len(drawn):
            number = first - len(drawn)
            end, bundle = loose[number].end, loose[number].bundle
            links: tuple[int, ...] = (len(self._wires) + number,)
        else:
            links = tuple(drawn[link] for link in stub.links)
            wire = self._wires[links[0]]
            ends = (wire.source, wire.target)
            end = ends[0] if self.index[ends[0]] == stub.node else ends[1]
            bundle = wire.bundle
        corner = stub.line[0] if stub.is_source else stub.line[-1]
        lead = self._lead(end, bundle, corner, centres, not stub.is_source)
        line = (*lead, *stub.line) if stub.is_source else (*stub.line, *lead)
        return dataclasses.replace(stub, node=self._numbers[end], links=links, line=line)
