"""A graph of one stage as columns: NumPy arrays and one table of strings.

Fifty thousand nodes as objects take seconds to decode and hundreds of megabytes; as columns they
take milliseconds. `Graph.node(i)` reads one node out as a `Node`. `Ragged` holds rows of differing
length in two flat arrays. `graph_to_arrays` and `graph_from_arrays` turn a graph into named arrays
and back, for the wire and for files; the names are part of the `.jaxscope` format.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import itertools
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.marks import show_marks
from jaxscope.model.operations import WHILES
from jaxscope.model.said import said, say, template
from jaxscope.model.units import format_place

Int32s = npt.NDArray[np.int32]
_ENCODING = ("utf-8", "surrogatepass")
_Scalar = TypeVar("_Scalar", bound=np.generic)
_MANY = 1 << 12


def distinct(*values: npt.NDArray[_Scalar] | Sequence[int]) -> npt.NDArray[_Scalar]:
    """Each value once, in order, as of `np.unique`, which loads masked arrays for it in 10 ms."""
    every: npt.NDArray[_Scalar] = np.concatenate(values, axis=None)
    if every.dtype.kind == "i" and len(every) > _MANY:
        low, high = int(every.min()), int(every.max())
        if high - low < 4 * len(every):  # sooner than by sorting
            is_there = np.zeros(high - low + 1, np.bool_)
            is_there[every - low] = True
            return (np.flatnonzero(is_there) + low).astype(every.dtype)
    ordered = np.sort(every)
    is_new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return ordered[is_new]


def number_codes(codes: npt.NDArray[np.int64], num: int) -> tuple[Int32s, npt.NDArray[np.int64]]:
    """Of each code which of the distinct ones it is, int32, and those, rising.

    Args:
        num: All codes are below it.
    """
    if num > 8 * len(codes) + 1024:
        found = distinct(codes)
        return np.searchsorted(found, codes).astype(np.int32), found
    is_there = np.zeros(num, np.bool_)
    is_there[codes] = True
    return (np.cumsum(is_there, dtype=np.int32) - np.int32(1))[codes], np.flatnonzero(is_there)


@dataclass(frozen=True, eq=False, slots=True)
class Ragged:
    """A list of integer lists, stored as columns.

    Attributes:
        offsets: int32, shape `(num_rows + 1,)`, starts at 0 and never falls.
        values: int32, shape `(offsets[-1],)`; row `i` is `values[offsets[i]:offsets[i + 1]]`.
    """

    offsets: Int32s
    values: Int32s

    def __post_init__(self) -> None:
        check_offsets(self.offsets, len(self.values))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> Int32s:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def lengths(self) -> Int32s:
        """Length of each row, int32, shape `(num_rows,)`."""
        return np.diff(self.offsets).astype(np.int32)

    def row_numbers(self) -> Int32s:
        """The row of each value, int32, shape `(num_values,)`."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.lengths())

    def number_rows(self) -> tuple[Int32s, list[tuple[int, ...]]]:
        """Of each row which of the distinct rows it is, int32, and those."""
        if not len(self):
            return np.zeros(0, np.int32), []
        lengths, rows = self.lengths(), self.row_numbers()
        before = np.arange(len(self.values)) - lengths[rows]
        is_other = self.values != self.values[before]
        is_new = np.bincount(rows[is_other], minlength=len(self)) > 0
        is_new[1:] |= lengths[1:] != lengths[:-1]
        is_new[0] = True  # all others are like the row before
        known: dict[tuple[int, ...], int] = {}
        values = self.values[is_new[rows]].tolist()
        stops = np.append(0, np.cumsum(lengths[is_new])).tolist()
        of_run = [
            known.setdefault(tuple(values[start:stop]), len(known))
            for start, stop in itertools.pairwise(stops)
        ]
        return np.array(of_run, np.int32)[np.cumsum(is_new) - 1], list(known)

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[int]]) -> Ragged:
        """Pack rows of integers."""
        packed = list(rows)
        offsets = np.zeros(len(packed) + 1, np.int32)
        np.cumsum(np.fromiter(map(len, packed), np.int64, len(packed)), out=offsets[1:])
        values = itertools.chain.from_iterable(packed)
        return cls(offsets, np.fromiter(values, np.int32, int(offsets[-1])))

    @classmethod
    def empty(cls, num_rows: int) -> Ragged:
        """`num_rows` rows without values."""
        return cls(np.zeros(num_rows + 1, np.int32), np.zeros(0, np.int32))


