"""Which thing of one stage belongs to which of another: the lines of a ribbon between two panes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.link_columns import StageColumns

Int32s = npt.NDArray[np.int32]
Pairs = npt.NDArray[np.int32]
"""Pairs of indices, of shape `(pairs, 2)`, each pair once, in rising order."""

NO_PAIRS: Pairs = np.zeros((0, 2), np.int32)

_MAX_PAIRS = 4_000
"""More lines than this between two panes tell nothing that the highlights do not."""


def find_pairs(mine: StageColumns, nodes: Int32s, theirs: StageColumns, others: Int32s) -> Pairs:
    """Pairs of nodes of two stages that share an equation, by the finest key that both have.

    Args:
        mine: Columns of the first stage.
        nodes: Of the first stage, in rising order.
        theirs: Columns of the second stage.
        others: Of the second stage, in rising order.
    """
    for keys, rows, their_keys, their_rows in (
        (mine.derived_key, mine.derived_row, theirs.derived_key, theirs.derived_row),
        (mine.origin_key, mine.origin_row, theirs.origin_key, theirs.origin_row),
    ):
        found = _join(
            *_lift(mine, rows, keys, nodes), *_lift(theirs, their_rows, their_keys, others)
        )
        if len(found):
            return found
    return NO_PAIRS


def find_line_pairs(
    file: int,
    lines: Int32s,
    columns: StageColumns,
    nodes: Int32s,
    base: StageColumns | None,
) -> Pairs:
    """Pairs of a source line and a node: by the node's own place, else by its equation's.

    Args:
        file: Number of the file.
        lines: 1-based, in rising order.
        columns: Of the stage.
        nodes: Of the stage, in rising order.
        base: Columns of the base function's jaxpr, whose equations have places.
    """
    own = np.flatnonzero((columns.file == file) & np.isin(columns.line, lines))
    rows, places = _lift(columns, columns.source_row[own], columns.line[own], nodes)
    direct = _unique(np.stack([places, rows], axis=1))
    if base is None or base is columns:
        return direct
    from_lines = np.flatnonzero((base.file == file) & np.isin(base.line, lines))
    sources, equations = base.line[from_lines], base.source_row[from_lines]
    steps = _join(sources, equations, base.origin_key, base.origin_row)
    mine = _lift(columns, columns.origin_row, columns.origin_key, nodes)
    by_key = _join(steps[:, 0], steps[:, 1], *mine)
    return _unique(np.concatenate([direct, by_key]))


def _lift(
    columns: StageColumns, rows: Int32s, keys: Int32s, nodes: Int32s
) -> tuple[Int32s, Int32s]:
    """Keys of wanted nodes; what is inside a wanted fusion counts for the fusion as well."""
    inside = np.isin(rows, nodes)
    owners = columns.fusion_owner[rows] if len(rows) else rows
    of_owner = np.isin(owners, nodes) & (owners >= 0)
    return (
        np.concatenate([rows[inside], owners[of_owner]]).astype(np.int32),
        np.concatenate([keys[inside], keys[of_owner]]).astype(np.int32),
    )


def _join(left: Int32s, left_keys: Int32s, right: Int32s, right_keys: Int32s) -> Pairs:
    """All pairs whose keys are equal, up to a limit."""
    if not len(left) or not len(right):
        return NO_PAIRS
    order = np.argsort(right_keys, kind="stable")
    sorted_keys = right_keys[order]
    begin = np.searchsorted(sorted_keys, left_keys, "left")
    counts = np.searchsorted(sorted_keys, left_keys, "right") - begin
    counts = np.where(np.cumsum(counts) <= _MAX_PAIRS, counts, 0)
    total = int(counts.sum())
    offsets = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    partners = right[order[np.repeat(begin, counts) + offsets]]
    return _unique(np.stack([np.repeat(left, counts), partners], axis=1))


def _unique(pairs: Pairs) -> Pairs:
    return np.unique(pairs.astype(np.int32), axis=0).reshape(-1, 2)
