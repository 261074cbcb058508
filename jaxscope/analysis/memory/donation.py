"""Donated arguments: whose memory the results took over, and why the others were of no use."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from jaxscope.analysis.memory.schedule import Schedule, read_schedule
from jaxscope.model import Capture, Leaf, Unavailable
from jaxscope.model.memory import MemoryPlan


@dataclasses.dataclass(frozen=True, slots=True)
class Donation:
    """A donated argument.

    Attributes:
        path: Of the argument.
        type: Its type.
        num_bytes: Its bytes.
        is_used: Whether a result lies in its memory.
        text: How it is used, or why not; one sentence.
    """

    path: str
    type: str
    num_bytes: int
    is_used: bool
    text: str


def find_donations(capture: Capture) -> tuple[Donation, ...] | Unavailable:
    """What became of each donated argument; empty where none was donated."""
    plan = capture.memory
    if isinstance(plan, Unavailable):
        return plan
    if not plan.donated:
        return ()
    schedule = read_schedule(capture.stage("optimized"))
    if isinstance(schedule, Unavailable):
        return schedule
    return tuple(_explain(capture, plan, schedule))


def _explain(capture: Capture, plan: MemoryPlan, schedule: Schedule) -> Iterator[Donation]:
    traced = [leaf for leaf in capture.arguments if not leaf.is_static]
    taken = {parameter: result for result, parameter in schedule.aliases.items()}
    first = _num_hoisted(plan, schedule)
    parameter_of = {place: first + number for number, place in enumerate(plan.kept)}
    for place in plan.donated:
        if place >= len(traced):
            continue
        leaf = traced[place]
        parameter = parameter_of.get(place)
        result = -1 if parameter is None else taken.get(parameter, -1)
        if result >= 0:
            name = capture.results[result].path if result < len(capture.results) else ""
            text = f"Used: {name or 'the result'} lies in its memory."
            yield _donation(leaf, True, text)
        else:
            yield _donation(leaf, False, _why_not(leaf, capture, is_kept=parameter is not None))


def _why_not(leaf: Leaf, capture: Capture, *, is_kept: bool) -> str:
    if not is_kept:
        return "Not usable: the program does not read it, so it was never handed over."
    if any(result.num_bytes == leaf.num_bytes for result in capture.results):
        return (
            "Not usable: every result of its size already lies in another argument's memory, or is "
            "laid out differently."
        )
    return f"Not usable: no result has its size, so none of them could take over {leaf.type}."


def _num_hoisted(plan: MemoryPlan, schedule: Schedule) -> int:
    """Captured arrays come before the arguments among the parameters."""
    graph = schedule.graph
    entry = graph.nodes.group == -1
    wanted = graph.strings.index("parameter") if "parameter" in graph.strings else -1
    num_parameters = int((entry & (graph.nodes.operation == wanted)).sum())
    return max(num_parameters - len(plan.kept), 0)


def _donation(leaf: Leaf, is_used: bool, text: str) -> Donation:
    return Donation(leaf.path, leaf.type, leaf.num_bytes, is_used, text)
