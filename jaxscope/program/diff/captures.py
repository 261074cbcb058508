"""Compare two captures: which stages are compared, nodes, costs, texts, placement on devices, fates
of equations, and what to measure where times are missing.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import sys
from collections.abc import Iterator, Mapping, Sequence

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Capture, Graph, Stage, Timing, Unavailable, is_available
from jaxscope.model.capture import Fate, Placement, Sharding
from jaxscope.model.said import CLAUSES, said, say, say_joined
from jaxscope.model.stages import JAXPR, find_stage_name, lowered_name, stage_kind
from jaxscope.model.units import join_words
from jaxscope.program.cost.work import Work, find_stage_works
from jaxscope.program.diff.changes import GraphComparison, compare_graphs
from jaxscope.program.diff.matching import ComparedGraph, Matching
from jaxscope.program.diff.quantities import (
    FIRST,
    SECOND,
    QuantityDifference,
    compare_costs,
    compare_memory,
    compare_stage_seconds,
    compare_timings,
    find_cost_reason,
)
from jaxscope.program.diff.texts import TextDiff, diff_texts
from jaxscope.program.sharding.arrays import (
    SpreadArray,
    describe_devices,
    describe_sharding,
    find_arrays,
)
from jaxscope.program.sharding.placement import NodeSharding, NodeShardings


@dataclass(frozen=True, slots=True)
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
        """What the stages are called."""
        first, second = (said(stage_kind(name).title) for name in (self.first, self.second))
        told = say("{first} against {second}", first=first, second=second)
        return first if first == second else told

    @classmethod
    def parse(cls, key: str) -> StagePair:
        """Read a key back."""
        first, colon, second = key.partition(":")
        return cls(find_stage_name(first), find_stage_name(second if colon else first))


def pair_stages(first: Capture, second: Capture) -> tuple[StagePair, ...]:
    """Stages of the same name, and the two whole programs where their names differ.

    `f` ends its tracing with the stage `jaxpr`, `grad(f)` with `grad`: these two are what each
    call does, so they are compared as well.
    """
    ours, theirs = [s.name for s in first.stages], [s.name for s in second.stages]
    last = StagePair(lowered_name(ours), lowered_name(theirs))
    pairs: dict[StagePair, None] = {}
    for name in _merge(ours, theirs):
        if stage_kind(name).dialect != JAXPR.dialect and last.first and last.second:
            pairs.setdefault(last)
        pairs.setdefault(StagePair(name, name))
    if last.first and last.second:
        pairs.setdefault(last)
    return tuple(pairs)


def explain_no_comparison(
    first: Stage | None, second: Stage | None, pair: StagePair
) -> Unavailable | None:
    """Why two stages cannot be compared at all, or None."""
    if first is None or second is None:
        if first is None and second is None:
            return Unavailable(say("Neither side has a stage {title}.", title=pair.title))
        side, name = (SECOND, pair.first) if first is not None else (FIRST, pair.second)
        return Unavailable(
            say(
                "Only one side has this stage: the {side} call makes no {name}.",
                side=side,
                name=name,
            )
        )
    for side, stage in ((FIRST, first), (SECOND, second)):
        missing = stage.unavailable
        if isinstance(stage.graph, Unavailable) and isinstance(stage.text, Unavailable):
            missing = missing or stage.graph
        if missing is not None:
            return Unavailable(
                say("The {side} side has none: {why}", side=side, why=missing.reason)
            )
    dialects = [stage_kind(name).dialect for name in (pair.first, pair.second)]
    if dialects[0] != dialects[1]:
        return Unavailable(
            say(
                "{first} is {dialect} and {second} is {other}: they do not share a single "
                "operation.",
                first=pair.first,
                dialect=dialects[0],
                second=pair.second,
                other=dialects[1],
            )
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


_AHEAD_OF_TIME = "aot:"
_GENERAL = say(
    "Neither side was measured, so which of the two is faster is not known. A saved capture keeps "
    "what was measured of it, and jaxscope time FILE CALL --against CALL measures two in turns."
)
_UNTELLING = ("…", "<lambda>", "<function>")
"""Marks of calls that name something which only lived in one process."""


@dataclass(frozen=True, slots=True)
class CompileSettings:
    """What a program was compiled with beyond its file, its call and its target.

    Attributes:
        python: The interpreter; empty for jaxscope's own.
        x64: Whether 64-bit types were on.
        xla: Options of XLA's, name to value.
    """

    python: str = ""
    x64: bool = False
    xla: Mapping[str, str] = dataclasses.field(default_factory=dict)


DEFAULT_SETTINGS = CompileSettings()


def describe_missing_times(
    first: Capture,
    second: Capture,
    made: CompileSettings = DEFAULT_SETTINGS,
    other: CompileSettings = DEFAULT_SETTINGS,
) -> str:
    """Why there are no times, and the command that measures these two programs in turns.

    Args:
        first: The earlier side.
        second: The later side.
        made: What the first side was compiled with.
        other: What the second side was compiled with.
    """
    if any(capture.target.startswith(_AHEAD_OF_TIME) for capture in (first, second)):
        return say(
            "Neither side was measured: what is compiled ahead of time for a chip that is not "
            "here cannot run. Estimates by the chip's published peaks: jaxscope targets FILE CALL."
        )
    if not (_is_repeatable(first) and _is_repeatable(second)):
        return _GENERAL
    command = join_words(_words(first, second, made, other))
    return say(
        "Neither side was measured, so which of the two is faster is not known. This measures them "
        "in turns: {command}",
        command=command,
    )


def _is_repeatable(capture: Capture) -> bool:
    return capture.call_file.endswith(".py") and not any(
        mark in capture.call for mark in _UNTELLING
    )


def _words(
    first: Capture, second: Capture, made: CompileSettings, other: CompileSettings
) -> Iterator[str]:
    yield from ("jaxscope", "time", _shown_path(first.call_file), first.call)
    is_other_file = second.call_file != first.call_file
    has_more = is_other_file or first.target != second.target or made != other
    if second.call != first.call or not has_more:
        yield from ("--against", second.call)
    if is_other_file:
        yield from ("--against-file", _shown_path(second.call_file))
    if first.target not in ("", "cpu"):
        yield from ("--target", first.target)
    if second.target != first.target:
        yield from ("--against-target", second.target)
    if made.python:
        yield from ("--python", made.python)
    if other.python != made.python:
        yield from ("--against-python", other.python or sys.executable)
    if made.x64 and other.x64:
        yield "--x64"
    elif made.x64 or other.x64:
        yield from ("--env", f"{'A' if made.x64 else 'B'}:JAX_ENABLE_X64=1")
    for name in dict.fromkeys((*made.xla, *other.xla)):
        ours, theirs = made.xla.get(name), other.xla.get(name)
        if ours == theirs:
            yield from ("--xla", f"{name}={ours}")
            continue
        for side, value in (("A", ours), ("B", theirs)):
            if value is not None:
                yield from ("--xla", f"{side}:{name}={value}")


def _shown_path(path: str) -> str:
    """The path from here, where the file lies below this folder."""
    try:
        near = os.path.relpath(path)
    except ValueError:  # another drive
        return path
    return path if near.startswith(os.pardir) else near


# Compare on which devices arrays lie: of two programs, of their arguments and results, of nodes.
#
# Only what both sides say is compared: what one side leaves open differs from nothing.


DEVICES = "devices"


@dataclass(frozen=True, slots=True)
class PlacementDifference:
    """An array or collective that is placed otherwise on the devices.

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
        """Kind and path of what is placed otherwise."""
        what = said(self.what)
        if self.path in ("", self.what):
            return what
        return say("{what} {path}", what=what, path=self.path)


