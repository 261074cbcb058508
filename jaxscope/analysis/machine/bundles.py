"""How well the bundles of a TPU's kernel use its units.

A bundle is one long instruction word: what stands in it starts in the same cycle. The unit of an
operation is read off its name; the compiler publishes no list of them. Loops are not counted out,
so these are figures of the code, not of a run.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter

_OPERATION = re.compile(r"(?:^|=)\s*(?:\(\S+\)\s*)?([a-z][\w.]*)")
_UNITS = (
    ("matrix unit", re.compile(r"vmat|vlatch|vdwg|vgmr")),
    ("results of units", re.compile(r"vpop")),
    ("vector loads", re.compile(r"vld|vsld")),
    ("vector stores", re.compile(r"vst|vsst")),
    ("cross-lane unit", re.compile(r"vrot|vperm|vxpose|vset|vcombine|vtrans|.*\.xlane")),
    ("transcendental unit", re.compile(r"v(?:tanh|rcp|rsqrt|pow2|log2|erf|sin|cos|sigshft|ex)")),
    ("vector ALU", re.compile(r"v")),
    ("copies (DMA)", re.compile(r"dma|.*dma")),
    ("scalar unit", re.compile(r"s|p|[a-z]")),
)


@dataclasses.dataclass(frozen=True, slots=True)
class Slots:
    """Use of the units.

    Attributes:
        bundles: Instruction words.
        empty: Words with nothing in them.
        operations: In all words.
        used: In how many words each unit starts something, the most used first.
    """

    bundles: int
    empty: int
    operations: int
    used: tuple[tuple[str, int], ...]

    def describe(self) -> str:
        """One line."""
        if not self.bundles:
            return "no bundles"
        shares = ", ".join(
            f"{unit} {count / self.bundles:.0%}" for unit, count in self.used if count
        )
        return (
            f"{self.bundles:,} bundles, {self.empty:,} empty, "
            f"{self.operations / self.bundles:.2f} operations each; bundles with: {shares}"
        )


def count_slots(text: str) -> Slots:
    """Count what the bundles of a listing hold."""
    bundles = empty = operations = 0
    used: Counter[str] = Counter()
    for line in text.splitlines():
        head, brace, rest = line.partition("{")
        if not brace or ":" not in head or not head.lstrip()[:1].isdigit():
            continue
        bundles += 1
        units = [unit for part in rest.rpartition("}")[0].split(";;") if (unit := _unit_of(part))]
        empty += not units
        operations += len(units)
        used.update(set(units))
    return Slots(bundles, empty, operations, tuple(used.most_common()))


def _unit_of(operation: str) -> str:
    match = _OPERATION.search(operation)
    if match is None or match[1].startswith(("inlined_call", "int_to_ptr")):
        return ""
    return next(unit for unit, pattern in _UNITS if pattern.match(match[1]))
