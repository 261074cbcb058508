"""What each line of a source file costs in a stage, and the time it took where it was measured;
nodes that may not run (branches, loops without a known count) are no part of a least amount.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Graph, Stage, is_available
from jaxscope.model.graph import WORK_KINDS, distinct
from jaxscope.model.said import CLAUSES, LISTED, said, say, say_joined
from jaxscope.model.units import format_bytes, format_flops, format_seconds, format_share

# Which nodes surely run.
#
# A loop whose rounds nobody knows may run none, and of a condition's branches one runs: what is
# inside of them is no part of a sum that says "at least". What is inside of a call runs with it.


Bools = npt.NDArray[np.bool_]

_UNCERTAIN = frozenset(
    {"while", "cond", "switch", "conditional", "stablehlo.while", "stablehlo.case", "stablehlo.if"}
)
"""Operations whose insides may run never: a jaxpr's, StableHLO's and HLO's."""


def find_certain(graph: Graph) -> Bools:
    """Of each node whether it surely runs, or is inside of what has a cost itself.

    Returns:
        bool, shape `(num_nodes,)`.
    """
    of_group = np.ones(len(graph.groups) + 1, bool)  # the last entry is of nodes in no group
    for group, (parent, owner) in enumerate(_ancestry(graph)):
        is_told = owner == NONE or not np.isnan(graph.nodes.cost[owner, 0])
        of_group[group] = of_group[parent] and (is_told or not _is_uncertain(graph, owner))
    certain: Bools = of_group[graph.nodes.group]
    return certain


def _ancestry(graph: Graph) -> list[tuple[int, int]]:
    """Parent and owner of each group; a parent comes before its groups."""
    groups = graph.groups
    return list(zip(groups.parent.tolist(), groups.owner.tolist(), strict=True))


def _is_uncertain(graph: Graph, node: int) -> bool:
    return graph.strings[graph.nodes.operation[node]] in _UNCERTAIN


Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LineCost:
    """The cost of the nodes that a line is the innermost one of.

    Attributes:
        share: Part of all known FLOPs of the program, or of its bytes where it has no FLOPs; NaN
            where only the time is known, or nothing.
        text: Told in words, fit to show.
        seconds: Measured time of one run, without what other lines took; NaN where none is known.
        time_share: Part of the time of all measured nodes; NaN where none is known.
        quantity: What `share` is a part of, FLOP or bytes; empty where that is NaN.
    """

    share: float
    text: str
    seconds: float = math.nan
    time_share: float = math.nan
    quantity: str = ""


def find_line_costs(
    stages: Sequence[Stage], file: str, timed: Sequence[Stage] = ()
) -> dict[int, LineCost]:
    """Costs by 1-based line of a file, in the last stage that has any.

    Measured times are those of the last of the stages in `timed` that knows any.

    A node counts for the innermost line of the file that it comes from, or else for that of the
    call or loop it is inside of: JAX's own functions, such as random draws, hold no lines of the
    file. What a loop or a call costs is spread over the lines of its inside as the inside's own
    costs are, so that nothing is counted twice and a loop's lines count all its rounds. A jaxpr
    that several calls share is shown once, for one of them: the other calls count for the lines
    that make them, and its lines say so. Unknown costs count nothing. Where nobody knows how often
    a loop or a branch runs, its lines say what they cost each time.
    """
    costs = _find_in_last(stages, file, _costs_of)
    return _with_times(costs, _find_in_last(timed, file, _times_of))


def _find_in_last(
    stages: Sequence[Stage], file: str, find: Callable[[Graph, str, str], dict[int, LineCost]]
) -> dict[int, LineCost]:
    for stage in reversed(stages):
        if is_available(stage.graph):
            key = find.__name__, stage.title or stage.name, file
            known = _known.setdefault(stage.graph, {})
            if key not in known:  # a window asks again with each stage that comes
                known[key] = find(stage.graph, *key[1:])
            if known[key]:
                return known[key]
    return {}


