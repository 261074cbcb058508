"""What one run of a whole program does, counted the same way in every stage, with the work of
library calls that XLA does not count.

Sums are ranges where branches differ; what nobody counts is left out, and the sum is then a lower
bound. Every figure says which of these hold for it.
"""

from __future__ import annotations

import json
import math
import re
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Cost, Graph, NodeKind, Stage, is_available
from jaxscope.model.graph import WORK_KINDS, distinct
from jaxscope.model.said import Said, join_first, say, say_count, say_joined
from jaxscope.model.stages import lowered_name
from jaxscope.model.types import parse_array_type, type_bytes
from jaxscope.model.units import UNKNOWN, format_bytes, format_flops, format_range
from jaxscope.program.cost.rules import CUMULATIVE_PRIMITIVES
from jaxscope.program.cost.trip_counts import AmountRange, count_executions, trip_counts_of_stages

# The work of library calls that XLA does not count: matrix products of cuBLAS.
#
# XLA writes into each call which dimensions are contracted; the rest follows from the types.


_PRODUCTS = re.compile(r"__cublas\$(gemm|lt\$matmul.*)")
_CONTRACTED = re.compile(r'"lhs_contracting_dimensions":(\[[^\]]*\])')


def is_product(attributes: Mapping[str, str]) -> bool:
    """Whether an instruction with these attributes calls a library for a matrix product."""
    return _PRODUCTS.fullmatch(attributes.get("custom_call_target", "")) is not None


def product_cost(graph: Graph, node: int) -> tuple[float, float] | None:
    """FLOPs and bytes of one run of a library's matrix product; None for any other node.

    Its second result is scratch space of unknown use, and counts nothing.
    """
    attributes = graph.attributes(node)
    if not is_product(attributes):
        return None
    contracted = _CONTRACTED.search(attributes.get("backend_config", ""))
    operands = [
        graph.types(int(graph.edges.source[edge]))[int(graph.edges.output[edge])]
        for edge in np.flatnonzero(graph.edges.target == node)
    ]
    results = graph.types(node)
    first = parse_array_type(operands[0]) if operands else None
    result = parse_array_type(results[0]) if results else None
    if contracted is None or first is None or result is None:
        return None
    try:
        depth = math.prod(first.shape[int(place)] for place in json.loads(contracted[1]))
    except (IndexError, ValueError):
        return None
    flops = 2.0 * depth * result.size
    return flops, sum(map(type_bytes, operands)) + type_bytes(results[0])


# What one run of a whole program does, counted the same way in every stage.
#
# Loops count as often as they run, and once where nobody knows how often that is; of a condition's
# branches one runs, so sums are ranges; what nobody counts is left out, and the sum then is a least
# amount. Every figure says which of these hold for it. XLA's own figure of a module counts a loop's
# body once and of branches the dearest, so it is another number where there are any.


_SIZES = re.compile(r"size=([\dx]+) pad=([-\d_x]+)")
_MAX_SIZE = 1 << 40
_MOST_NAMED = 3
CUMULATIVE = say(
    "A cumulative sum or the like counts as XLA counts the window that JAX makes of it: for each "
    "element of an axis of n, n - 1 times two numbers are combined."
)


@dataclass(frozen=True, slots=True)
class Work:
    """What one run does.

    Attributes:
        low: With the cheapest branches; what is not known is left out.
        high: With the dearest branches.
        num_unknown: Nodes that run and that nobody counts, or not all of what they do.
        num_unbounded: Loops that count once because nobody knows how often they run.
        has_loops: Whether a loop counts more than once.
        has_cumulative: Whether XLA's count of a cumulative sum is part of it.
        is_of_rounds: Whether it is XLA's figure of the whole module, one round of each loop.
        num_moving: Of the unknown nodes those that lack nothing but the bytes that they move.
        uncounted: Operations of the other unknown nodes, without repetition.
    """

    low: Cost
    high: Cost
    num_unknown: int = 0
    num_unbounded: int = 0
    has_loops: bool = False
    has_cumulative: bool = False
    is_of_rounds: bool = False
    num_moving: int = 0
    uncounted: tuple[str, ...] = ()

    @property
    def has_range(self) -> bool:
        """Whether the amounts depend on which branches run."""
        return not self.low.same_as(self.high)

    def _tell(self, low: float, high: float, form: Callable[[float], str], unknown: int) -> str:
        """A figure in words: a number or a range, a least amount, and loops that count once."""
        if math.isnan(high) or (unknown and not high):
            return UNKNOWN
        told = format_range(low, high, form)
        if unknown:
            told = say("at least {low}", low=form(low))
        if self.num_unbounded:
            loops = say_count(self.num_unbounded, "loop")
            told = say("{told}, {loops} counted once", told=told, loops=loops)
        return say("{told}, each loop once", told=told) if self.is_of_rounds else told

    @property
    def flops(self) -> str:
        """FLOPs in words."""
        unknown = self.num_unknown - self.num_moving
        return self._tell(self.low.flops, self.high.flops, format_flops, unknown)

    @property
    def num_bytes(self) -> str:
        """Bytes read and written in words."""
        low, high = self.low.bytes_accessed, self.high.bytes_accessed
        return self._tell(low, high, format_bytes, self.num_unknown)

    @property
    def notes(self) -> tuple[str, ...]:
        """How it was counted, a sentence each; nothing where there is nothing to mind."""
        found: list[str] = []
        if self.has_loops:
            found.append(say("Loops count as often as they run."))
        if self.num_unbounded:
            found.append(describe_unbounded_loops(self.num_unbounded))
        if self.is_of_rounds:
            told = say(
                "XLA's own figure: one round of each loop, and of branches the dearest. What each "
                "instruction costs is not known here, so loops cannot be counted."
            )
            found.append(told)
        if self.has_range:
            found.append(BRANCHES)
        names = join_first(self.uncounted, _MOST_NAMED)
        if (unknown := self.num_unknown - self.num_moving) == 1:
            found.append(say("What 1 node costs is unknown: {names}.", names=names))
        elif unknown:
            told = say("What {num:,} nodes cost is unknown: {names}.", num=unknown, names=names)
            found.append(told)
        if self.num_moving:
            told = say(
                "How many bytes are moved is not known of all nodes, such as of a kernel or of "
                "numbers of less than a byte."
            )
            found.append(told)
        if self.has_cumulative:
            found.append(CUMULATIVE)
        return tuple(found)


