"""Build a `Graph` row by row; used wherever a converter walks a program."""

from __future__ import annotations

import dataclasses
import itertools
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar, overload

import numpy as np
import numpy.typing as npt

from jaxscope.marks import show_marks
from jaxscope.model.graph import (
    NONE,
    Direction,
    Edges,
    Graph,
    GroupKind,
    Groups,
    NodeKind,
    Nodes,
    Ragged,
    distinct,
    join_rows,
)

_COLUMNS = 6
_UNKNOWN_COST = (math.nan, math.nan, math.nan)


K = TypeVar("K")


class Numbers(dict[K, int]):
    """Numbers things in the order of their first use: `numbers[thing]` is the number."""

    def __missing__(self, thing: K) -> int:
        number = self[thing] = len(self)
        return number

    def all(self, things: Iterable[K]) -> Iterator[int]:
        """The numbers of things."""
        return map(self.__getitem__, things)


class StringTable(Numbers[str]):
    """Numbers strings in the order of their first use: `table[text]` is the number."""

    def number_apart(
        self, *columns: Sequence[str]
    ) -> tuple[list[npt.NDArray[np.int32]], list[str]]:
        """Numbers of long columns, each of distinct texts, without taking them into the table.

        Returns:
            The numbers of each column, and all strings: those of the table, then each column's. A
            text that the table or a column before has got its number there.
        """
        strings, all_numbers = list(self), []
        # Names of operations have slashes, and those of instructions have none: so nearly none is
        # looked up in a set so large that a look takes ten times as long as one at the text.
        seen, no_slash = set[str](), True
        for column in columns:
            first = len(strings)
            numbers = np.arange(first, first + len(column), dtype=np.int32)
            if again := [
                at
                for at, text in enumerate(column)
                if text in self or (not (no_slash and "/" in text) and text in seen)
            ]:
                known = {column[at]: at for at in again}
                for at in range(first - 1, -1, -1):  # of equal ones the first
                    if strings[at] in known:
                        known[strings[at]] = at
                numbers[again] = [known[column[at]] for at in again]
            all_numbers.append(numbers)
            strings += column
            if column is not columns[-1]:
                seen.update(column)
                no_slash = no_slash and "/" not in "".join(column)
        return all_numbers, strings

    def strings(self) -> tuple[str, ...]:
        """All strings in order, with what is not seen in them shown."""
        return show_all_marks(self)


class LateStrings(Sequence[str]):
    """Strings of several parts, in an order of their own, each made when it is looked at.

    Half a million instructions have as many names, and as many names of operations. A first picture
    shows a few of them, and to make them all would take a quarter of its time. All of them are made
    once a text is looked for that may be in a part.
    """

    def __init__(
        self,
        first: Sequence[str],
        parts: Sequence[Sequence[str]],
        order: npt.NDArray[np.int32],
        made_of: str,
    ) -> None:
        """Put strings in order.

        Args:
            first: Strings, whose numbers are from 0 on; they may be looked for at any time.
            parts: More of them, which are numbered on from there; none is among the first.
            order: The numbers of those that there are, each once.
            made_of: What has all strings of the parts in it; those with a slash may be put together
                of two pieces of it.
        """
        self._first = first
        self._number_of = {text: number for number, text in reversed([*enumerate(first)])}
        self._parts, self._order, self._made_of = parts, order, made_of
        self._numbers: Sequence[int] = order.data  # gives numbers of Python, sooner than the array
        self._whole: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...

    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        if self._whole is not None or isinstance(at, slice):
            return self.whole()[at]
        number = self._numbers[at]
        if number < len(self._first):
            return self._first[number]
        number -= len(self._first)
        for part in self._parts:
            if number < len(part):
                return part[number]
            number -= len(part)
        return self.whole()[at]  # another thread has made all of them

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole())

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, LateStrings):
            return self.whole() == other.whole()
        return self.whole() == other

    def __hash__(self) -> int:
        return hash(self.whole())

    def __contains__(self, text: object) -> bool:
        if not isinstance(text, str):
            return False
        made_of = self._made_of  # before another thread makes all of them
        if self._whole is None:
            if np.any(self._order == self._number_of.get(text, -1)):
                return True
            if not ("/" in text or text in made_of):
                return False
        return text in self.whole()

    def index(self, text: str, start: int = 0, stop: int | None = None) -> int:
        """Where a string is."""
        if self._whole is None and start == 0 and stop is None:
            found = np.flatnonzero(self._order == self._number_of.get(text, -1))
            if len(found):
                return int(found[0])
        return self.whole().index(text, start, len(self) if stop is None else stop)

    @property
    def is_made(self) -> bool:
        """Whether all of them are made."""
        return self._whole is not None

    def may_hold(self, text: str) -> bool:
        """Whether some string may have a text in it; where this is not so, none has."""
        made_of = self._made_of
        if self._whole is not None or "/" in text or text in made_of:
            return True
        return any(text in each for each in self._first)

    def whole(self) -> tuple[str, ...]:
        """All strings."""
        parts, whole = self._parts, self._whole
        if whole is None:
            every = [*self._first, *itertools.chain.from_iterable(parts)]
            self._whole = whole = tuple(map(every.__getitem__, self._numbers))
            self._parts, self._made_of = (), ""
        return whole

    def with_more(self, more: Sequence[str]) -> Sequence[str]:
        """The same strings and others behind them, which may be among them."""
        parts, made_of = self._parts, self._made_of
        if self._whole is not None:
            return (*self._whole, *more)
        num = len(self._first) + sum(map(len, parts))
        order = np.concatenate([self._order, np.arange(num, num + len(more), dtype=np.int32)])
        return LateStrings(self._first, [*parts, more], order, " ".join([made_of, *more]))


