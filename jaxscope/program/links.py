"""One selection in every stage: what came from it and what went into it.

Links go through three keys that nodes carry: origins (equations of the stage `jaxpr`), derived
(equations of the stage that was lowered) and source positions. The finest key that both sides have
decides. `find_pairs` gives the lines of the ribbon between two panes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Direction, Graph, GroupKind, NodeKind, Ragged, Stage, is_available
from jaxscope.model.graph import distinct
from jaxscope.model.op_name import without_call
from jaxscope.model.stages import lowered_name
from jaxscope.model.types import read_count
from jaxscope.program.dataflow import ShownGroups, attribute_texts, find_shown_groups
from jaxscope.program.name_links import LINKED_BY, SEPARATOR
from jaxscope.program.shared_calls import SharedCalls

# The columns of one stage that `links` asks: equation keys, source lines, fusions, inputs.


Int32s = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
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
        shown: Groups elsewhere that show the inside of nodes.
        shared_groups: Groups of which several nodes have the inside.
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
    shown: ShownGroups
    shared_groups: Int32s

    def keys_of(self, nodes: Int32s, num_keys: int) -> tuple[Bools, Bools]:
        """Which origin and which derived keys the nodes have, as two masks over all keys."""
        origins, derived = np.zeros(num_keys, bool), np.zeros(num_keys, bool)
        origins[self.origin_key[np.isin(self.origin_row, nodes)]] = True
        derived[self.derived_key[np.isin(self.derived_row, nodes)]] = True
        return origins, derived


@dataclass(frozen=True, eq=False)
class AllColumns:
    """The columns of every stage and what their numbers stand for.

    Attributes:
        of_stage: By name.
        num_keys: How many equation keys there are.
        arguments: Places in the arguments, by number.
        of_one_call: Whether a key is an equation of a shared function in one call of it. Where the
            function is shown once, its equations have these keys of all calls.
        is_call: Whether a key is an equation that calls a shared function.
    """

    of_stage: dict[str, StageColumns]
    num_keys: int
    arguments: tuple[str, ...]
    of_one_call: Bools
    is_call: Bools


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
            graph, numbers, files, arguments, own_origins=name == base, own_derived=name == lowered
        )
        for name, graph in graphs.items()
    }
    named = columns.get("hlo") or columns.get("optimized")
    if named is not None and "stablehlo" in columns:
        columns["stablehlo"] = borrow_arguments(columns["stablehlo"], named)
    of_one_call, calls = _tell_calls(columns, graphs, lowered, numbers)
    found = np.asarray(list(numbers.values()), np.int32)
    return AllColumns(
        columns,
        len(numbers),
        tuple(arguments),
        np.isin(found, list(of_one_call)),
        np.isin(found, list(calls)),
    )


def _tell_calls(
    columns: dict[str, StageColumns],
    graphs: Mapping[str, Graph],
    lowered: str,
    numbers: dict[str, int],
) -> tuple[set[int], set[int]]:
    """Give instructions of shared functions keys of their own call, in place of those of all.

    Returns:
        The new keys, and the keys of the calls. The function's equations and operations in other
        stages get the new keys of all calls, and each call those of its own.
    """
    optimized = graphs.get("optimized")
    if optimized is None:
        return set(), set()
    of_one_call, calls = set[int](), set[int]()
    rows: list[tuple[int, int]] = []
    replaced: list[tuple[int, int]] = []
    added: dict[int, dict[int, None]] = {}
    for node, tag, callers in SharedCalls(graphs.get(lowered)).list_tags(optimized):
        equation = without_call(tag)
        key = numbers.setdefault(tag if "@" in tag else f"{tag}@", len(numbers))
        of_one_call.add(key)
        rows.append((node, key))
        replaced.append((node, numbers[equation]))
        for id in (equation, *callers):
            number = numbers.setdefault(id, len(numbers))
            added.setdefault(number, {})[key] = None
            calls.update([number] if id != equation else [])
    taken = set(replaced)
    for name, column in columns.items():
        own_rows, own_keys = column.derived_row, column.derived_key
        at = np.flatnonzero(np.isin(own_keys, list(added)))
        pairs = [*zip(at.tolist(), own_rows[at].tolist(), own_keys[at].tolist(), strict=True)]
        if name == "optimized":
            gone = [place for place, node, own in pairs if (node, own) in taken]
            both = np.column_stack([np.delete(own_rows, gone), np.delete(own_keys, gone)])
            both = np.concatenate([both, np.asarray(rows, np.int32).reshape(-1, 2)])
        else:
            more = [(place + 1, node, k) for place, node, own in pairs for k in added[own]]
            places, nodes, keys = np.asarray(more, np.int32).reshape(-1, 3).T
            both = np.column_stack(
                [np.insert(own_rows, places, nodes), np.insert(own_keys, places, keys)]
            )
        columns[name] = dataclasses.replace(column, derived_row=both[:, 0], derived_key=both[:, 1])
    return of_one_call, calls


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
    if LINKED_BY in graph.attribute_keys:  # of a program that has no tags
        named = _number_names(graph, numbers)
        derived_row = np.concatenate([derived_row, named[0]])
        derived_key = np.concatenate([derived_key, named[1]])
    source = nodes.source
    places = source.values.reshape(-1, 4)
    inputs = _own_inputs(graph)
    argument_row, argument_key = _number_arguments(graph, inputs, arguments)
    shown = find_shown_groups(graph)
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
        shown=shown,
        shared_groups=distinct(shown.group, _groups_called_by_several(graph)).astype(np.int32),
    )


def _groups_called_by_several(graph: Graph) -> list[int]:
    """Computations of a module that several instructions call."""
    callers = attribute_texts(graph, "called_by")
    return [int(graph.nodes.group[node]) for node, names in callers if ", " in names]


def _number_rows(
    graph: Graph, column: Ragged, numbers: dict[str, int], include_own: bool
) -> tuple[Int32s, Int32s]:
    rows, strings = column.row_numbers(), column.values
    if include_own:
        own = np.flatnonzero(graph.nodes.kind == NodeKind.EQUATION).astype(np.int32)
        rows = np.concatenate([rows, own])
        strings = np.concatenate([strings, graph.nodes.id[own]])
    return rows, _number_strings(graph, strings, numbers)


def _number_names(graph: Graph, numbers: dict[str, int]) -> tuple[Int32s, Int32s]:
    """The names that nodes are linked by in place of equations."""
    found = [
        (node, numbers.setdefault(name, len(numbers)))
        for node, names in attribute_texts(graph, LINKED_BY)
        for name in names.split(SEPARATOR)
    ]
    pairs = np.asarray(found, np.int32).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _number_strings(graph: Graph, strings: Int32s, numbers: dict[str, int]) -> Int32s:
    table = np.zeros(max(len(graph.strings), 1), np.int32)
    for index in distinct(strings).tolist():
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
        is_input[graph.nodes_of(("parameter",))] = True
        is_input &= graph.nodes.group == NONE
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
    return read_count(known.get("argument") or known.get("parameter_number") or "") or 0


def _number_arguments(
    graph: Graph, inputs: Int32s, arguments: dict[str, int]
) -> tuple[Int32s, Int32s]:
    """Where the program's inputs sit in the call's arguments: JAX names parameters by that."""
    rows, keys = [], []
    for node in inputs.tolist():
        if path := graph.argument_path(node):
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


Pairs = npt.NDArray[np.int32]
"""Pairs of indices, of shape `(pairs, 2)`, each pair once, in rising order."""

NO_PAIRS: Pairs = np.zeros((0, 2), np.int32)

_MAX_PAIRS = 4_000
"""More lines than this between two panes show nothing that the highlights do not."""


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
    file: int, lines: Int32s, columns: StageColumns, nodes: Int32s, base: StageColumns | None
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
    owners = columns.fusion_owner[rows]
    of_owner = np.isin(owners, nodes) & (owners >= 0)
    return (
        np.concatenate([rows[inside], owners[of_owner]]).astype(np.int32),
        np.concatenate([keys[inside], keys[of_owner]]).astype(np.int32),
    )


def _join(left: Int32s, left_keys: Int32s, right: Int32s, right_keys: Int32s) -> Pairs:
    """All pairs whose keys are equal, up to a limit."""
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


# One selection seen in every stage: what came from it and what went into it.
#
# Links go through three keys that nodes carry: origins (equations of the stage `jaxpr`), derived
# (equations of the last jaxpr-level stage) and source positions. The finest key that both sides
# have decides: two stages after lowering meet in derived equations, a transform's jaxpr meets the
# base function in origins. A `LinkIndex` is built once per set of stages; a question then costs a
# few passes over its arrays.


@dataclass(frozen=True, slots=True)
class NodeSelection:
    """Nodes of one stage.

    Attributes:
        stage: Name of the stage.
        nodes: Node indices in that stage's graph.
    """

    stage: str
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LineSelection:
    """One line of a source file; `line` is 1-based."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class SeveralSelection:
    """Things that are selected together, at most one `NodeSelection` per stage among them."""

    parts: tuple[NodeSelection | LineSelection, ...]