_known: weakref.WeakKeyDictionary[Graph, dict[tuple[str, str, str], dict[int, LineCost]]] = (
    weakref.WeakKeyDictionary()
)


def _with_times(
    costs: Mapping[int, LineCost], times: Mapping[int, LineCost]
) -> dict[int, LineCost]:
    both = {**times, **costs}
    for line in costs.keys() & times.keys():
        cost, time = costs[line], times[line]
        both[line] = LineCost(
            cost.share,
            say(CLAUSES, first=cost.text, then=time.text),
            time.seconds,
            time.time_share,
            cost.quantity,
        )
    return both


def _times_of(graph: Graph, title: str, file: str) -> dict[int, LineCost]:
    """Times exclude what ran inside of a node, so that they add up over all nodes of a line."""
    known = np.flatnonzero(np.nan_to_num(graph.nodes.seconds) > 0)
    total = float(graph.nodes.seconds[known].sum())
    if not len(known):
        return {}
    lines = _innermost_lines(graph, file)[known]
    sums = np.bincount(lines, graph.nodes.seconds[known])
    found: dict[int, LineCost] = {}
    for line in distinct(lines[lines > 0]).tolist():
        seconds, share = float(sums[line]), float(sums[line]) / total
        text = say(
            "{share} of the measured time of {title}: {seconds}",
            share=format_share(share, 1),
            title=said(title),
            seconds=format_seconds(seconds),
        )
        found[line] = LineCost(math.nan, text, seconds, share)
    return found


def _costs_of(graph: Graph, title: str, file: str) -> dict[int, LineCost]:
    own_lines = _own_lines(graph, file)
    lines = _inherit_lines(graph, own_lines)
    flops, num_bytes = (_spread_over_lines(graph, graph.nodes.cost[:, column]) for column in (0, 1))
    totals = float(flops.sum()), float(num_bytes.sum())
    column = 0 if totals[0] > 0 else 1
    weight, total = (flops, num_bytes)[column], totals[column]
    if total <= 0:
        return {}
    found: dict[int, LineCost] = {}
    working = np.isin(graph.nodes.kind, WORK_KINDS)
    unknown = np.isnan(graph.nodes.cost) & working[:, None]
    missing = unknown[:, column] & ~np.isin(np.arange(len(graph.nodes)), graph.groups.owner)
    quantity = ("FLOP", "bytes")[column]
    certain = find_certain(graph)
    num_calls = _count_calls(graph)
    for line in distinct(lines[lines > 0]).tolist():
        here = lines == line
        share = float(weight[here].sum()) / total
        if share > 0:
            is_told = bool((flops + num_bytes)[here & certain].any())
            shown = here & (certain if is_told else ~certain)
            parts: list[str] = [*_describe_both(shown, flops, num_bytes, unknown, working)]
            if not is_told:
                parts.append(say("each time it runs"))
            elif not certain[here].all():
                parts.append(say("and more in a loop or a branch"))
            calls = num_calls[own_lines == line]
            if calls.size and calls.max() > 1:
                made = say(
                    "in one of {calls} calls; the others count where they are made",
                    calls=int(calls.max()),
                )
                parts.append(made)
            whole = {"share": format_share(share, 1), "quantity": quantity, "title": said(title)}
            told = say_joined(parts, LISTED)
            if missing.any():
                told = say("{share} of the known {quantity} of {title}: {told}", told=told, **whole)
            else:
                told = say("{share} of the {quantity} of {title}: {told}", told=told, **whole)
            found[line] = LineCost(share, told, quantity=quantity)
        elif (missing & here).any():
            told = say_joined(_describe_both(here, flops, num_bytes, unknown, working), LISTED)
            found[line] = LineCost(math.nan, told)
    return found


