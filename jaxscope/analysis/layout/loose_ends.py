"""Which lines of a gradient are told by stubs: residuals, and what enters the backward part.

A line from the forward part to the backward part would run against everything between; so the
group that a value leaves and the group that it reaches each get a stub that tells of the other.
"""

from __future__ import annotations

import collections
import functools
import math
from collections.abc import Callable
from typing import NamedTuple

from jaxscope.analysis.layout.halves import Pair, find_pairs
from jaxscope.analysis.layout.wiring import End, Port, Values, Wire, Wiring
from jaxscope.analysis.quantities import format_bytes
from jaxscope.analysis.value_sizes import bytes_of_type
from jaxscope.analysis.view.labels import short_type
from jaxscope.analysis.view.tree import BranchKind
from jaxscope.analysis.view.view import ROOT, View
from jaxscope.model import NONE

_MAX_STUBS_PER_BOX = 2


class LooseEnd(NamedTuple):
    """What a stub stands for.

    Attributes:
        end: The box or port that it sits beside.
        is_source: Whether values leave there.
        text: Written on it.
        far: Boxes at the other ends.
        values: What flows there.
        bundle: One of the bundles that they are in.
    """

    end: End
    is_source: bool
    text: str
    far: tuple[int, ...]
    values: Values
    bundle: int