def join_rows(parts: Sequence[tuple[Ragged, Int32s]]) -> Ragged:
    """One row for each node: what the parts have of it, in their order.

    Args:
        parts: Rows, and int32, of each node which of them it has.
    """
    parts = [part for part in parts if len(part[0].values)] or parts[:1]
    lengths = [rows.lengths()[of_node] for rows, of_node in parts]
    offsets = np.zeros(len(lengths[0]) + 1, np.int64)
    for length in lengths:
        offsets[1:] += length
    np.cumsum(offsets, out=offsets)
    values = np.empty(int(offsets[-1]), np.int32)
    for start in range(0, len(offsets) - 1, _NODES_AT_ONCE):
        some = slice(start, start + _NODES_AT_ONCE)
        begins = offsets[:-1][some].copy()
        for (rows, of_node), length in zip(parts, lengths, strict=True):
            _put_rows(values, begins, rows, of_node[some], length[some])
            begins += length[some]
    return Ragged(offsets.astype(np.int32), values)


_NODES_AT_ONCE = 1 << 15
"""Where each of their values goes takes a few numbers of eight bytes."""


def _put_rows(
    values: Int32s, begins: npt.NDArray[np.int64], rows: Ragged, of_node: Int32s, lengths: Int32s
) -> None:
    """Put the row of each node where it begins."""
    having = np.flatnonzero(lengths)  # most parts are of a few nodes, or one for each
    own = lengths[having]
    if len(own) and bool(np.all(own == own[0])):
        of_row, to = rows.offsets[of_node[having]], begins[having]
        for step in range(int(own[0])):
            values[to + step] = rows.values[of_row + step]
    elif len(own):
        within = np.arange(int(own.sum())) - np.repeat(np.cumsum(own) - own, own)
        of_row = np.repeat(rows.offsets[of_node[having]], own) + within
        values[np.repeat(begins[having], own) + within] = rows.values[of_row]


def check_offsets(offsets: Int32s, num_values: int) -> None:
    """Refuse offsets that do not describe `num_values` values.

    Raises:
        ValueError: The offsets are of the wrong type, fall, or do not span the values.
    """
    if offsets.dtype != np.int32 or offsets.ndim != 1 or len(offsets) == 0:
        raise ValueError("offsets must be a non-empty int32 vector")
    if offsets[0] != 0 or offsets[-1] != num_values or bool(np.any(np.diff(offsets) < 0)):
        raise ValueError(f"offsets do not rise from 0 to {num_values}")


Int8s = npt.NDArray[np.int8]

Floats = npt.NDArray[np.float64]

NONE = -1
"""Stands in index columns for "no such thing" (no group, no parent, no owner)."""


class NodeKind(enum.IntEnum):
    """What a node is; the JSON contract has the names in lower case."""

    INPUT = 0
    CONSTANT = 1
    EQUATION = 2
    OPERATION = 3
    INSTRUCTION = 4
    OUTPUT = 5


WORK_KINDS = (NodeKind.EQUATION, NodeKind.OPERATION, NodeKind.INSTRUCTION)
"""Nodes that compute something."""
CONDITION, BODY = 0, 1
"""Which inside of a `while` a group is: see `Groups.part`."""
PART_NAMES = ("condition", "body")
ROUNDS = template("XLA counts the body once; it runs {times} times")
"""What the attribute `cost_note` says of a loop of HLO."""
RESULTS = "results"
"""An attribute of the root of an HLO module: a line for each result, as `result[0]['bias']`."""
_OPERATION = re.compile(r"\w+\(")
"""How the name of an operation begins."""
_ARM = re.compile(r"branch (\d{1,9})(?:: (.*))?")


