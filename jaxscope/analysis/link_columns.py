"""The columns of one stage that `links` asks: equation keys, source lines, fusions, inputs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.sharing import find_shown_groups
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
        inputs: The program's own inputs, not those of inner programs, in order of the arguments.
        argument_row: The program's own inputs whose place in the arguments is known.
        argument_key: Numbers of those places, such as `params['w']`.
        shown_group: Per node, the group elsewhere that shows its inside, or `NONE`.
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
    argument_row: Int32s
    argument_key: Int32s
    shown_group: Int32s

    def keys_of(self, nodes: Int32s, num_keys: int) -> tuple[Bools, Bools]:
        """Which origin and which derived keys the nodes have, as two masks over all keys."""
        origins, derived = np.zeros(num_keys, bool), np.zeros(num_keys, bool)
        origins[self.origin_key[np.isin(self.origin_row, nodes)]] = True
        derived[self.derived_key[np.isin(self.derived_row, nodes)]] = True
        return origins, derived


@dataclasses.dataclass(frozen=True, eq=False)
class AllColumns:
    """The columns of every stage and what their numbers stand for.

    Attributes:
        of_stage: By name.
        num_keys: How many equation keys there are.
        arguments: Places in the arguments, by number.
    """

    of_stage: dict[str, StageColumns]
    num_keys: int
    arguments: tuple[str, ...]


def build_all_columns(
    graphs: Mapping[str, Graph], base: str, lowered: str, files: dict[str, int]
) -> AllColumns:
    """Number the keys of all stages alike.

    Args:
        base: Name of the base function's jaxpr; its equations are their own origins.
        lowered: Name of the stage that was lowered; its equations are their own derived ones.
        files: Number of each source file; grows.
    """
    numbers: dict[str, int] = {}
    arguments: dict[str, int] = {}
    columns = {
        name: build_columns(
            graph,
            numbers,
            files,
            arguments,
            own_origins=name == base,
            own_derived=name == lowered,
        )
        for name, graph in graphs.items()
    }
    named = columns.get("hlo") or columns.get("optimized")
    if named is not None and "stablehlo" in columns:
        columns["stablehlo"] = borrow_arguments(columns["stablehlo"], named)
    return AllColumns(columns, len(numbers), tuple(arguments))


def build_columns(
    graph: Graph,
    numbers: dict[str, int],
    files: dict[str, int],
    arguments: dict[str, int],
    *,
    own_origins: bool,
    own_derived: bool,
) -> StageColumns:
    """Number a stage's keys.

    Args:
        numbers: Number of each equation id over all stages; grows.
        files: Number of each source file over all stages; grows.
        arguments: Number of each argument's place over all stages; grows.
        own_origins: The stage is the base function's jaxpr: an equation is its own origin.
        own_derived: The stage is what was lowered: an equation is its own derived equation.
    """
    nodes = graph.nodes
    origin_row, origin_key = _number_rows(graph, nodes.origins, numbers, own_origins)
    derived_row, derived_key = _number_rows(graph, nodes.derived, numbers, own_derived)
    source = nodes.source
    places = source.values.reshape(-1, 4)
    inputs = _own_inputs(graph)
    argument_row, argument_key = _number_arguments(graph, inputs, arguments)
    return StageColumns(
        origin_row=origin_row,
        origin_key=origin_key,
        derived_row=derived_row,
        derived_key=derived_key,
        source_row=np.repeat(np.arange(len(nodes), dtype=np.int32), source.lengths() // 4),
        file=_number_strings(graph, places[:, 0], files),
        line=np.ascontiguousarray(places[:, 1]),
        fusion_owner=_fusion_owners(graph),
        inputs=inputs,
        argument_row=argument_row,
        argument_key=argument_key,
        shown_group=find_shown_groups(graph),
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
    """Inputs of the program itself: of a jaxpr, a function `main`, an entry computation."""
    is_input = graph.nodes.kind == NodeKind.INPUT
    if not is_input.any():  # instructions know no kind of their own for parameters
        is_input = _operation_is(graph, "parameter") & (graph.nodes.group == NONE)
    inputs = np.flatnonzero(is_input).astype(np.int32)
    if not len(inputs):
        return inputs
    groups = graph.nodes.group[inputs]
    own = inputs[groups == groups[0]].tolist()
    # A module's parameters stand in any order; their numbers count.
    own.sort(key=lambda node: _argument_number(graph, node))
    return np.asarray(own, np.int32)


def _argument_number(graph: Graph, node: int) -> int:
    known = graph.attributes(node)
    number = known.get("argument") or known.get("parameter_number") or ""
    return int(number) if number.isdecimal() else 0


def _operation_is(graph: Graph, operation: str) -> Bools:
    wanted = [i for i, string in enumerate(graph.strings) if string == operation]
    found: Bools = np.isin(graph.nodes.operation, wanted)
    return found


def _number_arguments(
    graph: Graph, inputs: Int32s, arguments: dict[str, int]
) -> tuple[Int32s, Int32s]:
    """Where the program's inputs sit in the call's arguments: JAX names parameters by that."""
    rows, keys = [], []
    for node in inputs.tolist():
        known = graph.attributes(node)
        path = known.get("path") or known.get("op_name") or ""
        if path:
            rows.append(node)
            keys.append(arguments.setdefault(path, len(arguments)))
    return np.asarray(rows, np.int32), np.asarray(keys, np.int32)


def borrow_arguments(columns: StageColumns, named: StageColumns) -> StageColumns:
    """Give inputs that have only a number the places that another stage knows for these numbers.

    StableHLO numbers its arguments as the module made from it does; both leave out what the
    program does not use.
    """
    if len(columns.argument_row) or len(columns.inputs) != len(named.inputs):
        return columns
    order = {node: number for number, node in enumerate(named.inputs.tolist())}
    rows = columns.inputs[[order[node] for node in named.argument_row.tolist()]]
    return dataclasses.replace(columns, argument_row=rows, argument_key=named.argument_key)