class LooseEnds:
    """The pairs of a view with some groups open, and the lines that they cut.

    Attributes:
        pairs: By the group that holds them.
        is_reversed: Of each box, whether values flow backward inside of it.
    """

    def __init__(
        self, view: View, wiring: Wiring, name_of: Callable[[int], str], beside: bool
    ) -> None:
        self._view, self._wiring, self._name_of = view, wiring, name_of
        self.pairs: dict[int, tuple[Pair, ...]] = {}
        self._pair_of: dict[int, Pair] = {}
        parents = _parents_of_halves(view) if beside else ()
        for pair in (pair for box in parents for pair in find_pairs(view, box)):
            parent = view.boxes[pair.forward].parent
            if wiring.is_open[parent]:
                self.pairs[parent] = (*self.pairs.get(parent, ()), pair)
                self._pair_of.update(dict.fromkeys(pair, pair))
        self.is_reversed = self._find_reversed()

    def _find_reversed(self) -> list[bool]:
        turning = {pair.backward for pair in self._pair_of.values()}
        found = [False] * len(self._view.boxes)
        if turning:
            for index, box in enumerate(self._view.boxes[1:], start=1):
                is_turning = index in turning and self._wiring.is_open[index]
                found[index] = found[box.parent] != is_turning
        return found

    def partner_of(self, box: int) -> int:
        """The other part of the gradient that a box is one part of, or `NONE`."""
        pair = self._pair_of.get(box)
        if pair is None:
            return NONE
        return pair.forward if box == pair.backward else pair.backward

    def split(self, box: int) -> tuple[list[Wire], list[LooseEnd]]:
        """The lines of an open group that are drawn, and the stubs in place of the others."""
        wires = self._wiring.wires.get(box, [])
        pair = self._pair_of.get(box)
        if pair is None and box not in self.pairs:
            return wires, []
        kept: list[Wire] = []
        leaving: dict[End, dict[int, Values]] = {}
        entering: dict[End, dict[int, Values]] = {}
        bundles: dict[tuple[End, bool], int] = {}
        residual = set() if pair is None else self._residual_bundles(pair)
        for wire in wires:
            bundles.setdefault((wire.source, True), wire.bundle)
            bundles.setdefault((wire.target, False), wire.bundle)
            if isinstance(wire.source, Port) and pair is not None and pair.backward == box:
                for far in self._sources(pair, wire):
                    entering.setdefault(wire.target, {}).setdefault(far, {}).update(wire.values)
                continue
            if isinstance(wire.target, Port) and pair and wire.target.bundle in residual:
                for far in self._targets(pair, wire):
                    leaving.setdefault(wire.source, {}).setdefault(far, {}).update(wire.values)
                if self._wiring.targets_of(wire.bundle) == (pair.backward,):
                    continue
            elif isinstance(wire.target, int) and self._is_open_backward(wire.target):
                partner = self._pair_of[wire.target]
                if wire.source != partner.forward:
                    leaving.setdefault(wire.source, {}).setdefault(wire.target, {}).update(
                        wire.values
                    )
                    continue
            kept.append(wire)
        loose = [
            end
            for ends, is_source in ((leaving, True), (entering, False))
            for place, far in ends.items()
            for end in self._tell(place, far, is_source, bundles[place, is_source])
        ]
        return kept, loose

    def _is_backward(self, box: int) -> bool:
        pair = self._pair_of.get(box)
        return pair is not None and pair.backward == box

    def _is_open_backward(self, box: int) -> bool:
        return self._is_backward(box) and self._wiring.is_open[box]

    def _residual_bundles(self, pair: Pair) -> set[int]:
        if not self._wiring.is_open[pair.forward]:
            return set()
        around = self._wiring.wires.get(self._view.boxes[pair.forward].parent, [])
        return {wire.bundle for wire in around if (wire.source, wire.target) == pair}

    def _sources(self, pair: Pair, wire: Wire) -> tuple[int, ...]:
        """Groups that the values of a line into the backward part come from."""
        source = self._wiring.source_of(wire.bundle)
        if source != pair.forward or not self._wiring.is_open[source]:
            return (source,)
        return tuple(
            dict.fromkeys(
                each.source
                for each in self._wiring.wires.get(source, [])
                if isinstance(each.target, Port)
                and isinstance(each.source, int)
                and each.bundle == wire.bundle
                and not wire.values.keys().isdisjoint(each.values)
            )
        ) or (source,)

    def _targets(self, pair: Pair, wire: Wire) -> tuple[int, ...]:
        """Groups of the backward part that the values of a line out of the forward part reach."""
        if not self._wiring.is_open[pair.backward]:
            return (pair.backward,)
        return tuple(
            dict.fromkeys(
                each.target
                for each in self._wiring.wires.get(pair.backward, [])
                if isinstance(each.source, Port)
                and isinstance(each.target, int)
                and each.bundle == wire.bundle
                and not wire.values.keys().isdisjoint(each.values)
            )
        ) or (pair.backward,)

    def _tell(
        self, place: End, by_far: dict[int, Values], is_source: bool, bundle: int
    ) -> list[LooseEnd]:
        if len(by_far) > 1 and (is_source or len(by_far) > _MAX_STUBS_PER_BOX):
            groups = [(tuple(by_far), {k: v for each in by_far.values() for k, v in each.items()})]
        else:
            groups = [((far,), values) for far, values in by_far.items()]
        ends: list[LooseEnd] = []
        for far, values in groups:
            amount = self._describe(values)
            if is_source:
                text = "→ backward" if self._is_open_backward(far[0]) else f"{amount} →"
            else:
                text = self._name_of(far[0]).rpartition(" / ")[2] if len(far) == 1 else amount
            ends.append(LooseEnd(place, is_source, text, far, values, bundle))
        return ends

    def _describe(self, values: Values) -> str:
        """How many values, and how many bytes they are, where that is known."""
        strings = self._view.graph.strings
        types = collections.Counter(values.values())
        size = sum(count * _bytes_of(strings[type_]) for type_, count in types.items())
        count = f"{len(values):,} values"
        if len(values) == 1:
            count = short_type(strings[next(iter(values.values()))])
        return count if math.isnan(size) else f"{count} · {format_bytes(size)}"


@functools.lru_cache(maxsize=4096)
def _bytes_of(type_: str) -> float:
    """Bytes of a value; JAX writes `i32` and `bool` where XLA writes `s32` and `pred`."""
    text = short_type(type_)
    if text.startswith("i"):
        text = f"s{text[1:]}"
    return bytes_of_type(text.replace("bool[", "pred["))


def _parents_of_halves(view: View) -> tuple[int, ...]:
    known = view.remembered.setdefault("parents of halves", {})
    if ROOT not in known:
        found = {box.parent for box in view.boxes if box.kind is BranchKind.FORWARD}
        known[ROOT] = tuple(sorted(found))
    parents: tuple[int, ...] = known[ROOT]
    return parents