class GroupKind(enum.IntEnum):
    """What a group is; the JSON contract has the names in lower case."""

    JAXPR = 0
    FUSION = 1
    COMPUTATION = 2
    REGION = 3
    SCOPE = 4


class Direction(enum.IntEnum):
    """Which part of a differentiated program a node belongs to."""

    NONE = 0
    FORWARD = 1
    BACKWARD = 2


@dataclass(frozen=True, slots=True)
class SourcePosition:
    """A place in a source file.

    Attributes:
        file: Path as the interpreter reported it.
        line: 1-based.
        column: 0-based, in bytes of UTF-8 as Python counts; -1 where the reporter knows none.
        function: Name of the enclosing function, or empty.
    """

    file: str
    line: int
    column: int
    function: str = ""

    @property
    def short(self) -> str:
        """`file.py:12`; the file may be of another machine, whose paths have other separators."""
        return format_place(self.file, self.line)


_INSTALLED = re.compile(r"[/\\](?:site|dist)-packages[/\\]")


def own_place(places: Sequence[SourcePosition]) -> SourcePosition | None:
    """Of a stack, innermost first: the innermost place outside of installed libraries.

    The innermost of all where every place is a library's; None where there is none.
    """
    own = (place for place in places if not _INSTALLED.search(place.file))
    return next(own, places[0] if places else None)


@dataclass(frozen=True, slots=True)
class Cost:
    """Work of a node or a stage. NaN stands for unknown and is never added up as zero.

    Attributes:
        flops: Floating-point operations, counted by XLA's rules (a multiply-add is two).
        bytes_accessed: Bytes read plus bytes written, by the same rules.
        transcendentals: Calls of functions such as `exp` and `tanh`, counted apart from `flops`.
    """

    flops: float = math.nan
    bytes_accessed: float = math.nan
    transcendentals: float = math.nan

    @property
    def is_known(self) -> bool:
        return not (
            math.isnan(self.flops)
            and math.isnan(self.bytes_accessed)
            and math.isnan(self.transcendentals)
        )

    def same_as(self, other: Cost) -> bool:
        """Whether both know the same; since Python 3.13, NaN differs from NaN under `==`."""
        return all(
            mine == theirs or (math.isnan(mine) and math.isnan(theirs))
            for mine, theirs in zip(
                dataclasses.astuple(self), dataclasses.astuple(other), strict=True
            )
        )


@dataclass(frozen=True, slots=True)
class Node:
    """One node, read out of the columns."""

    index: int
    id: str
    name: str
    kind: NodeKind
    operation: str
    group: str | None
    types: tuple[str, ...]
    attributes: Mapping[str, str]
    scope: tuple[str, ...]
    origins: tuple[str, ...]
    derived: tuple[str, ...]
    direction: Direction
    source: tuple[SourcePosition, ...]
    cost: Cost
    seconds: float


@dataclass(frozen=True, eq=False, slots=True)
class Nodes:
    """The node columns. `s` marks indices into `Graph.strings`; n is the number of nodes.

    Attributes:
        id: s, unique in the graph.
        name: s, what the stage's text calls the result (`b`, `%5`, `add.3`), or the empty string.
        kind: `NodeKind` codes, int8.
        operation: s, JAX's or XLA's own name.
        group: Index of the innermost group, or `NONE`.
        types: s, the types of the results.
        attributes: s in pairs: key, value, key, value, …
        scope: s, named scopes from outermost to innermost.
        origins: s, ids of equations of the stage `jaxpr`.
        derived: s, ids of equations of the last jaxpr-level stage.
        direction: `Direction` codes, int8.
        source: Quadruples file (s), line, column, function (s); innermost user frame first.
        cost: float64, shape `(n, 3)`: FLOPs, bytes accessed, transcendentals; NaN is unknown.
        seconds: float64, measured time in one run of the program, what runs inside of the node
            (a loop's body, a call's) left out; NaN is not measured.
    """

    id: Int32s
    name: Int32s
    kind: Int8s
    operation: Int32s
    group: Int32s
    types: Ragged
    attributes: Ragged
    scope: Ragged
    origins: Ragged
    derived: Ragged
    direction: Int8s
    source: Ragged
    cost: Floats
    seconds: Floats

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True, eq=False, slots=True)
class Edges:
    """The edge columns: a value from a result of one node to an operand of another.

    Attributes:
        source: Node index that produces the value.
        output: Which of its results, 0-based.
        target: Node index that consumes it.
        operand: Which of its operands, 0-based.
        type: Index into `Graph.strings`.
    """

    source: Int32s
    output: Int32s
    target: Int32s
    operand: Int32s
    type: Int32s

    def __len__(self) -> int:
        return len(self.source)

    def ends(self) -> Iterator[tuple[int, int, int, int]]:
        """Source, output, target and operand of each edge."""
        columns = (self.source, self.output, self.target, self.operand)
        return zip(*(column.tolist() for column in columns), strict=True)