BRANCHES = say("Of a condition's branches one runs: from the cheapest to the dearest.")


def describe_unbounded_loops(count: int) -> str:
    """A sentence on loops whose number of rounds is unknown."""
    if count == 1:
        return say("1 loop counts once: how often it runs is not known, and it may never run.")
    return say(
        "{count:,} loops count once: how often they run is not known, and they may never run.",
        count=count,
    )


_known: weakref.WeakKeyDictionary[Graph, dict[tuple[tuple[str, int], ...], Work]] = (
    weakref.WeakKeyDictionary()
)


_IS_WORK = np.array([kind in WORK_KINDS for kind in NodeKind])


def find_work(graph: Graph, trips: Mapping[str, int] | None = None) -> Work:
    """What one run of a jaxpr or of a module does.

    Args:
        graph: With the cost of each node: of a jaxpr-level stage, of `hlo` or of `optimized`.
        trips: Rounds of loops that the graph does not say itself; see `find_trip_counts`.
    """
    key = tuple(sorted((trips or {}).items()))
    known = _known.setdefault(graph, {})
    if key not in known:
        known[key] = _count(graph, trips)
    return known[key]


def _count(graph: Graph, trips: Mapping[str, int] | None) -> Work:
    rounds = count_executions(graph, trips)
    running = np.array([bool(times) for times in rounds.of_group] + [True], bool)
    works = _IS_WORK[graph.nodes.kind] & running[graph.nodes.group]
    works[list(rounds.owners - rounds.untold)] = False
    counted = np.flatnonzero(works)
    costs = graph.nodes.cost.copy()
    for node in graph.nodes_of(("custom-call",)):
        if works[node] and np.isnan(costs[node, 0]):
            product = product_cost(graph, node)
            if product is not None:
                costs[node] = *product, 0.0
    amounts = costs[counted]
    homes = graph.nodes.group[counted]
    num = len(graph.groups) + 1
    is_unknown = np.isnan(amounts)
    sums = np.zeros((num, 3))
    if not is_unknown.all():  # as of a module that is counted behind its picture
        rows = homes % num  # `NONE` is the last row
        known = np.nan_to_num(amounts)
        sums = np.stack([np.bincount(rows, column, num) for column in known.T], axis=1)
    work = {home: sums[home] for home in distinct(homes).tolist()}
    has_cumulative = any(works[node] for node in graph.nodes_of(CUMULATIVE_PRIMITIVES)) or any(
        works[node] and _spans_an_axis(graph, node) for node in graph.nodes_of(("reduce-window",))
    )
    nothing = AmountRange(np.zeros(3), np.zeros(3))
    found = rounds.sum_up({home: {"": amount} for home, amount in work.items()}).get("", nothing)
    is_moving = is_unknown[:, 1] & ~is_unknown[:, [0, 2]].any(axis=1)
    uncounted = counted[is_unknown.any(axis=1) & ~is_moving]
    return Work(
        Cost(*found.low.tolist()),
        Cost(*found.high.tolist()),
        int(np.count_nonzero(is_unknown.any(axis=1))),
        len(rounds.unbounded),
        rounds.has_loops,
        has_cumulative,
        num_moving=int(np.count_nonzero(is_moving)),
        uncounted=tuple(dict.fromkeys(map(graph.operation, uncounted.tolist()))),
    )