@dataclass(frozen=True, slots=True)
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
    devices = describe_devices(before), describe_devices(after)
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
        both = (
            say("{told} ({interval})", told=each.text, interval=each.hlo_text)
            for each in (array, other)
        )
        return next(both), next(both)
    return array.text, other.text


class NodePlacements:
    """Compares the nodes of two captures, stage by stage."""

    def __init__(self, a: Capture, b: Capture) -> None:
        self._sides = (_CaptureShardings(a), _CaptureShardings(b))

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


class _CaptureShardings:
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
        told = (describe_sharding(value.sharding, axes, number) for value in values)
        return say_joined(told, CLAUSES)


def _shardings(values: Sequence[NodeSharding]) -> list[Sharding]:
    return [value.sharding for value in values]


def _spell(values: Sequence[NodeSharding]) -> str:
    return "; ".join(value.text for value in values)


_BASE = "jaxpr"


@dataclass(frozen=True, eq=False)
class ComparedCapture:
    """One side of a comparison.

    Attributes:
        name: What to call it, such as `model.py::grad(loss)(w)`.
        capture: What is compared.
        timing: What was measured of it, or None.
        made_with: What it was compiled with beyond what the capture says.
    """

    name: str
    capture: Capture
    timing: Timing | None = None
    made_with: CompileSettings = DEFAULT_SETTINGS