@dataclass(frozen=True, eq=False, slots=True)
class Groups:
    """The group columns: nested jaxprs, regions, computations, fusions, scopes.

    Attributes:
        id: s, unique in the graph.
        parent: Index of the enclosing group, always less than the group's own, or `NONE`.
        kind: `GroupKind` codes, int8.
        label: s, fit to show.
        owner: Node index of the node that this group is the inside of (an equation with a nested
            jaxpr, a fusion instruction), or `NONE`.
        part: Which inside of its owner it is: of a `while`, `CONDITION` or `BODY`; of a branch,
            the number of the arm; else `NONE`.
        function: s, of an arm or of a loop's body the name of the function that was traced, where
            it has one.
    """

    id: Int32s
    parent: Int32s
    kind: Int8s
    label: Int32s
    owner: Int32s
    part: Int32s
    function: Int32s

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True, eq=False)
class Graph:
    """The graph of one stage.

    Attributes:
        strings: The table that the columns' `s` indices point into; a tuple, or `LateStrings`.
        nodes: In program order; inputs first, outputs last within each group.
        edges: Grouped by nothing in particular; a value used twice is two edges.
        groups: Parents before children.
    """

    strings: Sequence[str]
    nodes: Nodes
    edges: Edges
    groups: Groups

    def __post_init__(self) -> None:
        check_graph(self)

    @functools.cached_property
    def index_by_id(self) -> dict[str, int]:
        """Node index of each node id."""
        strings = tuple(self.strings)
        return {strings[s]: i for i, s in enumerate(self.nodes.id.tolist())}

    @functools.cached_property
    def attribute_keys(self) -> dict[str, int]:
        """The keys of attributes by text: few, where there are half a million strings."""
        keys = distinct(self.nodes.attributes.values[0::2]).tolist()
        return {self.strings[key]: key for key in reversed(keys)}  # of equal ones the first

    @functools.cached_property
    def _operations(self) -> list[tuple[str, int]]:
        """The operations of nodes, each with its number."""
        return [(self.strings[code], code) for code in distinct(self.nodes.operation).tolist()]

    def index_by_name(self) -> dict[str, int]:
        """Node index of each node name; of several nodes with one name, the last."""
        strings = tuple(self.strings)
        return {strings[s]: i for i, s in enumerate(self.nodes.name.data)}

    def group_by_id(self) -> dict[str, int]:
        """Group index of each group id."""
        strings = self.strings
        return {strings[s]: group for group, s in enumerate(self.groups.id.tolist())}

    def owned_groups(self) -> dict[int, list[int]]:
        """The groups that each node owns, nodes without any left out."""
        owned: dict[int, list[int]] = {}
        for group, owner in enumerate(self.groups.owner.tolist()):
            if owner != NONE:
                owned.setdefault(owner, []).append(group)
        return owned

    def is_condition(self, group: int) -> bool:
        """Whether a group is the condition of a loop."""
        if self.groups.part[group] != CONDITION:
            return False
        owner = int(self.groups.owner[group])
        return owner != NONE and self.operation(owner) in WHILES

    def called_groups(
        self, node: int, owned: Mapping[int, Sequence[int]], by_id: Mapping[str, int]
    ) -> list[int]:
        """What is inside of a node: its own groups, and those that it shares with other nodes.

        The attribute `calls` names all of them, in order. Older captures have `shares` alone: the
        last one that is shown at another node.

        Args:
            owned: As `owned_groups` returns it.
            by_id: As `group_by_id` returns it.
        """
        row = self.attributes(node)
        named = [by_id[id] for id in row.get("calls", "").split(", ") if id in by_id]
        shared = by_id.get(row.get("shares", ""))
        return named or [*owned.get(node, ()), *([] if shared is None else [shared])]

    def string(self, column: Int32s, index: int) -> str:
        """The string at `index` of an `s` column."""
        return self.strings[int(column[index])]

    def id(self, index: int) -> str:
        """The id of a node."""
        return self.strings[int(self.nodes.id[index])]

    def name(self, index: int) -> str:
        """The name of a node."""
        return self.strings[int(self.nodes.name[index])]

    def argument_path(self, index: int) -> str:
        """Where an argument sits in those of the call, such as `params['w']`; else empty."""
        attributes = self.attributes(index)
        path = attributes.get("path") or attributes.get("op_name") or ""
        # XLA gives parameters of a loop's body the name of the loop, as `jit(loss)/while`.
        return "" if _OPERATION.match(path) else path

    def result_paths(self, index: int) -> tuple[str, ...]:
        """Of the root of an HLO module the places of the results that it gives, where known."""
        told = self.attributes(index).get(RESULTS, "")
        return tuple(told.split("\n")) if told else ()

    def operation(self, index: int) -> str:
        """The operation of a node."""
        return self.strings[int(self.nodes.operation[index])]

    def nodes_of(self, operations: Collection[str]) -> list[int]:
        """The nodes of some operations, rising."""
        wanted = [code for text, code in self._operations if text in operations]
        if not wanted:
            return []
        is_meant = np.isin(self.nodes.operation, np.array(wanted, np.int32))
        found: list[int] = np.flatnonzero(is_meant).tolist()
        return found

    def group_label(self, group: int) -> str:
        """What to write on a group's box; words for the inside of a node have their template."""
        label = self.string(self.groups.label, group)
        if self.groups.owner[group] == NONE:
            return label
        inside, _, owner = label.partition(" of ")
        part = said(inside) if inside in PART_NAMES else inside
        return say("{part} of {owner}", part=part, owner=owner) if owner else part

    def types(self, index: int) -> tuple[str, ...]:
        """The types of a node's results."""
        return self.row(self.nodes.types, index)

    def derived(self, index: int) -> tuple[str, ...]:
        """Ids of the equations of the stage that was lowered that a node came from."""
        return self.row(self.nodes.derived, index)

    def origins(self, index: int) -> tuple[str, ...]:
        """Ids of the equations of the stage `jaxpr` that a node came from."""
        return self.row(self.nodes.origins, index)

    def scope(self, index: int) -> tuple[str, ...]:
        """The named scopes that a node is in, the outermost first."""
        return self.row(self.nodes.scope, index)

    def row(self, column: Ragged, index: int) -> tuple[str, ...]:
        """The strings of row `index` of an `s` ragged column."""
        return tuple(self.strings[s] for s in column[index].tolist())

    def rows(self, column: Ragged) -> list[tuple[str, ...]]:
        """The strings of every row of an `s` ragged column, sooner than row by row."""
        texts = [*map(tuple(self.strings).__getitem__, column.values.tolist())]
        bounds = itertools.pairwise(column.offsets.tolist())
        return [tuple(texts[start:stop]) for start, stop in bounds]

    def attributes(self, index: int) -> dict[str, str]:
        """The attributes of a node."""
        return _pair_up(self.row(self.nodes.attributes, index))

    def all_attributes(self) -> list[dict[str, str]]:
        """The attributes of every node, sooner than one by one."""
        return [_pair_up(row) for row in self.rows(self.nodes.attributes)]

    def source(self, index: int) -> tuple[SourcePosition, ...]:
        """Where a node comes from, innermost user frame first."""
        row = self.nodes.source[index].tolist()
        return tuple(
            SourcePosition(self.strings[file], line, column, self.strings[function])
            for file, line, column, function in zip(
                row[0::4], row[1::4], row[2::4], row[3::4], strict=True
            )
        )

    def place(self, index: int) -> SourcePosition | None:
        """Where a node is said to come from: see `own_place`.

        JAX keeps the stack of a jitted function up to its call. Where that has only places of
        libraries, it is the place of the equation that holds the node, if that is the user's.
        """
        place = own_place(self.source(index))
        group = int(self.nodes.group[index])
        if place is None or not _INSTALLED.search(place.file):
            return place
        while group != NONE:
            owner = int(self.groups.owner[group])
            outer = own_place(self.source(owner)) if owner != NONE else None
            if outer is not None and not _INSTALLED.search(outer.file):
                return outer
            group = int(self.groups.parent[group])
        return place

    def node(self, index: int) -> Node:
        """Read one node out of the columns."""
        nodes = self.nodes
        group = int(nodes.group[index])
        return Node(
            index=index,
            id=self.string(nodes.id, index),
            name=self.string(nodes.name, index),
            kind=NodeKind(int(nodes.kind[index])),
            operation=self.string(nodes.operation, index),
            group=None if group == NONE else self.string(self.groups.id, group),
            types=self.row(nodes.types, index),
            attributes=self.attributes(index),
            scope=self.row(nodes.scope, index),
            origins=self.row(nodes.origins, index),
            derived=self.row(nodes.derived, index),
            direction=Direction(int(nodes.direction[index])),
            source=self.source(index),
            cost=Cost(*nodes.cost[index].tolist()),
            seconds=float(nodes.seconds[index]),
        )

    def replace_nodes(self, **columns: Any) -> Graph:
        """The same graph with some node columns replaced."""
        return dataclasses.replace(self, nodes=dataclasses.replace(self.nodes, **columns))