def _describe_both(
    shown: Bools, flops: Floats, num_bytes: Floats, unknown: Bools, working: Bools
) -> tuple[str, str]:
    """FLOPs and bytes of the nodes shown."""
    num_working = int(working[shown].sum())
    missing = unknown[shown].sum(axis=0)
    traffic = say("{size} read and written", size=format_bytes(float(num_bytes[shown].sum())))
    return (
        _describe_costs("FLOPs", format_flops(float(flops[shown].sum())), missing[0], num_working),
        _describe_costs("bytes", traffic, missing[1], num_working),
    )


def _describe_costs(quantity: str, amount: str, num_unknown: int, num_nodes: int) -> str:
    """A sum of which some parts, or all, may be unknown."""
    if num_unknown == 0:
        return amount
    if num_unknown < num_nodes:
        return say("at least {amount}", amount=amount)
    return say("{quantity} unknown", quantity=quantity)


def _innermost_lines(graph: Graph, file: str) -> Int64s:
    """For each node the innermost line of a file that it, or its owner, comes from; 0 for none."""
    return _inherit_lines(graph, _own_lines(graph, file))


def _own_lines(graph: Graph, file: str) -> Int64s:
    """For each node the innermost line of a file that it comes from; 0 for none."""
    source = graph.nodes.source
    places = source.values.reshape(-1, 4)
    rows = np.repeat(np.arange(len(source)), source.lengths() // 4)
    numbers = [number for number, string in enumerate(graph.strings) if string == file]
    here = np.flatnonzero(np.isin(places[:, 0], np.array(numbers, np.int64)))
    here = here[::-1]  # the first of a row wins
    lines = np.zeros(len(source), np.int64)
    lines[rows[here]] = places[here, 1]
    return lines


def _count_calls(graph: Graph) -> Int64s:
    """For each node how many calls share the jaxpr that it stands in."""
    of_group = np.ones(len(graph.groups) + 1, np.int64)  # the last entry is of nodes in no group
    for group, (parent, owner) in enumerate(_ancestry(graph)):
        sharers = graph.attributes(owner).get("shared_by", "") if owner != NONE else ""
        of_group[group] = len(sharers.split(", ")) + 1 if sharers else of_group[parent]
    calls: Int64s = of_group[graph.nodes.group]
    return calls


def _inherit_lines(graph: Graph, lines: Int64s) -> Int64s:
    """Lines with those of owners for the nodes that have none themselves."""
    groups = graph.groups
    of_group = np.zeros(len(groups) + 1, np.int64)  # the last entry is of nodes in no group
    for number, (parent, owner) in enumerate(
        zip(groups.parent.tolist(), groups.owner.tolist(), strict=True)
    ):
        own = int(lines[owner]) if owner != NONE else 0
        of_group[number] = own or of_group[parent]
    return np.where(lines > 0, lines, of_group[graph.nodes.group])


def _spread_over_lines(graph: Graph, costs: Floats) -> Floats:
    """Costs without those of owners, whose insides share them out; unknown ones are 0."""
    known = np.nan_to_num(costs.astype(np.float64))
    groups = graph.groups
    if not len(groups):
        return known
    inside = np.zeros(len(graph.nodes))  # of each owner: what is in its groups, by itself
    member_of = graph.nodes.group
    has_group = member_of != NONE
    owner_of_member = np.where(has_group, groups.owner[member_of], NONE)
    owned = owner_of_member != NONE
    np.add.at(inside, owner_of_member[owned], known[owned])
    scale = np.ones(len(groups) + 1)  # the last entry is of nodes in no group
    for number, (parent, owner) in enumerate(
        zip(groups.parent.tolist(), groups.owner.tolist(), strict=True)
    ):
        factor = known[owner] / inside[owner] if owner != NONE and inside[owner] > 0 else 1.0
        scale[number] = scale[parent] * (factor if factor > 0 else 1.0)
    result: Floats = known * scale[member_of]
    result[inside > 0] = 0.0
    return result