@dataclass(frozen=True, eq=False)
class StageComparison:
    """One stage of the first side and one of the second.

    Attributes:
        pair: Which stages.
        first: The stage of the first side, or None.
        second: The stage of the second side, or None.
        graphs: What became of each node, or why the graphs are not compared.
        costs: FLOPs, bytes, transcendentals and the time to make the stage.
        reason: Why nothing of the two can be compared, or None.
        placements: Nodes of both sides of which a value lies on other devices.
    """

    pair: StagePair
    first: Stage | None
    second: Stage | None
    graphs: GraphComparison | Unavailable
    costs: tuple[QuantityDifference, ...]
    reason: Unavailable | None = None
    placements: tuple[NodePlacementDifference, ...] = ()

    @functools.cached_property
    def texts(self) -> TextDiff | Unavailable:
        """The texts side by side; worked out when asked for."""
        if self.reason is not None or self.first is None or self.second is None:
            return self.reason or Unavailable(say("One side has no such stage."))
        return diff_texts(
            self.first, self.second, self.graphs if is_available(self.graphs) else None
        )

    @functools.cached_property
    def verdict(self) -> bool | Unavailable:
        """Whether the two are equal, or why that is not known.

        A stage without graphs is as equal as its texts are.
        """
        if isinstance(self.graphs, GraphComparison):
            is_same = self.graphs.counts.is_equal and not self.placements
            return is_same and not any(cost.differs for cost in self.costs)
        texts = self.texts
        return texts.is_equal if is_available(texts) else self.graphs


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two captures, compared.

    Attributes:
        first: The earlier side.
        second: The later side.
        stages: In pipeline order; those that only one side has stay in, with the reason.
        memory: Bytes of arguments and results.
        times: What was measured; empty where nothing was.
        notes: Sentences on what the two sides do not share: versions, targets.
        placements: What lies on other devices, or why that is not known.
    """

    first: ComparedCapture
    second: ComparedCapture
    stages: tuple[StageComparison, ...]
    memory: tuple[QuantityDifference, ...]
    times: tuple[QuantityDifference, ...]
    notes: tuple[str, ...]
    placements: tuple[PlacementDifference, ...] | Unavailable

    @property
    def times_missing(self) -> str:
        """Why there are no times, and the command that measures; empty where there are some."""
        first, second = self.first, self.second
        if self.times:
            return ""
        return describe_missing_times(
            first.capture, second.capture, first.made_with, second.made_with
        )

    @functools.cached_property
    def is_equal(self) -> bool:
        """Whether at least one stage could be compared and none differs.

        Times are no part of it: the same program takes another time in every run.
        """
        verdicts = [stage.verdict for stage in self.stages]
        known = [verdict for verdict in verdicts if is_available(verdict)]
        is_same = bool(known) and all(known) and not any(part.differs for part in self.memory)
        return is_same and not (is_available(self.placements) and self.placements)

    def stage(self, key: str) -> StageComparison | None:
        """The comparison of that key, or None."""
        return next((stage for stage in self.stages if stage.pair.key == key), None)


def compare_captures(
    first: ComparedCapture, second: ComparedCapture, pairs: Sequence[StagePair] | None = None
) -> Comparison:
    """Compare two captures.

    Args:
        first: The earlier side.
        second: The later side.
        pairs: Which stages; None for all that correspond.
    """
    a, b = first.capture, second.capture
    chosen = pair_stages(a, b) if pairs is None else tuple(pairs)
    origins, nodes = _shared_origins(a, b), NodePlacements(a, b)
    return Comparison(
        first,
        second,
        tuple(_compare_pair(a, b, pair, origins, nodes) for pair in chosen),
        compare_memory(a, b),
        compare_timings(a, b, first.timing, second.timing),
        tuple(_notes(a, b)),
        compare_placements(a, b),
    )


def _compare_pair(
    a: Capture, b: Capture, pair: StagePair, origins: Mapping[str, str], nodes: NodePlacements
) -> StageComparison:
    first, second = a.stage(pair.first), b.stage(pair.second)
    reason = explain_no_comparison(first, second, pair)
    if reason is not None or first is None or second is None:
        absent = reason or Unavailable(say("There is no such stage."))
        return StageComparison(pair, first, second, absent, (), absent)
    cost_reason = find_cost_reason(a, b, pair.first) or find_cost_reason(a, b, pair.second)
    costs = (
        *compare_costs(_work_of(a, first), _work_of(b, second), cost_reason),
        compare_stage_seconds(a, b, first, second),
    )
    if isinstance(first.graph, Unavailable) or isinstance(second.graph, Unavailable):
        missing = first.graph if isinstance(first.graph, Unavailable) else second.graph
        assert isinstance(missing, Unavailable)
        # What only has a text was never counted: only the time it took is known.
        return StageComparison(pair, first, second, missing, costs[-1:])
    both_are_base = pair.first == pair.second == _BASE
    graphs = compare_graphs(
        ComparedGraph(first.graph, _lines(a), None if both_are_base else {}),
        ComparedGraph(second.graph, _lines(b), None if both_are_base else origins),
        with_cost=cost_reason is None,
    )
    names, both = (pair.first, pair.second), (first.graph, second.graph)
    placements = nodes.compare(names, both, graphs.matching)
    return StageComparison(pair, first, second, graphs, costs, placements=placements)


def _work_of(capture: Capture, stage: Stage) -> Work:
    """What one run of a stage does; XLA's own figure of what is not counted node by node."""
    found = find_stage_works(capture.stages).get(stage.name)
    return Work(stage.cost, stage.cost) if found is None else found