def _pair_up(row: tuple[str, ...]) -> dict[str, str]:
    """A mapping from a list in which keys and values alternate."""
    return dict(zip(row[0::2], row[1::2], strict=True))


def check_graph(graph: Graph) -> None:
    """Refuse columns that do not fit each other; data from a worker or a file is not trusted.

    Raises:
        ValueError: A column has the wrong length or type, or an index points nowhere.
    """
    num_strings = len(graph.strings)
    num_nodes, num_groups = len(graph.nodes), len(graph.groups)
    strings = (0, num_strings)
    nodes, edges, groups = graph.nodes, graph.edges, graph.groups
    _check_column("node id", nodes.id, num_nodes, np.int32, strings)
    _check_column("node name", nodes.name, num_nodes, np.int32, strings)
    _check_column("node kind", nodes.kind, num_nodes, np.int8, (0, len(NodeKind)))
    _check_column("node operation", nodes.operation, num_nodes, np.int32, strings)
    _check_column("node group", nodes.group, num_nodes, np.int32, (NONE, num_groups))
    _check_column("node direction", nodes.direction, num_nodes, np.int8, (0, len(Direction)))
    for name in ("types", "attributes", "scope", "origins", "derived"):
        ragged: Ragged = getattr(nodes, name)
        _check_column(f"node {name}", ragged.values, len(ragged.values), np.int32, strings)
        _check_length(f"node {name}", len(ragged), num_nodes)
    _check_length("node source", len(nodes.source), num_nodes)
    _check_rows("node attributes", nodes.attributes, 2)
    _check_rows("node source", nodes.source, 4)
    for part in (0, 3):
        _check_range("node source", nodes.source.values[part::4], strings)
    if nodes.cost.shape != (num_nodes, 3) or nodes.cost.dtype != np.float64:
        raise ValueError("node cost must be float64 of shape (n, 3)")
    if nodes.seconds.shape != (num_nodes,) or nodes.seconds.dtype != np.float64:
        raise ValueError("node seconds must be float64 of shape (n,)")
    num_edges = len(edges)
    for name, limits in (
        ("source", (0, num_nodes)),
        ("target", (0, num_nodes)),
        ("output", (0, 2**31)),
        ("operand", (0, 2**31)),
        ("type", strings),
    ):
        _check_column(f"edge {name}", getattr(edges, name), num_edges, np.int32, limits)
    _check_column("group id", groups.id, num_groups, np.int32, strings)
    _check_column("group label", groups.label, num_groups, np.int32, strings)
    _check_column("group kind", groups.kind, num_groups, np.int8, (0, len(GroupKind)))
    _check_column("group owner", groups.owner, num_groups, np.int32, (NONE, num_nodes))
    _check_column("group parent", groups.parent, num_groups, np.int32, (NONE, num_groups))
    _check_column("group part", groups.part, num_groups, np.int32, (NONE, 2**31))
    _check_column("group function", groups.function, num_groups, np.int32, strings)
    if bool(np.any(groups.parent >= np.arange(num_groups))):
        raise ValueError("a group's parent must come before it")
    for name, column in (("node", nodes.id), ("group", groups.id)):
        if len(distinct(column)) != len(column):
            raise ValueError(f"{name} ids must be unique")


