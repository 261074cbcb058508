"""The graph of an HLO module, read out of its columns once for the questions about fusions."""

from __future__ import annotations

from collections.abc import Mapping

from jaxscope.model import NONE, Graph, GroupKind

FREE = frozenset(
    {
        "parameter",
        "constant",
        "tuple",
        "get-tuple-element",
        "bitcast",
        "after-all",
        "add-dependency",
        "opt-barrier",
    }
)
"""Instructions that nothing runs for."""

CONTROL = frozenset({"while", "conditional", "call", "async-start"})
"""Instructions that run other computations, whose instructions are what runs."""


class Module:
    """Lists instead of columns.

    Attributes:
        graph: Where they come from.
        operations: Opcode of each node.
        attributes: Of each node.
        operands: Of each node, its operands in order as (node, which of its results).
        users: Of each node, where its results go as (node, which of its operands).
        members: Nodes of each computation in program order; the entry's are under `NONE`.
        roots: The root of each computation.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        strings, nodes, edges = graph.strings, graph.nodes, graph.edges
        self.operations = [strings[s] for s in nodes.operation.tolist()]
        self.attributes: list[Mapping[str, str]] = [graph.attributes(i) for i in range(len(nodes))]
        self._groups: list[int] = nodes.group.tolist()
        self.members: dict[int, list[int]] = {}
        self.roots: dict[int, int] = {}
        for node, group in enumerate(self._groups):
            self.members.setdefault(group, []).append(node)
            if self.attributes[node].get("root") == "true":
                self.roots[group] = node
        found: list[dict[int, tuple[int, int]]] = [{} for _ in range(len(nodes))]
        self.users: list[list[tuple[int, int]]] = [[] for _ in range(len(nodes))]
        for source, output, target, operand in zip(
            edges.source.tolist(),
            edges.output.tolist(),
            edges.target.tolist(),
            edges.operand.tolist(),
            strict=True,
        ):
            found[target][operand] = (source, output)
            self.users[source].append((target, operand))
        self.operands = [[row[number] for number in sorted(row)] for row in found]
        self._group_of_id = {strings[s]: i for i, s in enumerate(graph.groups.id.tolist())}
        self._owners: list[int] = graph.groups.owner.tolist()
        self._kinds: list[int] = graph.groups.kind.tolist()

    def id(self, node: int) -> str:
        """The id of a node."""
        return self.graph.string(self.graph.nodes.id, node)

    def types(self, node: int) -> tuple[str, ...]:
        """The types of a node's results."""
        return self.graph.row(self.graph.nodes.types, node)

    def home(self, node: int) -> int:
        """The computation that a node stands in; `NONE` for the entry."""
        return self._groups[node]

    def owner(self, group: int) -> int:
        """The instruction that a computation is the inside of, or `NONE`."""
        return self._owners[group] if group != NONE else NONE

    def is_fused(self, group: int) -> bool:
        """Whether a computation is the inside of a fusion."""
        return group != NONE and self._kinds[group] == GroupKind.FUSION

    def called(self, node: int) -> list[int]:
        """The computations that an instruction calls, in order; those not there left out."""
        names = self.attributes[node].get("calls", "")
        return [self._group_of_id[n] for n in names.split(", ") if n in self._group_of_id]

    def fused_computation(self, node: int) -> int | None:
        """The computation of a fusion; None for every other instruction."""
        if self.operations[node] != "fusion":
            return None
        return next(iter(self.called(node)), None)

    def kernel(self, node: int) -> int:
        """The instruction that a node runs as: the outermost fusion it is in, or itself.

        What is in a reducer or comparator runs as the instruction that calls it.
        """
        seen: set[int] = set()
        while node not in seen:  # a module from a file may go round in circles
            seen.add(node)
            owner = self.owner(self.home(node))
            if owner == NONE or self.operations[owner] in CONTROL:
                break
            node = owner
        return node

    def is_free(self, node: int) -> bool:
        """Whether nothing runs for an instruction; the end of an asynchronous one is its start."""
        operation = self.operations[node]
        return operation in FREE or operation.endswith(("-done", "-update"))

    def last_operation(self, kernel: int) -> int:
        """The node that makes a kernel's (first) result: its root behind bitcasts, or itself."""
        seen: set[int] = set()
        while kernel not in seen:
            seen.add(kernel)
            group = self.fused_computation(kernel)
            if group is not None and group in self.roots:
                kernel = self.roots[group]
            elif self.operations[kernel] in ("bitcast", "tuple") and self.operands[kernel]:
                kernel = self.operands[kernel][0][0]
            else:
                break
        return kernel
