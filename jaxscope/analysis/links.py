"""One selection seen in every stage: what came from it and what went into it.

Links go through three keys that nodes carry: origins (equations of the stage `jaxpr`), derived
(equations of the last jaxpr-level stage) and source positions. The finest key that both sides have
decides: two stages after lowering meet in derived equations, a transform's jaxpr meets the base
function in origins. A `LinkIndex` is built once per set of stages; a question then costs a few
passes over its arrays.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.link_columns import build_all_columns
from jaxscope.analysis.link_pairs import NO_PAIRS, Pairs, find_line_pairs, find_pairs
from jaxscope.model import NONE, Direction, Graph, NodeKind, Stage, is_available
from jaxscope.model.op_name import is_in_call

Int32s = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

LATE_STAGES = frozenset({"gradient", "stablehlo", "hlo", "passes", "optimized", "machine"})
"""Stages that are no transform of the call; the last one before them is what was lowered."""


@dataclasses.dataclass(frozen=True, slots=True)
class NodeSelection:
    """Nodes of one stage.

    Attributes:
        stage: Name of the stage.
        nodes: Node indices in that stage's graph.
    """

    stage: str
    nodes: tuple[int, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class LineSelection:
    """One line of a source file; `line` is 1-based."""

    file: str
    line: int


@dataclasses.dataclass(frozen=True, slots=True)
class SeveralSelection:
    """Things that are selected together, at most one `NodeSelection` per stage among them."""

    parts: tuple[NodeSelection | LineSelection, ...]


Selection = NodeSelection | LineSelection | SeveralSelection


@dataclasses.dataclass(frozen=True, eq=False)
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


@dataclasses.dataclass(frozen=True, eq=False)
class Links:
    """The answer to one selection.

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
        names = [name for name, _ in graphs if name not in LATE_STAGES]
        self._base = "jaxpr" if "jaxpr" in self._graphs else ""
        self._lowered = names[-1] if names else ""
        self._files: dict[str, int] = {}
        known = build_all_columns(self._graphs, self._base, self._lowered, self._files)
        self._columns, self._num_keys = known.of_stage, known.num_keys
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
                rows = np.unique(columns.source_row[found])
            hits[name] = rows
            if name == self._base:
                keys[columns.origin_key[np.isin(columns.origin_row, rows)]] = True
        for name, columns in self._columns.items():
            nodes = np.union1d(hits[name], columns.origin_row[keys[columns.origin_key]])
            stages[name] = self._split(name, nodes.astype(np.int32), _NOTHING)
        known = any(linked.num_nodes for linked in stages.values())
        return Links(stages, ((selection.file, selection.line),), known)

    def _links_of_nodes(self, selection: NodeSelection) -> Links:
        graph, columns = self._graphs[selection.stage], self._columns[selection.stage]
        chosen = np.unique(np.asarray(selection.nodes, np.int32))
        chosen = chosen[(chosen >= 0) & (chosen < len(graph.nodes))]
        inside = _with_insides(graph, chosen, columns.shown_group)
        origins, derived = columns.keys_of(inside, self._num_keys)
        stages: dict[str, Linked] = {}
        for name, other in self._columns.items():
            use_derived = bool(derived.any()) and len(other.derived_key) > 0
            keys, key_column, rows = (
                (derived, other.derived_key, other.derived_row)
                if use_derived
                else (origins, other.origin_key, other.origin_row)
            )
            nodes = np.unique(rows[keys[key_column]])
            if name == selection.stage and len(chosen) > 1:
                # What a whole group shares with another is drawn there, and is not what was meant.
                own = _with_insides(graph, chosen, np.full_like(columns.shown_group, NONE))
                nodes = np.setdiff1d(nodes, np.setdiff1d(inside, own))
            if name == "optimized" and use_derived:
                nodes = self._of_calls(selection.stage, chosen, name, nodes)
            nodes = np.union1d(nodes, self._same_inputs(selection.stage, chosen, name))
            stages[name] = self._split(
                name, nodes.astype(np.int32), chosen if name == selection.stage else _NOTHING
            )
        lines = self._lines_of(selection.stage, inside)
        if not lines and self._base in stages:
            lines = self._lines_of(self._base, stages[self._base].forward)
        has_origin = bool(origins.any() or derived.any() or lines)
        places = columns.argument_key[np.isin(columns.argument_row, chosen)]
        arguments = tuple(self._arguments[place] for place in places.tolist())
        return Links(stages, lines, has_origin or bool(arguments), arguments)

    def _of_calls(self, stage: str, chosen: Int32s, other: str, nodes: Int32s) -> Int32s:
        """Of the instructions of a function that several equations call, those of these calls.

        Args:
            stage: Of the selection.
            chosen: Its nodes.
            other: The stage of the instructions.
            nodes: All instructions of what the chosen equations call.
        """
        graph, instructions = self._graphs[stage], self._graphs[other]
        if stage != self._lowered or "call" not in instructions.strings:
            return nodes
        calls = [graph.string(graph.nodes.id, node) for node in chosen.tolist()]
        kept = []
        for node in nodes.tolist():
            text = instructions.attributes(node).get("call", "")
            tags = text.split(", ") if text else instructions.row(instructions.nodes.derived, node)
            if any(is_in_call(tag, call) for tag in tags for call in calls):
                kept.append(node)
        return np.asarray(kept, np.int32)

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
            selected, np.setdiff1d(forward, np.union1d(selected, backward)), backward
        )
    return Links(
        stages,
        tuple(dict.fromkeys(line for part in parts for line in part.lines)),
        any(part.has_origin for part in parts),
        tuple(dict.fromkeys(path for part in parts for path in part.arguments)),
    )


def _union(arrays: Iterable[Int32s]) -> Int32s:
    return np.unique(np.concatenate([_NOTHING, *arrays])).astype(np.int32)


def _with_insides(graph: Graph, nodes: Int32s, shown_group: Int32s) -> Int32s:
    """The nodes and everything inside the groups that they own or share."""
    groups = graph.groups
    taken = np.zeros(len(groups), bool)
    while len(groups):
        found = np.isin(groups.owner, nodes) & (groups.owner >= 0)
        shared = shown_group[nodes]
        found[shared[shared >= 0]] = True
        if not (found & ~taken).any():
            break
        taken |= found
        inside = (graph.nodes.group >= 0) & taken[graph.nodes.group]
        nodes = np.union1d(nodes, np.flatnonzero(inside)).astype(np.int32)
    return nodes


def is_made_by_compiler(graph: Graph, index: int) -> bool:
    """Whether nothing is known to be behind an instruction or operation."""
    if graph.nodes.kind[index] not in (NodeKind.INSTRUCTION, NodeKind.OPERATION):
        return False
    nodes = graph.nodes
    return not (len(nodes.origins[index]) or len(nodes.derived[index]) or len(nodes.source[index]))