def _check_length(name: str, length: int, wanted: int) -> None:
    if length != wanted:
        raise ValueError(f"{name} has {length} rows, not {wanted}")


def _check_range(name: str, column: npt.NDArray[Any], limits: tuple[int, int]) -> None:
    if len(column) and (int(column.min()) < limits[0] or int(column.max()) >= limits[1]):
        raise ValueError(f"{name} leaves the range {limits[0]} to {limits[1] - 1}")


def _check_column(
    name: str, column: npt.NDArray[Any], length: int, dtype: type, limits: tuple[int, int]
) -> None:
    if column.dtype != dtype or column.ndim != 1:
        raise ValueError(f"{name} must be a vector of {dtype.__name__}")
    _check_length(name, len(column), length)
    _check_range(name, column, limits)


def _check_rows(name: str, ragged: Ragged, multiple: int) -> None:
    if bool(np.any(ragged.lengths() % multiple)):
        raise ValueError(f"rows of {name} must have a multiple of {multiple} values")


Arrays = Mapping[str, npt.NDArray[Any]]

_RAGGED = ("types", "attributes", "scope", "origins", "derived", "source")


def graph_to_arrays(graph: Graph) -> dict[str, npt.NDArray[Any]]:
    """Name every column, such as `node.id`, `node.types.offsets`, `edge.source`, `string.utf8`."""
    arrays: dict[str, npt.NDArray[Any]] = dict(strings_to_arrays(graph.strings, "string"))
    for prefix, table in (("node", graph.nodes), ("edge", graph.edges), ("group", graph.groups)):
        for field in dataclasses.fields(table):
            column = getattr(table, field.name)
            if isinstance(column, Ragged):
                arrays[f"{prefix}.{field.name}.offsets"] = column.offsets
                arrays[f"{prefix}.{field.name}.values"] = column.values
            else:
                arrays[f"{prefix}.{field.name}"] = column
    return arrays