def may_hold(strings: Sequence[str], text: str) -> bool:
    """Whether one of some strings may have a text in it; where this is not so, none has."""
    return not isinstance(strings, LateStrings) or strings.may_hold(text)


def add_strings(strings: Sequence[str], more: Sequence[str]) -> Sequence[str]:
    """Strings and others behind them."""
    return strings.with_more(more) if isinstance(strings, LateStrings) else (*strings, *more)


def show_all_marks(strings: Iterable[str], made_of: Iterable[str] | None = None) -> tuple[str, ...]:
    """All strings, with what is not seen in them shown; most programs have none such.

    Args:
        made_of: Fewer strings, which all of them are put together from.
    """
    kept = tuple(strings)
    whole = "".join(kept if made_of is None else made_of)
    return kept if whole.isascii() and whole.isprintable() else tuple(map(show_marks, kept))


def add_attributes(graph: Graph, added: Mapping[int, Mapping[str, str]]) -> Graph:
    """The same graph with more attributes of some nodes, by node."""
    if not added:
        return graph
    of_node = np.zeros(len(graph.nodes), np.int32)
    places = Numbers[tuple[tuple[str, str], ...]]({(): 0})  # many nodes get the same
    of_node[sorted(added)] = [places[tuple(added[node].items())] for node in sorted(added)]
    return add_attribute_rows(graph, of_node, [dict(pairs) for pairs in places])


def add_attribute_rows(
    graph: Graph, of_node: npt.NDArray[np.int32], added: Sequence[Mapping[str, str]]
) -> Graph:
    """The same graph with more attributes: of each node, which of those that are given it gets."""
    every, used = np.arange(len(graph.nodes), dtype=np.int32), {*distinct(of_node).tolist()}
    rows = [
        [text for pair in row.items() for text in pair if number in used]
        for number, row in enumerate(added)
    ]
    if not any(rows):
        return graph
    texts = dict.fromkeys(itertools.chain.from_iterable(rows))
    # Only these are looked for: there may be a million strings.
    numbers = {text: number for number, text in enumerate(graph.strings) if text in texts}
    new = [text for text in texts if text not in numbers]
    numbers |= zip(new, itertools.count(len(graph.strings)))
    numbered = Ragged.from_rows([[numbers[text] for text in row] for row in rows])
    parts = [(graph.nodes.attributes, every), (numbered, of_node)]
    nodes = dataclasses.replace(graph.nodes, attributes=join_rows(parts))
    return dataclasses.replace(graph, strings=(*graph.strings, *new), nodes=nodes)


class _RowTable(dict[tuple[str, ...], tuple[int, ...]]):
    """Numbers of tuples of strings; equal tuples, of which programs have many, are one row."""

    def __init__(self, table: StringTable) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, texts: tuple[str, ...]) -> tuple[int, ...]:
        table = self._table
        row = self[texts] = tuple([table[text] for text in texts])
        return row


class _PlaceTable(dict[tuple[tuple[str, int, int, str], ...], tuple[int, ...]]):
    """Numbers of source positions; equations of one line share theirs."""

    def __init__(self, table: StringTable) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, places: tuple[tuple[str, int, int, str], ...]) -> tuple[int, ...]:
        table = self._table
        numbers: list[int] = []
        for file, line, column, function in places:
            numbers += (table[file], line, column, table[function])
        row = self[places] = tuple(numbers)
        return row


