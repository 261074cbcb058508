"""Which calls an instruction is of, where several equations call one jitted function.

The function's jaxpr is shown once, beneath the first call, and its equations have the ids that
they have there. Before optimization its instructions are those of all calls; XLA then inlines it at
each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jaxscope.model import Graph, Stage
from jaxscope.model.stages import find_lowered_stage
from jaxscope.program.dataflow import attribute_texts, find_shown_groups


class SharedCalls:
    """The equations of the stage that was lowered which call what others call, too."""

    def __init__(self, lowered: Graph | None) -> None:
        self._shown: dict[str, list[str]] = {}
        if lowered is not None:
            shown = find_shown_groups(lowered)
            for node, group in zip(shown.node.tolist(), shown.group.tolist(), strict=True):
                name = lowered.string(lowered.groups.id, group)
                self._shown.setdefault(lowered.id(node), []).append(name)
        self._groups = frozenset(name for names in self._shown.values() for name in names)

    def find_calls(self, tag: str) -> tuple[str, ...]:
        """The calls of shared functions that a tag, as `in_call` writes it, is inside of.

        Outermost first; the first call of each function, too. Empty for what is in none.
        """
        equation, *calls = tag.split("@")
        found: dict[str, None] = {}
        inside: list[str] | None = None
        for id in (*calls, equation):
            steps = id.split("/")
            for length in range(1, len(steps) - 1, 2):
                owner, group = "/".join(steps[:length]), "/".join(steps[: length + 1])
                is_within = inside is None or owner.startswith(tuple(f"{g}/" for g in inside))
                if group in self._groups and is_within:
                    found[owner] = None
            if id is not equation:
                found[id] = None
                inside = self._shown.get(id, [])
        return tuple(found)

    def list_tags(self, instructions: Graph) -> Iterator[tuple[int, str, tuple[str, ...]]]:
        """Each instruction of a shared function, its tag, and the calls that it is of."""
        if not self._groups:
            return
        known: dict[str, tuple[str, ...]] = {}
        told = dict(attribute_texts(instructions, "call"))
        for node, derived in enumerate(instructions.rows(instructions.nodes.derived)):
            if not derived:
                continue
            for tag in told[node].split(", ") if told.get(node) else derived:
                if tag not in known:
                    known[tag] = self.find_calls(tag)
                if known[tag]:
                    yield node, tag, known[tag]


def list_callers(stages: Sequence[Stage]) -> dict[int, dict[str, tuple[str, ...]]]:
    """Of each optimized instruction of a shared function: the calls of such that it is of.

    Returns:
        By node, ids of equations of the stage that was lowered, each with its origins.
    """
    optimized = next((stage.graph for stage in stages if stage.name == "optimized"), None)
    lowered = find_lowered_stage(stages)
    graph = None if lowered is None else lowered.graph
    found: dict[int, dict[str, tuple[str, ...]]] = {}
    if isinstance(graph, Graph) and isinstance(optimized, Graph):
        for node, _, calls in SharedCalls(graph).list_tags(optimized):
            rows = [graph.index_by_id[call] for call in calls]
            origins = [graph.row(graph.nodes.origins, row) for row in rows]
            found.setdefault(node, {}).update(zip(calls, origins, strict=True))
    return found