def graph_from_arrays(arrays: Arrays) -> Graph:
    """Rebuild a graph from what `graph_to_arrays` made.

    Raises:
        ValueError: A column is missing, of the wrong type or length, or points nowhere.
    """
    try:
        nodes: dict[str, Any] = {
            field.name: (
                Ragged(arrays[f"node.{field.name}.offsets"], arrays[f"node.{field.name}.values"])
                if field.name in _RAGGED
                else arrays[f"node.{field.name}"]
            )
            for field in dataclasses.fields(Nodes)
        }
        edges = {f.name: arrays[f"edge.{f.name}"] for f in dataclasses.fields(Edges)}
        has_parts = "group.part" in arrays
        if not has_parts:
            unknown = np.full(len(arrays["group.id"]), NONE, np.int32)
            arrays = {**arrays, "group.part": unknown, "group.function": arrays["group.label"]}
        groups = {f.name: arrays[f"group.{f.name}"] for f in dataclasses.fields(Groups)}
        strings = list(strings_from_arrays(arrays, "string"))
        utf8 = arrays["string.utf8"]
        may_be_marks = (utf8 < 0x20) | (utf8 >= 0x7F)
        for number in strings_with(may_be_marks, arrays["string.offsets"]):
            strings[number] = show_marks(strings[number])
    except KeyError as error:
        raise ValueError(f"the column {error.args[0]} is missing") from None
    graph = Graph(tuple(strings), Nodes(**nodes), Edges(**edges), Groups(**groups))
    return graph if has_parts else _with_parts(graph)


