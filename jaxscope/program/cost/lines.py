"""What each line of a source file costs in a stage, and the time it took where it was measured.
Of the arms of a branch one runs, so amounts are ranges; what is in a loop of which nobody knows how
often it runs is no part of them.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Graph, Stage, is_available
from jaxscope.model.graph import WORK_KINDS, distinct
from jaxscope.model.operations import CALLS_OF_JAXPRS, WHILES
from jaxscope.model.said import CLAUSES, LISTED, said, say, say_joined, say_range
from jaxscope.model.types import read_count
from jaxscope.model.units import format_bytes, format_flops, format_seconds, format_share
from jaxscope.program.cost.trip_counts import (
    RUN_ONE,
    AmountRange,
    ExecutionCounts,
    GroupCall,
    taken_program,
)
from jaxscope.program.dataflow import attribute_texts
from jaxscope.program.kernel_grid import KERNEL, read_grid

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]

_TOLD_INSIDE = frozenset({*WHILES, *RUN_ONE, *CALLS_OF_JAXPRS, "scan"})
"""Operations that do what is inside of them and nothing else."""


def _ancestry(graph: Graph) -> list[tuple[int, int]]:
    """Parent and owner of each group; a parent comes before its groups."""
    groups = graph.groups
    return list(zip(groups.parent.tolist(), groups.owner.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class LineCost:
    """The cost of the nodes that a line is the innermost one of.

    Attributes:
        share: Part of all known FLOPs of the program, or of its bytes where it has no FLOPs, both
            with the dearest arms of branches; NaN where only the time is known, or nothing. What
            does work that is none of that, such as a square root, has 0.
        text: Told in words, fit to show.
        seconds: Measured time of one run, without what other lines took; NaN where none is known.
        time_share: Part of the time of all measured nodes; NaN where none is known.
        quantity: What `share` is a part of, FLOP or bytes; empty where only the time is known.
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
    that make them, and its lines say so. Unknown costs count nothing. Where nobody knows which arm
    of a branch runs, amounts go from the cheapest to the dearest; where nobody knows how often a
    loop runs, its lines say what they cost in each round.
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


_EACH, _LOOPED, _WHOLE = "each", "looped", "whole"
"""What a line does out of loops of unknown length, in a round of those, and both, a round each."""


def _costs_of(graph: Graph, title: str, file: str) -> dict[int, LineCost]:
    own_lines = _own_lines(graph, file)
    lines = _inherit_lines(graph, own_lines)
    looped = find_looped(graph)
    arms = _find_arms(graph)
    amounts = _add_up(graph, lines, looped, arms)
    whole = amounts.pop((0, _WHOLE))
    column = 0 if whole.high[0] > 0 else 1
    total = float(whole.high[column])
    if total <= 0:
        return {}
    found: dict[int, LineCost] = {}
    working = np.isin(graph.nodes.kind, WORK_KINDS)
    owners = np.isin(np.arange(len(graph.nodes)), graph.groups.owner)
    unknown = np.isnan(graph.nodes.cost) & working[:, None]
    missing = unknown[:, column] & ~owners
    inside = np.isin(graph.nodes.operation, _codes(graph, _TOLD_INSIDE))
    unknown[owners & inside & ~arms.is_partial] = False  # what is inside says what is known
    num_calls = _count_calls(graph)
    quantity = ("FLOP", "bytes")[column]
    of = say("{quantity} of {title}", quantity=quantity, title=said(title))
    if missing.any():
        of = say("known {quantity} of {title}", quantity=quantity, title=said(title))
    if whole.low[column] < total:
        of = say("{of_what} with the dearest branches", of_what=of)
    if looped.any():
        of = say("{of_what}, each while loop once", of_what=of)
    for line in distinct(lines[lines > 0]).tolist():
        here = lines == line
        share = float(amounts.get((line, _WHOLE), _NOTHING).high[column]) / total
        is_told = (line, _EACH) in amounts
        shown = here & (~looped if is_told else looped)
        amount = amounts.get((line, _EACH if is_told else _LOOPED), _NOTHING)
        if share > 0:
            parts: list[str] = [*_describe_both(amount, unknown[shown], int(working[shown].sum()))]
            if not is_told:
                parts.append(say("each time it runs"))
            elif (line, _LOOPED) in amounts:
                parts.append(say("and more in a loop"))
            calls = num_calls[own_lines == line]
            if calls.size and calls.max() > 1:
                made = say(
                    "for one of {calls} calls of its function; the others count at the lines "
                    "that make them",
                    calls=int(calls.max()),
                )
                parts.append(made)
            told = say(
                "{share} of the {of_what}: {told}",
                share=format_share(share, 1),
                of_what=of,
                told=say_joined(parts, LISTED),
            )
            found[line] = LineCost(share, told, quantity=quantity)
        elif (missing & here).any():
            both = _describe_both(amount, unknown[here], int(working[here].sum()))
            found[line] = LineCost(math.nan, say_joined(both, LISTED), quantity=quantity)
        elif amount.high[1] > 0:  # work that is no FLOP
            both = _describe_both(amount, unknown[here], int(working[here].sum()))
            functions = float(np.nan_to_num(graph.nodes.cost[here & ~owners, 2]).sum())
            apart = say("exp, sqrt and the like, which XLA counts apart") if functions else ""
            told = say(
                "{share} of the {of_what}: {told}",
                share=format_share(0.0, 1),
                of_what=of,
                told=say_joined((*both, apart), LISTED),
            )
            found[line] = LineCost(0.0, told, quantity=quantity)
    return found


