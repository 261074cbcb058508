"""Compare two captures stage by stage."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence

from jaxscope.analysis.comparison.changes import GraphComparison, compare_graphs
from jaxscope.analysis.comparison.placements import (
    NodePlacementDifference,
    NodePlacements,
    PlacementDifference,
    compare_placements,
)
from jaxscope.analysis.comparison.quantities import (
    QuantityDifference,
    compare_costs,
    compare_memory,
    compare_stage_seconds,
    compare_timings,
    find_cost_reason,
)
from jaxscope.analysis.comparison.signatures import Side
from jaxscope.analysis.comparison.stage_pairs import StagePair, find_reason, pair_stages
from jaxscope.analysis.comparison.text_diff import TextDiff, diff_texts
from jaxscope.analysis.comparison.timing_hint import PLAIN, MadeWith, describe_missing_times
from jaxscope.analysis.cost.work import Work, find_stage_works
from jaxscope.model import NONE, Capture, Stage, Timing, Unavailable, is_available

_BASE = "jaxpr"


@dataclasses.dataclass(frozen=True, eq=False)
class Subject:
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
    made_with: MadeWith = PLAIN


@dataclasses.dataclass(frozen=True, eq=False)
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
            return self.reason or Unavailable("One side has no such stage.")
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


@dataclasses.dataclass(frozen=True, eq=False)
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

    first: Subject
    second: Subject
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


def compare(
    first: Subject, second: Subject, pairs: Sequence[StagePair] | None = None
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
    reason = find_reason(first, second, pair)
    if reason is not None or first is None or second is None:
        absent = reason or Unavailable("There is no such stage.")
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
        Side(first.graph, _lines(a), None if both_are_base else {}),
        Side(second.graph, _lines(b), None if both_are_base else origins),
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
    graphs = compare_graphs(Side(first.graph, _lines(a)), Side(second.graph, _lines(b)))
    ours, theirs = first.graph, second.graph
    names = {}
    for node, partner in enumerate(graphs.matching.first_of_second.tolist()):
        own = theirs.string(theirs.nodes.id, node)
        names[own] = f"new {own}" if partner == NONE else ours.string(ours.nodes.id, partner)
    return names


def _lines(capture: Capture) -> dict[str, list[str]]:
    return {file.path: file.text.split("\n") for file in capture.files}


def _notes(a: Capture, b: Capture) -> list[str]:
    notes = []
    for name, ours, theirs, meaning in (
        (
            "JAX",
            a.environment.jax,
            b.environment.jax,
            "part of what differs can be JAX's own",
        ),
        (
            "jaxlib",
            a.environment.jaxlib,
            b.environment.jaxlib,
            "XLA may optimize and count otherwise",
        ),
        ("Python", a.environment.python, b.environment.python, "it decides which JAX can be used"),
        ("the target", a.target, b.target, "each side was compiled for its own"),
        (
            "the platform",
            a.environment.platform,
            b.environment.platform,
            "each side was compiled for its own",
        ),
    ):
        if ours != theirs and ours and theirs:
            notes.append(f"The first used {name} {ours}, the second {name} {theirs}: {meaning}.")
    return notes