Selection = NodeSelection | LineSelection | SeveralSelection


@dataclass(frozen=True, eq=False)
class Linked:
    """What a selection means in one stage; index arrays without repeats, in rising order.

    Attributes:
        selected: The selected nodes themselves; empty in every other stage.
        forward: Linked nodes that are not of the backward part.
        backward: Linked nodes of the backward part of a differentiated program.
    """

    selected: Int32s
    forward: Int32s
    backward: Int32s

    @property
    def num_nodes(self) -> int:
        return len(self.selected) + len(self.forward) + len(self.backward)

    @property
    def nodes(self) -> frozenset[int]:
        """The selected nodes and those that are linked to them."""
        return frozenset(np.concatenate((self.selected, self.forward, self.backward)).tolist())


@dataclass(frozen=True, eq=False)
class Links:
    """Nodes of every stage and source lines that belong to one selection.

    Attributes:
        stages: By stage name; stages without a graph are left out.
        lines: Source lines as (file, line); the selected line itself comes first.
        has_origin: Whether any equation or source line is known to be behind the selection. Where
            it is false, the compiler made the selected nodes.
        arguments: Places in the call's arguments of the selected inputs, such as `params['w']`.
    """

    stages: Mapping[str, Linked]
    lines: tuple[tuple[str, int], ...]
    has_origin: bool
    arguments: tuple[str, ...] = ()


