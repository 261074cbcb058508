"""A jaxpr-level graph as plain lists: what feeds each equation, and how nested jaxprs connect."""

from __future__ import annotations

import dataclasses

from jaxscope.model.graph import NONE, Graph, NodeKind

Value = tuple[int, int]
"""A result: node index, and which of its results."""


@dataclasses.dataclass(frozen=True, slots=True)
class Nested:
    """A nested jaxpr of an equation.

    Attributes:
        owners: Node indices of the equations that own it; several may share it.
        inputs: Node index of each input, and the owner's operand that it receives, or `NONE`.
        outputs: Node index of each output, by the owner's result that it gives.
    """

    owners: list[int]
    inputs: list[tuple[int, int]]
    outputs: dict[int, int]


class Equations:
    """The equations of one graph.

    Attributes:
        ids: Of every node.
        operations: Of every node.
        is_equation: Whether a node is an equation.
        operands: Per node the values it uses, by operand; literals are not among them.
        literals: Per node its literal operands, such as `{1: "2.0:f32[]"}`.
        types: Per node the types of its results.
        nested: Nested jaxprs, by group index.
        inside: Groups that each owning node shows or shares.
        group: Per node its group.
        results: Output nodes of the whole program.
    """

    def __init__(self, graph: Graph) -> None:
        nodes, strings = graph.nodes, graph.strings
        self.graph = graph
        self.ids = [strings[s] for s in nodes.id.tolist()]
        self.operations = [strings[s] for s in nodes.operation.tolist()]
        kinds = nodes.kind.tolist()
        self.is_equation = [kind == NodeKind.EQUATION for kind in kinds]
        self.group = nodes.group.tolist()
        self.types = [graph.row(nodes.types, index) for index in range(len(nodes))]
        self.attributes = [graph.attributes(index) for index in range(len(nodes))]
        self.operands: list[dict[int, Value]] = [{} for _ in kinds]
        edges = graph.edges
        for source, output, target, operand in zip(
            edges.source.tolist(),
            edges.output.tolist(),
            edges.target.tolist(),
            edges.operand.tolist(),
            strict=True,
        ):
            self.operands[target][operand] = (source, output)
        self.literals = [
            {
                int(key[3:-1]): text
                for key, text in row.items()
                if key.startswith("in[") and key[3:-1].isdecimal()
            }
            for row in self.attributes
        ]
        self.nested: dict[int, Nested] = {}
        self.inside: dict[int, list[int]] = {}
        self.results: list[int] = []
        self._members: dict[int, list[int]] = {}
        for node, group in enumerate(self.group):
            if self.is_equation[node]:
                self._members.setdefault(group, []).append(node)
        self._connect(graph, kinds)

    def _connect(self, graph: Graph, kinds: list[int]) -> None:
        by_id = {}
        for group, owner in enumerate(graph.groups.owner.tolist()):
            by_id[graph.string(graph.groups.id, group)] = group
            self.nested[group] = Nested([] if owner == NONE else [owner], [], {})
            if owner != NONE:
                self.inside.setdefault(owner, []).append(group)
        for node, kind in enumerate(kinds):
            row, group = self.attributes[node], self.group[node]
            shared = by_id.get(row.get("shares", ""))
            if shared is not None:
                self.nested[shared].owners.append(node)
                self.inside.setdefault(node, []).append(shared)
            if kind == NodeKind.INPUT and group != NONE:
                operand = row.get("operand", "")
                number = int(operand) if operand.isdecimal() else NONE
                self.nested[group].inputs.append((node, number))
            elif kind == NodeKind.OUTPUT:
                if group == NONE:
                    self.results.append(node)
                else:
                    result = row.get("result", "")
                    self.nested[group].outputs[int(result) if result.isdecimal() else NONE] = node

    def children(self, node: int) -> list[int]:
        """The equations directly inside an equation."""
        return [
            index for group in self.inside.get(node, ()) for index in self._members.get(group, ())
        ]

    def is_shared(self, node: int) -> bool:
        """Whether several equations call what an equation stands in."""
        group = self.group[node]
        while group != NONE:
            owners = self.nested[group].owners
            if len(owners) != 1:
                return len(owners) > 1
            group = self.group[owners[0]]
        return False