_NOTHING = AmountRange(np.zeros(2), np.zeros(2))


def _codes(graph: Graph, operations: frozenset[str]) -> list[int]:
    used = distinct(graph.nodes.operation).tolist()
    return [code for code in used if graph.strings[code] in operations]


def find_looped(graph: Graph) -> Bools:
    """Of each node whether it is in a loop of which nobody knows how often it runs.

    Returns:
        bool, shape `(num_nodes,)`.
    """
    of_group = np.zeros(len(graph.groups) + 1, bool)  # the last entry is of nodes in no group
    loops = set(_codes(graph, WHILES))
    for group, (parent, owner) in enumerate(_ancestry(graph)):
        is_loop = owner != NONE and graph.nodes.operation[owner] in loops
        is_unknown = is_loop and bool(np.isnan(graph.nodes.cost[owner, 0]))
        of_group[group] = of_group[parent] or is_unknown
    looped: Bools = of_group[graph.nodes.group]
    return looped


class _Arms(NamedTuple):
    """The branches of a graph.

    Attributes:
        calls: By the arm that they stand in: their arms, but for those that a literal index rules
            out, which no branch runs, and those of a linear solve that are for its derivatives.
        of_group: For each group the innermost arm around it, shape `(num_groups + 1,)`.
        is_partial: Of each node whether it may run an arm that is shown at another branch.
        is_elsewhere: Of each node whether it surely runs one of those.
    """

    calls: Mapping[int, tuple[GroupCall, ...]]
    of_group: Int64s
    is_partial: Bools
    is_elsewhere: Bools


def _find_arms(graph: Graph) -> _Arms:
    owned, by_id = graph.owned_groups(), graph.group_by_id()
    branches = [node for node in graph.nodes_of(RUN_ONE) if node in owned]
    arms = {arm for node in branches for arm in owned[node]}
    of_group = np.full(len(graph.groups) + 1, NONE, np.int64)  # the last entry is of no group
    for group, (parent, _) in enumerate(_ancestry(graph)):
        of_group[group] = group if group in arms else of_group[parent]
    calls: dict[int, tuple[GroupCall, ...]] = {}
    is_partial, is_elsewhere = (np.zeros(len(graph.nodes), bool) for _ in range(2))
    for node in branches:
        called, row = graph.called_groups(node, owned, by_id), graph.attributes(node)
        is_known = "shares" not in row or "calls" in row  # older captures name one shared arm
        taken = taken_program(graph.operation(node), row, called) if is_known else None
        drawn = [arm for arm in owned[node] if taken in (None, arm)]
        is_partial[node] = taken is None and len(drawn) < len(called)
        is_elsewhere[node] = not drawn
        insides = [*drawn, *([len(graph.groups)] if is_partial[node] else [])]
        home = int(of_group[graph.nodes.group[node]])
        call = GroupCall(node, home, tuple((arm, 1) for arm in insides), is_either=True)
        calls[home] = (*calls.get(home, ()), call)
    return _Arms(calls, of_group, is_partial, is_elsewhere)


