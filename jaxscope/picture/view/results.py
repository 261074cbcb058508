"""What an HLO module hands back, as boxes: HLO marks an instruction as ROOT and has no node for it.

The outputs are the view's own. They stand behind the nodes of the graph, which keep their numbers;
nothing counts them.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from jaxscope.model import NONE, Direction, Graph, NodeKind, Ragged
from jaxscope.model.graph_builder import add_strings, may_hold
from jaxscope.picture.view.tree import Branch, BranchKind, Draft, nodes_of
from jaxscope.program.dataflow import find_root


def add_results(graph: Graph) -> Graph:
    """The graph with an output for each array that its root gives; a tuple gives its operands."""
    root = find_root(graph)
    if root == NONE:
        return graph
    types = graph.nodes.types[root].tolist()
    rows = [(root, result, type_) for result, type_ in enumerate(types)]
    edges = graph.edges
    if graph.operation(root) == "tuple":
        at = np.flatnonzero(edges.target == root)
        at = at[np.argsort(edges.operand[at])]
        columns = (edges.source, edges.output, edges.type)
        rows = list(zip(*(column[at].tolist() for column in columns), strict=True))
    num, first = len(rows), len(graph.nodes)
    paths = graph.result_paths(root)
    paths = paths if len(paths) == num else ()
    more = ("", "output", *_name_outputs(graph, num), "path", *paths)
    start = len(graph.strings)
    path = start + 2 + num
    ends = np.asarray(rows, np.int32).reshape(-1, 3)
    new_nodes: dict[str, Any] = {
        "id": np.arange(start + 2, start + 2 + num, dtype=np.int32),
        "name": np.full(num, start, np.int32),
        "kind": np.full(num, int(NodeKind.OUTPUT), np.int8),
        "operation": np.full(num, start + 1, np.int32),
        "group": np.full(num, NONE, np.int32),
        "types": Ragged.from_rows(ends[:, 2:].tolist()),
        "attributes": Ragged.from_rows(
            [path, path + 1 + number] if paths else [] for number in range(num)
        ),
        "direction": np.full(num, int(Direction.NONE), np.int8),
        "cost": np.full((num, 3), np.nan),
        "seconds": np.full(num, np.nan),
    }
    new_edges = {
        "source": ends[:, 0],
        "output": ends[:, 1],
        "target": np.arange(first, first + num, dtype=np.int32),
        "operand": np.zeros(num, np.int32),
        "type": ends[:, 2],
    }
    return dataclasses.replace(
        graph,
        strings=add_strings(graph.strings, more),
        nodes=_append(graph.nodes, new_nodes, num),
        edges=_append(edges, new_edges, num),
    )


def _name_outputs(graph: Graph, num: int) -> list[str]:
    """Ids that nothing else has, whatever the instructions are called."""
    prefix = "out:"
    found = [f"{prefix}{number}" for number in range(num)]
    while may_hold(graph.strings, prefix) and not set(found).isdisjoint(graph.strings):
        prefix = f"~{prefix}"
        found = [f"{prefix}{number}" for number in range(num)]
    return found


def _append(table: Any, rows: dict[str, Any], num: int) -> Any:
    """A table with more rows; columns of lists that are not given are empty in them."""
    columns: dict[str, Any] = {}
    for field in dataclasses.fields(table):
        old, new = getattr(table, field.name), rows.get(field.name, Ragged.empty(num))
        if isinstance(old, Ragged):
            offsets = np.concatenate([old.offsets, new.offsets[1:] + old.offsets[-1]])
            columns[field.name] = Ragged(offsets, np.concatenate([old.values, new.values]))
        else:
            columns[field.name] = np.concatenate([old, new])
    return type(table)(**columns)


def name_gathered(draft: Draft, root: Branch, graph: Graph) -> Branch:
    """Where one box holds all results, it is the box of the tuple that they are gathered in.

    Args:
        graph: Without the outputs.
    """
    node = find_root(graph)
    num = len(draft.graph.nodes) - len(graph.nodes)
    if node == NONE or graph.operation(node) != "tuple":
        return root

    def is_whole(child: Branch) -> bool:
        return child.kind is BranchKind.RESULTS and len(nodes_of(child)) == num

    children = (
        dataclasses.replace(child, node=node)
        if isinstance(child, Branch) and is_whole(child)
        else child
        for child in root.children
    )
    return dataclasses.replace(root, children=tuple(children))
