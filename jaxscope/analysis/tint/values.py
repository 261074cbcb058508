"""Numbers of boxes: what the nodes behind each box of a picture cost, each counted once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.cost.array_type import parse_type
from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.view.labels import short_type
from jaxscope.model import NONE, Graph, Ragged

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]


def sum_by_item(graph: Graph, scene: Scene, values: Floats) -> Floats:
    """The sum of the nodes' values for each item of a scene; NaN where none is known.

    A fusion or a call already counts what is inside it: nodes inside a node whose value is known
    are left out of the box that shows both.
    """
    items = scene.item_of_node.astype(np.int64)
    around = _known_owners(graph, values)[graph.nodes.group]
    is_counted = (around != NONE) & (items[np.maximum(around, 0)] == items)
    used = np.flatnonzero((items >= 0) & ~is_counted & ~np.isnan(values))
    sums = np.bincount(items[used], values[used], len(scene.items))
    counts = np.bincount(items[used], minlength=len(scene.items))
    result: Floats = np.where(counts > 0, sums, np.nan)
    return result


def _known_owners(graph: Graph, values: Floats) -> Int32s:
    """For each group the innermost owner around with a known value; the last entry is `NONE`."""
    owners: list[int] = []
    is_known = ~np.isnan(values)
    for parent, owner in zip(
        graph.groups.parent.tolist(), graph.groups.owner.tolist(), strict=True
    ):
        outer = owners[parent] if parent != NONE else NONE
        owners.append(owner if owner != NONE and is_known[owner] else outer)
    return np.asarray([*owners, NONE], np.int32)


def count_result_bytes(graph: Graph) -> Floats:
    """Payload bytes of each node's results; NaN where a type's size is not known."""
    sizes = np.full(max(len(graph.strings), 1), np.nan)
    types: Ragged = graph.nodes.types
    for index in np.unique(types.values).tolist():
        array = parse_type(short_type(graph.strings[index]).replace("pred[", "bool["))
        sizes[index] = np.nan if array is None else array.num_bytes
    sums = np.bincount(types.row_numbers(), sizes[types.values], len(graph.nodes))
    result: Floats = np.where(types.lengths() > 0, sums, np.nan)
    return result


def most_common(codes: Int32s, items: Int32s, num_items: int) -> Int32s:
    """The code that most of an item's nodes have, -1 for items without any; codes below 0 are
    not counted."""
    used = (items >= 0) & (codes >= 0)
    if not used.any():
        return np.full(num_items, -1, np.int32)
    num_codes = int(codes.max()) + 1
    table = np.bincount(
        items[used].astype(np.int64) * num_codes + codes[used], minlength=num_items * num_codes
    ).reshape(num_items, num_codes)
    return np.where(table.any(axis=1), table.argmax(axis=1), -1).astype(np.int32)
