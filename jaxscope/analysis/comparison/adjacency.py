"""Operands, users and boundaries of single nodes, ready to be followed."""

from __future__ import annotations

from jaxscope.model import NONE, Graph, NodeKind

_MAX_USERS = 64
"""A value with more users tells nothing about which is which, and must not cost a square."""


class Adjacency:
    """The neighbours of each node of one graph.

    Attributes:
        operands: For each node triples (operand slot, result of the source, source), by slot.
        users: For each node triples (result, operand slot, user), in program order.
    """

    def __init__(self, graph: Graph) -> None:
        num_nodes = len(graph.nodes)
        self.operands: list[list[tuple[int, int, int]]] = [[] for _ in range(num_nodes)]
        self.users: list[list[tuple[int, int, int]]] = [[] for _ in range(num_nodes)]
        edges = graph.edges
        for source, output, target, operand in zip(
            edges.source.tolist(),
            edges.output.tolist(),
            edges.target.tolist(),
            edges.operand.tolist(),
            strict=True,
        ):
            self.operands[target].append((operand, output, source))
            self.users[source].append((output, operand, target))
        for row in self.operands:
            row.sort()
        self._operation = graph.nodes.operation.tolist()
        self._strings = graph.strings
        self._boundaries = _find_boundaries(graph)

    def sole_users(self, node: int) -> dict[tuple[int, int, str], int]:
        """Users of a node that are the only ones of their operation at their slot."""
        found: dict[tuple[int, int, str], int] = {}
        users = self.users[node]
        if len(users) > _MAX_USERS:
            return found
        twice = set()
        for output, operand, user in users:
            key = (output, operand, self._strings[self._operation[user]])
            if key in found:
                twice.add(key)
            found[key] = user
        for key in twice:
            del found[key]
        return found

    def boundary(self, owner: int) -> list[int]:
        """Inputs and outputs of the programs inside a node, in order."""
        return self._boundaries.get(owner, [])


def _find_boundaries(graph: Graph) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    owners = graph.groups.owner.tolist()
    edges_of_programs = (NodeKind.INPUT, NodeKind.OUTPUT)
    for node, (kind, group) in enumerate(
        zip(graph.nodes.kind.tolist(), graph.nodes.group.tolist(), strict=True)
    ):
        if group != NONE and owners[group] != NONE and kind in edges_of_programs:
            found.setdefault(owners[group], []).append(node)
    return found