_NOTHING = np.zeros(0, np.int32)
NO_LINKED = Linked(_NOTHING, _NOTHING, _NOTHING)
NO_LINKS = Links({}, (), True)


class LinkIndex:
    """Answers which nodes of every stage belong to a selection.

    Args:
        stages: In pipeline order; those without a graph take no part.
    """

    def __init__(self, stages: Sequence[Stage]) -> None:
        graphs = [(s.name, s.graph) for s in stages if is_available(s.graph)]
        self._graphs: dict[str, Graph] = dict(graphs)
        self._base = "jaxpr" if "jaxpr" in self._graphs else ""
        self._lowered = lowered_name(stage.name for stage in stages)
        self._files: dict[str, int] = {}
        known = build_all_columns(self._graphs, self._base, self._lowered, self._files)
        self._columns, self._num_keys = known.of_stage, known.num_keys
        self._of_one_call, self._is_call = known.of_one_call, known.is_call
        self._arguments = known.arguments

    def find_links(self, selection: Selection | None) -> Links:
        """Everything that belongs to a selection; nothing for no selection or an unknown stage."""
        if isinstance(selection, SeveralSelection):
            return unite_links([self.find_links(part) for part in selection.parts])
        if isinstance(selection, LineSelection):
            return self._links_of_line(selection)
        if selection is None or selection.stage not in self._graphs:
            return NO_LINKS
        return self._links_of_nodes(selection)

    def _links_of_line(self, selection: LineSelection) -> Links:
        file = self._files.get(selection.file)
        stages: dict[str, Linked] = {}
        keys = np.zeros(self._num_keys, bool)
        hits: dict[str, Int32s] = {}
        for name, columns in self._columns.items():
            rows = _NOTHING
            if file is not None:
                found = (columns.file == file) & (columns.line == selection.line)
                rows = distinct(columns.source_row[found])
            hits[name] = rows
            if name == self._base:
                keys[columns.origin_key[np.isin(columns.origin_row, rows)]] = True
        for name, columns in self._columns.items():
            nodes = distinct(hits[name], columns.origin_row[keys[columns.origin_key]])
            stages[name] = self._split(name, nodes.astype(np.int32), _NOTHING)
        known = any(linked.num_nodes for linked in stages.values())
        return Links(stages, ((selection.file, selection.line),), known)

    def _links_of_nodes(self, selection: NodeSelection) -> Links:
        graph, columns = self._graphs[selection.stage], self._columns[selection.stage]
        chosen = distinct(np.asarray(selection.nodes, np.int32))
        chosen = chosen[(chosen >= 0) & (chosen < len(graph.nodes))]
        # What all calls of a function share says nothing of which; the call itself does. So does
        # a group with a call in it that the function is drawn at.
        calls = _without_shared(graph, chosen, columns.shared_groups)
        inside = _with_insides(graph, calls, columns.shown)
        origins, derived = columns.keys_of(inside, self._num_keys)
        own_inside = _with_insides(graph, calls, None, columns.shared_groups)
        _, own_derived = columns.keys_of(own_inside, self._num_keys)
        derived = own_derived | (derived & ~self._of_one_call & ~self._is_call)
        stages: dict[str, Linked] = {}
        for name, other in self._columns.items():
            use_derived = bool(derived.any()) and len(other.derived_key) > 0
            keys, key_column, rows = (
                (derived, other.derived_key, other.derived_row)
                if use_derived
                else (origins, other.origin_key, other.origin_row)
            )
            nodes = distinct(rows[keys[key_column]])
            if name == selection.stage and len(chosen) > 1:
                # What a whole group shares with another is drawn there, and is not what was meant.
                own = _with_insides(graph, chosen, None)
                nodes = np.setdiff1d(nodes, np.setdiff1d(inside, own))
            nodes = distinct(nodes, self._same_inputs(selection.stage, chosen, name))
            stages[name] = self._split(
                name, nodes.astype(np.int32), chosen if name == selection.stage else _NOTHING
            )
        meant = distinct(own_inside, chosen).astype(np.int32)
        lines = self._lines_of(selection.stage, meant)
        lines = lines or self._lines_of(selection.stage, inside)
        if self._base in stages:
            equations = stages[self._base].forward
            if lines:  # an instruction has one place, and may come of equations of many
                base, (own_origins, _) = (
                    self._columns[self._base],
                    columns.keys_of(meant, self._num_keys),
                )
                own = base.origin_row[own_origins[base.origin_key]]
                equations = np.intersect1d(equations, own).astype(np.int32)
            lines = tuple(dict.fromkeys((*lines, *self._lines_of(self._base, equations))))
        has_origin = bool(origins.any() or derived.any() or lines)
        places = columns.argument_key[np.isin(columns.argument_row, chosen)]
        arguments = tuple(self._arguments[place] for place in places.tolist())
        return Links(stages, lines, has_origin or bool(arguments), arguments)

    def find_pairs(self, stage: str, nodes: Int32s, other: str, others: Int32s) -> Pairs:
        """Which nodes of one stage belong to which of another: many to many.

        Args:
            nodes: Of `stage`, in rising order.
            others: Of `other`, in rising order.
        """
        if stage not in self._columns or other not in self._columns:
            return NO_PAIRS
        if stage == other:  # each is itself, whatever else came from the same equation
            same = np.intersect1d(nodes, others).astype(np.int32)
            return np.stack([same, same], axis=1)
        mine, theirs = self._columns[stage], self._columns[other]
        return find_pairs(mine, nodes, theirs, others)

    def find_line_pairs(self, file: str, lines: Int32s, stage: str, nodes: Int32s) -> Pairs:
        """Which 1-based lines of a file belong to which nodes of a stage, in rising order each."""
        number, columns = self._files.get(file), self._columns.get(stage)
        if number is None or columns is None:
            return NO_PAIRS
        base = self._columns.get(self._base)
        return find_line_pairs(number, lines, columns, nodes, base)

    def find_argument(self, path: str) -> NodeSelection | None:
        """The input that a place in the arguments is, in the first stage that has it."""
        number = self._arguments.index(path) if path in self._arguments else -1
        for name, columns in self._columns.items():
            rows = columns.argument_row[columns.argument_key == number]
            if len(rows):
                return NodeSelection(name, (int(rows[0]),))
        return None

    def _same_inputs(self, stage: str, chosen: Int32s, other: str) -> Int32s:
        """Inputs correspond by their place in the arguments; by position where none is known."""
        mine, theirs = self._columns[stage], self._columns[other]
        if stage == other:
            return _NOTHING
        if len(mine.argument_row) and len(theirs.argument_row):
            keys = mine.argument_key[np.isin(mine.argument_row, chosen)]
            found: Int32s = theirs.argument_row[np.isin(theirs.argument_key, keys)]
            return found
        if len(mine.inputs) != len(theirs.inputs):
            return _NOTHING
        same: Int32s = theirs.inputs[np.isin(mine.inputs, chosen)]
        return same

    def _lines_of(self, stage: str, nodes: Iterable[int]) -> tuple[tuple[str, int], ...]:
        graph = self._graphs[stage]
        lines: dict[tuple[str, int], None] = {}
        for index in list(nodes)[:200]:  # a whole program's lines would only paint the page
            for position in graph.source(int(index)):
                lines[position.file, position.line] = None
        return tuple(lines)

    def _split(self, stage: str, nodes: Int32s, chosen: Int32s) -> Linked:
        graph, columns = self._graphs[stage], self._columns[stage]
        backward = graph.nodes.direction == Direction.BACKWARD
        marked = np.zeros(len(graph.nodes), bool)
        is_back = np.zeros(len(graph.nodes), bool)
        marked[nodes] = True
        is_back[nodes] = backward[nodes]
        owners = columns.fusion_owner[nodes]
        lifted, back_lifted = owners[owners >= 0], owners[(owners >= 0) & backward[nodes]]
        only_back = np.setdiff1d(back_lifted, owners[(owners >= 0) & ~backward[nodes]])
        marked[lifted] = True
        is_back[only_back] = True
        marked[chosen] = False
        return Linked(
            chosen,
            np.flatnonzero(marked & ~is_back).astype(np.int32),
            np.flatnonzero(marked & is_back).astype(np.int32),
        )


