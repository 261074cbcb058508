"""Equations of the base function that met with another fate on the other side."""

from __future__ import annotations

import dataclasses

from jaxscope.analysis.comparison.changes import GraphComparison
from jaxscope.analysis.comparison.comparison import Comparison
from jaxscope.model import NONE, Unavailable
from jaxscope.model.capture import Fate

_STAGE = "jaxpr"


@dataclasses.dataclass(frozen=True, slots=True)
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
        reason = "The equations of the base function were not compared."
        return graphs if isinstance(graphs, Unavailable) else Unavailable(reason)
    ours, theirs = comparison.first.capture.fates, comparison.second.capture.fates
    found = []
    for node, partner in enumerate(graphs.matching.second_of_first.tolist()):
        if partner == NONE:
            continue
        first = graphs.first.string(graphs.first.nodes.id, node)
        second = graphs.second.string(graphs.second.nodes.id, partner)
        before, after = ours.get(first), theirs.get(second)
        if before is not None and after is not None and before.fate != after.fate:
            found.append(FateChange(first, second, before, after))
    return tuple(found)


def describe_fate_changes(changes: tuple[FateChange, ...] | Unavailable) -> tuple[str, ...]:
    """The same in lines of text."""
    if isinstance(changes, Unavailable):
        return (changes.reason,)
    if not changes:
        return ("Every equation that both sides have met with the same fate.",)
    return tuple(_describe(change) for change in changes)


def _describe(change: FateChange) -> str:
    name = change.first if change.first == change.second else f"{change.first}, {change.second}"
    return f"{name}: {change.before.fate} → {change.after.fate}. {change.after.text}".rstrip()