def older_part(label: str, operation: str | None) -> tuple[int, str]:
    """`part` and `function` of a group of an earlier release's file, which has its label alone.

    Args:
        operation: Of the group's owner, if it has one.
    """
    if operation in WHILES:
        return next((n for n, name in enumerate(PART_NAMES) if label.startswith(name)), NONE), ""
    arm = _ARM.match(label)
    return (NONE, "") if arm is None else (int(arm[1]), arm[2] or "")


def _with_parts(graph: Graph) -> Graph:
    """A graph of an earlier release, with what the labels of its groups say."""
    strings = list(graph.strings)
    number_of = {text: number for number, text in enumerate(strings)}
    rows = []
    for label, owner in zip(graph.groups.label.tolist(), graph.groups.owner.tolist(), strict=True):
        operation = None if owner == NONE else graph.operation(owner)
        part, function = older_part(graph.strings[label], operation)
        if function not in number_of:
            number_of[function] = len(strings)
            strings.append(function)
        rows.append((part, number_of[function]))
    parts, functions = np.array(rows, np.int32).reshape(-1, 2).T.copy()
    groups = dataclasses.replace(graph.groups, part=parts, function=functions)
    return dataclasses.replace(graph, strings=tuple(strings), groups=groups)


def strings_to_arrays(strings: Sequence[str], prefix: str) -> dict[str, npt.NDArray[Any]]:
    """Pack strings into `PREFIX.utf8` (uint8) and `PREFIX.offsets` (int64)."""
    encoded = [string.encode(*_ENCODING) for string in strings]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(part) for part in encoded], out=offsets[1:])
    return {
        f"{prefix}.utf8": np.frombuffer(b"".join(encoded), np.uint8),
        f"{prefix}.offsets": offsets,
    }


def strings_from_arrays(arrays: Arrays, prefix: str) -> tuple[str, ...]:
    """Unpack what `strings_to_arrays` made.

    Raises:
        ValueError: The offsets do not fit the bytes, or the bytes are no UTF-8.
        KeyError: One of the two arrays is missing.
    """
    utf8, offsets = arrays[f"{prefix}.utf8"], arrays[f"{prefix}.offsets"]
    if utf8.dtype != np.uint8 or offsets.dtype != np.int64 or offsets.ndim != 1:
        raise ValueError("strings must be uint8 bytes and int64 offsets")
    bounds = offsets.tolist()
    if (
        not bounds
        or bounds[0] != 0
        or bounds[-1] != utf8.size
        or bool(np.any(np.diff(offsets) < 0))
    ):
        raise ValueError("the offsets of the strings do not fit their bytes")
    data = utf8.tobytes()
    text = data.decode("latin-1")  # of one character a byte, most of which are those that are meant
    strings = [text[start:stop] for start, stop in itertools.pairwise(bounds)]
    for number in strings_with(utf8 >= 0x80, offsets):
        strings[number] = data[bounds[number] : bounds[number + 1]].decode(*_ENCODING)
    return tuple(strings)


def strings_with(wanted: npt.NDArray[np.bool_], offsets: npt.NDArray[np.int64]) -> list[int]:
    """The numbers of packed strings that have one of the wanted bytes."""
    places = np.flatnonzero(wanted)
    found: list[int] = distinct(np.searchsorted(offsets, places, "right") - 1).tolist()
    return found