def unite_links(parts: Sequence[Links]) -> Links:
    """What several selections mean together; what is selected in one is not merely linked."""
    stages: dict[str, Linked] = {}
    for name in dict.fromkeys(name for part in parts for name in part.stages):
        found = [part.stages[name] for part in parts if name in part.stages]
        selected = _union(linked.selected for linked in found)
        forward = _union(linked.forward for linked in found)
        backward = np.setdiff1d(_union(linked.backward for linked in found), selected)
        stages[name] = Linked(
            selected, np.setdiff1d(forward, distinct(selected, backward)), backward
        )
    return Links(
        stages,
        tuple(dict.fromkeys(line for part in parts for line in part.lines)),
        any(part.has_origin for part in parts),
        tuple(dict.fromkeys(path for part in parts for path in part.arguments)),
    )


def _union(arrays: Iterable[Int32s]) -> Int32s:
    return distinct(np.concatenate([_NOTHING, *arrays])).astype(np.int32)


def _without_shared(graph: Graph, chosen: Int32s, shared_groups: Int32s) -> Int32s:
    """Nodes without those of a shared function whose call, where it is drawn, is among them."""
    owner = graph.groups.owner[shared_groups]
    called = owner[np.isin(owner, chosen)]
    inside = np.setdiff1d(_with_insides(graph, called, None), called)
    return np.setdiff1d(chosen, inside).astype(np.int32)


def _with_insides(
    graph: Graph, nodes: Int32s, shown: ShownGroups | None, without: Int32s | None = None
) -> Int32s:
    """The nodes, and everything inside the groups that they own.

    With `shown`, groups of shared functions count as owned by every call that shows them; those of
    `without` count as owned by none.
    """
    groups = graph.groups
    taken = np.zeros(len(groups), bool)
    while len(groups):
        found = np.isin(groups.owner, nodes) & (groups.owner >= 0)
        if without is not None:
            found[without] = False
        if shown is not None:
            found[shown.group[np.isin(shown.node, nodes)]] = True
        if not (found & ~taken).any():
            break
        taken |= found
        inside = (graph.nodes.group >= 0) & taken[graph.nodes.group]
        nodes = distinct(nodes, np.flatnonzero(inside)).astype(np.int32)
    return nodes


def is_made_by_compiler(graph: Graph, index: int) -> bool:
    """Whether nothing is known to be behind an instruction or operation."""
    if graph.nodes.kind[index] not in (NodeKind.INSTRUCTION, NodeKind.OPERATION):
        return False
    nodes = graph.nodes
    return not (len(nodes.origins[index]) or len(nodes.derived[index]) or len(nodes.source[index]))