def _shared_origins(a: Capture, b: Capture) -> dict[str, str]:
    """For each equation of the second's jaxpr the first's id of it: names that both can use.

    An edit shifts the numbers of all equations after it. The jaxprs are matched without numbers,
    and what later stages say about their origins is read in the first side's numbers.
    """
    first, second = a.stage(_BASE), b.stage(_BASE)
    if first is None or second is None:
        return {}
    if isinstance(first.graph, Unavailable) or isinstance(second.graph, Unavailable):
        return {}
    graphs = compare_graphs(
        ComparedGraph(first.graph, _lines(a)), ComparedGraph(second.graph, _lines(b))
    )
    ours, theirs = first.graph, second.graph
    names = {}
    for node, partner in enumerate(graphs.matching.first_of_second.tolist()):
        own = theirs.id(node)
        names[own] = f"new {own}" if partner == NONE else ours.id(partner)
    return names


def _lines(capture: Capture) -> dict[str, list[str]]:
    return {file.path: file.text.split("\n") for file in capture.files}


def _notes(a: Capture, b: Capture) -> list[str]:
    notes: list[str] = []
    for name, ours, theirs, meaning in (
        ("JAX", a.environment.jax, b.environment.jax, say("part of what differs can be JAX's own")),
        (
            "jaxlib",
            a.environment.jaxlib,
            b.environment.jaxlib,
            say("XLA may optimize and count otherwise"),
        ),
        (
            "Python",
            a.environment.python,
            b.environment.python,
            say("it decides which JAX can be used"),
        ),
        (say("the target"), a.target, b.target, say("each side was compiled for its own")),
        (
            say("the platform"),
            a.environment.platform,
            b.environment.platform,
            say("each side was compiled for its own"),
        ),
    ):
        if ours != theirs and ours and theirs:
            notes.append(
                say(
                    "The first used {name} {ours}, the second {name} {theirs}: {meaning}.",
                    name=name,
                    ours=ours,
                    theirs=theirs,
                    meaning=meaning,
                )
            )
    return notes


_STAGE = "jaxpr"


@dataclass(frozen=True, slots=True)
class FateChange:
    """One equation that both sides have.

    Attributes:
        first: Its id on the first side.
        second: Its id on the second side.
        before: Its fate on the first side.
        after: Its fate on the second side.
    """

    first: str
    second: str
    before: Fate
    after: Fate


def find_fate_changes(comparison: Comparison) -> tuple[FateChange, ...] | Unavailable:
    """Equations whose fates have different names, in program order of the first side.

    What only one side has is no part of it, nor is what differs in the instructions alone.
    """
    stage = comparison.stage(_STAGE)
    graphs = stage.graphs if stage is not None else None
    if not isinstance(graphs, GraphComparison):
        reason = say("The equations of the base function were not compared.")
        return graphs if isinstance(graphs, Unavailable) else Unavailable(reason)
    ours, theirs = comparison.first.capture.fates, comparison.second.capture.fates
    found = []
    for node, partner in enumerate(graphs.matching.second_of_first.tolist()):
        if partner == NONE:
            continue
        first = graphs.first.id(node)
        second = graphs.second.id(partner)
        before, after = ours.get(first), theirs.get(second)
        if before is not None and after is not None and before.fate != after.fate:
            found.append(FateChange(first, second, before, after))
    return tuple(found)


def describe_fate_changes(changes: tuple[FateChange, ...] | Unavailable) -> tuple[str, ...]:
    """Fates that differ, a line for each."""
    if isinstance(changes, Unavailable):
        return (changes.reason,)
    if not changes:
        return (say("Every equation that both sides have met with the same fate."),)
    return tuple(_describe(change) for change in changes)


def _describe(change: FateChange) -> str:
    name = change.first if change.first == change.second else f"{change.first}, {change.second}"
    return f"{name}: {change.before.fate} → {change.after.fate}. {change.after.text}".rstrip()
