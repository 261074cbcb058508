"""The columns of one stage that `links` asks: equation keys, source lines, fusions, inputs."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from jaxscope.model import NONE, Graph, GroupKind, NodeKind, Ragged

Int32s = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True, eq=False)
class StageColumns:
    """One stage's links as parallel arrays: row `i` says that node `…_row[i]` has key `…_key[i]`.

    Attributes:
        origin_key: Numbers of equation ids of the stage `jaxpr`.
        derived_key: Numbers of equation ids of the last jaxpr-level stage.
        file: Numbers of source files.
        line: 1-based source lines.
        fusion_owner: Per node, the fusion instruction it is inside of, or `NONE`.
        inputs: The program's own inputs in order, those of inner programs left out.
    """

    origin_row: Int32s
    origin_key: Int32s
    derived_row: Int32s
    derived_key: Int32s
    source_row: Int32s
    file: Int32s
    line: Int32s
    fusion_owner: Int32s
    inputs: Int32s

    def keys_of(self, nodes: Int32s, num_keys: int) -> tuple[Bools, Bools]:
        """Which origin and which derived keys the nodes have, as two masks over all keys."""
        origins, derived = np.zeros(num_keys, bool), np.zeros(num_keys, bool)
        origins[self.origin_key[np.isin(self.origin_row, nodes)]] = True
        derived[self.derived_key[np.isin(self.derived_row, nodes)]] = True
        return origins, derived


def build_columns(
    graph: Graph,
    numbers: dict[str, int],
    files: dict[str, int],
    *,
    own_origins: bool,
    own_derived: bool,
) -> StageColumns:
    """Number a stage's keys.

    Args:
        numbers: Number of each equation id over all stages; grows.
        files: Number of each source file over all stages; grows.
        own_origins: The stage is the base function's jaxpr: an equation is its own origin.
        own_derived: The stage is what was lowered: an equation is its own derived equation.
    """
    nodes = graph.nodes
    origin_row, origin_key = _number_rows(graph, nodes.origins, numbers, own_origins)
    derived_row, derived_key = _number_rows(graph, nodes.derived, numbers, own_derived)
    source = nodes.source
    places = source.values.reshape(-1, 4)
    return StageColumns(
        origin_row=origin_row,
        origin_key=origin_key,
        derived_row=derived_row,
        derived_key=derived_key,
        source_row=np.repeat(np.arange(len(nodes), dtype=np.int32), source.lengths() // 4),
        file=_number_strings(graph, places[:, 0], files),
        line=np.ascontiguousarray(places[:, 1]),
        fusion_owner=_fusion_owners(graph),
        inputs=_own_inputs(graph),
    )


def _number_rows(
    graph: Graph, column: Ragged, numbers: dict[str, int], include_own: bool
) -> tuple[Int32s, Int32s]:
    rows, strings = column.row_numbers(), column.values
    if include_own:
        own = np.flatnonzero(graph.nodes.kind == NodeKind.EQUATION).astype(np.int32)
        rows = np.concatenate([rows, own])
        strings = np.concatenate([strings, graph.nodes.id[own]])
    return rows, _number_strings(graph, strings, numbers)


def _number_strings(graph: Graph, strings: Int32s, numbers: dict[str, int]) -> Int32s:
    table = np.zeros(max(len(graph.strings), 1), np.int32)
    for index in np.unique(strings).tolist():
        table[index] = numbers.setdefault(graph.strings[index], len(numbers))
    return table[strings]


def _fusion_owners(graph: Graph) -> Int32s:
    groups = graph.groups
    owners: list[int] = []
    for parent, kind, owner in zip(
        groups.parent.tolist(), groups.kind.tolist(), groups.owner.tolist(), strict=True
    ):
        outer = owners[parent] if parent != NONE else NONE
        owners.append(owner if kind == GroupKind.FUSION else outer)
    if not owners:
        return np.full(len(graph.nodes), NONE, np.int32)
    by_group = np.asarray([*owners, NONE], np.int32)  # index NONE reads the last entry
    result: Int32s = by_group[graph.nodes.group]
    return result


def _own_inputs(graph: Graph) -> Int32s:
    inputs = np.flatnonzero(graph.nodes.kind == NodeKind.INPUT).astype(np.int32)
    groups = graph.nodes.group[inputs]
    if not len(inputs):
        return inputs
    own: Int32s = inputs[groups == groups[0]]
    return own