class GraphBuilder:
    """Collects nodes, edges and groups, and packs them into columns.

    Indices returned by `add_node` and `add_group` are final.

    Attributes:
        table: The strings so far.
    """

    def __init__(self) -> None:
        self.table = StringTable()
        self._rows = _RowTable(self.table)
        self._places = _PlaceTable(self.table)
        # Packed as they come: as objects of Python half a million of them take hundreds of MB.
        self._nodes = array("i")
        self._seconds, self._costs = array("d"), array("d")
        self._attributes, self._attribute_counts = array("i"), array("i")
        self._edges = array("i")
        self._ragged: dict[str, list[Sequence[int]]] = {
            name: [] for name in ("types", "scope", "origins", "derived", "source")
        }
        self._add_ragged = tuple(rows.append for rows in self._ragged.values())
        self._groups: list[tuple[int, ...]] = []
        self.table.update({"": 0})

    @property
    def num_nodes(self) -> int:
        return len(self._seconds)

    def add_node(
        self,
        id: str,
        kind: NodeKind,
        operation: str,
        *,
        name: str = "",
        group: int = NONE,
        types: Iterable[str] = (),
        attributes: Mapping[str, str] | None = None,
        scope: Iterable[str] = (),
        origins: Iterable[str] = (),
        derived: Iterable[str] = (),
        direction: Direction = Direction.NONE,
        source: Iterable[tuple[str, int, int, str]] = (),
        cost: tuple[float, float, float] = _UNKNOWN_COST,
        seconds: float = math.nan,
    ) -> int:
        """Add a node and return its index. `source` rows are file, line, column, function."""
        table, rows = self.table, self._rows
        number_of = table.setdefault  # of an id or a name, which is new: sooner than `__missing__`
        at = number_of(id, len(table)), number_of(name, len(table))
        self._nodes.extend((*at, kind, table[operation], group, direction))
        if attributes:
            for key, value in attributes.items():
                self._attributes.extend((table[key], number_of(value, len(table))))
            self._attribute_counts.append(2 * len(attributes))
        else:
            self._attribute_counts.append(0)
        add_types, add_scope, add_origins, add_derived, add_source = self._add_ragged
        add_types(rows[tuple(types)])
        add_scope(rows[tuple(scope)])
        add_origins(rows[tuple(origins)])
        add_derived(rows[tuple(derived)])
        add_source(self._places[tuple(source)])
        self._seconds.append(seconds)
        self._costs.extend(cost)
        return len(self._seconds) - 1

    def add_edge(
        self, source: int, target: int, *, output: int = 0, operand: int = 0, type: str = ""
    ) -> None:
        """Add an edge from result `output` of `source` to operand `operand` of `target`."""
        self._edges.extend((source, output, target, operand, self.table[type]))

    def add_operands(
        self, target: int, operands: Iterable[tuple[int, tuple[int, int], str]]
    ) -> None:
        """Add the edges to a node.

        Args:
            target: The node.
            operands: Of each edge the operand, the node and number of the result, and the type.
        """
        add, table = self._edges.extend, self.table
        for operand, (source, output), type in operands:
            add((source, output, target, operand, table[type]))

    def add_group(
        self,
        id: str,
        kind: GroupKind,
        label: str,
        *,
        parent: int = NONE,
        owner: int = NONE,
        part: int = NONE,
        function: str = "",
    ) -> int:
        """Add a group and return its index; its parent must have been added before."""
        table = self.table
        row = (table[id], parent, kind, table[label], owner, part, table[function])
        self._groups.append(row)
        return len(self._groups) - 1

    def build_groups(self) -> Groups:
        """The groups that were added, as columns."""
        rows = np.asarray(self._groups, np.int32).reshape(-1, 7)
        return Groups(
            id=np.ascontiguousarray(rows[:, 0]),
            parent=np.ascontiguousarray(rows[:, 1]),
            kind=rows[:, 2].astype(np.int8),
            label=np.ascontiguousarray(rows[:, 3]),
            owner=np.ascontiguousarray(rows[:, 4]),
            part=np.ascontiguousarray(rows[:, 5]),
            function=np.ascontiguousarray(rows[:, 6]),
        )

    def build(self) -> Graph:
        """Pack what was added.

        Raises:
            ValueError: Ids repeat, or an index points nowhere.
        """
        count = self.num_nodes
        columns = np.array(self._nodes, np.int32).reshape(-1, _COLUMNS).T
        ids, names, kinds, operations, groups, directions = map(np.ascontiguousarray, columns)
        ragged = {name: Ragged.from_rows(values) for name, values in self._ragged.items()}
        ends = np.cumsum(self._attribute_counts, dtype=np.int64)
        nodes = Nodes(
            id=ids,
            name=names,
            kind=kinds.astype(np.int8),
            operation=operations,
            group=groups,
            direction=directions.astype(np.int8),
            cost=np.array(self._costs, np.float64).reshape(count, 3),
            seconds=np.array(self._seconds, np.float64),
            attributes=Ragged(
                np.concatenate(([0], ends)).astype(np.int32), np.array(self._attributes, np.int32)
            ),
            **ragged,
        )
        edges = np.array(self._edges, np.int32).reshape(-1, 5)
        return Graph(
            strings=self.table.strings(),
            nodes=nodes,
            edges=Edges(*(np.ascontiguousarray(edges[:, i]) for i in range(5))),
            groups=self.build_groups(),
        )
