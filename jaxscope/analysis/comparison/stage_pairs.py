"""Which stage of one capture is compared with which stage of another, and which cannot be."""

from __future__ import annotations

import dataclasses

from jaxscope.model import Capture, Stage, Unavailable

_DIALECTS = {
    "stablehlo": "StableHLO",
    "hlo": "HLO",
    "optimized": "HLO",
    "machine": "machine code",
    "passes": "passes",
}
_SIDE_STAGES = frozenset({"gradient"})
"""Not on the way from the call to its machine code."""


@dataclasses.dataclass(frozen=True, slots=True)
class StagePair:
    """A stage of each side.

    Attributes:
        first: Name of the stage of the first side.
        second: Name of the stage of the second side.
    """

    first: str
    second: str

    @property
    def key(self) -> str:
        """Such as `optimized`, or `jaxpr:grad` where the names differ."""
        return self.first if self.first == self.second else f"{self.first}:{self.second}"

    @property
    def title(self) -> str:
        """Fit to show."""
        return self.first if self.first == self.second else f"{self.first} and {self.second}"

    @classmethod
    def parse(cls, key: str) -> StagePair:
        """Read a key back."""
        first, colon, second = key.partition(":")
        return cls(first, second if colon else first)


def pair_stages(first: Capture, second: Capture) -> tuple[StagePair, ...]:
    """Stages of the same name, and the two whole programs where their names differ.

    `f` ends its tracing with the stage `jaxpr`, `grad(f)` with `grad`: these two are what each
    call does, so they are compared as well.
    """
    ours, theirs = [s.name for s in first.stages], [s.name for s in second.stages]
    last = StagePair(find_program(first), find_program(second))
    pairs: dict[StagePair, None] = {}
    for name in _merge(ours, theirs):
        if _DIALECTS.get(name) and last.first and last.second:
            pairs.setdefault(last)
        pairs.setdefault(StagePair(name, name))
    if last.first and last.second:
        pairs.setdefault(last)
    return tuple(pairs)


def find_program(capture: Capture) -> str:
    """Name of the stage that holds the whole call as JAX traced it, or empty."""
    names = [
        stage.name
        for stage in capture.stages
        if stage.name not in _DIALECTS and stage.name not in _SIDE_STAGES
    ]
    return names[-1] if names else ""


def find_reason(first: Stage | None, second: Stage | None, pair: StagePair) -> Unavailable | None:
    """Why two stages cannot be compared at all, or None."""
    if first is None or second is None:
        if first is None and second is None:
            return Unavailable(f"Neither side has a stage {pair.title}.")
        side, name = ("second", pair.first) if first is not None else ("first", pair.second)
        return Unavailable(f"Only one side has this stage: the {side} call makes no {name}.")
    for side, stage in (("first", first), ("second", second)):
        if stage.unavailable is not None:
            return Unavailable(f"The {side} side has none: {stage.unavailable.reason}")
        if isinstance(stage.graph, Unavailable) and isinstance(stage.text, Unavailable):
            return Unavailable(f"The {side} side has none: {stage.graph.reason}")
    dialects = [_DIALECTS.get(name, "jaxpr") for name in (pair.first, pair.second)]
    if dialects[0] != dialects[1]:
        return Unavailable(
            f"{pair.first} is {dialects[0]} and {pair.second} is {dialects[1]}: they do not share "
            "a single operation."
        )
    return None


def _merge(ours: list[str], theirs: list[str]) -> list[str]:
    """All names, each side's order kept: pipelines share most of their stages."""
    merged, rest = [], list(theirs)
    for name in ours:
        if name in rest:
            at = rest.index(name)
            merged += rest[:at]
            rest = rest[at + 1 :]
        if name not in merged:
            merged.append(name)
    return list(dict.fromkeys([*merged, *rest]))
