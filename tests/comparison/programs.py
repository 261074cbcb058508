"""Graphs in a notation that fits on the screen, random ones, and ways to disguise a graph."""

from __future__ import annotations

import random
from collections.abc import Sequence

from jaxscope.model import Graph, GraphBuilder, GroupKind, NodeKind
from jaxscope.program.diff.changes import (
    Change,
    GraphComparison,
    compare_graphs,
    describe_node_change,
)
from jaxscope.program.diff.matching import ComparedGraph

OPERATIONS = ("sin", "cos", "add", "mul", "tanh", "dot")


def build_graph(program: str) -> Graph:
    """A graph from lines such as `c mul a b : f32[8] y=2 in=g flops=3 scope=attention`.

    The words: name, operation, operands, then what the result is and options. The operations
    `in` and `out` make inputs and outputs. `group NAME` opens a group, `group NAME of NODE` the
    inside of a node.
    """
    builder = GraphBuilder()
    nodes: dict[str, int] = {}
    groups: dict[str, int] = {}
    for line in filter(None, map(str.strip, program.strip().splitlines())):
        if line.startswith("group "):
            words = line.split()
            owner = nodes[words[3]] if len(words) > 3 else -1
            groups[words[1]] = builder.add_group(
                words[1], GroupKind.COMPUTATION, words[1], owner=owner
            )
            continue
        before, _, after = line.partition(" : ")
        name, operation, *operands = before.split()
        type_, *options = after.split() or ["f32[8]"]
        values = dict(option.split("=", 1) for option in options)
        kind = {"in": NodeKind.INPUT, "out": NodeKind.OUTPUT}.get(operation, NodeKind.EQUATION)
        flops = float(values.pop("flops", "nan"))
        nodes[name] = builder.add_node(
            name,
            kind,
            {"in": "input", "out": "output"}.get(operation, operation),
            name=name,
            group=groups.get(values.pop("in", ""), -1),
            types=[type_],
            scope=tuple(filter(None, values.pop("scope", "").split("/"))),
            attributes=values,
            cost=(flops, flops, flops),
        )
        for slot, operand in enumerate(operands):
            builder.add_edge(nodes[operand], nodes[name], operand=slot, type=type_)
    return builder.build()


def compare_programs(first: str | Graph, second: str | Graph) -> GraphComparison:
    """Compare two programs in the notation."""
    graphs = [build_graph(p) if isinstance(p, str) else p for p in (first, second)]
    return compare_graphs(ComparedGraph(graphs[0], {}), ComparedGraph(graphs[1], {}))


def differences(first: str | Graph, second: str | Graph) -> list[str]:
    """What differs, a line each, with the word for the kind before it."""
    graphs = compare_programs(first, second)
    return [
        f"{change.name.lower()} {describe_node_change(graphs, change, a, b)}"
        for change, a, b in graphs.rows()
    ]


def counts_of(graphs: GraphComparison) -> tuple[int, int, int, int, int]:
    """Numbers of nodes that are same, changed, moved, added and removed."""
    counts = graphs.counts
    return counts.same, counts.changed, counts.moved, counts.added, counts.removed


Row = tuple[str, tuple[int, ...], str]
"""Operation, rows of the operands, type."""


def random_rows(seed: int, num_nodes: int) -> list[Row]:
    """A random program: each node uses earlier ones, mostly near ones."""
    dice = random.Random(seed)
    rows: list[Row] = [("in", (), "f32[8]"), ("in", (), "f32[4]")]
    for _ in range(num_nodes):
        operation = dice.choice(OPERATIONS)
        num = 2 if operation in ("add", "mul", "dot") else 1
        near = range(max(0, len(rows) - 8), len(rows))
        operands = tuple(
            dice.choice(near) if dice.random() < 0.8 else dice.randrange(len(rows))
            for _ in range(num)
        )
        rows.append((operation, operands, dice.choice(("f32[8]", "f32[4]", "bf16[8]"))))
    used = {operand for _, operands, _ in rows for operand in operands}
    ends = [i for i in range(len(rows)) if i not in used]
    return rows + [("out", (end,), "f32[8]") for end in ends]


def graph_of(rows: Sequence[Row], order: Sequence[int] | None = None, prefix: str = "n") -> Graph:
    """The graph of a random program.

    Args:
        rows: The program.
        order: In which order the nodes stand; operands need not come first.
        prefix: Of the names.
    """
    order = list(range(len(rows))) if order is None else list(order)
    place = {row: position for position, row in enumerate(order)}
    builder = GraphBuilder()
    for position, row in enumerate(order):
        operation, _, type_ = rows[row]
        kind = {"in": NodeKind.INPUT, "out": NodeKind.OUTPUT}.get(operation, NodeKind.EQUATION)
        name = f"{prefix}{position}"
        builder.add_node(name, kind, operation, name=name, types=[type_])
    for position, row in enumerate(order):
        for slot, operand in enumerate(rows[row][1]):
            builder.add_edge(place[operand], position, operand=slot, type=rows[operand][2])
    return builder.build()


def other_order(rows: Sequence[Row], seed: int) -> list[int]:
    """Another order in which every operand still comes before its users."""
    dice = random.Random(seed)
    users: dict[int, list[int]] = {}
    missing = []
    for row, (_, operands, _) in enumerate(rows):
        missing.append(len(operands))
        for operand in operands:
            users.setdefault(operand, []).append(row)
    # Inputs and outputs keep their turn: it says which argument is which.
    ready = [row for row, count in enumerate(missing) if count == 0]
    order: list[int] = []
    outputs = [row for row, (operation, _, _) in enumerate(rows) if operation == "out"]
    while ready:
        inputs = [row for row in ready if rows[row][0] == "in"]
        row = inputs[0] if inputs else dice.choice(ready)
        ready.remove(row)
        if rows[row][0] != "out":
            order.append(row)
        for user in users.get(row, []):
            missing[user] -= 1
            if missing[user] == 0:
                ready.append(user)
    return order + outputs


def check_accounted(graphs: GraphComparison) -> None:
    """Every node of both sides is one thing, exactly once."""
    first, second = len(graphs.first.nodes), len(graphs.second.nodes)
    same, changed, moved, added, removed = counts_of(graphs)
    pairs = same + changed + moved
    assert pairs + removed == first
    assert pairs + added == second
    partners = graphs.matching.second_of_first
    known = partners[partners >= 0]
    assert len(set(known.tolist())) == len(known) == pairs
    rows = graphs.rows()
    firsts = [a for _, a, _ in rows if a >= 0]
    seconds = [b for _, _, b in rows if b >= 0]
    assert len(set(firsts)) == len(firsts)
    assert len(set(seconds)) == len(seconds)
    assert len(rows) == changed + moved + added + removed
    assert {change for change, _, _ in rows} <= set(Change)