def _spans_an_axis(graph: Graph, node: int) -> bool:
    """Whether a window is as long as an axis and ends at its element, as of a cumulative sum."""
    sizes = _SIZES.search(graph.attributes(node).get("window", ""))
    array = parse_array_type(next(iter(graph.types(node)), ""))
    if sizes is None or array is None:
        return False
    axes = zip(sizes[1].split("x"), sizes[2].split("x"), map(str, array.shape), strict=False)
    return any(
        size == length and pad in (f"{int(size) - 1}_0", f"0_{int(size) - 1}")
        for size, pad, length in axes
        if size.isdecimal() and 1 < int(size) < _MAX_SIZE
    )


def find_stage_works(stages: Iterable[Stage]) -> Mapping[str, Work]:
    """What a run does, by the name of each stage that says.

    StableHLO has that of the HLO made of it, XLA's passes have that of the program they end with.

    Args:
        stages: Of a capture, as far as they are there.
    """
    there = [
        s for s in stages if s.unavailable is None and (is_available(s.graph) or s.name == "passes")
    ]
    graphs = [stage.graph for stage in there if is_available(stage.graph)]
    if not graphs:
        return {}
    key = tuple((stage.name, id(stage.graph), str(stage.cost)) for stage in there)
    known = _known_stages.get(graphs[-1])
    if known is None or known[0] != key:
        known = _known_stages[graphs[-1]] = key, _find_stage_works(there)
    return known[1]


_known_stages: weakref.WeakKeyDictionary[
    Graph, tuple[tuple[tuple[str, int, str], ...], Mapping[str, Work]]
] = weakref.WeakKeyDictionary()


def _find_stage_works(stages: Sequence[Stage]) -> Mapping[str, Work]:
    trips = trip_counts_of_stages(stages)
    found: dict[str, Work] = {}
    lowered = lowered_name(stage.name for stage in stages)
    for stage in stages:
        if not is_available(stage.graph):
            continue
        if _is_jaxpr(stage):
            found[stage.name] = find_work(stage.graph, trips if stage.name == lowered else None)
        elif stage.name in ("hlo", "optimized"):
            work = find_work(stage.graph, trips)
            has_loops = work.has_loops or work.num_unbounded > 0
            is_same = not has_loops and not work.has_range
            if not math.isnan(stage.cost.flops) and (is_same or work.num_unknown):
                work = Work(
                    stage.cost,
                    stage.cost,
                    has_cumulative=work.has_cumulative,
                    is_of_rounds=has_loops,
                )
            found[stage.name] = work
    if "hlo" in found and any(stage.name == "stablehlo" for stage in stages):
        found["stablehlo"] = found["hlo"]
    if "optimized" in found and any(stage.name == "passes" for stage in stages):
        found["passes"] = found["optimized"]
    return found


def _is_jaxpr(stage: Stage) -> bool:
    return is_available(stage.graph) and bool((stage.graph.nodes.kind == NodeKind.EQUATION).any())


def work_to_json(work: Work | None) -> Mapping[str, Any] | None:
    """Amounts of work as numbers, with notes on how they were counted."""
    if work is None:
        return None
    names = ("flops", "bytes_accessed", "transcendentals")
    return {
        **{
            name: {"low": getattr(work.low, name), "high": getattr(work.high, name)}
            for name in names
        },
        "loops_counted_once": work.num_unbounded,
        "uncounted": work.num_unknown,
        "notes": list(work.notes),
    }


LOOPS_COUNTED = say("Work and traffic count loops × their trip count, which XLA knows.")
BRANCHES_COUNTED = say("Of a condition's branches, work and traffic count the dearest.")


@dataclass(frozen=True, slots=True)
class ProgramWork:
    """What one run of a program does.

    Attributes:
        flops: By XLA's rules, with the dearest branches; NaN where unknown.
        num_bytes: Read and written; NaN where unknown.
        counting: How loops and branches were counted, or why the work is unknown: sentences, or
            nothing.
    """

    flops: float
    num_bytes: float
    counting: str = ""


def find_program_work(graph: Graph) -> ProgramWork:
    """Count every kernel as often as it runs; of a condition, the dearest branch.

    Args:
        graph: Of an optimized module, with XLA's cost of each instruction.
    """
    work = find_work(graph)
    if work.num_unbounded:
        if work.num_unbounded == 1:
            return _unknown(say("XLA does not know how often 1 loop runs."))
        loops = say_count(work.num_unbounded, "loop")
        return _unknown(say("XLA does not know how often {loops} run.", loops=loops))
    if work.num_unknown:
        kernels = say_count(work.num_unknown, "kernel")
        return _unknown(say("XLA does not count {kernels}.", kernels=kernels))
    told = [LOOPS_COUNTED] if work.has_loops else []
    told += [BRANCHES_COUNTED] if work.has_range else []
    return ProgramWork(work.high.flops, work.high.bytes_accessed, say_joined(told))


def _unknown(why: Said) -> ProgramWork:
    told = say("Work and traffic are unknown: {why}", why=why)
    return ProgramWork(math.nan, math.nan, told)
