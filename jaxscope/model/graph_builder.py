"""Build a `Graph` row by row; used wherever a converter walks a program."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from jaxscope.model.graph import (
    NONE,
    Direction,
    Edges,
    Graph,
    GroupKind,
    Groups,
    NodeKind,
    Nodes,
)
from jaxscope.model.ragged import Ragged

_UNKNOWN_COST = (math.nan, math.nan, math.nan)


class StringTable:
    """Numbers strings in the order of their first use."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """The index of `text`, added if it is new."""
        return self._numbers.setdefault(text, len(self._numbers))

    def numbers(self, texts: Iterable[str]) -> tuple[int, ...]:
        """The indices of several strings."""
        return tuple(self.number(text) for text in texts)

    def strings(self) -> tuple[str, ...]:
        """All strings in order."""
        return tuple(self._numbers)


class GraphBuilder:
    """Collects nodes, edges and groups, and packs them into columns.

    Indices returned by `add_node` and `add_group` are final.
    """

    def __init__(self) -> None:
        self._table = StringTable()
        self._table.number("")
        self._nodes: list[tuple[int, int, int, int, int, int, float]] = []
        self._ragged: dict[str, list[Sequence[int]]] = {
            name: [] for name in ("types", "attributes", "scope", "origins", "derived", "source")
        }
        self._costs: list[tuple[float, float, float]] = []
        self._edges: list[tuple[int, int, int, int, int]] = []
        self._groups: list[tuple[int, int, int, int, int]] = []

    @property
    def num_nodes(self) -> int:
        return len(self._nodes)

    @property
    def num_groups(self) -> int:
        return len(self._groups)

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
        number, numbers = self._table.number, self._table.numbers
        self._nodes.append(
            (number(id), number(name), kind, number(operation), group, direction, seconds)
        )
        pairs: list[int] = []
        for key, value in (attributes or {}).items():
            pairs += (number(key), number(value))
        places: list[int] = []
        for file, line, column, function in source:
            places += (number(file), line, column, number(function))
        self._ragged["types"].append(numbers(types))
        self._ragged["attributes"].append(pairs)
        self._ragged["scope"].append(numbers(scope))
        self._ragged["origins"].append(numbers(origins))
        self._ragged["derived"].append(numbers(derived))
        self._ragged["source"].append(places)
        self._costs.append(cost)
        return len(self._nodes) - 1

    def add_edge(
        self, source: int, target: int, *, output: int = 0, operand: int = 0, type: str = ""
    ) -> None:
        """Add an edge from result `output` of `source` to operand `operand` of `target`."""
        self._edges.append((source, output, target, operand, self._table.number(type)))

    def add_group(
        self, id: str, kind: GroupKind, label: str, *, parent: int = NONE, owner: int = NONE
    ) -> int:
        """Add a group and return its index; its parent must have been added before."""
        number = self._table.number
        self._groups.append((number(id), parent, kind, number(label), owner))
        return len(self._groups) - 1

    def build(self) -> Graph:
        """Pack what was added.

        Raises:
            ValueError: Ids repeat, or an index points nowhere.
        """
        rows = self._nodes
        columns = list(zip(*rows, strict=True)) if rows else [()] * 7
        ids, names, kinds, operations, groups, directions, seconds = columns
        ragged = {name: Ragged.from_rows(values) for name, values in self._ragged.items()}
        nodes = Nodes(
            id=np.asarray(ids, np.int32),
            name=np.asarray(names, np.int32),
            kind=np.asarray(kinds, np.int8),
            operation=np.asarray(operations, np.int32),
            group=np.asarray(groups, np.int32),
            direction=np.asarray(directions, np.int8),
            cost=np.asarray(self._costs, np.float64).reshape(len(rows), 3),
            seconds=np.asarray(seconds, np.float64),
            **ragged,
        )
        edges = np.asarray(self._edges, np.int32).reshape(-1, 5)
        group_rows = np.asarray(self._groups, np.int32).reshape(-1, 5)
        return Graph(
            strings=self._table.strings(),
            nodes=nodes,
            edges=Edges(*(np.ascontiguousarray(edges[:, i]) for i in range(5))),
            groups=Groups(
                id=np.ascontiguousarray(group_rows[:, 0]),
                parent=np.ascontiguousarray(group_rows[:, 1]),
                kind=group_rows[:, 2].astype(np.int8),
                label=np.ascontiguousarray(group_rows[:, 3]),
                owner=np.ascontiguousarray(group_rows[:, 4]),
            ),
        )