def _add_up(
    graph: Graph, lines: Int64s, looped: Bools, arms: _Arms
) -> dict[tuple[int, str], AmountRange]:
    """FLOPs and bytes by line and kind; `(0, _WHOLE)` is of the program."""
    home = arms.of_group[graph.nodes.group]
    whole, rounds = (_spread(graph, arms, is_of_rounds=each) for each in (False, True))
    work: dict[int, dict[tuple[int, str], Floats]] = {NONE: {(0, _WHOLE): np.zeros(2)}}
    works, has_line = whole.any(axis=1), lines > 0
    for kind, of_line, amounts, chosen in (
        (_WHOLE, np.zeros_like(lines), whole, works),
        (_WHOLE, lines, whole, works & has_line),
        (_LOOPED, lines, rounds, works & has_line & looped),
        (_EACH, lines, rounds, works & has_line & ~looped),
    ):
        pairs = np.stack((home[chosen], of_line[chosen]), axis=1)
        places, rows = np.unique(pairs, axis=0, return_inverse=True)
        sums = np.zeros((len(places), 2))
        np.add.at(sums, rows.reshape(-1), amounts[chosen])
        for (arm, line), amount in zip(places.tolist(), sums, strict=True):
            work.setdefault(arm, {})[line, kind] = amount
    return ExecutionCounts((), frozenset(), arms.calls).sum_up(work)


def _describe_both(amount: AmountRange, unknown: Bools, num_working: int) -> tuple[str, str]:
    """FLOPs and bytes of nodes, of which some, or all, may be unknown."""
    missing = unknown.sum(axis=0)

    def tell(column: int, form: Callable[[float], str]) -> str:
        low, high = float(amount.low[column]), float(amount.high[column])
        if not missing[column]:
            return say_range(low, high, form)
        is_told = missing[column] < num_working and (low > 0 or not high)
        return say("at least {amount}", amount=form(low)) if is_told else ""

    flops, moved = tell(0, format_flops), tell(1, format_bytes)
    return (
        flops or say("{quantity} unknown", quantity="FLOPs"),
        say("{size} read and written", size=moved)
        if moved
        else say("{quantity} unknown", quantity="bytes"),
    )


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


def _lengths(graph: Graph) -> Floats:
    """Of each node how often a loop or a kernel of known length runs what is in it; else 1."""
    lengths = np.ones(len(graph.nodes))
    for node, text in attribute_texts(graph, "length"):
        length = read_count(text)
        lengths[node] = 1 if length is None else length
    for node in graph.nodes_of((KERNEL,)):
        lengths[node] = math.prod(read_grid(graph.attributes(node)) or ())
    return lengths


def _spread(graph: Graph, arms: _Arms, *, is_of_rounds: bool) -> Floats:
    """FLOPs and bytes without those of owners, whose insides share them out; unknown ones are 0.

    Arms of a branch keep what they cost if they run.

    Args:
        is_of_rounds: Whether what is in a loop of unknown length counts for one round of it, not
            also for the rounds of the loops around that.

    Returns:
        float64, shape `(num_nodes, 2)`.
    """
    known = np.nan_to_num(graph.nodes.cost[:, :2].astype(np.float64))
    groups, member_of = graph.groups, graph.nodes.group
    if not len(groups):
        return known
    inside = np.zeros_like(known)  # of each owner: what is in its groups, by itself
    owner_of_member = np.where(member_of != NONE, groups.owner[member_of], NONE)
    owned = owner_of_member != NONE
    np.add.at(inside, owner_of_member[owned], known[owned])
    is_told = (known > 0) & (inside > 0)
    own = np.where(is_told, known / np.where(is_told, inside, 1.0), _lengths(graph)[:, None])
    operations, is_owned = graph.nodes.operation[groups.owner], groups.owner != NONE
    own[groups.owner[is_owned & np.isin(operations, _codes(graph, RUN_ONE))]] = 1.0
    is_unknown = np.isnan(graph.nodes.cost[groups.owner, 0])
    restarts = is_owned & np.isin(operations, _codes(graph, WHILES)) & is_unknown & is_of_rounds
    scale = np.ones((len(groups) + 1, 2))  # the last entry is of nodes in no group
    scale[:-1][is_owned] = own[groups.owner[is_owned]]
    scale[:-1][restarts] = 1.0
    of_rest = zip(groups.parent.tolist(), restarts.tolist(), strict=True)
    for number, (parent, is_new) in enumerate(of_rest):
        if parent != NONE and not is_new:
            scale[number] *= scale[parent]
    result: Floats = known * scale[member_of]
    result[(inside > 0) & ~arms.is_elsewhere[:, None]] = 0.0
    return result
