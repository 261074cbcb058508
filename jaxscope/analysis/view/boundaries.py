"""Where values enter nested programs and leave them, read from a graph's columns.

Graphs do not spell these edges out: an input inside says which operand of its owner it receives,
and a node inside that is the root or names a result says what of the owner's results it gives.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.model import NONE, Graph, NodeKind

Int64s = npt.NDArray[np.int64]

Origin = tuple[int, int]
"""A node and which of its results."""


class Entries(NamedTuple):
    """Inner inputs, in program order: the node, its owner, and the operand that it receives."""

    node: Int64s
    owner: Int64s
    operand: Int64s


class Exits(NamedTuple):
    """What gives results of owners, in program order: the node, its owner, and the result.

    The result is -1 where the node gives all of them.
    """

    node: Int64s
    owner: Int64s
    result: Int64s


@dataclasses.dataclass(frozen=True, slots=True)
class Boundaries:
    """Nodes at the edges of nested programs.

    Attributes:
        entering: Of each inner input, its owner and the operand it receives.
        leaving: Of each result of an owner, the nodes inside that give it.
    """

    entering: dict[int, tuple[int, int]]
    leaving: dict[Origin, list[int]]


def find_boundaries(graph: Graph) -> Boundaries:
    """The nodes at the edges of all nested programs of a graph."""
    entries, exits = list_boundaries(graph)
    nodes, owners, operands = (column.tolist() for column in entries)
    leaving: dict[Origin, list[int]] = {}
    for node, owner, result in zip(*(column.tolist() for column in exits), strict=True):
        leaving.setdefault((owner, result), []).append(node)
    return Boundaries(dict(zip(nodes, zip(owners, operands, strict=True), strict=True)), leaving)


def list_boundaries(graph: Graph) -> tuple[Entries, Exits]:
    """The same as columns."""
    groups, nodes = graph.groups, graph.nodes
    gives_result = np.asarray(
        [not graph.strings[label].startswith("condition") for label in groups.label.tolist()], bool
    )
    operands, results, roots, parameters = (
        attribute_column(graph, key) for key in ("operand", "result", "root", "parameter_number")
    )
    takes = (nodes.kind == NodeKind.INPUT) | (parameters != NONE)
    has_owner = np.append(groups.owner != NONE, False)  # the last entry is of nodes in no group
    is_inside = has_owner[nodes.group]

    inputs = np.flatnonzero(is_inside & takes)
    numbers = _integers(graph, operands[inputs])
    is_known = numbers >= 0
    entering = inputs[is_known]
    mapped, with_inputs = (np.zeros(len(groups), bool) for _ in range(2))
    mapped[nodes.group[entering]] = True
    with_inputs[nodes.group[inputs]] = True

    given = np.flatnonzero(is_inside & ~takes & ((roots != NONE) | (results != NONE)))
    is_root = roots[given] != NONE
    result = np.where(is_root, -1, _integers(graph, results[given]))
    group = nodes.group[given]
    is_given = (is_root | (result >= 0)) & gives_result[group]
    is_given &= mapped[group] | ~with_inputs[group]
    leaving = given[is_given]
    owner = groups.owner.astype(np.int64)
    return (
        Entries(entering, owner[nodes.group[entering]], numbers[is_known]),
        Exits(leaving, owner[nodes.group[leaving]], result[is_given]),
    )


def attribute_column(graph: Graph, key: str) -> npt.NDArray[np.int32]:
    """Of each node the string that is the attribute's value; `NONE` where it has none."""
    column = np.full(len(graph.nodes), NONE, np.int32)
    if key in graph.strings:
        attributes = graph.nodes.attributes
        is_wanted = attributes.values[0::2] == graph.strings.index(key)
        column[attributes.row_numbers()[0::2][is_wanted]] = attributes.values[1::2][is_wanted]
    return column


def _integers(graph: Graph, strings: npt.NDArray[np.int32]) -> Int64s:
    """The numbers that strings spell; -1 for what is none. Each string is read once."""

    @functools.cache
    def read(string: int) -> int:
        text = "" if string == NONE else graph.strings[string]
        return int(text) if text.isdecimal() and len(text) < 9 else -1

    return np.fromiter(map(read, strings.tolist()), np.int64, len(strings))
