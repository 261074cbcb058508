"""Programs that several nodes are the inside of: drawn once, at the first of their owners."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.model import NONE, Graph, NodeKind

Int32s = npt.NDArray[np.int32]


def find_shown_groups(graph: Graph) -> Int32s:
    """For each node the group that shows its inside elsewhere, as group index, or `NONE`.

    Only nodes whose nested program is drawn at another node have one: the attribute `shares`
    names it. A name that no group has counts as none.
    """
    found = np.full(len(graph.nodes), NONE, np.int32)
    key = next((i for i, string in enumerate(graph.strings) if string == "shares"), None)
    if key is None:
        return found
    attributes = graph.nodes.attributes
    at = np.flatnonzero(attributes.values[0::2] == key) * 2
    groups = {string: group for group, string in enumerate(graph.groups.id.tolist())}
    rows = attributes.row_numbers()[at]
    for row, value in zip(rows.tolist(), attributes.values[at + 1].tolist(), strict=True):
        found[row] = groups.get(value, NONE)
    return found


def first_node_inside(graph: Graph, group: int) -> int:
    """The first node of a group or of what it encloses that does something, or `NONE`."""
    if not 0 <= group < len(graph.groups):
        return NONE
    is_inside = np.zeros(len(graph.groups) + 1, bool)  # the last entry answers for `NONE`
    is_inside[group] = True
    for index in range(group + 1, len(graph.groups)):
        is_inside[index] = is_inside[graph.groups.parent[index]]
    is_program = ~np.isin(graph.nodes.kind, (NodeKind.INPUT, NodeKind.OUTPUT))
    nodes = np.flatnonzero(is_inside[graph.nodes.group] & is_program)
    return int(nodes[0]) if len(nodes) else NONE
